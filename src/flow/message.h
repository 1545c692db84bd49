/*
 * What travels through the queues between nodes. Numbers are little-endian.
 *
 * Each begins with its kind (u8), the generation of the log in which its job was opened, and the job
 * (u64 both):
 *
 *   packet  01; stream u32, number u32, then sections up to the end:
 *           exchange u32 (FLOW_RESULT for rows of a query's result), size u32, batches
 *           (column/batch_codec.h) of that exchange. An exchange has at most one section; a packet
 *           without sections still counts.
 *   chunk   02; table u32, number u32, then the text: on its way to a filter
 *   wanted  03; gateway u32, query u32, number u32: a gateway asks the collector for packets of a query's
 *           result, from `number` on; with 0xffffffff for the first ones of all results of the job again
 *   probe   04; the job is a nonce; number u32, sender u32: a node asks whether its queue is empty
 *           before it (role/deadman.h)
 *   busy    05: a filter has a chunk of the job in hand, and takes its time
 *
 * (job, stream, number) names a packet's content: whoever makes it again makes the same.
 */
#ifndef FLOW_MESSAGE_H
#define FLOW_MESSAGE_H

#include "base/buf.h"
#include "flow/topology.h"

#define FLOW_RESULT UINT32_MAX
/*
 * The packets with which a result begins: every gateway gets them, unasked. The others stay with the collector
 * until a client wants them: then its gateway asks for so many at a time.
 */
#define FLOW_HEAD_PACKETS  16u
#define FLOW_PIECE_PACKETS 64u
#define FLOW_PIECE_BYTES   (4u << 20) /* or fewer, when they are larger */

enum flow_message_kind {
	FLOW_PACKET = 1,
	FLOW_CHUNK = 2,
	FLOW_WANTED = 3,
	FLOW_PROBE = 4,
	FLOW_BUSY = 5,
};

struct flow_message {
	enum flow_message_kind kind;
	uint64_t generation;
	uint64_t job;	     /* of FLOW_PROBE: a nonce */
	flow_stream stream;  /* a chunk's table; nothing for FLOW_WANTED */
	uint32_t number;     /* from 1; nothing for FLOW_BUSY */
	uint32_t gateway;    /* FLOW_WANTED */
	uint32_t query;	     /* likewise; PLAN_NONE: all */
	uint32_t sender;     /* FLOW_PROBE; as in flow/event.h */
	const uint8_t *body; /* sections or text; borrowed */
	size_t body_size;
};

/* Appends all but the body. */
void flow_message_encode(const struct flow_message *message, struct buf *out);
/* ERROR_DATA for what is not a message; the sections of a packet are walked to their end. */
MUST_CHECK int flow_message_decode(
	const void *bytes, size_t size, struct flow_message *out, struct error *err);

/* The section of an exchange; false when the packet has none. */
bool flow_packet_section(
	const struct flow_message *packet, uint32_t exchange, const uint8_t **bytes, size_t *size);

#endif
