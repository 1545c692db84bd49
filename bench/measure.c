/*
 * Runs a program and writes what it cost.
 *
 *   measure REPORT PROGRAM [ARGUMENT]...
 *
 * REPORT becomes one line: wall seconds, user seconds, system seconds, peak resident KB, status. A
 * program of its own because the peak of a child starts at the size of its parent: measured from a
 * script, nothing could be smaller than the script's interpreter.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	double start, wall;
	pid_t child;
	FILE *report;

	if (argc < 3) {
		fprintf(stderr, "usage: measure REPORT PROGRAM [ARGUMENT]...\n");
		return 2;
	}
	start = seconds_now();
	child = fork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		return 1;
	}
	wall = seconds_now() - start;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	report = fopen(argv[1], "w");
	if (!report) {
		perror(argv[1]);
		return 1;
	}
	fprintf(report, "%.6f %.6f %.6f %ld %d\n", wall, seconds(usage.ru_utime),
		seconds(usage.ru_stime), usage.ru_maxrss, status);
	return fclose(report) == 0 ? 0 : 1;
}
