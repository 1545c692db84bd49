/*
 * One line on stderr that shows how far the work is, when stderr is a terminal: drawn over itself,
 * and gone at the end. Any thread may call any function.
 */
#ifndef CLI_PRINT_PROGRESS_H
#define CLI_PRINT_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
	pthread_mutex_t lock;
	bool enabled;
	bool drawn;
	double started;
	double last_drawn;
};

void progress_init(struct progress *progress, bool enabled);
/* Draws, but not in the first moments of a run and not more often than eyes can follow. */
void progress_update(struct progress *progress, uint64_t bytes_done, uint64_t bytes_total);
/* The same line for work that is not counted in bytes: "reducing, 12 of 30 steps". */
void progress_update_steps(
	struct progress *progress, const char *what, uint64_t done, uint64_t total);
/* Removes the line and draws no more: results or messages follow. */
void progress_end(struct progress *progress);

#endif
