/*
 * Chunks of CSV text to batches of typed columns. Only the wanted columns are parsed.
 *
 * A field that cannot be read as its column's type makes the row bad for those who read that
 * column, and for nobody else: so what a query answers does not depend on which other queries run
 * beside it. A row with the wrong number of fields is bad for everyone and is left out of the
 * batch.
 */
#ifndef CSV_DECODE_H
#define CSV_DECODE_H

#include "column/column.h"
#include "csv/constants.h"
#include "csv/file.h"
#include "csv/scan/scan.h"

/* Columns that are no field of the records. */
#define CSV_FIELD_NONE	   0x80000000u /* there is no such column in the file: NULL */
#define CSV_FIELD_LINE	   0x80000001u /* the line at which the record begins */
#define CSV_FIELD_SKIPPED  0x80000002u /* it is not read: the batch has nothing of use there */
#define CSV_FIELD_CONSTANT 0x80000003u /* and more: one of the layout's constants */

/* How the wanted columns lie in one file's records. */
struct csv_layout {
	uint32_t field_count;	/* of every record */
	uint32_t column_count;	/* wanted */
	const uint32_t *fields; /* fields[c]: the field of wanted column c, or CSV_FIELD_... */
	const struct type *types;
	const char *const *names;	    /* of the wanted columns, for rejects */
	const struct csv_reading *readings; /* how their values are written; NULL: as usual */
	/*
	 * Types from a sample; NULL: none is. NA and the like are NULL in such a column, and what does
	 * not fit it is no reject but a doubt.
	 */
	const bool *guessed;
	struct csv_format format;
	uint32_t null_count; /* what is NULL without quotes; 0: an empty field */
	const char *const *nulls;
	enum csv_ragged ragged; /* what becomes of records with another number of fields */
	bool widens;		/* one with too many is no reject but a doubt */
	bool unite;		/* columns that are not in the header are NULL */
	uint32_t constant_count;
	const struct csv_constant *constants; /* of the file */
};

/* A field of a batch's row that could not be read. */
struct csv_bad {
	uint16_t row;
	uint16_t column;
};

/* A reject as it is reported. Texts are short copies; everything lives in the collector's arena. */
struct csv_reject {
	const struct csv_file *file;
	uint64_t chunk;
	uint64_t line;	    /* within the chunk, 0-based */
	const char *column; /* NULL when the whole record is at fault */
	const char *reason; /* static text: "not a number", "3 fields instead of 9" is formatted */
	const char *sample; /* the offending text, shortened to CSV_SAMPLE_MAX bytes */
};

#define CSV_SAMPLE_MAX 60

/* Values that say that the type of a column was guessed wrong. */
struct csv_doubt {
	unsigned kinds;	    /* what all of them may be (csv/guess.h) */
	const char *sample; /* the first of them, shortened; NULL: there is none */
	const struct csv_file *file;
	uint64_t chunk;
	uint64_t line; /* within the chunk, 0-based */
};

/* A record with more fields than its file was thought to have. */
struct csv_long_record {
	uint32_t fields; /* of the longest one; 0: there is none */
	uint32_t width;	 /* that were expected */
	/* Where the first one is. */
	const char *sample;
	const struct csv_file *file;
	uint64_t chunk;
	uint64_t line; /* within the chunk, 0-based */
};

/* What one thread noticed; merged at the end. Rows are counted once however many fields are bad. */
struct csv_tally {
	struct arena arena;
	uint64_t rows;	   /* records read */
	uint64_t rejects;  /* records with at least one fault */
	uint64_t kept_max; /* how many of `kept` to keep */
	uint64_t kept_count;
	uint64_t kept_capacity;
	struct csv_reject *kept;
	uint32_t doubt_count;
	struct csv_doubt *doubts; /* by wanted column; NULL: all types are right so far */
	struct csv_long_record longest;
};

/* Somebody has guessed wrong: what is read is not the answer. */
static inline bool csv_tally_has_doubts(const struct csv_tally *tally)
{
	return tally->doubts || tally->longest.fields > 0;
}

void csv_tally_init(struct csv_tally *tally, uint64_t kept_max);
void csv_tally_release(struct csv_tally *tally);

struct csv_decoder;

/* `layout` is borrowed and outlives the decoder. For one thread. */
struct csv_decoder *csv_decoder_new(const struct csv_layout *layout, enum csv_isa isa);
void csv_decoder_free(struct csv_decoder *decoder);

/* Starts on a chunk, which must stay until csv_decoder_next has returned false. */
void csv_decoder_start(struct csv_decoder *decoder, const struct csv_file *file,
	const struct csv_chunk *chunk, struct csv_tally *tally);

/*
 * The next batch, all rows selected, or false at the chunk's end. The batch and what it points to
 * live until the next call on the decoder. bad[0..*bad_count) lists the unreadable fields, by row.
 */
bool csv_decoder_next(struct csv_decoder *decoder, struct batch *batch, const struct csv_bad **bad,
	uint32_t *bad_count);

/* Lines in the chunk that was just decoded to its end, for csv_file_note_lines. */
uint64_t csv_decoder_lines(const struct csv_decoder *decoder);

#endif
