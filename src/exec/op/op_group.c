/*
 * GROUP BY: rows to partial states, states to results, or rows to results at once.
 *
 * A partial group has a bounded table. When it is full its states go on and it starts again; when
 * it was filled by rows that are nearly all different, hashing them is wasted work, and for a long
 * while every row becomes a state of its own ("passing"). A final group whose table outgrows the
 * caches sets its rows aside and groups them part by part at the end (group_parts.h). When there is no
 * memory for that its groups go to a disk (group_disk.c).
 */
#include "exec/op/group_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define PARTIAL_GROUPS_MAX (16u << 10)
#define PARTIAL_BYTES_MAX  (1u << 20)
/* Where states are so wide that a row that passes costs more than one that misses the caches; and of the memory. */
#define PARTIAL_WIDE_BYTES_MAX (4u << 20)
#define PARTIAL_SHARE	       128
/* How many rows pass before the table is tried again. */
#define PASS_ROWS   (1u << 20)
#define ARENA_BLOCK (64u << 10)
/* Of what aggregates hold: groups that become rows at a time. */
#define EMITTED_BYTES_MAX ((size_t)1 << 20)
/* Above so many groups a final table sets rows aside ... */
#define PARTS_GROUPS_MIN (16u << 10)
/* ... and groups those it has set aside, when they take this much or twice what they shrank to. */
#define PARTS_BYTES_MIN (16u << 20)

/* The rows of an aggregate: not NULL in its arguments, true in `filter`; any may be missing. */
static struct aggregate_input take_rows(struct op_group *group, const struct batch *batch,
	const struct column *arg, const struct column *arg2, const struct column *filter)
{
	struct aggregate_input input = {
		.count = batch->selected,
		.rows = group->rows,
		.index = batch->sel ? batch->sel : group->identity,
		.one_group = group->plan->key_count == 0,
	};
	uint32_t count = 0;

	if (!filter && (!arg || !arg->valid) && (!arg2 || !arg2->valid))
		return input;
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = input.index[k];
		bool taken = !arg || !column_is_null(arg, row);

		if (taken && arg2)
			taken = !column_is_null(arg2, row);
		if (taken && filter)
			taken = !column_is_null(filter, row) &&
				filter->u8[column_index(filter, row)];
		group->taken[count] = (uint16_t)row;
		group->taken_rows[count] = group->rows[k];
		count += taken;
	}
	input.count = count;
	input.rows = group->taken_rows;
	input.index = group->taken;
	return input;
}

/* The rows of `input` as a column: row i is the value at index[i]. */
static struct column gather(
	const struct column *from, const struct aggregate_input *input, struct arena *arena)
{
	size_t size = physical_size(type_physical(from->type.kind));
	struct column to;

	column_init(&to, from->type, input->count, arena);
	if (from->valid)
		column_add_validity(&to, input->count, arena);
	for (uint32_t i = 0; i < input->count; i++) {
		uint32_t row = column_index(from, input->index[i]);

		memcpy((char *)to.values + i * size, (const char *)from->values + row * size, size);
		if (from->valid)
			to.valid[i] = from->valid[row];
	}
	return to;
}

/* Narrows the input to the first occurrence of its arguments in their group. */
static int take_distinct(struct op_group *group, uint32_t which, const struct batch *batch,
	struct aggregate_input *input, struct error *err)
{
	static const uint32_t keys[] = {0, 1, 2};
	const struct aggregate *aggregate = &group->aggregates.items[which];
	const struct column *arg = &batch->columns[aggregate->arg];
	struct column columns[3];
	struct batch seen = {.column_count = 2, .columns = columns};
	uint8_t *seen_rows[BATCH_ROWS_MAX];
	uint32_t created;

	if (input->count == 0)
		return 0;
	arena_reset(&group->arena);
	seen.rows = seen.selected = input->count;
	column_init(&columns[0], type_of(TYPE_BIGINT), input->count, &group->arena);
	for (uint32_t i = 0; i < input->count; i++) {
		uint32_t number;

		memcpy(&number, input->rows[i] + group->number_offset, sizeof(number));
		columns[0].i64[i] = number;
	}
	columns[1] = gather(arg, input, &group->arena);
	if (aggregate->arg2 != PLAN_NONE)
		columns[seen.column_count++] =
			gather(&batch->columns[aggregate->arg2], input, &group->arena);
	if (group_table_find(
		    &group->seen[which], &seen, keys, seen_rows, group->created, &created, err) < 0)
		return -1;
	if (aggregate_update_repeated(
		    &group->aggregates, aggregate, arg, input, &group->arena, err) < 0)
		return -1;
	for (uint32_t i = 0; i < created; i++) {
		uint32_t k = group->created[i];

		group->taken[i] = input->index[k];
		group->taken_rows[i] = input->rows[k];
	}
	input->count = created;
	input->rows = group->taken_rows;
	input->index = group->taken;
	return 0;
}

int group_fold_distinct(struct op_group *group, uint32_t which, const struct batch *batch,
	struct aggregate_input *input, struct error *err)
{
	const struct aggregate *aggregate = &group->aggregates.items[which];

	if (take_distinct(group, which, batch, input, err))
		return -1;
	return aggregate_update_rows(&group->aggregates, aggregate, batch, input, err);
}

static const struct column *column_or_null(const struct batch *batch, uint32_t column)
{
	return column == PLAN_NONE ? NULL : &batch->columns[column];
}

/* Rows with a NULL do not count, but for a delimiter and for what array_agg collects. */
static struct aggregate_input take_arguments(
	struct op_group *group, const struct aggregate *aggregate, const struct batch *batch)
{
	const struct column *arg = column_or_null(batch, aggregate->arg);
	const struct column *arg2 = column_or_null(batch, aggregate->arg2);

	return take_rows(group, batch, aggregate->id == AGG_ARRAY_AGG ? NULL : arg,
		aggregate->id == AGG_STRING_AGG ? NULL : arg2,
		column_or_null(batch, aggregate->filter));
}

static int fold_rows(struct op_group *group, const struct batch *batch, struct error *err)
{
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		struct aggregate_input input = take_arguments(group, aggregate, batch);

		if (aggregate->distinct ? group_fold_distinct(group, i, batch, &input, err)
					: aggregate_update_rows(&group->aggregates, aggregate,
						  batch, &input, err))
			return -1;
	}
	return 0;
}

int group_fold_states(
	struct op_group *group, const struct batch *batch, enum group_form form, struct error *err)
{
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		uint32_t column = group->layouts[form].states[i];
		const struct column *states = &batch->columns[column];
		struct aggregate_input input;
		int status;

		if (column == PLAN_NONE)
			continue;
		input = take_rows(group, batch, states, NULL, NULL);
		if (aggregate->distinct)
			arena_reset(&group->arena);
		/* What a DISTINCT has seen comes as values: its state says no more than the scale. */
		status = aggregate->distinct
				 ? aggregate_update_repeated(&group->aggregates, aggregate, states,
					   &input, &group->arena, err)
				 : aggregate_merge(
					   &group->aggregates, aggregate, states, &input, err);
		if (status < 0)
			return -1;
	}
	return 0;
}

int group_find(
	struct op_group *group, const struct batch *batch, const uint32_t *keys, struct error *err)
{
	uint32_t before = group->table.count, created;

	if (group_table_find(
		    &group->table, batch, keys, group->rows, group->created, &created, err) < 0)
		return -1;
	for (uint32_t i = 0; group->seen && i < created; i++) {
		uint32_t number = before + i;

		memcpy(group->rows[group->created[i]] + group->number_offset, &number,
			sizeof(number));
	}
	return 0;
}

static int find_groups(struct op_group *group, const struct batch *batch, struct error *err)
{
	return group_find(group, batch, group->plan->keys, err);
}

static int fold_states(struct op_group *group, const struct batch *batch, struct error *err)
{
	return group_fold_states(group, batch, GROUP_FORM_INPUT, err);
}

/* Rows first .. first + count - 1 of the table as keys and results, or, partial, keys and states.
 */
static int emit_rows(struct op_group *group, uint32_t first, uint32_t count, struct error *err)
{
	struct batch batch = {
		.rows = count,
		.selected = count,
		.column_count = group->column_count,
		.columns = group->columns,
	};
	struct column *out = group->columns;
	bool partial = group->plan->phase == GROUP_PARTIAL;

	arena_reset(&group->arena);
	for (uint32_t i = 0; i < group->plan->key_count; i++)
		group_table_read_key(&group->table, i, first, count, out++, &group->arena);
	for (uint32_t k = 0; k < count; k++)
		group->rows[k] = group_table_row(&group->table, first + k);
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		int status = partial ? aggregate_read_states(aggregate, group->rows, count, out,
					       &group->arena, err)
				     : aggregate_read_result(aggregate, group->rows, count, out,
					       &group->arena, err);

		if (status < 0)
			return -1;
		out += partial ? aggregate->state_count : 1;
	}
	return op_push(group->op.next, &batch, err);
}

static void release_rows(struct op_group *group, uint32_t first, uint32_t count)
{
	if (!group->aggregates.on_heap)
		return;
	for (uint32_t i = first; i < first + count; i++)
		aggregates_release_row(&group->aggregates, group_table_row(&group->table, i));
}

/* Fewer groups at a time where they have long lists or texts: results stand beside what they are made of. */
static uint32_t emitted_at_once(const struct op_group *group)
{
	uint32_t total = group->table.count;
	size_t bytes = total ? aggregates_bytes(&group->aggregates, total) / total : 0;

	if (bytes * BATCH_ROWS_MAX <= EMITTED_BYTES_MAX)
		return BATCH_ROWS_MAX;
	return bytes < EMITTED_BYTES_MAX ? (uint32_t)(EMITTED_BYTES_MAX / bytes) : 1;
}

int group_emit_table(struct op_group *group, bool last, struct error *err)
{
	uint32_t total = group->table.count, at_once = emitted_at_once(group);

	for (uint32_t first = 0; first < total; first += at_once) {
		uint32_t rest = total - first;
		uint32_t count = rest < at_once ? rest : at_once;

		if (last)
			group_table_drop_before(&group->table, first);
		if (emit_rows(group, first, count, err) < 0)
			return -1;
		release_rows(group, first, count);
	}
	return 0;
}

/* Of a group's number, in its state. */
static uint32_t number_place(const struct op_group *group)
{
	return (uint32_t)(group->aggregates.state_size + 7) / 8 * 8;
}

static size_t state_size(const struct op_group *group)
{
	return group->seen ? number_place(group) + sizeof(uint64_t) : group->aggregates.state_size;
}

static void clear_table(struct op_group *group)
{
	aggregates_clear(&group->aggregates);
	group_table_clear(&group->table);
}

static int flush_partial(struct op_group *group, struct error *err)
{
	uint32_t groups = group->table.count;

	if (group_emit_table(group, false, err) < 0)
		return -1;
	clear_table(group);
	if (groups > group->filled_rows / 2)
		group->pass_rows = PASS_ROWS;
	group->filled_rows = 0;
	return 0;
}

/* Every selected row is a group of its own: keys are borrowed, the selection stays. */
static int pass_batch(struct op_group *group, const struct batch *batch, struct error *err)
{
	struct batch made = *batch;
	struct column *out = group->columns;

	made.column_count = group->column_count;
	made.columns = group->columns;
	arena_reset(&group->arena);
	for (uint32_t i = 0; i < group->plan->key_count; i++)
		*out++ = batch->columns[group->plan->keys[i]];
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		aggregate_pass(&group->aggregates.items[i], batch, out, &group->arena);
		out += group->aggregates.items[i].state_count;
	}
	group->pass_rows -= batch->selected < group->pass_rows ? batch->selected : group->pass_rows;
	return op_push(group->op.next, &made, err);
}

int group_take_states(
	struct op_group *group, enum group_form form, states_taker take, struct error *err)
{
	const struct group_layout *layout = &group->layouts[form];
	struct column *columns = memory_zalloc((layout->column_count + 1) * sizeof(*columns));
	int status = 0;

	for (uint32_t first = 0; first < group->table.count && !status; first += BATCH_ROWS_MAX) {
		uint32_t rest = group->table.count - first;
		struct batch batch = {.column_count = layout->column_count, .columns = columns};

		batch.rows = batch.selected = rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX;
		arena_reset(&group->arena);
		for (uint32_t i = 0; i < group->plan->key_count; i++)
			group_table_read_key(&group->table, i, first, batch.rows,
				&columns[layout->keys[i]], &group->arena);
		for (uint32_t k = 0; k < batch.rows; k++)
			group->rows[k] = group_table_row(&group->table, first + k);
		for (uint32_t i = 0; i < group->aggregates.count && !status; i++)
			if (layout->states[i] != PLAN_NONE)
				status = aggregate_read_states(&group->aggregates.items[i],
					group->rows, batch.rows, &columns[layout->states[i]],
					&group->arena, err);
		if (!status)
			status = take(group, &batch, err);
	}
	free(columns);
	return status;
}

static int put_aside(struct op_group *group, const struct batch *batch, struct error *err)
{
	(void)err;
	group_parts_add(group->parts, batch);
	return 0;
}

/* Moves the table's groups to the parts. */
static int set_table_aside(struct op_group *group, struct error *err)
{
	int status = group_take_states(group, GROUP_FORM_INPUT, put_aside, err);

	clear_table(group);
	return status;
}

int group_fold_part(struct op_group *group, uint32_t part, struct error *err)
{
	struct group_block *block = group_parts_take(group->parts, part);

	while (block) {
		struct batch batch;

		block = group_parts_read(group->parts, block, &batch);
		if (op_check_stop(&group->op, err) || find_groups(group, &batch, err) < 0 ||
			fold_states(group, &batch, err) < 0) {
			group_blocks_free(block);
			return -1;
		}
	}
	return 0;
}

/* Rows with equal keys may have piled up: groups every part and sets its groups aside again. */
static int compact_parts(struct op_group *group, struct error *err)
{
	size_t bytes;

	for (uint32_t part = 0; part < GROUP_PARTS; part++)
		if (group_fold_part(group, part, err) < 0 || set_table_aside(group, err) < 0)
			return -1;
	bytes = group_parts_bytes(group->parts);
	group->parts_bytes_max = 2 * bytes > PARTS_BYTES_MIN ? 2 * bytes : PARTS_BYTES_MIN;
	return 0;
}

/* Back to one table, because of rows that cannot be set aside. */
static int gather_parts(struct op_group *group, struct error *err)
{
	for (uint32_t part = 0; part < GROUP_PARTS; part++)
		if (group_fold_part(group, part, err) < 0)
			return -1;
	group_parts_free(group->parts);
	group->parts = NULL;
	return 0;
}

static int emit_parts(struct op_group *group, struct error *err)
{
	for (uint32_t part = 0; part < GROUP_PARTS; part++) {
		if (group_fold_part(group, part, err) < 0 ||
			group_emit_table(group, false, err) < 0)
			return -1;
		clear_table(group);
	}
	return 0;
}

/* Tables of what a DISTINCT has seen, empty; none where nobody needs them. */
static void make_seen(struct op_group *group)
{
	bool any = false;

	for (uint32_t i = 0; i < group->aggregates.count; i++)
		any |= group->aggregates.items[i].distinct;
	if (!any)
		return;
	group->seen = memory_zalloc(group->aggregates.count * sizeof(*group->seen));
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		/* A second argument has the type of the first. */
		const struct type types[] = {
			type_of(TYPE_BIGINT), aggregate->arg_type, aggregate->arg_type};
		uint32_t arguments = aggregate->arg2 == PLAN_NONE ? 1 : 2;

		group_table_init(
			&group->seen[i], aggregate->distinct ? 1 + arguments : 0, types, 0);
	}
}

static void free_seen(struct op_group *group)
{
	for (uint32_t i = 0; group->seen && i < group->aggregates.count; i++)
		group_table_release(&group->seen[i]);
	free(group->seen);
	group->seen = NULL;
}

void group_renew_table(struct op_group *group)
{
	release_rows(group, 0, group->table.count);
	aggregates_clear(&group->aggregates);
	group_table_release(&group->table);
	group_table_init(
		&group->table, group->plan->key_count, group->key_types, state_size(group));
	if (!group->seen)
		return;
	free_seen(group);
	make_seen(group);
}

static int consume_states(struct op_group *group, const struct batch *batch, struct error *err)
{
	bool large = group->parts || group->table.count > PARTS_GROUPS_MIN;

	if (large && !group->parts_refused && !group_parts_fit(batch)) {
		group->parts_refused = true;
		if (group->parts && gather_parts(group, err) < 0)
			return -1;
	}
	if (!large || group->parts_refused) {
		group->parts_refused |= !large && !group_parts_fit(batch);
		return find_groups(group, batch, err) < 0 ? -1 : fold_states(group, batch, err);
	}
	if (!group->parts) {
		group->parts = group_parts_new(group->plan->key_count, group->plan->keys);
		group->parts_bytes_max = PARTS_BYTES_MIN;
		if (set_table_aside(group, err) < 0)
			return -1;
	}
	group_parts_add(group->parts, batch);
	if (group_parts_bytes(group->parts) > group->parts_bytes_max)
		return compact_parts(group, err);
	return 0;
}

static size_t partial_bytes_max(const struct op_group *group)
{
	size_t most = group->wide_states ? PARTIAL_WIDE_BYTES_MAX : PARTIAL_BYTES_MAX, share;

	if (!group->op.memory)
		return most;
	share = group->op.memory->budget->limit / PARTIAL_SHARE;
	share = share > PARTIAL_BYTES_MAX ? share : PARTIAL_BYTES_MAX;
	return share < most ? share : most;
}

static bool partial_is_full(const struct op_group *group)
{
	size_t bytes = (size_t)group->table.count * group->table.row_size +
		       group->table.arena.held + group->aggregates.texts.held;

	return group->plan->key_count > 0 &&
	       (group->table.count >= PARTIAL_GROUPS_MAX || bytes > partial_bytes_max(group));
}

static int group_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_group *group = (struct op_group *)op;

	if (group->plan->phase == GROUP_FINAL)
		return consume_states(group, batch, err) ? -1 : group_check_memory(group, err);
	if (group->pass_rows > 0)
		return pass_batch(group, batch, err);
	if (find_groups(group, batch, err) < 0 || fold_rows(group, batch, err) < 0)
		return -1;
	group->filled_rows += batch->selected;
	if (group->plan->phase == GROUP_PARTIAL && partial_is_full(group))
		return flush_partial(group, err);
	return group->plan->phase == GROUP_COMPLETE ? group_check_memory(group, err) : 0;
}

static int group_finish(struct op *op, struct error *err)
{
	struct op_group *group = (struct op_group *)op;
	static const struct batch one_row = {.rows = 1, .selected = 1};
	bool must_have_row = group->plan->key_count == 0 && group->plan->phase != GROUP_PARTIAL;

	/* Over no input, a row of states of nothing. */
	if (must_have_row && group->table.count == 0 && find_groups(group, &one_row, err) < 0)
		return -1;
	aggregates_stop_with(&group->aggregates, op->stop);
	if (group->disk)
		return group_finish_disk(group, err);
	free_seen(group);
	return group->parts ? emit_parts(group, err) : group_emit_table(group, true, err);
}

static void group_free(struct op *op)
{
	struct op_group *group = (struct op_group *)op;

	for (uint32_t i = 0; group->aggregates.on_heap && i < group->table.count; i++) {
		/* Pages go as their rows are emitted. */
		if (group->table.pages[i >> group->table.page_shift])
			release_rows(group, i, 1);
	}
	free_seen(group);
	group_parts_free(group->parts);
	group_disk_free(group, group->disk);
	memory_account_set(&group->account, NULL, 0);
	group_table_release(&group->table);
	aggregates_release(&group->aggregates);
	arena_release(&group->arena);
	for (int form = 0; form < GROUP_FORMS; form++) {
		free(group->layouts[form].keys);
		free(group->layouts[form].states);
	}
	free(group->layouts);
	free(group->columns);
	free(group);
}

static const struct op_table group_op_table = {
	.consume = group_consume,
	.finish = group_finish,
	.free = group_free,
};

static void make_layouts(struct op_group *group)
{
	uint32_t keys = group->plan->key_count, count = group->aggregates.count;
	uint32_t next = keys;

	group->layouts = memory_zalloc(GROUP_FORMS * sizeof(*group->layouts));
	for (int form = 0; form < GROUP_FORMS; form++) {
		struct group_layout *layout = &group->layouts[form];

		layout->keys = memory_alloc((keys + 1) * sizeof(*layout->keys));
		layout->states = memory_alloc((count + 1) * sizeof(*layout->states));
	}
	for (uint32_t i = 0; i < keys; i++) {
		group->layouts[GROUP_FORM_INPUT].keys[i] = group->plan->keys[i];
		group->layouts[GROUP_FORM_DISK].keys[i] = i;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		bool has_states = group_disk_has_states(aggregate);

		group->layouts[GROUP_FORM_INPUT].states[i] = aggregate->arg;
		group->layouts[GROUP_FORM_DISK].states[i] = has_states ? next : PLAN_NONE;
		next += has_states ? aggregate->state_count : 0;
	}
	group->layouts[GROUP_FORM_INPUT].column_count = keys + group->aggregates.state_columns;
	group->layouts[GROUP_FORM_DISK].column_count = next;
}

struct op *op_group_new(const struct plan_op *plan)
{
	struct op_group *group = memory_zalloc(sizeof(*group));

	group->op.table = &group_op_table;
	group->plan = &plan->group;
	group->key_types = plan->types;
	aggregates_init(&group->aggregates, &plan->group);
	for (uint32_t i = 0; i < group->aggregates.count; i++)
		group->wide_states |= group->aggregates.items[i].kind == STATE_MOMENTS ||
				      group->aggregates.items[i].kind == STATE_MOMENTS_DOUBLE;
	make_seen(group);
	group_table_init(&group->table, plan->group.key_count, plan->types, state_size(group));
	aggregates_place(&group->aggregates, group->table.state_offset);
	group->number_offset = group->table.state_offset + number_place(group);
	make_layouts(group);
	group->column_count = plan->group.key_count +
			      (plan->group.phase == GROUP_PARTIAL ? group->aggregates.state_columns
								  : group->aggregates.count);
	group->columns = memory_zalloc((group->column_count + 1) * sizeof(*group->columns));
	arena_init(&group->arena, ARENA_BLOCK);
	for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
		group->identity[i] = (uint16_t)i;
	return &group->op;
}
