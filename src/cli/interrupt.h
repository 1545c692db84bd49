/*
 * Ctrl-C and SIGTERM: the first one asks the work to stop, so that unfinished files are removed; a
 * second one ends the process at once.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdatomic.h>
#include <stdbool.h>

/* True once a signal has come. All threads look at it, and a handler may set it: it needs no lock. */
extern atomic_bool interrupt_requested;

static inline bool interrupt_pending(void)
{
	return atomic_load_explicit(&interrupt_requested, memory_order_relaxed);
}

void interrupt_install(void);

/*
 * For a shell: from now on every interrupt_install forgets what was requested before, and no number of
 * signals ends the process while a statement runs. interrupt_rest, between statements, has SIGINT ignored
 * and SIGTERM end the process.
 */
void interrupt_for_shell(void);
void interrupt_rest(void);

#endif
