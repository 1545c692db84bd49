#include "base/log.h"

#include "base/metrics.h"

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

static bool as_json;

void log_use_json(bool wanted)
{
	as_json = wanted;
}

static void put_plain(struct log_line *line, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		put(line, text[i]);
}

/*
 * A field of a line as JSON; returns what is behind it. Quoted values are quoted as in JSON: they have no control
 * characters, and a backslash before quotes and backslashes alone.
 */
static const char *put_json_field(struct log_line *line, const char *field)
{
	size_t key = strcspn(field, "="), size;
	const char *value = field + key + (field[key] == '=');
	bool is_number;

	put_plain(line, ",\"", 2);
	put_plain(line, field, key);
	put_plain(line, "\":", 2);
	if (*value == '"') {
		for (size = 1; value[size] && value[size] != '"'; size++) {
			/* A line that was cut off may end in half of a pair. */
			if (value[size] == '\\' && !value[size + 1])
				break;
			size += value[size] == '\\';
		}
		put_plain(line, value, size);
		put(line, '"');
		return value + size + (value[size] == '"');
	}
	size = strcspn(value, " ");
	/* More digits than a double has are an id. */
	is_number = size > 0 && size < 16 && strspn(value, "0123456789") == size &&
		    (size == 1 || *value != '0');
	if (!is_number)
		put(line, '"');
	put_plain(line, value, size);
	if (!is_number)
		put(line, '"');
	return value + size;
}

static size_t line_as_json(char *out, size_t out_size, const char *time, const char *level,
	const char *component, const char *text)
{
	/* Room for what closes it. */
	struct log_line line = {out, out_size - 2, 0};
	size_t name = strcspn(text, " "), before;
	char head[128];

	put_plain(&line, head,
		(size_t)snprintf(head, sizeof(head),
			"{\"time\":\"%s\",\"level\":\"%s\",\"process\":\"%.32s\"", time, level,
			component));
	put_plain(&line, ",\"event\":\"", 10);
	put_plain(&line, text, name);
	put(&line, '"');
	for (text += name; *text == ' ';) {
		before = line.used;
		text = put_json_field(&line, text + 1);
		/* A field that does not fit is left out, with those behind it. */
		if (line.used + 1 >= line.size) {
			line.used = before;
			break;
		}
	}
	out[line.used++] = '}';
	return line.used;
}

void log_write(const char *component, enum log_event event, const char *text)
{
	static const char *const names[] = {"INFO", "WARN", "ERROR"};
	static const enum metric counters[] = {METRIC_LOG_INFO, METRIC_LOG_WARN, METRIC_LOG_ERROR};
	const char *level = names[log_event_specs[event].level];
	/* As JSON a line has more around it. */
	char line[2 * LOG_LINE_MAX], time[40];
	struct timespec now;
	struct tm utc;
	size_t size;
	int more;

	metric_add(counters[log_event_specs[event].level], 1);
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	size = strftime(time, sizeof(time), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(time + size, sizeof(time) - size, ".%03ldZ", now.tv_nsec / 1000000);
	if (as_json) {
		size = line_as_json(line, sizeof(line), time, level, component, text);
	} else {
		more = snprintf(line, LOG_LINE_MAX, "%s %s %.64s %s", time, level, component, text);
		size = more > 0 ? (size_t)more : 0;
		if (size > LOG_LINE_MAX - 2)
			size = LOG_LINE_MAX - 2;
	}
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
