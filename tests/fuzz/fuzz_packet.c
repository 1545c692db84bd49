/*
 * Random bytes as messages between nodes and as entries of the control log, given to what a reducer
 * holds of a job. A broken message is an error or is ignored; what is not broken is folded, and
 * what the folds send must be messages again.
 *
 * The input: a byte that chooses the node, then pieces of two bytes of size and that many bytes.
 * The first byte of a piece says what it is: a packet of one of the job's streams (with the right
 * head put before the body), any bytes as a message, or any bytes as an entry of the log.
 */
#include "flow/inbox.h"
#include "flow/message.h"
#include "plan/plan_codec.h"
#include "sql/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JOB	       42u
#define REDUCERS       2u
#define INPUT_SIZE_MAX 65536u
#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char schema[] =
	"CREATE TABLE t (a bigint, b text, c numeric, d timestamp, f float8, j text[])"
	"  WITH (files = 't.csv');"
	"CREATE TABLE u (a bigint, x int, y numeric(10,2), z text) WITH (files = 'u.csv');";

static const struct sql_text queries[] = {
	{"q1", "", "SELECT b, sum(c), avg(f), count(*), min(d), stddev(c) FROM t GROUP BY b"},
	{"q2", "", "SELECT t.a, u.z FROM t JOIN u USING (a) WHERE t.c / u.x > 1"},
	{"q3", "", "SELECT a, row_number() OVER (PARTITION BY b ORDER BY c) FROM t"},
	{"q4", "", "SELECT count(DISTINCT b), string_agg(b, ',' ORDER BY a) FROM t"},
	{"q5", "", "SELECT i, count(*) FROM t, unnest(j) AS i GROUP BY i"},
	{"q6", "",
		"SELECT * FROM u FULL JOIN (SELECT a, max(b) AS m FROM t GROUP BY a) s USING (a)"},
};

/* The entry that opens the job: made once, lives as long as the process. */
static const struct buf *opening_entry(void)
{
	static struct buf entry;
	struct flow_event event = {
		.kind = FLOW_OPENED, .job = JOB, .engine = FLOW_ENGINE, .reducers = REDUCERS};
	struct catalog catalog;
	struct arena arena;
	struct plan *plan;
	struct error err;
	struct buf bytes;

	if (entry.data)
		return &entry;
	arena_init(&arena, 1 << 16);
	buf_init(&bytes, PLAN_BYTES_MAX);
	buf_init(&entry, PLAN_BYTES_MAX);
	CHECK(sql_schema("schema", schema, &arena, &catalog, &err) == 0);
	catalog.tables[0].bytes = catalog.tables[1].bytes = 1ull << 32;
	CHECK(sql_compile(&catalog, queries, sizeof(queries) / sizeof(*queries), &arena, &plan,
		      &err) == 0);
	CHECK(plan_encode(plan, &catalog, &bytes, &err) == 0);
	event.plan = (const uint8_t *)bytes.data;
	event.plan_size = bytes.size;
	flow_event_encode(&event, &entry);
	buf_release(&bytes);
	arena_release(&arena);
	return &entry;
}

struct target {
	struct ledger *ledger;
	struct job *job;
	struct inbox *inbox;
	struct buf message;
	uint64_t position;
	uint64_t offset;
	bool failed; /* the job's rows could not be folded: its node would drop it */
};

static int io_read(void *context, uint64_t position, struct buf *out, struct error *err)
{
	(void)context;
	(void)out;
	return error_set(err, ERROR_IO, "nothing at %lu", position);
}

static int io_send(void *context, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err)
{
	struct flow_message packet;

	(void)context;
	(void)node;
	CHECK(flow_message_decode(bytes, size, &packet, err) == 0);
	CHECK(packet.kind == FLOW_PACKET && packet.job == JOB);
	CHECK(packet.stream == stream && packet.number == number);
	return 0;
}

/* Done at once: `work` is given back, and what it leads to is done as well. */
static void io_start(void *context, struct fold_work *work)
{
	struct target *target = context;
	struct error err = {0};

	fold_work_run(work, io_send, NULL, NULL);
	if (inbox_done(target->inbox, work, &err)) {
		CHECK(err.code != ERROR_NONE && err.message[0]);
		target->failed = true;
	}
}

static void io_ended(void *context, flow_stream stream, uint32_t total)
{
	(void)context;
	(void)stream;
	(void)total;
}

static void give_message(struct target *target, const void *bytes, size_t size)
{
	struct flow_message packet;
	struct error err = {0};

	if (flow_message_decode(bytes, size, &packet, &err)) {
		CHECK(err.code == ERROR_DATA && err.message[0]);
		return;
	}
	if (packet.kind != FLOW_PACKET || packet.job != JOB || target->failed ||
		target->job->state != JOB_OPEN || inbox_judge(target->inbox, &packet) != INBOX_NEW)
		return;
	if (inbox_absorb(target->inbox, &packet, bytes, size, ++target->position, &err)) {
		CHECK(err.code != ERROR_NONE && err.message[0]);
		target->failed = true;
	}
}

static void give_packet(struct target *target, const uint8_t *bytes, size_t size)
{
	struct flow_message head = {.kind = FLOW_PACKET, .job = JOB, .number = 1};

	if (size < 3)
		return;
	head.stream = bytes[0] & 1 ? flow_stream_table(bytes[0] >> 1 & 1)
				   : flow_stream_fragment(bytes[1], bytes[0] >> 1 & 1);
	head.number = 1 + bytes[2] % 8;
	buf_clear(&target->message);
	flow_message_encode(&head, &target->message);
	buf_append(&target->message, bytes + 3, size - 3);
	give_message(target, target->message.data, target->message.size);
}

static void give_entry(struct target *target, const uint8_t *bytes, size_t size)
{
	struct ledger_change change;
	struct error err = {0};

	if (ledger_apply(target->ledger, target->offset++, bytes, size, 0, &change, &err))
		CHECK(err.message[0]);
	if (target->job->state == JOB_OPEN && !target->failed && inbox_advance(target->inbox, &err))
		target->failed = true;
}

static void give_pieces(struct target *target, const uint8_t *bytes, size_t size)
{
	while (size > 2) {
		size_t piece = bytes[0] | (size_t)bytes[1] << 8;

		bytes += 2;
		size -= 2;
		piece = piece < size ? piece : size;
		if (piece > 0 && bytes[0] % 3 == 0)
			give_packet(target, bytes + 1, piece - 1);
		else if (piece > 0 && bytes[0] % 3 == 1)
			give_message(target, bytes + 1, piece - 1);
		else if (piece > 0)
			give_entry(target, bytes + 1, piece - 1);
		bytes += piece;
		size -= piece;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct buf *entry = opening_entry();
	struct inbox_cache cache = {.held_max = 1u << 24};
	struct target target = {.ledger = ledger_new()};
	struct inbox_io io = {
		.read = io_read, .start = io_start, .ended = io_ended, .context = &target};
	struct ledger_change change;
	struct error err;

	if (size < 1 || size > INPUT_SIZE_MAX) {
		ledger_free(target.ledger);
		return 0;
	}
	CHECK(ledger_apply(target.ledger, target.offset++, entry->data, entry->size, 0, &change,
		      &err) == 0);
	CHECK(change.kind == LEDGER_JOB_OPENED);
	target.job = change.job;
	buf_init(&target.message, 1u << 20);
	target.inbox = inbox_new(target.job, bytes[0] % (REDUCERS + 1), 256, &cache, &io);
	give_pieces(&target, bytes + 1, size - 1);
	inbox_free(target.inbox);
	CHECK(cache.held == 0);
	buf_release(&target.message);
	ledger_free(target.ledger);
	return 0;
}
