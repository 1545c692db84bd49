/*
 * What a leading watcher thinks of one node, and when the node is to be started again. Pure: what
 * probes found and the time come in, a decision comes out.
 *
 *   answers, green                    nothing to do
 *   answers, starting or replaying    it gets start_patience_ms or replay_patience_ms
 *   answers, no broker                a restart would not bring the broker back: it is only shown
 *   answers, its loop stands still    restarted after loop_patience_ms
 *   does not answer                   restarted after patience_ms; one that lives, but does not
 * even listen yet, after start_patience_ms nobody is there                   restarted at once
 *
 * A node that dies before it was ever green is started again after a pause that doubles each time
 * up to pause_ms_max; one that does get green may die restarts_a_minute times a minute before it
 * has to wait as well. Either way it is called flapping.
 */
#ifndef WATCH_NODE_VERDICT_H
#define WATCH_NODE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#define NODE_VERDICT_REASON_MAX 120

struct node_verdict_options {
	uint64_t patience_ms;
	uint64_t loop_patience_ms;
	uint64_t start_patience_ms;
	uint64_t replay_patience_ms;
	uint64_t pause_ms_max;
	uint32_t restarts_a_minute;
};

enum node_verdict_state {
	NODE_VERDICT_UNKNOWN, /* not heard of yet, by this leader */
	NODE_VERDICT_GREEN,
	NODE_VERDICT_RED,      /* answers, but is not healthy */
	NODE_VERDICT_STARTING, /* started by us, or says that it starts or replays */
	NODE_VERDICT_SILENT,
	NODE_VERDICT_GONE, /* nobody is there */
};

/* What a node said of itself. */
struct node_verdict_answer {
	bool healthy;
	bool starting;
	bool replaying;
	bool no_broker;
	uint64_t loop_ms; /* since its event loop last turned */
};

struct node_verdict {
	const struct node_verdict_options *options;
	enum node_verdict_state state;
	uint64_t since_ms;  /* in which it is in this state */
	uint64_t answer_ms; /* its last answer, or when we began to look */
	uint64_t begin_ms;  /* of its start, as far as we know */
	uint64_t last_ms;
	bool was_green;	   /* since its start */
	bool lives;	   /* its process is known to live, whether or not it answers */
	bool answered;	   /* since its start */
	bool replays;	   /* says so */
	bool stuck;	   /* answers, but its loop has stood still for too long */
	bool restarting;   /* by the driver, now */
	uint64_t asked_ms; /* when the driver was asked to */
	uint64_t anew_ms;  /* when we last began to look */
	bool known;	   /* was green once, whoever started it */
	bool young; /* started by us, and not green since; we have looked at it all the time */
	bool flapping;
	uint64_t begins;     /* starts by us */
	uint32_t early_ends; /* in a row, before it was green */
	double tokens;	     /* restarts that it may still have at full speed */
	uint64_t token_ms;
	uint64_t due_ms; /* not to be started before */
	uint64_t restarts;
	uint64_t restart_wall_ms;	      /* the last one, of the clock on the wall; 0: none */
	char reason[NODE_VERDICT_REASON_MAX]; /* of the last one */
	char detail[NODE_VERDICT_REASON_MAX]; /* of the state: why it is red */
};

void node_verdict_init(
	struct node_verdict *verdict, const struct node_verdict_options *options, uint64_t now_ms);
/* We begin to lead, or were asleep: whatever was heard is old, and nobody is late. */
void node_verdict_look_anew(struct node_verdict *verdict, uint64_t now_ms);

void node_verdict_on_answer(
	struct node_verdict *verdict, const struct node_verdict_answer *answer, uint64_t now_ms);
/* Nobody listens at its address. `lives`: all the same its process is known to be there. */
void node_verdict_on_nobody(struct node_verdict *verdict, bool lives, uint64_t now_ms);
/* Somebody listens there, but has not answered for patience_ms. */
void node_verdict_on_silence(struct node_verdict *verdict, uint64_t now_ms);
/* It was heard of in another way, at this time: it could have answered then. */
void node_verdict_heard_of(struct node_verdict *verdict, uint64_t when_ms);

/*
 * Whether the node is to be restarted now; the reason is then in verdict->reason. Who is told so
 * calls node_verdict_on_restart next, and node_verdict_on_restarted when the driver is done.
 */
bool node_verdict_is_due(struct node_verdict *verdict, uint64_t now_ms);
void node_verdict_on_restart(struct node_verdict *verdict, uint64_t now_ms, uint64_t wall_ms);
/*
 * `why`: NULL, or what the driver could not do; then a node that was heard meanwhile is left alone,
 * and so is one that we have begun to look at anew since the driver was asked.
 */
void node_verdict_on_restarted(struct node_verdict *verdict, const char *why, uint64_t now_ms);

const char *node_verdict_state_name(const struct node_verdict *verdict);

#endif
