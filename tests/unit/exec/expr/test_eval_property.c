/*
 * Random expressions over random batches. However an expression is run, each row must get the same
 * answer: alone with its values as constants, alone as a selection, among a random selection, and
 * in the whole batch; as a column and as a filter. A batch fails exactly when one of its selected
 * rows does.
 */
#include "unit/exec/expr/eval_fixture.h"

#include "base/rng.h"
#include "column/datetime.h"

#define ROWS	 48
#define ROUNDS	 1500
#define COLUMNS	 14
#define DEPTH	 4
#define TEXT_MAX 512

static const enum type_kind kinds[] = {
	TYPE_BOOL, TYPE_INT, TYPE_BIGINT, TYPE_NUMERIC, TYPE_DOUBLE, TYPE_TEXT, TYPE_TIMESTAMP};

#define KINDS (sizeof(kinds) / sizeof(*kinds))

#define MADE_MAX 64

static struct expr *made[MADE_MAX];
static uint32_t made_count;

static struct column other_columns[COLUMNS];

static struct value random_value(struct fixture *f, struct rng *rng, enum type_kind kind)
{
	static const char *const texts[] = {"", "a", "abc", "aBc", "12", "-3", "x%y", "né", "  a "};
	struct value value = {.type = type_of(kind)};

	switch (kind) {
	case TYPE_BOOL: value.boolean = rng_below(rng, 2); break;
	case TYPE_INT: value.i64 = (int64_t)rng_below(rng, 7) - 3; break;
	case TYPE_BIGINT:
		value.i64 =
			rng_below(rng, 8) ? (int64_t)rng_below(rng, 9) - 4 : (int64_t)rng_next(rng);
		break;
	case TYPE_NUMERIC:
		value.num = numeric_pack(
			(int64_t)rng_below(rng, 401) - 200, (unsigned)rng_below(rng, 3));
		break;
	case TYPE_DOUBLE: value.f64 = ((double)rng_below(rng, 41) - 20) / 4; break;
	case TYPE_TIMESTAMP:
		value.i64 = ((int64_t)rng_below(rng, 4000) - 2000) * MICROS_PER_DAY +
			    (int64_t)rng_below(rng, (uint64_t)MICROS_PER_DAY);
		break;
	default:
		value = fixture_value(f, type_of(TYPE_TEXT),
			texts[rng_below(rng, sizeof(texts) / sizeof(*texts))]);
		break;
	}
	return value;
}

/* Two columns of each kind: one without NULLs, one with. */
static void make_batch(struct fixture *f, struct rng *rng)
{
	fixture_reset(f);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		struct column *column = &f->columns[c];

		column_init(column, type_of(kinds[c % KINDS]), ROWS, &f->arena);
		if (c >= KINDS)
			column_add_validity(column, ROWS, &f->arena);
		for (uint32_t row = 0; row < ROWS; row++) {
			struct value value = random_value(f, rng, kinds[c % KINDS]);

			column_set_value(column, row, &value);
			if (c >= KINDS && rng_below(rng, 4) == 0)
				column->valid[row] = 0; /* and the slot keeps what it held */
		}
	}
	f->batch.column_count = COLUMNS;
	f->batch.rows = f->batch.selected = ROWS;
}

static struct expr *random_expr(
	struct fixture *f, struct rng *rng, enum type_kind kind, unsigned depth);

static enum type_kind random_kind(struct rng *rng)
{
	return kinds[rng_below(rng, KINDS)];
}

static struct expr *random_leaf(struct fixture *f, struct rng *rng, enum type_kind kind)
{
	struct value value;
	uint32_t c = 0;

	if (rng_below(rng, 3) == 0) {
		value = random_value(f, rng, kind);
		value.is_null = rng_below(rng, 8) == 0;
		return expr_constant(&f->arena, &value);
	}
	while (kinds[c] != kind)
		c++;
	return expr_column(&f->arena, c + (rng_below(rng, 2) ? KINDS : 0), type_of(kind));
}

#define SUB(kind) random_expr(f, rng, kind, depth - 1)

static struct expr *random_bool(struct fixture *f, struct rng *rng, unsigned depth)
{
	enum type_kind kind = random_kind(rng);
	struct expr *value;

	switch (rng_below(rng, 8)) {
	case 0: return NODE(EXPR_AND, TYPE_BOOL, SUB(TYPE_BOOL), SUB(TYPE_BOOL), SUB(TYPE_BOOL));
	case 1: return NODE(EXPR_OR, TYPE_BOOL, SUB(TYPE_BOOL), SUB(TYPE_BOOL));
	case 2: return NODE(EXPR_NOT, TYPE_BOOL, SUB(TYPE_BOOL));
	case 3: return NODE(EXPR_IS_NULL, TYPE_BOOL, SUB(kind));
	case 4:
		value = SUB(TYPE_BIGINT);
		/* The same value twice: shared, and a range. */
		return NODE(EXPR_AND, TYPE_BOOL, CALL(FN_GE, TYPE_BOOL, value, LIT_BIGINT("-2")),
			CALL(FN_LT, TYPE_BOOL, value, LIT_BIGINT("3")));
	case 5:
		return NODE(EXPR_IN, TYPE_BOOL, SUB(TYPE_INT), LIT_INT("1"), LIT_INT("-2"),
			LIT_INT(rng_below(rng, 2) ? "NULL" : "0"));
	case 6: return CALL(FN_LIKE, TYPE_BOOL, SUB(TYPE_TEXT), LIT_TEXT("%b_%"), LIT_TEXT("\\"));
	default:
		return CALL(FN_EQ + (enum function_id)rng_below(rng, FN_NOT_DISTINCT - FN_EQ + 1),
			TYPE_BOOL, SUB(kind), SUB(kind));
	}
}

static struct expr *random_arithmetic(
	struct fixture *f, struct rng *rng, enum type_kind kind, unsigned depth)
{
	enum function_id function = FN_ADD + (enum function_id)rng_below(rng, FN_NEG - FN_ADD + 1);

	if (function == FN_NEG)
		return CALL(FN_NEG, kind, SUB(kind));
	if (function == FN_MOD && kind == TYPE_DOUBLE)
		function = FN_MUL;
	return CALL(function, kind, SUB(kind), SUB(kind));
}

static struct expr *random_number(
	struct fixture *f, struct rng *rng, enum type_kind kind, unsigned depth)
{
	static const char *const fields[] = {"year", "month", "day", "hour", "dow", "second"};

	switch (rng_below(rng, 4)) {
	case 0:
		if (kind == TYPE_NUMERIC)
			return CALL(FN_EXTRACT, TYPE_NUMERIC, LIT_TEXT(fields[rng_below(rng, 6)]),
				SUB(TYPE_TIMESTAMP));
		if (kind == TYPE_INT)
			return CALL(FN_LENGTH, TYPE_INT, SUB(TYPE_TEXT));
		return CAST(SUB(TYPE_INT), kind);
	case 1: return CAST(SUB(rng_below(rng, 2) ? TYPE_BIGINT : TYPE_TEXT), kind);
	default: return random_arithmetic(f, rng, kind, depth);
	}
}

static struct expr *random_text_expr(struct fixture *f, struct rng *rng, unsigned depth)
{
	switch (rng_below(rng, 5)) {
	case 0: return CALL(FN_CONCAT, TYPE_TEXT, SUB(TYPE_TEXT), SUB(TYPE_TEXT));
	case 1: return CALL(FN_UPPER, TYPE_TEXT, SUB(TYPE_TEXT));
	case 2: return CALL(FN_SUBSTRING, TYPE_TEXT, SUB(TYPE_TEXT), SUB(TYPE_INT), SUB(TYPE_INT));
	case 3: return CALL(FN_TO_CHAR, TYPE_TEXT, SUB(TYPE_TIMESTAMP), LIT_TEXT("YYYY-MM Dy"));
	default: return CAST(SUB(random_kind(rng)), TYPE_TEXT);
	}
}

static struct expr *random_fresh(
	struct fixture *f, struct rng *rng, enum type_kind kind, unsigned depth)
{
	if (depth == 0 || rng_below(rng, 5) == 0)
		return random_leaf(f, rng, kind);
	switch (rng_below(rng, 6)) {
	case 0:
		return NODE(EXPR_CASE, kind, SUB(TYPE_BOOL), SUB(kind), SUB(TYPE_BOOL), SUB(kind),
			SUB(kind));
	case 1: return NODE(EXPR_COALESCE, kind, SUB(kind), SUB(kind));
	case 2: return CALL(rng_below(rng, 2) ? FN_GREATEST : FN_LEAST, kind, SUB(kind), SUB(kind));
	default: break;
	}
	switch (kind) {
	case TYPE_BOOL: return random_bool(f, rng, depth);
	case TYPE_TEXT: return random_text_expr(f, rng, depth);
	case TYPE_TIMESTAMP:
		return CALL(FN_DATE_TRUNC, TYPE_TIMESTAMP,
			LIT_TEXT(rng_below(rng, 2) ? "month" : "week"), SUB(TYPE_TIMESTAMP));
	default: return random_number(f, rng, kind, depth);
	}
}

/* Often one that was made before: such places share their work. */
static struct expr *random_expr(
	struct fixture *f, struct rng *rng, enum type_kind kind, unsigned depth)
{
	struct expr *expr;

	for (int attempt = 0; attempt < 2 && made_count > 0; attempt++) {
		expr = made[rng_below(rng, made_count)];
		if (expr->type.kind == kind)
			return expr;
	}
	expr = random_fresh(f, rng, kind, depth);
	if (made_count < MADE_MAX)
		made[made_count++] = expr;
	return expr;
}

/* The expression with row `row`'s values in the place of its columns. */
static struct expr *with_values(struct fixture *f, const struct expr *expr, uint32_t row)
{
	struct expr *copy = arena_alloc(&f->arena, sizeof(*copy));

	if (expr->kind == EXPR_COLUMN) {
		struct value value = column_value(&f->columns[expr->column], row);

		return expr_constant(&f->arena, &value);
	}
	*copy = *expr;
	copy->args = arena_alloc(&f->arena, (expr->arg_count + 1) * sizeof(*copy->args));
	for (uint32_t i = 0; i < expr->arg_count; i++)
		copy->args[i] = with_values(f, expr->args[i], row);
	return copy;
}

/* The selected rows of the result, as fixture_eval prints them, but from an evaluator in use. */
static const char *eval_again(
	struct fixture *f, struct evaluator *evaluator, const struct expr *expr)
{
	struct column column;

	struct batch other = {
		.rows = ROWS, .column_count = COLUMNS, .columns = other_columns, .selected = ROWS};

	buf_clear(&f->out);
	if (!evaluator)
		return fixture_eval(f, expr);
	/* What it keeps from another batch must not show. */
	(void)!evaluator_eval(evaluator, &other, &column, &f->err);
	if (evaluator_eval(evaluator, &f->batch, &column, &f->err))
		buf_printf(&f->out, "ERROR: %s", f->err.message);
	else
		for (uint32_t k = 0; k < f->batch.selected; k++) {
			if (k > 0)
				buf_append_char(&f->out, '|');
			fixture_print(f, &column, batch_row(&f->batch, k));
		}
	buf_append_char(&f->out, '\0');
	return f->out.data;
}

/* Each row alone. */
static void answer_rows(struct fixture *f, const struct expr *expr, char answers[ROWS][TEXT_MAX])
{
	for (uint32_t row = 0; row < ROWS; row++) {
		char alone[TEXT_MAX];

		f->batch.sel = f->sel;
		f->batch.selected = 1;
		f->sel[0] = (uint16_t)row;
		snprintf(answers[row], TEXT_MAX, "%s", fixture_eval(f, expr));
		snprintf(alone, TEXT_MAX, "%s", fixture_eval(f, with_values(f, expr, row)));
		/* A constant that every row would fail on fails whatever else is NULL. */
		if (strncmp(alone, "ERROR", 5) != 0)
			assert_string_equal(answers[row], alone);
	}
}

static bool any_row_fails(struct fixture *f, char answers[ROWS][TEXT_MAX])
{
	for (uint32_t k = 0; k < f->batch.selected; k++)
		if (strncmp(answers[batch_row(&f->batch, k)], "ERROR", 5) == 0)
			return true;
	return false;
}

static void check_selection(struct fixture *f, struct evaluator *evaluator, struct expr *expr,
	char answers[ROWS][TEXT_MAX])
{
	bool fails = any_row_fails(f, answers);
	const char *got = eval_again(f, evaluator, expr);
	struct buf column, filter;

	buf_init(&column, ROWS * TEXT_MAX);
	buf_init(&filter, ROWS * TEXT_MAX);
	for (uint32_t k = 0; k < f->batch.selected; k++) {
		uint32_t row = batch_row(&f->batch, k);

		buf_printf(&column, k > 0 ? "|%s" : "%s", answers[row]);
		if (strcmp(answers[row], "t") == 0)
			buf_printf(&filter, filter.size > 0 ? ",%u" : "%u", row);
	}
	buf_append_char(&column, '\0');
	buf_append_char(&filter, '\0');
	assert_int_equal(strncmp(got, "ERROR", 5) == 0, fails);
	if (!fails)
		assert_string_equal(got, column.data);
	if (!fails && expr->type.kind == TYPE_BOOL)
		assert_string_equal(fixture_filter(f, 1, &expr), filter.data);
	buf_release(&column);
	buf_release(&filter);
}

static void select_some(struct fixture *f, struct rng *rng)
{
	uint64_t share = 1 + rng_below(rng, 8);

	f->batch.sel = f->sel;
	f->batch.selected = 0;
	for (uint32_t row = 0; row < ROWS; row++)
		if (rng_below(rng, 8) < share)
			f->sel[f->batch.selected++] = (uint16_t)row;
}

static void test_all_ways_agree(void **state)
{
	struct fixture *f = *state;
	static char answers[ROWS][TEXT_MAX];
	struct rng rng;
	uint32_t failing = 0;

	rng_init(&rng, 20240101);
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct evaluator *evaluator = NULL;
		struct expr *expr;

		made_count = 0;
		make_batch(f, &rng);
		memcpy(other_columns, f->columns, sizeof(other_columns));
		make_batch(f, &rng);
		expr = random_expr(f, &rng, random_kind(&rng), DEPTH);
		answer_rows(f, expr, answers);
		/* One evaluator for all batches: what it keeps from one must not show in the next.
		 */
		if (evaluator_new(&evaluator, expr, &f->err))
			evaluator = NULL;
		f->batch.sel = NULL;
		f->batch.selected = ROWS;
		failing += any_row_fails(f, answers);
		check_selection(f, evaluator, expr, answers);
		for (int turn = 0; turn < 3; turn++) {
			select_some(f, &rng);
			check_selection(f, evaluator, expr, answers);
		}
		evaluator_free(evaluator);
		arena_reset(&f->arena);
	}
	/* The test is worth something only if both happen often. */
	assert_true(failing > ROUNDS / 20 && failing < ROUNDS / 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_all_ways_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
