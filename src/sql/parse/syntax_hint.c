/*
 * What people write who know another database, and how PostgreSQL says it: text for an error of the
 * grammar, which knows nothing of it.
 */
#include "sql/parse/source.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX  16
#define WORDS_MAX 4

/* The words before a place, the nearest first, and the one at it. */
struct surroundings {
	char first[WORD_MAX]; /* of the text */
	char at[WORD_MAX];    /* a word, or a character that is none */
	char before[WORDS_MAX][WORD_MAX];
};

static bool is_word_byte(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* The word that begins at `text`, in lower case. */
static void take_word(const char *text, char word[WORD_MAX])
{
	size_t size = 0;

	while (size < WORD_MAX - 1 && is_word_byte(text[size])) {
		word[size] = (char)tolower((unsigned char)text[size]);
		size++;
	}
	if (size == 0 && *text)
		word[size++] = *text;
	word[size] = '\0';
}

static struct surroundings look_around(const char *text, int32_t location)
{
	struct surroundings around = {0};
	size_t at = location < 0 ? 0 : (size_t)location;

	take_word(text + strspn(text, " \t\r\n"), around.first);
	take_word(text + at, around.at);
	for (int i = 0; i < WORDS_MAX; i++) {
		while (at > 0 && isspace((unsigned char)text[at - 1]))
			at--;
		if (at == 0)
			break;
		at--;
		while (at > 0 && is_word_byte(text[at]) && is_word_byte(text[at - 1]))
			at--;
		take_word(text + at, around.before[i]);
	}
	return around;
}

/* One of these words stands there, whose sense is a condition of its own. */
static bool has_word_before(const char *text, int32_t location, const char *word)
{
	size_t size = strlen(word);

	for (int32_t i = 0; i + (int32_t)size <= location; i++)
		if ((i == 0 || !is_word_byte(text[i - 1])) &&
			!is_word_byte(text[i + (int32_t)size]) &&
			strncasecmp(text + i, word, size) == 0)
			return true;
	return false;
}

static const struct first_word {
	const char *word;
	const char *hint;
} first_words[] = {
	{"from", "begin with SELECT * FROM"},
	{"pragma", "DESCRIBE table lists its columns, SHOW ALL the settings"},
	{"use", "there are no databases: \\cd FOLDER goes to other files"},
	{"attach", "files are tables already: SELECT * FROM 'file.csv'"},
	{"install", "there are no extensions, and none is needed"},
	{"pivot", "SELECT a, sum(x) FILTER (WHERE b = 1) AS b1, ... GROUP BY a"},
	{"unpivot", "CROSS JOIN LATERAL (VALUES ('a', a), ('b', b)) AS u (name, value)"},
	{"exit", "\\q leaves the shell"},
	{"quit", "\\q leaves the shell"},
};

const char *syntax_hint(const char *text, int32_t location)
{
	const struct surroundings around = look_around(text, location);
	const char *before = around.before[0];

	if (has_word_before(text, location, "qualify") || strcmp(around.at, "qualify") == 0)
		return "QUALIFY is not PostgreSQL's: SELECT * FROM (SELECT *, row_number() OVER "
		       "(...) AS n FROM ...) AS s WHERE n = 1";
	if (strcmp(before, "all") == 0 && strcmp(around.before[1], "by") == 0)
		return "BY ALL is not PostgreSQL's: name the expressions, or their places, as in "
		       "BY 1, 2";
	if (strcmp(around.at, "all") == 0 && strcmp(before, "by") == 0)
		return "BY ALL is not PostgreSQL's: name the expressions, or their places, as in "
		       "BY 1, 2";
	if (strcmp(before, "*") == 0 &&
		(strcmp(around.at, "exclude") == 0 || strcmp(around.at, "replace") == 0 ||
			strcmp(around.at, "rename") == 0))
		return "* has no EXCLUDE, REPLACE and RENAME in PostgreSQL: name the columns; "
		       "DESCRIBE lists them";
	if (strcmp(before, "(") == 0 && strcmp(around.before[1], "except") == 0 &&
		strcmp(around.before[2], "*") == 0)
		return "* has no EXCEPT in PostgreSQL: name the columns; DESCRIBE lists them";
	if (strcmp(before, "top") == 0 && strcmp(around.before[1], "select") == 0)
		return "LIMIT n at the end says how many rows";
	if (strcmp(around.at, "[") == 0 || (location > 0 && memchr(text, '`', (size_t)location)))
		return "names with special characters stand in double quotes";
	if (strcmp(around.at, "/") == 0 &&
		(strcmp(around.before[1], "from") == 0 || strcmp(around.before[1], "join") == 0))
		return "a file's name stands in quotes: FROM 'dir/file.csv'";
	for (size_t i = 0; i < sizeof(first_words) / sizeof(first_words[0]); i++)
		if (strcmp(around.first, first_words[i].word) == 0)
			return first_words[i].hint;
	return NULL;
}
