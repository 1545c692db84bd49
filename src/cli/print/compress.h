/*
 * Result files that are compressed while they are written: .gz and .zst.
 *
 * The text is taken in pieces of one size, whatever sizes it comes in, so that the same text makes the
 * same bytes.
 */
#ifndef CLI_PRINT_COMPRESS_H
#define CLI_PRINT_COMPRESS_H

#include "base/buf.h"

struct compressor;

/* The suffix of a file name that asks for it, ".gz" or ".zst"; NULL when it does not. */
const char *compress_suffix(const char *path);

/* `suffix` as above. */
struct compressor *compressor_new(const char *suffix);
void compressor_free(struct compressor *compressor);

/* Appends what is ready of all that was given so far; with `end`, all of it and the file's end. */
MUST_CHECK int compressor_take(struct compressor *compressor, const char *text, size_t size,
	bool end, struct buf *out, struct error *err);

#endif
