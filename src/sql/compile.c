#include "sql/compile.h"

#include "plan/plan_check.h"
#include "sql/bind/bind.h"
#include "sql/fragment/fragment.h"
#include "sql/rewrite/rewrite.h"

#include <string.h>
#include <strings.h>

static struct sql_source source_of(const struct sql_text *text)
{
	return (struct sql_source){.name = text->name, .text = text->text, .code = ERROR_SQL};
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

		if (bind_query(catalog, &source, queries->selects[i], arena, &out[i].columns,
			    &out[i].query, err) < 0)
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

int sql_file_tables(const struct sql_queries *queries, struct arena *arena, struct catalog *catalog,
	bool *named, struct error *err)
{
	uint32_t first = catalog->table_count;

	for (uint32_t q = 0; q < queries->count; q++) {
		struct sql_source source = source_of(&queries->texts[q]);
		const struct ast_tables *tables = &queries->tables[q];

		for (uint32_t i = 0; i < tables->count; i++) {
			const struct ast_from *from = tables->items[i];

			if (is_known(catalog, from->name) ||
				!(from->is_file || looks_like_path(from->name)))
				continue;
			if (catalog->table_count == CATALOG_TABLES_MAX)
				return source_error(&source, from->location, err,
					"more than %d tables", CATALOG_TABLES_MAX);
			if (file_table(&source, from, arena, &catalog->tables[catalog->table_count],
				    err) < 0)
				return -1;
			named[catalog->table_count++ - first] = from->is_file;
		}
	}
	return 0;
}

const char *const *sql_table_names(
	const struct sql_queries *queries, struct arena *arena, uint32_t *count)
{
	uint32_t room = 0;
	const char **names;

	for (uint32_t q = 0; q < queries->count; q++)
		room += queries->tables[q].count;
	names = (const char **)arena_alloc(arena, (room + 1) * sizeof(char *));
	*count = 0;
	for (uint32_t q = 0; q < queries->count; q++)
		for (uint32_t i = 0; i < queries->tables[q].count; i++)
			names[(*count)++] = queries->tables[q].items[i]->name;
	return names;
}

void sql_named_tables(const struct sql_queries *queries, const struct catalog *catalog, bool *named)
{
	for (uint32_t q = 0; q < queries->count; q++)
		for (uint32_t i = 0; i < queries->tables[q].count; i++)
			for (uint32_t t = 0; t < catalog->table_count; t++)
				named[t] |= strcasecmp(catalog->tables[t].name,
						    queries->tables[q].items[i]->name) == 0;
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
