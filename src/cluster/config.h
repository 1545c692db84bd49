/*
 * The cluster file: what nodes there are, where they listen, which broker they share, and their
 * limits. An INI file, the same on every machine; docs/cluster-file.md is its reference.
 *
 * One table of properties (config_properties) yields parsing, checks, defaults and that page.
 */
#ifndef CLUSTER_CONFIG_H
#define CLUSTER_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/sha256.h"
#include "net/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFIG_FILE_MAX	    (1u << 20)
#define CONFIG_REPLICAS_MAX 64
#define CONFIG_WATCHERS_MAX 9

struct config_addresses {
	uint32_t count;
	struct net_address items[CONFIG_REPLICAS_MAX];
};

/* The kinds of nodes; each has a section of its own, with this word as its name. */
enum node_kind {
	NODE_GATEWAY,
	NODE_REDUCER,
	NODE_COLLECTOR,
	NODE_FILTER,
	NODE_PROXY,
	NODE_WATCHER,
};

#define NODE_KINDS 6

/* Where the replicas of a kind listen. */
struct config_place {
	struct net_address listen;
	bool listen_given;
	struct config_addresses hosts; /* empty: they are all at `listen`, on ports that follow */
};

/* Nodes that clients connect to: gateways, proxies. */
struct config_service {
	uint64_t replicas;
	struct config_place place;
	uint64_t connections_max;
};

/* How a node that keeps packets on its disk does so. */
struct config_keeper {
	uint64_t prefetch;
	uint64_t sync_ms;
	uint64_t sync_bytes;
	uint64_t cache_bytes;
	uint64_t memory;   /* that its folds may hold */
	uint64_t temp_max; /* bytes of temporary files; 0: no limit */
};

/* Those who look after all nodes: one of them leads, the others look after it. */
struct config_watcher {
	uint64_t replicas;
	struct config_place place; /* between watchers */
	const char *secret;	   /* "": none is given; never to be printed */
	const char *
		driver; /* how nodes are started: "local", "systemd", "docker", "command", "none" */
	/* With {node}, {role}, {index}, {host} and {reason} still in them. */
	const char *command;   /* "": none */
	const char *unit;      /* of systemd */
	const char *container; /* of docker */
	uint64_t heartbeat_ms;
	uint64_t leader_patience_ms;
	uint64_t check_ms;
	uint64_t patience_ms;	     /* with a node that does not answer */
	uint64_t loop_patience_ms;   /* with one that answers, but does not work */
	uint64_t start_patience_ms;  /* with one that was started */
	uint64_t replay_patience_ms; /* with one that says that it replays */
	uint64_t restarts;	     /* of a node in a minute, at full speed */
	uint64_t pause_max_ms;
	uint64_t command_timeout_ms;
};

struct config {
	struct arena arena;
	const char *path; /* of the file */
	struct {
		const char *name;
		const char *prefix; /* of queues: the name and a dot; "" for the name "tamiz" */
		const char
			*key; /* "": messages between nodes are not sealed; never to be printed */
		const char *state; /* folder; relative to the folder of the file */
		const char *logs;  /* folder */
		const char *log;   /* "text", "json", "journal" */
		uint64_t ping;	   /* added to the ports of health; 0: no pings */
		uint64_t job_ttl_ms;
		uint64_t receive_ttl_ms;
		uint64_t disk_max; /* 0: no limit */
	} cluster;
	struct {
		const char *url;     /* with what ${NAME} stood for: never to be printed */
		const char *queues;  /* "classic", "quorum" */
		const char *ca_file; /* "": none; so below */
		const char *cert_file;
		const char *key_file;
		uint64_t heartbeat_ms;
		const char *folder; /* of a private one (cluster/broker.h); "": it is not ours */
	} broker;
	struct config_place
		health[NODE_KINDS]; /* where nodes tell how they are, by enum node_kind */
	struct config_service gateway;
	uint64_t gateway_memory_max;
	uint64_t gateway_jobs_max;
	uint64_t gateway_client_jobs_max; /* 0: half of them */
	const char *gateway_token;	  /* "": none; never to be printed */
	const char *gateway_users;	  /* "": there are none */
	struct {
		const char *cert; /* "": clients speak in the clear */
		const char *key;
		const char *ca; /* "": clients need no certificate */
	} tls;
	struct config_place console; /* listen.port 0: there is none */
	const char *console_data;    /* "": none */
	struct config_service proxy;
	uint64_t proxy_patience_ms; /* with a gateway that does not answer */
	uint64_t reducer_replicas;
	uint64_t packet_bytes;
	struct config_keeper reducer;
	struct config_keeper collector;
	uint64_t filter_replicas;
	uint64_t filter_prefetch;
	const char *filter_when; /* "auto", "always", "never" */
	struct config_watcher watcher;
};

/*
 * Reads and checks a file. ERROR_IO when it cannot be read; ERROR_USAGE, with file, line and key,
 * when something in it is wrong. Released also after an error.
 */
MUST_CHECK int config_load(struct config *config, const char *path, struct error *err);
/* The same for who needs no secrets: ${NAME} stays as it is. */
MUST_CHECK int config_load_names(struct config *config, const char *path, struct error *err);
/* The same for a text; `path` is for messages and for the folder of relative paths. */
MUST_CHECK int config_parse(
	struct config *config, const char *path, const char *text, struct error *err);
void config_release(struct config *config);

/*
 * Where replica `index` listens, and where others find it: hosts[index], or `listen` with the port
 * increased by `index`. With both given, it listens at the host of `listen` and the port of
 * hosts[index]: "0.0.0.0" there takes connections from everywhere.
 */
struct net_address config_listen_at(const struct config_place *place, uint32_t index);

/* Made of what all watchers of the cluster know and nobody else does. */
struct sha256 config_watcher_key(const struct config *config);
struct net_address config_found_at(const struct config_place *place, uint32_t index);
/* "gateway": the word of a kind in the file, on the command line and in names. */
const char *config_kind_word(enum node_kind kind);
/* How many there are of a kind. */
uint32_t config_replicas(const struct config *config, enum node_kind kind);
/* "10s", "5m", "24h", "7d", "250ms"; seconds without a unit. */
bool config_time_parse(const char *text, uint64_t *ms);

enum config_kind {
	CONFIG_TEXT,	  /* const char *: of `min` characters at least */
	CONFIG_NAME,	  /* const char *: letters, digits, '-' and '_' */
	CONFIG_URL,	  /* const char *: with ${NAME} from the environment; may be repeated */
	CONFIG_SECRET,	  /* const char *: likewise; may be empty, min .. max bytes */
	CONFIG_PATH,	  /* const char *: relative to the folder of the file; may be empty */
	CONFIG_COUNT,	  /* uint64_t, min .. max */
	CONFIG_SIZE,	  /* uint64_t: bytes, with K, M, G; min .. max */
	CONFIG_TIME,	  /* uint64_t: milliseconds, written with ms, s, m, h, d; min .. max */
	CONFIG_CHOICE,	  /* const char *: one of choices */
	CONFIG_ADDRESS,	  /* struct net_address */
	CONFIG_ADDRESSES, /* struct config_addresses: separated by commas; may be repeated */
};

struct config_property {
	const char *section;
	const char *key;
	enum config_kind kind;
	size_t offset;
	const char *initial; /* what a file without it means; "" for nothing */
	uint64_t min;
	uint64_t max;
	const char *const *choices;
	const char *help; /* for the reference */
};

extern const struct config_property config_properties[];
extern const size_t config_property_count;

/* The tables of docs/cluster-file.md, section by section. */
void config_reference(struct buf *out);

#endif
