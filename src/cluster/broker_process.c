/*
 * The start script replaces itself by the Erlang VM when RABBITMQ_ALLOW_INPUT is set (without it a
 * shell would stay in between), so that the id of our child is the id of the VM. An id is kept
 * together with the start time of its process: a process that got the number later is never taken
 * for ours.
 */
#include "base/buf.h"
#include "base/clock.h"
#include "base/process.h"
#include "cluster/broker_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ENV_MAX 48

const char *const broker_script_folders[] = {
	"/usr/lib/rabbitmq/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/rabbitmq/sbin", NULL};
const char *const broker_erlang_folders[] = {
	"/usr/bin", "/usr/local/bin", "/usr/lib/erlang/bin", "/usr/local/lib/erlang/bin", NULL};

bool broker_child_runs(const struct child *child)
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

	while (broker_child_runs(child)) {
		if (clock_monotonic_ms() >= deadline)
			return false;
		clock_sleep_ms(10);
	}
	return true;
}

void broker_child_end(struct child *child, uint32_t patience_ms)
{
	if (broker_child_runs(child) && patience_ms)
		kill(child->pid, SIGTERM);
	if (!child_ends_within(child, patience_ms)) {
		kill(child->pid, SIGKILL);
		child_ends_within(child, BROKER_STOP_MS_MAX);
	}
	*child = (struct child){0};
}

bool broker_find_program(const char *name, const char *const *folders, char *path, size_t path_size)
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
	buf_init(&env->text, BROKER_FILE_SIZE_MAX);
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
	umask(077);
	dup2(nothing, 0);
	dup2(output < 0 ? nothing : output, 1);
	dup2(output < 0 ? nothing : output, 2);
	close_range(3, ~0u, 0);
	execve(path, argv, env);
	_exit(127);
}

/* It waits to be told; *tell is where. */
static pid_t spawn_waiting(
	const struct broker *broker, const char *path, char *const *argv, int *tell)
{
	char *log_path = broker_path(broker, "log/startup.log");
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

int broker_spawn(const struct broker *broker, struct child *child, const char *path,
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
		status = is_known ? broker_state_write(broker, err) : 0;
		if (status == 0)
			(void)!write(tell, "", 1);
	}
	if (tell >= 0)
		close(tell);
	return status;
}
