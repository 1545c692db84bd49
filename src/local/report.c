/*
 * What was read and what was rejected, from the tallies of the scans.
 */
#include "base/memory.h"
#include "local/local_private.h"

#include <stdlib.h>
#include <string.h>

#define REPORT_NOTE_MAX	 8192
#define REJECT_KINDS_MAX 64 /* that are told apart */

void report_init(struct run_state *run)
{
	struct local_report *report = run->report;

	memset(report, 0, sizeof(*report));
	arena_init(&report->arena, 16u << 10);
	report->table_count = run->plan->table_count;
	report->tables =
		arena_zalloc(&report->arena, (report->table_count + 1) * sizeof(*report->tables));
	for (uint32_t t = 0; t < report->table_count; t++)
		report->tables[t].name = run->plan->tables[t].name;
}

void local_report_release(struct local_report *report)
{
	free(report->rejected);
	free(report->wrong_guesses);
	free(report->notes);
	arena_release(&report->arena);
	memset(report, 0, sizeof(*report));
}

static void keep_reject(
	struct local_report *report, uint32_t table, const struct csv_reject *reject)
{
	struct arena *arena = &report->arena;

	report->rejected = memory_realloc(
		report->rejected, (report->reject_count + 1) * sizeof(*report->rejected));
	report->rejected[report->reject_count++] = (struct local_reject){
		.table = table,
		.path = arena_strdup(arena, csv_file_path(reject->file)),
		.line = csv_file_chunk_line(reject->file, reject->chunk) + reject->line,
		.column = reject->column ? arena_strdup(arena, reject->column) : NULL,
		.reason = arena_strdup(arena, reject->reason),
		.sample = arena_strdup(arena, reject->sample ? reject->sample : ""),
	};
}

void report_add(struct local_report *report, uint32_t table, uint32_t tally_count,
	const struct csv_tally *tallies, uint32_t file_count, uint64_t bytes)
{
	struct local_table_report *entry = &report->tables[table];
	uint64_t rows = 0, rejects = 0;

	for (uint32_t i = 0; i < tally_count; i++) {
		rows += tallies[i].rows;
		rejects += tallies[i].rejects;
		for (uint64_t k = 0; k < tallies[i].kept_count; k++)
			keep_reject(report, table, &tallies[i].kept[k]);
	}
	/* A table that two steps had to scan is reported once. */
	entry->files = file_count;
	entry->bytes = bytes;
	entry->rows = rows > entry->rows ? rows : entry->rows;
	entry->rejects = rejects > entry->rejects ? rejects : entry->rejects;
}

/* Which of two comes first in the files. */
static bool is_before(const struct csv_doubt *a, const struct csv_doubt *b)
{
	int order = strcmp(csv_file_path(a->file), csv_file_path(b->file));

	if (order != 0)
		return order < 0;
	return a->chunk != b->chunk ? a->chunk < b->chunk : a->line < b->line;
}

void report_doubts(struct local_report *report, uint32_t table, const uint32_t *columns,
	uint32_t tally_count, const struct csv_tally *tallies, bool whole)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < tally_count; i++)
		count = tallies[i].doubts ? tallies[i].doubt_count : count;
	for (uint32_t c = 0; c < count; c++) {
		const struct csv_doubt *first = NULL;
		unsigned kinds = ~0u;

		for (uint32_t i = 0; i < tally_count; i++) {
			const struct csv_doubt *doubt =
				tallies[i].doubts ? &tallies[i].doubts[c] : NULL;

			if (!doubt || !doubt->sample)
				continue;
			kinds &= doubt->kinds;
			if (!first || is_before(doubt, first))
				first = doubt;
		}
		if (!first)
			continue;
		report->wrong_guesses = memory_realloc(report->wrong_guesses,
			(report->wrong_guess_count + 1) * sizeof(*report->wrong_guesses));
		report->wrong_guesses[report->wrong_guess_count++] = (struct local_wrong_guess){
			.table = table,
			.column = columns[c],
			.kinds = kinds,
			.path = arena_strdup(&report->arena, csv_file_path(first->file)),
			.line = whole ? csv_file_chunk_line(first->file, first->chunk) + first->line
				      : 0,
			.sample = arena_strdup(&report->arena, first->sample),
		};
	}
}

void report_note(struct local_report *report, const struct csv_file *file)
{
	struct buf text;
	bool known = false;

	buf_init(&text, REPORT_NOTE_MAX);
	if (csv_file_encoding_note(file, &text)) {
		buf_append_char(&text, '\0');
		/* Two steps may have to scan one table. */
		for (uint32_t i = 0; i < report->note_count && text.size > 0; i++)
			known = known || strcmp(report->notes[i], text.data) == 0;
		if (!known && text.size > 0) {
			report->notes = (const char **)memory_realloc(
				report->notes, (report->note_count + 1) * sizeof(*report->notes));
			report->notes[report->note_count++] =
				arena_strdup(&report->arena, text.data);
		}
	}
	buf_release(&text);
}

static int compare_names(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

static int compare_rejects(const void *a, const void *b)
{
	const struct local_reject *x = a, *y = b;
	int order = (x->table > y->table) - (x->table < y->table);

	if (!order)
		order = strcmp(x->path, y->path);
	if (!order)
		order = (x->line > y->line) - (x->line < y->line);
	return order ? order : compare_names(x->column, y->column);
}

void report_finish(struct local_report *report, uint64_t kept_max)
{
	uint64_t kept = 0;

	report->rejects = 0;
	for (uint32_t t = 0; t < report->table_count; t++)
		report->rejects += report->tables[t].rejects;
	if (report->reject_count == 0)
		return;
	qsort(report->rejected, report->reject_count, sizeof(*report->rejected), compare_rejects);
	for (uint64_t i = 0; i < report->reject_count; i++)
		if (kept == 0 || compare_rejects(&report->rejected[kept - 1], &report->rejected[i]))
			report->rejected[kept++] = report->rejected[i];
	report->reject_count = kept < kept_max ? kept : kept_max;
}

bool reject_limit_holds(const struct reject_limit *limit, uint64_t rows, uint64_t rejects)
{
	return rejects <= limit->rows || limit->percent >= 100 ||
	       rejects <= rows / 100 * limit->percent + rows % 100 * limit->percent / 100;
}

/* The reason and column that most of the table's rejects have; NULL when none are kept. */
static const struct local_reject *commonest_reject(
	const struct local_report *report, uint32_t table, uint64_t *count)
{
	const struct local_reject *found = NULL;
	struct {
		const struct local_reject *first;
		uint64_t count;
	} kinds[REJECT_KINDS_MAX];
	uint32_t kind_count = 0;

	*count = 0;
	for (uint64_t i = 0; i < report->reject_count; i++) {
		const struct local_reject *reject = &report->rejected[i];
		uint32_t k = 0;

		if (reject->table != table)
			continue;
		while (k < kind_count &&
			(compare_names(kinds[k].first->column, reject->column) ||
				strcmp(kinds[k].first->reason, reject->reason) != 0))
			k++;
		if (k == REJECT_KINDS_MAX)
			continue;
		if (k == kind_count) {
			kinds[k].first = reject;
			kinds[k].count = 0;
			kind_count++;
		}
		if (++kinds[k].count > *count) {
			*count = kinds[k].count;
			found = kinds[k].first;
		}
	}
	return found;
}

/* What may help against a reason, in the words of the decoder. */
static const char *advice(const struct local_reject *reject)
{
	static const struct {
		const char *word, *advice;
	} known[] = {
		{"instead of", "delimiter, quote or ragged = pad may be what is missing"},
		{"quote", "quote or escape may be others"},
		{"date", "date_format says how its dates are written"},
		{"time", "date_format says how its dates are written"},
		{"number",
			"decimal, thousands or null say how it is written; or declare it as text"},
		{"integer", "null says what is missing; or declare it as numeric or text"},
		{"range", "declare it as bigint or numeric"},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strstr(reject->reason, known[i].word))
			return known[i].advice;
	return "null says what stands for NULL; or declare it as text";
}

int report_check(
	const struct local_report *report, const struct reject_limit *limit, struct error *err)
{
	for (uint32_t t = 0; t < report->table_count; t++) {
		const struct local_table_report *table = &report->tables[t];
		const struct local_reject *common;
		uint64_t count;

		if (reject_limit_holds(limit, table->rows, table->rejects))
			continue;
		error_set(err, ERROR_DATA, "table %.100s: %lu of %lu rows could not be read",
			table->name, table->rejects, table->rows);
		common = commonest_reject(report, t, &count);
		if (common)
			error_append(err, "; %s%s:%lu: %s%.100s%s%.80s: \"%.60s\"; %s",
				count > 1 ? "most as in " : "", common->path, common->line,
				common->column ? "column " : "",
				common->column ? common->column : "", common->column ? ": " : "",
				common->reason, common->sample, advice(common));
		return error_append(err, " (--max-rejects 100%% goes on without them)");
	}
	return 0;
}
