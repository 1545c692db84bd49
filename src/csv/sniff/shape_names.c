/* A row of a sample as names: what it costs to take it for one of the header. */
#include "csv/sniff/shape_private.h"

#include <ctype.h>

#define NAME_FAULT_MAX	 (16 * CELL_BIT) /* for all empty names, or all repeated ones */
#define NAME_EMPTY	 (3 * CELL_BIT)
#define NAME_EMPTY_NEXT	 (1 * CELL_BIT)
#define NAME_TWICE	 (4 * CELL_BIT)
#define NAME_TWICE_NEXT	 (1 * CELL_BIT)
#define NAME_NUMBER	 (8 * CELL_BIT)
#define NAME_NUMBER_NEXT (2 * CELL_BIT) /* behind another one, both over columns without numbers */
#define NAME_TIME	 (5 * CELL_BIT)
#define NAME_TIME_NEXT	 (1 * CELL_BIT)	 /* behind two others: months, days */
#define NAME_LIKE_DATA	 (4 * CELL_BIT)	 /* all of the column are of that class */
#define NAME_LIKE_CODE	 (12 * CELL_BIT) /* a code of the column */
#define CODE_BYTES_MIN	 8
#define NAME_AGAIN	 (2 * CELL_BIT) /* the year of the cell before */
#define NAME_LONG	 (4 * CELL_BIT)
#define NAME_LONG_BYTES	 100
#define NAME_LONG_MAX	 (12 * CELL_BIT) /* for all of them: the questions of a survey */
#define NAME_MARK	 (8 * CELL_BIT)	 /* "**", "..": a value that is missing, and not a name */
/* A row below names that has a number, or a code, where all others have one, is one of them. */
#define NAME_NEXT_LIKE_DATA  (40 * CELL_BIT)
#define NAME_WITH_DIGIT	     43 /* one name in six or so has a digit */
#define NAME_WITHOUT_DIGIT   4
#define NAME_COUNTED	     (5 * CELL_BIT) /* one more than the name before: years, 1 2 3 4 */
#define NAME_COUNTED_MIN     4
#define NAME_YEARS_MIN	     2	/* of years, when the rows below do not count */
#define NAME_YEARS_APART_MIN 3	/* of years that are not one after the other */
#define FORM_CELLS	     50 /* that are looked at */
#define FORM_CELLS_MIN	     3
#define NAME_ROW_ODD	     (8 * CELL_BIT)

/* The number that a cell is, up to four digits, with blanks around it; -1 when it is not one. */
static int count_of(struct text text)
{
	int count = 0;

	while (text.size > 0 && text.data[0] == ' ')
		text = text_from(text.data + 1, text.size - 1);
	while (text.size > 0 && text.data[text.size - 1] == ' ')
		text.size--;
	if (text.size == 0 || text.size > 4)
		return -1;
	for (uint32_t i = 0; i < text.size; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		count = 10 * count + (text.data[i] - '0');
	}
	return count;
}

static bool is_year(int count)
{
	return count >= 1800 && count <= 2100;
}

bool shape_is_year(struct text text)
{
	return is_year(count_of(text));
}

static int count_in(const struct shaper *s, uint32_t row, uint32_t c)
{
	return count_of(grid_raw(s->grid, &grid_cells(s->grid, row)[c]));
}

/* Cells of a row that count up, or down: years, or 1 2 3 4. Empty ones may stand between them. */
struct counted {
	uint32_t first;
	uint32_t last;
	uint32_t cells; /* without the empty ones; 0: there are none */
	bool by_ones;	/* each is one more than the one before, or each is one less */
	bool up;
};

static bool counts_on(const struct counted *run, int before, int count)
{
	int change = count - before;
	bool by_one = change == 1 || change == -1;

	if (before < 0 || count < 0 || change == 0)
		return false;
	if (run->cells > 1 && run->up != (change > 0))
		return false;
	return (by_one && (run->cells < 2 || run->by_ones)) || (is_year(count) && is_year(before));
}

/* The longest of them. */
static struct counted counted_cells(const struct shaper *s, uint32_t row)
{
	const struct counted none = {0};
	struct counted longest = none, run = none;
	uint32_t last = 0;
	int before = -1;

	for (uint32_t c = 0; c < s->grid->rows[row].record.cells; c++) {
		int count = count_in(s, row, c);

		if (s->looks[s->grid->rows[row].first + c].class == CELL_EMPTY)
			continue;
		if (!counts_on(&run, before, count))
			run = counts_on(&none, before, count)
				      ? (struct counted){last, last, 1, true, count > before}
				      : (struct counted){c, c, count >= 0, true, false};
		if (run.last < c) {
			run.by_ones = run.by_ones && (count - before == 1 || before - count == 1);
			run.up = count > before;
			run.last = c;
			run.cells++;
		}
		last = c;
		before = count;
		if (run.cells > longest.cells)
			longest = run;
	}
	return longest;
}

/* Whether a row has years in all those cells. */
static bool has_years(const struct shaper *s, uint32_t row, const struct counted *counted)
{
	for (uint32_t c = counted->first; c <= counted->last; c++)
		if (c >= s->grid->rows[row].record.cells || !is_year(count_in(s, row, c)))
			return false;
	return true;
}

/* The row below counts in the same cells: then neither has names. */
static bool counts_below(const struct shaper *s, uint32_t next, const struct counted *counted)
{
	struct counted below = counted_cells(s, next);

	return below.cells >= counted->cells && below.first == counted->first;
}

/* Whether the cells that count up in a row are names: many of them, or years over other numbers. */
static bool counts_names(const struct shaper *s, uint32_t row, const struct counted *counted)
{
	uint32_t next = next_row(s->grid, row + 1);

	if (counted->by_ones && counted->cells >= NAME_COUNTED_MIN)
		return next == s->grid->row_count || !counts_below(s, next, counted);
	if (counted->cells < (counted->by_ones ? NAME_YEARS_MIN : NAME_YEARS_APART_MIN) ||
		!is_year(count_in(s, row, counted->first)) || next == s->grid->row_count)
		return false;
	if (counted->by_ones)
		return !counts_below(s, next, counted);
	for (uint32_t i = 0; i < FORM_CELLS_MIN && next < s->grid->row_count; i++) {
		if (has_years(s, next, counted))
			return false;
		next = next_row(s->grid, next + 1);
	}
	return true;
}

bool shape_is_like_data(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct column_stats *column = &s->columns[c];
	enum cell_class class = s->looks[s->grid->rows[row].first + c].class;
	uint32_t others = column->cells - (row >= s->body && row < s->end);

	return others > 0 && column->by_class[class] - (column->cells - others) == others;
}

static bool is_time(const struct shaper *s, uint32_t row, uint32_t c)
{
	return s->looks[s->grid->rows[row].first + c].class == CELL_TIME;
}

static bool is_mark(struct text text)
{
	for (uint32_t i = 0; i < text.size; i++)
		if (!strchr("*.:-_? ", text.data[i]))
			return false;
	return true;
}

/* The kinds of characters of two cells, one by one: "11-0000" and "13-2000" are codes. */
static bool same_form(struct text a, struct text b)
{
	for (uint32_t i = 0; i < a.size && i < b.size; i++) {
		bool digits = isdigit((unsigned char)a.data[i]) != 0;

		if (digits != (isdigit((unsigned char)b.data[i]) != 0) ||
			(!digits && !isalpha((unsigned char)a.data[i]) && a.data[i] != b.data[i]))
			return false;
	}
	return a.size == b.size;
}

/* Whether the cell, which has a digit, has the form of all cells below it that are not empty. */
static bool has_form_of_column(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct grid *grid = s->grid;
	struct text text = grid_raw(grid, &grid_cells(grid, row)[c]);
	uint32_t same = 0;

	for (uint32_t i = row + 1; i < s->end && same < FORM_CELLS; i++) {
		const struct grid_row *r = &grid->rows[i];

		if (is_skipped(r) || r->record.cells <= c ||
			s->looks[r->first + c].class == CELL_EMPTY)
			continue;
		if (!same_form(text, grid_raw(grid, &grid->cells[r->first + c])))
			return false;
		same++;
	}
	return same >= FORM_CELLS_MIN;
}

/* A long text of the very length of all cells below it, as those of most codes are. */
static bool has_length_of_column(const struct shaper *s, uint32_t row, uint32_t c)
{
	uint32_t size = grid_raw(s->grid, &grid_cells(s->grid, row)[c]).size, same = 0;

	if (size < CODE_BYTES_MIN)
		return false;
	for (uint32_t i = row + 1; i < s->end && same < FORM_CELLS; i++) {
		if (is_skipped(&s->grid->rows[i]) || is_cell_empty(s, i, c))
			continue;
		if (s->looks[s->grid->rows[i].first + c].class != CELL_TEXT ||
			grid_raw(s->grid, &grid_cells(s->grid, i)[c]).size != size)
			return false;
		same++;
	}
	return same >= FORM_CELLS_MIN;
}

uint32_t shape_out_of_form(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct grid *grid = s->grid;
	struct text text = grid_raw(grid, &grid_cells(grid, row)[c]), form = {0};
	uint32_t count = 0, shortest = UINT32_MAX, longest = 0;
	bool one_form = true;

	for (uint32_t i = s->body; i < s->end && count < FORM_CELLS; i++) {
		struct text other;

		if (i == row || is_skipped(&grid->rows[i]) || is_cell_empty(s, i, c))
			continue;
		other = grid_raw(grid, &grid_cells(grid, i)[c]);
		one_form = one_form && (count == 0 || same_form(form, other));
		shortest = other.size < shortest ? other.size : shortest;
		longest = other.size > longest ? other.size : longest;
		form = other;
		count++;
	}
	if (count < FORM_CELLS_MIN)
		return 0;
	return (one_form && !same_form(form, text)) || 2 * text.size <= shortest ||
			       text.size >= 2 * longest
		       ? count
		       : 0;
}

/* A year over numbers of which none may be one. */
static bool is_only_year(const struct shaper *s, uint32_t row, uint32_t c)
{
	bool counted = row >= s->body && row < s->end;

	return s->looks[s->grid->rows[row].first + c].class == CELL_NUMBER &&
	       is_year(count_in(s, row, c)) && s->columns[c].years == counted;
}

/* A value of its column: years and other cells that all are numbers may be names all the same. */
static bool is_row_of_data(const struct shaper *s, uint32_t row)
{
	const struct grid_row *r = &s->grid->rows[row];
	uint32_t texts = 0, typed = 0, values = 0;

	for (uint32_t c = 0; c < r->record.cells; c++) {
		enum cell_class class = s->looks[r->first + c].class;

		texts += class == CELL_TEXT;
		typed += class == CELL_NUMBER || class == CELL_TIME;
		if (class == CELL_NUMBER || class == CELL_TIME)
			values += shape_is_like_data(s, row, c) && !is_only_year(s, row, c);
		else if (class == CELL_TEXT &&
			 has_digit(grid_raw(s->grid, &s->grid->cells[r->first + c])))
			values += has_form_of_column(s, row, c);
	}
	return values > 0 && (texts > 0 ? typed < 2 : values == typed);
}

/* A number, where the rest of the column has none. */
static bool is_other_number(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct column_stats *column = &s->columns[c];
	bool counted = row >= s->body && row < s->end;

	return s->looks[s->grid->rows[row].first + c].class == CELL_NUMBER &&
	       column->by_class[CELL_NUMBER] == counted && column->by_class[CELL_TIME] == 0 &&
	       column->by_class[CELL_TEXT] > 0;
}

static int64_t name_cost(const struct shaper *s, uint32_t row, uint32_t c, bool is_first)
{
	const struct grid_row *r = &s->grid->rows[row];
	const struct cell_look *look = &s->looks[r->first + c];
	struct text text = grid_raw(s->grid, &s->grid->cells[r->first + c]);
	int64_t cost = content_cost(look);

	if (look->class == CELL_EMPTY)
		return 0;
	if (c > 0 && is_year(count_of(text)) &&
		same_text(text, grid_raw(s->grid, &s->grid->cells[r->first + c - 1])))
		return NAME_AGAIN;
	if (look->class == CELL_TIME && c > 1 && is_time(s, row, c - 1) && is_time(s, row, c - 2))
		return cost + NAME_TIME_NEXT;
	if (look->class != CELL_TEXT && shape_is_like_data(s, row, c) && !is_only_year(s, row, c))
		cost += NAME_LIKE_DATA;
	if (is_other_number(s, row, c) && c > 0 && is_other_number(s, row, c - 1))
		return cost + NAME_NUMBER_NEXT;
	if (look->class == CELL_NUMBER)
		return cost + NAME_NUMBER;
	if (look->class == CELL_TIME)
		return cost + NAME_TIME;
	if (has_length_of_column(s, row, c))
		cost += NAME_LIKE_CODE;
	/* Below names, a word for nothing is a value. */
	if (is_mark(text) || (!is_first && look->class == CELL_NULL))
		cost += NAME_MARK;
	return cost + (has_digit(text) ? NAME_WITH_DIGIT : NAME_WITHOUT_DIGIT);
}

int64_t shape_names_cost(const struct shaper *s, uint32_t row, bool is_first)
{
	uint32_t cells = s->grid->rows[row].record.cells;
	int64_t cost = cells == s->width ? 0 : NAME_ROW_ODD;
	/* A title, and not one name of many. */
	bool title = cells == 1 && s->width > 2 && is_apart(s, row + 1);
	struct counted counted = counted_cells(s, row);
	int64_t long_names = 0;

	cost += title ? NAME_ROWS_APART : 0;
	if (!is_first || !counts_names(s, row, &counted))
		counted.cells = 0;
	if (!is_first && is_row_of_data(s, row))
		cost += NAME_NEXT_LIKE_DATA;
	for (uint32_t c = 0; c < cells; c++) {
		bool counts = c > counted.first && c <= counted.last && counted.cells > 0 &&
			      s->looks[s->grid->rows[row].first + c].class != CELL_EMPTY;

		cost += counts ? NAME_COUNTED : name_cost(s, row, c, is_first);
		if (grid_raw(s->grid, &grid_cells(s->grid, row)[c]).size > NAME_LONG_BYTES)
			long_names += NAME_LONG;
	}
	/* Long texts below names are answers, and not questions. */
	if (is_first && long_names > NAME_LONG_MAX)
		long_names = NAME_LONG_MAX;
	return cost + long_names;
}

/* The part of column c's name that a row has; but in the last one, a name may span columns. */
static struct text name_part(const struct shaper *s, uint32_t row, uint32_t last, uint32_t c)
{
	const struct grid_row *r = &s->grid->rows[row];

	if (c >= r->record.cells)
		return (struct text){0};
	while (row < last && c > 0 && s->looks[r->first + c].class == CELL_EMPTY)
		c--;
	return grid_raw(s->grid, &s->grid->cells[r->first + c]);
}

static bool same_name(const struct shaper *s, uint32_t first, uint32_t last, uint32_t a, uint32_t b)
{
	for (uint32_t row = first; row <= last; row++)
		if (!same_text(name_part(s, row, last, a), name_part(s, row, last, b)))
			return false;
	return true;
}

int64_t shape_name_faults(const struct shaper *s, uint32_t first, uint32_t last)
{
	int64_t empty = 0, twice = 0;

	for (uint32_t c = 0; c < s->width; c++) {
		bool none = true;

		for (uint32_t row = first; none && row <= last; row++)
			none = name_part(s, row, last, c).size == 0;
		if (none)
			empty += empty ? NAME_EMPTY_NEXT : NAME_EMPTY;
		for (uint32_t d = 0; !none && twice < NAME_FAULT_MAX && d < c; d++) {
			if (!same_name(s, first, last, c, d))
				continue;
			twice += twice ? NAME_TWICE_NEXT : NAME_TWICE;
			break;
		}
	}
	return (empty < NAME_FAULT_MAX ? empty : NAME_FAULT_MAX) +
	       (twice < NAME_FAULT_MAX ? twice : NAME_FAULT_MAX);
}
