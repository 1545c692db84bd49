#include "base/log.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOG_EVENT_SPEC(name, level, fields, meaning) \
	[LOG_##name] = {#name, LOG_LEVEL_##level, fields, meaning},
const struct log_event_spec log_event_specs[LOG_EVENT_COUNT] = {LOG_EVENTS(LOG_EVENT_SPEC)};
#undef LOG_EVENT_SPEC

/* --- the fields ----------------------------------------------------------------------------------
 */

/* Steps over the declared field at *declared if it is `key`, and over those before that may miss. */
static bool take_declared(const char **declared, const char *key)
{
	while (**declared) {
		size_t size = strcspn(*declared, " ");
		bool optional = (*declared)[size - 1] == '?';
		size_t name_size = size - optional;
		bool same =
			key && strlen(key) == name_size && strncmp(*declared, key, name_size) == 0;

		if (!same && !optional)
			return !key;
		*declared += size + ((*declared)[size] == ' ');
		if (same)
			return true;
	}
	return !key;
}

static bool fits_declaration(enum log_event event, const struct log_field *fields)
{
	const char *declared = log_event_specs[event].fields;

	for (; fields && fields->key; fields++)
		if (!take_declared(&declared, fields->key))
			return false;
	return take_declared(&declared, NULL) && *declared == '\0';
}

struct log_line {
	char *out;
	size_t size;
	size_t used;
};

static void put(struct log_line *line, char c)
{
	if (line->used + 1 < line->size)
		line->out[line->used++] = c;
}

static void put_text(struct log_line *line, const char *text)
{
	bool quoted = *text == '\0' || strpbrk(text, " \"\\=");

	if (quoted)
		put(line, '"');
	for (; *text; text++) {
		bool breaks = (unsigned char)*text < 0x20 || *text == 0x7f;

		if (*text == '"' || *text == '\\')
			put(line, '\\');
		put(line, breaks ? '?' : *text);
	}
	if (quoted)
		put(line, '"');
}

char *log_format(char *out, size_t size, enum log_event event, const struct log_field *fields)
{
	struct log_line line = {out, size, 0};
	char number[32];

	assert(size > 0 && event < LOG_EVENT_COUNT && fits_declaration(event, fields));
	for (const char *c = log_event_specs[event].name; *c; c++)
		put(&line, *c);
	for (; fields && fields->key; fields++) {
		put(&line, ' ');
		for (const char *c = fields->key; *c; c++)
			put(&line, *c);
		put(&line, '=');
		snprintf(number, sizeof(number),
			fields->kind == LOG_FIELD_ID ? "%016" PRIx64 : "%" PRIu64, fields->number);
		if (fields->kind != LOG_FIELD_TEXT)
			put_text(&line, number);
		else
			put_text(&line, fields->text ? fields->text : "");
	}
	out[line.used] = '\0';
	return out;
}

/* --- the line ------------------------------------------------------------------------------------
 */

void log_write(const char *component, enum log_event event, const char *text)
{
	static const char *const names[] = {"INFO", "WARN", "ERROR"};
	char line[LOG_LINE_MAX];
	struct timespec now;
	struct tm utc;
	size_t size;
	int more;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	size = strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%S", &utc);
	more = snprintf(line + size, sizeof(line) - size, ".%03ldZ %s %.64s %s",
		now.tv_nsec / 1000000, names[log_event_specs[event].level], component, text);
	size += more > 0 ? (size_t)more : 0;
	if (size > sizeof(line) - 2)
		size = sizeof(line) - 2;
	line[size++] = '\n';
	/* Nobody to tell when even this fails. */
	if (write(STDERR_FILENO, line, size) < 0)
		return;
}

void log_event(const char *component, enum log_event event, const struct log_field *fields)
{
	char text[LOG_LINE_MAX];

	log_write(component, event, log_format(text, sizeof(text), event, fields));
}
