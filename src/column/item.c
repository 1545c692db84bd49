#include "column/item.h"

#include "column/bytes_text.h"
#include "column/canonical.h"
#include "column/codec_private.h"
#include "column/json.h"
#include "column/numeric_key.h"

#include <string.h>

#define WORD_SIZE 8
#define SPAN_SIZE 16
#define SIGN_BIT  (UINT64_C(1) << 63)
/* Of months and of days. */
#define PARTS_SIGN (SIGN_BIT | UINT64_C(1) << 31)

static uint8_t *put_word(uint8_t *out, uint64_t word)
{
	word = __builtin_bswap64(word);
	memcpy(out, &word, sizeof(word));
	return out + sizeof(word);
}

static uint64_t get_word(const char *in)
{
	uint64_t word;

	memcpy(&word, in, sizeof(word));
	return __builtin_bswap64(word);
}

bool items_have_tails(enum type_kind list)
{
	switch (type_physical(type_element(list))) {
	case PHYSICAL_F64:
	case PHYSICAL_NUM:
	case PHYSICAL_LIST: /* jsonb */
	case PHYSICAL_INTERVAL: return true;
	default: return false;
	}
}

static struct text item_of_double(double value, struct arena *arena)
{
	uint64_t bits = canonical_double(value);
	char *room = arena_alloc_bytes(arena, WORD_SIZE + 1);

	put_word((uint8_t *)room, bits & SIGN_BIT ? ~bits : bits | SIGN_BIT);
	room[WORD_SIZE] = 1;
	return (struct text){room, WORD_SIZE, value == 0 && __builtin_signbit(value)};
}

static double item_double(struct text item)
{
	uint64_t order = get_word(item.data);
	uint64_t bits = order & SIGN_BIT ? order & ~SIGN_BIT : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return item.tail ? -value : value;
}

static struct text item_of_interval(struct interval value, struct arena *arena)
{
	char *room = arena_alloc_bytes(arena, SPAN_SIZE + WORD_SIZE);
	int128 span = interval_span(value);
	uint8_t *at = put_word((uint8_t *)room, (uint64_t)(span >> 64) ^ SIGN_BIT);

	at = put_word(at, (uint64_t)span);
	put_word(at, ((uint64_t)(uint32_t)value.months << 32 | (uint32_t)value.days) ^ PARTS_SIGN);
	return (struct text){room, SPAN_SIZE, WORD_SIZE};
}

/* What the parts leave of the span are the microseconds. */
static struct interval item_interval(struct text item)
{
	uint64_t parts = get_word(item.data + SPAN_SIZE) ^ PARTS_SIGN;
	int128 span = (int128)((unsigned __int128)(get_word(item.data) ^ SIGN_BIT) << 64 |
			       get_word(item.data + WORD_SIZE));
	struct interval value = {0, (int32_t)(uint32_t)parts, (int32_t)(uint32_t)(parts >> 32)};

	value.microseconds = (int64_t)(span - interval_span(value));
	return value;
}

static struct text item_of_numeric(numeric value, struct arena *arena)
{
	char *room = arena_alloc_bytes(arena, NUMERIC_KEY_MAX + numeric_key_long_size(value));
	const uint8_t *end = numeric_key_put((uint8_t *)room, value, true);
	uint32_t size = (uint32_t)(end - (const uint8_t *)room);

	return (struct text){room, size - NUMERIC_KEY_SCALE, NUMERIC_KEY_SCALE};
}

struct text item_of_value(const struct value *value, struct arena *arena)
{
	char *room;

	if (value->is_null)
		return item_null();
	switch (type_physical(value->type.kind)) {
	case PHYSICAL_U8:
		room = arena_alloc_bytes(arena, 1);
		room[0] = value->boolean;
		return text_from(room, 1);
	case PHYSICAL_I64:
		room = arena_alloc_bytes(arena, WORD_SIZE);
		put_word((uint8_t *)room, (uint64_t)value->i64 ^ SIGN_BIT);
		return text_from(room, WORD_SIZE);
	case PHYSICAL_F64: return item_of_double(value->f64, arena);
	case PHYSICAL_NUM: return item_of_numeric(value->num, arena);
	case PHYSICAL_INTERVAL: return item_of_interval(value->interval, arena);
	case PHYSICAL_TEXT:
		return text_from(value->text.size ? value->text.data : "", value->text.size);
	case PHYSICAL_LIST: return value->list.items[0];
	}
	return item_null();
}

struct value item_value(struct type type, struct text item, struct arena *arena)
{
	struct value value = {.type = type, .is_null = item_is_null(item)};
	struct text *single;

	if (value.is_null)
		return value;
	switch (type_physical(type.kind)) {
	case PHYSICAL_U8: value.boolean = item.data[0] != 0; break;
	case PHYSICAL_I64: value.i64 = (int64_t)(get_word(item.data) ^ SIGN_BIT); break;
	case PHYSICAL_F64: value.f64 = item_double(item); break;
	case PHYSICAL_NUM: numeric_key_get((const uint8_t *)item.data, 0, arena, &value.num); break;
	case PHYSICAL_INTERVAL: value.interval = item_interval(item); break;
	case PHYSICAL_TEXT: value.text = text_from(item.data, item.size); break;
	case PHYSICAL_LIST:
		single = arena_alloc(arena, sizeof(*single));
		*single = item;
		value.list = (struct text_list){single, 1};
		break;
	}
	return value;
}

/* -0 is 0 with a tail, and there is one NaN: as they are written again. */
static bool double_is_legal(struct text item)
{
	uint64_t bits;
	double value;

	if (item.size != WORD_SIZE || item.tail > 1 || (item.tail && item.data[WORD_SIZE] != 1))
		return false;
	value = item_double((struct text){item.data, WORD_SIZE, 0});
	bits = canonical_double(value);
	return (bits & SIGN_BIT ? ~bits : bits | SIGN_BIT) == get_word(item.data) &&
	       (!item.tail || value == 0);
}

static bool interval_is_legal(struct text item)
{
	uint64_t parts;
	int128 span;
	struct interval value = {0};

	if (item.size != SPAN_SIZE || item.tail != WORD_SIZE)
		return false;
	parts = get_word(item.data + SPAN_SIZE) ^ PARTS_SIGN;
	value.days = (int32_t)(uint32_t)parts;
	value.months = (int32_t)(uint32_t)(parts >> 32);
	span = (int128)((unsigned __int128)(get_word(item.data) ^ SIGN_BIT) << 64 |
			get_word(item.data + WORD_SIZE));
	span -= interval_span(value);
	return span == (int64_t)span;
}

bool item_is_legal(enum type_kind element, struct text item)
{
	switch (type_physical(element)) {
	case PHYSICAL_U8: return item.size == 1 && item.tail == 0 && (uint8_t)item.data[0] <= 1;
	case PHYSICAL_I64:
		return item.size == WORD_SIZE && item.tail == 0 &&
		       integer_is_legal(element, (int64_t)(get_word(item.data) ^ SIGN_BIT));
	case PHYSICAL_F64: return double_is_legal(item);
	case PHYSICAL_NUM:
		return item.tail == NUMERIC_KEY_SCALE &&
		       numeric_key_is_legal((const uint8_t *)item.data, item.size + item.tail);
	case PHYSICAL_INTERVAL: return interval_is_legal(item);
	case PHYSICAL_TEXT:
		return item.tail == 0 && (element != TYPE_UUID || item.size == UUID_BYTES);
	case PHYSICAL_LIST: return jsonb_is_legal(item);
	}
	return false;
}

struct text item_copy(struct text item, struct arena *arena)
{
	struct text copy = item;

	if (item_is_null(item))
		return item_null();
	copy.data =
		item.size + item.tail ? arena_copy(arena, item.data, item.size + item.tail) : "";
	return copy;
}

bool item_identical(struct text a, struct text b)
{
	if (a.size != b.size)
		return false;
	return item_is_null(a) ||
	       (a.tail == b.tail &&
		       (a.size + a.tail == 0 || memcmp(a.data, b.data, a.size + a.tail) == 0));
}

bool list_identical(struct text_list a, struct text_list b)
{
	if (a.count != b.count)
		return false;
	for (uint32_t i = 0; i < a.count; i++)
		if (!item_identical(a.items[i], b.items[i]))
			return false;
	return true;
}

void items_of_column(
	const struct column *column, uint32_t count, struct text *items, struct arena *arena)
{
	for (uint32_t i = 0; i < count; i++) {
		struct value value = column_value(column, i);

		items[i] = item_of_value(&value, arena);
	}
}

void column_of_items(struct type type, const struct text *items, uint32_t count, struct column *out,
	struct arena *arena)
{
	column_init(out, type, count, arena);
	for (uint32_t i = 0; i < count; i++) {
		struct value value = item_value(type, items[i], arena);

		if (value.is_null)
			column_add_validity(out, count, arena);
		column_set_value(out, i, &value);
	}
}
