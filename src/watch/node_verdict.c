#include "watch/node_verdict.h"

#include "base/mutant.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MINUTE_MS    60000
#define PAUSE_MS_MIN 100u
/* A start after which nobody listens yet is not over before this time, if nobody knows better. */
#define BIRTH_MS 1000u
/* A leader that has just begun may find a node that its predecessor is starting. */
#define FIRST_LOOK_MS 300u

static void enter(struct node_verdict *verdict, enum node_verdict_state state, uint64_t now_ms)
{
	if (verdict->state == state)
		return;
	verdict->state = state;
	verdict->since_ms = now_ms;
}

void node_verdict_init(
	struct node_verdict *verdict, const struct node_verdict_options *options, uint64_t now_ms)
{
	*verdict = (struct node_verdict){
		.options = options,
		.tokens = options->restarts_a_minute,
		.token_ms = now_ms,
	};
	node_verdict_look_anew(verdict, now_ms);
}

void node_verdict_look_anew(struct node_verdict *verdict, uint64_t now_ms)
{
	verdict->state = NODE_VERDICT_UNKNOWN;
	verdict->since_ms = now_ms;
	verdict->answer_ms = now_ms;
	verdict->begin_ms = now_ms;
	verdict->anew_ms = now_ms;
	verdict->was_green = false;
	verdict->answered = false;
	verdict->lives = false;
	verdict->stuck = false;
	verdict->replays = false;
	verdict->detail[0] = '\0';
	/* It may have been green while somebody else led. */
	verdict->young = false;
}

/* --- what is heard -------------------------------------------------------------------------------
 */

static void be_green(struct node_verdict *verdict, uint64_t now_ms)
{
	enter(verdict, NODE_VERDICT_GREEN, now_ms);
	verdict->was_green = true;
	verdict->known = true;
	verdict->young = false;
	verdict->early_ends = 0;
	verdict->detail[0] = '\0';
	/* As many at full speed again as ever: it has been good for a minute. */
	if (now_ms - verdict->since_ms >= MINUTE_MS)
		verdict->flapping = false;
}

void node_verdict_on_answer(
	struct node_verdict *verdict, const struct node_verdict_answer *answer, uint64_t now_ms)
{
	verdict->answer_ms = now_ms;
	verdict->lives = true;
	verdict->answered = true;
	verdict->stuck = false;
	verdict->replays = false;
	if (answer->healthy && !answer->starting && !answer->replaying) {
		be_green(verdict, now_ms);
		return;
	}
	/* Without a broker it cannot get ready, however often it is started. */
	if (!answer->no_broker && (answer->starting || answer->replaying)) {
		enter(verdict, NODE_VERDICT_STARTING, now_ms);
		verdict->replays = answer->replaying;
		snprintf(verdict->detail, sizeof(verdict->detail), "%s",
			answer->replaying ? "replays its journals" : "starts");
		return;
	}
	enter(verdict, NODE_VERDICT_RED, now_ms);
	if (answer->loop_ms > verdict->options->patience_ms)
		snprintf(verdict->detail, sizeof(verdict->detail),
			"its loop stands still for %lu ms", (unsigned long)answer->loop_ms);
	else
		snprintf(verdict->detail, sizeof(verdict->detail), "%s",
			answer->no_broker ? "has no connection to the broker" : "not healthy");
	verdict->stuck = answer->loop_ms >= verdict->options->loop_patience_ms;
}

void node_verdict_on_nobody(struct node_verdict *verdict, bool lives, uint64_t now_ms)
{
	verdict->lives = lives;
	if (verdict->state == NODE_VERDICT_UNKNOWN && now_ms - verdict->begin_ms < FIRST_LOOK_MS)
		return;
	if (verdict->state != NODE_VERDICT_STARTING || verdict->was_green)
		enter(verdict, lives ? NODE_VERDICT_SILENT : NODE_VERDICT_GONE, now_ms);
	if (verdict->state == NODE_VERDICT_STARTING && !lives &&
		now_ms - verdict->begin_ms >= BIRTH_MS)
		enter(verdict, NODE_VERDICT_GONE, now_ms);
}

void node_verdict_on_silence(struct node_verdict *verdict, uint64_t now_ms)
{
	/* Listening comes first in the life of a node, and answering is not its loop's business. */
	verdict->answered = true;
	if (verdict->state != NODE_VERDICT_GONE)
		enter(verdict, NODE_VERDICT_SILENT, now_ms);
}

void node_verdict_heard_of(struct node_verdict *verdict, uint64_t when_ms)
{
	verdict->answered = true;
	verdict->lives = true;
	verdict->answer_ms = when_ms;
}

/* --- what is to be done --------------------------------------------------------------------------
 */

static void refill(struct node_verdict *verdict, uint64_t now_ms)
{
	double most = verdict->options->restarts_a_minute;

	verdict->tokens += most * (double)(now_ms - verdict->token_ms) / MINUTE_MS;
	if (verdict->tokens > most)
		verdict->tokens = most;
	verdict->token_ms = now_ms;
}

/* With its silence. One that has answered since its start can: that is not done by its loop. */
static uint64_t silence_ms_max(const struct node_verdict *verdict)
{
	return verdict->answered || !verdict->lives ? verdict->options->patience_ms
						    : verdict->options->start_patience_ms;
}

static bool is_late(struct node_verdict *verdict, uint64_t now_ms)
{
	uint64_t start_ms_max = verdict->replays ? verdict->options->replay_patience_ms
						 : verdict->options->start_patience_ms;

	if (verdict->state == NODE_VERDICT_GONE)
		snprintf(verdict->reason, sizeof(verdict->reason), "nobody was there");
	else if (verdict->stuck)
		snprintf(verdict->reason, sizeof(verdict->reason), "%s", verdict->detail);
	else if (verdict->state == NODE_VERDICT_STARTING &&
		 now_ms - verdict->since_ms >= start_ms_max)
		snprintf(verdict->reason, sizeof(verdict->reason), "did not get ready in %lu ms",
			(unsigned long)start_ms_max);
	else if (now_ms - verdict->answer_ms >= silence_ms_max(verdict))
		snprintf(verdict->reason, sizeof(verdict->reason), "did not answer for %lu ms",
			(unsigned long)(now_ms - verdict->answer_ms));
	else
		return false;
	return true;
}

bool node_verdict_is_due(struct node_verdict *verdict, uint64_t now_ms)
{
	return !verdict->restarting && is_late(verdict, now_ms) && now_ms >= verdict->due_ms;
}

/* Before the next restart, after this one. */
static uint64_t next_pause(struct node_verdict *verdict)
{
	uint64_t pause_ms = 0;
	double wait_ms;

	if (verdict->early_ends > 0)
		pause_ms = PAUSE_MS_MIN << (verdict->early_ends < 16 ? verdict->early_ends : 16);
	if (verdict->tokens < 1) {
		wait_ms = (1 - verdict->tokens) * MINUTE_MS / verdict->options->restarts_a_minute;
		pause_ms = wait_ms > (double)pause_ms ? (uint64_t)wait_ms : pause_ms;
	}
	if (verdict->early_ends > 2 || verdict->tokens < 1)
		verdict->flapping = true;
	return pause_ms < verdict->options->pause_ms_max ? pause_ms
							 : verdict->options->pause_ms_max;
}

void node_verdict_on_restart(struct node_verdict *verdict, uint64_t now_ms, uint64_t wall_ms)
{
	assert(!verdict->restarting); /* one at a time */
	refill(verdict, now_ms);
	/* The start of a cluster is no restart. */
	if (!verdict->known && verdict->begins == 0 && verdict->restarts == 0)
		snprintf(verdict->reason, sizeof(verdict->reason), "first start");
	else
		verdict->restarts++;
	if (verdict->young)
		verdict->early_ends++;
	verdict->begins++;
	verdict->restarting = true;
	verdict->asked_ms = now_ms;
	verdict->restart_wall_ms = wall_ms;
	verdict->tokens -= 1;
	verdict->due_ms = now_ms + next_pause(verdict);
}

void node_verdict_on_restarted(struct node_verdict *verdict, const char *why, uint64_t now_ms)
{
	assert(verdict->restarting);
	verdict->restarting = false;
	/* It was only out of reach, for us as for the driver. */
	if (why && verdict->state == NODE_VERDICT_GREEN && verdict->answer_ms > verdict->asked_ms)
		return;
	/* What failed was decided by what we have forgotten: it says nothing of the node. */
	if (why && verdict->anew_ms > verdict->asked_ms && !MUTANT(HOSTS_LATE_COMMAND_JUDGES))
		return;
	verdict->young = true;
	verdict->was_green = false;
	verdict->answered = false;
	verdict->stuck = false;
	verdict->replays = false;
	verdict->lives = why == NULL;
	verdict->begin_ms = now_ms;
	verdict->answer_ms = now_ms;
	verdict->state = why ? NODE_VERDICT_GONE : NODE_VERDICT_STARTING;
	verdict->since_ms = now_ms;
	snprintf(verdict->detail, sizeof(verdict->detail), "%s", why ? why : "");
}

const char *node_verdict_state_name(const struct node_verdict *verdict)
{
	static const char *const names[] = {
		[NODE_VERDICT_UNKNOWN] = "unknown",
		[NODE_VERDICT_GREEN] = "green",
		[NODE_VERDICT_RED] = "red",
		[NODE_VERDICT_STARTING] = "starting",
		[NODE_VERDICT_SILENT] = "silent",
		[NODE_VERDICT_GONE] = "gone",
	};

	return verdict->restarting ? "restarting" : names[verdict->state];
}
