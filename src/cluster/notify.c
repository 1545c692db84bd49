#include "cluster/notify.h"

#include "base/digits.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connect_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t size = strlen(path);
	int fd;

	if (size < 2 || size >= sizeof(address.sun_path) || (path[0] != '/' && path[0] != '@'))
		return -1;
	memcpy(address.sun_path, path, size);
	/* A name that is no file begins with a zero. */
	if (path[0] == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Twice within the time that the manager gives; 0: it gives none, or to somebody else. */
static uint64_t watchdog_interval(void)
{
	const char *given = getenv("WATCHDOG_USEC"), *whose = getenv("WATCHDOG_PID");
	uint64_t us, pid;

	if (!given || !digits_parse(given, 10, UINT64_MAX, &us))
		return 0;
	if (whose && (!digits_parse(whose, 10, UINT64_MAX, &pid) || (pid_t)pid != getpid()))
		return 0;
	return us / 2000 ? us / 2000 : 1;
}

static void tell(const struct notify *notify, const char *what)
{
	/* A manager that does not listen is none of our business. */
	(void)!send(notify->fd, what, strlen(what), MSG_NOSIGNAL);
}

void notify_open(struct notify *notify)
{
	const char *path = getenv("NOTIFY_SOCKET");

	*notify = (struct notify){.fd = path ? connect_to(path) : -1};
	if (notify->fd >= 0)
		notify->interval_ms = watchdog_interval();
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void notify_beat(struct notify *notify, uint64_t now_ms)
{
	if (notify->fd < 0)
		return;
	if (!notify->up) {
		notify->up = true;
		tell(notify, "READY=1");
	}
	if (notify->interval_ms && now_ms - notify->told_ms >= notify->interval_ms) {
		notify->told_ms = now_ms;
		tell(notify, "WATCHDOG=1");
	}
}

void notify_close(struct notify *notify)
{
	if (notify->fd < 0)
		return;
	tell(notify, "STOPPING=1");
	close(notify->fd);
	notify->fd = -1;
}
