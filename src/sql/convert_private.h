/*
 * From libpg_query's JSON to ast.h. A node is an object with one key, its kind: {"ColumnRef":
 * {...}}. Zeros and absent parts are left out of it.
 *
 * Functions that make something return NULL after they have filled the error.
 */
#ifndef SQL_CONVERT_PRIVATE_H
#define SQL_CONVERT_PRIVATE_H

#include "sql/ast.h"
#include "sql/json.h"

struct converter {
	const struct source *source;
	struct arena *arena;
	struct error *err;
	uint32_t depth;
};

/* The kind of a node and what is in it. "" and NULL for no node. */
const char *node_kind(const struct json *node);
const struct json *node_body(const struct json *node);
/* The i-th node of a list, if it is of this kind; else NULL. */
const struct json *list_body(const struct json *list, uint32_t index, const char *kind);
/* The text of a String node; "" for anything else. */
const char *node_name(const struct json *node);
/* The last of a dotted name: pg_catalog.int4. */
const char *last_name(const struct json *names);
int32_t location_of(const struct json *body);

/* "<what> not supported" at the location. Returns NULL, for any pointer. */
void *unsupported(struct converter *c, int32_t location, const char *what);

struct ast_expr *convert_expr(struct converter *c, const struct json *node);
/* Room for the result even when the list is empty. */
struct ast_expr **convert_exprs(struct converter *c, const struct json *list, uint32_t *count);
struct ast_type *convert_type(struct converter *c, const struct json *body);
struct ast_sort *convert_sorts(struct converter *c, const struct json *list, uint32_t *count);
struct ast_window *convert_window(struct converter *c, const struct json *body);
const char **convert_names(struct converter *c, const struct json *list, uint32_t *count);
struct ast_select *convert_select(struct converter *c, const struct json *body);
struct ast_create_table *convert_schema(
	struct converter *c, const struct json *statements, uint32_t *count);

#endif
