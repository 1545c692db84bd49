#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, enum error_code code, const char *format, ...)
{
	va_list args;

	err->code = code;
	err->guess = (struct error_guess){0};
	err->line = err->column = err->offset = 0;
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -1;
}

int error_prefix(struct error *err, const char *format, ...)
{
	char rest[ERROR_MESSAGE_MAX];
	va_list args;
	int used;

	memcpy(rest, err->message, sizeof(rest));
	va_start(args, format);
	used = vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < sizeof(err->message))
		snprintf(err->message + used, sizeof(err->message) - (size_t)used, "%s", rest);
	return -1;
}

int error_append(struct error *err, const char *format, ...)
{
	size_t used = strlen(err->message);
	va_list args;

	va_start(args, format);
	vsnprintf(err->message + used, sizeof(err->message) - used, format, args);
	va_end(args);
	return -1;
}

int error_exit_status(enum error_code code)
{
	switch (code) {
	case ERROR_NONE: return 0;
	case ERROR_USAGE: return 2;
	case ERROR_SQL: return 3;
	case ERROR_EVAL: return 4;
	case ERROR_GUESS:
	case ERROR_DATA: return 5;
	case ERROR_INTERRUPTED: return 130;
	case ERROR_IO:
	case ERROR_LIMIT:
	case ERROR_FENCED:
	case ERROR_INTERNAL:
	case ERROR_LOST: break;
	}
	return 1;
}
