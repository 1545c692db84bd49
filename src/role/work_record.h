/*
 * What a node is working on, in memory that outlives its process: so that the next process knows
 * what the one before was doing when it ended, and a job that ends its node again and again is failed
 * rather than tried for ever.
 *
 * A piece of work is noted before it begins and taken out after it. Whoever drives the role keeps the
 * record somewhere (a process in a mapped file, the simulator in the node) and calls
 * work_record_start before each life: what is still noted then was under way at the end, and is
 * suspected. Some ends say who caused them:
 *
 *   a signal, an assertion, exit,
 *   _exit                          inside a piece of work: that piece did it
 *   no memory                      the only piece under way did it, unless others keep memory as well; then
 *                                  any that was there may have
 *   anything else                  a kill from outside, most likely; or the work did it, perhaps through a
 *                                  thread that is not in it: the parser's, or the role's own
 *
 * What is suspected runs alone (work_turns.h), so that the guilty one is found, and is cleared when it
 * gets past the place where it stood. Memory is held between pieces of work as well: who meets its end
 * may be another than the one that used it up. So a job which may have done it goes first, with the
 * memory of a process that has done nothing else yet: the others begin when it is past that place. It is condemned when it has provably ended its node
 * WORK_PROVEN_MAX times, or has stood at the same place for WORK_UNPROVEN_MAX ends of any kind, without
 * ever getting past it.
 *
 * Only the thread of the role calls this, but for work_record_begin, _leave and _note_end.
 */
#ifndef ROLE_WORK_RECORD_H
#define ROLE_WORK_RECORD_H

#include "base/error.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define WORK_RECORD_SLOTS    128u
#define WORK_RECORD_SUSPECTS 64u
#define WORK_SLOT_NONE	     UINT32_MAX
#define WORK_SEVERAL	     UINT64_MAX
/* In place of a stream: the SQL of the job is compiled, and no log knows it yet. */
#define WORK_OPENING  UINT32_MAX
#define WORK_END_BITS 16u

#define WORK_PROVEN_MAX	  2u
#define WORK_UNPROVEN_MAX 5u

/* Part of the work on a stream: items first .. end - 1 of it, whatever the role counts. */
struct work_place {
	uint64_t job;
	uint32_t stream;
	uint64_t first;
	uint64_t end;
	uint64_t
		keeps; /* 1: it adds to what its job has in memory; 0: when it is over it has nothing */
};

enum work_end {
	WORK_END_UNKNOWN, /* it did not say */
	WORK_END_MEMORY,
	WORK_END_EXIT,
	WORK_END_SIGNAL, /* and the signal's number is added */
};

struct work_slot {
	atomic_uint is_taken;
	struct work_place place;
};

struct work_suspect {
	struct work_place place;
	uint32_t proven;
	uint32_t unproven;
	uint32_t end; /* enum work_end, of the last time */
};

struct work_record {
	uint64_t format;    /* another one is as good as empty */
	uint64_t oom_kills; /* by the kernel, when the life began */
	/* The only job that has kept memory in this life; 0: none has, WORK_SEVERAL: more than one. */
	atomic_ulong keeper;
	atomic_uint end; /* enum work_end, and above WORK_END_BITS the slot that it came from */
	uint32_t suspect_count;
	struct work_suspect suspects[WORK_RECORD_SUSPECTS];
	struct work_slot slots[WORK_RECORD_SLOTS];
};

/*
 * A life begins: judges the end of the one before. `oom_kills`: how many processes the kernel has
 * killed to get memory, so far; 0 when that is not known.
 */
void work_record_start(struct work_record *record, uint64_t oom_kills);

/*
 * Whether a record that comes from a disk is one: its format, its counts, its places. Of what is under
 * way nothing is asked, since another process may be writing it.
 */
bool work_record_is_sane(const struct work_record *record);

/* A record may be NULL in all that follows: then nothing is noted, and nobody suspected. */

/* This thread begins the work. WORK_SLOT_NONE when there is no room for it. */
uint32_t work_record_begin(struct work_record *record, const struct work_place *place);
/* This thread is not in the work any more. */
void work_record_leave(void);
/* The work is over. `progress`: it came to its end, and the place is not suspected any more. */
void work_record_finish(struct work_record *record, uint32_t slot, bool progress);
/* The process is about to end. Safe in a signal handler; the first to say so counts. */
void work_record_note_end(struct work_record *record, uint32_t end);
/* The same for who knows in which slot it happened, without being there. */
void work_record_note_end_of(struct work_record *record, uint32_t slot, uint32_t end);
/* Whether this thread is in some work. */
bool work_record_is_working(void);

/* Whether work at the place is suspected. */
bool work_record_suspects(const struct work_record *record, const struct work_place *place);
/*
 * The job that is to be tried before any other has memory: of those that were at work when it was used
 * up, the one with the most against it. 0: there is none.
 */
uint64_t work_record_goes_first(const struct work_record *record);
/* Whether the job is to be failed; `who` is the node: "reducer 1". */
bool work_record_condemns(
	const struct work_record *record, uint64_t job, const char *who, struct error *why);
/* The job is over. */
void work_record_forget(struct work_record *record, uint64_t job);

#endif
