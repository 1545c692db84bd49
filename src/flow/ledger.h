/*
 * What the control log says, entry by entry: which jobs there are, which of their streams are
 * closed and how long they are, which jobs are done, failed or gone. Every node that has read as
 * far has the same ledger.
 *
 *   open --> done      every query's result stream is closed: all of it is on the collector's disk
 *   open --> failed    an entry says so, or a node that the job needs has lost its disk
 *   any  --> gone      expired or cleaned; only its name is remembered, of the last so many
 */
#ifndef FLOW_LEDGER_H
#define FLOW_LEDGER_H

#include "column/schema.h"
#include "flow/event.h"

/*
 * Names of jobs that are gone. A packet or an entry that still comes for one of them is known to be
 * late; after so many others none comes any more.
 */
#define LEDGER_GONE_MAX 100000u

enum job_state {
	JOB_OPEN,
	JOB_DONE,
	JOB_FAILED,
	JOB_GONE,
};

struct job_stream {
	flow_stream stream;
	uint32_t total;
};

struct job {
	uint64_t id;
	enum job_state state;
	struct job *next_in_bucket;
	struct job *previous; /* in the list of its kind: those that are gone have their own */
	struct job *next;
	struct sha256 secret_hash; /* not of those that are gone, of which only the name is left */
	/* JOB_FAILED: why. JOB_GONE: what its client is told. NULL otherwise. */
	const struct error *failure;
	bool results_lost;	/* JOB_DONE, and the collector does not have them any more */
	uint64_t opened_offset; /* of the entry that opened it */
	uint64_t last_offset;	/* of its last entry */
	uint64_t last_ms;	/* when that was read here */
	bool on_filters;
	uint64_t reducer_memory; /* what its folds on each may hold; 0: any */
	uint64_t collector_memory;
	uint64_t client;
	bool counted; /* among the open ones, as the log sees it, whatever we make of its plan */
	/* What follows is there until ledger_forget. */
	struct arena arena;
	struct plan *plan;
	struct catalog catalog;
	struct topology topology;
	uint32_t closed_count;
	uint32_t closed_capacity;
	struct job_stream *closed; /* ascending by stream */
	/* Belongs to the role that reads the ledger. */
	void *attachment;
};

/* The total of a stream that is closed; false when it is not. */
bool job_stream_total(const struct job *job, flow_stream stream, uint32_t *total);
/* How many queries have their result complete. */
uint32_t job_queries_done(const struct job *job);
/* An open job whose client has not sent all of its tables. */
bool job_is_receiving(const struct job *job);
/* The stream of a query's result. */
flow_stream job_result_stream(const struct job *job, uint32_t query);

struct ledger;

struct ledger *ledger_new(void);
void ledger_free(struct ledger *ledger);

enum ledger_change_kind {
	LEDGER_NOTHING,	    /* a repetition, or of no consequence */
	LEDGER_JOB_OPENED,  /* `job` is new */
	LEDGER_JOB_CHANGED, /* one of its streams was closed, or it left JOB_OPEN */
	LEDGER_JOB_TOUCHED,
	LEDGER_NODE_UP,	    /* .node, .nonce; every job may have changed */
	LEDGER_BEGUN,	    /* .generation, .id; every job may have changed */
	LEDGER_DOUBTED,	    /* .generation */
	LEDGER_NO_ROOM,	    /* .no_room was not opened: there were too many open jobs, or of its
			       client's if .of_client */
	LEDGER_JOB_REFUSED, /* opened by another version, or with a plan that is not ours:
			       failed here with `job->failure`, and everyone else should learn it */
};

struct ledger_change {
	enum ledger_change_kind kind;
	struct job *job;
	uint64_t no_room;
	bool of_client;
	uint32_t node;
	uint64_t nonce;
	uint64_t generation;
	uint64_t id;
};

/*
 * Applies one entry. Entries that make no sense are ignored, by everyone alike; `err` then says
 * what was wrong, and -1 is returned.
 */
MUST_CHECK int ledger_apply(struct ledger *ledger, uint64_t offset, const void *bytes, size_t size,
	uint64_t now_ms, struct ledger_change *change, struct error *err);

/*
 * Of a job in JOB_GONE: the role has let go of all that refers to it. Only its name stays, and that
 * of the oldest of too many goes.
 */
void ledger_forget(struct ledger *ledger, struct job *job);

/* NULL: the log does not know it, so far, or it was gone long ago. */
struct job *ledger_find(const struct ledger *ledger, uint64_t id);
/* All jobs that are not forgotten, in the order of opening; start with NULL. */
struct job *ledger_next(const struct ledger *ledger, const struct job *after);
/* Those that are, in the order of forgetting. */
const struct job *ledger_next_forgotten(const struct ledger *ledger, const struct job *after);

uint32_t ledger_open_jobs(const struct ledger *ledger);
/* Those of one client; of those whose client is not known (0), none. */
uint32_t ledger_client_jobs(const struct ledger *ledger, uint64_t client);
/* Of the log; 0: it was not begun so far. */
uint64_t ledger_generation(const struct ledger *ledger);

/* A node that has announced itself. */
struct ledger_node {
	uint32_t node;
	uint64_t incarnation; /* the disk it had when it last did */
	uint64_t starts;
	uint64_t started_ms; /* when its last start was read here */
	uint64_t full_ms;    /* when it last said that its disk was nearly full; 0: it is not */
};

/* By index from 0; false: there are no more. */
bool ledger_node(const struct ledger *ledger, uint32_t index, struct ledger_node *out);

/* What a short form of the log says instead of its entries (role/log_copy.h). */

/* A job that was gone, and forgotten. Nothing if the ledger knows the job. */
void ledger_recall_gone(struct ledger *ledger, uint64_t id, bool has_expired);
bool job_has_expired(const struct job *job);
/* Nothing if the ledger knows the node. */
void ledger_recall_node(struct ledger *ledger, const struct ledger_node *node);

#endif
