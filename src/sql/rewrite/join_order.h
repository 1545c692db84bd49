/*
 * In which order relations are joined: by what every set of them is thought to yield, and no further
 * knowledge of what they are.
 */
#ifndef SQL_REWRITE_JOIN_ORDER_H
#define SQL_REWRITE_JOIN_ORDER_H

#include "sql/rewrite/estimate.h"

#define JOIN_RELATIONS_MAX 64

/* A set of relations: a bit for each. */
typedef uint64_t join_set;

/* Values of different relations that are equal: a key of every join that brings two of them together. */
struct join_class {
	uint32_t count;
	struct join_member {
		struct expr *expr;
		uint32_t relation;
		double distinct; /* 0: unknown */
	} * members;
};

/* Another condition, on several relations. */
struct join_condition {
	join_set relations;
	double share;
};

struct join_graph {
	uint32_t count; /* of relations, 2 to JOIN_RELATIONS_MAX */
	const struct estimate *relations;
	uint32_t class_count;
	const struct join_class *classes;
	uint32_t condition_count;
	const struct join_condition *conditions;
};

/* A join of what two earlier steps have made, or of relations. */
struct join_step {
	join_set sides[2];
};

/* The member of the class in a set, the first one; NULL when there is none. */
const struct join_member *join_class_member(const struct join_class *class, join_set set);

/* Fills `steps`, which has room for as many as there are relations but one. */
void join_order(const struct join_graph *graph, struct arena *arena, struct join_step *steps);

#endif
