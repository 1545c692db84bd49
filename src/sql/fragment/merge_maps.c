/*
 * Map fragments that group the same rows by the same keys, for several queries or several parts of
 * one, are done by one fragment more: it filters, computes the keys and finds the groups once, and
 * gives each of the others' outputs the states that it asked for.
 *
 * The fragments that it stands for stay in the plan. A row that has an unreadable field is a reject
 * only for those that read the field, so whoever runs the plan sends batches with such rows through
 * them, one by one.
 *
 * Two fragments are compared in a normal form: what they filter, group by and aggregate, as
 * expressions over the columns of their table.
 */
#include "sql/fragment/fragment_private.h"

#include <string.h>

/* A fragment with larger expressions is left alone: the normal form repeats what it computes. */
#define NORMAL_SIZE_MAX 200

/* What an aggregate reads: its two arguments and its filter. */
#define MERGE_ARGS 3u

struct normal {
	uint32_t fragment;
	bool *table_columns_used;
	uint32_t conjunct_count;
	struct expr **conjuncts;
	uint32_t key_count;
	struct expr **keys;
	const char **key_names;
	const struct plan_group *group;
	struct expr **args; /* MERGE_ARGS an aggregate; NULL for none */
};

/* Fragments that can be merged: `members` of them, from the first one on. */
struct merger {
	struct arena *arena;
	struct plan *plan;
	uint32_t count;
	struct normal *normals;
};

/* One aggregate that the merged fragment computes; its states start at column `state`. */
struct merged_aggregate {
	struct plan_aggregate plan;
	struct expr *args[MERGE_ARGS];
	uint32_t state;
};

static void identity(
	struct merger *m, const struct plan_table *table, uint32_t *ids, struct expr **exprs)
{
	for (uint32_t i = 0; i < table->column_count; i++) {
		ids[i] = i;
		exprs[i] = expr_column(m->arena, i, table->columns[i].type);
	}
}

/* The columns that flow between two operators, as expressions over the table's. */
struct column_view {
	uint32_t count;
	uint32_t *ids;
	struct expr **exprs;
};

static struct expr *view_expr(struct merger *m, const struct column_view *view, struct expr *expr)
{
	return expr_substitute(m->arena, expr, view->count, view->ids, view->exprs);
}

static void view_project(
	struct merger *m, struct column_view *view, const struct plan_project *project)
{
	struct column_view next = {.count = project->count};

	next.ids = arena_alloc(m->arena, (project->count + 1) * sizeof(uint32_t));
	next.exprs = arena_alloc(m->arena, (project->count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < project->count; i++) {
		next.ids[i] = i;
		next.exprs[i] = view_expr(m, view, project->exprs[i]);
	}
	*view = next;
}

static bool view_is_small(const struct column_view *view)
{
	for (uint32_t i = 0; i < view->count; i++)
		if (expr_size(view->exprs[i], NORMAL_SIZE_MAX + 1) > NORMAL_SIZE_MAX)
			return false;
	return true;
}

static void normal_group(struct merger *m, struct normal *normal, const struct column_view *view,
	const struct plan_op *op)
{
	const struct plan_group *group = &op->group;

	normal->group = group;
	normal->key_count = group->key_count;
	normal->keys = arena_alloc(m->arena, (group->key_count + 1) * sizeof(struct expr *));
	normal->key_names = op->names;
	for (uint32_t i = 0; i < group->key_count; i++)
		normal->keys[i] = view->exprs[group->keys[i]];
	normal->args = arena_zalloc(m->arena,
		(MERGE_ARGS * (size_t)group->aggregate_count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct plan_aggregate *aggregate = &group->aggregates[i];
		const uint32_t columns[MERGE_ARGS] = {
			aggregate->arg, aggregate->arg2, aggregate->filter};

		for (uint32_t j = 0; j < MERGE_ARGS; j++)
			if (columns[j] != PLAN_NONE)
				normal->args[MERGE_ARGS * i + j] = view->exprs[columns[j]];
	}
}

/* Filters and projections that end in a partial group with keys and a single output. */
static bool normalize(struct merger *m, uint32_t index, struct normal *normal)
{
	const struct plan_fragment *fragment = &m->plan->fragments[index];
	const struct plan_table *table;
	const struct plan_op *last;
	struct logical_filter conjuncts = {0};
	struct column_view view;

	if (fragment->inputs[0].kind != INPUT_TABLE || fragment->op_count == 0 ||
		fragment->output_count != 1)
		return false;
	last = fragment->ops[fragment->op_count - 1];
	if (last->kind != PLAN_GROUP || last->group.key_count == 0)
		return false;
	table = &m->plan->tables[fragment->inputs[0].index];
	view.count = table->column_count;
	view.ids = arena_alloc(m->arena, (table->column_count + 1) * sizeof(uint32_t));
	view.exprs = arena_alloc(m->arena, (table->column_count + 1) * sizeof(struct expr *));
	identity(m, table, view.ids, view.exprs);
	for (uint32_t i = 0; i + 1 < fragment->op_count; i++) {
		const struct plan_op *op = fragment->ops[i];

		if (op->kind == PLAN_FILTER) {
			for (uint32_t j = 0; j < op->filter.count; j++)
				conjuncts_add(m->arena, &conjuncts,
					view_expr(m, &view, op->filter.conjuncts[j]));
		} else if (op->kind == PLAN_PROJECT) {
			view_project(m, &view, &op->project);
		} else {
			return false;
		}
		if (!view_is_small(&view))
			return false;
	}
	*normal = (struct normal){
		.fragment = index,
		.table_columns_used = fragment->table_columns_used,
		.conjunct_count = conjuncts.count,
		.conjuncts = conjuncts.conjuncts,
	};
	normal_group(m, normal, &view, last);
	return true;
}

static bool same_exprs(uint32_t count, struct expr *const *a, struct expr *const *b)
{
	for (uint32_t i = 0; i < count; i++)
		if (!expr_equal(a[i], b[i]))
			return false;
	return true;
}

static bool mergeable(const struct merger *m, const struct normal *a, const struct normal *b)
{
	const struct plan_fragment *fragments = m->plan->fragments;

	return fragments[a->fragment].inputs[0].index == fragments[b->fragment].inputs[0].index &&
	       a->conjunct_count == b->conjunct_count && a->key_count == b->key_count &&
	       same_exprs(a->conjunct_count, a->conjuncts, b->conjuncts) &&
	       same_exprs(a->key_count, a->keys, b->keys);
}

/* Whether one of the members feeds the same exchange: no fragment may do so twice. */
static bool feeds_with(const struct merger *m, const struct normal *normal, uint32_t count,
	const struct normal *const *members)
{
	const struct plan_fragment *fragments = m->plan->fragments;

	for (uint32_t i = 0; i < count; i++)
		if (fragments[members[i]->fragment].outputs[0] ==
			fragments[normal->fragment].outputs[0])
			return true;
	return false;
}

static bool same_optional(const struct expr *a, const struct expr *b)
{
	return a && b ? expr_equal(a, b) : a == b;
}

/* What the merged fragment will hold, while its members are added one after the other. */
struct map_merge {
	struct merger *merger;
	const struct normal *first;
	uint32_t aggregate_count;
	struct merged_aggregate *aggregates;
	uint32_t column_count; /* of its output: keys and states */
	uint32_t expr_count;   /* columns that its group reads */
	struct expr **exprs;
};

static uint32_t merge_expr(struct map_merge *merge, struct expr *expr)
{
	if (!expr)
		return PLAN_NONE;
	for (uint32_t i = 0; i < merge->expr_count; i++)
		if (expr_equal(merge->exprs[i], expr))
			return i;
	merge->exprs = list_room(
		merge->merger->arena, merge->exprs, merge->expr_count, sizeof(struct expr *));
	merge->exprs[merge->expr_count] = expr;
	return merge->expr_count++;
}

/* The aggregate among those already there, or as a new one. */
static const struct merged_aggregate *merge_aggregate(struct map_merge *merge,
	const struct plan_aggregate *plan, struct expr *const args[MERGE_ARGS])
{
	struct type states[AGGREGATE_STATES_MAX];
	struct merged_aggregate *made;

	for (uint32_t i = 0; i < merge->aggregate_count; i++) {
		made = &merge->aggregates[i];
		if (made->plan.id == plan->id && type_equal(made->plan.arg_type, plan->arg_type) &&
			same_optional(made->args[0], args[0]) &&
			same_optional(made->args[1], args[1]) &&
			same_optional(made->args[2], args[2]))
			return made;
	}
	merge->aggregates = list_room(
		merge->merger->arena, merge->aggregates, merge->aggregate_count, sizeof(*made));
	made = &merge->aggregates[merge->aggregate_count++];
	*made = (struct merged_aggregate){
		.plan = *plan, .args = {args[0], args[1], args[2]}, .state = merge->column_count};
	made->plan.arg = merge_expr(merge, args[0]);
	made->plan.arg2 = merge_expr(merge, args[1]);
	made->plan.filter = merge_expr(merge, args[2]);
	merge->column_count += aggregate_state_types(plan->id, plan->arg_type, states);
	return made;
}

/* Which of the merged columns a member's output gets: the keys, and the states of its aggregates.
 */
static uint32_t *merge_member(struct map_merge *merge, const struct normal *member)
{
	const struct plan_group *group = member->group;
	size_t most = group->key_count + (size_t)group->aggregate_count * AGGREGATE_STATES_MAX;
	uint32_t *columns = arena_alloc(merge->merger->arena, (most + 1) * sizeof(uint32_t));
	uint32_t count = 0;

	while (count < group->key_count) {
		columns[count] = count;
		count++;
	}
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct plan_aggregate *plan = &group->aggregates[i];
		const struct merged_aggregate *made =
			merge_aggregate(merge, plan, &member->args[MERGE_ARGS * i]);
		struct type states[AGGREGATE_STATES_MAX];
		uint32_t state_count = aggregate_state_types(plan->id, plan->arg_type, states);

		for (uint32_t j = 0; j < state_count; j++)
			columns[count++] = made->state + j;
	}
	return columns;
}

static struct plan_op *op_new(struct merger *m, enum plan_op_kind kind, uint32_t column_count)
{
	struct plan_op *op = arena_zalloc(m->arena, sizeof(*op));

	op->kind = kind;
	op->column_count = column_count;
	op->types = arena_alloc(m->arena, (column_count + 1) * sizeof(*op->types));
	op->names = arena_alloc(m->arena, (column_count + 1) * sizeof(*op->names));
	for (uint32_t i = 0; i < column_count; i++)
		op->names[i] = "";
	return op;
}

static struct plan_op *filter_op(struct map_merge *merge, const struct plan_table *table)
{
	struct plan_op *op = op_new(merge->merger, PLAN_FILTER, table->column_count);

	for (uint32_t i = 0; i < table->column_count; i++) {
		op->types[i] = table->columns[i].type;
		op->names[i] = table->columns[i].name;
	}
	op->filter.count = merge->first->conjunct_count;
	op->filter.conjuncts = merge->first->conjuncts;
	return op;
}

static struct plan_op *project_op(struct map_merge *merge)
{
	struct plan_op *op = op_new(merge->merger, PLAN_PROJECT, merge->expr_count);

	for (uint32_t i = 0; i < merge->expr_count; i++)
		op->types[i] = merge->exprs[i]->type;
	op->project.count = merge->expr_count;
	op->project.exprs = merge->exprs;
	return op;
}

static struct plan_op *group_op(struct map_merge *merge)
{
	struct arena *arena = merge->merger->arena;
	uint32_t key_count = merge->first->key_count;
	struct plan_op *op = op_new(merge->merger, PLAN_GROUP, merge->column_count);
	struct plan_group *group = &op->group;

	*group = (struct plan_group){
		.phase = GROUP_PARTIAL,
		.key_count = key_count,
		.keys = arena_alloc(arena, key_count * sizeof(uint32_t)),
		.aggregate_count = merge->aggregate_count,
		.aggregates = arena_alloc(
			arena, (merge->aggregate_count + 1) * sizeof(*group->aggregates)),
	};
	for (uint32_t i = 0; i < key_count; i++) {
		group->keys[i] = merge_expr(merge, merge->first->keys[i]);
		op->types[i] = merge->first->keys[i]->type;
		op->names[i] = merge->first->key_names[i];
	}
	for (uint32_t i = 0; i < merge->aggregate_count; i++) {
		group->aggregates[i] = merge->aggregates[i].plan;
		aggregate_state_types(group->aggregates[i].id, group->aggregates[i].arg_type,
			&op->types[merge->aggregates[i].state]);
	}
	return op;
}

static void merge_members(
	struct merger *m, const struct normal **members, uint32_t count, struct plan_fragment *out)
{
	struct map_merge merge = {.merger = m, .first = members[0]};
	const struct plan_fragment *first = &m->plan->fragments[members[0]->fragment];
	const struct plan_table *table = &m->plan->tables[first->inputs[0].index];

	for (uint32_t i = 0; i < members[0]->key_count; i++)
		merge_expr(&merge, members[0]->keys[i]);
	merge.column_count = members[0]->key_count;
	*out = (struct plan_fragment){
		.input_count = 1,
		.inputs = first->inputs,
		.ops = arena_alloc(m->arena, 3 * sizeof(struct plan_op *)),
		.output_count = count,
		.outputs = arena_alloc(m->arena, count * sizeof(uint32_t)),
		.output_columns = arena_alloc(m->arena, count * sizeof(uint32_t *)),
		.query = PLAN_NONE,
		.table_columns_used = arena_zalloc(m->arena, table->column_count + 1),
		.merged_into = PLAN_NONE,
		.merged_count = count,
		.merged = arena_alloc(m->arena, count * sizeof(uint32_t)),
	};
	for (uint32_t i = 0; i < count; i++) {
		const struct plan_fragment *member = &m->plan->fragments[members[i]->fragment];

		out->merged[i] = members[i]->fragment;
		out->outputs[i] = member->outputs[0];
		out->output_columns[i] = merge_member(&merge, members[i]);
		for (uint32_t c = 0; c < table->column_count; c++)
			out->table_columns_used[c] |= member->table_columns_used[c];
	}
	if (members[0]->conjunct_count)
		out->ops[out->op_count++] = filter_op(&merge, table);
	out->ops[out->op_count++] = project_op(&merge);
	out->ops[out->op_count++] = group_op(&merge);
}

/* Puts the merged fragments before all others: they feed what the others feed. */
static void insert_fragments(
	struct plan *plan, uint32_t count, struct plan_fragment *merged, struct arena *arena)
{
	struct plan_fragment *all =
		arena_alloc(arena, (plan->fragment_count + count) * sizeof(*all));

	memcpy(all, merged, count * sizeof(*all));
	memcpy(all + count, plan->fragments, plan->fragment_count * sizeof(*all));
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t j = 0; j < all[i].merged_count; j++) {
			all[i].merged[j] += count;
			all[all[i].merged[j]].merged_into = i;
		}
	for (uint32_t i = 0; i < plan->exchange_count; i++)
		plan->exchanges[i].consumer += count;
	plan->fragments = all;
	plan->fragment_count += count;
}

void merge_maps(struct plan *plan, struct arena *arena)
{
	struct merger m = {.arena = arena, .plan = plan};
	const struct normal **members;
	struct plan_fragment *merged;
	uint32_t merged_count = 0;
	bool *taken;

	m.normals = arena_alloc(arena, (plan->fragment_count + 1) * sizeof(*m.normals));
	for (uint32_t i = 0; i < plan->fragment_count; i++)
		m.count += normalize(&m, i, &m.normals[m.count]);
	members = arena_alloc(arena, (m.count + 1) * sizeof(*members));
	merged = arena_alloc(arena, (m.count + 1) * sizeof(*merged));
	taken = arena_zalloc(arena, m.count + 1);
	for (uint32_t i = 0; i < m.count; i++) {
		uint32_t count = 0;

		for (uint32_t j = i; j < m.count && !taken[i]; j++)
			if (!taken[j] && mergeable(&m, &m.normals[i], &m.normals[j]) &&
				!feeds_with(&m, &m.normals[j], count, members))
				members[count++] = &m.normals[j];
		if (count < 2)
			continue;
		for (uint32_t j = 0; j < count; j++)
			taken[members[j] - m.normals] = true;
		merge_members(&m, members, count, &merged[merged_count++]);
	}
	if (merged_count)
		insert_fragments(plan, merged_count, merged, arena);
}
