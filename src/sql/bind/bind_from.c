/*
 * FROM: tables, subqueries, CTEs and joins, as a tree and as the names that it brings into scope.
 */
#include "base/suggest.h"
#include "sql/bind/bind_from_private.h"

#include <string.h>
#include <strings.h>

static int bind_item(struct level *level, const struct ast_from *from, const struct item *left,
	struct item *out);

/* PLAN_NONE when there is no such name; otherwise its index. Exact matches come first. */
static uint32_t find_column(
	const struct scope_column *columns, uint32_t count, const char *name, bool *ambiguous)
{
	uint32_t found = PLAN_NONE;

	*ambiguous = false;
	for (int any_case = 0; any_case < 2 && found == PLAN_NONE; any_case++) {
		for (uint32_t i = 0; i < count; i++) {
			if (any_case ? strcasecmp(columns[i].name, name) != 0
				     : strcmp(columns[i].name, name) != 0)
				continue;
			if (found != PLAN_NONE) {
				*ambiguous = true;
				return found;
			}
			found = i;
		}
	}
	return found;
}

static const struct scope_table *find_table(const struct scope *scope, const char *name)
{
	for (int any_case = 0; any_case < 2; any_case++)
		for (uint32_t i = 0; i < scope->table_count; i++)
			if (any_case ? strcasecmp(scope->tables[i].name, name) == 0
				     : strcmp(scope->tables[i].name, name) == 0)
				return &scope->tables[i];
	return NULL;
}

const struct scope_table *scope_find_table(
	struct binder *b, const struct scope *scope, const char *name, int32_t location)
{
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	for (const struct scope *from = scope; from; from = from->outer) {
		const struct scope_table *table = find_table(from, name);

		if (table)
			return table;
	}
	suggestion_init(&suggestion, name);
	for (uint32_t i = 0; i < scope->table_count; i++)
		suggestion_consider(&suggestion, scope->tables[i].name);
	bind_error(b, location, "missing FROM-clause entry for table \"%s\"%s", name,
		suggestion_text(&suggestion, hint));
	return NULL;
}

static void no_column(
	struct level *level, const struct ast_expr *ast, const struct scope_table *table)
{
	const char *name = ast->names[ast->name_count - 1];
	const struct scope *scope = &level->scope;
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	suggestion_init(&suggestion, name);
	if (table) {
		for (uint32_t i = 0; i < table->column_count; i++)
			suggestion_consider(&suggestion, table->columns[i].name);
		bind_error(level->binder, ast->location, "column %s.%s does not exist%s",
			table->name, name, suggestion_text(&suggestion, hint));
		return;
	}
	for (uint32_t i = 0; i < scope->table_count; i++)
		if (strcmp(scope->tables[i].name, name) == 0) {
			bind_error(level->binder, ast->location,
				"\"%s\" is a table: whole rows as values are not supported", name);
			return;
		}
	for (uint32_t i = 0; i < scope->column_count; i++)
		suggestion_consider(&suggestion, scope->columns[i].name);
	bind_error(level->binder, ast->location, "column \"%s\" does not exist%s", name,
		suggestion_text(&suggestion, hint));
}

struct expr *scope_resolve(struct level *level, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	const char *name = ast->names[ast->name_count - 1];
	const struct scope_column *columns = level->scope.columns;
	uint32_t count = level->scope.column_count, found;
	const struct scope *outer = level->scope.outer;
	const struct scope_table *table = NULL;
	bool ambiguous;

	if (ast->name_count == 2) {
		table = scope_find_table(b, &level->scope, ast->names[0], ast->location);
		if (!table)
			return NULL;
		columns = table->columns;
		count = table->column_count;
	}
	found = find_column(columns, count, name, &ambiguous);
	/* A name that this query does not know may be one of the query around it. */
	for (; found == PLAN_NONE && !table && outer; outer = outer->outer) {
		columns = outer->columns;
		found = find_column(columns, outer->column_count, name, &ambiguous);
	}
	if (ambiguous) {
		bind_error(b, ast->location, "column reference \"%s\" is ambiguous", name);
		return NULL;
	}
	if (found == PLAN_NONE && !table) {
		struct expr *parameter = find_parameter(&level->scope, name);

		if (parameter)
			return parameter;
	}
	if (found == PLAN_NONE) {
		no_column(level, ast, table);
		return NULL;
	}
	return binder_column_expr(b, columns[found].id, ast->location);
}

/* One table with these columns: the scope of a FROM item that is not a join. */
static int scope_of_table(struct binder *b, const struct ast_from *from, const char *name,
	uint32_t count, struct scope_column *columns, struct scope *scope)
{
	uint32_t shown = 0;

	while (shown < count && !columns[shown].hidden)
		shown++;
	if (from->column_alias_count > shown)
		return bind_error(b, from->location,
			"table \"%s\" has %u columns available but %u columns specified", name,
			shown, from->column_alias_count);
	for (uint32_t i = 0; i < from->column_alias_count; i++)
		columns[i].name = from->column_aliases[i];
	scope->table_count = 1;
	scope->tables = arena_zalloc(b->arena, sizeof(*scope->tables));
	scope->tables[0] =
		(struct scope_table){.name = name, .column_count = count, .columns = columns};
	scope->column_count = count;
	scope->columns = columns;
	return 0;
}

/* The name of a table in its query: of files, that of the file without what follows a dot. */
static const char *scan_name(
	struct binder *b, const struct ast_from *from, const struct table_schema *schema)
{
	const char *path = from->files ? from->files : from->name;
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t stem = strcspn(base, ".");

	if (from->alias)
		return from->alias;
	if (!from->is_file && !slash)
		return arena_strdup(b->arena, schema->name);
	return arena_strndup(b->arena, base, stem ? stem : strlen(base));
}

/* What a query only shows is shown as it stands in the files (bind_query). No name leads there. */
static void add_written(struct binder *b, const struct table_schema *schema, struct logical *scan)
{
	uint32_t count = scan->column_count;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t source = scan->scan.sources[i], id;

		if (source >= schema->column_count || !schema->columns[source].shown_as_written)
			continue;
		id = binder_column(b, b->columns->list[scan->columns[i]].name, type_of(TYPE_TEXT));
		b->columns->list[scan->columns[i]].written = id;
		scan->scan.sources[scan->column_count] = table_written_column(schema, source);
		logical_add_column(b->arena, scan, id);
	}
}

static int bind_scan(
	struct level *level, const struct ast_from *from, uint32_t table, struct item *out)
{
	struct binder *b = level->binder;
	const struct table_schema *schema = &b->catalog->tables[table];
	struct logical *scan = logical_new(b->arena, LOGICAL_SCAN, 0);
	uint32_t room = table_named_columns(schema), count = 0;
	struct scope_column *columns = arena_alloc(b->arena, (room + 1) * sizeof(*columns));

	if (schema->problem) {
		*b->err = *schema->problem;
		return -1;
	}
	scan->scan.table = table;
	scan->scan.sources = arena_alloc(b->arena, table_index_count(schema) * sizeof(uint32_t));
	for (uint32_t i = 0; i < room; i++) {
		struct table_column column = table_column_at(schema, i);
		const char *name = arena_strdup(b->arena, column.name);

		/* A column of the files may have the name of a hidden one. */
		if (i >= schema->column_count && table_find_column(schema, name) != i)
			continue;
		columns[count] = (struct scope_column){.name = name,
			.id = binder_column(b, name, column.type),
			.hidden = i >= schema->column_count};
		scan->scan.sources[count] = i;
		logical_add_column(b->arena, scan, columns[count++].id);
	}
	add_written(b, schema, scan);
	out->tree = scan;
	if (from->sample && bind_sample(level, from, schema, &out->tree) < 0)
		return -1;
	return scope_of_table(b, from, scan_name(b, from, schema), count, columns, &out->scope);
}

/* The rows of a select under the names of a FROM item. */
static int scope_of_select(struct binder *b, const struct ast_from *from,
	const struct bound_select *bound, uint32_t alias_count, const char **aliases,
	const char *name, struct item *out)
{
	struct scope_column *columns =
		arena_alloc(b->arena, (bound->output_count + 1) * sizeof(*columns));

	if (alias_count > bound->output_count)
		return bind_error(b, from->location,
			"\"%s\" has %u columns available but %u columns specified", name,
			bound->output_count, alias_count);
	for (uint32_t i = 0; i < bound->output_count; i++)
		columns[i] = (struct scope_column){
			.name = i < alias_count ? aliases[i] : bound->outputs[i].name,
			.id = bound->outputs[i].id};
	out->tree = bound->tree;
	return scope_of_table(b, from, from->alias ? from->alias : name, bound->output_count,
		columns, &out->scope);
}

static int no_table(struct binder *b, const struct ast_from *from)
{
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	if (b->catalog->table_count + b->catalog->other_count == 0)
		return bind_error(b, from->location,
			"table \"%s\" does not exist: there are no CSV files in the data folder",
			from->name);
	suggestion_init(&suggestion, from->name);
	for (const struct binder_cte *cte = b->ctes; cte; cte = cte->next)
		suggestion_consider(&suggestion, cte->ast->name);
	for (uint32_t i = 0; i < b->catalog->table_count; i++)
		suggestion_consider(&suggestion, b->catalog->tables[i].name);
	for (uint32_t i = 0; i < b->catalog->other_count; i++)
		suggestion_consider(&suggestion, b->catalog->others[i]);
	return bind_error(b, from->location, "table \"%s\" does not exist%s", from->name,
		suggestion_text(&suggestion, hint));
}

static int bind_table(struct level *level, const struct ast_from *from, struct item *out)
{
	struct binder *b = level->binder;

	for (const struct binder_cte *cte = b->ctes; cte; cte = cte->next) {
		struct bound_select bound;

		if (from->is_file || strcmp(cte->ast->name, from->name) != 0)
			continue;
		if (from->sample)
			return bind_error(b, from->sample->location,
				"TABLESAMPLE clause can only be applied to tables");
		if (bind_cte(b, cte, from->location, &bound) < 0)
			return -1;
		level->reads_round = level->reads_round || bound.tree->kind == LOGICAL_ROUND;
		return scope_of_select(b, from, &bound, cte->ast->column_alias_count,
			cte->ast->column_aliases, from->name, out);
	}
	for (int any_case = 0; any_case < 2; any_case++)
		for (uint32_t i = 0; i < b->catalog->table_count; i++)
			if (any_case ? strcasecmp(b->catalog->tables[i].name, from->name) == 0
				     : strcmp(b->catalog->tables[i].name, from->name) == 0)
				return bind_scan(level, from, i, out);
	return no_table(b, from);
}

/* Names of both sides, one after the other. */
static int scope_concat(struct binder *b, const struct scope *left, const struct scope *right,
	int32_t location, struct scope *out)
{
	uint32_t tables = left->table_count + right->table_count;
	uint32_t columns = left->column_count + right->column_count;

	for (uint32_t i = 0; i < left->table_count; i++)
		for (uint32_t j = 0; j < right->table_count; j++)
			if (strcmp(left->tables[i].name, right->tables[j].name) == 0)
				return bind_error(b, location,
					"table name \"%s\" specified more than once",
					left->tables[i].name);
	*out = (struct scope){.outer = left->outer, .table_count = tables, .column_count = columns};
	out->tables = arena_alloc(b->arena, (tables + 1) * sizeof(*out->tables));
	out->columns = arena_alloc(b->arena, (columns + 1) * sizeof(*out->columns));
	for (uint32_t i = 0; i < tables; i++)
		out->tables[i] = i < left->table_count ? left->tables[i]
						       : right->tables[i - left->table_count];
	for (uint32_t i = 0; i < columns; i++)
		out->columns[i] = i < left->column_count ? left->columns[i]
							 : right->columns[i - left->column_count];
	return 0;
}

/* Of an outer join, the tables of which a row may be missing; the left side's stand first. */
static void mark_optional(enum ast_join_kind kind, uint32_t left, struct scope *scope)
{
	for (uint32_t i = 0; i < scope->table_count; i++)
		if (kind == AST_JOIN_FULL || kind == (i < left ? AST_JOIN_RIGHT : AST_JOIN_LEFT))
			scope->tables[i].optional = true;
}

/* The columns that both sides have, in the left side's order. */
static void natural_names(struct binder *b, const struct item *left, const struct item *right,
	uint32_t *count, const char ***names)
{
	*count = 0;
	*names = NULL;
	for (uint32_t i = 0; i < left->scope.column_count; i++)
		for (uint32_t j = 0; j < right->scope.column_count; j++) {
			const char *name = left->scope.columns[i].name;

			if (strcmp(name, right->scope.columns[j].name) != 0 ||
				left->scope.columns[i].hidden)
				continue;
			*names = list_room(b->arena, *names, *count, sizeof(**names));
			(*names)[(*count)++] = name;
			break;
		}
}

/* The column `name` of one side of a USING. */
static int using_column(struct binder *b, const struct item *item, const char *side,
	const char *name, int32_t location, uint32_t *index)
{
	bool ambiguous;

	*index = find_column(item->scope.columns, item->scope.column_count, name, &ambiguous);
	if (ambiguous)
		return bind_error(b, location,
			"common column name \"%s\" appears more than once in %s table", name, side);
	if (*index == PLAN_NONE)
		return bind_error(b, location,
			"column \"%s\" specified in USING clause does not exist in %s table", name,
			side);
	return 0;
}

/* A USING clause while it is bound: which columns it takes out of both sides, and what for. */
struct using_merge {
	uint32_t count;
	struct scope_column *columns; /* the merged ones */
	bool *left_used;
	bool *right_used;
	struct extender extender; /* over the join: merged columns of mixed types */
};

static int bind_using(struct binder *b, const struct ast_from *from, uint32_t count,
	const char **names, const struct item *left, const struct item *right,
	struct logical_join *join, struct using_merge *merge)
{
	merge->extender.binder = b;
	merge->columns = arena_zalloc(b->arena, (count + 1) * sizeof(*merge->columns));
	merge->left_used = arena_zalloc(b->arena, left->scope.column_count + 1);
	merge->right_used = arena_zalloc(b->arena, right->scope.column_count + 1);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t l, r;
		struct expr *l_expr, *r_expr, *test, *merged;

		for (uint32_t j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				return bind_error(b, from->location,
					"column name \"%s\" appears more than once in USING clause",
					names[i]);
		if (using_column(b, left, "left", names[i], from->location, &l) < 0 ||
			using_column(b, right, "right", names[i], from->location, &r) < 0)
			return -1;
		l_expr = binder_column_expr(b, left->scope.columns[l].id, from->location);
		r_expr = binder_column_expr(b, right->scope.columns[r].id, from->location);
		test = bind_comparison(b, FN_EQ, "=", l_expr, r_expr, from->location);
		if (!test)
			return -1;
		conjuncts_add(b->arena, &join->on, test);
		/* The side that is kept has the value; as the type that both became. */
		merged = test->args[from->join == AST_JOIN_RIGHT ? 1 : 0];
		if (from->join == AST_JOIN_FULL) {
			merged = make_node(b, EXPR_COALESCE, 2, test->args, from->location);
			merged->type = test->args[0]->type;
		}
		merge->columns[i].name = left->scope.columns[l].name;
		merge->columns[i].id = extender_id(&merge->extender, merged, names[i]);
		merge->left_used[l] = true;
		merge->right_used[r] = true;
	}
	merge->count = count;
	return 0;
}

/* PostgreSQL's order: the merged columns, the rest of the left side, the rest of the right. */
static void scope_merge(struct binder *b, const struct using_merge *merge, const struct item *left,
	const struct item *right, struct scope *scope)
{
	struct scope_column *columns =
		arena_alloc(b->arena, (scope->column_count + 1) * sizeof(*columns));
	uint32_t count = 0;

	for (uint32_t i = 0; i < merge->count; i++)
		columns[count++] = merge->columns[i];
	for (uint32_t i = 0; i < left->scope.column_count; i++)
		if (!merge->left_used[i])
			columns[count++] = left->scope.columns[i];
	for (uint32_t i = 0; i < right->scope.column_count; i++)
		if (!merge->right_used[i])
			columns[count++] = right->scope.columns[i];
	scope->column_count = count;
	scope->columns = columns;
}

/* An item as it stands in a list: what it needs of the rows to its left is put under it. */
static int bind_attached(
	struct level *level, const struct ast_from *from, const struct item *left, struct item *out)
{
	struct logical_join cross = {.kind = JOIN_INNER};

	if (bind_item(level, from, left, out) < 0)
		return -1;
	if (out->tree)
		return 0;
	out->with_left = left != NULL;
	return attach(level->binder, left, out, &cross, from->location, &out->tree);
}

static int bind_on(struct level *level, const struct ast_from *from, const struct scope *scope,
	struct logical_join *join)
{
	struct scope saved = level->scope;
	struct expr *on;

	if (!from->on)
		return 0;
	level->scope = *scope;
	level->scope.outer = saved.outer;
	level->full_join = from->join == AST_JOIN_FULL;
	on = bind_condition(level, CLAUSE_ON, from->on);
	level->full_join = false;
	level->scope = saved;
	if (!on)
		return -1;
	conjuncts_add(level->binder->arena, &join->on, on);
	return 0;
}

/* The condition of an inner join that holds subqueries is a filter above it. */
static void filter_by_subqueries(
	struct level *level, const struct logical_filter *on, struct logical **tree)
{
	struct logical *saved = level->tree;

	level->tree = *tree;
	place_marks(level, on->count, on->conjuncts);
	*tree = logical_filter_new(level->binder->arena, level->tree, on->count, on->conjuncts);
	level->tree = saved;
}

/* The rows of both sides. */
static int join_items(struct binder *b, const struct ast_from *from, struct item *left,
	struct item *right, struct logical_join *join, struct item *out)
{
	bool keeps_right = from->join == AST_JOIN_RIGHT || from->join == AST_JOIN_FULL;

	if (keeps_right && (!right->tree || left->with_left))
		return bind_error(b, from->location,
			"the combining JOIN type must be INNER or LEFT for a LATERAL reference");
	out->with_left = left->with_left;
	if (!right->tree)
		return attach(b, left, right, join, from->location, &out->tree);
	if (from->join == AST_JOIN_FULL && full_join_keys(b, join, left, right) < 0)
		return -1;
	if (from->join == AST_JOIN_RIGHT)
		out->tree = logical_join_new(b->arena, right->tree, left->tree, join);
	else
		out->tree = logical_join_new(b->arena, left->tree, right->tree, join);
	return 0;
}

/* A join with a name is a table with its columns, and hides those of which it consists. */
static int name_join(struct binder *b, const struct ast_from *from, struct scope *scope)
{
	struct scope_column *columns =
		arena_alloc(b->arena, (scope->column_count + 1) * sizeof(*columns));
	const struct scope *outer = scope->outer;
	uint32_t count = 0;

	for (uint32_t i = 0; i < scope->column_count; i++)
		if (!scope->columns[i].hidden)
			columns[count++] = scope->columns[i];
	if (scope_of_table(b, from, from->alias, count, columns, scope) < 0)
		return -1;
	scope->outer = outer;
	return 0;
}

/* USING (a, b) AS name: a table with these columns, beside the others. */
static int name_using(struct binder *b, const struct ast_from *from,
	const struct using_merge *merge, struct scope *scope)
{
	struct scope_table *tables =
		arena_alloc(b->arena, (scope->table_count + 1) * sizeof(*tables));

	for (uint32_t i = 0; i < scope->table_count; i++) {
		tables[i] = scope->tables[i];
		if (strcmp(tables[i].name, from->using_alias) == 0)
			return bind_error(b, from->location,
				"table name \"%s\" specified more than once", from->using_alias);
	}
	tables[scope->table_count++] = (struct scope_table){
		.name = from->using_alias, .column_count = merge->count, .columns = merge->columns};
	scope->tables = tables;
	return 0;
}

/*
 * The right side of a join. LATERAL may also read what stands before the join, in front of a comma, as a subquery
 * reads the query around it.
 */
static int bind_right(struct level *level, const struct ast_from *from, const struct item *before,
	struct item *left, struct item *right, bool *reads_before)
{
	const struct scope *outer = level->scope.outer;
	struct scope *around;
	struct item both;
	int status;

	*reads_before = false;
	if (bind_item(level, from->right, left, right) == 0)
		return 0;
	if (!before || !(from->right->lateral || from->right->kind == AST_FROM_FUNCTION))
		return -1;
	/* The left side has read it already: its rows have what stands before them. */
	if (left->with_left) {
		both = *left;
		return scope_concat(level->binder, &before->scope, &left->scope, from->location,
			       &both.scope) < 0
			       ? -1
			       : bind_item(level, from->right, &both, right);
	}
	around = arena_alloc(level->binder->arena, sizeof(*around));
	*around = before->scope;
	around->outer = outer;
	level->scope.outer = around;
	status = bind_item(level, from->right, left, right);
	level->scope.outer = outer;
	*reads_before = status == 0;
	return status;
}

static int bind_join(struct level *level, const struct ast_from *from, const struct item *before,
	struct item *out)
{
	static const enum join_kind kinds[] = {
		[AST_JOIN_INNER] = JOIN_INNER,
		[AST_JOIN_LEFT] = JOIN_LEFT,
		[AST_JOIN_RIGHT] = JOIN_LEFT,
		[AST_JOIN_FULL] = JOIN_FULL,
	};
	struct binder *b = level->binder;
	const struct recursion_bar optional = {"an outer join", b->bars};
	struct logical_join join = {.kind = kinds[from->join]};
	uint32_t using_count = from->using_count;
	const char **using_names = from->using_names;
	struct using_merge merge = {0};
	struct logical_filter on = {0};
	struct item left, right;
	bool reads_before;
	uint32_t marks;

	b->bars = from->join == AST_JOIN_RIGHT || from->join == AST_JOIN_FULL ? &optional
									      : optional.outer;
	if (bind_attached(level, from->left, before, &left) < 0)
		return -1;
	b->bars = from->join == AST_JOIN_LEFT || from->join == AST_JOIN_FULL ? &optional
									     : optional.outer;
	if (bind_right(level, from, before, &left, &right, &reads_before) < 0)
		return -1;
	out->reads_before = reads_before;
	b->bars = optional.outer;
	if (from->join == AST_JOIN_LEFT && right.lateral)
		make_optional(b, &right);
	if (scope_concat(b, &left.scope, &right.scope, from->location, &out->scope) < 0)
		return -1;
	mark_optional(from->join, left.scope.table_count, &out->scope);
	if (from->natural)
		natural_names(b, &left, &right, &using_count, &using_names);
	if (using_count &&
		bind_using(b, from, using_count, using_names, &left, &right, &join, &merge) < 0)
		return -1;
	marks = level->mark_count;
	if (bind_on(level, from, &out->scope, &join) < 0)
		return -1;
	if (level->mark_count > marks && from->join != AST_JOIN_INNER) {
		out->with_left = left.with_left;
		return join_by_subqueries(level, from, &left, &right, &join.on, &out->tree);
	}
	if (level->mark_count > marks) {
		on = join.on;
		join.on = (struct logical_filter){0};
	}
	if (join_items(b, from, &left, &right, &join, out) < 0)
		return -1;
	filter_by_subqueries(level, &on, &out->tree);
	if (using_count) {
		extender_apply(&merge.extender, &out->tree);
		scope_merge(b, &merge, &left, &right, &out->scope);
	}
	if (from->using_alias && name_using(b, from, &merge, &out->scope) < 0)
		return -1;
	return from->alias ? name_join(b, from, &out->scope) : 0;
}

/* The names that an item may read which stands to the right of `left`. */
static struct scope lateral_scope(const struct level *level, const struct item *left)
{
	struct scope scope = left ? left->scope : (struct scope){0};

	scope.outer = level->scope.outer;
	return scope;
}

/* A function that makes rows of JSON objects, whose columns are defined behind it, is one that makes the objects. */
static int bind_function_item(
	struct level *level, const struct ast_from *from, const struct item *left, struct item *out)
{
	struct binder *b = level->binder;
	struct scope scope = lateral_scope(level, left);
	struct from_rows *rows = arena_alloc(b->arena, sizeof(*rows));
	struct ast_expr *objects = json_record_objects(b, from);
	struct ast_from made = *from;
	struct scope_column *columns;
	uint32_t count;

	if (objects)
		made.functions = &objects;
	if (bind_from_rows(level, &scope, &made, rows) < 0)
		return -1;
	count = objects ? from->defined_count : rows->unnest.count + from->ordinality;
	columns = arena_zalloc(b->arena, (count + 1) * sizeof(*columns));
	out->computed.binder = b;
	if (!objects)
		name_rows(from, rows, &out->computed, columns);
	else if (json_record_columns(b, from, rows->values[0], &out->computed, columns) < 0)
		return -1;
	out->unnest = &rows->unnest;
	if (!rows_are_lateral(rows)) {
		out->tree = logical_new(b->arena, LOGICAL_ONE_ROW, 0);
		out->tree = logical_unnest_new(b->arena, out->tree, out->unnest);
		extender_apply(&out->computed, &out->tree);
	}
	if (scope_of_table(b, from, from->alias ? from->alias : rows->names[0], count, columns,
		    &out->scope) < 0)
		return -1;
	for (uint32_t i = 0; i < out->scope.column_count; i++)
		b->columns->list[columns[i].id].name = columns[i].name;
	return 0;
}

/* A select that reads what stands to its left. */
static int lateral_of_select(struct binder *b, const struct ast_from *from,
	const struct bound_select *bound, const char *name, struct item *out)
{
	struct subquery *lateral = arena_alloc(b->arena, sizeof(*lateral));
	struct scope_column *columns =
		arena_zalloc(b->arena, (bound->output_count + 1) * sizeof(*columns));

	if (decorrelate(b, bound, from->location, lateral) < 0)
		return -1;
	out->computed.binder = b;
	for (uint32_t i = 0; i < bound->output_count; i++) {
		columns[i].name = bound->outputs[i].name;
		columns[i].id =
			extender_id(&out->computed, lateral->outputs[i], bound->outputs[i].name);
	}
	out->lateral = lateral;
	return scope_of_table(b, from, name, bound->output_count, columns, &out->scope);
}

static int bind_lateral_item(
	struct level *level, const struct ast_from *from, const struct item *left, struct item *out)
{
	struct scope scope = lateral_scope(level, left);
	struct bound_select bound;

	if (bind_subselect(level->binder, &scope, from->select, &bound) < 0)
		return -1;
	return lateral_of_select(level->binder, from, &bound, from->alias, out);
}

static int bind_call_item(
	struct level *level, const struct ast_from *from, const struct item *left, struct item *out)
{
	struct binder *b = level->binder;
	const struct ast_function *function = find_user_rows(b, from);
	struct scope scope = lateral_scope(level, left);
	struct bound_select bound;
	const char *name;

	if (!function && from->defined_count && !json_record_objects(b, from))
		return bind_error(b, from->location,
			"a column definition list is only allowed for functions returning "
			"\"record\"");
	if (!function)
		return bind_function_item(level, from, left, out);
	if (bind_user_rows(level, &scope, from, function, &bound) < 0)
		return -1;
	name = from->alias ? from->alias : function->name;
	if (select_is_correlated(b, &bound))
		return lateral_of_select(b, from, &bound, name, out);
	return scope_of_select(b, from, &bound, 0, NULL, name, out);
}

static int bind_item(
	struct level *level, const struct ast_from *from, const struct item *left, struct item *out)
{
	struct bound_select bound;

	*out = (struct item){0};
	if (binder_check_size(level->binder, from->location) < 0)
		return -1;
	switch (from->kind) {
	case AST_FROM_TABLE: return bind_table(level, from, out);
	case AST_FROM_SELECT:
		if (!from->alias)
			return bind_error(level->binder, from->location,
				"subquery in FROM must have an alias");
		if (from->lateral)
			return bind_lateral_item(level, from, left, out);
		if (bind_subselect(level->binder, level->scope.outer, from->select, &bound) < 0)
			return -1;
		out->sorted_count = bound.sort_count;
		out->sorted = bound.sort;
		return scope_of_select(level->binder, from, &bound, 0, NULL, from->alias, out);
	case AST_FROM_FUNCTION: return bind_call_item(level, from, left, out);
	case AST_FROM_JOIN:
		if (bind_join(level, from, left, out) < 0)
			return -1;
		return out->reads_before ? lateral_of_join(level->binder, from, out) : 0;
	}
	return -1;
}

int bind_from(struct level *level)
{
	struct binder *b = level->binder;
	const struct scope *outer = level->scope.outer;

	for (uint32_t i = 0; i < level->select->from_count; i++) {
		const struct ast_from *from = level->select->from[i];
		struct logical_join cross = {.kind = JOIN_INNER};
		struct item before = {.tree = level->tree, .scope = level->scope}, item;
		struct scope both;

		if (bind_attached(level, from, level->tree ? &before : NULL, &item) < 0)
			return -1;
		if (scope_concat(b, &level->scope, &item.scope, from->location, &both) < 0)
			return -1;
		if (level->select->from_count == 1) {
			level->sorted_count = item.sorted_count;
			level->sorted = item.sorted;
		}
		level->scope = both;
		level->scope.outer = outer;
		level->tree = level->tree && !item.with_left
				      ? logical_join_new(b->arena, level->tree, item.tree, &cross)
				      : item.tree;
	}
	if (!level->tree)
		level->tree = logical_new(b->arena, LOGICAL_ONE_ROW, 0);
	level->scope.level = level;
	return 0;
}
