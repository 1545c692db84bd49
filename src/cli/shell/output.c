/* Where results go: stdout, the pager, a file or a command. */
#include "cli/cli.h"
#include "cli/shell/shell_private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define COPY_BYTES 65536

static bool is_drawn(const struct shell *shell)
{
	const char *format = shell->settings.execute.format;

	return !format || strcmp(format, "table") == 0 || strcmp(format, "box") == 0 ||
	       strcmp(format, "ascii") == 0 || strcmp(format, "vertical") == 0;
}

struct execute_target output_target(const struct shell *shell, struct format_style *style)
{
	const char *expanded = shell->settings.expanded;

	*style = (struct format_style){.null = shell->settings.null,
		.without_names = shell->settings.tuples_only,
		.expanded = expanded && strcmp(expanded, "auto") == 0 ? FORMAT_EXPANDED_AUTO
								      : FORMAT_EXPANDED_OFF};
	if (shell->output < 0)
		execute_fit(STDOUT_FILENO, &shell->settings.execute, style);
	return (struct execute_target){.style = style,
		.fd = shell->output >= 0  ? &shell->output
		      : shell->spool >= 0 ? &shell->spool
					  : NULL};
}

int output_print(const struct shell *shell, struct buf *text)
{
	const int *fd = shell->output >= 0  ? &shell->output
			: shell->spool >= 0 ? &shell->spool
					    : NULL;
	struct output output;
	struct error err;
	int status = 0;

	if (!fd)
		return cli_print(text);
	output_init_stream(&output, *fd);
	buf_append(&output.buf, text->data, text->size);
	buf_release(text);
	if (output_commit(&output, &err))
		status = cli_fail(&err);
	output_release(&output);
	return status;
}

void output_say(const struct shell *shell, const char *format, ...)
{
	va_list args;

	if (!shell->interactive || shell->settings.execute.quiet)
		return;
	va_start(args, format);
	vfprintf(stdout, format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

/* A command of the system with `input` as its standard input; an errno, or 0. */
static int start_command(const char *command, int input, pid_t *child)
{
	char *const words[] = {"sh", "-c", (char *)command, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t defaults;
	int failed;

	sigemptyset(&defaults);
	sigaddset(&defaults, SIGPIPE);
	sigaddset(&defaults, SIGINT);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigdefault(&attributes, &defaults);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	failed = posix_spawn(child, "/bin/sh", &actions, &attributes, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return failed;
}

static void wait_for(pid_t child)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

int output_run_command(const char *command)
{
	pid_t child;
	int status;

	fflush(stdout);
	if (start_command(command, STDIN_FILENO, &child))
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int open_pipe(struct shell *shell, const char *command, struct error *err)
{
	int ends[2], failed;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(err, ERROR_IO, "cannot make a pipe: %s", strerror(errno));
	failed = start_command(command, ends[0], &shell->output_reader);
	close(ends[0]);
	if (failed) {
		close(ends[1]);
		return error_set(err, ERROR_IO, "cannot run %s: %s", command, strerror(failed));
	}
	shell->output = ends[1];
	return 0;
}

int output_redirect(struct shell *shell, const char *target, struct error *err)
{
	if (shell->output >= 0)
		close(shell->output);
	shell->output = -1;
	if (shell->output_reader)
		wait_for(shell->output_reader);
	shell->output_reader = 0;
	if (!target)
		return 0;
	if (*target == '|')
		return open_pipe(shell, target + 1, err);
	shell->output = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (shell->output < 0)
		return error_set(err, ERROR_IO, "cannot write %s: %s", target, strerror(errno));
	return 0;
}

void output_hold(struct shell *shell)
{
	const char *folder = getenv("TMPDIR");

	if (!shell->interactive || !shell->settings.pager || shell->output >= 0 ||
		!is_drawn(shell) || !isatty(STDOUT_FILENO))
		return;
	/* Without a place for it, it goes to the screen as it comes. */
	shell->spool =
		open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Whether it has more lines than the screen, less the one for the prompt. */
static bool is_longer_than_screen(int fd)
{
	char piece[COPY_BYTES];
	struct winsize screen;
	off_t offset = 0;
	size_t lines = 0;
	ssize_t got;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) || screen.ws_row == 0)
		return false;
	while ((got = pread(fd, piece, sizeof(piece), offset)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			lines += piece[i] == '\n';
		offset += got;
	}
	return lines >= screen.ws_row;
}

static void copy_to_screen(int fd)
{
	char piece[COPY_BYTES];
	ssize_t got;

	while ((got = read(fd, piece, sizeof(piece))) > 0)
		for (ssize_t done = 0, wrote; done < got; done += wrote) {
			wrote = write(STDOUT_FILENO, piece + done, (size_t)(got - done));
			if (wrote < 0)
				return;
		}
}

void output_page(struct shell *shell)
{
	const char *pager = getenv("PAGER");
	int spool = shell->spool;
	bool page;
	pid_t child;

	if (spool < 0)
		return;
	shell->spool = -1;
	page = is_longer_than_screen(spool);
	lseek(spool, 0, SEEK_SET);
	/* For less, when the user has chosen that one: it shows colours. */
	setenv("LESS", "R", 0);
	if (page && start_command(pager && *pager ? pager : "less -SRX", spool, &child) == 0) {
		signal(SIGINT, SIG_IGN);
		wait_for(child);
	} else {
		copy_to_screen(spool);
	}
	close(spool);
}
