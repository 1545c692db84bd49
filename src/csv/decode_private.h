/*
 * What the files of the decoder share.
 *
 *   decode.c          chunks, turns and records: which are good, and what is wrong with the others
 *   decode_column.c   one column of a turn: quotes off, NULLs, values
 */
#ifndef CSV_DECODE_PRIVATE_H
#define CSV_DECODE_PRIVATE_H

#include "csv/decode.h"
#include "csv/fields_private.h"
#include "csv/scan/scan_private.h"

#include <stdlib.h>

struct column_reader {
	uint32_t field;
	struct value fixed; /* of a column that is not a field */
	struct csv_hint hint;
	bool unusual;	/* its values are not written as usual */
	bool guessed;	/* its type is a guess */
	uint8_t *valid; /* BATCH_ROWS_MAX; shown to the batch only when a zero is in it */
};

/* A field that could not be read, of the turn at hand. */
struct field_fault {
	uint16_t row;
	uint16_t column;
	const char *reason;
	struct text field;
	const char *record; /* where it begins */
};

struct csv_decoder {
	const struct csv_layout *layout;
	const struct csv_readers *readers;
	enum csv_isa isa;
	bool empty_is_null;
	uint32_t turn_rows;
	uint32_t ends_max;
	uint32_t *room;	      /* for ends_max positions; room[-1] may be used, too */
	uint32_t *ends;	      /* of the turn: in `room`, or in the chunk; so may ends[-1] */
	uint32_t *chunk_ends; /* the chunk's that are left, NULL when it has not been scanned */
	uint32_t chunk_end_count;
	uint32_t *gathered; /* turn_rows times (where the record starts - 1, its ends) */
	uint32_t *present;  /* turn_rows: how many of its fields a gathered record has */
	uint32_t *stripped; /* turn_rows pairs: bounds without quotes and carriage returns */
	uint16_t *failed;   /* turn_rows */
	struct column *columns;
	struct column_reader *column_readers;
	struct arena arena; /* for one batch: texts with quotes in them, lists */
	struct arena kept;  /* lists among the constants */

	const struct csv_file *file;
	uint64_t chunk_number;
	uint64_t first_line; /* of the chunk in its file */
	bool numbered;	     /* records begin with their line */
	struct csv_tally *tally;
	struct csv_scan scan;
	uint64_t lines; /* of the chunk up to the turn's start */
	uint32_t turn_start;

	struct field_fault *faults; /* of the turn */
	uint32_t fault_count;
	uint32_t fault_capacity;
	struct csv_bad *bad; /* of the batch */
	uint32_t bad_count;
	uint32_t bad_capacity;
};

/* The records of a turn, as the readers want them. */
struct csv_turn {
	const uint32_t *bounds; /* of field 0 of row 0 */
	size_t stride;
	uint32_t rows;
	uint32_t first_row; /* in the batch */
	bool returns;	    /* the lines seem to end in \r\n */
	/* Fields of each row that are there; NULL: all of them. Those that are not are empty. */
	const uint32_t *present;
};

/* The line on which `record` begins; the turn that it is in starts at `turn_start`. */
static inline uint64_t csv_decoder_line(
	const struct csv_decoder *decoder, uint32_t turn_start, const char *record)
{
	const char *start = decoder->scan.data + turn_start;

	if (decoder->numbered)
		return strtoull(record, NULL, 10) - decoder->first_line;
	return decoder->lines + csv_count_newlines(start, (size_t)(record - start));
}

/* Reads a field of all records of the turn; those that cannot be read become faults. */
void csv_decoder_read_column(struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn);
/* A column that is not a field of the records. */
void csv_decoder_fill_column(
	struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn, uint32_t turn_start);

#endif
