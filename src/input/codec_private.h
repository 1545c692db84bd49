/*
 * Compressed bytes: which form they have, and a stream that unpacks them. What was packed in
 * several pieces, one behind the other, is read to the end of the last one.
 */
#ifndef INPUT_CODEC_PRIVATE_H
#define INPUT_CODEC_PRIVATE_H

#include "input/stream_private.h"

#include <stdbool.h>
#include <stdint.h>

/* What a step may read and write; it moves the positions. */
struct codec_io {
	const uint8_t *in;
	const uint8_t *in_end;
	uint8_t *out;
	uint8_t *out_end;
};

enum codec_step {
	CODEC_MORE,	 /* no error and not the end, whether or not anything came out */
	CODEC_FRAME_END, /* a whole that was packed at once has ended */
	CODEC_DAMAGED,
};

struct codec_ops {
	const char *suffix; /* of file names */
	uint8_t magic[6];
	uint8_t magic_size;
	void *(*new)(void); /* NULL: there is no memory for it */
	void (*free)(void *state);
	bool (*start)(void *state); /* on a frame; false as NULL above */
	/* `why` is set for CODEC_DAMAGED, to a text that outlives the call. */
	enum codec_step (*step)(void *state, struct codec_io *io, const char **why);
};

extern const struct codec_ops codec_gzip;
extern const struct codec_ops codec_zstd;
extern const struct codec_ops codec_bzip2;
extern const struct codec_ops codec_xz;
/* As it lies in a zip archive: no suffix, no magic, no checksum. */
extern const struct codec_ops codec_deflate;

/* By the name of a file; NULL when it says nothing. */
const struct codec_ops *codec_of_name(const char *name);
/* By the first bytes of a file; NULL for what is not compressed. */
const struct codec_ops *codec_of_bytes(const void *start, size_t size);

/* Takes `packed`, also when it fails. `path` is borrowed and names the bytes in errors. */
MUST_CHECK int codec_stream_new(struct stream **out, struct stream *packed,
	const struct codec_ops *codec, const char *path, struct error *err);

#endif
