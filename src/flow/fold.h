/*
 * One instance of a fragment on its node: packets in, packets out.
 *
 * A fold takes its input in one order, the canonical one: build sides before the flowing input,
 * stream after stream, number after number. So what it emits, and how that is cut into packets, is
 * a function of its input alone, whatever the order of arrival: a second emission after a crash is
 * the same to the byte.
 *
 * It has two halves that share nothing that changes, so that each may be in a thread of its own. The
 * cursor says which packet comes next: fold_wants, and then fold_taken or fold_skip. The rest does
 * the work: fold_feed for every packet that was taken, in that order, and fold_finish once.
 */
#ifndef FLOW_FOLD_H
#define FLOW_FOLD_H

#include "base/memory_budget.h"
#include "base/spill_store.h"
#include "flow/message.h"
#include <stdatomic.h>

struct fold;

/* Sends packet `number` of the fold's stream to a node, or to FLOW_GATEWAYS. Bytes are borrowed. */
typedef int (*fold_send)(void *context, flow_stream stream, uint32_t number, uint32_t node,
	const void *bytes, size_t size, struct error *err);

/* `topology` is borrowed. A packet is cut when it has grown to `packet_bytes`. */
struct fold *fold_new(const struct topology *topology, uint64_t job, uint32_t fragment,
	uint32_t instance, size_t packet_bytes);
void fold_free(struct fold *fold);

/* How many of its operators hold what grows with the data: by that folds share the memory of their job. */
uint32_t fold_holders(const struct plan_fragment *fragment);
/*
 * Before anything is fed: it holds at most `limit` bytes, and the rest goes to `spill` or is ERROR_LIMIT.
 * When that is so depends on what it is fed and on the limit alone, and not on what others hold: a second
 * emission is the same as the first. `node`, of which it is a part, is told. Both borrowed.
 */
void fold_work_with(struct fold *fold, size_t limit, struct memory_budget *node,
	struct spill_store *spill, const char *set_by);
/* What it holds; any thread may ask. */
size_t fold_memory(const struct fold *fold);

const struct plan_fragment *fold_fragment(const struct fold *fold);
/* The stream that it emits. */
flow_stream fold_stream(const struct fold *fold);
uint32_t fold_input_count(const struct fold *fold);
/* The streams of an input, in the order of folding. Borrowed. */
const flow_stream *fold_sources(const struct fold *fold, uint32_t input, uint32_t *count);

/* --- the cursor --- */

/* The packet it needs next, and for which input; false when its input has ended. */
bool fold_wants(const struct fold *fold, flow_stream *stream, uint32_t *number, uint32_t *input);
/* The packet it wants is there, and is going to be fed. */
void fold_taken(struct fold *fold);
/* The stream it wants has no packet of that number: it has ended. */
void fold_skip(struct fold *fold);

/* --- the work --- */

/* Where packets go from now on, and what ends the work early with ERROR_INTERRUPTED; both borrowed. */
void fold_connect(struct fold *fold, fold_send send, void *context, const atomic_bool *stop);
/* It has all the rows that its limit lets pass: whatever else is fed changes nothing. Not while it is at work. */
bool fold_is_full(const struct fold *fold);
/* How many packets it was fed so far; not while it is at work. */
uint64_t fold_fed(const struct fold *fold);
/* The next packet that was taken. An error of evaluation names its queries. */
MUST_CHECK int fold_feed(
	struct fold *fold, uint32_t input, const struct flow_message *packet, struct error *err);
/* Everything was fed: emits the rest; *total is the number of packets of its stream. */
MUST_CHECK int fold_finish(struct fold *fold, uint32_t *total, struct error *err);

#endif
