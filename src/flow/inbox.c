#include "flow/inbox.h"

#include "base/interval_set.h"
#include "base/lower_bound.h"
#include "base/memory.h"
#include "base/mutant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The largest packet that can come back from the journal. */
#define PACKET_BYTES_MAX (80u << 20)
#define ENTRIES_FIRST	 16u

/* A packet that some fold has yet to take. */
struct entry {
	uint64_t position;	     /* 0: there is none */
	struct packet_bytes *packet; /* NULL: only in the journal */
	uint32_t readers_left;
};

struct inbox_stream {
	flow_stream stream;
	uint32_t readers; /* inputs of folds that take it */
	struct interval_set seen;
	uint32_t entry_count; /* numbers 1 .. entry_count - 1 */
	struct entry *entries;
};

struct inbox_fold {
	struct fold *fold;	    /* NULL: it has emitted everything */
	struct fold_work *work;	    /* under way; NULL: none */
	struct packet_bytes *again; /* a deliberate bug: what it takes twice */
};

struct inbox {
	const struct job *job;
	uint32_t node;
	struct inbox_cache *cache;
	struct inbox_io io;
	uint32_t source_count;
	struct inbox_stream *sources; /* ascending by stream */
	uint32_t fold_count;
	struct inbox_fold *folds;
	struct buf scratch; /* packets read back */
};

static struct inbox_stream *find_source(const struct inbox *inbox, flow_stream stream)
{
	uint32_t at = LOWER_BOUND(inbox->sources, inbox->source_count, stream, stream);

	if (at == inbox->source_count || inbox->sources[at].stream != stream)
		return NULL;
	return &inbox->sources[at];
}

static void add_source(struct inbox *inbox, flow_stream stream)
{
	struct inbox_stream *found = find_source(inbox, stream);
	uint32_t at = 0;

	if (found) {
		found->readers++;
		return;
	}
	inbox->sources =
		memory_realloc(inbox->sources, (inbox->source_count + 1) * sizeof(*inbox->sources));
	while (at < inbox->source_count && inbox->sources[at].stream < stream)
		at++;
	memmove(&inbox->sources[at + 1], &inbox->sources[at],
		(inbox->source_count - at) * sizeof(*inbox->sources));
	inbox->sources[at] = (struct inbox_stream){.stream = stream, .readers = 1};
	inbox->source_count++;
}

static void add_fold(struct inbox *inbox, struct fold *fold)
{
	for (uint32_t i = 0; i < fold_input_count(fold); i++) {
		uint32_t count;
		const flow_stream *streams = fold_sources(fold, i, &count);

		for (uint32_t s = 0; s < count; s++)
			add_source(inbox, streams[s]);
	}
	inbox->folds[inbox->fold_count++].fold = fold;
}

/* Of all that the job has on this node: also those that are done, so that a later life does the same. */
static uint32_t count_holders(const struct inbox *inbox)
{
	const struct plan *plan = inbox->job->plan;
	uint32_t count = 0;

	for (uint32_t f = 0; f < plan->fragment_count; f++)
		if (topology_instance_on(&inbox->job->topology, f, inbox->node) != PLAN_NONE)
			count += fold_holders(&plan->fragments[f]);
	return count;
}

static void share_memory(const struct inbox *inbox)
{
	const struct job *job = inbox->job;
	bool collects = inbox->node == topology_collector(&job->topology);
	uint64_t memory = collects ? job->collector_memory : job->reducer_memory;
	uint32_t holders = count_holders(inbox);

	for (uint32_t i = 0; i < inbox->fold_count && memory > 0; i++) {
		struct fold *fold = inbox->folds[i].fold;
		uint32_t own = fold_holders(fold_fragment(fold));

		if (own > 0)
			fold_work_with(fold, (size_t)(memory * own / holders), inbox->io.memory,
				inbox->io.spill,
				collects ? "memory in [collector] of the cluster file"
					 : "memory in [reducer] of the cluster file");
	}
}

struct inbox *inbox_new(const struct job *job, uint32_t node, size_t packet_bytes,
	struct inbox_cache *cache, const struct inbox_io *io)
{
	const struct topology *topology = &job->topology;
	struct inbox *inbox = memory_zalloc(sizeof(*inbox));
	uint32_t total;

	assert(job->state == JOB_OPEN && node < topology_nodes(topology));
	inbox->job = job;
	inbox->node = node;
	inbox->cache = cache;
	inbox->io = *io;
	inbox->folds = memory_zalloc((job->plan->fragment_count + 1) * sizeof(*inbox->folds));
	buf_init(&inbox->scratch, PACKET_BYTES_MAX);
	for (uint32_t f = 0; f < job->plan->fragment_count; f++) {
		uint32_t instance = topology_instance_on(topology, f, node);

		if (instance == PLAN_NONE ||
			job_stream_total(job, flow_stream_fragment(f, instance), &total))
			continue;
		add_fold(inbox, fold_new(topology, job->id, f, instance, packet_bytes));
	}
	share_memory(inbox);
	return inbox;
}

static void entry_drop_bytes(struct inbox *inbox, struct entry *entry)
{
	if (!entry->packet)
		return;
	assert(inbox->cache->held >= entry->packet->size);
	inbox->cache->held -= entry->packet->size;
	packet_bytes_drop(entry->packet);
	entry->packet = NULL;
}

void inbox_free(struct inbox *inbox)
{
	if (!inbox)
		return;
	for (uint32_t s = 0; s < inbox->source_count; s++) {
		struct inbox_stream *source = &inbox->sources[s];

		for (uint32_t i = 0; i < source->entry_count; i++)
			entry_drop_bytes(inbox, &source->entries[i]);
		free(source->entries);
		interval_set_release(&source->seen);
	}
	for (uint32_t i = 0; i < inbox->fold_count; i++) {
		packet_bytes_drop(inbox->folds[i].again);
		/* A fold that is at work belongs to the work. */
		if (!inbox->folds[i].work)
			fold_free(inbox->folds[i].fold);
	}
	free(inbox->sources);
	free(inbox->folds);
	buf_release(&inbox->scratch);
	free(inbox);
}

/* The set in which a packet of the source is looked up. */
static struct interval_set *seen_of(const struct inbox *inbox, struct inbox_stream *source)
{
	return MUTANT(KEY_WITHOUT_PRODUCER) ? &inbox->sources[0].seen : &source->seen;
}

enum inbox_verdict inbox_judge(const struct inbox *inbox, const struct flow_message *packet)
{
	struct inbox_stream *source = find_source(inbox, packet->stream);

	if (!source)
		return INBOX_USELESS;
	if (interval_set_has(seen_of(inbox, source), packet->number) && !MUTANT(NO_DEDUP))
		return INBOX_SEEN;
	return INBOX_NEW;
}

static struct entry *source_entry(struct inbox_stream *source, uint32_t number)
{
	if (number >= source->entry_count) {
		uint32_t count = source->entry_count ? source->entry_count : ENTRIES_FIRST;

		while (count <= number)
			count *= 2;
		source->entries = memory_realloc(source->entries, count * sizeof(struct entry));
		memset(source->entries + source->entry_count, 0,
			(count - source->entry_count) * sizeof(struct entry));
		source->entry_count = count;
	}
	return &source->entries[number];
}

/* The packet is on disk alone: it comes back as it was journaled, or not at all. */
static int read_back(struct inbox *inbox, const struct inbox_stream *source,
	const struct entry *entry, struct packet_bytes **packet, struct error *err)
{
	uint32_t number = (uint32_t)(entry - source->entries);
	struct buf *bytes = &inbox->scratch;
	struct flow_message message;

	if (inbox->io.read(inbox->io.context, entry->position, bytes, err) ||
		flow_message_decode(bytes->data, bytes->size, &message, err))
		return -1;
	if (message.kind != FLOW_PACKET || message.job != inbox->job->id ||
		message.stream != source->stream || message.number != number)
		return error_set(err, ERROR_DATA,
			"the journal of job %016lx is damaged: it has another packet than %u of "
			"stream %08x at %lx",
			inbox->job->id, number, source->stream, entry->position);
	*packet = packet_bytes_new(bytes->data, bytes->size);
	return 0;
}

/* The packet of an entry, from wherever it is; the caller drops it. */
static int read_entry(struct inbox *inbox, const struct inbox_stream *source,
	const struct entry *entry, struct packet_bytes **packet, struct error *err)
{
	assert(entry->position > 0 && entry->readers_left > 0);
	if (!entry->packet)
		return read_back(inbox, source, entry, packet, err);
	*packet = packet_bytes_keep(entry->packet);
	return 0;
}

static int take_entry(struct inbox *inbox, struct fold_work *work, uint32_t input,
	const struct inbox_stream *source, struct entry *entry, struct error *err)
{
	struct packet_bytes *packet = NULL;

	if (read_entry(inbox, source, entry, &packet, err))
		return -1;
	fold_work_add(work, input, packet);
	packet_bytes_drop(packet);
	fold_taken(work->fold);
	if (--entry->readers_left == 0) {
		entry_drop_bytes(inbox, entry);
		entry->position = 0;
	}
	return 0;
}

/* The entry that the fold takes next; NULL when it is not there yet. */
static struct entry *wanted_entry(struct inbox_stream *source, uint32_t number)
{
	struct entry *first = NULL;

	if (!MUTANT(EMIT_ARRIVAL_ORDER) || source->readers > 1)
		return number < source->entry_count && source->entries[number].position
			       ? &source->entries[number]
			       : NULL;
	for (uint32_t i = 1; i < source->entry_count; i++) {
		struct entry *entry = &source->entries[i];

		if (entry->position && (!first || entry->position < first->position))
			first = entry;
	}
	return first;
}

/* Gathers what the fold wants, as far as it is there. */
static int gather(struct inbox *inbox, struct fold_work *work, struct error *err)
{
	flow_stream stream;
	uint32_t number, input, total;

	while (fold_wants(work->fold, &stream, &number, &input)) {
		struct inbox_stream *source = find_source(inbox, stream);
		struct entry *entry = wanted_entry(source, number);
		bool closed = job_stream_total(inbox->job, stream, &total);

		if (entry) {
			if (fold_work_is_full(work))
				return 0;
			if (take_entry(inbox, work, input, source, entry, err))
				return -1;
		} else if ((closed && number > total) || MUTANT(EMIT_INCOMPLETE)) {
			fold_skip(work->fold);
		} else {
			return 0;
		}
	}
	work->finish = true;
	return 0;
}

/* Gives the fold what there is for it to do, unless it is at work. */
static int start(struct inbox *inbox, struct inbox_fold *at, struct error *err)
{
	struct fold_work *work;
	int status;

	if (!at->fold || at->work)
		return 0;
	work = fold_work_new(at->fold);
	if (at->again)
		fold_work_add(work, 0, at->again);
	packet_bytes_drop(at->again);
	at->again = NULL;
	/* With a limit it may have had enough long before its input has come. */
	work->finish = fold_is_full(at->fold);
	status = work->finish ? 0 : gather(inbox, work, err);
	if (status || fold_work_is_empty(work)) {
		work->fold = NULL;
		fold_work_free(work);
		return status;
	}
	at->work = work;
	inbox->io.start(inbox->io.context, work);
	return 0;
}

int inbox_done(struct inbox *inbox, struct fold_work *work, struct error *err)
{
	struct inbox_fold *at = inbox->folds;
	int status = work->status;

	while (at < inbox->folds + inbox->fold_count && at->work != work)
		at++;
	assert(at < inbox->folds + inbox->fold_count);
	assert(at->fold == work->fold);
	at->work = NULL;
	if (status)
		*err = work->error;
	if (!status && !work->finish)
		work->fold = NULL; /* it goes on */
	if (!status && work->finish) {
		flow_stream stream = fold_stream(work->fold);
		uint32_t total = work->total;

		at->fold = NULL;
		inbox->io.ended(inbox->io.context, stream,
			MUTANT(TOTAL_OFF_BY_ONE) && total > 0 ? total - 1 : total);
	}
	/* One that failed has state that nobody understands. */
	if (status)
		at->fold = NULL;
	fold_work_free(work);
	return status ? status : start(inbox, at, err);
}

int inbox_advance(struct inbox *inbox, struct error *err)
{
	for (uint32_t i = 0; i < inbox->fold_count; i++)
		if (start(inbox, &inbox->folds[i], err))
			return -1;
	return 0;
}

/* What a design that folds whatever arrives would do with a packet that comes twice. */
static void fold_again(
	struct inbox *inbox, const struct flow_message *packet, struct packet_bytes *bytes)
{
	for (uint32_t i = 0; i < inbox->fold_count; i++) {
		struct inbox_fold *at = &inbox->folds[i];
		flow_stream stream;
		uint32_t number, input;

		if (at->fold && !at->again && fold_wants(at->fold, &stream, &number, &input) &&
			stream == packet->stream && input == 0)
			at->again = packet_bytes_keep(bytes);
	}
}

/* NULL when it had been seen before. */
static struct entry *note(struct inbox *inbox, const struct flow_message *packet, uint64_t position)
{
	struct inbox_stream *source = find_source(inbox, packet->stream);
	struct entry *entry;

	assert(source && position > 0);
	assert(packet->kind == FLOW_PACKET && packet->job == inbox->job->id);
	assert(packet->number >= 1 && packet->number <= FLOW_NUMBER_MAX);
	if (!interval_set_add(seen_of(inbox, source), packet->number))
		return NULL;
	entry = source_entry(source, packet->number);
	/* What is new has never waited here. */
	assert(entry->position == 0 && entry->readers_left == 0 && !entry->packet);
	entry->position = position;
	entry->readers_left = source->readers;
	return entry;
}

void inbox_note(struct inbox *inbox, const struct flow_message *packet, uint64_t position)
{
	note(inbox, packet, position);
}

int inbox_absorb(struct inbox *inbox, const struct flow_message *packet, const void *bytes,
	size_t size, uint64_t position, struct error *err)
{
	struct entry *entry = note(inbox, packet, position);
	struct packet_bytes *copy = packet_bytes_new(bytes, size);
	int status;

	assert(inbox->job->state == JOB_OPEN);
	assert(entry || MUTANT(NO_DEDUP));
	if (entry) {
		entry->packet = packet_bytes_keep(copy);
		inbox->cache->held += copy->size;
	} else {
		fold_again(inbox, packet, copy);
	}
	packet_bytes_drop(copy);
	status = inbox_advance(inbox, err);
	/* What has to wait stays in memory only while there is room. */
	if (entry && inbox->cache->held > inbox->cache->held_max)
		entry_drop_bytes(inbox, entry);
	return status;
}

bool inbox_missing(const struct inbox *inbox, flow_stream *stream, uint32_t *number)
{
	uint32_t total;

	for (uint32_t s = 0; s < inbox->source_count; s++) {
		const struct inbox_stream *source = &inbox->sources[s];

		if (!job_stream_total(inbox->job, source->stream, &total) ||
			interval_set_is_whole(&source->seen, total))
			continue;
		*stream = source->stream;
		*number = 1;
		while (interval_set_has(&source->seen, *number))
			++*number;
		return *number <= total;
	}
	return false;
}
