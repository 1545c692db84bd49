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

struct pipeline {
	struct op_sink end;
	uint32_t count;
	struct op **ops;
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
	*out = pipeline;
	return 0;
}

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	for (uint32_t i = 0; i < pipeline->count; i++)
		op_free(pipeline->ops[i]);
	free(pipeline->ops);
	free(pipeline);
}

void pipeline_stop_with(struct pipeline *pipeline, const atomic_bool *stop)
{
	for (uint32_t i = 0; i <= pipeline->count; i++)
		pipeline->ops[i]->stop = stop;
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
	return op_push(pipeline->ops[0], batch, err);
}

int pipeline_finish(struct pipeline *pipeline, struct error *err)
{
	for (uint32_t i = 0; i < pipeline->count; i++) {
		if (op_finish(pipeline->ops[i], err) < 0)
			return -1;
	}
	return 0;
}
