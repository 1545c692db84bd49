/*
 * Single values to and from text, by PostgreSQL's rules for the output and input of its types.
 */
#include "base/buf.h"
#include "base/digits.h"
#include "column/bytes_text.h"
#include "column/column.h"
#include "column/datetime.h"
#include "column/datetime_text.h"
#include "column/item.h"
#include "column/json.h"
#include "column/jsonpath.h"
#include "column/numeric_long.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#define ITEM_ARENA_BLOCK 1024

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void format_i64(int64_t value, struct buf *out)
{
	char text[24];
	char *end = text;

	if (value < 0)
		*end++ = '-';
	end = digits_put(end, value < 0 ? -(uint64_t)value : (uint64_t)value);
	buf_append(out, text, (size_t)(end - text));
}

static bool item_needs_quotes(struct text item)
{
	if (item.size == 0 || (item.size == 4 && strncasecmp(item.data, "null", 4) == 0))
		return true;
	for (uint32_t i = 0; i < item.size; i++) {
		char c = item.data[i];

		if (c == '"' || c == '\\' || c == '{' || c == '}' || c == ',' || is_blank(c))
			return true;
	}
	return false;
}

static void format_quoted(struct text item, struct buf *out)
{
	buf_append_char(out, '"');
	for (uint32_t i = 0; i < item.size; i++) {
		if (item.data[i] == '"' || item.data[i] == '\\')
			buf_append_char(out, '\\');
		buf_append_char(out, item.data[i]);
	}
	buf_append_char(out, '"');
}

static void format_list(struct type element, struct text_list list, struct buf *out)
{
	struct arena arena; /* of long numerics */
	struct buf scratch;

	arena_init(&arena, ITEM_ARENA_BLOCK);
	buf_init(&scratch, (size_t)TEXT_SIZE_MAX + 1);
	buf_append_char(out, '{');
	for (uint32_t i = 0; i < list.count; i++) {
		struct value value = item_value(element, list.items[i], &arena);
		struct text text = value.text;

		if (i > 0)
			buf_append_char(out, ',');
		if (value.is_null) {
			buf_append_text(out, "NULL");
			continue;
		}
		if (element.kind != TYPE_TEXT) {
			buf_clear(&scratch);
			value_format(&value, &scratch);
			text = text_from(scratch.data, scratch.size);
			arena_reset(&arena);
		}
		if (item_needs_quotes(text))
			format_quoted(text, out);
		else
			buf_append(out, text.data, text.size);
	}
	buf_append_char(out, '}');
	buf_release(&scratch);
	arena_release(&arena);
}

static void format_jsonb(struct text item, struct buf *out)
{
	struct json_node node;
	struct arena arena;

	arena_init(&arena, ITEM_ARENA_BLOCK);
	jsonb_decode(item, &arena, &node);
	json_format(&node, &json_style_jsonb, out);
	arena_release(&arena);
}

static void format_jsonpath(struct text text, struct buf *out)
{
	struct jsonpath path;
	struct arena arena;
	const char *reason;

	arena_init(&arena, ITEM_ARENA_BLOCK);
	if (jsonpath_parse(text, &arena, &path, &reason))
		jsonpath_format(&path, out);
	arena_release(&arena);
}

void value_format(const struct value *value, struct buf *out)
{
	char text[INTERVAL_TEXT_MAX];

	static_assert(
		INTERVAL_TEXT_MAX >= DATETIME_TEXT_MAX && INTERVAL_TEXT_MAX >= DOUBLE_TEXT_MAX,
		"one buffer serves all");
	if (value->is_null)
		return;
	if (type_is_array(value->type.kind)) {
		format_list(type_element_of(value->type), value->list, out);
		return;
	}
	switch (value->type.kind) {
	case TYPE_BOOL: buf_append_char(out, value->boolean ? 't' : 'f'); break;
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: format_i64(value->i64, out); break;
	case TYPE_NUMERIC: numeric_append(value->num, out); break;
	case TYPE_REAL: buf_append(out, text, real_format(value->f64, text)); break;
	case TYPE_DOUBLE: buf_append(out, text, double_format(value->f64, text)); break;
	case TYPE_UNKNOWN:
	case TYPE_TEXT: buf_append(out, value->text.data, value->text.size); break;
	case TYPE_DATE: buf_append(out, text, date_format(value->i64, text)); break;
	case TYPE_TIME: buf_append(out, text, time_format(value->i64, text)); break;
	case TYPE_TIMESTAMP: buf_append(out, text, timestamp_format(value->i64, text)); break;
	case TYPE_TIMESTAMPTZ: buf_append(out, text, timestamptz_format(value->i64, text)); break;
	case TYPE_INTERVAL: buf_append(out, text, interval_format(value->interval, text)); break;
	case TYPE_BYTEA:
		buf_append_text(out, "\\x");
		hex_append(value->text, out);
		break;
	case TYPE_UUID: uuid_append(value->text, out); break;
	case TYPE_JSON: buf_append(out, value->text.data, value->text.size); break;
	case TYPE_JSONB: format_jsonb(value->list.items[0], out); break;
	case TYPE_JSONPATH: format_jsonpath(value->text, out); break;
	default: break;
	}
}

static bool fail(const char **reason, const char *why)
{
	*reason = why;
	return false;
}

/* Any beginning of a word will do, as long as it says which: "o" is neither on nor off. */
static bool parse_bool(struct text text, bool *out, const char **reason)
{
	static const struct {
		const char *word;
		uint32_t size_min;
		bool value;
	} words[] = {
		{"true", 1, true},
		{"false", 1, false},
		{"yes", 1, true},
		{"no", 1, false},
		{"on", 2, true},
		{"off", 2, false},
		{"1", 1, true},
		{"0", 1, false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (text.size >= words[i].size_min && text.size <= strlen(words[i].word) &&
			strncasecmp(text.data, words[i].word, text.size) == 0) {
			*out = words[i].value;
			return true;
		}
	}
	return fail(reason, "not a boolean");
}

static bool parse_integer(
	struct text text, int64_t min, int64_t max, int64_t *out, const char **reason)
{
	const char *p = text.data;
	const char *end = p + text.size;
	bool negative = p < end && *p == '-';
	bool fits = true;
	int64_t value = 0;

	p += p < end && (*p == '-' || *p == '+');
	if (p == end)
		return fail(reason, "not an integer");
	for (; p < end; p++) {
		int digit = *p - '0';

		if (digit < 0 || digit > 9)
			return fail(reason, "not an integer");
		/* Below zero, because there is one negative number more. */
		fits = fits && !__builtin_mul_overflow(value, 10, &value) &&
		       !__builtin_sub_overflow(value, digit, &value);
	}
	if (!fits || (!negative && value == INT64_MIN))
		return fail(reason, "out of range");
	value = negative ? value : -value;
	if (value < min || value > max)
		return fail(reason, "out of range");
	*out = value;
	return true;
}

static const char *skip_digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Why a text could not be read: what has the form of a number was too big for one. */
static const char *number_fault(struct text text)
{
	static const char malformed[] = "not a number";
	const char *p = text.data;
	const char *end = p + text.size;
	const char *start;
	bool has_digits;

	p += p < end && (*p == '-' || *p == '+');
	start = p;
	p = skip_digits(p, end);
	has_digits = p > start;
	if (p < end && *p == '.') {
		start = ++p;
		p = skip_digits(p, end);
		has_digits = has_digits || p > start;
	}
	if (!has_digits)
		return malformed;
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		p += p < end && (*p == '-' || *p == '+');
		start = p;
		p = skip_digits(p, end);
		if (p == start)
			return malformed;
	}
	return p == end ? "out of range" : malformed;
}

static bool parse_numeric(
	struct text text, struct type type, struct arena *arena, numeric *out, const char **reason)
{
	numeric value;

	switch (numeric_long_parse(text.data, text.size, arena, &value)) {
	case NUMERIC_FINE: break;
	case NUMERIC_NOT_A_NUMBER: return fail(reason, number_fault(text));
	default: return fail(reason, "out of range");
	}
	if (!numeric_fit(value, type.precision, type.scale, out) &&
		numeric_long_fit(value, type.precision, type.scale, arena, out) != NUMERIC_FINE)
		return fail(reason, "out of range");
	return true;
}

/* A cast to date or time takes its part of a timestamp, too. */
static bool parse_datetime(struct text text, enum type_kind kind, int64_t *out, const char **reason)
{
	int64_t micros;

	if (kind == TYPE_DATE) {
		if (date_parse(text.data, text.size, out))
			return true;
		if (!timestamp_parse(text.data, text.size, &micros))
			return fail(reason, "not a date");
		*out = timestamp_days(micros);
		return true;
	}
	if (kind == TYPE_TIME) {
		if (time_parse(text.data, text.size, out))
			return true;
		if (text.size <= 10 || !timestamp_parse(text.data, text.size, &micros))
			return fail(reason, "not a time");
		*out = timestamp_time_of_day(micros);
		return true;
	}
	if (kind == TYPE_TIMESTAMPTZ)
		return timestamptz_parse(text.data, text.size, out) ||
		       fail(reason, "not a timestamp");
	return timestamp_parse(text.data, text.size, out) || fail(reason, "not a timestamp");
}

/*
 * One item of {a,"b c",NULL}, from *cursor to the comma or brace behind it. Its text goes to
 * `room`, which has as much space as the input, and *used grows by it.
 */
static bool parse_item(
	const char **cursor, const char *end, char *room, size_t *used, struct text *item)
{
	const char *p = *cursor;
	char *begin = room + *used;
	char *next = begin;
	char *keep = begin; /* blanks behind this are not the item's */
	bool quoted = false, escaped = false;

	while (p < end && is_blank(*p))
		p++;
	if (p < end && *p == '"') {
		quoted = true;
		for (p++; p < end && *p != '"'; p++) {
			if (*p == '\\' && ++p == end)
				return false;
			*next++ = *p;
		}
		if (p++ >= end)
			return false;
		keep = next;
		while (p < end && is_blank(*p))
			p++;
	} else {
		for (; p < end && *p != ',' && *p != '}'; p++) {
			bool literal = *p == '\\';

			if (*p == '"' || *p == '{' || (literal && ++p == end))
				return false;
			escaped = escaped || literal;
			*next++ = *p;
			if (literal || !is_blank(*p))
				keep = next;
		}
		if (keep == begin)
			return false;
	}
	if (p >= end || (*p != ',' && *p != '}'))
		return false;
	*cursor = p;
	*item = text_from(begin, (size_t)(keep - begin));
	*used += item->size;
	if (!quoted && !escaped && item->size == 4 && strncasecmp(begin, "null", 4) == 0)
		*item = item_null();
	return true;
}

/* The texts of the items become values of their type. */
static bool parse_elements(struct type element, struct text *items, uint32_t count,
	struct arena *arena, const char **reason)
{
	for (uint32_t i = 0; i < count; i++) {
		struct value value;

		if (item_is_null(items[i]))
			continue;
		if (!value_parse(element, items[i].data, items[i].size, arena, &value, reason))
			return false;
		items[i] = item_of_value(&value, arena);
	}
	return true;
}

static bool parse_list(struct text text, struct type element, struct arena *arena,
	struct text_list *out, const char **reason)
{
	static const char malformed[] = "not a list like {a,b}";
	const char *p = text.data;
	const char *end = p + text.size;
	uint32_t count_max = 1;
	uint32_t count = 0;
	size_t used = 0;
	struct text *items;
	char *room;

	if (text.size < 2 || *p != '{')
		return fail(reason, malformed);
	for (p++; p < end && is_blank(*p);)
		p++;
	if (p == end - 1 && *p == '}') {
		*out = (struct text_list){NULL, 0};
		return true;
	}
	for (uint32_t i = 0; i < text.size; i++)
		count_max += text.data[i] == ',';
	items = arena_alloc(arena, count_max * sizeof(*items));
	room = arena_alloc_bytes(arena, text.size);
	for (;; p++) {
		if (!parse_item(&p, end, room, &used, &items[count]))
			return fail(reason, malformed);
		count++;
		if (*p == '}')
			break;
	}
	if (p + 1 != end)
		return fail(reason, malformed);
	*out = (struct text_list){items, count};
	return element.kind == TYPE_TEXT || parse_elements(element, items, count, arena, reason);
}

/* Of json the text itself, with its blanks. */
static bool parse_json(struct text text, enum type_kind kind, struct arena *arena,
	struct value *out, const char **reason)
{
	struct json_node node;
	struct text *item;

	if (!json_parse(text, arena, &node, reason))
		return false;
	if (kind == TYPE_JSON) {
		out->text = text_from(arena_copy(arena, text.data, text.size), text.size);
		return true;
	}
	item = arena_alloc(arena, sizeof(*item));
	out->list = (struct text_list){item, 1};
	return jsonb_encode(&node, arena, item, reason);
}

static bool parse_jsonpath(
	struct text text, struct arena *arena, struct text *out, const char **reason)
{
	struct jsonpath path;

	if (!jsonpath_parse(text, arena, &path, reason))
		return false;
	*out = text_from(arena_copy(arena, text.data, text.size), text.size);
	return true;
}

bool value_parse(struct type type, const char *text, size_t size, struct arena *arena,
	struct value *out, const char **reason)
{
	struct text trimmed;

	*out = (struct value){.type = type};
	if (size > TEXT_SIZE_MAX)
		return fail(reason, "too long");
	if (type.kind == TYPE_TEXT || type.kind == TYPE_UNKNOWN) {
		out->text = text_from(arena_copy(arena, text, size), size);
		return true;
	}
	if (type.kind == TYPE_JSON || type.kind == TYPE_JSONB)
		return parse_json(text_from(text, size), type.kind, arena, out, reason);
	if (type.kind == TYPE_JSONPATH)
		return parse_jsonpath(text_from(text, size), arena, &out->text, reason);
	if (type.kind == TYPE_BYTEA)
		return bytea_parse(text_from(text, size), arena, &out->text) ||
		       fail(reason, "not a bytea");
	while (size > 0 && is_blank(text[size - 1]))
		size--;
	while (size > 0 && is_blank(*text)) {
		text++;
		size--;
	}
	trimmed = text_from(text, size);
	if (type_is_array(type.kind))
		return parse_list(trimmed, type_element_of(type), arena, &out->list, reason);
	switch (type.kind) {
	case TYPE_BOOL: return parse_bool(trimmed, &out->boolean, reason);
	case TYPE_SMALLINT: return parse_integer(trimmed, INT16_MIN, INT16_MAX, &out->i64, reason);
	case TYPE_INT: return parse_integer(trimmed, INT32_MIN, INT32_MAX, &out->i64, reason);
	case TYPE_BIGINT: return parse_integer(trimmed, INT64_MIN, INT64_MAX, &out->i64, reason);
	case TYPE_NUMERIC: return parse_numeric(trimmed, type, arena, &out->num, reason);
	case TYPE_REAL:
		return real_parse(text, size, &out->f64) || fail(reason, number_fault(trimmed));
	case TYPE_DOUBLE:
		return double_parse(text, size, &out->f64) || fail(reason, number_fault(trimmed));
	case TYPE_DATE:
	case TYPE_TIME:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMPTZ: return parse_datetime(trimmed, type.kind, &out->i64, reason);
	case TYPE_INTERVAL:
		return interval_parse(text, size, INTERVAL_FIELDS_ALL, &out->interval, reason);
	case TYPE_UUID: return uuid_parse(trimmed, arena, &out->text) || fail(reason, "not a uuid");
	default: break;
	}
	return fail(reason, "not a type that can be read");
}

/* By the rules of SQL; what lies beyond the type, a time of a date or a zone, counts for nothing. */
static bool read_datetime(struct type type, struct text text, int64_t *out, const char **reason)
{
	struct datetime_reading reading;

	if (!datetime_text_parse(text.data, text.size, type.kind == TYPE_TIME, &reading, reason))
		return false;
	if (reading.zone.size > 0)
		return fail(reason, "a zone by its name");
	if (reading.clock)
		return fail(reason, "only a constant is asked of the clock");
	if (reading.infinite) {
		*out = reading.infinite > 0 ? TIME_INFINITY : TIME_MINUS_INFINITY;
		return true;
	}
	switch (type.kind) {
	case TYPE_DATE:
		*out = reading.day;
		return reading.day >= DATE_DAYS_MIN || fail(reason, "out of range");
	case TYPE_TIME: *out = reading.time; return true;
	default: break;
	}
	*out = reading.day * MICROS_PER_DAY + reading.time;
	if (type.kind == TYPE_TIMESTAMPTZ)
		*out -= reading.offset * MICROS_PER_SECOND;
	return (*out >= DATE_DAYS_MIN * MICROS_PER_DAY &&
		       *out < (DATE_DAYS_MAX + 1) * MICROS_PER_DAY) ||
	       fail(reason, "out of range");
}

bool value_read(struct type type, const char *text, size_t size, struct arena *arena,
	struct value *out, const char **reason)
{
	if (value_parse(type, text, size, arena, out, reason))
		return true;
	if (type.kind != TYPE_DATE && type.kind != TYPE_TIME && type.kind != TYPE_TIMESTAMP &&
		type.kind != TYPE_TIMESTAMPTZ)
		return false;
	return read_datetime(type, text_from(text, size), &out->i64, reason);
}
