#include "base/varint.h"
#include "column/batch_codec.h"
#include "column/canonical.h"
#include "plan/plan_codec_private.h"

#include <assert.h>
#include <string.h>

void io_fail(struct plan_io *io, const char *why)
{
	if (!io->failed)
		io->failed = why;
}

/* -- Single values -- */

void io_number(struct plan_io *io, uint64_t *value)
{
	if (io->out) {
		varint_encode(*value, io->out);
		return;
	}
	if (io->failed || !varint_decode(&io->at, io->end, value)) {
		io_fail(io, "it ends too early");
		*value = 0;
	}
}

void io_u32(struct plan_io *io, uint32_t *value)
{
	uint64_t number = *value;

	io_number(io, &number);
	if (io->out)
		return;
	if (number > UINT32_MAX)
		io_fail(io, "a number is too large");
	*value = io->failed ? 0 : (uint32_t)number;
}

void io_optional(struct plan_io *io, uint32_t *value)
{
	uint32_t number = *value + 1;

	static_assert(PLAN_NONE + 1 == 0, "none becomes 0");
	io_u32(io, &number);
	if (!io->out)
		*value = number - 1;
}

void io_enum(struct plan_io *io, void *value, uint32_t count)
{
	uint32_t number;

	static_assert(sizeof(enum expr_kind) == sizeof(number), "enums are 32 bits");
	memcpy(&number, value, sizeof(number));
	io_u32(io, &number);
	if (io->out)
		return;
	if (number >= count) {
		io_fail(io, "it has something unknown");
		number = 0;
	}
	memcpy(value, &number, sizeof(number));
}

void io_flag(struct plan_io *io, bool *value)
{
	uint32_t number = *value;

	io_enum(io, &number, 2);
	if (!io->out)
		*value = number;
}

void io_bytes(struct plan_io *io, void *bytes, size_t size)
{
	if (io->out) {
		buf_append(io->out, bytes, size);
		return;
	}
	if (io->failed || (size_t)(io->end - io->at) < size) {
		io_fail(io, "it ends too early");
		memset(bytes, 0, size);
		return;
	}
	memcpy(bytes, io->at, size);
	io->at += size;
}

void io_text(struct plan_io *io, const char **text)
{
	uint64_t size = io->out ? strlen(*text) : 0;

	io_number(io, &size);
	if (io->out) {
		buf_append(io->out, *text, size);
		return;
	}
	*text = "";
	if (io->failed)
		return;
	if (size > (size_t)(io->end - io->at) || memchr(io->at, '\0', size)) {
		io_fail(io, "a name is damaged");
		return;
	}
	*text = arena_strndup(io->arena, (const char *)io->at, size);
	io->at += size;
}

void io_location(struct plan_io *io, int32_t *location)
{
	uint64_t number = zigzag_encode(*location);

	io_number(io, &number);
	if (io->out)
		return;
	if (zigzag_decode(number) < -1 || zigzag_decode(number) > INT32_MAX)
		io_fail(io, "a location is out of range");
	*location = io->failed ? -1 : (int32_t)zigzag_decode(number);
}

static void io_digits(struct plan_io *io, int16_t *digits)
{
	uint32_t number = (uint32_t)(*digits + NUMERIC_PRECISION_MAX);

	io_enum(io, &number, 2 * NUMERIC_PRECISION_MAX + 1);
	if (!io->out)
		*digits = (int16_t)((int32_t)number - NUMERIC_PRECISION_MAX);
}

void io_type(struct plan_io *io, struct type *type)
{
	if (!io->out)
		*type = type_of(TYPE_UNKNOWN);
	io_enum(io, &type->kind, TYPE_ARRAY + TYPE_KIND_COUNT);
	if (!type_kind_is_legal(type->kind)) {
		io_fail(io, "it has something unknown");
		type->kind = TYPE_UNKNOWN;
	}
	if (type_has_scale(type->kind)) {
		io_digits(io, &type->precision);
		io_digits(io, &type->scale);
	}
}

void *io_room(struct plan_io *io, size_t size)
{
	if (io->failed || size > io->memory_left) {
		io_fail(io, "it has more in it than its bytes account for");
		return NULL;
	}
	io->memory_left -= size;
	/* Never nothing: for some readers a NULL list means "none". */
	return arena_zalloc(io->arena, size + 1);
}

void io_list(struct plan_io *io, uint32_t *count, void *items, size_t item_size)
{
	void *room = NULL;

	io_u32(io, count);
	if (io->out)
		return;
	if (*count > (size_t)(io->end - io->at))
		io_fail(io, "a list is longer than its bytes");
	else
		room = io_room(io, *count * item_size);
	if (!room)
		*count = 0;
	memcpy(items, &room, sizeof(room));
}

void io_columns(struct plan_io *io, uint32_t *count, uint32_t **columns)
{
	io_list(io, count, columns, sizeof(**columns));
	for (uint32_t i = 0; i < *count; i++)
		io_u32(io, &(*columns)[i]);
}

void io_types(struct plan_io *io, uint32_t *count, struct type **types)
{
	io_list(io, count, types, sizeof(**types));
	for (uint32_t i = 0; i < *count; i++)
		io_type(io, &(*types)[i]);
}

/* -- Constants: texts are copied out of the bytes -- */

static struct text keep_text(struct plan_io *io, struct text text)
{
	return text_from(arena_copy(io->arena, text.data, text.size), text.size);
}

static void write_value(struct plan_io *io, const struct value *value)
{
	numeric room[1];
	uint8_t valid = 1;
	struct column column = {.type = value->type, .values = room, .valid = &valid};
	struct batch batch = {.rows = 1, .selected = 1, .column_count = 1, .columns = &column};

	column_set_value(&column, 0, value);
	batch_encode(&batch, io->out);
}

void io_value(struct plan_io *io, struct value *value)
{
	struct batch batch;
	struct error ignored;
	enum physical form;

	io_type(io, &value->type);
	if (io->out) {
		write_value(io, value);
		return;
	}
	if (io->failed)
		return;
	if (batch_decode(&io->at, io->end, 1, &value->type, io->arena, &batch, &ignored) < 0 ||
		batch.rows != 1) {
		io_fail(io, "a constant is damaged");
		value->is_null = true;
		return;
	}
	*value = column_value(&batch.columns[0], 0);
	form = type_physical(value->type.kind);
	if (!value->is_null && form == PHYSICAL_TEXT)
		value->text = keep_text(io, value->text);
	if (!value->is_null && form == PHYSICAL_LIST)
		value->list = list_copy(value->list, io->arena);
}
