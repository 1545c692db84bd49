/* How statements are written, for \h and tamiz help. */
#include "cli/shell/shell_private.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	const char *text;
} statements[] = {
	{"SELECT", "[WITH name AS (SELECT ...)]\n"
		   "SELECT [DISTINCT [ON (...)]] expression [AS name], ...\n"
		   "FROM table | 'file.csv' | read_csv('file', option => value) | (SELECT ...) AS "
		   "name\n"
		   "    [[LEFT | RIGHT | FULL | CROSS] JOIN ... ON condition | USING (column)]\n"
		   "[WHERE condition]\n"
		   "[GROUP BY expression | ROLLUP (...) | CUBE (...) | GROUPING SETS (...)]\n"
		   "[HAVING condition]\n"
		   "[WINDOW name AS (PARTITION BY ... ORDER BY ...)]\n"
		   "[UNION | INTERSECT | EXCEPT [ALL] SELECT ...]\n"
		   "[ORDER BY expression [DESC] [NULLS FIRST | LAST]] [LIMIT n] [OFFSET n]\n"},
	{"COPY", "COPY table [(columns)] | (SELECT ...) TO 'file' | STDOUT\n"
		 "    [(FORMAT csv | tsv | json | ..., HEADER false, NULL 'text')]\n"},
	{"CREATE TABLE", "CREATE [TEMP] TABLE [IF NOT EXISTS] name [(columns)] AS SELECT ... [WITH "
			 "NO DATA]\n"
			 "CREATE TABLE name (column type, ...) WITH (files = '*.csv', delimiter = "
			 "';', ...)\n"},
	{"CREATE VIEW", "CREATE [OR REPLACE] VIEW name [(columns)] AS SELECT ...\n"},
	{"DESCRIBE", "DESCRIBE table | 'file.csv' | SELECT ...\n"},
	{"DROP", "DROP TABLE | VIEW [IF EXISTS] name\n"},
	{"EXPLAIN", "EXPLAIN SELECT ...\n"},
	{"RESET", "RESET name | ALL\n"},
	{"SET", "SET name = value | TO DEFAULT\n"},
	{"SHOW", "SHOW TABLES | VIEWS | ALL | name\n"},
	{"SUMMARIZE", "SUMMARIZE table | 'file.csv' | SELECT ...\n"},
	{"VALUES", "VALUES (expression, ...), ...\n"},
};

#define STATEMENT_COUNT (sizeof(statements) / sizeof(statements[0]))

bool help_statement(const char *name, struct buf *out)
{
	size_t size = name ? strcspn(name, ";") : 0;
	bool found = false;

	if (!name)
		buf_append_text(out, "\\h NAME shows how one of these is written:\n");
	for (size_t i = 0; i < STATEMENT_COUNT; i++) {
		if (!name)
			buf_printf(out, "  %s\n", statements[i].name);
		else if (strncasecmp(statements[i].name, name, size) == 0) {
			buf_printf(out, "%s%s", found ? "\n" : "", statements[i].text);
			found = true;
		}
	}
	return found || !name;
}
