/*
 * Where statements end, and where variables stand in them: by the lexical rules of PostgreSQL, without
 * its scanner, which wants a text that is whole.
 */
#include "sql/statement.h"

#include <string.h>

enum lexeme_kind {
	LEXEME_BLANK,
	LEXEME_COMMENT,
	LEXEME_WORD,
	LEXEME_QUOTED,
	LEXEME_OTHER, /* one character */
};

struct lexeme {
	enum lexeme_kind kind;
	size_t size;
	char open; /* it does not end in the text: what it began with; 0: it does */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static bool starts_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (unsigned char)c >= 0x80;
}

static bool continues_word(char c)
{
	return starts_word(c) || (c >= '0' && c <= '9') || c == '$';
}

static size_t word_size(const char *text, size_t size)
{
	size_t i = 0;

	while (i < size && continues_word(text[i]))
		i++;
	return i;
}

/* In quotes, from the first one at `start`; a backslash before one is a part of it if `escapes`. */
static struct lexeme quoted(const char *text, size_t size, size_t start, bool escapes)
{
	char quote = text[start];

	for (size_t i = start + 1; i < size; i++) {
		bool escaped = escapes && text[i] == '\\';

		if (i + 1 < size && (escaped || (text[i] == quote && text[i + 1] == quote)))
			i++;
		else if (text[i] == quote)
			return (struct lexeme){LEXEME_QUOTED, i + 1, 0};
	}
	return (struct lexeme){LEXEME_QUOTED, size, quote};
}

/* $tag$ ... $tag$; a dollar that opens nothing is a character. */
static struct lexeme dollar_quoted(const char *text, size_t size)
{
	size_t tag = 1;

	while (tag < size && continues_word(text[tag]) && text[tag] != '$')
		tag++;
	if (tag == size || text[tag] != '$' || (tag > 1 && !starts_word(text[1])))
		return (struct lexeme){LEXEME_OTHER, 1, 0};
	tag++;
	for (size_t i = tag; i + tag <= size; i++)
		if (memcmp(text + i, text, tag) == 0)
			return (struct lexeme){LEXEME_QUOTED, i + tag, 0};
	return (struct lexeme){LEXEME_QUOTED, size, '$'};
}

/* Comments of this kind may stand in one another. */
static struct lexeme block_comment(const char *text, size_t size)
{
	uint32_t depth = 0;

	for (size_t i = 0; i + 1 < size; i++) {
		bool opens = text[i] == '/' && text[i + 1] == '*';
		bool closes = text[i] == '*' && text[i + 1] == '/';

		depth += opens;
		depth -= closes;
		i += opens || closes;
		if (depth == 0)
			return (struct lexeme){LEXEME_COMMENT, i + 1, 0};
	}
	return (struct lexeme){LEXEME_COMMENT, size, '*'};
}

static struct lexeme next_lexeme(const char *text, size_t size)
{
	size_t i = 0;

	if (is_blank(text[0])) {
		while (i < size && is_blank(text[i]))
			i++;
		return (struct lexeme){LEXEME_BLANK, i, 0};
	}
	if (size > 1 && text[0] == '-' && text[1] == '-') {
		while (i < size && text[i] != '\n')
			i++;
		return (struct lexeme){LEXEME_COMMENT, i, 0};
	}
	if (size > 1 && text[0] == '/' && text[1] == '*')
		return block_comment(text, size);
	if ((text[0] == 'e' || text[0] == 'E') && size > 1 && text[1] == '\'')
		return quoted(text, size, 1, true);
	if (text[0] == '\'' || text[0] == '"')
		return quoted(text, size, 0, false);
	if (text[0] == '$')
		return dollar_quoted(text, size);
	if (continues_word(text[0]))
		return (struct lexeme){LEXEME_WORD, word_size(text, size), 0};
	return (struct lexeme){LEXEME_OTHER, 1, 0};
}

struct sql_extent sql_statement_extent(const char *text, size_t size)
{
	struct sql_extent extent = {SQL_END_NONE, size, '\0'};
	uint32_t depth = 0;

	for (size_t i = 0; i < size;) {
		struct lexeme lexeme = next_lexeme(text + i, size - i);

		if (lexeme.open) {
			extent.open = lexeme.open;
			return extent;
		}
		if (lexeme.kind == LEXEME_OTHER && text[i] == '\\')
			return (struct sql_extent){SQL_END_BACKSLASH, i, extent.open};
		if (lexeme.kind == LEXEME_OTHER && text[i] == ';' && depth == 0)
			return (struct sql_extent){SQL_END_SEMICOLON, i + 1, extent.open};
		if (lexeme.kind == LEXEME_OTHER && text[i] == '(')
			depth++;
		if (lexeme.kind == LEXEME_OTHER && text[i] == ')' && depth > 0)
			depth--;
		if (lexeme.kind != LEXEME_BLANK && lexeme.kind != LEXEME_COMMENT)
			extent.open = '-';
		i += lexeme.size;
	}
	if (depth > 0)
		extent.open = '(';
	return extent;
}

void sql_append_quoted(struct buf *out, const char *text, char quote)
{
	buf_append_char(out, quote);
	for (; *text; text++) {
		if (*text == quote)
			buf_append_char(out, quote);
		buf_append_char(out, *text);
	}
	buf_append_char(out, quote);
}

/* A reference to a variable behind a colon at `text`: its size, or 0 when it is none. */
static size_t substitute_one(
	const char *text, size_t size, sql_lookup lookup, void *context, struct buf *out)
{
	char quote = size > 0 && (text[0] == '\'' || text[0] == '"') ? text[0] : '\0';
	const char *name = text + (quote ? 1 : 0);
	size_t length = word_size(name, size - (quote ? 1 : 0));
	const char *value;

	if (length == 0 || (quote && (length + 2 > size || name[length] != quote)))
		return 0;
	value = lookup(context, name, length);
	if (!value)
		return 0;
	if (quote)
		sql_append_quoted(out, value, quote);
	else
		buf_append_text(out, value);
	return length + (quote ? 2 : 0);
}

void sql_substitute(
	const char *text, size_t size, sql_lookup lookup, void *context, struct buf *out)
{
	for (size_t i = 0; i < size;) {
		struct lexeme lexeme = next_lexeme(text + i, size - i);
		size_t taken = 0;

		if (text[i] == ':' && i + 1 < size && text[i + 1] == ':')
			lexeme.size = 2; /* a cast */
		else if (text[i] == ':')
			taken = substitute_one(text + i + 1, size - i - 1, lookup, context, out);
		if (taken)
			lexeme.size = 1 + taken;
		else
			buf_append(out, text + i, lexeme.size);
		i += lexeme.size;
	}
}
