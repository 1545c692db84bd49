#include "sql/bind/bind_private.h"

#include <string.h>

/* ~ and ~* are regular expressions, ~~ and ~~* are LIKE and ILIKE; ! in front negates. */
bool is_match_operator(const char *name)
{
	static const char *const names[] = {"~", "~*", "~~", "~~*", "^@"};

	if (name[0] == '!' && name[1] == '~')
		name++;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

struct expr *bind_match(
	struct binder *b, const char *name, struct expr *left, struct expr *right, int32_t location)
{
	bool negated = name[0] == '!', any_case = name[strlen(name) - 1] == '*';
	enum function_id function = FN_REGEX_MATCH;
	struct expr *args[3], *call;

	if (!type_converts_implicitly(left->type.kind, TYPE_TEXT) ||
		!type_converts_implicitly(right->type.kind, TYPE_TEXT))
		return no_operator(b, name, left, right, location);
	args[0] = coerce(b, left, type_of(TYPE_TEXT));
	args[1] = args[0] ? coerce(b, right, type_of(TYPE_TEXT)) : NULL;
	if (!args[1])
		return NULL;
	if (name[0] == '^')
		return make_call(b, FN_STARTS_WITH, type_of(TYPE_BOOL), 2, args, location);
	if (strstr(name, "~~")) {
		function = any_case ? FN_ILIKE : FN_LIKE;
		args[2] = text_constant(b, "\\");
	} else {
		args[2] = text_constant(b, any_case ? "i" : "");
	}
	call = make_call(b, function, type_of(TYPE_BOOL), 3, args, location);
	return negated ? make_node(b, EXPR_NOT, 1, &call, location) : call;
}

/* The functions whose last arguments may be left out: what they are then, and in which order. */
static const struct regexp_call {
	const char *name;
	enum function_id function;
	enum type_kind result;
	const char *types;	 /* as SQL has them */
	const char *defaults[7]; /* NULL: must be there */
	uint8_t order[7];	 /* as the plan has them */
} regexp_calls[] = {
	{"regexp_instr", FN_REGEX_INSTR, TYPE_INT, "ttiiiti", {NULL, NULL, "1", "1", "0", "", "0"},
		{0, 1, 2, 3, 4, 6, 5}},
	{"regexp_substr", FN_REGEX_NTH, TYPE_TEXT, "ttiiti", {NULL, NULL, "1", "1", "", "0"},
		{0, 1, 2, 3, 5, 4}},
	{"regexp_replace", FN_REGEX_REPLACE, TYPE_TEXT, "tttiit", {NULL, NULL, NULL, "1", "1", ""},
		{0, 1, 2, 3, 4, 5}},
};

struct expr *bind_regexp_call(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	const struct regexp_call *call = regexp_calls;
	struct expr *all[7], *ordered[7];
	uint32_t arity;

	while (strcmp(call->name, ast->text) != 0)
		call++;
	arity = (uint32_t)strlen(call->types);
	for (uint32_t i = 0; i < arity; i++) {
		enum type_kind kind = call->types[i] == 't' ? TYPE_TEXT : TYPE_INT;

		if (count > arity || (i >= count && !call->defaults[i]) ||
			(i < count && !type_converts_implicitly(args[i]->type.kind, kind))) {
			no_function(b, ast, count, args);
			return NULL;
		}
		all[i] = i < count ? args[i] : text_constant(b, call->defaults[i]);
		all[i] = coerce(b, all[i], type_of(kind));
		if (!all[i])
			return NULL;
	}
	for (uint32_t i = 0; i < arity; i++)
		ordered[i] = all[call->order[i]];
	return make_call(b, call->function, type_of(call->result), arity, ordered, ast->location);
}

/* What the grammar makes of x SIMILAR TO y [ESCAPE z]: x ~ similar_to_escape(y [, z]). */
struct expr *bind_similar_pattern(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *all[2] = {args[0], count > 1 ? args[1] : text_constant(b, "\\")};

	for (uint32_t i = 0; i < 2; i++) {
		if (count > 2 || !type_converts_implicitly(all[i]->type.kind, TYPE_TEXT)) {
			no_function(b, ast, count, args);
			return NULL;
		}
		all[i] = coerce(b, all[i], type_of(TYPE_TEXT));
		if (!all[i])
			return NULL;
	}
	return make_call(b, FN_SIMILAR_PATTERN, type_of(TYPE_TEXT), 2, all, ast->location);
}

struct expr *bind_similar_substring(
	struct binder *b, const struct ast_expr *ast, struct expr **args)
{
	struct expr *all[3] = {coerce(b, args[0], type_of(TYPE_TEXT))};

	all[1] = all[0] ? bind_similar_pattern(b, ast, 2, args + 1) : NULL;
	all[2] = text_constant(b, "");
	return all[1] ? make_call(b, FN_REGEX_SUBSTRING, type_of(TYPE_TEXT), 3, all, ast->location)
		      : NULL;
}
