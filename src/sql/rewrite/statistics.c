/*
 * Statistics of the columns that joins, filters and groups depend on: which these are, before anything
 * is rewritten, and which column of a query has which.
 */
#include "sql/rewrite/rewrite.h"

/* One query while its columns are looked at. */
struct statistics_walk {
	struct arena *arena;
	const struct catalog *catalog;
	struct logical_columns *columns;
	bool *marked;  /* by column id: rows are filtered, joined or grouped by it */
	bool **wanted; /* by table and column */
};

static bool has_join(const struct logical *node)
{
	if (node->kind == LOGICAL_JOIN)
		return true;
	for (uint32_t i = 0; i < node->input_count; i++)
		if (has_join(node->inputs[i]))
			return true;
	return false;
}

static bool query_has_join(const struct logical_query *query)
{
	for (uint32_t i = 0; i < query->shared_count; i++)
		if (has_join(query->shared[i]->tree))
			return true;
	return has_join(query->tree);
}

static void mark_expr(bool *marked, const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		marked[expr->column] = true;
	for (uint32_t i = 0; i < expr->arg_count; i++)
		mark_expr(marked, expr->args[i]);
}

static void mark_filter(bool *marked, const struct logical_filter *filter)
{
	for (uint32_t i = 0; i < filter->count; i++)
		mark_expr(marked, filter->conjuncts[i]);
}

static void want_scan(struct statistics_walk *w, const struct logical *node)
{
	const struct table_schema *table = &w->catalog->tables[node->scan.table];
	bool **wanted = &w->wanted[node->scan.table];

	if (!*wanted)
		*wanted = arena_zalloc(w->arena, table->column_count + 1);
	for (uint32_t i = 0; i < node->column_count; i++)
		if (w->marked[node->columns[i]] && node->scan.sources[i] < table->column_count)
			(*wanted)[node->scan.sources[i]] = true;
}

/* From the top down: what a column above is made of is behind it. */
static void want_node(struct statistics_walk *w, const struct logical *node)
{
	bool *marked = w->marked;

	switch (node->kind) {
	case LOGICAL_SCAN: want_scan(w, node); break;
	case LOGICAL_FILTER: mark_filter(marked, &node->filter); break;
	case LOGICAL_GROUP:
		for (uint32_t i = 0; i < node->group.key_count; i++)
			marked[node->group.keys[i]] = true;
		break;
	case LOGICAL_JOIN:
		mark_filter(marked, &node->join.on);
		for (uint32_t i = 0; i < node->join.key_count; i++)
			marked[node->join.keys[0][i]] = marked[node->join.keys[1][i]] = true;
		break;
	case LOGICAL_EXTEND:
		for (uint32_t i = node->extend.count; i-- > 0;)
			if (marked[node->extend.ids[i]])
				mark_expr(marked, node->extend.exprs[i]);
		break;
	case LOGICAL_REFERENCE:
		for (uint32_t i = 0; i < node->column_count; i++)
			marked[node->reference.sources[i]] |= marked[node->columns[i]];
		break;
	case LOGICAL_UNION:
		for (uint32_t i = 0; i < node->input_count; i++)
			for (uint32_t j = 0; j < node->column_count; j++)
				marked[node->united.ids[i][j]] |= marked[node->columns[j]];
		break;
	case LOGICAL_ONE_ROW:
	case LOGICAL_RECURSION:
	case LOGICAL_ROUND:
	case LOGICAL_WINDOW:
	case LOGICAL_TOP:
	case LOGICAL_UNNEST: break;
	}
	for (uint32_t i = 0; i < node->input_count; i++)
		want_node(w, node->inputs[i]);
}

void statistics_want(const struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns, bool **wanted, struct arena *arena)
{
	struct statistics_walk w = {
		.arena = arena, .catalog = catalog, .columns = columns, .wanted = wanted};

	if (!catalog->explains && !query_has_join(query))
		return;
	w.marked = arena_zalloc(arena, columns->count + 1);
	want_node(&w, query->tree);
	/* A tree refers to none that stands behind its own. */
	for (uint32_t i = query->shared_count; i-- > 0;)
		want_node(&w, query->shared[i]->tree);
}

void statistics_gather(const struct catalog *catalog, bool *const *wanted)
{
	for (uint32_t t = 0; t < catalog->table_count && catalog->statistics; t++) {
		struct table_schema *table = &catalog->tables[t];

		if (wanted[t] && !table->statistics)
			table->statistics =
				catalog->statistics->gather(catalog->statistics, table, wanted[t]);
	}
}

static void link_column(struct statistics_walk *w, uint32_t to, uint32_t from)
{
	w->columns->list[to].statistics = w->columns->list[from].statistics;
}

/* From the bottom up. */
static void link_node(struct statistics_walk *w, const struct logical *node)
{
	for (uint32_t i = 0; i < node->input_count; i++)
		link_node(w, node->inputs[i]);
	if (node->kind == LOGICAL_SCAN) {
		const struct table_statistics *table =
			w->catalog->tables[node->scan.table].statistics;

		for (uint32_t i = 0; i < node->column_count && table; i++)
			if (node->scan.sources[i] < table->column_count &&
				table->columns[node->scan.sources[i]].distinct > 0)
				w->columns->list[node->columns[i]].statistics =
					&table->columns[node->scan.sources[i]];
	}
	if (node->kind == LOGICAL_EXTEND)
		for (uint32_t i = 0; i < node->extend.count; i++)
			if (node->extend.exprs[i]->kind == EXPR_COLUMN)
				link_column(w, node->extend.ids[i], node->extend.exprs[i]->column);
	if (node->kind == LOGICAL_REFERENCE)
		for (uint32_t i = 0; i < node->column_count; i++)
			link_column(w, node->columns[i], node->reference.sources[i]);
}

void statistics_link(const struct logical_query *query, const struct catalog *catalog,
	struct logical_columns *columns)
{
	struct statistics_walk w = {.catalog = catalog, .columns = columns};

	for (uint32_t i = 0; i < query->shared_count; i++)
		link_node(&w, query->shared[i]->tree);
	link_node(&w, query->tree);
}
