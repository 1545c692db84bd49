/*
 * Files that run the nodes of a cluster file on a platform: containers, units of systemd, Kubernetes, or processes of this
 * machine. The cluster file is kept but for what the platform decides: addresses, folders, the broker, who starts nodes
 * again. Secrets go into a file of their own, for their owner alone, and are drawn by chance where there are none.
 */
#ifndef DEPLOY_DEPLOY_H
#define DEPLOY_DEPLOY_H

#include "cluster/config.h"

struct deploy_options {
	const char
		*folder; /* made if it is missing; what is there is written anew, but for secrets */
	const char *image; /* of tamiz, for containers */
	const char *broker_image;
	uint64_t port; /* the first of a local one */
};

enum deploy_kind {
	DEPLOY_COMPOSE,
	DEPLOY_SYSTEMD,
	DEPLOY_K8S,
	DEPLOY_LOCAL,
};

#define DEPLOY_KINDS 4

/* "compose", "systemd", "k8s", "local". */
extern const char *const deploy_words[DEPLOY_KINDS + 1];

/* `file` is the cluster file that `config` was loaded from. */
MUST_CHECK int deploy_write(enum deploy_kind kind, const struct config *config,
	const struct deploy_options *options, struct error *err);

#endif
