/*
 * Running a compiled expression: the public calls, and what happens around a kernel.
 *
 * A node computes exactly the rows it is asked for. Kernels that cannot fail are the exception:
 * when most rows of the batch are asked for, they run over all of them, because a dense loop is
 * several times faster than one through a selection.
 */
#include "exec/expr/eval_private.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define NODE_ARENA_BLOCK (64u << 10)
#define TEXT_ARENA_BLOCK (64u << 10)

/* So long a kernel may run until somebody looks whether it is to stop, about. */
#define SLICE_US	 5000u
#define SLICE_ROWS_FIRST 32u
/* One in so many runs of a kernel that was fast enough is timed: values may change. */
#define RUNS_PER_LOOK 8u

static struct evaluator *evaluator_alloc(void)
{
	struct evaluator *ev = memory_zalloc(sizeof(*ev));

	arena_init(&ev->arena, NODE_ARENA_BLOCK);
	arena_init(&ev->texts, TEXT_ARENA_BLOCK);
	return ev;
}

static int evaluator_compile(
	struct evaluator *ev, const struct expr *expr, struct evaluator **out, struct error *err)
{
	ev->root = compile_root(ev, expr, err);
	if (!ev->root) {
		evaluator_free(ev);
		return -1;
	}
	*out = ev;
	return 0;
}

int evaluator_new(struct evaluator **out, const struct expr *expr, struct error *err)
{
	return evaluator_compile(evaluator_alloc(), expr, out, err);
}

int evaluator_new_conjunction(
	struct evaluator **out, struct expr *const *conjuncts, uint32_t count, struct error *err)
{
	struct evaluator *ev = evaluator_alloc();
	const struct value yes = {.type = type_of(TYPE_BOOL), .boolean = true};
	const struct expr *expr;

	if (count == 0)
		expr = expr_constant(&ev->arena, &yes);
	else if (count == 1)
		expr = conjuncts[0];
	else
		expr = expr_node(&ev->arena, EXPR_AND, type_of(TYPE_BOOL), count, conjuncts);
	return evaluator_compile(ev, expr, out, err);
}

void evaluator_free(struct evaluator *evaluator)
{
	if (!evaluator)
		return;
	for (struct cleanup *c = evaluator->cleanups; c; c = c->next)
		c->run(c->object);
	arena_release(&evaluator->arena);
	arena_release(&evaluator->texts);
	free(evaluator);
}

void evaluator_defer(struct evaluator *ev, void (*run)(void *object), void *object)
{
	struct cleanup *cleanup = arena_alloc(&ev->arena, sizeof(*cleanup));

	*cleanup = (struct cleanup){run, object, ev->cleanups};
	ev->cleanups = cleanup;
}

void evaluator_stop_with(
	struct evaluator *evaluator, const atomic_bool *stop, const atomic_bool *failed)
{
	evaluator->stop = stop;
	evaluator->failed = failed;
}

static bool is_set(const atomic_bool *flag)
{
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

static int check_stop(const struct evaluator *ev, struct error *err)
{
	if (is_set(ev->stop) || is_set(ev->failed))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	return 0;
}

static void evaluator_begin(struct evaluator *ev, const struct batch *batch)
{
	assert(batch->rows <= BATCH_ROWS_MAX && batch->selected <= batch->rows);
	assert(batch->sel || batch->selected == batch->rows);
	ev->batch = batch;
	ev->generation++;
	ev->text_bytes = 0;
	arena_reset(&ev->texts);
}

static struct rows batch_rows(const struct batch *batch)
{
	bool all = batch->selected == batch->rows;

	return (struct rows){all ? NULL : batch->sel, batch->selected, batch->rows};
}

int evaluator_eval(struct evaluator *evaluator, const struct batch *batch, struct column *out,
	struct error *err)
{
	struct rows rows = batch_rows(batch);

	evaluator_begin(evaluator, batch);
	return node_eval(evaluator, evaluator->root, &rows, out, err);
}

int evaluator_select(struct evaluator *evaluator, const struct batch *batch, uint16_t *sel,
	uint32_t *selected, struct error *err)
{
	struct rows rows = batch_rows(batch);

	assert(evaluator->root->type.kind == TYPE_BOOL);
	evaluator_begin(evaluator, batch);
	return node_select(evaluator, evaluator->root, &rows, sel, selected, err);
}

int node_eval(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	if (node->shared && node->generation == ev->generation) {
		*out = node->cached;
		return 0;
	}
	if (rows->count == 0) {
		*out = node_column(ev, node);
		return 0;
	}
	if (node->eval(ev, node, rows, out, err))
		return -1;
	out->type = node->type;
	if (node->shared) {
		node->cached = *out;
		node->generation = ev->generation;
	}
	return 0;
}

int node_select(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err)
{
	if (rows->count == 0) {
		*selected = 0;
		return 0;
	}
	return node->select(ev, node, rows, sel, selected, err);
}

struct column node_column(struct evaluator *ev, struct eval_node *node)
{
	if (!node->values) {
		size_t size = physical_size(type_physical(node->type.kind));

		/*
		 * Zeroed, because total kernels read all slots of their arguments, also those that
		 * were never asked for.
		 */
		node->values = arena_zalloc(&ev->arena, ev->slots * size);
	}
	return (struct column){.type = node->type, .values = node->values};
}

void node_add_validity(struct evaluator *ev, struct eval_node *node, struct column *column)
{
	if (column->valid)
		return;
	if (!node->valid)
		node->valid = arena_alloc(&ev->arena, ev->slots);
	memset(node->valid, 1, ev->slots);
	column->valid = node->valid;
}

uint16_t *node_scratch(struct evaluator *ev, struct eval_node *node, unsigned which)
{
	if (!node->scratch)
		node->scratch = arena_alloc(&ev->arena, 2 * sizeof(*node->scratch) * ev->slots);
	return node->scratch + which * ev->slots;
}

/* A NULL of the type, standing for every row. */
static struct column column_null(struct type type)
{
	static numeric zero_slot;
	static uint8_t invalid_slot;

	return (struct column){
		.type = type, .constant = true, .values = &zero_slot, .valid = &invalid_slot};
}

#define COPY_ROWS(ctype, target, source)                         \
	do {                                                     \
		ctype *restrict into = target;                   \
		const ctype *restrict out_of = source;           \
		const ctype first = out_of[0];                   \
                                                                 \
		if (from->constant)                              \
			FOR_EACH_ROW(&some, i)                   \
		into[i] = first;                                 \
		else FOR_EACH_ROW(&some, i) into[i] = out_of[i]; \
	} while (0)

void column_copy_rows(struct column *to, const struct column *from, const struct rows *rows)
{
	const struct rows some = *rows;

	if (from->valid)
		COPY_ROWS(uint8_t, to->valid, from->valid);
	else if (to->valid)
		FOR_EACH_ROW(&some, i)
	to->valid[i] = 1;
	switch (type_physical(to->type.kind)) {
	case PHYSICAL_U8: COPY_ROWS(uint8_t, to->u8, from->u8); break;
	case PHYSICAL_I64: COPY_ROWS(int64_t, to->i64, from->i64); break;
	case PHYSICAL_NUM: COPY_ROWS(numeric, to->num, from->num); break;
	case PHYSICAL_F64: COPY_ROWS(double, to->f64, from->f64); break;
	case PHYSICAL_TEXT: COPY_ROWS(struct text, to->text, from->text); break;
	case PHYSICAL_LIST: COPY_ROWS(struct text_list, to->list, from->list); break;
	case PHYSICAL_INTERVAL: COPY_ROWS(struct interval, to->interval, from->interval); break;
	}
}

int eval_column_ref(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	(void)rows;
	(void)err;
	assert(node->expr->column < ev->batch->column_count);
	*out = ev->batch->columns[node->expr->column];
	assert(type_physical(out->type.kind) == type_physical(node->type.kind));
	return 0;
}

int eval_constant(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	(void)ev;
	(void)rows;
	(void)err;
	*out = node->constant;
	return 0;
}

int eval_relabel(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	return node_eval(ev, node->args[0], rows, out, err);
}

/* True when some argument is NULL for every row. */
static bool any_constant_null(const struct column *args, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (args[i].constant && args[i].valid && !args[i].valid[0])
			return true;
	return false;
}

/*
 * The validity of a strict result: valid where all arguments are. Over all rows of the batch, not
 * only the selected ones: a plain AND of bytes costs less than the selection.
 */
static void combine_validity(
	struct evaluator *ev, struct eval_node *node, uint32_t total, struct column *out)
{
	for (uint32_t a = 0; a < node->arg_count; a++) {
		const struct column *arg = &node->arg_columns[a];

		if (!arg->valid || arg->constant)
			continue;
		if (!out->valid) {
			node_add_validity(ev, node, out);
			memcpy(out->valid, arg->valid, total);
			continue;
		}
		for (uint32_t i = 0; i < total; i++)
			out->valid[i] &= arg->valid[i];
	}
}

static struct rows narrow_to_valid(const struct rows *rows, const uint8_t *valid, uint16_t *sel)
{
	uint32_t count = 0;

	if (rows->sel) {
		for (uint32_t k = 0; k < rows->count; k++) {
			sel[count] = rows->sel[k];
			count += valid[rows->sel[k]] != 0;
		}
	} else {
		for (uint32_t i = 0; i < rows->count; i++) {
			sel[count] = (uint16_t)i;
			count += valid[i] != 0;
		}
	}
	return (struct rows){count == rows->total ? NULL : sel, count, rows->total};
}

/* Rows that take longer than expected make the next slice smaller. */
static uint32_t next_slice(uint32_t rows, uint64_t took_us)
{
	uint64_t fitting;

	if (took_us < SLICE_US / 4)
		return rows < BATCH_ROWS_MAX / 4 ? 4 * rows : BATCH_ROWS_MAX;
	fitting = (uint64_t)rows * SLICE_US / took_us;
	return fitting == 0 ? 1 : fitting < BATCH_ROWS_MAX ? (uint32_t)fitting : BATCH_ROWS_MAX;
}

static int run_slices(struct call *call, struct error *err)
{
	struct eval_node *node = call->node;
	const struct rows all = call->rows;
	uint16_t *sel = node_scratch(call->evaluator, node, 1);
	uint32_t done = 0;

	if (node->slice_rows == 0)
		node->slice_rows = SLICE_ROWS_FIRST;
	for (uint32_t i = 0; all.count > node->slice_rows && i < all.count; i++)
		sel[i] = (uint16_t)rows_at(&all, i);
	while (done < all.count) {
		uint32_t rest = all.count - done;
		uint32_t rows = rest < node->slice_rows ? rest : node->slice_rows;
		uint64_t started_us, took_us;

		if (check_stop(call->evaluator, err))
			return -1;
		if (rows < all.count)
			call->rows = (struct rows){sel + done, rows, all.total};
		started_us = clock_monotonic_us();
		if (node->kernel->run(call, err))
			return -1;
		took_us = clock_monotonic_us() - started_us;
		if (rows == node->slice_rows || took_us > SLICE_US)
			node->slice_rows = next_slice(rows, took_us);
		done += rows;
	}
	return 0;
}

/*
 * What can fail may take long as well: a regular expression, a power of a long decimal. How long is found out by
 * trying; the rows are then taken in slices that are short enough.
 */
static int run_kernel(struct call *call, struct error *err)
{
	struct eval_node *node = call->node;
	bool can_stop = call->evaluator->stop || call->evaluator->failed;

	if (!can_stop || node->kernel->flags & KERNEL_TOTAL ||
		(node->slice_rows == BATCH_ROWS_MAX && ++node->runs % RUNS_PER_LOOK != 0))
		return node->kernel->run(call, err);
	return run_slices(call, err);
}

/* Whoever has the text of the query can show where in it a value broke a rule. */
static int note_place(const struct call *call, int result, struct error *err)
{
	int32_t location = call->node->expr->location;

	if (result && err->code == ERROR_EVAL && err->offset == 0 && location >= 0)
		err->offset = (uint32_t)location + 1;
	return result;
}

int eval_call(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	struct column *args = node->arg_columns;
	unsigned flags = node->kernel->flags;
	bool constant = true;
	struct call call = {
		.args = args,
		.arg_count = node->arg_count,
		.out = out,
		.state = node->state,
		.type = node->type,
		.evaluator = ev,
		.node = node,
		.rows = *rows,
		.asked = *rows,
	};

	for (uint32_t i = 0; i < node->arg_count; i++) {
		if (node_eval(ev, node->args[i], rows, &args[i], err))
			return -1;
		constant &= args[i].constant;
	}
	if (!(flags & KERNEL_SEES_NULLS) && any_constant_null(args, node->arg_count)) {
		*out = column_null(node->type);
		return 0;
	}
	*out = node_column(ev, node);
	if (constant) {
		out->constant = true;
		call.rows = call.asked = (struct rows){NULL, 1, 1};
		return note_place(&call, node->kernel->run(&call, err), err);
	}
	if (!(flags & KERNEL_SEES_NULLS))
		combine_validity(ev, node, rows->total, out);
	if (flags & KERNEL_TOTAL) {
		if (rows->count >= rows->total / 2)
			call.rows = (struct rows){NULL, rows->total, rows->total};
	} else if (out->valid) {
		call.rows = narrow_to_valid(rows, out->valid, node_scratch(ev, node, 0));
		if (call.rows.count == 0)
			return 0;
	}
	return note_place(&call, run_kernel(&call, err), err);
}

void call_set_null(struct call *call, uint32_t row)
{
	struct column *out = call->out;

	node_add_validity(call->evaluator, call->node, out);
	out->valid[row] = 0;
}

/* Counts `size` bytes against what one call on the evaluator may make. */
static bool claim_bytes(struct call *call, uint64_t size, struct error *err)
{
	struct evaluator *ev = call->evaluator;

	if (size > EVAL_TEXT_BYTES_MAX - ev->text_bytes) {
		error_set(err, ERROR_LIMIT,
			"%s makes more than %u bytes of text for one batch of rows",
			function_name(call->node->expr->function), EVAL_TEXT_BYTES_MAX);
		return false;
	}
	ev->text_bytes += size;
	return true;
}

char *call_text(struct call *call, uint64_t size, struct error *err)
{
	if (size > TEXT_SIZE_MAX) {
		error_set(err, ERROR_EVAL, "a text of %llu bytes is too long (%u at most)",
			(unsigned long long)size, TEXT_SIZE_MAX);
		return NULL;
	}
	return claim_bytes(call, size, err) ? arena_alloc_bytes(&call->evaluator->texts, size)
					    : NULL;
}

int call_set_text(
	struct call *call, uint32_t row, const char *bytes, size_t size, struct error *err)
{
	char *to = call_text(call, size, err);

	if (!to)
		return -1;
	text_put(to, text_from(bytes, size));
	call->out->text[row] = text_from(to, size);
	return 0;
}

int call_set_buf(struct call *call, uint32_t row, const struct buf *buf, struct error *err)
{
	return call_set_text(call, row, buf->data, buf_overflowed(buf) ? SIZE_MAX : buf->size, err);
}

struct text *call_items(struct call *call, uint64_t count, struct error *err)
{
	uint64_t size = count * sizeof(struct text);

	return claim_bytes(call, size, err) ? arena_alloc(&call->evaluator->texts, size) : NULL;
}

int call_set_list(
	struct call *call, uint32_t row, const struct text_vector *items, struct error *err)
{
	struct text *copy = call_items(call, items->count, err);

	if (!copy)
		return -1;
	if (items->count > 0)
		memcpy(copy, items->data, items->count * sizeof(*copy));
	call->out->list[row] = (struct text_list){copy, items->count};
	return 0;
}

struct arena *call_arena(struct call *call)
{
	return &call->evaluator->texts;
}

int error_integer_range(enum type_kind kind, struct error *err)
{
	return error_set(err, ERROR_EVAL, "%s out of range", type_kind_name(kind));
}

int error_division_by_zero(struct error *err)
{
	return error_set(err, ERROR_EVAL, "division by zero");
}

int error_numeric_fault(enum numeric_fault fault, struct error *err)
{
	return error_set(err, ERROR_EVAL, "%s", numeric_fault_text(fault));
}

int error_numeric_range(struct error *err)
{
	return error_numeric_fault(NUMERIC_TOO_LARGE, err);
}
