/* What might separate the fields of a sample, and what might quote them. */
#ifndef CSV_SNIFF_DELIMITERS_H
#define CSV_SNIFF_DELIMITERS_H

#include "column/csv_dialect.h"

#include <stddef.h>

#define CANDIDATES_MAX 64

/* A dialect to try, with what it costs in advance: the usual ones nothing. */
struct candidate {
	struct csv_dialect dialect;
	int64_t prior;		/* in parts of a bit, see cell.h */
	int64_t prior_per_mark; /* the same, for each delimiter in the sample */
	int64_t prior_per_row;
};

/*
 * Fills `out` with the dialects to try for the sample, likely ones first, and returns how many. What
 * `declared` gives is taken as it is.
 */
uint32_t candidates_of(const char *sample, size_t size, const struct csv_dialect *declared,
	struct candidate out[CANDIDATES_MAX]);

/* A comma, a semicolon, a tab, or a vertical bar. */
bool is_usual_delimiter(const struct csv_dialect *dialect);

/* How the lines of the sample end. */
enum csv_line_end line_end_of(const char *sample, size_t size);

#endif
