#include "flow/topology.h"

#include "plan/plan_queries.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Has an instance on every reducer. */
static bool is_spread(const struct topology *topology, const struct plan_fragment *fragment)
{
	enum plan_placement placement = plan_fragment_placement(topology->plan, fragment);

	return placement == PLACED_BY_KEY || placement == PLACED_ANYWHERE;
}

int topology_init(
	struct topology *topology, const struct plan *plan, uint32_t reducers, struct error *err)
{
	if (reducers < 1 || reducers > FLOW_REDUCERS_MAX)
		return error_set(err, ERROR_LIMIT, "a job needs 1 to %u reducers, not %u",
			FLOW_REDUCERS_MAX, reducers);
	if (plan->fragment_count > FLOW_FRAGMENTS_MAX)
		return error_set(err, ERROR_LIMIT, "a plan of %u fragments; the limit is %u",
			plan->fragment_count, FLOW_FRAGMENTS_MAX);
	*topology = (struct topology){.plan = plan, .reducers = reducers};
	for (uint32_t e = 0; e < plan->exchange_count; e++) {
		const struct plan_exchange *exchange = &plan->exchanges[e];

		if (exchange->kind == EXCHANGE_HASH &&
			!is_spread(topology, &plan->fragments[exchange->consumer]))
			return error_set(err, ERROR_DATA,
				"the plan hashes rows to a fragment that runs on one node");
	}
	return 0;
}

uint32_t topology_instances(const struct topology *topology, uint32_t fragment)
{
	const struct plan_fragment *plan = &topology->plan->fragments[fragment];

	assert(fragment < topology->plan->fragment_count);
	if (plan->inputs[0].kind == INPUT_TABLE)
		return 0;
	return is_spread(topology, plan) ? topology->reducers : 1;
}

uint32_t topology_node(const struct topology *topology, uint32_t fragment, uint32_t instance)
{
	const struct plan_fragment *plan = &topology->plan->fragments[fragment];

	assert(instance < topology_instances(topology, fragment));
	if (plan->query != PLAN_NONE)
		return topology_collector(topology);
	/* Lone fragments are dealt out over the reducers. */
	return is_spread(topology, plan) ? instance : fragment % topology->reducers;
}

uint32_t topology_instance_on(const struct topology *topology, uint32_t fragment, uint32_t node)
{
	uint32_t instances = topology_instances(topology, fragment);

	if (instances > 1 || is_spread(topology, &topology->plan->fragments[fragment]))
		return node < instances ? node : PLAN_NONE;
	return instances == 1 && topology_node(topology, fragment, 0) == node ? 0 : PLAN_NONE;
}

bool topology_has_stream(const struct topology *topology, flow_stream stream)
{
	uint32_t fragment = flow_stream_producer(stream);

	if (flow_stream_is_table(stream))
		return stream < topology->plan->table_count;
	return fragment < topology->plan->fragment_count &&
	       flow_stream_instance(stream) < topology_instances(topology, fragment);
}

bool topology_produces(const struct topology *topology, uint32_t fragment, flow_stream stream)
{
	const struct plan_input *input = &topology->plan->fragments[fragment].inputs[0];

	if (flow_stream_is_table(stream))
		return input->kind == INPUT_TABLE && input->index == stream;
	return fragment == flow_stream_producer(stream);
}

uint32_t topology_spread(const struct topology *topology, const struct plan_exchange *exchange,
	flow_stream stream, uint32_t number)
{
	uint32_t instances = topology_instances(topology, exchange->consumer);
	uint32_t node;

	assert(exchange->kind == EXCHANGE_SPREAD);
	assert(instances > 0); /* a consumer is no map fragment of a table */
	if (flow_stream_is_table(stream))
		return number % instances;
	/* A fragment's rows stay where they are. */
	node = topology_node(topology, flow_stream_producer(stream), flow_stream_instance(stream));
	return node % instances;
}

static bool feeds(const struct plan_fragment *fragment, uint32_t exchange)
{
	for (uint32_t o = 0; o < fragment->output_count; o++)
		if (fragment->outputs[o] == exchange)
			return true;
	return false;
}

static int compare_streams(const void *a, const void *b)
{
	flow_stream x = *(const flow_stream *)a, y = *(const flow_stream *)b;

	return (x > y) - (x < y);
}

static uint32_t sort_unique(flow_stream *streams, uint32_t count)
{
	uint32_t kept = 0;

	qsort(streams, count, sizeof(*streams), compare_streams);
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || streams[kept - 1] != streams[i])
			streams[kept++] = streams[i];
	return kept;
}

uint32_t topology_sources(const struct topology *topology, uint32_t fragment, uint32_t instance,
	uint32_t input, struct arena *arena, flow_stream **streams)
{
	const struct plan *plan = topology->plan;
	const struct plan_input *from = &plan->fragments[fragment].inputs[input];
	const struct plan_exchange *exchange;
	uint32_t room = plan->table_count + plan->fragment_count * topology->reducers;
	uint32_t count = 0;

	*streams = NULL;
	if (from->kind != INPUT_EXCHANGE)
		return 0;
	exchange = &plan->exchanges[from->index];
	*streams = arena_alloc(arena, room * sizeof(**streams));
	for (uint32_t p = 0; p < plan->fragment_count; p++) {
		const struct plan_fragment *producer = &plan->fragments[p];

		if (!feeds(producer, from->index))
			continue;
		if (producer->inputs[0].kind == INPUT_TABLE) {
			(*streams)[count++] = flow_stream_table(producer->inputs[0].index);
			count = sort_unique(*streams, count);
			continue;
		}
		for (uint32_t i = 0; i < topology_instances(topology, p); i++) {
			flow_stream stream = flow_stream_fragment(p, i);

			if (exchange->kind == EXCHANGE_SPREAD &&
				topology_spread(topology, exchange, stream, 0) != instance)
				continue;
			assert(count < room);
			(*streams)[count++] = stream;
		}
	}
	return sort_unique(*streams, count);
}

static void add_consumer(const struct topology *topology, const struct plan_exchange *exchange,
	flow_stream stream, bool *nodes)
{
	uint32_t instances = topology_instances(topology, exchange->consumer);

	if (exchange->kind == EXCHANGE_SPREAD && !flow_stream_is_table(stream)) {
		nodes[topology_node(topology, exchange->consumer,
			topology_spread(topology, exchange, stream, 0))] = true;
		return;
	}
	for (uint32_t i = 0; i < instances; i++)
		nodes[topology_node(topology, exchange->consumer, i)] = true;
}

void topology_destinations(const struct topology *topology, flow_stream stream, bool *nodes)
{
	const struct plan *plan = topology->plan;

	memset(nodes, 0, topology_nodes(topology) * sizeof(*nodes));
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		const struct plan_fragment *fragment = &plan->fragments[f];

		if (!topology_produces(topology, f, stream))
			continue;
		for (uint32_t o = 0; o < fragment->output_count; o++)
			add_consumer(
				topology, &plan->exchanges[fragment->outputs[o]], stream, nodes);
	}
}
