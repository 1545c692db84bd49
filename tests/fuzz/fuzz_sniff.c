/*
 * Random bytes as the sample of a CSV file, and as values of a column. Whatever is found lies within
 * the sample, is found again, and fits what it was found in; a type that is guessed reads the values
 * that it was guessed from.
 */
#include "base/memory.h"
#include "csv/guess.h"
#include "csv/sniff/sniff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_MAX_FUZZED 20000

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_found(const struct csv_sniffed *found, const struct csv_sample *sample)
{
	CHECK(found->body <= sample->head_size);
	CHECK(found->footer_bytes <= sample->head_size + sample->tail_size);
	CHECK(found->width == 0 || found->names);
	for (uint32_t i = 0; i < found->width; i++)
		for (uint32_t k = 0; k < i; k++)
			CHECK(found->names[i].size != found->names[k].size ||
				memcmp(found->names[i].data, found->names[k].data,
					found->names[i].size) != 0);
}

static void check_sniff(const char *text, size_t size, size_t head)
{
	struct csv_sample sample = {.head = text,
		.head_size = head,
		.whole = head == size,
		.tail = text + head,
		.tail_size = size - head};
	struct csv_dialect usual = csv_dialect_default();
	struct csv_sniffed found, again;
	struct arena arena;
	struct error err;

	arena_init(&arena, 4096);
	if (csv_sniff("fuzzed", &sample, &usual, &arena, &found, &err) == 0) {
		check_found(&found, &sample);
		/* What was found of a file does not change what is found in it. */
		CHECK(csv_sniff("fuzzed", &sample, &found.dialect, &arena, &again, &err) == 0);
		CHECK(again.body == found.body && again.width == found.width);
		CHECK(again.footer_bytes == found.footer_bytes);
		if (csv_sniff_header(&sample, &found.dialect, &arena, &again))
			CHECK(again.body <= sample.head_size);
	} else {
		CHECK(err.code == ERROR_DATA || err.code == ERROR_LIMIT);
	}
	arena_release(&arena);
}

/* Every line is a value of one column. */
static void check_guess(const char *text, size_t size)
{
	struct csv_dialect usual = csv_dialect_default();
	struct table_column column = {.name = "x"};
	struct csv_guess guess;
	struct arena arena;

	arena_init(&arena, 4096);
	csv_guess_init(&guess, &usual);
	for (size_t at = 0, end; at < size; at = end + 1) {
		const char *line = memchr(text + at, '\n', size - at);

		end = line ? (size_t)(line - text) : size;
		csv_guess_add(&guess, text + at, end - at, true);
	}
	csv_guess_settle(&guess, false, &column, &arena);
	for (size_t at = 0, end; at < size && column.guessed; at = end + 1) {
		const char *line = memchr(text + at, '\n', size - at);
		struct value value;
		const char *reason;
		bool blank = true;

		end = line ? (size_t)(line - text) : size;
		for (size_t i = at; i < end; i++)
			blank = blank && (text[i] == ' ' || text[i] == '\t');
		if (blank || csv_is_null_word(text + at, end - at))
			continue;
		CHECK(guess_value_kinds(&column.reading, text + at, end - at) &
			guess_kind_of(column.type));
		CHECK(csv_reading_parse(&column.reading, column.type, text + at, end - at, &arena,
			&value, &reason));
	}
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	/* A copy of its own size: reading one byte too far is seen. */
	char *text;

	if (size < 2 || size > SIZE_MAX_FUZZED)
		return 0;
	text = memory_alloc(size - 1);
	memcpy(text, bytes + 1, size - 1);
	check_sniff(text, size - 1, size - 1);
	check_sniff(text, size - 1, (size - 1) * bytes[0] / 255);
	check_guess(text, size - 1);
	free(text);
	return 0;
}
