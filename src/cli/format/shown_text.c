#include "cli/format/shown_text.h"

#include "base/utf8.h"
#include "cli/format/format.h"

#include <string.h>
#include <wchar.h>

static uint32_t character_width(uint32_t c)
{
	int columns = c < 0x7f ? 1 : wcwidth((wchar_t)c);

	return columns < 0 ? 1 : (uint32_t)columns;
}

uint32_t shown_append(struct buf *out, const char *text, size_t size)
{
	uint32_t width = 0;

	for (size_t i = 0; i < size;) {
		size_t length, before = out->size;
		uint32_t c = utf8_decode(text + i, size - i, &length);

		if (c == '\n' || c == '\t' || c == '\r') {
			buf_printf(out, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
			width += 2;
		} else if (c == UTF8_INVALID || c < 0x20 || (c >= 0x7f && c < 0xa0)) {
			buf_printf(out, "\\x%02x",
				c == UTF8_INVALID ? (unsigned char)text[i] : (unsigned)c);
			width += (uint32_t)(out->size - before);
		} else {
			buf_append(out, text + i, length);
			width += character_width(c);
		}
		i += length;
	}
	return width;
}

uint32_t shown_append_value(struct buf *out, const struct column *column, uint32_t row,
	const char *null, struct buf *scratch)
{
	struct value value;

	if (column_is_null(column, row))
		return shown_append(out, null, strlen(null));
	value = column_value(column, row);
	buf_clear(scratch);
	format_value(&value, scratch);
	return shown_append(out, scratch->data, scratch->size);
}

uint32_t shown_append_cut(
	struct buf *out, const char *text, size_t size, uint32_t whole, uint32_t width)
{
	uint32_t used = 0;
	size_t at = 0;

	if (whole <= width) {
		buf_append(out, text, size);
		return whole;
	}
	while (at < size) {
		size_t length;
		uint32_t columns = character_width(utf8_decode(text + at, size - at, &length));

		if (used + columns + 1 > width)
			break;
		used += columns;
		at += length;
	}
	buf_append(out, text, at);
	buf_append_text(out, "…");
	return used + 1;
}

void shown_append_repeated(struct buf *out, const char *text, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++)
		buf_append_text(out, text);
}
