/*
 * Functions that PostgreSQL does not have and other databases taught people: median(x), year(t), ifnull(a, b).
 * Each is what PostgreSQL says for it, with the arguments of the call in the place of $1, $2 and $3, before
 * anything is bound.
 */
#include "base/buf.h"
#include "plan/function_table.h"
#include "sql/bind/bind_private.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FORMAT_BYTES_MAX 1024

enum macro_kind {
	MACRO_VALUE,
	MACRO_AGGREGATE, /* FILTER and OVER of the call go to the aggregate in it */
	MACRO_LIST,	 /* ORDER BY and DISTINCT, too */
	MACRO_FIRST,	 /* needs the ORDER BY of the call */
	MACRO_LAST,	 /* the same, the other way round */
};

static const struct macro {
	const char *name;
	uint32_t arg_count;
	enum macro_kind kind;
	const char *body;
} macros[] = {
	{"year", 1, MACRO_VALUE, "extract(year FROM $1)::bigint"},
	{"quarter", 1, MACRO_VALUE, "extract(quarter FROM $1)::bigint"},
	{"month", 1, MACRO_VALUE, "extract(month FROM $1)::bigint"},
	{"week", 1, MACRO_VALUE, "extract(week FROM $1)::bigint"},
	{"day", 1, MACRO_VALUE, "extract(day FROM $1)::bigint"},
	{"hour", 1, MACRO_VALUE, "extract(hour FROM $1)::bigint"},
	{"minute", 1, MACRO_VALUE, "extract(minute FROM $1)::bigint"},
	{"second", 1, MACRO_VALUE, "floor(extract(second FROM $1))::bigint"},
	{"dayofweek", 1, MACRO_VALUE, "extract(dow FROM $1)::bigint"},
	{"dayofyear", 1, MACRO_VALUE, "extract(doy FROM $1)::bigint"},
	{"dayname", 1, MACRO_VALUE, "to_char($1, 'FMDay')"},
	{"monthname", 1, MACRO_VALUE, "to_char($1, 'FMMonth')"},
	{"last_day", 1, MACRO_VALUE,
		"(date_trunc('month', $1::date::timestamp) + interval '1 month - 1 day')::date"},
	{"ifnull", 2, MACRO_VALUE, "coalesce($1, $2)"},
	{"median", 1, MACRO_AGGREGATE, "percentile_cont(0.5) WITHIN GROUP (ORDER BY $1)"},
	{"quantile", 2, MACRO_AGGREGATE, "percentile_disc($2) WITHIN GROUP (ORDER BY $1)"},
	{"quantile_disc", 2, MACRO_AGGREGATE, "percentile_disc($2) WITHIN GROUP (ORDER BY $1)"},
	{"quantile_cont", 2, MACRO_AGGREGATE, "percentile_cont($2) WITHIN GROUP (ORDER BY $1)"},
	{"any_value", 1, MACRO_AGGREGATE, "min($1)"},
	{"count_if", 1, MACRO_AGGREGATE, "count(*) FILTER (WHERE $1)"},
	{"approx_count_distinct", 1, MACRO_AGGREGATE, "count(DISTINCT $1)"},
	{"list", 1, MACRO_LIST, "array_agg($1)"},
	{"first", 1, MACRO_FIRST, "(array_agg($1))[1]"},
	{"last", 1, MACRO_LAST, "(array_agg($1))[1]"},
	{"arg_max", 2, MACRO_AGGREGATE,
		"(array_agg($1 ORDER BY $2 DESC) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT "
		"NULL))[1]"},
	{"arg_min", 2, MACRO_AGGREGATE,
		"(array_agg($1 ORDER BY $2) FILTER (WHERE $1 IS NOT NULL AND $2 IS NOT NULL))[1]"},
};

/* date_diff(unit, start, end): how many bounds of units lie between them. */
static const struct unit_macro {
	const char *unit;
	const char *body;
} differences[] = {
	{"year", "(extract(year FROM $3) - extract(year FROM $2))::bigint"},
	{"quarter", "(extract(year FROM $3) * 4 + extract(quarter FROM $3)"
		    " - extract(year FROM $2) * 4 - extract(quarter FROM $2))::bigint"},
	{"month", "(extract(year FROM $3) * 12 + extract(month FROM $3)"
		  " - extract(year FROM $2) * 12 - extract(month FROM $2))::bigint"},
	{"week", "((date_trunc('week', $3)::date - date_trunc('week', $2)::date) / 7)::bigint"},
	{"day", "($3::date - $2::date)::bigint"},
	{"hour", "(floor(extract(epoch FROM $3) / 3600)"
		 " - floor(extract(epoch FROM $2) / 3600))::bigint"},
	{"minute", "(floor(extract(epoch FROM $3) / 60)"
		   " - floor(extract(epoch FROM $2) / 60))::bigint"},
	{"second", "(floor(extract(epoch FROM $3)) - floor(extract(epoch FROM $2)))::bigint"},
	{"millisecond", "(floor(extract(epoch FROM $3) * 1000)"
			" - floor(extract(epoch FROM $2) * 1000))::bigint"},
};

/* -- The body, with the arguments in it -- */

struct expansion {
	struct binder *b;
	const struct ast_expr *call;
};

static struct ast_expr *expand(const struct expansion *e, const struct ast_expr *ast);

static struct ast_call *expand_call(const struct expansion *e, const struct ast_call *call)
{
	struct ast_call *out = arena_alloc(e->b->arena, sizeof(*out));

	*out = *call;
	out->sort = arena_alloc(e->b->arena, (call->sort_count + 1) * sizeof(*out->sort));
	for (uint32_t i = 0; i < call->sort_count; i++) {
		out->sort[i] = call->sort[i];
		out->sort[i].expr = expand(e, call->sort[i].expr);
	}
	if (call->filter)
		out->filter = expand(e, call->filter);
	return out;
}

/* Bodies have no subqueries, and no more levels than are seen above. Places are those of the call. */
static struct ast_expr *expand(const struct expansion *e, const struct ast_expr *ast)
{
	struct ast_expr *out;

	if (ast->kind == AST_PARAMETER)
		return e->call->args[ast->text_size - 1];
	out = arena_alloc(e->b->arena, sizeof(*out));
	*out = *ast;
	out->location = e->call->location;
	out->args = arena_alloc(e->b->arena, (ast->arg_count + 1) * sizeof(*out->args));
	for (uint32_t i = 0; i < ast->arg_count; i++)
		out->args[i] = ast->args[i] ? expand(e, ast->args[i]) : NULL;
	if (ast->call)
		out->call = expand_call(e, ast->call);
	return out;
}

static struct ast_expr *expand_body(struct binder *b, const struct ast_expr *call, const char *body)
{
	const struct expansion e = {b, call};
	const struct sql_source source = {.name = "",
		.text = arena_printf(b->arena, "SELECT %s", body),
		.code = ERROR_INTERNAL};
	struct ast_select *select;

	if (parse_body_text(&source, b->arena, &select, b->err) < 0)
		return NULL;
	return expand(&e, select->targets[0].expr);
}

/* -- What the call says beside its arguments -- */

static struct ast_expr *both(struct binder *b, struct ast_expr *one, struct ast_expr *other)
{
	struct ast_expr *out;

	if (!one || !other)
		return one ? one : other;
	out = arena_zalloc(b->arena, sizeof(*out));
	out->kind = AST_AND;
	out->location = one->location;
	out->arg_count = 2;
	out->args = arena_alloc(b->arena, 2 * sizeof(*out->args));
	out->args[0] = one;
	out->args[1] = other;
	return out;
}

static int pass_on(struct binder *b, const struct macro *macro, const struct ast_expr *call,
	struct ast_expr *body)
{
	struct ast_expr *inner = body;

	while (inner->kind == AST_SUBSCRIPT)
		inner = inner->args[0];
	if (call->call->distinct && macro->kind != MACRO_LIST)
		return bind_error(b, call->location, "DISTINCT has no meaning in %s", call->text);
	if (call->call->sort_count && macro->kind == MACRO_AGGREGATE)
		return bind_error(b, call->location, "ORDER BY has no meaning in %s", call->text);
	if (!call->call->sort_count && macro->kind >= MACRO_FIRST)
		return bind_error(b, call->location,
			"%s needs to know of which order: %s(x ORDER BY y); any_value(x) where it "
			"does not matter",
			call->text, call->text);
	inner->call->distinct |= call->call->distinct;
	inner->call->filter = both(b, inner->call->filter, call->call->filter);
	inner->call->window = call->call->window;
	if (call->call->sort_count) {
		inner->call->sort_count = call->call->sort_count;
		inner->call->sort =
			arena_alloc(b->arena, call->call->sort_count * sizeof(*call->call->sort));
		memcpy(inner->call->sort, call->call->sort,
			call->call->sort_count * sizeof(*call->call->sort));
	}
	for (uint32_t i = 0; macro->kind == MACRO_LAST && i < inner->call->sort_count; i++) {
		inner->call->sort[i].descending = !inner->call->sort[i].descending;
		inner->call->sort[i].nulls_first = !inner->call->sort[i].nulls_first;
	}
	return 0;
}

/* -- date_diff -- */

static bool names_unit(const struct ast_expr *ast, const char *unit)
{
	size_t size = strlen(unit);

	return (ast->text_size == size || (ast->text_size == size + 1 && ast->text[size] == 's')) &&
	       strncasecmp(ast->text, unit, size) == 0;
}

static struct ast_expr *expand_difference(struct binder *b, const struct ast_expr *call)
{
	const struct ast_expr *unit = call->args[0];

	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++)
		if (unit->kind == AST_STRING && names_unit(unit, differences[i].unit))
			return expand_body(b, call, differences[i].body);
	bind_error(b, unit->location,
		"the unit of %s is one of 'year', 'quarter', 'month', 'week', 'day', 'hour', "
		"'minute', 'second', 'millisecond'",
		call->text);
	return NULL;
}

/* -- strftime -- */

static const struct {
	char letter;
	const char *pattern; /* of to_char */
} letters[] = {
	{'Y', "YYYY"},
	{'y', "YY"},
	{'m', "MM"},
	{'d', "DD"},
	{'e', "FMDD"},
	{'H', "HH24"},
	{'I', "HH12"},
	{'M', "MI"},
	{'S', "SS"},
	{'f', "US"},
	{'g', "MS"},
	{'p', "AM"},
	{'b', "Mon"},
	{'B', "FMMonth"},
	{'a', "Dy"},
	{'A', "FMDay"},
	{'j', "DDD"},
	{'u', "ID"},
	{'V', "IW"},
	{'G', "IYYY"},
	{'F', "YYYY-MM-DD"},
	{'T', "HH24:MI:SS"},
	{'D', "MM/DD/YY"},
	{'x', "YYYY-MM-DD"},
	{'X', "HH24:MI:SS"},
	{'R', "HH24:MI"},
};

static const char *letter_pattern(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == letter)
			return letters[i].pattern;
	return NULL;
}

/* What stands between is in double quotes, as to_char wants it. False for a letter that it has not. */
static bool to_char_pattern(const struct ast_expr *format, struct buf *out, char *unknown)
{
	bool quoted = false;

	for (uint32_t i = 0; i < format->text_size; i++) {
		char c = format->text[i],
		     next = i + 1 < format->text_size ? format->text[i + 1] : 0;
		bool padless = c == '%' && next == '-';
		const char *pattern = NULL;

		if (padless)
			next = i + 2 < format->text_size ? format->text[i + 2] : 0;
		if (c == '%' && next != '%') {
			pattern = letter_pattern(next);
			*unknown = next;
			if (!pattern)
				return false;
		}
		if (quoted == (pattern != NULL)) {
			buf_append_char(out, '"');
			quoted = !quoted;
		}
		i += c == '%' ? padless ? 2 : 1 : 0;
		if (pattern)
			buf_printf(out, "%s%s", padless ? "FM" : "", pattern);
		else
			buf_printf(out, "%s%c", c == '"' || c == '\\' ? "\\" : "", c);
	}
	if (quoted)
		buf_append_char(out, '"');
	return !buf_overflowed(out);
}

/* strftime(time, format); SQLite has them the other way round. */
static struct ast_expr *expand_format(struct binder *b, const struct ast_expr *call)
{
	struct ast_expr *out = arena_alloc(b->arena, sizeof(*out)), *pattern;
	uint32_t at = call->args[1]->kind == AST_STRING ? 1 : 0;
	char unknown = '\0';
	struct buf text;

	if (call->args[at]->kind != AST_STRING) {
		bind_error(b, call->location, "the format of strftime must be a constant");
		return NULL;
	}
	buf_init(&text, FORMAT_BYTES_MAX);
	if (!to_char_pattern(call->args[at], &text, &unknown)) {
		bind_error(b, call->args[at]->location,
			"strftime does not know %%%c; to_char has patterns of PostgreSQL", unknown);
		buf_release(&text);
		return NULL;
	}
	pattern = arena_alloc(b->arena, sizeof(*pattern));
	*pattern = *call->args[at];
	pattern->text_size = (uint32_t)text.size;
	pattern->text = arena_strndup(b->arena, text.data ? text.data : "", text.size);
	buf_release(&text);
	*out = *call;
	out->text = "to_char";
	out->args = arena_alloc(b->arena, 2 * sizeof(*out->args));
	out->args[0] = call->args[1 - at];
	out->args[1] = pattern;
	return out;
}

/* -- The door -- */

static const struct macro *find_macro(const struct ast_expr *call)
{
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		if (strcmp(macros[i].name, call->text) == 0 &&
			macros[i].arg_count == call->arg_count && !call->call->star)
			return &macros[i];
	return NULL;
}

static bool is_plain(const struct ast_call *call)
{
	return !call->star && !call->distinct && !call->sort_count && !call->filter &&
	       !call->window && !call->within_group;
}

bool expand_macro(struct binder *b, const struct ast_expr *call, const struct ast_expr **out)
{
	const struct macro *macro = find_macro(call);
	struct ast_expr *body;

	*out = NULL;
	if (is_plain(call->call) && call->arg_count == 3 &&
		(strcmp(call->text, "date_diff") == 0 || strcmp(call->text, "datediff") == 0)) {
		*out = expand_difference(b, call);
		return true;
	}
	if (is_plain(call->call) && call->arg_count == 2 && strcmp(call->text, "strftime") == 0) {
		*out = expand_format(b, call);
		return true;
	}
	if (!macro || call->call->within_group ||
		(macro->kind == MACRO_VALUE && !is_plain(call->call)))
		return false;
	body = expand_body(b, call, macro->body);
	if (body && (macro->kind == MACRO_VALUE || pass_on(b, macro, call, body) == 0))
		*out = body;
	return true;
}
