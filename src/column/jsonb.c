/* Trees to the bytes of jsonb and back: their form is in json.h. */
#include "column/json.h"

#include "base/buf.h"
#include "column/numeric_key.h"

#include <stdlib.h>
#include <string.h>

enum {
	TAG_EMPTY = 0x01, /* an array as the whole value */
	TAG_NULL,
	TAG_STRING,
	TAG_NUMBER,
	TAG_FALSE,
	TAG_TRUE,
	TAG_ARRAY,
	TAG_OBJECT,
};

#define COUNT_SIZE 4

struct writer {
	struct buf key;
	struct buf tail;
	struct arena *arena;
	const char *reason;
};

static bool fail(struct writer *w, const char *reason)
{
	w->reason = reason;
	return false;
}

static bool put_string(struct writer *w, struct text text)
{
	if (text.size > 0 && memchr(text.data, 0, text.size))
		return fail(w, "\\u0000 cannot be converted to text");
	buf_append(&w->key, text.data, text.size);
	buf_append_char(&w->key, 0);
	return true;
}

static void put_count(struct writer *w, uint32_t count)
{
	uint32_t bytes = __builtin_bswap32(count);

	buf_append(&w->key, &bytes, sizeof(bytes));
}

static bool put_number(struct writer *w, const struct json_node *node)
{
	numeric value = node->number;
	uint8_t *start;
	size_t size;

	if (node->source.data && numeric_long_parse(node->source.data, node->source.size, w->arena,
					 &value) != NUMERIC_FINE)
		return fail(w, "a number is out of range");
	start = (uint8_t *)buf_reserve(&w->key, NUMERIC_KEY_MAX + numeric_key_long_size(value));
	if (!start)
		return true;
	size = (size_t)(numeric_key_put(start, value, true) - start) - NUMERIC_KEY_SCALE;
	buf_append(&w->tail, start + size, NUMERIC_KEY_SCALE);
	w->key.size += size;
	return true;
}

/* A member, for sorting; `place` makes the last of several with one key the last. */
struct member {
	struct text key;
	const struct json_node *value;
	uint32_t place;
};

static int compare_keys(struct text a, struct text b)
{
	if (a.size != b.size)
		return a.size < b.size ? -1 : 1;
	return a.size ? memcmp(a.data, b.data, a.size) : 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;
	int order = compare_keys(x->key, y->key);

	return order ? order : (x->place > y->place) - (x->place < y->place);
}

static bool put_node(struct writer *w, const struct json_node *node, unsigned depth);

static bool put_object(struct writer *w, const struct json_node *node, unsigned depth)
{
	struct member *members =
		arena_alloc(w->arena, ((size_t)node->count + 1) * sizeof(*members));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < node->count; i++)
		members[i] = (struct member){node->keys[i], &node->items[i], i};
	qsort(members, node->count, sizeof(*members), compare_members);
	for (uint32_t i = 0; i < node->count; i++)
		if (i + 1 == node->count || compare_keys(members[i].key, members[i + 1].key) != 0)
			members[kept++] = members[i];
	buf_append_char(&w->key, TAG_OBJECT);
	put_count(w, kept);
	for (uint32_t i = 0; i < kept; i++)
		if (!put_string(w, members[i].key) || !put_node(w, members[i].value, depth + 1))
			return false;
	return true;
}

static bool put_node(struct writer *w, const struct json_node *node, unsigned depth)
{
	if (depth > JSON_NESTING_MAX)
		return fail(w, "nested too deeply");
	switch (node->form) {
	case JSON_FORM_NULL: buf_append_char(&w->key, TAG_NULL); return true;
	case JSON_FORM_STRING:
		buf_append_char(&w->key, TAG_STRING);
		return put_string(w, node->text);
	case JSON_FORM_NUMBER: buf_append_char(&w->key, TAG_NUMBER); return put_number(w, node);
	case JSON_FORM_BOOL:
		buf_append_char(&w->key, node->boolean ? TAG_TRUE : TAG_FALSE);
		return true;
	case JSON_FORM_OBJECT: return put_object(w, node, depth);
	case JSON_FORM_ARRAY: break;
	}
	if (depth == 0 && node->count == 0) {
		buf_append_char(&w->key, TAG_EMPTY);
		return true;
	}
	buf_append_char(&w->key, TAG_ARRAY);
	put_count(w, node->count);
	for (uint32_t i = 0; i < node->count; i++)
		if (!put_node(w, &node->items[i], depth + 1))
			return false;
	return true;
}

bool jsonb_encode(
	const struct json_node *node, struct arena *arena, struct text *out, const char **reason)
{
	struct writer w = {.arena = arena};
	bool fine;

	buf_init(&w.key, TEXT_SIZE_MAX);
	buf_init(&w.tail, TEXT_SIZE_MAX);
	fine = put_node(&w, node, 0);
	if (fine && (buf_overflowed(&w.key) || buf_overflowed(&w.tail) ||
			    w.key.size + w.tail.size > TEXT_SIZE_MAX))
		fine = fail(&w, "too long");
	if (fine) {
		char *room = arena_alloc_bytes(arena, w.key.size + w.tail.size);

		memcpy(room, w.key.data, w.key.size);
		if (w.tail.size > 0)
			memcpy(room + w.key.size, w.tail.data, w.tail.size);
		*out = (struct text){room, (uint32_t)w.key.size, (uint32_t)w.tail.size};
	} else {
		*reason = w.reason;
	}
	buf_release(&w.key);
	buf_release(&w.tail);
	return fine;
}

/* -- Reading -- */

struct jsonb_cursor {
	const char *key;
	const char *key_end;
	const char *tail;
	const char *tail_end;
	struct arena *arena;
};

static uint32_t get_count(struct jsonb_cursor *c)
{
	uint32_t count;

	memcpy(&count, c->key, sizeof(count));
	c->key += sizeof(count);
	return __builtin_bswap32(count);
}

static struct text get_string(struct jsonb_cursor *c)
{
	const char *start = c->key;

	c->key = (const char *)memchr(start, 0, (size_t)(c->key_end - start)) + 1;
	return text_from(start, (size_t)(c->key - 1 - start));
}

/* The digits and the scale, which must stand together to be read. */
static numeric get_number(struct jsonb_cursor *c)
{
	const uint8_t *start = (const uint8_t *)c->key;
	const uint8_t *end = numeric_key_skip(start, 0, false);
	size_t size = (size_t)(end - start);
	char *both = arena_alloc_bytes(c->arena, size + NUMERIC_KEY_SCALE);
	numeric value;

	memcpy(both, start, size);
	memcpy(both + size, c->tail, NUMERIC_KEY_SCALE);
	numeric_key_get((const uint8_t *)both, 0, c->arena, &value);
	c->key += size;
	c->tail += NUMERIC_KEY_SCALE;
	return value;
}

static void get_node(struct jsonb_cursor *c, struct json_node *out)
{
	uint8_t tag = (uint8_t)*c->key++;

	*out = (struct json_node){0};
	switch (tag) {
	case TAG_EMPTY: out->form = JSON_FORM_ARRAY; return;
	case TAG_NULL: out->form = JSON_FORM_NULL; return;
	case TAG_STRING:
		out->form = JSON_FORM_STRING;
		out->text = get_string(c);
		return;
	case TAG_NUMBER:
		out->form = JSON_FORM_NUMBER;
		out->number = get_number(c);
		return;
	case TAG_FALSE:
	case TAG_TRUE:
		out->form = JSON_FORM_BOOL;
		out->boolean = tag == TAG_TRUE;
		return;
	default: break;
	}
	out->form = tag == TAG_OBJECT ? JSON_FORM_OBJECT : JSON_FORM_ARRAY;
	out->count = get_count(c);
	out->items = arena_alloc(c->arena, ((size_t)out->count + 1) * sizeof(*out->items));
	if (tag == TAG_OBJECT)
		out->keys = arena_alloc(c->arena, ((size_t)out->count + 1) * sizeof(*out->keys));
	for (uint32_t i = 0; i < out->count; i++) {
		if (tag == TAG_OBJECT)
			out->keys[i] = get_string(c);
		get_node(c, &out->items[i]);
	}
}

void jsonb_decode(struct text item, struct arena *arena, struct json_node *out)
{
	struct jsonb_cursor c = {item.data, item.data + item.size, item.data + item.size,
		item.data + item.size + item.tail, arena};

	get_node(&c, out);
}

static bool string_is_legal(struct jsonb_cursor *c, struct text *out)
{
	if (!memchr(c->key, 0, (size_t)(c->key_end - c->key)))
		return false;
	*out = get_string(c);
	return true;
}

/* Where its digits end is found without trusting them. */
static bool number_is_legal(struct jsonb_cursor *c)
{
	size_t left = (size_t)(c->key_end - c->key), size = numeric_key_length(c->key, left);
	char *both;

	if (size == 0 || c->tail_end - c->tail < NUMERIC_KEY_SCALE)
		return false;
	both = arena_alloc_bytes(c->arena, size + NUMERIC_KEY_SCALE);
	memcpy(both, c->key, size);
	memcpy(both + size, c->tail, NUMERIC_KEY_SCALE);
	c->key += size;
	c->tail += NUMERIC_KEY_SCALE;
	return numeric_key_is_legal((const uint8_t *)both, size + NUMERIC_KEY_SCALE);
}

static bool node_is_legal(struct jsonb_cursor *c, unsigned depth)
{
	struct text key, last = {0};
	uint32_t count;
	uint8_t tag;

	if (c->key == c->key_end || depth > JSON_NESTING_MAX)
		return false;
	tag = (uint8_t)*c->key++;
	switch (tag) {
	case TAG_EMPTY: return depth == 0;
	case TAG_NULL:
	case TAG_FALSE:
	case TAG_TRUE: return true;
	case TAG_STRING: return string_is_legal(c, &key);
	case TAG_NUMBER: return number_is_legal(c);
	case TAG_ARRAY:
	case TAG_OBJECT: break;
	default: return false;
	}
	if (c->key_end - c->key < COUNT_SIZE)
		return false;
	count = get_count(c);
	if (count > (size_t)(c->key_end - c->key) || (tag == TAG_ARRAY && depth == 0 && count == 0))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (tag == TAG_OBJECT) {
			if (!string_is_legal(c, &key) || (i > 0 && compare_keys(last, key) >= 0))
				return false;
			last = key;
		}
		if (!node_is_legal(c, depth + 1))
			return false;
	}
	return true;
}

bool jsonb_is_legal(struct text item)
{
	struct arena arena;
	struct jsonb_cursor c = {item.data, item.data + item.size, item.data + item.size,
		item.data + item.size + item.tail, &arena};
	bool legal;

	arena_init(&arena, 1024);
	legal = node_is_legal(&c, 0) && c.key == c.key_end && c.tail == c.tail_end;
	arena_release(&arena);
	return legal;
}
