#include "plan/plan_queries.h"

#include <stdio.h>

#define QUERY_NAMES_MAX 512

/* The query at the end of the way that starts with this exchange. */
static uint32_t query_of(const struct plan *plan, uint32_t exchange)
{
	const struct plan_fragment *fragment = &plan->fragments[plan->exchanges[exchange].consumer];

	while (fragment->query == PLAN_NONE)
		fragment = &plan->fragments[plan->exchanges[fragment->outputs[0]].consumer];
	return fragment->query;
}

/* "q1: ", or "q1, q2: " where a fragment works for several queries; "" when they have no names. */
static void query_names(
	const struct plan *plan, const struct plan_fragment *fragment, char *names, size_t size)
{
	uint32_t last = fragment->query;
	size_t used = 0;

	names[0] = '\0';
	if (last != PLAN_NONE && plan->queries[last].name[0])
		used = (size_t)snprintf(names, size, "%s: ", plan->queries[last].name);
	for (uint32_t o = 0; o < fragment->output_count && used < size; o++) {
		uint32_t query = query_of(plan, fragment->outputs[o]);

		if (query == last || !plan->queries[query].name[0])
			continue;
		/* The last name's ": " becomes ", ". */
		used -= used ? 2 : 0;
		used += (size_t)snprintf(names + used, size - used, "%s%s: ", used ? ", " : "",
			plan->queries[query].name);
		last = query;
	}
}

int plan_error_prefix(
	const struct plan *plan, const struct plan_fragment *fragment, struct error *err)
{
	char names[QUERY_NAMES_MAX];

	if (err->code != ERROR_EVAL)
		return -1;
	query_names(plan, fragment, names, sizeof(names));
	return error_prefix(err, "%s", names);
}

enum plan_placement plan_fragment_placement(
	const struct plan *plan, const struct plan_fragment *fragment)
{
	const struct plan_input *input = &fragment->inputs[0];

	switch (input->kind) {
	case INPUT_TABLE: return PLACED_WITH_CHUNKS;
	case INPUT_ONE_ROW: return PLACED_ONCE;
	case INPUT_EXCHANGE: break;
	}
	switch (plan->exchanges[input->index].kind) {
	case EXCHANGE_HASH: return PLACED_BY_KEY;
	case EXCHANGE_SPREAD: return PLACED_ANYWHERE;
	case EXCHANGE_SINGLE:
	case EXCHANGE_ORDERED:
	case EXCHANGE_BROADCAST: break;
	}
	return PLACED_ONCE;
}

const struct plan_join *plan_fragment_join(const struct plan_fragment *fragment, uint32_t input)
{
	for (uint32_t i = 0; i < fragment->op_count; i++)
		if (fragment->ops[i]->kind == PLAN_JOIN &&
			fragment->ops[i]->join.build_input == input)
			return &fragment->ops[i]->join;
	return NULL;
}

bool plan_fragment_recurses(const struct plan_fragment *fragment, uint32_t input)
{
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		const struct plan_op *op = fragment->ops[i];

		for (uint32_t t = 1;
			op->kind == PLAN_RECURSION && t < op->recursion.term->table_count; t++)
			if (op->recursion.term->tables[t].source == input)
				return true;
	}
	return false;
}

uint32_t plan_fragment_reader(const struct plan_fragment *fragment, uint32_t input)
{
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		const struct plan_op *op = fragment->ops[i];

		if (op->kind == PLAN_RECURSION ||
			(op->kind == PLAN_JOIN && op->join.build_input == input))
			return i;
	}
	return fragment->op_count - 1;
}

static bool any_expensive(uint32_t count, struct expr *const *exprs)
{
	for (uint32_t i = 0; i < count; i++)
		if (expr_is_expensive(exprs[i]))
			return true;
	return false;
}

bool plan_has_expensive_map(const struct plan *plan)
{
	for (uint32_t f = 0; f < plan->fragment_count; f++) {
		const struct plan_fragment *fragment = &plan->fragments[f];

		if (fragment->inputs[0].kind != INPUT_TABLE)
			continue;
		for (uint32_t o = 0; o < fragment->op_count; o++) {
			const struct plan_op *op = fragment->ops[o];

			if ((op->kind == PLAN_FILTER &&
				    any_expensive(op->filter.count, op->filter.conjuncts)) ||
				(op->kind == PLAN_PROJECT &&
					any_expensive(op->project.count, op->project.exprs)))
				return true;
		}
	}
	return false;
}
