#include "exec/table/column_append.h"

#include "base/memory.h"
#include "column/canonical.h"

#include <string.h>

static void copy_value(
	struct arena *arena, struct column *to, uint32_t at, const struct column *from, uint32_t i)
{
	switch (type_physical(to->type.kind)) {
	case PHYSICAL_U8: to->u8[at] = from->u8[i]; break;
	case PHYSICAL_I64: to->i64[at] = from->i64[i]; break;
	case PHYSICAL_F64: to->f64[at] = from->f64[i]; break;
	case PHYSICAL_NUM: to->num[at] = numeric_keep(from->num[i], arena); break;
	case PHYSICAL_TEXT: to->text[at] = text_copy(from->text[i], arena); break;
	case PHYSICAL_LIST: to->list[at] = list_copy(from->list[i], arena); break;
	case PHYSICAL_INTERVAL: to->interval[at] = from->interval[i]; break;
	}
}

void column_append(struct column *to, uint32_t capacity, uint32_t at, const struct column *from,
	const uint16_t *rows, uint32_t count, struct arena *arena)
{
	size_t size = physical_size(type_physical(to->type.kind));

	for (uint32_t k = 0; k < count; k++) {
		uint32_t i = column_index(from, rows[k]);
		bool is_null = from->valid && !from->valid[i];

		if (is_null && !to->valid) {
			to->valid = memory_alloc(capacity);
			memset(to->valid, 1, at + k);
		}
		if (to->valid)
			to->valid[at + k] = !is_null;
		if (is_null)
			memset((char *)to->values + (at + k) * size, 0, size);
		else
			copy_value(arena, to, at + k, from, i);
	}
}
