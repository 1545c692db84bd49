/*
 * WITH: what is computed once and read in several places.
 *
 * The first reference to a CTE binds it. If it only scans, filters and computes, every further
 * reference binds it again: the scan is shared anyway, and each place can push its own filters into
 * it. So it is with one that reads columns of a query around. Anything more expensive becomes a shared tree with a reference to it in every place; rewrite.c puts
 * the tree back where there turns out to be only one.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

int declare_ctes(struct binder *b, const struct scope *outer, const struct ast_select *select)
{
	const struct binder_cte *outside = b->ctes;
	struct binder_cte *ctes = arena_zalloc(b->arena, (select->cte_count + 1) * sizeof(*ctes));

	for (uint32_t i = 0; i < select->cte_count; i++) {
		struct binder_cte *cte = &ctes[i];

		for (const struct binder_cte *other = b->ctes; other != outside;
			other = other->next)
			if (strcmp(other->ast->name, select->ctes[i].name) == 0)
				return bind_error(b, select->ctes[i].location,
					"WITH query name \"%s\" specified more than once",
					select->ctes[i].name);
		*cte = (struct binder_cte){
			.ast = &select->ctes[i],
			.outer = outer,
			.bound = arena_zalloc(b->arena, sizeof(struct cte_tree)),
			.next = b->ctes,
			.visible = b->ctes,
			.with = select,
		};
		b->ctes = cte;
	}
	/* With RECURSIVE, all of them know each other. */
	for (uint32_t i = 0; i < select->cte_count; i++)
		if (select->ctes[i].recursive)
			ctes[i].visible = b->ctes;
	return 0;
}

static bool is_cheap(const struct logical *tree)
{
	while (tree->kind == LOGICAL_FILTER || tree->kind == LOGICAL_EXTEND)
		tree = tree->inputs[0];
	return tree->kind == LOGICAL_SCAN || tree->kind == LOGICAL_ONE_ROW;
}

/* Whether it is one of the WITH in front of a recursive query itself. */
static bool declared_by_a_recursion(const struct binding_cte *binding)
{
	for (const struct binding_cte *outer = binding->outer; outer; outer = outer->outer)
		if (outer->cte->ast->select == binding->cte->with)
			return true;
	return false;
}

static int bind_tree(struct binder *b, const struct binder_cte *cte, struct bound_select *out)
{
	const struct binder_cte *visible = b->ctes;
	const struct recursion_bar bar = {"a subquery", b->bars};
	struct binding_cte binding = {.cte = cte, .outer = b->binding};
	const struct sql_source *source = b->source;
	int result;

	b->ctes = cte->visible;
	b->source = cte->ast->source ? cte->ast->source : source;
	b->binding = &binding;
	if (declared_by_a_recursion(&binding))
		b->bars = &bar;
	if (cte->ast->recursive && cte->ast->reads_itself)
		result = bind_recursion(b, &binding, out);
	else
		result = bind_subselect(b, cte->outer, cte->ast->select, out);
	b->binding = binding.outer;
	b->bars = bar.outer;
	b->ctes = visible;
	b->source = source;
	return result;
}

static void share(struct binder *b, struct cte_tree *bound)
{
	bound->shared = arena_zalloc(b->arena, sizeof(*bound->shared));
	bound->shared->tree = bound->select.tree;
	bound->shared->index = b->shared_count;
	b->shared = list_room(b->arena, b->shared, b->shared_count, sizeof(*b->shared));
	b->shared[b->shared_count++] = bound->shared;
}

/* A column of the shared tree, and the text that it is shown as. */
static void add_source(
	struct binder *b, struct logical *node, bool first, const struct logical_output *output)
{
	struct logical_column column = b->columns->list[output->id];
	uint32_t id = first ? output->id : binder_column(b, output->name, column.type);

	node->reference.sources[node->column_count] = output->id;
	logical_add_column(b->arena, node, id);
	if (column.written == PLAN_NONE ||
		!logical_has_column(node->reference.shared->tree, column.written))
		return;
	node->reference.sources[node->column_count] = column.written;
	if (!first)
		b->columns->list[id].written = binder_column(b, output->name, type_of(TYPE_TEXT));
	logical_add_column(b->arena, node, b->columns->list[id].written);
}

/*
 * The first reference keeps the ids of the tree, so that it can be replaced by the tree; the others
 * have their own, because both sides of a join may be references to one CTE.
 */
static void refer(struct binder *b, const struct cte_tree *bound, struct bound_select *out)
{
	struct logical *node = logical_new(b->arena, LOGICAL_REFERENCE, 0);
	bool first = bound->shared->references++ == 0;
	uint32_t count = bound->select.output_count;

	node->reference.shared = bound->shared;
	node->reference.sources = arena_alloc(b->arena, (2 * count + 1) * sizeof(uint32_t));
	out->tree = node;
	out->output_count = count;
	out->outputs = arena_alloc(b->arena, (count + 1) * sizeof(*out->outputs));
	for (uint32_t i = 0; i < count; i++) {
		const struct logical_output *output = &bound->select.outputs[i];
		uint32_t known = 0;

		while (known < node->column_count && node->reference.sources[known] != output->id)
			known++;
		if (known == node->column_count)
			add_source(b, node, first, output);
		out->outputs[i] =
			(struct logical_output){.name = output->name, .id = node->columns[known]};
	}
}

int bind_cte(
	struct binder *b, const struct binder_cte *cte, int32_t location, struct bound_select *out)
{
	struct cte_tree *bound = cte->bound;

	for (const struct binding_cte *binding = b->binding; binding; binding = binding->outer)
		if (binding->cte == cte)
			return bind_self(b, cte, location, out);
	if (!bound->shared) {
		if (bind_tree(b, cte, &bound->select) < 0)
			return -1;
		if (is_cheap(bound->select.tree) || select_is_correlated(b, &bound->select)) {
			*out = bound->select;
			return 0;
		}
		share(b, bound);
	}
	if (binder_check_size(b, cte->ast->location) < 0)
		return -1;
	refer(b, bound, out);
	return 0;
}
