/*
 * What this process did last for jobs, piece by piece: for a picture of a job over all nodes (`tamiz trace`). As metrics
 * are, it is the process's. Only processes that answer for it keep it (trace_enable); in all others the calls do
 * nothing, and the time is 0.
 *
 * Any thread may call these. They cost a lock and a copy: for every chunk, packet or piece of work, never for every row.
 */
#ifndef BASE_TRACE_H
#define BASE_TRACE_H

#include "base/buf.h"

#include <stdint.h>

/* So many are kept, and newer ones take the places of the oldest. */
#define TRACE_EVENTS_MAX 65536u
#define TRACE_BYTES_MAX	 (32u << 20)

#define TRACE_OF_TABLE UINT32_MAX

enum trace_kind {
	TRACE_CHUNK, /* of a table: from its arrival until its client hears that nothing can lose it */
	TRACE_MAP,	/* of a chunk, through the map fragments */
	TRACE_PACKET,	/* that was new, and went into a journal */
	TRACE_FOLD,	/* packets that a fragment takes in */
	TRACE_EMISSION, /* a packet that a fragment sends */
	TRACE_RESULT,	/* rows of a query that a client gets */
	TRACE_KINDS
};

struct trace_event {
	uint64_t job;
	enum trace_kind kind;
	uint32_t part;	   /* the table, fragment or query that it is of */
	uint32_t instance; /* of the fragment; TRACE_OF_TABLE: `part` is a table */
	uint32_t number;   /* of the chunk or packet; of a fold: how many packets */
	uint64_t started_us;
	uint64_t rows;
	uint64_t rejects;
	uint64_t bytes;
};

/* From now on; may be called again. */
void trace_enable(void);
/* Since 1970, UTC; 0 when nothing is kept. */
uint64_t trace_now(void);
/* Ends now. One that has no beginning (0) is over at once. */
void trace_add(const struct trace_event *event);

/*
 * What is known of a job:
 *
 *   {"missing": true when older ones may have been overwritten,
 *    "events": [{"kind": "fold", "part": 2, "instance": 0, "number": 3, "start": US, "end": US, "thread": 0, "rows": 0,
 *                "rejects": 0, "bytes": 123}, ...]}
 */
void trace_render(uint64_t job, struct buf *out);

#endif
