/*
 * Better trees with the same meaning.
 */
#ifndef SQL_REWRITE_H
#define SQL_REWRITE_H

#include "sql/logical.h"

/*
 * Marks in wanted[table], an array per table that is made when it is needed, the columns by whose values
 * the query's joins are ordered; none when it has no join.
 */
void statistics_want(const struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns, bool **wanted, struct arena *arena);
/* Completes the tables of the catalog with what it can find out about those columns. */
void statistics_gather(const struct catalog *catalog, bool *const *wanted);
/* Gives the columns of a query the statistics of where they come from. */
void statistics_link(const struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns);

/*
 * Pushes filters down to the scans, orders inner joins and chooses what to build, finds top-N
 * behind row_number(), splits count(DISTINCT).
 */
void rewrite_query(struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns, struct arena *arena);

/* Drops every column that nobody above needs. The last step: `columns` are exact afterwards. */
void prune_query(
	struct logical_query *query, const struct logical_columns *columns, struct arena *arena);

/* What to tell of a join of all pairs that may never end; NULL when there is none. After pruning. */
const char *product_warning(const struct logical_query *query, const struct catalog *catalog,
	const struct logical_columns *columns, struct arena *arena);

#endif
