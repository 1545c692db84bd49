#include "column/csv_dialect.h"

#include "column/csv_reading.h"
#include "column/schema.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What is read: one option, and where its texts live. */
struct option_text {
	const char *name;
	const char *value;
	struct arena *arena;
	struct error *err;
};

static bool is_word(const char *value, const char *word)
{
	return strcasecmp(value, word) == 0;
}

static bool is_none(const char *value)
{
	return *value == '\0' || is_word(value, "none");
}

/* Words for what is hard to type. */
static const char *plain_value(const char *value)
{
	if (strcmp(value, "\\t") == 0 || is_word(value, "tab"))
		return "\t";
	return is_word(value, "space") ? " " : value;
}

static int wrong(const struct option_text *option, const char *what)
{
	return error_set(option->err, ERROR_USAGE, "%s must be %s, not \"%.40s\"", option->name,
		what, option->value);
}

static int read_character(const struct option_text *option, char *out)
{
	const char *value = plain_value(option->value);

	*out = '\0';
	if (is_none(value))
		return 0;
	if (strlen(value) != 1 || (value[0] & 0x80) || value[0] == '\n' || value[0] == '\r')
		return wrong(option, "one ASCII character, or none");
	*out = value[0];
	return 0;
}

static int read_number(const struct option_text *option, uint32_t max, uint32_t *out)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(option->value, &end, 10);
	if (end == option->value || *end || errno || number > max || option->value[0] == '-')
		return error_set(option->err, ERROR_USAGE,
			"%s must be a number up to %u, not \"%.40s\"", option->name, max,
			option->value);
	*out = (uint32_t)number;
	return 0;
}

/*
 * A character with spaces behind it is that character, and spaces do not count. So it is with "| |", which also stands
 * at both ends of lines.
 */
static int read_delimiter(const struct option_text *option, struct csv_dialect *dialect)
{
	const char *value = is_none(option->value) ? "" : plain_value(option->value);
	size_t size = strlen(value), kept = size;

	dialect->framed = size == 3 && value[1] == ' ' && value[0] == value[2] && value[0] != ' ';
	if (dialect->framed)
		kept = 1;
	while (kept > 1 && value[kept - 1] == ' ')
		kept--;
	if (kept > CSV_DELIMITER_MAX || strpbrk(value, "\n\r"))
		return wrong(option, "a text of up to 8 bytes without a line end");
	memcpy(dialect->delimiter, value, kept);
	dialect->delimiter[kept] = '\0';
	dialect->trim = kept < size;
	return 0;
}

static int read_quote(const struct option_text *option, struct csv_dialect *dialect)
{
	return read_character(option, &dialect->quote);
}

static int read_escape(const struct option_text *option, struct csv_dialect *dialect)
{
	return read_character(option, &dialect->escape);
}

static int read_header(const struct option_text *option, struct csv_dialect *dialect)
{
	static const char *const words[2][3] = {{"false", "off", "no"}, {"true", "on", "yes"}};

	if (is_word(option->value, "none")) {
		dialect->header_rows = 0;
		return 0;
	}
	for (uint32_t rows = 0; rows < 2; rows++)
		for (int i = 0; i < 3; i++)
			if (is_word(option->value, words[rows][i])) {
				dialect->header_rows = rows;
				return 0;
			}
	if (read_number(option, CSV_HEADER_MAX, &dialect->header_rows))
		return wrong(option, "auto, none or a number of rows up to 16");
	return 0;
}

static int read_skip(const struct option_text *option, struct csv_dialect *dialect)
{
	return read_number(option, CSV_SKIP_MAX, &dialect->skip);
}

static int read_footer(const struct option_text *option, struct csv_dialect *dialect)
{
	return read_number(option, CSV_FOOTER_MAX, &dialect->footer);
}

static int read_comment(const struct option_text *option, struct csv_dialect *dialect)
{
	size_t size = is_none(option->value) ? 0 : strlen(option->value);

	if (size > CSV_COMMENT_MAX || strpbrk(option->value, "\n\r"))
		return wrong(option, "a text of up to 8 bytes without a line end, or none");
	memcpy(dialect->comment, option->value, size);
	dialect->comment[size] = '\0';
	return 0;
}

static int read_encoding(const struct option_text *option, struct csv_dialect *dialect)
{
	dialect->encoding = arena_strdup(option->arena, option->value);
	return 0;
}

/* Texts with commas between them; blanks around them do not count. */
static int read_nulls(const struct option_text *option, struct csv_dialect *dialect)
{
	const char **list =
		(const char **)arena_alloc(option->arena, CSV_NULLS_MAX * sizeof(char *));
	const char *at = option->value, *end;

	dialect->null_count = 0;
	dialect->nulls = list;
	for (;; at = end + 1) {
		const char *stop;

		end = stop = strchrnul(at, ',');
		while (at < stop && *at == ' ')
			at++;
		while (stop > at && stop[-1] == ' ')
			stop--;
		if (dialect->null_count == CSV_NULLS_MAX || stop - at > CSV_NULL_TEXT_MAX)
			return error_set(option->err, ERROR_USAGE,
				"null has at most %d texts of at most %d bytes", CSV_NULLS_MAX,
				CSV_NULL_TEXT_MAX);
		list[dialect->null_count++] = arena_strndup(option->arena, at, (size_t)(stop - at));
		if (*end == '\0')
			return 0;
	}
}

static int read_decimal(const struct option_text *option, struct csv_dialect *dialect)
{
	if (strcmp(option->value, ".") != 0 && strcmp(option->value, ",") != 0)
		return wrong(option, "a point or a comma");
	dialect->decimal = option->value[0];
	return 0;
}

static int read_thousands(const struct option_text *option, struct csv_dialect *dialect)
{
	const char *value = plain_value(option->value);

	dialect->thousands = '\0';
	if (is_none(value))
		return 0;
	if (strlen(value) != 1 || !strchr(",.' _", value[0]))
		return wrong(option, "one of , . ' _ and space, or none");
	dialect->thousands = value[0];
	return 0;
}

static int read_date_format(const struct option_text *option, struct csv_dialect *dialect)
{
	struct date_pattern pattern;

	if (!date_pattern_parse(option->value, &pattern))
		return wrong(option,
			"made of YYYY or YY, MM and DD with marks between them, as DD/MM/YYYY is");
	dialect->date_format = arena_strdup(option->arena, option->value);
	return 0;
}

static const char *const ragged_words[] = {
	[CSV_RAGGED_REJECT] = "reject", [CSV_RAGGED_PAD] = "pad", [CSV_RAGGED_CUT] = "cut"};

static int read_ragged(const struct option_text *option, struct csv_dialect *dialect)
{
	for (uint32_t i = 0; i < 3; i++)
		if (is_word(option->value, ragged_words[i])) {
			dialect->ragged = (enum csv_ragged)i;
			return 0;
		}
	return wrong(option, "pad, cut or reject");
}

static const char *const columns_words[] = {
	[CSV_COLUMNS_STRICT] = "strict", [CSV_COLUMNS_UNION] = "union"};

static int read_columns(const struct option_text *option, struct csv_dialect *dialect)
{
	for (uint32_t i = 0; i < 2; i++)
		if (is_word(option->value, columns_words[i])) {
			dialect->columns = (enum csv_columns)i;
			return 0;
		}
	return wrong(option, "union or strict");
}

typedef int (*option_reader)(const struct option_text *option, struct csv_dialect *dialect);

static const struct {
	const char *name;
	enum csv_given given;
	option_reader read;
} options[] = {
	{"delimiter", CSV_GIVEN_DELIMITER, read_delimiter},
	{"quote", CSV_GIVEN_QUOTE, read_quote},
	{"escape", CSV_GIVEN_ESCAPE, read_escape},
	{"header", CSV_GIVEN_HEADER, read_header},
	{"skip", CSV_GIVEN_SKIP, read_skip},
	{"comment", CSV_GIVEN_COMMENT, read_comment},
	{"footer", CSV_GIVEN_FOOTER, read_footer},
	{"encoding", CSV_GIVEN_ENCODING, read_encoding},
	{"null", CSV_GIVEN_NULL, read_nulls},
	{"decimal", CSV_GIVEN_DECIMAL, read_decimal},
	{"thousands", CSV_GIVEN_THOUSANDS, read_thousands},
	{"date_format", CSV_GIVEN_DATE_FORMAT, read_date_format},
	{"ragged", CSV_GIVEN_RAGGED, read_ragged},
	{"columns", CSV_GIVEN_COLUMNS, read_columns},
};

#define OPTION_COUNT (sizeof(options) / sizeof(options[0]))

const char *csv_dialect_option(uint32_t index)
{
	return index < OPTION_COUNT ? options[index].name : NULL;
}

int csv_dialect_set(struct csv_dialect *dialect, const char *name, const char *value,
	struct arena *arena, struct error *err)
{
	const struct option_text option = {name, value, arena, err};

	for (size_t i = 0; i < OPTION_COUNT; i++) {
		if (strcmp(options[i].name, name) != 0)
			continue;
		dialect->given &= ~(uint32_t)options[i].given;
		if (is_word(value, "auto"))
			return 0;
		dialect->given |= options[i].given;
		return options[i].read(&option, dialect);
	}
	return error_set(err, ERROR_USAGE, "unknown option \"%.40s\"", name);
}

int csv_dialect_check(const struct csv_dialect *dialect, struct error *err)
{
	uint32_t both = CSV_GIVEN_DELIMITER | CSV_GIVEN_QUOTE;

	if ((dialect->given & both) == both && dialect->quote &&
		strchr(dialect->delimiter, dialect->quote))
		return error_set(err, ERROR_USAGE, "delimiter and quote must differ");
	if (dialect->thousands && dialect->thousands == dialect->decimal)
		return error_set(err, ERROR_USAGE, "decimal and thousands must differ");
	if (dialect->escape && strchr(dialect->delimiter, dialect->escape))
		return error_set(err, ERROR_USAGE, "delimiter and escape must differ");
	return 0;
}

bool csv_dialect_is_plain(const struct csv_dialect *dialect, struct csv_format *format)
{
	format->delimiter = dialect->delimiter[0];
	format->quote = dialect->quote;
	return strlen(dialect->delimiter) <= 1 &&
	       (dialect->escape == '\0' || dialect->escape == dialect->quote) &&
	       dialect->line_end == CSV_LINES_LF && dialect->comment[0] == '\0' && !dialect->trim;
}

/* -- Written -- */

static void write_character(struct buf *out, char c)
{
	if (c == '\0')
		buf_append_text(out, "none");
	else if (c == '\t')
		buf_append_text(out, "\\t");
	else
		buf_append_char(out, c);
}

static void write_nulls(struct buf *out, const struct csv_dialect *dialect)
{
	for (uint32_t i = 0; i < dialect->null_count; i++) {
		buf_append_text(out, i ? "," : "");
		buf_append_text(out, dialect->nulls[i]);
	}
}

void csv_dialect_get(const struct csv_dialect *dialect, const char *name, struct buf *out)
{
	uint32_t given = 0;

	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strcmp(options[i].name, name) == 0)
			given = options[i].given;
	switch (given) {
	case CSV_GIVEN_DELIMITER:
		if (strlen(dialect->delimiter) > 1)
			buf_append_text(out, dialect->delimiter);
		else
			write_character(out, dialect->delimiter[0]);
		buf_append_text(out, dialect->trim ? " " : "");
		if (dialect->framed)
			write_character(out, dialect->delimiter[0]);
		break;
	case CSV_GIVEN_QUOTE: write_character(out, dialect->quote); break;
	case CSV_GIVEN_ESCAPE: write_character(out, dialect->escape); break;
	case CSV_GIVEN_HEADER: buf_printf(out, "%u", dialect->header_rows); break;
	case CSV_GIVEN_SKIP: buf_printf(out, "%u", dialect->skip); break;
	case CSV_GIVEN_COMMENT:
		buf_append_text(out, dialect->comment[0] ? dialect->comment : "none");
		break;
	case CSV_GIVEN_FOOTER: buf_printf(out, "%u", dialect->footer); break;
	case CSV_GIVEN_ENCODING:
		buf_append_text(out, dialect->encoding ? dialect->encoding : "auto");
		break;
	case CSV_GIVEN_NULL: write_nulls(out, dialect); break;
	case CSV_GIVEN_DECIMAL: buf_append_char(out, dialect->decimal); break;
	case CSV_GIVEN_THOUSANDS: write_character(out, dialect->thousands); break;
	case CSV_GIVEN_DATE_FORMAT:
		buf_append_text(out, dialect->date_format ? dialect->date_format : "YYYY-MM-DD");
		break;
	case CSV_GIVEN_RAGGED: buf_append_text(out, ragged_words[dialect->ragged]); break;
	case CSV_GIVEN_COLUMNS: buf_append_text(out, columns_words[dialect->columns]); break;
	default: break;
	}
}

bool csv_dialect_is_given(const struct csv_dialect *dialect, const char *name)
{
	for (size_t i = 0; i < OPTION_COUNT; i++)
		if (strcmp(options[i].name, name) == 0)
			return dialect->given & options[i].given;
	return false;
}

/* What a dialect says of values holds for the columns that it can hold for. */
void column_apply_dialect(struct table_column *column, const struct csv_dialect *dialect)
{
	struct csv_reading *reading = &column->reading;

	switch (column->type.kind) {
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
	case TYPE_NUMERIC:
	case TYPE_REAL:
	case TYPE_DOUBLE:
		if (dialect->given & CSV_GIVEN_DECIMAL)
			reading->decimal = dialect->decimal == ',' ? ',' : '\0';
		if (dialect->given & CSV_GIVEN_THOUSANDS)
			reading->thousands = dialect->thousands;
		break;
	case TYPE_DATE:
	case TYPE_TIMESTAMP:
		if (dialect->given & CSV_GIVEN_DATE_FORMAT)
			date_pattern_parse(dialect->date_format, &reading->date);
		break;
	default: break;
	}
}

void table_apply_dialect(struct table_schema *table)
{
	struct csv_format format;

	for (uint32_t c = 0; c < table->column_count; c++)
		if (csv_reading_is_usual(&table->columns[c].reading))
			column_apply_dialect(&table->columns[c], &table->dialect);
	if (csv_dialect_is_plain(&table->dialect, &format) && format.delimiter && format.quote)
		table->format = format;
}

bool csv_dialect_is_usual(const struct csv_dialect *dialect, const char *name)
{
	struct csv_dialect usual = csv_dialect_default();
	struct buf here, there;
	bool same;

	buf_init(&here, 4096);
	buf_init(&there, 4096);
	csv_dialect_get(dialect, name, &here);
	csv_dialect_get(&usual, name, &there);
	same = here.size == there.size &&
	       (here.size == 0 || !memcmp(here.data, there.data, here.size));
	buf_release(&here);
	buf_release(&there);
	return same;
}
