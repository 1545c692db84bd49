/*
 * The scanner's loops over blocks of 64 bytes, for every instruction set: a file that includes this
 * header passes its own constant `struct csv_ops` to the always-inlined bodies below, so that each
 * becomes a loop without calls, compiled for that file's instruction set.
 */
#ifndef CSV_SCAN_KERNEL_H
#define CSV_SCAN_KERNEL_H

#include "csv/scan/scan_private.h"

#include <string.h>

#define CSV_INLINE static inline __attribute__((always_inline))

/* Bit i stands for byte i of the block. */
struct csv_masks {
	uint64_t separators; /* delimiters and newlines */
	uint64_t newlines;
	uint64_t quotes;
	uint64_t returns;
};

struct csv_ops {
	struct csv_masks (*masks)(const char *block, char delimiter, char quote);
	/* Whether a byte of the block is the quote: all that matters inside quotes. */
	bool (*has_quote)(const char *block, char quote);
	uint32_t (*popcount)(uint64_t bits);
	/* The index of the lowest bit; anything when there is none. */
	uint32_t (*lowest)(uint64_t bits);
	/* Bit i of the result is the parity of bits 0..i. */
	uint64_t (*prefix_xor)(uint64_t bits);
	/* As csv_store_ends, where there is a better way; else NULL. */
	uint32_t *(*store_ends)(uint32_t *ends, uint32_t base, uint64_t bits, uint32_t count);
};

/* The bits of the block at `offset` that lie inside the text. */
CSV_INLINE uint64_t csv_block_bits(size_t offset, size_t size)
{
	return size - offset >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << (size - offset)) - 1;
}

/*
 * Appends the positions of the set bits. Always writes a round number of slots: what is written too
 * much is overwritten by the next block. The first round covers most blocks of most files, and the
 * branch that ends it is the only one that depends on the text.
 */
CSV_INLINE uint32_t *csv_store_ends(
	uint32_t *ends, uint32_t base, uint64_t bits, uint32_t count, const struct csv_ops *ops)
{
	if (ops->store_ends)
		return ops->store_ends(ends, base, bits, count);
	for (uint32_t i = 0; i < 8; i++) {
		ends[i] = base + ops->lowest(bits);
		bits &= bits - 1;
	}
	if (__builtin_expect(count > 8, 0)) {
		for (uint32_t i = 8; i < 16; i++) {
			ends[i] = base + ops->lowest(bits);
			bits &= bits - 1;
		}
		for (uint32_t i = 16; i < count; i++) {
			ends[i] = base + ops->lowest(bits);
			bits &= bits - 1;
		}
	}
	return ends + count;
}

/* The last record of a text may lack its newline. */
CSV_INLINE void csv_end_text(struct csv_run *run, uint32_t *next, uint32_t offset)
{
	if (offset == run->size) {
		bool ended = next > run->ends && next[-1] == run->size - 1 &&
			     run->data[run->size - 1] == '\n';

		if (!ended) {
			*next++ = run->size;
			run->rows++;
		}
	}
	run->offset = offset;
	run->count = (uint32_t)(next - run->ends);
}

CSV_INLINE uint32_t *csv_plain_block(const struct csv_run *run, uint32_t offset, uint64_t inside,
	uint32_t *next, uint32_t *rows, const struct csv_ops *ops)
{
	struct csv_masks masks = ops->masks(run->data + offset, run->delimiter, run->quote);
	uint64_t separators = masks.separators & inside;

	*rows += ops->popcount(masks.newlines & inside);
	return csv_store_ends(next, offset, separators, ops->popcount(separators), ops);
}

CSV_INLINE void csv_kernel_plain(struct csv_run *run, const struct csv_ops *ops)
{
	const uint32_t *full = run->ends + (run->ends_max - CSV_SCAN_ENDS_MIN);
	const struct csv_run fixed = *run; /* known not to change when ends are stored */
	const uint64_t all = ~UINT64_C(0);
	uint32_t *next = run->ends;
	uint32_t rows = 0;
	uint32_t offset = run->offset;

	/* Two blocks a round: fewer tests, and the end of the text is not looked for in them. */
	while (fixed.size - offset >= 128 && rows < fixed.rows_max && next <= full) {
		next = csv_plain_block(&fixed, offset, all, next, &rows, ops);
		next = csv_plain_block(&fixed, offset + 64, all, next, &rows, ops);
		offset += 128;
	}
	while (offset < fixed.size && rows < fixed.rows_max && next <= full) {
		uint64_t inside = csv_block_bits(offset, fixed.size);

		next = csv_plain_block(&fixed, offset, inside, next, &rows, ops);
		offset = fixed.size - offset >= 64 ? offset + 64 : fixed.size;
	}
	run->rows = rows;
	csv_end_text(run, next, offset);
}

/* What a block of quoted text needs to know of the one before it. */
struct csv_quote_carry {
	uint64_t in_quotes;	 /* all ones when the block starts inside quotes */
	uint64_t behind_start;	 /* bit 0: the byte before was a separator outside quotes, */
	uint64_t behind_closing; /* or a quote that closed a field, */
	uint64_t behind_return;	 /* or the carriage return behind such a quote */
	uint64_t doubled;	 /* not zero: a quoted field with a quote in it was met */
};

/* Of a text's or record's first block. */
#define CSV_QUOTE_CARRY_START ((struct csv_quote_carry){.behind_start = 1})

/*
 * The parity of the quotes before a byte says whether it is inside quotes, if quotes stand only
 * where they mean something. So every quote that seems to open a field must stand at the start of
 * one, or right behind a closing quote, which then was the first half of a doubled one; and a
 * closing quote must be followed by a separator, a second quote or the line's end. Returns false
 * when that does not hold. On success masks->separators and newlines are those outside quotes.
 */
CSV_INLINE bool csv_quote_block(struct csv_masks *masks, uint64_t inside,
	struct csv_quote_carry *carry, const struct csv_ops *ops)
{
	uint64_t quotes = masks->quotes & inside;
	uint64_t in_quotes = ops->prefix_xor(quotes) ^ carry->in_quotes;
	uint64_t outside = inside & ~in_quotes;
	uint64_t separators = masks->separators & outside;
	uint64_t newlines = masks->newlines & outside;
	uint64_t opening = quotes & in_quotes;
	uint64_t closing = quotes & ~in_quotes;
	uint64_t behind_start = separators << 1 | carry->behind_start;
	uint64_t behind_closing = closing << 1 | carry->behind_closing;
	uint64_t followed = behind_closing & ~(separators | quotes) & inside;
	uint64_t wrong = opening & ~(behind_start | behind_closing);

	carry->doubled |= opening & behind_closing;
	carry->in_quotes = (uint64_t)((int64_t)in_quotes >> 63);
	carry->behind_start = separators >> 63;
	carry->behind_closing = closing >> 63;
	if (__builtin_expect((followed | carry->behind_return) != 0, 0)) {
		uint64_t returns = masks->returns & followed;

		wrong |= followed & ~returns;
		wrong |= (returns << 1 | carry->behind_return) & ~newlines & inside;
		carry->behind_return = returns >> 63;
	}
	masks->separators = separators;
	masks->newlines = newlines;
	return wrong == 0;
}

/* Past the whole blocks that lie inside quotes: long texts are mostly such. */
CSV_INLINE size_t csv_skip_inside(const char *data, size_t offset, size_t size, char quote,
	const struct csv_quote_carry *carry, const struct csv_ops *ops)
{
	if (!carry->in_quotes)
		return offset;
	while (size - offset >= 64 && !ops->has_quote(data + offset, quote))
		offset += 64;
	return offset;
}

CSV_INLINE bool csv_kernel_quoted(struct csv_run *run, const struct csv_ops *ops)
{
	const uint32_t *full = run->ends + (run->ends_max - CSV_SCAN_ENDS_MIN);
	const struct csv_run fixed = *run;
	struct csv_quote_carry carry = CSV_QUOTE_CARRY_START;
	uint32_t *next = run->ends;
	uint32_t rows = 0;
	uint32_t offset = run->offset;

	while (offset < fixed.size && rows < fixed.rows_max && next <= full) {
		struct csv_masks masks =
			ops->masks(fixed.data + offset, fixed.delimiter, fixed.quote);
		uint64_t inside = csv_block_bits(offset, fixed.size);

		if (!csv_quote_block(&masks, inside, &carry, ops))
			return false;
		rows += ops->popcount(masks.newlines);
		next = csv_store_ends(
			next, offset, masks.separators, ops->popcount(masks.separators), ops);
		offset = fixed.size - offset >= 64 ? offset + 64 : fixed.size;
		offset = (uint32_t)csv_skip_inside(
			fixed.data, offset, fixed.size, fixed.quote, &carry, ops);
	}
	run->rows = rows;
	run->doubled = carry.doubled != 0;
	run->unclosed = offset == run->size && carry.in_quotes;
	csv_end_text(run, next, offset);
	return true;
}

/*
 * Past the whole blocks without a quote, inside quotes or not. Outside, what the next block must
 * know of the byte before it is looked up, and the last newline is remembered: *whole is behind it.
 */
CSV_INLINE size_t csv_skip_unquoted(const char *data, size_t offset, size_t size, char delimiter,
	char quote, struct csv_quote_carry *carry, size_t *whole, const struct csv_ops *ops)
{
	size_t start = offset;
	const char *newline;

	if (carry->behind_closing | carry->behind_return)
		return offset;
	while (size - offset >= 64 && !ops->has_quote(data + offset, quote))
		offset += 64;
	if (carry->in_quotes || offset == start)
		return offset;
	newline = memrchr(data + start, '\n', offset - start);
	if (newline)
		*whole = (size_t)(newline - data) + 1;
	carry->behind_start = data[offset - 1] == delimiter || data[offset - 1] == '\n';
	return offset;
}

CSV_INLINE bool csv_kernel_whole(const char *data, size_t size, char delimiter, char quote,
	size_t *whole, const struct csv_ops *ops)
{
	struct csv_quote_carry carry = CSV_QUOTE_CARRY_START;
	size_t offset = 0;

	*whole = 0;
	while (offset < size) {
		struct csv_masks masks = ops->masks(data + offset, delimiter, quote);

		if (!csv_quote_block(&masks, csv_block_bits(offset, size), &carry, ops))
			return false;
		if (masks.newlines)
			*whole = offset + 64 - (size_t)__builtin_clzll(masks.newlines);
		offset = size - offset >= 64 ? offset + 64 : size;
		offset =
			csv_skip_unquoted(data, offset, size, delimiter, quote, &carry, whole, ops);
	}
	return true;
}

#endif
