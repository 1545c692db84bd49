/* A file that is open, for the two who know how: open.c finds out how it is written, file.c cuts it.
 */
#ifndef CSV_FILE_PRIVATE_H
#define CSV_FILE_PRIVATE_H

#include "csv/blocks_private.h"
#include "csv/file.h"
#include "csv/json/lines.h"
#include "csv/scan/scan.h"
#include "input/input.h"

#include <pthread.h>
#include <stdatomic.h>

/* Text that was read and not yet cut. */
struct uncut_text {
	char *data;
	size_t begin;
	size_t end;
	size_t capacity;
};

/* What was unpacked before its turn (ahead.c). */
struct ahead_text {
	struct ahead_piece *first;
	struct ahead_piece *last;
	_Atomic size_t held; /* memory, in bytes */
	bool ended;	     /* there is nothing behind it */
	bool failed;	     /* with `error` */
	struct error error;
};

struct csv_file {
	char *path;
	struct csv_dialect dialect;
	struct csv_format format; /* of its chunks */
	bool rewrites;		  /* that is another one than the file's own */
	size_t chunk_bytes;
	bool counts_lines;	 /* in order, while the file is cut */
	struct json_lines *json; /* how it is rewritten; NULL: it is CSV */
	enum csv_isa isa;
	struct arena arena; /* the names, and other texts */
	struct text *header;
	uint32_t header_count;
	bool named; /* the names are the file's */
	/* Its table is known from its files alone: no record is rejected for not being as the others. */
	bool undeclared;
	const struct table_schema *schema; /* borrowed */
	struct csv_constant *constants;
	uint32_t constant_count;
	uint64_t header_lines; /* before the records */
	const char *note;      /* what the user should know, or NULL */

	struct input *input;
	struct csv_blocks *blocks; /* NULL when the file can be read only in order */
	atomic_bool mended;	   /* lines of it were not UTF-8 */
	atomic_bool controls;	   /* characters of it were control characters */
	atomic_bool unquoted;	   /* fields of it had text behind their quotes */
	uint32_t held_back;	   /* records at the end that are not given, read in order */
	uint64_t text_end;	   /* offset in the file; read in order, no further than that */

	pthread_mutex_t lock; /* for what follows */
	struct uncut_text pending;
	struct ahead_text ahead; /* behind it */
	uint64_t next_number;
	uint64_t lines_cut; /* when they are counted */
	bool failed;
	struct error error; /* every thread gets the same one */
	uint64_t *lines;    /* by chunk */
	uint64_t lines_capacity;
};

/* Up to `size` bytes of it. */
size_t ahead_take(struct ahead_text *ahead, char *data, size_t size);
void ahead_release(struct ahead_text *ahead);

/* As input_read, what was put back first. */
MUST_CHECK ssize_t csv_file_read(struct csv_file *file, char *data, size_t size, struct error *err);
/* Puts text back, in front of what is to be read. */
void csv_file_return(struct csv_file *file, const char *data, size_t size);

#endif
