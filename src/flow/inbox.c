#include "flow/inbox.h"

#include "base/interval_set.h"
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
	uint64_t position; /* 0: there is none */
	uint8_t *bytes;	   /* NULL: only in the journal */
	uint32_t size;
	uint32_t readers_left;
};

struct inbox_stream {
	flow_stream stream;
	uint32_t readers; /* inputs of folds that take it */
	struct interval_set seen;
	uint32_t entry_count; /* numbers 1 .. entry_count - 1 */
	struct entry *entries;
};

struct inbox {
	const struct job *job;
	uint32_t node;
	struct inbox_cache *cache;
	struct inbox_io io;
	uint32_t source_count;
	struct inbox_stream *sources; /* ascending by stream */
	uint32_t fold_count;
	struct fold **folds; /* NULL: it has emitted everything */
	struct buf scratch;  /* packets read back */
	/* The packet that is being absorbed, and its entry. */
	const struct flow_message *fresh;
	const struct entry *fresh_entry;
};

static struct inbox_stream *find_source(const struct inbox *inbox, flow_stream stream)
{
	uint32_t low = 0, high = inbox->source_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (inbox->sources[middle].stream < stream)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == inbox->source_count || inbox->sources[low].stream != stream)
		return NULL;
	return &inbox->sources[low];
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
	inbox->folds[inbox->fold_count++] = fold;
}

struct inbox *inbox_new(const struct job *job, uint32_t node, size_t packet_bytes,
	struct inbox_cache *cache, const struct inbox_io *io)
{
	const struct topology *topology = &job->topology;
	struct inbox *inbox = memory_zalloc(sizeof(*inbox));
	uint32_t total;

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
		add_fold(inbox, fold_new(topology, job->id, f, instance, packet_bytes, io->send,
					io->context));
	}
	return inbox;
}

static void entry_drop_bytes(struct inbox *inbox, struct entry *entry)
{
	if (!entry->bytes)
		return;
	inbox->cache->held -= entry->size;
	free(entry->bytes);
	entry->bytes = NULL;
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
	for (uint32_t i = 0; i < inbox->fold_count; i++)
		fold_free(inbox->folds[i]);
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

/* The packet of an entry, from wherever it is. It lives until the next call. */
static int read_entry(struct inbox *inbox, const struct entry *entry, struct flow_message *packet,
	struct error *err)
{
	if (entry == inbox->fresh_entry) {
		*packet = *inbox->fresh;
		return 0;
	}
	if (entry->bytes)
		return flow_message_decode(entry->bytes, entry->size, packet, err);
	if (inbox->io.read(inbox->io.context, entry->position, &inbox->scratch, err))
		return -1;
	return flow_message_decode(inbox->scratch.data, inbox->scratch.size, packet, err);
}

static int feed_entry(
	struct inbox *inbox, struct fold *fold, struct entry *entry, struct error *err)
{
	struct flow_message packet;
	int status = read_entry(inbox, entry, &packet, err);

	if (!status)
		status = fold_feed(fold, &packet, err);
	if (--entry->readers_left == 0) {
		entry_drop_bytes(inbox, entry);
		entry->position = 0;
	}
	return status;
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

/* Feeds the fold as long as what it wants is there. */
static int advance_fold(struct inbox *inbox, struct fold *fold, bool *ended, struct error *err)
{
	flow_stream stream;
	uint32_t number, total;

	while (fold_wants(fold, &stream, &number)) {
		struct inbox_stream *source = find_source(inbox, stream);
		struct entry *entry = wanted_entry(source, number);
		bool closed = job_stream_total(inbox->job, stream, &total);

		if (entry) {
			if (feed_entry(inbox, fold, entry, err))
				return -1;
		} else if ((closed && number > total) || MUTANT(EMIT_INCOMPLETE)) {
			fold_skip(fold);
		} else {
			*ended = false;
			return 0;
		}
	}
	*ended = true;
	return 0;
}

/* *fold is NULL once it has emitted everything. */
static int advance_to_end(struct inbox *inbox, struct fold **fold, struct error *err)
{
	flow_stream stream;
	uint32_t total;
	bool ended;

	if (!*fold)
		return 0;
	if (advance_fold(inbox, *fold, &ended, err))
		return -1;
	if (!ended)
		return 0;
	if (fold_finish(*fold, &total, err))
		return -1;
	stream = fold_stream(*fold);
	fold_free(*fold);
	*fold = NULL;
	inbox->io.ended(inbox->io.context, stream,
		MUTANT(TOTAL_OFF_BY_ONE) && total > 0 ? total - 1 : total);
	return 0;
}

int inbox_advance(struct inbox *inbox, struct error *err)
{
	for (uint32_t i = 0; i < inbox->fold_count; i++)
		if (advance_to_end(inbox, &inbox->folds[i], err))
			return -1;
	return 0;
}

/* What a design that folds whatever arrives would do with a packet that comes twice. */
static int fold_again(struct inbox *inbox, const struct flow_message *packet, struct error *err)
{
	for (uint32_t i = 0; i < inbox->fold_count; i++) {
		struct fold *fold = inbox->folds[i];
		flow_stream stream;
		uint32_t number;

		if (fold && fold_wants(fold, &stream, &number) && stream == packet->stream)
			return fold_feed(fold, packet, err);
	}
	return 0;
}

/* Keeps what waits in memory as long as there is room. */
static void keep_bytes(struct inbox *inbox, struct entry *entry, const void *bytes, size_t size)
{
	if (!entry->position || inbox->cache->held + size > inbox->cache->held_max)
		return;
	entry->bytes = memory_alloc(size ? size : 1);
	memcpy(entry->bytes, bytes, size);
	entry->size = (uint32_t)size;
	inbox->cache->held += size;
}

/* NULL when it had been seen before. */
static struct entry *note(struct inbox *inbox, const struct flow_message *packet, uint64_t position)
{
	struct inbox_stream *source = find_source(inbox, packet->stream);
	struct entry *entry;

	assert(source && position > 0);
	if (!interval_set_add(seen_of(inbox, source), packet->number))
		return NULL;
	entry = source_entry(source, packet->number);
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
	int status;

	if (!entry) {
		/* NOLINTNEXTLINE(misc-static-assert): only a build with that bug comes here */
		assert(MUTANT(NO_DEDUP));
		return fold_again(inbox, packet, err);
	}
	inbox->fresh = packet;
	inbox->fresh_entry = entry;
	status = inbox_advance(inbox, err);
	inbox->fresh_entry = NULL;
	if (!status)
		keep_bytes(inbox, entry, bytes, size);
	return status;
}

size_t inbox_ranges(const struct inbox *inbox)
{
	size_t ranges = 0;

	for (uint32_t s = 0; s < inbox->source_count; s++)
		ranges += inbox->sources[s].seen.count;
	return ranges;
}
