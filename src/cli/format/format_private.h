/* What forms share. */
#ifndef CLI_FORMAT_PRIVATE_H
#define CLI_FORMAT_PRIVATE_H

#include "cli/format/format.h"

/* A row as a list (format_vertical.c): its title, then a line for each column. */
void vertical_append_title(uint64_t number, struct buf *out);
void vertical_append_value(
	const char *name, uint32_t names_width, const char *shown, size_t size, struct buf *out);
/* Of the longest name, in columns of the screen. */
uint32_t vertical_names_width(const struct plan_query *query);

/* A text in HTML (format_markup.c); of SVG, too, where it has no line ends. */
void markup_append_text(struct buf *out, const char *text, size_t size);

struct chart;

/* chart_svg.c */
void chart_draw_svg(struct chart *chart, struct buf *out);

#endif
