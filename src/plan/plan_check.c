#include "plan/plan_check.h"
#include "base/memory.h"
#include "plan/check_private.h"
#include "plan/plan_queries.h"

#include <stdlib.h>
#include <string.h>

/* How often something is referred to while the fragments are walked. */
struct uses {
	uint32_t *producers; /* by exchange */
	uint32_t *results;   /* by query */
};

static bool check_tables(struct check *check)
{
	const struct plan *plan = check->plan;

	for (uint32_t t = 0; t < plan->table_count; t++) {
		const struct plan_table *table = &plan->tables[t];

		if (table->column_count > PLAN_COLUMNS_MAX)
			return check_fail(check, "a table has too many columns");
		for (uint32_t c = 0; c < table->column_count; c++) {
			if (!check_type(check, table->columns[c].type))
				return false;
		}
	}
	return true;
}

static bool check_exchanges(struct check *check)
{
	const struct plan *plan = check->plan;

	for (uint32_t i = 0; i < plan->exchange_count; i++) {
		const struct plan_exchange *exchange = &plan->exchanges[i];
		const struct plan_fragment *consumer;

		if (exchange->column_count == 0)
			return check_fail(check, "an exchange has no columns");
		if (!check_types(check, exchange->column_count, exchange->types))
			return false;
		if ((exchange->key_count > 0) != (exchange->kind == EXCHANGE_HASH))
			return check_fail(check,
				"an exchange has keys but does not hash, or hashes without keys");
		for (uint32_t k = 0; k < exchange->key_count; k++) {
			if (exchange->keys[k] >= exchange->column_count)
				return check_fail(check, "an exchange hashes what is not there");
		}
		if (exchange->consumer >= plan->fragment_count)
			return check_fail(check, "an exchange leads nowhere");
		consumer = &plan->fragments[exchange->consumer];
		if (exchange->input >= consumer->input_count ||
			consumer->inputs[exchange->input].kind != INPUT_EXCHANGE ||
			consumer->inputs[exchange->input].index != i)
			return check_fail(check, "an exchange is not what its consumer reads");
	}
	return true;
}

static bool check_queries(struct check *check)
{
	const struct plan *plan = check->plan;

	for (uint32_t q = 0; q < plan->query_count; q++) {
		if (!check_types(check, plan->queries[q].column_count, plan->queries[q].types))
			return false;
	}
	return true;
}

/* Every build side belongs to one join of the fragment, or to its recursions. */
static bool check_inputs(struct check *check, uint32_t index)
{
	const struct plan *plan = check->plan;
	const struct plan_fragment *fragment = &plan->fragments[index];

	if (fragment->input_count == 0)
		return check_fail(check, "it has no input");
	for (uint32_t i = 0; i < fragment->input_count; i++) {
		const struct plan_input *input = &fragment->inputs[i];
		uint32_t joins = 0;

		if (i > 0 && input->kind != INPUT_EXCHANGE)
			return check_fail(check, "a build side does not come from an exchange");
		if (input->kind == INPUT_TABLE && input->index >= plan->table_count)
			return check_fail(check, "it reads a table that is not there");
		if (input->kind == INPUT_EXCHANGE &&
			(input->index >= plan->exchange_count ||
				plan->exchanges[input->index].consumer != index ||
				plan->exchanges[input->index].input != i))
			return check_fail(check, "it reads an exchange that is not its own");
		if (i == 0 && input->kind == INPUT_EXCHANGE &&
			plan->exchanges[input->index].kind == EXCHANGE_BROADCAST)
			return check_fail(check, "every instance would do the same work");
		for (uint32_t o = 0; i > 0 && o < fragment->op_count; o++)
			joins += fragment->ops[o]->kind == PLAN_JOIN &&
				 fragment->ops[o]->join.build_input == i;
		joins += i > 0 && plan_fragment_recurses(fragment, i);
		if (i > 0 && joins != 1)
			return check_fail(check, "a build side belongs to no join, or to two");
	}
	return true;
}

static struct check_flow input_flow(const struct plan *plan, const struct plan_fragment *fragment,
	struct type types[PLAN_COLUMNS_MAX])
{
	const struct plan_input *input = &fragment->inputs[0];

	if (input->kind == INPUT_EXCHANGE)
		return (struct check_flow){plan->exchanges[input->index].column_count,
			plan->exchanges[input->index].types};
	if (input->kind == INPUT_TABLE) {
		const struct plan_table *table = &plan->tables[input->index];

		for (uint32_t i = 0; i < table->column_count; i++)
			types[i] = table->columns[i].type;
		return (struct check_flow){table->column_count, types};
	}
	return (struct check_flow){0, NULL};
}

/* A map fragment sees any part of its table: what must see all of it stands behind an exchange. */
static bool check_map_op(struct check *check, const struct plan_op *op)
{
	if (op->kind == PLAN_WINDOW)
		return check_fail(check, "a map fragment has a window");
	return check_that(check, op->kind != PLAN_GROUP || op->group.phase == GROUP_PARTIAL,
		"a map fragment has a group that needs all rows");
}

/* Rows leave the fragment in the order of its table. */
static bool keeps_order(const struct plan_fragment *fragment)
{
	bool keeps = plan_fragment_is_map(fragment) && fragment->merged_count == 0;

	for (uint32_t i = 0; i < fragment->op_count; i++) {
		enum plan_op_kind kind = fragment->ops[i]->kind;

		keeps &= kind == PLAN_FILTER || kind == PLAN_PROJECT || kind == PLAN_UNNEST ||
			 kind == PLAN_LIMIT;
	}
	return keeps;
}

static bool check_output(struct check *check, uint32_t index, uint32_t output,
	const struct check_flow *flow, struct uses *uses)
{
	const struct plan *plan = check->plan;
	const struct plan_fragment *fragment = &plan->fragments[index];
	const uint32_t *columns =
		fragment->output_columns ? fragment->output_columns[output] : NULL;
	const struct plan_exchange *exchange;

	if (fragment->outputs[output] >= plan->exchange_count)
		return check_fail(check, "it feeds an exchange that is not there");
	for (uint32_t i = 0; i < output; i++) {
		if (fragment->outputs[i] == fragment->outputs[output])
			return check_fail(check, "it feeds an exchange twice");
	}
	exchange = &plan->exchanges[fragment->outputs[output]];
	if (exchange->consumer <= index)
		return check_fail(check, "it feeds a fragment that stands before it");
	if (!columns && exchange->column_count != flow->count)
		return check_fail(check, "it feeds an exchange of other columns");
	for (uint32_t i = 0; i < exchange->column_count; i++) {
		uint32_t from = columns ? columns[i] : i;

		if (from >= flow->count || exchange->types[i].kind != flow->types[from].kind)
			return check_fail(check, "it feeds an exchange of other types");
	}
	uses->producers[fragment->outputs[output]]++;
	if (exchange->kind == EXCHANGE_ORDERED &&
		(!keeps_order(fragment) || uses->producers[fragment->outputs[output]] > 1))
		return check_fail(check, "it feeds an ordered exchange in no order");
	return true;
}

static bool check_result(struct check *check, const struct plan_fragment *fragment,
	const struct check_flow *flow, struct uses *uses)
{
	const struct plan *plan = check->plan;
	const struct plan_query *query;

	if (fragment->query >= plan->query_count)
		return check_fail(check, "it is the result of no query");
	query = &plan->queries[fragment->query];
	if (fragment->inputs[0].kind != INPUT_EXCHANGE ||
		plan_fragment_placement(plan, fragment) != PLACED_ONCE)
		return check_fail(check, "a result has more than one instance");
	if (query->column_count != flow->count)
		return check_fail(check, "a result has other columns");
	for (uint32_t i = 0; i < flow->count; i++) {
		if (query->types[i].kind != flow->types[i].kind)
			return check_fail(check, "a result has other types");
	}
	uses->results[fragment->query]++;
	return true;
}

static bool feeds(const struct plan_fragment *fragment, uint32_t exchange)
{
	for (uint32_t i = 0; i < fragment->output_count; i++) {
		if (fragment->outputs[i] == exchange)
			return true;
	}
	return false;
}

/* A fragment that does the work of others: of map fragments of its table, for their outputs. */
static bool check_merged(struct check *check, uint32_t index)
{
	const struct plan *plan = check->plan;
	const struct plan_fragment *fragment = &plan->fragments[index];
	uint32_t outputs = 0;

	for (uint32_t i = 0; i < fragment->merged_count; i++) {
		const struct plan_fragment *member;

		if (fragment->merged[i] >= plan->fragment_count)
			return check_fail(check, "it stands for a fragment that is not there");
		member = &plan->fragments[fragment->merged[i]];
		if (member->merged_into != index || member->merged_count > 0)
			return check_fail(check, "it stands for a fragment that does not know it");
		if (fragment->inputs[0].kind != INPUT_TABLE || member->input_count == 0 ||
			member->inputs[0].kind != INPUT_TABLE ||
			member->inputs[0].index != fragment->inputs[0].index)
			return check_fail(check, "it stands for a fragment of another table");
		for (uint32_t k = 0; k < i; k++) {
			if (fragment->merged[k] == fragment->merged[i])
				return check_fail(check, "it stands for a fragment twice");
		}
		for (uint32_t k = 0; k < member->output_count; k++) {
			if (!feeds(fragment, member->outputs[k]))
				return check_fail(check, "it does not feed what it should");
		}
		outputs += member->output_count;
	}
	if (fragment->merged_count > 0 &&
		(outputs != fragment->output_count || fragment->merged_into != PLAN_NONE ||
			fragment->query != PLAN_NONE))
		return check_fail(check, "it feeds more than those it stands for");
	if (fragment->merged_into == PLAN_NONE)
		return true;
	if (fragment->merged_into >= plan->fragment_count)
		return check_fail(check, "it is done by a fragment that is not there");
	for (uint32_t i = 0; i < plan->fragments[fragment->merged_into].merged_count; i++) {
		if (plan->fragments[fragment->merged_into].merged[i] == index)
			return true;
	}
	return check_fail(check, "it is done by a fragment that does not know it");
}

static bool check_fragment(struct check *check, uint32_t index, struct uses *uses)
{
	const struct plan_fragment *fragment = &check->plan->fragments[index];
	struct type types[PLAN_COLUMNS_MAX];
	struct check_flow flow;

	if (fragment->op_count > PLAN_OPS_MAX)
		return check_fail(check, "it has too many operators");
	if (!check_inputs(check, index))
		return false;
	flow = input_flow(check->plan, fragment, types);
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		if (plan_fragment_is_map(fragment) && !check_map_op(check, fragment->ops[i]))
			return false;
		if (!check_op(check, fragment, fragment->ops[i], &flow))
			return false;
		flow = (struct check_flow){fragment->ops[i]->column_count, fragment->ops[i]->types};
	}
	if (fragment->inputs[0].kind == INPUT_TABLE && !check_columns_used(check, fragment))
		return false;
	if (fragment->output_count == 0 && fragment->query == PLAN_NONE)
		return check_fail(check, "it is of no use");
	for (uint32_t i = 0; i < fragment->output_count; i++) {
		if (!check_output(check, index, i, &flow, uses))
			return false;
	}
	if (fragment->query != PLAN_NONE && !check_result(check, fragment, &flow, uses))
		return false;
	return check_merged(check, index);
}

static bool check_uses(struct check *check, const struct uses *uses)
{
	for (uint32_t i = 0; i < check->plan->exchange_count; i++) {
		if (uses->producers[i] == 0)
			return check_fail(check, "an exchange has no producer");
	}
	for (uint32_t i = 0; i < check->plan->query_count; i++) {
		if (uses->results[i] != 1)
			return check_fail(check, "a query has no result, or two");
	}
	return true;
}

static bool check_plan(struct check *check, struct uses *uses, uint32_t *fragment)
{
	const struct plan *plan = check->plan;

	*fragment = PLAN_NONE;
	if (plan->fragment_count > PLAN_FRAGMENTS_MAX ||
		plan->exchange_count > PLAN_EXCHANGES_MAX || plan->query_count > PLAN_QUERIES_MAX)
		return check_fail(check, "it has too many fragments, exchanges or queries");
	uses->producers = memory_zalloc((plan->exchange_count + 1) * sizeof(uint32_t));
	uses->results = memory_zalloc((plan->query_count + 1) * sizeof(uint32_t));
	if (!check_tables(check) || !check_exchanges(check) || !check_queries(check))
		return false;
	for (*fragment = 0; *fragment < plan->fragment_count; (*fragment)++) {
		if (!check_fragment(check, *fragment, uses))
			return false;
	}
	*fragment = PLAN_NONE;
	return check_uses(check, uses);
}

bool check_term(struct check *check, const struct plan *plan)
{
	struct check term = {.plan = plan, .terms = check->terms + 1};
	struct uses uses = {0};
	uint32_t fragment;
	bool holds;

	if (term.terms > PLAN_TERMS_MAX)
		return check_fail(check, "recursions are nested too deeply");
	holds = check_plan(&term, &uses, &fragment);
	free(uses.producers);
	free(uses.results);
	return check_that(check, holds, term.why);
}

/* Fills the error, of class `code`. */
static int check_as(const struct plan *plan, enum error_code code, struct error *err)
{
	struct check check = {.plan = plan};
	struct uses uses = {0};
	uint32_t fragment;
	bool holds = check_plan(&check, &uses, &fragment);

	free(uses.producers);
	free(uses.results);
	if (holds)
		return 0;
	if (fragment == PLAN_NONE)
		return error_set(err, code, "the plan is not valid: %s", check.why);
	return error_set(
		err, code, "fragment %u of the plan is not valid: %s", fragment, check.why);
}

int plan_check(const struct plan *plan, struct error *err)
{
	return check_as(plan, ERROR_DATA, err);
}

int plan_check_own(const struct plan *plan, struct error *err)
{
	return check_as(plan, ERROR_INTERNAL, err);
}
