/* What the files of FROM share: bind_from.c and bind_lateral.c. */
#ifndef SQL_BIND_FROM_PRIVATE_H
#define SQL_BIND_FROM_PRIVATE_H

#include "sql/bind/bind_private.h"

/*
 * A FROM item: its rows and its names. One that reads what stands to its left has no rows of its
 * own: it is a step to be put on top of that (attach).
 */
struct item {
	struct logical *tree; /* NULL: one of the two below */
	struct scope scope;
	struct logical_unnest *unnest;
	struct subquery *lateral;
	struct extender computed; /* columns of one of the two, on top of what they become */
	bool with_left;		  /* the rows to its left are in the tree already */
	bool reads_before;	  /* of a join: what stands in front of a comma before it */
	uint32_t sorted_count;	  /* of a subquery: its ORDER BY */
	const struct plan_sort_key *sorted;
};

/* bind_sample.c: the rows of a scan that TABLESAMPLE takes. */
int bind_sample(struct level *level, const struct ast_from *from, const struct table_schema *schema,
	struct logical **tree);

/*
 * bind_user_rows.c: a function of the schema that yields rows; NULL when the item is none. Then what it yields, over
 * arguments that read `scope`.
 */
const struct ast_function *find_user_rows(const struct binder *b, const struct ast_from *from);
int bind_user_rows(struct level *level, const struct scope *scope, const struct ast_from *from,
	const struct ast_function *function, struct bound_select *out);

/*
 * LEFT JOIN LATERAL: every output that is not simply a column of the subquery's tree is NULL where
 * nothing meets, also one that reads the row to the left alone. So it gets a column of its own,
 * before the join's condition is bound.
 */
void make_optional(struct binder *b, struct item *item);
/* What stands to the left with an item that reads it, for an inner or a left join. */
int attach(struct binder *b, const struct item *left, struct item *right,
	const struct logical_join *join, int32_t location, struct logical **out);
/* A join that reads what stands before it, as a LATERAL subquery with the columns of its tables. */
int lateral_of_join(struct binder *b, const struct ast_from *from, struct item *item);
/* bind_full_join.c: an equality in the condition of a FULL JOIN, between what is added to its sides if need be. */
int full_join_keys(
	struct binder *b, struct logical_join *join, struct item *left, struct item *right);
/*
 * An outer join under a condition with subqueries: for every row that is kept, those of the other
 * side that the condition lets pass, as a LATERAL subquery.
 */
int join_by_subqueries(struct level *level, const struct ast_from *from, const struct item *left,
	const struct item *right, const struct logical_filter *on, struct logical **out);

#endif
