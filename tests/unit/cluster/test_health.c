/* The health server, over real sockets. */
#include "base/clock.h"
#include "base/digits.h"
#include "cluster/health.h"

#include "net/loop.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_MS 50u
/* Never passes. */
#define FOR_EVER_MS  UINT64_MAX
#define ANSWER_BYTES (64u << 10)

static struct net_address address;

/* A port that was free a moment ago. */
static void open_health(struct health **health, uint64_t limit_ms)
{
	struct error err = {0};

	for (int i = 0; i < 50; i++) {
		struct sockaddr_in any = {
			.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
		socklen_t size = sizeof(any);
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		assert_int_equal(bind(fd, (struct sockaddr *)&any, sizeof(any)), 0);
		assert_int_equal(getsockname(fd, (struct sockaddr *)&any, &size), 0);
		close(fd);
		address = (struct net_address){"127.0.0.1", ntohs(any.sin_port)};
		if (health_open(health, "reducer-0", &address, limit_ms, &err) == 0)
			return;
	}
	fail_msg("%s", err.message);
}

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons(address.port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	/* So that a test ends, whatever happens. */
	struct timeval patience = {300, 0};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_true(fd >= 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	return fd;
}

static void say(int fd, const char *text)
{
	(void)!send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* One answer with its body, by its length; the status, or 0 at the end of the connection. */
static int hear(int fd, char *body)
{
	static char text[ANSWER_BYTES];
	size_t got = 0, wanted = 0;
	char *end = NULL, *length;

	body[0] = '\0';
	while (!end || got < wanted) {
		ssize_t size = recv(fd, text + got, end ? wanted - got : 1, 0);

		if (size <= 0)
			return 0;
		got += (size_t)size;
		text[got] = '\0';
		if (end || !(end = strstr(text, "\r\n\r\n")))
			continue;
		length = strcasestr(text, "content-length:");
		wanted = got + (length ? strtoul(length + 15, NULL, 10) : 0);
		assert_true(wanted < sizeof(text));
	}
	snprintf(body, ANSWER_BYTES, "%s", end + 4);
	return (int)strtol(text + strlen("HTTP/1.1 "), NULL, 10);
}

static int get_on(int fd, const char *path, char *body)
{
	char request[256];

	snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path);
	say(fd, request);
	return hear(fd, body);
}

static int get(const char *path, char *body)
{
	int fd = dial();
	int status = get_on(fd, path, body);

	close(fd);
	return status;
}

static void has(const char *body, const char *part)
{
	if (!strstr(body, part))
		fail_msg("\"%s\" lacks \"%s\"", body, part);
}

static void it_tells_its_state(void **state)
{
	static char body[ANSWER_BYTES];
	struct health *health;
	char pid[32];

	(void)state;
	snprintf(pid, sizeof(pid), "\"pid\":%ld,", (long)getpid());
	open_health(&health, FOR_EVER_MS);
	assert_int_equal(get("/health", body), 200);
	has(body, "{\"node\":\"reducer-0\",\"state\":\"starting\",\"healthy\":true,\"ready\":false,"
		  "\"broker\":null,\"loop_ms\":");
	has(body, pid);
	has(body, "}\n");
	assert_int_equal(get("/ready", body), 503);
	health_set_state(health, HEALTH_REPLAYING);
	assert_int_equal(get("/health", body), 200);
	has(body, "\"replaying\"");
	health_set_state(health, HEALTH_READY);
	assert_int_equal(get("/ready", body), 200);
	has(body, "\"state\":\"ready\",\"healthy\":true,\"ready\":true");
	health_set_state(health, HEALTH_ENDING);
	assert_int_equal(get("/ready", body), 503);
	assert_int_equal(get("/health?x=1", body), 200);
	has(body, "\"ending\"");
	health_close(health);
}

/* The port is open and the thread answers, but nobody works. */
static void a_loop_that_does_not_turn_is_red(void **state)
{
	static char body[ANSWER_BYTES];
	struct health *health;
	uint64_t beat_ms;

	(void)state;
	open_health(&health, LIMIT_MS);
	health_set_state(health, HEALTH_READY);
	while (get("/health", body) == 200)
		;
	has(body, "\"state\":\"ready\",\"healthy\":false,\"ready\":false");
	assert_int_equal(get("/ready", body), 503);
	/* Green again with the next turn; unless we ourselves were kept waiting in between. */
	do {
		beat_ms = clock_monotonic_ms();
		health_beat(health);
	} while (get("/health", body) != 200 || clock_monotonic_ms() - beat_ms > LIMIT_MS);
	has(body, "\"healthy\":true,\"ready\":true");
	health_close(health);
}

static void a_lost_broker_is_red(void **state)
{
	static char body[ANSWER_BYTES];
	struct health *health;

	(void)state;
	open_health(&health, FOR_EVER_MS);
	health_set_state(health, HEALTH_READY);
	health_set_broker(health, false);
	assert_int_equal(get("/health", body), 503);
	has(body, "\"broker\":false");
	assert_int_equal(get("/ready", body), 503);
	health_set_broker(health, true);
	assert_int_equal(get("/health", body), 200);
	has(body, "\"broker\":true");
	assert_int_equal(get("/ready", body), 200);
	health_close(health);
}

static void what_is_published_is_told(void **state)
{
	static char body[ANSWER_BYTES];
	struct health *health;
	char *large = malloc(HEALTH_STATUS_BYTES_MAX + 1);

	(void)state;
	open_health(&health, FOR_EVER_MS);
	assert_int_equal(get("/status", body), 404);
	health_publish(health, "{\"a\":1}\n", 8);
	assert_int_equal(get("/status", body), 200);
	assert_string_equal(body, "{\"a\":1}\n");
	health_publish(health, "[2]", 3);
	assert_int_equal(get("/status", body), 200);
	assert_string_equal(body, "[2]");
	memset(large, 'x', HEALTH_STATUS_BYTES_MAX + 1);
	health_publish(health, large, HEALTH_STATUS_BYTES_MAX + 1);
	assert_int_equal(get("/status", body), 200);
	assert_string_equal(body, "[2]");
	assert_int_equal(get("/", body), 200);
	has(body, "/ready");
	assert_int_equal(get("/healthy", body), 404);
	free(large);
	health_close(health);
}

static void connections_are_kept(void **state)
{
	static char body[ANSWER_BYTES];
	struct health *health;
	int fd;

	(void)state;
	open_health(&health, FOR_EVER_MS);
	fd = dial();
	for (int i = 0; i < 100; i++)
		assert_int_equal(get_on(fd, i % 2 ? "/ready" : "/health", body), i % 2 ? 503 : 200);
	/* Two at once. */
	say(fd, "GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n");
	assert_int_equal(hear(fd, body), 200);
	assert_int_equal(hear(fd, body), 404);
	close(fd);
	health_close(health);
}

static void strange_requests_are_refused(void **state)
{
	static char body[ANSWER_BYTES], long_line[40000];
	static const char *const refused[] = {
		"POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\nabc",
		"DELETE /health HTTP/1.1\r\nHost: x\r\n\r\n",
		"PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzzzz\r\n",
	};
	static const char *const broken[] = {"\r\n\r\n\r\n", "GET\r\n\r\n", "nonsense\r\n\r\n",
		"GET /health HTTP/9.9\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"};
	struct health *health;
	int fd;

	(void)state;
	open_health(&health, FOR_EVER_MS);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		fd = dial();
		say(fd, refused[i]);
		assert_int_equal(hear(fd, body), 405);
		close(fd);
	}
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		fd = dial();
		say(fd, broken[i]);
		shutdown(fd, SHUT_WR);
		assert_int_not_equal(hear(fd, body), 200);
		close(fd);
	}
	memset(long_line, 'a', sizeof(long_line) - 1);
	fd = dial();
	say(fd, "GET /");
	say(fd, long_line);
	assert_int_not_equal(hear(fd, body), 200);
	close(fd);
	fd = dial();
	say(fd, "HEAD /health HTTP/1.0\r\n\r\n");
	{
		char text[1024];
		ssize_t size, got = 0;

		while ((size = recv(fd, text + got, sizeof(text) - 1 - (size_t)got, 0)) > 0)
			got += size;
		text[got] = '\0';
		has(text, " 200 ");
		assert_string_equal(text + got - 4, "\r\n\r\n");
	}
	close(fd);
	assert_int_equal(get("/health", body), 200);
	health_close(health);
}

/* More than it takes: the others wait, and get their turn. */
static void many_connections(void **state)
{
	enum { MANY = 3 * HEALTH_CONNECTIONS_MAX };
	static char body[ANSWER_BYTES];
	struct health *health;
	int fds[MANY];

	(void)state;
	open_health(&health, FOR_EVER_MS);
	for (int i = 0; i < MANY; i++) {
		fds[i] = dial();
		say(fds[i], "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
	}
	for (int i = 0; i < MANY; i++) {
		assert_int_equal(hear(fds[i], body), 200);
		close(fds[i]);
	}
	/* Ending does not wait for those that say nothing. */
	for (int i = 0; i < 8; i++)
		fds[i] = dial();
	assert_int_equal(get("/health", body), 200);
	health_close(health);
	for (int i = 0; i < 8; i++)
		close(fds[i]);
}

static void an_address_in_use_is_told(void **state)
{
	struct health *health, *second;
	struct error err;
	char port[16];

	(void)state;
	open_health(&health, FOR_EVER_MS);
	snprintf(port, sizeof(port), ":%u", (unsigned)address.port);
	assert_int_equal(health_open(&second, "x", &address, 1, &err), -1);
	assert_int_equal(err.code, ERROR_IO);
	has(err.message, port);
	assert_null(second);
	health_close(health);
	/* And it is free again. */
	assert_int_equal(health_open(&health, "x", &address, 1, &err), 0);
	health_close(health);
	health_close(NULL);
	health_beat(NULL);
	health_set_state(NULL, HEALTH_READY);
	health_publish(NULL, "", 0);
}

/* Signals are the event loop's: no thread of ours takes one. */
static void its_thread_takes_no_signals(void **state)
{
	DIR *threads = opendir("/proc/self/task");
	struct health *health;
	struct dirent *entry;
	int found = 0;

	(void)state;
	open_health(&health, FOR_EVER_MS);
	rewinddir(threads);
	while ((entry = readdir(threads))) {
		char path[300], line[256];
		static const char key[] = "SigBlk:\t";
		uint64_t blocked = 0;
		FILE *file;

		if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == getpid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		file = fopen(path, "r");
		while (file && fgets(line, sizeof(line), file)) {
			const char *mask = line + sizeof(key) - 1;

			if (strncmp(line, key, sizeof(key) - 1) == 0)
				assert_true(digits_take(&mask, 16, UINT64_MAX, &blocked));
		}
		if (file)
			fclose(file);
		assert_true(blocked >> (SIGTERM - 1) & 1);
		assert_true(blocked >> (SIGINT - 1) & 1);
		found++;
	}
	closedir(threads);
	assert_true(found >= 1);
	health_close(health);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_tells_its_state),
		cmocka_unit_test(a_loop_that_does_not_turn_is_red),
		cmocka_unit_test(a_lost_broker_is_red),
		cmocka_unit_test(what_is_published_is_told),
		cmocka_unit_test(connections_are_kept),
		cmocka_unit_test(strange_requests_are_refused),
		cmocka_unit_test(many_connections),
		cmocka_unit_test(an_address_in_use_is_told),
		cmocka_unit_test(its_thread_takes_no_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
