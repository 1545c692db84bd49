/* Pictures as SVG, one below the other for each column of numbers. */
#include "cli/format/chart.h"
#include "cli/format/format_private.h"
#include "cli/format/shown_text.h"

#include <math.h>
#include <string.h>

#define WIDTH	     800
#define MARGIN	     16
#define TITLE_HEIGHT 32
#define LABELS_WIDTH 200
#define NUMBER_WIDTH 90
#define BAR_HEIGHT   22
#define BAR_GAP	     4
#define LINE_HEIGHT  260
#define AXIS_WIDTH   70
#define LABEL_BYTES  40 /* about as much as there is room for */

static void put_label(
	struct buf *out, double x, double y, const char *anchor, const char *text, size_t size)
{
	size_t shown = size;

	if (shown > LABEL_BYTES) {
		shown = LABEL_BYTES;
		while (shown > 0 && ((unsigned char)text[shown] & 0xc0) == 0x80)
			shown--;
	}
	buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	markup_append_text(out, text, shown);
	buf_printf(out, "%s</text>\n", shown < size ? "…" : "");
}

static void put_title(const struct chart *chart, uint32_t series, double y, struct buf *out)
{
	const char *name = chart->query->names[chart->series[series].column];
	struct buf shown;

	buf_init(&shown, SIZE_MAX / 2);
	shown_append(&shown, name, strlen(name));
	buf_printf(out, "<text x=\"%d\" y=\"%.1f\" font-weight=\"bold\">", MARGIN, y + 20);
	markup_append_text(out, shown.data ? shown.data : "", shown.size);
	buf_append_text(out, "</text>\n");
	buf_release(&shown);
}

static uint32_t bars_of(const struct chart *chart)
{
	return chart->count < CHART_BARS_MAX ? chart->count : CHART_BARS_MAX;
}

static double draw_bars(const struct chart *chart, uint32_t series, double y, struct buf *out)
{
	const double *values = chart->series[series].values;
	double room = WIDTH - 2 * MARGIN - LABELS_WIDTH - NUMBER_WIDTH,
	       left = MARGIN + LABELS_WIDTH;
	double least = 0, greatest = 0, scale, zero;

	put_title(chart, series, y, out);
	y += TITLE_HEIGHT;
	(void)chart_range(values, bars_of(chart), &least, &greatest);
	least = least < 0 ? least : 0;
	greatest = greatest > 0 ? greatest : 0;
	scale = greatest > least ? room / (greatest - least) : 0;
	zero = left - least * scale;
	for (uint32_t i = 0; i < bars_of(chart); i++) {
		double value = isnan(values[i]) ? 0 : values[i], length = fabs(value) * scale;
		double from = value < 0 ? zero - length : zero;
		char number[CHART_NUMBER_MAX] = "-";
		const char *label;
		size_t size = chart_label(chart, i, &label);

		if (!isnan(values[i]))
			chart_number(value, number);
		put_label(out, left - 8, y + 16, "end", label, size);
		buf_printf(out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" "
			"fill=\"#4c78a8\"/>\n",
			from, y, length, BAR_HEIGHT);
		put_label(out, from + length + 6, y + 16, "start", number, strlen(number));
		y += BAR_HEIGHT + BAR_GAP;
	}
	return y;
}

static double draw_line(const struct chart *chart, uint32_t series, double y, struct buf *out)
{
	const double *values = chart->series[series].values;
	double left = MARGIN + AXIS_WIDTH, right = WIDTH - MARGIN, range[4];
	char low[CHART_NUMBER_MAX], high[CHART_NUMBER_MAX];
	const char *label, *between = "";
	size_t size;

	put_title(chart, series, y, out);
	y += TITLE_HEIGHT;
	if (!chart_range(values, chart->count, &range[2], &range[3]) ||
		!chart_range(chart->places, chart->count, &range[0], &range[1]))
		return y;
	chart_number(range[2], low);
	chart_number(range[3], high);
	buf_printf(out, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#888\"/>\n", left,
		y, y + LINE_HEIGHT, right);
	put_label(out, left - 6, y + 8, "end", high, strlen(high));
	put_label(out, left - 6, y + LINE_HEIGHT, "end", low, strlen(low));
	buf_append_text(
		out, "<polyline fill=\"none\" stroke=\"#4c78a8\" stroke-width=\"2\" points=\"");
	for (uint32_t i = 0; i < chart->count; i++) {
		double x = chart->places[i], value = values[i];

		if (isnan(x) || isnan(value))
			continue;
		x = range[1] > range[0] ? (x - range[0]) / (range[1] - range[0]) : 0;
		value = range[3] > range[2] ? (range[3] - value) / (range[3] - range[2]) : 0.5;
		buf_printf(out, "%s%.1f,%.1f", between, left + x * (right - left),
			y + value * LINE_HEIGHT);
		between = " ";
	}
	buf_append_text(out, "\"/>\n");
	size = chart_label(chart, 0, &label);
	put_label(out, left, y + LINE_HEIGHT + 18, "start", label, size);
	size = chart_label(chart, chart->count - 1, &label);
	put_label(out, right, y + LINE_HEIGHT + 18, "end", label, size);
	return y + LINE_HEIGHT + TITLE_HEIGHT;
}

void chart_draw_svg(struct chart *chart, struct buf *out)
{
	struct buf body;
	double y = MARGIN;

	buf_init(&body, SIZE_MAX / 2);
	for (uint32_t s = 0; s < chart->series_count && chart->count > 0; s++) {
		struct chart bins;

		if (chart->kind == CHART_HISTOGRAM) {
			chart_make_bins(chart, s, &bins);
			y = draw_bars(&bins, 0, y, &body);
			chart_release(&bins);
		} else {
			y = chart->kind == CHART_LINE ? draw_line(chart, s, y, &body)
						      : draw_bars(chart, s, y, &body);
		}
	}
	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" "
		"font-family=\"sans-serif\" font-size=\"13\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH, y + MARGIN);
	buf_append(out, body.data ? body.data : "", body.size);
	buf_append_text(out, "</svg>\n");
	buf_release(&body);
}
