/*
 * A reader of Python literals. What makes it fast: strings are skipped 16 bytes at a time, most
 * tokens are followed by exactly one blank, and there is one check for the end of the text, not one
 * a byte: the text ends with the bracket that closes the list, no token contains that bracket
 * unquoted, and only strings look further, with checks of their own.
 */
#include "exec/func/py_literal.h"

#include "base/utf8.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LIKELY(condition) __builtin_expect((condition), 1)

/*
 * Functions below take a position at or before `last`, read one token or more, and return the
 * position behind it, again at or before `last`; NULL for what is not Python.
 */
struct py_reader {
	const char *last; /* the closing bracket of the whole */
	struct arena *arena;
};

/* -- Blanks -- */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static inline const char *skip_blanks(const char *at)
{
	while (is_blank(*at))
		at++;
	return at;
}

/*
 * Behind a comma or a colon, where one space is the rule. A branch, so that the processor goes on
 * at the next token before it has seen this one.
 */
static inline const char *skip_space(const char *at)
{
	if (LIKELY(at[0] == ' ' && !is_blank(at[1])))
		return at + 1;
	return skip_blanks(at);
}

/* -- Strings -- */

static bool is_quote(char c)
{
	return c == '\'' || c == '"';
}

#ifdef __SSE2__
/* Which of 16 bytes are the quote or a backslash. */
static inline uint32_t quote_mask(const char *at, __m128i quotes, __m128i escapes)
{
	__m128i bytes = _mm_loadu_si128((const __m128i *)at);

	return (uint32_t)_mm_movemask_epi8(
		_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, escapes)));
}
#endif

/* The first quote or backslash in [at, last), or `last`. */
static inline const char *find_quote(const char *at, const char *last, char quote)
{
#ifdef __SSE2__
	const __m128i quotes = _mm_set1_epi8(quote);
	const __m128i escapes = _mm_set1_epi8('\\');

	/* Most strings end within the first 32 bytes: one branch that is easy to predict. */
	for (; last - at >= 32; at += 32) {
		uint32_t mask = quote_mask(at, quotes, escapes) |
				quote_mask(at + 16, quotes, escapes) << 16;

		if (LIKELY(mask != 0))
			return at + __builtin_ctz(mask);
	}
	if (last - at >= 16) {
		uint32_t mask = quote_mask(at, quotes, escapes);

		if (mask)
			return at + __builtin_ctz(mask);
		at += 16;
	}
#endif
	while (at < last && *at != quote && *at != '\\')
		at++;
	return at;
}

/* From behind the opening quote to the closing one; NULL when there is none. */
static inline const char *string_end(const char *at, const char *last, char quote, bool *escaped)
{
	while ((at = find_quote(at, last, quote)) < last && *at != quote) {
		*escaped = true;
		at += 2;
		if (at >= last)
			return NULL;
	}
	return at < last ? at : NULL;
}

/* Behind the prefix of a string (u, r, b, rb, br), if it is one: then a quote follows. */
static const char *skip_prefix(const char *start, bool *raw)
{
	char first = *start | 0x20;
	const char *at = start;

	if (first == 'u' || first == 'r' || first == 'b') {
		char second = *++at | 0x20;

		at += (first == 'r' && second == 'b') || (first == 'b' && second == 'r');
		*raw = first == 'r' || second == 'r';
	}
	return is_quote(*at) ? at : start;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Exactly `digits` of them. */
static const char *read_hex(const char *at, const char *end, int digits, uint32_t *code)
{
	*code = 0;
	for (; digits > 0; digits--, at++) {
		if (at == end || hex_digit(*at) < 0)
			return NULL;
		*code = *code << 4 | (uint32_t)hex_digit(*at);
	}
	return at;
}

static const char *read_octal(const char *at, const char *end, uint32_t *code)
{
	*code = 0;
	for (int digits = 3; digits > 0 && at < end && *at >= '0' && *at <= '7'; digits--, at++)
		*code = *code << 3 | (uint32_t)(*at - '0');
	return at;
}

/* The escape whose backslash is before `at`: its bytes go to *to, never more than it is long. */
static const char *read_escape(const char *at, const char *end, char **to)
{
	static const char letters[] = "abfnrtv\\'\"";
	static const char meanings[] = "\a\b\f\n\r\t\v\\'\"";
	const char *letter;
	uint32_t code;

	switch (*at) {
	case '\n': return at + 1;
	case '\r': return at + 1 + (at + 1 < end && at[1] == '\n');
	case 'x': at = read_hex(at + 1, end, 2, &code); break;
	case 'u': at = read_hex(at + 1, end, 4, &code); break;
	case 'U': at = read_hex(at + 1, end, 8, &code); break;
	default:
		if (*at >= '0' && *at <= '7') {
			at = read_octal(at, end, &code);
			break;
		}
		letter = *at ? strchr(letters, *at) : NULL;
		if (!letter)
			*(*to)++ = '\\';
		*(*to)++ = letter ? meanings[letter - letters] : *at;
		return at + 1;
	}
	if (!at || code > 0x10ffff)
		return NULL;
	/* Half a surrogate pair has no UTF-8. */
	*to = utf8_encode(*to, code >= 0xd800 && code <= 0xdfff ? 0xfffd : code);
	return at;
}

/* The contents of a string, [at, end), without its escapes; NULL when one of them is invalid. */
static char *unescape(const char *at, const char *end, char *to)
{
	while (at < end) {
		const char *escape = memchr(at, '\\', (size_t)(end - at));
		size_t plain = (size_t)((escape ? escape : end) - at);

		memcpy(to, at, plain);
		to += plain;
		at += plain;
		if (escape) {
			at = read_escape(escape + 1, end, &to);
			if (!at)
				return NULL;
		}
	}
	return to;
}

/* Strings in the general form: prefixes, escapes, several that are one. Twice over the text. */
static const char *read_strings(struct py_reader *r, const char *start, struct text *out)
{
	const char *stop = NULL;
	char *bytes = NULL;
	char *to = NULL;

	for (int turn = 0; turn < 2; turn++) {
		const char *at = start;

		for (;;) {
			bool raw = false, escaped = false;
			const char *quote = skip_prefix(at, &raw);
			const char *end;

			if (!is_quote(*quote))
				break;
			end = string_end(quote + 1, r->last, *quote, &escaped);
			if (!end)
				return NULL;
			if (turn == 1 && raw)
				to = mempcpy(to, quote + 1, (size_t)(end - quote - 1));
			else if (turn == 1)
				to = unescape(quote + 1, end, to);
			if (turn == 1 && !to)
				return NULL;
			at = skip_blanks(end + 1);
			stop = end + 1;
		}
		if (turn == 0)
			bytes = to = arena_alloc_bytes(r->arena, (size_t)(stop - start));
	}
	*out = text_from(bytes, (size_t)(to - bytes));
	return stop;
}

/* Whether another string follows, which then belongs to the one before it. */
static bool string_follows(const char *at)
{
	bool raw = false;

	return is_quote(*skip_prefix(skip_blanks(at), &raw));
}

/* A string that starts with its quote: as a rule a view of the text. */
static inline const char *read_string(struct py_reader *r, const char *start, struct text *out)
{
	bool escaped = false;
	const char *end = string_end(start + 1, r->last, *start, &escaped);
	char next;

	if (!LIKELY(end != NULL))
		return NULL;
	next = end[1];
	if (!LIKELY(!escaped) ||
		(next != ',' && next != ':' && next != '}' && string_follows(end + 1)))
		return read_strings(r, start, out);
	*out = text_from(start + 1, (size_t)(end - start - 1));
	return end + 1;
}

/* -- Values -- */

static bool is_word_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

static bool text_is(struct text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static const char *skip_digits(const char *at)
{
	while ((*at >= '0' && *at <= '9') || *at == '_')
		at++;
	return at;
}

/* A number, as it is written: -1, 1_000, .5, 1e-3, 0x1F, 2j. */
static inline const char *read_number(const char *start, struct text *out)
{
	const char *at = start + (*start == '-' || *start == '+');
	const char *digits = at;

	at = skip_digits(at);
	if (!LIKELY(!is_word_char(*at) && *at != '.' && at > digits)) {
		if (at == digits + 1 && *digits == '0' && strchr("xXoObB", *at)) {
			for (at++; hex_digit(*at) >= 0 || *at == '_';)
				at++;
		} else {
			bool point = *at == '.';

			at = skip_digits(at + point);
			if (at == digits + point)
				return NULL;
			if ((*at | 0x20) == 'e')
				at = skip_digits(at + 1 + (at[1] == '-' || at[1] == '+'));
			at += (*at | 0x20) == 'j';
		}
		if (is_word_char(*at))
			return NULL;
	}
	*out = text_from(start, (size_t)(at - start));
	return at;
}

static const char *read_word(struct py_reader *r, const char *start, struct text *out)
{
	const char *at = start;
	bool raw = false;

	if (is_quote(*skip_prefix(start, &raw)))
		return read_strings(r, start, out);
	while (is_word_char(*at))
		at++;
	*out = text_from(start, (size_t)(at - start));
	if (text_is(*out, "None"))
		*out = item_null();
	else if (!text_is(*out, "True") && !text_is(*out, "False"))
		return NULL;
	return at;
}

static const char *read_container(
	struct py_reader *r, const char *start, uint32_t depth, struct text *out);

/* One value of any kind; a container as its source. */
static inline const char *read_value(
	struct py_reader *r, const char *at, uint32_t depth, struct text *out)
{
	char c = *at;

	if (is_quote(c))
		return read_string(r, at, out);
	if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.')
		return read_number(at, out);
	if (c == '[' || c == '(' || c == '{')
		return read_container(r, at, depth, out);
	return read_word(r, at, out);
}

/*
 * What stands behind a value: skips the comma and blanks, to the next value or to the closing
 * bracket, which may come after a comma or not.
 */
static inline const char *next_value(const char *at, char closing)
{
	if (LIKELY(*at == ','))
		return skip_space(at + 1);
	at = skip_blanks(at);
	if (*at == ',')
		return skip_blanks(at + 1);
	return *at == closing ? at : NULL;
}

/* `key: value`, from behind the key to the value. */
static inline const char *skip_colon(const char *at)
{
	if (LIKELY(*at == ':'))
		return skip_space(at + 1);
	at = skip_blanks(at);
	return *at == ':' ? skip_blanks(at + 1) : NULL;
}

static char closing_of(char opening)
{
	return opening == '[' ? ']' : opening == '(' ? ')' : '}';
}

/* A list, a tuple, a dictionary or a set inside the whole. Its depth bounds the recursion. */
static const char *read_container(
	struct py_reader *r, const char *start, uint32_t depth, struct text *out)
{
	char closing = closing_of(*start);
	const char *at = skip_blanks(start + 1);
	bool first = true;
	bool pairs = false;
	struct text ignored;

	if (depth >= PY_DEPTH_MAX)
		return NULL;
	while (*at != closing) {
		at = read_value(r, at, depth + 1, &ignored);
		if (at && first)
			pairs = closing == '}' && *skip_blanks(at) == ':';
		if (at && pairs)
			at = skip_colon(at);
		if (at && pairs)
			at = read_value(r, at, depth + 1, &ignored);
		if (at)
			at = next_value(at, closing);
		if (!at)
			return NULL;
		first = false;
	}
	/* The bracket that ends the whole is not this one's. */
	if (at == r->last)
		return NULL;
	*out = text_from(start, (size_t)(at + 1 - start));
	return at + 1;
}

/* -- The whole -- */

/* Finds the list in `text` and returns the position of its first value, or of its end. */
static const char *reader_start(struct py_reader *r, struct text text, struct arena *arena)
{
	const char *at = text.data;
	const char *end;

	if (text.size < 2)
		return NULL;
	end = at + text.size;
	while (at < end && is_blank(*at))
		at++;
	while (at < end && is_blank(end[-1]))
		end--;
	if (end - at < 2 || (*at != '[' && *at != '(') || end[-1] != closing_of(*at))
		return NULL;
	*r = (struct py_reader){.last = end - 1, .arena = arena};
	return skip_blanks(at + 1);
}

bool py_list(struct text text, struct text_vector *items, struct arena *arena)
{
	struct py_reader r;
	const char *at = reader_start(&r, text, arena);
	struct text item;

	items->count = 0;
	while (at && at < r.last) {
		at = read_value(&r, at, 1, &item);
		if (!at)
			return false;
		text_vector_add(items, item);
		/* A closing bracket before the last is an error: no value starts with it. */
		at = next_value(at, *r.last);
	}
	return at != NULL;
}

/* Whether a key, which may be written with escapes, is the wanted one. */
static inline bool key_is(struct text got, struct text key)
{
	return got.size == key.size && memcmp(got.data, key.data, key.size) == 0;
}

/* A dictionary's value for `key`, if it has one. */
static inline const char *pluck_value(
	struct py_reader *r, const char *start, struct text key, bool *found, struct text *out)
{
	const char *at = skip_blanks(start + 1);

	*found = false;
	while (*at != '}') {
		struct text name, value;
		bool wanted;

		/* A key need not be a string, but only a string is asked for. */
		wanted = is_quote(*at) || string_follows(at);
		at = read_value(r, at, 2, &name);
		if (!at)
			return NULL;
		wanted = wanted && key_is(name, key);
		at = skip_colon(at);
		if (!at)
			return NULL;
		at = read_value(r, at, 2, &value);
		if (!at)
			return NULL;
		if (wanted) {
			*found = true;
			*out = value;
		}
		at = next_value(at, '}');
		if (!at)
			return NULL;
	}
	return at + 1;
}

bool py_pluck(struct text text, struct text key, struct text_vector *items, struct arena *arena)
{
	struct py_reader r;
	const char *at = reader_start(&r, text, arena);
	struct text item;

	items->count = 0;
	while (at && at < r.last) {
		bool found = false;
		const char *next = *at == '{' ? pluck_value(&r, at, key, &found, &item) : NULL;

		if (next && found)
			text_vector_add(items, item);
		/* A set, or an element of another kind. */
		at = next ? next : read_value(&r, at, 1, &item);
		if (!at)
			return false;
		at = next_value(at, *r.last);
	}
	return at != NULL;
}
