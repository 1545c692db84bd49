/*
 * The text that is being compiled, so that every error can say where it happened.
 */
#ifndef SQL_SOURCE_H
#define SQL_SOURCE_H

#include "base/arena.h"
#include "base/error.h"
#include <stdbool.h>
#include <stdint.h>

struct sql_source {
	const char *name; /* "q3", "schema.sql"; "" for none */
	const char *text;
	enum error_code code; /* of the errors in it: ERROR_SQL or ERROR_USAGE */
	uint32_t
		line; /* lines before it, and on its first line columns, where it is a part of a text */
	uint32_t column;
};

/* name = value, as WITH and COPY have it. */
struct sql_option {
	const char *name;
	const char *value; /* "true" when the name stands alone */
	int32_t location;
};

/*
 * Fills `err` with "name: line 4, column 9: message" and returns -1. `location` is a byte offset;
 * -1 leaves line and column out.
 */
int source_error(const struct sql_source *source, int32_t location, struct error *err,
	const char *format, ...) PRINTF_LIKE(4, 5);

/* The byte offset of the character with this 0-based index, as libpg_query counts. */
int32_t source_offset(const struct sql_source *source, int32_t characters);

/* syntax_hint.c: how PostgreSQL says what may have been meant where its grammar found an error; NULL. */
const char *syntax_hint(const char *text, int32_t location);

#endif
