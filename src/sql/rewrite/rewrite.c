#include "sql/rewrite/rewrite_private.h"

/* A filter that would grow larger than this stays above the columns it reads. */
#define PUSHED_SIZE_MAX 200

/* Takes the conjuncts apart: those that may go below a node, and those that stay above it. */
struct split {
	struct logical_filter below;
	struct logical_filter above;
};

static void split_add(struct rewriter *r, struct split *split, bool below, struct expr *conjunct)
{
	conjuncts_add(r->arena, below ? &split->below : &split->above, conjunct);
}

/* `node` over its rewritten input, with what stays above it. */
static struct logical *finish_split(
	struct rewriter *r, struct logical *node, const struct split *split)
{
	node->inputs[0] = rewrite_push(r, node->inputs[0], &split->below);
	return logical_filter_new(r->arena, node, split->above.count, split->above.conjuncts);
}

static struct logical *push_filter(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical_filter all = {0};

	for (uint32_t i = 0; i < node->filter.count; i++)
		conjuncts_add(r->arena, &all, node->filter.conjuncts[i]);
	for (uint32_t i = 0; i < conjuncts->count; i++)
		conjuncts_add(r->arena, &all, conjuncts->conjuncts[i]);
	return rewrite_push(r, node->inputs[0], &all);
}

static struct logical *push_extend(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	const struct logical_extend *extend = &node->extend;
	struct split split = {0};

	for (uint32_t i = 0; i < conjuncts->count; i++) {
		struct expr *conjunct = conjuncts->conjuncts[i];
		struct expr *below = expr_substitute(
			r->arena, conjunct, extend->count, extend->ids, extend->exprs);
		bool small = expr_size(below, PUSHED_SIZE_MAX + 1) <= PUSHED_SIZE_MAX ||
			     expr_equal(below, conjunct);

		split_add(r, &split, small, small ? below : conjunct);
	}
	return finish_split(r, node, &split);
}

/*
 * count(DISTINCT x), and nothing else over the groups: the distinct values first, which reducers
 * can share among them, then the groups.
 */
static void split_distinct(struct rewriter *r, struct logical *node)
{
	struct logical_group *group = &node->group, values = {0};
	uint32_t arg = group->aggregate_count ? group->aggregates[0].arg : PLAN_NONE;
	bool is_key = false;

	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		if (!aggregate->distinct || aggregate->arg != arg || aggregate->arg2 != PLAN_NONE ||
			aggregate->filter != PLAN_NONE || aggregate_is_ordered(aggregate->id))
			return;
	}
	if (group->aggregate_count == 0)
		return;
	values.keys = arena_alloc(r->arena, (group->key_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < group->key_count; i++) {
		values.keys[values.key_count++] = group->keys[i];
		is_key = is_key || group->keys[i] == arg;
	}
	if (!is_key)
		values.keys[values.key_count++] = arg;
	for (uint32_t i = 0; i < group->aggregate_count; i++)
		group->aggregates[i].distinct = false;
	node->inputs[0] = logical_group_new(r->arena, node->inputs[0], &values);
}

static bool is_distinct(const struct logical *node)
{
	return node->kind == LOGICAL_GROUP && node->group.aggregate_count == 0;
}

/* a UNION b UNION c: only the last of them has to remove duplicates. */
static void drop_inner_distinct(struct logical *node)
{
	struct logical *input = node->inputs[0];

	if (!is_distinct(node) || input->kind != LOGICAL_UNION)
		return;
	for (uint32_t i = 0; i < input->input_count; i++)
		while (is_distinct(input->inputs[i]) && input->inputs[i]->group.key_count)
			input->inputs[i] = input->inputs[i]->inputs[0];
}

static struct logical *push_group(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	const struct logical_group *group = &node->group;
	struct split split = {0};
	struct logical *result;

	/* Without keys there is a row even over no input: nothing may go below. */
	for (uint32_t i = 0; i < conjuncts->count; i++)
		split_add(r, &split,
			group->key_count && expr_reads_only(conjuncts->conjuncts[i],
						    group->key_count, group->keys),
			conjuncts->conjuncts[i]);
	drop_inner_distinct(node);
	result = finish_split(r, node, &split);
	split_distinct(r, node);
	return result;
}

/* The column and the constant of "column <op> constant", turned round if need be. */
static bool match_bound(
	const struct expr *expr, enum function_id *function, uint32_t *column, int64_t *bound)
{
	const struct expr *left, *right;

	if (expr->kind != EXPR_CALL || expr->function < FN_EQ || expr->function > FN_GE)
		return false;
	left = expr->args[0];
	right = expr->args[1];
	*function = expr->function;
	if (left->kind == EXPR_CONSTANT && right->kind == EXPR_COLUMN) {
		const struct expr *swapped = left;

		left = right;
		right = swapped;
		if (*function == FN_GE)
			*function = FN_LE;
		else if (*function == FN_GT)
			*function = FN_LT;
		else if (*function != FN_EQ)
			return false;
	}
	if (left->kind != EXPR_COLUMN || right->kind != EXPR_CONSTANT || right->constant.is_null ||
		right->type.kind != TYPE_BIGINT)
		return false;
	*column = left->column;
	*bound = right->constant.i64;
	return true;
}

/* The greatest row_number that the filter lets through; false when it sets no such bound. */
static bool row_number_bound(
	const struct logical_window *window, const struct logical_filter *filter, int64_t *out)
{
	bool found = false;

	for (uint32_t i = 0; i < filter->count; i++) {
		enum function_id function;
		int64_t bound;
		uint32_t column;

		if (!match_bound(filter->conjuncts[i], &function, &column, &bound))
			continue;
		if (function == FN_LT && bound > INT64_MIN)
			bound--;
		else if (function != FN_EQ && function != FN_LE)
			continue;
		for (uint32_t j = 0; j < window->call_count; j++) {
			if (window->outputs[j] != column ||
				window->calls[j].function != WINDOW_ROW_NUMBER)
				continue;
			if (!found || bound < *out)
				*out = bound;
			found = true;
		}
	}
	return found;
}

/*
 * row_number() ... <= k: no row that is not among the first k of its partition can pass. Whoever
 * makes the rows may drop the others before they travel. The window and the filter stay, because a
 * producer sees only its own share.
 */
static void add_prefilter(
	struct rewriter *r, struct logical *node, const struct logical_filter *filter)
{
	const struct logical_window *window = &node->window;
	struct logical_top top;
	int64_t bound = 0;

	if (!row_number_bound(window, filter, &bound))
		return;
	/* What looks at rows behind its own would miss those that are dropped. */
	for (uint32_t i = 0; i < window->call_count; i++)
		if (window->calls[i].function > WINDOW_DENSE_RANK)
			return;
	top = (struct logical_top){
		.partition_count = window->partition_count,
		.partition = window->partition,
		.sort_count = window->sort_count,
		.sort = window->sort,
		.limit = bound > 1 ? (uint64_t)bound : 1,
		.prefilter = true,
	};
	node->inputs[0] = logical_top_new(r->arena, node->inputs[0], &top);
}

static struct logical *push_window(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	const struct logical_window *window = &node->window;
	struct split split = {0};
	struct logical *result;

	for (uint32_t i = 0; i < conjuncts->count; i++)
		split_add(r, &split,
			window->partition_count &&
				expr_reads_only(conjuncts->conjuncts[i], window->partition_count,
					window->partition),
			conjuncts->conjuncts[i]);
	result = finish_split(r, node, &split);
	add_prefilter(r, node, &split.above);
	return result;
}

static uint64_t rows_wanted(uint64_t limit, uint64_t offset)
{
	return limit > PLAN_LIMIT_NONE - offset ? PLAN_LIMIT_NONE : limit + offset;
}

/*
 * Nobody wants more than so many rows of the tree, whichever: a recursion in it, which may go on for ever, need not make
 * more. The rows of every branch count, so none of them need make more, and neither need the term of a UNION ALL: if it
 * stops short the recursion has enough.
 */
static void limit_recursion(struct logical *node, uint64_t wanted)
{
	while (node->kind == LOGICAL_EXTEND ||
		(node->kind == LOGICAL_REFERENCE && node->reference.shared->references == 1))
		node = node->kind == LOGICAL_EXTEND ? node->inputs[0]
						    : node->reference.shared->tree;
	for (uint32_t i = 0; i < node->input_count && node->kind == LOGICAL_UNION; i++)
		limit_recursion(node->inputs[i], wanted);
	if (node->kind != LOGICAL_RECURSION || node->recursion.wanted <= wanted)
		return;
	node->recursion.wanted = wanted;
	if (!node->recursion.distinct)
		limit_recursion(node->inputs[1], wanted);
}

static struct logical *push_top(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	const struct logical_top *top = &node->top;
	struct split split = {0};

	if (top->partition_count == 0 && top->sort_count == 0)
		limit_recursion(node->inputs[0], rows_wanted(top->limit, top->offset));
	for (uint32_t i = 0; i < conjuncts->count; i++)
		split_add(r, &split,
			top->partition_count && expr_reads_only(conjuncts->conjuncts[i],
							top->partition_count, top->partition),
			conjuncts->conjuncts[i]);
	return finish_split(r, node, &split);
}

/* A union among the inputs gives its own inputs instead. */
static void flatten_union(struct rewriter *r, struct logical *node)
{
	uint32_t count = 0;
	struct logical **inputs;
	uint32_t **ids;

	for (uint32_t i = 0; i < node->input_count; i++) {
		struct logical *input = node->inputs[i];

		if (input->kind == LOGICAL_UNION)
			flatten_union(r, input);
		count += input->kind == LOGICAL_UNION ? input->input_count : 1;
	}
	if (count == node->input_count)
		return;
	inputs = arena_alloc(r->arena, count * sizeof(struct logical *));
	ids = arena_alloc(r->arena, count * sizeof(uint32_t *));
	count = 0;
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct logical *input = node->inputs[i];

		if (input->kind != LOGICAL_UNION) {
			inputs[count] = input;
			ids[count++] = node->united.ids[i];
			continue;
		}
		for (uint32_t k = 0; k < input->input_count; k++) {
			inputs[count] = input->inputs[k];
			ids[count] =
				arena_alloc(r->arena, (node->column_count + 1) * sizeof(uint32_t));
			for (uint32_t j = 0; j < node->column_count; j++)
				for (uint32_t c = 0; c < input->column_count; c++)
					if (input->columns[c] == node->united.ids[i][j])
						ids[count][j] = input->united.ids[k][c];
			count++;
		}
	}
	node->input_count = count;
	node->inputs = inputs;
	node->united.ids = ids;
}

static struct logical *push_join(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical *other;

	rewrite_simplify_join(r, node, conjuncts);
	if (node->join.kind == JOIN_INNER)
		return rewrite_inner_joins(r, node, conjuncts);
	other = rewrite_missing(r, node, conjuncts);
	if (!other)
		other = rewrite_sink(r, node, conjuncts);
	return other ? other : rewrite_outer_join(r, node, conjuncts);
}

static struct logical *push_union(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct expr **columns =
		arena_alloc(r->arena, (node->column_count + 1) * sizeof(struct expr *));

	flatten_union(r, node);
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct logical_filter below = {0};

		for (uint32_t j = 0; j < node->column_count; j++)
			columns[j] = expr_column(r->arena, node->united.ids[i][j],
				r->columns->list[node->columns[j]].type);
		for (uint32_t k = 0; k < conjuncts->count; k++)
			conjuncts_add(r->arena, &below,
				expr_substitute(r->arena, conjuncts->conjuncts[k],
					node->column_count, node->columns, columns));
		node->inputs[i] = rewrite_push(r, node->inputs[i], &below);
	}
	return node;
}

/* What only one place reads is not shared after all. */
static struct logical *push_reference(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	struct logical_shared *shared = node->reference.shared;
	struct logical_filter none = {0};

	if (shared->references == 1)
		return rewrite_push(r, shared->tree, conjuncts);
	if (!shared->rewritten)
		shared->tree = rewrite_push(r, shared->tree, &none);
	shared->rewritten = true;
	return logical_filter_new(r->arena, node, conjuncts->count, conjuncts->conjuncts);
}

/* A row that a filter above does not want may be what others are made of: nothing goes below. */
static void rewrite_recursion(struct rewriter *r, struct logical *node)
{
	struct logical_filter none = {0};

	for (uint32_t i = 0; i < 2; i++)
		node->inputs[i] = rewrite_push(r, node->inputs[i], &none);
}

struct logical *rewrite_push(
	struct rewriter *r, struct logical *node, const struct logical_filter *conjuncts)
{
	switch (node->kind) {
	case LOGICAL_FILTER: return push_filter(r, node, conjuncts);
	case LOGICAL_EXTEND: return push_extend(r, node, conjuncts);
	case LOGICAL_GROUP: return push_group(r, node, conjuncts);
	case LOGICAL_WINDOW: return push_window(r, node, conjuncts);
	case LOGICAL_TOP: return push_top(r, node, conjuncts);
	case LOGICAL_UNION: return push_union(r, node, conjuncts);
	case LOGICAL_UNNEST:
		if (node->inputs[0]->kind == LOGICAL_ONE_ROW)
			break;
		return rewrite_inner_joins(r, node, conjuncts);
	case LOGICAL_REFERENCE: return push_reference(r, node, conjuncts);
	case LOGICAL_RECURSION: rewrite_recursion(r, node); break;
	case LOGICAL_JOIN: return push_join(r, node, conjuncts);
	case LOGICAL_SCAN:
	case LOGICAL_ROUND:
	case LOGICAL_ONE_ROW: break;
	}
	return logical_filter_new(r->arena, node, conjuncts->count, conjuncts->conjuncts);
}

void rewrite_query(struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns, struct arena *arena)
{
	struct rewriter r = {.arena = arena, .catalog = catalog, .columns = columns};
	struct logical_filter none = {0};

	rewrite_factor(&r, query->tree);
	for (uint32_t i = 0; i < query->shared_count; i++)
		rewrite_factor(&r, query->shared[i]->tree);
	if (query->sort_count == 0)
		limit_recursion(query->tree, rows_wanted(query->limit, query->offset));
	query->tree = rewrite_push(&r, query->tree, &none);
}
