/*
 * Deliberate bugs, one a build, to prove that the simulator finds them: `make sim-mutants`.
 *
 * In the product TAMIZ_MUTANT is 0 and every MUTANT(...) is false at compile time.
 */
#ifndef BASE_MUTANT_H
#define BASE_MUTANT_H

#define MUTANT_NONE			 0
#define MUTANT_ACK_BEFORE_SYNC		 1
#define MUTANT_NO_DEDUP			 2
#define MUTANT_EMIT_INCOMPLETE		 3
#define MUTANT_EMIT_ARRIVAL_ORDER	 4
#define MUTANT_TOTAL_OFF_BY_ONE		 5
#define MUTANT_KEY_WITHOUT_PRODUCER	 6
#define MUTANT_SKIP_EMPTY		 7
#define MUTANT_CLEANUP_FORGETS_COLLECTOR 8
#define MUTANT_ZOMBIE_WRITES		 9
#define MUTANT_RESUBMISSION_KEEPS_ACKS	 17
#define MUTANT_GENERATION_NOT_CHECKED	 18
#define MUTANT_CANCEL_LEAVES_FOLD	 19
#define MUTANT_MEMORY_OF_ALL_JOBS	 20
#define MUTANT_FAILURE_NOT_KEPT		 16
/* Those of the world "hosts". */
#define MUTANT_HOSTS_TERM_OF_TWO_LEADERS 10
#define MUTANT_HOSTS_OLD_VERDICTS	 11
#define MUTANT_HOSTS_LATE_COMMAND_JUDGES 12
#define MUTANT_HOSTS_PIPE_WITH_BYTES	 13
#define MUTANT_HOSTS_SOCKET_NOT_CLOSED	 14
#define MUTANT_HOSTS_BYTE_NOT_SENT	 15

#ifndef TAMIZ_MUTANT
#define TAMIZ_MUTANT MUTANT_NONE
#endif

#define MUTANT(name) (TAMIZ_MUTANT == MUTANT_##name)

#endif
