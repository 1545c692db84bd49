/* Functions whose arguments may have any types, and as many of them as the caller likes. */
#include "sql/bind/bind_private.h"

#include <string.h>

/* A boolean is t or f in concat(), but true or false as a text elsewhere. */
static struct expr *concat_argument(struct binder *b, struct expr *arg)
{
	struct expr *parts[5], *expr;

	if (arg->type.kind != TYPE_BOOL)
		return coerce(b, arg, type_of(TYPE_TEXT));
	if (check_expr_size(b, arg, arg->location) < 0)
		return NULL;
	parts[0] = arg;
	parts[1] = text_constant(b, "t");
	parts[2] = make_node(b, EXPR_NOT, 1, &arg, arg->location);
	parts[3] = text_constant(b, "f");
	parts[4] = coerce(b,
		expr_constant(
			b->arena, &(struct value){.type = type_of(TYPE_UNKNOWN), .is_null = true}),
		type_of(TYPE_TEXT));
	expr = make_node(b, EXPR_CASE, 5, parts, arg->location);
	expr->type = type_of(TYPE_TEXT);
	return expr;
}

static int concat_arguments(struct binder *b, uint32_t count, struct expr **args)
{
	for (uint32_t i = 0; i < count; i++) {
		args[i] = concat_argument(b, args[i]);
		if (!args[i])
			return -1;
	}
	return 0;
}

struct expr *bind_concat_all(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	if (count == 0) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (concat_arguments(b, count, args) < 0)
		return NULL;
	return make_call(b, FN_CONCAT_ALL, type_of(TYPE_TEXT), count, args, ast->location);
}

/* concat_ws(separator, a, b) is array_to_string(ARRAY[a, b], separator): both skip NULLs. */
struct expr *bind_concat_ws(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *parts[2];

	if (count < 2 || !type_converts_implicitly(args[0]->type.kind, TYPE_TEXT)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	parts[1] = coerce(b, args[0], type_of(TYPE_TEXT));
	if (!parts[1] || concat_arguments(b, count - 1, args + 1) < 0)
		return NULL;
	parts[0] = make_call(
		b, FN_LIST_MAKE, type_of(TYPE_TEXT_LIST), count - 1, args + 1, ast->location);
	return make_call(b, FN_LIST_JOIN, type_of(TYPE_TEXT), 2, parts, ast->location);
}

struct expr *bind_format(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	if (count == 0 || !type_converts_implicitly(args[0]->type.kind, TYPE_TEXT)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (concat_arguments(b, count, args) < 0)
		return NULL;
	return make_call(b, FN_FORMAT, type_of(TYPE_TEXT), count, args, ast->location);
}

struct expr *bind_quote(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *parts[2], *expr;

	if (count != 1) {
		no_function(b, ast, count, args);
		return NULL;
	}
	parts[0] = coerce(b, args[0], type_of(TYPE_TEXT));
	if (!parts[0])
		return NULL;
	parts[0] = make_call(b, FN_QUOTE_LITERAL, type_of(TYPE_TEXT), 1, parts, ast->location);
	if (strcmp(ast->text, "quote_literal") == 0)
		return parts[0];
	parts[1] = text_constant(b, "NULL");
	expr = make_node(b, EXPR_COALESCE, 2, parts, ast->location);
	expr->type = type_of(TYPE_TEXT);
	return expr;
}

struct expr *bind_null_count(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	bool nulls = strcmp(ast->text, "num_nulls") == 0;
	struct value one = {.type = type_of(TYPE_INT), .i64 = 1}, zero = {.type = one.type};
	struct expr *sum = NULL;

	for (uint32_t i = 0; i < count; i++) {
		struct expr *is_null = make_node(b, EXPR_IS_NULL, 1, &args[i], ast->location);
		struct expr *parts[3] = {is_null, expr_constant(b->arena, nulls ? &one : &zero),
			expr_constant(b->arena, nulls ? &zero : &one)};
		struct expr *choice = make_node(b, EXPR_CASE, 3, parts, ast->location);
		struct expr *terms[2] = {sum, choice};

		choice->type = one.type;
		sum = sum ? make_call(b, FN_ADD, one.type, 2, terms, ast->location) : choice;
	}
	if (!sum)
		no_function(b, ast, count, args);
	return sum;
}

/* The type is known now. */
struct expr *bind_typeof(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	static const char *const long_names[TYPE_KIND_COUNT] = {
		[TYPE_TIME] = "time without time zone",
		[TYPE_TIMESTAMP] = "timestamp without time zone",
		[TYPE_TIMESTAMPTZ] = "timestamp with time zone",
	};
	enum type_kind kind;

	if (count != 1) {
		no_function(b, ast, count, args);
		return NULL;
	}
	kind = args[0]->type.kind;
	return expr_at(text_constant(b, long_names[kind] ? long_names[kind] : type_kind_name(kind)),
		ast->location);
}

/* -- VARIADIC -- */

/* The items of an array that is written out; an error for any other. */
static int written_items(
	struct binder *b, const struct expr *list, uint32_t *count, struct expr ***items)
{
	const struct expr *call = list->kind == EXPR_CAST ? list->args[0] : list;

	*count = 0;
	*items = NULL;
	if (list->kind == EXPR_CONSTANT && !list->constant.is_null) {
		*items = list_items(b, list);
		*count = list->constant.list.count;
		return 0;
	}
	if (call->kind != EXPR_CALL || call->function != FN_LIST_MAKE)
		return bind_error(b, list->location,
			"VARIADIC with an array that is not written out is only supported in "
			"concat and concat_ws");
	*count = call->arg_count;
	*items = arena_alloc(b->arena, (*count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < *count; i++) {
		(*items)[i] = coerce(b, call->args[i], type_element_of(list->type));
		if (!(*items)[i])
			return -1;
	}
	return 0;
}

/* concat and concat_ws of a whole array; its NULLs are left out there, too. */
static struct expr *join_array(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *parts[2] = {args[count - 1], text_constant(b, "")};

	if (count == 2)
		parts[1] = coerce(b, args[0], type_of(TYPE_TEXT));
	return parts[1] ? make_call(b, FN_LIST_JOIN, type_of(TYPE_TEXT), 2, parts, ast->location)
			: NULL;
}

struct expr *bind_variadic(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *list = args[count - 1], **all, **items;
	bool format = strcmp(ast->text, "format") == 0;
	uint32_t item_count;

	if (!type_is_array(list->type.kind)) {
		bind_error(b, list->location, "VARIADIC argument must be an array");
		return NULL;
	}
	if (strcmp(ast->text, count == 1 ? "concat" : "concat_ws") == 0 && count <= 2)
		return join_array(b, ast, count, args);
	/* No array is no value, but for format, where it is none to be put in. */
	if (list->kind == EXPR_CONSTANT && list->constant.is_null && !format) {
		struct expr *call = bind_function(b, ast, count - 1, args);
		struct value null = {.is_null = true};

		if (!call)
			return NULL;
		null.type = call->type;
		return expr_at(expr_constant(b->arena, &null), ast->location);
	}
	if (list->kind == EXPR_CONSTANT && list->constant.is_null)
		return bind_function(b, ast, count - 1, args);
	if (written_items(b, list, &item_count, &items) < 0)
		return NULL;
	all = arena_alloc(b->arena, (count + item_count) * sizeof(struct expr *));
	memcpy(all, args, (count - 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < item_count; i++)
		all[count - 1 + i] = items[i];
	return bind_function(b, ast, count - 1 + item_count, all);
}
