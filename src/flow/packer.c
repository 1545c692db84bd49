#include "flow/packer.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "column/batch_codec.h"
#include "exec/op/router.h"

#include <assert.h>
#include <stdlib.h>

/* A destination's part of an exchange; what a chunk or a packet's worth of rows can become. */
#define SECTION_BYTES_MAX (64u << 20)
#define PACKET_BYTES_MAX  (72u << 20)

/* An exchange that the stream's producers feed. */
struct section {
	uint32_t exchange; /* or FLOW_RESULT */
	struct buf *bytes; /* by destination */
};

struct packer {
	const struct topology *topology;
	uint64_t job;
	flow_stream stream;
	uint32_t number;
	uint32_t destination_count;
	uint32_t *destinations;	  /* nodes, ascending, or FLOW_GATEWAYS alone */
	uint32_t *destination_of; /* by node */
	uint32_t section_count;
	struct section *sections;
	struct buf scratch;
	struct router router;
};

static void add_section(struct packer *packer, uint32_t exchange)
{
	struct section *section;

	for (uint32_t i = 0; i < packer->section_count; i++)
		if (packer->sections[i].exchange == exchange)
			return;
	packer->sections = memory_realloc(
		packer->sections, (packer->section_count + 1) * sizeof(*packer->sections));
	section = &packer->sections[packer->section_count++];
	section->exchange = exchange;
	section->bytes = memory_alloc((packer->destination_count + 1) * sizeof(struct buf));
	for (uint32_t d = 0; d < packer->destination_count; d++)
		buf_init(&section->bytes[d], SECTION_BYTES_MAX);
}

static void add_destinations(struct packer *packer, bool is_result)
{
	uint32_t nodes = topology_nodes(packer->topology);
	bool *wanted = memory_zalloc(nodes * sizeof(*wanted));

	packer->destinations = memory_alloc(nodes * sizeof(uint32_t));
	packer->destination_of = memory_zalloc(nodes * sizeof(uint32_t));
	topology_destinations(packer->topology, packer->stream, wanted);
	for (uint32_t n = 0; n < nodes; n++) {
		if (!wanted[n])
			continue;
		packer->destination_of[n] = packer->destination_count;
		packer->destinations[packer->destination_count++] = n;
	}
	if (is_result)
		packer->destinations[packer->destination_count++] = FLOW_GATEWAYS;
	/* Rows that leave a fragment are for somebody. */
	assert(packer->destination_count > 0);
	free(wanted);
}

struct packer *packer_new(const struct topology *topology, uint64_t job, flow_stream stream)
{
	const struct plan *plan = topology->plan;
	struct packer *packer = memory_zalloc(sizeof(*packer));
	bool is_result = !flow_stream_is_table(stream) &&
			 plan->fragments[flow_stream_producer(stream)].query != PLAN_NONE;

	assert(topology_has_stream(topology, stream));
	packer->topology = topology;
	packer->job = job;
	packer->stream = stream;
	buf_init(&packer->scratch, PACKET_BYTES_MAX);
	router_init(&packer->router, plan, topology->reducers);
	add_destinations(packer, is_result);
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		for (uint32_t o = 0; topology_produces(topology, f, stream) &&
				     o < plan->fragments[f].output_count;
			o++)
			add_section(packer, plan->fragments[f].outputs[o]);
	if (is_result)
		add_section(packer, FLOW_RESULT);
	return packer;
}

void packer_free(struct packer *packer)
{
	if (!packer)
		return;
	for (uint32_t i = 0; i < packer->section_count; i++) {
		for (uint32_t d = 0; d < packer->destination_count; d++)
			buf_release(&packer->sections[i].bytes[d]);
		free(packer->sections[i].bytes);
	}
	router_release(&packer->router);
	buf_release(&packer->scratch);
	free(packer->sections);
	free(packer->destinations);
	free(packer->destination_of);
	free(packer);
}

void packer_start(struct packer *packer, uint32_t number)
{
	assert(number >= 1 && number <= FLOW_NUMBER_MAX);
	/* A chunk's number says where its rows go: none may be packed before it is known. */
	assert(!flow_stream_is_table(packer->stream) || packer_size(packer) == 0);
	packer->number = number;
}

static struct buf *section_of(struct packer *packer, uint32_t exchange, uint32_t node)
{
	uint32_t i = 0;

	while (i < packer->section_count && packer->sections[i].exchange != exchange)
		i++;
	assert(i < packer->section_count);
	/* Whoever gets rows gets every packet of the stream, or it could not count them. */
	assert(packer->destinations[packer->destination_of[node]] == node);
	return &packer->sections[i].bytes[packer->destination_of[node]];
}

static uint32_t nearest_instance(void *context, uint32_t exchange)
{
	const struct packer *packer = context;
	const struct topology *topology = packer->topology;

	return topology_spread(
		topology, &topology->plan->exchanges[exchange], packer->stream, packer->number);
}

/* Of the query whose result the stream is. */
static struct buf *result_section(struct packer *packer)
{
	const struct section *last = &packer->sections[packer->section_count - 1];

	assert(last->exchange == FLOW_RESULT);
	assert(packer->destinations[packer->destination_count - 1] == FLOW_GATEWAYS);
	return &last->bytes[packer->destination_count - 1];
}

/* Rows become bytes once, however many nodes get them. */
static int deliver_rows(void *context, uint32_t exchange, uint32_t instance,
	const struct batch *rows, struct error *err)
{
	struct packer *packer = context;
	const struct topology *topology = packer->topology;
	uint32_t consumer = topology->plan->exchanges[exchange].consumer;

	(void)err;
	if (instance != ROUTER_ALL) {
		uint32_t node = topology_node(topology, consumer, instance);

		batch_encode(rows, section_of(packer, exchange, node));
		return 0;
	}
	buf_clear(&packer->scratch);
	batch_encode(rows, &packer->scratch);
	for (uint32_t i = 0; i < topology_instances(topology, consumer); i++) {
		uint32_t node = topology_node(topology, consumer, i);

		buf_append(section_of(packer, exchange, node), packer->scratch.data,
			packer->scratch.size);
	}
	return 0;
}

static const struct router_ops packer_router = {
	.nearest = nearest_instance,
	.deliver = deliver_rows,
};

int packer_add(
	struct packer *packer, uint32_t fragment, const struct batch *batch, struct error *err)
{
	const struct plan_fragment *plan = &packer->topology->plan->fragments[fragment];

	assert(topology_produces(packer->topology, fragment, packer->stream));
	if (batch->selected == 0)
		return 0;
	if (router_push(&packer->router, fragment, batch, 0, &packer_router, packer, err))
		return -1;
	if (plan->query != PLAN_NONE)
		batch_encode(batch, result_section(packer));
	for (uint32_t i = 0; i < packer->section_count; i++)
		for (uint32_t d = 0; d < packer->destination_count; d++)
			if (buf_overflowed(&packer->sections[i].bytes[d]))
				return error_set(err, ERROR_LIMIT,
					"more than %u MB of rows from one chunk: send smaller "
					"chunks",
					SECTION_BYTES_MAX >> 20);
	return 0;
}

static size_t packet_size(const struct packer *packer, uint32_t destination)
{
	size_t size = 0;

	for (uint32_t i = 0; i < packer->section_count; i++)
		size += packer->sections[i].bytes[destination].size;
	return size;
}

size_t packer_size(const struct packer *packer)
{
	size_t largest = 0;

	for (uint32_t d = 0; d < packer->destination_count; d++) {
		size_t size = packet_size(packer, d);

		largest = size > largest ? size : largest;
	}
	return largest;
}

static int send_packet(struct packer *packer, uint32_t destination, packer_send send, void *context,
	struct error *err)
{
	struct flow_message head = {
		.kind = FLOW_PACKET,
		.generation = packer->topology->generation,
		.job = packer->job,
		.stream = packer->stream,
		.number = packer->number,
	};
	struct buf *out = &packer->scratch;

	if (MUTANT(SKIP_EMPTY) && packet_size(packer, destination) == 0)
		return 0;
	buf_clear(out);
	flow_message_encode(&head, out);
	for (uint32_t i = 0; i < packer->section_count; i++) {
		struct buf *bytes = &packer->sections[i].bytes[destination];

		if (bytes->size == 0)
			continue;
		bytes_put_u32(out, packer->sections[i].exchange);
		bytes_put_u32(out, (uint32_t)bytes->size);
		buf_append(out, bytes->data, bytes->size);
	}
	if (buf_overflowed(out))
		return error_set(err, ERROR_LIMIT,
			"a packet is larger than %u MB: send smaller chunks",
			PACKET_BYTES_MAX >> 20);
	return send(context, packer->destinations[destination], out->data, out->size, err);
}

int packer_cut(struct packer *packer, packer_send send, void *context, struct error *err)
{
	int status = 0;

	assert(packer->number > 0); /* packer_start came first */
	for (uint32_t d = 0; d < packer->destination_count && !status; d++)
		status = send_packet(packer, d, send, context, err);
	for (uint32_t i = 0; i < packer->section_count; i++)
		for (uint32_t d = 0; d < packer->destination_count; d++)
			buf_clear(&packer->sections[i].bytes[d]);
	assert(packer_size(packer) == 0);
	return status;
}
