/*
 * Random bytes as CSV. Every instruction set must find the positions that the scalar definition
 * finds, and the decoded rows must not depend on the instruction set or on how the text is cut.
 */
#include "base/hash.h"
#include "column/numeric_long.h"
#include "csv/decode.h"
#include "csv/file.h"
#include "csv/scan/scan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE_MAX_FUZZED 20000
#define FIELDS_MAX	12

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

struct positions {
	uint32_t ends[SIZE_MAX_FUZZED + CSV_SCAN_ENDS_MIN];
	uint32_t count;
	uint32_t rows;
};

static char *padded(const char *text, size_t size)
{
	char *copy = malloc(size + CSV_SCAN_PADDING);

	memcpy(copy, text, size);
	memset(copy + size, '\n', CSV_SCAN_PADDING);
	return copy;
}

static void define(struct positions *out, const char *text, uint32_t size)
{
	enum csv_state state = CSV_FIELD_START;
	bool in_record = false;

	out->count = out->rows = 0;
	for (uint32_t i = 0; i < size; i++) {
		state = csv_state_step(state, text[i], ',', '"');
		in_record = true;
		if (state != CSV_FIELD_START)
			continue;
		out->ends[out->count++] = i;
		if (text[i] == '\n') {
			out->rows++;
			in_record = false;
		}
	}
	if (in_record) {
		out->ends[out->count++] = size;
		out->rows++;
	}
}

static void check_positions(const char *text, uint32_t size)
{
	static struct positions defined, found;

	define(&defined, text, size);
	for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
		struct csv_scan scan;
		uint32_t count, rows;

		if (!csv_isa_supported(isa))
			continue;
		found.count = found.rows = 0;
		csv_scan_start(&scan, text, size, ',', '"', isa);
		/* Wide open, then a few records at a time. */
		for (uint32_t rows_max = 7; rows_max < 100000; rows_max *= 100) {
			scan.offset = 0;
			found.count = found.rows = 0;
			while ((count = csv_scan_next(&scan, rows_max, found.ends + found.count,
					(uint32_t)(sizeof(found.ends) / sizeof(found.ends[0])) -
						found.count,
					&rows)) > 0) {
				found.count += count;
				found.rows += rows;
			}
			CHECK(found.count == defined.count && found.rows == defined.rows);
			CHECK(memcmp(found.ends, defined.ends, found.count * sizeof(uint32_t)) ==
				0);
		}
	}
}

/* Order and contents of all rows in one number. */
struct digest {
	uint64_t hash;
	uint64_t rows;
	uint64_t rejects;
	uint64_t lines;
};

static void add(struct digest *digest, const void *bytes, size_t size)
{
	digest->hash = hash_combine(digest->hash, size ? hash_bytes(bytes, size) : 1);
}

/* A long one is a pointer to its digits. */
static void add_numeric(struct digest *digest, numeric number)
{
	struct buf text;

	buf_init(&text, SIZE_MAX_FUZZED * 4);
	numeric_append(number, &text);
	add(digest, text.data, text.size);
	buf_release(&text);
}

static void add_value(struct digest *digest, const struct value *value)
{
	add(digest, &value->is_null, sizeof(value->is_null));
	if (value->is_null)
		return;
	switch (type_physical(value->type.kind)) {
	case PHYSICAL_U8: add(digest, &value->boolean, 1); break;
	case PHYSICAL_I64: add(digest, &value->i64, 8); break;
	case PHYSICAL_NUM: add_numeric(digest, value->num); break;
	case PHYSICAL_F64: add(digest, &value->f64, 8); break;
	case PHYSICAL_TEXT: add(digest, value->text.data, value->text.size); break;
	case PHYSICAL_INTERVAL: add(digest, &value->interval, 16); break;
	case PHYSICAL_LIST:
		for (uint32_t i = 0; i < value->list.count; i++) {
			if (value->list.items[i].size != TEXT_LIST_NULL_SIZE)
				add(digest, value->list.items[i].data, value->list.items[i].size);
		}
		break;
	}
}

static void add_batch(struct digest *digest, const struct batch *batch, const struct csv_bad *bad,
	uint32_t bad_count)
{
	uint32_t next = 0;

	for (uint32_t row = 0; row < batch->rows; row++) {
		for (uint32_t c = 0; c < batch->column_count; c++) {
			struct value value = column_value(&batch->columns[c], row);

			add_value(digest, &value);
		}
		for (; next < bad_count && bad[next].row == row; next++)
			add(digest, &bad[next].column, sizeof(bad[next].column));
	}
	CHECK(next == bad_count);
}

static const struct csv_layout *layout_of(uint32_t field_count)
{
	static const uint32_t fields[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	static const char *const names[] = {
		"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
	static struct type types[12];
	static struct csv_layout layout;

	for (uint32_t i = 0; i < 11; i++)
		types[i] = type_of((enum type_kind)(TYPE_BOOL + i));
	types[11] = (struct type){TYPE_NUMERIC, 6, 2};
	/* Narrow texts start with the types that have readers of their own. */
	if (field_count < 5) {
		types[0] = type_of(TYPE_TIMESTAMP);
		types[1] = type_of(TYPE_BIGINT);
		types[2] = type_of(TYPE_NUMERIC);
		types[3] = type_of(TYPE_TEXT);
	}
	layout = (struct csv_layout){.field_count = field_count,
		.column_count = field_count,
		.fields = fields,
		.types = types,
		.names = names,
		.format = csv_format_default()};
	return &layout;
}

static bool decode_file(int fd, uint32_t field_count, bool declared, size_t chunk_bytes,
	enum csv_isa isa, struct digest *digest)
{
	struct table_column columns[FIELDS_MAX] = {0};
	const struct csv_layout *layout = layout_of(field_count);
	struct table_schema table = {.name = "t", .dialect = csv_dialect_default()};
	struct csv_decoder *decoder;
	struct csv_file *file;
	struct csv_chunk chunk;
	struct csv_tally tally;
	struct error err;
	char path[64];
	int status;

	*digest = (struct digest){0};
	table.dialect.given = CSV_GIVEN_SHAPE;
	table.dialect.header_rows = 0;
	for (uint32_t c = 0; declared && c < field_count; c++)
		columns[c] =
			(struct table_column){.name = layout->names[c], .type = layout->types[c]};
	table.columns = columns;
	table.column_count = declared ? field_count : 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (csv_file_open(&file, path, &table, NULL, chunk_bytes, &err) < 0)
		return false;
	decoder = csv_decoder_new(layout, isa);
	csv_chunk_init(&chunk);
	csv_tally_init(&tally, 5);
	while ((status = csv_file_next(file, &chunk, &err)) > 0) {
		const struct csv_bad *bad;
		uint32_t bad_count;
		struct batch batch;

		csv_decoder_start(decoder, file, &chunk, &tally);
		while (csv_decoder_next(decoder, &batch, &bad, &bad_count))
			add_batch(digest, &batch, bad, bad_count);
		digest->lines += csv_decoder_lines(decoder);
	}
	digest->rows = tally.rows;
	digest->rejects = tally.rejects;
	csv_tally_release(&tally);
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
	csv_file_close(file);
	return status == 0;
}

static void check_cuts(const char *text, size_t size, uint32_t field_count, bool declared)
{
	static const size_t cuts[] = {64, 200, 1000, 0};
	struct digest whole, part;
	int fd = memfd_create("fuzz_csv", 0);

	CHECK(fd >= 0 && write(fd, text, size) == (ssize_t)size);
	if (decode_file(fd, field_count, declared, 1u << 20, CSV_ISA_PORTABLE, &whole)) {
		for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
			CHECK(decode_file(
				fd, field_count, declared, cuts[i], csv_isa_detect(), &part));
			CHECK(part.hash == whole.hash && part.rows == whole.rows);
			CHECK(part.rejects == whole.rejects && part.lines == whole.lines);
		}
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	char *text;

	if (size < 2 || size > SIZE_MAX_FUZZED)
		return 0;
	text = padded((const char *)bytes + 1, size - 1);
	check_positions(text, (uint32_t)size - 1);
	check_cuts(text, size - 1, 1 + bytes[0] % FIELDS_MAX, true);
	/* Nothing is a reject: quotes are read, or the file is refused. */
	check_cuts(text, size - 1, 1 + bytes[0] % FIELDS_MAX, false);
	free(text);
	return 0;
}
