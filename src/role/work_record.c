#include "role/work_record.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define FORMAT 0x74616d697a02ull

static _Thread_local uint32_t current_slot = WORK_SLOT_NONE;

/* --- work that is under way ----------------------------------------------------------------------
 */

static void note_keeper(struct work_record *record, uint64_t job)
{
	unsigned long keeper = 0;

	if (!atomic_compare_exchange_strong(&record->keeper, &keeper, job) && keeper != job)
		atomic_store(&record->keeper, WORK_SEVERAL);
}

uint32_t work_record_begin(struct work_record *record, const struct work_place *place)
{
	assert(place->first < place->end);
	if (record && place->keeps)
		note_keeper(record, place->job);
	for (uint32_t i = 0; record && i < WORK_RECORD_SLOTS; i++) {
		struct work_slot *slot = &record->slots[i];
		unsigned int is_taken = 0;

		if (!atomic_compare_exchange_strong(&slot->is_taken, &is_taken, 1))
			continue;
		slot->place = *place;
		current_slot = i;
		return i;
	}
	return WORK_SLOT_NONE;
}

void work_record_leave(void)
{
	current_slot = WORK_SLOT_NONE;
}

bool work_record_is_working(void)
{
	return current_slot != WORK_SLOT_NONE;
}

void work_record_note_end_of(struct work_record *record, uint32_t slot, uint32_t end)
{
	unsigned int before = WORK_END_UNKNOWN;

	assert(end >> WORK_END_BITS == 0);
	if (record)
		atomic_compare_exchange_strong(&record->end, &before, end | slot << WORK_END_BITS);
}

void work_record_note_end(struct work_record *record, uint32_t end)
{
	work_record_note_end_of(record, current_slot, end);
}

/* --- suspects ------------------------------------------------------------------------------------
 */

static bool overlaps(const struct work_place *a, const struct work_place *b)
{
	return a->first < b->end && b->first < a->end;
}

/* How many there are; a file that was damaged while we run may say more than there can be. */
static uint32_t suspects(const struct work_record *record)
{
	return record->suspect_count <= WORK_RECORD_SUSPECTS ? record->suspect_count : 0;
}

/* Of one stream of one job there is one suspect at most; NULL: none. */
static struct work_suspect *find(const struct work_record *record, const struct work_place *place)
{
	for (uint32_t i = 0; i < suspects(record); i++) {
		const struct work_suspect *suspect = &record->suspects[i];

		if (suspect->place.job == place->job && suspect->place.stream == place->stream)
			return (struct work_suspect *)suspect;
	}
	return NULL;
}

static void clear(struct work_record *record, struct work_suspect *suspect)
{
	*suspect = record->suspects[--record->suspect_count];
}

/* When there are too many, the one with the least against it makes room. */
static struct work_suspect *add(struct work_record *record, const struct work_place *place)
{
	struct work_suspect *least = &record->suspects[0];

	record->suspect_count = suspects(record);
	if (record->suspect_count == WORK_RECORD_SUSPECTS) {
		for (uint32_t i = 1; i < WORK_RECORD_SUSPECTS; i++)
			if (record->suspects[i].proven + record->suspects[i].unproven <
				least->proven + least->unproven)
				least = &record->suspects[i];
		clear(record, least);
	}
	least = &record->suspects[record->suspect_count++];
	*least = (struct work_suspect){.place = *place};
	return least;
}

static void blame(
	struct work_record *record, const struct work_place *place, uint32_t end, bool proven)
{
	struct work_suspect *suspect = find(record, place);

	if (!suspect)
		suspect = add(record, place);
	/* It got somewhere else: what happened there does not count here. */
	else if (end == WORK_END_UNKNOWN && !overlaps(&suspect->place, place))
		suspect->unproven = 0;
	suspect->place = *place;
	suspect->end = end;
	suspect->unproven++;
	suspect->proven += proven;
	/* Of those that were there when the memory was used up, one did it. */
	if (end == WORK_END_MEMORY && suspect->proven == 0)
		suspect->proven = 1;
}

/* `end_slot` is what WORK_END_BITS have left of a slot. A signal that came outside of all work says no more than a kill. */
static bool is_nobodys_signal(uint32_t end, uint32_t end_slot)
{
	return end >= WORK_END_SIGNAL && end_slot == WORK_SLOT_NONE >> WORK_END_BITS;
}

static bool is_blamed(uint32_t slot, uint32_t end, uint32_t end_slot)
{
	return end == WORK_END_UNKNOWN || end == WORK_END_MEMORY || slot == end_slot;
}

/* Whether it is clear who did it when `taken` pieces were under way. */
static bool is_proof(const struct work_record *record, uint64_t job, uint32_t end, uint32_t taken)
{
	if (end != WORK_END_MEMORY)
		return end != WORK_END_UNKNOWN;
	return taken == 1 && (record->keeper == 0 || record->keeper == job);
}

static bool is_sane(const struct work_slot *slot)
{
	return slot->is_taken == 1 && slot->place.first < slot->place.end;
}

static void judge(struct work_record *record, uint32_t end, uint32_t end_slot)
{
	uint32_t taken = 0;

	if (is_nobodys_signal(end, end_slot))
		end = WORK_END_UNKNOWN;
	for (uint32_t i = 0; i < WORK_RECORD_SLOTS; i++)
		taken += is_sane(&record->slots[i]);
	for (uint32_t i = 0; i < WORK_RECORD_SLOTS; i++)
		if (is_sane(&record->slots[i]) && is_blamed(i, end, end_slot))
			blame(record, &record->slots[i].place, end,
				is_proof(record, record->slots[i].place.job, end, taken));
}

bool work_record_is_sane(const struct work_record *record)
{
	if (record->format != FORMAT || record->suspect_count > WORK_RECORD_SUSPECTS)
		return false;
	for (uint32_t i = 0; i < record->suspect_count; i++)
		if (record->suspects[i].place.first >= record->suspects[i].place.end)
			return false;
	return true;
}

void work_record_start(struct work_record *record, uint64_t oom_kills)
{
	uint32_t end, end_slot;

	if (!work_record_is_sane(record)) {
		memset(record, 0, sizeof(*record));
		record->format = FORMAT;
	}
	end = record->end & ((1u << WORK_END_BITS) - 1);
	end_slot = record->end >> WORK_END_BITS;
	if (end == WORK_END_UNKNOWN && oom_kills > record->oom_kills && record->oom_kills > 0)
		end = WORK_END_MEMORY;
	judge(record, end, end_slot);
	memset(record->slots, 0, sizeof(record->slots));
	record->end = WORK_END_UNKNOWN;
	record->keeper = 0;
	record->oom_kills = oom_kills;
}

void work_record_finish(struct work_record *record, uint32_t slot, bool progress)
{
	struct work_suspect *suspect;

	if (!record || slot == WORK_SLOT_NONE)
		return;
	/* The record is a file: what it says may have been changed under us, and is no reason to end. */
	assert(slot < WORK_RECORD_SLOTS);
	suspect = find(record, &record->slots[slot].place);
	if (progress && suspect && record->slots[slot].place.end >= suspect->place.end)
		clear(record, suspect);
	record->slots[slot].is_taken = 0;
}

bool work_record_suspects(const struct work_record *record, const struct work_place *place)
{
	const struct work_suspect *suspect = record ? find(record, place) : NULL;

	return suspect && place->end > suspect->place.first;
}

uint64_t work_record_goes_first(const struct work_record *record)
{
	const struct work_suspect *worst = NULL;

	for (uint32_t i = 0; record && i < suspects(record); i++) {
		const struct work_suspect *suspect = &record->suspects[i];

		if (suspect->end == WORK_END_MEMORY &&
			(!worst || suspect->proven > worst->proven ||
				(suspect->proven == worst->proven &&
					suspect->unproven > worst->unproven)))
			worst = suspect;
	}
	return worst ? worst->place.job : 0;
}

static void say_why(const struct work_suspect *suspect, const char *who, struct error *why)
{
	char cause[96];

	switch (suspect->end) {
	case WORK_END_UNKNOWN:
		snprintf(cause, sizeof(cause), "it was killed, or has exited without a word");
		break;
	case WORK_END_MEMORY:
		snprintf(cause, sizeof(cause),
			"it had no more memory: give it more, or ask for less at a time");
		break;
	case WORK_END_EXIT: snprintf(cause, sizeof(cause), "its process has exited"); break;
	default:
		snprintf(cause, sizeof(cause), "signal %u, a bug: please report it",
			suspect->end - WORK_END_SIGNAL);
	}
	error_set(why, suspect->end == WORK_END_MEMORY ? ERROR_LIMIT : ERROR_INTERNAL,
		"%s has ended %u times while it worked on this job, at the same place (%s)", who,
		suspect->unproven, cause);
}

bool work_record_condemns(
	const struct work_record *record, uint64_t job, const char *who, struct error *why)
{
	for (uint32_t i = 0; record && i < suspects(record); i++) {
		const struct work_suspect *suspect = &record->suspects[i];

		if (suspect->place.job != job || (suspect->proven < WORK_PROVEN_MAX &&
							 suspect->unproven < WORK_UNPROVEN_MAX))
			continue;
		say_why(suspect, who, why);
		return true;
	}
	return false;
}

void work_record_forget(struct work_record *record, uint64_t job)
{
	for (uint32_t i = record ? suspects(record) : 0; i > 0; i--)
		if (record->suspects[i - 1].place.job == job)
			clear(record, &record->suspects[i - 1]);
}
