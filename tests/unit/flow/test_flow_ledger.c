/* The control log's entries and what they make of jobs. */
#include "flow/ledger.h"
#include "flow/message.h"
#include "plan/plan_codec.h"

#include "unit/sql/sql_fixture.h"

#define JOB 0x1234567890abcdefu

struct log_fixture {
	struct fixture sql;
	struct ledger *ledger;
	struct buf plan;
	struct buf entry;
	uint64_t offset;
	struct ledger_change change;
	struct error err;
};

static void log_init(struct log_fixture *f)
{
	memset(f, 0, sizeof(*f));
	fixture_init(&f->sql);
	fixture_compile(&f->sql, "SELECT store_id, count(*) FROM transactions GROUP BY store_id");
	f->ledger = ledger_new();
	buf_init(&f->plan, PLAN_BYTES_MAX);
	buf_init(&f->entry, PLAN_BYTES_MAX);
	assert_int_equal(plan_encode(f->sql.plan, &f->sql.catalog, &f->plan, &f->err), 0);
}

static void log_release(struct log_fixture *f)
{
	ledger_free(f->ledger);
	buf_release(&f->plan);
	buf_release(&f->entry);
	fixture_release(&f->sql);
}

static int apply(struct log_fixture *f, const struct flow_event *event)
{
	buf_clear(&f->entry);
	flow_event_encode(event, &f->entry);
	f->offset++;
	return ledger_apply(f->ledger, f->offset, f->entry.data, f->entry.size, 1000 * f->offset,
		&f->change, &f->err);
}

static struct job *open_job(struct log_fixture *f)
{
	struct flow_event event = {
		.kind = FLOW_OPENED,
		.job = JOB,
		.engine = FLOW_ENGINE,
		.reducers = 2,
		.plan = (const uint8_t *)f->plan.data,
		.plan_size = f->plan.size,
	};

	assert_int_equal(apply(f, &event), 0);
	return ledger_find(f->ledger, JOB);
}

static void close_stream(struct log_fixture *f, flow_stream stream, uint32_t total)
{
	struct flow_event event = {
		.kind = FLOW_CLOSED, .job = JOB, .stream = stream, .total = total};

	assert_int_equal(apply(f, &event), 0);
}

static void test_life_of_a_job(void **state)
{
	struct log_fixture f;
	struct job *job;
	uint32_t total;

	(void)state;
	log_init(&f);
	job = open_job(&f);
	assert_non_null(job);
	assert_int_equal(f.change.kind, LEDGER_JOB_OPENED);
	assert_int_equal(job->state, JOB_OPEN);
	assert_ptr_equal(open_job(&f), job);
	assert_int_equal(f.change.kind, LEDGER_NOTHING);
	assert_false(job_stream_total(job, flow_stream_table(0), &total));
	close_stream(&f, flow_stream_table(0), 9);
	assert_int_equal(f.change.kind, LEDGER_JOB_CHANGED);
	assert_true(job_stream_total(job, flow_stream_table(0), &total));
	assert_int_equal(total, 9);
	close_stream(&f, flow_stream_table(0), 9);
	assert_int_equal(f.change.kind, LEDGER_NOTHING);
	assert_int_equal(job->state, JOB_OPEN);
	close_stream(&f, job_result_stream(job, 0), 1);
	assert_int_equal(job->state, JOB_DONE);
	log_release(&f);
}

static void test_two_totals_fail_the_job(void **state)
{
	struct log_fixture f;
	struct job *job;

	(void)state;
	log_init(&f);
	job = open_job(&f);
	close_stream(&f, flow_stream_table(0), 9);
	close_stream(&f, flow_stream_table(0), 8);
	assert_int_equal(job->state, JOB_FAILED);
	assert_non_null(strstr(job->failure->message, "changed"));
	log_release(&f);
}

static void test_expiry_needs_silence(void **state)
{
	struct flow_event expired = {.kind = FLOW_EXPIRED, .job = JOB};
	struct flow_event touched = {.kind = FLOW_TOUCHED, .job = JOB};
	struct log_fixture f;
	struct job *job;

	(void)state;
	log_init(&f);
	job = open_job(&f);
	expired.seen = job->last_offset;
	assert_int_equal(apply(&f, &touched), 0);
	/* Whoever wrote this entry had not read that the job was touched. */
	assert_int_equal(apply(&f, &expired), 0);
	assert_int_equal(job->state, JOB_OPEN);
	expired.seen = job->last_offset;
	assert_int_equal(apply(&f, &expired), 0);
	assert_int_equal(job->state, JOB_GONE);
	ledger_forget(f.ledger, job);
	close_stream(&f, flow_stream_table(0), 1);
	assert_int_equal(f.change.kind, LEDGER_NOTHING);
	log_release(&f);
}

static void test_a_lost_disk_fails_what_needed_it(void **state)
{
	struct flow_event up = {.kind = FLOW_NODE_UP, .node = 1, .incarnation = 5};
	struct flow_event other = {.kind = FLOW_NODE_UP, .node = 2, .incarnation = 5};
	struct log_fixture f;
	struct job *job;

	(void)state;
	log_init(&f);
	assert_int_equal(apply(&f, &up), 0);
	assert_int_equal(apply(&f, &other), 0);
	job = open_job(&f);
	assert_int_equal(apply(&f, &up), 0);
	assert_int_equal(job->state, JOB_OPEN);
	other.incarnation = 6; /* reducer 2 of a job that has two: 0 and 1 */
	assert_int_equal(apply(&f, &other), 0);
	assert_int_equal(job->state, JOB_OPEN);
	up.incarnation = 6;
	assert_int_equal(apply(&f, &up), 0);
	assert_int_equal(job->state, JOB_FAILED);
	assert_non_null(strstr(job->failure->message, "reducer 1 lost its disk"));
	log_release(&f);
}

static void test_another_version_is_refused(void **state)
{
	struct flow_event event = {.kind = FLOW_OPENED, .job = JOB, .engine = FLOW_ENGINE + 1};
	struct log_fixture f;

	(void)state;
	log_init(&f);
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_REFUSED);
	assert_int_equal(f.change.job->state, JOB_FAILED);
	log_release(&f);
}

static void test_room_for_jobs(void **state)
{
	struct flow_event event = {
		.kind = FLOW_OPENED, .engine = FLOW_ENGINE, .reducers = 2, .jobs_max = 2};
	struct flow_event failed = {.kind = FLOW_FAILED, .job = 1, .code = ERROR_EVAL};
	struct flow_event gone = {.kind = FLOW_CLEANED, .job = 1};
	struct log_fixture f;

	(void)state;
	log_init(&f);
	event.plan = (const uint8_t *)f.plan.data;
	event.plan_size = f.plan.size;
	for (event.job = 1; event.job <= 3; event.job++)
		assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_NO_ROOM);
	assert_int_equal(f.change.no_room, 3);
	assert_null(ledger_find(f.ledger, 3));
	assert_int_equal(ledger_open_jobs(f.ledger), 2);
	/* Once, however often it ends. */
	assert_int_equal(apply(&f, &failed), 0);
	assert_int_equal(apply(&f, &failed), 0);
	assert_int_equal(apply(&f, &gone), 0);
	assert_int_equal(ledger_open_jobs(f.ledger), 1);
	/* The same job may come again, and now there is room. */
	event.job = 3;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_OPENED);
	/* One of another version counts until the log says that it has failed. */
	event.job = 4;
	event.jobs_max = 0;
	event.engine++;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_REFUSED);
	assert_int_equal(ledger_open_jobs(f.ledger), 3);
	failed.job = 4;
	assert_int_equal(apply(&f, &failed), 0);
	assert_int_equal(ledger_open_jobs(f.ledger), 2);
	log_release(&f);
}

static void test_room_for_clients(void **state)
{
	enum { GREEDY = 7, OTHER = 8 };
	struct flow_event event = {.kind = FLOW_OPENED,
		.engine = FLOW_ENGINE,
		.reducers = 2,
		.jobs_max = 4,
		.client = GREEDY,
		.client_jobs_max = 2};
	struct flow_event gone = {.kind = FLOW_CLEANED, .job = 1};
	struct log_fixture f;

	(void)state;
	log_init(&f);
	event.plan = (const uint8_t *)f.plan.data;
	event.plan_size = f.plan.size;
	for (event.job = 1; event.job <= 3; event.job++)
		assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_NO_ROOM);
	assert_true(f.change.of_client);
	assert_int_equal(ledger_client_jobs(f.ledger, GREEDY), 2);
	/* There is room for another, and when one is over for the greedy one, too. */
	event.client = OTHER;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_OPENED);
	assert_int_equal(apply(&f, &gone), 0);
	event.job++;
	event.client = GREEDY;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_OPENED);
	/* Clients that are not known are not one client. */
	event.client = 0;
	event.job++;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_JOB_OPENED);
	event.job++;
	assert_int_equal(apply(&f, &event), 0);
	assert_int_equal(f.change.kind, LEDGER_NO_ROOM);
	assert_false(f.change.of_client);
	log_release(&f);
}

static void test_nonsense_is_ignored(void **state)
{
	struct flow_event stray = {.kind = FLOW_CLOSED, .job = JOB + 1};
	struct log_fixture f;
	struct job *job;

	(void)state;
	log_init(&f);
	job = open_job(&f);
	assert_int_equal(apply(&f, &stray), -1);
	stray.job = JOB;
	stray.stream = flow_stream_table(99);
	assert_int_equal(apply(&f, &stray), -1);
	assert_int_equal(ledger_apply(f.ledger, 99, "\x09garbage", 8, 0, &f.change, &f.err), -1);
	assert_int_equal(ledger_apply(f.ledger, 99, "", 0, 0, &f.change, &f.err), -1);
	assert_int_equal(job->state, JOB_OPEN);
	log_release(&f);
}

static void test_every_prefix_of_an_entry(void **state)
{
	struct flow_event event = {.kind = FLOW_CLOSED, .job = JOB, .stream = 3, .total = 4};
	struct flow_event decoded;
	struct error err;
	struct buf entry;

	(void)state;
	buf_init(&entry, 1024);
	flow_event_encode(&event, &entry);
	for (size_t size = 0; size < entry.size; size++)
		assert_int_equal(flow_event_decode(entry.data, size, &decoded, &err), -1);
	assert_int_equal(flow_event_decode(entry.data, entry.size, &decoded, &err), 0);
	assert_int_equal(decoded.stream, 3);
	assert_int_equal(decoded.total, 4);
	buf_release(&entry);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life_of_a_job),
		cmocka_unit_test(test_two_totals_fail_the_job),
		cmocka_unit_test(test_expiry_needs_silence),
		cmocka_unit_test(test_a_lost_disk_fails_what_needed_it),
		cmocka_unit_test(test_another_version_is_refused),
		cmocka_unit_test(test_room_for_jobs),
		cmocka_unit_test(test_room_for_clients),
		cmocka_unit_test(test_nonsense_is_ignored),
		cmocka_unit_test(test_every_prefix_of_an_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
