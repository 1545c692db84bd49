/* Lists of texts as JSON. */
#ifndef CLI_FORMAT_JSON_LIST_H
#define CLI_FORMAT_JSON_LIST_H

#include "base/json_write.h"
#include "column/type.h"

/* ["a","b",null] */
void json_append_list(struct buf *out, struct text_list list);

#endif
