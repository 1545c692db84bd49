#include "base/buf.h"
#include "column/datetime.h"
#include "gen/gen.h"

#include <ctype.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE	    (1u << 20)
#define FIELDS_MAX  16
#define FILE_MAX    (4u << 20)
#define MONTHS	    24
#define FIRST_MONTH 6 /* July 2023 */

static char root[64];

static int remove_entry(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
	(void)info;
	(void)flag;
	(void)walk;
	return remove(path);
}

static int setup(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/tamiz-test-gen-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *path_of(const char *format, ...) PRINTF_LIKE(1, 2);
static const char *path_of(const char *format, ...)
{
	static char path[4][256];
	static unsigned turn;
	char *out = path[turn++ % 4];
	va_list args;
	int size = snprintf(out, 256, "%s/", root);

	va_start(args, format);
	vsnprintf(out + size, 256 - (size_t)size, format, args);
	va_end(args);
	return out;
}

/* The whole file, terminated; freed by the caller. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text;

	if (!file)
		fail_msg("cannot open %s", path);
	text = malloc(FILE_MAX);
	assert_non_null(text);
	*size = fread(text, 1, FILE_MAX - 1, file);
	text[*size] = 0;
	fclose(file);
	return text;
}

static struct gen_report generate(const char *name, uint64_t seed, uint32_t threads, bool quoted)
{
	struct gen_report report;
	struct error err;
	struct gen_options options = {.folder = path_of("%s", name),
		.size = SIZE,
		.seed = seed,
		.threads = threads,
		.quoted = quoted};

	if (gen_coffee(&options, &report, &err))
		fail_msg("%s", err.message);
	return report;
}

static void assert_same_file(const char *a, const char *b, bool same)
{
	size_t a_size, b_size;
	char *a_text = read_file(a, &a_size);
	char *b_text = read_file(b, &b_size);

	assert_int_equal(a_size == b_size && memcmp(a_text, b_text, a_size) == 0, same);
	free(a_text);
	free(b_text);
}

static void month_name(unsigned index, char name[16])
{
	unsigned ordinal = FIRST_MONTH + index;

	snprintf(name, 16, "%04u%02u", 2023 + ordinal / 12, ordinal % 12 + 1);
}

static void test_same_bytes_for_any_threads(void **state)
{
	struct gen_report one = generate("one", 7, 1, false);
	struct gen_report many = generate("many", 7, 5, false);

	(void)state;
	generate("other", 8, 1, false);
	assert_memory_equal(&one, &many, sizeof(one));
	for (unsigned i = 0; i < MONTHS; i++) {
		static const char *const tables[] = {"transactions", "transaction_items", "users"};
		char month[16];

		month_name(i, month);
		for (unsigned t = 0; t < 3; t++) {
			const char *a = path_of("one/%s/%s_%s.csv", tables[t], tables[t], month);
			const char *b = path_of("many/%s/%s_%s.csv", tables[t], tables[t], month);
			const char *c = path_of("other/%s/%s_%s.csv", tables[t], tables[t], month);

			assert_same_file(a, b, true);
			assert_same_file(a, c, false);
		}
	}
	assert_same_file(path_of("one/stores/stores.csv"), path_of("many/stores/stores.csv"), true);
	assert_same_file(path_of("one/menu_items/menu_items.csv"),
		path_of("many/menu_items/menu_items.csv"), true);
}

/* Splits a line without quotes in place. */
static unsigned split(char *line, char *fields[FIELDS_MAX])
{
	unsigned count = 0;

	for (char *start = line; start && count < FIELDS_MAX;) {
		fields[count++] = start;
		start = strchr(start, ',');
		if (start)
			*start++ = 0;
	}
	return count;
}

/* "45.5" in thousandths; the text must be as short as it can be. */
static long money(const char *text)
{
	const char *point = strchr(text, '.');
	size_t decimals;
	long value;

	assert_non_null(point);
	decimals = strlen(point + 1);
	assert_in_range(decimals, 1, 3);
	assert_true(decimals == 1 || point[decimals] != '0');
	value = strtol(text, NULL, 10) * 1000;
	for (unsigned i = 0, unit = 100; i < decimals; i++, unit /= 10)
		value += (point[1 + i] - '0') * (long)unit;
	return value;
}

struct totals {
	uint64_t rows;
	uint64_t members;
	uint64_t discounts;
	uint64_t three_decimals;
	uint64_t large;
	uint64_t descents; /* rows that are earlier than the one before */
	int64_t amount;	   /* thousandths, before discounts */
	int64_t last_time;
};

static void check_transaction(char *line, const char *month, struct totals *totals)
{
	char *f[FIELDS_MAX];
	int64_t when;
	long original, discount, final;

	assert_int_equal(split(line, f), 9);
	assert_int_equal(strlen(f[0]), 36);
	for (unsigned i = 0; i < 36; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		assert_true(dash ? f[0][i] == '-' : isxdigit(f[0][i]) && !isupper(f[0][i]));
	}
	assert_int_equal(f[0][14], '4');
	assert_in_range(strtol(f[1], NULL, 10), 1, 10);
	assert_in_range(strtol(f[2], NULL, 10), 1, 5);
	if (*f[4]) {
		totals->members++;
		assert_string_equal(strchr(f[4], '.'), ".0");
		assert_in_range(strtol(f[4], NULL, 10), 1, 2200000);
	}
	original = money(f[5]);
	discount = money(f[6]);
	final = money(f[7]);
	assert_int_equal(original - discount, final);
	assert_true(discount >= 0 && final > 0);
	assert_int_equal(*f[3] != 0, discount > 0);
	totals->discounts += discount > 0;
	totals->three_decimals += final % 10 != 0;
	totals->large += final >= 75000;
	assert_int_equal(strlen(f[8]), 19);
	assert_true(timestamp_parse(f[8], strlen(f[8]), &when));
	assert_memory_equal(f[8], month, 4);
	assert_memory_equal(f[8] + 5, month + 4, 2);
	totals->descents += when < totals->last_time;
	totals->last_time = when;
	totals->amount += original;
	totals->rows++;
}

static void test_transactions(void **state)
{
	struct gen_report report = generate("rows", 1, 2, false);
	struct totals totals = {0};
	uint64_t bytes = 0, first_members = 0, last_members = 0, last_rows = 0;

	(void)state;
	for (unsigned i = 0; i < MONTHS; i++) {
		uint64_t members_before = totals.members, rows_before = totals.rows;
		char month[16];
		size_t size;
		char *text, *rest, *line;

		month_name(i, month);
		text = read_file(path_of("rows/transactions/transactions_%s.csv", month), &size);
		bytes += size;
		line = strtok_r(text, "\n", &rest);
		assert_string_equal(line, "transaction_id,store_id,payment_method_id,voucher_id,"
					  "user_id,original_amount,discount_applied,final_amount,"
					  "created_at");
		while ((line = strtok_r(NULL, "\n", &rest)))
			check_transaction(line, month, &totals);
		free(text);
		if (i == 0)
			first_members = totals.members - members_before;
		last_members = totals.members - members_before;
		last_rows = totals.rows - rows_before;
	}
	assert_int_equal(totals.rows, report.tables[0].rows);
	assert_int_equal(first_members, 0);
	assert_true(last_members * 100 >= last_rows * 95);
	assert_true(totals.discounts > 0 && totals.three_decimals > 0);
	assert_in_range(totals.large, totals.rows / 250, totals.rows / 40);
	assert_true(totals.descents > totals.rows / 4);
	assert_true(bytes > SIZE / 4 && bytes < SIZE / 2);
}

static void test_items_add_up(void **state)
{
	struct gen_report report = generate("items", 3, 2, false);
	uint64_t rows = 0, bytes = 0;
	int64_t subtotals = 0;
	struct totals totals = {0};

	(void)state;
	for (unsigned i = 0; i < MONTHS; i++) {
		char month[16];
		size_t size;
		char *text, *rest, *line;

		month_name(i, month);
		text = read_file(
			path_of("items/transaction_items/transaction_items_%s.csv", month), &size);
		bytes += size;
		strtok_r(text, "\n", &rest);
		while ((line = strtok_r(NULL, "\n", &rest))) {
			char *f[FIELDS_MAX];

			assert_int_equal(split(line, f), 6);
			assert_in_range(strtol(f[1], NULL, 10), 1, 8);
			assert_in_range(strtol(f[2], NULL, 10), 1, 3);
			assert_int_equal(strtol(f[2], NULL, 10) * money(f[3]), money(f[4]));
			subtotals += money(f[4]);
			rows++;
		}
		free(text);
		text = read_file(path_of("items/transactions/transactions_%s.csv", month), &size);
		bytes += size;
		strtok_r(text, "\n", &rest);
		while ((line = strtok_r(NULL, "\n", &rest)))
			check_transaction(line, month, &totals);
		free(text);
	}
	assert_int_equal(rows, report.tables[1].rows);
	assert_int_equal(subtotals, totals.amount);
	assert_in_range(rows, totals.rows * 19 / 10, totals.rows * 21 / 10);
	assert_in_range(bytes, SIZE, SIZE + MONTHS * 512);
}

static void test_users(void **state)
{
	struct gen_report report = generate("users", 1, 1, false);
	uint64_t next = 1, last_month = 0;

	(void)state;
	for (unsigned i = 0; i < MONTHS; i++) {
		uint64_t before = next;
		char month[16];
		size_t size;
		char *text, *rest, *line;

		month_name(i, month);
		text = read_file(path_of("users/users/users_%s.csv", month), &size);
		strtok_r(text, "\n", &rest);
		while ((line = strtok_r(NULL, "\n", &rest))) {
			char *f[FIELDS_MAX];
			int64_t when;

			assert_int_equal(split(line, f), 4);
			assert_int_equal(strtol(f[0], NULL, 10), next++);
			assert_true(strcmp(f[1], "male") == 0 || strcmp(f[1], "female") == 0);
			assert_true(date_parse(f[2], strlen(f[2]), &when));
			assert_true(timestamp_parse(f[3], strlen(f[3]), &when));
			assert_memory_equal(f[3], month, 4);
			assert_memory_equal(f[3] + 5, month + 4, 2);
		}
		free(text);
		last_month = next - before;
		assert_true(last_month > 0);
	}
	assert_int_equal(next - 1, report.tables[2].rows);
	assert_in_range(report.tables[2].rows, 1000, 1150); /* 2.2 M at 2 GB */
	assert_true(last_month > 50);
}

static void test_quotes(void **state)
{
	size_t size;
	char *text;

	(void)state;
	generate("quoted", 1, 2, true);
	text = read_file(path_of("quoted/transactions/transactions_202307.csv"), &size);
	assert_memory_equal(text, "\"transaction_id\",\"store_id\"", 27);
	/* An empty field stays bare: in quotes it would be an empty text and no NULL. */
	assert_non_null(strstr(text, "\",,,\""));
	assert_null(strstr(text, "\"\""));
	free(text);
	text = read_file(path_of("quoted/stores/stores.csv"), &size);
	assert_non_null(strstr(text, "\"Sieve Coffee @ Station \"\"East\"\"\""));
	free(text);
	generate("bare", 1, 2, false);
	text = read_file(path_of("bare/stores/stores.csv"), &size);
	assert_non_null(
		strstr(text, ",\"Sieve Coffee @ Lakeview, Pier 3\",\"The \"\"Glass\"\" House, "
			     "Pier 3\","));
	assert_non_null(strstr(text, "\n1,Sieve Coffee @ Harbour Gate,"));
	free(text);
}

static void expect_error(const struct gen_options *options, enum error_code code, const char *part)
{
	struct gen_report report;
	struct error err;

	assert_int_equal(gen_coffee(options, &report, &err), -1);
	assert_int_equal(err.code, code);
	if (!strstr(err.message, part))
		fail_msg("\"%s\" does not contain \"%s\"", err.message, part);
}

static void test_refuses_foreign_folders(void **state)
{
	struct gen_options options = {.folder = path_of("foreign"), .size = SIZE, .seed = 1};
	struct gen_report report;
	struct error err;
	int fd;

	(void)state;
	assert_int_equal(mkdir(options.folder, 0777), 0);
	fd = open(path_of("foreign/thesis.txt"), O_CREAT | O_WRONLY, 0666);
	assert_true(fd >= 0);
	close(fd);
	expect_error(&options, ERROR_USAGE, "--force");
	assert_int_equal(access(path_of("foreign/transactions"), F_OK), -1);

	options.force = true;
	assert_int_equal(gen_coffee(&options, &report, &err), 0);
	assert_int_equal(access(path_of("foreign/thesis.txt"), F_OK), 0);
	/* What was generated once may be generated again. */
	options.force = false;
	assert_int_equal(gen_coffee(&options, &report, &err), 0);

	options.folder = path_of("foreign/thesis.txt");
	expect_error(&options, ERROR_USAGE, "is a file");
	options.folder = path_of("deep/er/still");
	assert_int_equal(gen_coffee(&options, &report, &err), 0);
	options.size = GEN_SIZE_MIN - 1;
	expect_error(&options, ERROR_USAGE, "between");
}

static int count_files(const char *path, const struct stat *info, int flag, struct FTW *walk)
{
	(void)info;
	(void)walk;
	if (flag == FTW_F && strstr(path, ".partial"))
		fail_msg("%s was left behind", path);
	return 0;
}

static void test_interrupted(void **state)
{
	atomic_bool interrupted = true;
	struct gen_options options = {.folder = path_of("interrupted"),
		.size = 200u << 20,
		.seed = 1,
		.threads = 2,
		.interrupted = &interrupted};

	(void)state;
	expect_error(&options, ERROR_INTERRUPTED, "interrupted");
	assert_int_equal(nftw(options.folder, count_files, 16, FTW_PHYS), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_bytes_for_any_threads),
		cmocka_unit_test(test_transactions),
		cmocka_unit_test(test_items_add_up),
		cmocka_unit_test(test_users),
		cmocka_unit_test(test_quotes),
		cmocka_unit_test(test_refuses_foreign_folders),
		cmocka_unit_test(test_interrupted),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
