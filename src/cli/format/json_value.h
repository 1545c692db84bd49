/* Values as JSON. */
#ifndef CLI_FORMAT_JSON_VALUE_H
#define CLI_FORMAT_JSON_VALUE_H

#include "column/column.h"

/*
 * Numbers and booleans as JSON has them, arrays as arrays of such, NULL as null, and everything
 * else in quotes, as value_format writes it.
 */
void json_append_value(struct buf *out, const struct value *value);

#endif
