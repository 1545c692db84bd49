/*
 * The forms in which a result can be written: one const table of operations each.
 *
 * Legal order for a query: new, any number of rows, end once, free. What a form needs around and
 * between the queries of a pack comes from `before` and `after_all`, and only where several results
 * share one stream.
 */
#ifndef CLI_FORMAT_FORMAT_H
#define CLI_FORMAT_FORMAT_H

#include "cli/print/output.h"
#include "column/column.h"
#include "plan/plan.h"

enum format_expanded {
	FORMAT_EXPANDED_OFF,
	FORMAT_EXPANDED_AUTO, /* a list for each row when the table is too wide */
};

/* What a person may wish; all zero is the usual. */
struct format_style {
	const char *null;   /* what NULL looks like; NULL: as the form has it */
	bool without_names; /* no line with the columns' names, and none with the number of rows */
	/* Of tables for people: */
	bool colours;	   /* names are bold, and NULL is dim */
	uint32_t width;	   /* columns of the screen that they may take; 0: any number */
	uint64_t rows_max; /* more leave out those in the middle; 0: all are shown */
	enum format_expanded expanded;
};

struct format {
	const struct plan_query *query;
	const struct format_style *style;
};

struct format_ops {
	const char *name;      /* as in --format */
	const char *extension; /* of files */
	/* Both are borrowed and outlive the format. */
	struct format *(*new)(const struct plan_query *query, const struct format_style *style);
	void (*free)(struct format *format);
	/* The selected rows of the batch, which has the query's columns. */
	int (*rows)(struct format *format, const struct batch *batch, struct output *out,
		struct error *err);
	/*
	 * Both or NULL, for a form that can write rows without seeing the others. The rows alone, by any
	 * thread while others write; and what was made so, in the order of the rows, as `rows`.
	 */
	void (*append)(const struct format *format, const struct batch *batch, struct buf *out);
	int (*appended)(struct format *format, const struct buf *bytes, struct output *out,
		struct error *err);
	/* All rows were given. */
	int (*end)(struct format *format, struct output *out, struct error *err);
	/* What stands before the query at `position` (from 0) among several. */
	void (*before)(const struct plan_query *query, uint32_t position, struct buf *out);
	void (*after_all)(struct buf *out); /* NULL: nothing */
};

extern const struct format_ops format_table;
extern const struct format_ops format_ascii;
extern const struct format_ops format_vertical;
extern const struct format_ops format_html;
extern const struct format_ops format_latex;
extern const struct format_ops format_csv;
extern const struct format_ops format_tsv;
extern const struct format_ops format_json;
extern const struct format_ops format_jsonl;
extern const struct format_ops format_md;
extern const struct format_ops format_chart;
extern const struct format_ops format_svg;

/*
 * Appends what all forms but JSON show of a value: as value_format, but lists as JSON, which more
 * programs can read than PostgreSQL's {a,b}. That one is what list::text gives.
 */
void format_value(const struct value *value, struct buf *out);

/* For the option table; ends with NULL. */
extern const char *const format_names[];
/* `name` is one of format_names. */
const struct format_ops *format_find(const char *name);

/*
 * The form of a result file, by its name: out.csv, out.json.gz. `name` is one of format_names, or NULL:
 * then it is the extension that says it, and CSV for a file without one. ERROR_USAGE for an extension
 * that nobody knows, and for one that says something else than `name`.
 */
MUST_CHECK int format_of_file(
	const struct format_ops **out, const char *path, const char *name, struct error *err);

#endif
