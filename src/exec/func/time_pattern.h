/*
 * Texts of dates and times read by a pattern, the way PostgreSQL's to_date and to_timestamp do.
 *
 * A pattern is a list of nodes: fields, separators (blanks among them) and other characters. Blanks of
 * the text are skipped before and behind fields; a separator takes one of the text's, or none where
 * there is none; another character takes one, whichever it is. A field of digits reads no more of
 * them than it has letters, unless something that is no digit follows. What stands behind the last
 * node is ignored. With FX nothing is skipped. Strictly, as .datetime() of a JSON path reads, text
 * and pattern agree in every separator and end together.
 */
#ifndef EXEC_FUNC_TIME_PATTERN_H
#define EXEC_FUNC_TIME_PATTERN_H

#include "base/arena.h"
#include "base/error.h"
#include "column/type.h"

struct input_pattern;

struct time_reading {
	bool has_offset;
	int32_t offset;	 /* seconds east of UTC */
	int64_t day;	 /* since 1970-01-01 */
	int64_t time;	 /* microseconds */
	unsigned digits; /* of its fraction, at most: what was read is to be rounded to them */
};

/* In the arena. NULL, and an error, for fields that cannot be read. */
const struct input_pattern *time_pattern_new(
	struct text text, bool strict, struct arena *arena, struct error *err);
/* What its fields are of. */
bool time_pattern_has_date(const struct input_pattern *pattern);
bool time_pattern_has_time(const struct input_pattern *pattern);
bool time_pattern_has_zone(const struct input_pattern *pattern);
int time_pattern_read(const struct input_pattern *pattern, struct text text,
	struct time_reading *out, struct error *err);

#endif
