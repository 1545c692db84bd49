#include "exec/func/like.h"

#include "exec/expr/eval_private.h"

#include <string.h>

/* What stands between two %. */
struct like_piece {
	uint32_t size;
	/* Its characters: bytes to match, in lower case when the pattern folds. */
	const char *bytes;
	/* Per byte: 1 where any one character matches (the byte is then '_'); NULL when none does.
	 */
	const uint8_t *any;
	uint32_t any_count;
};

struct like_pattern {
	uint32_t piece_count; /* one more than there are runs of % */
	bool fold;
	bool dangling; /* the pattern ends with an escape */
	struct like_piece pieces[];
};

static char fold_byte(char c)
{
	return (unsigned char)(c - 'A') < 26 ? (char)(c | 0x20) : c;
}

/* A piece gets the character from `at` to `next`, in lower case; returns how many bytes it has. */
static uint32_t fold_wide(const char *at, const char *next, char *to)
{
	struct text character = {.data = at, .size = (uint32_t)(next - at)};

	return (uint32_t)(text_convert_case(character, false, to) - to);
}

static bool text_starts_at(const char *at, const char *end, struct text what)
{
	return what.size > 0 && (size_t)(end - at) >= what.size &&
	       memcmp(at, what.data, what.size) == 0;
}

int like_compile(struct arena *arena, struct text pattern, struct text escape, bool fold,
	const struct like_pattern **out, struct error *err)
{
	const char *end = pattern.data + pattern.size;
	/* No more pieces than bytes, and one. */
	struct like_pattern *like = arena_alloc(
		arena, sizeof(*like) + ((size_t)pattern.size + 1) * sizeof(like->pieces[0]));
	/* Lower case may take more bytes. */
	char *bytes = arena_alloc_bytes(arena, 2 * (size_t)pattern.size + 1);
	uint8_t *any = arena_alloc(arena, 2 * (size_t)pattern.size + 1);
	struct like_piece *piece = &like->pieces[0];
	uint32_t size = 0;

	if (utf8_length(escape) > 1)
		return error_set(err, ERROR_EVAL, "invalid escape string");
	*like = (struct like_pattern){.piece_count = 1, .fold = fold};
	*piece = (struct like_piece){.bytes = bytes, .any = any};
	for (const char *at = pattern.data; at < end; at++) {
		bool escaped = text_starts_at(at, end, escape);

		if (escaped) {
			at += escape.size;
			if (at == end) {
				like->dangling = true;
				break;
			}
		} else if (*at == '%') {
			piece = &like->pieces[like->piece_count++];
			*piece = (struct like_piece){.bytes = bytes + size, .any = any + size};
			continue;
		}
		if (fold && (unsigned char)*at >= 0x80) {
			const char *next = utf8_next(at, end);
			uint32_t width = fold_wide(at, next, bytes + size);

			memset(any + size, 0, width);
			piece->size += width;
			size += width;
			at = next - 1;
			continue;
		}
		bytes[size] = fold ? fold_byte(*at) : *at;
		any[size] = !escaped && *at == '_';
		piece->any_count += any[size];
		piece->size++;
		size++;
	}
	*out = like;
	return 0;
}

/* Where the piece ends if it matches at `at`; NULL when it does not. */
static const char *piece_match(
	const struct like_piece *piece, bool fold, const char *at, const char *end)
{
	if ((size_t)(end - at) < piece->size)
		return NULL;
	if (!fold && piece->any_count == 0)
		return piece->size == 0 || memcmp(at, piece->bytes, piece->size) == 0
			       ? at + piece->size
			       : NULL;
	for (uint32_t i = 0; i < piece->size; i++) {
		if (at == end)
			return NULL;
		if (piece->any[i])
			at = utf8_next(at, end);
		else if ((fold ? fold_byte(*at) : *at) == piece->bytes[i])
			at++;
		else
			return NULL;
	}
	return at;
}

/* The end of the leftmost match at or after `at`; NULL when there is none. */
static const char *piece_find(
	const struct like_piece *piece, bool fold, const char *at, const char *end)
{
	if (piece->size == 0)
		return at;
	if (!fold && piece->any_count == 0) {
		at = bytes_find(at, end, piece->bytes, piece->size);
		return at ? at + piece->size : NULL;
	}
	for (; (size_t)(end - at) >= piece->size; at = utf8_next(at, end)) {
		const char *stop = piece_match(piece, fold, at, end);

		if (stop)
			return stop;
	}
	return NULL;
}

/* Whether the piece matches so that it ends where the text does. */
static bool piece_match_end(
	const struct like_piece *piece, bool fold, const char *at, const char *end)
{
	const char *from = end;

	if ((size_t)(end - at) < piece->size)
		return false;
	if (piece->any_count == 0)
		return piece_match(piece, fold, end - piece->size, end) != NULL;
	/* As many characters back as the piece has; a literal one has all its bytes in it. */
	for (uint32_t back = piece->size; back > 0; back--) {
		if (from == at)
			return false;
		from--;
		while (piece->any[back - 1] && from > at && ((unsigned char)*from & 0xc0) == 0x80)
			from--;
	}
	return piece_match(piece, fold, from, end) == end;
}

static int match_dangling(const struct like_pattern *like, const char *at, const char *end,
	bool *out, struct error *err)
{
	const struct like_piece *last = &like->pieces[like->piece_count - 1];
	const char *stop = like->piece_count == 1 ? piece_match(last, like->fold, at, end)
						  : piece_find(last, like->fold, at, end);

	*out = false;
	if (stop && stop < end)
		return error_set(
			err, ERROR_EVAL, "LIKE pattern must not end with escape character");
	return 0;
}

int like_match(const struct like_pattern *like, struct text text, bool *out, struct error *err)
{
	/* An empty text may have no address, but NULL means "no match" below. */
	const char *at = text.size > 0 ? text.data : "";
	const char *end = at + text.size;
	uint32_t last = like->piece_count - 1;

	*out = false;
	if (last > 0) {
		at = piece_match(&like->pieces[0], like->fold, at, end);
		if (!at)
			return 0;
	}
	for (uint32_t i = 1; i < last; i++) {
		at = piece_find(&like->pieces[i], like->fold, at, end);
		if (!at)
			return 0;
	}
	if (like->dangling)
		return match_dangling(like, at, end, out, err);
	if (last == 0)
		*out = piece_match(&like->pieces[0], like->fold, at, end) == end;
	else
		*out = piece_match_end(&like->pieces[last], like->fold, at, end);
	return 0;
}

static bool same_text(struct text a, struct text b)
{
	return a.size == b.size && a.data == b.data;
}

static int prepare_like(struct site *site, struct error *err)
{
	const struct like_pattern *like;
	struct error ignored;

	(void)err;
	if (!site->constants[1] || !site->constants[2])
		return 0;
	/* A bad escape is an error of the rows, if there are any. */
	if (like_compile(site->arena, site->constants[1]->text[0], site->constants[2]->text[0],
		    site->expr->function == FN_ILIKE, &like, &ignored) == 0)
		site->state = like;
	return 0;
}

/* Matching folds ASCII letters as it goes; what has others is brought to lower case first. */
static struct text fold_text(struct call *call, struct text text)
{
	char *start;

	if (text_is_ascii(text))
		return text;
	start = arena_alloc_bytes(call_arena(call), 2 * (size_t)text.size);
	return (struct text){
		.data = start, .size = (uint32_t)(text_convert_case(text, false, start) - start)};
}

static int run_like(struct call *call, struct error *err)
{
	const struct like_pattern *like = call->state;
	bool fold = call->node->expr->function == FN_ILIKE;
	struct text pattern = {0};
	struct text escape = {0};

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		bool truth;

		if (!call->state) {
			struct text p = arg_text(&call->args[1], i);
			struct text e = arg_text(&call->args[2], i);

			if (!like || !same_text(p, pattern) || !same_text(e, escape)) {
				pattern = p;
				escape = e;
				if (like_compile(call_arena(call), p, e, fold, &like, err))
					return -1;
			}
		}
		if (like_match(like, fold ? fold_text(call, text) : text, &truth, err))
			return -1;
		call->out->u8[i] = truth;
	}
	return 0;
}

const struct kernel *kernel_like_find(const struct expr *expr)
{
	static const struct kernel like = {.run = run_like, .prepare = prepare_like};

	return expr->function == FN_LIKE || expr->function == FN_ILIKE ? &like : NULL;
}
