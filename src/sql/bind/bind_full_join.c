/* FULL JOIN under a condition that asks for no equality of its sides. */
#include "sql/bind/bind_from_private.h"

/* A column that is the same in all rows of a tree. */
static struct expr *add_constant(struct binder *b, struct logical **tree)
{
	struct extender extender = {.binder = b};
	uint32_t id = binder_column(b, "all", type_of(TYPE_BOOL));

	extender_add(&extender, id, boolean(b, true, false));
	extender_apply(&extender, tree);
	return binder_column_expr(b, id, -1);
}

/* FULL JOIN meets by hash: where nothing must be equal, all rows are of one key. */
int full_join_keys(
	struct binder *b, struct logical_join *join, struct item *left, struct item *right)
{
	struct expr *keys[2];

	for (uint32_t i = 0; i < join->on.count; i++)
		if (expr_is_join_key(
			    join->on.conjuncts[i], left->tree, right->tree, &keys[0], &keys[1]))
			return 0;
	keys[0] = add_constant(b, &left->tree);
	keys[1] = add_constant(b, &right->tree);
	keys[0] = bind_comparison(b, FN_EQ, "=", keys[0], keys[1], -1);
	if (!keys[0])
		return -1;
	conjuncts_add(b->arena, &join->on, keys[0]);
	return 0;
}
