/*
 * Processes that are to run: starts them, and again when they end, after pauses that grow while
 * they keep ending soon.
 *
 * One thread calls it, again and again: supervisor_turn looks after all of them and does not wait.
 */
#ifndef CLUSTER_SUPERVISOR_H
#define CLUSTER_SUPERVISOR_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SUPERVISOR_PAUSE_MIN_MS 100u
#define SUPERVISOR_PAUSE_MAX_MS 10000u
/* Who has lived so long is not blamed for earlier ends. */
#define SUPERVISOR_STEADY_MS 20000u
#define SUPERVISOR_ARGS_MAX  16

struct supervisor;

/* What became of a process; `what` is a few words: "killed by signal 9". */
typedef void (*supervisor_told)(void *context, const char *name, const char *what);

struct supervisor *supervisor_new(const char *log_folder, supervisor_told told, void *context);
/* Does not end the processes. */
void supervisor_free(struct supervisor *supervisor);

/*
 * A process to run: this program with `arguments`, which end with NULL and are copied. What it
 * prints is appended to LOG_FOLDER/NAME.log. It gets SIGTERM when we die.
 */
void supervisor_add(struct supervisor *supervisor, const char *name, const char *const *arguments);

void supervisor_turn(struct supervisor *supervisor, uint64_t now_ms);

/* Processes that ended soon after each of their last `times` starts; NULL: none did. */
const char *supervisor_hopeless(const struct supervisor *supervisor, uint32_t times);
/* All run, and have for so long: those that cannot start end at once. */
bool supervisor_all_run(const struct supervisor *supervisor, uint64_t least_ms, uint64_t now_ms);
uint32_t supervisor_count(const struct supervisor *supervisor);
/* 0: it does not run now. */
pid_t supervisor_pid(const struct supervisor *supervisor, uint32_t index, const char **name);

/* SIGTERM to all, SIGKILL to those that are still there after `patience_ms`; returns when none is.
 */
void supervisor_stop(struct supervisor *supervisor, uint64_t patience_ms);

#endif
