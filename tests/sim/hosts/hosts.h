/*
 * One seed of the world "hosts": a cluster on hosts of its own, as docs/operating.md has it. The
 * watchers, the proxies, the gateways' servers and the clients' network code are the product's, on
 * simulated machines (machine.h); roles, disks and the broker are those of sim/world.h. Nobody but
 * the watchers starts a node again.
 *
 * Hosts are cut from each other by pairs, in groups and one from all; they lose power; processes are
 * killed, stopped and stuck; clients vanish and resume. What must be true:
 *
 *   - Watchers that have been connected for long enough have one leader. When everything is
 *     connected the living watcher with the highest id leads, all others follow it in its term, and
 *     no two ever did so for long.
 *   - No watcher wants a node started again that has been well, and within its reach, for long; and
 *     none that was cut off from everybody judges by what it had not heard meanwhile.
 *   - All nodes are well a bounded time after the faults have ended.
 *   - No byte of a connection gets into another one. No process keeps a descriptor that it has no
 *     use for, closes one twice, or turns its loop without end.
 *   - Every client has the embedded engine's bytes, or an error that they justify.
 */
#ifndef SIM_HOSTS_HOSTS_H
#define SIM_HOSTS_HOSTS_H

#include "client/session_loop.h"
#include "cluster/presence.h"
#include "net/fd_passing.h"
#include "net/server.h"
#include "node/proxy.h"
#include "sim/hosts/machine.h"
#include "sim/hosts/stand_ins.h"
#include "sim/simulate.h"
#include "sim/source.h"
#include "sim/world.h"
#include "watch/watcher.h"

#define HOSTS_NODES_MAX	  24u
#define HOSTS_CLIENTS_MAX 3u
#define HOSTS_MS	  1000u

/* Of the cluster file, in milliseconds. */
#define HOSTS_HEARTBEAT_MS	 100u
#define HOSTS_LEADER_PATIENCE_MS 500u
#define HOSTS_PATIENCE_MS	 1500u

enum hosts_count {
	HOSTS_KILLED,
	HOSTS_POWER_LOST,
	HOSTS_STOPPED,
	HOSTS_STUCK,
	HOSTS_PAIR_CUT,
	HOSTS_PARTITIONED,
	HOSTS_WATCHERS_PARTITIONED,
	HOSTS_ISOLATED,
	HOSTS_BROKER_LOST,
	HOSTS_CLIENT_VANISHED,
	HOSTS_BYTES_STALLED,
	HOSTS_UNANSWERED,
	HOSTS_RESET,
	HOSTS_REFUSED,
	HOSTS_PIECES,
	HOSTS_NO_DESCRIPTOR,
	HOSTS_FAULTS, /* all above are faults, what follows are outcomes */
	HOSTS_CONNECTIONS = HOSTS_FAULTS,
	HOSTS_GIVEN,
	HOSTS_SPLICED,
	HOSTS_REIGNS,
	HOSTS_RESTARTS,
	HOSTS_JOBS_RIGHT,
	HOSTS_JOBS_ERROR,
	HOSTS_TURNS,
	HOSTS_EVENTS,
	HOSTS_COUNTS,
};

extern const char *const hosts_count_names[HOSTS_COUNTS];

struct hosts;

/* A node of the cluster file, and its process, if it has one now. */
struct hosts_node {
	struct hosts *hosts;
	struct roster_node roster;
	uint32_t host;
	struct world_node *world_node; /* NULL: a proxy or a watcher */
	bool silent;		       /* it dies with its host */
	bool starting;		       /* a process is about to begin */
	/* The process; NULL, all of them: there is none. */
	struct machine_process *process;
	struct machine_task *task;
	struct loop *loop;
	struct watcher *watcher;
	struct proxy *proxy;
	struct presence presence; /* of roles */
	struct role *role;
	struct server *server;
	struct fd_passing *passing;
	struct wire_port port;
	/* What a watcher says of itself. */
	bool leads;
	uint64_t term;
	uint64_t leader; /* UINT64_MAX: none */
	uint64_t leads_since_us;
	uint64_t well_since_us; /* UINT64_MAX: it is not */
	uint64_t woken_us;	/* when it was last stopped or stuck */
	uint64_t stop;		/* the number of that; an older one is over */
};

struct hosts_client {
	struct hosts *hosts;
	char name[MACHINE_PROCESS_NAME];
	uint32_t host;
	struct rng rng;
	struct sim_job *job;
	struct sim_source source;
	struct session_options options;
	struct session_state state;
	struct machine_process *process; /* NULL: it is away */
	struct net *net;
	struct session *session;
	struct session_loop drive;
	bool over;
	enum session_phase phase; /* how it ended */
	struct error err;
	char servers[256];
};

struct hosts {
	struct world world; /* first */
	struct machine machine;
	struct config config;
	struct stand_ins stand_ins;
	struct datasets *datasets;
	struct rng rng;
	struct sim_verdict *verdict;
	FILE *log;
	uint32_t host_count;
	uint32_t node_count;
	struct hosts_node nodes[HOSTS_NODES_MAX];
	uint32_t watcher_count;
	uint32_t client_count;
	struct hosts_client clients[HOSTS_CLIENTS_MAX];
	uint64_t chaos_end_us;
	uint64_t chaos_interval_us;
	/* By host: when it was last cut off from everybody, until when. */
	uint64_t isolated_us[MACHINE_HOSTS_MAX];
	uint64_t rejoined_us[MACHINE_HOSTS_MAX];
};

void simulate_hosts(
	struct datasets *datasets, uint64_t seed, FILE *log, struct sim_verdict *verdict);

void hosts_complain(struct hosts *hosts, const char *format, ...) PRINTF_LIKE(2, 3);

/* --- nodes.c -----------------------------------------------------------------------------------*/

/* The cluster file, its hosts and their nodes; they start as soon as the world goes on. */
void hosts_add_nodes(struct hosts *hosts);
struct hosts_node *hosts_find(struct hosts *hosts, const char *name);
/* Its process ends now; `silent`: with its host, and says nothing. */
void hosts_node_kill(struct hosts_node *node, bool silent);
/* After a while. */
void hosts_node_start(struct hosts_node *node);
/* SIGSTOP; with `stuck` its health is still told. It goes on by itself. */
void hosts_node_stop(struct hosts_node *node, uint64_t duration_us, bool stuck);
int hosts_make_role(struct role **out, const struct world_node *node, const struct role_env *env,
	struct wire_port *port, struct error *err);
void hosts_end_role(struct world_node *node);

/* --- clients.c ---------------------------------------------------------------------------------*/

void hosts_add_clients(struct hosts *hosts);
/* Its process ends; the next one goes on from what it had saved. */
void hosts_client_end(struct hosts_client *client);
void hosts_client_start(struct hosts_client *client);
void hosts_client_start_later(struct hosts_client *client);
void hosts_client_release(struct hosts_client *client);

/* --- check.c -----------------------------------------------------------------------------------*/

void hosts_on_order(void *context, struct machine_process *by, const struct roster_node *which,
	const char *reason);
void hosts_on_status(void *context, struct machine_process *by, const char *json, size_t size);
/* From time to time. */
void hosts_check(struct hosts *hosts);
/* Everything is as it must be in the end; false: not yet, and `problem` says why. */
bool hosts_is_settled(struct hosts *hosts, char *problem, size_t size);
void hosts_check_clients(struct hosts *hosts);

#endif
