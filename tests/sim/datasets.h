/*
 * What simulated clusters are asked: small data sets with their queries, and the right answers.
 *
 * There is one for each pack, generated into a folder of its own; "corpus": the tables and queries
 * of tests/sql; and "errors": those of its queries that must fail while they run. The right answer
 * is the embedded engine's, which tests/sql and tests/oracle compare with other engines.
 */
#ifndef SIM_DATASETS_H
#define SIM_DATASETS_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/schema.h"
#include "sql/compile.h"

#define DATASETS_MAX	    8
#define DATASET_QUERIES_MAX 4096
#define DATASET_RESULT_MAX  (64u << 20)

struct dataset_answer {
	bool known;
	size_t size;
	const char *bytes; /* rows as dataset_format_rows writes them; in the data set's arena */
};

struct dataset {
	const char *name;
	const char *folder;
	const char *schema;	/* CREATE TABLE statements */
	struct catalog catalog; /* with the sizes of the tables */
	uint32_t query_count;
	struct sql_text *queries; /* names of the corpus are "file/query" */
	struct dataset_answer *answers;
	struct arena arena;
};

struct datasets {
	char *work_folder; /* made by datasets_init and removed by datasets_release */
	uint32_t count;
	struct dataset sets[DATASETS_MAX];
};

/* `root` is the folder of the sources, which has tests/sql. Released also after an error. */
MUST_CHECK int datasets_init(struct datasets *datasets, const char *root, struct error *err);
void datasets_release(struct datasets *datasets);

/* NULL: there is none. */
struct dataset *datasets_find(struct datasets *datasets, const char *name);

/* One plan for some of its queries, as a client that asks for them would get it. */
MUST_CHECK int dataset_compile(const struct dataset *dataset, const uint32_t *queries,
	uint32_t query_count, struct arena *arena, struct plan **out, struct error *err);

/* The right answer to one query; found once and kept. */
MUST_CHECK int dataset_answer(struct dataset *dataset, uint32_t query,
	const struct dataset_answer **out, struct error *err);

/*
 * A row a line, tabs between values, NULL as \N; backslash, tab, newline and carriage return in a
 * value are \\, \t, \n and \r.
 */
void dataset_format_rows(const struct batch *batch, struct buf *out);

/* Whole records of one file, behind its header line when the table's format has one. */
struct dataset_chunk {
	const char *bytes;
	size_t size;
};

/*
 * The files of a table in chunks of about `chunk_bytes` of records; chunk i has number i + 1. A
 * table without records has none. All in the arena.
 */
MUST_CHECK int dataset_cut(const struct dataset *dataset, uint32_t table, size_t chunk_bytes,
	struct arena *arena, struct dataset_chunk **chunks, uint32_t *count, struct error *err);

#endif
