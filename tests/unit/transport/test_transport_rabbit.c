/*
 * The transport on a real RabbitMQ: the suite that every transport passes, with classic and with
 * quorum queues, and what only RabbitMQ has: tags, attempts, URLs, TLS. test_rabbit_faults.c does
 * it harm.
 */
#include "base/rng.h"
#include "unit/transport/rabbit_fixture.h"

#include <netinet/in.h>
#include <sys/socket.h>

static uint16_t tls_port; /* 0: none */

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

/* Who does not know the key is heard neither in a queue nor in the log, and keeps nothing from going on. */
static void test_sealed(void **state)
{
	static const char *const strange[] = {"another key", NULL};
	struct suite_node *from, *to, *later;

	(void)state;
	world.secret = "our key";
	world.forged = 0;
	from = suite_open("from");
	to = suite_open("to");
	assert_int_equal(transport_follow(to->transport, NULL, &(struct error){0}), 0);
	suite_consume(to, 5, true);
	suite_append(from, "e0", 1);
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++) {
		struct suite_node *stranger;

		world.secret = strange[i];
		stranger = suite_open("stranger");
		suite_publish(stranger, 'x', 10, 0);
		suite_append(stranger, "x0", 20);
		while (stranger->confirm_count < 11)
			suite_wait();
		suite_close(stranger);
	}
	world.secret = "our key";
	suite_publish(from, 'a', 10, 10);
	suite_append(from, "e1", 30);
	while (suite_seen_of(to, NULL, 'a', 10) < 10 || suite_times_logged(to, "e1") < 1)
		suite_wait();
	assert_int_equal(suite_seen_of(to, NULL, 'x', 10), 0);
	assert_int_equal(suite_times_logged(to, "x0"), 0);
	assert_int_equal(suite_times_logged(to, "e0"), 1);
	assert_true(world.forged >= 22);
	/* From a mark, too, and the forged ones are gone from the queue. */
	suite_close(to);
	later = suite_open("later");
	assert_int_equal(transport_follow(later->transport, NULL, &(struct error){0}), 0);
	suite_consume(later, 5, true);
	suite_publish(from, 'b', 1, 40);
	while (suite_seen_of(later, NULL, 'b', 1) < 1 || suite_times_logged(later, "e1") < 1)
		suite_wait();
	assert_int_equal(suite_seen_of(later, NULL, 'x', 10), 0);
	if (suite_fixture.calm)
		assert_int_equal(later->entry_count, 2);
	suite_close(later);
	suite_close(from);
	world.secret = NULL;
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
	assert_int_equal(world.offences, 0);
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
		tls_port, world.folder, world.folder, world.folder);
}

#define REASON_SIZE 256

static void note_away(void *context, enum log_event event, const char *line)
{
	take_note(NULL, event, line);
	if (event == LOG_BROKER_AWAY)
		snprintf(context, REASON_SIZE, "%s", line);
}

/* Whether a connection comes about, or an attempt fails: `away` then says why. */
static bool connects_with(
	const char *host, const char *ca, const char *cert, char away[REASON_SIZE])
{
	char url[256], ca_file[256], cert_file[256], key_file[256];
	const char *plain = broker_url(world.broker);
	struct rabbit_options options = {
		.url = url,
		.ca_file = ca_file,
		.prefix = world.prefix,
		.log = note_away,
		.log_context = away,
	};
	struct transport *transport;
	struct error err;
	bool connects = false;

	away[0] = '\0';
	/* amqp://user:password@127.0.0.1:port */
	snprintf(url, sizeof(url), "amqps%.*s@%s:%u", (int)(strchr(plain, '@') - plain - 4),
		plain + 4, host, tls_port);
	snprintf(ca_file, sizeof(ca_file), "%s/%s.pem", world.folder, ca);
	if (cert) {
		snprintf(cert_file, sizeof(cert_file), "%s/%s.pem", world.folder, cert);
		snprintf(key_file, sizeof(key_file), "%s/%s.key", world.folder, cert);
		options.cert_file = cert_file;
		options.key_file = key_file;
	}
	if (rabbit_open(&transport, &options, &err))
		fail_msg("%s", err.message);
	while (!connects && !away[0]) {
		assert_true(clock_monotonic_ms() < world.deadline_ms);
		poll(NULL, 0, 10);
		rabbit_dispatch(transport);
		connects = rabbit_is_connected(transport);
	}
	transport_close(transport);
	return connects;
}

static void is_refused_with(const char *host, const char *ca, const char *cert, const char *reason)
{
	char away[REASON_SIZE];

	assert_false(connects_with(host, ca, cert, away));
	if (!strstr(away, reason))
		fail_msg("%s lacks \"%s\"", away, reason);
}

static void test_tls(void **state)
{
	char away[REASON_SIZE];

	(void)state;
	if (!tls_port) {
		print_message("no openssl to make certificates with\n");
		skip();
	}
	while (!connects_with("localhost", "ca", "client", away))
		assert_true(clock_monotonic_ms() < world.deadline_ms);
	is_refused_with("localhost", "stranger", "client", "peer cert verification failed");
	is_refused_with("localhost", "ca", NULL, "SSL error");
	/* The certificate is for another name. */
	is_refused_with("127.0.0.1", "ca", "client", "hostname verification failed");
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

/* Not one of those that the system hands out to clients: it is the broker's some seconds later. */
static uint16_t free_port(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	struct rng rng;

	rng_init(&rng, (uint64_t)getpid() << 32 ^ clock_monotonic_ms());
	do
		address.sin_port = htons((uint16_t)(20000 + rng_below(&rng, 12000)));
	while (bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0);
	close(fd);
	return ntohs(address.sin_port);
}

static int start(void **state)
{
	char config[1024];

	(void)state;
	make_folder("test_transport_rabbit");
	if (!make_certificates())
		return start_broker(NULL);
	tls_port = free_port();
	tls_config(config, sizeof(config));
	return start_broker(config);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TRANSPORT_SUITE(CLASSIC_TEST),
		TRANSPORT_SUITE(QUORUM_TEST),
		CLASSIC_TEST(test_acks_in_any_order),
		QUORUM_TEST(test_acks_in_any_order),
		CLASSIC_TEST(test_sealed),
		CLASSIC_TEST(test_dead_letter),
		QUORUM_TEST(test_dead_letter),
		CLASSIC_TEST(test_close_in_handler),
		CLASSIC_TEST(test_options),
		CLASSIC_TEST(test_several_urls),
		CLASSIC_TEST(test_tls),
		CLASSIC_TEST(test_attach),
	};

	if (!broker_is_installed()) {
		printf("skip test_transport_rabbit RabbitMQ is not installed\n");
		return 0;
	}
	cmocka_set_test_filter(getenv("TEST"));
	return cmocka_run_group_tests(tests, start, stop_broker);
}
