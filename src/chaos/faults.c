#include "chaos/faults.h"

#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOW_STOPPED_MS 45u
#define SLOW_LET_MS	5u

const char *const fault_names[FAULT_KINDS + 1] = {"kill", "pause", "slow", "cut", NULL};

/* --- cutting -------------------------------------------------------------------------------------
 */

static void cut_socket(int fd)
{
	struct sockaddr_storage peer;
	socklen_t size = sizeof(peer);

	if (getpeername(fd, (struct sockaddr *)&peer, &size) == 0 &&
		(peer.ss_family == AF_INET || peer.ss_family == AF_INET6))
		shutdown(fd, SHUT_RDWR);
}

/* Every connection that the process has now. -1: we may not. */
static int cut_all(pid_t pid)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	char path[64], target[64];
	struct dirent *entry;
	int status = 0;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%ld/fd", (long)pid);
	folder = process < 0 ? NULL : opendir(path);
	if (!folder)
		status = errno == EACCES || errno == EPERM ? -1 : 0;
	while (folder && (entry = readdir(folder))) {
		ssize_t size = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
		int fd;

		if (size < 7 || strncmp(target, "socket:", 7) != 0)
			continue;
		fd = (int)syscall(
			SYS_pidfd_getfd, process, (int)strtol(entry->d_name, NULL, 10), 0);
		if (fd < 0 && errno == EPERM)
			status = -1;
		if (fd < 0)
			continue;
		cut_socket(fd);
		close(fd);
	}
	if (folder)
		closedir(folder);
	if (process >= 0)
		close(process);
	return status;
}

/* --- faults --------------------------------------------------------------------------------------
 */

static bool is_same(const struct faults *faults, const struct fault *fault)
{
	struct node_lock_holder holder;

	return node_lock_look(faults->state, fault->node, &holder) &&
	       holder.pid == fault->process.pid && holder.start_ticks == fault->process.start_ticks;
}

static void stop(const struct faults *faults, struct fault *fault, bool stopped)
{
	if (is_same(faults, fault))
		node_lock_signal(faults->state, fault->node, stopped ? SIGSTOP : SIGCONT);
	fault->stopped = stopped;
}

static void forget(struct faults *faults, uint32_t index)
{
	struct fault *fault = &faults->items[index];

	if (fault->stopped)
		stop(faults, fault, false);
	*fault = faults->items[--faults->count];
}

enum fault_begun faults_begin(struct faults *faults, enum fault_kind kind, const char *node,
	uint64_t length_ms, uint64_t now_ms, pid_t *pid)
{
	struct fault *fault = &faults->items[faults->count];

	*fault = (struct fault){.kind = kind, .end_ms = now_ms + length_ms};
	snprintf(fault->node, sizeof(fault->node), "%s", node);
	if (!node_lock_look(faults->state, node, &fault->process))
		return FAULT_NOBODY;
	*pid = fault->process.pid;
	switch (kind) {
	case FAULT_KILL:
		switch (node_lock_signal(faults->state, node, SIGKILL)) {
		case NODE_LOCK_SENT: return FAULT_BEGUN;
		case NODE_LOCK_NOBODY: return FAULT_NOBODY;
		case NODE_LOCK_REFUSED: break;
		}
		return FAULT_NOT_ALLOWED;
	case FAULT_CUT:
		if (cut_all(fault->process.pid))
			return FAULT_NOT_ALLOWED;
		break;
	case FAULT_PAUSE: stop(faults, fault, true); break;
	case FAULT_SLOW: break;
	}
	if (faults->count + 1 == FAULTS_MAX)
		forget(faults, 0);
	faults->count++;
	return FAULT_BEGUN;
}

static void go_on(const struct faults *faults, struct fault *fault, uint64_t now_ms)
{
	if (fault->kind == FAULT_CUT)
		cut_all(fault->process.pid);
	if (fault->kind != FAULT_SLOW || now_ms < fault->next_ms)
		return;
	stop(faults, fault, !fault->stopped);
	fault->next_ms = now_ms + (fault->stopped ? SLOW_STOPPED_MS : SLOW_LET_MS);
}

void faults_turn(struct faults *faults, uint64_t now_ms)
{
	for (uint32_t i = 0; i < faults->count;) {
		struct fault *fault = &faults->items[i];

		if (now_ms >= fault->end_ms || !is_same(faults, fault)) {
			forget(faults, i);
			continue;
		}
		go_on(faults, fault, now_ms);
		i++;
	}
}

void faults_end_all(struct faults *faults)
{
	while (faults->count > 0)
		forget(faults, 0);
}
