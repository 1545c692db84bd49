/*
 * A node's place on this machine: the file STATE/run/NODE, which the process of the node keeps
 * locked for as long as it lives and which says who it is:
 *
 *   1234 567890        its process number, and when it started: field 22 of /proc/1234/stat
 *
 * Numbers of processes are used again; together with the time of the start they are not. A signal
 * goes through a pidfd that was found to be that very process, so it never reaches another one.
 *
 * The lock is that of base/lock_file.h: a look never keeps a node from starting. The file stays
 * when the node ends: whoever watches may have it open, and would go on looking at a removed one.
 */
#ifndef CLUSTER_NODE_LOCK_H
#define CLUSTER_NODE_LOCK_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct node_lock_holder {
	pid_t pid;
	uint64_t start_ticks; /* since the machine's start */
};

enum node_lock_signalled {
	NODE_LOCK_SENT,
	NODE_LOCK_NOBODY,  /* no process lives there */
	NODE_LOCK_REFUSED, /* it is another user's */
};

/*
 * Takes the place of `node` for this process; *fd holds it, until it is closed. ERROR_IO, with
 * the number of the process that has it, when it is taken. Makes the folders that are missing.
 */
MUST_CHECK int node_lock_take(const char *state, const char *node, int *fd, struct error *err);

/*
 * Somebody may delete the file of a place, or its folder: then nobody would find its process any more.
 * Takes the place again when it is gone; *fd is the lock, before and after. ERROR_IO, and *fd is -1,
 * when another has it by then, or the cluster is being ended. To be called every NODE_LOCK_KEEP_MS.
 */
#define NODE_LOCK_KEEP_MS 250u
MUST_CHECK int node_lock_keep(const char *state, const char *node, int *fd, struct error *err);

/*
 * The cluster is being ended: from now on nobody takes a place there, not even who was started
 * before; those who have one are not touched, and those whose place was deleted find out within
 * NODE_LOCK_KEEP_MS. The file STATE/run/.ended says so, until node_lock_permit.
 */
MUST_CHECK int node_lock_forbid(const char *state, struct error *err);
void node_lock_permit(const char *state);

/*
 * The node is to stay out: watchers start it no more, until it is let in, by node_lock_let_in or by a person who starts
 * it. The file STATE/run/.NODE.drained says so. Who has the place already is not touched.
 */
MUST_CHECK int node_lock_keep_out(const char *state, const char *node, struct error *err);
/* False: it was not kept out. */
bool node_lock_let_in(const char *state, const char *node);
bool node_lock_is_kept_out(const char *state, const char *node);

/*
 * Who lives there. False when nobody does, or when whoever has the lock has not signed: it is about
 * to, or the file is not one of ours.
 */
bool node_lock_look(const char *state, const char *node, struct node_lock_holder *holder);
/* Whether somebody has the lock, signed or not. */
bool node_lock_is_taken(const char *state, const char *node);

/* A signal to the process that lives there, and to no other. */
enum node_lock_signalled node_lock_signal(const char *state, const char *node, int number);
/*
 * SIGKILL, also to one that is stopped, until nobody lives there any more: then the place is free.
 * An empty place is not an error. ERROR_IO when it is not free after `wait_ms`. Waits.
 */
MUST_CHECK int node_lock_evict(
	const char *state, const char *node, uint32_t wait_ms, struct error *err);

#endif
