/* What the Tab key offers: by what stands before the word, tables, columns and functions, or files. */
#include "cli/shell/shell_private.h"
#include "plan/function_table.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ITEMS_MAX 4096

static const char *const keywords[] = {"ALL", "AND", "ANY", "AS", "ASC", "BETWEEN", "BY", "CASE",
	"CAST", "COPY", "CREATE", "CROSS", "CUBE", "DESC", "DESCRIBE", "DISTINCT", "DROP", "ELSE",
	"END", "EXCEPT", "EXISTS", "EXPLAIN", "FALSE", "FILTER", "FIRST", "FORMAT", "FROM", "FULL",
	"GROUP", "GROUPING", "HAVING", "ILIKE", "IN", "INNER", "INTERSECT", "INTERVAL", "IS",
	"JOIN", "LAST", "LATERAL", "LEFT", "LIKE", "LIMIT", "NATURAL", "NOT", "NULL", "NULLS",
	"OFFSET", "ON", "OR", "ORDER", "OUTER", "OVER", "PARTITION", "RANGE", "REPLACE", "RESET",
	"RIGHT", "ROLLUP", "ROWS", "SELECT", "SET", "SETS", "SHOW", "SUMMARIZE", "TABLE", "TABLES",
	"TEMP", "THEN", "TO", "TRUE", "UNION", "USING", "VALUES", "VIEW", "WHEN", "WHERE", "WINDOW",
	"WITH", "WITHIN"};

/* Words behind which a table stands. */
static const char *const before_tables[] = {"from", "join", "table", "describe", "summarize",
	"copy", "view", "\\d", ".schema", "\\copy"};

struct completer {
	const struct shell *shell;
	struct catalog all;
	struct arena *arena;
	const char *word;
	size_t size;
	struct completion *out;
};

static void offer(const struct completer *c, const char *item)
{
	if (c->out->count < ITEMS_MAX && strncasecmp(item, c->word, c->size) == 0)
		c->out->items[c->out->count++] = arena_strdup(c->arena, item);
}

/* A name as SQL reads it: in quotes when it must be. */
static void offer_name(const struct completer *c, const char *name)
{
	bool plain = !isdigit((unsigned char)name[0]);
	struct buf text;

	for (const char *at = name; *at; at++)
		plain = plain &&
			(isalnum((unsigned char)*at) || *at == '_' || (unsigned char)*at >= 0x80);
	if (plain) {
		offer(c, name);
		return;
	}
	buf_init(&text, 4096);
	sql_append_quoted(&text, name, '"');
	buf_append_char(&text, '\0');
	if (!buf_overflowed(&text))
		offer(c, text.data);
	buf_release(&text);
}

static void offer_tables(const struct completer *c)
{
	const struct shell *shell = c->shell;

	for (uint32_t t = 0; t < c->all.table_count; t++)
		offer_name(c, c->all.tables[t].name);
	for (uint32_t v = 0; v < sql_views_count(shell->views); v++)
		offer_name(c, sql_views_name(shell->views, v));
}

/* Whether `name` stands in a text as a word. */
static bool is_named(const char *text, const char *name)
{
	size_t size = strlen(name);

	for (const char *at = strcasestr(text, name); at; at = strcasestr(at + 1, name))
		if ((at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_')) &&
			!(isalnum((unsigned char)at[size]) || at[size] == '_'))
			return true;
	return false;
}

/* Of the tables that the statement names, or of all when it names none yet. */
static void offer_columns(const struct completer *c, const char *before, const char *line)
{
	const struct catalog *catalog = &c->all;
	bool any = false;

	for (int all = 0; all < 2 && !any; all++)
		for (uint32_t t = 0; t < catalog->table_count; t++) {
			const struct table_schema *table = &catalog->tables[t];

			if (table->problem || (!all && !is_named(before, table->name) &&
						      !is_named(line, table->name)))
				continue;
			any = true;
			for (uint32_t i = 0; i < table->column_count; i++)
				offer_name(c, table->columns[i].name);
		}
}

/* In the case of the letters that are there. */
static void offer_keywords(const struct completer *c)
{
	bool lower = c->size > 0 && islower((unsigned char)c->word[0]);

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
		char *word = arena_strdup(c->arena, keywords[i]);

		for (char *at = word; *at && lower; at++)
			*at = (char)tolower((unsigned char)*at);
		offer(c, word);
	}
}

static void offer_functions(const struct completer *c)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	for (size_t i = 0; i < count && c->size > 0; i++)
		if (function_is_callable(&entries[i]))
			offer(c, arena_printf(c->arena, "%s(", entries[i].name));
}

static void offer_commands(const struct completer *c)
{
	char text[SHELL_COMMAND_NAME_MAX];

	for (size_t i = 0; command_name(i, text); i++)
		offer(c, text);
}

static void offer_paths(const struct completer *c)
{
	char *pattern = arena_printf(c->arena, "%.*s*", (int)c->size, c->word);
	glob_t found;

	if (glob(pattern, GLOB_MARK | GLOB_TILDE, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			offer(c, found.gl_pathv[i]);
	globfree(&found);
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void sort_items(struct completion *out)
{
	uint32_t kept = 0;

	qsort((void *)out->items, out->count, sizeof(*out->items), compare);
	for (uint32_t i = 0; i < out->count; i++)
		if (kept == 0 || strcmp(out->items[kept - 1], out->items[i]) != 0)
			out->items[kept++] = out->items[i];
	out->count = kept;
}

/* Where the quote is that is open at the cursor; NULL when none is. */
static const char *open_quote(const char *line, size_t cursor)
{
	const char *quote = NULL;

	for (size_t i = 0; i < cursor; i++)
		if (line[i] == '\'')
			quote = quote ? NULL : line + i;
	return quote;
}

static bool continues_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Whether the word before `start` is one behind which a table stands. */
static bool follows_table_word(const char *line, size_t start)
{
	size_t end = start, begin;

	while (end > 0 && isspace((unsigned char)line[end - 1]))
		end--;
	begin = end;
	while (begin > 0 && !isspace((unsigned char)line[begin - 1]))
		begin--;
	for (size_t i = 0; i < sizeof(before_tables) / sizeof(before_tables[0]); i++)
		if (strlen(before_tables[i]) == end - begin &&
			strncasecmp(line + begin, before_tables[i], end - begin) == 0)
			return true;
	return false;
}

/* Commands that take a file. */
static bool takes_path(const char *line)
{
	return strncmp(line, "\\i ", 3) == 0 || strncmp(line, "\\o ", 3) == 0 ||
	       strncmp(line, "\\cd ", 4) == 0 || strncmp(line, ".read ", 6) == 0 ||
	       strncmp(line, ".output ", 8) == 0;
}

void complete_word(struct shell *shell, const char *before, const char *line, size_t cursor,
	struct arena *arena, struct completion *out)
{
	const char *quote = open_quote(line, cursor);
	struct completer c = {.shell = shell, .arena = arena, .out = out};
	size_t start = cursor, first = strspn(line, " \t");
	struct error ignored;

	*out = (struct completion){
		.items = (const char **)arena_alloc(arena, ITEMS_MAX * sizeof(*out->items))};
	if (quote)
		start = (size_t)(quote + 1 - line);
	else if (takes_path(line))
		while (start > 0 && !isspace((unsigned char)line[start - 1]))
			start--;
	else
		while (start > first && continues_name(line[start - 1]))
			start--;
	if (!quote && start == first + 1 && (line[first] == '\\' || line[first] == '.'))
		start = first;
	c.word = line + start;
	c.size = cursor - start;
	out->start = start;
	out->behind = quote ? '\'' : ' ';
	if (shell_tables(shell, arena, &c.all, &ignored))
		c.all.table_count = 0;
	if (quote || takes_path(line)) {
		offer_paths(&c);
	} else if (c.size > 0 && (*c.word == '\\' || *c.word == '.')) {
		offer_commands(&c);
	} else if (follows_table_word(line, start)) {
		offer_tables(&c);
	} else {
		offer_columns(&c, before, line);
		if (start == 0 || line[start - 1] != '.') {
			offer_tables(&c);
			offer_functions(&c);
			offer_keywords(&c);
		}
	}
	sort_items(out);
}
