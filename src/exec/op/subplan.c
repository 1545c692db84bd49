#include "exec/op/subplan.h"

#include "base/memory.h"
#include "exec/op/router.h"
#include "plan/plan_queries.h"

#include <stdlib.h>

/* One fragment, with its pipeline while that is open. */
struct subplan_part {
	struct sink sink; /* first: emit() gets back to the part from it */
	struct subplan *subplan;
	const struct plan_fragment *plan;
	uint32_t index;
	bool changes;		    /* it depends on the rows of the round */
	struct join_build **builds; /* by input; [0] is unused */
	bool *sealed;
	struct pipeline *pipeline;
	struct router router;
};

struct subplan {
	const struct plan *plan;
	const struct join_build **tables; /* by table; [0] is unused */
	struct subplan_part *parts;
	/* By exchange: rows that are the same in every round, for a reader that is not. */
	struct row_store *kept;
	bool ran;
	/* Of the round at hand: */
	struct row_store *round;
	struct sink *sink;
	const atomic_bool *stop;
};

static int part_emit(struct sink *sink, const struct batch *batch, struct error *err);

/* Whether something that changes feeds the exchange. */
static bool exchange_changes(const struct subplan *subplan, uint32_t exchange)
{
	const struct plan *plan = subplan->plan;

	for (uint32_t f = 0; f < plan->fragment_count; f++)
		for (uint32_t o = 0; o < plan->fragments[f].output_count; o++)
			if (plan->fragments[f].outputs[o] == exchange && subplan->parts[f].changes)
				return true;
	return false;
}

/* Producers stand before their consumers. */
static bool fragment_changes(const struct subplan *subplan, const struct plan_fragment *fragment)
{
	for (uint32_t i = 0; i < fragment->input_count; i++) {
		const struct plan_input *input = &fragment->inputs[i];

		if (input->kind == INPUT_TABLE && input->index == 0)
			return true;
		if (input->kind == INPUT_EXCHANGE && exchange_changes(subplan, input->index))
			return true;
	}
	return false;
}

struct subplan *subplan_new(const struct plan *plan, const struct join_build *const *builds)
{
	struct subplan *subplan = memory_zalloc(sizeof(*subplan));

	subplan->plan = plan;
	subplan->tables = (const struct join_build **)memory_zalloc(
		(plan->table_count + 1) * sizeof(*subplan->tables));
	for (uint32_t t = 1; t < plan->table_count; t++)
		subplan->tables[t] = builds[plan->tables[t].source];
	subplan->parts = memory_zalloc((plan->fragment_count + 1) * sizeof(struct subplan_part));
	subplan->kept = memory_zalloc((plan->exchange_count + 1) * sizeof(struct row_store));
	for (uint32_t e = 0; e < plan->exchange_count; e++)
		row_store_init(&subplan->kept[e], plan->exchanges[e].column_count,
			plan->exchanges[e].types);
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		struct subplan_part *part = &subplan->parts[f];

		part->sink.emit = part_emit;
		part->subplan = subplan;
		part->plan = &plan->fragments[f];
		part->index = f;
		part->changes = fragment_changes(subplan, part->plan);
		part->builds = (struct join_build **)memory_zalloc(
			part->plan->input_count * sizeof(*part->builds));
		part->sealed = memory_zalloc(part->plan->input_count);
		router_init(&part->router, plan, 1);
	}
	return subplan;
}

static void part_close(struct subplan_part *part)
{
	pipeline_free(part->pipeline);
	part->pipeline = NULL;
}

static void part_drop_build(struct subplan_part *part, uint32_t input)
{
	join_build_free(part->builds[input]);
	part->builds[input] = NULL;
	part->sealed[input] = false;
}

void subplan_free(struct subplan *subplan)
{
	if (!subplan)
		return;
	for (uint32_t f = 0; f < subplan->plan->fragment_count; f++) {
		struct subplan_part *part = &subplan->parts[f];

		part_close(part);
		for (uint32_t i = 1; i < part->plan->input_count; i++)
			part_drop_build(part, i);
		free(part->builds);
		free(part->sealed);
		router_release(&part->router);
	}
	for (uint32_t e = 0; e < subplan->plan->exchange_count; e++)
		row_store_release(&subplan->kept[e]);
	free(subplan->tables);
	free(subplan->parts);
	free(subplan->kept);
	free(subplan);
}

static struct join_build *part_build(struct subplan_part *part, uint32_t input)
{
	const struct plan_exchange *exchange =
		&part->subplan->plan->exchanges[part->plan->inputs[input].index];

	if (!part->builds[input])
		part->builds[input] = join_build_new(plan_fragment_join(part->plan, input),
			exchange->column_count, exchange->types);
	return part->builds[input];
}

static int part_open(struct subplan_part *part, struct error *err)
{
	if (part->pipeline)
		return 0;
	for (uint32_t i = 1; i < part->plan->input_count; i++) {
		if (!part->sealed[i])
			join_build_seal(part_build(part, i), part->subplan->stop);
		part->sealed[i] = true;
	}
	if (pipeline_new(&part->pipeline, part->plan,
		    (const struct join_build *const *)part->builds, &part->sink, err) < 0)
		return -1;
	pipeline_stop_with(part->pipeline, part->subplan->stop, NULL);
	return 0;
}

static int part_push(void *context, const struct batch *batch, struct error *err)
{
	struct subplan_part *part = context;

	if (part_open(part, err) < 0)
		return -1;
	return batch->selected > 0 ? pipeline_push(part->pipeline, batch, err) : 0;
}

static int part_add(
	struct subplan_part *part, uint32_t input, const struct batch *batch, struct error *err)
{
	if (part->sealed[input])
		return error_set(
			err, ERROR_INTERNAL, "rows come too late for a join inside of a recursion");
	return join_build_add(part_build(part, input), batch, err);
}

/* Rows that are the same in every round are kept for a reader that sees them in each. */
static int deliver(void *context, uint32_t index, uint32_t instance, const struct batch *rows,
	struct error *err)
{
	const struct subplan_part *from = context;
	struct subplan *subplan = from->subplan;
	const struct plan_exchange *exchange = &subplan->plan->exchanges[index];
	struct subplan_part *to = &subplan->parts[exchange->consumer];

	(void)instance;
	if (!from->changes && to->changes &&
		(exchange->input == 0 || exchange_changes(subplan, index)))
		return row_store_add(&subplan->kept[index], rows, err);
	return exchange->input > 0 ? part_add(to, exchange->input, rows, err)
				   : part_push(to, rows, err);
}

static uint32_t only_instance(void *context, uint32_t exchange)
{
	(void)context;
	(void)exchange;
	return 0;
}

static const struct router_ops subplan_router = {.nearest = only_instance, .deliver = deliver};

static int part_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct subplan_part *part = (struct subplan_part *)sink;
	struct subplan *subplan = part->subplan;

	if (batch->selected == 0)
		return 0;
	if (part->plan->query != PLAN_NONE && subplan->sink->emit(subplan->sink, batch, err) < 0)
		return -1;
	return router_push(&part->router, part->index, batch, 0, &subplan_router, part, err);
}

struct build_reader {
	struct subplan_part *part;
	uint32_t input;
};

static int add_kept(void *context, const struct batch *batch, struct error *err)
{
	const struct build_reader *reader = context;

	return part_add(reader->part, reader->input, batch, err);
}

/* What was kept of earlier rounds, and the rows of its table. */
static int part_feed(struct subplan_part *part, struct error *err)
{
	static const struct batch one_row = {.rows = 1, .selected = 1};
	struct subplan *subplan = part->subplan;
	const struct plan_input *input = &part->plan->inputs[0];

	for (uint32_t i = 1; i < part->plan->input_count; i++) {
		struct build_reader reader = {part, i};

		if (row_store_read(&subplan->kept[part->plan->inputs[i].index], add_kept, &reader,
			    err) < 0)
			return -1;
	}
	switch (input->kind) {
	case INPUT_ONE_ROW: return part_push(part, &one_row, err);
	case INPUT_TABLE:
		if (input->index == 0)
			return row_store_read(subplan->round, part_push, part, err);
		return join_build_read(subplan->tables[input->index], part_push, part, err);
	case INPUT_EXCHANGE: break;
	}
	return row_store_read(&subplan->kept[input->index], part_push, part, err);
}

/* A build side that changes is made anew in the next round. */
static void part_end_round(struct subplan_part *part)
{
	part_close(part);
	for (uint32_t i = 1; i < part->plan->input_count; i++)
		if (exchange_changes(part->subplan, part->plan->inputs[i].index))
			part_drop_build(part, i);
}

int subplan_run(struct subplan *subplan, struct row_store *round, struct sink *sink,
	const atomic_bool *stop, struct error *err)
{
	int status = 0;

	subplan->round = round;
	subplan->sink = sink;
	subplan->stop = stop;
	for (uint32_t f = 0; f < subplan->plan->fragment_count && !status; f++) {
		struct subplan_part *part = &subplan->parts[f];

		if (subplan->ran && !part->changes)
			continue;
		status = part_feed(part, err);
		if (!status)
			status = part_open(part, err);
		if (!status)
			status = pipeline_finish(part->pipeline, err);
	}
	for (uint32_t f = 0; f < subplan->plan->fragment_count; f++)
		part_end_round(&subplan->parts[f]);
	subplan->ran = true;
	return status;
}
