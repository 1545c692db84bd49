#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "csv/scan/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 4096

/* Positions of a text as this test understands the format, written apart from the scanner. */
struct expected {
	uint32_t ends[TEXT_MAX + 1];
	uint32_t count;
	uint32_t rows;
	size_t whole;
	bool unclosed;
};

static void expect_text(struct expected *expected, const char *text, uint32_t size)
{
	uint32_t i = 0;

	memset(expected, 0, sizeof(*expected));
	while (i < size) {
		bool open = text[i] == '"';

		i += open;
		while (open && i < size) {
			if (text[i] != '"') {
				i++;
			} else if (i + 1 < size && text[i + 1] == '"') {
				i += 2;
			} else {
				open = false;
				i++;
			}
		}
		expected->unclosed = open;
		while (!open && i < size && text[i] != ',' && text[i] != '\n')
			i++;
		expected->ends[expected->count++] = i;
		if (i == size) {
			expected->rows++;
		} else if (text[i] == '\n') {
			expected->rows++;
			expected->whole = i + 1;
		} else if (i + 1 == size) {
			/* A delimiter at the very end: an empty field follows it. */
			expected->ends[expected->count++] = size;
			expected->rows++;
		}
		i++;
	}
}

/* A copy whose padding ends where its memory ends, so that a sanitizer sees what goes too far. */
static char *padded(const char *text, size_t size)
{
	char *copy = malloc(size + CSV_SCAN_PADDING);

	assert_non_null(copy);
	memcpy(copy, text, size);
	memset(copy + size, '"', CSV_SCAN_PADDING);
	return copy;
}

static void check_scan(
	const char *text, uint32_t size, enum csv_isa isa, uint32_t rows_max, uint32_t ends_max)
{
	static struct expected expected;
	char *copy = padded(text, size);
	uint32_t *ends = malloc(ends_max * sizeof(*ends));
	struct csv_scan scan;
	uint32_t seen = 0, rows_seen = 0;
	uint32_t count, rows;

	expect_text(&expected, text, size);
	csv_scan_start(&scan, copy, size, ',', '"', isa);
	assert_int_equal(scan.quoted, size > 0 && memchr(text, '"', size) != NULL);
	while ((count = csv_scan_next(&scan, rows_max, ends, ends_max, &rows)) > 0) {
		assert_true(rows >= 1 && rows <= rows_max && count <= ends_max);
		assert_true(seen + count <= expected.count);
		assert_memory_equal(ends, expected.ends + seen, count * sizeof(*ends));
		seen += count;
		rows_seen += rows;
		if (count == ends_max && rows == 1) {
			while (seen < scan.offset && seen < expected.count &&
				expected.ends[seen] < scan.offset)
				seen++;
			if (scan.offset == size && seen < expected.count)
				seen = expected.count;
		}
	}
	assert_int_equal(seen, expected.count);
	assert_int_equal(rows_seen, expected.rows);
	assert_int_equal(rows, 0);
	assert_int_equal(scan.offset, size);
	assert_int_equal(scan.unclosed, expected.unclosed);
	assert_int_equal(csv_scan_whole_records(copy, size, ',', '"', isa), expected.whole);
	free(ends);
	free(copy);
}

static void check_all(const char *text, uint32_t size)
{
	for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
		if (!csv_isa_supported(isa))
			continue;
		check_scan(text, size, isa, 2048, TEXT_MAX + CSV_SCAN_ENDS_MIN);
		check_scan(text, size, isa, 1, CSV_SCAN_ENDS_MIN);
		check_scan(text, size, isa, 3, 2 * CSV_SCAN_ENDS_MIN);
	}
}

static void test_isa(void **state)
{
	(void)state;
	assert_true(csv_isa_supported(CSV_ISA_PORTABLE));
	assert_true(csv_isa_supported(csv_isa_detect()));
	assert_false(csv_isa_supported((enum csv_isa)99));
}

static void test_small_texts(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"\n\n",
		"a",
		"a,b",
		"a,b\n",
		"a,b\nc,d",
		"a,b\nc,d\n",
		",",
		",,\n,,\n",
		"\"a\",\"b\"\n",
		"\"a,b\",\"c\nd\"\n1,2\n",
		"\"a\"\"b\"\n",
		"\"\"\"\"\n",
		"\"\"\n\"\",\"\"\n",
		"\"a\"x,b\n\"c\n\",d\n",
		"a\"b,c\"d\n",
		"\"open,\n1,2\n",
		"\"",
		"\"\"",
		"\"\"\"",
		"\"a\"\r\n\"b\"\r\n",
		"\"a\"\rb\n",
		"\"a\" ,b\n",
		"a,b\r\nc,d\r\n",
		"\"a\"\r",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check_all(texts[i], (uint32_t)strlen(texts[i]));
}

/* The known answers, so that the test's own reading of the format is tested, too. */
static void test_positions(void **state)
{
	static const char text[] = "a,\"b,\n\"\"c\"\nd\"e,f\n";
	static const uint32_t known[] = {1, 10, 14, 16};
	struct expected *expected = malloc(sizeof(*expected));

	(void)state;
	expect_text(expected, text, sizeof(text) - 1);
	assert_int_equal(expected->count, 4);
	assert_int_equal(expected->rows, 2);
	assert_memory_equal(expected->ends, known, sizeof(known));
	check_all(text, sizeof(text) - 1);
	free(expected);
}

static void test_random_texts(void **state)
{
	static const char *const alphabets[] = {"ab,\n", "a,\n\"", "abcdefgh,\n\"", "a\",\r\n",
		"\"\"\"\"ab,\n", "abcdefghijklmnop,"};
	static char text[TEXT_MAX];
	struct rng rng;

	(void)state;
	rng_init(&rng, 7);
	for (int turn = 0; turn < 6000; turn++) {
		const char *alphabet = alphabets[rng_below(&rng, 6)];
		uint32_t size = (uint32_t)rng_below(&rng, turn % 50 == 0 ? TEXT_MAX : 300);

		for (uint32_t i = 0; i < size; i++)
			text[i] = alphabet[rng_below(&rng, strlen(alphabet))];
		check_all(text, size);
	}
}

/* Mostly well-formed quoting, which random bytes hardly ever are: the vector path stays in use. */
static void test_random_records(void **state)
{
	static const char *const fields[] = {"", "1", "abc", "\"\"", "\"x\"", "\"a,b\"", "\"a\nb\"",
		"\"say \"\"hi\"\"\"", "\"\"\"\"", "2024-01-01 07:00:00",
		"\"long long long long long\""};
	static char text[TEXT_MAX];
	struct rng rng;

	(void)state;
	rng_init(&rng, 11);
	for (int turn = 0; turn < 3000; turn++) {
		uint32_t size = 0;

		while (size < TEXT_MAX - 64 && rng_below(&rng, 60) > 0) {
			const char *field = fields[rng_below(&rng, 11)];

			memcpy(text + size, field, strlen(field));
			size += (uint32_t)strlen(field);
			if (rng_below(&rng, 4) > 0) {
				text[size++] = ',';
			} else {
				if (rng_below(&rng, 2))
					text[size++] = '\r';
				text[size++] = '\n';
			}
		}
		if (size > 0 && turn % 10 == 0)
			text[rng_below(&rng, size)] = '"';
		check_all(text, size);
	}
}

static void test_flags(void **state)
{
	static const struct {
		const char *text;
		bool malformed, unclosed, doubled;
	} cases[] = {
		{"\"a\",\"b\"\n", false, false, false},
		{"\"a\"\"b\"\n", false, false, true},
		{"\"\"\n", false, false, false},
		{"\"a\r\n\"\r\n", false, false, false},
		{"\"a\"b\n", true, false, false},
		{"\"a\"\rb\n", true, false, false},
		{"a\"b\n", true, false, false},
		{"x\n\"a", false, true, false},
		{"x\n\"a\"", false, false, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
			uint32_t size = (uint32_t)strlen(cases[i].text);
			char *copy = padded(cases[i].text, size);
			uint32_t ends[256], rows;
			struct csv_scan scan;

			if (csv_isa_supported(isa)) {
				csv_scan_start(&scan, copy, size, ',', '"', isa);
				while (csv_scan_next(&scan, 100, ends, 256, &rows) > 0)
					;
				assert_int_equal(scan.malformed, cases[i].malformed);
				assert_int_equal(scan.unclosed, cases[i].unclosed);
				assert_int_equal(scan.doubled, cases[i].doubled);
			}
			free(copy);
		}
	}
}

static void test_record_of_many_fields(void **state)
{
	static char text[TEXT_MAX];
	uint32_t size = 0;

	(void)state;
	memcpy(text, "a,b\n", 4);
	size += 4;
	memset(text + size, ',', 1000);
	size += 1000;
	memcpy(text + size, "\nc,d\n", 5);
	size += 5;
	check_all(text, size);
	/* The same as the last record, without a newline. */
	check_all(text, size - 5);
	text[0] = '"';
	text[2] = '"';
	check_all(text, size);
}

static void test_no_quote_character(void **state)
{
	static const char text[] = "\"a,b\"\nc\"\n";
	char *copy = padded(text, sizeof(text) - 1);
	uint32_t ends[256], rows;
	struct csv_scan scan;

	(void)state;
	csv_scan_start(&scan, copy, sizeof(text) - 1, ',', '\0', csv_isa_detect());
	assert_false(scan.quoted);
	assert_int_equal(csv_scan_next(&scan, 10, ends, 256, &rows), 3);
	assert_int_equal(rows, 2);
	assert_int_equal(ends[0], 2);
	free(copy);
}

static void test_other_characters(void **state)
{
	static const char text[] = "'a;b';c\n";
	char *copy = padded(text, sizeof(text) - 1);
	uint32_t ends[256], rows;
	struct csv_scan scan;

	(void)state;
	for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
		if (!csv_isa_supported(isa))
			continue;
		csv_scan_start(&scan, copy, sizeof(text) - 1, ';', '\'', isa);
		assert_int_equal(csv_scan_next(&scan, 10, ends, 256, &rows), 2);
		assert_int_equal(ends[0], 5);
		assert_int_equal(ends[1], 7);
	}
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_isa),
		cmocka_unit_test(test_small_texts),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_random_texts),
		cmocka_unit_test(test_random_records),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_record_of_many_fields),
		cmocka_unit_test(test_no_quote_character),
		cmocka_unit_test(test_other_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
