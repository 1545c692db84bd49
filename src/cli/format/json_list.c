#include "cli/format/json_list.h"

void json_append_list(struct buf *out, struct text_list list)
{
	buf_append_char(out, '[');
	for (uint32_t i = 0; i < list.count; i++) {
		const struct text *item = &list.items[i];

		if (i > 0)
			buf_append_char(out, ',');
		if (item->size == TEXT_LIST_NULL_SIZE)
			buf_append_text(out, "null");
		else
			json_append_string(out, item->data, item->size);
	}
	buf_append_char(out, ']');
}
