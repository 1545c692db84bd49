#include "cli/ui/answer.h"

#include "base/json_write.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "cli/format/format.h"
#include "client/job_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (64u << 10)
#define CELL_BYTES_MAX	  4000u
#define DOWNLOAD_MAX	  ((size_t)1 << 32)

/* --- JSON ----------------------------------------------------------------------------------------
 */

static const char *state_name(enum question_state state)
{
	static const char *const names[] = {"running", "done", "failed", "cancelled"};

	return names[state];
}

/* How a page shows and draws values of the type. */
static const char *shape_of(struct type type)
{
	switch (type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_NUMERIC:
	case TYPE_REAL:
	case TYPE_DOUBLE: return "number";
	case TYPE_DATE:
	case TYPE_TIMESTAMP:
	case TYPE_TIMESTAMPTZ: return "time";
	default: return "text";
	}
}

static void put_columns(const struct question *question, struct json_writer *json)
{
	json_open(json, "columns", '[');
	for (uint32_t c = 0; c < question->column_count; c++) {
		char type[TYPE_NAME_MAX];

		json_open(json, NULL, '{');
		json_put_text(json, "name", question->names[c]);
		json_put_text(json, "type", type_name(question->meant[c], type));
		json_put_text(json, "shape", shape_of(question->meant[c]));
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void put_notes(const struct question *question, struct json_writer *json)
{
	const char *at = question->notes.data;
	size_t left = question->notes.size;

	json_open(json, "notes", '[');
	while (left > 0) {
		const char *end = memchr(at, '\n', left);
		size_t size = end ? (size_t)(end - at) : left;
		char *line = memory_alloc(size + 1);

		memcpy(line, at, size);
		line[size] = '\0';
		json_put_text(json, NULL, line);
		free(line);
		size += end != NULL;
		at += size;
		left -= size;
	}
	json_close(json, ']');
}

static void put_end(const struct question *question, struct json_writer *json)
{
	json_put_u64(json, "ms", (uint64_t)(question->seconds * 1000));
	json_put_u64(json, "rows_read", question->rows_read);
	json_put_u64(json, "rows_rejected", question->rows_rejected);
	put_notes(question, json);
}

static void put_job(uint64_t job, struct json_writer *json)
{
	char id[JOB_KEY_ID_DIGITS + 1];

	snprintf(id, sizeof(id), "%016" PRIx64, job);
	json_put_text(json, "job", id);
}

void answer_state(struct question *question, struct buf *out)
{
	struct json_writer json = {out, false};
	enum question_state state;
	enum question_stage stage;
	uint64_t done, total, job;

	pthread_mutex_lock(&question->lock);
	state = question->state;
	stage = question->stage;
	done = question->done;
	total = question->total;
	job = question->job;
	pthread_mutex_unlock(&question->lock);
	json_open(&json, NULL, '{');
	json_put_u64(&json, "id", question->id);
	json_put_text(&json, "state", state_name(state));
	json_put_text(&json, "sql", question->sql);
	json_put_text(&json, "stage", stage == QUESTION_READING ? "reading" : "working");
	json_put_u64(&json, "done", done);
	json_put_u64(&json, "total", total);
	if (job)
		put_job(job, &json);
	if (state != QUESTION_RUNNING)
		put_end(question, &json);
	if (state == QUESTION_DONE) {
		json_put_u64(&json, "rows", question->row_count);
		json_put_bool(&json, "truncated", question->truncated);
		put_columns(question, &json);
	} else if (state == QUESTION_FAILED) {
		json_put_text(&json, "error", question->error.message);
	}
	json_close(&json, '}');
}

static void put_cell(
	const struct column *column, uint32_t row, struct buf *scratch, struct buf *out)
{
	struct value value;
	size_t size;

	if (column_is_null(column, row)) {
		buf_append_text(out, "null");
		return;
	}
	value = column_value(column, row);
	buf_clear(scratch);
	format_value(&value, scratch);
	size = scratch->size;
	if (size > CELL_BYTES_MAX) {
		size = CELL_BYTES_MAX - 3;
		/* Not in the middle of a character. */
		while (size > 0 && ((unsigned char)scratch->data[size] & 0xc0) == 0x80)
			size--;
		memcpy(scratch->data + size, "\xe2\x80\xa6", 3);
		size += 3;
	}
	json_append_string(out, size ? scratch->data : "", size);
}

static void put_row(const struct batch *batch, uint32_t row, struct buf *scratch, struct buf *out)
{
	buf_append_char(out, '[');
	for (uint32_t c = 0; c < batch->column_count; c++) {
		if (c > 0)
			buf_append_char(out, ',');
		put_cell(&batch->columns[c], row, scratch, out);
	}
	buf_append_char(out, ']');
}

/* The batch in which a row is. */
static uint32_t find_batch(const struct question *question, uint64_t row)
{
	uint32_t low = 0, high = question->rows.batch_count;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (question->firsts[middle] <= row)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int put_rows(const struct question *question, uint64_t first, uint64_t end, struct buf *out,
	struct error *err)
{
	struct arena arena;
	struct batch batch;
	struct buf scratch;
	uint64_t row = first;
	int status = 0;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	buf_init(&scratch, DOWNLOAD_MAX);
	while (row < end && !status) {
		uint32_t index = find_batch(question, row);

		arena_reset(&arena);
		status = kept_rows_get(&question->rows, index, &arena, &batch, err);
		for (uint64_t k = row - question->firsts[index];
			!status && k < batch.selected && row < end; k++, row++) {
			if (row > first)
				buf_append_char(out, ',');
			put_row(&batch, batch_row(&batch, (uint32_t)k), &scratch, out);
		}
	}
	buf_release(&scratch);
	arena_release(&arena);
	return status;
}

int answer_rows(const struct question *question, uint64_t first, uint64_t count, struct buf *out,
	struct error *err)
{
	uint64_t rows = question->row_count;

	if (first > rows)
		first = rows;
	if (count > ANSWER_ROWS_MAX)
		count = ANSWER_ROWS_MAX;
	if (count > rows - first)
		count = rows - first;
	buf_printf(out, "{\"first\":%" PRIu64 ",\"rows\":[", first);
	if (put_rows(question, first, first + count, out, err))
		return -1;
	buf_append_text(out, "]}");
	return buf_overflowed(out) ? error_set(err, ERROR_LIMIT, "these rows are too long") : 0;
}

static void put_table(const struct table_schema *table, struct json_writer *json)
{
	json_open(json, NULL, '{');
	json_put_text(json, "name", table->name);
	json_put_u64(json, "bytes", table->bytes);
	if (table->problem)
		json_put_text(json, "problem", table->problem->message);
	json_open(json, "columns", '[');
	for (uint32_t c = 0; c < table->column_count && !table->problem; c++) {
		char type[TYPE_NAME_MAX];

		json_open(json, NULL, '{');
		json_put_text(json, "name", table->columns[c].name);
		json_put_text(json, "type", type_name(table->columns[c].type, type));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void put_name(void *json, const char *name)
{
	json_put_text(json, NULL, name);
}

int answer_tables(const struct ui_options *options, struct buf *out, struct error *err)
{
	struct json_writer json = {out, false};
	struct catalog catalog;
	struct arena arena;
	int status;

	arena_init(&arena, ARENA_BLOCK_BYTES);
	status = catalog_load(
		options->schema, NULL, &options->data, &options->files, &arena, &catalog, err);
	if (!status) {
		json_open(&json, NULL, '{');
		json_open(&json, "tables", '[');
		for (uint32_t t = 0; t < catalog.table_count; t++)
			put_table(&catalog.tables[t], &json);
		json_close(&json, ']');
		json_open(&json, "files", '[');
		upload_list(options->folder, put_name, &json);
		json_close(&json, ']');
		json_close(&json, '}');
	}
	arena_release(&arena);
	return status;
}

/* --- downloads -----------------------------------------------------------------------------------
 */

struct download {
	struct question *question;
	const struct format_ops *ops;
	struct plan_query query;
	struct format_style style;
	struct format *format;
	struct arena arena;
	struct buf bytes; /* of which `given` are away */
	size_t given;
	uint32_t batch; /* the next */
	bool ended;
};

static bool is_json(const struct download *download)
{
	return download->ops == &format_json;
}

/* The line with the names; of JSON the bracket. */
static void begin_download(struct download *download)
{
	struct output header;
	struct error ignored;

	if (is_json(download)) {
		buf_append_text(&download->bytes, "[\n");
		return;
	}
	output_init_spool(&header);
	if (download->ops->end(download->format, &header, &ignored) == 0)
		buf_append(&download->bytes, header.buf.data, header.buf.size);
	output_release(&header);
}

struct download *download_new(struct question *question, const struct format_ops *form)
{
	struct download *download = memory_zalloc(sizeof(*download));

	download->question = question;
	download->ops = form;
	download->query = (struct plan_query){.name = "",
		.title = "",
		.column_count = question->column_count,
		.names = question->names,
		.types = question->types};
	download->format = form->new (&download->query, &download->style);
	arena_init(&download->arena, ARENA_BLOCK_BYTES);
	buf_init(&download->bytes, DOWNLOAD_MAX);
	begin_download(download);
	return download;
}

void download_free(void *context)
{
	struct download *download = context;

	download->ops->free(download->format);
	arena_release(&download->arena);
	buf_release(&download->bytes);
	question_drop(download->question);
	free(download);
}

static int add_batch(struct download *download)
{
	struct batch batch;
	struct error ignored;
	size_t before = download->bytes.size;

	arena_reset(&download->arena);
	if (kept_rows_get(
		    &download->question->rows, download->batch, &download->arena, &batch, &ignored))
		return -1;
	download->ops->append(download->format, &batch, &download->bytes);
	/* JSON's rows begin with ",\n", which the first must not. */
	if (is_json(download) && download->batch == 0 && download->bytes.size > before + 2) {
		memmove(download->bytes.data + before, download->bytes.data + before + 2,
			download->bytes.size - before - 2);
		download->bytes.size -= 2;
	}
	download->batch++;
	return buf_overflowed(&download->bytes) ? -1 : 0;
}

ssize_t download_read(void *context, char *bytes, size_t size_max)
{
	struct download *download = context;
	size_t size;

	while (download->given == download->bytes.size && !download->ended) {
		buf_clear(&download->bytes);
		download->given = 0;
		if (download->batch < download->question->rows.batch_count) {
			if (add_batch(download))
				return -1;
			continue;
		}
		download->ended = true;
		if (is_json(download))
			buf_append_text(
				&download->bytes, download->question->row_count ? "\n]\n" : "]\n");
	}
	size = download->bytes.size - download->given;
	if (size > size_max)
		size = size_max;
	if (size > 0)
		memcpy(bytes, download->bytes.data + download->given, size);
	download->given += size;
	return (ssize_t)size;
}
