/*
 * The instruction takes 8 bytes and has its result three cycles later, so one chain of it uses a
 * third of what the processor can do. Long texts are cut into blocks of three lanes with a chain
 * each. A lane's checksum moves over the n bytes behind it by a multiplication with x^8n: the
 * carry-less product of two reflected polynomials stands one bit too low, and the instruction that
 * reduces it multiplies by x^32, hence the constants are x^(8n - 33) modulo the polynomial.
 */
#include "base/crc32c_private.h"

#include <endian.h>
#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define POLYNOMIAL 0x82f63b78u /* reflected: the lowest bit is the highest power */

static inline uint64_t load_u64(const unsigned char *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return le64toh(word);
}

/* -- Portable: eight tables, eight bytes per turn -- */

static uint32_t tables[8][256];

static void tables_fill(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][i] = crc;
	}
	for (int k = 1; k < 8; k++)
		for (uint32_t i = 0; i < 256; i++)
			tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 0xff];
}

uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const unsigned char *at = bytes;

	pthread_once(&once, tables_fill);
	crc = ~crc;
	for (; size >= 8; size -= 8, at += 8) {
		uint64_t word = load_u64(at) ^ crc;

		crc = tables[7][word & 0xff] ^ tables[6][word >> 8 & 0xff] ^
		      tables[5][word >> 16 & 0xff] ^ tables[4][word >> 24 & 0xff] ^
		      tables[3][word >> 32 & 0xff] ^ tables[2][word >> 40 & 0xff] ^
		      tables[1][word >> 48 & 0xff] ^ tables[0][word >> 56];
	}
	for (; size > 0; size--, at++)
		crc = crc >> 8 ^ tables[0][(crc ^ *at) & 0xff];
	return ~crc;
}

/* -- x86-64 -- */

#if defined(__x86_64__)

#define CRC_TARGET __attribute__((target("sse4.2,pclmul")))
#define LANE_LONG  2048
#define LANE_SHORT 256

bool crc32c_has_hardware(void)
{
	return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
}

CRC_TARGET static inline uint64_t product(uint32_t a, uint32_t b)
{
	__m128i both =
		_mm_clmulepi64_si128(_mm_cvtsi32_si128((int)a), _mm_cvtsi32_si128((int)b), 0);

	return (uint64_t)_mm_cvtsi128_si64(both);
}

/* Blocks of three lanes of `lane` bytes, for as long as there are whole ones. */
CRC_TARGET static inline uint64_t blocks(uint64_t crc, const unsigned char **at, size_t *size,
	size_t lane, uint32_t over_one, uint32_t over_two)
{
	while (*size >= 3 * lane) {
		const unsigned char *from = *at;
		uint64_t second = 0, third = 0;

		for (size_t i = 0; i < lane; i += 8) {
			crc = _mm_crc32_u64(crc, load_u64(from + i));
			second = _mm_crc32_u64(second, load_u64(from + lane + i));
			third = _mm_crc32_u64(third, load_u64(from + 2 * lane + i));
		}
		crc = third ^ _mm_crc32_u64(0, product((uint32_t)crc, over_two) ^
						       product((uint32_t)second, over_one));
		*at += 3 * lane;
		*size -= 3 * lane;
	}
	return crc;
}

CRC_TARGET uint32_t crc32c_hardware(uint32_t crc, const void *bytes, size_t size)
{
	const unsigned char *at = bytes;
	uint64_t wide = ~crc;

	wide = blocks(wide, &at, &size, LANE_LONG, 0xa51b6135u, 0x82f89c77u);
	wide = blocks(wide, &at, &size, LANE_SHORT, 0xb9e02b86u, 0xdd7e3b0cu);
	for (; size >= 8; size -= 8, at += 8)
		wide = _mm_crc32_u64(wide, load_u64(at));
	for (; size > 0; size--, at++)
		wide = _mm_crc32_u8((uint32_t)wide, *at);
	return ~(uint32_t)wide;
}

#else

bool crc32c_has_hardware(void)
{
	return false;
}

uint32_t crc32c_hardware(uint32_t crc, const void *bytes, size_t size)
{
	return crc32c_portable(crc, bytes, size);
}

#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t size)
{
	return crc32c_has_hardware() ? crc32c_hardware(crc, bytes, size)
				     : crc32c_portable(crc, bytes, size);
}
