/* How the decoder notes what it could not read. */
#ifndef CSV_TALLY_PRIVATE_H
#define CSV_TALLY_PRIVATE_H

#include "csv/decode.h"

/* A place for one more reject, or NULL when enough are kept. */
struct csv_reject *csv_tally_keep(struct csv_tally *tally);

/* The text, shortened, in the tally's arena. */
const char *csv_tally_sample(struct csv_tally *tally, struct text text);

/*
 * Values of wanted column `column` of `column_count` may be `kinds` and so contradict a guess. The
 * first one of a column is shown: the doubt is returned for its place to be filled in, otherwise NULL.
 */
struct csv_doubt *csv_tally_doubt(
	struct csv_tally *tally, uint32_t column_count, uint32_t column, unsigned kinds);

#endif
