#include "sql/parse/ast.h"
#include "sql/views_private.h"

#include <string.h>

struct sql_views *sql_views_new(struct arena *arena)
{
	struct sql_views *views = arena_zalloc(arena, sizeof(*views));

	views->arena = arena;
	return views;
}

uint32_t sql_views_count(const struct sql_views *views)
{
	return views->count;
}

const char *sql_views_name(const struct sql_views *views, uint32_t index)
{
	return views->ctes[index].name;
}

const char *sql_views_text(const struct sql_views *views, uint32_t index)
{
	return views->ctes[index].source->text;
}

uint32_t sql_views_find(const struct sql_views *views, const char *name)
{
	for (uint32_t i = 0; i < views->count; i++)
		if (strcmp(views->ctes[i].name, name) == 0)
			return i;
	return PLAN_NONE;
}

int sql_views_put(struct sql_views *views, const struct sql_text *text, struct error *err)
{
	struct sql_source *source = arena_alloc(views->arena, sizeof(*source));
	struct sql_text own = {.title = "", .text = arena_strdup(views->arena, text->text)};
	struct sql_statement statement;
	uint32_t index;

	own.name = "";
	if (sql_statement_parse(&own, views->arena, &statement, err) < 0)
		return -1;
	index = sql_views_find(views, statement.name);
	if (index == PLAN_NONE && views->count == SQL_VIEWS_MAX)
		return error_set(err, ERROR_LIMIT, "there are %d views already", SQL_VIEWS_MAX);
	if (index == PLAN_NONE)
		index = views->count++;
	*source = (struct sql_source){.name = arena_printf(views->arena, "view %s", statement.name),
		.text = own.text,
		.code = ERROR_SQL};
	views->tables[index] = statement.queries.tables[0];
	views->ctes[index] = (struct ast_cte){.name = statement.name,
		.column_alias_count = statement.column_count,
		.column_aliases = statement.columns,
		.select = statement.queries.selects[0],
		.location = statement.location,
		.source = source};
	return 0;
}

void sql_views_drop(struct sql_views *views, uint32_t index)
{
	views->count--;
	memmove(&views->ctes[index], &views->ctes[index + 1],
		(views->count - index) * sizeof(views->ctes[0]));
	memmove(&views->tables[index], &views->tables[index + 1],
		(views->count - index) * sizeof(views->tables[0]));
}

uint32_t sql_views_using(const struct sql_views *views, const char *name)
{
	for (uint32_t i = 0; i < views->count; i++)
		for (uint32_t k = 0; k < views->tables[i].count; k++)
			if (strcmp(views->tables[i].items[k]->name, name) == 0)
				return i;
	return PLAN_NONE;
}
