/*
 * What a node that keeps state holds of one job: which packets it has seen, the folds of the
 * fragments that run on it, and the packets that a fold will ask for later.
 *
 * Packets arrive in any order, any number of times. One that is new goes to the journal and is then
 * absorbed; the folds take it at once if it is the one they wait for, or later, from memory or back
 * from the journal. No disk, no network and no threads here: the caller brings them, as `struct
 * inbox_io`. It does the folds' work where it likes, one piece for each fold at a time.
 */
#ifndef FLOW_INBOX_H
#define FLOW_INBOX_H

#include "flow/fold_work.h"
#include "flow/ledger.h"

/* Memory for packets that wait, shared by all jobs of a node. What has no room is read back later.
 */
struct inbox_cache {
	size_t held;
	size_t held_max;
};

struct inbox_io {
	/* Replaces what `out` holds with the packet that was journaled at `position`. */
	int (*read)(void *context, uint64_t position, struct buf *out, struct error *err);
	/*
	 * Has the work done (fold_work_run), sends the packets that come of it, and then calls
	 * inbox_done, perhaps before this returns.
	 */
	void (*start)(void *context, struct fold_work *work);
	/* A fold has sent its last packet. */
	void (*ended)(void *context, flow_stream stream, uint32_t total);
	void *context;
	/* What the folds work with, where the job has a limit; both borrowed. */
	struct memory_budget *memory; /* of the node */
	struct spill_store *spill;
};

struct inbox;

/* `job` is open; it is borrowed, and so is `cache`. Folds whose stream is closed already rest. */
struct inbox *inbox_new(const struct job *job, uint32_t node, size_t packet_bytes,
	struct inbox_cache *cache, const struct inbox_io *io);
/* Whatever was started must be done by then, or is the caller's to free. */
void inbox_free(struct inbox *inbox);

enum inbox_verdict {
	INBOX_NEW,
	INBOX_SEEN,    /* absorbed before */
	INBOX_USELESS, /* nothing on this node will ever ask for it */
};

enum inbox_verdict inbox_judge(const struct inbox *inbox, const struct flow_message *packet);

/*
 * A packet that is new and was journaled at `position`; `bytes` is the whole message. An error is
 * the job's, but for ERROR_IO and ERROR_FENCED, which are the node's.
 */
MUST_CHECK int inbox_absorb(struct inbox *inbox, const struct flow_message *packet,
	const void *bytes, size_t size, uint64_t position, struct error *err);
/*
 * The same for a packet that was journaled in an earlier life: it is only noted. inbox_advance,
 * once all of them are, reads back what the folds want.
 */
void inbox_note(struct inbox *inbox, const struct flow_message *packet, uint64_t position);
/* A stream of the job was closed, or the inbox is new: goes on as far as it can. */
MUST_CHECK int inbox_advance(struct inbox *inbox, struct error *err);

/* Work that was started is done, and its packets are sent. Takes `work`; as inbox_absorb. */
MUST_CHECK int inbox_done(struct inbox *inbox, struct fold_work *work, struct error *err);

/* A packet that has not come although its stream is closed; false: there is none. */
bool inbox_missing(const struct inbox *inbox, flow_stream *stream, uint32_t *number);

#endif
