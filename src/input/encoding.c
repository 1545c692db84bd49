#include "input/encoding_private.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <ctype.h>
#include <errno.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define INPUT_BYTES (64u << 10)
/* iconv makes at most four bytes of UTF-8 of two of anything; some have a character a byte. */
#define OUTPUT_BYTES (ENCODING_GROWTH * INPUT_BYTES)

struct encoding_stream {
	struct stream stream; /* first */
	struct stream *bytes;
	const char *path;
	struct encoding encoding;
	iconv_t iconv; /* unless it is Windows-1252 */
	bool has_iconv;
	bool ended; /* there are no more bytes */
	bool begun; /* something came out */
	uint64_t lines;
	size_t mark_left;
	char *input;
	size_t input_size;
	char *output;
	size_t output_begin;
	size_t output_end;
};

/* --- Windows-1252 --------------------------------------------------------------------------------
 */

/* 0x80 to 0x9f; from 0xa0 on it is Latin-1. Bytes that stand for nothing are control characters. */
static const uint16_t windows_1252[32] = {0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020,
	0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018,
	0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153,
	0x009d, 0x017e, 0x0178};

/* Returns the end of what was written, ENCODING_GROWTH times `size` bytes at most. */
static char *from_windows_1252(const char *text, size_t size, char *out)
{
	const char *end = text + size;

	while (text < end) {
		unsigned char c = (unsigned char)*text;
		uint64_t word;

		if ((size_t)(end - text) >= sizeof(word)) {
			memcpy(&word, text, sizeof(word));
			if (!(word & UINT64_C(0x8080808080808080))) {
				memcpy(out, &word, sizeof(word));
				text += sizeof(word);
				out += sizeof(word);
				continue;
			}
		}
		out = utf8_encode(out, c >= 0x80 && c < 0xa0 ? windows_1252[c - 0x80] : c);
		text++;
	}
	return out;
}

static void append_line(const char *line, size_t size, struct buf *out)
{
	char *to = buf_reserve(out, ENCODING_GROWTH * size);

	if (to)
		out->size += (size_t)(from_windows_1252(line, size, to) - to);
}

/* Also a carriage return alone: in some files nothing else does. */
static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

bool encoding_mend_lines(const char *text, size_t size, struct buf *out)
{
	size_t done = 0, valid = utf8_valid_size(text, size);
	bool any = valid < size;

	/* Each turn: up to the line that holds the first bad byte, and this line. */
	while (valid < size) {
		size_t start = valid, end = valid;

		while (start > done && !ends_line(text[start - 1]))
			start--;
		while (end < size && !ends_line(text[end]))
			end++;
		buf_append(out, text + done, start - done);
		append_line(text + start, end - start, out);
		done = end;
		valid = done + utf8_valid_size(text + done, size - done);
	}
	if (any)
		buf_append(out, text + done, size - done);
	return any;
}

/* The first of them; NULL when there is none. */
static const char *find_control(const char *text, const char *end)
{
	while ((text = memchr(text, 0xc2, (size_t)(end - text))) != NULL && end - text > 1) {
		if ((unsigned char)text[1] < 0xa0)
			return text;
		text++;
	}
	return NULL;
}

bool encoding_mend_controls(const char *text, size_t size, struct buf *out)
{
	const char *end = text + size, *at = find_control(text, end);
	bool any = at != NULL;

	for (; at; at = find_control(text, end)) {
		char character[4];
		char *to = utf8_encode(character, windows_1252[(unsigned char)at[1] - 0x80]);

		buf_append(out, text, (size_t)(at - text));
		buf_append(out, character, (size_t)(to - character));
		text = at + 2;
	}
	if (any)
		buf_append(out, text, (size_t)(end - text));
	return any;
}

/* --- names ---------------------------------------------------------------------------------------
 */

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcasecmp(name, *names) == 0)
			return true;
	return false;
}

int encoding_find(struct encoding *out, const char *name, struct error *err)
{
	static const char *const utf8[] = {"utf-8", "utf8", "utf_8", "ascii", "us-ascii", NULL};
	static const char *const mixed[] = {"mixed", NULL};
	static const char *const windows[] = {"windows-1252", "windows1252", "cp1252", NULL};
	static const char *const latin[] = {"latin-1", "latin1", "iso-8859-1", "iso8859-1", NULL};
	size_t size = strlen(name);
	bool plain = size > 0 && size <= ENCODING_NAME_MAX;
	iconv_t found;

	*out = (struct encoding){0};
	/* Others mean something to iconv_open: a slash asks for approximations. */
	for (size_t i = 0; plain && i < size; i++)
		plain = isalnum((unsigned char)name[i]) || strchr("-_.:+", name[i]);
	if (plain) {
		snprintf(out->name, sizeof(out->name), "%s",
			is_one_of(name, latin) ? "ISO-8859-1" : name);
		out->is_mixed = is_one_of(name, mixed);
		out->is_utf8 = out->is_mixed || is_one_of(name, utf8);
		out->is_windows_1252 = is_one_of(name, windows);
		if (out->is_utf8 || out->is_windows_1252)
			return 0;
		found = iconv_open("UTF-8", out->name);
		if (found != (iconv_t)-1) {
			iconv_close(found);
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE,
		"there is no encoding \"%.*s\": utf-8, utf-16, latin1, windows-1252, mixed, or one "
		"that "
		"`iconv -l` lists",
		ENCODING_NAME_MAX, name);
}

bool encoding_of_mark(struct encoding *out, const char *start, size_t size)
{
	/* Longer marks before those that they begin with. */
	static const struct {
		const char *name;
		const char *mark;
		uint32_t size;
	} marks[] = {
		{"UTF-8", "\xef\xbb\xbf", 3},
		{"UTF-32LE", "\xff\xfe\0\0", 4},
		{"UTF-32BE", "\0\0\xfe\xff", 4},
		{"UTF-16LE", "\xff\xfe", 2},
		{"UTF-16BE", "\xfe\xff", 2},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (size < marks[i].size || memcmp(start, marks[i].mark, marks[i].size) != 0)
			continue;
		*out = (struct encoding){.is_utf8 = i == 0, .mark_size = marks[i].size};
		snprintf(out->name, sizeof(out->name), "%s", marks[i].name);
		return true;
	}
	return false;
}

/* Whether the part ends in the middle of what may be a character: `size` bytes are left of it. */
static bool is_cut_character(const char *text, size_t size)
{
	if (size > 3 || (unsigned char)text[0] < 0xc2 || (unsigned char)text[0] > 0xf4)
		return false;
	for (size_t i = 1; i < size; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return false;
	return true;
}

/* Windows-1252 has no character for it. */
static bool is_strange(unsigned char byte)
{
	return byte >= 0x80 && byte < 0xa0 && windows_1252[byte - 0x80] == byte;
}

void encoding_weigh(struct encoding_evidence *evidence, const char *part, size_t size,
	bool at_start, bool at_end)
{
	uint64_t faults = evidence->faults;
	size_t at = 0;

	while (!at_start && at < size && at < 3 && ((unsigned char)part[at] & 0xc0) == 0x80)
		at++;
	while (at < size) {
		size_t length;
		uint32_t c;

		at += utf8_ascii_size(part + at, size - at);
		if (at == size)
			break;
		c = utf8_decode(part + at, size - at, &length);
		evidence->controls += c < 0xa0;
		if (c != UTF8_INVALID)
			evidence->characters++;
		else if (!at_end && is_cut_character(part + at, size - at))
			break;
		else
			evidence->faults++;
		if (c == UTF8_INVALID)
			evidence->strange += is_strange((unsigned char)part[at]);
		at += length;
	}
	if (evidence->faults > faults)
		encoding_weigh_letters(evidence, part, size);
}

/* --- a stream ------------------------------------------------------------------------------------
 */

static int not_so(const struct encoding_stream *text, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s: line %llu is not %s, which is %s; --encoding NAME, or encoding = 'NAME' in "
		"WITH (...), says what it is",
		text->path, (unsigned long long)text->lines + 1, text->encoding.name,
		text->encoding.mark_size ? "what its first bytes promise"
					 : "what it is said to be");
}

/* Makes text of the input, or sets `ended`. */
static int convert(struct encoding_stream *text, struct error *err)
{
	char *in = text->input, *out = text->output;
	size_t left = text->input_size, room = OUTPUT_BYTES;
	int status = 0;

	if (text->encoding.is_windows_1252) {
		out = from_windows_1252(in, left, out);
		left = 0;
	} else if (iconv(text->iconv, &in, &left, &out, &room) == (size_t)-1) {
		/* A character that is not all there may wait for the rest of it. */
		if (errno != E2BIG && (errno != EINVAL || text->ended))
			status = -1;
	} else if (text->ended) {
		/* Some encodings wait for what may follow a letter. */
		iconv(text->iconv, NULL, NULL, &out, &room);
	}
	text->output_begin = 0;
	text->output_end = (size_t)(out - text->output);
	for (size_t i = 0; i < text->output_end; i++)
		text->lines += text->output[i] == '\n';
	memmove(text->input, in, left);
	text->input_size = left;
	return status < 0 ? not_so(text, err) : 0;
}

/* A mark that iconv has made a character of. */
static void skip_mark(struct encoding_stream *text)
{
	if (!text->begun && text->output_end >= 3 && !memcmp(text->output, "\xef\xbb\xbf", 3))
		text->output_begin = 3;
	text->begun = text->begun || text->output_end > 0;
}

static int fill(struct encoding_stream *text, struct error *err)
{
	ssize_t count;

	while (text->mark_left > 0) {
		count = stream_read(text->bytes, text->input, text->mark_left, err);
		if (count < 0)
			return -1;
		text->mark_left = 0;
	}
	count = stream_read(
		text->bytes, text->input + text->input_size, INPUT_BYTES - text->input_size, err);
	if (count < 0)
		return -1;
	text->ended = (size_t)count < INPUT_BYTES - text->input_size;
	text->input_size += (size_t)count;
	if (convert(text, err) < 0)
		return -1;
	skip_mark(text);
	return 0;
}

static ssize_t text_read(struct stream *stream, char *data, size_t size, struct error *err)
{
	struct encoding_stream *text = (struct encoding_stream *)stream;
	size_t done = 0;

	while (done < size) {
		size_t held = text->output_end - text->output_begin;
		size_t part = held < size - done ? held : size - done;

		memcpy(data + done, text->output + text->output_begin, part);
		text->output_begin += part;
		done += part;
		if (done == size || (held == part && text->ended && text->input_size == 0))
			break;
		if (fill(text, err) < 0)
			return -1;
	}
	return (ssize_t)done;
}

static void text_free(struct stream *stream)
{
	struct encoding_stream *text = (struct encoding_stream *)stream;

	if (text->has_iconv)
		iconv_close(text->iconv);
	stream_free(text->bytes);
	free(text->input);
	free(text->output);
	free(text);
}

static const struct stream_ops text_ops = {text_read, text_free};

int encoding_stream_new(struct stream **out, struct stream *bytes, const struct encoding *encoding,
	const char *path, struct error *err)
{
	struct encoding_stream *text = memory_zalloc(sizeof(*text));

	text->stream.ops = &text_ops;
	text->bytes = bytes;
	text->path = path;
	text->encoding = *encoding;
	text->mark_left = encoding->mark_size;
	text->input = memory_alloc(INPUT_BYTES);
	text->output = memory_alloc(OUTPUT_BYTES);
	if (!encoding->is_windows_1252) {
		text->iconv = iconv_open("UTF-8", encoding->name);
		text->has_iconv = text->iconv != (iconv_t)-1;
		if (!text->has_iconv) {
			stream_free(&text->stream);
			return error_set(err, ERROR_USAGE,
				"cannot read %s: no encoding \"%s\" here", path, encoding->name);
		}
	}
	*out = &text->stream;
	return 0;
}
