#include "unit/exec/exec_fixture.h"

#include "base/rng.h"
#include "exec/table/rowkey.h"

/* Rows encoded with `sort` in front of the full row, in the order given. */
static struct rowkey_entry *encode_rows(struct fixture *f, struct rowkey *key,
	const struct batch *batch, uint32_t sort_count, const struct plan_sort_key *sort)
{
	struct rowkey_entry *entries =
		arena_zalloc(&f->arena, (batch->rows + 1) * sizeof(*entries));
	struct type types[8];
	struct buf buf;

	for (uint32_t c = 0; c < batch->column_count; c++)
		types[c] = batch->columns[c].type;
	rowkey_init(key, batch->column_count, types, 0, NULL, sort_count, sort);
	buf_init(&buf, ROWKEY_SIZE_MAX);
	for (uint32_t row = 0; row < batch->rows; row++) {
		assert_int_equal(rowkey_encode(key, batch, row, &buf, &f->err), 0);
		entries[row].stored = rowkey_store(&f->arena, &buf);
	}
	buf_release(&buf);
	return entries;
}

static const char *decode_text(struct fixture *f, const struct rowkey *key,
	const struct rowkey_entry *entries, uint32_t count)
{
	struct column columns[8];
	struct batch batch = {.rows = count, .selected = count, .column_count = key->column_count};

	batch.columns = columns;
	rowkey_decode(key, entries, count, columns, &f->arena);
	buf_clear(&f->out);
	fixture_emit(&f->sink, &batch, &f->err);
	return fixture_text(f);
}

/* `text` lists rows of one column in ascending order, each strictly below the next. */
static void check_order(const char *type, const char *text)
{
	static const struct plan_sort_key directions[] = {
		{0, false, false}, {0, false, true}, {0, true, false}, {0, true, true}};

	for (size_t d = 0; d < 4; d++) {
		struct fixture f;
		struct batch batch;
		struct rowkey key;
		struct rowkey_entry *entries;

		fixture_init(&f);
		batch = fixture_batch(&f, type, text);
		entries = encode_rows(&f, &key, &batch, 1, &directions[d]);
		for (uint32_t a = 0; a < batch.rows; a++) {
			for (uint32_t b = 0; b < batch.rows; b++) {
				int order = rowkey_compare(entries[a].stored, entries[b].stored);
				int expected = (a > b) - (a < b);

				if (directions[d].descending)
					expected = -expected;
				assert_int_equal((order > 0) - (order < 0), expected);
			}
		}
		assert_string_equal(decode_text(&f, &key, entries, batch.rows), text);
		rowkey_release(&key);
		fixture_release(&f);
	}
}

static void test_order_of_types(void **state)
{
	(void)state;
	check_order("b", "f\nt\n");
	check_order("l", "-9223372036854775808\n-256\n-1\n0\n1\n255\n256\n9223372036854775807\n");
	check_order("d",
		"-Infinity\n-1e+300\n-1.5\n-1e-320\n0\n1e-320\n0.1\n1\n1e+300\nInfinity\nNaN\n");
	check_order("n",
		"-99999999999999999999999999999999999\n-100\n-99.99\n-12\n-1.234\n-1.23\n-1.2\n-0."
		"5\n"
		"-0.00000000000000000000000000000000001\n0\n"
		"0.00000000000000000000000000000000001\n0.0001\n0.01\n0.012\n0.1\n0.99\n1\n1.01\n1."
		"1\n"
		"9\n10\n11\n99.9\n100\n123456789\n12345678901234567890\n12345678901234567890.5\n"
		"99999999999999999999999999999999999\n");
	check_order("D", "0001-01-01\n1969-12-31\n1970-01-01\n9999-12-31\n");
	check_order("t", "\na\naa\nab\nabcdefghijklmnop\nb\nñ\n");
	check_order("a", "{}\n{a}\n{a,a}\n{a,b}\n{aa}\n{b}\n");
}

static void test_zero_bytes(void **state)
{
	static const struct plan_sort_key sort[] = {{0, true, false}};
	struct text texts[] = {{"", 0, 0}, {"\0", 1, 0}, {"\0\0", 2, 0}, {"\0\001", 2, 0},
		{"\0\377", 2, 0}, {"\001", 1, 0}, {"a", 1, 0}, {"a\0", 2, 0}, {"a\0b", 3, 0},
		{"a\001", 2, 0}, {"\377\376\377", 3, 0}, {"\377\377", 2, 0}};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	for (uint32_t sorted = 0; sorted < 2; sorted++) {
		struct column column = {.type = type_of(TYPE_TEXT), .text = texts}, decoded;
		struct batch batch = {.rows = COUNT, .selected = COUNT, .column_count = 1};
		struct rowkey key;
		struct rowkey_entry *entries;

		batch.columns = &column;
		entries = encode_rows(&f, &key, &batch, sorted, sort);
		for (uint32_t i = 0; i + 1 < COUNT; i++) {
			int order = rowkey_compare(entries[i].stored, entries[i + 1].stored);

			assert_true(sorted ? order > 0 : order < 0);
		}
		rowkey_decode(&key, entries, COUNT, &decoded, &f.arena);
		for (uint32_t i = 0; i < COUNT; i++)
			assert_int_equal(text_compare(decoded.text[i], texts[i]), 0);
		rowkey_release(&key);
	}
	fixture_release(&f);
}

static void test_nulls(void **state)
{
	static const struct plan_sort_key first[] = {{0, true, true}, {1, false, true}};
	struct fixture f;
	struct batch batch;
	struct rowkey key;
	struct rowkey_entry *entries;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(
		&f, "ltna", "NULL|NULL|NULL|NULL\n5|NULL|1.0|{a,NULL}\n5|a|NULL|{}\n");
	entries = encode_rows(&f, &key, &batch, 2, first);
	assert_true(rowkey_compare(entries[0].stored, entries[1].stored) < 0);
	assert_true(rowkey_compare(entries[1].stored, entries[2].stored) < 0);
	assert_string_equal(decode_text(&f, &key, entries, 3),
		"NULL|NULL|NULL|NULL\n5|NULL|1.0|{a,NULL}\n5|a|NULL|{}\n");
	rowkey_release(&key);
	/* Without sort keys NULLs come last. */
	entries = encode_rows(&f, &key, &batch, 0, NULL);
	assert_true(rowkey_compare(entries[0].stored, entries[1].stored) > 0);
	assert_true(rowkey_compare(entries[1].stored, entries[2].stored) > 0);
	rowkey_release(&key);
	fixture_release(&f);
}

/* 1.0 and 1.00 are peers: the next sort key decides, and each is read back as it was. */
static void test_equal_values_are_peers(void **state)
{
	static const struct plan_sort_key sort[] = {{0, false, false}, {1, false, false}};
	struct fixture f;
	struct batch batch;
	struct rowkey key;
	struct rowkey_entry *entries;
	size_t prefix;

	(void)state;
	fixture_init(&f);
	batch = fixture_batch(&f, "nd", "1.00|0\n1.0|0\n1|5\n1.000|-0\n");
	entries = encode_rows(&f, &key, &batch, 2, sort);
	prefix = rowkey_prefix_size(&key, entries[0].stored, 2);
	assert_true(rowkey_same_prefix(entries[1].stored, entries[0].stored, prefix));
	assert_true(rowkey_same_prefix(entries[3].stored, entries[0].stored, prefix));
	assert_false(rowkey_same_prefix(entries[2].stored, entries[0].stored, prefix));
	assert_true(rowkey_compare(entries[1].stored, entries[0].stored) < 0);
	assert_true(rowkey_compare(entries[0].stored, entries[2].stored) < 0);
	assert_string_equal(decode_text(&f, &key, entries, 4), "1.00|0\n1.0|0\n1|5\n1.000|-0\n");
	rowkey_release(&key);
	fixture_release(&f);
}

static void test_abbreviations(void **state)
{
	static const struct plan_sort_key directions[] = {{0, false, false}, {0, true, true}};
	static const struct {
		const char *type, *text;
	} cases[] = {
		{"l", "-5\n-4\n-4\n0\n7\nNULL\n"},
		{"d", "-Infinity\n-1\n-0\n0\n2\nNaN\nNULL\n"},
		{"n", "-99999999999999999999999999999\n-1.5\n-1.00001\n-1\n0\n0.00001\n0.5\n0."
		      "50\n3\n"
		      "1e20\n1e30\nNULL\n"},
		{"t", "\na\nabcdefgh\nabcdefghi\nabd\nNULL\n"},
		{"b", "f\nt\nNULL\n"},
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		const struct plan_sort_key *sort = &directions[i % 2];
		struct fixture f;
		struct batch batch;
		struct rowkey key;
		struct rowkey_entry *entries;
		uint64_t numbers[16];

		fixture_init(&f);
		batch = fixture_batch(&f, cases[i / 2].type, cases[i / 2].text);
		entries = encode_rows(&f, &key, &batch, 1, sort);
		rowkey_abbreviate(&key.fields[0], &batch, numbers);
		for (uint32_t a = 0; a < batch.rows; a++) {
			for (uint32_t b = 0; b < batch.rows; b++) {
				if (rowkey_compare(entries[a].stored, entries[b].stored) < 0)
					assert_true(numbers[a] <= numbers[b] ||
						    cases[i / 2].type[0] == 'd');
			}
		}
		/* -0 and 0 are peers: neither may be refused for the other. */
		if (cases[i / 2].type[0] == 'd')
			assert_true(numbers[2] == numbers[3]);
		rowkey_release(&key);
		fixture_release(&f);
	}
}

/* Keys of every length and with long common parts, from few to many of them. */
static void test_sort(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 9, 100, 257, 5000, 40000};
	struct rng rng;

	(void)state;
	rng_init(&rng, 3);
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		size_t count = sizes[s];
		struct rowkey_entry *entries = calloc(count + 1, sizeof(*entries));
		struct arena arena;
		struct buf buf;
		uint64_t sum = 0, sum_after = 0;

		arena_init(&arena, 1u << 16);
		buf_init(&buf, 1u << 20);
		for (size_t i = 0; i < count; i++) {
			uint64_t kind = rng_below(&rng, 4);

			buf_clear(&buf);
			buf_printf(&buf, "%s", kind == 0 ? "" : "a long part that many share ");
			buf_printf(
				&buf, "%0*u", kind == 1 ? 3 : 12, (unsigned)rng_below(&rng, 900));
			if (kind == 3)
				buf_printf(&buf, " and one more %u", (unsigned)rng_below(&rng, 50));
			buf_append(&buf, "\0\001", 2);
			entries[i].stored = rowkey_store(&arena, &buf);
			sum += (uintptr_t)entries[i].stored;
		}
		rowkey_sort(entries, count, NULL);
		for (size_t i = 0; i < count; i++) {
			sum_after += (uintptr_t)entries[i].stored;
			if (i > 0)
				assert_true(rowkey_compare(
						    entries[i - 1].stored, entries[i].stored) <= 0);
		}
		assert_true(sum == sum_after);
		buf_release(&buf);
		arena_release(&arena);
		free(entries);
	}
}

static void test_too_long(void **state)
{
	struct text huge = text_from("x", 1u << 31);
	struct column column = {.type = type_of(TYPE_TEXT), .text = &huge};
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 1, .columns = &column};
	struct rowkey key;
	struct buf buf;
	struct error err;

	(void)state;
	rowkey_init(&key, 1, &column.type, 0, NULL, 0, NULL);
	buf_init(&buf, ROWKEY_SIZE_MAX);
	assert_int_equal(rowkey_encode(&key, &batch, 0, &buf, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	buf_release(&buf);
	rowkey_release(&key);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_types),
		cmocka_unit_test(test_zero_bytes),
		cmocka_unit_test(test_nulls),
		cmocka_unit_test(test_equal_values_are_peers),
		cmocka_unit_test(test_abbreviations),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
