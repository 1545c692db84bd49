#include "net/loop.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define EVENTS_A_TURN 128
#define WAIT_MS_MAX   60000u

struct loop {
	int epoll_fd;
	uint64_t now_ms;
	bool stopped;
	const uint64_t *test_clock;  /* NULL: the machine's */
	struct loop_timer *timers;   /* soonest first: there are few */
	struct loop_source *changed; /* the kernel does not know yet what they wait for */
	/* The events of this turn that were not handled yet: removing a source clears its own. */
	struct epoll_event events[EVENTS_A_TURN];
	int event_count;
	/* Signals. */
	int signal_fd;
	struct loop_source signal_source;
	loop_timer_fn signal_fn;
	void *signal_context;
	loop_timer_fn turn_fn; /* NULL: none */
	void *turn_context;
};

uint64_t loop_now(const struct loop *loop)
{
	return loop->now_ms;
}

static uint64_t read_clock(const struct loop *loop)
{
	return loop->test_clock ? *loop->test_clock : clock_monotonic_ms();
}

void loop_use_clock(struct loop *loop, const uint64_t *now_ms)
{
	assert(!loop->timers);
	loop->test_clock = now_ms;
	loop->now_ms = *now_ms;
}

int loop_new(struct loop **out, struct error *err)
{
	struct loop *loop = memory_zalloc(sizeof(*loop));

	loop->signal_fd = -1;
	loop->now_ms = clock_monotonic_ms();
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0) {
		error_set(err, ERROR_IO, "cannot wait for events: %s", strerror(errno));
		free(loop);
		return -1;
	}
	*out = loop;
	return 0;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
	close(loop->epoll_fd);
	free(loop);
}

/* --- descriptors ---------------------------------------------------------------------------------
 */

static uint32_t to_epoll(uint32_t events)
{
	return (events & LOOP_READ ? EPOLLIN : 0u) | (events & LOOP_WRITE ? EPOLLOUT : 0u);
}

int loop_add(struct loop *loop, struct loop_source *source, uint32_t events, struct error *err)
{
	struct epoll_event event = {.events = to_epoll(events), .data.ptr = source};

	assert(!source->added);
	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, source->fd, &event))
		return error_set(
			err, ERROR_IO, "cannot wait for a descriptor: %s", strerror(errno));
	source->events = source->kernel_events = events;
	source->changed = false;
	source->added = true;
	return 0;
}

/* Most changes are undone within the turn: a connection has to wait, and then it has not. */
void loop_change(struct loop *loop, struct loop_source *source, uint32_t events)
{
	assert(source->added);
	source->events = events;
	if (source->changed || events == source->kernel_events)
		return;
	source->changed = true;
	source->previous_changed = NULL;
	source->next_changed = loop->changed;
	if (loop->changed)
		loop->changed->previous_changed = source;
	loop->changed = source;
}

static void leave_changed(struct loop *loop, struct loop_source *source)
{
	if (!source->changed)
		return;
	source->changed = false;
	if (source->previous_changed)
		source->previous_changed->next_changed = source->next_changed;
	else
		loop->changed = source->next_changed;
	if (source->next_changed)
		source->next_changed->previous_changed = source->previous_changed;
}

static void tell_kernel(struct loop *loop)
{
	while (loop->changed) {
		struct loop_source *source = loop->changed;
		struct epoll_event event = {.events = to_epoll(source->events), .data.ptr = source};

		leave_changed(loop, source);
		/* It is there: this cannot fail. */
		if (source->events != source->kernel_events &&
			epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, source->fd, &event))
			abort();
		source->kernel_events = source->events;
	}
}

void loop_remove(struct loop *loop, struct loop_source *source)
{
	if (!source->added)
		return;
	source->added = false;
	leave_changed(loop, source);
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, source->fd, NULL);
	for (int i = 0; i < loop->event_count; i++)
		if (loop->events[i].data.ptr == source)
			loop->events[i].data.ptr = NULL;
}

static void dispatch(struct epoll_event *event)
{
	struct loop_source *source = event->data.ptr;
	uint32_t events = 0;

	if (!source)
		return;
	if (event->events & EPOLLIN)
		events |= LOOP_READ;
	if (event->events & EPOLLOUT)
		events |= LOOP_WRITE;
	if (event->events & (EPOLLERR | EPOLLHUP))
		events |= LOOP_BROKEN | source->events;
	/* It may have been changed by another callback of this turn. */
	events &= source->events | LOOP_BROKEN;
	if (events)
		source->fn(source->context, events);
}

/* --- timers --------------------------------------------------------------------------------------
 */

void loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
	struct loop_timer **at = &loop->timers;

	if (!timer->set)
		return;
	while (*at != timer)
		at = &(*at)->next;
	*at = timer->next;
	timer->set = false;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer, uint64_t after_ms)
{
	struct loop_timer **at = &loop->timers;

	loop_timer_cancel(loop, timer);
	timer->due_ms = loop->now_ms + after_ms;
	while (*at && (*at)->due_ms <= timer->due_ms)
		at = &(*at)->next;
	timer->next = *at;
	*at = timer;
	timer->set = true;
}

/* Those that are due as the turn begins: one that is set anew for now waits for the next turn. */
static void call_timers(struct loop *loop)
{
	uint64_t now_ms = loop->now_ms;
	uint32_t turn_max = 0;

	for (struct loop_timer *timer = loop->timers; timer && timer->due_ms <= now_ms;
		timer = timer->next)
		turn_max++;
	for (; turn_max > 0 && loop->timers && loop->timers->due_ms <= now_ms; turn_max--) {
		struct loop_timer *timer = loop->timers;

		loop->timers = timer->next;
		timer->set = false;
		timer->fn(timer->context);
	}
}

/* --- signals -------------------------------------------------------------------------------------
 */

static void on_signal(void *context, uint32_t events)
{
	struct loop *loop = context;
	struct signalfd_siginfo info;
	sigset_t set;

	(void)events;
	if (read(loop->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGHUP) {
		log_reopen();
		return;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	loop_remove(loop, &loop->signal_source);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	loop->signal_fn(loop->signal_context);
}

int loop_on_signal(struct loop *loop, loop_timer_fn fn, void *context, struct error *err)
{
	sigset_t set;

	assert(loop->signal_fd < 0);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	/* At a terminal it ends who hears it, as ever. */
	if (log_has_file())
		sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	loop->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (loop->signal_fd < 0)
		return error_set(err, ERROR_IO, "cannot wait for signals: %s", strerror(errno));
	loop->signal_fn = fn;
	loop->signal_context = context;
	loop->signal_source =
		(struct loop_source){.fd = loop->signal_fd, .fn = on_signal, .context = loop};
	return loop_add(loop, &loop->signal_source, LOOP_READ, err);
}

/* --- turns ---------------------------------------------------------------------------------------
 */

/* How long to wait for descriptors at most. */
static uint64_t wait_of(const struct loop *loop, uint64_t wait_ms)
{
	uint64_t wait_ms_max = loop->turn_fn ? LOOP_TURN_MS_MAX : WAIT_MS_MAX;

	if (loop->timers && loop->timers->due_ms <= loop->now_ms)
		return 0;
	if (loop->timers && !loop->test_clock && loop->timers->due_ms - loop->now_ms < wait_ms)
		wait_ms = loop->timers->due_ms - loop->now_ms;
	return wait_ms < wait_ms_max ? wait_ms : wait_ms_max;
}

void loop_turn(struct loop *loop, uint64_t wait_ms)
{
	uint64_t begun_us;
	int count;

	tell_kernel(loop);
	loop->now_ms = read_clock(loop);
	count = epoll_wait(
		loop->epoll_fd, loop->events, EVENTS_A_TURN, (int)wait_of(loop, wait_ms));
	loop->now_ms = read_clock(loop);
	begun_us = clock_monotonic_us();
	loop->event_count = count > 0 ? count : 0;
	if (loop->turn_fn)
		loop->turn_fn(loop->turn_context);
	for (int i = 0; i < loop->event_count; i++)
		dispatch(&loop->events[i]);
	loop->event_count = 0;
	call_timers(loop);
	metric_observe_us(METRIC_LOOP_TURN, clock_monotonic_us() - begun_us);
}

void loop_on_turn(struct loop *loop, loop_timer_fn fn, void *context)
{
	loop->turn_fn = fn;
	loop->turn_context = context;
}

void loop_run(struct loop *loop)
{
	while (!loop->stopped)
		loop_turn(loop, WAIT_MS_MAX);
}

void loop_stop(struct loop *loop)
{
	loop->stopped = true;
}
