/*
 * A regular expression between PostgreSQL's syntax and PCRE2's: the tree, who makes it
 * (regex_parse.c), and what is asked of it (regex_emit.c).
 */
#ifndef EXEC_REGEX_PRIVATE_H
#define EXEC_REGEX_PRIVATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/type.h"

/* Parentheses deeper than that are refused: reader and writer of trees are recursive. */
#define REGEX_DEPTH_MAX	  200
#define REGEX_PATTERN_MAX (16u << 10)
/* PostgreSQL's. */
#define REGEX_REPEAT_MAX 255
#define REGEX_UNLIMITED	 UINT32_MAX

enum regex_kind {
	REGEX_EMPTY,
	REGEX_CHAR,
	REGEX_SET,
	REGEX_CONSTRAINT, /* takes no characters */
	REGEX_BACKREF,
	REGEX_GROUP,	 /* one child */
	REGEX_LOOK,	 /* one child */
	REGEX_REPEAT,	 /* one child */
	REGEX_CONCAT,	 /* children */
	REGEX_ALTERNATE, /* children */
};

enum regex_constraint {
	REGEX_TEXT_BEGIN,
	REGEX_TEXT_END,
	REGEX_LINE_BEGIN,
	REGEX_LINE_END,
	REGEX_WORD_BEGIN,
	REGEX_WORD_END,
	REGEX_WORD_EDGE,
	REGEX_WORD_INSIDE, /* or outside: not at an edge */
};

/* The characters that one place takes: those below 128 one by one, others as PCRE2 writes them. */
struct regex_set {
	uint64_t ascii[2];
	struct text wide; /* what stands in a PCRE2 class for the others; may name ASCII again */
	bool negated;	  /* all characters but these */
};

struct regex_node {
	enum regex_kind kind;
	struct regex_node *child; /* the first one */
	struct regex_node *next;  /* its sibling */
	union {
		uint32_t code; /* REGEX_CHAR */
		struct regex_set set;
		enum regex_constraint constraint;
		uint32_t number; /* REGEX_BACKREF, REGEX_GROUP; 0: a group that is not captured */
		struct {
			bool behind;
			bool negative;
		} look;
		struct {
			uint32_t min;
			uint32_t max;
			bool lazy;
		} repeat;
	};
};

struct regex_tree {
	struct regex_node *root;
	uint32_t group_count;
	bool ignore_case;
	bool global; /* the flag g */
	bool has_backrefs;
};

/* The tree and its texts live in the arena. ERROR_EVAL, with PostgreSQL's words where it has some.
 */
MUST_CHECK int regex_parse(struct arena *arena, struct text pattern, struct text flags,
	struct regex_tree *out, struct error *err);

/* Which group PCRE2 calls by which number, and the loop that each of them is in. */
struct regex_groups {
	uint32_t count;	   /* of PCRE2's */
	uint32_t *numbers; /* of group 1, 2, ...: PCRE2's; 0 is unused */
	uint32_t *loops;   /* of PCRE2's group: the innermost repeated one around it; 0: none */
};

/*
 * The pattern for PCRE2: in bytes when only texts of ASCII are matched (`ascii`), for PCRE2_UTF
 * otherwise. To be compiled with PCRE2_DOTALL. Fills `groups` from the arena.
 */
void regex_emit(const struct regex_tree *tree, bool ascii, struct arena *arena, struct buf *out,
	struct regex_groups *groups);
/* The whole prefers its shortest match, by PostgreSQL's rules. */
bool regex_prefers_shortest(const struct regex_tree *tree);
/*
 * Of all matches at one place, the first that a backtracking matcher finds has the length that
 * PostgreSQL's rules ask for. False when that cannot be told from the pattern.
 */
bool regex_first_is_best(const struct regex_tree *tree);
/*
 * The pattern is a plain text, tied to the start or to the end of what is matched or not: appends
 * it to `out`. False when it is more than that.
 */
bool regex_is_literal(const struct regex_tree *tree, struct buf *out, bool *at_start, bool *at_end);

#endif
