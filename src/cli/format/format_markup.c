/* A table of HTML, or of LaTeX. */
#include "cli/format/format_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What one of them looks like. */
struct markup {
	void (*begin)(const struct plan_query *query, struct buf *out);
	void (*text)(struct buf *out, const char *text, size_t size);
	const char *row, *row_end;
	const char *name, *name_end;   /* around a column's name */
	const char *value, *value_end; /* around a value */
	const char *number;	       /* before a value that is a number */
	const char *between;
	const char *names_end; /* behind the names */
	const char *end;
};

struct markup_writer {
	struct format format;
	const struct markup *markup;
	bool begun;
	struct buf scratch;
};

static struct format *writer_new(const struct plan_query *query, const struct format_style *style,
	const struct markup *markup)
{
	struct markup_writer *writer = memory_zalloc(sizeof(*writer));

	writer->format = (struct format){query, style};
	writer->markup = markup;
	buf_init(&writer->scratch, SIZE_MAX / 2);
	return &writer->format;
}

static void writer_free(struct format *format)
{
	struct markup_writer *writer = (struct markup_writer *)format;

	buf_release(&writer->scratch);
	free(writer);
}

static void begin(struct markup_writer *writer, struct buf *out)
{
	const struct markup *markup = writer->markup;
	const struct plan_query *query = writer->format.query;

	if (writer->begun)
		return;
	writer->begun = true;
	markup->begin(query, out);
	if (writer->format.style->without_names)
		return;
	buf_append_text(out, markup->row);
	for (uint32_t c = 0; c < query->column_count; c++) {
		buf_append_text(out, c ? markup->between : "");
		buf_append_text(out, markup->name);
		markup->text(out, query->names[c], strlen(query->names[c]));
		buf_append_text(out, markup->name_end);
	}
	buf_append_text(out, markup->row_end);
	buf_append_text(out, markup->names_end);
}

static int writer_rows(
	struct format *format, const struct batch *batch, struct output *out, struct error *err)
{
	struct markup_writer *writer = (struct markup_writer *)format;
	const struct markup *markup = writer->markup;
	const char *null = format->style->null ? format->style->null : "";

	begin(writer, &out->buf);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		buf_append_text(&out->buf, markup->row);
		for (uint32_t c = 0; c < batch->column_count; c++) {
			bool number = type_is_number(plan_query_meant(format->query, c));

			buf_append_text(&out->buf, c ? markup->between : "");
			buf_append_text(&out->buf, number ? markup->number : markup->value);
			buf_clear(&writer->scratch);
			if (column_is_null(&batch->columns[c], row)) {
				buf_append_text(&writer->scratch, null);
			} else {
				struct value value = column_value(&batch->columns[c], row);

				format_value(&value, &writer->scratch);
			}
			markup->text(&out->buf, writer->scratch.data, writer->scratch.size);
			buf_append_text(&out->buf, markup->value_end);
		}
		buf_append_text(&out->buf, markup->row_end);
		if (output_drain(out, err))
			return -1;
	}
	return 0;
}

static int writer_end(struct format *format, struct output *out, struct error *err)
{
	struct markup_writer *writer = (struct markup_writer *)format;

	begin(writer, &out->buf);
	buf_append_text(&out->buf, writer->markup->end);
	return output_drain(out, err);
}

/* -- HTML -- */

void markup_append_text(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		switch (text[i]) {
		case '<': buf_append_text(out, "&lt;"); break;
		case '>': buf_append_text(out, "&gt;"); break;
		case '&': buf_append_text(out, "&amp;"); break;
		case '"': buf_append_text(out, "&quot;"); break;
		case '\n': buf_append_text(out, "<br>"); break;
		case '\r': break;
		default: buf_append_char(out, text[i]);
		}
	}
}

static void html_begin(const struct plan_query *query, struct buf *out)
{
	(void)query;
	buf_append_text(out, "<table>\n");
}

static void html_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	(void)position;
	buf_append_text(out, "<h2>");
	markup_append_text(out, query->name, strlen(query->name));
	buf_append_text(out, *query->title ? ": " : "");
	markup_append_text(out, query->title, strlen(query->title));
	buf_append_text(out, "</h2>\n");
}

static const struct markup html = {
	.begin = html_begin,
	.text = markup_append_text,
	.row = "<tr>",
	.row_end = "</tr>\n",
	.name = "<th>",
	.name_end = "</th>",
	.value = "<td>",
	.value_end = "</td>",
	.number = "<td align=\"right\">",
	.between = "",
	.names_end = "",
	.end = "</table>\n",
};

static struct format *html_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, &html);
}

const struct format_ops format_html = {
	.name = "html",
	.extension = "html",
	.new = html_new,
	.free = writer_free,
	.rows = writer_rows,
	.end = writer_end,
	.before = html_before,
};

/* -- LaTeX -- */

static void latex_text(struct buf *out, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		switch (text[i]) {
		case '&':
		case '%':
		case '$':
		case '#':
		case '_':
		case '{':
		case '}': buf_printf(out, "\\%c", text[i]); break;
		case '\\': buf_append_text(out, "\\textbackslash{}"); break;
		case '~': buf_append_text(out, "\\textasciitilde{}"); break;
		case '^': buf_append_text(out, "\\textasciicircum{}"); break;
		case '\n': buf_append_char(out, ' '); break;
		case '\r': break;
		default: buf_append_char(out, text[i]);
		}
	}
}

static void latex_begin(const struct plan_query *query, struct buf *out)
{
	buf_append_text(out, "\\begin{tabular}{");
	for (uint32_t c = 0; c < query->column_count; c++)
		buf_append_char(out, type_is_number(plan_query_meant(query, c)) ? 'r' : 'l');
	buf_append_text(out, "}\n\\hline\n");
}

static void latex_before(const struct plan_query *query, uint32_t position, struct buf *out)
{
	buf_printf(out, "%s%% ", position ? "\n" : "");
	latex_text(out, query->name, strlen(query->name));
	buf_append_char(out, '\n');
}

static const struct markup latex = {
	.begin = latex_begin,
	.text = latex_text,
	.row = "",
	.row_end = " \\\\\n",
	.name = "",
	.name_end = "",
	.value = "",
	.value_end = "",
	.number = "",
	.between = " & ",
	.names_end = "\\hline\n",
	.end = "\\hline\n\\end{tabular}\n",
};

static struct format *latex_new(const struct plan_query *query, const struct format_style *style)
{
	return writer_new(query, style, &latex);
}

const struct format_ops format_latex = {
	.name = "latex",
	.extension = "tex",
	.new = latex_new,
	.free = writer_free,
	.rows = writer_rows,
	.end = writer_end,
	.before = latex_before,
};
