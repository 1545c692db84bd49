#include "plan/function.h"

#include <assert.h>

static const char *const function_names[FUNCTION_COUNT] = {
	[FN_NONE] = "none",
	[FN_ADD] = "add",
	[FN_SUB] = "subtract",
	[FN_MUL] = "multiply",
	[FN_DIV] = "divide",
	[FN_MOD] = "mod",
	[FN_NEG] = "negate",
	[FN_EQ] = "equal",
	[FN_NE] = "not_equal",
	[FN_LT] = "less",
	[FN_LE] = "less_or_equal",
	[FN_GT] = "greater",
	[FN_GE] = "greater_or_equal",
	[FN_DISTINCT] = "is_distinct",
	[FN_NOT_DISTINCT] = "is_not_distinct",
	[FN_DATE_ADD_DAYS] = "date_add_days",
	[FN_DATE_DIFF] = "date_diff",
	[FN_EXTRACT] = "extract",
	[FN_DATE_TRUNC] = "date_trunc",
	[FN_TO_CHAR] = "to_char",
	[FN_TO_DATE] = "to_date",
	[FN_TO_TIMESTAMP] = "to_timestamp",
	[FN_MAKE_DATE] = "make_date",
	[FN_DATETIME_ADD] = "datetime_add",
	[FN_DATETIME_SUB] = "datetime_subtract",
	[FN_DATETIME_DIFF] = "datetime_diff",
	[FN_AGE] = "age",
	[FN_DATE_BIN] = "date_bin",
	[FN_INTERVAL_MUL] = "interval_multiply",
	[FN_INTERVAL_DIV] = "interval_divide",
	[FN_MAKE_INTERVAL] = "make_interval",
	[FN_JUSTIFY_DAYS] = "justify_days",
	[FN_JUSTIFY_HOURS] = "justify_hours",
	[FN_JUSTIFY_INTERVAL] = "justify_interval",
	[FN_CONCAT] = "textcat",
	[FN_CONCAT_ALL] = "concat",
	[FN_LIKE] = "like",
	[FN_ILIKE] = "ilike",
	[FN_LOWER] = "lower",
	[FN_UPPER] = "upper",
	[FN_LENGTH] = "length",
	[FN_OCTET_LENGTH] = "octet_length",
	[FN_SUBSTRING] = "substring",
	[FN_LEFT] = "left",
	[FN_RIGHT] = "right",
	[FN_POSITION] = "strpos",
	[FN_TRIM_BOTH] = "btrim",
	[FN_TRIM_LEFT] = "ltrim",
	[FN_TRIM_RIGHT] = "rtrim",
	[FN_REPLACE] = "replace",
	[FN_SPLIT_PART] = "split_part",
	[FN_STARTS_WITH] = "starts_with",
	[FN_REVERSE] = "reverse",
	[FN_REPEAT] = "repeat",
	[FN_LPAD] = "lpad",
	[FN_RPAD] = "rpad",
	[FN_ABS] = "abs",
	[FN_SIGN] = "sign",
	[FN_ROUND] = "round",
	[FN_ROUND_TO] = "round",
	[FN_TRUNC] = "trunc",
	[FN_TRUNC_TO] = "trunc",
	[FN_FLOOR] = "floor",
	[FN_CEIL] = "ceil",
	[FN_SQRT] = "sqrt",
	[FN_POWER] = "power",
	[FN_EXP] = "exp",
	[FN_LN] = "ln",
	[FN_LOG] = "log",
	[FN_DIV_WHOLE] = "div",
	[FN_GREATEST] = "greatest",
	[FN_LEAST] = "least",
	[FN_LIST_MAKE] = "array",
	[FN_CARDINALITY] = "cardinality",
	[FN_ANY_EQ] = "any_equal",
	[FN_REGEX_MATCH] = "regexp_like",
	[FN_REGEX_SUBSTRING] = "regexp_substr",
	[FN_REGEX_REPLACE] = "regexp_replace",
	[FN_REGEX_GROUPS] = "regexp_match",
	[FN_REGEX_SPLIT] = "regexp_split_to_array",
	[FN_REGEX_COUNT] = "regexp_count",
	[FN_REGEX_NTH_GROUPS] = "regexp_match_nth",
	[FN_SENTIMENT] = "sentiment",
	[FN_SECOND_ROW] = "second_row",
	[FN_GENERATE_SERIES] = "generate_series",
	[FN_ARRAY_LENGTH] = "array_length",
	[FN_LIST_GET] = "list_get",
	[FN_LIST_CONTAINS] = "contains",
	[FN_LIST_OVERLAPS] = "overlaps",
	[FN_LIST_CONCAT] = "array_cat",
	[FN_LIST_POSITION] = "array_position",
	[FN_LIST_JOIN] = "array_to_string",
	[FN_LIST_SPLIT] = "string_to_array",
	[FN_PY_LIST] = "py_list",
	[FN_PY_PLUCK] = "py_pluck",
};

const char *function_name(enum function_id id)
{
	assert(id < FUNCTION_COUNT && function_names[id]);
	return function_names[id];
}

static const char *const aggregate_names[AGGREGATE_COUNT] = {
	[AGG_COUNT_STAR] = "count",
	[AGG_COUNT] = "count",
	[AGG_SUM] = "sum",
	[AGG_AVG] = "avg",
	[AGG_MIN] = "min",
	[AGG_MAX] = "max",
	[AGG_BOOL_AND] = "bool_and",
	[AGG_BOOL_OR] = "bool_or",
	[AGG_STDDEV_SAMP] = "stddev_samp",
	[AGG_STDDEV_POP] = "stddev_pop",
	[AGG_VAR_SAMP] = "var_samp",
	[AGG_VAR_POP] = "var_pop",
	[AGG_CORR] = "corr",
	[AGG_COVAR_SAMP] = "covar_samp",
	[AGG_COVAR_POP] = "covar_pop",
	[AGG_STRING_AGG] = "string_agg",
	[AGG_ARRAY_AGG] = "array_agg",
	[AGG_PERCENTILE_CONT] = "percentile_cont",
	[AGG_PERCENTILE_DISC] = "percentile_disc",
	[AGG_MODE] = "mode",
};

const char *aggregate_name(enum aggregate_id id)
{
	assert(id < AGGREGATE_COUNT && aggregate_names[id]);
	return aggregate_names[id];
}

static bool sum_result_kind(enum type_kind arg, enum type_kind *result)
{
	switch (arg) {
	case TYPE_SMALLINT:
	case TYPE_INT: *result = TYPE_BIGINT; return true;
	case TYPE_BIGINT:
	case TYPE_NUMERIC: *result = TYPE_NUMERIC; return true;
	case TYPE_REAL:
	case TYPE_DOUBLE: *result = arg; return true;
	default: return false;
	}
}

static bool has_order(enum type_kind kind)
{
	return kind != TYPE_UNKNOWN && kind != TYPE_BOOL && kind != TYPE_TEXT_LIST;
}

bool aggregate_result_type(enum aggregate_id id, struct type arg, struct type *result)
{
	enum type_kind kind;

	switch (id) {
	case AGG_COUNT_STAR:
	case AGG_COUNT: *result = type_of(TYPE_BIGINT); return true;
	case AGG_SUM:
	case AGG_AVG:
		if (arg.kind == TYPE_INTERVAL) {
			*result = arg;
			return true;
		}
		if (!sum_result_kind(arg.kind, &kind))
			return false;
		if (id == AGG_AVG && kind == TYPE_BIGINT)
			kind = TYPE_NUMERIC;
		if (id == AGG_AVG && kind == TYPE_REAL)
			kind = TYPE_DOUBLE;
		*result = type_of(kind);
		return true;
	case AGG_MIN:
	case AGG_MAX: *result = arg; return has_order(arg.kind);
	case AGG_BOOL_AND:
	case AGG_BOOL_OR: *result = arg; return arg.kind == TYPE_BOOL;
	case AGG_STDDEV_SAMP:
	case AGG_STDDEV_POP:
	case AGG_VAR_SAMP:
	case AGG_VAR_POP:
		if (!sum_result_kind(arg.kind, &kind))
			return false;
		*result = type_of(type_is_float(kind) ? TYPE_DOUBLE : TYPE_NUMERIC);
		return true;
	case AGG_CORR:
	case AGG_COVAR_SAMP:
	case AGG_COVAR_POP: *result = arg; return arg.kind == TYPE_DOUBLE;
	case AGG_PERCENTILE_CONT:
		*result = arg;
		return arg.kind == TYPE_DOUBLE || arg.kind == TYPE_INTERVAL;
	case AGG_STRING_AGG: *result = arg; return arg.kind == TYPE_TEXT;
	case AGG_ARRAY_AGG: *result = type_of(TYPE_TEXT_LIST); return arg.kind == TYPE_TEXT;
	case AGG_PERCENTILE_DISC:
	case AGG_MODE: *result = arg; return has_order(arg.kind);
	case AGGREGATE_COUNT: break;
	}
	return false;
}

uint32_t aggregate_state_types(
	enum aggregate_id id, struct type arg, struct type states[AGGREGATE_STATES_MAX])
{
	switch (id) {
	case AGG_COUNT_STAR:
	case AGG_COUNT: states[0] = type_of(TYPE_BIGINT); return 1;
	case AGG_SUM:
	case AGG_AVG:
		states[0] = type_of(type_is_float(arg.kind) || arg.kind == TYPE_INTERVAL
					    ? TYPE_TEXT
					    : TYPE_NUMERIC);
		states[1] = type_of(TYPE_BIGINT);
		return id == AGG_AVG ? 2 : 1;
	case AGG_MIN:
	case AGG_MAX:
	case AGG_BOOL_AND:
	case AGG_BOOL_OR: states[0] = arg; return 1;
	case AGG_STDDEV_SAMP:
	case AGG_STDDEV_POP:
	case AGG_VAR_SAMP:
	case AGG_VAR_POP:
	case AGG_CORR:
	case AGG_COVAR_SAMP:
	case AGG_COVAR_POP: states[0] = type_of(TYPE_TEXT); return 1;
	default: break;
	}
	assert(!"a known aggregate");
	return 0;
}
