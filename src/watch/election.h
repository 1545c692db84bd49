/*
 * Which watcher leads: the bully election, by id, in numbered reigns. Pure: messages, broken links
 * and the time come in, messages go out through a callback; nothing here knows a socket or a clock.
 *
 * The living watcher with the highest id leads. Whoever misses a leader asks those above it
 * (ELECTION); one that lives answers (ANSWER) and holds an election of its own; whoever gets no
 * answer, or knows that all above it are gone, leads. A leader says so at once and then again and
 * again (LEADER): a follower that has not heard it for leader_patience_ms, or whose link to it
 * broke, misses it.
 *
 * Every reign has a term, one more than any that its leader had heard of. Of two that say they
 * lead, the lower id gives way; if the higher one finds that the other's term is not below its own,
 * it begins a new reign, so that everyone who hears of both follows the same one.
 *
 * A partition can have a leader on each side, and a process that was stopped can wake up as a
 * leader of yesterday: an election cannot prevent that, and leaders must do no harm when it
 * happens (watch/driver.h). Whoever wakes up late is made to ask before it acts.
 */
#ifndef WATCH_ELECTION_H
#define WATCH_ELECTION_H

#include <stdbool.h>
#include <stdint.h>

#define ELECTION_WATCHERS_MAX 9
#define ELECTION_NOBODY	      UINT32_MAX
/* Terms stay there: of two leaders in it the lower gives way all the same. */
#define ELECTION_TERM_MAX (UINT64_MAX / 2)

enum election_message {
	ELECTION_ASK,
	ELECTION_ANSWER,
	ELECTION_LEADER,
};

struct election_options {
	uint32_t id;
	uint32_t count;
	uint64_t heartbeat_ms;	     /* of a leader */
	uint64_t leader_patience_ms; /* above heartbeat_ms */
	void (*send)(void *context, uint32_t to, enum election_message message, uint64_t term);
	void *context;
};

enum election_role {
	ELECTION_FOLLOWS,
	ELECTION_ASKS,	/* has asked those above, none has answered yet */
	ELECTION_WAITS, /* one above has answered and will lead */
	ELECTION_LEADS,
};

struct election {
	struct election_options options;
	enum election_role role;
	uint32_t leader; /* ELECTION_NOBODY while there is none */
	uint64_t term;	 /* of the last reign heard of */
	uint64_t due_ms; /* when the role's patience ends, or the next heartbeat is due */
	uint64_t last_ms;
	uint64_t heard_ms[ELECTION_WATCHERS_MAX]; /* the last message; 0: none yet */
	bool gone[ELECTION_WATCHERS_MAX];	  /* whose link is known to be broken */
};

/* Begins with an election. */
void election_init(
	struct election *election, const struct election_options *options, uint64_t now_ms);

/* At least several times in a heartbeat: a long pause between two calls counts as a sleep. */
void election_tick(struct election *election, uint64_t now_ms);
void election_on_message(struct election *election, uint32_t from, enum election_message message,
	uint64_t term, uint64_t now_ms);
/* The link to a watcher stands, or nobody answers there. */
void election_on_link(struct election *election, uint32_t peer, bool up, uint64_t now_ms);

static inline bool election_leads(const struct election *election)
{
	return election->role == ELECTION_LEADS;
}

#endif
