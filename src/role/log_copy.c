#include "role/log_copy.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/memory.h"
#include "journal/journal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER_PREFIX	 "log-"
#define FOLDER_FORMAT	 FOLDER_PREFIX "%08x"
#define NAMES_BYTES_MAX	 (16u << 20)
#define SYNC_MS		 1000u
#define SYNC_BYTES	 (1u << 20)
#define GONE_A_RECORD	 4096u
#define GONE_SIZE	 9u
#define HEAD_SIZE	 9u /* of an entry's record: kind and offset */
#define SHORTEN_FACTOR	 3u
#define RECORD_BYTES_MAX (1u << 20) /* of those that we make ourselves */

enum record_kind {
	RECORD_ENTRY = 1,
	RECORD_GONE = 2,
	RECORD_NODE = 3,
	RECORD_SHORT = 4,
	RECORD_MARK = 5
};

struct log_copy {
	struct disk *disk;
	uint64_t shorten_bytes;
	uint32_t generation;
	struct journal *journal; /* NULL: nothing is copied any more */
	bool has_mark;
	struct transport_mark mark;
	uint64_t bytes;	      /* of all records */
	uint64_t short_bytes; /* of those when it was made short the last time */
	uint64_t synced_ms;
};

static void folder_name(uint32_t generation, char name[DISK_PATH_MAX])
{
	snprintf(name, DISK_PATH_MAX, FOLDER_FORMAT, generation);
}

/* Whatever was wrong with the disk: it is a copy, and the node lives without it. */
static void end_copy(struct log_copy *copy)
{
	journal_close(copy->journal);
	copy->journal = NULL;
	copy->has_mark = false;
	copy->bytes = copy->short_bytes = 0;
}

/* --- reading -------------------------------------------------------------------------------------
 */

/* What a replay fills. */
struct copy_reading {
	struct log_copy *copy;
	struct ledger *ledger;
	uint64_t now_ms;
	bool unfinished; /* a short form whose mark is yet to come */
};

static void read_entry(struct copy_reading *reading, struct bytes_reader *reader)
{
	struct log_copy *copy = reading->copy;
	uint64_t offset = bytes_take_u64(reader);
	size_t size = bytes_left(reader);
	struct ledger_change change;
	struct error ignored;

	copy->has_mark = true;
	copy->mark = (struct transport_mark){offset, hash_bytes(reader->at, size)};
	/* What makes no sense was ignored when it came from the log, too. */
	(void)!ledger_apply(
		reading->ledger, offset, reader->at, size, reading->now_ms, &change, &ignored);
	if (change.job && change.job->state == JOB_GONE)
		ledger_forget(reading->ledger, change.job);
	reader->at = reader->end;
}

static void read_gone(struct copy_reading *reading, struct bytes_reader *reader)
{
	while (bytes_left(reader) >= GONE_SIZE) {
		uint64_t job = bytes_take_u64(reader);

		ledger_recall_gone(reading->ledger, job, bytes_take_u8(reader) != 0);
	}
}

static void read_node(struct copy_reading *reading, struct bytes_reader *reader)
{
	struct ledger_node node = {.started_ms = reading->now_ms};

	node.node = bytes_take_u32(reader);
	node.incarnation = bytes_take_u64(reader);
	node.starts = bytes_take_u64(reader);
	ledger_recall_node(reading->ledger, &node);
}

static void read_mark(struct copy_reading *reading, struct bytes_reader *reader)
{
	struct log_copy *copy = reading->copy;

	copy->has_mark = true;
	copy->mark.offset = bytes_take_u64(reader);
	copy->mark.hash = bytes_take_u64(reader);
	copy->short_bytes = copy->bytes;
	reading->unfinished = false;
}

static int read_record(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct copy_reading *reading = context;
	struct bytes_reader reader;

	(void)position;
	bytes_reader_init(&reader, bytes, size);
	reading->copy->bytes += size;
	switch (bytes_take_u8(&reader)) {
	case RECORD_ENTRY:
		if (bytes_left(&reader) >= sizeof(uint64_t))
			read_entry(reading, &reader);
		break;
	case RECORD_GONE: read_gone(reading, &reader); break;
	case RECORD_NODE: read_node(reading, &reader); break;
	case RECORD_SHORT: reading->unfinished = true; break;
	case RECORD_MARK: read_mark(reading, &reader); break;
	default: break;
	}
	if (bytes_ended_well(&reader))
		return 0;
	return error_set(err, ERROR_DATA, "the copy of the log has a record that makes no sense");
}

/* Whether the copy is that generation now. Else the ledger is a new one. */
static bool open_generation(
	struct log_copy *copy, uint32_t generation, uint64_t now_ms, struct ledger **ledger)
{
	struct copy_reading reading = {.copy = copy, .ledger = *ledger, .now_ms = now_ms};
	char folder[DISK_PATH_MAX];
	struct error ignored;

	assert(!copy->journal && !copy->has_mark && copy->bytes == 0);
	folder_name(generation, folder);
	copy->generation = generation;
	if (journal_open(&copy->journal, copy->disk, folder, NULL, read_record, &reading,
		    &ignored) == 0 &&
		copy->has_mark && !reading.unfinished)
		return true;
	end_copy(copy);
	ledger_free(*ledger);
	*ledger = ledger_new();
	return false;
}

static bool parse_generation(const char *name, uint32_t *generation)
{
	char again[DISK_PATH_MAX];

	if (strncmp(name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
		return false;
	*generation = (uint32_t)strtoul(name + strlen(FOLDER_PREFIX), NULL, 16);
	folder_name(*generation, again);
	return strcmp(name, again) == 0;
}

bool log_copy_is_folder(const char *name)
{
	uint32_t generation;

	return parse_generation(name, &generation);
}

int log_copy_verify(struct disk *disk, const char *name, struct ledger **ledger,
	struct journal_summary *summary, bool *is_whole, struct error *err)
{
	struct log_copy copy = {.disk = disk};
	struct copy_reading reading = {.copy = &copy};
	int status;

	*ledger = reading.ledger = ledger_new();
	status = journal_verify(disk, name, false, read_record, &reading, summary, err);
	*is_whole = !status && copy.has_mark && !reading.unfinished;
	return status;
}

/* The first that can be read whole: one behind it may have been in the making. */
static void open_any(struct log_copy *copy, uint64_t now_ms, struct ledger **ledger)
{
	struct error ignored;
	struct buf names;
	uint32_t generation;

	buf_init(&names, NAMES_BYTES_MAX);
	if (disk_list(copy->disk, "", &names, &ignored))
		names.size = 0;
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		if (!parse_generation(names.data + at, &generation))
			continue;
		if (copy->journal || !open_generation(copy, generation, now_ms, ledger))
			(void)!journal_remove(copy->disk, names.data + at, &ignored);
	}
	buf_release(&names);
}

struct log_copy *log_copy_open(
	struct disk *disk, uint64_t shorten_bytes, uint64_t now_ms, struct ledger **ledger)
{
	struct log_copy *copy = memory_zalloc(sizeof(*copy));
	char folder[DISK_PATH_MAX];
	struct error ignored;

	copy->disk = disk;
	copy->shorten_bytes = shorten_bytes ? shorten_bytes : LOG_COPY_SHORTEN_BYTES_DEFAULT;
	copy->synced_ms = now_ms;
	*ledger = ledger_new();
	open_any(copy, now_ms, ledger);
	if (copy->journal)
		return copy;
	copy->generation++;
	folder_name(copy->generation, folder);
	if (journal_open(&copy->journal, disk, folder, NULL, NULL, NULL, &ignored))
		copy->journal = NULL;
	return copy;
}

void log_copy_close(struct log_copy *copy)
{
	if (!copy)
		return;
	journal_close(copy->journal);
	free(copy);
}

const struct transport_mark *log_copy_mark(const struct log_copy *copy)
{
	return copy->has_mark ? &copy->mark : NULL;
}

/* --- writing -------------------------------------------------------------------------------------
 */

void log_copy_add(struct log_copy *copy, uint64_t offset, const void *bytes, size_t size)
{
	uint8_t head[HEAD_SIZE] = {RECORD_ENTRY};
	const struct disk_piece pieces[] = {{head, sizeof(head)}, {bytes, size}};
	journal_position position;
	struct error ignored;

	if (!copy->journal)
		return;
	for (uint32_t i = 0; i < sizeof(offset); i++)
		head[1 + i] = (uint8_t)(offset >> (8 * i));
	if (journal_append(copy->journal, pieces, 2, &position, &ignored)) {
		/* Nothing may follow what is missing. */
		end_copy(copy);
		return;
	}
	copy->has_mark = true;
	copy->mark = (struct transport_mark){offset, hash_bytes(bytes, size)};
	copy->bytes += sizeof(head) + size;
	assert(copy->bytes >= copy->short_bytes);
}

void log_copy_discard(struct log_copy *copy)
{
	char folder[DISK_PATH_MAX];
	struct error ignored;

	end_copy(copy);
	folder_name(copy->generation, folder);
	(void)!journal_remove(copy->disk, folder, &ignored);
}

/* --- making it short -----------------------------------------------------------------------------
 */

struct shortening {
	const struct ledger *ledger; /* what is over */
	struct journal *to;
	struct ledger *nodes; /* as they were before the first entry that is kept */
	bool keeps;	      /* there was one */
	uint64_t bytes_read;  /* of all records of the generation before */
	uint64_t bytes;
	struct buf record;
};

static int write_record(struct shortening *to, struct error *err)
{
	struct disk_piece piece = {to->record.data, to->record.size};
	journal_position position;

	to->bytes += to->record.size;
	return journal_append(to->to, &piece, 1, &position, err);
}

static void start_record(struct shortening *to, enum record_kind kind)
{
	buf_clear(&to->record);
	bytes_put_u8(&to->record, kind);
}

static int add_gone(struct shortening *to, const struct job *job, struct error *err)
{
	bytes_put_u64(&to->record, job->id);
	bytes_put_u8(&to->record, job_has_expired(job));
	if (to->record.size < 1 + GONE_A_RECORD * GONE_SIZE)
		return 0;
	if (write_record(to, err))
		return -1;
	start_record(to, RECORD_GONE);
	return 0;
}

static int write_gone(struct shortening *to, struct error *err)
{
	const struct job *job = NULL;

	start_record(to, RECORD_GONE);
	while ((job = ledger_next_forgotten(to->ledger, job)) != NULL)
		if (add_gone(to, job, err))
			return -1;
	while ((job = ledger_next(to->ledger, job)) != NULL)
		if (job->state == JOB_GONE && add_gone(to, job, err))
			return -1;
	return to->record.size > 1 ? write_record(to, err) : 0;
}

static int write_nodes(struct shortening *to, struct error *err)
{
	struct ledger_node node;

	for (uint32_t i = 0; ledger_node(to->nodes, i, &node); i++) {
		start_record(to, RECORD_NODE);
		bytes_put_u32(&to->record, node.node);
		bytes_put_u64(&to->record, node.incarnation);
		bytes_put_u64(&to->record, node.starts);
		if (write_record(to, err))
			return -1;
	}
	return 0;
}

/* An entry that opened a job in vain, when there was no room, is over like those of gone jobs. */
static bool is_over(const struct shortening *to, const struct flow_event *event, uint64_t offset)
{
	const struct job *job;

	if (event->kind == FLOW_NODE_UP)
		return !to->keeps;
	if (event->kind == FLOW_BEGUN || event->kind == FLOW_DOUBTED)
		return event->kind == FLOW_DOUBTED;
	job = ledger_find(to->ledger, event->job);
	return !job || job->state == JOB_GONE || offset < job->opened_offset;
}

static int keep_entry(struct shortening *to, const void *bytes, size_t size, struct error *err)
{
	struct disk_piece piece = {bytes, size};
	journal_position position;

	if (!to->keeps && write_nodes(to, err))
		return -1;
	to->keeps = true;
	to->bytes += size;
	return journal_append(to->to, &piece, 1, &position, err);
}

/* One record of the generation that is made short. */
static int shorten_record(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct shortening *to = context;
	struct copy_reading nodes = {.ledger = to->nodes};
	struct ledger_change change;
	struct bytes_reader reader;
	struct flow_event event;
	struct error ignored;
	uint64_t offset;
	uint8_t kind;

	(void)position;
	to->bytes_read += size;
	bytes_reader_init(&reader, bytes, size);
	kind = bytes_take_u8(&reader);
	if (kind == RECORD_NODE)
		read_node(&nodes, &reader);
	if (kind != RECORD_ENTRY)
		return 0;
	offset = bytes_take_u64(&reader);
	if (flow_event_decode(reader.at, bytes_left(&reader), &event, &ignored))
		return 0;
	if (!is_over(to, &event, offset))
		return keep_entry(to, bytes, size, err);
	if (event.kind == FLOW_NODE_UP)
		return ledger_apply(
			to->nodes, offset, reader.at, bytes_left(&reader), 0, &change, err);
	return 0;
}

static int write_mark(struct shortening *to, const struct transport_mark *mark, struct error *err)
{
	if (!to->keeps && write_nodes(to, err))
		return -1;
	start_record(to, RECORD_MARK);
	bytes_put_u64(&to->record, mark->offset);
	bytes_put_u64(&to->record, mark->hash);
	return write_record(to, err);
}

/* The old generation is read again from its beginning, and stays open for writing. */
static int write_short(struct log_copy *copy, struct shortening *to, struct error *err)
{
	char folder[DISK_PATH_MAX];

	/* A short form says how far the log was read, and is made of what is on the disk. */
	assert(copy->has_mark && journal_unsynced(copy->journal) == 0);
	folder_name(copy->generation + 1, folder);
	if (journal_remove(copy->disk, folder, err) ||
		journal_open(&to->to, copy->disk, folder, NULL, NULL, NULL, err))
		return -1;
	start_record(to, RECORD_SHORT);
	if (write_record(to, err) || write_gone(to, err))
		return -1;
	folder_name(copy->generation, folder);
	journal_close(copy->journal);
	if (journal_open(&copy->journal, copy->disk, folder, NULL, shorten_record, to, err)) {
		copy->journal = NULL;
		end_copy(copy);
		return -1;
	}
	/* Somebody has damaged it: the mark would stand behind entries that are not there. */
	if (to->bytes_read != copy->bytes) {
		log_copy_discard(copy);
		return error_set(err, ERROR_DATA, "the copy of the log has lost records");
	}
	return write_mark(to, &copy->mark, err) || journal_sync(to->to, err) ? -1 : 0;
}

static void shorten(struct log_copy *copy, const struct ledger *ledger)
{
	struct shortening to = {.ledger = ledger, .nodes = ledger_new()};
	char folder[DISK_PATH_MAX];
	struct error ignored;

	buf_init(&to.record, RECORD_BYTES_MAX);
	if (write_short(copy, &to, &ignored) == 0) {
		/* Never remove the old generation before the new one is on the disk. */
		assert(journal_unsynced(to.to) == 0 && to.bytes > 0);
		journal_close(copy->journal);
		folder_name(copy->generation, folder);
		(void)!journal_remove(copy->disk, folder, &ignored);
		copy->generation++;
		copy->journal = to.to;
		copy->bytes = copy->short_bytes = to.bytes;
	} else {
		/* Another time; until then the old one grows on. */
		journal_close(to.to);
		folder_name(copy->generation + 1, folder);
		(void)!journal_remove(copy->disk, folder, &ignored);
		copy->short_bytes = copy->bytes;
	}
	ledger_free(to.nodes);
	buf_release(&to.record);
	assert(copy->short_bytes == copy->bytes); /* the next time is when it has grown by much */
}

void log_copy_on_tick(struct log_copy *copy, const struct ledger *ledger, uint64_t now_ms)
{
	struct error ignored;

	if (!copy->journal || (now_ms - copy->synced_ms < SYNC_MS &&
				      journal_unsynced(copy->journal) < SYNC_BYTES))
		return;
	copy->synced_ms = now_ms;
	if (journal_unsynced(copy->journal) > 0 && journal_sync(copy->journal, &ignored)) {
		end_copy(copy);
		return;
	}
	if (copy->has_mark && copy->bytes >= copy->shorten_bytes &&
		copy->bytes >= SHORTEN_FACTOR * copy->short_bytes)
		shorten(copy, ledger);
}
