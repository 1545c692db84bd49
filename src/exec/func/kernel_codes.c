/*
 * Functions of single characters and of notations: codes, translations, digests, quoted names and
 * literals.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "base/md5.h"
#include "base/utf8.h"
#include "exec/func/quote.h"

#include <stdio.h>
#include <string.h>

static const char *end_of(struct text text)
{
	return text.data + text.size;
}

/* -- Codes -- */

static int run_ascii(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		size_t length;
		uint32_t code = text.size ? utf8_decode(text.data, text.size, &length) : 0;

		/* A byte that is no character is its own code. */
		call->out->i64[i] = code == UTF8_INVALID ? (unsigned char)text.data[0] : code;
	}
	return 0;
}

static bool is_character(int64_t code)
{
	return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

static int run_chr(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		int64_t code = arg_i64(&call->args[0], i);
		char bytes[4];

		if (code < 0)
			return error_set(err, ERROR_EVAL, "character number must be positive");
		if (code == 0)
			return error_set(err, ERROR_EVAL, "null character not permitted");
		if (code > 0x10ffff)
			return error_set(err, ERROR_EVAL,
				"requested character too large for encoding: %lld",
				(long long)code);
		if (!is_character(code))
			return error_set(err, ERROR_EVAL,
				"requested character not valid for encoding: %lld",
				(long long)code);
		if (call_set_text(call, i, bytes,
			    (size_t)(utf8_encode(bytes, (uint32_t)code) - bytes), err) < 0)
			return -1;
	}
	return 0;
}

static int run_bit_length(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = 8 * (int64_t)arg_text(&call->args[0], i).size;
	return 0;
}

/* Negative numbers in two's complement of their type's bits. */
static int run_to_hex(struct call *call, struct error *err)
{
	bool is_int = call->args[0].type.kind == TYPE_INT;

	FOR_EACH_ROW(&call->rows, i)
	{
		uint64_t value = (uint64_t)arg_i64(&call->args[0], i);
		char digits[17];
		int size = snprintf(digits, sizeof(digits), "%llx",
			(unsigned long long)(is_int ? (uint32_t)value : value));

		if (call_set_text(call, i, digits, (size_t)size, err) < 0)
			return -1;
	}
	return 0;
}

static int run_md5(struct call *call, struct error *err)
{
	static const char hex[] = "0123456789abcdef";

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		uint8_t digest[MD5_SIZE];
		char digits[2 * MD5_SIZE];

		md5(text.data, text.size, digest);
		for (size_t k = 0; k < MD5_SIZE; k++) {
			digits[2 * k] = hex[digest[k] >> 4];
			digits[2 * k + 1] = hex[digest[k] & 15];
		}
		if (call_set_text(call, i, digits, sizeof(digits), err) < 0)
			return -1;
	}
	return 0;
}

/* -- Parts replaced -- */

/* What stands in `to` where [at, next) stands in `from`; false when it does not stand there. */
static bool translated(
	struct text from, struct text to, const char *at, const char *next, struct text *out)
{
	const char *f = from.data, *t = to.data;
	size_t size = (size_t)(next - at);

	while (f < end_of(from)) {
		const char *f_next = utf8_next(f, end_of(from));
		const char *t_next = t < end_of(to) ? utf8_next(t, end_of(to)) : t;

		if ((size_t)(f_next - f) == size && memcmp(f, at, size) == 0) {
			*out = text_from(t, (size_t)(t_next - t));
			return true;
		}
		f = f_next;
		t = t_next;
	}
	return false;
}

static int run_translate(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct text from = arg_text(&call->args[1], i);
		struct text to = arg_text(&call->args[2], i);
		/* A character of one byte may become one of four. */
		char *start = call_text(call, 4 * (uint64_t)text.size, err);
		char *end = start;

		if (!start)
			return -1;
		for (const char *at = text.data; at < end_of(text);) {
			const char *next = utf8_next(at, end_of(text));
			struct text part = text_from(at, (size_t)(next - at));

			/* What utf8_next takes for a character may be any number of stray bytes. */
			(void)translated(from, to, at, next, &part);
			if (part.size > 4)
				part.size = 4;
			end = text_put(end, part);
			at = next;
		}
		call->out->text[i] = text_from(start, (size_t)(end - start));
	}
	return 0;
}

static const char *skip(const char *at, const char *end, int64_t count)
{
	for (; count > 0 && at < end; count--)
		at = utf8_next(at, end);
	return at;
}

static int run_overlay(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct text by = arg_text(&call->args[1], i);
		int64_t from = arg_i64(&call->args[2], i);
		int64_t count =
			call->arg_count > 3 ? arg_i64(&call->args[3], i) : (int64_t)utf8_length(by);
		const char *head, *tail;
		char *to;

		if (from <= 0)
			return error_set(err, ERROR_EVAL, "negative substring length not allowed");
		if (from + count > INT32_MAX)
			return error_integer_range(TYPE_INT, err);
		head = skip(text.data, end_of(text), from - 1);
		tail = skip(text.data, end_of(text), from + count - 1);
		to = call_text(call,
			(uint64_t)(head - text.data) + by.size + (uint64_t)(end_of(text) - tail),
			err);
		if (!to)
			return -1;
		call->out->text[i].data = to;
		to = text_put(to, text_from(text.data, (size_t)(head - text.data)));
		to = text_put(to, by);
		to = text_put(to, text_from(tail, (size_t)(end_of(text) - tail)));
		call->out->text[i].size = (uint32_t)(to - call->out->text[i].data);
	}
	return 0;
}

/* -- unistr -- */

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* `count` hexadecimal digits; false when they are not there. */
static bool read_hex(const char *at, const char *end, unsigned count, uint32_t *code)
{
	*code = 0;
	if ((size_t)(end - at) < count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		int digit = hex_digit(at[i]);

		if (digit < 0)
			return false;
		*code = *code << 4 | (uint32_t)digit;
	}
	return true;
}

/* What stands behind a backslash: xxxx, +xxxxxx, uxxxx or Uxxxxxxxx. Returns its bytes, 0 when wrong. */
static size_t read_escape(const char *at, const char *end, uint32_t *code)
{
	static const struct {
		char mark;
		unsigned digits;
	} forms[] = {{'+', 6}, {'u', 4}, {'U', 8}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (at < end && *at == forms[i].mark)
			return read_hex(at + 1, end, forms[i].digits, code) ? forms[i].digits + 1
									    : 0;
	return read_hex(at, end, 4, code) ? 4 : 0;
}

/* The characters of a text with escapes; surrogates come in pairs. */
static int unescape(struct text text, char *to, const char **out_end, struct error *err)
{
	uint32_t high = 0, code;

	for (const char *at = text.data, *end = end_of(text); at < end;) {
		size_t size;

		if (*at != '\\' || (at + 1 < end && at[1] == '\\')) {
			if (high)
				return error_set(err, ERROR_EVAL, "invalid Unicode surrogate pair");
			*to++ = *at;
			at += *at == '\\' ? 2 : 1;
			continue;
		}
		size = read_escape(at + 1, end, &code);
		if (size == 0)
			return error_set(err, ERROR_EVAL, "invalid Unicode escape");
		at += 1 + size;
		if (code == 0 || code > 0x10ffff)
			return error_set(err, ERROR_EVAL, "invalid Unicode code point: %04X", code);
		if ((code >= 0xdc00 && code <= 0xdfff) != (high != 0))
			return error_set(err, ERROR_EVAL, "invalid Unicode surrogate pair");
		if (code >= 0xd800 && code <= 0xdbff) {
			high = code;
			continue;
		}
		if (high)
			code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
		high = 0;
		to = utf8_encode(to, code);
	}
	if (high)
		return error_set(err, ERROR_EVAL, "invalid Unicode surrogate pair");
	*out_end = to;
	return 0;
}

static int run_unistr(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		/* No escape is shorter than its character. */
		char *start = call_text(call, text.size, err);
		const char *end = start;

		if (!start || unescape(text, start, &end, err) < 0)
			return -1;
		call->out->text[i] = text_from(start, (size_t)(end - start));
	}
	return 0;
}

/* -- Quotes -- */

void append_quoted_literal(struct text text, struct buf *out)
{
	bool escaped = text.size > 0 && memchr(text.data, '\\', text.size);

	if (escaped)
		buf_append_char(out, 'E');
	buf_append_char(out, '\'');
	for (uint32_t i = 0; i < text.size; i++) {
		if (text.data[i] == '\'' || text.data[i] == '\\')
			buf_append_char(out, text.data[i]);
		buf_append_char(out, text.data[i]);
	}
	buf_append_char(out, '\'');
}

/* Words of the grammar that are no name without quotes: all but PostgreSQL's unreserved ones. */
static const char reserved_words[] =
	" all analyse analyze and any array as asc asymmetric authorization between"
	" bigint binary bit boolean both case cast char character check coalesce"
	" collate collation column concurrently constraint create cross"
	" current_catalog current_date current_role current_schema current_time"
	" current_timestamp current_user dec decimal default deferrable desc distinct"
	" do else end except exists extract false fetch float for foreign freeze from"
	" full grant greatest group grouping having ilike in initially inner inout int"
	" integer intersect interval into is isnull join lateral leading least left"
	" like limit localtime localtimestamp national natural nchar none normalize"
	" not notnull null nullif numeric offset on only or order out outer overlaps"
	" overlay placing position precision primary real references returning right"
	" row select session_user setof similar smallint some substring symmetric"
	" table tablesample then time timestamp to trailing treat trim true union"
	" unique user using values varchar variadic verbose when where window with"
	" xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces"
	" xmlparse xmlpi xmlroot xmlserialize xmltable ";

/* `text` has neither blanks nor capitals. */
static bool is_reserved(struct text text)
{
	const char *end = reserved_words + sizeof(reserved_words) - 1;

	for (const char *at = reserved_words; at + text.size + 2 <= end; at++)
		if (*at == ' ' && at[1 + text.size] == ' ' &&
			memcmp(at + 1, text.data, text.size) == 0)
			return true;
	return false;
}

static bool is_plain_name(struct text text)
{
	for (uint32_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		bool letter = (c >= 'a' && c <= 'z') || c == '_';

		if (!letter && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return text.size > 0 && !is_reserved(text);
}

void append_quoted_name(struct text text, struct buf *out)
{
	if (is_plain_name(text)) {
		buf_append(out, text.data, text.size);
		return;
	}
	buf_append_char(out, '"');
	for (uint32_t i = 0; i < text.size; i++) {
		if (text.data[i] == '"')
			buf_append_char(out, '"');
		buf_append_char(out, text.data[i]);
	}
	buf_append_char(out, '"');
}

static int run_quoted(struct call *call, struct error *err)
{
	bool is_name = call->node->expr->function == FN_QUOTE_IDENT;
	struct buf buf;
	int status = 0;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		buf_clear(&buf);
		(is_name ? append_quoted_name : append_quoted_literal)(
			arg_text(&call->args[0], i), &buf);
		status = call_set_buf(call, i, &buf, err);
		if (status < 0)
			break;
	}
	buf_release(&buf);
	return status;
}

const struct kernel *kernel_codes_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_ASCII] = {.run = run_ascii},
		[FN_CHR] = {.run = run_chr},
		[FN_BIT_LENGTH] = {.run = run_bit_length},
		[FN_TO_HEX] = {.run = run_to_hex},
		[FN_MD5] = {.run = run_md5},
		[FN_TRANSLATE] = {.run = run_translate},
		[FN_OVERLAY] = {.run = run_overlay},
		[FN_UNISTR] = {.run = run_unistr},
		[FN_QUOTE_LITERAL] = {.run = run_quoted},
		[FN_QUOTE_IDENT] = {.run = run_quoted},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
