#include "csv/blocks_private.h"

#include "base/memory.h"
#include "csv/chunk_private.h"
#include "csv/look.h"
#include "csv/scan/scan_private.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Read with a block for the rest of its last record; more when that is not enough. */
#define AHEAD_BYTES 4096u
#define PIECE_BYTES (512u << 10)
#define LOOK_BYTES  4096u
#define GIANT_BYTES (1u << 20) /* of a record that is skipped, read at a time */

struct csv_blocks {
	struct input *input;
	struct csv_format format;
	enum csv_isa isa;
	size_t block_bytes;
	size_t ahead_bytes;
	uint64_t text_end; /* what lies behind it is no part of the text */

	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t moved; /* settled, ended or failed */
	uint64_t next;	      /* block to take */
	uint64_t settled;     /* all blocks before this one are cut, and */
	uint64_t start;	      /* it starts here */
	bool giant;	      /* with a record that is too long, which began before it */
	bool ended;
	bool failed;
	struct error error;
	uint32_t busy; /* blocks that were taken and not settled */
	uint64_t next_chunk;
};

/* Where the records of a block end; positions in the buffer. */
struct record_end {
	size_t record; /* where the last record starts */
	size_t end;    /* behind its newline; 0 when that is not in the buffer */
};

/* The block to which a record that starts at `start` belongs. */
static uint64_t block_of(const struct csv_blocks *blocks, uint64_t start)
{
	return start ? (start - 1) / blocks->block_bytes : 0;
}

struct csv_blocks *csv_blocks_new(struct input *input, uint64_t start, uint64_t end,
	const struct csv_format *format, enum csv_isa isa, size_t block_bytes)
{
	struct csv_blocks *blocks = memory_zalloc(sizeof(*blocks));

	blocks->input = input;
	blocks->format = *format;
	blocks->isa = isa;
	blocks->block_bytes = block_bytes;
	blocks->ahead_bytes = block_bytes < AHEAD_BYTES ? block_bytes : AHEAD_BYTES;
	blocks->start = start;
	blocks->text_end = end;
	blocks->next = blocks->settled = block_of(blocks, start);
	pthread_mutex_init(&blocks->lock, NULL);
	pthread_cond_init(&blocks->moved, NULL);
	return blocks;
}

void csv_blocks_free(struct csv_blocks *blocks)
{
	if (!blocks)
		return;
	pthread_cond_destroy(&blocks->moved);
	pthread_mutex_destroy(&blocks->lock);
	free(blocks);
}

int csv_blocks_take(struct csv_blocks *blocks, struct csv_block *block, struct error *err)
{
	int status = 0;

	*block = (struct csv_block){0};
	pthread_mutex_lock(&blocks->lock);
	if (blocks->failed) {
		*err = blocks->error;
		status = -1;
	} else if (!blocks->ended) {
		block->number = blocks->next++;
		block->known = block->number == blocks->settled;
		block->start = blocks->start;
		block->giant = blocks->giant;
		blocks->busy++;
		status = 1;
	}
	pthread_mutex_unlock(&blocks->lock);
	return status;
}

/* Text in the chunk's buffer: `size` bytes from `begin` on, or less when the file ends. */
struct block_view {
	uint64_t begin;
	size_t size;
	bool at_end;
	bool quoted; /* there is a quote in it */
	bool high;   /* and, as long as there is none: bytes that are not ASCII */
};

/* Text with quotes mostly has one soon, and then its scan sees the rest. */
static void view_look(struct block_view *view, const char *piece, size_t size, char quote)
{
	struct csv_look look = {.high = view->high};
	size_t start = size < LOOK_BYTES ? size : LOOK_BYTES;

	if (view->quoted)
		return;
	look.quote = quote != '\0' && memchr(piece, quote, start) != NULL;
	if (!look.quote)
		csv_look_at(&look, piece, size, quote);
	view->quoted = look.quote;
	view->high = look.high;
}

/* Piece by piece: what was just read is looked at while a core's own cache still has it. */
static int view_extend(const struct csv_blocks *blocks, struct block_view *view,
	struct csv_chunk *chunk, size_t size, struct error *err)
{
	if (view->at_end || size <= view->size)
		return 0;
	chunk_reserve(chunk, size, view->size);
	while (view->size < size && !view->at_end) {
		size_t wanted = size - view->size < PIECE_BYTES ? size - view->size : PIECE_BYTES;
		uint64_t at = view->begin + view->size;
		uint64_t left = at < blocks->text_end ? blocks->text_end - at : 0;
		char *piece = chunk->buffer + view->size;
		ssize_t more = input_read_at(
			blocks->input, at, piece, wanted < left ? wanted : (size_t)left, err);

		if (more < 0)
			return -1;
		view_look(view, piece, (size_t)more, blocks->format.quote);
		view->size += (size_t)more;
		view->at_end = (size_t)more < wanted;
	}
	return 0;
}

static struct record_end end_plain(const char *buffer, size_t start, size_t limit, size_t size)
{
	const char *end = limit < size ? memchr(buffer + limit, '\n', size - limit) : NULL;
	const char *upto = end ? end : buffer + size;
	const char *before = memrchr(buffer + start, '\n', (size_t)(upto - (buffer + start)));

	return (struct record_end){
		.record = before ? (size_t)(before + 1 - buffer) : start,
		.end = end ? (size_t)(end + 1 - buffer) : 0,
	};
}

/* Of text that was scanned. */
static struct record_end end_scanned(
	const struct csv_chunk *chunk, size_t start, size_t limit, size_t size)
{
	struct record_end ending = {.record = start};

	for (uint32_t i = chunk->end_count; i-- > 0;) {
		size_t position = start + chunk->ends[i];

		if (position == size || chunk->buffer[position] != '\n')
			continue;
		if (position < limit) {
			ending.record = position + 1;
			break;
		}
		ending.end = position + 1;
	}
	return ending;
}

/* Of text with quotes where they should not be. */
static struct record_end end_scalar(const struct csv_blocks *blocks, const char *buffer,
	size_t start, size_t limit, size_t size)
{
	struct record_end ending = {.record = start};
	size_t length;

	while ((length = csv_skip_record(buffer + ending.record, size - ending.record, false,
			blocks->format.delimiter, blocks->format.quote)) > 0) {
		if (ending.record + length > limit) {
			ending.end = ending.record + length;
			break;
		}
		ending.record += length;
	}
	return ending;
}

/* The end of the records that start at `start`: the first one whose newline is not before `limit`.
 */
static struct record_end find_end(const struct csv_blocks *blocks, struct csv_chunk *chunk,
	struct csv_scan *scan, size_t start, size_t limit, const struct block_view *view)
{
	size_t size = view->size - start;

	chunk->data = chunk->buffer + start;
	chunk->scanned = false;
	if (!view->quoted)
		return end_plain(chunk->buffer, start, limit, view->size);
	if (!scan->data)
		*scan = chunk_scan_start(chunk, size, &blocks->format, blocks->isa);
	scan->data = chunk->data;
	scan->size = (uint32_t)size;
	if (scan->malformed || !chunk_scan(chunk, scan)) {
		scan->malformed = true;
		return end_scalar(blocks, chunk->buffer, start, limit, view->size);
	}
	if (!view->at_end)
		chunk_drop_unfinished(chunk, scan);
	chunk->scanned = true;
	chunk->doubled = scan->doubled;
	chunk->unclosed = scan->unclosed;
	return end_scanned(chunk, start, limit, view->size);
}

/*
 * The chunk is the `size` bytes at its data. They end with a record's newline, or with the file,
 * where a newline may be inside quotes.
 */
static void chunk_set(struct csv_chunk *chunk, size_t size, bool at_newline)
{
	chunk->size = (uint32_t)size;
	if (!at_newline || !chunk->scanned)
		return;
	chunk->unclosed = false;
	while (chunk->end_count > 0 && chunk->ends[chunk->end_count - 1] >= chunk->size)
		chunk->end_count--;
}

/* Cuts from block->start, which is in or right behind the block. */
static int cut_records(const struct csv_blocks *blocks, struct csv_block *block,
	struct csv_chunk *chunk, struct block_view *view, struct error *err)
{
	size_t limit = blocks->block_bytes;
	size_t start = (size_t)(block->start - view->begin);
	struct csv_scan scan = {0};
	struct record_end ending;
	size_t cut;

	if (start > view->size) /* the file has become shorter */
		start = view->size;
	for (;;) {
		size_t rest, size;

		ending = find_end(blocks, chunk, &scan, start, limit, view);
		cut = ending.end ? ending.end : view->size;
		rest = cut - ending.record;
		if (ending.end || view->at_end || rest > CSV_RECORD_MAX)
			break;
		/* A wrong guess may see one record where there are thousands. */
		if (!block->known && view->size > 2 * limit)
			return 0;
		size = view->size + (rest > blocks->ahead_bytes ? rest : blocks->ahead_bytes);
		if (size > ending.record + CSV_RECORD_MAX + 1)
			size = ending.record + CSV_RECORD_MAX + 1;
		if (view_extend(blocks, view, chunk, size, err) < 0)
			return -1;
	}
	/* A newline right behind the greatest length still ends a record. */
	if (cut - ending.record > CSV_RECORD_MAX + (ending.end > 0 ? 1u : 0u)) {
		cut = ending.record;
		block->ends_giant = true;
	}
	chunk_set(chunk, cut - start, ending.end || block->ends_giant);
	chunk->plain = !view->quoted || !memchr(chunk->data, blocks->format.quote, chunk->size);
	chunk->ascii = !view->quoted && !view->high;
	block->end = view->begin + cut;
	block->last = view->at_end && cut == view->size;
	block->cut = true;
	return 0;
}

/* Reads on to the end of the record at block->start, which is too long. */
static int skip_giant(const struct csv_blocks *blocks, struct csv_block *block,
	struct csv_chunk *chunk, struct error *err)
{
	enum csv_state state = CSV_FIELD_START;

	chunk->oversized = true;
	for (;;) {
		struct block_view view = {.begin = block->start};
		size_t end;

		if (view_extend(blocks, &view, chunk, GIANT_BYTES, err) < 0)
			return -1;
		end = csv_state_skip_record(&state, chunk->buffer, view.size,
			blocks->format.delimiter, blocks->format.quote);
		chunk->oversized_lines += csv_count_newlines(chunk->buffer, end ? end : view.size);
		block->start += end ? end : view.size;
		if (end)
			break;
		if (view.at_end) {
			chunk->oversized_lines++;
			block->last = true;
			break;
		}
	}
	/* It may have ended far behind this block. */
	block->end = block->start;
	block->cut = block->last || block_of(blocks, block->start) > block->number;
	return 0;
}

int csv_blocks_cut(struct csv_blocks *blocks, struct csv_block *block, struct csv_chunk *chunk,
	struct error *err)
{
	struct block_view view = {.begin = block->number * blocks->block_bytes};
	size_t guess, room = blocks->block_bytes;

	block->cut = block->last = block->ends_giant = false;
	chunk->size = 0;
	chunk->scanned = false;
	chunk->oversized = false;
	chunk->oversized_lines = 0;
	if (block->known && block->giant && skip_giant(blocks, block, chunk, err) < 0)
		return -1;
	if (block->cut)
		return 0;
	if (view_extend(blocks, &view, chunk, room + blocks->ahead_bytes, err) < 0)
		return -1;
	if (!block->known) {
		guess = csv_guess_record(chunk->buffer, view.size < room ? view.size : room,
			blocks->format.delimiter, view.quoted ? blocks->format.quote : '\0');
		if (guess == 0)
			return 0;
		block->start = view.begin + guess;
	}
	return cut_records(blocks, block, chunk, &view, err);
}

/* Under the lock: the block's chunk is right. True when there is anything in it. */
static bool settle_right(
	struct csv_blocks *blocks, const struct csv_block *block, struct csv_chunk *chunk)
{
	bool any = chunk->size > 0 || chunk->oversized;

	if (any)
		chunk->number = blocks->next_chunk++;
	blocks->start = block->end;
	blocks->giant = block->ends_giant;
	blocks->ended = block->last;
	blocks->settled = block->ends_giant ? block->number + 1 : block_of(blocks, block->end);
	if (blocks->next < blocks->settled)
		blocks->next = blocks->settled;
	input_note_done(blocks->input, block->end);
	return any;
}

int csv_blocks_settle(struct csv_blocks *blocks, struct csv_block *block, struct csv_chunk *chunk,
	int cut_status, struct error *err)
{
	int status = 0;

	pthread_mutex_lock(&blocks->lock);
	while (!blocks->failed && !blocks->ended && blocks->settled < block->number)
		pthread_cond_wait(&blocks->moved, &blocks->lock);
	/* Otherwise no record starts in the block, and what was cut there is void. */
	if (!blocks->failed && !blocks->ended && blocks->settled == block->number) {
		bool right = block->known ||
			     (block->cut && !blocks->giant && block->start == blocks->start);

		if (cut_status == 0 && !right) {
			block->known = true;
			block->start = blocks->start;
			block->giant = blocks->giant;
			/* Nobody else settles this block. */
			pthread_mutex_unlock(&blocks->lock);
			cut_status = csv_blocks_cut(blocks, block, chunk, err);
			pthread_mutex_lock(&blocks->lock);
		}
		if (cut_status == 0) {
			status = settle_right(blocks, block, chunk);
		} else {
			blocks->failed = true;
			blocks->error = *err;
		}
		pthread_cond_broadcast(&blocks->moved);
	}
	if (blocks->failed) {
		*err = blocks->error;
		status = -1;
	}
	blocks->busy--;
	if (blocks->ended && blocks->busy == 0)
		input_stop(blocks->input);
	pthread_mutex_unlock(&blocks->lock);
	return status;
}

uint64_t csv_blocks_chunks(struct csv_blocks *blocks)
{
	uint64_t count;

	pthread_mutex_lock(&blocks->lock);
	count = blocks->next_chunk;
	pthread_mutex_unlock(&blocks->lock);
	return count;
}

int csv_blocks_next(struct csv_blocks *blocks, struct csv_chunk *chunk, struct error *err)
{
	struct csv_block block;
	int status;

	while ((status = csv_blocks_take(blocks, &block, err)) > 0) {
		status = csv_blocks_cut(blocks, &block, chunk, err);
		status = csv_blocks_settle(blocks, &block, chunk, status, err);
		if (status != 0)
			break;
	}
	return status;
}
