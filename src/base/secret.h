/*
 * What nobody else on the machine may learn: where secrets come from, and where they must not be seen.
 *
 * A secret called NAME is in the environment variable NAME or, better, in the file that NAME_FILE names: environments
 * are inherited by every child and end in reports of crashes. A newline at the end of the file is not part of it.
 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include "base/error.h"

#include <stdbool.h>

#define SECRET_BYTES_MAX 4096u

/*
 * From now on, files and folders that this process makes are its user's alone, unless it says otherwise of one, and
 * neither a core nor another process of the same user shows its memory or its environment.
 */
void secret_protect_process(void);

/* Whether there is one. */
bool secret_is_given(const char *name);
/* NULL with the reason: there is none, or its file cannot be read. The caller frees it. */
char *secret_get(const char *name, struct error *err);

/*
 * A copy, for the life of the process, of a word of the command line; the word itself is overwritten, as far as
 * process lists show it. NULL stays NULL.
 */
const char *secret_take_argument(const char *word);

#endif
