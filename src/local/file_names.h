/* What the name of a file says about it (local/files.h). */
#ifndef LOCAL_FILE_NAMES_H
#define LOCAL_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of the suffixes that a pattern may lack; ends with NULL. The first one is "". */
extern const char *const file_suffixes[];

/*
 * The length of a name without extension and suffix, "users" of "users.csv.gz"; 0 for a name that is not
 * that of a table's file.
 */
size_t file_name_stem(const char *name);

/* Whether it ends in .txt, and perhaps a suffix. */
bool file_name_is_text(const char *name);

/* The length of a path without the suffix: "dir/users.csv" of "dir/users.csv.gz", and of "dir/users.csv.zip/users.csv". */
size_t file_name_unpacked(const char *path);

/* Whether a pattern ends in an extension, so that a suffix may follow it. */
bool file_name_has_extension(const char *pattern);

/* Behind the last slash. */
const char *file_name_base(const char *path);

#endif
