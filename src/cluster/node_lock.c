#include "cluster/node_lock.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/lock_file.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#define ENDED_NAME   ".ended"
#define TEXT_MAX     64
#define POLL_STEP_MS 5u

/* --- the file ------------------------------------------------------------------------------------
 */

static int node_lock_path(char path[PATH_MAX], const char *state, const char *node)
{
	int size = snprintf(path, PATH_MAX, "%s/run/%s", state, node);

	return size > 0 && size < PATH_MAX ? 0 : -1;
}

/* What the file says, whoever wrote it. */
static bool read_holder(int fd, struct node_lock_holder *holder)
{
	char text[TEXT_MAX], *end, *last;
	ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
	long pid;

	if (size <= 0)
		return false;
	text[size] = '\0';
	pid = strtol(text, &end, 10);
	if (pid <= 1 || pid > INT_MAX || *end != ' ')
		return false;
	holder->pid = (pid_t)pid;
	holder->start_ticks = strtoull(end + 1, &last, 10);
	return last > end + 1 && strcmp(last, "\n") == 0;
}

/* --- taking it -----------------------------------------------------------------------------------
 */

static int sign(int fd, const char *path, struct error *err)
{
	char text[TEXT_MAX];
	uint64_t ticks;
	int size;

	if (!process_start_ticks(getpid(), &ticks))
		return error_set(err, ERROR_IO, "cannot read /proc/%ld/stat", (long)getpid());
	size = snprintf(text, sizeof(text), "%ld %" PRIu64 "\n", (long)getpid(), ticks);
	if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)size, 0) != size)
		return error_set(err, ERROR_IO, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

static int refuse(int fd, const char *path, const char *node, struct error *err)
{
	struct node_lock_holder holder;
	uint64_t ticks;

	if (read_holder(fd, &holder) && process_start_ticks(holder.pid, &ticks) &&
		ticks == holder.start_ticks)
		return error_set(err, ERROR_IO,
			"%s is already running on this machine, as process %ld: it holds %s", node,
			(long)holder.pid, path);
	return error_set(err, ERROR_IO,
		"%s is already running on this machine: another process holds %s", node, path);
}

static bool is_forbidden(const char *state)
{
	char path[PATH_MAX];

	return node_lock_path(path, state, ENDED_NAME) == 0 && access(path, F_OK) == 0;
}

/* An empty file in run/ that says something by being there. */
static int put_sign(const char *state, const char *name, struct error *err)
{
	char path[PATH_MAX];
	int fd;

	if (node_lock_path(path, state, name))
		return error_set(err, ERROR_USAGE, "[cluster] state is too long");
	if (folder_make_above(path, 0700, err))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

int node_lock_forbid(const char *state, struct error *err)
{
	return put_sign(state, ENDED_NAME, err);
}

static void drained_name(char name[NAME_MAX], const char *node)
{
	snprintf(name, NAME_MAX, ".%s.drained", node);
}

int node_lock_keep_out(const char *state, const char *node, struct error *err)
{
	char name[NAME_MAX];

	drained_name(name, node);
	return put_sign(state, name, err);
}

bool node_lock_let_in(const char *state, const char *node)
{
	char path[PATH_MAX], name[NAME_MAX];

	drained_name(name, node);
	return node_lock_path(path, state, name) == 0 && unlink(path) == 0;
}

bool node_lock_is_kept_out(const char *state, const char *node)
{
	char path[PATH_MAX], name[NAME_MAX];

	drained_name(name, node);
	return node_lock_path(path, state, name) == 0 && access(path, F_OK) == 0;
}

void node_lock_permit(const char *state)
{
	char path[PATH_MAX];

	if (node_lock_path(path, state, ENDED_NAME) == 0)
		unlink(path);
}

/* With the lock in hand: whoever ends the cluster or drains the node sees it, or we see the sign. */
static int start_in(
	int fd, const char *path, const char *state, const char *node, struct error *err)
{
	if (is_forbidden(state))
		return error_set(err, ERROR_IO, "%s does not start: the cluster in %s was ended",
			node, state);
	if (node_lock_is_kept_out(state, node))
		return error_set(err, ERROR_IO, "%s does not start: it was drained", node);
	return sign(fd, path, err);
}

int node_lock_take(const char *state, const char *node, int *fd, struct error *err)
{
	char path[PATH_MAX];
	int status = 0;

	*fd = -1;
	if (node_lock_path(path, state, node))
		return error_set(err, ERROR_USAGE, "[cluster] state is too long");
	if (folder_make_above(path, 0700, err))
		return -1;
	switch (lock_file_take(AT_FDCWD, path, fd)) {
	case LOCK_FILE_FAILED:
		return error_set(err, ERROR_IO, "cannot lock %s: %s", path, strerror(errno));
	case LOCK_FILE_BUSY: status = refuse(*fd, path, node, err); break;
	case LOCK_FILE_TAKEN: status = start_in(*fd, path, state, node, err); break;
	}
	if (status) {
		close(*fd);
		*fd = -1;
	}
	return status;
}

int node_lock_keep(const char *state, const char *node, int *fd, struct error *err)
{
	char path[PATH_MAX];
	int lost = *fd;

	if (node_lock_path(path, state, node) == 0 && lock_file_has_name(*fd, AT_FDCWD, path))
		return 0;
	/* The old one is held meanwhile, for those who have it open. */
	if (node_lock_take(state, node, fd, err)) {
		close(lost);
		return -1;
	}
	close(lost);
	return 0;
}

/* --- looking -------------------------------------------------------------------------------------
 */

static int open_file(const char *state, const char *node)
{
	char path[PATH_MAX];

	if (node_lock_path(path, state, node))
		return -1;
	return open(path, O_RDWR | O_CLOEXEC);
}

/*
 * A pidfd of the process that lives there; -1 with errno ESRCH when nobody does. The order matters:
 * from when the pidfd is open its number can be given to nobody else without the pidfd telling, so
 * that what is read in between is about the process that it stands for.
 */
static int open_holder(int fd, struct node_lock_holder *holder)
{
	struct pollfd ended = {.events = POLLIN};
	uint64_t ticks;

	errno = ESRCH;
	if (!lock_file_is_held(fd) || !read_holder(fd, holder))
		return -1;
	ended.fd = pidfd_open(holder->pid, 0);
	if (ended.fd < 0)
		return -1;
	if (process_start_ticks(holder->pid, &ticks) && ticks == holder->start_ticks &&
		poll(&ended, 1, 0) == 0 && lock_file_is_held(fd))
		return ended.fd;
	close(ended.fd);
	errno = ESRCH;
	return -1;
}

bool node_lock_look(const char *state, const char *node, struct node_lock_holder *holder)
{
	int fd = open_file(state, node);
	int process;

	if (fd < 0)
		return false;
	process = open_holder(fd, holder);
	close(fd);
	if (process < 0)
		return false;
	close(process);
	return true;
}

bool node_lock_is_taken(const char *state, const char *node)
{
	int fd = open_file(state, node);
	bool taken;

	if (fd < 0)
		return false;
	taken = lock_file_is_held(fd);
	close(fd);
	return taken;
}

enum node_lock_signalled node_lock_signal(const char *state, const char *node, int number)
{
	enum node_lock_signalled result = NODE_LOCK_NOBODY;
	struct node_lock_holder holder;
	int fd = open_file(state, node), process;

	if (fd < 0)
		return NODE_LOCK_NOBODY;
	process = open_holder(fd, &holder);
	if (process >= 0) {
		if (pidfd_send_signal(process, number, NULL, 0) == 0)
			result = NODE_LOCK_SENT;
		else if (errno == EPERM)
			result = NODE_LOCK_REFUSED;
		close(process);
	}
	close(fd);
	return result;
}

/* --- emptying it ---------------------------------------------------------------------------------
 */

/* Kills who lives there now, if anybody does, and waits for the end. */
static void kill_holder(int fd, uint64_t deadline_ms)
{
	struct node_lock_holder holder;
	struct pollfd ended = {.fd = open_holder(fd, &holder), .events = POLLIN};
	uint64_t now_ms = clock_monotonic_ms();

	if (ended.fd < 0)
		return;
	if (pidfd_send_signal(ended.fd, SIGKILL, NULL, 0) == 0 && now_ms < deadline_ms)
		(void)poll(&ended, 1, (int)(deadline_ms - now_ms));
	close(ended.fd);
}

int node_lock_evict(const char *state, const char *node, uint32_t wait_ms, struct error *err)
{
	uint64_t deadline_ms = clock_monotonic_ms() + wait_ms;
	struct node_lock_holder holder = {0};
	int fd = open_file(state, node);
	bool taken;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return error_set(
			err, ERROR_IO, "cannot open %s/run/%s: %s", state, node, strerror(errno));
	/* Again, for one that was about to sign, and for one that came meanwhile. */
	for (;;) {
		taken = lock_file_is_held(fd);
		if (!taken)
			break;
		kill_holder(fd, deadline_ms);
		if (clock_monotonic_ms() >= deadline_ms)
			break;
		if (lock_file_is_held(fd))
			clock_sleep_ms(POLL_STEP_MS);
	}
	taken = taken && lock_file_is_held(fd);
	(void)read_holder(fd, &holder);
	close(fd);
	if (!taken)
		return 0;
	return error_set(err, ERROR_IO, "%s does not end: process %ld holds %s/run/%s", node,
		(long)holder.pid, state, node);
}
