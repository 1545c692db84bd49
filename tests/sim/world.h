/*
 * A cluster in one process: nodes with roles, their disks, the broker, clients and the network
 * between clients and gateways, all on virtual time and all by one seed.
 *
 * A node is a name, a kind and a disk, and lasts as long as the world. A life is one run of its
 * process: it has a handle on the disk, one on the broker, and a role. A life ends when it is
 * killed or when its role has stopped itself, and the next one begins after a while. A life that
 * was paused can be replaced before it goes on: it is a zombie then, and must find out.
 *
 * Nothing but world_step runs anybody's code.
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "cluster/config.h"
#include "journal/disk_sim.h"
#include "role/role.h"
#include "transport/sim.h"

#define WORLD_NODES_MAX 32

struct world;
struct world_node;

struct world_life {
	struct world_node *node;
	struct disk *disk; /* NULL: the kind keeps nothing */
	struct transport *transport;
	struct role *role;
	struct role_env env;
	struct wire_port port;	    /* to clients; for gateways */
	struct work_record *record; /* the node's, unless this is a zombie */
	struct work_runner runner;
	struct work *works; /* handed to the runner, and not done */
	uint64_t work_number;
	struct rng rng;
	uint64_t clock_offset_ms; /* nodes need not agree on the time */
	bool paused;
	uint64_t tick_chain; /* ticks of an older one are void */
};

struct world_node {
	struct world *world;
	char name[SIM_NODE_NAME_MAX];
	enum node_kind kind;
	uint32_t index;
	struct disk_sim *store; /* NULL: keeps nothing */
	struct work_record *record;
	struct world_life *life;   /* NULL: down */
	struct world_life *zombie; /* a former life that still runs; NULL: none */
	bool removed;		   /* it does not start again */
	uint64_t starts;
};

struct world_counts {
	uint64_t starts;
	uint64_t start_failures;
	uint64_t stops; /* of roles by themselves */
	uint64_t kills;
	uint64_t power_losses;
	uint64_t disks_lost;
	uint64_t pauses;
	uint64_t zombies;
	uint64_t connections;
	uint64_t connection_breaks;
	uint64_t frames_lost;
	uint64_t slow_works;
	uint64_t endless_works;
	uint64_t deadly_works;
};

/* A client, as the network sees it. Connections are named by numbers that never repeat. */
struct world_client {
	const char *name;
	void (*on_open)(struct world_client *client, uint64_t connection);
	/* One whole message; borrowed. */
	void (*on_message)(struct world_client *client, uint64_t connection, const uint8_t *bytes,
		size_t size);
	/* Also when it could not be opened. */
	void (*on_closed)(struct world_client *client, uint64_t connection);
};

struct world_config {
	uint64_t seed;
	struct sim_faults broker;
	struct role_cluster cluster;
	uint64_t net_delay_us;	/* up to which a message takes between client and gateway */
	uint32_t net_break_ppm; /* of each message: its connection breaks instead */
	uint64_t restart_us;	/* up to which a dead node stays dead */
	uint64_t pause_us;	/* up to which world_chaos pauses a node */
	/* Makes the role of a node. `port` is for gateways; it and `env` outlive the role. */
	int (*make_role)(struct role **out, const struct world_node *node,
		const struct role_env *env, struct wire_port *port, struct error *err);
	/* Whether a piece of work ends the node; *end gets an enum work_end. NULL: none does. */
	bool (*is_deadly)(void *context, const struct work_place *place, uint32_t *end);
	/* Whether the work of a job goes on until it is stopped. NULL: all of it ends. */
	bool (*is_endless)(void *context, uint64_t job);
	/* A life is about to be freed, with or without a role in it; NULL: nobody wants to know. */
	void (*on_end)(struct world_node *node);
	bool watched; /* who dies is started again by world_start alone */
	/* What nodes have to say; NULL: nobody listens. */
	void (*on_log)(void *context, uint64_t time_us, const char *node, const char *line);
	void *log_context;
};

struct world {
	struct world_config config;
	struct sim_events events;
	struct rng rng;
	struct sim_broker *broker;
	uint32_t node_count;
	struct world_node *nodes[WORLD_NODES_MAX];
	struct world_counts counts;
	struct world_connection *connections; /* a list, the newest first */
	uint64_t connection_number;
	struct wire_port client_port; /* what clients send and drop with */
};

/* The usual make_role. */
MUST_CHECK int world_make_role(struct role **out, const struct world_node *node,
	const struct role_env *env, struct wire_port *port, struct error *err);

void world_init(struct world *world, const struct world_config *config);
/* Ends all lives, without a word to clients. */
void world_release(struct world *world);

/* A node that starts as soon as the world goes on. It stays the world's. */
struct world_node *world_add_node(struct world *world, enum node_kind kind, uint32_t index);
/* NULL: there is none. */
struct world_node *world_find_node(const struct world *world, enum node_kind kind, uint32_t index);

/* One event, and what follows from it; false when nothing will ever happen again. */
bool world_step(struct world *world);
uint64_t world_now_ms(const struct world *world);

/* --- what befalls nodes; each does nothing to a node that is down ------------------------------*/

enum world_death {
	DEATH_KILLED, /* what it wrote is in its files, synced or not */
	DEATH_POWER,  /* what it did not sync is lost, torn or there */
	DEATH_DISK,   /* the disk is gone; the next life has an empty one */
};

/* It dies, and was the last of its kind: a filter that nobody needs any more. */
void world_remove_node(struct world_node *node);
/* The next life of a node that is down. */
void world_start(struct world_node *node);
/* Its next life begins after a while. */
void world_kill(struct world_node *node, enum world_death death);
/* Stops it for a time. With `replaced` its next life begins before that time is over. */
void world_pause(struct world_node *node, uint64_t duration_us, bool replaced);
/* Any of these to any node, or to the broker, by the world's chance; no disk is lost by it. */
void world_chaos(struct world *world);

/* --- clients -----------------------------------------------------------------------------------*/

/* `client` is borrowed until world_client_gone. on_open or on_closed follows. */
uint64_t world_connect(
	struct world *world, struct world_client *client, struct world_node *gateway);
/* As wire_port: nothing happens to a connection that is closed. */
void world_client_send(struct world *world, uint64_t connection, const void *bytes, size_t size);
void world_client_drop(struct world *world, uint64_t connection);
/* The client's process has died, or the client is about to be freed. */
void world_client_gone(struct world *world, struct world_client *client);

/* --- for world_work.c ---------------------------------------------------------------------------*/

void world_work_init(struct world_life *life);

/* --- for world_net.c ---------------------------------------------------------------------------*/

void world_net_init(struct world *world);
void world_net_release(struct world *world);
void world_port_init(struct world_life *life);
/* The life ends: its connections break. */
void world_net_end(struct world *world, struct world_life *life);

#endif
