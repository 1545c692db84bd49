/* bytea: its functions, and its ways from and to texts. */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "base/sha256.h"
#include "column/bytes_text.h"

#include <string.h>
#include <strings.h>

static int set_text(struct call *call, uint32_t row, const struct buf *buf, struct error *err)
{
	char *to = call_text(call, buf_overflowed(buf) ? UINT64_MAX : buf->size, err);

	if (!to)
		return -1;
	if (buf->size > 0)
		memcpy(to, buf->data, buf->size);
	call->out->text[row] = text_from(to, buf->size);
	return 0;
}

static bool is_named(struct text text, const char *name)
{
	return text.size == strlen(name) && strncasecmp(text.data, name, text.size) == 0;
}

/* -- encode and decode -- */

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
#define BASE64_LINE 76

static void append_base64(struct text bytes, struct buf *out)
{
	size_t start = out->size;

	for (uint32_t i = 0; i < bytes.size; i += 3) {
		uint32_t left = bytes.size - i, word = 0;

		for (uint32_t k = 0; k < 3; k++)
			word = word << 8 | (k < left ? (uint8_t)bytes.data[i + k] : 0);
		for (uint32_t k = 0; k < 4; k++)
			buf_append_char(
				out, k <= left ? base64_digits[word >> (18 - 6 * k) & 63] : '=');
		/* A line break behind each full line, as PostgreSQL has it. */
		if ((out->size - start + 1) % (BASE64_LINE + 1) == 0 && left > 3)
			buf_append_char(out, '\n');
	}
}

static void append_escaped(struct text bytes, struct buf *out)
{
	for (uint32_t i = 0; i < bytes.size; i++) {
		uint8_t byte = (uint8_t)bytes.data[i];

		if (byte == 0 || byte >= 0x80)
			buf_printf(out, "\\%03o", byte);
		else if (byte == '\\')
			buf_append_text(out, "\\\\");
		else
			buf_append_char(out, (char)byte);
	}
}

static int raise_form(struct text form, struct error *err)
{
	return error_set(
		err, ERROR_EVAL, "unrecognized encoding: \"%.*s\"", (int)form.size, form.data);
}

static int run_encode(struct call *call, struct error *err)
{
	struct buf buf;
	int failed = 0;

	buf_init(&buf, (size_t)TEXT_SIZE_MAX + 1);
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i), form = arg_text(&call->args[1], i);

		buf_clear(&buf);
		if (is_named(form, "hex"))
			hex_append(bytes, &buf);
		else if (is_named(form, "base64"))
			append_base64(bytes, &buf);
		else if (is_named(form, "escape"))
			append_escaped(bytes, &buf);
		else
			failed = raise_form(form, err);
		failed = failed ? failed : set_text(call, i, &buf, err);
		if (failed)
			break;
	}
	buf_release(&buf);
	return failed;
}

/* Blanks are skipped; the end is filled up with =. */
static bool decode_base64(struct text text, struct arena *arena, struct text *out)
{
	char *room = arena_alloc_bytes(arena, text.size + 3), *next = room;
	uint32_t word = 0, digits = 0, filled = 0;

	for (uint32_t i = 0; i < text.size; i++) {
		char c = text.data[i];
		const char *found = c ? strchr(base64_digits, c) : NULL;

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
			continue;
		if (c == '=' && digits % 4 >= 2)
			filled++;
		else if (!found || filled)
			return false;
		word = word << 6 | (found && c != '=' ? (uint32_t)(found - base64_digits) : 0);
		if (++digits % 4 != 0)
			continue;
		*next++ = (char)(word >> 16);
		*next++ = (char)(word >> 8);
		*next++ = (char)word;
	}
	*out = text_from(room, (size_t)(next - room) - filled);
	return digits % 4 == 0 && filled <= 2;
}

static int run_decode(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i), form = arg_text(&call->args[1], i);
		struct text *out = &call->out->text[i];
		bool fine;

		if (is_named(form, "hex"))
			fine = hex_text_decode(text, call_arena(call), out);
		else if (is_named(form, "base64"))
			fine = decode_base64(text, call_arena(call), out);
		else if (is_named(form, "escape"))
			fine = (text.size < 2 || memcmp(text.data, "\\x", 2) != 0) &&
			       bytea_parse(text, call_arena(call), out);
		else
			return raise_form(form, err);
		if (!fine)
			return error_set(err, ERROR_EVAL, "these are no bytes in the form %.*s",
				(int)form.size, form.data);
	}
	return 0;
}

/* -- Parts -- */

static int run_length(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	call->out->i64[i] = arg_text(&call->args[0], i).size;
	return 0;
}

static int run_concat(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text a = arg_text(&call->args[0], i), b = arg_text(&call->args[1], i);
		char *to = call_text(call, (uint64_t)a.size + b.size, err);

		if (!to)
			return -1;
		if (a.size > 0)
			memcpy(to, a.data, a.size);
		if (b.size > 0)
			memcpy(to + a.size, b.data, b.size);
		call->out->text[i] = text_from(to, (size_t)a.size + b.size);
	}
	return 0;
}

static int run_substring(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t first = arg_i64(&call->args[1], i), end = (int64_t)bytes.size + 1;

		if (call->arg_count > 2) {
			int64_t count = arg_i64(&call->args[2], i);

			if (count < 0)
				return error_set(
					err, ERROR_EVAL, "negative substring length not allowed");
			end = first + count < end ? first + count : end;
		}
		first = first < 1 ? 1 : first;
		call->out->text[i] =
			first < end ? text_from(bytes.data + first - 1, (size_t)(end - first))
				    : text_from("", 0);
	}
	return 0;
}

static int run_position(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i), part = arg_text(&call->args[1], i);
		const char *found = part.size == 0 ? bytes.data
						   : bytes_find(bytes.data, bytes.data + bytes.size,
							     part.data, part.size);

		call->out->i64[i] = found ? found - bytes.data + 1 : 0;
	}
	return 0;
}

static int raise_index(int64_t at, int64_t size, struct error *err)
{
	return error_set(err, ERROR_EVAL, "index %lld out of valid range, 0..%lld", (long long)at,
		(long long)size - 1);
}

static int run_get_byte(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t at = arg_i64(&call->args[1], i);

		if (at < 0 || at >= bytes.size)
			return raise_index(at, bytes.size, err);
		call->out->i64[i] = (uint8_t)bytes.data[at];
	}
	return 0;
}

/* A copy to change. */
static char *copy_bytes(struct call *call, struct text bytes, struct error *err)
{
	char *to = call_text(call, bytes.size, err);

	if (to)
		text_put(to, bytes);
	return to;
}

static int run_set_byte(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t at = arg_i64(&call->args[1], i);
		char *to;

		if (at < 0 || at >= bytes.size)
			return raise_index(at, bytes.size, err);
		to = copy_bytes(call, bytes, err);
		if (!to)
			return -1;
		to[at] = (char)arg_i64(&call->args[2], i);
		call->out->text[i] = text_from(to, bytes.size);
	}
	return 0;
}

static int run_get_bit(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t at = arg_i64(&call->args[1], i);

		if (at < 0 || at >= (int64_t)bytes.size * 8)
			return raise_index(at, (int64_t)bytes.size * 8, err);
		call->out->i64[i] = (uint8_t)bytes.data[at / 8] >> (at % 8) & 1;
	}
	return 0;
}

static int run_set_bit(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t at = arg_i64(&call->args[1], i), bit = arg_i64(&call->args[2], i);
		uint8_t mask = (uint8_t)(1u << (at & 7));
		char *to;

		if (at < 0 || at >= (int64_t)bytes.size * 8)
			return raise_index(at, (int64_t)bytes.size * 8, err);
		if (bit != 0 && bit != 1)
			return error_set(err, ERROR_EVAL, "new bit must be 0 or 1");
		to = copy_bytes(call, bytes, err);
		if (!to)
			return -1;
		to[at / 8] = (char)(bit ? (uint8_t)to[at / 8] | mask : (uint8_t)to[at / 8] & ~mask);
		call->out->text[i] = text_from(to, bytes.size);
	}
	return 0;
}

static int run_bit_count(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		int64_t count = 0;

		for (uint32_t k = 0; k < bytes.size; k++)
			count += __builtin_popcount((uint8_t)bytes.data[k]);
		call->out->i64[i] = count;
	}
	return 0;
}

static int run_trim(struct call *call, struct error *err)
{
	enum function_id which = call->node->expr->function;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i), set = arg_text(&call->args[1], i);

		while (which != FN_BYTEA_TRIM_RIGHT && bytes.size > 0 && set.size > 0 &&
			memchr(set.data, bytes.data[0], set.size)) {
			bytes.data++;
			bytes.size--;
		}
		while (which != FN_BYTEA_TRIM_LEFT && bytes.size > 0 && set.size > 0 &&
			memchr(set.data, bytes.data[bytes.size - 1], set.size))
			bytes.size--;
		call->out->text[i] = bytes;
	}
	return 0;
}

static int run_overlay(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i), by = arg_text(&call->args[1], i);
		int64_t from = arg_i64(&call->args[2], i), size = bytes.size;
		int64_t count = call->arg_count > 3 ? arg_i64(&call->args[3], i) : by.size;
		int64_t head = from - 1 < size ? from - 1 : size, tail = from + count - 1;
		char *to, *start;

		if (from <= 0)
			return error_set(err, ERROR_EVAL, "negative substring length not allowed");
		if (from + count > INT32_MAX)
			return error_integer_range(TYPE_INT, err);
		tail = tail < 0 ? 0 : tail > size ? size : tail;
		start = to = call_text(call, (uint64_t)(head + size - tail) + by.size, err);
		if (!to)
			return -1;
		to = text_put(to, text_from(bytes.data, (size_t)head));
		to = text_put(to, by);
		to = text_put(to, text_from(bytes.data + tail, (size_t)(size - tail)));
		call->out->text[i] = text_from(start, (size_t)(to - start));
	}
	return 0;
}

static int run_sha256(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text bytes = arg_text(&call->args[0], i);
		struct sha256 digest = sha256(bytes.data, bytes.size);
		char *to = call_text(call, SHA256_SIZE, err);

		if (!to)
			return -1;
		memcpy(to, digest.bytes, SHA256_SIZE);
		call->out->text[i] = text_from(to, SHA256_SIZE);
	}
	return 0;
}

static int run_float_send(struct call *call, struct error *err)
{
	bool is_real = call->args[0].type.kind == TYPE_REAL;
	uint32_t size = is_real ? 4 : 8;

	FOR_EACH_ROW(&call->rows, i)
	{
		double value = arg_f64(&call->args[0], i);
		float narrow = (float)value;
		char *to = call_text(call, size, err);
		uint64_t bits = 0;

		if (!to)
			return -1;
		memcpy(&bits, is_real ? (void *)&narrow : (void *)&value, size);
		for (uint32_t k = 0; k < size; k++)
			to[k] = (char)(bits >> (8 * (size - 1 - k)));
		call->out->text[i] = text_from(to, size);
	}
	return 0;
}

/* convert_from and convert_to: texts are UTF-8 already. */
static int run_convert(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text form = arg_text(&call->args[1], i);

		if (!is_named(form, "utf8") && !is_named(form, "utf-8") &&
			!is_named(form, "unicode"))
			return error_set(err, ERROR_EVAL,
				"the encoding %.*s is not supported, only UTF8", (int)form.size,
				form.data);
		call->out->text[i] = arg_text(&call->args[0], i);
	}
	return 0;
}

const struct kernel *kernel_bytes_find(const struct expr *expr)
{
	static const struct kernel kernels[] = {
		[FN_ENCODE] = {.run = run_encode},
		[FN_DECODE] = {.run = run_decode},
		[FN_BYTEA_LENGTH] = {.run = run_length},
		[FN_BYTEA_CONCAT] = {.run = run_concat},
		[FN_BYTEA_SUBSTRING] = {.run = run_substring},
		[FN_BYTEA_POSITION] = {.run = run_position},
		[FN_CONVERT_FROM] = {.run = run_convert},
		[FN_CONVERT_TO] = {.run = run_convert},
		[FN_GET_BYTE] = {.run = run_get_byte},
		[FN_SET_BYTE] = {.run = run_set_byte},
		[FN_GET_BIT] = {.run = run_get_bit},
		[FN_SET_BIT] = {.run = run_set_bit},
		[FN_BIT_COUNT] = {.run = run_bit_count},
		[FN_BYTEA_TRIM_BOTH] = {.run = run_trim},
		[FN_BYTEA_TRIM_LEFT] = {.run = run_trim},
		[FN_BYTEA_TRIM_RIGHT] = {.run = run_trim},
		[FN_BYTEA_OVERLAY] = {.run = run_overlay},
		[FN_SHA256] = {.run = run_sha256},
		[FN_FLOAT_SEND] = {.run = run_float_send},
	};

	if (expr->function >= sizeof(kernels) / sizeof(*kernels) || !kernels[expr->function].run)
		return NULL;
	return &kernels[expr->function];
}
