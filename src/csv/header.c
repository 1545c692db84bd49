#include "csv/header.h"

#include "csv/guess.h"
#include "csv/scan/scan_private.h"

#include <stdio.h>
#include <string.h>

/* How much of a header an error shows. */
#define LIST_MAX 512
#define NAME_MAX 64

static struct text header_name(const char *data, size_t size, char quote, struct arena *arena)
{
	char *name = arena_alloc_bytes(arena, size + 1);
	uint32_t length = 0;
	size_t begin = 0;

	if (quote != '\0' && size >= 2 && data[0] == quote && data[size - 1] == quote) {
		begin = 1;
		size--;
	}
	for (size_t i = begin; i < size; i++) {
		name[length++] = data[i];
		if (begin == 1 && data[i] == quote && i + 1 < size && data[i + 1] == quote)
			i++;
	}
	name[length] = '\0';
	return text_from(name, length);
}

int csv_header_parse(const char *origin, const char *data, size_t size,
	const struct csv_format *format, struct arena *arena, struct text **names, uint32_t *count,
	struct error *err)
{
	enum csv_state state = CSV_FIELD_START;
	size_t start = 0;

	*names = arena_alloc(arena, TABLE_COLUMNS_MAX * sizeof(**names));
	*count = 0;
	for (size_t i = 0; i <= size; i++) {
		if (i < size) {
			state = csv_state_step(state, data[i], format->delimiter, format->quote);
			if (state != CSV_FIELD_START)
				continue;
		}
		if (*count == TABLE_COLUMNS_MAX)
			return error_set(err, ERROR_LIMIT, "%s: more than %d columns", origin,
				TABLE_COLUMNS_MAX);
		(*names)[(*count)++] = header_name(data + start, i - start, format->quote, arena);
		start = i + 1;
	}
	return 0;
}

size_t csv_header_record(const char *data, size_t size, const struct csv_format *format)
{
	enum csv_state state = CSV_FIELD_START;
	size_t end = csv_state_skip_record(&state, data, size, format->delimiter, format->quote);

	return end > 0 ? end : size;
}

size_t csv_header_trim(const char *data, size_t size)
{
	size -= size > 0 && data[size - 1] == '\n';
	size -= size > 0 && data[size - 1] == '\r';
	return size;
}

static bool find_field(const struct text *header, uint32_t count, const char *name, uint32_t *field)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strlen(name) == header[i].size &&
			!memcmp(name, header[i].data, header[i].size)) {
			*field = i;
			return true;
		}
	}
	return false;
}

static int missing_column(const char *origin, const char *name, const struct text *header,
	uint32_t count, struct error *err)
{
	char list[LIST_MAX];
	size_t used = 0;

	list[0] = '\0';
	for (uint32_t i = 0; i < count && used + 1 < sizeof(list); i++) {
		int n = snprintf(list + used, sizeof(list) - used, "%s%.*s", i ? ", " : "",
			(int)(header[i].size > NAME_MAX ? NAME_MAX : header[i].size),
			header[i].data);
		used += (size_t)n;
	}
	return error_set(err, ERROR_DATA,
		"%s: no column \"%s\" in the header, which has: %s; correct the file or the schema",
		origin, name, list);
}

int csv_layout_constant(const struct csv_layout *layout, uint32_t c, struct arena *arena,
	struct value *out, struct error *err)
{
	const struct csv_constant *constant =
		&layout->constants[layout->fields[c] - CSV_FIELD_CONSTANT];
	static const struct csv_reading usual;
	const char *reason;

	*out = (struct value){.type = layout->types[c], .is_null = true};
	if (constant->is_null)
		return 0;
	if (csv_reading_parse(layout->readings ? &layout->readings[c] : &usual, layout->types[c],
		    constant->value.data, constant->value.size, arena, out, &reason) ||
		(layout->guessed && layout->guessed[c] &&
			csv_is_null_word(constant->value.data, constant->value.size)))
		return 0;
	return error_set(err, ERROR_DATA, "the folder %s=%.*s: %s", constant->name,
		(int)(constant->value.size > NAME_MAX ? NAME_MAX : constant->value.size),
		constant->value.data, reason);
}

/* Where a column is that is not a field, or whose field does not count. */
static int resolve_constant(struct csv_layout *layout, const char *origin, uint32_t c, bool hidden,
	uint32_t *field, struct error *err)
{
	const struct csv_constant *found =
		csv_constant_find(layout->constants, layout->constant_count, layout->names[c]);
	struct value value;
	struct arena arena;
	int status;

	if (!found || found->hidden != hidden)
		return 0;
	*field = CSV_FIELD_CONSTANT + (uint32_t)(found - layout->constants);
	arena_init(&arena, 256);
	status = csv_layout_constant(layout, c, &arena, &value, err);
	arena_release(&arena);
	return status ? error_prefix(err, "%s: ", origin) : 1;
}

/* What a folder says comes first, then what stands in the file, then what is known of it. */
static int resolve_column(struct csv_layout *layout, const char *origin, const struct text *header,
	uint32_t header_count, uint32_t c, uint32_t *field, struct error *err)
{
	int found = resolve_constant(layout, origin, c, false, field, err);

	if (found)
		return found < 0 ? -1 : 0;
	if (find_field(header, header_count, layout->names[c], field))
		return 0;
	found = resolve_constant(layout, origin, c, true, field, err);
	if (found)
		return found < 0 ? -1 : 0;
	*field = CSV_FIELD_LINE;
	if (strcmp(layout->names[c], TABLE_LINE_COLUMN) == 0)
		return 0;
	*field = CSV_FIELD_NONE;
	return layout->unite ? 0
			     : missing_column(origin, layout->names[c], header, header_count, err);
}

int csv_layout_resolve(struct csv_layout *layout, const char *origin,
	const struct csv_format *format, const struct text *header, uint32_t header_count,
	uint32_t *fields, struct error *err)
{
	layout->field_count = header_count;
	layout->fields = fields;
	layout->format = *format;
	for (uint32_t c = 0; c < layout->column_count && header_count > 0; c++)
		if (resolve_column(layout, origin, header, header_count, c, &fields[c], err))
			return -1;
	return 0;
}
