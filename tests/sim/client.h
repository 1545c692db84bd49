/*
 * A simulated client: a session (client/session.h) over the simulated network, with a life of its
 * own: it may vanish while it sends or waits, and come back with what it had saved, come back with
 * nothing, or never come back.
 */
#ifndef SIM_CLIENT_H
#define SIM_CLIENT_H

#include "client/session.h"
#include "sim/source.h"
#include "sim/world.h"

enum client_fate {
	CLIENT_STAYS,
	CLIENT_RESUMES,	 /* vanishes, and goes on where it was */
	CLIENT_RESTARTS, /* vanishes, and sends everything again, as the same job */
	CLIENT_NEVER_RETURNS,
};

#define SIM_CLIENT_CONNECTIONS_MAX 3
#define SIM_CLIENT_RETRIES	   20

struct sim_client {
	struct world_client net; /* first */
	struct world *world;
	char name[SIM_NODE_NAME_MAX];
	enum client_fate fate;
	struct sim_job *job;
	struct session_options options;
	struct sim_source source;
	struct session_state state;
	struct session *session; /* NULL while it is away */
	struct rng rng;
	uint64_t away_at_us;
	uint64_t back_at_us;
	uint32_t submissions;
	uint32_t messages_lost; /* submissions that ended for want of a message */
	bool left;		/* it has been away already, or for good */
	uint64_t connecting[SIM_CLIENT_CONNECTIONS_MAX]; /* no answer so far; 0: free */
};

/* `job` is borrowed. It starts after `start_us` of virtual time. */
struct sim_client *sim_client_new(struct world *world, uint32_t index, struct sim_job *job,
	enum client_fate fate, uint64_t start_us);
void sim_client_free(struct sim_client *client);

/* It has its results, an error, or has gone for ever. */
bool sim_client_is_over(const struct sim_client *client);

#endif
