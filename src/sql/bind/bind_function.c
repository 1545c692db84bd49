/*
 * Scalar functions, by the rows of plan/function_table.c. Of those that fit, the one with the most
 * exact arguments wins, and among equals the first.
 */
#include "base/buf.h"
#include "base/suggest.h"
#include "plan/function_table.h"
#include "sql/bind/bind_private.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define CALL_ARGS_MAX 8

/* What a letter of the entry stands for, once its element is known. */
static struct type letter_type(char letter, struct type element)
{
	if (letter == 'A')
		return type_array_of(element);
	return letter == 'e' ? element : type_of(function_letter_kind(letter));
}

/* How many arguments fit exactly; -1 when one does not fit at all. */
static int entry_score(const struct function_entry *entry, uint32_t count, struct expr *const *args)
{
	struct type element;
	int score = 0;

	if (strlen(entry->args) != count || !element_type(entry->args, count, args, &element))
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		enum type_kind wanted = letter_type(entry->args[i], element).kind;

		if (!type_converts_implicitly(args[i]->type.kind, wanted))
			return -1;
		score += args[i]->type.kind == wanted;
	}
	return score;
}

static const struct function_entry *find_entry(
	const char *name, uint32_t arg_count, struct expr *const *args)
{
	const struct function_entry *best = NULL;
	int best_score = -1;
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	for (size_t i = 0; i < count; i++) {
		int score;

		if (strcmp(entries[i].name, name) != 0 || entries[i].category == CATEGORY_INTERNAL)
			continue;
		score = entry_score(&entries[i], arg_count, args);
		if (score > best_score) {
			best_score = score;
			best = &entries[i];
		}
	}
	return best;
}

/* Known to PostgreSQL and often asked for: "did you mean" would mislead. */
static bool is_known_elsewhere(const char *name)
{
	return strcmp(name, "gen_random_uuid") == 0;
}

typedef struct expr *(*special_bind)(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

struct special {
	const char *name;
	special_bind bind;
};

static struct expr *bind_regexp_replace(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

/* What no signature describes. */
static const struct special specials[] = {
	{"concat", bind_concat_all},
	{"concat_ws", bind_concat_ws},
	{"make_interval", bind_make_interval},
	{"regexp_substr", bind_regexp_call},
	{"regexp_instr", bind_regexp_call},
	{"regexp_replace", bind_regexp_replace},
	{"similar_to_escape", bind_similar_pattern},
	{"format", bind_format},
	{"quote_literal", bind_quote},
	{"quote_nullable", bind_quote},
	{"num_nulls", bind_null_count},
	{"num_nonnulls", bind_null_count},
	{"pg_typeof", bind_typeof},
	{"overlaps", bind_overlaps},
	{"jsonb_contained", bind_jsonb_contained},
	{"to_json", bind_to_json},
	{"to_jsonb", bind_to_json},
	{"json_build_array", bind_json_build},
	{"jsonb_build_array", bind_json_build},
	{"json_build_object", bind_json_build},
	{"jsonb_build_object", bind_json_build},
	{"json_extract_path", bind_json_extract},
	{"jsonb_extract_path", bind_json_extract},
	{"json_extract_path_text", bind_json_extract},
	{"jsonb_extract_path_text", bind_json_extract},
};

#define SPECIAL_COUNT (sizeof(specials) / sizeof(specials[0]))

/* Whether a cast could help. */
static bool is_function_name(const char *name)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	for (size_t i = 0; i < count; i++)
		if (entries[i].category != CATEGORY_INTERNAL && strcmp(entries[i].name, name) == 0)
			return true;
	return false;
}

/* "; did you mean ...?", by what the name means elsewhere or by its spelling; or "". */
static const char *function_hint(const char *name, char text[SUGGESTION_TEXT_MAX])
{
	struct suggestion suggestion;
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	if (is_function_name(name))
		return "; try a cast";
	if (function_meaning(name)) {
		snprintf(text, SUGGESTION_TEXT_MAX, "; did you mean %s?", function_meaning(name));
		return text;
	}
	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < count; i++)
		if (function_is_callable(&entries[i]))
			suggestion_consider(&suggestion, entries[i].name);
	return suggestion_text(&suggestion, text);
}

void no_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr *const *args)
{
	char hint[SUGGESTION_TEXT_MAX], name[TYPE_NAME_MAX];
	struct buf types;

	if (is_known_elsewhere(ast->text)) {
		bind_error(b, ast->location, "function %s is not supported", ast->text);
		return;
	}
	buf_init(&types, ERROR_MESSAGE_MAX);
	for (uint32_t i = 0; i < count; i++)
		buf_printf(&types, "%s%s", i ? ", " : "", type_name(args[i]->type, name));
	bind_error(b, ast->location, "function %s(%.*s) does not exist%s", ast->text,
		(int)types.size, types.size ? types.data : "", function_hint(ast->text, hint));
	buf_release(&types);
}

struct expr *text_constant(struct binder *b, const char *text)
{
	struct value value = {.type = type_of(TYPE_TEXT), .text = text_from(text, strlen(text))};

	return expr_constant(b->arena, &value);
}

/* extract, date_part and date_trunc are compiled for one field. */
static int check_constant(
	struct binder *b, const struct ast_expr *ast, enum function_id function, struct expr **args)
{
	if ((function != FN_EXTRACT && function != FN_DATE_TRUNC) ||
		(args[0]->kind == EXPR_CONSTANT && !args[0]->constant.is_null))
		return 0;
	return bind_error(
		b, ast->args[0]->location, "the field of %s must be a constant", ast->text);
}

/* By the table alone. */
static struct expr *bind_listed(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	const struct function_entry *entry;
	struct expr *all[CALL_ARGS_MAX + 1], *call;
	struct type element;

	entry = find_entry(ast->text, count, args);
	if (entry && entry->function == FN_NONE && strcmp(entry->name, "substring") == 0)
		return bind_similar_substring(b, ast, args);
	if (!entry || (entry->function == FN_NONE && entry->category != CATEGORY_REFUSED)) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (entry->function == FN_NONE) {
		bind_error(b, ast->location, "%s with these %u arguments is not supported",
			ast->text, count);
		return NULL;
	}
	assert(count <= CALL_ARGS_MAX);
	(void)element_type(entry->args, count, args, &element);
	for (uint32_t i = 0; i < count; i++) {
		all[i] = coerce(b, args[i], letter_type(entry->args[i], element));
		if (!all[i])
			return NULL;
	}
	if (entry->extra)
		all[count++] = text_constant(b, entry->extra);
	if (check_constant(b, ast, entry->function, all) < 0)
		return NULL;
	call = make_call(
		b, entry->function, letter_type(entry->result, element), count, all, ast->location);
	if (strcmp(ast->text, "date_part") == 0)
		call = expr_at(expr_cast(b->arena, call, type_of(TYPE_DOUBLE)), ast->location);
	return call;
}

/* With a place to start at, or without. */
static struct expr *bind_regexp_replace(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	bool has_place = count > 4 || (count == 4 && type_is_integer(args[3]->type.kind));

	return has_place ? bind_regexp_call(b, ast, count, args) : bind_listed(b, ast, count, args);
}

struct expr *bind_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	bool handled;
	struct expr *expr = bind_clock(b, ast, count, args, &handled);

	if (!handled)
		expr = bind_zone_function(b, ast, count, args, &handled);
	if (handled)
		return expr;
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		if (strcmp(specials[i].name, ast->text) == 0)
			return specials[i].bind(b, ast, count, args);
	/* A type's name as a function is a cast. */
	if (count == 1 && type_word_kind(ast->text) != TYPE_UNKNOWN)
		return coerce_explicit(
			b, args[0], type_of(type_word_kind(ast->text)), ast->location);
	return bind_listed(b, ast, count, args);
}
