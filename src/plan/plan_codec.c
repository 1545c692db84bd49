/*
 * A plan as bytes.
 *
 *   plan        "TZPL", varint version; the tables of the catalog that it reads; its own tables,
 *               exchanges, queries and fragments; 8 bytes little-endian: the hash of all before
 *   list        varint count, then the items
 *   text        varint size, then the bytes, none of them zero
 *   number      varint; locations zigzag; an optional column is one more, and 0 is none
 *   enum, flag  varint
 *   double      8 bytes, little-endian
 *   type        the kind; of a numeric precision and scale, each 1000 more
 *   value       a batch of one row and one column (column/batch_codec.h)
 *   expression  kind, type, location; then the column, or the value, or the arguments and for a
 *               call before them the function
 *
 * The order of fields is that of the functions below. Each of them both writes and reads, so that
 * the two cannot differ: io_number(io, &x) appends x, or sets it. Nothing is stored while writing.
 *
 * Reading never trusts a count: a list has no more items than there are bytes left, and all lists
 * together take no more memory than PLAN_DECODE_FACTOR times the bytes. What was read is then held
 * against plan_check.
 */
#include "plan/plan_codec.h"
#include "base/hash.h"
#include "base/varint.h"
#include "plan/plan_check.h"
#include "plan/plan_codec_private.h"

#include <assert.h>
#include <string.h>

#define MAGIC	      "TZPL"
#define MAGIC_SIZE    4
#define VERSION	      10
#define CHECKSUM_SIZE 8
/* The largest items take this many times their shortest form. */
#define PLAN_DECODE_FACTOR 128

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as they lie");

/* Whoever adds a field meets these: it has to be sent, and the version has to change. */
#define SENT "all fields are sent"
static_assert(sizeof(struct expr) == 96, SENT);
static_assert(sizeof(struct plan_sort_key) == 8, SENT);
static_assert(sizeof(struct plan_aggregate) == 56, SENT);
static_assert(sizeof(struct plan_group) == 32, SENT);
static_assert(sizeof(struct plan_top) == 48, SENT);
static_assert(sizeof(struct plan_frame) == 112, SENT);
static_assert(sizeof(struct plan_window_call) == 208, SENT);
static_assert(sizeof(struct plan_window) == 48, SENT);
static_assert(sizeof(struct plan_join) == 40, SENT);
static_assert(sizeof(struct plan_row_source) == 16, SENT);
static_assert(sizeof(struct plan_unnest) == 24, SENT);
static_assert(sizeof(struct plan_recursion) == 24, SENT);
static_assert(sizeof(struct plan_limit) == 16, SENT);
static_assert(sizeof(struct plan_op) == 88, SENT); /* but the guess */
static_assert(sizeof(struct plan_exchange) == 40, SENT);
static_assert(sizeof(struct plan_fragment) == 96, SENT); /* but the guess */
static_assert(sizeof(struct plan_table) == 24, SENT);
static_assert(sizeof(struct plan_query) == 56, SENT); /* but the warning */
static_assert(sizeof(struct plan) == 64, SENT);
static_assert(sizeof(struct csv_format) == 2, SENT);
static_assert(sizeof(struct csv_reading) == 8, SENT);
static_assert(sizeof(struct table_column) == 40, SENT); /* but the note */
static_assert(sizeof(struct table_schema) == 88 + sizeof(struct csv_dialect),
	SENT); /* but what is known of its values, of its files, and rows that no other process has */

/* -- Expressions -- */

static void io_expr(struct plan_io *io, struct expr **at);

static void io_exprs(struct plan_io *io, uint32_t *count, struct expr ***exprs)
{
	io_list(io, count, exprs, sizeof(**exprs));
	for (uint32_t i = 0; i < *count; i++)
		io_expr(io, &(*exprs)[i]);
}

static void io_expr(struct plan_io *io, struct expr **at)
{
	struct expr *expr;

	if (!io->out)
		*at = io_room(io, sizeof(**at));
	expr = *at;
	if (++io->depth > PLAN_EXPR_DEPTH_MAX)
		io_fail(io, "an expression is nested too deeply");
	/* Also where the bytes overflow: a tree that shares its branches could take for ever. */
	if (!io->failed && !(io->out && buf_overflowed(io->out))) {
		io_enum(io, &expr->kind, EXPR_IN + 1);
		io_type(io, &expr->type);
		io_location(io, &expr->location);
		if (expr->kind == EXPR_COLUMN)
			io_u32(io, &expr->column);
		else if (expr->kind == EXPR_CONSTANT)
			io_value(io, &expr->constant);
		else if (expr->kind == EXPR_CALL)
			io_enum(io, &expr->function, FUNCTION_COUNT);
		if (expr->kind != EXPR_COLUMN && expr->kind != EXPR_CONSTANT)
			io_exprs(io, &expr->arg_count, &expr->args);
	}
	io->depth--;
}

/* -- Operators -- */

static void io_plan_tables(struct plan_io *io, struct plan *plan);
static void io_plan(struct plan_io *io, struct plan *plan);

static void io_sort(struct plan_io *io, uint32_t *count, struct plan_sort_key **sort)
{
	io_list(io, count, sort, sizeof(**sort));
	for (uint32_t i = 0; i < *count; i++) {
		io_u32(io, &(*sort)[i].column);
		io_flag(io, &(*sort)[i].descending);
		io_flag(io, &(*sort)[i].nulls_first);
	}
}

static void io_aggregate(struct plan_io *io, struct plan_aggregate *aggregate)
{
	io_enum(io, &aggregate->id, AGGREGATE_COUNT);
	io_flag(io, &aggregate->distinct);
	io_optional(io, &aggregate->arg);
	io_optional(io, &aggregate->arg2);
	io_optional(io, &aggregate->filter);
	io_type(io, &aggregate->arg_type);
	io_type(io, &aggregate->type);
	io_sort(io, &aggregate->sort_count, &aggregate->sort);
	if (aggregate_is_ordered(aggregate->id))
		io_bytes(io, &aggregate->fraction, sizeof(aggregate->fraction));
}

static void io_group(struct plan_io *io, struct plan_group *group)
{
	io_enum(io, &group->phase, GROUP_COMPLETE + 1);
	io_columns(io, &group->key_count, &group->keys);
	io_list(io, &group->aggregate_count, &group->aggregates, sizeof(*group->aggregates));
	for (uint32_t i = 0; i < group->aggregate_count; i++)
		io_aggregate(io, &group->aggregates[i]);
}

static void io_top(struct plan_io *io, struct plan_top *top)
{
	io_columns(io, &top->partition_count, &top->partition);
	io_sort(io, &top->sort_count, &top->sort);
	io_number(io, &top->limit);
	io_number(io, &top->offset);
}

static void io_bound(struct plan_io *io, struct plan_frame_bound *bound)
{
	io_enum(io, &bound->kind, FRAME_UNBOUNDED_FOLLOWING + 1);
	if (bound->kind == FRAME_PRECEDING || bound->kind == FRAME_FOLLOWING)
		io_value(io, &bound->offset);
}

static void io_window_call(struct plan_io *io, struct plan_window_call *call)
{
	io_enum(io, &call->function, WINDOW_AGGREGATE + 1);
	io_optional(io, &call->arg);
	io_optional(io, &call->offset);
	io_optional(io, &call->fallback);
	if (call->function == WINDOW_AGGREGATE)
		io_aggregate(io, &call->aggregate);
	io_enum(io, &call->frame.mode, FRAME_GROUPS + 1);
	io_enum(io, &call->frame.exclude, FRAME_EXCLUDE_TIES + 1);
	io_bound(io, &call->frame.start);
	io_bound(io, &call->frame.end);
	io_type(io, &call->type);
}

static void io_window(struct plan_io *io, struct plan_window *window)
{
	io_columns(io, &window->partition_count, &window->partition);
	io_sort(io, &window->sort_count, &window->sort);
	io_list(io, &window->call_count, &window->calls, sizeof(*window->calls));
	for (uint32_t i = 0; i < window->call_count; i++)
		io_window_call(io, &window->calls[i]);
}

static void io_join(struct plan_io *io, struct plan_join *join)
{
	uint32_t build_count = join->key_count;
	bool has_residual = join->residual != NULL;

	io_enum(io, &join->kind, JOIN_SINGLE + 1);
	io_u32(io, &join->build_input);
	io_columns(io, &join->key_count, &join->flow_keys);
	io_columns(io, &build_count, &join->build_keys);
	if (build_count != join->key_count) {
		io_fail(io, "a join's sides have different keys");
		join->key_count = 0;
	}
	io_flag(io, &has_residual);
	if (has_residual)
		io_expr(io, &join->residual);
}

static void io_unnest(struct plan_io *io, struct plan_unnest *unnest)
{
	io_list(io, &unnest->source_count, &unnest->sources, sizeof(*unnest->sources));
	for (uint32_t i = 0; i < unnest->source_count; i++) {
		io_enum(io, &unnest->sources[i].kind, ROWS_OF_SERIES + 1);
		for (uint32_t j = 0; j < ROW_SOURCE_ARGS_MAX; j++)
			io_u32(io, &unnest->sources[i].args[j]);
	}
	io_flag(io, &unnest->ordinality);
	io_flag(io, &unnest->outer);
}

/* Its plan has tables of its own, and no sources. */
static void io_recursion(struct plan_io *io, struct plan_recursion *recursion)
{
	if (!io->out)
		recursion->term = io_room(io, sizeof(*recursion->term));
	if (++io->plans > PLAN_TERMS_MAX)
		io_fail(io, "recursions are nested too deeply");
	if (!io->failed) {
		io_plan_tables(io, recursion->term);
		io_plan(io, recursion->term);
	}
	io->plans--;
	io_flag(io, &recursion->distinct);
	io_number(io, &recursion->wanted);
}

static void io_names(struct plan_io *io, uint32_t count, const char ***names)
{
	uint32_t name_count = count;

	io_list(io, &name_count, names, sizeof(**names));
	for (uint32_t i = 0; i < name_count; i++)
		io_text(io, &(*names)[i]);
	if (name_count != count)
		io_fail(io, "the names do not match the columns");
}

static void io_op(struct plan_io *io, struct plan_op **at)
{
	struct plan_op *op;

	if (!io->out)
		*at = io_room(io, sizeof(**at));
	if (io->failed)
		return;
	op = *at;
	io_enum(io, &op->kind, PLAN_LIMIT + 1);
	switch (op->kind) {
	case PLAN_FILTER: io_exprs(io, &op->filter.count, &op->filter.conjuncts); break;
	case PLAN_PROJECT: io_exprs(io, &op->project.count, &op->project.exprs); break;
	case PLAN_GROUP: io_group(io, &op->group); break;
	case PLAN_TOP: io_top(io, &op->top); break;
	case PLAN_WINDOW: io_window(io, &op->window); break;
	case PLAN_JOIN: io_join(io, &op->join); break;
	case PLAN_UNNEST: io_unnest(io, &op->unnest); break;
	case PLAN_RECURSION: io_recursion(io, &op->recursion); break;
	case PLAN_LIMIT:
		io_number(io, &op->limit.limit);
		io_number(io, &op->limit.offset);
		break;
	}
	io_types(io, &op->column_count, &op->types);
	io_names(io, op->column_count, &op->names);
}

/* -- Fragments and what lies between them -- */

static void io_output_columns(struct plan_io *io, const struct plan *plan,
	const struct plan_fragment *fragment, uint32_t output)
{
	uint32_t exchange = fragment->outputs[output];
	uint32_t wanted =
		exchange < plan->exchange_count ? plan->exchanges[exchange].column_count : 0;
	uint32_t count = wanted;

	io_columns(io, &count, &fragment->output_columns[output]);
	if (count != wanted)
		io_fail(io, "an output's columns are not those of its exchange");
}

static void io_columns_used(
	struct plan_io *io, const struct plan *plan, struct plan_fragment *fragment)
{
	uint32_t table = fragment->inputs[0].index;
	uint32_t wanted = table < plan->table_count ? plan->tables[table].column_count : 0;
	uint32_t count = wanted;

	io_list(io, &count, &fragment->table_columns_used, sizeof(bool));
	for (uint32_t i = 0; i < count; i++)
		io_flag(io, &fragment->table_columns_used[i]);
	if (count != wanted)
		io_fail(io, "a map fragment's columns are not those of its table");
}

static void io_fragment(struct plan_io *io, const struct plan *plan, struct plan_fragment *fragment)
{
	bool picks = fragment->output_columns != NULL;
	uint32_t outputs;

	io_list(io, &fragment->input_count, &fragment->inputs, sizeof(*fragment->inputs));
	for (uint32_t i = 0; i < fragment->input_count; i++) {
		io_enum(io, &fragment->inputs[i].kind, INPUT_EXCHANGE + 1);
		io_u32(io, &fragment->inputs[i].index);
	}
	io_list(io, &fragment->op_count, &fragment->ops, sizeof(*fragment->ops));
	for (uint32_t i = 0; i < fragment->op_count; i++)
		io_op(io, &fragment->ops[i]);
	io_columns(io, &fragment->output_count, &fragment->outputs);
	io_flag(io, &picks);
	if (picks) {
		outputs = fragment->output_count;
		io_list(io, &outputs, &fragment->output_columns, sizeof(uint32_t *));
		if (outputs != fragment->output_count) {
			io_fail(io, "a fragment has other outputs");
			outputs = 0;
		}
		for (uint32_t i = 0; i < outputs; i++)
			io_output_columns(io, plan, fragment, i);
	}
	io_optional(io, &fragment->query);
	if (fragment->input_count > 0 && fragment->inputs[0].kind == INPUT_TABLE)
		io_columns_used(io, plan, fragment);
	io_optional(io, &fragment->merged_into);
	io_columns(io, &fragment->merged_count, &fragment->merged);
}

static void io_exchange(struct plan_io *io, struct plan_exchange *exchange)
{
	io_enum(io, &exchange->kind, EXCHANGE_ORDERED + 1);
	io_columns(io, &exchange->key_count, &exchange->keys);
	io_u32(io, &exchange->consumer);
	io_u32(io, &exchange->input);
	io_types(io, &exchange->column_count, &exchange->types);
}

static void io_query(struct plan_io *io, struct plan_query *query)
{
	struct type *meant = query->meant ? query->meant : query->types;
	uint32_t meant_count = query->column_count;

	io_text(io, &query->name);
	io_text(io, &query->title);
	io_types(io, &query->column_count, &query->types);
	io_types(io, &meant_count, &meant);
	if (meant_count != query->column_count)
		io_fail(io, "a query's columns mean more or less than they are");
	query->meant = meant;
	io_names(io, query->column_count, &query->names);
}

static void io_plan(struct plan_io *io, struct plan *plan)
{
	io_list(io, &plan->exchange_count, &plan->exchanges, sizeof(*plan->exchanges));
	for (uint32_t i = 0; i < plan->exchange_count; i++)
		io_exchange(io, &plan->exchanges[i]);
	io_list(io, &plan->query_count, &plan->queries, sizeof(*plan->queries));
	for (uint32_t i = 0; i < plan->query_count; i++)
		io_query(io, &plan->queries[i]);
	io_list(io, &plan->fragment_count, &plan->fragments, sizeof(*plan->fragments));
	for (uint32_t i = 0; i < plan->fragment_count; i++)
		io_fragment(io, plan, &plan->fragments[i]);
}

/* -- Tables -- */

static void io_reading(struct plan_io *io, struct csv_reading *reading)
{
	io_bytes(io, reading->date.order, sizeof(reading->date.order));
	io_bytes(io, &reading->date.mark, 1);
	io_flag(io, &reading->date.short_year);
	io_bytes(io, &reading->decimal, 1);
	io_bytes(io, &reading->thousands, 1);
	io_flag(io, &reading->zoned);
}

/* Of a table's dialect, what matters behind the cut: the chunks come in its format. */
static void io_dialect(struct plan_io *io, struct csv_dialect *dialect)
{
	uint32_t ragged = (uint32_t)dialect->ragged;
	uint32_t columns = (uint32_t)dialect->columns;
	const char **nulls = (const char **)dialect->nulls;

	io_enum(io, &ragged, CSV_RAGGED_CUT + 1);
	io_enum(io, &columns, CSV_COLUMNS_UNION + 1);
	io_list(io, &dialect->null_count, &nulls, sizeof(*nulls));
	for (uint32_t i = 0; i < dialect->null_count; i++)
		io_text(io, &nulls[i]);
	if (io->out)
		return;
	dialect->ragged = (enum csv_ragged)ragged;
	dialect->columns = (enum csv_columns)columns;
	dialect->nulls = nulls;
}

static void io_schema(struct plan_io *io, struct table_schema *schema)
{
	io_text(io, &schema->name);
	io_list(io, &schema->column_count, &schema->columns, sizeof(*schema->columns));
	for (uint32_t i = 0; i < schema->column_count; i++) {
		io_text(io, &schema->columns[i].name);
		io_type(io, &schema->columns[i].type);
		io_reading(io, &schema->columns[i].reading);
		io_flag(io, &schema->columns[i].guessed);
	}
	io_bytes(io, &schema->format.delimiter, 1);
	io_bytes(io, &schema->format.quote, 1);
	io_flag(io, &schema->inferred);
	io_dialect(io, &schema->dialect);
	if (!io->out)
		schema->files = "";
}

static void io_table(struct plan_io *io, struct plan_table *table)
{
	io_text(io, &table->name);
	io_u32(io, &table->source);
	io_list(io, &table->column_count, &table->columns, sizeof(*table->columns));
	for (uint32_t i = 0; i < table->column_count; i++) {
		io_text(io, &table->columns[i].name);
		io_type(io, &table->columns[i].type);
	}
}

static void io_plan_tables(struct plan_io *io, struct plan *plan)
{
	io_list(io, &plan->table_count, &plan->tables, sizeof(*plan->tables));
	for (uint32_t i = 0; i < plan->table_count; i++)
		io_table(io, &plan->tables[i]);
}

static void io_tables(struct plan_io *io, struct catalog *catalog, struct plan *plan)
{
	io_list(io, &catalog->table_count, &catalog->tables, sizeof(*catalog->tables));
	for (uint32_t i = 0; i < catalog->table_count; i++)
		io_schema(io, &catalog->tables[i]);
	io_plan_tables(io, plan);
}

static bool format_is_legal(const struct csv_format *format)
{
	return format->delimiter > 0 && format->quote > 0 && format->delimiter != format->quote &&
	       format->delimiter != '\n' && format->delimiter != '\r' && format->quote != '\n' &&
	       format->quote != '\r';
}

static bool schema_is_legal(const struct table_schema *schema)
{
	if (schema->name[0] == '\0' || schema->column_count > TABLE_COLUMNS_MAX ||
		!format_is_legal(&schema->format))
		return false;
	for (uint32_t i = 0; i < schema->column_count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (strcmp(schema->columns[k].name, schema->columns[i].name) == 0)
				return false;
		}
	}
	return true;
}

/* The table's columns are some of its source's, or their text, each at most once. */
static bool table_fits(const struct plan_table *table, const struct table_schema *schema)
{
	bool seen[2 * TABLE_COLUMNS_MAX + TABLE_HIDDEN_COLUMNS] = {false};

	for (uint32_t i = 0; i < table->column_count; i++) {
		const struct plan_table_column *column = &table->columns[i];
		uint32_t at = table_find_column(schema, column->name);

		if (at < schema->column_count && column->type.kind == TYPE_TEXT &&
			schema->columns[at].guessed)
			at = table_written_column(schema, at);
		if (at == TABLE_NO_COLUMN || seen[at] ||
			!type_equal(table_column_at(schema, at).type, column->type))
			return false;
		seen[at] = true;
	}
	return true;
}

/* Tables and sources are as many, in the same order, and fit. */
static bool tables_fit(const struct plan *plan, const struct catalog *catalog)
{
	if (catalog->table_count > CATALOG_TABLES_MAX || plan->table_count != catalog->table_count)
		return false;
	for (uint32_t i = 0; i < plan->table_count; i++) {
		if (plan->tables[i].source != i || !schema_is_legal(&catalog->tables[i]) ||
			!table_fits(&plan->tables[i], &catalog->tables[i]))
			return false;
	}
	return true;
}

/* The sources of the plan's tables, in their order, and the tables pointing at those. */
static int write_tables(struct plan_io *io, const struct plan *plan, const struct catalog *catalog,
	struct error *err)
{
	struct table_schema schemas[CATALOG_TABLES_MAX];
	struct plan_table tables[CATALOG_TABLES_MAX];
	struct catalog sources = {.table_count = plan->table_count, .tables = schemas};
	struct plan own = {.table_count = plan->table_count, .tables = tables};

	if (plan->table_count > CATALOG_TABLES_MAX)
		return error_set(
			err, ERROR_LIMIT, "a plan reads more than %d tables", CATALOG_TABLES_MAX);
	for (uint32_t i = 0; i < plan->table_count; i++) {
		assert(plan->tables[i].source < catalog->table_count);
		schemas[i] = catalog->tables[plan->tables[i].source];
		tables[i] = plan->tables[i];
		tables[i].source = i;
	}
	io_tables(io, &sources, &own);
	return 0;
}

/* -- The whole -- */

static uint64_t checksum(const void *bytes, size_t size)
{
	return hash_bytes(bytes, size);
}

int plan_encode(
	const struct plan *plan, const struct catalog *catalog, struct buf *out, struct error *err)
{
	struct buf bytes;
	struct plan_io io = {.out = &bytes};
	uint64_t sum;
	int status;

	buf_init(&bytes, PLAN_BYTES_MAX - CHECKSUM_SIZE);
	buf_append(&bytes, MAGIC, MAGIC_SIZE);
	varint_encode(VERSION, &bytes);
	status = write_tables(&io, plan, catalog, err);
	if (!status) {
		/* Nothing is stored while writing. */
		io_plan(&io, (struct plan *)plan);
		if (io.failed)
			status = error_set(err, ERROR_LIMIT, "cannot encode a plan: %s", io.failed);
		else if (buf_overflowed(&bytes))
			status = error_set(
				err, ERROR_LIMIT, "a plan has more than %u bytes", PLAN_BYTES_MAX);
	}
	if (!status) {
		sum = checksum(bytes.data, bytes.size);
		buf_append(out, bytes.data, bytes.size);
		buf_append(out, &sum, sizeof(sum));
	}
	buf_release(&bytes);
	return status;
}

static int damaged(struct error *err, const char *why)
{
	return error_set(err, ERROR_DATA, "an encoded plan is damaged: %s", why);
}

/* Leaves only what stands between header and checksum. */
static int open_bytes(struct plan_io *io, struct error *err)
{
	uint64_t sum, version;
	size_t size = (size_t)(io->end - io->at);

	if (size < MAGIC_SIZE + CHECKSUM_SIZE || memcmp(io->at, MAGIC, MAGIC_SIZE) != 0)
		return damaged(err, "it does not start like one");
	if (size > PLAN_BYTES_MAX)
		return damaged(err, "it is too long");
	io->end -= CHECKSUM_SIZE;
	memcpy(&sum, io->end, sizeof(sum));
	if (sum != checksum(io->at, size - CHECKSUM_SIZE))
		return damaged(err, "its checksum is wrong");
	io->at += MAGIC_SIZE;
	if (!varint_decode(&io->at, io->end, &version))
		return damaged(err, "it ends too early");
	if (version != VERSION)
		return error_set(err, ERROR_DATA,
			"an encoded plan has version %llu, and this program reads version %d",
			(unsigned long long)version, VERSION);
	return 0;
}

int plan_decode(const void *bytes, size_t size, struct arena *arena, struct plan **plan,
	struct catalog *catalog, struct error *err)
{
	struct plan *out = arena_zalloc(arena, sizeof(*out));
	struct plan_io io = {
		.at = bytes,
		.end = (const uint8_t *)bytes + size,
		.memory_left = size * PLAN_DECODE_FACTOR,
		.arena = arena,
	};

	*catalog = (struct catalog){0};
	if (open_bytes(&io, err) < 0)
		return -1;
	io_tables(&io, catalog, out);
	io_plan(&io, out);
	if (io.failed)
		return damaged(err, io.failed);
	if (io.at != io.end)
		return damaged(err, "something follows it");
	if (!tables_fit(out, catalog))
		return damaged(err, "its tables do not fit their sources");
	if (plan_check(out, err) < 0)
		return -1;
	*plan = out;
	return 0;
}
