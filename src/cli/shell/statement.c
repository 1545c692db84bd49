/* What a statement does. */
#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/print/human.h"
#include "cli/shell/shell_private.h"
#include "local/known_tables.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)
/* Tables in memory may take this share of it. */
#define MEMORY_SHARE 2

/* An error at the statement's name. */
PRINTF_LIKE(2, 3)
static int bad(struct shell_statement *work, const char *format, ...)
{
	char message[ERROR_MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return sql_text_error(work->text, work->statement.location, work->err, "%s", message);
}

static struct execute_job job_of(struct shell_statement *work)
{
	return (struct execute_job){.catalog = &work->catalog,
		.queries = &work->statement.queries,
		.arena = work->arena,
		.data = &work->shell->data,
		.cache = shell_cache(work->shell)};
}

static int plan_it(struct shell_statement *work, struct plan **plan)
{
	if (statement_catalog(work))
		return -1;
	work->catalog.explains = work->statement.kind == SQL_EXPLAIN;
	return sql_plan(&work->catalog, &work->statement.queries, work->arena, plan, work->err);
}

/* `expanded = on` is a form of its own. */
static struct execute_options query_options(const struct shell *shell)
{
	struct execute_options options = shell->settings.execute;
	const char *format = options.format ? options.format : "table";

	if (shell->settings.expanded && strcmp(shell->settings.expanded, "on") == 0 &&
		!options.output &&
		(strcmp(format, "table") == 0 || strcmp(format, "box") == 0 ||
			strcmp(format, "ascii") == 0))
		options.format = "vertical";
	return options;
}

static int run_query(struct shell_statement *work, int *status)
{
	struct shell *shell = work->shell;
	const struct execute_options options = query_options(shell);
	struct execute_job job = job_of(work);
	struct format_style style;

	if (statement_catalog(work))
		return -1;
	if (shell->settings.execute.output && shell->has_written)
		return error_set(work->err, ERROR_USAGE,
			"%s has a result already: give several with COPY (SELECT ...) TO 'file'",
			shell->settings.execute.output);
	job.target = output_target(shell, &style);
	*status = execute_queries(&job, &options);
	shell->has_written = true;
	return 0;
}

/* FORMAT, HEADER and NULL of COPY. */
static int copy_options(
	struct shell_statement *work, struct execute_options *options, struct format_style *style)
{
	for (uint32_t i = 0; i < work->statement.option_count; i++) {
		const struct sql_option *option = &work->statement.options[i];
		bool known = false;

		if (strcmp(option->name, "format") == 0) {
			for (const char *const *name = format_names; *name; name++)
				if (strcasecmp(*name, option->value) == 0) {
					options->format = *name;
					known = true;
				}
			if (!known)
				return sql_text_error(work->text, option->location, work->err,
					"there is no format \"%s\": csv, tsv, json, jsonl and "
					"others are",
					option->value);
		} else if (strcmp(option->name, "header") == 0) {
			style->without_names = strcasecmp(option->value, "false") == 0 ||
					       strcasecmp(option->value, "off") == 0 ||
					       strcmp(option->value, "0") == 0;
		} else if (strcmp(option->name, "null") == 0) {
			style->null = option->value;
		} else {
			return sql_text_error(work->text, option->location, work->err,
				"COPY has the options FORMAT, HEADER and NULL, not \"%s\"",
				option->name);
		}
	}
	return 0;
}

static int run_copy(struct shell_statement *work, int *status)
{
	struct execute_options options = work->shell->settings.execute;
	struct execute_job job = job_of(work);
	struct format_style style = {0};

	options.output = work->statement.name;
	options.format = options.output ? NULL : "csv";
	if (copy_options(work, &options, &style) || statement_catalog(work))
		return -1;
	job.target = (struct execute_target){.style = &style};
	*status = execute_queries(&job, &options);
	if (*status == 0 && options.output)
		output_say(work->shell, "COPY: %s is written.", options.output);
	return 0;
}

/* EXPLAIN ANALYZE runs the query, and its rows are not shown. */
static int run_explain(struct shell_statement *work, int *status)
{
	struct execute_job job = job_of(work);
	struct plan *plan;
	struct buf text;

	if (plan_it(work, &plan))
		return -1;
	buf_init(&text, EXPLAIN_BYTES_MAX);
	*status = 0;
	job.analysis = &text;
	job.analysis_as_json = work->statement.as_json;
	if (work->statement.analyzes)
		*status = execute_queries(&job, &work->shell->settings.execute);
	else
		sql_explain_measured(plan, NULL, work->statement.as_json, &text);
	if (*status == 0)
		*status = output_print(work->shell, &text);
	else
		buf_release(&text);
	return 0;
}

static int run_summarize(struct shell_statement *work, int *status)
{
	struct sql_text *text = arena_alloc(work->arena, sizeof(*text));
	struct plan *plan;

	/* First as it is: its errors have their places, and its columns their types. */
	work->statement.queries.kept = true;
	if (plan_it(work, &plan))
		return -1;
	if (plan->queries[0].column_count == 0)
		return bad(work, "there are no columns");
	*text = (struct sql_text){.name = "",
		.title = "",
		.text = summary_query(work->text->text, &plan->queries[0], work->arena)};
	if (sql_parse(text, 1, work->arena, &work->statement.queries, work->err))
		return -1;
	return run_query(work, status);
}

static int run_describe(struct shell_statement *work, int *status)
{
	struct plan *plan;

	return plan_it(work, &plan) ? -1 : lists_describe(work, plan, status);
}

/* Whether there is a table or view of that name. */
static bool name_is_taken(struct shell_statement *work)
{
	const char *name = work->statement.name;
	struct error ignored;
	struct catalog all;

	if (sql_views_find(work->shell->views, name) != PLAN_NONE)
		return true;
	if (shell_tables(work->shell, work->arena, &all, &ignored))
		return shell_find_table(work->shell, name) != NULL;
	for (uint32_t t = 0; t < all.table_count; t++)
		if (strcasecmp(all.tables[t].name, name) == 0)
			return true;
	return false;
}

static int run_create_view(struct shell_statement *work)
{
	struct shell *shell = work->shell;
	const struct sql_statement *statement = &work->statement;
	bool replaces =
		statement->or_replace && sql_views_find(shell->views, statement->name) != PLAN_NONE;
	struct plan *plan;

	/* It must be right now; what it reads may change later. */
	if (plan_it(work, &plan))
		return -1;
	if (!replaces && name_is_taken(work))
		return bad(work, "\"%s\" already exists", statement->name);
	if (sql_views_put(shell->views, work->text, work->err))
		return -1;
	output_say(shell, "CREATE VIEW.");
	return 0;
}

static size_t memory_left(const struct shell *shell)
{
	size_t whole = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
	size_t room = whole / MEMORY_SHARE;

	for (const struct shell_table *table = shell->tables; table; table = table->next)
		room -= table->rows.bytes < room ? table->rows.bytes : room;
	return room;
}

/* The columns of a table that a query made. */
static int kept_columns(
	struct shell_statement *work, const struct plan_query *query, struct table_schema *table)
{
	struct arena *arena = &work->shell->arena;
	const struct sql_statement *statement = &work->statement;

	if (statement->column_count > query->column_count)
		return bad(work, "too many column names were specified");
	table->column_count = query->column_count;
	table->columns = arena_zalloc(arena, (query->column_count + 1) * sizeof(*table->columns));
	for (uint32_t c = 0; c < query->column_count; c++) {
		const char *name =
			c < statement->column_count ? statement->columns[c] : query->names[c];

		for (uint32_t i = 0; i < c; i++)
			if (strcmp(table->columns[i].name, name) == 0)
				return bad(work, "column \"%s\" specified more than once", name);
		table->columns[c] = (struct table_column){
			.name = arena_strdup(arena, name), .type = query->types[c]};
	}
	return 0;
}

/* Runs the query again, with types that are right now, until it has what the table is to have. */
static int fill_table(struct shell_statement *work, struct shell_table *made, int *status)
{
	struct execute_job job = job_of(work);

	job.keep = &made->rows;
	*status = execute_queries(&job, &work->shell->settings.execute);
	return 0;
}

static int run_create_table_as(struct shell_statement *work, int *status)
{
	struct shell *shell = work->shell;
	const struct sql_statement *statement = &work->statement;
	struct shell_table *made = arena_zalloc(&shell->arena, sizeof(*made));
	char rows[HUMAN_TEXT_MAX];
	struct table_schema table = {0};
	struct plan *plan;

	work->statement.queries.kept = true;
	if (plan_it(work, &plan))
		return -1;
	if (name_is_taken(work))
		return statement->if_possible ? 0
					      : bad(work, "\"%s\" already exists", statement->name);
	if (shell->own_count == CATALOG_TABLES_MAX)
		return error_set(work->err, ERROR_LIMIT, "more than %d tables", CATALOG_TABLES_MAX);
	if (kept_columns(work, &plan->queries[0], &table))
		return -1;
	kept_rows_init(&made->rows, table.column_count, plan->queries[0].types, memory_left(shell));
	if (statement->without_rows)
		kept_rows_seal(&made->rows);
	else if (fill_table(work, made, status))
		return -1;
	if (*status) {
		kept_rows_release(&made->rows);
		return 0;
	}
	/* A guess that was wrong has made types wider meanwhile. */
	for (uint32_t c = 0; c < table.column_count; c++)
		table.columns[c].type = made->rows.types[c];
	made->name = table.name = arena_strdup(&shell->arena, statement->name);
	table.files = "";
	table.bytes = made->rows.bytes + 1;
	table.kept = &made->rows;
	made->next = shell->tables;
	shell->tables = made;
	shell->own[shell->own_count++] = table;
	output_say(shell, "CREATE TABLE: %s row%s.", human_count(made->rows.rows, rows),
		made->rows.rows == 1 ? "" : "s");
	return 0;
}

static int run_create_table(struct shell_statement *work)
{
	struct shell *shell = work->shell;
	struct data_places places = shell->data;
	struct catalog added;

	if (name_is_taken(work))
		return work->statement.if_possible
			       ? 0
			       : bad(work, "\"%s\" already exists", work->statement.name);
	if (shell->own_count == CATALOG_TABLES_MAX)
		return error_set(work->err, ERROR_LIMIT, "more than %d tables", CATALOG_TABLES_MAX);
	/* It stays: its text must, too, and so must what is found of its files. */
	places.known = NULL;
	if (sql_schema("", arena_strdup(&shell->arena, work->text->text), &shell->arena, &added,
		    work->err) ||
		catalog_complete(
			&added, NULL, &places, &shell->options->files, &shell->arena, work->err))
		return -1;
	shell->own[shell->own_count++] = added.tables[0];
	return 0;
}

static int drop_table(struct shell *shell, struct table_schema *table)
{
	struct shell_table **at = &shell->tables;
	size_t index = (size_t)(table - shell->own);

	while (*at && &(*at)->rows != table->kept)
		at = &(*at)->next;
	if (*at) {
		kept_rows_release(&(*at)->rows);
		*at = (*at)->next;
	}
	shell->own_count--;
	memmove(table, table + 1, (shell->own_count - index) * sizeof(*table));
	return 0;
}

static int run_drop(struct shell_statement *work)
{
	struct shell *shell = work->shell;
	const struct sql_statement *statement = &work->statement;
	uint32_t view = sql_views_find(shell->views, statement->name), user;
	struct table_schema *table;

	table = shell_find_table(shell, statement->name);
	if (statement->is_view ? view == PLAN_NONE : !table) {
		if (statement->if_possible)
			return 0;
		return bad(work, "%s \"%s\" does not exist, or no statement has made it",
			statement->is_view ? "view" : "table", statement->name);
	}
	user = sql_views_using(shell->views, statement->name);
	if (user != PLAN_NONE)
		return bad(
			work, "the view \"%s\" depends on it", sql_views_name(shell->views, user));
	if (statement->is_view)
		sql_views_drop(shell->views, view);
	else
		return drop_table(shell, table);
	return 0;
}

static int run_set(struct shell_statement *work)
{
	if (settings_set(work->shell, work->statement.name, work->statement.value, work->err))
		return -1;
	(void)shell_cache(work->shell); /* what is too much is dropped at once */
	return 0;
}

static int run_show(struct shell_statement *work, int *status)
{
	const char *name = work->statement.name;

	if (strcmp(name, "tables") == 0 || strcmp(name, "views") == 0)
		return lists_show_tables(work, *name == 'v', status);
	return settings_show(work, status);
}

static int run_statement(struct shell_statement *work, int *status)
{
	switch (work->statement.kind) {
	case SQL_NOTHING: return 0;
	case SQL_QUERY: return run_query(work, status);
	case SQL_EXPLAIN: return run_explain(work, status);
	case SQL_DESCRIBE: return run_describe(work, status);
	case SQL_SUMMARIZE: return run_summarize(work, status);
	case SQL_COPY_TO: return run_copy(work, status);
	case SQL_CREATE_VIEW: return run_create_view(work);
	case SQL_CREATE_TABLE_AS: return run_create_table_as(work, status);
	case SQL_CREATE_TABLE: return run_create_table(work);
	case SQL_DROP: return run_drop(work);
	case SQL_SET:
	case SQL_RESET: return run_set(work);
	case SQL_SHOW: return run_show(work, status);
	}
	return 0;
}

/* A statement that is whole. */
static int run_whole(struct shell *shell, const struct sql_text *text)
{
	double started = clock_monotonic_seconds();
	struct arena arena;
	struct error err;
	struct shell_statement work = {.shell = shell, .text = text, .arena = &arena, .err = &err};
	int status = 0;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	if (shell->reads_again && !shell->data.known)
		shell->data.known = known_tables_new();
	if (shell->data.known)
		known_tables_sweep(shell->data.known);
	output_hold(shell);
	if (sql_statement_parse(text, &arena, &work.statement, &err) ||
		run_statement(&work, &status))
		status = cli_fail_at(&err, text->text, text->line, text->column);
	output_page(shell);
	for (uint32_t t = 0; t < work.catalog.table_count && shell->data.known; t++)
		known_tables_learn(shell->data.known, &work.catalog.tables[t]);
	statement_release(&work);
	arena_release(&arena);
	if (status == 0 && shell->settings.timing && work.statement.kind != SQL_NOTHING) {
		char seconds[HUMAN_TEXT_MAX];

		fprintf(stderr, "Time: %s\n",
			human_seconds(clock_monotonic_seconds() - started, seconds));
	}
	return status;
}

int shell_run(struct shell *shell, const struct sql_text *text)
{
	struct sql_text whole = *text;
	struct error err;
	struct buf put;
	int status;

	if (prepared_run(shell, text, &status, &err))
		return status < 0 ? cli_fail_at(&err, text->text, text->line, text->column)
				  : status;
	buf_init(&put, SHELL_TEXT_MAX);
	if (prepared_put_values(shell, text, &put, &err)) {
		status = cli_fail_at(&err, text->text, text->line, text->column);
	} else {
		whole.text = put.data;
		status = run_whole(shell, &whole);
	}
	buf_release(&put);
	return status;
}
