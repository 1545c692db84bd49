/* What a cluster file may say: the one table behind parsing, defaults and docs/cluster-file.md. */
#include "cluster/config.h"

#include <string.h>

#define KB     1024u
#define MB     (1024u * KB)
#define GB     (1024ull * MB)
#define SECOND 1000u
#define MINUTE (60u * SECOND)
#define HOUR   (3600u * SECOND)
#define DAY    (24u * HOUR)

static const char *const queue_types[] = {"classic", "quorum", NULL};
static const char *const log_forms[] = {"text", "json", "journal", NULL};
static const char *const drivers[] = {"local", "systemd", "docker", "command", "none", NULL};
static const char *const filter_uses[] = {"auto", "always", "never", NULL};

#define FIELD(name) .offset = offsetof(struct config, name)

/* Where the nodes of a kind tell how they are. */
#define HEALTH(section, kind, place)                                                              \
	{section, "health", CONFIG_ADDRESS, FIELD(health[kind].listen), place,                    \
		.help = "HOST:PORT of " section " 0, where it tells how it is, over HTTP; the "   \
			"next ones have the next ports."},                                        \
	{                                                                                         \
		section, "health_hosts", CONFIG_ADDRESSES, FIELD(health[kind].hosts), "",         \
			.help = "On several machines: HOST:PORT of each, as `hosts` of gateways " \
				"beside `listen`."                                                \
	}

const struct config_property config_properties[] = {
	{"cluster", "name", CONFIG_NAME, FIELD(cluster.name), "tamiz",
		.help = "Clusters with different names share a broker without meeting: the name "
			"goes before the names of queues."},
	{"cluster", "key", CONFIG_SECRET, FIELD(cluster.key), "", 0, 1024,
		.help = "What every message between nodes and every entry of the log is sealed "
			"with: who can write to the broker and does not know it is not heard. "
			"`${NAME}` as in the broker's `url`. Give or change it while no job is "
			"open: nodes with another key do not hear each other."},
	{"cluster", "state", CONFIG_PATH, FIELD(cluster.state), "tamiz-state",
		.help = "The folder of the nodes' journals and results, one subfolder per node. "
			"Relative to the folder of this file."},
	{"cluster", "logs", CONFIG_PATH, FIELD(cluster.logs), "",
		.help = "The folder of the logs of nodes that watchers start on their machine; "
			"`log` in that of `state` when empty."},
	{"cluster", "log", CONFIG_CHOICE, FIELD(cluster.log), "text", .choices = log_forms,
		.help = "What nodes write to their logs: lines for people, or JSON objects, a line "
			"each; or to systemd's journal, with a field of its own for each of an "
			"event's."},
	{"cluster", "ping", CONFIG_COUNT, FIELD(cluster.ping), "0", 0, 60000,
		.help = "Every node answers pings over UDP and TCP at the port of its health and "
			"this number above it, from its event loop; 0: nowhere."},
	{"cluster", "job_ttl", CONFIG_TIME, FIELD(cluster.job_ttl_ms), "24h", 10 * SECOND,
		365ull * DAY,
		.help = "A job that nobody has asked about for this long is forgotten, with its "
			"results."},
	{"cluster", "receive_ttl", CONFIG_TIME, FIELD(cluster.receive_ttl_ms), "15m", SECOND,
		365ull * DAY,
		.help = "A job whose data is not complete is forgotten when its client has sent "
			"nothing for this long, so that clients that are gone do not fill "
			"`jobs_max`."},
	{"cluster", "disk_max", CONFIG_SIZE, FIELD(cluster.disk_max), "0", 0, 1024 * 1024 * GB,
		.help = "What one node may keep of jobs on its disk; 0: all that there is. The job "
			"that would pass it fails; while a node is above nine tenths of it, or its "
			"disk is nearly full, new ones are told to come back later. A disk that is "
			"really full loses nothing: its node waits until there is space."},
	{"broker", "url", CONFIG_URL, FIELD(broker.url), "amqp://guest:guest@127.0.0.1:5672/",
		.help = "RabbitMQ, amqp:// or amqps://. `${NAME}` is taken from the environment, "
			"or from the file that `NAME_FILE` names there: a password with any "
			"characters (`amqp://tamiz:${PASSWORD}@mq:5672/`), or "
			"the whole value. The nodes of a RabbitMQ cluster are given with commas "
			"between them, or a line each: when one is lost the next is used."},
	{"broker", "queues", CONFIG_CHOICE, FIELD(broker.queues), "classic", .choices = queue_types,
		.help = "`quorum` survives the loss of a broker's machine, where the broker has "
			"three."},
	{"broker", "ca_file", CONFIG_PATH, FIELD(broker.ca_file), "",
		.help = "amqps: the authorities to trust, as PEM; empty: those of the system."},
	{"broker", "cert_file", CONFIG_PATH, FIELD(broker.cert_file), "",
		.help = "amqps: our certificate, for a broker that asks for one."},
	{"broker", "key_file", CONFIG_PATH, FIELD(broker.key_file), "", .help = "Its key."},
	{"broker", "heartbeat", CONFIG_TIME, FIELD(broker.heartbeat_ms), "10s", SECOND,
		600 * SECOND,
		.help = "A broker that is silent for twice this time is taken for dead."},
	{"broker", "folder", CONFIG_PATH, FIELD(broker.folder), "",
		.help = "The folder of a private RabbitMQ, which the watchers look after, too; "
			"`tamiz up` writes it."},
	{"gateway", "replicas", CONFIG_COUNT, FIELD(gateway.replicas), "2", 1, CONFIG_REPLICAS_MAX,
		.help = "How many."},
	{"gateway", "listen", CONFIG_ADDRESS, FIELD(gateway.place.listen), "127.0.0.1:7071",
		.help = "HOST:PORT of gateway 0; gateway 1 has the next port, and so on."},
	{"gateway", "hosts", CONFIG_ADDRESSES, FIELD(gateway.place.hosts), "",
		.help = "On several machines: HOST:PORT of each gateway. They listen there, or, "
			"when `listen` is given too, at its host and these ports."},
	HEALTH("gateway", NODE_GATEWAY, "127.0.0.1:7200"),
	{"gateway", "connections_max", CONFIG_COUNT, FIELD(gateway.connections_max), "1024", 1,
		100000, .help = "Connections, from clients and proxies, that one gateway takes."},
	{"gateway", "memory_max", CONFIG_SIZE, FIELD(gateway_memory_max), "256M", MB, 64 * GB,
		.help = "Bytes of messages on their way in and out of one gateway. Above it the "
			"gateway reads less; it may be passed by one message (80 MB)."},
	{"gateway", "jobs_max", CONFIG_COUNT, FIELD(gateway_jobs_max), "256", 1, 100000,
		.help = "Open jobs of the cluster; clients with one more are told to come back "
			"later."},
	{"gateway", "client_jobs_max", CONFIG_COUNT, FIELD(gateway_client_jobs_max), "0", 0, 100000,
		.help = "Open jobs that came from one address, so that one client cannot take all "
			"places; 0: half of `jobs_max`. Clients of a proxy on another machine "
			"than its gateways all come from its address."},
	{"gateway", "token", CONFIG_SECRET, FIELD(gateway_token), "", 0, 1024,
		.help = "Clients must know it (`--token` or `TAMIZ_TOKEN`); empty: all are "
			"welcome. `${NAME}` as in the broker's `url`. It is sent as it is: "
			"outside of a trusted network, with [tls]."},
	{"gateway", "users", CONFIG_PATH, FIELD(gateway_users), "",
		.help = "Instead of one token for all: the file of users, each with a token, a "
			"role "
			"and jobs of its own, as `tamiz user` writes it. A file that changes is "
			"read again."},
	{"tls", "cert", CONFIG_PATH, FIELD(tls.cert), "",
		.help = "The certificate that gateways show to clients, and those that lead to its "
			"authority, as PEM; empty: clients speak in the clear. It has the names "
			"or addresses by which clients call the proxies, or the gateways where "
			"there are none: proxies pass TLS through. A file that changes is "
			"read again."},
	{"tls", "key", CONFIG_PATH, FIELD(tls.key), "",
		.help = "Its key, as PEM without a password."},
	{"tls", "ca", CONFIG_PATH, FIELD(tls.ca), "",
		.help = "Authorities, as PEM. Clients then need a certificate of one of them "
			"(`--cert`, `--key`)."},
	{"console", "listen", CONFIG_ADDRESS, FIELD(console.listen), "",
		.help = "HOST:PORT where gateway 0 serves the [console](console.md), a page for "
			"browsers, and gateway 1 at the next port; empty: they serve none. Whoever "
			"opens it needs a token, if the cluster asks clients for one."},
	{"console", "data", CONFIG_PATH, FIELD(console_data), "",
		.help = "A folder on the machines of the gateways whose CSV files everyone who has "
			"the page may ask for; empty: none."},
	{"proxy", "replicas", CONFIG_COUNT, FIELD(proxy.replicas), "1", 0, CONFIG_REPLICAS_MAX,
		.help = "How many."},
	{"proxy", "listen", CONFIG_ADDRESS, FIELD(proxy.place.listen), "127.0.0.1:7070",
		.help = "HOST:PORT of proxy 0, to which clients connect; proxy 1 has the next "
			"port."},
	{"proxy", "hosts", CONFIG_ADDRESSES, FIELD(proxy.place.hosts), "",
		.help = "On several machines: HOST:PORT of each proxy, as for gateways."},
	HEALTH("proxy", NODE_PROXY, "127.0.0.1:7500"),
	{"proxy", "connections_max", CONFIG_COUNT, FIELD(proxy.connections_max), "4096", 1, 100000,
		.help = "Client connections that one proxy takes."},
	{"proxy", "patience", CONFIG_TIME, FIELD(proxy_patience_ms), "5s", 100, 600 * SECOND,
		.help = "A gateway that does not answer a health check for this long is given up. "
			"One "
			"whose process has died is given up at once."},
	{"reducer", "replicas", CONFIG_COUNT, FIELD(reducer_replicas), "2", 1, CONFIG_REPLICAS_MAX,
		.help = "Into how many parts the work of a job is split. A job keeps the number "
			"it was opened with."},
	HEALTH("reducer", NODE_REDUCER, "127.0.0.1:7300"),
	{"reducer", "packet", CONFIG_SIZE, FIELD(packet_bytes), "64K", 1 * KB, 16 * MB,
		.help = "The approximate size at which packets between nodes are cut."},
	{"reducer", "prefetch", CONFIG_COUNT, FIELD(reducer.prefetch), "256", 1, 65535,
		.help = "Packets that a node may have unacknowledged."},
	{"reducer", "sync_ms", CONFIG_COUNT, FIELD(reducer.sync_ms), "5", 1, 1000,
		.help = "A packet is on disk, and acknowledged, after this time ..."},
	{"reducer", "sync_bytes", CONFIG_SIZE, FIELD(reducer.sync_bytes), "4M", 4 * KB, GB,
		.help = "... or when so many bytes wait."},
	{"reducer", "cache", CONFIG_SIZE, FIELD(reducer.cache_bytes), "64M", MB, 3 * GB,
		.help = "Packets kept in memory that would otherwise be read back from the "
			"journal."},
	{"reducer", "memory", CONFIG_SIZE, FIELD(reducer.memory), "2G", MB, 1024 * GB,
		.help = "What a node may hold of groups, sorts, windows and sides of joins. A job "
			"gets a "
			"quarter, the same on every node and whatever runs beside it; what is more "
			"goes "
			"to temporary files in the node's folder. What can do with neither fails, "
			"alone. "
			"Jobs keep what they were opened with."},
	{"reducer", "temp_max", CONFIG_SIZE, FIELD(reducer.temp_max), "0", 0, 1024 * 1024 * GB,
		.help = "What a node may have in such files, compressed; 0: all that the disk has "
			"room "
			"for. The job that would pass it fails."},
	{"collector", "health", CONFIG_ADDRESS, FIELD(health[NODE_COLLECTOR].listen),
		"127.0.0.1:7600", .help = "HOST:PORT where it tells how it is, over HTTP."},
	{"collector", "prefetch", CONFIG_COUNT, FIELD(collector.prefetch), "256", 1, 65535,
		.help = "As for reducers."},
	{"collector", "sync_ms", CONFIG_COUNT, FIELD(collector.sync_ms), "5", 1, 1000,
		.help = "As for reducers."},
	{"collector", "sync_bytes", CONFIG_SIZE, FIELD(collector.sync_bytes), "4M", 4 * KB, GB,
		.help = "As for reducers."},
	{"collector", "cache", CONFIG_SIZE, FIELD(collector.cache_bytes), "64M", MB, 3 * GB,
		.help = "As for reducers."},
	{"collector", "memory", CONFIG_SIZE, FIELD(collector.memory), "2G", MB, 1024 * GB,
		.help = "As for reducers."},
	{"collector", "temp_max", CONFIG_SIZE, FIELD(collector.temp_max), "0", 0, 1024 * 1024 * GB,
		.help = "As for reducers."},
	{"filter", "replicas", CONFIG_COUNT, FIELD(filter_replicas), "0", 0, CONFIG_REPLICAS_MAX,
		.help = "How many `tamiz up` starts; more may come and go at any time."},
	HEALTH("filter", NODE_FILTER, "127.0.0.1:7400"),
	{"filter", "prefetch", CONFIG_COUNT, FIELD(filter_prefetch), "4", 1, 1024,
		.help = "Chunks that a filter may have at a time."},
	{"filter", "when", CONFIG_CHOICE, FIELD(filter_when), "auto", .choices = filter_uses,
		.help = "Which jobs' chunks go to the filters rather than being worked on by the "
			"gateways: with `auto` those of jobs with sentiment(), regular expressions "
			"or Python literals, if `replicas` is not 0."},
	{"watcher", "replicas", CONFIG_COUNT, FIELD(watcher.replicas), "3", 0, CONFIG_WATCHERS_MAX,
		.help = "How many. One of them leads: it checks all nodes and starts those again "
			"that died. Three go on when one is lost."},
	{"watcher", "listen", CONFIG_ADDRESS, FIELD(watcher.place.listen), "127.0.0.1:7650",
		.help = "HOST:PORT of watcher 0, for the other watchers; watcher 1 has the next "
			"port."},
	{"watcher", "hosts", CONFIG_ADDRESSES, FIELD(watcher.place.hosts), "",
		.help = "On several machines: HOST:PORT of each watcher, as for gateways."},
	HEALTH("watcher", NODE_WATCHER, "127.0.0.1:7700"),
	{"watcher", "secret", CONFIG_SECRET, FIELD(watcher.secret), "", 0, 1024,
		.help = "What watchers prove to each other that they know, without sending it; "
			"empty: the password in the broker's `url`. `${NAME}` as there."},
	{"watcher", "driver", CONFIG_CHOICE, FIELD(watcher.driver), "local", .choices = drivers,
		.help = "How a node is started again: as a process of this machine, as a unit of "
			"systemd, as a container, by `command`, or not at all, where the "
			"platform does it."},
	{"watcher", "command", CONFIG_TEXT, FIELD(watcher.command), "",
		.help = "What `driver = command` runs. `{node}` (`reducer-0`), `{role}`, "
			"`{index}`, `{host}` (of its health address) and `{reason}` are filled "
			"in."},
	{"watcher", "unit", CONFIG_TEXT, FIELD(watcher.unit), "tamiz@{node}", 1,
		.help = "The unit of a node, for `driver = systemd`."},
	{"watcher", "container", CONFIG_TEXT, FIELD(watcher.container), "tamiz-{node}", 1,
		.help = "The container of a node, for `driver = docker`."},
	{"watcher", "heartbeat", CONFIG_TIME, FIELD(watcher.heartbeat_ms), "200ms", 10, MINUTE,
		.help = "The time between two of the leader's signs of life to the other "
			"watchers."},
	{"watcher", "leader_patience", CONFIG_TIME, FIELD(watcher.leader_patience_ms), "1s", 50,
		10 * MINUTE,
		.help = "A leader that is silent for this long is replaced. Longer than "
			"`heartbeat`."},
	{"watcher", "check", CONFIG_TIME, FIELD(watcher.check_ms), "250ms", 10, MINUTE,
		.help = "The time between two checks of a node."},
	{"watcher", "patience", CONFIG_TIME, FIELD(watcher.patience_ms), "3s", 100, HOUR,
		.help = "A node that does not answer for this long is restarted."},
	{"watcher", "loop_patience", CONFIG_TIME, FIELD(watcher.loop_patience_ms), "60s", 100,
		24 * HOUR,
		.help = "So is one that answers, but has done nothing for this long, not even "
			"waited."},
	{"watcher", "start_patience", CONFIG_TIME, FIELD(watcher.start_patience_ms), "30s", 100,
		HOUR, .help = "One that was just started has this long for its first answer."},
	{"watcher", "replay_patience", CONFIG_TIME, FIELD(watcher.replay_patience_ms), "10m", 100,
		24 * HOUR,
		.help = "One that says that it replays its journals has so long until it does "
			"something else."},
	{"watcher", "restarts", CONFIG_COUNT, FIELD(watcher.restarts), "20", 1, 1000,
		.help = "Starts of a node in a minute without a pause before them."},
	{"watcher", "pause_max", CONFIG_TIME, FIELD(watcher.pause_max_ms), "30s", 100, HOUR,
		.help = "The longest pause before the next start of a node that keeps dying."},
	{"watcher", "command_timeout", CONFIG_TIME, FIELD(watcher.command_timeout_ms), "30s", 100,
		HOUR, .help = "A command, systemctl or docker that takes longer is killed."},
};

const size_t config_property_count = sizeof(config_properties) / sizeof(*config_properties);

static void value_form(const struct config_property *property, struct buf *out)
{
	switch (property->kind) {
	case CONFIG_TEXT: buf_append_text(out, "text"); break;
	case CONFIG_NAME: buf_append_text(out, "letters, digits, `-` and `_`"); break;
	case CONFIG_URL: buf_append_text(out, "URL, URL, ..."); break;
	case CONFIG_SECRET: buf_append_text(out, "text"); break;
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
