/*
 * Functions of texts. Positions and lengths count UTF-8 characters; bytes that are not UTF-8 count
 * as characters and pass through unchanged. Results that are a part of their argument point into
 * it.
 */
#include "exec/expr/eval_private.h"

#include "base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <string.h>
#include <wctype.h>

uint32_t utf8_length(struct text text)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < text.size; i++)
		count += ((unsigned char)text.data[i] & 0xc0) != 0x80;
	/* A stray continuation byte at the start is a character for utf8_next. */
	return count + (text.size > 0 && ((unsigned char)text.data[0] & 0xc0) == 0x80);
}

/* memmem pays for its tables only on longer texts; beyond this the naive search could turn
 * quadratic. */
#define NAIVE_SEARCH_MAX 512

const char *bytes_find(const char *at, const char *end, const char *needle, size_t size)
{
	const char *last;

	if ((size_t)(end - at) < size)
		return NULL;
	if (end - at > NAIVE_SEARCH_MAX)
		return memmem(at, (size_t)(end - at), needle, size);
	last = end - size;
	while (at <= last) {
		at = memchr(at, *needle, (size_t)(last - at) + 1);
		if (!at)
			return NULL;
		if (memcmp(at, needle, size) == 0)
			return at;
		at++;
	}
	return NULL;
}

/* Skips `count` characters, or all there are. */
static const char *utf8_skip(const char *at, const char *end, int64_t count)
{
	while (count > 0 && at < end) {
		at = utf8_next(at, end);
		count--;
	}
	return at;
}

static struct text text_between(const char *start, const char *end)
{
	return text_from(start, (size_t)(end - start));
}

static const char *text_end(struct text text)
{
	return text.data + text.size;
}

/* -- Concatenation -- */

static int run_concat(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text a = arg_text(&call->args[0], i);
		struct text b = arg_text(&call->args[1], i);
		char *to = call_text(call, (uint64_t)a.size + b.size, err);

		if (!to)
			return -1;
		text_put(text_put(to, a), b);
		call->out->text[i] = text_from(to, (size_t)a.size + b.size);
	}
	return 0;
}

static int run_concat_all(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		uint64_t size = 0;
		char *start;
		char *to;

		for (uint32_t a = 0; a < call->arg_count; a++)
			if (!column_is_null(&call->args[a], i))
				size += arg_text(&call->args[a], i).size;
		start = to = call_text(call, size, err);
		if (!to)
			return -1;
		for (uint32_t a = 0; a < call->arg_count; a++)
			if (!column_is_null(&call->args[a], i))
				to = text_put(to, arg_text(&call->args[a], i));
		call->out->text[i] = text_from(start, size);
	}
	return 0;
}

/* -- Case -- */

static locale_t utf8_locale;

static void make_utf8_locale(void)
{
	utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

static char *convert_wide(const char *at, const char *next, bool upper, char *to)
{
	size_t length;
	uint32_t code = utf8_decode(at, (size_t)(next - at), &length);

	if (code == UTF8_INVALID || length != (size_t)(next - at) || !utf8_locale)
		return text_put(to, text_between(at, next));
	code = upper ? towupper_l(code, utf8_locale) : towlower_l(code, utf8_locale);
	return utf8_encode(to, code);
}

static char ascii_convert(char c, bool upper)
{
	char first = upper ? 'a' : 'A';

	return (unsigned char)(c - first) < 26 ? (char)(c ^ 0x20) : c;
}

bool text_is_ascii(struct text text)
{
	unsigned char all = 0;

	for (uint32_t i = 0; i < text.size; i++)
		all |= (unsigned char)text.data[i];
	return all < 0x80;
}

char *text_convert_case(struct text text, bool upper, char *to)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const char *end = text_end(text);

	pthread_once(&once, make_utf8_locale);
	for (const char *at = text.data; at < end;) {
		const char *next = utf8_next(at, end);

		if (next - at == 1)
			*to++ = ascii_convert(*at, upper);
		else
			to = convert_wide(at, next, upper, to);
		at = next;
	}
	return to;
}

static int convert_case(struct call *call, bool upper, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		bool ascii = text_is_ascii(text);
		char *start = call_text(call, ascii ? text.size : 2 * (uint64_t)text.size, err);
		char *to = start;

		if (!start)
			return -1;
		if (ascii) {
			for (uint32_t b = 0; b < text.size; b++)
				to[b] = ascii_convert(text.data[b], upper);
			to += text.size;
		} else {
			to = text_convert_case(text, upper, to);
		}
		call->out->text[i] = text_between(start, to);
	}
	return 0;
}

static int run_lower(struct call *call, struct error *err)
{
	return convert_case(call, false, err);
}

static int run_upper(struct call *call, struct error *err)
{
	return convert_case(call, true, err);
}

/* A letter or a digit, of any script. */
static bool is_word_character(const char *at, const char *next)
{
	size_t length;
	uint32_t code = utf8_decode(at, (size_t)(next - at), &length);

	return code != UTF8_INVALID && utf8_locale && iswalnum_l(code, utf8_locale);
}

static int run_initcap(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		char *start = call_text(call, 2 * (uint64_t)text.size, err), *to = start;
		bool inside = false;

		if (!start)
			return -1;
		for (const char *at = text.data, *end = text_end(text); at < end;) {
			const char *next = utf8_next(at, end);

			to = text_convert_case(text_between(at, next), !inside, to);
			inside = is_word_character(at, next);
			at = next;
		}
		call->out->text[i] = text_between(start, to);
	}
	return 0;
}

/* -- Lengths and positions -- */

static int run_length(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = utf8_length(arg_text(&call->args[0], i));
	return 0;
}

static int run_octet_length(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = arg_text(&call->args[0], i).size;
	return 0;
}

/* The first `needle` at or after `at`; NULL when there is none. */
static const char *find_text(const char *at, const char *end, struct text needle)
{
	return needle.size == 0 ? at : bytes_find(at, end, needle.data, needle.size);
}

static int run_position(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text hay = arg_text(&call->args[0], i);
		const char *at = find_text(hay.data, text_end(hay), arg_text(&call->args[1], i));
		bool empty = arg_text(&call->args[1], i).size == 0;

		call->out->i64[i] = empty ? 1
				    : at  ? 1 + utf8_length(text_between(hay.data, at))
					  : 0;
	}
	return 0;
}

static int run_starts_with(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct text start = arg_text(&call->args[1], i);

		call->out->u8[i] =
			start.size == 0 ||
			(start.size <= text.size && memcmp(text.data, start.data, start.size) == 0);
	}
	return 0;
}

/* -- Parts -- */

static struct text substring(struct text text, int64_t start, int64_t count)
{
	const char *end = text_end(text);
	const char *from, *to;

	/* Positions before the first character count, and hold nothing. */
	if (start < 1) {
		count += start - 1;
		start = 1;
	}
	from = utf8_skip(text.data, end, start - 1);
	to = utf8_skip(from, end, count);
	return text_between(from, to);
}

static int run_substring(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t start = arg_i64(&call->args[1], i);
		/* More than any text has, and far from overflow when `start` is added. */
		int64_t count = INT64_MAX / 2;

		if (call->arg_count > 2) {
			count = arg_i64(&call->args[2], i);
			if (count < 0)
				return error_set(
					err, ERROR_EVAL, "negative substring length not allowed");
		}
		call->out->text[i] = substring(arg_text(&call->args[0], i), start, count);
	}
	return 0;
}

static int run_left(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		int64_t count = arg_i64(&call->args[1], i);

		if (count < 0)
			count += utf8_length(text);
		call->out->text[i] =
			text_between(text.data, utf8_skip(text.data, text_end(text), count));
	}
	return 0;
}

static int run_right(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		int64_t count = arg_i64(&call->args[1], i);
		int64_t skip = count < 0 ? -count : (int64_t)utf8_length(text) - count;

		call->out->text[i] =
			text_between(utf8_skip(text.data, text_end(text), skip), text_end(text));
	}
	return 0;
}

static bool set_has(struct text set, const char *at, const char *next)
{
	const char *end = text_end(set);
	size_t size = (size_t)(next - at);

	for (const char *s = set.data; s < end;) {
		const char *s_next = utf8_next(s, end);

		if ((size_t)(s_next - s) == size && memcmp(s, at, size) == 0)
			return true;
		s = s_next;
	}
	return false;
}

static struct text trim(struct text text, struct text set, bool left, bool right)
{
	const char *start = text.data;
	const char *end = text_end(text);

	while (left && start < end) {
		const char *next = utf8_next(start, end);

		if (!set_has(set, start, next))
			break;
		start = next;
	}
	while (right && start < end) {
		const char *last = end - 1;

		while (last > start && ((unsigned char)*last & 0xc0) == 0x80)
			last--;
		if (!set_has(set, last, end))
			break;
		end = last;
	}
	return text_between(start, end);
}

static int run_trim(struct call *call, struct error *err)
{
	enum function_id which = call->node->expr->function;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->text[i] = trim(arg_text(&call->args[0], i), arg_text(&call->args[1], i),
		which != FN_TRIM_RIGHT, which != FN_TRIM_LEFT);
	return 0;
}

/* The n-th part between delimiters, from 1; an empty text when there are not so many. */
static struct text part_forwards(struct text text, struct text delimiter, int64_t n)
{
	const char *end = text_end(text);
	const char *start = text.data;
	const char *stop;

	while ((stop = find_text(start, end, delimiter)) && n > 1) {
		start = stop + delimiter.size;
		n--;
	}
	if (n > 1)
		return text_from(end, 0);
	return text_between(start, stop ? stop : end);
}

static int64_t count_parts(struct text text, struct text delimiter)
{
	const char *end = text_end(text);
	const char *at = text.data;
	int64_t count = 1;

	while ((at = find_text(at, end, delimiter))) {
		at += delimiter.size;
		count++;
	}
	return count;
}

static int run_split_part(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct text delimiter = arg_text(&call->args[1], i);
		int64_t n = arg_i64(&call->args[2], i);

		if (n == 0)
			return error_set(err, ERROR_EVAL, "field position must not be zero");
		if (delimiter.size == 0) {
			if (n != 1 && n != -1)
				text.size = 0;
			call->out->text[i] = text;
			continue;
		}
		if (n < 0)
			n += count_parts(text, delimiter) + 1;
		call->out->text[i] =
			n < 1 ? text_from(text.data, 0) : part_forwards(text, delimiter, n);
	}
	return 0;
}

/* -- Rebuilding -- */

static int run_replace(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct text from = arg_text(&call->args[1], i);
		struct text by = arg_text(&call->args[2], i);
		const char *end = text_end(text);
		const char *at = text.data;
		const char *hit;
		uint64_t hits;
		char *start, *to;

		call->out->text[i] = text;
		if (from.size == 0 || text.size == 0)
			continue;
		hits = (uint64_t)count_parts(text, from) - 1;
		if (hits == 0)
			continue;
		start = to = call_text(call, text.size - hits * from.size + hits * by.size, err);
		if (!to)
			return -1;
		while ((hit = find_text(at, end, from))) {
			to = text_put(text_put(to, text_between(at, hit)), by);
			at = hit + from.size;
		}
		to = text_put(to, text_between(at, end));
		call->out->text[i] = text_between(start, to);
	}
	return 0;
}

static int run_reverse(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		const char *end = text_end(text);
		char *start = call_text(call, text.size, err);
		char *to;

		if (!start)
			return -1;
		to = start + text.size;
		for (const char *at = text.data; at < end;) {
			const char *next = utf8_next(at, end);

			to -= next - at;
			text_put(to, text_between(at, next));
			at = next;
		}
		call->out->text[i] = text_from(start, text.size);
	}
	return 0;
}

static int run_repeat(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		int64_t times = arg_i64(&call->args[1], i);
		char *start, *to;

		if (times < 0 || text.size == 0)
			times = 0;
		/* Both factors have at most 32 bits. */
		start = to = call_text(call, text.size * (uint64_t)times, err);
		if (!to)
			return -1;
		while (times-- > 0)
			to = text_put(to, text);
		call->out->text[i] = text_between(start, to);
	}
	return 0;
}

/* The bytes of the first `count` characters of `fill`, repeated as often as it takes. */
static uint64_t fill_size(struct text fill, uint32_t fill_length, int64_t count)
{
	const char *rest = utf8_skip(fill.data, text_end(fill), count % (int64_t)fill_length);

	return (uint64_t)(count / fill_length) * fill.size + (uint64_t)(rest - fill.data);
}

static char *put_fill(char *to, struct text fill, uint64_t size)
{
	while (size > 0) {
		uint64_t piece = size < fill.size ? size : fill.size;

		memcpy(to, fill.data, piece);
		to += piece;
		size -= piece;
	}
	return to;
}

static int run_pad(struct call *call, struct error *err)
{
	bool left = call->node->expr->function == FN_LPAD;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		int64_t length = arg_i64(&call->args[1], i);
		struct text fill = arg_text(&call->args[2], i);
		int64_t missing = length - (int64_t)utf8_length(text);
		uint64_t fill_bytes;
		char *start, *to;

		if (missing <= 0 || fill.size == 0) {
			if (missing < 0)
				text = text_between(
					text.data, utf8_skip(text.data, text_end(text), length));
			call->out->text[i] = text;
			continue;
		}
		fill_bytes = fill_size(fill, utf8_length(fill), missing);
		start = to = call_text(call, text.size + fill_bytes, err);
		if (!to)
			return -1;
		if (left)
			to = text_put(put_fill(to, fill, fill_bytes), text);
		else
			to = put_fill(text_put(to, text), fill, fill_bytes);
		call->out->text[i] = text_between(start, to);
	}
	return 0;
}

const struct kernel *kernel_text_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_CONCAT] = {.run = run_concat},
		[FN_CONCAT_ALL] = {.run = run_concat_all, .flags = KERNEL_SEES_NULLS},
		[FN_LOWER] = {.run = run_lower},
		[FN_UPPER] = {.run = run_upper},
		[FN_INITCAP] = {.run = run_initcap},
		[FN_LENGTH] = {.run = run_length},
		[FN_OCTET_LENGTH] = {.run = run_octet_length},
		[FN_SUBSTRING] = {.run = run_substring},
		[FN_LEFT] = {.run = run_left},
		[FN_RIGHT] = {.run = run_right},
		[FN_POSITION] = {.run = run_position},
		[FN_TRIM_BOTH] = {.run = run_trim},
		[FN_TRIM_LEFT] = {.run = run_trim},
		[FN_TRIM_RIGHT] = {.run = run_trim},
		[FN_REPLACE] = {.run = run_replace},
		[FN_SPLIT_PART] = {.run = run_split_part},
		[FN_STARTS_WITH] = {.run = run_starts_with},
		[FN_REVERSE] = {.run = run_reverse},
		[FN_REPEAT] = {.run = run_repeat},
		[FN_LPAD] = {.run = run_pad},
		[FN_RPAD] = {.run = run_pad},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
