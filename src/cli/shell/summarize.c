/*
 * SUMMARIZE: a row for each column, from one query that reads the table once for all of them.
 */
#include "cli/shell/shell_private.h"

#include <string.h>

/* The query that is summarized, behind the word; what names a table is TABLE t. */
static const char *inner_text(const char *text, struct arena *arena)
{
	enum sql_statement_kind kind;
	const char *inner = sql_inspected(text, arena, &kind);
	size_t size = strlen(inner);

	while (size > 0 && strchr("; \t\r\n", inner[size - 1]))
		size--;
	return arena_strndup(arena, inner, size);
}

/* What has an order and no summary: its different values are sorted. */
static bool is_sorted(enum type_kind kind)
{
	return kind == TYPE_INTERVAL || kind == TYPE_TIMESTAMPTZ;
}

static bool has_order(enum type_kind kind)
{
	return type_is_number(kind) || kind == TYPE_TEXT || kind == TYPE_DATE ||
	       kind == TYPE_TIME || kind == TYPE_TIMESTAMP;
}

/* All of column c in one aggregate, in bounded memory. */
static void append_summary(struct buf *out, uint32_t c, struct type type)
{
	/* What has no order is told apart by its text. */
	const char *cast = has_order(type.kind) ? "" : "::text";

	buf_append_text(out,
		"n AS rows, n - known AS nulls, (s)[1]::bigint AS \"distinct\", least, "
		"greatest, mean, (s)[2] AS q25, (s)[3] AS median, (s)[4] AS q75, (s)[5] "
		"AS most_frequent, (s)[6]::boolean AS exact FROM (SELECT ");
	if (has_order(type.kind))
		buf_printf(out, "min(c%u)::text AS least, max(c%u)::text AS greatest, ", c, c);
	else
		buf_append_text(out, "NULL::text AS least, NULL::text AS greatest, ");
	if (type_is_number(type.kind))
		buf_printf(out, "round(avg(c%u)::numeric, 6)::text AS mean, ", c);
	else
		buf_append_text(out, "NULL::text AS mean, ");
	buf_printf(out,
		"count(*) AS n, count(c%u) AS known, column_summary(c%u%s) AS s FROM summarized) "
		"AS whole",
		c, c, cast);
}

/*
 * Values are counted first: what there is to say of a column is said of its different values, and most
 * columns have few.
 */
static void append_sorted(struct buf *out, uint32_t c)
{
	static const char *const quartiles[][2] = {
		{"0.25", "q25"}, {"0.5", "median"}, {"0.75", "q75"}};

	buf_append_text(out, "coalesce(sum(n), 0)::bigint AS rows, "
			     "coalesce(sum(n) FILTER (WHERE v IS NULL), 0)::bigint AS nulls, "
			     "count(v) AS \"distinct\", min(v)::text AS least, max(v)::text AS "
			     "greatest, NULL::text AS mean");
	for (uint32_t i = 0; i < 3; i++)
		buf_printf(out, ", (min(v) FILTER (WHERE upto >= %s * known))::text AS %s",
			quartiles[i][0], quartiles[i][1]);
	buf_printf(out,
		", (min(v) FILTER (WHERE n = most))::text AS most_frequent, true AS exact FROM "
		"(SELECT v, n, sum(n) OVER (ORDER BY v) AS upto, "
		"sum(n) FILTER (WHERE v IS NOT NULL) OVER () AS known, "
		"max(n) FILTER (WHERE v IS NOT NULL) OVER () AS most FROM "
		"(SELECT c%u AS v, count(*) AS n FROM summarized GROUP BY 1) AS counted) AS "
		"placed",
		c);
}

/* The row of column c, which the query calls c0, c1 and so on. */
static void append_row(struct buf *out, uint32_t c, const char *name, struct type type)
{
	char type_text[TYPE_NAME_MAX];

	buf_printf(out, "%s SELECT %u AS position, ", c ? " UNION ALL" : "", c);
	sql_append_quoted(out, name, '\'');
	buf_append_text(out, "::text AS \"column\", ");
	sql_append_quoted(out, type_name(type, type_text), '\'');
	buf_append_text(out, "::text AS type, ");
	if (is_sorted(type.kind))
		append_sorted(out, c);
	else
		append_summary(out, c, type);
}

const char *summary_query(const char *text, const struct plan_query *query, struct arena *arena)
{
	const char *result;
	struct buf out;

	buf_init(&out, SHELL_TEXT_MAX);
	buf_append_text(&out, "WITH summarized (");
	for (uint32_t c = 0; c < query->column_count; c++)
		buf_printf(&out, "%sc%u", c ? ", " : "", c);
	buf_printf(&out,
		") AS (%s\n) SELECT \"column\", type, rows, nulls, \"distinct\", least, greatest, "
		"mean, q25, median, q75, most_frequent, exact FROM (",
		inner_text(text, arena));
	for (uint32_t c = 0; c < query->column_count; c++)
		append_row(&out, c, query->names[c], query->types[c]);
	buf_append_text(&out, ") AS summary ORDER BY position");
	result = arena_strndup(arena, out.data, out.size);
	buf_release(&out);
	return result;
}
