#include "sql/bind/bind_private.h"

#include <string.h>

struct expr *no_operator(struct binder *b, const char *name, const struct expr *left,
	const struct expr *right, int32_t location)
{
	char left_name[TYPE_NAME_MAX], right_name[TYPE_NAME_MAX];

	if (left)
		bind_error(b, location, "operator does not exist: %s %s %s; try a cast",
			type_name(left->type, left_name), name, type_name(right->type, right_name));
	else
		bind_error(b, location, "operator does not exist: %s %s; try a cast", name,
			type_name(right->type, right_name));
	return NULL;
}

static bool is_integer(enum type_kind kind)
{
	return type_is_integer(kind);
}

/*
 * What the operands of an operator become. There are operators of two reals, but none of a real and
 * another number: those are doubles.
 */
static bool operand_type(const struct expr *left, const struct expr *right, struct type *out)
{
	enum type_kind l = left->type.kind, r = right->type.kind;

	if (!type_common(left->type, right->type, out) ||
		(type_is_array(l) && type_is_array(r) && l != r))
		return false;
	if (out->kind == TYPE_REAL && l != r && l != TYPE_UNKNOWN && r != TYPE_UNKNOWN)
		*out = type_of(TYPE_DOUBLE);
	return true;
}

/*
 * quantity = 2.0, with a bigint column: the constant becomes a bigint instead of every row a
 * numeric. Only where nothing gets lost; then the comparison means the same.
 */
static void narrow_constant(struct binder *b, const struct expr *other, struct expr **constant)
{
	struct value value = {.type = type_of(TYPE_BIGINT)};

	if (!is_integer(other->type.kind) || (*constant)->kind != EXPR_CONSTANT ||
		(*constant)->type.kind != TYPE_NUMERIC || (*constant)->constant.is_null)
		return;
	if (!numeric_to_i64((*constant)->constant.num, &value.i64) ||
		numeric_compare((*constant)->constant.num, numeric_from_i64(value.i64)) != 0)
		return;
	if (other->type.kind == TYPE_INT && value.i64 >= INT32_MIN && value.i64 <= INT32_MAX)
		value.type = type_of(TYPE_INT);
	*constant = expr_at(expr_constant(b->arena, &value), (*constant)->location);
}

struct expr *bind_comparison(struct binder *b, enum function_id function, const char *name,
	struct expr *left, struct expr *right, int32_t location)
{
	struct expr *args[2];
	struct type type;

	narrow_constant(b, left, &right);
	narrow_constant(b, right, &left);
	if (!operand_type(left, right, &type) || type_element(type.kind) == TYPE_JSON ||
		type_element(type.kind) == TYPE_JSONPATH)
		return no_operator(b, name, left, right, location);
	if (type.kind == TYPE_UNKNOWN)
		type = type_of(TYPE_TEXT);
	args[0] = coerce(b, left, type);
	args[1] = args[0] ? coerce(b, right, type) : NULL;
	if (!args[1])
		return NULL;
	return make_call(b, function, type_of(TYPE_BOOL), 2, args, location);
}

static struct expr *bind_arithmetic(struct binder *b, enum function_id function, const char *name,
	struct expr *left, struct expr *right, int32_t location)
{
	struct expr *args[2];
	struct type type;
	struct expr *expr;
	bool handled;

	expr = bind_datetime_operator(b, name, left, right, location, &handled);
	if (handled)
		return expr;
	if (!operand_type(left, right, &type) || !type_is_number(type.kind) ||
		(function == FN_MOD && type_is_float(type.kind)))
		return no_operator(b, name, left, right, location);
	type = type_of(type.kind);
	args[0] = coerce(b, left, type);
	args[1] = args[0] ? coerce(b, right, type) : NULL;
	return args[1] ? make_call(b, function, type, 2, args, location) : NULL;
}

static struct expr *bind_concat(
	struct binder *b, struct expr *left, struct expr *right, int32_t location)
{
	enum type_kind l = left->type.kind, r = right->type.kind;
	bool has_text = l == TYPE_TEXT || r == TYPE_TEXT || l == TYPE_UNKNOWN || r == TYPE_UNKNOWN;
	struct expr *args[2];

	if (!has_text)
		return no_operator(b, "||", left, right, location);
	args[0] = coerce(b, left, type_of(TYPE_TEXT));
	args[1] = args[0] ? coerce(b, right, type_of(TYPE_TEXT)) : NULL;
	return args[1] ? make_call(b, FN_CONCAT, type_of(TYPE_TEXT), 2, args, location) : NULL;
}

static struct expr *bind_power(
	struct binder *b, struct expr *left, struct expr *right, int32_t location)
{
	struct type type = type_of(TYPE_DOUBLE);
	struct expr *args[2];

	/* As of power(): what is exact stays so. */
	if ((left->type.kind == TYPE_NUMERIC &&
		    type_converts_implicitly(right->type.kind, TYPE_NUMERIC)) ||
		(right->type.kind == TYPE_NUMERIC &&
			type_converts_implicitly(left->type.kind, TYPE_NUMERIC)))
		type = type_of(TYPE_NUMERIC);
	if (!type_converts_implicitly(left->type.kind, TYPE_DOUBLE) ||
		!type_converts_implicitly(right->type.kind, TYPE_DOUBLE))
		return no_operator(b, "^", left, right, location);
	args[0] = coerce(b, left, type);
	args[1] = args[0] ? coerce(b, right, type) : NULL;
	return args[1] ? make_call(b, FN_POWER, type, 2, args, location) : NULL;
}

struct expr *bind_negative(struct binder *b, struct expr *arg, int32_t location)
{
	if (arg->type.kind == TYPE_UNKNOWN) {
		arg = coerce(b, arg, type_of(TYPE_DOUBLE));
		if (!arg)
			return NULL;
	}
	if (!type_is_number(arg->type.kind) && arg->type.kind != TYPE_INTERVAL)
		return no_operator(b, "-", NULL, arg, location);
	if (arg->kind == EXPR_CONSTANT && arg->type.kind == TYPE_INT && !arg->constant.is_null &&
		arg->constant.i64 != INT32_MIN) {
		struct value value = arg->constant;

		value.i64 = -value.i64;
		return expr_at(expr_constant(b->arena, &value), location);
	}
	return make_call(b, FN_NEG, type_of(arg->type.kind), 1, &arg, location);
}

/* & | # << >> */
static struct expr *bind_bits(struct binder *b, enum function_id function, const char *name,
	struct expr *left, struct expr *right, int32_t location)
{
	bool shift = function == FN_SHIFT_LEFT || function == FN_SHIFT_RIGHT;
	struct expr *args[2];
	struct type type;

	if (shift) {
		type = type_of(left->type.kind == TYPE_UNKNOWN ? TYPE_INT : left->type.kind);
		if (!type_converts_implicitly(right->type.kind, TYPE_INT))
			return no_operator(b, name, left, right, location);
	} else if (!type_common(left->type, right->type, &type)) {
		return no_operator(b, name, left, right, location);
	}
	if (!type_is_integer(type.kind))
		return no_operator(b, name, left, right, location);
	args[0] = coerce(b, left, type);
	args[1] = args[0] ? coerce(b, right, shift ? type_of(TYPE_INT) : type) : NULL;
	return args[1] ? make_call(b, function, type, 2, args, location) : NULL;
}

struct expr *bind_prefix_operator(
	struct binder *b, const char *name, struct expr *arg, int32_t location)
{
	enum type_kind kind = arg->type.kind;

	if (strcmp(name, "-") == 0)
		return bind_negative(b, arg, location);
	if (strcmp(name, "+") == 0 && type_is_number(kind))
		return arg;
	if (strcmp(name, "~") == 0 && type_is_integer(kind))
		return make_call(b, FN_BIT_NOT, arg->type, 1, &arg, location);
	if (strcmp(name, "@") == 0 && type_is_number(kind))
		return make_call(b, FN_ABS, type_of(kind), 1, &arg, location);
	if ((strcmp(name, "|/") == 0 || strcmp(name, "||/") == 0) &&
		type_converts_implicitly(kind, TYPE_DOUBLE)) {
		arg = coerce(b, arg, type_of(TYPE_DOUBLE));
		return arg ? make_call(b, strlen(name) == 2 ? FN_SQRT : FN_CBRT, arg->type, 1, &arg,
				     location)
			   : NULL;
	}
	return no_operator(b, name, NULL, arg, location);
}

struct expr *bind_operator(
	struct binder *b, const char *name, struct expr *left, struct expr *right, int32_t location)
{
	static const struct {
		const char *name;
		enum function_id function;
	} table[] = {
		{"=", FN_EQ},
		{"<>", FN_NE},
		{"<", FN_LT},
		{"<=", FN_LE},
		{">", FN_GT},
		{">=", FN_GE},
		{"+", FN_ADD},
		{"-", FN_SUB},
		{"*", FN_MUL},
		{"/", FN_DIV},
		{"%", FN_MOD},
		{"&", FN_BIT_AND},
		{"|", FN_BIT_OR},
		{"#", FN_BIT_XOR},
		{"<<", FN_SHIFT_LEFT},
		{">>", FN_SHIFT_RIGHT},
	};

	bool handled;
	struct expr *expr = bind_json_operator(b, name, left, right, location, &handled);

	if (!handled)
		expr = bind_path_operator(b, name, left, right, location, &handled);
	if (!handled)
		expr = bind_list_operator(b, name, left, right, location, &handled);
	if (handled)
		return expr;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].name, name) != 0)
			continue;
		if (table[i].function >= FN_BIT_AND)
			return bind_bits(b, table[i].function, name, left, right, location);
		if (table[i].function >= FN_EQ)
			return bind_comparison(b, table[i].function, name, left, right, location);
		return bind_arithmetic(b, table[i].function, name, left, right, location);
	}
	if (strcmp(name, "||") == 0)
		return bind_concat(b, left, right, location);
	if (strcmp(name, "^") == 0)
		return bind_power(b, left, right, location);
	if (is_match_operator(name))
		return bind_match(b, name, left, right, location);
	bind_error(b, location, "the operator %s is not supported", name);
	return NULL;
}
