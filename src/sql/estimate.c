/*
 * How many rows a node yields, guessed: good enough to tell a fact table from a handful of stores.
 * All rules stand here:
 *
 *   scan       a row for every 64 bytes of its files; a million when their size is unknown
 *   filter     5 % for every equality and IN, 25 % for every other conjunct
 *   group      10 % of its input, one row without keys
 *   top        its limit; per partition 1 % of its input, at most 1000 partitions
 *   join       the larger side with keys, all pairs without; the flowing side of IN (SELECT ...)
 *   union      the sum
 */
#include "sql/logical.h"

#define BYTES_PER_ROW	     64.0
#define ROWS_UNKNOWN	     1e6
#define EQUALITY_SELECTIVITY 0.05
#define OTHER_SELECTIVITY    0.25
#define GROUP_SHARE	     0.1
#define TOP_SHARE	     0.01
#define TOP_PARTITIONS	     1000.0

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static double estimate_filter(const struct logical_filter *filter, double rows)
{
	for (uint32_t i = 0; i < filter->count; i++) {
		const struct expr *expr = filter->conjuncts[i];
		bool equality = expr->kind == EXPR_IN ||
				(expr->kind == EXPR_CALL && expr->function == FN_EQ);

		rows *= equality ? EQUALITY_SELECTIVITY : OTHER_SELECTIVITY;
	}
	return rows;
}

static double estimate_top(const struct logical_top *top, double rows)
{
	if (top->limit == PLAN_LIMIT_NONE)
		return rows;
	if (top->partition_count == 0)
		return least(rows, (double)top->limit);
	return least(rows * TOP_SHARE, TOP_PARTITIONS * (double)top->limit);
}

static double estimate_join(const struct logical_join *join, double flow, double build)
{
	if (join->kind == JOIN_MARK)
		return flow;
	return join->key_count ? most(flow, build) : flow * build;
}

static double estimate_shared(struct logical_shared *shared, const struct catalog *catalog)
{
	if (shared->rows == 0)
		shared->rows = logical_estimate(shared->tree, catalog);
	return shared->rows;
}

double logical_estimate(const struct logical *node, const struct catalog *catalog)
{
	double rows = 0;

	for (uint32_t i = 0; i < node->input_count && node->kind != LOGICAL_JOIN; i++)
		rows += logical_estimate(node->inputs[i], catalog);
	switch (node->kind) {
	case LOGICAL_SCAN:
		rows = (double)catalog->tables[node->scan.table].bytes / BYTES_PER_ROW;
		if (rows == 0)
			rows = ROWS_UNKNOWN;
		break;
	case LOGICAL_ONE_ROW: break;
	case LOGICAL_REFERENCE: rows = estimate_shared(node->reference.shared, catalog); break;
	case LOGICAL_FILTER: rows = estimate_filter(&node->filter, rows); break;
	case LOGICAL_GROUP: rows = node->group.key_count ? rows * GROUP_SHARE : 1; break;
	case LOGICAL_TOP: rows = estimate_top(&node->top, rows); break;
	case LOGICAL_JOIN:
		rows = estimate_join(&node->join, logical_estimate(node->inputs[0], catalog),
			logical_estimate(node->inputs[1], catalog));
		break;
	case LOGICAL_EXTEND:
	case LOGICAL_WINDOW:
	case LOGICAL_UNION: break;
	}
	return most(rows, 1);
}
