/*
 * The plan of a job: all its queries, cut into fragments.
 *
 * A fragment is one pipeline of operators. Its input 0 flows through `ops` in order, and what comes
 * out of the last one goes to every output. A map fragment reads a table (or a single empty row)
 * and can run on any chunk of it, anywhere; all others read what exchanges bring them. Further
 * inputs (1..) are build sides of the joins in `ops`, or rows for a recursion.
 *
 * An exchange carries rows from its producers to one input of one fragment and says which instance
 * of that fragment gets a row. A blocking operator (group, top, window) absorbs rows in any order
 * and emits only once its input has ended, so the result of a fragment does not depend on the
 * order of arrival. Only behind an ordered exchange there is an order to rely on.
 *
 * A query's result is what leaves the fragment whose `query` is set: it has one instance, and its
 * rows are in the order to print. The plan is read-only once made and lives in one arena.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "plan/expr.h"

#define PLAN_QUERIES_MAX 64
#define PLAN_COLUMNS_MAX 1024
#define PLAN_NONE	 UINT32_MAX
#define PLAN_LIMIT_NONE	 UINT64_MAX
#define PLAN_TERMS_MAX	 16 /* recursions in the terms of others */

struct plan;

struct plan_sort_key {
	uint32_t column;
	bool descending;
	bool nulls_first;
};

enum plan_op_kind {
	PLAN_FILTER,
	PLAN_PROJECT,
	PLAN_GROUP,
	PLAN_TOP,
	PLAN_WINDOW,
	PLAN_JOIN,
	PLAN_UNNEST,
	PLAN_RECURSION,
	PLAN_LIMIT,
};

/* Keeps the rows for which every conjunct is true. */
struct plan_filter {
	uint32_t count;
	struct expr **conjuncts;
};

/* Output column i is exprs[i]. */
struct plan_project {
	uint32_t count;
	struct expr **exprs;
};

struct plan_aggregate {
	enum aggregate_id id;
	bool distinct; /* only in GROUP_COMPLETE */
	uint32_t arg; /* input column; PLAN_NONE for count(*). In GROUP_FINAL: first state column */
	uint32_t arg2;	 /* second input column; PLAN_NONE where the aggregate has one argument */
	uint32_t filter; /* boolean input column, PLAN_NONE when there is no FILTER. Not in
			    GROUP_FINAL */
	struct type arg_type; /* of the argument, also in GROUP_FINAL */
	struct type type;     /* of the result */
	/* The ordered aggregates: by these input columns, then by the argument itself. */
	uint32_t sort_count;
	struct plan_sort_key *sort;
	double fraction; /* of a percentile, from 0 to 1 */
};

enum group_phase {
	/*
	 * Rows to states. May emit the same key more than once (it has bounded memory), and may
	 * emit at any time. Output: the keys, then the state columns of each aggregate.
	 */
	GROUP_PARTIAL,
	GROUP_FINAL,	/* states to results; blocking. Output: the keys, then the results */
	GROUP_COMPLETE, /* rows to results; blocking. Output: the keys, then the results */
};

/* Without keys, FINAL and COMPLETE emit exactly one row, also over no input. */
struct plan_group {
	enum group_phase phase;
	uint32_t key_count;
	uint32_t *keys; /* input columns */
	uint32_t aggregate_count;
	struct plan_aggregate *aggregates;
};

/*
 * For each distinct value of the partition columns, the first `limit` rows after `offset`, by the
 * sort keys and then by the full row (all columns ascending, nulls last). Blocking. Without
 * partition columns it emits in that order; without a limit it is a sort.
 */
struct plan_top {
	uint32_t partition_count;
	uint32_t *partition;
	uint32_t sort_count;
	struct plan_sort_key *sort;
	uint64_t limit;
	uint64_t offset;
};

enum window_function {
	WINDOW_ROW_NUMBER,
	WINDOW_RANK,
	WINDOW_DENSE_RANK,
	WINDOW_PERCENT_RANK, /* double */
	WINDOW_CUME_DIST,    /* double */
	WINDOW_NTILE,	     /* of .offset */
	/* The argument's value in another row of the partition, or of the frame: */
	WINDOW_LAG,
	WINDOW_LEAD,
	WINDOW_FIRST_VALUE,
	WINDOW_LAST_VALUE,
	WINDOW_NTH_VALUE,
	/* .aggregate over the frame, not distinct; of the ordered ones string_agg and array_agg */
	WINDOW_AGGREGATE,
};

enum frame_mode {
	FRAME_ROWS,
	FRAME_RANGE, /* bounds by the value of the one sort key; CURRENT ROW includes its peers */
	FRAME_GROUPS,
};

enum frame_bound_kind {
	FRAME_UNBOUNDED_PRECEDING,
	FRAME_PRECEDING,
	FRAME_CURRENT_ROW,
	FRAME_FOLLOWING,
	FRAME_UNBOUNDED_FOLLOWING,
};

struct plan_frame_bound {
	enum frame_bound_kind kind;
	/* FRAME_PRECEDING and FRAME_FOLLOWING, not negative: a bigint of rows or groups of peers;
	 * for FRAME_RANGE of the sort key's type, or an interval where that is a date or a time.
	 */
	struct value offset;
};

/* Rows that a frame leaves out although they are between its bounds. */
enum frame_exclude {
	FRAME_EXCLUDE_NOTHING,
	FRAME_EXCLUDE_CURRENT_ROW,
	FRAME_EXCLUDE_GROUP, /* the current row and its peers */
	FRAME_EXCLUDE_TIES,  /* its peers, but not itself */
};

/* SQL's default is RANGE from UNBOUNDED PRECEDING to CURRENT ROW. */
struct plan_frame {
	enum frame_mode mode;
	enum frame_exclude exclude;
	struct plan_frame_bound start;
	struct plan_frame_bound end;
};

struct plan_window_call {
	enum window_function function;
	uint32_t arg;	 /* input column; PLAN_NONE where the function has none */
	uint32_t offset; /* int or bigint input column of lag, lead, nth_value, ntile; PLAN_NONE: 1
			  */
	uint32_t fallback;		 /* lag and lead outside the partition; PLAN_NONE: NULL */
	struct plan_aggregate aggregate; /* its columns are those of the window's input */
	struct plan_frame frame;
	struct type type; /* of the result */
};

/* Appends one column per call. Ties of row_number and its like are broken by the full row.
 * Blocking. */
struct plan_window {
	uint32_t partition_count;
	uint32_t *partition;
	uint32_t sort_count;
	struct plan_sort_key *sort;
	uint32_t call_count;
	struct plan_window_call *calls;
};

enum join_kind {
	JOIN_INNER,
	JOIN_LEFT, /* the flowing side is kept */
	/*
	 * IN (SELECT ...): the flowing columns and one boolean: whether the build side has the key,
	 * NULL where SQL says so (no match, and a NULL on either side). The build side is complete
	 * in every instance.
	 */
	JOIN_MARK,
	/*
	 * Both sides are kept: build rows that nothing met come last, with NULLs for the flowing
	 * columns. It has keys, and each instance has its own part of both sides.
	 */
	JOIN_FULL,
	/* EXISTS: the flowing columns and one boolean, never NULL: whether some build row meets. */
	JOIN_EXISTS,
	/*
	 * A subquery as a value: every flowing row once, with a build row that meets or with NULLs,
	 * and one more boolean at the end: whether a second build row meets.
	 */
	JOIN_SINGLE,
};

/* Whether it yields one boolean in place of the build side's columns. */
static inline bool join_yields_mark(enum join_kind kind)
{
	return kind == JOIN_MARK || kind == JOIN_EXISTS;
}

/* Output: the flowing columns, then the build side's (or the mark). NULL keys match nothing. */
struct plan_join {
	enum join_kind kind;
	uint32_t build_input; /* index into the fragment's inputs, 1 or more */
	uint32_t key_count;   /* 0: every pair of rows meets */
	uint32_t *flow_keys;  /* same types as ... */
	uint32_t *build_keys;
	/* Over the flowing columns and then the build side's; NULL when there is none. Not for
	 * JOIN_MARK. */
	struct expr *residual;
};

enum row_source_kind {
	ROWS_OF_LIST, /* args: a list; its items */
	/* args: first, last, step; all int, all bigint, or two timestamps and an interval */
	ROWS_OF_SERIES,
};

#define ROW_SOURCE_ARGS_MAX 3

/* What rows are made of. An argument that is NULL makes none. */
struct plan_row_source {
	enum row_source_kind kind;
	uint32_t args[ROW_SOURCE_ARGS_MAX]; /* input columns; PLAN_NONE where the kind has none */
};

static inline uint32_t row_source_args(enum row_source_kind kind)
{
	return kind == ROWS_OF_SERIES ? 3 : 1;
}

/*
 * A row for every item of the row's sources: the input columns, an item of each source, and the
 * item's number (bigint, from 1) when wanted. Shorter sources are filled up with NULL, as
 * PostgreSQL's unnest(a, b) does.
 */
struct plan_unnest {
	uint32_t source_count;
	struct plan_row_source *sources;
	bool ordinality;
	bool outer; /* a row without any item stays, with NULLs */
};

/*
 * WITH RECURSIVE: passes on what flows in, then what the plan `term` makes of those rows, then what
 * it makes of the rows that it made last, until there are none. Blocking, in one instance.
 *
 * The term is a plan of its own with one query, of the columns that flow in. Table 0 of it is the
 * rows of the round before; another table is the rows that came through the fragment's input
 * `source` (1 or more), the same in every round.
 */
struct plan_recursion {
	struct plan *term;
	bool distinct;	 /* rows that were there before are left out */
	uint64_t wanted; /* it may end after a round with which there are so many rows */
};

/*
 * The first `limit` rows after `offset`, of rows that come in the order that counts. In a map fragment,
 * which sees a part of its table in order, it leaves out what nobody can need any more.
 */
struct plan_limit {
	uint64_t limit; /* PLAN_LIMIT_NONE: all */
	uint64_t offset;
};

struct plan_op {
	enum plan_op_kind kind;
	union {
		struct plan_filter filter;
		struct plan_project project;
		struct plan_group group;
		struct plan_top top;
		struct plan_window window;
		struct plan_join join;
		struct plan_unnest unnest;
		struct plan_recursion recursion;
		struct plan_limit limit;
	};
	/* What leaves the operator. Names are for explain; a name may be "". */
	uint32_t column_count;
	struct type *types;
	const char **names;
	double rows; /* that were thought to leave it, for explain; 0: unknown. Not sent */
};

enum exchange_kind {
	EXCHANGE_HASH,	    /* by the hash of the key columns */
	EXCHANGE_SINGLE,    /* all to instance 0 */
	EXCHANGE_BROADCAST, /* all to every instance */
	EXCHANGE_SPREAD,    /* any instance will do: whichever is nearest */
	/*
	 * All to instance 0, in the order of the input: file by file in the order of their names, record
	 * by record. It has one producer, a map fragment that keeps the order of its rows.
	 */
	EXCHANGE_ORDERED,
};

struct plan_exchange {
	enum exchange_kind kind;
	uint32_t key_count; /* EXCHANGE_HASH */
	uint32_t *keys;
	uint32_t consumer; /* fragment */
	uint32_t input;	   /* of the consumer */
	uint32_t column_count;
	struct type *types;
};

enum plan_input_kind {
	INPUT_TABLE,	/* .index is a table of the plan */
	INPUT_ONE_ROW,	/* one row without columns: SELECT without FROM */
	INPUT_EXCHANGE, /* .index is an exchange; it may have several producers */
};

struct plan_input {
	enum plan_input_kind kind;
	uint32_t index;
};

struct plan_fragment {
	uint32_t input_count;
	struct plan_input *inputs;
	uint32_t op_count;
	struct plan_op **ops;
	uint32_t output_count; /* exchanges that get the rows; 0 only where .query is set */
	uint32_t *outputs;
	/* Per output, which columns of the last operator it gets; NULL: every output gets all. */
	uint32_t **output_columns;
	uint32_t query; /* the query whose result this is, or PLAN_NONE */
	/* Bit per column of its table that the fragment reads; NULL unless it is a map fragment. */
	bool *table_columns_used;
	/*
	 * A map fragment may do the work of several others, on batches in which every field that
	 * they read is readable: then they need not see the batch. They are `merged` into it.
	 */
	uint32_t merged_into; /* PLAN_NONE when it is not */
	uint32_t merged_count;
	uint32_t *merged;
	double table_rows; /* that were thought to be in its table, for explain; 0: unknown. Not sent */
};

/* A column that some query needs. The batch that a scan yields has these, in this order. */
struct plan_table_column {
	const char *name; /* as in the header of the files */
	struct type type;
};

struct plan_table {
	const char *name;
	uint32_t source; /* index of the table in the catalog; see plan_recursion for its tables */
	uint32_t column_count;
	struct plan_table_column *columns;
};

struct plan_query {
	const char *name;  /* "q1"; "" for SQL from the command line */
	const char *title; /* "" when there is none */
	uint32_t column_count;
	const char **names;
	struct type *types;
	/*
	 * What a column means that is shown as it stands in its files, as text; of others their type.
	 * NULL: all are of their type.
	 */
	struct type *meant;
	const char *warning; /* to whoever asks, before it runs; NULL: none. Not sent */
};

static inline enum type_kind plan_query_meant(const struct plan_query *query, uint32_t column)
{
	return (query->meant ? query->meant : query->types)[column].kind;
}

/* Fragments come in an order in which producers stand before their consumers. */
struct plan {
	uint32_t table_count;
	struct plan_table *tables;
	uint32_t fragment_count;
	struct plan_fragment *fragments;
	uint32_t exchange_count;
	struct plan_exchange *exchanges;
	uint32_t query_count;
	struct plan_query *queries;
};

static inline bool plan_fragment_is_map(const struct plan_fragment *fragment)
{
	return fragment->inputs[0].kind != INPUT_EXCHANGE;
}

#endif
