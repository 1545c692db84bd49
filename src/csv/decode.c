/*
 * A chunk is decoded in turns of a few hundred records, which stay in the first-level cache while
 * the columns are read one after the other; turns are added up to a batch.
 *
 * In a turn where every record has the right number of fields the readers work on the scanner's
 * positions as they are, one record behind the other. Otherwise the good records are gathered
 * first.
 */
#include "csv/decode_private.h"

#include "base/memory.h"
#include "csv/guess.h"
#include "csv/header.h"
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
		.line = csv_decoder_line(decoder, turn_start, record.data),
		.reason = arena_strdup(&tally->arena, reason),
		.sample = decoder->numbered ? json_sample_of(&tally->arena, record,
						      decoder->layout->format.quote)
					    : csv_tally_sample(tally, record),
	};
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
			.line = csv_decoder_line(decoder, turn_start, fault->record),
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
			.valid = memory_zalloc(BATCH_ROWS_MAX),
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
			decoder, 0, text_from(chunk->data, 0), "longer than " RECORD_MAX_TEXT);
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
		struct text field = text_from(data + start, ends[i] - start);

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

	if (decoder->layout->widens)
		return true;
	if (decoder->layout->ragged == CSV_RAGGED_REJECT || count == decoder->ends_max)
		return false;
	return count < fields || decoder->layout->ragged == CSV_RAGGED_CUT ||
	       fields_are_empty(decoder, ends, fields, count);
}

/* The table that the record is from needs more columns. Those of one file are compared. */
static void note_long_record(struct csv_decoder *decoder, uint32_t turn_start, struct text record,
	const uint32_t *ends, uint32_t count)
{
	uint32_t width = decoder->layout->field_count;
	struct csv_long_record *longest = &decoder->tally->longest;

	while (count > width && fields_are_empty(decoder, ends, count - 1, count))
		count--;
	if (count <= width || (longest->fields > 0 && longest->file != decoder->file))
		return;
	if (longest->fields == 0)
		*longest = (struct csv_long_record){
			.width = width,
			.sample = csv_tally_sample(decoder->tally, record),
			.file = decoder->file,
			.chunk = decoder->chunk_number,
			.line = csv_decoder_line(decoder, turn_start, record.data),
		};
	if (count > longest->fields)
		longest->fields = count;
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
		struct text record = text_from(decoder->scan.data + start, 0);
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
			if (decoder->layout->widens && next - first > fields)
				note_long_record(decoder, turn_start, record, ends, next - first);
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
	struct csv_turn turn = {.first_row = *batch_rows};
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
				csv_decoder_fill_column(decoder, c, &turn, start);
			else
				csv_decoder_read_column(decoder, c, &turn);
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
