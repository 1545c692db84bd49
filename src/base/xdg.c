#include "base/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int xdg_state_path(const char *name, char *path, size_t size)
{
	const char *base = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	int length;

	/* The specification has relative paths ignored. */
	if (base && base[0] == '/') {
		length = snprintf(path, size, "%s/tamiz/%s", base, name);
	} else if (home && home[0] == '/') {
		length = snprintf(path, size, "%s/.local/state/tamiz/%s", home, name);
	} else {
		errno = ENOENT;
		return -1;
	}
	if (length >= 0 && (size_t)length < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}
