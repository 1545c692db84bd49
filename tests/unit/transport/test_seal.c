#include "transport/seal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void sealed_and_opened(void **state)
{
	struct seal_key cluster = seal_key_of("hush"), key = seal_key_for(&cluster, "reducer-0");
	struct seal_key other = seal_key_for(&cluster, "reducer-1");
	struct seal_key strange = seal_key_of("hushh"),
			stranger = seal_key_for(&strange, "reducer-0");
	uint8_t bytes[64 + SEAL_SIZE];

	(void)state;
	memset(bytes, 7, sizeof(bytes));
	for (size_t size = 0; size <= 64; size++) {
		size_t whole = size + seal_size(&key);

		seal(&key, bytes, size);
		assert_true(seal_open(&key, bytes, &whole));
		assert_int_equal(whole, size);
		whole += SEAL_SIZE;
		/* Neither another queue's nor another cluster's. */
		assert_false(seal_open(&other, bytes, &whole));
		assert_false(seal_open(&stranger, bytes, &whole));
		assert_int_equal(whole, size + SEAL_SIZE);
		for (size_t i = 0; i < whole; i++) {
			bytes[i] ^= 1;
			assert_false(seal_open(&key, bytes, &whole));
			bytes[i] ^= 1;
		}
		whole--;
		assert_false(seal_open(&key, bytes, &whole));
	}
}

static void without_a_key(void **state)
{
	struct seal_key none = seal_key_of(""), queue = seal_key_for(&none, "reducer-0");
	uint8_t bytes[4] = "abc";
	size_t size = 3;

	(void)state;
	assert_int_equal(seal_size(&queue), 0);
	seal(&queue, bytes, size);
	assert_true(seal_open(&queue, bytes, &size));
	assert_int_equal(size, 3);
	assert_memory_equal(bytes, "abc", 4);
	assert_false(seal_key_of(NULL).is_set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sealed_and_opened),
		cmocka_unit_test(without_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
