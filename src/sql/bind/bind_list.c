/*
 * Lists of text: how they are made, taken apart and compared, and the tests over all their items.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

struct expr *bind_array(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	char name[TYPE_NAME_MAX];

	if (!args)
		return NULL;
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		args[i] = coerce_known(b, args[i]);
		if (!args[i])
			return NULL;
		if (args[i]->type.kind != TYPE_TEXT) {
			bind_error(b, args[i]->location,
				"arrays of %s are not supported, only of text",
				type_name(args[i]->type, name));
			return NULL;
		}
	}
	return make_call(
		b, FN_LIST_MAKE, type_of(TYPE_TEXT_LIST), ast->arg_count, args, ast->location);
}

struct expr *bind_subscript(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	char name[TYPE_NAME_MAX];

	if (!args)
		return NULL;
	if (args[0]->type.kind != TYPE_TEXT_LIST) {
		bind_error(b, ast->location,
			"cannot subscript type %s because it does not support subscripting",
			type_name(args[0]->type, name));
		return NULL;
	}
	if (!type_converts_implicitly(args[1]->type.kind, TYPE_INT)) {
		bind_error(b, args[1]->location, "array subscript must have type integer");
		return NULL;
	}
	args[1] = coerce(b, args[1], type_of(TYPE_INT));
	if (!args[1])
		return NULL;
	return make_call(b, FN_LIST_GET, type_of(TYPE_TEXT), 2, args, ast->location);
}

/* A list of one item. */
static struct expr *list_of(struct binder *b, struct expr *item)
{
	item = coerce(b, item, type_of(TYPE_TEXT));
	if (!item)
		return NULL;
	return make_call(b, FN_LIST_MAKE, type_of(TYPE_TEXT_LIST), 1, &item, item->location);
}

static struct expr *make_list_call(struct binder *b, enum function_id function, struct type type,
	struct expr *left, struct expr *right, int32_t location)
{
	struct expr *args[2] = {coerce(b, left, type_of(TYPE_TEXT_LIST)), NULL};

	args[1] = args[0] ? coerce(b, right, type_of(TYPE_TEXT_LIST)) : NULL;
	return args[1] ? make_call(b, function, type, 2, args, location) : NULL;
}

/* list || list, list || text, text || list. A literal beside a list is one, too. */
static struct expr *bind_list_concat(
	struct binder *b, struct expr *left, struct expr *right, int32_t location)
{
	enum type_kind l = left->type.kind, r = right->type.kind;

	if (l == TYPE_TEXT)
		left = list_of(b, left);
	else if (r == TYPE_TEXT)
		right = list_of(b, right);
	else if (!type_converts_implicitly(l, TYPE_TEXT_LIST) ||
		 !type_converts_implicitly(r, TYPE_TEXT_LIST))
		return no_operator(b, "||", left, right, location);
	if (!left || !right)
		return NULL;
	return make_list_call(b, FN_LIST_CONCAT, type_of(TYPE_TEXT_LIST), left, right, location);
}

struct expr *bind_list_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	enum type_kind l = left->type.kind, r = right->type.kind;
	bool contains = strcmp(name, "@>") == 0, within = strcmp(name, "<@") == 0;
	bool overlaps = strcmp(name, "&&") == 0;

	*handled = true;
	if (strcmp(name, "||") == 0 && (l == TYPE_TEXT_LIST || r == TYPE_TEXT_LIST))
		return bind_list_concat(b, left, right, location);
	*handled = contains || within || overlaps;
	if (!*handled)
		return NULL;
	if ((l != TYPE_TEXT_LIST && r != TYPE_TEXT_LIST) ||
		!type_converts_implicitly(l, TYPE_TEXT_LIST) ||
		!type_converts_implicitly(r, TYPE_TEXT_LIST))
		return no_operator(b, name, left, right, location);
	return make_list_call(b, overlaps ? FN_LIST_OVERLAPS : FN_LIST_CONTAINS, type_of(TYPE_BOOL),
		within ? right : left, within ? left : right, location);
}

static bool fits(uint32_t count, struct expr *const *args, uint32_t list)
{
	return count == 2 && type_converts_implicitly(args[list]->type.kind, TYPE_TEXT_LIST) &&
	       type_converts_implicitly(args[1 - list]->type.kind, TYPE_TEXT);
}

struct expr *bind_array_append(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *item;

	if (!fits(count, args, 0)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	item = list_of(b, args[1]);
	return item ? make_list_call(b, FN_LIST_CONCAT, type_of(TYPE_TEXT_LIST), args[0], item,
			      ast->location)
		    : NULL;
}

struct expr *bind_array_prepend(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *item;

	if (!fits(count, args, 1)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	item = list_of(b, args[0]);
	return item ? make_list_call(b, FN_LIST_CONCAT, type_of(TYPE_TEXT_LIST), item, args[1],
			      ast->location)
		    : NULL;
}

/* value op items[0] OR value op items[1] ...; AND for ALL. */
static struct expr *expand_any(struct binder *b, const struct ast_expr *ast, struct expr *value,
	uint32_t count, struct expr **items)
{
	struct value none = {.type = type_of(TYPE_BOOL), .boolean = ast->flag};

	if (count == 0)
		return expr_at(expr_constant(b->arena, &none), ast->location);
	for (uint32_t i = 0; i < count; i++) {
		if (check_expr_size(b, value, ast->location) < 0)
			return NULL;
		items[i] = bind_operator(b, ast->text, value, items[i], ast->location);
		if (!items[i])
			return NULL;
		if (items[i]->type.kind == TYPE_BOOL)
			continue;
		bind_error(
			b, ast->location, "op ANY/ALL (array) requires operator to yield boolean");
		return NULL;
	}
	if (count == 1)
		return items[0];
	return make_node(b, ast->flag ? EXPR_AND : EXPR_OR, count, items, ast->location);
}

/* The items of a constant list. */
static struct expr **list_items(struct binder *b, const struct expr *list)
{
	const struct text_list *texts = &list->constant.list;
	struct expr **items = arena_alloc(b->arena, (texts->count + 1) * sizeof(struct expr *));

	for (uint32_t i = 0; i < texts->count; i++) {
		struct value value = {.type = type_of(TYPE_TEXT), .text = texts->items[i]};

		value.is_null = texts->items[i].size == TEXT_LIST_NULL_SIZE;
		if (value.is_null)
			value.text = (struct text){0};
		items[i] = expr_at(expr_constant(b->arena, &value), list->location);
	}
	return items;
}

/* x = ANY (list) has a kernel; <> ALL is its negation. */
static struct expr *bind_any_equal(
	struct binder *b, const struct ast_expr *ast, struct expr **args, bool negated)
{
	struct expr *call;
	char name[TYPE_NAME_MAX];

	args[0] = coerce_known(b, args[0]);
	if (!args[0])
		return NULL;
	if (args[0]->type.kind != TYPE_TEXT || args[1]->type.kind != TYPE_TEXT_LIST) {
		bind_error(b, args[1]->location,
			"op ANY/ALL (array) requires a text[], not type %s",
			type_name(args[args[0]->type.kind == TYPE_TEXT]->type, name));
		return NULL;
	}
	call = make_call(b, FN_ANY_EQ, type_of(TYPE_BOOL), 2, args, ast->location);
	return negated ? make_node(b, EXPR_NOT, 1, &call, ast->location) : call;
}

/* Over a list that is written out, = ANY is IN, and any other operator is asked item by item. */
static struct expr *bind_any_array(struct level *level, enum clause clause,
	const struct ast_expr *ast, bool is_in, bool negated)
{
	struct binder *b = level->binder;
	const struct ast_expr *list = ast->args[1];
	uint32_t count = list->arg_count + 1;
	struct expr **args = arena_alloc(b->arena, count * sizeof(struct expr *)), *in;

	if (bind_exprs(level, clause, 1, ast->args, args) < 0 ||
		bind_exprs(level, clause, list->arg_count, list->args, args + 1) < 0)
		return NULL;
	if (!is_in)
		return expand_any(b, ast, args[0], list->arg_count, args + 1);
	in = make_in(b, count, args, ast->location);
	return in && negated ? make_node(b, EXPR_NOT, 1, &in, ast->location) : in;
}

/* How people write the operator. */
static const char *operator_word(const char *name)
{
	static const char *const words[][2] = {
		{"~~", "LIKE"}, {"~~*", "ILIKE"}, {"!~~", "NOT LIKE"}, {"!~~*", "NOT ILIKE"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i][0], name) == 0)
			return words[i][1];
	return name;
}

struct expr *bind_any(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const struct ast_expr *list = ast->args[1];
	bool negated = ast->flag && strcmp(ast->text, "<>") == 0;
	bool is_in = negated || (!ast->flag && strcmp(ast->text, "=") == 0);
	struct expr **args;

	if (list->kind == AST_ARRAY && list->arg_count > 0)
		return bind_any_array(level, clause, ast, is_in, negated);
	args = bind_args(level, clause, ast);
	if (!args)
		return NULL;
	if (args[1]->type.kind == TYPE_UNKNOWN) {
		args[1] = coerce(b, args[1], type_of(TYPE_TEXT_LIST));
		if (!args[1])
			return NULL;
	}
	if (is_in)
		return bind_any_equal(b, ast, args, negated);
	if (args[1]->kind == EXPR_CONSTANT && args[1]->type.kind == TYPE_TEXT_LIST &&
		!args[1]->constant.is_null)
		return expand_any(
			b, ast, args[0], args[1]->constant.list.count, list_items(b, args[1]));
	bind_error(b, ast->location, "%s %s over a list that is not constant is not supported",
		operator_word(ast->text), ast->flag ? "ALL" : "ANY");
	return NULL;
}
