#include "column/statement_start.h"

#include "base/clock.h"
#include "base/digits.h"
#include "base/random.h"
#include "column/datetime.h"

#include <inttypes.h>
#include <string.h>

int statement_start_set(
	struct statement_start *start, const char *name, const char *value, struct error *err)
{
	if (strcmp(name, "now") == 0) {
		start->now_given = timestamptz_parse(value, strlen(value), &start->now);
		if (start->now_given)
			return 0;
		return error_set(err, ERROR_USAGE,
			"now is a time such as \"2024-05-31 18:00:00+02\", without an offset in "
			"UTC, "
			"and not \"%.80s\"",
			value);
	}
	if (strcmp(name, "seed") == 0) {
		start->seed_given = digits_parse(value, 10, UINT64_MAX, &start->seed);
		if (start->seed_given)
			return 0;
		return error_set(err, ERROR_USAGE,
			"seed is a whole number such as 42, and not \"%.80s\"", value);
	}
	return error_set(err, ERROR_USAGE, "there is no setting \"%.80s\"", name);
}

int statement_start_begin(struct statement_start *start, struct error *err)
{
	if (!start->now_given)
		start->now = (int64_t)clock_wall_us();
	if (!start->seed_given && random_id(&start->seed, err))
		return -1;
	start->known = true;
	return 0;
}

void statement_start_write(const struct statement_start *start, bool all, struct buf *out)
{
	char now[DATETIME_TEXT_MAX];

	if (start->now_given || (all && start->known)) {
		now[timestamptz_format(start->now, now)] = '\0';
		buf_printf(out, "SET now = '%s';\n", now);
	}
	if (start->seed_given || (all && start->known))
		buf_printf(out, "SET seed = '%" PRIu64 "';\n", start->seed);
}
