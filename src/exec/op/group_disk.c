/*
 * Groups that do not fit into memory.
 *
 * When memory gets short all groups of the table leave it, apart by the hash of their keys: those of a final group as
 * states, and those of a complete one as the states of aggregates that have some, and beside them, each in rows of its
 * own, the values that a DISTINCT has seen or that are to be sorted. In the end part after part comes back and is
 * grouped; when that is too much again it leaves for the parts of the next level.
 *
 * One group has to fit.
 */
#include "base/memory.h"
#include "exec/op/group_private.h"
#include "exec/table/spill_parts.h"

#include <stdlib.h>
#include <string.h>

/* Fewer groups than that are not worth a way to the disk and back, however little memory there is; */
#define OUT_GROUPS_MIN 16u
/* nor are these worth another one, unless they take much. */
#define SPLIT_GROUPS_MIN 4096u
#define SPLIT_BYTES_MIN	 ((size_t)1 << 20)
/* Of the values that a group has to sort: in one row, and in one batch. */
#define VALUES_BYTES_MAX (128u << 10)
#define BATCH_BYTES_MAX	 (1u << 20)

struct group_disk {
	uint32_t level;
	struct spill_parts *states;
	struct spill_parts **values; /* by aggregate; NULL: it has none */
};

static bool keeps_scale(const struct aggregate *aggregate)
{
	return aggregate->kind == STATE_SUM && aggregate->physical == PHYSICAL_NUM;
}

bool group_disk_has_states(const struct aggregate *aggregate)
{
	/* The scale of a sum is that of all values, also of those that a DISTINCT left out. */
	return aggregate->kind != STATE_ORDERED && (!aggregate->distinct || keeps_scale(aggregate));
}

static bool has_values(const struct aggregate *aggregate)
{
	return aggregate->kind == STATE_ORDERED || aggregate->distinct;
}

/* The columns of its values: the keys, then the arguments or a number of values and their bytes. */
static uint32_t value_types(
	const struct op_group *group, const struct aggregate *aggregate, struct type *types)
{
	uint32_t count = group->plan->key_count;

	memcpy(types, group->key_types, count * sizeof(*types));
	types[count++] = aggregate->distinct ? aggregate->arg_type : type_of(TYPE_BIGINT);
	if (!aggregate->distinct)
		types[count++] = type_of(TYPE_TEXT);
	else if (aggregate->arg2 != PLAN_NONE)
		types[count++] = aggregate->arg_type;
	return count;
}

static struct group_disk *disk_new(const struct op_group *group, uint32_t level)
{
	const struct group_layout *layout = &group->layouts[GROUP_FORM_DISK];
	uint32_t keys = group->plan->key_count, count = group->aggregates.count;
	struct group_disk *disk = memory_zalloc(sizeof(*disk));
	struct type *types = memory_alloc((layout->column_count + keys + 3) * sizeof(*types));

	disk->level = level;
	disk->values = memory_zalloc((count + 1) * sizeof(struct spill_parts *));
	for (uint32_t i = 0; i < count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];

		if (has_values(aggregate))
			disk->values[i] = spill_parts_new(group->op.memory, level, keys,
				layout->keys, value_types(group, aggregate, types), types);
	}
	memcpy(types, group->key_types, keys * sizeof(*types));
	for (uint32_t i = 0; i < count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];

		if (layout->states[i] != PLAN_NONE)
			memcpy(&types[layout->states[i]], aggregate->state_types,
				aggregate->state_count * sizeof(*types));
	}
	disk->states = spill_parts_new(
		group->op.memory, level, keys, layout->keys, layout->column_count, types);
	free(types);
	return disk;
}

void group_disk_free(struct op_group *group, struct group_disk *disk)
{
	if (!disk)
		return;
	for (uint32_t i = 0; i < group->aggregates.count; i++)
		spill_parts_free(disk->values[i]);
	free(disk->values);
	spill_parts_free(disk->states);
	free(disk);
}

static void disk_end(struct op_group *group, struct group_disk *disk)
{
	spill_parts_end(disk->states);
	for (uint32_t i = 0; i < group->aggregates.count; i++)
		if (disk->values[i])
			spill_parts_end(disk->values[i]);
}

static size_t disk_bytes(const struct op_group *group, const struct group_disk *disk)
{
	size_t bytes = spill_parts_bytes(disk->states);

	for (uint32_t i = 0; i < group->aggregates.count; i++)
		if (disk->values[i])
			bytes += spill_parts_bytes(disk->values[i]);
	return bytes;
}

static void note_memory(struct op_group *group)
{
	size_t bytes;

	if (!group->op.memory)
		return;
	bytes = group_table_bytes(&group->table) +
		aggregates_bytes(&group->aggregates, group->table.count);
	if (group->parts)
		bytes += group_parts_bytes(group->parts);
	if (group->disk)
		bytes += disk_bytes(group, group->disk);
	for (uint32_t i = 0; group->seen && i < group->aggregates.count; i++)
		if (group->aggregates.items[i].distinct)
			bytes += group_table_bytes(&group->seen[i]);
	memory_account_set(&group->account, group->op.memory->budget, bytes);
}

/* --- Out --- */

static int put_states(struct op_group *group, const struct batch *batch, struct error *err)
{
	return spill_parts_add(group->disk->states, batch, err);
}

/* The keys of groups by their numbers, as the first columns. */
static void read_keys(struct op_group *group, const uint32_t *numbers, uint32_t count,
	struct column *columns, struct arena *arena)
{
	for (uint32_t i = 0; i < group->plan->key_count; i++)
		group_table_read_key_at(&group->table, i, numbers, count, &columns[i], arena);
}

/* What a DISTINCT has seen. */
static int put_seen(struct op_group *group, uint32_t which, struct error *err)
{
	const struct aggregate *aggregate = &group->aggregates.items[which];
	const struct group_table *seen = &group->seen[which];
	uint32_t keys = group->plan->key_count;
	uint32_t column_count = keys + (aggregate->arg2 == PLAN_NONE ? 1 : 2);
	struct column *columns = memory_zalloc(column_count * sizeof(*columns)), numbers_read;
	uint32_t numbers[BATCH_ROWS_MAX];
	int status = 0;

	for (uint32_t first = 0; first < seen->count && !status; first += BATCH_ROWS_MAX) {
		uint32_t rest = seen->count - first;
		struct batch batch = {.column_count = column_count, .columns = columns};

		batch.rows = batch.selected = rest < BATCH_ROWS_MAX ? rest : BATCH_ROWS_MAX;
		arena_reset(&group->arena);
		group_table_read_key(seen, 0, first, batch.rows, &numbers_read, &group->arena);
		for (uint32_t k = 0; k < batch.rows; k++)
			numbers[k] = (uint32_t)numbers_read.i64[k];
		read_keys(group, numbers, batch.rows, columns, &group->arena);
		for (uint32_t c = keys; c < column_count; c++)
			group_table_read_key(
				seen, 1 + c - keys, first, batch.rows, &columns[c], &group->arena);
		status = spill_parts_add(group->disk->values[which], &batch, err);
	}
	free(columns);
	return status;
}

/* Values to be sorted, on their way out. */
struct value_rows {
	uint32_t count;
	size_t bytes;
	uint32_t numbers[BATCH_ROWS_MAX];
	int64_t counts[BATCH_ROWS_MAX];
	struct text texts[BATCH_ROWS_MAX];
};

static int flush_values(
	struct op_group *group, uint32_t which, struct value_rows *rows, struct error *err)
{
	uint32_t keys = group->plan->key_count;
	struct column *columns = memory_zalloc((keys + 2) * sizeof(*columns));
	struct batch batch = {.rows = rows->count,
		.selected = rows->count,
		.column_count = keys + 2,
		.columns = columns};
	int status = 0;

	arena_reset(&group->arena);
	read_keys(group, rows->numbers, rows->count, columns, &group->arena);
	columns[keys] = (struct column){.type = type_of(TYPE_BIGINT), .values = rows->counts};
	columns[keys + 1] = (struct column){.type = type_of(TYPE_TEXT), .values = rows->texts};
	if (rows->count > 0)
		status = spill_parts_add(group->disk->values[which], &batch, err);
	rows->count = 0;
	rows->bytes = 0;
	free(columns);
	return status;
}

static int put_ordered(struct op_group *group, uint32_t which, struct error *err)
{
	const struct aggregate *aggregate = &group->aggregates.items[which];
	struct value_rows *rows = memory_alloc(sizeof(*rows));
	int status = 0;

	rows->count = 0;
	rows->bytes = 0;
	for (uint32_t number = 0; number < group->table.count && !status; number++) {
		uint8_t *row = group_table_row(&group->table, number);
		size_t at = 0;

		while (!status) {
			uint64_t count;
			struct text text =
				ordered_values_at(aggregate, row, at, VALUES_BYTES_MAX, &count);

			if (count == 0)
				break;
			at += text.size;
			rows->numbers[rows->count] = number;
			rows->counts[rows->count] = (int64_t)count;
			rows->texts[rows->count++] = text;
			rows->bytes += text.size;
			if (rows->count == BATCH_ROWS_MAX || rows->bytes > BATCH_BYTES_MAX)
				status = flush_values(group, which, rows, err);
		}
	}
	if (!status)
		status = flush_values(group, which, rows, err);
	free(rows);
	return status;
}

static int put_table_out(struct op_group *group, struct error *err)
{
	int status = group_take_states(group, GROUP_FORM_DISK, put_states, err);

	for (uint32_t i = 0; i < group->aggregates.count && !status; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];

		if (aggregate->distinct)
			status = put_seen(group, i, err);
		else if (aggregate->kind == STATE_ORDERED)
			status = put_ordered(group, i, err);
	}
	group_renew_table(group);
	return status;
}

/* What is in memory goes to the disk. */
static int put_groups_out(struct op_group *group, uint32_t level, struct error *err)
{
	int status;

	if (!group->disk)
		group->disk = disk_new(group, level);
	status = put_table_out(group, err);
	for (uint32_t part = 0; group->parts && part < GROUP_PARTS && !status; part++) {
		status = group_fold_part(group, part, err);
		if (!status)
			status = put_table_out(group, err);
	}
	group_parts_free(group->parts);
	group->parts = NULL;
	memory_give_back();
	note_memory(group);
	return status;
}

/* A DISTINCT that sorts has to sort by what it has seen: nothing else comes back. */
static bool sorts_by_arguments(const struct plan_aggregate *plan)
{
	for (uint32_t i = 0; i < plan->sort_count; i++)
		if (plan->sort[i].column != plan->arg && plan->sort[i].column != plan->arg2)
			return false;
	return true;
}

static bool may_put_out(const struct op_group *group)
{
	if (!group->op.memory || !group->op.memory->spill || group->plan->key_count == 0)
		return false;
	for (uint32_t i = 0; i < group->aggregates.count; i++) {
		const struct aggregate *aggregate = &group->aggregates.items[i];

		/* Deviations of decimals have the scale of all values, too, and no way to keep it. */
		if (aggregate->distinct &&
			(aggregate->kind == STATE_MOMENTS ||
				!sorts_by_arguments(&group->plan->aggregates[i])))
			return false;
	}
	return true;
}

int group_check_memory(struct op_group *group, struct error *err)
{
	bool worth = group->parts || group->table.count >= OUT_GROUPS_MIN;

	note_memory(group);
	worth |= group->table.count > 1 && group->account.held > SPLIT_BYTES_MIN;
	if (worth && memory_account_gives_way(&group->account) && may_put_out(group))
		return put_groups_out(group, 0, err);
	return memory_account_is_over(&group->account)
		       ? op_memory_refuse(&group->account, "a group", err)
		       : 0;
}

/* --- And back --- */

/* More than fits goes to the next level, where there is one. */
static int check_part(struct op_group *group, uint32_t level, struct error *err)
{
	bool worth = level + 1 < SPILL_PARTS_LEVELS;

	note_memory(group);
	worth = worth && (group->table.count >= SPLIT_GROUPS_MIN ||
				 (group->table.count > 1 && group->account.held > SPLIT_BYTES_MIN));
	if (worth && memory_account_gives_way(&group->account))
		return put_groups_out(group, level + 1, err);
	return memory_account_is_over(&group->account)
		       ? op_memory_refuse(&group->account, "a group", err)
		       : 0;
}

static int fold_states(
	struct op_group *group, uint32_t which, const struct batch *batch, struct error *err)
{
	(void)which;
	return group_fold_states(group, batch, GROUP_FORM_DISK, err);
}

/* Columns of a value row, where the aggregate looks for its arguments. */
static int fold_seen(
	struct op_group *group, uint32_t which, const struct batch *batch, struct error *err)
{
	const struct aggregate *aggregate = &group->aggregates.items[which];
	uint32_t keys = group->plan->key_count, last = aggregate->arg;
	bool two = aggregate->arg2 != PLAN_NONE;
	struct aggregate_input input = {
		.count = batch->selected, .rows = group->rows, .index = group->identity};
	struct batch values = *batch;
	int status;

	if (two && aggregate->arg2 > last)
		last = aggregate->arg2;
	values.column_count = last + 1;
	values.columns = memory_zalloc(values.column_count * sizeof(*values.columns));
	values.columns[aggregate->arg] = batch->columns[keys];
	if (two)
		values.columns[aggregate->arg2] = batch->columns[keys + 1];
	status = group_fold_distinct(group, which, &values, &input, err);
	free(values.columns);
	return status;
}

static int fold_ordered(
	struct op_group *group, uint32_t which, const struct batch *batch, struct error *err)
{
	const struct aggregate *aggregate = &group->aggregates.items[which];
	const struct column *counts = &batch->columns[group->plan->key_count];
	const struct column *texts = counts + 1;

	(void)err;
	for (uint32_t k = 0; k < batch->selected; k++)
		ordered_add_values(aggregate, group->rows[k],
			(uint64_t)counts->i64[column_index(counts, k)],
			texts->text[column_index(texts, k)]);
	return 0;
}

typedef int (*part_folder)(
	struct op_group *group, uint32_t which, const struct batch *batch, struct error *err);

static int fold_part(struct op_group *group, struct spill_parts *parts, uint32_t part,
	uint32_t which, part_folder fold, struct error *err)
{
	const uint32_t *keys = group->layouts[GROUP_FORM_DISK].keys;
	struct spill_reader reader;
	struct batch batch;
	int more, status = 0;

	spill_reader_init(&reader, parts, part, true);
	while (!status && (more = spill_reader_next(&reader, &batch, err)) != 0) {
		status = more < 0 || group_find(group, &batch, keys, err) ||
			 fold(group, which, &batch, err) ||
			 check_part(group, spill_parts_level(parts), err);
	}
	spill_reader_release(&reader);
	return status ? -1 : 0;
}

static int emit_disk(struct op_group *group, struct group_disk *disk, struct error *err);

static int emit_part(
	struct op_group *group, struct group_disk *disk, uint32_t part, struct error *err)
{
	struct group_disk *next;
	int status = fold_part(group, disk->states, part, 0, fold_states, err);

	for (uint32_t i = 0; i < group->aggregates.count && !status; i++)
		if (disk->values[i])
			status = fold_part(group, disk->values[i], part, i,
				group->aggregates.items[i].distinct ? fold_seen : fold_ordered,
				err);
	if (!status && !group->disk) {
		status = group_emit_table(group, false, err);
		group_renew_table(group);
		return status;
	}
	if (!status)
		status = put_groups_out(group, disk->level + 1, err);
	next = group->disk;
	group->disk = NULL;
	if (!status)
		status = emit_disk(group, next, err);
	group_disk_free(group, next);
	return status;
}

static int emit_disk(struct op_group *group, struct group_disk *disk, struct error *err)
{
	int status = 0;

	disk_end(group, disk);
	for (uint32_t part = 0; part < SPILL_PARTS && !status; part++)
		status = op_check_stop(&group->op, err) || emit_part(group, disk, part, err);
	return status ? -1 : 0;
}

int group_finish_disk(struct op_group *group, struct error *err)
{
	int status = put_groups_out(group, 0, err);
	struct group_disk *disk = group->disk;

	group->disk = NULL;
	if (!status)
		status = emit_disk(group, disk, err);
	group_disk_free(group, disk);
	return status;
}
