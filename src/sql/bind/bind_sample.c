/*
 * TABLESAMPLE: a filter over where a row stands in its table's files, so that the same rows are taken whatever the
 * threads, chunks and nodes. BERNOULLI takes each row by the digest of its place, SYSTEM all rows of a stretch of lines.
 */
#include "sql/bind/bind_from_private.h"

#include <inttypes.h>
#include <string.h>

/* Lines that SYSTEM takes together. */
#define STRETCH_LINES 1000
/* Digits of a digest that are compared. */
#define DIGEST_DIGITS 8
#define SHARES	      UINT64_C(0x100000000)

/* A constant as a double; `what` is its name in errors. */
static int constant_number(
	struct level *level, const struct ast_expr *ast, const char *what, double *out)
{
	struct expr *expr = bind_expr(level, CLAUSE_LIMIT, ast);

	expr = expr ? coerce(level->binder, expr, type_of(TYPE_DOUBLE)) : NULL;
	if (!expr)
		return -1;
	if (expr->kind != EXPR_CONSTANT)
		return bind_error(level->binder, ast->location, "%s must be a constant", what);
	if (expr->constant.is_null)
		return bind_error(level->binder, ast->location, "%s cannot be null", what);
	*out = expr->constant.f64;
	return 0;
}

static uint32_t place_column(
	struct binder *b, const struct table_schema *schema, struct logical *scan, uint32_t source)
{
	struct table_column column = table_column_at(schema, source);

	for (uint32_t i = 0; i < scan->column_count; i++)
		if (scan->scan.sources[i] == source)
			return scan->columns[i];
	/* A column of the files has its name. */
	scan->scan.sources[scan->column_count] = source;
	logical_add_column(b->arena, scan, binder_column(b, column.name, column.type));
	return scan->columns[scan->column_count - 1];
}

static struct expr *text_of(struct binder *b, struct expr *expr)
{
	return coerce_explicit(b, expr, type_of(TYPE_TEXT), -1);
}

static struct expr *integer(struct binder *b, int64_t number)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = number};

	return expr_constant(b->arena, &value);
}

/* seed:file:line, in digits that are as good as random; the folder in which the file lies does not count. */
static struct expr *digest(struct binder *b, const struct table_schema *schema,
	struct logical *scan, const char *seed, bool stretches)
{
	uint32_t file = place_column(b, schema, scan, schema->column_count);
	uint32_t line = place_column(b, schema, scan, schema->column_count + 1);
	struct expr *name[3] = {binder_column_expr(b, file, -1), text_constant(b, "/"),
		coerce_explicit(b, integer(b, -1), type_of(TYPE_INT), -1)};
	struct expr *at = binder_column_expr(b, line, -1), *parts[2];

	if (stretches) {
		parts[0] = at;
		parts[1] = integer(b, STRETCH_LINES);
		at = make_call(b, FN_DIV, type_of(TYPE_BIGINT), 2, parts, -1);
	}
	parts[0] = text_constant(b, seed);
	parts[1] = make_call(b, FN_SPLIT_PART, type_of(TYPE_TEXT), 3, name, -1);
	parts[0] = make_call(b, FN_CONCAT, type_of(TYPE_TEXT), 2, parts, -1);
	parts[1] = text_of(b, at);
	if (!parts[1])
		return NULL;
	parts[0] = make_call(b, FN_CONCAT, type_of(TYPE_TEXT), 2, parts, -1);
	parts[0] = make_call(b, FN_MD5, type_of(TYPE_TEXT), 1, parts, -1);
	parts[1] = coerce_explicit(b, integer(b, DIGEST_DIGITS), type_of(TYPE_INT), -1);
	return make_call(b, FN_LEFT, type_of(TYPE_TEXT), 2, parts, -1);
}

int bind_sample(struct level *level, const struct ast_from *from, const struct table_schema *schema,
	struct logical **tree)
{
	struct binder *b = level->binder;
	const struct ast_sample *sample = from->sample;
	bool stretches = strcmp(sample->method, "system") == 0;
	struct logical_filter filter = {0};
	double percent, seed = 0;
	struct expr *sides[2], *test;

	if (!stretches && strcmp(sample->method, "bernoulli") != 0)
		return bind_error(b, sample->location, "tablesample method %s does not exist",
			sample->method);
	if (schema->kept)
		return bind_error(
			b, sample->location, "TABLESAMPLE of a table in memory is not supported");
	if (constant_number(level, sample->percent, "TABLESAMPLE parameter", &percent) < 0 ||
		(sample->seed && constant_number(level, sample->seed,
					 "TABLESAMPLE REPEATABLE parameter", &seed) < 0))
		return -1;
	if (!(percent >= 0 && percent <= 100))
		return bind_error(b, sample->percent->location,
			"sample percentage must be between 0 and 100");
	sides[0] = digest(b, schema, *tree, arena_printf(b->arena, "%.17g:", seed), stretches);
	/* No digit comes behind f. */
	sides[1] = text_constant(b, percent >= 100
					    ? "g"
					    : arena_printf(b->arena, "%08" PRIx64,
						      (uint64_t)(percent / 100 * (double)SHARES)));
	test = sides[0] ? bind_comparison(b, FN_LT, "<", sides[0], sides[1], -1) : NULL;
	if (!test)
		return -1;
	conjuncts_add(b->arena, &filter, test);
	*tree = logical_filter_new(b->arena, *tree, filter.count, filter.conjuncts);
	return 0;
}
