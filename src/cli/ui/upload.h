/*
 * A folder of this process for what a page sends: files that were dropped onto it, a piece after the other, and what
 * tells how far jobs are. It goes with the process.
 */
#ifndef CLI_UI_UPLOAD_H
#define CLI_UI_UPLOAD_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define UPLOAD_NAME_MAX	  200u
#define UPLOAD_FILES	  "files" /* the folder in it that has the files */
#define UPLOAD_FOLDER_MAX 3800u

/* Below $TMPDIR, or /tmp, for nobody but us. `path` has UPLOAD_FOLDER_MAX bytes. */
MUST_CHECK int upload_folder_make(char *path, struct error *err);
/* What cannot be removed stays. */
void upload_folder_remove(const char *path);

struct upload_piece {
	const char *name; /* of the file, without a folder */
	uint64_t at; /* 0 begins it anew; otherwise it goes on where the piece before has ended */
	const char *bytes;
	size_t size;
};

/* ERROR_USAGE for a name that will not do and a piece that does not fit, ERROR_IO for what the disk says. */
MUST_CHECK int upload_write(
	const char *folder, const struct upload_piece *piece, struct error *err);
MUST_CHECK int upload_remove(const char *folder, const char *name, struct error *err);
/* The names of all files, in their order. */
void upload_list(const char *folder, void (*each)(void *context, const char *name), void *context);

#endif
