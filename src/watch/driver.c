#include "watch/driver.h"

#include "base/file.h"
#include "base/memory.h"
#include "cluster/node_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND_MAX  4096
#define EXIT_NO_EXEC 127
/* In a new process, until its exec. */
#define SPAWN_TOLD_FD (STDERR_FILENO + 1)

/* A command under way. */
struct errand {
	struct driver *driver;
	uint32_t node;
	pid_t pid;
	bool late;		   /* it was killed for that */
	struct loop_source source; /* its pidfd */
	struct loop_timer timer;
	struct errand *next;
};

struct driver {
	struct loop *loop;
	const struct config *config;
	const char *log_folder;
	driver_done done;
	void *context;
	struct errand *errands;
};

/* --- processes -----------------------------------------------------------------------------------
 */

/* In a new process: only what is safe between fork and exec of a process with threads. */
static void forget_parent(int output, int told)
{
	int input = open("/dev/null", O_RDONLY);
	sigset_t none;

	setsid();
	dup2(input, STDIN_FILENO);
	if (output >= 0) {
		dup2(output, STDOUT_FILENO);
		dup2(output, STDERR_FILENO);
	}
	if (told >= 0 && told != SPAWN_TOLD_FD)
		dup2(told, SPAWN_TOLD_FD);
	close_range(told < 0 ? SPAWN_TOLD_FD : SPAWN_TOLD_FD + 1, ~0u, 0);
	fcntl(SPAWN_TOLD_FD, F_SETFD, FD_CLOEXEC);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}

/* In a new process; `told` gets the errno of what went wrong, or is closed by a successful exec. */
static void become(char *const *arguments, int output, int told)
{
	int number;

	forget_parent(output, told);
	/* Twice, so that it is not our child: we may end before it. */
	if (fork() == 0) {
		execv("/proc/self/exe", arguments);
		number = errno;
		(void)!write(SPAWN_TOLD_FD, &number, sizeof(number));
	}
	_exit(0);
}

/* Waits until the new process is itself: whoever ends a cluster must not miss one in between. */
static int spawn(char *const *arguments, int output)
{
	int ends[2], number = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	pid = fork();
	if (pid == 0)
		become(arguments, output, ends[1]);
	number = pid < 0 ? errno : 0;
	close(ends[1]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (pid > 0)
		while (read(ends[0], &number, sizeof(number)) < 0 && errno == EINTR)
			;
	close(ends[0]);
	return number;
}

int driver_spawn(const struct config *config, const struct roster_node *which,
	const char *log_folder, struct error *err)
{
	struct roster_words words;
	char *arguments[sizeof(words.items) / sizeof(*words.items) + 2] = {"tamiz"};
	char path[PATH_MAX];
	uint32_t count = 1;
	int output, number;

	roster_arguments(which, config->path, &words);
	for (const char *const *word = words.items; *word; word++)
		arguments[count++] = (char *)*word;
	arguments[count++] = "--replace";
	arguments[count] = NULL;
	snprintf(path, sizeof(path), "%s/%s.log", log_folder, which->name);
	if (folder_make(config->cluster.state, 0700, false, err) ||
		folder_make(log_folder, 0700, false, err))
		return -1;
	output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (output < 0)
		return error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	number = spawn(arguments, output);
	close(output);
	if (number)
		return error_set(
			err, ERROR_IO, "%s does not start: %s", which->name, strerror(number));
	return 0;
}

/* --- commands ------------------------------------------------------------------------------------
 */

static void errand_end(struct errand *errand, const char *why)
{
	struct driver *driver = errand->driver;
	struct errand **at = &driver->errands;
	uint32_t node = errand->node;

	while (*at != errand)
		at = &(*at)->next;
	*at = errand->next;
	loop_timer_cancel(driver->loop, &errand->timer);
	loop_remove(driver->loop, &errand->source);
	close(errand->source.fd);
	free(errand);
	driver->done(driver->context, node, why);
}

static void on_command_ended(void *context, uint32_t events)
{
	struct errand *errand = context;
	char why[96];
	int status;

	(void)events;
	if (waitpid(errand->pid, &status, WNOHANG) != errand->pid)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		errand_end(errand, NULL);
		return;
	}
	if (errand->late)
		snprintf(why, sizeof(why),
			"the restart command took longer than %" PRIu64 " ms and was killed",
			errand->driver->config->watcher.command_timeout_ms);
	else if (WIFEXITED(status))
		snprintf(why, sizeof(why), "the restart command ended with status %d",
			WEXITSTATUS(status));
	else
		snprintf(why, sizeof(why), "the restart command was killed by signal %d",
			WTERMSIG(status));
	errand_end(errand, why);
}

static void on_command_late(void *context)
{
	struct errand *errand = context;

	errand->late = true;
	kill(-errand->pid, SIGKILL);
	kill(errand->pid, SIGKILL);
}

static void errand_start(struct driver *driver, uint32_t node, char *const *arguments)
{
	struct errand *errand;
	char why[96];
	pid_t pid = fork();
	int fd;

	if (pid == 0) {
		forget_parent(-1, -1);
		execvp(arguments[0], arguments);
		_exit(EXIT_NO_EXEC);
	}
	fd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (fd < 0) {
		snprintf(why, sizeof(why), "%s does not start: %s", arguments[0], strerror(errno));
		driver->done(driver->context, node, why);
		return;
	}
	errand = memory_zalloc(sizeof(*errand));
	*errand = (struct errand){
		.driver = driver,
		.node = node,
		.pid = pid,
		.source = {.fd = fd, .fn = on_command_ended, .context = errand},
		.timer = {.fn = on_command_late, .context = errand},
		.next = driver->errands,
	};
	driver->errands = errand;
	loop_timer_set(driver->loop, &errand->timer, driver->config->watcher.command_timeout_ms);
	if (loop_add(driver->loop, &errand->source, LOOP_READ, &(struct error){0}))
		errand_end(errand, "the loop is full");
}

/* What a shell would take for more than a letter becomes "_". */
static void append_plain(char *out, size_t size, size_t *used, const char *text)
{
	for (; *text && *used + 1 < size; text++)
		out[(*used)++] =
			(isalnum((unsigned char)*text) || strchr(" .:-", *text)) ? *text : '_';
}

bool driver_fill(const char *text, const struct roster_node *which, const char *reason, char *out,
	size_t size)
{
	char index[16];
	const char *const names[] = {"{node}", "{role}", "{index}", "{host}", "{reason}"};
	const char *const values[] = {which->name, which->role, index, which->health.host, reason};
	size_t used = 0;

	snprintf(index, sizeof(index), "%u", which->index);
	while (*text && used + 1 < size) {
		size_t i = 0;

		while (i < sizeof(names) / sizeof(*names) &&
			strncmp(text, names[i], strlen(names[i])) != 0)
			i++;
		if (i == sizeof(names) / sizeof(*names)) {
			out[used++] = *text++;
			continue;
		}
		append_plain(out, size, &used, values[i]);
		text += strlen(names[i]);
	}
	out[used] = '\0';
	return used + 1 < size;
}

static void restart_by_command(
	struct driver *driver, uint32_t node, const struct roster_node *which, const char *reason)
{
	const struct config_watcher *config = &driver->config->watcher;
	bool systemd = strcmp(config->driver, "systemd") == 0;
	bool docker = strcmp(config->driver, "docker") == 0;
	const char *pattern = systemd ? config->unit : docker ? config->container : config->command;
	char text[COMMAND_MAX];
	char *by_systemd[] = {"systemctl", "restart", text, NULL};
	char *by_docker[] = {"docker", "restart", "--time", "0", text, NULL};
	char *by_shell[] = {"sh", "-c", text, NULL};

	if (!driver_fill(pattern, which, reason, text, sizeof(text)))
		driver->done(driver->context, node, "the restart command is too long");
	else
		errand_start(driver, node, systemd ? by_systemd : docker ? by_docker : by_shell);
}

/* --- its life ------------------------------------------------------------------------------------
 */

struct driver *driver_new(struct loop *loop, const struct config *config, const char *log_folder,
	driver_done done, void *context)
{
	struct driver *driver = memory_zalloc(sizeof(*driver));

	*driver = (struct driver){.loop = loop,
		.config = config,
		.log_folder = log_folder,
		.done = done,
		.context = context};
	return driver;
}

void driver_free(struct driver *driver)
{
	if (!driver)
		return;
	while (driver->errands) {
		struct errand *errand = driver->errands;

		driver->errands = errand->next;
		loop_timer_cancel(driver->loop, &errand->timer);
		loop_remove(driver->loop, &errand->source);
		close(errand->source.fd);
		free(errand);
	}
	free(driver);
}

static bool is_local(const struct driver *driver)
{
	return strcmp(driver->config->watcher.driver, "local") == 0;
}

void driver_restart(
	struct driver *driver, uint32_t node, const struct roster_node *which, const char *reason)
{
	bool by_platform = strcmp(driver->config->watcher.driver, "none") == 0;
	const char *trouble = NULL;
	struct error err;

	if (!by_platform && !is_local(driver)) {
		restart_by_command(driver, node, which, reason);
		return;
	}
	if (!by_platform && driver_spawn(driver->config, which, driver->log_folder, &err))
		trouble = err.message;
	driver->done(driver->context, node, trouble);
}

bool driver_lives(const struct driver *driver, const struct roster_node *which)
{
	return is_local(driver) && node_lock_is_taken(driver->config->cluster.state, which->name);
}
