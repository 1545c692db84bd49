#include "base/memory.h"
#include "csv/decode_private.h"
#include "csv/guess.h"
#include "csv/header.h"
#include "csv/tally_private.h"

#include <assert.h>
#include <string.h>

static void add_fault(struct csv_decoder *decoder, struct field_fault fault)
{
	if (decoder->fault_count == decoder->fault_capacity) {
		decoder->fault_capacity =
			decoder->fault_capacity ? 2 * decoder->fault_capacity : 64;
		decoder->faults = memory_realloc(
			decoder->faults, decoder->fault_capacity * sizeof(*decoder->faults));
	}
	decoder->faults[decoder->fault_count++] = fault;
}

/*
 * Bounds without the quotes around a field and the carriage return behind the last one. That a
 * field was quoted can be seen from the byte at its lower bound.
 */
static struct csv_fields strip_fields(
	const struct csv_decoder *decoder, const struct csv_fields *fields, bool last)
{
	const char *data = fields->data;
	char quote = decoder->scan.quote;
	bool quoted = decoder->scan.quoted;

	for (uint32_t i = 0; i < fields->rows; i++) {
		const uint32_t *bounds = fields->bounds + i * fields->stride;
		uint32_t start = bounds[0] + 1;
		uint32_t end = bounds[1];
		bool unquote;

		if (last)
			end -= end > start && data[end - 1] == '\r';
		/* Without a branch: often some fields of a column are quoted and some are not. */
		unquote = quoted & (data[start] == quote) & (end - start >= 2);
		start += unquote;
		end -= unquote;
		decoder->stripped[2 * i] = start - 1;
		decoder->stripped[2 * i + 1] = end;
	}
	return (struct csv_fields){data, decoder->stripped, 2, fields->rows};
}

static bool field_is_quoted(const struct csv_decoder *decoder, struct text field)
{
	return decoder->scan.quoted && field.data > decoder->scan.data &&
	       field.data[-1] == decoder->scan.quote;
}

/* The text with every two quotes made one, in the batch's arena. */
static struct text unescape(struct csv_decoder *decoder, struct text field)
{
	const char *at = field.data, *end = field.data + field.size, *quote;
	char *out = arena_alloc_bytes(&decoder->arena, field.size), *next = out;

	while ((quote = memchr(at, decoder->scan.quote, (size_t)(end - at)))) {
		size_t size = (size_t)(quote + 1 - at);

		memcpy(next, at, size);
		next += size;
		at = quote + 2 < end ? quote + 2 : end;
	}
	memcpy(next, at, (size_t)(end - at));
	return text_from(out, (size_t)(next + (end - at) - out));
}

static bool text_is_null(const struct csv_decoder *decoder, struct text field)
{
	const struct csv_layout *layout = decoder->layout;

	if (field.size == 0)
		return decoder->empty_is_null;
	for (uint32_t i = 0; i < layout->null_count; i++)
		if (strlen(layout->nulls[i]) == field.size &&
			memcmp(layout->nulls[i], field.data, field.size) == 0)
			return true;
	return false;
}

/* Among numbers and dates of a guessed type some words stand for NULL, unless the user says which do. */
static bool field_is_null(
	const struct csv_decoder *decoder, uint32_t c, struct text field, bool quoted)
{
	if (quoted ? field.size == 0 : text_is_null(decoder, field))
		return true;
	return decoder->column_readers[c].guessed && decoder->layout->null_count == 0 &&
	       decoder->columns[c].type.kind != TYPE_BOOL &&
	       csv_is_null_word(field.data, field.size);
}

static void read_texts(struct csv_decoder *decoder, const struct csv_fields *fields,
	struct text *values, uint8_t *valid)
{
	const struct csv_fields f = *fields;

	if (!decoder->scan.quoted && decoder->layout->null_count == 0) {
		for (uint32_t i = 0; i < f.rows; i++) {
			values[i] = csv_field(&f, i);
			valid[i] = values[i].size > 0;
		}
		return;
	}
	for (uint32_t i = 0; i < f.rows; i++) {
		struct text field = csv_field(&f, i);
		bool quoted = field_is_quoted(decoder, field);

		if (quoted && decoder->scan.doubled &&
			memchr(field.data, decoder->scan.quote, field.size))
			field = unescape(decoder, field);
		values[i] = field;
		valid[i] = quoted || !text_is_null(decoder, field);
	}
}

/* What stands before a fraction of zeros, as in 17.000; the field itself when there is none. */
static struct text without_zero_fraction(struct text field)
{
	const char *point = memchr(field.data, '.', field.size);
	const char *end = field.data + field.size;
	const char *p;

	if (!point)
		return field;
	for (p = point + 1; p < end && *p == '0'; p++)
		;
	if (p == point + 1)
		return field;
	while (p < end && *p == ' ')
		p++;
	return p < end ? field : text_from(field.data, (size_t)(point - field.data));
}

static bool parse_field(struct csv_decoder *decoder, uint32_t c, struct text text,
	struct value *value, const char **reason)
{
	const struct csv_reading *readings = decoder->layout->readings;
	struct type type = decoder->columns[c].type;

	if (decoder->column_readers[c].unusual)
		return csv_reading_parse(
			&readings[c], type, text.data, text.size, &decoder->arena, value, reason);
	return value_parse(type, text.data, text.size, &decoder->arena, value, reason);
}

/* Whether a value has the type that was guessed. A doubt is noted when it has not. */
static bool guess_holds(struct csv_decoder *decoder, uint32_t c, struct text text,
	struct text field, const char *record)
{
	static const struct csv_reading usual;
	const struct csv_layout *layout = decoder->layout;
	unsigned kinds = guess_value_kinds(
		layout->readings ? &layout->readings[c] : &usual, text.data, text.size);
	struct csv_doubt *doubt;

	if (kinds & guess_kind_of(decoder->columns[c].type))
		return true;
	doubt = csv_tally_doubt(decoder->tally, layout->column_count, c, kinds);
	if (doubt) {
		doubt->sample = csv_tally_sample(decoder->tally, field);
		doubt->file = decoder->file;
		doubt->chunk = decoder->chunk_number;
		doubt->line = csv_decoder_line(decoder, decoder->turn_start, record);
	}
	return false;
}

/* One field by all the rules, a value or a fault. `row` is the turn's. */
static void read_field(struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn,
	struct text field, uint32_t row)
{
	struct column *column = &decoder->columns[c];
	uint32_t batch_index = turn->first_row + row;
	bool quoted = field_is_quoted(decoder, field);
	const char *record = decoder->scan.data + (uint32_t)(turn->bounds[row * turn->stride] + 1);
	struct value value = {.type = column->type, .is_null = true};
	struct text text;
	const char *reason;

	column->valid = decoder->column_readers[c].valid;
	column_set_value(column, batch_index, &value);
	if (field_is_null(decoder, c, field, quoted))
		return;
	text = field;
	if (quoted && memchr(text.data, decoder->scan.quote, text.size))
		text = unescape(decoder, text);
	if (decoder->column_readers[c].guessed) {
		if (!guess_holds(decoder, c, text, field, record))
			return;
	} else if (type_is_integer(column->type.kind)) {
		text = without_zero_fraction(text);
	}
	if (parse_field(decoder, c, text, &value, &reason)) {
		column_set_value(column, batch_index, &value);
		return;
	}
	add_fault(decoder, (struct field_fault){
				   .row = (uint16_t)batch_index,
				   .column = (uint16_t)c,
				   .reason = reason,
				   .field = field,
				   .record = record,
			   });
}

/* Lists, times and unusual values have no reader: all but the empty ones go the general way. */
static uint32_t read_none(const struct csv_fields *fields, struct column *column,
	uint32_t first_row, uint8_t *valid, uint16_t *failed)
{
	size_t size = physical_size(type_physical(column->type.kind));
	uint32_t failed_count = 0;

	memset((char *)column->values + first_row * size, 0, fields->rows * size);
	for (uint32_t i = 0; i < fields->rows; i++) {
		valid[i] = csv_field(fields, i).size > 0;
		failed[failed_count] = (uint16_t)i;
		failed_count += valid[i];
	}
	return failed_count;
}

static uint32_t read_values(struct csv_decoder *decoder, uint32_t c,
	const struct csv_fields *fields, uint32_t first_row)
{
	const struct csv_readers *readers = decoder->readers;
	struct column *column = &decoder->columns[c];
	uint8_t *valid = decoder->column_readers[c].valid + first_row;
	uint16_t *failed = decoder->failed;
	uint32_t rows = fields->rows;
	uint32_t count;

	if (decoder->column_readers[c].unusual)
		return read_none(fields, column, first_row, valid, failed);
	switch (column->type.kind) {
	case TYPE_UNKNOWN:
	case TYPE_TEXT: read_texts(decoder, fields, column->text + first_row, valid); return 0;
	case TYPE_BOOL: return csv_read_bools(fields, column->u8 + first_row, valid, failed);
	case TYPE_SMALLINT:
	case TYPE_INT:
	case TYPE_BIGINT:
		count = readers->integers(fields, column->i64 + first_row, valid, failed,
			&decoder->column_readers[c].hint);
		if (column->type.kind != TYPE_BIGINT)
			count = csv_check_int_range(column->type.kind, column->i64 + first_row,
				valid, rows, failed, count);
		return count;
	case TYPE_NUMERIC:
		count = readers->numerics(fields, column->num + first_row, valid, failed);
		return csv_fit_numerics(
			column->type, column->num + first_row, valid, rows, failed, count);
	case TYPE_DOUBLE: return csv_read_doubles(fields, column->f64 + first_row, valid, failed);
	case TYPE_DATE: return csv_read_dates(fields, column->i64 + first_row, valid, failed);
	case TYPE_TIMESTAMP:
		return readers->timestamps(fields, column->i64 + first_row, valid, failed);
	default: return read_none(fields, column, first_row, valid, failed);
	}
}

/* What a record does not have is NULL, whatever NULL is written as. */
static void clear_missing(struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn)
{
	struct column *column = &decoder->columns[c];
	struct value none = {.type = column->type, .is_null = true};

	for (uint32_t row = 0; row < turn->rows; row++) {
		if (turn->present[row] > decoder->column_readers[c].field)
			continue;
		column->valid = decoder->column_readers[c].valid;
		column_set_value(column, turn->first_row + row, &none);
	}
}

void csv_decoder_read_column(struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn)
{
	uint32_t field = decoder->column_readers[c].field;
	bool last = field + 1 == decoder->layout->field_count;
	bool is_text = type_physical(decoder->columns[c].type.kind) == PHYSICAL_TEXT;
	bool any_text = decoder->columns[c].type.kind == TYPE_TEXT ||
			decoder->columns[c].type.kind == TYPE_UNKNOWN;
	bool strip = decoder->scan.quoted || (last && (turn->returns || is_text));
	struct csv_fields fields = {
		.data = decoder->scan.data,
		.bounds = turn->bounds + field,
		.stride = turn->stride,
		.rows = turn->rows,
	};
	uint32_t failed_count;

	if (strip)
		fields = strip_fields(decoder, &fields, last);
	failed_count = read_values(decoder, c, &fields, turn->first_row);
	if (decoder->column_readers[c].guessed &&
		guess_kind_of(decoder->columns[c].type) & GUESS_NUMBERS &&
		!decoder->column_readers[c].unusual)
		failed_count = csv_doubt_numbers(&fields,
			decoder->columns[c].type.kind == TYPE_BIGINT
				? decoder->columns[c].i64 + turn->first_row
				: NULL,
			decoder->column_readers[c].valid + turn->first_row, decoder->failed,
			failed_count);
	for (uint32_t i = 0; i < failed_count; i++) {
		uint32_t row = decoder->failed[i];
		struct text text = csv_field(&fields, row);

		/* The one line that ends in \r\n among others. */
		if (last && !strip)
			text.size -= text.size > 0 && text.data[text.size - 1] == '\r';
		read_field(decoder, c, turn, text, row);
	}
	/* Where NULL is written as something else, an empty field is not it. */
	if (!decoder->empty_is_null && !any_text) {
		for (uint32_t row = 0; row < fields.rows; row++) {
			struct text empty = csv_field(&fields, row);

			if (turn->present && turn->present[row] <= field)
				continue;
			if (empty.size == 0 && !field_is_quoted(decoder, empty))
				read_field(decoder, c, turn, empty, row);
		}
	}
	if (turn->present)
		clear_missing(decoder, c, turn);
}

/* The lines at which the records begin. */
static void fill_lines(
	struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn, uint32_t turn_start)
{
	const char *at = decoder->scan.data + turn_start;
	uint64_t line = decoder->first_line + decoder->lines;
	int64_t *values = decoder->columns[c].i64 + turn->first_row;

	for (uint32_t row = 0; row < turn->rows; row++) {
		const char *record =
			decoder->scan.data + (uint32_t)(turn->bounds[row * turn->stride] + 1);

		line += csv_count_newlines(at, (size_t)(record - at));
		at = record;
		values[row] = (int64_t)line;
	}
	memset(decoder->column_readers[c].valid + turn->first_row, 1, turn->rows);
}

void csv_decoder_fill_column(
	struct csv_decoder *decoder, uint32_t c, const struct csv_turn *turn, uint32_t turn_start)
{
	const struct column_reader *reader = &decoder->column_readers[c];
	struct column *column = &decoder->columns[c];

	if (reader->field == CSV_FIELD_LINE) {
		fill_lines(decoder, c, turn, turn_start);
		return;
	}
	if (reader->field == CSV_FIELD_SKIPPED)
		return;
	column->valid = reader->valid;
	for (uint32_t row = 0; row < turn->rows; row++)
		column_set_value(column, turn->first_row + row, &reader->fixed);
}
