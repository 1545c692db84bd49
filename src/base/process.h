/* Which process a number means: numbers are used again, together with the start they are not. */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * When a process started, in ticks since the machine did: field 22 of /proc/PID/stat. False when
 * there is none, or only what its parent has not waited for yet.
 */
bool process_start_ticks(pid_t pid, uint64_t *ticks);

/* SIGKILL to all that this thread has started or inherited. False when it cannot be told who they are. */
bool process_kill_children(void);

#endif
