/*
 * A recursion and its term. The term is a plan of its own, which one operator runs round by round in
 * one place (exec/op/subplan.h). Only what reads the rows of a round is in there. All else, the
 * scans and whatever can be computed of them alone, is cut outside, where all nodes share the work,
 * and its rows are brought to the recursion once.
 */
#include "sql/fragment/fragment_private.h"

/* One more table of the term's plan, with the flow's columns; the rows of all of it in one instance. */
static struct flow table_flow(struct fragmenter *f, const struct flow *from)
{
	struct plan *plan = f->plan;
	struct plan_table *table;
	struct flow flow = {0};
	bool *used = arena_alloc(f->arena, from->count + 1);

	plan->tables = list_room(f->arena, plan->tables, plan->table_count, sizeof(*plan->tables));
	table = &plan->tables[plan->table_count];
	*table = (struct plan_table){.name = "rows", .column_count = from->count};
	table->columns = arena_alloc(f->arena, (from->count + 1) * sizeof(*table->columns));
	flow.fragment = fragment_build_new(f, INPUT_TABLE, plan->table_count++);
	for (uint32_t i = 0; i < from->count; i++) {
		const struct flow_column *column = &from->columns[i];

		table->columns[i] = (struct plan_table_column){column->name, column->type};
		used[i] = true;
		flow_add_column(f, &flow, column->id, column->type, column->name);
	}
	f->drafts[flow.fragment].table_columns_used = used;
	flow_exchange(f, &flow, EXCHANGE_SINGLE, 0, NULL);
	return flow;
}

struct flow cut_brought(struct fragmenter *f, const struct logical *node)
{
	struct flow flow = fragment_cut(f->around, node);

	flow_narrow(f->around, &flow, node->column_count, node->columns);
	f->brought = list_room(f->arena, f->brought, f->plan->table_count, sizeof(*f->brought));
	f->brought[f->plan->table_count] = flow;
	return table_flow(f, &flow);
}

/* Each reader of the round has a map fragment of its own over table 0. */
struct flow cut_round(struct fragmenter *f, const struct logical *node)
{
	const struct plan_table *table = &f->plan->tables[0];
	struct flow flow = {.fragment = fragment_build_new(f, INPUT_TABLE, 0)};
	bool *used = arena_alloc(f->arena, table->column_count + 1);

	for (uint32_t i = 0; i < table->column_count; i++) {
		uint32_t id = PLAN_NONE;

		for (uint32_t j = 0; j < node->column_count; j++)
			if (node->round.sources[j] == f->round[i])
				id = node->columns[j];
		used[i] = true;
		flow_add_column(f, &flow, id, table->columns[i].type, table->columns[i].name);
	}
	f->drafts[flow.fragment].table_columns_used = used;
	flow_exchange(f, &flow, EXCHANGE_SINGLE, 0, NULL);
	return flow;
}

/* The plan of the term: table 0 has the columns of the recursion. */
static struct fragmenter term_fragmenter(struct fragmenter *f, const struct logical *node)
{
	struct fragmenter term = {
		.arena = f->arena,
		.catalog = f->catalog,
		.plan = arena_zalloc(f->arena, sizeof(*term.plan)),
		.columns = f->columns,
		.positions = f->positions,
		.shared_count = f->shared_count,
		.around = f,
		.recursion = node->recursion.number,
		.round = node->columns,
	};
	struct plan_table *table = list_room(f->arena, NULL, 0, sizeof(*table));

	term.shared = arena_zalloc(f->arena, (f->shared_count + 1) * sizeof(*term.shared));
	term.plan->tables = table;
	term.plan->table_count = 1;
	*table = (struct plan_table){.name = "round", .column_count = node->column_count};
	table->columns = arena_alloc(f->arena, (node->column_count + 1) * sizeof(*table->columns));
	for (uint32_t i = 0; i < node->column_count; i++) {
		const struct logical_column *column = &f->columns->list[node->columns[i]];

		table->columns[i] = (struct plan_table_column){column->name, column->type};
	}
	term.brought = list_room(f->arena, NULL, 0, sizeof(*term.brought));
	return term;
}

static void cut_term(struct fragmenter *term, const struct logical *node)
{
	struct flow flow = fragment_cut(term, node->inputs[1]);
	struct plan_query *query = arena_zalloc(term->arena, sizeof(*query));

	flow_project(term, &flow, node->column_count, node->recursion.ids[1]);
	if (!flow_draft(term, &flow)->single)
		flow_exchange(term, &flow, EXCHANGE_SINGLE, 0, NULL);
	flow_draft(term, &flow)->query = 0;
	*query = (struct plan_query){.name = "", .title = "", .column_count = flow.count};
	query->types = arena_alloc(term->arena, (flow.count + 1) * sizeof(*query->types));
	query->names = arena_alloc(term->arena, (flow.count + 1) * sizeof(*query->names));
	for (uint32_t i = 0; i < flow.count; i++) {
		query->types[i] = flow.columns[i].type;
		query->names[i] = flow.columns[i].name;
	}
	term->plan->query_count = 1;
	term->plan->queries = query;
	fragment_finish(term);
}

struct flow cut_recursion(struct fragmenter *f, const struct logical *node)
{
	struct flow flow = fragment_cut(f, node->inputs[0]);
	struct fragmenter term = term_fragmenter(f, node);

	flow_project(f, &flow, node->column_count, node->recursion.ids[0]);
	for (uint32_t i = 0; i < node->column_count; i++) {
		flow.columns[i].id = node->columns[i];
		flow.columns[i].name = f->columns->list[node->columns[i]].name;
	}
	cut_term(&term, node);
	/* Behind whatever is brought to it. */
	flow_exchange(f, &flow, EXCHANGE_SINGLE, 0, NULL);
	for (uint32_t t = 1; t < term.plan->table_count; t++)
		term.plan->tables[t].source = exchange_connect(f,
			exchange_new(f, &term.brought[t], EXCHANGE_SINGLE, 0, NULL), flow.fragment);
	flow_append(f, &flow, PLAN_RECURSION)->recursion = (struct plan_recursion){
		.term = term.plan,
		.distinct = node->recursion.distinct,
		.wanted = node->recursion.wanted,
	};
	/* Rounds leave one by one, and whoever waits for them is told when to stop. */
	flow_exchange(f, &flow, EXCHANGE_SPREAD, 0, NULL);
	return flow;
}
