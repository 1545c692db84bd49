#include "base/metrics.h"

#include "base/clock.h"

#include <assert.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define US_A_SECOND UINT64_C(1000000)

/* Upper bounds in microseconds, as Prometheus tells them, too: in seconds. */
#define BUCKETS(BUCKET)          \
	BUCKET(100, "0.0001")    \
	BUCKET(250, "0.00025")   \
	BUCKET(500, "0.0005")    \
	BUCKET(1000, "0.001")    \
	BUCKET(2500, "0.0025")   \
	BUCKET(5000, "0.005")    \
	BUCKET(10000, "0.01")    \
	BUCKET(25000, "0.025")   \
	BUCKET(50000, "0.05")    \
	BUCKET(100000, "0.1")    \
	BUCKET(250000, "0.25")   \
	BUCKET(500000, "0.5")    \
	BUCKET(1000000, "1.0")   \
	BUCKET(2500000, "2.5")   \
	BUCKET(5000000, "5.0")   \
	BUCKET(10000000, "10.0") \
	BUCKET(30000000, "30.0") \
	BUCKET(UINT64_MAX, "+Inf")

struct bucket {
	uint64_t us_max;
	const char *text;
};

#define BUCKET_ROW(us, text) {us, text},
static const struct bucket buckets[] = {BUCKETS(BUCKET_ROW)};
#define BUCKET_COUNT (sizeof(buckets) / sizeof(*buckets))

#define SPEC(id, kind, unit, nodes, name, label, help) \
	{METRIC_KIND_##kind, METRIC_UNIT_##unit, nodes, name, label, help},
const struct metric_spec metric_specs[METRIC_COUNT] = {METRICS(SPEC)};

_Atomic uint64_t metric_values[METRIC_COUNT];
static _Atomic uint64_t bucket_values[METRIC_COUNT][BUCKET_COUNT];

void metric_observe_us(enum metric metric, uint64_t us)
{
	uint32_t bucket = 0;

	assert(metric_specs[metric].kind == METRIC_KIND_HISTOGRAM);
	while (us > buckets[bucket].us_max)
		bucket++;
	atomic_fetch_add_explicit(&bucket_values[metric][bucket], 1, memory_order_relaxed);
	metric_add(metric, us);
}

/* --- what the system counts ----------------------------------------------------------------------
 */

static uint64_t count_files(void)
{
	DIR *folder = opendir("/proc/self/fd");
	uint64_t count = 0;

	if (!folder)
		return 0;
	while (readdir(folder))
		count++;
	closedir(folder);
	/* Neither "." and ".." nor the folder itself. */
	return count > 3 ? count - 3 : 0;
}

#define PROC_TEXT_MAX 1024u

/* A small file of the system, as text; empty when it cannot be read. */
static void read_proc(const char *path, char text[PROC_TEXT_MAX])
{
	FILE *file = fopen(path, "r");
	size_t size = file ? fread(text, 1, PROC_TEXT_MAX - 1, file) : 0;

	text[size] = '\0';
	if (file)
		fclose(file);
}

/* "SIZE RESIDENT ...", in pages. */
static uint64_t resident_bytes(void)
{
	char text[PROC_TEXT_MAX];
	const char *second;

	read_proc("/proc/self/statm", text);
	second = strchr(text, ' ');
	return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Once: the wall clock may be set later. */
static uint64_t start_us(void)
{
	static _Atomic uint64_t known;
	uint64_t us = atomic_load(&known), up_us = clock_monotonic_us();
	char text[PROC_TEXT_MAX];
	const char *rest;

	if (us)
		return us;
	read_proc("/proc/self/stat", text);
	/* The name, which may be anything, ends with the last bracket; the start is the 22nd field. */
	rest = strrchr(text, ')');
	for (int field = 2; rest && field < 22; field++)
		rest = strchr(rest + 1, ' ');
	if (rest)
		up_us -= strtoull(rest, NULL, 10) * (US_A_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
	us = clock_wall_ms() * 1000 - up_us;
	atomic_store(&known, us);
	return us;
}

static uint64_t us_of(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * US_A_SECOND + (uint64_t)time->tv_usec;
}

static void ask_system(void)
{
	struct rusage usage;
	struct rlimit limit;

	if (getrusage(RUSAGE_SELF, &usage) == 0)
		metric_set(METRIC_CPU, us_of(&usage.ru_utime) + us_of(&usage.ru_stime));
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		metric_set(METRIC_FILES_MAX, limit.rlim_cur);
	metric_set(METRIC_START_TIME, start_us());
	metric_set(METRIC_RESIDENT, resident_bytes());
	metric_set(METRIC_OPEN_FILES, count_files());
}

/* --- the text format -----------------------------------------------------------------------------
 */

static const char *const kind_names[] = {"counter", "gauge", "histogram"};

static void put_value(struct buf *out, enum metric_unit unit, uint64_t value)
{
	if (unit == METRIC_UNIT_SECONDS)
		buf_printf(out, " %" PRIu64 ".%06" PRIu64 "\n", value / US_A_SECOND,
			value % US_A_SECOND);
	else
		buf_printf(out, " %" PRIu64 "\n", value);
}

static void put_name(struct buf *out, enum metric metric, const char *part, const char *node)
{
	const struct metric_spec *spec = &metric_specs[metric];

	buf_printf(out, "tamiz_%s%s{node=\"%s\"%s%s", spec->name, part, node,
		spec->label[0] ? "," : "", spec->label);
}

static void put_histogram(struct buf *out, enum metric metric, const char *node)
{
	uint64_t count = 0;

	for (uint32_t b = 0; b < BUCKET_COUNT; b++) {
		count += atomic_load_explicit(&bucket_values[metric][b], memory_order_relaxed);
		put_name(out, metric, "_bucket", node);
		buf_printf(out, ",le=\"%s\"} %" PRIu64 "\n", buckets[b].text, count);
	}
	put_name(out, metric, "_sum", node);
	buf_append_char(out, '}');
	put_value(out, METRIC_UNIT_SECONDS,
		atomic_load_explicit(&metric_values[metric], memory_order_relaxed));
	put_name(out, metric, "_count", node);
	buf_printf(out, "} %" PRIu64 "\n", count);
}

static bool begins_family(enum metric metric, char letter)
{
	for (uint32_t m = metric; m > 0; m--)
		if (strcmp(metric_specs[m - 1].name, metric_specs[metric].name) != 0)
			return true;
		else if (strchr(metric_specs[m - 1].nodes, letter))
			return false;
	return true;
}

static const char *help_of(enum metric metric)
{
	while (!metric_specs[metric].help[0])
		metric--;
	return metric_specs[metric].help;
}

void metrics_render(const char *node, struct buf *out)
{
	ask_system();
	for (uint32_t m = 0; m < METRIC_COUNT; m++) {
		const struct metric_spec *spec = &metric_specs[m];

		if (!node[0] || !strchr(spec->nodes, node[0]))
			continue;
		if (begins_family(m, node[0]))
			buf_printf(out, "# HELP tamiz_%s %s\n# TYPE tamiz_%s %s\n", spec->name,
				help_of(m), spec->name, kind_names[spec->kind]);
		if (spec->kind == METRIC_KIND_HISTOGRAM) {
			put_histogram(out, m, node);
			continue;
		}
		put_name(out, m, "", node);
		buf_append_char(out, '}');
		put_value(out, spec->unit,
			atomic_load_explicit(&metric_values[m], memory_order_relaxed));
	}
}

/* --- the page ------------------------------------------------------------------------------------
 */

static void put_nodes(struct buf *out, const char *nodes)
{
	static const char *const names[] = {
		"proxy", "gateway", "filter", "reducer", "collector", "watcher"};
	const char *comma = "";

	if (strlen(nodes) == sizeof(names) / sizeof(*names)) {
		buf_append_text(out, "all");
		return;
	}
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strchr(nodes, names[i][0]))
			continue;
		buf_printf(out, "%s%s", comma, names[i]);
		comma = ", ";
	}
}

/* All values of the label of a family: "`green`, `red`". */
static void put_labels(struct buf *out, uint32_t first)
{
	for (uint32_t m = first; m < METRIC_COUNT && (m == first || !metric_specs[m].help[0]);
		m++) {
		const char *value = strchr(metric_specs[m].label, '"');

		assert(value);
		buf_printf(out, "%s`%.*s`", m == first ? ": " : ", ", (int)strcspn(value + 1, "\""),
			value + 1);
	}
}

void metrics_reference(struct buf *out)
{
	buf_append_text(out, "| metric | kind | nodes | meaning |\n|---|---|---|---|\n");
	for (uint32_t m = 0; m < METRIC_COUNT; m++) {
		const struct metric_spec *spec = &metric_specs[m];
		int key = (int)strcspn(spec->label, "=");

		if (!spec->help[0])
			continue;
		buf_printf(out, "| `tamiz_%s%s%.*s%s` | %s | ", spec->name, key ? "{" : "", key,
			spec->label, key ? "}" : "", kind_names[spec->kind]);
		put_nodes(out, spec->nodes);
		buf_printf(out, " | %s", spec->help);
		if (key)
			put_labels(out, m);
		buf_append_text(out, " |\n");
	}
}
