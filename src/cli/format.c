#include "cli/format.h"

#include "cli/json.h"
#include <string.h>

const char *const format_names[] = {"table", "csv", "json", "md", NULL};

const struct format_ops *format_find(const char *name)
{
	static const struct format_ops *const all[] = {
		&format_table, &format_csv, &format_json, &format_md};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return &format_table;
}

void format_value(const struct value *value, struct buf *out)
{
	if (value->type.kind == TYPE_TEXT_LIST && !value->is_null)
		json_append_list(out, value->list);
	else
		value_format(value, out);
}
