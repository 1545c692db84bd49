#include "client/http.h"

#include "base/clock.h"
#include "base/digits.h"
#include "net/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUEST_MAX 512
#define READ_BYTES  4096

static int wait_for(int fd, short events, uint64_t deadline_ms)
{
	struct pollfd wait = {.fd = fd, .events = events};
	uint64_t now_ms = clock_monotonic_ms();

	if (now_ms >= deadline_ms || poll(&wait, 1, (int)(deadline_ms - now_ms)) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	return 0;
}

/* The answer up to the end of the connection. -1 with errno. */
static int exchange(int fd, const char *request, uint64_t deadline_ms, struct buf *out)
{
	size_t size = strlen(request);
	int number;
	ssize_t got;

	if (wait_for(fd, POLLOUT, deadline_ms))
		return -1;
	number = socket_error(fd);
	if (number || send(fd, request, size, MSG_NOSIGNAL) != (ssize_t)size) {
		errno = number ? number : errno;
		return -1;
	}
	do {
		char *room = buf_reserve(out, READ_BYTES);

		if (!room) {
			errno = EMSGSIZE;
			return -1;
		}
		if (wait_for(fd, POLLIN, deadline_ms))
			return -1;
		got = recv(fd, room, READ_BYTES, 0);
		if (got > 0)
			out->size += (size_t)got;
	} while (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)));
	return got < 0 ? -1 : 0;
}

/* Leaves the body. False: it is no answer. */
static bool take_head(struct buf *out, int *status)
{
	static const char version[] = "HTTP/1.";
	const char *number;
	uint64_t value;
	char *end;

	buf_append_char(out, '\0');
	if (buf_overflowed(out) || strncmp(out->data, version, sizeof(version) - 1) != 0)
		return false;
	number = strchr(out->data, ' ');
	if (!number++ || !digits_take(&number, 10, 999, &value))
		return false;
	*status = (int)value;
	end = strstr(out->data, "\r\n\r\n");
	if (!end)
		return false;
	end += 4;
	out->size -= 1 + (size_t)(end - out->data);
	memmove(out->data, end, out->size + 1);
	return true;
}

int http_get(const struct net_address *address, const char *path, uint64_t timeout_ms,
	struct buf *out, int *status, struct error *err)
{
	uint64_t deadline_ms = clock_monotonic_ms() + timeout_ms;
	char request[REQUEST_MAX], text[NET_ADDRESS_TEXT];
	int fd, number;

	net_address_format(address, text);
	snprintf(request, sizeof(request),
		"GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, text);
	if (socket_connect(address, &fd, err))
		return -1;
	buf_clear(out);
	number = exchange(fd, request, deadline_ms, out) ? errno : 0;
	close(fd);
	if (number)
		return error_set(err, ERROR_IO, "%s: %s", text, strerror(number));
	if (!take_head(out, status))
		return error_set(err, ERROR_IO, "%s does not speak HTTP", text);
	return 0;
}
