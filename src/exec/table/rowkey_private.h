/* What the files of row keys share. */
#ifndef EXEC_ROWKEY_PRIVATE_H
#define EXEC_ROWKEY_PRIVATE_H

#include "exec/table/rowkey.h"

/* Behind a numeric of an exact field. */
#define NUMERIC_SCALE_SIZE 2

/* Bytes that a value may need beyond those of any plain one. */
size_t rowkey_long_size(numeric n);
uint8_t *rowkey_put_numeric(uint8_t *out, numeric n, bool exact);
const uint8_t *rowkey_skip_numeric(const uint8_t *in, uint8_t flip, bool exact);
/* Of an exact field. */
const uint8_t *rowkey_get_numeric(
	const uint8_t *in, uint8_t flip, struct arena *arena, numeric *out);
/* floor(n * 10^4), within 64 bits. */
int64_t rowkey_abbreviate_numeric(numeric n);

#endif
