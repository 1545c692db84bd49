/*
 * GROUP BY with ROLLUP, CUBE and GROUPING SETS.
 *
 * Every row is made once for each set, with the set's number and with NULL for the keys that the
 * set does not have; one group by that number and all keys does the rest. So rows become states
 * where they are read, as in any group.
 *
 * The empty set has a row even over no input: one row that no aggregate sees is added for it.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

/* PostgreSQL's limits. */
#define GROUPING_SETS_MAX 4096
#define CUBE_ELEMENTS_MAX 12
#define GROUPING_ARGS_MAX 31
/* Bits of a set. */
#define GROUPING_KEYS_MAX 64

struct set_list {
	uint32_t count;
	uint64_t *sets;
};

struct set_binder {
	struct level *level;
	const struct targets *targets;
	struct grouping *grouping;
};

static int too_many_sets(struct binder *b, int32_t location)
{
	return bind_error(
		b, location, "too many grouping sets present (maximum %d)", GROUPING_SETS_MAX);
}

static int add_set(struct binder *b, struct set_list *list, uint64_t set, int32_t location)
{
	if (list->count == GROUPING_SETS_MAX)
		return too_many_sets(b, location);
	list->sets = list_room(b->arena, list->sets, list->count, sizeof(*list->sets));
	list->sets[list->count++] = set;
	return 0;
}

/* The place in the select list that a key stands for: where it was named, or where it stands first. */
static uint32_t key_target(const struct targets *targets, const struct expr *key)
{
	for (uint32_t i = 0; i < targets->count; i++)
		if (targets->list[i].expr == key)
			return i;
	for (uint32_t i = 0; i < targets->count; i++)
		if (expr_equal(targets->list[i].expr, key))
			return i;
	return PLAN_NONE;
}

/*
 * The bit of a key; a new one if no equal one is there. Equal expressions in two places of the
 * select list are two keys, because a set may have one and not the other.
 */
static int bind_key(struct set_binder *s, const struct ast_expr *ast, uint64_t *bit)
{
	struct binder *b = s->level->binder;
	struct grouping *grouping = s->grouping;
	struct expr *key = bind_group_key(s->level, s->targets, ast);
	uint32_t at = 0, target;

	if (!key)
		return -1;
	target = key_target(s->targets, key);
	while (at < grouping->key_count &&
		(!expr_equal(grouping->keys[at], key) ||
			key_target(s->targets, grouping->keys[at]) != target))
		at++;
	if (at == grouping->key_count) {
		grouping->keys = list_room(b->arena, grouping->keys, at, sizeof(struct expr *));
		grouping->keys[grouping->key_count++] = key;
	}
	*bit = at < GROUPING_KEYS_MAX ? UINT64_C(1) << at : 0;
	return 0;
}

/* Equal keys that are in the same sets are one, as in every plain GROUP BY. */
static void merge_keys(struct grouping *grouping)
{
	for (uint32_t j = grouping->key_count; j-- > 1;) {
		uint64_t low = (UINT64_C(1) << j) - 1;
		uint32_t i = 0;
		bool same = false;

		for (; i < j && !same; i++) {
			same = expr_equal(grouping->keys[i], grouping->keys[j]);
			for (uint32_t k = 0; k < grouping->set_count && grouping->set_count > 1;
				k++)
				same = same &&
				       (grouping->sets[k] >> i & 1) == (grouping->sets[k] >> j & 1);
		}
		if (!same)
			continue;
		for (uint32_t k = 0; k < grouping->set_count; k++)
			grouping->sets[k] =
				(grouping->sets[k] & low) | (grouping->sets[k] >> 1 & ~low);
		grouping->key_count--;
		memmove(&grouping->keys[j], &grouping->keys[j + 1],
			(grouping->key_count - j) * sizeof(struct expr *));
	}
}

/* An element of a set: a key, or several in parentheses. */
static int bind_element(struct set_binder *s, const struct ast_expr *ast, uint64_t *set)
{
	*set = 0;
	if (ast->kind != AST_ROW || ast->flag)
		return bind_key(s, ast, set);
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		uint64_t bit;

		if (bind_element(s, ast->args[i], &bit) < 0)
			return -1;
		*set |= bit;
	}
	return 0;
}

/* ROLLUP (a, b): (a, b), (a), (). CUBE (a, b): (a, b), (a), (b), (). */
static int bind_rollup_or_cube(
	struct set_binder *s, const struct ast_expr *ast, struct set_list *out)
{
	struct binder *b = s->level->binder;
	uint32_t count = ast->arg_count;
	uint64_t *elements = arena_alloc(b->arena, (count + 1) * sizeof(*elements));

	if (ast->grouping == AST_GROUPING_CUBE && count > CUBE_ELEMENTS_MAX)
		return bind_error(
			b, ast->location, "CUBE is limited to %d elements", CUBE_ELEMENTS_MAX);
	for (uint32_t i = 0; i < count; i++)
		if (bind_element(s, ast->args[i], &elements[i]) < 0)
			return -1;
	if (ast->grouping == AST_GROUPING_CUBE) {
		for (uint32_t chosen = 0; chosen < 1u << count; chosen++) {
			uint64_t set = 0;

			for (uint32_t i = 0; i < count; i++)
				set |= chosen >> i & 1 ? elements[i] : 0;
			if (add_set(b, out, set, ast->location) < 0)
				return -1;
		}
		return 0;
	}
	for (uint32_t length = 0; length <= count; length++) {
		uint64_t set = 0;

		for (uint32_t i = 0; i < length; i++)
			set |= elements[i];
		if (add_set(b, out, set, ast->location) < 0)
			return -1;
	}
	return 0;
}

/* The sets that one item of GROUP BY, or of GROUPING SETS, stands for. */
static int bind_sets(struct set_binder *s, const struct ast_expr *ast, struct set_list *out)
{
	struct binder *b = s->level->binder;
	uint64_t set = 0;

	if (ast->kind == AST_GROUPING_SET && ast->grouping == AST_GROUPING_SETS) {
		for (uint32_t i = 0; i < ast->arg_count; i++)
			if (bind_sets(s, ast->args[i], out) < 0)
				return -1;
		return 0;
	}
	if (ast->kind == AST_GROUPING_SET && ast->grouping != AST_GROUPING_EMPTY)
		return bind_rollup_or_cube(s, ast, out);
	if (ast->kind != AST_GROUPING_SET && bind_element(s, ast, &set) < 0)
		return -1;
	return add_set(b, out, set, ast->location);
}

/* GROUP BY DISTINCT. */
static void drop_equal_sets(struct set_list *list)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		bool repeated = false;

		for (uint32_t j = 0; j < kept; j++)
			repeated = repeated || list->sets[j] == list->sets[i];
		if (!repeated)
			list->sets[kept++] = list->sets[i];
	}
	list->count = kept;
}

int bind_grouping(struct level *level, const struct targets *targets, struct grouping *out)
{
	struct binder *b = level->binder;
	const struct ast_select *select = level->select;
	struct set_binder s = {level, targets, out};
	struct set_list all = {0};

	*out = (struct grouping){0};
	if (select->group_count && add_set(b, &all, 0, -1) < 0)
		return -1;
	for (uint32_t i = 0; i < select->group_count; i++) {
		struct set_list item = {0}, product = {0};

		if (bind_sets(&s, select->group[i], &item) < 0)
			return -1;
		for (uint32_t j = 0; j < all.count; j++)
			for (uint32_t k = 0; k < item.count; k++)
				if (add_set(b, &product, all.sets[j] | item.sets[k],
					    select->group[i]->location) < 0)
					return -1;
		all = product;
	}
	if (select->group_distinct)
		drop_equal_sets(&all);
	if (all.count > 1 && out->key_count > GROUPING_KEYS_MAX)
		return bind_error(b, select->group[0]->location,
			"more than %d keys in grouping sets are not supported", GROUPING_KEYS_MAX);
	out->set_count = all.count;
	out->sets = all.sets;
	merge_keys(out);
	return 0;
}

static bool may_hold_grouping(enum clause clause)
{
	return clause == CLAUSE_SELECT || clause == CLAUSE_HAVING || clause == CLAUSE_ORDER_BY ||
	       clause == CLAUSE_WINDOW || clause == CLAUSE_WINDOW_ARGUMENT;
}

struct expr *bind_grouping_call(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_grouping note = {.count = ast->arg_count, .location = ast->location};
	struct level *owner;

	if (ast->arg_count > GROUPING_ARGS_MAX) {
		bind_error(b, ast->location, "GROUPING must have fewer than %d arguments",
			GROUPING_ARGS_MAX + 1);
		return NULL;
	}
	note.args = bind_args(level, CLAUSE_GROUP_BY, ast);
	owner = note.args ? find_owner(level, note.count, note.args) : NULL;
	if (!note.args)
		return NULL;
	if (owner != level)
		clause = owner ? owner->clause : CLAUSE_FROM;
	if (!may_hold_grouping(clause)) {
		bind_error(b, ast->location, "grouping operations are not allowed in %s",
			clause == CLAUSE_ON ? "JOIN conditions" : clause_name(clause));
		return NULL;
	}
	note.output = binder_column(b, "grouping", type_of(TYPE_INT));
	owner->groupings = list_room(
		b->arena, owner->groupings, owner->grouping_count, sizeof(*owner->groupings));
	owner->groupings[owner->grouping_count++] = note;
	return binder_column_expr(b, note.output, ast->location);
}

static struct expr *integer(struct binder *b, int64_t number)
{
	struct value value = {.type = type_of(TYPE_INT), .i64 = number};

	return expr_constant(b->arena, &value);
}

/* Whether the row's set is one of those with this bit. */
static struct expr *set_has(
	struct binder *b, const struct grouping *grouping, uint32_t set, uint64_t bit)
{
	struct expr **args =
		arena_alloc(b->arena, (grouping->set_count + 1) * sizeof(struct expr *));
	uint32_t count = 1;

	args[0] = binder_column_expr(b, set, -1);
	for (uint32_t i = 0; i < grouping->set_count; i++)
		if (grouping->sets[i] & bit)
			args[count++] = integer(b, i);
	if (count == 1)
		return boolean(b, false, false);
	return make_in(b, count, args, -1);
}

static bool in_all_sets(const struct grouping *grouping, uint64_t bit)
{
	for (uint32_t i = 0; i < grouping->set_count; i++)
		if (!(grouping->sets[i] & bit))
			return false;
	return true;
}

/* A row for every set, with NULL for the keys that it does not have. Returns the set's column. */
static uint32_t expand_sets(struct level *level, const struct grouping *grouping, uint32_t *ids)
{
	struct binder *b = level->binder;
	struct expr *series[3] = {
		integer(b, 0), integer(b, (int64_t)grouping->set_count - 1), integer(b, 1)};
	struct logical_unnest unnest = {.count = 1, .ordinality = PLAN_NONE};
	struct extender extender = {.binder = b};
	uint32_t set = binder_column(b, "grouping_set", type_of(TYPE_INT));

	unnest.lists = arena_alloc(b->arena, sizeof(struct expr *));
	unnest.items = arena_alloc(b->arena, sizeof(uint32_t));
	unnest.lists[0] = make_call(b, FN_GENERATE_SERIES, type_of(TYPE_INT), 3, series, -1);
	unnest.items[0] = set;
	level->tree = logical_unnest_new(b->arena, level->tree, &unnest);
	for (uint32_t i = 0; i < grouping->key_count; i++) {
		uint64_t bit = UINT64_C(1) << i;
		struct expr *key = binder_column_expr(b, ids[i], -1);

		if (!in_all_sets(grouping, bit))
			ids[i] = extender_id(&extender,
				make_choice(b, set_has(b, grouping, set, bit), key, NULL),
				b->columns->list[ids[i]].name);
	}
	extender_apply(&extender, &level->tree);
	return set;
}

/* The columns that a group reads, each once: its input must have all of them. */
static void add_read(struct binder *b, uint32_t *count, uint32_t **ids, uint32_t id)
{
	if (id == PLAN_NONE)
		return;
	for (uint32_t i = 0; i < *count; i++)
		if ((*ids)[i] == id)
			return;
	*ids = list_room(b->arena, *ids, *count, sizeof(uint32_t));
	(*ids)[(*count)++] = id;
}

static void group_reads(
	struct binder *b, const struct logical_group *group, uint32_t *count, uint32_t **ids)
{
	for (uint32_t i = 0; i < group->key_count; i++)
		add_read(b, count, ids, group->keys[i]);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		add_read(b, count, ids, aggregate->arg);
		add_read(b, count, ids, aggregate->arg2);
		add_read(b, count, ids, aggregate->filter);
		for (uint32_t j = 0; j < aggregate->sort_count; j++)
			add_read(b, count, ids, aggregate->sort[j].column);
	}
}

/* What aggregates read is NULL in the row that is added: that must be enough for it not to count. */
static void skip_added_row(struct level *level, struct logical_group *group)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};
	uint32_t real = extender_id(&extender, boolean(b, true, false), "real");

	extender_apply(&extender, &level->tree);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		struct logical_aggregate *aggregate = &group->aggregates[i];

		if (aggregate->id == AGG_COUNT_STAR) {
			aggregate->id = AGG_COUNT;
			aggregate->arg = real;
		}
		if (aggregate_is_ordered(aggregate->id) && aggregate->filter == PLAN_NONE)
			aggregate->filter = real;
	}
}

/* The row of an empty set that is there over no input, too: NULL but for the set's number. */
static struct logical *added_row(
	struct binder *b, uint32_t set, uint32_t number, uint32_t count, uint32_t *ids)
{
	struct extender extender = {.binder = b};
	struct logical *tree = logical_new(b->arena, LOGICAL_ONE_ROW, 0);

	for (uint32_t i = 0; i < count; i++) {
		struct value null = {.type = b->columns->list[ids[i]].type, .is_null = true};
		uint32_t id = binder_column(b, b->columns->list[ids[i]].name, null.type);

		extender_add(&extender, id,
			ids[i] == set ? integer(b, number) : expr_constant(b->arena, &null));
		ids[i] = id;
	}
	extender_apply(&extender, &tree);
	return tree;
}

static uint32_t renamed(uint32_t id, uint32_t count, const uint32_t *from, const uint32_t *to)
{
	for (uint32_t i = 0; i < count; i++)
		if (from[i] == id)
			return to[i];
	return id;
}

static void rename_group(
	struct logical_group *group, uint32_t count, const uint32_t *from, const uint32_t *to)
{
	for (uint32_t i = 0; i < group->key_count; i++)
		group->keys[i] = renamed(group->keys[i], count, from, to);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		struct logical_aggregate *aggregate = &group->aggregates[i];

		aggregate->arg = renamed(aggregate->arg, count, from, to);
		aggregate->arg2 = renamed(aggregate->arg2, count, from, to);
		aggregate->filter = renamed(aggregate->filter, count, from, to);
		for (uint32_t j = 0; j < aggregate->sort_count; j++)
			aggregate->sort[j].column =
				renamed(aggregate->sort[j].column, count, from, to);
	}
}

/* The tree, and a row for each empty set. The group reads columns of the union afterwards. */
static void add_empty_sets(struct level *level, const struct grouping *grouping, uint32_t set,
	struct logical_group *group)
{
	struct binder *b = level->binder;
	uint32_t empty = 0, count = 0, *ids = NULL, inputs = 1;
	struct logical *node;

	for (uint32_t i = 0; i < grouping->set_count; i++)
		empty += grouping->sets[i] == 0;
	if (empty == 0)
		return;
	skip_added_row(level, group);
	group_reads(b, group, &count, &ids);
	node = logical_new(b->arena, LOGICAL_UNION, 1 + empty);
	node->united.ids = arena_alloc(b->arena, (1 + empty) * sizeof(uint32_t *));
	node->inputs[0] = level->tree;
	node->united.ids[0] = ids;
	for (uint32_t i = 0; i < grouping->set_count; i++) {
		uint32_t *added;

		if (grouping->sets[i])
			continue;
		added = arena_alloc(b->arena, count * sizeof(uint32_t));
		memcpy(added, ids, count * sizeof(uint32_t));
		node->inputs[inputs] = added_row(b, set, i, count, added);
		node->united.ids[inputs++] = added;
	}
	for (uint32_t i = 0; i < count; i++)
		logical_add_column(b->arena, node,
			binder_column(
				b, b->columns->list[ids[i]].name, b->columns->list[ids[i]].type));
	rename_group(group, count, ids, node->columns);
	level->tree = node;
}

/* GROUPING(a, b): a bit for each that is not in the row's set, the last one the lowest. */
static int apply_groupings(struct level *level, const struct grouping *grouping, uint32_t set)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};

	for (uint32_t i = 0; i < level->grouping_count; i++) {
		const struct level_grouping *note = &level->groupings[i];
		struct expr *sum = integer(b, 0);

		for (uint32_t j = 0; j < note->count; j++) {
			uint32_t key = 0;
			struct expr *parts[2];

			while (key < grouping->key_count &&
				!expr_equal(grouping->keys[key], note->args[j]))
				key++;
			if (key == grouping->key_count)
				return bind_error(b, note->args[j]->location,
					"arguments to GROUPING must be grouping expressions of the "
					"associated query level");
			if (set == PLAN_NONE)
				continue;
			parts[0] = sum;
			parts[1] = make_choice(b, set_has(b, grouping, set, UINT64_C(1) << key),
				integer(b, 0), integer(b, INT64_C(1) << (note->count - 1 - j)));
			sum = make_call(b, FN_ADD, type_of(TYPE_INT), 2, parts, -1);
		}
		extender_add(&extender, note->output, sum);
	}
	extender_apply(&extender, &level->tree);
	return 0;
}

int apply_grouping(struct level *level, const struct grouping *grouping, uint32_t *ids,
	struct logical_group *group)
{
	struct binder *b = level->binder;
	bool several = grouping->set_count > 1;
	uint32_t set = several ? expand_sets(level, grouping, ids) : PLAN_NONE;

	group->keys = arena_alloc(b->arena, (grouping->key_count + 2) * sizeof(uint32_t));
	for (uint32_t i = 0; i < grouping->key_count; i++)
		group->keys[group->key_count++] = ids[i];
	if (several) {
		group->keys[group->key_count++] = set;
		add_empty_sets(level, grouping, set, group);
		for (uint32_t i = 0; i < grouping->key_count; i++)
			ids[i] = group->keys[i];
		set = group->keys[grouping->key_count];
	}
	level->tree = logical_group_new(b->arena, level->tree, group);
	return apply_groupings(level, grouping, set);
}
