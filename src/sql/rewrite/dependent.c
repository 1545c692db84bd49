/*
 * The general way out of correlation, for what decorrelate.c refuses: Neumann and Kemper's.
 *
 * The domain is the set of all different values that the query around has for the columns which the
 * subquery reads. The subquery is computed for all of them at once: the domain is joined to the
 * parts of its tree that read outer columns, and everything above treats rows of different values
 * apart, by more keys and partitions. A join with the outer query by these values is left.
 *
 *   filter, computed columns, lists   read the domain's columns in place of the outer ones
 *   group, window, limit              has them as further keys; a group without keys is joined to
 *                                     the domain, because it has a row for every value of it
 *   join                              the side that is read, or both and an equality of the values
 *   union                             every input
 *   what reads nothing outer          all pairs with the domain, which filters above make fewer
 *
 * The trees that the domain comes from are not known before the subquery is placed: until then a
 * use of the domain is a node without an input, and domain_place() fills it in.
 */
#include "sql/rewrite/decorrelate_private.h"
#include "sql/rewrite/tree_copy.h"

/* A recursion that is computed for all values of the domain: its rounds have them as columns. */
struct dependent_recursion {
	uint32_t number;
	const uint32_t *ids; /* ids[i]: the column of the recursion that has value i */
	const struct dependent_recursion *outer;
};

struct dependent {
	const struct decorrelator *d;
	struct binder *binder;
	struct domain *domain;
	const struct dependent_recursion *recursions; /* around the node at hand */
};

static struct logical *depend(struct dependent *p, struct logical *node, uint32_t *ids);

/* -- Equality of values, where NULL equals NULL -- */

/* Some value of the type, for NULL to become in a key beside a truth that says so. */
static struct expr *any_value(struct binder *b, struct type type)
{
	struct value unknown = {.type = type_of(TYPE_UNKNOWN), .text = text_from("", 0)};

	switch (type.kind) {
	case TYPE_BOOL: return boolean(b, false, false);
	case TYPE_DATE:
	case TYPE_TIMESTAMPTZ:
	case TYPE_TIMESTAMP: unknown.text = text_from("2000-01-01", 10); break;
	case TYPE_TIME: unknown.text = text_from("00:00:00", 8); break;
	case TYPE_TEXT: break;
	default: unknown.text = text_from("0", 1); break;
	}
	return coerce(b, expr_constant(b->arena, &unknown), type);
}

/* Both sides as something that a hash can find: NULL never equals anything there. */
static int add_same(
	struct binder *b, struct expr *left, struct expr *right, struct logical_filter *on)
{
	struct expr *sides[2] = {left, right}, *nulls[2], *test;

	for (int i = 0; i < 2; i++) {
		struct expr *args[2];

		if (type_physical(sides[i]->type.kind) == PHYSICAL_LIST)
			sides[i] = coerce_explicit(b, sides[i], type_of(TYPE_TEXT), -1);
		nulls[i] = sides[i] ? make_node(b, EXPR_IS_NULL, 1, &sides[i], -1) : NULL;
		args[0] = sides[i];
		args[1] = sides[i] ? any_value(b, sides[i]->type) : NULL;
		if (!args[1])
			return -1;
		sides[i] = make_node(b, EXPR_COALESCE, 2, args, -1);
		sides[i]->type = args[0]->type;
	}
	test = make_call(b, FN_EQ, type_of(TYPE_BOOL), 2, sides, -1);
	conjuncts_add(b->arena, on, test);
	test = make_call(b, FN_EQ, type_of(TYPE_BOOL), 2, nulls, -1);
	conjuncts_add(b->arena, on, test);
	return 0;
}

static int add_same_ids(
	struct dependent *p, const uint32_t *left, const uint32_t *right, struct logical_filter *on)
{
	struct binder *b = p->binder;

	for (uint32_t i = 0; i < p->domain->count; i++)
		if (add_same(b, binder_column_expr(b, left[i], -1),
			    binder_column_expr(b, right[i], -1), on) < 0)
			return -1;
	return 0;
}

/* -- Uses of the domain -- */

static struct logical *use_domain(struct dependent *p, uint32_t *ids)
{
	struct binder *b = p->binder;
	struct domain *domain = p->domain;
	struct logical *node = logical_new(b->arena, LOGICAL_REFERENCE, 0);

	for (uint32_t i = 0; i < domain->count; i++) {
		const struct logical_column *column = &b->columns->list[domain->outer[i]];

		ids[i] = binder_column(b, column->name, column->type);
		logical_add_column(b->arena, node, ids[i]);
	}
	domain->uses =
		list_room(b->arena, domain->uses, domain->use_count, sizeof(struct logical *));
	domain->uses[domain->use_count++] = node;
	return node;
}

/* What reads nothing outer: every row of it with every value of the domain. */
static struct logical *pair_with_domain(struct dependent *p, struct logical *node, uint32_t *ids)
{
	struct logical_join all = {.kind = JOIN_INNER};
	struct logical *domain = use_domain(p, ids);

	if (node->kind == LOGICAL_ONE_ROW)
		return domain;
	return logical_join_new(p->binder->arena, node, domain, &all);
}

/* -- The domain's columns in place of outer ones -- */

static uint32_t own_id(const struct dependent *p, uint32_t id, const uint32_t *ids)
{
	for (uint32_t i = 0; i < p->domain->count; i++)
		if (p->domain->outer[i] == id)
			return ids[i];
	return id;
}

static uint32_t *own_list(struct dependent *p, uint32_t count, const uint32_t *list,
	const uint32_t *ids, uint32_t room)
{
	uint32_t *own = arena_alloc(p->binder->arena, (count + room + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < count; i++)
		own[i] = own_id(p, list[i], ids);
	return own;
}

static void own_sort(
	const struct dependent *p, uint32_t count, struct plan_sort_key *sort, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		sort[i].column = own_id(p, sort[i].column, ids);
}

static struct expr *own_expr(struct dependent *p, struct expr *expr, const uint32_t *ids)
{
	struct binder *b = p->binder;
	uint32_t count = p->domain->count;
	struct expr **columns = arena_alloc(b->arena, (count + 1) * sizeof(struct expr *));

	for (uint32_t i = 0; i < count; i++)
		columns[i] = binder_column_expr(b, ids[i], expr->location);
	return expr_substitute(b->arena, expr, count, p->domain->outer, columns);
}

static void own_exprs(struct dependent *p, uint32_t count, struct expr **exprs, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		exprs[i] = own_expr(p, exprs[i], ids);
}

/* The keys of what treats rows together, with the domain's behind them. */
static void add_keys(struct dependent *p, uint32_t *count, uint32_t **keys, const uint32_t *ids)
{
	uint32_t *all = own_list(p, *count, *keys, ids, p->domain->count), kept = 0;

	for (uint32_t i = 0; i < p->domain->count; i++)
		all[*count + i] = ids[i];
	/* An outer column among the keys has become one of the domain's: once is enough. */
	for (uint32_t i = 0; i < *count + p->domain->count; i++) {
		bool repeated = false;

		for (uint32_t j = 0; j < kept; j++)
			repeated = repeated || all[j] == all[i];
		if (!repeated)
			all[kept++] = all[i];
	}
	*count = kept;
	*keys = all;
}

/* -- Nodes -- */

static void own_aggregates(struct dependent *p, struct logical_group *group, const uint32_t *ids)
{
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		struct logical_aggregate *aggregate = &group->aggregates[i];

		aggregate->arg = own_id(p, aggregate->arg, ids);
		aggregate->arg2 = own_id(p, aggregate->arg2, ids);
		aggregate->filter = own_id(p, aggregate->filter, ids);
		own_sort(p, aggregate->sort_count, aggregate->sort, ids);
	}
}

/* The groups by the domain's values alone; a value without rows has none. */
static void depend_group_values(struct dependent *p, struct logical *node, const uint32_t *ids)
{
	own_aggregates(p, &node->group, ids);
	add_keys(p, &node->group.key_count, &node->group.keys, ids);
	logical_set_columns(p->binder->arena, node);
}

/* Counts are 0 where there is no group, and everything else is NULL: under the ids it had. */
static void count_no_rows(struct binder *b, struct logical *group, struct extender *counts)
{
	struct value zero = {.type = type_of(TYPE_BIGINT)};

	for (uint32_t i = 0; i < group->group.aggregate_count; i++) {
		struct logical_aggregate *aggregate = &group->group.aggregates[i];
		uint32_t output = aggregate->output;
		struct expr *args[2], *expr;

		if (aggregate->id != AGG_COUNT && aggregate->id != AGG_COUNT_STAR)
			continue;
		aggregate->output = binder_column(b, b->columns->list[output].name, zero.type);
		args[0] = binder_column_expr(b, aggregate->output, -1);
		args[1] = expr_constant(b->arena, &zero);
		expr = make_node(b, EXPR_COALESCE, 2, args, -1);
		expr->type = zero.type;
		extender_add(counts, output, expr);
	}
	logical_set_columns(b->arena, group);
}

static struct logical *depend_group(struct dependent *p, struct logical *node, uint32_t *ids)
{
	struct binder *b = p->binder;
	struct logical_join join = {.kind = JOIN_LEFT};
	struct extender counts = {.binder = b};
	bool always = node->group.key_count == 0;
	struct logical *tree;
	uint32_t *found = arena_alloc(b->arena, (p->domain->count + 1) * sizeof(uint32_t));

	node->inputs[0] = depend(p, node->inputs[0], found);
	if (!node->inputs[0])
		return NULL;
	depend_group_values(p, node, found);
	if (!always) {
		for (uint32_t i = 0; i < p->domain->count; i++)
			ids[i] = found[i];
		return node;
	}
	count_no_rows(b, node, &counts);
	tree = use_domain(p, ids);
	if (add_same_ids(p, ids, found, &join.on) < 0)
		return NULL;
	tree = logical_join_new(b->arena, tree, node, &join);
	extender_apply(&counts, &tree);
	return tree;
}

static void own_calls(struct dependent *p, struct logical_window *window, const uint32_t *ids)
{
	for (uint32_t i = 0; i < window->call_count; i++) {
		struct plan_window_call *call = &window->calls[i];

		call->arg = own_id(p, call->arg, ids);
		call->offset = own_id(p, call->offset, ids);
		call->fallback = own_id(p, call->fallback, ids);
		if (call->function != WINDOW_AGGREGATE)
			continue;
		call->aggregate.arg = own_id(p, call->aggregate.arg, ids);
		call->aggregate.arg2 = own_id(p, call->aggregate.arg2, ids);
		call->aggregate.filter = own_id(p, call->aggregate.filter, ids);
		own_sort(p, call->aggregate.sort_count, call->aggregate.sort, ids);
	}
}

/* Nodes of one input that a row passes alone, or together with others of its value. */
static struct logical *depend_single(struct dependent *p, struct logical *node, uint32_t *ids)
{
	node->inputs[0] = depend(p, node->inputs[0], ids);
	if (!node->inputs[0])
		return NULL;
	switch (node->kind) {
	case LOGICAL_FILTER: own_exprs(p, node->filter.count, node->filter.conjuncts, ids); break;
	case LOGICAL_EXTEND: own_exprs(p, node->extend.count, node->extend.exprs, ids); break;
	case LOGICAL_UNNEST: own_exprs(p, node->unnest.count, node->unnest.lists, ids); break;
	case LOGICAL_WINDOW:
		own_calls(p, &node->window, ids);
		own_sort(p, node->window.sort_count, node->window.sort, ids);
		add_keys(p, &node->window.partition_count, &node->window.partition, ids);
		break;
	default:
		own_sort(p, node->top.sort_count, node->top.sort, ids);
		add_keys(p, &node->top.partition_count, &node->top.partition, ids);
		break;
	}
	logical_set_columns(p->binder->arena, node);
	return node;
}

/* FULL JOIN: the values of whichever side is there. */
static void merge_values(struct dependent *p, struct logical **tree, const uint32_t *left,
	const uint32_t *right, uint32_t *ids)
{
	struct binder *b = p->binder;
	struct extender merged = {.binder = b};

	for (uint32_t i = 0; i < p->domain->count; i++) {
		struct expr *sides[2] = {
			binder_column_expr(b, left[i], -1), binder_column_expr(b, right[i], -1)};
		struct expr *value = make_node(b, EXPR_COALESCE, 2, sides, -1);

		value->type = sides[0]->type;
		ids[i] = extender_id(&merged, value, b->columns->list[left[i]].name);
	}
	extender_apply(&merged, tree);
}

/* Whether rows of the tree depend on the values of the domain. */
static bool needs_domain(const struct dependent *p, const struct logical *node)
{
	for (const struct dependent_recursion *around = p->recursions; around;
		around = around->outer)
		if (logical_reads_round(node, around->number))
			return true;
	return tree_reads_outer(p->d, node);
}

static struct logical *depend_join(struct dependent *p, struct logical *node, uint32_t *ids)
{
	struct binder *b = p->binder;
	struct logical_join *join = &node->join;
	bool reads[2] = {needs_domain(p, node->inputs[0]), needs_domain(p, node->inputs[1])};
	uint32_t *found[2];

	/* The side whose rows are kept, or the condition, needs the values in any case. */
	if (join->kind != JOIN_INNER || !reads[1])
		reads[0] = true;
	reads[1] = reads[1] || join->kind == JOIN_FULL;
	if (join->kind == JOIN_MARK && reads[1]) {
		bind_error(b, p->d->location,
			"IN over a subquery that refers to queries further out is not supported "
			"here");
		return NULL;
	}
	for (int side = 0; side < 2; side++) {
		found[side] = arena_alloc(b->arena, (p->domain->count + 1) * sizeof(uint32_t));
		if (!reads[side])
			continue;
		node->inputs[side] = depend(p, node->inputs[side], found[side]);
		if (!node->inputs[side])
			return NULL;
	}
	for (uint32_t i = 0; i < p->domain->count; i++)
		ids[i] = found[reads[0] ? 0 : 1][i];
	own_exprs(p, join->on.count, join->on.conjuncts, ids);
	if (join->key_count)
		join->keys[0] = own_list(p, join->key_count, join->keys[0], ids, 0);
	if (reads[0] && reads[1] && add_same_ids(p, found[0], found[1], &join->on) < 0)
		return NULL;
	logical_set_columns(b->arena, node);
	if (join->kind == JOIN_FULL)
		merge_values(p, &node, found[0], found[1], ids);
	return node;
}

/* Adds the columns `found`, which have the values, to the `count` that a node has already. */
static uint32_t *with_values(
	struct dependent *p, uint32_t count, const uint32_t *list, const uint32_t *found)
{
	uint32_t *all = own_list(p, count, list, found, p->domain->count);

	for (uint32_t k = 0; k < p->domain->count; k++)
		all[count + k] = found[k];
	return all;
}

/* Columns of a node for the values. */
static void add_values(struct dependent *p, struct logical *node, uint32_t *ids)
{
	struct binder *b = p->binder;

	for (uint32_t k = 0; k < p->domain->count; k++) {
		const struct logical_column *column = &b->columns->list[p->domain->outer[k]];

		ids[k] = binder_column(b, column->name, column->type);
		logical_add_column(b->arena, node, ids[k]);
	}
}

static struct logical *depend_union(struct dependent *p, struct logical *node, uint32_t *ids)
{
	struct binder *b = p->binder;
	uint32_t columns = node->column_count;

	for (uint32_t i = 0; i < node->input_count; i++) {
		uint32_t *found = arena_alloc(b->arena, (p->domain->count + 1) * sizeof(uint32_t));

		node->inputs[i] = depend(p, node->inputs[i], found);
		if (!node->inputs[i])
			return NULL;
		node->united.ids[i] = with_values(p, columns, node->united.ids[i], found);
	}
	add_values(p, node, ids);
	return node;
}

/* Every row is one of some value, from the start on, and so is what is made of it. */
static struct logical *depend_recursion(struct dependent *p, struct logical *node, uint32_t *ids)
{
	uint32_t columns = node->column_count;
	struct dependent_recursion recursion = {node->recursion.number, ids, p->recursions};

	add_values(p, node, ids);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t *found =
			arena_alloc(p->binder->arena, (p->domain->count + 1) * sizeof(uint32_t));

		p->recursions = i == 1 ? &recursion : recursion.outer;
		node->inputs[i] = depend(p, node->inputs[i], found);
		p->recursions = recursion.outer;
		if (!node->inputs[i])
			return NULL;
		node->recursion.ids[i] = with_values(p, columns, node->recursion.ids[i], found);
	}
	return node;
}

static struct logical *depend_round(struct dependent *p, struct logical *node, uint32_t *ids)
{
	const struct dependent_recursion *recursion = p->recursions;

	while (recursion->number != node->round.number)
		recursion = recursion->outer;
	node->round.sources =
		with_values(p, node->column_count, node->round.sources, recursion->ids);
	add_values(p, node, ids);
	return node;
}

/* A shared tree is the same for everyone who reads it, and knows no values. */
static struct logical *depend_reference(struct dependent *p, struct logical *node, uint32_t *ids)
{
	if (!needs_domain(p, node))
		return pair_with_domain(p, node, ids);
	bind_error(p->binder, p->d->location,
		"a WITH inside of a recursive query that reads columns of the query around it is "
		"not supported");
	return NULL;
}

/* The tree for every value of the domain; ids[i] is the column that has value i. */
static struct logical *depend(struct dependent *p, struct logical *node, uint32_t *ids)
{
	if (binder_check_size(p->binder, p->d->location) < 0)
		return NULL;
	if (!needs_domain(p, node))
		return pair_with_domain(p, node, ids);
	switch (node->kind) {
	case LOGICAL_GROUP: return depend_group(p, node, ids);
	case LOGICAL_JOIN: return depend_join(p, node, ids);
	case LOGICAL_UNION: return depend_union(p, node, ids);
	case LOGICAL_FILTER:
	case LOGICAL_EXTEND:
	case LOGICAL_UNNEST:
	case LOGICAL_WINDOW:
	case LOGICAL_TOP: return depend_single(p, node, ids);
	case LOGICAL_RECURSION: return depend_recursion(p, node, ids);
	case LOGICAL_ROUND: return depend_round(p, node, ids);
	case LOGICAL_REFERENCE: return depend_reference(p, node, ids);
	case LOGICAL_SCAN:
	case LOGICAL_ONE_ROW: break;
	}
	return pair_with_domain(p, node, ids);
}

static void domain_add(struct binder *b, struct domain *domain, uint32_t id)
{
	for (uint32_t i = 0; i < domain->count; i++)
		if (domain->outer[i] == id)
			return;
	domain->outer = list_room(b->arena, domain->outer, domain->count, sizeof(uint32_t));
	domain->params = list_room(b->arena, domain->params, domain->count, sizeof(struct expr *));
	domain->params[domain->count] = binder_column_expr(b, id, -1);
	domain->outer[domain->count++] = id;
}

struct collect {
	const struct decorrelator *d;
	struct domain *domain;
};

static void collect_outer(void *context, uint32_t id)
{
	const struct collect *collect = context;

	if (is_outer(collect->d, id))
		domain_add(collect->d->binder, collect->domain, id);
}

int depend_on_domain(const struct decorrelator *d, struct logical *group,
	const struct bound_select *select, struct subquery *out)
{
	struct binder *b = d->binder;
	struct dependent p = {.d = d, .binder = b};
	struct collect collect = {d, arena_zalloc(b->arena, sizeof(struct domain))};
	struct logical *tree = group ? group->inputs[0] : select->tree;
	uint32_t *ids;

	tree_visit_reads(group ? group : tree, collect_outer, &collect);
	for (uint32_t i = 0; i < select->output_count; i++)
		collect_outer(&collect, select->outputs[i].id);
	p.domain = collect.domain;
	ids = arena_alloc(b->arena, (p.domain->count + 1) * sizeof(uint32_t));
	tree = depend(&p, tree, ids);
	if (!tree)
		return -1;
	if (group) {
		group->inputs[0] = tree;
		depend_group_values(&p, group, ids);
		tree = group;
	}
	out->tree = tree;
	out->domain = p.domain;
	out->on = (struct logical_filter){0};
	for (uint32_t i = 0; i < p.domain->count; i++)
		if (add_same(b, p.domain->params[i], binder_column_expr(b, ids[i], -1), &out->on) <
			0)
			return -1;
	for (uint32_t i = 0; i < out->output_count && !group; i++)
		out->outputs[i] = own_expr(&p, out->outputs[i], ids);
	return 0;
}

/* -- Where the domain comes from -- */

/* What only scans and computes is read a second time, and so is what is itself a part of something
 * correlated; all else is computed once.
 */
static bool is_read_again(struct binder *b, const struct logical *tree)
{
	struct bound_select select = {.tree = (struct logical *)tree};
	const struct logical *node = tree;

	while (node->kind == LOGICAL_FILTER || node->kind == LOGICAL_EXTEND)
		node = node->inputs[0];
	return node->kind == LOGICAL_SCAN || node->kind == LOGICAL_ONE_ROW ||
	       select_is_correlated(b, &select);
}

static struct logical *refer_to(
	struct binder *b, struct logical_shared *shared, uint32_t count, uint32_t *sources)
{
	struct logical *node = logical_new(b->arena, LOGICAL_REFERENCE, 0);

	shared->references++;
	node->reference.shared = shared;
	node->reference.sources = arena_alloc(b->arena, (count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < count; i++)
		node->reference.sources[i] = sources[i];
	return node;
}

static struct logical_shared *share_tree(struct binder *b, struct logical **tree)
{
	struct logical_shared *shared = arena_zalloc(b->arena, sizeof(*shared));
	struct logical *flow;

	shared->tree = *tree;
	shared->index = b->shared_count;
	b->shared = list_room(b->arena, b->shared, b->shared_count, sizeof(*b->shared));
	b->shared[b->shared_count++] = shared;
	flow = refer_to(b, shared, (*tree)->column_count, (*tree)->columns);
	for (uint32_t i = 0; i < (*tree)->column_count; i++)
		logical_add_column(b->arena, flow, (*tree)->columns[i]);
	*tree = flow;
	return shared;
}

/* A use becomes the different values of the parameters, under its own columns. */
static int fill_use(struct binder *b, const struct logical *tree, struct logical_shared *shared,
	const struct domain *domain, const uint32_t *params, struct logical *use)
{
	struct logical_group group = {.key_count = domain->count};
	struct logical *source;

	group.keys = arena_alloc(b->arena, (domain->count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < domain->count; i++)
		group.keys[i] = use->columns[i];
	if (shared) {
		source = refer_to(b, shared, domain->count, (uint32_t *)params);
		for (uint32_t i = 0; i < domain->count; i++)
			logical_add_column(b->arena, source, use->columns[i]);
	} else {
		struct extender values = {.binder = b};
		uint32_t *renamed, nodes;

		source = tree_copy_renamed(b->arena, b->columns, tree, &renamed, &nodes);
		b->node_count += nodes;
		if (binder_check_size(b, -1) < 0)
			return -1;
		for (uint32_t i = 0; i < domain->count; i++)
			extender_add(&values, use->columns[i],
				binder_column_expr(b, renamed[params[i]], -1));
		extender_apply(&values, &source);
	}
	*use = *logical_group_new(b->arena, source, &group);
	return 0;
}

int domain_place(struct binder *b, const struct domain *domain, struct logical **tree)
{
	uint32_t *params = arena_alloc(b->arena, (domain->count + 1) * sizeof(uint32_t));
	struct extender extender = {.binder = b};
	struct logical_shared *shared = NULL;
	const struct logical *source;

	for (uint32_t i = 0; i < domain->count; i++) {
		struct expr *param = domain->params[i];

		params[i] = param->kind == EXPR_COLUMN ? param->column : PLAN_NONE;
		if (params[i] != PLAN_NONE && logical_has_column(*tree, params[i]))
			continue;
		params[i] = binder_column(b, "value", param->type);
		extender_add(&extender, params[i], param);
	}
	source = *tree;
	if (extender.count) {
		struct logical *wider = *tree;

		extender_apply(&extender, &wider);
		source = wider;
	}
	if (!is_read_again(b, source)) {
		struct logical *flow = (struct logical *)source;

		shared = share_tree(b, &flow);
		*tree = flow;
	}
	for (uint32_t i = 0; i < domain->use_count; i++)
		if (fill_use(b, source, shared, domain, params, domain->uses[i]) < 0)
			return -1;
	return 0;
}
