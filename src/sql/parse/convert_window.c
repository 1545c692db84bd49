#include "sql/parse/convert_private.h"

/* The bits in which libpg_query tells a frame: those of PostgreSQL's parser. */
enum frame_option {
	FRAME_OPTION_SPELLED_OUT = 0x1,
	FRAME_OPTION_ROWS = 0x4,
	FRAME_OPTION_GROUPS = 0x8,
	FRAME_OPTION_START_UNBOUNDED = 0x20,
	FRAME_OPTION_END_UNBOUNDED = 0x100,
	FRAME_OPTION_START_PRECEDING = 0x800,
	FRAME_OPTION_END_PRECEDING = 0x1000,
	FRAME_OPTION_START_FOLLOWING = 0x2000,
	FRAME_OPTION_END_FOLLOWING = 0x4000,
	FRAME_OPTION_EXCLUDE_CURRENT_ROW = 0x8000,
	FRAME_OPTION_EXCLUDE_GROUP = 0x10000,
	FRAME_OPTION_EXCLUDE_TIES = 0x20000,
};

/* The grammar has refused bounds that make no sense, such as a start behind the end. */
static enum frame_bound_kind start_bound(int32_t options)
{
	if (options & FRAME_OPTION_START_UNBOUNDED)
		return FRAME_UNBOUNDED_PRECEDING;
	if (options & FRAME_OPTION_START_PRECEDING)
		return FRAME_PRECEDING;
	return options & FRAME_OPTION_START_FOLLOWING ? FRAME_FOLLOWING : FRAME_CURRENT_ROW;
}

static enum frame_bound_kind end_bound(int32_t options)
{
	if (options & FRAME_OPTION_END_UNBOUNDED)
		return FRAME_UNBOUNDED_FOLLOWING;
	if (options & FRAME_OPTION_END_PRECEDING)
		return FRAME_PRECEDING;
	return options & FRAME_OPTION_END_FOLLOWING ? FRAME_FOLLOWING : FRAME_CURRENT_ROW;
}

static enum frame_exclude excluded(int32_t options)
{
	if (options & FRAME_OPTION_EXCLUDE_CURRENT_ROW)
		return FRAME_EXCLUDE_CURRENT_ROW;
	if (options & FRAME_OPTION_EXCLUDE_GROUP)
		return FRAME_EXCLUDE_GROUP;
	return options & FRAME_OPTION_EXCLUDE_TIES ? FRAME_EXCLUDE_TIES : FRAME_EXCLUDE_NOTHING;
}

static struct ast_frame *convert_frame(struct converter *c, const PgQuery__WindowDef *definition)
{
	struct ast_frame *frame = arena_zalloc(c->arena, sizeof(*frame));
	int32_t options = definition->frame_options;

	frame->mode = FRAME_RANGE;
	if (options & FRAME_OPTION_ROWS)
		frame->mode = FRAME_ROWS;
	else if (options & FRAME_OPTION_GROUPS)
		frame->mode = FRAME_GROUPS;
	frame->start = start_bound(options);
	frame->end = end_bound(options);
	frame->exclude = excluded(options);
	if (definition->start_offset) {
		frame->start_offset = convert_expr(c, definition->start_offset);
		if (!frame->start_offset)
			return NULL;
	}
	if (definition->end_offset) {
		frame->end_offset = convert_expr(c, definition->end_offset);
		if (!frame->end_offset)
			return NULL;
	}
	return frame;
}

struct ast_window *convert_window(struct converter *c, const PgQuery__WindowDef *definition)
{
	struct ast_window *window = arena_zalloc(c->arena, sizeof(*window));

	window->name = optional_name(definition->name);
	window->base = optional_name(definition->refname);
	window->location = definition->location;
	window->partition =
		convert_exprs(c, NODES(definition, partition_clause), &window->partition_count);
	if (!window->partition)
		return NULL;
	window->sort = convert_sorts(c, NODES(definition, order_clause), &window->sort_count);
	if (!window->sort)
		return NULL;
	if (definition->frame_options & FRAME_OPTION_SPELLED_OUT) {
		window->frame = convert_frame(c, definition);
		if (!window->frame)
			return NULL;
	}
	return window;
}
