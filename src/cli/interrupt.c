#include "cli/interrupt.h"

#include "input/input.h"

#include <signal.h>
#include <string.h>

atomic_bool interrupt_requested;

static bool stays;

static void on_signal(int number)
{
	(void)number;
	atomic_store_explicit(&interrupt_requested, true, memory_order_relaxed);
}

void interrupt_install(void)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = on_signal;
	/* RESETHAND: the second signal finds the default action. */
	action.sa_flags = stays ? 0 : (int)SA_RESETHAND;
	if (stays)
		atomic_store_explicit(&interrupt_requested, false, memory_order_relaxed);
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
