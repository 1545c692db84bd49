#include "sql/compile.h"

#include "sql/bind/bind.h"
#include "sql/fragment/fragment.h"
#include "sql/rewrite/rewrite.h"

#include <string.h>

static int compile_query(const struct catalog *catalog, const struct sql_text *text,
	struct arena *arena, struct fragment_query *out, struct plan_query *plan_query,
	struct error *err)
{
	struct sql_source source = {.name = text->name, .text = text->text, .code = ERROR_SQL};
	struct logical_query *query = &out->query;
	struct ast_select *select;

	if (parse_select(&source, arena, &select, err) < 0)
		return -1;
	if (bind_query(catalog, &source, select, arena, &out->columns, query, err) < 0)
		return -1;
	rewrite_query(query, catalog, &out->columns, arena);
	prune_query(query, &out->columns, arena);
	*plan_query = (struct plan_query){
		.name = arena_strdup(arena, text->name),
		.title = arena_strdup(arena, text->title),
		.column_count = query->output_count,
	};
	plan_query->names = arena_alloc(arena, (query->output_count + 1) * sizeof(char *));
	plan_query->types = arena_alloc(arena, (query->output_count + 1) * sizeof(struct type));
	for (uint32_t i = 0; i < query->output_count; i++) {
		plan_query->names[i] = query->outputs[i].name;
		plan_query->types[i] = out->columns.list[query->outputs[i].id].type;
	}
	return 0;
}

int sql_compile(const struct catalog *catalog, const struct sql_text *queries, uint32_t query_count,
	struct arena *arena, struct plan **out, struct error *err)
{
	struct fragment_query *compiled =
		arena_zalloc(arena, (query_count + 1) * sizeof(*compiled));
	struct plan *plan = arena_zalloc(arena, sizeof(*plan));

	if (query_count > PLAN_QUERIES_MAX)
		return error_set(err, ERROR_SQL, "more than %d queries at once", PLAN_QUERIES_MAX);
	plan->query_count = query_count;
	plan->queries = arena_zalloc(arena, (query_count + 1) * sizeof(*plan->queries));
	for (uint32_t i = 0; i < query_count; i++)
		if (compile_query(
			    catalog, &queries[i], arena, &compiled[i], &plan->queries[i], err) < 0)
			return -1;
	if (fragment_plan(catalog, compiled, query_count, arena, plan, err) < 0)
		return -1;
	*out = plan;
	return 0;
}
