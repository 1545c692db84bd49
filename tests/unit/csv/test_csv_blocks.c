#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "csv/blocks_private.h"
#include "csv/scan/scan_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX  4000
#define TAKEN_MAX 5

/* Any bytes that mean something. */
static size_t random_text(struct rng *rng, char *text, size_t size)
{
	static const char bytes[] = "aab,,\"\"\n\r";

	for (size_t i = 0; i < size; i++)
		text[i] = bytes[rng_below(rng, sizeof(bytes) - 1)];
	return size;
}

/* Records that keep the rules of quotes. */
static size_t random_records(struct rng *rng, char *text, size_t size_min)
{
	static const char *const parts[] = {"a", ",", "\n", "\"\"", "\r", "bc"};
	size_t size = 0;

	while (size < size_min) {
		bool quoted = rng_below(rng, 3) == 0;

		if (quoted)
			text[size++] = '"';
		for (uint64_t i = rng_below(rng, 6); i > 0; i--) {
			const char *part = quoted ? parts[rng_below(rng, 6)] : "x";

			memcpy(text + size, part, strlen(part));
			size += strlen(part);
		}
		if (quoted)
			text[size++] = '"';
		if (rng_below(rng, 4) == 0) {
			if (rng_below(rng, 2) == 0)
				text[size++] = '\r';
			text[size++] = '\n';
		} else {
			text[size++] = ',';
		}
	}
	return size;
}

static void test_skip_record(void **state)
{
	struct rng rng = {1};
	char text[40];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t size = random_text(&rng, text, rng_below(&rng, sizeof(text)));

		for (int inside = 0; inside < 2; inside++) {
			enum csv_state from = inside ? CSV_IN_QUOTES : CSV_FIELD_START;

			assert_int_equal(csv_skip_record(text, size, inside, ',', '"'),
				csv_state_skip_record(&from, text, size, ',', '"'));
		}
	}
	assert_int_equal(csv_skip_record("\"a\nb", 4, false, ',', '\0'), 3);
}

/* Whether some quote tells on which side of it the field is. */
static bool tells(const char *text, size_t size)
{
	for (size_t i = 1; i + 1 < size; i++) {
		bool behind = text[i - 1] == ',' || text[i - 1] == '\n';
		bool before = text[i + 1] == ',' || text[i + 1] == '\n' || text[i + 1] == '\r';

		if (text[i] == '"' && text[i - 1] != '"' && text[i + 1] != '"' && behind != before)
			return true;
	}
	return false;
}

static void test_guess(void **state)
{
	struct rng rng = {2};
	char text[400];
	uint32_t told = 0;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t size = random_records(&rng, text, 300);
		size_t starts[sizeof(text)], count = 0, length;

		starts[count++] = 0;
		while ((length = csv_skip_record(text + starts[count - 1], size - starts[count - 1],
				false, ',', '"')) > 0) {
			starts[count] = starts[count - 1] + length;
			count++;
		}
		for (size_t from = 0, next = 1; from < size; from++) {
			size_t guess = csv_guess_record(text + from, size - from, ',', '"');

			while (next < count && starts[next] <= from)
				next++;
			if (!tells(text + from, size - from))
				continue;
			told++;
			assert_int_equal(guess, next < count ? starts[next] - from : 0);
		}
	}
	assert_true(told > 100000);
	assert_int_equal(csv_guess_record("ab\nc\n", 5, ',', '"'), 3);
	assert_int_equal(csv_guess_record("a\"b\nc\n", 6, ',', '\0'), 4);
	assert_int_equal(csv_guess_record("ab", 2, ',', '"'), 0);
}

/* What a chunk was found to hold is what a scan of it finds. */
static void check_scanned(const struct csv_chunk *chunk)
{
	static uint32_t ends[TEXT_MAX + 2 * CSV_SCAN_ENDS_MIN];
	struct csv_scan scan;
	uint32_t rows, count;

	assert_int_equal(chunk->plain, memchr(chunk->data, '"', chunk->size) == NULL);
	if (!chunk->scanned)
		return;
	csv_scan_start(&scan, chunk->data, chunk->size, ',', '"', csv_isa_detect());
	count = csv_scan_next(
		&scan, UINT32_MAX, ends, (uint32_t)(sizeof(ends) / sizeof(ends[0])), &rows);
	assert_false(scan.malformed);
	assert_int_equal(scan.offset, chunk->size);
	assert_int_equal(chunk->end_count, count);
	assert_memory_equal(chunk->ends, ends, count * sizeof(*ends));
	assert_int_equal(chunk->unclosed, scan.unclosed);
	assert_true(chunk->doubled || !scan.doubled);
}

/* Takes `taken` blocks at a time and cuts the last one first; the sizes of all chunks. */
static uint32_t read_blocks(struct input *input, size_t block_bytes, uint32_t taken,
	const char *text, size_t size, uint32_t *sizes)
{
	struct csv_format format = csv_format_default();
	struct csv_blocks *blocks =
		csv_blocks_new(input, 0, UINT64_MAX, &format, csv_isa_detect(), block_bytes);
	struct csv_chunk chunks[TAKEN_MAX];
	struct csv_block held[TAKEN_MAX];
	int status[TAKEN_MAX];
	uint32_t count = 0;
	size_t done = 0;
	struct error err;

	for (uint32_t i = 0; i < taken; i++)
		csv_chunk_init(&chunks[i]);
	while (csv_blocks_take(blocks, &held[0], &err) == 1) {
		for (uint32_t i = 1; i < taken; i++)
			assert_int_equal(csv_blocks_take(blocks, &held[i], &err), 1);
		for (uint32_t i = taken; i-- > 0;)
			status[i] = csv_blocks_cut(blocks, &held[i], &chunks[i], &err);
		for (uint32_t i = 0; i < taken; i++) {
			if (csv_blocks_settle(blocks, &held[i], &chunks[i], status[i], &err) != 1)
				continue;
			assert_int_equal(chunks[i].number, count);
			assert_true(done + chunks[i].size <= size);
			assert_memory_equal(chunks[i].data, text + done, chunks[i].size);
			check_scanned(&chunks[i]);
			done += chunks[i].size;
			sizes[count++] = chunks[i].size;
		}
	}
	assert_int_equal(done, size);
	assert_int_equal(input_bytes_done(input), size);
	for (uint32_t i = 0; i < taken; i++)
		csv_chunk_release(&chunks[i]);
	csv_blocks_free(blocks);
	return count;
}

/* A chunk ends where a record does, and starts behind a newline of its block. */
static void check_cuts(
	const char *text, size_t size, size_t block_bytes, const uint32_t *sizes, uint32_t count)
{
	size_t record = 0, chunk = 0;

	for (uint32_t i = 0; i < count; i++) {
		size_t limit = ((chunk ? chunk - 1 : 0) / block_bytes + 1) * block_bytes;

		assert_int_equal(record, chunk);
		chunk += sizes[i];
		while (record < chunk) {
			size_t length =
				csv_skip_record(text + record, size - record, false, ',', '"');

			assert_true(record == 0 || record - 1 < limit);
			record += length ? length : size - record;
		}
		assert_true(chunk > limit || chunk == size);
	}
}

/* However many blocks are cut ahead, the chunks are the same. */
static void test_blocks(void **state)
{
	static uint32_t sizes[2][TEXT_MAX];
	char path[] = "/tmp/test_csv_blocks.XXXXXX";
	int fd = mkstemp(path);
	struct rng rng = {3};
	char text[TEXT_MAX + 100];

	(void)state;
	assert_true(fd >= 0);
	for (int round = 0; round < 600; round++) {
		size_t size = 1 + rng_below(&rng, TEXT_MAX - 1);
		size_t block_bytes = 1 + rng_below(&rng, round % 2 ? 60 : 700);
		uint32_t counts[2];

		size = round % 3 ? random_records(&rng, text, size) : random_text(&rng, text, size);
		if (round % 5 == 0)
			size = random_text(&rng, text, 20) + size - 20 * (size > 20);
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, text, size, 0), size);
		for (uint32_t i = 0; i < 2; i++) {
			struct input *input;
			struct error err;

			assert_int_equal(input_open(&input, path, NULL, &err), 0);
			counts[i] = read_blocks(input, block_bytes,
				i ? 2 + (uint32_t)rng_below(&rng, 4) : 1, text, size, sizes[i]);
			input_close(input);
			check_cuts(text, size, block_bytes, sizes[i], counts[i]);
		}
		assert_int_equal(counts[0], counts[1]);
		assert_memory_equal(sizes[0], sizes[1], counts[0] * sizeof(sizes[0][0]));
	}
	close(fd);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_skip_record),
		cmocka_unit_test(test_guess),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
