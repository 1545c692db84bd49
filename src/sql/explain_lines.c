#include "plan/plan.h"
#include "sql/count_text.h"
#include "sql/explain_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines are not indented further than this: some trees are as deep as the text was long. */
#define INDENT_MAX 60
#define NUMBER_MAX 64
#define NS_PER_MS  1e6

/* -- text -- */

static const char *bytes_text(uint64_t bytes, char text[NUMBER_MAX])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
	double count = (double)bytes;
	size_t unit = 0;

	while (count >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		count /= 1000;
		unit++;
	}
	snprintf(text, NUMBER_MAX, unit && count < 100 ? "%.1f %s" : "%.0f %s", count, units[unit]);
	return text;
}

/* How much longer the slowest thread was in it than they were on average. */
static double skew_of(const struct profile_entry *taken)
{
	return taken->ns ? (double)taken->ns_max * taken->threads / (double)taken->ns : 1;
}

static void put_estimate(struct buf *out, double rows)
{
	char text[COUNT_TEXT_MAX];

	if (rows > 0)
		buf_printf(out, "  (about %s row%s)", count_text(rows, text), rows < 2 ? "" : "s");
}

static void put_measured(
	struct buf *out, const struct explain_facts *facts, const struct plan_profile *profile)
{
	const struct profile_entry *taken = &facts->taken;
	char text[NUMBER_MAX];

	buf_printf(out, "  (actual rows=%" PRIu64, facts->rows);
	if (facts->has_input)
		buf_printf(out, " of %" PRIu64, facts->rows_in);
	buf_printf(out, " time=%.3f ms", (double)taken->ns / NS_PER_MS);
	if (facts->table && !facts->table->in_memory)
		buf_printf(out, " bytes=%s files=%" PRIu64, bytes_text(facts->table->bytes, text),
			facts->table->files);
	if (facts->table && facts->table->rejects)
		buf_printf(out, " rejects=%" PRIu64, facts->table->rejects);
	if (taken->bytes_max)
		buf_printf(out, " memory=%s", bytes_text(taken->bytes_max, text));
	if (profile->threads > 1 && taken->threads > 0)
		buf_printf(out, " threads=%u", taken->threads);
	if (taken->threads > 1)
		buf_printf(out, " skew=%.2f", skew_of(taken));
	buf_append_char(out, ')');
}

/* -- JSON -- */

static void put_ms(struct json_writer *json, const char *key, uint64_t ns)
{
	char text[NUMBER_MAX];
	int size = snprintf(text, sizeof(text), "%.3f", (double)ns / NS_PER_MS);

	json_put_raw(json, key, text, (size_t)size);
}

static void put_measured_members(struct json_writer *json, const struct explain_facts *facts)
{
	const struct profile_entry *taken = &facts->taken;
	char text[NUMBER_MAX];
	int size;

	if (facts->has_input)
		json_put_u64(json, "rows_in", facts->rows_in);
	json_put_u64(json, "rows", facts->rows);
	json_put_u64(json, "batches", taken->batches);
	put_ms(json, "time_ms", taken->ns);
	put_ms(json, "slowest_thread_ms", taken->ns_max);
	json_put_u64(json, "threads", taken->threads);
	size = snprintf(text, sizeof(text), "%.2f", skew_of(taken));
	json_put_raw(json, "skew", text, (size_t)size);
	json_put_u64(json, "memory_bytes", taken->bytes_max);
	if (facts->table) {
		json_put_u64(json, "bytes", facts->table->bytes);
		json_put_u64(json, "files", facts->table->files);
		json_put_u64(json, "rejects", facts->table->rejects);
	}
}

/* Ends the nodes that are as deep as `depth`, or deeper. */
static void close_nodes(struct explain_lines *lines, uint32_t depth)
{
	for (; lines->open_max > depth; lines->open_max--) {
		json_close(&lines->json, ']');
		json_close(&lines->json, '}');
	}
}

static void end_node(struct explain_lines *lines, const struct explain_facts *facts)
{
	struct json_writer *json = &lines->json;
	size_t size = lines->out->size - lines->start;
	char *text = strndup(lines->out->data ? lines->out->data + lines->start : "", size);

	lines->out->size = lines->start;
	close_nodes(lines, lines->depth);
	json_open(json, NULL, '{');
	json_put_text(json, "node", text ? text : "");
	if (facts->estimate > 0)
		json_put_u64(json, "estimated_rows", (uint64_t)(facts->estimate + 0.5));
	if (facts->is_measured)
		put_measured_members(json, facts);
	json_open(json, "children", '[');
	lines->open_max = lines->depth + 1;
	free(text);
}

/* -- both -- */

void explain_begin(struct explain_lines *lines, uint32_t depth)
{
	lines->start = lines->out->size;
	/* A node is a child of the one above it, however much further to the right it stands. */
	lines->depth = depth < lines->open_max ? depth : lines->open_max;
	for (uint32_t i = 0; i < depth && i < INDENT_MAX && !lines->is_json; i++)
		buf_append_text(lines->out, "  ");
}

void explain_end(struct explain_lines *lines, const struct explain_facts *facts, const char *behind)
{
	if (lines->is_json) {
		end_node(lines, facts);
		return;
	}
	put_estimate(lines->out, facts->estimate);
	if (facts->is_measured)
		put_measured(lines->out, facts, lines->profile);
	buf_append_text(lines->out, behind);
	buf_append_char(lines->out, '\n');
}

static void begin_query_text(
	struct explain_lines *lines, const struct plan_query *query, uint32_t index)
{
	char type[TYPE_NAME_MAX];

	buf_append_text(lines->out, index ? "\n" : "");
	buf_append_text(lines->out, query->name[0] ? query->name : "query");
	if (query->title[0])
		buf_printf(lines->out, ": %s", query->title);
	buf_append_text(lines->out, "\n  result: ");
	for (uint32_t i = 0; i < query->column_count; i++)
		buf_printf(lines->out, "%s%s %s", i ? ", " : "", query->names[i],
			type_name(query->types[i], type));
	buf_append_char(lines->out, '\n');
	if (query->warning)
		buf_printf(lines->out, "  warning: %s\n", query->warning);
}

void explain_begin_query(
	struct explain_lines *lines, const struct plan_query *query, uint32_t index)
{
	struct json_writer *json = &lines->json;
	char type[TYPE_NAME_MAX];

	if (!lines->is_json) {
		begin_query_text(lines, query, index);
		return;
	}
	json_open(json, NULL, '{');
	json_put_text(json, "query", query->name);
	json_put_text(json, "title", query->title);
	if (query->warning)
		json_put_text(json, "warning", query->warning);
	json_open(json, "columns", '[');
	for (uint32_t i = 0; i < query->column_count; i++) {
		json_open(json, NULL, '{');
		json_put_text(json, "name", query->names[i]);
		json_put_text(json, "type", type_name(query->types[i], type));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_open(json, "plan", '[');
	lines->open_max = 0;
}

void explain_end_query(struct explain_lines *lines)
{
	if (!lines->is_json)
		return;
	close_nodes(lines, 0);
	json_close(&lines->json, ']');
	json_close(&lines->json, '}');
}

void explain_begin_all(struct explain_lines *lines)
{
	if (!lines->is_json)
		return;
	json_open(&lines->json, NULL, '{');
	json_open(&lines->json, "queries", '[');
}

static void put_totals(struct explain_lines *lines)
{
	const struct plan_profile *profile = lines->profile;
	char text[NUMBER_MAX];

	buf_printf(
		lines->out, "\nplanning time: %.3f ms\n", (double)profile->planning_ns / NS_PER_MS);
	buf_printf(lines->out, "execution time: %.3f ms, of processors %.3f ms, %u thread%s\n",
		(double)profile->elapsed_ns / NS_PER_MS, (double)profile->processor_ns / NS_PER_MS,
		profile->threads, profile->threads == 1 ? "" : "s");
	buf_printf(lines->out, "memory of operators: %s", bytes_text(profile->bytes_max, text));
	if (profile->spilled_bytes)
		buf_printf(lines->out, ", in the temporary file %s",
			bytes_text(profile->spilled_bytes, text));
	buf_append_char(lines->out, '\n');
}

void explain_end_all(struct explain_lines *lines)
{
	const struct plan_profile *profile = lines->profile;
	struct json_writer *json = &lines->json;

	if (!lines->is_json) {
		if (profile)
			put_totals(lines);
		return;
	}
	json_close(json, ']');
	if (profile) {
		put_ms(json, "planning_ms", profile->planning_ns);
		put_ms(json, "execution_ms", profile->elapsed_ns);
		put_ms(json, "processor_ms", profile->processor_ns);
		json_put_u64(json, "threads", profile->threads);
		json_put_u64(json, "memory_bytes", profile->bytes_max);
		json_put_u64(json, "spilled_bytes", profile->spilled_bytes);
	}
	json_close(json, '}');
	buf_append_char(json->out, '\n');
}
