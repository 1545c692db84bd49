#include "unit/exec/expr/eval_fixture.h"

#include "base/rng.h"
#include "column/datetime.h"

#define EXTRACT(field, arg)    CALL(FN_EXTRACT, TYPE_NUMERIC, LIT_TEXT(field), arg)
#define DATE_TRUNC(field, arg) CALL(FN_DATE_TRUNC, TYPE_TIMESTAMP, LIT_TEXT(field), arg)

static void test_extract_from_timestamp(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = LIT_TIMESTAMP("2024-12-30 23:59:59.25");

	EXPECT(EXTRACT("year", ts), "2024");
	EXPECT(EXTRACT("MONTH", ts), "12");
	EXPECT(EXTRACT("day", ts), "30");
	EXPECT(EXTRACT("hour", ts), "23");
	EXPECT(EXTRACT("minute", ts), "59");
	EXPECT(EXTRACT("second", ts), "59.250000");
	EXPECT(EXTRACT("milliseconds", ts), "59250.000");
	EXPECT(EXTRACT("microseconds", ts), "59250000");
	EXPECT(EXTRACT("quarter", ts), "4");
	EXPECT(EXTRACT("dow", ts), "1");
	EXPECT(EXTRACT("isodow", ts), "1");
	EXPECT(EXTRACT("doy", ts), "365");
	EXPECT(EXTRACT("week", ts), "1");
	EXPECT(EXTRACT("isoyear", ts), "2025");
	EXPECT(EXTRACT("decade", ts), "202");
	EXPECT(EXTRACT("century", ts), "21");
	EXPECT(EXTRACT("millennium", ts), "3");
	EXPECT(EXTRACT("epoch", LIT_TIMESTAMP("2024-01-01")), "1704067200.000000");
	EXPECT(EXTRACT("epoch", LIT_TIMESTAMP("1969-12-31 23:59:59.5")), "-0.500000");
	EXPECT(EXTRACT("julian", LIT_TIMESTAMP("2024-01-01 12:00")),
		"2460311.50000000000000000000");
	EXPECT(EXTRACT("foo", ts),
		"ERROR: unit \"foo\" not recognized for type timestamp without time zone");
}

static void test_extract_from_date_and_time(void **state)
{
	struct fixture *f = *state;
	struct expr *date = LIT_DATE("2000-12-31");

	EXPECT(EXTRACT("year", date), "2000");
	EXPECT(EXTRACT("century", date), "20");
	EXPECT(EXTRACT("dow", date), "0");
	EXPECT(EXTRACT("isodow", date), "7");
	EXPECT(EXTRACT("week", date), "52");
	EXPECT(EXTRACT("doy", date), "366");
	EXPECT(EXTRACT("epoch", date), "978220800");
	EXPECT(EXTRACT("week", LIT_DATE("2021-01-03")), "53");
	EXPECT(EXTRACT("isoyear", LIT_DATE("2021-01-03")), "2020");
	EXPECT(EXTRACT("year", LIT_DATE("0001-01-01")), "1");
	EXPECT(EXTRACT("hour", date), "ERROR: unit \"hour\" not supported for type date");
	EXPECT(EXTRACT("hour", LIT_TIME("10:30:15")), "10");
	EXPECT(EXTRACT("minute", LIT_TIME("10:30:15")), "30");
	EXPECT(EXTRACT("second", LIT_TIME("10:30:15")), "15.000000");
	EXPECT(EXTRACT("epoch", LIT_TIME("10:00:00.5")), "36000.500000");
	EXPECT(EXTRACT("year", LIT_TIME("10:00")),
		"ERROR: unit \"year\" not supported for type time without time zone");
	EXPECT(EXTRACT("year", LIT_DATE("NULL")), "NULL");
}

static void test_date_trunc(void **state)
{
	struct fixture *f = *state;
	struct expr *ts = LIT_TIMESTAMP("2024-08-15 13:45:59.123456");
	struct expr *old = LIT_TIMESTAMP("1969-12-31 23:59:59.999999");

	EXPECT(DATE_TRUNC("microseconds", ts), "2024-08-15 13:45:59.123456");
	EXPECT(DATE_TRUNC("milliseconds", ts), "2024-08-15 13:45:59.123");
	EXPECT(DATE_TRUNC("second", ts), "2024-08-15 13:45:59");
	EXPECT(DATE_TRUNC("minute", ts), "2024-08-15 13:45:00");
	EXPECT(DATE_TRUNC("hour", ts), "2024-08-15 13:00:00");
	EXPECT(DATE_TRUNC("day", ts), "2024-08-15 00:00:00");
	EXPECT(DATE_TRUNC("week", ts), "2024-08-12 00:00:00");
	EXPECT(DATE_TRUNC("month", ts), "2024-08-01 00:00:00");
	EXPECT(DATE_TRUNC("quarter", ts), "2024-07-01 00:00:00");
	EXPECT(DATE_TRUNC("year", ts), "2024-01-01 00:00:00");
	EXPECT(DATE_TRUNC("decade", ts), "2020-01-01 00:00:00");
	EXPECT(DATE_TRUNC("century", ts), "2001-01-01 00:00:00");
	EXPECT(DATE_TRUNC("millennium", ts), "2001-01-01 00:00:00");
	EXPECT(DATE_TRUNC("second", old), "1969-12-31 23:59:59");
	EXPECT(DATE_TRUNC("day", old), "1969-12-31 00:00:00");
	EXPECT(DATE_TRUNC("week", old), "1969-12-29 00:00:00");
	EXPECT(DATE_TRUNC("quarter", old), "1969-10-01 00:00:00");
	EXPECT(DATE_TRUNC("week", LIT_TIMESTAMP("0001-01-03")), "0001-01-01 00:00:00");
	EXPECT(DATE_TRUNC("decade", LIT_TIMESTAMP("0005-01-01")), "0001-01-01 00:00:00 BC");
	EXPECT(DATE_TRUNC("year", LIT_TIMESTAMP("4714-12-01 BC")), "ERROR: timestamp out of range");
	EXPECT(DATE_TRUNC("dow", ts),
		"ERROR: unit \"dow\" not supported for type timestamp without time zone");
}

static void test_date_arithmetic(void **state)
{
	struct fixture *f = *state;

	EXPECT(CALL(FN_DATE_ADD_DAYS, TYPE_DATE, LIT_DATE("2024-02-28"), LIT_INT("2")),
		"2024-03-01");
	EXPECT(CALL(FN_DATE_ADD_DAYS, TYPE_DATE, LIT_DATE("294246-12-31"), LIT_INT("1")),
		"ERROR: date out of range");
	EXPECT(CALL(FN_DATE_ADD_DAYS, TYPE_DATE, LIT_DATE("0001-01-01"), LIT_INT("-2147483648")),
		"ERROR: date out of range");
	EXPECT(CALL(FN_DATE_DIFF, TYPE_INT, LIT_DATE("2024-03-01"), LIT_DATE("2023-03-01")), "366");
	EXPECT(CALL(FN_MAKE_DATE, TYPE_DATE, LIT_INT("2024"), LIT_INT("2"), LIT_INT("29")),
		"2024-02-29");
	EXPECT(CALL(FN_MAKE_DATE, TYPE_DATE, LIT_INT("2023"), LIT_INT("2"), LIT_INT("29")),
		"ERROR: date field value out of range: 2023-02-29");
	EXPECT(CALL(FN_MAKE_DATE, TYPE_DATE, LIT_INT("0"), LIT_INT("1"), LIT_INT("1")),
		"ERROR: date field value out of range: 0-01-01");
	EXPECT(CALL(FN_MAKE_DATE, TYPE_DATE, LIT_INT("2147483647"), LIT_INT("-1"), LIT_INT("1")),
		"ERROR: date field value out of range: 2147483647--1-01");
}

static int64_t random_timestamp(struct rng *rng, int64_t spread_days)
{
	int64_t days = days_from_civil(2024, 1, 1);
	int64_t micros = (int64_t)rng_below(rng, (uint64_t)MICROS_PER_DAY);

	/* Midnight, and the last moment of a day, are where a division goes wrong. */
	if (rng_below(rng, 4) == 0)
		micros = rng_below(rng, 2) ? MICROS_PER_DAY - 1 : 0;
	if (spread_days == 0)
		days = DATE_DAYS_MIN +
		       (int64_t)rng_below(rng, (uint64_t)(DATE_DAYS_MAX - DATE_DAYS_MIN + 1));
	else
		days += (int64_t)rng_below(rng, (uint64_t)spread_days);
	return days * MICROS_PER_DAY + micros;
}

static void check_column(struct fixture *f, struct expr *expr, int64_t (*expected)(int64_t))
{
	struct evaluator *evaluator;
	struct column column;

	assert_int_equal(evaluator_new(&evaluator, expr, &f->err), 0);
	assert_int_equal(evaluator_eval(evaluator, &f->batch, &column, &f->err), 0);
	for (uint32_t k = 0; k < f->batch.selected; k++) {
		uint32_t row = batch_row(&f->batch, k);
		struct value value = column_value(&column, row);
		int64_t got = value.type.kind == TYPE_NUMERIC ? (int64_t)numeric_mantissa(value.num)
							      : value.i64;

		assert_int_equal(got, expected(f->columns[0].i64[row]));
	}
	evaluator_free(evaluator);
}

static int64_t month_start(int64_t timestamp)
{
	struct civil civil = civil_from_days(timestamp_days(timestamp));

	return days_from_civil(civil.year, civil.month, 1) * MICROS_PER_DAY;
}

static int64_t month_of(int64_t timestamp)
{
	return civil_from_days(timestamp_days(timestamp)).month;
}

static int64_t year_of(int64_t timestamp)
{
	int32_t year = civil_from_days(timestamp_days(timestamp)).year;

	return year > 0 ? year : year - 1;
}

static int64_t hour_start(int64_t timestamp)
{
	return timestamp - timestamp_time_of_day(timestamp) % (3600 * MICROS_PER_SECOND);
}

/* The fast ways against the plain ones, over days in order, in a month, and over all years. */
static void test_whole_batches(void **state)
{
	static const int64_t spreads[] = {31, 700, 0};
	struct fixture *f = *state;
	struct expr *ts = expr_column(&f->arena, 0, type_of(TYPE_TIMESTAMP));
	struct rng rng;

	rng_init(&rng, 3);
	for (int turn = 0; turn < 12; turn++) {
		fixture_reset(f);
		column_init(&f->columns[0], type_of(TYPE_TIMESTAMP), BATCH_ROWS_MAX, &f->arena);
		for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
			f->columns[0].i64[i] = random_timestamp(&rng, spreads[turn % 3]);
		f->batch.column_count = 1;
		f->batch.rows = f->batch.selected = BATCH_ROWS_MAX;
		if (turn % 2) {
			f->batch.selected = 0;
			for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
				if (rng_below(&rng, 4) == 0)
					f->sel[f->batch.selected++] = (uint16_t)i;
			f->batch.sel = f->sel;
		}
		check_column(f, CAST(ts, TYPE_TIME), timestamp_time_of_day);
		check_column(f, CAST(ts, TYPE_DATE), timestamp_days);
		check_column(f, DATE_TRUNC("month", ts), month_start);
		check_column(f, DATE_TRUNC("hour", ts), hour_start);
		check_column(f, EXTRACT("month", ts), month_of);
		check_column(f, EXTRACT("year", ts), year_of);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_extract_from_timestamp),
		TEST(test_extract_from_date_and_time),
		TEST(test_date_trunc),
		TEST(test_date_arithmetic),
		TEST(test_whole_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
