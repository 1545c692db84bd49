/*
 * The entries of the control log. All nodes read them in one order; every one of them may come
 * twice.
 *
 *   opened   01, job u64, engine u32, reducers u32, flags u8 (1: chunks go to filters), most open
 *            jobs u32, client u64, most open jobs of one client u32, generation u64, memory of its folds on
 *            a reducer u64, and on the collector u64 (0: any), hash of the
 *            job's secret (32 bytes), plan (plan/plan_codec.h). The first one of a job counts, unless so
 *            many others, or others of this client, were open at its place in the log (0: any
 *            number): then it is void. So it is when its writer knew an earlier generation of the
 *            log than it stands in.
 *   closed   02, job u64, stream u32, total u32: the stream has packets 1 .. total
 *   failed   03, job u64, code u8 (enum error_code), for ERROR_GUESS the five numbers of struct error_guess (u32), message
 *   touched  04, job u64: somebody still cares for the job
 *   expired  05, job u64, seen u64: nobody does. Holds only if the job's last entry before this is
 *            at offset `seen`: a node that slept cannot expire what others touched meanwhile.
 *   cleaned  06, job u64: at the wish of its client
 *   node up  07, node u32, incarnation u64, nonce u64: a node has started. An incarnation is the
 *            life of a disk: another one than before means that all the node held is gone.
 *   lost     08, job u64: the collector cannot read the results of a job that is done
 *   begun    09, generation u64, id u64: the log is of this generation (docs/exactly-once.md). What
 *            stands before the first of them is what still mattered of the generation before.
 *   ended    0a, job u64, hash of its secret (32 bytes), code u8, message: a job of an earlier generation,
 *            which failed
 *   doubted  0b, generation u64: a node has read what is not in the log any more, or knows that
 *            generation. One that is not older than the log's own has the collector begin another.
 *   full     0c, node u32: the node's disk is nearly full. Repeated while that is so.
 */
#ifndef FLOW_EVENT_H
#define FLOW_EVENT_H

#include "base/buf.h"
#include "base/sha256.h"
#include "flow/topology.h"

/*
 * What two nodes must have in common to work on one job: partitioning, the forms of batches and
 * plans, the order of a fold, and when its rows go to a disk. Raise it with any of them.
 */
#define FLOW_ENGINE 7u

/* Nodes in `node up`: reducers by number. */
#define FLOW_NODE_COLLECTOR  0xffff0000u
#define FLOW_NODE_GATEWAY(i) (0x40000000u + (i))
#define FLOW_NODE_ANONYMOUS  0xfffffffeu

enum flow_event_kind {
	FLOW_OPENED = 1,
	FLOW_CLOSED = 2,
	FLOW_FAILED = 3,
	FLOW_TOUCHED = 4,
	FLOW_EXPIRED = 5,
	FLOW_CLEANED = 6,
	FLOW_NODE_UP = 7,
	FLOW_LOST = 8,
	FLOW_BEGUN = 9,
	FLOW_ENDED = 10,
	FLOW_DOUBTED = 11,
	FLOW_FULL = 12,
	FLOW_ROOM = 13, /* the end of FLOW_FULL */
};

struct flow_event {
	enum flow_event_kind kind;
	uint64_t job;
	/* opened, ended: by which gateways know the job's client. Nobody but that has the secret. */
	struct sha256 secret_hash;
	/* opened */
	uint32_t engine;
	uint32_t reducers;
	bool on_filters;
	uint32_t jobs_max;
	uint64_t client; /* whose job it is, as far as gateways can tell; 0: unknown */
	uint32_t client_jobs_max;
	uint64_t reducer_memory;   /* of the job's folds on each; 0: any */
	uint64_t collector_memory; /* likewise */
	const uint8_t *plan;	   /* borrowed */
	size_t plan_size;
	/* closed */
	flow_stream stream;
	uint32_t total;
	/* failed, ended */
	enum error_code code;
	const char *message; /* borrowed, not terminated */
	size_t message_size;
	struct error_guess guess; /* FLOW_FAILED with ERROR_GUESS */
	/* expired */
	uint64_t seen;
	/* node up, full */
	uint32_t node;
	uint64_t incarnation;
	uint64_t nonce;
	/* begun, doubted; opened: the one that its writer knew */
	uint64_t generation;
	uint64_t id;
};

void flow_event_encode(const struct flow_event *event, struct buf *out);
MUST_CHECK int flow_event_decode(
	const void *bytes, size_t size, struct flow_event *out, struct error *err);

#endif
