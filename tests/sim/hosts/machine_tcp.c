/*
 * Connections. Each direction is a list of segments on their way, which arrive in order; the request
 * to connect is the first of one direction, and its answer of the other.
 */
#include "sim/hosts/machine.h"

#include "base/hash.h"
#include "base/memory.h"
#include "transport/sim.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_TIMEOUT_US	 30000000u
#define KEEPALIVE_US_MIN 15000000u
#define KEEPALIVE_US	 15000000u
/* What was sent during a cut is sent again up to so long after it. */
#define AGAIN_US_MAX 2000000u
#define WHOLE_BYTES  512u
#define HOST_NET     0x0a000001u /* 10.0.0.1 */

static void on_arrival(void *context, uint64_t argument);

/* --- streams -------------------------------------------------------------------------------------
 */

static void stream_link(struct machine_stream *stream)
{
	struct machine *machine = stream->machine;

	stream->last = &stream->first;
	stream->next = machine->streams;
	if (machine->streams)
		machine->streams->previous = stream;
	machine->streams = stream;
}

static void stream_free(struct machine_stream *stream)
{
	if (stream->previous)
		stream->previous->next = stream->next;
	else
		stream->machine->streams = stream->next;
	if (stream->next)
		stream->next->previous = stream->previous;
	sim_events_cancel(stream->machine->events, stream);
	while (stream->first) {
		struct machine_segment *segment = stream->first;

		stream->first = segment->next;
		free(segment);
	}
	free(stream);
}

/* Both directions of a connection whose ends are gone. */
static void free_if_over(struct machine_stream *stream)
{
	if (stream->from || stream->to || stream->other->from || stream->other->to)
		return;
	stream_free(stream->other);
	stream_free(stream);
}

static void put_segment(
	struct machine_stream *stream, const void *bytes, size_t size, bool end, bool reset)
{
	struct machine *machine = stream->machine;
	struct machine_segment *segment = memory_alloc(sizeof(*segment) + size);
	uint64_t due_us =
		machine->events->now_us + 1 + sim_up_to(&machine->rng, machine->faults.delay_us);

	*segment = (struct machine_segment){.size = size, .end = end, .reset = reset};
	if (size > 0)
		memcpy(segment->bytes, bytes, size);
	*stream->last = segment;
	stream->last = &segment->next;
	stream->flight += size;
	if (due_us < stream->last_us)
		due_us = stream->last_us;
	stream->last_us = due_us;
	sim_events_add(machine->events, due_us - machine->events->now_us, on_arrival, stream, 0);
}

/* The end has nothing more to do with its connection. */
static void leave(struct machine_file *file)
{
	struct machine_stream *out = file->out;

	out->from = NULL;
	file->in->to = NULL;
	file->in = file->out = NULL;
	file->ended = file->shut = true;
	free_if_over(out);
}

static void break_end(struct machine_file *file, int number)
{
	file->error = number;
	file->connecting = false;
	leave(file);
	machine_file_changed(file);
}

static void on_unanswered(void *context, uint64_t stall)
{
	struct machine_stream *stream = context;

	if (stream->stall != stall || !stream->stalled_us || !stream->from || stream->asks)
		return;
	stream->machine->counts.timeouts++;
	break_end(stream->from, ETIMEDOUT);
}

static void on_keepalive(void *context, uint64_t argument)
{
	struct machine_stream *stream = context;

	(void)argument;
	/* Nobody is there, and this one waits for him to speak. */
	if (!stream->from && stream->to && !stream->to->connecting)
		break_end(stream->to, ETIMEDOUT);
}

void machine_stream_close(struct machine_file *file, bool silent)
{
	struct machine_stream *out = file->out;
	bool unread = file->received.size > file->taken;

	if (!out)
		return;
	if (silent)
		sim_events_add(file->machine->events,
			KEEPALIVE_US_MIN + rng_below(&file->machine->rng, KEEPALIVE_US),
			on_keepalive, out, 0);
	else if (!file->connecting && (unread || !file->shut))
		put_segment(out, NULL, 0, !unread, unread);
	leave(file);
}

/* --- arrivals ------------------------------------------------------------------------------------
 */

static struct machine_file *find_listener(struct machine *machine, uint32_t host, uint16_t port)
{
	for (struct machine_file *file = machine->listeners; file; file = file->next)
		if (file->process->host == host && file->port == port)
			return file;
	return NULL;
}

static void on_request(struct machine_stream *stream)
{
	struct machine *machine = stream->machine;
	struct machine_file *listener = find_listener(machine, stream->to_host, stream->to_port);
	struct machine_file *file, **at;

	stream->asks = false;
	if (!listener) {
		machine->counts.refused++;
		put_segment(stream->other, NULL, 0, false, true);
		return;
	}
	machine->counts.connections++;
	file = machine_file_new(machine, FILE_STREAM);
	file->process = listener->process;
	file->refs = 1;
	file->user_timeout_us = USER_TIMEOUT_US;
	file->in = stream;
	file->out = stream->other;
	stream->to = stream->other->from = file;
	for (at = &listener->queue; *at; at = &(*at)->queued)
		;
	*at = file;
	put_segment(stream->other, NULL, 0, false, false);
	machine_file_changed(listener);
}

static void take_bytes(struct machine_file *file, const struct machine_segment *segment)
{
	/* What was read makes room. */
	if (file->taken > 0) {
		file->received.size -= file->taken;
		memmove(file->received.data, file->received.data + file->taken,
			file->received.size);
		file->taken = 0;
	}
	buf_append(&file->received, segment->bytes, segment->size);
}

static void take_segment(struct machine_stream *stream, const struct machine_segment *segment)
{
	struct machine_file *file = stream->to;

	if (stream->asks) {
		on_request(stream);
		return;
	}
	if (!file) {
		/* Nobody knows this connection here. */
		if (!segment->reset && stream->from)
			put_segment(stream->other, NULL, 0, false, true);
		return;
	}
	sim_events_note(stream->machine->events, file->process->name, "segment",
		hash_combine(segment->size + segment->end,
			segment->size ? hash_bytes(segment->bytes, segment->size) : 0));
	if (segment->reset) {
		stream->machine->counts.resets++;
		break_end(file, file->connecting ? ECONNREFUSED : ECONNRESET);
		return;
	}
	file->connecting = false;
	file->ended = file->ended || segment->end;
	if (segment->size > 0)
		take_bytes(file, segment);
	machine_file_changed(file);
}

static void stall(struct machine_stream *stream)
{
	struct machine *machine = stream->machine;

	machine->counts.stalls++;
	stream->stalled_us = machine->events->now_us + 1;
	stream->stall++;
	if (stream->from)
		sim_events_add(machine->events, stream->from->user_timeout_us, on_unanswered,
			stream, stream->stall);
}

static void on_arrival(void *context, uint64_t argument)
{
	struct machine_stream *stream = context;
	struct machine *machine = stream->machine;
	struct machine_segment *segment = stream->first;

	(void)argument;
	assert(segment);
	if (!stream->stalled_us && machine_is_cut(machine, stream->from_host, stream->to_host))
		stall(stream);
	if (stream->stalled_us) {
		stream->missed++;
		return;
	}
	stream->first = segment->next;
	if (!stream->first)
		stream->last = &stream->first;
	stream->flight -= segment->size;
	if (stream->from && stream->to && sim_chance(&machine->rng, machine->faults.break_ppm)) {
		put_segment(stream->other, NULL, 0, false, true);
		segment->reset = true;
	}
	take_segment(stream, segment);
	free(segment);
}

static void on_again(void *context, uint64_t number)
{
	struct machine_stream *stream = context;
	struct machine *machine = stream->machine;

	if (stream->stall != number || machine_is_cut(machine, stream->from_host, stream->to_host))
		return;
	stream->stalled_us = 0;
	for (; stream->missed > 0; stream->missed--)
		sim_events_add(machine->events, 0, on_arrival, stream, 0);
}

void machine_streams_healed(struct machine *machine, uint32_t a, uint32_t b)
{
	for (struct machine_stream *stream = machine->streams; stream; stream = stream->next) {
		uint64_t waited_us;

		if (!stream->stalled_us || (stream->from_host != a && stream->from_host != b) ||
			(stream->to_host != a && stream->to_host != b))
			continue;
		/* The longer it has been tried in vain, the rarer the attempts. */
		waited_us = machine->events->now_us + 1 - stream->stalled_us;
		sim_events_add(machine->events,
			sim_up_to(
				&machine->rng, waited_us < AGAIN_US_MAX ? waited_us : AGAIN_US_MAX),
			on_again, stream, stream->stall);
	}
}

/* --- cuts ----------------------------------------------------------------------------------------
 */

bool machine_is_cut(const struct machine *machine, uint32_t a, uint32_t b)
{
	return machine->cut[a][b];
}

void machine_cut(struct machine *machine, uint32_t a, uint32_t b, bool cut)
{
	uint64_t now_us = machine->events->now_us;

	if (a == b || machine->cut[a][b] == cut)
		return;
	sim_events_note(machine->events, "network", cut ? "cut" : "heal", a * 100 + b);
	machine->cut[a][b] = machine->cut[b][a] = cut;
	if (cut) {
		machine->cut_us[a][b] = machine->cut_us[b][a] = now_us;
		return;
	}
	machine->healed_us[a][b] = machine->healed_us[b][a] = now_us;
	machine_streams_healed(machine, a, b);
}

uint64_t machine_connected_since_us(const struct machine *machine, uint32_t a, uint32_t b)
{
	return machine->cut[a][b] ? UINT64_MAX : machine->healed_us[a][b];
}

void machine_host_text(uint32_t host, char text[16])
{
	snprintf(text, 16, "10.0.0.%u", host + 1);
}

/* --- calls ---------------------------------------------------------------------------------------
 */

int machine_socket(void)
{
	struct machine_file *file = machine_file_new(machine_now, FILE_SOCKET);
	int fd = machine_fd_new(file);

	if (fd < 0) {
		file->refs = 1;
		machine_file_unref(file);
		errno = EMFILE;
	}
	return fd;
}

static const struct sockaddr_in *inet(const struct sockaddr *address)
{
	assert(address->sa_family == AF_INET);
	return (const struct sockaddr_in *)(const void *)address;
}

int machine_bind(int fd, const struct sockaddr *address)
{
	struct machine_file *file = machine_file_of(fd);

	if (!file)
		return -1;
	file->port = ntohs(inet(address)->sin_port);
	if (!find_listener(file->machine, file->process->host, file->port))
		return 0;
	errno = EADDRINUSE;
	return -1;
}

int machine_listen(int fd)
{
	struct machine_file *file = machine_file_of(fd);

	if (!file)
		return -1;
	file->kind = FILE_LISTENER;
	file->next = file->machine->listeners;
	file->machine->listeners = file;
	return 0;
}

int machine_accept(int fd)
{
	struct machine_file *listener = machine_file_of(fd), *file;
	int accepted;

	if (!listener)
		return -1;
	file = listener->queue;
	if (!file) {
		errno = EAGAIN;
		return -1;
	}
	accepted = machine_fd_new(file);
	if (accepted < 0)
		return -1;
	listener->queue = file->queued;
	file->queued = NULL;
	file->refs--;
	return accepted;
}

int machine_connect(int fd, const struct sockaddr *address)
{
	struct machine_file *file = machine_file_of(fd);
	struct machine_stream *out, *in;
	uint32_t host = ntohl(inet(address)->sin_addr.s_addr) - HOST_NET;

	if (!file)
		return -1;
	assert(file->kind == FILE_SOCKET && host < MACHINE_HOSTS_MAX);
	out = memory_zalloc(sizeof(*out));
	in = memory_zalloc(sizeof(*in));
	*out = (struct machine_stream){.machine = file->machine,
		.other = in,
		.from = file,
		.from_host = file->process->host,
		.to_host = host,
		.to_port = ntohs(inet(address)->sin_port),
		.asks = true};
	*in = (struct machine_stream){.machine = file->machine,
		.other = out,
		.to = file,
		.from_host = host,
		.to_host = file->process->host};
	stream_link(out);
	stream_link(in);
	file->kind = FILE_STREAM;
	file->connecting = true;
	file->user_timeout_us = USER_TIMEOUT_US;
	file->out = out;
	file->in = in;
	put_segment(out, NULL, 0, false, false);
	errno = EINPROGRESS;
	return -1;
}

int machine_socket_error(int fd)
{
	struct machine_file *file = machine_file_of(fd);
	int number = file ? file->error : EBADF;

	if (file)
		file->error = 0;
	return number;
}

void machine_set_user_timeout(int fd, uint32_t ms)
{
	struct machine_file *file = machine_file_of(fd);

	if (file)
		file->user_timeout_us = (uint64_t)ms * 1000;
}

static size_t room_of(const struct machine_file *file)
{
	const struct machine_file *to = file->out->to;
	size_t held = file->out->flight + (to ? to->received.size - to->taken : 0);

	return held < file->machine->faults.window_bytes ? file->machine->faults.window_bytes - held
							 : 0;
}

static int fail_with(int number)
{
	errno = number;
	return -1;
}

static int take_error(struct machine_file *file)
{
	int number = file->error;

	file->error = 0;
	return fail_with(number);
}

ssize_t machine_send(int fd, const void *bytes, size_t size)
{
	struct machine_file *file = machine_file_of(fd);
	size_t room, wanted = size;

	if (!file || file->kind != FILE_STREAM)
		return fail_with(file ? ENOTCONN : EBADF);
	if (file->error)
		return take_error(file);
	if (!file->out || file->shut)
		return fail_with(EPIPE);
	room = file->connecting ? 0 : room_of(file);
	size = size < room ? size : room;
	size = size < MACHINE_SEGMENT_BYTES ? size : MACHINE_SEGMENT_BYTES;
	if (size == 0 || (size < wanted && size <= WHOLE_BYTES))
		return fail_with(EAGAIN);
	/* A few bytes fit into the buffer of any connection, or none of them. */
	if (size > WHOLE_BYTES)
		size = WHOLE_BYTES + machine_some(file->machine, size - WHOLE_BYTES);
	put_segment(file->out, bytes, size, false, false);
	return (ssize_t)size;
}

ssize_t machine_recv(int fd, void *bytes, size_t size)
{
	struct machine_file *file = machine_file_of(fd);
	size_t have;

	if (!file || file->kind != FILE_STREAM)
		return fail_with(file ? ENOTCONN : EBADF);
	have = file->received.size - file->taken;
	if (have == 0 && file->error)
		return take_error(file);
	if (have == 0)
		return file->ended ? 0 : fail_with(EAGAIN);
	size = machine_some(file->machine, size < have ? size : have);
	memcpy(bytes, file->received.data + file->taken, size);
	file->taken += size;
	if (file->in)
		machine_file_changed(file->in->from);
	return (ssize_t)size;
}

int machine_shutdown(int fd)
{
	struct machine_file *file = machine_file_of(fd);

	if (!file || !file->out || file->connecting)
		return fail_with(file ? ENOTCONN : EBADF);
	if (!file->shut)
		put_segment(file->out, NULL, 0, true, false);
	file->shut = true;
	return 0;
}

uint32_t machine_file_ready(const struct machine_file *file)
{
	uint32_t ready = 0;

	if (file->kind == FILE_LISTENER)
		return file->queue ? EPOLLIN : 0;
	if (file->kind != FILE_STREAM || (file->connecting && !file->error))
		return 0;
	if (file->received.size > file->taken || file->ended || file->error)
		ready |= EPOLLIN;
	if (!file->out || file->shut || room_of(file) > WHOLE_BYTES)
		ready |= EPOLLOUT;
	if (file->ended && file->shut)
		ready |= EPOLLHUP;
	if (file->error)
		ready |= EPOLLERR;
	return ready;
}
