#include "base/json_write.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

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

static void begin_value(struct json_writer *json, const char *key)
{
	if (json->comma)
		buf_append_char(json->out, ',');
	if (key)
		buf_printf(json->out, "\"%s\":", key);
	json->comma = true;
}

void json_open(struct json_writer *json, const char *key, char bracket)
{
	begin_value(json, key);
	buf_append_char(json->out, bracket);
	json->comma = false;
}

void json_close(struct json_writer *json, char bracket)
{
	buf_append_char(json->out, bracket);
	json->comma = true;
}

void json_put_text(struct json_writer *json, const char *key, const char *text)
{
	begin_value(json, key);
	json_append_string(json->out, text, strlen(text));
}

void json_put_u64(struct json_writer *json, const char *key, uint64_t number)
{
	begin_value(json, key);
	buf_printf(json->out, "%" PRIu64, number);
}

void json_put_bool(struct json_writer *json, const char *key, bool value)
{
	begin_value(json, key);
	buf_append_text(json->out, value ? "true" : "false");
}

void json_put_null(struct json_writer *json, const char *key)
{
	begin_value(json, key);
	buf_append_text(json->out, "null");
}

void json_put_raw(struct json_writer *json, const char *key, const char *text, size_t size)
{
	begin_value(json, key);
	buf_append(json->out, text, size);
}
