/* Where UTF-8 ends, as vectors find it, beside one character after the other. */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX 10000

static size_t valid_by_characters(const char *text, size_t size)
{
	size_t at = 0;

	while (at < size) {
		size_t length;

		if (utf8_decode(text + at, size - at, &length) == UTF8_INVALID)
			break;
		at += length;
	}
	return at;
}

static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void check(const char *text, size_t size)
{
	/* At an address of its own, so that sanitizers see a byte too many. */
	char *copy = malloc(size + 1);

	memcpy(copy, text, size);
	assert_int_equal(utf8_valid_size(copy, size), valid_by_characters(copy, size));
	free(copy);
}

/* All pairs and triples of bytes that matter, at the borders of vectors and pieces. */
static void test_every_mistake(void **state)
{
	static const unsigned char bytes[] = {0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0,
		0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5,
		0xff};
	static const size_t places[] = {0, 29, 30, 31, 61, 125, 126, 127};
	const size_t n = sizeof(bytes);
	char text[300];

	(void)state;
	for (size_t place = 0; place < sizeof(places) / sizeof(places[0]); place++)
		for (size_t i = 0; i < n * n * n * n; i++) {
			size_t k = i;

			memset(text, 'a', sizeof(text));
			for (size_t at = places[place]; at < places[place] + 4; at++, k /= n)
				text[at] = (char)bytes[k % n];
			check(text, places[place] + 4 + i % 3);
			if (i % 11 == 0) /* and ASCII behind it */
				check(text, sizeof(text));
		}
}

static void test_long_texts(void **state)
{
	static const char *const characters[] = {
		"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xef\xbf\xbf"};
	char *text = malloc(TEXT_MAX + 8);
	uint32_t seed = 7;

	(void)state;
	for (int turn = 0; turn < 2000; turn++) {
		size_t size = 0, wanted = next_random(&seed) % TEXT_MAX;

		while (size < wanted) {
			const char *character = characters[next_random(&seed) % 5];

			memcpy(text + size, character, strlen(character));
			size += strlen(character);
		}
		if (turn % 2 && size > 0)
			text[next_random(&seed) % size] = (char)next_random(&seed);
		check(text, size);
		if (turn % 2 == 0)
			assert_int_equal(utf8_valid_size(text, size), size);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_mistake),
		cmocka_unit_test(test_long_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
