/* What the reader of paths asks of their text: one token after the other. */
#ifndef COLUMN_JSONPATH_PRIVATE_H
#define COLUMN_JSONPATH_PRIVATE_H

#include "column/jsonpath.h"

enum token_kind {
	TOKEN_END,
	TOKEN_MARK, /* one or two characters that stand for themselves */
	TOKEN_NAME,
	TOKEN_STRING,
	TOKEN_VARIABLE,
	TOKEN_NUMBER,
};

struct token {
	enum token_kind kind;
	bool plain;	  /* a name without escapes: it may be a keyword */
	bool whole;	  /* a number of digits alone */
	struct text text; /* what is meant, escapes read */
};

struct path_reader {
	const char *at;
	const char *end;
	struct arena *arena;
	const char *reason;
	struct token token;
	unsigned depth;
	unsigned filters;    /* around what is read: @ is allowed */
	unsigned subscripts; /* likewise: last is allowed */
};

/* Keeps the first reason. Returns false. */
bool jsonpath_fail(struct path_reader *r, const char *reason);
/* The next one becomes r->token. */
bool jsonpath_next_token(struct path_reader *r);

#endif
