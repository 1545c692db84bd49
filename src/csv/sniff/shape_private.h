/* What shape.c and shape_names.c know of a sample: its cells, and which rows are taken for data. */
#ifndef CSV_SNIFF_SHAPE_PRIVATE_H
#define CSV_SNIFF_SHAPE_PRIVATE_H

#include "csv/sniff/cell.h"
#include "csv/sniff/grid.h"

#include <string.h>

#define NAME_ROWS_APART (10 * CELL_BIT) /* a blank line stands behind it */

/* The cells of a column in the rows that are taken for data. */
struct column_stats {
	uint32_t cells;
	uint32_t by_class[CELL_CLASS_COUNT];
	uint32_t digits; /* of the texts, those with a digit */
	uint32_t years;	 /* of the numbers, those that may be one */
};

struct shaper {
	const struct grid *grid;
	uint32_t width;
	struct cell_look *looks; /* by cell of the grid */
	struct column_stats *columns;
	uint32_t column_count;
	uint32_t rows;	 /* that are taken for data */
	uint32_t odd[3]; /* of them: as wide as most, shorter, longer */
	uint32_t body;	 /* rows body..end are those */
	uint32_t end;
	/* From the first to behind the last of them that has many cells filled: no titles, no notes. */
	uint32_t inner;
	uint32_t inner_end;
};

/* What a cell says, to one who knows what kind of thing it is. */
static inline int64_t content_cost(const struct cell_look *look)
{
	return look->typed < look->text ? look->typed : look->text;
}

static inline bool is_skipped(const struct grid_row *row)
{
	return row->record.blank || row->record.comment;
}

/* The first row from `row` on that is not a blank line; the grid's end when there is none. */
static inline uint32_t next_row(const struct grid *grid, uint32_t row)
{
	while (row < grid->row_count && is_skipped(&grid->rows[row]))
		row++;
	return row;
}

static inline bool has_digit(struct text text)
{
	for (uint32_t i = 0; i < text.size; i++)
		if (text.data[i] >= '0' && text.data[i] <= '9')
			return true;
	return false;
}

static inline bool same_text(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* How many cells of the row have anything in them; *last is behind the last of those. */
static inline uint32_t filled_cells(const struct shaper *s, uint32_t row, uint32_t *last)
{
	const struct grid_row *r = &s->grid->rows[row];
	uint32_t filled = 0;

	*last = 0;
	for (uint32_t c = 0; c < r->record.cells; c++) {
		const struct csv_cell *cell = &s->grid->cells[r->first + c];

		if (s->looks[r->first + c].class == CELL_EMPTY &&
			!(cell->quoted && cell->end > cell->start))
			continue;
		filled++;
		*last = c + 1;
	}
	return filled;
}

static inline bool is_empty(const struct shaper *s, uint32_t row)
{
	uint32_t last;

	return filled_cells(s, row, &last) == 0;
}

static inline bool is_apart(const struct shaper *s, uint32_t next)
{
	return next < s->grid->row_count && (s->grid->rows[next].record.blank || is_empty(s, next));
}

static inline bool is_cell_empty(const struct shaper *s, uint32_t row, uint32_t c)
{
	const struct grid_row *r = &s->grid->rows[row];

	return c >= r->record.cells || s->looks[r->first + c].class == CELL_EMPTY;
}

/* What it takes to tell that something of `count` among `all` is the case, by so many kinds of things. */
int64_t shape_bits(uint32_t count, uint32_t all, uint32_t kinds);

/*
 * What it takes to tell which cells of a row of data are empty, or are not there. Its neighbour, the row of data below it
 * or with `from_above` the one above it, may have told of some. The row is not part of the data.
 */
int64_t shape_gaps_cost(const struct shaper *s, uint32_t row, bool from_above);

/* Sets s->inner and s->inner_end of the rows that are taken for data. */
void shape_find_inner(struct shaper *s);

/* A number that may be a year, with blanks around it. */
bool shape_is_year(struct text text);

/*
 * How many other cells of the column were looked at and found to be all of one form, or none of them half or twice as long,
 * when this one is; else 0.
 */
uint32_t shape_out_of_form(const struct shaper *s, uint32_t row, uint32_t c);

/* A number or a time in a column of nothing else. */
bool shape_is_like_data(const struct shaper *s, uint32_t row, uint32_t c);

/* What the cells of a row cost as parts of names; `is_first`: no row of names is above it. */
int64_t shape_names_cost(const struct shaper *s, uint32_t row, bool is_first);

/* What names cost that the rows first..last leave empty, or give to several columns. */
int64_t shape_name_faults(const struct shaper *s, uint32_t first, uint32_t last);

#endif
