/*
 * json and jsonb (and bytea, whose || is here): operators, and the functions that no row of the
 * table of functions describes.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

static bool is_json(enum type_kind kind)
{
	return kind == TYPE_JSON || kind == TYPE_JSONB;
}

static struct expr *make_pair(struct binder *b, enum function_id function, struct type result,
	struct expr *left, struct expr *right, struct type right_type, int32_t location)
{
	struct expr *args[2] = {left, coerce(b, right, right_type)};

	return args[1] ? make_call(b, function, result, 2, args, location) : NULL;
}

/* A key, or the index of an element. */
static bool step_type(const struct expr *step, struct type *out)
{
	enum type_kind kind = step->type.kind;

	*out = type_of(kind == TYPE_SMALLINT || kind == TYPE_INT ? TYPE_INT : TYPE_TEXT);
	return type_converts_implicitly(kind, out->kind);
}

/* -> ->> #> #>> */
static struct expr *bind_access(
	struct binder *b, const char *name, struct expr *left, struct expr *right, int32_t location)
{
	bool path = name[0] == '#', text = strstr(name, ">>") != NULL;
	struct type type = type_of(TYPE_TEXT_LIST);

	if (path ? !type_converts_implicitly(right->type.kind, TYPE_TEXT_LIST)
		 : !step_type(right, &type))
		return no_operator(b, name, left, right, location);
	return make_pair(b,
		path ? (text ? FN_JSON_PATH_TEXT : FN_JSON_PATH)
		     : (text ? FN_JSON_GET_TEXT : FN_JSON_GET),
		type_of(text ? TYPE_TEXT : left->type.kind), left, right, type, location);
}

static struct expr *bind_delete(
	struct binder *b, struct expr *left, struct expr *right, int32_t location)
{
	struct type type;

	if (type_is_array(right->type.kind))
		type = type_of(TYPE_TEXT_LIST);
	else if (!step_type(right, &type))
		return no_operator(b, "-", left, right, location);
	return make_pair(b, FN_JSONB_DELETE, type_of(TYPE_JSONB), left, right, type, location);
}

/* Operators with a jsonb on the left. */
static const struct {
	const char *name;
	enum function_id function;
	enum type_kind right, result;
} jsonb_operators[] = {
	{"?", FN_JSONB_EXISTS, TYPE_TEXT, TYPE_BOOL},
	{"?|", FN_JSONB_EXISTS_ANY, TYPE_TEXT_LIST, TYPE_BOOL},
	{"?&", FN_JSONB_EXISTS_ALL, TYPE_TEXT_LIST, TYPE_BOOL},
	{"#-", FN_JSONB_DELETE_PATH, TYPE_TEXT_LIST, TYPE_JSONB},
	{"@>", FN_JSONB_CONTAINS, TYPE_JSONB, TYPE_BOOL},
	{"||", FN_JSONB_CONCAT, TYPE_JSONB, TYPE_JSONB},
};

static struct expr *bind_jsonb_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	for (size_t i = 0; i < sizeof(jsonb_operators) / sizeof(jsonb_operators[0]); i++) {
		if (strcmp(jsonb_operators[i].name, name) != 0)
			continue;
		*handled = type_converts_implicitly(right->type.kind, jsonb_operators[i].right);
		if (!*handled)
			return NULL;
		return make_pair(b, jsonb_operators[i].function, type_of(jsonb_operators[i].result),
			left, right, type_of(jsonb_operators[i].right), location);
	}
	return NULL;
}

struct expr *bind_json_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	enum type_kind l = left->type.kind, r = right->type.kind;
	bool access = strcmp(name, "->") == 0 || strcmp(name, "->>") == 0 ||
		      strcmp(name, "#>") == 0 || strcmp(name, "#>>") == 0;

	*handled = true;
	if (is_json(l) && access)
		return bind_access(b, name, left, right, location);
	if (l == TYPE_JSONB && strcmp(name, "-") == 0)
		return bind_delete(b, left, right, location);
	if (strcmp(name, "||") == 0 && (l == TYPE_BYTEA || r == TYPE_BYTEA)) {
		left = type_converts_implicitly(l, TYPE_BYTEA)
			       ? coerce(b, left, type_of(TYPE_BYTEA))
			       : NULL;
		if (left && type_converts_implicitly(r, TYPE_BYTEA))
			return make_pair(b, FN_BYTEA_CONCAT, type_of(TYPE_BYTEA), left, right,
				type_of(TYPE_BYTEA), location);
	}
	*handled = false;
	if (r == TYPE_JSONB && (l == TYPE_UNKNOWN || l == TYPE_JSONB)) {
		left = coerce(b, left, type_of(TYPE_JSONB));
		if (!left) {
			*handled = true;
			return NULL;
		}
		if (strcmp(name, "<@") == 0) {
			*handled = true;
			return make_pair(b, FN_JSONB_CONTAINS, type_of(TYPE_BOOL), right, left,
				type_of(TYPE_JSONB), location);
		}
	}
	if (left->type.kind != TYPE_JSONB)
		return NULL;
	if (strcmp(name, "<@") == 0 && r == TYPE_UNKNOWN) {
		*handled = true;
		right = coerce(b, right, type_of(TYPE_JSONB));
		return right ? make_pair(b, FN_JSONB_CONTAINS, type_of(TYPE_BOOL), right, left,
				       type_of(TYPE_JSONB), location)
			     : NULL;
	}
	return bind_jsonb_operator(b, name, left, right, location, handled);
}

/* -- Functions -- */

static struct type json_type(const struct ast_expr *ast)
{
	return type_of(strstr(ast->text, "jsonb") ? TYPE_JSONB : TYPE_JSON);
}

struct expr *json_of_value(struct binder *b, struct expr *arg, struct type type)
{
	arg = coerce_known(b, arg);
	if (!arg || type_equal(arg->type, type))
		return arg;
	arg = zone_iso_text(b, arg);
	return make_call(b, FN_TO_JSON, type, 1, &arg, arg->location);
}

struct expr *bind_to_json(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	if (count == 1)
		return json_of_value(b, args[0], json_type(ast));
	no_function(b, ast, count, args);
	return NULL;
}

struct expr *bind_jsonb_contained(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *left;

	if (count != 2 || !type_converts_implicitly(args[0]->type.kind, TYPE_JSONB) ||
		!type_converts_implicitly(args[1]->type.kind, TYPE_JSONB)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	left = coerce(b, args[1], type_of(TYPE_JSONB));
	return left ? make_pair(b, FN_JSONB_CONTAINS, type_of(TYPE_BOOL), left, args[0],
			      type_of(TYPE_JSONB), ast->location)
		    : NULL;
}

struct expr *bind_jsonb_subscript(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	char name[TYPE_NAME_MAX];
	struct expr *step = args[1];
	struct type type;

	if (count != 2) {
		bind_error(b, ast->location, "jsonb subscript does not support slices");
		return NULL;
	}
	if (!step_type(step, &type)) {
		bind_error(b, step->location, "subscript type %s is not supported",
			type_name(step->type, name));
		return NULL;
	}
	step = coerce(b, step, type);
	step = step ? coerce(b, step, type_of(TYPE_TEXT)) : NULL;
	if (!step)
		return NULL;
	step = make_call(b, FN_LIST_MAKE, type_of(TYPE_TEXT_LIST), 1, &step, step->location);
	return make_pair(b, FN_JSON_PATH, type_of(TYPE_JSONB), args[0], step,
		type_of(TYPE_TEXT_LIST), ast->location);
}

struct expr *bind_json_build(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	bool object = strstr(ast->text, "object") != NULL;
	struct type type = json_type(ast);

	if (object && count % 2) {
		bind_error(b, ast->location, "argument list must have even number of elements");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		if (object && i % 2 == 0 &&
			(type_is_array(args[i]->type.kind) || is_json(args[i]->type.kind))) {
			bind_error(b, args[i]->location,
				"key value must be scalar, not array, composite, or json");
			return NULL;
		}
		if (object && i % 2 == 0)
			args[i] = coerce_explicit(b, args[i], type_of(TYPE_TEXT), ast->location);
		args[i] = args[i] ? json_of_value(b, args[i], type) : NULL;
		if (!args[i])
			return NULL;
	}
	return make_call(b, object ? FN_JSON_BUILD_OBJECT : FN_JSON_BUILD_ARRAY, type, count, args,
		ast->location);
}

/* json_extract_path[_text](json, text, ...) is #> or #>> with its texts. */
struct expr *bind_json_extract(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	bool text = strstr(ast->text, "_text") != NULL;
	struct type type = json_type(ast);
	struct expr *pair[2];

	for (uint32_t i = 0; i < count; i++)
		if (!type_converts_implicitly(args[i]->type.kind, i == 0 ? type.kind : TYPE_TEXT)) {
			no_function(b, ast, count, args);
			return NULL;
		}
	for (uint32_t i = 0; i < count; i++) {
		args[i] = coerce(b, args[i], i == 0 ? type : type_of(TYPE_TEXT));
		if (!args[i])
			return NULL;
	}
	if (count == 0) {
		no_function(b, ast, count, args);
		return NULL;
	}
	pair[0] = args[0];
	pair[1] = make_call(
		b, FN_LIST_MAKE, type_of(TYPE_TEXT_LIST), count - 1, args + 1, ast->location);
	return make_call(b, text ? FN_JSON_PATH_TEXT : FN_JSON_PATH,
		text ? type_of(TYPE_TEXT) : type, 2, pair, ast->location);
}

/* -- Rows: json_array_elements and its like; a list of their items -- */

static const struct {
	const char *name; /* behind json_ or jsonb_ */
	enum function_id function;
	bool text;
} row_functions[] = {
	{"array_elements", FN_JSON_ELEMENTS, false},
	{"array_elements_text", FN_JSON_ELEMENTS, true},
	{"object_keys", FN_JSON_KEYS, true},
	{"each", FN_JSON_VALUES, false},
	{"each_text", FN_JSON_VALUES, true},
};

struct expr *bind_json_rows(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct expr **keys)
{
	const char *name = strchr(ast->text, '_') + 1;
	struct type type = json_type(ast);
	size_t i = 0;

	while (strcmp(row_functions[i].name, name) != 0)
		i++;
	if (count != 1 || !type_converts_implicitly(args[0]->type.kind, type.kind)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	args[0] = coerce(b, args[0], type);
	if (!args[0])
		return NULL;
	*keys = row_functions[i].function == FN_JSON_VALUES
			? make_call(
				  b, FN_JSON_KEYS, type_of(TYPE_TEXT_LIST), 1, args, ast->location)
			: NULL;
	return make_call(b, row_functions[i].function,
		type_array_of(row_functions[i].text ? type_of(TYPE_TEXT) : type), 1, args,
		ast->location);
}

/* -- Aggregates: of what array_agg makes of JSON values -- */

bool is_json_aggregate(const char *name)
{
	return strcmp(name, "json_agg") == 0 || strcmp(name, "jsonb_agg") == 0 ||
	       strcmp(name, "json_object_agg") == 0 || strcmp(name, "jsonb_object_agg") == 0;
}

static struct ast_expr *call_of(struct binder *b, const struct ast_expr *ast, const char *name,
	uint32_t count, struct ast_expr **args)
{
	struct ast_expr *call = arena_zalloc(b->arena, sizeof(*call));

	call->kind = AST_CALL;
	call->location = ast->location;
	call->text = name;
	call->arg_count = count;
	call->args = args;
	call->call = arena_zalloc(b->arena, sizeof(*call->call));
	return call;
}

/* [key, value], of which the key is a text. */
static struct ast_expr *key_and_value(struct binder *b, const struct ast_expr *ast, bool jsonb)
{
	struct ast_expr **pair = arena_alloc(b->arena, 2 * sizeof(struct ast_expr *));
	struct ast_expr *key = arena_zalloc(b->arena, sizeof(*key));
	struct ast_type *type = arena_zalloc(b->arena, sizeof(*type));

	type->name = "text";
	key->kind = AST_CAST;
	key->location = ast->location;
	key->type = type;
	key->arg_count = 1;
	key->args = ast->args;
	pair[0] = key;
	pair[1] = ast->args[1];
	return call_of(b, ast, jsonb ? "jsonb_build_array" : "json_build_array", 2, pair);
}

struct expr *bind_json_aggregate(
	struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	bool object = strstr(ast->text, "object") != NULL,
	     jsonb = strstr(ast->text, "jsonb") != NULL;
	struct ast_call *clauses = arena_alloc(b->arena, sizeof(*clauses));
	struct ast_expr **args = arena_alloc(b->arena, sizeof(struct ast_expr *)), *list;
	struct expr *made;

	if (ast->call->star || ast->call->within_group || ast->arg_count != (object ? 2 : 1)) {
		bind_error(b, ast->location, "%s takes %s", ast->text,
			object ? "two arguments" : "one argument");
		return NULL;
	}
	*clauses = *ast->call;
	args[0] = ast->args[0];
	if (object)
		args[0] = key_and_value(b, ast, jsonb);
	else if (!clauses->distinct)
		args[0] = call_of(b, ast, jsonb ? "to_jsonb" : "to_json", 1, ast->args);
	/* The order of the values themselves, not of their texts. */
	if (clauses->sort_count == 0 && !clauses->distinct && level->sorted_count == 0) {
		clauses->sort = arena_zalloc(b->arena, sizeof(*clauses->sort));
		clauses->sort[0].expr = ast->args[0];
		clauses->sort_count = 1;
	}
	list = call_of(b, ast, "array_agg", 1, args);
	list->call = clauses;
	made = bind_aggregate(level, clause, list);
	if (made && !object && !jsonb && is_row_as_json(ast->args[0]))
		return make_call(b, FN_JSON_OF_ROWS, type_of(TYPE_JSON), 1, &made, ast->location);
	return made ? make_call(b, object ? FN_JSON_OBJECT_OF_LIST : FN_JSON_OF_LIST,
			      type_of(jsonb ? TYPE_JSONB : TYPE_JSON), 1, &made, ast->location)
		    : NULL;
}
