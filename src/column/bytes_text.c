#include "column/bytes_text.h"

#include "base/buf.h"

#include <string.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool hex_text_decode(struct text text, struct arena *arena, struct text *out)
{
	char *room = arena_alloc_bytes(arena, text.size / 2 + 1), *next = room;
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		int high, low;

		if (is_blank(*at)) {
			at++;
			continue;
		}
		high = hex_digit(*at++);
		low = at < end ? hex_digit(*at++) : -1;
		if (high < 0 || low < 0)
			return false;
		*next++ = (char)(high << 4 | low);
	}
	*out = text_from(room, (size_t)(next - room));
	return true;
}

static bool is_octal(char c, char most)
{
	return c >= '0' && c <= most;
}

bool bytea_parse(struct text text, struct arena *arena, struct text *out)
{
	const char *at = text.data, *end = at + text.size;
	char *room, *next;

	if (text.size >= 2 && at[0] == '\\' && at[1] == 'x')
		return hex_text_decode(text_from(at + 2, text.size - 2), arena, out);
	room = next = arena_alloc_bytes(arena, text.size + 1);
	while (at < end) {
		if (*at != '\\') {
			*next++ = *at++;
		} else if (end - at >= 2 && at[1] == '\\') {
			*next++ = '\\';
			at += 2;
		} else if (end - at >= 4 && is_octal(at[1], '3') && is_octal(at[2], '7') &&
			   is_octal(at[3], '7')) {
			*next++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			at += 4;
		} else {
			return false;
		}
	}
	*out = text_from(room, (size_t)(next - room));
	return true;
}

void hex_append(struct text bytes, struct buf *out)
{
	static const char digits[] = "0123456789abcdef";

	for (uint32_t i = 0; i < bytes.size; i++) {
		buf_append_char(out, digits[(uint8_t)bytes.data[i] >> 4]);
		buf_append_char(out, digits[bytes.data[i] & 15]);
	}
}

bool uuid_parse(struct text text, struct arena *arena, struct text *out)
{
	const char *at = text.data, *end = at + text.size;
	char *room = arena_alloc_bytes(arena, UUID_BYTES);
	bool braces = at < end && *at == '{';

	at += braces;
	for (unsigned i = 0; i < UUID_BYTES; i++) {
		int high = at < end ? hex_digit(at[0]) : -1;
		int low = end - at >= 2 ? hex_digit(at[1]) : -1;

		if (high < 0 || low < 0)
			return false;
		room[i] = (char)(high << 4 | low);
		at += 2;
		at += at < end && *at == '-' && i % 2 == 1 && i + 1 < UUID_BYTES;
	}
	if (braces && (at == end || *at++ != '}'))
		return false;
	*out = text_from(room, UUID_BYTES);
	return at == end;
}

void uuid_append(struct text bytes, struct buf *out)
{
	static const unsigned parts[] = {4, 2, 2, 2, 6};
	const char *at = bytes.data;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (i > 0)
			buf_append_char(out, '-');
		hex_append(text_from(at, parts[i]), out);
		at += parts[i];
	}
}
