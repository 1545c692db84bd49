/*
 * Joins that make every pair of two large tables: nearly always a condition was forgotten, and the
 * query would run for hours without a word.
 */
#include "sql/count_text.h"
#include "sql/rewrite/estimate.h"
#include "sql/rewrite/rewrite.h"

/* Fewer pairs take a few seconds, and a side of a few rows is a lookup. */
#define PAIRS_MIN 1e9
#define SIDE_MIN  1000.0

struct product {
	double rows[2];
};

/* Whether the sizes of all files below are known: of others nothing can be told. */
static bool is_sized(const struct logical *node, const struct catalog *catalog)
{
	if (node->kind == LOGICAL_SCAN)
		return catalog->tables[node->scan.table].bytes > 0 ||
		       catalog->tables[node->scan.table].statistics;
	if (node->kind == LOGICAL_REFERENCE) {
		struct logical_shared *shared = node->reference.shared;

		if (shared->sized == 0)
			shared->sized = is_sized(shared->tree, catalog) ? 1 : -1;
		return shared->sized > 0;
	}
	for (uint32_t i = 0; i < node->input_count; i++)
		if (!is_sized(node->inputs[i], catalog))
			return false;
	return true;
}

static void find_product(const struct logical *node, const struct catalog *catalog,
	const struct logical_columns *columns, struct product *largest)
{
	struct product found;

	for (uint32_t i = 0; i < node->input_count; i++)
		find_product(node->inputs[i], catalog, columns, largest);
	if (node->kind != LOGICAL_JOIN || node->join.key_count > 0 || !is_sized(node, catalog))
		return;
	for (int side = 0; side < 2; side++)
		found.rows[side] = logical_estimate(node->inputs[side], catalog, columns).rows;
	if (found.rows[0] >= SIDE_MIN && found.rows[1] >= SIDE_MIN &&
		found.rows[0] * found.rows[1] >= PAIRS_MIN &&
		found.rows[0] * found.rows[1] > largest->rows[0] * largest->rows[1])
		*largest = found;
}

const char *product_warning(const struct logical_query *query, const struct catalog *catalog,
	const struct logical_columns *columns, struct arena *arena)
{
	struct product largest = {{0, 0}};
	char counts[2][COUNT_TEXT_MAX];

	find_product(query->tree, catalog, columns, &largest);
	for (uint32_t i = 0; i < query->shared_count; i++)
		if (query->shared[i]->needed)
			find_product(query->shared[i]->tree, catalog, columns, &largest);
	if (largest.rows[0] == 0)
		return NULL;
	return arena_printf(arena, "all pairs of about %s x %s rows: is a join condition missing?",
		count_text(largest.rows[0], counts[0]), count_text(largest.rows[1], counts[1]));
}
