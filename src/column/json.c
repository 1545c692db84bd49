/* JSON texts to trees and back, by the rules of PostgreSQL's lexer and printer. */
#include "column/json.h"

#include "base/buf.h"

#include <string.h>

#define CHILDREN_MIN 8

const struct json_style json_style_jsonb = {", ", ": ", false, false};
const struct json_style json_style_tight = {",", ":", false, false};

struct reader {
	const char *at;
	const char *end;
	struct arena *arena;
	const char *reason;
	unsigned depth;
};

const char *json_form_name(enum json_form form)
{
	static const char *const names[] = {
		[JSON_FORM_NULL] = "null",
		[JSON_FORM_STRING] = "string",
		[JSON_FORM_NUMBER] = "number",
		[JSON_FORM_BOOL] = "boolean",
		[JSON_FORM_ARRAY] = "array",
		[JSON_FORM_OBJECT] = "object",
	};

	return names[form];
}

static bool fail(struct reader *r, const char *reason)
{
	if (!r->reason)
		r->reason = reason;
	return false;
}

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end &&
		(*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

/* Four hexadecimal digits; negative when they are not. */
static int32_t read_hex(const char *at, const char *end)
{
	int32_t code = 0;

	if (end - at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = at[i];
		int digit = c >= '0' && c <= '9'   ? c - '0'
			    : c >= 'a' && c <= 'f' ? c - 'a' + 10
			    : c >= 'A' && c <= 'F' ? c - 'A' + 10
						   : -1;

		if (digit < 0)
			return -1;
		code = code * 16 + digit;
	}
	return code;
}

static char *put_utf8(char *out, uint32_t code)
{
	if (code < 0x80) {
		*out++ = (char)code;
	} else if (code < 0x800) {
		*out++ = (char)(0xc0 | code >> 6);
		*out++ = (char)(0x80 | (code & 0x3f));
	} else if (code < 0x10000) {
		*out++ = (char)(0xe0 | code >> 12);
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	} else {
		*out++ = (char)(0xf0 | code >> 18);
		*out++ = (char)(0x80 | (code >> 12 & 0x3f));
		*out++ = (char)(0x80 | (code >> 6 & 0x3f));
		*out++ = (char)(0x80 | (code & 0x3f));
	}
	return out;
}

/* Behind \u: one character, of two escapes when it is beyond the first 65536. */
static bool read_unicode(struct reader *r, char **out)
{
	int32_t code = read_hex(r->at, r->end), low;

	if (code < 0)
		return fail(r, "\"\\u\" must be followed by four hexadecimal digits");
	r->at += 4;
	if (code >= 0xdc00 && code < 0xe000)
		return fail(r, "a low surrogate must follow a high surrogate");
	if (code >= 0xd800 && code < 0xdc00) {
		low = r->end - r->at >= 6 && r->at[0] == '\\' && r->at[1] == 'u'
			      ? read_hex(r->at + 2, r->end)
			      : -1;
		if (low < 0xdc00 || low >= 0xe000)
			return fail(r, "a high surrogate must be followed by a low surrogate");
		r->at += 6;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	}
	*out = put_utf8(*out, (uint32_t)code);
	return true;
}

static bool read_escape(struct reader *r, char **out)
{
	static const char letters[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (r->at == r->end)
		return fail(r, "a string does not end");
	if (*r->at == 'u') {
		r->at++;
		return read_unicode(r, out);
	}
	found = *r->at ? strchr(letters, *r->at) : NULL;
	if (!found)
		return fail(r, "an unknown escape");
	*(*out)++ = values[found - letters];
	r->at++;
	return true;
}

/* From behind the opening quote to behind the closing one. */
static bool read_string(struct reader *r, struct text *out)
{
	const char *start = r->at;
	char *room, *next;

	while (r->at < r->end && *r->at != '"' && *r->at != '\\' && (uint8_t)*r->at >= 0x20)
		r->at++;
	if (r->at < r->end && *r->at == '"') {
		*out = text_from(start, (size_t)(r->at++ - start));
		return true;
	}
	room = arena_alloc_bytes(r->arena, (size_t)(r->end - start));
	next = (char *)mempcpy(room, start, (size_t)(r->at - start));
	while (r->at < r->end && *r->at != '"') {
		if ((uint8_t)*r->at < 0x20)
			return fail(r, "a control character must be escaped");
		if (*r->at != '\\') {
			*next++ = *r->at++;
			continue;
		}
		r->at++;
		if (!read_escape(r, &next))
			return false;
	}
	if (r->at == r->end)
		return fail(r, "a string does not end");
	r->at++;
	*out = text_from(room, (size_t)(next - room));
	return true;
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	return at;
}

static bool read_number(struct reader *r)
{
	const char *at = r->at + (*r->at == '-'), *digits = at;

	at = skip_digits(at, r->end);
	if (at == digits || (*digits == '0' && at > digits + 1))
		return fail(r, "not a number");
	if (at < r->end && *at == '.') {
		digits = ++at;
		at = skip_digits(at, r->end);
		if (at == digits)
			return fail(r, "not a number");
	}
	if (at < r->end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < r->end && (*at == '+' || *at == '-');
		digits = at;
		at = skip_digits(at, r->end);
		if (at == digits)
			return fail(r, "not a number");
	}
	r->at = at;
	return true;
}

static bool read_word(struct reader *r, struct json_node *out)
{
	static const struct {
		const char *word;
		enum json_form form;
		bool value;
	} words[] = {
		{"true", JSON_FORM_BOOL, true},
		{"false", JSON_FORM_BOOL, false},
		{"null", JSON_FORM_NULL, false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t size = strlen(words[i].word);

		if ((size_t)(r->end - r->at) < size || memcmp(r->at, words[i].word, size) != 0)
			continue;
		r->at += size;
		out->form = words[i].form;
		out->boolean = words[i].value;
		return true;
	}
	return fail(r, "not a JSON value");
}

/* Room for one child more. */
static void grow(struct reader *r, struct json_node *node)
{
	uint32_t room = node->count;

	if (room > 0 && (room < CHILDREN_MIN || (room & (room - 1))))
		return;
	room = room ? 2 * room : CHILDREN_MIN;
	node->items = memcpy(arena_alloc(r->arena, room * sizeof(*node->items)),
		node->items ? node->items : node, node->count * sizeof(*node->items));
	if (node->form == JSON_FORM_OBJECT)
		node->keys = memcpy(arena_alloc(r->arena, room * sizeof(*node->keys)),
			node->keys ? node->keys : &node->text, node->count * sizeof(*node->keys));
}

static bool read_value(struct reader *r, struct json_node *out);

static bool read_key(struct reader *r, struct text *key)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != '"')
		return fail(r, "a key must be a string");
	r->at++;
	if (!read_string(r, key))
		return false;
	skip_blanks(r);
	if (r->at == r->end || *r->at != ':')
		return fail(r, "a colon is missing");
	r->at++;
	return true;
}

/* The items or members behind an opening bracket. */
static bool read_children(struct reader *r, struct json_node *out, char close)
{
	skip_blanks(r);
	if (r->at < r->end && *r->at == close) {
		r->at++;
		return true;
	}
	for (;;) {
		struct text key = text_from("", 0);
		struct json_node child;

		if (out->form == JSON_FORM_OBJECT && !read_key(r, &key))
			return false;
		if (!read_value(r, &child))
			return false;
		grow(r, out);
		if (out->form == JSON_FORM_OBJECT)
			out->keys[out->count] = key;
		out->items[out->count++] = child;
		skip_blanks(r);
		if (r->at < r->end && *r->at == close)
			break;
		if (r->at == r->end || *r->at != ',')
			return fail(r, "a comma or a closing bracket is missing");
		r->at++;
	}
	r->at++;
	return true;
}

static bool read_value(struct reader *r, struct json_node *out)
{
	const char *start;
	bool fine;

	*out = (struct json_node){0};
	skip_blanks(r);
	start = r->at;
	if (start == r->end)
		return fail(r, "it ends where a value should be");
	switch (*start) {
	case '{':
	case '[':
		if (r->depth == JSON_NESTING_MAX)
			return fail(r, "nested too deeply");
		r->depth++;
		r->at++;
		out->form = *start == '{' ? JSON_FORM_OBJECT : JSON_FORM_ARRAY;
		fine = read_children(r, out, *start == '{' ? '}' : ']');
		r->depth--;
		break;
	case '"':
		r->at++;
		out->form = JSON_FORM_STRING;
		fine = read_string(r, &out->text);
		break;
	case '-':
	case '0' ... '9':
		out->form = JSON_FORM_NUMBER;
		fine = read_number(r);
		break;
	default: fine = read_word(r, out);
	}
	out->source = text_from(start, (size_t)(r->at - start));
	return fine;
}

bool json_parse(struct text text, struct arena *arena, struct json_node *out, const char **reason)
{
	struct reader r = {text.data, text.data + text.size, arena, NULL, 0};

	if (read_value(&r, out)) {
		skip_blanks(&r);
		if (r.at == r.end)
			return true;
		fail(&r, "more than one value");
	}
	*reason = r.reason;
	return false;
}

/* -- Writing -- */

/* A JSON string, in quotes. */
static void quote(struct text text, struct buf *out)
{
	static const char letters[] = "\b\f\n\r\t\"\\", escapes[] = "bfnrt\"\\";
	const char *at = text.data, *end = at + text.size;

	buf_append_char(out, '"');
	while (at < end) {
		const char *plain = at, *found;

		while (at < end && (uint8_t)*at >= 0x20 && *at != '"' && *at != '\\')
			at++;
		buf_append(out, plain, (size_t)(at - plain));
		if (at == end)
			break;
		found = *at ? strchr(letters, *at) : NULL;
		if (found) {
			buf_append_char(out, '\\');
			buf_append_char(out, escapes[found - letters]);
		} else {
			buf_printf(out, "\\u%04x", (uint8_t)*at);
		}
		at++;
	}
	buf_append_char(out, '"');
}

static void new_line(struct buf *out, unsigned depth)
{
	buf_append_char(out, '\n');
	while (depth-- > 0)
		buf_append_text(out, "    ");
}

static void format_node(const struct json_node *node, const struct json_style *style,
	unsigned depth, struct buf *out)
{
	bool object = node->form == JSON_FORM_OBJECT;

	if (style->as_written && node->source.data) {
		buf_append(out, node->source.data, node->source.size);
		return;
	}
	switch (node->form) {
	case JSON_FORM_NULL: buf_append_text(out, "null"); return;
	case JSON_FORM_BOOL: buf_append_text(out, node->boolean ? "true" : "false"); return;
	case JSON_FORM_STRING: quote(node->text, out); return;
	case JSON_FORM_NUMBER:
		if (node->source.data)
			buf_append(out, node->source.data, node->source.size);
		else
			numeric_append(node->number, out);
		return;
	case JSON_FORM_ARRAY:
	case JSON_FORM_OBJECT: break;
	}
	buf_append_char(out, object ? '{' : '[');
	for (uint32_t i = 0; i < node->count; i++) {
		if (i > 0)
			buf_append_text(out, style->pretty ? "," : style->comma);
		if (style->pretty)
			new_line(out, depth + 1);
		if (object) {
			quote(node->keys[i], out);
			buf_append_text(out, style->colon);
		}
		format_node(&node->items[i], style, depth + 1, out);
	}
	if (style->pretty)
		new_line(out, depth);
	buf_append_char(out, object ? '}' : ']');
}

void json_format(const struct json_node *node, const struct json_style *style, struct buf *out)
{
	format_node(node, style, 0, out);
}

const struct json_node *json_member(const struct json_node *object, struct text key)
{
	for (uint32_t i = object->form == JSON_FORM_OBJECT ? object->count : 0; i-- > 0;)
		if (object->keys[i].size == key.size &&
			(key.size == 0 || memcmp(object->keys[i].data, key.data, key.size) == 0))
			return &object->items[i];
	return NULL;
}

const struct json_node *json_item(const struct json_node *array, int64_t index)
{
	if (array->form != JSON_FORM_ARRAY)
		return NULL;
	index += index < 0 ? array->count : 0;
	return index >= 0 && index < array->count ? &array->items[index] : NULL;
}
