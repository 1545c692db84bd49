/*
 * Random bytes as SQL. The first byte chooses: a query over a fixed catalog, or a schema. Whatever
 * compiles must keep the promises of plan/plan.h and must be explainable; whatever does not must
 * say why in one line.
 */
#include "sql/compile.h"

#include "unit/sql/sql_check.h"

#include <string.h>

#define SIZE_MAX_FUZZED 4096

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char schema[] =
	"CREATE TABLE t (a bigint, b text, c numeric, d timestamp, e int, f float8, g boolean,"
	"  h date, i time, j text[]) WITH (files = 't.csv');"
	"CREATE TABLE u (a bigint, x int, y numeric(10,2), z text) WITH (files = 'u.csv');";

static void check_message(const struct error *err)
{
	CHECK(err->code != ERROR_NONE && err->code != ERROR_INTERNAL);
	CHECK(err->message[0] != '\0');
}

/* Made once; it lives as long as the process. */
static const struct catalog *fixed_catalog(void)
{
	static struct arena arena;
	static struct catalog catalog;
	struct error err;

	if (!catalog.tables) {
		arena_init(&arena, 1 << 16);
		CHECK(sql_schema("schema", schema, &arena, &catalog, &err) == 0);
		catalog.tables[0].bytes = 1000000000;
	}
	return &catalog;
}

static void fuzz_query(const char *text, struct arena *arena)
{
	struct sql_text query = {.name = "q", .title = "", .text = text};
	struct error err = {0};
	struct plan *plan;
	struct buf out;

	if (sql_compile(fixed_catalog(), &query, 1, arena, &plan, &err) < 0) {
		check_message(&err);
		return;
	}
	check_plan(plan);
	buf_init(&out, 64 << 20);
	sql_explain(plan, &out);
	CHECK(out.size > 0);
	buf_release(&out);
}

static void fuzz_schema(const char *text, struct arena *arena)
{
	struct catalog catalog;
	struct error err = {0};

	if (sql_schema("schema", text, arena, &catalog, &err) < 0)
		check_message(&err);
	else
		CHECK(catalog.table_count <= CATALOG_TABLES_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct arena arena;
	char *text;

	if (size < 1 || size > SIZE_MAX_FUZZED)
		return 0;
	arena_init(&arena, 1 << 16);
	text = arena_strndup(&arena, (const char *)bytes + 1, size - 1);
	if (bytes[0] == 'c')
		fuzz_schema(text, &arena);
	else
		fuzz_query(text, &arena);
	arena_release(&arena);
	return 0;
}
