#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const char *const names[] = {"INFO", "WARN", "ERROR"};

void log_line(enum log_level level, const char *component, const char *format, ...)
{
	char line[LOG_LINE_MAX];
	struct timespec now;
	struct tm utc;
	size_t size;
	va_list args;
	int more;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	size = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &utc);
	more = snprintf(line + size, sizeof(line) - size, ".%03ldZ %s %.64s ",
		now.tv_nsec / 1000000, names[level], component);
	size += more > 0 ? (size_t)more : 0;
	va_start(args, format);
	more = vsnprintf(line + size, sizeof(line) - 1 - size, format, args);
	va_end(args);
	size += more > 0 ? (size_t)more : 0;
	if (size > sizeof(line) - 2)
		size = sizeof(line) - 2;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = '?';
	line[size++] = '\n';
	/* Nobody to tell when even this fails. */
	if (write(STDERR_FILENO, line, size) < 0)
		return;
}
