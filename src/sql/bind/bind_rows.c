/*
 * Functions that make rows: unnest, generate_series and their like. In FROM they may read the
 * tables to their left; in a select list they make rows of what the groups and windows have left,
 * before DISTINCT, and several of them run in step, as in PostgreSQL. One that is a key of GROUP BY
 * makes its rows before the groups, and one inside of another before that one.
 *
 * The plan knows two sources of rows, the items of a list and a series of integers or times; all
 * others are values that are computed for each item of one of these.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

enum row_function {
	ROWS_UNNEST,
	ROWS_SERIES,
	ROWS_SUBSCRIPTS,
	ROWS_SPLIT,
	ROWS_MATCHES,
	ROWS_JSON,
	ROWS_PATH,
};

struct row_word {
	const char *name;
	enum row_function function;
	/* ROWS_SPLIT: the function whose list has the same items. ROWS_JSON: the column's name. */
	const char *lists;
};

static const struct row_word row_words[] = {
	{"unnest", ROWS_UNNEST, NULL},
	{"generate_series", ROWS_SERIES, NULL},
	{"generate_subscripts", ROWS_SUBSCRIPTS, NULL},
	{"string_to_table", ROWS_SPLIT, "string_to_array"},
	{"regexp_split_to_table", ROWS_SPLIT, "regexp_split_to_array"},
	{"regexp_matches", ROWS_MATCHES, NULL},
	{"json_array_elements", ROWS_JSON, "value"},
	{"jsonb_array_elements", ROWS_JSON, "value"},
	{"json_array_elements_text", ROWS_JSON, "value"},
	{"jsonb_array_elements_text", ROWS_JSON, "value"},
	{"json_object_keys", ROWS_JSON, NULL},
	{"jsonb_object_keys", ROWS_JSON, NULL},
	{"json_each", ROWS_JSON, "value"},
	{"jsonb_each", ROWS_JSON, "value"},
	{"json_each_text", ROWS_JSON, "value"},
	{"jsonb_each_text", ROWS_JSON, "value"},
	{"jsonb_path_query", ROWS_PATH, NULL},
	{"jsonb_path_query_tz", ROWS_PATH, NULL},
};

static const struct row_word *find_row_word(const char *name)
{
	for (size_t i = 0; i < sizeof(row_words) / sizeof(row_words[0]); i++)
		if (strcmp(row_words[i].name, name) == 0)
			return &row_words[i];
	return NULL;
}

bool is_row_function(const char *name)
{
	return find_row_word(name) != NULL;
}

static struct expr *integer(struct binder *b, int64_t number)
{
	struct value value = {.type = type_of(TYPE_INT), .i64 = number};

	return expr_constant(b->arena, &value);
}

static void set_series(struct binder *b, struct row_source *out, struct expr *first,
	struct expr *last, struct expr *step)
{
	struct expr *args[3] = {first, last, step};

	out->item = first->type;
	out->list = make_call(b, FN_GENERATE_SERIES, first->type, 3, args, first->location);
}

static int set_list(struct binder *b, struct row_source *out, struct expr *list)
{
	char name[TYPE_NAME_MAX];

	if (!list)
		return -1;
	if (!type_is_array(list->type.kind))
		return bind_error(b, list->location,
			"function unnest(%s) does not exist: it takes an array",
			type_name(list->type, name));
	out->list = list;
	out->item = type_element_of(list->type);
	return 0;
}

/*
 * A series of decimals: its items are numbered, and item n is first + n * step. There are
 * (last - first) / step of them behind the first one, which is computed so that nothing is rounded.
 */
static int set_numeric_series(
	struct binder *b, const struct ast_expr *ast, struct expr **args, struct row_source *out)
{
	static const char *const names[] = {"start value", "stop value", "step size"};
	struct expr *zero = coerce(b, integer(b, 0), type_of(TYPE_NUMERIC)), *tests[2], *pair[2];
	struct expr *span;
	struct expr *rest, *count;

	for (int i = 0; i < 3; i++) {
		pair[0] = args[i];
		pair[1] = text_constant(b, names[i]);
		args[i] = make_call(
			b, FN_SERIES_BOUND, type_of(TYPE_NUMERIC), 2, pair, ast->location);
	}
	span = bind_operator(b, "-", args[1], args[0], ast->location);
	rest = span ? bind_operator(b, "%", span, args[2], ast->location) : NULL;
	count = rest ? bind_operator(b, "-", span, rest, ast->location) : NULL;
	count = count ? bind_operator(b, "/", count, args[2], ast->location) : NULL;
	count = count ? coerce_explicit(b, count, type_of(TYPE_BIGINT), ast->location) : NULL;
	if (!count || check_expr_size(b, count, ast->location) < 0)
		return -1;
	for (int down = 0; down < 2; down++) {
		pair[0] = bind_comparison(
			b, down ? FN_LT : FN_GT, down ? "<" : ">", args[2], zero, ast->location);
		pair[1] = bind_comparison(
			b, down ? FN_LT : FN_GT, down ? "<" : ">", args[0], args[1], ast->location);
		tests[down] = make_node(b, EXPR_AND, 2, pair, ast->location);
	}
	tests[0] = make_node(b, EXPR_OR, 2, tests, ast->location);
	pair[0] = make_node(b, EXPR_NOT, 1, &tests[0], ast->location);
	set_series(b, out, coerce(b, integer(b, 0), type_of(TYPE_BIGINT)),
		make_choice(b, pair[0], count, NULL),
		coerce(b, integer(b, 1), type_of(TYPE_BIGINT)));
	out->kind = ROW_VALUE_NUMERIC;
	out->args[0] = args[0];
	out->args[1] = args[2];
	return 0;
}

static bool is_time(enum type_kind kind)
{
	return kind == TYPE_DATE || kind == TYPE_TIMESTAMP;
}

/* The type of a series' items; TYPE_UNKNOWN when there is no such series. */
static struct type series_type(uint32_t count, struct expr *const *args)
{
	struct type type = type_of(TYPE_INT);

	if (count < 2 || count > 3)
		return type_of(TYPE_UNKNOWN);
	if (is_time(args[0]->type.kind) || is_time(args[1]->type.kind)) {
		for (uint32_t i = 0; i < 2; i++)
			if (!type_converts_implicitly(args[i]->type.kind, TYPE_TIMESTAMP))
				return type_of(TYPE_UNKNOWN);
		return type_of(
			count == 3 && type_converts_implicitly(args[2]->type.kind, TYPE_INTERVAL)
				? TYPE_TIMESTAMP
				: TYPE_UNKNOWN);
	}
	for (uint32_t i = 0; i < count; i++)
		if (!type_common(type, args[i]->type, &type))
			return type_of(TYPE_UNKNOWN);
	if (type.kind == TYPE_NUMERIC)
		return type_of(TYPE_NUMERIC);
	return type.kind == TYPE_INT || type.kind == TYPE_BIGINT ? type : type_of(TYPE_UNKNOWN);
}

/*
 * A series of moments: months and days are counted on the calendar of the session's zone, a step of hours alone by the
 * clock. A step of both would need a zone's rules between any two items.
 */
static int bind_zoned_series(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct row_source *out)
{
	const struct interval *size;
	struct expr *step;
	bool by_clock;

	if (count != 3 || !type_converts_implicitly(args[2]->type.kind, TYPE_INTERVAL)) {
		no_function(b, ast, count, args);
		return -1;
	}
	step = coerce(b, args[2], type_of(TYPE_INTERVAL));
	for (uint32_t i = 0; i < 2; i++) {
		args[i] = coerce(b, args[i], type_of(TYPE_TIMESTAMPTZ));
		if (!args[i] || !step)
			return -1;
	}
	size = &step->constant.interval;
	by_clock = b->zone.size == 0 ||
		   (step->kind == EXPR_CONSTANT && size->months == 0 && size->days == 0);
	if (!by_clock && (step->kind != EXPR_CONSTANT || size->microseconds != 0))
		return bind_error(b, ast->location,
			"generate_series of timestamptz in a zone other than UTC takes a constant "
			"step, of days or of hours alone");
	out->kind = by_clock ? ROW_VALUE_MOMENT : ROW_VALUE_LOCAL;
	set_series(b, out, zone_clock_time(b, args[0], by_clock),
		zone_clock_time(b, args[1], by_clock), step);
	return 0;
}

static int bind_series(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct row_source *out)
{
	struct type type = series_type(count, args);
	struct expr *all[3];

	if (count > 1 &&
		(args[0]->type.kind == TYPE_TIMESTAMPTZ || args[1]->type.kind == TYPE_TIMESTAMPTZ))
		return bind_zoned_series(b, ast, count, args, out);
	if (type.kind == TYPE_UNKNOWN) {
		no_function(b, ast, count, args);
		return -1;
	}
	for (uint32_t i = 0; i < 3; i++) {
		bool shift = i == 2 && type.kind == TYPE_TIMESTAMP;

		all[i] = coerce(b, i < count ? args[i] : integer(b, 1),
			shift ? type_of(TYPE_INTERVAL) : type);
		if (!all[i])
			return -1;
	}
	if (type.kind == TYPE_NUMERIC)
		return set_numeric_series(b, ast, all, out);
	set_series(b, out, all[0], all[1], all[2]);
	return 0;
}

/* generate_subscripts(list, 1 [, reverse]): 1 to the number of items. */
static int bind_subscripts(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct row_source *out)
{
	struct expr *last, *one = integer(b, 1), *none = integer(b, 0), *within, *pair[2];

	if (count < 2 || count > 3 || !type_is_array(args[0]->type.kind) ||
		!type_converts_implicitly(args[1]->type.kind, TYPE_INT) ||
		(count == 3 && !type_converts_implicitly(args[2]->type.kind, TYPE_BOOL))) {
		no_function(b, ast, count, args);
		return -1;
	}
	pair[0] = args[0];
	pair[1] = coerce(b, args[1], type_of(TYPE_INT));
	if (!pair[1])
		return -1;
	last = make_call(b, FN_ARRAY_LENGTH, type_of(TYPE_INT), 2, pair, ast->location);
	if (count == 2) {
		set_series(b, out, one, last, one);
		return 0;
	}
	args[2] = coerce_boolean(b, args[2], "generate_subscripts");
	if (!args[2] || check_expr_size(b, last, ast->location) < 0)
		return -1;
	pair[0] = none;
	pair[1] = one;
	within = make_call(b, FN_SUB, type_of(TYPE_INT), 2, pair, ast->location);
	set_series(b, out, make_choice(b, args[2], last, one), make_choice(b, args[2], one, last),
		make_choice(b, args[2], within, one));
	return 0;
}

/* The flags without `g`, which says whether all matches are wanted. */
static int split_flags(struct binder *b, const struct ast_expr *ast, struct expr **flags, bool *all)
{
	struct value value = {.type = type_of(TYPE_TEXT)};
	char *kept;
	uint32_t size = 0;

	*flags = coerce(b, *flags, type_of(TYPE_TEXT));
	if (!*flags)
		return -1;
	if ((*flags)->kind != EXPR_CONSTANT || (*flags)->constant.is_null)
		return bind_error(
			b, ast->location, "the flags of regexp_matches must be a constant");
	kept = arena_alloc(b->arena, (*flags)->constant.text.size + 1);
	for (uint32_t i = 0; i < (*flags)->constant.text.size; i++) {
		char flag = (*flags)->constant.text.data[i];

		*all = *all || flag == 'g';
		if (flag != 'g')
			kept[size++] = flag;
	}
	value.text = text_from(kept, size);
	*flags = expr_constant(b->arena, &value);
	return 0;
}

/* regexp_matches: row n has the groups of match n. */
static int bind_matches(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct row_source *out)
{
	struct expr *all[3] = {NULL, NULL, text_constant(b, "")}, *last;
	bool global = false;

	for (uint32_t i = 0; i < count; i++)
		if (count < 2 || count > 3 ||
			!type_converts_implicitly(args[i]->type.kind, TYPE_TEXT)) {
			no_function(b, ast, count, args);
			return -1;
		}
	for (uint32_t i = 0; i < count; i++) {
		all[i] = coerce(b, args[i], type_of(TYPE_TEXT));
		if (!all[i])
			return -1;
	}
	if (count == 0) {
		no_function(b, ast, count, args);
		return -1;
	}
	if (split_flags(b, ast, &all[2], &global) < 0)
		return -1;
	if (global)
		last = make_call(b, FN_REGEX_COUNT, type_of(TYPE_INT), 3, all, ast->location);
	else
		last = make_choice(b,
			make_call(b, FN_REGEX_MATCH, type_of(TYPE_BOOL), 3, all, ast->location),
			integer(b, 1), NULL);
	set_series(b, out, integer(b, 1), last, integer(b, 1));
	out->kind = ROW_VALUE_GROUPS;
	memcpy(out->args, all, sizeof(all));
	return 0;
}

static int bind_word(
	struct level *level, enum clause clause, const struct ast_expr *ast, struct row_source *out)
{
	struct binder *b = level->binder;
	const struct row_word *word = find_row_word(ast->text);
	struct expr **args = bind_args(level, clause, ast);
	struct ast_expr renamed = *ast;
	struct expr *keys = NULL;

	if (!args || check_argument_names(b, ast) < 0)
		return -1;
	if (ast->call->variadic)
		return bind_error(b, ast->location, "VARIADIC is not supported in %s", ast->text);
	switch (word->function) {
	case ROWS_UNNEST:
		if (ast->arg_count != 1)
			return bind_error(
				b, ast->location, "unnest takes one list, except in FROM");
		return set_list(b, out, args[0]);
	case ROWS_SPLIT:
		renamed.text = word->lists;
		return set_list(b, out, bind_function(b, &renamed, ast->arg_count, args));
	case ROWS_SERIES: return bind_series(b, ast, ast->arg_count, args, out);
	case ROWS_SUBSCRIPTS: return bind_subscripts(b, ast, ast->arg_count, args, out);
	case ROWS_MATCHES: return bind_matches(b, ast, ast->arg_count, args, out);
	case ROWS_PATH: return set_list(b, out, bind_path_call(b, ast, ast->arg_count, args));
	case ROWS_JSON:
		if (set_list(b, out, bind_json_rows(b, ast, ast->arg_count, args, &keys)) < 0)
			return -1;
		if (keys && clause != CLAUSE_FROM)
			return bind_error(
				b, ast->location, "%s is only supported in FROM", ast->text);
		out->keys = keys;
		return 0;
	}
	return -1;
}

/* What the function yields for an item; NULL where there is none. */
static struct expr *row_value(struct binder *b, const struct row_source *source, uint32_t item)
{
	struct expr *number = binder_column_expr(b, item, source->list->location), *test, *args[4];

	switch (source->kind) {
	case ROW_VALUE_ITEM: return number;
	case ROW_VALUE_NUMERIC:
		test = bind_comparison(b, FN_EQ, "=", number, integer(b, 0), -1);
		args[0] = bind_operator(b, "*", number, source->args[1], -1);
		args[0] = args[0] ? bind_operator(b, "+", source->args[0], args[0], -1) : NULL;
		return test && args[0] ? make_choice(b, test, source->args[0], args[0]) : NULL;
	case ROW_VALUE_MOMENT:
	case ROW_VALUE_LOCAL: return zone_moment(b, number, source->kind == ROW_VALUE_MOMENT);
	case ROW_VALUE_GROUPS:
		args[0] = source->args[0];
		args[1] = source->args[1];
		args[2] = number;
		args[3] = source->args[2];
		return make_call(b, FN_REGEX_NTH_GROUPS, type_of(TYPE_TEXT_LIST), 4, args, -1);
	case ROW_VALUE_ONCE:
		test = make_node(b, EXPR_IS_NULL, 1, &number, -1);
		test = make_node(b, EXPR_NOT, 1, &test, -1);
		return make_choice(b, test, source->args[0], NULL);
	}
	return NULL;
}

static int add_source(
	struct binder *b, const struct row_source *source, const char *name, struct from_rows *out)
{
	struct logical_unnest *unnest = &out->unnest;
	uint32_t item = binder_column(b, name, source->item);
	struct expr *value = row_value(b, source, item);

	if (!value)
		return -1;
	unnest->lists = list_room(b->arena, unnest->lists, unnest->count, sizeof(struct expr *));
	unnest->items = list_room(b->arena, unnest->items, unnest->count, sizeof(uint32_t));
	out->values = list_room(b->arena, out->values, unnest->count, sizeof(struct expr *));
	out->names = list_room(b->arena, out->names, unnest->count, sizeof(*out->names));
	unnest->lists[unnest->count] = source->list;
	unnest->items[unnest->count] = item;
	out->values[unnest->count] = value;
	out->names[unnest->count++] = name;
	return 0;
}

/* json_each: its keys run in step with its values. */
static int add_keys(struct binder *b, struct expr *keys, struct from_rows *out)
{
	struct row_source source = {.list = keys, .item = type_of(TYPE_TEXT)};

	return add_source(b, &source, "key", out);
}

static bool has_clauses(const struct ast_call *call)
{
	return call->distinct || call->filter || call->star || call->sort_count || call->window;
}

/* One function of FROM: unnest(a, b) makes rows of both, what makes no rows has one. */
static int bind_from_function(
	struct level *level, const struct ast_expr *ast, struct from_rows *out)
{
	struct binder *b = level->binder;
	struct row_source source = {0};
	const struct row_word *word;

	if (ast->kind != AST_CALL || !is_row_function(ast->text)) {
		source.kind = ROW_VALUE_ONCE;
		source.args[0] = bind_expr(level, CLAUSE_FROM, ast);
		source.args[0] = source.args[0] ? coerce_known(b, source.args[0]) : NULL;
		if (!source.args[0])
			return -1;
		set_series(b, &source, integer(b, 1), integer(b, 1), integer(b, 1));
		return add_source(b, &source, output_name(ast), out);
	}
	if (has_clauses(ast->call))
		return bind_error(
			b, ast->location, "%s takes no clause of an aggregate", ast->text);
	word = find_row_word(ast->text);
	if (word->function != ROWS_UNNEST) {
		if (bind_word(level, CLAUSE_FROM, ast, &source) < 0 ||
			(source.keys && add_keys(b, source.keys, out) < 0))
			return -1;
		return add_source(b, &source,
			word->function == ROWS_JSON && word->lists ? word->lists : ast->text, out);
	}
	if (ast->arg_count == 0)
		return bind_error(b, ast->location, "function unnest() does not exist");
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		source = (struct row_source){0};
		if (set_list(b, &source, bind_expr(level, CLAUSE_FROM, ast->args[i])) < 0 ||
			add_source(b, &source, ast->text, out) < 0)
			return -1;
	}
	return 0;
}

int bind_from_rows(struct level *level, const struct scope *scope, const struct ast_from *from,
	struct from_rows *out)
{
	struct binder *b = level->binder;
	struct scope saved = level->scope;
	int result = 0;

	*out = (struct from_rows){.unnest = {.ordinality = PLAN_NONE}};
	level->scope = *scope;
	for (uint32_t i = 0; i < from->function_count && result == 0; i++)
		result = bind_from_function(level, from->functions[i], out);
	level->scope = saved;
	if (result == 0 && from->ordinality)
		out->unnest.ordinality = binder_column(b, "ordinality", type_of(TYPE_BIGINT));
	return result;
}

void name_rows(const struct ast_from *from, const struct from_rows *rows, struct extender *computed,
	struct scope_column *columns)
{
	uint32_t count = rows->unnest.count;

	for (uint32_t i = 0; i < count; i++) {
		bool named = from->alias && count == 1 && strcmp(rows->names[i], "value") != 0;

		columns[i].name = named ? from->alias : rows->names[i];
		columns[i].id = extender_id(computed, rows->values[i], rows->names[i]);
	}
	columns[count] = (struct scope_column){.name = "ordinality", .id = rows->unnest.ordinality};
}

bool rows_are_lateral(const struct from_rows *rows)
{
	const struct logical_unnest *unnest = &rows->unnest;
	bool lateral = false;

	for (uint32_t i = 0; i < unnest->count; i++)
		lateral = lateral || expr_reads_any(unnest->lists[i]) ||
			  !expr_reads_only(rows->values[i], unnest->count, unnest->items);
	return lateral;
}

static int check_place(struct binder *b, enum clause clause, int32_t location)
{
	switch (clause) {
	case CLAUSE_SELECT:
	case CLAUSE_ORDER_BY:
	case CLAUSE_GROUP_BY: return 0;
	case CLAUSE_AGGREGATE:
		return bind_error(b, location,
			"aggregate function calls cannot contain set-returning function calls");
	case CLAUSE_FROM:
		return bind_error(
			b, location, "set-returning functions must appear at top level of FROM");
	default:
		return bind_error(b, location, "set-returning functions are not allowed in %s",
			clause == CLAUSE_ON ? "JOIN conditions" : clause_name(clause));
	}
}

struct expr *bind_row_function(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_unnest note = {0};
	struct row_source source = {0};

	if (check_place(b, clause, ast->location) < 0 || bind_word(level, clause, ast, &source) < 0)
		return NULL;
	note.list = source.list;
	/* Equal sources run in step: one of them is enough. */
	for (uint32_t i = 0; i < level->unnest_count; i++)
		if (expr_equal(level->unnests[i].list, note.list))
			return row_value(b, &source, level->unnests[i].output);
	note.output = binder_column(b, ast->text, source.item);
	level->unnests =
		list_room(b->arena, level->unnests, level->unnest_count, sizeof(*level->unnests));
	level->unnests[level->unnest_count++] = note;
	return expr_at(row_value(b, &source, note.output), ast->location);
}

static bool any_reads(uint32_t count, struct expr *const *exprs, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (expr_reads_column(exprs[i], id))
			return true;
	return false;
}

/* Those that the expressions read, and what these read themselves: a later one reads an earlier. */
static void want_unnests(struct level *level, uint32_t count, struct expr *const *exprs)
{
	for (uint32_t i = level->unnest_count; i-- > 0;) {
		struct level_unnest *note = &level->unnests[i];

		note->wanted = !note->placed && (!exprs || any_reads(count, exprs, note->output));
		for (uint32_t j = i + 1; j < level->unnest_count && !note->placed; j++)
			if (level->unnests[j].wanted &&
				expr_reads_column(level->unnests[j].list, note->output))
				note->wanted = true;
	}
}

/* Whether no other one has to make its rows first. */
static bool is_ready(const struct level *level, const struct level_unnest *note)
{
	for (uint32_t i = 0; i < level->unnest_count; i++)
		if (level->unnests[i].wanted &&
			expr_reads_column(note->list, level->unnests[i].output))
			return false;
	return true;
}

void place_unnests(struct level *level, uint32_t count, struct expr *const *exprs)
{
	struct binder *b = level->binder;
	struct logical_unnest unnest;

	want_unnests(level, count, exprs);
	do {
		unnest = (struct logical_unnest){.ordinality = PLAN_NONE};
		for (uint32_t i = 0; i < level->unnest_count; i++) {
			struct level_unnest *note = &level->unnests[i];

			if (!note->wanted || !is_ready(level, note))
				continue;
			note->placed = true;
			place_marks(level, 1, &note->list);
			unnest.lists = list_room(
				b->arena, unnest.lists, unnest.count, sizeof(struct expr *));
			unnest.items =
				list_room(b->arena, unnest.items, unnest.count, sizeof(uint32_t));
			unnest.lists[unnest.count] = note->list;
			unnest.items[unnest.count++] = note->output;
		}
		for (uint32_t i = 0; i < level->unnest_count; i++)
			level->unnests[i].wanted =
				level->unnests[i].wanted && !level->unnests[i].placed;
		if (unnest.count)
			level->tree = logical_unnest_new(b->arena, level->tree, &unnest);
	} while (unnest.count);
}
