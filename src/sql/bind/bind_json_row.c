/*
 * Rows and JSON. A whole row, as the argument of a function that makes JSON, is an object of its columns: row_to_json(t),
 * json_agg(t.*), to_jsonb((a, b)). The way back is a function in FROM whose columns are defined there:
 * json_to_recordset(x) AS t (a int, b text).
 */
#include "sql/bind/bind_private.h"

#include <stdio.h>
#include <string.h>

/* What a whole row becomes on its way to a function, as calls by names that nobody else has. */
#define ROW_AS_JSON  "row as json"
#define ROW_AS_JSONB "row as jsonb"

/* -- Rows to JSON -- */

static bool has_column(const struct scope *scope, const char *name)
{
	for (; scope; scope = scope->outer)
		for (uint32_t i = 0; i < scope->column_count; i++)
			if (strcmp(scope->columns[i].name, name) == 0)
				return true;
	return false;
}

static const struct scope_table *find_table(const struct scope *scope, const char *name)
{
	for (uint32_t i = 0; i < scope->table_count; i++)
		if (strcmp(scope->tables[i].name, name) == 0)
			return &scope->tables[i];
	return NULL;
}

/* The table whose row it is: t, unless there is such a column, or t.*; NULL for anything else. */
static const struct scope_table *row_table(const struct level *level, const struct ast_expr *ast)
{
	if ((ast->kind != AST_STAR && ast->kind != AST_NAME) || ast->name_count != 1 ||
		(ast->kind == AST_NAME && has_column(&level->scope, ast->names[0])))
		return NULL;
	return find_table(&level->scope, ast->names[0]);
}

static bool is_row(const struct level *level, const struct ast_expr *ast)
{
	return ast->kind == AST_ROW || row_table(level, ast);
}

struct row_fields {
	uint32_t count;
	const char **names;
	struct expr **values;
};

static void add_field(
	struct binder *b, struct row_fields *fields, const char *name, struct expr *value)
{
	fields->names = list_room(b->arena, fields->names, fields->count, sizeof(*fields->names));
	fields->values =
		list_room(b->arena, fields->values, fields->count, sizeof(*fields->values));
	fields->names[fields->count] = name;
	fields->values[fields->count++] = value;
}

/* Fields of a row that is written out have numbers for names: f1, f2. */
static void add_numbered(struct binder *b, struct row_fields *fields, struct expr *value)
{
	char *name = arena_alloc(b->arena, 16);

	snprintf(name, 16, "f%u", fields->count + 1);
	add_field(b, fields, name, value);
}

static void add_columns(struct binder *b, struct row_fields *fields,
	const struct scope_table *table, bool numbered, int32_t location)
{
	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct scope_column *column = &table->columns[i];
		struct expr *value = binder_column_expr(b, column->id, location);

		if (column->hidden)
			continue;
		if (numbered)
			add_numbered(b, fields, value);
		else
			add_field(b, fields, column->name, value);
	}
}

static struct expr *bind_object(
	struct level *level, enum clause clause, const struct ast_expr *ast, struct type type);

static int collect_fields(struct level *level, enum clause clause, const struct ast_expr *ast,
	struct type type, struct row_fields *out)
{
	const struct scope_table *table = row_table(level, ast);

	*out = (struct row_fields){0};
	if (table) {
		add_columns(level->binder, out, table, false, ast->location);
		return 0;
	}
	for (uint32_t i = 0; i < ast->arg_count; i++) {
		const struct ast_expr *arg = ast->args[i];
		struct expr *value;

		table = arg->kind == AST_STAR ? row_table(level, arg) : NULL;
		if (table) {
			add_columns(level->binder, out, table, true, arg->location);
			continue;
		}
		value = is_row(level, arg) ? bind_object(level, clause, arg, type)
					   : bind_expr(level, clause, arg);
		if (!value)
			return -1;
		add_numbered(level->binder, out, value);
	}
	return 0;
}

/* Whether some value is not NULL. */
static struct expr *any_value(struct binder *b, const struct row_fields *fields, int32_t location)
{
	struct expr **tests = arena_alloc(b->arena, (fields->count + 1) * sizeof(struct expr *));
	struct expr *all;

	for (uint32_t i = 0; i < fields->count; i++)
		tests[i] = make_node(b, EXPR_IS_NULL, 1, &fields->values[i], location);
	all = fields->count == 1 ? tests[0]
				 : make_node(b, EXPR_AND, fields->count, tests, location);
	return make_node(b, EXPR_NOT, 1, &all, location);
}

/*
 * The row of a table that a row of the other side of an outer join lacks is NULL, and told by its columns: a row that
 * has nothing but NULLs counts as none there.
 */
static struct expr *bind_object(
	struct level *level, enum clause clause, const struct ast_expr *ast, struct type type)
{
	struct binder *b = level->binder;
	const struct scope_table *table = row_table(level, ast);
	struct row_fields fields;
	struct expr **pairs, *object;

	if (collect_fields(level, clause, ast, type, &fields) < 0)
		return NULL;
	pairs = arena_alloc(b->arena, (2 * fields.count + 1) * sizeof(struct expr *));
	for (uint32_t i = 0; i < fields.count; i++) {
		pairs[2 * i] = json_of_value(b, text_constant(b, fields.names[i]), type);
		pairs[2 * i + 1] = json_of_value(b, fields.values[i], type);
		if (!pairs[2 * i] || !pairs[2 * i + 1])
			return NULL;
	}
	object = make_call(b, type.kind == TYPE_JSONB ? FN_JSON_BUILD_OBJECT : FN_JSON_ROW, type,
		2 * fields.count, pairs, ast->location);
	if (!table || !table->optional || fields.count == 0)
		return object;
	return make_choice(b, any_value(b, &fields, ast->location), object, NULL);
}

struct expr *bind_row_as_json(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	return bind_object(level, clause, ast->args[0],
		type_of(strcmp(ast->text, ROW_AS_JSONB) == 0 ? TYPE_JSONB : TYPE_JSON));
}

bool is_row_as_json(const struct ast_expr *ast)
{
	return ast->kind == AST_CALL &&
	       (strcmp(ast->text, ROW_AS_JSON) == 0 || strcmp(ast->text, ROW_AS_JSONB) == 0);
}

/* -- Functions over rows -- */

static bool takes_rows(const char *name)
{
	static const char *const names[] = {"row_to_json", "to_json", "to_jsonb", "json_agg",
		"jsonb_agg", "json_build_array", "jsonb_build_array", "json_build_object",
		"jsonb_build_object", "json_object_agg", "jsonb_object_agg", "count"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static struct ast_expr *wrap(
	struct binder *b, const char *name, const struct ast_expr *ast, struct ast_expr *row)
{
	struct ast_expr *call = arena_zalloc(b->arena, sizeof(*call));

	call->kind = AST_CALL;
	call->location = ast->location;
	call->text = name;
	call->arg_count = 1;
	call->args = arena_alloc(b->arena, sizeof(struct ast_expr *));
	call->args[0] = row;
	call->call = arena_zalloc(b->arena, sizeof(*call->call));
	return call;
}

/* Rows without an ORDER BY are taken in the order of their columns. */
static void sort_by_columns(
	struct level *level, const struct scope_table *table, struct ast_call *clauses)
{
	struct arena *arena = level->binder->arena;

	clauses->sort = arena_zalloc(arena, (table->column_count + 1) * sizeof(*clauses->sort));
	for (uint32_t i = 0; i < table->column_count; i++) {
		struct ast_expr *column = arena_zalloc(arena, sizeof(*column));
		enum type_kind kind = level->binder->columns->list[table->columns[i].id].type.kind;

		if (kind == TYPE_JSON || kind == TYPE_JSONPATH || table->columns[i].hidden)
			continue;
		column->kind = AST_NAME;
		column->location = -1;
		column->name_count = 2;
		column->names = arena_alloc(arena, 2 * sizeof(*column->names));
		column->names[0] = table->name;
		column->names[1] = table->columns[i].name;
		clauses->sort[clauses->sort_count++].expr = column;
	}
}

static bool is_aggregate_of_rows(const char *name)
{
	return strcmp(name, "json_agg") == 0 || strcmp(name, "jsonb_agg") == 0;
}

/* count(t): all rows, but for those that an outer join made. */
static struct ast_expr *count_rows(
	struct level *level, const struct ast_expr *ast, struct ast_expr *copy)
{
	const struct scope_table *table = row_table(level, ast->args[0]);

	if (table && table->optional) {
		copy->args[0] = wrap(level->binder, ROW_AS_JSONB, ast, ast->args[0]);
		return copy;
	}
	copy->arg_count = 0;
	copy->call->star = true;
	return copy;
}

bool calls_over_rows(struct level *level, const struct ast_expr *ast, const struct ast_expr **out)
{
	struct binder *b = level->binder;
	const char *word = strstr(ast->text, "jsonb") ? ROW_AS_JSONB : ROW_AS_JSON;
	struct ast_expr *copy;
	bool found = false;

	for (uint32_t i = 0; i < ast->arg_count && takes_rows(ast->text); i++)
		found = found || is_row(level, ast->args[i]);
	if (!found)
		return false;
	if (ast->arg_count == 1 &&
		(strcmp(ast->text, "row_to_json") == 0 || strcmp(ast->text, "to_json") == 0 ||
			strcmp(ast->text, "to_jsonb") == 0)) {
		*out = wrap(b, word, ast, ast->args[0]);
		return true;
	}
	copy = arena_alloc(b->arena, sizeof(*copy));
	*copy = *ast;
	copy->args = arena_alloc(b->arena, (ast->arg_count + 1) * sizeof(struct ast_expr *));
	copy->call = arena_alloc(b->arena, sizeof(*copy->call));
	*copy->call = *ast->call;
	*out = copy;
	if (strcmp(ast->text, "count") == 0 && ast->arg_count == 1 && !ast->call->distinct) {
		*out = count_rows(level, ast, copy);
		return true;
	}
	for (uint32_t i = 0; i < ast->arg_count; i++)
		copy->args[i] = is_row(level, ast->args[i]) ? wrap(b, word, ast, ast->args[i])
							    : ast->args[i];
	if (is_aggregate_of_rows(ast->text) && row_table(level, ast->args[0]) &&
		ast->call->sort_count == 0 && !ast->call->distinct && level->sorted_count == 0)
		sort_by_columns(level, row_table(level, ast->args[0]), copy->call);
	return true;
}

/* -- JSON to rows -- */

/* With which a function begins whose columns FROM defines, and what has its objects. */
static const struct {
	const char *name;
	const char *objects;
	uint32_t
		arg; /* which one is the JSON; before it a NULL that says that the rows are records */
} record_functions[] = {
	{"json_to_record", "to_json", 0},
	{"jsonb_to_record", "to_jsonb", 0},
	{"json_to_recordset", "json_array_elements", 0},
	{"jsonb_to_recordset", "jsonb_array_elements", 0},
	{"json_populate_record", "to_json", 1},
	{"jsonb_populate_record", "to_jsonb", 1},
	{"json_populate_recordset", "json_array_elements", 1},
	{"jsonb_populate_recordset", "jsonb_array_elements", 1},
};

static bool is_null_record(const struct ast_expr *ast)
{
	return ast->kind == AST_NULL ||
	       (ast->kind == AST_CAST && ast->args[0]->kind == AST_NULL && ast->type &&
		       strcmp(ast->type->name, "record") == 0);
}

struct ast_expr *json_record_objects(struct binder *b, const struct ast_from *from)
{
	const struct ast_expr *ast = from->function_count == 1 ? from->functions[0] : NULL;

	if (!ast || ast->kind != AST_CALL || !from->defined_count || from->ordinality)
		return NULL;
	for (size_t i = 0; i < sizeof(record_functions) / sizeof(record_functions[0]); i++) {
		uint32_t arg = record_functions[i].arg;
		struct ast_expr *json, *type;

		if (strcmp(record_functions[i].name, ast->text) != 0 || ast->arg_count != arg + 1 ||
			(arg && !is_null_record(ast->args[0])))
			continue;
		/* A literal is JSON here, and not a text that becomes a JSON string. */
		json = wrap(b, record_functions[i].objects, ast, ast->args[arg]);
		type = arena_zalloc(b->arena, sizeof(*type));
		type->kind = AST_CAST;
		type->location = ast->args[arg]->location;
		type->type = arena_zalloc(b->arena, sizeof(*type->type));
		type->type->name = strncmp(ast->text, "jsonb", 5) == 0 ? "jsonb" : "json";
		type->arg_count = 1;
		type->args = arena_alloc(b->arena, sizeof(struct ast_expr *));
		type->args[0] = ast->args[arg];
		json->args[0] = type;
		return json;
	}
	return NULL;
}

/* What a column with such a name and type is of an object; JSON's null is NULL. */
static struct expr *field_of(
	struct binder *b, struct expr *object, const char *name, struct type type, int32_t location)
{
	struct expr *args[2] = {object, text_constant(b, name)}, *value, *test, *sides[2];

	if (!type_is_array(type.kind) && type.kind != TYPE_JSON && type.kind != TYPE_JSONB) {
		value = make_call(b, FN_JSON_GET_TEXT, type_of(TYPE_TEXT), 2, args, location);
		return coerce_explicit(b, value, type, location);
	}
	value = make_call(b, FN_JSON_GET, object->type, 2, args, location);
	sides[0] = make_call(b, FN_JSON_TYPEOF, type_of(TYPE_TEXT), 1, &value, location);
	sides[1] = text_constant(b, "null");
	test = bind_comparison(b, FN_NE, "<>", sides[0], sides[1], location);
	if (test && type_is_array(type.kind))
		value = make_call(
			b, FN_JSON_ELEMENTS, type_of(TYPE_TEXT_LIST), 1, &value, location);
	value = test ? coerce_explicit(b, value, type, location) : NULL;
	return value ? make_choice(b, test, value, NULL) : NULL;
}

int json_record_columns(struct binder *b, const struct ast_from *from, struct expr *object,
	struct extender *computed, struct scope_column *columns)
{
	for (uint32_t i = 0; i < from->defined_count; i++) {
		const struct ast_parameter *defined = &from->defined[i];
		struct expr *value;
		struct type type;

		if (bind_type(b->source, defined->type, &type, b->err) < 0)
			return -1;
		value = field_of(b, object, defined->name, type, from->location);
		if (!value)
			return -1;
		columns[i].name = defined->name;
		columns[i].id = extender_id(computed, value, defined->name);
	}
	return 0;
}
