/*
 * The catalogue of scalar and aggregate functions: what the binder may call and with which types,
 * and what exec/ must have kernels for. One enum value is one meaning; exec/ picks the kernel by
 * the types of the arguments.
 */
#ifndef PLAN_FUNCTION_H
#define PLAN_FUNCTION_H

#include "column/type.h"

/*
 * "number" below is one of int, bigint, numeric, double, the same for all arguments. "same" is any
 * one type for all arguments. All functions are strict (NULL in, NULL out) unless it says
 * otherwise.
 */
enum function_id {
	FN_NONE = 0,
	/* number, number -> the same number */
	FN_ADD, /* also interval, interval -> interval */
	FN_SUB, /* the same */
	FN_MUL,
	FN_DIV, /* int and bigint truncate towards zero */
	FN_MOD, /* not for double */
	FN_NEG, /* number|interval -> the same */
	/* same, same -> bool */
	FN_EQ,
	FN_NE,
	FN_LT,
	FN_LE,
	FN_GT,
	FN_GE,
	FN_DISTINCT,	 /* IS DISTINCT FROM; not strict */
	FN_NOT_DISTINCT, /* IS NOT DISTINCT FROM; not strict */
	/* dates: (date|timestamp, ...) */
	FN_DATE_ADD_DAYS,  /* date, int -> date; the binder negates for date - int */
	FN_DATE_DIFF,	   /* date, date -> int */
	FN_EXTRACT,	   /* text constant field, date|time|timestamp|interval -> numeric */
	FN_DATE_TRUNC,	   /* text constant field, timestamp|interval -> the same */
	FN_TO_CHAR,	   /* timestamp|date|bigint|numeric|double, text pattern -> text */
	FN_TO_DATE,	   /* text, text pattern -> date */
	FN_TO_TIMESTAMP,   /* text, text pattern, rules of a zone, a text constant -> timestamptz */
	FN_MAKE_DATE,	   /* int, int, int -> date */
	FN_MAKE_TIME,	   /* int, int, double -> time */
	FN_MAKE_TIMESTAMP, /* int, int, int, int, int, double -> timestamp */
	/* With the rules of a zone (column/zone.h), a text constant, as the last argument: */
	FN_ZONE_LOCAL,	 /* timestamptz, rules -> timestamp */
	FN_ZONE_INSTANT, /* timestamp, rules -> timestamptz */
	FN_ZONE_OFFSET,	 /* timestamptz, rules -> int: seconds east of UTC */
	FN_ZONE_TEXT,	 /* timestamptz, rules -> text */
	FN_ZONE_ADD,	 /* timestamptz, interval, rules -> timestamptz */
	FN_ZONE_SUB,
	FN_ZONE_PARSE,	   /* text, rules -> timestamptz */
	FN_ZONE_TO_CHAR,   /* timestamptz, text pattern, rules -> text */
	FN_ISFINITE,	   /* date|timestamp|timestamptz|interval -> bool */
	FN_TIME_PRECISION, /* time|timestamp|timestamptz, int digits -> the same, rounded */
	FN_OVERLAPS,	   /* four timestamps or times, start and end of two -> bool; sees NULLs */
	FN_DATETIME_ADD,   /* timestamp|time, interval -> the same as the first */
	FN_DATETIME_SUB,
	FN_DATETIME_DIFF, /* timestamp, timestamp or time, time -> interval */
	FN_AGE,		  /* timestamp, timestamp -> interval */
	FN_DATE_BIN,	  /* interval, timestamp, timestamp origin -> timestamp */
	FN_INTERVAL_MUL,  /* interval, double -> interval */
	FN_INTERVAL_DIV,
	FN_MAKE_INTERVAL, /* int years, months, weeks, days, hours, minutes, double seconds */
	FN_JUSTIFY_DAYS,  /* interval -> interval */
	FN_JUSTIFY_HOURS,
	FN_JUSTIFY_INTERVAL,
	/* text */
	FN_CONCAT,     /* text, text -> text: the || operator */
	FN_CONCAT_ALL, /* text... -> text: concat(), NULLs are skipped, never NULL */
	FN_LIKE,       /* text, text pattern, text escape -> bool; escape '' means none */
	FN_ILIKE,      /* the same, letters in any case */
	FN_LOWER,      /* text -> text; UTF-8 through towlower for what is not ASCII */
	FN_UPPER,
	FN_INITCAP,
	FN_LENGTH,	 /* text -> int, in UTF-8 characters */
	FN_OCTET_LENGTH, /* text -> int, in bytes */
	FN_SUBSTRING,	 /* text, int start [, int count] -> text, in characters, 1-based */
	FN_LEFT,	 /* text, int -> text */
	FN_RIGHT,
	FN_POSITION,  /* text haystack, text needle -> int, 0 when absent */
	FN_TRIM_BOTH, /* text, text set of characters -> text */
	FN_TRIM_LEFT,
	FN_TRIM_RIGHT,
	FN_REPLACE,	/* text, text from, text to -> text */
	FN_SPLIT_PART,	/* text, text delimiter, int n (negative counts from the end) -> text */
	FN_STARTS_WITH, /* text, text -> bool */
	FN_REVERSE,	/* text -> text */
	FN_REPEAT,	/* text, int -> text */
	FN_LPAD,	/* text, int, text -> text */
	FN_RPAD,
	FN_ASCII,	  /* text -> int: the code of its first character */
	FN_CHR,		  /* int -> text */
	FN_BIT_LENGTH,	  /* text -> int */
	FN_TO_HEX,	  /* int|bigint -> text */
	FN_MD5,		  /* text -> text */
	FN_TRANSLATE,	  /* text, text from, text to -> text: character by character */
	FN_OVERLAY,	  /* text, text, int from [, int count] -> text */
	FN_UNISTR,	  /* text -> text: with escapes read */
	FN_QUOTE_LITERAL, /* text -> text */
	FN_QUOTE_IDENT,
	FN_FORMAT,    /* text, text... -> text; sees NULLs */
	FN_TO_NUMBER, /* text, text pattern -> numeric */
	/* regular expressions, PostgreSQL's; the flags are those of its functions: i, g, n, ... */
	FN_REGEX_MATCH,	    /* text, text pattern, text flags -> bool: ~, ~*, regexp_like */
	FN_REGEX_SUBSTRING, /* text, text pattern, text flags -> text: the first group, or all of
			       the match when there is none; NULL without a match */
	FN_REGEX_REPLACE,   /* text, text pattern, text replacement [, int start, int n: 0 for all],
			       text flags -> text */
	FN_REGEX_GROUPS,    /* text, text pattern, text flags -> text[]: regexp_match */
	FN_REGEX_SPLIT,	    /* text, text pattern, text flags -> text[]: regexp_split_to_array */
	FN_REGEX_COUNT,	    /* text, text pattern [, int start], text flags -> int */
	FN_REGEX_INSTR,	    /* text, text pattern, int start, int n, int end?, int group, text flags
			       -> int: where the n-th match starts or ends, or 0 */
	FN_REGEX_NTH,	    /* text, text pattern, int start, int n, int group, text flags -> text:
			       that group of that match, 0: all of it; NULL when there is none */
	FN_SIMILAR_PATTERN, /* text pattern of SIMILAR TO, text escape -> text: of ~ */
	FN_REGEX_NTH_GROUPS, /* text, text pattern, int from 1, text flags -> text[]: of that match */
	FN_SENTIMENT, /* text -> numeric from -1 to 1 with 4 decimals; NULL for an empty text */
	/* numbers */
	FN_ABS,	     /* number -> the same */
	FN_SIGN,     /* numeric|double -> the same */
	FN_ROUND,    /* numeric|double -> the same; doubles to even, numerics away from zero */
	FN_ROUND_TO, /* numeric, int -> numeric */
	FN_TRUNC,    /* numeric|double -> the same */
	FN_TRUNC_TO, /* numeric, int -> numeric */
	FN_FLOOR,    /* numeric|double -> the same */
	FN_CEIL,
	/* numeric or double -> the same */
	FN_SQRT,
	FN_POWER, /* two of them */
	FN_EXP,
	FN_LN,
	FN_LOG,	      /* to the base 10; of numerics also base, number */
	FN_DIV_WHOLE, /* two numerics: the quotient without its fraction */
	/* double -> double: radians, then degrees */
	FN_SIN,
	FN_COS,
	FN_TAN,
	FN_COT,
	FN_ASIN,
	FN_ACOS,
	FN_ATAN,
	FN_SINH,
	FN_COSH,
	FN_TANH,
	FN_ASINH,
	FN_ACOSH,
	FN_ATANH,
	FN_SIND,
	FN_COSD,
	FN_TAND,
	FN_COTD,
	FN_ASIND,
	FN_ACOSD,
	FN_ATAND,
	FN_DEGREES,
	FN_RADIANS,
	FN_CBRT,
	FN_ATAN2, /* double, double -> double */
	FN_ATAN2D,
	FN_PI,		 /* -> double */
	FN_WIDTH_BUCKET, /* double|numeric value, low, high of the same, int count -> int */
	/* integers of one type -> the same */
	FN_BIT_AND,
	FN_BIT_OR,
	FN_BIT_XOR,
	FN_BIT_NOT,	/* of one */
	FN_SHIFT_LEFT,	/* smallint|int|bigint, int -> the same */
	FN_SHIFT_RIGHT, /* the same, with the sign */
	FN_GCD,		/* two of int, bigint or numeric */
	FN_LCM,
	FN_FACTORIAL,	 /* bigint -> numeric */
	FN_SCALE,	 /* numeric -> int: digits behind the point; NULL of NaN and infinity */
	FN_MIN_SCALE,	 /* numeric -> int: without zeros at the end */
	FN_TRIM_SCALE,	 /* numeric -> numeric without those */
	FN_SERIES_BOUND, /* numeric, text constant name -> numeric: an error for what is no bound */
	/* A seed is mixed from that of the statement and what tells the row from others. */
	FN_MIX_SEED, /* bigint seed, bigint or text -> bigint seed */
	FN_RANDOM,   /* bigint seed -> double, from 0 up to but without 1 */
	FN_GREATEST, /* same... -> the same; NULLs are skipped, NULL only if all are */
	FN_LEAST,
	/* lists */
	FN_LIST_MAKE,	/* element... -> array; not strict: ARRAY[...] */
	FN_CARDINALITY, /* array -> int */
	FN_ANY_EQ,	/* element, array -> bool, three-valued: x = ANY(array) */
	FN_ANY_NE,	/* the same of the other comparisons */
	FN_ANY_LT,
	FN_ANY_LE,
	FN_ANY_GT,
	FN_ANY_GE,
	FN_ARRAY_LENGTH, /* array, int dimension -> int; NULL for an empty array, or not dimension 1
			  */
	FN_LIST_LOWER,	 /* the same: array_lower */
	FN_LIST_NDIMS,	 /* array -> int, NULL for an empty one: array_ndims */
	FN_LIST_DIMS,	 /* array -> text, NULL for an empty one: array_dims */
	FN_LIST_GET,	 /* array, int from 1 -> element; NULL outside: array[i] */
	FN_LIST_SLICE,	 /* array, int first, int last -> array: array[i:j] */
	FN_LIST_TRIM,	 /* array, int -> array, without so many at the end: trim_array */
	FN_LIST_FILL,	 /* element, int[] of one size -> array; not strict: array_fill */
	FN_LIST_APPEND,	 /* array, element -> array; not strict */
	FN_LIST_PREPEND, /* element, array -> array; not strict */
	FN_LIST_REMOVE,	 /* array, element -> array; not strict: NULL elements may go */
	FN_LIST_REPLACE, /* array, element, element -> array; not strict */
	FN_LIST_CONTAINS,  /* array, array -> bool: @> (<@ with the sides changed) */
	FN_LIST_OVERLAPS,  /* array, array -> bool: && */
	FN_LIST_CONCAT,	   /* array, array -> array; not strict: NULL is no items */
	FN_LIST_POSITION,  /* array, element [, int start] -> int, NULL when absent; not strict:
			     array_position */
	FN_LIST_POSITIONS, /* array, element -> int[]; not strict: array_positions */
	FN_LIST_JOIN,	   /* array, text delimiter [, text for NULL items; may be NULL] -> text:
			     array_to_string */
	FN_LIST_SPLIT, /* text, text delimiter [, text that becomes NULL; may be NULL] -> text[];
			     NULL delimiter: characters: string_to_array */
	FN_PY_LIST,    /* text -> text[]: a Python list of strings; NULL for anything else */
	FN_PY_PLUCK,   /* text, text key -> text[]: that key of each dictionary in a Python list */
	/* "json" below is json or jsonb, the same wherever it stands. */
	FN_TO_JSON,	  /* any -> json */
	FN_JSON_GET,	  /* json, text key or int index -> json: -> */
	FN_JSON_GET_TEXT, /* the same -> text: ->> */
	FN_JSON_PATH,	  /* json, text[] -> json: #> */
	FN_JSON_PATH_TEXT,
	FN_JSON_TYPEOF,		 /* json -> text */
	FN_JSON_ARRAY_LENGTH,	 /* json -> int */
	FN_JSON_ELEMENTS,	 /* json array -> json[] or text[] */
	FN_JSON_KEYS,		 /* json object -> text[] */
	FN_JSON_VALUES,		 /* json object -> json[] or text[] */
	FN_JSON_BUILD_ARRAY,	 /* json... -> json; not strict */
	FN_JSON_BUILD_OBJECT,	 /* json key, json value... -> json; not strict */
	FN_JSON_OBJECT_OF_TEXTS, /* text[] [, text[]] -> json: json_object */
	FN_JSON_ROW,		 /* json key, json value... -> json: row_to_json; not strict */
	FN_JSON_OF_ROWS,	 /* json[] -> json: json_agg of rows */
	FN_JSON_OF_LIST,	 /* array -> json: json_agg of array_agg */
	FN_JSON_OBJECT_OF_LIST,	 /* json[] of [key, value] -> json: json_object_agg */
	FN_JSON_STRIP_NULLS,	 /* json -> json */
	FN_JSONB_PRETTY,	 /* jsonb -> text */
	FN_JSONB_CONTAINS,	 /* jsonb, jsonb -> bool: @> */
	FN_JSONB_EXISTS,	 /* jsonb, text -> bool: ? */
	FN_JSONB_EXISTS_ANY,	 /* jsonb, text[] -> bool: ?| */
	FN_JSONB_EXISTS_ALL,	 /* ?& */
	FN_JSONB_CONCAT,	 /* jsonb, jsonb -> jsonb */
	FN_JSONB_DELETE,	 /* jsonb, text or int or text[] -> jsonb: - */
	FN_JSONB_DELETE_PATH,	 /* jsonb, text[] -> jsonb: #- */
	FN_JSONB_SET,		 /* jsonb, text[], jsonb, bool create -> jsonb */
	FN_JSONB_INSERT,	 /* jsonb, text[], jsonb, bool behind -> jsonb */
	/* jsonb, jsonpath [, jsonb variables, bool silent [, zone rules, a text constant]] -> */
	FN_JSONPATH_EXISTS, /* bool */
	FN_JSONPATH_MATCH,  /* bool */
	FN_JSONPATH_FIRST,  /* jsonb */
	FN_JSONPATH_ARRAY,  /* jsonb */
	FN_JSONPATH_QUERY,  /* jsonb[] */
	/* bytea */
	FN_ENCODE,	    /* bytea, text form -> text */
	FN_DECODE,	    /* text, text form -> bytea */
	FN_BYTEA_LENGTH,    /* bytea -> int */
	FN_BYTEA_CONCAT,    /* bytea, bytea -> bytea */
	FN_BYTEA_SUBSTRING, /* bytea, int start [, int count] -> bytea */
	FN_BYTEA_POSITION,  /* bytea, bytea -> int */
	FN_CONVERT_FROM,    /* bytea, text encoding -> text */
	FN_CONVERT_TO,	    /* text, text encoding -> bytea */
	FN_GET_BYTE,	    /* bytea, int from 0 -> int */
	FN_SET_BYTE,	    /* bytea, int from 0, int -> bytea */
	FN_GET_BIT,	    /* bytea, bigint from 0, of each byte the lowest first -> int */
	FN_SET_BIT,	    /* bytea, bigint from 0, int -> bytea */
	FN_BIT_COUNT,	    /* bytea -> bigint */
	FN_BYTEA_TRIM_BOTH, /* bytea, bytea set of bytes -> bytea */
	FN_BYTEA_TRIM_LEFT,
	FN_BYTEA_TRIM_RIGHT,
	FN_BYTEA_OVERLAY, /* bytea, bytea, int from [, int count] -> bytea */
	FN_SHA256,	  /* bytea -> bytea */
	FN_FLOAT_SEND,	  /* real|double -> bytea: its bits, the highest first */
	/* A subquery as a value, see JOIN_SINGLE. */
	FN_SECOND_ROW, /* bool -> bool: false; an error where a second row met */
	/*
	 * Not a value: what makes rows (plan_unnest). number first, number last, number step, or
	 * timestamp, timestamp, interval -> the items' type. No kernel and no signature.
	 */
	FN_GENERATE_SERIES,
	FUNCTION_COUNT,
};

/* "add", "to_char": for explain and for error messages. */
const char *function_name(enum function_id id);
/* Whether the arguments and the result are those of one of its signatures. */
bool function_fits(
	enum function_id id, uint32_t arg_count, const struct type *args, struct type result);

enum aggregate_id {
	AGG_COUNT_STAR, /* -> bigint */
	AGG_COUNT,	/* any -> bigint */
	AGG_SUM,	/* int -> bigint; bigint -> numeric; numeric -> numeric; double -> double;
			   interval -> interval */
	AGG_AVG, /* int, bigint, numeric -> numeric; double -> double; interval -> interval */
	AGG_MIN, /* any but bool and arrays -> the same */
	AGG_MAX,
	AGG_BOOL_AND, /* bool -> bool */
	AGG_BOOL_OR,
	/* smallint, int or bigint -> the same */
	AGG_BIT_AND,
	AGG_BIT_OR,
	AGG_BIT_XOR,
	/* int, bigint, numeric -> numeric; double -> double */
	AGG_STDDEV_SAMP,
	AGG_STDDEV_POP,
	AGG_VAR_SAMP,
	AGG_VAR_POP,
	/* double (y), double (x: arg2) -> double */
	AGG_CORR,
	AGG_COVAR_SAMP,
	AGG_COVAR_POP,
	AGG_REGR_COUNT, /* -> bigint */
	AGG_REGR_SXX,
	AGG_REGR_SYY,
	AGG_REGR_SXY,
	AGG_REGR_AVGX,
	AGG_REGR_AVGY,
	AGG_REGR_R2,
	AGG_REGR_SLOPE,
	AGG_REGR_INTERCEPT,
	/* The ordered ones: over the values of a group in the order of its sort keys. */
	AGG_STRING_AGG,	     /* text, text delimiter (arg2) -> text */
	AGG_ARRAY_AGG,	     /* any but an array -> an array of it; keeps NULLs */
	AGG_PERCENTILE_CONT, /* double or interval -> the same, at .fraction */
	AGG_PERCENTILE_DISC, /* what min takes -> the same, at .fraction */
	AGG_MODE, /* what min takes -> the same; the first in order of the most frequent */
	AGG_COLUMN_SUMMARY, /* numbers, texts, dates and times -> text[]: what SUMMARIZE says of them */
	AGGREGATE_COUNT,
};

const char *aggregate_name(enum aggregate_id id);
/* Needs all values of a group at once: has no partial state, only GROUP_COMPLETE. */
static inline bool aggregate_is_ordered(enum aggregate_id id)
{
	return id >= AGG_STRING_AGG && id <= AGG_MODE;
}
/* Those of pairs of doubles. */
static inline bool aggregate_is_of_pairs(enum aggregate_id id)
{
	return id >= AGG_CORR && id <= AGG_REGR_INTERCEPT;
}
static inline bool aggregate_has_two_arguments(enum aggregate_id id)
{
	return aggregate_is_of_pairs(id) || id == AGG_STRING_AGG;
}
/* The result's type for an argument of type `arg`. False when there is no such aggregate. */
bool aggregate_result_type(enum aggregate_id id, struct type arg, struct type *result);

#define AGGREGATE_STATES_MAX 2
/*
 * The columns in which a partial state travels between fragments: count -> (bigint); sum of int ->
 * (numeric); sum of bigint and numeric -> (numeric); sum of double or interval -> (text: an exact
 * accumulator);
 * avg -> (the sum's column, bigint); min, max, bool_* -> (the argument's type); deviations and
 * correlations -> (text). Returns how many. Not for the ordered ones.
 */
uint32_t aggregate_state_types(
	enum aggregate_id id, struct type arg, struct type states[AGGREGATE_STATES_MAX]);

#endif
