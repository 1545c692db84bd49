/*
 * SQL/JSON paths, as the type jsonpath has them: their texts as trees, and trees as PostgreSQL
 * prints them. What they find is exec/func/jsonpath.h's.
 *
 * A value of the type is its text as it was written. A node may have a `next`: the accessor, filter
 * or method behind it.
 */
#ifndef COLUMN_JSONPATH_H
#define COLUMN_JSONPATH_H

#include "column/column.h"

/* Nodes within nodes. */
#define JSONPATH_NESTING_MAX 500
/* .**{last} */
#define JSONPATH_LEVEL_LAST UINT32_MAX

enum jsonpath_kind {
	/* values */
	JSONPATH_NULL,
	JSONPATH_BOOL,	   /* .boolean */
	JSONPATH_NUMBER,   /* .number */
	JSONPATH_STRING,   /* .text */
	JSONPATH_VARIABLE, /* .text */
	JSONPATH_ROOT,	   /* $ */
	JSONPATH_CURRENT,  /* @ */
	JSONPATH_LAST,
	/* what stands behind a value */
	JSONPATH_KEY,	 /* .text */
	JSONPATH_KEYS,	 /* .* */
	JSONPATH_ITEMS,	 /* [*] */
	JSONPATH_INDEX,	 /* .ranges */
	JSONPATH_LEVELS, /* .**{.first to .last} */
	JSONPATH_FILTER, /* ?(.left) */
	JSONPATH_TYPE,
	JSONPATH_SIZE,
	JSONPATH_ABS,
	JSONPATH_FLOOR,
	JSONPATH_CEILING,
	JSONPATH_DOUBLE,
	JSONPATH_KEYVALUE,
	JSONPATH_DATETIME, /* .left: a string, or NULL */
	/* of .left, and of .right */
	JSONPATH_PLUS,
	JSONPATH_MINUS,
	JSONPATH_ADD,
	JSONPATH_SUB,
	JSONPATH_MUL,
	JSONPATH_DIV,
	JSONPATH_MOD,
	/* conditions */
	JSONPATH_EQ,
	JSONPATH_NE,
	JSONPATH_LT,
	JSONPATH_LE,
	JSONPATH_GT,
	JSONPATH_GE,
	JSONPATH_STARTS_WITH,
	JSONPATH_LIKE_REGEX, /* .left; .text is the pattern, .flags its flags */
	JSONPATH_AND,
	JSONPATH_OR,
	JSONPATH_NOT,
	JSONPATH_IS_UNKNOWN,
	JSONPATH_EXISTS,
};

enum jsonpath_flag {
	JSONPATH_FLAG_I = 1,
	JSONPATH_FLAG_S = 2,
	JSONPATH_FLAG_M = 4,
	JSONPATH_FLAG_X = 8,
	JSONPATH_FLAG_Q = 16,
};

struct jsonpath_range {
	struct jsonpath_node *from;
	struct jsonpath_node *to; /* NULL: one index */
};

struct jsonpath_node {
	enum jsonpath_kind kind;
	bool boolean;
	uint8_t flags;
	uint32_t first, last;
	uint32_t range_count;
	struct jsonpath_range *ranges;
	struct text text;
	numeric number;
	struct jsonpath_node *left, *right;
	struct jsonpath_node *next;
};

struct jsonpath {
	bool strict;
	struct jsonpath_node *root;
};

static inline bool jsonpath_is_condition(enum jsonpath_kind kind)
{
	return kind >= JSONPATH_EQ;
}

/* The whole text. Everything is in the arena. */
bool jsonpath_parse(
	struct text text, struct arena *arena, struct jsonpath *out, const char **reason);
/* As PostgreSQL prints it. */
void jsonpath_format(const struct jsonpath *path, struct buf *out);
/* ".size", "+": what messages call it. */
const char *jsonpath_kind_name(enum jsonpath_kind kind);

#endif
