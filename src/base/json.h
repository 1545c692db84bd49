/* Texts as JSON. Bytes that are no UTF-8 become U+FFFD. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* In quotes. */
void json_append_string(struct buf *out, const char *text, size_t size);

#endif
