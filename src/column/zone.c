#include "column/zone.h"

#include "base/file.h"
#include "column/datetime.h"
#include "column/datetime_text.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ZONE_FOLDER "/usr/share/zoneinfo"
#define PATH_SIZE   512

#define HEADER_SIZE	 44
#define COUNTS_AT	 20 /* in the header */
#define CHANGES_MAX	 4096
#define KINDS_MAX	 256
#define SECONDS_PER_DAY	 INT64_C(86400)
#define SECONDS_PER_ERA	 INT64_C(12622780800) /* 400 years, after which the calendar repeats */
#define RULES_UNTIL_YEAR 2438		      /* a whole era behind the last year of any file */
#define RULES_FROM_YEAR	 1800

struct zone {
	uint32_t count;
	int64_t *times;	  /* of the changes, seconds since 1970, ascending */
	int32_t *offsets; /* offsets[i + 1] from times[i] on, offsets[0] before */
	int64_t repeats;  /* from here on as an era before */
	bool by_name; /* an abbreviation, which a time that is left out has as it is behind the change */
};

/* -- Names -- */

static bool name_is_sane(const char *name, size_t size)
{
	if (size == 0 || size > ZONE_NAME_MAX || *name == '/' || *name == '.')
		return false;
	for (size_t i = 0; i < size; i++) {
		char c = name[i];
		bool letter = ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9');

		if (!letter && !strchr("/_+-", c))
			return false;
	}
	return true;
}

/* The entry of `folder` that is called `part` but for capitals, appended to the path. */
static bool find_entry(char path[PATH_SIZE], const char *part, size_t size)
{
	DIR *folder = opendir(path);
	size_t end = strlen(path);
	bool found = false;
	struct dirent *entry;

	while (folder && !found && (entry = readdir(folder))) {
		found = strlen(entry->d_name) == size &&
			strncasecmp(entry->d_name, part, size) == 0;
		if (found)
			snprintf(path + end, PATH_SIZE - end, "/%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	return found;
}

/* The file of a zone: as it is written, or else in whatever capitals there is one. */
static char *read_file(const char *name, size_t size, char path[PATH_SIZE], size_t *bytes)
{
	char *contents;

	snprintf(path, PATH_SIZE, "%s/%.*s", ZONE_FOLDER, (int)size, name);
	contents = file_read(path, ZONE_RULES_MAX / 2, bytes);
	if (contents)
		return contents;
	snprintf(path, PATH_SIZE, "%s", ZONE_FOLDER);
	for (const char *at = name, *end = name + size; at < end;) {
		const char *slash = memchr(at, '/', (size_t)(end - at));
		size_t part = (size_t)((slash ? slash : end) - at);

		if (!find_entry(path, at, part))
			return NULL;
		at += part + (slash != NULL);
	}
	return file_read(path, ZONE_RULES_MAX / 2, bytes);
}

/* -- The rule for all years behind the last change: RFC 8536's footer, of POSIX -- */

/* A day of the year and a time of it, in the local time before the change. */
struct change_rule {
	char kind; /* 'M': a weekday of a month, 'J': a day without leap days, '0': with them */
	int month, week, day;
	int64_t time;
};

struct year_rule {
	int32_t standard;
	int32_t summer;
	bool has_summer;
	struct change_rule start;
	struct change_rule end;
};

struct rule_cursor {
	const char *at;
	const char *end;
};

static char peek(const struct rule_cursor *c)
{
	return c->at < c->end ? *c->at : '\0';
}

static bool take(struct rule_cursor *c, char wanted)
{
	if (peek(c) != wanted)
		return false;
	c->at++;
	return true;
}

static bool take_number(struct rule_cursor *c, int64_t most, int64_t *out)
{
	const char *start = c->at;

	for (*out = 0; peek(c) >= '0' && peek(c) <= '9'; c->at++) {
		*out = *out * 10 + (*c->at - '0');
		if (*out > most)
			return false;
	}
	return c->at > start;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool take_time(struct rule_cursor *c, int64_t *out)
{
	bool negative = take(c, '-');
	int64_t part;

	if (!negative)
		(void)take(c, '+');
	if (!take_number(c, 167, &part))
		return false;
	*out = part * 3600;
	if (take(c, ':')) {
		if (!take_number(c, 59, &part))
			return false;
		*out += part * 60;
		if (take(c, ':')) {
			if (!take_number(c, 59, &part))
				return false;
			*out += part;
		}
	}
	*out = negative ? -*out : *out;
	return true;
}

static bool take_name(struct rule_cursor *c)
{
	const char *start = c->at;

	if (take(c, '<')) {
		while (peek(c) && peek(c) != '>')
			c->at++;
		return take(c, '>');
	}
	while ((peek(c) | 0x20) >= 'a' && (peek(c) | 0x20) <= 'z')
		c->at++;
	return c->at > start;
}

static bool take_change(struct rule_cursor *c, struct change_rule *rule)
{
	int64_t parts[3] = {0};

	*rule = (struct change_rule){.kind = '0', .time = 2 * 3600};
	if (take(c, 'M')) {
		rule->kind = 'M';
		if (!take_number(c, 12, &parts[0]) || !take(c, '.') ||
			!take_number(c, 5, &parts[1]) || !take(c, '.') ||
			!take_number(c, 6, &parts[2]) || parts[0] < 1 || parts[1] < 1)
			return false;
	} else {
		if (take(c, 'J'))
			rule->kind = 'J';
		if (!take_number(c, 365, &parts[2]))
			return false;
	}
	rule->month = (int)parts[0];
	rule->week = (int)parts[1];
	rule->day = (int)parts[2];
	return !take(c, '/') || take_time(c, &rule->time);
}

/* CET-1CEST,M3.5.0,M10.5.0/3: seconds west in the text, east here. The first name may be missing. */
static bool parse_rule(const char *text, size_t size, struct year_rule *rule)
{
	struct rule_cursor c = {text, text + size};
	int64_t west;

	*rule = (struct year_rule){0};
	if ((peek(&c) == '<' || (peek(&c) | 0x20) >= 'a') && !take_name(&c))
		return false;
	if (!take_time(&c, &west))
		return false;
	rule->standard = (int32_t)-west;
	if (c.at == c.end)
		return true;
	rule->has_summer = true;
	rule->summer = rule->standard + 3600;
	if (!take_name(&c))
		return false;
	if (peek(&c) != ',') {
		if (!take_time(&c, &west))
			return false;
		rule->summer = (int32_t)-west;
	}
	return take(&c, ',') && take_change(&c, &rule->start) && take(&c, ',') &&
	       take_change(&c, &rule->end) && c.at == c.end;
}

static struct text make_rules(const char *name, const void *data, size_t size, struct arena *arena)
{
	size_t name_size = strlen(name) + 1;
	char *rules = arena_alloc_bytes(arena, name_size + size);

	memcpy(rules, name, name_size);
	memcpy(rules + name_size, data, size);
	return text_from(rules, name_size + size);
}

struct text zone_rules_fixed(int32_t offset, struct arena *arena)
{
	char name[ZONE_OFFSET_TEXT_MAX], data[16];
	int size = snprintf(data, sizeof(data), "=%d", offset);

	zone_offset_format(offset, name);
	return make_rules(offset == 0 ? "UTC" : name, data, (size_t)size, arena);
}

/* -- Abbreviations that have stood for several offsets -- */

/*
 * Those of PostgreSQL's default set. Each stands for what it stood for in that zone, at the time in question or last
 * before it; where tzdata does not know it any more, for whatever the zone's clocks show.
 */
static const struct {
	const char *name;
	const char *zone;
} varying[] = {{"amst", "Asia/Yerevan"}, {"anast", "Asia/Anadyr"}, {"anat", "Asia/Anadyr"},
	{"arst", "America/Argentina/Buenos_Aires"}, {"art", "America/Argentina/Buenos_Aires"},
	{"azst", "Asia/Baku"}, {"azt", "Asia/Baku"}, {"ckt", "Pacific/Rarotonga"},
	{"clt", "America/Santiago"}, {"davt", "Antarctica/Davis"}, {"easst", "Pacific/Easter"},
	{"east", "Pacific/Easter"}, {"fkst", "Atlantic/Stanley"}, {"fkt", "Atlantic/Stanley"},
	{"gest", "Asia/Tbilisi"}, {"get", "Asia/Tbilisi"}, {"gyt", "America/Guyana"},
	{"iot", "Indian/Chagos"}, {"irkst", "Asia/Irkutsk"}, {"irkt", "Asia/Irkutsk"},
	{"kgt", "Asia/Bishkek"}, {"kost", "Pacific/Kosrae"}, {"krast", "Asia/Krasnoyarsk"},
	{"krat", "Asia/Krasnoyarsk"}, {"lhdt", "Australia/Lord_Howe"},
	{"lint", "Pacific/Kiritimati"}, {"lkt", "Asia/Colombo"}, {"magst", "Asia/Magadan"},
	{"magt", "Asia/Magadan"}, {"mawt", "Antarctica/Mawson"}, {"msk", "Europe/Moscow"},
	{"novst", "Asia/Novosibirsk"}, {"novt", "Asia/Novosibirsk"}, {"nut", "Pacific/Niue"},
	{"omsst", "Asia/Omsk"}, {"omst", "Asia/Omsk"}, {"petst", "Asia/Kamchatka"},
	{"pett", "Asia/Kamchatka"}, {"pyt", "America/Asuncion"}, {"sgt", "Asia/Singapore"},
	{"tkt", "Pacific/Fakaofo"}, {"tmt", "Asia/Ashgabat"}, {"ulat", "Asia/Ulaanbaatar"},
	{"vet", "America/Caracas"}, {"vlast", "Asia/Vladivostok"}, {"vlat", "Asia/Vladivostok"},
	{"volt", "Europe/Volgograd"}, {"yakst", "Asia/Yakutsk"}, {"yakt", "Asia/Yakutsk"},
	{"yekt", "Asia/Yekaterinburg"}};

/* Its rules are "~", the name in capitals, a zero byte, and the zone's file. */
static bool make_varying(const char *name, size_t size, struct arena *arena, struct text *rules)
{
	char path[PATH_SIZE], copy[ZONE_NAME_MAX + 1] = "", *contents = NULL, *data;
	size_t bytes;

	for (size_t i = 0; i < sizeof(varying) / sizeof(varying[0]) && !contents; i++)
		if (strlen(varying[i].name) == size &&
			strncasecmp(varying[i].name, name, size) == 0) {
			contents =
				read_file(varying[i].zone, strlen(varying[i].zone), path, &bytes);
			for (size_t j = 0; j < size; j++)
				copy[j] = (char)(varying[i].name[j] - 'a' + 'A');
		}
	if (!contents)
		return false;
	data = arena_alloc_bytes(arena, 2 + size + bytes);
	data[0] = '~';
	memcpy(data + 1, copy, size + 1);
	memcpy(data + 2 + size, contents, bytes);
	free(contents);
	*rules = make_rules(copy, data, 2 + size + bytes, arena);
	return zone_new(*rules, arena) != NULL;
}

/* A zone that is not one by its name, but a rule: UTC-2, <+10:30>-10:30, CST6CDT,M3.2.0,M11.1.0. */
static bool make_posix(const char *name, size_t size, struct arena *arena, struct text *rules)
{
	char copy[ZONE_NAME_MAX + 1], data[ZONE_NAME_MAX + 2];
	struct year_rule rule;

	if (size > ZONE_NAME_MAX || !parse_rule(name, size, &rule))
		return false;
	if (!rule.has_summer) {
		*rules = zone_rules_fixed(rule.standard, arena);
		return true;
	}
	memcpy(copy, name, size);
	copy[size] = '\0';
	data[0] = '!';
	memcpy(data + 1, name, size);
	*rules = make_rules(copy, data, size + 1, arena);
	return true;
}

int zone_rules_find(
	const char *name, size_t size, struct arena *arena, struct text *rules, struct error *err)
{
	char path[PATH_SIZE];
	int32_t offset;
	size_t bytes;
	char *contents;

	if (zone_abbreviation(name, size, &offset)) {
		*rules = zone_rules_fixed(offset, arena);
		return 0;
	}
	if (make_varying(name, size, arena, rules))
		return 0;
	contents = name_is_sane(name, size) ? read_file(name, size, path, &bytes) : NULL;
	if (contents) {
		*rules = make_rules(path + strlen(ZONE_FOLDER) + 1, contents, bytes, arena);
		free(contents);
		if (zone_new(*rules, arena))
			return 0;
	}
	if (make_posix(name, size, arena, rules))
		return 0;
	return error_set(err, ERROR_SQL, "time zone \"%.*s\" not recognized", (int)size, name);
}

struct text zone_rules_name(struct text rules)
{
	const char *zero = memchr(rules.data, '\0', rules.size);

	return text_from(rules.data, zero ? (size_t)(zero - rules.data) : rules.size);
}

bool zone_rules_are_utc(struct text rules)
{
	return rules.size == 6 && memcmp(rules.data, "UTC\0=0", 6) == 0;
}

/* -- Changes by a rule -- */

/* In seconds since 1970, as if the clock showed UTC. */
static int64_t change_time(const struct change_rule *rule, int32_t year)
{
	int64_t first = days_from_civil(year, 1, 1), day;
	bool leap = days_in_month(year, 2) == 29;

	if (rule->kind == 'M') {
		unsigned month = (unsigned)rule->month;
		int64_t month_first = days_from_civil(year, month, 1);
		int64_t weekday = ((month_first + 4) % 7 + 7) % 7; /* of the first, Sunday is 0 */

		day = month_first + (rule->day - weekday + 7) % 7 + 7 * (rule->week - 1);
		if (day >= month_first + days_in_month(year, month))
			day -= 7;
	} else if (rule->kind == 'J') {
		day = first + rule->day - 1 + (leap && rule->day >= 60);
	} else {
		day = first + rule->day;
	}
	return day * SECONDS_PER_DAY + rule->time;
}

/* -- Files -- */

static int64_t big_endian(const uint8_t *at, unsigned size)
{
	uint64_t value = *at & 0x80 ? ~UINT64_C(0) : 0;

	for (unsigned i = 0; i < size; i++)
		value = value << 8 | at[i];
	return (int64_t)value;
}

/* The counts of a header, in the order in which they stand. */
enum {
	COUNT_UT,
	COUNT_STANDARD,
	COUNT_LEAP,
	COUNT_TIMES,
	COUNT_KINDS,
	COUNT_NAMES,
	COUNTS,
};

static bool read_header(const uint8_t *at, const uint8_t *end, uint32_t counts[COUNTS])
{
	if (end - at < HEADER_SIZE || memcmp(at, "TZif", 4) != 0)
		return false;
	for (unsigned i = 0; i < COUNTS; i++) {
		counts[i] = (uint32_t)big_endian(at + COUNTS_AT + 4 * (size_t)i, 4);
		if (counts[i] > CHANGES_MAX)
			return false;
	}
	return counts[COUNT_KINDS] >= 1 && counts[COUNT_KINDS] <= KINDS_MAX;
}

static size_t data_size(const uint32_t counts[COUNTS], size_t time_size)
{
	return counts[COUNT_TIMES] * (time_size + 1) + counts[COUNT_KINDS] * 6 +
	       counts[COUNT_NAMES] + counts[COUNT_LEAP] * (time_size + 4) + counts[COUNT_STANDARD] +
	       counts[COUNT_UT];
}

static void add_change(struct zone *zone, int64_t time, int32_t offset)
{
	if (zone->count > 0 && zone->times[zone->count - 1] >= time)
		return;
	zone->times[zone->count] = time;
	zone->offsets[++zone->count] = offset;
}

/* The changes of the years behind those of the file, or from `year` on. */
static void add_years(struct zone *zone, const struct year_rule *rule, int32_t year)
{
	for (; rule->has_summer && year < RULES_UNTIL_YEAR; year++) {
		int64_t start = change_time(&rule->start, year) - rule->standard;
		int64_t end = change_time(&rule->end, year) - rule->summer;

		if (start < end)
			add_change(zone, start, rule->summer);
		add_change(zone, end, rule->standard);
		if (start > end)
			add_change(zone, start, rule->summer);
	}
	if (rule->has_summer)
		zone->repeats = days_from_civil(RULES_UNTIL_YEAR, 1, 1) * SECONDS_PER_DAY;
}

/* Whether a kind of time is called so; the kinds are followed by all names. */
static bool kind_is_called(
	const uint8_t *kinds, uint32_t kind, const uint32_t counts[COUNTS], const char *name)
{
	const uint8_t *names = kinds + 6 * (size_t)counts[COUNT_KINDS];
	uint32_t at = kinds[6 * (size_t)kind + 5];

	return at < counts[COUNT_NAMES] &&
	       strnlen(name, ZONE_NAME_MAX) < counts[COUNT_NAMES] - at &&
	       strcmp((const char *)names + at, name) == 0;
}

/* Of a zone that has such a name: the changes to that time alone. */
static bool read_changes_to(struct zone *zone, const uint8_t *at, const uint32_t counts[COUNTS],
	const char *name, struct arena *arena)
{
	const uint8_t *indexes = at + 8 * (size_t)counts[COUNT_TIMES];
	const uint8_t *kinds = indexes + counts[COUNT_TIMES];

	zone->times = arena_alloc(arena, (counts[COUNT_TIMES] + 1) * sizeof(*zone->times));
	zone->offsets = arena_alloc(arena, (counts[COUNT_TIMES] + 1) * sizeof(*zone->offsets));
	for (uint32_t i = 0; i < counts[COUNT_TIMES]; i++)
		if (indexes[i] < counts[COUNT_KINDS] &&
			kind_is_called(kinds, indexes[i], counts, name))
			add_change(zone, big_endian(at + 8 * (size_t)i, 8),
				(int32_t)big_endian(kinds + 6 * (size_t)indexes[i], 4));
	if (zone->count == 0)
		return false;
	zone->offsets[0] = zone->offsets[1];
	zone->repeats = INT64_MAX;
	zone->by_name = true;
	return true;
}

/* The second, 64-bit part of a file. */
static bool read_changes(struct zone *zone, const uint8_t *at, const uint8_t *end,
	const uint32_t counts[COUNTS], struct arena *arena)
{
	const uint8_t *kinds = at + 8 * (size_t)counts[COUNT_TIMES];
	const uint8_t *offsets = kinds + counts[COUNT_TIMES];
	const char *footer = (const char *)at + data_size(counts, 8);
	size_t room = counts[COUNT_TIMES] + 2 * (RULES_UNTIL_YEAR - 1800) + 2;
	const char *line_end;
	struct year_rule rule;
	int64_t last;

	zone->times = arena_alloc(arena, room * sizeof(*zone->times));
	zone->offsets = arena_alloc(arena, (room + 1) * sizeof(*zone->offsets));
	zone->offsets[0] = (int32_t)big_endian(offsets, 4);
	for (uint32_t i = 0; i < counts[COUNT_TIMES]; i++) {
		if (kinds[i] >= counts[COUNT_KINDS])
			return false;
		add_change(zone, big_endian(at + 8 * (size_t)i, 8),
			(int32_t)big_endian(offsets + 6 * (size_t)kinds[i], 4));
	}
	zone->repeats = INT64_MAX;
	if ((const uint8_t *)footer >= end || *footer++ != '\n')
		return false;
	line_end = memchr(footer, '\n', (size_t)((const char *)end - footer));
	if (!line_end)
		return false;
	if (line_end == footer)
		return true;
	if (!parse_rule(footer, (size_t)(line_end - footer), &rule))
		return false;
	if (rule.has_summer && zone->count > 0 &&
		civil_from_days(zone->times[zone->count - 1] / SECONDS_PER_DAY).year < 1800)
		return false;
	last = zone->count > 0 ? zone->times[zone->count - 1] : 0;
	add_years(zone, &rule, civil_from_days(timestamp_days(last * MICROS_PER_SECOND)).year);
	return true;
}

/* One that is a rule alone. */
static bool read_posix(struct zone *zone, struct text text, struct arena *arena)
{
	size_t room = 2 * (RULES_UNTIL_YEAR - RULES_FROM_YEAR) + 2;
	struct year_rule rule;

	if (!parse_rule(text.data, text.size, &rule))
		return false;
	zone->times = arena_alloc(arena, room * sizeof(*zone->times));
	zone->offsets = arena_alloc(arena, (room + 1) * sizeof(*zone->offsets));
	zone->offsets[0] = rule.standard;
	zone->repeats = INT64_MAX;
	add_years(zone, &rule, RULES_FROM_YEAR);
	return true;
}

/* With a name, what that abbreviation stands for, if the file knows it. */
static bool read_zone(struct zone *zone, struct text data, const char *name, struct arena *arena)
{
	const uint8_t *at = (const uint8_t *)data.data, *end = at + data.size;
	uint32_t counts[COUNTS];

	if (!read_header(at, end, counts) || at[4] < '2')
		return false;
	at += HEADER_SIZE;
	if ((size_t)(end - at) < data_size(counts, 4))
		return false;
	at += data_size(counts, 4);
	if (!read_header(at, end, counts))
		return false;
	at += HEADER_SIZE;
	if ((size_t)(end - at) < data_size(counts, 8))
		return false;
	return (name && read_changes_to(zone, at, counts, name, arena)) ||
	       read_changes(zone, at, end, counts, arena);
}

/* The abbreviation, then the file. */
static bool read_varying(struct zone *zone, struct text data, struct arena *arena)
{
	const char *zero = memchr(data.data, '\0', data.size);

	if (!zero)
		return false;
	return read_zone(zone, text_from(zero + 1, data.size - (size_t)(zero + 1 - data.data)),
		data.data, arena);
}

const struct zone *zone_new(struct text rules, struct arena *arena)
{
	struct zone *zone = arena_zalloc(arena, sizeof(*zone));
	struct text name = zone_rules_name(rules);
	struct text data;

	if (name.size + 1 >= rules.size || rules.size > ZONE_RULES_MAX)
		return NULL;
	data = text_from(name.data + name.size + 1, rules.size - name.size - 1);
	if (*data.data == '=') {
		struct rule_cursor c = {data.data + 1, data.data + data.size};
		bool negative = take(&c, '-');
		int64_t offset;

		if (!take_number(&c, SECONDS_PER_DAY * 2, &offset) || c.at != c.end)
			return NULL;
		zone->offsets = arena_alloc(arena, sizeof(*zone->offsets));
		zone->offsets[0] = (int32_t)(negative ? -offset : offset);
		zone->repeats = INT64_MAX;
		return zone;
	}
	if (*data.data == '!')
		return read_posix(zone, text_from(data.data + 1, data.size - 1), arena) ? zone
											: NULL;
	if (*data.data == '~')
		return read_varying(zone, text_from(data.data + 1, data.size - 1), arena) ? zone
											  : NULL;
	return read_zone(zone, data, NULL, arena) ? zone : NULL;
}

/* -- Times -- */

static int64_t seconds_of(int64_t micros)
{
	return micros / MICROS_PER_SECOND - (micros % MICROS_PER_SECOND < 0);
}

/* How many changes are at or before a time. */
static uint32_t changes_until(const struct zone *zone, int64_t seconds)
{
	uint32_t low = 0, high = zone->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (zone->times[middle] <= seconds)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int64_t within_rules(const struct zone *zone, int64_t seconds)
{
	if (seconds < zone->repeats)
		return seconds;
	return seconds - ((seconds - zone->repeats) / SECONDS_PER_ERA + 1) * SECONDS_PER_ERA;
}

int32_t zone_offset(const struct zone *zone, int64_t micros)
{
	return zone->offsets[changes_until(zone, within_rules(zone, seconds_of(micros)))];
}

static int32_t offset_on_the_wall(const struct zone *zone, int64_t micros)
{
	int64_t seconds = within_rules(zone, seconds_of(micros));
	/* The first change behind the day before: that one alone may concern this time. */
	uint32_t next = changes_until(zone, seconds - SECONDS_PER_DAY);
	int64_t before, after;

	if (next == zone->count)
		return zone->offsets[next];
	before = seconds - zone->offsets[next];
	after = seconds - zone->offsets[next + 1];
	if (before < zone->times[next] && after < zone->times[next])
		return zone->offsets[next];
	if (before >= zone->times[next] && after >= zone->times[next])
		return zone->offsets[next + 1];
	return before > after ? zone->offsets[next] : zone->offsets[next + 1];
}

int32_t zone_offset_of_local(const struct zone *zone, int64_t micros)
{
	int32_t offset = offset_on_the_wall(zone, micros);

	return zone->by_name ? zone_offset(zone, micros - offset * MICROS_PER_SECOND) : offset;
}

size_t zone_offset_format(int32_t offset, char text[ZONE_OFFSET_TEXT_MAX])
{
	int32_t seconds = offset < 0 ? -offset : offset;
	int size = snprintf(
		text, ZONE_OFFSET_TEXT_MAX, "%c%02d", offset < 0 ? '-' : '+', seconds / 3600 % 100);

	if (seconds % 3600 != 0)
		size += snprintf(text + size, ZONE_OFFSET_TEXT_MAX - (size_t)size, ":%02d",
			seconds / 60 % 60);
	if (seconds % 60 != 0)
		size += snprintf(
			text + size, ZONE_OFFSET_TEXT_MAX - (size_t)size, ":%02d", seconds % 60);
	return (size_t)size;
}
