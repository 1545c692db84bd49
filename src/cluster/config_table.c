/* What a cluster file may say: the one table behind parsing, defaults and docs/cluster-file.md. */
#include "cluster/config.h"

#include <string.h>

#define KB     1024u
#define MB     (1024u * KB)
#define GB     (1024ull * MB)
#define SECOND 1000u
#define HOUR   (3600u * SECOND)
#define DAY    (24u * HOUR)

static const char *const queue_types[] = {"classic", "quorum", NULL};
static const char *const filter_uses[] = {"auto", "always", "never", NULL};

#define FIELD(name) .offset = offsetof(struct config, name)

const struct config_property config_properties[] = {
	{"cluster", "name", CONFIG_NAME, FIELD(cluster.name), "tamiz",
		.help = "Clusters with different names share a broker without meeting: the name "
			"goes before the names of queues."},
	{"cluster", "state", CONFIG_PATH, FIELD(cluster.state), "tamiz-state",
		.help = "The folder of the nodes' journals, results and logs, a subfolder a node. "
			"Relative to the folder of this file."},
	{"cluster", "job_ttl", CONFIG_TIME, FIELD(cluster.job_ttl_ms), "24h", 10 * SECOND,
		365ull * DAY,
		.help = "A job that nobody has asked about for so long is forgotten, with its "
			"results."},
	{"broker", "url", CONFIG_URL, FIELD(broker.url), "amqp://guest:guest@127.0.0.1:5672/",
		.help = "RabbitMQ, amqp:// or amqps://. `${NAME}` is taken from the environment: "
			"a password with any characters (`amqp://tamiz:${PASSWORD}@mq:5672/`), or "
			"the whole URL."},
	{"broker", "queues", CONFIG_CHOICE, FIELD(broker.queues), "classic", .choices = queue_types,
		.help = "`quorum` survives the loss of a broker's machine, where the broker has "
			"three."},
	{"broker", "ca_file", CONFIG_PATH, FIELD(broker.ca_file), "",
		.help = "amqps: whom to trust, as PEM; the system's authorities when empty."},
	{"broker", "cert_file", CONFIG_PATH, FIELD(broker.cert_file), "",
		.help = "amqps: our certificate, for a broker that asks for one."},
	{"broker", "key_file", CONFIG_PATH, FIELD(broker.key_file), "", .help = "Its key."},
	{"broker", "heartbeat", CONFIG_TIME, FIELD(broker.heartbeat_ms), "10s", SECOND,
		600 * SECOND,
		.help = "A broker that is silent for twice this time is taken for dead."},
	{"gateway", "replicas", CONFIG_COUNT, FIELD(gateway.replicas), "2", 1, CONFIG_REPLICAS_MAX,
		.help = "How many."},
	{"gateway", "listen", CONFIG_ADDRESS, FIELD(gateway.listen), "127.0.0.1:7071",
		.help = "HOST:PORT of gateway 0; gateway 1 has the next port, and so on."},
	{"gateway", "hosts", CONFIG_ADDRESSES, FIELD(gateway.hosts), "",
		.help = "On several machines: HOST:PORT of each gateway. They listen there, or, "
			"when `listen` is given too, at its host and these ports."},
	{"gateway", "connections_max", CONFIG_COUNT, FIELD(gateway.connections_max), "1024", 1,
		100000, .help = "Connections of clients and proxies to one gateway."},
	{"gateway", "memory_max", CONFIG_SIZE, FIELD(gateway_memory_max), "256M", MB, 64 * GB,
		.help = "Bytes of messages on their way in and out of one gateway. Above it the "
			"gateway reads less; it may be passed by one message (80 MB)."},
	{"gateway", "jobs_max", CONFIG_COUNT, FIELD(gateway_jobs_max), "256", 1, 100000,
		.help = "Open jobs of the cluster; clients with one more are told to come later."},
	{"proxy", "replicas", CONFIG_COUNT, FIELD(proxy.replicas), "1", 0, CONFIG_REPLICAS_MAX,
		.help = "How many."},
	{"proxy", "listen", CONFIG_ADDRESS, FIELD(proxy.listen), "127.0.0.1:7070",
		.help = "HOST:PORT of proxy 0, to which clients connect; proxy 1 has the next "
			"port."},
	{"proxy", "hosts", CONFIG_ADDRESSES, FIELD(proxy.hosts), "",
		.help = "On several machines: HOST:PORT of each proxy, as for gateways."},
	{"proxy", "connections_max", CONFIG_COUNT, FIELD(proxy.connections_max), "4096", 1, 100000,
		.help = "Connections of clients to one proxy."},
	{"proxy", "patience", CONFIG_TIME, FIELD(proxy_patience_ms), "5s", 100, 600 * SECOND,
		.help = "A gateway that does not answer a health check for so long is left. One "
			"whose process has died is left at once."},
	{"reducer", "replicas", CONFIG_COUNT, FIELD(reducer_replicas), "2", 1, CONFIG_REPLICAS_MAX,
		.help = "Into how many parts the work of a job is split. A job keeps the number "
			"it was opened with."},
	{"reducer", "packet", CONFIG_SIZE, FIELD(packet_bytes), "64K", 1 * KB, 16 * MB,
		.help = "The size near which packets between nodes are cut."},
	{"reducer", "prefetch", CONFIG_COUNT, FIELD(reducer.prefetch), "256", 1, 65535,
		.help = "Packets that a node may have unacknowledged."},
	{"reducer", "sync_ms", CONFIG_COUNT, FIELD(reducer.sync_ms), "5", 1, 1000,
		.help = "A packet is on disk, and acknowledged, after this time ..."},
	{"reducer", "sync_bytes", CONFIG_SIZE, FIELD(reducer.sync_bytes), "4M", 4 * KB, GB,
		.help = "... or when so many bytes wait."},
	{"reducer", "cache", CONFIG_SIZE, FIELD(reducer.cache_bytes), "64M", MB, 3 * GB,
		.help = "Packets kept in memory that would otherwise be read back from the "
			"journal."},
	{"collector", "prefetch", CONFIG_COUNT, FIELD(collector.prefetch), "256", 1, 65535,
		.help = "As for reducers."},
	{"collector", "sync_ms", CONFIG_COUNT, FIELD(collector.sync_ms), "5", 1, 1000,
		.help = "As for reducers."},
	{"collector", "sync_bytes", CONFIG_SIZE, FIELD(collector.sync_bytes), "4M", 4 * KB, GB,
		.help = "As for reducers."},
	{"collector", "cache", CONFIG_SIZE, FIELD(collector.cache_bytes), "64M", MB, 3 * GB,
		.help = "As for reducers."},
	{"filter", "replicas", CONFIG_COUNT, FIELD(filter_replicas), "0", 0, CONFIG_REPLICAS_MAX,
		.help = "How many `tamiz up` starts; more may come and go at any time."},
	{"filter", "prefetch", CONFIG_COUNT, FIELD(filter_prefetch), "4", 1, 1024,
		.help = "Chunks that a filter may have at a time."},
	{"filter", "when", CONFIG_CHOICE, FIELD(filter_when), "auto", .choices = filter_uses,
		.help = "Which jobs' chunks go to the filters rather than being worked on by the "
			"gateways: with `auto` those of jobs with sentiment(), regular expressions "
			"or Python literals, if `replicas` is not 0."},
};

const size_t config_property_count = sizeof(config_properties) / sizeof(*config_properties);

static void value_form(const struct config_property *property, struct buf *out)
{
	switch (property->kind) {
	case CONFIG_TEXT: buf_append_text(out, "text"); break;
	case CONFIG_NAME: buf_append_text(out, "letters, digits, `-` and `_`"); break;
	case CONFIG_URL: buf_append_text(out, "URL"); break;
	case CONFIG_PATH: buf_append_text(out, "path"); break;
	case CONFIG_COUNT:
		buf_printf(out, "%lu to %lu", (unsigned long)property->min,
			(unsigned long)property->max);
		break;
	case CONFIG_SIZE: buf_append_text(out, "bytes, with K, M or G"); break;
	case CONFIG_TIME: buf_append_text(out, "time, with ms, s, m, h or d"); break;
	case CONFIG_CHOICE:
		for (uint32_t i = 0; property->choices[i]; i++)
			buf_printf(out, "%s`%s`", i ? ", " : "", property->choices[i]);
		break;
	case CONFIG_ADDRESS: buf_append_text(out, "HOST:PORT"); break;
	case CONFIG_ADDRESSES: buf_append_text(out, "HOST:PORT, HOST:PORT, ..."); break;
	}
}

void config_reference(struct buf *out)
{
	const char *section = "";

	for (size_t i = 0; i < config_property_count; i++) {
		const struct config_property *property = &config_properties[i];

		if (strcmp(section, property->section) != 0)
			buf_printf(out,
				"%s## [%s]\n\n| key | value | default | |\n|---|---|---|---|\n",
				i ? "\n" : "", property->section);
		section = property->section;
		buf_printf(out, "| `%s` | ", property->key);
		value_form(property, out);
		buf_printf(
			out, property->initial[0] ? " | `%s` | " : " | %s | ", property->initial);
		buf_printf(out, "%s |\n", property->help);
	}
}
