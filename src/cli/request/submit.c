#include "cli/request/submit.h"

#include "base/hash.h"
#include "base/memory.h"
#include "cli/request/catalog.h"
#include "cli/request/execute.h"
#include "cli/request/pack.h"
#include "client/source.h"
#include "local/files.h"
#include "sql/compile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_pack(const char *operand)
{
	struct stat info;

	for (uint32_t i = 0; i < embedded_pack_count; i++)
		if (strcmp(embedded_packs[i].name, operand) == 0)
			return true;
	if (strcmp(operand, "-") == 0 || stat(operand, &info))
		return false;
	return S_ISDIR(info.st_mode);
}

static int prepare_pack(const struct submit_options *options, const char *name, struct arena *arena,
	struct submit_request *out, struct error *err)
{
	const struct data_places data = catalog_places(&options->data);
	struct pack pack;

	if (options->schema)
		return error_set(err, ERROR_USAGE, "a pack has a schema of its own: no --schema");
	if (pack_load(name, arena, &pack, err) || pack_select(&pack, &options->queries, err) ||
		sql_schema(pack.schema_origin, pack.schema, arena, &out->catalog, err) ||
		sql_parse(pack.queries, pack.query_count, arena, &out->parsed, err))
		return -1;
	out->pack = true;
	out->query_count = pack.query_count;
	return catalog_complete(&out->catalog, &out->parsed, &data, &options->files, arena, err);
}

static int prepare_sql(const struct submit_options *options, const char *operand,
	struct arena *arena, struct submit_request *out, struct error *err)
{
	struct sql_text *query = arena_zalloc(arena, sizeof(*query));
	const struct data_places data = catalog_places(&options->data);
	const char *text = options->sql;
	char *contents;

	if (options->queries.count)
		return error_set(
			err, ERROR_USAGE, "--query chooses from a pack, and there is none");
	if (!text) {
		struct stat info;

		/* A name that is nothing at all was more likely meant as a pack. */
		if (strcmp(operand, "-") != 0 && stat(operand, &info)) {
			struct pack pack;

			return pack_load(operand, arena, &pack, err);
		}
		if (pack_read_file(operand, arena, &contents, err))
			return -1;
		text = contents;
	}
	*query = (struct sql_text){.name = "", .title = "", .text = text};
	out->query_count = 1;
	if (sql_parse(query, 1, arena, &out->parsed, err))
		return -1;
	return catalog_load(
		options->schema, &out->parsed, &data, &options->files, arena, &out->catalog, err);
}

/* And the part of the hash that is the schema's: a file that has changed is another matter. */
static int write_schema(struct arena *arena, struct submit_request *out, struct error *err)
{
	bool *wanted = arena_zalloc(arena, out->catalog.table_count + 1);
	struct buf text;
	int status = 0;

	sql_named_tables(&out->parsed, &out->catalog, wanted);
	out->table_count = 0;
	out->table_bytes = arena_zalloc(arena, (out->catalog.table_count + 1) * sizeof(uint64_t));
	for (uint32_t t = 0; t < out->catalog.table_count; t++)
		if (wanted[t])
			out->table_bytes[out->table_count++] = out->catalog.tables[t].bytes;
	buf_init(&text, WIRE_SQL_MAX);
	statement_start_write(&out->catalog.start, false, &text);
	sql_schema_write(&out->catalog, wanted, false, &text);
	out->hash = hash_bytes(text.data, text.size);
	buf_clear(&text);
	sql_schema_write(&out->catalog, wanted, true, &text);
	if (buf_overflowed(&text))
		status = error_set(err, ERROR_LIMIT, "the tables' schema has more than %u bytes",
			WIRE_SQL_MAX);
	else
		out->schema = arena_strndup(arena, text.size ? text.data : "", text.size);
	buf_release(&text);
	return status;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_combine(hash, hash_bytes(text, strlen(text)));
}

int submit_compile(struct submit_request *request, struct arena *arena, struct error *err)
{
	const struct sql_text *texts = request->parsed.texts;

	if (sql_plan(&request->catalog, &request->parsed, arena, &request->plan, err) ||
		write_schema(arena, request, err))
		return -1;
	request->queries = arena_alloc(arena, request->query_count * sizeof(*request->queries));
	for (uint32_t q = 0; q < request->query_count; q++) {
		request->queries[q] =
			(struct wire_query_text){texts[q].name, texts[q].title, texts[q].text};
		request->hash = hash_text(hash_text(request->hash, texts[q].name), texts[q].text);
	}
	return 0;
}

int submit_prepare(const struct submit_options *options, const char *operand, struct arena *arena,
	struct submit_request *out, struct error *err)
{
	const struct data_places data = catalog_places(&options->data);
	int status;

	*out = (struct submit_request){0};
	for (uint32_t i = 0; i < data.count; i++)
		if (strcmp(data.paths[i], FILES_STDIN) == 0)
			return source_refuse_stdin(err);
	if (!operand == !options->sql)
		return error_set(err, ERROR_USAGE,
			operand ? "give the query once: with --sql, or as an operand"
				: "tamiz submit needs a pack, a file with a query, or --sql SQL");
	status = operand && is_pack(operand) ? prepare_pack(options, operand, arena, out, err)
					     : prepare_sql(options, operand, arena, out, err);
	return status ? -1 : submit_compile(out, arena, err);
}

static struct table_schema *guessed_table(
	const struct submit_request *request, const struct error *wrong)
{
	return &request->catalog.tables[request->plan->tables[wrong->guess.table].source];
}

bool submit_is_our_guess(const struct submit_request *request, const struct error *wrong)
{
	const struct error_guess *guess = &wrong->guess;
	const struct table_schema *table;

	if (wrong->code != ERROR_GUESS || guess->table >= request->plan->table_count)
		return false;
	table = guessed_table(request, wrong);
	if (guess->fields == 0)
		return guess->column < table->column_count && table->columns[guess->column].guessed;
	return table->inferred && guess->width < guess->fields &&
	       guess->fields <= TABLE_COLUMNS_MAX &&
	       !(table->widths && table->widths[guess->width] >= guess->fields);
}

int submit_widen(struct submit_request *request, const struct data_places *data,
	struct arena *arena, const struct error *wrong, struct buf *lines, struct error *err)
{
	assert(submit_is_our_guess(request, wrong));
	return execute_widen(guessed_table(request, wrong), data, arena, wrong, lines, err);
}
