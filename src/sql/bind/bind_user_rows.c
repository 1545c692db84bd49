/*
 * Functions of the schema in FROM. The body is a subquery with the arguments in place of the parameters, which reads
 * what stands to the left where they do; its columns have the declared names and types.
 */
#include "sql/bind/bind_from_private.h"

#include <string.h>
#include <strings.h>

const struct ast_function *find_user_rows(const struct binder *b, const struct ast_from *from)
{
	const struct ast_expr *call = from->function_count == 1 ? from->functions[0] : NULL;
	const struct ast_function *function;

	if (!call || call->kind != AST_CALL)
		return NULL;
	function = find_user_function(b, call->text, call->arg_count);
	return function && (function->returns_set || !function->type) ? function : NULL;
}

/* The declared columns: of the parameters, of a table, of the call (AS t (a int, b text)), or the one value. */
static int declared_columns(struct binder *b, const struct ast_from *from,
	const struct ast_function *function, uint32_t *count, const struct ast_parameter **columns)
{
	struct ast_parameter *one;

	*count = function->column_count;
	*columns = function->columns;
	if (function->column_count > 0)
		return 0;
	if (function->type) {
		one = arena_zalloc(b->arena, sizeof(*one));
		one->name = from->alias ? from->alias : function->name;
		one->type = function->type;
		*count = 1;
		*columns = one;
		return 0;
	}
	*count = from->defined_count;
	*columns = from->defined;
	if (*count == 0)
		return bind_error(b, from->functions[0]->location,
			"a column definition list is required for functions returning \"record\"");
	return 0;
}

/* Those of a table: as the catalog has them. */
static int row_of_table(struct binder *b, const struct ast_function *function, uint32_t column,
	const char **name, struct type *type)
{
	for (uint32_t t = 0; t < b->catalog->table_count; t++) {
		const struct table_schema *table = &b->catalog->tables[t];

		if (strcasecmp(table->name, function->row_of) != 0)
			continue;
		if (column >= table->column_count)
			return -1;
		*name = table->columns[column].name;
		*type = table->columns[column].type;
		return 0;
	}
	return -1;
}

static int wrong_count(struct binder *b, const struct ast_from *from,
	const struct ast_function *function, uint32_t declared, uint32_t found)
{
	return bind_error(b, from->functions[0]->location,
		"function %s is declared to return %u columns, but its body yields %u",
		function->name, declared, found);
}

/* Output `i` of the body under its declared name and type. */
static int declare_output(struct extender *extender, const struct ast_from *from,
	const struct ast_function *function, const struct ast_parameter *column, uint32_t i,
	struct logical_output *output)
{
	struct binder *b = extender->binder;
	struct expr *expr = binder_column_expr(b, output->id, from->functions[0]->location);
	struct type type;

	if (function->row_of) {
		if (row_of_table(b, function, i, &output->name, &type) < 0)
			return wrong_count(b, from, function, i, i + 1);
		expr = coerce_explicit(b, expr, type, expr->location);
	} else {
		output->name =
			column->name ? column->name : arena_printf(b->arena, "column%u", i + 1);
		expr = as_result(b, function, column->type, expr, expr->location);
	}
	if (!expr)
		return -1;
	output->id = extender_id(extender, expr, output->name);
	return 0;
}

static int declare(struct binder *b, const struct ast_from *from,
	const struct ast_function *function, struct bound_select *out)
{
	struct extender extender = {.binder = b};
	const struct ast_parameter *columns = NULL;
	uint32_t count = out->output_count;
	const char *name;
	struct type type;

	if (!function->row_of && declared_columns(b, from, function, &count, &columns) < 0)
		return -1;
	if (function->row_of && row_of_table(b, function, count, &name, &type) == 0)
		return wrong_count(b, from, function, count + 1, count);
	if (count != out->output_count)
		return wrong_count(b, from, function, count, out->output_count);
	for (uint32_t i = 0; i < count; i++)
		if (declare_output(&extender, from, function, columns ? &columns[i] : NULL, i,
			    &out->outputs[i]) < 0)
			return -1;
	extender_apply(&extender, &out->tree);
	return 0;
}

static struct ast_from *subquery(struct arena *arena, const char *alias, struct ast_select *select)
{
	struct ast_from *from = arena_zalloc(arena, sizeof(*from));

	from->kind = AST_FROM_SELECT;
	from->location = select->location;
	from->alias = alias;
	from->select = select;
	from->lateral = true;
	return from;
}

/*
 * One row, also where the body yields none: SELECT f.* FROM (VALUES (1)) AS one LEFT JOIN LATERAL (body LIMIT 1) AS f ON
 * true.
 */
static struct ast_select *one_row_of(struct arena *arena, const struct ast_select *body)
{
	static const char *const star[] = {"f"};
	static struct ast_expr one = {
		.kind = AST_INTEGER, .location = -1, .text = "1", .text_size = 1};
	static struct ast_expr yes = {.kind = AST_BOOL, .location = -1, .flag = true};
	static struct ast_expr *value = &one;
	static struct ast_row row = {1, &value};
	struct ast_select *first = arena_alloc(arena, sizeof(*first));
	struct ast_select *values = arena_zalloc(arena, sizeof(*values));
	struct ast_select *select = arena_zalloc(arena, sizeof(*select));
	struct ast_from *join = arena_zalloc(arena, sizeof(*join));
	struct ast_expr *all = arena_zalloc(arena, sizeof(*all));

	*first = *body;
	if (!first->limit)
		first->limit = &one;
	values->location = select->location = join->location = body->location;
	values->row_count = 1;
	values->rows = &row;
	join->kind = AST_FROM_JOIN;
	join->join = AST_JOIN_LEFT;
	join->on = &yes;
	join->left = subquery(arena, "one", values);
	join->left->lateral = false;
	join->right = subquery(arena, "f", first);
	all->kind = AST_STAR;
	all->location = body->location;
	all->name_count = 1;
	all->names = (const char **)arena_alloc(arena, sizeof(star));
	all->names[0] = star[0];
	select->from_count = 1;
	select->from = arena_alloc(arena, sizeof(struct ast_from *));
	select->from[0] = join;
	select->target_count = 1;
	select->targets = arena_zalloc(arena, sizeof(*select->targets));
	select->targets[0].expr = all;
	return select;
}

/* Of a STRICT function there are no rows, or one of NULLs, as soon as an argument is NULL. */
static struct ast_select *body_of(struct binder *b, const struct ast_function *function)
{
	return function->returns_set ? function->body : one_row_of(b->arena, function->body);
}

static void keep_strict(struct binder *b, const struct ast_function *function,
	struct expr *const *args, struct logical **tree)
{
	struct logical_filter given = {0};

	for (uint32_t i = 0; i < function->parameter_count && function->strict; i++) {
		struct expr *arg = args[i], *test = make_node(b, EXPR_IS_NULL, 1, &arg, -1);

		conjuncts_add(b->arena, &given, make_node(b, EXPR_NOT, 1, &test, -1));
	}
	if (given.count)
		*tree = logical_filter_new(b->arena, *tree, given.count, given.conjuncts);
}

/* The arguments may read what stands to the left of the call. */
static struct expr **bind_call(struct level *level, const struct scope *scope,
	const struct ast_from *from, const struct ast_function *function)
{
	struct scope saved = level->scope;
	struct expr **args;

	level->scope = *scope;
	args = bind_arguments(level, CLAUSE_FROM, from->functions[0], function);
	level->scope = saved;
	return args;
}

int bind_user_rows(struct level *level, const struct scope *scope, const struct ast_from *from,
	const struct ast_function *function, struct bound_select *out)
{
	struct binder *b = level->binder;
	struct expr **args = bind_call(level, scope, from, function);
	struct scope_parameters parameters = {
		function->parameter_count, function->parameters, args};
	const struct scope around = {.parameters = &parameters};
	struct function_body body;
	int status;

	if (!args)
		return -1;
	if (from->ordinality)
		return bind_error(b, from->location,
			"WITH ORDINALITY of a function of the schema is not supported");
	if (function->strict && !function->returns_set)
		return bind_error(
			b, from->location, "a STRICT function of one row is not supported in FROM");
	enter_body(b, function, &body);
	status = bind_subselect(b, &around, body_of(b, function), out);
	leave_body(b, &body);
	if (status < 0 || declare(b, from, function, out) < 0)
		return -1;
	keep_strict(b, function, args, &out->tree);
	return 0;
}
