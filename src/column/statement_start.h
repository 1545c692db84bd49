/*
 * When a statement started, and what its random numbers are made of: a part of what is asked, like its
 * text. Whoever plans it makes constants of it, so that every node and every retry has the same.
 */
#ifndef COLUMN_STATEMENT_START_H
#define COLUMN_STATEMENT_START_H

#include "base/buf.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct statement_start {
	bool known; /* both are */
	bool now_given;
	bool seed_given;
	int64_t now; /* microseconds since 1970, UTC */
	uint64_t seed;
};

/* Gives one of them, by its name: now or seed. ERROR_USAGE for what is none. */
MUST_CHECK int statement_start_set(
	struct statement_start *start, const char *name, const char *value, struct error *err);
/* What was not given is taken from the machine's clock, and is what nobody can guess. ERROR_IO. */
MUST_CHECK int statement_start_begin(struct statement_start *start, struct error *err);
/* As statements of a schema: what was given, or all of it. */
void statement_start_write(const struct statement_start *start, bool all, struct buf *out);

#endif
