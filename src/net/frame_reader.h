/*
 * Messages of wire/message.h from a socket that does not block, one frame after the other.
 *
 * A frame's buffer grows with what has arrived, not with what its header promises. Large buffers
 * are kept in a pool for the next frames, of any connection: fresh pages for every chunk would cost
 * as much as mapping it.
 */
#ifndef NET_FRAME_READER_H
#define NET_FRAME_READER_H

#include "base/error.h"
#include "net/tls.h"
#include "wire/message.h"

#include <stdbool.h>

#define FRAME_SPARES_MAX   8
#define FRAME_BUFFER_FIRST (64u << 10) /* the size that a buffer starts with */

struct frame_buffer {
	uint8_t *bytes;
	size_t capacity;
};

/* Belongs to one thread. All zero is an empty one; it outlives its readers. */
struct frame_pool {
	uint64_t memory; /* of the buffers that readers and whole frames hold */
	struct frame_buffer spares[FRAME_SPARES_MAX];
	uint32_t spare_count;
	size_t spare_bytes;
};

void frame_pool_release(struct frame_pool *pool);

/* The caller sets the pool, and `tls` if the connection has it; the rest starts as zero. */
struct frame_reader {
	struct frame_pool *pool;
	struct tls *tls; /* borrowed; NULL: bytes come as they are */
	uint8_t header[WIRE_HEADER_SIZE];
	size_t got;  /* of the frame at hand, header included */
	size_t size; /* of the frame at hand; 0 until its header is whole */
	struct frame_buffer buffer;
};

enum frame_progress {
	FRAME_NOTHING, /* nothing is there now */
	FRAME_SOME,    /* more is needed */
	FRAME_HEADER, /* the header is whole, and size is known: whether to go on is the caller's */
	FRAME_WHOLE,  /* frame_reader_take */
	FRAME_END,    /* the peer is gone; errno, or 0 when it closed the connection */
	FRAME_BAD,    /* no frame of ours: `err` says why */
};

/* Receives once: the header or what is missing of it, and when that is there, of the rest. */
enum frame_progress frame_reader_receive(struct frame_reader *reader, int fd, struct error *err);

/* A whole frame. One without a value lies in its reader, which must live as long. */
struct frame {
	const uint8_t *bytes;
	size_t size;
	struct frame_buffer buffer;
};

/* After FRAME_WHOLE: the reader begins with the next one. Ends with frame_release. */
struct frame frame_reader_take(struct frame_reader *reader);
void frame_release(struct frame *frame, struct frame_pool *pool);

/* Forgets what has come of a frame; the reader can be used again. */
void frame_reader_reset(struct frame_reader *reader);

#endif
