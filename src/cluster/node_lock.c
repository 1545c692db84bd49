#include "cluster/node_lock.h"

#include "base/clock.h"

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
#include <sys/stat.h>
#include <unistd.h>

#define ENDED_NAME ".ended"
#define TEXT_MAX   64
#define STAT_MAX   1024
/* In /proc/PID/stat, counted after the name of the program: it may have spaces and brackets. */
#define START_FIELD  20
#define POLL_STEP_MS 5u

/* --- the file ------------------------------------------------------------------------------------
 */

static int node_lock_path(char path[PATH_MAX], const char *state, const char *node)
{
	int size = snprintf(path, PATH_MAX, "%s/run/%s", state, node);

	return size > 0 && size < PATH_MAX ? 0 : -1;
}

/* The folders above a file. */
static int make_folders(const char *path, struct error *err)
{
	char folder[PATH_MAX];

	snprintf(folder, sizeof(folder), "%s", path);
	for (char *at = folder + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		if (mkdir(folder, 0700) && errno != EEXIST)
			return error_set(err, ERROR_IO, "cannot make the folder %s: %s", folder,
				strerror(errno));
		*at = '/';
	}
	return 0;
}

static int lock_file(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &lock);
}

static bool is_locked(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* When a process started; false when there is none. */
static bool read_start(pid_t pid, uint64_t *ticks)
{
	char path[64], text[STAT_MAX], *at, *end;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return false;
	text[size] = '\0';
	at = strrchr(text, ')');
	for (int i = 0; at && i < START_FIELD; i++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*ticks = strtoull(at + 1, &end, 10);
	return end > at + 1;
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

	if (!read_start(getpid(), &ticks))
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

	if (read_holder(fd, &holder) && read_start(holder.pid, &ticks) &&
		ticks == holder.start_ticks)
		return error_set(err, ERROR_IO,
			"%s runs already on this machine, as process %ld: it holds %s", node,
			(long)holder.pid, path);
	return error_set(err, ERROR_IO, "%s runs already on this machine: another process holds %s",
		node, path);
}

static bool is_forbidden(const char *state)
{
	char path[PATH_MAX];

	return node_lock_path(path, state, ENDED_NAME) == 0 && access(path, F_OK) == 0;
}

int node_lock_forbid(const char *state, struct error *err)
{
	char path[PATH_MAX];
	int fd;

	if (node_lock_path(path, state, ENDED_NAME))
		return error_set(err, ERROR_USAGE, "[cluster] state is too long");
	if (make_folders(path, err))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", path, strerror(errno));
	close(fd);
	return 0;
}

void node_lock_permit(const char *state)
{
	char path[PATH_MAX];

	if (node_lock_path(path, state, ENDED_NAME) == 0)
		unlink(path);
}

int node_lock_take(const char *state, const char *node, int *fd, struct error *err)
{
	char path[PATH_MAX];
	int status;

	*fd = -1;
	if (node_lock_path(path, state, node))
		return error_set(err, ERROR_USAGE, "[cluster] state is too long");
	if (make_folders(path, err))
		return -1;
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (*fd < 0)
		return error_set(err, ERROR_IO, "cannot open %s: %s", path, strerror(errno));
	if (lock_file(*fd) == 0)
		/* With the lock in hand: who ends the cluster sees it, or we see the sign. */
		status = is_forbidden(state)
				 ? error_set(err, ERROR_IO,
					   "%s does not start: the cluster in %s was ended", node,
					   state)
				 : sign(*fd, path, err);
	else if (errno == EAGAIN || errno == EACCES)
		status = refuse(*fd, path, node, err);
	else
		status = error_set(err, ERROR_IO, "cannot lock %s: %s", path, strerror(errno));
	if (status) {
		close(*fd);
		*fd = -1;
	}
	return status;
}

/* --- looking -------------------------------------------------------------------------------------
 */

static int open_berth(const char *state, const char *node)
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
	if (!is_locked(fd) || !read_holder(fd, holder))
		return -1;
	ended.fd = pidfd_open(holder->pid, 0);
	if (ended.fd < 0)
		return -1;
	if (read_start(holder->pid, &ticks) && ticks == holder->start_ticks &&
		poll(&ended, 1, 0) == 0 && is_locked(fd))
		return ended.fd;
	close(ended.fd);
	errno = ESRCH;
	return -1;
}

bool node_lock_look(const char *state, const char *node, struct node_lock_holder *holder)
{
	int fd = open_berth(state, node);
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
	int fd = open_berth(state, node);
	bool taken;

	if (fd < 0)
		return false;
	taken = is_locked(fd);
	close(fd);
	return taken;
}

enum node_lock_signalled node_lock_signal(const char *state, const char *node, int number)
{
	enum node_lock_signalled result = NODE_LOCK_NOBODY;
	struct node_lock_holder holder;
	int fd = open_berth(state, node), process;

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
	int fd = open_berth(state, node);
	bool taken;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return error_set(
			err, ERROR_IO, "cannot open %s/run/%s: %s", state, node, strerror(errno));
	/* Again, for one that was about to sign, and for one that came meanwhile. */
	for (;;) {
		taken = is_locked(fd);
		if (!taken)
			break;
		kill_holder(fd, deadline_ms);
		if (clock_monotonic_ms() >= deadline_ms)
			break;
		if (is_locked(fd))
			clock_sleep_ms(POLL_STEP_MS);
	}
	taken = taken && is_locked(fd);
	(void)read_holder(fd, &holder);
	close(fd);
	if (!taken)
		return 0;
	return error_set(err, ERROR_IO, "%s does not go: process %ld holds %s/run/%s", node,
		(long)holder.pid, state, node);
}

bool node_lock_wait_free(const char *state, const char *node, uint32_t wait_ms)
{
	uint64_t deadline_ms = clock_monotonic_ms() + wait_ms;

	while (node_lock_is_taken(state, node)) {
		if (clock_monotonic_ms() >= deadline_ms)
			return false;
		clock_sleep_ms(POLL_STEP_MS);
	}
	return true;
}
