#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/rng.h"
#include "column/datetime.h"
#include "csv/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 16

static const char *const names[COLUMNS_MAX] = {
	"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"};

/* What became of a text: its rows as "1|x|NULL\n", a field that could not be read as "!". */
struct decoded {
	struct buf rows;
	struct csv_tally tally;
	uint64_t lines;
	uint32_t bad;
};

static void decoded_release(struct decoded *decoded)
{
	buf_release(&decoded->rows);
	csv_tally_release(&decoded->tally);
}

static void render(struct decoded *out, const struct batch *batch, const struct csv_bad *bad,
	uint32_t bad_count)
{
	uint32_t next = 0;

	for (uint32_t row = 0; row < batch->rows; row++) {
		for (uint32_t c = 0; c < batch->column_count; c++) {
			struct value value = column_value(&batch->columns[c], row);

			if (c > 0)
				buf_append_char(&out->rows, '|');
			if (next < bad_count && bad[next].row == row && bad[next].column == c) {
				assert_true(value.is_null);
				buf_append_char(&out->rows, '!');
				next++;
			} else if (value.is_null) {
				buf_append_text(&out->rows, "NULL");
			} else {
				value_format(&value, &out->rows);
			}
		}
		buf_append_char(&out->rows, '\n');
	}
	assert_int_equal(next, bad_count); /* they came in order, and all in this batch */
	out->bad += bad_count;
}

static void decode(struct decoded *out, const char *text, size_t size,
	const struct csv_layout *layout, enum csv_isa isa)
{
	struct csv_decoder *decoder = csv_decoder_new(layout, isa);
	struct csv_chunk chunk = {.data = malloc(size + CSV_SCAN_PADDING), .size = (uint32_t)size};
	const struct csv_bad *bad;
	uint32_t bad_count;
	struct batch batch;

	memset(out, 0, sizeof(*out));
	buf_init(&out->rows, 64u << 20);
	csv_tally_init(&out->tally, 100);
	memcpy(chunk.data, text, size);
	memset(chunk.data + size, '0', CSV_SCAN_PADDING);
	csv_decoder_start(decoder, NULL, &chunk, &out->tally);
	while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
		assert_true(batch.rows > 0 && batch.rows <= BATCH_ROWS_MAX);
		assert_null(batch.sel);
		assert_int_equal(batch.selected, batch.rows);
		render(out, &batch, bad, bad_count);
	}
	out->lines = csv_decoder_lines(decoder);
	csv_decoder_free(decoder);
	free(chunk.data);
	buf_append_char(&out->rows, '\0');
	assert_false(buf_overflowed(&out->rows));
}

/* All fields of the text are wanted, in their order. */
static struct csv_layout layout_of(const enum type_kind *kinds, uint32_t count)
{
	static const uint32_t fields[COLUMNS_MAX] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	static struct type types[COLUMNS_MAX];

	for (uint32_t i = 0; i < count; i++)
		types[i] = type_of(kinds[i]);
	return (struct csv_layout){
		.field_count = count,
		.column_count = count,
		.fields = fields,
		.types = types,
		.names = names,
		.format = csv_format_default(),
	};
}

/* Decodes on every instruction set and compares the rows. */
static void check(const struct csv_layout *layout, const char *text, const char *rows)
{
	for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
		struct decoded out;

		if (!csv_isa_supported(isa))
			continue;
		decode(&out, text, strlen(text), layout, isa);
		assert_string_equal(out.rows.data, rows);
		decoded_release(&out);
	}
}

#define KINDS(...) ((const enum type_kind[]){__VA_ARGS__})
#define LAYOUT(...) \
	layout_of(KINDS(__VA_ARGS__), sizeof(KINDS(__VA_ARGS__)) / sizeof(enum type_kind))

static void test_integers(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT);

	(void)state;
	check(&layout, "1\n12\n123\n1234\n12345\n123456\n1234567\n12345678\n123456789\n0\n",
		"1\n12\n123\n1234\n12345\n123456\n1234567\n12345678\n123456789\n0\n");
	check(&layout, "-1\n-12345678\n+7\n007\n 8 \n9223372036854775807\n-9223372036854775808\n",
		"-1\n-12345678\n7\n7\n8\n9223372036854775807\n-9223372036854775808\n");
	check(&layout, "17272.0\n1.0\n\n2114580.0\n12345678.0\n5.00\n-3.0\n4.000 \n",
		"17272\n1\nNULL\n2114580\n12345678\n5\n-3\n4\n");
	check(&layout, "x\n1.5\n.0\n5.\n-\n1e3\n9223372036854775808\n1 2\n.\n1.0.0\n",
		"!\n!\n!\n!\n!\n!\n!\n!\n!\n!\n");
	layout = LAYOUT(TYPE_INT);
	check(&layout, "2147483647\n2147483648\n-2147483648\n-2147483649\n7\nx\n",
		"2147483647\n!\n-2147483648\n!\n7\n!\n");
}

static void test_ragged(void **state)
{
	static const char text[] =
		"1,a,x\r\n2,b\r\n3\r\n4,d,y,\r\n5,e,z,more\r\n6,\"f\"\r\n\"7\"\r\n8";
	struct csv_layout layout = LAYOUT(TYPE_BIGINT, TYPE_TEXT, TYPE_TEXT);

	(void)state;
	check(&layout, text, "1|a|x\n");
	layout.ragged = CSV_RAGGED_PAD;
	check(&layout, text,
		"1|a|x\n2|b|NULL\n3|NULL|NULL\n4|d|y\n6|f|NULL\n7|NULL|NULL\n8|NULL|NULL\n");
	layout.ragged = CSV_RAGGED_CUT;
	check(&layout, text,
		"1|a|x\n2|b|NULL\n3|NULL|NULL\n4|d|y\n5|e|z\n6|f|NULL\n7|NULL|NULL\n8|NULL|NULL\n");
	/* What a record does not have is NULL even where an empty field is none. */
	layout.null_count = 1;
	layout.nulls = (const char *const[]){"NA"};
	check(&layout, "1,,NA\n2\n", "1||NULL\n2|NULL|NULL\n");
}

static void test_numerics(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_NUMERIC);
	struct type fixed = {TYPE_NUMERIC, 5, 2};

	(void)state;
	check(&layout,
		"24.5\n131.255\n0.0\n78.00\n7\n12345678\n1234.567\n12345.678\n-1.5\n\n.5\n5.\n",
		"24.5\n131.255\n0.0\n78.00\n7\n12345678\n1234.567\n12345.678\n-1.5\nNULL\n0."
		"5\n5\n");
	check(&layout, ".\n1.2.3\n-\nx\n1,\n", "!\n!\n!\n!\n");
	check(&layout, "1e2\n1.5e-3\n12345678901234567890123.45\n",
		"100\n0.0015\n12345678901234567890123.45\n");
	layout.types = &fixed;
	check(&layout, "1.005\n999.99\n999.995\n1000\n7\n-1.115\n\n",
		"1.01\n999.99\n!\n!\n7.00\n-1.12\nNULL\n");
}

static void test_doubles(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_DOUBLE);

	(void)state;
	check(&layout,
		"0.1\n-34.603722\n1e300\n-0.0\n\n123456789012345678\nNaN\n0.30000000000000004\nx\n",
		"0.1\n-34.603722\n1e+300\n-0\nNULL\n1.2345678901234568e+17\nNaN\n0."
		"30000000000000004\n!\n");
}

static void test_dates_and_times(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_DATE, TYPE_TIME, TYPE_TIMESTAMP);

	(void)state;
	check(&layout,
		"2024-02-29,07:00:00,2024-02-29 23:59:59\n"
		"2023-02-29,25:00,2023-02-29 00:00:00\n"
		",,\n"
		"0001-01-01,06:30,2024-01-01T07:00:00.5\n"
		"9999-12-31,00:00:00.25,9999-12-31\n",
		"2024-02-29|07:00:00|2024-02-29 23:59:59\n"
		"!|!|!\n"
		"NULL|NULL|NULL\n"
		"0001-01-01|06:30:00|2024-01-01 07:00:00.5\n"
		"9999-12-31|00:00:00.25|9999-12-31 00:00:00\n");
	layout = LAYOUT(TYPE_DATE);
	check(&layout,
		"2024-13-01\n2024-99-01\n2024-00-01\n2024-01-00\n2024-04-31\n0000-01-01\n"
		"1900-02-29\n2000-02-29\n2024-12-32\n2024-01-3x\n",
		"!\n!\n!\n!\n!\n!\n!\n2000-02-29\n!\n!\n");
	layout = LAYOUT(TYPE_TIMESTAMP);
	/* Eight in a row, all of them wrong in one place, then eight of which some are right. */
	check(&layout,
		"2024-01-01 24:01:00\n2024-01-01 23:60:00\n2024-01-01 23:59:61\n2024-13-01 "
		"00:00:00\n"
		"2024-00-01 00:00:00\n2024-01-00 00:00:00\n2024-04-31 00:00:00\n0000-01-01 "
		"00:00:00\n",
		"!\n!\n!\n!\n!\n!\n!\n!\n");
	check(&layout,
		"2024-01-01 00:00:0x\n2024-01-01 00:00:01\n\n2024/01/01 00:00:03\n2024-01-01 "
		"00:00:04\n"
		"2024-01-01T00:00:05\n2024-01-32 00:00:06\n2024-01-01 00:00 07\n",
		"!\n2024-01-01 00:00:01\nNULL\n!\n2024-01-01 00:00:04\n2024-01-01 "
		"00:00:05\n!\n!\n");
}

/* Every calendar rule, against the general reader of the column layer. */
static void test_all_days(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TIMESTAMP, TYPE_DATE);
	struct csv_decoder *decoder = csv_decoder_new(&layout, csv_isa_detect());
	struct csv_tally tally;
	struct buf text;
	int64_t day = DATE_DAYS_MIN;
	uint64_t seen = 0;

	(void)state;
	buf_init(&text, 1u << 20);
	csv_tally_init(&tally, 0);
	while (day <= DATE_DAYS_MAX) {
		int64_t first = day;
		const struct csv_bad *bad;
		uint32_t bad_count;
		struct csv_chunk chunk = {0};
		struct batch batch;

		buf_clear(&text);
		for (int i = 0; i < 2000 && day <= DATE_DAYS_MAX; i++, day += 11) {
			char line[DATETIME_TEXT_MAX];
			int64_t micros = day * MICROS_PER_DAY +
					 (day - DATE_DAYS_MIN) % 86400 * MICROS_PER_SECOND;

			buf_append(&text, line, timestamp_format(micros, line));
			buf_append_char(&text, ',');
			buf_append(&text, line, date_format(day, line));
			buf_append_char(&text, '\n');
		}
		chunk.size = (uint32_t)text.size;
		chunk.data = buf_reserve(&text, CSV_SCAN_PADDING) - text.size;
		csv_decoder_start(decoder, NULL, &chunk, &tally);
		while (csv_decoder_next(decoder, &batch, &bad, &bad_count)) {
			assert_int_equal(bad_count, 0);
			for (uint32_t i = 0; i < batch.rows; i++, first += 11, seen++) {
				assert_int_equal(batch.columns[0].i64[i],
					first * MICROS_PER_DAY + (first - DATE_DAYS_MIN) % 86400 *
									 MICROS_PER_SECOND);
				assert_int_equal(batch.columns[1].i64[i], first);
			}
		}
	}
	assert_int_equal(seen, (DATE_DAYS_MAX - DATE_DAYS_MIN) / 11 + 1);
	assert_int_equal(tally.rejects, 0);
	csv_tally_release(&tally);
	buf_release(&text);
	csv_decoder_free(decoder);
}

static void test_booleans(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BOOL);

	(void)state;
	check(&layout, "true\nFalse\nTRUE\nfalse\nt\nf\n1\n0\nYes\nno\n\nmaybe\nfalsy\ntrue1\n",
		"t\nf\nt\nf\nt\nf\nt\nf\nt\nf\nNULL\n!\n!\n!\n");
}

static void test_texts(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TEXT, TYPE_TEXT);

	(void)state;
	check(&layout, "a,b\n,x\n\"\",\"y\"\n", "a|b\nNULL|x\n|y\n");
	check(&layout, "\"a,b\",\"c\nd\"\n\"say \"\"hi\"\"\",\"\"\"\"\n",
		"a,b|c\nd\nsay \"hi\"|\"\n");
	check(&layout, "a\"b,c\"\"d\n x , y \n", "a\"b|c\"\"d\n x | y \n");
	check(&layout, "h\xc3\xa9,\xff\xfe\n", "h\xc3\xa9|\xff\xfe\n");
}

static void test_lists(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TEXT_LIST, TYPE_BIGINT);

	(void)state;
	check(&layout, "\"{a,\"\"b c\"\"}\",1\n{},2\n,3\n\"{a,b\",4\n{x},5\n",
		"{a,\"b c\"}|1\n{}|2\nNULL|3\n!|4\n{x}|5\n");
}

static void test_quoted_values(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT, TYPE_NUMERIC, TYPE_TIMESTAMP, TYPE_BOOL);

	(void)state;
	check(&layout,
		"\"5\",\"24.5\",\"2024-01-01 07:00:00\",\"true\"\n"
		"5,24.5,2024-01-01 07:00:00,false\n"
		"\"\",\"\",\"\",\"\"\n"
		"\"17.0\",\"x\",\"2024\",\"\"\"\"\n",
		"5|24.5|2024-01-01 07:00:00|t\n"
		"5|24.5|2024-01-01 07:00:00|f\n"
		"NULL|NULL|NULL|NULL\n"
		"17|!|!|!\n");
}

static void test_null_text(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TEXT, TYPE_BIGINT, TYPE_TEXT_LIST, TYPE_TIMESTAMP);

	(void)state;
	layout.null_count = 1;
	layout.nulls = (const char *const[]){"NULL"};
	check(&layout,
		"NULL,NULL,NULL,NULL\n"
		"\"NULL\",\"\",\"\",\"\"\n"
		",,,\n"
		"x,\"NULL\",{a},2024-01-01\n",
		"NULL|NULL|NULL|NULL\n"
		"NULL|NULL|NULL|NULL\n"
		"|!|!|!\n"
		"x|!|{a}|2024-01-01 00:00:00\n");
}

/* "NULL" in quotes is a text, whatever the row above prints like. */
static void test_quoted_null_text(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TEXT, TYPE_TEXT);
	struct csv_decoder *decoder;
	struct csv_chunk chunk = {.size = 14};
	const struct csv_bad *bad;
	uint32_t bad_count;
	struct csv_tally tally;
	struct batch batch;

	(void)state;
	layout.null_count = 1;
	layout.nulls = (const char *const[]){"NA"};
	chunk.data = calloc(1, chunk.size + CSV_SCAN_PADDING);
	memcpy(chunk.data, "\"NA\",NA\nNA,\"\"\n", chunk.size);
	csv_tally_init(&tally, 0);
	decoder = csv_decoder_new(&layout, csv_isa_detect());
	csv_decoder_start(decoder, NULL, &chunk, &tally);
	assert_true(csv_decoder_next(decoder, &batch, &bad, &bad_count));
	assert_false(column_is_null(&batch.columns[0], 0));
	assert_true(column_is_null(&batch.columns[1], 0));
	assert_true(column_is_null(&batch.columns[0], 1));
	assert_false(column_is_null(&batch.columns[1], 1));
	assert_int_equal(batch.columns[0].text[0].size, 2);
	csv_decoder_free(decoder);
	csv_tally_release(&tally);
	free(chunk.data);
}

static void test_line_ends(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_TEXT, TYPE_BIGINT);

	(void)state;
	check(&layout, "a,1\r\nb,2\r\nc,\r\n", "a|1\nb|2\nc|NULL\n");
	check(&layout, "a,1\nb,2\r\nc,\r\nd,4\n", "a|1\nb|2\nc|NULL\nd|4\n");
	check(&layout, "a,1\r\nb,2\nc,3\r", "a|1\nb|2\nc|3\n");
	check(&layout, "\"a\",\"1\"\r\n\"b\",\"2\"\r\n\"c\",\"3\"\r", "a|1\nb|2\nc|3\n");
	check(&layout, "a,1\nb,2", "a|1\nb|2\n");
	check(&layout, "\n\na,1\n\r\n\nb,2\n\n", "a|1\nb|2\n");
	check(&layout, "", "");
	check(&layout, "\n\r\n", "");
	layout = LAYOUT(TYPE_BIGINT, TYPE_TEXT);
	check(&layout, "1,a\r\n2,b\n3,\r\n4,\"\"\r\n", "1|a\n2|b\n3|NULL\n4|\n");
	check(&layout, "1,a\r\n2,b\n3,\r\n", "1|a\n2|b\n3|NULL\n");
}

static void test_single_column_blank_lines(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT);

	(void)state;
	check(&layout, "1\n\n2\r\n\r\n3", "1\nNULL\n2\nNULL\n3\n");
}

static void test_only_wanted_columns(void **state)
{
	static const uint32_t fields[] = {3, 1};
	static const struct type types[] = {
		{TYPE_BIGINT, NUMERIC_ANY, NUMERIC_ANY}, {TYPE_TEXT, NUMERIC_ANY, NUMERIC_ANY}};
	struct csv_layout layout = {.field_count = 4,
		.column_count = 2,
		.fields = fields,
		.types = types,
		.names = names,
		.format = csv_format_default()};

	(void)state;
	check(&layout, "x,a,x,1\nx,b,x,2\n", "1|a\n2|b\n");
	/* Nothing wanted: rows alone are counted. */
	layout.column_count = 0;
	check(&layout, "x,a,x,1\nx,b\nx,b,x,2\n", "\n\n");
}

static void test_rejects(void **state)
{
	static const char text[] = "1,a\n"
				   "2,b,c\n"
				   "3\n"
				   "\n"
				   "x,\"d\ne\"\n"
				   "\"4\"z,f\n"
				   "y,z,\"w\"\n"
				   "5,g\n"
				   "6,\"open\n7,h\n";
	static const struct {
		uint64_t line;
		const char *column;
		const char *reason;
		const char *sample;
	} expected[] = {
		{1, NULL, "3 fields instead of 2", "2,b,c"},
		{2, NULL, "1 field instead of 2", "3"},
		{6, NULL, "text after a closing quote", "\"4\"z,f"},
		{7, NULL, "3 fields instead of 2", "y,z,\"w\""},
		{9, NULL, "quoted field is not closed", "6,\"open\n7,h\n"},
		{4, "a", "not an integer", "x"},
	};
	struct csv_layout layout = LAYOUT(TYPE_BIGINT, TYPE_TEXT);

	(void)state;
	for (int isa = CSV_ISA_PORTABLE; isa <= CSV_ISA_BEST; isa++) {
		struct decoded out;

		if (!csv_isa_supported(isa))
			continue;
		decode(&out, text, sizeof(text) - 1, &layout, isa);
		assert_string_equal(out.rows.data, "1|a\n!|d\ne\n5|g\n");
		assert_int_equal(out.tally.rows, 8);
		assert_int_equal(out.tally.rejects, 6);
		assert_int_equal(out.lines, 11);
		assert_int_equal(out.tally.kept_count, 6);
		for (size_t i = 0; i < 6; i++) {
			const struct csv_reject *reject = &out.tally.kept[i];

			assert_int_equal(reject->line, expected[i].line);
			assert_string_equal(reject->reason, expected[i].reason);
			assert_string_equal(reject->sample, expected[i].sample);
			assert_int_equal(reject->column != NULL, expected[i].column != NULL);
			if (reject->column)
				assert_string_equal(reject->column, expected[i].column);
		}
		decoded_release(&out);
	}
}

/* A row with several bad fields is one reject, and bad fields come row by row. */
static void test_bad_fields_in_order(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT, TYPE_DATE, TYPE_NUMERIC);
	struct decoded out;
	struct buf text;
	uint64_t rejects = 0;

	(void)state;
	buf_init(&text, 1u << 20);
	for (int i = 0; i < 5000; i++) {
		buf_printf(&text, "%s,%s,%s\n", i % 7 ? "1" : "x", i % 5 ? "2024-01-01" : "y",
			i % 3 ? "1.5" : "z");
		rejects += i % 7 == 0 || i % 5 == 0 || i % 3 == 0;
	}
	decode(&out, text.data, text.size, &layout, csv_isa_detect());
	assert_int_equal(out.bad, 715 + 1000 + 1667);
	assert_int_equal(out.tally.rows, 5000);
	assert_int_equal(out.tally.rejects, rejects);
	assert_int_equal(out.tally.kept_count, 100);
	assert_int_equal(out.tally.kept[3].line, 3);
	decoded_release(&out);
	buf_release(&text);
}

static void test_long_sample_is_shortened(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT);
	struct decoded out;
	char text[200];

	(void)state;
	memset(text, 'x', sizeof(text));
	decode(&out, text, sizeof(text), &layout, csv_isa_detect());
	assert_int_equal(out.tally.kept_count, 1);
	assert_int_equal(strlen(out.tally.kept[0].sample), CSV_SAMPLE_MAX);
	decoded_release(&out);
}

static void test_very_wide_record(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT, TYPE_TEXT);
	struct decoded out;
	struct buf text;

	(void)state;
	buf_init(&text, 1u << 20);
	buf_append_text(&text, "1,a\n");
	for (int i = 0; i < 20000; i++)
		buf_append_char(&text, ',');
	buf_append_text(&text, "\n2,b\n");
	decode(&out, text.data, text.size, &layout, csv_isa_detect());
	assert_string_equal(out.rows.data, "1|a\n2|b\n");
	assert_int_equal(out.tally.rejects, 1);
	assert_non_null(strstr(out.tally.kept[0].reason, "at least "));
	decoded_release(&out);
	buf_release(&text);
}

static void test_oversized_records_are_counted(void **state)
{
	struct csv_layout layout = LAYOUT(TYPE_BIGINT);
	struct csv_decoder *decoder = csv_decoder_new(&layout, csv_isa_detect());
	struct csv_chunk chunk = {.size = 2, .oversized = true, .oversized_lines = 5};
	const struct csv_bad *bad;
	uint32_t bad_count;
	struct csv_tally tally;
	struct batch batch;

	(void)state;
	chunk.data = calloc(1, 2 + CSV_SCAN_PADDING);
	memcpy(chunk.data, "1\n", 2);
	csv_tally_init(&tally, 10);
	csv_decoder_start(decoder, NULL, &chunk, &tally);
	assert_true(csv_decoder_next(decoder, &batch, &bad, &bad_count));
	assert_false(csv_decoder_next(decoder, &batch, &bad, &bad_count));
	assert_int_equal(tally.rows, 2);
	assert_int_equal(tally.rejects, 1);
	assert_string_equal(tally.kept[0].reason, "longer than 64 MB");
	assert_int_equal(csv_decoder_lines(decoder), 6);
	csv_tally_release(&tally);
	csv_decoder_free(decoder);
	free(chunk.data);
}

/* Random fields that look like values: all instruction sets read the same. */
static void test_random_fields(void **state)
{
	static const char *const forms[] = {"%d", "%d.0", "-%d", "%d.%d", ".%d", "%d.", "%d%d%d",
		"%d.%d.%d", "2024-%02d-%02d %02d:00:00", "20%02d-%02d-1%d 07:%02d:00", "\"%d\"",
		"%d\r", " %d", "x%d", "", "%d.00", "%de2", "true"};
	struct csv_layout layout =
		LAYOUT(TYPE_BIGINT, TYPE_INT, TYPE_NUMERIC, TYPE_DOUBLE, TYPE_TIMESTAMP, TYPE_BOOL);
	struct buf text;
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	buf_init(&text, 1u << 20);
	for (int turn = 0; turn < 200; turn++) {
		struct decoded portable, best;
		uint64_t forms_count = turn % 2 ? 18 : 4;

		buf_clear(&text);
		for (int i = 0; i < 1800; i++) {
			const char *form = forms[rng_below(&rng, forms_count)];
			int digits = (int)rng_below(&rng, 1u << rng_below(&rng, 30));

			if (form[0] == '\"' && turn % 4 == 1)
				form = "%d";
			buf_printf(&text, form, digits, (int)rng_below(&rng, 99),
				(int)rng_below(&rng, 25), (int)rng_below(&rng, 70));
			buf_append_char(&text, i % 6 == 5 ? '\n' : ',');
		}
		decode(&portable, text.data, text.size, &layout, CSV_ISA_PORTABLE);
		decode(&best, text.data, text.size, &layout, csv_isa_detect());
		assert_string_equal(portable.rows.data, best.rows.data);
		assert_int_equal(portable.tally.rejects, best.tally.rejects);
		decoded_release(&portable);
		decoded_release(&best);
	}
	buf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_ragged),
		cmocka_unit_test(test_numerics),
		cmocka_unit_test(test_doubles),
		cmocka_unit_test(test_dates_and_times),
		cmocka_unit_test(test_all_days),
		cmocka_unit_test(test_booleans),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_quoted_values),
		cmocka_unit_test(test_null_text),
		cmocka_unit_test(test_quoted_null_text),
		cmocka_unit_test(test_line_ends),
		cmocka_unit_test(test_single_column_blank_lines),
		cmocka_unit_test(test_only_wanted_columns),
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_bad_fields_in_order),
		cmocka_unit_test(test_long_sample_is_shortened),
		cmocka_unit_test(test_very_wide_record),
		cmocka_unit_test(test_oversized_records_are_counted),
		cmocka_unit_test(test_random_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
