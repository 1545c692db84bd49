/* Work beside the role's thread: it comes back, it waits to be drained, it can be stopped. */
#include "node/work_pool.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define WAIT_MS 60000

struct piece {
	struct work work; /* first */
	struct work_runner *runner;
	bool endless;	  /* it runs until it is stopped */
	uint32_t outputs; /* of which each waits to be drained */
	uint32_t drained;
	bool done;
};

static void run(struct work *work)
{
	struct piece *piece = (struct piece *)work;

	for (uint32_t i = 0; i < piece->outputs; i++)
		piece->runner->ops->wait_for_drain(piece->runner, work);
	while (piece->endless && !atomic_load(&work->stop))
		;
}

static void drain(struct work *work)
{
	((struct piece *)work)->drained++;
}

static void done(struct work *work)
{
	((struct piece *)work)->done = true;
}

static const struct work_ops piece_ops = {run, drain, done};

static struct work_pool *new_pool(void)
{
	struct work_pool *pool;
	struct error err;

	assert_int_equal(work_pool_new(&pool, &err), 0);
	return pool;
}

static void submit(struct work_pool *pool, struct piece *piece, uint64_t owner)
{
	piece->runner = work_pool_runner(pool);
	piece->work.ops = &piece_ops;
	piece->work.owner = owner;
	piece->runner->ops->submit(piece->runner, &piece->work);
}

/* Lets the pool go on until the flag is set. */
static void wait_for(struct work_pool *pool, const bool *flag)
{
	struct pollfd event = {.fd = work_pool_event_fd(pool), .events = POLLIN};

	for (int turns = 0; !*flag && turns < WAIT_MS; turns++) {
		poll(&event, 1, 1);
		work_pool_on_tick(pool);
		work_pool_dispatch(pool, false);
	}
	assert_true(*flag);
}

static void test_comes_back(void **state)
{
	struct work_pool *pool = new_pool();
	struct piece pieces[100] = {0};

	(void)state;
	for (uint32_t i = 0; i < 100; i++)
		submit(pool, &pieces[i], i % 7);
	for (uint32_t i = 0; i < 100; i++)
		wait_for(pool, &pieces[i].done);
	work_pool_free(pool);
}

static void test_waits_for_drain(void **state)
{
	struct work_pool *pool = new_pool();
	struct piece piece = {.outputs = 3};

	(void)state;
	submit(pool, &piece, 1);
	wait_for(pool, &piece.done);
	assert_int_equal(piece.drained, 3);
	work_pool_free(pool);
}

/* More endless pieces than there are processors: a short one gets its turn. */
static void test_long_work_does_not_stop_short_work(void **state)
{
	struct work_pool *pool = new_pool();
	struct piece monsters[6] = {0}, small = {0};

	(void)state;
	for (uint32_t i = 0; i < 6; i++) {
		monsters[i].endless = true;
		submit(pool, &monsters[i], 1);
	}
	submit(pool, &small, 2);
	wait_for(pool, &small.done);
	for (uint32_t i = 0; i < 6; i++) {
		assert_false(monsters[i].done);
		atomic_store(&monsters[i].work.stop, true);
	}
	for (uint32_t i = 0; i < 6; i++)
		wait_for(pool, &monsters[i].done);
	work_pool_free(pool);
}

static void test_cancel(void **state)
{
	struct work_pool *pool = new_pool();
	struct work_runner *runner = work_pool_runner(pool);
	struct piece running = {.endless = true}, waiting = {.outputs = 1}, queued[70] = {0};

	(void)state;
	submit(pool, &running, 1);
	submit(pool, &waiting, 1);
	for (uint32_t i = 0; i < 70; i++) {
		queued[i].endless = true;
		submit(pool, &queued[i], 2);
	}
	runner->ops->cancel(runner, &running.work);
	runner->ops->cancel(runner, &waiting.work);
	for (uint32_t i = 0; i < 70; i++)
		runner->ops->cancel(runner, &queued[i].work);
	work_pool_dispatch(pool, false);
	assert_false(running.done || waiting.done || queued[0].done);
	work_pool_free(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_comes_back),
		cmocka_unit_test(test_waits_for_drain),
		cmocka_unit_test(test_long_work_does_not_stop_short_work),
		cmocka_unit_test(test_cancel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
