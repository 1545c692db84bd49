/* What a process remembers of jobs. */
#include "base/trace.h"

#include "base/json_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct json_value *events_of(uint64_t job, struct arena *arena, bool *missing)
{
	struct json_value *root;
	struct error err;
	struct buf text;

	buf_init(&text, TRACE_BYTES_MAX);
	trace_render(job, &text);
	assert_false(buf_overflowed(&text));
	assert_int_equal(json_read(text.data, text.size, arena, &root, &err), 0);
	buf_release(&text);
	*missing = json_number(root, "missing") != 0;
	return json_get(root, "events")->first;
}

static void nothing_is_kept_before_it_is_wanted(void **state)
{
	struct arena arena;
	bool missing;

	(void)state;
	arena_init(&arena, 4096);
	assert_int_equal(trace_now(), 0);
	trace_add(&(struct trace_event){.job = 1, .kind = TRACE_MAP});
	assert_null(events_of(1, &arena, &missing));
	assert_false(missing);
	arena_release(&arena);
}

static void each_job_has_its_own(void **state)
{
	const struct json_value *event;
	struct arena arena;
	bool missing;

	(void)state;
	arena_init(&arena, 4096);
	trace_enable();
	trace_add(&(struct trace_event){
		.job = 1, .kind = TRACE_CHUNK, .part = 2, .number = 3, .rows = 4, .bytes = 5});
	trace_add(&(struct trace_event){.job = 2, .kind = TRACE_FOLD});
	event = events_of(1, &arena, &missing);
	assert_string_equal(json_text(event, "kind"), "chunk");
	assert_int_equal((int)json_number(event, "part"), 2);
	assert_int_equal((int)json_number(event, "number"), 3);
	assert_int_equal((int)json_number(event, "rows"), 4);
	assert_int_equal((int)json_number(event, "bytes"), 5);
	/* It had no beginning. */
	assert_true(json_number(event, "start") > 0);
	assert_true(json_number(event, "start") == json_number(event, "end"));
	assert_null(event->next);
	assert_false(missing);
	assert_string_equal(json_text(events_of(2, &arena, &missing), "kind"), "fold");
	assert_null(events_of(3, &arena, &missing));
	arena_release(&arena);
}

static void the_oldest_go(void **state)
{
	struct arena arena;
	bool missing;

	(void)state;
	arena_init(&arena, 4096);
	trace_enable();
	trace_add(&(struct trace_event){.job = 7, .kind = TRACE_MAP});
	for (uint32_t i = 0; i < TRACE_EVENTS_MAX; i++)
		trace_add(&(struct trace_event){.job = 8, .kind = TRACE_MAP, .started_us = 1});
	assert_null(events_of(7, &arena, &missing));
	assert_true(missing);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_kept_before_it_is_wanted),
		cmocka_unit_test(each_job_has_its_own),
		cmocka_unit_test(the_oldest_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
