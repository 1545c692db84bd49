/*
 * What the files of deploy/ share.
 *
 *   deploy.c         the cluster file for a platform, secrets, the files' folder; local
 *   compose.c, systemd.c, k8s.c   a platform each
 */
#ifndef DEPLOY_DEPLOY_PRIVATE_H
#define DEPLOY_DEPLOY_PRIVATE_H

#include "base/buf.h"
#include "cluster/roster.h"
#include "deploy/deploy.h"

#include <sys/types.h>

#define DEPLOY_FILE_MAX (4u << 20)
/* Where nodes listen that have an address of their own each. */
#define DEPLOY_PROXY_PORT   7070u
#define DEPLOY_GATEWAY_PORT 7071u
#define DEPLOY_WATCHER_PORT 7650u
#define DEPLOY_HEALTH_PORT  7200u
#define DEPLOY_AMQP_PORT    5672u
#define DEPLOY_STATE	    "/var/lib/tamiz"
#define DEPLOY_FILE	    "/etc/tamiz/cluster.ini"
/* The name under which docker compose looks for what its files leave open. */
#define DEPLOY_SECRETS_FILE ".env"
/* Not root; the image has it, too. */
#define DEPLOY_USER 10001u

struct deploy {
	const struct config *config;
	const struct deploy_options *options;
	struct roster_node nodes[ROSTER_NODES_MAX];
	uint32_t node_count;
	uint32_t brokers; /* of the platform's RabbitMQ: three for quorum queues */
	bool has_token;
	const char *storage; /* of each volume, for Kubernetes */
};

/* How nodes find each other. */
struct deploy_layout {
	const char *state;
	const char *driver;
	bool own_addresses; /* each node has a host of its own; else they share this machine's ports */
	bool services;	    /* hosts are NODE.ROLE, as in Kubernetes */
	bool one_proxy;	    /* replicas of the proxy share one address */
};

/* FOLDER/NAME, with the folders above it. */
MUST_CHECK int deploy_put(const struct deploy *deploy, const char *name, mode_t mode,
	struct buf *text, struct error *err);

/* cluster.ini of the platform, appended to `out`. */
MUST_CHECK int deploy_cluster_file(const struct deploy *deploy, const struct deploy_layout *layout,
	struct buf *out, struct error *err);

/* A secret by its name in the environment of nodes: that of an earlier deployment, or a new one. */
struct deploy_secrets {
	char broker_password[33];
	char erlang_cookie[33];
	char watcher_secret[33];
	char cluster_key[33];
	char token[1025];
};

/* From DEPLOY_SECRETS_FILE of the folder, or new; they are written there, below `head`. */
MUST_CHECK int deploy_take_secrets(const struct deploy *deploy, const char *head,
	struct deploy_secrets *secrets, struct error *err);

int deploy_compose(const struct deploy *deploy, struct error *err);
int deploy_systemd(const struct deploy *deploy, struct error *err);
int deploy_k8s(const struct deploy *deploy, struct error *err);

/* Whether a node of this kind keeps something that must outlive its process. */
static inline bool deploy_keeps_state(enum node_kind kind)
{
	return kind == NODE_REDUCER || kind == NODE_COLLECTOR || kind == NODE_GATEWAY;
}

#endif
