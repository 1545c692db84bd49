/*
 * The standard input as a file that can be read more than once: a table is looked at before it is
 * read. What comes through a pipe is kept in a temporary file ($TMPDIR, or /tmp) without a name.
 */
#ifndef INPUT_STDIN_H
#define INPUT_STDIN_H

#include "base/error.h"

#define INPUT_STDIN "-"

/*
 * A path that opens it, from its start, for as long as the process lives. Reads it to its end when
 * called for the first time. Thread-safe; the same for all.
 */
MUST_CHECK int input_stdin_path(const char **path, struct error *err);

#endif
