#include "sql/parse/source.h"

#include <stdarg.h>
#include <stdio.h>

/* UTF-8: every byte but the continuation bytes starts a character. */
static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

int source_error(const struct sql_source *source, int32_t location, struct error *err,
	const char *format, ...)
{
	char message[ERROR_MESSAGE_MAX];
	const char *separator = source->name[0] ? ": " : "";
	uint32_t line = 1 + source->line, column = 1 + source->column;
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	if (location < 0)
		return error_set(err, source->code, "%s%s%s", source->name, separator, message);
	for (int32_t i = 0; i < location && source->text[i]; i++) {
		if (source->text[i] == '\n') {
			line++;
			column = 1;
		} else if (starts_character(source->text[i])) {
			column++;
		}
	}
	error_set(err, source->code, "%s%sline %u, column %u: %s", source->name, separator, line,
		column, message);
	if (!source->name[0]) {
		err->line = line;
		err->column = column;
	}
	return -1;
}

int32_t source_offset(const struct sql_source *source, int32_t characters)
{
	int32_t offset = 0;

	while (characters > 0 && source->text[offset]) {
		offset++;
		while (source->text[offset] && !starts_character(source->text[offset]))
			offset++;
		characters--;
	}
	return offset;
}
