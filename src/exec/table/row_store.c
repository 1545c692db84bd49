#include "exec/table/row_store.h"

#include "column/batch_codec.h"

#define ARENA_BLOCK (64u << 10)
#define BYTES_MAX   (UINT64_C(4) << 30)

void row_store_init(struct row_store *store, uint32_t column_count, const struct type *types)
{
	*store = (struct row_store){.column_count = column_count, .types = types};
	buf_init(&store->bytes, BYTES_MAX);
	arena_init(&store->arena, ARENA_BLOCK);
}

void row_store_release(struct row_store *store)
{
	buf_release(&store->bytes);
	arena_release(&store->arena);
}

void row_store_clear(struct row_store *store)
{
	buf_clear(&store->bytes);
	store->count = 0;
}

int row_store_add(struct row_store *store, const struct batch *batch, struct error *err)
{
	if (batch->selected == 0)
		return 0;
	batch_encode(batch, &store->bytes);
	if (buf_overflowed(&store->bytes))
		return error_set(err, ERROR_LIMIT, "rows that are kept take more than %u GB",
			(unsigned)(BYTES_MAX >> 30));
	store->count += batch->selected;
	return 0;
}

int row_store_read(struct row_store *store, row_store_reader read, void *context, struct error *err)
{
	const uint8_t *at = (const uint8_t *)store->bytes.data;
	const uint8_t *end = at + store->bytes.size;

	while (at < end) {
		struct batch batch;

		arena_reset(&store->arena);
		if (batch_decode(&at, end, store->column_count, store->types, &store->arena, &batch,
			    err) < 0 ||
			read(context, &batch, err) < 0)
			return -1;
	}
	return 0;
}
