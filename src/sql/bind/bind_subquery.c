/*
 * Subqueries in expressions: IN (SELECT ...), EXISTS (SELECT ...), and (SELECT ...) as a value.
 * Each is noted in the level, and the expression goes on with columns that the join with it yields.
 * place_marks() puts that join into the tree, where one of them is first needed.
 *
 *   x IN (SELECT ...)         a mark, with NULL where SQL says so
 *   x < ANY (SELECT ...)      EXISTS with a condition, and NULL where SQL says so
 *   EXISTS (SELECT ...)       a mark that is never NULL
 *   (SELECT ...)              a row that meets, or NULLs; an error where the value is asked for and
 *                             a second one meets
 *   (SELECT max(...) ...)     an outer join: a group has one row for each outer value
 */
#include "sql/bind/bind_private.h"

#include <string.h>

static int check_place(struct level *level, enum clause clause, int32_t location)
{
	struct binder *b = level->binder;

	if (clause == CLAUSE_ON && level->full_join)
		return bind_error(
			b, location, "a subquery in the condition of a FULL JOIN is not supported");
	if (clause == CLAUSE_FROM)
		return bind_error(b, location, "a subquery in a function in FROM is not supported");
	level->clause = clause;
	return 0;
}

static void note_mark(struct level *level, const struct level_mark *mark)
{
	struct binder *b = level->binder;

	level->marks = list_room(b->arena, level->marks, level->mark_count, sizeof(*level->marks));
	level->marks[level->mark_count++] = *mark;
}

struct expr *boolean(struct binder *b, bool value, bool is_null)
{
	struct value constant = {.type = type_of(TYPE_BOOL), .boolean = value, .is_null = is_null};

	return expr_constant(b->arena, &constant);
}

struct expr *make_choice(
	struct binder *b, struct expr *test, struct expr *value, struct expr *otherwise)
{
	struct value null = {.type = value->type, .is_null = true};
	struct expr *args[3] = {test, value, otherwise}, *expr;

	if (!otherwise)
		args[2] = expr_constant(b->arena, &null);
	expr = make_node(b, EXPR_CASE, 3, args, value->location);
	expr->type = value->type;
	return expr;
}

struct expr *all_of(struct binder *b, const struct logical_filter *conjuncts)
{
	if (conjuncts->count == 1)
		return conjuncts->conjuncts[0];
	return make_node(b, EXPR_AND, conjuncts->count, conjuncts->conjuncts, -1);
}

/* At most `limit` of the rows, whichever. */
static struct logical *cut_rows(struct binder *b, struct logical *tree, uint64_t limit)
{
	struct logical_top top = {.limit = limit};

	return logical_top_new(b->arena, tree, &top);
}

/* Both sides of IN (SELECT ...) as their common type. */
static int match_mark_types(struct level *level, struct level_mark *mark, int32_t location)
{
	struct binder *b = level->binder;
	struct expr *column = binder_column_expr(b, mark->column, location);
	struct extender extender = {.binder = b};
	char left[TYPE_NAME_MAX], right[TYPE_NAME_MAX];
	struct type type;

	if (!type_common(mark->left->type, column->type, &type) ||
		type_physical(type.kind) == PHYSICAL_LIST)
		return bind_error(b, location, "operator does not exist: %s = %s; try a cast",
			type_name(mark->left->type, left), type_name(column->type, right));
	if (type.kind == TYPE_UNKNOWN)
		type = type_of(TYPE_TEXT);
	mark->left = coerce(b, mark->left, type);
	column = mark->left ? coerce(b, column, type) : NULL;
	if (!column)
		return -1;
	mark->column = extender_id(&extender, column, b->columns->list[mark->column].name);
	extender_apply(&extender, &mark->tree);
	return 0;
}

/*
 * What does not change whether there are rows: the select list, windows, groups, a LIMIT of at
 * least one.
 */
static struct logical *strip_for_exists(struct logical *tree)
{
	for (;;) {
		bool limited =
			tree->kind == LOGICAL_TOP && (tree->top.limit == 0 || tree->top.offset > 0);
		bool grouped = tree->kind == LOGICAL_GROUP && tree->group.key_count > 0;

		if (tree->kind != LOGICAL_EXTEND && tree->kind != LOGICAL_WINDOW && !grouped &&
			(tree->kind != LOGICAL_TOP || limited))
			return tree;
		tree = tree->inputs[0];
	}
}

static bool reads_tree(const struct logical_filter *on, const struct logical *tree)
{
	for (uint32_t i = 0; i < on->count; i++)
		for (uint32_t j = 0; j < tree->column_count; j++)
			if (expr_reads_column(on->conjuncts[i], tree->columns[j]))
				return true;
	return false;
}

/* Whether the tree has rows. */
static struct expr *make_exists(struct level *level, struct logical *tree, int32_t location)
{
	struct binder *b = level->binder;
	struct bound_select select = {.tree = strip_for_exists(tree)};
	struct level_mark mark = {.kind = JOIN_EXISTS};
	struct subquery subquery;

	if (select.tree->kind == LOGICAL_GROUP)
		return expr_at(boolean(b, true, false), location);
	if (decorrelate(b, &select, location, &subquery) < 0)
		return NULL;
	mark.tree = subquery.tree;
	mark.on = subquery.on;
	mark.domain = subquery.domain;
	if (subquery.one_row) {
		if (subquery.condition.count == 0)
			return expr_at(boolean(b, true, false), location);
		mark.kind = JOIN_LEFT;
		mark.output = PLAN_NONE;
		note_mark(level, &mark);
		return expr_at(make_choice(b, all_of(b, &subquery.condition),
				       boolean(b, true, false), boolean(b, false, false)),
			location);
	}
	if (!reads_tree(&mark.on, mark.tree))
		mark.tree = cut_rows(b, mark.tree, 1);
	mark.output = binder_column(b, "exists", type_of(TYPE_BOOL));
	note_mark(level, &mark);
	return binder_column_expr(b, mark.output, location);
}

/* The query of an expression. */
static int bind_inner(struct level *level, const struct ast_expr *ast, struct bound_select *out)
{
	struct binder *b = level->binder;
	const struct recursion_bar bar = {"a subquery", b->bars};
	int result;

	b->bars = &bar;
	result = bind_subselect(b, &level->scope, ast->select, out);
	b->bars = bar.outer;
	return result;
}

struct expr *bind_exists(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct bound_select select;

	if (check_place(level, clause, ast->location) < 0 || bind_inner(level, ast, &select) < 0)
		return NULL;
	return make_exists(level, select.tree, ast->location);
}

/* The subquery of IN, bound once more: each time with columns of its own. */
static int bind_in_side(struct level *level, const struct ast_expr *ast, struct bound_select *out)
{
	struct binder *b = level->binder;

	if (bind_inner(level, ast, out) < 0)
		return -1;
	if (out->output_count != 1)
		return bind_error(b, ast->location, "subquery has %s columns",
			out->output_count ? "too many" : "no");
	return 0;
}

/* Whether the subquery has rows for which `test` is true; in all cases when it is NULL. */
static struct expr *exists_where(
	struct level *level, const struct bound_select *select, struct expr *test, int32_t location)
{
	struct binder *b = level->binder;
	struct logical_filter filter = {0};

	if (test)
		conjuncts_add(b->arena, &filter, test);
	return make_exists(level,
		logical_filter_new(b->arena, select->tree, filter.count, filter.conjuncts),
		location);
}

/*
 * NULL for what is not found, when the list has a NULL or when NULL is looked for in a list that
 * is not empty.
 */
static struct expr *in_or_null(
	struct level *level, const struct ast_expr *ast, struct expr *left, struct expr *found)
{
	struct binder *b = level->binder;
	struct bound_select with_null, any;
	struct expr *column, *parts[2], *args[5], *expr;

	if (bind_in_side(level, ast, &with_null) < 0 || bind_in_side(level, ast, &any) < 0)
		return NULL;
	column = binder_column_expr(b, with_null.outputs[0].id, ast->location);
	column = make_node(b, EXPR_IS_NULL, 1, &column, ast->location);
	parts[0] = make_node(b, EXPR_IS_NULL, 1, &left, ast->location);
	parts[1] = exists_where(level, &any, NULL, ast->location);
	if (!parts[1])
		return NULL;
	parts[1] = make_node(b, EXPR_AND, 2, parts, ast->location);
	parts[0] = exists_where(level, &with_null, column, ast->location);
	if (!parts[0])
		return NULL;
	args[0] = found;
	args[1] = boolean(b, true, false);
	args[2] = make_node(b, EXPR_OR, 2, parts, ast->location);
	args[3] = boolean(b, false, true);
	args[4] = boolean(b, false, false);
	expr = make_node(b, EXPR_CASE, 5, args, ast->location);
	expr->type = type_of(TYPE_BOOL);
	return expr;
}

/*
 * x < ANY (SELECT y ...) is EXISTS (... AND x < y), but for the NULLs, which a filter treats alike.
 * IN is = ANY.
 */
static struct expr *bind_in_correlated(struct level *level, const struct ast_expr *ast,
	struct expr *left, const struct bound_select *select, bool in_filter)
{
	struct binder *b = level->binder;
	struct expr *column = binder_column_expr(b, select->outputs[0].id, ast->location);
	struct expr *test = bind_operator(b, ast->text, left, column, ast->location);
	struct expr *found = test ? exists_where(level, select, test, ast->location) : NULL;

	if (!found || in_filter)
		return found;
	left = coerce_known(b, left);
	return left ? in_or_null(level, ast, left, found) : NULL;
}

/* A row of the subquery, compared with one of the query around; the subquery is bound for it. */
static struct expr *compare_row(struct level *level, const struct ast_expr *ast, uint32_t count,
	struct expr *const *left, struct bound_select *select)
{
	struct binder *b = level->binder;
	struct expr **tests = arena_alloc(b->arena, (count + 1) * sizeof(struct expr *));

	if (bind_inner(level, ast, select) < 0)
		return NULL;
	if (select->output_count != count) {
		bind_error(b, ast->location, "subquery has too %s columns",
			select->output_count > count ? "many" : "few");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		tests[i] = bind_operator(b, ast->text, left[i],
			binder_column_expr(b, select->outputs[i].id, ast->location), ast->location);
		if (!tests[i])
			return NULL;
	}
	if (count == 1)
		return tests[0];
	return make_node(
		b, strcmp(ast->text, "=") == 0 ? EXPR_AND : EXPR_OR, count, tests, ast->location);
}

/* (a, b) IN (SELECT ...): NULL where no row is equal and the comparison with some row is NULL. */
static struct expr *bind_row_in_select(
	struct level *level, enum clause clause, const struct ast_expr *ast, bool in_filter)
{
	struct binder *b = level->binder;
	struct bound_select select;
	struct expr **left = bind_args(level, clause, ast->args[0]), *args[5], *test;

	if (strcmp(ast->text, "=") != 0 && strcmp(ast->text, "<>") != 0) {
		bind_error(b, ast->location, "rows are only compared by = and <> with a subquery");
		return NULL;
	}
	test = left ? compare_row(level, ast, ast->args[0]->arg_count, left, &select) : NULL;
	args[0] = test ? exists_where(level, &select, test, ast->location) : NULL;
	if (!args[0] || in_filter)
		return args[0];
	test = compare_row(level, ast, ast->args[0]->arg_count, left, &select);
	test = test ? make_node(b, EXPR_IS_NULL, 1, &test, ast->location) : NULL;
	args[2] = test ? exists_where(level, &select, test, ast->location) : NULL;
	if (!args[2])
		return NULL;
	args[1] = boolean(b, true, false);
	args[3] = boolean(b, false, true);
	args[4] = boolean(b, false, false);
	test = make_node(b, EXPR_CASE, 5, args, ast->location);
	test->type = type_of(TYPE_BOOL);
	return test;
}

static struct expr *bind_in(
	struct level *level, enum clause clause, const struct ast_expr *ast, bool in_filter)
{
	struct level_mark mark = {.kind = JOIN_MARK};
	struct bound_select select;

	if (check_place(level, clause, ast->location) < 0)
		return NULL;
	if (ast->args[0]->kind == AST_ROW)
		return bind_row_in_select(level, clause, ast, in_filter);
	mark.left = bind_expr(level, clause, ast->args[0]);
	if (!mark.left || bind_in_side(level, ast, &select) < 0)
		return NULL;
	if (strcmp(ast->text, "=") != 0 || select_is_correlated(level->binder, &select))
		return bind_in_correlated(level, ast, mark.left, &select, in_filter);
	mark.tree = select.tree;
	mark.column = select.outputs[0].id;
	if (match_mark_types(level, &mark, ast->location) < 0)
		return NULL;
	mark.output = binder_column(level->binder, "in_subquery", type_of(TYPE_BOOL));
	note_mark(level, &mark);
	return binder_column_expr(level->binder, mark.output, ast->location);
}

struct expr *bind_in_select(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	return bind_in(level, clause, ast, false);
}

struct expr *bind_filter(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct expr **args;

	if (ast->kind == AST_IN_SELECT)
		return bind_in(level, clause, ast, true);
	if (ast->kind != AST_AND)
		return bind_condition(level, clause, ast);
	args = arena_alloc(b->arena, ast->arg_count * sizeof(struct expr *));
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		const struct ast_expr *part = ast->args[i];

		if (part->kind == AST_AND || part->kind == AST_IN_SELECT)
			args[i] = bind_filter(level, clause, part);
		else
			args[i] = bind_expr(level, clause, part);
		args[i] = args[i] ? coerce_boolean(b, args[i], "AND") : NULL;
		if (!args[i])
			return NULL;
	}
	return make_node(b, EXPR_AND, ast->arg_count, args, ast->location);
}

/* Whether each column has one value among the rows of the tree that meet an outer row. */
static bool are_fixed(const struct logical_filter *on, const struct logical *tree, uint32_t count,
	const uint32_t *columns)
{
	uint32_t fixed = 0;

	for (uint32_t c = 0; c < count; c++)
		for (uint32_t i = 0; i < on->count; i++) {
			struct expr *test = on->conjuncts[i];
			struct logical_filter other = {.count = 1};

			if (test->kind != EXPR_CALL ||
				(test->function != FN_EQ && test->function != FN_NOT_DISTINCT) ||
				test->args[0]->kind != EXPR_COLUMN ||
				test->args[0]->column != columns[c])
				continue;
			other.conjuncts = &test->args[1];
			if (reads_tree(&other, tree))
				continue;
			fixed++;
			break;
		}
	return fixed == count;
}

/* Whether no two rows of the tree can meet the same outer row. */
static bool has_one_row(const struct logical *tree, const struct logical_filter *on)
{
	const struct logical *top = tree;

	while (tree->kind == LOGICAL_EXTEND || tree->kind == LOGICAL_FILTER)
		tree = tree->inputs[0];
	return tree->kind == LOGICAL_ONE_ROW ||
	       (tree->kind == LOGICAL_GROUP &&
		       are_fixed(on, top, tree->group.key_count, tree->group.keys)) ||
	       (tree->kind == LOGICAL_TOP && tree->top.limit <= 1 &&
		       are_fixed(on, top, tree->top.partition_count, tree->top.partition));
}

/* The subquery's value, over the rows of the join. */
static struct expr *settle_value(
	struct binder *b, const struct subquery *subquery, struct level_mark *mark)
{
	struct expr *value = subquery->outputs[0];
	struct extender extender = {.binder = b};

	if (subquery->one_row) {
		if (subquery->condition.count)
			value = make_choice(b, all_of(b, &subquery->condition), value, NULL);
	} else if (!expr_reads_only(value, mark->tree->column_count, mark->tree->columns)) {
		/* It reads the outer row, and must be NULL all the same when nothing meets. */
		struct expr *met = binder_column_expr(
			b, extender_id(&extender, boolean(b, true, false), "met"), value->location);

		extender_apply(&extender, &mark->tree);
		value = make_choice(b, met, value, NULL);
	}
	return value;
}

/* `value`, unless a second row meets. */
static struct expr *guard_value(struct binder *b, uint32_t second, struct expr *value)
{
	struct value null = {.type = value->type, .is_null = true};
	struct expr *met = binder_column_expr(b, second, value->location);
	struct expr *test =
		make_call(b, FN_SECOND_ROW, type_of(TYPE_BOOL), 1, &met, value->location);

	return make_choice(b, test, expr_constant(b->arena, &null), value);
}

/* The one value that the select yields, or NULL. */
static struct expr *value_of_select(
	struct level *level, const struct bound_select *select, int32_t location)
{
	struct binder *b = level->binder;
	struct level_mark mark = {.kind = JOIN_LEFT, .output = PLAN_NONE};
	struct subquery subquery;
	struct expr *value;

	if (select->output_count != 1) {
		bind_error(b, location, "subquery must return only one column");
		return NULL;
	}
	if (decorrelate(b, select, location, &subquery) < 0)
		return NULL;
	mark.tree = subquery.tree;
	mark.on = subquery.on;
	mark.domain = subquery.domain;
	if (!subquery.one_row && !has_one_row(mark.tree, &mark.on)) {
		mark.kind = JOIN_SINGLE;
		mark.output = binder_column(b, "second", type_of(TYPE_BOOL));
		/* Two rows are enough to see that there are too many. */
		if (!reads_tree(&mark.on, mark.tree))
			mark.tree = cut_rows(b, mark.tree, 2);
	}
	value = settle_value(b, &subquery, &mark);
	if (mark.kind == JOIN_SINGLE)
		value = guard_value(b, mark.output, value);
	note_mark(level, &mark);
	return expr_at(value, location);
}

struct expr *bind_scalar(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct bound_select select;

	if (check_place(level, clause, ast->location) < 0 || bind_inner(level, ast, &select) < 0)
		return NULL;
	return value_of_select(level, &select, ast->location);
}

/* ARRAY(SELECT ...) is array_agg() over its rows, in their order; no rows are an empty list. */
struct expr *bind_array_select(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct value empty = {.type = type_of(TYPE_TEXT_LIST)};
	struct logical_aggregate list = {
		.id = AGG_ARRAY_AGG, .arg2 = PLAN_NONE, .filter = PLAN_NONE};
	struct logical_group group = {.aggregate_count = 1, .aggregates = NULL};
	struct logical_query query;
	struct bound_select select = {.output_count = 1};
	const struct recursion_bar bar = {"a subquery", b->bars};
	struct expr *args[2], *expr;
	char name[TYPE_NAME_MAX];
	int result;

	if (check_place(level, clause, ast->location) < 0)
		return NULL;
	b->bars = &bar;
	result = bind_select(b, &level->scope, ast->select, false, &query);
	b->bars = bar.outer;
	if (result < 0)
		return NULL;
	if (query.output_count != 1) {
		bind_error(b, ast->location, "subquery must return only one column");
		return NULL;
	}
	list.arg = query.outputs[0].id;
	if (!aggregate_result_type(list.id, b->columns->list[list.arg].type, &empty.type)) {
		bind_error(b, ast->location, "ARRAY(SELECT ...) of %s is not supported",
			type_name(b->columns->list[list.arg].type, name));
		return NULL;
	}
	list.sort_count = query.sort_count;
	list.sort = query.sort;
	list.output = binder_column(b, "array", empty.type);
	group.aggregates = arena_alloc(b->arena, sizeof(list));
	group.aggregates[0] = list;
	select.tree = logical_group_new(b->arena, query_tree(b, &query), &group);
	select.outputs = arena_zalloc(b->arena, sizeof(*select.outputs));
	select.outputs[0] = (struct logical_output){.name = "array", .id = list.output};
	args[0] = value_of_select(level, &select, ast->location);
	if (!args[0])
		return NULL;
	args[1] = expr_constant(b->arena, &empty);
	expr = make_node(b, EXPR_COALESCE, 2, args, ast->location);
	expr->type = empty.type;
	return expr;
}

static void place_read(struct level *level, uint32_t count, struct expr *const *exprs)
{
	if (count == 0)
		return;
	place_unnests(level, count, exprs);
	place_marks(level, count, exprs);
}

/* IN (SELECT ...): the value as a key. Others: the conditions that tie the rows. */
static void place_mark(struct level *level, struct level_mark *mark)
{
	struct binder *b = level->binder;
	struct extender extender = {.binder = b};
	struct logical_join join = {.kind = mark->kind, .on = mark->on, .mark = mark->output};

	mark->placed = true;
	/* What it reads may hold another subquery, or a list's items. */
	place_read(level, mark->on.count, mark->on.conjuncts);
	if (mark->left)
		place_read(level, 1, &mark->left);
	if (mark->domain)
		place_read(level, mark->domain->count, mark->domain->params);
	if (mark->domain && domain_place(b, mark->domain, &level->tree) < 0)
		b->failed = true;
	if (mark->kind == JOIN_MARK) {
		join.key_count = 1;
		join.keys[0] = arena_alloc(b->arena, sizeof(uint32_t));
		join.keys[1] = arena_alloc(b->arena, sizeof(uint32_t));
		join.keys[0][0] = extender_id(&extender, mark->left, "value");
		join.keys[1][0] = mark->column;
		extender_apply(&extender, &level->tree);
	}
	level->tree = logical_join_new(b->arena, level->tree, mark->tree, &join);
}

static bool reads_mark(const struct expr *expr, const struct level_mark *mark)
{
	if (mark->output != PLAN_NONE)
		return expr_reads_column(expr, mark->output);
	for (uint32_t i = 0; i < mark->tree->column_count; i++)
		if (expr_reads_column(expr, mark->tree->columns[i]))
			return true;
	return false;
}

bool reads_marks(const struct level *level, const struct expr *expr)
{
	for (uint32_t i = 0; i < level->mark_count; i++)
		if (!level->marks[i].placed && reads_mark(expr, &level->marks[i]))
			return true;
	return false;
}

void place_marks(struct level *level, uint32_t count, struct expr *const *exprs)
{
	for (uint32_t i = 0; i < level->mark_count; i++)
		for (uint32_t j = 0; j < count; j++)
			if (!level->marks[i].placed && reads_mark(exprs[j], &level->marks[i]))
				place_mark(level, &level->marks[i]);
}
