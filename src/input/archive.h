/*
 * Zip archives. A file inside of one is named as if the archive were a folder:
 * data/2024.zip/orders.csv.
 */
#ifndef INPUT_ARCHIVE_H
#define INPUT_ARCHIVE_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An archive is opened anew for each of its files, and then all of its names are read. */
#define ARCHIVE_MEMBERS_MAX 10000

struct archive_member {
	const char *name; /* in UTF-8, with the folders in the archive */
	uint64_t bytes;	  /* compressed */
};

struct archive_list {
	uint32_t count;
	struct archive_member *members; /* without folders; in the order of the archive */
};

/* Whether a name looks like that of an archive. */
bool archive_is_name(const char *name);

/*
 * How much of the path names an archive that exists, when more of it follows: the length of
 * "data/2024.zip" above. 0 for the path of a file or folder.
 */
size_t archive_prefix(const char *path);

/* ERROR_IO when it cannot be read, ERROR_DATA when it is not an archive or a damaged one. */
MUST_CHECK int archive_list(
	const char *path, struct arena *arena, struct archive_list *out, struct error *err);

#endif
