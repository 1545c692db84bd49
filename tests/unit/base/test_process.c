#include "base/process.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void test_start(void **state)
{
	uint64_t ours, again, childs;
	siginfo_t info;
	pid_t child;

	(void)state;
	/* The name of the program is part of what is read. */
	prctl(PR_SET_NAME, ") R 1 (");
	assert_true(process_start_ticks(getpid(), &ours));
	assert_true(ours > 0);
	assert_true(process_start_ticks(getpid(), &again));
	assert_int_equal(ours, again);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	assert_true(process_start_ticks(child, &childs));
	assert_true(childs >= ours);
	kill(child, SIGKILL);
	/* It has ended, and nobody has waited for it. */
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_false(process_start_ticks(child, &again));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_false(process_start_ticks(child, &again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
