#include "watch/report.h"

#include "net/http.h"

#include <stdio.h>
#include <string.h>

#define ASK_MS		 1000u
#define REPORT_BYTES_MAX (1u << 20)

uint32_t watch_report_find(const struct json_value *status, struct net_address *watchers)
{
	const struct json_value *list = json_get(status, "watchers");
	uint32_t count = 0;

	for (const struct json_value *item = list ? list->first : NULL;
		item && count < CONFIG_WATCHERS_MAX; item = item->next)
		count += item->text &&
			 net_address_parse(item->text, strlen(item->text), &watchers[count]);
	return count;
}

static bool take(struct watch_report *report, struct arena *arena)
{
	struct json_value *root;
	struct error err;

	if (json_read(report->text.data, report->text.size, arena, &root, &err)) {
		snprintf(report->problem, sizeof(report->problem), "%s", err.message);
		return false;
	}
	report->answered++;
	if (json_number(root, "leads") == 0)
		return false;
	report->root = root;
	return true;
}

void watch_report_ask(struct watch_report *report, const struct net_address *watchers,
	uint32_t count, struct arena *arena)
{
	*report = (struct watch_report){0};
	buf_init(&report->text, REPORT_BYTES_MAX);
	for (uint32_t i = 0; i < count; i++) {
		struct error err;
		int status;

		if (http_get(&watchers[i], "/status", ASK_MS, &report->text, &status, &err))
			snprintf(report->problem, sizeof(report->problem), "%s", err.message);
		else if (status == 200 && take(report, arena))
			return;
	}
	buf_clear(&report->text);
}

void watch_report_release(struct watch_report *report)
{
	buf_release(&report->text);
}
