#include "cli/ui/console_process.h"

#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAUSE_MS_MIN 1000u
#define PAUSE_MS_MAX 30000u
/* One that has run for so long ended by some accident, and not by what is in the file. */
#define RAN_MS 60000u

struct console_process {
	char *file;
	char index[16];
	pid_t owner;
};

/* In the child: nothing but what may follow a fork of a process with threads. */
static void become_console(const struct console_process *process, const sigset_t *none)
{
	const char *const arguments[] = {
		"tamiz", "console", "--file", process->file, "--index", process->index, NULL};
	int null = open("/dev/null", O_RDWR);

	/* It ends when the thread that forked it does, which is when the process does. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) || getppid() != process->owner)
		_exit(1);
	sigprocmask(SIG_SETMASK, none, NULL);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	execv("/proc/self/exe", (char *const *)arguments);
	_exit(1);
}

static void *thread_main(void *context)
{
	const struct console_process *process = context;
	uint32_t pause_ms = PAUSE_MS_MIN;
	sigset_t none;

	sigemptyset(&none);
	for (;;) {
		uint64_t started_ms = clock_monotonic_ms();
		pid_t pid = fork();

		if (pid == 0)
			become_console(process, &none);
		if (pid > 0)
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				continue;
		if (clock_monotonic_ms() - started_ms > RAN_MS)
			pause_ms = PAUSE_MS_MIN;
		clock_sleep_ms(pause_ms);
		pause_ms = 2 * pause_ms < PAUSE_MS_MAX ? 2 * pause_ms : PAUSE_MS_MAX;
	}
	return NULL;
}

int console_process_start(const char *file, uint32_t index, struct error *err)
{
	struct console_process *process = memory_zalloc(sizeof(*process));
	sigset_t all, before;
	pthread_t thread;
	int number;

	process->file = memory_strdup(file);
	process->owner = getpid();
	snprintf(process->index, sizeof(process->index), "%u", index);
	/* Signals are for the node's own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	number = pthread_create(&thread, NULL, thread_main, process);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!number) {
		pthread_detach(thread);
		return 0;
	}
	free(process->file);
	free(process);
	return error_set(err, ERROR_IO, "cannot start a thread: %s", strerror(number));
}
