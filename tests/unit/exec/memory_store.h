/* A place for what does not fit into memory, in memory; it can fail, and it knows what was not dropped. */
#ifndef EXEC_MEMORY_STORE_H
#define EXEC_MEMORY_STORE_H

#include "base/buf.h"
#include "exec/table/spill.h"

#include <string.h>

#define MEMORY_STORE_MAX (256u << 20)

struct memory_store {
	struct spill_store store; /* first */
	struct memory_budget budget;
	struct op_memory memory;
	struct buf bytes;
	uint64_t calls;	  /* of write and read */
	uint64_t fail_at; /* the call that fails; 0: none */
	uint64_t pieces;  /* that were not dropped */
};

static inline int memory_store_fails(struct memory_store *store, struct error *err)
{
	return ++store->calls == store->fail_at ? error_set(err, ERROR_IO, "no room") : 0;
}

static inline int memory_store_write(struct spill_store *base, const void *bytes, size_t size,
	struct spill_piece *out, struct error *err)
{
	struct memory_store *store = (struct memory_store *)base;

	if (memory_store_fails(store, err))
		return -1;
	*out = (struct spill_piece){.at = store->bytes.size, .stored = size, .size = size};
	buf_append(&store->bytes, bytes, size);
	store->pieces++;
	return 0;
}

static inline int memory_store_read(
	struct spill_store *base, const struct spill_piece *piece, void *bytes, struct error *err)
{
	struct memory_store *store = (struct memory_store *)base;

	if (memory_store_fails(store, err))
		return -1;
	memcpy(bytes, store->bytes.data + piece->at, piece->size);
	return 0;
}

static inline void memory_store_drop(struct spill_store *base, const struct spill_piece *piece)
{
	(void)piece;
	((struct memory_store *)base)->pieces--;
}

/* With `limit` bytes of memory beside it. */
static inline void memory_store_init(struct memory_store *store, size_t limit, uint64_t fail_at)
{
	*store = (struct memory_store){.store = {.write = memory_store_write,
					       .read = memory_store_read,
					       .drop = memory_store_drop},
		.budget = {.limit = limit},
		.fail_at = fail_at};
	store->memory = (struct op_memory){&store->budget, &store->store};
	buf_init(&store->bytes, MEMORY_STORE_MAX);
}

static inline void memory_store_release(struct memory_store *store)
{
	buf_release(&store->bytes);
}

#endif
