#include "base/process.h"

#include "base/digits.h"
#include "base/file.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_BYTES_MAX	   4096
#define CHILDREN_BYTES_MAX 65536
#define START_TICKS_FIELD  20 /* behind the name */

bool process_start_ticks(pid_t pid, uint64_t *ticks)
{
	char path[64], *text;
	const char *after;
	bool found;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	text = file_read(path, STAT_BYTES_MAX, NULL);
	if (!text)
		return false;
	/* The name of the program stands before it, in brackets, and may hold anything. */
	after = strrchr(text, ')');
	found = after && after[1] == ' ' && after[2] != 'Z' && after[2] != 'X';
	for (int i = 0; found && after && i < START_TICKS_FIELD; i++)
		after = strchr(after + 1, ' ');
	found = found && after++ && digits_take(&after, 10, UINT64_MAX, ticks);
	free(text);
	return found;
}

bool process_kill_children(void)
{
	char *text = file_read("/proc/thread-self/children", CHILDREN_BYTES_MAX, NULL);
	const char *at = text;
	uint64_t pid;

	if (!text)
		return false;
	/* Numbers, with a space behind each. Nobody but us buries them: no number is used again meanwhile. */
	while (digits_take(&at, 10, INT32_MAX, &pid) && *at++ == ' ')
		kill((pid_t)pid, SIGKILL);
	free(text);
	return true;
}
