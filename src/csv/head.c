#include "csv/head.h"

#include "base/bytes.h"
#include "csv/file.h"
#include "csv/header.h"

#define MARK	   0x1d
#define NOT_RAGGED 0xff

struct csv_head csv_file_head(const struct csv_file *file)
{
	struct csv_head head = {.own_ragged = true,
		.ragged = csv_file_dialect(file)->ragged,
		.widens = csv_file_widens(file)};

	head.names = csv_file_header(file, &head.name_count);
	head.constants = csv_file_constants(file, &head.constant_count);
	return head;
}

static void write_text(struct buf *out, const char *text, size_t size)
{
	bytes_put_u32(out, (uint32_t)size);
	buf_append(out, text, size);
}

static void write_facts(const struct csv_head *head, struct buf *out)
{
	size_t start = out->size;

	bytes_put_u8(out, MARK);
	bytes_put_u32(out, 0);
	bytes_put_u64(out, head->first_line);
	bytes_put_u8(out, head->own_ragged ? (uint8_t)head->ragged : NOT_RAGGED);
	bytes_put_u8(out, head->widens);
	bytes_put_u32(out, head->constant_count);
	for (uint32_t i = 0; i < head->constant_count; i++) {
		const struct csv_constant *constant = &head->constants[i];

		write_text(out, constant->name, strlen(constant->name));
		bytes_put_u8(out, constant->is_null);
		write_text(out, constant->value.data, constant->value.size);
	}
	if (!buf_overflowed(out)) {
		uint32_t size = (uint32_t)(out->size - start - 5);

		for (int i = 0; i < 4; i++)
			out->data[start + 1 + (size_t)i] = (char)(size >> (8 * i));
	}
}

/* The header line, its names in quotes. */
static void write_names(
	const struct csv_head *head, const struct csv_format *format, struct buf *out)
{
	for (uint32_t i = 0; i < head->name_count; i++) {
		const struct text *name = &head->names[i];

		if (i > 0)
			buf_append_char(out, format->delimiter);
		if (format->quote)
			buf_append_char(out, format->quote);
		for (uint32_t j = 0; j < name->size; j++) {
			if (format->quote && name->data[j] == format->quote)
				buf_append_char(out, format->quote);
			buf_append_char(out, name->data[j]);
		}
		if (format->quote)
			buf_append_char(out, format->quote);
	}
	if (head->name_count > 0)
		buf_append_char(out, '\n');
}

void csv_head_write(const struct csv_head *head, const struct csv_format *format, struct buf *out)
{
	if (head->constant_count > 0 || head->first_line > 0 || head->own_ragged || head->widens ||
		format->quote == MARK)
		write_facts(head, out);
	write_names(head, format, out);
}

static struct text take_text(struct bytes_reader *in)
{
	uint32_t size = bytes_take_u32(in);
	const uint8_t *bytes = bytes_take(in, size);

	return text_from((const char *)bytes, bytes ? size : 0);
}

static int read_facts(struct bytes_reader *in, struct arena *arena, struct csv_head *out)
{
	struct csv_constant *list = arena_zalloc(arena, CSV_CONSTANTS_MAX * sizeof(*list));
	uint8_t ragged, widens;

	out->first_line = bytes_take_u64(in);
	ragged = bytes_take_u8(in);
	widens = bytes_take_u8(in);
	out->own_ragged = ragged != NOT_RAGGED;
	out->ragged = out->own_ragged ? (enum csv_ragged)ragged : CSV_RAGGED_REJECT;
	out->widens = widens != 0;
	out->constant_count = bytes_take_u32(in);
	out->constants = list;
	if (in->failed || out->constant_count > CSV_CONSTANTS_MAX ||
		(out->own_ragged && ragged > CSV_RAGGED_CUT) || widens > 1 ||
		out->first_line > INT64_MAX)
		return -1;
	for (uint32_t i = 0; i < out->constant_count; i++) {
		struct text name = take_text(in);

		list[i].is_null = bytes_take_u8(in) != 0;
		list[i].value = take_text(in);
		if (in->failed || memchr(name.data, '\0', name.size))
			return -1;
		list[i].name = arena_strndup(arena, name.data, name.size);
	}
	return bytes_left(in) == 0 ? 0 : -1;
}

int csv_head_read(const char *origin, const char *text, size_t size,
	const struct csv_format *format, struct arena *arena, struct csv_head *out, size_t *length,
	struct error *err)
{
	size_t record, trimmed, facts = 0;
	struct text *names;

	*out = (struct csv_head){0};
	if (size > 0 && text[0] == MARK) {
		struct bytes_reader in;
		const uint8_t *bytes;
		uint32_t facts_size;

		bytes_reader_init(&in, text + 1, size - 1);
		facts_size = bytes_take_u32(&in);
		bytes = bytes_take(&in, facts_size);
		facts = 5 + (size_t)facts_size;
		if (bytes)
			bytes_reader_init(&in, bytes, facts_size);
		if (!bytes || read_facts(&in, arena, out))
			return error_set(err, ERROR_DATA,
				"%s: what stands before its records is damaged", origin);
	}
	record = csv_header_record(text + facts, size - facts, format);
	trimmed = csv_header_trim(text + facts, record);
	if (trimmed == 0)
		return error_set(err, ERROR_DATA, "%s: it has no header", origin);
	if (csv_header_parse(
		    origin, text + facts, trimmed, format, arena, &names, &out->name_count, err))
		return -1;
	out->names = names;
	*length = facts + record;
	return 0;
}
