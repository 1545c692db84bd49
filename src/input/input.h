/*
 * The text of a file in UTF-8, wherever it lies and however it is packed: plain, compressed (.gz,
 * .zst, .bz2, .xz, by its name or else by its first bytes), inside of a zip archive (archive.h),
 * and in any encoding (encoding.h). A byte order mark is left out.
 */
#ifndef INPUT_INPUT_H
#define INPUT_INPUT_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct input;

/*
 * `path` is borrowed. `encoding` is a name as encoding_check takes it, or NULL: then the bytes
 * decide. ERROR_IO for what is wrong with the file itself, ERROR_DATA for one that holds no text.
 */
MUST_CHECK int input_open(
	struct input **out, const char *path, const char *encoding, struct error *err);
void input_close(struct input *input);
/*
 * While `flag` is nonzero, reading what has no end of its own (a pipe, a terminal) ends with
 * ERROR_INTERRUPTED. For the whole process; NULL, as at first: never.
 */
void input_interrupt_with(const atomic_bool *flag);

/*
 * Fills `data` with `size` bytes; fewer only at the end of the text. -1: ERROR_IO when the file
 * could not be read, ERROR_DATA when it is damaged or not in its encoding. What is UTF-8 by itself
 * is passed on as it is: input_needs_check.
 */
MUST_CHECK ssize_t input_read(struct input *input, char *data, size_t size, struct error *err);

/*
 * A plain file in UTF-8 can be read at any place, by any thread, as input_read does in order from
 * input_offset on. What is read so is not counted: input_note_done says how far the file is done
 * with.
 */
bool input_is_seekable(const struct input *input);
uint64_t input_offset(const struct input *input);
MUST_CHECK ssize_t input_read_at(
	struct input *input, uint64_t offset, char *data, size_t size, struct error *err);
void input_note_done(struct input *input, uint64_t bytes);

/* The encoding of the file; `guessed` when neither the file nor the caller has named it. Borrowed.
 */
const char *input_encoding(const struct input *input, bool *guessed);
/*
 * Whether the text is UTF-8 only as far as is known. Who reads it must look, line by line; what is
 * not can be mended (encoding_mend_lines) when input_may_mend says so, and is an error when it does not.
 */
bool input_needs_check(const struct input *input);
bool input_may_mend(const struct input *input);
/* Whether encoding_mend_controls is to be asked as well: such characters were seen in a guess. */
bool input_has_controls(const struct input *input);

/*
 * The number of the first line, from 1, that is not UTF-8: reads the file anew. 0: there is none.
 */
uint64_t input_line_not_utf8(const char *path);

/*
 * Releases what only reading needs: a folder may have more files than a process may have open.
 * Files that are read in order do it themselves at their end. Nobody may be reading.
 */
void input_stop(struct input *input);

/* Of the file on disk. `done` may be asked by any thread. */
uint64_t input_bytes_done(const struct input *input);
uint64_t input_bytes_total(const struct input *input);

#endif
