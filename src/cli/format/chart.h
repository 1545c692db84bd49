/*
 * A picture of a result, chosen by its columns: a label and numbers are bars, a time and numbers a line, numbers
 * alone a histogram. chart.c finds out what to draw, chart_text.c draws it for a terminal, chart_svg.c as SVG.
 */
#ifndef CLI_FORMAT_CHART_H
#define CLI_FORMAT_CHART_H

#include "cli/format/format.h"

#define CHART_POINTS_MAX (1u << 20)
#define CHART_SERIES_MAX 4
#define CHART_BARS_MAX	 40
#define CHART_NUMBER_MAX 32

enum chart_kind {
	CHART_NOTHING, /* there is no number */
	CHART_BARS,
	CHART_LINE,
	CHART_HISTOGRAM,
};

/* The numbers of one column. */
struct chart_series {
	uint32_t column;
	double *values; /* NAN: there is none */
};

struct chart {
	const struct plan_query *query;
	enum chart_kind kind;
	uint32_t label; /* the column of labels or times; PLAN_NONE */
	uint32_t series_count;
	struct chart_series series[CHART_SERIES_MAX];
	uint32_t count; /* points */
	uint32_t capacity;
	uint64_t left_out; /* rows behind the last point */
	double *places;	   /* on the axis of times; NAN: nowhere */
	struct buf labels; /* as they are shown */
	size_t *label_ends;
};

void chart_init(struct chart *chart, const struct plan_query *query);
void chart_release(struct chart *chart);
void chart_add(struct chart *chart, const struct batch *batch);

/* The label of a point: its size, and where it begins. */
size_t chart_label(const struct chart *chart, uint32_t point, const char **text);
/* Of the values that there are; false when there are none. */
bool chart_range(const double *values, uint32_t count, double *least, double *greatest);
/* A histogram, as bars: its bins become the points. */
void chart_make_bins(struct chart *chart, uint32_t series, struct chart *bins);
void chart_number(double number, char text[CHART_NUMBER_MAX]);

#endif
