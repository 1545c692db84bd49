/*
 * Log lines on stderr: time, level, component, a stable event name, then key=value.
 *
 *   2026-03-01T12:00:00.123Z INFO reducer.1 READY incarnation=7f03
 *
 * One write a line, so that the lines of processes that share a file stay whole. Never rows, never
 * secrets.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/error.h"

#define LOG_LINE_MAX 2048

enum log_level {
	LOG_INFO,
	LOG_WARN,  /* it goes on, but somebody should look */
	LOG_ERROR, /* the process ends, or a part of its work does */
};

/* The format starts with the event's name. Bytes that would break the line become "?". */
void log_line(enum log_level level, const char *component, const char *format, ...)
	PRINTF_LIKE(3, 4);

#endif
