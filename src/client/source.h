/*
 * The tables of a job as numbered chunks, cut from the files of a folder.
 *
 * The files of a table follow each other as files_match orders them; each is cut by csv/file.h at
 * the job's chunk size. A chunk is the head of its records (csv/head.h) and whole records, in the
 * table's format; so the same files and the same size give the same chunks, whoever cuts them
 * and however often. Plain, .gz and .zst files are read alike, a byte order mark is left out.
 *
 * Chunks are cut in order. Those that were read and not acknowledged stay in memory, as many as the
 * windows of the session hold; others are skipped by cutting them again.
 */
#ifndef CLIENT_SOURCE_H
#define CLIENT_SOURCE_H

#include "client/session.h"
#include "column/schema.h"
#include "plan/plan.h"

#define SOURCE_CHUNK_DEFAULT (8u << 20)

struct chunk_source;
struct data_places;

/*
 * The tables that `plan` reads, in the places of `data`; not the standard input, which cannot be read
 * again. All arguments are borrowed and outlive it. Errors are those of the embedded engine: no files
 * for a table, a folder that is not one.
 */
MUST_CHECK int source_new(struct chunk_source **out, const struct plan *plan,
	const struct catalog *catalog, const struct data_places *data, struct error *err);
/* Why the standard input is no source: ERROR_USAGE. */
MUST_CHECK int source_refuse_stdin(struct error *err);
/* Before the first read. */
void source_set_chunk_bytes(struct chunk_source *source, size_t chunk_bytes);
/* Nothing is lent any more: connections go before it. */
void source_free(struct chunk_source *source);

/* `read` and `acked` of struct session_source; context is the source. */
enum session_read source_read(void *context, const char *table, uint32_t number,
	struct session_chunk *chunk, struct error *err);
void source_acked(void *context, const char *table, uint32_t number);

/* All files, table by table; NULL behind the last. */
const char *source_file(const struct chunk_source *source, uint32_t index);

/* Bytes of the files on disk: all of them, and those of chunks that were acknowledged. */
uint64_t source_bytes_total(const struct chunk_source *source);
uint64_t source_bytes_acked(const struct chunk_source *source);
/* What a person should know about the way files were read so far; NULL behind the last. */
const char *source_note(const struct chunk_source *source, uint32_t index);
/* Records of the table above CSV_RECORD_MAX, which no chunk has: rejects that only we know of. */
uint64_t source_oversized(const struct chunk_source *source, const char *table);

#endif
