/*
 * How many rows a node yields, guessed: estimate.c for nodes, selectivity.c for conditions.
 */
#ifndef SQL_REWRITE_ESTIMATE_H
#define SQL_REWRITE_ESTIMATE_H

#include "sql/logical.h"

struct estimate {
	double rows;
	double share;  /* of the rows of its tables that filters have left, from above 0 to 1 */
	double weight; /* of a row, in 64 bytes of text */
};

struct estimate logical_estimate(const struct logical *node, const struct catalog *catalog,
	const struct logical_columns *columns);
/* What it weighs, to be kept in memory or to be sent. */
double logical_weight(const struct logical *node, const struct catalog *catalog,
	const struct logical_columns *columns);

/* The keys of a join: how many values each has in the tables of a side, 0 when unknown. */
struct estimate_keys {
	uint32_t count;
	uint32_t unknown[2]; /* of them, by side */
	double distinct[2];  /* of all known ones together */
};

/* Adds a key to those of a join; `a` and `b` are its values on both sides. */
void estimate_add_key(struct estimate_keys *keys, double a, double b);
/* Of an inner join; without keys it is all pairs. */
struct estimate estimate_join(
	struct estimate a, struct estimate b, const struct estimate_keys *keys);

/* The share of rows of the first side that meet some of the second, `build`; 0 when unknown. */
double estimate_met(const struct estimate_keys *keys, struct estimate build);
/* The share of the rows for which a condition, or all of several, is true: above 0, up to 1. */
double estimate_condition(const struct expr *expr, const struct logical_columns *columns);
double estimate_conjuncts(const struct logical_filter *list, const struct logical_columns *columns);
/* The values of an expression in the tables that it comes from; 0 when unknown. */
double estimate_distinct(const struct expr *expr, const struct logical_columns *columns);

#endif
