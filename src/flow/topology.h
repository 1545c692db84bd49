/*
 * Who runs what. A plan and a number of reducers say, for everyone alike, which node runs which
 * instance of a fragment, which streams feed it, and which nodes get a packet of a stream.
 *
 * Nodes are numbered 0 .. reducers - 1; the collector follows them. A fragment behind a hash or a
 * spread exchange has an instance on every reducer, a query's last fragment one on the collector,
 * any other one instance on some reducer. Map fragments of tables have none: they run wherever
 * chunks are.
 *
 * A stream is a numbered sequence of packets with one producer: the chunks of a table, or what one
 * instance of a fragment emits. Every packet of a stream goes to each of the stream's destinations,
 * empty if need be, so that everyone can count.
 */
#ifndef FLOW_TOPOLOGY_H
#define FLOW_TOPOLOGY_H

#include "base/arena.h"
#include "plan/plan.h"

#include <assert.h>

#define FLOW_REDUCERS_MAX  1024u
#define FLOW_FRAGMENTS_MAX (1u << 16)
/* Packets of a stream: a terabyte of chunks, or of packets near 64 KB. */
#define FLOW_NUMBER_MAX (1u << 24)

typedef uint32_t flow_stream;

#define FLOW_STREAM_FRAGMENT 0x80000000u
#define FLOW_STREAM_SHIFT    12u

static inline flow_stream flow_stream_table(uint32_t table)
{
	return table;
}

static inline flow_stream flow_stream_fragment(uint32_t fragment, uint32_t instance)
{
	assert(fragment < FLOW_FRAGMENTS_MAX && instance < FLOW_REDUCERS_MAX);
	return FLOW_STREAM_FRAGMENT | fragment << FLOW_STREAM_SHIFT | instance;
}

static inline bool flow_stream_is_table(flow_stream stream)
{
	return !(stream & FLOW_STREAM_FRAGMENT);
}

/* Of a stream that a fragment emits. */
static inline uint32_t flow_stream_producer(flow_stream stream)
{
	return (stream & ~FLOW_STREAM_FRAGMENT) >> FLOW_STREAM_SHIFT;
}

static inline uint32_t flow_stream_instance(flow_stream stream)
{
	return stream & ((1u << FLOW_STREAM_SHIFT) - 1);
}

struct topology {
	const struct plan *plan;
	uint32_t reducers;
	uint64_t generation; /* of the log in which the job was opened; its packets carry it */
};

/* ERROR_LIMIT when the plan or the number of reducers is too large. `plan` is borrowed. */
MUST_CHECK int topology_init(
	struct topology *topology, const struct plan *plan, uint32_t reducers, struct error *err);

static inline uint32_t topology_collector(const struct topology *topology)
{
	return topology->reducers;
}

/* All nodes that hold state: the reducers and the collector. */
static inline uint32_t topology_nodes(const struct topology *topology)
{
	return topology->reducers + 1;
}

/* Whether `stream` can exist in this job at all. */
bool topology_has_stream(const struct topology *topology, flow_stream stream);

/* Whether rows that leave the fragment travel in the stream: a table's has all its map fragments. */
bool topology_produces(const struct topology *topology, uint32_t fragment, flow_stream stream);

uint32_t topology_instances(const struct topology *topology, uint32_t fragment);
/* Where an instance runs. */
uint32_t topology_node(const struct topology *topology, uint32_t fragment, uint32_t instance);
/* Which instance of the fragment runs on `node`; PLAN_NONE: none does. */
uint32_t topology_instance_on(const struct topology *topology, uint32_t fragment, uint32_t node);

/*
 * The streams that bring rows for an input of an instance: ascending, each once, in the arena.
 * Their order is the order in which the input is folded.
 */
uint32_t topology_sources(const struct topology *topology, uint32_t fragment, uint32_t instance,
	uint32_t input, struct arena *arena, flow_stream **streams);

/* The instance of the consumer that gets what `stream` sends through a spread exchange, by packet.
 */
uint32_t topology_spread(const struct topology *topology, const struct plan_exchange *exchange,
	flow_stream stream, uint32_t number);

/*
 * Sets nodes[n], of topology_nodes() flags, for every node that gets the packets of the stream.
 * None for a query's result, which goes to the gateways.
 */
void topology_destinations(const struct topology *topology, flow_stream stream, bool *nodes);

#endif
