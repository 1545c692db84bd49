/*
 * What is known of records before they are read: the names of their fields, and of their file what
 * does not stand in it. On the way to a cluster it stands in front of the records of each chunk:
 *
 *   0x1d                     only when there is any of what follows, up to the names
 *   size                u32  of it
 *   first line          u64  of the records in their file; 0: nobody asks
 *   ragged              u8   0xff: as the table has it
 *   widens              u8   1: a longer record makes more columns
 *   constants           u32  how many, each:
 *     name              u32  size, and bytes
 *     null              u8
 *     value             u32  size, and bytes
 *   names                    as a header line in the format of the table, each in quotes
 */
#ifndef CSV_HEAD_H
#define CSV_HEAD_H

#include "base/buf.h"
#include "column/schema.h"
#include "csv/constants.h"

struct csv_head {
	uint32_t name_count; /* 0: an empty file */
	const struct text *names;
	uint32_t constant_count;
	const struct csv_constant *constants;
	uint64_t first_line;	/* 0: not known */
	bool own_ragged;	/* not as the table has it */
	enum csv_ragged ragged; /* if so */
	bool widens;		/* its records say how many columns there are, and not a schema */
};

struct csv_file;
/* Of a file; borrowed from it. */
struct csv_head csv_file_head(const struct csv_file *file);

void csv_head_write(const struct csv_head *head, const struct csv_format *format, struct buf *out);

/*
 * What stands before the records of a chunk, whose length is returned in *length. It lives in the
 * arena, and values of constants in the text. `origin` names the chunk in errors: ERROR_DATA.
 */
MUST_CHECK int csv_head_read(const char *origin, const char *text, size_t size,
	const struct csv_format *format, struct arena *arena, struct csv_head *out, size_t *length,
	struct error *err);

#endif
