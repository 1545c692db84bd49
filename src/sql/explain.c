/*
 * The plan of every query as a tree, from its result down to the scans:
 *
 *   q1: title
 *     result: a bigint, b text
 *     [reduce 1, one instance]
 *       sort by a
 *       -- exchange: single --
 *         [map 0]
 *           filter b = 'x'
 *           scan t: a, b
 */
#include "base/memory.h"
#include "sql/compile.h"
#include "sql/explain_private.h"

#include <stdlib.h>
#include <string.h>

struct explain_printer {
	const struct plan *plan;
	struct buf *out;
	struct explain_lines *lines;
	const struct plan_profile *profile; /* NULL: this plan was not measured */
	bool *shown; /* by fragment: those that several others read are printed once */
	/* Of the term of a recursion: what is around it, and in which fragment it stands. */
	const struct explain_printer *around;
	const struct plan_fragment *place;
};

/* Columns that flow into an operator. */
struct inflow {
	uint32_t count;
	const char *const *names;
};

static void print_fragment(const struct explain_printer *p, uint32_t index, uint32_t depth);

/*
 * The fragments that feed an exchange: the first one, or the next after `from`. Not those that do
 * the work of others, which are there as well.
 */
static uint32_t next_producer(const struct plan *plan, uint32_t exchange, uint32_t from)
{
	for (uint32_t i = from; i < plan->fragment_count; i++)
		for (uint32_t j = 0; j < plan->fragments[i].output_count; j++)
			if (plan->fragments[i].outputs[j] == exchange &&
				!plan->fragments[i].merged_count)
				return i;
	return PLAN_NONE;
}

static const char *column_name(const struct explain_printer *p,
	const struct plan_fragment *fragment, uint32_t op_count, uint32_t column);

/* The name of a column of one of the fragment's inputs. */
static const char *input_name(const struct explain_printer *p, const struct plan_fragment *fragment,
	uint32_t input, uint32_t column)
{
	const struct plan_input *from = &fragment->inputs[input];
	const char *name = NULL;
	uint32_t producer;

	if (from->kind == INPUT_TABLE) {
		const struct plan_table *table = &p->plan->tables[from->index];

		name = column < table->column_count ? table->columns[column].name : NULL;
	} else if (from->kind == INPUT_EXCHANGE) {
		producer = next_producer(p->plan, from->index, 0);
		if (producer != PLAN_NONE)
			name = column_name(p, &p->plan->fragments[producer],
				p->plan->fragments[producer].op_count, column);
	}
	return name ? name : "?";
}

/* The name of a column behind the first `op_count` operators of the fragment. */
static const char *column_name(const struct explain_printer *p,
	const struct plan_fragment *fragment, uint32_t op_count, uint32_t column)
{
	const struct plan_op *op;

	if (op_count == 0)
		return input_name(p, fragment, 0, column);
	op = fragment->ops[op_count - 1];
	return column < op->column_count ? op->names[column] : "?";
}

/* How many columns an operator of the fragment gets. */
static uint32_t inflow_count(
	const struct explain_printer *p, const struct plan_fragment *fragment, uint32_t op_index)
{
	const struct plan_input *from = &fragment->inputs[0];

	if (op_index > 0)
		return fragment->ops[op_index - 1]->column_count;
	if (from->kind == INPUT_TABLE)
		return p->plan->tables[from->index].column_count;
	return from->kind == INPUT_EXCHANGE ? p->plan->exchanges[from->index].column_count : 0;
}

/* What entered the fragment's operator, or, behind the last, what left it. */
static const struct profile_entry *entry_of(
	const struct explain_printer *p, uint32_t fragment, uint32_t op)
{
	return p->profile ? &p->profile->entries[p->profile->first[fragment] + op] : NULL;
}

static void add_entry(struct profile_entry *sum, const struct profile_entry *entry)
{
	sum->rows += entry->rows;
	sum->batches += entry->batches;
	sum->ns += entry->ns;
	sum->ns_max += entry->ns_max;
	sum->threads = entry->threads > sum->threads ? entry->threads : sum->threads;
	sum->bytes_max += entry->bytes_max;
}

/*
 * The operator of the fragment that does the work of several which stands for one of this: there is at most one of each
 * kind. PLAN_NONE when there is none.
 */
static uint32_t merged_op(
	const struct explain_printer *p, const struct plan_fragment *fragment, uint32_t op)
{
	enum plan_op_kind kind = fragment->ops[op]->kind;
	const struct plan_fragment *into;

	if (fragment->merged_into == PLAN_NONE)
		return PLAN_NONE;
	for (uint32_t i = op + 1; i < fragment->op_count; i++)
		if (fragment->ops[i]->kind == kind)
			return PLAN_NONE;
	into = &p->plan->fragments[fragment->merged_into];
	for (uint32_t i = 0; i < into->op_count; i++)
		if (into->ops[i]->kind == kind)
			return i;
	return PLAN_NONE;
}

static struct explain_facts op_facts(const struct explain_printer *p, uint32_t index, uint32_t op)
{
	const struct plan_fragment *fragment = &p->plan->fragments[index];
	struct explain_facts facts = {.estimate = fragment->ops[op]->rows};
	uint32_t merged = p->profile ? merged_op(p, fragment, op) : PLAN_NONE;

	if (!p->profile)
		return facts;
	facts.is_measured = facts.has_input = true;
	facts.taken = *entry_of(p, index, op);
	facts.rows = entry_of(p, index, op + 1)->rows;
	if (merged != PLAN_NONE) {
		add_entry(&facts.taken, entry_of(p, fragment->merged_into, merged));
		facts.rows += entry_of(p, fragment->merged_into, merged + 1)->rows;
	}
	facts.rows_in = facts.taken.rows;
	return facts;
}

/* Rows of the table that all its readers have in common, with what this one got of them. */
static struct explain_facts scan_facts(const struct explain_printer *p, uint32_t fragment)
{
	const struct plan_fragment *plan = &p->plan->fragments[fragment];
	struct explain_facts facts = {.estimate = plan->table_rows};

	if (p->profile) {
		facts.table = &p->profile->tables[plan->inputs[0].index];
		facts.is_measured = true;
		facts.rows = facts.table->reading.rows;
		facts.taken = facts.table->reading;
	}
	return facts;
}

static void print_names(const struct explain_printer *p, uint32_t count, const uint32_t *columns,
	const struct inflow *in)
{
	for (uint32_t i = 0; i < count; i++)
		buf_printf(p->out, "%s%s", i ? ", " : "", in->names[columns[i]]);
}

static void print_sort(const struct explain_printer *p, uint32_t count,
	const struct plan_sort_key *sort, const struct inflow *in)
{
	for (uint32_t i = 0; i < count; i++) {
		buf_printf(p->out, "%s%s", i ? ", " : "", in->names[sort[i].column]);
		if (sort[i].descending)
			buf_append_text(p->out, " desc");
		if (sort[i].nulls_first != sort[i].descending)
			buf_printf(p->out, " nulls %s", sort[i].nulls_first ? "first" : "last");
	}
}

static void print_filter(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	buf_append_text(p->out, "filter ");
	for (uint32_t i = 0; i < op->filter.count; i++) {
		const struct expr *conjunct = op->filter.conjuncts[i];
		bool parentheses = conjunct->kind == EXPR_OR && op->filter.count > 1;

		buf_append_text(p->out, i ? " AND " : "");
		buf_append_text(p->out, parentheses ? "(" : "");
		expr_format(conjunct, in->names, p->out);
		buf_append_text(p->out, parentheses ? ")" : "");
	}
}

static void print_project(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	buf_append_text(p->out, "project ");
	for (uint32_t i = 0; i < op->project.count; i++) {
		const struct expr *expr = op->project.exprs[i];
		bool same = expr->kind == EXPR_COLUMN &&
			    strcmp(in->names[expr->column], op->names[i]) == 0;

		buf_append_text(p->out, i ? ", " : "");
		expr_format(expr, in->names, p->out);
		if (!same)
			buf_printf(p->out, " AS %s", op->names[i]);
	}
}

static bool is_ordered_set(enum aggregate_id id)
{
	return id == AGG_PERCENTILE_CONT || id == AGG_PERCENTILE_DISC || id == AGG_MODE;
}

static void print_aggregate(const struct explain_printer *p, const struct plan_aggregate *aggregate,
	const struct inflow *in)
{
	bool ordered_set = is_ordered_set(aggregate->id);

	buf_printf(p->out, "%s(", aggregate_name(aggregate->id));
	if (aggregate->id == AGG_PERCENTILE_CONT || aggregate->id == AGG_PERCENTILE_DISC)
		buf_printf(p->out, "%g", aggregate->fraction);
	else if (aggregate->id != AGG_MODE)
		buf_printf(p->out, "%s%s", aggregate->distinct ? "distinct " : "",
			aggregate->arg == PLAN_NONE ? "*" : in->names[aggregate->arg]);
	if (aggregate->arg2 != PLAN_NONE)
		buf_printf(p->out, ", %s", in->names[aggregate->arg2]);
	if (ordered_set)
		buf_append_text(p->out, ") within group (");
	if (aggregate->sort_count) {
		buf_append_text(p->out, ordered_set ? "order by " : " order by ");
		print_sort(p, aggregate->sort_count, aggregate->sort, in);
	}
	buf_append_char(p->out, ')');
	if (aggregate->filter != PLAN_NONE)
		buf_printf(p->out, " filter (%s)", in->names[aggregate->filter]);
}

static void print_group(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	const struct plan_group *group = &op->group;
	const char *phase = "";

	if (group->phase == GROUP_PARTIAL)
		phase = "partial ";
	else if (group->phase == GROUP_FINAL)
		phase = "final ";
	buf_printf(p->out, "%sgroup", phase);
	if (group->key_count) {
		buf_append_text(p->out, " by ");
		print_names(p, group->key_count, group->keys, in);
	}
	for (uint32_t i = 0; i < group->aggregate_count; i++) {
		buf_append_text(p->out, i ? ", " : ": ");
		if (group->phase == GROUP_FINAL)
			buf_append_text(p->out, op->names[group->key_count + i]);
		else
			print_aggregate(p, &group->aggregates[i], in);
	}
}

static void print_top(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	const struct plan_top *top = &op->top;

	if (top->limit == PLAN_LIMIT_NONE)
		buf_append_text(p->out, "sort");
	else
		buf_printf(p->out, "top %llu", (unsigned long long)top->limit);
	if (top->offset)
		buf_printf(p->out, " after %llu", (unsigned long long)top->offset);
	if (top->partition_count) {
		buf_append_text(p->out, " per ");
		print_names(p, top->partition_count, top->partition, in);
	}
	buf_append_text(p->out, " by ");
	if (top->sort_count)
		print_sort(p, top->sort_count, top->sort, in);
	else
		buf_append_text(p->out, "the full row");
}

static void print_limit(const struct explain_printer *p, const struct plan_limit *limit)
{
	if (limit->limit == PLAN_LIMIT_NONE)
		buf_append_text(p->out, "all rows");
	else
		buf_printf(p->out, "first %llu", (unsigned long long)limit->limit);
	if (limit->offset)
		buf_printf(p->out, " after %llu", (unsigned long long)limit->offset);
}

static void print_bound(const struct explain_printer *p, const struct plan_frame_bound *bound)
{
	static const char *const words[] = {
		[FRAME_UNBOUNDED_PRECEDING] = "unbounded preceding",
		[FRAME_PRECEDING] = " preceding",
		[FRAME_CURRENT_ROW] = "current row",
		[FRAME_FOLLOWING] = " following",
		[FRAME_UNBOUNDED_FOLLOWING] = "unbounded following",
	};

	if (bound->kind == FRAME_PRECEDING || bound->kind == FRAME_FOLLOWING)
		value_format(&bound->offset, p->out);
	buf_append_text(p->out, words[bound->kind]);
}

/* Nothing for the frame that everybody means, and for functions that have none. */
static void print_frame(const struct explain_printer *p, const struct plan_window_call *call)
{
	static const char *const modes[] = {
		[FRAME_ROWS] = "rows",
		[FRAME_RANGE] = "range",
		[FRAME_GROUPS] = "groups",
	};
	static const char *const excluded[] = {
		[FRAME_EXCLUDE_NOTHING] = "",
		[FRAME_EXCLUDE_CURRENT_ROW] = " exclude current row",
		[FRAME_EXCLUDE_GROUP] = " exclude group",
		[FRAME_EXCLUDE_TIES] = " exclude ties",
	};
	const struct plan_frame *frame = &call->frame;
	bool usual = frame->exclude == FRAME_EXCLUDE_NOTHING && frame->mode == FRAME_RANGE &&
		     frame->start.kind == FRAME_UNBOUNDED_PRECEDING &&
		     frame->end.kind == FRAME_CURRENT_ROW;

	if (usual || call->function < WINDOW_FIRST_VALUE)
		return;
	buf_printf(p->out, " %s between ", modes[frame->mode]);
	print_bound(p, &frame->start);
	buf_append_text(p->out, " and ");
	print_bound(p, &frame->end);
	buf_append_text(p->out, excluded[frame->exclude]);
}

static void print_window_call(const struct explain_printer *p, const struct plan_window_call *call,
	const struct inflow *in)
{
	static const char *const names[] = {
		[WINDOW_ROW_NUMBER] = "row_number",
		[WINDOW_RANK] = "rank",
		[WINDOW_DENSE_RANK] = "dense_rank",
		[WINDOW_PERCENT_RANK] = "percent_rank",
		[WINDOW_CUME_DIST] = "cume_dist",
		[WINDOW_NTILE] = "ntile",
		[WINDOW_LAG] = "lag",
		[WINDOW_LEAD] = "lead",
		[WINDOW_FIRST_VALUE] = "first_value",
		[WINDOW_LAST_VALUE] = "last_value",
		[WINDOW_NTH_VALUE] = "nth_value",
	};
	if (call->function == WINDOW_AGGREGATE) {
		print_aggregate(p, &call->aggregate, in);
		print_frame(p, call);
		return;
	}
	buf_printf(p->out, "%s(", names[call->function]);
	if (call->arg != PLAN_NONE)
		buf_append_text(p->out, in->names[call->arg]);
	if (call->offset != PLAN_NONE)
		buf_printf(p->out, "%s%s", call->arg != PLAN_NONE ? ", " : "",
			in->names[call->offset]);
	else if (call->fallback != PLAN_NONE)
		buf_append_text(p->out, ", 1");
	if (call->fallback != PLAN_NONE)
		buf_printf(p->out, ", %s", in->names[call->fallback]);
	buf_append_char(p->out, ')');
	print_frame(p, call);
}

static void print_window(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	const struct plan_window *window = &op->window;

	buf_append_text(p->out, "window ");
	for (uint32_t i = 0; i < window->call_count; i++) {
		buf_append_text(p->out, i ? ", " : "");
		print_window_call(p, &window->calls[i], in);
		buf_printf(p->out, " AS %s", op->names[op->column_count - window->call_count + i]);
	}
	buf_append_text(p->out, " over (");
	if (window->partition_count) {
		buf_append_text(p->out, "partition by ");
		print_names(p, window->partition_count, window->partition, in);
	}
	if (window->sort_count) {
		buf_append_text(p->out, window->partition_count ? " order by " : "order by ");
		print_sort(p, window->sort_count, window->sort, in);
	}
	buf_append_char(p->out, ')');
}

static void print_unnest(
	const struct explain_printer *p, const struct plan_op *op, const struct inflow *in)
{
	const struct plan_unnest *unnest = &op->unnest;

	buf_append_text(p->out, unnest->outer ? "outer unnest " : "unnest ");
	for (uint32_t i = 0; i < unnest->source_count; i++) {
		const struct plan_row_source *source = &unnest->sources[i];

		buf_printf(p->out, "%s%s%s", i ? ", " : "",
			source->kind == ROWS_OF_SERIES ? "series " : "",
			in->names[source->args[0]]);
		for (uint32_t j = 1; j < row_source_args(source->kind); j++)
			buf_printf(
				p->out, " %s %s", j == 1 ? "to" : "by", in->names[source->args[j]]);
		buf_printf(p->out, " AS %s", op->names[in->count + i]);
	}
	if (unnest->ordinality)
		buf_printf(p->out, " with %s", op->names[op->column_count - 1]);
}

/* What its producers sent, also those that do the work of several. */
static struct explain_facts exchange_facts(const struct explain_printer *p, uint32_t index)
{
	struct explain_facts facts = {.is_measured = p->profile != NULL};

	for (uint32_t f = 0; f < p->plan->fragment_count && p->profile; f++) {
		const struct plan_fragment *fragment = &p->plan->fragments[f];

		for (uint32_t o = 0; o < fragment->output_count; o++)
			if (fragment->outputs[o] == index)
				add_entry(&facts.taken, entry_of(p, f, fragment->op_count));
	}
	facts.rows = facts.taken.rows;
	return facts;
}

static void print_exchange(const struct explain_printer *p, uint32_t index, uint32_t depth)
{
	static const char *const kinds[] = {
		[EXCHANGE_HASH] = "hash",
		[EXCHANGE_SINGLE] = "single",
		[EXCHANGE_BROADCAST] = "broadcast",
		[EXCHANGE_SPREAD] = "spread",
		[EXCHANGE_ORDERED] = "in order",
	};
	const struct plan_exchange *exchange = &p->plan->exchanges[index];
	uint32_t producer = next_producer(p->plan, index, 0);
	const struct explain_facts facts = exchange_facts(p, index);

	explain_begin(p->lines, depth);
	buf_printf(p->out, "-- exchange: %s", kinds[exchange->kind]);
	for (uint32_t i = 0; i < exchange->key_count && producer != PLAN_NONE; i++)
		buf_printf(p->out, "%s%s", i ? ", " : "(",
			column_name(p, &p->plan->fragments[producer],
				p->plan->fragments[producer].op_count, exchange->keys[i]));
	buf_append_text(p->out, exchange->key_count ? ") --" : " --");
	explain_end(p->lines, &facts, "");
	for (; producer != PLAN_NONE; producer = next_producer(p->plan, index, producer + 1))
		print_fragment(p, producer, depth + 1);
}

static void print_residual(const struct explain_printer *p, const struct plan_fragment *fragment,
	const struct plan_join *join, const struct inflow *in)
{
	const struct plan_exchange *build =
		&p->plan->exchanges[fragment->inputs[join->build_input].index];
	const char **names;

	if (!join->residual)
		return;
	names = memory_alloc((in->count + build->column_count + 1) * sizeof(*names));
	for (uint32_t i = 0; i < in->count; i++)
		names[i] = in->names[i];
	for (uint32_t i = 0; i < build->column_count; i++)
		names[in->count + i] = input_name(p, fragment, join->build_input, i);
	buf_append_text(p->out, " if ");
	expr_format(join->residual, names, p->out);
	free(names);
}

static void print_join(const struct explain_printer *p, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct inflow *in, const struct explain_facts *facts,
	uint32_t depth)
{
	static const char *const kinds[] = {
		[JOIN_INNER] = "inner join",
		[JOIN_LEFT] = "left join",
		[JOIN_MARK] = "mark join",
		[JOIN_FULL] = "full join",
		[JOIN_EXISTS] = "exists join",
		[JOIN_SINGLE] = "single join",
	};
	const struct plan_join *join = &op->join;

	buf_append_text(p->out, kinds[join->kind]);
	for (uint32_t i = 0; i < join->key_count; i++)
		buf_printf(p->out, "%s%s = build.%s", i ? " AND " : " on ",
			in->names[join->flow_keys[i]],
			input_name(p, fragment, join->build_input, join->build_keys[i]));
	if (join->key_count == 0)
		buf_append_text(p->out, " of all pairs");
	print_residual(p, fragment, join, in);
	explain_end(p->lines, facts, "; build:");
	print_exchange(p, fragment->inputs[join->build_input].index, depth + 1);
}

static void print_recursion(const struct explain_printer *p, const struct plan_fragment *fragment,
	const struct plan_op *op, const struct explain_facts *facts, uint32_t depth)
{
	const struct plan *term = op->recursion.term;
	struct explain_printer printer = {.plan = term,
		.out = p->out,
		.lines = p->lines,
		.shown = memory_zalloc(term->fragment_count + 1),
		.around = p,
		.place = fragment};

	buf_printf(p->out, "%srecursion", op->recursion.distinct ? "distinct " : "");
	if (op->recursion.wanted != PLAN_LIMIT_NONE)
		buf_printf(
			p->out, " of at least %llu rows", (unsigned long long)op->recursion.wanted);
	explain_end(p->lines, facts, "; each round:");
	for (uint32_t i = 0; i < term->fragment_count; i++)
		if (term->fragments[i].query != PLAN_NONE)
			print_fragment(&printer, i, depth + 1);
	free(printer.shown);
}

static void print_op(
	const struct explain_printer *p, uint32_t fragment_index, uint32_t index, uint32_t depth)
{
	const struct plan_fragment *fragment = &p->plan->fragments[fragment_index];
	const struct explain_facts facts = op_facts(p, fragment_index, index);
	const struct plan_op *op = fragment->ops[index];
	uint32_t count = inflow_count(p, fragment, index);
	const char **names = memory_alloc((count + 1) * sizeof(*names));
	struct inflow in = {count, names};

	for (uint32_t i = 0; i < count; i++)
		names[i] = column_name(p, fragment, index, i);
	explain_begin(p->lines, depth);
	switch (op->kind) {
	case PLAN_FILTER: print_filter(p, op, &in); break;
	case PLAN_PROJECT: print_project(p, op, &in); break;
	case PLAN_GROUP: print_group(p, op, &in); break;
	case PLAN_TOP: print_top(p, op, &in); break;
	case PLAN_WINDOW: print_window(p, op, &in); break;
	case PLAN_JOIN: print_join(p, fragment, op, &in, &facts, depth); break;
	case PLAN_UNNEST: print_unnest(p, op, &in); break;
	case PLAN_RECURSION: print_recursion(p, fragment, op, &facts, depth); break;
	case PLAN_LIMIT: print_limit(p, &op->limit); break;
	}
	if (op->kind != PLAN_JOIN && op->kind != PLAN_RECURSION)
		explain_end(p->lines, &facts, "");
	free(names);
}

static void print_scan(const struct explain_printer *p, uint32_t index, uint32_t depth)
{
	const struct plan_fragment *fragment = &p->plan->fragments[index];
	const struct explain_facts facts = scan_facts(p, index);
	static const struct explain_facts none;
	const struct plan_table *table = &p->plan->tables[fragment->inputs[0].index];
	bool any = false;

	explain_begin(p->lines, depth);
	if (p->around && table->source > 0) {
		buf_append_text(p->out, "the rows of");
		explain_end(p->lines, &none, "");
		print_exchange(p->around, p->place->inputs[table->source].index, depth + 1);
		return;
	}
	buf_printf(p->out, p->around ? "the %s before" : "scan %s", table->name);
	for (uint32_t i = 0; i < table->column_count; i++) {
		if (!fragment->table_columns_used[i])
			continue;
		buf_printf(p->out, "%s%s", any ? ", " : ": ", table->columns[i].name);
		any = true;
	}
	explain_end(p->lines, &facts, "");
}

/* Those with which it has a fragment in common that does the work of all. */
static void print_merged(const struct explain_printer *p, uint32_t index)
{
	uint32_t into = p->plan->fragments[index].merged_into;
	const char *before = ", grouped together with map ";

	for (uint32_t i = 0; into != PLAN_NONE && i < p->plan->fragments[into].merged_count; i++) {
		uint32_t other = p->plan->fragments[into].merged[i];

		if (other == index)
			continue;
		buf_printf(p->out, "%s%u", before, other);
		before = ", ";
	}
}

static void print_fragment(const struct explain_printer *p, uint32_t index, uint32_t depth)
{
	const struct plan_fragment *fragment = &p->plan->fragments[index];
	const struct plan_input *from = &fragment->inputs[0];
	static const struct explain_facts none;
	bool single = from->kind == INPUT_EXCHANGE &&
		      (p->plan->exchanges[from->index].kind == EXCHANGE_SINGLE ||
			      p->plan->exchanges[from->index].kind == EXCHANGE_ORDERED);

	explain_begin(p->lines, depth);
	buf_printf(p->out, "[%s %u%s%s", plan_fragment_is_map(fragment) ? "map" : "reduce", index,
		single ? ", one instance" : "",
		p->shown[index]		     ? ", shared: see above"
		: fragment->output_count > 1 ? ", shared"
					     : "");
	print_merged(p, index);
	buf_append_char(p->out, ']');
	explain_end(p->lines, &none, "");
	if (p->shown[index])
		return;
	p->shown[index] = true;
	for (uint32_t i = fragment->op_count; i-- > 0;)
		print_op(p, index, i, depth + 1);
	if (from->kind == INPUT_TABLE) {
		print_scan(p, index, depth + 1);
	} else if (from->kind == INPUT_EXCHANGE) {
		print_exchange(p, from->index, depth + 1);
	} else {
		explain_begin(p->lines, depth + 1);
		buf_append_text(p->out, "one row");
		explain_end(p->lines, &none, "");
	}
}

static void print_query(const struct explain_printer *p, uint32_t index)
{
	explain_begin_query(p->lines, &p->plan->queries[index], index);
	for (uint32_t i = 0; i < p->plan->fragment_count; i++)
		if (p->plan->fragments[i].query == index)
			print_fragment(p, i, p->lines->is_json ? 0 : 1);
	explain_end_query(p->lines);
}

void sql_explain_measured(
	const struct plan *plan, const struct plan_profile *profile, bool json, struct buf *out)
{
	struct explain_lines lines = {.out = out, .profile = profile, .is_json = json};
	struct explain_printer printer = {.plan = plan,
		.out = out,
		.lines = &lines,
		.profile = profile,
		.shown = memory_zalloc(plan->fragment_count + 1)};
	struct buf text;

	lines.json.out = out;
	/* What a line says becomes a member of its node first. */
	buf_init(&text, out->size_max);
	if (json)
		printer.out = lines.out = &text;
	explain_begin_all(&lines);
	for (uint32_t i = 0; i < plan->query_count; i++)
		print_query(&printer, i);
	explain_end_all(&lines);
	buf_release(&text);
	free(printer.shown);
}

void sql_explain(const struct plan *plan, struct buf *out)
{
	sql_explain_measured(plan, NULL, false, out);
}
