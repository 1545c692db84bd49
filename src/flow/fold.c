#include "flow/fold.h"

#include "base/memory.h"
#include "base/mutant.h"
#include "column/batch_codec.h"
#include "column/item.h"
#include "exec/op/pipeline.h"
#include "flow/packer.h"
#include "plan/plan_queries.h"

#include <assert.h>
#include <stdlib.h>

#define ARENA_BLOCK (64u << 10)
/* Of texts that leave at a time. */
#define EMIT_BYTES_MAX (4u << 20)

struct fold_input {
	uint32_t exchange;
	uint32_t stream_count;
	flow_stream *streams;
	struct join_build *build; /* NULL for input 0 */
};

struct fold {
	struct sink sink; /* first: emit() gets back to the fold from it */
	const struct topology *topology;
	const struct plan_fragment *plan;
	uint32_t fragment;
	flow_stream stream;
	size_t packet_bytes;
	fold_send send;
	void *context;
	const atomic_bool *stop;

	struct arena sources; /* the inputs' lists of streams */
	uint32_t input_count;
	struct fold_input *inputs;
	/* The cursor. Inputs 1, 2, ... come before input 0; input_count stands for the end. */
	uint32_t input;
	uint32_t source;
	uint32_t number;

	/* The work. What was fed last: number 0 stands for nothing. */
	uint32_t fed_input;
	flow_stream fed_stream;
	uint32_t fed_number;
	uint64_t fed_count;
	uint64_t fed_rows; /* of input 0 */
	bool finished;
	struct pipeline *pipeline; /* once all build sides are sealed */
	struct packer *packer;
	struct memory_budget budget;
	struct op_memory memory; /* its budget is NULL: there is enough */
	uint32_t emitted;	 /* packets */
	struct arena arena;	 /* columns of the batch at hand */
};

static int send_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct fold *fold = context;

	assert(fold->send && !fold->finished);
	return fold->send(fold->context, fold->stream, fold->emitted, node, bytes, size, err);
}

static int cut_packet(struct fold *fold, struct error *err)
{
	if (fold->emitted == FLOW_NUMBER_MAX)
		return error_set(err, ERROR_LIMIT, "more than %u packets of intermediate rows",
			FLOW_NUMBER_MAX);
	packer_start(fold->packer, ++fold->emitted);
	return packer_cut(fold->packer, send_packet, fold, err);
}

static int emit_rows(struct fold *fold, const struct batch *batch, struct error *err)
{
	if (packer_add(fold->packer, fold->fragment, batch, err))
		return -1;
	return packer_size(fold->packer) >= fold->packet_bytes ? cut_packet(fold, err) : 0;
}

static size_t list_bytes(const struct text_list *list)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (!item_is_null(list->items[i]))
			bytes += item_bytes(list->items[i]).size;
	return bytes;
}

/* Of the texts in one column of selected rows `from` .. `to`. */
static size_t column_text_bytes(
	const struct batch *batch, const struct column *column, uint32_t from, uint32_t to)
{
	size_t bytes = 0;

	for (uint32_t k = from; k < to; k++) {
		uint32_t i = column_index(column, batch_row(batch, k));

		if (column->valid && !column->valid[i])
			continue;
		if (type_physical(column->type.kind) == PHYSICAL_TEXT)
			bytes += column->text[i].size;
		else
			bytes += list_bytes(&column->list[i]);
	}
	return bytes;
}

static size_t text_bytes(const struct batch *batch, uint32_t from, uint32_t to)
{
	size_t bytes = 0;

	for (uint32_t c = 0; c < batch->column_count; c++) {
		const struct column *column = &batch->columns[c];
		enum physical physical = type_physical(column->type.kind);

		if (physical == PHYSICAL_TEXT || physical == PHYSICAL_LIST)
			bytes += column_text_bytes(batch, column, from, to);
	}
	return bytes;
}

/* A batch of long texts can be more than a packet may hold: it leaves in pieces. */
static int fold_emit(struct sink *sink, const struct batch *batch, struct error *err)
{
	struct fold *fold = (struct fold *)sink;
	uint16_t rows[BATCH_ROWS_MAX];
	struct batch piece = *batch;

	if (text_bytes(batch, 0, batch->selected) <= EMIT_BYTES_MAX)
		return emit_rows(fold, batch, err);
	for (uint32_t k = 0; k < batch->selected; k++)
		rows[k] = (uint16_t)batch_row(batch, k);
	for (uint32_t from = 0, to = 0; from < batch->selected; from = to) {
		for (size_t bytes = 0; to < batch->selected && bytes < EMIT_BYTES_MAX; to++)
			bytes += text_bytes(batch, to, to + 1);
		piece.sel = rows + from;
		piece.selected = to - from;
		if (emit_rows(fold, &piece, err))
			return -1;
	}
	return 0;
}

static void init_input(struct fold *fold, uint32_t input, uint32_t instance)
{
	const struct plan_input *plan = &fold->plan->inputs[input];
	const struct plan *whole = fold->topology->plan;
	struct fold_input *in = &fold->inputs[input];

	/* What flows in may come from nowhere; a build side comes through an exchange. */
	assert(input == 0 || plan->kind == INPUT_EXCHANGE);
	in->exchange = plan->index;
	in->stream_count = topology_sources(
		fold->topology, fold->fragment, instance, input, &fold->sources, &in->streams);
	if (input > 0)
		in->build = join_build_new(plan_fragment_join(fold->plan, input),
			whole->exchanges[plan->index].column_count,
			whole->exchanges[plan->index].types);
}

/* Moves the cursor to the next stream that exists, across inputs. */
static void settle_cursor(struct fold *fold)
{
	while (fold->input < fold->input_count &&
		fold->source == fold->inputs[fold->input].stream_count) {
		fold->source = 0;
		fold->number = 1;
		if (fold->input == 0)
			fold->input = fold->input_count;
		else
			fold->input = fold->input + 1 < fold->input_count ? fold->input + 1 : 0;
	}
}

struct fold *fold_new(const struct topology *topology, uint64_t job, uint32_t fragment,
	uint32_t instance, size_t packet_bytes)
{
	struct fold *fold = memory_zalloc(sizeof(*fold));

	assert(fragment < topology->plan->fragment_count);
	assert(instance < topology_instances(topology, fragment));
	assert(packet_bytes > 0);
	fold->sink.emit = fold_emit;
	fold->topology = topology;
	fold->fragment = fragment;
	fold->plan = &topology->plan->fragments[fragment];
	fold->stream = flow_stream_fragment(fragment, instance);
	fold->packet_bytes = packet_bytes;
	arena_init(&fold->sources, 4096);
	arena_init(&fold->arena, ARENA_BLOCK);
	fold->input_count = fold->plan->input_count;
	fold->inputs = memory_zalloc(fold->input_count * sizeof(*fold->inputs));
	for (uint32_t i = 0; i < fold->input_count; i++)
		init_input(fold, i, instance);
	fold->packer = packer_new(topology, job, fold->stream);
	fold->input = fold->input_count > 1 ? 1 : 0;
	fold->number = 1;
	settle_cursor(fold);
	return fold;
}

void fold_free(struct fold *fold)
{
	if (!fold)
		return;
	pipeline_free(fold->pipeline);
	packer_free(fold->packer);
	for (uint32_t i = 0; i < fold->input_count; i++)
		join_build_free(fold->inputs[i].build);
	free(fold->inputs);
	arena_release(&fold->sources);
	arena_release(&fold->arena);
	free(fold);
}

uint32_t fold_holders(const struct plan_fragment *fragment)
{
	uint32_t holders = fragment->input_count - 1; /* build sides */

	for (uint32_t i = 0; i < fragment->op_count; i++) {
		switch (fragment->ops[i]->kind) {
		case PLAN_GROUP:
		case PLAN_TOP:
		case PLAN_WINDOW:
		case PLAN_RECURSION: holders++; break;
		case PLAN_FILTER:
		case PLAN_PROJECT:
		case PLAN_JOIN:
		case PLAN_UNNEST:
		case PLAN_LIMIT: break;
		}
	}
	return holders;
}

void fold_work_with(struct fold *fold, size_t limit, struct memory_budget *node,
	struct spill_store *spill, const char *set_by)
{
	assert(fold->fed_count == 0 && !fold->pipeline);
	fold->budget.limit = limit;
	fold->budget.whole = node;
	fold->budget.has_own_limit = !MUTANT(MEMORY_OF_ALL_JOBS);
	fold->budget.set_by = set_by;
	fold->memory = (struct op_memory){&fold->budget, spill};
	for (uint32_t i = 1; i < fold->input_count; i++)
		join_build_work_with(fold->inputs[i].build, &fold->memory, JOIN_BUILD_SPILLS);
}

size_t fold_memory(const struct fold *fold)
{
	return atomic_load_explicit(&fold->budget.held, memory_order_relaxed);
}

const struct plan_fragment *fold_fragment(const struct fold *fold)
{
	return fold->plan;
}

flow_stream fold_stream(const struct fold *fold)
{
	return fold->stream;
}

uint32_t fold_input_count(const struct fold *fold)
{
	return fold->input_count;
}

const flow_stream *fold_sources(const struct fold *fold, uint32_t input, uint32_t *count)
{
	assert(input < fold->input_count);
	*count = fold->inputs[input].stream_count;
	return fold->inputs[input].streams;
}

bool fold_wants(const struct fold *fold, flow_stream *stream, uint32_t *number, uint32_t *input)
{
	if (fold->input == fold->input_count)
		return false;
	*stream = fold->inputs[fold->input].streams[fold->source];
	*number = fold->number;
	*input = fold->input;
	return true;
}

void fold_taken(struct fold *fold)
{
	assert(fold->input < fold->input_count);
	fold->number++;
}

void fold_skip(struct fold *fold)
{
	assert(fold->input < fold->input_count);
	fold->source++;
	fold->number = 1;
	settle_cursor(fold);
}

bool fold_is_full(const struct fold *fold)
{
	const struct plan_op *first = fold->plan->op_count > 0 ? fold->plan->ops[0] : NULL;

	/* What comes on other inputs is for operators behind the limit. */
	return first && first->kind == PLAN_LIMIT && fold->input_count == 1 &&
	       first->limit.limit != PLAN_LIMIT_NONE && fold->fed_rows >= first->limit.offset &&
	       fold->fed_rows - first->limit.offset >= first->limit.limit;
}

uint64_t fold_fed(const struct fold *fold)
{
	return fold->fed_count;
}

void fold_connect(struct fold *fold, fold_send send, void *context, const atomic_bool *stop)
{
	fold->send = send;
	fold->context = context;
	fold->stop = stop;
}

/* Made late, because a join needs its build sides, and those come first. */
static int open_pipeline(struct fold *fold, struct error *err)
{
	const struct join_build **builds;
	int status;

	if (fold->pipeline)
		return 0;
	builds = memory_zalloc(fold->input_count * sizeof(*builds));
	for (uint32_t i = 1; i < fold->input_count; i++) {
		join_build_seal(fold->inputs[i].build, fold->stop);
		builds[i] = fold->inputs[i].build;
	}
	status = pipeline_new(&fold->pipeline, fold->plan, builds, &fold->sink, err);
	free(builds);
	if (!status && fold->memory.budget)
		pipeline_work_with(fold->pipeline, &fold->memory);
	return status;
}

static int feed_batch(
	struct fold *fold, uint32_t input, const struct batch *batch, struct error *err)
{
	/* A build side that somebody reads does not change any more. */
	assert(!fold->inputs[input].build || !fold->pipeline);
	if (fold->inputs[input].build)
		return join_build_add(fold->inputs[input].build, batch, err);
	if (open_pipeline(fold, err))
		return -1;
	pipeline_stop_with(fold->pipeline, fold->stop, NULL);
	fold->fed_rows += batch->selected;
	return batch->selected > 0 ? pipeline_push(fold->pipeline, batch, err) : 0;
}

/*
 * Whether the packet comes behind the one that was fed last, in the canonical order. That order is
 * what makes a second emission the same as the first.
 */
static bool is_next(const struct fold *fold, uint32_t input, const struct flow_message *packet)
{
	/* Input 0 is the last one. */
	uint32_t rank = input ? input : fold->input_count;
	uint32_t fed_rank = fold->fed_input ? fold->fed_input : fold->input_count;

	if (MUTANT(NO_DEDUP) || MUTANT(EMIT_ARRIVAL_ORDER))
		return true;
	if (fold->fed_number > 0 && input == fold->fed_input && packet->stream == fold->fed_stream)
		return packet->number == fold->fed_number + 1;
	if (packet->number != 1)
		return false;
	return fold->fed_number == 0 || rank > fed_rank ||
	       (rank == fed_rank && packet->stream > fold->fed_stream);
}

int fold_feed(
	struct fold *fold, uint32_t input, const struct flow_message *packet, struct error *err)
{
	const struct plan_exchange *exchange =
		&fold->topology->plan->exchanges[fold->inputs[input].exchange];
	const uint8_t *at, *end;
	size_t size;
	bool found = flow_packet_section(packet, fold->inputs[input].exchange, &at, &size);

	assert(packet->kind == FLOW_PACKET && !fold->finished);
	assert(is_next(fold, input, packet));
	fold->fed_input = input;
	fold->fed_stream = packet->stream;
	fold->fed_number = packet->number;
	fold->fed_count++;
	if (!found)
		return 0;
	end = at + size;
	while (at < end) {
		struct batch batch;

		arena_reset(&fold->arena);
		if (batch_decode(&at, end, exchange->column_count, exchange->types, &fold->arena,
			    &batch, err))
			return -1;
		if (feed_batch(fold, input, &batch, err))
			return plan_error_prefix(fold->topology->plan, fold->plan, err);
	}
	return 0;
}

int fold_finish(struct fold *fold, uint32_t *total, struct error *err)
{
	static const struct batch one_row = {.rows = 1, .selected = 1};
	int status;

	assert(!fold->finished);
	if (open_pipeline(fold, err))
		return -1;
	pipeline_stop_with(fold->pipeline, fold->stop, NULL);
	status = fold->plan->inputs[0].kind == INPUT_ONE_ROW
			 ? pipeline_push(fold->pipeline, &one_row, err)
			 : 0;
	if (!status)
		status = pipeline_finish(fold->pipeline, err);
	if (!status && packer_size(fold->packer) > 0)
		status = cut_packet(fold, err);
	assert(status || packer_size(fold->packer) == 0); /* all rows are in packets */
	fold->finished = true;
	*total = fold->emitted;
	return status ? plan_error_prefix(fold->topology->plan, fold->plan, err) : 0;
}
