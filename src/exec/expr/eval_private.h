/*
 * What the files of the evaluator share: the nodes of a compiled expression, and the interface
 * between a node and the kernel that does its work.
 *
 * eval_compile.c turns an expression into nodes and folds constants, eval.c runs nodes and prepares
 * the arguments of kernels, eval_logic.c holds AND, OR, CASE and their like, eval_select.c the ways
 * to a selection that make no boolean column. Kernels (kernel_*.c, cast.c, to_char.c, like.c) are
 * plain loops over columns.
 */
#ifndef EXEC_EVAL_PRIVATE_H
#define EXEC_EVAL_PRIVATE_H

#include "base/cpu_clones.h"
#include "column/canonical.h"
#include "column/numeric_long.h"
#include "exec/expr/eval.h"
#include "exec/func/text_vector.h"

#include <string.h>

struct buf;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* All texts that one call on an evaluator may make. */
#define EVAL_TEXT_BYTES_MAX (256u << 20)
/* Deeper expressions are refused: the evaluator is recursive. */
#define EVAL_DEPTH_MAX 1000

/* The rows to work on: all of 0 .. count-1 when sel is NULL. */
struct rows {
	const uint16_t *sel;
	uint32_t count;
	uint32_t total; /* rows of the batch: what a dense loop may touch */
};

/*
 * Row loop for kernels whose body costs more than a predictable branch. Where speed matters `rows`
 * points to a local copy: the compiler must assume that stores to columns change anything else.
 */
#define FOR_EACH_ROW(rows, row) \
	for (uint32_t k_ = 0, row; k_ < (rows)->count && (row = rows_at(rows, k_), true); k_++)

static inline uint32_t rows_at(const struct rows *rows, uint32_t k)
{
	return rows->sel ? rows->sel[k] : k;
}

/*
 * One run of a kernel. A strict kernel sees only rows without a NULL among their arguments, unless
 * it is KERNEL_TOTAL. Not all arguments are constant columns unless there is a single row.
 */
struct call {
	struct rows rows;
	struct rows asked; /* those whose results somebody reads: fewer, of a total kernel */
	const struct column *args;
	uint32_t arg_count;
	struct column *out; /* its values are to be filled */
	const void *state;  /* what `prepare` made */
	struct type type;   /* of the result */
	struct evaluator *evaluator;
	struct eval_node *node;
};

typedef int (*kernel_run)(struct call *call, struct error *err);

/* Where a call stands in the expression, for work that is done once. */
struct site {
	const struct expr *expr;
	struct evaluator *evaluator;
	const struct column *const *constants; /* per argument: its value, NULL when it varies */
	struct arena *arena;		       /* lives as long as the evaluator */
	const void *state;		       /* out */
};

typedef int (*kernel_prepare)(struct site *site, struct error *err);

enum kernel_flags {
	/* Cannot fail and may compute rows that are not selected or NULL, whatever they hold. */
	KERNEL_TOTAL = 1,
	/* Sees NULL arguments itself; says which results are NULL through call_set_null. */
	KERNEL_SEES_NULLS = 2,
};

struct kernel {
	kernel_run run;
	unsigned flags;
	kernel_prepare prepare; /* NULL: nothing to prepare */
};

/* The row's result is NULL. */
void call_set_null(struct call *call, uint32_t row);
/* Room for a text of the result; NULL, with the error set, when it is too long. */
char *call_text(struct call *call, uint64_t size, struct error *err);
/* The row's result is a copy of these bytes, or of what a buffer holds. */
int call_set_text(
	struct call *call, uint32_t row, const char *bytes, size_t size, struct error *err);
int call_set_buf(struct call *call, uint32_t row, const struct buf *buf, struct error *err);
/* Room for the items of a list of the result; NULL, with the error set, when they are too many. */
struct text *call_items(struct call *call, uint64_t count, struct error *err);
/* The row's result is a list of these items, which are copied; what they point to is not. */
int call_set_list(
	struct call *call, uint32_t row, const struct text_vector *items, struct error *err);
/* Scratch memory that lives until the next call on the evaluator. */
struct arena *call_arena(struct call *call);

/* Each finds the kernel for a call among its own; NULL when it has none. */
const struct kernel *kernel_compare_find(const struct expr *expr);
const struct kernel *kernel_arith_find(const struct expr *expr);
const struct kernel *kernel_number_find(const struct expr *expr);
const struct kernel *kernel_datetime_find(const struct expr *expr);
const struct kernel *kernel_zone_find(const struct expr *expr);
const struct kernel *kernel_interval_find(const struct expr *expr);
const struct kernel *kernel_text_find(const struct expr *expr);
const struct kernel *kernel_codes_find(const struct expr *expr);
const struct kernel *kernel_format_find(const struct expr *expr);
const struct kernel *kernel_math_find(const struct expr *expr);
const struct kernel *kernel_bits_find(const struct expr *expr);
const struct kernel *kernel_list_find(const struct expr *expr);
const struct kernel *kernel_json_find(const struct expr *expr);
const struct kernel *kernel_jsonpath_find(const struct expr *expr);
const struct kernel *kernel_json_make_find(const struct expr *expr);
const struct kernel *kernel_bytes_find(const struct expr *expr);
const struct kernel *kernel_like_find(const struct expr *expr);
const struct kernel *kernel_regex_find(const struct expr *expr);
const struct kernel *kernel_to_char_find(const struct expr *expr);
const struct kernel *kernel_to_number_find(const struct expr *expr);
const struct kernel *kernel_to_date_find(const struct expr *expr);
const struct kernel *kernel_sentiment_find(const struct expr *expr);
const struct kernel *kernel_random_find(const struct expr *expr);
const struct kernel *kernel_single_find(const struct expr *expr);
const struct kernel *kernel_cast_find(struct type from, struct type to);
/* Those of json and jsonb. */
const struct kernel *kernel_json_cast_find(struct type from, struct type to);
/* Those among arrays. */
const struct kernel *kernel_list_cast_find(struct type from, struct type to);
/* Those among dates, times, timestamps and intervals. */
const struct kernel *kernel_datetime_cast_find(struct type from, struct type to);
const struct kernel *kernel_interval_cast_find(struct type from, struct type to);
/* extract and date_trunc: the unit, args[0], as an enum time_unit. */
int kernel_prepare_unit(struct site *site, struct error *err);
/* For EXPR_IN: prepared with all its arguments, run with the first alone. */
const struct kernel *kernel_in_find(const struct expr *expr);

/* Value `row` of an argument that may be constant. */
ALWAYS_INLINE int64_t arg_i64(const struct column *arg, uint32_t row)
{
	return arg->i64[arg->constant ? 0 : row];
}

ALWAYS_INLINE numeric arg_num(const struct column *arg, uint32_t row)
{
	return arg->num[arg->constant ? 0 : row];
}

ALWAYS_INLINE double arg_f64(const struct column *arg, uint32_t row)
{
	return arg->f64[arg->constant ? 0 : row];
}

ALWAYS_INLINE struct interval arg_interval(const struct column *arg, uint32_t row)
{
	return arg->interval[arg->constant ? 0 : row];
}

ALWAYS_INLINE struct text arg_text(const struct column *arg, uint32_t row)
{
	return arg->text[arg->constant ? 0 : row];
}

/* -- Orders: as SQL's, and total: NaN equals itself and is above everything. -- */

static inline int i64_compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static inline int f64_compare(double a, double b)
{
	if (a != a || b != b)
		return (a != a) - (b != b);
	return (a > b) - (a < b);
}

/*
 * A numeric compared with a constant, without rescaling: for each scale, the least mantissa that
 * is at or above a bound. 256 entries, so that no scale byte, garbage included, is outside. What
 * is not plain gets an answer that means nothing: loops gather the scales' bytes with | and, where
 * NUMERIC_ODD is among them, numeric_bound_compare answers again.
 */
struct numeric_bound {
	bool negate;   /* the answer is "below the threshold" */
	bool equality; /* the answer is "the same bits as the entry" */
	enum function_id op;
	numeric constant;
	numeric at[256];
};

/* For any value that is there. */
bool numeric_bound_compare(const struct numeric_bound *bound, numeric value);

void numeric_bound_init(struct numeric_bound *bound, enum function_id op, numeric constant);

ALWAYS_INLINE bool numeric_bound_holds(const struct numeric_bound *bound, numeric value)
{
	numeric at = bound->at[(unsigned)value & 0xff];

	return (bound->equality ? value == at : value >= at) != bound->negate;
}

/* -- Nodes -- */

struct eval_node;

typedef int (*node_eval_fn)(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
/* `sel` may be rows->sel. */
typedef int (*node_select_fn)(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err);

struct eval_node {
	const struct expr *expr;
	struct type type;
	node_eval_fn eval;
	node_select_fn select;
	uint32_t arg_count;
	struct eval_node **args;
	bool is_constant;
	struct column constant; /* when it is */

	/* The result's storage; taken on first use. */
	void *values;
	uint8_t *valid;
	uint16_t *scratch; /* two selections, for who needs them */

	/* EXPR_CALL, EXPR_CAST and EXPR_IN */
	const struct kernel *kernel;
	const void *state;
	struct column *arg_columns;
	uint32_t slice_rows; /* that it may run over without a look at `stop`; 0: not known yet */
	uint32_t runs;	     /* over all rows at once */

	/*
	 * Where an expression stands more than once, its places share one node, which is computed
	 * over the rows of the first place; see eval_compile.c for why that is right.
	 */
	bool shared;
	uint64_t generation; /* of `cached` */
	struct column cached;

	/* For select: see eval_select.c */
	int64_t low;
	int64_t high;
	const struct numeric_bound *bound;
	uint32_t merged_count; /* EXPR_AND: the conjuncts with ranges merged */
	struct eval_node **merged;
};

/* What is not in the evaluator's arenas and goes with it. */
struct cleanup {
	void (*run)(void *object);
	void *object;
	struct cleanup *next;
};

struct evaluator {
	struct arena arena; /* nodes and their storage */
	struct cleanup *cleanups;
	struct arena texts; /* what one call makes */
	size_t text_bytes;
	struct eval_node *root;
	const struct batch *batch;
	uint64_t generation;
	uint32_t slots; /* rows a node has room for: 1 while constants are folded */
	const atomic_bool *stop, *failed; /* evaluator_stop_with */
};

/* `run` is called with `object` when the evaluator is freed. */
void evaluator_defer(struct evaluator *ev, void (*run)(void *object), void *object);

int node_eval(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int node_select(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	uint16_t *sel, uint32_t *selected, struct error *err);
/* The node's own column, with room for its values and without nulls. */
struct column node_column(struct evaluator *ev, struct eval_node *node);
/* Gives a column made by node_column a validity of all ones, if it has none. */
void node_add_validity(struct evaluator *ev, struct eval_node *node, struct column *column);
uint16_t *node_scratch(struct evaluator *ev, struct eval_node *node, unsigned which);

/* Copies the given rows of `from` to the same rows of `to`, which has `to->valid` or no nulls come.
 */
void column_copy_rows(struct column *to, const struct column *from, const struct rows *rows);

/* eval_compile.c */
struct eval_node *compile_root(struct evaluator *ev, const struct expr *expr, struct error *err);

/* eval.c */
int eval_column_ref(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_constant(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_call(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
/* A cast that leaves the bits alone. */
int eval_relabel(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);

/* eval_logic.c */
int eval_and(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_or(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_not(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_is_null(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_case(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);
int eval_coalesce(struct evaluator *ev, struct eval_node *node, const struct rows *rows,
	struct column *out, struct error *err);

/* eval_select.c: picks node->select for a boolean node whose args are compiled. */
void select_choose(struct evaluator *ev, struct eval_node *node);
/* Whether node_select leaves the node computed, as node_eval does. */
bool select_computes_column(const struct eval_node *node);
/* The rows that are not in `taken` (ascending, a subset) into `rest`, which may be rows->sel. */
uint32_t rows_without(
	const struct rows *rows, const uint16_t *taken, uint32_t taken_count, uint16_t *rest);

/* -- Shared by kernels -- */

int error_integer_range(enum type_kind kind, struct error *err);
int error_division_by_zero(struct error *err);
int error_numeric_range(struct error *err);
int error_numeric_fault(enum numeric_fault fault, struct error *err);

/* Start of the next character; stray bytes count as characters. `at` is before `end`. */
static inline const char *utf8_next(const char *at, const char *end)
{
	at++;
	while (at < end && ((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

/* Copies and steps on; a text without bytes may have no address. */
static inline char *text_put(char *to, struct text text)
{
	if (text.size > 0)
		memcpy(to, text.data, text.size);
	return to + text.size;
}

/* How many of utf8_next's characters there are. */
uint32_t utf8_length(struct text text);
bool text_is_ascii(struct text text);
/*
 * Writes `text` in lower or upper case and returns where it ends. There must be room for twice its
 * size: a character of two bytes may become one of three.
 */
char *text_convert_case(struct text text, bool upper, char *to);
/* The first of `size` bytes, at least one, in [at, end); NULL when they are not there. */
const char *bytes_find(const char *at, const char *end, const char *needle, size_t size);

#endif
