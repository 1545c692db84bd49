/*
 * Where bytes of results go, with every write checked.
 *
 *   stream  a descriptor that is open already: stdout
 *   file    a file that gets its name when it is complete: it is written under a temporary name,
 *           synced and renamed by output_commit, and removed by output_release before that; one that
 *           is named .gz or .zst is compressed (compress.h)
 *   spool   results that must wait for their turn: memory, and an unnamed temporary file when they
 *           are many; output_forward turns it into a stream
 *
 * Writers append to `buf` and call output_drain now and then.
 */
#ifndef CLI_PRINT_OUTPUT_H
#define CLI_PRINT_OUTPUT_H

#include "base/buf.h"
#include "base/file.h"

enum output_kind {
	OUTPUT_STREAM,
	OUTPUT_FILE,
	OUTPUT_SPOOL,
};

struct output {
	enum output_kind kind;
	struct buf buf; /* not yet written */
	int fd;		/* -1: a spool that fits in memory, or a file that is finished */
	int own_fd;	/* of a stream that is not borrowed; otherwise -1 */
	struct file_replacement file;
	struct compressor *compressor; /* NULL: the text is written as it is */
	bool pipe_closed;	       /* the reader of a stream went away: end without a message */
	/* Of a stream: what was written, and what was written before it was begun anew. */
	uint64_t sent;
	uint32_t sent_sum;
	uint64_t repeated;
	uint32_t repeated_sum;
};

/* `fd` is borrowed. */
void output_init_stream(struct output *output, int fd);
void output_init_spool(struct output *output);
MUST_CHECK int output_init_file(struct output *output, const char *path, struct error *err);
/* Removes a file that was not committed. */
void output_release(struct output *output);

/* Writes when enough has come together. ERROR_INTERRUPTED after a Ctrl-C. */
MUST_CHECK int output_drain(struct output *output, struct error *err);
/* Appends the text; more than a little goes out at once. */
MUST_CHECK int output_append(
	struct output *output, const char *text, size_t size, struct error *err);
/*
 * What was written is void, and the same text is written anew. What a stream has sent cannot be taken
 * back: it is not sent again, and ERROR_DATA when the new text is another.
 */
MUST_CHECK int output_restart(struct output *output, struct error *err);
/* Writes everything; a file appears under its name, a spool keeps what it holds. */
MUST_CHECK int output_commit(struct output *output, struct error *err);
/* Sends what a spool holds to `fd`, where all that follows goes, too. */
MUST_CHECK int output_forward(struct output *output, int fd, struct error *err);

#endif
