#include "column/zone.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define MICROS INT64_C(1000000)

static const struct zone *find(const char *name, struct arena *arena)
{
	struct text rules;
	struct error err;

	assert_int_equal(zone_rules_find(name, strlen(name), arena, &rules, &err), 0);
	return zone_new(rules, arena);
}

static void test_offsets(void **state)
{
	struct arena arena;
	const struct zone *berlin;

	(void)state;
	arena_init(&arena, 4096);
	berlin = find("europe/BERLIN", &arena);
	assert_non_null(berlin);
	/* 2024-03-31 01:00 UTC, and the second before. */
	assert_int_equal(zone_offset(berlin, 1711846799 * MICROS), 3600);
	assert_int_equal(zone_offset(berlin, 1711846800 * MICROS), 7200);
	assert_int_equal(zone_offset(berlin, 1711846800 * MICROS - 1), 3600);
	/* 02:30 of that day is left out: as before the change. */
	assert_int_equal(zone_offset_of_local(berlin, 1711852200 * MICROS), 3600);
	/* 2024-10-27 02:30 comes twice: as behind the change. */
	assert_int_equal(zone_offset_of_local(berlin, 1729996200 * MICROS), 3600);
	/* The same days four eras later. */
	assert_int_equal(
		zone_offset(berlin, (1711846799 + 4 * INT64_C(12622780800)) * MICROS), 3600);
	assert_int_equal(
		zone_offset(berlin, (1711846800 + 4 * INT64_C(12622780800)) * MICROS), 7200);
	assert_int_equal(zone_offset(find("EST", &arena), 0), -18000);
	arena_release(&arena);
}

static void test_rules(void **state)
{
	struct arena arena;
	struct text fixed, rules;
	struct error err;

	(void)state;
	arena_init(&arena, 4096);
	fixed = zone_rules_fixed(0, &arena);
	assert_true(zone_rules_are_utc(fixed));
	fixed = zone_rules_fixed(-12600, &arena);
	assert_false(zone_rules_are_utc(fixed));
	assert_int_equal(zone_rules_name(fixed).size, 6);
	assert_memory_equal(fixed.data, "-03:30", 6);
	assert_int_equal(zone_offset(zone_new(fixed, &arena), 0), -12600);
	assert_int_equal(zone_rules_find("../passwd", 9, &arena, &rules, &err), -1);
	assert_int_equal(zone_rules_find("Europe", 6, &arena, &rules, &err), -1);
	assert_int_equal(zone_rules_find("posixrules/x", 12, &arena, &rules, &err), -1);
	arena_release(&arena);
}

/* Rules come in plans from other nodes: whatever is cut off or changed is refused, or read. */
static void test_damage(void **state)
{
	struct arena arena;
	struct text rules;
	struct error err;
	char *bytes;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(zone_rules_find("America/New_York", 16, &arena, &rules, &err), 0);
	for (uint32_t size = 0; size < rules.size; size++)
		assert_null(zone_new(text_from(rules.data, size), &arena));
	bytes = arena_copy(&arena, rules.data, rules.size);
	for (uint32_t i = 0; i < rules.size; i++) {
		const struct zone *zone;

		bytes[i] = (char)~bytes[i];
		zone = zone_new(text_from(bytes, rules.size), &arena);
		if (zone)
			(void)zone_offset_of_local(zone, INT64_C(1700000000) * MICROS);
		bytes[i] = (char)~bytes[i];
	}
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offsets),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
