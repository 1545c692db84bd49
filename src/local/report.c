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

/* Where in the files a guess turned out to be wrong. */
struct doubt_place {
	const struct csv_file *file;
	uint64_t chunk;
	uint64_t line;
};

static bool is_before(struct doubt_place a, struct doubt_place b)
{
	int order = strcmp(csv_file_path(a.file), csv_file_path(b.file));

	if (order != 0)
		return order < 0;
	return a.chunk != b.chunk ? a.chunk < b.chunk : a.line < b.line;
}

static struct doubt_place place_of_doubt(const struct csv_doubt *doubt)
{
	return (struct doubt_place){doubt->file, doubt->chunk, doubt->line};
}

static struct doubt_place place_of_record(const struct csv_long_record *record)
{
	return (struct doubt_place){record->file, record->chunk, record->line};
}

static void add_wrong_guess(struct local_report *report, struct local_wrong_guess guess,
	struct doubt_place place, bool whole)
{
	guess.path = arena_strdup(&report->arena, csv_file_path(place.file));
	guess.line = whole ? csv_file_chunk_line(place.file, place.chunk) + place.line : 0;
	guess.sample = arena_strdup(&report->arena, guess.sample);
	report->wrong_guesses = memory_realloc(report->wrong_guesses,
		(report->wrong_guess_count + 1) * sizeof(*report->wrong_guesses));
	report->wrong_guesses[report->wrong_guess_count++] = guess;
}

/* Rows with more fields than their file has columns: those of the first such file. */
static void report_long_records(struct local_report *report, uint32_t table, uint32_t tally_count,
	const struct csv_tally *tallies, bool whole)
{
	const struct csv_long_record *first = NULL;
	uint32_t fields = 0;

	for (uint32_t i = 0; i < tally_count; i++) {
		const struct csv_long_record *record = &tallies[i].longest;

		if (record->fields > 0 &&
			(!first || is_before(place_of_record(record), place_of_record(first))))
			first = record;
	}
	for (uint32_t i = 0; first && i < tally_count; i++)
		if (tallies[i].longest.file == first->file && tallies[i].longest.fields > fields)
			fields = tallies[i].longest.fields;
	if (first)
		add_wrong_guess(report,
			(struct local_wrong_guess){.table = table,
				.width = first->width,
				.fields = fields,
				.sample = first->sample},
			place_of_record(first), whole);
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
			if (!first || is_before(place_of_doubt(doubt), place_of_doubt(first)))
				first = doubt;
		}
		if (first)
			add_wrong_guess(report,
				(struct local_wrong_guess){.table = table,
					.column = columns[c],
					.kinds = kinds,
					.sample = first->sample},
				place_of_doubt(first), whole);
	}
	report_long_records(report, table, tally_count, tallies, whole);
}

void report_add_note(struct local_report *report, const char *note)
{
	/* Two steps may have to scan one table. */
	for (uint32_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i], note) == 0)
			return;
	report->notes = (const char **)memory_realloc(
		report->notes, (report->note_count + 1) * sizeof(*report->notes));
	report->notes[report->note_count++] = arena_strdup(&report->arena, note);
}

void report_note(struct local_report *report, const struct csv_file *file)
{
	struct buf text;

	buf_init(&text, REPORT_NOTE_MAX);
	for (uint32_t i = 0; i < CSV_LATE_NOTES; i++) {
		buf_clear(&text);
		if (!csv_file_late_note(file, i, &text))
			continue;
		buf_append_char(&text, '\0');
		if (!buf_overflowed(&text))
			report_add_note(report, text.data);
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
