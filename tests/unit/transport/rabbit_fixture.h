/*
 * A private RabbitMQ for a whole test program, as a fixture of transport_suite.h: every test has a
 * prefix of its own for its queues and its log.
 *
 * TEST="*dies" runs the tests that match, VERBOSE=1 shows what the transport notes, KEEP=1 leaves
 * the broker's folder.
 */
#ifndef TESTS_RABBIT_FIXTURE_H
#define TESTS_RABBIT_FIXTURE_H

#include "base/clock.h"
#include "cluster/broker.h"
#include "transport/rabbit.h"
#include "unit/transport/transport_suite.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NODES_MAX 16
/* Only what hangs takes so long, on a busy machine too. */
#define PATIENCE_MS 300000
/* No connection that works is given up for being slow. */
#define HEARTBEAT_S 5
/* Nothing happens any more when nothing happened for so long. */
#define QUIET_MS 400

struct world {
	char folder[64];
	struct broker *broker;
	const char *queue_type;
	const char *secret; /* of nodes that are opened from now on */
	uint32_t forged;    /* messages that were none of ours */
	char prefix[32];
	uint32_t test_number;
	uint64_t deadline_ms;
	uint32_t attempts_max;
	uint32_t heartbeat_s;
	uint32_t offences; /* acknowledgements that the broker did not know */
	struct transport *nodes[NODES_MAX];
	uint32_t node_count;
};

static struct world world;

/* --- the fixture -------------------------------------------------------------------------------*/

static const struct transport_ops *rabbit_ops;
static struct transport_ops watched_ops;

/* A closed handle is not polled any more. */
static void close_watched(struct transport *transport)
{
	for (uint32_t i = 0; i < world.node_count; i++) {
		if (world.nodes[i] == transport)
			world.nodes[i--] = world.nodes[--world.node_count];
	}
	rabbit_ops->close(transport);
}

/*
 * A broker on a busy machine is not calm: it refuses the first message to a quorum queue whose
 * leader does not answer in time, has no replica of a new stream yet, or misses heartbeats, and
 * what was unconfirmed is sent again. An acknowledgement that it does not know is our fault alone.
 */
static void take_note(void *context, enum log_event event, const char *line)
{
	(void)context;
	if (event == LOG_BROKER_LOST)
		suite_fixture.calm = false;
	world.forged += event == LOG_MESSAGE_FORGED;
	if (strstr(line, "unknown delivery tag"))
		world.offences++;
	if (getenv("VERBOSE"))
		print_message("%s\n", line);
}

static struct transport *open_node(void *context, const char *name)
{
	struct rabbit_options options = {
		.url = broker_url(world.broker),
		.queue_type = world.queue_type,
		.prefix = world.prefix,
		.secret = world.secret,
		.node = name,
		.heartbeat_s = world.heartbeat_s,
		.attempts_max = world.attempts_max,
		.log = take_note,
	};
	struct transport *transport;
	struct error err;

	(void)context;
	assert_true(world.node_count < NODES_MAX);
	if (rabbit_open(&transport, &options, &err))
		fail_msg("%s", err.message);
	rabbit_ops = transport->ops;
	watched_ops = *rabbit_ops;
	watched_ops.close = close_watched;
	transport->ops = &watched_ops;
	world.nodes[world.node_count++] = transport;
	return transport;
}

/* Whether anything happened. */
static bool poll_nodes(uint32_t timeout_ms)
{
	struct pollfd fds[NODES_MAX];
	struct transport *nodes[NODES_MAX];
	uint32_t count = world.node_count;
	bool happened = false;

	for (uint32_t i = 0; i < count; i++) {
		nodes[i] = world.nodes[i];
		fds[i] = (struct pollfd){.fd = rabbit_event_fd(nodes[i]), .events = POLLIN};
	}
	if (poll(fds, count, (int)timeout_ms) <= 0)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!fds[i].revents)
			continue;
		happened = true;
		rabbit_dispatch(nodes[i]);
	}
	return happened;
}

static bool poll_world(void *context)
{
	(void)context;
	if (clock_monotonic_ms() > world.deadline_ms)
		return false;
	poll_nodes(100);
	return true;
}

static bool all_are_idle(void)
{
	for (uint32_t i = 0; i < world.node_count; i++) {
		if (!rabbit_is_connected(world.nodes[i]) || transport_backlog(world.nodes[i]))
			return false;
	}
	return true;
}

static void settle_world(void *context)
{
	uint64_t quiet_since_ms = clock_monotonic_ms();

	(void)context;
	while (clock_monotonic_ms() < quiet_since_ms + QUIET_MS) {
		assert_true(clock_monotonic_ms() < world.deadline_ms);
		if (poll_nodes(20) || !all_are_idle())
			quiet_since_ms = clock_monotonic_ms();
	}
}

static void break_node(void *context, struct transport *transport)
{
	(void)context;
	/* Where a third node waits for its place it is away long enough for that to take it. */
	rabbit_break_connections(transport, world.node_count > 2 ? 2000 : 50);
}

static int setup(const char *queue_type)
{
	if (!world.broker)
		return -1;
	world.queue_type = queue_type;
	world.attempts_max = 0;
	world.heartbeat_s = HEARTBEAT_S;
	world.deadline_ms = clock_monotonic_ms() + PATIENCE_MS;
	snprintf(world.prefix, sizeof(world.prefix), "test%u.", ++world.test_number);
	suite_fixture = (struct suite_fixture){
		.open = open_node,
		.poll = poll_world,
		.settle = settle_world,
		.break_connections = break_node,
		.calm = true,
		.queue = "queue",
	};
	return 0;
}

static int setup_classic(void **state)
{
	(void)state;
	return setup("classic");
}

static int setup_quorum(void **state)
{
	(void)state;
	return setup("quorum");
}

/* --- the broker --------------------------------------------------------------------------------*/

/* `folder` must be there; `config` NULL: none. */
static inline int start_broker(const char *config)
{
	struct broker_options options = {.dies_with_parent = true, .config = config};
	struct error err;

	if (!broker_start(&world.broker, world.folder, &options, &err) &&
		!broker_wait_ready(world.broker, PATIENCE_MS, &err))
		return 0;
	print_error("%s\n", err.message);
	return -1;
}

static inline void make_folder(const char *program)
{
	snprintf(world.folder, sizeof(world.folder), "/tmp/%s.%d", program, (int)getpid());
	mkdir(world.folder, 0700);
}

static inline void remove_folder(const char *folder)
{
	char command[256];
	FILE *remover;

	snprintf(command, sizeof(command), "rm -rf '%s' '%s.state'", folder, folder);
	remover = popen(command, "r");
	if (remover)
		pclose(remover);
}

static int stop_broker(void **state)
{
	(void)state;
	broker_stop(world.broker);
	if (!getenv("KEEP"))
		remove_folder(world.folder);
	return 0;
}

/* rabbitmqctl. */
static inline void control(const char *command, const char *argument, const char *last)
{
	const char *const arguments[] = {command, argument, last, NULL};
	struct error err;

	if (broker_control(world.broker, arguments, &err))
		fail_msg("%s", err.message);
}

#define CLASSIC_TEST(function)                                             \
	{                                                                  \
		"classic: " #function, function, setup_classic, NULL, NULL \
	}
#define QUORUM_TEST(function)                                            \
	{                                                                \
		"quorum: " #function, function, setup_quorum, NULL, NULL \
	}

#endif
