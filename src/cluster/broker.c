/*
 * Processes, ports and files of a private RabbitMQ.
 *
 * The start script replaces itself by the Erlang VM when RABBITMQ_ALLOW_INPUT is set (without it a
 * shell would stay in between), so that the id of our child is the id of the VM. An id is kept
 * together with the start time of its process: a process that got the number later is never taken
 * for ours.
 */
#include "cluster/broker.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "base/random.h"
#include "cluster/broker_port.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_MS_MAX   20000
#define EPMD_MS_MAX   5000
#define PASSWORD_SIZE 33
#define FIRST_START   "first-start"
#define NAME_MAX_SIZE 64
#define FILE_SIZE_MAX 65536
/* A log that quorum queues share stays in memory up to this size; 512 MB by default. */
#define WAL_SIZE_MAX	 (128 << 20)
#define ENV_MAX		 48
#define RECORDS_SIZE_MAX (64 << 20)

static const char *const script_folders[] = {
	"/usr/lib/rabbitmq/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/rabbitmq/sbin", NULL};
static const char *const erlang_folders[] = {
	"/usr/bin", "/usr/local/bin", "/usr/lib/erlang/bin", "/usr/local/lib/erlang/bin", NULL};

/* {0}: none. */
struct child {
	pid_t pid;
	uint64_t started; /* ticks since the machine did */
};

struct broker {
	char *folder; /* absolute */
	char *url;
	char name[NAME_MAX_SIZE];
	char password[PASSWORD_SIZE];
	uint16_t amqp_port;
	uint16_t dist_port;
	uint16_t epmd_port;
	struct child vm;
	struct child epmd; /* none when it is another's, whose cluster this one joined */
	char peer[NAME_MAX_SIZE];
	bool dies_with_parent;
};

/* --- files -------------------------------------------------------------------------------------*/

static char *path_of(const struct broker *broker, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", broker->folder, name) < 0)
		abort();
	return path;
}

/* Whole or not at all. */
static int write_file(const struct broker *broker, const char *name, const char *text, mode_t mode,
	struct error *err)
{
	char *path = path_of(broker, name);
	int status = file_replace(path, FILE_ONE_WRITER, mode, text, strlen(text), false);

	if (status)
		error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	free(path);
	return status;
}

/* NULL when there is none. */
static char *read_file(const struct broker *broker, const char *name)
{
	char *path = path_of(broker, name);
	char *text = file_read(path, FILE_SIZE_MAX, NULL);

	free(path);
	return text;
}

/* --- processes ---------------------------------------------------------------------------------*/

static bool child_runs(const struct child *child)
{
	uint64_t started;

	if (!child->pid)
		return false;
	if (process_start_ticks(child->pid, &started) && started == child->started)
		return true;
	/* Buries it if it is our child; else it does nothing. */
	(void)waitpid(child->pid, NULL, WNOHANG);
	return false;
}

static bool child_ends_within(const struct child *child, uint32_t ms)
{
	uint64_t deadline = clock_monotonic_ms() + ms;

	while (child_runs(child)) {
		if (clock_monotonic_ms() >= deadline)
			return false;
		clock_sleep_ms(10);
	}
	return true;
}

/* With no patience it is killed at once. */
static void child_end(struct child *child, uint32_t patience_ms)
{
	if (child_runs(child) && patience_ms)
		kill(child->pid, SIGTERM);
	if (!child_ends_within(child, patience_ms)) {
		kill(child->pid, SIGKILL);
		child_ends_within(child, STOP_MS_MAX);
	}
	*child = (struct child){0};
}

static bool find_program(const char *name, const char *const *folders, char *path, size_t path_size)
{
	const char *search = getenv("PATH");

	for (; *folders; folders++) {
		snprintf(path, path_size, "%s/%s", *folders, name);
		if (!access(path, X_OK))
			return true;
	}
	while (search && *search) {
		size_t length = strcspn(search, ":");

		snprintf(path, path_size, "%.*s/%s", (int)length, search, name);
		if (length && !access(path, X_OK))
			return true;
		search += length + (search[length] == ':');
	}
	return false;
}

/* What the environment of all its programs is; everything in one block of memory. */
struct environment {
	struct buf text;
	size_t offsets[ENV_MAX];
	size_t count;
	char *items[ENV_MAX + 1];
};

static void environment_add(struct environment *env, const char *format, ...) PRINTF_LIKE(2, 3);

static void environment_add(struct environment *env, const char *format, ...)
{
	char line[4096];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (env->count == ENV_MAX)
		abort();
	env->offsets[env->count++] = env->text.size;
	buf_append(&env->text, line, strlen(line) + 1);
}

static void environment_init(struct environment *env, const struct broker *broker)
{
	const char *path = getenv("PATH");
	const char *folder = broker->folder;

	env->count = 0;
	buf_init(&env->text, FILE_SIZE_MAX);
	environment_add(env, "PATH=%s", path ? path : "/usr/local/bin:/usr/bin:/bin");
	environment_add(env, "LANG=C.UTF-8");
	environment_add(env, "LC_ALL=C.UTF-8");
	environment_add(env, "HOME=%s/home", folder);
	environment_add(env, "ERL_EPMD_ADDRESS=127.0.0.1");
	environment_add(env, "ERL_EPMD_PORT=%u", broker->epmd_port);
	environment_add(env, "RABBITMQ_NODENAME=%s@localhost", broker->name);
	environment_add(env, "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1");
	environment_add(env, "RABBITMQ_NODE_PORT=%u", broker->amqp_port);
	environment_add(env, "RABBITMQ_DIST_PORT=%u", broker->dist_port);
	environment_add(env, "RABBITMQ_MNESIA_BASE=%s/data", folder);
	environment_add(env, "RABBITMQ_LOG_BASE=%s/log", folder);
	environment_add(env, "RABBITMQ_PID_FILE=%s/pid", folder);
	environment_add(env, "RABBITMQ_ENABLED_PLUGINS_FILE=%s/plugins", folder);
	environment_add(env, "RABBITMQ_CONFIG_FILE=%s/rabbitmq.conf", folder);
	environment_add(env, "RABBITMQ_CONFIG_FILES=%s/none", folder);
	environment_add(env, "RABBITMQ_ADVANCED_CONFIG_FILE=%s/advanced.config", folder);
	environment_add(env, "RABBITMQ_CONF_ENV_FILE=/dev/null");
	/* The script becomes the VM instead of waiting for it. */
	environment_add(env, "RABBITMQ_ALLOW_INPUT=true");
	environment_add(env, "RABBITMQ_SERVER_START_ARGS=-noinput");
	/* Idle schedulers sleep at once: the machine has other things to do. */
	environment_add(env,
		"RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface "
		"{127,0,0,1} -start_epmd false +sbwt none +sbwtdcpu none +sbwtdio none");
	for (size_t i = 0; i < env->count; i++)
		env->items[i] = env->text.data + env->offsets[i];
	env->items[env->count] = NULL;
}

static void environment_release(struct environment *env)
{
	buf_release(&env->text);
}

/* In the child: only what is safe between fork and exec of a process with threads. */
static _Noreturn void become(const char *path, char *const *argv, char *const *env, int output,
	bool dies_with_parent, int told)
{
	int nothing = open("/dev/null", O_RDWR);
	sigset_t none;
	char byte;

	setsid();
	/* Our parent has written down who we are; or it was killed, and nobody knows of us. */
	if (read(told, &byte, 1) != 1)
		_exit(127);
	if (dies_with_parent)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(nothing, 0);
	dup2(output < 0 ? nothing : output, 1);
	dup2(output < 0 ? nothing : output, 2);
	close_range(3, ~0u, 0);
	execve(path, argv, env);
	_exit(127);
}

/* --- state -------------------------------------------------------------------------------------*/

/* The copy beside the folder, for when that is deleted. */
static char *state_beside(const char *folder)
{
	char *path;

	if (asprintf(&path, "%s.state", folder) < 0)
		abort();
	return path;
}

static int state_write(const struct broker *broker, struct error *err)
{
	char *beside = state_beside(broker->folder);
	char text[1024];
	int status;

	snprintf(text, sizeof(text),
		"name=%s\npeer=%s\npassword=%s\namqp_port=%u\ndist_port=%u\nepmd_port=%u\n"
		"vm=%d %" PRIu64 "\nepmd=%d %" PRIu64 "\n",
		broker->name, broker->peer, broker->password, broker->amqp_port, broker->dist_port,
		broker->epmd_port, (int)broker->vm.pid, broker->vm.started, (int)broker->epmd.pid,
		broker->epmd.started);
	status = file_replace(beside, FILE_ONE_WRITER, 0600, text, strlen(text), false);
	if (status)
		error_set(err, ERROR_IO, "%s: %s", beside, strerror(errno));
	free(beside);
	return status ? status : write_file(broker, "broker.state", text, 0600, err);
}

/* Each takes the line if it is of that key, and right. */

static void take_port(const char *line, const char *key, uint16_t *port)
{
	uint64_t number;

	if (strncmp(line, key, strlen(key)) == 0 &&
		digits_parse(line + strlen(key), 10, UINT16_MAX, &number))
		*port = (uint16_t)number;
}

static void take_child(const char *line, const char *key, struct child *child)
{
	uint64_t pid, started;

	if (strncmp(line, key, strlen(key)) != 0)
		return;
	line += strlen(key);
	if (digits_take(&line, 10, INT_MAX, &pid) && *line++ == ' ' &&
		digits_parse(line, 10, UINT64_MAX, &started))
		*child = (struct child){(pid_t)pid, started};
}

/* Lines that it does not know are skipped. Takes the text. */
static bool state_parse(struct broker *broker, char *text)
{
	char *rest = text;
	char *line;

	while (text && (line = strsep(&rest, "\n"))) {
		if (sscanf(line, "name=%63s", broker->name) == 1 ||
			sscanf(line, "peer=%63s", broker->peer) == 1 ||
			sscanf(line, "password=%32s", broker->password) == 1)
			continue;
		take_port(line, "amqp_port=", &broker->amqp_port);
		take_port(line, "dist_port=", &broker->dist_port);
		take_port(line, "epmd_port=", &broker->epmd_port);
		take_child(line, "vm=", &broker->vm);
		take_child(line, "epmd=", &broker->epmd);
	}
	free(text);
	return broker->name[0] && broker->password[0] && broker->amqp_port && broker->dist_port &&
	       broker->epmd_port;
}

/* False when there is no file, or not a whole one. */
static bool state_read(struct broker *broker)
{
	char *beside;
	bool known;

	if (state_parse(broker, read_file(broker, "broker.state")))
		return true;
	beside = state_beside(broker->folder);
	known = state_parse(broker, file_read(beside, FILE_SIZE_MAX, NULL));
	free(beside);
	return known;
}

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

void broker_free(struct broker *broker)
{
	if (!broker)
		return;
	free(broker->url);
	free(broker->folder);
	free(broker);
}

/* --- start -------------------------------------------------------------------------------------*/

/* It waits to be told; *tell is where. */
static pid_t spawn_waiting(
	const struct broker *broker, const char *path, char *const *argv, int *tell)
{
	char *log_path = path_of(broker, "log/startup.log");
	int output = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int ends[2] = {-1, -1};
	struct environment env;
	pid_t pid = -1;

	environment_init(&env, broker);
	if (pipe2(ends, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0) {
		close(ends[1]);
		/* Erlang leaves dumps of its crashes where it was started. */
		if (chdir(broker->folder))
			_exit(127);
		become(path, argv, env.items, output, broker->dies_with_parent, ends[0]);
	}
	environment_release(&env);
	free(log_path);
	if (output >= 0)
		close(output);
	if (ends[0] >= 0)
		close(ends[0]);
	*tell = ends[1];
	return pid;
}

/* `child` is the broker's vm or epmd, which is written down, or any other. */
static int spawn(const struct broker *broker, struct child *child, const char *path,
	char *const *argv, struct error *err)
{
	bool is_known = child == &broker->vm || child == &broker->epmd;
	int tell, status = 0;
	pid_t pid = spawn_waiting(broker, path, argv, &tell);

	if (pid < 0) {
		status = error_set(err, ERROR_IO, "%s does not start: %s", path, strerror(errno));
	} else {
		*child = (struct child){.pid = pid};
		(void)process_start_ticks(pid, &child->started);
		status = is_known ? state_write(broker, err) : 0;
		if (status == 0)
			(void)!write(tell, "", 1);
	}
	if (tell >= 0)
		close(tell);
	return status;
}

static int write_cookie(const struct broker *broker, const struct broker *join, struct error *err)
{
	char fresh[PASSWORD_SIZE];
	char *cookie = read_file(join ? join : broker, "home/.erlang.cookie");
	int result;

	if (!cookie) {
		random_text(fresh, sizeof(fresh));
		cookie = memory_strdup(fresh);
	}
	result = write_file(broker, "home/.erlang.cookie", cookie, 0400, err);
	free(cookie);
	return result;
}

static int write_config(const struct broker *broker, const char *more, struct error *err)
{
	struct buf text;
	int result;

	buf_init(&text, FILE_SIZE_MAX);
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
			 : write_file(broker, "rabbitmq.conf", text.data, 0600, err);
	buf_release(&text);
	if (result || write_file(broker, "advanced.config", "[].\n", 0600, err))
		return -1;
	return write_file(broker, "plugins", "[].\n", 0600, err);
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
	if (!find_program("epmd", erlang_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE, "Erlang's epmd is not installed");
	snprintf(port, sizeof(port), "%u", broker->epmd_port);
	if (spawn(broker, &broker->epmd, path, argv, err))
		return -1;
	for (uint64_t deadline = clock_monotonic_ms() + EPMD_MS_MAX;
		clock_monotonic_ms() < deadline; clock_sleep_ms(10)) {
		fd = broker_port_connect(broker->epmd_port);
		if (fd < 0)
			continue;
		close(fd);
		/* Another process may have been faster: it is known by its port, then. */
		if (!child_runs(&broker->epmd))
			broker->epmd = (struct child){0};
		return 0;
	}
	return error_set(err, ERROR_IO, "epmd does not come up on port %u", broker->epmd_port);
}

static bool has_file(const struct broker *broker, const char *name)
{
	char *path = path_of(broker, name);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}

/* Data that is there is used, unless its first start was cut short. */
static int prepare_data(const struct broker *broker, struct error *err)
{
	char *data = path_of(broker, "data");
	int status = 0;

	if (has_file(broker, FIRST_START))
		status = folder_remove(data, err);
	/* Only one that is empty can be removed so. */
	if (status == 0 && (rmdir(data) == 0 || errno == ENOENT))
		status = write_file(broker, FIRST_START, "", 0600, err);
	if (status == 0)
		status = folder_make(data, 0700, false, err);
	free(data);
	return status;
}

/* It takes connections: what it has is worth keeping. */
static void note_ready(const struct broker *broker)
{
	char *path = path_of(broker, FIRST_START);

	unlink(path);
	free(path);
}

static int start_processes(struct broker *broker, struct error *err)
{
	char path[256];
	char *argv[] = {"rabbitmq-server", NULL};

	if (!find_program("rabbitmq-server", script_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE,
			"RabbitMQ is not installed; on Debian: apt-get install rabbitmq-server");
	argv[0] = path; /* it looks for its other files beside itself */
	if (prepare_data(broker, err) || start_epmd(broker, err) ||
		spawn(broker, &broker->vm, path, argv, err)) {
		child_end(&broker->vm, 0);
		child_end(&broker->epmd, EPMD_MS_MAX);
		return -1;
	}
	return 0;
}

static int make_folders(const struct broker *broker, struct error *err)
{
	static const char *const names[] = {"home", "data", "log"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *path = path_of(broker, names[i]);
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
	bool known = state_read(broker);

	if (known && child_runs(&broker->vm))
		return error_set(err, ERROR_USAGE, "a broker is already running in %s: process %d",
			broker->folder, (int)broker->vm.pid);
	broker->vm = (struct child){0};
	if (!child_runs(&broker->epmd))
		broker->epmd = (struct child){0};
	broker->dies_with_parent = options->dies_with_parent;
	if (!known) {
		snprintf(broker->name, sizeof(broker->name), "%s",
			options->name ? options->name : "tamiz");
		random_text(broker->password, sizeof(broker->password));
		broker->amqp_port = options->amqp_port ? options->amqp_port : broker_port_pick();
		broker->dist_port = broker_port_pick();
		broker->epmd_port = broker_port_pick();
	} else if (options->amqp_port) {
		broker->amqp_port = options->amqp_port;
	}
	if (options->join) {
		/* One cluster has one set of users. */
		snprintf(broker->password, sizeof(broker->password), "%s", options->join->password);
		snprintf(broker->peer, sizeof(broker->peer), "%s", options->join->name);
		broker->epmd_port = options->join->epmd_port;
	}
	if (!broker_port_is_free(broker->amqp_port))
		return error_set(err, ERROR_USAGE, "port %u is in use", broker->amqp_port);
	url_set(broker);
	if (make_folders(broker, err) || write_cookie(broker, options->join, err))
		return -1;
	return write_config(broker, options->config, err);
}

bool broker_is_installed(void)
{
	char path[256];

	return find_program("rabbitmq-server", script_folders, path, sizeof(path)) &&
	       find_program("epmd", erlang_folders, path, sizeof(path));
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
	char *beside = state_beside(folder);
	bool was_there = access(beside, F_OK) == 0;
	struct broker *broker;

	*out = NULL;
	free(beside);
	if (was_there && folder_make(folder, 0700, false, err))
		return -1;
	broker = broker_new(folder, err);
	if (!broker)
		return -1;
	if (!state_read(broker) || (!child_runs(&broker->vm) && !child_runs(&broker->epmd) &&
					   !broker_port_is_epmd(broker->epmd_port))) {
		broker_free(broker);
		return error_set(err, ERROR_USAGE, "no broker runs in %s", folder);
	}
	url_set(broker);
	*out = broker;
	return 0;
}

int broker_wait_ready(struct broker *broker, uint32_t timeout_ms, struct error *err)
{
	uint64_t deadline =
		clock_monotonic_ms() + (timeout_ms ? timeout_ms : BROKER_READY_MS_DEFAULT);

	while (!broker_port_speaks_amqp(broker->amqp_port)) {
		if (!child_runs(&broker->vm))
			return error_set(err, ERROR_IO,
				"the broker ended while it started; see %s/log", broker->folder);
		if (clock_monotonic_ms() >= deadline)
			return error_set(err, ERROR_IO,
				"the broker does not come up on port %u; see %s/log",
				broker->amqp_port, broker->folder);
		clock_sleep_ms(50);
	}
	note_ready(broker);
	return 0;
}

bool broker_is_there(const struct broker *broker)
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
	char *path = path_of(broker, pattern);
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
	return child_runs(&broker->vm) ? broker->vm.pid : 0;
}

void broker_kill(struct broker *broker)
{
	child_end(&broker->vm, 0);
}

int broker_restart(struct broker *broker, struct error *err)
{
	child_end(&broker->vm, STOP_MS_MAX);
	return mend_files(broker, err) ? -1 : start_processes(broker, err);
}

int broker_control(struct broker *broker, const char *const *arguments, struct error *err)
{
	char path[256];
	char *argv[16] = {path};
	size_t count = 1;
	struct child child;
	int status;

	if (!find_program("rabbitmqctl", script_folders, path, sizeof(path)))
		return error_set(err, ERROR_USAGE, "rabbitmqctl is not installed");
	while (*arguments && count < sizeof(argv) / sizeof(*argv) - 1)
		argv[count++] = (char *)*arguments++;
	if (spawn(broker, &child, path, argv, err))
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
	(void)state_read(broker);
	child_end(&broker->vm, STOP_MS_MAX);
	child_end(&broker->epmd, EPMD_MS_MAX);
	if (!broker->peer[0])
		broker_port_end_epmd(broker->epmd_port);
	/* Ports and password stay for the next start; it notices itself that nothing runs. */
	if (state_write(broker, &ignored))
		fprintf(stderr, "%s\n", ignored.message);
	broker_free(broker);
}
