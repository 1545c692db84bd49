/*
 * Window functions: the calls, the windows that they name or spell out, and the operators that
 * compute them. Calls whose windows have the same partitions and order share one operator; the
 * frame belongs to the call.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

struct window_word {
	const char *name;
	enum window_function function;
	enum type_kind result; /* TYPE_UNKNOWN: the argument's */
	uint32_t arg_min;
	uint32_t arg_max;
};

static const struct window_word window_words[] = {
	{"row_number", WINDOW_ROW_NUMBER, TYPE_BIGINT, 0, 0},
	{"rank", WINDOW_RANK, TYPE_BIGINT, 0, 0},
	{"dense_rank", WINDOW_DENSE_RANK, TYPE_BIGINT, 0, 0},
	{"percent_rank", WINDOW_PERCENT_RANK, TYPE_DOUBLE, 0, 0},
	{"cume_dist", WINDOW_CUME_DIST, TYPE_DOUBLE, 0, 0},
	{"ntile", WINDOW_NTILE, TYPE_INT, 1, 1},
	{"lag", WINDOW_LAG, TYPE_UNKNOWN, 1, 3},
	{"lead", WINDOW_LEAD, TYPE_UNKNOWN, 1, 3},
	{"first_value", WINDOW_FIRST_VALUE, TYPE_UNKNOWN, 1, 1},
	{"last_value", WINDOW_LAST_VALUE, TYPE_UNKNOWN, 1, 1},
	{"nth_value", WINDOW_NTH_VALUE, TYPE_UNKNOWN, 2, 2},
};

#define WINDOW_CALL_ARGS_MAX 3

static const struct window_word *find_window(const char *name)
{
	for (size_t i = 0; i < sizeof(window_words) / sizeof(window_words[0]); i++)
		if (strcmp(window_words[i].name, name) == 0)
			return &window_words[i];
	return NULL;
}

bool is_window_name(const char *name)
{
	return find_window(name) != NULL;
}

static const struct ast_window *find_definition(
	struct level *level, const char *name, uint32_t count, int32_t location)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(level->select->windows[i]->name, name) == 0)
			return level->select->windows[i];
	bind_error(level->binder, location, "window \"%s\" does not exist", name);
	return NULL;
}

/*
 * The window with what it takes from the one that it extends. Entries of the WINDOW clause see
 * those before them: the first `count`.
 */
static int extend_window(struct level *level, const struct ast_window *window, uint32_t count,
	uint32_t depth, struct ast_window *out)
{
	struct binder *b = level->binder;
	const struct ast_window *definition;
	struct ast_window base;
	uint32_t before = 0;

	*out = *window;
	if (!window->base)
		return 0;
	if (depth >= SQL_NESTING_MAX)
		return bind_error(b, window->location, "windows extend each other too deeply");
	definition = find_definition(level, window->base, count, window->location);
	if (!definition)
		return -1;
	while (level->select->windows[before] != definition)
		before++;
	if (extend_window(level, definition, before, depth + 1, &base) < 0)
		return -1;
	if (window->partition_count)
		return bind_error(b, window->location,
			"cannot override PARTITION BY clause of window \"%s\"", window->base);
	if (window->sort_count && base.sort_count)
		return bind_error(b, window->location,
			"cannot override ORDER BY clause of window \"%s\"", window->base);
	if (base.frame)
		return bind_error(b, window->location,
			"cannot copy window \"%s\" because it has a frame clause", window->base);
	out->partition_count = base.partition_count;
	out->partition = base.partition;
	if (base.sort_count) {
		out->sort_count = base.sort_count;
		out->sort = base.sort;
	}
	return 0;
}

/* What OVER means: OVER w, OVER (w ...), or all of it spelled out. */
static int resolve_window(
	struct level *level, const struct ast_window *window, struct ast_window *out)
{
	uint32_t count = level->select->window_count, before = 0;
	const struct ast_window *definition;

	if (!window->name)
		return extend_window(level, window, count, 0, out);
	definition = find_definition(level, window->name, count, window->location);
	if (!definition)
		return -1;
	while (level->select->windows[before] != definition)
		before++;
	return extend_window(level, definition, before, 0, out);
}

static int bind_window_keys(
	struct level *level, const struct ast_window *window, struct level_window *note)
{
	struct binder *b = level->binder;

	note->partition_count = window->partition_count;
	note->sort_count = window->sort_count;
	note->partition =
		arena_alloc(b->arena, (window->partition_count + 1) * sizeof(struct expr *));
	note->sort = arena_alloc(b->arena, (window->sort_count + 1) * sizeof(struct expr *));
	note->sort_keys =
		arena_zalloc(b->arena, (window->sort_count + 1) * sizeof(*note->sort_keys));
	if (bind_exprs(level, CLAUSE_WINDOW, window->partition_count, window->partition,
		    note->partition) < 0)
		return -1;
	for (uint32_t i = 0; i < window->partition_count; i++) {
		note->partition[i] = coerce_known(b, note->partition[i]);
		if (!note->partition[i])
			return -1;
	}
	return bind_sort_keys(level, CLAUSE_WINDOW, window->sort_count, window->sort, note->sort,
		note->sort_keys);
}

/* Of an interval that moves a time of day, days and months do not count. */
static bool is_negative(const struct value *value, bool moves_time)
{
	switch (value->type.kind) {
	case TYPE_NUMERIC: return numeric_sign(value->num) < 0 || numeric_is_nan(value->num);
	case TYPE_REAL:
	case TYPE_DOUBLE: return !(value->f64 >= 0);
	case TYPE_INTERVAL:
		return moves_time ? value->interval.microseconds < 0
				  : interval_span(value->interval) < 0;
	default: return value->i64 < 0;
	}
}

static const char *mode_name(enum frame_mode mode)
{
	switch (mode) {
	case FRAME_ROWS: return "ROWS";
	case FRAME_RANGE: return "RANGE";
	case FRAME_GROUPS: return "GROUPS";
	}
	return "";
}

static bool takes_interval(enum type_kind kind)
{
	return kind == TYPE_DATE || kind == TYPE_TIME || kind == TYPE_TIMESTAMP;
}

/* The type that an offset of the frame takes. */
static int offset_type(struct binder *b, const struct level_window *note, const struct expr *offset,
	struct type *out)
{
	char key_name[TYPE_NAME_MAX], name[TYPE_NAME_MAX];
	struct type key;

	*out = type_of(TYPE_BIGINT);
	if (note->frame.mode != FRAME_RANGE) {
		if (type_converts_implicitly(offset->type.kind, TYPE_BIGINT))
			return 0;
		return bind_error(b, offset->location,
			"argument of %s must be type bigint, not type %s",
			mode_name(note->frame.mode), type_name(offset->type, name));
	}
	key = note->sort[0]->type;
	*out = type_of(takes_interval(key.kind) ? TYPE_INTERVAL : key.kind);
	if (!type_is_number(out->kind) && out->kind != TYPE_INTERVAL)
		return bind_error(b, offset->location,
			"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s",
			type_name(key, key_name));
	/* An int column takes a bigint, too. */
	if (type_converts_implicitly(offset->type.kind, out->kind) ||
		(type_is_integer(key.kind) && type_is_integer(offset->type.kind)))
		return 0;
	return bind_error(b, offset->location,
		"RANGE with offset PRECEDING/FOLLOWING is not supported for column type %s and "
		"offset type %s",
		type_name(key, key_name), type_name(offset->type, name));
}

/* `which` is "starting" or "ending". */
static int bind_offset(struct level *level, const struct level_window *note,
	const struct ast_expr *ast, const char *which, struct value *out)
{
	struct binder *b = level->binder;
	struct expr *offset = bind_expr(level, CLAUSE_WINDOW, ast);
	struct type type;
	bool negative;

	if (!offset)
		return -1;
	if (expr_reads_any(offset))
		return bind_error(b, ast->location, "argument of %s must not contain variables",
			mode_name(note->frame.mode));
	if (offset_type(b, note, offset, &type) < 0)
		return -1;
	offset = coerce(b, offset, type);
	if (!offset)
		return -1;
	if (offset->kind != EXPR_CONSTANT)
		return bind_error(b, ast->location,
			"the %s offset of a window frame must be a constant", which);
	if (offset->constant.is_null)
		return bind_error(b, ast->location, "frame %s offset must not be null", which);
	negative = is_negative(
		&offset->constant, note->sort_count > 0 && note->sort[0]->type.kind == TYPE_TIME);
	if (negative && note->frame.mode == FRAME_RANGE)
		return bind_error(
			b, ast->location, "invalid preceding or following size in window function");
	if (negative)
		return bind_error(b, ast->location, "frame %s offset must not be negative", which);
	*out = offset->constant;
	return 0;
}

static int bind_frame(
	struct level *level, const struct ast_window *window, struct level_window *note)
{
	struct binder *b = level->binder;
	const struct ast_frame *frame = window->frame;

	note->frame.mode = FRAME_RANGE;
	note->frame.start.kind = FRAME_UNBOUNDED_PRECEDING;
	note->frame.end.kind = FRAME_CURRENT_ROW;
	if (!frame)
		return 0;
	note->frame.mode = frame->mode;
	note->frame.start.kind = frame->start;
	note->frame.end.kind = frame->end;
	note->frame.exclude = frame->exclude;
	if (frame->mode == FRAME_GROUPS && window->sort_count == 0)
		return bind_error(b, window->location, "GROUPS mode requires an ORDER BY clause");
	if (frame->mode == FRAME_RANGE && (frame->start_offset || frame->end_offset) &&
		window->sort_count != 1)
		return bind_error(b, window->location,
			"RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY "
			"column");
	/* In UTC, whose days are all as long, moments are as far apart as the times that clocks show. */
	if (frame->mode == FRAME_RANGE && (frame->start_offset || frame->end_offset) &&
		note->sort[0]->type.kind == TYPE_TIMESTAMPTZ && b->zone.size == 0)
		note->sort[0] = zone_clock_time(b, note->sort[0], true);
	if (frame->start_offset && bind_offset(level, note, frame->start_offset, "starting",
					   &note->frame.start.offset) < 0)
		return -1;
	if (frame->end_offset &&
		bind_offset(level, note, frame->end_offset, "ending", &note->frame.end.offset) < 0)
		return -1;
	return 0;
}

static int check_window_place(struct binder *b, enum clause clause, const struct ast_expr *ast)
{
	if (!ast->call->window)
		return bind_error(
			b, ast->location, "window function %s requires an OVER clause", ast->text);
	if (clause == CLAUSE_WINDOW_ARGUMENT)
		return bind_error(b, ast->location, "window function calls cannot be nested");
	if (clause == CLAUSE_AGGREGATE)
		return bind_error(b, ast->location,
			"aggregate function calls cannot contain window function calls");
	if (clause != CLAUSE_SELECT && clause != CLAUSE_ORDER_BY)
		return bind_error(b, ast->location, "window functions are not allowed in %s",
			clause_name(clause));
	if (ast->call->within_group)
		return bind_error(b, ast->location,
			"%s with WITHIN GROUP is not supported as a window function", ast->text);
	if (ast->call->distinct)
		return bind_error(
			b, ast->location, "DISTINCT is not implemented for window functions");
	if (ast->call->sort_count)
		return bind_error(b, ast->location,
			"ORDER BY among the arguments is not implemented for window functions");
	return 0;
}

static int bind_window_aggregate(struct level *level, const struct ast_expr *ast,
	struct level_window *note, struct type *type)
{
	struct level_aggregate aggregate;

	if (bind_aggregate_call(level, CLAUSE_WINDOW_ARGUMENT, ast, &aggregate, type) < 0)
		return -1;
	if (aggregate_is_ordered(aggregate.id) && ast->call->within_group)
		return bind_error(level->binder, ast->location,
			"OVER is not supported for ordered-set aggregate %s", ast->text);
	note->function = WINDOW_AGGREGATE;
	note->aggregate = aggregate.id;
	note->args[WINDOW_ARG] = aggregate.arg;
	note->args[WINDOW_ARG2] = aggregate.arg2;
	note->args[WINDOW_ARG_FILTER] = aggregate.filter;
	return 0;
}

static bool is_one(const struct expr *expr)
{
	return expr->kind == EXPR_CONSTANT && !expr->constant.is_null && expr->constant.i64 == 1;
}

/* How far, or into how many: an int. One row away is what PLAN_NONE means already. */
static int bind_distance(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct expr *distance, struct level_window *note)
{
	if (!type_converts_implicitly(distance->type.kind, TYPE_INT)) {
		no_function(b, ast, count, args);
		return -1;
	}
	distance = coerce(b, distance, type_of(TYPE_INT));
	if (!distance)
		return -1;
	if (note->function == WINDOW_NTILE || !is_one(distance))
		note->args[WINDOW_ARG_OFFSET] = distance;
	return 0;
}

static int bind_window_function(struct level *level, const struct ast_expr *ast,
	struct level_window *note, struct type *type)
{
	const struct window_word *word = find_window(ast->text);
	struct expr *args[WINDOW_CALL_ARGS_MAX], *common[2];
	struct binder *b = level->binder;
	uint32_t count = ast->arg_count;

	if (ast->call->filter)
		return bind_error(b, ast->location,
			"FILTER is not implemented for non-aggregate window functions");
	if (ast->call->star || count < word->arg_min || count > word->arg_max) {
		if (word->arg_max == 0)
			return bind_error(b, ast->location, "%s takes no arguments", ast->text);
		return bind_error(b, ast->location, "%s takes %u%s argument%s", ast->text,
			word->arg_min, word->arg_max > word->arg_min ? " to 3" : "",
			word->arg_max > 1 ? "s" : "");
	}
	if (bind_exprs(level, CLAUSE_WINDOW_ARGUMENT, count, ast->args, args) < 0)
		return -1;
	note->function = word->function;
	*type = type_of(word->result);
	if (word->function == WINDOW_NTILE)
		return bind_distance(b, ast, count, args, args[0], note);
	if (count == 0)
		return 0;
	if (count > 1 && bind_distance(b, ast, count, args, args[1], note) < 0)
		return -1;
	common[0] = args[0];
	if (count > 2)
		common[1] = args[2];
	if (coerce_common(b, ast->text, count > 2 ? 2 : 1, common, type) < 0)
		return -1;
	note->args[WINDOW_ARG] = common[0];
	if (count > 2)
		note->args[WINDOW_ARG_FALLBACK] = common[1];
	return 0;
}

/* The same partitions and order; frames may differ. */
static bool same_window(const struct level_window *a, const struct level_window *b)
{
	if (a->partition_count != b->partition_count || a->sort_count != b->sort_count)
		return false;
	for (uint32_t i = 0; i < a->partition_count; i++)
		if (!expr_equal(a->partition[i], b->partition[i]))
			return false;
	return same_sort_keys(a->sort_count, a->sort, a->sort_keys, b->sort, b->sort_keys);
}

struct expr *bind_window(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_window note = {0};
	struct ast_window window;
	struct type type;
	int result;

	if (!is_window_name(ast->text) && !is_aggregate_name(ast->text)) {
		bind_error(b, ast->location, "%s is not supported as a window function", ast->text);
		return NULL;
	}
	if (is_window_name(ast->text) && !ast->call->window && ast->call->within_group)
		return bind_hypothetical(level, clause, ast);
	if (check_window_place(b, clause, ast) < 0)
		return NULL;
	if (is_window_name(ast->text))
		result = bind_window_function(level, ast, &note, &type);
	else
		result = bind_window_aggregate(level, ast, &note, &type);
	if (result < 0 || resolve_window(level, ast->call->window, &window) < 0 ||
		bind_window_keys(level, &window, &note) < 0 ||
		bind_frame(level, &window, &note) < 0)
		return NULL;
	note.output = binder_column(b, ast->text, type);
	level->windows =
		list_room(b->arena, level->windows, level->window_count, sizeof(*level->windows));
	level->windows[level->window_count++] = note;
	return binder_column_expr(b, note.output, ast->location);
}

/* The call with column ids for its arguments. */
static struct plan_window_call window_call(struct extender *extender,
	const struct level_window *window, const struct logical_window *node)
{
	static const char *const names[WINDOW_ARG_COUNT] = {
		"argument", "argument", "offset", "default", "filter"};
	struct type type = extender->binder->columns->list[window->output].type;
	struct plan_window_call call = {
		.function = window->function, .frame = window->frame, .type = type};
	uint32_t ids[WINDOW_ARG_COUNT];
	bool aggregate = window->function == WINDOW_AGGREGATE;

	for (uint32_t i = 0; i < WINDOW_ARG_COUNT; i++) {
		struct expr *arg = window->args[i];

		if (arg && i != WINDOW_ARG_FILTER)
			arg = guard_argument(
				extender->binder, window->args[WINDOW_ARG_FILTER], arg);
		ids[i] = arg ? extender_id(extender, arg,
				       constant_name(extender->binder, arg, names[i]))
			     : PLAN_NONE;
	}
	call.arg = aggregate ? PLAN_NONE : ids[WINDOW_ARG];
	call.offset = ids[WINDOW_ARG_OFFSET];
	call.fallback = ids[WINDOW_ARG_FALLBACK];
	call.aggregate = (struct plan_aggregate){
		.id = window->aggregate,
		.arg = aggregate ? ids[WINDOW_ARG] : PLAN_NONE,
		.arg2 = ids[WINDOW_ARG2],
		.filter = ids[WINDOW_ARG_FILTER],
		.arg_type = type_of(TYPE_BIGINT),
		.type = type,
	};
	if (aggregate && window->args[WINDOW_ARG])
		call.aggregate.arg_type = window->args[WINDOW_ARG]->type;
	/* Lists and texts come in the order of the window. */
	if (aggregate && aggregate_is_ordered(window->aggregate)) {
		call.aggregate.sort_count = node->sort_count;
		call.aggregate.sort = node->sort;
	}
	return call;
}

/* All functions that share the window of `first`, in one node. */
static void apply_window(struct level *level, struct level_window *first)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};
	struct logical *node = logical_new(b->arena, LOGICAL_WINDOW, 1);
	struct logical_window *window = &node->window;

	window->partition_count = first->partition_count;
	window->partition = arena_alloc(b->arena, (first->partition_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < first->partition_count; i++)
		window->partition[i] = extender_id(&extender, first->partition[i], "partition");
	window->sort_count = first->sort_count;
	window->sort = first->sort_keys;
	for (uint32_t i = 0; i < first->sort_count; i++)
		window->sort[i].column = extender_id(&extender, first->sort[i], "sort");
	window->calls = arena_zalloc(b->arena, level->window_count * sizeof(*window->calls));
	window->outputs = arena_alloc(b->arena, level->window_count * sizeof(uint32_t));
	for (uint32_t i = 0; i < level->window_count; i++) {
		struct level_window *other = &level->windows[i];

		if (other->placed || !same_window(first, other))
			continue;
		window->calls[window->call_count] = window_call(&extender, other, window);
		window->outputs[window->call_count++] = other->output;
		other->placed = true;
	}
	extender_apply(&extender, &level->tree);
	node->inputs[0] = level->tree;
	for (uint32_t i = 0; i < level->tree->column_count; i++)
		logical_add_column(b->arena, node, level->tree->columns[i]);
	for (uint32_t i = 0; i < window->call_count; i++)
		logical_add_column(b->arena, node, window->outputs[i]);
	level->tree = node;
}

void apply_windows(struct level *level)
{
	for (uint32_t i = 0; i < level->window_count; i++) {
		struct level_window *window = &level->windows[i];

		place_marks(level, window->partition_count, window->partition);
		place_marks(level, window->sort_count, window->sort);
		for (uint32_t j = 0; j < WINDOW_ARG_COUNT; j++)
			if (window->args[j])
				place_marks(level, 1, &window->args[j]);
	}
	for (uint32_t i = 0; i < level->window_count; i++)
		if (!level->windows[i].placed)
			apply_window(level, &level->windows[i]);
}
