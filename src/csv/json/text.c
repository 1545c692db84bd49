#include "csv/json/text.h"

#include <stdint.h>
#include <string.h>

void json_skip_blanks(struct json_cursor *cursor)
{
	while (cursor->at < cursor->end &&
		(*cursor->at == ' ' || *cursor->at == '\t' || *cursor->at == '\r'))
		cursor->at++;
}

bool json_take(struct json_cursor *cursor, char c)
{
	json_skip_blanks(cursor);
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

/* -- Strings -- */

/* Four hexadecimal digits; -1 when they are none. */
static int32_t hex4(const char *at, const char *end)
{
	int32_t value = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = at[i];

		if (c >= '0' && c <= '9')
			value = 16 * value + (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = 16 * value + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

/*
 * The character behind \u, whose digits begin at `at`: the bytes that it takes, with those of a
 * second half behind it. 0 for half of a pair, for what is no number, and for NUL, which no text holds.
 */
static size_t unicode_escape(const char *at, const char *end, uint32_t *out)
{
	int32_t first = hex4(at, end), second;

	if (first <= 0 || (first >= 0xdc00 && first < 0xe000))
		return 0;
	*out = (uint32_t)first;
	if (first < 0xd800 || first >= 0xe000)
		return 4;
	if (end - at < 10 || at[4] != '\\' || at[5] != 'u')
		return 0;
	second = hex4(at + 6, end);
	if (second < 0xdc00 || second >= 0xe000)
		return 0;
	*out = 0x10000 + (((uint32_t)first - 0xd800) << 10) + ((uint32_t)second - 0xdc00);
	return 10;
}

/* The length of what follows a backslash; 0 when that is no escape. */
static size_t escape_length(const char *at, const char *end)
{
	uint32_t character;
	size_t digits;

	if (at == end)
		return 0;
	if (*at != 'u')
		return strchr("\"\\/bfnrt", *at) && *at ? 1 : 0;
	digits = unicode_escape(at + 1, end, &character);
	return digits ? 1 + digits : 0;
}

bool json_take_string(struct json_cursor *cursor, struct json_slice *out)
{
	const char *at;

	if (!json_take(cursor, '"'))
		return false;
	at = cursor->at;
	*out = (struct json_slice){.kind = JSON_TEXT_STRING, .data = at};
	for (; at < cursor->end && *at != '"'; at++) {
		size_t length;

		if ((uint8_t)*at < 0x20)
			return false;
		if (*at != '\\')
			continue;
		length = escape_length(at + 1, cursor->end);
		if (length == 0)
			return false;
		out->escaped = true;
		at += length;
	}
	if (at >= cursor->end)
		return false;
	out->size = (size_t)(at - out->data);
	cursor->at = at + 1;
	return true;
}

static void append_utf8(struct buf *out, uint32_t c)
{
	if (c < 0x80) {
		buf_append_char(out, (char)c);
		return;
	}
	if (c < 0x800) {
		buf_append_char(out, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf_append_char(out, (char)(0xe0 | c >> 12));
		} else {
			buf_append_char(out, (char)(0xf0 | c >> 18));
			buf_append_char(out, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf_append_char(out, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf_append_char(out, (char)(0x80 | (c & 0x3f)));
}

static void append_doubled(struct buf *out, char c, char quote)
{
	if (c == quote && quote)
		buf_append_char(out, c);
	buf_append_char(out, c);
}

void json_unescape(const struct json_slice *string, char quote, struct buf *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = string->data, *end = at + string->size;

	if (!string->escaped && !(quote && memchr(at, quote, string->size))) {
		buf_append(out, at, string->size);
		return;
	}
	for (; at < end; at++) {
		uint32_t character = 0;

		if (*at != '\\' || !string->escaped) {
			append_doubled(out, *at, quote);
			continue;
		}
		at++;
		if (*at != 'u') {
			append_doubled(out, to[strchr(from, *at) - from], quote);
			continue;
		}
		at += unicode_escape(at + 1, end, &character);
		if (character < 0x80)
			append_doubled(out, (char)character, quote);
		else
			append_utf8(out, character);
	}
}

/* -- Values -- */

static void skip_digits(struct json_cursor *cursor)
{
	while (cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9')
		cursor->at++;
}

static bool take_digits(struct json_cursor *cursor)
{
	const char *start = cursor->at;

	skip_digits(cursor);
	return cursor->at > start;
}

static bool next_is(const struct json_cursor *cursor, char c)
{
	return cursor->at < cursor->end && *cursor->at == c;
}

static bool take_number(struct json_cursor *cursor)
{
	const char *digits;

	cursor->at += next_is(cursor, '-');
	digits = cursor->at;
	if (!take_digits(cursor) || (*digits == '0' && cursor->at - digits > 1))
		return false;
	if (next_is(cursor, '.')) {
		cursor->at++;
		if (!take_digits(cursor))
			return false;
	}
	if (next_is(cursor, 'e') || next_is(cursor, 'E')) {
		cursor->at++;
		cursor->at += next_is(cursor, '-') || next_is(cursor, '+');
		return take_digits(cursor);
	}
	return true;
}

static bool take_word(struct json_cursor *cursor, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(cursor->end - cursor->at) < size || memcmp(cursor->at, word, size) != 0)
		return false;
	cursor->at += size;
	return true;
}

static bool take_value(struct json_cursor *cursor, uint32_t depth, struct json_slice *out);

/* The items of an array, or the members of an object, behind what opens it. */
static bool take_items(struct json_cursor *cursor, uint32_t depth, bool object)
{
	char close = object ? '}' : ']';
	struct json_slice item;

	if (depth == JSON_TEXT_DEPTH_MAX)
		return false;
	if (json_take(cursor, close))
		return true;
	do {
		if (object && (!json_take_string(cursor, &item) || !json_take(cursor, ':')))
			return false;
		if (!take_value(cursor, depth + 1, &item))
			return false;
	} while (json_take(cursor, ','));
	return json_take(cursor, close);
}

static bool take_value(struct json_cursor *cursor, uint32_t depth, struct json_slice *out)
{
	bool good;

	json_skip_blanks(cursor);
	if (cursor->at == cursor->end)
		return false;
	*out = (struct json_slice){.kind = JSON_TEXT_PLAIN, .data = cursor->at};
	switch (*cursor->at) {
	case '"': return json_take_string(cursor, out);
	case '{':
	case '[':
		out->kind = JSON_TEXT_NESTED;
		cursor->at++;
		good = take_items(cursor, depth, cursor->at[-1] == '{');
		break;
	case 'n':
		out->kind = JSON_TEXT_NULL;
		good = take_word(cursor, "null");
		break;
	case 't': good = take_word(cursor, "true"); break;
	case 'f': good = take_word(cursor, "false"); break;
	default: good = take_number(cursor); break;
	}
	out->size = (size_t)(cursor->at - out->data);
	return good;
}

bool json_take_value(struct json_cursor *cursor, struct json_slice *out)
{
	return take_value(cursor, 0, out);
}
