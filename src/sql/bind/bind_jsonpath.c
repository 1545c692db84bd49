/* SQL/JSON paths: the functions, whose arguments may have names, and the operators @? and @@. */
#include "sql/bind/bind_private.h"

#include <string.h>

#define PATH_ARGS 4

static const struct path_function {
	const char *name;
	enum function_id function;
	enum type_kind result;
	bool zoned; /* times may be compared across zones */
} path_functions[] = {
	{"jsonb_path_exists", FN_JSONPATH_EXISTS, TYPE_BOOL, false},
	{"jsonb_path_match", FN_JSONPATH_MATCH, TYPE_BOOL, false},
	{"jsonb_path_query_first", FN_JSONPATH_FIRST, TYPE_JSONB, false},
	{"jsonb_path_query_array", FN_JSONPATH_ARRAY, TYPE_JSONB, false},
	{"jsonb_path_query", FN_JSONPATH_QUERY, TYPE_ARRAY | TYPE_JSONB, false},
	{"jsonb_path_exists_tz", FN_JSONPATH_EXISTS, TYPE_BOOL, true},
	{"jsonb_path_match_tz", FN_JSONPATH_MATCH, TYPE_BOOL, true},
	{"jsonb_path_query_first_tz", FN_JSONPATH_FIRST, TYPE_JSONB, true},
	{"jsonb_path_query_array_tz", FN_JSONPATH_ARRAY, TYPE_JSONB, true},
	{"jsonb_path_query_tz", FN_JSONPATH_QUERY, TYPE_ARRAY | TYPE_JSONB, true},
};

static const struct path_function *find_path_function(const char *name)
{
	for (size_t i = 0; i < sizeof(path_functions) / sizeof(path_functions[0]); i++)
		if (strcmp(path_functions[i].name, name) == 0)
			return &path_functions[i];
	return NULL;
}

bool is_path_function(const char *name)
{
	return find_path_function(name) != NULL;
}

/* The place of argument `i`, by its name where it has one; PATH_ARGS when there is none. */
static uint32_t argument_place(const struct ast_call *call, uint32_t i)
{
	static const char *const names[PATH_ARGS] = {"target", "path", "vars", "silent"};
	uint32_t place = 0;

	if (!call->arg_names || !call->arg_names[i])
		return i;
	while (place < PATH_ARGS && strcmp(names[place], call->arg_names[i]) != 0)
		place++;
	return place;
}

struct expr *bind_path_call(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	static const enum type_kind kinds[PATH_ARGS] = {
		TYPE_JSONB, TYPE_JSONPATH, TYPE_JSONB, TYPE_BOOL};
	const struct path_function *function = find_path_function(ast->text);
	struct value nothing = {.type = type_of(TYPE_UNKNOWN), .text = text_from("{}", 2)};
	struct expr *all[PATH_ARGS + 1] = {NULL};

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = argument_place(ast->call, i);

		if (place >= PATH_ARGS || all[place] ||
			!type_converts_implicitly(args[i]->type.kind, kinds[place])) {
			no_function(b, ast, count, args);
			return NULL;
		}
		all[place] = args[i];
	}
	if (!all[0] || !all[1]) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (!all[2])
		all[2] = expr_constant(b->arena, &nothing);
	if (!all[3])
		all[3] = boolean(b, false, false);
	for (uint32_t i = 0; i < PATH_ARGS; i++) {
		all[i] = coerce(b, all[i], type_of(kinds[i]));
		if (!all[i])
			return NULL;
	}
	all[PATH_ARGS] = function->zoned ? zone_session_rules(b) : NULL;
	return make_call(b, function->function, type_of(function->result),
		function->zoned ? PATH_ARGS + 1 : PATH_ARGS, all, ast->location);
}

struct expr *bind_path_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	bool exists = strcmp(name, "@?") == 0;
	struct expr *args[2];

	*handled = exists || strcmp(name, "@@") == 0;
	if (!*handled)
		return NULL;
	if (!type_converts_implicitly(left->type.kind, TYPE_JSONB) ||
		!type_converts_implicitly(right->type.kind, TYPE_JSONPATH))
		return no_operator(b, name, left, right, location);
	args[0] = coerce(b, left, type_of(TYPE_JSONB));
	args[1] = args[0] ? coerce(b, right, type_of(TYPE_JSONPATH)) : NULL;
	return args[1] ? make_call(b, exists ? FN_JSONPATH_EXISTS : FN_JSONPATH_MATCH,
				 type_of(TYPE_BOOL), 2, args, location)
		       : NULL;
}
