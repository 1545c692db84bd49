/*
 * The structural scanner: finds the delimiters and line ends of CSV text with SIMD.
 *
 * Quotes follow RFC 4180, read leniently: a quote opens a quoted field only at the field's start;
 * inside, two quotes are one, and delimiters and newlines are data. A quote inside an unquoted
 * field is plain data. Text between a closing quote and the next delimiter is kept in the field's
 * extent, and the decoder makes it a reject. The vector paths assume well-formed quoting and check
 * it as they go; text that breaks the assumption is scanned again by the scalar path, which alone
 * defines the meaning. All paths give the same positions for the same bytes.
 */
#ifndef CSV_SCAN_H
#define CSV_SCAN_H

#include "column/schema.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Readable bytes that must follow the text in memory; their content does not matter: for a vector,
 * and for the places of fields that a last record does not have.
 */
#define CSV_SCAN_PADDING (64 + TABLE_COLUMNS_MAX)
/* Fields that csv_scan_next needs room for: those in 128 bytes, and the end of the text. */
#define CSV_SCAN_ENDS_MIN 129

enum csv_isa {
	CSV_ISA_PORTABLE,
	CSV_ISA_SSE2,
	CSV_ISA_AVX2,
	CSV_ISA_AVX512,
};

#define CSV_ISA_BEST CSV_ISA_AVX512 /* the last one */

/* The best one this machine has. */
enum csv_isa csv_isa_detect(void);
bool csv_isa_supported(enum csv_isa isa);

/* One pass over one text of whole records. Set up by csv_scan_start. */
struct csv_scan {
	const char *data;
	uint32_t size;
	uint32_t offset; /* scanned so far; always the start of a record */
	char delimiter;
	char quote;
	enum csv_isa isa;
	bool quoted; /* the text has quote characters at all: found out by csv_scan_start */
	/*
	 * What was met so far. `malformed` is set no later than by the call that returns the record
	 * at fault, `unclosed` by the one that returns the text's last record, which ends inside
	 * quotes. Without `doubled` no quoted field holds a quote.
	 */
	bool malformed;
	bool unclosed;
	bool doubled;
};

/* `quote` 0: the text has no quoted fields, every byte but delimiter and newline is data. */
void csv_scan_start(struct csv_scan *scan, const char *data, uint32_t size, char delimiter,
	char quote, enum csv_isa isa);

/*
 * Scans on and stores the position of the delimiter, newline or end of text behind every field of
 * the next records: as many whole records as there are, up to `rows_max`, as long as
 * CSV_SCAN_ENDS_MIN slots of `ends_max` are left. The last record of the text need not end in a
 * newline. Returns the number of fields and sets *rows to the number of records; 0 at the end of
 * the text. A single record with more than ends_max fields sets *rows to 1 and returns ends_max:
 * its tail is skipped. All of ends[0..ends_max) may be written to.
 */
uint32_t csv_scan_next(struct csv_scan *scan, uint32_t rows_max, uint32_t *ends, uint32_t ends_max,
	uint32_t *rows);

/*
 * The length of the longest prefix of `data` that ends with a record's newline, 0 when no record
 * ends. `data` starts at the start of a record and has the padding behind it.
 */
size_t csv_scan_whole_records(
	const char *data, size_t size, char delimiter, char quote, enum csv_isa isa);

#endif
