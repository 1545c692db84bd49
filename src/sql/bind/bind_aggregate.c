/*
 * What an expression asks for that no expression can do alone: aggregates and, in bind_window.c,
 * window functions. Each is noted in the level under a column id of its own, and the expression
 * goes on with that column; bind_select.c puts the operators that yield them into the tree.
 */
#include "sql/bind/bind_private.h"

#include <string.h>

struct aggregate_word {
	const char *name;
	enum aggregate_id id;
};

static const struct aggregate_word aggregate_words[] = {
	{"count", AGG_COUNT},
	{"sum", AGG_SUM},
	{"avg", AGG_AVG},
	{"min", AGG_MIN},
	{"max", AGG_MAX},
	{"bool_and", AGG_BOOL_AND},
	{"every", AGG_BOOL_AND},
	{"bool_or", AGG_BOOL_OR},
	{"bit_and", AGG_BIT_AND},
	{"bit_or", AGG_BIT_OR},
	{"bit_xor", AGG_BIT_XOR},
	{"stddev", AGG_STDDEV_SAMP},
	{"stddev_samp", AGG_STDDEV_SAMP},
	{"stddev_pop", AGG_STDDEV_POP},
	{"variance", AGG_VAR_SAMP},
	{"var_samp", AGG_VAR_SAMP},
	{"var_pop", AGG_VAR_POP},
	{"corr", AGG_CORR},
	{"covar_samp", AGG_COVAR_SAMP},
	{"covar_pop", AGG_COVAR_POP},
	{"regr_count", AGG_REGR_COUNT},
	{"regr_sxx", AGG_REGR_SXX},
	{"regr_syy", AGG_REGR_SYY},
	{"regr_sxy", AGG_REGR_SXY},
	{"regr_avgx", AGG_REGR_AVGX},
	{"regr_avgy", AGG_REGR_AVGY},
	{"regr_r2", AGG_REGR_R2},
	{"regr_slope", AGG_REGR_SLOPE},
	{"regr_intercept", AGG_REGR_INTERCEPT},
	{"string_agg", AGG_STRING_AGG},
	{"array_agg", AGG_ARRAY_AGG},
	{"percentile_cont", AGG_PERCENTILE_CONT},
	{"percentile_disc", AGG_PERCENTILE_DISC},
	{"mode", AGG_MODE},
	{"column_summary", AGG_COLUMN_SUMMARY},
};

static const struct aggregate_word *find_aggregate(const char *name)
{
	for (size_t i = 0; i < sizeof(aggregate_words) / sizeof(aggregate_words[0]); i++)
		if (strcmp(aggregate_words[i].name, name) == 0)
			return &aggregate_words[i];
	return NULL;
}

bool is_aggregate_name(const char *name)
{
	return find_aggregate(name) != NULL || is_json_aggregate(name);
}

const char *clause_name(enum clause clause)
{
	switch (clause) {
	case CLAUSE_SELECT: return "SELECT";
	case CLAUSE_HAVING: return "HAVING";
	case CLAUSE_ORDER_BY: return "ORDER BY";
	case CLAUSE_WHERE: return "WHERE";
	case CLAUSE_ON: return "JOIN/ON";
	case CLAUSE_GROUP_BY: return "GROUP BY";
	case CLAUSE_VALUES: return "VALUES";
	case CLAUSE_LIMIT: return "LIMIT";
	case CLAUSE_FROM: return "functions in FROM";
	case CLAUSE_AGGREGATE: return "an aggregate function";
	case CLAUSE_FILTER: return "FILTER";
	case CLAUSE_WINDOW: return "a window definition";
	case CLAUSE_WINDOW_ARGUMENT: return "a window function";
	}
	return "";
}

int check_aggregate_place(struct binder *b, enum clause clause, const struct ast_expr *ast)
{
	switch (clause) {
	case CLAUSE_SELECT:
	case CLAUSE_HAVING:
	case CLAUSE_ORDER_BY:
	case CLAUSE_WINDOW:
	case CLAUSE_WINDOW_ARGUMENT: return 0;
	case CLAUSE_AGGREGATE:
		return bind_error(b, ast->location, "aggregate function calls cannot be nested");
	case CLAUSE_ON:
		return bind_error(
			b, ast->location, "aggregate functions are not allowed in JOIN conditions");
	default:
		return bind_error(b, ast->location, "aggregate functions are not allowed in %s",
			clause_name(clause));
	}
}

/* Both NULL, or equal. */
static bool same_expr(const struct expr *a, const struct expr *b)
{
	if (!a || !b)
		return a == b;
	return expr_equal(a, b);
}

bool same_sort_keys(uint32_t count, struct expr *const *a, const struct plan_sort_key *a_keys,
	struct expr *const *b, const struct plan_sort_key *b_keys)
{
	for (uint32_t i = 0; i < count; i++)
		if (!expr_equal(a[i], b[i]) || a_keys[i].descending != b_keys[i].descending ||
			a_keys[i].nulls_first != b_keys[i].nulls_first)
			return false;
	return true;
}

int bind_sort_keys(struct level *level, enum clause clause, uint32_t count,
	const struct ast_sort *sorts, struct expr **exprs, struct plan_sort_key *keys)
{
	for (uint32_t i = 0; i < count; i++) {
		struct expr *expr = bind_expr(level, clause, sorts[i].expr);

		exprs[i] = expr ? coerce_known(level->binder, expr) : NULL;
		if (!exprs[i])
			return -1;
		keys[i] = (struct plan_sort_key){
			.descending = sorts[i].descending, .nulls_first = sorts[i].nulls_first};
	}
	return 0;
}

static bool same_aggregate(const struct level_aggregate *a, const struct level_aggregate *b)
{
	return a->id == b->id && a->distinct == b->distinct && same_expr(a->arg, b->arg) &&
	       same_expr(a->arg2, b->arg2) && same_expr(a->filter, b->filter) &&
	       a->fraction == b->fraction && a->sort_count == b->sort_count &&
	       same_sort_keys(a->sort_count, a->sort, a->sort_keys, b->sort, b->sort_keys);
}

/* An equal aggregate is computed once. */
struct expr *note_aggregate(struct level *level, const struct level_aggregate *wanted,
	const struct ast_expr *ast, struct type type)
{
	struct binder *b = level->binder;
	struct level_aggregate *note;

	for (uint32_t i = 0; i < level->aggregate_count; i++)
		if (same_aggregate(&level->aggregates[i], wanted))
			return binder_column_expr(b, level->aggregates[i].output, ast->location);
	level->aggregates =
		list_room(b->arena, level->aggregates, level->aggregate_count, sizeof(*note));
	note = &level->aggregates[level->aggregate_count++];
	*note = *wanted;
	note->output = binder_column(b, ast->text, type);
	return binder_column_expr(b, note->output, ast->location);
}

static bool is_value(const struct expr *expr)
{
	return expr->kind == EXPR_CONSTANT && !expr->constant.is_null;
}

/* Those that take their values from WITHIN GROUP (ORDER BY ...). */
static bool is_ordered_set(enum aggregate_id id)
{
	return id == AGG_PERCENTILE_CONT || id == AGG_PERCENTILE_DISC || id == AGG_MODE;
}

static uint32_t argument_count(enum aggregate_id id)
{
	if (id == AGG_MODE)
		return 0;
	return aggregate_has_two_arguments(id) ? 2 : 1;
}

static int check_arguments(struct binder *b, enum aggregate_id id, const struct ast_expr *ast)
{
	static const char *const counts[] = {"no argument", "one argument", "two arguments"};
	bool within_group = ast->call->within_group;

	if (is_ordered_set(id) && !within_group)
		return bind_error(b, ast->location,
			"WITHIN GROUP is required for ordered-set aggregate %s", ast->text);
	if (!is_ordered_set(id) && within_group)
		return bind_error(b, ast->location,
			"%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
			ast->text);
	if (ast->call->star ? id != AGG_COUNT : ast->arg_count != argument_count(id))
		return bind_error(
			b, ast->location, "%s takes %s", ast->text, counts[argument_count(id)]);
	if (within_group && ast->call->sort_count != 1)
		return bind_error(b, ast->location, "%s takes one ORDER BY expression", ast->text);
	return 0;
}

/* Both as the type that the aggregate takes: doubles, or texts for string_agg. */
static int bind_two_arguments(struct level *level, enum clause clause, const struct ast_expr *ast,
	struct level_aggregate *out)
{
	struct binder *b = level->binder;
	struct type type = type_of(out->id == AGG_STRING_AGG ? TYPE_TEXT : TYPE_DOUBLE);
	struct expr *args[2];

	if (bind_exprs(level, clause, 2, ast->args, args) < 0)
		return -1;
	for (uint32_t i = 0; i < 2; i++) {
		if (type_converts_implicitly(args[i]->type.kind, type.kind))
			continue;
		no_function(b, ast, 2, args);
		return -1;
	}
	out->arg = coerce(b, args[0], type);
	out->arg2 = out->arg ? coerce(b, args[1], type) : NULL;
	return out->arg2 ? 0 : -1;
}

#define FRACTION_NULL (-1.0)

static int take_fraction(
	struct binder *b, const struct ast_expr *ast, struct expr *fraction, double *out)
{
	fraction = coerce(b, fraction, type_of(TYPE_DOUBLE));
	if (!fraction)
		return -1;
	if (fraction->kind != EXPR_CONSTANT)
		return bind_error(b, ast->args[0]->location,
			"the fraction of %s must be a constant", ast->text);
	*out = fraction->constant.is_null ? FRACTION_NULL : fraction->constant.f64;
	if (!fraction->constant.is_null && !(*out >= 0 && *out <= 1))
		return bind_error(b, ast->args[0]->location,
			"percentile value %g is not between 0 and 1", *out);
	return 0;
}

static int take_fractions(struct binder *b, const struct ast_expr *ast, struct expr *list,
	struct level_aggregate *out)
{
	bool made = list->kind == EXPR_CALL && list->function == FN_LIST_MAKE;
	bool constant = list->kind == EXPR_CONSTANT && !list->constant.is_null;
	struct expr **items = made ? list->args : constant ? list_items(b, list) : NULL;
	uint32_t count = made ? list->arg_count : constant ? list->constant.list.count : 0;

	if (count == 0)
		return bind_error(b, ast->args[0]->location,
			"the fractions of %s must be written out: ARRAY[0.25, 0.5, ...]",
			ast->text);
	out->fraction_count = count;
	out->fractions = arena_alloc(b->arena, count * sizeof(*out->fractions));
	for (uint32_t i = 0; i < count; i++)
		if (take_fraction(b, ast, items[i], &out->fractions[i]) < 0)
			return -1;
	return 0;
}

/* What percentile_cont and percentile_disc are asked for: one constant, or an array of them. */
static int bind_fraction(
	struct level *level, const struct ast_expr *ast, struct level_aggregate *out)
{
	struct binder *b = level->binder;
	struct expr *fraction = bind_expr(level, CLAUSE_AGGREGATE, ast->args[0]);

	if (!fraction)
		return -1;
	if (type_is_array(fraction->type.kind) &&
		type_converts_implicitly(type_element_of(fraction->type).kind, TYPE_DOUBLE))
		return take_fractions(b, ast, fraction, out);
	if (!type_converts_implicitly(fraction->type.kind, TYPE_DOUBLE)) {
		no_function(b, ast, 1, &fraction);
		return -1;
	}
	if (take_fraction(b, ast, fraction, &out->fraction) < 0)
		return -1;
	if (out->fraction == FRACTION_NULL)
		return bind_error(b, ast->args[0]->location,
			"the fraction of %s must be a constant", ast->text);
	return 0;
}

/* One aggregate for each fraction, as an array; NULL where there are no values at all. */
static struct expr *note_percentiles(struct level *owner, const struct level_aggregate *wanted,
	const struct ast_expr *ast, struct type type)
{
	struct binder *b = owner->binder;
	uint32_t count = wanted->fraction_count;
	struct expr **items = arena_alloc(b->arena, (count + 1) * sizeof(struct expr *));
	struct value null = {.type = type, .is_null = true};
	struct level_aggregate one = *wanted;
	struct expr *any, *test;

	for (uint32_t i = 0; i < count; i++) {
		one.fraction = wanted->fractions[i];
		items[i] = one.fraction == FRACTION_NULL ? expr_constant(b->arena, &null)
							 : note_aggregate(owner, &one, ast, type);
		if (items[i]->type.kind != type.kind)
			return NULL;
	}
	one.fraction = count && wanted->fractions[0] != FRACTION_NULL ? wanted->fractions[0] : 0;
	any = note_aggregate(owner, &one, ast, type);
	test = make_node(b, EXPR_IS_NULL, 1, &any, ast->location);
	test = make_node(b, EXPR_NOT, 1, &test, ast->location);
	return make_choice(b, test,
		make_call(b, FN_LIST_MAKE, type_array_of(type_of(type.kind)), count, items,
			ast->location),
		NULL);
}

/* WITHIN GROUP (ORDER BY x): x is both what is sorted and the argument. */
static int bind_ordered_set(
	struct level *level, const struct ast_expr *ast, struct level_aggregate *out)
{
	struct binder *b = level->binder;

	if (out->id != AGG_MODE && bind_fraction(level, ast, out) < 0)
		return -1;
	out->sort_count = 1;
	out->sort = arena_alloc(b->arena, sizeof(struct expr *));
	out->sort_keys = arena_alloc(b->arena, sizeof(*out->sort_keys));
	if (bind_sort_keys(level, CLAUSE_AGGREGATE, 1, ast->call->sort, out->sort, out->sort_keys) <
		0)
		return -1;
	if (out->id == AGG_PERCENTILE_CONT && type_is_number(out->sort[0]->type.kind))
		out->sort[0] = coerce(b, out->sort[0], type_of(TYPE_DOUBLE));
	out->arg = out->sort[0];
	return out->arg ? 0 : -1;
}

/*
 * ORDER BY among the arguments. Only string_agg and array_agg care; a constant among the keys
 * orders nothing.
 */
static int bind_aggregate_sort(
	struct level *level, const struct ast_expr *ast, struct level_aggregate *out)
{
	uint32_t count = ast->call->sort_count;
	struct arena *arena = level->binder->arena;

	out->sort = arena_alloc(arena, (count + 1) * sizeof(struct expr *));
	out->sort_keys = arena_alloc(arena, (count + 1) * sizeof(*out->sort_keys));
	if (bind_sort_keys(
		    level, CLAUSE_AGGREGATE, count, ast->call->sort, out->sort, out->sort_keys) < 0)
		return -1;
	for (uint32_t i = 0; i < count && out->distinct; i++)
		if (!same_expr(out->sort[i], out->arg) && !same_expr(out->sort[i], out->arg2))
			return bind_error(level->binder, ast->call->sort[i].expr->location,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear "
				"in argument list");
	for (uint32_t i = 0; i < count && aggregate_is_ordered(out->id); i++) {
		if (out->sort[i]->kind == EXPR_CONSTANT)
			continue;
		out->sort[out->sort_count] = out->sort[i];
		out->sort_keys[out->sort_count++] = out->sort_keys[i];
	}
	return 0;
}

static int bind_one_argument(struct level *level, enum clause clause, const struct ast_expr *ast,
	struct level_aggregate *out)
{
	struct expr *arg = bind_expr(level, clause, ast->args[0]);
	char name[TYPE_NAME_MAX];

	out->arg = arg ? coerce_known(level->binder, arg) : NULL;
	if (!out->arg)
		return -1;
	/* A time of day is added up as an interval. */
	if ((out->id == AGG_SUM || out->id == AGG_AVG) && out->arg->type.kind == TYPE_TIME)
		out->arg = coerce(level->binder, out->arg, type_of(TYPE_INTERVAL));
	if (!out->arg)
		return -1;
	if (out->id == AGG_ARRAY_AGG && type_is_array(out->arg->type.kind))
		return bind_error(level->binder, out->arg->location,
			"array_agg of %s is not supported: arrays have one dimension",
			type_name(out->arg->type, name));
	return 0;
}

int bind_aggregate_call(struct level *level, enum clause arguments, const struct ast_expr *ast,
	struct level_aggregate *out, struct type *type)
{
	struct binder *b = level->binder;
	int result = 0;

	*out = (struct level_aggregate){
		.id = find_aggregate(ast->text)->id, .distinct = ast->call->distinct};
	if (check_arguments(b, out->id, ast) < 0)
		return -1;
	if (ast->call->filter) {
		out->filter = bind_condition(level, CLAUSE_FILTER, ast->call->filter);
		if (!out->filter)
			return -1;
	}
	if (is_ordered_set(out->id))
		result = bind_ordered_set(level, ast, out);
	else if (argument_count(out->id) == 2)
		result = bind_two_arguments(level, arguments, ast, out);
	else if (!ast->call->star)
		result = bind_one_argument(level, arguments, ast, out);
	if (result == 0 && !ast->call->within_group)
		result = bind_aggregate_sort(level, ast, out);
	if (result < 0)
		return -1;
	/* count(1) counts rows; MIN, MAX and the booleans do not care for duplicates. */
	if (out->id == AGG_COUNT && (!out->arg || (is_value(out->arg) && !out->distinct))) {
		out->id = AGG_COUNT_STAR;
		out->arg = NULL;
	}
	if (out->id >= AGG_MIN && out->id <= AGG_BOOL_OR)
		out->distinct = false;
	/* Which of 1 mon and 30 days is added would depend on which came first. */
	if (out->distinct && out->arg && out->arg->type.kind == TYPE_INTERVAL &&
		(out->id == AGG_SUM || out->id == AGG_AVG))
		return bind_error(b, ast->location,
			"%s(DISTINCT ...) of intervals is not supported", ast->text);
	if (aggregate_result_type(out->id, out->arg ? out->arg->type : type_of(TYPE_BIGINT), type))
		return 0;
	no_function(b, ast, 1, &out->arg);
	return -1;
}

static bool columns_read(
	uint32_t count, const struct scope_column *columns, const struct expr *expr)
{
	for (uint32_t i = 0; i < count; i++)
		if (expr_reads_column(expr, columns[i].id))
			return true;
	return false;
}

/* Whether one of the expressions reads a column of this query. */
static bool reads_scope(uint32_t count, struct expr *const *exprs, const struct scope *scope)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!exprs[i])
			continue;
		if (columns_read(scope->column_count, scope->columns, exprs[i]))
			return true;
		for (uint32_t j = 0; j < scope->table_count; j++)
			if (columns_read(scope->tables[j].column_count, scope->tables[j].columns,
				    exprs[i]))
				return true;
	}
	return false;
}

struct level *find_owner(struct level *level, uint32_t count, struct expr *const *exprs)
{
	const struct scope *scope = &level->scope;

	while (scope && !reads_scope(count, exprs, scope))
		scope = scope->outer;
	return scope && scope != &level->scope ? scope->level : level;
}

/*
 * What the aggregate reads: its expressions, and what the subqueries in them, which are the level's marks from
 * `first_mark` on, read of the queries around.
 */
static uint32_t list_read(const struct level *level, const struct level_aggregate *aggregate,
	uint32_t first_mark, struct expr ***out)
{
	struct binder *b = level->binder;
	uint32_t room = 3 + aggregate->sort_count, count = 0;
	struct expr **held;

	for (uint32_t i = first_mark; i < level->mark_count; i++)
		room += 1 + level->marks[i].on.count +
			(level->marks[i].domain ? level->marks[i].domain->count : 0);
	held = arena_alloc(b->arena, room * sizeof(struct expr *));
	held[count++] = aggregate->arg;
	held[count++] = aggregate->arg2;
	held[count++] = aggregate->filter;
	for (uint32_t i = 0; i < aggregate->sort_count; i++)
		held[count++] = aggregate->sort[i];
	for (uint32_t i = first_mark; i < level->mark_count; i++) {
		const struct level_mark *mark = &level->marks[i];

		held[count++] = mark->left;
		for (uint32_t j = 0; j < mark->on.count; j++)
			held[count++] = mark->on.conjuncts[j];
		for (uint32_t j = 0; mark->domain && j < mark->domain->count; j++)
			held[count++] = binder_column_expr(b, mark->domain->outer[j], -1);
	}
	*out = held;
	return count;
}

/*
 * An aggregate of a query around, in the argument of one that belongs to that query or to one further out. In a query
 * further in it would be a value like others.
 */
static bool holds_aggregate(
	const struct level *level, const struct level *owner, uint32_t count, struct expr **held)
{
	for (const struct scope *scope = level->scope.outer; scope; scope = scope->outer) {
		const struct level *around = scope->level;

		for (uint32_t a = 0; around && a < around->aggregate_count; a++)
			for (uint32_t i = 0; i < count; i++)
				if (held[i] &&
					expr_reads_column(held[i], around->aggregates[a].output))
					return true;
		if (around == owner)
			break;
	}
	return false;
}

/* Whether a column of the query or of one around it is read. */
static bool reads_queries(const struct level *level, uint32_t count, struct expr *const *held)
{
	for (const struct scope *scope = &level->scope; scope; scope = scope->outer)
		if (reads_scope(count, held, scope))
			return true;
	return false;
}

/* Over columns of a query around alone an aggregate is that query's. */
static int find_aggregate_owner(struct level *level, enum clause clause, const struct ast_expr *ast,
	const struct level_aggregate *aggregate, uint32_t first_mark, struct level **owner)
{
	struct binder *b = level->binder;
	struct expr **held;
	uint32_t count = list_read(level, aggregate, first_mark, &held);
	bool nested;

	*owner = find_owner(level, count, held);
	if (!*owner)
		return bind_error(b, ast->location,
			"aggregate functions are not allowed in FROM clause of their own query "
			"level");
	/* One over an aggregate alone would be the query's of that one. */
	nested = (*owner != level || !reads_queries(level, count, held)) &&
		 holds_aggregate(level, *owner != level ? *owner : NULL, count, held);
	if (nested)
		return check_aggregate_place(b, CLAUSE_AGGREGATE, ast);
	return check_aggregate_place(b, *owner == level ? clause : (*owner)->clause, ast);
}

/* Lists of what comes from a sorted subquery have its order, unless they have one of their own. */
static void take_order(const struct level *level, struct level_aggregate *aggregate)
{
	struct arena *arena = level->binder->arena;

	if (!aggregate_is_ordered(aggregate->id) || aggregate->sort_count > 0 ||
		aggregate->distinct)
		return;
	aggregate->sort_count = level->sorted_count;
	aggregate->sort = arena_alloc(arena, (level->sorted_count + 1) * sizeof(struct expr *));
	aggregate->sort_keys =
		arena_alloc(arena, (level->sorted_count + 1) * sizeof(*aggregate->sort_keys));
	for (uint32_t i = 0; i < level->sorted_count; i++) {
		aggregate->sort[i] = binder_column_expr(level->binder, level->sorted[i].column, -1);
		aggregate->sort_keys[i] = level->sorted[i];
	}
}

struct expr *bind_aggregate(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct level_aggregate wanted;
	struct level *owner;
	struct type type;
	uint32_t first_mark = level->mark_count;

	if (is_json_aggregate(ast->text))
		return bind_json_aggregate(level, clause, ast);
	if (bind_aggregate_call(level, CLAUSE_AGGREGATE, ast, &wanted, &type) < 0 ||
		find_aggregate_owner(level, clause, ast, &wanted, first_mark, &owner) < 0)
		return NULL;
	/* Subqueries in the arguments belong where the aggregate is computed: once more, from there. */
	if (owner != level && level->mark_count > first_mark) {
		level->mark_count = first_mark;
		return bind_aggregate(owner, owner->clause, ast);
	}
	take_order(owner, &wanted);
	if (wanted.fraction_count)
		return note_percentiles(owner, &wanted, ast, type);
	return note_aggregate(owner, &wanted, ast, type);
}
