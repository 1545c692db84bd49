/*
 * Hypothetical-set aggregates: where a row of these values would stand among those of the group.
 *
 * They are counts of the rows that would stand before it:
 *
 *   rank          count(before) + 1
 *   dense_rank    count(DISTINCT y, before) + 1; NULL is one more value, where it stands before
 *   percent_rank  count(before) / count(*), 0 over no rows
 *   cume_dist     (count(before, or equal) + 1) / (count(*) + 1)
 */
#include "sql/bind/bind_private.h"

#include <string.h>

/* The values, and what they are compared with. */
struct hypothesis {
	struct level *level;
	enum clause clause;
	const struct ast_expr *ast;
	uint32_t count;
	struct expr **values;
	struct expr **sort;
	struct plan_sort_key *keys;
	struct expr *filter; /* NULL when there is none */
};

static struct expr *is_null(struct binder *b, struct expr *expr)
{
	return make_node(b, EXPR_IS_NULL, 1, &expr, -1);
}

static struct expr *both(struct binder *b, struct expr *left, struct expr *right)
{
	struct expr *args[2] = {left, right};

	return make_node(b, EXPR_AND, 2, args, -1);
}

static struct expr *either(struct binder *b, struct expr *left, struct expr *right)
{
	struct expr *args[2] = {left, right};

	return make_node(b, EXPR_OR, 2, args, -1);
}

static struct expr * not(struct binder * b, struct expr *expr)
{
	return make_node(b, EXPR_NOT, 1, &expr, -1);
}

/* Whether a row's key stands before the value; never NULL. */
static struct expr *key_before(const struct hypothesis *h, uint32_t key)
{
	struct binder *b = h->level->binder;
	struct expr *value = h->values[key], *sort = h->sort[key], *less;
	bool nulls_first = h->keys[key].nulls_first;

	less = bind_comparison(b, h->keys[key].descending ? FN_GT : FN_LT,
		h->keys[key].descending ? ">" : "<", sort, value, h->ast->location);
	if (!less)
		return NULL;
	less = both(b, both(b, not(b, is_null(b, sort)), not(b, is_null(b, value))), less);
	if (nulls_first)
		return either(b, less, both(b, is_null(b, sort), not(b, is_null(b, value))));
	return either(b, less, both(b, not(b, is_null(b, sort)), is_null(b, value)));
}

/* Whether a row would stand before the values; `peers`: or beside them. */
static struct expr *row_before(const struct hypothesis *h, bool peers)
{
	struct binder *b = h->level->binder;
	struct expr *before = boolean(b, peers, false);

	for (uint32_t key = h->count; key-- > 0;) {
		struct expr *sides[2] = {h->sort[key], h->values[key]}, *less = key_before(h, key);

		if (!less)
			return NULL;
		before = either(b, less,
			both(b, make_call(b, FN_NOT_DISTINCT, type_of(TYPE_BOOL), 2, sides, -1),
				before));
	}
	return before;
}

/* An aggregate over the rows of the group for which `condition` holds, NULL: over all. */
static struct expr *aggregate_rows(const struct hypothesis *h, enum aggregate_id id,
	struct expr *arg, bool distinct, struct expr *condition)
{
	struct level_aggregate wanted = {.id = id, .arg = arg, .distinct = distinct};

	wanted.filter = h->filter;
	if (condition)
		wanted.filter =
			h->filter ? both(h->level->binder, h->filter, condition) : condition;
	return note_aggregate(
		h->level, &wanted, h->ast, type_of(id == AGG_BOOL_OR ? TYPE_BOOL : TYPE_BIGINT));
}

static struct expr *integer(struct binder *b, int64_t number)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = number};

	return expr_constant(b->arena, &value);
}

static struct expr *plus(struct binder *b, struct expr *left, struct expr *right)
{
	return bind_operator(b, "+", left, right, -1);
}

/* A share, as a double; 0 of none. */
static struct expr *share(struct binder *b, struct expr *part, struct expr *whole)
{
	struct type type = type_of(TYPE_DOUBLE);
	struct expr *none, *quotient;

	none = bind_comparison(b, FN_EQ, "=", whole, integer(b, 0), -1);
	part = coerce_explicit(b, part, type, -1);
	whole = coerce_explicit(b, whole, type, -1);
	if (!none || !part || !whole)
		return NULL;
	quotient = bind_operator(b, "/", part, whole, -1);
	return quotient ? make_choice(b, none, coerce(b, integer(b, 0), type), quotient) : NULL;
}

static struct expr *dense_rank(const struct hypothesis *h, struct expr *before)
{
	struct binder *b = h->level->binder;
	struct expr *values, *nulls;

	if (h->count > 1) {
		bind_error(b, h->ast->location,
			"dense_rank over several expressions is not supported");
		return NULL;
	}
	values = aggregate_rows(h, AGG_COUNT, h->sort[0], true, before);
	nulls = aggregate_rows(h, AGG_BOOL_OR, is_null(b, h->sort[0]), false, before);
	nulls = make_choice(b, nulls, integer(b, 1), integer(b, 0));
	return plus(b, plus(b, values, nulls), integer(b, 1));
}

static struct expr *bind_place(const struct hypothesis *h)
{
	struct binder *b = h->level->binder;
	const char *name = h->ast->text;
	struct expr *before = row_before(h, strcmp(name, "cume_dist") == 0), *rows;

	if (!before)
		return NULL;
	if (strcmp(name, "dense_rank") == 0)
		return dense_rank(h, before);
	rows = aggregate_rows(h, AGG_COUNT_STAR, NULL, false, before);
	if (strcmp(name, "rank") == 0)
		return plus(b, rows, integer(b, 1));
	if (strcmp(name, "percent_rank") == 0)
		return share(b, rows, aggregate_rows(h, AGG_COUNT_STAR, NULL, false, NULL));
	return share(b, plus(b, rows, integer(b, 1)),
		plus(b, aggregate_rows(h, AGG_COUNT_STAR, NULL, false, NULL), integer(b, 1)));
}

/* The values, of the types of the keys; they must be the same for all rows of a group. */
static int bind_values(struct hypothesis *h)
{
	struct binder *b = h->level->binder;

	for (uint32_t i = 0; i < h->count; i++) {
		struct expr *pair[2] = {bind_expr(h->level, CLAUSE_AGGREGATE, h->ast->args[i]),
			bind_expr(h->level, CLAUSE_AGGREGATE, h->ast->call->sort[i].expr)};
		struct type type;

		if (!pair[0] || !pair[1])
			return -1;
		if (expr_reads_any(pair[0]))
			return bind_error(b, h->ast->args[i]->location,
				"direct arguments of %s must be constants", h->ast->text);
		if (coerce_common(b, "WITHIN GROUP", 2, pair, &type) < 0)
			return -1;
		h->values[i] = pair[0];
		h->sort[i] = pair[1];
		h->keys[i] = (struct plan_sort_key){
			.descending = h->ast->call->sort[i].descending,
			.nulls_first = h->ast->call->sort[i].nulls_first,
		};
	}
	return 0;
}

struct expr *bind_hypothetical(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct hypothesis h = {
		.level = level, .clause = clause, .ast = ast, .count = ast->call->sort_count};

	if (strcmp(ast->text, "rank") != 0 && strcmp(ast->text, "dense_rank") != 0 &&
		strcmp(ast->text, "percent_rank") != 0 && strcmp(ast->text, "cume_dist") != 0) {
		bind_error(b, ast->location,
			"%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
			ast->text);
		return NULL;
	}
	if (ast->arg_count != h.count) {
		bind_error(b, ast->location,
			"%s needs as many direct arguments as ORDER BY expressions", ast->text);
		return NULL;
	}
	h.values = arena_alloc(b->arena, h.count * sizeof(struct expr *));
	h.sort = arena_alloc(b->arena, h.count * sizeof(struct expr *));
	h.keys = arena_alloc(b->arena, h.count * sizeof(*h.keys));
	if (check_aggregate_place(b, clause, ast) < 0 || bind_values(&h) < 0)
		return NULL;
	if (ast->call->filter) {
		h.filter = bind_condition(level, CLAUSE_FILTER, ast->call->filter);
		if (!h.filter)
			return NULL;
	}
	return bind_place(&h);
}
