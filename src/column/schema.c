#include "column/schema.h"

#include <assert.h>
#include <string.h>

struct table_column table_column_at(const struct table_schema *table, uint32_t index)
{
	assert(index < table->column_count + TABLE_HIDDEN_COLUMNS);
	if (index < table->column_count)
		return table->columns[index];
	if (index == table->column_count)
		return (struct table_column){.name = TABLE_FILE_COLUMN, .type = type_of(TYPE_TEXT)};
	return (struct table_column){.name = TABLE_LINE_COLUMN, .type = type_of(TYPE_BIGINT)};
}

uint32_t table_find_column(const struct table_schema *table, const char *name)
{
	for (uint32_t i = 0; i < table->column_count + TABLE_HIDDEN_COLUMNS; i++)
		if (strcmp(table_column_at(table, i).name, name) == 0)
			return i;
	return TABLE_NO_COLUMN;
}
