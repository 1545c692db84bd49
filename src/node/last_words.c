#include "node/last_words.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Less than that is nothing: what a library asks for in vain may be more. */
#define MEMORY_LEFT_MIN ((size_t)4 << 20)

static struct work_record *record;

/* In a signal handler. */
static bool is_memory_used_up(void)
{
	void *probe = mmap(
		NULL, MEMORY_LEFT_MIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (probe == MAP_FAILED)
		return true;
	munmap(probe, MEMORY_LEFT_MIN);
	return false;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)context;
	/* One that somebody else sent is not the work's doing. Not every library looks whether it got its memory. */
	if (info->si_code > 0 || info->si_pid == getpid())
		work_record_note_end(record,
			is_memory_used_up() ? WORK_END_MEMORY : WORK_END_SIGNAL + (uint32_t)number);
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

/*
 * A library that ends the process without its exit handlers is heard as well: the linker takes this one
 * for it, in whatever library.
 */
__attribute__((visibility("default"))) _Noreturn void _exit(int status)
{
	on_exit_in_work();
	for (;;)
		syscall(SYS_exit_group, status);
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

static bool record_path(const char *folder, char path[PATH_MAX])
{
	int size = snprintf(path, PATH_MAX, "%s/%s", folder, LAST_WORDS_NAME);

	return size > 0 && size < PATH_MAX;
}

static struct work_record *map_record(const char *folder)
{
	char path[PATH_MAX];
	void *memory = MAP_FAILED;
	int fd;

	if (!record_path(folder, path))
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

int last_words_verify(const char *folder, struct error *err)
{
	struct work_record *copy;
	char path[PATH_MAX];
	ssize_t size;
	bool is_sane;
	int fd;

	if (!record_path(folder, path))
		return error_set(err, ERROR_USAGE, "the path of %s is too long", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return error_set(err, ERROR_IO, "cannot open it: %s", strerror(errno));
	copy = memory_zalloc(sizeof(*copy));
	size = read(fd, copy, sizeof(*copy));
	close(fd);
	is_sane = size == (ssize_t)sizeof(*copy) && work_record_is_sane(copy);
	free(copy);
	return is_sane ? 0 : error_set(err, ERROR_DATA, "it makes no sense, or is cut off");
}

int last_words_remove(const char *folder, struct error *err)
{
	char path[PATH_MAX];

	if (!record_path(folder, path))
		return error_set(err, ERROR_USAGE, "the path of %s is too long", folder);
	/* A folder in its place is removed only when it is empty: whatever is in it is not ours. */
	if (unlink(path) == 0 || errno == ENOENT || (errno == EISDIR && rmdir(path) == 0))
		return 0;
	return error_set(err, ERROR_IO, "cannot remove %s: %s", path, strerror(errno));
}
