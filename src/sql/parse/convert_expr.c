#include "sql/parse/convert_private.h"

#include <string.h>

/* Of one value: list[1][2]. PostgreSQL's limit. */
#define SQL_SUBSCRIPTS_MAX 6

/* The text of a String node; "" for anything else. */
static const char *node_name(const PgQuery__Node *node)
{
	return node->node_case == PG_QUERY__NODE__NODE_STRING ? node->string->sval : "";
}

const char *last_name(struct nodes names)
{
	return names.count ? node_name(names.items[names.count - 1]) : "";
}

const char *optional_name(const char *name)
{
	return name[0] ? name : NULL;
}

/* By reflection: 60 kinds of node call theirs "location". */
int32_t node_location(const PgQuery__Node *node)
{
	const ProtobufCFieldDescriptor *field;
	const ProtobufCMessage *message;

	if (!node || node->node_case == PG_QUERY__NODE__NODE__NOT_SET)
		return -1;
	/* All members of the union are pointers to messages. */
	message = &node->alias->base;
	field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "location");
	return field ? *(const int32_t *)((const char *)message + field->offset) : -1;
}

void *unsupported(struct converter *c, int32_t location, const char *what)
{
	source_error(c->source, location, c->err, "%s not supported", what);
	return NULL;
}

int converter_enter(struct converter *c, const PgQuery__Node *node)
{
	if (c->depth >= SQL_NESTING_MAX)
		return source_error(c->source, node_location(node), c->err,
			"the query is nested too deeply (more than %d levels)", SQL_NESTING_MAX);
	c->depth++;
	return 0;
}

void converter_leave(struct converter *c)
{
	c->depth--;
}

static struct ast_expr *expr_new(struct converter *c, enum ast_kind kind, int32_t location)
{
	struct ast_expr *expr = arena_zalloc(c->arena, sizeof(*expr));

	expr->kind = kind;
	expr->location = location;
	return expr;
}

/* An expression with these nodes as arguments; NULL when one of them fails. */
static struct ast_expr *expr_over(
	struct converter *c, enum ast_kind kind, int32_t location, struct nodes nodes)
{
	struct ast_expr *expr = expr_new(c, kind, location);

	expr->args = convert_exprs(c, nodes, &expr->arg_count);
	return expr->args ? expr : NULL;
}

struct ast_expr **convert_exprs(struct converter *c, struct nodes list, uint32_t *count)
{
	struct ast_expr **exprs;

	*count = list.count;
	exprs = arena_alloc(c->arena, (list.count + 1) * sizeof(struct ast_expr *));
	for (uint32_t i = 0; i < list.count; i++) {
		exprs[i] = convert_expr(c, list.items[i]);
		if (!exprs[i])
			return NULL;
	}
	return exprs;
}

const char **convert_names(struct converter *c, struct nodes list, uint32_t *count)
{
	const char **names;

	*count = list.count;
	names = arena_alloc(c->arena, (list.count + 1) * sizeof(*names));
	for (uint32_t i = 0; i < list.count; i++)
		names[i] = node_name(list.items[i]);
	return names;
}

static struct ast_expr *convert_column_ref(struct converter *c, const PgQuery__ColumnRef *column)
{
	uint32_t count = (uint32_t)column->n_fields;
	struct ast_expr *expr = expr_new(c, AST_NAME, column->location);

	if (count && column->fields[count - 1]->node_case == PG_QUERY__NODE__NODE_A_STAR) {
		expr->kind = AST_STAR;
		count--;
	}
	expr->names = convert_names(c, NODES(column, fields), &expr->name_count);
	expr->name_count = count;
	/* public.t.a is the one longer form that can have a meaning here. */
	if (count == (expr->kind == AST_STAR ? 2u : 3u) && strcmp(expr->names[0], "public") == 0) {
		expr->names++;
		expr->name_count--;
	}
	if (expr->name_count > (expr->kind == AST_STAR ? 1u : 2u))
		return unsupported(c, expr->location, "names of more than two parts are");
	return expr;
}

static struct ast_expr *convert_parameter_ref(
	struct converter *c, const PgQuery__ParamRef *parameter)
{
	struct ast_expr *expr = expr_new(c, AST_PARAMETER, parameter->location);

	expr->text_size = (uint32_t)parameter->number;
	return expr;
}

static struct ast_expr *convert_constant(struct converter *c, const PgQuery__AConst *constant)
{
	struct ast_expr *expr = expr_new(c, AST_NULL, constant->location);

	if (constant->isnull)
		return expr;
	switch (constant->val_case) {
	case PG_QUERY__A__CONST__VAL_IVAL:
		expr->kind = AST_INTEGER;
		expr->text = arena_printf(c->arena, "%d", constant->ival->ival);
		break;
	case PG_QUERY__A__CONST__VAL_FVAL:
		expr->kind = AST_NUMBER;
		expr->text = constant->fval->fval;
		break;
	case PG_QUERY__A__CONST__VAL_BOOLVAL:
		expr->kind = AST_BOOL;
		expr->flag = constant->boolval->boolval;
		return expr;
	case PG_QUERY__A__CONST__VAL_SVAL:
		expr->kind = AST_STRING;
		expr->text = constant->sval->sval;
		break;
	default: return unsupported(c, expr->location, "bit strings are");
	}
	expr->text_size = (uint32_t)strlen(expr->text);
	return expr;
}

static struct ast_expr *convert_operator(struct converter *c, const PgQuery__AExpr *test)
{
	PgQuery__Node *sides[2] = {test->lexpr ? test->lexpr : test->rexpr, test->rexpr};
	struct nodes args = {test->lexpr ? 2 : 1, sides};
	struct ast_expr *expr = expr_over(c, AST_OPERATOR, test->location, args);

	if (expr)
		expr->text = last_name(NODES(test, name));
	return expr;
}

/* Two sides and nothing else. */
static struct ast_expr *convert_pair(
	struct converter *c, const PgQuery__AExpr *test, enum ast_kind kind, bool negated)
{
	PgQuery__Node *sides[2] = {test->lexpr, test->rexpr};
	struct ast_expr *expr = expr_over(c, kind, test->location, (struct nodes){2, sides});

	if (expr)
		expr->negated = negated;
	return expr;
}

/* IN and BETWEEN: a left side and a list. */
static struct ast_expr *convert_list_test(
	struct converter *c, const PgQuery__AExpr *test, enum ast_kind kind, bool negated)
{
	struct nodes list = NODES(test->rexpr->list, items);
	PgQuery__Node **nodes = arena_alloc(c->arena, (list.count + 1) * sizeof(*nodes));
	struct ast_expr *expr;

	nodes[0] = test->lexpr;
	for (uint32_t i = 0; i < list.count; i++)
		nodes[i + 1] = list.items[i];
	expr = expr_over(c, kind, test->location, (struct nodes){list.count + 1, nodes});
	if (expr)
		expr->negated = negated;
	return expr;
}

static struct ast_expr *convert_between(
	struct converter *c, const PgQuery__AExpr *test, bool negated, bool symmetric)
{
	struct ast_expr *expr = convert_list_test(c, test, AST_BETWEEN, negated);

	if (expr)
		expr->flag = symmetric;
	return expr;
}

/* The arguments of like_escape(pattern, escape), which ESCAPE becomes; none for another node. */
static struct nodes like_escape(const PgQuery__Node *node)
{
	if (node->node_case == PG_QUERY__NODE__NODE_FUNC_CALL && node->func_call->n_args == 2 &&
		strcmp(last_name(NODES(node->func_call, funcname)), "like_escape") == 0)
		return NODES(node->func_call, args);
	return (struct nodes){0};
}

static struct ast_expr *convert_like(struct converter *c, const PgQuery__AExpr *test, bool any_case)
{
	struct nodes escape = like_escape(test->rexpr);
	PgQuery__Node *nodes[3] = {test->lexpr, test->rexpr, NULL};
	struct ast_expr *expr;

	if (escape.count) {
		nodes[1] = escape.items[0];
		nodes[2] = escape.items[1];
	}
	expr = expr_over(c, AST_LIKE, test->location, (struct nodes){escape.count ? 3 : 2, nodes});
	if (expr) {
		expr->flag = any_case;
		expr->negated = last_name(NODES(test, name))[0] == '!';
	}
	return expr;
}

static struct ast_expr *convert_any(struct converter *c, const PgQuery__AExpr *test, bool all)
{
	struct ast_expr *expr = convert_pair(c, test, AST_ANY, false);

	if (expr) {
		expr->text = last_name(NODES(test, name));
		expr->flag = all;
	}
	return expr;
}

static struct ast_expr *convert_a_expr(struct converter *c, const PgQuery__AExpr *test)
{
	switch (test->kind) {
	case PG_QUERY__A__EXPR__KIND__AEXPR_OP: return convert_operator(c, test);
	case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ANY: return convert_any(c, test, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_OP_ALL: return convert_any(c, test, true);
	case PG_QUERY__A__EXPR__KIND__AEXPR_DISTINCT:
		return convert_pair(c, test, AST_IS_DISTINCT, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_DISTINCT:
		return convert_pair(c, test, AST_IS_DISTINCT, true);
	case PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF: return convert_pair(c, test, AST_NULLIF, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_IN:
		return convert_list_test(
			c, test, AST_IN, strcmp(last_name(NODES(test, name)), "<>") == 0);
	case PG_QUERY__A__EXPR__KIND__AEXPR_LIKE: return convert_like(c, test, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_ILIKE: return convert_like(c, test, true);
	case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN: return convert_between(c, test, false, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN:
		return convert_between(c, test, true, false);
	case PG_QUERY__A__EXPR__KIND__AEXPR_BETWEEN_SYM:
		return convert_between(c, test, false, true);
	case PG_QUERY__A__EXPR__KIND__AEXPR_NOT_BETWEEN_SYM:
		return convert_between(c, test, true, true);
	/* The right side is a call of similar_to_escape already, the name ~ or !~. */
	case PG_QUERY__A__EXPR__KIND__AEXPR_SIMILAR: return convert_operator(c, test);
	default: return unsupported(c, test->location, "this operator is");
	}
}

static struct ast_expr *convert_bool_expr(struct converter *c, const PgQuery__BoolExpr *test)
{
	enum ast_kind kind = AST_AND;

	if (test->boolop == PG_QUERY__BOOL_EXPR_TYPE__OR_EXPR)
		kind = AST_OR;
	else if (test->boolop == PG_QUERY__BOOL_EXPR_TYPE__NOT_EXPR)
		kind = AST_NOT;
	return expr_over(c, kind, test->location, NODES(test, args));
}

/* NOT around `inner`, when the test was negated. */
static struct ast_expr *negate_if(struct converter *c, bool negated, struct ast_expr *inner)
{
	struct ast_expr *expr;

	if (!inner || !negated)
		return inner;
	expr = expr_new(c, AST_NOT, inner->location);
	expr->arg_count = 1;
	expr->args = arena_alloc(c->arena, sizeof(*expr->args));
	expr->args[0] = inner;
	return expr;
}

static struct ast_expr *convert_boolean_test(struct converter *c, const PgQuery__BooleanTest *test)
{
	PgQuery__Node *arg = test->arg;
	enum ast_kind kind = AST_IS_BOOL;
	bool truth = false, negated = false;
	struct ast_expr *expr;

	switch (test->booltesttype) {
	case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_TRUE: negated = true; /* fall through */
	case PG_QUERY__BOOL_TEST_TYPE__IS_TRUE: truth = true; break;
	case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_FALSE: negated = true; break;
	case PG_QUERY__BOOL_TEST_TYPE__IS_NOT_UNKNOWN: negated = true; /* fall through */
	case PG_QUERY__BOOL_TEST_TYPE__IS_UNKNOWN: kind = AST_IS_UNKNOWN; break;
	default: break;
	}
	expr = expr_over(c, kind, test->location, (struct nodes){1, &arg});
	if (expr)
		expr->flag = truth;
	return negate_if(c, negated, expr);
}

/* A row is NULL when all its fields are, and not NULL when none is. */
static struct ast_expr *row_null_test(struct converter *c, const PgQuery__NullTest *test)
{
	bool negated = test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL;
	struct ast_expr *all =
		expr_over(c, AST_AND, test->location, NODES(test->arg->row_expr, args));

	for (uint32_t i = 0; all && i < all->arg_count; i++) {
		struct ast_expr *field = expr_new(c, AST_IS_NULL, test->location);

		field->arg_count = 1;
		field->args = arena_alloc(c->arena, sizeof(*field->args));
		field->args[0] = all->args[i];
		all->args[i] = negate_if(c, negated, field);
	}
	return all;
}

static struct ast_expr *convert_null_test(struct converter *c, const PgQuery__NullTest *test)
{
	PgQuery__Node *arg = test->arg;

	if (arg->node_case == PG_QUERY__NODE__NODE_ROW_EXPR && arg->row_expr->n_args > 1)
		return row_null_test(c, test);

	return negate_if(c, test->nulltesttype == PG_QUERY__NULL_TEST_TYPE__IS_NOT_NULL,
		expr_over(c, AST_IS_NULL, test->location, (struct nodes){1, &arg}));
}

static struct ast_expr *convert_case(struct converter *c, const PgQuery__CaseExpr *choice)
{
	struct nodes whens = NODES(choice, args);
	PgQuery__Node **nodes = arena_alloc(c->arena, (2 * whens.count + 2) * sizeof(*nodes));
	struct ast_expr *expr;
	uint32_t count = 0;

	if (choice->arg)
		nodes[count++] = choice->arg;
	for (uint32_t i = 0; i < whens.count; i++) {
		nodes[count++] = whens.items[i]->case_when->expr;
		nodes[count++] = whens.items[i]->case_when->result;
	}
	if (choice->defresult)
		nodes[count++] = choice->defresult;
	expr = expr_over(c, AST_CASE, choice->location, (struct nodes){count, nodes});
	if (!expr)
		return NULL;
	expr->flag = choice->arg != NULL;
	/* Room for the else was asked for: convert_exprs has one slot more than arguments. */
	if (!choice->defresult)
		expr->args[expr->arg_count++] = NULL;
	return expr;
}

static bool is_integer(const PgQuery__Node *node)
{
	return node->node_case == PG_QUERY__NODE__NODE_A_CONST &&
	       node->a_const->val_case == PG_QUERY__A__CONST__VAL_IVAL;
}

struct ast_type *convert_type(struct converter *c, const PgQuery__TypeName *name)
{
	struct ast_type *type = arena_zalloc(c->arena, sizeof(*type));
	struct nodes modifiers = NODES(name, typmods);

	type->name = last_name(NODES(name, names));
	type->location = name->location;
	type->is_array = name->n_array_bounds > 0;
	if (name->n_array_bounds > 1)
		return unsupported(c, type->location, "arrays of arrays are");
	if (name->setof || name->pct_type)
		return unsupported(c, type->location, "this type is");
	type->modifier_count = modifiers.count;
	if (type->modifier_count > 2)
		return unsupported(c, type->location, "more than two type modifiers are");
	for (uint32_t i = 0; i < type->modifier_count; i++) {
		if (!is_integer(modifiers.items[i]))
			return unsupported(
				c, type->location, "type modifiers that are not integers are");
		type->modifiers[i] = modifiers.items[i]->a_const->ival->ival;
	}
	return type;
}

static struct ast_expr *convert_cast(struct converter *c, const PgQuery__TypeCast *cast)
{
	PgQuery__Node *arg = cast->arg;
	struct ast_expr *expr = expr_over(c, AST_CAST, cast->location, (struct nodes){1, &arg});

	if (!expr)
		return NULL;
	expr->type = convert_type(c, cast->type_name);
	if (!expr->type)
		return NULL;
	if (expr->location < 0)
		expr->location = expr->type->location;
	return expr;
}

/* ORDER BY ... USING the operator; its schema does not matter. */
static bool uses_operator(const PgQuery__SortBy *sort, const char *name)
{
	return sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING && sort->n_use_op &&
	       strcmp(sort->use_op[sort->n_use_op - 1]->string->sval, name) == 0;
}

struct ast_sort *convert_sorts(struct converter *c, struct nodes list, uint32_t *count)
{
	struct ast_sort *sorts;

	*count = list.count;
	sorts = arena_zalloc(c->arena, (list.count + 1) * sizeof(*sorts));
	for (uint32_t i = 0; i < list.count; i++) {
		const PgQuery__SortBy *sort = list.items[i]->sort_by;

		sorts[i].expr = convert_expr(c, sort->node);
		if (!sorts[i].expr)
			return NULL;
		sorts[i].descending = sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC ||
				      uses_operator(sort, ">");
		if (sort->sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING &&
			!sorts[i].descending && !uses_operator(sort, "<"))
			return unsupported(c, sorts[i].expr->location,
				"ORDER BY ... USING anything but < and > is");
		sorts[i].nulls_first = sorts[i].descending;
		if (sort->sortby_nulls != PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_DEFAULT)
			sorts[i].nulls_first =
				sort->sortby_nulls == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
	}
	return sorts;
}

/* The names of arguments, as in make_interval(days => 1); NULL when there are none. */
static const char **argument_names(struct converter *c, struct nodes args)
{
	const char **names = NULL;

	for (uint32_t i = 0; i < args.count; i++) {
		if (args.items[i]->node_case != PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)
			continue;
		if (!names)
			names = arena_zalloc(c->arena, args.count * sizeof(*names));
		names[i] = args.items[i]->named_arg_expr->name;
	}
	return names;
}

/* Functions live in one schema, which need not be named. */
static int check_function_schema(struct converter *c, const PgQuery__FuncCall *call)
{
	const char *first = node_name(call->funcname[0]);

	if (call->n_funcname == 1 || (call->n_funcname == 2 && strcmp(first, "pg_catalog") == 0))
		return 0;
	if (call->n_funcname == 2)
		return source_error(
			c->source, call->location, c->err, "schema \"%s\" does not exist", first);
	return source_error(c->source, call->location, c->err,
		"cross-database references are not implemented: a function of \"%s\"", first);
}

static struct ast_expr *convert_call(struct converter *c, const PgQuery__FuncCall *call)
{
	struct ast_expr *expr = expr_over(c, AST_CALL, call->location, NODES(call, args));

	if (!expr || check_function_schema(c, call) < 0)
		return NULL;
	expr->text = last_name(NODES(call, funcname));
	expr->call = arena_zalloc(c->arena, sizeof(*expr->call));
	expr->call->star = call->agg_star;
	expr->call->distinct = call->agg_distinct;
	expr->call->arg_names = argument_names(c, NODES(call, args));
	expr->call->variadic = call->func_variadic;
	expr->call->within_group = call->agg_within_group;
	expr->call->sort = convert_sorts(c, NODES(call, agg_order), &expr->call->sort_count);
	if (!expr->call->sort)
		return NULL;
	if (call->agg_filter) {
		expr->call->filter = convert_expr(c, call->agg_filter);
		if (!expr->call->filter)
			return NULL;
	}
	if (call->over) {
		expr->call->window = convert_window(c, call->over);
		if (!expr->call->window)
			return NULL;
	}
	return expr;
}

/* The comparison that is true where this one is false; NULL for other operators. */
static const char *opposite_comparison(const char *operation)
{
	static const char *const pairs[][2] = {{"=", "<>"}, {"<", ">="}, {">", "<="}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (int side = 0; side < 2; side++)
			if (strcmp(operation, pairs[i][side]) == 0)
				return pairs[i][1 - side];
	return NULL;
}

static struct ast_expr *convert_sublink(struct converter *c, const PgQuery__SubLink *link)
{
	const char *operation = link->n_oper_name ? last_name(NODES(link, oper_name)) : "=";
	PgQuery__Node *left = link->testexpr;
	enum ast_kind kind = AST_IN_SELECT;
	bool negated = false;
	struct ast_expr *expr;

	switch (link->sub_link_type) {
	case PG_QUERY__SUB_LINK_TYPE__ANY_SUBLINK:
		if (!opposite_comparison(operation))
			return unsupported(c, link->location,
				"ANY (SELECT ...) with an operator that is no comparison is");
		break;
	case PG_QUERY__SUB_LINK_TYPE__ALL_SUBLINK:
		negated = true;
		operation = opposite_comparison(operation);
		if (!operation)
			return unsupported(c, link->location,
				"ALL (SELECT ...) with an operator that is no comparison is");
		break;
	case PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK: kind = AST_EXISTS; break;
	case PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK: kind = AST_SUBQUERY; break;
	case PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK: kind = AST_ARRAY_SELECT; break;
	default: return unsupported(c, link->location, "this kind of subquery is");
	}
	expr = expr_over(c, kind, link->location, (struct nodes){left ? 1 : 0, &left});
	if (!expr)
		return NULL;
	expr->text = operation;
	expr->select = convert_select(c, link->subselect->select_stmt);
	return expr->select ? negate_if(c, negated, expr) : NULL;
}

static struct ast_expr *convert_min_max(struct converter *c, const PgQuery__MinMaxExpr *choice)
{
	bool least = choice->op == PG_QUERY__MIN_MAX_OP__IS_LEAST;

	return expr_over(
		c, least ? AST_LEAST : AST_GREATEST, choice->location, NODES(choice, args));
}

/* What a node is called that has no place in ast.h. */
static const char *refused_name(PgQuery__Node__NodeCase kind)
{
	switch (kind) {
	case PG_QUERY__NODE__NODE_PARAM_REF: return "parameters ($1) are";
	case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return "COLLATE is";
	case PG_QUERY__NODE__NODE_CURRENT_OF_EXPR: return "CURRENT OF is";
	case PG_QUERY__NODE__NODE_SET_TO_DEFAULT: return "DEFAULT is";
	case PG_QUERY__NODE__NODE_MULTI_ASSIGN_REF: return "multiple assignment is";
	case PG_QUERY__NODE__NODE_XML_EXPR:
	case PG_QUERY__NODE__NODE_XML_SERIALIZE: return "XML is";
	default: return "this expression is";
	}
}

/* NULL for what has nothing to do with the clock. */
static const char *clock_name(PgQuery__SQLValueFunctionOp op)
{
	switch (op) {
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_DATE: return "current_date";
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME:
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIME_N: return "current_time";
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP:
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_CURRENT_TIMESTAMP_N: return "current_timestamp";
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME:
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIME_N: return "localtime";
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP:
	case PG_QUERY__SQLVALUE_FUNCTION_OP__SVFOP_LOCALTIMESTAMP_N: return "localtimestamp";
	default: return NULL;
	}
}

/* current_date and its like, as calls; current_timestamp(3) has an argument. */
static struct ast_expr *convert_value_function(
	struct converter *c, const PgQuery__SQLValueFunction *value)
{
	const char *name = clock_name(value->op);
	struct ast_expr *expr = expr_new(c, AST_CALL, value->location), *digits;

	if (!name)
		return unsupported(c, value->location, "current_user and the like are");
	expr->text = name;
	expr->call = arena_zalloc(c->arena, sizeof(*expr->call));
	if (value->typmod < 0)
		return expr;
	digits = expr_new(c, AST_INTEGER, value->location);
	digits->text = arena_printf(c->arena, "%d", value->typmod);
	digits->text_size = (uint32_t)strlen(digits->text);
	expr->arg_count = 1;
	expr->args = arena_alloc(c->arena, sizeof(*expr->args));
	expr->args[0] = digits;
	return expr;
}

static struct ast_expr *refuse(struct converter *c, const PgQuery__Node *node)
{
	return unsupported(c, node_location(node), refused_name(node->node_case));
}

/* What a slice leaves out: its first or its last index. */
static struct ast_expr *bound_left_out(struct converter *c, int32_t location, int32_t number)
{
	struct ast_expr *bound = expr_new(c, AST_INTEGER, location);

	bound->text = arena_printf(c->arena, "%d", number);
	bound->text_size = (uint32_t)strlen(bound->text);
	return bound;
}

static int convert_subscripts(struct converter *c, const PgQuery__AIndices *indices,
	struct ast_expr *list, struct ast_expr *out)
{
	out->arg_count = indices->is_slice ? 3 : 2;
	out->args = arena_alloc(c->arena, 3 * sizeof(*out->args));
	out->args[0] = list;
	if (indices->is_slice)
		out->args[1] = indices->lidx ? convert_expr(c, indices->lidx)
					     : bound_left_out(c, list->location, 1);
	out->args[out->arg_count - 1] = indices->uidx
						? convert_expr(c, indices->uidx)
						: bound_left_out(c, list->location, INT32_MAX);
	for (uint32_t i = 1; i < out->arg_count; i++)
		if (!out->args[i])
			return -1;
	return 0;
}

/* list[i]; a list of lists takes one subscript after the other. */
static struct ast_expr *convert_indirection(
	struct converter *c, const PgQuery__AIndirection *indirection)
{
	struct ast_expr *value = convert_expr(c, indirection->arg), *expr;

	for (size_t i = 0; value && i < indirection->n_indirection; i++) {
		const PgQuery__Node *step = indirection->indirection[i];

		if (step->node_case != PG_QUERY__NODE__NODE_A_INDICES)
			return unsupported(c, value->location, "fields of a value are");
		if (i >= SQL_SUBSCRIPTS_MAX)
			return unsupported(c, value->location, "that many subscripts are");
		expr = expr_new(c, AST_SUBSCRIPT, value->location);
		if (convert_subscripts(c, step->a_indices, value, expr) < 0)
			return NULL;
		value = expr;
	}
	return value;
}

static struct ast_expr *convert_row(struct converter *c, const PgQuery__RowExpr *row)
{
	struct ast_expr *expr = expr_over(c, AST_ROW, row->location, NODES(row, args));

	if (expr)
		expr->flag = row->row_format == PG_QUERY__COERCION_FORM__COERCE_EXPLICIT_CALL;
	return expr;
}

static struct ast_expr *convert_grouping_set(struct converter *c, const PgQuery__GroupingSet *set)
{
	struct ast_expr *expr = expr_over(c, AST_GROUPING_SET, set->location, NODES(set, content));

	if (!expr)
		return NULL;
	switch (set->kind) {
	case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_ROLLUP:
		expr->grouping = AST_GROUPING_ROLLUP;
		break;
	case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_CUBE:
		expr->grouping = AST_GROUPING_CUBE;
		break;
	case PG_QUERY__GROUPING_SET_KIND__GROUPING_SET_SETS:
		expr->grouping = AST_GROUPING_SETS;
		break;
	default: expr->grouping = AST_GROUPING_EMPTY; break;
	}
	return expr;
}

static struct ast_expr *convert_kind(struct converter *c, const PgQuery__Node *node)
{
	switch (node->node_case) {
	case PG_QUERY__NODE__NODE_COLUMN_REF: return convert_column_ref(c, node->column_ref);
	case PG_QUERY__NODE__NODE_A_CONST: return convert_constant(c, node->a_const);
	case PG_QUERY__NODE__NODE_PARAM_REF:
		return c->in_function ? convert_parameter_ref(c, node->param_ref) : refuse(c, node);
	case PG_QUERY__NODE__NODE_A_EXPR: return convert_a_expr(c, node->a_expr);
	case PG_QUERY__NODE__NODE_FUNC_CALL: return convert_call(c, node->func_call);
	case PG_QUERY__NODE__NODE_NAMED_ARG_EXPR: return convert_expr(c, node->named_arg_expr->arg);
	case PG_QUERY__NODE__NODE_TYPE_CAST: return convert_cast(c, node->type_cast);
	case PG_QUERY__NODE__NODE_BOOL_EXPR: return convert_bool_expr(c, node->bool_expr);
	case PG_QUERY__NODE__NODE_NULL_TEST: return convert_null_test(c, node->null_test);
	case PG_QUERY__NODE__NODE_BOOLEAN_TEST: return convert_boolean_test(c, node->boolean_test);
	case PG_QUERY__NODE__NODE_CASE_EXPR: return convert_case(c, node->case_expr);
	case PG_QUERY__NODE__NODE_COALESCE_EXPR:
		return expr_over(c, AST_COALESCE, node->coalesce_expr->location,
			NODES(node->coalesce_expr, args));
	case PG_QUERY__NODE__NODE_MIN_MAX_EXPR: return convert_min_max(c, node->min_max_expr);
	case PG_QUERY__NODE__NODE_SUB_LINK: return convert_sublink(c, node->sub_link);
	case PG_QUERY__NODE__NODE_A_ARRAY_EXPR:
		return expr_over(c, AST_ARRAY, node->a_array_expr->location,
			NODES(node->a_array_expr, elements));
	case PG_QUERY__NODE__NODE_A_INDIRECTION: return convert_indirection(c, node->a_indirection);
	case PG_QUERY__NODE__NODE_ROW_EXPR: return convert_row(c, node->row_expr);
	case PG_QUERY__NODE__NODE_GROUPING_FUNC:
		return expr_over(c, AST_GROUPING, node->grouping_func->location,
			NODES(node->grouping_func, args));
	case PG_QUERY__NODE__NODE_GROUPING_SET: return convert_grouping_set(c, node->grouping_set);
	case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION:
		return convert_value_function(c, node->sqlvalue_function);
	default: return refuse(c, node);
	}
}

struct ast_expr *convert_expr(struct converter *c, const PgQuery__Node *node)
{
	struct ast_expr *expr;

	if (converter_enter(c, node) < 0)
		return NULL;
	expr = convert_kind(c, node);
	converter_leave(c);
	return expr;
}
