#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(struct sha256 hash, const char *digits)
{
	char text[2 * SHA256_SIZE + 1];

	for (uint32_t i = 0; i < SHA256_SIZE; i++)
		snprintf(text + 2 * i, 3, "%02x", hash.bytes[i]);
	assert_string_equal(text, digits);
}

/* The first three are of FIPS 180-4; the others are around the end of a block, from sha256sum. */
static void test_hashes(void **state)
{
	char letters[200];

	(void)state;
	memset(letters, 'a', sizeof(letters));
	expect(sha256("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	expect(sha256("abc", 3),
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	expect(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
		"248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	expect(sha256(letters, 55),
		"9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	expect(sha256(letters, 64),
		"ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	expect(sha256(letters, 200),
		"c2a908d98f5df987ade41b5fce213067efbcc21ef2240212a41e54b5e7c28ae5");
}

/* Test cases 1, 2 and 6 of RFC 4231: a short key, words, and a key longer than a block. */
static void test_hmac(void **state)
{
	static const char text[] = "Test Using Larger Than Block-Size Key - Hash Key First";
	uint8_t key[131];

	(void)state;
	memset(key, 0x0b, 20);
	expect(hmac_sha256(key, 20, "Hi There", 8),
		"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	expect(hmac_sha256("Jefe", 4, "what do ya want for nothing?", 28),
		"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	expect(hmac_sha256(key, sizeof(key), text, strlen(text)),
		"60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void test_same(void **state)
{
	(void)state;
	assert_true(same_in_constant_time("abc", "abc", 3));
	assert_true(same_in_constant_time("abc", "abd", 2));
	assert_false(same_in_constant_time("abc", "abd", 3));
	assert_false(same_in_constant_time("bbc", "abc", 3));
	assert_true(same_in_constant_time("", "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hashes),
		cmocka_unit_test(test_hmac),
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
