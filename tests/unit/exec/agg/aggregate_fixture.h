/* For the tests of aggregates: groupings written as tables, over rows written as text. */
#ifndef AGGREGATE_FIXTURE_H
#define AGGREGATE_FIXTURE_H

#include "unit/exec/exec_fixture.h"

#include "base/rng.h"

/* The zeroed rest of an aggregate: no filter, not distinct, sorted by nothing but itself. */
struct spec {
	enum aggregate_id id;
	char type; /* of the argument */
	uint32_t arg;
	uint32_t arg2;
	bool distinct;
	bool has_filter;
	uint32_t filter;
	bool has_sort;
	struct plan_sort_key sort;
	double fraction;
};

/* With the first column as the key where `keyed`. Returns the number of columns that come out. */
static inline uint32_t aggregate_op(struct fixture *f, enum group_phase phase, bool keyed,
	uint32_t count, const struct spec *specs)
{
	static uint32_t first_column[] = {0};
	struct plan_op *op = fixture_op(f, PLAN_GROUP, "");
	struct plan_group *group = &op->group;

	*group = (struct plan_group){.phase = phase, .key_count = keyed, .keys = first_column};
	group->aggregate_count = count;
	group->aggregates = arena_zalloc(&f->arena, (count + 1) * sizeof(*group->aggregates));
	op->types = arena_zalloc(&f->arena, (2 * count + 1) * sizeof(*op->types));
	if (keyed)
		op->types[op->column_count++] = type_of(TYPE_BIGINT);
	for (uint32_t i = 0; i < count; i++) {
		const struct spec *from = &specs[i];
		struct plan_aggregate *to = &group->aggregates[i];
		struct type *out = &op->types[op->column_count];

		to->id = from->id;
		to->arg = phase == GROUP_FINAL ? keyed + i : from->arg;
		to->arg2 = from->arg2;
		to->filter = from->has_filter ? from->filter : PLAN_NONE;
		to->distinct = from->distinct;
		to->arg_type = fixture_type(from->type);
		to->sort_count = from->has_sort;
		to->sort = memcpy(arena_alloc(&f->arena, sizeof(from->sort)), &from->sort,
			sizeof(from->sort));
		to->fraction = from->fraction;
		assert_true(aggregate_result_type(to->id, to->arg_type, &to->type));
		if (phase == GROUP_PARTIAL) {
			op->column_count += aggregate_state_types(to->id, to->arg_type, out);
		} else {
			*out = to->type;
			op->column_count++;
		}
	}
	return op->column_count;
}

/* The result of one grouping without keys, of a single batch. */
static inline void check_aggregates(uint32_t count, const struct spec *specs, const char *letters,
	const char *rows, const char *expected)
{
	struct fixture f;

	fixture_init(&f);
	aggregate_op(&f, GROUP_COMPLETE, false, count, specs);
	fixture_start(&f);
	if (*rows)
		fixture_push(&f, letters, rows);
	assert_string_equal(fixture_finish(&f), expected);
	fixture_release(&f);
}

#define CHECK_AGGREGATES(specs, letters, rows, expected) \
	check_aggregates(sizeof(specs) / sizeof((specs)[0]), specs, letters, rows, expected)

/* The error that a grouping without keys ends in. */
static inline void check_error(uint32_t count, const struct spec *specs, enum group_phase phase,
	const struct batch *batch, enum error_code code, const char *message)
{
	struct fixture f;

	fixture_init(&f);
	aggregate_op(&f, phase, false, count, specs);
	fixture_start(&f);
	assert_true(pipeline_push(f.pipeline, batch, &f.err) < 0 ||
		    pipeline_finish(f.pipeline, &f.err) < 0);
	assert_int_equal(f.err.code, code);
	assert_string_equal(f.err.message, message);
	fixture_release(&f);
}

#endif
