/*
 * What the tests of sql/ share: a catalog like the coffee pack's, and one call that compiles a text
 * and keeps the message or the explained plan.
 */
#ifndef TESTS_SQL_FIXTURE_H
#define TESTS_SQL_FIXTURE_H

#include "sql/compile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/sql/sql_check.h"

static const char fixture_schema[] =
	"CREATE TABLE transactions (transaction_id text, store_id bigint, user_id bigint,"
	"  final_amount numeric, created_at timestamp) WITH (files = 'transactions/*.csv');"
	"CREATE TABLE items (transaction_id text, item_id bigint, quantity int,"
	"  subtotal numeric(10,2), created_at timestamp) WITH (files = 'items/*.csv');"
	"CREATE TABLE stores (store_id bigint, store_name text, city text, latitude float8,"
	"  is_open boolean, tags text[]) WITH (files = 'stores.csv');"
	"CREATE TABLE users (user_id bigint, \"Gender\" text, birthdate date, wakes time)"
	"  WITH (files = 'users.csv');";

struct fixture {
	struct arena arena;
	struct catalog catalog;
	struct plan *plan;
	struct error err;
	struct buf text; /* the explained plan, terminated */
};

static inline void fixture_init(struct fixture *f)
{
	static const uint64_t bytes[] = {700000000, 1200000000, 1000, 200000000};

	memset(f, 0, sizeof(*f));
	arena_init(&f->arena, 1 << 16);
	buf_init(&f->text, 1 << 24);
	if (sql_schema("schema", fixture_schema, &f->arena, &f->catalog, &f->err) < 0)
		fail_msg("%s", f->err.message);
	for (uint32_t i = 0; i < f->catalog.table_count; i++)
		f->catalog.tables[i].bytes = bytes[i];
}

static inline void fixture_release(struct fixture *f)
{
	buf_release(&f->text);
	arena_release(&f->arena);
}

static inline int fixture_try(struct fixture *f, const char *text)
{
	struct sql_text query = {.name = "", .title = "", .text = text};

	f->plan = NULL;
	f->err.message[0] = '\0';
	return sql_compile(&f->catalog, &query, 1, &f->arena, &f->plan, &f->err);
}

/* Compiles what must compile. Returns the explained plan. */
static inline const char *fixture_compile(struct fixture *f, const char *text)
{
	if (fixture_try(f, text) < 0)
		fail_msg("%s\n  %s", text, f->err.message);
	check_plan(f->plan);
	buf_clear(&f->text);
	sql_explain(f->plan, &f->text);
	buf_append_char(&f->text, '\0');
	return f->text.data;
}

/* The explained plan of what must compile, without its header. */
static inline void check_shape(const char *sql, const char *expected)
{
	struct fixture f;
	const char *plan;

	fixture_init(&f);
	plan = strchr(fixture_compile(&f, sql), '[');
	while (plan[-1] == ' ')
		plan--;
	if (strcmp(plan, expected) != 0)
		fail_msg("%s\nexpected:\n%sgot:\n%s", sql, expected, plan);
	fixture_release(&f);
}

#endif
