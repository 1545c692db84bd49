#include "csv/sniff/sniff.h"

#include "base/memory.h"
#include "column/schema.h"
#include "csv/sniff/cell.h"
#include "csv/sniff/delimiters.h"
#include "csv/sniff/document.h"
#include "csv/sniff/names.h"
#include "csv/sniff/score.h"
#include "csv/sniff/shape.h"
#include "csv/sniff/tables.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Readings whose costs differ by less are about as good: odds of one to some thousands. */
#define DIALECT_DOUBT	    (12 * CELL_BIT)
#define DIALECT_DOUBT_SHARE 50 /* of the cost, where quotes fit */
#define HEADER_DOUBT	    (3 * CELL_BIT)
#define SCORED_BYTES	    (32u << 10) /* enough to tell dialects apart, when lines are short */
#define NAME_SHOWN	    24
#define NAMES_SHOWN	    4
#define READING_MAX	    300
#define ROW_SHOWN	    80

/* A candidate and what it makes of the sample. */
struct dialect_reading {
	const struct candidate *candidate;
	struct score score;
	int64_t cost;
};

struct sniffer {
	const char *origin;
	const struct csv_sample *sample;
	const char *text; /* head and tail, or the head alone */
	size_t size;
	bool whole;
	size_t head; /* how much of it is the head */
	struct arena *arena;
	struct error *err;
};

/* -- The dialect -- */

/* The part of the head by which dialects are scored, from `start` on. */
static size_t scored_size(const char *text, size_t size)
{
	uint32_t lines = 0;

	if (size <= SCORED_BYTES)
		return size;
	for (size_t i = 0; i < SCORED_BYTES; i++)
		lines += text[i] == '\n' || text[i] == '\r';
	return lines >= SNIFF_LINES_MIN ? SCORED_BYTES : size;
}

/* Both make the same table of the sample. */
static bool same_table(const char *text, size_t size, bool whole, const struct csv_dialect *a,
	const struct csv_dialect *b)
{
	struct grid x, y;
	bool same;

	grid_init(&x);
	grid_init(&y);
	grid_read(&x, text, size, whole, a);
	grid_read(&y, text, size, whole, b);
	same = x.row_count == y.row_count && x.cell_count == y.cell_count;
	for (uint32_t i = 0; same && i < x.row_count; i++)
		same = x.rows[i].record.cells == y.rows[i].record.cells;
	for (uint32_t i = 0; same && i < x.cell_count; i++)
		same = x.cells[i].start == y.cells[i].start && x.cells[i].end == y.cells[i].end &&
		       x.cells[i].escaped == y.cells[i].escaped;
	grid_release(&x);
	grid_release(&y);
	return same;
}

static bool same_but_trim(const struct csv_dialect *a, const struct csv_dialect *b)
{
	return strcmp(a->delimiter, b->delimiter) == 0 && a->quote == b->quote &&
	       a->escape == b->escape;
}

/* "separated by ';' it has 3 columns (a, b, c)" */
static void describe(const struct sniffer *s, size_t start, const struct dialect_reading *reading,
	char out[READING_MAX])
{
	const struct csv_dialect *dialect = &reading->candidate->dialect;
	char delimiter = dialect->delimiter[0];
	struct csv_cell cells[NAMES_SHOWN];
	struct csv_walker walker = {
		.dialect = dialect, .data = s->text, .size = s->size, .at = start};
	struct csv_record record = {0};
	size_t used;
	int n;

	if (delimiter == '\0')
		n = snprintf(out, READING_MAX, "as one column");
	else if (delimiter == '\t')
		n = snprintf(out, READING_MAX, "separated by tabs");
	else
		n = snprintf(out, READING_MAX, "separated by \"%s\"", dialect->delimiter);
	used = (size_t)n;
	used += (size_t)snprintf(out + used, READING_MAX - used,
		dialect->quote ? " and quoted with %c%s" : " and without quotes", dialect->quote,
		dialect->escape ? " (\\ escapes)" : "");
	do
		if (!csv_walk_record(&walker, cells, NAMES_SHOWN, &record))
			break;
	while (record.cells != reading->score.width);
	used += (size_t)snprintf(out + used, READING_MAX - used, " it has %u column%s (",
		reading->score.width, reading->score.width == 1 ? "" : "s");
	for (uint32_t c = 0; c < record.cells && c < NAMES_SHOWN && used + 1 < READING_MAX; c++) {
		uint32_t size = cells[c].end - cells[c].start;

		used += (size_t)snprintf(out + used, READING_MAX - used, "%s%.*s%s", c ? " | " : "",
			(int)(size < NAME_SHOWN ? size : NAME_SHOWN), s->text + cells[c].start,
			size < NAME_SHOWN ? "" : "...");
	}
	if (used + 8 < READING_MAX)
		snprintf(out + used, READING_MAX - used, "%s)",
			record.cells > NAMES_SHOWN ? " | ..." : "");
}

static int refuse_dialect(const struct sniffer *s, size_t start, const struct dialect_reading *best,
	const struct dialect_reading *second)
{
	const struct csv_dialect *a = &best->candidate->dialect, *b = &second->candidate->dialect;
	const char *option = strcmp(a->delimiter, b->delimiter) != 0 ? "delimiter"
			     : a->quote != b->quote		     ? "quote"
								     : "escape";
	char first[READING_MAX], other[READING_MAX];

	describe(s, start, best, first);
	describe(s, start, second, other);
	for (char *c = first; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	for (char *c = other; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	return error_set(s->err, ERROR_DATA,
		"%s can be read in two ways: %s; %s. Say which with --%s, or %s = '...' in a "
		"schema",
		s->origin, first, other, option, option);
}

/*
 * Two columns of which the header has one, where one column of numbers with a comma in each would
 * do as well: nobody can say which.
 */
static bool may_be_fractions(
	const char *text, size_t size, bool whole, const struct dialect_reading *best)
{
	struct csv_dialect one_column = best->candidate->dialect;
	bool may = best->score.width == 2 && strcmp(one_column.delimiter, ",") == 0;
	struct grid grid;
	uint32_t rows = 0;

	if (!may || (one_column.given & CSV_GIVEN_DELIMITER))
		return false;
	one_column.delimiter[0] = '\0';
	grid_init(&grid);
	grid_read(&grid, text, size, whole, &one_column);
	for (uint32_t i = 0; may && i < grid.row_count; i++) {
		struct text line = grid_raw(&grid, grid_cells(&grid, i));
		bool comma = memchr(line.data, ',', line.size) != NULL;

		if (grid.rows[i].record.blank)
			continue;
		may = rows++ == 0 ? !comma : cell_look(line.data, line.size).class == CELL_NUMBER;
	}
	grid_release(&grid);
	return may && rows > 1;
}

/*
 * The delimiter is one character, the text has two of it wherever it has one, and two are a
 * candidate: then it is the half of a delimiter.
 */
static bool is_half(const struct candidate *candidate, const struct candidate *candidates,
	uint32_t count, const char *text, size_t size)
{
	const char *delimiter = candidate->dialect.delimiter;
	bool doubled = false;

	if (strlen(delimiter) != 1)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		const char *other = candidates[i].dialect.delimiter;

		doubled = doubled || (strlen(other) == 2 && other[0] == delimiter[0] &&
					     other[1] == delimiter[0]);
	}
	for (size_t i = 0; doubled && i < size;) {
		size_t run = 0;

		while (i + run < size && text[i + run] == delimiter[0])
			run++;
		doubled = run % 2 == 0;
		i += run + 1;
	}
	return doubled;
}

/* A candidate as good as the best one, nearly, that makes another table; NULL: there is none. */
static const struct dialect_reading *find_rival(const struct dialect_reading *readings,
	uint32_t count, const struct dialect_reading *best, const char *text, size_t size,
	bool whole)
{
	const struct csv_dialect *dialect = &best->candidate->dialect;
	const struct dialect_reading *rival = NULL;

	for (uint32_t i = 0; i < count; i++) {
		const struct dialect_reading *reading = &readings[i];
		const struct csv_dialect *other = &reading->candidate->dialect;

		if (reading == best || reading->cost - best->cost >= DIALECT_DOUBT ||
			(rival && reading->cost >= rival->cost))
			continue;
		/* Marks in a few lines of one column are part of its texts. */
		if (dialect->delimiter[0] == '\0' && reading->score.width == 1)
			continue;
		if (!same_but_trim(dialect, other) &&
			!same_table(text, size, whole, dialect, other))
			rival = reading;
	}
	return rival;
}

/*
 * Without quotes, text of many lines is many rows, and text with commas many cells. Where all fits with quotes, or does so
 * until the sample ends within some, and what it costs is about the same in proportion, nobody can say; NULL: there is no
 * such reading.
 */
static const struct dialect_reading *find_quoted(
	const struct dialect_reading *readings, uint32_t count, const struct dialect_reading *best)
{
	for (uint32_t i = 0; best->score.taken_apart > 0 && i < count; i++) {
		const struct score *score = &readings[i].score;

		if (readings[i].candidate->dialect.quote == '"' && score->width > 1 &&
			score->rows > 1 && score->malformed == 0 && score->odd == 0 &&
			readings[i].cost - best->cost < best->cost / DIALECT_DOUBT_SHARE)
			return &readings[i];
	}
	return NULL;
}

static const struct dialect_reading *find_one_column(
	const struct dialect_reading *readings, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (readings[i].candidate->dialect.delimiter[0] == '\0')
			return &readings[i];
	return NULL;
}

/* The best dialect for the text from `start` on. */
static int find_dialect(const struct sniffer *s, size_t start, const struct csv_dialect *declared,
	struct csv_dialect *out, uint32_t *width)
{
	struct candidate *candidates = arena_alloc(s->arena, CANDIDATES_MAX * sizeof(*candidates));
	const char *text = s->text + start;
	size_t size = scored_size(text, s->head - start);
	bool whole = s->sample->whole && size == s->head - start;
	uint32_t count = candidates_of(text, size, declared, candidates);
	struct dialect_reading *readings =
		arena_alloc(s->arena, CANDIDATES_MAX * sizeof(*readings));
	const struct dialect_reading *best = NULL, *wide = NULL, *rival;
	int64_t wide_cost = INT64_MAX;
	uint32_t read = 0;
	struct grid grid;

	grid_init(&grid);
	for (uint32_t i = 0; i < count; i++) {
		struct dialect_reading *reading = &readings[read];

		if (is_half(&candidates[i], candidates, count, text, size))
			continue;
		grid_read(&grid, text, size, whole, &candidates[i].dialect);
		reading->candidate = &candidates[i];
		reading->score = score_grid(&grid, size);
		reading->cost = reading->score.cost + candidates[i].prior +
				candidates[i].prior_per_mark * reading->score.marks +
				candidates[i].prior_per_row * reading->score.rows;
		read++;
		/* Nobody can read so many columns. */
		if (reading->score.width > TABLE_COLUMNS_MAX && read < count) {
			if (is_usual_delimiter(&candidates[i].dialect) &&
				reading->cost < wide_cost) {
				wide = reading;
				wide_cost = reading->cost;
			}
			reading->cost = INT64_MAX / 2;
			continue;
		}
		best = !best || reading->cost < best->cost ? reading : best;
	}
	grid_release(&grid);
	/* An error, for who takes it, where there is no other table in the file. */
	if (!best || (wide && best->score.width == 1 && wide_cost < best->cost))
		best = wide;
	assert(best);
	*out = best->candidate->dialect;
	*width = best->score.width;
	if (best == wide)
		return 0;
	rival = find_rival(readings, read, best, text, size, whole);
	if (!rival)
		rival = find_quoted(readings, read, best);
	if (!rival && may_be_fractions(text, size, whole, best))
		rival = find_one_column(readings, read);
	return rival ? refuse_dialect(s, start, best, rival) : 0;
}

/* -- The rest -- */

static uint64_t count_lines(const char *data, size_t size, enum csv_line_end line_end)
{
	struct csv_dialect dialect = {.line_end = line_end};
	struct csv_walker walker = {.dialect = &dialect, .data = data, .size = size};
	uint64_t lines = 0;

	while (csv_walk_line(&walker))
		lines++;
	return lines;
}

static int compare_texts(const void *a, const void *b)
{
	const struct text *x = a, *y = b;
	int order = memcmp(x->data, y->data, x->size < y->size ? x->size : y->size);

	return order ? order : (x->size > y->size) - (x->size < y->size);
}

/*
 * Rows below the names have one cell more, which is never empty, and begin with texts of which no two
 * are the same: names of rows, as R writes them and as nothing stands over them.
 */
static bool has_row_names(const struct sniffer *s, const struct grid *grid, uint32_t body,
	uint32_t end, uint32_t names)
{
	struct text *texts = arena_alloc(s->arena, (end - body + 1) * sizeof(*texts));
	uint32_t count = 0;

	for (uint32_t i = body; i < end; i++) {
		const struct csv_cell *cells = grid_cells(grid, i);

		if (grid->rows[i].record.blank || grid->rows[i].record.comment)
			continue;
		if (grid->rows[i].record.cells != names + 1 ||
			cells[names].start == cells[names].end)
			return false;
		texts[count] = grid_raw(grid, &cells[0]);
		if (cell_look(texts[count].data, texts[count].size).class != CELL_TEXT)
			return false;
		count++;
	}
	qsort(texts, count, sizeof(*texts), compare_texts);
	for (uint32_t i = 1; i < count; i++)
		if (compare_texts(&texts[i - 1], &texts[i]) == 0)
			return false;
	return count > 1;
}

static void add_empty_first(const struct sniffer *s, struct name_row *row)
{
	struct csv_cell *cells = arena_zalloc(s->arena, (row->count + 1) * sizeof(*cells));

	memcpy(cells + 1, row->cells, row->count * sizeof(*cells));
	row->cells = cells;
	row->count++;
}

/* Names from rows first..body of the grid, or without a header by their numbers. */
static int find_names(const struct sniffer *s, const struct grid *grid, const struct shape *shape,
	struct csv_sniffed *out)
{
	struct name_row rows[CSV_HEADER_MAX];
	struct name_changes changes;
	uint32_t count = 0;

	if (out->width > TABLE_COLUMNS_MAX)
		return error_set(s->err, ERROR_LIMIT, "%s: more than %d columns", s->origin,
			TABLE_COLUMNS_MAX);
	for (uint32_t i = shape->first; i < shape->body && count < shape->header_rows; i++) {
		uint32_t cells = grid->rows[i].record.cells;

		if (grid->rows[i].record.blank || grid->rows[i].record.comment)
			continue;
		rows[count++] = (struct name_row){grid_cells(grid, i), cells};
	}
	out->named = count > 0;
	if (count == 1 && rows[0].count + 1 == out->width &&
		has_row_names(s, grid, shape->body, shape->end, rows[0].count))
		add_empty_first(s, &rows[0]);
	out->names = names_join(&grid->walker, rows, count, out->width, s->arena, &changes);
	out->renamed = out->named ? changes.empty + changes.twice : 0;
	out->renamed_sample = changes.sample;
	return 0;
}

/* The start of a row, to be shown. */
static void show_row(const struct grid *grid, uint32_t row, char line[ROW_SHOWN + 1])
{
	const struct csv_record *record = &grid->rows[row].record;
	size_t size = record->end - record->start;

	size = size < ROW_SHOWN ? size : ROW_SHOWN;
	memcpy(line, grid->walker.data + record->start, size);
	line[size] = '\0';
	for (char *c = line; *c; c++)
		*c = iscntrl((unsigned char)*c) ? ' ' : *c;
	while (size > 0 && line[size - 1] == ' ')
		line[--size] = '\0';
}

static int refuse_header(
	const struct sniffer *s, const struct grid *grid, const struct shape *shape)
{
	char line[ROW_SHOWN + 1];

	show_row(grid, shape->first, line);
	return error_set(s->err, ERROR_DATA,
		"%s: its first row may be names or data: %s. Say which with --header 1 (or more "
		"rows) or --header none, or header = ... in a schema",
		s->origin, line);
}

/*
 * The only row of names has no delimiter, and all rows below have one: it may be the name of one
 * column whose values hold that mark.
 */
static int refuse_one_name(
	const struct sniffer *s, size_t start, const struct csv_dialect *dialect, uint32_t width)
{
	struct candidate several = {.dialect = *dialect}, one = several;
	const struct dialect_reading a = {.candidate = &several, .score = {.width = width}};
	const struct dialect_reading b = {.candidate = &one, .score = {.width = 1}};

	one.dialect.delimiter[0] = '\0';
	return refuse_dialect(s, start, &a, &b);
}

static bool has_one_name(const struct grid *grid, const struct shape *shape)
{
	return shape->header_rows == 1 && shape->width > 1 &&
	       grid->rows[shape->first].record.cells == 1 && shape->body == shape->first + 1;
}

static int refuse_tables(const struct sniffer *s, const struct grid *grid, size_t start,
	uint32_t row, enum csv_line_end line_end)
{
	uint64_t lines = count_lines(s->text, start + grid->rows[row].record.start, line_end);
	char line[ROW_SHOWN + 1];

	show_row(grid, row, line);
	return error_set(s->err, ERROR_DATA,
		"%s: another table may begin at line %" PRIu64 ": %s. --skip %" PRIu64
		" reads that one, --footer with the number of rows from there on the one before "
		"it, --footer 0 both as one (or skip, footer = ... in a schema)",
		s->origin, lines + 1, line, lines);
}

/* The head and, when there is one, the tail behind it, as one text. */
static void join_sample(struct sniffer *s, const struct csv_dialect *dialect)
{
	const struct csv_sample *sample = s->sample;
	struct csv_walker walker = {
		.dialect = dialect, .data = sample->head, .size = sample->head_size};
	struct csv_record record;
	size_t head = 0;
	char *joined;

	if (sample->whole || sample->tail_size == 0)
		return;
	/* The head's last record may not be whole. */
	while (csv_walk_record(&walker, NULL, 0, &record) && record.end < sample->head_size)
		head = record.end;
	joined = arena_alloc_bytes(s->arena, head + sample->tail_size + 1);
	memcpy(joined, sample->head, head);
	memcpy(joined + head, sample->tail, sample->tail_size);
	s->text = joined;
	s->size = head + sample->tail_size;
	s->head = head;
	s->whole = true;
}

/* What the user should know: what was left out, and what was named otherwise. */
static void set_note(const struct sniffer *s, struct csv_sniffed *out)
{
	const struct csv_dialect *dialect = &out->dialect;
	bool skipped = dialect->skip > 0 && !(dialect->given & CSV_GIVEN_SKIP);
	bool footer = dialect->footer > 0 && !(dialect->given & CSV_GIVEN_FOOTER);
	const char *left_out = "", *renamed = "";

	if (skipped && footer)
		left_out = arena_printf(s->arena,
			"%u line%s before the table and %u row%s behind it are left out "
			"(skip, footer)",
			dialect->skip, dialect->skip == 1 ? "" : "s", dialect->footer,
			dialect->footer == 1 ? "" : "s");
	else if (skipped)
		left_out = arena_printf(s->arena, "%u line%s before the table %s left out (skip)",
			dialect->skip, dialect->skip == 1 ? "" : "s",
			dialect->skip == 1 ? "is" : "are");
	else if (footer)
		left_out = arena_printf(s->arena, "%u row%s behind the table %s left out (footer)",
			dialect->footer, dialect->footer == 1 ? "" : "s",
			dialect->footer == 1 ? "is" : "are");
	if (out->renamed > 0)
		renamed = arena_printf(s->arena, "%u column%s no name of %s own: \"%.*s\"%s",
			out->renamed, out->renamed == 1 ? " has" : "s have",
			out->renamed == 1 ? "its" : "their",
			(int)out->names[out->renamed_sample].size,
			out->names[out->renamed_sample].data,
			out->renamed == 1 ? "" : " and others");
	if (*left_out || *renamed)
		out->note = arena_printf(
			s->arena, "%s%s%s", left_out, *left_out && *renamed ? "; " : "", renamed);
}

static void set_found(const struct sniffer *s, const struct grid *grid, const struct shape *shape,
	size_t start, struct csv_sniffed *out)
{
	struct csv_dialect *dialect = &out->dialect;
	const struct csv_record *first = &grid->rows[shape->first].record;

	out->body = start + (shape->body < grid->row_count ? grid->rows[shape->body].record.start
							   : grid->end);
	out->lines = count_lines(s->text, out->body, dialect->line_end);
	if (!(dialect->given & CSV_GIVEN_SKIP) && grid->row_count > 0)
		dialect->skip =
			(uint32_t)count_lines(s->text, start + first->start, dialect->line_end);
	if (!(dialect->given & CSV_GIVEN_HEADER))
		dialect->header_rows = shape->header_rows;
	if (!(dialect->given & CSV_GIVEN_COMMENT))
		memcpy(dialect->comment, shape->comment, sizeof(shape->comment));
	if (!(dialect->given & CSV_GIVEN_RAGGED))
		dialect->ragged = CSV_RAGGED_PAD;
	if (shape->end < grid->row_count) {
		for (uint32_t i = shape->end; i < grid->row_count; i++)
			dialect->footer += !grid->rows[i].record.blank;
		out->footer_bytes = s->size - (start + grid->rows[shape->end].record.start);
	}
}

/* Where the records begin when the user has said how many lines to skip. */
static size_t skip_lines(const char *data, size_t size, const struct csv_dialect *declared)
{
	struct csv_dialect dialect = *declared;
	struct csv_walker walker = {.dialect = &dialect, .data = data, .size = size};

	dialect.line_end = line_end_of(data, size);
	if (!(declared->given & CSV_GIVEN_SKIP))
		return 0;
	for (uint32_t i = 0; i < declared->skip && csv_walk_line(&walker); i++)
		;
	return walker.at;
}

/* What was found of another file, or of this one before, is nothing that this one is known by. */
static struct csv_dialect only_given(const struct csv_dialect *declared)
{
	struct csv_dialect usual = csv_dialect_default();
	struct csv_dialect out = *declared;

	if (!(out.given & CSV_GIVEN_COMMENT))
		out.comment[0] = '\0';
	if (!(out.given & CSV_GIVEN_SKIP))
		out.skip = usual.skip;
	if (!(out.given & CSV_GIVEN_HEADER))
		out.header_rows = usual.header_rows;
	if (!(out.given & CSV_GIVEN_FOOTER))
		out.footer = usual.footer;
	if (!(out.given & CSV_GIVEN_RAGGED))
		out.ragged = usual.ragged;
	return out;
}

static bool has_rows(const struct grid *grid)
{
	for (uint32_t i = 0; i < grid->row_count; i++)
		if (!grid->rows[i].record.blank)
			return true;
	return false;
}

/* In a table that is drawn, the rows above its first inner rule are its names; 0: there is no such rule. */
static uint32_t rows_above_rule(const struct grid *grid)
{
	uint32_t rows = 0;
	bool rule = false;

	for (uint32_t i = 0; i < grid->row_count; i++) {
		const struct csv_record *record = &grid->rows[i].record;

		if (record->blank)
			continue;
		if (!record->comment && rule)
			return rows;
		rule = record->comment && rows > 0;
		rows += !record->comment && record->cells > 1;
	}
	return 0;
}

/* Where the table is, by what is known of it. */
static struct shape find_shape(const struct sniffer *s, const struct grid *grid,
	uint32_t usual_width, struct csv_dialect *dialect)
{
	uint32_t given = dialect->given, rows = rows_above_rule(grid);
	struct shape shape;

	if (dialect->framed && !(given & CSV_GIVEN_HEADER) && rows > 0 && rows <= CSV_HEADER_MAX) {
		dialect->given |= CSV_GIVEN_HEADER;
		dialect->header_rows = rows;
	}
	shape = shape_of(grid, usual_width, s->whole);
	dialect->given = given;
	return shape;
}

/* Where the table is in the sample, which starts at `start` of the text. */
static int find_table(const struct sniffer *s, const struct grid *grid, size_t start,
	uint32_t usual_width, struct csv_sniffed *out)
{
	struct shape shape = find_shape(s, grid, usual_width, &out->dialect);
	uint32_t other = other_table_of(grid, &shape);

	out->width = shape.width;
	if (other < grid->row_count && !(out->dialect.given & CSV_GIVEN_FOOTER))
		return refuse_tables(s, grid, start, other, out->dialect.line_end);
	if (shape.header_doubt < HEADER_DOUBT)
		return refuse_header(s, grid, &shape);
	if (has_one_name(grid, &shape) &&
		!(out->dialect.given & (CSV_GIVEN_DELIMITER | CSV_GIVEN_HEADER)))
		return refuse_one_name(s, start, &out->dialect, shape.width);
	if (find_names(s, grid, &shape, out))
		return -1;
	set_found(s, grid, &shape, start, out);
	set_note(s, out);
	/* Behind the head there is the tail, with a gap between them. */
	if (out->body > s->head)
		return error_set(s->err, ERROR_DATA,
			"%s: its table begins behind its first %zu KB; say where with --skip, or "
			"skip = ... in a schema",
			s->origin, s->head >> 10);
	return 0;
}

/* Who names a delimiter wants the text as a table, whatever it looks like. */
static int refuse_document(const struct sniffer *s, size_t start, const struct csv_dialect *given)
{
	const char *document = document_of(s->text + start, s->size - start);

	if (!document || (given->given & CSV_GIVEN_DELIMITER))
		return 0;
	return error_set(s->err, ERROR_DATA, "%s is no table but %s", s->origin, document);
}

int csv_sniff(const char *origin, const struct csv_sample *sample,
	const struct csv_dialect *declared, struct arena *arena, struct csv_sniffed *out,
	struct error *err)
{
	struct sniffer s = {.origin = origin,
		.sample = sample,
		.text = sample->head,
		.size = sample->head_size,
		.head = sample->head_size,
		.whole = sample->whole,
		.arena = arena,
		.err = err};
	struct csv_dialect given = only_given(declared);
	size_t start = skip_lines(sample->head, sample->head_size, &given);
	uint32_t usual_width;
	struct grid grid;
	int status = 0;

	*out = (struct csv_sniffed){.dialect = given};
	if (refuse_document(&s, start, &given) ||
		find_dialect(&s, start, &given, &out->dialect, &usual_width))
		return -1;
	join_sample(&s, &out->dialect);
	grid_init(&grid);
	grid_read(&grid, s.text + start, s.size - start, s.whole, &out->dialect);
	if (has_rows(&grid))
		status = find_table(&s, &grid, start, usual_width, out);
	grid_release(&grid);
	return status;
}

bool csv_sniff_header(const struct csv_sample *sample, const struct csv_dialect *dialect,
	struct arena *arena, struct csv_sniffed *out)
{
	struct csv_dialect plain = *dialect; /* a header may start like a comment */
	struct csv_walker walker = {
		.dialect = &plain, .data = sample->head, .size = sample->head_size};
	struct name_row rows[CSV_HEADER_MAX];
	struct name_changes changes;
	struct csv_record record;
	uint32_t count = 0;

	*out = (struct csv_sniffed){.dialect = *dialect, .named = true};
	plain.comment[0] = '\0';
	for (uint32_t i = 0; i < dialect->skip; i++)
		if (!csv_walk_line(&walker))
			return false;
	while (count < dialect->header_rows) {
		struct csv_cell *cells;
		size_t at = walker.at;

		if (!csv_walk_record(&walker, NULL, 0, &record))
			return false;
		if (record.blank)
			continue;
		if (record.end == sample->head_size && !sample->whole)
			return false;
		if (record.cells > TABLE_COLUMNS_MAX)
			return false;
		cells = arena_alloc(arena, record.cells * sizeof(*cells));
		walker.at = at;
		csv_walk_record(&walker, cells, record.cells, &record);
		rows[count++] = (struct name_row){cells, record.cells};
		if (record.cells > out->width)
			out->width = record.cells;
	}
	out->named = count > 0;
	out->names = names_join(&walker, rows, count, out->width, arena, &changes);
	out->renamed = changes.empty + changes.twice;
	out->renamed_sample = changes.sample;
	out->body = walker.at;
	out->lines = count_lines(sample->head, walker.at, dialect->line_end);
	return true;
}
