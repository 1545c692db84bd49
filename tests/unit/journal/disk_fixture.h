/* What every implementation of journal/disk.h must do. */
#ifndef TESTS_DISK_FIXTURE_H
#define TESTS_DISK_FIXTURE_H

#include "journal/disk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OK(call)                                                                         \
	do {                                                                             \
		if ((call) != 0)                                                         \
			fail_msg("%s: error %d: %s", #call, (int)err.code, err.message); \
	} while (0)

#define FAILS(call, expected)                                                            \
	do {                                                                             \
		memset(&err, 0, sizeof(err));                                            \
		assert_int_equal(call, -1);                                              \
		if (err.code != (expected) || err.message[0] == '\0')                    \
			fail_msg("%s: error %d: %s", #call, (int)err.code, err.message); \
	} while (0)

static inline void put(struct disk_file *file, uint64_t offset, const char *text)
{
	struct disk_piece piece = {text, strlen(text)};
	struct error err;

	OK(disk_write(file, offset, &piece, 1, &err));
}

static inline void expect(struct disk_file *file, const char *text, size_t size)
{
	char *bytes = malloc(size + 1);
	struct error err;
	uint64_t held;

	OK(disk_size(file, &held, &err));
	assert_int_equal(held, size);
	OK(disk_read(file, 0, bytes, size, &err));
	if (size > 0)
		assert_memory_equal(bytes, text, size);
	free(bytes);
}

/* `names` with a bar behind each. */
static inline void expect_names(struct disk *disk, const char *folder, const char *names)
{
	struct error err;
	struct buf found;

	buf_init(&found, 1000);
	buf_append_text(&found, "left from before");
	OK(disk_list(disk, folder, &found, &err));
	for (size_t i = 0; i < found.size; i++)
		if (found.data[i] == '\0')
			found.data[i] = '|';
	buf_append_char(&found, '\0');
	assert_string_equal(found.data, names);
	buf_release(&found);
}

static inline void check_files(struct disk *disk)
{
	struct disk_file *file, *again;
	struct error err;
	char bytes[8];

	FAILS(disk_open(disk, "a/b", false, &file, &err), ERROR_IO);
	assert_null(file);
	OK(disk_open(disk, "a/b", true, &file, &err));
	expect(file, "", 0);
	put(file, 0, "hello");
	put(file, 5, ", world");
	put(file, 1, "EL");
	expect(file, "hELlo, world", 12);
	OK(disk_sync(file, &err));
	FAILS(disk_read(file, 8, bytes, 5, &err), ERROR_DATA);
	FAILS(disk_read(file, 100, bytes, 1, &err), ERROR_DATA);
	OK(disk_read(file, 7, bytes, 5, &err));
	assert_memory_equal(bytes, "world", 5);
	/* A gap is zero. */
	put(file, 14, "!");
	expect(file, "hELlo, world\0\0!", 15);
	OK(disk_truncate(file, 5, &err));
	expect(file, "hELlo", 5);
	OK(disk_truncate(file, 7, &err));
	expect(file, "hELlo\0\0", 7);
	/* Two handles see one file; an open that may create does not empty it. */
	OK(disk_open(disk, "a/b", true, &again, &err));
	expect(again, "hELlo\0\0", 7);
	put(again, 0, "J");
	expect(file, "JELlo\0\0", 7);
	disk_close(again);
	/* What is removed while it is open goes on for those who have it. */
	OK(disk_remove(disk, "a/b", &err));
	expect(file, "JELlo\0\0", 7);
	disk_close(file);
	FAILS(disk_open(disk, "a/b", false, &file, &err), ERROR_IO);
	OK(disk_remove(disk, "a", &err));
	disk_close(NULL);
}

/* It has no name, and bytes that nobody wants any more leave the others alone. */
static inline void check_temporary(struct disk *disk)
{
	enum { SIZE = 100000 };
	struct disk_file *file, *other;
	char *bytes = malloc(SIZE), *got = malloc(SIZE);
	struct disk_piece piece = {bytes, SIZE};
	struct error err;
	uint64_t held;

	for (uint32_t i = 0; i < SIZE; i++)
		bytes[i] = (char)(i % 251);
	OK(disk_open_temporary(disk, &file, &err));
	OK(disk_open_temporary(disk, &other, &err));
	OK(disk_write(file, 0, &piece, 1, &err));
	OK(disk_write(file, SIZE, &piece, 1, &err));
	put(other, 0, "another");
	disk_discard(file, 0, SIZE);
	OK(disk_read(file, SIZE, got, SIZE, &err));
	assert_memory_equal(got, bytes, SIZE);
	expect_names(disk, "", "");
	OK(disk_used(disk, &held, &err));
	assert_int_equal(held, 0);
	disk_close(file);
	expect(other, "another", 7);
	disk_close(other);
	expect_names(disk, "", "");
	free(bytes);
	free(got);
}

static inline void check_gathering(struct disk *disk)
{
	enum { PIECES = 300 };
	struct disk_piece pieces[PIECES];
	char expected[PIECES * 4];
	size_t size = 0;
	struct disk_file *file;
	struct error err;

	for (uint32_t i = 0; i < PIECES; i++) {
		static const char digits[] = "0123456789";

		pieces[i] = (struct disk_piece){digits + i % 7, i % 4};
		memcpy(expected + size, digits + i % 7, i % 4);
		size += i % 4;
	}
	OK(disk_open(disk, "gather", true, &file, &err));
	OK(disk_write(file, 0, pieces, 0, &err));
	expect(file, "", 0);
	OK(disk_write(file, 0, pieces, 1, &err)); /* which is empty */
	expect(file, "", 0);
	OK(disk_write(file, 0, pieces, PIECES, &err));
	expect(file, expected, size);
	disk_close(file);
	OK(disk_remove(disk, "gather", &err));
}

static inline void make(struct disk *disk, const char *path)
{
	struct disk_file *file;
	struct error err;

	OK(disk_open(disk, path, true, &file, &err));
	put(file, 0, path);
	disk_close(file);
}

static inline void check_folders(struct disk *disk)
{
	struct error err;

	expect_names(disk, "", "");
	expect_names(disk, "none", "");
	expect_names(disk, "none/none", "");
	make(disk, "jobs/7/journal/segment-2");
	make(disk, "jobs/7/journal/segment-10");
	make(disk, "jobs/7-b");
	make(disk, "jobs/7.c/x");
	make(disk, "jobs/70/x");
	make(disk, "jobs/8/results");
	make(disk, "Zoo");
	expect_names(disk, "", "Zoo|jobs|");
	expect_names(disk, "jobs", "7|7-b|7.c|70|8|");
	expect_names(disk, "jobs/7", "journal|");
	expect_names(disk, "jobs/7/journal", "segment-10|segment-2|");
	/* A file and a folder; not what has the same start. */
	OK(disk_remove(disk, "jobs/7", &err));
	expect_names(disk, "jobs", "7-b|7.c|70|8|");
	OK(disk_remove(disk, "jobs/7", &err));
	OK(disk_remove(disk, "none/none/none", &err));
	OK(disk_remove(disk, "jobs/7-b", &err));
	OK(disk_remove(disk, "Zoo", &err));
	OK(disk_remove(disk, "jobs", &err));
	expect_names(disk, "jobs", "");
	expect_names(disk, "", "");
}

static inline void check_paths(struct disk *disk)
{
	static const char *const bad[] = {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a",
		".lock", "a/.b", "a b", "a\nb", "ä", "a\\b", "a:b", "a*"};
	char path[DISK_PATH_MAX + 1];
	struct disk_file *file;
	struct error err;
	struct buf names;

	buf_init(&names, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_false(disk_path_valid(bad[i]));
		FAILS(disk_open(disk, bad[i], true, &file, &err), ERROR_USAGE);
		FAILS(disk_open(disk, bad[i], false, &file, &err), ERROR_USAGE);
		FAILS(disk_remove(disk, bad[i], &err), ERROR_USAGE);
		if (bad[i][0])
			FAILS(disk_list(disk, bad[i], &names, &err), ERROR_USAGE);
	}
	memset(path, 'x', sizeof(path));
	path[DISK_PATH_MAX] = '\0';
	FAILS(disk_open(disk, path, true, &file, &err), ERROR_USAGE);
	path[DISK_PATH_MAX - 1] = '\0';
	make(disk, path);
	OK(disk_remove(disk, path, &err));
	buf_release(&names);
	/* More names than the list has room for. */
	make(disk, "first");
	make(disk, "second");
	buf_init(&names, 8);
	FAILS(disk_list(disk, "", &names, &err), ERROR_LIMIT);
	buf_release(&names);
	OK(disk_remove(disk, "first", &err));
	OK(disk_remove(disk, "second", &err));
}

/* All of it, on a disk that is empty and is left so. */
static inline void check_disk(struct disk *disk)
{
	check_folders(disk);
	check_files(disk);
	check_gathering(disk);
	check_temporary(disk);
	check_paths(disk);
	expect_names(disk, "", "");
}

#endif
