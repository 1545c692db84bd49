#include "plan/function.h"

#include <assert.h>

static const char *const aggregate_names[AGGREGATE_COUNT] = {
	[AGG_COUNT_STAR] = "count",
	[AGG_COUNT] = "count",
	[AGG_SUM] = "sum",
	[AGG_AVG] = "avg",
	[AGG_MIN] = "min",
	[AGG_MAX] = "max",
	[AGG_BOOL_AND] = "bool_and",
	[AGG_BOOL_OR] = "bool_or",
	[AGG_BIT_AND] = "bit_and",
	[AGG_BIT_OR] = "bit_or",
	[AGG_BIT_XOR] = "bit_xor",
	[AGG_STDDEV_SAMP] = "stddev_samp",
	[AGG_STDDEV_POP] = "stddev_pop",
	[AGG_VAR_SAMP] = "var_samp",
	[AGG_VAR_POP] = "var_pop",
	[AGG_CORR] = "corr",
	[AGG_COVAR_SAMP] = "covar_samp",
	[AGG_COVAR_POP] = "covar_pop",
	[AGG_REGR_COUNT] = "regr_count",
	[AGG_REGR_SXX] = "regr_sxx",
	[AGG_REGR_SYY] = "regr_syy",
	[AGG_REGR_SXY] = "regr_sxy",
	[AGG_REGR_AVGX] = "regr_avgx",
	[AGG_REGR_AVGY] = "regr_avgy",
	[AGG_REGR_R2] = "regr_r2",
	[AGG_REGR_SLOPE] = "regr_slope",
	[AGG_REGR_INTERCEPT] = "regr_intercept",
	[AGG_STRING_AGG] = "string_agg",
	[AGG_ARRAY_AGG] = "array_agg",
	[AGG_PERCENTILE_CONT] = "percentile_cont",
	[AGG_PERCENTILE_DISC] = "percentile_disc",
	[AGG_MODE] = "mode",
	[AGG_COLUMN_SUMMARY] = "column_summary",
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
	return kind != TYPE_UNKNOWN && kind != TYPE_BOOL && kind != TYPE_JSON &&
	       kind != TYPE_JSONPATH && type_physical(kind) != PHYSICAL_LIST;
}

bool aggregate_result_type(enum aggregate_id id, struct type arg, struct type *result)
{
	enum type_kind kind;

	if (aggregate_is_of_pairs(id)) {
		*result = id == AGG_REGR_COUNT ? type_of(TYPE_BIGINT) : arg;
		return arg.kind == TYPE_DOUBLE;
	}
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
	case AGG_BIT_AND:
	case AGG_BIT_OR:
	case AGG_BIT_XOR: *result = arg; return type_is_integer(arg.kind);
	case AGG_STDDEV_SAMP:
	case AGG_STDDEV_POP:
	case AGG_VAR_SAMP:
	case AGG_VAR_POP:
		if (!sum_result_kind(arg.kind, &kind))
			return false;
		*result = type_of(type_is_float(kind) ? TYPE_DOUBLE : TYPE_NUMERIC);
		return true;
	case AGG_PERCENTILE_CONT:
		*result = arg;
		return arg.kind == TYPE_DOUBLE || arg.kind == TYPE_INTERVAL;
	case AGG_STRING_AGG: *result = arg; return arg.kind == TYPE_TEXT;
	case AGG_ARRAY_AGG:
		*result = type_array_of(arg);
		return arg.kind != TYPE_UNKNOWN && !type_is_array(arg.kind);
	case AGG_PERCENTILE_DISC:
	case AGG_MODE: *result = arg; return has_order(arg.kind);
	case AGG_COLUMN_SUMMARY:
		*result = type_of(TYPE_TEXT_LIST);
		return type_is_number(arg.kind) || arg.kind == TYPE_TEXT || arg.kind == TYPE_DATE ||
		       arg.kind == TYPE_TIME || arg.kind == TYPE_TIMESTAMP;
	default: break;
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
	case AGG_BOOL_OR:
	case AGG_BIT_AND:
	case AGG_BIT_OR:
	case AGG_BIT_XOR: states[0] = arg; return 1;
	case AGG_STDDEV_SAMP:
	case AGG_STDDEV_POP:
	case AGG_VAR_SAMP:
	case AGG_VAR_POP:
	case AGG_COLUMN_SUMMARY: states[0] = type_of(TYPE_TEXT); return 1;
	default: break;
	}
	if (aggregate_is_of_pairs(id)) {
		states[0] = type_of(TYPE_TEXT);
		return 1;
	}
	assert(!"a known aggregate");
	return 0;
}
