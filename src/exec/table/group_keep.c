#include "exec/table/group_keep.h"

#include "column/canonical.h"
#include "column/item.h"

void group_keep_scales(const struct group_table *table, const struct key_view *views,
	const struct batch *batch, uint8_t *const *rows)
{
	for (uint32_t i = 0; i < table->key_count; i++) {
		const struct key_view *view = &views[i];

		for (uint32_t k = 0; view->scaled && k < batch->selected; k++) {
			uint32_t row = batch_row(batch, k);
			uint16_t *kept = (uint16_t *)(rows[k] + table->keys[i].scale_offset);
			unsigned scale;

			if (column_is_null(view->column, row))
				continue;
			scale = numeric_display_scale(
				view->column->num[column_index(view->column, row)]);
			*kept = *kept < scale ? (uint16_t)scale : *kept;
		}
	}
}

static void keep_interval(const struct column *column, uint32_t at, void *slot)
{
	struct interval *kept = slot;

	if (interval_order(column->interval[at], *kept) < 0)
		*kept = column->interval[at];
}

void group_keep_shown(struct group_table *table, const struct key_view *views,
	const struct batch *batch, uint8_t *const *rows)
{
	group_keep_scales(table, views, batch, rows);
	for (uint32_t i = 0; i < table->key_count; i++) {
		const struct column *column = views[i].column;
		bool is_list =
			views[i].physical == PHYSICAL_LIST && items_have_tails(column->type.kind);

		if (!is_list && views[i].physical != PHYSICAL_INTERVAL)
			continue;
		for (uint32_t k = 0; k < batch->selected; k++) {
			uint32_t at = column_index(column, batch_row(batch, k));
			void *slot = rows[k] + table->keys[i].offset;

			if (column->valid && !column->valid[at])
				continue;
			if (is_list)
				list_keep_shown(
					column->type.kind, slot, column->list[at], &table->arena);
			else
				keep_interval(column, at, slot);
		}
	}
}
