/*
 * The clock, which stands still while a statement runs, and chance, which follows from the statement's
 * seed: now() is a constant, and random() a function of the row that it is asked for. So both are the
 * same for any number of threads, on every node and in every retry.
 */
#include "base/hash.h"
#include "column/datetime_text.h"
#include "column/zone.h"
#include "sql/bind/bind_private.h"

#include <stdlib.h>
#include <string.h>

/* -- The clock -- */

static const struct clock_word {
	const char *name;
	enum type_kind kind;
	bool takes_digits; /* of seconds */
} clock_words[] = {
	{"now", TYPE_TIMESTAMPTZ, false},
	{"statement_timestamp", TYPE_TIMESTAMPTZ, false},
	{"transaction_timestamp", TYPE_TIMESTAMPTZ, false},
	{"current_timestamp", TYPE_TIMESTAMPTZ, true},
	{"current_date", TYPE_DATE, false},
	{"localtimestamp", TYPE_TIMESTAMP, true},
	{"localtime", TYPE_TIME, true},
};

static const struct clock_word *find_word(const char *name)
{
	for (size_t i = 0; i < sizeof(clock_words) / sizeof(clock_words[0]); i++)
		if (strcmp(clock_words[i].name, name) == 0)
			return &clock_words[i];
	return NULL;
}

static int check_start(struct binder *b, int32_t location)
{
	if (b->catalog->start.known)
		return 0;
	return bind_error(b, location, "when the statement started is not known here");
}

bool clock_now(struct binder *b, enum type_kind kind, int32_t location, struct value *out)
{
	int64_t micros = b->catalog->start.now;

	if (check_start(b, location) < 0)
		return false;
	*out = (struct value){.type = type_of(kind), .i64 = micros};
	if (kind == TYPE_TIMESTAMPTZ)
		return true;
	if (b->zone.size > 0)
		micros += zone_offset(zone_new(b->zone, b->arena), micros) * MICROS_PER_SECOND;
	switch (kind) {
	case TYPE_DATE: out->i64 = timestamp_days(micros); break;
	case TYPE_TIME: out->i64 = timestamp_time_of_day(micros); break;
	default: out->i64 = micros; break;
	}
	return true;
}

struct expr *clock_literal(struct binder *b, const struct expr *literal, struct type type,
	const struct datetime_reading *reading)
{
	bool now = reading->clock == DATETIME_CLOCK_NOW;
	struct value value;

	if (!clock_now(b, now ? type.kind : TYPE_DATE, literal->location, &value))
		return NULL;
	value.type = type;
	if (!now)
		value.i64 += reading->day;
	if (!now && type.kind != TYPE_DATE)
		value.i64 = value.i64 * MICROS_PER_DAY + reading->time;
	return expr_at(expr_constant(b->arena, &value), literal->location);
}

static struct expr *bind_word(struct binder *b, const struct clock_word *word,
	const struct ast_expr *ast, uint32_t count, struct expr **args)
{
	struct value value;

	if (count > (word->takes_digits ? 1U : 0U) ||
		(count == 1 &&
			(args[0]->kind != EXPR_CONSTANT || args[0]->type.kind != TYPE_INT))) {
		no_function(b, ast, count, args);
		return NULL;
	}
	if (!clock_now(b, word->kind, ast->location, &value))
		return NULL;
	if (count == 1)
		value.i64 = (word->kind == TYPE_TIME ? time_round : timestamp_round)(
			value.i64, (unsigned)args[0]->constant.i64);
	return expr_at(expr_constant(b->arena, &value), ast->location);
}

/* age(x) is counted from the start of the day. */
static struct expr *bind_age(struct binder *b, const struct ast_expr *ast, struct expr *arg)
{
	struct value today;
	struct expr *args[2];

	if (!clock_now(b, TYPE_DATE, ast->location, &today))
		return NULL;
	args[0] = coerce(b, expr_at(expr_constant(b->arena, &today), ast->location),
		type_of(TYPE_TIMESTAMP));
	args[1] = arg;
	return args[0] ? bind_function(b, ast, 2, args) : NULL;
}

struct expr *bind_clock(struct binder *b, const struct ast_expr *ast, uint32_t count,
	struct expr **args, bool *handled)
{
	static const char *const refused[] = {"clock_timestamp", "timeofday", "current_time"};
	const struct clock_word *word = find_word(ast->text);

	*handled = true;
	if (word)
		return bind_word(b, word, ast, count, args);
	if (strcmp(ast->text, "age") == 0 && count == 1)
		return bind_age(b, ast, args[0]);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (strcmp(ast->text, refused[i]) == 0) {
			bind_error(b, ast->location,
				"%s is not supported: now() is when the statement started, and "
				"localtime its time of day",
				ast->text);
			return NULL;
		}
	*handled = false;
	return NULL;
}

/* -- Chance -- */

static struct expr *bigint_constant(struct binder *b, int64_t number)
{
	struct value value = {.type = type_of(TYPE_BIGINT), .i64 = number};

	return expr_constant(b->arena, &value);
}

/* A column that tells the row from others, or what stands for it where an outer join left none. */
static struct expr *mix(struct binder *b, struct expr *seed, uint32_t column)
{
	struct expr *parts[2] = {binder_column_expr(b, column, -1)}, *args[2] = {seed};

	parts[1] = parts[0]->type.kind == TYPE_TEXT ? text_constant(b, "") : bigint_constant(b, 0);
	args[1] = expr_node(b->arena, EXPR_COALESCE, parts[0]->type, 2, parts);
	return make_call(b, FN_MIX_SEED, type_of(TYPE_BIGINT), 2, args, -1);
}

static const struct scope_column *hidden_column(const struct scope_table *table, const char *name)
{
	for (uint32_t i = 0; i < table->column_count; i++)
		if (table->columns[i].hidden && strcmp(table->columns[i].name, name) == 0)
			return &table->columns[i];
	return NULL;
}

/* Whether every row of FROM is told from others by the places of its records in their files. */
static bool rows_have_places(const struct level *level)
{
	for (uint32_t t = 0; t < level->scope.table_count; t++) {
		const struct scope_table *table = &level->scope.tables[t];

		if (!hidden_column(table, TABLE_FILE_COLUMN) ||
			!hidden_column(table, TABLE_LINE_COLUMN))
			return false;
	}
	return level->scope.table_count > 0;
}

/* Numbers the rows of the tree; rows that are equal are exchangeable. */
static uint32_t number_rows(struct level *level)
{
	struct binder *b = level->binder;
	struct logical *node = logical_new(b->arena, LOGICAL_WINDOW, 1);
	struct logical_window *window = &node->window;
	uint32_t id = binder_column(b, "row", type_of(TYPE_BIGINT));

	window->partition = arena_alloc(b->arena, sizeof(uint32_t));
	window->sort = arena_alloc(b->arena, sizeof(*window->sort));
	window->call_count = 1;
	window->calls = arena_zalloc(b->arena, sizeof(*window->calls));
	window->calls[0] = (struct plan_window_call){.function = WINDOW_ROW_NUMBER,
		.arg = PLAN_NONE,
		.offset = PLAN_NONE,
		.fallback = PLAN_NONE,
		.aggregate = {.arg = PLAN_NONE, .arg2 = PLAN_NONE, .filter = PLAN_NONE},
		.frame = {.start.kind = FRAME_UNBOUNDED_PRECEDING, .end.kind = FRAME_CURRENT_ROW},
		.type = type_of(TYPE_BIGINT)};
	window->outputs = arena_alloc(b->arena, sizeof(uint32_t));
	window->outputs[0] = id;
	node->inputs[0] = level->tree;
	for (uint32_t i = 0; i < level->tree->column_count; i++)
		logical_add_column(b->arena, node, level->tree->columns[i]);
	logical_add_column(b->arena, node, id);
	level->tree = node;
	return id;
}

/* Where there is one row, or each row of FROM is asked once. */
static bool allows_random(enum clause clause)
{
	return clause != CLAUSE_ON && clause != CLAUSE_FROM && clause != CLAUSE_LIMIT &&
	       clause != CLAUSE_VALUES;
}

struct expr *bind_random(struct level *level, enum clause clause, const struct ast_expr *ast)
{
	struct binder *b = level->binder;
	uint64_t seed = hash_combine(b->catalog->start.seed, ++b->random_count);
	struct expr *expr = bigint_constant(b, (int64_t)hash_u64(seed));

	if (ast->arg_count > 0) {
		bind_error(b, ast->location, "random takes no arguments: random() * 100");
		return NULL;
	}
	if (check_start(b, ast->location) < 0)
		return NULL;
	if (level->reads_round) {
		bind_error(b, ast->location,
			"random() is not supported in a recursive query's recursive term");
		return NULL;
	}
	if (!allows_random(clause) || !level->tree) {
		bind_error(b, ast->location, "random() is not supported in %s",
			clause == CLAUSE_ON ? "the condition of a join: put it into WHERE"
					    : clause_name(clause));
		return NULL;
	}
	if (level->select->from_count > 0 && rows_have_places(level)) {
		for (uint32_t t = 0; t < level->scope.table_count; t++) {
			const struct scope_table *table = &level->scope.tables[t];

			expr = mix(b, expr, hidden_column(table, TABLE_FILE_COLUMN)->id);
			expr = mix(b, expr, hidden_column(table, TABLE_LINE_COLUMN)->id);
		}
	} else if (level->select->from_count > 0) {
		if (!level->numbered)
			level->row_number = number_rows(level);
		level->numbered = true;
		expr = mix(b, expr, level->row_number);
	}
	return make_call(b, FN_RANDOM, type_of(TYPE_DOUBLE), 1, &expr, ast->location);
}
