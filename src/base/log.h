/*
 * Log lines on stderr: time, level, component, the name of an event, then its fields.
 *
 *   2026-03-01T12:00:00.123Z INFO reducer.1 READY incarnation=7f03
 *   2026-03-01T12:00:01.456Z WARN gateway.0 DISK_TROUBLE reason="no space left"
 *
 * Events, their levels and their fields stand in base/log_events.h. A text is quoted when it is
 * empty or has a space, a quote, a backslash or an equals sign; quotes and backslashes in it get a
 * backslash in front, and bytes that would break the line become "?".
 *
 * One write per line, so that the lines of processes that share a file stay whole. Never rows, never
 * secrets.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/log_events.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOG_LINE_MAX 2048

enum log_level {
	LOG_LEVEL_INFO,
	LOG_LEVEL_WARN,	 /* it goes on, but somebody should look */
	LOG_LEVEL_ERROR, /* the process ends, or a part of its work does */
};

#define LOG_EVENT_ENUM(name, level, fields, meaning) LOG_##name,
enum log_event { LOG_EVENTS(LOG_EVENT_ENUM) LOG_EVENT_COUNT };
#undef LOG_EVENT_ENUM

struct log_event_spec {
	const char *name;
	enum log_level level;
	const char *fields; /* with spaces; those with a question mark may be missing */
	const char *meaning;
};

extern const struct log_event_spec log_event_specs[LOG_EVENT_COUNT];

enum log_field_kind {
	LOG_FIELD_NUMBER,
	LOG_FIELD_ID,	/* a number as 16 hexadecimal digits */
	LOG_FIELD_TEXT, /* NULL is as good as "" */
};

struct log_field {
	const char *key;
	enum log_field_kind kind;
	const char *text;
	uint64_t number;
};

#define LOG_NUMBER(name, value) \
	((struct log_field){(name), LOG_FIELD_NUMBER, NULL, (uint64_t)(value)})
#define LOG_ID(name, value)   ((struct log_field){(name), LOG_FIELD_ID, NULL, (value)})
#define LOG_TEXT(name, value) ((struct log_field){(name), LOG_FIELD_TEXT, (value), 0})

/* The fields of one event; one that has none passes NULL. */
#define LOG_FIELDS(...) ((const struct log_field[]){__VA_ARGS__, {0}})

/*
 * EVENT key=value ... into `out`, cut off at its end. Asserts that the fields are those that the
 * event is declared with. Returns `out`.
 */
char *log_format(char *out, size_t size, enum log_event event, const struct log_field *fields);

/* Lines as JSON objects from now on, or as text, as they are at first. Before other threads log. */
void log_use_json(bool wanted);

/* Where systemd's journal listens. */
#define LOG_JOURNAL_SOCKET "/run/systemd/journal/socket"
/*
 * To the journal from now on, each field of an event as a field of its own, TAMIZ_JOB for `job`, beside TAMIZ_EVENT,
 * TAMIZ_PROCESS and what every journal has. False when nothing listens at `socket_path`, and lines go to stderr as
 * before; so does each that the journal does not take. Before other threads log.
 */
bool log_use_journal(const char *socket_path);

/*
 * Keeps the name of the file that stderr is, if it is one, for log_reopen: who rotates logs renames it first. By a process
 * whose log it is; `component`, which is borrowed, writes what comes of it.
 */
void log_keep_file(const char *component);
/* Whether there is one. */
bool log_has_file(void);
/* Opens the file of that name, new or not, in place of the one before. When that fails everything stays as it is. */
void log_reopen(void);

/* Writes a line that log_format made. */
void log_write(const char *component, enum log_event event, const char *text);

/* log_event("gateway.0", LOG_LISTENING, LOG_FIELDS(LOG_TEXT("address", text))); */
void log_event(const char *component, enum log_event event, const struct log_field *fields);

#endif
