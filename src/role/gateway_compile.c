/*
 * SQL to a plan, beside the event loop: some queries take seconds, and others must not wait for them. One that ends
 * the gateway is known to the next process by its place (role/work_record.h), and refused after the second time.
 *
 * gateway_on_request has a compilation begin, and gateway_on_compiled goes on with what came of it. A client that
 * goes away meanwhile leaves one behind that nobody waits for.
 */
#include "role/gateway_private.h"

#include "base/memory.h"
#include "plan/plan_codec.h"
#include "plan/plan_queries.h"
#include "sql/compile.h"

#include <assert.h>
#include <stdlib.h>

#define ARENA_BLOCK (64u << 10)

struct gateway_compilation {
	struct work_turn turn; /* first */
	struct gateway_compilation *next;
	struct gateway *gateway;
	uint64_t connection; /* 0: nobody waits for it */
	struct wire_message message;
	struct arena arena;
	struct buf bytes; /* of the plan */
	struct gateway_plan plan;
};

/* --- in any thread -------------------------------------------------------------------------------
 */

static int compile_request(struct gateway_compilation *compilation, struct error *err)
{
	const struct wire_message *message = &compilation->message;
	enum role_filters filters = compilation->gateway->node.env.cluster.filters;
	struct arena *arena = &compilation->arena;
	struct sql_text *queries =
		arena_alloc(arena, message->request.query_count * sizeof(*queries));
	struct catalog catalog;
	struct plan *plan;

	if (sql_schema("schema", message->request.schema, arena, &catalog, err))
		return -1;
	for (uint32_t t = 0; t < catalog.table_count && t < message->request.table_count; t++)
		catalog.tables[t].bytes = message->request.table_bytes[t];
	for (uint32_t q = 0; q < message->request.query_count; q++)
		queries[q] = (struct sql_text){.name = message->request.queries[q].name,
			.title = message->request.queries[q].title,
			.text = message->request.queries[q].text};
	if (sql_compile(&catalog, queries, message->request.query_count, arena, &plan, err))
		return -1;
	compilation->plan.on_filters =
		filters == ROLE_FILTERS_ALWAYS ||
		(filters == ROLE_FILTERS_AUTO && plan_has_expensive_map(plan));
	return plan_encode(plan, &catalog, &compilation->bytes, err);
}

static void run(struct work *work)
{
	struct gateway_compilation *compilation = (struct gateway_compilation *)work;

	/* Its client has left while it waited for its turn. */
	if (atomic_load_explicit(&work->stop, memory_order_relaxed))
		return;
	work_turns_enter(&compilation->gateway->turns, &compilation->turn);
	compilation->plan.status = compile_request(compilation, &compilation->plan.err);
	work_turns_leave();
}

/* --- in the role's thread ------------------------------------------------------------------------
 */

static void drain(struct work *work)
{
	(void)work;
}

static void compilation_free(struct gateway_compilation *compilation)
{
	struct gateway_compilation **at = &compilation->gateway->compilations;

	while (*at != compilation)
		at = &(*at)->next;
	*at = compilation->next;
	buf_release(&compilation->bytes);
	arena_release(&compilation->arena);
	free(compilation);
}

static void done(struct work *work)
{
	struct gateway_compilation *compilation = (struct gateway_compilation *)work;
	struct gateway *gateway = compilation->gateway;
	struct gateway_client *client =
		compilation->connection ? gateway_client(gateway, compilation->connection) : NULL;

	/* With an error or without: it has got past the place where it may have ended us. */
	work_turns_end(&gateway->turns, &compilation->turn, true);
	if (client && !gateway->node.role.stopped)
		gateway_on_compiled(gateway, client, &compilation->plan);
	compilation_free(compilation);
	work_turns_go_on(&gateway->turns);
}

static struct gateway_compilation *compilation_of(struct gateway *gateway, uint64_t connection)
{
	struct gateway_compilation *compilation = gateway->compilations;

	while (compilation && compilation->connection != connection)
		compilation = compilation->next;
	return compilation;
}

/* The arena of the message at hand is used for the next one while we work. */
static void copy_request(
	struct gateway_compilation *compilation, const struct wire_message *request)
{
	struct buf frame;
	struct error err;
	int status;

	buf_init(&frame, WIRE_FRAME_MAX);
	wire_encode(request, &frame);
	status = wire_decode((const uint8_t *)frame.data, frame.size, &compilation->arena,
		&compilation->message, &err);
	assert(!status); /* it was decoded before */
	(void)status;
	buf_release(&frame);
}

void gateway_compile(struct gateway *gateway, const struct gateway_client *client,
	const struct wire_message *request, const struct sha256 *secret_hash)
{
	static const struct work_ops ops = {run, drain, done};
	struct gateway_compilation *compilation;

	/* One at a time: an answer would not say which request it is for. */
	if (compilation_of(gateway, client->connection)) {
		gateway_reject_client(gateway, client->connection,
			"a request before the one before it was answered");
		return;
	}
	compilation = memory_zalloc(sizeof(*compilation));
	compilation->gateway = gateway;
	compilation->connection = client->connection;
	compilation->plan.job = request->request.job;
	compilation->plan.secret_hash = *secret_hash;
	compilation->plan.bytes = &compilation->bytes;
	buf_init(&compilation->bytes, PLAN_BYTES_MAX);
	arena_init(&compilation->arena, ARENA_BLOCK);
	copy_request(compilation, request);
	compilation->next = gateway->compilations;
	gateway->compilations = compilation;
	compilation->turn.work.ops = &ops;
	compilation->turn.place = (struct work_place){request->request.job, WORK_OPENING, 0, 1, 0};
	work_turns_start(&gateway->turns, &compilation->turn);
}

void gateway_forget_compilation(struct gateway *gateway, uint64_t connection)
{
	struct gateway_compilation *compilation = compilation_of(gateway, connection);

	if (!compilation)
		return;
	compilation->connection = 0;
	work_turn_stop(&compilation->turn);
}

void gateway_release_compilations(struct gateway *gateway)
{
	while (gateway->compilations) {
		struct gateway_compilation *compilation = gateway->compilations;

		work_turns_cancel(&gateway->turns, &compilation->turn);
		compilation_free(compilation);
	}
}
