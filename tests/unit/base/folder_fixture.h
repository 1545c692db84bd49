/* A folder of its own for every test, removed with what is in it. */
#ifndef TEST_FOLDER_FIXTURE_H
#define TEST_FOLDER_FIXTURE_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static char folder[64];

/* FOLDER/NAME. One of few buffers that are used in turn. */
static inline const char *in_folder(const char *name)
{
	static char paths[4][256];
	static unsigned turn;
	char *path = paths[turn++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
	return path;
}

static int folder_setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/tamiz-test-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_entry(
	const char *path, const struct stat *info, int flag, struct FTW *position)
{
	(void)info;
	(void)flag;
	(void)position;
	return remove(path);
}

static int folder_teardown(void **state)
{
	(void)state;
	return nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
