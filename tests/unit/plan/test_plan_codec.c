/*
 * Plans as bytes and back: those of all packs and of the whole corpus of queries. What is read is
 * the plan that was written, and no other bytes are taken for one, or crash.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/rng.h"
#include "cli/request/pack.h"
#include "plan/plan_check.h"
#include "plan/plan_codec.h"
#include "sql/compile.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_MAX      (16u << 20)
#define CHECKSUM_SIZE 8
#define MARK	      "-- query: "

static void explain(const struct plan *plan, struct buf *out)
{
	buf_clear(out);
	sql_explain(plan, out);
	buf_append_char(out, '\0');
	assert_false(buf_overflowed(out));
}

static void check_catalog(const struct plan *plan, const struct catalog *catalog,
	const struct plan *read, const struct catalog *tables)
{
	assert_int_equal(read->table_count, plan->table_count);
	assert_int_equal(tables->table_count, plan->table_count);
	for (uint32_t i = 0; i < plan->table_count; i++) {
		const struct table_schema *from = &catalog->tables[plan->tables[i].source];
		const struct table_schema *to = &tables->tables[read->tables[i].source];

		assert_string_equal(from->name, to->name);
		assert_int_equal(from->column_count, to->column_count);
		for (uint32_t c = 0; c < from->column_count; c++) {
			assert_string_equal(from->columns[c].name, to->columns[c].name);
			assert_true(type_equal(from->columns[c].type, to->columns[c].type));
		}
		assert_int_equal(from->format.delimiter, to->format.delimiter);
		assert_int_equal(from->format.quote, to->format.quote);
		assert_int_equal(from->inferred, to->inferred);
		assert_int_equal(from->dialect.ragged, to->dialect.ragged);
		assert_int_equal(from->dialect.null_count, to->dialect.null_count);
		for (uint32_t n = 0; n < from->dialect.null_count; n++)
			assert_string_equal(from->dialect.nulls[n], to->dialect.nulls[n]);
	}
}

/* For the fuzzer, which adds the checksum itself: PLAN_SEEDS is a folder. */
static void keep_seed(const struct buf *bytes)
{
	const char *folder = getenv("PLAN_SEEDS");
	char path[512];
	FILE *file;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%016llx", folder,
		(unsigned long long)hash_bytes(bytes->data, bytes->size));
	file = fopen(path, "wb");
	if (!file || fwrite(bytes->data, bytes->size - CHECKSUM_SIZE, 1, file) != 1 ||
		fclose(file) != 0)
		fail_msg("cannot write %s", path);
}

static void check_round_trip(const struct plan *plan, const struct catalog *catalog)
{
	struct buf bytes, again, text, text_again;
	struct catalog tables;
	struct plan *read;
	struct arena arena;
	struct error err;

	buf_init(&bytes, PLAN_BYTES_MAX);
	buf_init(&again, PLAN_BYTES_MAX);
	buf_init(&text, TEXT_MAX);
	buf_init(&text_again, TEXT_MAX);
	arena_init(&arena, 1 << 16);
	if (plan_check(plan, &err) < 0 || plan_encode(plan, catalog, &bytes, &err) < 0)
		fail_msg("%s: %s", plan->queries[0].name, err.message);
	keep_seed(&bytes);
	if (plan_decode(bytes.data, bytes.size, &arena, &read, &tables, &err) < 0)
		fail_msg("%s", err.message);
	/* Nothing may point into the bytes. */
	if (plan_encode(plan, catalog, &again, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(again.size, bytes.size);
	assert_memory_equal(again.data, bytes.data, bytes.size);
	memset(bytes.data, 0xee, bytes.size);
	buf_clear(&bytes);
	if (plan_encode(read, &tables, &bytes, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(again.size, bytes.size);
	assert_memory_equal(again.data, bytes.data, bytes.size);
	explain(plan, &text);
	explain(read, &text_again);
	assert_string_equal(text.data, text_again.data);
	check_catalog(plan, catalog, read, &tables);
	arena_release(&arena);
	buf_release(&bytes);
	buf_release(&again);
	buf_release(&text);
	buf_release(&text_again);
}

static void packs_round_trip(void **state)
{
	(void)state;
	for (uint32_t p = 0; p < embedded_pack_count; p++) {
		struct catalog catalog;
		struct arena arena;
		struct plan *plan;
		struct pack pack;
		struct error err;

		arena_init(&arena, 1 << 16);
		if (pack_load(embedded_packs[p].name, &arena, &pack, &err) < 0 ||
			sql_schema("schema", pack.schema, &arena, &catalog, &err) < 0 ||
			sql_compile(&catalog, pack.queries, pack.query_count, &arena, &plan, &err) <
				0)
			fail_msg("%s: %s", embedded_packs[p].name, err.message);
		check_round_trip(plan, &catalog);
		arena_release(&arena);
	}
}

static void read_file(const char *path, struct arena *arena, char **text)
{
	struct error err;

	if (pack_read_file(path, arena, text, &err) < 0)
		fail_msg("%s", err.message);
}

/* Cuts the file at its marks; returns how many queries it has. */
static uint32_t split_queries(char *text, struct sql_text *queries, uint32_t most)
{
	uint32_t count = 0;
	char *at = strstr(text, MARK);

	while (at && count < most) {
		char *name = at + strlen(MARK);
		char *body = strchr(name, '\n');
		char *next = body ? strstr(body, MARK) : NULL;

		if (!body)
			break;
		*body++ = '\0';
		if (next)
			next[-1] = '\0';
		queries[count++] = (struct sql_text){.name = name, .title = "", .text = body};
		at = next;
	}
	return count;
}

/* Each query alone, then all of them as one job. */
static void check_file(
	const char *path, const struct catalog *catalog, struct arena *arena, uint32_t *total)
{
	static struct sql_text queries[1000];
	struct error err;
	struct plan *plan;
	uint32_t count;
	char *text;

	read_file(path, arena, &text);
	count = split_queries(text, queries, 1000);
	assert_int_not_equal(count, 0);
	for (uint32_t i = 0; i < count; i++) {
		if (sql_compile(catalog, &queries[i], 1, arena, &plan, &err) < 0)
			fail_msg("%s: %s", path, err.message);
		check_round_trip(plan, catalog);
	}
	for (uint32_t i = 0; i < count; i += PLAN_QUERIES_MAX) {
		uint32_t some = count - i < PLAN_QUERIES_MAX ? count - i : PLAN_QUERIES_MAX;

		if (sql_compile(catalog, &queries[i], some, arena, &plan, &err) < 0)
			fail_msg("%s: %s", path, err.message);
		check_round_trip(plan, catalog);
	}
	*total += count;
}

static void corpus_round_trips(void **state)
{
	struct catalog catalog;
	struct arena arena;
	struct error err;
	uint32_t total = 0;
	glob_t paths;
	char *schema;

	(void)state;
	arena_init(&arena, 1 << 16);
	read_file("tests/sql/schema.sql", &arena, &schema);
	if (sql_schema("schema", schema, &arena, &catalog, &err) < 0 ||
		statement_start_begin(&catalog.start, &err) < 0)
		fail_msg("%s", err.message);
	assert_int_equal(glob("tests/sql/*.sql", 0, NULL, &paths), 0);
	for (size_t i = 0; i < paths.gl_pathc; i++) {
		if (!strstr(paths.gl_pathv[i], "schema.sql"))
			check_file(paths.gl_pathv[i], &catalog, &arena, &total);
	}
	globfree(&paths);
	arena_release(&arena);
	assert_in_range(total, 500, 100000);
}

/* -- Bytes that are no plan -- */

struct sample {
	struct arena arena;
	struct catalog catalog;
	struct plan *plan;
	struct buf bytes;
};

static void sample_init(struct sample *s, const char *pack_name)
{
	struct pack pack;
	struct error err;

	arena_init(&s->arena, 1 << 16);
	buf_init(&s->bytes, PLAN_BYTES_MAX);
	if (pack_load(pack_name, &s->arena, &pack, &err) < 0 ||
		sql_schema("schema", pack.schema, &s->arena, &s->catalog, &err) < 0 ||
		sql_compile(&s->catalog, pack.queries, pack.query_count, &s->arena, &s->plan,
			&err) < 0 ||
		plan_encode(s->plan, &s->catalog, &s->bytes, &err) < 0)
		fail_msg("%s", err.message);
}

static void sample_release(struct sample *s)
{
	buf_release(&s->bytes);
	arena_release(&s->arena);
}

/* With `sign` the checksum is made to fit: what stands before it must be noticed by itself. */
static int decode_copy(const void *bytes, size_t size, bool sign)
{
	uint8_t *copy = memory_alloc(size ? size : 1);
	struct catalog tables;
	struct arena arena;
	struct plan *plan;
	struct error err = {0};
	int status;

	if (size)
		memcpy(copy, bytes, size);
	if (sign && size >= CHECKSUM_SIZE) {
		uint64_t sum = hash_bytes(copy, size - CHECKSUM_SIZE);

		memcpy(copy + size - CHECKSUM_SIZE, &sum, sizeof(sum));
	}
	arena_init(&arena, 1 << 12);
	status = plan_decode(copy, size, &arena, &plan, &tables, &err);
	free(copy);
	if (status < 0) {
		assert_int_equal(err.code, ERROR_DATA);
	} else {
		struct buf text;

		assert_int_equal(plan_check(plan, &err), 0);
		buf_init(&text, TEXT_MAX);
		sql_explain(plan, &text);
		buf_release(&text);
	}
	arena_release(&arena);
	return status;
}

static void cut_plans_are_refused(void **state)
{
	struct sample s;

	(void)state;
	sample_init(&s, "coffee");
	for (size_t size = 0; size < s.bytes.size; size++) {
		assert_int_equal(decode_copy(s.bytes.data, size, false), -1);
		assert_int_equal(decode_copy(s.bytes.data, size, true), -1);
	}
	sample_release(&s);
}

static void damaged_plans_are_refused_or_valid(void **state)
{
	struct sample s;
	uint32_t valid = 0;

	(void)state;
	sample_init(&s, "coffee");
	for (size_t i = 0; i + CHECKSUM_SIZE < s.bytes.size; i++) {
		char kept = s.bytes.data[i];
		static const uint8_t others[] = {0, 1, 2, 3, 7, 0x7f, 0x80, 0xff};

		for (size_t k = 0; k < sizeof(others); k++) {
			s.bytes.data[i] = (char)others[k];
			if (s.bytes.data[i] == kept)
				continue;
			assert_int_equal(decode_copy(s.bytes.data, s.bytes.size, false), -1);
			valid += decode_copy(s.bytes.data, s.bytes.size, true) == 0;
		}
		s.bytes.data[i] = kept;
	}
	/* A name may be another name. */
	assert_int_not_equal(valid, 0);
	sample_release(&s);
}

static void another_version_is_named(void **state)
{
	struct catalog tables;
	struct plan *plan;
	struct error err;
	struct sample s;
	uint64_t sum;

	(void)state;
	sample_init(&s, "coffee");
	s.bytes.data[4]++;
	sum = hash_bytes(s.bytes.data, s.bytes.size - CHECKSUM_SIZE);
	memcpy(s.bytes.data + s.bytes.size - CHECKSUM_SIZE, &sum, sizeof(sum));
	assert_int_equal(
		plan_decode(s.bytes.data, s.bytes.size, &s.arena, &plan, &tables, &err), -1);
	assert_non_null(strstr(err.message, "version 10"));
	sample_release(&s);
}

static void too_deep_expressions_are_refused(void **state)
{
	struct sample s;
	struct expr *expr;
	struct plan_op *op = NULL;
	struct error err;
	struct buf bytes;

	(void)state;
	sample_init(&s, "coffee");
	for (uint32_t f = 0; f < s.plan->fragment_count && !op; f++) {
		for (uint32_t o = 0; o < s.plan->fragments[f].op_count && !op; o++) {
			if (s.plan->fragments[f].ops[o]->kind == PLAN_FILTER)
				op = s.plan->fragments[f].ops[o];
		}
	}
	assert_non_null(op);
	expr = op->filter.conjuncts[0];
	for (int i = 0; i < PLAN_EXPR_DEPTH_MAX; i++)
		expr = expr_node(&s.arena, EXPR_NOT, type_of(TYPE_BOOL), 1, &expr);
	op->filter.conjuncts[0] = expr;
	buf_init(&bytes, PLAN_BYTES_MAX);
	assert_int_equal(plan_encode(s.plan, &s.catalog, &bytes, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(plan_check(s.plan, &err), -1);
	buf_release(&bytes);
	sample_release(&s);
}

/* A tree that shares its branches has few nodes and endless bytes. */
static void too_long_plans_are_refused(void **state)
{
	struct sample s;
	struct error err;
	struct buf bytes;

	(void)state;
	sample_init(&s, "coffee");
	for (uint32_t f = 0; f < s.plan->fragment_count; f++) {
		for (uint32_t o = 0; o < s.plan->fragments[f].op_count; o++) {
			struct plan_op *op = s.plan->fragments[f].ops[o];

			if (op->kind != PLAN_FILTER)
				continue;
			for (int i = 0; i < 60; i++) {
				struct expr *both[] = {
					op->filter.conjuncts[0], op->filter.conjuncts[0]};

				op->filter.conjuncts[0] =
					expr_node(&s.arena, EXPR_AND, type_of(TYPE_BOOL), 2, both);
			}
		}
	}
	buf_init(&bytes, PLAN_BYTES_MAX);
	assert_int_equal(plan_encode(s.plan, &s.catalog, &bytes, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	buf_release(&bytes);
	sample_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packs_round_trip),
		cmocka_unit_test(corpus_round_trips),
		cmocka_unit_test(cut_plans_are_refused),
		cmocka_unit_test(damaged_plans_are_refused_or_valid),
		cmocka_unit_test(another_version_is_named),
		cmocka_unit_test(too_deep_expressions_are_refused),
		cmocka_unit_test(too_long_plans_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
