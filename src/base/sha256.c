#include "base/sha256.h"

#include <string.h>

#define BLOCK_SIZE  64u
#define LENGTH_SIZE 8u
#define ROUNDS	    64u

struct hashing {
	uint32_t state[8];
	uint8_t block[BLOCK_SIZE];
	uint32_t filled; /* of the block */
	uint64_t size;	 /* of all bytes so far */
};

static const uint32_t constants[ROUNDS] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
	0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152,
	0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e,
	0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624,
	0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3,
	0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t word, uint32_t bits)
{
	return word >> bits | word << (32 - bits);
}

/* The words of the block and what follows from them, one for each round. */
static void schedule(const uint8_t *block, uint32_t words[ROUNDS])
{
	for (uint32_t i = 0; i < 16; i++)
		words[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
			   (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (uint32_t i = 16; i < ROUNDS; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + words[i - 7] +
			   (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void take_block(struct hashing *hashing)
{
	uint32_t words[ROUNDS], s[8];

	schedule(hashing->block, words);
	memcpy(s, hashing->state, sizeof(s));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
		uint32_t majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		uint32_t first = s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) +
				 choice + constants[i] + words[i];
		uint32_t second =
			(rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += first;
		s[0] = first + second;
	}
	for (uint32_t i = 0; i < 8; i++)
		hashing->state[i] += s[i];
	hashing->filled = 0;
}

static struct hashing begin(void)
{
	return (struct hashing){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

static void take(struct hashing *hashing, const void *bytes, size_t size)
{
	const uint8_t *at = bytes;

	hashing->size += size;
	while (size > 0) {
		size_t part = BLOCK_SIZE - hashing->filled;

		part = part < size ? part : size;
		memcpy(hashing->block + hashing->filled, at, part);
		hashing->filled += (uint32_t)part;
		at += part;
		size -= part;
		if (hashing->filled == BLOCK_SIZE)
			take_block(hashing);
	}
}

static struct sha256 end(struct hashing *hashing)
{
	uint64_t bits = 8 * hashing->size;
	uint8_t length[LENGTH_SIZE];
	struct sha256 out;

	for (uint32_t i = 0; i < LENGTH_SIZE; i++)
		length[i] = (uint8_t)(bits >> 8 * (LENGTH_SIZE - 1 - i));
	take(hashing, "\x80", 1);
	while (hashing->filled != BLOCK_SIZE - LENGTH_SIZE)
		take(hashing, "", 1);
	take(hashing, length, LENGTH_SIZE);
	for (uint32_t i = 0; i < SHA256_SIZE; i++)
		out.bytes[i] = (uint8_t)(hashing->state[i / 4] >> 8 * (3 - i % 4));
	return out;
}

struct sha256 sha256(const void *bytes, size_t size)
{
	struct hashing hashing = begin();

	take(&hashing, bytes, size);
	return end(&hashing);
}

struct sha256 hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size)
{
	uint8_t inner_key[BLOCK_SIZE] = {0}, outer_key[BLOCK_SIZE];
	struct hashing inner = begin(), outer = begin();
	struct sha256 hash;

	if (key_size > BLOCK_SIZE) {
		hash = sha256(key, key_size);
		memcpy(inner_key, hash.bytes, SHA256_SIZE);
	} else if (key_size > 0) {
		memcpy(inner_key, key, key_size);
	}
	for (uint32_t i = 0; i < BLOCK_SIZE; i++) {
		outer_key[i] = inner_key[i] ^ 0x5c;
		inner_key[i] ^= 0x36;
	}
	take(&inner, inner_key, BLOCK_SIZE);
	take(&inner, bytes, size);
	hash = end(&inner);
	take(&outer, outer_key, BLOCK_SIZE);
	take(&outer, hash.bytes, SHA256_SIZE);
	return end(&outer);
}

bool same_in_constant_time(const void *a, const void *b, size_t size)
{
	const volatile uint8_t *one = a, *other = b;
	uint8_t different = 0;

	for (size_t i = 0; i < size; i++)
		different |= one[i] ^ other[i];
	return different == 0;
}
