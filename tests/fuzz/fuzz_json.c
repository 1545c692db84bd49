/*
 * Any text as json and as jsonb. What is JSON reads again as it was written, and as the same jsonb
 * after it was printed; the bytes of a jsonb are legal, and damaged ones are told or are another's.
 */
#include "base/buf.h"
#include "column/item.h"
#include "column/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Prints an item, and reads what was printed: the same to the last byte. */
static void check_again(struct text item, const struct json_style *style, struct arena *arena)
{
	struct json_node node, again;
	const char *reason;
	struct text other;
	struct buf text;

	jsonb_decode(item, arena, &node);
	buf_init(&text, 1 << 24);
	json_format(&node, style, &text);
	CHECK(!buf_overflowed(&text));
	CHECK(json_parse(text_from(text.data, text.size), arena, &again, &reason));
	CHECK(jsonb_encode(&again, arena, &other, &reason));
	CHECK(item_identical(item, other));
	buf_release(&text);
}

/* The first byte of the input says which byte is changed, and how. */
static void check_damage(struct text item, uint8_t seed, struct arena *arena)
{
	struct text damaged = item_copy(item, arena), again;
	uint32_t size = item.size + item.tail;
	struct json_node node;
	const char *reason;

	((char *)damaged.data)[seed % size] ^= (char)(1 << seed % 8);
	if (!jsonb_is_legal(damaged))
		return;
	jsonb_decode(damaged, arena, &node);
	CHECK(jsonb_encode(&node, arena, &again, &reason));
	CHECK(item_identical(damaged, again));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct json_style pretty = {",", ": ", true, false};
	struct json_node node;
	const char *reason = NULL;
	struct arena arena;
	struct text item;

	if (size == 0 || size > 1 << 16)
		return 0;
	arena_init(&arena, 1 << 12);
	if (!json_parse(text_from((const char *)bytes + 1, size - 1), &arena, &node, &reason)) {
		CHECK(reason);
	} else if (jsonb_encode(&node, &arena, &item, &reason)) {
		CHECK(jsonb_is_legal(item));
		check_again(item, &json_style_jsonb, &arena);
		check_again(item, &json_style_tight, &arena);
		check_again(item, &pretty, &arena);
		check_damage(item, bytes[0], &arena);
	}
	arena_release(&arena);
	return 0;
}
