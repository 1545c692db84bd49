/* Texts as SQL's literals and names: kernel_codes.c. */
#ifndef EXEC_QUOTE_H
#define EXEC_QUOTE_H

#include "base/buf.h"
#include "column/type.h"

/* 'it''s', or E'...' with its backslashes doubled. */
void append_quoted_literal(struct text text, struct buf *out);
/* As it is, where that is a name; else in double quotes. */
void append_quoted_name(struct text text, struct buf *out);

#endif
