/*
 * Functions that the schema defines in SQL. A call becomes the body, with the arguments in place of the
 * parameters: an expression when the body is nothing else, otherwise a subquery, of which the first
 * row counts.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

const struct ast_function *find_user_function(
	const struct binder *b, const char *name, uint32_t arg_count)
{
	for (uint32_t i = 0; i < b->catalog->function_count; i++) {
		const struct ast_function *function = b->catalog->functions[i].ast;

		if (strcmp(function->name, name) == 0 && function->parameter_count == arg_count)
			return function;
	}
	return NULL;
}

static const struct scope_parameters *parameters_of(const struct scope *scope)
{
	while (scope && !scope->parameters)
		scope = scope->outer;
	return scope ? scope->parameters : NULL;
}

struct expr *find_parameter(const struct scope *scope, const char *name)
{
	const struct scope_parameters *parameters = parameters_of(scope);

	for (uint32_t i = 0; parameters && i < parameters->count; i++)
		if (parameters->list[i].name && strcmp(parameters->list[i].name, name) == 0)
			return parameters->values[i];
	return NULL;
}

struct expr *bind_parameter(struct level *level, const struct ast_expr *ast)
{
	const struct scope_parameters *parameters = parameters_of(&level->scope);

	if (parameters && ast->text_size >= 1 && ast->text_size <= parameters->count)
		return parameters->values[ast->text_size - 1];
	bind_error(level->binder, ast->location, "there is no parameter $%u", ast->text_size);
	return NULL;
}

static bool is_expression(const struct ast_select *body)
{
	return body->target_count == 1 && !body->left && body->from_count == 0 && !body->where &&
	       body->cte_count == 0 && body->group_count == 0 && !body->having && !body->limit &&
	       !body->offset && !body->distinct && body->distinct_on_count == 0 &&
	       body->row_count == 0;
}

/* An aggregate would be over the rows of whoever calls. */
static struct expr *bind_body_expr(
	struct level *level, enum clause clause, const struct ast_select *body)
{
	uint32_t aggregates = level->aggregate_count, windows = level->window_count;
	struct expr *expr = bind_expr(level, clause, body->targets[0].expr);

	if (expr && level->aggregate_count == aggregates && level->window_count == windows)
		return expr;
	if (expr)
		bind_error(level->binder, body->targets[0].expr->location,
			"aggregates and windows in a function need a FROM");
	return NULL;
}

static struct expr *bind_body_select(
	struct level *level, enum clause clause, const struct ast_select *body)
{
	static struct ast_expr one = {
		.kind = AST_INTEGER, .location = -1, .text = "1", .text_size = 1};
	struct ast_select *first = arena_alloc(level->binder->arena, sizeof(*first));
	struct ast_expr *subquery = arena_zalloc(level->binder->arena, sizeof(*subquery));

	*first = *body;
	if (!first->limit)
		first->limit = &one;
	subquery->kind = AST_SUBQUERY;
	subquery->location = body->location;
	subquery->select = first;
	return bind_scalar(level, clause, subquery);
}

/* The body alone sees the parameters, and nothing of the query that calls. */
static struct expr *bind_body(struct level *level, enum clause clause,
	const struct ast_function *function, struct expr *const *values)
{
	struct binder *b = level->binder;
	const struct scope_parameters parameters = {
		function->parameter_count, function->parameters, values};
	const struct function_call call = {function, b->calls};
	const struct sql_source *source = b->source;
	const struct binder_cte *ctes = b->ctes;
	struct scope scope = level->scope;
	struct expr *expr;

	level->scope = (struct scope){.level = level, .parameters = &parameters};
	b->calls = &call;
	b->source = &function->source;
	b->ctes = NULL;
	expr = is_expression(function->body) ? bind_body_expr(level, clause, function->body)
					     : bind_body_select(level, clause, function->body);
	b->ctes = ctes;
	b->source = source;
	b->calls = call.outer;
	level->scope = scope;
	return expr;
}

/* NULL as soon as one of the values is. */
static struct expr *strictly(
	struct binder *b, uint32_t count, struct expr *const *values, struct expr *expr)
{
	for (uint32_t i = count; i-- > 0 && expr;) {
		struct expr *value = values[i], *test = make_node(b, EXPR_IS_NULL, 1, &value, -1);

		test = make_node(b, EXPR_NOT, 1, &test, -1);
		expr = make_choice(b, test, expr, NULL);
	}
	return expr;
}

static bool may_return(const struct expr *expr, struct type type)
{
	return expr->type.kind == TYPE_UNKNOWN || expr->type.kind == type.kind ||
	       type_converts_implicitly(expr->type.kind, type.kind) ||
	       (type_is_number(expr->type.kind) && type_is_number(type.kind));
}

static struct expr *as_result(struct binder *b, const struct ast_expr *ast,
	const struct ast_function *function, struct expr *expr)
{
	char declared[TYPE_NAME_MAX], found[TYPE_NAME_MAX];
	struct type type;

	if (bind_type(b->source, function->type, &type, b->err) < 0)
		return NULL;
	if (may_return(expr, type))
		return coerce_explicit(b, expr, type, ast->location);
	bind_error(b, ast->location, "function %s is declared to return %s, but its body yields %s",
		function->name, type_name(type, declared), type_name(expr->type, found));
	return NULL;
}

struct expr *bind_user_function(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct ast_function *function)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast), *expr;

	for (const struct function_call *call = b->calls; call; call = call->outer)
		if (call->function == function) {
			bind_error(b, ast->location, "function %s calls itself", function->name);
			return NULL;
		}
	for (uint32_t i = 0; args && i < ast->arg_count; i++) {
		struct type type;

		if (bind_type(b->source, function->parameters[i].type, &type, b->err) < 0)
			return NULL;
		if (!type_converts_implicitly(args[i]->type.kind, type.kind) &&
			args[i]->type.kind != type.kind) {
			no_function(b, ast, ast->arg_count, args);
			return NULL;
		}
		args[i] = coerce(b, args[i], type);
		if (!args[i])
			return NULL;
	}
	expr = args ? bind_body(level, clause, function, args) : NULL;
	if (expr)
		expr = as_result(b, ast, function, expr);
	if (expr && function->strict)
		expr = strictly(b, ast->arg_count, args, expr);
	return expr && check_expr_size(b, expr, ast->location) == 0 ? expr : NULL;
}
