/*
 * A bump allocator for things that die together: the plan of a job, the columns of a batch, the
 * keys of a hash table. Not for sharing between threads.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/error.h"
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *head; /* the block in use; older ones behind it */
	char *next;
	char *end;
	size_t block_size;
	size_t held; /* bytes taken from the heap */
};

/* Takes no memory yet. Larger requests than `block_size` get a block of their own. */
void arena_init(struct arena *arena, size_t block_size);
/* Forgets everything, keeps one block for the next turn of the loop. */
void arena_reset(struct arena *arena);
void arena_release(struct arena *arena);

/* Never NULL; aligned to 16 bytes; not zeroed. */
void *arena_alloc(struct arena *arena, size_t size);
void *arena_zalloc(struct arena *arena, size_t size);
/* No alignment, no padding: for text. */
char *arena_alloc_bytes(struct arena *arena, size_t size);
char *arena_copy(struct arena *arena, const void *bytes, size_t size);
/* `size` bytes of `text`, and a terminating zero. */
char *arena_strndup(struct arena *arena, const char *text, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
