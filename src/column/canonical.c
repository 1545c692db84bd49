#include "column/canonical.h"

#include "column/item.h"

uint64_t list_hash(struct text_list list)
{
	uint64_t hash = hash_u64(list.count);

	for (uint32_t i = 0; i < list.count; i++) {
		bool is_null = item_is_null(list.items[i]);

		hash = hash_combine(hash, is_null ? HASH_OF_NULL : text_hash(list.items[i]));
	}
	return hash;
}

bool list_equal(struct text_list a, struct text_list b)
{
	if (a.count != b.count)
		return false;
	for (uint32_t i = 0; i < a.count; i++) {
		bool is_null = item_is_null(a.items[i]);

		if (is_null ? !item_is_null(b.items[i]) : !text_equal(a.items[i], b.items[i]))
			return false;
	}
	return true;
}

int list_compare(struct text_list a, struct text_list b)
{
	uint32_t common = a.count < b.count ? a.count : b.count;

	for (uint32_t i = 0; i < common; i++) {
		bool a_null = item_is_null(a.items[i]);
		bool b_null = item_is_null(b.items[i]);
		int order =
			a_null || b_null ? a_null - b_null : text_compare(a.items[i], b.items[i]);

		if (order != 0)
			return order;
	}
	return (a.count > b.count) - (a.count < b.count);
}

struct text_list list_copy(struct text_list list, struct arena *arena)
{
	struct text *items = arena_alloc(arena, list.count * sizeof(*items));

	for (uint32_t i = 0; i < list.count; i++)
		items[i] = item_copy(list.items[i], arena);
	return (struct text_list){items, list.count};
}

/* Whether the second of two equal items is shown rather than the first. */
static bool item_shown_rather(enum type_kind kind, struct text kept, struct text other)
{
	int order = text_compare(text_from(kept.data + kept.size, kept.tail),
		text_from(other.data + other.size, other.tail));

	kind = type_element(kind);
	return kind == TYPE_NUMERIC || kind == TYPE_JSONB ? order < 0 : order > 0;
}

void list_keep_shown(
	enum type_kind kind, struct text_list *kept, struct text_list other, struct arena *arena)
{
	struct text *items = NULL;

	for (uint32_t i = 0; i < kept->count; i++) {
		if (item_is_null(kept->items[i]) ||
			!item_shown_rather(kind, kept->items[i], other.items[i]))
			continue;
		if (!items) {
			items = arena_alloc(arena, kept->count * sizeof(*items));
			memcpy(items, kept->items, kept->count * sizeof(*items));
			kept->items = items;
		}
		items[i] = item_copy(other.items[i], arena);
	}
}
