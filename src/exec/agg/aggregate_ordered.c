/*
 * Aggregates over the sorted values of a group: string_agg, array_agg, percentiles, mode.
 *
 * Every group keeps its values in a buffer of its own that doubles as it fills. The values of a
 * percentile or a mode that have a machine word are kept as one whose unsigned order is theirs
 * (reversed for a descending sort), and selected from where they stand. All others are kept as row
 * keys: the sort keys, the argument, and for string_agg the delimiter, so that equal keys are equal
 * in all that shows and the order of arrival does not.
 */
#include "base/memory.h"
#include "base/radix_sort.h"
#include "column/canonical.h"
#include "column/item.h"
#include "exec/agg/aggregate_private.h"
#include "exec/table/rowkey.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_BLOCK (64u << 10)
/* The least room for values, in bytes, and from where on a buffer grows by a half only. */
#define VALUES_MIN  16
#define VALUES_HALF (64u << 10)
/* A few words are sorted by insertion. */
#define WORDS_FEW 24
#define RADIX	  256

/* Where the columns of a key stand in the batch that is made of them. */
enum { COLUMN_ARG, COLUMN_DELIMITER };

/* The values of one group; a NULL pointer in its row means none. */
struct ordered_values {
	uint64_t count;
	size_t size; /* of the bytes in use */
	size_t capacity;
	char bytes[]; /* words, or stored row keys */
};

/* What all groups of an aggregate share. */
struct ordered {
	const struct plan_aggregate *plan;
	enum physical physical; /* of the argument */
	bool words;
	bool descending;
	struct rowkey key;	      /* once there was a batch: `column_count` is not 0 */
	uint32_t column_count;	      /* of a key */
	uint32_t *inputs;	      /* the batch's columns they are */
	struct column *columns;	      /* as encoded, or as decoded */
	struct buf scratch;	      /* a key */
	struct buf text;	      /* the result of a string_agg */
	struct arena slice;	      /* some decoded keys */
	struct rowkey_entry *entries; /* the keys of the group at hand, sorted */
	size_t entry_capacity;
	size_t held; /* bytes of the values of all groups */
	const atomic_bool *stop;
};

static bool is_within_group(enum aggregate_id id)
{
	return id == AGG_PERCENTILE_CONT || id == AGG_PERCENTILE_DISC || id == AGG_MODE;
}

struct ordered *ordered_new(const struct plan_aggregate *plan)
{
	struct ordered *ordered = memory_zalloc(sizeof(*ordered));

	ordered->plan = plan;
	ordered->physical = type_physical(plan->arg_type.kind);
	ordered->words = is_within_group(plan->id) &&
			 (ordered->physical == PHYSICAL_I64 || ordered->physical == PHYSICAL_F64);
	ordered->descending = plan->sort_count > 0 && plan->sort[0].descending;
	buf_init(&ordered->scratch, ROWKEY_SIZE_MAX);
	buf_init(&ordered->text, TEXT_SIZE_MAX);
	arena_init(&ordered->slice, SLICE_BLOCK);
	return ordered;
}

void ordered_free(struct ordered *ordered)
{
	if (!ordered)
		return;
	if (ordered->column_count > 0)
		rowkey_release(&ordered->key);
	free(ordered->inputs);
	free(ordered->columns);
	free(ordered->entries);
	buf_release(&ordered->scratch);
	buf_release(&ordered->text);
	arena_release(&ordered->slice);
	free(ordered);
}

static struct ordered_values **values_at(const struct aggregate *aggregate, uint8_t *row)
{
	return (struct ordered_values **)(row + aggregate->offset);
}

void ordered_release(const struct aggregate *aggregate, uint8_t *row)
{
	struct ordered_values *values = *values_at(aggregate, row);

	if (values)
		aggregate->ordered->held -= sizeof(*values) + values->capacity;
	free(values);
	*values_at(aggregate, row) = NULL;
}

void ordered_stop_with(struct ordered *ordered, const atomic_bool *stop)
{
	ordered->stop = stop;
}

static int check_stop(const struct ordered *ordered, struct error *err)
{
	if (ordered->stop && atomic_load_explicit(ordered->stop, memory_order_relaxed))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

size_t ordered_bytes(const struct ordered *ordered)
{
	return ordered->held;
}

/* Room for `count` more values of `size` bytes together, which are counted already. */
static char *values_add(
	struct ordered *ordered, struct ordered_values **values, uint64_t count, size_t size)
{
	struct ordered_values *v = *values;
	size_t used = v ? v->size : 0;

	if (!v || size > v->capacity - used) {
		size_t capacity = v ? v->capacity : VALUES_MIN;

		while (capacity < used + size)
			capacity += capacity < VALUES_HALF ? capacity : capacity / 2;
		ordered->held += capacity - (v ? v->capacity : 0) + (v ? 0 : sizeof(*v));
		v = memory_realloc(v, sizeof(*v) + capacity);
		if (!*values)
			v->count = v->size = 0;
		v->capacity = capacity;
		*values = v;
	}
	v->count += count;
	v->size += size;
	return v->bytes + used;
}

static uint64_t word_of_double(double value)
{
	uint64_t bits = CANONICAL_NAN;

	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t word_of_i64(int64_t value)
{
	return (uint64_t)value ^ UINT64_C(1) << 63;
}

static double double_of_word(const struct ordered *ordered, uint64_t word)
{
	double value;

	word = ordered->descending ? ~word : word;
	word = word >> 63 ? word & ~(UINT64_C(1) << 63) : ~word;
	memcpy(&value, &word, sizeof(value));
	return value;
}

static int64_t i64_of_word(const struct ordered *ordered, uint64_t word)
{
	return (int64_t)((ordered->descending ? ~word : word) ^ UINT64_C(1) << 63);
}

static void add_words(const struct aggregate *aggregate, const struct column *arg,
	const struct aggregate_input *input)
{
	bool is_double = aggregate->physical == PHYSICAL_F64;
	struct ordered *ordered = aggregate->ordered;
	uint64_t flip = aggregate->ordered->descending ? UINT64_MAX : 0;

	for (uint32_t i = 0; i < input->count; i++) {
		uint32_t at = column_index(arg, input->index[i]);
		uint64_t word =
			is_double ? word_of_double(arg->f64[at]) : word_of_i64(arg->i64[at]);

		word ^= flip;
		memcpy(values_add(ordered, values_at(aggregate, input->rows[i]), 1, sizeof(word)),
			&word, sizeof(word));
	}
}

/* The key's column that is the batch's column `input`; a new one when it is not among the first. */
static uint32_t key_column(struct ordered *ordered, uint32_t input)
{
	for (uint32_t i = 0; i < ordered->column_count; i++)
		if (ordered->inputs[i] == input)
			return i;
	ordered->inputs[ordered->column_count] = input;
	return ordered->column_count++;
}

static void add_field(struct ordered *ordered, const struct batch *batch, struct rowkey_field field,
	struct rowkey_field *fields, uint32_t *count)
{
	field.physical = type_physical(batch->columns[ordered->inputs[field.column]].type.kind);
	fields[(*count)++] = field;
}

/* The types of the sort keys are known by the batch alone. */
static void make_key(struct ordered *ordered, const struct batch *batch)
{
	const struct plan_aggregate *plan = ordered->plan;
	bool within = is_within_group(plan->id), decoded[2] = {false, false};
	uint32_t column_max = 2 + plan->sort_count, count = 0, value_columns;
	struct rowkey_field *fields = memory_zalloc(column_max * sizeof(*fields));
	const struct type types[2] = {plan->arg_type, type_of(TYPE_TEXT)};

	ordered->inputs = memory_alloc(column_max * sizeof(*ordered->inputs));
	ordered->columns = memory_zalloc(column_max * sizeof(*ordered->columns));
	ordered->inputs[ordered->column_count++] = plan->arg;
	if (plan->id == AGG_STRING_AGG)
		ordered->inputs[ordered->column_count++] = plan->arg2;
	value_columns = ordered->column_count;
	for (uint32_t i = 0; i < plan->sort_count && !within; i++) {
		struct rowkey_field field = {
			.column = key_column(ordered, plan->sort[i].column),
			.descending = plan->sort[i].descending,
			.nulls_first = plan->sort[i].nulls_first,
		};

		if (field.column < value_columns && !decoded[field.column] &&
			rowkey_decodes_inexact(types[field.column].kind))
			field.decode = decoded[field.column] = true;
		add_field(ordered, batch, field, fields, &count);
	}
	for (uint32_t column = 0; column < value_columns; column++) {
		struct rowkey_field field = {.column = column, .exact = true, .decode = true};

		field.descending = within && ordered->descending;
		if (!decoded[column])
			add_field(ordered, batch, field, fields, &count);
	}
	rowkey_init_fields(&ordered->key, value_columns, types, count, fields);
	free(fields);
}

static int add_keys(const struct aggregate *aggregate, const struct batch *batch,
	const struct aggregate_input *input, struct error *err)
{
	struct ordered *ordered = aggregate->ordered;
	struct batch keys = *batch;

	if (ordered->column_count == 0)
		make_key(ordered, batch);
	for (uint32_t i = 0; i < ordered->column_count; i++)
		ordered->columns[i] = batch->columns[ordered->inputs[i]];
	keys.columns = ordered->columns;
	keys.column_count = ordered->column_count;
	for (uint32_t i = 0; i < input->count; i++) {
		uint32_t size;
		char *to;

		if (rowkey_encode(&ordered->key, &keys, input->index[i], &ordered->scratch, err) <
			0)
			return -1;
		size = (uint32_t)ordered->scratch.size;
		to = values_add(
			ordered, values_at(aggregate, input->rows[i]), 1, sizeof(size) + size);
		memcpy(to, &size, sizeof(size));
		memcpy(to + sizeof(size), ordered->scratch.data, size);
	}
	return 0;
}

int ordered_update(const struct aggregate *aggregate, const struct batch *batch,
	const struct aggregate_input *input, struct error *err)
{
	if (!aggregate->ordered->words)
		return add_keys(aggregate, batch, input, err);
	add_words(aggregate, &batch->columns[aggregate->arg], input);
	return 0;
}

/* Whole values of `size` bytes at most, but for one that is longer. */
static size_t values_piece(const struct ordered *ordered, const struct ordered_values *values,
	size_t at, size_t size, uint64_t *count)
{
	size_t end = at;

	*count = 0;
	while (end < values->size) {
		uint32_t key;
		size_t next = end + sizeof(uint64_t);

		if (!ordered->words) {
			memcpy(&key, values->bytes + end, sizeof(key));
			next = end + sizeof(key) + key;
		}
		if (end > at && next - at > size)
			break;
		end = next;
		++*count;
	}
	return end - at;
}

struct text ordered_values_at(
	const struct aggregate *aggregate, uint8_t *row, size_t at, size_t size, uint64_t *count)
{
	const struct ordered_values *values = *values_at(aggregate, row);

	*count = 0;
	if (!values || at == values->size)
		return text_from("", 0);
	return text_from(
		values->bytes + at, values_piece(aggregate->ordered, values, at, size, count));
}

void ordered_add_values(
	const struct aggregate *aggregate, uint8_t *row, uint64_t count, struct text bytes)
{
	memcpy(values_add(aggregate->ordered, values_at(aggregate, row), count, bytes.size),
		bytes.data, bytes.size);
}

static void insert_words(uint64_t *words, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint64_t word = words[i];
		size_t to = i;

		for (; to > 0 && word < words[to - 1]; to--)
			words[to] = words[to - 1];
		words[to] = word;
	}
}

/* The word of this rank, found byte by byte; the words change places. */
static uint64_t select_word(uint64_t *words, size_t count, size_t rank)
{
	for (unsigned shift = 64; shift > 0 && count > WORDS_FEW;) {
		size_t sizes[RADIX] = {0};
		size_t bucket = 0, taken = 0;

		shift -= 8;
		for (size_t i = 0; i < count; i++)
			sizes[words[i] >> shift & 0xff]++;
		while (rank >= sizes[bucket])
			rank -= sizes[bucket++];
		for (size_t i = 0; i < count && taken < sizes[bucket]; i++) {
			uint64_t word = words[i];

			if ((word >> shift & 0xff) != bucket)
				continue;
			words[i] = words[taken];
			words[taken++] = word;
		}
		count = sizes[bucket];
	}
	/* More than a few are left only when all bytes were looked at: they are all the same. */
	if (count <= WORDS_FEW)
		insert_words(words, count);
	return words[rank];
}

/* The word that follows the one of this rank, which is `word`. */
static uint64_t next_word(const uint64_t *words, size_t count, size_t rank, uint64_t word)
{
	uint64_t next = UINT64_MAX;
	size_t not_above = 0;

	for (size_t i = 0; i < count; i++) {
		not_above += words[i] <= word;
		if (words[i] > word && words[i] < next)
			next = words[i];
	}
	return not_above > rank + 1 ? word : next;
}

static void sort_words(uint64_t *words, size_t count, const atomic_bool *stop)
{
	uint64_t *scratch;

	if (count <= WORDS_FEW) {
		insert_words(words, count);
		return;
	}
	scratch = memory_alloc(count * sizeof(*words));
	radix_sort(words, scratch, count, sizeof(*words), 0, 0, stop);
	free(scratch);
}

/* Where percentile_cont reads: between this rank and the next one, the fraction of the way. */
static size_t continuous_rank(size_t count, double fraction, double *rest)
{
	double position = fraction * (double)(count - 1);
	size_t rank = (size_t)floor(position);

	rank = rank < count ? rank : count - 1;
	*rest = rank + 1 == count ? 0 : position - (double)rank;
	return rank;
}

/* PostgreSQL's formula, to the bit. */
static double percentile_cont(
	const struct ordered *ordered, uint64_t *words, size_t count, double fraction)
{
	double rest, low, high;
	size_t rank = continuous_rank(count, fraction, &rest);
	uint64_t word, next;

	word = select_word(words, count, rank);
	low = double_of_word(ordered, word);
	if (rest == 0)
		return low;
	next = next_word(words, count, rank, word);
	high = double_of_word(ordered, next);
	return low + rest * (high - low);
}

/* The rank of the first value whose share of the rows is the fraction, or more. */
static size_t percentile_rank(uint64_t count, double fraction)
{
	double place = ceil(fraction * (double)count);

	if (place <= 1)
		return 0;
	return place >= (double)count ? (size_t)count - 1 : (size_t)place - 1;
}

static bool same_words(const struct ordered *ordered, uint64_t a, uint64_t b)
{
	/* 0 and -0 */
	return a == b || (ordered->physical == PHYSICAL_F64 &&
				 double_of_word(ordered, a) == double_of_word(ordered, b));
}

/* Whether two values are equal in SQL: what only tells equal ones apart stands at the end. */
static bool same_keys(const struct ordered *ordered, const uint8_t *a, const uint8_t *b)
{
	uint32_t ignored = rowkey_exact_size(ordered->physical);

	return rowkey_size(a) == rowkey_size(b) &&
	       memcmp(rowkey_bytes(a), rowkey_bytes(b), rowkey_size(a) - ignored) == 0;
}

/*
 * The index of the mode among sorted values: the first of the most frequent ones. Of equal values
 * it is that with the greatest scale, 0 rather than -0, and the interval of the least months and
 * days.
 */
static size_t mode_index(const struct ordered *ordered, const uint64_t *words, size_t count)
{
	bool first = ordered->descending != (ordered->physical == PHYSICAL_INTERVAL);
	size_t best = 0, best_count = 0, start = 0;

	for (size_t i = 1; i <= count; i++) {
		if (i < count && (words ? same_words(ordered, words[i], words[start])
					: same_keys(ordered, ordered->entries[i].stored,
						  ordered->entries[start].stored)))
			continue;
		if (i - start > best_count) {
			best_count = i - start;
			best = first ? start : i - 1;
		}
		start = i;
	}
	return best;
}

/* Percentiles and modes of words. */
static void read_words(const struct aggregate *aggregate, struct ordered_values *values,
	struct column *out, uint32_t i)
{
	const struct ordered *ordered = aggregate->ordered;
	uint64_t *words = (uint64_t *)values->bytes, word;
	size_t count = (size_t)values->count;
	double fraction = ordered->plan->fraction;

	if (aggregate->id == AGG_PERCENTILE_CONT) {
		out->f64[i] = percentile_cont(ordered, words, count, fraction);
		return;
	}
	if (aggregate->id == AGG_PERCENTILE_DISC) {
		word = select_word(words, count, percentile_rank(count, fraction));
	} else {
		sort_words(words, count, ordered->stop);
		word = words[mode_index(ordered, words, count)];
	}
	if (ordered->physical == PHYSICAL_F64)
		out->f64[i] = double_of_word(ordered, word);
	else
		out->i64[i] = i64_of_word(ordered, word);
}

/* Leaves the keys of a group in ordered->entries. */
static void sort_keys(struct ordered *ordered, const struct ordered_values *values)
{
	const uint8_t *stored = (const uint8_t *)values->bytes;
	size_t count = (size_t)values->count;

	if (count > ordered->entry_capacity) {
		free(ordered->entries);
		ordered->entry_capacity = count + count / 2;
		ordered->entries =
			memory_alloc(ordered->entry_capacity * sizeof(*ordered->entries));
	}
	for (size_t i = 0; i < count; i++) {
		ordered->entries[i] = (struct rowkey_entry){.stored = stored};
		stored = rowkey_bytes(stored) + rowkey_size(stored);
	}
	rowkey_sort(ordered->entries, count, ordered->stop);
}

/* percentile_cont of intervals: as of numbers, with the arithmetic of intervals. */
static int read_interval(struct ordered *ordered, const struct ordered_values *values,
	struct interval *out, struct error *err)
{
	size_t count = (size_t)values->count;
	struct interval low, way;
	double rest;
	size_t rank = continuous_rank(count, ordered->plan->fraction, &rest);

	arena_reset(&ordered->slice);
	rowkey_decode(&ordered->key, &ordered->entries[rank], rest > 0 ? 2 : 1, ordered->columns,
		&ordered->slice);
	*out = low = ordered->columns[COLUMN_ARG].interval[0];
	if (rest == 0 || (interval_sub(ordered->columns[COLUMN_ARG].interval[1], low, &way) &&
				 interval_multiply(way, rest, &way) && interval_add(way, low, out)))
		return 0;
	return error_set(err, ERROR_EVAL, "interval out of range");
}

/* Percentiles and modes of texts, numerics and intervals. */
static void read_key(const struct aggregate *aggregate, const struct ordered_values *values,
	struct column *out, uint32_t i, struct arena *arena)
{
	struct ordered *ordered = aggregate->ordered;
	size_t size = physical_size(ordered->physical);
	size_t count = (size_t)values->count;
	size_t index = aggregate->id == AGG_MODE ? mode_index(ordered, NULL, count)
						 : percentile_rank(count, ordered->plan->fraction);

	rowkey_decode(&ordered->key, &ordered->entries[index], 1, ordered->columns, arena);
	memcpy((char *)out->values + i * size, ordered->columns[COLUMN_ARG].values, size);
}

static int read_string(struct ordered *ordered, const struct ordered_values *values,
	struct column *out, uint32_t i, struct arena *arena, struct error *err)
{
	const struct column *texts = &ordered->columns[COLUMN_ARG];
	const struct column *delimiters = &ordered->columns[COLUMN_DELIMITER];
	size_t count = (size_t)values->count;

	buf_clear(&ordered->text);
	for (size_t first = 0; first < count; first += BATCH_ROWS_MAX) {
		size_t rest = count - first;
		uint32_t rows = (uint32_t)(rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX);

		arena_reset(&ordered->slice);
		rowkey_decode(&ordered->key, ordered->entries + first, rows, ordered->columns,
			&ordered->slice);
		for (uint32_t row = 0; row < rows; row++) {
			if (first + row > 0 && !column_is_null(delimiters, row))
				buf_append(&ordered->text, delimiters->text[row].data,
					delimiters->text[row].size);
			buf_append(&ordered->text, texts->text[row].data, texts->text[row].size);
		}
	}
	if (buf_overflowed(&ordered->text))
		return error_set(err, ERROR_LIMIT, "string_agg makes a text of more than %u bytes",
			TEXT_SIZE_MAX);
	out->text[i] = text_from(
		arena_copy(arena, ordered->text.data, ordered->text.size), ordered->text.size);
	return 0;
}

static int read_list(struct ordered *ordered, const struct ordered_values *values,
	struct column *out, uint32_t i, struct arena *arena, struct error *err)
{
	const struct column *column = &ordered->columns[COLUMN_ARG];
	uint32_t count = (uint32_t)values->count;
	uint64_t size = values->count;
	struct text *items = NULL;

	if (size <= TEXT_SIZE_MAX) {
		rowkey_decode(&ordered->key, ordered->entries, count, ordered->columns, arena);
		items = arena_alloc(arena, count * sizeof(*items));
		items_of_column(column, count, items, arena);
		for (uint32_t k = 0; k < count; k++)
			size += item_is_null(items[k]) ? 0 : items[k].size;
	}
	if (size > TEXT_SIZE_MAX)
		return error_set(err, ERROR_LIMIT, "array_agg makes a list of more than %u bytes",
			TEXT_SIZE_MAX);
	out->list[i] = (struct text_list){items, count};
	return 0;
}

static int read_one(const struct aggregate *aggregate, struct ordered_values *values,
	struct column *out, uint32_t i, struct arena *arena, struct error *err)
{
	struct ordered *ordered = aggregate->ordered;

	if (ordered->words) {
		read_words(aggregate, values, out, i);
		return 0;
	}
	sort_keys(ordered, values);
	if (check_stop(ordered, err))
		return -1;
	if (aggregate->id == AGG_STRING_AGG)
		return read_string(ordered, values, out, i, arena, err);
	if (aggregate->id == AGG_ARRAY_AGG)
		return read_list(ordered, values, out, i, arena, err);
	if (aggregate->id == AGG_PERCENTILE_CONT)
		return read_interval(ordered, values, &out->interval[i], err);
	read_key(aggregate, values, out, i, arena);
	return 0;
}

int ordered_read_result(const struct aggregate *aggregate, uint8_t *const *rows, uint32_t count,
	struct column *out, struct arena *arena, struct error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		struct ordered_values *values = *values_at(aggregate, rows[i]);

		if (check_stop(aggregate->ordered, err))
			return -1;
		if (!values)
			aggregate_set_null(out, i, count, arena);
		else if (read_one(aggregate, values, out, i, arena, err) < 0)
			return -1;
	}
	return 0;
}
