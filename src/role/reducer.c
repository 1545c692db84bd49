/*
 * A reducer: partition `index` of every fragment that is not the last one of a query. All it does is
 * what every node with folds does (role/fold_node.h).
 */
#include "role/fold_node.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct reducer {
	struct fold_node folds; /* first */
	uint32_t index;
};

/* A job keeps the number of reducers that it was opened with: a later one takes no part in it. */
static uint32_t number_in(const struct fold_node *folds, const struct job *job)
{
	uint32_t index = ((const struct reducer *)folds)->index;

	return index < job->topology.reducers ? index : PLAN_NONE;
}

static void reducer_free(struct role *role)
{
	fold_node_release((struct fold_node *)role);
	free(role);
}

int reducer_new(struct role **out, const struct role_env *env, uint32_t index, struct error *err)
{
	static const struct role_ops role_ops = {
		.on_tick = fold_node_on_tick, .free = reducer_free};
	static const struct fold_node_ops ops = {
		.job_size = sizeof(struct fold_job),
		.number_in = number_in,
	};
	struct reducer *reducer = memory_zalloc(sizeof(*reducer));
	char queue[TRANSPORT_QUEUE_NAME_MAX];

	snprintf(queue, sizeof(queue), ROLE_QUEUE_REDUCER, index);
	reducer->index = index;
	if (fold_node_init(&reducer->folds, env, &role_ops, &ops, index, queue,
		    env->cluster.reducer_memory, err)) {
		reducer_free(&reducer->folds.node.role);
		return -1;
	}
	*out = &reducer->folds.node.role;
	return 0;
}
