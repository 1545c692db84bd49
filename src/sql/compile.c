#include "sql/compile.h"

#include "plan/plan_check.h"
#include "sql/bind/bind.h"
#include "sql/fragment/fragment.h"
#include "sql/rewrite/rewrite.h"
#include "sql/views_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static struct sql_source source_of(const struct sql_text *text)
{
	return (struct sql_source){.name = text->name,
		.text = text->text,
		.code = ERROR_SQL,
		.line = text->line,
		.column = text->column};
}

int sql_parse(const struct sql_text *texts, uint32_t count, struct arena *arena,
	struct sql_queries *out, struct error *err)
{
	if (count > PLAN_QUERIES_MAX)
		return error_set(err, ERROR_SQL, "more than %d queries at once", PLAN_QUERIES_MAX);
	*out = (struct sql_queries){
		.count = count,
		.texts = texts,
		.selects = (struct ast_select **)arena_zalloc(
			arena, (count + 1) * sizeof(*out->selects)),
		.tables = arena_zalloc(arena, (count + 1) * sizeof(*out->tables)),
	};
	for (uint32_t i = 0; i < count; i++) {
		struct sql_source source = source_of(&texts[i]);

		if (parse_select(&source, arena, &out->selects[i], &out->tables[i], err) < 0)
			return -1;
	}
	return 0;
}

/* Binds all queries, and finds out what their joins depend on. */
static int bind_queries(const struct catalog *catalog, const struct sql_queries *queries,
	struct arena *arena, struct fragment_query *out, struct error *err)
{
	bool **wanted = arena_zalloc(arena, (catalog->table_count + 1) * sizeof(bool *));

	for (uint32_t i = 0; i < queries->count; i++) {
		struct sql_source source = source_of(&queries->texts[i]);
		const struct bind_request request = {.catalog = catalog,
			.source = &source,
			.select = queries->selects[i],
			.view_count = queries->views ? queries->views->count : 0,
			.views = queries->views ? queries->views->ctes : NULL,
			.kept = queries->kept};

		if (bind_query(&request, arena, &out[i].columns, &out[i].query, err) < 0)
			return -1;
		statistics_want(&out[i].query, catalog, &out[i].columns, wanted, arena);
	}
	statistics_gather(catalog, wanted);
	return 0;
}

static void compile_query(const struct catalog *catalog, const struct sql_text *text,
	struct arena *arena, struct fragment_query *out, struct plan_query *plan_query)
{
	struct logical_query *query = &out->query;

	statistics_link(query, catalog, &out->columns);
	rewrite_query(query, catalog, &out->columns, arena);
	prune_query(query, &out->columns, arena);
	*plan_query = (struct plan_query){
		.name = arena_strdup(arena, text->name),
		.title = arena_strdup(arena, text->title),
		.column_count = query->output_count,
		.warning = product_warning(query, catalog, &out->columns, arena),
	};
	plan_query->names = arena_alloc(arena, (query->output_count + 1) * sizeof(char *));
	plan_query->types = arena_alloc(arena, (query->output_count + 1) * sizeof(struct type));
	plan_query->meant = arena_alloc(arena, (query->output_count + 1) * sizeof(struct type));
	for (uint32_t i = 0; i < query->output_count; i++) {
		plan_query->names[i] = query->outputs[i].name;
		plan_query->types[i] = out->columns.list[query->outputs[i].id].type;
		plan_query->meant[i] = query->outputs[i].meant;
	}
}

/* Whether a name that is not a table's may be meant as the path of a file. */
static bool looks_like_path(const char *name)
{
	return strchr(name, '/') || strchr(name, '.');
}

static bool is_known(const struct catalog *catalog, const char *name)
{
	for (uint32_t t = 0; t < catalog->table_count; t++)
		if (strcasecmp(catalog->tables[t].name, name) == 0)
			return true;
	return false;
}

/* The table of a FROM item that names files. */
static int file_table(const struct sql_source *source, const struct ast_from *from,
	struct arena *arena, struct table_schema *out, struct error *err)
{
	struct error problem;

	*out = (struct table_schema){.name = arena_strdup(arena, from->name),
		.files = arena_strdup(arena, from->files ? from->files : from->name),
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	for (uint32_t i = 0; i < from->option_count; i++)
		if (csv_dialect_set(&out->dialect, from->options[i].name, from->options[i].value,
			    arena, &problem))
			return source_error(
				source, from->options[i].location, err, "%s", problem.message);
	if (csv_dialect_check(&out->dialect, &problem))
		return source_error(source, from->location, err, "%s", problem.message);
	return 0;
}

/* `first`: what the catalog had before any files were added. */
static int add_file_tables(const struct sql_source *source, const struct ast_tables *tables,
	uint32_t first, struct arena *arena, struct catalog *catalog, bool *named,
	struct error *err)
{
	for (uint32_t i = 0; i < tables->count; i++) {
		const struct ast_from *from = tables->items[i];

		if (is_known(catalog, from->name) ||
			!(from->is_file || looks_like_path(from->name)))
			continue;
		if (catalog->table_count == CATALOG_TABLES_MAX)
			return source_error(source, from->location, err, "more than %d tables",
				CATALOG_TABLES_MAX);
		if (file_table(source, from, arena, &catalog->tables[catalog->table_count], err) <
			0)
			return -1;
		named[catalog->table_count++ - first] = from->is_file;
	}
	return 0;
}

int sql_file_tables(const struct sql_queries *queries, struct arena *arena, struct catalog *catalog,
	bool *named, struct error *err)
{
	const struct sql_views *views = queries->views;
	uint32_t first = catalog->table_count;

	for (uint32_t i = 0; views && i < views->count; i++)
		if (add_file_tables(views->ctes[i].source, &views->tables[i], first, arena, catalog,
			    named, err) < 0)
			return -1;
	for (uint32_t q = 0; q < queries->count; q++) {
		struct sql_source source = source_of(&queries->texts[q]);

		if (add_file_tables(
			    &source, &queries->tables[q], first, arena, catalog, named, err) < 0)
			return -1;
	}
	return 0;
}

const char *const *sql_table_names(
	const struct sql_queries *queries, struct arena *arena, uint32_t *count)
{
	const struct sql_views *views = queries->views;
	uint32_t room = 0;
	const char **names;

	for (uint32_t q = 0; q < queries->count; q++)
		room += queries->tables[q].count;
	for (uint32_t v = 0; views && v < views->count; v++)
		room += views->tables[v].count;
	names = (const char **)arena_alloc(arena, (room + 1) * sizeof(char *));
	*count = 0;
	for (uint32_t v = 0; views && v < views->count; v++)
		for (uint32_t i = 0; i < views->tables[v].count; i++)
			names[(*count)++] = views->tables[v].items[i]->name;
	for (uint32_t q = 0; q < queries->count; q++)
		for (uint32_t i = 0; i < queries->tables[q].count; i++)
			names[(*count)++] = queries->tables[q].items[i]->name;
	return names;
}

int sql_statement_parse(const struct sql_text *text, struct arena *arena, struct sql_statement *out,
	struct error *err)
{
	struct sql_source source = source_of(text);

	*out = (struct sql_statement){
		.queries = {
			.texts = text,
			.selects = (struct ast_select **)arena_zalloc(
				arena, sizeof(*out->queries.selects)),
			.tables = arena_zalloc(arena, sizeof(*out->queries.tables)),
		}};
	if (parse_statement(&source, arena, out, err) < 0)
		return -1;
	out->queries.count = out->queries.selects[0] != NULL;
	return 0;
}

int sql_text_error(
	const struct sql_text *text, int32_t location, struct error *err, const char *format, ...)
{
	struct sql_source source = source_of(text);
	char message[ERROR_MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return source_error(&source, location, err, "%s", message);
}

void sql_text_place(const struct sql_text *text, struct error *err)
{
	struct sql_source source = source_of(text);
	struct error placed;

	if (err->offset == 0 || err->offset > strlen(text->text))
		return;
	source_error(&source, (int32_t)err->offset - 1, &placed, "%s", err->message);
	err->line = placed.line;
	err->column = placed.column;
}

static bool tables_name(const struct ast_tables *tables, const char *name)
{
	for (uint32_t i = 0; i < tables->count; i++)
		if (strcasecmp(tables->items[i]->name, name) == 0)
			return true;
	return false;
}

bool sql_names_table(const struct sql_queries *queries, const char *name)
{
	bool found = false;

	for (uint32_t i = 0; queries->views && i < queries->views->count; i++)
		found |= tables_name(&queries->views->tables[i], name);
	for (uint32_t q = 0; q < queries->count; q++)
		found |= tables_name(&queries->tables[q], name);
	return found;
}

/* In its body, or as the type of its rows. */
static bool function_names(const struct ast_function *function, const char *table)
{
	return tables_name(&function->tables, table) ||
	       (function->row_of && strcasecmp(function->row_of, table) == 0);
}

void sql_named_tables(const struct sql_queries *queries, const struct catalog *catalog, bool *named)
{
	const struct sql_views *views = queries->views;

	for (uint32_t t = 0; t < catalog->table_count; t++) {
		const char *name = catalog->tables[t].name;

		/* Any query may call any function: all that these read are wanted. */
		for (uint32_t f = 0; f < catalog->function_count; f++)
			named[t] |= function_names(catalog->functions[f].ast, name);
		for (uint32_t v = 0; views && v < views->count; v++)
			named[t] |= tables_name(&views->tables[v], name);
		for (uint32_t q = 0; q < queries->count; q++)
			named[t] |= tables_name(&queries->tables[q], name);
	}
}

int sql_plan(const struct catalog *catalog, const struct sql_queries *queries, struct arena *arena,
	struct plan **out, struct error *err)
{
	struct fragment_query *compiled =
		arena_zalloc(arena, (queries->count + 1) * sizeof(*compiled));
	struct plan *plan = arena_zalloc(arena, sizeof(*plan));

	plan->query_count = queries->count;
	plan->queries = arena_zalloc(arena, (queries->count + 1) * sizeof(*plan->queries));
	if (bind_queries(catalog, queries, arena, compiled, err) < 0)
		return -1;
	for (uint32_t i = 0; i < queries->count; i++)
		compile_query(catalog, &queries->texts[i], arena, &compiled[i], &plan->queries[i]);
	if (fragment_plan(catalog, compiled, queries->count, arena, plan, err) < 0 ||
		plan_check_own(plan, err) < 0)
		return -1;
	*out = plan;
	return 0;
}

int sql_compile(const struct catalog *catalog, const struct sql_text *texts, uint32_t count,
	struct arena *arena, struct plan **out, struct error *err)
{
	struct sql_queries queries;

	if (sql_parse(texts, count, arena, &queries, err))
		return -1;
	return sql_plan(catalog, &queries, arena, out, err);
}
