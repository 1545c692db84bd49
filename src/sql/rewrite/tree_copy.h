#ifndef SQL_TREE_COPY_H
#define SQL_TREE_COPY_H

#include "sql/logical.h"

/* The same columns: only one of the two may become part of a query. */
struct logical *tree_copy(
	struct arena *arena, struct logical_columns *columns, const struct logical *tree);
/* With columns of its own: renamed[id] is that of column `id`. Counts the nodes. */
struct logical *tree_copy_renamed(struct arena *arena, struct logical_columns *columns,
	const struct logical *tree, uint32_t **renamed, uint32_t *nodes);

#endif
