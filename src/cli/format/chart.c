#include "cli/format/chart.h"

#include "base/memory.h"
#include "cli/format/shown_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BINS_MAX 20
/* Integers are labels as well as numbers where there are other numbers beside them. */
#define NULL_LABEL "NULL"

static bool is_time(enum type_kind kind)
{
	return kind >= TYPE_DATE && kind <= TYPE_TIMESTAMPTZ;
}

/* The first column that is no number is the label; of numbers alone the first, if there are several. */
static void choose(struct chart *chart)
{
	const struct plan_query *query = chart->query;

	chart->label = PLAN_NONE;
	for (uint32_t c = 0; c < query->column_count && chart->label == PLAN_NONE; c++)
		if (!type_is_number(plan_query_meant(query, c)))
			chart->label = c;
	if (chart->label == PLAN_NONE && query->column_count > 1)
		chart->label = 0;
	for (uint32_t c = 0; c < query->column_count; c++)
		if (c != chart->label && type_is_number(plan_query_meant(query, c)) &&
			chart->series_count < CHART_SERIES_MAX)
			chart->series[chart->series_count++].column = c;
	if (chart->series_count == 0)
		chart->kind = CHART_NOTHING;
	else if (chart->label == PLAN_NONE)
		chart->kind = CHART_HISTOGRAM;
	else
		chart->kind =
			is_time(plan_query_meant(query, chart->label)) ? CHART_LINE : CHART_BARS;
}

void chart_init(struct chart *chart, const struct plan_query *query)
{
	*chart = (struct chart){.query = query};
	buf_init(&chart->labels, SIZE_MAX / 2);
	choose(chart);
}

void chart_release(struct chart *chart)
{
	for (uint32_t s = 0; s < CHART_SERIES_MAX; s++)
		free(chart->series[s].values);
	free(chart->places);
	free(chart->label_ends);
	buf_release(&chart->labels);
}

static void grow(struct chart *chart)
{
	if (chart->count < chart->capacity)
		return;
	chart->capacity = chart->capacity ? 2 * chart->capacity : 256;
	chart->places = memory_realloc(chart->places, chart->capacity * sizeof(double));
	chart->label_ends = memory_realloc(chart->label_ends, chart->capacity * sizeof(size_t));
	for (uint32_t s = 0; s < chart->series_count; s++)
		chart->series[s].values =
			memory_realloc(chart->series[s].values, chart->capacity * sizeof(double));
}

/* What is shown as it stands in its file is a text, which may be a number for all that. */
static double number_of(const struct column *column, uint32_t row)
{
	uint32_t at = column_index(column, row);
	char text[CHART_NUMBER_MAX];
	char *end;
	double number;

	if (column_is_null(column, row))
		return NAN;
	switch (column->type.kind) {
	case TYPE_NUMERIC: number = numeric_to_double(column->num[at]); break;
	case TYPE_REAL:
	case TYPE_DOUBLE: number = column->f64[at]; break;
	case TYPE_TEXT:
		if (column->text[at].size == 0 || column->text[at].size >= sizeof(text))
			return NAN;
		memcpy(text, column->text[at].data, column->text[at].size);
		text[column->text[at].size] = '\0';
		number = strtod(text, &end);
		number = *end ? NAN : number;
		break;
	default: number = (double)column->i64[at]; break;
	}
	return isfinite(number) ? number : NAN;
}

void chart_add(struct chart *chart, const struct batch *batch)
{
	struct buf scratch;

	buf_init(&scratch, SIZE_MAX / 2);
	for (uint32_t k = 0; k < batch->selected && chart->kind != CHART_NOTHING; k++) {
		uint32_t row = batch_row(batch, k);

		if (chart->count == CHART_POINTS_MAX) {
			chart->left_out++;
			continue;
		}
		grow(chart);
		chart->places[chart->count] = chart->count;
		if (chart->label != PLAN_NONE) {
			const struct column *label = &batch->columns[chart->label];

			shown_append_value(&chart->labels, label, row, NULL_LABEL, &scratch);
			if (is_time(label->type.kind))
				chart->places[chart->count] =
					column_is_null(label, row)
						? NAN
						: (double)label->i64[column_index(label, row)];
		}
		chart->label_ends[chart->count] = chart->labels.size;
		for (uint32_t s = 0; s < chart->series_count; s++)
			chart->series[s].values[chart->count] =
				number_of(&batch->columns[chart->series[s].column], row);
		chart->count++;
	}
	buf_release(&scratch);
}

size_t chart_label(const struct chart *chart, uint32_t point, const char **text)
{
	size_t start = point ? chart->label_ends[point - 1] : 0;

	*text = chart->labels.data ? chart->labels.data + start : "";
	return chart->label_ends[point] - start;
}

bool chart_range(const double *values, uint32_t count, double *least, double *greatest)
{
	bool any = false;

	for (uint32_t i = 0; i < count; i++) {
		if (isnan(values[i]))
			continue;
		if (!any || values[i] < *least)
			*least = values[i];
		if (!any || values[i] > *greatest)
			*greatest = values[i];
		any = true;
	}
	return any;
}

void chart_number(double number, char text[CHART_NUMBER_MAX])
{
	if (fabs(number) < 1e15 && number == floor(number))
		snprintf(text, CHART_NUMBER_MAX, "%.0f", number);
	else
		snprintf(text, CHART_NUMBER_MAX, "%.6g", number);
}

static uint32_t bin_count(uint32_t values)
{
	uint32_t bins = values ? (uint32_t)ceil(log2((double)values)) + 1 : 1;

	return bins > BINS_MAX ? BINS_MAX : bins;
}

void chart_make_bins(struct chart *chart, uint32_t series, struct chart *bins)
{
	const double *values = chart->series[series].values;
	double least = 0, greatest = 0, width;
	uint32_t count = bin_count(chart->count);

	*bins = (struct chart){.query = chart->query,
		.kind = CHART_BARS,
		.series_count = 1,
		.left_out = chart->left_out};
	bins->series[0].column = chart->series[series].column;
	buf_init(&bins->labels, SIZE_MAX / 2);
	if (!chart_range(values, chart->count, &least, &greatest))
		return;
	count = least == greatest ? 1 : count;
	width = (greatest - least) / count;
	for (uint32_t i = 0; i < count; i++) {
		char from[CHART_NUMBER_MAX], to[CHART_NUMBER_MAX];

		grow(bins);
		chart_number(least + width * i, from);
		chart_number(i + 1 == count ? greatest : least + width * (i + 1), to);
		buf_printf(&bins->labels, "%s to %s", from, to);
		bins->label_ends[i] = bins->labels.size;
		bins->series[0].values[i] = 0;
		bins->count++;
	}
	for (uint32_t i = 0; i < chart->count; i++) {
		uint32_t bin;

		if (isnan(values[i]))
			continue;
		bin = width > 0 ? (uint32_t)((values[i] - least) / width) : 0;
		bins->series[0].values[bin < count ? bin : count - 1]++;
	}
}
