/* jsonb_path_query and its like. */
#include "exec/func/json_private.h"
#include "exec/func/jsonpath.h"

#include "column/zone.h"

/* What a place of a call keeps: the path as it was read last, and the zone, if it may be asked. */
struct path_state {
	struct path_program *program;
	const struct zone *zone;
};

enum path_argument {
	ARG_ROOT,
	ARG_PATH,
	ARG_VARIABLES,
	ARG_SILENT,
	ARG_ZONE,
};

static int prepare(struct site *site, struct error *err)
{
	struct path_state *state = arena_zalloc(site->arena, sizeof(*state));

	state->program = path_program_new();
	evaluator_defer(site->evaluator, path_program_free, state->program);
	site->state = state;
	if (site->expr->arg_count > ARG_ZONE) {
		const struct column *rules = site->constants[ARG_ZONE];

		state->zone = rules ? zone_new(rules->text[0], site->arena) : NULL;
		if (!state->zone)
			return error_set(err, ERROR_SQL, "a zone without rules");
	}
	return 0;
}

/* The operators have two arguments, and nobody is told of errors. */
static int ask(struct call *call, uint32_t row, struct path_items *found, enum path_result *result,
	struct error *err)
{
	const struct path_state *state = call->state;
	/* What is found lies in them: they live as long as the row's result. */
	struct json_node *root = arena_alloc(call_arena(call), sizeof(*root)), *variables;
	struct path_question question = {.program = state->program,
		.root = root,
		.silent = true,
		.zone = state->zone,
		.arena = call_arena(call),
		.stop = call->evaluator->stop,
		.failed = call->evaluator->failed};

	if (json_arg(call, ARG_ROOT, row, root, err) < 0 ||
		path_program_set(state->program, arg_text(&call->args[ARG_PATH], row), err) < 0)
		return -1;
	if (call->arg_count > ARG_VARIABLES) {
		variables = arena_alloc(call_arena(call), sizeof(*variables));
		if (json_arg(call, ARG_VARIABLES, row, variables, err) < 0)
			return -1;
		if (variables->form != JSON_FORM_OBJECT)
			return error_set(err, ERROR_EVAL, "\"vars\" argument is not an object");
		question.variables = variables;
		question.silent =
			call->args[ARG_SILENT].u8[column_index(&call->args[ARG_SILENT], row)];
	}
	*result = path_search(&question, found, err);
	return *result == PATH_RAISED ? -1 : 0;
}

static int run_exists(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		enum path_result result;

		if (ask(call, i, NULL, &result, err) < 0)
			return -1;
		if (result == PATH_ERROR)
			call_set_null(call, i);
		else
			call->out->u8[i] = result == PATH_OK;
	}
	return 0;
}

static int run_match(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct path_items found = {0};
		const struct json_node *node;
		enum path_result result;
		bool silent = call->arg_count <= ARG_SILENT;

		if (ask(call, i, &found, &result, err) < 0)
			return -1;
		if (!silent)
			silent =
				call->args[ARG_SILENT].u8[column_index(&call->args[ARG_SILENT], i)];
		node = result != PATH_ERROR && found.count == 1 ? found.list[0].node : NULL;
		if (node && node->form == JSON_FORM_BOOL)
			call->out->u8[i] = node->boolean;
		else if (silent || (node && node->form == JSON_FORM_NULL))
			call_set_null(call, i);
		else
			return error_set(err, ERROR_EVAL, "single boolean result is expected");
	}
	return 0;
}

static int run_first(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct path_items found = {0};
		enum path_result result;

		if (ask(call, i, &found, &result, err) < 0)
			return -1;
		if (found.count == 0)
			call_set_null(call, i);
		else if (json_set(call, i, found.list[0].node, err) < 0)
			return -1;
	}
	return 0;
}

static int run_array(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct path_items found = {0};
		struct json_node array = {.form = JSON_FORM_ARRAY};
		enum path_result result;

		if (ask(call, i, &found, &result, err) < 0)
			return -1;
		array.count = found.count;
		array.items =
			arena_alloc(call_arena(call), (found.count + 1) * sizeof(*array.items));
		for (uint32_t k = 0; k < found.count; k++)
			array.items[k] = *found.list[k].node;
		if (json_set(call, i, &array, err) < 0)
			return -1;
	}
	return 0;
}

/* A list with an item for every row that jsonb_path_query yields. */
static int run_query(struct call *call, struct error *err)
{
	FOR_EACH_ROW(&call->rows, i)
	{
		struct path_items found = {0};
		enum path_result result;
		struct text *items;

		if (ask(call, i, &found, &result, err) < 0)
			return -1;
		items = call_items(call, found.count, err);
		if (!items)
			return -1;
		for (uint32_t k = 0; k < found.count; k++)
			if (json_to_item(call, TYPE_JSONB, found.list[k].node, &items[k], err) < 0)
				return -1;
		call->out->list[i] = (struct text_list){items, found.count};
	}
	return 0;
}

const struct kernel *kernel_jsonpath_find(const struct expr *expr)
{
	static const struct kernel exists = {.run = run_exists, .prepare = prepare};
	static const struct kernel match = {.run = run_match, .prepare = prepare};
	static const struct kernel first = {.run = run_first, .prepare = prepare};
	static const struct kernel array = {.run = run_array, .prepare = prepare};
	static const struct kernel query = {.run = run_query, .prepare = prepare};

	switch (expr->function) {
	case FN_JSONPATH_EXISTS: return &exists;
	case FN_JSONPATH_MATCH: return &match;
	case FN_JSONPATH_FIRST: return &first;
	case FN_JSONPATH_ARRAY: return &array;
	case FN_JSONPATH_QUERY: return &query;
	default: return NULL;
	}
}
