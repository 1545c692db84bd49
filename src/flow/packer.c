#include "flow/packer.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "base/mutant.h"
#include "column/batch_codec.h"
#include "exec/table/partition.h"

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
	struct column *columns; /* for outputs that get some of the columns */
	struct partition_split split;
	uint64_t *hashes; /* NULL until a hash exchange needs them; then `split` is there, too */
};

static bool is_producer(const struct packer *packer, uint32_t fragment)
{
	const struct plan_input *input = &packer->topology->plan->fragments[fragment].inputs[0];

	if (flow_stream_is_table(packer->stream))
		return input->kind == INPUT_TABLE && input->index == packer->stream;
	return fragment == flow_stream_producer(packer->stream);
}

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
	free(wanted);
}

struct packer *packer_new(const struct topology *topology, uint64_t job, flow_stream stream)
{
	const struct plan *plan = topology->plan;
	struct packer *packer = memory_zalloc(sizeof(*packer));
	bool is_result = !flow_stream_is_table(stream) &&
			 plan->fragments[flow_stream_producer(stream)].query != PLAN_NONE;

	packer->topology = topology;
	packer->job = job;
	packer->stream = stream;
	buf_init(&packer->scratch, PACKET_BYTES_MAX);
	add_destinations(packer, is_result);
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		for (uint32_t o = 0; is_producer(packer, f) && o < plan->fragments[f].output_count;
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
	if (packer->hashes) {
		partition_split_release(&packer->split);
		free(packer->hashes);
	}
	buf_release(&packer->scratch);
	free(packer->sections);
	free(packer->destinations);
	free(packer->destination_of);
	free(packer->columns);
	free(packer);
}

void packer_start(struct packer *packer, uint32_t number)
{
	packer->number = number;
}

static struct buf *section_of(struct packer *packer, uint32_t exchange, uint32_t node)
{
	uint32_t i = 0;

	while (packer->sections[i].exchange != exchange)
		i++;
	return &packer->sections[i].bytes[packer->destination_of[node]];
}

static void add_hashed(struct packer *packer, uint32_t index, const struct plan_exchange *exchange,
	const struct batch *batch)
{
	const struct topology *topology = packer->topology;

	if (!packer->hashes) {
		packer->hashes = memory_alloc(BATCH_ROWS_MAX * sizeof(uint64_t));
		partition_split_init(&packer->split, topology->reducers);
	}
	partition_hash(batch, exchange->keys, exchange->key_count, packer->hashes);
	partition_split_rows(&packer->split, batch, packer->hashes);
	for (uint32_t p = 0; p < topology->reducers; p++) {
		struct batch part = *batch;

		part.sel = packer->split.rows + packer->split.starts[p];
		part.selected = packer->split.starts[p + 1] - packer->split.starts[p];
		if (part.selected > 0)
			batch_encode(&part, section_of(packer, index, p));
	}
}

/* To every instance of the consumer, or to the one that `only` names. */
static void add_copies(struct packer *packer, uint32_t index, const struct plan_exchange *exchange,
	const struct batch *batch, uint32_t only)
{
	uint32_t instances = topology_instances(packer->topology, exchange->consumer);

	buf_clear(&packer->scratch);
	batch_encode(batch, &packer->scratch);
	for (uint32_t i = 0; i < instances; i++) {
		uint32_t node = topology_node(packer->topology, exchange->consumer, i);

		if (only == PLAN_NONE || only == i)
			buf_append(section_of(packer, index, node), packer->scratch.data,
				packer->scratch.size);
	}
}

static void add_to_exchange(struct packer *packer, uint32_t index, const struct batch *batch)
{
	const struct plan_exchange *exchange = &packer->topology->plan->exchanges[index];

	switch (exchange->kind) {
	case EXCHANGE_HASH: add_hashed(packer, index, exchange, batch); break;
	case EXCHANGE_SINGLE:
	case EXCHANGE_BROADCAST: add_copies(packer, index, exchange, batch, PLAN_NONE); break;
	case EXCHANGE_SPREAD:
		add_copies(packer, index, exchange, batch,
			topology_spread(
				packer->topology, exchange, packer->stream, packer->number));
		break;
	}
}

/* What an output that wants only some of the columns gets. */
static void pick_columns(
	struct packer *packer, uint32_t index, const uint32_t *wanted, struct batch *batch)
{
	const struct plan_exchange *exchange = &packer->topology->plan->exchanges[index];

	if (!packer->columns)
		packer->columns = memory_alloc(PLAN_COLUMNS_MAX * sizeof(*packer->columns));
	for (uint32_t i = 0; i < exchange->column_count; i++)
		packer->columns[i] = batch->columns[wanted[i]];
	batch->columns = packer->columns;
	batch->column_count = exchange->column_count;
}

int packer_add(
	struct packer *packer, uint32_t fragment, const struct batch *batch, struct error *err)
{
	const struct plan_fragment *plan = &packer->topology->plan->fragments[fragment];

	if (batch->selected == 0)
		return 0;
	for (uint32_t o = 0; o < plan->output_count; o++) {
		struct batch part = *batch;

		if (plan->output_columns)
			pick_columns(packer, plan->outputs[o], plan->output_columns[o], &part);
		add_to_exchange(packer, plan->outputs[o], &part);
	}
	if (plan->query != PLAN_NONE)
		batch_encode(batch, &packer->sections[packer->section_count - 1]
					     .bytes[packer->destination_count - 1]);
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
			"a packet of more than %u MB: send smaller chunks", PACKET_BYTES_MAX >> 20);
	return send(context, packer->destinations[destination], out->data, out->size, err);
}

int packer_cut(struct packer *packer, packer_send send, void *context, struct error *err)
{
	int status = 0;

	for (uint32_t d = 0; d < packer->destination_count && !status; d++)
		status = send_packet(packer, d, send, context, err);
	for (uint32_t i = 0; i < packer->section_count; i++)
		for (uint32_t d = 0; d < packer->destination_count; d++)
			buf_clear(&packer->sections[i].bytes[d]);
	return status;
}
