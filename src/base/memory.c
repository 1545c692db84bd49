#include "base/memory.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*on_failure)(void);

void memory_on_failure(void (*fn)(void))
{
	on_failure = fn;
}

static void *checked(void *memory, size_t size)
{
	if (memory || size == 0)
		return memory;
	fprintf(stderr, "tamiz: out of memory (asked for %zu bytes)\n", size);
	if (on_failure)
		on_failure();
	exit(1);
}

void *memory_alloc(size_t size)
{
	return checked(malloc(size), size);
}

void *memory_zalloc(size_t size)
{
	return checked(calloc(1, size), size);
}

void *memory_realloc(void *old, size_t size)
{
	return checked(realloc(old, size), size);
}

void *memory_alloc_aligned(size_t alignment, size_t size)
{
	size_t rounded = (size + alignment - 1) & ~(alignment - 1);

	return checked(aligned_alloc(alignment, rounded), rounded);
}

char *memory_strdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(memory_alloc(size), text, size);
}

void memory_give_back(void)
{
	malloc_trim(0);
}
