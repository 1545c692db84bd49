#include "exec/agg/value_summary.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/varint.h"
#include "column/canonical.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN      64
#define REGISTER_BITS  14
#define REGISTER_COUNT (1u << REGISTER_BITS)
#define RANK_MAX       (64 - REGISTER_BITS + 1)
#define SCALE_MAX      16383
#define TOP_BIT	       (UINT64_C(1) << 63)

/* Values that are taken together; count 0: the slot is free. */
struct word_slot {
	uint64_t word; /* the least of them */
	uint64_t count;
};

struct text_slot {
	char *bytes;
	uint32_t size;
	uint64_t count;
};

struct value_summary {
	bool of_texts;
	bool overflowed; /* texts: they are too many. Words: some are taken together */
	bool rounded;	 /* values were, before they came */
	unsigned shift;	 /* low bits of words that do not count */
	uint32_t scale;
	uint32_t slot_count; /* a power of two */
	uint32_t used;
	struct word_slot *words;
	struct text_slot *texts;
	size_t text_bytes;
	uint8_t *registers; /* NULL: all that came is in the slots */
};

struct value_summary *value_summary_new(bool of_texts)
{
	struct value_summary *summary = memory_zalloc(sizeof(*summary));

	summary->of_texts = of_texts;
	summary->slot_count = SLOTS_MIN;
	if (of_texts)
		summary->texts = memory_zalloc(SLOTS_MIN * sizeof(*summary->texts));
	else
		summary->words = memory_zalloc(SLOTS_MIN * sizeof(*summary->words));
	return summary;
}

static void free_texts(struct value_summary *summary)
{
	for (uint32_t i = 0; summary->texts && i < summary->slot_count; i++)
		free(summary->texts[i].bytes);
	free(summary->texts);
	summary->texts = NULL;
}

void value_summary_free(struct value_summary *summary)
{
	if (!summary)
		return;
	free_texts(summary);
	free(summary->words);
	free(summary->registers);
	free(summary);
}

uint64_t summary_word_of_double(double value)
{
	uint64_t bits = CANONICAL_NAN;

	if (value == 0)
		value = 0; /* not -0 */
	if (value == value)
		memcpy(&bits, &value, sizeof(bits));
	return bits & TOP_BIT ? ~bits : bits | TOP_BIT;
}

double summary_double_of_word(uint64_t word)
{
	double value;

	word = word & TOP_BIT ? word & ~TOP_BIT : ~word;
	memcpy(&value, &word, sizeof(value));
	return value;
}

uint64_t summary_word_of_i64(int64_t value)
{
	return (uint64_t)value ^ TOP_BIT;
}

int64_t summary_i64_of_word(uint64_t word)
{
	return (int64_t)(word ^ TOP_BIT);
}

/* --- how many different ones ------------------------------------------------------------------------ */

static inline void note_hash(uint8_t *registers, uint64_t hash)
{
	uint32_t at = (uint32_t)(hash >> (64 - REGISTER_BITS));
	uint64_t rest = hash << REGISTER_BITS | (UINT64_C(1) << (REGISTER_BITS - 1));
	uint8_t rank = (uint8_t)(1 + __builtin_clzll(rest));

	if (rank > registers[at])
		registers[at] = rank;
}

/* O. Ertl, "New cardinality estimation algorithms for HyperLogLog sketches": without bias for any number of values. */
static double sigma(double x)
{
	double y = 1, z = x, before;

	do {
		x *= x;
		before = z;
		z += x * y;
		y += y;
	} while (z != before);
	return z;
}

static double tau(double x)
{
	double y = 1, z = 1 - x, before;

	if (x == 0 || x == 1)
		return 0;
	do {
		x = sqrt(x);
		before = z;
		y *= 0.5;
		z -= (1 - x) * (1 - x) * y;
	} while (z != before);
	return z / 3;
}

static uint64_t estimate(const uint8_t *registers)
{
	const double m = REGISTER_COUNT;
	uint32_t counts[RANK_MAX + 1] = {0};
	double z;

	for (uint32_t i = 0; i < REGISTER_COUNT; i++)
		counts[registers[i] <= RANK_MAX ? registers[i] : RANK_MAX]++;
	if (counts[0] == REGISTER_COUNT)
		return 0;
	z = m * tau(1 - counts[RANK_MAX] / m);
	for (uint32_t rank = RANK_MAX - 1; rank > 0; rank--)
		z = 0.5 * (z + counts[rank]);
	z += m * sigma(counts[0] / m);
	return (uint64_t)(m * m / (2 * log(2) * z) + 0.5);
}

/* --- words ------------------------------------------------------------------------------------------ */

static struct word_slot *word_slot(const struct value_summary *summary, uint64_t word)
{
	uint64_t key = word >> summary->shift;
	uint32_t mask = summary->slot_count - 1;
	uint32_t at = (uint32_t)hash_u64(key) & mask;

	while (summary->words[at].count > 0 && summary->words[at].word >> summary->shift != key)
		at = (at + 1) & mask;
	return &summary->words[at];
}

/* Puts all that is there into as many slots. */
static void place_words(struct value_summary *summary, uint32_t slot_count)
{
	struct word_slot *old = summary->words;
	uint32_t old_count = summary->slot_count;

	summary->words = memory_zalloc(slot_count * sizeof(*summary->words));
	summary->slot_count = slot_count;
	summary->used = 0;
	for (uint32_t i = 0; i < old_count; i++) {
		struct word_slot *slot;

		if (old[i].count == 0)
			continue;
		slot = word_slot(summary, old[i].word);
		if (slot->count == 0 || old[i].word < slot->word)
			slot->word = old[i].word;
		summary->used += slot->count == 0;
		slot->count += old[i].count;
	}
	free(old);
}

static void need_registers(struct value_summary *summary)
{
	if (summary->registers)
		return;
	summary->registers = memory_zalloc(REGISTER_COUNT);
	for (uint32_t i = 0; summary->words && i < summary->slot_count; i++)
		if (summary->words[i].count > 0)
			note_hash(summary->registers, hash_u64(summary->words[i].word));
	for (uint32_t i = 0; summary->texts && i < summary->slot_count; i++)
		if (summary->texts[i].count > 0)
			note_hash(summary->registers,
				hash_bytes(summary->texts[i].bytes, summary->texts[i].size));
}

/* So many that the least shift that has room for them is another. */
static void shift_to(struct value_summary *summary, unsigned shift)
{
	need_registers(summary);
	summary->overflowed = true;
	summary->shift = shift;
	place_words(summary, summary->slot_count);
}

static void make_room(struct value_summary *summary)
{
	if (2 * summary->used > summary->slot_count && summary->slot_count < 2 * SUMMARY_VALUES_MAX)
		place_words(summary, 2 * summary->slot_count);
	while (summary->used > SUMMARY_VALUES_MAX)
		shift_to(summary, summary->shift + 1);
}

static void add_word(struct value_summary *summary, uint64_t word, uint64_t count)
{
	struct word_slot *slot = word_slot(summary, word);

	if (slot->count == 0) {
		slot->word = word;
		slot->count = count;
		summary->used++;
		make_room(summary);
		return;
	}
	slot->count += count;
	if (word < slot->word)
		slot->word = word;
}

void value_summary_add(struct value_summary *summary, uint64_t word)
{
	if (summary->registers)
		note_hash(summary->registers, hash_u64(word));
	add_word(summary, word, 1);
}

/* --- texts ------------------------------------------------------------------------------------------ */

static struct text_slot *text_slot(
	const struct value_summary *summary, const char *bytes, uint32_t size, uint64_t hash)
{
	uint32_t mask = summary->slot_count - 1;
	uint32_t at = (uint32_t)hash & mask;

	while (summary->texts[at].count > 0 &&
		(summary->texts[at].size != size ||
			memcmp(summary->texts[at].bytes, bytes, size) != 0))
		at = (at + 1) & mask;
	return &summary->texts[at];
}

static void place_texts(struct value_summary *summary, uint32_t slot_count)
{
	struct text_slot *old = summary->texts;
	uint32_t old_count = summary->slot_count;

	summary->texts = memory_zalloc(slot_count * sizeof(*summary->texts));
	summary->slot_count = slot_count;
	for (uint32_t i = 0; i < old_count; i++)
		if (old[i].count > 0)
			*text_slot(summary, old[i].bytes, old[i].size,
				hash_bytes(old[i].bytes, old[i].size)) = old[i];
	free(old);
}

static void add_text(
	struct value_summary *summary, const char *bytes, uint32_t size, uint64_t count)
{
	uint64_t hash = hash_bytes(bytes, size);
	struct text_slot *slot;

	if (summary->registers)
		note_hash(summary->registers, hash);
	if (summary->overflowed)
		return;
	slot = text_slot(summary, bytes, size, hash);
	slot->count += count;
	if (slot->count > count)
		return;
	slot->bytes = memory_alloc(size + 1);
	memcpy(slot->bytes, bytes, size);
	slot->size = size;
	summary->used++;
	summary->text_bytes += size;
	if (summary->used > SUMMARY_VALUES_MAX || summary->text_bytes > SUMMARY_TEXTS_MAX) {
		need_registers(summary);
		summary->overflowed = true;
		free_texts(summary);
	} else if (2 * summary->used > summary->slot_count) {
		place_texts(summary, 2 * summary->slot_count);
	}
}

void value_summary_add_text(struct value_summary *summary, struct text text)
{
	add_text(summary, text.size > 0 ? text.data : "", text.size, 1);
}

void value_summary_note_scale(struct value_summary *summary, uint32_t scale)
{
	if (scale > summary->scale)
		summary->scale = scale <= SCALE_MAX ? scale : SCALE_MAX;
}

void value_summary_note_rounded(struct value_summary *summary)
{
	summary->rounded = true;
}

/* --- on the way ------------------------------------------------------------------------------------- */

/*
 *   of texts, overflowed, shift, rounded     a byte each
 *   scale, number of slots in use            varints
 *   each slot: the word (8 bytes) or the size (a varint) and bytes of the text, and its count, a varint
 *   the registers, if it has overflowed
 */
void value_summary_encode(const struct value_summary *summary, struct buf *out)
{
	bool has_slots = summary->words || summary->texts;

	buf_append_char(out, summary->of_texts);
	buf_append_char(out, summary->overflowed);
	buf_append_char(out, (char)summary->shift);
	buf_append_char(out, summary->rounded);
	varint_encode(summary->scale, out);
	varint_encode(has_slots ? summary->used : 0, out);
	for (uint32_t i = 0; has_slots && i < summary->slot_count; i++) {
		if (summary->texts && summary->texts[i].count > 0) {
			varint_encode(summary->texts[i].size, out);
			buf_append(out, summary->texts[i].bytes, summary->texts[i].size);
			varint_encode(summary->texts[i].count, out);
		} else if (summary->words && summary->words[i].count > 0) {
			buf_append(out, &summary->words[i].word, sizeof(summary->words[i].word));
			varint_encode(summary->words[i].count, out);
		}
	}
	if (summary->overflowed)
		buf_append(out, summary->registers, REGISTER_COUNT);
}

static bool merge_slots(
	struct value_summary *summary, const uint8_t **at, const uint8_t *end, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint64_t word, size = sizeof(word), times;
		const uint8_t *bytes;

		if (summary->of_texts && !varint_decode(at, end, &size))
			return false;
		if (size > (size_t)(end - *at))
			return false;
		bytes = *at;
		*at += size;
		if (!varint_decode(at, end, &times) || times == 0)
			return false;
		if (summary->of_texts) {
			add_text(summary, (const char *)bytes, (uint32_t)size, times);
			continue;
		}
		memcpy(&word, bytes, sizeof(word));
		if (summary->registers)
			note_hash(summary->registers, hash_u64(word));
		add_word(summary, word, times);
	}
	return true;
}

bool value_summary_merge(struct value_summary *summary, const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;
	uint64_t scale, count;
	bool overflowed;
	unsigned shift;

	if (size < 4 || at[0] != summary->of_texts || at[1] > 1 || at[2] > 63 || at[3] > 1 ||
		(at[2] > 0 && !at[1]))
		return false;
	overflowed = at[1];
	shift = at[2];
	summary->rounded |= at[3];
	at += 4;
	if (!varint_decode(&at, end, &scale) || !varint_decode(&at, end, &count) ||
		scale > SCALE_MAX || count > SUMMARY_VALUES_MAX)
		return false;
	value_summary_note_scale(summary, (uint32_t)scale);
	if (overflowed) {
		need_registers(summary);
		summary->overflowed = true;
		if (summary->of_texts)
			free_texts(summary);
		else if (shift > summary->shift)
			shift_to(summary, shift);
	}
	if (!merge_slots(summary, &at, end, count))
		return false;
	if ((size_t)(end - at) != (overflowed ? REGISTER_COUNT : 0))
		return false;
	for (uint32_t i = 0; overflowed && i < REGISTER_COUNT; i++)
		if (at[i] > summary->registers[i])
			summary->registers[i] = at[i];
	return true;
}

/* --- what it says ----------------------------------------------------------------------------------- */

static int compare_words(const void *a, const void *b)
{
	const struct word_slot *x = a, *y = b;

	return (x->word > y->word) - (x->word < y->word);
}

/* The rank of the first value whose share of all is `quarters` fourths, or more. */
static uint64_t rank_of(uint64_t count, uint32_t quarters)
{
	uint64_t rank = count / 4 * quarters + (count % 4 * quarters + 3) / 4;

	return rank > 0 ? rank : 1;
}

static void read_words(struct value_summary *summary, struct summary_result *out)
{
	uint64_t count = 0, upto = 0, most = 0;
	uint32_t quartile = 0;

	for (uint32_t i = 0; i < summary->slot_count; i++)
		count += summary->words[i].count;
	qsort(summary->words, summary->slot_count, sizeof(*summary->words), compare_words);
	out->has_quartiles = count > 0;
	for (uint32_t i = 0; i < summary->slot_count; i++) {
		const struct word_slot *slot = &summary->words[i];

		upto += slot->count;
		while (slot->count > 0 && quartile < 3 && upto >= rank_of(count, quartile + 1))
			out->quartiles[quartile++] = slot->word;
		if (slot->count > most) {
			most = slot->count;
			out->most_frequent = slot->word;
		}
	}
	out->has_most_frequent = most > 0 && !summary->overflowed;
	place_words(summary, summary->slot_count);
}

static void read_texts(const struct value_summary *summary, struct summary_result *out)
{
	uint64_t most = 0;

	for (uint32_t i = 0; summary->texts && i < summary->slot_count; i++) {
		const struct text_slot *slot = &summary->texts[i];
		struct text text = text_from(slot->bytes, slot->size);

		if (slot->count == 0 || slot->count < most ||
			(slot->count == most && text_compare(text, out->most_frequent_text) > 0))
			continue;
		most = slot->count;
		out->most_frequent_text = text;
	}
	out->has_most_frequent = most > 0;
}

void value_summary_read(struct value_summary *summary, struct summary_result *out)
{
	*out = (struct summary_result){
		.exact = !summary->overflowed && !summary->rounded, .scale = summary->scale};
	out->distinct = summary->registers ? estimate(summary->registers) : summary->used;
	if (summary->of_texts)
		read_texts(summary, out);
	else
		read_words(summary, out);
}
