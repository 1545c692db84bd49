#include "sql/convert_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

const char *node_kind(const struct json *node)
{
	return node && node->kind == JSON_OBJECT && node->size ? node->keys[0] : "";
}

const struct json *node_body(const struct json *node)
{
	return node && node->kind == JSON_OBJECT && node->size ? &node->items[0] : NULL;
}

const struct json *list_body(const struct json *list, uint32_t index, const char *kind)
{
	if (index >= json_count(list) || strcmp(node_kind(&list->items[index]), kind) != 0)
		return NULL;
	return node_body(&list->items[index]);
}

const char *node_name(const struct json *node)
{
	const char *name = NULL;

	if (strcmp(node_kind(node), "String") == 0)
		name = json_string(node_body(node), "sval");
	return name ? name : "";
}

const char *last_name(const struct json *names)
{
	uint32_t count = json_count(names);

	return count ? node_name(&names->items[count - 1]) : "";
}

int32_t location_of(const struct json *body)
{
	return json_int(body, "location", 0);
}

void *unsupported(struct converter *c, int32_t location, const char *what)
{
	source_error(c->source, location, c->err, "%s not supported", what);
	return NULL;
}

static struct ast_expr *expr_new(struct converter *c, enum ast_kind kind, const struct json *body)
{
	struct ast_expr *expr = arena_zalloc(c->arena, sizeof(*expr));

	expr->kind = kind;
	expr->location = location_of(body);
	return expr;
}

/* An expression with these nodes as arguments; NULL when one of them fails. */
static struct ast_expr *expr_over(struct converter *c, enum ast_kind kind, const struct json *body,
	uint32_t count, const struct json *const *nodes)
{
	struct ast_expr *expr = expr_new(c, kind, body);

	expr->arg_count = count;
	expr->args = arena_alloc(c->arena, (count + 1) * sizeof(*expr->args));
	for (uint32_t i = 0; i < count; i++) {
		expr->args[i] = convert_expr(c, nodes[i]);
		if (!expr->args[i])
			return NULL;
	}
	return expr;
}

static struct ast_expr *expr_over_list(
	struct converter *c, enum ast_kind kind, const struct json *body, const struct json *list)
{
	struct ast_expr *expr = expr_new(c, kind, body);

	expr->args = convert_exprs(c, list, &expr->arg_count);
	return expr->args ? expr : NULL;
}

struct ast_expr **convert_exprs(struct converter *c, const struct json *list, uint32_t *count)
{
	struct ast_expr **exprs;

	*count = json_count(list);
	exprs = arena_alloc(c->arena, (*count + 1) * sizeof(struct ast_expr *));
	for (uint32_t i = 0; i < *count; i++) {
		exprs[i] = convert_expr(c, &list->items[i]);
		if (!exprs[i])
			return NULL;
	}
	return exprs;
}

const char **convert_names(struct converter *c, const struct json *list, uint32_t *count)
{
	const char **names;

	*count = json_count(list);
	names = arena_alloc(c->arena, (*count + 1) * sizeof(*names));
	for (uint32_t i = 0; i < *count; i++)
		names[i] = node_name(&list->items[i]);
	return names;
}

static struct ast_expr *convert_column_ref(struct converter *c, const struct json *body)
{
	const struct json *fields = json_get(body, "fields");
	uint32_t count = json_count(fields);
	struct ast_expr *expr = expr_new(c, AST_NAME, body);

	if (count && strcmp(node_kind(&fields->items[count - 1]), "A_Star") == 0) {
		expr->kind = AST_STAR;
		count--;
	}
	expr->names = convert_names(c, fields, &expr->name_count);
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

/*
 * This libpg_query writes an ival of zero and a negative one alike: as nothing. The text at the
 * constant's location, which is that of its leftmost minus, tells them apart.
 */
static int32_t integer_from_text(const char *text)
{
	int64_t value = 0;
	bool negative = false;

	while (*text && !isdigit((unsigned char)*text)) {
		if (text[0] == '-' && text[1] == '-') {
			text += strcspn(text, "\n");
		} else if (text[0] == '/' && text[1] == '*') {
			const char *end = strstr(text + 2, "*/");

			text = end ? end + 2 : text + strlen(text);
		} else {
			negative ^= *text == '-';
			text++;
		}
	}
	for (; isdigit((unsigned char)*text) && value <= INT32_MAX; text++)
		value = value * 10 + (*text - '0');
	return (int32_t)(negative ? -value : value);
}

static int32_t integer_constant(struct converter *c, const struct json *body)
{
	int32_t value = json_int(json_get(body, "ival"), "ival", 0);
	int32_t location = location_of(body);

	if (value == 0 && location >= 0 && (size_t)location < strlen(c->source->text))
		value = integer_from_text(c->source->text + location);
	return value;
}

static struct ast_expr *convert_constant(struct converter *c, const struct json *body)
{
	struct ast_expr *expr = expr_new(c, AST_NULL, body);
	const struct json *text = NULL;

	if (json_true(body, "isnull"))
		return expr;
	if (json_get(body, "ival")) {
		expr->kind = AST_INTEGER;
		expr->text = arena_printf(c->arena, "%d", integer_constant(c, body));
	} else if (json_get(body, "fval")) {
		expr->kind = AST_NUMBER;
		expr->text = json_string(json_get(body, "fval"), "fval");
	} else if (json_get(body, "boolval")) {
		expr->kind = AST_BOOL;
		expr->flag = json_true(json_get(body, "boolval"), "boolval");
		return expr;
	} else if (json_get(body, "sval")) {
		expr->kind = AST_STRING;
		text = json_get(json_get(body, "sval"), "sval");
		expr->text = text ? text->text : "";
		expr->text_size = text ? text->size : 0;
		return expr;
	} else {
		return unsupported(c, expr->location, "bit strings are");
	}
	if (!expr->text)
		expr->text = "0";
	expr->text_size = (uint32_t)strlen(expr->text);
	return expr;
}

static struct ast_expr *convert_operator(struct converter *c, const struct json *body)
{
	const struct json *left = json_get(body, "lexpr"), *right = json_get(body, "rexpr");
	const struct json *nodes[2] = {left ? left : right, right};
	struct ast_expr *expr = expr_over(c, AST_OPERATOR, body, left ? 2 : 1, nodes);

	if (expr)
		expr->text = last_name(json_get(body, "name"));
	return expr;
}

/* IN and BETWEEN: a left side and a list. */
static struct ast_expr *convert_list_test(
	struct converter *c, const struct json *body, enum ast_kind kind)
{
	const struct json *list = json_get(node_body(json_get(body, "rexpr")), "items");
	uint32_t count = json_count(list);
	const struct json **nodes = arena_alloc(c->arena, (count + 1) * sizeof(*nodes));

	nodes[0] = json_get(body, "lexpr");
	for (uint32_t i = 0; i < count; i++)
		nodes[i + 1] = &list->items[i];
	return expr_over(c, kind, body, count + 1, nodes);
}

static struct ast_expr *convert_like(struct converter *c, const struct json *body, bool any_case)
{
	const struct json *right = json_get(body, "rexpr"), *call = NULL;
	const struct json *nodes[3] = {json_get(body, "lexpr"), right, NULL};
	struct ast_expr *expr;

	if (strcmp(node_kind(right), "FuncCall") == 0 &&
		strcmp(last_name(json_get(node_body(right), "funcname")), "like_escape") == 0 &&
		json_count(json_get(node_body(right), "args")) == 2) {
		call = json_get(node_body(right), "args");
		nodes[1] = &call->items[0];
		nodes[2] = &call->items[1];
	}
	expr = expr_over(c, AST_LIKE, body, call ? 3 : 2, nodes);
	if (expr) {
		expr->flag = any_case;
		expr->negated = last_name(json_get(body, "name"))[0] == '!';
	}
	return expr;
}

static struct ast_expr *convert_any(struct converter *c, const struct json *body, bool all)
{
	const struct json *nodes[2] = {json_get(body, "lexpr"), json_get(body, "rexpr")};
	const char *name = last_name(json_get(body, "name"));
	struct ast_expr *expr;

	if (strcmp(name, all ? "<>" : "=") != 0)
		return unsupported(c, location_of(body),
			"ANY and ALL with other operators than "
			"= ANY and <> ALL are");
	expr = expr_over(c, AST_ANY, body, 2, nodes);
	if (expr)
		expr->negated = all;
	return expr;
}

static struct ast_expr *convert_a_expr(struct converter *c, const struct json *body)
{
	const char *kind = json_string(body, "kind");
	const struct json *pair[2] = {json_get(body, "lexpr"), json_get(body, "rexpr")};
	struct ast_expr *expr = NULL;

	if (!kind || strcmp(kind, "AEXPR_OP") == 0)
		return convert_operator(c, body);
	if (strcmp(kind, "AEXPR_OP_ANY") == 0 || strcmp(kind, "AEXPR_OP_ALL") == 0)
		return convert_any(c, body, strcmp(kind, "AEXPR_OP_ALL") == 0);
	if (strcmp(kind, "AEXPR_DISTINCT") == 0 || strcmp(kind, "AEXPR_NOT_DISTINCT") == 0) {
		expr = expr_over(c, AST_IS_DISTINCT, body, 2, pair);
		if (expr)
			expr->negated = strcmp(kind, "AEXPR_NOT_DISTINCT") == 0;
		return expr;
	}
	if (strcmp(kind, "AEXPR_NULLIF") == 0)
		return expr_over(c, AST_NULLIF, body, 2, pair);
	if (strcmp(kind, "AEXPR_LIKE") == 0 || strcmp(kind, "AEXPR_ILIKE") == 0)
		return convert_like(c, body, strcmp(kind, "AEXPR_ILIKE") == 0);
	if (strcmp(kind, "AEXPR_IN") == 0) {
		expr = convert_list_test(c, body, AST_IN);
		if (expr)
			expr->negated = strcmp(last_name(json_get(body, "name")), "<>") == 0;
		return expr;
	}
	if (strstr(kind, "BETWEEN")) {
		expr = convert_list_test(c, body, AST_BETWEEN);
		if (expr) {
			expr->negated = strstr(kind, "NOT_") != NULL;
			expr->flag = strstr(kind, "_SYM") != NULL;
		}
		return expr;
	}
	return unsupported(c, location_of(body), "SIMILAR TO is");
}

static struct ast_expr *convert_bool_expr(struct converter *c, const struct json *body)
{
	const char *op = json_string(body, "boolop");
	enum ast_kind kind = AST_AND;

	if (op && strcmp(op, "OR_EXPR") == 0)
		kind = AST_OR;
	else if (op && strcmp(op, "NOT_EXPR") == 0)
		kind = AST_NOT;
	return expr_over_list(c, kind, body, json_get(body, "args"));
}

/* NOT around `inner`, when the test was negated. */
static struct ast_expr *negate_if(
	struct converter *c, const struct json *body, bool negated, struct ast_expr *inner)
{
	struct ast_expr *expr;

	if (!inner || !negated)
		return inner;
	expr = expr_new(c, AST_NOT, body);
	expr->arg_count = 1;
	expr->args = arena_alloc(c->arena, sizeof(*expr->args));
	expr->args[0] = inner;
	return expr;
}

static struct ast_expr *convert_boolean_test(struct converter *c, const struct json *body)
{
	const struct json *arg = json_get(body, "arg");
	const char *test = json_string(body, "booltesttype");
	bool unknown = test && strstr(test, "UNKNOWN");
	struct ast_expr *expr = expr_over(c, unknown ? AST_IS_UNKNOWN : AST_IS_BOOL, body, 1, &arg);

	if (expr)
		expr->flag = test && strstr(test, "TRUE");
	return negate_if(c, body, test && strstr(test, "NOT"), expr);
}

static struct ast_expr *convert_null_test(struct converter *c, const struct json *body)
{
	const struct json *arg = json_get(body, "arg");
	const char *test = json_string(body, "nulltesttype");

	return negate_if(c, body, test && strcmp(test, "IS_NOT_NULL") == 0,
		expr_over(c, AST_IS_NULL, body, 1, &arg));
}

static struct ast_expr *convert_case(struct converter *c, const struct json *body)
{
	const struct json *operand = json_get(body, "arg"), *whens = json_get(body, "args");
	uint32_t when_count = json_count(whens), count = 0;
	const struct json **nodes = arena_alloc(c->arena, (2 * when_count + 2) * sizeof(*nodes));
	struct ast_expr *expr;

	if (operand)
		nodes[count++] = operand;
	for (uint32_t i = 0; i < when_count; i++) {
		const struct json *when = list_body(whens, i, "CaseWhen");

		nodes[count++] = json_get(when, "expr");
		nodes[count++] = json_get(when, "result");
	}
	if (json_get(body, "defresult"))
		nodes[count++] = json_get(body, "defresult");
	expr = expr_over(c, AST_CASE, body, count, nodes);
	if (!expr)
		return NULL;
	expr->flag = operand != NULL;
	/* Room for the else was asked for: expr_over has one slot more than arguments. */
	if (!json_get(body, "defresult"))
		expr->args[expr->arg_count++] = NULL;
	return expr;
}

struct ast_type *convert_type(struct converter *c, const struct json *body)
{
	struct ast_type *type = arena_zalloc(c->arena, sizeof(*type));
	const struct json *modifiers = json_get(body, "typmods");
	uint32_t bounds = json_count(json_get(body, "arrayBounds"));

	type->name = last_name(json_get(body, "names"));
	type->location = location_of(body);
	type->is_array = bounds > 0;
	if (bounds > 1)
		return unsupported(c, type->location, "arrays of arrays are");
	if (json_true(body, "setof") || json_true(body, "pct_type"))
		return unsupported(c, type->location, "this type is");
	type->modifier_count = json_count(modifiers);
	if (type->modifier_count > 2)
		return unsupported(c, type->location, "more than two type modifiers are");
	for (uint32_t i = 0; i < type->modifier_count; i++) {
		const struct json *constant = list_body(modifiers, i, "A_Const");

		if (!json_get(constant, "ival"))
			return unsupported(
				c, type->location, "type modifiers that are no integers are");
		type->modifiers[i] = integer_constant(c, constant);
	}
	return type;
}

static struct ast_expr *convert_cast(struct converter *c, const struct json *body)
{
	const struct json *arg = json_get(body, "arg");
	struct ast_expr *expr = expr_over(c, AST_CAST, body, 1, &arg);

	if (!expr)
		return NULL;
	expr->type = convert_type(c, json_get(body, "typeName"));
	if (!expr->type)
		return NULL;
	if (expr->location < 0)
		expr->location = expr->type->location;
	return expr;
}

struct ast_sort *convert_sorts(struct converter *c, const struct json *list, uint32_t *count)
{
	struct ast_sort *sorts;

	*count = json_count(list);
	sorts = arena_zalloc(c->arena, (*count + 1) * sizeof(*sorts));
	for (uint32_t i = 0; i < *count; i++) {
		const struct json *body = list_body(list, i, "SortBy");
		const char *direction = json_string(body, "sortby_dir");
		const char *nulls = json_string(body, "sortby_nulls");

		sorts[i].expr = convert_expr(c, json_get(body, "node"));
		if (!sorts[i].expr)
			return NULL;
		if (direction && strcmp(direction, "SORTBY_USING") == 0)
			return unsupported(c, sorts[i].expr->location, "ORDER BY ... USING is");
		sorts[i].descending = direction && strcmp(direction, "SORTBY_DESC") == 0;
		sorts[i].nulls_first = sorts[i].descending;
		if (nulls && strcmp(nulls, "SORTBY_NULLS_DEFAULT") != 0)
			sorts[i].nulls_first = strcmp(nulls, "SORTBY_NULLS_FIRST") == 0;
	}
	return sorts;
}

/* RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, not spelled out, as libpg_query writes it. */
#define FRAME_OPTIONS_DEFAULT 1058

struct ast_window *convert_window(struct converter *c, const struct json *body)
{
	struct ast_window *window = arena_zalloc(c->arena, sizeof(*window));
	const char *base = json_string(body, "refname");

	window->name = json_string(body, "name");
	window->location = location_of(body);
	if (base && base[0])
		return unsupported(c, window->location, "windows that extend another one are");
	if (json_int(body, "frameOptions", FRAME_OPTIONS_DEFAULT) != FRAME_OPTIONS_DEFAULT)
		return unsupported(c, window->location, "window frames (ROWS, RANGE, GROUPS) are");
	window->partition =
		convert_exprs(c, json_get(body, "partitionClause"), &window->partition_count);
	if (!window->partition)
		return NULL;
	window->sort = convert_sorts(c, json_get(body, "orderClause"), &window->sort_count);
	return window->sort ? window : NULL;
}

static struct ast_expr *convert_call(struct converter *c, const struct json *body)
{
	struct ast_expr *expr = expr_over_list(c, AST_CALL, body, json_get(body, "args"));

	if (!expr)
		return NULL;
	expr->text = last_name(json_get(body, "funcname"));
	expr->call = arena_zalloc(c->arena, sizeof(*expr->call));
	expr->call->star = json_true(body, "agg_star");
	expr->call->distinct = json_true(body, "agg_distinct");
	if (json_true(body, "func_variadic"))
		return unsupported(c, expr->location, "VARIADIC is");
	if (json_true(body, "agg_within_group"))
		return unsupported(c, expr->location, "WITHIN GROUP is");
	if (json_count(json_get(body, "agg_order")))
		return unsupported(c, expr->location, "ORDER BY inside an aggregate is");
	if (json_get(body, "agg_filter")) {
		expr->call->filter = convert_expr(c, json_get(body, "agg_filter"));
		if (!expr->call->filter)
			return NULL;
	}
	if (json_get(body, "over")) {
		expr->call->window = convert_window(c, json_get(body, "over"));
		if (!expr->call->window)
			return NULL;
	}
	return expr;
}

static struct ast_expr *convert_sublink(struct converter *c, const struct json *body)
{
	const char *type = json_string(body, "subLinkType");
	const struct json *left = json_get(body, "testexpr");
	int32_t location = location_of(body);
	struct ast_expr *expr;

	if (type && strcmp(type, "EXISTS_SUBLINK") == 0)
		return unsupported(c, location, "EXISTS (SELECT ...) is");
	if (type && strcmp(type, "EXPR_SUBLINK") == 0)
		return unsupported(c, location, "a subquery as a value is");
	if (type && strcmp(type, "ARRAY_SUBLINK") == 0)
		return unsupported(c, location, "ARRAY(SELECT ...) is");
	if (!type || strcmp(type, "ANY_SUBLINK") != 0)
		return unsupported(c, location, "ALL (SELECT ...) is");
	if (json_count(json_get(body, "operName")) &&
		strcmp(last_name(json_get(body, "operName")), "=") != 0)
		return unsupported(c, location, "ANY (SELECT ...) with another operator than = is");
	expr = expr_over(c, AST_IN_SELECT, body, 1, &left);
	if (!expr)
		return NULL;
	expr->select = convert_select(c, node_body(json_get(body, "subselect")));
	return expr->select ? expr : NULL;
}

static struct ast_expr *convert_min_max(struct converter *c, const struct json *body)
{
	const char *op = json_string(body, "op");
	bool greatest = !op || strcmp(op, "IS_GREATEST") == 0;

	return expr_over_list(c, greatest ? AST_GREATEST : AST_LEAST, body, json_get(body, "args"));
}

/* Nodes that have one and the same way to be refused. */
static struct ast_expr *refuse(struct converter *c, const char *kind, const struct json *body)
{
	static const struct {
		const char *kind, *what;
	} words[] = {
		{"SQLValueFunction", "current_date, current_user and the like are"},
		{"A_Indirection", "subscripts and fields of a value are"},
		{"RowExpr", "row constructors are"},
		{"ParamRef", "parameters ($1) are"},
		{"GroupingFunc", "GROUPING is"},
		{"GroupingSet", "grouping sets (ROLLUP, CUBE) are"},
		{"CollateClause", "COLLATE is"},
		{"CurrentOfExpr", "CURRENT OF is"},
		{"SetToDefault", "DEFAULT is"},
		{"MultiAssignRef", "multiple assignment is"},
		{"XmlExpr", "XML is"},
		{"XmlSerialize", "XML is"},
	};

	const struct json *inner = node_body(json_get(body, "arg"));
	int32_t location = json_int(body, "location", inner ? location_of(inner) : -1);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].kind, kind) == 0)
			return unsupported(c, location, words[i].what);
	return unsupported(c, location, "this expression is");
}

typedef struct ast_expr *(*convert_fn)(struct converter *c, const struct json *body);

static struct ast_expr *convert_coalesce(struct converter *c, const struct json *body)
{
	return expr_over_list(c, AST_COALESCE, body, json_get(body, "args"));
}

static struct ast_expr *convert_array(struct converter *c, const struct json *body)
{
	return expr_over_list(c, AST_ARRAY, body, json_get(body, "elements"));
}

struct ast_expr *convert_expr(struct converter *c, const struct json *node)
{
	static const struct {
		const char *kind;
		convert_fn convert;
	} table[] = {
		{"ColumnRef", convert_column_ref},
		{"A_Const", convert_constant},
		{"A_Expr", convert_a_expr},
		{"FuncCall", convert_call},
		{"TypeCast", convert_cast},
		{"BoolExpr", convert_bool_expr},
		{"NullTest", convert_null_test},
		{"BooleanTest", convert_boolean_test},
		{"CaseExpr", convert_case},
		{"CoalesceExpr", convert_coalesce},
		{"MinMaxExpr", convert_min_max},
		{"SubLink", convert_sublink},
		{"A_ArrayExpr", convert_array},
	};
	const char *kind = node_kind(node);
	const struct json *body = node_body(node);
	struct ast_expr *expr;

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcmp(table[i].kind, kind) != 0)
			continue;
		if (c->depth >= SQL_NESTING_MAX) {
			source_error(c->source, location_of(body), c->err,
				"the query is nested too deeply (more than %d levels)",
				SQL_NESTING_MAX);
			return NULL;
		}
		c->depth++;
		expr = table[i].convert(c, body);
		c->depth--;
		return expr;
	}
	return refuse(c, kind, body);
}
