#include "column/time_unit.h"

#include <string.h>
#include <strings.h>

#define UNIT_NAMES_MAX 7
/* PostgreSQL looks at no more of a name: "microsecondly" is microseconds. */
#define UNIT_NAME_SIGNIFICANT 10

static const struct unit_names {
	enum time_unit unit;
	const char *names[UNIT_NAMES_MAX];
} unit_names[] = {
	{UNIT_MICROSECOND, {"microsecond", "us", "usec", "usecs", "useconds", "usecond"}},
	{UNIT_MILLISECOND, {"millisecond", "ms", "msec", "msecs", "mseconds", "msecond"}},
	{UNIT_SECOND, {"second", "seconds", "sec", "secs", "s"}},
	{UNIT_MINUTE, {"minute", "minutes", "min", "mins", "m"}},
	{UNIT_HOUR, {"hour", "hours", "hr", "hrs", "h"}},
	{UNIT_DAY, {"day", "days", "d"}},
	{UNIT_WEEK, {"week", "weeks", "w"}},
	{UNIT_MONTH, {"month", "months", "mon", "mons"}},
	{UNIT_QUARTER, {"quarter", "qtr"}},
	{UNIT_YEAR, {"year", "years", "yr", "yrs", "y"}},
	{UNIT_DECADE, {"decade", "decades", "dec", "decs"}},
	{UNIT_CENTURY, {"century", "centuries", "cent", "c"}},
	{UNIT_MILLENNIUM, {"millennium", "millennia", "mil", "mils"}},
	{UNIT_DOW, {"dow"}},
	{UNIT_ISODOW, {"isodow"}},
	{UNIT_DOY, {"doy"}},
	{UNIT_ISOYEAR, {"isoyear"}},
	{UNIT_EPOCH, {"epoch"}},
	{UNIT_JULIAN, {"julian"}},
};

static size_t significant(size_t size)
{
	return size < UNIT_NAME_SIGNIFICANT ? size : UNIT_NAME_SIGNIFICANT;
}

static bool unit_has_name(const struct unit_names *unit, struct text name)
{
	for (size_t i = 0; i < UNIT_NAMES_MAX && unit->names[i]; i++) {
		size_t size = significant(strlen(unit->names[i]));

		if (size == significant(name.size) &&
			strncasecmp(unit->names[i], name.data, size) == 0)
			return true;
	}
	return false;
}

bool time_unit_parse(struct text name, enum time_unit *unit)
{
	for (size_t i = 0; name.size > 0 && i < sizeof(unit_names) / sizeof(*unit_names); i++) {
		if (unit_has_name(&unit_names[i], name)) {
			*unit = unit_names[i].unit;
			return true;
		}
	}
	return false;
}
