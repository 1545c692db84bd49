/*
 * A CSV file, cut into chunks of whole records.
 *
 * Any number of threads may take chunks of one file; each gets the next one in order. A chunk
 * starts at the start of a record and ends at the end of one, so a chunk can be decoded with no
 * knowledge of its neighbours, quotes or not. The cut depends on the bytes, the chunk size and how
 * the file is packed alone, never on timing. What a file is, plain or packed, and in which encoding,
 * is input/input.h's; a chunk is always UTF-8.
 */
#ifndef CSV_FILE_H
#define CSV_FILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/schema.h"
#include "csv/constants.h"

#define CSV_CHUNK_DEFAULT \
	(256u << 10) /* a chunk and what becomes of it stay in a core's own cache */
#define CSV_CHUNK_MIN 64u
/* The longest record. One that is longer is a reject: it is skipped and counted. */
#define CSV_RECORD_MAX (64u << 20)
#define CSV_CHUNK_MAX  CSV_RECORD_MAX

struct csv_file;

/* Memory for one chunk, owned by the thread that fills it, reused from chunk to chunk. */
struct csv_chunk {
	char *data;   /* in `buffer`, followed by CSV_SCAN_PADDING readable bytes */
	char *buffer; /* the memory itself */
	size_t capacity;
	uint32_t size;
	bool plain; /* known to hold no quote character; false when nobody has looked */
	bool ascii; /* known to hold nothing but ASCII */
	/*
	 * Where a text with quotes ends in a record cannot be seen without scanning all of it. What
	 * was found on the way, as csv_scan_next finds it, serves whoever decodes the chunk.
	 */
	bool scanned;
	bool doubled;	/* as in struct csv_scan, and */
	bool unclosed;	/* so is this */
	uint32_t *ends; /* ends[-1] may be written to */
	uint32_t end_count;
	uint32_t end_capacity;
	uint64_t number;     /* 0, 1, 2, ... in the file */
	uint64_t first_line; /* in the file, from 1; 0: nobody has counted */
	/*
	 * Records begin with the number of their line, as JSON lines do (json/lines.h): from first_line
	 * on, or from 0; and all of it had so many.
	 */
	bool numbered;
	uint64_t numbered_lines;
	/* Stands for a record above CSV_RECORD_MAX that was skipped, and the lines it took. */
	bool oversized;
	uint64_t oversized_lines;
};

void csv_chunk_init(struct csv_chunk *chunk);
void csv_chunk_release(struct csv_chunk *chunk);
/* A chunk of whole records that comes from elsewhere than a file, copied; at most CSV_CHUNK_MAX. */
void csv_chunk_set(struct csv_chunk *chunk, const void *text, size_t size, char quote);

/*
 * Opens the file, finds out how it is written as far as `schema` does not say (sniff/sniff.h), and
 * reads its header. Its chunks come in `format`, or when that is NULL in the one that suits the
 * file. `schema` and what it points to are borrowed and outlive the file. `chunk_bytes` is rounded
 * into CSV_CHUNK_MIN .. CSV_CHUNK_MAX; 0 is CSV_CHUNK_DEFAULT.
 *
 * A directory, a missing or unreadable file is ERROR_IO; one that is not a text, or that can be
 * read in two ways, is ERROR_DATA. An empty file has no header and no chunks.
 */
MUST_CHECK int csv_file_open(struct csv_file **out, const char *path,
	const struct table_schema *schema, const struct csv_format *format, size_t chunk_bytes,
	struct error *err);
/* The same; lines are counted while it is cut, so that its chunks have a first_line. Takes longer. */
MUST_CHECK int csv_file_open_counted(struct csv_file **out, const char *path,
	const struct table_schema *schema, const struct csv_format *format, size_t chunk_bytes,
	struct error *err);
void csv_file_close(struct csv_file *file);

const char *csv_file_path(const struct csv_file *file);
/*
 * The names of its columns, in order and each once; an empty file has none. Without a header they
 * are those of the table, or column_1 and so on. Borrowed.
 */
const struct text *csv_file_header(const struct csv_file *file, uint32_t *count);

/* Whether they stand in it. An empty file has none. */
bool csv_file_has_names(const struct csv_file *file);
/* What its path says (constants.h). Borrowed. */
const struct csv_constant *csv_file_constants(const struct csv_file *file, uint32_t *count);

/* A record with more fields than there are names says that there are more columns. */
bool csv_file_widens(const struct csv_file *file);

/* How the file is written, and its chunks are. Borrowed. */
const struct csv_dialect *csv_file_dialect(const struct csv_file *file);
const struct csv_format *csv_file_format(const struct csv_file *file);
/* What the user should know of how it was read; NULL when there is nothing. Borrowed. */
const char *csv_file_note(const struct csv_file *file);

/*
 * The same about what was seen while it was read, when all chunks were, in CSV_LATE_NOTES notes; false: there is nothing
 * to say in this one. May read the file again, to find a line.
 */
#define CSV_LATE_NOTES 2
bool csv_file_late_note(const struct csv_file *file, uint32_t index, struct buf *out);

#define CSV_CHUNK_NONE UINT64_MAX

/*
 * Thread-safe. 1: a chunk; 0: the end; -1: an error, such as a truncated .gz. With an error in a chunk
 * that has its number already it is that one's, else the chunk's number is CSV_CHUNK_NONE.
 */
MUST_CHECK int csv_file_next(struct csv_file *file, struct csv_chunk *chunk, struct error *err);
/*
 * Of a file that can be read only in order: whether another thread is cutting its next chunk, for which csv_file_next would
 * wait. Meanwhile a thread may unpack a piece of a file whose turn comes later; false: nothing is left to unpack, or
 * somebody else is at it. Its text waits in memory, of which csv_file_ahead_bytes are held. Thread-safe.
 */
bool csv_file_is_busy(struct csv_file *file);
bool csv_file_unpack_ahead(struct csv_file *file);
size_t csv_file_ahead_bytes(struct csv_file *file);
/* Chunks that were cut so far: all of them once csv_file_next has said that it is the end. Thread-safe. */
uint64_t csv_file_chunks(struct csv_file *file);

/* Bytes of the file on disk consumed so far, and its size: for a progress bar. Thread-safe. */
uint64_t csv_file_bytes_done(const struct csv_file *file);
uint64_t csv_file_bytes_total(const struct csv_file *file);

/*
 * Records and lines of a decoded chunk, so that a reject can be given its line in the file
 * whatever order the chunks were decoded in. Thread-safe.
 */
void csv_file_note_lines(struct csv_file *file, uint64_t chunk_number, uint64_t lines);
/* The line (1-based) at which the chunk starts; all chunks before it must have been noted. */
uint64_t csv_file_chunk_line(const struct csv_file *file, uint64_t chunk_number);

#endif
