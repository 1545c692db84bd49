#include "base/crc32c_private.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* RFC 3720, B.4, and the check value of the catalogues of CRCs. */
static void test_known_values(void **state)
{
	unsigned char bytes[32];

	(void)state;
	assert_int_equal(crc32c(0, "", 0), 0);
	assert_int_equal(crc32c(0, NULL, 0), 0);
	assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283);
	assert_int_equal(crc32c_portable(0, "123456789", 9), 0xe3069283);
	memset(bytes, 0, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	assert_int_equal(crc32c(0, bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (unsigned char)i;
	assert_int_equal(crc32c(0, bytes, 32), 0x46dd794e);
	assert_int_equal(crc32c_portable(0, bytes, 32), 0x46dd794e);
	for (int i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(31 - i);
	assert_int_equal(crc32c(0, bytes, 32), 0x113fdb5c);
}

/* A bit at a time, as the definition has it. */
static uint32_t crc_by_bits(const unsigned char *bytes, size_t size)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < size; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return ~crc;
}

static void test_all_ways_agree(void **state)
{
	enum { SIZE = 32768 };
	unsigned char *bytes = malloc(SIZE + 8);
	struct rng rng;

	(void)state;
	assert_non_null(bytes);
	rng_init(&rng, 7);
	for (size_t i = 0; i < SIZE + 8; i++)
		bytes[i] = (unsigned char)rng_next(&rng);
	for (int turn = 0; turn < 3000; turn++) {
		size_t size = turn < 1600 ? (size_t)turn : rng_below(&rng, SIZE + 1);
		size_t start = rng_below(&rng, 8), cut = rng_below(&rng, size + 1);
		const unsigned char *at = bytes + start;
		uint32_t whole = crc32c_portable(0, at, size);

		if (turn % 50 == 0)
			assert_int_equal(whole, crc_by_bits(at, size));
		assert_int_equal(crc32c(0, at, size), whole);
		assert_int_equal(crc32c(crc32c(0, at, cut), at + cut, size - cut), whole);
		assert_int_equal(
			crc32c_portable(crc32c_portable(0, at, cut), at + cut, size - cut), whole);
		if (crc32c_has_hardware())
			assert_int_equal(crc32c_hardware(0, at, size), whole);
	}
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known_values),
		cmocka_unit_test(test_all_ways_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
