#include "csv/sniff/score.h"

#include "base/memory.h"
#include "csv/sniff/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COST_OTHER_CLASS (4 * CELL_BIT) /* a cell that is not what its column is */
#define COST_OTHER_WIDTH (8 * CELL_BIT) /* a row as wide as some others, not as most */
#define COST_ONE_COLUMN	 (16 * CELL_BIT)
#define COST_ODD_ROW	 (12 * CELL_BIT) /* a row as wide as hardly any */
#define COST_ODD_MARK	 (4 * CELL_BIT)	 /* each delimiter in it: what separates is not sure */
#define COST_MANY_ODD \
	(12 * CELL_BIT) /* the same, when most rows are odd: what separates is not known at all */
#define COST_NOTHING	 (6 * CELL_BIT) /* a column that is always empty */
#define COST_MALFORMED	 (16 * CELL_BIT)
#define COST_UNCLOSED	 (40 * CELL_BIT)
#define COST_TAKEN_APART (32 * CELL_BIT) /* a double quote opens a cell, and another closes one */
#define COST_UNREAD	 (CELL_BIT / 16) /* a byte of a record that is cut off, beside what text costs */
#define COST_UNREAD_MAX	 (64 * CELL_BIT)
#define COST_BACKSLASH \
	(8 * CELL_BIT) /* with which a line ends: it makes the line end text, most often */
#define WIDTH_MAX 4096

/* What the cells of a column cost, by what one takes the column for. */
struct column_cost {
	uint32_t cells;
	uint32_t empty;
	int64_t as[CELL_CLASS_COUNT]; /* NUMBER, TIME and TEXT are used */
};

static void column_add(struct column_cost *column, struct cell_look look)
{
	column->cells++;
	if (look.class == CELL_EMPTY) {
		column->empty++;
		return;
	}
	column->as[CELL_TEXT] += look.text;
	for (int class = CELL_NUMBER; class <= CELL_TIME; class ++)
		column->as[class] +=
			look.class == (enum cell_class) class || look.class == CELL_NULL
				? look.typed
				: look.text + COST_OTHER_CLASS;
}

/* Which ones of so many, at the cost of a coin that falls that often. */
static int64_t coin_cost(uint32_t count, uint32_t all)
{
	double share = (double)count / all;

	if (count == 0 || count == all)
		return 0;
	return (int64_t)(-(double)CELL_BIT * all *
			 (share * log2(share) + (1 - share) * log2(1 - share)));
}

static int64_t empty_cost(const struct column_cost *column)
{
	if (column->empty == column->cells)
		return COST_NOTHING;
	return coin_cost(column->empty, column->cells);
}

static int64_t column_total(const struct column_cost *column)
{
	int64_t best = column->as[CELL_TEXT];

	if (column->cells == 0)
		return 0;
	for (int class = CELL_NUMBER; class <= CELL_TIME; class ++)
		if (column->as[class] < best)
			best = column->as[class];
	return best + empty_cost(column);
}

static bool is_marked(const struct grid *grid, const struct grid_row *row)
{
	return grid->walker.data[row->record.start] == '#';
}

/* Lines that may be comments, unless hardly any are not: they cost the same in all readings that see lines in them. */
static bool has_comments(const struct grid *grid)
{
	uint32_t plain = 0;

	for (uint32_t i = 0; i < grid->row_count; i++)
		plain += !is_marked(grid, &grid->rows[i]);
	return plain >= 2 && 4 * plain >= grid->row_count;
}

static bool counts(const struct grid *grid, const struct grid_row *row, bool comments)
{
	return !row->record.comment && !row->record.blank && !(comments && is_marked(grid, row));
}

/* How many rows have which number of cells. */
struct widths {
	uint32_t rows;
	uint32_t usual;	   /* what most of them have; the greater one of two */
	uint32_t greatest; /* more than WIDTH_MAX count as that */
	uint32_t odd;	   /* rows that are as wide as hardly any */
	uint32_t counters[WIDTH_MAX + 1];
};

/* One in ten rows is as wide, and so it is not by chance. */
static bool is_regular(const struct widths *widths, uint32_t width)
{
	uint32_t count = widths->counters[width < WIDTH_MAX ? width : WIDTH_MAX];

	return width == widths->usual || (count > 1 && 10 * count >= widths->rows);
}

static struct widths *count_widths(const struct grid *grid, bool comments)
{
	struct widths *widths = memory_zalloc(sizeof(*widths));

	for (uint32_t i = 0; i < grid->row_count; i++) {
		uint32_t width = grid->rows[i].record.cells;

		if (!counts(grid, &grid->rows[i], comments))
			continue;
		widths->counters[width < WIDTH_MAX ? width : WIDTH_MAX]++;
		widths->rows++;
		if (width > widths->greatest)
			widths->greatest = width;
	}
	for (uint32_t width = 1; width <= WIDTH_MAX; width++)
		if (widths->counters[width] > 0 &&
			widths->counters[width] >= widths->counters[widths->usual])
			widths->usual = width;
	for (uint32_t width = 1; width <= WIDTH_MAX; width++)
		widths->odd += is_regular(widths, width) ? 0 : widths->counters[width];
	return widths;
}

/* Of a line that may be a comment; those that the dialect knows for comments are none of the table. */
static int64_t line_cost(const struct grid *grid, const struct csv_record *record)
{
	if (record->blank || record->comment)
		return 0;
	return cell_look(grid->walker.data + record->start, record->end - record->start).text;
}

static int64_t malformed_cost(const struct grid *grid, struct score *score)
{
	int64_t cost = 0;

	for (uint32_t i = 0; i < grid->row_count; i++) {
		score->malformed += grid->rows[i].record.malformed;
		cost += grid->rows[i].record.malformed ? COST_MALFORMED : 0;
		cost += grid->rows[i].record.unclosed ? COST_UNCLOSED : 0;
	}
	return cost;
}

/* What it costs that a row is as wide as it is. */
static int64_t width_cost(const struct widths *widths, uint32_t width, struct score *score)
{
	int64_t cost = width == 1 ? COST_ONE_CELL : 0;

	score->marks += width - 1;
	if (width == widths->usual)
		return cost;
	score->odd++;
	if (is_regular(widths, width))
		return cost + COST_OTHER_WIDTH;
	return cost + COST_ODD_ROW +
	       (int64_t)(width - 1) *
		       (4 * widths->odd > 3 * widths->rows ? COST_MANY_ODD : COST_ODD_MARK);
}

/* An escaped one at the end are two, and of a line end that is escaped the record goes on. */
static bool ends_in_backslash(const struct grid *grid, const struct csv_cell *cell)
{
	struct text text = grid_raw(grid, cell);

	return !cell->quoted && text.size > 0 && text.data[text.size - 1] == '\\' &&
	       (text.size == 1 || text.data[text.size - 2] != '\\');
}

/* It is text, for all that is known: what it would cost in cells of numbers nobody can say. */
static int64_t unread_cost(const struct grid *grid, size_t unread)
{
	int64_t extra = (int64_t)unread * COST_UNREAD;

	if (unread == 0)
		return 0;
	return cell_look(grid->walker.data + grid->end, unread).text +
	       (extra < COST_UNREAD_MAX ? extra : COST_UNREAD_MAX);
}

/*
 * In a reading to which double quotes are none: the cell has the first half of a pair, or the second, whose other half is
 * in another cell; not: say "so".
 */
static void count_halves(const struct grid *grid, struct text text, uint32_t halves[2])
{
	bool odd = false, first, second;

	if (grid->walker.dialect->quote == '"' || text.size < 2)
		return;
	first = text.data[0] == '"';
	second = text.data[text.size - 1] == '"';
	if (first == second)
		return;
	for (uint32_t i = 0; i < text.size; i++)
		odd ^= text.data[i] == '"';
	halves[0] += odd && first;
	halves[1] += odd && second;
}

/* A space behind the delimiter, which is no part of the cell. */
static bool is_behind_space(const struct grid *grid, const struct csv_cell *cell)
{
	uint32_t start = cell->start - cell->quoted;

	return start > 0 && grid->walker.data[start - 1] == ' ';
}

struct score score_grid(const struct grid *grid, size_t size)
{
	const struct csv_dialect *dialect = grid->walker.dialect;
	bool comments = has_comments(grid);
	/* Of delimiters with spaces behind them: whether there was one, each time. */
	bool spaces = dialect->trim && !dialect->framed && dialect->delimiter[0] != ' ';
	uint32_t behind = 0, spaced = 0, halves[2] = {0};
	struct widths *widths = count_widths(grid, comments);
	struct score score = {
		.width = widths->usual, .rows = widths->rows, .unread = size - grid->end};
	struct column_cost *columns = memory_zalloc((widths->greatest + 1) * sizeof(*columns));

	score.cost = malformed_cost(grid, &score) + unread_cost(grid, score.unread);
	for (uint32_t i = 0; i < grid->row_count; i++) {
		const struct csv_cell *cells = grid_cells(grid, i);
		uint32_t width = grid->rows[i].record.cells;

		if (!counts(grid, &grid->rows[i], comments)) {
			score.cost += line_cost(grid, &grid->rows[i].record);
			continue;
		}
		score.cost += width_cost(widths, width, &score);
		score.cost += ends_in_backslash(grid, &cells[width - 1]) ? COST_BACKSLASH : 0;
		for (uint32_t c = 0; c < width; c++) {
			struct text text = grid_raw(grid, &cells[c]);

			count_halves(grid, text, halves);
			if (spaces && c > 0 && text.size > 0) {
				behind++;
				spaced += is_behind_space(grid, &cells[c]);
			}
			column_add(&columns[c], cell_look(text.data, text.size));
		}
	}
	for (uint32_t c = 0; c < widths->greatest; c++)
		score.cost += column_total(&columns[c]);
	score.taken_apart = halves[0] < halves[1] ? halves[0] : halves[1];
	score.cost += (int64_t)score.taken_apart * COST_TAKEN_APART + coin_cost(spaced, behind);
	score.cost += widths->usual == 1 ? COST_ONE_COLUMN : 0;
	free(columns);
	free(widths);
	return score;
}
