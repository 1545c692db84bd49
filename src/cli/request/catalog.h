/* The tables that a query typed by a person may name. */
#ifndef CLI_REQUEST_CATALOG_H
#define CLI_REQUEST_CATALOG_H

#include "base/arena.h"
#include "cli/dialect_options.h"
#include "column/schema.h"
#include "sql/compile.h"

/* Queries may also name files themselves (sql_file_tables): they become tables of the catalog, too. */
MUST_CHECK int catalog_add_files(struct catalog *catalog, const struct sql_text *queries,
	uint32_t query_count, const char *data_folder, const struct dialect_options *files,
	struct arena *arena, struct error *err);

/*
 * From a schema, which is a file or the name of a pack, or, when `schema` is NULL, from what stands
 * in the folder. Everything lives in the arena. `data_folder` may be NULL when there is a schema:
 * sizes are then unknown. `files` is what the command line says of files, for which a schema says
 * nothing else.
 */
MUST_CHECK int catalog_load(const char *schema, const char *data_folder,
	const struct dialect_options *files, struct arena *arena, struct catalog *out,
	struct error *err);

/* The same for a schema's text that was read already. */
MUST_CHECK int catalog_complete(struct catalog *catalog, const char *data_folder,
	const struct dialect_options *files, struct arena *arena, struct error *err);

#endif
