/*
 * How a file is written, found in a sample of it: the dialect, where the table begins and ends, and
 * the names of its columns. docs/files.md says what is found and what is refused.
 *
 *   document.c     texts that are no tables
 *   delimiters.c   what might separate and quote fields: the dialects to try
 *   score.c        how good the table is that a dialect makes of the sample, by cell.c
 *   shape.c        preamble, header and footer of that table
 *   names.c        the header's rows joined to names
 */
#ifndef CSV_SNIFF_SNIFF_H
#define CSV_SNIFF_SNIFF_H

#include "base/arena.h"
#include "base/error.h"
#include "column/csv_dialect.h"
#include "column/type.h"

/* Of a file's start, for the dialect; more when hardly any lines end in it. */
#define SNIFF_BYTES	(64u << 10)
#define SNIFF_BYTES_MAX (1u << 20)
#define SNIFF_LINES_MIN 16
/* Of a file's end, for what stands behind the table. */
#define SNIFF_TAIL_BYTES (16u << 10)

/* The start of a text and, when it is longer and can be had, its end. */
struct csv_sample {
	const char *head;
	size_t head_size;
	bool whole; /* the head is all there is */
	const char *tail;
	size_t tail_size;
};

struct csv_sniffed {
	struct csv_dialect dialect; /* all of it */
	size_t body;		    /* where the records begin, in the head */
	uint64_t lines;		    /* before them */
	uint32_t width;		    /* columns of the table */
	struct text *names;	    /* of them, each one once */
	bool named;		    /* the file has names */
	uint32_t renamed;	    /* columns whose name was empty, or stood before */
	uint32_t renamed_sample;    /* one of them */
	/* The table ends before the text does: bytes of head or tail behind it, else 0. */
	size_t footer_bytes;
	const char *note; /* what the user should know of it; NULL: nothing */
};

/*
 * What `declared` gives is taken as it is. Everything lives in the arena. `origin` names the text in
 * errors: ERROR_DATA when two readings are about as good, with both and the option that decides.
 */
MUST_CHECK int csv_sniff(const char *origin, const struct csv_sample *sample,
	const struct csv_dialect *declared, struct arena *arena, struct csv_sniffed *out,
	struct error *err);

/*
 * The same by `dialect` alone: the header that stands where it says. False when the sample is
 * shorter than that. Nothing is weighed or refused.
 */
bool csv_sniff_header(const struct csv_sample *sample, const struct csv_dialect *dialect,
	struct arena *arena, struct csv_sniffed *out);

#endif
