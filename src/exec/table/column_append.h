/* Rows of a batch, copied behind those that growing arrays hold already. */
#ifndef EXEC_COLUMN_APPEND_H
#define EXEC_COLUMN_APPEND_H

#include "column/column.h"

/*
 * Copies the `count` values rows[k] of `from` to to[at + k]; texts and lists go to the arena. `to` has heap
 * arrays with room for `capacity` rows. Its `valid` is made when the first NULL comes, on the heap as well.
 * Values of NULLs are zeros.
 */
void column_append(struct column *to, uint32_t capacity, uint32_t at, const struct column *from,
	const uint16_t *rows, uint32_t count, struct arena *arena);

#endif
