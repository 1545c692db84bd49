#include "cluster/supervisor.h"

#include "base/memory.h"
#include "cluster/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NAME_MAX_BYTES 64
#define STOP_POLL_NS   (20 * 1000 * 1000)
#define EXIT_NO_EXEC   127

struct child {
	char name[NAME_MAX_BYTES];
	char *arguments[SUPERVISOR_ARGS_MAX + 2];
	pid_t pid; /* 0: does not run */
	uint64_t started_ms;
	uint64_t due_ms; /* when it is to be started */
	uint64_t pause_ms;
	uint32_t short_lives; /* in a row */
};

struct supervisor {
	char *log_folder;
	supervisor_told told;
	void *context;
	uint32_t count;
	struct child *children;
};

struct supervisor *supervisor_new(const char *log_folder, supervisor_told told, void *context)
{
	struct supervisor *supervisor = memory_zalloc(sizeof(*supervisor));

	supervisor->log_folder = memory_strdup(log_folder);
	supervisor->told = told;
	supervisor->context = context;
	return supervisor;
}

void supervisor_free(struct supervisor *supervisor)
{
	if (!supervisor)
		return;
	for (uint32_t i = 0; i < supervisor->count; i++)
		for (char **argument = supervisor->children[i].arguments; *argument; argument++)
			free(*argument);
	free(supervisor->children);
	free(supervisor->log_folder);
	free(supervisor);
}

void supervisor_add(struct supervisor *supervisor, const char *name, const char *const *arguments)
{
	struct child *child;

	supervisor->children = memory_realloc(
		supervisor->children, (supervisor->count + 1) * sizeof(*supervisor->children));
	child = &supervisor->children[supervisor->count++];
	*child = (struct child){0};
	snprintf(child->name, sizeof(child->name), "%s", name);
	child->arguments[0] = memory_strdup("tamiz");
	for (uint32_t i = 0; arguments[i] && i < SUPERVISOR_ARGS_MAX; i++)
		child->arguments[i + 1] = memory_strdup(arguments[i]);
}

/* In the new process. */
static void become(const struct child *child, const char *log, pid_t parent)
{
	int output = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
	int input = open("/dev/null", O_RDONLY);
	sigset_t none;

	if (output < 0 || input < 0)
		_exit(EXIT_NO_EXEC);
	dup2(input, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	close_range(STDERR_FILENO + 1, ~0u, 0);
	/* A group of its own: a Ctrl-C at the terminal is the supervisor's to pass on. */
	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(EXIT_NO_EXEC);
	execv("/proc/self/exe", child->arguments);
	_exit(EXIT_NO_EXEC);
}

static void start(struct supervisor *supervisor, struct child *child, uint64_t now_ms)
{
	char log[PATH_MAX];
	pid_t parent = getpid();
	pid_t pid;

	snprintf(log, sizeof(log), "%s/%s.log", supervisor->log_folder, child->name);
	pid = fork();
	if (pid == 0)
		become(child, log, parent);
	child->started_ms = now_ms;
	if (pid > 0) {
		child->pid = pid;
		return;
	}
	supervisor->told(supervisor->context, child->name, strerror(errno));
	child->due_ms = now_ms + SUPERVISOR_PAUSE_MAX_MS;
}

static void note_end(
	struct supervisor *supervisor, struct child *child, int status, uint64_t now_ms)
{
	char what[64];

	if (WIFSIGNALED(status))
		snprintf(what, sizeof(what), "was killed by signal %d", WTERMSIG(status));
	else
		snprintf(what, sizeof(what), "ended with status %d", WEXITSTATUS(status));
	child->pid = 0;
	if (now_ms - child->started_ms >= SUPERVISOR_STEADY_MS) {
		child->pause_ms = 0;
		child->short_lives = 0;
	}
	child->short_lives++;
	child->pause_ms = child->pause_ms == 0 ? SUPERVISOR_PAUSE_MIN_MS : 2 * child->pause_ms;
	if (child->pause_ms > SUPERVISOR_PAUSE_MAX_MS)
		child->pause_ms = SUPERVISOR_PAUSE_MAX_MS;
	child->due_ms = now_ms + child->pause_ms;
	supervisor->told(supervisor->context, child->name, what);
}

void supervisor_turn(struct supervisor *supervisor, uint64_t now_ms)
{
	for (uint32_t i = 0; i < supervisor->count; i++) {
		struct child *child = &supervisor->children[i];
		int status;

		if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid)
			note_end(supervisor, child, status, now_ms);
		if (child->pid == 0 && now_ms >= child->due_ms)
			start(supervisor, child, now_ms);
	}
}

const char *supervisor_hopeless(const struct supervisor *supervisor, uint32_t times)
{
	for (uint32_t i = 0; i < supervisor->count; i++)
		if (supervisor->children[i].short_lives >= times)
			return supervisor->children[i].name;
	return NULL;
}

bool supervisor_all_run(const struct supervisor *supervisor, uint64_t least_ms, uint64_t now_ms)
{
	for (uint32_t i = 0; i < supervisor->count; i++)
		if (supervisor->children[i].pid == 0 ||
			now_ms - supervisor->children[i].started_ms < least_ms)
			return false;
	return true;
}

uint32_t supervisor_count(const struct supervisor *supervisor)
{
	return supervisor->count;
}

pid_t supervisor_pid(const struct supervisor *supervisor, uint32_t index, const char **name)
{
	*name = supervisor->children[index].name;
	return supervisor->children[index].pid;
}

static uint32_t signal_all(struct supervisor *supervisor, int number)
{
	uint32_t alive = 0;

	for (uint32_t i = 0; i < supervisor->count; i++) {
		struct child *child = &supervisor->children[i];

		if (child->pid == 0)
			continue;
		if (waitpid(child->pid, NULL, WNOHANG) == child->pid) {
			child->pid = 0;
			continue;
		}
		alive++;
		if (number)
			kill(child->pid, number);
	}
	return alive;
}

void supervisor_stop(struct supervisor *supervisor, uint64_t patience_ms)
{
	struct timespec pause = {0, STOP_POLL_NS};
	uint64_t started_ms = loop_clock_ms();
	bool forced = false;

	signal_all(supervisor, SIGTERM);
	while (signal_all(supervisor, 0) > 0) {
		if (!forced && loop_clock_ms() - started_ms > patience_ms) {
			signal_all(supervisor, SIGKILL);
			forced = true;
		}
		nanosleep(&pause, NULL);
	}
}
