#include "base/arena.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_ALIGN 16

struct arena_block {
	struct arena_block *older;
	size_t size;
	_Alignas(ARENA_ALIGN) char bytes[];
};

void arena_init(struct arena *arena, size_t block_size)
{
	memset(arena, 0, sizeof(*arena));
	arena->block_size = block_size;
}

static void arena_grow(struct arena *arena, size_t size)
{
	size_t capacity = size > arena->block_size ? size : arena->block_size;
	struct arena_block *block = memory_alloc(sizeof(*block) + capacity);

	block->older = arena->head;
	block->size = capacity;
	arena->head = block;
	arena->next = block->bytes;
	arena->end = block->bytes + capacity;
	arena->held += sizeof(*block) + capacity;
}

char *arena_alloc_bytes(struct arena *arena, size_t size)
{
	char *result;

	if ((size_t)(arena->end - arena->next) < size || !arena->head)
		arena_grow(arena, size);
	result = arena->next;
	arena->next += size;
	return result;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	size_t pad =
		(ARENA_ALIGN - ((uintptr_t)arena->next & (ARENA_ALIGN - 1))) & (ARENA_ALIGN - 1);

	if ((size_t)(arena->end - arena->next) < pad + size || !arena->head) {
		arena_grow(arena, size);
		pad = 0;
	}
	arena->next += pad + size;
	return arena->next - size;
}

void *arena_zalloc(struct arena *arena, size_t size)
{
	return memset(arena_alloc(arena, size), 0, size);
}

void arena_reset(struct arena *arena)
{
	struct arena_block *kept = arena->head;

	if (!kept)
		return;
	while (kept->older) {
		struct arena_block *older = kept->older;

		kept->older = older->older;
		arena->held -= sizeof(*older) + older->size;
		free(older);
	}
	arena->next = kept->bytes;
	arena->end = kept->bytes + kept->size;
}

void arena_release(struct arena *arena)
{
	while (arena->head) {
		struct arena_block *block = arena->head;

		arena->head = block->older;
		free(block);
	}
	arena_init(arena, arena->block_size);
}

char *arena_copy(struct arena *arena, const void *bytes, size_t size)
{
	char *copy = arena_alloc_bytes(arena, size);

	if (size)
		memcpy(copy, bytes, size);
	return copy;
}

char *arena_strndup(struct arena *arena, const char *text, size_t size)
{
	char *copy = arena_alloc_bytes(arena, size + 1);

	if (size)
		memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	int size;
	char *text;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = arena_alloc_bytes(arena, (size_t)size + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)size + 1, format, args);
	va_end(args);
	return text;
}
