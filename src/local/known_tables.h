/*
 * What was found out about tables without a schema, for a session that asks for them again: names and types of their
 * columns, the way they are written, and what was learned since of types that were guessed wrong. It holds while the
 * files are the same ones and have not changed (file_stamp.h).
 *
 * For one thread.
 */
#ifndef LOCAL_KNOWN_TABLES_H
#define LOCAL_KNOWN_TABLES_H

#include "base/arena.h"
#include "column/schema.h"

struct known_tables;

struct known_tables *known_tables_new(void);
void known_tables_free(struct known_tables *known);

/*
 * As csv_infer (csv/infer.h). What it finds lives in `known` until known_tables_sweep, but for the columns, which are in
 * the arena: their types may be changed.
 */
MUST_CHECK int known_tables_infer(struct known_tables *known, struct table_schema *table,
	const char *const *paths, uint32_t path_count, struct arena *arena, struct error *err);

/* A table that was inferred here has been found to have wider types, or more columns. */
void known_tables_learn(struct known_tables *known, const struct table_schema *table);

/* Nobody uses what was found of files as they were before. */
void known_tables_sweep(struct known_tables *known);

#endif
