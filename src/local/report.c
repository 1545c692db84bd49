/*
 * What was read and what was rejected, from the tallies of the scans.
 */
#include "base/memory.h"
#include "local/local_private.h"

#include <stdlib.h>
#include <string.h>

#define REPORT_NOTE_MAX 8192

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
