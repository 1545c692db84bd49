/*
 * Functions of regular expressions: ~ and the regexp_ functions. A constant pattern is compiled
 * when the expression is, so that a bad one is an error before the first row; of patterns that vary
 * the last one is kept.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "exec/func/regex.h"

#include <string.h>

/* The compiled pattern of a call; freed with the evaluator. */
struct regex_cache {
	struct regex *regex;
	bool is_constant;
	struct buf pattern; /* that it was made from */
	struct buf flags;
};

/* What `prepare` leaves: the cache changes, this does not. */
struct regex_site {
	struct regex_cache *cache;
};

/* -- Compiling -- */

static void cache_free(void *object)
{
	struct regex_cache *cache = object;

	regex_free(cache->regex);
	buf_release(&cache->pattern);
	buf_release(&cache->flags);
}

/* The function as the query calls it, if g is nothing for it. */
static const char *refuses_global(enum function_id function)
{
	switch (function) {
	case FN_REGEX_MATCH: return "regexp_like";
	case FN_REGEX_SUBSTRING:
	case FN_REGEX_NTH: return "regexp_substr";
	case FN_REGEX_INSTR: return "regexp_instr";
	case FN_REGEX_GROUPS: return "regexp_match";
	case FN_REGEX_SPLIT: return "regexp_split_to_array";
	case FN_REGEX_COUNT: return "regexp_count";
	default: return NULL;
	}
}

static int cache_compile(struct regex_cache *cache, enum function_id function, struct text pattern,
	struct text flags, struct error *err)
{
	const char *name = refuses_global(function);

	regex_free(cache->regex);
	cache->regex = NULL;
	if (regex_new(&cache->regex, pattern, flags, err))
		return -1;
	if (name && regex_is_global(cache->regex)) {
		regex_free(cache->regex);
		cache->regex = NULL;
		return error_set(
			err, ERROR_EVAL, "%s() does not support the \"global\" option", name);
	}
	return 0;
}

static uint32_t flags_index(const struct expr *expr)
{
	return expr->arg_count - 1;
}

static int prepare_regex(struct site *site, struct error *err)
{
	const struct column *pattern = site->constants[1];
	const struct column *flags = site->constants[flags_index(site->expr)];
	struct regex_cache *cache = arena_zalloc(site->arena, sizeof(*cache));
	struct regex_site *state = arena_alloc(site->arena, sizeof(*state));

	buf_init(&cache->pattern, TEXT_SIZE_MAX);
	buf_init(&cache->flags, TEXT_SIZE_MAX);
	evaluator_defer(site->evaluator, cache_free, cache);
	state->cache = cache;
	site->state = state;
	if (!pattern || !flags)
		return 0;
	cache->is_constant = true;
	return cache_compile(cache, site->expr->function, pattern->text[0], flags->text[0], err);
}

static bool is_kept(const struct buf *kept, struct text text)
{
	return kept->size == text.size &&
	       (text.size == 0 || memcmp(kept->data, text.data, text.size) == 0);
}

static void keep(struct buf *kept, struct text text)
{
	buf_clear(kept);
	if (text.size > 0)
		buf_append(kept, text.data, text.size);
}

/* The row's pattern, with the row's text to match; NULL with the error set. */
static struct regex *regex_at(struct call *call, uint32_t row, struct error *err)
{
	struct regex_cache *cache = ((const struct regex_site *)call->state)->cache;

	if (!cache->is_constant) {
		const struct expr *expr = call->node->expr;
		struct text pattern = arg_text(&call->args[1], row);
		struct text flags = arg_text(&call->args[flags_index(expr)], row);

		if (!cache->regex || !is_kept(&cache->pattern, pattern) ||
			!is_kept(&cache->flags, flags)) {
			if (cache_compile(cache, expr->function, pattern, flags, err))
				return NULL;
			keep(&cache->pattern, pattern);
			keep(&cache->flags, flags);
		}
	}
	regex_stop_with(cache->regex, call->evaluator->stop, call->evaluator->failed);
	regex_begin(cache->regex, arg_text(&call->args[0], row));
	return cache->regex;
}

/* -- One match -- */

static int run_match(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct regex *regex = regex_at(call, i, err);
		int found = regex ? regex_find(regex, 0, REGEX_WISH_TRUTH, err) : -1;

		if (found < 0)
			return -1;
		call->out->u8[i] = found > 0;
	}
	return 0;
}

/* A group of the last match as a part of the text, or a NULL item. */
static struct text group_text(const struct regex *regex, struct text text, uint32_t group)
{
	uint32_t start, end;

	if (!regex_group(regex, group, &start, &end))
		return item_null();
	return text_from(text.data + start, end - start);
}

static int run_substring(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct regex *regex = regex_at(call, i, err);
		int found = regex ? regex_find(regex, 0, REGEX_WISH_GROUPS, err) : -1;
		struct text part = item_null();

		if (found < 0)
			return -1;
		if (found > 0)
			part = group_text(
				regex, arg_text(&call->args[0], i), regex_group_count(regex) > 0);
		if (part.size == TEXT_LIST_NULL_SIZE)
			call_set_null(call, i);
		else
			call->out->text[i] = part;
	}
	return 0;
}

/* The groups of the match that was found last, or all of it where the pattern has none. */
static int set_groups(struct call *call, uint32_t row, struct regex *regex, struct error *err)
{
	struct text text = arg_text(&call->args[0], row);
	uint32_t count = regex_group_count(regex);
	struct text *items = call_items(call, count > 0 ? count : 1, err);

	if (!items)
		return -1;
	if (count == 0)
		items[0] = group_text(regex, text, 0);
	for (uint32_t g = 0; g < count; g++)
		items[g] = group_text(regex, text, g + 1);
	call->out->list[row] = (struct text_list){items, count > 0 ? count : 1};
	return 0;
}

static int run_groups(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct regex *regex = regex_at(call, i, err);
		int found = regex ? regex_find(regex, 0, REGEX_WISH_GROUPS, err) : -1;

		if (found < 0)
			return -1;
		if (found == 0)
			call_set_null(call, i);
		else if (set_groups(call, i, regex, err) < 0)
			return -1;
	}
	return 0;
}

/* -- All matches -- */

struct matches {
	struct regex *regex;
	struct text text;
	enum regex_wish wish;
	uint32_t from; /* where to search on */
	bool ended;
	uint32_t start; /* of the last one */
	uint32_t end;
};

/* 1 with the next match, 0 when there is none. After an empty one the search goes one further. */
static int matches_next(struct matches *m, struct error *err)
{
	int found = m->ended ? 0 : regex_find(m->regex, m->from, m->wish, err);

	if (found <= 0)
		return found;
	regex_group(m->regex, 0, &m->start, &m->end);
	m->from = m->end;
	if (m->start == m->end) {
		const char *end = m->text.data + m->text.size;

		m->ended = m->end == m->text.size;
		if (!m->ended)
			m->from = (uint32_t)(utf8_next(m->text.data + m->end, end) - m->text.data);
	}
	return 1;
}

static int bad_parameter(const char *name, int64_t value, struct error *err)
{
	return error_set(err, ERROR_EVAL, "invalid value for parameter \"%s\": %lld", name,
		(long long)value);
}

/* The matches from character `start` on, counted from 1. */
static int matches_from(struct call *call, uint32_t row, int64_t start, enum regex_wish wish,
	struct matches *out, struct error *err)
{
	const char *at, *end;

	if (start < 1)
		return bad_parameter("start", start, err);
	*out = (struct matches){.regex = regex_at(call, row, err),
		.text = arg_text(&call->args[0], row),
		.wish = wish};
	if (!out->regex)
		return -1;
	at = out->text.data;
	end = at + out->text.size;
	for (; start > 1 && at < end; start--)
		at = utf8_next(at, end);
	out->from = (uint32_t)(at - out->text.data);
	out->ended = start > 1;
	return 0;
}

static int run_count(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t start = call->arg_count > 3 ? arg_i64(&call->args[2], i) : 1, count = 0;
		struct matches m;
		int found;

		if (matches_from(call, i, start, REGEX_WISH_EXTENT, &m, err) < 0)
			return -1;
		while ((found = matches_next(&m, err)) > 0)
			count++;
		if (found < 0)
			return -1;
		call->out->i64[i] = count;
	}
	return 0;
}

/* Finds the n-th match from `start` on, and its group. 1 with them, 0 when there are none. */
static int find_nth(struct call *call, uint32_t row, int64_t group, struct matches *m,
	struct text *part, struct error *err)
{
	int64_t start = arg_i64(&call->args[2], row), n = arg_i64(&call->args[3], row);
	enum regex_wish wish = group > 0 ? REGEX_WISH_GROUPS : REGEX_WISH_EXTENT;
	int found = 1;

	if (start >= 1 && n < 1)
		return bad_parameter("n", n, err);
	if (matches_from(call, row, start, wish, m, err) < 0)
		return -1;
	if (group < 0)
		return bad_parameter("subexpr", group, err);
	while (n-- > 0 && found > 0)
		found = matches_next(m, err);
	if (found <= 0 || group > regex_group_count(m->regex))
		return found < 0 ? -1 : 0;
	*part = group_text(m->regex, m->text, (uint32_t)group);
	return part->size != TEXT_LIST_NULL_SIZE;
}

static int run_instr(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t at_end = arg_i64(&call->args[4], i);
		struct matches m;
		struct text part;
		int found;

		if (at_end != 0 && at_end != 1)
			return bad_parameter("endoption", at_end, err);
		found = find_nth(call, i, arg_i64(&call->args[5], i), &m, &part, err);
		if (found < 0)
			return -1;
		call->out->i64[i] = 0;
		if (found == 0)
			continue;
		part.data += at_end ? part.size : 0;
		call->out->i64[i] =
			1 + utf8_length(text_from(m.text.data, (size_t)(part.data - m.text.data)));
	}
	return 0;
}

static int run_nth(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct matches m;
		struct text part;
		int found = find_nth(call, i, arg_i64(&call->args[4], i), &m, &part, err);

		if (found < 0)
			return -1;
		if (found == 0)
			call_set_null(call, i);
		else
			call->out->text[i] = part;
	}
	return 0;
}

static int run_nth_groups(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct matches m = {.regex = regex_at(call, i, err),
			.text = arg_text(&call->args[0], i),
			.wish = REGEX_WISH_GROUPS};
		int64_t number = arg_i64(&call->args[2], i);
		int found = 1;

		if (!m.regex)
			return -1;
		for (int64_t n = 0; n < number && found > 0; n++)
			found = matches_next(&m, err);
		if (found < 0)
			return -1;
		if (found == 0 || number < 1)
			call_set_null(call, i);
		else if (set_groups(call, i, m.regex, err) < 0)
			return -1;
	}
	return 0;
}

/*
 * The parts between matches. Empty matches at the start, at the end and right behind another match
 * separate nothing.
 */
static int split(struct matches *m, struct text_vector *items, struct error *err)
{
	uint32_t part = 0;
	uint32_t last_end = 0;
	int found;

	items->count = 0;
	while ((found = matches_next(m, err)) > 0) {
		if (m->start < m->text.size && m->end > last_end) {
			text_vector_add(items, text_from(m->text.data + part, m->start - part));
			part = m->end;
		}
		last_end = m->end;
	}
	if (m->text.size > 0)
		text_vector_add(items, text_from(m->text.data + part, m->text.size - part));
	else
		text_vector_add(items, m->text);
	return found;
}

static int run_split(struct call *call, struct error *err)
{
	struct text_vector items;
	int failed = 0;

	text_vector_init(&items);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct matches m = {.regex = regex_at(call, i, err),
			.text = arg_text(&call->args[0], i),
			.wish = REGEX_WISH_EXTENT};

		if (!m.regex || split(&m, &items, err) < 0 || call_set_list(call, i, &items, err)) {
			failed = -1;
			break;
		}
	}
	text_vector_release(&items);
	return failed;
}

/* -- Replacing -- */

static bool names_groups(struct text replacement)
{
	for (uint32_t i = 0; i + 1 < replacement.size; i++)
		if (replacement.data[i] == '\\' && replacement.data[i + 1] >= '1' &&
			replacement.data[i + 1] <= '9')
			return true;
	return false;
}

static void append_group(struct buf *out, const struct matches *m, uint32_t group)
{
	struct text text = {0};

	if (group <= regex_group_count(m->regex))
		text = group_text(m->regex, m->text, group);
	if (text.size > 0 && text.size != TEXT_LIST_NULL_SIZE)
		buf_append(out, text.data, text.size);
}

/* \1 to \9 are groups, \& is the match, \\ a backslash; any other backslash is one, too. */
static void append_replacement(struct buf *out, const struct matches *m, struct text replacement)
{
	const char *at = replacement.data;
	const char *end = at + replacement.size;

	while (at < end) {
		const char *slash = memchr(at, '\\', (size_t)(end - at));
		const char *stop = slash ? slash : end;
		char next = slash && slash + 1 < end ? slash[1] : '\0';

		if (stop > at)
			buf_append(out, at, (size_t)(stop - at));
		if (!slash)
			break;
		at = slash + 2;
		if (next >= '1' && next <= '9') {
			append_group(out, m, (uint32_t)(next - '0'));
		} else if (next == '&') {
			append_group(out, m, 0);
		} else {
			buf_append_char(out, '\\');
			at = next == '\\' ? slash + 2 : slash + 1;
		}
	}
}

/* Match `n`, or all for 0. 1 when `out` holds the new text, 0 when nothing matched. */
static int replace(
	struct matches *m, int64_t n, struct text replacement, struct buf *out, struct error *err)
{
	uint32_t copied = 0;
	bool any = false;
	int found;

	buf_clear(out);
	for (int64_t number = 1; (found = matches_next(m, err)) > 0; number++) {
		if (n > 0 && number < n)
			continue;
		if (m->start > copied)
			buf_append(out, m->text.data + copied, m->start - copied);
		if (replacement.size > 0)
			append_replacement(out, m, replacement);
		copied = m->end;
		any = true;
		if (n > 0)
			break;
	}
	if (found < 0)
		return -1;
	if (any && m->text.size > copied)
		buf_append(out, m->text.data + copied, m->text.size - copied);
	return any;
}

static int replace_row(struct call *call, uint32_t row, struct buf *out, struct error *err)
{
	struct text replacement = arg_text(&call->args[2], row);
	bool has_place = call->arg_count > 4;
	int64_t start = has_place ? arg_i64(&call->args[3], row) : 1;
	int64_t n = has_place ? arg_i64(&call->args[4], row) : 1;
	struct matches m;
	int changed;

	if (start >= 1 && n < 0)
		return bad_parameter("n", n, err);
	if (matches_from(call, row, start,
		    names_groups(replacement) ? REGEX_WISH_GROUPS : REGEX_WISH_EXTENT, &m, err) < 0)
		return -1;
	if (!has_place && regex_is_global(m.regex))
		n = 0;
	changed = replace(&m, n, replacement, out, err);
	if (changed > 0)
		return call_set_buf(call, row, out, err);
	call->out->text[row] = m.text;
	return changed;
}

static int run_replace(struct call *call, struct error *err)
{
	struct buf out;
	int failed = 0;

	buf_init(&out, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		failed = replace_row(call, i, &out, err);
		if (failed)
			break;
	}
	buf_release(&out);
	return failed;
}

/* -- SIMILAR TO -- */

/* The state of a pattern on its way to a regular expression. */
struct similar {
	struct text escape; /* one character, or none */
	bool escaped;	    /* the character before was the escape */
	bool in_class;
	bool shortest;	     /* what stands before the first separator is to match little */
	unsigned separators; /* that were met: an escape and a double quote */
	struct buf *out;
};

/* What stands between two separators is what substring() yields: the one group that captures. */
static int add_separator(struct similar *s, struct error *err)
{
	if (s->separators == 2)
		return error_set(err, ERROR_EVAL,
			"SQL regular expression may not contain more than two "
			"escape-double-quote separators");
	buf_append_text(s->out, s->separators == 0 ? ")(" : ")(?:");
	s->separators++;
	s->shortest = false;
	return 0;
}

static int add_similar(struct similar *s, struct text character, struct error *err)
{
	char c = character.size == 1 ? *character.data : '\0';

	if (s->escaped) {
		s->escaped = false;
		if (c == '"' && !s->in_class)
			return add_separator(s, err);
		buf_append_char(s->out, '\\');
	} else if (s->escape.size == character.size &&
		   memcmp(s->escape.data, character.data, character.size) == 0) {
		s->escaped = true;
		return 0;
	} else if (s->in_class) {
		if (c == '\\')
			buf_append_char(s->out, '\\');
		s->in_class = c != ']';
	} else if (c == '%' || c == '_' || c == '(') {
		buf_append_text(s->out, c == '%' ? ".*" : c == '_' ? "." : "(?:");
		if (c == '%' && s->shortest)
			buf_append_char(s->out, '?');
		return 0;
	} else if (c == '*' || c == '+' || c == '?' || c == '}') {
		buf_append_char(s->out, c);
		if (s->shortest)
			buf_append_char(s->out, '?');
		return 0;
	} else if (c == '\\' || c == '.' || c == '^' || c == '$') {
		buf_append_char(s->out, '\\');
	} else {
		s->in_class = c == '[';
	}
	buf_append(s->out, character.data, character.size);
	return 0;
}

static int similar_pattern(struct text pattern, struct similar *s, struct error *err)
{
	const char *end = pattern.data + pattern.size;

	buf_clear(s->out);
	if (s->escape.size > 0 && utf8_next(s->escape.data, s->escape.data + s->escape.size) !=
					  s->escape.data + s->escape.size)
		return error_set(err, ERROR_EVAL, "invalid escape string");
	buf_append_text(s->out, "^(?:");
	for (const char *at = pattern.data; at < end;) {
		const char *next = utf8_next(at, end);

		if (add_similar(s, text_from(at, (size_t)(next - at)), err) < 0)
			return -1;
		at = next;
	}
	buf_append_text(s->out, ")$");
	return 0;
}

static int run_similar(struct call *call, struct error *err)
{
	struct buf out;
	int status = 0;

	buf_init(&out, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text pattern = arg_text(&call->args[0], i);
		struct similar similar = {.escape = arg_text(&call->args[1], i), .out = &out};

		status = similar_pattern(pattern, &similar, err);
		if (status == 0 && similar.separators > 0) {
			similar = (struct similar){
				.escape = similar.escape, .shortest = true, .out = &out};
			status = similar_pattern(pattern, &similar, err);
		}
		if (status == 0)
			status = call_set_buf(call, i, &out, err);
		if (status < 0)
			break;
	}
	buf_release(&out);
	return status;
}

const struct kernel *kernel_regex_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_REGEX_MATCH] = {.run = run_match, .prepare = prepare_regex},
		[FN_REGEX_SUBSTRING] = {.run = run_substring, .prepare = prepare_regex},
		[FN_REGEX_REPLACE] = {.run = run_replace, .prepare = prepare_regex},
		[FN_REGEX_GROUPS] = {.run = run_groups, .prepare = prepare_regex},
		[FN_REGEX_SPLIT] = {.run = run_split, .prepare = prepare_regex},
		[FN_REGEX_COUNT] = {.run = run_count, .prepare = prepare_regex},
		[FN_REGEX_INSTR] = {.run = run_instr, .prepare = prepare_regex},
		[FN_REGEX_NTH] = {.run = run_nth, .prepare = prepare_regex},
		[FN_SIMILAR_PATTERN] = {.run = run_similar},
		[FN_REGEX_NTH_GROUPS] = {.run = run_nth_groups, .prepare = prepare_regex},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
