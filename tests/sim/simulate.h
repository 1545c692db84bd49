/*
 * One seed: a cluster, its clients and their jobs, everything that befalls them, and what must be
 * true in the end:
 *
 *   - every client has the embedded engine's bytes, or an error that this run's faults justify;
 *   - nothing hangs;
 *   - what is made again, after a crash or by a second node, is the same to the byte;
 *   - when the jobs are over, no disk and no queue has anything left of them.
 */
#ifndef SIM_SIMULATE_H
#define SIM_SIMULATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_PROBLEM_MAX 512
#define SIM_COUNTS_MAX	48 /* of any world */

/* What was done to the world, and what became of it. The order is that of fault_names. */
enum sim_count {
	COUNT_KILL,
	COUNT_POWER_LOSS,
	COUNT_CRASH_IN_COMMIT,
	COUNT_CRASH_IN_RECOVERY,
	COUNT_DISK_ERROR,
	COUNT_DISK_FULL,
	COUNT_DISK_LOST,
	COUNT_FILE_DAMAGED,
	COUNT_FILE_DELETED,
	COUNT_DUPLICATED,
	COUNT_REORDERED,
	COUNT_DELAYED,
	COUNT_REDELIVERED,
	COUNT_CONFIRM_LOST,
	COUNT_CONNECTION_BROKEN,
	COUNT_BROKER_RESTARTED,
	COUNT_MESSAGE_LOST,
	COUNT_LOG_LOST,
	COUNT_PAUSE,
	COUNT_ZOMBIE,
	COUNT_CLOCK_JUMP,
	COUNT_SLOW_FOLD,
	COUNT_DEADLY_FOLD,
	COUNT_ENDLESS_FOLD,
	COUNT_FOLD_ON_DISK,
	COUNT_FILTER_ADDED,
	COUNT_FILTER_REMOVED,
	COUNT_CLIENT_BROKEN,
	COUNT_CLIENT_RESUMED,
	COUNT_CLIENT_RESTARTED,
	COUNT_CLIENT_NEVER_RETURNED,
	COUNT_FAULTS, /* all above are faults, what follows are outcomes */
	COUNT_JOB_RIGHT = COUNT_FAULTS,
	COUNT_JOB_ENDED_EARLY,
	COUNT_JOB_EXPECTED_ERROR,
	COUNT_JOB_SUBMITTED_AGAIN,
	COUNT_JOB_LOST_WITH_QUEUE,
	COUNT_JOB_DEADLY,
	COUNT_JOB_WITHOUT_ROOM,
	COUNT_JOB_ABANDONED,
	COUNT_QUERIES,
	COUNT_PIECES,
	COUNT_PACKETS,
	COUNT_EVENTS,
	COUNT_ALL,
};

extern const char *const sim_count_names[COUNT_ALL];

struct sim_verdict {
	uint64_t seed;
	uint64_t trace; /* the same for the same seed, everywhere */
	bool right;
	char problem[SIM_PROBLEM_MAX];
	uint64_t counts[SIM_COUNTS_MAX];
};

struct datasets;

/* `log`: what nodes say and what befalls them goes there; NULL: nowhere. */
void simulate(struct datasets *datasets, uint64_t seed, FILE *log, struct sim_verdict *verdict);

#endif
