/*
 * Random bytes as a stream of frames. What can be decoded gives the same bytes when it is encoded
 * again, and never reads or writes beyond its frame.
 */
#include "wire/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_frame(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size);
	struct wire_message message;
	struct arena arena;
	struct buf again;
	struct error err;

	memcpy(copy, bytes, size);
	arena_init(&arena, 1024);
	buf_init(&again, WIRE_FRAME_MAX);
	if (wire_decode(copy, size, &arena, &message, &err) == 0) {
		CHECK(wire_type_name((uint8_t)message.type));
		wire_encode(&message, &again);
		CHECK(!buf_overflowed(&again));
		CHECK(again.size == size && memcmp(again.data, copy, size) == 0);
	} else {
		CHECK(err.code == ERROR_DATA && err.message[0]);
	}
	buf_release(&again);
	arena_release(&arena);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct error err;
	size_t frame;

	while (wire_frame_size(bytes, size, &frame, &err) == 0 && frame && frame <= size) {
		check_frame(bytes, frame);
		bytes += frame;
		size -= frame;
	}
	return 0;
}
