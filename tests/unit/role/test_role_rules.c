/*
 * Rules of single roles that no fault has to bring about: a transport that does what the test says,
 * a log that brings what was appended, and a client that is a list of messages.
 */
#include "base/memory.h"
#include "base/metrics.h"
#include "flow/event.h"
#include "flow/message.h"
#include "journal/disk_sim.h"
#include "journal/journal.h"
#include "plan/plan_codec.h"
#include "role/role.h"
#include "sql/compile.h"
#include "wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define JOB	    0x1122334455667788ull
#define CLIENT	    7u
#define SCHEMA	    "CREATE TABLE t (n int) WITH (files = 't.csv')"
#define QUERY	    "SELECT n FROM t"
#define ENTRIES_MAX 64
#define FRAMES_MAX  64
#define TAGS_MAX    512

/* Of all jobs in the log, and what requests show. */
static const struct wire_secret secret = {{1, 2, 3}};
static struct wire_secret secret_of_requests = {{1, 2, 3}};

struct bytes {
	uint8_t *data;
	size_t size;
};

static struct {
	struct transport transport; /* first */
	struct wire_port port;
	struct disk_sim *store;
	struct disk *disk;
	struct rng rng;
	uint64_t now_ms;
	struct role_env env;
	struct role *role;
	uint32_t entry_count;	   /* of the log ... */
	uint32_t told_count;	   /* ... and those that the role has read */
	uint32_t replaced;	   /* how often the log was to be */
	uint32_t published;	   /* messages to queues ... */
	uint32_t busy;		   /* ... of which so many are FLOW_BUSY */
	struct flow_message probe; /* the last one that was published; without a kind: none */
	bool is_far;		   /* it goes through the filters */
	struct bytes entries[ENTRIES_MAX];
	uint32_t acked_count;
	uint64_t acked[TAGS_MAX];
	uint32_t frame_count; /* to the client */
	struct bytes frames[FRAMES_MAX];
	bool dropped;
	bool with_filters;  /* jobs that are opened have them */
	flow_stream result; /* of the query of open_job */
	struct arena arena;
} world;

static struct bytes copy(const void *data, size_t size)
{
	struct bytes bytes = {memory_alloc(size + 1), size};

	memcpy(bytes.data, data, size);
	return bytes;
}

/* --- the transport -----------------------------------------------------------------------------*/

static int do_nothing(struct transport *transport, struct error *err)
{
	(void)transport;
	(void)err;
	return 0;
}

static int follow(
	struct transport *transport, const struct transport_mark *after, struct error *err)
{
	(void)after;
	return do_nothing(transport, err);
}

static int consume(struct transport *transport, const char *queue, uint32_t prefetch,
	bool exclusive, struct error *err)
{
	(void)queue;
	(void)prefetch;
	(void)exclusive;
	return do_nothing(transport, err);
}

static int publish(struct transport *transport, const char *queue, const void *bytes, size_t size,
	uint64_t id, struct error *err)
{
	struct flow_message message;

	(void)id;
	assert_int_equal(flow_message_decode(bytes, size, &message, err), 0);
	world.published++;
	world.busy += message.kind == FLOW_BUSY;
	if (message.kind == FLOW_PROBE) {
		world.probe = message;
		world.is_far = strcmp(queue, ROLE_QUEUE_WORK) == 0;
	}
	return do_nothing(transport, err);
}

static int append(
	struct transport *transport, const void *bytes, size_t size, uint64_t id, struct error *err)
{
	(void)id;
	assert_true(world.entry_count < ENTRIES_MAX);
	world.entries[world.entry_count++] = copy(bytes, size);
	return do_nothing(transport, err);
}

static void ack(struct transport *transport, uint64_t tag)
{
	(void)transport;
	assert_true(world.acked_count < TAGS_MAX);
	world.acked[world.acked_count++] = tag;
}

static void replace_log(struct transport *transport)
{
	(void)transport;
	world.replaced++;
}

static size_t backlog(const struct transport *transport)
{
	(void)transport;
	return 0;
}

static const struct transport_ops transport_ops = {
	.follow = follow,
	.consume = consume,
	.publish = publish,
	.append = append,
	.replace_log = replace_log,
	.ack = ack,
	.backlog = backlog,
};

/* The role reads the log. */
static void read_log_up_to(uint32_t count)
{
	const struct transport_handler *handler = &world.transport.handler;

	while (world.told_count < count) {
		struct bytes *entry = &world.entries[world.told_count];

		handler->on_log(handler->context, world.told_count++, entry->data, entry->size);
	}
}

static void take_place(void)
{
	world.transport.handler.on_placed(world.transport.handler.context);
}

static void read_log(void)
{
	/* What it appends while it does so is read, too. */
	while (world.told_count < world.entry_count)
		read_log_up_to(world.entry_count);
}

/* Another node was faster. */
static void swap_last_entries(void)
{
	struct bytes *last = &world.entries[world.entry_count - 1];
	struct bytes other = last[-1];

	last[-1] = *last;
	*last = other;
}

static void append_event(const struct flow_event *event)
{
	struct buf bytes;
	struct error err;

	buf_init(&bytes, PLAN_BYTES_MAX);
	flow_event_encode(event, &bytes);
	assert_int_equal(append(&world.transport, bytes.data, bytes.size, 0, &err), 0);
	buf_release(&bytes);
}

/* The last entry of the log that is about a job. */
static struct flow_event last_event(void)
{
	struct flow_event event;
	struct error err;

	assert_true(world.entry_count > 0);
	assert_int_equal(flow_event_decode(world.entries[world.entry_count - 1].data,
				 world.entries[world.entry_count - 1].size, &event, &err),
		0);
	return event;
}

static bool was_acked(uint64_t tag)
{
	for (uint32_t i = 0; i < world.acked_count; i++)
		if (world.acked[i] == tag)
			return true;
	return false;
}

/* --- the client --------------------------------------------------------------------------------*/

static void port_send(struct wire_port *port, uint64_t connection, const void *bytes, size_t size)
{
	(void)port;
	(void)connection;
	assert_true(world.frame_count < FRAMES_MAX);
	world.frames[world.frame_count++] = copy(bytes, size);
}

static void port_drop(struct wire_port *port, uint64_t connection)
{
	(void)port;
	(void)connection;
	world.dropped = true;
}

static void forget_frames(void)
{
	while (world.frame_count > 0)
		free(world.frames[--world.frame_count].data);
}

static void client_sends(const struct wire_message *message)
{
	struct buf frame;

	buf_init(&frame, WIRE_FRAME_MAX);
	wire_encode(message, &frame);
	world.role->ops->on_client(world.role, CLIENT, (const uint8_t *)frame.data, frame.size);
	buf_release(&frame);
}

static struct wire_message frame_at(uint32_t index)
{
	struct wire_message message;
	struct error err;

	assert_true(index < world.frame_count);
	assert_int_equal(wire_decode(world.frames[index].data, world.frames[index].size,
				 &world.arena, &message, &err),
		0);
	return message;
}

static void client_says_hello(const char *token)
{
	struct wire_message hello = {
		.type = WIRE_HELLO, .hello = {.version = WIRE_VERSION, .token = token}};

	world.dropped = false;
	forget_frames();
	world.role->ops->on_client_open(world.role, CLIENT, CLIENT);
	client_sends(&hello);
}

static void client_requests(uint64_t job)
{
	struct wire_query_text query = {.name = "q", .title = "", .text = QUERY};
	uint64_t bytes = 0;
	struct wire_message request = {.type = WIRE_REQUEST,
		.request = {.job = job,
			.secret = secret_of_requests,
			.schema = SCHEMA,
			.table_count = 1,
			.table_bytes = &bytes,
			.query_count = 1,
			.queries = &query}};

	client_sends(&request);
}

/* --- the world ---------------------------------------------------------------------------------*/

static uint64_t clock_now(void *clock)
{
	(void)clock;
	return world.now_ms;
}

static void begin_log(uint64_t generation)
{
	struct flow_event begun = {.kind = FLOW_BEGUN, .generation = generation, .id = 7};

	append_event(&begun);
}

static int start(void **state)
{
	(void)state;
	memset(&world, 0, sizeof(world));
	world.transport.ops = &transport_ops;
	world.port = (struct wire_port){.send = port_send, .drop = port_drop};
	world.store = disk_sim_new();
	world.disk = disk_sim_open(world.store);
	arena_init(&world.arena, 64u << 10);
	rng_init(&world.rng, 1);
	world.env = (struct role_env){
		.transport = &world.transport,
		.disk = world.disk,
		.rng = &world.rng,
		.now_ms = clock_now,
		.cluster = {.reducers = 1, .gateways = 1, .job_ttl_ms = 1000000},
	};
	begin_log(1);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	if (world.role)
		world.role->ops->free(world.role);
	forget_frames();
	while (world.entry_count > 0)
		free(world.entries[--world.entry_count].data);
	arena_release(&world.arena);
	disk_sim_close(world.disk);
	disk_sim_free(world.store);
	return 0;
}

static void start_reducer(void)
{
	struct error err;

	assert_int_equal(reducer_new(&world.role, &world.env, 0, &err), 0);
	take_place();
	read_log();
}

static void start_gateway(void)
{
	struct error err;

	assert_int_equal(gateway_new(&world.role, &world.env, 0, &world.port, &err), 0);
	take_place();
	read_log();
}

static void open_job_in_log(uint64_t job)
{
	struct sql_text query = {.name = "q", .title = "", .text = QUERY};
	struct flow_event event = {.kind = FLOW_OPENED,
		.generation = 1,
		.job = job,
		.engine = FLOW_ENGINE,
		.secret_hash = sha256(secret.bytes, WIRE_SECRET_SIZE),
		.reducers = 1,
		.on_filters = world.with_filters};
	struct catalog catalog;
	struct plan *plan;
	struct buf bytes;
	struct error err;

	buf_init(&bytes, PLAN_BYTES_MAX);
	assert_int_equal(sql_schema("schema", SCHEMA, &world.arena, &catalog, &err), 0);
	assert_int_equal(sql_compile(&catalog, &query, 1, &world.arena, &plan, &err), 0);
	assert_int_equal(plan_encode(plan, &catalog, &bytes, &err), 0);
	event.plan = (const uint8_t *)bytes.data;
	event.plan_size = bytes.size;
	append_event(&event);
	buf_release(&bytes);
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		if (plan->fragments[f].query == 0)
			world.result = flow_stream_fragment(f, 0);
}

static void open_job(uint64_t job)
{
	open_job_in_log(job);
	read_log();
}

/* --- messages that were tried too often ----------------------------------------------------------
 */

static void bury(const struct flow_message *message, uint64_t tag)
{
	const struct transport_handler *handler = &world.transport.handler;
	struct transport_delivery delivery = {.tag = tag, .attempt = 20};
	struct buf bytes;

	buf_init(&bytes, 1u << 20);
	flow_message_encode(message, &bytes);
	delivery.bytes = (const uint8_t *)bytes.data;
	delivery.size = bytes.size;
	assert_non_null(handler->on_dead);
	handler->on_dead(handler->context, &delivery);
	buf_release(&bytes);
}

static void check_dead_packet(void)
{
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = 1, .job = JOB, .number = 1};
	struct flow_event touched = {.kind = FLOW_TOUCHED, .job = JOB};
	struct flow_event event;

	open_job(JOB);
	bury(&packet, 5);
	event = last_event();
	assert_int_equal(event.kind, FLOW_FAILED);
	assert_int_equal(event.job, JOB);
	assert_non_null(strstr((const char *)event.message, "delivered 20 times"));
	/* Not before everyone knows: if we die now it comes again, and says so again. */
	assert_false(was_acked(5));
	/* Another entry about the job is not that. */
	append_event(&touched);
	swap_last_entries();
	read_log_up_to(world.entry_count - 1);
	assert_false(was_acked(5));
	read_log();
	assert_true(was_acked(5));
	/* One more of the same job harms nobody. */
	bury(&packet, 6);
	assert_true(was_acked(6));
	assert_int_equal(world.told_count, world.entry_count);
}

static void dead_packet_fails_its_job(void **state)
{
	(void)state;
	start_reducer();
	check_dead_packet();
}

static void dead_result_fails_its_job(void **state)
{
	(void)state;
	start_gateway();
	check_dead_packet();
}

static void dead_message_without_a_job(void **state)
{
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = 1, .job = JOB + 1, .number = 1};
	struct flow_message wanted = {
		.kind = FLOW_WANTED, .generation = 1, .job = JOB, .query = PLAN_NONE};
	uint32_t entries;

	(void)state;
	start_reducer();
	open_job(JOB);
	entries = world.entry_count;
	bury(&packet, 5);
	bury(&wanted, 6);
	assert_true(was_acked(5) && was_acked(6));
	assert_int_equal(world.entry_count, entries);
}

/* --- who may ask ---------------------------------------------------------------------------------
 */

static void tick(uint64_t ms);

static void check_turned_away(const char *token, const char *why)
{
	struct wire_message answer;

	client_says_hello(token);
	/* Whatever else it has sent is not heard, and the answer comes late. */
	client_requests(JOB);
	tick(999);
	assert_int_equal(world.frame_count, 0);
	assert_false(world.dropped);
	tick(1);
	assert_int_equal(world.frame_count, 1);
	answer = frame_at(0);
	assert_int_equal(answer.type, WIRE_ERROR);
	assert_int_equal(answer.error.class, WIRE_ERROR_CONNECTION);
	assert_int_equal(answer.error.code, ERROR_USAGE);
	assert_non_null(strstr(answer.error.text, why));
	assert_true(world.dropped);
	client_requests(JOB);
	assert_int_equal(world.frame_count, 1);
}

static void clients_need_the_token(void **state)
{
	(void)state;
	world.env.cluster.token = "hush";
	start_gateway();
	check_turned_away("", "asks for a token");
	check_turned_away("hus", "not the cluster's token");
	check_turned_away("hush!", "not the cluster's token");
	check_turned_away("hushhush", "not the cluster's token");
	client_says_hello("hush");
	assert_false(world.dropped);
	assert_int_equal(frame_at(0).type, WIRE_HELLO);
	assert_string_equal(frame_at(0).hello.token, "");
}

static void without_a_token_all_are_welcome(void **state)
{
	(void)state;
	world.env.cluster.token = "";
	start_gateway();
	client_says_hello("whatever");
	assert_false(world.dropped);
	assert_int_equal(frame_at(0).type, WIRE_HELLO);
}

/* --- how much at a time --------------------------------------------------------------------------
 */

static void deliver(const struct flow_message *packet, uint32_t exchange, uint64_t tag, size_t size)
{
	const struct transport_handler *handler = &world.transport.handler;
	uint32_t section[2] = {exchange, (uint32_t)size};
	struct transport_delivery delivery = {.tag = tag};
	char *data = memory_zalloc(size + 1);
	struct buf bytes;

	buf_init(&bytes, TRANSPORT_MESSAGE_MAX);
	flow_message_encode(packet, &bytes);
	buf_append(&bytes, section, sizeof(section));
	buf_append(&bytes, data, size);
	delivery.bytes = (const uint8_t *)bytes.data;
	delivery.size = bytes.size;
	handler->on_delivery(handler->context, &delivery);
	buf_release(&bytes);
	free(data);
}

static void deliver_result(uint32_t number, size_t size)
{
	struct flow_message packet = {.kind = FLOW_PACKET,
		.generation = 1,
		.job = JOB,
		.stream = world.result,
		.number = number};

	deliver(&packet, FLOW_RESULT, number, size);
}

/* How many RESULT messages answer a question for the result from that chunk on; their end. */
static uint32_t ask_results(uint32_t first, bool *ended)
{
	struct wire_message ask = {.type = WIRE_RESULTS,
		.results = {.job = JOB, .secret = secret, .query = 0, .first_chunk = first}};
	uint32_t count = 0;

	forget_frames();
	client_sends(&ask);
	assert_int_equal(frame_at(0).type, WIRE_READY);
	*ended = frame_at(world.frame_count - 1).type == WIRE_RESULT_END;
	for (uint32_t i = 1; i < world.frame_count - *ended; i++) {
		assert_int_equal(frame_at(i).type, WIRE_RESULT);
		assert_int_equal(frame_at(i).result.chunk, first + count++);
	}
	return count;
}

/* Whoever knows a job's id alone cannot do anything with it; a secret of zeros is none. */
static void strangers_have_no_job(void **state)
{
	static const struct wire_secret others[] = {{{0}}, {{1, 2, 3, 0, 0, 0, 0, 1}}, {{2, 2, 3}}};
	struct wire_query_text query = {"q", "", QUERY};
	struct wire_message messages[] = {
		{.type = WIRE_RESUME, .resume = {.job = JOB}},
		{.type = WIRE_BATCH, .batch = {.id = 1, .job = JOB, .chunk = 1}},
		{.type = WIRE_END_TABLE, .end_table = {.id = 1, .job = JOB}},
		{.type = WIRE_END, .end = {.id = 1, .job = JOB}},
		{.type = WIRE_RESULTS, .results = {.job = JOB, .first_chunk = 1}},
		{.type = WIRE_CANCEL, .cancel = {.id = 1, .job = JOB}},
		{.type = WIRE_REQUEST,
			.request = {.job = JOB,
				.schema = SCHEMA,
				.query_count = 1,
				.queries = &query}},
	};
	struct wire_secret *shown[] = {&messages[0].resume.secret, &messages[1].batch.secret,
		&messages[2].end_table.secret, &messages[3].end.secret, &messages[4].results.secret,
		&messages[5].cancel.secret, &messages[6].request.secret};
	uint32_t entries;

	(void)state;
	start_gateway();
	open_job(JOB);
	entries = world.entry_count;
	for (uint32_t i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		for (uint32_t o = 0; o < sizeof(others) / sizeof(*others); o++) {
			*shown[i] = others[o];
			client_says_hello("");
			client_sends(&messages[i]);
			assert_int_equal(world.frame_count, 2);
			assert_int_equal(frame_at(1).type, WIRE_ERROR);
			assert_int_equal(frame_at(1).error.class, WIRE_ERROR_CONNECTION);
			assert_non_null(strstr(frame_at(1).error.text, "secret"));
			assert_true(world.dropped);
		}
	assert_int_equal(world.entry_count, entries); /* not even touched */
	client_says_hello("");
	*shown[0] = secret;
	client_sends(&messages[0]);
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ACK);
}

/* Two clients draw one name at the same moment: it is whose entry comes first. */
static void a_name_that_was_just_taken(void **state)
{
	(void)state;
	start_gateway();
	client_says_hello("");
	open_job_in_log(JOB);
	secret_of_requests.bytes[0]++;
	client_requests(JOB);
	assert_int_equal(world.frame_count, 1);
	read_log();
	secret_of_requests.bytes[0]--;
	assert_int_equal(frame_at(1).type, WIRE_ERROR);
	assert_int_equal(frame_at(1).error.class, WIRE_ERROR_CONNECTION);
	assert_true(world.dropped);
}

static void results_come_in_portions(void **state)
{
	enum { SMALL = 20, LARGE = 4, TOTAL = SMALL + LARGE };
	struct flow_event closed = {.kind = FLOW_CLOSED, .job = JOB, .total = TOTAL};
	bool ended;

	(void)state;
	start_gateway();
	open_job(JOB);
	closed.stream = world.result;
	for (uint32_t number = 1; number <= TOTAL; number++)
		deliver_result(number, number <= SMALL ? 1000 : WIRE_RESULTS_BYTES - 1);
	append_event(&closed);
	read_log();
	client_says_hello("");
	assert_int_equal(ask_results(1, &ended), WIRE_RESULTS_MAX);
	assert_false(ended);
	/* Four small ones, and two that are a byte short of a portion each. */
	assert_int_equal(ask_results(17, &ended), 5);
	assert_false(ended);
	assert_int_equal(ask_results(22, &ended), 2);
	assert_false(ended);
	assert_int_equal(ask_results(24, &ended), 1);
	assert_true(ended);
}

/* --- how many jobs -------------------------------------------------------------------------------
 */

/* Whether the gateway has told the client to come back later with that job. */
static bool was_sent_away(uint64_t job)
{
	for (uint32_t i = 0; i < world.frame_count; i++) {
		struct wire_message message = frame_at(i);

		if (message.type != WIRE_ERROR || message.error.job != job)
			continue;
		assert_int_equal(message.error.class, WIRE_ERROR_RETRY);
		assert_int_equal(message.error.code, ERROR_LIMIT);
		assert_non_null(strstr(message.error.text, "jobs_max = 2"));
		return true;
	}
	return false;
}

static void jobs_at_the_same_moment(void **state)
{
	struct flow_event failed = {.kind = FLOW_FAILED, .job = 1, .code = ERROR_EVAL};

	(void)state;
	world.env.cluster.jobs_max = 2;
	start_gateway();
	client_says_hello("");
	/* It knows of none when it takes them. */
	for (uint64_t job = 1; job <= 4; job++)
		client_requests(job);
	read_log();
	assert_false(was_sent_away(1) || was_sent_away(2));
	assert_true(was_sent_away(3) && was_sent_away(4));
	/* And now it knows without the log. */
	forget_frames();
	client_requests(3);
	assert_true(was_sent_away(3));
	forget_frames();
	append_event(&failed);
	read_log();
	client_requests(3);
	read_log();
	assert_false(was_sent_away(3));
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ACK);
}

/* --- how much on a disk --------------------------------------------------------------------------
 */

static void deliver_packet(uint64_t job, uint32_t number, size_t size)
{
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = 1, .job = job, .number = number};

	deliver(&packet, 0, 100 + number, size);
}

static void tick(uint64_t ms)
{
	world.now_ms += ms;
	world.role->ops->on_tick(world.role);
}

static void a_disk_has_its_limit(void **state)
{
	struct flow_event event;
	struct error err;
	uint64_t used;

	(void)state;
	world.env.cluster.disk_max = 100000;
	assert_int_equal(collector_new(&world.role, &world.env, &err), 0);
	take_place();
	read_log();
	open_job(JOB);
	/* Early ones, which only the journal takes. */
	deliver_packet(JOB, 3, 60000);
	tick(100);
	assert_true(was_acked(103));
	assert_int_equal(disk_used(world.disk, &used, &err), 0);
	assert_true(used > 60000 && used < 61000);
	deliver_packet(JOB, 4, 60000);
	event = last_event();
	assert_int_equal(event.kind, FLOW_FAILED);
	assert_int_equal(event.code, ERROR_LIMIT);
	assert_non_null(strstr(event.message, "KB of jobs on its disk"));
	assert_non_null(strstr(event.message, "disk_max is 97.7 KB"));
	assert_false(was_acked(104));
	read_log();
	assert_true(was_acked(104));
	/* Its files are gone, and there is room for another. */
	open_job(JOB + 1);
	tick(100);
	deliver_packet(JOB + 1, 5, 60000);
	tick(100);
	assert_true(was_acked(105));
	assert_false(world.role->stopped);
}

static void a_full_gateway_takes_no_jobs(void **state)
{
	struct disk_file *file;
	struct disk_piece piece = {"12345678901234567890", 20};
	struct error err;

	(void)state;
	world.env.cluster.disk_max = 94;
	start_gateway();
	client_says_hello("");
	client_requests(1);
	read_log();
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ACK);
	assert_int_equal(disk_open(world.disk, "result-1/segment", true, &file, &err), 0);
	assert_int_equal(disk_write(file, 0, &piece, 1, &err), 0);
	disk_close(file);
	world.now_ms += 10000;
	client_requests(2);
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ERROR);
	assert_int_equal(frame_at(world.frame_count - 1).error.class, WIRE_ERROR_RETRY);
	assert_non_null(strstr(frame_at(world.frame_count - 1).error.text, "gateway 0 has"));
}

/* Whether a client with that job is told to come back later, now. */
static bool is_refused(uint64_t job)
{
	struct wire_message answer;

	read_log();
	forget_frames();
	client_requests(job);
	read_log();
	answer = frame_at(world.frame_count - 1);
	if (answer.type == WIRE_ACK)
		return false;
	assert_int_equal(answer.type, WIRE_ERROR);
	assert_non_null(strstr(answer.error.text, "nearly full"));
	return true;
}

/* That a disk is nearly full counts until there is room, and not for a time after it. */
static void a_node_says_that_there_is_room_again(void **state)
{
	static const char ballast[990000];
	struct error err;

	(void)state;
	disk_sim_set_capacity(world.store, 1000000);
	start_gateway();
	client_says_hello("");
	disk_sim_put(world.store, "ballast", ballast, sizeof(ballast));
	tick(1000);
	assert_true(is_refused(1));
	assert_int_equal(disk_remove(world.disk, "ballast", &err), 0);
	/* It is not said at once: a disk may be full again a moment later. */
	tick(1000);
	assert_true(is_refused(1));
	for (uint32_t i = 0; i < 5; i++)
		tick(1000);
	assert_false(is_refused(1));
	for (uint32_t told = world.entry_count, i = 0; i < 20; i++) {
		tick(1000);
		assert_int_equal(world.entry_count, told);
	}
	/* The next time it is said at once. */
	disk_sim_put(world.store, "ballast", ballast, sizeof(ballast));
	tick(1000);
	assert_true(is_refused(2));
}

static void a_disk_that_is_full_loses_nothing(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(collector_new(&world.role, &world.env, &err), 0);
	take_place();
	read_log();
	open_job(JOB);
	disk_sim_set_capacity(world.store, disk_sim_bytes(world.store) + 1000);
	/* The first waits for its sync, the second is too large to be kept in memory beside it. */
	deliver_packet(JOB, 3, 5u << 20);
	deliver_packet(JOB, 4, 5u << 20);
	for (uint32_t i = 0; i < 5; i++)
		tick(100);
	assert_false(was_acked(103) || was_acked(104));
	assert_false(world.role->stopped);
	disk_sim_set_capacity(world.store, UINT64_MAX);
	for (uint32_t i = 0; i < 5; i++)
		tick(100);
	assert_true(was_acked(103) && was_acked(104));
}

/* --- generations of the log ----------------------------------------------------------------------
 */

static void deliver_of_generation(uint64_t job, uint64_t generation, uint64_t tag)
{
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = generation, .job = job, .number = 1};
	struct transport_delivery delivery = {.tag = tag};
	struct buf bytes;

	buf_init(&bytes, 1000);
	flow_message_encode(&packet, &bytes);
	delivery.bytes = (const uint8_t *)bytes.data;
	delivery.size = bytes.size;
	world.transport.handler.on_delivery(world.transport.handler.context, &delivery);
	buf_release(&bytes);
}

static void packets_of_earlier_generations_are_dropped(void **state)
{
	(void)state;
	begin_log(5);
	start_reducer();
	deliver_of_generation(JOB, 4, 1);
	deliver_of_generation(JOB, 5, 2);
	deliver_of_generation(JOB, 6, 3);
	tick(100);
	assert_true(was_acked(1));
	assert_false(was_acked(2) || was_acked(3));
}

static void a_job_of_an_earlier_generation_is_not_opened(void **state)
{
	(void)state;
	begin_log(2);
	open_job_in_log(JOB);
	start_reducer();
	deliver_of_generation(JOB, 1, 1);
	tick(100);
	assert_true(was_acked(1));
}

/* Whoever is not the collector waits for it. */
static void a_log_that_was_not_begun(void **state)
{
	(void)state;
	free(world.entries[--world.entry_count].data);
	start_reducer();
	assert_false(world.role->ready);
	begin_log(1);
	read_log();
	assert_true(world.role->ready);
}

static void start_collector(void)
{
	struct error err;

	assert_int_equal(collector_new(&world.role, &world.env, &err), 0);
	take_place();
	read_log();
}

static void the_collector_begins_the_log(void **state)
{
	struct flow_event begun;

	(void)state;
	free(world.entries[--world.entry_count].data);
	start_collector();
	assert_true(world.role->ready);
	begun = last_event();
	assert_int_equal(begun.kind, FLOW_BEGUN);
	assert_int_equal(begun.generation, 1);
}

/* What the collector does when the log is lost, or when somebody doubts it. */
static void check_replacement(uint64_t generation)
{
	struct flow_event ended, begun;
	struct error err;
	uint32_t before;

	assert_int_equal(world.replaced, 1);
	assert_false(world.role->ready);
	before = world.told_count = world.entry_count;
	world.transport.handler.on_log_replaced(world.transport.handler.context);
	assert_int_equal(world.entry_count, before + 2);
	assert_int_equal(flow_event_decode(world.entries[before].data, world.entries[before].size,
				 &ended, &err),
		0);
	assert_int_equal(ended.kind, FLOW_ENDED);
	assert_int_equal(ended.job, JOB);
	assert_int_equal(ended.code, ERROR_LOST);
	begun = last_event();
	assert_int_equal(begun.kind, FLOW_BEGUN);
	assert_int_equal(begun.generation, generation);
	assert_false(world.role->stopped);
	read_log();
	/* It starts again with it, like everyone. */
	assert_true(world.role->stopped);
}

static void a_lost_log_is_replaced(void **state)
{
	(void)state;
	open_job_in_log(JOB);
	start_collector();
	assert_true(world.role->ready);
	world.transport.handler.on_log_lost(world.transport.handler.context);
	check_replacement(2);
}

/* Once more, while it is begun anew: nothing of it comes any more. */
static void a_log_that_is_lost_twice(void **state)
{
	const struct transport_handler *handler = &world.transport.handler;

	(void)state;
	start_collector();
	handler->on_log_lost(handler->context);
	/* The one that is being replaced already. */
	handler->on_log_lost(handler->context);
	assert_false(world.role->stopped);
	world.told_count = world.entry_count;
	handler->on_log_replaced(handler->context);
	assert_int_equal(last_event().generation, 2);
	handler->on_log_lost(handler->context);
	assert_true(world.role->stopped);
	/* What it had begun is gone; what it knew before is still in its copy, and is not there either. */
	world.role->ops->free(world.role);
	while (world.entry_count > 0)
		free(world.entries[--world.entry_count].data);
	world.told_count = 0;
	begin_log(1);
	start_collector();
	assert_int_equal(world.replaced, 2);
	handler->on_log_replaced(handler->context);
	assert_int_equal(last_event().kind, FLOW_BEGUN);
	assert_int_equal(last_event().generation, 3);
}

static void a_doubted_log_is_replaced(void **state)
{
	struct flow_event doubted = {.kind = FLOW_DOUBTED};

	(void)state;
	open_job_in_log(JOB);
	start_collector();
	append_event(&doubted);
	read_log();
	assert_int_equal(world.replaced, 0);
	doubted.generation = 5;
	append_event(&doubted);
	read_log();
	check_replacement(6);
}

/* A node that has read more than there is says so when it starts again, and waits. */
static void a_node_doubts_the_log(void **state)
{
	struct flow_event doubted;

	(void)state;
	start_reducer();
	assert_true(world.role->ready);
	world.transport.handler.on_log_lost(world.transport.handler.context);
	assert_true(world.role->stopped);
	world.role->ops->free(world.role);
	world.told_count = 0;
	start_reducer();
	doubted = last_event();
	assert_int_equal(doubted.kind, FLOW_DOUBTED);
	assert_int_equal(doubted.generation, 1);
	assert_false(world.role->ready);
	/* Until there is another. */
	world.role->ops->free(world.role);
	world.told_count = 0;
	begin_log(2);
	start_reducer();
	assert_true(world.role->ready);
}

/* --- results that the disk does not give --------------------------------------------------------
 */

#define RESULT_SEGMENT "result-1122334455667788/segment-00000001"

/* Two packets on the disk, and behind them what was being written when the power was lost. */
static void put_results(void)
{
	static const struct journal_options options = {0};
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = 1, .job = JOB, .stream = world.result};
	struct journal *journal;
	journal_position position;
	const char *segment;
	struct buf bytes;
	struct error err;
	size_t size;

	assert_int_equal(journal_open(&journal, world.disk, "result-1122334455667788", &options,
				 NULL, NULL, &err),
		0);
	buf_init(&bytes, 1u << 20);
	for (packet.number = 1; packet.number <= 2; packet.number++) {
		struct disk_piece piece;

		buf_clear(&bytes);
		flow_message_encode(&packet, &bytes);
		piece = (struct disk_piece){bytes.data, bytes.size};
		assert_int_equal(journal_append(journal, &piece, 1, &position, &err), 0);
		assert_int_equal(journal_sync(journal, &err), 0);
	}
	journal_close(journal);
	segment = disk_sim_get(world.store, RESULT_SEGMENT, &size);
	assert_non_null(segment);
	buf_clear(&bytes);
	buf_append(&bytes, segment, size);
	buf_append(&bytes, "torn", 4);
	disk_sim_put(world.store, RESULT_SEGMENT, bytes.data, bytes.size);
	buf_release(&bytes);
}

/* A collector whose job is done, with its results. */
static void start_done_collector(void)
{
	struct flow_event closed = {.kind = FLOW_CLOSED, .job = JOB, .total = 2};

	open_job_in_log(JOB);
	put_results();
	closed.stream = world.result;
	append_event(&closed);
	start_collector();
	assert_true(world.role->ready);
}

static void deliver_wish(uint64_t tag)
{
	struct flow_message wanted = {
		.kind = FLOW_WANTED, .generation = 1, .job = JOB, .query = PLAN_NONE};
	struct transport_delivery delivery = {.tag = tag};
	struct buf bytes;

	buf_init(&bytes, 1u << 20);
	flow_message_encode(&wanted, &bytes);
	delivery.bytes = (const uint8_t *)bytes.data;
	delivery.size = bytes.size;
	world.transport.handler.on_delivery(world.transport.handler.context, &delivery);
	buf_release(&bytes);
	assert_true(was_acked(tag));
}

static void results_survive_an_error_of_the_disk(void **state)
{
	(void)state;
	start_done_collector();
	disk_sim_fail_after(world.store, 1, DISK_SIM_ERROR_ONCE);
	deliver_wish(1);
	assert_true(disk_sim_failed(world.store));
	assert_int_not_equal(last_event().kind, FLOW_LOST);
	assert_int_equal(world.published, 0);
	deliver_wish(2);
	assert_int_equal(world.published, 2);
	assert_int_not_equal(last_event().kind, FLOW_LOST);
}

/* A sector that nobody can read any more. */
static void results_that_stay_unreadable_are_lost(void **state)
{
	uint64_t tag = 1;

	(void)state;
	start_done_collector();
	disk_sim_fail_after(world.store, 1, DISK_SIM_ERROR_STUCK);
	while (world.now_ms < 59000) {
		deliver_wish(tag++);
		assert_int_not_equal(last_event().kind, FLOW_LOST);
		tick(1000);
	}
	for (int i = 0; i < 2; i++)
		tick(1000);
	deliver_wish(tag);
	assert_int_equal(last_event().kind, FLOW_LOST);
}

static void damaged_results_are_lost(void **state)
{
	char *damaged;
	const char *segment;
	size_t size;

	(void)state;
	start_done_collector();
	segment = disk_sim_get(world.store, RESULT_SEGMENT, &size);
	damaged = memory_alloc(size);
	memcpy(damaged, segment, size);
	damaged[size / 3] ^= 1;
	disk_sim_put(world.store, RESULT_SEGMENT, damaged, size);
	free(damaged);
	deliver_wish(1);
	assert_int_equal(last_event().kind, FLOW_LOST);
}

static void missing_results_are_lost(void **state)
{
	struct error err;

	(void)state;
	start_done_collector();
	assert_int_equal(disk_remove(world.disk, RESULT_SEGMENT, &err), 0);
	deliver_wish(1);
	assert_int_equal(last_event().kind, FLOW_LOST);
}

/* --- whose place it is ---------------------------------------------------------------------------
 */

static void a_second_process_says_nothing(void **state)
{
	struct error err;

	(void)state;
	assert_int_equal(collector_new(&world.role, &world.env, &err), 0);
	tick(100);
	/* Its disk is not the one that the log knows: the jobs of the first process would fail. */
	assert_int_equal(world.entry_count, 1);
	world.transport.handler.on_lost(world.transport.handler.context);
	assert_true(world.role->stopped);
	assert_int_equal(world.role->reason.code, ERROR_FENCED);
}

static void early_deliveries_are_held(void **state)
{
	struct error err;

	(void)state;
	open_job_in_log(JOB);
	assert_int_equal(collector_new(&world.role, &world.env, &err), 0);
	take_place();
	deliver_packet(JOB, 3, 1000);
	tick(100);
	assert_false(was_acked(103));
	read_log();
	tick(100);
	assert_true(was_acked(103));
}

/* The folder of a job has the journal of another one: somebody moved files. */
static void a_foreign_journal_fails_its_job(void **state)
{
	static const struct journal_options options = {0};
	struct flow_message packet = {
		.kind = FLOW_PACKET, .generation = 1, .job = JOB + 1, .number = 1};
	struct disk_piece piece;
	struct journal *journal;
	journal_position position;
	struct buf bytes;
	struct error err;
	char folder[64];

	(void)state;
	buf_init(&bytes, 1u << 20);
	flow_message_encode(&packet, &bytes);
	piece = (struct disk_piece){bytes.data, bytes.size};
	snprintf(folder, sizeof(folder), "job-%016llx", JOB);
	assert_int_equal(journal_open(&journal, world.disk, folder, &options, NULL, NULL, &err), 0);
	assert_int_equal(journal_append(journal, &piece, 1, &position, &err), 0);
	assert_int_equal(journal_sync(journal, &err), 0);
	journal_close(journal);
	buf_release(&bytes);
	open_job_in_log(JOB);
	start_reducer();
	assert_int_equal(last_event().kind, FLOW_FAILED);
	assert_non_null(strstr(last_event().message, "is damaged"));
	assert_false(world.role->stopped);
}

/* --- what never comes ----------------------------------------------------------------------------
 */

static void deliver_bare(const struct flow_message *message, const char *body, uint64_t tag)
{
	const struct transport_handler *handler = &world.transport.handler;
	struct transport_delivery delivery = {.tag = tag};
	struct buf bytes;

	buf_init(&bytes, TRANSPORT_MESSAGE_MAX);
	flow_message_encode(message, &bytes);
	buf_append_text(&bytes, body);
	delivery.bytes = (const uint8_t *)bytes.data;
	delivery.size = bytes.size;
	handler->on_delivery(handler->context, &delivery);
	buf_release(&bytes);
}

/* One after the other: a process that slept does not count all of it. */
static void tick_seconds(uint32_t seconds)
{
	while (seconds-- > 0)
		tick(1000);
}

/* Its copy rests, and a disk loses it, or only its end: a journal without its last record is a journal. */
static void what_a_gateway_has_lost_comes_again(void **state)
{
	struct flow_event closed = {.kind = FLOW_CLOSED, .job = JOB, .total = 2};
	struct wire_message ask = {.type = WIRE_RESULTS,
		.results = {.job = JOB, .secret = secret, .query = 0, .first_chunk = 1}};
	struct error err;
	bool ended;

	(void)state;
	start_gateway();
	open_job(JOB);
	closed.stream = world.result;
	deliver_result(1, 1000);
	deliver_result(2, 1000);
	append_event(&closed);
	read_log();
	client_says_hello("");
	assert_int_equal(ask_results(1, &ended), 2);
	tick_seconds(10);
	assert_int_equal(disk_remove(world.disk, RESULT_SEGMENT, &err), 0);
	client_sends(&ask);
	deliver_result(1, 1000);
	deliver_result(2, 1000);
	assert_int_equal(ask_results(1, &ended), 2);
	assert_true(ended);
}

static void never_start(struct work_runner *runner, struct work *work)
{
	(void)runner;
	(void)work;
}

/* One at work on a chunk that takes for ever passes probes on, and says that it is at work. */
static void a_filter_says_what_takes_long(void **state)
{
	static const struct work_runner_ops ops = {.submit = never_start, .cancel = never_start};
	static struct work_runner never = {&ops};
	struct flow_message chunk = {.kind = FLOW_CHUNK, .generation = 1, .job = JOB, .number = 1};
	struct flow_message probe = {.kind = FLOW_PROBE, .job = 77, .number = 1};
	struct flow_event failed = {
		.kind = FLOW_FAILED, .job = JOB, .code = ERROR_EVAL, .message = ""};
	struct error err;

	(void)state;
	world.env.runner = &never;
	assert_int_equal(filter_new(&world.role, &world.env, &err), 0);
	take_place();
	read_log();
	open_job(JOB);
	deliver_bare(&chunk, "n\n1\n", 1);
	deliver_bare(&probe, "", 2);
	assert_int_equal(world.probe.job, 77);
	assert_true(was_acked(2));
	tick_seconds(19);
	assert_int_equal(world.busy, 0);
	tick_seconds(1);
	/* The reducer and the collector. */
	assert_int_equal(world.busy, 2);
	tick_seconds(19);
	assert_int_equal(world.busy, 2);
	tick_seconds(1);
	assert_int_equal(world.busy, 4);
	append_event(&failed);
	read_log();
	tick_seconds(60);
	assert_int_equal(world.busy, 4);
	assert_false(was_acked(1));
}

static bool has_failed(void)
{
	return last_event().kind == FLOW_FAILED;
}

static void give_back_probe(void)
{
	struct flow_message probe = world.probe;

	world.probe = (struct flow_message){0};
	if (probe.kind == FLOW_PROBE)
		deliver_bare(&probe, "", 99);
}

/* Every probe comes back at once, as if the queues were empty. Whether the job has failed by then. */
static bool pass_seconds(uint32_t seconds)
{
	for (; seconds > 0 && !has_failed(); seconds--) {
		tick(1000);
		give_back_probe();
	}
	return has_failed();
}

static void miss_a_packet(bool with_filters)
{
	struct flow_event closed = {.kind = FLOW_CLOSED, .job = JOB, .total = 2};

	world.with_filters = with_filters;
	start_collector();
	open_job(JOB);
	append_event(&closed);
	read_log();
	deliver_packet(JOB, 1, 0);
}

static void what_nobody_has_is_missed_soon(void **state)
{
	(void)state;
	miss_a_packet(false);
	assert_false(pass_seconds(2));
	assert_true(pass_seconds(20));
	assert_non_null(strstr(last_event().message, "packet 2 of 2 of table t never came"));
}

/* A filter may have it in hand: its word counts, and only then the time. */
static void what_a_filter_has_is_waited_for(void **state)
{
	struct flow_message busy = {.kind = FLOW_BUSY, .generation = 1, .job = JOB};

	(void)state;
	miss_a_packet(true);
	assert_false(pass_seconds(80));
	deliver_bare(&busy, "", 50);
	assert_true(was_acked(50));
	assert_false(pass_seconds(85));
	assert_true(pass_seconds(20));
	assert_non_null(strstr(last_event().message, "packet 2 of 2 of table t never came"));
}

/* One that stood in the work queue for long is in somebody's hands when the first probe has come through. */
static void a_chunk_that_waited_long_is_not_missed_at_once(void **state)
{
	(void)state;
	miss_a_packet(true);
	for (tick(1000); !world.is_far; tick(1000))
		give_back_probe();
	/* The first one of those that go through the filters stands behind the chunk. */
	tick_seconds(25);
	give_back_probe();
	assert_false(pass_seconds(85));
	assert_true(pass_seconds(20));
}

/* --- queries that are compiled -------------------------------------------------------------------
 */

static struct work *submitted; /* the last one, which nobody has run */

static void hold(struct work_runner *runner, struct work *work)
{
	(void)runner;
	submitted = work;
}

static void run_submitted(void)
{
	submitted->ops->run(submitted);
	submitted->ops->done(submitted);
	submitted = NULL;
}

static void start_gateway_that_holds_work(void)
{
	static const struct work_runner_ops ops = {.submit = hold, .cancel = never_start};
	static struct work_runner holder = {&ops};

	submitted = NULL;
	world.env.runner = &holder;
	start_gateway();
	client_says_hello("");
	forget_frames();
}

/* However long it takes: others are heard meanwhile. */
static void a_query_is_compiled_beside_the_clients(void **state)
{
	struct wire_message health = {.type = WIRE_HEALTH};
	uint32_t entries;

	(void)state;
	start_gateway_that_holds_work();
	entries = world.entry_count;
	client_requests(JOB);
	assert_non_null(submitted);
	client_sends(&health);
	assert_int_equal(world.frame_count, 1);
	assert_int_equal(frame_at(0).type, WIRE_HEALTH);
	assert_int_equal(world.entry_count, entries);
	run_submitted();
	assert_int_equal(world.entry_count, entries + 1);
	assert_int_equal(last_event().kind, FLOW_OPENED);
	read_log();
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ACK);
}

static void nobody_waits_for_a_plan(void **state)
{
	uint32_t entries;

	(void)state;
	start_gateway_that_holds_work();
	entries = world.entry_count;
	client_requests(JOB);
	world.role->ops->on_client_closed(world.role, CLIENT);
	assert_true(atomic_load(&submitted->stop));
	run_submitted();
	assert_int_equal(world.entry_count, entries);
	assert_int_equal(world.frame_count, 0);
}

/* Another client, or the same one over another gateway, was faster. */
static void a_job_is_opened_while_its_query_is_compiled(void **state)
{
	uint32_t entries;

	(void)state;
	start_gateway_that_holds_work();
	client_requests(JOB);
	open_job(JOB);
	entries = world.entry_count;
	run_submitted();
	assert_int_equal(world.entry_count, entries);
	assert_int_equal(frame_at(world.frame_count - 1).type, WIRE_ACK);
}

static void two_requests_at_once(void **state)
{
	(void)state;
	start_gateway_that_holds_work();
	client_requests(JOB);
	client_requests(JOB + 1);
	assert_true(world.dropped);
	run_submitted();
}

static void a_gateway_ends_while_a_query_is_compiled(void **state)
{
	uint32_t entries;

	(void)state;
	start_gateway_that_holds_work();
	entries = world.entry_count;
	client_requests(JOB);
	world.transport.handler.on_log_lost(world.transport.handler.context);
	assert_true(world.role->stopped);
	run_submitted();
	assert_int_equal(world.entry_count, entries);
}

/* A life of the node, in which it ended for a reason while it was at a place. */
static void note_end(struct work_record *record, const struct work_place *place, uint32_t end)
{
	uint32_t slot;

	work_record_start(record, 0);
	slot = work_record_begin(record, place);
	work_record_note_end_of(record, slot, end);
	work_record_leave();
}

/* No log knows such a job: the record has to remember what its client asks for again. */
static void a_query_that_ends_its_gateway_is_refused(void **state)
{
	static const struct work_place place = {.job = JOB, .stream = WORK_OPENING, .end = 1};
	static struct work_record record;

	(void)state;
	memset(&record, 0, sizeof(record));
	note_end(&record, &place, WORK_END_SIGNAL + 11);
	note_end(&record, &place, WORK_END_SIGNAL + 11);
	work_record_start(&record, 0);
	world.env.record = &record;
	start_gateway_that_holds_work();
	client_requests(JOB);
	assert_null(submitted);
	assert_int_equal(frame_at(0).type, WIRE_ERROR);
	assert_int_equal(frame_at(0).error.class, WIRE_ERROR_JOB);
	assert_non_null(strstr(frame_at(0).error.text, "has ended 2 times"));
	client_requests(JOB + 1);
	assert_non_null(submitted);
	run_submitted();
	assert_int_equal(last_event().kind, FLOW_OPENED);
}

/* --- what waits in memory ------------------------------------------------------------------------
 */

static uint64_t bytes_that_wait(struct work_record *record)
{
	world.env.record = record;
	open_job_in_log(JOB);
	start_collector();
	for (uint32_t number = 2; number < 40; number++)
		deliver_packet(JOB, number, 100000);
	tick(1000);
	return atomic_load(&metric_values[METRIC_MEMORY_PACKETS]);
}

static void packets_wait_in_memory(void **state)
{
	(void)state;
	assert_in_range(bytes_that_wait(NULL), 3800000, 4000000);
}

/* Packets of others must not use up the memory of a job that is tried because it may have done so. */
static void few_packets_wait_where_memory_was_short(void **state)
{
	static const struct work_place place = {.job = JOB, .stream = 0, .end = 1, .keeps = 1};
	static struct work_record record;

	(void)state;
	memset(&record, 0, sizeof(record));
	note_end(&record, &place, WORK_END_MEMORY);
	work_record_start(&record, 0);
	assert_in_range(bytes_that_wait(&record), 1, 1100000);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, start, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dead_packet_fails_its_job),
		TEST(dead_result_fails_its_job),
		TEST(dead_message_without_a_job),
		TEST(clients_need_the_token),
		TEST(without_a_token_all_are_welcome),
		TEST(strangers_have_no_job),
		TEST(a_name_that_was_just_taken),
		TEST(results_come_in_portions),
		TEST(jobs_at_the_same_moment),
		TEST(a_query_is_compiled_beside_the_clients),
		TEST(nobody_waits_for_a_plan),
		TEST(a_job_is_opened_while_its_query_is_compiled),
		TEST(two_requests_at_once),
		TEST(a_gateway_ends_while_a_query_is_compiled),
		TEST(a_query_that_ends_its_gateway_is_refused),
		TEST(what_a_gateway_has_lost_comes_again),
		TEST(packets_wait_in_memory),
		TEST(few_packets_wait_where_memory_was_short),
		TEST(a_disk_has_its_limit),
		TEST(a_full_gateway_takes_no_jobs),
		TEST(a_node_says_that_there_is_room_again),
		TEST(a_disk_that_is_full_loses_nothing),
		TEST(packets_of_earlier_generations_are_dropped),
		TEST(a_job_of_an_earlier_generation_is_not_opened),
		TEST(a_log_that_was_not_begun),
		TEST(the_collector_begins_the_log),
		TEST(a_lost_log_is_replaced),
		TEST(a_log_that_is_lost_twice),
		TEST(a_doubted_log_is_replaced),
		TEST(a_node_doubts_the_log),
		TEST(results_survive_an_error_of_the_disk),
		TEST(results_that_stay_unreadable_are_lost),
		TEST(damaged_results_are_lost),
		TEST(missing_results_are_lost),
		TEST(a_second_process_says_nothing),
		TEST(early_deliveries_are_held),
		TEST(a_foreign_journal_fails_its_job),
		TEST(a_filter_says_what_takes_long),
		TEST(what_nobody_has_is_missed_soon),
		TEST(what_a_filter_has_is_waited_for),
		TEST(a_chunk_that_waited_long_is_not_missed_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
