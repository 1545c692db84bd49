#include "base/log.h"

#include "base/metrics.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

/* --- the journal ---------------------------------------------------------------------------------
 */

static int journal = -1;

bool log_use_journal(const char *socket_path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t size = strlen(socket_path);
	int fd;

	if (size >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, socket_path, size);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size)) == 0) {
		if (journal >= 0)
			close(journal);
		journal = fd;
		return true;
	}
	close(fd);
	return false;
}

/* `key=value` of a line as a field of the journal's, in its upper case; returns what is behind it. */
static const char *put_journal_field(struct log_line *line, const char *field)
{
	bool quoted;

	put_plain(line, "TAMIZ_", 6);
	for (; *field && *field != '='; field++)
		put(line, (char)toupper((unsigned char)*field));
	put(line, '=');
	field += *field == '=';
	quoted = *field == '"';
	field += quoted;
	while (*field && *field != (quoted ? '"' : ' ')) {
		field += quoted && *field == '\\' && field[1];
		put(line, *field++);
	}
	put(line, '\n');
	return field + (quoted && *field == '"');
}

/* False: it did not take it. */
static bool write_to_journal(const char *component, enum log_event event, const char *text)
{
	static const char *const priorities[] = {"6", "4", "3"};
	/* The text, and its fields once more, with names in front. */
	char out[3 * LOG_LINE_MAX];
	struct log_line line = {out, sizeof(out), 0};
	const char *rest = text + strcspn(text, " ");
	int size = snprintf(out, sizeof(out),
		"SYSLOG_IDENTIFIER=tamiz\nPRIORITY=%s\nTAMIZ_PROCESS=%.64s\nTAMIZ_EVENT=%s\n"
		"MESSAGE=%.64s %.*s\n",
		priorities[log_event_specs[event].level], component, log_event_specs[event].name,
		component, LOG_LINE_MAX, text);

	line.used = size > 0 ? (size_t)size : 0;
	while (*rest == ' ') {
		size_t before = line.used;

		rest = put_journal_field(&line, rest + 1);
		/* A field that does not fit is left out, with those behind it. */
		if (line.used + 1 >= line.size) {
			line.used = before;
			break;
		}
	}
	return send(journal, out, line.used, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)line.used;
}

/* --- the file ------------------------------------------------------------------------------------
 */

static char file_path[PATH_MAX];
static const char *file_component;

void log_keep_file(const char *component)
{
	struct stat info;
	ssize_t size = -1;

	file_component = component;
	if (fstat(STDERR_FILENO, &info) == 0 && S_ISREG(info.st_mode))
		size = readlink("/proc/self/fd/2", file_path, sizeof(file_path) - 1);
	file_path[size > 0 ? size : 0] = '\0';
}

bool log_has_file(void)
{
	return file_path[0] == '/';
}

void log_reopen(void)
{
	struct stat before, now;
	int fd;

	if (!log_has_file())
		return;
	fd = open(file_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		log_event(file_component, LOG_LOG_NOT_REOPENED,
			LOG_FIELDS(LOG_TEXT("reason", strerror(errno))));
		return;
	}
	/* What a library prints to stdout goes where the log does, if it did. */
	if (!fstat(STDERR_FILENO, &before) && !fstat(STDOUT_FILENO, &now) &&
		before.st_dev == now.st_dev && before.st_ino == now.st_ino)
		dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
	log_event(file_component, LOG_LOG_REOPENED, NULL);
}

/* --- a line --------------------------------------------------------------------------------------
 */

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
	if (journal >= 0 && write_to_journal(component, event, text))
		return;
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
