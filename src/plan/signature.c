/*
 * Which arguments a function takes, as the comments of function.h state it.
 *
 * A letter is a type: b bool, s smallint, i int, l bigint, n numeric, d double, t text, D date, T time,
 * S timestamp, I interval, a text[]; # is one kind of number and * one kind of anything, the same
 * wherever it stands in the signature. A + repeats the argument before it.
 */
#include "plan/function.h"

struct signature {
	enum function_id function;
	const char *args;
	char result;
};

static const struct signature signatures[] = {
	{FN_ADD, "##", '#'},
	{FN_ADD, "II", 'I'},
	{FN_SUB, "##", '#'},
	{FN_SUB, "II", 'I'},
	{FN_MUL, "##", '#'},
	{FN_DIV, "##", '#'},
	{FN_MOD, "ss", 's'},
	{FN_MOD, "ii", 'i'},
	{FN_MOD, "ll", 'l'},
	{FN_MOD, "nn", 'n'},
	{FN_NEG, "#", '#'},
	{FN_NEG, "I", 'I'},
	{FN_EQ, "**", 'b'},
	{FN_NE, "**", 'b'},
	{FN_LT, "**", 'b'},
	{FN_LE, "**", 'b'},
	{FN_GT, "**", 'b'},
	{FN_GE, "**", 'b'},
	{FN_DISTINCT, "**", 'b'},
	{FN_NOT_DISTINCT, "**", 'b'},
	{FN_DATE_ADD_DAYS, "Di", 'D'},
	{FN_DATE_DIFF, "DD", 'i'},
	{FN_EXTRACT, "tD", 'n'},
	{FN_EXTRACT, "tT", 'n'},
	{FN_EXTRACT, "tS", 'n'},
	{FN_EXTRACT, "tI", 'n'},
	{FN_DATE_TRUNC, "tS", 'S'},
	{FN_DATE_TRUNC, "tI", 'I'},
	{FN_TO_CHAR, "St", 't'},
	{FN_TO_CHAR, "Dt", 't'},
	{FN_TO_CHAR, "lt", 't'},
	{FN_TO_CHAR, "nt", 't'},
	{FN_TO_CHAR, "dt", 't'},
	{FN_TO_DATE, "tt", 'D'},
	{FN_TO_TIMESTAMP, "tt", 'S'},
	{FN_MAKE_DATE, "iii", 'D'},
	{FN_DATETIME_ADD, "SI", 'S'},
	{FN_DATETIME_ADD, "TI", 'T'},
	{FN_DATETIME_SUB, "SI", 'S'},
	{FN_DATETIME_SUB, "TI", 'T'},
	{FN_DATETIME_DIFF, "SS", 'I'},
	{FN_DATETIME_DIFF, "TT", 'I'},
	{FN_AGE, "SS", 'I'},
	{FN_DATE_BIN, "ISS", 'S'},
	{FN_INTERVAL_MUL, "Id", 'I'},
	{FN_INTERVAL_DIV, "Id", 'I'},
	{FN_MAKE_INTERVAL, "iiiiiid", 'I'},
	{FN_JUSTIFY_DAYS, "I", 'I'},
	{FN_JUSTIFY_HOURS, "I", 'I'},
	{FN_JUSTIFY_INTERVAL, "I", 'I'},
	{FN_CONCAT, "tt", 't'},
	{FN_CONCAT_ALL, "t+", 't'},
	{FN_LIKE, "ttt", 'b'},
	{FN_ILIKE, "ttt", 'b'},
	{FN_LOWER, "t", 't'},
	{FN_UPPER, "t", 't'},
	{FN_LENGTH, "t", 'i'},
	{FN_OCTET_LENGTH, "t", 'i'},
	{FN_SUBSTRING, "ti", 't'},
	{FN_SUBSTRING, "tii", 't'},
	{FN_LEFT, "ti", 't'},
	{FN_RIGHT, "ti", 't'},
	{FN_POSITION, "tt", 'i'},
	{FN_TRIM_BOTH, "tt", 't'},
	{FN_TRIM_LEFT, "tt", 't'},
	{FN_TRIM_RIGHT, "tt", 't'},
	{FN_REPLACE, "ttt", 't'},
	{FN_SPLIT_PART, "tti", 't'},
	{FN_STARTS_WITH, "tt", 'b'},
	{FN_REVERSE, "t", 't'},
	{FN_REPEAT, "ti", 't'},
	{FN_LPAD, "tit", 't'},
	{FN_RPAD, "tit", 't'},
	{FN_REGEX_MATCH, "ttt", 'b'},
	{FN_REGEX_SUBSTRING, "ttt", 't'},
	{FN_REGEX_REPLACE, "tttt", 't'},
	{FN_REGEX_GROUPS, "ttt", 'a'},
	{FN_REGEX_SPLIT, "ttt", 'a'},
	{FN_REGEX_COUNT, "ttt", 'i'},
	{FN_REGEX_NTH_GROUPS, "ttit", 'a'},
	{FN_SENTIMENT, "t", 'n'},
	{FN_SECOND_ROW, "b", 'b'},
	{FN_ABS, "#", '#'},
	{FN_SIGN, "n", 'n'},
	{FN_SIGN, "d", 'd'},
	{FN_ROUND, "n", 'n'},
	{FN_ROUND, "d", 'd'},
	{FN_ROUND_TO, "ni", 'n'},
	{FN_TRUNC, "n", 'n'},
	{FN_TRUNC, "d", 'd'},
	{FN_TRUNC_TO, "ni", 'n'},
	{FN_FLOOR, "n", 'n'},
	{FN_FLOOR, "d", 'd'},
	{FN_CEIL, "n", 'n'},
	{FN_CEIL, "d", 'd'},
	{FN_SQRT, "d", 'd'},
	{FN_SQRT, "n", 'n'},
	{FN_POWER, "dd", 'd'},
	{FN_POWER, "nn", 'n'},
	{FN_EXP, "d", 'd'},
	{FN_EXP, "n", 'n'},
	{FN_LN, "d", 'd'},
	{FN_LN, "n", 'n'},
	{FN_LOG, "d", 'd'},
	{FN_LOG, "n", 'n'},
	{FN_LOG, "nn", 'n'},
	{FN_DIV_WHOLE, "nn", 'n'},
	{FN_GREATEST, "*+", '*'},
	{FN_LEAST, "*+", '*'},
	{FN_LIST_MAKE, "", 'a'},
	{FN_LIST_MAKE, "t+", 'a'},
	{FN_CARDINALITY, "a", 'i'},
	{FN_ANY_EQ, "ta", 'b'},
	{FN_ARRAY_LENGTH, "ai", 'i'},
	{FN_LIST_GET, "ai", 't'},
	{FN_LIST_CONTAINS, "aa", 'b'},
	{FN_LIST_OVERLAPS, "aa", 'b'},
	{FN_LIST_CONCAT, "aa", 'a'},
	{FN_LIST_POSITION, "at", 'i'},
	{FN_LIST_JOIN, "at", 't'},
	{FN_LIST_JOIN, "att", 't'},
	{FN_LIST_SPLIT, "tt", 'a'},
	{FN_LIST_SPLIT, "ttt", 'a'},
	{FN_PY_LIST, "t", 'a'},
	{FN_PY_PLUCK, "tt", 'a'},
};

static bool is_number(enum type_kind kind)
{
	return type_is_number(kind);
}

static enum type_kind kind_of_letter(char letter)
{
	switch (letter) {
	case 'b': return TYPE_BOOL;
	case 's': return TYPE_SMALLINT;
	case 'i': return TYPE_INT;
	case 'l': return TYPE_BIGINT;
	case 'n': return TYPE_NUMERIC;
	case 'd': return TYPE_DOUBLE;
	case 't': return TYPE_TEXT;
	case 'D': return TYPE_DATE;
	case 'T': return TYPE_TIME;
	case 'S': return TYPE_TIMESTAMP;
	case 'I': return TYPE_INTERVAL;
	case 'a': return TYPE_TEXT_LIST;
	default: return TYPE_UNKNOWN;
	}
}

/* `common` is what # and * stand for, TYPE_UNKNOWN before the first of them. */
static bool letter_fits(char letter, enum type_kind kind, enum type_kind *common)
{
	if (kind == TYPE_UNKNOWN)
		return false;
	if (letter != '#' && letter != '*')
		return kind == kind_of_letter(letter);
	if (letter == '#' && !is_number(kind))
		return false;
	if (*common == TYPE_UNKNOWN)
		*common = kind;
	return *common == kind;
}

static bool signature_fits(const struct signature *signature, uint32_t arg_count,
	const struct type *args, enum type_kind result)
{
	const char *letter = signature->args;
	enum type_kind common = TYPE_UNKNOWN;

	for (uint32_t i = 0; i < arg_count; i++) {
		if (*letter == '\0' || !letter_fits(*letter, args[i].kind, &common))
			return false;
		/* The last letter stays for all arguments that follow. */
		letter += letter[1] != '+' || i + 1 == arg_count;
	}
	if (*letter == '+')
		letter++;
	return *letter == '\0' && letter_fits(signature->result, result, &common);
}

bool function_fits(
	enum function_id id, uint32_t arg_count, const struct type *args, struct type result)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(*signatures); i++) {
		if (signatures[i].function == id &&
			signature_fits(&signatures[i], arg_count, args, result.kind))
			return true;
	}
	return false;
}
