#include "local/memory_limit.h"

#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096
/* The process itself, and what a thread has at hand: chunks, columns, rows on their way out. */
#define PROCESS_BYTES ((size_t)20 << 20)
#define THREAD_BYTES  ((size_t)8 << 20)
/* Blocks of this size are mapped. The C library would raise that after the first ones and keep what is freed. */
#define MAPPED_BYTES_MIN (1 << 20)

/* The number in a file; SIZE_MAX when there is none: "max", or no such file. */
static size_t read_number(const char *path)
{
	FILE *file = fopen(path, "re");
	char text[64] = "";
	unsigned long long number;
	char *end;

	if (!file)
		return SIZE_MAX;
	if (!fgets(text, sizeof(text), file))
		text[0] = '\0';
	fclose(file);
	number = strtoull(text, &end, 10);
	return end == text ? SIZE_MAX : (size_t)number;
}

/* The limit of this process' group in the unified hierarchy, and of every group around it. */
static size_t group_limit(void)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	char line[PATH_SIZE] = "", path[2 * PATH_SIZE];
	size_t limit = read_number("/sys/fs/cgroup/memory/memory.limit_in_bytes");
	bool unified = false;

	while (file && !unified && fgets(line, sizeof(line), file))
		unified = strncmp(line, "0::/", 4) == 0;
	if (file)
		fclose(file);
	if (!unified)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	for (char *end = line + strlen(line); unified && end >= line + 3; end--) {
		size_t own;

		if (*end != '/' && *end != '\0')
			continue;
		*end = '\0';
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", line + 3);
		own = read_number(path);
		limit = own < limit ? own : limit;
	}
	return limit;
}

size_t memory_limit_default(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	size_t all = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
	size_t group = group_limit();

	return (group < all ? group : all) / 5 * 4;
}

size_t memory_limit_for_rows(size_t limit, uint32_t threads)
{
	size_t taken = PROCESS_BYTES + threads * THREAD_BYTES;

	return limit > taken && limit - taken > limit / 4 ? limit - taken : limit / 4;
}

void memory_limit_prepare(void)
{
	mallopt(M_MMAP_THRESHOLD, MAPPED_BYTES_MIN);
}
