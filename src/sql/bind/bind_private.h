/*
 * What the files of the binder share. Functions that make something return NULL (or -1) after they
 * have filled the binder's error.
 */
#ifndef SQL_BIND_PRIVATE_H
#define SQL_BIND_PRIVATE_H

#include "sql/bind/bind.h"

/* BETWEEN, NULLIF and CASE x use an operand twice: this bounds what nesting them can grow to. */
#define EXPR_SIZE_MAX 20000

struct scope_column {
	const char *name;
	uint32_t id;
	bool hidden; /* not one of * */
};

struct scope_table {
	const char *name;
	uint32_t column_count;
	struct scope_column *columns;
	bool optional; /* of an outer join: its columns are NULL where it has no row */
};

/* Of a function whose body is being bound: what its arguments are. */
struct scope_parameters {
	uint32_t count;
	const struct ast_parameter *list;
	struct expr *const *values;
};

/* The names that the expressions of a SELECT may use. */
struct scope {
	const struct scope *outer;		   /* of the query around this one */
	struct level *level;			   /* whose expressions these are; NULL in FROM */
	const struct scope_parameters *parameters; /* behind all columns; NULL: none */
	uint32_t table_count;
	struct scope_table *tables; /* for t.a and t.* */
	uint32_t column_count;
	struct scope_column *columns; /* for a and *: columns merged by USING stand here once */
};

struct binder_cte {
	const struct ast_cte *ast;
	const struct scope *outer;	  /* of the query around the one that declares it */
	struct cte_tree *bound;		  /* what its first reference made of it */
	const struct binder_cte *next;	  /* declared before this one, or outside */
	const struct binder_cte *visible; /* the first one that it may use itself */
	const struct ast_select *with;	  /* the query whose WITH declares it */
};

/* A place in a recursive term where PostgreSQL allows no reference to the CTE itself. */
struct recursion_bar {
	const char *place; /* "a subquery" */
	const struct recursion_bar *outer;
};

/* A CTE that is being bound, because something refers to it. */
struct binding_cte {
	const struct binder_cte *cte;
	struct binding_cte *outer; /* what was being bound before */
	/* Where it reads itself: */
	bool in_term; /* else in the part with which it starts */
	uint32_t number;
	uint32_t column_count;
	const struct logical_output *columns; /* of the recursion */
	const struct recursion_bar *bars;     /* those around its term */
	bool referenced;
};

/* A function whose body is being bound, and those that call it. */
struct function_call {
	const struct ast_function *function;
	const struct function_call *outer;
};

struct binder {
	struct arena *arena;
	const struct sql_source *source;
	const struct catalog *catalog;
	struct error *err;
	struct logical_columns *columns;
	const struct binder_cte *ctes;
	struct binding_cte *binding;	  /* the innermost one */
	const struct recursion_bar *bars; /* around what is being bound */
	uint32_t recursion_count;
	const struct function_call *calls;
	uint32_t shared_count;
	struct logical_shared **shared;
	uint32_t depth;
	uint32_t node_count;
	uint32_t random_count; /* calls of random() so far: no two have the same numbers */
	bool failed;	       /* an error that was met where none can be returned */
	struct text zone;      /* the rules of the session's time zone; size 0: UTC */
	/* decorrelate.c: which columns are the subquery's own. */
	uint32_t subquery_count;
	uint32_t makers_room;
	uint32_t *makers;
};

/* Where an expression stands; decides whether aggregates and windows may be in it. */
enum clause {
	CLAUSE_SELECT,
	CLAUSE_HAVING,
	CLAUSE_ORDER_BY,
	CLAUSE_WHERE,
	CLAUSE_ON,
	CLAUSE_GROUP_BY,
	CLAUSE_VALUES,
	CLAUSE_LIMIT,
	CLAUSE_FROM,	  /* the arguments of a function in FROM */
	CLAUSE_AGGREGATE, /* the argument of one */
	CLAUSE_FILTER,
	CLAUSE_WINDOW,		/* PARTITION BY and ORDER BY of one */
	CLAUSE_WINDOW_ARGUMENT, /* of a window function */
};

struct level_aggregate {
	enum aggregate_id id;
	bool distinct;
	struct expr *arg;    /* NULL for count(*) */
	struct expr *arg2;   /* NULL where there is one argument */
	struct expr *filter; /* NULL when there is none */
	/* Of the ordered ones: */
	uint32_t sort_count;
	struct expr **sort;
	struct plan_sort_key *sort_keys; /* the directions; columns are filled in later */
	double fraction;
	/* percentile_cont(ARRAY[...]): each is an aggregate of its own in the end; NULL ones are negative. */
	uint32_t fraction_count;
	double *fractions;
	uint32_t output;
};

/* What a window function may take: each is an expression, or NULL. */
enum window_arg {
	WINDOW_ARG,
	WINDOW_ARG2,
	WINDOW_ARG_OFFSET,
	WINDOW_ARG_FALLBACK,
	WINDOW_ARG_FILTER,
	WINDOW_ARG_COUNT,
};

struct level_window {
	enum window_function function;
	enum aggregate_id aggregate; /* of WINDOW_AGGREGATE */
	struct expr *args[WINDOW_ARG_COUNT];
	struct plan_frame frame;
	uint32_t partition_count;
	struct expr **partition;
	uint32_t sort_count;
	struct expr **sort;
	struct plan_sort_key *sort_keys; /* the directions; columns are filled in later */
	uint32_t output;
	bool placed;
};

/* A subquery: becomes a join, where a column that it yields is first needed. */
struct level_mark {
	enum join_kind kind;
	struct logical *tree;
	struct logical_filter on; /* what ties the tree's rows to this query's */
	struct expr *left;	  /* JOIN_MARK: what is looked for ... */
	uint32_t column;	  /* ... in which column of the tree */
	uint32_t output;	  /* the column of the mark, or PLAN_NONE: those of the tree */
	struct domain *domain;	  /* of the tree, or NULL */
	bool placed;
};

/* A function in a select list that makes rows, one for each item. */
struct level_unnest {
	struct expr *list;
	uint32_t output;
	bool placed;
	bool wanted; /* while some are placed */
};

/* GROUPING(args): which of them a row is not grouped by. */
struct level_grouping {
	uint32_t count;
	struct expr **args;
	uint32_t output;
	int32_t location;
};

/* One SELECT while it is bound: what its expressions asked for beside columns. */
struct level {
	struct binder *binder;
	const struct ast_select *select;
	struct scope scope;
	struct logical *tree;
	bool numbered; /* .row_number tells the rows of the tree from each other */
	uint32_t row_number;
	/* The ORDER BY of the subquery that is all of its FROM: its rows come in that order. */
	uint32_t sorted_count;
	const struct plan_sort_key *sorted;
	bool reads_round;   /* a recursive reference stands in its FROM */
	bool full_join;	    /* whose condition is being bound: no subquery may stand in it */
	enum clause clause; /* that a subquery stands in which is being bound */
	uint32_t aggregate_count;
	struct level_aggregate *aggregates;
	uint32_t window_count;
	struct level_window *windows;
	uint32_t mark_count;
	struct level_mark *marks;
	uint32_t unnest_count;
	struct level_unnest *unnests;
	uint32_t grouping_count;
	struct level_grouping *groupings;
};

/* A select that was bound for use inside another one. */
struct bound_select {
	struct logical *tree;
	uint32_t output_count;
	struct logical_output *outputs;
	uint32_t sort_count; /* its ORDER BY, by columns of the tree */
	const struct plan_sort_key *sort;
};

/*
 * All values that the query around has for the columns which a subquery reads (dependent.c). The
 * tree of the subquery has nodes that yield them, once it is known where they come from.
 */
struct domain {
	uint32_t count;
	uint32_t *outer;      /* the columns of the query around ... */
	struct expr **params; /* ... and what they are where the subquery is placed */
	uint32_t use_count;
	struct logical **uses; /* column i of each is value i */
};

/* A subquery that reads nothing of the query around it any more: the join with it does. */
struct subquery {
	struct logical *tree;
	struct domain *domain;	  /* to be placed before the join; NULL: none */
	struct logical_filter on; /* of the join; over the tree's and the outer columns */
	uint32_t output_count;
	struct expr **outputs; /* over both */
	/*
	 * An aggregate without GROUP BY: it has a row for every outer row. The join must be an
	 * outer one, and the row is there if `condition` (over both; HAVING) is true.
	 */
	bool one_row;
	struct logical_filter condition;
};

/* A CTE that has been bound; `shared` is NULL when it is so cheap that everyone gets his own. */
struct cte_tree {
	struct bound_select select;
	struct logical_shared *shared;
};

/* binder.c */
int bind_error(struct binder *b, int32_t location, const char *format, ...) PRINTF_LIKE(3, 4);
/* Counts nodes and columns, so that a small text cannot ask for a huge plan. */
MUST_CHECK int binder_check_size(struct binder *b, int32_t location);
uint32_t binder_column(struct binder *b, const char *name, struct type type);
struct expr *binder_column_expr(struct binder *b, uint32_t id, int32_t location);
/* A name for a computed column, for whoever reads the plan: a constant's text. */
const char *constant_name(struct binder *b, const struct expr *expr, const char *otherwise);

/* coerce.c */
bool type_converts_implicitly(enum type_kind from, enum type_kind to);
/* The type that both become in a comparison, a CASE or a UNION. False when there is none. */
bool type_common(struct type a, struct type b, struct type *out);
/* `expr` as `type`, whatever it takes; folded when it is a constant. */
struct expr *coerce(struct binder *b, struct expr *expr, struct type type);
/* What value_parse said about a literal. */
void literal_error(struct binder *b, const struct expr *expr, struct type type, const char *reason);
/* CAST and ::, with the rules for what may be cast to what. */
struct expr *coerce_explicit(
	struct binder *b, struct expr *expr, struct type type, int32_t location);
/* The type that SQL's grammar calls so: int4, bool; TYPE_UNKNOWN when there is none. */
enum type_kind type_word_kind(const char *name);
/* A boolean, or an error that names the clause. */
struct expr *coerce_boolean(struct binder *b, struct expr *expr, const char *what);
/* A literal without a type becomes text. */
struct expr *coerce_known(struct binder *b, struct expr *expr);
/* All of them to their common type; `what` starts the error: "CASE". */
int coerce_common(
	struct binder *b, const char *what, uint32_t count, struct expr **exprs, struct type *out);

/* bind_expr.c */
struct expr *bind_expr(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *bind_condition(struct level *level, enum clause clause, const struct ast_expr *ast);
int bind_exprs(struct level *level, enum clause clause, uint32_t count,
	struct ast_expr *const *asts, struct expr **out);
struct expr *expr_at(struct expr *expr, int32_t location);
struct expr *make_call(struct binder *b, enum function_id function, struct type type,
	uint32_t count, struct expr *const *args, int32_t location);
struct expr *make_node(struct binder *b, enum expr_kind kind, uint32_t count,
	struct expr *const *args, int32_t location);
/* args[0] IN (args[1..]), at least one of them. */
struct expr *make_in(struct binder *b, uint32_t count, struct expr **args, int32_t location);
/* The arguments of `ast`, bound, with room for one more. */
struct expr **bind_args(struct level *level, enum clause clause, const struct ast_expr *ast);
/* -1, and an error, where arguments have names that the function has not. */
MUST_CHECK int check_argument_names(struct binder *b, const struct ast_expr *ast);
/* Whether `expr` may appear once more; an error when it has grown too large. */
MUST_CHECK int check_expr_size(struct binder *b, const struct expr *expr, int32_t location);

/* bind_operator.c */
struct expr *bind_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location);
/* One with a single operand. */
struct expr *bind_prefix_operator(
	struct binder *b, const char *name, struct expr *arg, int32_t location);
struct expr *bind_negative(struct binder *b, struct expr *arg, int32_t location);
struct expr *bind_comparison(struct binder *b, enum function_id function, const char *name,
	struct expr *left, struct expr *right, int32_t location);

/* "operator does not exist: date + text"; `left` is NULL for one in front. Returns NULL. */
struct expr *no_operator(struct binder *b, const char *name, const struct expr *left,
	const struct expr *right, int32_t location);

/* bind_datetime.c */
/* `*handled` is false, without an error, when no operand makes it one of these. */
struct expr *bind_datetime_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled);
/* INTERVAL '...' with fields or a precision: `arg` is the literal. */
struct expr *bind_interval_literal(
	struct binder *b, const struct ast_type *type, const struct expr *arg, int32_t location);
/* The one function that takes its arguments by name. */
struct expr *bind_make_interval(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

struct expr *bind_overlaps(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

/* bind_zone.c: timestamps with a time zone */
/* The catalog's zone becomes that of the session. */
MUST_CHECK int zone_begin(struct binder *b);
/* coerce(), where one of the types is timestamptz. */
struct expr *zone_coerce(struct binder *b, struct expr *expr, struct type type);
/* A timestamptz in the session's zone as JSON has it, 2024-07-01T14:00:00+02:00; others unchanged. */
struct expr *zone_iso_text(struct binder *b, struct expr *expr);
/* What the query shows is shown in the session's zone. */
MUST_CHECK int zone_show(struct binder *b, struct logical_query *query);
/* What a clock shows at a timestamptz, in UTC or in the session's zone, and the way back. */
struct expr *zone_clock_time(struct binder *b, struct expr *moment, bool in_utc);
struct expr *zone_moment(struct binder *b, struct expr *time, bool in_utc);
/* The rules of the session's zone, UTC's too. */
struct expr *zone_session_rules(struct binder *b);
struct expr *bind_zone_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled);
/*
 * Functions that depend on the zone. Not `*handled`, without an error: the function is one of times
 * on the wall, which the arguments have become.
 */
struct expr *bind_zone_function(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, bool *handled);

/* bind_clock.c: now() and its like, and random() */
/*
 * When the statement started, as a timestamptz, or as a timestamp, date or time in the session's zone.
 * False, with an error, when nobody knows it.
 */
bool clock_now(struct binder *b, enum type_kind kind, int32_t location, struct value *out);
struct datetime_reading;
/* A text that says now, today and the like: date, time, timestamp; of timestamptz only now. */
struct expr *clock_literal(struct binder *b, const struct expr *literal, struct type type,
	const struct datetime_reading *reading);
/* Not `*handled`, without an error: the function has nothing to do with the clock. */
struct expr *bind_clock(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, bool *handled);
struct expr *bind_random(struct level *level, enum clause clause, const struct ast_expr *ast);

/* bind_function.c */
struct expr *bind_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* "function lag(date, text) does not exist; try a cast", or with the name that was meant. */
void no_function(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr *const *args);
struct expr *text_constant(struct binder *b, const char *text);

/* bind_any.c: functions of arguments of any types */
/* f(a, VARIADIC array): the last of the arguments is those that follow. */
struct expr *bind_variadic(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_concat_all(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_concat_ws(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_format(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* quote_literal and quote_nullable */
struct expr *bind_quote(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* num_nulls and num_nonnulls */
struct expr *bind_null_count(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_typeof(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);

/* bind_macro.c: functions that are others, as people know them from elsewhere */
/* Whether the call is one; *out NULL, with an error, when it is none that can be. */
bool expand_macro(struct binder *b, const struct ast_expr *call, const struct ast_expr **out);

/* bind_user.c: functions of the schema */
const struct ast_function *find_user_function(
	const struct binder *b, const char *name, uint32_t arg_count);
struct expr *bind_user_function(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct ast_function *function);
/* All of its arguments, as the parameters' types. NULL after an error. */
struct expr **bind_arguments(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct ast_function *function);
/* What its body yields, as the type that it is declared to be. */
struct expr *as_result(struct binder *b, const struct ast_function *function,
	const struct ast_type *declared, struct expr *expr, int32_t location);
/* While a body is bound: its source and nothing of who calls. */
struct function_body {
	struct function_call call;
	const struct sql_source *source;
	const struct binder_cte *ctes;
};
void enter_body(struct binder *b, const struct ast_function *function, struct function_body *body);
void leave_body(struct binder *b, const struct function_body *body);
/* $1; or a name that no column has, NULL without an error when no parameter has it either. */
struct expr *bind_parameter(struct level *level, const struct ast_expr *ast);
struct expr *find_parameter(const struct scope *scope, const char *name);

/* bind_match.c: regular expressions, and LIKE as an operator */
bool is_match_operator(const char *name);
struct expr *bind_match(struct binder *b, const char *name, struct expr *left, struct expr *right,
	int32_t location);
/* regexp_instr, regexp_substr, and regexp_replace with a place. */
struct expr *bind_regexp_call(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_similar_pattern(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* substring(x SIMILAR y ESCAPE z) */
struct expr *bind_similar_substring(
	struct binder *b, const struct ast_expr *ast, struct expr **args);

/* bind_list.c: arrays, their operators and functions, and op ANY (list) */
struct expr *bind_array(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *bind_subscript(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *bind_any(struct level *level, enum clause clause, const struct ast_expr *ast);
/* @>, <@, && and || with a list; NULL without an error when it is none of them. */
struct expr *bind_list_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled);
/* The items of a constant list. */
struct expr **list_items(struct binder *b, const struct expr *list);
/*
 * What A, an array, and e, an element, among a call's letters (plan/function_table.c) stand for:
 * their common type. False when there is none.
 */
bool element_type(const char *letters, uint32_t count, struct expr *const *args, struct type *out);

/* bind_json_row.c: rows and JSON */
/* Of a function over whole rows: the same over the objects that they are as JSON. */
bool calls_over_rows(struct level *level, const struct ast_expr *ast, const struct ast_expr **out);
/* Such an object. */
bool is_row_as_json(const struct ast_expr *ast);
struct expr *bind_row_as_json(struct level *level, enum clause clause, const struct ast_expr *ast);
/* Of json_to_record and its like with defined columns: what makes its objects; NULL for anything else. */
struct ast_expr *json_record_objects(struct binder *b, const struct ast_from *from);
struct extender;
MUST_CHECK int json_record_columns(struct binder *b, const struct ast_from *from,
	struct expr *object, struct extender *computed, struct scope_column *columns);

/* bind_json.c */
/* Any value as json or jsonb, unless it is that already. */
struct expr *json_of_value(struct binder *b, struct expr *arg, struct type type);
/* Operators of json, jsonb and bytea; NULL without an error when it is none of them. */
struct expr *bind_json_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled);
struct expr *bind_jsonb_contained(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* jsonb['key'][0]: one step of it. */
struct expr *bind_jsonb_subscript(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_to_json(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_json_build(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
struct expr *bind_json_extract(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* The list of what json_array_elements and its like yield; `keys`: json_each's, or NULL. */
struct expr *bind_json_rows(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, struct expr **keys);
/* bind_jsonpath.c */
bool is_path_function(const char *name);
/* One of them: for jsonb_path_query, the list of what it yields. */
struct expr *bind_path_call(
	struct binder *b, const struct ast_expr *ast, uint32_t count, struct expr **args);
/* @? and @@ */
struct expr *bind_path_operator(struct binder *b, const char *name, struct expr *left,
	struct expr *right, int32_t location, bool *handled);

bool is_json_aggregate(const char *name);
struct expr *bind_json_aggregate(
	struct level *level, enum clause clause, const struct ast_expr *ast);

/* bind_aggregate.c */
bool is_aggregate_name(const char *name);
struct expr *bind_aggregate(struct level *level, enum clause clause, const struct ast_expr *ast);
/*
 * The innermost query of which the expressions read a column; this one when they read none. NULL
 * when that is where no aggregate may be.
 */
struct level *find_owner(struct level *level, uint32_t count, struct expr *const *exprs);
/* -1, and an error, where no aggregate may be. */
int check_aggregate_place(struct binder *b, enum clause clause, const struct ast_expr *ast);
/* The column of the aggregate. An equal one is computed once. */
struct expr *note_aggregate(struct level *level, const struct level_aggregate *wanted,
	const struct ast_expr *ast, struct type type);
/* Arguments, filter and order of a call to an aggregate; no output yet. */
int bind_aggregate_call(struct level *level, enum clause arguments, const struct ast_expr *ast,
	struct level_aggregate *out, struct type *type);
/* ORDER BY inside of something: directions, and expressions that have a type. */
int bind_sort_keys(struct level *level, enum clause clause, uint32_t count,
	const struct ast_sort *sorts, struct expr **exprs, struct plan_sort_key *keys);
bool same_sort_keys(uint32_t count, struct expr *const *a, const struct plan_sort_key *a_keys,
	struct expr *const *b, const struct plan_sort_key *b_keys);

/* bind_window.c */
bool is_window_name(const char *name);
/* A window function, or an aggregate with OVER. */
struct expr *bind_window(struct level *level, enum clause clause, const struct ast_expr *ast);
void apply_windows(struct level *level);
const char *clause_name(enum clause clause);

/* bind_hypothetical.c: rank(x) WITHIN GROUP (ORDER BY y) and the like */
struct expr *bind_hypothetical(struct level *level, enum clause clause, const struct ast_expr *ast);

/* bind_subquery.c */
struct expr *bind_in_select(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *bind_exists(struct level *level, enum clause clause, const struct ast_expr *ast);
/* A subquery as a value. */
struct expr *bind_scalar(struct level *level, enum clause clause, const struct ast_expr *ast);
/* The rows of a subquery as a list. */
struct expr *bind_array_select(struct level *level, enum clause clause, const struct ast_expr *ast);
/* A condition for which NULL and false are the same, as in WHERE. */
struct expr *bind_filter(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *boolean(struct binder *b, bool value, bool is_null);
/* CASE WHEN test THEN value ELSE NULL END, or another value at the end. */
struct expr *make_choice(
	struct binder *b, struct expr *test, struct expr *value, struct expr *otherwise);
/* The conjunction of at least one condition. */
struct expr *all_of(struct binder *b, const struct logical_filter *conjuncts);
/* Whether it needs a subquery that is not part of the level's tree yet. */
bool reads_marks(const struct level *level, const struct expr *expr);
/* Puts the joins with subqueries that these expressions use on top of the level's tree. */
void place_marks(struct level *level, uint32_t count, struct expr *const *exprs);

/* bind_row.c: rows as values, which are AST_ROW */
struct expr *bind_row_comparison(struct level *level, enum clause clause, const char *name,
	const struct ast_expr *left, const struct ast_expr *right, int32_t location);
/* IS [NOT] DISTINCT FROM */
struct expr *bind_row_distinct(struct level *level, enum clause clause, const struct ast_expr *ast);
struct expr *bind_row_in(struct level *level, enum clause clause, const struct ast_expr *ast);

/* decorrelate.c */
/* Whether it reads columns of a query around it. */
bool select_is_correlated(struct binder *b, const struct bound_select *select);
/* May change the select's tree. */
MUST_CHECK int decorrelate(struct binder *b, const struct bound_select *select, int32_t location,
	struct subquery *out);
/* The rows of the query around, to which the subquery will be joined, make the domain. */
MUST_CHECK int domain_place(struct binder *b, const struct domain *domain, struct logical **tree);

/* bind_rows.c: functions that make rows */
enum row_value_kind {
	ROW_VALUE_ITEM,	   /* the item */
	ROW_VALUE_NUMERIC, /* args[0] + item * args[1] */
	ROW_VALUE_MOMENT,  /* the timestamptz that the item is in UTC */
	ROW_VALUE_LOCAL,   /* and in the session's zone */
	ROW_VALUE_GROUPS, /* those of match `item` of args[0] with the pattern and flags behind it */
	ROW_VALUE_ONCE,	  /* args[0], where there is an item */
};

/* What rows are made of, and what a function yields for each item. */
struct row_source {
	struct expr *list; /* a list or a series, see struct logical_unnest */
	struct type item;
	struct expr *keys; /* of json_each: a list in step with this one; NULL of all others */
	enum row_value_kind kind;
	struct expr *args[3];
};

/* Functions in FROM: their rows, and a value and a name for each of their columns. */
struct from_rows {
	struct logical_unnest unnest;
	struct expr **values;
	const char **names;
};

bool is_row_function(const char *name);
struct expr *bind_row_function(struct level *level, enum clause clause, const struct ast_expr *ast);
/* The functions of a FROM item, over the columns of `scope`. */
int bind_from_rows(struct level *level, const struct scope *scope, const struct ast_from *from,
	struct from_rows *out);
/* The columns of functions, called as the functions are; a single one like the table, unless it has a name. */
void name_rows(const struct ast_from *from, const struct from_rows *rows, struct extender *computed,
	struct scope_column *columns);
/* Whether they read what stands to their left. */
bool rows_are_lateral(const struct from_rows *rows);
/*
 * Puts those that these expressions use, all in one step, on top of the level's tree. NULL for the
 * expressions: all that are left.
 */
void place_unnests(struct level *level, uint32_t count, struct expr *const *exprs);

/* bind_from.c */
int bind_from(struct level *level);
struct expr *scope_resolve(struct level *level, const struct ast_expr *ast);
const struct scope_table *scope_find_table(
	struct binder *b, const struct scope *scope, const char *name, int32_t location);

/* bind_select.c */
/* `keep_literals`: outputs may be of type unknown, for a UNION to decide. */
int bind_select(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out);
/* As a table: ORDER BY without LIMIT means nothing there. */
int bind_subselect(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct bound_select *out);

/* The rows of a query as an input of something else. */
struct logical *query_tree(struct binder *b, const struct logical_query *query);

/* bind_limit.c */
/* LIMIT and OFFSET of a query that has been bound otherwise. */
int bind_limit(struct binder *b, const struct ast_select *select, struct logical_query *out);

/* bind_setop.c */
/* Inputs of a union whose columns still have their own types. */
struct branches {
	uint32_t count;
	struct logical **trees;
	uint32_t **ids; /* ids[branch][column] */
	uint32_t column_count;
	const char **names;
	const char *what; /* "UNION", "VALUES" */
	int32_t location;
};

/* All rows of the branches, under their names. */
int unite(struct binder *b, struct branches *branches, struct logical_query *out);
/* ORDER BY of a union: its output columns only. */
int bind_union_sorts(struct binder *b, const struct ast_select *select, struct logical_query *out);
int bind_set_operation(struct binder *b, const struct scope *outer, const struct ast_select *select,
	struct logical_query *out);

/* bind_cte.c */
int declare_ctes(struct binder *b, const struct scope *outer, const struct ast_select *select);

/* bind_recursion.c */
/* A CTE of WITH RECURSIVE that reads itself: `binding` is on top of the binder's. */
int bind_recursion(struct binder *b, struct binding_cte *binding, struct bound_select *out);
/* A reference to a CTE that is being bound. */
int bind_self(
	struct binder *b, const struct binder_cte *cte, int32_t location, struct bound_select *out);
/* The rows of a CTE, for one more place that reads them. */
int bind_cte(
	struct binder *b, const struct binder_cte *cte, int32_t location, struct bound_select *out);

/* bind_plain.c */
int bind_plain(struct binder *b, const struct scope *outer, const struct ast_select *select,
	bool keep_literals, struct logical_query *out);

/* bind_group.c: the select list, grouping and windows of a plain SELECT */
struct target {
	const char *name;
	struct expr *expr;
	int32_t location;
};

struct targets {
	uint32_t count;
	struct target *list;
};

/* What GROUP BY says: all keys of all its sets, each once, and the sets. */
struct grouping {
	uint32_t key_count;
	struct expr **keys;
	uint32_t set_count; /* 1: a plain GROUP BY. 0: there is none */
	uint64_t *sets;	    /* a bit for each key */
};

int bind_targets(struct level *level, struct targets *out);
/* A key of GROUP BY. */
struct expr *bind_group_key(
	struct level *level, const struct targets *targets, const struct ast_expr *ast);
/* What an aggregate takes: computed only for rows that pass its filter, of which NULL is none. */
struct expr *guard_argument(struct binder *b, struct expr *filter, struct expr *arg);
/*
 * Puts the group on top of the tree, and makes `exprs` (and what windows and marks still hold)
 * refer to what it yields.
 */
int apply_group(struct level *level, const struct grouping *grouping, uint32_t expr_count,
	struct expr ***exprs);

/* bind_grouping.c: GROUP BY, with ROLLUP, CUBE and GROUPING SETS */
int bind_grouping(struct level *level, const struct targets *targets, struct grouping *out);
/* GROUPING(...) */
struct expr *bind_grouping_call(
	struct level *level, enum clause clause, const struct ast_expr *ast);
/*
 * Puts the group on top of the tree, which has the keys `ids` and what the aggregates read.
 * Afterwards `ids` are the keys that the group yields: NULL where a row is not grouped by one.
 */
int apply_grouping(struct level *level, const struct grouping *grouping, uint32_t *ids,
	struct logical_group *group);

/* output_name.c: what PostgreSQL calls a column without an alias */
const char *output_name(const struct ast_expr *ast);

/* binder.c: computed columns that are about to be put on top of a tree. */
struct extender {
	struct binder *binder;
	uint32_t count;
	uint32_t *ids;
	struct expr **exprs;
};

/* The id of `expr`: its own if it is a column, that of an equal one, or a new one. */
uint32_t extender_id(struct extender *extender, struct expr *expr, const char *name);
/* A column that has its id already. */
void extender_add(struct extender *extender, uint32_t id, struct expr *expr);
void extender_apply(struct extender *extender, struct logical **tree);

#endif
