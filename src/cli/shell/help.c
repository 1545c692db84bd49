/* How statements are written, for \h and tamiz help. */
#include "cli/shell/shell_private.h"
#include "plan/function_table.h"

#include <string.h>
#include <strings.h>

#define HELP_WIDTH 76

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
	{"DEALLOCATE", "DEALLOCATE name | ALL\n"},
	{"EXECUTE", "EXECUTE name [(value, ...)]\n"},
	{"EXPLAIN", "EXPLAIN SELECT ...\n"},
	{"PREPARE", "PREPARE name [(type, ...)] AS statement with $1, $2, ...\n"},
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

/* The names of a kind of functions, in lines of bearable length. */
static void list_functions(enum function_category category, const char *title, struct buf *out)
{
	size_t count, line = out->size;
	const struct function_entry *entries = function_entries(&count);

	buf_printf(out, "\n%s:\n ", title);
	line = out->size;
	for (size_t i = 0; i < count; i++) {
		if (entries[i].category != category || !entries[i].description)
			continue;
		if (out->size - line + strlen(entries[i].name) > HELP_WIDTH) {
			buf_append_text(out, "\n ");
			line = out->size;
		}
		buf_printf(out, " %s", entries[i].name);
	}
	buf_append_char(out, '\n');
}

void help_sql(struct buf *out)
{
	static const struct {
		enum function_category category;
		const char *title;
	} kinds[] = {
		{CATEGORY_AGGREGATE, "aggregates"},
		{CATEGORY_WINDOW, "window functions"},
		{CATEGORY_CONVENIENCE, "conveniences, not PostgreSQL's"},
		{CATEGORY_CONDITION, "conditions"},
		{CATEGORY_TEXT, "texts"},
		{CATEGORY_REGEX, "regular expressions"},
		{CATEGORY_MATH, "numbers"},
		{CATEGORY_TIME, "dates and times"},
		{CATEGORY_ARRAY, "arrays"},
		{CATEGORY_JSON, "json"},
		{CATEGORY_BYTES, "bytea"},
	};

	buf_append_text(out, "Statements, in PostgreSQL's dialect, each ended by ;\n");
	for (size_t i = 0; i < STATEMENT_COUNT; i++)
		buf_printf(out, "\n%s", statements[i].text);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		list_functions(kinds[i].category, kinds[i].title, out);
	buf_append_text(
		out, "\n\\df NAME in the shell, and docs/functions.md, say what each does.\n");
}

const char *command_meaning(const char *name)
{
	static const char *const pairs[][2] = {
		{"c", "there is no server: tamiz FOLDER looks at other files, \\cd FOLDER goes "
		      "there"},
		{"connect", "there is no server: tamiz FOLDER looks at other files"},
		{"open", "there are no databases: tamiz FOLDER looks at other files, \\cd FOLDER "
			 "goes "
			 "there"},
		{"import", "files are tables already: SELECT * FROM 'file.csv'"},
		{"dump", "COPY table TO 'file.csv' writes one"},
		{"dn", "there is one schema, and \\dt lists its tables"},
		{"du", "there are no roles: who can read the files can read the tables"},
		{"di", "there are no indexes"},
		{"ds", "there are no sequences"},
		{"a", "\\pset format csv, or table"},
		{"H", "\\pset format html, or table"},
		{"f", "\\pset format csv, or tsv"},
		{"s", "the earlier lines are at the cursor keys and Ctrl-R"},
		{"width", "tables are as wide as the terminal; \\x shows every row as a list"},
		{"columns", "DESCRIBE table lists its columns"},
		{"gset", "\\set NAME VALUE sets a variable"},
		{"encoding", "texts are in UTF-8; --encoding says how files are written"},
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (strcmp(pairs[i][0], name) == 0)
			return pairs[i][1];
	return NULL;
}
