#include "watch/ward.h"

#include <stdio.h>
#include <string.h>

#define MINUTE_MS    60000
#define PAUSE_MS_MIN 100u
/* A start after which nobody listens yet is not over before this time, if nobody knows better. */
#define BIRTH_MS 1000u
/* A leader that has just begun may find a node that its predecessor is starting. */
#define FIRST_LOOK_MS 300u

static void enter(struct ward *ward, enum ward_state state, uint64_t now_ms)
{
	if (ward->state == state)
		return;
	ward->state = state;
	ward->since_ms = now_ms;
}

void ward_init(struct ward *ward, const struct ward_options *options, uint64_t now_ms)
{
	*ward = (struct ward){
		.options = options,
		.tokens = options->restarts_a_minute,
		.token_ms = now_ms,
	};
	ward_look_anew(ward, now_ms);
}

void ward_look_anew(struct ward *ward, uint64_t now_ms)
{
	ward->state = WARD_UNKNOWN;
	ward->since_ms = now_ms;
	ward->answer_ms = now_ms;
	ward->begin_ms = now_ms;
	ward->was_green = false;
	ward->answered = false;
	ward->lives = false;
	ward->stuck = false;
	ward->replays = false;
	ward->detail[0] = '\0';
	/* It may have been green while somebody else led. */
	ward->young = false;
}

/* --- what is heard -------------------------------------------------------------------------------
 */

static void be_green(struct ward *ward, uint64_t now_ms)
{
	enter(ward, WARD_GREEN, now_ms);
	ward->was_green = true;
	ward->known = true;
	ward->young = false;
	ward->early_ends = 0;
	ward->detail[0] = '\0';
	/* As many at full speed again as ever: it has been good for a minute. */
	if (now_ms - ward->since_ms >= MINUTE_MS)
		ward->flapping = false;
}

void ward_on_answer(struct ward *ward, const struct ward_answer *answer, uint64_t now_ms)
{
	ward->answer_ms = now_ms;
	ward->lives = true;
	ward->answered = true;
	ward->stuck = false;
	ward->replays = false;
	if (answer->healthy && !answer->starting && !answer->replaying) {
		be_green(ward, now_ms);
		return;
	}
	/* Without a broker it cannot get ready, however often it is started. */
	if (!answer->no_broker && (answer->starting || answer->replaying)) {
		enter(ward, WARD_STARTING, now_ms);
		ward->replays = answer->replaying;
		snprintf(ward->detail, sizeof(ward->detail), "%s",
			answer->replaying ? "replays its journals" : "starts");
		return;
	}
	enter(ward, WARD_RED, now_ms);
	if (answer->loop_ms > ward->options->patience_ms)
		snprintf(ward->detail, sizeof(ward->detail), "its loop stands still for %lu ms",
			(unsigned long)answer->loop_ms);
	else
		snprintf(ward->detail, sizeof(ward->detail), "%s",
			answer->no_broker ? "has no connection to the broker" : "not healthy");
	ward->stuck = answer->loop_ms >= ward->options->loop_patience_ms;
}

void ward_on_nobody(struct ward *ward, bool lives, uint64_t now_ms)
{
	ward->lives = lives;
	if (ward->state == WARD_UNKNOWN && now_ms - ward->begin_ms < FIRST_LOOK_MS)
		return;
	if (ward->state != WARD_STARTING || ward->was_green)
		enter(ward, lives ? WARD_SILENT : WARD_GONE, now_ms);
	if (ward->state == WARD_STARTING && !lives && now_ms - ward->begin_ms >= BIRTH_MS)
		enter(ward, WARD_GONE, now_ms);
}

void ward_on_silence(struct ward *ward, uint64_t now_ms)
{
	/* Listening comes first in the life of a node, and answering is not its loop's business. */
	ward->answered = true;
	if (ward->state != WARD_GONE)
		enter(ward, WARD_SILENT, now_ms);
}

void ward_heard_of(struct ward *ward, uint64_t when_ms)
{
	ward->answered = true;
	ward->lives = true;
	ward->answer_ms = when_ms;
}

/* --- what is to be done --------------------------------------------------------------------------
 */

static void refill(struct ward *ward, uint64_t now_ms)
{
	double most = ward->options->restarts_a_minute;

	ward->tokens += most * (double)(now_ms - ward->token_ms) / MINUTE_MS;
	if (ward->tokens > most)
		ward->tokens = most;
	ward->token_ms = now_ms;
}

/* With its silence. One that has answered since its start can: that is not done by its loop. */
static uint64_t silence_ms_max(const struct ward *ward)
{
	return ward->answered || !ward->lives ? ward->options->patience_ms
					      : ward->options->start_patience_ms;
}

static bool is_late(struct ward *ward, uint64_t now_ms)
{
	uint64_t start_ms_max = ward->replays ? ward->options->replay_patience_ms
					      : ward->options->start_patience_ms;

	if (ward->state == WARD_GONE)
		snprintf(ward->reason, sizeof(ward->reason), "nobody was there");
	else if (ward->stuck)
		snprintf(ward->reason, sizeof(ward->reason), "%s", ward->detail);
	else if (ward->state == WARD_STARTING && now_ms - ward->since_ms >= start_ms_max)
		snprintf(ward->reason, sizeof(ward->reason), "did not get ready in %lu ms",
			(unsigned long)start_ms_max);
	else if (now_ms - ward->answer_ms >= silence_ms_max(ward))
		snprintf(ward->reason, sizeof(ward->reason), "did not answer for %lu ms",
			(unsigned long)(now_ms - ward->answer_ms));
	else
		return false;
	return true;
}

bool ward_is_due(struct ward *ward, uint64_t now_ms)
{
	return !ward->restarting && is_late(ward, now_ms) && now_ms >= ward->due_ms;
}

/* Before the next restart, after this one. */
static uint64_t next_pause(struct ward *ward)
{
	uint64_t pause_ms = 0;
	double wait_ms;

	if (ward->early_ends > 0)
		pause_ms = PAUSE_MS_MIN << (ward->early_ends < 16 ? ward->early_ends : 16);
	if (ward->tokens < 1) {
		wait_ms = (1 - ward->tokens) * MINUTE_MS / ward->options->restarts_a_minute;
		pause_ms = wait_ms > (double)pause_ms ? (uint64_t)wait_ms : pause_ms;
	}
	if (ward->early_ends > 2 || ward->tokens < 1)
		ward->flapping = true;
	return pause_ms < ward->options->pause_ms_max ? pause_ms : ward->options->pause_ms_max;
}

void ward_on_restart(struct ward *ward, uint64_t now_ms, uint64_t wall_ms)
{
	refill(ward, now_ms);
	/* The start of a cluster is no restart. */
	if (!ward->known && ward->begins == 0 && ward->restarts == 0)
		snprintf(ward->reason, sizeof(ward->reason), "first start");
	else
		ward->restarts++;
	if (ward->young)
		ward->early_ends++;
	ward->begins++;
	ward->restarting = true;
	ward->asked_ms = now_ms;
	ward->restart_wall_ms = wall_ms;
	ward->tokens -= 1;
	ward->due_ms = now_ms + next_pause(ward);
}

void ward_on_restarted(struct ward *ward, const char *why, uint64_t now_ms)
{
	ward->restarting = false;
	/* It was only out of reach, for us as for the driver. */
	if (why && ward->state == WARD_GREEN && ward->answer_ms > ward->asked_ms)
		return;
	ward->young = true;
	ward->was_green = false;
	ward->answered = false;
	ward->stuck = false;
	ward->replays = false;
	ward->lives = why == NULL;
	ward->begin_ms = now_ms;
	ward->answer_ms = now_ms;
	ward->state = why ? WARD_GONE : WARD_STARTING;
	ward->since_ms = now_ms;
	snprintf(ward->detail, sizeof(ward->detail), "%s", why ? why : "");
}

const char *ward_state_name(const struct ward *ward)
{
	static const char *const names[] = {
		[WARD_UNKNOWN] = "unknown",
		[WARD_GREEN] = "green",
		[WARD_RED] = "red",
		[WARD_STARTING] = "starting",
		[WARD_SILENT] = "silent",
		[WARD_GONE] = "gone",
	};

	return ward->restarting ? "restarting" : names[ward->state];
}
