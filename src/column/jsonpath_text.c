/* Trees of jsonpath to texts. */
#include "column/jsonpath.h"

#include "base/buf.h"
#include "column/json.h"

static const char *const names[] = {
	[JSONPATH_NULL] = "null",
	[JSONPATH_BOOL] = "boolean",
	[JSONPATH_NUMBER] = "number",
	[JSONPATH_STRING] = "string",
	[JSONPATH_VARIABLE] = "variable",
	[JSONPATH_ROOT] = "$",
	[JSONPATH_CURRENT] = "@",
	[JSONPATH_LAST] = "last",
	[JSONPATH_KEY] = "key",
	[JSONPATH_KEYS] = "*",
	[JSONPATH_ITEMS] = "[*]",
	[JSONPATH_INDEX] = "[]",
	[JSONPATH_LEVELS] = "**",
	[JSONPATH_FILTER] = "?",
	[JSONPATH_TYPE] = ".type",
	[JSONPATH_SIZE] = ".size",
	[JSONPATH_ABS] = ".abs",
	[JSONPATH_FLOOR] = ".floor",
	[JSONPATH_CEILING] = ".ceiling",
	[JSONPATH_DOUBLE] = ".double",
	[JSONPATH_KEYVALUE] = ".keyvalue",
	[JSONPATH_DATETIME] = ".datetime",
	[JSONPATH_PLUS] = "+",
	[JSONPATH_MINUS] = "-",
	[JSONPATH_ADD] = "+",
	[JSONPATH_SUB] = "-",
	[JSONPATH_MUL] = "*",
	[JSONPATH_DIV] = "/",
	[JSONPATH_MOD] = "%",
	[JSONPATH_EQ] = "==",
	[JSONPATH_NE] = "!=",
	[JSONPATH_LT] = "<",
	[JSONPATH_LE] = "<=",
	[JSONPATH_GT] = ">",
	[JSONPATH_GE] = ">=",
	[JSONPATH_STARTS_WITH] = "starts with",
	[JSONPATH_LIKE_REGEX] = "like_regex",
	[JSONPATH_AND] = "&&",
	[JSONPATH_OR] = "||",
	[JSONPATH_NOT] = "!",
	[JSONPATH_IS_UNKNOWN] = "is unknown",
	[JSONPATH_EXISTS] = "exists",
};

const char *jsonpath_kind_name(enum jsonpath_kind kind)
{
	return names[kind];
}

/* How tightly it binds. */
static int priority(enum jsonpath_kind kind)
{
	switch (kind) {
	case JSONPATH_OR: return 0;
	case JSONPATH_AND: return 1;
	case JSONPATH_EQ:
	case JSONPATH_NE:
	case JSONPATH_LT:
	case JSONPATH_LE:
	case JSONPATH_GT:
	case JSONPATH_GE:
	case JSONPATH_STARTS_WITH: return 2;
	case JSONPATH_ADD:
	case JSONPATH_SUB: return 3;
	case JSONPATH_MUL:
	case JSONPATH_DIV:
	case JSONPATH_MOD: return 4;
	case JSONPATH_PLUS:
	case JSONPATH_MINUS: return 5;
	default: return 6;
	}
}

static void put_node(const struct jsonpath_node *node, bool behind, bool brackets, struct buf *out);

static void put_operand(
	const struct jsonpath_node *operand, const struct jsonpath_node *parent, struct buf *out)
{
	put_node(operand, false, priority(operand->kind) <= priority(parent->kind), out);
}

static void put_string(struct text text, struct buf *out)
{
	const struct json_node node = {.form = JSON_FORM_STRING, .text = text};

	json_format(&node, &json_style_jsonb, out);
}

static void put_subscripts(const struct jsonpath_node *node, struct buf *out)
{
	buf_append_char(out, '[');
	for (uint32_t i = 0; i < node->range_count; i++) {
		if (i > 0)
			buf_append_char(out, ',');
		put_node(node->ranges[i].from, false, false, out);
		if (!node->ranges[i].to)
			continue;
		buf_append_text(out, " to ");
		put_node(node->ranges[i].to, false, false, out);
	}
	buf_append_char(out, ']');
}

static void put_level(uint32_t level, struct buf *out)
{
	if (level == JSONPATH_LEVEL_LAST)
		buf_append_text(out, "last");
	else
		buf_printf(out, "%u", level);
}

static void put_levels(const struct jsonpath_node *node, struct buf *out)
{
	buf_append_text(out, "**");
	if (node->first == 0 && node->last == JSONPATH_LEVEL_LAST)
		return;
	buf_append_char(out, '{');
	put_level(node->first, out);
	if (node->first != node->last) {
		buf_append_text(out, " to ");
		put_level(node->last, out);
	}
	buf_append_char(out, '}');
}

static void put_like_regex(const struct jsonpath_node *node, struct buf *out)
{
	static const char letters[] = "ismxq";

	put_operand(node->left, node, out);
	buf_append_text(out, " like_regex ");
	put_string(node->text, out);
	if (!node->flags)
		return;
	buf_append_text(out, " flag \"");
	for (unsigned i = 0; letters[i]; i++)
		if (node->flags & 1u << i)
			buf_append_char(out, letters[i]);
	buf_append_char(out, '"');
}

static void put_operation(const struct jsonpath_node *node, struct buf *out)
{
	switch (node->kind) {
	case JSONPATH_LIKE_REGEX: put_like_regex(node, out); break;
	case JSONPATH_PLUS:
	case JSONPATH_MINUS:
		buf_append_text(out, names[node->kind]);
		put_operand(node->left, node, out);
		break;
	default:
		put_operand(node->left, node, out);
		buf_printf(out, " %s ", names[node->kind]);
		put_operand(node->right, node, out);
		break;
	}
}

/* What is written between a word and a parenthesis: the condition or the value inside. */
static void put_wrapped(
	const char *head, const struct jsonpath_node *node, const char *tail, struct buf *out)
{
	buf_append_text(out, head);
	put_node(node->left, false, false, out);
	buf_append_text(out, tail);
}

static void put_number(const struct jsonpath_node *node, struct buf *out)
{
	if (node->next)
		buf_append_char(out, '(');
	numeric_append(node->number, out);
	if (node->next)
		buf_append_char(out, ')');
}

static void put_method(const struct jsonpath_node *node, struct buf *out)
{
	buf_printf(out, "%s(", names[node->kind]);
	if (node->left)
		put_node(node->left, false, false, out);
	buf_append_char(out, ')');
}

static void put_node(const struct jsonpath_node *node, bool behind, bool brackets, struct buf *out)
{
	switch (node->kind) {
	case JSONPATH_BOOL: buf_append_text(out, node->boolean ? "true" : "false"); break;
	case JSONPATH_NUMBER: put_number(node, out); break;
	case JSONPATH_STRING: put_string(node->text, out); break;
	case JSONPATH_VARIABLE:
		buf_append_char(out, '$');
		put_string(node->text, out);
		break;
	case JSONPATH_KEY:
		buf_append_text(out, behind ? "." : "");
		put_string(node->text, out);
		break;
	case JSONPATH_KEYS: buf_append_text(out, behind ? ".*" : "*"); break;
	case JSONPATH_NULL:
	case JSONPATH_ROOT:
	case JSONPATH_CURRENT:
	case JSONPATH_LAST:
	case JSONPATH_ITEMS: buf_append_text(out, names[node->kind]); break;
	case JSONPATH_INDEX: put_subscripts(node, out); break;
	case JSONPATH_LEVELS:
		buf_append_text(out, behind ? "." : "");
		put_levels(node, out);
		break;
	case JSONPATH_TYPE:
	case JSONPATH_SIZE:
	case JSONPATH_ABS:
	case JSONPATH_FLOOR:
	case JSONPATH_CEILING:
	case JSONPATH_DOUBLE:
	case JSONPATH_KEYVALUE:
	case JSONPATH_DATETIME: put_method(node, out); break;
	case JSONPATH_FILTER: put_wrapped("?(", node, ")", out); break;
	case JSONPATH_NOT: put_wrapped("!(", node, ")", out); break;
	case JSONPATH_IS_UNKNOWN: put_wrapped("(", node, ") is unknown", out); break;
	case JSONPATH_EXISTS: put_wrapped("exists (", node, ")", out); break;
	default:
		buf_append_text(out, brackets ? "(" : "");
		put_operation(node, out);
		buf_append_text(out, brackets ? ")" : "");
		break;
	}
	if (node->next)
		put_node(node->next, true, true, out);
}

void jsonpath_format(const struct jsonpath *path, struct buf *out)
{
	if (path->strict)
		buf_append_text(out, "strict ");
	put_node(path->root, false, true, out);
}
