/*
 * Time zones: what a clock on the wall shows, by the rules of tzdata.
 *
 * The rules of a zone are one text, which is a constant of the plan: whoever compiles a query reads
 * them from the system, and every node computes with these, whatever its own system knows. The text
 * is the zone's name, a zero byte, and the file of tzdata (TZif, RFC 8536) as it is, or "=" and the
 * seconds east of UTC, or "!" and a rule of POSIX (CST6CDT,M3.2.0,M11.1.0), or "~",
 * an abbreviation (MSK), a zero byte, and the file of the zone in which it has stood for several offsets.
 */
#ifndef COLUMN_ZONE_H
#define COLUMN_ZONE_H

#include "base/arena.h"
#include "base/error.h"
#include "column/type.h"

#define ZONE_NAME_MAX  64
#define ZONE_RULES_MAX (64u << 10)

struct zone;

/*
 * The rules of a zone by its name, in any case, by an abbreviation such as CEST, or by a rule of POSIX, which
 * counts hours to the west (UTC-2). ERROR_SQL when
 * there is none.
 */
MUST_CHECK int zone_rules_find(
	const char *name, size_t size, struct arena *arena, struct text *rules, struct error *err);
/* Those of a fixed distance. */
struct text zone_rules_fixed(int32_t offset, struct arena *arena);
/* The name in front of the rules. */
struct text zone_rules_name(struct text rules);
/* Whether they say that it is always UTC. */
bool zone_rules_are_utc(struct text rules);

/* NULL when the text is not what zone_rules_find gives. In the arena. */
const struct zone *zone_new(struct text rules, struct arena *arena);
/* Seconds east of UTC, at a time in microseconds since 1970 in UTC. */
int32_t zone_offset(const struct zone *zone, int64_t micros);
/*
 * The same, at a time that the clock shows. Of a time that is left out, or comes twice, the
 * offset before the change is taken, or the one behind it.
 */
int32_t zone_offset_of_local(const struct zone *zone, int64_t micros);

#define ZONE_OFFSET_TEXT_MAX 16
/* "+02", "-03:30": as PostgreSQL prints it. Returns the length. */
size_t zone_offset_format(int32_t offset, char text[ZONE_OFFSET_TEXT_MAX]);

#endif
