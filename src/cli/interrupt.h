/*
 * Ctrl-C and SIGTERM: the first one asks the work to stop, so that unfinished files are removed; a
 * second one ends the process at once.
 */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

/*
 * Nonzero once a signal has come. Other threads than the one that took the signal read it with
 * __atomic_load_n.
 */
extern volatile sig_atomic_t interrupt_requested;

static inline bool interrupt_pending(void)
{
	return __atomic_load_n(&interrupt_requested, __ATOMIC_RELAXED) != 0;
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
