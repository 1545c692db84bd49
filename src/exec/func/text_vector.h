/* A growing array of texts, for who does not know beforehand how many items a list will have. */
#ifndef EXEC_FUNC_TEXT_VECTOR_H
#define EXEC_FUNC_TEXT_VECTOR_H

#include "base/memory.h"
#include "column/type.h"

#include <stdlib.h>

#define ITEMS_CAPACITY_MIN 64

/* On the heap; made to be used for one list after the other. */
struct text_vector {
	struct text *data;
	uint32_t count;
	uint32_t capacity;
};

static inline void text_vector_init(struct text_vector *items)
{
	*items = (struct text_vector){0};
}

static inline void text_vector_release(struct text_vector *items)
{
	free(items->data);
	*items = (struct text_vector){0};
}

static inline void text_vector_add(struct text_vector *items, struct text item)
{
	if (items->count == items->capacity) {
		items->capacity = items->capacity ? 2 * items->capacity : ITEMS_CAPACITY_MIN;
		items->data = memory_realloc(items->data, items->capacity * sizeof(*items->data));
	}
	items->data[items->count++] = item;
}

#endif
