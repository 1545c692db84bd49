#include "sql/compile.h"

#include <string.h>

#define OPTION_MAX 4096 /* bytes of a value */
/* A schema that has grown to this gets no more statistics: it can be planned without. */
#define STATISTICS_BYTES_MAX (SQL_TEXT_MAX / 2)

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

/* An option of the dialect, with the value that it has. */
static void append_dialect_option(
	struct buf *out, const struct csv_dialect *dialect, const char *name)
{
	struct buf value;

	buf_init(&value, OPTION_MAX);
	csv_dialect_get(dialect, name, &value);
	buf_append_char(&value, '\0');
	append_option(out, name, value.data);
	buf_release(&value);
}

static void append_column_option(struct buf *out, bool *any, const char *name, const char *value)
{
	buf_printf(out, "%s%s ", *any ? ", " : " OPTIONS (", name);
	append_quoted(out, value, '\'');
	*any = true;
}

static void append_reading(struct buf *out, const struct table_column *column, bool guessed)
{
	const struct csv_reading *reading = &column->reading;
	bool any = false;

	if (reading->date.mark) {
		char text[DATE_PATTERN_MAX];

		date_pattern_write(&reading->date, text);
		append_column_option(out, &any, "date_format", text);
	}
	if (reading->decimal)
		append_column_option(out, &any, "decimal", (char[]){reading->decimal, '\0'});
	if (reading->thousands)
		append_column_option(out, &any, "thousands", (char[]){reading->thousands, '\0'});
	if (reading->zoned)
		append_column_option(out, &any, "zone", "true");
	if (guessed && column->guessed)
		append_column_option(
			out, &any, "guessed", column->shown_as_written ? "shown" : "true");
	if (any)
		buf_append_char(out, ')');
}

static void append_columns(
	struct buf *out, const struct table_schema *table, const char *between, bool guessed)
{
	buf_append_text(out, "CREATE TABLE ");
	append_quoted(out, table->name, '"');
	buf_append_text(out, " (");
	for (uint32_t c = 0; c < table->column_count; c++) {
		char name[TYPE_NAME_MAX];

		buf_append_text(out, c == 0 ? between : ",");
		buf_append_text(out, c == 0 ? "" : *between ? between : " ");
		append_quoted(out, table->columns[c].name, '"');
		buf_printf(out, " %s", type_name(table->columns[c].type, name));
		append_reading(out, &table->columns[c], guessed);
	}
}

static void append_statistics(struct buf *out, const struct table_statistics *statistics)
{
	size_t size = out->size;

	buf_append_text(out, ", statistics = '");
	statistics_write(statistics, out);
	buf_append_char(out, '\'');
	if (!buf_overflowed(out) && out->size > STATISTICS_BYTES_MAX)
		out->size = size;
}

void sql_schema_write(
	const struct catalog *catalog, const bool *wanted, bool with_statistics, struct buf *out)
{
	if (catalog->time_zone) {
		buf_append_text(out, "SET TIME ZONE ");
		append_quoted(out, catalog->time_zone, '\'');
		buf_append_text(out, ";\n");
	}
	for (uint32_t t = 0; t < catalog->table_count; t++) {
		const struct table_schema *table = &catalog->tables[t];
		const struct csv_dialect *dialect = &table->dialect;
		struct csv_dialect chunks = csv_dialect_default();

		if (!wanted[t])
			continue;
		append_columns(out, table, "", true);
		buf_append_text(out, ") WITH (files = ");
		append_quoted(out, table->files, '\'');
		chunks.delimiter[0] = table->format.delimiter;
		chunks.quote = table->format.quote;
		if (!csv_dialect_is_usual(&chunks, "delimiter"))
			append_dialect_option(out, &chunks, "delimiter");
		if (!csv_dialect_is_usual(&chunks, "quote"))
			append_dialect_option(out, &chunks, "quote");
		if (dialect->given & CSV_GIVEN_NULL)
			append_dialect_option(out, dialect, "null");
		if (!csv_dialect_is_usual(dialect, "ragged"))
			append_dialect_option(out, dialect, "ragged");
		if (!csv_dialect_is_usual(dialect, "columns"))
			append_dialect_option(out, dialect, "columns");
		if (table->inferred)
			append_option(out, "inferred", "true");
		if (with_statistics && table->statistics)
			append_statistics(out, table->statistics);
		buf_append_text(out, ");\n");
	}
	for (uint32_t f = 0; f < catalog->function_count; f++) {
		buf_append_text(out, catalog->functions[f].text);
		buf_append_text(out, ";\n");
	}
}

void sql_schema_show(const struct table_schema *table, struct buf *out)
{
	const struct csv_dialect *dialect = &table->dialect;

	append_columns(out, table, "\n    ", false);
	buf_append_text(out, "\n) WITH (files = ");
	append_quoted(out, table->files, '\'');
	for (uint32_t i = 0; csv_dialect_option(i); i++) {
		const char *name = csv_dialect_option(i);

		if (!csv_dialect_is_usual(dialect, name))
			append_dialect_option(out, dialect, name);
	}
	buf_append_text(out, ");\n");
}
