#include "chaos/clients.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINE_MAX_BYTES 512
#define COMPARE_BYTES  65536
#define EXIT_NO_EXEC   127

/* FOLDER/NAME */
static const char *path_of(const struct clients *clients, char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s/%s", clients->options.folder, name);
	return path;
}

/* This program, with what it prints in files; -1 when it cannot be started. */
static pid_t run(const char *const *arguments, const char *output, const char *errors)
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0) {
		int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int err = open(errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);
		int in = open("/dev/null", O_RDONLY);

		dup2(in, STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		close_range(STDERR_FILENO + 1, ~0u, 0);
		/* A Ctrl-C at the terminal is for us, who then end it; and so does our own end. */
		setpgid(0, 0);
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
			_exit(EXIT_NO_EXEC);
		execv("/proc/self/exe", (char *const *)arguments);
		_exit(EXIT_NO_EXEC);
	}
	return pid;
}

static int run_and_wait(struct clients *clients, const char *const *arguments, const char *output,
	struct error *err)
{
	char errors[PATH_MAX];
	int status = -1;
	pid_t pid;

	pid = run(arguments, output, path_of(clients, errors, "prepare.err"));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return error_set(
		err, ERROR_IO, "tamiz %s %s failed; see %s", arguments[1], arguments[2], errors);
}

static int prepare(struct clients *clients, const char *pack, struct error *err)
{
	char data[PATH_MAX], answer[PATH_MAX], nothing[PATH_MAX];
	const char *gen[] = {"tamiz", "gen", pack, "--out", data, "--size", clients->options.size,
		"--force", "-q", NULL};
	const char *embedded[] = {"tamiz", "run", pack, "--data", data, "-f", "csv", "-q", NULL};

	snprintf(data, sizeof(data), "%s/%s", clients->options.folder, pack);
	snprintf(answer, sizeof(answer), "%s/%s.right", clients->options.folder, pack);
	if (run_and_wait(clients, gen, path_of(clients, nothing, "prepare.out"), err))
		return -1;
	return run_and_wait(clients, embedded, answer, err);
}

int clients_init(struct clients *clients, const struct clients_options *options, struct rng *rng,
	struct error *err)
{
	*clients = (struct clients){.options = *options, .rng = rng};
	if (folder_make(options->folder, 0700, false, err))
		return -1;
	for (uint32_t i = 0; i < options->pack_count; i++)
		if (prepare(clients, options->packs[i], err))
			return -1;
	return 0;
}

/* --- jobs ----------------------------------------------------------------------------------------
 */

static void client_path(const struct clients *clients, const struct client *client,
	const char *ending, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/client-%ld.%s", clients->options.folder,
		(long)(client - clients->items), ending);
}

static void start(struct clients *clients, struct client *client, uint64_t now_ms)
{
	const struct clients_options *options = &clients->options;
	char data[PATH_MAX], output[PATH_MAX], errors[PATH_MAX], state[PATH_MAX];
	const char *arguments[] = {"tamiz", "submit", NULL, "--data", data, "--server",
		options->server, "--state", state, "--restart", "-f", "csv", "-q", NULL};

	client->pack = (uint32_t)rng_below(clients->rng, options->pack_count);
	client->started_ms = now_ms;
	arguments[2] = options->packs[client->pack];
	snprintf(data, sizeof(data), "%s/%s", options->folder, options->packs[client->pack]);
	client_path(clients, client, "out", output);
	client_path(clients, client, "err", errors);
	client_path(clients, client, "state", state);
	client->pid = run(arguments, output, errors);
	if (client->pid < 0)
		client->pid = 0;
	else
		clients->started++;
}

static bool same_bytes(const char *one, const char *other)
{
	static char left[COMPARE_BYTES], right[COMPARE_BYTES];
	FILE *a = fopen(one, "re"), *b = fopen(other, "re");
	bool same = a && b;
	size_t got = 1;

	while (same && got > 0) {
		got = fread(left, 1, sizeof(left), a);
		same = fread(right, 1, sizeof(right), b) == got && memcmp(left, right, got) == 0;
	}
	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return same;
}

static void first_line(const char *path, char line[LINE_MAX_BYTES])
{
	FILE *file = fopen(path, "re");

	line[0] = '\0';
	if (file && fgets(line, LINE_MAX_BYTES, file))
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
}

static void judge(struct clients *clients, struct client *client, int status, uint64_t now_ms)
{
	const char *pack = clients->options.packs[client->pack];
	char output[PATH_MAX], errors[PATH_MAX], right[PATH_MAX], kept[PATH_MAX + 32];
	char why[LINE_MAX_BYTES], line[2 * LINE_MAX_BYTES];
	uint64_t took_ms = now_ms - client->started_ms;
	bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0;

	client_path(clients, client, "out", output);
	client_path(clients, client, "err", errors);
	snprintf(right, sizeof(right), "%s/%s.right", clients->options.folder, pack);
	client->pid = 0;
	if (good && same_bytes(output, right)) {
		clients->right++;
		clients->job_ms += took_ms;
		if (took_ms > clients->job_ms_worst)
			clients->job_ms_worst = took_ms;
		return;
	}
	first_line(errors, why);
	if (good) {
		clients->wrong++;
		snprintf(kept, sizeof(kept), "%s.wrong-%lu", output, (unsigned long)clients->wrong);
		if (rename(output, kept))
			snprintf(kept, sizeof(kept), "%s", output);
		snprintf(line, sizeof(line), "WRONG  %s: %.200s differs from %.200s", pack, kept,
			right);
	} else {
		clients->failed++;
		snprintf(line, sizeof(line), "FAILED %s after %lu ms: %s", pack,
			(unsigned long)took_ms, why);
	}
	clients->options.told(clients->options.context, line);
}

void clients_turn(struct clients *clients, bool more, uint64_t now_ms)
{
	for (uint32_t i = 0; i < clients->options.count; i++) {
		struct client *client = &clients->items[i];
		int status;

		if (client->pid && waitpid(client->pid, &status, WNOHANG) == client->pid)
			judge(clients, client, status, now_ms);
		if (client->pid && now_ms - client->started_ms > clients->options.job_ms_max)
			kill(client->pid, SIGKILL);
		if (!client->pid && more)
			start(clients, client, now_ms);
	}
}

uint32_t clients_busy(const struct clients *clients)
{
	uint32_t busy = 0;

	for (uint32_t i = 0; i < clients->options.count; i++)
		busy += clients->items[i].pid != 0;
	return busy;
}

void clients_stop(struct clients *clients)
{
	for (uint32_t i = 0; i < clients->options.count; i++) {
		struct client *client = &clients->items[i];

		if (!client->pid)
			continue;
		kill(client->pid, SIGKILL);
		(void)waitpid(client->pid, NULL, 0);
		client->pid = 0;
	}
}
