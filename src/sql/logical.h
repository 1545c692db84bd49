/*
 * The logical tree: what a query means, before it is cut into fragments.
 *
 * Every column that is read or computed anywhere in a query has an id of its own, and the
 * expressions in this tree refer to ids, not to positions: expr->column is an id. So a filter can
 * move through the tree unchanged, and a column keeps its id through filters, joins and windows.
 * fragment.c turns ids into positions, once the tree has its final shape.
 */
#ifndef SQL_LOGICAL_H
#define SQL_LOGICAL_H

#include "column/schema.h"
#include "plan/plan.h"

/* A CTE that is cheap is planned once a reference: a small text can mean a huge tree. */
#define LOGICAL_NODES_MAX   5000
#define LOGICAL_COLUMNS_MAX 100000

struct logical_column {
	const char *name;
	struct type type;
	/* A bare NULL or quoted literal in a select list, whose type is still to be found; or NULL.
	 */
	const struct expr *literal;
	/* The column with the text of its values as it stands in the files; PLAN_NONE: they print so. */
	uint32_t written;
	const struct column_statistics *statistics; /* of the values where it comes from; or NULL */
	double met; /* of a mark: the share of rows that have it; 0: unknown */
};

/* All columns of a query; ids are indexes. */
struct logical_columns {
	uint32_t count;
	struct logical_column *list;
};

enum logical_kind {
	LOGICAL_SCAN,
	LOGICAL_ONE_ROW,
	LOGICAL_FILTER,
	LOGICAL_EXTEND, /* the input's columns and some computed ones */
	LOGICAL_GROUP,
	LOGICAL_WINDOW, /* the input's columns and one per function */
	LOGICAL_TOP,
	LOGICAL_JOIN,
	LOGICAL_UNNEST,	   /* the input's columns and an item of each list */
	LOGICAL_UNION,	   /* of all inputs, duplicates kept */
	LOGICAL_REFERENCE, /* to a tree that several places read, see struct logical_shared */
	LOGICAL_RECURSION, /* WITH RECURSIVE: input 0 is where it starts, input 1 its recursive term */
	LOGICAL_ROUND,	   /* in a recursive term: the rows that were made last */
};

/*
 * A CTE that more than one place reads is computed once, and every place has a reference to it. No
 * filter goes through a reference, and each of them has column ids of its own.
 */
struct logical_shared {
	struct logical *tree;
	uint32_t references;
	bool rewritten;
	double rows; /* the estimate, once it was needed: trees of references fan out */
	double share;
	double weight;
	int8_t sized;	  /* the same for product.c: 1 yes, -1 no */
	int8_t sampled;	  /* and for fragment.c */
	int8_t recursive; /* 1: it has a LOGICAL_ROUND whose recursion is around it, -1: none */
	bool needed;	  /* some reference is left; set while columns are pruned */
	uint32_t wanted_count;
	uint32_t *wanted; /* columns of the tree that some reference needs */
	uint32_t index;	  /* among those of the query */
};

struct logical_reference {
	struct logical_shared *shared;
	uint32_t *sources; /* sources[i] is the shared tree's column that is columns[i] */
};

struct logical_scan {
	uint32_t table;	   /* in the catalog */
	uint32_t *sources; /* sources[i] is the table's column that is columns[i] */
};

struct logical_filter {
	uint32_t count;
	struct expr **conjuncts;
};

struct logical_extend {
	uint32_t count;
	uint32_t *ids;
	struct expr **exprs; /* over the input's columns only */
};

struct logical_aggregate {
	enum aggregate_id id;
	bool distinct;
	uint32_t arg;	 /* column id; PLAN_NONE for count(*) */
	uint32_t arg2;	 /* PLAN_NONE where there is one argument */
	uint32_t filter; /* PLAN_NONE when there is none */
	uint32_t sort_count;
	struct plan_sort_key *sort; /* column ids */
	double fraction;
	uint32_t output; /* column id */
};

struct logical_group {
	uint32_t key_count;
	uint32_t *keys;
	uint32_t aggregate_count;
	struct logical_aggregate *aggregates;
};

/* Sort keys and partitions are column ids. */
struct logical_window {
	uint32_t partition_count;
	uint32_t *partition;
	uint32_t sort_count;
	struct plan_sort_key *sort;
	uint32_t call_count;
	struct plan_window_call *calls; /* with column ids for columns */
	uint32_t *outputs;
};

struct logical_top {
	uint32_t partition_count;
	uint32_t *partition;
	uint32_t sort_count;
	struct plan_sort_key *sort;
	uint64_t limit;
	uint64_t offset;
	/* Only drops rows that the window above it would make another filter drop. */
	bool prefilter;
};

/* Input 0 flows, input 1 is built. The rewriter splits `on` into keys and the rest. */
struct logical_join {
	enum join_kind kind;
	struct logical_filter on; /* what is left of it; not for JOIN_MARK */
	uint32_t key_count;
	uint32_t *keys[2]; /* column ids, of input 0 and of input 1 */
	uint32_t mark;	   /* column id, JOIN_MARK, JOIN_EXISTS and JOIN_SINGLE only */
};

struct logical_unnest {
	uint32_t count;
	/* Over the input's columns: lists, or calls of what makes rows (FN_GENERATE_SERIES). */
	struct expr **lists;
	uint32_t *items;     /* column ids */
	uint32_t ordinality; /* column id; PLAN_NONE when nobody asked for the item's number */
	bool outer;	     /* a row without any item stays */
};

struct logical_union {
	uint32_t **ids; /* ids[i][j]: the column of input i that becomes columns[j] */
};

struct logical_recursion {
	uint32_t number;  /* by which its rounds know it */
	uint32_t *ids[2]; /* ids[i][j]: the column of input i that becomes columns[j] */
	bool distinct;	  /* UNION; both inputs are, each for itself */
	uint64_t wanted;  /* as in struct plan_recursion */
};

struct logical_round {
	uint32_t number;   /* of the recursion */
	uint32_t *sources; /* sources[i] is the column of the recursion that is columns[i] */
};

struct logical {
	enum logical_kind kind;
	uint32_t input_count;
	struct logical **inputs;
	/* What it yields. After prune.c: what somebody above it needs. */
	uint32_t column_count;
	uint32_t *columns;
	union {
		struct logical_scan scan;
		struct logical_filter filter;
		struct logical_extend extend;
		struct logical_group group;
		struct logical_window window;
		struct logical_top top;
		struct logical_join join;
		struct logical_unnest unnest;
		struct logical_union united;
		struct logical_reference reference;
		struct logical_recursion recursion;
		struct logical_round round;
	};
};

struct logical_output {
	const char *name;
	uint32_t id;
	struct type meant; /* of a whole query: the type of which the column may be the text */
};

/* A query: its tree, and what of it is shown in which order. */
struct logical_query {
	struct logical *tree;
	uint32_t output_count;
	struct logical_output *outputs; /* an id may stand there twice */
	uint32_t sort_count;
	struct plan_sort_key *sort; /* column ids; may be ids that are not shown */
	uint64_t limit;
	uint64_t offset;
	/* Of the whole query only. A tree refers to none that stands behind its own. */
	uint32_t shared_count;
	struct logical_shared **shared;
};

/*
 * Room for one more item at the end of an array that was made by this function only: a copy when
 * the old place is full. `items` is NULL when `count` is 0.
 */
void *list_room(struct arena *arena, void *items, uint32_t count, size_t item_size);

uint32_t columns_add(
	struct logical_columns *columns, struct arena *arena, const char *name, struct type type);

/* Nodes. Arrays are kept, not copied; `columns` of the node are set from its inputs. */
struct logical *logical_new(struct arena *arena, enum logical_kind kind, uint32_t input_count);
/* Sets `columns` anew, where they follow from the inputs: not those of a scan or a union. */
void logical_set_columns(struct arena *arena, struct logical *node);
struct logical *logical_filter_new(
	struct arena *arena, struct logical *input, uint32_t count, struct expr **conjuncts);
struct logical *logical_extend_new(struct arena *arena, struct logical *input, uint32_t count,
	uint32_t *ids, struct expr **exprs);
struct logical *logical_group_new(
	struct arena *arena, struct logical *input, const struct logical_group *group);
struct logical *logical_join_new(struct arena *arena, struct logical *flow, struct logical *build,
	const struct logical_join *join);
struct logical *logical_top_new(
	struct arena *arena, struct logical *input, const struct logical_top *top);
struct logical *logical_unnest_new(
	struct arena *arena, struct logical *input, const struct logical_unnest *unnest);
void logical_add_column(struct arena *arena, struct logical *node, uint32_t id);
bool logical_has_column(const struct logical *node, uint32_t id);
/* Whether the rows of the recursion's rounds are read somewhere in the tree. */
bool logical_reads_round(const struct logical *tree, uint32_t number);

/* Appends the conjuncts of `expr`, ANDs taken apart. */
void conjuncts_add(struct arena *arena, struct logical_filter *list, struct expr *expr);

bool expr_reads_column(const struct expr *expr, uint32_t id);
/* Whether it reads any column at all. */
bool expr_reads_any(const struct expr *expr);
/* Whether it reads some column of the node. */
bool expr_reads_some(const struct expr *expr, const struct logical *node);
/* Whether every column that it reads is one of the `count` ids. */
bool expr_reads_only(const struct expr *expr, uint32_t count, const uint32_t *ids);
/* Nodes in the tree, counted no further than `max`. */
uint32_t expr_size(const struct expr *expr, uint32_t max);
/* A copy in which column ids[i] has become exprs[i]. */
struct expr *expr_substitute(struct arena *arena, struct expr *expr, uint32_t count,
	const uint32_t *ids, struct expr *const *exprs);

/* Whether an equality ties a value of `a` to one of `b`, and which they are. */
bool expr_is_join_key(const struct expr *conjunct, const struct logical *a, const struct logical *b,
	struct expr **a_key, struct expr **b_key);

#endif
