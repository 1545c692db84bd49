#include "base/process.h"

#include "base/file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAT_BYTES_MAX 4096

bool process_start_ticks(pid_t pid, uint64_t *ticks)
{
	char path[64], state, *text;
	const char *after;
	bool found;

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	text = file_read(path, STAT_BYTES_MAX, NULL);
	if (!text)
		return false;
	/* The name of the program stands before it, in brackets, and may hold anything. */
	after = strrchr(text, ')');
	found = after && sscanf(after + 1,
				 " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d "
				 "%*d %*d %*d %" SCNu64,
				 &state, ticks) == 2;
	found = found && state != 'Z' && state != 'X';
	free(text);
	return found;
}
