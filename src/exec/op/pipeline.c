#include "exec/op/pipeline.h"
#include "base/memory.h"
#include "exec/op/operator.h"

#include <assert.h>
#include <stdlib.h>

/* The end of the chain. */
struct op_sink {
	struct op op;
	struct sink *sink;
};

/* In front of an operator that is measured. */
struct op_meter {
	struct op op;
	uint32_t index; /* of its count */
	struct meter *const *meter;
};

struct pipeline {
	struct op_sink end;
	uint32_t count;
	struct op **ops;
	struct op *first; /* where batches come in */
	/* While it is measured: */
	struct op_meter *meters;
	struct meter *meter; /* of the thread that is inside */
};

static int sink_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct sink *sink = ((struct op_sink *)op)->sink;

	return sink->emit(sink, batch, err);
}

static const struct op_table sink_op_table = {.consume = sink_consume};

static int op_new(struct op **out, const struct plan_op *plan,
	const struct join_build *const *builds, struct error *err)
{
	switch (plan->kind) {
	case PLAN_FILTER: return op_filter_new(out, plan, err);
	case PLAN_PROJECT: return op_project_new(out, plan, err);
	case PLAN_GROUP: *out = op_group_new(plan); return 0;
	case PLAN_TOP: *out = op_top_new(plan); return 0;
	case PLAN_WINDOW: *out = op_window_new(plan); return 0;
	case PLAN_JOIN: return op_join_new(out, plan, builds[plan->join.build_input], err);
	case PLAN_UNNEST: *out = op_unnest_new(plan); return 0;
	case PLAN_RECURSION: *out = op_recursion_new(plan, builds); return 0;
	case PLAN_LIMIT: *out = op_limit_new(plan); return 0;
	}
	return error_set(err, ERROR_INTERNAL, "unknown operator %d in a plan", (int)plan->kind);
}

int pipeline_new(struct pipeline **out, const struct plan_fragment *fragment,
	const struct join_build *const *builds, struct sink *sink, struct error *err)
{
	struct pipeline *pipeline = memory_zalloc(sizeof(*pipeline));

	pipeline->end = (struct op_sink){.op = {.table = &sink_op_table}, .sink = sink};
	pipeline->ops = memory_zalloc((fragment->op_count + 1) * sizeof(*pipeline->ops));
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		if (op_new(&pipeline->ops[i], fragment->ops[i], builds, err) < 0) {
			pipeline_free(pipeline);
			return -1;
		}
		pipeline->count++;
	}
	pipeline->ops[pipeline->count] = &pipeline->end.op;
	for (uint32_t i = 0; i < pipeline->count; i++)
		pipeline->ops[i]->next = pipeline->ops[i + 1];
	pipeline->first = pipeline->ops[0];
	*out = pipeline;
	return 0;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (uint32_t i = 0; i < pipeline->count; i++)
		op_free(pipeline->ops[i]);
	free(pipeline->meters);
	free(pipeline->ops);
	free(pipeline);
}

static int meter_consume(struct op *op, const struct batch *batch, struct error *err)
{
	const struct op_meter *self = (const struct op_meter *)op;
	struct meter *meter = *self->meter;
	struct meter_count *count = &meter->counts[self->index], *before;
	int status;

	count->rows += batch->selected;
	count->batches++;
	before = meter_enter(meter, count);
	status = op->next->table->consume(op->next, batch, err);
	meter_enter(meter, before);
	return status;
}

static const struct op_table meter_op_table = {.consume = meter_consume};

void pipeline_measure(struct pipeline *pipeline, uint32_t first, const struct op_memory *memory)
{
	assert(!pipeline->meters);
	pipeline->meters = memory_zalloc((pipeline->count + 1) * sizeof(*pipeline->meters));
	for (uint32_t i = 0; i <= pipeline->count; i++) {
		pipeline->meters[i] = (struct op_meter){
			.op = {.table = &meter_op_table,
				.next = pipeline->ops[i],
				.stop = pipeline->ops[i]->stop,
				.failed = pipeline->ops[i]->failed},
			.index = first + i,
			.meter = &pipeline->meter,
		};
		if (i > 0)
			pipeline->ops[i - 1]->next = &pipeline->meters[i].op;
		pipeline->ops[i]->memory = &memory[i];
	}
	pipeline->first = &pipeline->meters[0].op;
}

void pipeline_enter(struct pipeline *pipeline, struct meter *meter)
{
	assert(pipeline->meters);
	pipeline->meter = meter;
}

void pipeline_stop_with(
	struct pipeline *pipeline, const atomic_bool *stop, const atomic_bool *failed)
{
	for (uint32_t i = 0; i <= pipeline->count; i++) {
		pipeline->ops[i]->stop = stop;
		pipeline->ops[i]->failed = failed;
	}
	for (uint32_t i = 0; i <= pipeline->count && pipeline->meters; i++) {
		pipeline->meters[i].op.stop = stop;
		pipeline->meters[i].op.failed = failed;
	}
}

void pipeline_work_with(struct pipeline *pipeline, const struct op_memory *memory)
{
	for (uint32_t i = 0; i <= pipeline->count; i++)
		pipeline->ops[i]->memory = memory;
}

int op_interrupted(struct error *err)
{
	return error_set(err, ERROR_INTERRUPTED, "interrupted");
}

int pipeline_push(struct pipeline *pipeline, const struct batch *batch, struct error *err)
{
	assert(batch->rows <= BATCH_ROWS_MAX && batch->selected <= batch->rows);
	return op_push(pipeline->first, batch, err);
}

/* What an operator emits at the end is its own time, too. */
static int finish_measured(struct pipeline *pipeline, uint32_t index, struct error *err)
{
	struct meter *meter = pipeline->meter;
	struct meter_count *before =
		meter_enter(meter, &meter->counts[pipeline->meters[index].index]);
	int status = op_finish(pipeline->ops[index], err);

	meter_enter(meter, before);
	return status;
}

int pipeline_finish(struct pipeline *pipeline, struct error *err)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		if (pipeline->meters ? finish_measured(pipeline, i, err) < 0
				     : op_finish(pipeline->ops[i], err) < 0)
			return -1;
	}
	return 0;
}
