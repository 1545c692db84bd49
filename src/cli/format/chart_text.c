/* Pictures for a terminal: bars of eighths of a character, lines of Braille dots. */
#include "cli/format/chart.h"
#include "cli/format/format_private.h"

#include "base/memory.h"
#include "cli/format/shown_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH_USUAL	80
#define LABEL_WIDTH_MAX 30
#define BAR_WIDTH_MIN	10
#define LINE_ROWS	12
#define DOTS_ACROSS	2
#define DOTS_DOWN	4
#define EIGHTHS		8

struct chart_writer {
	struct format format;
	struct chart chart;
};

static uint32_t screen_width(const struct format_style *style)
{
	return style->width ? style->width : WIDTH_USUAL;
}

static void append_title(const struct chart *chart, uint32_t series, struct buf *out)
{
	const char *name = chart->query->names[chart->series[series].column];

	shown_append(out, name, strlen(name));
	buf_append_char(out, '\n');
}

/* -- Bars -- */

static uint32_t label_width(const struct chart *chart, uint32_t count)
{
	uint32_t widest = 0;
	struct buf scratch;

	buf_init(&scratch, SIZE_MAX / 2);
	for (uint32_t i = 0; i < count; i++) {
		const char *text;
		size_t size = chart_label(chart, i, &text);
		uint32_t width = shown_append(&scratch, text, size);

		widest = width > widest ? width : widest;
		buf_clear(&scratch);
	}
	buf_release(&scratch);
	return widest > LABEL_WIDTH_MAX ? LABEL_WIDTH_MAX : widest;
}

static void append_label(const struct chart *chart, uint32_t point, uint32_t width, struct buf *out)
{
	const char *text;
	size_t size = chart_label(chart, point, &text);
	struct buf scratch;
	uint32_t whole;

	buf_init(&scratch, SIZE_MAX / 2);
	whole = shown_append(&scratch, text, size);
	whole = shown_append_cut(out, text, size, whole, width);
	shown_append_repeated(out, " ", width - whole);
	buf_release(&scratch);
}

/* `from` and `to` in eighths of a character; a part of the first one is not drawn. */
static void append_bar(uint32_t from, uint32_t to, struct buf *out)
{
	static const char *const parts[EIGHTHS] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};

	shown_append_repeated(out, " ", from / EIGHTHS);
	shown_append_repeated(out, "█", to / EIGHTHS - from / EIGHTHS);
	buf_append_text(out, parts[to % EIGHTHS]);
}

static void draw_bars(const struct chart *chart, uint32_t series, uint32_t width, struct buf *out)
{
	const double *values = chart->series[series].values;
	uint32_t count = chart->count < CHART_BARS_MAX ? chart->count : CHART_BARS_MAX;
	uint32_t labels = label_width(chart, count), room;
	uint64_t left_out = chart->left_out + chart->count - count;
	double least = 0, greatest = 0, scale;

	if (!chart_range(values, count, &least, &greatest))
		return;
	least = least < 0 ? least : 0;
	greatest = greatest > 0 ? greatest : 0;
	room = width > labels + BAR_WIDTH_MIN + 3 + 12 ? width - labels - 3 - 12 : BAR_WIDTH_MIN;
	scale = greatest > least ? room * EIGHTHS / (greatest - least) : 0;
	append_title(chart, series, out);
	for (uint32_t i = 0; i < count; i++) {
		double value = isnan(values[i]) ? 0 : values[i];
		/* Bars begin with a whole character. */
		uint32_t zero = (uint32_t)lround(-least * scale / EIGHTHS) * EIGHTHS;
		uint32_t length = (uint32_t)lround(fabs(value) * scale);
		char number[CHART_NUMBER_MAX] = "-";

		if (!isnan(values[i]))
			chart_number(values[i], number);
		append_label(chart, i, labels, out);
		buf_append_text(out, " │");
		if (value < 0)
			append_bar(
				length < zero ? (zero - length) / EIGHTHS * EIGHTHS : 0, zero, out);
		else
			append_bar(zero, zero + length, out);
		buf_printf(out, " %s\n", number);
	}
	if (left_out)
		buf_printf(out, "… and %llu more\n", (unsigned long long)left_out);
}

/* -- Lines -- */

struct canvas {
	uint32_t columns;
	uint8_t *cells; /* LINE_ROWS x columns; a bit for each dot */
};

static void set_dot(struct canvas *canvas, uint32_t x, uint32_t y)
{
	static const uint8_t bits[DOTS_DOWN][DOTS_ACROSS] = {
		{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

	canvas->cells[y / DOTS_DOWN * canvas->columns + x / DOTS_ACROSS] |=
		bits[y % DOTS_DOWN][x % DOTS_ACROSS];
}

static void draw_segment(struct canvas *canvas, double x1, double y1, double x2, double y2)
{
	uint32_t steps = (uint32_t)fmax(fabs(x2 - x1), fabs(y2 - y1)) + 1;

	for (uint32_t i = 0; i <= steps; i++) {
		double part = (double)i / steps;

		set_dot(canvas, (uint32_t)lround(x1 + (x2 - x1) * part),
			(uint32_t)lround(y1 + (y2 - y1) * part));
	}
}

static void append_canvas(const struct canvas *canvas, uint32_t row, struct buf *out)
{
	for (uint32_t c = 0; c < canvas->columns; c++) {
		uint8_t dots = canvas->cells[row * canvas->columns + c];
		char braille[4] = {
			(char)0xe2, (char)(0xa0 + (dots >> 6)), (char)(0x80 + (dots & 0x3f)), '\0'};

		buf_append_text(out, dots ? braille : " ");
	}
}

/* The first and the last time below the axis. */
static void append_ends(
	const struct chart *chart, uint32_t margin, uint32_t columns, struct buf *out)
{
	const char *first, *last;
	size_t first_size = chart_label(chart, 0, &first);
	size_t last_size = chart_label(chart, chart->count - 1, &last);

	shown_append_repeated(out, " ", margin);
	buf_append(out, first, first_size);
	if (chart->count > 1) {
		size_t used = first_size + last_size;

		shown_append_repeated(out, " ", used < columns ? columns - (uint32_t)used : 1);
		buf_append(out, last, last_size);
	}
	buf_append_char(out, '\n');
}

static void draw_points(const struct chart *chart, const double *values, const double range[4],
	struct canvas *canvas)
{
	double across = canvas->columns * DOTS_ACROSS - 1, down = LINE_ROWS * DOTS_DOWN - 1;
	double before_x = NAN, before_y = NAN;

	for (uint32_t i = 0; i < chart->count; i++) {
		double x = chart->places[i], y = values[i];

		if (isnan(x) || isnan(y))
			continue;
		x = range[1] > range[0] ? (x - range[0]) / (range[1] - range[0]) * across : 0;
		y = range[3] > range[2] ? (range[3] - y) / (range[3] - range[2]) * down : down / 2;
		if (isnan(before_x))
			set_dot(canvas, (uint32_t)lround(x), (uint32_t)lround(y));
		else
			draw_segment(canvas, before_x, before_y, x, y);
		before_x = x;
		before_y = y;
	}
}

static void draw_line(const struct chart *chart, uint32_t series, uint32_t width, struct buf *out)
{
	const double *values = chart->series[series].values;
	char low[CHART_NUMBER_MAX], high[CHART_NUMBER_MAX];
	struct canvas canvas;
	double range[4];
	uint32_t margin;

	if (!chart_range(values, chart->count, &range[2], &range[3]) ||
		!chart_range(chart->places, chart->count, &range[0], &range[1]))
		return;
	chart_number(range[2], low);
	chart_number(range[3], high);
	margin = (uint32_t)(strlen(low) > strlen(high) ? strlen(low) : strlen(high));
	canvas.columns = width > margin + BAR_WIDTH_MIN + 3 ? width - margin - 3 : BAR_WIDTH_MIN;
	canvas.cells = memory_zalloc((size_t)LINE_ROWS * canvas.columns);
	draw_points(chart, values, range, &canvas);
	append_title(chart, series, out);
	for (uint32_t row = 0; row < LINE_ROWS; row++) {
		const char *number = row == 0 ? high : row == LINE_ROWS - 1 ? low : "";

		buf_printf(out, "%*s │", (int)margin, number);
		append_canvas(&canvas, row, out);
		buf_append_char(out, '\n');
	}
	free(canvas.cells);
	append_ends(chart, margin + 2, canvas.columns, out);
}

/* -- The form -- */

static struct format *chart_new(const struct plan_query *query, const struct format_style *style)
{
	struct chart_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	chart_init(&writer->chart, query);
	return &writer->format;
}

static void chart_free(struct format *format)
{
	chart_release(&((struct chart_writer *)format)->chart);
	free(format);
}

static int chart_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	(void)out;
	(void)err;
	chart_add(&((struct chart_writer *)format)->chart, batch);
	return 0;
}

static int no_chart(struct error *err)
{
	return error_set(err, ERROR_USAGE,
		"there is nothing to draw: a chart needs a column of numbers, and a label or a "
		"time "
		"beside it");
}

static int text_end(struct format *format, struct output *out, struct error *err)
{
	struct chart *chart = &((struct chart_writer *)format)->chart;
	uint32_t width = screen_width(format->style);

	if (chart->kind == CHART_NOTHING)
		return no_chart(err);
	for (uint32_t s = 0; s < chart->series_count && chart->count > 0; s++) {
		struct chart bins;

		if (s > 0)
			buf_append_char(&out->buf, '\n');
		if (chart->kind == CHART_LINE) {
			draw_line(chart, s, width, &out->buf);
		} else if (chart->kind == CHART_BARS) {
			draw_bars(chart, s, width, &out->buf);
		} else {
			chart_make_bins(chart, s, &bins);
			draw_bars(&bins, 0, width, &out->buf);
			chart_release(&bins);
		}
	}
	return output_drain(out, err);
}

static int svg_end(struct format *format, struct output *out, struct error *err)
{
	struct chart *chart = &((struct chart_writer *)format)->chart;

	if (chart->kind == CHART_NOTHING)
		return no_chart(err);
	chart_draw_svg(chart, &out->buf);
	return output_drain(out, err);
}

static void chart_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	format_table.before(query, position, out);
}

const struct format_ops format_chart = {
	.name = "chart",
	.extension = "txt",
	.new = chart_new,
	.free = chart_free,
	.rows = chart_rows,
	.end = text_end,
	.before = chart_before,
};

const struct format_ops format_svg = {
	.name = "svg",
	.extension = "svg",
	.new = chart_new,
	.free = chart_free,
	.rows = chart_rows,
	.end = svg_end,
};
