/* tamiz gen: data in the shape a pack expects. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/common_options.h"
#include "cli/interrupt.h"
#include "cli/print/human.h"
#include "cli/print/progress.h"
#include "gen/gen.h"
#include <stdio.h>

struct gen_command_options {
	const char *out;
	uint64_t size;
	uint64_t seed;
	uint64_t threads;
	bool quoted;
	bool force;
	bool quiet;
};

static const struct option_spec options_table[] = {
	{.name = "out",
		.letter = 'o',
		.argument = "DIR",
		.kind = OPTION_TEXT,
		.offset = offsetof(struct gen_command_options, out),
		.help = "the folder to write into (required)"},
	{.name = "size",
		.letter = 's',
		.argument = "SIZE",
		.kind = OPTION_SIZE,
		.offset = offsetof(struct gen_command_options, size),
		.help = "bytes of the large tables together (default 100M)",
		.min = GEN_SIZE_MIN,
		.max = GEN_SIZE_MAX},
	{.name = "seed",
		.argument = "N",
		.kind = OPTION_COUNT,
		.offset = offsetof(struct gen_command_options, seed),
		.help = "another seed gives other data (default 1)",
		.max = UINT64_MAX},
	{.name = "quoted",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct gen_command_options, quoted),
		.help = "coffee: put every field in quotes, but for empty ones"},
	OPTION_ROW_THREADS(struct gen_command_options, threads, GEN_THREADS_MAX),
	{.name = "force",
		.kind = OPTION_FLAG,
		.offset = offsetof(struct gen_command_options, force),
		.help = "write into a folder that holds other files"},
	OPTION_ROW_QUIET(struct gen_command_options, quiet, QUIET_HELP),
};

const struct command_spec cmd_gen_spec = {
	.name = "tamiz gen",
	.operands = "PACK",
	.summary = "Generates CSV files for a pack: coffee, movies, books, trade, h2o or web.",
	.details =
		"The same size and seed give the same bytes on every machine and with any number\n"
		"of threads.",
	.operands_min = 1,
	.operands_max = 1,
	.options = options_table,
	.option_count = sizeof(options_table) / sizeof(*options_table),
};

static void on_progress(void *context, uint64_t bytes_done, uint64_t bytes_total)
{
	progress_update(context, bytes_done, bytes_total);
}

static void print_summary(const char *folder, const struct gen_report *report, double seconds)
{
	char bytes[HUMAN_TEXT_MAX], rows[HUMAN_TEXT_MAX], duration[HUMAN_TEXT_MAX];

	fprintf(stderr, "%s: ", folder);
	for (uint32_t i = 0; i < report->table_count; i++)
		fprintf(stderr, "%s%s %s", i ? ", " : "", human_count(report->tables[i].rows, rows),
			report->tables[i].name);
	fprintf(stderr, "; %s in %s\n", human_bytes(report->bytes, bytes),
		human_seconds(seconds, duration));
}

static int generate(const struct generator *generator, const struct gen_command_options *options,
	struct error *err)
{
	struct progress progress;
	struct gen_report report;
	double started = clock_monotonic_seconds();
	struct gen_options gen = {
		.folder = options->out,
		.size = options->size,
		.seed = options->seed,
		.threads = (uint32_t)options->threads,
		.quoted = options->quoted,
		.force = options->force,
		.interrupted = &interrupt_requested,
		.on_progress = on_progress,
		.progress_context = &progress,
	};
	int status;

	progress_init(&progress, !options->quiet);
	interrupt_install();
	status = generator->run(&gen, &report, err);
	progress_end(&progress);
	if (status == 0 && !options->quiet)
		print_summary(options->out, &report, clock_monotonic_seconds() - started);
	return status;
}

int cmd_gen(int argc, char *const *argv)
{
	struct gen_command_options options = {.size = UINT64_C(100) << 20, .seed = 1};
	const struct generator *generator;
	struct operands operands;
	struct error err;
	int status;

	if (!cli_parse(&cmd_gen_spec, argc, argv, &options, &operands, &status))
		return status;
	generator = gen_find(operands.items[0]);
	if (!generator) {
		error_set(&err, ERROR_USAGE,
			"there is no generator for \"%s\": there are some for %s",
			operands.items[0], gen_packs);
		return cli_fail(&err);
	}
	if (!options.out) {
		error_set(&err, ERROR_USAGE, "tamiz gen needs --out DIR, the folder to write into");
		return cli_fail(&err);
	}
	return generate(generator, &options, &err) ? cli_fail(&err) : 0;
}
