/* Texts and lists of texts as JSON. Bytes that are no UTF-8 become U+FFFD. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include "base/buf.h"
#include "column/type.h"

void json_append_string(struct buf *out, const char *text, size_t size);
/* ["a","b",null] */
void json_append_list(struct buf *out, struct text_list list);

#endif
