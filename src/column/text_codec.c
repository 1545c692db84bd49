/*
 * Texts and lists of them as bytes. The format stands at the top of batch_codec.c.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "column/codec_private.h"
#include "column/item.h"

#include <stdlib.h>
#include <string.h>

enum text_form {
	TEXT_PLAIN,
	TEXT_DICTIONARY,
	TEXT_UUID,
};

#define DICTIONARY_MAX	 512
#define DICTIONARY_SLOTS 2048
/* Without a repetition among so many texts there is no use looking on. */
#define DICTIONARY_PROBE 128
/* A dictionary holds at most one in so many of the texts. */
#define DICTIONARY_SHARE 4

#define UUID_TEXT_SIZE 36
#define UUID_SIZE      16

bool text_same(struct text a, struct text b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* -- UUIDs: 8-4-4-4-12 digits in lower case -- */

/* Eight hexadecimal digits become four bytes. What is not a digit gives bytes that mean others. */
static uint32_t digits_pack(const char *digits)
{
	uint64_t word;

	memcpy(&word, digits, sizeof(word));
	word = (word & 0x0f0f0f0f0f0f0f0fu) + 9 * (word >> 6 & 0x0101010101010101u);
	word = (word << 4 | word >> 8) & 0x00ff00ff00ff00ffu;
	word = (word | word >> 8) & 0x0000ffff0000ffffu;
	return (uint32_t)(word | word >> 16);
}

static void digits_unpack(uint32_t bytes, char *digits)
{
	uint64_t word = bytes, above_nine;

	word = (word | word << 16) & 0x0000ffff0000ffffu;
	word = (word | word << 8) & 0x00ff00ff00ff00ffu;
	word = (word >> 4 | word << 8) & 0x0f0f0f0f0f0f0f0fu;
	above_nine = (word + 0x0606060606060606u) >> 4 & 0x0101010101010101u;
	word += 0x3030303030303030u + above_nine * ('a' - '0' - 10);
	memcpy(digits, &word, sizeof(word));
}

static void uuid_unpack(const uint8_t bytes[UUID_SIZE], char text[UUID_TEXT_SIZE])
{
	uint32_t parts[4];
	char digits[32];

	memcpy(parts, bytes, UUID_SIZE);
	for (int i = 0; i < 4; i++)
		digits_unpack(parts[i], digits + 8 * i);
	memcpy(text, digits, 8);
	text[8] = '-';
	memcpy(text + 9, digits + 8, 4);
	text[13] = '-';
	memcpy(text + 14, digits + 12, 4);
	text[18] = '-';
	memcpy(text + 19, digits + 16, 4);
	text[23] = '-';
	memcpy(text + 24, digits + 20, 12);
}

/* False when it is not one: when it does not read back. */
static bool uuid_pack(struct text text, uint8_t bytes[UUID_SIZE])
{
	char digits[32], back[UUID_TEXT_SIZE];
	uint32_t parts[4];

	if (text.size != UUID_TEXT_SIZE || text.data[8] != '-')
		return false;
	memcpy(digits, text.data, 8);
	memcpy(digits + 8, text.data + 9, 4);
	memcpy(digits + 12, text.data + 14, 4);
	memcpy(digits + 16, text.data + 19, 4);
	memcpy(digits + 20, text.data + 24, 12);
	for (int i = 0; i < 4; i++)
		parts[i] = digits_pack(digits + 8 * i);
	memcpy(bytes, parts, UUID_SIZE);
	uuid_unpack(bytes, back);
	return memcmp(back, text.data, UUID_TEXT_SIZE) == 0;
}

/* False, with nothing written, when one of them is something else. */
static bool uuids_encode(const struct text *texts, uint32_t count, struct buf *out)
{
	size_t start = out->size;
	char *room;

	if (texts[0].size != UUID_TEXT_SIZE)
		return false;
	buf_append_char(out, TEXT_UUID);
	room = buf_reserve(out, (size_t)count * UUID_SIZE);
	if (!room)
		return true;
	for (uint32_t i = 0; i < count; i++) {
		if (!uuid_pack(texts[i], (uint8_t *)room + (size_t)i * UUID_SIZE)) {
			out->size = start;
			return false;
		}
	}
	out->size += (size_t)count * UUID_SIZE;
	return true;
}

static int uuids_decode(struct codec_input *in, uint32_t count, struct text *texts)
{
	const uint8_t *bytes = codec_take(in, (size_t)count * UUID_SIZE);
	char *room;

	if (!bytes)
		return -1;
	room = arena_alloc_bytes(in->arena, (size_t)count * UUID_TEXT_SIZE);
	for (uint32_t i = 0; i < count; i++) {
		uuid_unpack(bytes + (size_t)i * UUID_SIZE, room);
		texts[i] = text_from(room, UUID_TEXT_SIZE);
		room += UUID_TEXT_SIZE;
	}
	return 0;
}

/* -- Lengths and bytes -- */

static void plain_encode(
	const struct text *texts, uint32_t count, unsigned width_min, struct buf *out)
{
	int64_t *sizes = memory_alloc((size_t)count * sizeof(*sizes));
	size_t total = 0;
	char *room;

	for (uint32_t i = 0; i < count; i++) {
		sizes[i] = texts[i].size;
		total += texts[i].size;
	}
	packed_encode(sizes, count, (struct packed_options){.width_min = width_min}, out);
	free(sizes);
	room = buf_reserve(out, total);
	if (!room)
		return;
	for (uint32_t i = 0; i < count; i++) {
		if (texts[i].size > 0)
			memcpy(room, texts[i].data, texts[i].size);
		room += texts[i].size;
	}
	out->size += total;
}

static int plain_decode(
	struct codec_input *in, uint32_t count, unsigned width_min, struct text *texts)
{
	int64_t *sizes = arena_alloc(in->arena, (size_t)count * sizeof(*sizes));

	if (packed_decode(in, count, width_min, sizes) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (sizes[i] < 0 || sizes[i] > TEXT_SIZE_MAX)
			return codec_damaged(in, "a text is too long");
		if ((uint64_t)sizes[i] > codec_left(in))
			return codec_damaged(in, "it ends within a text");
		texts[i] = text_from((const char *)in->at, (size_t)sizes[i]);
		in->at += sizes[i];
	}
	return 0;
}

/* -- Dictionaries: every text once, in the order of their first rows, and their numbers -- */

struct dictionary {
	uint32_t count;
	struct text texts[DICTIONARY_MAX + 1]; /* one more than may stay */
	uint16_t slots[DICTIONARY_SLOTS];      /* a number + 1; 0 is free */
};

/* The number of the text; it is added when it is new. `dictionary` has room for it. */
static uint32_t dictionary_find(struct dictionary *dictionary, struct text text)
{
	uint64_t hash = hash_bytes(text.size ? text.data : "", text.size);

	for (uint32_t slot = hash % DICTIONARY_SLOTS;; slot = (slot + 1) % DICTIONARY_SLOTS) {
		uint32_t number = dictionary->slots[slot];

		if (number == 0) {
			dictionary->texts[dictionary->count++] = text;
			dictionary->slots[slot] = (uint16_t)dictionary->count;
			return dictionary->count - 1;
		}
		if (text_same(dictionary->texts[number - 1], text))
			return number - 1;
	}
}

/* Whether the texts are few; then numbers[i] is that of text i. */
static bool dictionary_fill(
	struct dictionary *dictionary, const struct text *texts, uint32_t count, int64_t *numbers)
{
	uint32_t most = count / DICTIONARY_SHARE;

	if (most > DICTIONARY_MAX)
		most = DICTIONARY_MAX;
	dictionary->count = 0;
	memset(dictionary->slots, 0, sizeof(dictionary->slots));
	for (uint32_t i = 0; i < count; i++) {
		numbers[i] = dictionary_find(dictionary, texts[i]);
		if (dictionary->count > most)
			return false;
		if (i == DICTIONARY_PROBE && dictionary->count == i + 1)
			return false;
	}
	return true;
}

/* False, with nothing written, when the texts do not repeat enough. */
static bool dictionary_encode(
	const struct text *texts, uint32_t count, unsigned width_min, struct buf *out)
{
	struct dictionary dictionary;
	int64_t *numbers = memory_alloc((size_t)count * sizeof(*numbers));
	bool few = dictionary_fill(&dictionary, texts, count, numbers);

	if (few) {
		buf_append_char(out, TEXT_DICTIONARY);
		varint_encode(dictionary.count, out);
		plain_encode(dictionary.texts, dictionary.count, 0, out);
		packed_encode(numbers, count, (struct packed_options){.width_min = width_min}, out);
	}
	free(numbers);
	return few;
}

static int dictionary_decode(
	struct codec_input *in, uint32_t count, unsigned width_min, struct text *texts)
{
	struct text entries[DICTIONARY_MAX];
	uint64_t entry_count;
	int64_t *numbers;

	if (codec_take_varint(in, &entry_count) < 0)
		return -1;
	if (entry_count == 0 || entry_count > DICTIONARY_MAX)
		return codec_damaged(in, "a dictionary of texts is too large");
	if (plain_decode(in, (uint32_t)entry_count, 0, entries) < 0)
		return -1;
	numbers = arena_alloc(in->arena, (size_t)count * sizeof(*numbers));
	if (packed_decode(in, count, width_min, numbers) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if ((uint64_t)numbers[i] >= entry_count)
			return codec_damaged(in, "a text is not in its dictionary");
		texts[i] = entries[numbers[i]];
	}
	return 0;
}

/* -- Texts -- */

void texts_encode(const struct text *texts, uint32_t count, unsigned width_min, struct buf *out)
{
	if (dictionary_encode(texts, count, width_min, out) || uuids_encode(texts, count, out))
		return;
	buf_append_char(out, TEXT_PLAIN);
	plain_encode(texts, count, width_min, out);
}

int texts_decode(struct codec_input *in, uint32_t count, unsigned width_min, struct text *texts)
{
	uint8_t form;

	if (codec_take_byte(in, &form) < 0)
		return -1;
	switch (form) {
	case TEXT_PLAIN: return plain_decode(in, count, width_min, texts);
	case TEXT_DICTIONARY: return dictionary_decode(in, count, width_min, texts);
	case TEXT_UUID: return uuids_decode(in, count, texts);
	default: return codec_damaged(in, "an unknown form of texts");
	}
}

/* -- Lists -- */

/*
 * All items of all lists with their tails, those that are NULL left out; `present` says which are
 * not.
 */
static uint32_t items_collect(const struct text_list *lists, uint32_t count, struct text *items,
	int64_t *tails, uint8_t *present, uint32_t *total)
{
	uint32_t kept = 0;

	*total = 0;
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < lists[i].count; k++) {
			struct text item = lists[i].items[k];

			present[(*total)++] = !item_is_null(item);
			if (item_is_null(item))
				continue;
			tails[kept] = item.tail;
			items[kept++] = item_bytes(item);
		}
	}
	return kept;
}

void lists_encode(
	enum type_kind kind, const struct text_list *lists, uint32_t count, struct buf *out)
{
	int64_t counts[BATCH_ROWS_MAX] = {0};
	size_t most = 0;
	uint32_t total, kept;
	struct text *items;
	uint8_t *present;
	int64_t *tails;

	for (uint32_t i = 0; i < count; i++) {
		counts[i] = lists[i].count;
		most += lists[i].count;
	}
	packed_encode(counts, count, (struct packed_options){0}, out);
	if (most == 0)
		return;
	items = memory_alloc(most * sizeof(*items));
	present = memory_alloc(most);
	tails = memory_alloc(most * sizeof(*tails));
	kept = items_collect(lists, count, items, tails, present, &total);
	buf_append_char(out, kept < total);
	if (kept < total)
		bits_encode(present, total, out);
	if (kept > 0)
		texts_encode(items, kept, 1, out);
	if (kept > 0 && items_have_tails(kind))
		packed_encode(tails, kept, (struct packed_options){0}, out);
	free(tails);
	free(present);
	free(items);
}

/* Puts the NULLs between the items, of which the first `kept` are there. */
static void items_spread(struct text *items, const uint8_t *present, uint32_t total, uint32_t kept)
{
	for (uint32_t i = total; i-- > 0;)
		items[i] = present[i] ? items[--kept] : item_null();
}

/* Splits the tails off and checks that the items are values of their kind. */
static int tails_decode(
	struct codec_input *in, enum type_kind kind, uint32_t count, struct text *items)
{
	int64_t *tails = arena_zalloc(in->arena, (size_t)count * sizeof(*tails));

	if (items_have_tails(kind) && packed_decode(in, count, 0, tails) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		if (tails[i] < 0 || tails[i] > items[i].size)
			return codec_damaged(in, "an item is shorter than its tail");
		items[i].tail = (uint32_t)tails[i];
		items[i].size -= items[i].tail;
		if (!item_is_legal(type_element(kind), items[i]))
			return codec_damaged(in, "an item is no value of its type");
	}
	return 0;
}

static int items_decode(
	struct codec_input *in, enum type_kind kind, uint32_t total, struct text *items)
{
	uint8_t has_nulls, *present = NULL;
	uint32_t kept = total;

	if (codec_take_byte(in, &has_nulls) < 0)
		return -1;
	if (has_nulls > 1 || (has_nulls && !type_is_array(kind)))
		return codec_damaged(in, "an unknown form of lists");
	if (has_nulls) {
		present = (uint8_t *)arena_alloc_bytes(in->arena, total);
		if (bits_decode(in, total, present) < 0)
			return -1;
		kept = 0;
		for (uint32_t i = 0; i < total; i++)
			kept += present[i];
	}
	if (kept > 0 && texts_decode(in, kept, 1, items) < 0)
		return -1;
	if (kept > 0 && kind != TYPE_TEXT_LIST && tails_decode(in, kind, kept, items) < 0)
		return -1;
	if (has_nulls)
		items_spread(items, present, total, kept);
	return 0;
}

int lists_decode(
	struct codec_input *in, enum type_kind kind, uint32_t count, struct text_list *lists)
{
	int64_t *counts = arena_alloc(in->arena, (size_t)count * sizeof(*counts));
	struct text *items = NULL;
	uint64_t total = 0;

	if (packed_decode(in, count, 0, counts) < 0)
		return -1;
	for (uint32_t i = 0; i < count; i++) {
		/* Every item takes a bit at least: memory stays within what the bytes account for.
		 */
		if (counts[i] < 0 || counts[i] > UINT32_MAX ||
			(total += (uint64_t)counts[i]) / 8 > codec_left(in))
			return codec_damaged(in, "its lists have too many items");
	}
	for (uint32_t i = 0; !type_is_array(kind) && i < count; i++)
		if (counts[i] != 1)
			return codec_damaged(in, "a value is no item");
	if (total > UINT32_MAX)
		return codec_damaged(in, "its lists have too many items");
	if (total > 0) {
		items = arena_alloc(in->arena, total * sizeof(*items));
		if (items_decode(in, kind, (uint32_t)total, items) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		lists[i] = (struct text_list){items, (uint32_t)counts[i]};
		items = items ? items + counts[i] : NULL;
	}
	return 0;
}
