/*
 * Packets in any order, twice and through a journal: a node folds each once, in the one order, and
 * gives out the same packets. A journal that does not give back what it was given is an error.
 */
#include "flow/inbox.h"
#include "flow/packer.h"
#include "plan/plan_codec.h"

#include "base/rng.h"
#include "unit/sql/sql_fixture.h"

#define JOB	77u
#define PACKETS 12u

struct outcome {
	uint32_t ended;
	uint32_t total;
	struct buf sent; /* all packets, one behind the other */
};

struct inbox_fixture {
	struct fixture sql;
	struct ledger *ledger;
	struct job *job;
	struct inbox_cache cache;
	struct inbox *inbox;
	struct buf packets[PACKETS + 1];  /* for node 0, by number */
	struct buf *journal[PACKETS + 1]; /* by position */
	uint32_t journal_size;
	uint64_t offset;
	struct outcome outcome;
	struct error err;
};

static void apply(struct inbox_fixture *f, const struct flow_event *event)
{
	struct ledger_change change;
	struct buf entry;

	buf_init(&entry, PLAN_BYTES_MAX);
	flow_event_encode(event, &entry);
	assert_int_equal(ledger_apply(f->ledger, ++f->offset, entry.data, entry.size, 1000, &change,
				 &f->err),
		0);
	buf_release(&entry);
}

static void open_job(struct inbox_fixture *f)
{
	struct flow_event event = {
		.kind = FLOW_OPENED, .job = JOB, .engine = FLOW_ENGINE, .reducers = 1};
	struct buf plan;

	fixture_init(&f->sql);
	fixture_compile(
		&f->sql, "SELECT store_id, sum(final_amount) FROM transactions GROUP BY store_id");
	buf_init(&plan, PLAN_BYTES_MAX);
	assert_int_equal(plan_encode(f->sql.plan, &f->sql.catalog, &plan, &f->err), 0);
	event.plan = (const uint8_t *)plan.data;
	event.plan_size = plan.size;
	f->ledger = ledger_new();
	apply(f, &event);
	f->job = ledger_find(f->ledger, JOB);
	assert_int_equal(f->job->state, JOB_OPEN);
	buf_release(&plan);
}

static int keep_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	(void)err;
	if (node == 0)
		buf_append(context, bytes, size);
	return 0;
}

/* The table's packets. They have no rows: what counts here is who takes which, and when. */
static void make_packets(struct inbox_fixture *f)
{
	struct packer *packer = packer_new(&f->job->topology, JOB, flow_stream_table(0));

	for (uint32_t number = 1; number <= PACKETS; number++) {
		struct buf *packet = &f->packets[number];

		buf_init(packet, 1 << 20);
		packer_start(packer, number);
		assert_int_equal(packer_cut(packer, keep_packet, packet, &f->err), 0);
	}
	packer_free(packer);
}

static int io_read(void *context, uint64_t position, struct buf *out, struct error *err)
{
	struct inbox_fixture *f = context;

	(void)err;
	assert_in_range(position, 1, f->journal_size);
	buf_clear(out);
	buf_append(out, f->journal[position]->data, f->journal[position]->size);
	return 0;
}

static int io_send(void *context, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err)
{
	struct inbox_fixture *f = context;

	(void)stream;
	(void)number;
	(void)node;
	(void)err;
	buf_append(&f->outcome.sent, bytes, size);
	return 0;
}

static void io_start(void *context, struct fold_work *work)
{
	struct inbox_fixture *f = context;

	fold_work_run(work, io_send, f, NULL);
	assert_int_equal(inbox_done(f->inbox, work, &f->err), 0);
}

static void io_ended(void *context, flow_stream stream, uint32_t total)
{
	struct inbox_fixture *f = context;

	(void)stream;
	f->outcome.ended++;
	f->outcome.total = total;
}

static void setup(struct inbox_fixture *f, size_t held_max)
{
	struct inbox_io io = {.read = io_read, .start = io_start, .ended = io_ended, .context = f};

	memset(f, 0, sizeof(*f));
	open_job(f);
	make_packets(f);
	f->cache.held_max = held_max;
	buf_init(&f->outcome.sent, 1 << 24);
	f->inbox = inbox_new(f->job, 0, 256, &f->cache, &io);
}

static void teardown(struct inbox_fixture *f)
{
	inbox_free(f->inbox);
	assert_int_equal(f->cache.held, 0);
	for (uint32_t i = 1; i <= PACKETS; i++)
		buf_release(&f->packets[i]);
	buf_release(&f->outcome.sent);
	ledger_free(f->ledger);
	fixture_release(&f->sql);
}

/* As a node does: what is new goes to the journal, and is then absorbed. */
static int deliver(struct inbox_fixture *f, uint32_t number)
{
	struct buf *bytes = &f->packets[number];
	struct flow_message packet;

	assert_int_equal(flow_message_decode(bytes->data, bytes->size, &packet, &f->err), 0);
	if (inbox_judge(f->inbox, &packet) != INBOX_NEW)
		return 0;
	f->journal[++f->journal_size] = bytes;
	return inbox_absorb(f->inbox, &packet, bytes->data, bytes->size, f->journal_size, &f->err);
}

static void close_table(struct inbox_fixture *f)
{
	struct flow_event event = {
		.kind = FLOW_CLOSED, .job = JOB, .stream = flow_stream_table(0), .total = PACKETS};

	apply(f, &event);
	assert_int_equal(inbox_advance(f->inbox, &f->err), 0);
}

static void test_any_order(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct inbox_fixture f;
		struct rng rng;

		rng_init(&rng, seed);
		setup(&f, seed % 2 ? 0 : 1 << 20);
		while (f.journal_size < PACKETS)
			assert_int_equal(deliver(&f, 1 + (uint32_t)rng_below(&rng, PACKETS)), 0);
		assert_int_equal(f.journal_size, PACKETS); /* each once */
		assert_int_equal(f.outcome.ended, 0);
		close_table(&f);
		assert_int_equal(f.outcome.ended, 1);
		teardown(&f);
	}
}

/* The memory is full, so that packet 3 waits in the journal; and the journal mixes them up. */
static void test_journal_that_mixes_up(void **state)
{
	struct inbox_fixture f;

	(void)state;
	setup(&f, 0);
	assert_int_equal(deliver(&f, 1), 0);
	assert_int_equal(deliver(&f, 3), 0);
	f.journal[2] = &f.packets[4];
	assert_int_equal(deliver(&f, 2), -1);
	assert_int_equal(f.err.code, ERROR_DATA);
	assert_non_null(strstr(f.err.message, "damaged"));
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_journal_that_mixes_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
