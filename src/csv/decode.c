/*
 * A chunk is decoded in turns of a few hundred records, which stay in the first-level cache while
 * the columns are read one after the other; turns are added up to a batch.
 *
 * In a turn where every record has the right number of fields the readers work on the scanner's
 * positions as they are, one record behind the other. Otherwise the good records are gathered
 * first.
 */
#include "csv/decode.h"

#include "base/memory.h"
#include "csv/fields_private.h"
#include "csv/guess.h"
#include "csv/header.h"
#include "csv/scan/scan_private.h"
#include "csv/tally_private.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURN_ROWS	256u
#define TURN_FIELDS	8192u /* wide records are decoded in shorter turns */
#define REASON_MAX	80
#define RECORD_MAX_TEXT "64 MB"

static_assert(CSV_RECORD_MAX / 1024 / 1024 == 64, "the text says so");

#define ARENA_BLOCK (64u << 10)

struct column_reader {
	uint32_t field;
	struct value fixed; /* of a column that is not a field */
	struct csv_hint hint;
	bool unusual;	/* its values are not written as usual */
	bool guessed;	/* its type is a guess */
	uint8_t *valid; /* BATCH_ROWS_MAX; shown to the batch only when a zero is in it */
};

/* A field that could not be read, of the turn at hand. */
struct field_fault {
	uint16_t row;
	uint16_t column;
	const char *reason;
	struct text field;
	const char *record; /* where it begins */
};

struct csv_decoder {
	const struct csv_layout *layout;
	const struct csv_readers *readers;
	enum csv_isa isa;
	bool empty_is_null;
	uint32_t turn_rows;
	uint32_t ends_max;
	uint32_t *room;	      /* for ends_max positions; room[-1] may be used, too */
	uint32_t *ends;	      /* of the turn: in `room`, or in the chunk; so may ends[-1] */
	uint32_t *chunk_ends; /* the chunk's that are left, NULL when it has not been scanned */
	uint32_t chunk_end_count;
	uint32_t *gathered; /* turn_rows times (where the record starts - 1, its ends) */
	uint32_t *present;  /* turn_rows: how many of its fields a gathered record has */
	uint32_t *stripped; /* turn_rows pairs: bounds without quotes and carriage returns */
	uint16_t *failed;   /* turn_rows */
	struct column *columns;
	struct column_reader *column_readers;
	struct arena arena; /* for one batch: texts with quotes in them, lists */
	struct arena kept;  /* lists among the constants */

	const struct csv_file *file;
	uint64_t chunk_number;
	uint64_t first_line; /* of the chunk in its file */
	bool numbered;	     /* records begin with their line */
	struct csv_tally *tally;
	struct csv_scan scan;
	uint64_t lines; /* of the chunk up to the turn's start */
	uint32_t turn_start;

	struct field_fault *faults; /* of the turn */
	uint32_t fault_count;
	uint32_t fault_capacity;
	struct csv_bad *bad; /* of the batch */
	uint32_t bad_count;
	uint32_t bad_capacity;
};

/* The records of a turn, as the readers want them. */
struct turn {
	const uint32_t *bounds; /* of field 0 of row 0 */
	size_t stride;
	uint32_t rows;
	uint32_t first_row; /* in the batch */
	bool returns;	    /* the lines seem to end in \r\n */
	/* Fields of each row that are there; NULL: all of them. Those that are not are empty. */
	const uint32_t *present;
};

/* The line on which `record` begins; the turn that it is in starts at `turn_start`. */
static uint64_t line_of(const struct csv_decoder *decoder, uint32_t turn_start, const char *record)
{
	const char *start = decoder->scan.data + turn_start;

	if (decoder->numbered)
		return strtoull(record, NULL, 10) - decoder->first_line;
	return decoder->lines + csv_count_newlines(start, (size_t)(record - start));
}

/* A line of JSON, as the reader of such files has put it in quotes behind its number. */
static const char *json_sample_of(struct arena *arena, struct text record, char quote)
{
	char sample[CSV_SAMPLE_MAX + 1];
	const char *at = memchr(record.data, quote, record.size);
	const char *end = record.data + record.size - 2; /* behind it are a quote and a mark */
	uint32_t size = 0;

	if (record.size < 2)
		return "";
	for (at = at ? at + 1 : end; at < end && size < CSV_SAMPLE_MAX; at++) {
		sample[size++] = *at;
		at += *at == quote;
	}
	return arena_strndup(arena, sample, size);
}

/* A record that is left out. The reason is copied. */
static void reject_record(
	struct csv_decoder *decoder, uint32_t turn_start, struct text record, const char *reason)
{
	struct csv_tally *tally = decoder->tally;
	struct csv_reject *reject = csv_tally_keep(tally);

	tally->rows++;
	tally->rejects++;
	if (!reject)
		return;
	*reject = (struct csv_reject){
		.file = decoder->file,
		.chunk = decoder->chunk_number,
		.line = line_of(decoder, turn_start, record.data),
		.reason = arena_strdup(&tally->arena, reason),
		.sample = decoder->numbered ? json_sample_of(&tally->arena, record,
						      decoder->layout->format.quote)
					    : csv_tally_sample(tally, record),
	};
}

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

static int compare_faults(const void *a, const void *b)
{
	const struct field_fault *left = a, *right = b;

	if (left->row != right->row)
		return left->row < right->row ? -1 : 1;
	return left->column < right->column ? -1 : left->column > right->column;
}

/* Gives the turn's faults, row by row, to the batch and the tally. */
static void report_faults(struct csv_decoder *decoder, uint32_t turn_start)
{
	uint32_t count = decoder->fault_count;

	if (count == 0)
		return;
	qsort(decoder->faults, count, sizeof(*decoder->faults), compare_faults);
	if (decoder->bad_count + count > decoder->bad_capacity) {
		decoder->bad_capacity = 2 * (decoder->bad_count + count);
		decoder->bad =
			memory_realloc(decoder->bad, decoder->bad_capacity * sizeof(*decoder->bad));
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct field_fault *fault = &decoder->faults[i];
		struct csv_reject *reject = csv_tally_keep(decoder->tally);

		decoder->bad[decoder->bad_count++] = (struct csv_bad){fault->row, fault->column};
		decoder->tally->rejects += i == 0 || fault[-1].row != fault->row;
		if (!reject)
			continue;
		*reject = (struct csv_reject){
			.file = decoder->file,
			.chunk = decoder->chunk_number,
			.line = line_of(decoder, turn_start, fault->record),
			.column = decoder->layout->names[fault->column],
			.reason = fault->reason,
			.sample = csv_tally_sample(decoder->tally, fault->field),
		};
	}
	decoder->fault_count = 0;
}

/* The value of a column that is the same in all records. */
static struct value fixed_value(const struct csv_layout *layout, uint32_t c, struct arena *arena)
{
	struct value value = {.type = layout->types[c], .is_null = true};
	struct error err;

	if (layout->fields[c] >= CSV_FIELD_CONSTANT &&
		csv_layout_constant(layout, c, arena, &value, &err))
		assert(!"constants are checked when the layout is resolved");
	return value;
}

struct csv_decoder *csv_decoder_new(const struct csv_layout *layout, enum csv_isa isa)
{
	struct csv_decoder *decoder = memory_zalloc(sizeof(*decoder));
	uint32_t fields = layout->field_count;

	assert(fields > 0 && csv_isa_supported(isa));
	decoder->layout = layout;
	decoder->isa = isa;
	decoder->readers = &csv_readers_portable;
#if defined(__x86_64__)
	if (isa >= CSV_ISA_AVX2)
		decoder->readers = &csv_readers_avx2;
#endif
	decoder->empty_is_null = layout->null_count == 0;
	for (uint32_t i = 0; i < layout->null_count; i++)
		decoder->empty_is_null |= layout->nulls[i][0] == '\0';
	decoder->turn_rows = TURN_ROWS;
	while (decoder->turn_rows > 8 && decoder->turn_rows * fields > TURN_FIELDS)
		decoder->turn_rows /= 2;
	decoder->ends_max = decoder->turn_rows * fields + 2 * CSV_SCAN_ENDS_MIN;
	decoder->room = memory_alloc((1 + (size_t)decoder->ends_max) * sizeof(uint32_t));
	decoder->room++;
	decoder->gathered =
		memory_alloc(decoder->turn_rows * (1 + (size_t)fields) * sizeof(uint32_t));
	decoder->present = memory_alloc(decoder->turn_rows * sizeof(uint32_t));
	decoder->stripped = memory_alloc(2 * sizeof(uint32_t) * decoder->turn_rows);
	decoder->failed = memory_alloc(decoder->turn_rows * sizeof(uint16_t));
	decoder->columns = memory_zalloc((layout->column_count + 1) * sizeof(struct column));
	decoder->column_readers =
		memory_zalloc((layout->column_count + 1) * sizeof(struct column_reader));
	arena_init(&decoder->kept, 256);
	for (uint32_t c = 0; c < layout->column_count; c++) {
		struct type type = layout->types[c];
		size_t value_size = physical_size(type_physical(type.kind));

		assert(layout->fields[c] < fields || layout->fields[c] >= CSV_FIELD_NONE);
		decoder->columns[c] = (struct column){
			.type = type,
			.values = memory_alloc_aligned(64, BATCH_ROWS_MAX * value_size),
		};
		decoder->column_readers[c] = (struct column_reader){
			.field = layout->fields[c],
			.fixed = fixed_value(layout, c, &decoder->kept),
			.unusual = layout->readings && type.kind != TYPE_TEXT &&
				   !csv_reading_is_usual(&layout->readings[c]),
			.guessed = layout->guessed && layout->guessed[c],
			.valid = memory_alloc(BATCH_ROWS_MAX),
		};
	}
	arena_init(&decoder->arena, ARENA_BLOCK);
	return decoder;
}

void csv_decoder_free(struct csv_decoder *decoder)
{
	if (!decoder)
		return;
	for (uint32_t c = 0; c < decoder->layout->column_count; c++) {
		free(decoder->columns[c].values);
		free(decoder->column_readers[c].valid);
	}
	free(decoder->columns);
	free(decoder->column_readers);
	free(decoder->room - 1);
	free(decoder->gathered);
	free(decoder->present);
	free(decoder->stripped);
	free(decoder->failed);
	free(decoder->faults);
	free(decoder->bad);
	arena_release(&decoder->arena);
	arena_release(&decoder->kept);
	free(decoder);
}

void csv_decoder_start(struct csv_decoder *decoder, const struct csv_file *file,
	const struct csv_chunk *chunk, struct csv_tally *tally)
{
	const struct csv_format *format = &decoder->layout->format;

	decoder->file = file;
	decoder->chunk_number = chunk->number;
	decoder->first_line = chunk->first_line;
	decoder->numbered = chunk->numbered;
	decoder->tally = tally;
	decoder->lines = 0;
	csv_scan_start(&decoder->scan, chunk->data, chunk->size, format->delimiter,
		chunk->plain ? '\0' : format->quote, decoder->isa);
	decoder->chunk_ends = chunk->scanned ? chunk->ends : NULL;
	decoder->chunk_end_count = chunk->end_count;
	decoder->scan.doubled = chunk->scanned && chunk->doubled;
	decoder->scan.unclosed = chunk->scanned && chunk->unclosed;
	if (chunk->oversized)
		reject_record(
			decoder, 0, (struct text){chunk->data, 0}, "longer than " RECORD_MAX_TEXT);
	decoder->lines = chunk->oversized_lines + (chunk->numbered ? chunk->numbered_lines : 0);
}

uint64_t csv_decoder_lines(const struct csv_decoder *decoder)
{
	return decoder->lines;
}

/* True when text follows the quote that closes the field. */
static bool field_is_malformed(struct text field, char quote)
{
	uint32_t i = 1;

	if (field.size == 0 || field.data[0] != quote)
		return false;
	for (; i < field.size; i++) {
		if (field.data[i] != quote)
			continue;
		if (i + 1 == field.size || field.data[i + 1] != quote)
			break;
		i++;
	}
	return i + 1 < field.size;
}

static bool record_is_malformed(
	const struct csv_decoder *decoder, uint32_t start, const uint32_t *ends, uint32_t count)
{
	const char *data = decoder->scan.data;

	for (uint32_t i = 0; i < count; i++) {
		struct text field = {data + start, ends[i] - start};

		/* The carriage return of the line's end. */
		if (i + 1 == count && field.size > 0 && field.data[field.size - 1] == '\r')
			field.size--;
		if (field_is_malformed(field, decoder->scan.quote))
			return true;
		start = ends[i] + 1;
	}
	return false;
}

static bool record_ends_at(const struct csv_decoder *decoder, uint32_t end)
{
	return end == decoder->scan.size || decoder->scan.data[end] == '\n';
}

/* Every record has its fields, so that the positions can be used as they are. */
static bool turn_is_regular(const struct csv_decoder *decoder, uint32_t count, uint32_t records)
{
	uint32_t fields = decoder->layout->field_count;
	const char *data = decoder->scan.data;
	bool regular = true;

	if (decoder->scan.malformed || decoder->scan.unclosed || count != records * fields)
		return false;
	for (uint32_t i = 1; i < records; i++)
		regular &= data[decoder->ends[i * fields - 1]] == '\n';
	return regular && record_ends_at(decoder, decoder->ends[count - 1]);
}

/* Nothing stands in the fields from `first` on. */
static bool fields_are_empty(
	const struct csv_decoder *decoder, const uint32_t *ends, uint32_t first, uint32_t count)
{
	for (uint32_t i = first; i < count; i++)
		for (uint32_t at = ends[i - 1] + 1; at < ends[i]; at++)
			if (decoder->scan.data[at] != '\r' && decoder->scan.data[at] != ' ')
				return false;
	return true;
}

/* Whether a record with another number of fields than it should have is taken as it is. */
static bool may_be_ragged(const struct csv_decoder *decoder, const uint32_t *ends, uint32_t count)
{
	uint32_t fields = decoder->layout->field_count;

	if (decoder->layout->ragged == CSV_RAGGED_REJECT || count == decoder->ends_max)
		return false;
	return count < fields || decoder->layout->ragged == CSV_RAGGED_CUT ||
	       fields_are_empty(decoder, ends, fields, count);
}

/* Why a record cannot be taken, perhaps in `reason`; NULL when it can. */
static const char *record_fault(const struct csv_decoder *decoder, uint32_t start,
	const uint32_t *ends, uint32_t count, char reason[REASON_MAX])
{
	uint32_t fields = decoder->layout->field_count;

	if (decoder->scan.unclosed && ends[count - 1] == decoder->scan.size)
		return "quoted field is not closed";
	if (count != fields && !may_be_ragged(decoder, ends, count)) {
		snprintf(reason, REASON_MAX, "%s%u field%s instead of %u",
			count == decoder->ends_max && !decoder->chunk_ends ? "at least " : "",
			count, count == 1 ? "" : "s", fields);
		return reason;
	}
	if (decoder->scan.malformed && record_is_malformed(decoder, start, ends, count))
		return decoder->numbered ? "not a JSON object with each key once"
					 : "text after a closing quote";
	return NULL;
}

/*
 * Copies the positions of a record's fields to `out`: where it starts - 1, and its ends. Fields
 * that it does not have are empty ones behind its end.
 */
static void gather_record(const struct csv_decoder *decoder, uint32_t start, const uint32_t *ends,
	uint32_t count, uint32_t *out)
{
	uint32_t fields = decoder->layout->field_count;
	uint32_t present = count < fields ? count : fields;

	*out++ = start - 1;
	memcpy(out, ends, present * sizeof(*out));
	/* The carriage return of the line's end is looked for in the last column alone. */
	if (present < fields) {
		uint32_t *last = out + present - 1; /* last[-1] is where the field begins - 1 */

		*last -= *last > last[-1] + 1 && decoder->scan.data[*last - 1] == '\r';
	}
	for (uint32_t i = present; i < fields; i++)
		out[i] = out[i - 1] + 1;
}

/* Copies the positions of the good records and rejects the others. Returns how many are good. */
static uint32_t gather_records(struct csv_decoder *decoder, uint32_t turn_start, uint32_t count)
{
	uint32_t fields = decoder->layout->field_count;
	uint32_t start = turn_start;
	uint32_t rows = 0;

	for (uint32_t first = 0, next = 0; first < count; first = next) {
		const uint32_t *ends = decoder->ends + first;
		struct text record = {decoder->scan.data + start, 0};
		char reason[REASON_MAX];
		const char *fault;

		/* A record of very many fields comes without its end. */
		while (next < count && !record_ends_at(decoder, decoder->ends[next]))
			next++;
		next += next < count;
		record.size = decoder->ends[next - 1] - start;
		if (record.size > 0 && record.data[record.size - 1] == '\r')
			record.size--;
		if (record.size > 0 || fields == 1) { /* a blank line is nothing */
			fault = record_fault(decoder, start, ends, next - first, reason);
			if (fault) {
				reject_record(decoder, turn_start, record, fault);
			} else {
				gather_record(decoder, start, ends, next - first,
					decoder->gathered + rows * (fields + 1));
				decoder->present[rows++] = next - first;
			}
		}
		start = decoder->ends[next - 1] + 1;
	}
	decoder->tally->rows += rows;
	return rows;
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
	return p < end ? field : (struct text){field.data, (uint32_t)(point - field.data)};
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
		doubt->line = line_of(decoder, decoder->turn_start, record);
	}
	return false;
}

/* One field by all the rules, a value or a fault. `row` is the turn's. */
static void read_field(struct csv_decoder *decoder, uint32_t c, const struct turn *turn,
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
	} else if (column->type.kind == TYPE_INT || column->type.kind == TYPE_BIGINT) {
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
	case TYPE_INT:
	case TYPE_BIGINT:
		count = readers->integers(fields, column->i64 + first_row, valid, failed,
			&decoder->column_readers[c].hint);
		if (column->type.kind == TYPE_INT)
			count = csv_check_int_range(
				column->i64 + first_row, valid, rows, failed, count);
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
static void clear_missing(struct csv_decoder *decoder, uint32_t c, const struct turn *turn)
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

static void read_column(struct csv_decoder *decoder, uint32_t c, const struct turn *turn)
{
	uint32_t field = decoder->column_readers[c].field;
	bool last = field + 1 == decoder->layout->field_count;
	bool is_text = type_physical(decoder->columns[c].type.kind) == PHYSICAL_TEXT;
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
		failed_count =
			csv_doubt_numbers(&fields, decoder->columns[c].type.kind == TYPE_BIGINT,
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
	if (!decoder->empty_is_null && !is_text) {
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
	struct csv_decoder *decoder, uint32_t c, const struct turn *turn, uint32_t turn_start)
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

/* A column that is not a field of the records. */
static void fill_column(
	struct csv_decoder *decoder, uint32_t c, const struct turn *turn, uint32_t turn_start)
{
	const struct column_reader *reader = &decoder->column_readers[c];
	struct column *column = &decoder->columns[c];

	if (reader->field == CSV_FIELD_LINE) {
		fill_lines(decoder, c, turn, turn_start);
		return;
	}
	column->valid = reader->valid;
	for (uint32_t row = 0; row < turn->rows; row++)
		column_set_value(column, turn->first_row + row, &reader->fixed);
}

/* As csv_scan_next, from what was found when the chunk was cut. */
static uint32_t take_ends(struct csv_decoder *decoder, uint32_t *records)
{
	struct csv_scan *scan = &decoder->scan;
	const uint32_t *ends = decoder->chunk_ends;
	uint32_t count = 0;

	*records = 0;
	while (count < decoder->chunk_end_count && *records < decoder->turn_rows)
		*records += record_ends_at(decoder, ends[count++]);
	if (count > 0)
		scan->offset = ends[count - 1] + (ends[count - 1] < scan->size);
	decoder->ends = decoder->chunk_ends;
	decoder->chunk_ends += count;
	decoder->chunk_end_count -= count;
	return count;
}

static uint32_t scan_ends(struct csv_decoder *decoder, uint32_t *records)
{
	decoder->ends = decoder->room;
	return csv_scan_next(
		&decoder->scan, decoder->turn_rows, decoder->room, decoder->ends_max, records);
}

/* Decodes the next records behind those of the batch. Returns false at the chunk's end. */
static bool decode_turn(struct csv_decoder *decoder, uint32_t *batch_rows)
{
	struct csv_scan *scan = &decoder->scan;
	uint32_t fields = decoder->layout->field_count;
	uint32_t start = scan->offset;
	struct turn turn = {.first_row = *batch_rows};
	uint32_t records;
	uint32_t count =
		decoder->chunk_ends ? take_ends(decoder, &records) : scan_ends(decoder, &records);

	if (count == 0)
		return false;
	decoder->turn_start = start;
	if (turn_is_regular(decoder, count, records)) {
		decoder->ends[-1] = start - 1;
		turn.bounds = decoder->ends - 1;
		turn.stride = fields;
		turn.rows = records;
		decoder->tally->rows += records;
	} else {
		turn.bounds = decoder->gathered;
		turn.stride = fields + 1;
		turn.rows = gather_records(decoder, start, count);
		turn.present = decoder->present;
	}
	if (turn.rows > 0) {
		uint32_t end = turn.bounds[fields];

		turn.returns = end > 0 && scan->data[end - 1] == '\r';
		for (uint32_t c = 0; c < decoder->layout->column_count; c++) {
			if (decoder->column_readers[c].field >= CSV_FIELD_NONE)
				fill_column(decoder, c, &turn, start);
			else
				read_column(decoder, c, &turn);
		}
		report_faults(decoder, start);
	}
	/* A record without quotes is a line; the text's last one may lack its end. */
	if (decoder->numbered)
		; /* known before */
	else if (!scan->quoted)
		decoder->lines += records;
	else
		decoder->lines +=
			csv_count_newlines(scan->data + start, scan->offset - start) +
			(scan->offset == scan->size && scan->data[scan->size - 1] != '\n');
	*batch_rows += turn.rows;
	return true;
}

bool csv_decoder_next(struct csv_decoder *decoder, struct batch *batch, const struct csv_bad **bad,
	uint32_t *bad_count)
{
	uint32_t rows = 0;

	arena_reset(&decoder->arena);
	decoder->bad_count = 0;
	while (rows + decoder->turn_rows <= BATCH_ROWS_MAX && decode_turn(decoder, &rows))
		;
	for (uint32_t c = 0; c < decoder->layout->column_count; c++) {
		uint8_t *valid = decoder->column_readers[c].valid;

		decoder->columns[c].valid = memchr(valid, 0, rows) ? valid : NULL;
	}
	*batch = (struct batch){
		.rows = rows,
		.column_count = decoder->layout->column_count,
		.columns = decoder->columns,
		.selected = rows,
	};
	*bad = decoder->bad;
	*bad_count = decoder->bad_count;
	return rows > 0;
}
