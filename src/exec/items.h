/* A growing array of texts, for who does not know beforehand how many items a list will have. */
#ifndef EXEC_ITEMS_H
#define EXEC_ITEMS_H

#include "base/memory.h"
#include "column/type.h"

#include <stdlib.h>

#define ITEMS_CAPACITY_MIN 64

/* On the heap; made to be used for one list after the other. */
struct items {
	struct text *data;
	uint32_t count;
	uint32_t capacity;
};

static inline void items_init(struct items *items)
{
	*items = (struct items){0};
}

static inline void items_release(struct items *items)
{
	free(items->data);
	*items = (struct items){0};
}

static inline void items_add(struct items *items, struct text item)
{
	if (items->count == items->capacity) {
		items->capacity = items->capacity ? 2 * items->capacity : ITEMS_CAPACITY_MIN;
		items->data = memory_realloc(items->data, items->capacity * sizeof(*items->data));
	}
	items->data[items->count++] = item;
}

#endif
