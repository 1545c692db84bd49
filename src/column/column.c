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
