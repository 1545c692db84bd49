/*
 * Matching with PCRE2, the only file that sees it.
 *
 * A pattern is compiled twice, each when it is first needed: in bytes for texts of ASCII, where all
 * classes are small tables, and in UTF-8 for the others. Plain texts need no matcher at all.
 *
 * Lengths. The backtracking matcher (compiled to machine code) finds where the leftmost match
 * starts, and its first match there is what Perl takes. Unless the pattern says that this is the
 * longest (or shortest) one as well, PCRE2's other matcher, which follows all ways at once, tells
 * the right end; and if that is another one, the backtracking matcher goes on to the first match
 * with that end, for the sake of its groups. The other matcher is also the way out when
 * backtracking takes too many steps.
 *
 * Time. A search in a long text may try each of its characters to the end. It is made of several searches for
 * matches that start in one part of the text, each short enough that somebody can stop it.
 */
#define PCRE2_CODE_UNIT_WIDTH 8

#include "exec/func/regex.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "exec/expr/eval_private.h"
#include "exec/func/regex_private.h"

#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

/* A pattern and a text that need more are a danger to the machine. */
#define MATCH_STEPS_MAX	    2000000
#define JIT_STACK_BYTES_MIN (32u << 10)
#define JIT_STACK_BYTES_MAX (1u << 20)
#define WORKSPACE_INTS_MIN  4096
#define WORKSPACE_INTS_MAX  (4u << 20)
/* Searches of more than so many bytes are made part by part; so many starts are in the first one ... */
#define SEARCH_BYTES_WHOLE 1024u
#define STARTS_FIRST	   64u
/* ... and if it took longer than this there are fewer in the next, otherwise more. */
#define SEARCH_US 5000u

enum program_kind {
	PROGRAM_ASCII,
	PROGRAM_UTF8,
	PROGRAM_KINDS,
};

struct program {
	pcre2_code *code;
	pcre2_code *ending; /* the same with a callout at its end */
	pcre2_match_data *data;
};

struct regex {
	struct arena arena;
	struct regex_tree tree;
	struct regex_groups groups;
	bool prefers_shortest;
	bool first_is_best;

	bool is_literal;
	bool at_start;
	bool at_end;
	struct buf literal;

	pcre2_general_context *memory; /* no allocation fails, as everywhere */
	struct program programs[PROGRAM_KINDS];
	pcre2_match_context *context;
	pcre2_match_context *ending_context;
	pcre2_jit_stack *jit_stack;
	pcre2_match_data *extent;
	int *workspace;
	size_t workspace_ints;

	const atomic_bool *stop, *failed; /* regex_stop_with */

	/* The text that is being matched. */
	enum program_kind kind;
	const char *text;
	uint32_t size;
	struct buf repaired; /* a copy without the bytes that are not UTF-8 */
	size_t wanted_end;
	size_t *spans; /* start and end, by PCRE2's numbers; PCRE2_UNSET for none */
};

/* -- Memory -- */

static void *take_memory(PCRE2_SIZE size, void *context)
{
	(void)context;
	return memory_alloc(size);
}

static void give_back_memory(void *memory, void *context)
{
	(void)context;
	free(memory);
}

/* -- Compiling -- */

static int raise_compile(int code, struct error *err)
{
	PCRE2_UCHAR message[160];

	if (code == PCRE2_ERROR_LOOKBEHIND_NOT_FIXED_LENGTH)
		return error_set(err, ERROR_EVAL,
			"invalid regular expression: a lookbehind that is not of one length is "
			"not supported");
	if (code == PCRE2_ERROR_PATTERN_TOO_LARGE || code == PCRE2_ERROR_PATTERN_TOO_COMPLICATED ||
		code == PCRE2_ERROR_PARENTHESES_NEST_TOO_DEEP)
		return error_set(err, ERROR_EVAL,
			"invalid regular expression: regular expression is too complex");
	if (pcre2_get_error_message(code, message, sizeof(message)) < 0)
		message[0] = '\0';
	return error_set(err, ERROR_EVAL, "invalid regular expression: %s", (const char *)message);
}

static int compile(struct regex *regex, enum program_kind kind, bool ending, pcre2_code **out,
	struct error *err)
{
	uint32_t options = PCRE2_DOTALL | PCRE2_USE_OFFSET_LIMIT |
			   (kind == PROGRAM_UTF8 ? PCRE2_UTF : 0) |
			   (regex->tree.ignore_case ? PCRE2_CASELESS : 0);
	pcre2_compile_context *context;
	struct buf pattern;
	PCRE2_SIZE offset;
	int code;

	/* Possessive repetitions hide the shorter matches from the matcher that is asked for them.
	 */
	if (!regex->first_is_best && regex->prefers_shortest)
		options |= PCRE2_NO_AUTO_POSSESS;
	buf_init(&pattern, SIZE_MAX / 2);
	if (ending)
		buf_append_text(&pattern, "(?:");
	regex_emit(&regex->tree, kind == PROGRAM_ASCII, &regex->arena, &pattern, &regex->groups);
	if (ending)
		buf_append_text(&pattern, ")(?C1)");
	context = pcre2_compile_context_create(regex->memory);
	*out = pcre2_compile((PCRE2_SPTR)(pattern.data ? pattern.data : ""), pattern.size, options,
		&code, &offset, context);
	pcre2_compile_context_free(context);
	buf_release(&pattern);
	if (!*out)
		return raise_compile(code, err);
	/* Where there is no machine code the interpreter does the same. */
	(void)pcre2_jit_compile(*out, PCRE2_JIT_COMPLETE);
	return 0;
}

static int program_prepare(struct regex *regex, enum program_kind kind, struct error *err)
{
	struct program *program = &regex->programs[kind];

	if (program->code)
		return 0;
	if (compile(regex, kind, false, &program->code, err))
		return -1;
	program->data = pcre2_match_data_create_from_pattern(program->code, regex->memory);
	return 0;
}

/*
 * Called where a match is complete: a match with any other end than the wanted one does not count.
 */
static int check_end(pcre2_callout_block *block, void *regex)
{
	return block->current_position != ((struct regex *)regex)->wanted_end;
}

static void prepare_contexts(struct regex *regex)
{
	regex->context = pcre2_match_context_create(regex->memory);
	regex->ending_context = pcre2_match_context_create(regex->memory);
	regex->jit_stack =
		pcre2_jit_stack_create(JIT_STACK_BYTES_MIN, JIT_STACK_BYTES_MAX, regex->memory);
	regex->extent = pcre2_match_data_create(1, regex->memory);
	pcre2_set_match_limit(regex->context, MATCH_STEPS_MAX);
	pcre2_set_match_limit(regex->ending_context, MATCH_STEPS_MAX);
	pcre2_set_callout(regex->ending_context, check_end, regex);
	if (regex->jit_stack) {
		pcre2_jit_stack_assign(regex->context, NULL, regex->jit_stack);
		pcre2_jit_stack_assign(regex->ending_context, NULL, regex->jit_stack);
	}
}

static int prepare(struct regex *regex, struct text pattern, struct text flags, struct error *err)
{
	if (regex_parse(&regex->arena, pattern, flags, &regex->tree, err))
		return -1;
	regex->is_literal =
		regex_is_literal(&regex->tree, &regex->literal, &regex->at_start, &regex->at_end);
	regex->prefers_shortest = regex_prefers_shortest(&regex->tree);
	/* The other matcher cannot look back at groups: then Perl's choice has to do. */
	regex->first_is_best = regex->tree.has_backrefs || regex_first_is_best(&regex->tree);
	if (!regex->is_literal) {
		prepare_contexts(regex);
		if (program_prepare(regex, PROGRAM_ASCII, err))
			return -1;
	}
	/* One more than PCRE2 can have. */
	regex->spans =
		arena_alloc(&regex->arena, 2 * sizeof(*regex->spans) * (regex->groups.count + 1));
	return 0;
}

int regex_new(struct regex **out, struct text pattern, struct text flags, struct error *err)
{
	struct regex *regex = memory_zalloc(sizeof(*regex));

	regex->memory = pcre2_general_context_create(take_memory, give_back_memory, NULL);
	arena_init(&regex->arena, 4096);
	buf_init(&regex->literal, SIZE_MAX / 2);
	buf_init(&regex->repaired, SIZE_MAX / 2);
	if (prepare(regex, pattern, flags, err)) {
		regex_free(regex);
		return -1;
	}
	*out = regex;
	return 0;
}

void regex_free(struct regex *regex)
{
	if (!regex)
		return;
	for (int kind = 0; kind < PROGRAM_KINDS; kind++) {
		pcre2_code_free(regex->programs[kind].code);
		pcre2_code_free(regex->programs[kind].ending);
		pcre2_match_data_free(regex->programs[kind].data);
	}
	pcre2_match_context_free(regex->context);
	pcre2_match_context_free(regex->ending_context);
	pcre2_jit_stack_free(regex->jit_stack);
	pcre2_match_data_free(regex->extent);
	pcre2_general_context_free(regex->memory);
	free(regex->workspace);
	buf_release(&regex->literal);
	buf_release(&regex->repaired);
	arena_release(&regex->arena);
	free(regex);
}

uint32_t regex_group_count(const struct regex *regex)
{
	return regex->tree.group_count;
}

bool regex_is_global(const struct regex *regex)
{
	return regex->tree.global;
}

/* -- The text -- */

/* The first byte that is not ASCII, or `end`. */
static const char *skip_ascii(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t bytes;

		memcpy(&bytes, at, sizeof(bytes));
		if (bytes & UINT64_C(0x8080808080808080))
			break;
	}
	while (at < end && (unsigned char)*at < 0x80)
		at++;
	return at;
}

/*
 * Where the text has bytes that are not UTF-8 it is copied, with a control character in the place
 * of each: positions stay what they are.
 */
static void repair_text(struct regex *regex, const char *at)
{
	const char *end = regex->text + regex->size;
	const char *plain = regex->text;

	buf_clear(&regex->repaired);
	while ((at = skip_ascii(at, end)) < end) {
		size_t length;

		if (utf8_decode(at, (size_t)(end - at), &length) == UTF8_INVALID) {
			buf_append(&regex->repaired, plain, (size_t)(at - plain));
			buf_append_char(&regex->repaired, 0x1a);
			plain = at + 1;
		}
		at += length;
	}
	if (plain == regex->text)
		return;
	buf_append(&regex->repaired, plain, (size_t)(end - plain));
	regex->text = regex->repaired.data;
}

void regex_stop_with(struct regex *regex, const atomic_bool *stop, const atomic_bool *failed)
{
	regex->stop = stop;
	regex->failed = failed;
}

void regex_begin(struct regex *regex, struct text text)
{
	const char *wide;

	regex->text = text.size > 0 ? text.data : "";
	regex->size = text.size;
	regex->kind = PROGRAM_ASCII;
	if (regex->is_literal)
		return;
	wide = skip_ascii(regex->text, regex->text + regex->size);
	if (wide < regex->text + regex->size) {
		regex->kind = PROGRAM_UTF8;
		repair_text(regex, wide);
	}
}

/* -- Matching -- */

static int raise_match(int code, struct error *err)
{
	PCRE2_UCHAR message[160];

	if (pcre2_get_error_message(code, message, sizeof(message)) < 0)
		message[0] = '\0';
	return error_set(err, ERROR_EVAL, "regular expression failed: %s", (const char *)message);
}

static int find_literal(struct regex *regex, uint32_t from)
{
	size_t size = regex->literal.size;
	const char *end = regex->text + regex->size;
	const char *at = regex->text + from;
	bool whole = regex->at_start && regex->at_end;

	if (size > regex->size - from || (regex->at_start && from > 0) ||
		(whole && size != regex->size))
		return 0;
	if (regex->at_end)
		at = end - size;
	if (regex->at_start || regex->at_end)
		at = memcmp(at, regex->literal.data, size) == 0 ? at : NULL;
	else
		at = bytes_find(at, end, regex->literal.data, size);
	if (!at)
		return 0;
	regex->spans[0] = (size_t)(at - regex->text);
	regex->spans[1] = regex->spans[0] + size;
	return 1;
}

/* One of the two matchers: PCRE2's status. */
typedef int (*match_fn)(struct regex *regex, size_t from, uint32_t options);

static bool is_set(const atomic_bool *flag)
{
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

/* How many starts are tried next after `starts` of them took so long. */
static size_t next_starts(size_t starts, uint64_t took_us)
{
	if (took_us < SEARCH_US / 4)
		return 4 * starts;
	return took_us > SEARCH_US && starts > 1 ? starts / 2 : starts;
}

/* PCRE2's status of a search for the first match that starts at `from` or later; -1: it was stopped. */
static int search(struct regex *regex, match_fn match, size_t from, int *status, struct error *err)
{
	size_t starts = STARTS_FIRST;

	for (;;) {
		bool is_last =
			regex->size - from <= SEARCH_BYTES_WHOLE || regex->size - from <= starts;
		uint64_t started_us = is_last ? 0 : clock_monotonic_us();

		if (is_set(regex->stop) || is_set(regex->failed))
			return error_set(err, ERROR_INTERRUPTED, "interrupted");
		pcre2_set_offset_limit(regex->context, is_last ? PCRE2_UNSET : from + starts - 1);
		*status = match(regex, from, 0);
		if (is_last || *status != PCRE2_ERROR_NOMATCH)
			return 0;
		from += starts;
		while (from < regex->size && ((unsigned char)regex->text[from] & 0xc0) == 0x80 &&
			regex->kind == PROGRAM_UTF8)
			from++;
		starts = next_starts(starts, clock_monotonic_us() - started_us);
	}
}

static int match_first(struct regex *regex, size_t from, uint32_t options)
{
	struct program *program = &regex->programs[regex->kind];

	return pcre2_match(program->code, (PCRE2_SPTR)regex->text, regex->size, from,
		options | PCRE2_NO_UTF_CHECK, program->data, regex->context);
}

/* The matcher that follows all ways at once. */
static int match_extent(struct regex *regex, size_t from, uint32_t options)
{
	const pcre2_code *code = regex->programs[regex->kind].code;
	int status;

	options |= PCRE2_NO_UTF_CHECK | (regex->prefers_shortest ? PCRE2_DFA_SHORTEST : 0);
	if (!regex->workspace) {
		regex->workspace_ints = WORKSPACE_INTS_MIN;
		regex->workspace = memory_alloc(regex->workspace_ints * sizeof(int));
	}
	while ((status = pcre2_dfa_match(code, (PCRE2_SPTR)regex->text, regex->size, from, options,
			regex->extent, regex->context, regex->workspace, regex->workspace_ints)) ==
			PCRE2_ERROR_DFA_WSSIZE &&
		regex->workspace_ints < WORKSPACE_INTS_MAX) {
		regex->workspace_ints *= 2;
		regex->workspace =
			memory_realloc(regex->workspace, regex->workspace_ints * sizeof(int));
	}
	return status;
}

/* What match_extent finds: fills spans[0] and spans[1]. Anchored: at `from`, or there is none. */
static int find_extent(struct regex *regex, size_t from, bool is_anchored, struct error *err)
{
	const PCRE2_SIZE *found = pcre2_get_ovector_pointer(regex->extent);
	int status;

	if (is_anchored) {
		pcre2_set_offset_limit(regex->context, PCRE2_UNSET);
		status = match_extent(regex, from, PCRE2_ANCHORED);
	} else if (search(regex, match_extent, from, &status, err)) {
		return -1;
	}
	if (status == PCRE2_ERROR_NOMATCH)
		return 0;
	if (status < 0)
		return raise_match(status, err);
	regex->spans[0] = found[0];
	regex->spans[1] = found[1];
	return 1;
}

static void take_groups(struct regex *regex)
{
	pcre2_match_data *data = regex->programs[regex->kind].data;

	memcpy(regex->spans, pcre2_get_ovector_pointer(data),
		2 * sizeof(*regex->spans) * (regex->groups.count + 1));
}

/* The groups of the first match that is where spans[0] and spans[1] say. */
static int find_groups(struct regex *regex, struct error *err)
{
	struct program *program = &regex->programs[regex->kind];
	int status;

	regex->wanted_end = regex->spans[1];
	if (!program->ending && compile(regex, regex->kind, true, &program->ending, err))
		return -1;
	status = pcre2_match(program->ending, (PCRE2_SPTR)regex->text, regex->size, regex->spans[0],
		PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, program->data, regex->ending_context);
	if (status < 0)
		return raise_match(status, err);
	take_groups(regex);
	return 0;
}

static bool too_many_steps(int status)
{
	return status == PCRE2_ERROR_MATCHLIMIT || status == PCRE2_ERROR_JIT_STACKLIMIT ||
	       status == PCRE2_ERROR_HEAPLIMIT || status == PCRE2_ERROR_DEPTHLIMIT;
}

int regex_find(struct regex *regex, uint32_t from, enum regex_wish wish, struct error *err)
{
	size_t first_end;
	int status;

	if (regex->is_literal)
		return find_literal(regex, from);
	if (program_prepare(regex, regex->kind, err))
		return -1;
	if (search(regex, match_first, from, &status, err))
		return -1;
	if (status == PCRE2_ERROR_NOMATCH)
		return 0;
	if (status < 0 && (!too_many_steps(status) || regex->tree.has_backrefs))
		return raise_match(status, err);
	if (status < 0) {
		status = find_extent(regex, from, false, err);
		if (status > 0 && wish == REGEX_WISH_GROUPS && regex->tree.group_count > 0)
			return find_groups(regex, err) ? -1 : 1;
		return status;
	}
	take_groups(regex);
	if (wish == REGEX_WISH_TRUTH || regex->first_is_best)
		return 1;
	first_end = regex->spans[1];
	if (find_extent(regex, regex->spans[0], true, err) < 0)
		return -1;
	if (regex->spans[1] != first_end && wish == REGEX_WISH_GROUPS &&
		regex->tree.group_count > 0 && find_groups(regex, err))
		return -1;
	return 1;
}

/* Whether a group holds something from the last round of the loops around it. */
static bool is_current(const struct regex *regex, uint32_t number)
{
	for (uint32_t loop = regex->groups.loops[number]; loop; loop = regex->groups.loops[loop]) {
		if (regex->spans[2 * loop] == PCRE2_UNSET ||
			regex->spans[2 * number] < regex->spans[2 * loop] ||
			regex->spans[2 * number + 1] > regex->spans[2 * loop + 1])
			return false;
	}
	return true;
}

bool regex_group(const struct regex *regex, uint32_t group, uint32_t *start, uint32_t *end)
{
	uint32_t number = group > 0 ? regex->groups.numbers[group] : 0;

	if (group > 0 && (regex->spans[2 * number] == PCRE2_UNSET || !is_current(regex, number)))
		return false;
	*start = (uint32_t)regex->spans[2 * number];
	*end = (uint32_t)regex->spans[2 * number + 1];
	return true;
}
