#include "csv/constants.h"

#include "column/schema.h"
#include "input/archive.h"
#include "input/encoding.h"

#include <string.h>

#define HIVE_NULL "__HIVE_DEFAULT_PARTITION__"

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The names of files may be in any encoding; text is UTF-8. */
static struct text valid_text(struct arena *arena, const char *text, size_t size)
{
	struct text out = text_from(text, size);
	struct buf mended;

	buf_init(&mended, ENCODING_GROWTH * size + 1);
	if (encoding_mend_lines(text, size, &mended))
		out = text_from(arena_strndup(arena, mended.data, mended.size), mended.size);
	buf_release(&mended);
	return out;
}

/* %20 is a space; a NUL byte stays as it is written, for no text may hold one. */
static struct text decode(struct arena *arena, const char *text, size_t size)
{
	char *out = arena_alloc_bytes(arena, size + 1), *next = out;

	for (size_t i = 0; i < size; i++) {
		int high = i + 2 < size && text[i] == '%' ? hex_digit(text[i + 1]) : -1;
		int low = high >= 0 ? hex_digit(text[i + 2]) : -1;

		if (low >= 0 && high + low > 0) {
			*next++ = (char)(16 * high + low);
			i += 2;
		} else {
			*next++ = text[i];
		}
	}
	*next = '\0';
	return valid_text(arena, out, (size_t)(next - out));
}

bool csv_is_partition(const char *folder, size_t size)
{
	const char *equals = memchr(folder, '=', size);

	return equals && equals > folder;
}

/* One folder of the path; the outer ones come first. */
static uint32_t add_partition(struct csv_constant *list, uint32_t count, const char *folder,
	size_t size, struct arena *arena)
{
	const char *equals = memchr(folder, '=', size);
	const char *value = equals + 1;
	size_t value_size = (size_t)(folder + size - value);
	struct csv_constant constant = {
		.name = decode(arena, folder, (size_t)(equals - folder)).data,
		.value = decode(arena, value, value_size),
		.is_null = value_size == 0 || (value_size == strlen(HIVE_NULL) &&
						      !memcmp(value, HIVE_NULL, value_size)),
	};
	uint32_t at = 0;

	while (at < count && strcmp(list[at].name, constant.name) != 0)
		at++;
	if (at < CSV_CONSTANTS_MAX - 1)
		list[at] = constant;
	return at == count && at < CSV_CONSTANTS_MAX - 1 ? count + 1 : count;
}

uint32_t csv_constants_of_path(const char *path, struct arena *arena, struct csv_constant **out)
{
	struct csv_constant *list = arena_alloc(arena, CSV_CONSTANTS_MAX * sizeof(*list));
	const char *folder = path, *slash;
	uint32_t count = 0;

	for (; (slash = strchr(folder, '/')); folder = slash + 1) {
		size_t size = (size_t)(slash - folder);

		if (csv_is_partition(folder, size) &&
			!archive_is_name(arena_strndup(arena, folder, size)))
			count = add_partition(list, count, folder, size, arena);
	}
	list[count++] = (struct csv_constant){.name = TABLE_FILE_COLUMN,
		.value = valid_text(arena, path, strlen(path)),
		.hidden = true};
	*out = list;
	return count;
}

const struct csv_constant *csv_constant_find(
	const struct csv_constant *constants, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(constants[i].name, name) == 0)
			return &constants[i];
	return NULL;
}
