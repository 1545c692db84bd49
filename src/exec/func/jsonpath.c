/* The search itself: steps into objects and arrays. */
#include "exec/func/jsonpath_private.h"

#include "exec/func/json_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What one search may do and find: a short path can ask for very much. */
#define STEPS_MAX UINT64_C(200000000)
#define FOUND_MAX 10000000u
#define DEPTH_MAX 4000u
#define BYTES_MAX ((size_t)1 << 30)

#define STEPS_PER_LOOK 4096u

#define PROGRAM_ARENA_BLOCK 4096

struct path_regex {
	const struct jsonpath_node *node;
	struct regex *regex;
	struct path_regex *next;
};

struct path_program {
	struct arena arena; /* of the path */
	struct text text;
	bool ready;
	struct jsonpath path;
	struct path_regex *regexes;
};

/* -- Programs -- */

struct path_program *path_program_new(void)
{
	struct path_program *program = memory_zalloc(sizeof(*program));

	arena_init(&program->arena, PROGRAM_ARENA_BLOCK);
	return program;
}

static void forget(struct path_program *program)
{
	for (struct path_regex *entry = program->regexes; entry; entry = entry->next)
		regex_free(entry->regex);
	program->regexes = NULL;
	program->ready = false;
	arena_release(&program->arena);
	arena_init(&program->arena, PROGRAM_ARENA_BLOCK);
}

void path_program_free(void *object)
{
	struct path_program *program = object;

	forget(program);
	arena_release(&program->arena);
	free(program);
}

int path_program_set(struct path_program *program, struct text text, struct error *err)
{
	const char *reason;

	if (program->ready && text_equal(program->text, text))
		return 0;
	forget(program);
	program->text = text_from(arena_copy(&program->arena, text.data, text.size), text.size);
	if (!jsonpath_parse(program->text, &program->arena, &program->path, &reason))
		return error_set(
			err, ERROR_EVAL, "invalid input syntax for type jsonpath: %s", reason);
	program->ready = true;
	return 0;
}

int path_regex(struct path_run *run, const struct jsonpath_node *node, struct regex **out)
{
	struct path_program *program = run->question->program;
	struct path_regex *entry;
	char flags[4], *next = flags;

	for (entry = program->regexes; entry; entry = entry->next)
		if (entry->node == node) {
			*out = entry->regex;
			return 0;
		}
	if (node->flags & JSONPATH_FLAG_I)
		*next++ = 'i';
	/* Without s no dot is a line's end; with m each line has a start and an end. */
	if (node->flags & JSONPATH_FLAG_Q)
		*next++ = 'q';
	else if (!(node->flags & JSONPATH_FLAG_S))
		*next++ = node->flags & JSONPATH_FLAG_M ? 'n' : 'p';
	else if (node->flags & JSONPATH_FLAG_M)
		*next++ = 'w';
	if (regex_new(out, node->text, text_from(flags, (size_t)(next - flags)), run->err) < 0)
		return -1;
	entry = arena_alloc(&program->arena, sizeof(*entry));
	*entry = (struct path_regex){node, *out, program->regexes};
	program->regexes = entry;
	return 0;
}

/* -- Items -- */

enum path_result path_fail(struct path_run *run, const char *format, ...)
{
	char message[ERROR_MESSAGE_MAX];
	va_list args;

	if (!run->raises)
		return PATH_ERROR;
	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	(void)error_set(run->err, ERROR_EVAL, "%s", message);
	return PATH_RAISED;
}

static enum path_result raise(struct path_run *run, const char *message)
{
	(void)error_set(run->err, ERROR_EVAL, "%s", message);
	return PATH_RAISED;
}

static void add_item(struct path_run *run, struct path_items *items, struct path_item item)
{
	if (items->count == items->room) {
		struct path_item *list;

		items->room = items->room ? items->room * 2 : 8;
		list = arena_alloc(run->arena, items->room * sizeof(*list));
		if (items->count > 0)
			memcpy(list, items->list, items->count * sizeof(*list));
		items->list = list;
	}
	items->list[items->count++] = item;
}

struct path_item path_item_of(const struct json_node *node)
{
	return (struct path_item){.node = node};
}

struct path_item path_text_item(struct path_run *run, const char *text)
{
	struct json_node *node = arena_zalloc(run->arena, sizeof(*node));

	node->form = JSON_FORM_STRING;
	node->text = text_from(text, strlen(text));
	return path_item_of(node);
}

struct path_item path_number_item(struct path_run *run, numeric number)
{
	struct json_node *node = arena_zalloc(run->arena, sizeof(*node));

	node->form = JSON_FORM_NUMBER;
	node->number = number;
	return path_item_of(node);
}

static bool is_nested(const struct path_item *item)
{
	return path_is(item, JSON_FORM_ARRAY) || path_is(item, JSON_FORM_OBJECT);
}

/* -- Steps -- */

static enum path_result evaluate(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap);

enum path_result path_next(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	if (node && node->next)
		return evaluate(run, node->next, item, found, run->lax);
	if (!found)
		return PATH_OK;
	if (found->count == FOUND_MAX)
		return raise(run, "a path finds too much");
	add_item(run, found, item);
	return PATH_OK;
}

/* Whether it is enough to know that there is something. */
static bool is_enough(enum path_result result, const struct path_items *found)
{
	return path_failed(result) || (result == PATH_OK && !found);
}

/* Those behind a step, of which a list of children is made. */
struct descent {
	const struct jsonpath_node *node; /* for each child; NULL: it is found */
	uint32_t first, last;
	bool ignores;
	bool unwrap;
};

static enum path_result descend(struct path_run *run, const struct json_node *parent,
	const struct descent *d, uint32_t level, struct path_items *found);

static enum path_result visit(struct path_run *run, struct path_item child, const struct descent *d,
	struct path_items *found)
{
	bool ignores = run->ignores;
	enum path_result result;

	if (!d->node)
		return path_next(run, NULL, child, found);
	run->ignores = run->ignores || d->ignores;
	result = evaluate(run, d->node, child, found, d->unwrap);
	run->ignores = ignores;
	return result;
}

static enum path_result descend(struct path_run *run, const struct json_node *parent,
	const struct descent *d, uint32_t level, struct path_items *found)
{
	enum path_result result = PATH_NOT_FOUND;
	bool leaves = d->first == JSONPATH_LEVEL_LAST && d->last == JSONPATH_LEVEL_LAST;

	if (level > d->last)
		return result;
	for (uint32_t i = 0; i < parent->count; i++) {
		struct path_item child = path_item_of(&parent->items[i]);

		if (level >= d->first || (leaves && !is_nested(&child))) {
			result = visit(run, child, d, found);
			if (is_enough(result, found))
				return result;
		}
		if (level < d->last && is_nested(&child)) {
			result = descend(run, child.node, d, level + 1, found);
			if (is_enough(result, found))
				return result;
		}
	}
	return result;
}

/* `node` itself, or what stands behind it, over the elements of an array or an object. */
static enum path_result over_children(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	const struct descent d = {.node = node, .first = 1, .last = 1, .unwrap = unwrap};

	return descend(run, item.node, &d, 1, found);
}

static enum path_result step_key(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	const struct json_node *member;

	if (path_is(&item, JSON_FORM_OBJECT)) {
		member = json_member(item.node, node->text);
		if (member)
			return path_next(run, node, path_item_of(member), found);
		return run->ignores ? PATH_NOT_FOUND
				    : path_fail(run, "JSON object does not contain key \"%.*s\"",
					      (int)node->text.size, node->text.data);
	}
	if (unwrap && path_is(&item, JSON_FORM_ARRAY))
		return over_children(run, node, item, found, false);
	return run->ignores ? PATH_NOT_FOUND
			    : path_fail(run,
				      "jsonpath member accessor can only be applied to an object");
}

static enum path_result step_keys(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	if (path_is(&item, JSON_FORM_OBJECT))
		return over_children(run, node->next, item, found, run->lax);
	if (unwrap && path_is(&item, JSON_FORM_ARRAY))
		return over_children(run, node, item, found, false);
	return run->ignores ? PATH_NOT_FOUND
			    : path_fail(run,
				      "jsonpath wildcard member accessor can only be applied to an "
				      "object");
}

static enum path_result step_items(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	if (path_is(&item, JSON_FORM_ARRAY))
		return over_children(run, node->next, item, found, run->lax);
	if (run->lax)
		return path_next(run, node, item, found);
	return run->ignores ? PATH_NOT_FOUND
			    : path_fail(run,
				      "jsonpath wildcard array accessor can only be applied to an "
				      "array");
}

static enum path_result read_index(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, int64_t *index)
{
	struct path_items found = {0};
	enum path_result result = evaluate(run, node, item, &found, run->lax);
	numeric whole;

	if (path_failed(result))
		return result;
	if (found.count != 1 || !path_is(&found.list[0], JSON_FORM_NUMBER))
		return path_fail(run, "jsonpath array subscript is not a single numeric value");
	if (numeric_long_trunc(found.list[0].node->number, 0, run->arena, &whole) != NUMERIC_FINE ||
		!numeric_long_to_i64(whole, index) || !type_holds_integer(TYPE_INT, *index))
		return path_fail(run, "jsonpath array subscript is out of integer range");
	return PATH_OK;
}

/* One subscript, or a range of them. */
static enum path_result step_range(struct path_run *run, const struct jsonpath_node *node,
	const struct jsonpath_range *range, struct path_item item, struct path_items *found)
{
	bool is_array = path_is(&item, JSON_FORM_ARRAY);
	int64_t from, to, size = is_array ? item.node->count : 1;
	enum path_result result = read_index(run, range->from, item, &from);

	if (path_failed(result))
		return result;
	to = from;
	if (range->to)
		result = read_index(run, range->to, item, &to);
	if (path_failed(result))
		return result;
	if (!run->ignores && (from < 0 || from > to || to >= size))
		return path_fail(run, "jsonpath array subscript is out of bounds");
	result = PATH_NOT_FOUND;
	for (int64_t i = from < 0 ? 0 : from; i <= to && i < size; i++) {
		result = path_next(
			run, node, is_array ? path_item_of(&item.node->items[i]) : item, found);
		if (is_enough(result, found))
			break;
	}
	return result;
}

static enum path_result step_index(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	bool is_array = path_is(&item, JSON_FORM_ARRAY);
	int64_t outer = run->array_size;
	enum path_result result = PATH_NOT_FOUND;

	if (!is_array && !run->lax)
		return run->ignores
			       ? PATH_NOT_FOUND
			       : path_fail(run, "jsonpath array accessor can only be applied to an "
						"array");
	for (uint32_t i = 0; i < node->range_count; i++) {
		/* Of what stands behind the subscript, `last` is another array's. */
		run->array_size = is_array ? item.node->count : 1;
		result = step_range(run, node, &node->ranges[i], item, found);
		if (is_enough(result, found))
			break;
	}
	run->array_size = outer;
	return result;
}

static enum path_result step_levels(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	const struct descent d = {.node = node->next,
		.first = node->first,
		.last = node->last,
		.ignores = true,
		.unwrap = run->lax};
	enum path_result result = PATH_NOT_FOUND;
	bool ignores = run->ignores;

	if (node->first == 0) {
		run->ignores = true;
		result = path_next(run, node, item, found);
		run->ignores = ignores;
		if (result == PATH_RAISED || (result == PATH_OK && !found))
			return result;
	}
	return is_nested(&item) ? descend(run, item.node, &d, 1, found) : result;
}

static enum path_result step_filter(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	enum path_truth truth;

	if (unwrap && path_is(&item, JSON_FORM_ARRAY))
		return over_children(run, node, item, found, false);
	truth = path_filter(run, node->left, item);
	if (truth == PATH_TRUTH_RAISED)
		return PATH_RAISED;
	return truth == PATH_TRUE ? path_next(run, node, item, found) : PATH_NOT_FOUND;
}

/* -- Values -- */

static enum path_result find_variable(
	struct path_run *run, const struct jsonpath_node *node, struct path_item *out)
{
	const struct json_node *variables = run->question->variables;
	const struct json_node *value = variables ? json_member(variables, node->text) : NULL;

	if (!value) {
		(void)error_set(run->err, ERROR_EVAL, "could not find jsonpath variable \"%.*s\"",
			(int)node->text.size, node->text.data);
		return PATH_RAISED;
	}
	*out = path_item_of(value);
	run->base = variables;
	run->base_id = 1;
	return PATH_OK;
}

static struct path_item literal(struct path_run *run, const struct jsonpath_node *node)
{
	struct json_node *value = arena_zalloc(run->arena, sizeof(*value));

	value->form = node->kind == JSONPATH_NULL     ? JSON_FORM_NULL
		      : node->kind == JSONPATH_BOOL   ? JSON_FORM_BOOL
		      : node->kind == JSONPATH_STRING ? JSON_FORM_STRING
						      : JSON_FORM_NUMBER;
	value->boolean = node->boolean;
	value->text = node->text;
	value->number = node->number;
	return path_item_of(value);
}

static enum path_result step_value(
	struct path_run *run, const struct jsonpath_node *node, struct path_items *found)
{
	const struct json_node *base = run->base;
	int64_t base_id = run->base_id;
	struct path_item item;
	enum path_result result = PATH_OK;

	if (node->kind == JSONPATH_VARIABLE)
		result = find_variable(run, node, &item);
	else if (node->kind == JSONPATH_LAST)
		item = path_number_item(run, numeric_from_i64(run->array_size - 1));
	else
		item = literal(run, node);
	if (result == PATH_OK)
		result = path_next(run, node, item, found);
	run->base = base;
	run->base_id = base_id;
	return result;
}

static enum path_result step_root(
	struct path_run *run, const struct jsonpath_node *node, struct path_items *found)
{
	const struct json_node *base = run->base;
	int64_t base_id = run->base_id;
	enum path_result result;

	run->base = run->question->root;
	run->base_id = 0;
	result = path_next(run, node, path_item_of(run->question->root), found);
	run->base = base;
	run->base_id = base_id;
	return result;
}

/* A condition is true, false or null as a value. */
static enum path_result step_condition(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found)
{
	struct json_node *value = arena_zalloc(run->arena, sizeof(*value));
	enum path_truth truth = path_condition(run, node, item);

	if (truth == PATH_TRUTH_RAISED)
		return PATH_RAISED;
	value->form = truth == PATH_UNKNOWN ? JSON_FORM_NULL : JSON_FORM_BOOL;
	value->boolean = truth == PATH_TRUE;
	return path_next(run, node, path_item_of(value), found);
}

static enum path_result step(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	if (jsonpath_is_condition(node->kind))
		return step_condition(run, node, item, found);
	if (node->kind >= JSONPATH_PLUS)
		return path_arithmetic(run, node, item, found);
	switch (node->kind) {
	case JSONPATH_ROOT: return step_root(run, node, found);
	case JSONPATH_CURRENT: return path_next(run, node, run->current, found);
	case JSONPATH_KEY: return step_key(run, node, item, found, unwrap);
	case JSONPATH_KEYS: return step_keys(run, node, item, found, unwrap);
	case JSONPATH_ITEMS: return step_items(run, node, item, found);
	case JSONPATH_INDEX: return step_index(run, node, item, found);
	case JSONPATH_LEVELS: return step_levels(run, node, item, found);
	case JSONPATH_FILTER: return step_filter(run, node, item, found, unwrap);
	case JSONPATH_TYPE:
	case JSONPATH_SIZE: return path_method(run, node, item, found);
	default: break;
	}
	if (node->kind < JSONPATH_KEY)
		return step_value(run, node, found);
	/* The other methods are those of each item. */
	if (unwrap && path_is(&item, JSON_FORM_ARRAY))
		return over_children(run, node, item, found, false);
	return path_method(run, node, item, found);
}

static bool is_set(const atomic_bool *flag)
{
	return flag && atomic_load_explicit(flag, memory_order_relaxed);
}

/* Now and then: whether it was all too much, or is not wanted any more. */
static bool look_up(struct path_run *run)
{
	if (is_set(run->question->stop) || is_set(run->question->failed))
		(void)error_set(run->err, ERROR_INTERRUPTED, "interrupted");
	else if (run->steps > STEPS_MAX)
		(void)error_set(run->err, ERROR_EVAL, "a path needs too many steps");
	else if (run->arena->held > BYTES_MAX)
		(void)error_set(run->err, ERROR_EVAL, "a path needs too much memory");
	else
		return false;
	return true;
}

static enum path_result evaluate(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, struct path_items *found, bool unwrap)
{
	enum path_result result;

	if (++run->steps % STEPS_PER_LOOK == 0 && look_up(run))
		return PATH_RAISED;
	if (run->depth == DEPTH_MAX)
		return raise(run, "a path nests too deep");
	run->depth++;
	result = step(run, node, item, found, unwrap);
	run->depth--;
	return result;
}

enum path_result path_operands(struct path_run *run, const struct jsonpath_node *node,
	struct path_item item, bool unwrap, struct path_items *out)
{
	struct path_items items = {0};
	enum path_result result;

	if (!unwrap || !run->lax)
		return evaluate(run, node, item, out, run->lax);
	result = evaluate(run, node, item, &items, run->lax);
	if (path_failed(result))
		return result;
	for (uint32_t i = 0; i < items.count; i++) {
		const struct json_node *array = items.list[i].node;

		if (!path_is(&items.list[i], JSON_FORM_ARRAY)) {
			add_item(run, out, items.list[i]);
			continue;
		}
		for (uint32_t k = 0; k < array->count; k++)
			add_item(run, out, path_item_of(&array->items[k]));
	}
	return PATH_OK;
}

enum path_result path_search(
	const struct path_question *question, struct path_items *found, struct error *err)
{
	const struct jsonpath *path = &question->program->path;
	struct path_run run = {
		.question = question,
		.arena = question->arena,
		.err = err,
		.current = path_item_of(question->root),
		.last_id = question->variables ? 2 : 1,
		.array_size = -1,
		.lax = !path->strict,
		.ignores = !path->strict,
		.raises = !question->silent,
	};
	struct path_items all = {0};
	enum path_result result;

	if (found || run.lax)
		return evaluate(&run, path->root, run.current, found, run.lax);
	/* A strict path must be free of errors in all that it finds. */
	result = evaluate(&run, path->root, run.current, &all, run.lax);
	if (path_failed(result))
		return result;
	return all.count > 0 ? PATH_OK : PATH_NOT_FOUND;
}
