#include "role/quota.h"

#include <stdio.h>

#define MEASURE_MS 1000u

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
