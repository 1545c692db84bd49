/*
 * Our event loop beside libev and libuv, on what nodes do with one.
 *
 *   ring      1,000 sockets in a ring, 100 messages that go round: what an event costs when there is
 *             little to do for it.
 *   gateway   200 clients: a frame in two reads, as net/server.c does it, its answer, and the
 *             client's next frame; reading is turned off and on again for each, as for a chunk that
 *             has to wait for the broker.
 *   proxy     16 pairs of connections, 256 KB at a time from socket to socket through a pipe; who
 *             cannot write waits for room, and nobody reads for it meanwhile.
 *   timers    a timer moved, beside `count` others.
 *
 * All three get raw descriptors: splice(2), descriptors in messages, and the socket of the broker's
 * library need them (ev_io, uv_poll_t). Best of several turns, one
 * after the other in each, in CPU time.
 *
 * usage: loop [turns]
 */
#include "net/loop.h"
#include "base/error.h"

#include <errno.h>
#include <ev.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

#define SOURCES_MAX 2048
#define TIMERS_MAX  1024

#define RING_SOCKETS  1000
#define RING_MESSAGES 100
#define RING_EVENTS   100000

#define GATEWAY_CLIENTS 200
#define GATEWAY_FRAMES	50000
#define FRAME_HEADER	5
#define FRAME_BYTES	64

#define PROXY_PAIRS 16
#define PROXY_CHUNK (256u << 10)
#define PROXY_BYTES (512ull << 20)
#define PROXY_PIPE  (1 << 20)

#define TIMER_MOVES 500000

/* --- three loops behind one table ----------------------------------------------------------------
 */

typedef void (*event_fn)(int index, bool readable, bool writable);

struct driver {
	const char *name;
	void (*open)(void);
	void (*add)(int index, int fd, bool read, bool write);
	void (*change)(int index, bool read, bool write);
	void (*timer_move)(int index, uint32_t after_ms);
	void (*run)(void); /* until `finished` */
	void (*close)(int sources, int timers);
};

static event_fn on_event;
static bool finished;

/* Of this process: nothing here ever waits, and others that use the machine do not count. */
static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Ours. */

static struct loop *own_loop;
static struct loop_source own_sources[SOURCES_MAX];
static struct loop_timer own_timers[TIMERS_MAX];

static void own_event(void *context, uint32_t events)
{
	on_event((int)(intptr_t)context, events & LOOP_READ, events & LOOP_WRITE);
}

static void own_timer(void *context)
{
	(void)context;
}

static uint32_t own_events(bool read, bool write)
{
	return (read ? LOOP_READ : 0u) | (write ? LOOP_WRITE : 0u);
}

static void own_open(void)
{
	struct error err;

	if (loop_new(&own_loop, &err))
		die(err.message);
	memset(own_timers, 0, sizeof(own_timers));
}

static void own_add(int index, int fd, bool read, bool write)
{
	struct error err;

	own_sources[index] =
		(struct loop_source){.fd = fd, .fn = own_event, .context = (void *)(intptr_t)index};
	if (loop_add(own_loop, &own_sources[index], own_events(read, write), &err))
		die(err.message);
}

static void own_change(int index, bool read, bool write)
{
	loop_change(own_loop, &own_sources[index], own_events(read, write));
}

static void own_timer_move(int index, uint32_t after_ms)
{
	own_timers[index].fn = own_timer;
	loop_timer_set(own_loop, &own_timers[index], after_ms);
}

static void own_run(void)
{
	while (!finished)
		loop_turn(own_loop, 1000);
}

static void own_close(int sources, int timers)
{
	for (int i = 0; i < timers; i++)
		loop_timer_cancel(own_loop, &own_timers[i]);
	for (int i = 0; i < sources; i++)
		loop_remove(own_loop, &own_sources[i]);
	loop_free(own_loop);
}

/* libev. */

static struct ev_loop *ev;
static struct ev_io ev_sources[SOURCES_MAX];
static struct ev_timer ev_timers[TIMERS_MAX];

static void ev_event(struct ev_loop *loop, struct ev_io *io, int events)
{
	(void)loop;
	on_event((int)(intptr_t)io->data, events & EV_READ, events & EV_WRITE);
}

static void ev_timer_event(struct ev_loop *loop, struct ev_timer *timer, int events)
{
	(void)loop;
	(void)timer;
	(void)events;
}

static int ev_events(bool read, bool write)
{
	return (read ? EV_READ : 0) | (write ? EV_WRITE : 0);
}

static void ev_open(void)
{
	ev = ev_loop_new(EVBACKEND_EPOLL);
	if (!ev)
		die("libev");
	memset(ev_timers, 0, sizeof(ev_timers));
}

static void ev_add(int index, int fd, bool read, bool write)
{
	ev_io_init(&ev_sources[index], ev_event, fd, ev_events(read, write));
	ev_sources[index].data = (void *)(intptr_t)index;
	if (read || write)
		ev_io_start(ev, &ev_sources[index]);
}

static void ev_change(int index, bool read, bool write)
{
	struct ev_io *io = &ev_sources[index];
	int events = ev_events(read, write);

	if (ev_is_active(io) && (io->events & (EV_READ | EV_WRITE)) == events)
		return;
	ev_io_stop(ev, io);
	ev_io_set(io, io->fd, events);
	if (events)
		ev_io_start(ev, io);
}

static void ev_timer_move(int index, uint32_t after_ms)
{
	struct ev_timer *timer = &ev_timers[index];

	if (!timer->cb)
		ev_timer_init(timer, ev_timer_event, 0., 0.);
	timer->repeat = (double)after_ms / 1000.;
	ev_timer_again(ev, timer);
}

static void ev_run_all(void)
{
	while (!finished)
		ev_run(ev, EVRUN_ONCE);
}

static void ev_close(int sources, int timers)
{
	for (int i = 0; i < timers; i++)
		ev_timer_stop(ev, &ev_timers[i]);
	for (int i = 0; i < sources; i++)
		ev_io_stop(ev, &ev_sources[i]);
	ev_loop_destroy(ev);
}

/* libuv. */

static uv_loop_t uv;
static uv_poll_t uv_sources[SOURCES_MAX];
static uv_timer_t uv_timers[TIMERS_MAX];
static bool uv_timer_used[TIMERS_MAX];

static void uv_event(uv_poll_t *poll, int status, int events)
{
	(void)status;
	on_event((int)(intptr_t)poll->data, events & UV_READABLE, events & UV_WRITABLE);
}

static void uv_timer_event(uv_timer_t *timer)
{
	(void)timer;
}

static void uv_open(void)
{
	if (uv_loop_init(&uv))
		die("libuv");
	memset(uv_timer_used, 0, sizeof(uv_timer_used));
}

static void uv_change(int index, bool read, bool write)
{
	int events = (read ? UV_READABLE : 0) | (write ? UV_WRITABLE : 0);

	if (events)
		uv_poll_start(&uv_sources[index], events, uv_event);
	else
		uv_poll_stop(&uv_sources[index]);
}

static void uv_add(int index, int fd, bool read, bool write)
{
	if (uv_poll_init(&uv, &uv_sources[index], fd))
		die("libuv");
	uv_sources[index].data = (void *)(intptr_t)index;
	uv_change(index, read, write);
}

static void uv_timer_move(int index, uint32_t after_ms)
{
	if (!uv_timer_used[index])
		uv_timer_init(&uv, &uv_timers[index]);
	uv_timer_used[index] = true;
	uv_timer_start(&uv_timers[index], uv_timer_event, after_ms, 0);
}

static void uv_run_all(void)
{
	while (!finished)
		uv_run(&uv, UV_RUN_ONCE);
}

static void uv_close_all(int sources, int timers)
{
	for (int i = 0; i < sources; i++)
		uv_close((uv_handle_t *)&uv_sources[i], NULL);
	for (int i = 0; i < timers; i++)
		uv_close((uv_handle_t *)&uv_timers[i], NULL);
	uv_run(&uv, UV_RUN_DEFAULT);
	uv_loop_close(&uv);
}

static const struct driver drivers[] = {
	{"ours", own_open, own_add, own_change, own_timer_move, own_run, own_close},
	{"libev", ev_open, ev_add, ev_change, ev_timer_move, ev_run_all, ev_close},
	{"libuv", uv_open, uv_add, uv_change, uv_timer_move, uv_run_all, uv_close_all},
};

#define DRIVERS ((int)(sizeof(drivers) / sizeof(*drivers)))

static const struct driver *driver;
static int fds[SOURCES_MAX];
static int fd_count;

static void open_pair(int *first, int *second)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		die("socketpair");
	*first = pair[0];
	*second = pair[1];
	fds[fd_count++] = pair[0];
	fds[fd_count++] = pair[1];
}

static void close_sockets(void)
{
	while (fd_count > 0)
		close(fds[--fd_count]);
}

/* --- ring ----------------------------------------------------------------------------------------
 */

static int ring_out[RING_SOCKETS]; /* the end that socket i + 1 reads from */
static uint64_t ring_events;

static void ring_event(int index, bool readable, bool writable)
{
	char byte;

	(void)readable;
	(void)writable;
	if (read(fds[2 * index], &byte, 1) != 1)
		return;
	if (++ring_events >= RING_EVENTS) {
		finished = true;
		return;
	}
	if (write(ring_out[(index + 1) % RING_SOCKETS], &byte, 1) != 1)
		die("write");
}

static double measure_ring(void)
{
	double begin;
	int in;

	on_event = ring_event;
	ring_events = 0;
	driver->open();
	for (int i = 0; i < RING_SOCKETS; i++) {
		open_pair(&in, &ring_out[i]);
		driver->add(i, in, true, false);
	}
	for (int i = 0; i < RING_MESSAGES; i++)
		if (write(ring_out[i * (RING_SOCKETS / RING_MESSAGES)], "x", 1) != 1)
			die("write");
	begin = cpu_seconds();
	driver->run();
	begin = cpu_seconds() - begin;
	driver->close(RING_SOCKETS, 0);
	close_sockets();
	return begin * 1e9 / RING_EVENTS;
}

/* --- gateway -------------------------------------------------------------------------------------
 */

static struct {
	int fd;
	int client;
	bool resting; /* not read until the next frame of somebody else */
} gateway[GATEWAY_CLIENTS];

static uint64_t gateway_frames;
static int gateway_resting;

static void gateway_answer(int index)
{
	static const char answer[FRAME_HEADER] = {2};

	if (write(gateway[index].fd, answer, sizeof(answer)) != sizeof(answer))
		die("answer");
	driver->change(index, true, false);
}

static void gateway_event(int index, bool readable, bool writable)
{
	char bytes[FRAME_BYTES] = {1};

	(void)writable;
	if (!readable)
		return;
	if (index >= GATEWAY_CLIENTS) {
		int client = gateway[index - GATEWAY_CLIENTS].client;

		if (read(client, bytes, FRAME_HEADER) == FRAME_HEADER &&
			write(client, bytes, FRAME_BYTES) != FRAME_BYTES)
			die("frame");
		return;
	}
	if (read(gateway[index].fd, bytes, FRAME_HEADER) != FRAME_HEADER ||
		read(gateway[index].fd, bytes + FRAME_HEADER, FRAME_BYTES - FRAME_HEADER) < 0)
		return;
	driver->change(index, false, false);
	driver->timer_move(0, 5);
	if (++gateway_frames >= GATEWAY_FRAMES)
		finished = true;
	if (gateway_resting >= 0)
		gateway_answer(gateway_resting);
	gateway_resting = index;
}

static double measure_gateway(void)
{
	char bytes[FRAME_BYTES] = {1};
	double begin;

	on_event = gateway_event;
	gateway_frames = 0;
	gateway_resting = -1;
	driver->open();
	for (int i = 0; i < GATEWAY_CLIENTS; i++) {
		open_pair(&gateway[i].fd, &gateway[i].client);
		driver->add(i, gateway[i].fd, true, false);
		if (write(gateway[i].client, bytes, sizeof(bytes)) != sizeof(bytes))
			die("frame");
	}
	for (int i = 0; i < GATEWAY_CLIENTS; i++)
		driver->add(GATEWAY_CLIENTS + i, gateway[i].client, true, false);
	begin = cpu_seconds();
	driver->run();
	begin = cpu_seconds() - begin;
	driver->close(2 * GATEWAY_CLIENTS, 1);
	close_sockets();
	return begin * 1e9 / GATEWAY_FRAMES;
}

/* --- proxy ---------------------------------------------------------------------------------------
 */

/*
 * source -> client .. gateway -> sink: the proxy has the two in the middle. The two ends are moved by
 * hand whenever the proxy has moved something, so that all loops do the same in the same order.
 */
static struct {
	int source;
	int client;
	int gateway;
	int sink;
	int pipe[2];
	size_t held;
} pairs[PROXY_PAIRS];

static uint64_t proxy_bytes;
static char proxy_chunk[PROXY_CHUNK];

static void proxy_pump(int index)
{
	ssize_t size;

	if (pairs[index].held == 0) {
		size = splice(pairs[index].client, NULL, pairs[index].pipe[1], NULL, PROXY_CHUNK,
			SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		pairs[index].held = size > 0 ? (size_t)size : 0;
	}
	while (pairs[index].held > 0) {
		size = splice(pairs[index].pipe[0], NULL, pairs[index].gateway, NULL,
			pairs[index].held, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (size <= 0)
			break;
		pairs[index].held -= (size_t)size;
	}
	driver->change(2 * index, pairs[index].held == 0, false);
	driver->change(2 * index + 1, false, pairs[index].held > 0);
}

static void proxy_event(int index, bool readable, bool writable)
{
	ssize_t size;

	(void)readable;
	(void)writable;
	index /= 2;
	proxy_pump(index);
	size = read(pairs[index].sink, proxy_chunk, sizeof(proxy_chunk));
	proxy_bytes += size > 0 ? (uint64_t)size : 0;
	finished = proxy_bytes >= PROXY_BYTES;
	if (write(pairs[index].source, proxy_chunk, sizeof(proxy_chunk)) < 0 && errno != EAGAIN)
		die("source");
}

static void open_small_pair(int *first, int *second)
{
	int size = PROXY_CHUNK / 4;

	open_pair(first, second);
	setsockopt(*first, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
}

static double measure_proxy(void)
{
	double begin;

	on_event = proxy_event;
	proxy_bytes = 0;
	driver->open();
	for (int i = 0; i < PROXY_PAIRS; i++) {
		open_pair(&pairs[i].source, &pairs[i].client);
		open_small_pair(&pairs[i].gateway, &pairs[i].sink);
		pairs[i].held = 0;
		if (pipe2(pairs[i].pipe, O_NONBLOCK))
			die("pipe");
		(void)fcntl(pairs[i].pipe[1], F_SETPIPE_SZ, PROXY_PIPE);
		if (write(pairs[i].source, proxy_chunk, sizeof(proxy_chunk)) < 0)
			die("source");
		driver->add(2 * i, pairs[i].client, true, false);
		driver->add(2 * i + 1, pairs[i].gateway, false, false);
	}
	begin = cpu_seconds();
	driver->run();
	begin = cpu_seconds() - begin;
	driver->close(2 * PROXY_PAIRS, 0);
	close_sockets();
	for (int i = 0; i < PROXY_PAIRS; i++) {
		close(pairs[i].pipe[0]);
		close(pairs[i].pipe[1]);
	}
	return begin * 1e6 / (double)(proxy_bytes >> 20);
}

/* --- timers --------------------------------------------------------------------------------------
 */

static double measure_timers(int count)
{
	int moves = TIMER_MOVES / (count > 100 ? 10 : 1);
	double begin;

	driver->open();
	for (int i = 0; i < count; i++)
		driver->timer_move(i, 1000u + (uint32_t)i * 10u);
	begin = cpu_seconds();
	for (int i = 0; i < moves; i++)
		driver->timer_move(i % count, 5u + (uint32_t)i * 7919u % 5000u);
	begin = cpu_seconds() - begin;
	driver->close(0, count);
	return begin * 1e9 / moves;
}

static double measure_few_timers(void)
{
	return measure_timers(10);
}

static double measure_many_timers(void)
{
	return measure_timers(1000);
}

/* --- all of it -----------------------------------------------------------------------------------
 */

static const struct {
	const char *name;
	const char *unit;
	double (*measure)(void);
} works[] = {
	{"ring", "ns an event", measure_ring},
	{"gateway", "ns a frame and its answer", measure_gateway},
	{"proxy", "us a megabyte", measure_proxy},
	{"timers", "ns a move among 10", measure_few_timers},
	{"timers", "ns a move among 1000", measure_many_timers},
};

int main(int argc, char **argv)
{
	long turns = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
		files.rlim_cur = files.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &files);
	}
	printf("%-10s%-28s", "", "");
	for (int i = 0; i < DRIVERS; i++)
		printf("%10s", drivers[i].name);
	putchar('\n');
	for (size_t w = 0; w < sizeof(works) / sizeof(*works); w++) {
		double best[DRIVERS];

		for (long turn = 0; turn < turns; turn++)
			for (int i = 0; i < DRIVERS; i++) {
				double time;

				driver = &drivers[i];
				finished = false;
				time = works[w].measure();
				if (turn == 0 || time < best[i])
					best[i] = time;
			}
		printf("%-10s%-28s", works[w].name, works[w].unit);
		for (int i = 0; i < DRIVERS; i++)
			printf("%10.0f", best[i]);
		putchar('\n');
		fflush(stdout);
	}
	return 0;
}
