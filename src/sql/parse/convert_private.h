/*
 * From libpg_query's typed tree to ast.h. A PgQuery__Node is a union of all kinds of node, told
 * apart by node_case; an absent message is NULL, an absent string is "", an absent number is 0.
 * Where PostgreSQL's grammar allows one kind alone (a SortBy in an ORDER BY) it is read without a
 * look at node_case.
 *
 * The tree lies in the arena of the compilation, so what is converted may keep its strings.
 *
 * Functions that make something return NULL after they have filled the error.
 */
#ifndef SQL_CONVERT_PRIVATE_H
#define SQL_CONVERT_PRIVATE_H

#include "base/buf.h"
#include "sql/parse/ast.h"
#include "sql/statement.h"

#include <pg_query/pg_query.pb-c.h>

#define STAND_INS_MAX 1000

/* A name that PostgreSQL's grammar does not take, and what stands for it (convert_names.c). */
struct stand_in {
	const char *name;
	int32_t location;
	bool is_file; /* it was FROM '...', */
	bool used;    /* and a table stands there */
};

struct stand_ins {
	char *text; /* with the stand-ins; as long as the text it was made of */
	uint32_t count;
	struct stand_in *items;
};

/* Replaces the names in `text` that are too long. Everything lives in the arena. */
void stand_ins_init(struct stand_ins *names, const char *text, size_t size, struct arena *arena);
/*
 * The parser does not take what is at `location`. True when it was the name of a file as a table, or
 * stands behind the name of an option that is a word of SQL: that is replaced now.
 */
bool stand_ins_take(struct stand_ins *names, int32_t location, struct arena *arena);
/* Puts the names back into a tree. */
void stand_ins_restore(const struct stand_ins *names, ProtobufCMessage *message);
/* The same for a message to a person. */
const char *stand_ins_readable(
	const struct stand_ins *names, const char *message, struct arena *arena);

/* The CTE that is being converted, and those around it. */
struct cte_around {
	struct ast_cte *cte;
	const struct cte_around *outer;
};

struct converter {
	const struct sql_source *source;
	struct stand_ins *names;
	struct ast_tables *tables; /* NULL: nobody asks */
	const struct cte_around *ctes;
	bool in_function; /* $1 is a parameter */
	struct arena *arena;
	struct error *err;
	uint32_t depth;
};

/* A repeated field: libpg_query keeps its length next to it. */
struct nodes {
	uint32_t count;
	PgQuery__Node *const *items;
};

#define NODES(message, field) \
	((struct nodes){(uint32_t)(message)->n_##field, (const void *)(message)->field})

/* The last of a dotted name: pg_catalog.int4. */
const char *last_name(struct nodes names);
/* NULL for "". */
const char *optional_name(const char *name);
/* -1 for no node, and for kinds that know no place. */
int32_t node_location(const PgQuery__Node *node);

/* "<what> not supported" at the location. Returns NULL, for any pointer. */
void *unsupported(struct converter *c, int32_t location, const char *what);

/* Before a level of the tree, of which `node` (may be NULL) tells the place; then leave. */
MUST_CHECK int converter_enter(struct converter *c, const PgQuery__Node *node);
void converter_leave(struct converter *c);

struct ast_expr *convert_expr(struct converter *c, const PgQuery__Node *node);
/* Room for the result even when the list is empty. */
struct ast_expr **convert_exprs(struct converter *c, struct nodes list, uint32_t *count);
struct ast_type *convert_type(struct converter *c, const PgQuery__TypeName *name);
struct ast_sort *convert_sorts(struct converter *c, struct nodes list, uint32_t *count);
struct ast_window *convert_window(struct converter *c, const PgQuery__WindowDef *definition);
/* Whether it is a call that reads files, and its FROM item (convert_files.c). */
bool convert_is_files(const PgQuery__FuncCall *call);
struct ast_from *convert_files(struct converter *c, const PgQuery__FuncCall *call);
void convert_note_table(struct converter *c, const struct ast_from *from);
const char **convert_names(struct converter *c, struct nodes list, uint32_t *count);
struct ast_select *convert_select(struct converter *c, const PgQuery__SelectStmt *statement);
struct ast_from *convert_range_var(struct converter *c, const PgQuery__RangeVar *table);
struct sql_option *convert_options(
	struct converter *c, PgQuery__Node *const *nodes, uint32_t count);
MUST_CHECK int convert_statement(
	struct converter *c, const PgQuery__RawStmt *raw, struct sql_statement *out);
/* Bodies that are texts are not parsed yet. */
int convert_schema(struct converter *c, const PgQuery__ParseResult *tree, struct ast_schema *out);

#endif
