/* The tokens of a path, by the rules of PostgreSQL's lexer. */
#include "column/jsonpath_private.h"

#include "base/utf8.h"

#include <string.h>

bool jsonpath_fail(struct path_reader *r, const char *reason)
{
	if (!r->reason)
		r->reason = reason;
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* What no name has. */
static bool is_mark(char c)
{
	return c != '\0' && strchr("?%$.[]{}()|&!=<>@#,*:-+/", c);
}

static bool in_name(char c)
{
	return !is_mark(c) && !is_blank(c) && c != '"';
}

static bool skip_blanks(struct path_reader *r)
{
	while (r->at < r->end) {
		if (is_blank(*r->at)) {
			r->at++;
			continue;
		}
		if (r->end - r->at < 2 || r->at[0] != '/' || r->at[1] != '*')
			break;
		r->at += 2;
		while (r->end - r->at >= 2 && (r->at[0] != '*' || r->at[1] != '/'))
			r->at++;
		if (r->end - r->at < 2)
			return jsonpath_fail(r, "unexpected end of comment");
		r->at += 2;
	}
	return true;
}

static int hex_value(char c)
{
	if (is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* From `least` to `most` hexadecimal digits. */
static bool read_hex(struct path_reader *r, unsigned least, unsigned most, uint32_t *code)
{
	unsigned digits = 0;

	for (*code = 0; r->at < r->end && digits < most && hex_value(*r->at) >= 0; digits++)
		*code = *code * 16 + (uint32_t)hex_value(*r->at++);
	return digits >= least || jsonpath_fail(r, "invalid hexadecimal character sequence");
}

/* Behind \u: four digits, or one to six in braces. */
static bool read_code(struct path_reader *r, uint32_t *code)
{
	if (r->at == r->end || *r->at != '{')
		return read_hex(r, 4, 4, code);
	r->at++;
	if (!read_hex(r, 1, 6, code) || r->at == r->end || *r->at != '}')
		return jsonpath_fail(r, "invalid Unicode escape sequence");
	r->at++;
	return true;
}

static bool read_unicode(struct path_reader *r, char **out)
{
	uint32_t code, low = 0;

	if (!read_code(r, &code))
		return false;
	if (code >= 0xd800 && code < 0xdc00) {
		if (r->end - r->at < 2 || r->at[0] != '\\' || r->at[1] != 'u')
			return jsonpath_fail(
				r, "Unicode low surrogate must follow a high surrogate");
		r->at += 2;
		if (!read_code(r, &low) || low < 0xdc00 || low >= 0xe000)
			return jsonpath_fail(
				r, "Unicode low surrogate must follow a high surrogate");
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
	} else if (code >= 0xdc00 && code < 0xe000) {
		return jsonpath_fail(r, "Unicode low surrogate must follow a high surrogate");
	}
	if (code == 0 || code > 0x10ffff)
		return jsonpath_fail(r, "unsupported Unicode escape sequence");
	*out = utf8_encode(*out, code);
	return true;
}

/* Behind a backslash. What it makes is never longer than what it was. */
static bool read_escape(struct path_reader *r, char **out)
{
	static const char letters[] = "bfnrtv", values[] = "\b\f\n\r\t\v";
	const char *found;
	uint32_t code;

	if (r->at == r->end)
		return jsonpath_fail(r, "unexpected end after backslash");
	if (*r->at == 'u') {
		r->at++;
		return read_unicode(r, out);
	}
	if (*r->at == 'x') {
		r->at++;
		if (!read_hex(r, 2, 2, &code))
			return false;
		if (code == 0)
			return jsonpath_fail(r, "unsupported Unicode escape sequence");
		*out = utf8_encode(*out, code);
		return true;
	}
	found = *r->at ? strchr(letters, *r->at) : NULL;
	*(*out)++ = found ? values[found - letters] : *r->at;
	r->at++;
	return true;
}

/* Up to a quote, or to what no name has. */
static bool read_characters(struct path_reader *r, bool quoted, struct token *token)
{
	char *room = arena_alloc_bytes(r->arena, (size_t)(r->end - r->at) + 1), *next = room;

	token->plain = !quoted;
	while (r->at < r->end && (quoted ? *r->at != '"' : in_name(*r->at))) {
		if (*r->at == '\0')
			return jsonpath_fail(r, "syntax error");
		if (*r->at != '\\') {
			*next++ = *r->at++;
			continue;
		}
		token->plain = false;
		r->at++;
		if (!read_escape(r, &next))
			return false;
	}
	token->text = text_from(room, (size_t)(next - room));
	if (!quoted)
		return true;
	if (r->at == r->end)
		return jsonpath_fail(r, "unterminated quoted string");
	r->at++;
	return true;
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && is_digit(*at))
		at++;
	return at;
}

/* 12, 1.5, .5, 1., 1e5 */
static bool read_number(struct path_reader *r)
{
	const char *start = r->at, *at = r->at, *mark;

	r->token.kind = TOKEN_NUMBER;
	r->token.whole = true;
	/* No zeros in front. */
	at = *at == '0' ? at + 1 : skip_digits(at, r->end);
	if (at < r->end && *at == '.') {
		r->token.whole = false;
		at = skip_digits(at + 1, r->end);
	}
	if (at < r->end && (*at == 'e' || *at == 'E')) {
		mark = at + 1;
		mark += mark < r->end && (*mark == '+' || *mark == '-');
		if (skip_digits(mark, r->end) > mark) {
			r->token.whole = false;
			at = skip_digits(mark, r->end);
		}
	}
	if (at < r->end && in_name(*at))
		return jsonpath_fail(r, "trailing junk after numeric literal");
	r->token.text = text_from(start, (size_t)(at - start));
	r->at = at;
	return true;
}

static bool read_variable(struct path_reader *r)
{
	r->at++;
	if (r->at < r->end && *r->at == '"') {
		r->at++;
		r->token.kind = TOKEN_VARIABLE;
		return read_characters(r, true, &r->token);
	}
	if (r->at == r->end || !in_name(*r->at)) {
		r->token = (struct token){.kind = TOKEN_MARK, .text = text_from("$", 1)};
		return true;
	}
	r->token.kind = TOKEN_VARIABLE;
	return read_characters(r, false, &r->token);
}

bool jsonpath_next_token(struct path_reader *r)
{
	static const char *const pairs[] = {"&&", "||", "==", "!=", "<>", "<=", ">=", "**"};

	r->token = (struct token){.kind = TOKEN_END};
	if (!skip_blanks(r))
		return false;
	if (r->at == r->end)
		return true;
	if (*r->at == '"') {
		r->at++;
		r->token.kind = TOKEN_STRING;
		return read_characters(r, true, &r->token);
	}
	if (*r->at == '$')
		return read_variable(r);
	if (is_digit(*r->at) || (*r->at == '.' && r->end - r->at > 1 && is_digit(r->at[1])))
		return read_number(r);
	if (in_name(*r->at)) {
		r->token.kind = TOKEN_NAME;
		return read_characters(r, false, &r->token);
	}
	r->token.kind = TOKEN_MARK;
	r->token.text = text_from(r->at, 1);
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (r->end - r->at >= 2 && memcmp(r->at, pairs[i], 2) == 0)
			r->token.text.size = 2;
	r->at += r->token.text.size;
	return true;
}
