#include "sql/fragment/fragment_private.h"

#include <string.h>

uint32_t fragment_build_new(struct fragmenter *f, enum plan_input_kind kind, uint32_t index)
{
	struct fragment_build *draft;

	f->drafts = list_room(f->arena, f->drafts, f->fragment_build_count, sizeof(*f->drafts));
	draft = &f->drafts[f->fragment_build_count];
	*draft = (struct fragment_build){.query = PLAN_NONE};
	draft->inputs = list_room(f->arena, NULL, 0, sizeof(*draft->inputs));
	draft->inputs[draft->input_count++] = (struct plan_input){kind, index};
	return f->fragment_build_count++;
}

struct fragment_build *flow_draft(struct fragmenter *f, const struct flow *flow)
{
	return &f->drafts[flow->fragment];
}

bool flow_is_map(struct fragmenter *f, const struct flow *flow)
{
	return flow_draft(f, flow)->inputs[0].kind != INPUT_EXCHANGE;
}

bool flow_cannot_join(struct fragmenter *f, const struct flow *flow)
{
	return flow_is_map(f, flow) || flow_draft(f, flow)->holds;
}

struct plan_op *flow_append(struct fragmenter *f, const struct flow *flow, enum plan_op_kind kind)
{
	struct fragment_build *draft = flow_draft(f, flow);
	struct plan_op *op = arena_zalloc(f->arena, sizeof(*op));

	op->kind = kind;
	op->column_count = flow->count;
	op->types = arena_alloc(f->arena, (flow->count + 1) * sizeof(*op->types));
	op->names = arena_alloc(f->arena, (flow->count + 1) * sizeof(*op->names));
	for (uint32_t i = 0; i < flow->count; i++) {
		op->types[i] = flow->columns[i].type;
		op->names[i] = flow->columns[i].name;
	}
	draft->ops = list_room(f->arena, draft->ops, draft->op_count, sizeof(struct plan_op *));
	draft->ops[draft->op_count++] = op;
	return op;
}

void flow_add_column(
	struct fragmenter *f, struct flow *flow, uint32_t id, struct type type, const char *name)
{
	flow->columns = list_room(f->arena, flow->columns, flow->count, sizeof(*flow->columns));
	flow->columns[flow->count++] = (struct flow_column){id, type, name};
}

void flow_add_id(struct fragmenter *f, struct flow *flow, uint32_t id)
{
	flow_add_column(f, flow, id, f->columns->list[id].type, f->columns->list[id].name);
}

uint32_t flow_position(const struct flow *flow, uint32_t id)
{
	for (uint32_t i = 0; i < flow->count; i++)
		if (flow->columns[i].id == id)
			return i;
	return PLAN_NONE;
}

uint32_t *flow_positions(
	struct fragmenter *f, const struct flow *flow, uint32_t count, const uint32_t *ids)
{
	uint32_t *positions = arena_alloc(f->arena, (count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < count; i++)
		positions[i] = flow_position(flow, ids[i]);
	return positions;
}

struct plan_sort_key *flow_sort_keys(struct fragmenter *f, const struct flow *flow, uint32_t count,
	const struct plan_sort_key *sort)
{
	struct plan_sort_key *keys = arena_alloc(f->arena, (count + 1) * sizeof(*keys));

	for (uint32_t i = 0; i < count; i++) {
		keys[i] = sort[i];
		keys[i].column = flow_position(flow, sort[i].column);
	}
	return keys;
}

struct expr *flow_expr(struct fragmenter *f, const struct flow *flow, const struct expr *expr)
{
	for (uint32_t i = flow->count; i-- > 0;)
		if (flow->columns[i].id != PLAN_NONE)
			f->positions[flow->columns[i].id] = i;
	return expr_remap(f->arena, expr, f->positions);
}

static bool flow_is_exactly(const struct flow *flow, uint32_t count, const uint32_t *ids)
{
	if (flow->count != count)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (flow->columns[i].id != ids[i])
			return false;
	return true;
}

/* An expression of this many nodes is not worth one operator less. */
#define MERGED_SIZE_MAX 200

static uint32_t count_reads(const struct expr *expr, uint32_t column)
{
	uint32_t count = expr->kind == EXPR_COLUMN && expr->column == column;

	for (uint32_t i = 0; i < expr->arg_count; i++)
		count += count_reads(expr->args[i], column);
	return count;
}

/*
 * Whether expressions over the output of `project` may be computed over its input instead: what it
 * computes must not be computed twice for that.
 */
static bool may_merge(const struct plan_project *project, uint32_t count, struct expr *const *exprs)
{
	uint32_t size = 0;

	for (uint32_t i = 0; i < project->count; i++) {
		uint32_t reads = 0;

		size += expr_size(project->exprs[i], MERGED_SIZE_MAX);
		if (project->exprs[i]->kind == EXPR_COLUMN ||
			project->exprs[i]->kind == EXPR_CONSTANT)
			continue;
		for (uint32_t j = 0; j < count; j++)
			reads += count_reads(exprs[j], i);
		if (reads > 1)
			return false;
	}
	for (uint32_t j = 0; j < count; j++)
		size += expr_size(exprs[j], MERGED_SIZE_MAX);
	return size <= MERGED_SIZE_MAX + project->count + count;
}

void flow_append_project(
	struct fragmenter *f, struct flow *flow, uint32_t count, struct expr **exprs)
{
	struct fragment_build *draft = flow_draft(f, flow);
	struct plan_op *last = draft->op_count ? draft->ops[draft->op_count - 1] : NULL;

	if (last && last->kind == PLAN_PROJECT && may_merge(&last->project, count, exprs)) {
		uint32_t *positions =
			arena_alloc(f->arena, (last->project.count + 1) * sizeof(uint32_t));

		for (uint32_t i = 0; i < last->project.count; i++)
			positions[i] = i;
		for (uint32_t i = 0; i < count; i++)
			exprs[i] = expr_substitute(f->arena, exprs[i], last->project.count,
				positions, last->project.exprs);
		draft->op_count--;
	}
	flow_append(f, flow, PLAN_PROJECT)->project = (struct plan_project){count, exprs};
}

void flow_project(struct fragmenter *f, struct flow *flow, uint32_t count, const uint32_t *ids)
{
	struct flow narrow = {.fragment = flow->fragment};
	struct expr **exprs;

	if (flow_is_exactly(flow, count, ids))
		return;
	exprs = arena_alloc(f->arena, (count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t position = flow_position(flow, ids[i]);

		exprs[i] = expr_column(f->arena, position, flow->columns[position].type);
		flow_add_column(f, &narrow, ids[i], flow->columns[position].type,
			flow->columns[position].name);
	}
	*flow = narrow;
	flow_append_project(f, flow, count, exprs);
}

/* Rows without columns (SELECT 1 FROM t, u) travel as a column that is always true. */
static void flow_fill(struct fragmenter *f, struct flow *flow)
{
	struct value value = {.type = type_of(TYPE_BOOL), .boolean = true};
	struct expr **exprs = arena_alloc(f->arena, sizeof(struct expr *));

	exprs[0] = expr_constant(f->arena, &value);
	flow->count = 0;
	flow->columns = NULL;
	flow_add_column(f, flow, PLAN_NONE, value.type, "row");
	flow_append_project(f, flow, 1, exprs);
}

void flow_narrow(struct fragmenter *f, struct flow *flow, uint32_t count, const uint32_t *ids)
{
	if (count == 0)
		flow_fill(f, flow);
	else if (flow->count > count)
		flow_project(f, flow, count, ids);
}

uint32_t exchange_new(struct fragmenter *f, const struct flow *flow, enum exchange_kind kind,
	uint32_t key_count, uint32_t *keys)
{
	struct plan *plan = f->plan;
	struct plan_exchange *exchange;

	plan->exchanges = list_room(
		f->arena, plan->exchanges, plan->exchange_count, sizeof(*plan->exchanges));
	exchange = &plan->exchanges[plan->exchange_count];
	*exchange = (struct plan_exchange){
		.kind = kind,
		.key_count = key_count,
		.keys = keys,
		.consumer = PLAN_NONE,
		.column_count = flow->count,
	};
	exchange->types = arena_alloc(f->arena, (flow->count + 1) * sizeof(*exchange->types));
	for (uint32_t i = 0; i < flow->count; i++)
		exchange->types[i] = flow->columns[i].type;
	exchange_add(f, plan->exchange_count, flow);
	return plan->exchange_count++;
}

void exchange_add(struct fragmenter *f, uint32_t exchange, const struct flow *flow)
{
	struct fragment_build *draft = flow_draft(f, flow);

	draft->outputs = list_room(f->arena, draft->outputs, draft->output_count, sizeof(uint32_t));
	draft->outputs[draft->output_count++] = exchange;
}

uint32_t exchange_connect(struct fragmenter *f, uint32_t exchange, uint32_t fragment)
{
	struct fragment_build *draft = &f->drafts[fragment];

	draft->inputs =
		list_room(f->arena, draft->inputs, draft->input_count, sizeof(*draft->inputs));
	draft->inputs[draft->input_count] = (struct plan_input){INPUT_EXCHANGE, exchange};
	f->plan->exchanges[exchange].consumer = fragment;
	f->plan->exchanges[exchange].input = draft->input_count;
	return draft->input_count++;
}

void flow_exchange(struct fragmenter *f, struct flow *flow, enum exchange_kind kind,
	uint32_t key_count, uint32_t *keys)
{
	uint32_t exchange = exchange_new(f, flow, kind, key_count, keys);

	flow->fragment = fragment_build_new(f, INPUT_EXCHANGE, exchange);
	f->plan->exchanges[exchange].consumer = flow->fragment;
	f->plan->exchanges[exchange].input = 0;
	f->drafts[flow->fragment].single = kind == EXCHANGE_SINGLE || kind == EXCHANGE_ORDERED;
}

bool fragment_is_sampled(const struct fragmenter *f, const struct logical *node)
{
	if (node->kind == LOGICAL_SCAN)
		return f->catalog->tables[node->scan.table].statistics;
	if (node->kind == LOGICAL_REFERENCE) {
		struct logical_shared *shared = node->reference.shared;

		if (shared->sampled == 0)
			shared->sampled = fragment_is_sampled(f, shared->tree) ? 1 : -1;
		return shared->sampled > 0;
	}
	for (uint32_t i = 0; i < node->input_count; i++)
		if (!fragment_is_sampled(f, node->inputs[i]))
			return false;
	return true;
}
