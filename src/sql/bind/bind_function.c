/*
 * Scalar functions: one row per signature. Of the signatures that fit, the one with the most exact
 * arguments wins, and among equals the first, so that the order of the rows is PostgreSQL's
 * preference: round(int) is round(double precision).
 */
#include "base/buf.h"
#include "base/suggest.h"
#include "sql/bind/bind_private.h"

#include <string.h>

#define SIGNATURE_ARGS_MAX 4

struct call_signature {
	const char *name;
	enum function_id function; /* FN_NONE: PostgreSQL has it, tamiz refuses it */
	enum type_kind result;
	uint32_t arg_count;
	enum type_kind args[SIGNATURE_ARGS_MAX];
	/* One argument more, that is always this text; NULL for none. */
	const char *extra;
};

#define T_ TYPE_TEXT
#define I_ TYPE_INT
#define B_ TYPE_BIGINT
#define N_ TYPE_NUMERIC
#define D_ TYPE_DOUBLE
#define L_ TYPE_TEXT_LIST

static const struct call_signature signatures[] = {
	{"lower", FN_LOWER, T_, 1, {T_}, NULL},
	{"upper", FN_UPPER, T_, 1, {T_}, NULL},
	{"length", FN_LENGTH, I_, 1, {T_}, NULL},
	{"char_length", FN_LENGTH, I_, 1, {T_}, NULL},
	{"character_length", FN_LENGTH, I_, 1, {T_}, NULL},
	{"octet_length", FN_OCTET_LENGTH, I_, 1, {T_}, NULL},
	{"substring", FN_REGEX_SUBSTRING, T_, 2, {T_, T_}, ""},
	{"substring", FN_SUBSTRING, T_, 2, {T_, I_}, NULL},
	{"substring", FN_NONE, T_, 3, {T_, T_, T_}, NULL},
	{"substring", FN_SUBSTRING, T_, 3, {T_, I_, I_}, NULL},
	{"substr", FN_SUBSTRING, T_, 2, {T_, I_}, NULL},
	{"substr", FN_SUBSTRING, T_, 3, {T_, I_, I_}, NULL},
	{"left", FN_LEFT, T_, 2, {T_, I_}, NULL},
	{"right", FN_RIGHT, T_, 2, {T_, I_}, NULL},
	{"position", FN_POSITION, I_, 2, {T_, T_}, NULL},
	{"strpos", FN_POSITION, I_, 2, {T_, T_}, NULL},
	{"btrim", FN_TRIM_BOTH, T_, 1, {T_}, " "},
	{"btrim", FN_TRIM_BOTH, T_, 2, {T_, T_}, NULL},
	{"ltrim", FN_TRIM_LEFT, T_, 1, {T_}, " "},
	{"ltrim", FN_TRIM_LEFT, T_, 2, {T_, T_}, NULL},
	{"rtrim", FN_TRIM_RIGHT, T_, 1, {T_}, " "},
	{"rtrim", FN_TRIM_RIGHT, T_, 2, {T_, T_}, NULL},
	{"replace", FN_REPLACE, T_, 3, {T_, T_, T_}, NULL},
	{"split_part", FN_SPLIT_PART, T_, 3, {T_, T_, I_}, NULL},
	{"starts_with", FN_STARTS_WITH, TYPE_BOOL, 2, {T_, T_}, NULL},
	{"reverse", FN_REVERSE, T_, 1, {T_}, NULL},
	{"repeat", FN_REPEAT, T_, 2, {T_, I_}, NULL},
	{"lpad", FN_LPAD, T_, 2, {T_, I_}, " "},
	{"lpad", FN_LPAD, T_, 3, {T_, I_, T_}, NULL},
	{"rpad", FN_RPAD, T_, 2, {T_, I_}, " "},
	{"rpad", FN_RPAD, T_, 3, {T_, I_, T_}, NULL},
	{"sentiment", FN_SENTIMENT, N_, 1, {T_}, NULL},
	{"abs", FN_ABS, D_, 1, {D_}, NULL},
	{"abs", FN_ABS, N_, 1, {N_}, NULL},
	{"abs", FN_ABS, B_, 1, {B_}, NULL},
	{"abs", FN_ABS, I_, 1, {I_}, NULL},
	{"abs", FN_ABS, TYPE_SMALLINT, 1, {TYPE_SMALLINT}, NULL},
	{"abs", FN_ABS, TYPE_REAL, 1, {TYPE_REAL}, NULL},
	{"sign", FN_SIGN, D_, 1, {D_}, NULL},
	{"sign", FN_SIGN, N_, 1, {N_}, NULL},
	{"round", FN_ROUND, D_, 1, {D_}, NULL},
	{"round", FN_ROUND, N_, 1, {N_}, NULL},
	{"round", FN_ROUND_TO, N_, 2, {N_, I_}, NULL},
	{"trunc", FN_TRUNC, D_, 1, {D_}, NULL},
	{"trunc", FN_TRUNC, N_, 1, {N_}, NULL},
	{"trunc", FN_TRUNC_TO, N_, 2, {N_, I_}, NULL},
	{"floor", FN_FLOOR, D_, 1, {D_}, NULL},
	{"floor", FN_FLOOR, N_, 1, {N_}, NULL},
	{"ceil", FN_CEIL, D_, 1, {D_}, NULL},
	{"ceil", FN_CEIL, N_, 1, {N_}, NULL},
	{"ceiling", FN_CEIL, D_, 1, {D_}, NULL},
	{"ceiling", FN_CEIL, N_, 1, {N_}, NULL},
	{"sqrt", FN_SQRT, D_, 1, {D_}, NULL},
	{"sqrt", FN_SQRT, N_, 1, {N_}, NULL},
	{"power", FN_POWER, D_, 2, {D_, D_}, NULL},
	{"power", FN_POWER, N_, 2, {N_, N_}, NULL},
	{"pow", FN_POWER, D_, 2, {D_, D_}, NULL},
	{"pow", FN_POWER, N_, 2, {N_, N_}, NULL},
	{"exp", FN_EXP, D_, 1, {D_}, NULL},
	{"exp", FN_EXP, N_, 1, {N_}, NULL},
	{"ln", FN_LN, D_, 1, {D_}, NULL},
	{"ln", FN_LN, N_, 1, {N_}, NULL},
	{"log", FN_LOG, D_, 1, {D_}, NULL},
	{"log", FN_LOG, N_, 1, {N_}, NULL},
	{"log10", FN_LOG, D_, 1, {D_}, NULL},
	{"log10", FN_LOG, N_, 1, {N_}, NULL},
	{"log", FN_LOG, N_, 2, {N_, N_}, NULL},
	{"div", FN_DIV_WHOLE, N_, 2, {N_, N_}, NULL},
	{"mod", FN_MOD, I_, 2, {I_, I_}, NULL},
	{"mod", FN_MOD, TYPE_SMALLINT, 2, {TYPE_SMALLINT, TYPE_SMALLINT}, NULL},
	{"mod", FN_MOD, B_, 2, {B_, B_}, NULL},
	{"mod", FN_MOD, N_, 2, {N_, N_}, NULL},
	{"extract", FN_EXTRACT, N_, 2, {T_, TYPE_TIMESTAMP}, NULL},
	{"extract", FN_EXTRACT, N_, 2, {T_, TYPE_DATE}, NULL},
	{"extract", FN_EXTRACT, N_, 2, {T_, TYPE_TIME}, NULL},
	{"date_part", FN_EXTRACT, N_, 2, {T_, TYPE_TIMESTAMP}, NULL},
	{"date_part", FN_EXTRACT, N_, 2, {T_, TYPE_DATE}, NULL},
	{"date_part", FN_EXTRACT, N_, 2, {T_, TYPE_TIME}, NULL},
	{"extract", FN_EXTRACT, N_, 2, {T_, TYPE_INTERVAL}, NULL},
	{"date_part", FN_EXTRACT, N_, 2, {T_, TYPE_INTERVAL}, NULL},
	{"date_trunc", FN_DATE_TRUNC, TYPE_TIMESTAMP, 2, {T_, TYPE_TIMESTAMP}, NULL},
	{"date_trunc", FN_DATE_TRUNC, TYPE_INTERVAL, 2, {T_, TYPE_INTERVAL}, NULL},
	{"date_bin", FN_DATE_BIN, TYPE_TIMESTAMP, 3,
		{TYPE_INTERVAL, TYPE_TIMESTAMP, TYPE_TIMESTAMP}, NULL},
	{"age", FN_AGE, TYPE_INTERVAL, 2, {TYPE_TIMESTAMP, TYPE_TIMESTAMP}, NULL},
	{"justify_days", FN_JUSTIFY_DAYS, TYPE_INTERVAL, 1, {TYPE_INTERVAL}, NULL},
	{"justify_hours", FN_JUSTIFY_HOURS, TYPE_INTERVAL, 1, {TYPE_INTERVAL}, NULL},
	{"justify_interval", FN_JUSTIFY_INTERVAL, TYPE_INTERVAL, 1, {TYPE_INTERVAL}, NULL},
	{"to_char", FN_TO_CHAR, T_, 2, {TYPE_TIMESTAMP, T_}, NULL},
	{"to_char", FN_TO_CHAR, T_, 2, {TYPE_DATE, T_}, NULL},
	{"to_char", FN_TO_CHAR, T_, 2, {B_, T_}, NULL},
	{"to_char", FN_TO_CHAR, T_, 2, {N_, T_}, NULL},
	{"to_char", FN_TO_CHAR, T_, 2, {D_, T_}, NULL},
	{"to_date", FN_TO_DATE, TYPE_DATE, 2, {T_, T_}, NULL},
	{"to_timestamp", FN_TO_TIMESTAMP, TYPE_TIMESTAMP, 2, {T_, T_}, NULL},
	{"make_date", FN_MAKE_DATE, TYPE_DATE, 3, {I_, I_, I_}, NULL},
	{"regexp_like", FN_REGEX_MATCH, TYPE_BOOL, 2, {T_, T_}, ""},
	{"regexp_like", FN_REGEX_MATCH, TYPE_BOOL, 3, {T_, T_, T_}, NULL},
	{"regexp_replace", FN_REGEX_REPLACE, T_, 3, {T_, T_, T_}, ""},
	{"regexp_replace", FN_REGEX_REPLACE, T_, 4, {T_, T_, T_, T_}, NULL},
	{"regexp_replace", FN_NONE, T_, 4, {T_, T_, T_, I_}, NULL},
	{"regexp_match", FN_REGEX_GROUPS, L_, 2, {T_, T_}, ""},
	{"regexp_match", FN_REGEX_GROUPS, L_, 3, {T_, T_, T_}, NULL},
	{"regexp_split_to_array", FN_REGEX_SPLIT, L_, 2, {T_, T_}, ""},
	{"regexp_split_to_array", FN_REGEX_SPLIT, L_, 3, {T_, T_, T_}, NULL},
	{"regexp_count", FN_REGEX_COUNT, I_, 2, {T_, T_}, ""},
	{"regexp_count", FN_NONE, I_, 3, {T_, T_, I_}, NULL},
	{"regexp_count", FN_NONE, I_, 4, {T_, T_, I_, T_}, NULL},
	{"sentiment", FN_SENTIMENT, N_, 1, {T_}, NULL},
	{"cardinality", FN_CARDINALITY, I_, 1, {L_}, NULL},
	{"array_length", FN_ARRAY_LENGTH, I_, 2, {L_, I_}, NULL},
	{"array_upper", FN_ARRAY_LENGTH, I_, 2, {L_, I_}, NULL},
	{"array_cat", FN_LIST_CONCAT, L_, 2, {L_, L_}, NULL},
	{"array_position", FN_LIST_POSITION, I_, 2, {L_, T_}, NULL},
	{"array_position", FN_NONE, I_, 3, {L_, T_, I_}, NULL},
	{"array_to_string", FN_LIST_JOIN, T_, 2, {L_, T_}, NULL},
	{"array_to_string", FN_LIST_JOIN, T_, 3, {L_, T_, T_}, NULL},
	{"string_to_array", FN_LIST_SPLIT, L_, 2, {T_, T_}, NULL},
	{"string_to_array", FN_LIST_SPLIT, L_, 3, {T_, T_, T_}, NULL},
	{"py_list", FN_PY_LIST, L_, 1, {T_}, NULL},
	{"py_pluck", FN_PY_PLUCK, L_, 2, {T_, T_}, NULL},
};

#undef T_
#undef I_
#undef B_
#undef N_
#undef D_
#undef L_

#define SIGNATURE_COUNT (sizeof(signatures) / sizeof(signatures[0]))

/* How many arguments fit exactly; -1 when one does not fit at all. */
static int signature_score(
	const struct call_signature *signature, uint32_t count, struct expr *const *args)
{
	int score = 0;

	if (signature->arg_count != count)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (!type_converts_implicitly(args[i]->type.kind, signature->args[i]))
			return -1;
		score += args[i]->type.kind == signature->args[i];
	}
	return score;
}

static const struct call_signature *find_signature(
	const char *name, uint32_t count, struct expr *const *args)
{
	const struct call_signature *best = NULL;
	int best_score = -1;

	for (size_t i = 0; i < SIGNATURE_COUNT; i++) {
		int score;

		if (strcmp(signatures[i].name, name) != 0)
			continue;
		score = signature_score(&signatures[i], count, args);
		if (score > best_score) {
			best_score = score;
			best = &signatures[i];
		}
	}
	return best;
}

/* Known to PostgreSQL and often asked for: "did you mean" would mislead. */
static bool is_known_elsewhere(const char *name)
{
	static const char *const names[] = {"random", "to_number", "timezone", "make_time",
		"make_timestamp", "regexp_instr", "json_agg", "jsonb_agg", "bit_and", "bit_or",
		"regr_slope", "regr_intercept", "regr_r2", "regr_count", "initcap", "translate",
		"md5", "format", "overlay", "cbrt", "gcd", "lcm", "pi", "sin", "cos", "tan",
		"width_bucket", "chr", "ascii", "array_remove", "array_replace", "array_positions",
		"array_fill", "array_lower", "array_dims", "array_ndims", "trim_array",
		"bit_length", "quote_literal", "gen_random_uuid"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Also age(x), which is age(current_date, x). */
static bool asks_the_clock(const char *name, uint32_t arg_count)
{
	static const char *const names[] = {"now", "clock_timestamp", "statement_timestamp",
		"transaction_timestamp", "timeofday"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return strcmp(name, "age") == 0 && arg_count == 1;
}

typedef struct expr *(*special_bind)(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

struct special {
	const char *name;
	special_bind bind;
};

static struct expr *bind_concat_all(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
static struct expr *bind_concat_ws(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
static struct expr *bind_date(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

/* What no signature describes. */
static const struct special specials[] = {
	{"concat", bind_concat_all},
	{"concat_ws", bind_concat_ws},
	{"date", bind_date},
	{"make_interval", bind_make_interval},
	{"array_append", bind_array_append},
	{"array_prepend", bind_array_prepend},
	{"regexp_substr", bind_regexp_substr},
};

#define SPECIAL_COUNT (sizeof(specials) / sizeof(specials[0]))

/* Whether a cast could help. */
static bool is_function_name(const char *name)
{
	for (size_t i = 0; i < SIGNATURE_COUNT; i++)
		if (strcmp(signatures[i].name, name) == 0)
			return true;
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		if (strcmp(specials[i].name, name) == 0)
			return true;
	return is_aggregate_name(name) || is_window_name(name);
}

void no_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr *const *args)
{
	static const char *const others[] = {"count", "sum", "avg", "min", "max", "bool_and",
		"bool_or", "every", "stddev", "variance", "corr", "string_agg", "array_agg",
		"percentile_cont", "percentile_disc", "mode", "row_number", "rank", "dense_rank",
		"percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value", "last_value",
		"nth_value", "coalesce", "nullif", "greatest", "least"};
	char hint[SUGGESTION_TEXT_MAX], name[TYPE_NAME_MAX];
	struct suggestion suggestion;
	struct buf types;

	if (asks_the_clock(ast->text, count)) {
		bind_error(b, ast->location,
			"%s is not supported: it would make the result depend on when the query "
			"runs",
			ast->text);
		return;
	}
	if (strcmp(ast->text, "to_char") == 0 && count > 0 && args[0]->type.kind == TYPE_INTERVAL) {
		bind_error(b, ast->location, "to_char of an interval is not supported");
		return;
	}
	if (is_known_elsewhere(ast->text)) {
		bind_error(b, ast->location, "function %s is not supported", ast->text);
		return;
	}
	suggestion_init(&suggestion, ast->text);
	for (size_t i = 0; i < SIGNATURE_COUNT; i++)
		suggestion_consider(&suggestion, signatures[i].name);
	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		suggestion_consider(&suggestion, specials[i].name);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		suggestion_consider(&suggestion, others[i]);
	buf_init(&types, ERROR_MESSAGE_MAX);
	for (uint32_t i = 0; i < count; i++)
		buf_printf(&types, "%s%s", i ? ", " : "", type_name(args[i]->type, name));
	bind_error(b, ast->location, "function %s(%.*s) does not exist%s", ast->text,
		(int)types.size, types.size ? types.data : "",
		is_function_name(ast->text) ? "; try a cast" : suggestion_text(&suggestion, hint));
	buf_release(&types);
}

struct expr *text_constant(struct binder *b, const char *text)
{
	struct value value = {.type = type_of(TYPE_TEXT), .text = text_from(text, strlen(text))};

	return expr_constant(b->arena, &value);
}

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

static struct expr *bind_concat_all(
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
static struct expr *bind_concat_ws(
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

/* A type's name as a function is a cast; this one is common. */
static struct expr *bind_date(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	if (count == 1)
		return coerce_explicit(b, args[0], type_of(TYPE_DATE), ast->location);
	no_function(b, ast, count, args);
	return NULL;
}

/*
 * extract, date_part and date_trunc are compiled for one field, to_date and to_timestamp for one
 * pattern.
 */
static int check_constant(
	struct binder *b, const struct ast_expr *ast, enum function_id function, struct expr **args)
{
	bool field = function == FN_EXTRACT || function == FN_DATE_TRUNC;
	bool pattern = function == FN_TO_DATE || function == FN_TO_TIMESTAMP;
	const struct expr *arg = args[pattern ? 1 : 0];

	if ((!field && !pattern) || (arg->kind == EXPR_CONSTANT && !arg->constant.is_null))
		return 0;
	return bind_error(b, ast->args[pattern ? 1 : 0]->location,
		"the %s of %s must be a constant", field ? "field" : "pattern", ast->text);
}

struct expr *bind_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	const struct call_signature *signature;
	struct expr *all[SIGNATURE_ARGS_MAX + 1], *call;

	for (size_t i = 0; i < SPECIAL_COUNT; i++)
		if (strcmp(specials[i].name, ast->text) == 0)
			return specials[i].bind(b, ast, count, args);
	signature = find_signature(ast->text, count, args);
	if (!signature) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (signature->function == FN_NONE) {
		bind_error(b, ast->location, "%s with these %u arguments is not supported",
			ast->text, count);
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		all[i] = coerce(b, args[i], type_of(signature->args[i]));
		if (!all[i])
			return NULL;
	}
	if (signature->extra)
		all[count++] = text_constant(b, signature->extra);
	if (check_constant(b, ast, signature->function, all) < 0)
		return NULL;
	call = make_call(
		b, signature->function, type_of(signature->result), count, all, ast->location);
	if (strcmp(ast->text, "date_part") == 0)
		call = expr_at(expr_cast(b->arena, call, type_of(TYPE_DOUBLE)), ast->location);
	return call;
}
