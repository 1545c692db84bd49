/* bytea and uuid: bytes, and the texts that PostgreSQL reads and writes for them. */
#ifndef COLUMN_BYTES_TEXT_H
#define COLUMN_BYTES_TEXT_H

#include "base/arena.h"
#include "column/type.h"

#include <stdbool.h>

struct buf;

#define UUID_BYTES 16

/* \x and hexadecimal digits, between which blanks may stand, or bytes with \\ and \ooo in it. */
bool bytea_parse(struct text text, struct arena *arena, struct text *out);
/* Digits as in hexadecimal \x texts, without the \x; false when they are no such digits. */
bool hex_text_decode(struct text text, struct arena *arena, struct text *out);
void hex_append(struct text bytes, struct buf *out);

/* Any 32 hexadecimal digits, a - after each fourth where one likes, and braces around them. */
bool uuid_parse(struct text text, struct arena *arena, struct text *out);
/* 8-4-4-4-12 in lower case. */
void uuid_append(struct text bytes, struct buf *out);

#endif
