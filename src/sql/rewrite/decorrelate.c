/*
 * Subqueries that read columns of the query around them become trees that do not, and conditions
 * of a join with that query's rows.
 *
 * Every column of a query has an id of its own, so a column is an outer one when nothing in the
 * subquery's tree makes it. The walk goes from the leaves up and takes along
 *
 *   - conditions that read outer columns: they end up as the join's,
 *   - computed columns that do: whoever reads them gets their expression instead.
 *
 * On its way up a condition passes filters, inner joins, kept sides and lists. Whatever treats rows
 * together (a group, a window, a limit) must from now on do so for each value that the outer query
 * may ask for: "inner = outer" makes `inner` a key of the group or a partition. What no such step
 * covers is refused here, and done in the general way of dependent.c.
 *
 * An aggregate without GROUP BY yields a row even where nothing meets. After an outer join its
 * columns are NULL there, which is what all aggregates say of no rows but count(): that becomes
 * coalesce(count, 0), and everything that is computed of it moves above the join.
 */
#include "sql/rewrite/decorrelate_private.h"
#include "sql/rewrite/tree_copy.h"

static struct logical *release(struct decorrelator *d, struct logical *node);

/* Not in this way: dependent.c can. */
static struct logical *refuse(struct decorrelator *d)
{
	d->refused = true;
	return NULL;
}

bool is_outer(const struct decorrelator *d, uint32_t id)
{
	return id != PLAN_NONE && id < d->known && d->makers[id] != d->self;
}

static bool reads_outer(const struct decorrelator *d, const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		return is_outer(d, expr->column);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (reads_outer(d, expr->args[i]))
			return true;
	return false;
}

static bool reads_inner(const struct decorrelator *d, const struct expr *expr)
{
	if (expr->kind == EXPR_COLUMN)
		return !is_outer(d, expr->column);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (reads_inner(d, expr->args[i]))
			return true;
	return false;
}

/* A column that must be one of the subquery's own. */
static bool is_foreign(const struct decorrelator *d, uint32_t id)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (d->ids[i] == id)
			return true;
	return is_outer(d, id);
}

static bool any_foreign(const struct decorrelator *d, uint32_t count, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_foreign(d, ids[i]))
			return true;
	return false;
}

static bool sort_foreign(
	const struct decorrelator *d, uint32_t count, const struct plan_sort_key *sort)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_foreign(d, sort[i].column))
			return true;
	return false;
}

static void mark_inner(struct decorrelator *d, uint32_t count, const uint32_t *ids)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] != PLAN_NONE)
			d->binder->makers[ids[i]] = d->self;
}

/* The columns that the nodes of a tree make. */
static void mark_made(struct decorrelator *d, const struct logical *node)
{
	for (uint32_t i = 0; i < node->input_count; i++)
		mark_made(d, node->inputs[i]);
	switch (node->kind) {
	case LOGICAL_SCAN:
	case LOGICAL_REFERENCE:
	case LOGICAL_RECURSION:
	case LOGICAL_ROUND:
	case LOGICAL_UNION: mark_inner(d, node->column_count, node->columns); break;
	case LOGICAL_EXTEND: mark_inner(d, node->extend.count, node->extend.ids); break;
	case LOGICAL_GROUP:
		for (uint32_t i = 0; i < node->group.aggregate_count; i++)
			mark_inner(d, 1, &node->group.aggregates[i].output);
		break;
	case LOGICAL_WINDOW: mark_inner(d, node->window.call_count, node->window.outputs); break;
	case LOGICAL_JOIN:
		if (join_yields_mark(node->join.kind) || node->join.kind == JOIN_SINGLE)
			mark_inner(d, 1, &node->join.mark);
		break;
	case LOGICAL_UNNEST:
		mark_inner(d, node->unnest.count, node->unnest.items);
		mark_inner(d, 1, &node->unnest.ordinality);
		break;
	case LOGICAL_ONE_ROW:
	case LOGICAL_FILTER:
	case LOGICAL_TOP: break;
	}
}

static void visit_ids(uint32_t count, const uint32_t *ids, visit_read visit, void *context)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] != PLAN_NONE)
			visit(context, ids[i]);
}

static void visit_exprs(uint32_t count, struct expr *const *exprs, visit_read visit, void *context)
{
	for (uint32_t i = 0; i < count; i++) {
		if (exprs[i]->kind == EXPR_COLUMN)
			visit(context, exprs[i]->column);
		visit_exprs(exprs[i]->arg_count, exprs[i]->args, visit, context);
	}
}

static void visit_sort(
	uint32_t count, const struct plan_sort_key *sort, visit_read visit, void *context)
{
	for (uint32_t i = 0; i < count; i++)
		visit(context, sort[i].column);
}

static void visit_group(const struct logical_group *group, visit_read visit, void *context)
{
	visit_ids(group->key_count, group->keys, visit, context);
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		visit_ids(1, &aggregate->arg, visit, context);
		visit_ids(1, &aggregate->arg2, visit, context);
		visit_ids(1, &aggregate->filter, visit, context);
		visit_sort(aggregate->sort_count, aggregate->sort, visit, context);
	}
}

static void visit_window(const struct logical_window *window, visit_read visit, void *context)
{
	visit_ids(window->partition_count, window->partition, visit, context);
	visit_sort(window->sort_count, window->sort, visit, context);
	for (uint32_t i = 0; i < window->call_count; i++) {
		const struct plan_window_call *call = &window->calls[i];

		visit_ids(1, &call->arg, visit, context);
		visit_ids(1, &call->offset, visit, context);
		visit_ids(1, &call->fallback, visit, context);
		if (call->function != WINDOW_AGGREGATE)
			continue;
		visit_ids(1, &call->aggregate.arg, visit, context);
		visit_ids(1, &call->aggregate.arg2, visit, context);
		visit_ids(1, &call->aggregate.filter, visit, context);
		visit_sort(call->aggregate.sort_count, call->aggregate.sort, visit, context);
	}
}

void tree_visit_reads(const struct logical *node, visit_read visit, void *context)
{
	for (uint32_t i = 0; i < node->input_count; i++)
		tree_visit_reads(node->inputs[i], visit, context);
	switch (node->kind) {
	case LOGICAL_FILTER:
		visit_exprs(node->filter.count, node->filter.conjuncts, visit, context);
		break;
	case LOGICAL_EXTEND:
		visit_exprs(node->extend.count, node->extend.exprs, visit, context);
		break;
	case LOGICAL_GROUP: visit_group(&node->group, visit, context); break;
	case LOGICAL_WINDOW: visit_window(&node->window, visit, context); break;
	case LOGICAL_TOP:
		visit_ids(node->top.partition_count, node->top.partition, visit, context);
		visit_sort(node->top.sort_count, node->top.sort, visit, context);
		break;
	case LOGICAL_JOIN:
		visit_exprs(node->join.on.count, node->join.on.conjuncts, visit, context);
		visit_ids(node->join.key_count, node->join.keys[0], visit, context);
		break;
	case LOGICAL_UNNEST:
		visit_exprs(node->unnest.count, node->unnest.lists, visit, context);
		break;
	case LOGICAL_UNION:
		for (uint32_t i = 0; i < node->input_count; i++)
			visit_ids(node->column_count, node->united.ids[i], visit, context);
		break;
	case LOGICAL_RECURSION:
		for (uint32_t i = 0; i < 2; i++)
			visit_ids(node->column_count, node->recursion.ids[i], visit, context);
		break;
	case LOGICAL_ROUND:
	case LOGICAL_SCAN:
	case LOGICAL_REFERENCE:
	case LOGICAL_ONE_ROW: break;
	}
}

static bool aggregates_foreign(const struct decorrelator *d, const struct logical_group *group)
{
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];

		if (is_foreign(d, aggregate->arg) || is_foreign(d, aggregate->arg2) ||
			is_foreign(d, aggregate->filter) ||
			sort_foreign(d, aggregate->sort_count, aggregate->sort))
			return true;
	}
	return false;
}

static bool calls_foreign(const struct decorrelator *d, const struct logical_window *window)
{
	for (uint32_t i = 0; i < window->call_count; i++) {
		const struct plan_window_call *call = &window->calls[i];

		if (is_foreign(d, call->arg) || is_foreign(d, call->offset) ||
			is_foreign(d, call->fallback))
			return true;
		if (call->function == WINDOW_AGGREGATE &&
			(is_foreign(d, call->aggregate.arg) ||
				is_foreign(d, call->aggregate.arg2) ||
				is_foreign(d, call->aggregate.filter) ||
				sort_foreign(d, call->aggregate.sort_count, call->aggregate.sort)))
			return true;
	}
	return false;
}

struct outer_search {
	const struct decorrelator *d;
	bool found;
};

static void note_outer(void *context, uint32_t id)
{
	struct outer_search *search = context;

	search->found = search->found || is_foreign(search->d, id);
}

bool tree_reads_outer(const struct decorrelator *d, const struct logical *node)
{
	struct outer_search search = {.d = d};

	tree_visit_reads(node, note_outer, &search);
	return search.found;
}

/* NULL when it has grown too large: what is computed over and over doubles with every step. */
static struct expr *substitute_checked(struct binder *b, struct expr *expr, uint32_t count,
	const uint32_t *ids, struct expr *const *exprs)
{
	int32_t location = expr->location;

	if (count == 0)
		return expr;
	expr = expr_substitute(b->arena, expr, count, ids, exprs);
	return check_expr_size(b, expr, location) < 0 ? NULL : expr;
}

static struct expr *substitute(const struct decorrelator *d, struct expr *expr)
{
	return substitute_checked(d->binder, expr, d->count, d->ids, d->exprs);
}

/* Splits conditions into those that stay and those that go up. */
static int release_conjuncts(struct decorrelator *d, struct logical_filter *filter)
{
	struct arena *arena = d->binder->arena;
	struct logical_filter kept = {0};

	for (uint32_t i = 0; i < filter->count; i++) {
		struct expr *conjunct = substitute(d, filter->conjuncts[i]);

		if (!conjunct)
			return -1;
		conjuncts_add(arena, reads_outer(d, conjunct) ? &d->on : &kept, conjunct);
	}
	*filter = kept;
	return 0;
}

/* Splits computed columns in the same way. */
static struct logical *release_extend(struct decorrelator *d, const struct logical *node)
{
	struct arena *arena = d->binder->arena;
	struct extender kept = {.binder = d->binder};
	struct logical *tree = node->inputs[0];

	for (uint32_t i = 0; i < node->extend.count; i++) {
		struct expr *expr = substitute(d, node->extend.exprs[i]);
		bool outer = expr && reads_outer(d, expr);
		uint32_t *count = outer ? &d->count : &kept.count;
		uint32_t **ids = outer ? &d->ids : &kept.ids;
		struct expr ***exprs = outer ? &d->exprs : &kept.exprs;

		if (!expr)
			return NULL;
		*ids = list_room(arena, *ids, *count, sizeof(uint32_t));
		*exprs = list_room(arena, *exprs, *count, sizeof(struct expr *));
		(*ids)[*count] = node->extend.ids[i];
		(*exprs)[(*count)++] = expr;
	}
	extender_apply(&kept, &tree);
	return tree;
}

/* Reads outer columns and some of the `count` keys, nothing else. */
static bool reads_keys_only(
	const struct decorrelator *d, const struct expr *expr, uint32_t count, const uint32_t *keys)
{
	if (expr->kind == EXPR_COLUMN)
		return is_outer(d, expr->column) || expr_reads_only(expr, count, keys);
	for (uint32_t i = 0; i < expr->arg_count; i++)
		if (!reads_keys_only(d, expr->args[i], count, keys))
			return false;
	return true;
}

/* inner = outer: the inner side, and the test with a column in its place. False for other tests. */
static bool match_equality(
	struct decorrelator *d, struct expr *conjunct, struct expr **inner, struct expr **outer)
{
	if (conjunct->kind != EXPR_CALL ||
		(conjunct->function != FN_EQ && conjunct->function != FN_NOT_DISTINCT))
		return false;
	for (int swap = 0; swap < 2; swap++) {
		*inner = conjunct->args[swap];
		*outer = conjunct->args[1 - swap];
		if (!reads_outer(d, *inner) && !reads_inner(d, *outer))
			return true;
	}
	return false;
}

/*
 * Makes the conditions from number `first` on pass a node that treats rows together by these keys:
 * adds the keys that they need. The list of keys is a new one afterwards.
 */
static int lift(struct decorrelator *d, uint32_t first, struct logical *node, uint32_t *count,
	uint32_t **keys)
{
	struct arena *arena = d->binder->arena;
	struct extender extender = {.binder = d->binder};
	uint32_t *all = NULL, all_count = 0;

	for (uint32_t i = 0; i < *count; i++) {
		all = list_room(arena, all, all_count, sizeof(uint32_t));
		all[all_count++] = (*keys)[i];
	}
	for (uint32_t i = first; i < d->on.count; i++) {
		struct expr *conjunct = d->on.conjuncts[i], *sides[2];
		uint32_t key;
		bool repeated = false;

		if (reads_keys_only(d, conjunct, all_count, all))
			continue;
		if (!match_equality(d, conjunct, &sides[0], &sides[1])) {
			refuse(d);
			return -1;
		}
		key = extender_id(&extender, sides[0], "key");
		for (uint32_t j = 0; j < all_count; j++)
			repeated = repeated || all[j] == key;
		if (!repeated) {
			all = list_room(arena, all, all_count, sizeof(uint32_t));
			all[all_count++] = key;
		}
		sides[0] = binder_column_expr(d->binder, key, conjunct->location);
		d->on.conjuncts[i] = make_call(d->binder, conjunct->function, conjunct->type, 2,
			sides, conjunct->location);
	}
	extender_apply(&extender, &node->inputs[0]);
	*count = all_count;
	*keys = all;
	return 0;
}

/* For one outer row its columns are constants: they tell no rows apart, and sort none. */
static void drop_foreign(const struct decorrelator *d, uint32_t *count, uint32_t **ids)
{
	uint32_t kept = 0;
	uint32_t *list = arena_alloc(d->binder->arena, (*count + 1) * sizeof(uint32_t));

	for (uint32_t i = 0; i < *count; i++)
		if (!is_foreign(d, (*ids)[i]))
			list[kept++] = (*ids)[i];
	*count = kept;
	*ids = list;
}

static void drop_foreign_sort(
	const struct decorrelator *d, uint32_t *count, struct plan_sort_key **sort)
{
	uint32_t kept = 0;
	struct plan_sort_key *list = arena_alloc(d->binder->arena, (*count + 1) * sizeof(*list));

	for (uint32_t i = 0; i < *count; i++)
		if (!is_foreign(d, (*sort)[i].column))
			list[kept++] = (*sort)[i];
	*count = kept;
	*sort = list;
}

static struct logical *release_group(struct decorrelator *d, struct logical *node, uint32_t first)
{
	struct logical_group *group = &node->group;
	struct extender extender = {.binder = d->binder};
	bool has_keys = group->key_count > 0;

	if (aggregates_foreign(d, group))
		return refuse(d);
	drop_foreign(d, &group->key_count, &group->keys);
	if (lift(d, first, node, &group->key_count, &group->keys) < 0)
		return NULL;
	/* Without any key there would be a group of no rows. */
	if (has_keys && group->key_count == 0) {
		group->keys = arena_alloc(d->binder->arena, sizeof(uint32_t));
		group->keys[group->key_count++] =
			extender_id(&extender, boolean(d->binder, true, false), "key");
		extender_apply(&extender, &node->inputs[0]);
	}
	return node;
}

/* Whether a frame is bounded by the value of the sort key. */
static bool has_value_frame(const struct logical_window *window)
{
	for (uint32_t i = 0; i < window->call_count; i++) {
		const struct plan_frame *frame = &window->calls[i].frame;

		if (frame->mode == FRAME_RANGE && (frame->start.kind == FRAME_PRECEDING ||
							  frame->start.kind == FRAME_FOLLOWING ||
							  frame->end.kind == FRAME_PRECEDING ||
							  frame->end.kind == FRAME_FOLLOWING))
			return true;
	}
	return false;
}

static struct logical *release_window(struct decorrelator *d, struct logical *node, uint32_t first)
{
	struct logical_window *window = &node->window;

	if (calls_foreign(d, window) ||
		(sort_foreign(d, window->sort_count, window->sort) && has_value_frame(window)))
		return refuse(d);
	drop_foreign(d, &window->partition_count, &window->partition);
	drop_foreign_sort(d, &window->sort_count, &window->sort);
	if (lift(d, first, node, &window->partition_count, &window->partition) < 0)
		return NULL;
	return node;
}

static struct logical *release_top(struct decorrelator *d, struct logical *node, uint32_t first)
{
	struct logical_top *top = &node->top;

	drop_foreign(d, &top->partition_count, &top->partition);
	drop_foreign_sort(d, &top->sort_count, &top->sort);
	if (lift(d, first, node, &top->partition_count, &top->partition) < 0)
		return NULL;
	return node;
}

/* A side of a join from which nothing may go up. */
static struct logical *release_closed(struct decorrelator *d, struct logical *node)
{
	if (tree_reads_outer(d, node))
		return refuse(d);
	return node;
}

static struct logical *release_join(struct decorrelator *d, struct logical *node)
{
	struct logical_join *join = &node->join;

	node->inputs[0] = join->kind == JOIN_FULL ? release_closed(d, node->inputs[0])
						  : release(d, node->inputs[0]);
	if (!node->inputs[0])
		return NULL;
	node->inputs[1] = join->kind == JOIN_INNER ? release(d, node->inputs[1])
						   : release_closed(d, node->inputs[1]);
	if (!node->inputs[1])
		return NULL;
	if (join->kind == JOIN_INNER)
		return release_conjuncts(d, &join->on) < 0 ? NULL : node;
	for (uint32_t i = 0; i < join->on.count; i++) {
		join->on.conjuncts[i] = substitute(d, join->on.conjuncts[i]);
		if (!join->on.conjuncts[i])
			return NULL;
		if (reads_outer(d, join->on.conjuncts[i]))
			return refuse(d);
	}
	if (any_foreign(d, join->key_count, join->keys[0]))
		return refuse(d);
	return node;
}

static struct logical *release_unnest(struct decorrelator *d, struct logical *node)
{
	for (uint32_t i = 0; i < node->unnest.count; i++) {
		node->unnest.lists[i] = substitute(d, node->unnest.lists[i]);
		if (!node->unnest.lists[i])
			return NULL;
		if (reads_outer(d, node->unnest.lists[i]))
			return refuse(d);
	}
	return node;
}

/* `node` without outer columns, over inputs that have been freed of them. */
static struct logical *release_node(struct decorrelator *d, struct logical *node, uint32_t first)
{
	switch (node->kind) {
	case LOGICAL_FILTER:
		if (release_conjuncts(d, &node->filter) < 0)
			return NULL;
		return node->filter.count ? node : node->inputs[0];
	case LOGICAL_EXTEND: return release_extend(d, node);
	case LOGICAL_GROUP:
		if (node->group.key_count == 0 && d->on.count > first)
			return refuse(d);
		return release_group(d, node, first);
	case LOGICAL_WINDOW: return release_window(d, node, first);
	case LOGICAL_TOP: return release_top(d, node, first);
	case LOGICAL_UNNEST: return release_unnest(d, node);
	case LOGICAL_UNION:
	case LOGICAL_RECURSION:
	case LOGICAL_ROUND:
	case LOGICAL_JOIN:
	case LOGICAL_SCAN:
	case LOGICAL_REFERENCE:
	case LOGICAL_ONE_ROW: break;
	}
	return node;
}

static struct logical *release(struct decorrelator *d, struct logical *node)
{
	uint32_t first = d->on.count;
	struct logical *result;

	if (node->kind == LOGICAL_UNION || node->kind == LOGICAL_RECURSION)
		return release_closed(d, node);
	if (node->kind == LOGICAL_JOIN) {
		result = release_join(d, node);
	} else {
		for (uint32_t i = 0; i < node->input_count; i++) {
			node->inputs[i] = release(d, node->inputs[i]);
			if (!node->inputs[i])
				return NULL;
		}
		result = release_node(d, node, first);
	}
	if (result == node)
		logical_set_columns(d->binder->arena, node);
	return result;
}

static void decorrelator_init(
	struct decorrelator *d, struct binder *b, const struct logical *tree, int32_t location)
{
	*d = (struct decorrelator){.binder = b, .location = location, .known = b->columns->count};
	if (b->makers_room < d->known) {
		b->makers_room = 2 * d->known;
		b->makers = arena_zalloc(b->arena, b->makers_room * sizeof(uint32_t));
	}
	d->makers = b->makers;
	d->self = ++b->subquery_count;
	mark_made(d, tree);
}

static bool is_correlated(const struct decorrelator *d, const struct bound_select *select)
{
	for (uint32_t i = 0; i < select->output_count; i++)
		if (is_outer(d, select->outputs[i].id))
			return true;
	return tree_reads_outer(d, select->tree);
}

bool select_is_correlated(struct binder *b, const struct bound_select *select)
{
	struct decorrelator d;

	decorrelator_init(&d, b, select->tree, -1);
	return is_correlated(&d, select);
}

static int substitute_list(
	struct binder *b, uint32_t count, struct expr **exprs, const struct logical_extend *extend)
{
	for (uint32_t i = 0; i < count; i++) {
		exprs[i] =
			substitute_checked(b, exprs[i], extend->count, extend->ids, extend->exprs);
		if (!exprs[i])
			return -1;
	}
	return 0;
}

/*
 * The aggregate without GROUP BY from which the subquery's one row comes, and what the nodes above
 * it do to that row; NULL, and no change to `out`, when there is none.
 */
static int find_single_group(
	struct binder *b, struct logical *tree, struct subquery *out, struct logical **group)
{
	struct subquery above = *out;
	struct logical *node = tree;

	above.outputs = arena_alloc(b->arena, (out->output_count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < out->output_count; i++)
		above.outputs[i] = out->outputs[i];
	for (; node->kind != LOGICAL_GROUP; node = node->inputs[0]) {
		const struct logical_extend *extend = &node->extend;

		if (node->kind == LOGICAL_FILTER) {
			for (uint32_t i = 0; i < node->filter.count; i++)
				conjuncts_add(
					b->arena, &above.condition, node->filter.conjuncts[i]);
		} else if (node->kind == LOGICAL_EXTEND) {
			if (substitute_list(b, above.output_count, above.outputs, extend) < 0 ||
				substitute_list(b, above.condition.count, above.condition.conjuncts,
					extend) < 0)
				return -1;
		} else if (node->kind != LOGICAL_TOP || node->top.limit == 0 ||
			   node->top.offset > 0) {
			return 0;
		}
	}
	if (node->group.key_count)
		return 0;
	*out = above;
	*group = node;
	return 0;
}

/* Over no rows count() is 0, and every other aggregate is the NULL that the outer join gives. */
static void count_from_zero(
	struct binder *b, const struct logical_group *group, struct subquery *out)
{
	struct value zero = {.type = type_of(TYPE_BIGINT)};
	struct extender counts = {.binder = b};

	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct logical_aggregate *aggregate = &group->aggregates[i];
		struct expr *args[2], *expr;

		if (aggregate->id != AGG_COUNT && aggregate->id != AGG_COUNT_STAR)
			continue;
		args[0] = binder_column_expr(b, aggregate->output, -1);
		args[1] = expr_constant(b->arena, &zero);
		expr = make_node(b, EXPR_COALESCE, 2, args, -1);
		expr->type = zero.type;
		extender_add(&counts, aggregate->output, expr);
	}
	for (uint32_t i = 0; i < out->output_count; i++)
		out->outputs[i] = expr_substitute(
			b->arena, out->outputs[i], counts.count, counts.ids, counts.exprs);
	for (uint32_t i = 0; i < out->condition.count; i++)
		out->condition.conjuncts[i] = expr_substitute(b->arena, out->condition.conjuncts[i],
			counts.count, counts.ids, counts.exprs);
}

static int release_single_group(struct decorrelator *d, struct logical *group, struct subquery *out)
{
	group->inputs[0] = release(d, group->inputs[0]);
	if (!group->inputs[0] || !release_group(d, group, 0))
		return -1;
	logical_set_columns(d->binder->arena, group);
	out->tree = group;
	out->on = d->on;
	return 0;
}

static int release_tree(struct decorrelator *d, struct logical *tree, struct subquery *out)
{
	out->tree = release(d, tree);
	if (!out->tree)
		return -1;
	out->on = d->on;
	for (uint32_t i = 0; i < out->output_count; i++) {
		out->outputs[i] = substitute(d, out->outputs[i]);
		if (!out->outputs[i])
			return -1;
	}
	return 0;
}

/* The one row of an aggregate without GROUP BY, or any rows. */
static int decorrelate_tree(struct decorrelator *d, const struct bound_select *select, bool general,
	struct subquery *out)
{
	struct binder *b = d->binder;
	struct logical *group = NULL;
	int result;

	*out = (struct subquery){.output_count = select->output_count};
	out->outputs = arena_alloc(b->arena, (select->output_count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < select->output_count; i++)
		out->outputs[i] = binder_column_expr(b, select->outputs[i].id, d->location);
	if (find_single_group(b, select->tree, out, &group) < 0)
		return -1;
	if (general)
		result = depend_on_domain(d, group, select, out);
	else if (group)
		result = release_single_group(d, group, out);
	else
		result = release_tree(d, select->tree, out);
	if (result < 0 || !group)
		return result;
	out->one_row = true;
	count_from_zero(b, &group->group, out);
	return 0;
}

int decorrelate(
	struct binder *b, const struct bound_select *select, int32_t location, struct subquery *out)
{
	struct bound_select copy = *select;
	struct decorrelator d;

	decorrelator_init(&d, b, select->tree, location);
	if (!is_correlated(&d, select)) {
		*out = (struct subquery){
			.tree = select->tree, .output_count = select->output_count};
		out->outputs =
			arena_alloc(b->arena, (select->output_count + 1) * sizeof(struct expr *));
		for (uint32_t i = 0; i < select->output_count; i++)
			out->outputs[i] = binder_column_expr(b, select->outputs[i].id, location);
		return 0;
	}
	copy.tree = tree_copy(b->arena, b->columns, select->tree);
	if (decorrelate_tree(&d, &copy, false, out) == 0)
		return 0;
	if (!d.refused)
		return -1;
	decorrelator_init(&d, b, select->tree, location);
	return decorrelate_tree(&d, select, true, out);
}
