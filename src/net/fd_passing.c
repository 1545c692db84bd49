#include "net/fd_passing.h"

#include "base/memory.h"
#include "net/listener.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define GIVERS_MAX 16
#define QUEUE	   16
#define A_TURN	   64

struct giver {
	struct fd_passing *passing;
	struct loop_source source; /* fd -1: the place is free */
};

struct fd_passing {
	struct loop *loop;
	fd_passing_taken taken;
	void *context;
	struct listener listener;
	struct giver givers[GIVERS_MAX];
};

static socklen_t make_address(const char *name, struct sockaddr_un *address)
{
	int size;

	*address = (struct sockaddr_un){.sun_family = AF_UNIX};
	/* The first byte stays 0: a name, and not a file. */
	size = snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "tamiz %s", name);
	if (size >= (int)sizeof(address->sun_path) - 1)
		size = (int)sizeof(address->sun_path) - 2;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)size);
}

static bool is_one_of_us(int fd)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
	       (peer.uid == geteuid() || peer.uid == 0);
}

/* --- taking --------------------------------------------------------------------------------------
 */

static void giver_close(struct giver *giver)
{
	if (giver->source.fd < 0)
		return;
	loop_remove(giver->passing->loop, &giver->source);
	close(giver->source.fd);
	giver->source.fd = -1;
}

/* The descriptor of one message; -1 when it has none. *end: there will be no more. */
static int receive(int link, bool *end)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec body = {&byte, 1};
	struct msghdr message = {.msg_iov = &body,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	ssize_t got = recvmsg(link, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	const struct cmsghdr *part;
	int fd = -1;

	*end = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
	part = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS &&
		part->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(part), sizeof(fd));
	return fd;
}

static void on_given(void *context, uint32_t events)
{
	struct giver *giver = context;
	struct fd_passing *passing = giver->passing;
	bool end = false;

	(void)events;
	for (int i = 0; i < A_TURN && !end; i++) {
		int fd = receive(giver->source.fd, &end);

		if (fd < 0)
			break;
		passing->taken(passing->context, fd);
	}
	if (end)
		giver_close(giver);
}

static void on_giver(void *context, int fd)
{
	struct fd_passing *passing = context;
	struct error err;

	for (uint32_t i = 0; is_one_of_us(fd) && i < GIVERS_MAX; i++) {
		struct giver *giver = &passing->givers[i];

		if (giver->source.fd >= 0)
			continue;
		giver->source = (struct loop_source){.fd = fd, .fn = on_given, .context = giver};
		if (loop_add(passing->loop, &giver->source, LOOP_READ, &err) == 0)
			return;
		giver->source.fd = -1;
		break;
	}
	close(fd);
}

int fd_passing_listen(struct fd_passing **out, struct loop *loop, const char *component,
	const char *name, fd_passing_taken taken, void *context, struct error *err)
{
	struct fd_passing *passing = memory_zalloc(sizeof(*passing));
	struct sockaddr_un address;
	socklen_t size = make_address(name, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	*out = passing;
	*passing = (struct fd_passing){.loop = loop, .taken = taken, .context = context};
	passing->listener = (struct listener){.fn = on_giver,
		.context = passing,
		.component = component,
		.accepts_a_turn = GIVERS_MAX,
		.source.fd = -1};
	for (uint32_t i = 0; i < GIVERS_MAX; i++) {
		passing->givers[i].passing = passing;
		passing->givers[i].source.fd = -1;
	}
	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, size) || listen(fd, QUEUE)) {
		error_set(
			err, ERROR_IO, "cannot take connections for %s: %s", name, strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	return listener_adopt(&passing->listener, loop, fd, err);
}

void fd_passing_free(struct fd_passing *passing)
{
	if (!passing)
		return;
	for (uint32_t i = 0; i < GIVERS_MAX; i++)
		giver_close(&passing->givers[i]);
	listener_close(&passing->listener);
	free(passing);
}

/* --- giving --------------------------------------------------------------------------------------
 */

static int find_taker(const char *name)
{
	struct sockaddr_un address;
	socklen_t size = make_address(name, &address);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, size) == 0 &&
		is_one_of_us(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

bool fd_passing_give(int *link, const char *name, int fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	char byte = 0;
	struct iovec body = {&byte, 1};
	struct msghdr message = {.msg_iov = &body,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	if (*link < 0)
		*link = find_taker(name);
	if (*link < 0)
		return false;
	*part = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(part), &fd, sizeof(fd));
	if (sendmsg(*link, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1) {
		close(fd);
		return true;
	}
	/* Full, or gone: what is already there is still taken, if there is anybody. */
	close(*link);
	*link = -1;
	return false;
}
