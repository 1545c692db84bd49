/*
 * Which of equal keys a group shows, so that it does not depend on which came first: the numeric
 * with the greatest scale, the interval of the least months and days, and the array that has such
 * elements.
 */
#ifndef EXEC_TABLE_GROUP_KEEP_H
#define EXEC_TABLE_GROUP_KEEP_H

#include "exec/table/group_table.h"
#include "exec/table/key_view.h"

/* rows[k] is the group of the batch's k-th selected row. Numerics only. */
void group_keep_scales(const struct group_table *table, const struct key_view *views,
	const struct batch *batch, uint8_t *const *rows);
void group_keep_shown(struct group_table *table, const struct key_view *views,
	const struct batch *batch, uint8_t *const *rows);

#endif
