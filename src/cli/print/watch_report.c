#include "cli/print/watch_report.h"

#include "base/clock.h"
#include "cli/print/human.h"

/* What could upset a terminal becomes "?". */
static void append_plain(struct buf *out, const char *text)
{
	for (; *text; text++)
		buf_append_char(out, (unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text);
}

static void print_node(const struct json_value *node, struct buf *out)
{
	char since[HUMAN_TEXT_MAX], ago[HUMAN_TEXT_MAX] = "";
	double restarted_ms = json_number(node, "restarted_ms");

	human_seconds(json_number(node, "since_ms") / 1000, since);
	buf_printf(out, "%-12s  %-10s  %9s  %8.0f  ", json_text(node, "name"),
		json_text(node, "state"), since, json_number(node, "restarts"));
	append_plain(out, json_text(node, "detail"));
	if (json_number(node, "flapping"))
		buf_append_text(out, "flapping");
	if (json_number(node, "restarts") > 0 && restarted_ms > 0) {
		double ago_s = ((double)clock_wall_ms() - restarted_ms) / 1000;

		human_seconds(ago_s > 0 ? ago_s : 0, ago);
		buf_printf(out, "%srestarted %s ago: ",
			*json_text(node, "detail") || json_number(node, "flapping") ? "; " : "",
			ago);
		append_plain(out, json_text(node, "reason"));
	}
	/* No blanks at the end of a line. */
	while (out->size > 0 && out->data[out->size - 1] == ' ')
		out->size--;
	buf_append_char(out, '\n');
}

void watch_report_print(const struct watch_report *report, struct buf *out)
{
	const struct json_value *nodes = json_get(report->root, "nodes");

	if (!report->root) {
		buf_printf(out, "no watcher leads (%u answered)%s%s\n", report->answered,
			report->problem[0] ? "; " : "", report->problem);
		return;
	}
	buf_printf(out, "watcher %.0f leads, term %.0f\n\n", json_number(report->root, "leader"),
		json_number(report->root, "term"));
	buf_append_text(out, "NODE          STATE           SINCE  RESTARTS  LAST\n");
	for (const struct json_value *node = nodes ? nodes->first : NULL; node; node = node->next)
		print_node(node, out);
}
