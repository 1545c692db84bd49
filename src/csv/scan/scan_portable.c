/* The scanner in plain C: eight words of eight bytes per block. */
#include "csv/scan/scan_kernel.h"
#include "csv/scan/scan_words.h"

CSV_INLINE struct csv_masks block_masks(const char *block, char delimiter, char quote)
{
	struct csv_masks masks = {0};

	for (int i = 0; i < 8; i++) {
		uint64_t word = word_load(block + 8 * i);
		uint64_t newlines = word_match(word, '\n');

		masks.separators |= (word_match(word, delimiter) | newlines) << (8 * i);
		masks.newlines |= newlines << (8 * i);
		masks.quotes |= word_match(word, quote) << (8 * i);
		masks.returns |= word_match(word, '\r') << (8 * i);
	}
	return masks;
}

CSV_INLINE bool has_quote(const char *block, char quote)
{
	uint64_t found = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t word = word_load(block + 8 * i);

		found |= word_zero_bytes(word ^ (WORD_ONES * (uint8_t)quote));
	}
	return found != 0;
}

static const struct csv_ops portable_ops = {
	block_masks, has_quote, word_count_bits, word_lowest_bit, word_prefix_xor, NULL};

static void scan_plain(struct csv_run *run)
{
	csv_kernel_plain(run, &portable_ops);
}

static bool scan_quoted(struct csv_run *run)
{
	return csv_kernel_quoted(run, &portable_ops);
}

static bool scan_whole(const char *data, size_t size, char delimiter, char quote, size_t *whole)
{
	return csv_kernel_whole(data, size, delimiter, quote, whole, &portable_ops);
}

const struct csv_kernels csv_kernels_portable = {scan_plain, scan_quoted, scan_whole};
