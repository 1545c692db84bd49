#include "exec/table/group_table.h"
#include "base/cpu_clones.h"
#include "base/memory.h"
#include "column/canonical.h"
#include "exec/table/group_keep.h"
#include "exec/table/key_view.h"

#include <stdlib.h>
#include <string.h>

#define CAPACITY_MIN 256
/*
 * Small indexes stay in the first cache level: they can afford to be mostly empty, which makes the
 * first slot nearly always the right one. Large ones are filled well and grow by less.
 */
#define CAPACITY_SPARSE	 (16u << 10)
#define CAPACITY_DOUBLES (1u << 19)
/* Slots behind the last home for what is pushed over the end; more are added when they are full. */
#define SLACK	    64
#define PAGE_BYTES  (32u << 10)
#define ARENA_BLOCK (64u << 10)
/* Rows and index above this do not stay in the second cache level: fetch them ahead. */
#define PREFETCH_BYTES (256u << 10)
#define PREFETCH_BLOCK 64
/* The most key words for which there is a specialised loop. */
#define WORDS_MAX 4
/* Keys of a batch that differ in no more bits than this are looked up in an array. */
#define DIRECT_BITS_MAX 9

#define HASH_SEED UINT64_C(0x9e3779b97f4a7c15)

#define TAG_BITS   31
#define SLOT_EMPTY UINT64_MAX

/* Working space of one find. */
struct group_scratch {
	struct arena arena; /* converted keys of the batch */
	struct key_view *views;
	const uint64_t *words[WORDS_MAX]; /* of all keys, for the specialised loops */
	uint32_t tags[BATCH_ROWS_MAX];
	uint16_t misses[BATCH_ROWS_MAX];
	uint64_t *masks; /* null masks by k, where some view has NULLs */
};

static inline uint32_t tag_of(uint64_t hash)
{
	return (uint32_t)hash >> (32 - TAG_BITS);
}

static inline uint32_t tag_home(const struct group_table *table, uint32_t tag)
{
	return (uint32_t)((uint64_t)tag * table->capacity >> TAG_BITS);
}

static inline uint32_t slot_tag(uint64_t slot)
{
	return (uint32_t)(slot >> 32);
}

static inline uint32_t slot_row(uint64_t slot)
{
	return (uint32_t)slot;
}

static void set_capacity(struct group_table *table, uint32_t capacity)
{
	size_t old = table->slot_count;

	table->capacity = capacity;
	table->grow_at = capacity <= CAPACITY_SPARSE ? capacity / 4 : capacity / 4 * 3;
	table->slot_count = (size_t)capacity + SLACK;
	table->slots = memory_realloc(table->slots, table->slot_count * sizeof(*table->slots));
	memset(table->slots + old, 0xff, (table->slot_count - old) * sizeof(*table->slots));
}

/* At `position`; what is there and behind it moves up. */
static inline void insert_slot_at(struct group_table *table, uint64_t slot, size_t position)
{
	while (slot != SLOT_EMPTY) {
		uint64_t moved = table->slots[position];

		table->slots[position++] = slot;
		slot = moved;
	}
	/* The last slot is always empty, so that every search ends. */
	if (position == table->slot_count) {
		table->slot_count += SLACK;
		table->slots =
			memory_realloc(table->slots, table->slot_count * sizeof(*table->slots));
		memset(table->slots + position, 0xff, SLACK * sizeof(*table->slots));
	}
}

/* At the first slot from its home on with a greater tag. */
static void insert_slot(struct group_table *table, uint64_t slot)
{
	size_t position = tag_home(table, slot_tag(slot));

	while (slot_tag(table->slots[position]) < slot_tag(slot))
		position++;
	insert_slot_at(table, slot, position);
}

/*
 * In place, from the end: a slot's new home lies behind its old place, so that it can be put there
 * among slots that have been moved already. Only near the start, where homes move by less than
 * slots were pushed away from them, the slots are set aside first.
 */
static void grow(struct group_table *table)
{
	enum { START = 1024 };
	uint32_t old_capacity = table->capacity;
	size_t old_count = table->slot_count, aside_count = START < old_count ? START : old_count;
	size_t i = old_count;
	uint64_t capacity = old_capacity < CAPACITY_DOUBLES ? 2 * (uint64_t)old_capacity
							    : 3 * (uint64_t)old_capacity / 2;
	uint64_t *aside;

	set_capacity(table, capacity < 1u << TAG_BITS ? (uint32_t)capacity : 1u << TAG_BITS);
	for (; i > aside_count; i--) {
		uint64_t slot = table->slots[i - 1];

		if (slot == SLOT_EMPTY)
			continue;
		if (tag_home(table, slot_tag(slot)) < i - 1) {
			aside_count = i;
			break;
		}
		table->slots[i - 1] = SLOT_EMPTY;
		insert_slot(table, slot);
	}
	aside = memory_alloc(aside_count * sizeof(*aside));
	memcpy(aside, table->slots, aside_count * sizeof(*aside));
	memset(table->slots, 0xff, aside_count * sizeof(*aside));
	for (i = aside_count; i > 0; i--) {
		if (aside[i - 1] != SLOT_EMPTY)
			insert_slot(table, aside[i - 1]);
	}
	free(aside);
}

void group_table_init(
	struct group_table *table, uint32_t key_count, const struct type *types, size_t state_size)
{
	uint32_t offset = 0;

	memset(table, 0, sizeof(*table));
	table->key_count = key_count;
	table->keys = memory_zalloc((key_count + 1) * sizeof(*table->keys));
	table->fixed = true;
	for (uint32_t i = 0; i < key_count; i++) {
		struct group_key *key = &table->keys[i];

		key->type = types[i];
		key->physical = type_physical(types[i].kind);
		key->offset = offset;
		offset += physical_size(key->physical) > 8 ? 16 : 8;
		table->fixed &= key->physical != PHYSICAL_TEXT && key->physical != PHYSICAL_LIST &&
				key->physical != PHYSICAL_INTERVAL;
	}
	table->word_count = offset / 8;
	for (uint32_t i = 0; i < key_count; i++) {
		if (table->keys[i].physical != PHYSICAL_NUM)
			continue;
		table->keys[i].scale_offset = offset;
		offset += sizeof(uint16_t);
	}
	table->state_offset = (offset + 7) & ~7u;
	table->row_size = table->state_offset + (uint32_t)((state_size + 7) & ~(size_t)7);
	table->null_words = (key_count + 63) / 64;
	while (table->page_shift < 11 && (table->row_size << (table->page_shift + 1)) <= PAGE_BYTES)
		table->page_shift++;
	set_capacity(table, CAPACITY_MIN);
	arena_init(&table->arena, ARENA_BLOCK);
	table->scratch = memory_alloc(sizeof(*table->scratch));
	arena_init(&table->scratch->arena, ARENA_BLOCK);
	table->scratch->views = memory_zalloc((key_count + 1) * sizeof(struct key_view));
}

static void free_scratch(struct group_table *table)
{
	if (!table->scratch)
		return;
	arena_release(&table->scratch->arena);
	free(table->scratch->views);
	free(table->scratch);
	table->scratch = NULL;
}

void group_table_release(struct group_table *table)
{
	for (uint32_t page = 0; page < table->page_count; page++) {
		free(table->pages[page]);
		if (table->null_pages)
			free(table->null_pages[page]);
	}
	free(table->pages);
	free(table->null_pages);
	free(table->slots);
	free(table->keys);
	arena_release(&table->arena);
	free_scratch(table);
	memset(table, 0, sizeof(*table));
}

void group_table_clear(struct group_table *table)
{
	for (uint32_t page = 0; table->null_pages && page < table->page_count; page++)
		free(table->null_pages[page]);
	free(table->null_pages);
	table->null_pages = NULL;
	table->count = 0;
	memset(table->slots, 0xff, table->slot_count * sizeof(*table->slots));
	/* The block that a reset keeps may be a huge one. */
	if (table->arena.held > 2 * ARENA_BLOCK)
		arena_release(&table->arena);
	else
		arena_reset(&table->arena);
}

static uint64_t *null_mask(const struct group_table *table, uint32_t index)
{
	uint64_t *page = table->null_pages ? table->null_pages[index >> table->page_shift] : NULL;

	return page ? page + (size_t)(index & ((1u << table->page_shift) - 1)) * table->null_words
		    : NULL;
}

static void add_null_mask(struct group_table *table, uint32_t index, const uint64_t *mask)
{
	size_t words = (size_t)table->null_words << table->page_shift;
	uint32_t page = index >> table->page_shift;

	if (!table->null_pages)
		table->null_pages = memory_zalloc(table->page_count * sizeof(*table->null_pages));
	if (!table->null_pages[page])
		table->null_pages[page] = memory_zalloc(words * sizeof(uint64_t));
	memcpy(null_mask(table, index), mask, table->null_words * sizeof(*mask));
}

static void add_page(struct group_table *table)
{
	uint32_t page = table->page_count++;

	table->pages = memory_realloc(table->pages, table->page_count * sizeof(*table->pages));
	table->pages[page] = memory_alloc((size_t)table->row_size << table->page_shift);
	if (!table->null_pages)
		return;
	table->null_pages =
		memory_realloc(table->null_pages, table->page_count * sizeof(*table->null_pages));
	table->null_pages[page] = NULL;
}

static bool row_equal(const struct group_table *table, uint32_t row, uint32_t k,
	const uint64_t *mask, uint32_t index)
{
	const struct key_view *views = table->scratch->views;
	const uint64_t *kept_mask = null_mask(table, index);
	const uint8_t *kept = group_table_row(table, index);

	for (uint32_t w = 0; w < table->null_words; w++) {
		if ((mask ? mask[w] : 0) != (kept_mask ? kept_mask[w] : 0))
			return false;
	}
	for (uint32_t i = 0; i < table->key_count; i++) {
		bool is_null = mask && (mask[i / 64] >> (i % 64) & 1);

		if (!is_null && !key_view_equal(&views[i], row, k, kept + table->keys[i].offset))
			return false;
	}
	return true;
}

static uint8_t *add_row(struct group_table *table, uint32_t row, uint32_t k, const uint64_t *mask)
{
	uint32_t index = table->count++;
	const struct key_view *views = table->scratch->views;
	bool any_null = false;
	uint8_t *added;

	if (index >> table->page_shift == table->page_count)
		add_page(table);
	added = group_table_row(table, index);
	memset(added, 0, table->row_size);
	for (uint32_t w = 0; mask && w < table->null_words; w++)
		any_null |= mask[w] != 0;
	if (any_null)
		add_null_mask(table, index, mask);
	for (uint32_t i = 0; i < table->key_count; i++) {
		if (!any_null || !(mask[i / 64] >> (i % 64) & 1))
			key_view_write(
				&views[i], row, k, added + table->keys[i].offset, &table->arena);
	}
	return added;
}

/* One row at a time, any kind of key. */
static uint8_t *find_or_add(
	struct group_table *table, uint32_t row, uint32_t k, const uint64_t *mask)
{
	uint32_t tag = table->scratch->tags[k];
	size_t position = tag_home(table, tag);

	while (slot_tag(table->slots[position]) < tag)
		position++;
	for (; slot_tag(table->slots[position]) == tag; position++) {
		uint32_t index = slot_row(table->slots[position]);

		if (row_equal(table, row, k, mask, index))
			return group_table_row(table, index);
	}
	if (table->count >= table->grow_at)
		grow(table);
	insert_slot(table, (uint64_t)tag << 32 | table->count);
	return add_row(table, row, k, mask);
}

static inline __attribute__((always_inline)) uint64_t words_difference(
	const uint64_t *kept, const uint64_t *const *words, uint32_t word_count, uint32_t k)
{
	uint64_t difference = 0;

	for (uint32_t w = 0; w < word_count; w++)
		difference |= kept[w] ^ words[w][k];
	return difference;
}

/*
 * As find_or_add, for keys that are words and never NULL. Where groups are nearly as many as rows,
 * most rows come here.
 */
static uint8_t *find_or_add_words(struct group_table *table, uint32_t k)
{
	const uint64_t *const *words = table->scratch->words;
	uint32_t tag = table->scratch->tags[k];
	size_t position = tag_home(table, tag);
	uint32_t index;
	uint64_t *added;

	while (slot_tag(table->slots[position]) < tag)
		position++;
	for (; slot_tag(table->slots[position]) == tag; position++) {
		uint8_t *kept = group_table_row(table, slot_row(table->slots[position]));

		if (!words_difference((const uint64_t *)kept, words, table->word_count, k))
			return kept;
	}
	index = table->count;
	if (index >= table->grow_at) {
		grow(table);
		insert_slot(table, (uint64_t)tag << 32 | index);
	} else {
		insert_slot_at(table, (uint64_t)tag << 32 | index, position);
	}
	table->count++;
	if (index >> table->page_shift == table->page_count)
		add_page(table);
	added = (uint64_t *)group_table_row(table, index);
	memset(added, 0, table->row_size);
	for (uint32_t w = 0; w < table->word_count; w++)
		added[w] = words[w][k];
	return (uint8_t *)added;
}

static inline __attribute__((always_inline)) void hash_words(uint32_t *tags,
	const uint64_t *const *words, uint32_t word_count, uint32_t start, uint32_t end)
{
	for (uint32_t k = start; k < end; k++) {
		uint64_t hash = HASH_SEED;

		for (uint32_t w = 0; w < word_count; w++)
			hash = key_mix(hash, words[w][k]);
		tags[k] = tag_of(hash);
	}
}

static inline uint64_t first_slot(const struct group_table *table, uint32_t tag)
{
	const uint64_t *slot = &table->slots[tag_home(table, tag)];

	while (slot_tag(*slot) < tag)
		slot++;
	return *slot;
}

/*
 * Finds the rows start .. end - 1 whose keys stand in the first slot with their tag and returns how
 * many others there are, in `misses`. Inlined with a constant number of words.
 */
static inline __attribute__((always_inline)) uint32_t probe_words(const struct group_table *shared,
	uint32_t word_count, uint32_t start, uint32_t end, uint8_t **rows)
{
	/* A copy that no store can change lets the compiler keep its fields in registers. */
	const struct group_table table = *shared;
	uint32_t *tags = table.scratch->tags;
	uint16_t *misses = table.scratch->misses;
	const uint64_t *words[WORDS_MAX];
	uint32_t missed = 0;

	for (uint32_t w = 0; w < word_count; w++)
		words[w] = table.scratch->words[w];
	hash_words(tags, words, word_count, start, end);
	for (uint32_t k = start; k < end; k++) {
		uint64_t slot = first_slot(&table, tags[k]);
		uint64_t difference = 1;

		if (slot_tag(slot) == tags[k]) {
			uint8_t *row = group_table_row(&table, slot_row(slot));

			rows[k] = row;
			difference = words_difference((const uint64_t *)row, words, word_count, k);
		}
		misses[missed] = (uint16_t)k;
		missed += difference != 0;
	}
	return missed;
}

/* The same for a table that is not in the cache: three passes, each fetching ahead for the next. */
static inline __attribute__((always_inline)) uint32_t probe_words_ahead(
	const struct group_table *shared, uint32_t word_count, uint32_t start, uint32_t end,
	uint8_t **rows)
{
	const struct group_table table = *shared;
	uint32_t *tags = table.scratch->tags;
	uint16_t *misses = table.scratch->misses;
	const uint64_t *words[WORDS_MAX];
	uint32_t missed = 0;

	for (uint32_t w = 0; w < word_count; w++)
		words[w] = table.scratch->words[w];
	hash_words(tags, words, word_count, start, end);
	for (uint32_t k = start; k < end; k++)
		__builtin_prefetch(&table.slots[tag_home(&table, tags[k])]);
	for (uint32_t k = start; k < end; k++) {
		uint64_t slot = first_slot(&table, tags[k]);

		rows[k] = NULL;
		if (slot_tag(slot) != tags[k])
			continue;
		rows[k] = group_table_row(&table, slot_row(slot));
		__builtin_prefetch(rows[k], 1);
	}
	for (uint32_t k = start; k < end; k++) {
		const uint64_t *kept = (const uint64_t *)rows[k];

		misses[missed] = (uint16_t)k;
		missed += !kept || words_difference(kept, words, word_count, k) != 0;
	}
	return missed;
}

/* Through pointers, so that each keeps its loops and its registers to itself. */
typedef uint32_t (*probe_function)(
	const struct group_table *table, uint32_t start, uint32_t end, uint8_t **rows);

#define DEFINE_PROBES(word_count)                                                              \
	static uint32_t probe_##word_count(                                                    \
		const struct group_table *table, uint32_t start, uint32_t end, uint8_t **rows) \
	{                                                                                      \
		return probe_words(table, word_count, start, end, rows);                       \
	}                                                                                      \
                                                                                               \
	static uint32_t probe_##word_count##_ahead(                                            \
		const struct group_table *table, uint32_t start, uint32_t end, uint8_t **rows) \
	{                                                                                      \
		return probe_words_ahead(table, word_count, start, end, rows);                 \
	}

DEFINE_PROBES(1)
DEFINE_PROBES(2)
DEFINE_PROBES(3)
DEFINE_PROBES(4)

static const probe_function probes[WORDS_MAX][2] = {
	{probe_1, probe_1_ahead},
	{probe_2, probe_2_ahead},
	{probe_3, probe_3_ahead},
	{probe_4, probe_4_ahead},
};

/* Any kind of key. Nothing is found yet: every row is a miss, with its tag. */
static uint32_t probe_any(
	const struct group_table *table, const struct batch *batch, uint32_t start, uint32_t end)
{
	struct group_scratch *scratch = table->scratch;
	uint64_t hashes[PREFETCH_BLOCK];

	for (uint32_t k = start; k < end; k++) {
		scratch->misses[k - start] = (uint16_t)k;
		hashes[k - start] = HASH_SEED;
	}
	for (uint32_t i = 0; i < table->key_count; i++) {
		for (uint32_t k = start; k < end; k++)
			hashes[k - start] = key_view_mix(
				hashes[k - start], &scratch->views[i], batch_row(batch, k), k);
	}
	for (uint32_t k = start; k < end; k++) {
		scratch->tags[k] = tag_of(hashes[k - start]);
		__builtin_prefetch(&table->slots[tag_home(table, scratch->tags[k])]);
	}
	for (uint32_t k = start; k < end; k++) {
		uint64_t slot = first_slot(table, scratch->tags[k]);

		if (slot_tag(slot) == scratch->tags[k])
			__builtin_prefetch(group_table_row(table, slot_row(slot)));
	}
	return end - start;
}

/* A single key that is a text and never NULL. */
static uint32_t probe_text(const struct group_table *table, const struct batch *batch,
	uint32_t start, uint32_t end, uint8_t **rows)
{
	struct group_scratch *scratch = table->scratch;
	const struct column *column = scratch->views[0].column;
	uint32_t missed = 0;

	for (uint32_t k = start; k < end; k++) {
		struct text text = column->text[column_index(column, batch_row(batch, k))];

		scratch->tags[k] = tag_of(key_mix(HASH_SEED, text_hash(text)));
		__builtin_prefetch(&table->slots[tag_home(table, scratch->tags[k])]);
	}
	for (uint32_t k = start; k < end; k++) {
		uint64_t slot = first_slot(table, scratch->tags[k]);
		bool found = slot_tag(slot) == scratch->tags[k];

		rows[k] = found ? group_table_row(table, slot_row(slot)) : NULL;
		__builtin_prefetch(rows[k]);
	}
	for (uint32_t k = start; k < end; k++)
		if (rows[k])
			__builtin_prefetch(((const struct text *)rows[k])->data);
	for (uint32_t k = start; k < end; k++) {
		struct text text = column->text[column_index(column, batch_row(batch, k))];

		scratch->misses[missed] = (uint16_t)k;
		missed += !rows[k] || !text_equal(*(const struct text *)rows[k], text);
	}
	return missed;
}

/* The specialised loops take keys that are a few plain words, none of them NULL. */
static bool takes_words(struct group_table *table, bool nulls)
{
	uint32_t count = 0;

	if (!table->fixed || nulls || table->null_pages || table->word_count == 0 ||
		table->word_count > WORDS_MAX)
		return false;
	for (uint32_t i = 0; i < table->key_count; i++) {
		const struct key_view *view = &table->scratch->views[i];

		if (view->has_long)
			return false;
		table->scratch->words[count++] = view->words;
		if (view->physical == PHYSICAL_NUM)
			table->scratch->words[count++] = view->high;
	}
	return true;
}

/* Which bits differ between the keys of a batch, and so tell its groups apart. */
struct key_bits {
	uint32_t word_count; /* words that differ at all */
	const uint64_t *words[WORDS_MAX];
	uint64_t masks[WORDS_MAX];
	uint32_t shifts[WORDS_MAX];
	uint32_t bits; /* of all of them */
};

/* False when they are too many for a small array, or the rows too few to be worth one. */
CPU_CLONES static bool key_bits_find(
	const struct group_table *table, uint32_t count, struct key_bits *out)
{
	out->word_count = out->bits = 0;
	for (uint32_t w = 0; w < table->word_count; w++) {
		const uint64_t *words = table->scratch->words[w];
		uint64_t difference = 0;

		for (uint32_t k = 0; k < count; k++)
			difference |= words[k] ^ words[0];
		if (difference == 0)
			continue;
		out->words[out->word_count] = words;
		out->shifts[out->word_count] = out->bits;
		out->bits += 64 - (uint32_t)__builtin_clzll(difference);
		if (out->bits > DIRECT_BITS_MAX || 4u << out->bits > count)
			return false;
		out->masks[out->word_count++] = UINT64_MAX >> (uint32_t)__builtin_clzll(difference);
	}
	return true;
}

/*
 * The rows of a batch with few distinct keys, as a month's sales by item have: the bits in which
 * its keys differ are an index into a small array, and only the first row of a key is looked up.
 */
static inline __attribute__((always_inline)) void find_direct(struct group_table *table,
	const struct batch *batch, const struct key_bits *bits, uint32_t word_count, uint8_t **rows,
	uint16_t *created, uint32_t *created_count)
{
	uint8_t *found[1 << DIRECT_BITS_MAX];

	memset(found, 0, sizeof(*found) << bits->bits);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint64_t index = 0;

		for (uint32_t w = 0; w < word_count; w++)
			index |= (bits->words[w][k] & bits->masks[w]) << bits->shifts[w];
		if (!found[index]) {
			uint32_t before = table->count;

			hash_words(table->scratch->tags, table->scratch->words, table->word_count,
				k, k + 1);
			found[index] = find_or_add(table, batch_row(batch, k), k, NULL);
			created[*created_count] = (uint16_t)k;
			*created_count += table->count != before;
		}
		rows[k] = found[index];
	}
}

CPU_CLONES int group_table_find(struct group_table *table, const struct batch *batch,
	const uint32_t *keys, uint8_t **rows, uint16_t *created, uint32_t *created_count,
	struct error *err)
{
	struct group_scratch *scratch = table->scratch;
	bool ahead = group_table_bytes(table) > PREFETCH_BYTES;
	bool nulls, words, text;
	struct key_bits bits;
	uint32_t block;

	*created_count = 0;
	if (table->key_count == 0 && table->count > 0) {
		for (uint32_t k = 0; k < batch->selected; k++)
			rows[k] = table->pages[0];
		return 0;
	}
	if (table->count >= GROUP_TABLE_ROWS_MAX)
		return error_set(err, ERROR_LIMIT, "more than %u groups", GROUP_TABLE_ROWS_MAX);
	arena_reset(&scratch->arena);
	nulls = key_views_make(scratch->views, table->key_count, batch, keys, &scratch->arena);
	words = takes_words(table, nulls);
	text = table->key_count == 1 && table->keys[0].physical == PHYSICAL_TEXT && !nulls &&
	       !table->null_pages;
	if (words && key_bits_find(table, batch->selected, &bits)) {
		if (bits.word_count == 1) /* with a loop of its own: it is the usual case */
			find_direct(table, batch, &bits, 1, rows, created, created_count);
		else
			find_direct(
				table, batch, &bits, bits.word_count, rows, created, created_count);
		group_keep_scales(table, scratch->views, batch, rows);
		return 0;
	}
	/* Misses are added while what was fetched for their block is still near. */
	block = words && !ahead ? BATCH_ROWS_MAX : PREFETCH_BLOCK;
	if (nulls)
		scratch->masks = key_views_masks(scratch->views, table->key_count, batch,
			table->null_words, &scratch->arena);
	for (uint32_t start = 0; start < batch->selected; start += block) {
		uint32_t rest = batch->selected - start;
		uint32_t end = start + (rest < block ? rest : block);
		uint32_t missed;

		if (words)
			missed = probes[table->word_count - 1][ahead](table, start, end, rows);
		else if (text)
			missed = probe_text(table, batch, start, end, rows);
		else
			missed = probe_any(table, batch, start, end);
		for (uint32_t m = 0; m < missed; m++) {
			uint32_t k = scratch->misses[m];
			uint32_t before = table->count;
			const uint64_t *mask =
				nulls ? scratch->masks + (size_t)k * table->null_words : NULL;

			rows[k] = words ? find_or_add_words(table, k)
					: find_or_add(table, batch_row(batch, k), k, mask);
			created[*created_count] = (uint16_t)k;
			*created_count += table->count != before;
		}
	}
	group_keep_shown(table, scratch->views, batch, rows);
	return 0;
}

/* The number of the k-th row that is read: from `first` on, or one of a list. */
static inline uint32_t number_at(const uint32_t *numbers, uint32_t first, uint32_t k)
{
	return numbers ? numbers[k] : first + k;
}

/* The scale is the greatest one that the group's keys were written with. */
static void read_numeric(const struct group_table *table, const struct group_key *key,
	const uint32_t *numbers, uint32_t first, uint32_t count, numeric *out, struct arena *arena)
{
	for (uint32_t k = 0; k < count; k++) {
		const uint8_t *row = group_table_row(table, number_at(numbers, first, k));
		unsigned scale = *(const uint16_t *)(row + key->scale_offset);
		numeric value;

		memcpy(&value, row + key->offset, sizeof(value));
		if (scale <= numeric_display_scale(value))
			out[k] = value;
		else if (!numeric_round(value, (int)scale, &out[k]))
			out[k] = numeric_long_at_scale(value, scale, arena);
	}
}

static inline __attribute__((always_inline)) void read_key(const struct group_table *table,
	uint32_t key_index, const uint32_t *numbers, uint32_t first, uint32_t count,
	struct column *out, struct arena *arena)
{
	const struct group_key *key = &table->keys[key_index];
	size_t size = physical_size(key->physical);

	column_init(out, key->type, count, arena);
	if (key->physical == PHYSICAL_NUM)
		read_numeric(table, key, numbers, first, count, out->num, arena);
	for (uint32_t k = 0; key->physical != PHYSICAL_NUM && k < count; k++) {
		const uint8_t *slot =
			group_table_row(table, number_at(numbers, first, k)) + key->offset;

		if (size == 8)
			memcpy(&out->i64[k], slot, 8);
		else /* a boolean is the first byte of its word */
			memcpy((char *)out->values + k * size, slot, size);
	}
	for (uint32_t k = 0; table->null_pages && k < count; k++) {
		const uint64_t *mask = null_mask(table, number_at(numbers, first, k));

		if (!mask || !(mask[key_index / 64] >> (key_index % 64) & 1))
			continue;
		column_add_validity(out, count, arena);
		out->valid[k] = 0;
	}
}

void group_table_read_key(const struct group_table *table, uint32_t key, uint32_t first,
	uint32_t count, struct column *out, struct arena *arena)
{
	read_key(table, key, NULL, first, count, out, arena);
}

void group_table_read_key_at(const struct group_table *table, uint32_t key, const uint32_t *numbers,
	uint32_t count, struct column *out, struct arena *arena)
{
	read_key(table, key, numbers, 0, count, out, arena);
}

void group_table_drop_before(struct group_table *table, uint32_t index)
{
	free(table->slots);
	table->slots = NULL;
	table->slot_count = 0;
	free_scratch(table);
	for (uint32_t page = index >> table->page_shift; page-- > 0 && table->pages[page];) {
		free(table->pages[page]);
		table->pages[page] = NULL;
	}
}

size_t group_table_bytes(const struct group_table *table)
{
	size_t page = (size_t)table->row_size << table->page_shift;

	return table->page_count * page + table->slot_count * sizeof(*table->slots) +
	       table->arena.held;
}
