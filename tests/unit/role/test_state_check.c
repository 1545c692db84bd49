/*
 * The state of a node, hurt in every way: what is damaged is found with what it costs, a repair drops
 * that alone, and nothing is damaged after it.
 */
#include "flow/ledger.h"
#include "journal/disk_sim.h"
#include "plan/plan_codec.h"
#include "role/fold_node.h"
#include "role/log_copy.h"
#include "role/result_store.h"
#include "role/state_check.h"

#include "unit/sql/sql_fixture.h"

#include <inttypes.h>

#define OPEN	0x0aaaaaaaaaaaaaaaull
#define DONE	0x0bbbbbbbbbbbbbbbull
#define FAILED	0x0cccccccccccccccull
#define UNKNOWN 0x0dddddddddddddddull
#define PACKETS 30u
#define SEEDS	3000u

static struct world {
	struct fixture sql;
	struct buf plan;
	struct disk_sim *store;
	/* What the last look found. */
	struct state_check check;
	char told[16384];
} world;

static int group_setup(void **state)
{
	struct error err;

	(void)state;
	fixture_init(&world.sql);
	fixture_compile(
		&world.sql, "SELECT store_id, count(*) FROM transactions GROUP BY store_id");
	buf_init(&world.plan, PLAN_BYTES_MAX);
	return plan_encode(world.sql.plan, &world.sql.catalog, &world.plan, &err);
}

static int group_teardown(void **state)
{
	(void)state;
	buf_release(&world.plan);
	fixture_release(&world.sql);
	return 0;
}

/* --- a node --------------------------------------------------------------------------------------
 */

static void append(struct log_copy *copy, struct ledger *ledger, uint64_t offset,
	const struct flow_event *event)
{
	struct ledger_change change;
	struct error err;
	struct buf bytes;

	buf_init(&bytes, PLAN_BYTES_MAX);
	flow_event_encode(event, &bytes);
	assert_int_equal(ledger_apply(ledger, offset, bytes.data, bytes.size, 0, &change, &err), 0);
	log_copy_add(copy, offset, bytes.data, bytes.size);
	buf_release(&bytes);
}

static void open_jobs(struct log_copy *copy, struct ledger *ledger)
{
	static const uint64_t jobs[] = {OPEN, DONE, FAILED};
	struct flow_event failed = {
		.kind = FLOW_FAILED, .job = FAILED, .code = ERROR_EVAL, .message = ""};
	struct flow_event closed = {.kind = FLOW_CLOSED, .job = DONE, .total = PACKETS};

	for (uint32_t i = 0; i < 3; i++) {
		struct flow_event event = {
			.kind = FLOW_OPENED,
			.job = jobs[i],
			.engine = FLOW_ENGINE,
			.reducers = 2,
			.plan = (const uint8_t *)world.plan.data,
			.plan_size = world.plan.size,
		};

		append(copy, ledger, i, &event);
		/* A sync each: damage to the last one alone could be a write that was cut short. */
		log_copy_on_tick(copy, ledger, 5000 * (i + 1));
	}
	append(copy, ledger, 3, &failed);
	closed.stream = job_result_stream(ledger_find(ledger, DONE), 0);
	append(copy, ledger, 4, &closed);
	assert_int_equal(ledger_find(ledger, DONE)->state, JOB_DONE);
}

static void write_packets(struct disk *disk, const char *format, uint64_t job, flow_stream stream,
	const struct journal_options *options)
{
	char folder[DISK_PATH_MAX];
	struct journal *journal;
	journal_position position;
	struct error err;
	struct buf bytes;

	snprintf(folder, sizeof(folder), format, job);
	buf_init(&bytes, 1000);
	assert_int_equal(journal_open(&journal, disk, folder, options, NULL, NULL, &err), 0);
	for (uint32_t number = 1; number <= PACKETS; number++) {
		struct flow_message packet = {
			.kind = FLOW_PACKET, .job = job, .stream = stream, .number = number};
		struct disk_piece piece;

		buf_clear(&bytes);
		flow_message_encode(&packet, &bytes);
		piece = (struct disk_piece){bytes.data, bytes.size};
		assert_int_equal(journal_append(journal, &piece, 1, &position, &err), 0);
		if (number % 7 == 0)
			assert_int_equal(journal_sync(journal, &err), 0);
	}
	assert_int_equal(journal_sync(journal, &err), 0);
	journal_close(journal);
	buf_release(&bytes);
}

static void write_state(void)
{
	static const struct journal_options marked = {.segment_bytes_max = 600, .is_marked = true};
	static const struct journal_options plain = {.segment_bytes_max = 600};
	static const uint64_t identity[2] = {7, ~7ull};
	struct generation generation = {0};
	struct disk *disk = disk_sim_open(world.store);
	struct log_copy *copy;
	struct ledger *ledger;
	struct error err;
	flow_stream result;

	copy = log_copy_open(disk, 0, 1, &ledger);
	open_jobs(copy, ledger);
	log_copy_on_tick(copy, ledger, 50000);
	result = job_result_stream(ledger_find(ledger, DONE), 0);
	log_copy_close(copy);
	ledger_free(ledger);
	write_packets(disk, JOB_FOLDER_FORMAT, OPEN, flow_stream_table(0), &marked);
	write_packets(disk, JOB_FOLDER_FORMAT, FAILED, flow_stream_table(0), &marked);
	write_packets(disk, JOB_FOLDER_FORMAT, UNKNOWN, flow_stream_table(0), &marked);
	write_packets(disk, RESULT_FOLDER_FORMAT, DONE, result, &plain);
	disk_sim_put(world.store, NODE_IDENTITY_PATH, identity, sizeof(identity));
	assert_int_equal(generation_write(&generation, disk, 3, false, &err), 0);
	assert_int_equal(generation_write(&generation, disk, 4, false, &err), 0);
	disk_sim_close(disk);
}

static int setup(void **state)
{
	(void)state;
	world.store = disk_sim_new();
	write_state();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	disk_sim_free(world.store);
	return 0;
}

/* --- looking -------------------------------------------------------------------------------------
 */

static void on_finding(void *context, const struct state_finding *finding)
{
	size_t size = strlen(world.told);

	(void)context;
	assert_true(finding->path[0] && finding->what[0] && finding->cost[0]);
	snprintf(world.told + size, sizeof(world.told) - size, "%s: %s: %s\n", finding->path,
		finding->what, finding->cost);
}

static uint64_t look(bool repairs, bool keeps_results)
{
	uint64_t changes = disk_sim_counters(world.store)->changes;
	struct error err;

	world.told[0] = '\0';
	world.check = (struct state_check){
		.disk = disk_sim_open(world.store),
		.keeps_results = keeps_results,
		.repairs = repairs,
		.tell = on_finding,
	};
	if (state_check_run(&world.check, &err))
		fail_msg("%s", err.message);
	disk_sim_close(world.check.disk);
	if (!repairs)
		assert_int_equal(disk_sim_counters(world.store)->changes, changes);
	else
		assert_int_equal(world.check.counts.repaired, world.check.counts.damaged);
	return world.check.counts.damaged;
}

static void hurt_middle(const char *path)
{
	const char *bytes;
	char *copy;
	size_t size;

	bytes = disk_sim_get(world.store, path, &size);
	assert_non_null(bytes);
	copy = malloc(size);
	memcpy(copy, bytes, size);
	copy[size / 3] ^= 16;
	disk_sim_put(world.store, path, copy, size);
	free(copy);
}

static void expect(const char *path, const char *cost, bool keeps_results)
{
	hurt_middle(path);
	assert_int_equal(look(false, keeps_results), 1);
	if (!strstr(world.told, cost))
		fail_msg("not \"%s\": %s", cost, world.told);
	assert_int_equal(look(true, keeps_results), 1);
}

static void test_clean(void **state)
{
	(void)state;
	assert_int_equal(look(false, true), 0);
	assert_int_equal(look(false, false), 0);
	assert_int_equal(look(true, true), 0);
	assert_int_equal(world.check.counts.journals, 5);
	assert_int_equal(world.check.counts.records, 4 * PACKETS + 5);
	assert_int_equal(world.check.counts.open_jobs, 1);
	assert_int_equal(world.check.counts.done_jobs, 1);
}

/* A process that was just making it, or a machine that lost power then. */
static void test_a_mark_without_content(void **state)
{
	char path[DISK_PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), JOB_FOLDER_FORMAT JOURNAL_MARK_SUFFIX, (unsigned long)OPEN);
	disk_sim_put(world.store, path, "", 0);
	assert_int_equal(look(false, false), 0);
	disk_sim_put(world.store, path, "tamizmrk", 8);
	assert_int_equal(look(false, false), 1);
}

static void test_costs(void **state)
{
	char path[DISK_PATH_MAX];

	(void)state;
	snprintf(path, sizeof(path), RESULT_FOLDER_FORMAT "/segment-00000001", (unsigned long)DONE);
	expect(path, "fetched again from the collector", false);
	assert_int_equal(look(false, false), 0);
	snprintf(path, sizeof(path), JOB_FOLDER_FORMAT "/segment-00000001", (unsigned long)OPEN);
	expect(path, "job 0aaaaaaaaaaaaaaa fails", false);
	snprintf(path, sizeof(path), JOB_FOLDER_FORMAT "/segment-00000001", (unsigned long)FAILED);
	hurt_middle(path);
	/* What was dropped is missed: the next start of the node fails the job. */
	assert_int_equal(look(false, false), 2);
	assert_non_null(strstr(world.told, "job 0ccccccccccccccc is over"));
}

static void test_costs_of_small_files(void **state)
{
	(void)state;
	expect(GENERATION_PATH, "control log", false);
	assert_int_equal(look(false, false), 0);
	expect(NODE_IDENTITY_PATH, "its open jobs fail", false);
	/* A node that has run has one. */
	assert_int_equal(look(false, false), 1);
}

/* Without the log nothing is known of its jobs. */
static void test_without_the_log(void **state)
{
	char path[DISK_PATH_MAX];

	(void)state;
	expect("log-00000001/segment-00000001", "read from the broker again", false);
	assert_int_equal(look(false, false), 0);
	snprintf(path, sizeof(path), JOB_FOLDER_FORMAT "/segment-00000001", (unsigned long)UNKNOWN);
	hurt_middle(path);
	assert_int_equal(look(false, false), 1);
	assert_non_null(strstr(world.told, "if it is still open"));
}

static void test_results_of_the_collector(void **state)
{
	char path[DISK_PATH_MAX];
	struct disk *disk;
	struct error err;

	(void)state;
	snprintf(path, sizeof(path), RESULT_FOLDER_FORMAT, (unsigned long)DONE);
	disk = disk_sim_open(world.store);
	assert_int_equal(disk_remove(disk, path, &err), 0);
	disk_sim_close(disk);
	/* A gateway fetches it; the collector had it. */
	assert_int_equal(look(false, false), 0);
	assert_int_equal(look(false, true), 1);
	assert_non_null(strstr(world.told, "the results of job 0bbbbbbbbbbbbbbb are lost"));
}

/* Content of another job, with all its checksums right. */
static void test_content_of_another_job(void **state)
{
	char path[DISK_PATH_MAX], other[DISK_PATH_MAX];
	const char *bytes;
	char *copy;
	size_t size;

	(void)state;
	for (uint32_t segment = 1; segment < 10; segment++) {
		snprintf(path, sizeof(path), RESULT_FOLDER_FORMAT "/segment-%08u",
			(unsigned long)DONE, segment);
		snprintf(other, sizeof(other), JOB_FOLDER_FORMAT "/segment-%08u",
			(unsigned long)UNKNOWN, segment);
		bytes = disk_sim_get(world.store, other, &size);
		if (!bytes)
			break;
		copy = malloc(size);
		memcpy(copy, bytes, size);
		disk_sim_put(world.store, path, copy, size);
		free(copy);
	}
	assert_int_equal(look(false, true), 1);
	assert_non_null(strstr(world.told, "something else than its packets"));
}

/* --- anything ------------------------------------------------------------------------------------
 */

static void hurt_any(struct rng *rng)
{
	uint32_t index = (uint32_t)rng_below(rng, disk_sim_file_count(world.store));
	char path[DISK_PATH_MAX], *copy;
	const char *bytes;
	struct disk *disk;
	struct error err;
	size_t size, at;

	snprintf(path, sizeof(path), "%s", disk_sim_file_path(world.store, index));
	bytes = disk_sim_get(world.store, path, &size);
	at = (size_t)rng_below(rng, size + 1);
	copy = malloc(size + 1);
	memcpy(copy, bytes, size);
	switch (rng_below(rng, 5)) {
	case 0: copy[at] ^= (char)(1u << rng_below(rng, 8)); break;
	case 1: memset(copy + at, 0, (size_t)rng_below(rng, size - at + 1)); break;
	case 2: size = at; break;
	case 3:
		for (size_t i = at; i < size; i++)
			copy[i] = (char)rng_next(rng);
		break;
	default:
		disk = disk_sim_open(world.store);
		assert_int_equal(disk_remove(disk, path, &err), 0);
		disk_sim_close(disk);
		free(copy);
		return;
	}
	disk_sim_put(world.store, path, copy, size);
	free(copy);
}

static void test_any_damage(void **state)
{
	uint64_t found = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		bool keeps_results = seed % 2;
		struct rng rng;
		uint64_t damaged;

		rng_init(&rng, seed);
		for (uint64_t i = 1 + seed % 4; i > 0; i--)
			hurt_any(&rng);
		damaged = look(false, keeps_results);
		assert_int_equal(look(true, keeps_results), damaged);
		found += damaged > 0;
		/* What was dropped on purpose is still missed, and nothing else. */
		damaged = look(false, keeps_results);
		for (const char *line = world.told; *line; line = strchr(line, '\n') + 1)
			damaged -= strncmp(line, "job-", 4) == 0 ||
				   strncmp(line, "identity: it is missing", 23) == 0 ||
				   strncmp(line, "result-", 7) == 0;
		assert_int_equal(damaged, 0);
		disk_sim_free(world.store);
		world.store = disk_sim_new();
		write_state();
	}
	assert_true(found > SEEDS / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_clean, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_mark_without_content, setup, teardown),
		cmocka_unit_test_setup_teardown(test_costs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_costs_of_small_files, setup, teardown),
		cmocka_unit_test_setup_teardown(test_without_the_log, setup, teardown),
		cmocka_unit_test_setup_teardown(test_results_of_the_collector, setup, teardown),
		cmocka_unit_test_setup_teardown(test_content_of_another_job, setup, teardown),
		cmocka_unit_test_setup_teardown(test_any_damage, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
