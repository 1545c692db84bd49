/*
 * The part that `run` and `sql` share: their common options, and running a compiled plan with
 * results, progress, rejects and interrupts looked after.
 */
#ifndef CLI_REQUEST_EXECUTE_H
#define CLI_REQUEST_EXECUTE_H

#include "cli/common_options.h"
#include "cli/print/results.h"
#include "column/kept_rows.h"
#include "local/run.h"
#include "sql/compile.h"

struct execute_options {
	const char *format; /* NULL: table on stdout, csv in files */
	const char *output; /* NULL: stdout */
	const char *rejects;
	uint64_t threads;
	uint64_t chunk_size;
	uint64_t memory;
	const char *temp;
	uint64_t temp_max;
	bool strict;
	const char *max_rejects;
	uint64_t max_rows; /* that a terminal shows of a table; 0: all */
	bool quiet;
	bool profile; /* what every operator took, on stderr */
};

#define EXECUTE_ROWS_SHOWN 40 /* for max_rows, where nothing else is said */

/* clang-format off */
#define EXECUTE_OPTION_ROWS(type, field, output_help) \
	OPTION_ROW_FORMAT(type, field.format), \
	OPTION_ROW_OUTPUT(type, field.output, output_help), \
	{.name = "rejects", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.rejects), \
		.help = "write every row that could not be read to a CSV file"}, \
	{.name = "strict", .kind = OPTION_FLAG, .offset = offsetof(type, field.strict), \
		.help = "stop at the first row that cannot be read (exit status 5)"}, \
	OPTION_ROW_MAX_REJECTS(type, field.max_rejects), \
	{.name = "max-rows", .argument = "N", .kind = OPTION_COUNT, \
		.offset = offsetof(type, field.max_rows), .min = 0, .max = UINT32_MAX - 1, \
		.help = "of a table on a terminal: more leave out those in the\n" \
			"middle; 0: all of them (default: 40)"}, \
	OPTION_ROW_THREADS(type, field.threads, LOCAL_THREADS_MAX), \
	{.name = "chunk-size", .argument = "SIZE", .kind = OPTION_SIZE, \
		.offset = offsetof(type, field.chunk_size), .min = CSV_CHUNK_MIN, \
		.max = CSV_RECORD_MAX, \
		.help = "bytes that a thread takes at a time (for tuning and tests)"}, \
	OPTION_ROW_MEMORY(type, field.memory), \
	{.name = "temp", .argument = "DIR", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.temp), \
		.help = "a folder for that file (default: $TMPDIR, or /tmp)"}, \
	{.name = "temp-max", .argument = "SIZE", .kind = OPTION_SIZE, \
		.offset = offsetof(type, field.temp_max), .min = 1, .max = SIZE_MAX, \
		.help = "how large it may be (default: as large as there is room)"}, \
	{.name = "profile", .kind = OPTION_FLAG, .offset = offsetof(type, field.profile), \
		.help = "then show on stderr what every operator of the plan took,\n" \
			"as EXPLAIN ANALYZE does"}, \
	OPTION_ROW_QUIET(type, field.quiet, QUIET_HELP)
/* clang-format on */

/* Beyond what options say of where results go and how they look; all zero is the usual. */
struct execute_target {
	const struct format_style *style; /* NULL: the usual */
	const int *fd;			  /* instead of stdout; NULL: stdout */
};

/* What there is to answer. Everything is borrowed; types in the catalog may become wider. */
struct execute_job {
	struct catalog *catalog;
	const struct sql_queries *queries;
	struct arena *arena; /* for plans */
	const struct data_places *data;
	/* The output is a folder with one file per query, results on stdout are announced and a
	 * summary follows. */
	bool pack;
	struct execute_target target;
	struct kept_rows *keep; /* the only query's rows are kept here and not shown; NULL: shown */
	/* What running them took goes here, and their rows nowhere; NULL: rows are shown. */
	struct buf *analysis;
	bool analysis_as_json;
	struct column_cache *cache; /* of what is read; NULL: nothing is kept */
};

#define EXPLAIN_BYTES_MAX (64u << 20)

/*
 * Plans the queries, runs them over the CSV files of the folder and reports errors itself. A type
 * that was guessed wrong is widened, and they are run again. Returns the exit status of the process.
 */
int execute_queries(const struct execute_job *job, const struct execute_options *options);

/*
 * Something that was guessed of the table is wrong, as the error says (csv/guess.h; its table and column are taken for
 * right): a column gets a wider type, or the table more columns, and a line that says so is appended to `lines`.
 */
MUST_CHECK int execute_widen(struct table_schema *table, const struct data_places *data,
	struct arena *arena, const struct error *wrong, struct buf *lines, struct error *err);

/* The same for all that a run has found wrong. */
MUST_CHECK int execute_widen_all(struct catalog *catalog, const struct data_places *data,
	struct arena *arena, const struct local_report *report, struct buf *lines,
	struct error *err);

#define EXECUTE_LINES_MAX (1u << 20)

/*
 * On stderr, and released. Lines may have text of a data file in them; of more than there is room for, the last
 * are missing.
 */
void execute_print_lines(struct buf *lines);

/* What the user should know of the files that the plan reads, on stderr. */
void execute_print_notes(const struct plan *plan, const struct catalog *catalog);

/* What a table on `fd` may be: on a terminal no wider than that, and with max_rows. */
void execute_fit(int fd, const struct execute_options *options, struct format_style *style);

/* Where results go, by --format and --output; `pack` as in execute_job, `target` may be NULL. */
MUST_CHECK int execute_init_results(struct results *results, const struct plan *plan,
	const char *format, const char *output, bool pack, const struct execute_target *target,
	struct progress *progress, struct error *err);

/*
 * Rows that are there already, in their order, as the result of a query with these names. Reports errors
 * itself and returns the exit status.
 */
int execute_show(const char **names, const struct kept_rows *rows, const char *format,
	const char *output, const struct execute_target *target);

/* A number, or one with a percent sign; NULL is the default. ERROR_USAGE. */
MUST_CHECK int execute_reject_limit(const char *text, struct reject_limit *out, struct error *err);

/* The lines on stderr behind the results. */
struct execute_summary {
	uint32_t query_count;
	uint64_t bytes;
	uint64_t rows;
	bool rows_known;
	bool some_rejected;
	double seconds;
};

void execute_print_summary(const struct execute_summary *summary);
/* The index-th of some notes on files; many of them are cut short. */
void execute_print_note(const char *note, uint32_t index);
void execute_print_rejected(const char *table, uint64_t rows, uint64_t rejects);

#endif
