#include "exec/op/join_disk.h"

#include "base/memory.h"
#include "exec/op/operator.h"
#include "exec/table/join_build_private.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct join_disk {
	const struct plan_join *plan;
	const struct join_build *build;
	uint32_t column_count;
	const struct type *types;
	struct spill_parts *flow;
	struct memory_account account;
	const struct join_disk_user *user;
};

/* A part of both sides. */
struct disk_part {
	struct spill_parts *build;
	bool shared; /* others read the build side, too */
	struct spill_parts *flow;
	uint32_t number;
	bool may_split;
	uint8_t *matched; /* by flowing row; NULL: one piece, or nobody asks */
};

static struct spill_parts *flow_parts_new(const struct join_disk *disk, uint32_t level)
{
	return spill_parts_new(disk->build->memory, level, disk->plan->key_count,
		disk->plan->flow_keys, disk->column_count, disk->types);
}

struct join_disk *join_disk_new(const struct plan_join *plan, const struct join_build *build,
	uint32_t column_count, const struct type *types)
{
	struct join_disk *disk = memory_zalloc(sizeof(*disk));

	assert(build->parts);
	disk->plan = plan;
	disk->build = build;
	disk->column_count = column_count;
	disk->types = types;
	disk->flow = flow_parts_new(disk, spill_parts_level(build->parts));
	return disk;
}

void join_disk_free(struct join_disk *disk)
{
	if (!disk)
		return;
	spill_parts_free(disk->flow);
	memory_account_set(&disk->account, NULL, 0);
	free(disk);
}

static void note_memory(struct join_disk *disk, const struct spill_parts *more)
{
	size_t bytes = spill_parts_bytes(disk->flow) + (more ? spill_parts_bytes(more) : 0);

	memory_account_set(&disk->account, disk->build->memory->budget, bytes);
}

int join_disk_add(struct join_disk *disk, const struct batch *batch, struct error *err)
{
	struct batch own = *batch;

	/* Columns of the output may stand behind those that flow. */
	own.column_count = disk->column_count;
	if (spill_parts_add(disk->flow, &own, err))
		return -1;
	note_memory(disk, NULL);
	return 0;
}

static bool is_stopped(const struct join_disk *disk)
{
	return disk->user->stop && atomic_load_explicit(disk->user->stop, memory_order_relaxed);
}

/* The flowing rows of the part meet what is in memory. */
static int meet(struct join_disk *disk, const struct disk_part *part,
	const struct join_build *build, bool last, struct error *err)
{
	const struct join_disk_user *user = disk->user;
	struct spill_reader reader;
	struct batch batch;
	uint64_t at = 0;
	int more, status = 0;

	user->start(user->context, build);
	spill_reader_init(&reader, part->flow, part->number, last);
	while (!status && (more = spill_reader_next(&reader, &batch, err)) != 0) {
		status = more < 0 ? -1 : is_stopped(disk) ? op_interrupted(err) : 0;
		if (status)
			break;
		assert(!batch.sel && batch.rows == batch.selected);
		status = user->rows(user->context, &batch,
			part->matched ? part->matched + at : NULL, last, err);
		at += batch.rows;
	}
	spill_reader_release(&reader);
	return status ? -1 : user->end(user->context, err);
}

static struct join_build *part_build_new(const struct join_disk *disk, const struct disk_part *part)
{
	const struct join_build *whole = disk->build;
	struct type *types = memory_alloc((whole->column_count + 1) * sizeof(*types));
	struct join_build *build;
	/* What the first match is of a row is not kept from piece to piece. */
	bool pieces = !part->may_split && disk->plan->kind != JOIN_SINGLE;

	for (uint32_t c = 0; c < whole->column_count; c++)
		types[c] = whole->columns[c].type;
	build = join_build_new(whole->plan, whole->column_count, types);
	free(types);
	join_build_work_with(
		build, whole->memory, pieces ? JOIN_BUILD_TAKES_PIECES : JOIN_BUILD_SPILLS);
	join_build_set_level(
		build, part->may_split ? spill_parts_level(part->build) + 1 : SPILL_PARTS_LEVELS);
	return build;
}

/* A piece that is not the last. */
static int meet_piece(struct join_disk *disk, struct disk_part *part, struct join_build **build,
	struct error *err)
{
	if (!part->matched && disk->plan->kind != JOIN_INNER)
		part->matched = memory_zalloc(spill_parts_rows(part->flow, part->number) + 1);
	join_build_seal(*build, disk->user->stop);
	if (meet(disk, part, *build, false, err))
		return -1;
	join_build_free(*build);
	*build = part_build_new(disk, part);
	return 0;
}

/* Brings the build side's rows in, or the last piece of them. */
static int read_build(struct join_disk *disk, struct disk_part *part, struct join_build **build,
	struct error *err)
{
	struct spill_reader reader;
	struct batch batch;
	int more, status = 0;

	spill_reader_init(&reader, part->build, part->number, !part->shared);
	while (!status && (more = spill_reader_next(&reader, &batch, err)) != 0) {
		status = more < 0 ? -1 : is_stopped(disk) ? op_interrupted(err) : 0;
		if (!status && (*build)->way == JOIN_BUILD_TAKES_PIECES &&
			join_build_is_full(*build))
			status = meet_piece(disk, part, build, err);
		if (!status)
			status = join_build_add(*build, &batch, err);
	}
	spill_reader_release(&reader);
	return status;
}

static int join_parts(struct join_disk *disk, struct spill_parts *build, bool shared,
	struct spill_parts *flow, struct error *err);

/* The build side's part was split: the flowing rows follow. */
static int split_part(struct join_disk *disk, const struct disk_part *part,
	const struct join_build *build, struct error *err)
{
	struct spill_parts *flow = flow_parts_new(disk, spill_parts_level(build->parts));
	struct spill_reader reader;
	struct batch batch;
	int more, status = 0;

	spill_reader_init(&reader, part->flow, part->number, true);
	while (!status && (more = spill_reader_next(&reader, &batch, err)) != 0) {
		status = more < 0 ? -1 : spill_parts_add(flow, &batch, err);
		note_memory(disk, flow);
	}
	spill_reader_release(&reader);
	spill_parts_end(flow);
	if (!status)
		status = join_parts(disk, build->parts, false, flow, err);
	spill_parts_free(flow);
	note_memory(disk, NULL);
	return status;
}

/* Nothing comes of it. */
static bool part_is_idle(const struct join_disk *disk, const struct disk_part *part)
{
	if (spill_parts_rows(part->build, part->number) == 0)
		return disk->plan->kind == JOIN_INNER ||
		       spill_parts_rows(part->flow, part->number) == 0;
	return disk->plan->kind != JOIN_FULL && spill_parts_rows(part->flow, part->number) == 0;
}

static int join_part(struct join_disk *disk, struct disk_part *part, struct error *err)
{
	struct join_build *build;
	int status;

	if (part_is_idle(disk, part))
		return 0;
	build = part_build_new(disk, part);
	status = read_build(disk, part, &build, err);
	if (!status) {
		join_build_seal(build, disk->user->stop);
		status = build->parts ? split_part(disk, part, build, err)
				      : meet(disk, part, build, true, err);
	}
	join_build_free(build);
	free(part->matched);
	return status;
}

static int join_parts(struct join_disk *disk, struct spill_parts *build, bool shared,
	struct spill_parts *flow, struct error *err)
{
	bool deep = spill_parts_level(build) + 1 == SPILL_PARTS_LEVELS;
	uint64_t rows = 0;
	int status = 0;

	for (uint32_t p = 0; p < SPILL_PARTS; p++)
		rows += spill_parts_rows(build, p);
	for (uint32_t p = 0; p < SPILL_PARTS && !status; p++) {
		struct disk_part part = {
			.build = build, .shared = shared, .flow = flow, .number = p};

		/* One that has most of the rows would have them still, were it split again. */
		part.may_split = !deep && spill_parts_rows(build, p) <= rows - rows / 4;
		status = is_stopped(disk) ? op_interrupted(err) : join_part(disk, &part, err);
	}
	return status;
}

int join_disk_finish(struct join_disk *disk, const struct join_disk_user *user, struct error *err)
{
	disk->user = user;
	spill_parts_end(disk->flow);
	return join_parts(disk, disk->build->parts, true, disk->flow, err);
}
