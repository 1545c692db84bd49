/*
 * Any bytes as lines of JSON, rewritten as CSV. Whatever they are: nothing outside the text is read,
 * and the records are those of the lines that are not blank, in order and with their numbers; what is
 * no object is a record that a decoder refuses, and what is one has all its fields.
 */
#include "csv/decode.h"
#include "csv/json/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

#define FIELDS		4
#define SIZE_MAX_FUZZED (64u << 10)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Lines that hold anything but blanks, and the sum of their numbers. */
static void count_lines(const char *text, size_t size, uint64_t *count, uint64_t *sum)
{
	uint64_t line = 7;
	bool blank = true;

	*count = *sum = 0;
	for (size_t i = 0; i <= size; i++) {
		if (i == size || text[i] == '\n') {
			*count += !blank;
			*sum += blank ? 0 : line;
			blank = true;
			line++;
		} else {
			blank &= text[i] == ' ' || text[i] == '\t' || text[i] == '\r';
		}
	}
}

static void decode(const struct buf *records, struct csv_tally *tally, uint64_t *sum)
{
	static const uint32_t fields[FIELDS] = {0, 1, 2, 3};
	static const char *const names[FIELDS] = {"_line", "a", "b", "c"};
	const struct type types[FIELDS] = {
		type_of(TYPE_BIGINT), type_of(TYPE_TEXT), type_of(TYPE_TEXT), type_of(TYPE_TEXT)};
	const struct csv_layout layout = {.field_count = FIELDS,
		.column_count = FIELDS,
		.fields = fields,
		.types = types,
		.names = names,
		.format = csv_format_default()};
	struct csv_decoder *decoder = csv_decoder_new(&layout, csv_isa_detect());
	const struct csv_bad *bad;
	struct csv_chunk chunk;
	struct batch batch;
	uint32_t bad_count;

	csv_chunk_init(&chunk);
	csv_chunk_set(&chunk, records->size ? records->data : "", records->size, '"');
	chunk.numbered = true;
	csv_decoder_start(decoder, NULL, &chunk, tally);
	while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
		CHECK(bad_count == 0);
		for (uint32_t row = 0; row < batch.rows; row++) {
			CHECK(!column_is_null(&batch.columns[0], row));
			*sum += (uint64_t)batch.columns[0].i64[row];
			for (uint32_t c = 1; c < FIELDS; c++)
				if (!column_is_null(&batch.columns[c], row))
					CHECK(batch.columns[c].text[row].size <= records->size);
		}
	}
	csv_chunk_release(&chunk);
	csv_decoder_free(decoder);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct text names[FIELDS] = {{"_line", 5}, {"a", 1}, {"b", 1}, {"c", 1}};
	const struct json_lines lines = {.path = "t",
		.name_count = FIELDS,
		.names = names,
		.format = csv_format_default(),
		.null = ""};
	uint64_t count, line_sum, sum = 0;
	struct csv_tally tally;
	struct error err;
	struct buf out;
	char *copy;

	if (size > SIZE_MAX_FUZZED)
		return 0;
	copy = malloc(size + 1);
	CHECK(copy);
	if (size > 0)
		memcpy(copy, bytes, size);
	buf_init(&out, 64u << 20);
	CHECK(json_lines_rewrite(&lines, copy, size, 7, &out, &err) == 0);
	CHECK(!buf_overflowed(&out));
	csv_tally_init(&tally, UINT64_MAX);
	decode(&out, &tally, &sum);
	for (uint64_t i = 0; i < tally.kept_count; i++)
		sum += tally.kept[i].line;
	count_lines(copy, size, &count, &line_sum);
	CHECK(tally.rows == count && tally.kept_count == tally.rejects);
	CHECK(sum == line_sum);
	csv_tally_release(&tally);
	buf_release(&out);
	free(copy);
	return 0;
}
