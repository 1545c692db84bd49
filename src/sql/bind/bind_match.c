#include "base/buf.h"
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

/* Copies one character, or what a backslash makes of the next. */
static size_t copy_escaped(struct text pattern, size_t at, struct buf *out)
{
	size_t size = pattern.data[at] == '\\' && at + 1 < pattern.size ? 2 : 1;

	buf_append(out, pattern.data + at, size);
	return at + size;
}

/* Copies [:alpha:] and its like, which have a bracket of their own. */
static size_t copy_class(struct text pattern, size_t at, struct buf *out)
{
	char mark = pattern.data[at + 1];

	buf_append(out, pattern.data + at, 2);
	for (at += 2; at < pattern.size; at++) {
		buf_append_char(out, pattern.data[at]);
		if (pattern.data[at] == ']' && pattern.data[at - 1] == mark)
			return at + 1;
	}
	return at;
}

/* Copies [...], in which a parenthesis has no meaning. Returns the place behind it. */
static size_t copy_bracket(struct text pattern, size_t at, struct buf *out)
{
	size_t first;

	buf_append_char(out, pattern.data[at++]);
	if (at < pattern.size && pattern.data[at] == '^')
		buf_append_char(out, pattern.data[at++]);
	first = at;
	while (at < pattern.size && (pattern.data[at] != ']' || at == first)) {
		bool class = pattern.data[at] == '[' && at + 1 < pattern.size &&
			     memchr(":.=", pattern.data[at + 1], 3);

		at = class ? copy_class(pattern, at, out) : copy_escaped(pattern, at, out);
	}
	if (at < pattern.size)
		buf_append_char(out, pattern.data[at++]);
	return at;
}

/* Whether the pattern starts with what may change the meaning of the parentheses in it. */
static bool has_other_syntax(struct text pattern)
{
	if (pattern.size >= 3 && memcmp(pattern.data, "***", 3) == 0)
		return true;
	if (pattern.size < 3 || memcmp(pattern.data, "(?", 2) != 0)
		return false;
	for (size_t i = 2; i < pattern.size && pattern.data[i] != ')'; i++) {
		if (i == 2 && !(pattern.data[i] >= 'a' && pattern.data[i] <= 'z'))
			return false;
		if (memchr("xqbe", pattern.data[i], 4))
			return true;
	}
	return false;
}

/*
 * The pattern with groups that do not capture. False when that cannot be: it refers to its groups,
 * or has another syntax.
 */
static bool drop_groups(struct text pattern, struct buf *out)
{
	bool captures = false, refers = false;
	size_t at = 0;

	while (at < pattern.size) {
		char c = pattern.data[at], next = at + 1 < pattern.size ? pattern.data[at + 1] : 0;

		if (c == '[') {
			at = copy_bracket(pattern, at, out);
		} else if (c == '(' && next != '?') {
			captures = true;
			buf_append_text(out, "(?:");
			at++;
		} else {
			refers = refers || (c == '\\' && next >= '1' && next <= '9');
			at = copy_escaped(pattern, at, out);
		}
	}
	if (!captures) {
		buf_clear(out);
		buf_append(out, pattern.data, pattern.size);
	}
	return !captures || (!refers && !has_other_syntax(pattern));
}

/*
 * The whole match, where FN_REGEX_SUBSTRING would give the first group: so the groups go, which
 * needs a pattern that is known now.
 */
struct expr *bind_regexp_substr(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *all[3];
	struct value value;
	struct buf pattern;
	bool dropped;

	if (count != 2 || !type_converts_implicitly(args[0]->type.kind, TYPE_TEXT) ||
		!type_converts_implicitly(args[1]->type.kind, TYPE_TEXT)) {
		if (count > 2)
			bind_error(b, ast->location,
				"regexp_substr with more than two arguments is not supported");
		else
			no_function(b, ast, count, args);
		return NULL;
	}
	all[0] = coerce(b, args[0], type_of(TYPE_TEXT));
	all[1] = all[0] ? coerce(b, args[1], type_of(TYPE_TEXT)) : NULL;
	if (!all[1])
		return NULL;
	all[2] = text_constant(b, "");
	if (all[1]->kind != EXPR_CONSTANT) {
		bind_error(b, all[1]->location, "the pattern of regexp_substr must be a constant");
		return NULL;
	}
	if (!all[1]->constant.is_null) {
		value = all[1]->constant;
		buf_init(&pattern, 3 * (size_t)value.text.size + 1);
		dropped = drop_groups(value.text, &pattern);
		value.text =
			text_from(arena_copy(b->arena, pattern.data, pattern.size), pattern.size);
		buf_release(&pattern);
		if (!dropped) {
			bind_error(b, all[1]->location,
				"regexp_substr with such groups is not supported; try substring");
			return NULL;
		}
		all[1] = expr_at(expr_constant(b->arena, &value), all[1]->location);
	}
	return make_call(b, FN_REGEX_SUBSTRING, type_of(TYPE_TEXT), 3, all, ast->location);
}
