#include "csv/sniff/shape.h"

#include "base/memory.h"
#include "csv/sniff/shape_private.h"

#include <math.h>
#include <stdlib.h>

#define NO_HEADER_PRIOR	 (4 * CELL_BIT)
#define SECOND_ROW_PRIOR (8 * CELL_BIT)
#define NAME_UNFOUNDED \
	(40 * CELL_BIT) /* below names of all columns, and above cells like its own */
#define NAME_HEADING	 (40 * CELL_BIT) /* below names that begin with one themselves */
#define NO_DATA		 (40 * CELL_BIT) /* several rows of preamble and header, and nothing else */
#define PREAMBLE_FIRST	 (6 * CELL_BIT)
#define PREAMBLE_NEXT	 (2 * CELL_BIT)
#define PREAMBLE_CELL	 (4 * CELL_BIT)	 /* every cell behind the first that is filled */
#define PREAMBLE_TYPED	 (3 * CELL_BIT)	 /* a number or a date */
#define PREAMBLE_FULL	 (12 * CELL_BIT) /* a line that has all cells of a row */
#define PREAMBLE_ONLY	 (16 * CELL_BIT) /* there is no header behind it */
#define NOTHING		 (6 * CELL_BIT)	 /* rows of data with nothing in them */
#define VALUE_AGAIN	 (10 * CELL_BIT) /* saved by text that stands in the column again */
#define OVER_VALUES_MIN	 3
#define OUT_OF_FORM_ROWS 8 /* of the sample may be names of columns whose values have a form */
#define FOOTER_FIRST	 (8 * CELL_BIT)
#define FOOTER_NEXT	 (1 * CELL_BIT)
#define FOOTER_SHORT \
	(6 * CELL_BIT) /* as wide as the table, and no longer than values of its column */
#define FOOTER_APART (6 * CELL_BIT) /* a blank line stands before it */
/* Lines at an edge have text where no other row has any. */
#define STRANGE_TEXT (40 * CELL_BIT)

/* What a row costs as this or that. */
struct row_cost {
	int64_t preamble;
	int64_t header;
	int64_t header_next; /* not its first row */
	int64_t data;
	int64_t data_on; /* of it and all rows of the top behind it */
};

/* One way to cut the top. */
struct cut {
	uint32_t first;
	uint32_t header_rows;
	uint32_t body;
	int64_t cost;
};

/* -- A row as data -- */

static uint32_t odd_kind(const struct shaper *s, uint32_t row)
{
	uint32_t cells = s->grid->rows[row].record.cells;

	return cells == s->width ? 0 : cells < s->width ? 1 : 2;
}

/* Adds a row to the data, or with -1 takes it out again. */
static void count_row(struct shaper *s, uint32_t row, int sign)
{
	const struct grid_row *r = &s->grid->rows[row];

	s->rows += (uint32_t)sign;
	s->odd[odd_kind(s, row)] += (uint32_t)sign;
	for (uint32_t c = 0; c < r->record.cells; c++) {
		enum cell_class class = s->looks[r->first + c].class;
		struct column_stats *column = &s->columns[c];
		struct text text = grid_raw(s->grid, &s->grid->cells[r->first + c]);

		column->cells += (uint32_t)sign;
		column->by_class[class] += (uint32_t)sign;
		if (class == CELL_TEXT && has_digit(text))
			column->digits += (uint32_t)sign;
		if (class == CELL_NUMBER && shape_is_year(text))
			column->years += (uint32_t)sign;
	}
	for (uint32_t c = r->record.cells; c < s->width; c++) {
		s->columns[c].cells += (uint32_t)sign;
		s->columns[c].by_class[CELL_EMPTY] += (uint32_t)sign;
	}
}

static void count_rows(struct shaper *s, uint32_t body, uint32_t end)
{
	memset(s->columns, 0, s->column_count * sizeof(*s->columns));
	memset(s->odd, 0, sizeof(s->odd));
	s->rows = 0;
	s->body = body;
	s->end = end;
	for (uint32_t i = body; i < end; i++)
		if (!is_skipped(&s->grid->rows[i]) && !is_empty(s, i))
			count_row(s, i, 1);
	shape_find_inner(s);
}

static bool same_record(const struct grid *grid, uint32_t a, uint32_t b)
{
	const struct csv_record *x = &grid->rows[a].record, *y = &grid->rows[b].record;

	return x->end - x->start == y->end - y->start &&
	       memcmp(grid->walker.data + x->start, grid->walker.data + y->start,
		       x->end - x->start) == 0;
}

/* Whether the row has text where most have numbers, or dates. */
static bool may_be_names(const struct shaper *s, uint32_t row)
{
	const struct grid_row *r = &s->grid->rows[row];

	for (uint32_t c = 0; c < r->record.cells; c++) {
		const struct column_stats *column = &s->columns[c];

		if (s->looks[r->first + c].class == CELL_TEXT &&
			2 * (column->by_class[CELL_NUMBER] + column->by_class[CELL_TIME]) >
				column->cells)
			return true;
	}
	return false;
}

/*
 * Whether the text stands in another row of the column; a header that is repeated does not count,
 * nor does that of another table.
 */
static bool stands_again(const struct shaper *s, uint32_t row, uint32_t column)
{
	const struct grid *grid = s->grid;
	struct text text = grid_raw(grid, &grid_cells(grid, row)[column]);

	for (uint32_t i = s->body; i < s->end; i++)
		if (i != row && grid->rows[i].record.cells > column &&
			same_text(text, grid_raw(grid, &grid_cells(grid, i)[column])) &&
			!(s->width > 1 && same_record(grid, row, i)) &&
			!(may_be_names(s, row) && may_be_names(s, i)))
			return true;
	return false;
}

/* What it takes to tell a cell to one who knows the column; the row is not part of the data. */
static int64_t data_cell_cost(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct grid_row *r = &s->grid->rows[row];
	const struct cell_look *look = &s->looks[r->first + c];
	const struct column_stats *column = &s->columns[c];
	struct text text = grid_raw(s->grid, &s->grid->cells[r->first + c]);
	uint32_t texts = column->by_class[CELL_TEXT], out_of_form;
	int64_t cost;

	if (look->class == CELL_EMPTY)
		return 0; /* shape_gaps_cost */
	cost = shape_bits(column->by_class[look->class], column->cells, CELL_CLASS_COUNT - 1);
	if (look->class == CELL_NUMBER && column->years == 0 && shape_is_year(text))
		cost += shape_bits(0, column->by_class[CELL_NUMBER], 2);
	if (look->class != CELL_TEXT)
		return cost + content_cost(look);
	out_of_form = row < OUT_OF_FORM_ROWS ? shape_out_of_form(s, row, c) : 0;
	if (out_of_form > 0)
		cost += shape_bits(0, out_of_form, 2);
	if (has_digit(text))
		cost += shape_bits(column->digits, texts, 2);
	else
		cost += shape_bits(texts - column->digits, texts, 2);
	if (stands_again(s, row, c))
		cost -= VALUE_AGAIN < look->text ? VALUE_AGAIN : look->text;
	return cost + look->text;
}

static int64_t data_row_cost(struct shaper *s, uint32_t row, bool from_above)
{
	bool counted = row >= s->body && row < s->end;
	int64_t cost;

	if (is_empty(s, row))
		return row > 0 && is_empty(s, row - 1) ? 0 : NOTHING;
	if (counted)
		count_row(s, row, -1);
	cost = shape_bits(s->odd[odd_kind(s, row)], s->rows, 3) +
	       shape_gaps_cost(s, row, from_above);
	for (uint32_t c = 0; c < s->grid->rows[row].record.cells; c++)
		cost += data_cell_cost(s, row, c);
	if (counted)
		count_row(s, row, 1);
	return cost;
}

/* Whether a row has little more in it than a text at its start. */
static bool begins_with_text(const struct shaper *s, uint32_t row)
{
	const struct grid_row *r = &s->grid->rows[row];
	uint32_t last, filled = filled_cells(s, row, &last);

	return s->width > 2 && r->record.cells > 0 && r->record.cells < s->width &&
	       (filled == 1 || filled < s->width / 2) && s->looks[r->first].class == CELL_TEXT;
}

/* A line that is likely to be a comment, before it is known how comments begin. */
static bool may_be_comment(const struct shaper *s, uint32_t row)
{
	const struct csv_record *record = &s->grid->rows[row].record;
	const char *text = s->grid->walker.data + record->start;
	size_t size = record->end - record->start;

	return record->cells < s->width && size >= 2 &&
	       (strchr("#%!", text[0]) || memcmp(text, "//", 2) == 0 || memcmp(text, "--", 2) == 0);
}

/* How many of the rows from..to have a text in their first column. */
static uint32_t first_texts(const struct shaper *s, uint32_t from, uint32_t to)
{
	uint32_t count = 0;

	for (uint32_t i = from; i < to; i++) {
		const struct grid_row *r = &s->grid->rows[i];

		if (!is_skipped(r) && r->record.cells > 0 && !is_empty(s, i) &&
			!may_be_comment(s, i))
			count += s->looks[r->first].class == CELL_TEXT;
	}
	return count;
}

/* -- The top -- */

/* A comma and a space: the cell is the rest of a sentence. */
static bool continues_text(const struct shaper *s, const struct csv_cell *cell)
{
	return !s->grid->walker.dialect->trim && !cell->quoted && cell->end > cell->start &&
	       s->grid->walker.data[cell->start] == ' ';
}

/* A line before the table, or behind it; `apart`: nothing stands between it and the table. */
static int64_t preamble_row_cost(const struct shaper *s, uint32_t row, bool apart)
{
	const struct grid_row *r = &s->grid->rows[row];
	uint32_t last, filled = filled_cells(s, row, &last), sentences = 0;
	int64_t cost = 0;

	for (uint32_t c = 0; c < r->record.cells; c++) {
		const struct cell_look *look = &s->looks[r->first + c];

		if (look->class == CELL_EMPTY)
			continue;
		cost += content_cost(look);
		if (c > 0 && continues_text(s, &s->grid->cells[r->first + c]))
			sentences++;
		else if (look->class != CELL_TEXT)
			cost += PREAMBLE_TYPED;
	}
	if (filled > sentences + 1)
		cost += (int64_t)(filled - sentences - 1) * PREAMBLE_CELL;
	if (filled >= 2 && filled == s->width && !apart)
		cost += PREAMBLE_FULL;
	return cost;
}

/* Of the rows up to `top`; behind them there is one that costs nothing. */
static void row_costs(struct shaper *s, struct row_cost *costs, uint32_t top)
{
	costs[top] = (struct row_cost){0};
	for (uint32_t i = top; i-- > 0;) {
		costs[i] = (struct row_cost){.data_on = costs[i + 1].data_on};
		if (is_skipped(&s->grid->rows[i]))
			continue;
		costs[i].preamble = preamble_row_cost(s, i, is_apart(s, i + 1));
		costs[i].header = shape_names_cost(s, i, true);
		costs[i].header_next = shape_names_cost(s, i, false);
		costs[i].data = data_row_cost(s, i, false);
		costs[i].data_on += costs[i].data;
	}
}

static bool any_filled(const struct shaper *s, uint32_t from)
{
	for (uint32_t i = from; i < s->grid->row_count; i++)
		if (!is_skipped(&s->grid->rows[i]) && !is_empty(s, i))
			return true;
	return false;
}

/* A text in the first column and nothing else: what the rows below have in common, and no names. */
static bool is_heading(const struct shaper *s, uint32_t row)
{
	uint32_t last;

	return s->width > 2 && filled_cells(s, row, &last) == 1 && last == 1;
}

/* Every column has a name of its own already. */
static bool is_named(const struct shaper *s, uint32_t row)
{
	const struct grid_row *r = &s->grid->rows[row];

	for (uint32_t c = 0; c < s->width; c++)
		if (is_cell_empty(s, row, c) ||
			(c > 0 && same_text(grid_raw(s->grid, &s->grid->cells[r->first + c]),
					  grid_raw(s->grid, &s->grid->cells[r->first + c - 1]))))
			return false;
	return true;
}

/* The cheapest header that begins at row `first`, behind a preamble that costs `before`. */
static struct cut best_header(const struct shaper *s, const struct row_cost *costs, uint32_t top,
	uint32_t first, int64_t before)
{
	const struct csv_dialect *dialect = s->grid->walker.dialect;
	struct cut best = {.cost = INT64_MAX};
	int64_t cost = before;
	uint32_t row = first, last = first;

	for (uint32_t rows = 1; row < top && rows <= CSV_HEADER_MAX; rows++) {
		bool nothing = is_empty(s, row);
		int64_t total;

		cost += rows == 1 ? costs[row].header : costs[row].header_next;
		if (rows > 1)
			cost += nothing ? CELL_BIT : SECOND_ROW_PRIOR;
		if (rows > 1 && may_be_comment(s, row))
			break;
		if (rows > 1 && row > last + 1)
			cost += NAME_ROWS_APART;
		if (rows > 1 && is_named(s, first) && !may_be_names(s, row))
			cost += NAME_UNFOUNDED;
		if (rows > 1 && is_heading(s, row) && !is_cell_empty(s, first, 0))
			cost += NAME_HEADING;
		last = row;
		row = next_row(s->grid, row + 1);
		total = cost + costs[row < top ? row : top].data_on;
		if ((rows > 1 || before > 0) && !any_filled(s, row))
			total += NO_DATA;
		if (dialect->given & CSV_GIVEN_HEADER ? rows != dialect->header_rows
						      : nothing || total >= best.cost)
			continue;
		total += shape_name_faults(s, first, last);
		if (total < best.cost)
			best = (struct cut){first, rows, row, total};
	}
	return best;
}

/* The cheapest cut with a header, or without one. */
static struct cut best_cut(
	const struct shaper *s, const struct row_cost *costs, uint32_t top, bool with_header)
{
	const struct csv_dialect *dialect = s->grid->walker.dialect;
	struct cut best = {.cost = INT64_MAX};
	int64_t before = 0;
	uint32_t lines = 0;
	bool texts = true; /* the lines begin with text, and have hardly more */

	if ((dialect->given & CSV_GIVEN_HEADER) && with_header != (dialect->header_rows > 0))
		return best;
	for (uint32_t first = 0; first < top; first++) {
		struct cut cut = {.first = first, .body = first, .cost = before};

		if (is_skipped(&s->grid->rows[first]))
			continue;
		/* A table has something in it. */
		if (best.cost < INT64_MAX && !any_filled(s, first))
			break;
		if (with_header) {
			cut = best_header(s, costs, top, first, before);
		} else {
			cut.cost += NO_HEADER_PRIOR + (lines ? PREAMBLE_ONLY : 0) +
				    costs[first].data_on;
			if (lines && texts && first_texts(s, first, s->end) == 0)
				cut.cost -= STRANGE_TEXT;
		}
		if (cut.cost < best.cost)
			best = cut;
		before += costs[first].preamble;
		texts = texts && (is_empty(s, first) || begins_with_text(s, first));
		if ((dialect->given & CSV_GIVEN_SKIP) || before >= best.cost)
			break;
		if (!is_empty(s, first))
			before += lines++ ? PREAMBLE_NEXT : PREAMBLE_FIRST;
	}
	return best;
}

/* -- The bottom -- */

/* Whether a row may be a line behind the table at all: it has hardly anything in it. */
static bool may_be_footer(const struct shaper *s, uint32_t row)
{
	uint32_t filled, last;

	if (is_skipped(&s->grid->rows[row]))
		return true;
	if (s->grid->rows[row].record.unclosed || s->grid->rows[row].record.malformed)
		return false;
	filled = filled_cells(s, row, &last);
	if (filled == 0)
		return true;
	/* A number where all rows have one begins a record that has nothing else, or was cut off. */
	if (s->looks[s->grid->rows[row].first].class != CELL_TEXT && shape_is_like_data(s, row, 0))
		return false;
	return s->grid->rows[row].record.cells < s->width ||
	       (s->width > 1 && filled == 1 && last == 1);
}

/* Of the values in the first column, in rows that are no lines behind the table. */
static uint32_t longest_first(const struct shaper *s)
{
	uint32_t longest = 0;

	for (uint32_t i = s->inner; i < s->inner_end; i++)
		if (!may_be_footer(s, i) && !is_cell_empty(s, i, 0)) {
			struct text text = grid_raw(s->grid, grid_cells(s->grid, i));

			longest = text.size > longest ? text.size : longest;
		}
	return longest;
}

static uint32_t find_end(struct shaper *s, uint32_t body)
{
	uint32_t end = s->grid->row_count, best = end, rows = 0;
	uint32_t longest = longest_first(s);
	int64_t gain = 0, gain_best = 0, strange = 0;
	bool texts = true;

	for (uint32_t i = end; i-- > body + 1 && rows < SHAPE_BOTTOM_ROWS;) {
		if (!may_be_footer(s, i))
			break;
		if (is_skipped(&s->grid->rows[i]))
			continue;
		if (is_empty(s, i)) {
			gain += CELL_BIT; /* a row of nothing is nothing */
		} else {
			gain += data_row_cost(s, i, true) - preamble_row_cost(s, i, false) -
				(rows++ ? FOOTER_NEXT : FOOTER_FIRST);
			if (s->grid->rows[i].record.cells >= s->width &&
				grid_raw(s->grid, grid_cells(s->grid, i)).size <= longest)
				gain -= FOOTER_SHORT;
			if (s->grid->rows[i - 1].record.blank || is_empty(s, i - 1))
				gain += FOOTER_APART;
		}
		if (!is_empty(s, i)) {
			texts = texts && begins_with_text(s, i);
			strange = texts && first_texts(s, body, i) == 0 ? STRANGE_TEXT : 0;
		}
		if (gain + strange > gain_best) {
			gain_best = gain + strange;
			best = i;
		}
	}
	return best;
}

/* -- Comments -- */

/* The mark of lines that are not part of the table: never in front of a whole row. */
static void find_comment(const struct shaper *s, struct shape *shape)
{
	static const char *const marks[] = {"#", "%", "//", "--", "!"};
	const struct grid *grid = s->grid;

	for (size_t m = 0; m < sizeof(marks) / sizeof(marks[0]); m++) {
		uint32_t inside = 0, before = 0, whole = 0, marked = 0;
		size_t size = strlen(marks[m]);

		for (uint32_t i = 0; i < shape->end; i++) {
			const struct csv_record *record = &grid->rows[i].record;

			if (record->end - record->start < size ||
				memcmp(grid->walker.data + record->start, marks[m], size) != 0)
				continue;
			before += i < shape->first;
			marked += i >= shape->body;
			whole += i >= shape->body && record->cells == s->width && s->width > 1;
			inside += i >= shape->body && record->cells != s->width;
		}
		/* Where no value of the first column can look like it, the preamble will do. */
		if (before > 0 && s->columns[0].by_class[CELL_TEXT] <= marked)
			inside++;
		/* A comma in a comment makes it look like a row, but for where it has text. */
		if (inside > 0 && s->rows >= 2 * marked &&
			s->columns[0].by_class[CELL_TEXT] <= marked)
			whole = 0;
		if (inside > 0 && whole == 0) {
			memcpy(shape->comment, marks[m], size + 1);
			return;
		}
	}
}

/* -- All together -- */

static uint32_t table_width(const struct shaper *s, const struct shape *shape)
{
	const struct csv_dialect *dialect = s->grid->walker.dialect;
	/* Who wants rows cut, or rejected, wants the columns that have names, or that most have. */
	bool fixed = (dialect->given & CSV_GIVEN_RAGGED) && dialect->ragged != CSV_RAGGED_PAD;
	uint32_t end = fixed && shape->header_rows > 0 ? shape->body : shape->end;
	uint32_t width = 0;

	if (fixed && shape->header_rows == 0)
		return s->width;
	for (uint32_t i = shape->first; i < end; i++) {
		uint32_t last;

		if (is_skipped(&s->grid->rows[i]))
			continue;
		/* Quotes that do not fit say nothing of where cells end. */
		if (i >= shape->body &&
			(s->grid->rows[i].record.malformed || s->grid->rows[i].record.unclosed))
			continue;
		filled_cells(s, i, &last);
		if (i < shape->body)
			last = s->grid->rows[i].record.cells;
		if (last > width)
			width = last;
	}
	/* Without names, an empty column at the end is still one. */
	return shape->header_rows == 0 && s->width > width ? s->width : width;
}

static void look_at_cells(struct shaper *s)
{
	const struct grid *grid = s->grid;

	for (uint32_t i = 0; i < grid->cell_count; i++) {
		struct text text = grid_raw(grid, &grid->cells[i]);

		s->looks[i] = cell_look(text.data, text.size);
	}
	for (uint32_t i = 0; i < grid->row_count; i++)
		if (grid->rows[i].record.cells > s->column_count)
			s->column_count = grid->rows[i].record.cells;
}

/* A text over a column of nothing but numbers or dates: whatever else the row looks like, it may be names. */
static bool is_over_values(const struct shaper *s, uint32_t row)
{
	const struct grid_row *r = &s->grid->rows[row];

	if (s->rows <= OVER_VALUES_MIN)
		return false;
	for (uint32_t c = 0; c < r->record.cells; c++) {
		const struct column_stats *column = &s->columns[c];

		if (s->looks[r->first + c].class == CELL_TEXT &&
			(column->by_class[CELL_NUMBER] + 1 == column->cells ||
				column->by_class[CELL_TIME] + 1 == column->cells))
			return true;
	}
	return false;
}

/* Cells of most rows that are taken for data: lines before a short table may be more than it has. */
static uint32_t data_width(const struct shaper *s, const struct shape *shape, uint32_t usual)
{
	uint32_t most = usual > s->column_count ? usual : s->column_count;
	uint32_t *counters = memory_zalloc((most + 1) * sizeof(*counters));

	for (uint32_t i = shape->body; i < shape->end; i++)
		if (!is_skipped(&s->grid->rows[i]) && !is_empty(s, i) && !may_be_comment(s, i))
			counters[s->grid->rows[i].record.cells]++;
	for (uint32_t width = 1; width <= s->column_count; width++)
		if (counters[width] > counters[usual])
			usual = width;
	free(counters);
	return usual;
}

/* One answer, by what the last one took for data. */
static void shape_turn(
	struct shaper *s, struct row_cost *costs, uint32_t top, bool whole, struct shape *shape)
{
	const struct csv_dialect *dialect = s->grid->walker.dialect;
	struct cut with, without;
	const struct cut *cut;

	count_rows(s, shape->body, shape->end);
	row_costs(s, costs, top);
	with = best_cut(s, costs, top, true);
	without = best_cut(s, costs, top, false);
	cut = with.cost <= without.cost ? &with : &without;
	if (cut->cost == INT64_MAX)
		return;
	shape->first = cut->first;
	shape->header_rows = cut->header_rows;
	shape->body = cut->body;
	shape->header_doubt = with.cost == INT64_MAX || without.cost == INT64_MAX
				      ? INT64_MAX
				      : llabs(with.cost - without.cost);
	if (cut == &without && !(dialect->given & CSV_GIVEN_HEADER) && cut->first < top &&
		shape->body == cut->first && s->width > 1 && is_over_values(s, cut->first))
		shape->header_doubt = 0;
	count_rows(s, shape->body, s->grid->row_count);
	if (whole && !(dialect->given & CSV_GIVEN_FOOTER))
		shape->end = find_end(s, shape->body);
}

struct shape shape_of(const struct grid *grid, uint32_t usual_width, bool whole)
{
	uint32_t top = grid->row_count < SHAPE_TOP_ROWS ? grid->row_count : SHAPE_TOP_ROWS;
	struct shaper s = {.grid = grid, .width = usual_width};
	struct shape shape = {.end = grid->row_count};
	struct row_cost *costs = memory_alloc((top + 1) * sizeof(*costs));

	s.looks = memory_alloc((grid->cell_count + 1) * sizeof(*s.looks));
	look_at_cells(&s);
	s.columns = memory_zalloc((s.column_count + 1) * sizeof(*s.columns));
	/* At first all rows are taken for data, then those that the answer before says are. */
	for (int turn = 0; turn < 3; turn++) {
		if (turn > 0)
			s.width = data_width(&s, &shape, usual_width);
		shape_turn(&s, costs, top, whole, &shape);
	}
	count_rows(&s, shape.body, shape.end);
	find_comment(&s, &shape);
	shape.width = table_width(&s, &shape);
	free(costs);
	free(s.looks);
	free(s.columns);
	return shape;
}
