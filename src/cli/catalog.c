#include "cli/catalog.h"

#include "cli/pack.h"
#include "local/files.h"
#include "sql/compile.h"
#include <string.h>

static int load_schema(
	const char *schema, struct arena *arena, struct catalog *out, struct error *err)
{
	char *text;

	for (uint32_t i = 0; i < embedded_pack_count; i++) {
		if (strcmp(embedded_packs[i].name, schema) == 0)
			return sql_schema(schema, embedded_packs[i].schema, arena, out, err);
	}
	if (pack_read_file(schema, arena, &text, err))
		return -1;
	return sql_schema(schema, text, arena, out, err);
}

int catalog_load(const char *schema, const char *data_folder, struct arena *arena,
	struct catalog *out, struct error *err)
{
	if (!schema)
		return files_infer_catalog(data_folder, arena, out, err);
	if (load_schema(schema, arena, out, err))
		return -1;
	return data_folder ? files_measure(out, data_folder, err) : 0;
}
