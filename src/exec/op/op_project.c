/*
 * Computes new columns over the selected rows; rows and selection stay as they are.
 */
#include "base/memory.h"
#include "exec/expr/eval.h"
#include "exec/op/operator.h"

#include <stdlib.h>

struct op_project {
	struct op op;
	uint32_t count;
	struct evaluator **exprs;
	struct column *columns;
};

static int project_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_project *project = (struct op_project *)op;
	struct batch made = *batch;

	made.column_count = project->count;
	made.columns = project->columns;
	for (uint32_t i = 0; i < project->count; i++) {
		evaluator_stop_with(project->exprs[i], op->stop, op->failed);
		if (evaluator_eval(project->exprs[i], batch, &project->columns[i], err) < 0)
			return -1;
	}
	return op_push(op->next, &made, err);
}

static void project_free(struct op *op)
{
	struct op_project *project = (struct op_project *)op;

	for (uint32_t i = 0; i < project->count; i++)
		evaluator_free(project->exprs[i]);
	free(project->exprs);
	free(project->columns);
	free(project);
}

static const struct op_table project_op_table = {.consume = project_consume, .free = project_free};

int op_project_new(struct op **out, const struct plan_op *plan, struct error *err)
{
	const struct plan_project *from = &plan->project;
	struct op_project *project = memory_zalloc(sizeof(*project));

	project->op.table = &project_op_table;
	project->exprs = memory_zalloc((from->count + 1) * sizeof(struct evaluator *));
	project->columns = memory_zalloc((from->count + 1) * sizeof(struct column));
	for (uint32_t i = 0; i < from->count; i++) {
		if (evaluator_new(&project->exprs[i], from->exprs[i], err) < 0) {
			project_free(&project->op);
			return -1;
		}
		project->count++;
	}
	*out = &project->op;
	return 0;
}
