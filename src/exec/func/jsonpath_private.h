/* What the files of jsonpath share: a search under way. */
#ifndef EXEC_FUNC_JSONPATH_PRIVATE_H
#define EXEC_FUNC_JSONPATH_PRIVATE_H

#include "exec/func/jsonpath.h"
#include "exec/func/regex.h"

struct path_run {
	const struct path_question *question;
	struct arena *arena;
	struct error *err;
	struct path_item current; /* @ */
	/* Of .keyvalue(): in what its object lies, and the number of that. */
	const struct json_node *base;
	int64_t base_id;
	int64_t last_id;
	int64_t array_size; /* of the innermost array that is subscripted, for last */
	bool lax;
	bool ignores; /* what a structure lacks is nothing */
	bool raises;
	uint32_t depth;
	uint64_t steps;
};

enum path_truth {
	PATH_FALSE,
	PATH_TRUE,
	PATH_UNKNOWN,
	PATH_TRUTH_RAISED,
};

enum path_result path_fail(struct path_run *run, const char *format, ...) PRINTF_LIKE(2, 3);
/* With arrays of a lax path taken apart. */
enum path_result path_operands(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, bool unwrap, struct path_items *out);
/* What stands behind `node`, over `item`; without anything behind, that is found. */
enum path_result path_next(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found);
struct path_item path_item_of(const struct json_node *node);
struct path_item path_text_item(struct path_run *run, const char *text);
struct path_item path_number_item(struct path_run *run, numeric number);
int path_regex(struct path_run *run, const struct jsonpath_node *node, struct regex **out);

static inline bool path_is(const struct path_item *item, enum json_form form)
{
	return item->node->form == form && item->time == PATH_TIME_NONE;
}

static inline bool path_failed(enum path_result result)
{
	return result >= PATH_ERROR;
}

/* jsonpath_condition.c */
enum path_truth path_condition(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item);
/* The same as a filter's: @ is the item. */
enum path_truth path_filter(
	struct path_run *run, const struct jsonpath_node *node, struct path_item item);

/* jsonpath_method.c */
enum path_result path_arithmetic(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found);
enum path_result path_method(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found);

#endif
