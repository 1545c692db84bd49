/*
 * The rows of the table of functions, for who looks through them all: the binder, the check of
 * plans, the reference.
 */
#ifndef PLAN_FUNCTION_TABLE_H
#define PLAN_FUNCTION_TABLE_H

#include "plan/function.h"

#include <stddef.h>

struct buf;

enum function_category {
	CATEGORY_INTERNAL, /* an operator, or what other syntax becomes: not called by its name */
	CATEGORY_REFUSED,  /* PostgreSQL has it with these arguments, tamiz does not */
	CATEGORY_CONDITION,
	CATEGORY_TEXT,
	CATEGORY_REGEX,
	CATEGORY_MATH,
	CATEGORY_TIME,
	CATEGORY_ARRAY,
	CATEGORY_JSON,
	CATEGORY_BYTES,
	CATEGORY_AGGREGATE,
	CATEGORY_WINDOW,
	CATEGORY_CONVENIENCE, /* not PostgreSQL's: a schema may define functions of these names */
	CATEGORY_COUNT,
};

struct function_entry {
	const char *name;
	enum function_id function; /* FN_NONE: not a call in the plan */
	const char *args;	   /* a letter each, see function_table.c */
	char result;
	const char *extra; /* one argument more, that is always this text; NULL for none */
	enum function_category category;
	const char *description; /* in the first row of a name */
};

const struct function_entry *function_entries(size_t *count);
/* Whether SQL can call it by its name. */
bool function_is_callable(const struct function_entry *entry);
/* TYPE_UNKNOWN for #, * and what is no type. */
enum type_kind function_letter_kind(char letter);
/* What has the meaning of a function that other databases know by `name`; NULL when none has. */
const char *function_meaning(const char *name);
/* The tables of docs/functions.md. */
void function_reference(struct buf *page);

#endif
