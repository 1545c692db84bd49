/*
 * Rows that go on in the order of the input, whichever thread reads what.
 *
 * A thread collects what comes of the chunk that it reads. When the chunk is done and it is the chunk's
 * turn, its rows go on from there at once; else they are parked until it is. Chunks are dealt out in
 * order, so somebody is at work on the one whose turn it is, and that one never waits: whoever parked
 * too much can wait for it.
 *
 * Rows of a query that wants nothing else of them are formatted by the thread that read them.
 */
#include "base/memory.h"
#include "column/batch_codec.h"
#include "local/local_private.h"

#include <assert.h>
#include <stdlib.h>
#include <time.h>

/* Of all chunks that wait for their turn. */
#define PARKED_BYTES_MAX (16u << 20)
/* A chunk that becomes more goes on in pieces, when its turn has come. */
#define SHARE_BYTES_MAX (4u << 20)
/* What a batch may add to that. */
#define SHARE_BYTES_END ((size_t)1 << 36)
#define ARENA_BLOCK	(64u << 10)
/* How soon a thread that waits notices that all is over. */
#define WAIT_NS 50000000

#define COUNT_UNKNOWN UINT64_MAX

/* Rows on their way: formatted, or encoded batches. */
struct ordered_rows {
	struct buf bytes;
	uint64_t count;
};

struct parked {
	struct parked *next;
	struct scan_place place;
	struct ordered_rows rows;
};

struct row_order {
	struct run_state *run;
	struct fragment_state *to;
	const struct plan_exchange *exchange;
	bool formats;
	uint64_t wanted;	     /* rows; PLAN_LIMIT_NONE: all */
	struct ordered_rows *shares; /* by thread: of the chunk that it reads */
	struct arena arena;	     /* of the thread whose turn it is */
	uint32_t first_file;
	uint32_t file_count;

	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t moved;
	struct scan_place turn;
	uint64_t *chunks;      /* by file: how many it has, once that is known */
	struct parked *parked; /* in order */
	size_t parked_bytes;
	uint64_t given; /* rows; changed by the thread whose turn it is */
	atomic_bool full;
	atomic_bool stalled;
};

static void rows_init(struct ordered_rows *rows)
{
	buf_init(&rows->bytes, SHARE_BYTES_END);
	rows->count = 0;
}

/* The operator that such a fragment begins with. */
static const struct plan_limit *first_limit(const struct plan_fragment *plan)
{
	return plan->op_count > 0 && plan->ops[0]->kind == PLAN_LIMIT ? &plan->ops[0]->limit : NULL;
}

struct row_order *row_order_new(struct run_state *run, struct fragment_state *to)
{
	const struct plan_limit *limit = first_limit(to->plan);
	struct row_order *order = memory_zalloc(sizeof(*order));

	order->run = run;
	order->to = to;
	order->exchange = &run->plan->exchanges[to->plan->inputs[0].index];
	order->wanted = PLAN_LIMIT_NONE;
	if (limit && limit->limit < PLAN_LIMIT_NONE - limit->offset)
		order->wanted = limit->limit + limit->offset;
	order->formats = run->results->format && to->plan->query != PLAN_NONE &&
			 to->plan->op_count == 1 && limit && limit->offset == 0 &&
			 limit->limit == PLAN_LIMIT_NONE;
	order->shares = memory_zalloc(run->threads * sizeof(*order->shares));
	for (uint32_t i = 0; i < run->threads; i++)
		rows_init(&order->shares[i]);
	arena_init(&order->arena, ARENA_BLOCK);
	pthread_mutex_init(&order->lock, NULL);
	pthread_cond_init(&order->moved, NULL);
	return order;
}

static void free_parked(struct parked *parked)
{
	buf_release(&parked->rows.bytes);
	free(parked);
}

void row_order_free(struct row_order *order)
{
	if (!order)
		return;
	while (order->parked) {
		struct parked *next = order->parked->next;

		free_parked(order->parked);
		order->parked = next;
	}
	for (uint32_t i = 0; i < order->run->threads; i++)
		buf_release(&order->shares[i].bytes);
	free(order->shares);
	free(order->chunks);
	arena_release(&order->arena);
	pthread_cond_destroy(&order->moved);
	pthread_mutex_destroy(&order->lock);
	free(order);
}

void row_order_start(struct row_order *order, uint32_t first_file, uint32_t file_count)
{
	assert(!order->chunks); /* a map fragment reads its table once */
	order->first_file = first_file;
	order->file_count = file_count;
	order->turn = (struct scan_place){.file = first_file};
	order->chunks = memory_alloc((file_count + 1) * sizeof(*order->chunks));
	for (uint32_t i = 0; i < file_count; i++)
		order->chunks[i] = COUNT_UNKNOWN;
}

bool row_order_is_limited(const struct row_order *order)
{
	return order->wanted != PLAN_LIMIT_NONE;
}

bool row_order_is_full(const struct row_order *order)
{
	return atomic_load_explicit(&order->full, memory_order_relaxed);
}

static bool is_over(const struct row_order *order)
{
	return row_order_is_full(order) ||
	       atomic_load_explicit(&order->stalled, memory_order_relaxed);
}

void row_order_stall(struct row_order *order)
{
	pthread_mutex_lock(&order->lock);
	atomic_store(&order->stalled, true);
	pthread_cond_broadcast(&order->moved);
	pthread_mutex_unlock(&order->lock);
}

static int compare_places(const struct scan_place *a, const struct scan_place *b)
{
	if (a->file != b->file)
		return a->file < b->file ? -1 : 1;
	return (a->chunk > b->chunk) - (a->chunk < b->chunk);
}

static void wait_for_move(struct row_order *order)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&order->moved, &order->lock, &until);
}

/* Under the lock: until it is the thread's turn, its rows may be parked, or nobody wants them. */
static int wait_for_turn(
	struct row_order *order, struct run_thread *worker, bool may_park, struct error *err)
{
	const struct ordered_rows *own = &order->shares[worker->index];

	while (compare_places(&worker->place, &order->turn) != 0 && !is_over(order) &&
		!(may_park && order->parked_bytes + own->bytes.size <= PARKED_BYTES_MAX)) {
		if (run_stopping(order->run))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		wait_for_move(order);
	}
	return 0;
}

static int give_batches(struct row_order *order, struct run_thread *worker, const struct buf *bytes,
	struct error *err)
{
	const uint8_t *at = (const uint8_t *)bytes->data, *end = at + bytes->size;

	while (at < end) {
		struct batch batch;

		arena_reset(&order->arena);
		if (batch_decode(&at, end, order->exchange->column_count, order->exchange->types,
			    &order->arena, &batch, err) ||
			instance_push(&order->to->instances[0], worker, &batch, err))
			return -1;
	}
	return 0;
}

/* By the thread whose turn it is. The rows are gone then. */
static int give(struct row_order *order, struct run_thread *worker, struct ordered_rows *rows,
	struct error *err)
{
	struct result_sink *results = order->run->results;
	int status = 0;

	if (rows->bytes.size > 0 && !is_over(order))
		status = order->formats ? results->formatted(results, order->to->plan->query,
						  &rows->bytes, err)
					: give_batches(order, worker, &rows->bytes, err);
	/* Nothing may be printed behind rows that are missing. */
	if (status)
		row_order_stall(order);
	order->given += rows->count;
	if (order->given >= order->wanted)
		atomic_store(&order->full, true);
	buf_clear(&rows->bytes);
	rows->count = 0;
	return status;
}

int row_order_add(struct row_order *order, struct run_thread *worker, const struct batch *batch,
	struct error *err)
{
	struct ordered_rows *own = &order->shares[worker->index];
	struct result_sink *results = order->run->results;
	int status;

	if (is_over(order))
		return 0;
	own->count += batch->selected;
	if (order->formats)
		results->format(results, order->to->plan->query, batch, &own->bytes);
	else
		batch_encode(batch, &own->bytes);
	if (buf_overflowed(&own->bytes))
		return error_set(err, ERROR_LIMIT, "rows of the result are too long to print");
	if (own->bytes.size < SHARE_BYTES_MAX)
		return 0;
	pthread_mutex_lock(&order->lock);
	status = wait_for_turn(order, worker, false, err);
	pthread_mutex_unlock(&order->lock);
	return status ? -1 : give(order, worker, own, err);
}

static void park(struct row_order *order, struct run_thread *worker)
{
	struct ordered_rows *own = &order->shares[worker->index];
	struct parked *parked = memory_alloc(sizeof(*parked)), **at = &order->parked;

	parked->place = worker->place;
	parked->rows = *own;
	rows_init(own);
	while (*at && compare_places(&(*at)->place, &parked->place) < 0)
		at = &(*at)->next;
	parked->next = *at;
	*at = parked;
	order->parked_bytes += parked->rows.bytes.size;
}

/* Under the lock: files that have no more chunks are over. */
static void settle_turn(struct row_order *order)
{
	while (order->turn.file < order->first_file + order->file_count &&
		order->chunks[order->turn.file - order->first_file] == order->turn.chunk)
		order->turn = (struct scan_place){.file = order->turn.file + 1};
}

/* Under the lock: what was parked and whose turn has come goes on. */
static int give_parked(struct row_order *order, struct run_thread *worker, struct error *err)
{
	struct parked *first;
	int status = 0;

	settle_turn(order);
	while (!status && (first = order->parked) &&
		compare_places(&first->place, &order->turn) == 0) {
		order->parked = first->next;
		order->parked_bytes -= first->rows.bytes.size;
		pthread_mutex_unlock(&order->lock);
		status = give(order, worker, &first->rows, err);
		free_parked(first);
		pthread_mutex_lock(&order->lock);
		order->turn.chunk++;
		settle_turn(order);
		pthread_cond_broadcast(&order->moved);
	}
	pthread_cond_broadcast(&order->moved);
	return status;
}

int row_order_end_chunk(struct row_order *order, struct run_thread *worker, struct error *err)
{
	struct ordered_rows *own = &order->shares[worker->index];
	int status;

	pthread_mutex_lock(&order->lock);
	status = wait_for_turn(order, worker, true, err);
	if (!status && compare_places(&worker->place, &order->turn) == 0) {
		pthread_mutex_unlock(&order->lock);
		status = give(order, worker, own, err);
		pthread_mutex_lock(&order->lock);
		order->turn.chunk++;
		if (!status)
			status = give_parked(order, worker, err);
	} else if (!status && !is_over(order)) {
		park(order, worker);
	}
	pthread_mutex_unlock(&order->lock);
	return status;
}

int row_order_end_file(struct row_order *order, struct run_thread *worker, uint32_t file,
	uint64_t chunks, struct error *err)
{
	int status;

	assert(file >= order->first_file && file - order->first_file < order->file_count);
	pthread_mutex_lock(&order->lock);
	order->chunks[file - order->first_file] = chunks;
	status = give_parked(order, worker, err);
	pthread_mutex_unlock(&order->lock);
	return status;
}

bool row_order_refuses(struct row_order *order, struct run_thread *worker)
{
	struct error ignored;

	pthread_mutex_lock(&order->lock);
	(void)!wait_for_turn(order, worker, false, &ignored);
	pthread_mutex_unlock(&order->lock);
	return row_order_is_full(order);
}
