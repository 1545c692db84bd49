#include "sql/convert_private.h"

#include <string.h>

static int convert_column(
	struct converter *c, const struct json *node, struct ast_column_def *column)
{
	const struct json *body = node_body(node);

	if (strcmp(node_kind(node), "ColumnDef") != 0) {
		unsupported(c, location_of(body), "constraints on a CSV file are");
		return -1;
	}
	column->name = json_string(body, "colname");
	if (!column->name)
		column->name = "";
	column->location = location_of(body);
	if (json_count(json_get(body, "constraints"))) {
		unsupported(c, column->location, "constraints on a CSV column are");
		return -1;
	}
	column->type = convert_type(c, json_get(body, "typeName"));
	return column->type ? 0 : -1;
}

/* The value of an option as text: 'x', true, 5. A bare name such as off parses as a type's name. */
static const char *option_value(struct converter *c, const struct json *node)
{
	const char *kind = node_kind(node);
	const struct json *body = node_body(node);
	const char *text = NULL;

	/* WITH (header) means header = true. */
	if (!node)
		return "true";
	if (strcmp(kind, "String") == 0)
		text = json_string(body, "sval");
	else if (strcmp(kind, "TypeName") == 0)
		text = last_name(json_get(body, "names"));
	else if (strcmp(kind, "Integer") == 0)
		text = arena_printf(c->arena, "%d", json_int(body, "ival", 0));
	else if (strcmp(kind, "Float") == 0)
		text = json_string(body, "fval");
	return text ? text : "";
}

static int convert_table(
	struct converter *c, const struct json *body, struct ast_create_table *table)
{
	const struct json *relation = json_get(body, "relation");
	const struct json *elements = json_get(body, "tableElts");
	const struct json *options = json_get(body, "options");

	table->name = json_string(relation, "relname");
	if (!table->name)
		table->name = "";
	table->location = location_of(relation);
	if (json_count(json_get(body, "inhRelations")) || json_get(body, "partspec") ||
		json_get(body, "partbound") || json_get(body, "ofTypename")) {
		unsupported(c, table->location, "INHERITS, PARTITION and OF are");
		return -1;
	}
	table->column_count = json_count(elements);
	table->columns =
		arena_zalloc(c->arena, (table->column_count + 1) * sizeof(*table->columns));
	for (uint32_t i = 0; i < table->column_count; i++)
		if (convert_column(c, &elements->items[i], &table->columns[i]) < 0)
			return -1;
	table->option_count = json_count(options);
	table->options =
		arena_zalloc(c->arena, (table->option_count + 1) * sizeof(*table->options));
	for (uint32_t i = 0; i < table->option_count; i++) {
		const struct json *option = list_body(options, i, "DefElem");
		const char *name = json_string(option, "defname");

		table->options[i].name = name ? name : "";
		table->options[i].value = option_value(c, json_get(option, "arg"));
		table->options[i].location = location_of(option);
	}
	return 0;
}

struct ast_create_table *convert_schema(
	struct converter *c, const struct json *statements, uint32_t *count)
{
	struct ast_create_table *tables;

	*count = json_count(statements);
	tables = arena_zalloc(c->arena, (*count + 1) * sizeof(*tables));
	for (uint32_t i = 0; i < *count; i++) {
		const struct json *node = json_get(&statements->items[i], "stmt");

		if (strcmp(node_kind(node), "CreateStmt") != 0) {
			source_error(c->source, json_int(&statements->items[i], "stmt_location", 0),
				c->err, "only CREATE TABLE is supported in a schema");
			return NULL;
		}
		if (convert_table(c, node_body(node), &tables[i]) < 0)
			return NULL;
	}
	return tables;
}
