/*
 * Three-valued logic and the expressions that choose which of their operands to compute: each
 * operand is run only for the rows that need it.
 */
#include "exec/expr/eval_private.h"

#include <string.h>

static struct column column_bool(bool truth)
{
	static uint8_t slots[2] = {0, 1};

	return (struct column){.type = type_of(TYPE_BOOL), .constant = true, .u8 = &slots[truth]};
}

/*
 * Takes one operand of AND or OR into the result: rows that it decides get their final value and
 * leave `live`. A NULL leaves the row open, with NULL as its value so far.
 */
static uint32_t junction_absorb(struct evaluator *ev, struct eval_node *node,
	const struct column *arg, const struct rows *left, bool absorbing, struct column *out,
	uint16_t *live)
{
	uint32_t count = 0;

	if (arg->valid)
		node_add_validity(ev, node, out);
	FOR_EACH_ROW(left, i)
	{
		uint32_t j = column_index(arg, i);
		bool null = arg->valid && !arg->valid[j];
		bool decided = !null && arg->u8[j] == absorbing;

		out->u8[i] = decided == absorbing;
		if (out->valid)
			out->valid[i] = decided || (out->valid[i] && !null);
		live[count] = (uint16_t)i;
		count += !decided;
	}
	return count;
}

/* `absorbing` is the value of an operand that decides alone: false for AND, true for OR. */
static int eval_junction(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	bool absorbing, struct column *out, struct error *err)
{
	uint16_t *live = node_scratch(ev, node, 0);
	struct rows left = *rows;

	*out = node_column(ev, node);
	for (uint32_t a = 0; a < node->arg_count && left.count > 0; a++) {
		struct column arg;
		uint32_t count;

		if (node_eval(ev, node->args[a], &left, &arg, err))
			return -1;
		count = junction_absorb(ev, node, &arg, &left, absorbing, out, live);
		if (count < left.count)
			left = (struct rows){live, count, rows->total};
	}
	return 0;
}

int eval_and(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	return eval_junction(ev, node, rows, false, out, err);
}

int eval_or(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	return eval_junction(ev, node, rows, true, out, err);
}

int eval_not(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	struct column arg;
	uint32_t count;

	if (node_eval(ev, node->args[0], rows, &arg, err))
		return -1;
	*out = node_column(ev, node);
	out->constant = arg.constant;
	out->valid = arg.valid;
	count = arg.constant ? 1 : rows->total;
	for (uint32_t i = 0; i < count; i++)
		out->u8[i] = arg.u8[i] ^ 1;
	return 0;
}

int eval_is_null(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	struct column arg;

	if (node_eval(ev, node->args[0], rows, &arg, err))
		return -1;
	if (!arg.valid || arg.constant) {
		*out = column_bool(column_is_null(&arg, 0));
		return 0;
	}
	*out = node_column(ev, node);
	for (uint32_t i = 0; i < rows->total; i++)
		out->u8[i] = arg.valid[i] ^ 1;
	return 0;
}

/* Copies some rows of a branch into the result of CASE or COALESCE. */
static void take_branch(struct evaluator *ev, struct eval_node *node, const struct column *branch,
	const struct rows *rows, struct column *out)
{
	if (branch->valid)
		node_add_validity(ev, node, out);
	column_copy_rows(out, branch, rows);
}

int eval_case(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	uint16_t *taken = node_scratch(ev, node, 0);
	uint16_t *rest = node_scratch(ev, node, 1);
	struct eval_node *otherwise = node->args[node->arg_count - 1];
	struct rows left = *rows;
	struct column branch;

	*out = node_column(ev, node);
	/* A constant ELSE goes everywhere first, which saves finding the rows that are left. */
	if (otherwise->is_constant) {
		const struct rows all = {NULL, rows->total, rows->total};

		take_branch(ev, node, &otherwise->constant, &all, out);
	}
	for (uint32_t a = 0; a + 1 < node->arg_count && left.count > 0; a += 2) {
		struct rows hit = {taken, 0, rows->total};

		if (node_select(ev, node->args[a], &left, taken, &hit.count, err))
			return -1;
		if (hit.count > 0) {
			if (hit.count == hit.total)
				hit.sel = NULL;
			if (node_eval(ev, node->args[a + 1], &hit, &branch, err))
				return -1;
			take_branch(ev, node, &branch, &hit, out);
		}
		if (a + 3 == node->arg_count && otherwise->is_constant)
			return 0;
		if (hit.count > 0) {
			left.count = rows_without(&left, taken, hit.count, rest);
			left.sel = rest;
		}
	}
	if (left.count == 0 || otherwise->is_constant)
		return 0;
	if (node_eval(ev, otherwise, &left, &branch, err))
		return -1;
	take_branch(ev, node, &branch, &left, out);
	return 0;
}

/* Splits rows by validity; `absent` may be rows->sel. */
static void split_by_validity(const struct column *column, const struct rows *rows,
	uint16_t *present, uint32_t *present_count, uint16_t *absent, uint32_t *absent_count)
{
	uint32_t p = 0;
	uint32_t a = 0;

	FOR_EACH_ROW(rows, i)
	{
		bool null = column_is_null(column, i);

		present[p] = (uint16_t)i;
		p += !null;
		absent[a] = (uint16_t)i;
		a += null;
	}
	*present_count = p;
	*absent_count = a;
}

int eval_coalesce(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err)
{
	uint16_t *present = node_scratch(ev, node, 0);
	uint16_t *absent = node_scratch(ev, node, 1);
	struct rows left = *rows;

	*out = node_column(ev, node);
	for (uint32_t a = 0; a < node->arg_count && left.count > 0; a++) {
		struct rows hit = {present, 0, rows->total};
		struct column arg;

		if (node_eval(ev, node->args[a], &left, &arg, err))
			return -1;
		if (a == 0 && !arg.valid) {
			*out = arg;
			return 0;
		}
		split_by_validity(&arg, &left, present, &hit.count, absent, &left.count);
		left.sel = absent;
		arg.valid = NULL; /* none of the hits is NULL */
		column_copy_rows(out, &arg, &hit);
	}
	if (left.count == 0)
		return 0;
	node_add_validity(ev, node, out);
	FOR_EACH_ROW(&left, i)
	out->valid[i] = 0;
	return 0;
}
