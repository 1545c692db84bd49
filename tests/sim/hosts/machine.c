/* Processes, their tasks and their descriptors. Connections are in machine_tcp.c. */
#include "sim/hosts/machine.h"

#include "base/hash.h"
#include "base/memory.h"
#include "transport/sim.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_US	      20u
#define IDLE_MS	      1000u  /* of a task that did not even look */
#define TURNS_ROW_MAX 50000u /* without a rest: it would turn for ever */

struct machine *machine_now;

void machine_init(struct machine *machine, struct sim_events *events, uint64_t seed)
{
	*machine = (struct machine){.events = events};
	rng_init(&machine->rng, seed);
	machine_now = machine;
}

void machine_release(struct machine *machine)
{
	assert(!machine->processes && !machine->streams && !machine->listeners);
	machine_now = NULL;
}

void machine_complain(struct machine *machine, const char *format, ...)
{
	va_list args;

	if (machine->problem[0])
		return;
	va_start(args, format);
	vsnprintf(machine->problem, sizeof(machine->problem), format, args);
	va_end(args);
}

size_t machine_some(struct machine *machine, size_t size)
{
	if (size < 2 || !sim_chance(&machine->rng, machine->faults.piece_ppm))
		return size;
	machine->counts.pieces++;
	return 1 + rng_below(&machine->rng, size);
}

/* --- tasks ---------------------------------------------------------------------------------------
 */

static void on_turn(void *context, uint64_t wake);

static void wake_after(struct machine_task *task, uint64_t delay_us)
{
	sim_events_add(task->process->machine->events, delay_us, on_turn, task, ++task->wake);
}

void machine_task_wake(struct machine_task *task)
{
	if (!task || task->soon)
		return;
	task->soon = true;
	wake_after(task, 1 + rng_below(&task->process->machine->rng, TURN_US));
}

static void on_turn(void *context, uint64_t wake)
{
	struct machine_task *task = context;
	struct machine_process *process = task->process, *before;
	struct machine *machine = process->machine;

	if (wake != task->wake)
		return;
	task->soon = false;
	if (process->paused || task->stuck) {
		task->due = true;
		return;
	}
	machine->counts.turns++;
	task->again = false;
	task->wait_ms = IDLE_MS;
	before = machine_enter(process);
	machine->current_task = task;
	task->turn(task->context);
	machine->current_task = NULL;
	machine_leave(before);
	task->row = task->again ? task->row + 1 : 0;
	if (task->row == TURNS_ROW_MAX)
		machine_complain(machine, "%s turns its loop without end", process->name);
	if (task->again)
		machine_task_wake(task);
	else if (!task->soon)
		wake_after(task, task->wait_ms * 1000);
}

struct machine_task *machine_task_new(
	struct machine_process *process, machine_turn turn, void *context)
{
	struct machine_task *task = process->tasks;

	while (task->process)
		task++;
	assert(task < process->tasks + MACHINE_TASKS_MAX);
	*task = (struct machine_task){.process = process, .turn = turn, .context = context};
	machine_task_wake(task);
	return task;
}

void machine_task_free(struct machine_task *task)
{
	struct machine *machine = task->process->machine;

	sim_events_cancel(machine->events, task);
	for (uint32_t i = 0; i < MACHINE_FILES_MAX; i++)
		if (machine->slots[i].file && machine->slots[i].file->task == task)
			machine->slots[i].file->task = NULL;
	task->process = NULL;
}

static void go_on(struct machine_task *task)
{
	if (!task->process || !task->due || task->stuck || task->process->paused)
		return;
	task->due = false;
	machine_task_wake(task);
}

void machine_task_stick(struct machine_task *task, bool stuck)
{
	task->stuck = stuck;
	go_on(task);
}

void machine_process_pause(struct machine_process *process, bool paused)
{
	process->paused = paused;
	for (uint32_t i = 0; i < MACHINE_TASKS_MAX; i++)
		go_on(&process->tasks[i]);
}

/* --- processes -----------------------------------------------------------------------------------
 */

struct machine_process *machine_process_new(
	struct machine *machine, uint32_t host, const char *name)
{
	struct machine_process *process = memory_zalloc(sizeof(*process));

	process->machine = machine;
	process->host = host;
	snprintf(process->name, sizeof(process->name), "%s", name);
	process->next = machine->processes;
	machine->processes = process;
	sim_events_note(machine->events, process->name, "process", host);
	return process;
}

struct machine_process *machine_enter(struct machine_process *process)
{
	struct machine_process *before = process->machine->current;

	process->machine->current = process;
	return before;
}

void machine_leave(struct machine_process *before)
{
	machine_now->current = before;
}

void machine_process_kill(struct machine_process *process, bool silent)
{
	struct machine *machine = process->machine;

	sim_events_note(machine->events, process->name, "killed", silent);
	process->dead = true;
	for (uint32_t i = 0; i < MACHINE_TASKS_MAX; i++)
		if (process->tasks[i].process)
			sim_events_cancel(machine->events, &process->tasks[i]);
	machine->silent = silent;
	for (uint32_t i = 0; i < MACHINE_FILES_MAX; i++) {
		struct machine_slot *slot = &machine->slots[i];

		if (slot->process != process || !slot->file)
			continue;
		machine_file_unref(slot->file);
		slot->file = NULL;
	}
	machine->silent = false;
}

void machine_process_free(struct machine_process *process)
{
	struct machine *machine = process->machine;
	struct machine_process **at = &machine->processes;
	uint32_t forgotten = 0;

	assert(process->dead);
	for (uint32_t i = 0; i < MACHINE_FILES_MAX; i++)
		if (machine->slots[i].process == process) {
			machine->slots[i].process = NULL;
			forgotten++;
		}
	if (forgotten > 0)
		machine_complain(
			machine, "%s never closes %u of its descriptors", process->name, forgotten);
	while (*at != process)
		at = &(*at)->next;
	*at = process->next;
	free(process);
}

uint32_t machine_process_sockets(const struct machine_process *process)
{
	const struct machine *machine = process->machine;
	uint32_t count = 0;

	for (uint32_t i = 0; i < MACHINE_FILES_MAX; i++)
		count += machine->slots[i].process == process && machine->slots[i].file &&
			 machine->slots[i].file->kind == FILE_STREAM;
	return count;
}

/* --- descriptors ---------------------------------------------------------------------------------
 */

struct machine_file *machine_file_new(struct machine *machine, enum machine_file_kind kind)
{
	struct machine_file *file = memory_zalloc(sizeof(*file));

	file->kind = kind;
	file->machine = machine;
	file->process = machine->current;
	file->number = ++machine->file_number;
	buf_init(&file->received, (size_t)1 << 30);
	return file;
}

bool machine_owns(int fd)
{
	return fd >= MACHINE_FD_BASE && fd < MACHINE_FD_BASE + (int)MACHINE_FILES_MAX;
}

int machine_fd_new(struct machine_file *file)
{
	struct machine *machine = file->machine;
	uint32_t i = 0;

	if (machine->current->dead || sim_chance(&machine->rng, machine->faults.no_files_ppm)) {
		machine->counts.no_files += !machine->current->dead;
		errno = EMFILE;
		return -1;
	}
	while (i < MACHINE_FILES_MAX && machine->slots[i].process)
		i++;
	assert(i < MACHINE_FILES_MAX);
	machine->slots[i] = (struct machine_slot){machine->current, file};
	file->process = machine->current;
	file->refs++;
	return MACHINE_FD_BASE + (int)i;
}

static struct machine_slot *slot_of(int fd)
{
	struct machine *machine = machine_now;
	struct machine_slot *slot = &machine->slots[fd - MACHINE_FD_BASE];

	if (slot->process && slot->process == machine->current)
		return slot;
	machine_complain(machine, "%s uses a descriptor that is not its own",
		machine->current ? machine->current->name : "nobody");
	return NULL;
}

struct machine_file *machine_file_of(int fd)
{
	struct machine_slot *slot = slot_of(fd);

	errno = EBADF;
	return slot ? slot->file : NULL;
}

static void interest_free(struct machine_file *epoll, struct machine_interest **at)
{
	struct machine_interest *interest = *at;

	(void)epoll;
	*at = interest->next;
	interest->file->epoll = NULL;
	free(interest);
}

static void pipe_end_free(struct machine_file *file)
{
	struct machine_pipe *pipe = file->pipe;

	if (file->kind == FILE_PIPE_READ)
		pipe->read = NULL;
	else
		pipe->write = NULL;
	if (pipe->read || pipe->write)
		return;
	buf_release(&pipe->bytes);
	free(pipe);
}

static void listener_free(struct machine_file *listener)
{
	struct machine_file **at = &listener->machine->listeners;

	while (*at != listener)
		at = &(*at)->next;
	*at = listener->next;
	while (listener->queue) {
		struct machine_file *file = listener->queue;

		listener->queue = file->queued;
		machine_file_unref(file);
	}
}

void machine_file_unref(struct machine_file *file)
{
	if (--file->refs > 0)
		return;
	if (file->epoll) {
		struct machine_interest **at = &file->epoll->interests;

		if (!file->process->dead)
			machine_complain(file->machine,
				"%s closes a descriptor that its loop still waits for",
				file->process->name);
		while ((*at)->file != file)
			at = &(*at)->next;
		interest_free(file->epoll, at);
	}
	switch (file->kind) {
	case FILE_SOCKET: break;
	case FILE_LISTENER: listener_free(file); break;
	case FILE_STREAM: machine_stream_close(file, file->machine->silent); break;
	case FILE_PIPE_READ:
	case FILE_PIPE_WRITE: pipe_end_free(file); break;
	case FILE_EPOLL:
		while (file->interests)
			interest_free(file, &file->interests);
		break;
	}
	buf_release(&file->received);
	free(file);
}

int machine_close(int fd)
{
	struct machine_slot *slot = slot_of(fd);

	if (!slot) {
		errno = EBADF;
		return -1;
	}
	slot->process = NULL;
	if (slot->file)
		machine_file_unref(slot->file);
	slot->file = NULL;
	return 0;
}

int machine_dup(int fd)
{
	struct machine_file *file = machine_file_of(fd);

	return file ? machine_fd_new(file) : -1;
}

int machine_pass(int fd, struct machine_process *to)
{
	struct machine_file *file = machine_file_of(fd);
	struct machine_process *before;
	int given;

	if (!file)
		return -1;
	before = machine_enter(to);
	given = machine_fd_new(file);
	machine_leave(before);
	if (given < 0)
		return -1;
	machine_close(fd);
	file->process = to;
	file->machine->counts.passed++;
	return given;
}

/* --- waiting -------------------------------------------------------------------------------------
 */

void machine_file_changed(struct machine_file *file)
{
	if (file && file->epoll && machine_file_ready(file))
		machine_task_wake(file->epoll->task);
}

int machine_epoll_create(void)
{
	struct machine_file *file = machine_file_new(machine_now, FILE_EPOLL);
	int fd = machine_fd_new(file);

	if (fd < 0) {
		file->refs = 1;
		machine_file_unref(file);
	}
	return fd;
}

int machine_epoll_ctl(int epoll_fd, int operation, int fd, struct epoll_event *event)
{
	struct machine_file *epoll = machine_file_of(epoll_fd);
	struct machine_file *file = machine_file_of(fd);
	struct machine_interest **at, *interest;

	/* A dead process tidies up. */
	if (!epoll || !file)
		return machine_now->current->dead ? 0 : -1;
	for (at = &epoll->interests; *at && (*at)->fd != fd; at = &(*at)->next)
		;
	if ((operation == EPOLL_CTL_ADD) == (*at != NULL)) {
		errno = operation == EPOLL_CTL_ADD ? EEXIST : ENOENT;
		return -1;
	}
	if (operation == EPOLL_CTL_DEL) {
		interest_free(epoll, at);
		return 0;
	}
	if (operation == EPOLL_CTL_ADD) {
		interest = memory_zalloc(sizeof(*interest));
		interest->fd = fd;
		interest->file = file;
		interest->next = epoll->interests;
		epoll->interests = interest;
		file->epoll = epoll;
	} else {
		interest = *at;
	}
	interest->events = event->events;
	interest->data = event->data;
	machine_file_changed(file);
	return 0;
}

/* Connections among each other come in any order. */
static void shuffle(struct rng *rng, struct epoll_event *events, int count)
{
	for (int i = count - 1; i > 0; i--) {
		int other = (int)rng_below(rng, (uint64_t)i + 1);
		struct epoll_event event = events[i];

		events[i] = events[other];
		events[other] = event;
	}
}

int machine_epoll_wait(int epoll_fd, struct epoll_event *events, int count, int timeout_ms)
{
	struct machine_file *epoll = machine_file_of(epoll_fd);
	struct machine *machine = machine_now;
	struct machine_task *task = machine->current_task;
	int found = 0;

	if (!epoll)
		return 0;
	for (struct machine_interest *i = epoll->interests; i && found < count; i = i->next) {
		uint32_t ready = machine_file_ready(i->file) & (i->events | EPOLLERR | EPOLLHUP);

		if (ready)
			events[found++] = (struct epoll_event){.events = ready, .data = i->data};
	}
	shuffle(&machine->rng, events, found);
	if (task) {
		epoll->task = task;
		task->again = found > 0 || timeout_ms == 0;
		task->wait_ms = (uint64_t)timeout_ms;
	}
	return found;
}

/* --- pipes ---------------------------------------------------------------------------------------
 */

int machine_pipe(int ends[2])
{
	struct machine_pipe *pipe = memory_zalloc(sizeof(*pipe));

	buf_init(&pipe->bytes, machine_now->faults.pipe_bytes);
	pipe->read = machine_file_new(machine_now, FILE_PIPE_READ);
	pipe->write = machine_file_new(machine_now, FILE_PIPE_WRITE);
	pipe->read->pipe = pipe->write->pipe = pipe;
	ends[0] = machine_fd_new(pipe->read);
	ends[1] = ends[0] < 0 ? -1 : machine_fd_new(pipe->write);
	if (ends[1] >= 0)
		return 0;
	pipe->write->refs = 1;
	machine_file_unref(pipe->write);
	if (ends[0] >= 0)
		machine_close(ends[0]);
	else {
		pipe->read->refs = 1;
		machine_file_unref(pipe->read);
	}
	errno = EMFILE;
	return -1;
}

static ssize_t fill_pipe(
	int from, struct machine_file *socket, struct machine_pipe *pipe, size_t size)
{
	size_t room = pipe->bytes.size_max - pipe->bytes.size;
	ssize_t got;

	if (room == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (pipe->bytes.size > 0 && pipe->origin != socket->number)
		machine_complain(socket->machine, "%s puts bytes of two connections into one pipe",
			socket->process->name);
	size = size < room ? size : room;
	got = machine_recv(from, buf_reserve(&pipe->bytes, size), size);
	if (got > 0) {
		pipe->bytes.size += (size_t)got;
		pipe->origin = socket->number;
	}
	return got;
}

/* The bytes of a connection go to one other for as long as they live. */
static void check_partner(const struct machine_pipe *pipe, struct machine_file *socket)
{
	struct machine *machine = socket->machine;

	for (uint32_t i = 0; i < MACHINE_FILES_MAX; i++) {
		struct machine_file *origin = machine->slots[i].file;

		if (!origin || origin->number != pipe->origin)
			continue;
		if (origin->partner && origin->partner != socket->number)
			machine_complain(machine, "%s gives bytes of one connection to two others",
				socket->process->name);
		origin->partner = socket->number;
	}
	if (socket->partner && socket->partner != pipe->origin)
		machine_complain(
			machine, "%s mixes bytes of two connections", socket->process->name);
	socket->partner = pipe->origin;
}

static ssize_t empty_pipe(
	int to, struct machine_file *socket, struct machine_pipe *pipe, size_t size)
{
	ssize_t sent;

	if (pipe->bytes.size == 0) {
		errno = EAGAIN;
		return -1;
	}
	size = size < pipe->bytes.size ? size : pipe->bytes.size;
	sent = machine_send(to, pipe->bytes.data, size);
	if (sent <= 0)
		return sent;
	check_partner(pipe, socket);
	pipe->bytes.size -= (size_t)sent;
	memmove(pipe->bytes.data, pipe->bytes.data + sent, pipe->bytes.size);
	socket->machine->counts.spliced += (uint64_t)sent;
	return sent;
}

ssize_t machine_splice(int from, int to, size_t size)
{
	struct machine_file *source = machine_file_of(from);
	struct machine_file *target = machine_file_of(to);

	if (!source || !target)
		return -1;
	if (source->kind == FILE_STREAM && target->kind == FILE_PIPE_WRITE)
		return fill_pipe(from, source, target->pipe, size);
	if (source->kind == FILE_PIPE_READ && target->kind == FILE_STREAM)
		return empty_pipe(to, target, source->pipe, size);
	errno = EINVAL;
	return -1;
}
