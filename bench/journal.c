/*
 * How fast a journal absorbs and replays, beside what the disk does without one.
 *
 *   journal FOLDER [MEGABYTES] [TURNS]
 *
 * Absorb: records of 64 KB, a sync after 4 MB or 5 ms, whichever comes first, as a reducer does it.
 * Beside it the same bytes with write() into one file, with an fdatasync at the same places.
 * Replay: the journal is opened, every checksum verified. Beside it the plain file with read().
 * The files are in the page cache for both. Every turn does all four, one after the other; the
 * median of the turns counts.
 */
#include "journal/journal.h"
#include "base/memory.h"
#include "base/rng.h"
#include "journal/disk_posix.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PACKET_BYTES (64u << 10)
#define PACKETS	     64 /* different ones: more than a cache that sees them again */
#define SYNC_BYTES   (4u << 20)
#define SYNC_SECONDS 0.005
#define READ_BYTES   (1u << 20)
#define TURNS_MAX    9

enum figure {
	PLAIN_WRITE,
	ABSORB,
	PLAIN_READ,
	REPLAY,
	FIGURES,
};

struct bench {
	char *packets;
	uint32_t packet_count;
	struct disk *disk;
	char plain[PATH_MAX];
	double seconds[FIGURES][TURNS_MAX];
	uint32_t syncs[2];
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "journal: %s: %s\n", what, why);
	exit(1);
}

static char *packet(const struct bench *bench, uint32_t index)
{
	return bench->packets + (size_t)(index % PACKETS) * PACKET_BYTES;
}

static double plain_write(struct bench *bench)
{
	int fd = open(bench->plain, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	double start = now(), synced = start;
	size_t unsynced = 0;

	if (fd < 0)
		die(bench->plain, strerror(errno));
	bench->syncs[0] = 0;
	for (uint32_t i = 0; i < bench->packet_count; i++) {
		if (write(fd, packet(bench, i), PACKET_BYTES) != PACKET_BYTES)
			die(bench->plain, strerror(errno));
		unsynced += PACKET_BYTES;
		if (unsynced >= SYNC_BYTES || now() - synced >= SYNC_SECONDS ||
			i + 1 == bench->packet_count) {
			if (fdatasync(fd) != 0)
				die(bench->plain, strerror(errno));
			bench->syncs[0]++;
			synced = now();
			unsynced = 0;
		}
	}
	start = now() - start;
	close(fd);
	return start;
}

static double absorb(struct bench *bench)
{
	double start = now(), synced = start;
	struct journal *journal;
	journal_position position;
	struct error err;

	if (journal_open(&journal, bench->disk, "journal", NULL, NULL, NULL, &err) != 0)
		die("open", err.message);
	bench->syncs[1] = 0;
	for (uint32_t i = 0; i < bench->packet_count; i++) {
		struct disk_piece piece = {packet(bench, i), PACKET_BYTES};

		if (journal_append(journal, &piece, 1, &position, &err) != 0)
			die("append", err.message);
		if (journal_unsynced(journal) >= SYNC_BYTES || now() - synced >= SYNC_SECONDS ||
			i + 1 == bench->packet_count) {
			if (journal_sync(journal, &err) != 0)
				die("sync", err.message);
			bench->syncs[1]++;
			synced = now();
		}
	}
	journal_close(journal);
	return now() - start;
}

static double plain_read(struct bench *bench)
{
	int fd = open(bench->plain, O_RDONLY | O_CLOEXEC);
	char *bytes = memory_alloc(READ_BYTES);
	double start = now();
	ssize_t got;

	if (fd < 0)
		die(bench->plain, strerror(errno));
	do
		got = read(fd, bytes, READ_BYTES);
	while (got > 0);
	if (got < 0)
		die(bench->plain, strerror(errno));
	start = now() - start;
	close(fd);
	free(bytes);
	return start;
}

static int count_record(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	uint32_t *count = context;

	(void)position;
	(void)bytes;
	++*count;
	return size == PACKET_BYTES ? 0 : error_set(err, ERROR_INTERNAL, "a wrong record");
}

static double replay(struct bench *bench)
{
	double start = now();
	struct journal *journal;
	struct error err;
	uint32_t count = 0;

	if (journal_open(&journal, bench->disk, "journal", NULL, count_record, &count, &err) != 0)
		die("replay", err.message);
	start = now() - start;
	journal_close(journal);
	if (count != bench->packet_count)
		die("replay", "records are missing");
	return start;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double rate(struct bench *bench, enum figure figure, uint32_t turns)
{
	double *seconds = bench->seconds[figure];

	qsort(seconds, turns, sizeof(*seconds), compare_doubles);
	return (double)bench->packet_count * PACKET_BYTES / 1e6 / seconds[turns / 2];
}

static void report(struct bench *bench, uint32_t turns)
{
	double plain_write_rate = rate(bench, PLAIN_WRITE, turns);
	double plain_read_rate = rate(bench, PLAIN_READ, turns);
	double absorb_rate = rate(bench, ABSORB, turns), replay_rate = rate(bench, REPLAY, turns);

	printf("%u records of %u KB, median of %u turns\n", bench->packet_count, PACKET_BYTES >> 10,
		turns);
	printf("absorb %8.0f MB/s, %u syncs; write and fdatasync %8.0f MB/s, %u syncs; ratio "
	       "%.2f\n",
		absorb_rate, bench->syncs[1], plain_write_rate, bench->syncs[0],
		absorb_rate / plain_write_rate);
	printf("replay %8.0f MB/s; read %8.0f MB/s; ratio %.2f\n", replay_rate, plain_read_rate,
		replay_rate / plain_read_rate);
}

int main(int argc, char **argv)
{
	unsigned long megabytes = argc > 2 ? strtoul(argv[2], NULL, 10) : 512;
	unsigned long turns = argc > 3 ? strtoul(argv[3], NULL, 10) : 5;
	struct bench bench = {.packet_count = (uint32_t)megabytes * 16};
	struct error err;
	struct rng rng;

	if (argc < 2 || argc > 4 || megabytes == 0 || megabytes > 65536 || turns == 0 ||
		turns > TURNS_MAX) {
		fprintf(stderr, "usage: journal FOLDER [MEGABYTES] [TURNS]\n");
		return 2;
	}
	rng_init(&rng, 1);
	bench.packets = memory_alloc((size_t)PACKETS * PACKET_BYTES);
	for (size_t i = 0; i < (size_t)PACKETS * PACKET_BYTES; i += 8) {
		uint64_t word = rng_next(&rng);

		memcpy(bench.packets + i, &word, sizeof(word));
	}
	if (disk_posix_open(&bench.disk, argv[1], &err) != 0)
		die(argv[1], err.message);
	snprintf(bench.plain, sizeof(bench.plain), "%s/plain", argv[1]);
	for (uint32_t turn = 0; turn < turns; turn++) {
		/* The first gets the memory that the turn before has left, so they take turns. */
		if (turn % 2 == 0)
			bench.seconds[PLAIN_WRITE][turn] = plain_write(&bench);
		bench.seconds[ABSORB][turn] = absorb(&bench);
		if (turn % 2 == 1)
			bench.seconds[PLAIN_WRITE][turn] = plain_write(&bench);
		bench.seconds[PLAIN_READ][turn] = plain_read(&bench);
		bench.seconds[REPLAY][turn] = replay(&bench);
		if (journal_remove(bench.disk, "journal", &err) != 0 ||
			disk_remove(bench.disk, "plain", &err) != 0)
			die("remove", err.message);
	}
	report(&bench, (uint32_t)turns);
	disk_posix_close(bench.disk);
	free(bench.packets);
	return 0;
}
