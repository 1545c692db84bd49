#include "base/json.h"

#include "base/utf8.h"

static void append_escaped(struct buf *out, char c)
{
	switch (c) {
	case '"': buf_append_text(out, "\\\""); break;
	case '\\': buf_append_text(out, "\\\\"); break;
	case '\b': buf_append_text(out, "\\b"); break;
	case '\f': buf_append_text(out, "\\f"); break;
	case '\n': buf_append_text(out, "\\n"); break;
	case '\r': buf_append_text(out, "\\r"); break;
	case '\t': buf_append_text(out, "\\t"); break;
	default: buf_printf(out, "\\u%04x", (unsigned char)c);
	}
}

void json_append_string(struct buf *out, const char *text, size_t size)
{
	size_t plain = 0; /* start of the bytes that go out as they are */
	size_t i = 0;

	buf_append_char(out, '"');
	while (i < size) {
		size_t length;
		uint32_t c = utf8_decode(text + i, size - i, &length);

		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f && c != UTF8_INVALID) {
			i += length;
			continue;
		}
		buf_append(out, text + plain, i - plain);
		if (c == UTF8_INVALID)
			buf_append_text(out, "\xef\xbf\xbd");
		else
			append_escaped(out, text[i]);
		i += length;
		plain = i;
	}
	if (size > plain)
		buf_append(out, text + plain, size - plain);
	buf_append_char(out, '"');
}
