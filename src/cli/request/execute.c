#include "cli/request/execute.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/interrupt.h"
#include "cli/print/human.h"
#include "cli/print/output.h"
#include "cli/print/progress.h"
#include "cli/print/results.h"
#include "csv/guess.h"
#include "local/files.h"
#include "sql/statement.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REJECTS_SHOWN	    5
#define NOTES_SHOWN	    5
#define PLACE_MAX	    1024
#define NS_PER_US	    1000
#define PROFILE_ARENA_BYTES (16u << 10)
/* Kept to be sorted and shown; with --rejects all are kept, up to a bound for the memory. */
#define REJECTS_KEPT_FOR_SUMMARY 1000
#define REJECTS_KEPT_MAX	 (UINT64_C(10) * 1000 * 1000)

static void on_progress(void *context, const struct local_progress *progress)
{
	progress_update(context, progress->bytes_done, progress->bytes_total);
}

static void append_csv_text(struct buf *out, const char *text)
{
	buf_append_char(out, '"');
	for (; *text; text++) {
		if (*text == '"')
			buf_append_char(out, '"');
		buf_append_char(out, *text);
	}
	buf_append_char(out, '"');
}

static int write_rejects(
	const struct local_report *report, struct output *output, struct error *err)
{
	struct buf *out = &output->buf;

	buf_append_text(out, "file,line,column,reason,sample\n");
	for (uint64_t i = 0; i < report->reject_count; i++) {
		const struct local_reject *reject = &report->rejected[i];

		append_csv_text(out, reject->path);
		buf_printf(out, ",%llu,", (unsigned long long)reject->line);
		if (reject->column)
			append_csv_text(out, reject->column);
		buf_append_char(out, ',');
		append_csv_text(out, reject->reason);
		buf_append_char(out, ',');
		append_csv_text(out, reject->sample ? reject->sample : "");
		buf_append_char(out, '\n');
		if (output_drain(output, err))
			return -1;
	}
	return output_commit(output, err);
}

/* Text from a data file, with what could upset a terminal taken out. */
static void print_harmless(const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c < 0x20 || c == 0x7f)
			fprintf(stderr, "\\x%02x", c);
		else
			fputc(c, stderr);
	}
}

void execute_print_rejected(const char *table, uint64_t rows, uint64_t rejects)
{
	char rejected[HUMAN_TEXT_MAX], used[HUMAN_TEXT_MAX], all[HUMAN_TEXT_MAX];

	if (rejects)
		fprintf(stderr, "%s: %s rows read = %s used + %s rejected\n", table,
			human_count(rows, all), human_count(rows - rejects, used),
			human_count(rejects, rejected));
}

static void print_rejects(const struct local_report *report, const char *rejects_path)
{
	char rows[HUMAN_TEXT_MAX];

	for (uint32_t i = 0; i < report->table_count; i++)
		execute_print_rejected(
			report->tables[i].name, report->tables[i].rows, report->tables[i].rejects);
	for (uint64_t i = 0; i < report->reject_count && i < REJECTS_SHOWN; i++) {
		const struct local_reject *reject = &report->rejected[i];

		fprintf(stderr, "  %s:%llu: ", reject->path, (unsigned long long)reject->line);
		if (reject->column)
			fprintf(stderr, "column %s: ", reject->column);
		fputs(reject->reason, stderr);
		if (reject->sample && *reject->sample) {
			fputs(": \"", stderr);
			print_harmless(reject->sample);
			fputc('"', stderr);
		}
		fputc('\n', stderr);
	}
	if (rejects_path && report->rejects > report->reject_count)
		fprintf(stderr, "  only the first %s are in %s\n",
			human_count(report->reject_count, rows), rejects_path);
	else if (!rejects_path && report->reject_count > REJECTS_SHOWN)
		fprintf(stderr, "  --rejects FILE writes all of them\n");
}

void execute_print_note(const char *note, uint32_t index)
{
	if (index < NOTES_SHOWN)
		fprintf(stderr, "%s\n", note);
	else if (index == NOTES_SHOWN)
		fprintf(stderr, "and the same for other files\n");
}

void execute_print_summary(const struct execute_summary *summary)
{
	char rows_text[HUMAN_TEXT_MAX], bytes_text[HUMAN_TEXT_MAX], rate_text[HUMAN_TEXT_MAX];
	char seconds_text[HUMAN_TEXT_MAX];
	double seconds = summary->seconds > 1e-6 ? summary->seconds : 1e-6;

	fprintf(stderr, "%u quer%s over %s", summary->query_count,
		summary->query_count == 1 ? "y" : "ies", human_bytes(summary->bytes, bytes_text));
	if (summary->rows_known)
		fprintf(stderr, " (%s rows, %s)", human_count(summary->rows, rows_text),
			summary->some_rejected ? "some rejected" : "all used");
	fprintf(stderr, " in %s, %s/s\n", human_seconds(summary->seconds, seconds_text),
		human_bytes((uint64_t)((double)summary->bytes / seconds), rate_text));
}

static void print_summary(
	const struct plan *plan, const struct local_report *report, double seconds)
{
	struct execute_summary summary = {.query_count = plan->query_count,
		.rows_known = true,
		.some_rejected = report->rejects > 0,
		.seconds = seconds};

	for (uint32_t i = 0; i < report->table_count; i++) {
		summary.rows += report->tables[i].rows;
		summary.bytes += report->tables[i].bytes;
	}
	execute_print_summary(&summary);
}

void execute_fit(int fd, const struct execute_options *options, struct format_style *style)
{
	struct winsize size;

	if (!isatty(fd))
		return;
	style->rows_max = options->max_rows;
	style->colours = cli_has_colours(fd);
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		style->width = size.ws_col;
}

int execute_init_results(struct results *results, const struct plan *plan, const char *format,
	const char *output, bool pack, const struct execute_target *target,
	struct progress *progress, struct error *err)
{
	const char *default_format = output ? "csv" : "table";
	struct results_form form = {
		.ops = format_find(format ? format : default_format),
		.style = target && target->style ? target->style : &results_usual_style,
		.fd = target && target->fd ? *target->fd : STDOUT_FILENO,
	};

	if (!output) {
		bool announced = pack && (plan->query_count > 1 || form.ops == &format_table ||
						 form.ops == &format_json);

		results_init_stream(results, plan, &form, announced, progress);
		return 0;
	}
	if (pack)
		return results_init_folder(results, plan, &form, output, progress, err);
	if (format_of_file(&form.ops, output, format, err))
		return -1;
	return results_init_file(results, plan, &form, output, progress, err);
}

static void widen_type(
	struct table_schema *table, const struct error_guess *wrong, struct buf *line)
{
	struct table_column *column = &table->columns[wrong->column];
	char is[TYPE_NAME_MAX];

	column->type = guess_widen(column->type, wrong->kinds);
	table->statistics = NULL;
	if (column->type.kind == TYPE_TEXT) {
		column->reading = (struct csv_reading){0};
		column->guessed = column->shown_as_written = false;
	}
	buf_printf(line, ": column %s of %s is %s", column->name, table->name,
		type_name(column->type, is));
}

int execute_widen(struct table_schema *table, const struct data_places *data, struct arena *arena,
	const struct error *wrong, struct buf *lines, struct error *err)
{
	const struct error_guess *guess = &wrong->guess;

	if (guess->fields > 0 &&
		files_widen_table(table, data, guess->width, guess->fields, arena, err))
		return -1;
	buf_append_text(lines, wrong->message);
	if (guess->fields > 0)
		buf_printf(lines, ": %s has more columns", table->name);
	else
		widen_type(table, guess, lines);
	buf_append_text(lines, ", and the answer is sought anew\n");
	return 0;
}

void execute_print_lines(struct buf *lines)
{
	char *line = lines->data, *end;
	size_t left = lines->size;

	while (left > 0 && (end = memchr(line, '\n', left))) {
		*end = '\0';
		print_harmless(line);
		fputc('\n', stderr);
		left -= (size_t)(end + 1 - line);
		line = end + 1;
	}
	buf_release(lines);
}

int execute_widen_all(struct catalog *catalog, const struct data_places *data, struct arena *arena,
	const struct local_report *report, struct buf *lines, struct error *err)
{
	for (uint32_t i = 0; i < report->wrong_guess_count; i++) {
		const struct local_wrong_guess *guess = &report->wrong_guesses[i];
		struct table_schema *table = &catalog->tables[guess->table];
		char place[PLACE_MAX];
		struct error wrong;

		snprintf(place, sizeof(place), guess->line ? "%.900s:%" PRIu64 : "%.900s",
			guess->path, guess->line);
		if (guess->fields > 0)
			guess_error_width(
				&wrong, 0, guess->width, guess->fields, place, guess->sample);
		else
			guess_error_type(&wrong, 0, guess->column, guess->kinds, place,
				guess->sample, table->columns[guess->column].type);
		if (execute_widen(table, data, arena, &wrong, lines, err))
			return -1;
	}
	return 0;
}

/* What EXPLAIN ANALYZE does with rows. */
static int drop_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	(void)sink;
	(void)query;
	(void)batch;
	(void)err;
	return 0;
}

static int drop_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)sink;
	(void)query;
	(void)err;
	return 0;
}

static struct result_sink drop_sink = {.rows = drop_rows, .done = drop_done};

/* What was wrong is widened, and said. */
static int widen(
	const struct execute_job *job, const struct local_report *report, struct error *err)
{
	struct buf lines;
	int status;

	buf_init(&lines, EXECUTE_LINES_MAX);
	status = execute_widen_all(job->catalog, job->data, job->arena, report, &lines, err);
	execute_print_lines(&lines);
	return status;
}

/* Rows of the only query, for a table in memory. */
struct keeper {
	struct result_sink sink; /* first: the calls get back from it */
	struct kept_rows *rows;
};

static int keep_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	(void)query;
	return kept_rows_append(((struct keeper *)sink)->rows, batch, err);
}

static int keep_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)query;
	(void)err;
	kept_rows_seal(((struct keeper *)sink)->rows);
	return 0;
}

/* Until no guess is wrong; each time one is, a type gets wider, and there is another plan. */
static int run_queries(const struct execute_job *job, const struct plan **plan,
	const struct local_options *options, struct results *results, struct local_report *report,
	struct error *err)
{
	struct keeper keeper = {.sink = {.rows = keep_rows, .done = keep_done}, .rows = job->keep};
	struct result_sink *sink = job->keep	   ? &keeper.sink
				   : job->analysis ? &drop_sink
						   : &results->sink;

	for (;;) {
		struct plan *wider;
		int status;

		if (job->keep)
			kept_rows_reset(job->keep, (*plan)->queries[0].column_count,
				(*plan)->queries[0].types);
		status = local_run(*plan, job->catalog, job->data, options, sink, report, err);

		progress_end(results->progress);
		if (status != LOCAL_GUESS_WRONG)
			return status;
		status = widen(job, report, err);
		local_report_release(report);
		if (status)
			return -1;
		if (sql_plan(job->catalog, job->queries, job->arena, &wider, err) ||
			results_set_plan(results, wider, err))
			return -1;
		*plan = wider;
	}
}

int execute_reject_limit(const char *text, struct reject_limit *out, struct error *err)
{
	unsigned long long number;
	char *end;

	*out = (struct reject_limit){.percent = REJECT_PERCENT_DEFAULT};
	if (!text)
		return 0;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (end == text || errno || *text == '-' || (*end && strcmp(end, "%") != 0) ||
		(*end && number > 100))
		return error_set(err, ERROR_USAGE,
			"--max-rejects must be a number of rows or a share such as 25%%, not "
			"\"%.40s\"",
			text);
	*out = *end ? (struct reject_limit){.percent = number}
		    : (struct reject_limit){.rows = number};
	return 0;
}

static void print_profile(const struct plan *plan, const struct plan_profile *profile)
{
	struct buf text;

	buf_init(&text, EXPLAIN_BYTES_MAX);
	sql_explain_measured(plan, profile, false, &text);
	fwrite(text.data, 1, text.size, stderr);
	buf_release(&text);
}

/* With everything it writes to prepared: runs, and completes the files. */
static int run(const struct execute_job *job, const struct plan *plan,
	const struct execute_options *options, struct results *results, struct output *rejects,
	struct local_report *report, struct plan_profile *profile, struct error *err)
{
	struct reject_limit limit;
	struct local_options local = {
		.reject_limit = &limit,
		.threads = (uint32_t)options->threads,
		.chunk_bytes = options->chunk_size,
		.memory = options->memory,
		.temp = options->temp,
		.temp_bytes_max = options->temp_max,
		.strict = options->strict,
		.rejects_kept_max = options->rejects ? REJECTS_KEPT_MAX : REJECTS_KEPT_FOR_SUMMARY,
		.cache = job->cache,
		.interrupted = &interrupt_requested,
		.on_progress = on_progress,
		.progress_context = results->progress,
		.profile = job->analysis || options->profile ? profile : NULL,
	};
	struct error ignored;
	int status = execute_reject_limit(options->max_rejects, &limit, err);

	if (status == 0)
		status = run_queries(job, &plan, &local, results, report, err);
	if (status == 0)
		status = results_finish(results, err);
	if (status == 0 && job->analysis)
		sql_explain_measured(plan, profile, job->analysis_as_json, job->analysis);
	else if (status == 0 && options->profile)
		print_profile(plan, profile);
	if (status == 0 && options->rejects)
		status = write_rejects(report, rejects, err);
	/* Too many of them are the error, and the best way to see why is to see them. */
	else if (options->rejects && !options->strict && err->code == ERROR_DATA &&
		 report->rejects > 0)
		(void)!write_rejects(report, rejects, &ignored);
	return status;
}

static void print_column_notes(const struct plan_table *used, const struct table_schema *table)
{
	for (uint32_t c = 0; c < table->column_count; c++) {
		const struct table_column *column = &table->columns[c];

		for (uint32_t i = 0; i < used->column_count && column->note; i++)
			if (strcmp(used->columns[i].name, column->name) == 0)
				fprintf(stderr, "table %s: %s\n", table->name, column->note);
	}
}

void execute_print_notes(const struct plan *plan, const struct catalog *catalog)
{
	for (uint32_t t = 0; t < plan->table_count; t++) {
		const struct table_schema *table = &catalog->tables[plan->tables[t].source];

		if (table->note)
			fprintf(stderr, "%s\n", table->note);
		print_column_notes(&plan->tables[t], table);
	}
	for (uint32_t q = 0; q < plan->query_count; q++) {
		const struct plan_query *query = &plan->queries[q];

		if (query->warning)
			fprintf(stderr, "warning: %s%s%s\n", query->name,
				query->name[0] ? ": " : "", query->warning);
	}
}

/* The place of an error in the only query's text, unless it may be one in a view or a function. */
static int fail_at(const struct execute_job *job, struct error *err)
{
	const struct sql_text *text = &job->queries->texts[0];

	if (job->queries->count != 1 || job->catalog->function_count > 0 ||
		(job->queries->views && sql_views_count(job->queries->views) > 0))
		return cli_fail(err);
	sql_text_place(text, err);
	return cli_fail_at(err, text->text, text->line, text->column);
}

static int execute_plan(const struct execute_job *job, const struct plan *plan,
	const struct execute_options *options, struct plan_profile *profile)
{
	struct execute_target target = job->target;
	struct format_style style = {0};
	struct results results;
	struct local_report report;
	struct progress progress;
	struct output rejects;
	struct error err;
	double started = clock_monotonic_seconds();
	int status;

	/* Before the first temporary file: from here on a Ctrl-C cleans up. */
	interrupt_install();
	if (!target.style) {
		execute_fit(STDOUT_FILENO, options, &style);
		target.style = &style;
	}
	memset(&report, 0, sizeof(report));
	progress_init(&progress, !options->quiet);
	output_init_spool(&rejects);
	if (options->rejects && output_init_file(&rejects, options->rejects, &err))
		return cli_fail(&err);
	if (execute_init_results(&results, plan, options->format,
		    job->keep ? NULL : options->output, job->pack, &job->target, &progress, &err)) {
		output_release(&rejects);
		return cli_fail(&err);
	}
	if (!options->quiet)
		execute_print_notes(plan, job->catalog);
	status = run(job, plan, options, &results, &rejects, &report, profile, &err);
	if (status == 0) {
		if (job->pack && !options->quiet)
			print_summary(plan, &report, clock_monotonic_seconds() - started);
		for (uint32_t i = 0; i < report.note_count; i++)
			execute_print_note(report.notes[i], i);
		if (report.rejects)
			print_rejects(&report, options->rejects);
	} else {
		status = results_pipe_closed(&results) ? EXIT_PIPE_CLOSED : fail_at(job, &err);
	}
	results_release(&results);
	output_release(&rejects);
	local_report_release(&report);
	return status;
}

static int say_no_plan(const struct sql_queries *queries, const struct error *err)
{
	const struct sql_text *text = &queries->texts[0];

	return queries->count == 1 ? cli_fail_at(err, text->text, text->line, text->column)
				   : cli_fail(err);
}

int execute_queries(const struct execute_job *job, const struct execute_options *options)
{
	uint64_t started_us = clock_monotonic_us();
	struct plan_profile profile = {0};
	struct plan *plan;
	struct error err;
	int status;

	job->catalog->explains = job->analysis || options->profile;
	if (sql_plan(job->catalog, job->queries, job->arena, &plan, &err))
		return say_no_plan(job->queries, &err);
	arena_init(&profile.arena, PROFILE_ARENA_BYTES);
	profile.planning_ns = (clock_monotonic_us() - started_us) * NS_PER_US;
	status = execute_plan(job, plan, options, &profile);
	arena_release(&profile.arena);
	return status;
}

/* The rows to the results, as if a query had given them. */
static int show_rows(const struct kept_rows *rows, struct result_sink *sink, struct error *err)
{
	struct arena arena;
	struct batch batch;
	int status = 0;

	arena_init(&arena, 64u << 10);
	for (uint32_t i = 0; i < rows->batch_count && !status; i++) {
		arena_reset(&arena);
		status = kept_rows_get(rows, i, &arena, &batch, err);
		if (!status)
			status = sink->rows(sink, 0, &batch, err);
	}
	if (!status)
		status = sink->done(sink, 0, err);
	arena_release(&arena);
	return status;
}

int execute_show(const char **names, const struct kept_rows *rows, const char *format,
	const char *output, const struct execute_target *target)
{
	struct plan_query query = {.name = "",
		.title = "",
		.column_count = rows->column_count,
		.names = names,
		.types = rows->types};
	struct plan plan = {.query_count = 1, .queries = &query};
	struct results results;
	struct progress progress;
	struct error err;
	int status;

	interrupt_install();
	progress_init(&progress, false);
	if (execute_init_results(&results, &plan, format, output, false, target, &progress, &err))
		return cli_fail(&err);
	status = show_rows(rows, &results.sink, &err);
	if (status == 0)
		status = results_finish(&results, &err);
	if (status)
		status = results_pipe_closed(&results) ? EXIT_PIPE_CLOSED : cli_fail(&err);
	results_release(&results);
	return status;
}
