/* The scanner on SSE2, which every x86-64 machine has: four vectors a block. */
#if defined(__x86_64__)

#include "csv/scan/scan_kernel.h"
#include "csv/scan/scan_words.h"

#include <emmintrin.h>

struct sse2_block {
	__m128i v[4];
};

CSV_INLINE struct sse2_block block_equal(struct sse2_block block, char c)
{
	for (int i = 0; i < 4; i++)
		block.v[i] = _mm_cmpeq_epi8(block.v[i], _mm_set1_epi8(c));
	return block;
}

CSV_INLINE uint64_t mask_of(struct sse2_block block)
{
	uint64_t mask = 0;

	for (int i = 0; i < 4; i++)
		mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(block.v[i]) << (16 * i);
	return mask;
}

CSV_INLINE struct sse2_block block_load(const char *data)
{
	struct sse2_block block;

	for (int i = 0; i < 4; i++)
		block.v[i] = _mm_loadu_si128((const __m128i *)(data + 16 * i));
	return block;
}

CSV_INLINE bool has_quote(const char *data, char quote)
{
	struct sse2_block block = block_load(data);

	return mask_of(block_equal(block, quote)) != 0;
}

CSV_INLINE struct csv_masks block_masks(const char *data, char delimiter, char quote)
{
	struct sse2_block block = block_load(data);
	uint64_t newlines;

	newlines = mask_of(block_equal(block, '\n'));
	return (struct csv_masks){
		.separators = mask_of(block_equal(block, delimiter)) | newlines,
		.newlines = newlines,
		.quotes = mask_of(block_equal(block, quote)),
		.returns = mask_of(block_equal(block, '\r')),
	};
}

static const struct csv_ops sse2_ops = {
	block_masks, has_quote, word_count_bits, word_lowest_bit, word_prefix_xor, NULL};

static void scan_plain(struct csv_run *run)
{
	csv_kernel_plain(run, &sse2_ops);
}

static bool scan_quoted(struct csv_run *run)
{
	return csv_kernel_quoted(run, &sse2_ops);
}

static bool scan_whole(const char *data, size_t size, char delimiter, char quote, size_t *whole)
{
	return csv_kernel_whole(data, size, delimiter, quote, whole, &sse2_ops);
}

const struct csv_kernels csv_kernels_sse2 = {scan_plain, scan_quoted, scan_whole};

#endif
