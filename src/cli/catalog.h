/* The tables that a query typed by a person may name. */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "base/arena.h"
#include "column/schema.h"

/*
 * From a schema, which is a file or the name of a pack, or, when `schema` is NULL, from what stands
 * in the folder. Everything lives in the arena. `data_folder` may be NULL when there is a schema:
 * sizes are then unknown.
 */
MUST_CHECK int catalog_load(const char *schema, const char *data_folder, struct arena *arena,
	struct catalog *out, struct error *err);

#endif
