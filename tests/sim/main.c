/*
 * usage: sim [--world NAME] [--seeds N] [--seed FIRST] [--jobs N] [--log] [--twice] [--tap] [--mutant]
 *
 * Runs the simulator over N seeds from FIRST on, in as many processes as there are processors, and
 * says how many of each fault were injected. A seed that goes wrong is printed with what was wrong;
 * --log with --seed replays one and shows all that happened. Ends with `N passed, N failed`; the
 * exit status is 1 when anything failed, or when some kind of fault never happened in 1000 seeds or
 * more.
 *
 * --world: "cluster" (simulate.h), which is the default, or "hosts" (hosts/hosts.h).
 *
 * --twice: every seed is run a second time, and must leave the same trace. --tap: one line per seed,
 * for tests/run.
 *
 * --mutant: the build has a bug on purpose. Stops at the first seed that finds it, and succeeds
 * then.
 */
#include "sim/datasets.h"
#include "sim/hosts/hosts.h"
#include "sim/simulate.h"

#include "base/hash.h"
#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define JOBS_MAX	64u
#define FAILURES_SHOWN	10u
#define ALL_KINDS_SEEDS 1000u

struct sim_world {
	const char *name;
	void (*simulate)(
		struct datasets *datasets, uint64_t seed, FILE *log, struct sim_verdict *verdict);
	const char *const *count_names;
	uint32_t fault_count; /* the first ones; what follows are outcomes */
	uint32_t count_count;
};

static const struct sim_world worlds[] = {
	{"cluster", simulate, sim_count_names, COUNT_FAULTS, COUNT_ALL},
	{"hosts", simulate_hosts, hosts_count_names, HOSTS_FAULTS, HOSTS_COUNTS},
};

_Static_assert(COUNT_ALL <= SIM_COUNTS_MAX, "they fit");
_Static_assert(HOSTS_COUNTS <= SIM_COUNTS_MAX, "they fit");

struct options {
	const char *world_name;
	const struct sim_world *world;
	uint64_t seeds;
	uint64_t seed;
	uint64_t jobs;
	bool log;
	bool mutant;
	bool twice;
	bool tap;
};

static const struct option_spec option_specs[] = {
	{.name = "world",
		.argument = "NAME",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct options, world_name),
		.help = "cluster, or hosts"},
	{.name = "seeds",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct options, seeds),
		.help = "how many seeds",
		.min = 1,
		.max = UINT64_MAX},
	{.name = "seed",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct options, seed),
		.help = "the first of them",
		.max = UINT64_MAX},
	{.name = "jobs",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct options, jobs),
		.help = "processes at a time",
		.min = 1,
		.max = JOBS_MAX},
	{.name = "log",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct options, log),
		.help = "show all that happens"},
	{.name = "twice",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct options, twice),
		.help = "run each seed twice and compare the traces"},
	{.name = "tap",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct options, tap),
		.help = "one line per seed, for tests/run"},
	{.name = "mutant",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct options, mutant),
		.help = "stop at the first seed that fails"},
};

struct totals {
	uint64_t passed;
	uint64_t failed;
	uint64_t trace; /* of all seeds, in any order */
	uint64_t counts[SIM_COUNTS_MAX];
	uint64_t first_failure;
};

/* The same seed again: everything must happen again as it did. */
static void compare_replay(
	struct datasets *datasets, const struct sim_world *world, struct sim_verdict *verdict)
{
	struct sim_verdict again;

	world->simulate(datasets, verdict->seed, NULL, &again);
	if (again.trace == verdict->trace || !verdict->right)
		return;
	verdict->right = false;
	snprintf(verdict->problem, SIM_PROBLEM_MAX, "its replay leaves another trace");
}

/* Seeds FIRST + worker, FIRST + worker + jobs, ... */
static void work(struct datasets *datasets, const struct options *options, uint64_t worker, int out)
{
	struct sim_verdict verdict;

	for (uint64_t i = worker; i < options->seeds; i += options->jobs) {
		options->world->simulate(
			datasets, options->seed + i, options->log ? stderr : NULL, &verdict);
		if (options->twice)
			compare_replay(datasets, options->world, &verdict);
		if (write(out, &verdict, sizeof(verdict)) != sizeof(verdict))
			_exit(2);
		if (options->mutant && !verdict.right)
			break;
	}
	_exit(0);
}

static void add_verdict(
	struct totals *totals, const struct sim_verdict *verdict, const struct options *options)
{
	if (options->tap)
		printf("%sok seed %" PRIu64 "\n", verdict->right ? "" : "not ", verdict->seed);
	totals->passed += verdict->right;
	totals->trace += hash_u64(verdict->trace ^ hash_u64(verdict->seed));
	for (uint32_t i = 0; i < SIM_COUNTS_MAX; i++)
		totals->counts[i] += verdict->counts[i];
	if (verdict->right)
		return;
	if (totals->failed == 0 || verdict->seed < totals->first_failure)
		totals->first_failure = verdict->seed;
	if (totals->failed++ < FAILURES_SHOWN)
		printf("seed %" PRIu64 ": %s\n", verdict->seed, verdict->problem);
	fflush(stdout);
}

/* Reads whole verdicts until all workers have closed the pipe. */
static void collect(int in, struct totals *totals, const struct options *options)
{
	struct sim_verdict verdict;
	size_t have = 0;
	ssize_t more;

	while ((more = read(in, (char *)&verdict + have, sizeof(verdict) - have)) != 0) {
		if (more < 0 && errno == EINTR)
			continue;
		if (more < 0)
			break;
		have += (size_t)more;
		if (have < sizeof(verdict))
			continue;
		add_verdict(totals, &verdict, options);
		have = 0;
	}
}

static bool report(const struct options *options, const struct totals *totals)
{
	bool complete = true;

	printf("\nfaults injected, and outcomes, in %" PRIu64 " seeds:\n", options->seeds);
	for (uint32_t i = 0; i < options->world->count_count; i++) {
		bool missing = i < options->world->fault_count && totals->counts[i] == 0;

		printf("  %12" PRIu64 "  %s%s\n", totals->counts[i], options->world->count_names[i],
			missing ? "   <-- never" : "");
		complete = complete && !missing;
	}
	printf("trace %016" PRIx64 "\n", totals->trace);
	return complete || options->seeds < ALL_KINDS_SEEDS;
}

static int run_all(struct datasets *datasets, const struct options *options)
{
	struct totals totals = {0};
	uint64_t crashed = 0;
	int ends[2], status;

	/* Smaller than the pipe's atomic size, so that verdicts of several workers do not mix. */
	_Static_assert(sizeof(struct sim_verdict) <= 4096, "a verdict is written at once");
	if (pipe(ends)) {
		perror("pipe");
		return 2;
	}
	for (uint64_t worker = 0; worker < options->jobs; worker++) {
		pid_t pid = fork();

		if (pid == 0)
			work(datasets, options, worker, ends[1]);
		if (pid < 0) {
			perror("fork");
			return 2;
		}
	}
	close(ends[1]);
	collect(ends[0], &totals, options);
	while (wait(&status) > 0)
		crashed += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	if (crashed > 0)
		printf("%" PRIu64 " of the simulator's processes died\n", crashed);
	if (options->mutant) {
		if (totals.failed + crashed == 0) {
			printf("not found in %" PRIu64 " seeds\n", options->seeds);
			return 1;
		}
		printf("caught by seed %" PRIu64 "\n", totals.first_failure);
		return 0;
	}
	if (!report(options, &totals)) {
		printf("some kinds of faults never happened\n");
		totals.failed++;
	}
	totals.failed += crashed;
	printf("%" PRIu64 " passed, %" PRIu64 " failed\n", totals.passed, totals.failed);
	return totals.failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	static const struct command_spec command = {
		.name = "sim",
		.operands = "",
		.summary = "the cluster in one process, under faults",
		.options = option_specs,
		.option_count = sizeof(option_specs) / sizeof(*option_specs),
	};
	struct options options = {.world_name = worlds[0].name,
		.seeds = 100,
		.seed = 1,
		.jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN)};
	struct datasets datasets;
	struct operands operands;
	struct error err;
	struct buf help;
	int status = 2;

	switch (options_parse(&command, argc - 1, argv + 1, &options, &operands, &err)) {
	case OPTIONS_ERROR: fprintf(stderr, "sim: %s\n", err.message); return 2;
	case OPTIONS_HELP:
		buf_init(&help, 1u << 16);
		options_help(&command, &help);
		fwrite(help.data, 1, help.size, stdout);
		buf_release(&help);
		return 0;
	case OPTIONS_PARSED: break;
	}
	for (size_t i = 0; i < sizeof(worlds) / sizeof(*worlds); i++)
		if (strcmp(worlds[i].name, options.world_name) == 0)
			options.world = &worlds[i];
	if (!options.world) {
		fprintf(stderr, "sim: there is no world \"%s\"\n", options.world_name);
		return 2;
	}
	if (datasets_init(&datasets, ".", &err))
		fprintf(stderr, "sim: %s\n", err.message);
	else
		status = run_all(&datasets, &options);
	datasets_release(&datasets);
	return status;
}
