#include "base/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* What Prometheus asks of names, and what metrics_render relies on. */
static void names_follow_the_rules(void **state)
{
	(void)state;
	for (uint32_t m = 0; m < METRIC_COUNT; m++) {
		const struct metric_spec *spec = &metric_specs[m];
		bool first = m == 0 || strcmp(spec->name, metric_specs[m - 1].name) != 0;

		assert_int_equal(
			ends_with(spec->name, "_total"), spec->kind == METRIC_KIND_COUNTER);
		assert_int_equal(
			strstr(spec->name, "_seconds") != NULL, spec->unit == METRIC_UNIT_SECONDS);
		if (spec->unit == METRIC_UNIT_BYTES)
			assert_non_null(strstr(spec->name, "bytes"));
		if (spec->kind == METRIC_KIND_HISTOGRAM)
			assert_true(spec->unit == METRIC_UNIT_SECONDS && !spec->label[0]);
		assert_int_equal(
			strspn(spec->name, "abcdefghijklmnopqrstuvwxyz_"), strlen(spec->name));
		assert_int_equal(strspn(spec->nodes, "pgfrcw"), strlen(spec->nodes));
		assert_true(spec->nodes[0] && (!first || spec->help[0]));
		if (!first)
			assert_int_equal(spec->kind, metric_specs[m - 1].kind);
		for (uint32_t other = 0; first && other < m; other++)
			assert_string_not_equal(spec->name, metric_specs[other].name);
	}
}

static char *render(const char *node)
{
	static char text[METRICS_TEXT_MAX];
	struct buf out;

	buf_init(&out, METRICS_TEXT_MAX);
	metrics_render(node, &out);
	assert_false(buf_overflowed(&out));
	memcpy(text, out.data, out.size);
	text[out.size] = '\0';
	buf_release(&out);
	return text;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in what it tells", part);
}

static void values_are_told(void **state)
{
	const char *text;

	(void)state;
	metric_add(METRIC_RECEIVED_BYTES, 5000000000);
	metric_add(METRIC_RECEIVED_BYTES, 7);
	metric_set(METRIC_CLIENTS, 3);
	metric_set(METRIC_UNCONFIRMED, 12);
	text = render("gateway-1");
	has(text, "# HELP tamiz_received_bytes_total their bytes of CSV\n"
		  "# TYPE tamiz_received_bytes_total counter\n"
		  "tamiz_received_bytes_total{node=\"gateway-1\"} 5000000007\n");
	has(text, "\ntamiz_client_connections{node=\"gateway-1\"} 3\n");
	has(text, "\ntamiz_broker_unconfirmed_bytes{node=\"gateway-1\"} 12\n");
	metric_add(METRIC_CLIENTS, 2);
	metric_subtract(METRIC_CLIENTS, 4);
	has(render("proxy-0"), "\ntamiz_client_connections{node=\"proxy-0\"} 1\n");
}

static void each_bucket_counts_those_below(void **state)
{
	const char *text;

	(void)state;
	metric_observe_us(METRIC_DISK_SYNC, 0);
	metric_observe_us(METRIC_DISK_SYNC, 100);
	metric_observe_us(METRIC_DISK_SYNC, 101);
	metric_observe_us(METRIC_DISK_SYNC, 2000000);
	metric_observe_us(METRIC_DISK_SYNC, 30000001);
	text = render("collector");
	has(text, "# TYPE tamiz_disk_sync_seconds histogram\n"
		  "tamiz_disk_sync_seconds_bucket{node=\"collector\",le=\"0.0001\"} 2\n"
		  "tamiz_disk_sync_seconds_bucket{node=\"collector\",le=\"0.00025\"} 3\n");
	has(text, "{node=\"collector\",le=\"1.0\"} 3\n");
	has(text, "{node=\"collector\",le=\"2.5\"} 4\n");
	has(text, "{node=\"collector\",le=\"30.0\"} 4\n");
	has(text, "{node=\"collector\",le=\"+Inf\"} 5\n"
		  "tamiz_disk_sync_seconds_sum{node=\"collector\"} 32.000202\n"
		  "tamiz_disk_sync_seconds_count{node=\"collector\"} 5\n");
}

/* Each name has one head, before all of its values, also where only some of them are told. */
static void nodes_tell_what_concerns_them(void **state)
{
	(void)state;
	assert_null(strstr(render("proxy-0"), "journal"));
	assert_null(strstr(render("proxy-0"), "tamiz_broker"));
	assert_null(strstr(render("reducer-0"), "tamiz_jobs"));
	assert_null(strstr(render("watcher-2"), "tamiz_broker"));
	has(render("watcher-2"), "tamiz_watched_nodes{node=\"watcher-2\",state=\"green\"} 0\n"
				 "tamiz_watched_nodes{node=\"watcher-2\",state=\"starting\"} 0\n");
	has(render("collector"), "# TYPE tamiz_memory_bytes gauge\n"
				 "tamiz_memory_bytes{node=\"collector\",purpose=\"packets\"} 0\n");
	has(render("gateway-0"), "# TYPE tamiz_memory_bytes gauge\n"
				 "tamiz_memory_bytes{node=\"gateway-0\",purpose=\"frames\"} 0\n");
	assert_string_equal(render(""), "");
}

static double value_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	assert_non_null(at);
	return strtod(strchr(at, '}') + 1, NULL);
}

static void the_system_is_asked(void **state)
{
	const char *text = render("filter-0");
	double start = value_of(text, "\ntamiz_process_start_time_seconds{");

	(void)state;
	assert_true(start > 1.5e9 && start <= (double)time(NULL) + 1);
	assert_true(value_of(text, "\ntamiz_process_resident_memory_bytes{") > 100000);
	assert_true(value_of(text, "\ntamiz_process_open_fds{") >= 1);
	assert_true(value_of(text, "\ntamiz_process_max_fds{") >= 8);
	assert_true(value_of(text, "\ntamiz_process_cpu_seconds_total{") > 0);
}

#define PAGE	 "docs/metrics.md"
#define PAGE_MAX (1u << 20)
#define HEADING	 "## All metrics\n"

/* With TAMIZ_WRITE_PAGE=1 it writes the table instead. */
static void the_page_is_the_table(void **state)
{
	char *page = malloc(PAGE_MAX);
	FILE *file = fopen(PAGE, "r");
	struct buf table;
	char *start;

	(void)state;
	assert_non_null(file);
	assert_non_null(page);
	page[fread(page, 1, PAGE_MAX - 1, file)] = '\0';
	fclose(file);
	buf_init(&table, PAGE_MAX);
	buf_append_text(&table, HEADING "\n");
	metrics_reference(&table);
	buf_append_char(&table, '\0');
	start = strstr(page, HEADING);
	if (getenv("TAMIZ_WRITE_PAGE") && start) {
		file = fopen(PAGE, "w");
		assert_non_null(file);
		fprintf(file, "%.*s%s", (int)(start - page), page, table.data);
		fclose(file);
	} else if (!start || strcmp(start, table.data) != 0) {
		fail_msg(PAGE " is not what the table of metrics says: "
			      "TAMIZ_WRITE_PAGE=1 build/tests/unit/base/test_metrics");
	}
	buf_release(&table);
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_follow_the_rules),
		cmocka_unit_test(values_are_told),
		cmocka_unit_test(each_bucket_counts_those_below),
		cmocka_unit_test(nodes_tell_what_concerns_them),
		cmocka_unit_test(the_system_is_asked),
		cmocka_unit_test(the_page_is_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
