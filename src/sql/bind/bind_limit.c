/*
 * LIMIT, OFFSET and FETCH: constants, perhaps with a cast.
 */
#include "sql/bind/bind_private.h"

/* The value of an expression of constants; what it reads would have to be in no FROM. */
static int bind_count(struct binder *b, const struct ast_expr *ast, const char *what, uint64_t *out)
{
	struct level *level = arena_zalloc(b->arena, sizeof(*level));
	struct expr *expr;

	if (!ast)
		return 0;
	level->binder = b;
	level->clause = CLAUSE_LIMIT;
	expr = bind_expr(level, CLAUSE_LIMIT, ast);
	if (!expr)
		return -1;
	if (expr->type.kind != TYPE_UNKNOWN && !type_is_number(expr->type.kind))
		return bind_error(b, ast->location, "%s must be an integer constant", what);
	expr = coerce_explicit(b, expr, type_of(TYPE_BIGINT), ast->location);
	if (!expr)
		return -1;
	if (expr->kind != EXPR_CONSTANT)
		return bind_error(b, ast->location, "%s must be an integer constant", what);
	if (expr->constant.is_null)
		return 0;
	if (expr->constant.i64 < 0)
		return bind_error(b, ast->location, "%s must not be negative", what);
	*out = (uint64_t)expr->constant.i64;
	return 0;
}

/* LIMIT 0 asks for names and types: no row may be computed, and so none can fail. */
static void compute_nothing(struct binder *b, struct logical_query *query)
{
	struct value value = {.type = type_of(TYPE_BOOL), .boolean = false};
	struct expr **conjuncts = arena_alloc(b->arena, sizeof(*conjuncts));

	conjuncts[0] = expr_constant(b->arena, &value);
	query->tree = logical_filter_new(b->arena, query->tree, 1, conjuncts);
}

/* A column with what the window function says of every row, in the order of the query. */
static struct expr *number_rows(
	struct binder *b, struct logical *node, enum window_function function, const char *name)
{
	struct logical_window *window = &node->window;
	uint32_t id = binder_column(b, name, type_of(TYPE_BIGINT));

	window->calls[window->call_count] = (struct plan_window_call){
		.function = function,
		.arg = PLAN_NONE,
		.offset = PLAN_NONE,
		.fallback = PLAN_NONE,
		.aggregate = {.arg = PLAN_NONE, .arg2 = PLAN_NONE, .filter = PLAN_NONE},
		.type = type_of(TYPE_BIGINT),
	};
	window->outputs[window->call_count++] = id;
	return binder_column_expr(b, id, -1);
}

static struct expr *compare_number(
	struct binder *b, enum function_id function, struct expr *number, uint64_t bound)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = (int64_t)bound};
	struct expr *args[2] = {number, expr_constant(b->arena, &value)};

	return make_call(b, function, type_of(TYPE_BOOL), 2, args, -1);
}

/* The rows behind the offset whose rank is within the limit: those that tie with the last one are. */
static int limit_with_ties(
	struct binder *b, const struct ast_select *select, struct logical_query *out)
{
	uint64_t last = out->limit > INT64_MAX - out->offset ? INT64_MAX : out->limit + out->offset;
	struct logical *node = logical_new(b->arena, LOGICAL_WINDOW, 1);
	struct logical_filter filter = {0};
	struct expr *number, *rank;

	if (out->sort_count == 0)
		return bind_error(b, select->location,
			"WITH TIES cannot be specified without ORDER BY clause");
	if (out->limit == PLAN_LIMIT_NONE)
		return bind_error(b, select->location,
			"row count cannot be null in FETCH FIRST ... WITH TIES clause");
	node->inputs[0] = out->tree;
	node->window.sort_count = out->sort_count;
	node->window.sort = out->sort;
	node->window.calls = arena_zalloc(b->arena, 2 * sizeof(*node->window.calls));
	node->window.outputs = arena_alloc(b->arena, 2 * sizeof(uint32_t));
	number = number_rows(b, node, WINDOW_ROW_NUMBER, "row_number");
	rank = number_rows(b, node, WINDOW_RANK, "rank");
	logical_set_columns(b->arena, node);
	conjuncts_add(b->arena, &filter, compare_number(b, FN_GT, number, out->offset));
	conjuncts_add(b->arena, &filter, compare_number(b, FN_LE, rank, last));
	out->tree = logical_filter_new(b->arena, node, filter.count, filter.conjuncts);
	out->limit = PLAN_LIMIT_NONE;
	out->offset = 0;
	return 0;
}

int bind_limit(struct binder *b, const struct ast_select *select, struct logical_query *out)
{
	if (bind_count(b, select->limit, "LIMIT", &out->limit) < 0 ||
		bind_count(b, select->offset, "OFFSET", &out->offset) < 0)
		return -1;
	if (out->limit == 0)
		compute_nothing(b, out);
	else if (select->with_ties)
		return limit_with_ties(b, select, out);
	return 0;
}
