/*
 * Which cells of a row are empty, and what it takes to tell.
 *
 * By themselves, empty cells of columns that hardly ever have one are what tells titles and notes from data. But cells are
 * not empty each for itself: a country without any figures has none in all columns, and a table over time begins with
 * rows that have nothing but their dates. So the cells of a row may also be told by those of its neighbour, or by how many
 * rows in the middle of the table have the same gaps.
 */
#include "csv/sniff/shape_private.h"

#include <math.h>

#define GAPS_AS_NEIGHBOUR (3 * CELL_BIT)
#define GAPS_ROWS_MAX	  1000 /* in the middle of the table are compared */
#define INNER_CELLS_MIN	  2

int64_t shape_bits(uint32_t count, uint32_t all, uint32_t kinds)
{
	return (int64_t)(-CELL_BIT * log2((count + 1.0) / (all + (double)kinds)));
}

void shape_find_inner(struct shaper *s)
{
	uint64_t cells = 0, rows = 0;
	uint32_t last;

	for (uint32_t i = s->body; i < s->end; i++) {
		uint32_t filled = is_skipped(&s->grid->rows[i]) ? 0 : filled_cells(s, i, &last);

		cells += filled;
		rows += filled > 0;
	}
	s->inner = s->inner_end = s->end;
	for (uint32_t i = s->body; i < s->end; i++) {
		uint32_t filled = is_skipped(&s->grid->rows[i]) ? 0 : filled_cells(s, i, &last);

		if (filled < INNER_CELLS_MIN || 2 * filled * rows < cells)
			continue;
		s->inner = s->inner < i ? s->inner : i;
		s->inner_end = i + 1;
	}
}

/* The next row of data below or above that has anything; the grid's row_count when there is none. */
static uint32_t find_neighbour(const struct shaper *s, uint32_t row, bool from_above)
{
	uint32_t none = s->grid->row_count;

	for (uint32_t i = row; from_above ? i-- > s->body : ++i < s->end;)
		if (!is_skipped(&s->grid->rows[i]) && !is_empty(s, i))
			return i;
	return none;
}

/*
 * Of all gaps that the row `like` does not have, if there is one. A row that ends somewhere was cut there, once; of one that has
 * nothing but its first cell every other cell is missing.
 */
static int64_t gaps_unlike(const struct shaper *s, uint32_t row, uint32_t like)
{
	uint32_t cells = s->grid->rows[row].record.cells;
	int64_t all = 0, missing = 0, most = 0;

	for (uint32_t c = 0; c < cells || c < s->width; c++) {
		const struct column_stats *column = &s->columns[c];
		int64_t cost;

		if (!is_cell_empty(s, row, c) ||
			(like < s->grid->row_count && is_cell_empty(s, like, c)))
			continue;
		cost = shape_bits(column->by_class[CELL_EMPTY], column->cells, 2);
		if (c < cells) {
			all += cost;
			continue;
		}
		missing += cost;
		most = cost > most ? cost : most;
	}
	return all + (cells == 1 ? missing : most);
}

static bool same_gaps(const struct shaper *s, uint32_t a, uint32_t b)
{
	for (uint32_t c = 0; c < s->width; c++)
		if (is_cell_empty(s, a, c) != is_cell_empty(s, b, c))
			return false;
	return true;
}

/* As so many rows in the middle have. */
static int64_t gaps_of_others(const struct shaper *s, uint32_t row)
{
	uint32_t step = 1 + (s->inner_end - s->inner) / GAPS_ROWS_MAX, same = 0, rows = 0;

	for (uint32_t i = s->inner; i < s->inner_end; i += step) {
		if (i == row || is_skipped(&s->grid->rows[i]))
			continue;
		same += same_gaps(s, row, i);
		rows++;
	}
	return same > 0 ? shape_bits(same, rows, 2) : INT64_MAX;
}

int64_t shape_gaps_cost(const struct shaper *s, uint32_t row, bool from_above)
{
	int64_t cost = gaps_unlike(s, row, s->grid->row_count), other;
	uint32_t neighbour;

	/* Lines without any delimiter are no rows with gaps. */
	if (cost < GAPS_AS_NEIGHBOUR || s->grid->rows[row].record.cells == 1)
		return cost;
	neighbour = find_neighbour(s, row, from_above);
	if (neighbour < s->grid->row_count) {
		other = GAPS_AS_NEIGHBOUR + gaps_unlike(s, row, neighbour);
		cost = other < cost ? other : cost;
	}
	other = gaps_of_others(s, row);
	return other < cost ? other : cost;
}
