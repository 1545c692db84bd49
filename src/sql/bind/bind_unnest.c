/*
 * unnest(): rows out of lists. In FROM it may read the tables to its left; in a select list it
 * makes rows of what the groups and windows have left, before DISTINCT, and several of them run in
 * step, as in PostgreSQL. One that is a key of GROUP BY makes its rows before the groups.
 */
#include "sql/bind/bind_private.h"

static struct expr *check_list(struct binder *b, struct expr *list)
{
	char name[TYPE_NAME_MAX];

	if (!list || list->type.kind == TYPE_TEXT_LIST)
		return list;
	bind_error(b, list->location, "function unnest(%s) does not exist: it takes a text[]",
		type_name(list->type, name));
	return NULL;
}

int bind_unnest_lists(struct level *level, const struct scope *scope, const struct ast_from *from,
	struct logical_unnest *out)
{
	struct binder *b = level->binder;
	struct scope saved = level->scope;
	uint32_t bound = 0;

	if (from->list_count == 0)
		return bind_error(b, from->location, "function unnest() does not exist");
	*out = (struct logical_unnest){.count = from->list_count, .ordinality = PLAN_NONE};
	out->lists = arena_alloc(b->arena, out->count * sizeof(struct expr *));
	out->items = arena_alloc(b->arena, out->count * sizeof(uint32_t));
	level->scope = *scope;
	for (; bound < out->count; bound++) {
		out->lists[bound] =
			check_list(b, bind_expr(level, CLAUSE_FROM, from->lists[bound]));
		if (!out->lists[bound])
			break;
		out->items[bound] = binder_column(b, "unnest", type_of(TYPE_TEXT));
	}
	level->scope = saved;
	if (bound < out->count)
		return -1;
	if (from->ordinality)
		out->ordinality = binder_column(b, "ordinality", type_of(TYPE_BIGINT));
	return 0;
}

static int check_unnest_place(struct binder *b, enum clause clause, int32_t location)
{
	switch (clause) {
	case CLAUSE_SELECT:
	case CLAUSE_ORDER_BY:
	case CLAUSE_GROUP_BY: return 0;
	case CLAUSE_AGGREGATE:
		return bind_error(b, location,
			"aggregate function calls cannot contain set-returning function calls");
	case CLAUSE_FROM:
		return bind_error(
			b, location, "set-returning functions must appear at top level of FROM");
	default:
		return bind_error(b, location, "set-returning functions are not allowed in %s",
			clause == CLAUSE_ON ? "JOIN conditions" : clause_name(clause));
	}
}

struct expr *bind_unnest(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	struct level_unnest note = {0};

	if (check_unnest_place(b, clause, ast->location) < 0)
		return NULL;
	if (ast->arg_count != 1) {
		bind_error(b, ast->location, "unnest takes one list, except in FROM");
		return NULL;
	}
	note.list = check_list(b, bind_expr(level, clause, ast->args[0]));
	if (!note.list)
		return NULL;
	for (uint32_t i = 0; i < level->unnest_count; i++) {
		if (expr_reads_column(note.list, level->unnests[i].output)) {
			bind_error(b, ast->location, "unnest inside unnest is not supported");
			return NULL;
		}
		/* Equal lists run in step: one of them is enough. */
		if (expr_equal(level->unnests[i].list, note.list))
			return binder_column_expr(b, level->unnests[i].output, ast->location);
	}
	note.output = binder_column(b, "unnest", type_of(TYPE_TEXT));
	level->unnests =
		list_room(b->arena, level->unnests, level->unnest_count, sizeof(*level->unnests));
	level->unnests[level->unnest_count++] = note;
	return binder_column_expr(b, note.output, ast->location);
}

static bool any_reads(uint32_t count, struct expr *const *exprs, uint32_t id)
{
	for (uint32_t i = 0; i < count; i++)
		if (expr_reads_column(exprs[i], id))
			return true;
	return false;
}

void place_unnests(struct level *level, uint32_t count, struct expr *const *exprs)
{
	struct binder *b = level->binder;
	struct logical_unnest unnest = {.ordinality = PLAN_NONE};

	for (uint32_t i = 0; i < level->unnest_count; i++) {
		struct level_unnest *note = &level->unnests[i];

		if (note->placed || (exprs && !any_reads(count, exprs, note->output)))
			continue;
		note->placed = true;
		place_marks(level, 1, &note->list);
		unnest.lists =
			list_room(b->arena, unnest.lists, unnest.count, sizeof(struct expr *));
		unnest.items = list_room(b->arena, unnest.items, unnest.count, sizeof(uint32_t));
		unnest.lists[unnest.count] = note->list;
		unnest.items[unnest.count++] = note->output;
	}
	if (unnest.count)
		level->tree = logical_unnest_new(b->arena, level->tree, &unnest);
}
