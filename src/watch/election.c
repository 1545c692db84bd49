#include "watch/election.h"

#include "base/mutant.h"

#include <assert.h>

static void send(struct election *election, uint32_t to, enum election_message message)
{
	election->options.send(election->options.context, to, message, election->term);
}

/* What holds between two calls. `term`: before the call; reigns are only ever heard of later ones. */
static void assert_sound(const struct election *election, uint64_t term)
{
	assert(election->term >= term && election->term <= ELECTION_TERM_MAX);
	switch (election->role) {
	case ELECTION_LEADS: assert(election->leader == election->options.id); break;
	case ELECTION_FOLLOWS: assert(election->leader > election->options.id); break;
	case ELECTION_ASKS:
	case ELECTION_WAITS: assert(election->leader == ELECTION_NOBODY); break;
	}
	/* The highest has nobody to ask. */
	assert(election->role == ELECTION_LEADS ||
		election->options.id + 1 < election->options.count);
}

/* Whether two lead in this term; in the last one there is no next. */
static bool is_contested(const struct election *election, uint64_t term)
{
	return election->role == ELECTION_LEADS && term == election->term &&
	       term < ELECTION_TERM_MAX && !MUTANT(HOSTS_TERM_OF_TWO_LEADERS);
}

static void announce(struct election *election, uint64_t now_ms)
{
	assert(election->role == ELECTION_LEADS);
	for (uint32_t i = 0; i < election->options.count; i++)
		if (i != election->options.id)
			send(election, i, ELECTION_LEADER);
	election->due_ms = now_ms + election->options.heartbeat_ms;
}

/* `term`: of the reign that ends, if any. */
static void lead(struct election *election, uint64_t term, uint64_t now_ms)
{
	uint64_t before = election->term;

	if (term > election->term)
		election->term = term;
	if (election->term < ELECTION_TERM_MAX)
		election->term++;
	/* A reign is later than all that were heard of. */
	assert((election->term > before && election->term > term) ||
		election->term == ELECTION_TERM_MAX);
	election->role = ELECTION_LEADS;
	election->leader = election->options.id;
	announce(election, now_ms);
}

static void follow(struct election *election, uint32_t leader, uint64_t term, uint64_t now_ms)
{
	assert(leader > election->options.id && term >= election->term);
	election->role = ELECTION_FOLLOWS;
	election->leader = leader;
	election->term = term;
	election->due_ms = now_ms + election->options.leader_patience_ms;
}

static bool all_above_are_gone(const struct election *election)
{
	for (uint32_t i = election->options.id + 1; i < election->options.count; i++)
		if (!election->gone[i])
			return false;
	return true;
}

static void ask(struct election *election, uint64_t now_ms)
{
	election->leader = ELECTION_NOBODY;
	if (all_above_are_gone(election)) {
		lead(election, election->term, now_ms);
		return;
	}
	election->role = ELECTION_ASKS;
	election->due_ms = now_ms + election->options.leader_patience_ms / 2;
	for (uint32_t i = election->options.id + 1; i < election->options.count; i++)
		send(election, i, ELECTION_ASK);
}

void election_init(
	struct election *election, const struct election_options *options, uint64_t now_ms)
{
	assert(options->count <= ELECTION_WATCHERS_MAX && options->id < options->count);
	*election = (struct election){
		.options = *options, .leader = ELECTION_NOBODY, .last_ms = now_ms};
	ask(election, now_ms);
	assert_sound(election, 0);
}

static void tick(struct election *election, uint64_t now_ms)
{
	uint64_t asleep_ms = now_ms - election->last_ms;

	election->last_ms = now_ms;
	if (asleep_ms >= election->options.leader_patience_ms) {
		/* We were stopped. What we know is old, and others may have gone on without us. */
		ask(election, now_ms);
		return;
	}
	if (now_ms < election->due_ms)
		return;
	switch (election->role) {
	case ELECTION_LEADS: announce(election, now_ms); break;
	case ELECTION_ASKS: lead(election, election->term, now_ms); break;
	case ELECTION_FOLLOWS:
	case ELECTION_WAITS: ask(election, now_ms); break;
	}
}

void election_tick(struct election *election, uint64_t now_ms)
{
	uint64_t term = election->term;

	tick(election, now_ms);
	assert_sound(election, term);
}

/* A reign that we have not heard of: ours must come after it. */
static void learn_term(struct election *election, uint64_t term, uint64_t now_ms)
{
	if (term <= election->term)
		return;
	if (election->role == ELECTION_LEADS)
		lead(election, term, now_ms);
	else
		election->term = term;
}

static void on_ask(struct election *election, uint32_t from)
{
	if (from > election->options.id)
		return;
	/* While we follow a leader, there is one for it, too, even if it cannot be heard there. */
	send(election, from, ELECTION_ANSWER);
	if (election->role == ELECTION_LEADS)
		send(election, from, ELECTION_LEADER);
}

static void on_answer(struct election *election, uint32_t from, uint64_t now_ms)
{
	if (from < election->options.id)
		return;
	if (election->role == ELECTION_LEADS) {
		ask(election, now_ms);
	} else if (election->role == ELECTION_ASKS) {
		election->role = ELECTION_WAITS;
		election->due_ms = now_ms + election->options.leader_patience_ms;
	}
}

/* One above us leads. */
static void on_higher_leader(
	struct election *election, uint32_t from, uint64_t term, uint64_t now_ms)
{
	if (is_contested(election, term))
		/* A term has one leader: hearing of us it begins the next one. */
		send(election, from, ELECTION_LEADER);
	else if (term >= election->term)
		follow(election, from, term, now_ms);
	else
		/* It has not heard of the last reign: our term tells it. */
		send(election, from, ELECTION_ASK);
}

/* It is ours or somebody else's to lead, but not its. */
static void on_lower_leader(
	struct election *election, uint32_t from, uint64_t term, uint64_t now_ms)
{
	if (is_contested(election, term))
		lead(election, term, now_ms);
	else
		learn_term(election, term, now_ms);
	if (election->role == ELECTION_LEADS)
		send(election, from, ELECTION_LEADER);
	else if (election->role == ELECTION_FOLLOWS)
		send(election, from, ELECTION_ANSWER);
}

static void on_message(struct election *election, uint32_t from, enum election_message message,
	uint64_t term, uint64_t now_ms)
{
	election->gone[from] = false;
	election->heard_ms[from] = now_ms;
	if (message == ELECTION_LEADER) {
		if (from > election->options.id)
			on_higher_leader(election, from, term, now_ms);
		else
			on_lower_leader(election, from, term, now_ms);
		return;
	}
	learn_term(election, term, now_ms);
	if (message == ELECTION_ASK)
		on_ask(election, from);
	else
		on_answer(election, from, now_ms);
}

void election_on_message(struct election *election, uint32_t from, enum election_message message,
	uint64_t term, uint64_t now_ms)
{
	uint64_t before = election->term;

	if (from >= election->options.count || from == election->options.id ||
		term > ELECTION_TERM_MAX)
		return;
	on_message(election, from, message, term, now_ms);
	assert_sound(election, before);
}

static void on_link(struct election *election, uint32_t peer, bool up, uint64_t now_ms)
{
	election->gone[peer] = !up;
	if (up) {
		/* A newcomer need not wait for the next heartbeat. */
		if (election->role == ELECTION_LEADS)
			send(election, peer, ELECTION_LEADER);
		return;
	}
	if (election->role == ELECTION_FOLLOWS && election->leader == peer)
		ask(election, now_ms);
	else if ((election->role == ELECTION_ASKS || election->role == ELECTION_WAITS) &&
		 all_above_are_gone(election))
		lead(election, election->term, now_ms);
}

void election_on_link(struct election *election, uint32_t peer, bool up, uint64_t now_ms)
{
	uint64_t term = election->term;

	if (peer >= election->options.count || peer == election->options.id)
		return;
	on_link(election, peer, up, now_ms);
	assert_sound(election, term);
}
