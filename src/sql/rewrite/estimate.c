/*
 * How many rows a node yields, guessed: from statistics of its tables (column/statistics.h), or, where
 * there are none, well enough to tell a fact table from a handful of stores.
 *
 * The side of a join that is built is kept in memory and copied to every node, and a side that is hashed
 * travels, and both cost by the byte. So a row has a weight, by the text of its tables: 200 MB of
 * credits stay where they are when 35 MB of movies, of which a filter leaves a part, are built and
 * brought to them.
 *
 * All rules stand here:
 *
 *   scan       as its statistics say; otherwise a row for every 64 bytes of its files; a million when
 *              their size is unknown
 *   filter     selectivity.c
 *   group      as many as its keys have values, as far as there are rows for them; 10 % of its input
 *              when that is unknown; one row without keys
 *   top        its limit; per partition 1 % of its input, at most 1000 partitions
 *   unnest     three items a list
 *   join       by the side whose key has more values: each of them meets an equal part of the other
 *              side. When nothing is known of the keys every row of the larger table has its partner.
 *              Of several keys the values are those of their combinations, at most one per row.
 *              Without keys: all pairs. Outer joins and subqueries: at least the kept side
 *   union      the sum
 *   recursion  ten rounds, of as many rows as it starts with; a round is a thousand rows
 */
#include "sql/rewrite/estimate.h"

#include <math.h>

#define BYTES_PER_ROW  64.0
#define ROWS_UNKNOWN   1e6
#define GROUP_SHARE    0.1
#define TOP_SHARE      0.01
#define TOP_PARTITIONS 1000.0
#define ITEMS_PER_LIST 3.0
#define ROUNDS	       10.0
#define ROUND_ROWS     1000.0

/* What a value of a group weighs. */
#define VALUE_WEIGHT (16 / BYTES_PER_ROW)

struct estimator {
	const struct catalog *catalog;
	const struct logical_columns *columns;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

/* Different ones among so many rows, if there are so many values of which each is as likely. */
static double values_in(double rows, double distinct)
{
	return distinct * -expm1(-rows / distinct);
}

void estimate_add_key(struct estimate_keys *keys, double a, double b)
{
	double distinct[2] = {a, b};

	for (int side = 0; side < 2; side++) {
		if (keys->count == 0)
			keys->distinct[side] = 1;
		keys->unknown[side] += distinct[side] == 0;
		keys->distinct[side] *= distinct[side] == 0 ? 1 : distinct[side];
	}
	keys->count++;
}

struct estimate estimate_join(
	struct estimate a, struct estimate b, const struct estimate_keys *keys)
{
	struct estimate met = {a.rows * b.rows, a.share * b.share, a.weight + b.weight};
	double base[2] = {a.rows / a.share, b.rows / b.share}, values[2];
	bool known[2], unique[2];

	if (keys->count == 0)
		return met;
	for (int side = 0; side < 2; side++) {
		known[side] = keys->unknown[side] < keys->count;
		unique[side] = known[side] && keys->distinct[side] >= base[side];
		values[side] = least(keys->distinct[side], base[side]);
	}
	if (!known[0] && !known[1])
		met.rows /= least(base[0], base[1]);
	else if (!known[0] || !known[1])
		met.rows /= values[known[0] ? 0 : 1];
	else if (keys->count > 1 && unique[0] && unique[1])
		met.rows /= least(values[0], values[1]);
	else
		met.rows /= most(values[0], values[1]);
	return met;
}

double estimate_met(const struct estimate_keys *keys, struct estimate build)
{
	if (keys->count == 0 || keys->unknown[0] > 0 || keys->unknown[1] > 0)
		return 0;
	return least(values_in(build.rows, keys->distinct[1]) / keys->distinct[0], 1);
}

static struct estimate guess_top(const struct logical_top *top, struct estimate guess)
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

static double distinct_of(const struct estimator *e, uint32_t column)
{
	const struct column_statistics *statistics = e->columns->list[column].statistics;

	return statistics ? statistics->distinct : 0;
}

static struct estimate guess_join(const struct estimator *e, const struct logical_join *join,
	struct estimate flow, struct estimate build)
{
	struct estimate_keys keys = {0};
	struct estimate met;

	for (uint32_t i = 0; i < join->key_count; i++)
		estimate_add_key(
			&keys, distinct_of(e, join->keys[0][i]), distinct_of(e, join->keys[1][i]));
	if (join_yields_mark(join->kind))
		e->columns->list[join->mark].met = estimate_met(&keys, build);
	if (join_yields_mark(join->kind) || join->kind == JOIN_SINGLE)
		return flow;
	met = estimate_join(flow, build, &keys);
	if (join->kind == JOIN_INNER)
		return met;
	met.rows = most(met.rows, flow.rows);
	met.share = flow.share;
	if (join->kind == JOIN_FULL)
		met.rows = most(met.rows, build.rows);
	return met;
}

static struct estimate guess_group(
	const struct estimator *e, const struct logical_group *group, struct estimate guess)
{
	double distinct = 1;
	bool known = true;

	for (uint32_t i = 0; i < group->key_count; i++) {
		double values = distinct_of(e, group->keys[i]);

		known = known && values > 0;
		distinct *= values > 0 ? values : 1;
	}
	if (group->key_count == 0)
		guess.rows = 1;
	else if (known)
		guess.rows = values_in(guess.rows, distinct);
	else
		guess.rows = least(most(guess.rows * GROUP_SHARE, values_in(guess.rows, distinct)),
			guess.rows);
	guess.weight = VALUE_WEIGHT * (group->key_count + group->aggregate_count);
	return guess;
}

static struct estimate guess_scan(const struct table_schema *table)
{
	if (table->statistics)
		return (struct estimate){
			table->statistics->rows, 1, table->statistics->row_bytes / BYTES_PER_ROW};
	return (struct estimate){
		table->bytes ? (double)table->bytes / BYTES_PER_ROW : ROWS_UNKNOWN, 1, 1};
}

static struct estimate guess_node(const struct estimator *e, const struct logical *node);

static struct estimate guess_shared(const struct estimator *e, struct logical_shared *shared)
{
	struct estimate guess = {shared->rows, shared->share, shared->weight};

	if (shared->rows == 0) {
		guess = guess_node(e, shared->tree);
		shared->rows = guess.rows;
		shared->share = guess.share;
		shared->weight = guess.weight;
	}
	return guess;
}

/* The sum of the inputs; its rows weigh what they do on average. */
static struct estimate guess_union(const struct estimator *e, const struct logical *node)
{
	struct estimate sum = {0, 0, 0};

	for (uint32_t i = 0; i < node->input_count; i++) {
		struct estimate guess = guess_node(e, node->inputs[i]);

		sum.rows += guess.rows;
		sum.share += guess.rows / guess.share;
		sum.weight += guess.rows * guess.weight;
	}
	return (struct estimate){sum.rows, sum.rows / sum.share, sum.weight / sum.rows};
}

static struct estimate guess_node(const struct estimator *e, const struct logical *node)
{
	struct estimate guess = {1, 1, VALUE_WEIGHT}, flow = guess;
	double part;

	if (node->kind == LOGICAL_JOIN || node->kind == LOGICAL_RECURSION)
		flow = guess_node(e, node->inputs[0]);
	if (node->input_count > 0 && node->kind != LOGICAL_UNION && node->kind != LOGICAL_RECURSION)
		guess = guess_node(e, node->inputs[node->input_count - 1]);
	switch (node->kind) {
	case LOGICAL_SCAN: guess = guess_scan(&e->catalog->tables[node->scan.table]); break;
	case LOGICAL_REFERENCE: guess = guess_shared(e, node->reference.shared); break;
	case LOGICAL_FILTER:
		part = estimate_conjuncts(&node->filter, e->columns);
		guess.rows *= part;
		guess.share *= part;
		break;
	case LOGICAL_GROUP: guess = guess_group(e, &node->group, guess); break;
	case LOGICAL_TOP: guess = guess_top(&node->top, guess); break;
	case LOGICAL_JOIN: guess = guess_join(e, &node->join, flow, guess); break;
	case LOGICAL_UNNEST: guess.rows *= ITEMS_PER_LIST; break;
	case LOGICAL_UNION: guess = guess_union(e, node); break;
	case LOGICAL_RECURSION:
		guess = flow;
		guess.rows *= ROUNDS;
		break;
	case LOGICAL_ROUND: guess.rows = ROUND_ROWS; break;
	case LOGICAL_ONE_ROW:
	case LOGICAL_EXTEND:
	case LOGICAL_WINDOW: break;
	}
	/* Deep trees of filters must not leave the range of numbers. */
	guess.rows = least(most(guess.rows, 1), 1e18);
	guess.share = least(most(guess.share, 1e-9), 1);
	guess.weight = least(most(guess.weight, 1 / BYTES_PER_ROW), 1e9);
	return guess;
}

struct estimate logical_estimate(const struct logical *node, const struct catalog *catalog,
	const struct logical_columns *columns)
{
	struct estimator e = {catalog, columns};

	return guess_node(&e, node);
}

double logical_weight(const struct logical *node, const struct catalog *catalog,
	const struct logical_columns *columns)
{
	struct estimate guess = logical_estimate(node, catalog, columns);

	return guess.rows * guess.weight;
}
