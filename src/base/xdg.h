/* Where a user's programs keep their files, by the XDG base directory specification. */
#ifndef BASE_XDG_H
#define BASE_XDG_H

#include "base/error.h"

#include <stddef.h>

/*
 * $XDG_STATE_HOME/tamiz/NAME, or ~/.local/state/tamiz/NAME. -1 with errno: ENOENT when there is
 * no home folder, ENAMETOOLONG when the path does not fit.
 */
MUST_CHECK int xdg_state_path(const char *name, char *path, size_t size);

/* $XDG_CONFIG_HOME/tamiz/NAME, or ~/.config/tamiz/NAME; the same otherwise. */
MUST_CHECK int xdg_config_path(const char *name, char *path, size_t size);

#endif
