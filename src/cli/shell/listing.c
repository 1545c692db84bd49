#include "cli/shell/shell_private.h"

#include "cli/cli.h"

#include <assert.h>
#include <string.h>

#define LISTING_BYTES_MAX (64u << 20)

static void start_batch(struct listing *listing)
{
	struct batch *batch = &listing->batch;

	*batch = (struct batch){.column_count = listing->column_count,
		.columns = arena_zalloc(
			listing->arena, listing->column_count * sizeof(struct column))};
	for (uint32_t c = 0; c < listing->column_count; c++) {
		column_init(&batch->columns[c], type_of(listing->columns[c].kind), BATCH_ROWS_MAX,
			listing->arena);
		column_add_validity(&batch->columns[c], BATCH_ROWS_MAX, listing->arena);
	}
}

void listing_init(struct listing *listing, uint32_t column_count,
	const struct listing_column *columns, struct arena *arena)
{
	struct type types[LISTING_COLUMNS_MAX];

	assert(column_count <= LISTING_COLUMNS_MAX);
	*listing =
		(struct listing){.column_count = column_count, .columns = columns, .arena = arena};
	for (uint32_t c = 0; c < column_count; c++)
		types[c] = type_of(columns[c].kind);
	kept_rows_init(&listing->rows, column_count, types, LISTING_BYTES_MAX);
	start_batch(listing);
}

void listing_release(struct listing *listing)
{
	kept_rows_release(&listing->rows);
}

static void flush(struct listing *listing)
{
	if (listing->batch.rows == 0 || listing->failed)
		return;
	listing->failed = kept_rows_append(&listing->rows, &listing->batch, &listing->error) != 0;
	start_batch(listing);
}

static void put(struct listing *listing, const struct value *value)
{
	struct batch *batch = &listing->batch;

	if (batch->rows == BATCH_ROWS_MAX)
		flush(listing);
	column_set_value(&batch->columns[listing->column], batch->rows, value);
	if (++listing->column < listing->column_count)
		return;
	listing->column = 0;
	batch->rows++;
	batch->selected++;
}

void listing_text(struct listing *listing, const char *text)
{
	struct value value = {.type = type_of(TYPE_TEXT), .is_null = !text};

	assert(listing->columns[listing->column].kind == TYPE_TEXT);
	if (text)
		value.text = text_from(arena_strdup(listing->arena, text), strlen(text));
	put(listing, &value);
}

void listing_number(struct listing *listing, int64_t number)
{
	const struct value value = {.type = type_of(TYPE_BIGINT), .i64 = number};

	assert(listing->columns[listing->column].kind == TYPE_BIGINT);
	put(listing, &value);
}

void listing_null(struct listing *listing)
{
	const struct value value = {
		.type = type_of(listing->columns[listing->column].kind), .is_null = true};

	put(listing, &value);
}

int listing_finish(struct listing *listing, struct error *err)
{
	assert(listing->column == 0);
	flush(listing);
	if (listing->failed) {
		*err = listing->error;
		return -1;
	}
	kept_rows_seal(&listing->rows);
	return 0;
}

int listing_show(struct listing *listing, struct shell *shell, int *status, struct error *err)
{
	const char *names[LISTING_COLUMNS_MAX];
	struct format_style style;
	struct execute_target target = output_target(shell, &style);
	const struct execute_options *options = &shell->settings.execute;

	if (listing_finish(listing, err))
		return -1;
	for (uint32_t c = 0; c < listing->column_count; c++)
		names[c] = listing->columns[c].name;
	*status = execute_show(names, &listing->rows, options->format, options->output, &target);
	return 0;
}
