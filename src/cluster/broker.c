#include "cluster/broker.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "cluster/broker_port.h"
#include "cluster/broker_private.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EPMD_MS_MAX 5000
#define FIRST_START "first-start"
#define REASON_MAX  256
/* A log that quorum queues share stays in memory up to this size; 512 MB by default. */
#define WAL_SIZE_MAX	 (128 << 20)
#define RECORDS_SIZE_MAX (64 << 20)

static void url_set(struct broker *broker)
{
	free(broker->url);
	if (asprintf(&broker->url, "amqp://tamiz:%s@127.0.0.1:%u", broker->password,
		    broker->amqp_port) < 0)
		abort();
}

static void random_text(char *text, size_t size)
{
	uint8_t bytes[64];

	if (size > sizeof(bytes) || random_bytes(bytes, size))
		abort();
	for (size_t i = 0; i + 1 < size; i++)
		text[i] = "0123456789abcdefghijklmnopqrstuv"[bytes[i] % 32];
	text[size - 1] = 0;
}

static struct broker *broker_new(const char *folder, struct error *err)
{
	struct broker *broker;
	char *absolute = realpath(folder, NULL);

	if (!absolute) {
		error_set(err, ERROR_IO, "%s: %s", folder, strerror(errno));
		return NULL;
	}
	broker = memory_zalloc(sizeof(*broker));
	broker->folder = absolute;
	return broker;
}

static void drop_reservations(struct broker *broker)
{
	while (broker->reservation_count > 0)
		close(broker->reservations[--broker->reservation_count]);
}

void broker_free(struct broker *broker)
{
	if (!broker)
		return;
	drop_reservations(broker);
	free(broker->url);
	free(broker->folder);
	free(broker);
}

/* --- start -------------------------------------------------------------------------------------*/

static int write_cookie(const struct broker *broker, const struct broker *join, struct error *err)
{
	char fresh[BROKER_PASSWORD_SIZE];
	char *cookie = broker_read_file(join ? join : broker, "home/.erlang.cookie");
	int result;

	if (!cookie) {
		random_text(fresh, sizeof(fresh));
		cookie = memory_strdup(fresh);
	}
	result = broker_write_file(broker, "home/.erlang.cookie", cookie, 0400, err);
	free(cookie);
	return result;
}

static int write_config(const struct broker *broker, const char *more, struct error *err)
{
	struct buf text;
	int result;

	buf_init(&text, BROKER_FILE_SIZE_MAX);
	buf_printf(&text,
		"default_user = tamiz\n"
		"default_pass = %s\n"
		"loopback_users = none\n"
		"log.console = false\n"
		"log.file.level = warning\n"
		"raft.wal_max_size_bytes = %d\n",
		broker->password, WAL_SIZE_MAX);
	if (broker->peer[0])
		buf_printf(&text,
			"cluster_formation.peer_discovery_backend = classic_config\n"
			"cluster_formation.classic_config.nodes.1 = %s@localhost\n"
			"cluster_formation.classic_config.nodes.2 = %s@localhost\n",
			broker->peer, broker->name);
	buf_printf(&text, "%s\n", more ? more : "");
	buf_append_char(&text, 0);
	result = buf_overflowed(&text)
			 ? error_set(err, ERROR_LIMIT, "the broker's configuration is too long")
			 : broker_write_file(broker, "rabbitmq.conf", text.data, 0600, err);
	buf_release(&text);
	if (result || broker_write_file(broker, "advanced.config", "[].\n", 0600, err))
		return -1;
	return broker_write_file(broker, "plugins", "[].\n", 0600, err);
}

static int start_epmd(struct broker *broker, struct error *err)
{
	char path[256], port[16];
	char *argv[] = {"epmd", "-address", "127.0.0.1", "-port", port, NULL};
	int fd = broker_port_connect(broker->epmd_port);

	/* Alive since before, or that of the cluster which this one joined. */
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	if (!broker_find_program("epmd", broker_erlang_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE, "Erlang's epmd is not installed");
	snprintf(port, sizeof(port), "%u", broker->epmd_port);
	if (broker_spawn(broker, &broker->epmd, path, argv, err))
		return -1;
	for (uint64_t deadline = clock_monotonic_ms() + EPMD_MS_MAX;
		clock_monotonic_ms() < deadline; clock_sleep_ms(10)) {
		fd = broker_port_connect(broker->epmd_port);
		if (fd < 0)
			continue;
		close(fd);
		/* Another process may have been faster: it is known by its port, then. */
		if (!broker_child_runs(&broker->epmd))
			broker->epmd = (struct child){0};
		return 0;
	}
	return error_set(err, ERROR_IO, "epmd does not come up on port %u", broker->epmd_port);
}

static bool has_file(const struct broker *broker, const char *name)
{
	char *path = broker_path(broker, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* Data that is there is used, unless its first start was cut short. */
static int prepare_data(const struct broker *broker, struct error *err)
{
	char *data = broker_path(broker, "data");
	int status = 0;

	if (has_file(broker, FIRST_START))
		status = folder_remove(data, err);
	/* Only one that is empty can be removed so. */
	if (status == 0 && (rmdir(data) == 0 || errno == ENOENT))
		status = broker_write_file(broker, FIRST_START, "", 0600, err);
	if (status == 0)
		status = folder_make(data, 0700, false, err);
	free(data);
	return status;
}

/* It takes connections: what it has is worth keeping, and others learn its port. */
static void note_ready(struct broker *broker)
{
	char *path = broker_path(broker, FIRST_START);
	struct error ignored;

	unlink(path);
	free(path);
	drop_reservations(broker);
	if (broker->has_served)
		return;
	broker->has_served = true;
	if (broker_state_write(broker, &ignored))
		fprintf(stderr, "%s\n", ignored.message);
}

static uint16_t pick_another(struct broker *broker)
{
	for (;;) {
		int reservation;
		uint16_t port = broker_port_pick(&reservation);

		if (reservation >= 0 && broker->reservation_count < BROKER_RESERVATIONS_MAX)
			broker->reservations[broker->reservation_count++] = reservation;
		else if (reservation >= 0)
			close(reservation);
		if (port != broker->amqp_port && port != broker->dist_port &&
			port != broker->epmd_port)
			return port;
	}
}

/* An epmd of this broker may run there that is not known by its id. */
static bool epmd_port_is_usable(const struct broker *broker)
{
	return broker_port_is_free(broker->epmd_port) ||
	       (broker->has_served && broker_port_is_epmd(broker->epmd_port));
}

/*
 * A port is free when it is picked and taken when the VM has come far enough to listen, some seconds
 * later: another program may be faster. So every start looks again. Of a broker that has served, only
 * the port of its clients must stay what it is.
 */
static void settle_ports(struct broker *broker)
{
	if (!broker->amqp_port || (!broker->has_served && !broker_port_is_free(broker->amqp_port)))
		broker->amqp_port = pick_another(broker);
	if (!broker->dist_port || !broker_port_is_free(broker->dist_port))
		broker->dist_port = pick_another(broker);
	if (!broker->epmd_port || (!broker->peer[0] && !broker_child_runs(&broker->epmd) &&
					  !epmd_port_is_usable(broker)))
		broker->epmd_port = pick_another(broker);
	url_set(broker);
}

static int start_processes(struct broker *broker, struct error *err)
{
	char path[256];
	char *argv[] = {"rabbitmq-server", NULL};

	if (!broker_find_program("rabbitmq-server", broker_script_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE,
			"RabbitMQ is not installed; on Debian: apt-get install rabbitmq-server");
	argv[0] = path; /* it looks for its other files beside itself */
	settle_ports(broker);
	if (prepare_data(broker, err) || start_epmd(broker, err) ||
		broker_spawn(broker, &broker->vm, path, argv, err)) {
		broker_child_end(&broker->vm, 0);
		broker_child_end(&broker->epmd, EPMD_MS_MAX);
		return -1;
	}
	return 0;
}

static int make_folders(const struct broker *broker, struct error *err)
{
	static const char *const names[] = {"home", "data", "log"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = broker_path(broker, names[i]);
		int result = folder_make(path, 0700, false, err);

		free(path);
		if (result)
			return -1;
	}
	return 0;
}

/* Somebody may have deleted any of it. */
static int mend_files(const struct broker *broker, struct error *err)
{
	if (folder_make(broker->folder, 0700, false, err) || make_folders(broker, err) ||
		write_cookie(broker, NULL, err))
		return -1;
	if (has_file(broker, "rabbitmq.conf") && has_file(broker, "advanced.config") &&
		has_file(broker, "plugins"))
		return 0;
	return write_config(broker, NULL, err);
}

static int broker_prepare(
	struct broker *broker, const struct broker_options *options, struct error *err)
{
	bool known = broker_state_read(broker);

	if (known && broker_child_runs(&broker->vm))
		return error_set(err, ERROR_USAGE, "a broker is already running in %s: process %d",
			broker->folder, (int)broker->vm.pid);
	broker->vm = (struct child){0};
	if (!broker_child_runs(&broker->epmd))
		broker->epmd = (struct child){0};
	broker->dies_with_parent = options->dies_with_parent;
	if (!known) {
		snprintf(broker->name, sizeof(broker->name), "%s",
			options->name ? options->name : "tamiz");
		random_text(broker->password, sizeof(broker->password));
	}
	if (options->join) {
		/* One cluster has one set of users. */
		snprintf(broker->password, sizeof(broker->password), "%s", options->join->password);
		snprintf(broker->peer, sizeof(broker->peer), "%s", options->join->name);
		broker->epmd_port = options->join->epmd_port;
	}
	if (broker->has_served && !broker_port_is_free(broker->amqp_port))
		return error_set(err, ERROR_USAGE, "port %u is in use", broker->amqp_port);
	if (make_folders(broker, err) || write_cookie(broker, options->join, err))
		return -1;
	return write_config(broker, options->config, err);
}

bool broker_is_installed(void)
{
	char path[256];

	return broker_find_program("rabbitmq-server", broker_script_folders, path, sizeof(path)) &&
	       broker_find_program("epmd", broker_erlang_folders, path, sizeof(path));
}

int broker_start(struct broker **out, const char *folder, const struct broker_options *options,
	struct error *err)
{
	static const struct broker_options defaults = {0};
	struct broker *broker;

	*out = NULL;
	if (folder_make(folder, 0700, false, err))
		return -1;
	broker = broker_new(folder, err);
	if (!broker)
		return -1;
	if (broker_prepare(broker, options ? options : &defaults, err) ||
		start_processes(broker, err)) {
		broker_free(broker);
		return -1;
	}
	*out = broker;
	return 0;
}

int broker_attach(struct broker **out, const char *folder, struct error *err)
{
	char *beside = broker_state_beside(folder);
	bool was_there = access(beside, F_OK) == 0;
	struct broker *broker;

	*out = NULL;
	free(beside);
	if (was_there && folder_make(folder, 0700, false, err))
		return -1;
	broker = broker_new(folder, err);
	if (!broker)
		return -1;
	if (!broker_state_read(broker) ||
		(!broker_child_runs(&broker->vm) && !broker_child_runs(&broker->epmd) &&
			!broker_port_is_epmd(broker->epmd_port))) {
		broker_free(broker);
		return error_set(err, ERROR_USAGE, "no broker runs in %s", folder);
	}
	url_set(broker);
	*out = broker;
	return 0;
}

/* What its start has said of its end, as Erlang words it; "" when it said nothing. */
static void reason_of_end(const struct broker *broker, char *reason, size_t size)
{
	static const char mark[] = "reason: ";
	char *text = broker_read_file(broker, "log/startup.log");

	reason[0] = '\0';
	for (char *at = text; at && (at = strstr(at, mark));) {
		at += strlen(mark);
		snprintf(reason, size, ": %.*s", (int)strcspn(at, "\n"), at);
	}
	free(text);
}

int broker_wait_ready(struct broker *broker, uint32_t timeout_ms, struct error *err)
{
	uint64_t deadline =
		clock_monotonic_ms() + (timeout_ms ? timeout_ms : BROKER_READY_MS_DEFAULT);
	char reason[REASON_MAX];

	while (!broker_port_speaks_amqp(broker->amqp_port)) {
		if (!broker_child_runs(&broker->vm)) {
			reason_of_end(broker, reason, sizeof(reason));
			return error_set(err, ERROR_IO,
				"the broker ended while it started%s; see %s/log", reason,
				broker->folder);
		}
		if (clock_monotonic_ms() >= deadline)
			return error_set(err, ERROR_IO,
				"the broker does not come up on port %u; see %s/log",
				broker->amqp_port, broker->folder);
		clock_sleep_ms(50);
	}
	note_ready(broker);
	return 0;
}

bool broker_is_there(struct broker *broker)
{
	int fd = broker_port_connect(broker->amqp_port);

	if (fd < 0)
		return false;
	close(fd);
	note_ready(broker);
	return true;
}

/* --- what it has written down ------------------------------------------------------------------*/

/* All files that match, one behind the other; the caller's. */
static char *read_matching(const struct broker *broker, const char *pattern, size_t *size)
{
	char *path = broker_path(broker, pattern);
	glob_t found = {0};
	char *all = NULL;

	*size = 0;
	if (glob(path, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++) {
			size_t more;
			char *text = file_read(found.gl_pathv[i], RECORDS_SIZE_MAX, &more);

			if (!text)
				continue;
			all = memory_realloc(all, *size + more);
			memcpy(all + *size, text, more);
			*size += more;
			free(text);
		}
	globfree(&found);
	free(path);
	return all;
}

static bool is_within(const char *all, size_t size, const char *text)
{
	return all && memmem(all, size, text, strlen(text)) != NULL;
}

bool broker_has_written(const struct broker *broker, const char *const *queues, uint32_t count)
{
	size_t streams_size, names_size, tables_size;
	char *streams = read_matching(broker, "data/*/coordination/*/names.dets", &streams_size);
	char *names = read_matching(broker, "data/*/LATEST.LOG", &names_size);
	char *tables = read_matching(broker, "data/*/rabbit_durable_queue.DC?", &tables_size);
	bool all = is_within(streams, streams_size, "rabbit_stream_coordinator");

	for (uint32_t i = 0; i < count && all; i++)
		all = is_within(names, names_size, queues[i]) ||
		      is_within(tables, tables_size, queues[i]);
	free(streams);
	free(names);
	free(tables);
	return all;
}

/* --- the rest ----------------------------------------------------------------------------------*/

const char *broker_url(const struct broker *broker)
{
	return broker->url;
}

pid_t broker_pid(const struct broker *broker)
{
	return broker_child_runs(&broker->vm) ? broker->vm.pid : 0;
}

void broker_kill(struct broker *broker)
{
	broker_child_end(&broker->vm, 0);
}

int broker_restart(struct broker *broker, struct error *err)
{
	broker_child_end(&broker->vm, BROKER_STOP_MS_MAX);
	return mend_files(broker, err) ? -1 : start_processes(broker, err);
}

int broker_control(struct broker *broker, const char *const *arguments, struct error *err)
{
	char path[256];
	char *argv[16] = {path};
	size_t count = 1;
	struct child child;
	int status;

	if (!broker_find_program("rabbitmqctl", broker_script_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE, "rabbitmqctl is not installed");
	while (*arguments && count < sizeof(argv) / sizeof(*argv) - 1)
		argv[count++] = (char *)*arguments++;
	if (broker_spawn(broker, &child, path, argv, err))
		return -1;
	while (waitpid(child.pid, &status, 0) < 0) {
		if (errno != EINTR)
			return error_set(err, ERROR_IO, "rabbitmqctl: %s", strerror(errno));
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(err, ERROR_IO, "rabbitmqctl %s failed; see %s/log/startup.log",
			argv[1], broker->folder);
	return 0;
}

void broker_stop(struct broker *broker)
{
	struct error ignored;

	/* Another process may have started it again since we looked. */
	(void)broker_state_read(broker);
	broker_child_end(&broker->vm, BROKER_STOP_MS_MAX);
	broker_child_end(&broker->epmd, EPMD_MS_MAX);
	if (!broker->peer[0])
		broker_port_end_epmd(broker->epmd_port);
	/* Ports and password stay for the next start; it notices itself that nothing runs. */
	if (broker_state_write(broker, &ignored))
		fprintf(stderr, "%s\n", ignored.message);
	broker_free(broker);
}
