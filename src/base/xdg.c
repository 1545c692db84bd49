#include "base/xdg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* $VARIABLE/tamiz/NAME, or ~/FOLDER/tamiz/NAME. */
static int xdg_path(
	const char *variable, const char *folder, const char *name, char *path, size_t size)
{
	const char *base = getenv(variable);
	const char *home = getenv("HOME");
	int length;

	/* The specification has relative paths ignored. */
	if (base && base[0] == '/') {
		length = snprintf(path, size, "%s/tamiz/%s", base, name);
	} else if (home && home[0] == '/') {
		length = snprintf(path, size, "%s/%s/tamiz/%s", home, folder, name);
	} else {
		errno = ENOENT;
		return -1;
	}
	if (length >= 0 && (size_t)length < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int xdg_state_path(const char *name, char *path, size_t size)
{
	return xdg_path("XDG_STATE_HOME", ".local/state", name, path, size);
}

int xdg_config_path(const char *name, char *path, size_t size)
{
	return xdg_path("XDG_CONFIG_HOME", ".config", name, path, size);
}
