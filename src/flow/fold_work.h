/*
 * A piece of a fold's work: packets that it takes, one after the other, and perhaps its end. Made by
 * the inbox; run by whoever is asked to, in any thread, while the inbox goes on; then given back.
 */
#ifndef FLOW_FOLD_WORK_H
#define FLOW_FOLD_WORK_H

#include "flow/fold.h"

/* So many packets, or about so many bytes, at a time: what is cancelled ends soon. */
#define FOLD_WORK_PACKETS_MAX 64u
#define FOLD_WORK_BYTES_MAX   (4u << 20)

/* Bytes of a packet that several hold. All of them count in the inbox's thread. */
struct packet_bytes {
	uint32_t holders;
	uint32_t size;
	uint8_t bytes[];
};

struct packet_bytes *packet_bytes_new(const void *bytes, size_t size);
struct packet_bytes *packet_bytes_keep(struct packet_bytes *packet);
void packet_bytes_drop(struct packet_bytes *packet); /* NULL is allowed */

struct fold_work {
	struct fold *fold;
	uint64_t first; /* how many packets the fold was fed before */
	uint32_t count;
	struct {
		uint32_t input;
		struct packet_bytes *packet;
	} items[FOLD_WORK_PACKETS_MAX];
	size_t bytes;
	bool finish; /* after them its input has ended */

	/* What came of it. */
	uint32_t fed; /* packets, while it runs; anybody may read it */
	int status;
	struct error error;
	uint32_t total; /* of its stream, when it has finished */
};

/* The fold is the work's until fold_work_free, or until it is taken back. */
struct fold_work *fold_work_new(struct fold *fold);
/* Whether nothing is to be done. */
bool fold_work_is_empty(const struct fold_work *work);
bool fold_work_is_full(const struct fold_work *work);
/* Keeps the packet. */
void fold_work_add(struct fold_work *work, uint32_t input, struct packet_bytes *packet);
/* Does it. `send` is called from this thread; *stop ends it early. The outcome is in `work`. */
void fold_work_run(struct fold_work *work, fold_send send, void *context, const atomic_bool *stop);
/* And what it still has: the packets, and the fold unless it is NULL. */
void fold_work_free(struct fold_work *work);

#endif
