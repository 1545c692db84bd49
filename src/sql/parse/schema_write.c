#include "sql/compile.h"

#include <string.h>

/* In quotes, with those inside doubled. */
static void append_quoted(struct buf *out, const char *text, char quote)
{
	buf_append_char(out, quote);
	for (; *text; text++) {
		if (*text == quote)
			buf_append_char(out, quote);
		buf_append_char(out, *text);
	}
	buf_append_char(out, quote);
}

static void append_option(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, ", %s = ", name);
	append_quoted(out, value, '\'');
}

static void append_options(struct buf *out, const struct table_schema *table)
{
	struct csv_format usual = csv_format_default();
	const struct csv_format *format = &table->format;

	buf_append_text(out, ") WITH (files = ");
	append_quoted(out, table->files, '\'');
	if (format->delimiter != usual.delimiter)
		append_option(out, "delimiter", (char[]){format->delimiter, '\0'});
	if (format->quote != usual.quote)
		append_option(out, "quote", (char[]){format->quote, '\0'});
	if (format->header != usual.header)
		append_option(out, "header", format->header ? "true" : "false");
	if (strcmp(format->null_text, usual.null_text) != 0)
		append_option(out, "null", format->null_text);
	buf_append_text(out, ");\n");
}

void sql_schema_write(const struct catalog *catalog, const bool *wanted, struct buf *out)
{
	for (uint32_t t = 0; t < catalog->table_count; t++) {
		const struct table_schema *table = &catalog->tables[t];

		if (!wanted[t])
			continue;
		buf_append_text(out, "CREATE TABLE ");
		append_quoted(out, table->name, '"');
		for (uint32_t c = 0; c < table->column_count; c++) {
			char name[TYPE_NAME_MAX];

			buf_append_text(out, c == 0 ? " (" : ", ");
			append_quoted(out, table->columns[c].name, '"');
			buf_printf(out, " %s", type_name(table->columns[c].type, name));
		}
		append_options(out, table);
	}
}
