#include "node/last_words.h"

#include "base/memory.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* With a dot: it belongs to no job, and to no disk (journal/disk.h). */
#define RECORD_NAME ".work"

static struct work_record *record;

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	/* One that somebody else sent is not the work's doing. */
	if (info->si_code > 0 || info->si_pid == getpid())
		work_record_note_end(record, WORK_END_SIGNAL + (uint32_t)number);
	/* As if there were no handler: it is not there any more. */
	raise(number);
}

static void on_no_memory(void)
{
	work_record_note_end(record, WORK_END_MEMORY);
}

static void on_exit_in_work(void)
{
	if (work_record_is_working())
		work_record_note_end(record, WORK_END_EXIT);
}

static void listen_to_signals(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	struct sigaction action = {.sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};

	action.sa_sigaction = on_signal;
	for (size_t i = 0; i < sizeof(fatal) / sizeof(*fatal); i++)
		sigaction(fatal[i], &action, NULL);
}

/* How many processes the kernel has killed to get memory since the machine started; 0: unknown. */
static uint64_t oom_kills(void)
{
	static const char key[] = "oom_kill ";
	FILE *file = fopen("/proc/vmstat", "re");
	char line[128];
	uint64_t count = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, sizeof(key) - 1) == 0)
			count = 1 + strtoull(line + sizeof(key) - 1, NULL, 10);
	if (file)
		fclose(file);
	return count;
}

static struct work_record *map_record(const char *folder)
{
	char path[PATH_MAX];
	void *memory = MAP_FAILED;
	int size = snprintf(path, sizeof(path), "%s/%s", folder, RECORD_NAME), fd;

	if (size < 0 || (size_t)size >= sizeof(path))
		return NULL;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	/* Room now: a page that the disk has no room for would be a SIGBUS later. */
	if (fd >= 0 && posix_fallocate(fd, 0, sizeof(*record)) == 0)
		memory = mmap(NULL, sizeof(*record), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	return memory == MAP_FAILED ? NULL : memory;
}

struct work_record *last_words_open(const char *folder)
{
	record = map_record(folder);
	if (!record)
		return NULL;
	work_record_start(record, oom_kills());
	memory_on_failure(on_no_memory);
	atexit(on_exit_in_work);
	listen_to_signals();
	return record;
}
