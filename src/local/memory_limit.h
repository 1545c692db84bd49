/* How much memory this process may take, when nobody has said it. */
#ifndef LOCAL_MEMORY_LIMIT_H
#define LOCAL_MEMORY_LIMIT_H

#include <stddef.h>
#include <stdint.h>

/* 80 % of what the machine has, or of what the process' control group allows, which may be less. */
size_t memory_limit_default(void);
/*
 * What is left of it for rows that are kept: without what the threads need to read and write, but never
 * less than a quarter.
 */
size_t memory_limit_for_rows(size_t limit, uint32_t threads);
/* What is freed goes back to the system at once, where that matters: for a limit that somebody has set. */
void memory_limit_prepare(void);

#endif
