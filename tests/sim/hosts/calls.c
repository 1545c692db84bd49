/*
 * The calls of the system that the linker hands over (--wrap): those of a simulated process go to
 * its machine, all others where they belong.
 */
#include "sim/hosts/machine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

/* Hosts do not agree on the time. */
#define HOST_CLOCK_US 1000000000u

static bool is_simulated(void)
{
	return machine_now && machine_now->current;
}

#define REAL_AND_WRAPPED(result, name, ...)       \
	extern result __real_##name(__VA_ARGS__); \
	extern result __wrap_##name(__VA_ARGS__)

REAL_AND_WRAPPED(int, socket, int, int, int);
REAL_AND_WRAPPED(int, bind, int, const struct sockaddr *, socklen_t);
REAL_AND_WRAPPED(int, listen, int, int);
REAL_AND_WRAPPED(int, accept4, int, struct sockaddr *, socklen_t *, int);
REAL_AND_WRAPPED(int, connect, int, const struct sockaddr *, socklen_t);
REAL_AND_WRAPPED(int, getsockopt, int, int, int, void *, socklen_t *);
REAL_AND_WRAPPED(int, setsockopt, int, int, int, const void *, socklen_t);
REAL_AND_WRAPPED(ssize_t, send, int, const void *, size_t, int);
REAL_AND_WRAPPED(ssize_t, sendmsg, int, const struct msghdr *, int);
REAL_AND_WRAPPED(ssize_t, recv, int, void *, size_t, int);
REAL_AND_WRAPPED(int, shutdown, int, int);
REAL_AND_WRAPPED(int, close, int);
REAL_AND_WRAPPED(int, dup, int);
REAL_AND_WRAPPED(int, pipe2, int *, int);
REAL_AND_WRAPPED(int, fcntl, int, int, ...);
REAL_AND_WRAPPED(ssize_t, splice, int, off64_t *, int, off64_t *, size_t, unsigned);
REAL_AND_WRAPPED(int, epoll_create1, int);
REAL_AND_WRAPPED(int, epoll_ctl, int, int, int, struct epoll_event *);
REAL_AND_WRAPPED(int, epoll_wait, int, struct epoll_event *, int, int);
REAL_AND_WRAPPED(int, clock_gettime, clockid_t, struct timespec *);

int __wrap_socket(int domain, int type, int protocol)
{
	return is_simulated() ? machine_socket() : __real_socket(domain, type, protocol);
}

int __wrap_bind(int fd, const struct sockaddr *address, socklen_t size)
{
	return machine_owns(fd) ? machine_bind(fd, address) : __real_bind(fd, address, size);
}

int __wrap_listen(int fd, int queue)
{
	return machine_owns(fd) ? machine_listen(fd) : __real_listen(fd, queue);
}

int __wrap_accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	return machine_owns(fd) ? machine_accept(fd) : __real_accept4(fd, address, size, flags);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t size)
{
	return machine_owns(fd) ? machine_connect(fd, address) : __real_connect(fd, address, size);
}

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	if (!machine_owns(fd))
		return __real_getsockopt(fd, level, name, value, size);
	assert(level == SOL_SOCKET && name == SO_ERROR);
	*(int *)value = machine_socket_error(fd);
	return 0;
}

int __wrap_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
	if (!machine_owns(fd))
		return __real_setsockopt(fd, level, name, value, size);
	if (level == IPPROTO_TCP && name == TCP_USER_TIMEOUT)
		machine_set_user_timeout(fd, *(const unsigned *)value);
	return 0;
}

ssize_t __wrap_send(int fd, const void *bytes, size_t size, int flags)
{
	return machine_owns(fd) ? machine_send(fd, bytes, size)
				: __real_send(fd, bytes, size, flags);
}

ssize_t __wrap_sendmsg(int fd, const struct msghdr *message, int flags)
{
	ssize_t sent = 0;

	if (!machine_owns(fd))
		return __real_sendmsg(fd, message, flags);
	for (size_t i = 0; i < message->msg_iovlen; i++) {
		const struct iovec *part = &message->msg_iov[i];
		ssize_t more = 0;

		if (part->iov_len > 0)
			more = machine_send(fd, part->iov_base, part->iov_len);
		if (more < 0)
			return sent > 0 ? sent : -1;
		sent += more;
		if ((size_t)more < part->iov_len)
			break;
	}
	return sent;
}

ssize_t __wrap_recv(int fd, void *bytes, size_t size, int flags)
{
	return machine_owns(fd) ? machine_recv(fd, bytes, size)
				: __real_recv(fd, bytes, size, flags);
}

int __wrap_shutdown(int fd, int how)
{
	return machine_owns(fd) ? machine_shutdown(fd) : __real_shutdown(fd, how);
}

int __wrap_close(int fd)
{
	return machine_owns(fd) ? machine_close(fd) : __real_close(fd);
}

int __wrap_dup(int fd)
{
	return machine_owns(fd) ? machine_dup(fd) : __real_dup(fd);
}

int __wrap_pipe2(int *ends, int flags)
{
	return is_simulated() ? machine_pipe(ends) : __real_pipe2(ends, flags);
}

int __wrap_fcntl(int fd, int command, ...)
{
	va_list args;
	long argument;

	if (machine_owns(fd))
		return 0; /* the size of a pipe, which may stay as it is */
	va_start(args, command);
	argument = va_arg(args, long);
	va_end(args);
	return __real_fcntl(fd, command, argument);
}

ssize_t __wrap_splice(
	int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags)
{
	return machine_owns(from) ? machine_splice(from, to, size)
				  : __real_splice(from, from_at, to, to_at, size, flags);
}

int __wrap_epoll_create1(int flags)
{
	return is_simulated() ? machine_epoll_create() : __real_epoll_create1(flags);
}

int __wrap_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
	return machine_owns(epoll) ? machine_epoll_ctl(epoll, operation, fd, event)
				   : __real_epoll_ctl(epoll, operation, fd, event);
}

int __wrap_epoll_wait(int epoll, struct epoll_event *events, int count, int timeout_ms)
{
	return machine_owns(epoll) ? machine_epoll_wait(epoll, events, count, timeout_ms)
				   : __real_epoll_wait(epoll, events, count, timeout_ms);
}

int __wrap_clock_gettime(clockid_t id, struct timespec *time)
{
	uint64_t now_us;

	if (!is_simulated())
		return __real_clock_gettime(id, time);
	now_us = machine_now->events->now_us + (machine_now->current->host + 1) * HOST_CLOCK_US;
	time->tv_sec = (time_t)(now_us / 1000000);
	time->tv_nsec = (long)(now_us % 1000000) * 1000;
	return 0;
}
