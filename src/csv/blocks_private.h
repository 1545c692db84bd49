/*
 * A plain file in blocks, which any number of threads read and scan at the same time.
 *
 * The file is cut at every multiple of the block size, whatever stands there. To a block belong the
 * records whose preceding newline lies in it, and to the first one also the record at the text's
 * start. Where the first of them starts is known for sure only when the block before has been
 * scanned, so it is guessed (csv_guess_record) and the block is scanned from there. Then the thread
 * waits for the block before: if that ends where this one was thought to start the work stands, and
 * if not it is done again. Because a scan from the start of a record depends on nothing before it,
 * comparing the positions is all that there is to verify.
 *
 * Order of calls: take, cut, settle, by one thread for one block. Who has taken a block must settle
 * it: those behind it wait.
 */
#ifndef CSV_BLOCKS_PRIVATE_H
#define CSV_BLOCKS_PRIVATE_H

#include "csv/file.h"
#include "csv/scan/scan.h"
#include "input/input.h"

struct csv_blocks;

/* Positions are in the file. */
struct csv_block {
	uint64_t number;
	uint64_t start;	 /* of its first record */
	bool known;	 /* `start` is no guess */
	bool giant;	 /* a record that is too long stands before the block's own */
	bool cut;	 /* what follows is set */
	bool ends_giant; /* one that is too long starts at `end` */
	bool last;	 /* the text ends at `end` */
	uint64_t end;
};

/*
 * `input` must be seekable, and is borrowed; its text starts at `start`, and ends at `end` or with
 * the file. */
struct csv_blocks *csv_blocks_new(struct input *input, uint64_t start, uint64_t end,
	const struct csv_format *format, enum csv_isa isa, size_t block_bytes);
void csv_blocks_free(struct csv_blocks *blocks);

/* 1: a block; 0: the text has ended; -1: somebody's error, which is everybody's. */
MUST_CHECK int csv_blocks_take(
	struct csv_blocks *blocks, struct csv_block *block, struct error *err);
/* Reads the block and finds its records. A guess that leads nowhere leaves it uncut. */
MUST_CHECK int csv_blocks_cut(struct csv_blocks *blocks, struct csv_block *block,
	struct csv_chunk *chunk, struct error *err);
/*
 * Waits until all blocks before are settled and cuts again what was cut wrong. `cut_status` is what
 * csv_blocks_cut returned, with its error in *err. 1: the chunk is there; 0: it is empty; -1.
 */
MUST_CHECK int csv_blocks_settle(struct csv_blocks *blocks, struct csv_block *block,
	struct csv_chunk *chunk, int cut_status, struct error *err);

/* As csv_file_chunks. */
uint64_t csv_blocks_chunks(struct csv_blocks *blocks);
/* All of it; as csv_file_next. */
MUST_CHECK int csv_blocks_next(
	struct csv_blocks *blocks, struct csv_chunk *chunk, struct error *err);

#endif
