/*
 * The threads of one step: started, watched by the caller (who shows the progress), joined.
 */
#include "base/memory.h"
#include "local/local_private.h"

#include <stdlib.h>
#include <time.h>

#define PROGRESS_INTERVAL_NS 100000000

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t running;
	worker_fn work;
	void *context;
};

struct crew_member {
	struct run_thread worker;
	struct crew *crew;
	pthread_t thread;
};

static void member_work(struct crew_member *member)
{
	struct error err = {0};

	if (member->crew->work(&member->worker, member->crew->context, &err))
		run_fail(member->worker.run, &err);
}

static void *member_main(void *argument)
{
	struct crew_member *member = argument;

	member_work(member);
	pthread_mutex_lock(&member->crew->lock);
	member->crew->running--;
	pthread_cond_signal(&member->crew->changed);
	pthread_mutex_unlock(&member->crew->lock);
	return NULL;
}

static void show_progress(struct run_state *run)
{
	struct local_progress progress = {
		.bytes_done = atomic_load_explicit(&run->bytes_done, memory_order_relaxed),
		.bytes_total = atomic_load_explicit(&run->bytes_total, memory_order_relaxed),
		.rows = atomic_load_explicit(&run->rows, memory_order_relaxed),
	};

	if (run->options->on_progress)
		run->options->on_progress(run->options->progress_context, &progress);
}

static void crew_wait(struct crew *crew, struct run_state *run)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	pthread_mutex_lock(&crew->lock);
	while (crew->running > 0) {
		until.tv_nsec += PROGRESS_INTERVAL_NS;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		while (crew->running > 0 &&
			pthread_cond_timedwait(&crew->changed, &crew->lock, &until) == 0)
			;
		pthread_mutex_unlock(&crew->lock);
		show_progress(run);
		pthread_mutex_lock(&crew->lock);
	}
	pthread_mutex_unlock(&crew->lock);
}

static void crew_init(struct crew *crew, worker_fn work, void *context)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&crew->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&crew->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	crew->running = 0;
	crew->work = work;
	crew->context = context;
}

int workers_run(
	struct run_state *run, uint32_t threads, worker_fn work, void *context, struct error *err)
{
	struct crew crew;
	struct crew_member *members = memory_zalloc(threads * sizeof(*members));
	uint32_t started = 0;

	crew_init(&crew, work, context);
	for (uint32_t i = 0; i < threads; i++)
		members[i] =
			(struct crew_member){.worker = {.run = run, .index = i}, .crew = &crew};
	/* A step for one thread needs none of its own, unless somebody watches the progress. */
	if (threads == 1 && !run->options->on_progress) {
		member_work(&members[0]);
	} else {
		for (uint32_t i = 0; i < threads; i++) {
			pthread_mutex_lock(&crew.lock);
			crew.running++;
			pthread_mutex_unlock(&crew.lock);
			if (pthread_create(&members[i].thread, NULL, member_main, &members[i]) !=
				0) {
				pthread_mutex_lock(&crew.lock);
				crew.running--;
				pthread_mutex_unlock(&crew.lock);
				break;
			}
			started++;
		}
		/* Fewer threads than wished still do all the work; none at all leaves it to us. */
		if (started == 0)
			member_work(&members[0]);
		crew_wait(&crew, run);
		for (uint32_t i = 0; i < started; i++)
			pthread_join(members[i].thread, NULL);
	}
	pthread_cond_destroy(&crew.changed);
	pthread_mutex_destroy(&crew.lock);
	free(members);
	if (!atomic_load(&run->failed))
		return 0;
	*err = run->error;
	return -1;
}
