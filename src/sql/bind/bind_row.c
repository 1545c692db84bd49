/*
 * Rows as values: (a, b) compared with another row, with rows of a list or of a subquery. They are
 * taken apart here: what is left are comparisons of their fields.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

static struct expr *compare_fields(struct level *level, enum clause clause, const char *name,
	const struct ast_expr *left, const struct ast_expr *right, int32_t location)
{
	struct expr *args[2];

	if (left->kind == AST_ROW && right->kind == AST_ROW)
		return bind_row_comparison(level, clause, name, left, right, location);
	args[0] = bind_expr(level, clause, left);
	args[1] = args[0] ? bind_expr(level, clause, right) : NULL;
	if (!args[1])
		return NULL;
	return bind_operator(level->binder, name, args[0], args[1], location);
}

/* The fields decide one after the other: a < c OR (a = c AND (b < d OR ...)). */
static struct expr *compare_in_order(struct level *level, enum clause clause, const char *name,
	const struct ast_expr *left, const struct ast_expr *right, int32_t location)
{
	struct binder *b = level->binder;
	const char strict[2] = {name[0], '\0'};
	struct expr *result = NULL;

	for (uint32_t i = left->arg_count; i-- > 0;) {
		const struct ast_expr *fields[2] = {left->args[i], right->args[i]};
		struct expr *less = compare_fields(
			level, clause, result ? strict : name, fields[0], fields[1], location);
		struct expr *parts[2];

		if (!less)
			return NULL;
		if (!result) {
			result = less;
			continue;
		}
		parts[0] = compare_fields(level, clause, "=", fields[0], fields[1], location);
		parts[1] = result;
		if (!parts[0])
			return NULL;
		parts[1] = make_node(b, EXPR_AND, 2, parts, location);
		parts[0] = less;
		result = make_node(b, EXPR_OR, 2, parts, location);
	}
	return result;
}

static int check_fields(struct binder *b, const struct ast_expr *left, const struct ast_expr *right,
	int32_t location)
{
	if (left->arg_count != right->arg_count)
		return bind_error(b, location, "unequal number of entries in row expressions");
	if (left->arg_count == 0)
		return bind_error(b, location, "cannot compare rows of zero length");
	return 0;
}

struct expr *bind_row_comparison(struct level *level, enum clause clause, const char *name,
	const struct ast_expr *left, const struct ast_expr *right, int32_t location)
{
	struct binder *b = level->binder;
	bool equal = strcmp(name, "=") == 0, differ = strcmp(name, "<>") == 0;
	struct expr **tests;

	if (check_fields(b, left, right, location) < 0)
		return NULL;
	if (!equal && !differ && name[0] != '<' && name[0] != '>') {
		bind_error(b, location, "the operator %s does not compare rows", name);
		return NULL;
	}
	if (!equal && !differ)
		return compare_in_order(level, clause, name, left, right, location);
	tests = arena_alloc(b->arena, left->arg_count * sizeof(struct expr *));
	for (uint32_t i = 0; i < left->arg_count; i++) {
		tests[i] = compare_fields(
			level, clause, name, left->args[i], right->args[i], location);
		if (!tests[i])
			return NULL;
	}
	if (left->arg_count == 1)
		return tests[0];
	return make_node(b, equal ? EXPR_AND : EXPR_OR, left->arg_count, tests, location);
}

struct expr *bind_row_distinct(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const struct ast_expr *left = ast->args[0], *right = ast->args[1];
	struct expr **tests = arena_alloc(b->arena, (left->arg_count + 1) * sizeof(struct expr *));

	if (check_fields(b, left, right, ast->location) < 0)
		return NULL;
	for (uint32_t i = 0; i < left->arg_count; i++) {
		struct expr *fields[2] = {bind_expr(level, clause, left->args[i]),
			bind_expr(level, clause, right->args[i])};

		if (!fields[0] || !fields[1])
			return NULL;
		tests[i] = bind_comparison(b, ast->negated ? FN_NOT_DISTINCT : FN_DISTINCT, "=",
			fields[0], fields[1], ast->location);
		if (!tests[i])
			return NULL;
	}
	if (left->arg_count == 1)
		return tests[0];
	return make_node(
		b, ast->negated ? EXPR_AND : EXPR_OR, left->arg_count, tests, ast->location);
}

/* (a, b) IN ((1, 2), ...) */
struct expr *bind_row_in(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	uint32_t count = ast->arg_count - 1;
	struct expr **tests = arena_alloc(b->arena, (count + 1) * sizeof(struct expr *)), *found;

	for (uint32_t i = 0; i < count; i++) {
		if (ast->args[i + 1]->kind != AST_ROW) {
			bind_error(b, ast->args[i + 1]->location,
				"a row can only be compared with a row");
			return NULL;
		}
		tests[i] = bind_row_comparison(
			level, clause, "=", ast->args[0], ast->args[i + 1], ast->location);
		if (!tests[i])
			return NULL;
	}
	found = count == 1 ? tests[0] : make_node(b, EXPR_OR, count, tests, ast->location);
	return ast->negated ? make_node(b, EXPR_NOT, 1, &found, ast->location) : found;
}
