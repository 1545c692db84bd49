/*
 * JSON lines: a file with one object per line, .jsonl, .ndjson or .json, read as a table whose columns
 * are the keys. Chunks of it are rewritten as CSV, so that everything behind is the same for both.
 *
 * A string is its text, in quotes; null, and a key that is not there, are NULL; numbers, true and
 * false are as they are written, and so are arrays and objects: JSON text. A line that is no object,
 * or has a key twice, becomes a record that cannot be read, and so a reject. Blank lines are nothing.
 *
 * Strings may hold line feeds, so a record of the CSV text may have more lines than its one in the
 * file. That is why each begins with the number of its line, as one more field.
 */
#ifndef CSV_JSON_LINES_H
#define CSV_JSON_LINES_H

#include "base/arena.h"
#include "column/schema.h"

/* Of each file, for the keys of a table without a schema. */
#define JSON_LINES_KEYS_BYTES (64u << 20)

bool json_lines_is_name(const char *path);

struct json_lines {
	const char *path; /* for errors */
	/* The fields of a record: its line, and the columns. */
	uint32_t name_count;
	const struct text *names;
	struct csv_format format;
	const char *null;    /* what NULL is written as, without quotes */
	bool refuses_others; /* a key that is none of the names is an error and not ignored */
};

/* The names for the columns of a table, in the arena: field 0 is the line. */
void json_lines_names(
	const struct table_schema *schema, struct arena *arena, struct json_lines *out);

/* How much of the text are whole lines; all of it at its end. */
size_t json_lines_whole(const char *data, size_t size);

/*
 * Appends the records of whole lines, the first of which has the number `line`. ERROR_DATA for a key
 * that is refused.
 */
MUST_CHECK int json_lines_rewrite(const struct json_lines *lines, const char *data, size_t size,
	uint64_t line, struct buf *out, struct error *err);

/*
 * The keys of a file in the order in which they come, in the arena; none in one that is empty. Looks
 * at JSON_LINES_KEYS_BYTES of its text. ERROR_DATA when no line is an object, ERROR_LIMIT for more
 * than TABLE_COLUMNS_MAX.
 */
MUST_CHECK int json_lines_keys(const char *path, const char *encoding, struct arena *arena,
	struct text **names, uint32_t *count, struct error *err);

#endif
