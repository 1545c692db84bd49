/*
 * A plain SELECT. Its clauses take effect in this order, whatever their order in the text:
 * FROM, WHERE, GROUP BY, HAVING, windows, the select list, DISTINCT, ORDER BY, LIMIT.
 */
#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

/* What needs no subquery comes first: a subquery may be computed for the rows that are left. */
static void apply_filter(struct level *level, struct expr *condition)
{
	struct arena *arena = level->binder->arena;
	struct logical_filter all = {0}, first = {0}, rest = {0};

	conjuncts_add(arena, &all, condition);
	for (uint32_t i = 0; i < all.count; i++)
		conjuncts_add(arena, reads_marks(level, all.conjuncts[i]) ? &rest : &first,
			all.conjuncts[i]);
	level->tree = logical_filter_new(arena, level->tree, first.count, first.conjuncts);
	place_marks(level, rest.count, rest.conjuncts);
	level->tree = logical_filter_new(arena, level->tree, rest.count, rest.conjuncts);
}

static int bind_where(struct level *level)
{
	struct expr *condition;

	if (!level->select->where)
		return 0;
	condition = bind_filter(level, CLAUSE_WHERE, level->select->where);
	if (!condition)
		return -1;
	apply_filter(level, condition);
	return 0;
}

/* An ORDER BY item that names a target: by position, or by its name, which wins over the input's.
 */
static int find_sort_target(struct level *level, const struct ast_expr *ast,
	const struct targets *targets, struct expr **out)
{
	struct binder *b = level->binder;

	*out = NULL;
	if (ast->kind == AST_INTEGER) {
		long position = strtol(ast->text, NULL, 10);

		if (position < 1 || (unsigned long)position > targets->count)
			return bind_error(b, ast->location,
				"ORDER BY position %ld is not in select list", position);
		*out = targets->list[position - 1].expr;
		return 0;
	}
	if (ast->kind == AST_NUMBER || ast->kind == AST_STRING || ast->kind == AST_BOOL)
		return bind_error(b, ast->location, "non-integer constant in ORDER BY");
	if (ast->kind != AST_NAME || ast->name_count != 1)
		return 0;
	for (uint32_t i = 0; i < targets->count; i++) {
		if (strcmp(targets->list[i].name, ast->names[0]) != 0)
			continue;
		if (*out && !expr_equal(*out, targets->list[i].expr))
			return bind_error(
				b, ast->location, "ORDER BY \"%s\" is ambiguous", ast->names[0]);
		*out = targets->list[i].expr;
	}
	return 0;
}

/* What ORDER BY and DISTINCT ON name: the sort keys first. */
static uint32_t sort_expr_count(const struct ast_select *select)
{
	return select->sort_count + select->distinct_on_count;
}

static int bind_sorts(struct level *level, const struct targets *targets, struct expr **sorts)
{
	const struct ast_select *select = level->select;

	for (uint32_t i = 0; i < sort_expr_count(select); i++) {
		const struct ast_expr *ast = i < select->sort_count
						     ? select->sort[i].expr
						     : select->distinct_on[i - select->sort_count];

		if (find_sort_target(level, ast, targets, &sorts[i]) < 0)
			return -1;
		if (!sorts[i])
			sorts[i] = bind_expr(level, CLAUSE_ORDER_BY, ast);
		if (!sorts[i])
			return -1;
		sorts[i] = coerce_known(level->binder, sorts[i]);
		if (!sorts[i])
			return -1;
	}
	return 0;
}

static int group_if_needed(
	struct level *level, struct targets *targets, struct expr **having, struct expr **sorts)
{
	struct binder *b = level->binder;
	struct grouping grouping;
	struct expr ***exprs;
	uint32_t count = 0;

	if (bind_grouping(level, targets, &grouping) < 0)
		return -1;
	if (grouping.set_count == 0 && level->aggregate_count == 0 && level->grouping_count == 0 &&
		!*having)
		return 0;
	exprs = arena_alloc(b->arena,
		(targets->count + sort_expr_count(level->select) + 1) * sizeof(struct expr **));
	for (uint32_t i = 0; i < targets->count; i++)
		exprs[count++] = &targets->list[i].expr;
	for (uint32_t i = 0; i < sort_expr_count(level->select); i++)
		exprs[count++] = &sorts[i];
	if (*having)
		exprs[count++] = having;
	if (apply_group(level, &grouping, count, exprs) < 0)
		return -1;
	if (*having)
		apply_filter(level, *having);
	return 0;
}

/*
 * Whether the rows of the one subquery in FROM go on as they are. No standard says that they keep its order then, but
 * everybody counts on it, and PostgreSQL does it.
 */
static bool keeps_order(const struct level *level)
{
	const struct ast_select *select = level->select;

	return level->sorted_count > 0 && select->sort_count == 0 && !select->distinct &&
	       select->distinct_on_count == 0 && select->group_count == 0 &&
	       level->aggregate_count == 0 && !select->having && level->window_count == 0 &&
	       level->unnest_count == 0;
}

/* Columns for ORDER BY and for DISTINCT ON. */
static void name_sorts(struct level *level, struct extender *extender, struct expr **sorts,
	uint32_t *distinct_on, struct logical_query *out)
{
	struct binder *b = level->binder;

	out->sort_count = level->select->sort_count;
	out->sort = arena_alloc(b->arena, (out->sort_count + 1) * sizeof(*out->sort));
	for (uint32_t i = 0; i < out->sort_count; i++)
		out->sort[i] = (struct plan_sort_key){
			.column = extender_id(extender, sorts[i], "sort"),
			.descending = level->select->sort[i].descending,
			.nulls_first = level->select->sort[i].nulls_first,
		};
	for (uint32_t i = 0; i < level->select->distinct_on_count; i++)
		distinct_on[i] = extender_id(extender, sorts[out->sort_count + i], "distinct");
}

static void name_outputs(struct level *level, struct extender *extender,
	const struct targets *targets, struct logical_query *out)
{
	out->output_count = targets->count;
	out->outputs =
		arena_alloc(level->binder->arena, (targets->count + 1) * sizeof(*out->outputs));
	for (uint32_t i = 0; i < targets->count; i++) {
		const struct target *target = &targets->list[i];

		out->outputs[i].name = target->name;
		out->outputs[i].id = extender_id(extender, target->expr, target->name);
	}
}

/* Columns for the select list, for ORDER BY and for DISTINCT ON. */
static void apply_targets(struct level *level, const struct targets *targets, struct expr **sorts,
	uint32_t *distinct_on, struct logical_query *out)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};
	uint32_t count = 0;
	struct expr **all = arena_alloc(b->arena,
		(targets->count + sort_expr_count(level->select) + 1) * sizeof(struct expr *));

	for (uint32_t i = 0; i < targets->count; i++)
		all[count++] = targets->list[i].expr;
	for (uint32_t i = 0; i < sort_expr_count(level->select); i++)
		all[count++] = sorts[i];
	place_unnests(level, 0, NULL);
	place_marks(level, count, all);
	name_outputs(level, &extender, targets, out);
	name_sorts(level, &extender, sorts, distinct_on, out);
	if (keeps_order(level)) {
		out->sort_count = level->sorted_count;
		out->sort = arena_alloc(b->arena, (out->sort_count + 1) * sizeof(*out->sort));
		memcpy(out->sort, level->sorted, out->sort_count * sizeof(*out->sort));
	}
	extender_apply(&extender, &level->tree);
	out->tree = level->tree;
}

/* DISTINCT ON keeps the first row of each: the rows must be sorted by it before all else. */
static int check_distinct_on(
	struct level *level, const uint32_t *distinct_on, const struct logical_query *out)
{
	uint32_t count = level->select->distinct_on_count, matched = 0;
	bool other = false, wrong = false;

	for (uint32_t i = 0; i < count; i++) {
		bool sorted = false;

		for (uint32_t j = 0; j < out->sort_count; j++)
			sorted = sorted || out->sort[j].column == distinct_on[i];
		matched += sorted;
	}
	for (uint32_t j = 0; j < out->sort_count; j++) {
		bool listed = false, repeated = false;

		for (uint32_t i = 0; i < j; i++)
			repeated = repeated || out->sort[i].column == out->sort[j].column;
		if (repeated) /* sorts nothing that is not sorted yet */
			continue;
		for (uint32_t i = 0; i < count; i++)
			listed = listed || out->sort[j].column == distinct_on[i];
		wrong = wrong || (listed && other);
		other = other || !listed;
	}
	if (wrong || (other && matched < count))
		return bind_error(level->binder, level->select->distinct_on[0]->location,
			"SELECT DISTINCT ON expressions must match initial ORDER BY expressions");
	return 0;
}

static int apply_distinct_on(struct level *level, uint32_t *distinct_on, struct logical_query *out)
{
	struct logical_top top = {
		.partition_count = level->select->distinct_on_count,
		.partition = distinct_on,
		.sort_count = out->sort_count,
		.sort = out->sort,
		.limit = 1,
	};

	if (check_distinct_on(level, distinct_on, out) < 0)
		return -1;
	out->tree = logical_top_new(level->binder->arena, out->tree, &top);
	return 0;
}

/* Whether the select list makes rows, which neither ORDER BY nor DISTINCT ON asks for. */
static bool makes_rows_last(const struct level *level, struct expr *const *sorts)
{
	for (uint32_t i = 0; i < level->unnest_count; i++)
		for (uint32_t j = 0; j < sort_expr_count(level->select); j++)
			if (level->unnests[i].placed ||
				expr_reads_column(sorts[j], level->unnests[i].output))
				return false;
	return level->unnest_count > 0;
}

/* DISTINCT ON takes its rows before the select list makes more of them. */
static int apply_rows_last(struct level *level, const struct targets *targets, struct expr **sorts,
	uint32_t *distinct_on, struct logical_query *out)
{
	struct binder *b = level->binder;
	struct extender sorted = {.binder = b}, shown = {.binder = b};
	struct expr **all = arena_alloc(b->arena, (targets->count + 1) * sizeof(struct expr *));

	place_marks(level, sort_expr_count(level->select), sorts);
	name_sorts(level, &sorted, sorts, distinct_on, out);
	extender_apply(&sorted, &level->tree);
	out->tree = level->tree;
	if (apply_distinct_on(level, distinct_on, out) < 0)
		return -1;
	level->tree = out->tree;
	place_unnests(level, 0, NULL);
	for (uint32_t i = 0; i < targets->count; i++)
		all[i] = targets->list[i].expr;
	place_marks(level, targets->count, all);
	name_outputs(level, &shown, targets, out);
	extender_apply(&shown, &level->tree);
	out->tree = level->tree;
	return 0;
}

/* DISTINCT is a group by everything that is shown. */
static int apply_distinct(struct level *level, struct logical_query *out)
{
	struct binder *b = level->binder;
	struct logical_group group = {0};

	group.keys = arena_alloc(b->arena, (out->output_count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < out->output_count; i++) {
		bool repeated = false;

		for (uint32_t j = 0; j < group.key_count; j++)
			repeated = repeated || group.keys[j] == out->outputs[i].id;
		if (!repeated)
			group.keys[group.key_count++] = out->outputs[i].id;
	}
	for (uint32_t i = 0; i < out->sort_count; i++) {
		bool shown = false;

		for (uint32_t j = 0; j < group.key_count; j++)
			shown = shown || group.keys[j] == out->sort[i].column;
		if (!shown)
			return bind_error(b, level->select->sort[i].expr->location,
				"for SELECT DISTINCT, ORDER BY expressions must appear in select "
				"list");
	}
	if (group.key_count)
		out->tree = logical_group_new(b->arena, out->tree, &group);
	return 0;
}

static int settle_literals(struct binder *b, struct targets *targets)
{
	for (uint32_t i = 0; i < targets->count; i++) {
		targets->list[i].expr = coerce_known(b, targets->list[i].expr);
		if (!targets->list[i].expr)
			return -1;
	}
	return 0;
}

int bind_plain(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out)
{
	struct level *level = arena_zalloc(b->arena, sizeof(*level));
	struct expr **sorts =
		arena_zalloc(b->arena, (sort_expr_count(select) + 1) * sizeof(*sorts));
	uint32_t *distinct_on =
		arena_zalloc(b->arena, (select->distinct_on_count + 1) * sizeof(uint32_t));
	struct expr *having = NULL;
	struct targets targets;

	level->binder = b;
	level->select = select;
	level->scope.outer = outer;
	if (bind_from(level) < 0 || bind_where(level) < 0 || bind_targets(level, &targets) < 0)
		return -1;
	if ((!keep_literals || select->distinct) && settle_literals(b, &targets) < 0)
		return -1;
	if (select->having) {
		having = bind_filter(level, CLAUSE_HAVING, select->having);
		if (!having)
			return -1;
	}
	if (bind_sorts(level, &targets, sorts) < 0 ||
		group_if_needed(level, &targets, &having, sorts) < 0)
		return -1;
	if (level->reads_round && level->aggregate_count)
		return bind_error(b, select->location,
			"aggregate functions are not allowed in a recursive query's recursive "
			"term");
	apply_windows(level);
	if (select->distinct_on_count && makes_rows_last(level, sorts))
		return apply_rows_last(level, &targets, sorts, distinct_on, out);
	apply_targets(level, &targets, sorts, distinct_on, out);
	if (select->distinct_on_count)
		return apply_distinct_on(level, distinct_on, out);
	return select->distinct ? apply_distinct(level, out) : 0;
}
