/*
 * How fast messages go through a real broker: published durably with confirms, consumed with
 * acknowledgements, and both at once, from one process.
 *
 * usage: transport FOLDER MEGABYTES
 *
 * A private RabbitMQ is started in FOLDER and ended again.
 */
#include "base/memory.h"
#include "cluster/broker.h"
#include "transport/rabbit.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define BACKLOG_MAX (32u << 20)
#define PREFETCH    256
#define SMALL_MAX   100000

struct node {
	struct transport *transport;
	uint64_t confirmed;
	uint64_t consumed;
};

struct run {
	const char *queue_type;
	const char *queue;
	size_t message_size;
	uint64_t count;
};

static char *payload;
static const char *url;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double cpu_s(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static void fail(const struct error *err)
{
	fprintf(stderr, "bench/transport: %s\n", err->message);
	exit(1);
}

static void on_delivery(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;

	node->consumed++;
	transport_ack(node->transport, delivery->tag);
}

static void on_confirm(void *context, uint64_t id)
{
	struct node *node = context;

	(void)id;
	node->confirmed++;
}

static void on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	(void)context;
	(void)offset;
	(void)bytes;
	(void)size;
}

static void on_lost(void *context)
{
	(void)context;
}

static void node_open(struct node *node, const struct run *run, const char *name)
{
	const struct rabbit_options options = {
		.url = url, .queue_type = run->queue_type, .prefix = "bench.", .node = name};
	struct error err;

	memset(node, 0, sizeof(*node));
	if (rabbit_open(&node->transport, &options, &err))
		fail(&err);
	node->transport->handler = (struct transport_handler){
		.on_delivery = on_delivery,
		.on_confirm = on_confirm,
		.on_log = on_log,
		.on_lost = on_lost,
		.context = node,
	};
	while (!rabbit_is_connected(node->transport))
		poll(NULL, 0, 5);
}

static void node_poll(struct node *const *nodes, uint32_t count)
{
	struct pollfd fds[2];

	for (uint32_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){rabbit_event_fd(nodes[i]->transport), POLLIN, 0};
	poll(fds, count, 1000);
	for (uint32_t i = 0; i < count; i++) {
		if (fds[i].revents)
			rabbit_dispatch(nodes[i]->transport);
	}
}

static void publish_some(struct node *node, const struct run *run, uint64_t *published)
{
	struct error err;

	while (*published < run->count && transport_backlog(node->transport) < BACKLOG_MAX) {
		if (transport_publish(node->transport, run->queue, payload, run->message_size,
			    ++*published, &err))
			fail(&err);
	}
}

static void consume(struct node *node, const struct run *run)
{
	struct error err;

	if (transport_consume(node->transport, run->queue, PREFETCH, true, &err))
		fail(&err);
}

static void report(const struct run *run, const char *what, double started_s, double started_cpu_s)
{
	double megabytes = (double)run->count * (double)run->message_size / 1e6;
	double wall_s = now_s() - started_s;

	printf("%-8s %6zu B  %-22s %8.1f MB/s %9.0f messages/s %6.2f CPU s/GB\n", run->queue_type,
		run->message_size, what, megabytes / wall_s, (double)run->count / wall_s,
		(cpu_s() - started_cpu_s) / (megabytes / 1e3));
	fflush(stdout);
}

static void measure(const struct run *run)
{
	struct node from, to;
	struct node *both[] = {&from, &to};
	struct node *just_to[] = {&to};
	uint64_t published = 0;
	double started_s, started_cpu_s;

	node_open(&from, run, "from");
	started_s = now_s();
	started_cpu_s = cpu_s();
	while (from.confirmed < run->count) {
		publish_some(&from, run, &published);
		node_poll(both, 1);
	}
	report(run, "published, confirmed", started_s, started_cpu_s);

	node_open(&to, run, "to");
	started_s = now_s();
	started_cpu_s = cpu_s();
	consume(&to, run);
	while (to.consumed < run->count)
		node_poll(just_to, 1);
	report(run, "consumed, acknowledged", started_s, started_cpu_s);

	published = from.confirmed = to.consumed = 0;
	started_s = now_s();
	started_cpu_s = cpu_s();
	while (from.confirmed < run->count || to.consumed < run->count) {
		publish_some(&from, run, &published);
		node_poll(both, 2);
	}
	report(run, "both at once", started_s, started_cpu_s);
	transport_close(from.transport);
	transport_close(to.transport);
}

int main(int argc, char **argv)
{
	static const struct broker_options options = {.dies_with_parent = true};
	static const char *const types[] = {"classic", "quorum"};
	static const size_t sizes[] = {65536, 1024};
	uint64_t bytes;
	struct broker *broker;
	struct error err;

	if (argc != 3) {
		fprintf(stderr, "usage: transport FOLDER MEGABYTES\n");
		return 2;
	}
	bytes = strtoull(argv[2], NULL, 10) << 20;
	if (broker_start(&broker, argv[1], &options, &err) || broker_wait_ready(broker, 0, &err))
		fail(&err);
	url = broker_url(broker);
	payload = memory_zalloc(sizes[0]);
	for (size_t i = 0; i < sizes[0]; i++)
		payload[i] = (char)(i * 31 + (i >> 8));
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < 2; j++) {
			char queue[64];
			struct run run = {types[i], queue, sizes[j], bytes / sizes[j]};

			snprintf(queue, sizeof(queue), "%s.%zu", types[i], sizes[j]);
			if (run.count > SMALL_MAX)
				run.count = SMALL_MAX;
			measure(&run);
		}
	}
	free(payload);
	broker_stop(broker);
	return 0;
}
