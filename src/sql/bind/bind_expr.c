#include "sql/bind/bind_private.h"

#include <string.h>

/* Of PostgreSQL's type name. */
#define NAME_SIZE_MAX 63

struct expr *expr_at(struct expr *expr, int32_t location)
{
	expr->location = location;
	return expr;
}

struct expr *make_call(struct binder *b, enum function_id function, struct type type,
	uint32_t count, struct expr *const *args, int32_t location)
{
	return expr_at(expr_call(b->arena, function, type, count, args), location);
}

struct expr *make_node(struct binder *b, enum expr_kind kind, uint32_t count,
	struct expr *const *args, int32_t location)
{
	return expr_at(expr_node(b->arena, kind, type_of(TYPE_BOOL), count, args), location);
}

int check_expr_size(struct binder *b, const struct expr *expr, int32_t location)
{
	if (expr_size(expr, EXPR_SIZE_MAX) >= EXPR_SIZE_MAX)
		return bind_error(b, location, "the expression is too large");
	return 0;
}

int bind_exprs(struct level *level, enum clause clause, uint32_t count,
	struct ast_expr *const *asts, struct expr **out)
{
	for (uint32_t i = 0; i < count; i++) {
		out[i] = bind_expr(level, clause, asts[i]);
		if (!out[i])
			return -1;
	}
	return 0;
}

struct expr **bind_args(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct expr **args =
		arena_alloc(level->binder->arena, (ast->arg_count + 1) * sizeof(struct expr *));

	return bind_exprs(level, clause, ast->arg_count, ast->args, args) < 0 ? NULL : args;
}

static struct expr *bind_literal(struct binder *b, const struct ast_expr *ast)
{
	struct value value = {.type = type_of(TYPE_UNKNOWN), .is_null = ast->kind == AST_NULL};
	struct value text = {.type = type_of(TYPE_UNKNOWN)};
	struct expr *expr;

	if (ast->kind == AST_BOOL) {
		value.type = type_of(TYPE_BOOL);
		value.boolean = ast->flag;
	}
	if (ast->kind == AST_NULL || ast->kind == AST_BOOL)
		return expr_at(expr_constant(b->arena, &value), ast->location);
	text.text = text_from(arena_copy(b->arena, ast->text, ast->text_size), ast->text_size);
	expr = expr_at(expr_constant(b->arena, &text), ast->location);
	if (ast->kind == AST_STRING)
		return expr;
	if (ast->kind == AST_INTEGER)
		return coerce(b, expr, type_of(TYPE_INT));
	/* Digits alone are the smallest of int, bigint and numeric that holds them. */
	if (!strpbrk(ast->text, ".eE")) {
		const char *reason;

		if (value_parse(type_of(TYPE_INT), ast->text, ast->text_size, b->arena, &value,
			    &reason))
			return coerce(b, expr, type_of(TYPE_INT));
		if (value_parse(type_of(TYPE_BIGINT), ast->text, ast->text_size, b->arena, &value,
			    &reason))
			return coerce(b, expr, type_of(TYPE_BIGINT));
	}
	return coerce(b, expr, type_of(TYPE_NUMERIC));
}

static struct expr *bind_operator_expr(
	struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args;

	if (ast->arg_count == 2 && ast->args[0]->kind == AST_ROW && ast->args[1]->kind == AST_ROW)
		return bind_row_comparison(
			level, clause, ast->text, ast->args[0], ast->args[1], ast->location);
	args = bind_args(level, clause, ast);
	if (!args)
		return NULL;
	if (ast->arg_count == 2)
		return bind_operator(b, ast->text, args[0], args[1], ast->location);
	return bind_prefix_operator(b, ast->text, args[0], ast->location);
}

static struct expr *bind_logic(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	enum expr_kind kind = EXPR_AND;
	const char *what = "AND";

	if (!args)
		return NULL;
	if (ast->kind == AST_OR) {
		kind = EXPR_OR;
		what = "OR";
	} else if (ast->kind == AST_NOT) {
		kind = EXPR_NOT;
		what = "NOT";
	}
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		args[i] = coerce_boolean(b, args[i], what);
		if (!args[i])
			return NULL;
	}
	return make_node(b, kind, ast->arg_count, args, ast->location);
}

static struct expr *negate_if(struct binder *b, bool negated, struct expr *expr, int32_t location)
{
	return expr && negated ? make_node(b, EXPR_NOT, 1, &expr, location) : expr;
}

static struct expr *bind_is(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr *args[2] = {bind_expr(level, clause, ast->args[0])};
	struct value value = {.type = type_of(TYPE_BOOL), .boolean = ast->flag};

	if (!args[0])
		return NULL;
	if (ast->kind == AST_IS_NULL)
		args[0] = coerce_known(b, args[0]);
	else
		args[0] = coerce_boolean(b, args[0], "IS");
	if (!args[0])
		return NULL;
	if (ast->kind != AST_IS_BOOL)
		return make_node(b, EXPR_IS_NULL, 1, args, ast->location);
	args[1] = expr_constant(b->arena, &value);
	return make_call(b, FN_NOT_DISTINCT, type_of(TYPE_BOOL), 2, args, ast->location);
}

static struct expr *bind_is_distinct(
	struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct expr **args;

	if (ast->args[0]->kind == AST_ROW && ast->args[1]->kind == AST_ROW)
		return bind_row_distinct(level, clause, ast);
	args = bind_args(level, clause, ast);
	if (!args)
		return NULL;
	return bind_comparison(level->binder, ast->negated ? FN_NOT_DISTINCT : FN_DISTINCT, "=",
		args[0], args[1], ast->location);
}

/* value = items[0] OR value = items[1] ...: for items that are no constants. */
static struct expr *expand_in(
	struct binder *b, uint32_t count, struct expr **args, int32_t location)
{
	struct expr **tests = arena_alloc(b->arena, count * sizeof(struct expr *));

	for (uint32_t i = 1; i < count; i++) {
		if (check_expr_size(b, args[0], location) < 0)
			return NULL;
		tests[i - 1] = bind_comparison(b, FN_EQ, "=", args[0], args[i], location);
		if (!tests[i - 1])
			return NULL;
	}
	return count == 2 ? tests[0] : make_node(b, EXPR_OR, count - 1, tests, location);
}

struct expr *make_in(struct binder *b, uint32_t count, struct expr **args, int32_t location)
{
	struct type type;
	bool constants = true;

	for (uint32_t i = 1; i < count; i++) {
		char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];

		if (!type_common(args[0]->type, args[i]->type, &type)) {
			bind_error(b, args[i]->location,
				"operator does not exist: %s = %s; try a cast",
				type_name(args[0]->type, left), type_name(args[i]->type, right));
			return NULL;
		}
		constants = constants && args[i]->kind == EXPR_CONSTANT;
	}
	if (!constants || count == 2)
		return expand_in(b, count, args, location);
	if (coerce_common(b, "IN", count, args, &type) < 0)
		return NULL;
	for (uint32_t i = 1; i < count; i++)
		constants = constants && args[i]->kind == EXPR_CONSTANT;
	if (!constants || type_physical(type.kind) == PHYSICAL_LIST)
		return expand_in(b, count, args, location);
	return make_node(b, EXPR_IN, count, args, location);
}

static struct expr *bind_in(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct expr **args;

	if (ast->args[0]->kind == AST_ROW)
		return bind_row_in(level, clause, ast);
	args = bind_args(level, clause, ast);
	if (!args)
		return NULL;
	return negate_if(level->binder, ast->negated,
		make_in(level->binder, ast->arg_count, args, ast->location), ast->location);
}

/* low <= value AND value <= high. */
static struct expr *make_between(
	struct binder *b, struct expr *value, struct expr *low, struct expr *high, int32_t location)
{
	struct expr *tests[2];

	tests[0] = bind_comparison(b, FN_GE, ">=", value, low, location);
	if (!tests[0])
		return NULL;
	tests[1] = bind_comparison(b, FN_LE, "<=", value, high, location);
	return tests[1] ? make_node(b, EXPR_AND, 2, tests, location) : NULL;
}

static struct expr *bind_between(
	struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	struct expr *either[2];

	if (!args || check_expr_size(b, args[0], ast->location) < 0)
		return NULL;
	either[0] = make_between(b, args[0], args[1], args[2], ast->location);
	if (!either[0] || !ast->flag)
		return negate_if(b, ast->negated, either[0], ast->location);
	if (check_expr_size(b, args[1], ast->location) < 0 ||
		check_expr_size(b, args[2], ast->location) < 0)
		return NULL;
	either[1] = make_between(b, args[0], args[2], args[1], ast->location);
	if (!either[1])
		return NULL;
	return negate_if(
		b, ast->negated, make_node(b, EXPR_OR, 2, either, ast->location), ast->location);
}

static struct expr *bind_like(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	struct value escape = {.type = type_of(TYPE_TEXT), .text = text_from("\\", 1)};
	struct expr *all[3], *call;
	char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];

	if (!args)
		return NULL;
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		all[i] = coerce_known(b, args[i]);
		if (!all[i])
			return NULL;
		if (all[i]->type.kind == TYPE_TEXT)
			continue;
		bind_error(b, ast->location, "operator does not exist: %s %s %s; try a cast",
			type_name(all[0]->type, left), ast->flag ? "ILIKE" : "LIKE",
			type_name(args[1]->type, right));
		return NULL;
	}
	if (ast->arg_count == 2)
		all[2] = expr_constant(b->arena, &escape);
	call = make_call(
		b, ast->flag ? FN_ILIKE : FN_LIKE, type_of(TYPE_BOOL), 3, all, ast->location);
	return negate_if(b, ast->negated, call, ast->location);
}

static int bind_whens(struct level *level, enum clause clause, const struct ast_expr *ast,
	struct expr **whens, struct expr **results)
{
	struct binder *b = level->binder;
	uint32_t first = ast->flag ? 1 : 0, when_count = (ast->arg_count - first) / 2;
	struct expr *operand = NULL;

	if (ast->flag) {
		operand = bind_expr(level, clause, ast->args[0]);
		if (!operand)
			return -1;
	}
	for (uint32_t i = 0; i < when_count; i++) {
		const struct ast_expr *when = ast->args[first + 2 * i];

		whens[i] = bind_expr(level, clause, when);
		if (!whens[i])
			return -1;
		if (operand) {
			if (check_expr_size(b, operand, ast->location) < 0)
				return -1;
			whens[i] =
				bind_comparison(b, FN_EQ, "=", operand, whens[i], when->location);
		} else {
			whens[i] = coerce_boolean(b, whens[i], "CASE/WHEN");
		}
		if (!whens[i])
			return -1;
		results[i] = bind_expr(level, clause, ast->args[first + 2 * i + 1]);
		if (!results[i])
			return -1;
	}
	return 0;
}

static struct expr *null_constant(struct binder *b, struct type type)
{
	struct value value = {.type = type, .is_null = true};

	return expr_constant(b->arena, &value);
}

static struct expr *bind_case(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	uint32_t when_count = (ast->arg_count - (ast->flag ? 1 : 0)) / 2;
	struct expr **whens = arena_alloc(b->arena, (when_count + 1) * sizeof(struct expr *));
	struct expr **results = arena_alloc(b->arena, (when_count + 1) * sizeof(struct expr *));
	struct expr **args = arena_alloc(b->arena, (2 * when_count + 1) * sizeof(struct expr *));
	const struct ast_expr *otherwise = ast->args[ast->arg_count - 1];
	struct expr *expr;
	struct type type;

	if (bind_whens(level, clause, ast, whens, results) < 0)
		return NULL;
	results[when_count] = otherwise ? bind_expr(level, clause, otherwise)
					: null_constant(b, type_of(TYPE_UNKNOWN));
	if (!results[when_count] || coerce_common(b, "CASE", when_count + 1, results, &type) < 0)
		return NULL;
	for (uint32_t i = 0; i < when_count; i++) {
		args[2 * i] = whens[i];
		args[2 * i + 1] = results[i];
	}
	args[2 * when_count] = results[when_count];
	expr = make_node(b, EXPR_CASE, 2 * when_count + 1, args, ast->location);
	expr->type = type;
	return expr;
}

static struct expr *bind_common(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	const char *what = "COALESCE";
	struct expr *expr;
	struct type type;

	if (ast->kind == AST_GREATEST)
		what = "GREATEST";
	else if (ast->kind == AST_LEAST)
		what = "LEAST";
	if (!args || coerce_common(b, what, ast->arg_count, args, &type) < 0)
		return NULL;
	if (ast->kind == AST_COALESCE) {
		expr = make_node(b, EXPR_COALESCE, ast->arg_count, args, ast->location);
		expr->type = type;
		return expr;
	}
	return make_call(b, ast->kind == AST_LEAST ? FN_LEAST : FN_GREATEST, type, ast->arg_count,
		args, ast->location);
}

static struct expr *bind_nullif(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	struct expr *parts[3], *expr;

	if (!args || check_expr_size(b, args[0], ast->location) < 0)
		return NULL;
	parts[0] = bind_comparison(b, FN_EQ, "=", args[0], args[1], ast->location);
	if (!parts[0])
		return NULL;
	parts[2] = coerce_known(b, args[0]);
	if (!parts[2])
		return NULL;
	parts[1] = null_constant(b, parts[2]->type);
	expr = make_node(b, EXPR_CASE, 3, parts, ast->location);
	expr->type = parts[2]->type;
	return expr;
}

/* char(n): PostgreSQL's has blanks at its end that count for nothing but print; here it has none. */
static struct expr *bind_char(struct binder *b, const struct ast_expr *ast, struct expr *text)
{
	struct value size = {.type = type_of(TYPE_INT), .i64 = ast->type->modifiers[0]};
	struct expr *args[2] = {text, expr_constant(b->arena, &size)};

	if (!text || ast->type->is_array)
		return text;
	if (ast->type->modifier_count > 0)
		args[0] = make_call(b, FN_LEFT, text->type, 2, args, ast->location);
	args[1] = text_constant(b, " ");
	return make_call(b, FN_TRIM_RIGHT, text->type, 2, args, ast->location);
}

static struct expr *bind_cast(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct value size = {.type = type_of(TYPE_INT), .i64 = ast->type->modifiers[0]};
	struct expr *args[2];
	struct type type;

	if (strcmp(ast->type->name, "interval") == 0 && ast->type->modifier_count > 0) {
		args[0] = bind_expr(level, clause, ast->args[0]);
		return args[0] ? bind_interval_literal(b, ast->type, args[0], ast->location) : NULL;
	}
	if (bind_type(b->source, ast->type, &type, b->err) < 0)
		return NULL;
	args[0] = bind_expr(level, clause, ast->args[0]);
	if (!args[0])
		return NULL;
	args[0] = coerce_explicit(b, args[0], type, ast->location);
	if (strcmp(ast->type->name, "name") == 0)
		size.i64 = NAME_SIZE_MAX;
	else if (strcmp(ast->type->name, "bpchar") == 0)
		return bind_char(b, ast, args[0]);
	else if (ast->type->modifier_count == 0)
		return args[0];
	args[1] = expr_constant(b->arena, &size);
	if (!args[0] || ast->type->is_array)
		return args[0];
	/* varchar(n) cuts, timestamp(n) rounds. */
	if (type.kind == TYPE_TEXT)
		return make_call(b, FN_LEFT, type, 2, args, ast->location);
	if (type.kind >= TYPE_TIME && type.kind <= TYPE_TIMESTAMPTZ)
		return make_call(b, FN_TIME_PRECISION, type, 2, args, ast->location);
	return args[0];
}

int check_argument_names(struct binder *b, const struct ast_expr *ast)
{
	if (!ast->call->arg_names || strcmp(ast->text, "make_interval") == 0 ||
		is_path_function(ast->text))
		return 0;
	return bind_error(b, ast->location,
		"arguments by name are only supported for make_interval and jsonb_path functions");
}

static struct expr *bind_call(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const struct ast_function *user = find_user_function(b, ast->text, ast->arg_count);
	const struct ast_expr *expanded;
	struct expr **args;

	if (!user && (calls_over_rows(level, ast, &expanded) || expand_macro(b, ast, &expanded)))
		return expanded ? bind_expr(level, clause, expanded) : NULL;
	if (is_row_as_json(ast))
		return bind_row_as_json(level, clause, ast);
	if (check_argument_names(b, ast) < 0)
		return NULL;
	if (ast->call->variadic &&
		(ast->call->window || is_aggregate_name(ast->text) || is_row_function(ast->text))) {
		bind_error(b, ast->location, "VARIADIC is not supported in %s", ast->text);
		return NULL;
	}
	if (ast->call->window && is_json_aggregate(ast->text)) {
		bind_error(b, ast->location, "%s with OVER is not supported", ast->text);
		return NULL;
	}
	if (is_window_name(ast->text) || ast->call->window)
		return bind_window(level, clause, ast);
	if (is_aggregate_name(ast->text))
		return bind_aggregate(level, clause, ast);
	if (ast->call->distinct || ast->call->filter || ast->call->star || ast->call->sort_count) {
		bind_error(b, ast->location,
			"%s is not an aggregate function: DISTINCT, FILTER, ORDER BY and * have no "
			"meaning in it",
			ast->text);
		return NULL;
	}
	if (user)
		return bind_user_function(level, clause, ast, user);
	if (is_row_function(ast->text))
		return bind_row_function(level, clause, ast);
	if (strcmp(ast->text, "random") == 0)
		return bind_random(level, clause, ast);
	if (is_path_function(ast->text)) {
		args = bind_args(level, clause, ast);
		return args ? bind_path_call(b, ast, ast->arg_count, args) : NULL;
	}
	args = bind_args(level, clause, ast);
	if (args && ast->call->variadic)
		return bind_variadic(b, ast, ast->arg_count, args);
	return args ? bind_function(b, ast, ast->arg_count, args) : NULL;
}

/* CASE and COALESCE, which may not compute what is in them: no rows can come from there. */
static struct expr *bind_conditional(
	struct level *level, enum clause clause, const struct ast_expr *ast)
{
	uint32_t before = level->unnest_count;
	bool is_case = ast->kind == AST_CASE;
	struct expr *expr =
		is_case ? bind_case(level, clause, ast) : bind_common(level, clause, ast);

	if (!expr || level->unnest_count == before)
		return expr;
	bind_error(level->binder, ast->location, "set-returning functions are not allowed in %s",
		is_case ? "CASE" : "COALESCE");
	return NULL;
}

struct expr *bind_expr(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	switch (ast->kind) {
	case AST_NAME: return scope_resolve(level, ast);
	case AST_STAR:
		bind_error(level->binder, ast->location,
			"* is only allowed in a select list and in count(*)");
		return NULL;
	case AST_INTEGER:
	case AST_NUMBER:
	case AST_STRING:
	case AST_BOOL:
	case AST_NULL: return bind_literal(level->binder, ast);
	case AST_PARAMETER: return bind_parameter(level, ast);
	case AST_OPERATOR: return bind_operator_expr(level, clause, ast);
	case AST_AND:
	case AST_OR:
	case AST_NOT: return bind_logic(level, clause, ast);
	case AST_IS_NULL:
	case AST_IS_BOOL:
	case AST_IS_UNKNOWN: return bind_is(level, clause, ast);
	case AST_IS_DISTINCT: return bind_is_distinct(level, clause, ast);
	case AST_IN: return bind_in(level, clause, ast);
	case AST_IN_SELECT: return bind_in_select(level, clause, ast);
	case AST_EXISTS: return bind_exists(level, clause, ast);
	case AST_SUBQUERY: return bind_scalar(level, clause, ast);
	case AST_ARRAY_SELECT: return bind_array_select(level, clause, ast);
	case AST_BETWEEN: return bind_between(level, clause, ast);
	case AST_LIKE: return bind_like(level, clause, ast);
	case AST_ANY: return bind_any(level, clause, ast);
	case AST_CASE:
	case AST_COALESCE: return bind_conditional(level, clause, ast);
	case AST_GREATEST:
	case AST_LEAST: return bind_common(level, clause, ast);
	case AST_NULLIF: return bind_nullif(level, clause, ast);
	case AST_CAST: return bind_cast(level, clause, ast);
	case AST_CALL: return bind_call(level, clause, ast);
	case AST_ARRAY: return bind_array(level, clause, ast);
	case AST_SUBSCRIPT: return bind_subscript(level, clause, ast);
	case AST_GROUPING: return bind_grouping_call(level, clause, ast);
	case AST_ROW:
		bind_error(level->binder, ast->location, "row constructors are not supported here");
		return NULL;
	case AST_GROUPING_SET:
		bind_error(
			level->binder, ast->location, "a grouping set is only allowed in GROUP BY");
		return NULL;
	}
	return NULL;
}

struct expr *bind_condition(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct expr *expr = bind_expr(level, clause, ast);

	return expr ? coerce_boolean(level->binder, expr, clause_name(clause)) : NULL;
}
