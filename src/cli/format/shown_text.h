/* Text as a terminal may show it. */
#ifndef CLI_FORMAT_SHOWN_TEXT_H
#define CLI_FORMAT_SHOWN_TEXT_H

#include "base/buf.h"
#include "column/column.h"

/*
 * Appends text and returns the columns of the screen that it takes: control characters and bytes that are
 * not UTF-8 become escapes, so that data can neither break a box nor send commands.
 */
uint32_t shown_append(struct buf *out, const char *text, size_t size);
/* The same for a value; `null` stands for NULL. `scratch` is for its use. */
uint32_t shown_append_value(struct buf *out, const struct column *column, uint32_t row,
	const char *null, struct buf *scratch);
/*
 * Appends what fits into `width` columns of a text that shown_append made, which takes `whole`: with an
 * ellipsis where the rest would be. Returns the columns that it takes.
 */
uint32_t shown_append_cut(
	struct buf *out, const char *text, size_t size, uint32_t whole, uint32_t width);
void shown_append_repeated(struct buf *out, const char *text, uint32_t times);

#endif
