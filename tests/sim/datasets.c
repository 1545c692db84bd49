#include "sim/datasets.h"

#include "base/memory.h"
#include "cli/request/pack.h"
#include "csv/file.h"
#include "csv/head.h"
#include "gen/gen.h"
#include "local/files.h"
#include "local/run.h"

#include <assert.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define CHUNKS_MAX	  (1u << 20)

static const struct {
	const char *pack;
	uint64_t size;
	uint64_t seed;
} generated[] = {{"coffee", 150u << 10, 1}, {"movies", 250u << 10, 5}, {"books", 150u << 10, 1}};

/* Thresholds of a pack's queries that no small data set reaches, and others in their place. */
static const struct {
	const char *pack;
	const char *from;
	const char *to;
} relaxed[] = {
	{"books", "count(*) >= 500", "count(*) >= 3"},
	{"books", "% 10) >= 10", "% 10) >= 1"},
};

/* --- the corpus --------------------------------------------------------------------------------*/

/* The name in a line "-- query: NAME" or "-- query: NAME (any order)"; 0: it is another line. */
static size_t query_mark(const char *line, const char **name)
{
	static const char mark[] = "-- query: ";

	if (strncmp(line, mark, sizeof(mark) - 1) != 0)
		return 0;
	*name = line + sizeof(mark) - 1;
	return strcspn(*name, " \n");
}

static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

static int add_file(struct dataset *dataset, const char *path, struct error *err)
{
	const char *base = strrchr(path, '/') + 1;
	char *text;

	if (pack_read_file(path, &dataset->arena, &text, err))
		return -1;
	for (const char *line = text; *line;) {
		const char *name, *start, *ignored;
		size_t name_size = query_mark(line, &name);

		line = next_line(line);
		if (!name_size)
			continue;
		start = line;
		while (*line && !query_mark(line, &ignored))
			line = next_line(line);
		if (dataset->query_count == DATASET_QUERIES_MAX)
			return error_set(err, ERROR_LIMIT, "more than %u queries in %s",
				DATASET_QUERIES_MAX, path);
		dataset->queries[dataset->query_count++] = (struct sql_text){
			.name = arena_printf(&dataset->arena, "%.*s/%.*s", (int)strcspn(base, "."),
				base, (int)name_size, name),
			.title = "",
			.text = arena_strndup(&dataset->arena, start, (size_t)(line - start)),
		};
	}
	return 0;
}

/* The queries of all files that match. */
static int load_corpus(
	struct dataset *dataset, const char *root, const char *pattern, struct error *err)
{
	struct arena *arena = &dataset->arena;
	const char *schema_path = arena_printf(arena, "%s/tests/sql/schema.sql", root);
	char *schema;
	glob_t found;
	int status = 0;

	dataset->folder = arena_printf(arena, "%s/tests/sql/data", root);
	if (pack_read_file(schema_path, arena, &schema, err))
		return -1;
	/* As clients send it; a seed of the simulator gives the same world each time. */
	dataset->schema = arena_printf(
		arena, "SET now = '2024-02-29 17:00:00+00';\nSET seed = '1';\n%s", schema);
	dataset->queries = arena_alloc(arena, DATASET_QUERIES_MAX * sizeof(*dataset->queries));
	if (glob(arena_printf(arena, "%s/tests/sql/%s", root, pattern), 0, NULL, &found))
		return error_set(err, ERROR_IO, "no queries in %s/tests/sql", root);
	for (size_t i = 0; i < found.gl_pathc && status == 0; i++) {
		if (strcmp(found.gl_pathv[i], schema_path) != 0)
			status = add_file(dataset, found.gl_pathv[i], err);
	}
	globfree(&found);
	return status;
}

/* --- the packs ---------------------------------------------------------------------------------*/

static void relax(struct dataset *dataset, struct sql_text *query)
{
	for (size_t i = 0; i < sizeof(relaxed) / sizeof(*relaxed); i++) {
		const char *found = strstr(query->text, relaxed[i].from);

		if (found && strcmp(relaxed[i].pack, dataset->name) == 0)
			query->text = arena_printf(&dataset->arena, "%.*s%s%s",
				(int)(found - query->text), query->text, relaxed[i].to,
				found + strlen(relaxed[i].from));
	}
}

static int load_pack(struct dataset *dataset, const char *work_folder, uint64_t size, uint64_t seed,
	struct error *err)
{
	struct gen_options options = {.size = size, .seed = seed, .threads = 1};
	struct gen_report report;
	struct pack pack;

	dataset->folder = arena_printf(&dataset->arena, "%s/%s", work_folder, dataset->name);
	options.folder = dataset->folder;
	if (gen_find(dataset->name)->run(&options, &report, err) ||
		pack_load(dataset->name, &dataset->arena, &pack, err))
		return -1;
	dataset->schema = pack.schema;
	dataset->query_count = pack.query_count;
	dataset->queries = pack.queries;
	for (uint32_t i = 0; i < dataset->query_count; i++)
		relax(dataset, &dataset->queries[i]);
	return 0;
}

/* Results of many packets, over the data of coffee. */
static const struct sql_text long_queries[] = {
	{.name = "rows", .title = "", .text = "SELECT * FROM transactions WHERE store_id > 2"},
	{.name = "first_rows",
		.title = "",
		.text = "SELECT transaction_id, user_id FROM transactions LIMIT 400 OFFSET 20"},
	{.name = "pairs",
		.title = "",
		.text = "SELECT t.transaction_id, i.item_id, i.subtotal FROM transactions t JOIN "
			"transaction_items i ON i.transaction_id = t.transaction_id ORDER BY "
			"i.subtotal, 1"},
};

/* --- all of them -------------------------------------------------------------------------------*/

static struct dataset *add_dataset(struct datasets *datasets, const char *name)
{
	struct dataset *dataset = &datasets->sets[datasets->count++];

	assert(datasets->count <= DATASETS_MAX);
	dataset->name = name;
	arena_init(&dataset->arena, ARENA_BLOCK_BYTES);
	return dataset;
}

static int finish_dataset(struct dataset *dataset, struct error *err)
{
	bool *wanted;

	dataset->answers =
		arena_zalloc(&dataset->arena, dataset->query_count * sizeof(*dataset->answers));
	if (sql_schema(dataset->name, dataset->schema, &dataset->arena, &dataset->catalog, err))
		return -1;
	wanted = arena_alloc(&dataset->arena, dataset->catalog.table_count * sizeof(*wanted));
	memset(wanted, true, dataset->catalog.table_count * sizeof(*wanted));
	return files_measure(&dataset->catalog, wanted, DATA_PLACE(dataset->folder), err);
}

int datasets_init(struct datasets *datasets, const char *root, struct error *err)
{
	struct dataset *dataset;

	memset(datasets, 0, sizeof(*datasets));
	datasets->work_folder = memory_strdup("/tmp/tamiz-sim-XXXXXX");
	if (!mkdtemp(datasets->work_folder)) {
		free(datasets->work_folder);
		datasets->work_folder = NULL;
		return error_set(
			err, ERROR_IO, "cannot make a folder in /tmp: %s", strerror(errno));
	}
	for (size_t i = 0; i < sizeof(generated) / sizeof(*generated); i++) {
		dataset = add_dataset(datasets, generated[i].pack);
		if (load_pack(dataset, datasets->work_folder, generated[i].size, generated[i].seed,
			    err) ||
			finish_dataset(dataset, err))
			return -1;
	}
	dataset = add_dataset(datasets, "long");
	dataset->folder = datasets->sets[0].folder;
	dataset->schema = datasets->sets[0].schema;
	dataset->query_count = sizeof(long_queries) / sizeof(*long_queries);
	dataset->queries = arena_alloc(&dataset->arena, sizeof(long_queries));
	memcpy(dataset->queries, long_queries, sizeof(long_queries));
	if (finish_dataset(dataset, err))
		return -1;
	dataset = add_dataset(datasets, "corpus");
	if (load_corpus(dataset, root, "*.sql", err) || finish_dataset(dataset, err))
		return -1;
	dataset = add_dataset(datasets, "errors");
	return load_corpus(dataset, root, "errors/runtime.sql", err) || finish_dataset(dataset, err)
		       ? -1
		       : 0;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	return remove(path);
}

void datasets_release(struct datasets *datasets)
{
	for (uint32_t i = 0; i < datasets->count; i++)
		arena_release(&datasets->sets[i].arena);
	if (datasets->work_folder)
		nftw(datasets->work_folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	free(datasets->work_folder);
	memset(datasets, 0, sizeof(*datasets));
}

struct dataset *datasets_find(struct datasets *datasets, const char *name)
{
	for (uint32_t i = 0; i < datasets->count; i++) {
		if (strcmp(datasets->sets[i].name, name) == 0)
			return &datasets->sets[i];
	}
	return NULL;
}

/* --- answers -----------------------------------------------------------------------------------*/

int dataset_compile(const struct dataset *dataset, const uint32_t *queries, uint32_t query_count,
	struct arena *arena, struct plan **out, struct error *err)
{
	struct sql_text texts[PLAN_QUERIES_MAX];

	assert(query_count <= PLAN_QUERIES_MAX);
	for (uint32_t i = 0; i < query_count; i++)
		texts[i] = dataset->queries[queries[i]];
	return sql_compile(&dataset->catalog, texts, query_count, arena, out, err);
}

static void append_escaped(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		switch (text[i]) {
		case '\\': buf_append_text(out, "\\\\"); break;
		case '\t': buf_append_text(out, "\\t"); break;
		case '\n': buf_append_text(out, "\\n"); break;
		case '\r': buf_append_text(out, "\\r"); break;
		default: buf_append_char(out, text[i]);
		}
	}
}

void dataset_format_rows(const struct batch *batch, struct buf *out)
{
	struct buf scratch;

	buf_init(&scratch, DATASET_RESULT_MAX);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		for (uint32_t c = 0; c < batch->column_count; c++) {
			struct value value = column_value(&batch->columns[c], row);

			buf_clear(&scratch);
			value_format(&value, &scratch);
			if (c)
				buf_append_char(out, '\t');
			if (value.is_null)
				buf_append_text(out, "\\N");
			else
				append_escaped(out, scratch.data, scratch.size);
		}
		buf_append_char(out, '\n');
	}
	buf_release(&scratch);
}

struct answer_sink {
	struct result_sink sink;
	struct buf rows;
};

static int on_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	struct answer_sink *answer = (struct answer_sink *)sink;

	(void)query;
	dataset_format_rows(batch, &answer->rows);
	if (buf_overflowed(&answer->rows))
		return error_set(
			err, ERROR_LIMIT, "a result of more than %u bytes", DATASET_RESULT_MAX);
	return 0;
}

static int on_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	(void)sink;
	(void)query;
	(void)err;
	return 0;
}

static int run_query(const struct dataset *dataset, uint32_t query, struct answer_sink *answer,
	struct error *err)
{
	const struct local_options options = {.threads = 1};
	struct local_report report;
	struct arena arena;
	struct plan *plan;
	int status;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	status = dataset_compile(dataset, &query, 1, &arena, &plan, err);
	if (status == 0) {
		status = local_run(plan, &dataset->catalog, DATA_PLACE(dataset->folder), &options,
			&answer->sink, &report, err);
		local_report_release(&report);
	}
	arena_release(&arena);
	return status;
}

int dataset_answer(struct dataset *dataset, uint32_t query, const struct dataset_answer **out,
	struct error *err)
{
	struct dataset_answer *answer = &dataset->answers[query];
	struct answer_sink sink = {.sink = {.rows = on_rows, .done = on_done}};
	int status = 0;

	assert(query < dataset->query_count);
	*out = answer;
	if (answer->known)
		return 0;
	buf_init(&sink.rows, DATASET_RESULT_MAX);
	status = run_query(dataset, query, &sink, err);
	if (status == 0) {
		answer->known = true;
		answer->size = sink.rows.size;
		answer->bytes = arena_strndup(
			&dataset->arena, sink.rows.data ? sink.rows.data : "", sink.rows.size);
	}
	buf_release(&sink.rows);
	return status;
}

/* --- chunks ------------------------------------------------------------------------------------*/

struct cut {
	const struct table_schema *schema;
	struct arena *arena;
	size_t chunk_bytes;
	struct buf chunks; /* struct dataset_chunk, one behind the other */
};

static int cut_file(struct cut *cut, const char *path, struct error *err)
{
	struct csv_head head;
	struct csv_chunk chunk;
	struct csv_file *file;
	struct buf text;
	int status;

	if (csv_file_open_counted(
		    &file, path, cut->schema, &cut->schema->format, cut->chunk_bytes, err))
		return -1;
	csv_chunk_init(&chunk);
	/* With the path and the lines, whether or not a query asks for them. */
	head = csv_file_head(file);
	head.own_ragged = head.ragged != cut->schema->dialect.ragged;
	buf_init(&text, 2 * (size_t)CSV_RECORD_MAX);
	while ((status = csv_file_next(file, &chunk, err)) > 0) {
		struct dataset_chunk out;

		buf_clear(&text);
		head.first_line = chunk.first_line;
		csv_head_write(&head, &cut->schema->format, &text);
		buf_append(&text, chunk.data, chunk.size);
		out.size = text.size;
		out.bytes = arena_strndup(cut->arena, text.data, text.size);
		buf_append(&cut->chunks, &out, sizeof(out));
	}
	buf_release(&text);
	csv_chunk_release(&chunk);
	csv_file_close(file);
	return status;
}

int dataset_cut(const struct dataset *dataset, uint32_t table, size_t chunk_bytes,
	struct arena *arena, struct dataset_chunk **chunks, uint32_t *count, struct error *err)
{
	const struct table_schema *schema = &dataset->catalog.tables[table];
	struct cut cut = {.schema = schema, .arena = arena, .chunk_bytes = chunk_bytes};
	struct file_list files;
	int status = 0;

	if (files_match(DATA_PLACE(dataset->folder), schema->files, arena, &files, err))
		return -1;
	buf_init(&cut.chunks, CHUNKS_MAX * sizeof(struct dataset_chunk));
	for (uint32_t i = 0; i < files.count && status == 0; i++)
		status = cut_file(&cut, files.paths[i], err);
	if (status == 0 && buf_overflowed(&cut.chunks))
		status = error_set(err, ERROR_LIMIT, "more than %u chunks", CHUNKS_MAX);
	*count = (uint32_t)(cut.chunks.size / sizeof(struct dataset_chunk));
	*chunks = arena_alloc(arena, cut.chunks.size);
	if (cut.chunks.size)
		memcpy(*chunks, cut.chunks.data, cut.chunks.size);
	buf_release(&cut.chunks);
	return status;
}
