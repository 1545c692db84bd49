#include "cli/interrupt.h"

#include "input/input.h"

#include <string.h>

volatile sig_atomic_t interrupt_requested;

static bool stays;

static void on_signal(int number)
{
	(void)number;
	__atomic_store_n(&interrupt_requested, 1, __ATOMIC_RELAXED);
}

void interrupt_install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	/* RESETHAND: the second signal finds the default action. */
	action.sa_flags = stays ? 0 : (int)SA_RESETHAND;
	if (stays)
		__atomic_store_n(&interrupt_requested, 0, __ATOMIC_RELAXED);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	input_interrupt_with(&interrupt_requested);
}

void interrupt_for_shell(void)
{
	stays = true;
}

void interrupt_rest(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
}
