#include "sql/parse/convert_private.h"

#include <string.h>
#include <strings.h>

/* The value of an option as text: 'x', true, 5. A bare name such as off parses as a type's name. */
static const char *option_value(struct converter *c, const PgQuery__Node *node)
{
	/* WITH (header) means header = true. */
	if (!node)
		return "true";
	switch (node->node_case) {
	case PG_QUERY__NODE__NODE_STRING: return node->string->sval;
	case PG_QUERY__NODE__NODE_TYPE_NAME: return last_name(NODES(node->type_name, names));
	case PG_QUERY__NODE__NODE_INTEGER: return arena_printf(c->arena, "%d", node->integer->ival);
	case PG_QUERY__NODE__NODE_FLOAT: return node->float_->fval;
	case PG_QUERY__NODE__NODE_BOOLEAN: return node->boolean->boolval ? "true" : "false";
	default: return "";
	}
}

struct sql_option *convert_options(struct converter *c, PgQuery__Node *const *nodes, uint32_t count)
{
	struct sql_option *options = arena_zalloc(c->arena, (count + 1) * sizeof(*options));

	for (uint32_t i = 0; i < count; i++) {
		const PgQuery__DefElem *option = nodes[i]->def_elem;

		options[i].name = option->defname;
		options[i].value = option_value(c, option->arg);
		options[i].location = option->location;
	}
	return options;
}

static int convert_column(
	struct converter *c, const PgQuery__Node *node, struct ast_column_def *column)
{
	const PgQuery__ColumnDef *definition = node->column_def;

	if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_DEF) {
		unsupported(c, node_location(node), "constraints on a CSV file are");
		return -1;
	}
	column->name = definition->colname;
	column->location = definition->location;
	if (definition->n_constraints) {
		unsupported(c, column->location, "constraints on a CSV column are");
		return -1;
	}
	column->option_count = (uint32_t)definition->n_fdwoptions;
	column->options = convert_options(c, definition->fdwoptions, column->option_count);
	column->type = convert_type(c, definition->type_name);
	return column->type ? 0 : -1;
}

static int convert_table(
	struct converter *c, const PgQuery__CreateStmt *statement, struct ast_create_table *table)
{
	table->name = statement->relation->relname;
	table->location = statement->relation->location;
	if (statement->n_inh_relations || statement->partspec || statement->partbound ||
		statement->of_typename) {
		unsupported(c, table->location, "INHERITS, PARTITION and OF are");
		return -1;
	}
	table->column_count = (uint32_t)statement->n_table_elts;
	table->columns =
		arena_zalloc(c->arena, (table->column_count + 1) * sizeof(*table->columns));
	for (uint32_t i = 0; i < table->column_count; i++)
		if (convert_column(c, statement->table_elts[i], &table->columns[i]) < 0)
			return -1;
	table->option_count = (uint32_t)statement->n_options;
	table->options = convert_options(c, statement->options, table->option_count);
	return 0;
}

/* SET TIME ZONE 'name', SET now = 'time', SET seed = 'number'. False for another statement. */
static bool convert_setting(
	struct converter *c, const PgQuery__Node *node, struct ast_schema *out, int *status)
{
	const PgQuery__VariableSetStmt *set;
	const PgQuery__Node *value;
	const char *text;
	struct error problem;

	if (!node || node->node_case != PG_QUERY__NODE__NODE_VARIABLE_SET_STMT)
		return false;
	set = node->variable_set_stmt;
	value = set->n_args == 1 ? set->args[0] : NULL;
	if (!value || value->node_case != PG_QUERY__NODE__NODE_A_CONST ||
		value->a_const->val_case != PG_QUERY__A__CONST__VAL_SVAL)
		return false;
	text = value->a_const->sval->sval;
	*status = 0;
	if (strcmp(set->name, "timezone") == 0)
		out->time_zone = text;
	else if (strcmp(set->name, "now") != 0 && strcmp(set->name, "seed") != 0)
		return false;
	else if (statement_start_set(&out->start, set->name, text, &problem))
		*status = source_error(c->source, -1, c->err, "%s", problem.message);
	return true;
}

/* IN and INOUT are parameters, INOUT, OUT and TABLE columns of what is returned. */
static int convert_parameter(
	struct converter *c, const PgQuery__FunctionParameter *from, struct ast_function *function)
{
	struct ast_parameter to = {.name = optional_name(from->name)};
	bool in = true, out = false;

	switch (from->mode) {
	case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_IN:
	case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_DEFAULT: break;
	case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT: out = true; break;
	case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT:
	case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE:
		in = false;
		out = true;
		break;
	default: unsupported(c, function->location, "VARIADIC parameters are"); return -1;
	}
	to.type = convert_type(c, from->arg_type);
	if (!to.type)
		return -1;
	if (from->defexpr) {
		to.otherwise = convert_expr(c, from->defexpr);
		if (!to.otherwise)
			return -1;
	}
	if (in)
		function->parameters[function->parameter_count++] = to;
	if (out)
		function->columns[function->column_count++] = to;
	return 0;
}

/* What is not one value: rows with the columns of the parameters, or those of a table. */
static int convert_result(struct converter *c, const PgQuery__TypeName *type,
	const struct ast_schema *schema, struct ast_function *function)
{
	const char *name = type ? last_name(NODES(type, names)) : NULL;
	PgQuery__TypeName one;

	function->returns_set = type && type->setof;
	/* One column of OUT is a value like another. */
	if (function->column_count == 1) {
		function->type = function->columns[0].type;
		return 0;
	}
	if (function->column_count > 1)
		return 0;
	if (!type) {
		unsupported(c, function->location,
			"procedures, and functions that return nothing, are");
		return -1;
	}
	for (uint32_t i = 0; i < schema->table_count; i++)
		if (strcmp(schema->tables[i].name, name) == 0)
			function->row_of = name;
	if (function->row_of || strcmp(name, "record") == 0)
		return 0;
	one = *type;
	one.setof = false;
	function->type = convert_type(c, &one);
	return function->type ? 0 : -1;
}

/* Of the options only the language, the body and STRICT matter; the others are hints to a planner. */
static int convert_function_option(
	struct converter *c, const PgQuery__DefElem *option, struct ast_function *function)
{
	if (strcmp(option->defname, "language") == 0 &&
		strcasecmp(option->arg->string->sval, "sql") != 0)
		return source_error(c->source, option->location, c->err,
			"functions in another language than SQL are not supported");
	if (strcmp(option->defname, "strict") == 0)
		function->strict = option->arg->boolean->boolval;
	if (strcmp(option->defname, "as") == 0)
		function->body_text = option->arg->list->items[0]->string->sval;
	return 0;
}

/* RETURN expression, as a SELECT of it. */
static struct ast_select *convert_return(struct converter *c, const PgQuery__Node *body)
{
	struct ast_select *select = arena_zalloc(c->arena, sizeof(*select));

	if (body->node_case != PG_QUERY__NODE__NODE_RETURN_STMT)
		return unsupported(c, -1, "BEGIN ATOMIC is");
	select->location = -1;
	select->target_count = 1;
	select->targets = arena_zalloc(c->arena, sizeof(*select->targets));
	select->targets[0].expr = convert_expr(c, body->return_stmt->returnval);
	return select->targets[0].expr ? select : NULL;
}

static int convert_function(struct converter *c, const PgQuery__CreateFunctionStmt *statement,
	const struct ast_schema *schema, struct ast_function *function)
{
	function->name = last_name(NODES(statement, funcname));
	function->source = *c->source;
	if (statement->is_procedure) {
		unsupported(c, function->location,
			"procedures, and functions that return nothing, are");
		return -1;
	}
	function->parameters = arena_zalloc(
		c->arena, (statement->n_parameters + 1) * sizeof(*function->parameters));
	function->columns =
		arena_zalloc(c->arena, (statement->n_parameters + 1) * sizeof(*function->columns));
	for (size_t i = 0; i < statement->n_parameters; i++)
		if (convert_parameter(c, statement->parameters[i]->function_parameter, function) <
			0)
			return -1;
	if (convert_result(c, statement->return_type, schema, function) < 0)
		return -1;
	for (size_t i = 0; i < statement->n_options; i++)
		if (convert_function_option(c, statement->options[i]->def_elem, function) < 0)
			return -1;
	if (!statement->sql_body)
		return function->body_text ? 0
					   : source_error(c->source, function->location, c->err,
						     "function \"%s\" has no body", function->name);
	c->in_function = true;
	c->tables = &function->tables;
	function->body = convert_return(c, statement->sql_body);
	c->in_function = false;
	c->tables = NULL;
	return function->body ? 0 : -1;
}

static int convert_definition(
	struct converter *c, const PgQuery__RawStmt *statement, struct ast_schema *out)
{
	const PgQuery__Node *node = statement->stmt;
	struct ast_function *function = &out->functions[out->function_count];

	int status;

	if (convert_setting(c, node, out, &status))
		return status;
	if (node && node->node_case == PG_QUERY__NODE__NODE_CREATE_STMT)
		return convert_table(c, node->create_stmt, &out->tables[out->table_count++]);
	if (!node || node->node_case != PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT)
		return source_error(c->source, statement->stmt_location, c->err,
			"only CREATE TABLE, CREATE FUNCTION, SET TIME ZONE 'name', SET now = "
			"'time' "
			"and SET seed = 'number' are supported in a schema");
	out->function_count++;
	function->location = statement->stmt_location;
	function->text = arena_strndup(c->arena, c->source->text + statement->stmt_location,
		statement->stmt_len ? (size_t)statement->stmt_len
				    : strlen(c->source->text + statement->stmt_location));
	return convert_function(c, node->create_function_stmt, out, function);
}

int convert_schema(struct converter *c, const PgQuery__ParseResult *tree, struct ast_schema *out)
{
	*out = (struct ast_schema){0};
	out->tables = arena_zalloc(c->arena, (tree->n_stmts + 1) * sizeof(*out->tables));
	out->functions = arena_zalloc(c->arena, (tree->n_stmts + 1) * sizeof(*out->functions));
	for (size_t i = 0; i < tree->n_stmts; i++)
		if (convert_definition(c, tree->stmts[i], out) < 0)
			return -1;
	return 0;
}
