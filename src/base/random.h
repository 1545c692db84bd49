/* Numbers that nobody can guess and no two processes share. For chance by a seed see rng.h. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* From the kernel. -1 with errno; at most 256 bytes at a time. */
MUST_CHECK int random_bytes(void *out, size_t size);
/* A number that is not 0. ERROR_IO. */
MUST_CHECK int random_id(uint64_t *out, struct error *err);

#endif
