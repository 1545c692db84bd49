/* to_date and to_timestamp: texts read by a pattern (time_pattern.h). */
#include "exec/expr/eval_private.h"

#include "column/datetime.h"
#include "column/zone.h"
#include "exec/func/time_pattern.h"

#include <string.h>

/* What a place of a call keeps. */
struct pattern_state {
	const struct input_pattern *pattern; /* NULL: it varies */
	const struct zone *zone;	     /* of to_timestamp */
};

static int prepare(struct site *site, struct error *err)
{
	struct pattern_state *state = arena_zalloc(site->arena, sizeof(*state));

	site->state = state;
	if (site->expr->function == FN_TO_TIMESTAMP) {
		const struct column *rules = site->constants[2];

		state->zone = rules ? zone_new(rules->text[0], site->arena) : NULL;
		if (!state->zone)
			return error_set(err, ERROR_DATA, "the rules of a time zone are damaged");
	}
	if (!site->constants[1])
		return 0;
	state->pattern = time_pattern_new(site->constants[1]->text[0], false, site->arena, err);
	return state->pattern ? 0 : -1;
}

static int64_t instant_of(const struct zone *zone, const struct time_reading *reading)
{
	int64_t micros = reading->day * MICROS_PER_DAY + reading->time;
	int32_t offset = reading->has_offset ? reading->offset : zone_offset_of_local(zone, micros);

	return timestamp_round(micros - offset * MICROS_PER_SECOND, reading->digits);
}

static int run_read(struct call *call, struct error *err)
{
	const struct pattern_state *state = call->state;
	const struct input_pattern *pattern = state->pattern;
	struct text last = {0};

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct time_reading reading;

		if (!state->pattern) {
			struct text written = arg_text(&call->args[1], i);

			if (!pattern || written.size != last.size ||
				memcmp(written.data, last.data, last.size) != 0)
				pattern = time_pattern_new(written, false, call_arena(call), err);
			last = written;
			if (!pattern)
				return -1;
		}
		if (time_pattern_read(pattern, text, &reading, err) < 0)
			return -1;
		call->out->i64[i] = state->zone ? instant_of(state->zone, &reading) : reading.day;
	}
	return 0;
}

const struct kernel *kernel_to_date_find(const struct expr *expr)
{
	static const struct kernel read = {.run = run_read, .prepare = prepare};

	return expr->function == FN_TO_DATE || expr->function == FN_TO_TIMESTAMP ? &read : NULL;
}
