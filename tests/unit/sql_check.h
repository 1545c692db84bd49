/*
 * The promises of plan/plan.h, checked on a whole plan: every index points at something, every type
 * fits, every exchange connects. For unit tests and for the fuzzer.
 */
#ifndef TESTS_SQL_CHECK_H
#define TESTS_SQL_CHECK_H

#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                \
	do {                                                                            \
		if (!(condition)) {                                                     \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
			abort();                                                        \
		}                                                                       \
	} while (0)

/* Columns that flow from one operator to the next. */
struct check_flow {
	uint32_t count;
	const struct type *types;
};

static void check_expr(const struct expr *expr, const struct check_flow *in)
{
	CHECK(expr->type.kind != TYPE_UNKNOWN);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		check_expr(expr->args[i], in);
	switch (expr->kind) {
	case EXPR_COLUMN:
		CHECK(expr->column < in->count);
		CHECK(expr->type.kind == in->types[expr->column].kind);
		break;
	case EXPR_CONSTANT: CHECK(expr->constant.type.kind == expr->type.kind); break;
	case EXPR_CALL:
		CHECK(expr->function != FN_NONE);
		if (expr->function >= FN_EQ && expr->function <= FN_NOT_DISTINCT)
			CHECK(expr->args[0]->type.kind == expr->args[1]->type.kind);
		break;
	case EXPR_AND:
	case EXPR_OR: CHECK(expr->arg_count >= 2); break;
	case EXPR_CASE: CHECK(expr->arg_count % 2 == 1); break;
	case EXPR_IN:
		for (uint32_t i = 1; i < expr->arg_count; i++) {
			CHECK(expr->args[i]->kind == EXPR_CONSTANT);
			CHECK(expr->args[i]->type.kind == expr->args[0]->type.kind);
		}
		break;
	case EXPR_CAST:
	case EXPR_NOT:
	case EXPR_IS_NULL: CHECK(expr->arg_count == 1); break;
	case EXPR_COALESCE: CHECK(expr->arg_count >= 1); break;
	}
}

static void check_columns(uint32_t count, const uint32_t *columns, const struct check_flow *in)
{
	for (uint32_t i = 0; i < count; i++)
		CHECK(columns[i] < in->count);
}

static void check_sort(
	uint32_t count, const struct plan_sort_key *sort, const struct check_flow *in)
{
	for (uint32_t i = 0; i < count; i++)
		CHECK(sort[i].column < in->count);
}

static void check_optional(uint32_t column, const struct check_flow *in)
{
	CHECK(column == PLAN_NONE || column < in->count);
}

/* What both groups and windows ask of an aggregate over rows. */
static void check_aggregate(const struct plan_aggregate *aggregate, const struct check_flow *in)
{
	struct type type;

	CHECK(aggregate_result_type(aggregate->id, aggregate->arg_type, &type));
	CHECK(type.kind == aggregate->type.kind);
	check_optional(aggregate->arg, in);
	check_optional(aggregate->arg2, in);
	check_optional(aggregate->filter, in);
	check_sort(aggregate->sort_count, aggregate->sort, in);
	CHECK((aggregate->arg == PLAN_NONE) == (aggregate->id == AGG_COUNT_STAR));
	CHECK((aggregate->arg2 != PLAN_NONE) ==
		((aggregate->id >= AGG_CORR && aggregate->id <= AGG_COVAR_POP) ||
			aggregate->id == AGG_STRING_AGG));
	if (aggregate->arg != PLAN_NONE)
		CHECK(in->types[aggregate->arg].kind == aggregate->arg_type.kind);
	if (aggregate->arg2 != PLAN_NONE)
		CHECK(in->types[aggregate->arg2].kind == aggregate->arg_type.kind);
	if (aggregate->filter != PLAN_NONE)
		CHECK(in->types[aggregate->filter].kind == TYPE_BOOL);
	CHECK(aggregate->fraction >= 0 && aggregate->fraction <= 1);
}

static void check_bound(
	const struct plan_frame *frame, const struct plan_frame_bound *bound, enum type_kind key)
{
	if (bound->kind != FRAME_PRECEDING && bound->kind != FRAME_FOLLOWING)
		return;
	if (key == TYPE_DATE || key == TYPE_TIME || key == TYPE_TIMESTAMP)
		key = TYPE_INTERVAL;
	CHECK(!bound->offset.is_null);
	CHECK(bound->offset.type.kind == (frame->mode == FRAME_RANGE ? key : TYPE_BIGINT));
}

static void check_window(const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_window *window = &op->window;

	CHECK(op->column_count == in->count + window->call_count);
	check_columns(window->partition_count, window->partition, in);
	check_sort(window->sort_count, window->sort, in);
	for (uint32_t i = 0; i < window->call_count; i++) {
		const struct plan_window_call *call = &window->calls[i];
		enum type_kind key =
			window->sort_count ? in->types[window->sort[0].column].kind : TYPE_UNKNOWN;

		CHECK(op->types[in->count + i].kind == call->type.kind);
		check_optional(call->arg, in);
		check_optional(call->offset, in);
		check_optional(call->fallback, in);
		if (call->offset != PLAN_NONE)
			CHECK(in->types[call->offset].kind == TYPE_INT);
		if (call->fallback != PLAN_NONE)
			CHECK(in->types[call->fallback].kind == call->type.kind);
		CHECK((call->arg != PLAN_NONE) ==
			(call->function >= WINDOW_LAG && call->function <= WINDOW_NTH_VALUE));
		if (call->function == WINDOW_AGGREGATE)
			check_aggregate(&call->aggregate, in);
		check_bound(&call->frame, &call->frame.start, key);
		check_bound(&call->frame, &call->frame.end, key);
	}
}

static void check_group(const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_group *group = &op->group;
	uint32_t column = group->key_count;

	check_columns(group->key_count, group->keys, in);
	for (uint32_t i = 0; i < group->key_count; i++)
		CHECK(op->types[i].kind == in->types[group->keys[i]].kind);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct plan_aggregate *aggregate = &group->aggregates[i];
		struct type states[AGGREGATE_STATES_MAX];
		uint32_t count = 0;

		if (!aggregate_is_ordered(aggregate->id))
			count = aggregate_state_types(aggregate->id, aggregate->arg_type, states);
		else
			CHECK(group->phase == GROUP_COMPLETE);
		CHECK(!aggregate->distinct || group->phase == GROUP_COMPLETE);
		if (group->phase == GROUP_FINAL) {
			CHECK(aggregate->filter == PLAN_NONE);
			for (uint32_t j = 0; j < count; j++)
				CHECK(in->types[aggregate->arg + j].kind == states[j].kind);
		} else {
			check_aggregate(aggregate, in);
		}
		if (group->phase == GROUP_PARTIAL) {
			for (uint32_t j = 0; j < count; j++)
				CHECK(op->types[column + j].kind == states[j].kind);
			column += count;
		} else {
			CHECK(op->types[column++].kind == aggregate->type.kind);
		}
	}
	CHECK(column == op->column_count);
}

static void check_join(const struct plan *plan, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_join *join = &op->join;
	struct type types[2 * PLAN_COLUMNS_MAX];
	struct check_flow both = {in->count, types};
	const struct plan_exchange *build;

	CHECK(join->build_input >= 1 && join->build_input < fragment->input_count);
	CHECK(!plan_fragment_is_map(fragment));
	build = &plan->exchanges[fragment->inputs[join->build_input].index];
	for (uint32_t i = 0; i < join->key_count; i++) {
		CHECK(join->flow_keys[i] < in->count && join->build_keys[i] < build->column_count);
		CHECK(in->types[join->flow_keys[i]].kind == build->types[join->build_keys[i]].kind);
	}
	if (join_yields_mark(join->kind)) {
		CHECK(op->column_count == in->count + 1);
		CHECK(op->types[in->count].kind == TYPE_BOOL);
	} else {
		CHECK(op->column_count == in->count + build->column_count);
	}
	if (join->kind == JOIN_MARK)
		CHECK(build->kind == EXCHANGE_BROADCAST && !join->residual);
	if (join->kind == JOIN_FULL)
		CHECK(build->kind == EXCHANGE_HASH && join->key_count > 0);
	for (uint32_t i = 0; i < in->count; i++)
		types[i] = in->types[i];
	for (uint32_t i = 0; i < build->column_count; i++)
		types[both.count++] = build->types[i];
	if (join->residual)
		check_expr(join->residual, &both);
}

static void check_unnest(const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_unnest *unnest = &op->unnest;

	CHECK(unnest->list_count > 0);
	CHECK(op->column_count == in->count + unnest->list_count + unnest->ordinality);
	check_columns(unnest->list_count, unnest->lists, in);
	for (uint32_t i = 0; i < unnest->list_count; i++) {
		CHECK(in->types[unnest->lists[i]].kind == TYPE_TEXT_LIST);
		CHECK(op->types[in->count + i].kind == TYPE_TEXT);
	}
	if (unnest->ordinality)
		CHECK(op->types[op->column_count - 1].kind == TYPE_BIGINT);
}

static void check_op(const struct plan *plan, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct check_flow *in)
{
	switch (op->kind) {
	case PLAN_FILTER:
		CHECK(op->filter.count > 0 && op->column_count == in->count);
		for (uint32_t i = 0; i < op->filter.count; i++) {
			check_expr(op->filter.conjuncts[i], in);
			CHECK(op->filter.conjuncts[i]->type.kind == TYPE_BOOL);
		}
		break;
	case PLAN_PROJECT:
		CHECK(op->project.count == op->column_count);
		for (uint32_t i = 0; i < op->project.count; i++) {
			check_expr(op->project.exprs[i], in);
			CHECK(op->project.exprs[i]->type.kind == op->types[i].kind);
		}
		break;
	case PLAN_GROUP: check_group(op, in); break;
	case PLAN_TOP:
		CHECK(op->column_count == in->count);
		check_columns(op->top.partition_count, op->top.partition, in);
		check_sort(op->top.sort_count, op->top.sort, in);
		break;
	case PLAN_WINDOW:
		CHECK(!plan_fragment_is_map(fragment));
		check_window(op, in);
		break;
	case PLAN_JOIN: check_join(plan, fragment, op, in); break;
	case PLAN_UNNEST: check_unnest(op, in); break;
	}
}

static void check_fragment(const struct plan *plan, uint32_t index)
{
	const struct plan_fragment *fragment = &plan->fragments[index];
	struct check_flow flow = {0, NULL};
	struct type types[PLAN_COLUMNS_MAX];

	if (fragment->inputs[0].kind == INPUT_TABLE) {
		const struct plan_table *table = &plan->tables[fragment->inputs[0].index];

		for (uint32_t i = 0; i < table->column_count; i++)
			types[i] = table->columns[i].type;
		flow = (struct check_flow){table->column_count, types};
		CHECK(fragment->table_columns_used);
	} else if (fragment->inputs[0].kind == INPUT_EXCHANGE) {
		const struct plan_exchange *exchange = &plan->exchanges[fragment->inputs[0].index];

		flow = (struct check_flow){exchange->column_count, exchange->types};
	}
	for (uint32_t i = 0; i < fragment->input_count; i++) {
		if (fragment->inputs[i].kind != INPUT_EXCHANGE)
			continue;
		CHECK(plan->exchanges[fragment->inputs[i].index].consumer == index);
		CHECK(plan->exchanges[fragment->inputs[i].index].input == i);
	}
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		check_op(plan, fragment, fragment->ops[i], &flow);
		flow = (struct check_flow){fragment->ops[i]->column_count, fragment->ops[i]->types};
	}
	CHECK(fragment->output_count > 0 || fragment->query != PLAN_NONE);
	for (uint32_t i = 0; i < fragment->output_count; i++) {
		const struct plan_exchange *exchange = &plan->exchanges[fragment->outputs[i]];

		CHECK(exchange->consumer > index && exchange->consumer < plan->fragment_count);
		const uint32_t *columns =
			fragment->output_columns ? fragment->output_columns[i] : NULL;

		CHECK(exchange->column_count > 0);
		CHECK(columns || exchange->column_count == flow.count);
		for (uint32_t j = 0; j < exchange->column_count; j++) {
			uint32_t from = columns ? columns[j] : j;

			CHECK(from < flow.count);
			CHECK(exchange->types[j].kind == flow.types[from].kind);
		}
		for (uint32_t j = 0; j < exchange->key_count; j++)
			CHECK(exchange->keys[j] < exchange->column_count);
	}
	if (fragment->query != PLAN_NONE) {
		const struct plan_query *query = &plan->queries[fragment->query];
		const struct plan_input *from = &fragment->inputs[0];

		CHECK(from->kind == INPUT_EXCHANGE &&
			plan->exchanges[from->index].kind == EXCHANGE_SINGLE);
		CHECK(query->column_count == flow.count);
		for (uint32_t j = 0; j < flow.count; j++)
			CHECK(query->types[j].kind == flow.types[j].kind);
	}
}

static inline void check_plan(const struct plan *plan)
{
	for (uint32_t i = 0; i < plan->fragment_count; i++)
		check_fragment(plan, i);
	for (uint32_t q = 0; q < plan->query_count; q++) {
		uint32_t results = 0;

		for (uint32_t i = 0; i < plan->fragment_count; i++)
			results += plan->fragments[i].query == q;
		CHECK(results == 1);
	}
}

#endif
