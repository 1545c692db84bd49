#include "base/memory.h"
#include "csv/guess.h"
#include "csv/tally_private.h"

#include <assert.h>
#include <stdlib.h>

void csv_tally_init(struct csv_tally *tally, uint64_t kept_max)
{
	*tally = (struct csv_tally){.kept_max = kept_max};
	arena_init(&tally->arena, 4096);
}

void csv_tally_release(struct csv_tally *tally)
{
	arena_release(&tally->arena);
	free(tally->kept);
	tally->kept = NULL;
	tally->kept_count = tally->kept_capacity = 0;
	tally->doubts = NULL;
	tally->doubt_count = 0;
	tally->longest = (struct csv_long_record){0};
}

struct csv_reject *csv_tally_keep(struct csv_tally *tally)
{
	if (tally->kept_count >= tally->kept_max)
		return NULL;
	if (tally->kept_count == tally->kept_capacity) {
		tally->kept_capacity = tally->kept_capacity ? 2 * tally->kept_capacity : 16;
		tally->kept =
			memory_realloc(tally->kept, tally->kept_capacity * sizeof(*tally->kept));
	}
	return &tally->kept[tally->kept_count++];
}

const char *csv_tally_sample(struct csv_tally *tally, struct text text)
{
	uint32_t size = text.size < CSV_SAMPLE_MAX ? text.size : CSV_SAMPLE_MAX;

	return arena_strndup(&tally->arena, text.data, size);
}

struct csv_doubt *csv_tally_doubt(
	struct csv_tally *tally, uint32_t column_count, uint32_t column, unsigned kinds)
{
	struct csv_doubt *doubt;

	assert(column < column_count);
	if (!tally->doubts) {
		tally->doubts = arena_zalloc(&tally->arena, column_count * sizeof(*tally->doubts));
		tally->doubt_count = column_count;
	}
	assert(tally->doubt_count == column_count);
	doubt = &tally->doubts[column];
	if (doubt->sample) {
		doubt->kinds &= kinds;
		return NULL;
	}
	doubt->kinds = kinds;
	return doubt;
}
