/*
 * How fast batches are encoded and decoded, and how small they become: on one core.
 *
 *   codec SECONDS
 *
 * Batches are like those that cross the network: the partial groups of coffee's q4, the rows of its
 * q1, reviews. Speeds are MB of memory a second: 8 bytes an integer, 16 a numeric, 16 a text and
 * its bytes. The best turn counts: what disturbs one makes it slower, and nothing makes it faster.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "column/batch_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS	    2000
#define COLUMNS_MAX 3
#define BYTES_MAX   (64u << 20)
#define SECONDS_MAX 600
/* Batches that are encoded between two looks at the clock. */
#define TURN 20

struct sample {
	const char *name;
	struct batch batch;
	struct column columns[COLUMNS_MAX];
	struct type types[COLUMNS_MAX];
	size_t memory; /* of the rows */
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* -- Rows -- */

static void sample_init(struct sample *sample, const char *name)
{
	memset(sample, 0, sizeof(*sample));
	sample->name = name;
	sample->batch = (struct batch){.rows = ROWS, .selected = ROWS, .columns = sample->columns};
}

static struct column *add_column(struct sample *sample, enum type_kind kind, struct arena *arena)
{
	uint32_t at = sample->batch.column_count++;

	sample->types[at] = type_of(kind);
	column_init(&sample->columns[at], sample->types[at], ROWS, arena);
	sample->memory += ROWS * physical_size(type_physical(kind));
	return &sample->columns[at];
}

/* Store, user and count of purchases. */
static void make_groups(struct sample *sample, struct rng *rng, struct arena *arena)
{
	struct column *stores, *users, *counts;

	sample_init(sample, "groups of q4");
	stores = add_column(sample, TYPE_BIGINT, arena);
	users = add_column(sample, TYPE_BIGINT, arena);
	counts = add_column(sample, TYPE_BIGINT, arena);
	for (uint32_t i = 0; i < ROWS; i++) {
		stores->i64[i] = 1 + (int64_t)rng_below(rng, 10);
		users->i64[i] = 1 + (int64_t)rng_below(rng, 2000000);
		counts->i64[i] = 1 + (int64_t)(rng_below(rng, 3) * rng_below(rng, 3));
	}
}

/* Identifier and amount of a transaction. */
static void make_transactions(struct sample *sample, struct rng *rng, struct arena *arena)
{
	struct column *ids, *amounts;

	sample_init(sample, "rows of q1");
	ids = add_column(sample, TYPE_TEXT, arena);
	amounts = add_column(sample, TYPE_NUMERIC, arena);
	for (uint32_t i = 0; i < ROWS; i++) {
		uint64_t a = rng_next(rng), b = rng_next(rng);

		ids->text[i].data = arena_printf(arena, "%08x-%04x-%04x-%04x-%012llx", (unsigned)a,
			(unsigned)(a >> 32) & 0xffff, (unsigned)(a >> 48), (unsigned)b & 0xffff,
			(unsigned long long)(b >> 16));
		ids->text[i].size = 36;
		amounts->num[i] = numeric_pack(7500 + (int64_t)rng_below(rng, 20000), 2);
		sample->memory += 36;
	}
}

static void make_timestamps(struct sample *sample, struct rng *rng, struct arena *arena)
{
	struct column *times, *items;

	sample_init(sample, "times and items");
	times = add_column(sample, TYPE_TIMESTAMP, arena);
	items = add_column(sample, TYPE_INT, arena);
	for (uint32_t i = 0; i < ROWS; i++) {
		times->i64[i] = (INT64_C(1700000000) + (int64_t)rng_below(rng, 2600000)) *
				MICROS_PER_SECOND;
		items->i64[i] = 1 + (int64_t)rng_below(rng, 8);
	}
}

/* Titles that repeat, and reviews that do not. */
static void make_reviews(struct sample *sample, struct rng *rng, struct arena *arena)
{
	struct column *titles, *reviews;

	sample_init(sample, "titles and reviews");
	titles = add_column(sample, TYPE_TEXT, arena);
	reviews = add_column(sample, TYPE_TEXT, arena);
	for (uint32_t i = 0; i < ROWS; i++) {
		size_t size = 200 + rng_below(rng, 1200);
		char *text = arena_alloc_bytes(arena, size);

		for (size_t k = 0; k < size; k++)
			text[k] = (char)('a' + rng_below(rng, 26));
		reviews->text[i] = text_from(text, size);
		titles->text[i].data = arena_printf(
			arena, "The title of book number %u", (unsigned)rng_below(rng, 100));
		titles->text[i].size = (uint32_t)strlen(titles->text[i].data);
		sample->memory += size + titles->text[i].size;
	}
}

/* -- Turns -- */

static double best_encode(const struct sample *sample, double seconds, struct buf *bytes)
{
	double end = now() + seconds, best = 1e9;

	while (now() < end) {
		double start = now(), taken;

		for (int i = 0; i < TURN; i++) {
			buf_clear(bytes);
			batch_encode(&sample->batch, bytes);
		}
		taken = (now() - start) / TURN;
		best = taken < best ? taken : best;
	}
	return best;
}

static double best_decode(const struct sample *sample, double seconds, const struct buf *bytes)
{
	double end = now() + seconds, best = 1e9;
	struct arena arena;
	struct error err;

	arena_init(&arena, 1 << 20);
	while (now() < end) {
		double start = now(), taken;

		for (int i = 0; i < TURN; i++) {
			const uint8_t *at = (const uint8_t *)bytes->data;
			struct batch batch;

			arena_reset(&arena);
			if (batch_decode(&at, at + bytes->size, sample->batch.column_count,
				    sample->types, &arena, &batch, &err) < 0) {
				fprintf(stderr, "codec: %s\n", err.message);
				exit(1);
			}
		}
		taken = (now() - start) / TURN;
		best = taken < best ? taken : best;
	}
	arena_release(&arena);
	return best;
}

static void measure(const struct sample *sample, double seconds)
{
	struct buf bytes;
	double encode, decode;

	buf_init(&bytes, BYTES_MAX);
	encode = best_encode(sample, seconds / 2, &bytes);
	decode = best_decode(sample, seconds / 2, &bytes);
	printf("%-20s %8.1f %8.1f %10.0f %10.0f\n", sample->name, (double)sample->memory / ROWS,
		(double)bytes.size / ROWS, (double)sample->memory / encode / 1e6,
		(double)sample->memory / decode / 1e6);
	buf_release(&bytes);
}

int main(int argc, char **argv)
{
	static void (*const makers[])(struct sample *, struct rng *, struct arena *) = {
		make_groups, make_transactions, make_timestamps, make_reviews};
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1;
	struct arena arena;
	struct rng rng;

	if (!(seconds > 0 && seconds <= SECONDS_MAX)) {
		fprintf(stderr, "usage: codec SECONDS\n");
		return 2;
	}
	rng_init(&rng, 1);
	arena_init(&arena, 1 << 20);
	printf("%-20s %8s %8s %10s %10s\n", "", "B/row", "coded", "encode", "decode MB/s");
	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++) {
		struct sample sample;

		makers[i](&sample, &rng, &arena);
		measure(&sample, seconds);
	}
	arena_release(&arena);
	return 0;
}
