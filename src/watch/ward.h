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
#ifndef WATCH_WARD_H
#define WATCH_WARD_H

#include <stdbool.h>
#include <stdint.h>

#define WARD_REASON_MAX 120

struct ward_options {
	uint64_t patience_ms;
	uint64_t loop_patience_ms;
	uint64_t start_patience_ms;
	uint64_t replay_patience_ms;
	uint64_t pause_ms_max;
	uint32_t restarts_a_minute;
};

enum ward_state {
	WARD_UNKNOWN, /* not heard of yet, by this leader */
	WARD_GREEN,
	WARD_RED,      /* answers, but is not healthy */
	WARD_STARTING, /* started by us, or says that it starts or replays */
	WARD_SILENT,
	WARD_GONE, /* nobody is there */
};

/* What a node said of itself. */
struct ward_answer {
	bool healthy;
	bool starting;
	bool replaying;
	bool no_broker;
	uint64_t loop_ms; /* since its event loop last turned */
};

struct ward {
	const struct ward_options *options;
	enum ward_state state;
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
	bool known;	   /* was green once, whoever started it */
	bool young; /* started by us, and not green since; we have looked at it all the time */
	bool flapping;
	uint64_t begins;     /* starts by us */
	uint32_t early_ends; /* in a row, before it was green */
	double tokens;	     /* restarts that it may still have at full speed */
	uint64_t token_ms;
	uint64_t due_ms; /* not to be started before */
	uint64_t restarts;
	uint64_t restart_wall_ms;     /* the last one, of the clock on the wall; 0: none */
	char reason[WARD_REASON_MAX]; /* of the last one */
	char detail[WARD_REASON_MAX]; /* of the state: why it is red */
};

void ward_init(struct ward *ward, const struct ward_options *options, uint64_t now_ms);
/* We begin to lead, or were asleep: whatever was heard is old, and nobody is late. */
void ward_look_anew(struct ward *ward, uint64_t now_ms);

void ward_on_answer(struct ward *ward, const struct ward_answer *answer, uint64_t now_ms);
/* Nobody listens at its address. `lives`: all the same its process is known to be there. */
void ward_on_nobody(struct ward *ward, bool lives, uint64_t now_ms);
/* Somebody listens there, but has not answered for patience_ms. */
void ward_on_silence(struct ward *ward, uint64_t now_ms);
/* It was heard of in another way, at this time: it could have answered then. */
void ward_heard_of(struct ward *ward, uint64_t when_ms);

/*
 * Whether the node is to be restarted now; the reason is then in ward->reason. Who is told so calls
 * ward_on_restart next, and ward_on_restarted when the driver is done.
 */
bool ward_is_due(struct ward *ward, uint64_t now_ms);
void ward_on_restart(struct ward *ward, uint64_t now_ms, uint64_t wall_ms);
/* `why`: NULL, or what the driver could not do; then a node that was heard meanwhile is left alone.
 */
void ward_on_restarted(struct ward *ward, const char *why, uint64_t now_ms);

const char *ward_state_name(const struct ward *ward);

#endif
