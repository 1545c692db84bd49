/*
 * The transport on a real RabbitMQ: the suite that every transport passes, with classic and with
 * quorum queues, and what only a real broker can do: die, hold publishers back, count attempts.
 *
 * One private broker serves the whole program. Every test has a prefix of its own for its queues
 * and its log.
 */
#include "base/rng.h"
#include "cluster/broker.h"
#include "transport/rabbit.h"
#include "transport_suite.h"

#include <poll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NODES_MAX 16
/* Until a test gives up; a broker takes some seconds to start. */
#define PATIENCE_MS 60000
/* Nothing happens any more when nothing happened for so long. */
#define QUIET_MS 400

struct world {
	char folder[64];
	struct broker *broker;
	uint16_t tls_port; /* 0: none */
	const char *queue_type;
	char prefix[32];
	uint32_t test_number;
	uint64_t deadline_ms;
	uint32_t attempts_max;
	struct transport *nodes[NODES_MAX];
	uint32_t node_count;
};

static struct world world;

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

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
 * leader does not answer in time, or misses heartbeats, and what was unconfirmed is sent again. An
 * acknowledgement that it takes for an offence is our fault alone.
 */
static void take_note(void *context, const char *line)
{
	(void)context;
	if (strstr(line, "BROKER_LOST"))
		suite_fixture.calm = false;
	if (strstr(line, "PRECONDITION_FAILED"))
		fail_msg("%s", line);
	if (getenv("VERBOSE"))
		print_message("%s\n", line);
}

static struct transport *open_node(void *context, const char *name)
{
	struct rabbit_options options = {
		.url = broker_url(world.broker),
		.queue_type = world.queue_type,
		.prefix = world.prefix,
		.node = name,
		.heartbeat_s = 2,
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
	if (now_ms() > world.deadline_ms)
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
	uint64_t quiet_since_ms = now_ms();

	(void)context;
	while (now_ms() < quiet_since_ms + QUIET_MS) {
		assert_true(now_ms() < world.deadline_ms);
		if (poll_nodes(20) || !all_are_idle())
			quiet_since_ms = now_ms();
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
	world.deadline_ms = now_ms() + PATIENCE_MS;
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

/* --- a broker that dies ------------------------------------------------------------------------*/

#define LOAD_COUNT 1500 /* messages a stage and queue */
#define LOAD_SIZE  2000
#define STAGES	   3
#define LOAD_TOTAL (STAGES * LOAD_COUNT)

/* Takes what it gets and keeps what it saw. */
struct load_node {
	struct transport *transport;
	bool seen[LOAD_TOTAL];
	uint32_t seen_count;
	uint32_t confirm_count;
	uint64_t next_offset;
	uint32_t entry_count;
	uint32_t lost;
};

static void load_on_delivery(void *context, const struct transport_delivery *delivery)
{
	struct load_node *node = context;
	uint32_t number;

	assert_int_equal(delivery->size, LOAD_SIZE);
	memcpy(&number, delivery->bytes, sizeof(number));
	assert_true(number < LOAD_TOTAL);
	node->seen_count += !node->seen[number];
	node->seen[number] = true;
	transport_ack(node->transport, delivery->tag);
}

static void load_on_confirm(void *context, uint64_t id)
{
	struct load_node *node = context;

	(void)id;
	node->confirm_count++;
}

static void load_on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct load_node *node = context;

	(void)bytes;
	assert_int_equal(size, 5);
	assert_true(offset >= node->next_offset);
	node->next_offset = offset + 1;
	node->entry_count++;
}

static void load_on_lost(void *context)
{
	struct load_node *node = context;

	node->lost++;
}

static struct load_node *load_open(const char *name)
{
	struct load_node *node = memory_zalloc(sizeof(*node));

	node->transport = open_node(NULL, name);
	node->transport->handler = (struct transport_handler){
		.on_delivery = load_on_delivery,
		.on_confirm = load_on_confirm,
		.on_log = load_on_log,
		.on_lost = load_on_lost,
		.context = node,
	};
	return node;
}

static void load_consume(struct load_node *node, const char *queue)
{
	struct error err;

	assert_int_equal(transport_consume(node->transport, queue, 100, true, &err), 0);
}

/* To both queues, and an entry in the log for every hundred. */
static void load_publish(struct load_node *node, uint32_t stage)
{
	uint8_t bytes[LOAD_SIZE] = {0};
	struct error err;

	for (uint32_t i = 0; i < LOAD_COUNT; i++) {
		uint32_t number = stage * LOAD_COUNT + i;

		memcpy(bytes, &number, sizeof(number));
		assert_int_equal(transport_publish(node->transport, "early", bytes, sizeof(bytes),
					 number, &err),
			0);
		assert_int_equal(transport_publish(node->transport, "late", bytes, sizeof(bytes),
					 number, &err),
			0);
		if (i % 100 == 0)
			assert_int_equal(
				transport_append(node->transport, "entry", 5, number, &err), 0);
	}
}

#define CONFIRMS_A_STAGE (2 * LOAD_COUNT + LOAD_COUNT / 100)

struct load {
	struct load_node *from;
	struct load_node *early; /* consumes all the time */
	struct load_node *late;	 /* only when all is confirmed */
};

static void load_start(struct load *load, const char *queue_type)
{
	struct error err;

	setup(queue_type);
	load->from = load_open("from");
	load->early = load_open("early");
	load->late = load_open("late");
	load_consume(load->early, "early");
	assert_int_equal(transport_follow(load->early->transport, &err), 0);
	load_publish(load->from, 0);
}

static void load_finish(struct load *load)
{
	load_consume(load->late, "late");
	while (load->early->seen_count < LOAD_TOTAL || load->late->seen_count < LOAD_TOTAL)
		suite_wait();
	assert_int_equal(load->from->confirm_count, STAGES * CONFIRMS_A_STAGE);
	assert_true(load->early->entry_count >= STAGES * LOAD_COUNT / 100);
	assert_int_equal(load->early->lost, 0);
	assert_int_equal(transport_backlog(load->from->transport), 0);
	transport_close(load->from->transport);
	transport_close(load->early->transport);
	transport_close(load->late->transport);
	free(load->from);
	free(load->early);
	free(load->late);
}

static void test_broker_dies(void **state)
{
	static const char *const types[] = {"classic", "quorum"};
	struct load loads[2];
	struct error err;

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		load_start(&loads[i], types[i]);
	while (loads[0].from->confirm_count < CONFIRMS_A_STAGE ||
		loads[1].from->confirm_count < CONFIRMS_A_STAGE)
		suite_wait();
	/* The broker writes down that a queue exists some two seconds after it said so. */
	for (uint64_t until_ms = now_ms() + 3000; now_ms() < until_ms;)
		suite_wait();
	for (uint32_t i = 0; i < 2; i++)
		load_publish(loads[i].from, 1);
	while (loads[0].from->confirm_count < CONFIRMS_A_STAGE * 4 / 3 ||
		loads[1].from->confirm_count < CONFIRMS_A_STAGE * 4 / 3)
		suite_wait();
	broker_kill(world.broker);
	assert_int_equal(broker_pid(world.broker), 0);
	for (uint32_t i = 0; i < 2; i++)
		load_publish(loads[i].from, 2);
	while (rabbit_is_connected(loads[0].from->transport))
		suite_wait();
	assert_true(transport_backlog(loads[0].from->transport) > 0);
	if (broker_restart(world.broker, &err))
		fail_msg("%s", err.message);
	for (uint32_t i = 0; i < 2; i++) {
		while (loads[i].from->confirm_count < STAGES * CONFIRMS_A_STAGE)
			suite_wait();
	}
	for (uint32_t i = 0; i < 2; i++)
		load_finish(&loads[i]);
}

/* --- a broker that holds publishers back -------------------------------------------------------*/

static void control(const char *command, const char *argument, const char *last)
{
	const char *const arguments[] = {command, argument, last, NULL};
	struct error err;

	if (broker_control(world.broker, arguments, &err))
		fail_msg("%s", err.message);
}

static void test_blocked_publisher(void **state)
{
	static uint8_t bytes[65536];
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	uint64_t started_ms;
	struct error err;

	(void)state;
	suite_publish(from, 'a', 50, 0);
	while (from->confirm_count < 50)
		suite_wait();
	control("set_vm_memory_high_watermark", "0.00001", NULL);
	started_ms = now_ms();
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(transport_publish(from->transport, suite_fixture.queue, bytes,
					 sizeof(bytes), i, &err),
			0);
	assert_true(now_ms() - started_ms < 2000);
	suite_consume(to, 100, true);
	while (suite_seen_of(to, NULL, 'a', 50) < 50)
		suite_wait();
	/* Longer than the heartbeat: no connection may be given up meanwhile. */
	started_ms = now_ms();
	while (now_ms() < started_ms + 3000)
		suite_wait();
	assert_true(from->confirm_count < 100);
	assert_true(transport_backlog(from->transport) > 200 * sizeof(bytes));
	control("set_vm_memory_high_watermark", "0.4", NULL);
	while (from->confirm_count < 350 || to->seen_count < 350)
		suite_wait();
	suite_close(from);
	suite_close(to);
}

/* A handle whose publisher waits for the broker is closed without waiting for it. */
static void test_close_while_blocked(void **state)
{
	static uint8_t bytes[1 << 20];
	struct suite_node *from = suite_open("from");
	uint64_t started_ms;
	struct error err;

	(void)state;
	suite_fixture.settle(suite_fixture.context);
	control("set_vm_memory_high_watermark", "0.00001", NULL);
	for (uint32_t i = 0; i < 64; i++)
		assert_int_equal(transport_publish(from->transport, suite_fixture.queue, bytes,
					 sizeof(bytes), i, &err),
			0);
	for (uint32_t i = 0; i < 5; i++)
		suite_wait();
	started_ms = now_ms();
	suite_close(from);
	assert_true(now_ms() - started_ms < 3000);
	control("set_vm_memory_high_watermark", "0.4", NULL);
}

/* --- other mishaps -----------------------------------------------------------------------------*/

static struct transport_delivery dead_delivery;

static void on_dead(void *context, const struct transport_delivery *delivery)
{
	struct suite_node *node = context;

	dead_delivery = *delivery;
	assert_int_equal(delivery->size, 2);
	assert_memory_equal(delivery->bytes, "a0", 2);
	transport_ack(node->transport, delivery->tag);
}

static void test_dead_letter(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to, *grave;
	struct error err;

	(void)state;
	world.attempts_max = 3;
	dead_delivery = (struct transport_delivery){0};
	to = suite_open("to");
	to->transport->handler.on_dead = on_dead;
	to->acks = false;
	suite_consume(to, 5, true);
	suite_publish(from, 'a', 1, 0);
	for (uint32_t i = 0; i < 3; i++) {
		while (to->seen_count < i + 1)
			suite_wait();
		assert_int_equal(to->seen[i].attempt, i);
		rabbit_break_connections(to->transport, 0);
	}
	while (!dead_delivery.tag)
		suite_wait();
	assert_int_equal(dead_delivery.attempt, 3);
	assert_int_equal(to->seen_count, 3);
	suite_close(to);
	to = suite_open("to");
	grave = suite_open("grave");
	suite_consume(to, 5, true);
	assert_int_equal(transport_consume(grave->transport, "dead", 5, false, &err), 0);
	suite_publish(from, 'b', 1, 1);
	while (suite_seen_of(grave, NULL, 'a', 1) < 1 || suite_seen_of(to, NULL, 'b', 1) < 1)
		suite_wait();
	assert_int_equal(to->seen_count, 1);
	suite_close(from);
	suite_close(to);
	suite_close(grave);
}

static void test_deleted_queue(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	char name[64];

	(void)state;
	suite_consume(to, 5, true);
	suite_publish(from, 'a', 1, 0);
	while (suite_seen_of(to, NULL, 'a', 1) < 1 || from->confirm_count < 1)
		suite_wait();
	snprintf(name, sizeof(name), "%squeue", world.prefix);
	control("delete_queue", name, NULL);
	suite_publish(from, 'b', 5, 1);
	while (suite_seen_of(to, NULL, 'b', 5) < 5 || from->confirm_count < 6)
		suite_wait();
	suite_close(from);
	suite_close(to);
}

static bool closed_inside;

static void close_on_confirm(void *context, uint64_t id)
{
	struct suite_node *node = context;

	(void)id;
	assert_false(closed_inside);
	closed_inside = true;
	transport_close(node->transport);
}

static void test_close_in_handler(void **state)
{
	struct suite_node *node = suite_open("node");

	(void)state;
	closed_inside = false;
	node->transport->handler.on_confirm = close_on_confirm;
	suite_consume(node, 5, true);
	suite_publish(node, 'a', 20, 0);
	while (!closed_inside)
		suite_wait();
	free(node);
}

static void shuffle_seen(struct suite_node *node, uint32_t first, struct rng *rng)
{
	for (uint32_t i = first; i < node->seen_count; i++) {
		uint32_t j = i + (uint32_t)rng_below(rng, node->seen_count - i);
		struct suite_seen seen = node->seen[j];

		node->seen[j] = node->seen[i];
		node->seen[i] = seen;
	}
}

/* In any order, with gaps: the broker closes a channel that acknowledges what is not open. */
static void test_acks_in_any_order(void **state)
{
	struct suite_node *from = suite_open("from");
	struct suite_node *to = suite_open("to");
	bool all = false;
	struct rng rng;

	(void)state;
	rng_init(&rng, 1);
	to->acks = false;
	suite_consume(to, 40, true);
	suite_publish(from, 'a', 400, 0);
	for (uint32_t acked = 0; !all || acked < to->seen_count;) {
		uint32_t wanted = acked + 40;

		while (!all && to->seen_count < wanted) {
			suite_wait();
			all = suite_seen_of(to, NULL, 'a', 400) == 400;
		}
		shuffle_seen(to, acked, &rng);
		/* The last five stay open for another round, until the end. */
		for (uint32_t end = to->seen_count - (all ? 0 : 5); acked < end;)
			transport_ack(to->transport, to->seen[acked++].tag);
	}
	/* A broker that opens a whole window again has taken every acknowledgement before it. */
	suite_publish(from, 'c', 40, 400);
	while (suite_seen_of(to, NULL, 'c', 40) < 40)
		suite_wait();
	suite_close(to);
	to = suite_open("to");
	suite_consume(to, 5, true);
	suite_publish(from, 'b', 1, 440);
	while (suite_seen_of(to, NULL, 'b', 1) < 1 || suite_seen_of(to, NULL, 'c', 40) < 40)
		suite_wait();
	if (suite_fixture.calm)
		assert_int_equal(suite_seen_of(to, NULL, 'a', 400), 0);
	suite_close(from);
	suite_close(to);
}

static void test_options(void **state)
{
	static const char *const urls[] = {
		"", "http://localhost", "localhost", "amqp://a:b@c:d", NULL};
	struct rabbit_options options = {.queue_type = "mirrored", .url = "amqp://localhost"};
	struct transport *transport;
	struct error err;

	(void)state;
	assert_int_equal(rabbit_open(&transport, &options, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	options.queue_type = "quorum";
	for (uint32_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		options.url = urls[i];
		assert_int_equal(rabbit_open(&transport, &options, &err), -1);
		assert_int_equal(err.code, ERROR_USAGE);
	}
}

/* Of several brokers one that answers will do; without any a handle is still opened and closed. */
static void test_several_urls(void **state)
{
	char urls[256];
	struct rabbit_options options = {.url = urls, .prefix = world.prefix};
	struct transport *transport;
	struct error err;

	(void)state;
	snprintf(urls, sizeof(urls), "amqp://127.0.0.1:1,%s", broker_url(world.broker));
	assert_int_equal(rabbit_open(&transport, &options, &err), 0);
	while (!rabbit_is_connected(transport))
		suite_wait();
	transport_close(transport);
	options.url = "amqp://127.0.0.1:1";
	assert_int_equal(rabbit_open(&transport, &options, &err), 0);
	assert_int_equal(transport_append(transport, "x", 1, 0, &err), 0);
	poll(NULL, 0, 20);
	assert_false(rabbit_is_connected(transport));
	transport_close(transport);
}

/* --- TLS ---------------------------------------------------------------------------------------*/

/* Certificates that live for a day; false without the program that makes them. */
static bool make_certificates(void)
{
	static const char script[] =
		"exec 2>&1; cd '%s' && new='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
		"-nodes' && "
		"for ca in ca stranger; do "
		"openssl req -x509 $new -keyout $ca.key -out $ca.pem -days 1 -subj /CN=$ca || exit "
		"1; "
		"done; "
		"for name in localhost client; do "
		"openssl req $new -keyout $name.key -out $name.csr -subj /CN=$name "
		"-addext subjectAltName=DNS:$name && "
		"openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 "
		"-copy_extensions copy -out $name.pem || exit 1; done";
	char command[2048], told[256];
	FILE *shell;

	snprintf(command, sizeof(command), script, world.folder);
	shell = popen(command, "r");
	while (shell && fgets(told, sizeof(told), shell))
		;
	return shell && pclose(shell) == 0;
}

static void tls_config(char *text, size_t size)
{
	snprintf(text, size,
		"listeners.ssl.1 = 127.0.0.1:%u\n"
		"ssl_options.cacertfile = %s/ca.pem\n"
		"ssl_options.certfile = %s/localhost.pem\n"
		"ssl_options.keyfile = %s/localhost.key\n"
		"ssl_options.verify = verify_peer\n"
		"ssl_options.fail_if_no_peer_cert = true\n",
		world.tls_port, world.folder, world.folder, world.folder);
}

/* Whether a connection comes about, or is refused again and again. */
static bool connects_with(const char *host, const char *ca, const char *cert)
{
	char url[256], ca_file[256], cert_file[256], key_file[256];
	const char *plain = broker_url(world.broker);
	struct rabbit_options options = {
		.url = url, .ca_file = ca_file, .prefix = world.prefix, .log = take_note};
	struct transport *transport;
	struct error err;
	bool connects = false;

	/* amqp://user:password@127.0.0.1:port */
	snprintf(url, sizeof(url), "amqps%.*s@%s:%u", (int)(strchr(plain, '@') - plain - 4),
		plain + 4, host, world.tls_port);
	snprintf(ca_file, sizeof(ca_file), "%s/%s.pem", world.folder, ca);
	if (cert) {
		snprintf(cert_file, sizeof(cert_file), "%s/%s.pem", world.folder, cert);
		snprintf(key_file, sizeof(key_file), "%s/%s.key", world.folder, cert);
		options.cert_file = cert_file;
		options.key_file = key_file;
	}
	if (rabbit_open(&transport, &options, &err))
		fail_msg("%s", err.message);
	for (uint64_t until_ms = now_ms() + 800; !connects && now_ms() < until_ms;) {
		poll(NULL, 0, 10);
		rabbit_dispatch(transport);
		connects = rabbit_is_connected(transport);
	}
	transport_close(transport);
	return connects;
}

static void test_tls(void **state)
{
	(void)state;
	if (!world.tls_port) {
		print_message("no openssl to make certificates with\n");
		skip();
	}
	while (!connects_with("localhost", "ca", "client"))
		assert_true(now_ms() < world.deadline_ms);
	assert_false(connects_with("localhost", "stranger", "client"));
	assert_false(connects_with("localhost", "ca", NULL));
	/* The certificate is for another name. */
	assert_false(connects_with("127.0.0.1", "ca", "client"));
}

/* --- the broker itself -------------------------------------------------------------------------*/

static void test_attach(void **state)
{
	struct broker *broker;
	struct error err;

	(void)state;
	assert_int_equal(broker_start(&broker, world.folder, NULL, &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
	assert_int_equal(broker_attach(&broker, world.folder, &err), 0);
	assert_string_equal(broker_url(broker), broker_url(world.broker));
	assert_int_equal(broker_pid(broker), broker_pid(world.broker));
	assert_true(broker_pid(broker) > 0);
	broker_free(broker);
	assert_int_equal(broker_attach(&broker, "/tmp", &err), -1);
	assert_int_equal(err.code, ERROR_USAGE);
}

/* --- the program -------------------------------------------------------------------------------*/

static int start_broker(void **state)
{
	char config[1024];
	struct broker_options options = {.dies_with_parent = true};
	struct error err;

	(void)state;
	snprintf(
		world.folder, sizeof(world.folder), "/tmp/test_transport_rabbit.%d", (int)getpid());
	mkdir(world.folder, 0700);
	if (make_certificates()) {
		world.tls_port = (uint16_t)(10000 + getpid() % 9000);
		tls_config(config, sizeof(config));
		options.config = config;
	}
	if (!broker_start(&world.broker, world.folder, &options, &err) &&
		!broker_wait_ready(world.broker, 0, &err))
		return 0;
	print_error("%s\n", err.message);
	return -1;
}

static void remove_folder(const char *folder)
{
	char command[128];
	FILE *remover;

	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
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

#define CLASSIC_TEST(function)                                             \
	{                                                                  \
		"classic: " #function, function, setup_classic, NULL, NULL \
	}
#define QUORUM_TEST(function)                                            \
	{                                                                \
		"quorum: " #function, function, setup_quorum, NULL, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRANSPORT_SUITE(CLASSIC_TEST),
		TRANSPORT_SUITE(QUORUM_TEST),
		CLASSIC_TEST(test_acks_in_any_order),
		QUORUM_TEST(test_acks_in_any_order),
		CLASSIC_TEST(test_dead_letter),
		QUORUM_TEST(test_dead_letter),
		CLASSIC_TEST(test_close_in_handler),
		CLASSIC_TEST(test_options),
		CLASSIC_TEST(test_several_urls),
		CLASSIC_TEST(test_tls),
		CLASSIC_TEST(test_attach),
		QUORUM_TEST(test_deleted_queue),
		CLASSIC_TEST(test_blocked_publisher),
		CLASSIC_TEST(test_close_while_blocked),
		CLASSIC_TEST(test_broker_dies),
	};

	if (!broker_is_installed()) {
		printf("skip test_transport_rabbit RabbitMQ is not installed\n");
		return 0;
	}
	cmocka_set_test_filter(getenv("TEST")); /* "*dies", say */
	return cmocka_run_group_tests(tests, start_broker, stop_broker);
}
