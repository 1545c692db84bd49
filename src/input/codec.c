#include "input/codec_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INPUT_BYTES (128u << 10) /* compressed bytes read at a time */
/* Some decoders count in 32 bits. */
#define OUTPUT_BYTES_MAX ((size_t)1 << 30)

static const struct codec_ops *const codecs[] = {
	&codec_gzip,
	&codec_zstd,
	&codec_bzip2,
	&codec_xz,
};

#define CODEC_COUNT (sizeof(codecs) / sizeof(codecs[0]))

struct codec_stream {
	struct stream stream; /* first */
	struct stream *packed;
	const struct codec_ops *codec;
	const char *path;
	void *state;
	uint8_t *input;
	size_t input_begin;
	size_t input_end;
	bool input_ended;
	bool in_frame; /* one has begun and not ended */
	bool any_frame;
};

int stream_damaged(const char *path, const char *why, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s is damaged: %s; get the file again, or take it out of the folder", path, why);
}

const struct codec_ops *codec_of_name(const char *name)
{
	size_t size = strlen(name);

	for (size_t i = 0; i < CODEC_COUNT; i++) {
		size_t suffix = strlen(codecs[i]->suffix);

		if (size > suffix && strcasecmp(name + size - suffix, codecs[i]->suffix) == 0)
			return codecs[i];
	}
	return NULL;
}

const struct codec_ops *codec_of_bytes(const void *start, size_t size)
{
	for (size_t i = 0; i < CODEC_COUNT; i++)
		if (size >= codecs[i]->magic_size &&
			memcmp(start, codecs[i]->magic, codecs[i]->magic_size) == 0)
			return codecs[i];
	return NULL;
}

static int fill_input(struct codec_stream *unpack, struct error *err)
{
	ssize_t count = stream_read(unpack->packed, (char *)unpack->input, INPUT_BYTES, err);

	if (count < 0)
		return -1;
	unpack->input_begin = 0;
	unpack->input_end = (size_t)count;
	unpack->input_ended = count == 0;
	return 0;
}

/* One step. Sets how many bytes came out; 0 is not an error and not the end. */
static int unpack_step(
	struct codec_stream *unpack, char *data, size_t size, size_t *produced, struct error *err)
{
	struct codec_io io = {
		.in = unpack->input + unpack->input_begin,
		.in_end = unpack->input + unpack->input_end,
		.out = (uint8_t *)data,
		.out_end = (uint8_t *)data + (size < OUTPUT_BYTES_MAX ? size : OUTPUT_BYTES_MAX),
	};
	const char *why = "it cannot be decompressed";
	enum codec_step step = CODEC_DAMAGED;

	*produced = 0;
	if (!unpack->in_frame) {
		/* Archives on old media are filled up with zeros, and so are those of xz. */
		if (unpack->any_frame && *io.in == 0) {
			unpack->input_begin++;
			return 0;
		}
		if (!unpack->codec->start(unpack->state))
			return error_set(err, ERROR_LIMIT,
				"cannot read %s: no memory to decompress it", unpack->path);
		unpack->in_frame = unpack->any_frame = true;
	}
	step = unpack->codec->step(unpack->state, &io, &why);
	unpack->input_begin = (size_t)(io.in - unpack->input);
	*produced = (size_t)(io.out - (uint8_t *)data);
	if (step == CODEC_DAMAGED)
		return stream_damaged(unpack->path, why, err);
	unpack->in_frame = step != CODEC_FRAME_END;
	return 0;
}

static ssize_t unpack_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct codec_stream *unpack = (struct codec_stream *)stream;
	size_t done = 0;

	while (done < size) {
		size_t produced;

		/*
		 * A decoder may hold bytes back that did not fit before, so it is asked once more
		 * even when the input is used up; then the input's end decides.
		 */
		if (unpack->input_begin == unpack->input_end && !unpack->input_ended &&
			fill_input(unpack, err) < 0)
			return -1;
		if (unpack->input_ended && !unpack->in_frame)
			break;
		if (unpack_step(unpack, data + done, size - done, &produced, err) < 0)
			return -1;
		done += produced;
		if (unpack->input_ended && unpack->in_frame && produced == 0)
			return stream_damaged(unpack->path, "it is cut off", err);
	}
	if (unpack->input_ended && !unpack->any_frame)
		return stream_damaged(unpack->path, "it is empty", err);
	return (ssize_t)done;
}

static void unpack_free(struct stream *stream)
{
	struct codec_stream *unpack = (struct codec_stream *)stream;

	if (unpack->state)
		unpack->codec->free(unpack->state);
	stream_free(unpack->packed);
	free(unpack->input);
	free(unpack);
}

static const struct stream_ops unpack_ops = {unpack_read, unpack_free};

int codec_stream_new(struct stream **out, struct stream *packed, const struct codec_ops *codec,
	const char *path, struct error *err)
{
	struct codec_stream *unpack = memory_zalloc(sizeof(*unpack));

	unpack->stream.ops = &unpack_ops;
	unpack->packed = packed;
	unpack->codec = codec;
	unpack->path = path;
	unpack->input = memory_alloc(INPUT_BYTES);
	unpack->state = codec->new ();
	if (!unpack->state) {
		stream_free(&unpack->stream);
		return error_set(
			err, ERROR_LIMIT, "cannot read %s: no memory to decompress it", path);
	}
	*out = &unpack->stream;
	return 0;
}
