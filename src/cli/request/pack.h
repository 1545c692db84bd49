/*
 * A pack: a schema and named queries over it.
 *
 *   NAME/schema.sql       CREATE TABLE ... WITH (files = 'transactions/x*.csv')
 *   NAME/queries/q1.sql   one SELECT; its first comment line is the query's title
 *
 * Some packs are inside the binary; any folder of this shape is one, too.
 */
#ifndef CLI_REQUEST_PACK_H
#define CLI_REQUEST_PACK_H

#include "base/arena.h"
#include "base/options.h"
#include "sql/compile.h"

#define PACK_FILE_BYTES_MAX SQL_TEXT_MAX

/* Generated from packs/ by tools/embed_packs.py. */
struct embedded_query {
	const char *name;
	const char *text;
};

struct embedded_pack {
	const char *name;
	const char *schema;
	uint32_t query_count;
	const struct embedded_query *queries;
};

extern const struct embedded_pack embedded_packs[];
extern const uint32_t embedded_pack_count;

struct pack {
	const char *name;
	const char *schema_origin; /* names the schema in errors */
	const char *schema;
	uint32_t query_count;
	struct sql_text *queries; /* q2 before q10 */
};

/*
 * The embedded pack of that name, or the folder at that path. Everything lives in the arena.
 * ERROR_USAGE when it is neither or lacks a part.
 */
MUST_CHECK int pack_load(
	const char *name, struct arena *arena, struct pack *out, struct error *err);

/* Keeps the named queries, in the pack's order; an empty list keeps all. */
MUST_CHECK int pack_select(struct pack *pack, const struct option_list *names, struct error *err);

/* Reads a text file of at most PACK_FILE_BYTES_MAX; "-" is stdin. ERROR_USAGE when it cannot. */
MUST_CHECK int pack_read_file(const char *path, struct arena *arena, char **out, struct error *err);

#endif
