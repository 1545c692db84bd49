/*
 * The one file that calls libpg_query's parser. It unpacks the tree into the arena of the
 * compilation, and hands it to convert_*.c.
 *
 * PostgreSQL's grammar is left-recursive: 1+1+1+... becomes a tree as deep as it is long, and
 * libpg_query walks it by recursion without a look at its stack. So it runs on a thread whose stack
 * grows with the text: some 70 bytes of stack for a byte of text were measured in the worst case.
 *
 * Packing and unpacking are worse than that: a KB of stack for a level, and every level moves all
 * that is below it, which takes minutes for a tree as deep as the longest text allows. The JSON of
 * the same tree is cheap, so its brackets tell the depth first, unless the text is too short for
 * that to matter. What passes is still refused by convert_*.c if it is nested deeper than our own
 * walks may go.
 */
#include "sql/compile.h"
#include "sql/parse/ast.h"
#include "sql/parse/convert_private.h"

#include <pg_query.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PARSE_STACK_BASE     (16u << 20)
#define PARSE_STACK_PER_BYTE 256u
/* Of brackets in the JSON, no fewer than of messages. Up to six make one of SQL_NESTING_MAX. */
#define TREE_NESTING_MAX 4000
/* A byte of text makes two levels of the tree at most: a minus sign does. */
#define TEXT_SHALLOW_MAX (TREE_NESTING_MAX / 2)

struct parse_job {
	const char *text;
	size_t size;
	struct arena *arena;
	bool too_deep;
	PgQueryProtobufParseResult result;
	PgQuery__ParseResult *tree; /* NULL after an error */
};

/* How deep its objects and arrays are nested. */
static uint32_t json_depth(const char *json)
{
	uint32_t depth = 0, deepest = 0;
	bool quoted = false;

	for (; *json; json++) {
		if (*json == '"') {
			quoted = !quoted;
		} else if (quoted) {
			if (*json == '\\' && json[1])
				json++;
		} else if (*json == '{' || *json == '[') {
			depth++;
			deepest = depth > deepest ? depth : deepest;
		} else if (*json == '}' || *json == ']') {
			depth--;
		}
	}
	return deepest;
}

/* False as well for a text with a syntax error. */
static bool is_too_deep(const char *text)
{
	PgQueryParseResult result = pg_query_parse(text);
	bool too_deep = !result.error && json_depth(result.parse_tree) > TREE_NESTING_MAX;

	pg_query_free_parse_result(result);
	return too_deep;
}

static void *tree_alloc(void *arena, size_t size)
{
	return arena_alloc(arena, size);
}

static void tree_free(void *arena, void *memory)
{
	(void)arena;
	(void)memory;
}

static void *parse_on_thread(void *argument)
{
	struct parse_job *job = argument;
	ProtobufCAllocator allocator = {tree_alloc, tree_free, job->arena};

	job->too_deep = job->size > TEXT_SHALLOW_MAX && is_too_deep(job->text);
	if (job->too_deep)
		return NULL;
	job->result = pg_query_parse_protobuf(job->text);
	if (!job->result.error)
		job->tree = pg_query__parse_result__unpack(&allocator, job->result.parse_tree.len,
			(const uint8_t *)job->result.parse_tree.data);
	return NULL;
}

/*
 * A stack of our own: those that the C library makes it keeps for later threads of the same size, tens of megabytes in
 * a process whose memory is limited. The lowest page is there to be hit by what needs more.
 */
static void *stack_new(size_t size, size_t guard)
{
	char *stack = mmap(NULL, guard + size, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		return NULL;
	if (mprotect(stack, guard, PROT_NONE) == 0)
		return stack;
	munmap(stack, guard + size);
	return NULL;
}

static int run_parser(struct parse_job *job, struct error *err)
{
	size_t guard = (size_t)sysconf(_SC_PAGESIZE);
	/* Whole pages: 16 bytes of text make one. */
	size_t size = PARSE_STACK_BASE + (job->size / 16 + 1) * 16 * PARSE_STACK_PER_BYTE;
	char *stack = stack_new(size, guard);
	pthread_attr_t attributes;
	pthread_t thread;
	int status;

	if (!stack)
		return error_set(err, ERROR_IO, "cannot start the SQL parser: %s", strerror(errno));
	pthread_attr_init(&attributes);
	status = pthread_attr_setstack(&attributes, stack + guard, size);
	if (!status)
		status = pthread_create(&thread, &attributes, parse_on_thread, job);
	pthread_attr_destroy(&attributes);
	if (!status)
		pthread_join(thread, NULL);
	munmap(stack, guard + size);
	if (status)
		return error_set(
			err, ERROR_IO, "cannot start the SQL parser: %s", strerror(status));
	return 0;
}

/* The place of an error in the text; libpg_query counts characters from 1, and 0 is none. */
static int32_t error_location(const struct stand_ins *names, const PgQueryError *error)
{
	struct sql_source parsed = {.text = names->text};

	return error->cursorpos > 0 ? source_offset(&parsed, error->cursorpos - 1) : -1;
}

static int syntax_error(const struct sql_source *source, const struct stand_ins *names,
	const PgQueryError *error, struct arena *arena, struct error *err)
{
	int32_t location = error_location(names, error);
	const char *hint = syntax_hint(source->text, location);

	if (strncmp(error->message, "memory exhausted", 16) == 0)
		return source_error(source, location, err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	return source_error(source, location, err, "%s%s%s",
		stand_ins_readable(names, error->message, arena), hint ? "; " : "",
		hint ? hint : "");
}

/* Parses again and again as long as the error is a name that a stand-in helps, if there may be such. */
static int parse_text(const struct sql_source *source, struct stand_ins *names, bool files,
	struct arena *arena, const PgQuery__ParseResult **tree, struct error *err)
{
	struct parse_job job = {.size = strnlen(source->text, SQL_TEXT_MAX + 1), .arena = arena};
	int result = 0;

	if (job.size > SQL_TEXT_MAX)
		return source_error(
			source, -1, err, "the text is longer than %u bytes", SQL_TEXT_MAX);
	stand_ins_init(names, source->text, job.size, arena);
	job.text = names->text;
	for (;;) {
		if (run_parser(&job, err) < 0)
			return -1;
		if (!files || job.too_deep || !job.result.error ||
			!stand_ins_take(names, error_location(names, job.result.error), arena))
			break;
		pg_query_free_protobuf_parse_result(job.result);
	}
	if (job.too_deep)
		return source_error(source, -1, err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	if (job.result.error)
		result = syntax_error(source, names, job.result.error, arena, err);
	else if (!job.tree)
		result = error_set(
			err, ERROR_INTERNAL, "libpg_query gave a tree that cannot be unpacked");
	*tree = job.tree;
	pg_query_free_protobuf_parse_result(job.result);
	if (result == 0 && names->count > 0)
		stand_ins_restore(names, &job.tree->base);
	return result;
}

/* A name of a file that is not a table after all: an alias of a column, for example. */
static int check_files(
	const struct sql_source *source, const struct stand_ins *names, struct error *err)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (names->items[i].is_file && !names->items[i].used)
			return source_error(source, names->items[i].location, err,
				"syntax error at or near \"'%s'\"", names->items[i].name);
	return 0;
}

/* `in_function`: it is the body of one. */
static int parse_query(const struct sql_source *source, bool in_function, struct arena *arena,
	struct ast_select **out, struct ast_tables *tables, struct error *err)
{
	struct stand_ins names;
	struct converter c = {.source = source,
		.names = &names,
		.tables = tables,
		.in_function = in_function,
		.arena = arena,
		.err = err};
	const PgQuery__ParseResult *tree;
	const PgQuery__Node *node;

	if (parse_text(source, &names, true, arena, &tree, err) < 0)
		return -1;
	if (tree->n_stmts == 0)
		return source_error(source, -1, err, "there is no query in the text");
	if (tree->n_stmts > 1)
		return source_error(source, tree->stmts[1]->stmt_location, err,
			"one query is expected, not several");
	node = tree->stmts[0]->stmt;
	if (!node || node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
		return source_error(
			source, tree->stmts[0]->stmt_location, err, "only SELECT is supported");
	*out = convert_select(&c, node->select_stmt);
	if (!*out)
		return -1;
	return check_files(source, &names, err);
}

int parse_select(const struct sql_source *source, struct arena *arena, struct ast_select **out,
	struct ast_tables *tables, struct error *err)
{
	return parse_query(source, false, arena, out, tables, err);
}

int parse_body_text(const struct sql_source *source, struct arena *arena, struct ast_select **out,
	struct error *err)
{
	return parse_query(source, true, arena, out, NULL, err);
}

/* The body of a function that is a text of its own: places in it are counted from its start. */
static int parse_body(struct ast_function *function, struct arena *arena, struct error *err)
{
	if (!function->body_text)
		return 0;
	function->source.name = arena_printf(arena, "function %s", function->name);
	function->source.text = function->body_text;
	return parse_query(&function->source, true, arena, &function->body, &function->tables, err);
}

int parse_statement(const struct sql_source *source, struct arena *arena, struct sql_statement *out,
	struct error *err)
{
	struct sql_source grammatical = *source;
	struct stand_ins names;
	struct converter c = {.source = source,
		.names = &names,
		.tables = &out->queries.tables[0],
		.arena = arena,
		.err = err};
	const PgQuery__ParseResult *tree;
	enum sql_statement_kind kind;

	grammatical.text = sql_inspected(source->text, arena, &kind);
	if (parse_text(&grammatical, &names, true, arena, &tree, err) < 0)
		return -1;
	if (tree->n_stmts == 0 && kind == SQL_NOTHING)
		return 0;
	if (tree->n_stmts == 0)
		return source_error(source, -1, err, "there is no query in the text");
	if (tree->n_stmts > 1)
		return source_error(source, tree->stmts[1]->stmt_location, err,
			"one statement is expected, not several");
	if (convert_statement(&c, tree->stmts[0], out) < 0)
		return -1;
	if (kind != SQL_NOTHING && out->kind != SQL_QUERY)
		return source_error(source, 0, err, "%s takes a table or a query",
			kind == SQL_DESCRIBE ? "DESCRIBE" : "SUMMARIZE");
	out->kind = kind != SQL_NOTHING ? kind : out->kind;
	return check_files(source, &names, err);
}

int parse_schema(const struct sql_source *source, struct arena *arena, struct ast_schema *out,
	struct error *err)
{
	struct stand_ins names;
	struct converter c = {.source = source, .names = &names, .arena = arena, .err = err};
	const PgQuery__ParseResult *tree;

	if (parse_text(source, &names, false, arena, &tree, err) < 0 ||
		convert_schema(&c, tree, out) < 0)
		return -1;
	for (uint32_t i = 0; i < out->function_count; i++)
		if (parse_body(&out->functions[i], arena, err) < 0)
			return -1;
	return 0;
}
