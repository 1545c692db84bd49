/* The scanner on AVX2: two vectors a block, quotes resolved with a carry-less multiplication. */
#if defined(__x86_64__)

#include "csv/scan/scan_kernel.h"

#include <immintrin.h>

#define CSV_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))

CSV_AVX2 CSV_INLINE uint64_t mask_of(__m256i low, __m256i high)
{
	return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
							     << 32;
}

CSV_AVX2 CSV_INLINE struct csv_masks block_masks(const char *block, char delimiter, char quote)
{
	__m256i low = _mm256_loadu_si256((const __m256i *)block);
	__m256i high = _mm256_loadu_si256((const __m256i *)(block + 32));
	__m256i delimiters = _mm256_set1_epi8(delimiter);
	__m256i newlines = _mm256_set1_epi8('\n');
	__m256i quotes = _mm256_set1_epi8(quote);
	__m256i returns = _mm256_set1_epi8('\r');
	__m256i newlines_low = _mm256_cmpeq_epi8(low, newlines);
	__m256i newlines_high = _mm256_cmpeq_epi8(high, newlines);

	return (struct csv_masks){
		.separators = mask_of(
			_mm256_or_si256(_mm256_cmpeq_epi8(low, delimiters), newlines_low),
			_mm256_or_si256(_mm256_cmpeq_epi8(high, delimiters), newlines_high)),
		.newlines = mask_of(newlines_low, newlines_high),
		.quotes = mask_of(_mm256_cmpeq_epi8(low, quotes), _mm256_cmpeq_epi8(high, quotes)),
		.returns =
			mask_of(_mm256_cmpeq_epi8(low, returns), _mm256_cmpeq_epi8(high, returns)),
	};
}

CSV_AVX2 CSV_INLINE bool has_quote(const char *block, char quote)
{
	__m256i low = _mm256_loadu_si256((const __m256i *)block);
	__m256i high = _mm256_loadu_si256((const __m256i *)(block + 32));
	__m256i quotes = _mm256_set1_epi8(quote);

	return _mm256_movemask_epi8(_mm256_or_si256(
		       _mm256_cmpeq_epi8(low, quotes), _mm256_cmpeq_epi8(high, quotes))) != 0;
}

CSV_AVX2 CSV_INLINE uint32_t count_bits(uint64_t bits)
{
	return (uint32_t)_mm_popcnt_u64(bits);
}

CSV_AVX2 CSV_INLINE uint32_t lowest_bit(uint64_t bits)
{
	return (uint32_t)_tzcnt_u64(bits);
}

CSV_AVX2 CSV_INLINE uint64_t prefix_xor(uint64_t bits)
{
	__m128i product = _mm_clmulepi64_si128(
		_mm_set_epi64x(0, (int64_t)bits), _mm_set1_epi8((char)0xff), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

static const struct csv_ops avx2_ops = {
	block_masks, has_quote, count_bits, lowest_bit, prefix_xor, NULL};

CSV_AVX2 static void scan_plain(struct csv_run *run)
{
	csv_kernel_plain(run, &avx2_ops);
}

CSV_AVX2 static bool scan_quoted(struct csv_run *run)
{
	return csv_kernel_quoted(run, &avx2_ops);
}

CSV_AVX2 static bool scan_whole(
	const char *data, size_t size, char delimiter, char quote, size_t *whole)
{
	return csv_kernel_whole(data, size, delimiter, quote, whole, &avx2_ops);
}

const struct csv_kernels csv_kernels_avx2 = {scan_plain, scan_quoted, scan_whole};

#endif
