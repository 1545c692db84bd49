/*
 * Functions that the schema defines in SQL. A call becomes the body, with the arguments in place of the
 * parameters: an expression when the body is nothing else, otherwise a subquery, of which the first
 * row counts.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

static bool takes(const struct ast_function *function, uint32_t arg_count)
{
	for (uint32_t i = arg_count; i < function->parameter_count; i++)
		if (!function->parameters[i].otherwise)
			return false;
	return arg_count <= function->parameter_count;
}

const struct ast_function *find_user_function(
	const struct binder *b, const char *name, uint32_t arg_count)
{
	const struct ast_function *found = NULL;

	for (uint32_t i = 0; i < b->catalog->function_count; i++) {
		const struct ast_function *function = b->catalog->functions[i].ast;

		if (strcmp(function->name, name) != 0 || !takes(function, arg_count))
			continue;
		/* One without defaults goes first. */
		if (!found || function->parameter_count < found->parameter_count)
			found = function;
	}
	return found;
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

/* A set of values in a select list: the items of an array of them. */
static struct expr *bind_body_set(
	struct level *level, enum clause clause, const struct ast_function *function)
{
	struct arena *arena = level->binder->arena;
	struct ast_expr *array = arena_zalloc(arena, sizeof(*array));
	struct ast_expr *call = arena_zalloc(arena, sizeof(*call));

	array->kind = AST_ARRAY_SELECT;
	array->location = function->body->location;
	array->select = function->body;
	call->kind = AST_CALL;
	call->location = array->location;
	call->text = "unnest";
	call->arg_count = 1;
	call->args = arena_alloc(arena, sizeof(struct ast_expr *));
	call->args[0] = array;
	call->call = arena_zalloc(arena, sizeof(*call->call));
	return bind_row_function(level, clause, call);
}

void enter_body(struct binder *b, const struct ast_function *function, struct function_body *body)
{
	*body = (struct function_body){
		.call = {function, b->calls}, .source = b->source, .ctes = b->ctes};
	b->calls = &body->call;
	b->source = &function->source;
	b->ctes = NULL;
}

void leave_body(struct binder *b, const struct function_body *body)
{
	b->ctes = body->ctes;
	b->source = body->source;
	b->calls = body->call.outer;
}

/* The body alone sees the parameters, and nothing of the query that calls. */
static struct expr *bind_body(struct level *level, enum clause clause,
	const struct ast_function *function, struct expr *const *values)
{
	const struct scope_parameters parameters = {
		function->parameter_count, function->parameters, values};
	struct scope scope = level->scope;
	struct function_body body;
	struct expr *expr;

	level->scope = (struct scope){.level = level, .parameters = &parameters};
	enter_body(level->binder, function, &body);
	if (function->returns_set)
		expr = bind_body_set(level, clause, function);
	else if (is_expression(function->body))
		expr = bind_body_expr(level, clause, function->body);
	else
		expr = bind_body_select(level, clause, function->body);
	leave_body(level->binder, &body);
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

struct expr *as_result(struct binder *b, const struct ast_function *function,
	const struct ast_type *declared, struct expr *expr, int32_t location)
{
	char wanted[TYPE_NAME_MAX], found[TYPE_NAME_MAX];
	struct type type;

	if (bind_type(&function->source, declared, &type, b->err) < 0)
		return NULL;
	if (may_return(expr, type))
		return coerce_explicit(b, expr, type, location);
	bind_error(b, location, "function %s is declared to return %s, but its body yields %s",
		function->name, type_name(type, wanted), type_name(expr->type, found));
	return NULL;
}

/* What the caller leaves out at the end has its default. */
static struct expr *bind_argument(struct level *level, enum clause clause,
	const struct ast_expr *ast, const struct ast_function *function, uint32_t index)
{
	const struct sql_source *source = level->binder->source;
	struct expr *arg;

	if (index < ast->arg_count)
		return bind_expr(level, clause, ast->args[index]);
	level->binder->source = &function->source;
	arg = bind_expr(level, clause, function->parameters[index].otherwise);
	level->binder->source = source;
	return arg;
}

struct expr **bind_arguments(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct ast_function *function)
{
	struct binder *b = level->binder;
	struct expr **args =
		arena_alloc(b->arena, (function->parameter_count + 1) * sizeof(struct expr *));

	for (const struct function_call *call = b->calls; call; call = call->outer)
		if (call->function == function) {
			bind_error(b, ast->location, "function %s calls itself", function->name);
			return NULL;
		}
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		struct type type;

		args[i] = bind_argument(level, clause, ast, function, i);
		if (!args[i] || bind_type(&function->source, function->parameters[i].type, &type,
					b->err) < 0)
			return NULL;
		if (!type_converts_implicitly(args[i]->type.kind, type.kind) &&
			args[i]->type.kind != type.kind) {
			no_function(b, ast, i + 1, args);
			return NULL;
		}
		args[i] = coerce(b, args[i], type);
		if (!args[i])
			return NULL;
	}
	return args;
}

struct expr *bind_user_function(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct ast_function *function)
{
	struct binder *b = level->binder;
	struct expr **args, *expr;

	if (!function->type || (function->returns_set && function->strict)) {
		bind_error(b, ast->location, "function %s yields rows: it may only stand in FROM",
			function->name);
		return NULL;
	}
	args = bind_arguments(level, clause, ast, function);
	expr = args ? bind_body(level, clause, function, args) : NULL;
	if (expr)
		expr = as_result(b, function, function->type, expr, ast->location);
	if (expr && function->strict)
		expr = strictly(b, function->parameter_count, args, expr);
	return expr && check_expr_size(b, expr, ast->location) == 0 ? expr : NULL;
}
