/*
 * How many rows a node yields, guessed: good enough to tell a fact table from a handful of stores.
 *
 * A row here is 64 bytes of a table's files. So a table with few and huge rows counts as many, and
 * that is what the guess is for: the side of a join that is built is kept in memory and copied to
 * every node, and a side that is hashed travels, and both cost by the byte. The other side flows by
 * where it was read, whatever its width: 200 MB of credits stay where they are when 35 MB of
 * movies, of which a filter leaves a part, are built and brought to them.
 *
 * All rules stand here:
 *
 *   scan       a row for every 64 bytes of its files; a million when their size is unknown
 *   filter     5 % for every equality, IN, = ANY and @>; 25 % for a bound, so 6 % for a range, and
 *              for what is unknown; AND, OR and NOT by their parts
 *   group      10 % of its input, one row without keys
 *   top        its limit; per partition 1 % of its input, at most 1000 partitions
 *   unnest     three items a list
 *   join       with keys: every row of the larger table has its partner, of which the filters of
 *              both sides leave their shares. Without keys: all pairs. Outer joins and subqueries:
 *              at least the kept side
 *   union      the sum
 */
#include "sql/logical.h"

#define BYTES_PER_ROW	     64.0
#define ROWS_UNKNOWN	     1e6
#define EQUALITY_SELECTIVITY 0.05
#define OTHER_SELECTIVITY    0.25
#define MARK_SELECTIVITY     0.5
#define GROUP_SHARE	     0.1
#define TOP_SHARE	     0.01
#define TOP_PARTITIONS	     1000.0
#define ITEMS_PER_LIST	     3.0

/* `share`: the part of the table's rows that filters have left, from above 0 to 1. */
struct selectivity {
	double rows;
	double share;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double call_selectivity(const struct expr *expr)
{
	switch (expr->function) {
	case FN_EQ:
	case FN_NOT_DISTINCT:
	case FN_ANY_EQ:
	case FN_LIST_CONTAINS: return EQUALITY_SELECTIVITY;
	case FN_NE:
	case FN_DISTINCT: return 1 - EQUALITY_SELECTIVITY;
	default: return OTHER_SELECTIVITY;
	}
}

/* The part of the rows for which a condition is true. */
static double selectivity(const struct expr *expr)
{
	double part = expr->kind == EXPR_OR ? 0 : 1;

	switch (expr->kind) {
	case EXPR_AND:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			part *= selectivity(expr->args[i]);
		return part;
	case EXPR_OR:
		for (uint32_t i = 0; i < expr->arg_count; i++)
			part += selectivity(expr->args[i]);
		return least(part, 1);
	case EXPR_NOT: return most(1 - selectivity(expr->args[0]), EQUALITY_SELECTIVITY);
	case EXPR_IN:
	case EXPR_IS_NULL: return EQUALITY_SELECTIVITY;
	case EXPR_CALL: return call_selectivity(expr);
	case EXPR_COLUMN: return MARK_SELECTIVITY;
	case EXPR_CONSTANT: return 1;
	case EXPR_CAST:
	case EXPR_CASE:
	case EXPR_COALESCE: break;
	}
	return OTHER_SELECTIVITY;
}

static struct selectivity guess_filter(
	const struct logical_filter *filter, struct selectivity guess)
{
	for (uint32_t i = 0; i < filter->count; i++) {
		double part = selectivity(filter->conjuncts[i]);

		guess.rows *= part;
		guess.share *= part;
	}
	return guess;
}

static struct selectivity guess_top(const struct logical_top *top, struct selectivity guess)
{
	double rows = guess.rows;

	if (top->limit == PLAN_LIMIT_NONE)
		return guess;
	if (top->partition_count == 0)
		guess.rows = least(rows, (double)top->limit);
	else
		guess.rows = least(rows * TOP_SHARE, TOP_PARTITIONS * (double)top->limit);
	guess.share *= rows > 0 ? guess.rows / rows : 1;
	return guess;
}

static struct selectivity guess_join(
	const struct logical_join *join, struct selectivity flow, struct selectivity build)
{
	struct selectivity met = {flow.rows * build.rows, flow.share * build.share};

	if (join_yields_mark(join->kind) || join->kind == JOIN_SINGLE)
		return flow;
	if (join->key_count)
		met.rows = most(flow.rows / flow.share, build.rows / build.share) * met.share;
	if (join->kind == JOIN_INNER)
		return met;
	met.rows = most(met.rows, flow.rows);
	met.share = flow.share;
	if (join->kind == JOIN_FULL)
		met.rows = most(met.rows, build.rows);
	return met;
}

static struct selectivity guess_node(const struct logical *node, const struct catalog *catalog);

static struct selectivity guess_shared(struct logical_shared *shared, const struct catalog *catalog)
{
	struct selectivity guess = {shared->rows, shared->share};

	if (shared->rows == 0) {
		guess = guess_node(shared->tree, catalog);
		shared->rows = guess.rows;
		shared->share = guess.share;
	}
	return guess;
}

static struct selectivity guess_node(const struct logical *node, const struct catalog *catalog)
{
	struct selectivity guess = {1, 1}, sum = {0, 0};

	for (uint32_t i = 0; i < node->input_count; i++) {
		guess = guess_node(node->inputs[i], catalog);
		if (node->kind == LOGICAL_JOIN && i == 0)
			sum = guess;
		if (node->kind != LOGICAL_UNION)
			continue;
		sum.rows += guess.rows;
		sum.share += guess.rows / guess.share;
	}
	switch (node->kind) {
	case LOGICAL_SCAN:
		guess.rows = (double)catalog->tables[node->scan.table].bytes / BYTES_PER_ROW;
		if (guess.rows == 0)
			guess.rows = ROWS_UNKNOWN;
		break;
	case LOGICAL_REFERENCE: guess = guess_shared(node->reference.shared, catalog); break;
	case LOGICAL_FILTER: guess = guess_filter(&node->filter, guess); break;
	case LOGICAL_GROUP:
		guess.rows = node->group.key_count ? guess.rows * GROUP_SHARE : 1;
		break;
	case LOGICAL_TOP: guess = guess_top(&node->top, guess); break;
	case LOGICAL_JOIN: guess = guess_join(&node->join, sum, guess); break;
	case LOGICAL_UNNEST: guess.rows *= ITEMS_PER_LIST; break;
	case LOGICAL_UNION: guess = (struct selectivity){sum.rows, sum.rows / sum.share}; break;
	case LOGICAL_ONE_ROW:
	case LOGICAL_EXTEND:
	case LOGICAL_WINDOW: break;
	}
	/* Deep trees of filters must not leave the range of numbers. */
	guess.rows = least(most(guess.rows, 1), 1e18);
	guess.share = least(most(guess.share, 1e-9), 1);
	return guess;
}

double logical_estimate(const struct logical *node, const struct catalog *catalog)
{
	return guess_node(node, catalog).rows;
}

double logical_estimate_join(
	const struct logical *a, const struct logical *b, const struct catalog *catalog)
{
	struct logical_join join = {.kind = JOIN_INNER, .key_count = 1};
	struct selectivity met = guess_join(&join, guess_node(a, catalog), guess_node(b, catalog));

	return most(met.rows, 1);
}
