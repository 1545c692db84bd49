/*
 * Tables and columns as rows: SHOW TABLES, DESCRIBE, and the tables of information_schema, which are
 * PostgreSQL's as far as files have what they tell.
 */
#include "base/memory.h"
#include "cli/shell/shell_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SYSTEM_SCHEMA "information_schema"

/* -- What there is -- */

static const char *table_kind(const struct table_schema *table)
{
	return table->kept ? "temporary" : "files";
}

static void list_table(struct listing *listing, const struct table_schema *table)
{
	listing_text(listing, table->name);
	listing_text(listing, table_kind(table));
	if (table->problem)
		listing_null(listing);
	else
		listing_number(listing, table->column_count);
	listing_number(listing, (int64_t)(table->kept ? table->kept->bytes : table->bytes));
	listing_text(listing, table->problem ? table->problem->message : table->files);
}

int lists_show_tables(struct shell_statement *work, bool views_only, int *status)
{
	static const struct listing_column columns[] = {
		{"name", TYPE_TEXT},
		{"kind", TYPE_TEXT},
		{"columns", TYPE_BIGINT},
		{"bytes", TYPE_BIGINT},
		{"files", TYPE_TEXT},
	};
	struct shell *shell = work->shell;
	struct listing listing;
	struct catalog all;
	int result;

	if (shell_tables(shell, work->arena, &all, work->err))
		return -1;
	listing_init(&listing, 5, columns, work->arena);
	for (uint32_t t = 0; t < all.table_count && !views_only; t++)
		list_table(&listing, &all.tables[t]);
	for (uint32_t v = 0; v < sql_views_count(shell->views); v++) {
		listing_text(&listing, sql_views_name(shell->views, v));
		listing_text(&listing, "view");
		listing_null(&listing);
		listing_null(&listing);
		listing_null(&listing);
	}
	result = listing_show(&listing, shell, status, work->err);
	listing_release(&listing);
	return result;
}

int lists_describe(struct shell_statement *work, const struct plan *plan, int *status)
{
	static const struct listing_column columns[] = {
		{"column", TYPE_TEXT},
		{"type", TYPE_TEXT},
	};
	const struct plan_query *query = &plan->queries[0];
	struct listing listing;
	int result;

	listing_init(&listing, 2, columns, work->arena);
	for (uint32_t c = 0; c < query->column_count; c++) {
		char name[TYPE_NAME_MAX];

		listing_text(&listing, query->names[c]);
		listing_text(&listing, type_name(query->meant[c], name));
	}
	result = listing_show(&listing, work->shell, status, work->err);
	listing_release(&listing);
	return result;
}

/* -- information_schema -- */

static const struct listing_column tables_columns[] = {
	{"table_catalog", TYPE_TEXT},
	{"table_schema", TYPE_TEXT},
	{"table_name", TYPE_TEXT},
	{"table_type", TYPE_TEXT},
};

static const struct listing_column columns_columns[] = {
	{"table_catalog", TYPE_TEXT},
	{"table_schema", TYPE_TEXT},
	{"table_name", TYPE_TEXT},
	{"column_name", TYPE_TEXT},
	{"ordinal_position", TYPE_BIGINT},
	{"column_default", TYPE_TEXT},
	{"is_nullable", TYPE_TEXT},
	{"data_type", TYPE_TEXT},
	{"numeric_precision", TYPE_BIGINT},
	{"numeric_scale", TYPE_BIGINT},
};

static const struct listing_column views_columns[] = {
	{"table_catalog", TYPE_TEXT},
	{"table_schema", TYPE_TEXT},
	{"table_name", TYPE_TEXT},
	{"view_definition", TYPE_TEXT},
};

static void list_place(struct listing *listing, const char *table)
{
	listing_text(listing, "tamiz");
	listing_text(listing, "public");
	listing_text(listing, table);
}

static int list_tables(struct shell_statement *work, struct listing *listing)
{
	const struct shell *shell = work->shell;
	struct catalog all;

	if (shell_tables(shell, work->arena, &all, work->err))
		return -1;
	for (uint32_t t = 0; t < all.table_count; t++) {
		list_place(listing, all.tables[t].name);
		listing_text(listing, all.tables[t].kept ? "LOCAL TEMPORARY" : "BASE TABLE");
	}
	for (uint32_t v = 0; v < sql_views_count(shell->views); v++) {
		list_place(listing, sql_views_name(shell->views, v));
		listing_text(listing, "VIEW");
	}
	return 0;
}

/* PostgreSQL's long names, where type_name has its short ones. */
static const char *data_type(struct type type)
{
	switch (type.kind) {
	case TYPE_BOOL: return "boolean";
	case TYPE_INT: return "integer";
	case TYPE_TIME: return "time without time zone";
	case TYPE_TIMESTAMP: return "timestamp without time zone";
	default: return type_kind_name(type.kind);
	}
}

static void list_column(struct listing *listing, const char *table, const char *name,
	uint32_t position, struct type type)
{
	bool bounded = type.kind == TYPE_NUMERIC && type.precision != NUMERIC_ANY;

	list_place(listing, table);
	listing_text(listing, name);
	listing_number(listing, position);
	listing_null(listing);
	listing_text(listing, "YES");
	listing_text(listing, data_type(type));
	if (bounded) {
		listing_number(listing, type.precision);
		listing_number(listing, type.scale);
	} else {
		listing_null(listing);
		listing_null(listing);
	}
}

/* Those of a view, which are known when it is planned; one that cannot be has none. */
static void list_view_columns(
	struct shell_statement *work, struct listing *listing, const char *name)
{
	struct sql_text text = {.name = "", .title = ""};
	struct sql_queries queries;
	struct error ignored;
	struct plan *plan;
	struct buf query;

	buf_init(&query, SHELL_TEXT_MAX);
	buf_append_text(&query, "TABLE ");
	sql_append_quoted(&query, name, '"');
	text.text = arena_strndup(work->arena, query.data, query.size);
	buf_release(&query);
	if (sql_parse(&text, 1, work->arena, &queries, &ignored))
		return;
	queries.views = work->shell->views;
	queries.kept = true;
	if (sql_plan(&work->catalog, &queries, work->arena, &plan, &ignored))
		return;
	for (uint32_t c = 0; c < plan->queries[0].column_count; c++)
		list_column(
			listing, name, plan->queries[0].names[c], c + 1, plan->queries[0].types[c]);
}

static int list_columns(struct shell_statement *work, struct listing *listing)
{
	const struct shell *shell = work->shell;
	struct catalog all;

	if (shell_tables(shell, work->arena, &all, work->err))
		return -1;
	for (uint32_t t = 0; t < all.table_count; t++) {
		const struct table_schema *table = &all.tables[t];

		for (uint32_t c = 0; c < table->column_count && !table->problem; c++)
			list_column(listing, table->name, table->columns[c].name, c + 1,
				table->columns[c].type);
	}
	for (uint32_t v = 0; v < sql_views_count(shell->views); v++)
		list_view_columns(work, listing, sql_views_name(shell->views, v));
	return 0;
}

static int list_views(struct shell_statement *work, struct listing *listing)
{
	const struct sql_views *views = work->shell->views;

	for (uint32_t v = 0; v < sql_views_count(views); v++) {
		list_place(listing, sql_views_name(views, v));
		listing_text(listing, sql_views_text(views, v));
	}
	return 0;
}

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

static const struct system_table {
	const char *name;
	uint32_t column_count;
	const struct listing_column *columns;
	int (*list)(struct shell_statement *work, struct listing *listing);
} system_tables[] = {
	{SYSTEM_SCHEMA ".tables", COUNT(tables_columns), tables_columns, list_tables},
	{SYSTEM_SCHEMA ".columns", COUNT(columns_columns), columns_columns, list_columns},
	{SYSTEM_SCHEMA ".views", COUNT(views_columns), views_columns, list_views},
};

static int add_system_table(struct shell_statement *work, const struct system_table *system)
{
	struct catalog *catalog = &work->catalog;
	struct listing *listing = arena_alloc(work->arena, sizeof(*listing));
	struct table_schema *table;

	if (catalog->table_count == CATALOG_TABLES_MAX)
		return error_set(work->err, ERROR_LIMIT, "more than %d tables", CATALOG_TABLES_MAX);
	listing_init(listing, system->column_count, system->columns, work->arena);
	listing->next = work->systems;
	work->systems = listing;
	if (system->list(work, listing) || listing_finish(listing, work->err))
		return -1;
	table = &catalog->tables[catalog->table_count++];
	*table = (struct table_schema){.name = system->name,
		.column_count = system->column_count,
		.columns =
			arena_zalloc(work->arena, system->column_count * sizeof(*table->columns)),
		.bytes = listing->rows.bytes,
		.kept = &listing->rows};
	for (uint32_t c = 0; c < system->column_count; c++)
		table->columns[c] = (struct table_column){
			.name = system->columns[c].name, .type = type_of(system->columns[c].kind)};
	return 0;
}

int lists_add_system(struct shell_statement *work)
{
	for (uint32_t i = 0; i < COUNT(system_tables); i++)
		if (sql_names_table(&work->statement.queries, system_tables[i].name) &&
			add_system_table(work, &system_tables[i]))
			return -1;
	return 0;
}
