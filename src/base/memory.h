/*
 * Heap memory that is never NULL. A process that cannot get the memory it needs has no useful way
 * on: it says so on stderr and exits with status 1. Sizes that come from outside are checked
 * against a named limit before they reach these calls.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stddef.h>

void *memory_alloc(size_t size);
void *memory_zalloc(size_t size);
void *memory_realloc(void *old, size_t size);
/* For SIMD and 128-bit values; `alignment` is a power of two. Freed with free(). */
void *memory_alloc_aligned(size_t alignment, size_t size);
char *memory_strdup(const char *text);

/* After much was freed in small pieces: what is free goes back to the system, as far as that can be. */
void memory_give_back(void);

/* Called once before the process exits for want of memory, in the thread that asked for it. */
void memory_on_failure(void (*fn)(void));

#endif
