#include "sql/bind_private.h"

/* A name from a column or a function is kept by what is around it; one from a type is weaker. */
enum strength {
	NAME_NONE,
	NAME_WEAK,
	NAME_STRONG,
};

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
	case AST_ARRAY: *name = "array"; return NAME_STRONG;
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
