#include "sql/bind/bind_private.h"

/* A name from a column or a function is kept by what is around it; one from a type is weaker. */
enum strength {
	NAME_NONE,
	NAME_WEAK,
	NAME_STRONG,
};

static enum strength name_of(const struct ast_expr *ast, const char **name);

/* A subquery as a value is called like its column. */
static enum strength name_of_select(const struct ast_select *select, const char **name)
{
	while (select->left)
		select = select->left;
	if (select->row_count)
		*name = "column1";
	else if (select->target_count && select->targets[0].alias)
		*name = select->targets[0].alias;
	else if (select->target_count)
		name_of(select->targets[0].expr, name);
	return NAME_STRONG;
}

static enum strength name_of(const struct ast_expr *ast, const char **name)
{
	enum strength strength;

	switch (ast->kind) {
	case AST_NAME: *name = ast->names[ast->name_count - 1]; return NAME_STRONG;
	case AST_CALL: *name = ast->text; return NAME_STRONG;
	case AST_COALESCE: *name = "coalesce"; return NAME_STRONG;
	case AST_NULLIF: *name = "nullif"; return NAME_STRONG;
	case AST_GREATEST: *name = "greatest"; return NAME_STRONG;
	case AST_LEAST: *name = "least"; return NAME_STRONG;
	case AST_ARRAY_SELECT:
	case AST_ARRAY: *name = "array"; return NAME_STRONG;
	case AST_EXISTS: *name = "exists"; return NAME_STRONG;
	case AST_GROUPING: *name = "grouping"; return NAME_STRONG;
	case AST_SUBQUERY: return name_of_select(ast->select, name);
	case AST_SUBSCRIPT: return name_of(ast->args[0], name);
	case AST_CASE:
		if (ast->args[ast->arg_count - 1]) {
			strength = name_of(ast->args[ast->arg_count - 1], name);
			if (strength == NAME_STRONG)
				return strength;
		}
		*name = "case";
		return NAME_WEAK;
	case AST_CAST:
		strength = name_of(ast->args[0], name);
		if (strength == NAME_STRONG)
			return strength;
		*name = ast->type->name;
		return NAME_WEAK;
	default: return NAME_NONE;
	}
}

const char *output_name(const struct ast_expr *ast)
{
	const char *name = "?column?";

	name_of(ast, &name);
	return name;
}
