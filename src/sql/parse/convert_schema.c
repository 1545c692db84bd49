#include "sql/parse/convert_private.h"

#include <string.h>

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

/* SET TIME ZONE 'name'; NULL for another statement. */
static const char *set_time_zone(const PgQuery__Node *node)
{
	const PgQuery__VariableSetStmt *set;
	const PgQuery__Node *value;

	if (!node || node->node_case != PG_QUERY__NODE__NODE_VARIABLE_SET_STMT)
		return NULL;
	set = node->variable_set_stmt;
	if (strcmp(set->name, "timezone") != 0 || set->n_args != 1)
		return NULL;
	value = set->args[0];
	return value->node_case == PG_QUERY__NODE__NODE_A_CONST &&
			       value->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL
		       ? value->a_const->sval->sval
		       : NULL;
}

struct ast_create_table *convert_schema(struct converter *c, const PgQuery__ParseResult *tree,
	uint32_t *count, const char **time_zone)
{
	struct ast_create_table *tables;

	*count = 0;
	*time_zone = NULL;
	tables = arena_zalloc(c->arena, (tree->n_stmts + 1) * sizeof(*tables));
	for (size_t i = 0; i < tree->n_stmts; i++) {
		const PgQuery__Node *node = tree->stmts[i]->stmt;

		if (set_time_zone(node)) {
			*time_zone = set_time_zone(node);
			continue;
		}
		if (!node || node->node_case != PG_QUERY__NODE__NODE_CREATE_STMT) {
			source_error(c->source, tree->stmts[i]->stmt_location, c->err,
				"only CREATE TABLE and SET TIME ZONE 'name' are supported in a "
				"schema");
			return NULL;
		}
		if (convert_table(c, node->create_stmt, &tables[(*count)++]) < 0)
			return NULL;
	}
	return tables;
}
