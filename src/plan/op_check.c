/* Whether the operators of a fragment keep the promises of plan.h. */
#include "plan/check_private.h"
#include "plan/plan_check.h"

/* -- What many of them have -- */

static bool columns_exist(uint32_t count, const uint32_t *columns, const struct check_flow *in)
{
	for (uint32_t i = 0; i < count; i++) {
		if (columns[i] >= in->count)
			return false;
	}
	return true;
}

static bool sort_exists(
	uint32_t count, const struct plan_sort_key *sort, const struct check_flow *in)
{
	for (uint32_t i = 0; i < count; i++) {
		if (sort[i].column >= in->count)
			return false;
	}
	return true;
}

static bool is_optional_column(uint32_t column, const struct check_flow *in)
{
	return column == PLAN_NONE || column < in->count;
}

/* Whether a column, if there is one, has this kind. */
static bool column_is(uint32_t column, const struct check_flow *in, enum type_kind kind)
{
	return column == PLAN_NONE || (column < in->count && in->types[column].kind == kind);
}

/* The operator's first columns are those that flow into it. */
static bool passes_columns(const struct plan_op *op, const struct check_flow *in, uint32_t added)
{
	if (op->column_count != in->count + added)
		return false;
	for (uint32_t i = 0; i < in->count; i++) {
		if (op->types[i].kind != in->types[i].kind)
			return false;
	}
	return true;
}

/* -- Aggregates -- */

static bool aggregate_type_fits(const struct plan_aggregate *aggregate)
{
	struct type type;

	return aggregate_result_type(aggregate->id, aggregate->arg_type, &type) &&
	       type.kind == aggregate->type.kind;
}

/* What both groups and windows ask of an aggregate over rows. */
static bool check_aggregate(
	struct check *check, const struct plan_aggregate *aggregate, const struct check_flow *in)
{
	bool star = aggregate->id == AGG_COUNT_STAR;

	if (!star && !check_type(check, aggregate->arg_type))
		return false;
	if (!aggregate_type_fits(aggregate))
		return check_fail(check, "an aggregate does not fit its argument");
	if ((aggregate->arg == PLAN_NONE) != star ||
		(aggregate->arg2 != PLAN_NONE) != aggregate_has_two_arguments(aggregate->id))
		return check_fail(check, "an aggregate lacks the arguments it needs");
	if (!column_is(aggregate->arg, in, aggregate->arg_type.kind) ||
		!column_is(aggregate->arg2, in, aggregate->arg_type.kind) ||
		!column_is(aggregate->filter, in, TYPE_BOOL) ||
		!sort_exists(aggregate->sort_count, aggregate->sort, in))
		return check_fail(check, "an aggregate reads columns that do not fit");
	return check_that(check, aggregate->fraction >= 0 && aggregate->fraction <= 1,
		"a fraction is not between 0 and 1");
}

static bool check_final(
	struct check *check, const struct plan_aggregate *aggregate, const struct check_flow *in)
{
	struct type states[AGGREGATE_STATES_MAX];
	uint32_t count;

	if (aggregate->id != AGG_COUNT_STAR && !check_type(check, aggregate->arg_type))
		return false;
	if (!aggregate_type_fits(aggregate) || aggregate->filter != PLAN_NONE)
		return check_fail(check, "an aggregate does not fit its states");
	count = aggregate_state_types(aggregate->id, aggregate->arg_type, states);
	if (aggregate->arg >= in->count || count > in->count - aggregate->arg)
		return check_fail(check, "an aggregate reads states that do not exist");
	for (uint32_t i = 0; i < count; i++) {
		if (in->types[aggregate->arg + i].kind != states[i].kind)
			return check_fail(check, "an aggregate reads states of another type");
	}
	return true;
}

/* Whether the output's columns from *column on are the aggregate's; moves behind them. */
static bool output_fits(
	const struct plan_op *op, const struct plan_aggregate *aggregate, uint32_t *column)
{
	struct type made[AGGREGATE_STATES_MAX] = {aggregate->type};
	uint32_t count = 1;

	if (op->group.phase == GROUP_PARTIAL)
		count = aggregate_state_types(aggregate->id, aggregate->arg_type, made);
	if (count > op->column_count - *column)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (op->types[(*column)++].kind != made[i].kind)
			return false;
	}
	return true;
}

static bool check_group(struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_group *group = &op->group;
	uint32_t column = group->key_count;

	if (!columns_exist(group->key_count, group->keys, in) ||
		group->key_count > op->column_count)
		return check_fail(check, "a group has keys that do not exist");
	for (uint32_t i = 0; i < group->key_count; i++) {
		if (op->types[i].kind != in->types[group->keys[i]].kind)
			return check_fail(check, "a group's keys have other types");
	}
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct plan_aggregate *aggregate = &group->aggregates[i];

		if (group->phase != GROUP_COMPLETE &&
			(aggregate->distinct || aggregate_is_ordered(aggregate->id)))
			return check_fail(check, "an aggregate has no partial states");
		if (group->phase == GROUP_FINAL ? !check_final(check, aggregate, in)
						: !check_aggregate(check, aggregate, in))
			return false;
		if (!output_fits(op, aggregate, &column))
			return check_fail(check, "a group's output has other types");
	}
	return check_that(check, column == op->column_count, "a group has other columns");
}

/* -- Windows -- */

static bool is_time(enum type_kind kind)
{
	return kind == TYPE_DATE || kind == TYPE_TIME || kind == TYPE_TIMESTAMP;
}

/* Of an interval that moves a time of day, days and months do not count. */
static bool offset_is_negative(const struct value *offset, enum type_kind key)
{
	switch (type_physical(offset->type.kind)) {
	case PHYSICAL_I64: return offset->i64 < 0;
	case PHYSICAL_NUM: return numeric_sign(offset->num) < 0 || numeric_is_nan(offset->num);
	case PHYSICAL_F64: return !(offset->f64 >= 0);
	case PHYSICAL_INTERVAL:
		return key == TYPE_TIME ? offset->interval.microseconds < 0
					: interval_span(offset->interval) < 0;
	default: return true;
	}
}

/* `key` is the kind of the one sort key, TYPE_UNKNOWN when there is not exactly one. */
static bool bound_fits(
	enum frame_mode mode, const struct plan_frame_bound *bound, enum type_kind key)
{
	enum type_kind wanted = mode == FRAME_RANGE ? key : TYPE_BIGINT;

	if (bound->kind != FRAME_PRECEDING && bound->kind != FRAME_FOLLOWING)
		return true;
	if (mode == FRAME_RANGE && is_time(key))
		wanted = TYPE_INTERVAL;
	return wanted != TYPE_UNKNOWN && !bound->offset.is_null &&
	       bound->offset.type.kind == wanted && !offset_is_negative(&bound->offset, key);
}

static bool frame_fits(const struct plan_frame *frame, enum type_kind key)
{
	return frame->start.kind != FRAME_UNBOUNDED_FOLLOWING &&
	       bound_fits(frame->mode, &frame->start, key) &&
	       bound_fits(frame->mode, &frame->end, key);
}

static bool call_type_fits(const struct plan_window_call *call, const struct check_flow *in)
{
	switch (call->function) {
	case WINDOW_ROW_NUMBER:
	case WINDOW_RANK:
	case WINDOW_DENSE_RANK: return call->type.kind == TYPE_BIGINT;
	case WINDOW_NTILE: return call->type.kind == TYPE_INT || call->type.kind == TYPE_BIGINT;
	case WINDOW_PERCENT_RANK:
	case WINDOW_CUME_DIST: return call->type.kind == TYPE_DOUBLE;
	case WINDOW_LAG:
	case WINDOW_LEAD:
	case WINDOW_FIRST_VALUE:
	case WINDOW_LAST_VALUE:
	case WINDOW_NTH_VALUE: return call->type.kind == in->types[call->arg].kind;
	case WINDOW_AGGREGATE: return call->type.kind == call->aggregate.type.kind;
	}
	return false;
}

static bool check_call(struct check *check, const struct plan_window_call *call,
	const struct check_flow *in, enum type_kind key)
{
	bool has_arg = call->function >= WINDOW_LAG && call->function <= WINDOW_NTH_VALUE;

	if (!is_optional_column(call->arg, in) || (call->arg != PLAN_NONE) != has_arg)
		return check_fail(check, "a window function lacks the argument it needs");
	if (call->function == WINDOW_AGGREGATE) {
		if (!check_aggregate(check, &call->aggregate, in))
			return false;
		if (call->aggregate.distinct || (aggregate_is_ordered(call->aggregate.id) &&
							call->aggregate.id != AGG_STRING_AGG &&
							call->aggregate.id != AGG_ARRAY_AGG))
			return check_fail(check, "a window has an aggregate that it cannot have");
	}
	if (!call_type_fits(call, in))
		return check_fail(check, "a window function has another type");
	if (!column_is(call->offset, in, TYPE_INT) && !column_is(call->offset, in, TYPE_BIGINT))
		return check_fail(check, "the offset of a window function is not an integer");
	if (!column_is(call->fallback, in, call->type.kind))
		return check_fail(check, "the default of a window function has another type");
	return check_that(check, frame_fits(&call->frame, key), "a window's frame does not fit");
}

static bool check_window(struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_window *window = &op->window;
	enum type_kind key = TYPE_UNKNOWN;

	if (window->call_count > PLAN_COLUMNS_MAX || !passes_columns(op, in, window->call_count))
		return check_fail(check, "a window has other columns");
	if (!columns_exist(window->partition_count, window->partition, in) ||
		!sort_exists(window->sort_count, window->sort, in))
		return check_fail(check, "a window reads columns that do not exist");
	if (window->sort_count == 1)
		key = in->types[window->sort[0].column].kind;
	for (uint32_t i = 0; i < window->call_count; i++) {
		if (op->types[in->count + i].kind != window->calls[i].type.kind)
			return check_fail(check, "a window has other columns");
		if (!check_call(check, &window->calls[i], in, key))
			return false;
	}
	return true;
}

/* -- Joins -- */

static bool check_build_side(
	struct check *check, const struct plan_fragment *fragment, const struct plan_join *join)
{
	const struct plan *plan = check->plan;
	enum exchange_kind flow, build;

	if (fragment->inputs[0].kind != INPUT_EXCHANGE)
		return check_fail(check, "a map fragment has a join");
	if (join->build_input < 1 || join->build_input >= fragment->input_count)
		return check_fail(check, "a join has no build side");
	flow = plan->exchanges[fragment->inputs[0].index].kind;
	build = plan->exchanges[fragment->inputs[join->build_input].index].kind;
	/* Each instance finds its rows in its part of the build side, or has all of it. */
	if (build == EXCHANGE_HASH ? flow != EXCHANGE_HASH
				   : build != EXCHANGE_BROADCAST && flow != EXCHANGE_SINGLE)
		return check_fail(check, "a join's sides are not brought together");
	if (build == EXCHANGE_SPREAD)
		return check_fail(check, "a join's build side is spread");
	if (join->kind == JOIN_MARK && (build != EXCHANGE_BROADCAST || join->residual))
		return check_fail(check, "a mark's build side is not complete");
	if (join->kind == JOIN_FULL && (build != EXCHANGE_HASH || join->key_count == 0))
		return check_fail(check, "a full join has no keys");
	return true;
}

static bool check_join(struct check *check, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_join *join = &op->join;
	struct type types[2 * PLAN_COLUMNS_MAX];
	struct check_flow both = {in->count, types};
	const struct plan_exchange *build;
	bool mark = join_yields_mark(join->kind), single = join->kind == JOIN_SINGLE;
	uint32_t last;

	if (!check_build_side(check, fragment, join))
		return false;
	build = &check->plan->exchanges[fragment->inputs[join->build_input].index];
	for (uint32_t i = 0; i < join->key_count; i++) {
		if (join->flow_keys[i] >= in->count || join->build_keys[i] >= build->column_count ||
			in->types[join->flow_keys[i]].kind !=
				build->types[join->build_keys[i]].kind)
			return check_fail(check, "a join's keys do not fit");
	}
	if (!passes_columns(op, in, mark ? 1 : build->column_count + single))
		return check_fail(check, "a join has other columns");
	for (uint32_t i = 0; i < in->count; i++)
		types[i] = in->types[i];
	for (uint32_t i = 0; i < build->column_count; i++) {
		types[both.count++] = build->types[i];
		if (!mark && op->types[in->count + i].kind != build->types[i].kind)
			return check_fail(check, "a join has columns of other types");
	}
	last = op->column_count - 1;
	if ((mark || single) && op->types[last].kind != TYPE_BOOL)
		return check_fail(check, "a join's mark is not a boolean");
	if (!join->residual)
		return true;
	return check_expr(check, join->residual, &both) &&
	       check_that(check, join->residual->type.kind == TYPE_BOOL,
		       "a join's condition is not a boolean");
}

/* -- The others -- */

static bool check_filter(struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	if (op->filter.count == 0 || !passes_columns(op, in, 0))
		return check_fail(check, "a filter has other columns");
	for (uint32_t i = 0; i < op->filter.count; i++) {
		if (!check_expr(check, op->filter.conjuncts[i], in))
			return false;
		if (op->filter.conjuncts[i]->type.kind != TYPE_BOOL)
			return check_fail(check, "a filter's condition is not a boolean");
	}
	return true;
}

static bool check_project(
	struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	if (op->project.count != op->column_count)
		return check_fail(check, "a projection has other columns");
	for (uint32_t i = 0; i < op->project.count; i++) {
		if (!check_expr(check, op->project.exprs[i], in))
			return false;
		if (op->project.exprs[i]->type.kind != op->types[i].kind)
			return check_fail(check, "a projection has columns of other types");
	}
	return true;
}

/* A limit stands where rows come in order: behind an ordered exchange, or right before it. */
static bool limit_is_ordered(const struct check *check, const struct plan_fragment *fragment)
{
	const struct plan *plan = check->plan;
	bool leads = fragment->output_count == 1 && fragment->outputs[0] < plan->exchange_count;
	uint32_t exchange = leads ? fragment->outputs[0] : PLAN_NONE;

	if (fragment->inputs[0].kind == INPUT_EXCHANGE)
		exchange = fragment->inputs[0].index;
	return exchange != PLAN_NONE && plan->exchanges[exchange].kind == EXCHANGE_ORDERED;
}

static bool check_top(struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	return check_that(check,
		passes_columns(op, in, 0) &&
			columns_exist(op->top.partition_count, op->top.partition, in) &&
			sort_exists(op->top.sort_count, op->top.sort, in),
		"a sort reads columns that do not exist");
}

/* Whether the arguments are what makes items of this type. */
static bool row_source_fits(
	const struct plan_row_source *source, const struct check_flow *in, enum type_kind item)
{
	enum type_kind kinds[ROW_SOURCE_ARGS_MAX];

	for (uint32_t i = 0; i < row_source_args(source->kind); i++) {
		if (source->args[i] >= in->count)
			return false;
		kinds[i] = in->types[source->args[i]].kind;
	}
	if (source->kind == ROWS_OF_LIST)
		return type_is_array(kinds[0]) && item == type_element(kinds[0]);
	if (kinds[0] != item || kinds[1] != item)
		return false;
	return item == TYPE_TIMESTAMP
		       ? kinds[2] == TYPE_INTERVAL
		       : (item == TYPE_INT || item == TYPE_BIGINT) && kinds[2] == item;
}

static bool check_unnest(struct check *check, const struct plan_op *op, const struct check_flow *in)
{
	const struct plan_unnest *unnest = &op->unnest;

	if (unnest->source_count == 0 || unnest->source_count > PLAN_COLUMNS_MAX ||
		!passes_columns(op, in, unnest->source_count + unnest->ordinality))
		return check_fail(check, "an unnest has other columns");
	for (uint32_t i = 0; i < unnest->source_count; i++) {
		if (!row_source_fits(&unnest->sources[i], in, op->types[in->count + i].kind))
			return check_fail(check, "an unnest has no source of such rows");
	}
	return check_that(check,
		!unnest->ordinality || op->types[op->column_count - 1].kind == TYPE_BIGINT,
		"an unnest's numbers have another type");
}

/* Table 0 is the rows of a round, every other one what an input of the fragment brings. */
static bool table_fits(const struct check *check, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct plan_table *table, bool round)
{
	uint32_t count = op->column_count;
	const struct type *types = op->types;

	if (!round) {
		const struct plan_exchange *exchange;

		if (table->source < 1 || table->source >= fragment->input_count)
			return false;
		exchange = &check->plan->exchanges[fragment->inputs[table->source].index];
		if (exchange->kind != EXCHANGE_SINGLE)
			return false;
		count = exchange->column_count;
		types = exchange->types;
	}
	if (table->column_count != count)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (table->columns[i].type.kind != types[i].kind)
			return false;
	}
	return true;
}

static bool check_recursion(struct check *check, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct check_flow *in)
{
	const struct plan *term = op->recursion.term;
	const struct plan_input *from = &fragment->inputs[0];

	if (from->kind != INPUT_EXCHANGE ||
		check->plan->exchanges[from->index].kind != EXCHANGE_SINGLE)
		return check_fail(check, "a recursion has more than one instance");
	if (!passes_columns(op, in, 0))
		return check_fail(check, "a recursion has other columns");
	if (term->table_count < 1 || term->table_count > PLAN_FRAGMENTS_MAX ||
		term->query_count != 1 || term->queries[0].column_count != op->column_count)
		return check_fail(check, "a recursion's term has other columns");
	for (uint32_t i = 0; i < op->column_count; i++) {
		if (term->queries[0].types[i].kind != op->types[i].kind)
			return check_fail(check, "a recursion's term has other types");
	}
	for (uint32_t t = 0; t < term->table_count; t++) {
		if (!table_fits(check, fragment, op, &term->tables[t], t == 0))
			return check_fail(check, "a recursion's term reads what is not there");
	}
	return check_term(check, term);
}

bool check_op(struct check *check, const struct plan_fragment *fragment, const struct plan_op *op,
	const struct check_flow *in)
{
	if (!check_types(check, op->column_count, op->types))
		return false;
	switch (op->kind) {
	case PLAN_FILTER: return check_filter(check, op, in);
	case PLAN_PROJECT: return check_project(check, op, in);
	case PLAN_GROUP: return check_group(check, op, in);
	case PLAN_TOP: return check_top(check, op, in);
	case PLAN_WINDOW: return check_window(check, op, in);
	case PLAN_JOIN: return check_join(check, fragment, op, in);
	case PLAN_UNNEST: return check_unnest(check, op, in);
	case PLAN_RECURSION: return check_recursion(check, fragment, op, in);
	case PLAN_LIMIT:
		return check_that(check,
			passes_columns(op, in, 0) && limit_is_ordered(check, fragment),
			"a limit is set to rows in no order");
	}
	return check_fail(check, "an operator is unknown");
}

/* -- Which columns of its table a map fragment reads -- */

static bool expr_reads_used(const struct expr *expr, uint32_t count, const bool *used)
{
	if (expr->kind == EXPR_COLUMN && expr->column < count && !used[expr->column])
		return false;
	for (uint32_t i = 0; i < expr->arg_count; i++) {
		if (!expr_reads_used(expr->args[i], count, used))
			return false;
	}
	return true;
}

static bool exprs_read_used(
	struct expr *const *exprs, uint32_t expr_count, uint32_t count, const bool *used)
{
	for (uint32_t i = 0; i < expr_count; i++) {
		if (!expr_reads_used(exprs[i], count, used))
			return false;
	}
	return true;
}

static bool group_reads_used(const struct plan_group *group, uint32_t count, const bool *used)
{
	for (uint32_t i = 0; i < group->key_count; i++) {
		if (group->keys[i] < count && !used[group->keys[i]])
			return false;
	}
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		const struct plan_aggregate *aggregate = &group->aggregates[i];

		if ((aggregate->arg < count && !used[aggregate->arg]) ||
			(aggregate->arg2 < count && !used[aggregate->arg2]) ||
			(aggregate->filter < count && !used[aggregate->filter]))
			return false;
		for (uint32_t k = 0; k < aggregate->sort_count; k++) {
			if (aggregate->sort[k].column < count && !used[aggregate->sort[k].column])
				return false;
		}
	}
	return true;
}

static bool all_used(uint32_t count, const bool *used)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!used[i])
			return false;
	}
	return true;
}

/* Filters leave columns alone; the first operator that does not either picks or takes them all. */
static bool reads_used(const struct plan_fragment *fragment, uint32_t count, const bool *used)
{
	for (uint32_t i = 0; i < fragment->op_count; i++) {
		const struct plan_op *op = fragment->ops[i];

		switch (op->kind) {
		case PLAN_FILTER:
			if (!exprs_read_used(op->filter.conjuncts, op->filter.count, count, used))
				return false;
			break;
		case PLAN_PROJECT:
			return exprs_read_used(op->project.exprs, op->project.count, count, used);
		case PLAN_GROUP: return group_reads_used(&op->group, count, used);
		default: return all_used(count, used);
		}
	}
	return all_used(count, used);
}

bool check_columns_used(struct check *check, const struct plan_fragment *fragment)
{
	const struct plan_table *table = &check->plan->tables[fragment->inputs[0].index];

	if (!fragment->table_columns_used)
		return check_fail(check, "a map fragment does not say what it reads");
	return check_that(check,
		reads_used(fragment, table->column_count, fragment->table_columns_used),
		"a map fragment reads more than it says");
}
