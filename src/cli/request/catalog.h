/* The tables that a query typed by a person may name. */
#ifndef CLI_REQUEST_CATALOG_H
#define CLI_REQUEST_CATALOG_H

#include "base/arena.h"
#include "cli/dialect_options.h"
#include "column/schema.h"
#include "local/files.h"
#include "sql/compile.h"

/* What --data says; borrowed. */
static inline struct data_places catalog_places(const struct option_list *data)
{
	return (struct data_places){data->count, data->items, NULL};
}

/*
 * From a schema, which is a file or the name of a pack, or, when `schema` is NULL, from what stands
 * in the folder. Everything lives in the arena. `data` may have no place when there is a schema:
 * sizes are then unknown. `files` is what the command line says of files, for which a schema says
 * nothing else.
 *
 * Only files of tables that the queries name are looked at. Queries may also name files themselves
 * (sql_file_tables), which become tables of the catalog, too. `queries` NULL: of all tables, and no others.
 */
MUST_CHECK int catalog_load(const char *schema, const struct sql_queries *queries,
	const struct data_places *data, const struct dialect_options *files, struct arena *arena,
	struct catalog *out, struct error *err);

/* The same for a schema's text that was read already. */
MUST_CHECK int catalog_complete(struct catalog *catalog, const struct sql_queries *queries,
	const struct data_places *data, const struct dialect_options *files, struct arena *arena,
	struct error *err);

#endif
