/*
 * PostgreSQL's regular expressions ("advanced" ones, as in its documentation, 9.7.3) as a tree.
 *
 * What PostgreSQL refuses is refused with its words; nothing of Perl's syntax gets through.
 */
#include "exec/func/regex_private.h"

#include "base/utf8.h"

#include <string.h>

struct parser {
	struct arena *arena;
	const char *at;
	const char *end;
	struct error *err;
	struct regex_tree *tree;
	uint32_t depth;
	uint32_t looks;	   /* how many lookarounds are open */
	struct buf closed; /* one byte per group: 1 when it is complete */
	struct buf wide;   /* of the set that is being read */
	bool literal;	   /* q: no character is special */
	bool expanded;	   /* x */
	bool dot_stops;	   /* . and [^...] do not take a newline */
	bool lines;	   /* ^ and $ also at lines */
};

static struct regex_node *parse_alternatives(struct parser *p);

static int refuse(struct parser *p, const char *why)
{
	return error_set(p->err, ERROR_EVAL, "invalid regular expression: %s", why);
}

/* For who returns a node: NULL. */
static void *fail(struct parser *p, const char *why)
{
	refuse(p, why);
	return NULL;
}

static struct regex_node *node_new(struct parser *p, enum regex_kind kind)
{
	struct regex_node *node = arena_zalloc(p->arena, sizeof(*node));

	node->kind = kind;
	return node;
}

static bool has(const struct parser *p, const char *text)
{
	size_t size = strlen(text);

	return (size_t)(p->end - p->at) >= size && memcmp(p->at, text, size) == 0;
}

static bool take(struct parser *p, const char *text)
{
	if (!has(p, text))
		return false;
	p->at += strlen(text);
	return true;
}

/* The pattern was found to be UTF-8 before. */
static uint32_t take_code(struct parser *p)
{
	size_t length;
	uint32_t code = utf8_decode(p->at, (size_t)(p->end - p->at), &length);

	p->at += length;
	return code;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* -- Sets -- */

static void set_add_ascii(struct regex_set *set, uint32_t from, uint32_t to)
{
	for (uint32_t c = from; c <= to && c < 128; c++)
		set->ascii[c / 64] |= UINT64_C(1) << c % 64;
}

static void set_begin(struct parser *p)
{
	buf_clear(&p->wide);
}

static void set_end(struct parser *p, struct regex_set *set)
{
	set->wide = text_from(arena_copy(p->arena, p->wide.data, p->wide.size), p->wide.size);
}

static void set_add_range(struct parser *p, struct regex_set *set, uint32_t from, uint32_t to)
{
	set_add_ascii(set, from, to);
	if (to >= 128)
		buf_printf(&p->wide, "\\x{%x}-\\x{%x}", from < 128 ? 128 : from, to);
}

/* What glibc has beyond ASCII, as near as Unicode's properties come. */
#define WIDE_ALPHA "\\p{Alphabetic}"
#define WIDE_ALNUM "\\p{Alphabetic}\\p{Nd}"
#define WIDE_GRAPH "\\p{L}\\p{M}\\p{N}\\p{P}\\p{S}\\p{Cf}\\p{Co}\\x{a0}"
#define WIDE_SPACE \
	"\\x{1680}\\x{2000}-\\x{2006}\\x{2008}-\\x{200a}\\x{2028}\\x{2029}\\x{205f}\\x{3000}"

#define WIDE_NO_SPACE                                                      \
	"\\x{80}-\\x{167f}\\x{1681}-\\x{1fff}\\x{2007}\\x{200b}-\\x{2027}" \
	"\\x{202a}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{10ffff}"

/* The ASCII part as pairs of first and last. */
static const struct class
{
	const char *name;
	const char *ascii;
	const char *wide;
} classes[] = {
	{"alnum", "09AZaz", WIDE_ALNUM},
	{"alpha", "AZaz", WIDE_ALPHA},
	{"ascii", "\x01\x7f", ""},
	{"blank", "\t\t  ", ""},
	{"cntrl", "\x01\x1f\x7f\x7f", "\\x{80}-\\x{9f}"},
	{"digit", "09", ""},
	{"graph", "!~", WIDE_GRAPH},
	{"lower", "az", "\\p{Lowercase}"},
	{"print", " ~", WIDE_GRAPH "\\p{Zs}"},
	{"punct", "!/:@[`{~", "\\p{P}\\p{S}"},
	{"space", "\t\r  ", WIDE_SPACE},
	{"upper", "AZ", "\\p{Uppercase}"},
	{"word", "09AZaz__", WIDE_ALNUM},
	{"xdigit", "09AFaf", ""},
};

static const struct class *class_find(struct text name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strlen(classes[i].name) == name.size &&
			memcmp(classes[i].name, name.data, name.size) == 0)
			return &classes[i];
	}
	return NULL;
}

static void set_add_class(struct parser *p, struct regex_set *set, const struct class *class)
{
	bool cased = strcmp(class->name, "lower") == 0 || strcmp(class->name, "upper") == 0;

	if (p->tree->ignore_case && cased)
		class = class_find(text_from("alpha", 5));
	for (const char *pair = class->ascii; *pair; pair += 2)
		set_add_ascii(set, (unsigned char)pair[0], (unsigned char)pair[1]);
	buf_append_text(&p->wide, class->wide);
}

/* All but the class, within a set. A class cannot be negated there, so its rest has a name. */
static void set_add_others(struct parser *p, struct regex_set *set, const struct class *class)
{
	struct regex_set inner = {0};

	for (const char *pair = class->ascii; *pair; pair += 2)
		set_add_ascii(&inner, (unsigned char)pair[0], (unsigned char)pair[1]);
	set->ascii[0] |= ~inner.ascii[0];
	set->ascii[1] |= ~inner.ascii[1];
	if (strcmp(class->name, "word") == 0)
		buf_append_text(&p->wide, "\\P{Xwd}");
	else if (strcmp(class->name, "space") == 0)
		buf_append_text(&p->wide, WIDE_NO_SPACE);
	else
		buf_append_text(&p->wide, "\\x{80}-\\x{10ffff}");
}

/* -- Escapes -- */

enum escape_kind {
	ESCAPE_CHAR,
	ESCAPE_CLASS,
	ESCAPE_CONSTRAINT,
	ESCAPE_BACKREF,
};

struct escape {
	enum escape_kind kind;
	uint32_t code; /* or the number of a group */
	const struct class *class;
	bool others; /* all but the class */
	enum regex_constraint constraint;
};

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Between `min` and `max` digits. Beyond all characters there is no telling by how much. */
static bool take_number(struct parser *p, int base, int min, int max, uint32_t *out)
{
	int count = 0;

	*out = 0;
	for (; count < max && p->at < p->end && digit_value(*p->at) < base; count++) {
		*out = *out * (uint32_t)base + (uint32_t)digit_value(*p->at++);
		if (*out > 0x110000)
			*out = 0x110000;
	}
	return count >= min;
}

static bool is_character(uint32_t code)
{
	return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/* \1, \12: a reference where there are so many groups, or only one digit; else an octal number. */
static bool parse_digits(struct parser *p, struct escape *out)
{
	const char *start = p->at;

	if (*start != '0') {
		out->kind = ESCAPE_BACKREF;
		take_number(p, 10, 1, 255, &out->code);
		if (p->at == start + 1 || out->code <= p->tree->group_count)
			return true;
		p->at = start;
	}
	out->kind = ESCAPE_CHAR;
	take_number(p, 8, 1, 3, &out->code);
	if (p->at == start)
		return false;
	if (out->code > 0xff) {
		out->code >>= 3;
		p->at--;
	}
	return true;
}

static bool escape_class(struct escape *out, const char *name, bool others)
{
	*out = (struct escape){
		.kind = ESCAPE_CLASS, .class = class_find(text_from(name, strlen(name)))};
	out->others = others;
	return true;
}

static bool escape_constraint(struct escape *out, enum regex_constraint constraint)
{
	*out = (struct escape){.kind = ESCAPE_CONSTRAINT, .constraint = constraint};
	return true;
}

static bool escape_char(struct escape *out, uint32_t code)
{
	*out = (struct escape){.kind = ESCAPE_CHAR, .code = code};
	return true;
}

/* What stands behind a backslash, at p->at. False when it means nothing. */
static bool parse_escape(struct parser *p, struct escape *out)
{
	*out = (struct escape){.kind = ESCAPE_CHAR};
	if (p->at == p->end)
		return false;
	if (is_digit(*p->at))
		return parse_digits(p, out);
	if (!is_letter(*p->at))
		return escape_char(out, take_code(p));
	switch (*p->at++) {
	case 'a': return escape_char(out, '\a');
	case 'b': return escape_char(out, '\b');
	case 'B': return escape_char(out, '\\');
	case 'c': return p->at < p->end && escape_char(out, take_code(p) & 0x1f);
	case 'e': return escape_char(out, 033);
	case 'f': return escape_char(out, '\f');
	case 'n': return escape_char(out, '\n');
	case 'r': return escape_char(out, '\r');
	case 't': return escape_char(out, '\t');
	case 'v': return escape_char(out, '\v');
	case 'u': return take_number(p, 16, 4, 4, &out->code) && is_character(out->code);
	case 'U': return take_number(p, 16, 8, 8, &out->code) && is_character(out->code);
	case 'x': return take_number(p, 16, 1, 255, &out->code) && is_character(out->code);
	case 'd': return escape_class(out, "digit", false);
	case 'D': return escape_class(out, "digit", true);
	case 's': return escape_class(out, "space", false);
	case 'S': return escape_class(out, "space", true);
	case 'w': return escape_class(out, "word", false);
	case 'W': return escape_class(out, "word", true);
	case 'A': return escape_constraint(out, REGEX_TEXT_BEGIN);
	case 'Z': return escape_constraint(out, REGEX_TEXT_END);
	case 'm': return escape_constraint(out, REGEX_WORD_BEGIN);
	case 'M': return escape_constraint(out, REGEX_WORD_END);
	case 'y': return escape_constraint(out, REGEX_WORD_EDGE);
	case 'Y': return escape_constraint(out, REGEX_WORD_INSIDE);
	default: return false;
	}
}

static struct regex_node *char_node(struct parser *p, uint32_t code)
{
	struct regex_node *node = node_new(p, REGEX_CHAR);

	node->code = code;
	return node;
}

static struct regex_node *constraint_node(struct parser *p, enum regex_constraint constraint)
{
	struct regex_node *node = node_new(p, REGEX_CONSTRAINT);

	node->constraint = constraint;
	return node;
}

static struct regex_node *parse_escaped_atom(struct parser *p)
{
	struct escape escape;
	struct regex_node *node;

	if (!parse_escape(p, &escape))
		return fail(p, "invalid escape \\ sequence");
	switch (escape.kind) {
	case ESCAPE_CHAR: return char_node(p, escape.code);
	case ESCAPE_CONSTRAINT: return constraint_node(p, escape.constraint);
	case ESCAPE_CLASS:
		node = node_new(p, REGEX_SET);
		node->set.negated = escape.others;
		set_begin(p);
		set_add_class(p, &node->set, escape.class);
		set_end(p, &node->set);
		return node;
	case ESCAPE_BACKREF: break;
	}
	if (p->looks > 0 || escape.code > p->tree->group_count || !p->closed.data[escape.code - 1])
		return fail(p, "invalid backreference number");
	node = node_new(p, REGEX_BACKREF);
	node->number = escape.code;
	p->tree->has_backrefs = true;
	return node;
}

/* -- Brackets -- */

/* [:name:], [.x.] or [=x=] behind its opening; the text up to `close`. */
static bool take_until(struct parser *p, const char *close, struct text *out)
{
	const char *start = p->at;
	const char *found = memmem(start, (size_t)(p->end - start), close, strlen(close));

	if (!found)
		return false;
	*out = text_from(start, (size_t)(found - start));
	p->at = found + strlen(close);
	return true;
}

static bool single_code(struct text text, uint32_t *code)
{
	size_t length;

	if (text.size == 0)
		return false;
	*code = utf8_decode(text.data, text.size, &length);
	return length == text.size;
}

/*
 * One end of a range, or a class, which cannot be one: then *is_class is set and it was added.
 * False with the error set.
 */
static bool parse_element(struct parser *p, struct regex_set *set, bool *is_class, uint32_t *code)
{
	struct escape escape;
	struct text name;

	*is_class = false;
	if (has(p, "[:") || has(p, "[=") || has(p, "[.")) {
		char kind = p->at[1];
		const char close[] = {kind, ']', '\0'};
		const struct class *class;

		p->at += 2;
		if (!take_until(p, close, &name))
			return fail(p, "brackets [] not balanced");
		if (kind != ':')
			return single_code(name, code) || fail(p, "invalid collating element");
		class = class_find(name);
		if (!class)
			return fail(p, "invalid character class");
		set_add_class(p, set, class);
		*is_class = true;
		return true;
	}
	if (!take(p, "\\")) {
		*code = take_code(p);
		return true;
	}
	if (!parse_escape(p, &escape) ||
		(escape.kind != ESCAPE_CHAR && escape.kind != ESCAPE_CLASS))
		return fail(p, "invalid escape \\ sequence");
	*code = escape.code;
	*is_class = escape.kind == ESCAPE_CLASS;
	if (*is_class && escape.others)
		set_add_others(p, set, escape.class);
	else if (*is_class)
		set_add_class(p, set, escape.class);
	return true;
}

/* Behind the opening bracket. */
static struct regex_node *parse_bracket(struct parser *p)
{
	struct regex_node *node = node_new(p, REGEX_SET);
	struct regex_set *set = &node->set;

	set_begin(p);
	set->negated = take(p, "^");
	for (bool first = true; first || !has(p, "]"); first = false) {
		uint32_t from = 0, to;
		bool is_class;

		if (p->at == p->end)
			return fail(p, "brackets [] not balanced");
		/* A hyphen that is neither first nor last stands in a range. */
		if (!first && has(p, "-") && !has(p, "-]"))
			return fail(p, "invalid character range");
		if (!parse_element(p, set, &is_class, &from))
			return NULL;
		if (!has(p, "-") || has(p, "-]")) {
			if (!is_class)
				set_add_range(p, set, from, from);
			continue;
		}
		p->at++;
		if (p->at == p->end)
			return fail(p, "brackets [] not balanced");
		if (is_class)
			return fail(p, "invalid character range");
		if (!parse_element(p, set, &is_class, &to))
			return NULL;
		if (is_class || to < from)
			return fail(p, "invalid character range");
		set_add_range(p, set, from, to);
	}
	p->at++;
	if (set->negated && p->dot_stops)
		set_add_ascii(set, '\n', '\n');
	set_end(p, set);
	return node;
}

/* -- Atoms -- */

static struct regex_node *dot_node(struct parser *p)
{
	struct regex_node *node = node_new(p, REGEX_SET);

	node->set.negated = true;
	if (p->dot_stops)
		set_add_ascii(&node->set, '\n', '\n');
	return node;
}

/* Up to the closing parenthesis, which is taken. */
static struct regex_node *parse_inner(struct parser *p, struct regex_node *outer)
{
	outer->child = parse_alternatives(p);
	if (!outer->child)
		return NULL;
	if (!take(p, ")"))
		return fail(p, "parentheses () not balanced");
	return outer;
}

static struct regex_node *parse_look(struct parser *p, bool behind, bool negative)
{
	struct regex_node *node = node_new(p, REGEX_LOOK);

	node->look.behind = behind;
	node->look.negative = negative;
	p->looks++;
	node = parse_inner(p, node);
	p->looks--;
	return node;
}

/* Behind the opening parenthesis. */
static struct regex_node *parse_group(struct parser *p)
{
	struct regex_node *node;

	if (take(p, "?=") || take(p, "?!"))
		return parse_look(p, false, p->at[-1] == '!');
	if (take(p, "?<=") || take(p, "?<!"))
		return parse_look(p, true, p->at[-1] == '!');
	node = node_new(p, REGEX_GROUP);
	if (take(p, "?:"))
		return parse_inner(p, node);
	if (has(p, "?"))
		return fail(p, "quantifier operand invalid");
	if (p->looks > 0)
		return parse_inner(p, node);
	node->number = ++p->tree->group_count;
	buf_append_char(&p->closed, 0);
	if (!parse_inner(p, node))
		return NULL;
	p->closed.data[node->number - 1] = 1;
	return node;
}

/* Comments, and blanks where they mean nothing. */
static bool skip_ignored(struct parser *p)
{
	while (p->at < p->end && !p->literal) {
		if (has(p, "(?#")) {
			const char *close = memchr(p->at, ')', (size_t)(p->end - p->at));

			p->at = close ? close + 1 : p->end;
		} else if (p->expanded && is_blank(*p->at)) {
			p->at++;
		} else if (p->expanded && *p->at == '#') {
			while (p->at < p->end && *p->at != '\n')
				p->at++;
		} else {
			break;
		}
	}
	return p->at < p->end;
}

static bool at_bound(const struct parser *p)
{
	const char *at = p->at + 1;

	while (p->expanded && at < p->end && is_blank(*at))
		at++;
	return has(p, "{") && at < p->end && is_digit(*at);
}

/* One atom or constraint at p->at, which is neither | nor ) nor the end. */
static struct regex_node *parse_atom(struct parser *p)
{
	if (p->literal)
		return char_node(p, take_code(p));
	if (take(p, "[[:<:]]"))
		return constraint_node(p, REGEX_WORD_BEGIN);
	if (take(p, "[[:>:]]"))
		return constraint_node(p, REGEX_WORD_END);
	if (at_bound(p))
		return fail(p, "quantifier operand invalid");
	switch (*p->at) {
	case '*':
	case '+':
	case '?': return fail(p, "quantifier operand invalid");
	case '(': p->at++; return parse_group(p);
	case '[': p->at++; return parse_bracket(p);
	case '\\': p->at++; return parse_escaped_atom(p);
	case '.': p->at++; return dot_node(p);
	case '^':
		p->at++;
		return constraint_node(p, p->lines ? REGEX_LINE_BEGIN : REGEX_TEXT_BEGIN);
	case '$': p->at++; return constraint_node(p, p->lines ? REGEX_LINE_END : REGEX_TEXT_END);
	default: return char_node(p, take_code(p));
	}
}

/* -- Quantifiers -- */

/* {m}, {m,} or {m,n}, at the brace. */
static bool parse_bound(struct parser *p, uint32_t *min, uint32_t *max)
{
	p->at++;
	while (p->expanded && is_blank(*p->at))
		p->at++;
	take_number(p, 10, 1, 255, min);
	*max = *min;
	if (take(p, ",")) {
		*max = REGEX_UNLIMITED;
		if (p->at < p->end && is_digit(*p->at))
			take_number(p, 10, 1, 255, max);
	}
	if (p->at == p->end)
		return fail(p, "braces {} not balanced");
	if (!take(p, "}") || *min > REGEX_REPEAT_MAX || *max < *min ||
		(*max > REGEX_REPEAT_MAX && *max != REGEX_UNLIMITED))
		return fail(p, "invalid repetition count(s)");
	return true;
}

/* The atom itself, or it with the quantifier that follows. */
static struct regex_node *parse_quantifier(struct parser *p, struct regex_node *atom)
{
	struct regex_node *node;
	uint32_t min = 0, max = REGEX_UNLIMITED;

	if (p->literal || atom->kind == REGEX_CONSTRAINT || atom->kind == REGEX_LOOK ||
		!skip_ignored(p))
		return atom;
	if (at_bound(p)) {
		if (!parse_bound(p, &min, &max))
			return NULL;
	} else if (take(p, "+")) {
		min = 1;
	} else if (take(p, "?")) {
		max = 1;
	} else if (!take(p, "*")) {
		return atom;
	}
	node = node_new(p, REGEX_REPEAT);
	node->child = atom;
	node->repeat.min = min;
	node->repeat.max = max;
	node->repeat.lazy = take(p, "?");
	return node;
}

/* -- Branches -- */

static struct regex_node *parse_branch(struct parser *p)
{
	struct regex_node *branch = node_new(p, REGEX_CONCAT);
	struct regex_node **tail = &branch->child;

	while (skip_ignored(p) && (p->literal || (*p->at != '|' && *p->at != ')'))) {
		*tail = parse_atom(p);
		if (*tail)
			*tail = parse_quantifier(p, *tail);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
	}
	if (!branch->child)
		branch->kind = REGEX_EMPTY;
	return branch->child && !branch->child->next ? branch->child : branch;
}

static struct regex_node *parse_alternatives(struct parser *p)
{
	struct regex_node *node = node_new(p, REGEX_ALTERNATE);
	struct regex_node **tail = &node->child;

	if (++p->depth > REGEX_DEPTH_MAX)
		return fail(p, "regular expression is too complex");
	do {
		*tail = parse_branch(p);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
	} while (!p->literal && take(p, "|"));
	p->depth--;
	return node->child->next ? node : node->child;
}

/* -- Flags -- */

static bool set_option(struct parser *p, char option)
{
	switch (option) {
	case 'c': p->tree->ignore_case = false; return true;
	case 'i': p->tree->ignore_case = true; return true;
	case 'm':
	case 'n': p->dot_stops = p->lines = true; return true;
	case 'p':
		p->dot_stops = true;
		p->lines = false;
		return true;
	case 'w':
		p->dot_stops = false;
		p->lines = true;
		return true;
	case 's': p->dot_stops = p->lines = false; return true;
	case 'q': p->literal = true; return true;
	case 't': p->expanded = false; return true;
	case 'x': p->expanded = true; return true;
	default: return false;
	}
}

static int parse_flags(struct parser *p, struct text flags)
{
	for (uint32_t i = 0; i < flags.size; i++) {
		char flag = flags.data[i];

		if (flag == 'g')
			p->tree->global = true;
		else if (flag == 'b' || flag == 'e')
			return error_set(p->err, ERROR_EVAL,
				"regular expression option \"%c\" is not supported: only advanced "
				"regular expressions are",
				flag);
		else if (!set_option(p, flag))
			return error_set(p->err, ERROR_EVAL,
				"invalid regular expression option: \"%.*s\"",
				(int)(flags.size - i < 4 ? flags.size - i : 4), flags.data + i);
	}
	return 0;
}

/* ***: or ***=, then (?flags), at the very start. */
static int parse_prefix(struct parser *p)
{
	if (p->literal)
		return 0;
	if (take(p, "***=")) {
		p->literal = true;
		return 0;
	}
	if (!take(p, "***:") && has(p, "***"))
		return refuse(p, "quantifier operand invalid");
	if (p->end - p->at < 3 || !has(p, "(?") || !is_letter(p->at[2]))
		return 0;
	for (p->at += 2; p->at < p->end && is_letter(*p->at); p->at++) {
		if (*p->at == 'b' || *p->at == 'e')
			return error_set(p->err, ERROR_EVAL,
				"invalid regular expression: embedded option %c is not supported",
				*p->at);
		if (!set_option(p, *p->at))
			return refuse(p, "invalid embedded option");
	}
	if (!take(p, ")"))
		return refuse(p, "invalid embedded option");
	return 0;
}

static bool is_utf8(struct text text)
{
	for (uint32_t i = 0; i < text.size;) {
		size_t length;

		if (utf8_decode(text.data + i, text.size - i, &length) == UTF8_INVALID)
			return false;
		i += (uint32_t)length;
	}
	return true;
}

int regex_parse(struct arena *arena, struct text pattern, struct text flags, struct regex_tree *out,
	struct error *err)
{
	const char *start = pattern.size > 0 ? pattern.data : "";
	struct parser p = {
		.arena = arena, .at = start, .end = start + pattern.size, .err = err, .tree = out};
	int failed = 0;

	*out = (struct regex_tree){0};
	if (pattern.size > REGEX_PATTERN_MAX)
		return refuse(&p, "regular expression is too complex");
	if (!is_utf8(pattern))
		return refuse(&p, "it is not in UTF-8");
	if (parse_flags(&p, flags) || parse_prefix(&p))
		return -1;
	/* Quoting leaves nothing for the others to say. */
	if (p.literal)
		p.expanded = p.dot_stops = p.lines = false;
	buf_init(&p.closed, (size_t)pattern.size + 1);
	buf_init(&p.wide, SIZE_MAX / 2);
	out->root = parse_alternatives(&p);
	if (!out->root)
		failed = -1;
	else if (p.at < p.end)
		failed = refuse(&p, "parentheses () not balanced");
	buf_release(&p.closed);
	buf_release(&p.wide);
	return failed;
}
