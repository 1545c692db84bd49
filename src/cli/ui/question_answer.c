#include "base/memory.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/ui/question_private.h"
#include "local/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define REJECTS_KEPT	  5

static int keep_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	struct question *question = ((struct asked *)sink)->question;
	struct kept_rows *rows = &question->rows;

	(void)query;
	if (batch->selected == 0)
		return 0;
	if (kept_rows_append(rows, batch, err)) {
		/* What there was room for is better than nothing. */
		question->truncated = err->code == ERROR_LIMIT;
		return -1;
	}
	if ((rows->batch_count & (rows->batch_count - 1)) == 0)
		question->firsts = memory_realloc(question->firsts,
			2 * (size_t)rows->batch_count * sizeof(*question->firsts));
	question->firsts[rows->batch_count - 1] = question->row_count;
	question->row_count += batch->selected;
	return 0;
}

static int keep_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)sink;
	(void)query;
	(void)err;
	return 0;
}

void asked_init(struct asked *asked, const struct ui_options *options, struct question *question,
	const char *sql)
{
	*asked = (struct asked){.sink = {.rows = keep_rows, .done = keep_done},
		.question = question,
		.options = options,
		.text = {.name = "", .title = "", .text = sql}};
	arena_init(&asked->arena, ARENA_BLOCK_BYTES);
}

void question_progress(
	struct question *question, enum question_stage stage, uint64_t done, uint64_t total)
{
	pthread_mutex_lock(&question->lock);
	question->stage = stage;
	question->done = done;
	question->total = total;
	pthread_mutex_unlock(&question->lock);
}

static void on_progress(void *context, const struct local_progress *progress)
{
	question_progress(context, QUESTION_READING, progress->bytes_done, progress->bytes_total);
}

/* Columns of another question are c1, c2, ...: its names may be anything, and twice the same. */
static void offer_parent(struct asked *asked)
{
	const struct question *parent = asked->question->parent;
	struct table_column *columns =
		arena_zalloc(&asked->arena, (parent->column_count + 1) * sizeof(*columns));

	for (uint32_t c = 0; c < parent->column_count; c++) {
		char name[16];

		snprintf(name, sizeof(name), "c%u", c + 1);
		columns[c].name = arena_strdup(&asked->arena, name);
		columns[c].type = parent->rows.types[c];
	}
	asked->parent = (struct table_schema){.name = "result",
		.files = "",
		.column_count = parent->column_count,
		.columns = columns,
		.bytes = parent->rows.bytes + 1,
		.kept = &parent->rows};
	asked->catalog = (struct catalog){.table_count = 1, .tables = &asked->parent};
}

/* Only what has rows, and changes nothing: there is no session in which anything could be kept. */
static int check_kind(const struct asked *asked, struct error *err)
{
	switch (asked->statement.kind) {
	case SQL_QUERY: return 0;
	case SQL_NOTHING: return error_set(err, ERROR_SQL, "there is no query");
	default: break;
	}
	return sql_text_error(&asked->text, asked->statement.location, err,
		"this page answers queries: SELECT, WITH, VALUES, TABLE. Everything else is for "
		"tamiz shell");
}

/* The page of a cluster is not only for those who may read whatever this process may. */
static int refuse_files(struct asked *asked, struct error *err)
{
	const struct ui_options *options = asked->options;
	const struct sql_queries *queries = &asked->statement.queries;
	struct csv_dialect dialect = csv_dialect_default();
	struct table_names names;
	struct catalog known;
	struct table_schema *tables =
		arena_zalloc(&asked->arena, CATALOG_TABLES_MAX * sizeof(*tables));
	bool named[CATALOG_TABLES_MAX];
	uint32_t count;

	names.names = sql_table_names(queries, &asked->arena, &names.count);
	if (files_infer_catalog(&options->data, &dialect, &names, &asked->arena, &known, err))
		return -1;
	count = known.table_count;
	if (count > 0)
		memcpy(tables, known.tables, count * sizeof(*tables));
	known.tables = tables;
	if (sql_file_tables(queries, &asked->arena, &known, named, err))
		return -1;
	if (known.table_count == count)
		return 0;
	return error_set(err, ERROR_SQL,
		"%.200s: this page answers queries over its tables, and reads no other files",
		known.tables[count].files);
}

static int load_tables(struct asked *asked, struct error *err)
{
	const struct ui_options *options = asked->options;
	const struct sql_queries *queries = &asked->statement.queries;

	if (options->remote && refuse_files(asked, err))
		return -1;
	return catalog_load(options->schema, queries, &options->data, &options->files,
		&asked->arena, &asked->catalog, err);
}

static int plan_it(struct asked *asked, struct error *err)
{
	struct sql_queries *queries = &asked->statement.queries;
	bool is_view = asked->question && asked->question->parent;

	if (sql_statement_parse(&asked->text, &asked->arena, &asked->statement, err) ||
		check_kind(asked, err))
		return -1;
	/* Rows have the types that they mean, for whoever sorts them; gateways do not know of it. */
	queries->kept = is_view || !asked->options->remote;
	if (is_view)
		offer_parent(asked);
	else if (load_tables(asked, err))
		return -1;
	asked->catalog.explains = asked->explains;
	return sql_plan(&asked->catalog, queries, &asked->arena, &asked->plan, err);
}

void question_begin_rows(struct asked *asked, const struct plan_query *query)
{
	struct question *question = asked->question;
	const struct question *parent = question->parent;
	size_t types_size = (query->column_count + 1) * sizeof(struct type);

	kept_rows_reset(&question->rows, query->column_count, query->types);
	question->row_count = 0;
	question->column_count = query->column_count;
	question->types = question->rows.types;
	question->meant = arena_zalloc(&question->arena, types_size);
	question->names =
		arena_alloc(&question->arena, (query->column_count + 1) * sizeof(*question->names));
	for (uint32_t c = 0; c < query->column_count; c++) {
		question->meant[c] = query->meant ? query->meant[c] : query->types[c];
		question->names[c] = arena_strdup(&question->arena, query->names[c]);
	}
	for (uint32_t c = 0; parent && c < query->column_count; c++) {
		question->meant[c] = parent->meant[c];
		question->names[c] = parent->names[c];
	}
}

void question_note(struct question *question, const char *line)
{
	buf_printf(&question->notes, "%s\n", line);
}

static void note_files(struct asked *asked)
{
	for (uint32_t t = 0; t < asked->plan->table_count && !asked->question->parent; t++) {
		const struct table_schema *table =
			&asked->catalog.tables[asked->plan->tables[t].source];

		if (table->note)
			question_note(asked->question, table->note);
	}
	if (asked->plan->queries[0].warning)
		question_note(asked->question, asked->plan->queries[0].warning);
}

static void note_report(struct question *question, const struct local_report *report)
{
	for (uint32_t i = 0; i < report->table_count; i++) {
		question->rows_read += report->tables[i].rows;
		question->rows_rejected += report->tables[i].rejects;
	}
	for (uint32_t i = 0; i < report->note_count; i++)
		question_note(question, report->notes[i]);
	for (uint64_t i = 0; i < report->reject_count && i < REJECTS_KEPT; i++) {
		const struct local_reject *reject = &report->rejected[i];

		buf_printf(&question->notes, "%s:%" PRIu64 ": %s%s%s%s\n", reject->path,
			reject->line, reject->column ? reject->column : "",
			reject->column ? ": " : "", reject->reason, reject->sample ? ": " : "");
		if (reject->sample)
			question_note(question, reject->sample);
	}
}

static void keep_plan(struct asked *asked, const struct plan_profile *profile)
{
	struct buf text;

	buf_init(&text, EXPLAIN_BYTES_MAX);
	sql_explain_measured(asked->plan, profile, false, &text);
	buf_append_char(&text, '\0');
	if (!buf_overflowed(&text))
		buf_append(&asked->question->plan, text.data, text.size);
	buf_release(&text);
}

/* Until no guess is wrong; each time one is, a type gets wider. */
static int run_plan(struct asked *asked, struct plan_profile *profile, struct error *err)
{
	struct question *question = asked->question;
	const struct ui_options *options = asked->options;
	const struct reject_limit limit = QUESTION_REJECT_LIMIT;
	const struct local_options local = {
		.reject_limit = &limit,
		.threads = (uint32_t)options->threads,
		.memory = options->memory,
		.rejects_kept_max = REJECTS_KEPT,
		.interrupted = &question->interrupted,
		.on_progress = on_progress,
		.progress_context = question,
		.profile = question->parent ? NULL : profile,
	};
	int status;

	do {
		struct local_report report = {0};

		question_begin_rows(asked, &asked->plan->queries[0]);
		status = local_run(asked->plan, &asked->catalog, &options->data, &local,
			&asked->sink, &report, err);
		if (status == LOCAL_GUESS_WRONG &&
			(execute_widen_all(&asked->catalog, &options->data, &asked->arena, &report,
				 &question->notes, err) ||
				sql_plan(&asked->catalog, &asked->statement.queries, &asked->arena,
					&asked->plan, err)))
			status = -1;
		else if (status != LOCAL_GUESS_WRONG)
			note_report(question, &report);
		local_report_release(&report);
	} while (status == LOCAL_GUESS_WRONG);
	return status;
}

static int run_here(struct asked *asked, struct error *err)
{
	struct plan_profile profile = {0};
	int status;

	arena_init(&profile.arena, ARENA_BLOCK_BYTES);
	status = run_plan(asked, &profile, err);
	if (!status && !asked->question->parent)
		keep_plan(asked, &profile);
	arena_release(&profile.arena);
	return status;
}

int question_answer(struct asked *asked, struct error *err)
{
	if (plan_it(asked, err))
		return -1;
	note_files(asked);
	/* What a query without tables costs is nothing that a cluster could share. */
	return asked->options->remote && !asked->question->parent && asked->plan->table_count > 0
		       ? question_answer_remotely(asked, err)
		       : run_here(asked, err);
}

int question_plan(
	const struct ui_options *options, const char *sql, struct buf *out, struct error *err)
{
	struct asked asked;
	int status;

	asked_init(&asked, options, NULL, sql);
	asked.explains = true;
	status = plan_it(&asked, err);
	if (!status)
		sql_explain(asked.plan, out);
	arena_release(&asked.arena);
	return status;
}
