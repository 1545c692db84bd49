/*
 * A node's copy of the control log: whatever happens to its disk, the ledger that comes out of it,
 * with what the log has behind its mark, is the one that the whole log gives.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "flow/ledger.h"
#include "journal/disk_sim.h"
#include "plan/plan_codec.h"
#include "role/log_copy.h"

#include "unit/sql/sql_fixture.h"

#define ENTRIES_MAX 4096
#define JOBS	    12u

struct entry {
	uint64_t offset;
	struct buf bytes;
};

static struct world {
	struct fixture sql;
	struct buf plan;
	struct rng rng;
	struct entry entries[ENTRIES_MAX];
	uint32_t entry_count;
	struct ledger *truth; /* the whole log's */

	struct disk_sim *store;
	struct disk *disk;
	struct log_copy *copy;
	struct ledger *ledger; /* the node's */
	uint32_t read;	       /* entries that it has */
	uint64_t now_ms;
	uint64_t shorten_bytes;
} world;

static int setup(void **state)
{
	struct error err;

	(void)state;
	memset(&world, 0, sizeof(world));
	fixture_init(&world.sql);
	fixture_compile(
		&world.sql, "SELECT store_id, count(*) FROM transactions GROUP BY store_id");
	buf_init(&world.plan, PLAN_BYTES_MAX);
	assert_int_equal(plan_encode(world.sql.plan, &world.sql.catalog, &world.plan, &err), 0);
	rng_init(&world.rng, 1);
	world.truth = ledger_new();
	world.store = disk_sim_new();
	world.shorten_bytes = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ledger_free(world.truth);
	for (uint32_t i = 0; i < world.entry_count; i++)
		buf_release(&world.entries[i].bytes);
	disk_sim_free(world.store);
	buf_release(&world.plan);
	fixture_release(&world.sql);
	return 0;
}

/* --- the log -------------------------------------------------------------------------------------
 */

static void read_entry(struct ledger *ledger, const struct entry *entry)
{
	struct ledger_change change;
	struct error err;

	(void)!ledger_apply(
		ledger, entry->offset, entry->bytes.data, entry->bytes.size, 0, &change, &err);
	if (change.job && change.job->state == JOB_GONE)
		ledger_forget(ledger, change.job);
}

static void append(const struct flow_event *event)
{
	struct entry *entry = &world.entries[world.entry_count];

	assert_true(world.entry_count < ENTRIES_MAX);
	entry->offset = world.entry_count ? entry[-1].offset + 1 + rng_below(&world.rng, 3) : 0;
	buf_init(&entry->bytes, PLAN_BYTES_MAX);
	flow_event_encode(event, &entry->bytes);
	world.entry_count++;
	read_entry(world.truth, entry);
}

static struct flow_event opened(uint64_t job, uint32_t jobs_max)
{
	return (struct flow_event){
		.kind = FLOW_OPENED,
		.job = job,
		.engine = FLOW_ENGINE,
		.reducers = 2,
		.jobs_max = jobs_max,
		.plan = (const uint8_t *)world.plan.data,
		.plan_size = world.plan.size,
	};
}

/* Any entry about any job, whether it makes sense or not. */
static void append_any(void)
{
	struct flow_event event = {.job = 1 + rng_below(&world.rng, JOBS)};
	const struct job *job = ledger_find(world.truth, event.job);

	switch (rng_below(&world.rng, 10)) {
	case 0:
	case 1:
	case 2: event = opened(event.job, 3); break;
	case 3:
	case 4:
		event.kind = FLOW_CLOSED;
		event.stream = rng_below(&world.rng, 2) || !job || !job->plan
				       ? flow_stream_table(0)
				       : job_result_stream(job, 0);
		event.total = 1 + (uint32_t)(rng_below(&world.rng, 20) == 0);
		break;
	case 5:
		event.kind = FLOW_FAILED;
		event.code = ERROR_EVAL;
		event.message = "it failed";
		event.message_size = 9;
		break;
	case 6: event.kind = FLOW_TOUCHED; break;
	case 7:
		event.kind = FLOW_EXPIRED;
		event.seen = job && rng_below(&world.rng, 2) ? job->last_offset : 0;
		break;
	case 8: event.kind = rng_below(&world.rng, 2) ? FLOW_CLEANED : FLOW_TOUCHED; break;
	default:
		event.kind = FLOW_NODE_UP;
		event.node = rng_below(&world.rng, 3) ? (uint32_t)rng_below(&world.rng, 3)
						      : FLOW_NODE_COLLECTOR;
		event.incarnation = rng_below(&world.rng, 8) == 0;
		break;
	}
	append(&event);
}

/* --- the node ------------------------------------------------------------------------------------
 */

static uint32_t place_after(const struct transport_mark *mark)
{
	uint32_t i = 0;

	if (!mark)
		return 0;
	while (i < world.entry_count && world.entries[i].offset != mark->offset)
		i++;
	assert_true(i < world.entry_count);
	assert_int_equal(
		hash_bytes(world.entries[i].bytes.data, world.entries[i].bytes.size), mark->hash);
	return i + 1;
}

static void start_node(void)
{
	world.disk = disk_sim_open(world.store);
	world.copy = log_copy_open(world.disk, world.shorten_bytes, world.now_ms, &world.ledger);
	world.read = place_after(log_copy_mark(world.copy));
}

static void wait_a_second(void)
{
	world.now_ms += 1000;
	log_copy_on_tick(world.copy, world.ledger, world.now_ms);
}

static void end_node(void)
{
	log_copy_close(world.copy);
	ledger_free(world.ledger);
	disk_sim_close(world.disk);
}

static void read_on(uint32_t count)
{
	for (; count > 0 && world.read < world.entry_count; count--) {
		const struct entry *entry = &world.entries[world.read++];

		read_entry(world.ledger, entry);
		log_copy_add(world.copy, entry->offset, entry->bytes.data, entry->bytes.size);
		if (rng_below(&world.rng, 4) == 0)
			world.now_ms += 1000;
		log_copy_on_tick(world.copy, world.ledger, world.now_ms);
	}
}

static void describe_job(const struct job *job, struct buf *out)
{
	buf_printf(out, "job %lu state %d opened %lu last %lu lost %d counted %d: %s\n", job->id,
		(int)job->state, job->opened_offset, job->last_offset, job->results_lost,
		job->counted, job->failure ? job->failure->message : "");
	for (uint32_t i = 0; i < job->closed_count; i++)
		buf_printf(out, "  stream %x: %u\n", job->closed[i].stream, job->closed[i].total);
}

static const char *describe(const struct ledger *ledger, struct buf *out)
{
	const struct job *job = NULL;
	struct ledger_node node;

	buf_clear(out);
	buf_printf(out, "%u open\n", ledger_open_jobs(ledger));
	while ((job = ledger_next(ledger, job)) != NULL)
		describe_job(job, out);
	while ((job = ledger_next_forgotten(ledger, job)) != NULL)
		buf_printf(out, "gone %lu: %s\n", job->id, job->failure->message);
	for (uint32_t i = 0; ledger_node(ledger, i, &node); i++)
		buf_printf(out, "node %x disk %lu starts %lu\n", node.node, node.incarnation,
			node.starts);
	buf_append_char(out, '\0');
	return out->data;
}

static void compare(void)
{
	struct buf has, must;

	read_on(UINT32_MAX);
	buf_init(&has, 1 << 20);
	buf_init(&must, 1 << 20);
	assert_string_equal(describe(world.ledger, &has), describe(world.truth, &must));
	buf_release(&has);
	buf_release(&must);
}

/* --- the tests -----------------------------------------------------------------------------------
 */

static void test_starts_where_it_was(void **state)
{
	uint64_t before;

	(void)state;
	world.shorten_bytes = 0;
	for (uint32_t i = 0; i < 50; i++)
		append_any();
	start_node();
	assert_null(log_copy_mark(world.copy));
	compare();
	wait_a_second();
	end_node();
	start_node();
	assert_int_equal(world.read, 50);
	compare();
	/* What was not synced comes from the log again. */
	append_any();
	compare();
	before = world.read;
	end_node();
	start_node();
	assert_int_equal(world.read, before - 1);
	compare();
	end_node();
}

/* Of thousands of jobs that are gone little stays. */
static void test_what_is_over_gets_short(void **state)
{
	struct flow_event gone = {.kind = FLOW_CLEANED};
	struct flow_event up = {.kind = FLOW_NODE_UP, .node = 1};
	struct flow_event event = opened(1, 0);

	(void)state;
	world.shorten_bytes = 20000;
	start_node();
	append(&event);
	for (uint64_t job = 2; job < 1000; job++) {
		event = opened(job, 0);
		gone.job = job;
		append(&event);
		append(&up);
		append(&gone);
		read_on(UINT32_MAX);
		wait_a_second();
	}
	compare();
	/* A start of a node behind the opening of a job that is not over may matter to it. */
	assert_true(disk_sim_bytes(world.store) < 3 * (998 * (9 + 30)) + 20000);
	assert_true(disk_sim_bytes(world.store) < 998 * world.plan.size / 2);
	end_node();
	start_node();
	compare();
	assert_int_equal(ledger_find(world.ledger, 1)->state, JOB_OPEN);
	assert_int_equal(ledger_find(world.ledger, 999)->state, JOB_GONE);
	end_node();
}

static void test_only_so_many_names(void **state)
{
	struct ledger *ledger = ledger_new();

	(void)state;
	for (uint64_t job = 1; job <= LEDGER_GONE_MAX + 10; job++)
		ledger_recall_gone(ledger, job, true);
	assert_null(ledger_find(ledger, 10));
	assert_non_null(ledger_find(ledger, 11));
	assert_non_null(ledger_find(ledger, LEDGER_GONE_MAX + 10));
	assert_int_equal(ledger_next_forgotten(ledger, NULL)->id, 11);
	ledger_free(ledger);
}

/*
 * A job that found no room, and then did: made short, the log must not find room for it at once, or
 * there is none for another.
 */
static void test_no_room_stays_no_room(void **state)
{
	struct flow_event event = opened(1, 1);
	struct flow_event gone = {.kind = FLOW_CLEANED, .job = 1};
	struct flow_event failed = {.kind = FLOW_FAILED, .job = 3, .code = ERROR_EVAL};

	(void)state;
	start_node();
	append(&event);
	event.job = 2;
	append(&event); /* in vain */
	append(&gone);
	event.job = 3;
	append(&event);
	append(&failed);
	event.job = 2;
	append(&event);
	for (uint32_t i = 0; i < 5; i++) {
		compare();
		wait_a_second();
		end_node();
		start_node();
	}
	assert_int_equal(ledger_find(world.ledger, 2)->state, JOB_OPEN);
	assert_int_equal(ledger_find(world.ledger, 3)->state, JOB_FAILED);
	compare();
	end_node();
}

static void test_any_log(void **state)
{
	static const uint64_t sizes[] = {1, 500, 5000, 0};
	uint32_t from_copy = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		setup(NULL);
		rng_init(&world.rng, seed);
		world.shorten_bytes = sizes[seed % 4];
		start_node();
		for (uint32_t round = 0; round < 20; round++) {
			for (uint64_t n = rng_below(&world.rng, 40); n > 0; n--)
				append_any();
			read_on((uint32_t)rng_below(&world.rng, 60));
			if (rng_below(&world.rng, 2))
				compare();
			/* Changes of the next life, or of this one's end, fail or are the last. */
			if (rng_below(&world.rng, 3) == 0)
				disk_sim_fail_after(world.store, 1 + rng_below(&world.rng, 12),
					(enum disk_sim_failure)rng_below(&world.rng, 3));
			read_on((uint32_t)rng_below(&world.rng, 10));
			if (rng_below(&world.rng, 2))
				disk_sim_crash(world.store, &world.rng);
			end_node();
			if (rng_below(&world.rng, 2))
				disk_sim_clear(world.store);
			if (rng_below(&world.rng, 3) == 0)
				disk_sim_fail_after(world.store, 1 + rng_below(&world.rng, 3),
					DISK_SIM_ERROR_ONCE);
			start_node();
			from_copy += world.read;
			/* Or it ends again before it has read anything. */
			if (rng_below(&world.rng, 2)) {
				wait_a_second();
				end_node();
				start_node();
			}
			compare();
		}
		disk_sim_clear(world.store);
		end_node();
		start_node();
		compare();
		end_node();
		teardown(NULL);
	}
	assert_true(from_copy > 100000);
}

/* A copy that is no copy is removed, and a new one begins. */
static void test_damage(void **state)
{
	static const char garbage[] = "this is not a segment of any journal at all, nor was it";

	(void)state;
	world.shorten_bytes = 0;
	for (uint32_t i = 0; i < 100; i++)
		append_any();
	disk_sim_put(world.store, "log-00000003/segment-00000001", garbage, sizeof(garbage));
	for (uint32_t i = 0; i < 2; i++) {
		start_node();
		assert_int_equal(world.read, i == 0 ? 0 : 100);
		compare();
		wait_a_second();
		end_node();
	}
	start_node();
	log_copy_discard(world.copy);
	append_any();
	compare();
	end_node();
	start_node();
	assert_int_equal(world.read, 0);
	compare();
	end_node();
}

/* What is gone is not made short: the mark would stand behind entries that are not there. */
static void test_a_loss_before_it_is_made_short(void **state)
{
	static const char path[] = "log-00000001/segment-00000001";
	size_t size;

	(void)state;
	world.shorten_bytes = 20000;
	for (uint32_t i = 0; i < 20; i++)
		append_any();
	start_node();
	compare();
	wait_a_second();
	assert_non_null(disk_sim_get(world.store, path, &size));
	disk_sim_delete(world.store, path);
	for (uint32_t i = 0; i < 300; i++) {
		append_any();
		compare();
		wait_a_second();
	}
	end_node();
	start_node();
	compare();
	end_node();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_starts_where_it_was, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_over_gets_short, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_so_many_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_room_stays_no_room, setup, teardown),
		cmocka_unit_test(test_any_log),
		cmocka_unit_test_setup_teardown(test_damage, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_a_loss_before_it_is_made_short, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
