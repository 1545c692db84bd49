/*
 * Arrays: how they are made, taken apart and compared, and the tests over all their items.
 */
#include "column/item.h"
#include "sql/bind/bind_private.h"

#include <string.h>

struct expr *bind_array(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	struct type type = type_of(TYPE_TEXT);

	if (!args ||
		(ast->arg_count > 0 && coerce_common(b, "ARRAY", ast->arg_count, args, &type) < 0))
		return NULL;
	if (type_is_array(type.kind)) {
		bind_error(b, ast->location, "arrays of more than one dimension are not supported");
		return NULL;
	}
	return make_call(b, FN_LIST_MAKE, type_array_of(type_of(type.kind)), ast->arg_count, args,
		ast->location);
}

/* array[i], or array[i:j]; a bound that is left out is the array's. */
struct expr *bind_subscript(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args = bind_args(level, clause, ast);
	char name[TYPE_NAME_MAX];
	struct type type;

	if (!args)
		return NULL;
	type = type_of(args[0]->type.kind);
	if (type.kind == TYPE_JSONB)
		return bind_jsonb_subscript(b, ast, ast->arg_count, args);
	if (!type_is_array(type.kind)) {
		bind_error(b, ast->location,
			"cannot subscript type %s because it does not support subscripting",
			type_name(args[0]->type, name));
		return NULL;
	}
	for (uint32_t i = 1; i < ast->arg_count; i++) {
		if (!type_converts_implicitly(args[i]->type.kind, TYPE_INT)) {
			bind_error(b, args[i]->location, "array subscript must have type integer");
			return NULL;
		}
		args[i] = coerce(b, args[i], type_of(TYPE_INT));
		if (!args[i])
			return NULL;
	}
	if (ast->arg_count == 3)
		return make_call(b, FN_LIST_SLICE, type, 3, args, ast->location);
	return make_call(b, FN_LIST_GET, type_element_of(type), 2, args, ast->location);
}

/* The common element of arrays and elements, by letters as in the table of functions. */
bool element_type(const char *letters, uint32_t count, struct expr *const *args, struct type *out)
{
	*out = type_of(TYPE_UNKNOWN);
	for (uint32_t i = 0; i < count; i++) {
		struct type type = type_of(args[i]->type.kind);

		if ((letters[i] != 'A' && letters[i] != 'e') || type.kind == TYPE_UNKNOWN)
			continue;
		if (type_is_array(type.kind) != (letters[i] == 'A') ||
			!type_common(*out, type_element_of(type), out))
			return false;
	}
	if (out->kind == TYPE_UNKNOWN)
		*out = type_of(TYPE_TEXT);
	return true;
}

/* A call whose arguments have these letters; `result` is its type, or for A and e theirs. */
static struct expr *make_list_call(struct binder *b, enum function_id function, const char *letters,
	struct type result, struct expr *left, struct expr *right, int32_t location)
{
	struct expr *args[2] = {left, right};
	struct type element;

	if (!element_type(letters, 2, args, &element))
		return NULL;
	for (int i = 0; i < 2; i++) {
		args[i] = coerce(b, args[i], letters[i] == 'A' ? type_array_of(element) : element);
		if (!args[i])
			return NULL;
	}
	return make_call(b, function, result.kind == TYPE_UNKNOWN ? type_array_of(element) : result,
		2, args, location);
}

static bool is_list(const struct expr *expr)
{
	return type_is_array(expr->type.kind);
}

/* array || array, array || element, element || array. A literal beside an array is one, too. */
static struct expr *bind_list_concat(
	struct binder *b, struct expr *left, struct expr *right, int32_t location)
{
	bool l = is_list(left) || left->type.kind == TYPE_UNKNOWN;
	bool r = is_list(right) || right->type.kind == TYPE_UNKNOWN;
	const char *letters = l && r ? "AA" : l ? "Ae" : "eA";
	enum function_id function = l && r ? FN_LIST_CONCAT : l ? FN_LIST_APPEND : FN_LIST_PREPEND;
	struct expr *args[2] = {left, right};
	struct type element;

	if (!element_type(letters, 2, args, &element))
		return no_operator(b, "||", left, right, location);
	return make_list_call(b, function, letters, type_of(TYPE_UNKNOWN), left, right, location);
}

struct expr *bind_list_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	bool contains = strcmp(name, "@>") == 0, within = strcmp(name, "<@") == 0;
	bool overlaps = strcmp(name, "&&") == 0;
	struct expr *args[2] = {left, right};
	struct type element;

	*handled = true;
	if (strcmp(name, "||") == 0 && (is_list(left) || is_list(right)))
		return bind_list_concat(b, left, right, location);
	*handled = contains || within || overlaps;
	if (!*handled)
		return NULL;
	if ((!is_list(left) && !is_list(right)) || !element_type("AA", 2, args, &element) ||
		(is_list(left) && is_list(right) && left->type.kind != right->type.kind))
		return no_operator(b, name, left, right, location);
	return make_list_call(b, overlaps ? FN_LIST_OVERLAPS : FN_LIST_CONTAINS, "AA",
		type_of(TYPE_BOOL), within ? right : left, within ? left : right, location);
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

struct expr **list_items(struct binder *b, const struct expr *list)
{
	const struct text_list *texts = &list->constant.list;
	struct expr **items = arena_alloc(b->arena, (texts->count + 1) * sizeof(struct expr *));

	for (uint32_t i = 0; i < texts->count; i++) {
		struct value value =
			item_value(type_element_of(list->type), texts->items[i], b->arena);

		items[i] = expr_at(expr_constant(b->arena, &value), list->location);
	}
	return items;
}

/* The comparison, and the one that holds where it does not. */
static const struct {
	const char *name;
	enum function_id any, opposite;
} any_comparisons[] = {
	{"=", FN_ANY_EQ, FN_ANY_NE},
	{"<>", FN_ANY_NE, FN_ANY_EQ},
	{"<", FN_ANY_LT, FN_ANY_GE},
	{"<=", FN_ANY_LE, FN_ANY_GT},
	{">", FN_ANY_GT, FN_ANY_LE},
	{">=", FN_ANY_GE, FN_ANY_LT},
};

/* x op ANY (list) has a kernel for comparisons; x op ALL (list) is NOT x opposite ANY (list). */
static struct expr *bind_any_comparison(
	struct binder *b, const struct ast_expr *ast, struct expr **args, bool *handled)
{
	char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];
	struct type element;
	struct expr *call;
	size_t i = 0, count = sizeof(any_comparisons) / sizeof(any_comparisons[0]);

	while (i < count && strcmp(any_comparisons[i].name, ast->text) != 0)
		i++;
	*handled = i < count;
	if (!*handled)
		return NULL;
	if (!element_type("eA", 2, args, &element)) {
		bind_error(b, args[1]->location, "operator does not exist: %s %s %s; try a cast",
			type_name(args[0]->type, left), ast->text,
			type_name(is_list(args[1]) ? type_element_of(args[1]->type) : args[1]->type,
				right));
		return NULL;
	}
	call = make_list_call(b, ast->flag ? any_comparisons[i].opposite : any_comparisons[i].any,
		"eA", type_of(TYPE_BOOL), args[0], args[1], ast->location);
	return call && ast->flag ? make_node(b, EXPR_NOT, 1, &call, ast->location) : call;
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
	struct expr **args, *call;
	bool handled;

	if (list->kind == AST_ARRAY && list->arg_count > 0)
		return bind_any_array(level, clause, ast, is_in, negated);
	args = bind_args(level, clause, ast);
	if (!args)
		return NULL;
	if (!is_list(args[1]) && args[1]->type.kind != TYPE_UNKNOWN) {
		bind_error(b, args[1]->location, "op ANY/ALL (array) requires array on right side");
		return NULL;
	}
	call = bind_any_comparison(b, ast, args, &handled);
	if (handled)
		return call;
	if (args[1]->type.kind == TYPE_UNKNOWN)
		args[1] = coerce(b, args[1], type_of(TYPE_TEXT_LIST));
	if (!args[1])
		return NULL;
	if (args[1]->kind == EXPR_CONSTANT && !args[1]->constant.is_null)
		return expand_any(
			b, ast, args[0], args[1]->constant.list.count, list_items(b, args[1]));
	bind_error(b, ast->location, "%s %s over a list that is not constant is not supported",
		operator_word(ast->text), ast->flag ? "ALL" : "ANY");
	return NULL;
}
