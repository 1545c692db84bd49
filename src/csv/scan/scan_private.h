/*
 * What the files of the scanner share.
 *
 *   scan.c           the calls of scan.h, and the scalar path that defines the meaning
 *   scan_kernel.h    the loops over blocks of 64 bytes, written once
 *   scan_avx512.c, scan_avx2.c, scan_sse2.c, scan_portable.c
 *                    how a block becomes bit masks on each kind of machine
 */
#ifndef CSV_SCAN_PRIVATE_H
#define CSV_SCAN_PRIVATE_H

#include "csv/scan/scan.h"

/* A kernel's turn: starts at a record's start with nothing found. */
struct csv_run {
	const char *data;
	uint32_t size;
	uint32_t offset;
	char delimiter;
	char quote;
	bool doubled;  /* a quoted field with a quote in it was met */
	bool unclosed; /* the text ends inside quotes */
	uint32_t rows_max;
	uint32_t ends_max;
	uint32_t rows;
	uint32_t count; /* of ends; those behind the last record's end belong to one that is cut */
	uint32_t *ends;
};

struct csv_kernels {
	/*
	 * Both go on block by block until rows_max records have ended (there may be more in the
	 * last block), the ends are full or the text is at its end. `quoted` returns false when it
	 * meets quotes that it does not understand: what it stored is void then.
	 */
	void (*plain)(struct csv_run *run);
	bool (*quoted)(struct csv_run *run);
	/* Sets *whole as csv_scan_whole_records returns it; false as `quoted`. */
	bool (*whole)(const char *data, size_t size, char delimiter, char quote, size_t *whole);
};

extern const struct csv_kernels csv_kernels_portable;
#if defined(__x86_64__)
extern const struct csv_kernels csv_kernels_sse2;
extern const struct csv_kernels csv_kernels_avx2;
extern const struct csv_kernels csv_kernels_avx512;
#endif

/* Where the scalar reading of a record stands between two bytes. */
enum csv_state {
	CSV_FIELD_START,
	CSV_IN_PLAIN,
	CSV_IN_QUOTES,
	CSV_BEHIND_QUOTE, /* the field is closed, unless a second quote follows */
};

static inline enum csv_state csv_state_step(
	enum csv_state state, char c, char delimiter, char quote)
{
	if (state == CSV_IN_QUOTES)
		return c == quote ? CSV_BEHIND_QUOTE : CSV_IN_QUOTES;
	if (c == delimiter || c == '\n')
		return CSV_FIELD_START;
	if (state == CSV_IN_PLAIN || c != quote || quote == '\0')
		return CSV_IN_PLAIN;
	return CSV_IN_QUOTES;
}

/*
 * Reads on from *state to the end of the record and returns the position behind its newline, or 0
 * with *state for the next piece of the text when the record goes on there.
 */
size_t csv_state_skip_record(
	enum csv_state *state, const char *data, size_t size, char delimiter, char quote);

/*
 * The same from a byte that is or is not inside quotes, for text in one piece and quicker: it looks
 * at quotes and newlines alone. Outside quotes, the first byte is taken for the start of a field.
 */
size_t csv_skip_record(const char *data, size_t size, bool inside, char delimiter, char quote);

/*
 * Where the first record starts behind a newline of a text that begins anywhere in a record, or 0
 * when no record ends in it: a guess, right for every text that keeps the rules of quotes and has
 * a quote with a byte on both sides that can only open or only close a field, or no quote at all
 * and is not the inside of a field.
 */
size_t csv_guess_record(const char *data, size_t size, char delimiter, char quote);

uint64_t csv_count_newlines(const char *data, size_t size);

#endif
