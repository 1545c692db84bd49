#include "exec/table/rowkey.h"
#include "base/memory.h"
#include "column/canonical.h"
#include "column/item.h"
#include "column/numeric_key.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* So many rows between two looks at whether it is to stop. */
#define DECODE_ROWS	  (1u << 16)
#define ROWS_ARENA_BLOCK  (1u << 20)
#define ROWS_CAPACITY_MIN 1024

enum {
	PRESENT_NULL_FIRST = 0,
	PRESENT_VALUE = 1,
	PRESENT_NULL_LAST = 2,

	TEXT_ZERO = 0x00, /* starts an escape */
	TEXT_ESCAPED = 0xff,
	TEXT_END = 0x01,

	LIST_END = 0x00,
	LIST_ITEM = 0x01,
	LIST_NULL = 0x02,
	LIST_TAILS = 0x01,
};

#define INTERVAL_SPAN	 16
#define INTERVAL_PARTS	 8 /* months and days */
#define INTERVAL_KEY_MAX (1 + INTERVAL_SPAN + INTERVAL_PARTS)

static size_t fixed_size(enum physical physical)
{
	switch (physical) {
	case PHYSICAL_U8: return 2;
	case PHYSICAL_I64:
	case PHYSICAL_F64: return 9;
	case PHYSICAL_NUM: return 1 + NUMERIC_KEY_MAX;
	case PHYSICAL_TEXT: return 3;
	case PHYSICAL_INTERVAL: return INTERVAL_KEY_MAX;
	case PHYSICAL_LIST: break;
	}
	return 3;
}

uint32_t rowkey_exact_size(enum physical physical)
{
	switch (physical) {
	case PHYSICAL_NUM: return NUMERIC_KEY_SCALE;
	case PHYSICAL_INTERVAL: return INTERVAL_PARTS;
	default: return 0;
	}
}

bool rowkey_decodes_inexact(enum type_kind kind)
{
	switch (type_physical(kind)) {
	case PHYSICAL_NUM:
	case PHYSICAL_F64:
	case PHYSICAL_INTERVAL: return false;
	case PHYSICAL_LIST: return !items_have_tails(kind);
	default: return true;
	}
}

static struct rowkey_field *find_decodable(struct rowkey *key, uint32_t column)
{
	for (uint32_t i = 0; i < key->field_count; i++) {
		struct rowkey_field *field = &key->fields[i];

		if (field->column == column && rowkey_decodes_inexact(key->types[column].kind))
			return field;
	}
	return NULL;
}

static void add_field(struct rowkey *key, struct rowkey_field field)
{
	field.physical = type_physical(key->types[field.column].kind);
	key->fixed_size += fixed_size(field.physical);
	key->fields[key->field_count++] = field;
}

/* Without fields yet, with room for `field_max`. */
static void init_columns(
	struct rowkey *key, uint32_t column_count, const struct type *types, size_t field_max)
{
	memset(key, 0, sizeof(*key));
	key->column_count = column_count;
	key->types = memory_alloc((column_count + 1) * sizeof(*types));
	if (column_count > 0)
		memcpy(key->types, types, column_count * sizeof(*types));
	key->fields = memory_zalloc((field_max + 1) * sizeof(*key->fields));
}

void rowkey_init_fields(struct rowkey *key, uint32_t column_count, const struct type *types,
	uint32_t field_count, const struct rowkey_field *fields)
{
	init_columns(key, column_count, types, field_count);
	for (uint32_t i = 0; i < field_count; i++) {
		key->fields[i] = fields[i];
		key->fixed_size += fixed_size(fields[i].physical);
	}
	key->field_count = key->sort_end = field_count;
}

void rowkey_init(struct rowkey *key, uint32_t column_count, const struct type *types,
	uint32_t partition_count, const uint32_t *partition, uint32_t sort_count,
	const struct plan_sort_key *sort)
{
	init_columns(key, column_count, types, (size_t)partition_count + sort_count + column_count);
	for (uint32_t i = 0; i < partition_count; i++)
		add_field(key, (struct rowkey_field){.column = partition[i]});
	key->partition_count = partition_count;
	for (uint32_t i = 0; i < sort_count; i++)
		add_field(key, (struct rowkey_field){
				       .column = sort[i].column,
				       .descending = sort[i].descending,
				       .nulls_first = sort[i].nulls_first,
			       });
	key->sort_end = key->field_count;
	for (uint32_t column = 0; column < column_count; column++) {
		struct rowkey_field *field = find_decodable(key, column);

		if (field)
			field->decode = true;
		else
			add_field(key, (struct rowkey_field){
					       .column = column, .exact = true, .decode = true});
	}
}

void rowkey_release(struct rowkey *key)
{
	free(key->fields);
	free(key->types);
	memset(key, 0, sizeof(*key));
}

void rowkey_keep_columns(struct rowkey *key, const bool *kept)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < key->field_count; i++) {
		key->fields[i].decode &= kept[key->fields[i].column];
		end = key->fields[i].decode ? i + 1 : end;
	}
	key->field_count = end;
}

static inline uint8_t *put_u64(uint8_t *out, uint64_t value)
{
	value = __builtin_bswap64(value);
	memcpy(out, &value, sizeof(value));
	return out + sizeof(value);
}

static inline uint64_t get_u64(const uint8_t *in)
{
	uint64_t value;

	memcpy(&value, in, sizeof(value));
	return __builtin_bswap64(value);
}

static inline uint64_t order_of_i64(int64_t value)
{
	return (uint64_t)value ^ (UINT64_C(1) << 63);
}

static inline uint64_t order_of_double(double value, bool exact)
{
	uint64_t bits;

	if (exact && value == 0)
		memcpy(&bits, &value, sizeof(bits));
	else
		bits = canonical_double(value);
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static inline double double_of_order(uint64_t order)
{
	uint64_t bits = order >> 63 ? order & ~(UINT64_C(1) << 63) : ~order;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static uint8_t *put_text(uint8_t *out, struct text text)
{
	const char *data = text.data;
	size_t rest = text.size;

	while (rest > 0) {
		const char *zero = memchr(data, 0, rest);
		size_t plain = zero ? (size_t)(zero - data) : rest;

		memcpy(out, data, plain);
		out += plain;
		data += plain;
		rest -= plain;
		if (zero) {
			*out++ = TEXT_ZERO;
			*out++ = TEXT_ESCAPED;
			data++;
			rest--;
		}
	}
	*out++ = TEXT_ZERO;
	*out++ = TEXT_END;
	return out;
}

/* Behind the items of an exact list: the tails, if there are any. */
static uint8_t *put_tails(uint8_t *out, struct text_list list)
{
	bool any = false;

	for (uint32_t i = 0; i < list.count && !any; i++)
		any = list.items[i].tail > 0;
	*out++ = any ? LIST_TAILS : LIST_END;
	for (uint32_t i = 0; i < list.count && any; i++)
		if (!item_is_null(list.items[i]))
			out = put_text(out, text_from(list.items[i].data + list.items[i].size,
						    list.items[i].tail));
	return out;
}

static uint8_t *put_list(uint8_t *out, struct text_list list, bool exact)
{
	for (uint32_t i = 0; i < list.count; i++) {
		bool is_null = item_is_null(list.items[i]);

		*out++ = is_null ? LIST_NULL : LIST_ITEM;
		if (!is_null)
			out = put_text(out, list.items[i]);
	}
	*out++ = LIST_END;
	return exact ? put_tails(out, list) : out;
}

/* The parts as one word that orders by months, then by days. */
static uint64_t order_of_parts(struct interval interval)
{
	uint32_t sign = UINT32_C(1) << 31;

	return (uint64_t)((uint32_t)interval.months ^ sign) << 32 |
	       ((uint32_t)interval.days ^ sign);
}

static uint8_t *put_interval(uint8_t *out, struct interval interval, bool exact)
{
	int128 span = interval_span(interval);

	out = put_u64(out, order_of_i64((int64_t)(span >> 64)));
	out = put_u64(out, (uint64_t)span);
	return exact ? put_u64(out, order_of_parts(interval)) : out;
}

static uint8_t *put_field(
	uint8_t *out, const struct rowkey_field *field, const struct column *column, uint32_t row)
{
	uint32_t i = column_index(column, row);
	uint8_t *start;

	if (column->valid && !column->valid[i]) {
		*out++ = field->nulls_first ? PRESENT_NULL_FIRST : PRESENT_NULL_LAST;
		return out;
	}
	*out++ = PRESENT_VALUE;
	start = out;
	switch (field->physical) {
	case PHYSICAL_U8: *out++ = column->u8[i]; break;
	case PHYSICAL_I64: out = put_u64(out, order_of_i64(column->i64[i])); break;
	case PHYSICAL_F64: out = put_u64(out, order_of_double(column->f64[i], field->exact)); break;
	case PHYSICAL_NUM: out = numeric_key_put(out, column->num[i], field->exact); break;
	case PHYSICAL_TEXT: out = put_text(out, column->text[i]); break;
	case PHYSICAL_LIST: out = put_list(out, column->list[i], field->exact); break;
	case PHYSICAL_INTERVAL: out = put_interval(out, column->interval[i], field->exact); break;
	}
	for (uint8_t *byte = start; field->descending && byte < out; byte++)
		*byte = (uint8_t) ~*byte;
	return out;
}

/* What texts, lists and long numerics may add to the fixed size: every byte could need an escape. */
static size_t variable_size(
	const struct rowkey_field *field, const struct column *column, uint32_t row)
{
	uint32_t i = column_index(column, row);
	size_t size = 0;

	if (column->valid && !column->valid[i])
		return 0;
	if (field->physical == PHYSICAL_TEXT)
		return 2 * (size_t)column->text[i].size;
	if (field->physical == PHYSICAL_NUM)
		return numeric_key_long_size(column->num[i]);
	for (uint32_t item = 0; item < column->list[i].count; item++) {
		struct text text = column->list[i].items[item];

		size += 5 + (item_is_null(text) ? 0 : 2 * (size_t)item_bytes(text).size);
	}
	return size;
}

int rowkey_encode(const struct rowkey *key, const struct batch *batch, uint32_t row,
	struct buf *out, struct error *err)
{
	size_t size = key->fixed_size;
	uint8_t *start, *end;

	for (uint32_t i = 0; i < key->field_count; i++) {
		const struct rowkey_field *field = &key->fields[i];

		if (field->physical == PHYSICAL_TEXT || field->physical == PHYSICAL_LIST ||
			field->physical == PHYSICAL_NUM)
			size += variable_size(field, &batch->columns[field->column], row);
	}
	buf_clear(out);
	start = end = (uint8_t *)buf_reserve(out, size);
	if (!start && size > 0)
		return error_set(
			err, ERROR_LIMIT, "a row is too long to be sorted: %zu bytes", size);
	for (uint32_t i = 0; i < key->field_count; i++) {
		const struct rowkey_field *field = &key->fields[i];

		end = put_field(end, field, &batch->columns[field->column], row);
	}
	out->size = (size_t)(end - start);
	return 0;
}

static uint64_t abbreviate_text(struct text text)
{
	uint64_t prefix = 0;

	if (text.size >= sizeof(prefix))
		return get_u64((const uint8_t *)text.data);
	for (uint32_t i = 0; i < text.size; i++)
		prefix |= (uint64_t)(uint8_t)text.data[i] << (56 - 8 * i);
	return prefix;
}

/* Without its low bits a span fits a word. */
static int64_t abbreviate_interval(struct interval interval)
{
	return (int64_t)(interval_span(interval) >> 12);
}

static inline uint64_t abbreviate_value(
	enum physical physical, const struct column *column, uint32_t i)
{
	switch (physical) {
	case PHYSICAL_U8: return column->u8[i];
	case PHYSICAL_I64: return order_of_i64(column->i64[i]);
	case PHYSICAL_F64: return order_of_double(column->f64[i], false);
	case PHYSICAL_NUM: return order_of_i64(numeric_key_abbreviate(column->num[i]));
	case PHYSICAL_TEXT: return abbreviate_text(column->text[i]);
	case PHYSICAL_INTERVAL: return order_of_i64(abbreviate_interval(column->interval[i]));
	case PHYSICAL_LIST: break;
	}
	return 0;
}

static inline __attribute__((always_inline)) void abbreviate_rows(enum physical physical,
	const struct rowkey_field *field, const struct batch *batch, uint64_t *out)
{
	const struct column *column = &batch->columns[field->column];
	uint64_t of_null = field->nulls_first ? 0 : UINT64_MAX;
	uint64_t flip = field->descending ? UINT64_MAX : 0;

	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t i = column_index(column, batch_row(batch, k));
		bool is_null = column->valid && !column->valid[i];

		out[k] = is_null ? of_null : abbreviate_value(physical, column, i) ^ flip;
	}
}

void rowkey_abbreviate(const struct rowkey_field *field, const struct batch *batch, uint64_t *out)
{
	switch (field->physical) {
	case PHYSICAL_U8: abbreviate_rows(PHYSICAL_U8, field, batch, out); break;
	case PHYSICAL_I64: abbreviate_rows(PHYSICAL_I64, field, batch, out); break;
	case PHYSICAL_F64: abbreviate_rows(PHYSICAL_F64, field, batch, out); break;
	case PHYSICAL_NUM: abbreviate_rows(PHYSICAL_NUM, field, batch, out); break;
	case PHYSICAL_TEXT: abbreviate_rows(PHYSICAL_TEXT, field, batch, out); break;
	case PHYSICAL_LIST: abbreviate_rows(PHYSICAL_LIST, field, batch, out); break;
	case PHYSICAL_INTERVAL: abbreviate_rows(PHYSICAL_INTERVAL, field, batch, out); break;
	}
}

const uint8_t *rowkey_store(struct arena *arena, const struct buf *encoded)
{
	uint32_t size = (uint32_t)encoded->size;
	char *stored = arena_alloc_bytes(arena, sizeof(size) + size);

	memcpy(stored, &size, sizeof(size));
	if (size > 0)
		memcpy(stored + sizeof(size), encoded->data, size);
	return (const uint8_t *)stored;
}

int rowkey_compare(const uint8_t *a, const uint8_t *b)
{
	uint32_t size_a = rowkey_size(a), size_b = rowkey_size(b);
	int order = memcmp(rowkey_bytes(a), rowkey_bytes(b), size_a < size_b ? size_a : size_b);

	return order ? order : (size_a > size_b) - (size_a < size_b);
}

/* Where the escaped text at `in` ends; *plain tells whether it has no escapes. */
static const uint8_t *text_end(const uint8_t *in, const uint8_t *end, uint8_t flip, bool *plain)
{
	*plain = true;
	for (;;) {
		const uint8_t *zero = memchr(in, TEXT_ZERO ^ flip, (size_t)(end - in));

		assert(zero && zero + 1 < end);
		if ((zero[1] ^ flip) == TEXT_END)
			return zero + 2;
		*plain = false;
		in = zero + 2;
	}
}

static const uint8_t *get_text(
	const uint8_t *in, const uint8_t *end, uint8_t flip, struct text *out, struct arena *arena)
{
	bool plain;
	const uint8_t *next = text_end(in, end, flip, &plain);
	size_t size = (size_t)(next - in) - 2;
	char *copy, *to;

	if (plain && !flip) {
		*out = text_from((const char *)in, size);
		return next;
	}
	copy = to = arena_alloc_bytes(arena, size);
	for (const uint8_t *byte = in; byte < next - 2; byte++) {
		*to++ = (char)(*byte ^ flip);
		byte += (*byte ^ flip) == TEXT_ZERO; /* its escape */
	}
	*out = text_from(copy, (size_t)(to - copy));
	return next;
}

/* The tails of an exact list, each of which goes behind its item. */
static const uint8_t *get_tails(const uint8_t *in, const uint8_t *end, uint8_t flip,
	struct text_list list, struct text *items, struct arena *arena)
{
	bool any = (*in++ ^ flip) == LIST_TAILS;

	for (uint32_t i = 0; i < list.count && any; i++) {
		struct text tail;
		char *both;

		if (item_is_null(items[i]))
			continue;
		in = get_text(in, end, flip, &tail, arena);
		if (tail.size == 0)
			continue;
		both = arena_alloc_bytes(arena, items[i].size + tail.size);
		memcpy(both, items[i].data, items[i].size);
		memcpy(both + items[i].size, tail.data, tail.size);
		items[i] = (struct text){both, items[i].size, tail.size};
	}
	return in;
}

static const uint8_t *get_list(const uint8_t *in, const uint8_t *end,
	const struct rowkey_field *field, struct text_list *out, struct arena *arena)
{
	uint8_t flip = field->descending ? 0xff : 0;
	const uint8_t *scan = in;
	struct text *items;
	uint32_t count = 0;
	bool plain;

	for (; (*scan ^ flip) != LIST_END; count++)
		scan = (*scan ^ flip) == LIST_ITEM ? text_end(scan + 1, end, flip, &plain)
						   : scan + 1;
	items = arena_alloc(arena, count * sizeof(*items));
	*out = (struct text_list){items, count};
	for (uint32_t i = 0; i < count; i++) {
		items[i] = item_null();
		in = (*in ^ flip) == LIST_ITEM ? get_text(in + 1, end, flip, &items[i], arena)
					       : in + 1;
	}
	return field->exact ? get_tails(in + 1, end, flip, *out, items, arena) : in + 1;
}

static const uint8_t *skip_list(
	const struct rowkey_field *field, const uint8_t *in, const uint8_t *end)
{
	uint8_t flip = field->descending ? 0xff : 0;
	uint32_t texts = 0;
	bool plain;

	for (; (*in ^ flip) != LIST_END; texts++) {
		bool item = (*in++ ^ flip) == LIST_ITEM;

		texts -= !item;
		in = item ? text_end(in, end, flip, &plain) : in;
	}
	in++;
	if (!field->exact || (*in++ ^ flip) != LIST_TAILS)
		return in;
	while (texts-- > 0)
		in = text_end(in, end, flip, &plain);
	return in;
}

/* Of an exact field: what the parts leave of the span are the microseconds. */
static const uint8_t *decode_interval(const uint8_t *in, uint64_t flip, struct interval *out)
{
	uint64_t sign = UINT64_C(1) << 63;
	uint64_t high = get_u64(in) ^ flip ^ sign, low = get_u64(in + 8) ^ flip;
	uint64_t parts = get_u64(in + 16) ^ flip ^ (sign | UINT64_C(1) << 31);
	int128 span = (int128)((unsigned __int128)high << 64 | low);

	*out = (struct interval){0, (int32_t)(uint32_t)parts, (int32_t)(uint32_t)(parts >> 32)};
	out->microseconds = (int64_t)(span - interval_span(*out));
	return in + INTERVAL_SPAN + INTERVAL_PARTS;
}

static const uint8_t *skip_field(
	const struct rowkey_field *field, const uint8_t *in, const uint8_t *end)
{
	uint8_t flip = field->descending ? 0xff : 0;
	bool plain;

	if (*in++ != PRESENT_VALUE)
		return in;
	switch (field->physical) {
	case PHYSICAL_U8: return in + 1;
	case PHYSICAL_I64:
	case PHYSICAL_F64: return in + 8;
	case PHYSICAL_NUM: return numeric_key_skip(in, flip, field->exact);
	case PHYSICAL_TEXT: return text_end(in, end, flip, &plain);
	case PHYSICAL_INTERVAL: return in + INTERVAL_SPAN + (field->exact ? INTERVAL_PARTS : 0);
	case PHYSICAL_LIST: break;
	}
	return skip_list(field, in, end);
}

static const uint8_t *decode_field(const struct rowkey_field *field, const uint8_t *in,
	const uint8_t *end, struct column *out, uint32_t row, struct arena *arena)
{
	uint8_t flip = field->descending ? 0xff : 0;
	uint64_t flip_word = field->descending ? UINT64_MAX : 0;

	in++;
	switch (field->physical) {
	case PHYSICAL_U8: out->u8[row] = *in ^ flip; return in + 1;
	case PHYSICAL_I64:
		out->i64[row] = (int64_t)order_of_i64((int64_t)(get_u64(in) ^ flip_word));
		return in + 8;
	case PHYSICAL_F64: out->f64[row] = double_of_order(get_u64(in) ^ flip_word); return in + 8;
	case PHYSICAL_NUM: return numeric_key_get(in, flip, arena, &out->num[row]);
	case PHYSICAL_TEXT: return get_text(in, end, flip, &out->text[row], arena);
	case PHYSICAL_INTERVAL: return decode_interval(in, flip_word, &out->interval[row]);
	case PHYSICAL_LIST: break;
	}
	return get_list(in, end, field, &out->list[row], arena);
}

size_t rowkey_prefix_size(const struct rowkey *key, const uint8_t *stored, uint32_t field_count)
{
	const uint8_t *start = rowkey_bytes(stored);
	const uint8_t *in = start;

	for (uint32_t i = 0; i < field_count; i++)
		in = skip_field(&key->fields[i], in, start + rowkey_size(stored));
	return (size_t)(in - start);
}

bool rowkey_same_prefix(const uint8_t *stored, const uint8_t *other, size_t size)
{
	return rowkey_size(stored) >= size &&
	       memcmp(rowkey_bytes(stored), rowkey_bytes(other), size) == 0;
}

static void init_decoded(
	const struct rowkey *key, uint32_t count, struct column *columns, struct arena *arena)
{
	for (uint32_t i = 0; i < key->field_count; i++) {
		uint32_t c = key->fields[i].column;

		if (key->fields[i].decode)
			column_init(&columns[c], key->types[c], count, arena);
	}
}

/* Rows start .. end - 1 of `count`. */
static void decode_rows(const struct rowkey *key, const struct rowkey_entry *entries,
	uint32_t start, uint32_t end_row, uint32_t count, struct column *columns,
	struct arena *arena)
{
	for (uint32_t row = start; row < end_row && key->field_count > 0; row++) {
		const uint8_t *in = rowkey_bytes(entries[row].stored);
		const uint8_t *end = in + rowkey_size(entries[row].stored);

		/* Sorted keys lie all over the memory. */
		if (row + ROWKEY_AHEAD < count)
			rowkey_prefetch(entries[row + ROWKEY_AHEAD].stored);

		for (uint32_t i = 0; i < key->field_count; i++) {
			const struct rowkey_field *field = &key->fields[i];
			struct column *column = &columns[field->column];

			if (!field->decode) {
				in = skip_field(field, in, end);
			} else if (*in == PRESENT_VALUE) {
				in = decode_field(field, in, end, column, row, arena);
			} else {
				struct value null = {.type = column->type, .is_null = true};

				column_add_validity(column, count, arena);
				column_set_value(column, row, &null);
				in++;
			}
		}
	}
}

void rowkey_decode(const struct rowkey *key, const struct rowkey_entry *entries, uint32_t count,
	struct column *columns, struct arena *arena)
{
	init_decoded(key, count, columns, arena);
	decode_rows(key, entries, 0, count, count, columns, arena);
}

bool rowkey_decode_all(const struct rowkey *key, const struct rowkey_entry *entries, uint32_t count,
	struct column *columns, struct arena *arena, const atomic_bool *stop)
{
	init_decoded(key, count, columns, arena);
	for (uint32_t start = 0, end; start < count; start = end) {
		if (stop && atomic_load_explicit(stop, memory_order_relaxed))
			return false;
		end = count - start > DECODE_ROWS ? start + DECODE_ROWS : count;
		decode_rows(key, entries, start, end, count, columns, arena);
	}
	return true;
}

void rowkey_rows_init(struct rowkey_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	arena_init(&rows->arena, ROWS_ARENA_BLOCK);
	buf_init(&rows->scratch, ROWKEY_SIZE_MAX);
}

void rowkey_rows_release(struct rowkey_rows *rows)
{
	arena_release(&rows->arena);
	buf_release(&rows->scratch);
	free(rows->entries);
	memset(rows, 0, sizeof(*rows));
}

void rowkey_rows_append(struct rowkey_rows *rows, const uint8_t *stored)
{
	if (rows->count == rows->capacity) {
		rows->capacity = rows->capacity ? rows->capacity * 2 : ROWS_CAPACITY_MIN;
		rows->entries =
			memory_realloc(rows->entries, rows->capacity * sizeof(*rows->entries));
	}
	rows->entries[rows->count++] = (struct rowkey_entry){.stored = stored};
}

int rowkey_rows_add(struct rowkey_rows *rows, const struct rowkey *key, const struct batch *batch,
	struct error *err)
{
	for (uint32_t k = 0; k < batch->selected; k++) {
		if (rowkey_encode(key, batch, batch_row(batch, k), &rows->scratch, err) < 0)
			return -1;
		rowkey_rows_append(rows, rowkey_store(&rows->arena, &rows->scratch));
	}
	return 0;
}
