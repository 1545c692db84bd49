#include "column/column.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct interval) == 16, "physical_size counts on it");

void column_init(struct column *column, struct type type, uint32_t rows, struct arena *arena)
{
	size_t size = physical_size(type_physical(type.kind));

	*column = (struct column){.type = type, .values = arena_alloc(arena, rows * size)};
}

void column_add_validity(struct column *column, uint32_t rows, struct arena *arena)
{
	if (column->valid)
		return;
	column->valid = arena_alloc(arena, rows);
	memset(column->valid, 1, rows);
}

void column_init_null(struct column *column, struct type type, struct arena *arena)
{
	*column = (struct column){
		.type = type,
		.constant = true,
		.values = arena_zalloc(arena, physical_size(type_physical(type.kind))),
		.valid = arena_zalloc(arena, 1),
	};
}

static void gather_bytes(uint8_t *out, const uint8_t *from, const uint16_t *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = from[rows[i]];
}

void column_gather(struct column *out, const struct column *from, const uint16_t *rows,
	uint32_t count, struct arena *arena)
{
	size_t size = physical_size(type_physical(from->type.kind));

	if (from->constant) {
		*out = *from;
		return;
	}
	column_init(out, from->type, count, arena);
	if (size == 1) {
		gather_bytes(out->u8, from->u8, rows, count);
	} else if (size == 8) {
		for (uint32_t i = 0; i < count; i++)
			out->i64[i] = from->i64[rows[i]];
	} else {
		for (uint32_t i = 0; i < count; i++)
			memcpy(&out->num[i], &from->num[rows[i]], sizeof(out->num[i]));
	}
	if (from->valid) {
		out->valid = arena_alloc(arena, count);
		gather_bytes(out->valid, from->valid, rows, count);
	}
}

struct value column_value(const struct column *column, uint32_t row)
{
	struct value value = {.type = column->type, .is_null = column_is_null(column, row)};
	uint32_t i = column_index(column, row);

	if (value.is_null)
		return value;
	switch (type_physical(column->type.kind)) {
	case PHYSICAL_U8: value.boolean = column->u8[i] != 0; break;
	case PHYSICAL_I64: value.i64 = column->i64[i]; break;
	case PHYSICAL_NUM: value.num = column->num[i]; break;
	case PHYSICAL_F64: value.f64 = column->f64[i]; break;
	case PHYSICAL_TEXT: value.text = column->text[i]; break;
	case PHYSICAL_LIST: value.list = column->list[i]; break;
	case PHYSICAL_INTERVAL: value.interval = column->interval[i]; break;
	}
	return value;
}

void column_set_value(struct column *column, uint32_t row, const struct value *value)
{
	uint32_t i = column_index(column, row);

	assert(column->valid || !value->is_null);
	if (column->valid)
		column->valid[i] = !value->is_null;
	if (value->is_null) {
		/* Kernels run over the slots of NULLs too: they must find something harmless there.
		 */
		size_t size = physical_size(type_physical(column->type.kind));

		memset((char *)column->values + i * size, 0, size);
		return;
	}
	switch (type_physical(column->type.kind)) {
	case PHYSICAL_U8: column->u8[i] = value->boolean; break;
	case PHYSICAL_I64: column->i64[i] = value->i64; break;
	case PHYSICAL_NUM: column->num[i] = value->num; break;
	case PHYSICAL_F64: column->f64[i] = value->f64; break;
	case PHYSICAL_TEXT: column->text[i] = value->text; break;
	case PHYSICAL_LIST: column->list[i] = value->list; break;
	case PHYSICAL_INTERVAL: column->interval[i] = value->interval; break;
	}
}
