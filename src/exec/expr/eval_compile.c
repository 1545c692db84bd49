/*
 * From an expression to nodes: kernels are chosen, constants folded, branches that cannot be taken
 * dropped, and expressions that stand more than once shared.
 *
 * Sharing. A scope is a place in the expression that is computed for one set of rows: the root, and
 * each operand of AND, OR, CASE and COALESCE behind the first. Such an operand is computed for some
 * of the rows of the operand before it, so its scope is a child of that one's, and the rows of a
 * scope are always among those of its ancestors. An expression that was met before in the same
 * scope or in an ancestor has therefore been computed already, for all rows that matter, when its
 * second place is reached: nodes are run in the order in which they are compiled. Nothing is
 * computed for a row that the query would not have computed, so errors stay where they belong.
 *
 * The exception: conditions that become a selection without computing their column. Their places
 * have a node each; what they compare is shared all the same.
 */
#include "exec/expr/eval_private.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct compile_scope {
	const struct compile_scope *parent;
	bool certain; /* every row passes here */
};

struct sharable {
	struct eval_node *node;
	const struct compile_scope *scope;
};

struct compiler {
	struct evaluator *ev;
	struct sharable *sharables;
	uint32_t count;
	uint32_t capacity;
	uint32_t depth;
};

static struct eval_node *compile(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err);

static const struct compile_scope *scope_below(
	struct compiler *c, const struct compile_scope *parent)
{
	struct compile_scope *scope = arena_alloc(&c->ev->arena, sizeof(*scope));

	*scope = (struct compile_scope){.parent = parent, .certain = false};
	return scope;
}

static bool scope_is_within(const struct compile_scope *scope, const struct compile_scope *outer)
{
	while (scope && scope != outer)
		scope = scope->parent;
	return scope != NULL;
}

static struct eval_node *find_shared(
	struct compiler *c, const struct expr *expr, const struct compile_scope *scope)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct sharable *entry = &c->sharables[i];

		/* In this order: thousands of alternatives are as many scopes within each other. */
		if (expr_equal(entry->node->expr, expr) && scope_is_within(scope, entry->scope))
			return entry->node;
	}
	return NULL;
}

static void remember(struct compiler *c, struct eval_node *node, const struct compile_scope *scope)
{
	if (c->count == c->capacity) {
		c->capacity = c->capacity ? 2 * c->capacity : 16;
		c->sharables = memory_realloc(c->sharables, c->capacity * sizeof(*c->sharables));
	}
	c->sharables[c->count++] = (struct sharable){node, scope};
}

/*
 * The scopes below `scope` that were entered since `mark` are left: nobody will ask for what is in them. Without this,
 * a condition of n alternatives would compare each with all before it, and walk up from each.
 */
static void leave_scopes(struct compiler *c, uint32_t mark, const struct compile_scope *scope)
{
	uint32_t kept = mark;

	for (uint32_t i = mark; i < c->count; i++)
		if (c->sharables[i].scope == scope)
			c->sharables[kept++] = c->sharables[i];
	c->count = kept;
}

static struct eval_node *node_new(struct compiler *c, const struct expr *expr)
{
	struct eval_node *node = arena_zalloc(&c->ev->arena, sizeof(*node));

	node->expr = expr;
	node->type = expr->type;
	node->args = arena_alloc(&c->ev->arena, (expr->arg_count + 1) * sizeof(*node->args));
	node->arg_columns =
		arena_alloc(&c->ev->arena, (expr->arg_count + 1) * sizeof(*node->arg_columns));
	return node;
}

/* A constant in the place of `expr`; texts are copied. */
static struct eval_node *node_constant(
	struct compiler *c, const struct expr *expr, struct value value)
{
	struct arena *arena = &c->ev->arena;
	struct eval_node *node = node_new(c, expr);
	enum physical form = type_physical(expr->type.kind);

	value.type = expr->type;
	if (!value.is_null && form == PHYSICAL_TEXT)
		value.text = text_copy(value.text, arena);
	if (!value.is_null && form == PHYSICAL_LIST)
		value.list = list_copy(value.list, arena);
	if (!value.is_null && form == PHYSICAL_NUM)
		value.num = numeric_keep(value.num, arena);
	column_init(&node->constant, expr->type, 1, arena);
	if (value.is_null)
		column_add_validity(&node->constant, 1, arena);
	column_set_value(&node->constant, 0, &value);
	node->constant.constant = true;
	node->is_constant = true;
	node->eval = eval_constant;
	return node;
}

static bool constant_is_null(const struct eval_node *node)
{
	return node->is_constant && column_is_null(&node->constant, 0);
}

static bool constant_is(const struct eval_node *node, bool truth)
{
	return node->is_constant && !constant_is_null(node) && node->constant.u8[0] == truth;
}

/* Runs a node whose arguments are all constant. What cannot be computed stays for the rows. */
static struct eval_node *fold(struct compiler *c, struct eval_node *node,
	const struct compile_scope *scope, struct error *err)
{
	struct evaluator *ev = c->ev;
	const struct batch nothing = {.rows = 1, .selected = 1};
	const struct rows row = {NULL, 1, 1};
	struct eval_node *folded = NULL;
	struct column column;
	struct error local = {0};
	int failed;

	ev->batch = &nothing;
	ev->generation++;
	ev->slots = 1;
	failed = node_eval(ev, node, &row, &column, &local);
	if (!failed)
		folded = node_constant(c, node->expr, column_value(&column, 0));
	ev->slots = BATCH_ROWS_MAX;
	ev->text_bytes = 0;
	arena_reset(&ev->texts);
	node->values = NULL;
	node->valid = NULL;
	node->scratch = NULL;
	if (failed && scope->certain) {
		*err = local;
		return NULL;
	}
	return failed ? node : folded;
}

static int compile_args(struct compiler *c, struct eval_node *node,
	const struct compile_scope *scope, bool *all_constant, struct error *err)
{
	*all_constant = true;
	for (uint32_t i = 0; i < node->expr->arg_count; i++) {
		node->args[i] = compile(c, node->expr->args[i], scope, err);
		if (!node->args[i])
			return -1;
		node->arg_count = i + 1;
		*all_constant &= node->args[i]->is_constant;
	}
	return 0;
}

static const struct kernel *find_kernel(const struct expr *expr)
{
	static const struct kernel *(*const finders[])(const struct expr *) = {
		kernel_compare_find,
		kernel_arith_find,
		kernel_number_find,
		kernel_interval_find,
		kernel_datetime_find,
		kernel_zone_find,
		kernel_text_find,
		kernel_codes_find,
		kernel_format_find,
		kernel_math_find,
		kernel_bits_find,
		kernel_list_find,
		kernel_json_find,
		kernel_jsonpath_find,
		kernel_bytes_find,
		kernel_like_find,
		kernel_regex_find,
		kernel_to_char_find,
		kernel_to_number_find,
		kernel_to_date_find,
		kernel_sentiment_find,
		kernel_random_find,
		kernel_single_find,
	};

	for (size_t i = 0; i < sizeof(finders) / sizeof(*finders); i++) {
		const struct kernel *kernel = finders[i](expr);

		if (kernel)
			return kernel;
	}
	return NULL;
}

static int prepare_kernel(struct compiler *c, struct eval_node *node, struct error *err)
{
	struct arena *arena = &c->ev->arena;
	const struct column **constants;
	struct site site = {.expr = node->expr, .evaluator = c->ev, .arena = arena};

	if (!node->kernel->prepare)
		return 0;
	constants = arena_alloc(arena, (node->arg_count + 1) * sizeof(*constants));
	for (uint32_t i = 0; i < node->arg_count; i++)
		constants[i] = node->args[i]->is_constant ? &node->args[i]->constant : NULL;
	site.constants = constants;
	if (node->kernel->prepare(&site, err))
		return -1;
	node->state = site.state;
	return 0;
}

static enum function_id mirrored(enum function_id op)
{
	switch (op) {
	case FN_LT: return FN_GT;
	case FN_LE: return FN_GE;
	case FN_GT: return FN_LT;
	case FN_GE: return FN_LE;
	default: return op;
	}
}

static bool is_comparison(enum function_id op)
{
	return op >= FN_EQ && op <= FN_NOT_DISTINCT;
}

/* A comparison whose constant, if it has one, stands on the right. */
static const struct expr *constant_to_the_right(struct compiler *c, const struct expr *expr)
{
	struct expr *args[2];

	if (!is_comparison(expr->function) || expr->args[0]->kind != EXPR_CONSTANT)
		return expr;
	args[0] = expr->args[1];
	args[1] = expr->args[0];
	return expr_call(&c->ev->arena, mirrored(expr->function), expr->type, 2, args);
}

static int no_such_kernel(const struct expr *expr, struct error *err)
{
	char from[TYPE_NAME_MAX] = "";
	char to[TYPE_NAME_MAX];

	if (expr->arg_count > 0)
		type_name(expr->args[0]->type, from);
	type_name(expr->type, to);
	if (expr->kind == EXPR_CAST)
		return error_set(err, ERROR_SQL, "cannot cast type %s to %s", from, to);
	return error_set(err, ERROR_SQL, "%s is not supported for arguments of type %s",
		function_name(expr->function), from);
}

static struct eval_node *compile_call(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	struct eval_node *node = node_new(c, expr);
	uint32_t mark = c->count;
	bool all_constant;

	if (compile_args(c, node, scope, &all_constant, err))
		return NULL;
	if (expr->kind == EXPR_CAST)
		node->kernel = kernel_cast_find(expr->args[0]->type, expr->type);
	else
		node->kernel = find_kernel(expr);
	if (!node->kernel) {
		no_such_kernel(expr, err);
		return NULL;
	}
	node->eval = node->kernel->run ? eval_call : eval_relabel;
	for (uint32_t i = 0; i < node->arg_count; i++) {
		if (!constant_is_null(node->args[i]) || node->kernel->flags & KERNEL_SEES_NULLS)
			continue;
		/* The other arguments are not computed, so nobody may share them. */
		c->count = mark;
		return node_constant(c, expr, (struct value){.is_null = true});
	}
	if (prepare_kernel(c, node, err))
		return NULL;
	return all_constant ? fold(c, node, scope, err) : node;
}

/* AND (`absorbing` is false) and OR (it is true): the value that decides alone. */
static struct eval_node *compile_junction(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, bool absorbing, struct error *err)
{
	const struct compile_scope *outer = scope;
	struct eval_node *node = node_new(c, expr);
	uint32_t mark = c->count;
	bool all_constant = true;

	for (uint32_t i = 0; i < expr->arg_count; i++) {
		struct eval_node *arg = compile(c, expr->args[i], scope, err);

		if (!arg)
			return NULL;
		if (constant_is(arg, absorbing)) {
			c->count = mark;
			return arg;
		}
		if (constant_is(arg, !absorbing))
			continue;
		all_constant &= arg->is_constant;
		node->args[node->arg_count++] = arg;
		scope = scope_below(c, scope);
	}
	leave_scopes(c, mark, outer);
	if (node->arg_count == 0)
		return node_constant(c, expr, (struct value){.boolean = !absorbing});
	if (node->arg_count == 1)
		return node->args[0];
	node->eval = absorbing ? eval_or : eval_and;
	return all_constant ? fold(c, node, scope, err) : node;
}

static struct eval_node *compile_not(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	static const enum function_id inverse[] = {
		[FN_EQ] = FN_NE,
		[FN_NE] = FN_EQ,
		[FN_LT] = FN_GE,
		[FN_LE] = FN_GT,
		[FN_GT] = FN_LE,
		[FN_GE] = FN_LT,
		[FN_DISTINCT] = FN_NOT_DISTINCT,
		[FN_NOT_DISTINCT] = FN_DISTINCT,
	};
	const struct expr *arg = expr->args[0];
	struct eval_node *node;
	bool all_constant;

	if (arg->kind == EXPR_NOT)
		return compile(c, arg->args[0], scope, err);
	if (arg->kind == EXPR_CALL && is_comparison(arg->function))
		return compile(c,
			expr_call(&c->ev->arena, inverse[arg->function], arg->type, 2, arg->args),
			scope, err);
	node = node_new(c, expr);
	if (compile_args(c, node, scope, &all_constant, err))
		return NULL;
	node->eval = eval_not;
	return all_constant ? fold(c, node, scope, err) : node;
}

static struct eval_node *compile_is_null(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	struct eval_node *node = node_new(c, expr);
	bool all_constant;

	if (compile_args(c, node, scope, &all_constant, err))
		return NULL;
	node->eval = eval_is_null;
	return all_constant ? fold(c, node, scope, err) : node;
}

static struct eval_node *compile_case(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	const struct compile_scope *outer = scope;
	struct eval_node *node = node_new(c, expr);
	const struct expr *otherwise = expr->args[expr->arg_count - 1];
	uint32_t mark = c->count;
	struct eval_node *arg;

	for (uint32_t i = 0; i + 1 < expr->arg_count; i += 2) {
		struct eval_node *when = compile(c, expr->args[i], scope, err);
		uint32_t condition_end = c->count;

		if (!when)
			return NULL;
		if (constant_is(when, false) || constant_is_null(when))
			continue;
		if (constant_is(when, true)) {
			otherwise = expr->args[i + 1];
			break;
		}
		arg = compile(c, expr->args[i + 1], scope_below(c, scope), err);
		if (!arg)
			return NULL;
		leave_scopes(c, condition_end, scope);
		node->args[node->arg_count++] = when;
		node->args[node->arg_count++] = arg;
		scope = scope_below(c, scope);
	}
	arg = compile(c, otherwise, scope, err);
	leave_scopes(c, mark, outer);
	if (!arg || node->arg_count == 0)
		return arg;
	node->args[node->arg_count++] = arg;
	node->eval = eval_case;
	return node;
}

static struct eval_node *compile_coalesce(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	const struct compile_scope *outer = scope;
	struct eval_node *node = node_new(c, expr);
	uint32_t mark = c->count;

	for (uint32_t i = 0; i < expr->arg_count; i++) {
		struct eval_node *arg = compile(c, expr->args[i], scope, err);

		if (!arg)
			return NULL;
		if (constant_is_null(arg) && (i + 1 < expr->arg_count || node->arg_count > 0))
			continue;
		node->args[node->arg_count++] = arg;
		if (arg->is_constant)
			break;
		scope = scope_below(c, scope);
	}
	leave_scopes(c, mark, outer);
	if (node->arg_count == 1)
		return node->args[0];
	node->eval = eval_coalesce;
	return node;
}

static struct eval_node *compile_in(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	struct eval_node *node = node_new(c, expr);
	const struct compile_scope *list_scope =
		&(struct compile_scope){.parent = NULL, .certain = true};
	uint32_t mark;

	node->args[0] = compile(c, expr->args[0], scope, err);
	if (!node->args[0])
		return NULL;
	mark = c->count;
	for (uint32_t i = 1; i < expr->arg_count; i++) {
		node->args[i] = compile(c, expr->args[i], list_scope, err);
		if (!node->args[i])
			return NULL;
		if (!node->args[i]->is_constant) {
			error_set(err, ERROR_INTERNAL, "the list of IN is not constant");
			return NULL;
		}
	}
	c->count = mark;
	node->arg_count = expr->arg_count;
	node->kernel = kernel_in_find(expr);
	node->eval = eval_call;
	if (prepare_kernel(c, node, err))
		return NULL;
	node->arg_count = 1;
	return node->args[0]->is_constant ? fold(c, node, scope, err) : node;
}

static struct eval_node *compile_column(struct compiler *c, const struct expr *expr)
{
	struct eval_node *node = node_new(c, expr);

	node->eval = eval_column_ref;
	return node;
}

static struct eval_node *compile_fresh(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	switch (expr->kind) {
	case EXPR_COLUMN: return compile_column(c, expr);
	case EXPR_CONSTANT: return node_constant(c, expr, expr->constant);
	case EXPR_CALL: return compile_call(c, constant_to_the_right(c, expr), scope, err);
	case EXPR_CAST: return compile_call(c, expr, scope, err);
	case EXPR_AND: return compile_junction(c, expr, scope, false, err);
	case EXPR_OR: return compile_junction(c, expr, scope, true, err);
	case EXPR_NOT: return compile_not(c, expr, scope, err);
	case EXPR_IS_NULL: return compile_is_null(c, expr, scope, err);
	case EXPR_CASE: return compile_case(c, expr, scope, err);
	case EXPR_COALESCE: return compile_coalesce(c, expr, scope, err);
	case EXPR_IN: return compile_in(c, expr, scope, err);
	}
	error_set(err, ERROR_INTERNAL, "unknown kind of expression: %d", (int)expr->kind);
	return NULL;
}

static struct eval_node *compile(struct compiler *c, const struct expr *expr,
	const struct compile_scope *scope, struct error *err)
{
	struct eval_node *node = find_shared(c, expr, scope);

	if (node) {
		node->shared = node->shared || node->eval != eval_column_ref;
		return node;
	}
	if (++c->depth > EVAL_DEPTH_MAX) {
		error_set(err, ERROR_LIMIT, "the expression is nested more than %d levels deep",
			EVAL_DEPTH_MAX);
		return NULL;
	}
	node = compile_fresh(c, expr, scope, err);
	c->depth--;
	if (!node)
		return NULL;
	if (node->type.kind == TYPE_BOOL && !node->select)
		select_choose(c->ev, node);
	if (!node->is_constant && (node->type.kind != TYPE_BOOL || select_computes_column(node)))
		remember(c, node, scope);
	return node;
}

struct eval_node *compile_root(struct evaluator *ev, const struct expr *expr, struct error *err)
{
	struct compiler c = {.ev = ev};
	const struct compile_scope root = {.parent = NULL, .certain = true};
	struct eval_node *node;

	ev->slots = BATCH_ROWS_MAX;
	node = compile(&c, expr, &root, err);
	free(c.sharables);
	return node;
}
