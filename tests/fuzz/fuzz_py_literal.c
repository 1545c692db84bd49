/*
 * Any bytes as a key, a newline and a Python literal. Whatever they are: nothing outside the text
 * is read, the items lie within the text or the arena, and a list and the values plucked from it
 * agree on whether it is one.
 */
#include "exec/func/py_literal.h"

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

/* Reads every byte of every item, for the sanitizer to see. */
static size_t touch(const struct text_vector *items)
{
	size_t sum = 0;

	for (uint32_t i = 0; i < items->count; i++) {
		struct text item = items->data[i];

		if (item.size == TEXT_LIST_NULL_SIZE) {
			CHECK(item.data == NULL);
			continue;
		}
		for (uint32_t k = 0; k < item.size; k++)
			sum += (unsigned char)item.data[k];
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const uint8_t *newline = size > 0 ? memchr(bytes, '\n', size) : NULL;
	struct text key, text;
	struct text_vector items;
	struct arena arena;
	uint32_t listed;
	char *copy;
	bool ok;

	if (!newline)
		return 0;
	key = text_from((const char *)bytes, (size_t)(newline - bytes));
	size -= key.size + 1;
	/* Exactly as long as it is: a step beyond it is an error. */
	copy = malloc(size + (size == 0));
	memcpy(copy, newline + 1, size);
	text = text_from(copy, size);
	arena_init(&arena, 4096);
	text_vector_init(&items);
	ok = py_list(text, &items, &arena);
	listed = ok ? items.count : 0;
	if (ok)
		touch(&items);
	CHECK(py_pluck(text, key, &items, &arena) == ok);
	CHECK(!ok || items.count <= listed);
	if (ok)
		touch(&items);
	text_vector_release(&items);
	arena_release(&arena);
	free(copy);
	return 0;
}
