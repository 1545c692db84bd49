/*
 * PostgreSQL's regular expressions, matched by PCRE2.
 *
 * The syntax is PostgreSQL's (regex_parse.c), and so is the choice among the matches at one place:
 * the longest or the shortest, where Perl takes the first. docs/sql.md says what differs.
 *
 * Order of calls: new; for each text begin, then find as often as there are matches; free. Not for
 * sharing between threads. Bytes that are not UTF-8 are characters of their own, which only
 * "any character" and negated sets match.
 */
#ifndef EXEC_REGEX_H
#define EXEC_REGEX_H

#include "base/error.h"
#include "column/type.h"

#include <stdatomic.h>

struct regex;

/* `flags` are those of PostgreSQL's functions. Nothing is borrowed. ERROR_EVAL for a bad pattern.
 */
MUST_CHECK int regex_new(
	struct regex **out, struct text pattern, struct text flags, struct error *err);
/* NULL is allowed. */
void regex_free(struct regex *regex);

/* How many groups the pattern captures. */
uint32_t regex_group_count(const struct regex *regex);
/* The flag g was among them. */
bool regex_is_global(const struct regex *regex);

enum regex_wish {
	REGEX_WISH_TRUTH,  /* only whether there is a match */
	REGEX_WISH_EXTENT, /* where it is */
	REGEX_WISH_GROUPS, /* and where its groups are */
};

/*
 * Whoever sets one of the two ends a search soon, with ERROR_INTERRUPTED. Borrowed until the next such call; NULL,
 * as at first: nobody will.
 */
void regex_stop_with(struct regex *regex, const atomic_bool *stop, const atomic_bool *failed);
/* The text to match, until the next call; borrowed. */
void regex_begin(struct regex *regex, struct text text);
/*
 * The leftmost match that starts at byte `from`, the start of a character, or later. 1 when there
 * is one, 0 when there is none, -1 with ERROR_EVAL when the pattern is too complex for the text, or with
 * ERROR_INTERRUPTED.
 */
MUST_CHECK int regex_find(
	struct regex *regex, uint32_t from, enum regex_wish wish, struct error *err);
/* Of the last match; 0 is all of it. False when the group took no part. */
bool regex_group(const struct regex *regex, uint32_t group, uint32_t *start, uint32_t *end);

#endif
