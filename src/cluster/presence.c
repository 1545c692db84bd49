#include "cluster/presence.h"

#include "cluster/node_lock.h"
#include "cluster/roster.h"

#include <unistd.h>

int presence_open(struct presence *presence, const struct config *config, enum node_kind kind,
	uint32_t index, struct error *err)
{
	struct net_address address;
	char name[ROSTER_NAME_MAX];

	*presence = (struct presence){.lock_fd = -1};
	roster_name(kind, index, name);
	if (node_lock_take(config->cluster.state, name, &presence->lock_fd, err))
		return -1;
	if (index >= config_replicas(config, kind))
		return 0;
	address = config_listen_at(&config->health[kind], index);
	return health_open(&presence->health, name, &address, HEALTH_LOOP_MS_MAX, err);
}

void presence_close(struct presence *presence)
{
	health_close(presence->health);
	presence->health = NULL;
	if (presence->lock_fd >= 0)
		close(presence->lock_fd);
	presence->lock_fd = -1;
}
