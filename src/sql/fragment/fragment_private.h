/*
 * A plan while it is made. Fragments are drafts that grow at their end; a flow is such an end: the
 * rows that leave a draft so far.
 */
#ifndef SQL_FRAGMENT_PRIVATE_H
#define SQL_FRAGMENT_PRIVATE_H

#include "sql/fragment/fragment.h"

/* One column of a flow. `id` is PLAN_NONE for what no expression asks for: states, fillers. */
struct flow_column {
	uint32_t id;
	struct type type;
	const char *name;
};

struct flow {
	uint32_t fragment;
	uint32_t count;
	struct flow_column *columns;
};

struct fragment_build {
	uint32_t input_count;
	struct plan_input *inputs;
	uint32_t op_count;
	struct plan_op **ops;
	uint32_t output_count;
	uint32_t *outputs;
	uint32_t query;
	bool *table_columns_used;
	bool single;	   /* it has one instance: input 0 comes from EXCHANGE_SINGLE */
	double table_rows; /* as in struct plan_fragment */
	bool holds;	   /* it only holds the rows of a shared flow until all of them have come */
};

struct fragmenter {
	struct arena *arena;
	const struct catalog *catalog;
	struct plan *plan; /* its tables are made; exchanges grow */
	uint32_t fragment_build_count;
	struct fragment_build *drafts;
	/* Of the query that is being cut: */
	const struct logical_columns *columns;
	uint32_t *positions; /* by column id: where it is in the flow at hand */
	uint32_t shared_count;
	struct flow *shared; /* by index of the shared tree; no columns until it is cut */
	/*
	 * Of the term of a recursion, which is a plan of its own: who cuts what is around it, the
	 * recursion's number, and the rows from there that the term reads. They are the tables of its
	 * plan from number 1 on.
	 */
	struct fragmenter *around;
	uint32_t recursion;
	struct flow *brought;
	const uint32_t *round; /* the columns of table 0 */
};

/* draft.c */
uint32_t fragment_build_new(struct fragmenter *f, enum plan_input_kind kind, uint32_t index);
struct fragment_build *flow_draft(struct fragmenter *f, const struct flow *flow);
/* It flows out of a map fragment. */
bool flow_is_map(struct fragmenter *f, const struct flow *flow);
/* Its fragment must get all its rows before joins can start: they belong into another one. */
bool flow_cannot_join(struct fragmenter *f, const struct flow *flow);

/* Appends an operator; it yields the flow's columns as they are at that moment. */
struct plan_op *flow_append(struct fragmenter *f, const struct flow *flow, enum plan_op_kind kind);
void flow_add_column(
	struct fragmenter *f, struct flow *flow, uint32_t id, struct type type, const char *name);
void flow_add_id(struct fragmenter *f, struct flow *flow, uint32_t id);
uint32_t flow_position(const struct flow *flow, uint32_t id);
uint32_t *flow_positions(
	struct fragmenter *f, const struct flow *flow, uint32_t count, const uint32_t *ids);
struct plan_sort_key *flow_sort_keys(struct fragmenter *f, const struct flow *flow, uint32_t count,
	const struct plan_sort_key *sort);
/* A copy of the expression with positions in this flow for ids. */
struct expr *flow_expr(struct fragmenter *f, const struct flow *flow, const struct expr *expr);

/* A projection that yields the flow's columns; one with the last operator if that was one, too. */
void flow_append_project(
	struct fragmenter *f, struct flow *flow, uint32_t count, struct expr **exprs);
/* A projection to exactly these columns, unless the flow is just that. */
void flow_project(struct fragmenter *f, struct flow *flow, uint32_t count, const uint32_t *ids);
/* The same, but only if it gets rid of something; at least one column is left. */
void flow_narrow(struct fragmenter *f, struct flow *flow, uint32_t count, const uint32_t *ids);

/* A new exchange out of the flow, to no one yet. `keys` are positions in the flow. */
uint32_t exchange_new(struct fragmenter *f, const struct flow *flow, enum exchange_kind kind,
	uint32_t key_count, uint32_t *keys);
/* One more flow, of the same columns, goes into the exchange. */
void exchange_add(struct fragmenter *f, uint32_t exchange, const struct flow *flow);
/* Makes the exchange the next input of a fragment. Returns the input's index. */
uint32_t exchange_connect(struct fragmenter *f, uint32_t exchange, uint32_t fragment);
/* Ends the flow's fragment with an exchange and goes on in a new one. */
void flow_exchange(struct fragmenter *f, struct flow *flow, enum exchange_kind kind,
	uint32_t key_count, uint32_t *keys);

/* cut_top.c: the best of all rows, in order: the best of every share first when there is a limit. */
void flow_top(struct fragmenter *f, struct flow *flow, uint32_t sort_count,
	struct plan_sort_key *sort, uint64_t limit, uint64_t offset);
/* The same for every value of the partition. */
void flow_top_partitions(struct fragmenter *f, struct flow *flow, const struct logical_top *top);
/* The rows of a map fragment as they come. The limit is set in the end, and for every share before. */
void flow_in_order(struct fragmenter *f, struct flow *flow, uint64_t limit, uint64_t offset);

/* Whether there are statistics of all tables below. */
bool fragment_is_sampled(const struct fragmenter *f, const struct logical *node);

/* Fills plan->fragments from the drafts. */
void fragment_finish(struct fragmenter *f);

/* cut_recursion.c */
struct flow cut_recursion(struct fragmenter *f, const struct logical *node);
/* In a term: the rows of the round before. */
struct flow cut_round(struct fragmenter *f, const struct logical *node);
/* In a term: what is the same in every round comes from outside. */
struct flow cut_brought(struct fragmenter *f, const struct logical *node);
/* fragment.c, for it */
struct flow fragment_cut(struct fragmenter *f, const struct logical *node);

/* merge_maps.c: adds fragments that do the work of several map fragments of the plan. */
void merge_maps(struct plan *plan, struct arena *arena);

#endif
