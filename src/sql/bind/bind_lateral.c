/*
 * FROM items that read what stands to their left, and joins that are like them: each becomes a step
 * on top of the rows to the left.
 */
#include "sql/bind/bind_from_private.h"

static bool is_true(const struct logical_filter *on)
{
	for (uint32_t i = 0; i < on->count; i++) {
		const struct expr *expr = on->conjuncts[i];

		if (expr->kind != EXPR_CONSTANT || expr->constant.is_null ||
			!expr->constant.boolean)
			return false;
	}
	return true;
}

static struct logical *filtered(
	struct binder *b, struct logical *tree, const struct logical_filter *filter)
{
	return logical_filter_new(b->arena, tree, filter->count, filter->conjuncts);
}

void make_optional(struct binder *b, struct item *item)
{
	const struct subquery *lateral = item->lateral;

	item->computed = (struct extender){.binder = b};
	for (uint32_t i = 0; i < lateral->output_count; i++) {
		struct scope_column *column = &item->scope.columns[i];
		struct expr *value = lateral->outputs[i];

		if (!lateral->one_row && value->kind == EXPR_COLUMN &&
			logical_has_column(lateral->tree, value->column))
			continue;
		column->id = binder_column(b, column->name, value->type);
		extender_add(&item->computed, column->id, value);
	}
}

/* The join's condition over the columns below those that come out of it. */
static int lateral_condition(struct binder *b, const struct extender *computed,
	const struct logical_filter *on, struct logical_filter *out)
{
	for (uint32_t i = 0; i < on->count && !is_true(on); i++) {
		struct expr *conjunct = expr_substitute(b->arena, on->conjuncts[i], computed->count,
			computed->ids, computed->exprs);

		if (check_expr_size(b, conjunct, on->conjuncts[i]->location) < 0)
			return -1;
		conjuncts_add(b->arena, out, conjunct);
	}
	return 0;
}

/* The rows of `tree`, each with those of a LATERAL subquery that meet it, or with NULLs. */
static int attach_optional(struct binder *b, struct logical *tree, struct item *right,
	const struct logical_filter *on, struct logical **out)
{
	struct subquery *lateral = right->lateral;
	struct logical_join join = {.kind = JOIN_LEFT, .on = lateral->on};
	struct logical_filter *condition = lateral->one_row ? &lateral->condition : &join.on;
	struct extender *computed = &right->computed, met = {.binder = b};
	struct expr *test = NULL;

	if (lateral->domain && domain_place(b, lateral->domain, &tree) < 0)
		return -1;
	if (lateral_condition(b, computed, on, condition) < 0)
		return -1;
	if (!lateral->one_row && computed->count) {
		uint32_t id = extender_id(&met, boolean(b, true, false), "met");

		test = binder_column_expr(b, id, -1);
		extender_apply(&met, &lateral->tree);
	} else if (lateral->one_row && condition->count) {
		test = all_of(b, condition);
	}
	for (uint32_t i = 0; i < computed->count && test; i++)
		computed->exprs[i] = make_choice(b, test, computed->exprs[i], NULL);
	*out = logical_join_new(b->arena, tree, lateral->tree, &join);
	extender_apply(computed, out);
	return 0;
}

/* The rows of a LATERAL subquery next to those of `tree`. */
static int attach_lateral(struct binder *b, struct logical *tree, struct item *right,
	const struct logical_filter *on, struct logical **out)
{
	const struct subquery *lateral = right->lateral;
	struct logical_join next = {
		.kind = lateral->one_row ? JOIN_LEFT : JOIN_INNER, .on = lateral->on};

	if (lateral->domain && domain_place(b, lateral->domain, &tree) < 0)
		return -1;
	tree = logical_join_new(b->arena, tree, lateral->tree, &next);
	extender_apply(&right->computed, &tree);
	*out = filtered(b, filtered(b, tree, &lateral->condition), on);
	return 0;
}

/* LEFT JOIN of a function under a condition: as that of a subquery with its rows. */
static int make_lateral(struct binder *b, struct item *item, int32_t location)
{
	struct logical *rows = logical_new(b->arena, LOGICAL_ONE_ROW, 0);
	struct bound_select select = {.tree = logical_unnest_new(b->arena, rows, item->unnest)};

	extender_apply(&item->computed, &select.tree);
	item->lateral = arena_alloc(b->arena, sizeof(*item->lateral));
	item->unnest = NULL;
	return decorrelate(b, &select, location, item->lateral);
}

int attach(struct binder *b, const struct item *left, struct item *right,
	const struct logical_join *join, int32_t location, struct logical **out)
{
	struct logical *tree = left ? left->tree : logical_new(b->arena, LOGICAL_ONE_ROW, 0);
	bool outer = join->kind == JOIN_LEFT;

	if (right->unnest && outer && !is_true(&join->on)) {
		if (make_lateral(b, right, location) < 0)
			return -1;
	} else if (right->unnest) {
		right->unnest->outer = outer;
		tree = logical_unnest_new(b->arena, tree, right->unnest);
		extender_apply(&right->computed, &tree);
		*out = outer ? tree : filtered(b, tree, &join->on);
		return 0;
	}
	if (outer)
		return attach_optional(b, tree, right, &join->on, out);
	return attach_lateral(b, tree, right, &join->on, out);
}

static bool is_one_group(const struct logical *tree)
{
	while (tree->kind == LOGICAL_FILTER || tree->kind == LOGICAL_EXTEND)
		tree = tree->inputs[0];
	return tree->kind == LOGICAL_GROUP && tree->group.key_count == 0;
}

int join_by_subqueries(struct level *level, const struct ast_from *from, const struct item *left,
	const struct item *right, const struct logical_filter *on, struct logical **out)
{
	struct binder *b = level->binder;
	bool swap = from->join == AST_JOIN_RIGHT;
	struct logical *kept = swap ? right->tree : left->tree, *saved = level->tree;
	struct logical_join cross = {.kind = JOIN_INNER};
	struct logical_filter none = {0};
	struct bound_select select = {0};
	struct item item = {.computed = {.binder = b}};

	item.lateral = arena_alloc(b->arena, sizeof(*item.lateral));
	if (!right->tree || (swap && left->with_left))
		return bind_error(b, from->location,
			"a subquery in the condition of a LATERAL join is not supported");
	level->tree = swap ? left->tree : right->tree;
	/* Its one row is not there for every row that is kept: the condition decides. */
	if (is_one_group(level->tree))
		level->tree = logical_join_new(
			b->arena, level->tree, logical_new(b->arena, LOGICAL_ONE_ROW, 0), &cross);
	place_marks(level, on->count, on->conjuncts);
	select.tree = filtered(b, level->tree, on);
	level->tree = saved;
	if (decorrelate(b, &select, from->location, item.lateral) < 0)
		return -1;
	return attach_optional(b, kept, &item, &none, out);
}

/* The columns of a scope, wherever they stand, are what a LATERAL subquery made of them. */
static void replace_columns(struct binder *b, const struct subquery *lateral,
	const struct bound_select *bound, struct extender *computed, uint32_t count,
	struct scope_column **columns)
{
	struct scope_column *copy = arena_alloc(b->arena, (count + 1) * sizeof(*copy));

	for (uint32_t i = 0; i < count; i++) {
		copy[i] = (*columns)[i];
		for (uint32_t j = 0; j < bound->output_count; j++)
			if (bound->outputs[j].id == copy[i].id) {
				copy[i].id =
					extender_id(computed, lateral->outputs[j], copy[i].name);
				break;
			}
	}
	*columns = copy;
}

static void add_outputs(struct binder *b, uint32_t count, const struct scope_column *columns,
	struct bound_select *out)
{
	for (uint32_t i = 0; i < count; i++) {
		out->outputs =
			list_room(b->arena, out->outputs, out->output_count, sizeof(*out->outputs));
		out->outputs[out->output_count++] =
			(struct logical_output){.name = columns[i].name, .id = columns[i].id};
	}
}

int lateral_of_join(struct binder *b, const struct ast_from *from, struct item *item)
{
	struct subquery *lateral = arena_alloc(b->arena, sizeof(*lateral));
	struct bound_select bound = {.tree = item->tree};
	struct scope *scope = &item->scope;
	struct scope_table *tables =
		arena_alloc(b->arena, (scope->table_count + 1) * sizeof(*tables));

	add_outputs(b, scope->column_count, scope->columns, &bound);
	for (uint32_t t = 0; t < scope->table_count; t++)
		add_outputs(b, scope->tables[t].column_count, scope->tables[t].columns, &bound);
	if (decorrelate(b, &bound, from->location, lateral) < 0)
		return -1;
	item->computed = (struct extender){.binder = b};
	item->lateral = lateral;
	item->tree = NULL;
	replace_columns(b, lateral, &bound, &item->computed, scope->column_count, &scope->columns);
	for (uint32_t t = 0; t < scope->table_count; t++) {
		tables[t] = scope->tables[t];
		replace_columns(b, lateral, &bound, &item->computed, tables[t].column_count,
			&tables[t].columns);
	}
	scope->tables = tables;
	return 0;
}
