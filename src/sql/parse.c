/*
 * The one file that calls libpg_query. It asks for the tree as JSON, because the JSON names its
 * fields and needs no generated headers, and hands it to convert_*.c.
 *
 * PostgreSQL's grammar is left-recursive: 1+1+1+... becomes a tree as deep as it is long, and
 * libpg_query walks it by recursion without a look at its stack. So it runs on a thread whose stack
 * grows with the text: some 70 bytes of stack for a byte of text were measured in the worst case.
 * What comes back is refused if it is nested deeper than our own walks may go.
 */
#include "sql/ast.h"
#include "sql/compile.h"
#include "sql/convert_private.h"

#include <pg_query.h>

#include <pthread.h>
#include <string.h>

#define PARSE_STACK_BASE     (8u << 20)
#define PARSE_STACK_PER_BYTE 256u

struct parse_job {
	const char *text;
	PgQueryParseResult result;
};

static void *parse_on_thread(void *argument)
{
	struct parse_job *job = argument;

	job->result = pg_query_parse(job->text);
	return NULL;
}

static int run_parser(struct parse_job *job, const struct source *source, struct error *err)
{
	pthread_attr_t attributes;
	size_t size = strnlen(job->text, SQL_TEXT_MAX + 1);
	pthread_t thread;
	int status;

	if (size > SQL_TEXT_MAX)
		return source_error(
			source, -1, err, "the text is longer than %u bytes", SQL_TEXT_MAX);
	pthread_attr_init(&attributes);
	/* Whole pages: 16 bytes of text make one. */
	pthread_attr_setstacksize(
		&attributes, PARSE_STACK_BASE + (size / 16 + 1) * 16 * PARSE_STACK_PER_BYTE);
	status = pthread_create(&thread, &attributes, parse_on_thread, job);
	pthread_attr_destroy(&attributes);
	if (status)
		return error_set(
			err, ERROR_IO, "cannot start the SQL parser: %s", strerror(status));
	pthread_join(thread, NULL);
	return 0;
}

/* libpg_query counts characters from 1; 0 means that it does not know. */
static int syntax_error(const struct source *source, const PgQueryError *error, struct error *err)
{
	int32_t location = error->cursorpos > 0 ? source_offset(source, error->cursorpos - 1) : -1;

	if (strncmp(error->message, "memory exhausted", 16) == 0)
		return source_error(source, location, err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	return source_error(source, location, err, "%s", error->message);
}

/* The "stmts" of the text. */
static int parse_statements(const struct source *source, struct arena *arena,
	const struct json **statements, struct error *err)
{
	struct parse_job job = {.text = source->text};
	struct json *tree = arena_alloc(arena, sizeof(*tree));
	int result = 0;

	if (run_parser(&job, source, err) < 0)
		return -1;
	if (job.result.error) {
		result = syntax_error(source, job.result.error, err);
		goto out;
	}
	switch (json_parse(job.result.parse_tree, arena, tree)) {
	case JSON_OK: *statements = json_get(tree, "stmts"); break;
	case JSON_TOO_DEEP:
		result = source_error(source, -1, err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
		break;
	case JSON_MALFORMED:
		result = error_set(err, ERROR_INTERNAL, "libpg_query gave a tree that is no JSON");
		break;
	}
out:
	pg_query_free_parse_result(job.result);
	return result;
}

int parse_select(const struct source *source, struct arena *arena, struct ast_select **out,
	struct error *err)
{
	struct converter c = {.source = source, .arena = arena, .err = err};
	const struct json *statements, *node;

	if (parse_statements(source, arena, &statements, err) < 0)
		return -1;
	if (json_count(statements) == 0)
		return source_error(source, -1, err, "there is no query in the text");
	if (json_count(statements) > 1)
		return source_error(source, json_int(&statements->items[1], "stmt_location", 0),
			err, "one query is expected, not several");
	node = json_get(&statements->items[0], "stmt");
	if (strcmp(node_kind(node), "SelectStmt") != 0)
		return source_error(source, json_int(&statements->items[0], "stmt_location", 0),
			err, "only SELECT is supported");
	*out = convert_select(&c, node_body(node));
	return *out ? 0 : -1;
}

int parse_schema(const struct source *source, struct arena *arena, struct ast_create_table **tables,
	uint32_t *table_count, struct error *err)
{
	struct converter c = {.source = source, .arena = arena, .err = err};
	const struct json *statements;

	if (parse_statements(source, arena, &statements, err) < 0)
		return -1;
	*tables = convert_schema(&c, statements, table_count);
	return *tables ? 0 : -1;
}
