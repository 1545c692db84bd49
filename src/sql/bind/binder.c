#include "base/buf.h"
#include "sql/bind/bind_private.h"

#include <stdarg.h>
#include <stdio.h>

/* Longer ones have no place in a column's name. */
#define CONSTANT_NAME_MAX 40

int bind_error(struct binder *b, int32_t location, const char *format, ...)
{
	char message[ERROR_MESSAGE_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return source_error(b->source, location, b->err, "%s", message);
}

int binder_check_size(struct binder *b, int32_t location)
{
	b->node_count++;
	if (b->node_count > LOGICAL_NODES_MAX || b->columns->count > LOGICAL_COLUMNS_MAX)
		return bind_error(b, location,
			"the query is too large: with its CTEs written out it has more than %d "
			"tables, "
			"subqueries and joins",
			LOGICAL_NODES_MAX);
	return 0;
}

uint32_t binder_column(struct binder *b, const char *name, struct type type)
{
	return columns_add(b->columns, b->arena, name, type);
}

struct expr *binder_column_expr(struct binder *b, uint32_t id, int32_t location)
{
	struct expr *expr = expr_column(b->arena, id, b->columns->list[id].type);

	expr->location = location;
	return expr;
}

const char *constant_name(struct binder *b, const struct expr *expr, const char *otherwise)
{
	const char *name;
	struct buf text;

	if (expr->kind != EXPR_CONSTANT)
		return otherwise;
	buf_init(&text, CONSTANT_NAME_MAX);
	expr_format(expr, NULL, &text);
	name = buf_overflowed(&text) ? otherwise : arena_strndup(b->arena, text.data, text.size);
	buf_release(&text);
	return name;
}

void extender_add(struct extender *extender, uint32_t id, struct expr *expr)
{
	struct arena *arena = extender->binder->arena;

	extender->ids = list_room(arena, extender->ids, extender->count, sizeof(uint32_t));
	extender->exprs = list_room(arena, extender->exprs, extender->count, sizeof(expr));
	extender->ids[extender->count] = id;
	extender->exprs[extender->count++] = expr;
}

uint32_t extender_id(struct extender *extender, struct expr *expr, const char *name)
{
	struct binder *b = extender->binder;
	uint32_t id;

	if (expr->kind == EXPR_COLUMN)
		return expr->column;
	for (uint32_t i = 0; i < extender->count; i++)
		if (expr_equal(extender->exprs[i], expr))
			return extender->ids[i];
	id = binder_column(b, name, expr->type);
	if (expr->type.kind == TYPE_UNKNOWN)
		b->columns->list[id].literal = expr;
	extender_add(extender, id, expr);
	return id;
}

void extender_apply(struct extender *extender, struct logical **tree)
{
	*tree = logical_extend_new(
		extender->binder->arena, *tree, extender->count, extender->ids, extender->exprs);
	extender->count = 0;
	extender->ids = NULL;
	extender->exprs = NULL;
}
