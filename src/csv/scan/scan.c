/*
 * The scanner's calls. What a kernel found is cut to whole records here, and text that a kernel
 * does not take goes through the scalar path.
 */
#include "csv/scan/scan.h"
#include "base/cpu_clones.h"
#include "csv/scan/scan_private.h"

#include <assert.h>
#include <string.h>

bool csv_isa_supported(enum csv_isa isa)
{
	switch (isa) {
	case CSV_ISA_PORTABLE:
#if defined(__x86_64__)
	case CSV_ISA_SSE2:
#endif
		return true;
#if defined(__x86_64__)
	case CSV_ISA_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
		       __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
		       __builtin_cpu_supports("pclmul");
	case CSV_ISA_AVX512:
		return csv_isa_supported(CSV_ISA_AVX2) && __builtin_cpu_supports("avx512f") &&
		       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
		       __builtin_cpu_supports("avx512vbmi2");
#endif
	default: return false;
	}
}

enum csv_isa csv_isa_detect(void)
{
	enum csv_isa isa = CSV_ISA_BEST;

	while (!csv_isa_supported(isa))
		isa--;
	return isa;
}

static const struct csv_kernels *kernels_of(enum csv_isa isa)
{
#if defined(__x86_64__)
	if (isa == CSV_ISA_AVX512)
		return &csv_kernels_avx512;
	if (isa == CSV_ISA_AVX2)
		return &csv_kernels_avx2;
	if (isa == CSV_ISA_SSE2)
		return &csv_kernels_sse2;
#endif
	(void)isa;
	return &csv_kernels_portable;
}

void csv_scan_start(struct csv_scan *scan, const char *data, uint32_t size, char delimiter,
	char quote, enum csv_isa isa)
{
	*scan = (struct csv_scan){
		.data = data,
		.size = size,
		.delimiter = delimiter,
		.quote = quote,
		.isa = isa,
		.quoted = quote != '\0' && size > 0 && memchr(data, quote, size) != NULL,
	};
}

/* The definition of the format: one byte at a time. Stores no more than `ends_max` ends. */
static uint32_t scan_scalar(
	struct csv_scan *scan, uint32_t rows_max, uint32_t *ends, uint32_t ends_max, uint32_t *rows)
{
	enum csv_state state = CSV_FIELD_START;
	uint32_t count = 0;	  /* of all fields, stored or not */
	uint32_t whole_count = 0; /* of those in the records that have ended */
	uint32_t row_count = 0;
	uint32_t position = scan->offset;

	while (position < scan->size && row_count < rows_max) {
		enum csv_state next =
			csv_state_step(state, scan->data[position], scan->delimiter, scan->quote);

		scan->doubled |= state == CSV_BEHIND_QUOTE && next == CSV_IN_QUOTES;
		state = next;
		if (state == CSV_FIELD_START) {
			if (count < ends_max)
				ends[count] = position;
			else if (row_count > 0)
				break; /* the record does not fit any more: it is the next call's */
			count++;
		}
		position++;
		if (state == CSV_FIELD_START && scan->data[position - 1] == '\n') {
			row_count++;
			whole_count = count;
			scan->offset = position;
		}
	}
	if (position == scan->size && scan->offset < scan->size && row_count < rows_max &&
		(count < ends_max || row_count == 0)) {
		if (count < ends_max)
			ends[count] = position;
		whole_count = count + 1;
		row_count++;
		scan->offset = position;
		scan->unclosed = state == CSV_IN_QUOTES;
	}
	*rows = row_count;
	return whole_count < ends_max ? whole_count : ends_max;
}

/* Gives back what a kernel found beyond `rows_max` records or behind the last whole one. */
static void run_trim(struct csv_run *run)
{
	uint32_t count = run->count;

	if (run->offset == run->size && run->rows <= run->rows_max)
		return; /* the last record is whole, newline or not */
	for (;;) {
		bool ends_record = run->ends[count - 1] == run->size ||
				   run->data[run->ends[count - 1]] == '\n';

		if (ends_record && run->rows <= run->rows_max)
			break;
		run->rows -= ends_record;
		count--;
	}
	run->count = count;
	run->offset = run->ends[count - 1] + (run->ends[count - 1] < run->size);
	run->unclosed = run->unclosed && run->offset == run->size;
}

uint32_t csv_scan_next(
	struct csv_scan *scan, uint32_t rows_max, uint32_t *ends, uint32_t ends_max, uint32_t *rows)
{
	const struct csv_kernels *kernels = kernels_of(scan->isa);
	struct csv_run run = {
		.data = scan->data,
		.size = scan->size,
		.offset = scan->offset,
		.delimiter = scan->delimiter,
		.quote = scan->quote,
		.rows_max = rows_max,
		.ends_max = ends_max,
		.ends = ends,
	};

	assert(rows_max > 0 && ends_max >= CSV_SCAN_ENDS_MIN);
	*rows = 0;
	if (scan->offset >= scan->size)
		return 0;
	if (!scan->quoted)
		kernels->plain(&run);
	else if (!scan->malformed)
		scan->malformed = !kernels->quoted(&run);
	/* A record of very many fields fills the ends before it is whole. */
	if (scan->malformed || run.rows == 0)
		return scan_scalar(scan, rows_max, ends, ends_max, rows);
	run_trim(&run);
	scan->offset = run.offset;
	scan->doubled |= run.doubled;
	scan->unclosed = run.unclosed;
	*rows = run.rows;
	return run.count;
}

size_t csv_state_skip_record(
	enum csv_state *state, const char *data, size_t size, char delimiter, char quote)
{
	for (size_t i = 0; i < size; i++) {
		*state = csv_state_step(*state, data[i], delimiter, quote);
		if (*state == CSV_FIELD_START && data[i] == '\n')
			return i + 1;
	}
	return 0;
}

size_t csv_skip_record(const char *data, size_t size, bool inside, char delimiter, char quote)
{
	const char *end = data + size, *at = data, *found, *newline = NULL;

	for (;;) {
		if (inside) {
			found = memchr(at, quote, (size_t)(end - at));
			if (!found)
				return 0;
			at = found + 1;
			inside = at < end && *at == quote; /* the second half of one */
			at += inside;
			continue;
		}
		if (!newline || newline < at)
			newline = memchr(at, '\n', (size_t)(end - at));
		found = quote ? memchr(at, quote, (size_t)((newline ? newline : end) - at)) : NULL;
		if (!found)
			return newline ? (size_t)(newline + 1 - data) : 0;
		inside = found == data || found[-1] == delimiter || found[-1] == '\n';
		at = found + 1;
	}
}

size_t csv_guess_record(const char *data, size_t size, char delimiter, char quote)
{
	const char *end = data + size;
	const char *at = quote ? memchr(data, quote, size) : NULL;
	bool odd = false; /* the number of quotes before this one */

	/*
	 * Halves of a doubled quote have a quote beside them. What remains stands behind a
	 * separator when it opens a field and before one when it closes it; with separators on both
	 * sides it may be either. Back from there every quote changes sides.
	 */
	for (; at && at + 1 < end; odd = !odd) {
		bool behind = at > data && (at[-1] == delimiter || at[-1] == '\n');
		bool before = at[1] == delimiter || at[1] == '\n' || at[1] == '\r';
		bool opens = behind && !before && at[1] != quote;
		bool closes = before && !behind && at > data && at[-1] != quote;

		if (opens || closes)
			return csv_skip_record(data, size, opens == odd, delimiter, quote);
		at = memchr(at + 1, quote, (size_t)(end - at) - 1);
	}
	return csv_skip_record(data, size, false, delimiter, quote);
}

CPU_CLONES
uint64_t csv_count_newlines(const char *data, size_t size)
{
	uint64_t count = 0;
	size_t i = 0;

	/* Counts of one byte, which the compiler makes a vector of, before they can overflow. */
	while (size - i >= 64) {
		uint8_t counts[64] = {0};

		for (int round = 0; round < 255 && size - i >= 64; round++, i += 64) {
			for (int j = 0; j < 64; j++)
				counts[j] += data[i + j] == '\n';
		}
		for (int j = 0; j < 64; j++)
			count += counts[j];
	}
	for (; i < size; i++)
		count += data[i] == '\n';
	return count;
}

static size_t whole_records_scalar(const char *data, size_t size, char delimiter, char quote)
{
	enum csv_state state = CSV_FIELD_START;
	size_t whole = 0;
	size_t end;

	while ((end = csv_state_skip_record(&state, data + whole, size - whole, delimiter, quote)) >
		0)
		whole += end;
	return whole;
}

size_t csv_scan_whole_records(
	const char *data, size_t size, char delimiter, char quote, enum csv_isa isa)
{
	size_t whole;

	if (size == 0)
		return 0;
	if (quote == '\0' || !memchr(data, quote, size)) {
		const char *newline = memrchr(data, '\n', size);

		return newline ? (size_t)(newline - data) + 1 : 0;
	}
	if (kernels_of(isa)->whole(data, size, delimiter, quote, &whole))
		return whole;
	return whole_records_scalar(data, size, delimiter, quote);
}
