#include "role/quota.h"

#include <stdio.h>

#define MEASURE_MS 1000u
#define LOOK_MS	   1000u
#define TELL_MS	   5000u
/* Of the file system one part in so many is left; of disk_max one in so many. */
#define DISK_LEFT_OF  20u
#define QUOTA_LEFT_OF 10u

void quota_init(struct quota *quota, struct node *node, const struct role_cluster *cluster)
{
	*quota = (struct quota){.node = node, .bytes_max = cluster->disk_max};
}

/* When the disk cannot be read, what was known goes on to count: others notice such a disk. */
static void measure(struct quota *quota, uint64_t now_ms)
{
	uint64_t bytes;
	struct error err;

	quota->measured_ms = now_ms;
	if (!disk_used(quota->node->env.disk, &bytes, &err))
		quota->bytes = bytes;
}

#define BYTES_TEXT_MAX 32

static const char *bytes_text(uint64_t bytes, char text[BYTES_TEXT_MAX])
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
	double amount = (double)bytes;
	uint32_t unit = 0;

	for (; amount >= 1024 && unit < 4; unit++)
		amount /= 1024;
	snprintf(text, BYTES_TEXT_MAX, unit ? "%.1f %s" : "%.0f %s", amount, units[unit]);
	return text;
}

static int is_full(const struct quota *quota, struct error *err)
{
	char name[NODE_TITLE_MAX], has[BYTES_TEXT_MAX], may[BYTES_TEXT_MAX];

	return error_set(err, ERROR_LIMIT,
		"%s has %s of jobs on its disk, and disk_max is %s in the cluster file: cancel "
		"jobs "
		"that nobody needs, or raise it",
		node_title(quota->node->id, name), bytes_text(quota->bytes, has),
		bytes_text(quota->bytes_max, may));
}

int quota_take(struct quota *quota, size_t size, struct error *err)
{
	uint64_t now_ms;

	if (quota->bytes_max == 0)
		return 0;
	now_ms = node_now(quota->node);
	if (quota->measured_ms == 0 || now_ms - quota->measured_ms >= MEASURE_MS)
		measure(quota, now_ms);
	/* Jobs may have ended since. */
	if (quota->bytes + size > quota->bytes_max && quota->measured_ms != now_ms)
		measure(quota, now_ms);
	if (quota->bytes + size > quota->bytes_max)
		return is_full(quota, err);
	quota->bytes += size;
	return 0;
}

static bool has_little_room(struct quota *quota, uint64_t now_ms)
{
	uint64_t left, whole;
	struct error err;

	if (quota->bytes_max > 0) {
		if (quota->measured_ms == 0 || now_ms - quota->measured_ms >= MEASURE_MS)
			measure(quota, now_ms);
		if (quota->bytes > quota->bytes_max - quota->bytes_max / QUOTA_LEFT_OF)
			return true;
	}
	return !disk_room(quota->node->env.disk, &left, &whole, &err) &&
	       left < whole / DISK_LEFT_OF;
}

void quota_on_tick(struct quota *quota, bool refused)
{
	struct node *node = quota->node;
	struct flow_event event = {.node = node->id};
	uint64_t now_ms = node_now(node);
	bool is_short;

	if (!node->env.disk || !node->ready || now_ms - quota->looked_ms < LOOK_MS)
		return;
	quota->looked_ms = now_ms;
	is_short = refused || has_little_room(quota, now_ms);
	/* What changes from moment to moment would fill the log. */
	if (quota->told_ms > 0 ? now_ms - quota->told_ms < TELL_MS : !is_short)
		return;
	if (quota->told_ms == 0)
		node_log(node, LOG_DISK_SHORT, NULL);
	quota->told_ms = is_short ? now_ms : 0;
	event.kind = is_short ? FLOW_FULL : FLOW_ROOM;
	node_append(node, &event);
}

bool quota_is_short(struct node *node, struct error *err)
{
	uint64_t now_ms = node_now(node);
	struct ledger_node other;
	char title[NODE_TITLE_MAX];

	for (uint32_t i = 0; ledger_node(node->ledger, i, &other); i++) {
		/* What was said before we were ready may be long ago. */
		if (other.full_ms <= node->ready_ms || now_ms - other.full_ms >= QUOTA_FULL_MS)
			continue;
		error_set(err, ERROR_LIMIT,
			"the disk of %s is nearly full, or disk_max is nearly reached: come back "
			"later, or cancel jobs that nobody needs",
			node_title(other.node, title));
		return true;
	}
	return false;
}
