/*
 * Hurts the processes of a cluster on this machine, found by their places (cluster/node_lock.h):
 *
 *   kill    SIGKILL
 *   pause   SIGSTOP, and SIGCONT after a while: the process wakes up in a world that went on
 *   slow    for a while it gets a tenth of the time
 *   cut     for a while all its TCP connections are broken as soon as they stand, as if the network
 *           between it and everyone else were gone; needs the right to look into the process
 *
 * A fault belongs to one process: the one that is started in its place is not paused or slow.
 */
#ifndef CHAOS_FAULTS_H
#define CHAOS_FAULTS_H

#include "base/error.h"
#include "cluster/node_lock.h"
#include "cluster/roster.h"

#define FAULTS_MAX 64

enum fault_kind {
	FAULT_KILL,
	FAULT_PAUSE,
	FAULT_SLOW,
	FAULT_CUT,
};

#define FAULT_KINDS 4

extern const char *const fault_names[FAULT_KINDS + 1]; /* ends with NULL */

/* One that goes on for a while. */
struct fault {
	enum fault_kind kind;
	char node[ROSTER_NAME_MAX];
	struct node_lock_holder process;
	uint64_t end_ms;
	uint64_t next_ms; /* slow: when it is to be stopped or let go */
	bool stopped;
};

struct faults {
	const char *state; /* the cluster's folder with the places */
	uint32_t count;
	struct fault items[FAULTS_MAX];
};

enum fault_begun {
	FAULT_BEGUN,
	FAULT_NOBODY, /* no process is there now */
	FAULT_NOT_ALLOWED,
};

/* `length_ms`: of all kinds but kill. *pid is the process that was hurt. */
enum fault_begun faults_begin(struct faults *faults, enum fault_kind kind, const char *node,
	uint64_t length_ms, uint64_t now_ms, pid_t *pid);
/* Again and again, every few milliseconds while there are faults. */
void faults_turn(struct faults *faults, uint64_t now_ms);
/* Whoever is stopped goes on. */
void faults_end_all(struct faults *faults);

#endif
