/*
 * Expressions as text that reads like SQL, with no more parentheses than SQL needs.
 */
#include "base/buf.h"
#include "plan/expr.h"

#include <math.h>

/* How tightly an expression holds together, loosest first, as in PostgreSQL's grammar. */
enum binding {
	BINDS_OR,
	BINDS_AND,
	BINDS_NOT,
	BINDS_IS,
	BINDS_COMPARISON,
	BINDS_LIKE,	/* LIKE, IN */
	BINDS_OPERATOR, /* || and other operators */
	BINDS_ADD,
	BINDS_MUL,
	BINDS_NEG,
	BINDS_CAST,
	BINDS_ATOM,
};

struct infix {
	const char *text;
	enum binding binding;
};

struct formatter {
	const char *const *names;
	struct buf *out;
};

static const struct infix infixes[FUNCTION_COUNT] = {
	[FN_ADD] = {" + ", BINDS_ADD},
	[FN_SUB] = {" - ", BINDS_ADD},
	[FN_MUL] = {" * ", BINDS_MUL},
	[FN_DIV] = {" / ", BINDS_MUL},
	[FN_MOD] = {" % ", BINDS_MUL},
	[FN_EQ] = {" = ", BINDS_COMPARISON},
	[FN_NE] = {" <> ", BINDS_COMPARISON},
	[FN_LT] = {" < ", BINDS_COMPARISON},
	[FN_LE] = {" <= ", BINDS_COMPARISON},
	[FN_GT] = {" > ", BINDS_COMPARISON},
	[FN_GE] = {" >= ", BINDS_COMPARISON},
	[FN_DISTINCT] = {" IS DISTINCT FROM ", BINDS_IS},
	[FN_NOT_DISTINCT] = {" IS NOT DISTINCT FROM ", BINDS_IS},
	[FN_DATE_ADD_DAYS] = {" + ", BINDS_ADD},
	[FN_DATE_DIFF] = {" - ", BINDS_ADD},
	[FN_DATETIME_ADD] = {" + ", BINDS_ADD},
	[FN_DATETIME_SUB] = {" - ", BINDS_ADD},
	[FN_DATETIME_DIFF] = {" - ", BINDS_ADD},
	[FN_INTERVAL_MUL] = {" * ", BINDS_MUL},
	[FN_INTERVAL_DIV] = {" / ", BINDS_MUL},
	[FN_CONCAT] = {" || ", BINDS_OPERATOR},
	[FN_LIKE] = {" LIKE ", BINDS_LIKE},
	[FN_ILIKE] = {" ILIKE ", BINDS_LIKE},
	[FN_LIST_CONCAT] = {" || ", BINDS_OPERATOR},
	[FN_LIST_CONTAINS] = {" @> ", BINDS_OPERATOR},
	[FN_LIST_OVERLAPS] = {" && ", BINDS_OPERATOR},
};

static void format_expr(const struct formatter *f, const struct expr *expr);

static bool is_negated_predicate(const struct expr *expr)
{
	const struct expr *arg = expr->args[0];

	return arg->kind == EXPR_IS_NULL || arg->kind == EXPR_IN ||
	       (arg->kind == EXPR_CALL && (arg->function == FN_LIKE || arg->function == FN_ILIKE));
}

static bool is_negative(const struct value *value)
{
	if (value->is_null)
		return false;
	switch (value->type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT: return value->i64 < 0;
	case TYPE_NUMERIC: return numeric_sign(value->num) < 0;
	case TYPE_REAL:
	case TYPE_DOUBLE: return isfinite(value->f64) && signbit(value->f64);
	default: return false;
	}
}

/* "~" or "~*" where the flags say just that; NULL for others. */
static const char *match_operator(const struct expr *expr)
{
	const struct expr *flags = expr->args[2];

	if (flags->kind != EXPR_CONSTANT || flags->constant.is_null)
		return NULL;
	if (flags->constant.text.size == 0)
		return " ~ ";
	return flags->constant.text.size == 1 && flags->constant.text.data[0] == 'i' ? " ~* "
										     : NULL;
}

static enum binding expr_binding(const struct expr *expr)
{
	switch (expr->kind) {
	case EXPR_OR: return BINDS_OR;
	case EXPR_AND: return BINDS_AND;
	case EXPR_NOT: return is_negated_predicate(expr) ? expr_binding(expr->args[0]) : BINDS_NOT;
	case EXPR_IS_NULL: return BINDS_IS;
	case EXPR_IN: return BINDS_LIKE;
	case EXPR_CAST: return BINDS_CAST;
	case EXPR_CONSTANT: return is_negative(&expr->constant) ? BINDS_NEG : BINDS_ATOM;
	case EXPR_CALL:
		if (infixes[expr->function].text)
			return infixes[expr->function].binding;
		if (expr->function == FN_NEG)
			return BINDS_NEG;
		if (expr->function == FN_REGEX_MATCH && match_operator(expr))
			return BINDS_OPERATOR;
		return expr->function == FN_ANY_EQ ? BINDS_COMPARISON : BINDS_ATOM;
	case EXPR_COLUMN:
	case EXPR_CASE:
	case EXPR_COALESCE: break;
	}
	return BINDS_ATOM;
}

/* In parentheses when it holds together less tightly than its place asks for. */
static void format_arg(const struct formatter *f, const struct expr *expr, enum binding at_least)
{
	bool parentheses = expr_binding(expr) < at_least;

	if (parentheses)
		buf_append_char(f->out, '(');
	format_expr(f, expr);
	if (parentheses)
		buf_append_char(f->out, ')');
}

static void format_args(const struct formatter *f, const struct expr *expr, uint32_t first)
{
	for (uint32_t i = first; i < expr->arg_count; i++) {
		if (i > first)
			buf_append_text(f->out, ", ");
		format_expr(f, expr->args[i]);
	}
}

static void format_quoted(const char *text, size_t size, struct buf *out)
{
	buf_append_char(out, '\'');
	/* Of the rules of a time zone the name, which is in front. */
	for (size_t i = 0; i < size && text[i] != '\0'; i++) {
		if (text[i] == '\'')
			buf_append_char(out, '\'');
		buf_append_char(out, text[i]);
	}
	buf_append_char(out, '\'');
}

static void format_constant(const struct value *value, struct buf *out)
{
	char name[TYPE_NAME_MAX];
	struct buf text;

	if (value->is_null) {
		buf_append_text(out, "NULL");
		return;
	}
	switch (value->type.kind) {
	case TYPE_BOOL: buf_append_text(out, value->boolean ? "true" : "false"); return;
	case TYPE_UNKNOWN:
	case TYPE_TEXT: format_quoted(value->text.data, value->text.size, out); return;
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_NUMERIC: value_format(value, out); return;
	case TYPE_REAL:
	case TYPE_DOUBLE:
		if (isfinite(value->f64)) {
			value_format(value, out);
			return;
		}
		break;
	default: break;
	}
	buf_init(&text, out->size_max);
	value_format(value, &text);
	format_quoted(text.data, text.size, out);
	buf_release(&text);
	buf_append_text(out, "::");
	buf_append_text(out, type_name(value->type, name));
}

/* Without the ESCAPE that everybody means. */
static void format_escape(const struct formatter *f, const struct expr *expr)
{
	const struct expr *escape = expr->arg_count > 2 ? expr->args[2] : NULL;

	if (!escape)
		return;
	if (escape->kind == EXPR_CONSTANT && !escape->constant.is_null &&
		escape->constant.text.size == 1 && escape->constant.text.data[0] == '\\')
		return;
	buf_append_text(f->out, " ESCAPE ");
	format_arg(f, escape, BINDS_OPERATOR);
}

static void format_infix(const struct formatter *f, const struct expr *expr, const char *prefix)
{
	const struct infix *infix = &infixes[expr->function];
	/* Only arithmetic and || chain to the left; comparisons do not chain. */
	enum binding left = infix->binding >= BINDS_OPERATOR ? infix->binding : infix->binding + 1;

	format_arg(f, expr->args[0], left);
	buf_append_text(f->out, prefix);
	buf_append_text(f->out, infix->text);
	format_arg(f, expr->args[1], infix->binding + 1);
	if (infix->binding == BINDS_LIKE)
		format_escape(f, expr);
}

static void format_call(const struct formatter *f, const struct expr *expr)
{
	const struct value *field;

	if (infixes[expr->function].text) {
		format_infix(f, expr, "");
		return;
	}
	switch (expr->function) {
	case FN_NEG:
		buf_append_char(f->out, '-');
		format_arg(f, expr->args[0], BINDS_CAST);
		return;
	case FN_ANY_EQ:
		format_arg(f, expr->args[0], BINDS_LIKE);
		buf_append_text(f->out, " = ANY (");
		format_expr(f, expr->args[1]);
		buf_append_char(f->out, ')');
		return;
	case FN_REGEX_MATCH:
		if (!match_operator(expr))
			break;
		format_arg(f, expr->args[0], BINDS_OPERATOR);
		buf_append_text(f->out, match_operator(expr));
		format_arg(f, expr->args[1], BINDS_ADD);
		return;
	case FN_LIST_GET:
		format_arg(f, expr->args[0], BINDS_ATOM);
		buf_append_char(f->out, '[');
		format_expr(f, expr->args[1]);
		buf_append_char(f->out, ']');
		return;
	case FN_LIST_MAKE:
		buf_append_text(f->out, "ARRAY[");
		format_args(f, expr, 0);
		buf_append_char(f->out, ']');
		return;
	case FN_EXTRACT:
		field = &expr->args[0]->constant;
		if (expr->args[0]->kind != EXPR_CONSTANT || field->is_null)
			break;
		buf_append_text(f->out, "extract(");
		buf_append(f->out, field->text.data, field->text.size);
		buf_append_text(f->out, " FROM ");
		format_expr(f, expr->args[1]);
		buf_append_char(f->out, ')');
		return;
	default: break;
	}
	buf_append_text(f->out, function_name(expr->function));
	buf_append_char(f->out, '(');
	format_args(f, expr, 0);
	buf_append_char(f->out, ')');
}

static void format_logic(const struct formatter *f, const struct expr *expr, const char *word)
{
	enum binding binding = expr_binding(expr);

	for (uint32_t i = 0; i < expr->arg_count; i++) {
		if (i > 0)
			buf_append_text(f->out, word);
		format_arg(f, expr->args[i], binding + 1);
	}
}

static void format_predicate(const struct formatter *f, const struct expr *expr, bool negated)
{
	if (expr->kind == EXPR_CALL) {
		format_infix(f, expr, negated ? " NOT" : "");
		return;
	}
	format_arg(f, expr->args[0], BINDS_OPERATOR);
	if (expr->kind == EXPR_IS_NULL) {
		buf_append_text(f->out, negated ? " IS NOT NULL" : " IS NULL");
		return;
	}
	buf_append_text(f->out, negated ? " NOT IN (" : " IN (");
	format_args(f, expr, 1);
	buf_append_char(f->out, ')');
}

static void format_not(const struct formatter *f, const struct expr *expr)
{
	if (is_negated_predicate(expr)) {
		format_predicate(f, expr->args[0], true);
		return;
	}
	buf_append_text(f->out, "NOT ");
	format_arg(f, expr->args[0], BINDS_NOT);
}

static void format_case(const struct formatter *f, const struct expr *expr)
{
	uint32_t last = expr->arg_count - 1;
	const struct expr *otherwise = expr->args[last];

	buf_append_text(f->out, "CASE");
	for (uint32_t i = 0; i < last; i += 2) {
		buf_append_text(f->out, " WHEN ");
		format_expr(f, expr->args[i]);
		buf_append_text(f->out, " THEN ");
		format_expr(f, expr->args[i + 1]);
	}
	if (otherwise->kind != EXPR_CONSTANT || !otherwise->constant.is_null) {
		buf_append_text(f->out, " ELSE ");
		format_expr(f, otherwise);
	}
	buf_append_text(f->out, " END");
}

static void format_expr(const struct formatter *f, const struct expr *expr)
{
	char name[TYPE_NAME_MAX];

	switch (expr->kind) {
	case EXPR_COLUMN:
		if (f->names && f->names[expr->column] && f->names[expr->column][0])
			buf_append_text(f->out, f->names[expr->column]);
		else
			buf_printf(f->out, "#%u", expr->column);
		break;
	case EXPR_CONSTANT: format_constant(&expr->constant, f->out); break;
	case EXPR_CALL: format_call(f, expr); break;
	case EXPR_CAST:
		format_arg(f, expr->args[0], BINDS_CAST);
		buf_append_text(f->out, "::");
		buf_append_text(f->out, type_name(expr->type, name));
		break;
	case EXPR_AND: format_logic(f, expr, " AND "); break;
	case EXPR_OR: format_logic(f, expr, " OR "); break;
	case EXPR_NOT: format_not(f, expr); break;
	case EXPR_IS_NULL:
	case EXPR_IN: format_predicate(f, expr, false); break;
	case EXPR_CASE: format_case(f, expr); break;
	case EXPR_COALESCE:
		buf_append_text(f->out, "coalesce(");
		format_args(f, expr, 0);
		buf_append_char(f->out, ')');
		break;
	}
}

void expr_format(const struct expr *expr, const char *const *names, struct buf *out)
{
	struct formatter formatter = {names, out};

	format_expr(&formatter, expr);
}
