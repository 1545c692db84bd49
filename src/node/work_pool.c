#include "node/work_pool.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/metrics.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LONG_MS	      50u
#define LONG_NICE     10
#define THREADS_LEAST 2u
#define THREADS_MAX   64u
#define OWNERS_MAX    256u
/* Expressions are 1000 deep at most, which takes less than a quarter of it. The usual 8 MB count where data is limited. */
#define STACK_BYTES ((size_t)2 << 20)
/* Work that waits looks so often whether it is to stop. */
#define STOP_CHECK_MS 20u

/* How much time an owner has used, of late. */
struct owner_time {
	uint64_t owner;
	uint64_t used_us;
};

struct work_pool {
	struct work_runner runner; /* first */
	int event_fd;
	uint32_t quick_max; /* threads that do work which is not long */
	pthread_mutex_t lock;
	pthread_cond_t waiting;	 /* there is work for a thread */
	pthread_cond_t drained;	 /* ... for work that waits for it */
	pthread_cond_t finished; /* ... for whoever cancels */
	pthread_cond_t left;	 /* a thread has ended */
	struct work *ready;	 /* lists by `next`, the oldest first */
	struct work *running;
	struct work *done;
	uint32_t threads, idle, slow; /* slow: run long work */
	bool closing;
	uint32_t owner_count;
	struct owner_time owners[OWNERS_MAX];
};

static void append(struct work **list, struct work *work)
{
	while (*list)
		list = &(*list)->next;
	work->next = NULL;
	*list = work;
}

/* False when it is not there. */
static bool take_out(struct work **list, const struct work *work)
{
	while (*list && *list != work)
		list = &(*list)->next;
	if (!*list)
		return false;
	*list = work->next;
	return true;
}

static void wake_role(struct work_pool *pool)
{
	uint64_t one = 1;
	ssize_t written = write(pool->event_fd, &one, sizeof(one));

	/* It can only be full, and then it is readable. */
	(void)written;
}

/* --- turns ---------------------------------------------------------------------------------------
 */

static uint64_t used_by(const struct work_pool *pool, uint64_t owner)
{
	for (uint32_t i = 0; i < pool->owner_count; i++)
		if (pool->owners[i].owner == owner)
			return pool->owners[i].used_us;
	return 0;
}

/* When all places are taken, what has passed is forgotten: jobs come and go. */
static void charge(struct work_pool *pool, uint64_t owner, uint64_t us)
{
	for (uint32_t i = 0; i < pool->owner_count; i++) {
		if (pool->owners[i].owner == owner) {
			pool->owners[i].used_us += us;
			return;
		}
	}
	if (pool->owner_count == OWNERS_MAX)
		pool->owner_count = 0;
	pool->owners[pool->owner_count++] = (struct owner_time){owner, us};
}

static struct work *take_next(struct work_pool *pool)
{
	struct work *best = NULL;
	uint64_t least = UINT64_MAX;

	for (struct work *work = pool->ready; work; work = work->next) {
		uint64_t used = used_by(pool, work->owner);

		if (used < least) {
			best = work;
			least = used;
		}
	}
	if (best)
		take_out(&pool->ready, best);
	return best;
}

/* --- threads -------------------------------------------------------------------------------------
 */

/* With the lock, which is given back while it runs. True when it became long. */
static bool run_one(struct work_pool *pool, struct work *work)
{
	bool was_long, was_there;
	uint64_t took_us;

	assert(!work->running);
	append(&pool->running, work);
	work->running = true;
	metric_observe_us(METRIC_WORK_WAIT, clock_monotonic_us() - work->submitted_us);
	metric_subtract(METRIC_WORK_WAITING, 1);
	metric_add(METRIC_WORK_RUNNING, 1);
	work->started_us = clock_monotonic_us();
	work->thread_id = (int)syscall(SYS_gettid);
	pthread_mutex_unlock(&pool->lock);
	work->ops->run(work);
	pthread_mutex_lock(&pool->lock);
	was_long = work->thread_id == 0;
	took_us = clock_monotonic_us() - work->started_us;
	metric_observe_us(METRIC_WORK, took_us);
	metric_subtract(METRIC_WORK_RUNNING, 1);
	charge(pool, work->owner, took_us);
	was_there = take_out(&pool->running, work);
	/* Whoever cancels it waits until it is done. */
	assert(was_there && work->running);
	work->running = false;
	append(&pool->done, work);
	pthread_cond_broadcast(&pool->finished);
	wake_role(pool);
	return was_long;
}

static void *thread_main(void *context)
{
	struct work_pool *pool = context;
	bool was_long = false;

	pthread_mutex_lock(&pool->lock);
	while (!pool->closing && !was_long) {
		struct work *work = take_next(pool);

		if (work) {
			was_long = run_one(pool, work);
			continue;
		}
		pool->idle++;
		pthread_cond_wait(&pool->waiting, &pool->lock);
		pool->idle--;
	}
	/* One that was made nice may not take that back: another takes its place. */
	assert(pool->slow >= was_long && pool->threads > 0);
	pool->slow -= was_long;
	pool->threads--;
	assert(pool->slow <= pool->threads && pool->idle <= pool->threads);
	pthread_cond_broadcast(&pool->left);
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* With the lock: a thread for work that waits, if there may be one more. */
static void add_thread(struct work_pool *pool)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (!pool->ready || pool->idle > 0 || pool->threads >= THREADS_MAX ||
		pool->threads - pool->slow >= pool->quick_max)
		return;
	pthread_attr_init(&attributes);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	if (pthread_create(&thread, &attributes, thread_main, pool) == 0)
		pool->threads++;
	pthread_attr_destroy(&attributes);
}

/* --- for the role --------------------------------------------------------------------------------
 */

static void submit(struct work_runner *runner, struct work *work)
{
	struct work_pool *pool = (struct work_pool *)runner;

	pthread_mutex_lock(&pool->lock);
	assert(!pool->closing && !work->running);
	work->submitted_us = clock_monotonic_us();
	metric_add(METRIC_WORK_WAITING, 1);
	append(&pool->ready, work);
	pthread_cond_signal(&pool->waiting);
	add_thread(pool);
	pthread_mutex_unlock(&pool->lock);
}

static void wait_a_while(struct work_pool *pool, pthread_cond_t *condition)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += (long)STOP_CHECK_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(condition, &pool->lock, &until);
}

static void wait_for_drain(struct work_runner *runner, struct work *work)
{
	struct work_pool *pool = (struct work_pool *)runner;

	pthread_mutex_lock(&pool->lock);
	work->wants_drain = true;
	wake_role(pool);
	while (work->wants_drain && !atomic_load_explicit(&work->stop, memory_order_relaxed))
		wait_a_while(pool, &pool->drained);
	work->wants_drain = false;
	pthread_mutex_unlock(&pool->lock);
}

static void cancel(struct work_runner *runner, struct work *work)
{
	struct work_pool *pool = (struct work_pool *)runner;

	atomic_store_explicit(&work->stop, true, memory_order_relaxed);
	pthread_mutex_lock(&pool->lock);
	if (take_out(&pool->ready, work)) {
		metric_subtract(METRIC_WORK_WAITING, 1);
	} else {
		while (!take_out(&pool->done, work))
			pthread_cond_wait(&pool->finished, &pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
}

static struct work *next_to_drain(struct work_pool *pool)
{
	struct work *work = pool->running;

	while (work && !work->wants_drain)
		work = work->next;
	return work;
}

void work_pool_dispatch(struct work_pool *pool, bool full)
{
	uint64_t count;
	ssize_t size = read(pool->event_fd, &count, sizeof(count));
	struct work *work;

	(void)size;
	pthread_mutex_lock(&pool->lock);
	/* It waits, so it cannot end meanwhile. */
	while (!full && (work = next_to_drain(pool))) {
		pthread_mutex_unlock(&pool->lock);
		work->ops->drain(work);
		pthread_mutex_lock(&pool->lock);
		work->wants_drain = false;
		pthread_cond_broadcast(&pool->drained);
	}
	while ((work = pool->done)) {
		assert(!work->running && !work->wants_drain);
		pool->done = work->next;
		pthread_mutex_unlock(&pool->lock);
		work->ops->done(work);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
}

void work_pool_on_tick(struct work_pool *pool)
{
	uint64_t now = clock_monotonic_us();

	pthread_mutex_lock(&pool->lock);
	for (struct work *work = pool->running; work; work = work->next) {
		if (work->thread_id == 0 || now - work->started_us < LONG_MS * 1000)
			continue;
		setpriority(PRIO_PROCESS, (id_t)work->thread_id, LONG_NICE);
		work->thread_id = 0;
		pool->slow++;
	}
	add_thread(pool);
	pthread_mutex_unlock(&pool->lock);
}

struct work_runner *work_pool_runner(struct work_pool *pool)
{
	return &pool->runner;
}

int work_pool_event_fd(const struct work_pool *pool)
{
	return pool->event_fd;
}

int work_pool_new(struct work_pool **out, struct error *err)
{
	static const struct work_runner_ops ops = {submit, wait_for_drain, cancel};
	struct work_pool *pool = memory_zalloc(sizeof(*pool));
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	pthread_condattr_t attributes;

	pool->runner.ops = &ops;
	pool->quick_max = processors > (long)THREADS_LEAST ? (uint32_t)processors : THREADS_LEAST;
	pool->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (pool->event_fd < 0) {
		error_set(err, ERROR_IO, "no descriptor for events: %s", strerror(errno));
		free(pool);
		return -1;
	}
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->waiting, &attributes);
	pthread_cond_init(&pool->drained, &attributes);
	pthread_cond_init(&pool->finished, &attributes);
	pthread_cond_init(&pool->left, &attributes);
	pthread_condattr_destroy(&attributes);
	*out = pool;
	return 0;
}

void work_pool_free(struct work_pool *pool)
{
	if (!pool)
		return;
	pthread_mutex_lock(&pool->lock);
	assert(!pool->ready && !pool->running);
	pool->closing = true;
	pthread_cond_broadcast(&pool->waiting);
	while (pool->threads > 0)
		pthread_cond_wait(&pool->left, &pool->lock);
	pthread_mutex_unlock(&pool->lock);
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->waiting);
	pthread_cond_destroy(&pool->drained);
	pthread_cond_destroy(&pool->finished);
	pthread_cond_destroy(&pool->left);
	close(pool->event_fd);
	free(pool);
}
