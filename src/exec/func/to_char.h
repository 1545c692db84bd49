/*
 * to_char: patterns for dates and times (to_char.c) and for numbers (to_char_number.c).
 *
 * A pattern is compiled once and applied to many values. Compiled patterns live in the arena they
 * were made in and point into the pattern's text.
 */
#ifndef EXEC_TO_CHAR_H
#define EXEC_TO_CHAR_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/numeric.h"
#include "column/type.h"

struct time_pattern;

struct number_pattern;

MUST_CHECK int number_pattern_compile(struct arena *arena, struct text pattern,
	const struct number_pattern **out, struct error *err);
/* `digits`: how many of them the value's type has. */
void number_pattern_format_double(
	const struct number_pattern *pattern, double value, int digits, struct buf *out);
/* False when the value, at the scale of the pattern, does not fit a numeric. */
void number_pattern_format_numeric(
	const struct number_pattern *pattern, numeric value, struct buf *out);

#endif
