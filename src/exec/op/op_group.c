/*
 * GROUP BY: rows to partial states, states to results, or rows to results at once.
 *
 * A partial group has a bounded table. When it is full its states go on and it starts again; when
 * it was filled by rows that are nearly all different, hashing them is wasted work, and for a long
 * while every row becomes a state of its own ("passing"). A final group whose table outgrows the
 * caches sets its rows aside and groups them part by part at the end (group_parts.h). When there is no
 * memory for that its groups go to a disk (group_spill.h).
 */
#include "base/memory.h"
#include "exec/agg/aggregate.h"
#include "exec/op/operator.h"
#include "exec/table/group_parts.h"
#include "exec/table/group_spill.h"
#include "exec/table/group_table.h"

#include <stdlib.h>
#include <string.h>

#define PARTIAL_GROUPS_MAX (16u << 10)
#define PARTIAL_BYTES_MAX  (1u << 20)
/* How many rows pass before the table is tried again. */
#define PASS_ROWS   (1u << 20)
#define ARENA_BLOCK (64u << 10)
/* Above so many groups a final table sets rows aside ... */
#define PARTS_GROUPS_MIN (16u << 10)
/* ... and groups those it has set aside, when they take this much or twice what they shrank to. */
#define PARTS_BYTES_MIN (16u << 20)

/* Fewer groups than that are not worth a way to the disk and back, however little memory there is; */
#define OUT_GROUPS_MIN 16u
/* nor are these worth another one. */
#define SPLIT_GROUPS_MIN 4096u

struct op_group {
	struct op op;
	const struct plan_group *plan;
	struct group_table table;
	struct aggregates aggregates;
	/* Per aggregate: the groups with the arguments seen, for DISTINCT. Without keys where
	 * unused. */
	struct group_table *seen;
	uint64_t filled_rows;	   /* partial: rows taken since the table was empty */
	uint64_t pass_rows;	   /* partial: rows still to pass */
	struct group_parts *parts; /* final: all its rows, once they are set aside; else NULL */
	size_t parts_bytes_max;
	bool parts_refused; /* final: there are rows that cannot be set aside */
	struct memory_account account;
	struct group_spill *spill; /* final: groups that were written out; else NULL */
	const struct type *key_types;
	uint32_t column_count; /* of the output */
	struct column *columns;
	struct arena arena; /* output columns */
	uint8_t *rows[BATCH_ROWS_MAX];
	uint8_t *taken_rows[BATCH_ROWS_MAX];
	uint16_t taken[BATCH_ROWS_MAX];
	uint16_t identity[BATCH_ROWS_MAX];
	uint16_t created[BATCH_ROWS_MAX];
};

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
		/* A group's row never moves: its address is its name. */
		columns[0].i64[i] = (int64_t)(intptr_t)input->rows[i];
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

		if (aggregate->distinct && take_distinct(group, i, batch, &input, err) < 0)
			return -1;
		if (aggregate_update_rows(&group->aggregates, aggregate, batch, &input, err) < 0)
			return -1;
	}
	return 0;
}

static int fold_states(struct op_group *group, const struct batch *batch, struct error *err)
{
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];
		const struct column *states = &batch->columns[aggregate->arg];
		struct aggregate_input input = take_rows(group, batch, states, NULL, NULL);

		if (aggregate_merge(&group->aggregates, aggregate, states, &input, err) < 0)
			return -1;
	}
	return 0;
}

static int find_groups(struct op_group *group, const struct batch *batch, struct error *err)
{
	uint32_t created;

	return group_table_find(&group->table, batch, group->plan->keys, group->rows,
		group->created, &created, err);
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

static int emit_table(struct op_group *group, bool last, struct error *err)
{
	uint32_t total = group->table.count;

	for (uint32_t first = 0; first < total; first += BATCH_ROWS_MAX) {
		uint32_t rest = total - first;
		uint32_t count = rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX;

		if (last)
			group_table_drop_before(&group->table, first);
		if (emit_rows(group, first, count, err) < 0)
			return -1;
		release_rows(group, first, count);
	}
	return 0;
}

static void clear_table(struct op_group *group)
{
	aggregates_clear(&group->aggregates);
	group_table_clear(&group->table);
}

static int flush_partial(struct op_group *group, struct error *err)
{
	uint32_t groups = group->table.count;

	if (emit_table(group, false, err) < 0)
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

typedef int (*states_taker)(struct op_group *group, const struct batch *batch, struct error *err);

/* Gives the table's groups to `take`, as states laid out like the input of this operator. */
static int take_states(struct op_group *group, states_taker take, struct error *err)
{
	uint32_t column_count = group->plan->key_count + group->aggregates.state_columns;
	struct column *columns = memory_zalloc((column_count + 1) * sizeof(*columns));
	int status = 0;

	for (uint32_t first = 0; first < group->table.count && !status; first += BATCH_ROWS_MAX) {
		uint32_t rest = group->table.count - first;
		struct batch batch = {.column_count = column_count, .columns = columns};

		batch.rows = batch.selected = rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX;
		arena_reset(&group->arena);
		for (uint32_t i = 0; i < group->plan->key_count; i++)
			group_table_read_key(&group->table, i, first, batch.rows,
				&columns[group->plan->keys[i]], &group->arena);
		for (uint32_t k = 0; k < batch.rows; k++)
			group->rows[k] = group_table_row(&group->table, first + k);
		for (uint32_t i = 0; i < group->aggregates.count && !status; i++) {
			const struct aggregate *aggregate = &group->aggregates.items[i];

			status = aggregate_read_states(aggregate, group->rows, batch.rows,
				&columns[aggregate->arg], &group->arena, err);
		}
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
	int status = take_states(group, put_aside, err);

	clear_table(group);
	return status;
}

/* Groups the rows of a part in the table; the part is empty then. */
static int fold_part(struct op_group *group, uint32_t part, struct error *err)
{
	struct group_block *block = group_parts_take(group->parts, part);

	while (block) {
		struct batch batch;

		block = group_parts_read(group->parts, block, &batch);
		if (find_groups(group, &batch, err) < 0 || fold_states(group, &batch, err) < 0) {
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
		if (fold_part(group, part, err) < 0 || set_table_aside(group, err) < 0)
			return -1;
	bytes = group_parts_bytes(group->parts);
	group->parts_bytes_max = 2 * bytes > PARTS_BYTES_MIN ? 2 * bytes : PARTS_BYTES_MIN;
	return 0;
}

/* Back to one table, because of rows that cannot be set aside. */
static int gather_parts(struct op_group *group, struct error *err)
{
	for (uint32_t part = 0; part < GROUP_PARTS; part++)
		if (fold_part(group, part, err) < 0)
			return -1;
	group_parts_free(group->parts);
	group->parts = NULL;
	return 0;
}

static int emit_parts(struct op_group *group, struct error *err)
{
	for (uint32_t part = 0; part < GROUP_PARTS; part++) {
		if (fold_part(group, part, err) < 0 || emit_table(group, false, err) < 0)
			return -1;
		clear_table(group);
	}
	return 0;
}

/* --- What goes to a disk --- */

static int put_out(struct op_group *group, const struct batch *batch, struct error *err)
{
	if (!group->spill)
		group->spill = group_spill_new(
			group->op.memory, 0, group->plan->key_count, group->plan->keys, batch);
	return group_spill_add(group->spill, batch, err);
}

/* The table is empty, and has the memory of an empty one. */
static void renew_table(struct op_group *group)
{
	aggregates_clear(&group->aggregates);
	group_table_release(&group->table);
	group_table_init(&group->table, group->plan->key_count, group->key_types,
		group->aggregates.state_size);
}

static void note_memory(struct op_group *group)
{
	size_t bytes = group_table_bytes(&group->table) + group->aggregates.texts.held;

	if (!group->op.memory)
		return;
	if (group->parts)
		bytes += group_parts_bytes(group->parts);
	for (uint32_t i = 0; group->seen && i < group->aggregates.count; i++)
		if (group->aggregates.items[i].distinct)
			bytes += group_table_bytes(&group->seen[i]);
	memory_account_set(&group->account, group->op.memory->budget, bytes);
}

static int put_table_out(struct op_group *group, struct error *err)
{
	int status = take_states(group, put_out, err);

	release_rows(group, 0, group->table.count);
	renew_table(group);
	return status;
}

/* What is in memory goes to the disk. */
static int put_groups_out(struct op_group *group, struct error *err)
{
	int status = put_table_out(group, err);

	for (uint32_t part = 0; group->parts && part < GROUP_PARTS && !status; part++) {
		status = fold_part(group, part, err);
		if (!status)
			status = put_table_out(group, err);
	}
	group_parts_free(group->parts);
	group->parts = NULL;
	note_memory(group);
	return status;
}

/* Only states can be put together again. */
static bool may_put_out(const struct op_group *group)
{
	return group->op.memory && group->op.memory->spill && group->plan->phase == GROUP_FINAL &&
	       group->plan->key_count > 0;
}

static int check_memory(struct op_group *group, struct error *err)
{
	note_memory(group);
	if (may_put_out(group) && (group->parts || group->table.count >= OUT_GROUPS_MIN) &&
		memory_account_gives_way(&group->account))
		return put_groups_out(group, err);
	return memory_account_is_over(&group->account)
		       ? op_memory_refuse(&group->account, "a group", err)
		       : 0;
}

static int emit_spill(struct op_group *group, struct group_spill *spill, struct error *err);

/*
 * Groups the rows of a part and emits the groups; when they are too many, what is there goes to the next
 * level, and so does the rest.
 */
static int emit_spilled_part(
	struct op_group *group, struct group_spill *spill, uint32_t part, struct error *err)
{
	bool may_split = group_spill_level(spill) + 1 < GROUP_SPILL_LEVELS;
	struct group_spill *next;
	struct batch batch;
	int more;

	group->spill = NULL; /* put_out makes that of the next level */
	while ((more = group_spill_read(spill, part, &batch, err)) > 0) {
		if (find_groups(group, &batch, err) < 0 || fold_states(group, &batch, err) < 0)
			return -1;
		note_memory(group);
		if (!may_split || group->table.count < SPLIT_GROUPS_MIN ||
			!memory_account_gives_way(&group->account))
			continue;
		if (!group->spill)
			group->spill =
				group_spill_new(group->op.memory, group_spill_level(spill) + 1,
					group->plan->key_count, group->plan->keys, &batch);
		if (put_groups_out(group, err))
			return -1;
	}
	if (more < 0)
		return -1;
	if (!group->spill) {
		more = emit_table(group, false, err);
		renew_table(group);
		return more;
	}
	next = group->spill;
	if (put_groups_out(group, err))
		return -1;
	group->spill = NULL;
	more = emit_spill(group, next, err);
	group_spill_free(next);
	return more;
}

static int emit_spill(struct op_group *group, struct group_spill *spill, struct error *err)
{
	int status = group_spill_end(spill, err);

	for (uint32_t part = 0; part < GROUP_SPILL_PARTS && !status; part++) {
		status = op_check_stop(&group->op, err) ||
			 emit_spilled_part(group, spill, part, err);
		group_spill_free(group->spill);
		group->spill = NULL;
	}
	return status;
}

static int finish_spilled(struct op_group *group, struct error *err)
{
	struct group_spill *spill;
	int status = put_groups_out(group, err);

	spill = group->spill;
	if (!status)
		status = emit_spill(group, spill, err);
	group->spill = NULL;
	group_spill_free(spill);
	return status;
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

static bool partial_is_full(const struct op_group *group)
{
	size_t bytes = (size_t)group->table.count * group->table.row_size +
		       group->table.arena.held + group->aggregates.texts.held;

	return group->plan->key_count > 0 &&
	       (group->table.count >= PARTIAL_GROUPS_MAX || bytes > PARTIAL_BYTES_MAX);
}

static int group_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_group *group = (struct op_group *)op;

	if (group->plan->phase == GROUP_FINAL)
		return consume_states(group, batch, err) ? -1 : check_memory(group, err);
	if (group->pass_rows > 0)
		return pass_batch(group, batch, err);
	if (find_groups(group, batch, err) < 0 || fold_rows(group, batch, err) < 0)
		return -1;
	group->filled_rows += batch->selected;
	if (group->plan->phase == GROUP_PARTIAL && partial_is_full(group))
		return flush_partial(group, err);
	return group->plan->phase == GROUP_COMPLETE ? check_memory(group, err) : 0;
}

static int group_finish(struct op *op, struct error *err)
{
	struct op_group *group = (struct op_group *)op;
	static const struct batch one_row = {.rows = 1, .selected = 1};
	bool must_have_row = group->plan->key_count == 0 && group->plan->phase != GROUP_PARTIAL;

	/* Over no input, a row of states of nothing. */
	if (must_have_row && group->table.count == 0 && find_groups(group, &one_row, err) < 0)
		return -1;
	for (uint32_t i = 0; group->seen && i < group->aggregates.count; i++)
		group_table_release(&group->seen[i]);
	free(group->seen);
	group->seen = NULL;
	if (group->spill)
		return finish_spilled(group, err);
	return group->parts ? emit_parts(group, err) : emit_table(group, true, err);
}

static void group_free(struct op *op)
{
	struct op_group *group = (struct op_group *)op;

	for (uint32_t i = 0; group->aggregates.on_heap && i < group->table.count; i++) {
		/* Pages go as their rows are emitted. */
		if (group->table.pages[i >> group->table.page_shift])
			release_rows(group, i, 1);
	}
	for (uint32_t i = 0; group->seen && i < group->aggregates.count; i++)
		group_table_release(&group->seen[i]);
	free(group->seen);
	group_parts_free(group->parts);
	group_spill_free(group->spill);
	memory_account_set(&group->account, NULL, 0);
	group_table_release(&group->table);
	aggregates_release(&group->aggregates);
	arena_release(&group->arena);
	free(group->columns);
	free(group);
}

static const struct op_table group_op_table = {
	.consume = group_consume,
	.finish = group_finish,
	.free = group_free,
};

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

struct op *op_group_new(const struct plan_op *plan)
{
	struct op_group *group = memory_zalloc(sizeof(*group));

	group->op.table = &group_op_table;
	group->plan = &plan->group;
	group->key_types = plan->types;
	aggregates_init(&group->aggregates, &plan->group);
	group_table_init(
		&group->table, plan->group.key_count, plan->types, group->aggregates.state_size);
	aggregates_place(&group->aggregates, group->table.state_offset);
	make_seen(group);
	group->column_count = plan->group.key_count +
			      (plan->group.phase == GROUP_PARTIAL ? group->aggregates.state_columns
								  : group->aggregates.count);
	group->columns = memory_zalloc((group->column_count + 1) * sizeof(*group->columns));
	arena_init(&group->arena, ARENA_BLOCK);
	for (uint32_t i = 0; i < BATCH_ROWS_MAX; i++)
		group->identity[i] = (uint16_t)i;
	return &group->op;
}
