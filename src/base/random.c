#include "base/random.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/types.h>

/* So many come all at once or not at all. */
#define BYTES_MAX 256u

int random_bytes(void *out, size_t size)
{
	ssize_t got;

	assert(size <= BYTES_MAX);
	do
		got = getrandom(out, size, 0);
	while (got < 0 && errno == EINTR);
	return got == (ssize_t)size ? 0 : -1;
}

int random_id(uint64_t *out, struct error *err)
{
	do {
		if (random_bytes(out, sizeof(*out)))
			return error_set(err, ERROR_IO,
				"cannot get random numbers from the system: %s", strerror(errno));
	} while (*out == 0);
	return 0;
}
