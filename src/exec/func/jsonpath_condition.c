/* Conditions of a path: true, false or unknown. */
#include "exec/func/jsonpath_private.h"

#include <string.h>

static enum path_truth raised_or(enum path_result result, enum path_truth truth)
{
	return result == PATH_RAISED ? PATH_TRUTH_RAISED : truth;
}

/* -- Comparisons -- */

static enum path_truth truth_of(bool value)
{
	return value ? PATH_TRUE : PATH_FALSE;
}

static enum path_truth by_order(enum jsonpath_kind kind, int order)
{
	switch (kind) {
	case JSONPATH_EQ: return truth_of(order == 0);
	case JSONPATH_NE: return truth_of(order != 0);
	case JSONPATH_LT: return truth_of(order < 0);
	case JSONPATH_LE: return truth_of(order <= 0);
	case JSONPATH_GT: return truth_of(order > 0);
	default: return truth_of(order >= 0);
	}
}

static enum path_truth compare_times(struct path_run *run, enum jsonpath_kind kind,
	const struct path_item *a, const struct path_item *b)
{
	bool needs_zone = false;
	int order;

	if (path_time_compare(a, b, run->question->zone, &order, &needs_zone))
		return by_order(kind, order);
	if (!needs_zone)
		return PATH_UNKNOWN;
	(void)error_set(run->err, ERROR_EVAL,
		"cannot convert value from %s to %s without time zone usage",
		a->time < b->time ? path_time_name(a->time) : path_time_name(b->time),
		a->time < b->time ? path_time_name(b->time) : path_time_name(a->time));
	return PATH_TRUTH_RAISED;
}

static enum path_truth compare(struct path_run *run, const struct jsonpath_node *node,
	const struct path_item *a, const struct path_item *b)
{
	const struct json_node *x = a->node, *y = b->node;

	if (a->time && b->time)
		return compare_times(run, node->kind, a, b);
	/* A null differs from everything else. */
	if (x->form != y->form || a->time || b->time)
		return x->form == JSON_FORM_NULL || y->form == JSON_FORM_NULL
			       ? truth_of(node->kind == JSONPATH_NE)
			       : PATH_UNKNOWN;
	switch (x->form) {
	case JSON_FORM_NULL: return by_order(node->kind, 0);
	case JSON_FORM_BOOL: return by_order(node->kind, x->boolean - y->boolean);
	case JSON_FORM_NUMBER:
		return by_order(node->kind, numeric_long_compare(x->number, y->number));
	case JSON_FORM_STRING: return by_order(node->kind, text_compare(x->text, y->text));
	default: return PATH_UNKNOWN;
	}
}

static enum path_truth starts_with(const struct path_item *whole, const struct path_item *start)
{
	const struct text *text = &whole->node->text, *head = &start->node->text;

	if (!path_is(whole, JSON_FORM_STRING) || !path_is(start, JSON_FORM_STRING))
		return PATH_UNKNOWN;
	return truth_of(text->size >= head->size &&
			(head->size == 0 || memcmp(text->data, head->data, head->size) == 0));
}

static enum path_truth matches(
	struct path_run *run, const struct jsonpath_node *node, const struct path_item *item)
{
	struct regex *regex;
	int found;

	if (!path_is(item, JSON_FORM_STRING))
		return PATH_UNKNOWN;
	if (path_regex(run, node, &regex) < 0)
		return PATH_TRUTH_RAISED;
	regex_begin(regex, item->node->text);
	found = regex_find(regex, 0, REGEX_WISH_TRUTH, run->err);
	return found < 0 ? PATH_TRUTH_RAISED : truth_of(found > 0);
}

static enum path_truth test_pair(struct path_run *run, const struct jsonpath_node *node,
	const struct path_item *left, const struct path_item *right)
{
	switch (node->kind) {
	case JSONPATH_STARTS_WITH: return starts_with(left, right);
	case JSONPATH_LIKE_REGEX: return matches(run, node, left);
	default: return compare(run, node, left, right);
	}
}

/* Whether it holds for some pair; a strict path must have no error in any of them. */
static enum path_truth test_pairs(struct path_run *run, const struct jsonpath_node *node,
	const struct path_items *left, const struct path_items *right)
{
	bool found = false, unknown = false;

	for (uint32_t i = 0; i < left->count; i++) {
		for (uint32_t k = 0; k < right->count; k++) {
			enum path_truth truth =
				test_pair(run, node, &left->list[i], &right->list[k]);

			if (truth == PATH_TRUTH_RAISED)
				return truth;
			if (truth == PATH_UNKNOWN && !run->lax)
				return truth;
			if (truth == PATH_TRUE && run->lax)
				return truth;
			unknown = unknown || truth == PATH_UNKNOWN;
			found = found || truth == PATH_TRUE;
		}
	}
	return found ? PATH_TRUE : unknown ? PATH_UNKNOWN : PATH_FALSE;
}

static enum path_truth test_operands(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item)
{
	bool comparison = node->kind >= JSONPATH_EQ && node->kind <= JSONPATH_GE;
	struct path_item nothing = {0};
	struct path_items left = {0}, right = {1, 1, &nothing}, found = {0};
	enum path_result result;
	bool raises = run->raises;

	run->raises = false;
	result = path_operands(run, node->left, item, true, &left);
	if (!path_failed(result) && node->right) {
		result = path_operands(run, node->right, item, comparison, &found);
		right = found;
	}
	run->raises = raises;
	if (path_failed(result))
		return raised_or(result, PATH_UNKNOWN);
	return test_pairs(run, node, &left, &right);
}

/* -- Logic -- */

static enum path_truth test_exists(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item)
{
	struct path_items found = {0};
	bool raises = run->raises;
	enum path_result result;

	/* A strict path has to be free of errors in all that there is. */
	run->raises = false;
	result = path_operands(run, node->left, item, false, run->lax ? NULL : &found);
	run->raises = raises;
	if (path_failed(result))
		return raised_or(result, PATH_UNKNOWN);
	return truth_of(run->lax ? result == PATH_OK : found.count > 0);
}

static enum path_truth test_pair_of_conditions(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item)
{
	enum path_truth decides = node->kind == JSONPATH_AND ? PATH_FALSE : PATH_TRUE;
	enum path_truth left = path_condition(run, node->left, item), right;

	if (left == decides || left == PATH_TRUTH_RAISED)
		return left;
	right = path_condition(run, node->right, item);
	if (right == decides || right == PATH_TRUTH_RAISED)
		return right;
	return left == PATH_UNKNOWN || right == PATH_UNKNOWN ? PATH_UNKNOWN : truth_of(!decides);
}

enum path_truth path_condition(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item)
{
	enum path_truth truth;

	switch (node->kind) {
	case JSONPATH_AND:
	case JSONPATH_OR: return test_pair_of_conditions(run, node, item);
	case JSONPATH_NOT:
		truth = path_condition(run, node->left, item);
		return truth >= PATH_UNKNOWN ? truth : truth_of(truth == PATH_FALSE);
	case JSONPATH_IS_UNKNOWN:
		truth = path_condition(run, node->left, item);
		return truth == PATH_TRUTH_RAISED ? truth : truth_of(truth == PATH_UNKNOWN);
	case JSONPATH_EXISTS: return test_exists(run, node, item);
	default: return test_operands(run, node, item);
	}
}

enum path_truth path_filter(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item)
{
	struct path_item outer = run->current;
	enum path_truth truth;

	run->current = item;
	truth = path_condition(run, node, item);
	run->current = outer;
	return truth;
}
