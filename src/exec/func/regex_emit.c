/*
 * From a tree to PCRE2's syntax, and what can be told from a tree: its preference for long or short
 * matches, whether PCRE2 finds the preferred one first, and whether it is a plain text.
 */
#include "exec/func/regex_private.h"

#include "base/utf8.h"

#include <string.h>

/* -- To PCRE2 -- */

#define WORD_CLASS "[0-9A-Za-z_\\p{Alphabetic}\\p{Nd}]"

struct emitter {
	bool ascii;
	struct buf *out;
	struct regex_groups *groups;
	uint32_t loop; /* PCRE2's number of the innermost repeated group around here */
};

static void emit(struct emitter *e, const struct regex_node *node);

/* \xff is in no text of ASCII: it stands for what cannot match there. */
static void emit_char(struct emitter *e, uint32_t code)
{
	char utf8[4];

	if (code >= 128 && e->ascii)
		buf_append_text(e->out, "\\xff");
	else if (code >= 128)
		buf_append(e->out, utf8, (size_t)(utf8_encode(utf8, code) - utf8));
	else if ((code >= '0' && code <= '9') || ((code | 0x20) >= 'a' && (code | 0x20) <= 'z'))
		buf_append_char(e->out, (char)code);
	else
		buf_printf(e->out, "\\x%02x", code);
}

static bool set_has_ascii(const struct regex_set *set, uint32_t c)
{
	return set->ascii[c / 64] >> c % 64 & 1;
}

static bool set_is_all(const struct regex_set *set)
{
	return set->negated && !set->ascii[0] && !set->ascii[1] && set->wide.size == 0;
}

/* The characters below 128 that are in the set, as ranges of a class. */
static void emit_ranges(struct emitter *e, const struct regex_set *set)
{
	for (uint32_t c = 0; c < 128; c++) {
		uint32_t first = c;

		if (!set_has_ascii(set, c))
			continue;
		while (c + 1 < 128 && set_has_ascii(set, c + 1))
			c++;
		buf_printf(e->out, first == c ? "\\x%02x" : "\\x%02x-\\x%02x", first, c);
	}
}

static void emit_set(struct emitter *e, const struct regex_set *set)
{
	buf_append_text(e->out, set->negated ? "[^" : "[");
	emit_ranges(e, set);
	/* Without its wide characters a class could be empty, which is not allowed. */
	if (e->ascii && set->wide.size > 0)
		buf_append_text(e->out, "\\xff");
	else if (set->wide.size > 0)
		buf_append(e->out, set->wide.data, set->wide.size);
	buf_append_char(e->out, ']');
}

static void emit_constraint(struct emitter *e, enum regex_constraint constraint)
{
	static const char *const wide[] = {
		[REGEX_TEXT_BEGIN] = "\\A",
		[REGEX_TEXT_END] = "\\z",
		[REGEX_LINE_BEGIN] = "(?<![^\\n])",
		[REGEX_LINE_END] = "(?![^\\n])",
		[REGEX_WORD_BEGIN] = "(?<!" WORD_CLASS ")(?=" WORD_CLASS ")",
		[REGEX_WORD_END] = "(?<=" WORD_CLASS ")(?!" WORD_CLASS ")",
		[REGEX_WORD_EDGE] = "(?:(?<!" WORD_CLASS ")(?=" WORD_CLASS ")|(?<=" WORD_CLASS
				    ")(?!" WORD_CLASS "))",
		[REGEX_WORD_INSIDE] = "(?:(?<!" WORD_CLASS ")(?!" WORD_CLASS ")|(?<=" WORD_CLASS
				      ")(?=" WORD_CLASS "))",
	};
	static const char *const narrow[] = {
		[REGEX_WORD_BEGIN] = "\\b(?=\\w)",
		[REGEX_WORD_END] = "\\b(?<=\\w)",
		[REGEX_WORD_EDGE] = "\\b",
		[REGEX_WORD_INSIDE] = "\\B",
	};
	bool is_word = constraint >= REGEX_WORD_BEGIN;

	buf_append_text(e->out, e->ascii && is_word ? narrow[constraint] : wide[constraint]);
}

static bool has_groups(const struct regex_node *node)
{
	if (node->kind == REGEX_GROUP && node->number > 0)
		return true;
	for (const struct regex_node *child = node->child; child; child = child->next)
		if (has_groups(child))
			return true;
	return false;
}

/*
 * A group that is repeated and has others in it is captured, whether the query asks or not: what
 * they hold counts only if it is from the group's last round.
 */
static void emit_group(struct emitter *e, const struct regex_node *node, bool repeated)
{
	bool is_loop = repeated && node->child && has_groups(node->child);
	uint32_t outer = e->loop;

	if (node->number > 0 || is_loop) {
		uint32_t number = ++e->groups->count;

		buf_append_char(e->out, '(');
		e->groups->loops[number] = outer;
		if (node->number > 0)
			e->groups->numbers[node->number] = number;
		if (is_loop)
			e->loop = number;
	} else {
		buf_append_text(e->out, "(?:");
	}
	emit(e, node->child);
	buf_append_char(e->out, ')');
	e->loop = outer;
}

static void emit_repeat(struct emitter *e, const struct regex_node *node)
{
	uint32_t min = node->repeat.min;
	uint32_t max = node->repeat.max;

	if (node->child->kind == REGEX_GROUP)
		emit_group(e, node->child, max > 1);
	else
		emit(e, node->child);
	if (max == REGEX_UNLIMITED && min <= 1)
		buf_append_char(e->out, min == 0 ? '*' : '+');
	else if (max == REGEX_UNLIMITED)
		buf_printf(e->out, "{%u,}", min);
	else if (min == 0 && max == 1)
		buf_append_char(e->out, '?');
	else
		buf_printf(e->out, "{%u,%u}", min, max);
	if (node->repeat.lazy)
		buf_append_char(e->out, '?');
}

static void emit_look(struct emitter *e, const struct regex_node *node)
{
	buf_append_text(e->out, node->look.behind ? "(?<" : "(?");
	buf_append_char(e->out, node->look.negative ? '!' : '=');
	emit(e, node->child);
	buf_append_char(e->out, ')');
}

static void emit(struct emitter *e, const struct regex_node *node)
{
	switch (node->kind) {
	case REGEX_EMPTY: break;
	case REGEX_CHAR: emit_char(e, node->code); break;
	case REGEX_SET:
		if (set_is_all(&node->set))
			buf_append_char(e->out, '.');
		else
			emit_set(e, &node->set);
		break;
	case REGEX_CONSTRAINT: emit_constraint(e, node->constraint); break;
	case REGEX_BACKREF: buf_printf(e->out, "\\g{%u}", e->groups->numbers[node->number]); break;
	case REGEX_GROUP: emit_group(e, node, false); break;
	case REGEX_LOOK: emit_look(e, node); break;
	case REGEX_REPEAT: emit_repeat(e, node); break;
	case REGEX_CONCAT:
		for (const struct regex_node *child = node->child; child; child = child->next)
			emit(e, child);
		break;
	case REGEX_ALTERNATE:
		for (const struct regex_node *child = node->child; child; child = child->next) {
			emit(e, child);
			if (child->next)
				buf_append_char(e->out, '|');
		}
		break;
	}
}

static uint32_t count_groups(const struct regex_node *node)
{
	uint32_t count = node->kind == REGEX_GROUP;

	for (const struct regex_node *child = node->child; child; child = child->next)
		count += count_groups(child);
	return count;
}

void regex_emit(const struct regex_tree *tree, bool ascii, struct arena *arena, struct buf *out,
	struct regex_groups *groups)
{
	struct emitter e = {.ascii = ascii, .out = out, .groups = groups};
	uint32_t groups_max = count_groups(tree->root) + 1;

	*groups = (struct regex_groups){
		.numbers = arena_zalloc(arena, groups_max * sizeof(*groups->numbers)),
		.loops = arena_zalloc(arena, groups_max * sizeof(*groups->loops)),
	};
	emit(&e, tree->root);
}

/* -- Long or short -- */

enum preference {
	PREFERS_NOTHING,
	PREFERS_LONG,
	PREFERS_SHORT,
};

/* PostgreSQL's documentation, 9.7.3.5, in its order. */
static enum preference preference(const struct regex_node *node)
{
	enum preference found = PREFERS_NOTHING;

	switch (node->kind) {
	case REGEX_GROUP: return preference(node->child);
	case REGEX_REPEAT:
		if (node->repeat.min == node->repeat.max)
			return preference(node->child);
		return node->repeat.lazy ? PREFERS_SHORT : PREFERS_LONG;
	case REGEX_CONCAT:
		for (const struct regex_node *child = node->child;
			child && found == PREFERS_NOTHING; child = child->next)
			found = preference(child);
		return found;
	case REGEX_ALTERNATE: return PREFERS_LONG;
	default: return PREFERS_NOTHING;
	}
}

bool regex_prefers_shortest(const struct regex_tree *tree)
{
	return preference(tree->root) == PREFERS_SHORT;
}

/* -- Is the first the best? -- */

/* The characters that a part can start with: those below 128, and all others as one. */
struct starts {
	uint64_t ascii[2];
	bool others;
};

static bool starts_meet(const struct starts *a, const struct starts *b)
{
	return (a->ascii[0] & b->ascii[0]) || (a->ascii[1] & b->ascii[1]) ||
	       (a->others && b->others);
}

static void starts_add(struct starts *to, const struct starts *from)
{
	to->ascii[0] |= from->ascii[0];
	to->ascii[1] |= from->ascii[1];
	to->others |= from->others;
}

static struct starts starts_of_set(const struct regex_set *set, bool ignore_case)
{
	uint64_t flip = set->negated ? ~UINT64_C(0) : 0;
	struct starts starts = {
		{set->ascii[0] ^ flip, set->ascii[1] ^ flip}, set->negated || set->wide.size > 0};

	if (ignore_case) {
		/* Bits 1 to 26 are the capitals, 33 to 58 their small letters. */
		uint64_t letters = UINT64_C(0x7fffffe);
		uint64_t both = (starts.ascii[1] | starts.ascii[1] >> 32) & letters;

		starts.ascii[1] |= both | both << 32;
		/* Letters beyond ASCII have capitals within: the long s, and the Kelvin sign. */
		starts.others |= both != 0;
	}
	return starts;
}

/* Whether the part can be empty; adds what it can start with. */
static bool starts_of(const struct regex_node *node, bool ignore_case, struct starts *to)
{
	struct regex_set single = {0};
	struct starts starts;
	bool empty;

	switch (node->kind) {
	case REGEX_CHAR:
		if (node->code < 128)
			single.ascii[node->code / 64] = UINT64_C(1) << node->code % 64;
		starts = starts_of_set(&single, ignore_case);
		starts.others |= node->code >= 128;
		starts_add(to, &starts);
		return false;
	case REGEX_SET:
		starts = starts_of_set(&node->set, ignore_case);
		starts_add(to, &starts);
		return false;
	case REGEX_GROUP: return starts_of(node->child, ignore_case, to);
	case REGEX_REPEAT:
		empty = starts_of(node->child, ignore_case, to);
		return empty || node->repeat.min == 0;
	case REGEX_CONCAT:
		for (const struct regex_node *child = node->child; child; child = child->next)
			if (!starts_of(child, ignore_case, to))
				return false;
		return true;
	case REGEX_ALTERNATE:
		empty = false;
		for (const struct regex_node *child = node->child; child; child = child->next)
			empty |= starts_of(child, ignore_case, to);
		return empty;
	case REGEX_BACKREF: *to = (struct starts){{~UINT64_C(0), ~UINT64_C(0)}, true}; return true;
	default: return true;
	}
}

/*
 * Whether a greedy matcher never has a reason to stop a repetition early, or to take another
 * branch, that would lead to more: because what may follow (`follow`) starts with other characters
 * than what could have been taken instead. Then of all matches it finds the longest first.
 */
static bool is_decided(const struct regex_node *node, bool ignore_case, struct starts follow)
{
	struct starts own = {0};
	struct starts seen = {0};

	switch (node->kind) {
	case REGEX_BACKREF: return false;
	case REGEX_GROUP: return is_decided(node->child, ignore_case, follow);
	case REGEX_REPEAT:
		if (starts_of(node->child, ignore_case, &own) || node->repeat.lazy)
			return false;
		if (node->repeat.min != node->repeat.max && starts_meet(&own, &follow))
			return false;
		starts_add(&own, &follow);
		return is_decided(node->child, ignore_case, own);
	case REGEX_CONCAT:
		for (const struct regex_node *child = node->child; child; child = child->next) {
			struct starts behind = {0};
			const struct regex_node *next = child->next;

			while (next && starts_of(next, ignore_case, &behind))
				next = next->next;
			if (!next)
				starts_add(&behind, &follow);
			if (!is_decided(child, ignore_case, behind))
				return false;
		}
		return true;
	case REGEX_ALTERNATE:
		for (const struct regex_node *child = node->child; child; child = child->next) {
			bool empty;

			own = (struct starts){0};
			empty = starts_of(child, ignore_case, &own);
			if ((empty && (child->next || starts_meet(&seen, &follow))) ||
				starts_meet(&seen, &own) || !is_decided(child, ignore_case, follow))
				return false;
			starts_add(&seen, &own);
		}
		return true;
	default: return true;
	}
}

/* Adds up how many repetitions of varying number there are; more than one for what is worse. */
static uint32_t count_choices(const struct regex_node *node)
{
	uint32_t count = 0;

	if (node->kind == REGEX_ALTERNATE || node->kind == REGEX_BACKREF)
		return 2;
	if (node->kind == REGEX_LOOK)
		return 0;
	for (const struct regex_node *child = node->child; child && count < 2; child = child->next)
		count += count_choices(child);
	if (node->kind != REGEX_REPEAT)
		return count;
	if (count > 0)
		return 2;
	return node->repeat.min != node->repeat.max;
}

/* The one that there is: then all matches are in the order of its rounds. */
bool regex_first_is_best(const struct regex_tree *tree)
{
	/* Nothing but the length can differ, and it does so in the order of preference. */
	if (count_choices(tree->root) <= 1)
		return true;
	return !regex_prefers_shortest(tree) &&
	       is_decided(tree->root, tree->ignore_case, (struct starts){0});
}

/* -- Plain texts -- */

bool regex_is_literal(const struct regex_tree *tree, struct buf *out, bool *at_start, bool *at_end)
{
	bool is_list = tree->root->kind == REGEX_CONCAT;
	const struct regex_node *node = is_list ? tree->root->child : tree->root;

	*at_start = *at_end = false;
	if (tree->ignore_case)
		return false;
	if (node->kind == REGEX_CONSTRAINT && node->constraint == REGEX_TEXT_BEGIN && is_list) {
		*at_start = true;
		node = node->next;
	}
	for (; node && node->kind == REGEX_CHAR; node = is_list ? node->next : NULL) {
		char utf8[4];

		buf_append(out, utf8, (size_t)(utf8_encode(utf8, node->code) - utf8));
	}
	if (node && node->kind == REGEX_CONSTRAINT && node->constraint == REGEX_TEXT_END &&
		!node->next) {
		*at_end = true;
		node = NULL;
	}
	return !node && out->size > 0;
}
