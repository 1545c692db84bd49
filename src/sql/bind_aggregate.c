/*
 * What an expression asks for that no expression can do alone: aggregates, window functions and
 * IN (SELECT ...). Each is noted in the level under a column id of its own, and the expression goes
 * on with that column; bind_select.c puts the operators that yield them into the tree.
 */
#include "sql/bind_private.h"

#include <string.h>

struct aggregate_word {
	const char *name;
	enum aggregate_id id;
};

static const struct aggregate_word aggregate_words[] = {
	{"count", AGG_COUNT},
	{"sum", AGG_SUM},
	{"avg", AGG_AVG},
	{"min", AGG_MIN},
	{"max", AGG_MAX},
	{"bool_and", AGG_BOOL_AND},
	{"every", AGG_BOOL_AND},
	{"bool_or", AGG_BOOL_OR},
};

struct window_word {
	const char *name;
	enum window_function function;
};

static const struct window_word window_words[] = {
	{"row_number", WINDOW_ROW_NUMBER},
	{"rank", WINDOW_RANK},
	{"dense_rank", WINDOW_DENSE_RANK},
};

static const struct aggregate_word *find_aggregate(const char *name)
{
	for (size_t i = 0; i < sizeof(aggregate_words) / sizeof(aggregate_words[0]); i++)
		if (strcmp(aggregate_words[i].name, name) == 0)
			return &aggregate_words[i];
	return NULL;
}

static const struct window_word *find_window(const char *name)
{
	for (size_t i = 0; i < sizeof(window_words) / sizeof(window_words[0]); i++)
		if (strcmp(window_words[i].name, name) == 0)
			return &window_words[i];
	return NULL;
}

bool is_aggregate_name(const char *name)
{
	return find_aggregate(name) != NULL;
}

bool is_window_name(const char *name)
{
	return find_window(name) != NULL;
}

const char *clause_name(enum clause clause)
{
	switch (clause) {
	case CLAUSE_SELECT: return "SELECT";
	case CLAUSE_HAVING: return "HAVING";
	case CLAUSE_ORDER_BY: return "ORDER BY";
	case CLAUSE_WHERE: return "WHERE";
	case CLAUSE_ON: return "JOIN/ON";
	case CLAUSE_GROUP_BY: return "GROUP BY";
	case CLAUSE_VALUES: return "VALUES";
	case CLAUSE_AGGREGATE: return "an aggregate function";
	case CLAUSE_FILTER: return "FILTER";
	case CLAUSE_WINDOW: return "a window definition";
	}
	return "";
}

static int check_aggregate_place(struct binder *b, enum clause clause, const struct ast_expr *ast)
{
	switch (clause) {
	case CLAUSE_SELECT:
	case CLAUSE_HAVING:
	case CLAUSE_ORDER_BY:
	case CLAUSE_WINDOW: return 0;
	case CLAUSE_AGGREGATE:
		return bind_error(b, ast->location, "aggregate function calls cannot be nested");
	case CLAUSE_ON:
		return bind_error(
			b, ast->location, "aggregate functions are not allowed in JOIN conditions");
	default:
		return bind_error(b, ast->location, "aggregate functions are not allowed in %s",
			clause_name(clause));
	}
}

static bool same_expr(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	return expr_equal(a, b);
}

/* An equal aggregate is computed once. */
static struct expr *note_aggregate(struct level *level, const struct level_aggregate *wanted,
	const struct ast_expr *ast, struct type type)
{
	struct binder *b = level->binder;
	struct level_aggregate *note;

	for (uint32_t i = 0; i < level->aggregate_count; i++) {
		note = &level->aggregates[i];
		if (note->id == wanted->id && note->distinct == wanted->distinct &&
			same_expr(note->arg, wanted->arg) &&
			same_expr(note->filter, wanted->filter))
			return binder_column_expr(b, note->output, ast->location);
	}
	level->aggregates =
		list_room(b->arena, level->aggregates, level->aggregate_count, sizeof(*note));
	note = &level->aggregates[level->aggregate_count++];
	*note = *wanted;
	note->output = binder_column(b, ast->text, type);
	return binder_column_expr(b, note->output, ast->location);
}

static bool is_value(const struct expr *expr)
{
	return expr->kind == EXPR_CONSTANT && !expr->constant.is_null;
}

struct expr *bind_aggregate(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_aggregate wanted = {
		.id = find_aggregate(ast->text)->id,
		.distinct = ast->call->distinct,
	};
	struct type type;
	char name[TYPE_NAME_MAX];

	if (ast->call->window) {
		bind_error(b, ast->location, "%s as a window function is not supported", ast->text);
		return NULL;
	}
	if (check_aggregate_place(b, clause, ast) < 0)
		return NULL;
	if (ast->call->star ? wanted.id != AGG_COUNT : ast->arg_count != 1) {
		bind_error(b, ast->location, "%s takes one argument", ast->text);
		return NULL;
	}
	if (ast->call->filter) {
		wanted.filter = bind_condition(level, CLAUSE_FILTER, ast->call->filter);
		if (!wanted.filter)
			return NULL;
	}
	if (!ast->call->star) {
		wanted.arg = bind_expr(level, CLAUSE_AGGREGATE, ast->args[0]);
		wanted.arg = wanted.arg ? coerce_known(b, wanted.arg) : NULL;
		if (!wanted.arg)
			return NULL;
	}
	/* count(1) counts rows; MIN, MAX and the booleans do not care for duplicates. */
	if (wanted.id == AGG_COUNT && (!wanted.arg || (is_value(wanted.arg) && !wanted.distinct))) {
		wanted.id = AGG_COUNT_STAR;
		wanted.arg = NULL;
	}
	if (wanted.id >= AGG_MIN)
		wanted.distinct = false;
	/* Which of 1 mon and 30 days is added would depend on which came first. */
	if (wanted.distinct && wanted.id != AGG_COUNT && wanted.arg->type.kind == TYPE_INTERVAL) {
		bind_error(b, ast->location, "%s(DISTINCT ...) of intervals is not supported",
			ast->text);
		return NULL;
	}
	if (!aggregate_result_type(
		    wanted.id, wanted.arg ? wanted.arg->type : type_of(TYPE_BIGINT), &type)) {
		bind_error(b, ast->location, "function %s(%s) does not exist; try a cast",
			ast->text, type_name(wanted.arg->type, name));
		return NULL;
	}
	return note_aggregate(level, &wanted, ast, type);
}

/* OVER name: the WINDOW clause's entry. */
static const struct ast_window *find_named_window(
	struct level *level, const struct ast_window *window)
{
	if (!window->name)
		return window;
	for (uint32_t i = 0; i < level->select->window_count; i++)
		if (strcmp(level->select->windows[i]->name, window->name) == 0)
			return level->select->windows[i];
	bind_error(level->binder, window->location, "window \"%s\" does not exist", window->name);
	return NULL;
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
	for (uint32_t i = 0; i < window->sort_count; i++) {
		struct expr *expr = bind_expr(level, CLAUSE_WINDOW, window->sort[i].expr);

		note->sort[i] = expr ? coerce_known(b, expr) : NULL;
		if (!note->sort[i])
			return -1;
		note->sort_keys[i].descending = window->sort[i].descending;
		note->sort_keys[i].nulls_first = window->sort[i].nulls_first;
	}
	return 0;
}

struct expr *bind_window(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const struct window_word *word = find_window(ast->text);
	struct level_window note = {0};
	const struct ast_window *window;

	if (!word) {
		bind_error(b, ast->location, "%s is not supported as a window function", ast->text);
		return NULL;
	}
	if (!ast->call->window) {
		bind_error(
			b, ast->location, "window function %s requires an OVER clause", ast->text);
		return NULL;
	}
	if (clause != CLAUSE_SELECT && clause != CLAUSE_ORDER_BY) {
		bind_error(b, ast->location, "window functions are not allowed in %s",
			clause_name(clause));
		return NULL;
	}
	if (ast->arg_count || ast->call->star || ast->call->distinct || ast->call->filter) {
		bind_error(b, ast->location, "%s takes no arguments", ast->text);
		return NULL;
	}
	window = find_named_window(level, ast->call->window);
	if (!window || bind_window_keys(level, window, &note) < 0)
		return NULL;
	note.function = word->function;
	note.output = binder_column(b, ast->text, type_of(TYPE_BIGINT));
	level->windows =
		list_room(b->arena, level->windows, level->window_count, sizeof(*level->windows));
	level->windows[level->window_count++] = note;
	return binder_column_expr(b, note.output, ast->location);
}

/* Both sides of IN (SELECT ...) as their common type. */
static int match_mark_types(struct level *level, struct level_mark *mark, int32_t location)
{
	struct binder *b = level->binder;
	struct expr *column = binder_column_expr(b, mark->column, location);
	struct extender extender = {.binder = b};
	char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];
	struct type type;

	if (!type_common(mark->value->type, column->type, &type) || type.kind == TYPE_TEXT_LIST)
		return bind_error(b, location, "operator does not exist: %s = %s; try a cast",
			type_name(mark->value->type, left), type_name(column->type, right));
	if (type.kind == TYPE_UNKNOWN)
		type = type_of(TYPE_TEXT);
	mark->value = coerce(b, mark->value, type);
	column = mark->value ? coerce(b, column, type) : NULL;
	if (!column)
		return -1;
	mark->column = extender_id(&extender, column, b->columns->list[mark->column].name);
	extender_apply(&extender, &mark->tree);
	return 0;
}

struct expr *bind_in_select(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_mark mark = {0};
	struct bound_select select;

	if (clause == CLAUSE_ON) {
		bind_error(
			b, ast->location, "IN (SELECT ...) in a JOIN condition is not supported");
		return NULL;
	}
	mark.value = bind_expr(level, clause, ast->args[0]);
	if (!mark.value || bind_subselect(b, &level->scope, ast->select, &select) < 0)
		return NULL;
	if (select.output_count != 1) {
		bind_error(b, ast->location, "subquery has %s columns",
			select.output_count ? "too many" : "no");
		return NULL;
	}
	mark.tree = select.tree;
	mark.column = select.outputs[0].id;
	if (match_mark_types(level, &mark, ast->location) < 0)
		return NULL;
	mark.output = binder_column(b, "in_subquery", type_of(TYPE_BOOL));
	level->marks = list_room(b->arena, level->marks, level->mark_count, sizeof(*level->marks));
	level->marks[level->mark_count++] = mark;
	return binder_column_expr(b, mark.output, ast->location);
}
