/*
 * Frames against their definition: random rows, random frames of all modes, and for every row the
 * rows of its frame picked one by one. Aggregates are compared with what the grouping operator says
 * about those rows.
 */
#include "unit/exec/exec_fixture.h"

#include "base/rng.h"

#include <math.h>
#include <stdio.h>

#define ROWS_MAX 48
#define CALLS	 6

/* In place of 'd', a double, where values are squared. */
#define SMALL_DOUBLE 's'

/* Columns of the input: partition, sort key, value, second value, filter, number of the row. */
enum { PART, KEY, VALUE, SECOND, FILTER, ID, COLUMNS };

struct sample {
	uint32_t rows;
	char types[COLUMNS + 1];
	const char *cells[ROWS_MAX][COLUMNS]; /* by number */
	struct plan_sort_key sort;
	/* As they left the operator: */
	uint32_t order[ROWS_MAX];	    /* numbers */
	char results[ROWS_MAX][CALLS][160]; /* by place in that order */
};

static const char *pick(struct rng *rng, size_t count, const char *const *texts)
{
	return texts[rng_below(rng, count)];
}

#define PICK(rng, ...)                                                    \
	pick(rng, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), \
		(const char *[]){__VA_ARGS__})

static const char *random_key(struct rng *rng, char type)
{
	switch (type) {
	case 'd':
		return PICK(rng, "0", "-0", "1", "1.5", "2", "3", "5", "-2", "NaN", "Infinity",
			"-Infinity", "NULL");
	case 'n': return PICK(rng, "0", "1.0", "1", "1.50", "2", "3", "5", "-2", "NULL", "4.00");
	case 'D': return PICK(rng, "1970-01-01", "1970-01-02", "1970-01-04", "NULL");
	case 'I':
		return PICK(rng, "NULL", "00:00:00", "1 day", "24:00:00", "1 day 12:00:00",
			"5 days", "-2 days", "1 mon", "30 days");
	}
	return PICK(rng, "0", "1", "2", "3", "3", "5", "8", "13", "-2", "NULL");
}

static const char *random_value(struct rng *rng, char type)
{
	switch (type) {
	case SMALL_DOUBLE: return PICK(rng, "NULL", "0.1", "-2.5", "7", "3", "1000", "-0.75");
	case 'b': return PICK(rng, "t", "f", "NULL", "t", "t");
	case 'i': return PICK(rng, "NULL", "2147483647", "-2147483648", "7", "0", "12");
	case 'l': return PICK(rng, "NULL", "9223372036854775807", "-5", "7", "0", "12");
	case 'n': return PICK(rng, "NULL", "1.10", "1.1", "0.001", "-7", "100", "3.50", "-0.25");
	case 'd':
		return PICK(rng, "NULL", "0.1", "0.2", "-0.3", "1e+300", "-1e+300", "7", "NaN",
			"Infinity", "-Infinity", "0", "-0", "5e-324", "3", "4", "1e+16", "0.7");
	case 'I':
		return PICK(rng, "NULL", "1 mon", "30 days", "720:00:00", "-1 days +02:00:00",
			"1 year 2 mons 3 days 00:00:00.5", "00:00:00", "-3 mons");
	}
	return PICK(rng, "NULL", "a", "bb", "", "Abc", "zz", "z");
}

static void make_sample(struct rng *rng, struct sample *s, char key_type, char value_type)
{
	static char ids[ROWS_MAX][12];
	char types[] = {'t', key_type, value_type, 'd', 'b', 'i', '\0'};

	memcpy(s->types, types, sizeof(types));
	s->rows = 1 + (uint32_t)rng_below(rng, ROWS_MAX);
	s->sort = (struct plan_sort_key){KEY, rng_below(rng, 2), rng_below(rng, 2)};
	for (uint32_t row = 0; row < s->rows; row++) {
		snprintf(ids[row], sizeof(ids[row]), "%u", row);
		s->cells[row][PART] = PICK(rng, "a", "a", "b", "NULL");
		s->cells[row][KEY] = random_key(rng, key_type);
		s->cells[row][VALUE] = random_value(rng, value_type);
		s->cells[row][SECOND] = PICK(rng, "1", "2.5", "NULL", "-4", "0.1", "8");
		s->cells[row][FILTER] = PICK(rng, "t", "f", "NULL", "t");
		s->cells[row][ID] = ids[row];
	}
}

static const char *sample_text(struct fixture *f, const struct sample *s, uint32_t count,
	const uint32_t *numbers, uint32_t columns)
{
	struct buf text;
	const char *copy;

	buf_init(&text, FIXTURE_TEXT_MAX);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t c = 0; c < columns; c++) {
			buf_append_text(&text, s->cells[numbers[i]][c]);
			buf_append_char(&text, c + 1 < columns ? '|' : '\n');
		}
	}
	copy = arena_strndup(&f->arena, text.size ? text.data : "", text.size);
	buf_release(&text);
	return copy;
}

static struct plan_frame_bound random_bound(
	struct rng *rng, struct fixture *f, enum frame_mode mode, char key_type, bool is_end)
{
	struct plan_frame_bound bound = {.kind = FRAME_PRECEDING + (int)rng_below(rng, 3)};
	const char *reason, *text = PICK(rng, "0", "1", "2", "3", "7");
	struct type type = type_of(TYPE_BIGINT);

	if (rng_below(rng, 4) == 0)
		bound.kind = is_end ? FRAME_UNBOUNDED_FOLLOWING : FRAME_UNBOUNDED_PRECEDING;
	if (mode == FRAME_RANGE)
		type = fixture_type(key_type);
	if (mode == FRAME_RANGE && (key_type == 'D' || key_type == 'I')) {
		type = type_of(TYPE_INTERVAL);
		text = PICK(rng, "0", "1 day", "2 days", "36:00", "3 days", "7 days");
	}
	if (mode == FRAME_RANGE && (key_type == 'd' || key_type == 'n') && rng_below(rng, 2))
		text = "0.5";
	if (mode == FRAME_RANGE && key_type == 'd' && rng_below(rng, 5) == 0)
		text = "Infinity";
	if (mode != FRAME_RANGE && rng_below(rng, 9) == 0)
		text = "9223372036854775807";
	assert_true(value_parse(type, text, strlen(text), &f->arena, &bound.offset, &reason));
	return bound;
}

static double in_days(struct interval interval)
{
	return (double)interval_span(interval) / (double)MICROS_PER_DAY;
}

static double as_double(const char *text, char type)
{
	struct interval interval;
	const char *reason;

	if (type == 'I') {
		assert_true(interval_parse(
			text, strlen(text), INTERVAL_FIELDS_ALL, &interval, &reason));
		return in_days(interval);
	}
	return type == 'D' ? (double)(text[9] - '0') : strtod(text, NULL);
}

static double offset_of(const struct plan_frame_bound *bound)
{
	switch (type_physical(bound->offset.type.kind)) {
	case PHYSICAL_F64: return bound->offset.f64;
	case PHYSICAL_NUM: return numeric_to_double(bound->offset.num);
	case PHYSICAL_INTERVAL: return in_days(bound->offset.interval);
	default: return (double)bound->offset.i64;
	}
}

/* NaN is greater than everything else and equal to itself. */
static int compare_keys(double a, double b)
{
	if (a != a || b != b)
		return (a != a) - (b != b);
	return (a > b) - (a < b);
}

/* Where row `j` stands to the bound of row `i`, by value: below 0 before it, 0 at it. */
static int side_of_value(const struct sample *s, const struct plan_frame_bound *bound,
	const char *key_i, const char *key_j)
{
	bool null_i = strcmp(key_i, "NULL") == 0, null_j = strcmp(key_j, "NULL") == 0;
	double by = bound->kind == FRAME_PRECEDING ? -offset_of(bound) : offset_of(bound);
	double base, other;
	int direction;

	if (bound->kind == FRAME_CURRENT_ROW)
		by = 0;
	if (null_i || null_j)
		return null_i == null_j ? 0 : null_j == s->sort.nulls_first ? -1 : 1;
	base = as_double(key_i, s->types[KEY]);
	other = as_double(key_j, s->types[KEY]);
	direction = s->sort.descending ? -1 : 1;
	by *= direction;
	if (isnan(base) || isnan(other))
		return compare_keys(other, base) * direction;
	/* Infinity and back reaches everything. */
	if (isinf(base) && isinf(by) && base != by)
		return 0;
	return compare_keys(other, base + by) * direction;
}

/* The same by count of units: rows or groups. */
static int side_of_unit(const struct plan_frame_bound *bound, uint32_t i, uint32_t j)
{
	double by = bound->kind == FRAME_PRECEDING ? -offset_of(bound) : offset_of(bound);
	double at = bound->kind == FRAME_CURRENT_ROW ? i : i + by;

	return ((double)j > at) - ((double)j < at);
}

static bool is_inside(const struct sample *s, enum frame_mode mode,
	const struct plan_frame_bound *bound, bool is_end, uint32_t i, uint32_t j,
	const uint32_t *groups)
{
	int side;

	if (bound->kind == FRAME_UNBOUNDED_PRECEDING || bound->kind == FRAME_UNBOUNDED_FOLLOWING)
		return true;
	if (mode == FRAME_ROWS)
		side = side_of_unit(bound, i, j);
	else if (mode == FRAME_GROUPS)
		side = side_of_unit(bound, groups[i], groups[j]);
	else
		side = side_of_value(
			s, bound, s->cells[s->order[i]][KEY], s->cells[s->order[j]][KEY]);
	return is_end ? side <= 0 : side >= 0;
}

static bool same_key(const struct sample *s, uint32_t i, uint32_t j)
{
	static const struct plan_frame_bound here = {.kind = FRAME_CURRENT_ROW};

	return side_of_value(s, &here, s->cells[s->order[i]][KEY], s->cells[s->order[j]][KEY]) == 0;
}

/* Numbers of the rows in the frame of the i-th row, in order. */
static uint32_t frame_rows(
	const struct sample *s, const struct plan_frame *frame, uint32_t i, uint32_t *numbers)
{
	uint32_t groups[ROWS_MAX] = {0}, count = 0;
	const char *part = s->cells[s->order[i]][PART];

	for (uint32_t j = 1; j < s->rows; j++)
		groups[j] = groups[j - 1] + !same_key(s, j - 1, j);
	for (uint32_t j = 0; j < s->rows; j++) {
		if (strcmp(s->cells[s->order[j]][PART], part) == 0 &&
			is_inside(s, frame->mode, &frame->start, false, i, j, groups) &&
			is_inside(s, frame->mode, &frame->end, true, i, j, groups))
			numbers[count++] = s->order[j];
	}
	return count;
}

static void run_window(struct sample *s, struct plan_window_call *calls, const char *result_types)
{
	static uint32_t partition[] = {PART};
	char types[COLUMNS + CALLS + 1];
	uint32_t numbers[ROWS_MAX];
	struct fixture f;
	struct plan_op *op;
	char *text;

	fixture_init(&f);
	snprintf(types, sizeof(types), "%s%s", s->types, result_types);
	op = fixture_op(&f, PLAN_WINDOW, types);
	op->window = (struct plan_window){.partition_count = 1,
		.partition = partition,
		.sort_count = 1,
		.sort = &s->sort,
		.call_count = CALLS,
		.calls = calls};
	for (uint32_t i = 0; i < s->rows; i++)
		numbers[i] = i;
	fixture_start(&f);
	fixture_push(&f, s->types, sample_text(&f, s, s->rows, numbers, COLUMNS));
	text = arena_strdup(&f.arena, fixture_finish(&f));
	assert_int_equal(f.rows, s->rows);
	for (uint32_t i = 0; i < s->rows; i++) {
		for (uint32_t c = 0; c < COLUMNS + CALLS; c++) {
			size_t size = strcspn(text, "|\n");

			text[size] = '\0';
			if (c == ID)
				s->order[i] = (uint32_t)strtoul(text, NULL, 10);
			if (c >= COLUMNS)
				snprintf(s->results[i][c - COLUMNS], 160, "%s", text);
			text += size + 1;
		}
	}
	fixture_release(&f);
}

/* What the grouping operator makes of these rows. */
static void check_group(const struct sample *s, const struct plan_aggregate *aggregate,
	uint32_t count, const uint32_t *numbers, const char *actual)
{
	struct plan_aggregate copy = *aggregate;
	struct fixture f;
	struct plan_op *op;
	const char *expected;

	fixture_init(&f);
	op = fixture_op(&f, PLAN_GROUP, "l");
	op->types[0] = aggregate->type;
	op->group = (struct plan_group){
		.phase = GROUP_COMPLETE, .aggregate_count = 1, .aggregates = &copy};
	fixture_start(&f);
	if (count > 0)
		fixture_push(&f, s->types, sample_text(&f, s, count, numbers, COLUMNS));
	expected = fixture_finish(&f);
	expected = arena_strndup(&f.arena, expected, strlen(expected) - 1);
	assert_string_equal(actual, expected);
	fixture_release(&f);
}

static void check_pick(const struct sample *s, const struct plan_window_call *call, uint32_t count,
	const uint32_t *numbers, const char *actual)
{
	const char *expected = "NULL";

	if (count > 0)
		expected = s->cells[numbers[call->function == WINDOW_LAST_VALUE ? count - 1 : 0]]
				   [VALUE];
	assert_string_equal(actual, expected);
}

static struct plan_window_call random_call(
	struct rng *rng, struct fixture *f, const struct sample *s, enum aggregate_id id)
{
	struct type arg = fixture_type(s->types[VALUE]);
	struct plan_window_call call = {.function = WINDOW_AGGREGATE,
		.arg = VALUE,
		.offset = PLAN_NONE,
		.fallback = PLAN_NONE};
	enum frame_mode mode = (enum frame_mode)rng_below(rng, 3);

	call.frame.mode = mode;
	call.frame.start = random_bound(rng, f, mode, s->types[KEY], false);
	call.frame.end = random_bound(rng, f, mode, s->types[KEY], true);
	call.aggregate = (struct plan_aggregate){
		.id = id,
		.arg = id == AGG_COUNT_STAR ? PLAN_NONE : VALUE,
		.arg2 = id >= AGG_CORR && id <= AGG_COVAR_POP ? SECOND : PLAN_NONE,
		.filter = rng_below(rng, 3) == 0 ? FILTER : PLAN_NONE,
		.arg_type = arg,
	};
	assert_true(aggregate_result_type(id, arg, &call.aggregate.type));
	call.type = call.aggregate.type;
	return call;
}

static char letter_of(struct type type)
{
	static const char letters[] = "bilndtDTaI";

	for (const char *letter = letters; *letter; letter++) {
		if (fixture_type(*letter).kind == type.kind)
			return *letter;
	}
	fail_msg("no letter");
	return '?';
}

static void check_sample(struct rng *rng, char key_type, char value_type, size_t id_count,
	const enum aggregate_id *ids)
{
	struct plan_window_call calls[CALLS];
	char result_types[CALLS + 1] = "";
	struct sample s;
	struct fixture f;

	fixture_init(&f);
	make_sample(rng, &s, key_type, value_type);
	if (value_type == SMALL_DOUBLE)
		s.types[VALUE] = value_type = 'd';
	for (uint32_t c = 0; c < CALLS; c++) {
		calls[c] = random_call(rng, &f, &s, ids[rng_below(rng, id_count)]);
		if (c > 0 && rng_below(rng, 3) == 0)
			calls[c].frame = calls[c - 1].frame;
		if (rng_below(rng, 6) == 0) {
			calls[c].function =
				rng_below(rng, 2) ? WINDOW_FIRST_VALUE : WINDOW_LAST_VALUE;
			calls[c].type = fixture_type(value_type);
		}
		result_types[c] = letter_of(calls[c].type);
	}
	run_window(&s, calls, result_types);
	for (uint32_t i = 0; i < s.rows; i++) {
		for (uint32_t c = 0; c < CALLS; c++) {
			uint32_t numbers[ROWS_MAX];
			uint32_t count = frame_rows(&s, &calls[c].frame, i, numbers);

			if (calls[c].function == WINDOW_AGGREGATE)
				check_group(
					&s, &calls[c].aggregate, count, numbers, s.results[i][c]);
			else
				check_pick(&s, &calls[c], count, numbers, s.results[i][c]);
		}
	}
	fixture_release(&f);
}

#define SAMPLES 12

static void check_type(char value_type, size_t id_count, const enum aggregate_id *ids)
{
	static const char key_types[] = "ilndDI";
	struct rng rng;

	for (uint64_t seed = 0; seed < SAMPLES; seed++) {
		rng_init(&rng, seed * 1000 + (uint64_t)value_type);
		for (const char *key = key_types; *key; key++)
			check_sample(&rng, *key, value_type, id_count, ids);
	}
}

static void test_numbers(void **state)
{
	static const enum aggregate_id ids[] = {
		AGG_COUNT_STAR, AGG_COUNT, AGG_SUM, AGG_AVG, AGG_MIN, AGG_MAX};

	(void)state;
	check_type('i', 6, ids);
	check_type('l', 6, ids);
	check_type('n', 6, ids);
	check_type('d', 6, ids);
	check_type('I', 6, ids);
}

static void test_texts_and_booleans(void **state)
{
	static const enum aggregate_id of_texts[] = {AGG_COUNT_STAR, AGG_COUNT, AGG_MIN, AGG_MAX};
	static const enum aggregate_id of_booleans[] = {AGG_BOOL_AND, AGG_BOOL_OR, AGG_COUNT};

	(void)state;
	check_type('t', 4, of_texts);
	check_type('b', 3, of_booleans);
}

/* They have no way back from a value: moving frames are folded anew. */
static void test_moments(void **state)
{
	static const enum aggregate_id of_numbers[] = {
		AGG_STDDEV_SAMP, AGG_STDDEV_POP, AGG_VAR_SAMP, AGG_VAR_POP};
	static const enum aggregate_id of_pairs[] = {
		AGG_CORR, AGG_COVAR_SAMP, AGG_COVAR_POP, AGG_VAR_SAMP};

	(void)state;
	check_type('i', 4, of_numbers);
	check_type('n', 4, of_numbers);
	check_type(SMALL_DOUBLE, 4, of_pairs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_texts_and_booleans),
		cmocka_unit_test(test_moments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
