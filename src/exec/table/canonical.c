#include "exec/table/canonical.h"

uint64_t list_hash(struct text_list list)
{
	uint64_t hash = hash_u64(list.count);

	for (uint32_t i = 0; i < list.count; i++) {
		bool is_null = list.items[i].size == TEXT_LIST_NULL_SIZE;

		hash = hash_combine(hash, is_null ? HASH_OF_NULL : text_hash(list.items[i]));
	}
	return hash;
}

bool list_equal(struct text_list a, struct text_list b)
{
	if (a.count != b.count)
		return false;
	for (uint32_t i = 0; i < a.count; i++) {
		bool is_null = a.items[i].size == TEXT_LIST_NULL_SIZE;

		if (is_null ? b.items[i].size != TEXT_LIST_NULL_SIZE
			    : !text_equal(a.items[i], b.items[i]))
			return false;
	}
	return true;
}

int list_compare(struct text_list a, struct text_list b)
{
	uint32_t common = a.count < b.count ? a.count : b.count;

	for (uint32_t i = 0; i < common; i++) {
		bool a_null = a.items[i].size == TEXT_LIST_NULL_SIZE;
		bool b_null = b.items[i].size == TEXT_LIST_NULL_SIZE;
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
		items[i] = text_copy(list.items[i], arena);
	return (struct text_list){items, list.count};
}
