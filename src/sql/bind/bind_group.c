#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

static void add_target(struct binder *b, struct targets *targets, const char *name,
	struct expr *expr, int32_t location)
{
	targets->list = list_room(b->arena, targets->list, targets->count, sizeof(*targets->list));
	targets->list[targets->count++] = (struct target){name, expr, location};
}

/* * and t.* */
static int expand_star(struct level *level, const struct ast_expr *star, struct targets *targets)
{
	struct binder *b = level->binder;
	const struct scope_column *columns = level->scope.columns;
	uint32_t count = level->scope.column_count;

	if (star->name_count == 1) {
		const struct scope_table *table =
			scope_find_table(b, &level->scope, star->names[0], star->location);

		if (!table)
			return -1;
		columns = table->columns;
		count = table->column_count;
	} else if (level->scope.table_count == 0) {
		return bind_error(
			b, star->location, "SELECT * with no tables specified is not valid");
	}
	for (uint32_t i = 0; i < count; i++)
		if (!columns[i].hidden)
			add_target(b, targets, columns[i].name,
				binder_column_expr(b, columns[i].id, star->location),
				star->location);
	return 0;
}

/* An aggregate or a window function takes the name it is given, for whoever reads the plan. */
static void name_output(struct level *level, const struct expr *expr, const char *alias)
{
	struct logical_columns *columns = level->binder->columns;

	if (!alias || expr->kind != EXPR_COLUMN)
		return;
	for (uint32_t i = 0; i < level->aggregate_count; i++)
		if (level->aggregates[i].output == expr->column)
			columns->list[expr->column].name = alias;
	for (uint32_t i = 0; i < level->window_count; i++)
		if (level->windows[i].output == expr->column)
			columns->list[expr->column].name = alias;
}

int bind_targets(struct level *level, struct targets *out)
{
	struct binder *b = level->binder;

	*out = (struct targets){0};
	for (uint32_t i = 0; i < level->select->target_count; i++) {
		const struct ast_target *target = &level->select->targets[i];
		struct expr *expr;

		if (target->expr->kind == AST_STAR) {
			if (expand_star(level, target->expr, out) < 0)
				return -1;
			continue;
		}
		expr = bind_expr(level, CLAUSE_SELECT, target->expr);
		if (!expr)
			return -1;
		name_output(level, expr, target->alias);
		add_target(b, out, target->alias ? target->alias : output_name(target->expr), expr,
			target->expr->location);
	}
	if (out->count > PLAN_COLUMNS_MAX)
		return bind_error(b, level->select->location,
			"more than %d columns in a select list", PLAN_COLUMNS_MAX);
	return 0;
}

/*
 * The target that a bare name means, by exact name; NULL when there is none. `ambiguous` when
 * another one has the same name and another meaning.
 */
static const struct target *target_by_name(
	const struct targets *targets, const char *name, bool *ambiguous)
{
	const struct target *found = NULL;

	*ambiguous = false;
	for (uint32_t i = 0; i < targets->count; i++) {
		if (strcmp(targets->list[i].name, name) != 0)
			continue;
		*ambiguous =
			*ambiguous || (found && !expr_equal(found->expr, targets->list[i].expr));
		if (!found)
			found = &targets->list[i];
	}
	return found;
}

static bool has_aggregate(const struct level *level, const struct expr *expr)
{
	for (uint32_t i = 0; i < level->aggregate_count; i++)
		if (expr_reads_column(expr, level->aggregates[i].output))
			return true;
	return false;
}

static bool has_window(const struct level *level, const struct expr *expr)
{
	for (uint32_t i = 0; i < level->window_count; i++)
		if (expr_reads_column(expr, level->windows[i].output))
			return true;
	return false;
}

/* A key that is one of the targets. */
static struct expr *target_key(struct level *level, const struct target *target, int32_t location)
{
	const char *what = NULL;

	if (has_aggregate(level, target->expr))
		what = "aggregate";
	else if (has_window(level, target->expr))
		what = "window";
	if (!what)
		return target->expr;
	bind_error(level->binder, location, "%s functions are not allowed in GROUP BY", what);
	return NULL;
}

/*
 * PostgreSQL's rules: an integer is a position; a bare name is a column of the input, and only if
 * there is none a name from the select list; all else is an expression over the input.
 */
static struct expr *find_group_key(
	struct level *level, const struct targets *targets, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const struct target *target;

	if (ast->kind == AST_INTEGER) {
		long position = strtol(ast->text, NULL, 10);

		if (position < 1 || (unsigned long)position > targets->count) {
			bind_error(b, ast->location, "GROUP BY position %ld is not in select list",
				position);
			return NULL;
		}
		return target_key(level, &targets->list[position - 1], ast->location);
	}
	if (ast->kind == AST_NAME && ast->name_count == 1) {
		bool ambiguous;

		target = target_by_name(targets, ast->names[0], &ambiguous);
		for (uint32_t i = 0; i < level->scope.column_count; i++)
			if (strcmp(level->scope.columns[i].name, ast->names[0]) == 0)
				target = NULL;
		if (target && ambiguous) {
			bind_error(b, ast->location, "GROUP BY \"%s\" is ambiguous", ast->names[0]);
			return NULL;
		}
		if (target)
			return target_key(level, target, ast->location);
	}
	return bind_expr(level, CLAUSE_GROUP_BY, ast);
}

struct expr *bind_group_key(
	struct level *level, const struct targets *targets, const struct ast_expr *ast)
{
	struct expr *key = find_group_key(level, targets, ast);

	return key ? coerce_known(level->binder, key) : NULL;
}

/* The keys of a group while expressions are turned over to it. */
struct regroup {
	struct binder *binder;
	const struct logical *input; /* the tree below the group */
	uint32_t count;
	struct expr **keys;
	uint32_t *ids;
};

static struct expr *regroup_expr(const struct regroup *regroup, struct expr *expr)
{
	struct binder *b = regroup->binder;
	struct expr *copy;

	for (uint32_t i = 0; i < regroup->count; i++)
		if (regroup->keys[i] == expr)
			return binder_column_expr(b, regroup->ids[i], expr->location);
	for (uint32_t i = 0; i < regroup->count; i++)
		if (expr_equal(regroup->keys[i], expr))
			return binder_column_expr(b, regroup->ids[i], expr->location);
	if (expr->kind == EXPR_CALL && expr->function == FN_RANDOM && expr_reads_any(expr)) {
		bind_error(b, expr->location,
			"random() beside GROUP BY and aggregates is not supported: group in a "
			"subquery of FROM");
		return NULL;
	}
	if (expr->kind == EXPR_COLUMN && logical_has_column(regroup->input, expr->column)) {
		bind_error(b, expr->location,
			"column \"%s\" must appear in the GROUP BY clause or be used in an "
			"aggregate "
			"function",
			b->columns->list[expr->column].name);
		return NULL;
	}
	if (expr->arg_count == 0)
		return expr;
	copy = arena_alloc(b->arena, sizeof(*copy));
	*copy = *expr;
	copy->args = arena_alloc(b->arena, expr->arg_count * sizeof(struct expr *));
	for (uint32_t i = 0; i < expr->arg_count; i++) {
		copy->args[i] = regroup_expr(regroup, expr->args[i]);
		if (!copy->args[i])
			return NULL;
	}
	return copy;
}

static int regroup_list(const struct regroup *regroup, uint32_t count, struct expr **exprs)
{
	for (uint32_t i = 0; i < count; i++) {
		exprs[i] = regroup_expr(regroup, exprs[i]);
		if (!exprs[i])
			return -1;
	}
	return 0;
}

static int regroup_mark(const struct regroup *regroup, struct level_mark *mark)
{
	if (mark->placed)
		return 0;
	if (mark->left && regroup_list(regroup, 1, &mark->left) < 0)
		return -1;
	if (mark->domain && regroup_list(regroup, mark->domain->count, mark->domain->params) < 0)
		return -1;
	return regroup_list(regroup, mark->on.count, mark->on.conjuncts);
}

/* What windows, subqueries and lists hold is computed above the group, too. */
static int regroup_level(const struct regroup *regroup, struct level *level)
{
	for (uint32_t i = 0; i < level->mark_count; i++)
		if (regroup_mark(regroup, &level->marks[i]) < 0)
			return -1;
	for (uint32_t i = 0; i < level->unnest_count; i++)
		if (!level->unnests[i].placed &&
			regroup_list(regroup, 1, &level->unnests[i].list) < 0)
			return -1;
	for (uint32_t i = 0; i < level->window_count; i++) {
		struct level_window *window = &level->windows[i];

		if (regroup_list(regroup, window->partition_count, window->partition) < 0 ||
			regroup_list(regroup, window->sort_count, window->sort) < 0)
			return -1;
		for (uint32_t j = 0; j < WINDOW_ARG_COUNT; j++)
			if (window->args[j] && regroup_list(regroup, 1, &window->args[j]) < 0)
				return -1;
	}
	return 0;
}

struct expr *guard_argument(struct binder *b, struct expr *filter, struct expr *arg)
{
	if (!filter || arg->kind == EXPR_COLUMN || arg->kind == EXPR_CONSTANT)
		return arg;
	return make_choice(b, filter, arg, NULL);
}

static uint32_t optional_id(
	struct extender *extender, struct expr *filter, struct expr *expr, const char *name)
{
	if (!expr)
		return PLAN_NONE;
	expr = guard_argument(extender->binder, filter, expr);
	return extender_id(extender, expr, constant_name(extender->binder, expr, name));
}

/* Columns for the arguments, filters and sort keys of the aggregates. */
static struct logical_aggregate *aggregate_columns(struct level *level, struct extender *extender)
{
	struct logical_aggregate *aggregates = arena_zalloc(
		level->binder->arena, (level->aggregate_count + 1) * sizeof(*aggregates));

	for (uint32_t i = 0; i < level->aggregate_count; i++) {
		const struct level_aggregate *note = &level->aggregates[i];

		aggregates[i] = (struct logical_aggregate){
			.id = note->id,
			.distinct = note->distinct,
			.arg = optional_id(extender, note->filter, note->arg, "argument"),
			.arg2 = optional_id(extender, note->filter, note->arg2, "argument"),
			.filter = optional_id(extender, NULL, note->filter, "filter"),
			.sort_count = note->sort_count,
			.sort = note->sort_keys,
			.fraction = note->fraction,
			.output = note->output,
		};
		for (uint32_t j = 0; j < note->sort_count; j++)
			note->sort_keys[j].column =
				optional_id(extender, note->filter, note->sort[j], "sort");
	}
	return aggregates;
}

/* The alias or the function's name, for whoever reads the plan. */
static const char *key_name(const struct level *level, const struct expr *key)
{
	for (uint32_t i = 0; i < level->select->target_count; i++) {
		const struct ast_target *target = &level->select->targets[i];

		if (target->expr->location == key->location && target->alias)
			return target->alias;
	}
	return key->kind == EXPR_CALL ? function_name(key->function) : "key";
}

/* SELECT 1 FROM t HAVING true: one row, which needs at least one column to travel. */
static void add_count(struct level *level)
{
	struct binder *b = level->binder;

	level->aggregates = list_room(b->arena, NULL, 0, sizeof(*level->aggregates));
	level->aggregates[level->aggregate_count++] = (struct level_aggregate){
		.id = AGG_COUNT_STAR,
		.output = binder_column(b, "count", type_of(TYPE_BIGINT)),
	};
}

static void place_aggregate_marks(struct level *level, const struct level_aggregate *aggregate)
{
	struct expr *const held[] = {aggregate->arg, aggregate->arg2, aggregate->filter};

	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		if (held[i])
			place_marks(level, 1, &held[i]);
	place_marks(level, aggregate->sort_count, aggregate->sort);
}

int apply_group(struct level *level, const struct grouping *grouping, uint32_t expr_count,
	struct expr ***exprs)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};
	uint32_t key_count = grouping->key_count;
	struct expr **keys = grouping->keys;
	struct regroup regroup = {.binder = b, .count = key_count, .keys = keys};
	struct logical_group group = {0};

	if (key_count == 0 && level->aggregate_count == 0)
		add_count(level);
	if (key_count)
		place_unnests(level, key_count, keys);
	place_marks(level, key_count, keys);
	for (uint32_t i = 0; i < level->aggregate_count; i++)
		place_aggregate_marks(level, &level->aggregates[i]);
	regroup.ids = arena_alloc(b->arena, (key_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < key_count; i++)
		regroup.ids[i] = extender_id(&extender, keys[i], key_name(level, keys[i]));
	group.aggregate_count = level->aggregate_count;
	group.aggregates = aggregate_columns(level, &extender);
	extender_apply(&extender, &level->tree);
	regroup.input = level->tree;
	if (apply_grouping(level, grouping, regroup.ids, &group) < 0 ||
		regroup_level(&regroup, level) < 0)
		return -1;
	for (uint32_t i = 0; i < expr_count; i++)
		if (regroup_list(&regroup, 1, exprs[i]) < 0)
			return -1;
	return 0;
}
