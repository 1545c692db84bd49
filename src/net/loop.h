/*
 * An event loop on epoll: descriptors, timers and the signals that end a process, in one thread.
 *
 * Sources and timers are embedded in what they belong to. They may be added, changed and removed
 * at any time, also from inside a callback, also their own: what was removed is not called any
 * more. Descriptors are level-triggered: a callback that leaves something to read is called again
 * in the next turn, after everyone else.
 */
#ifndef NET_LOOP_H
#define NET_LOOP_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* With loop_on_turn. */
#define LOOP_TURN_MS_MAX 100u

enum loop_event {
	LOOP_READ = 1,
	LOOP_WRITE = 2,
	/*
	 * An error or both directions closed: comes also when not asked for, together with READ or
	 * WRITE if these are asked for, so that who reads or writes finds out by the call's result.
	 */
	LOOP_BROKEN = 4,
};

/* `events`: bits of enum loop_event. */
typedef void (*loop_source_fn)(void *context, uint32_t events);
typedef void (*loop_timer_fn)(void *context);

/* The caller sets these three; the rest is the loop's. {0} is a source that was not added. */
struct loop_source {
	int fd; /* the caller's to close, after loop_remove */
	loop_source_fn fn;
	void *context;
	uint32_t events;
	uint32_t kernel_events; /* what the kernel was told of them */
	bool added;
	bool changed; /* in the loop's list of those whose two sets may differ */
	struct loop_source *next_changed;
	struct loop_source *previous_changed;
};

struct loop_timer {
	loop_timer_fn fn;
	void *context;
	struct loop_timer *next;
	uint64_t due_ms;
	bool set;
};

struct loop;

MUST_CHECK int loop_new(struct loop **out, struct error *err);
/* What was added is forgotten, not closed. NULL is allowed. */
void loop_free(struct loop *loop);

/* Milliseconds of a clock that never goes back, as of the beginning of this turn. */
uint64_t loop_now(const struct loop *loop);
/*
 * For tests: time is what *now_ms says, which only its owner turns, also for several loops at once.
 * Timers are due by it; loop_turn waits by the real clock, and only for descriptors.
 */
void loop_use_clock(struct loop *loop, const uint64_t *now_ms);

MUST_CHECK int loop_add(
	struct loop *loop, struct loop_source *source, uint32_t events, struct error *err);
/*
 * What to wait for from now on; 0: only for LOOP_BROKEN. Costs no system call until the loop waits
 * again, and none at all when it is changed back by then.
 */
void loop_change(struct loop *loop, struct loop_source *source, uint32_t events);
/* Before its descriptor is closed. One that was not added is not an error. */
void loop_remove(struct loop *loop, struct loop_source *source);

/* Once, `after_ms` from now; a timer that was set is moved. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t after_ms);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer);

/*
 * SIGTERM and SIGINT call `fn` instead of ending the process; a second one does end it. Blocks the
 * signals: call it before other threads are started, that they inherit it. With SIGHUP the log is reopened,
 * where log_keep_file has one.
 */
MUST_CHECK int loop_on_signal(
	struct loop *loop, loop_timer_fn fn, void *context, struct error *err);

/*
 * `fn` is called in every turn, before anything else, and there is a turn at least every
 * LOOP_TURN_MS_MAX, whatever happens: a sign of life.
 */
void loop_on_turn(struct loop *loop, loop_timer_fn fn, void *context);

/* Until loop_stop. */
void loop_run(struct loop *loop);
void loop_stop(struct loop *loop);
/* One turn: waits at most `wait_ms`, or until a timer is due, and calls back. For tests. */
void loop_turn(struct loop *loop, uint64_t wait_ms);

#endif
