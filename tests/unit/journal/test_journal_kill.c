/*
 * Processes that are killed while they write a journal on the real disk.
 *
 * A child appends records, syncs them in groups and reports through a pipe up to which number they
 * are durable. It is killed at a random moment: while it opens and replays, in the middle of a
 * write, between a write and its sync, while it begins a segment. Then the journal must hold every
 * record that was reported and none that was never appended, all with the right content.
 *
 * KILLS=n in the environment sets how often (40), SEED=n where the random numbers start.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "journal/disk_posix.h"
#include "journal/journal.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define JOURNAL		"jobs/1/journal"
#define RECORD_SIZE_MAX (64u << 10)
#define LIFE_US_MAX	25000
#define BYTES_MAX	(48u << 20) /* then the journal is removed and another one begun */

static const struct journal_options options = {.segment_bytes_max = 8u << 20};

/* What child and parent know of each other; survives the child. */
struct shared {
	_Atomic uint64_t appended; /* written before the append: no record has a higher number */
};

struct replayed {
	uint64_t torn; /* tails that were cut off */
	uint64_t count;
	uint64_t bytes;
	char *expected;
};

static uint32_t content_make(uint64_t number, char *bytes)
{
	struct rng rng;
	uint32_t size;

	rng_init(&rng, number);
	size = (uint32_t)rng_below(&rng, 1 + rng_below(&rng, RECORD_SIZE_MAX));
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t word = rng_next(&rng);

		memcpy(bytes + i, &word, 8);
	}
	return size;
}

static int content_check(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	struct replayed *replayed = context;
	uint32_t expected = content_make(++replayed->count, replayed->expected);

	(void)position;
	replayed->bytes += size;
	if (size != expected || memcmp(bytes, replayed->expected, size) != 0)
		return error_set(err, ERROR_INTERNAL, "record %llu is not what was appended",
			(unsigned long long)replayed->count);
	return 0;
}

/* -- The child -- */

static void child_fail(const struct error *err)
{
	fprintf(stderr, "# child: %s\n", err->message);
	_exit(1);
}

static void child_run(const char *folder, struct shared *shared, int reports, uint64_t seed)
{
	char *bytes = memory_alloc(RECORD_SIZE_MAX + 8);
	struct replayed replayed = {.expected = memory_alloc(RECORD_SIZE_MAX + 8)};
	struct journal *journal;
	journal_position position;
	struct disk *disk;
	struct error err;
	struct rng rng;

	rng_init(&rng, seed);
	if (disk_posix_open(&disk, folder, &err) != 0 ||
		journal_open(&journal, disk, JOURNAL, &options, content_check, &replayed, &err) !=
			0)
		child_fail(&err);
	/* Ready. */
	if (write(reports, &replayed.count, sizeof(replayed.count)) != sizeof(replayed.count))
		_exit(1);
	for (uint64_t number = replayed.count + 1;;) {
		uint64_t end = number + 1 + rng_below(&rng, 1 + rng_below(&rng, 300));

		for (; number < end; number++) {
			struct disk_piece piece = {bytes, content_make(number, bytes)};

			atomic_store(&shared->appended, number);
			if (journal_append(journal, &piece, 1, &position, &err) != 0)
				child_fail(&err);
		}
		if (journal_sync(journal, &err) != 0)
			child_fail(&err);
		/* Only now: whoever reads this may rely on it. */
		end = number - 1;
		if (write(reports, &end, sizeof(end)) != sizeof(end))
			_exit(1);
	}
}

/* -- The parent -- */

static uint64_t environment_number(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/*
 * Lets a child work for a while and returns the last number that it reported, or 0. One of four may
 * be killed before it has even opened the journal, and one has written something for sure, however
 * busy the machine is.
 */
static uint64_t kill_one(const char *folder, struct shared *shared, struct rng *rng)
{
	struct timespec life = {.tv_nsec = 1000 * (long)rng_below(rng, LIFE_US_MAX)};
	uint64_t seed = rng_next(rng), reported = 0, number;
	uint32_t reports = (uint32_t)rng_below(rng, 4); /* that are waited for: 0, 1, 1 or 2 */
	int pipes[2], status;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (child == 0) {
		close(pipes[0]);
		child_run(folder, shared, pipes[1], seed);
	}
	assert_true(child > 0);
	close(pipes[1]);
	for (uint32_t i = 0; i < (reports + 1) / 2; i++)
		if (read(pipes[0], &number, sizeof(number)) == sizeof(number))
			reported = number;
	nanosleep(&life, NULL);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
		fail_msg("the child ended with status %d before it was killed", status);
	while (read(pipes[0], &number, sizeof(number)) == sizeof(number))
		reported = number;
	close(pipes[0]);
	return reported;
}

/* The bytes in all segments. */
static uint64_t journal_bytes(struct disk *disk)
{
	uint64_t sum = 0, size;
	struct error err;
	struct buf names;

	buf_init(&names, 1u << 20);
	assert_int_equal(disk_list(disk, JOURNAL, &names, &err), 0);
	for (size_t at = 0; at < names.size; at += strlen(names.data + at) + 1) {
		char path[DISK_PATH_MAX];
		struct disk_file *file;

		snprintf(path, sizeof(path), JOURNAL "/%.32s", names.data + at);
		assert_int_equal(disk_open(disk, path, false, &file, &err), 0);
		assert_int_equal(disk_size(file, &size, &err), 0);
		disk_close(file);
		sum += size;
	}
	buf_release(&names);
	return sum;
}

/* Opens as a restarted node does, and counts what is there. */
static void verify(const char *folder, uint64_t known, uint64_t appended, struct replayed *replayed)
{
	struct journal *journal;
	struct disk *disk;
	struct error err;
	uint64_t before;

	replayed->count = replayed->bytes = 0;
	if (disk_posix_open(&disk, folder, &err) != 0)
		fail_msg("%s", err.message);
	before = journal_bytes(disk);
	if (journal_open(&journal, disk, JOURNAL, &options, content_check, replayed, &err) != 0)
		fail_msg("%s", err.message);
	journal_close(journal);
	replayed->torn += journal_bytes(disk) < before;
	if (replayed->count < known || replayed->count > appended)
		fail_msg("%llu records, of %llu reported as durable and %llu appended",
			(unsigned long long)replayed->count, (unsigned long long)known,
			(unsigned long long)appended);
	if (replayed->bytes > BYTES_MAX) {
		if (journal_remove(disk, JOURNAL, &err) != 0)
			fail_msg("%s", err.message);
		replayed->count = 0;
	}
	disk_posix_close(disk);
}

static void remove_all(const char *folder)
{
	char lock[64];
	struct disk *disk;
	struct error err;

	assert_int_equal(disk_posix_open(&disk, folder, &err), 0);
	assert_int_equal(disk_remove(disk, "jobs", &err), 0);
	disk_posix_close(disk);
	snprintf(lock, sizeof(lock), "%s/.lock", folder);
	assert_int_equal(unlink(lock), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void test_kills(void **state)
{
	uint64_t kills = environment_number("KILLS", 40), seed = environment_number("SEED", 1);
	uint64_t known = 0, all = 0, unreported = 0;
	struct replayed replayed = {.expected = memory_alloc(RECORD_SIZE_MAX + 8)};
	/* Below the current folder: /tmp may be no disk. */
	char folder[] = "build/journal-kill-XXXXXX";
	struct shared *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct rng rng;

	(void)state;
	assert_true(shared != MAP_FAILED);
	assert_non_null(mkdtemp(folder));
	rng_init(&rng, seed);
	for (uint64_t i = 0; i < kills; i++) {
		uint64_t reported;

		atomic_store(&shared->appended, known);
		reported = kill_one(folder, shared, &rng);
		all += reported > known ? reported - known : 0;
		if (reported > known)
			known = reported;
		verify(folder, known, atomic_load(&shared->appended), &replayed);
		unreported += replayed.count > known ? replayed.count - known : 0;
		known = replayed.count;
		if ((i + 1) % 100 == 0)
			printf("# %llu kills, %llu records reported as durable, none lost\n",
				(unsigned long long)i + 1, (unsigned long long)all);
	}
	printf("# %llu kills (seed %llu): %llu records reported as durable, all found; %llu more "
	       "were there, %llu torn tails were cut\n",
		(unsigned long long)kills, (unsigned long long)seed, (unsigned long long)all,
		(unsigned long long)unreported, (unsigned long long)replayed.torn);
	assert_true(all > 0);
	remove_all(folder);
	free(replayed.expected);
	munmap(shared, sizeof(*shared));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
