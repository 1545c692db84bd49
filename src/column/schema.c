#include "column/schema.h"

#include <assert.h>
#include <string.h>

uint32_t table_index_count(const struct table_schema *table)
{
	return 2 * table->column_count + TABLE_HIDDEN_COLUMNS;
}

uint32_t table_named_columns(const struct table_schema *table)
{
	return table->column_count + (table->kept ? 0 : TABLE_HIDDEN_COLUMNS);
}

uint32_t table_written_column(const struct table_schema *table, uint32_t column)
{
	assert(column < table->column_count);
	return table->column_count + TABLE_HIDDEN_COLUMNS + column;
}

struct table_column table_column_at(const struct table_schema *table, uint32_t index)
{
	assert(index < table_index_count(table));
	if (index < table->column_count)
		return table->columns[index];
	if (index == table->column_count)
		return (struct table_column){.name = TABLE_FILE_COLUMN, .type = type_of(TYPE_TEXT)};
	if (index == table->column_count + 1)
		return (struct table_column){
			.name = TABLE_LINE_COLUMN, .type = type_of(TYPE_BIGINT)};
	index -= table->column_count + TABLE_HIDDEN_COLUMNS;
	return (struct table_column){
		.name = table->columns[index].name, .type = type_of(TYPE_TEXT)};
}

uint32_t table_find_column(const struct table_schema *table, const char *name)
{
	for (uint32_t i = 0; i < table_named_columns(table); i++)
		if (strcmp(table_column_at(table, i).name, name) == 0)
			return i;
	return TABLE_NO_COLUMN;
}
