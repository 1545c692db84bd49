/*
 * Where statements end, and where variables stand in them: by the lexical rules of PostgreSQL, without
 * its scanner, which wants a text that is whole.
 */
#include "sql/statement.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

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

/* -- Prepared statements -- */

/* The number behind a dollar at `text`; 0 when there is none. */
static uint32_t parameter_number(const char *text, size_t size, size_t *length)
{
	uint32_t number = 0;

	for (*length = 0; *length < size && isdigit((unsigned char)text[*length]); (*length)++)
		if (number < 10000)
			number = number * 10 + (uint32_t)(text[*length] - '0');
	return number;
}

uint32_t sql_put_parameters(struct sql_part text, uint32_t count, const char *const *values,
	struct buf *out, int32_t *location)
{
	uint32_t greatest = 0;

	*location = -1;
	for (size_t i = 0; i < text.size;) {
		struct lexeme lexeme = next_lexeme(text.text + i, text.size - i);
		uint32_t number = 0;
		size_t length;

		if (lexeme.kind == LEXEME_OTHER && text.text[i] == '$')
			number = parameter_number(text.text + i + 1, text.size - i - 1, &length);
		if (number > greatest) {
			greatest = number;
			*location = (int32_t)i;
		}
		if (number > 0)
			lexeme.size = 1 + length;
		if (number > 0 && number <= count)
			buf_append_text(out, values[number - 1]);
		else
			buf_append(out, text.text + i, lexeme.size);
		i += lexeme.size;
	}
	return greatest;
}

/* The next lexeme that is neither blank nor a comment; of size 0 at the end. */
static struct sql_part next_part(const char **at)
{
	while (**at) {
		struct lexeme lexeme = next_lexeme(*at, strlen(*at));
		struct sql_part part = {*at, lexeme.size};

		*at += lexeme.size;
		if (lexeme.kind != LEXEME_BLANK && lexeme.kind != LEXEME_COMMENT)
			return part;
	}
	return (struct sql_part){*at, 0};
}

static bool part_is(struct sql_part part, const char *word)
{
	return part.size == strlen(word) && strncasecmp(part.text, word, part.size) == 0;
}

/* What stands between parentheses, cut at its commas; `at` is behind the first one. */
static bool read_parts(const char **at, struct sql_prepared *out)
{
	uint32_t depth = 0;
	const char *start = *at;

	for (;;) {
		struct sql_part part = next_part(at);
		bool ends = depth == 0 && (part_is(part, ")") || part_is(part, ","));

		if (part.size == 0 || (ends && out->part_count == SQL_PARAMETERS_MAX))
			return false;
		if (ends) {
			out->parts[out->part_count++] =
				(struct sql_part){start, (size_t)(part.text - start)};
			start = *at;
		}
		if (depth == 0 && part_is(part, ")"))
			return true;
		depth += part_is(part, "(") || part_is(part, "[");
		depth -= part_is(part, ")") || part_is(part, "]");
	}
}

/* Nothing but a semicolon stands there. */
static bool is_end(const char *at)
{
	struct sql_part part = next_part(&at);

	return part.size == 0 || (part_is(part, ";") && next_part(&at).size == 0);
}

bool sql_prepared_read(const char *text, struct sql_prepared *out)
{
	struct sql_part part = next_part(&text);
	const char *behind;

	*out = (struct sql_prepared){.kind = part_is(part, "prepare")	   ? SQL_PREPARE
					     : part_is(part, "execute")	   ? SQL_EXECUTE
					     : part_is(part, "deallocate") ? SQL_DEALLOCATE
									   : SQL_NOT_PREPARED};
	if (out->kind == SQL_NOT_PREPARED)
		return true;
	out->name = next_part(&text);
	if (out->kind == SQL_DEALLOCATE && part_is(out->name, "prepare"))
		out->name = next_part(&text);
	if (out->name.size == 0 || !(starts_word(*out->name.text) || *out->name.text == '"'))
		return false;
	behind = text;
	if (out->kind != SQL_DEALLOCATE && part_is(next_part(&behind), "(")) {
		text = behind;
		if (!read_parts(&text, out))
			return false;
	}
	if (out->kind != SQL_PREPARE)
		return is_end(text);
	if (!part_is(next_part(&text), "as"))
		return false;
	out->statement = (struct sql_part){text, strlen(text)};
	return true;
}
