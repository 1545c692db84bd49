/*
 * Operators among dates, times, timestamps and intervals, and what else the SQL of intervals needs:
 * INTERVAL '1' DAY and make_interval.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

#define DATE_	   TYPE_DATE
#define TIME_	   TYPE_TIME
#define TIMESTAMP_ TYPE_TIMESTAMP
#define INTERVAL_  TYPE_INTERVAL
/* On the left side of a row: any number. */
#define NUMBER_ TYPE_DOUBLE

/* left operator right: the function, and what its arguments and its result are. */
static const struct datetime_operator {
	char name;
	enum type_kind left, right;
	enum function_id function;
	enum type_kind first, second;
	enum type_kind result;
	bool swapped; /* the right operand is the first argument */
} operators[] = {
	{'+', DATE_, TYPE_INT, FN_DATE_ADD_DAYS, DATE_, TYPE_INT, DATE_, false},
	{'+', TYPE_INT, DATE_, FN_DATE_ADD_DAYS, DATE_, TYPE_INT, DATE_, true},
	{'-', DATE_, DATE_, FN_DATE_DIFF, DATE_, DATE_, TYPE_INT, false},
	{'+', TIMESTAMP_, INTERVAL_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', INTERVAL_, TIMESTAMP_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, true},
	{'-', TIMESTAMP_, INTERVAL_, FN_DATETIME_SUB, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', DATE_, INTERVAL_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', INTERVAL_, DATE_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, true},
	{'-', DATE_, INTERVAL_, FN_DATETIME_SUB, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', TIME_, INTERVAL_, FN_DATETIME_ADD, TIME_, INTERVAL_, TIME_, false},
	{'+', INTERVAL_, TIME_, FN_DATETIME_ADD, TIME_, INTERVAL_, TIME_, true},
	{'-', TIME_, INTERVAL_, FN_DATETIME_SUB, TIME_, INTERVAL_, TIME_, false},
	/* A time behind a day is an interval. */
	{'+', DATE_, TIME_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', TIME_, DATE_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, true},
	{'-', DATE_, TIME_, FN_DATETIME_SUB, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', TIMESTAMP_, TIME_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'+', TIME_, TIMESTAMP_, FN_DATETIME_ADD, TIMESTAMP_, INTERVAL_, TIMESTAMP_, true},
	{'-', TIMESTAMP_, TIME_, FN_DATETIME_SUB, TIMESTAMP_, INTERVAL_, TIMESTAMP_, false},
	{'-', TIMESTAMP_, TIMESTAMP_, FN_DATETIME_DIFF, TIMESTAMP_, TIMESTAMP_, INTERVAL_, false},
	{'-', TIMESTAMP_, DATE_, FN_DATETIME_DIFF, TIMESTAMP_, TIMESTAMP_, INTERVAL_, false},
	{'-', DATE_, TIMESTAMP_, FN_DATETIME_DIFF, TIMESTAMP_, TIMESTAMP_, INTERVAL_, false},
	{'-', TIME_, TIME_, FN_DATETIME_DIFF, TIME_, TIME_, INTERVAL_, false},
	{'+', INTERVAL_, INTERVAL_, FN_ADD, INTERVAL_, INTERVAL_, INTERVAL_, false},
	{'-', INTERVAL_, INTERVAL_, FN_SUB, INTERVAL_, INTERVAL_, INTERVAL_, false},
	{'*', INTERVAL_, NUMBER_, FN_INTERVAL_MUL, INTERVAL_, NUMBER_, INTERVAL_, false},
	{'*', NUMBER_, INTERVAL_, FN_INTERVAL_MUL, INTERVAL_, NUMBER_, INTERVAL_, true},
	{'/', INTERVAL_, NUMBER_, FN_INTERVAL_DIV, INTERVAL_, NUMBER_, INTERVAL_, false},
};

#undef DATE_
#undef TIME_
#undef TIMESTAMP_
#undef INTERVAL_

static bool is_datetime(enum type_kind kind)
{
	return kind >= TYPE_DATE && kind <= TYPE_INTERVAL;
}

/* What a literal without a type is beside `other`; a date plus a literal could mean too much. */
static enum type_kind literal_kind(char name, enum type_kind other)
{
	if (!is_datetime(other))
		return TYPE_UNKNOWN;
	switch (name) {
	case '-': return other;
	case '+': return other == TYPE_DATE ? TYPE_UNKNOWN : TYPE_INTERVAL;
	default: return other == TYPE_INTERVAL ? TYPE_DOUBLE : TYPE_UNKNOWN;
	}
}

static bool operand_fits(enum type_kind kind, enum type_kind wanted)
{
	return kind == wanted || (wanted == NUMBER_ && type_is_number(kind));
}

static const struct datetime_operator *find_operator(
	char name, enum type_kind left, enum type_kind right)
{
	if (left == TYPE_UNKNOWN)
		left = literal_kind(name, right);
	else if (right == TYPE_UNKNOWN)
		right = literal_kind(name, left);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		const struct datetime_operator *op = &operators[i];

		if (op->name == name && operand_fits(left, op->left) &&
			operand_fits(right, op->right))
			return op;
	}
	return NULL;
}

struct expr *bind_datetime_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled)
{
	const struct datetime_operator *op;
	struct expr *args[2] = {left, right};

	struct expr *zoned = bind_zone_operator(b, name, left, right, location, handled);

	if (*handled)
		return zoned;
	*handled = true;
	if (left->type.kind == TYPE_SMALLINT && right->type.kind == TYPE_DATE)
		args[0] = left = coerce(b, left, type_of(TYPE_INT));
	if (right->type.kind == TYPE_SMALLINT && left->type.kind == TYPE_DATE)
		args[1] = right = coerce(b, right, type_of(TYPE_INT));
	if (!left || !right)
		return NULL;
	if (name[0] == '-' && left->type.kind == TYPE_DATE && right->type.kind == TYPE_INT) {
		args[1] = bind_negative(b, right, location);
		return args[1] ? make_call(b, FN_DATE_ADD_DAYS, left->type, 2, args, location)
			       : NULL;
	}
	op = find_operator(name[0], left->type.kind, right->type.kind);
	*handled = op != NULL;
	if (!op)
		return NULL;
	args[0] = coerce(b, op->swapped ? right : left, type_of(op->first));
	args[1] = args[0] ? coerce(b, op->swapped ? left : right, type_of(op->second)) : NULL;
	return args[1] ? make_call(b, op->function, type_of(op->result), 2, args, location) : NULL;
}

/* The fields of PostgreSQL's type modifier: a bit each. */
enum {
	MASK_MONTH = 1 << 1,
	MASK_YEAR = 1 << 2,
	MASK_DAY = 1 << 3,
	MASK_HOUR = 1 << 10,
	MASK_MINUTE = 1 << 11,
	MASK_SECOND = 1 << 12,
};

static struct interval_fields fields_of(const struct ast_type *type)
{
	int32_t mask = type->modifiers[0];
	struct interval_fields fields = INTERVAL_FIELDS_ALL;

	if (mask & MASK_SECOND)
		fields.least = UNIT_SECOND;
	else if (mask & MASK_MINUTE)
		fields.least = UNIT_MINUTE;
	else if (mask & MASK_HOUR)
		fields.least = UNIT_HOUR;
	else if (mask & MASK_DAY)
		fields.least = UNIT_DAY;
	else if (mask & MASK_MONTH)
		fields.least = UNIT_MONTH;
	else if (mask & MASK_YEAR)
		fields.least = UNIT_YEAR;
	fields.minute_to_second = mask == (MASK_MINUTE | MASK_SECOND);
	if (type->modifier_count > 1 && type->modifiers[1] >= 0 && type->modifiers[1] < 6)
		fields.digits = (uint8_t)type->modifiers[1];
	return fields;
}

struct expr *bind_interval_literal(
	struct binder *b, const struct ast_type *type, const struct expr *arg, int32_t location)
{
	struct value value = {.type = type_of(TYPE_INTERVAL), .is_null = true};
	const struct text *text = &arg->constant.text;
	const char *reason;

	if (arg->kind != EXPR_CONSTANT ||
		(arg->type.kind != TYPE_UNKNOWN && arg->type.kind != TYPE_TEXT)) {
		bind_error(b, location,
			"the fields and the precision of an interval are only supported for a "
			"literal");
		return NULL;
	}
	value.is_null = arg->constant.is_null;
	if (!value.is_null && !interval_parse(text->data, text->size, fields_of(type),
				      &value.interval, &reason)) {
		literal_error(b, arg, value.type, reason);
		return NULL;
	}
	return expr_at(expr_constant(b->arena, &value), location);
}

static struct expr *zero(struct binder *b)
{
	struct value value = {.type = type_of(TYPE_INT)};

	return expr_constant(b->arena, &value);
}

#define MAKE_INTERVAL_ARGS 7

/* The place of argument `i`, by its name where it has one; MAKE_INTERVAL_ARGS when there is none.
 */
static uint32_t interval_argument(const struct ast_call *call, uint32_t i)
{
	static const char *const names[MAKE_INTERVAL_ARGS] = {
		"years", "months", "weeks", "days", "hours", "mins", "secs"};
	uint32_t place = 0;

	if (!call->arg_names || !call->arg_names[i])
		return i;
	while (place < MAKE_INTERVAL_ARGS && strcmp(names[place], call->arg_names[i]) != 0)
		place++;
	return place;
}

struct expr *bind_make_interval(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct expr *all[MAKE_INTERVAL_ARGS] = {NULL};
	char name[TYPE_NAME_MAX];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = interval_argument(ast->call, i);
		enum type_kind kind = place == MAKE_INTERVAL_ARGS - 1 ? TYPE_DOUBLE : TYPE_INT;

		if (place >= MAKE_INTERVAL_ARGS || all[place]) {
			bind_error(b, ast->args[i]->location,
				"make_interval takes years, months, weeks, days, hours, mins and "
				"secs, each once");
			return NULL;
		}
		if (!type_converts_implicitly(args[i]->type.kind, kind)) {
			bind_error(b, ast->args[i]->location,
				"an argument of make_interval has type %s; try a cast",
				type_name(args[i]->type, name));
			return NULL;
		}
		all[place] = coerce(b, args[i], type_of(kind));
		if (!all[place])
			return NULL;
	}
	for (uint32_t i = 0; i < MAKE_INTERVAL_ARGS; i++) {
		if (!all[i])
			all[i] = coerce(b, zero(b),
				type_of(i == MAKE_INTERVAL_ARGS - 1 ? TYPE_DOUBLE : TYPE_INT));
	}
	return make_call(b, FN_MAKE_INTERVAL, type_of(TYPE_INTERVAL), MAKE_INTERVAL_ARGS, all,
		ast->location);
}

/*
 * (a, b) OVERLAPS (c, d), which the grammar makes a call of four arguments; b and d may be intervals
 * behind a and c.
 */
struct expr *bind_overlaps(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	enum type_kind kind = TYPE_TIMESTAMP;
	struct expr *all[4];

	for (uint32_t i = 0; i < count && i < 4; i++)
		if (args[i]->type.kind == TYPE_TIME)
			kind = TYPE_TIME;
	for (uint32_t i = 0; i < 4; i++) {
		bool interval = i % 2 == 1 && count == 4 && args[i]->type.kind == TYPE_INTERVAL;
		bool handled = true;

		if (count != 4 ||
			(!interval && !type_converts_implicitly(args[i]->type.kind, kind))) {
			no_function(b, ast, count, args);
			return NULL;
		}
		all[i] = interval ? bind_datetime_operator(
					    b, "+", all[i - 1], args[i], ast->location, &handled)
				  : coerce(b, args[i], type_of(kind));
		if (!all[i])
			return NULL;
	}
	return make_call(b, FN_OVERLAPS, type_of(TYPE_BOOL), 4, all, ast->location);
}
