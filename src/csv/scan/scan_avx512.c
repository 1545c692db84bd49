/*
 * The scanner on AVX-512: a block is one vector, whose comparisons are bit masks as they come, and
 * the positions of its separators are stored sixteen at a time.
 */
#if defined(__x86_64__)

#include "csv/scan/scan_kernel.h"

#include <immintrin.h>

#define CSV_AVX512 \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt,pclmul")))

CSV_AVX512 CSV_INLINE struct csv_masks block_masks(const char *block, char delimiter, char quote)
{
	__m512i bytes = _mm512_loadu_si512(block);
	uint64_t newlines = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\n'));

	return (struct csv_masks){
		.separators = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(delimiter)) | newlines,
		.newlines = newlines,
		.quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(quote)),
		.returns = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\r')),
	};
}

CSV_AVX512 CSV_INLINE bool has_quote(const char *block, char quote)
{
	__m512i bytes = _mm512_loadu_si512(block);

	return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(quote)) != 0;
}

CSV_AVX512 CSV_INLINE uint32_t count_bits(uint64_t bits)
{
	return (uint32_t)_mm_popcnt_u64(bits);
}

CSV_AVX512 CSV_INLINE uint32_t lowest_bit(uint64_t bits)
{
	return (uint32_t)_tzcnt_u64(bits);
}

CSV_AVX512 CSV_INLINE uint64_t prefix_xor(uint64_t bits)
{
	__m128i product = _mm_clmulepi64_si128(
		_mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8((char)0xff), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

/* Sixteen positions from the bytes that say where in the block they are. */
CSV_AVX512 CSV_INLINE void store_sixteen(uint32_t *ends, __m128i places, __m512i base)
{
	_mm512_storeu_si512(ends, _mm512_add_epi32(_mm512_cvtepu8_epi32(places), base));
}

CSV_AVX512 CSV_INLINE uint32_t *store_ends(
	uint32_t *ends, uint32_t base, uint64_t bits, uint32_t count)
{
	const __m512i places = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51,
		50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30,
		29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9,
		8, 7, 6, 5, 4, 3, 2, 1, 0);
	__m512i found = _mm512_maskz_compress_epi8(bits, places);
	__m512i bases = _mm512_set1_epi32((int)base);

	store_sixteen(ends, _mm512_castsi512_si128(found), bases);
	if (__builtin_expect(count > 16, 0)) {
		store_sixteen(ends + 16, _mm512_extracti32x4_epi32(found, 1), bases);
		store_sixteen(ends + 32, _mm512_extracti32x4_epi32(found, 2), bases);
		store_sixteen(ends + 48, _mm512_extracti32x4_epi32(found, 3), bases);
	}
	return ends + count;
}

static const struct csv_ops avx512_ops = {
	block_masks, has_quote, count_bits, lowest_bit, prefix_xor, store_ends};

CSV_AVX512 static void scan_plain(struct csv_run *run)
{
	csv_kernel_plain(run, &avx512_ops);
}

CSV_AVX512 static bool scan_quoted(struct csv_run *run)
{
	return csv_kernel_quoted(run, &avx512_ops);
}

CSV_AVX512 static bool scan_whole(
	const char *data, size_t size, char delimiter, char quote, size_t *whole)
{
	return csv_kernel_whole(data, size, delimiter, quote, whole, &avx512_ops);
}

const struct csv_kernels csv_kernels_avx512 = {scan_plain, scan_quoted, scan_whole};

#endif
