/*
 * Joins the flowing rows with a sealed build side.
 *
 * Matches are gathered as pairs (flowing row, build row), up to a batch of them at a time. While no
 * flowing row has two matches in it, the flowing columns are passed on as they are, with the
 * matched rows selected and the build side's values put next to them; otherwise both are copied. A
 * residual condition then drops pairs. Flowing rows that are kept although no pair of theirs is
 * left follow in a batch of their own.
 *
 * A mark needs no pairs unless a residual decides about them. A subquery as a value needs them only
 * to know which build row is the first to meet, and whether there is a second one. The build rows of a FULL join that
 * nothing met are emitted when the input has ended; nobody else reads that build side.
 *
 * When the build side is on a disk nothing is joined before the input has ended (join_disk.h).
 */
#include "base/memory.h"
#include "exec/expr/eval.h"
#include "exec/op/join_disk.h"
#include "exec/op/operator.h"
#include "exec/table/join_build_private.h"
#include "exec/table/partition.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK (64u << 10)
/* A build side of more rows does not stay in the cache: what is needed of it is fetched ahead. */
#define PREFETCH_ROWS  (1u << 13)
#define PREFETCH_BLOCK 64

struct op_join {
	struct op op;
	const struct plan_join *plan;
	const struct join_build *whole;
	const struct join_build *build; /* the same, or the part that is in memory */
	struct join_disk *disk;		/* of a build side that is on a disk; NULL: no row came */
	struct evaluator *residual;	/* NULL when there is none */
	uint32_t flow_count;		/* flowing columns */
	uint32_t column_count;		/* of the output */
	const struct type *types;	/* of the output */
	struct column *columns;		/* room for the output, and for what the residual sees */
	struct arena arena;		/* output columns */
	const struct batch *batch;	/* the one being joined */
	bool one_i64;			/* a single key that is an integer */
	size_t key_size;		/* of the first key's values */

	uint16_t near[BATCH_ROWS_MAX]; /* flowing rows whose key may be in the build side */
	uint64_t hashes[BATCH_ROWS_MAX];
	/* Flowing rows with the hash of some build row, and the place of its slot. */
	uint32_t candidate_count;
	uint16_t candidates[BATCH_ROWS_MAX];
	size_t places[BATCH_ROWS_MAX];
	uint32_t pair_count;
	bool repeats; /* some flowing row stands in two of the pairs */
	uint16_t pair_rows[BATCH_ROWS_MAX];
	uint32_t pair_builds[BATCH_ROWS_MAX];
	uint16_t sel[BATCH_ROWS_MAX];
	uint8_t matched[BATCH_ROWS_MAX];    /* all but INNER: by flowing row; SINGLE: up to two */
	uint32_t first_met[BATCH_ROWS_MAX]; /* SINGLE: by flowing row that is matched */
	uint8_t *met;			    /* FULL: by build row; otherwise NULL */
};

static bool flow_key_is_null(const struct op_join *join, uint32_t row)
{
	for (uint32_t i = 0; i < join->plan->key_count; i++) {
		if (column_is_null(&join->batch->columns[join->plan->flow_keys[i]], row))
			return true;
	}
	return false;
}

static bool flow_keys_have_nulls(const struct op_join *join)
{
	bool nulls = false;

	for (uint32_t i = 0; i < join->plan->key_count; i++)
		nulls |= join->batch->columns[join->plan->flow_keys[i]].valid != NULL;
	return nulls;
}

/*
 * Drops the rows whose key no build row can have. Without branches, and with copies of what the
 * compiler must think the stores could change: this is all that happens to most rows of a join with
 * a few rows.
 */
static void drop_strangers(struct op_join *join, struct batch *batch)
{
	const struct column *keys = &batch->columns[join->plan->flow_keys[0]];
	const uint64_t *range = join->build->range;
	const uint64_t first = join->build->range_first, size = join->build->range_size;
	const uint16_t *sel = batch->sel;
	const int64_t *values = keys->i64;
	const uint32_t selected = batch->selected;
	const uint64_t step = keys->constant ? 0 : UINT64_MAX;
	uint16_t *near = join->near;
	uint32_t count = 0;

	for (uint32_t k = 0; k < selected; k++) {
		uint32_t row = sel ? sel[k] : k;
		uint64_t bit = (uint64_t)values[row & step] - first;
		uint64_t inside = bit < size;
		uint64_t word = range[inside ? bit / 64 : 0];

		near[count] = (uint16_t)row;
		count += (uint32_t)(word >> (bit % 64) & inside);
	}
	batch->sel = near;
	batch->selected = count;
}

/* Of the selected rows start .. end - 1 of the batch. */
static void find_candidates(
	struct op_join *join, const struct batch *batch, uint32_t start, uint32_t end)
{
	const struct join_build *build = join->build;
	const uint64_t *filter = build->filter;
	const void *keys = build->columns[join->plan->build_keys[0]].values;
	bool nulls = flow_keys_have_nulls(join);
	bool ahead = build->count > PREFETCH_ROWS;
	uint32_t count = 0;

	for (uint32_t k = start; k < end; k++) {
		uint32_t row = batch_row(batch, k);
		uint32_t hash = (uint32_t)join->hashes[row];

		join->candidates[count] = (uint16_t)row;
		count += !filter || join_build_may_have(build, hash);
		if (ahead)
			__builtin_prefetch(&build->slots[join_build_home(build, hash)]);
	}
	join->candidate_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row = join->candidates[i];
		uint32_t hash = (uint32_t)join->hashes[row];
		size_t place = join_build_seek(build, hash);

		if (!join_build_is_at(build, place, hash) || (nulls && flow_key_is_null(join, row)))
			continue;
		join->candidates[join->candidate_count] = (uint16_t)row;
		join->places[join->candidate_count++] = place;
		if (ahead)
			__builtin_prefetch((const char *)keys +
					   join->key_size * join_slot_row(build->slots[place]));
	}
}

static bool keys_equal(const struct op_join *join, uint32_t build_row, uint32_t row)
{
	if (join->one_i64) {
		const struct column *flow = &join->batch->columns[join->plan->flow_keys[0]];
		const struct column *kept = &join->build->columns[join->plan->build_keys[0]];

		return kept->i64[build_row] == flow->i64[column_index(flow, row)];
	}
	for (uint32_t i = 0; i < join->plan->key_count; i++) {
		const struct column *flow = &join->batch->columns[join->plan->flow_keys[i]];

		if (!join_build_key_equal(join->build, i, build_row, flow, row))
			return false;
	}
	return true;
}

/* Values of the build rows of all pairs: at their flowing rows, or one after the other. */
static void gather_build(
	struct op_join *join, const struct column *from, struct column *out, bool dense)
{
	uint32_t rows = dense ? join->pair_count : join->batch->rows;
	size_t size = physical_size(type_physical(from->type.kind));

	if (join->build->count == 1) {
		*out = *from;
		out->constant = true;
		return;
	}
	column_init(out, from->type, rows, &join->arena);
	if (from->valid)
		out->valid = arena_zalloc(&join->arena, rows);
	/* Kernels may run over rows that are not selected: those hold zeros. */
	if (join->pair_count < rows)
		memset(out->values, 0, rows * size);
	for (uint32_t p = 0; p < join->pair_count; p++) {
		uint32_t at = dense ? p : join->pair_rows[p];
		uint32_t row = join->pair_builds[p];

		if (size == 8)
			out->i64[at] = from->i64[row];
		else if (size == 16)
			memcpy(&out->text[at], &from->text[row], 16);
		else
			out->u8[at] = from->u8[row];
		if (from->valid)
			out->valid[at] = from->valid[row];
	}
}

/* Notes which rows the pairs of `made` bring together. */
static void note_matches(struct op_join *join, const struct batch *made, bool dense)
{
	bool single = join->plan->kind == JOIN_SINGLE;
	uint32_t p = 0;

	if (join->plan->kind == JOIN_INNER)
		return;
	for (uint32_t k = 0; k < made->selected; k++) {
		uint32_t at = batch_row(made, k), row;

		if (dense)
			p = at;
		else
			while (join->pair_rows[p] != at)
				p++;
		row = join->pair_rows[p];
		if (single && !join->matched[row])
			join->first_met[row] = join->pair_builds[p];
		join->matched[row] = single && join->matched[row] ? 2 : 1;
		if (join->met)
			join->met[join->pair_builds[p]] = 1;
	}
}

/* Emits the gathered pairs that pass the residual, and forgets them. A mark takes only note. */
static int flush_pairs(struct op_join *join, struct error *err)
{
	bool dense = join->repeats;
	struct batch made = {
		.rows = dense ? join->pair_count : join->batch->rows,
		.column_count = join->flow_count + join->build->column_count,
		.columns = join->columns,
		.sel = dense ? NULL : join->pair_rows,
		.selected = join->pair_count,
	};

	if (join->pair_count == 0)
		return 0;
	/* All pairs of two large tables: most of them may never get to the next operator. */
	if (op_check_stop(&join->op, err))
		return -1;
	arena_reset(&join->arena);
	for (uint32_t c = 0; c < join->flow_count; c++) {
		if (dense)
			column_gather(&join->columns[c], &join->batch->columns[c], join->pair_rows,
				join->pair_count, &join->arena);
		else
			join->columns[c] = join->batch->columns[c];
	}
	for (uint32_t c = 0; c < join->build->column_count; c++)
		gather_build(join, &join->build->columns[c], &join->columns[join->flow_count + c],
			dense);
	if (join->residual) {
		evaluator_stop_with(join->residual, join->op.stop, join->op.failed);
		if (evaluator_select(join->residual, &made, join->sel, &made.selected, err) < 0)
			return -1;
		made.sel = join->sel;
	}
	note_matches(join, &made, dense);
	join->pair_count = 0;
	join->repeats = false;
	if (join->plan->kind == JOIN_EXISTS || join->plan->kind == JOIN_SINGLE)
		return 0;
	return op_push(join->op.next, &made, err);
}

static inline int add_pair(
	struct op_join *join, uint32_t row, uint32_t build_row, struct error *err)
{
	uint32_t p = join->pair_count++;

	join->repeats |= p > 0 && join->pair_rows[p - 1] == row;
	join->pair_rows[p] = (uint16_t)row;
	join->pair_builds[p] = build_row;
	return join->pair_count == BATCH_ROWS_MAX ? flush_pairs(join, err) : 0;
}

/* Further pairs of the flowing row would change nothing. */
static inline bool row_is_settled(const struct op_join *join, uint32_t row)
{
	return (join->plan->kind == JOIN_EXISTS && join->matched[row]) ||
	       (join->plan->kind == JOIN_SINGLE && join->matched[row] == 2);
}

static int match_candidates(struct op_join *join, struct error *err)
{
	const struct join_build *build = join->build;

	for (uint32_t i = 0; i < join->candidate_count; i++) {
		uint32_t row = join->candidates[i];
		uint32_t hash = (uint32_t)join->hashes[row];

		for (size_t place = join->places[i];
			join_build_is_at(build, place, hash) && !row_is_settled(join, row);
			place++) {
			uint32_t build_row = join_slot_row(build->slots[place]);

			if (keys_equal(join, build_row, row) &&
				add_pair(join, row, build_row, err) < 0)
				return -1;
		}
	}
	return 0;
}

static int join_by_keys(struct op_join *join, struct error *err)
{
	uint32_t block = join->build->count > PREFETCH_ROWS ? PREFETCH_BLOCK : BATCH_ROWS_MAX;
	struct batch near = *join->batch;

	if (join->build->range)
		drop_strangers(join, &near);
	partition_hash(&near, join->plan->flow_keys, join->plan->key_count, join->hashes);
	for (uint32_t start = 0; start < near.selected; start += block) {
		uint32_t rest = near.selected - start;

		find_candidates(join, &near, start, start + (rest < block ? rest : block));
		if (match_candidates(join, err) < 0)
			return -1;
	}
	return flush_pairs(join, err);
}

static int join_all(struct op_join *join, struct error *err)
{
	for (uint32_t k = 0; k < join->batch->selected; k++) {
		uint32_t row = batch_row(join->batch, k);

		for (uint32_t build_row = 0;
			build_row < join->build->count && !row_is_settled(join, row); build_row++) {
			if (add_pair(join, row, build_row, err) < 0)
				return -1;
		}
	}
	return flush_pairs(join, err);
}

/* The flowing rows without a pair, next to NULLs. */
static int emit_unmatched(struct op_join *join, struct error *err)
{
	struct batch made = *join->batch;
	uint32_t count = 0;

	for (uint32_t k = 0; k < join->batch->selected; k++) {
		uint32_t row = batch_row(join->batch, k);

		join->sel[count] = (uint16_t)row;
		count += !join->matched[row];
	}
	made.sel = join->sel;
	made.selected = count;
	made.column_count = join->column_count;
	made.columns = join->columns;
	arena_reset(&join->arena);
	for (uint32_t c = 0; c < join->flow_count; c++)
		join->columns[c] = join->batch->columns[c];
	for (uint32_t c = join->flow_count; c < join->column_count; c++)
		column_init_null(&join->columns[c], join->types[c], &join->arena);
	return op_push(join->op.next, &made, err);
}

/* The build rows start .. start + rows - 1 that nothing met, next to NULLs. */
static int emit_unmet(struct op_join *join, uint32_t start, uint32_t rows, struct error *err)
{
	struct batch made = {
		.rows = rows,
		.column_count = join->column_count,
		.columns = join->columns,
		.sel = join->sel,
	};

	for (uint32_t i = 0; i < rows; i++) {
		join->sel[made.selected] = (uint16_t)i;
		made.selected += !join->met[start + i];
	}
	arena_reset(&join->arena);
	for (uint32_t c = 0; c < join->flow_count; c++)
		column_init_null(&join->columns[c], join->types[c], &join->arena);
	for (uint32_t c = 0; c < join->build->column_count; c++) {
		struct column *column = &join->columns[join->flow_count + c];

		*column = join->build->columns[c];
		column->u8 += start * physical_size(type_physical(column->type.kind));
		if (column->valid)
			column->valid += start;
	}
	return op_push(join->op.next, &made, err);
}

/* Whether two rows of keys are equal as far as neither is NULL: comparing them gives NULL. */
static bool keys_unknown(const struct op_join *join, uint32_t build_row, uint32_t row)
{
	for (uint32_t i = 0; i < join->plan->key_count; i++) {
		const struct column *flow = &join->batch->columns[join->plan->flow_keys[i]];
		const struct column *kept = &join->build->columns[join->plan->build_keys[i]];

		if (!column_is_null(flow, row) && !column_is_null(kept, build_row) &&
			!join_build_key_equal(join->build, i, build_row, flow, row))
			return false;
	}
	return true;
}

/* For a row without a match: whether some row of the build side might be one. */
static bool mark_is_unknown(const struct op_join *join, uint32_t row)
{
	bool flow_null = flow_key_is_null(join, row);

	if (join->whole->total == 0 || (!flow_null && !join->whole->any_null_key))
		return false;
	if (join->plan->key_count == 1)
		return true;
	for (uint32_t build_row = 0; build_row < join->build->count; build_row++) {
		if (keys_unknown(join, build_row, row))
			return true;
	}
	return false;
}

/* By the keys alone. */
static void mark_matches(struct op_join *join)
{
	const struct join_build *build = join->build;
	const struct batch *batch = join->batch;

	if (join->plan->key_count == 0) {
		memset(join->matched, build->count > 0, sizeof(join->matched));
		return;
	}
	partition_hash(batch, join->plan->flow_keys, join->plan->key_count, join->hashes);
	find_candidates(join, batch, 0, batch->selected);
	for (uint32_t i = 0; i < join->candidate_count; i++) {
		uint32_t row = join->candidates[i];
		uint32_t hash = (uint32_t)join->hashes[row];
		size_t place = join->places[i];

		while (join_build_is_at(build, place, hash) && !join->matched[row])
			join->matched[row] =
				keys_equal(join, join_slot_row(build->slots[place++]), row);
	}
}

static int emit_marks(struct op_join *join, struct error *err)
{
	const struct batch *batch = join->batch;
	struct batch made = *batch;
	struct column *mark = &join->columns[join->flow_count];

	for (uint32_t c = 0; c < join->flow_count; c++)
		join->columns[c] = batch->columns[c];
	arena_reset(&join->arena);
	column_init(mark, type_of(TYPE_BOOL), batch->rows, &join->arena);
	memset(mark->u8, 0, batch->rows);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		mark->u8[row] = join->matched[row];
		if (join->plan->kind == JOIN_EXISTS || mark->u8[row] || !mark_is_unknown(join, row))
			continue;
		column_add_validity(mark, batch->rows, &join->arena);
		mark->valid[row] = 0;
	}
	made.column_count = join->column_count;
	made.columns = join->columns;
	return op_push(join->op.next, &made, err);
}

/* The first build rows that meet, next to the flowing rows; NULL where none does. */
static void gather_first(struct op_join *join, const struct column *from, struct column *out)
{
	const struct batch *batch = join->batch;
	size_t size = physical_size(type_physical(from->type.kind));

	column_init(out, from->type, batch->rows, &join->arena);
	out->valid = arena_zalloc(&join->arena, batch->rows);
	memset(out->values, 0, batch->rows * size);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k), build_row = join->first_met[row];

		if (!join->matched[row])
			continue;
		memcpy(out->u8 + row * size, from->u8 + build_row * size, size);
		out->valid[row] = !from->valid || from->valid[build_row];
	}
}

static int emit_singles(struct op_join *join, struct error *err)
{
	const struct batch *batch = join->batch;
	struct batch made = *batch;
	struct column *second = &join->columns[join->column_count - 1];

	arena_reset(&join->arena);
	for (uint32_t c = 0; c < join->flow_count; c++)
		join->columns[c] = batch->columns[c];
	for (uint32_t c = 0; c < join->build->column_count; c++)
		gather_first(join, &join->build->columns[c], &join->columns[join->flow_count + c]);
	column_init(second, type_of(TYPE_BOOL), batch->rows, &join->arena);
	memset(second->u8, 0, batch->rows);
	for (uint32_t k = 0; k < batch->selected; k++) {
		uint32_t row = batch_row(batch, k);

		second->u8[row] = join->matched[row] == 2;
	}
	made.column_count = join->column_count;
	made.columns = join->columns;
	return op_push(join->op.next, &made, err);
}

static int find_pairs(struct op_join *join, struct error *err)
{
	join->pair_count = 0;
	join->repeats = false;
	return join->plan->key_count > 0 ? join_by_keys(join, err) : join_all(join, err);
}

/* As join_disk_user's `rows`. */
static int join_rows(struct op_join *join, const struct batch *batch, uint8_t *matched, bool last,
	struct error *err)
{
	join->batch = batch;
	if (matched)
		memcpy(join->matched, matched, batch->rows);
	else if (join->plan->kind != JOIN_INNER)
		memset(join->matched, 0, sizeof(join->matched));
	if (join_yields_mark(join->plan->kind) && !join->residual)
		mark_matches(join);
	else if (find_pairs(join, err))
		return -1;
	if (matched)
		memcpy(matched, join->matched, batch->rows);
	if (!last)
		return 0;
	switch (join->plan->kind) {
	case JOIN_INNER: break;
	case JOIN_LEFT:
	case JOIN_FULL: return emit_unmatched(join, err);
	case JOIN_MARK:
	case JOIN_EXISTS: return emit_marks(join, err);
	case JOIN_SINGLE: return emit_singles(join, err);
	}
	return 0;
}

static void open_disk(struct op_join *join)
{
	if (!join->disk)
		join->disk = join_disk_new(join->plan, join->whole, join->flow_count, join->types);
}

static int join_consume(struct op *op, const struct batch *batch, struct error *err)
{
	struct op_join *join = (struct op_join *)op;

	if (!join_build_is_on_disk(join->whole))
		return join_rows(join, batch, NULL, true, err);
	open_disk(join);
	return join_disk_add(join->disk, batch, err);
}

static int emit_all_unmet(struct op_join *join, struct error *err)
{
	uint32_t count = join->met ? join->build->count : 0;

	for (uint32_t start = 0; start < count; start += BATCH_ROWS_MAX) {
		uint32_t rows = count - start < BATCH_ROWS_MAX ? count - start : BATCH_ROWS_MAX;

		if (emit_unmet(join, start, rows, err) < 0)
			return -1;
	}
	return 0;
}

static void use_build(struct op_join *join, const struct join_build *build)
{
	join->build = build;
	free(join->met);
	join->met = NULL;
	if (join->plan->kind == JOIN_FULL)
		join->met = memory_zalloc((size_t)build->count + 1);
}

static void start_part(void *context, const struct join_build *build)
{
	use_build(context, build);
}

static int join_part_rows(
	void *context, const struct batch *batch, uint8_t *matched, bool last, struct error *err)
{
	return join_rows(context, batch, matched, last, err);
}

static int end_part(void *context, struct error *err)
{
	return emit_all_unmet(context, err);
}

static int join_finish(struct op *op, struct error *err)
{
	struct op_join *join = (struct op_join *)op;
	const struct join_disk_user user = {.context = join,
		.stop = op->stop,
		.start = start_part,
		.rows = join_part_rows,
		.end = end_part};

	if (!join_build_is_on_disk(join->whole))
		return emit_all_unmet(join, err);
	open_disk(join);
	return join_disk_finish(join->disk, &user, err);
}

static void join_free(struct op *op)
{
	struct op_join *join = (struct op_join *)op;

	evaluator_free(join->residual);
	join_disk_free(join->disk);
	arena_release(&join->arena);
	free(join->columns);
	free(join->met);
	free(join);
}

static const struct op_table join_op_table = {
	.consume = join_consume,
	.finish = join_finish,
	.free = join_free,
};

int op_join_new(struct op **out, const struct plan_op *plan, const struct join_build *build,
	struct error *err)
{
	struct op_join *join = memory_zalloc(sizeof(*join));
	uint32_t added = join_yields_mark(plan->join.kind)
				 ? 1
				 : build->column_count + (plan->join.kind == JOIN_SINGLE);

	join->op.table = &join_op_table;
	join->plan = &plan->join;
	join->whole = build;
	use_build(join, build);
	join->column_count = plan->column_count;
	join->flow_count = plan->column_count - added;
	join->types = plan->types;
	join->columns =
		memory_zalloc((plan->column_count + build->column_count) * sizeof(*join->columns));
	join->one_i64 =
		plan->join.key_count == 1 &&
		type_physical(build->columns[plan->join.build_keys[0]].type.kind) == PHYSICAL_I64;
	if (plan->join.key_count > 0)
		join->key_size = physical_size(
			type_physical(build->columns[plan->join.build_keys[0]].type.kind));
	arena_init(&join->arena, ARENA_BLOCK);
	if (plan->join.residual && evaluator_new(&join->residual, plan->join.residual, err) < 0) {
		join_free(&join->op);
		return -1;
	}
	*out = &join->op;
	return 0;
}
