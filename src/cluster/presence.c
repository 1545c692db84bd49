#include "cluster/presence.h"

#include "cluster/node_lock.h"

#include <unistd.h>

int presence_open(struct presence *presence, const struct config *config, enum node_kind kind,
	uint32_t index, struct error *err)
{
	struct net_address address;

	*presence = (struct presence){.lock_fd = -1, .state = config->cluster.state};
	notify_open(&presence->notify);
	roster_name(kind, index, presence->name);
	if (node_lock_take(presence->state, presence->name, &presence->lock_fd, err))
		return -1;
	if (index >= config_replicas(config, kind))
		return 0;
	address = config_listen_at(&config->health[kind], index);
	return health_open(&presence->health, presence->name, &address, HEALTH_LOOP_MS_MAX, err);
}

int presence_keep(struct presence *presence, uint64_t now_ms, struct error *err)
{
	if (presence->lock_fd < 0 || now_ms - presence->kept_ms < NODE_LOCK_KEEP_MS)
		return 0;
	presence->kept_ms = now_ms;
	return node_lock_keep(presence->state, presence->name, &presence->lock_fd, err);
}

void presence_beat(struct presence *presence, uint64_t now_ms)
{
	health_beat(presence->health);
	notify_beat(&presence->notify, now_ms);
}

void presence_close(struct presence *presence)
{
	notify_close(&presence->notify);
	health_close(presence->health);
	presence->health = NULL;
	if (presence->lock_fd >= 0)
		close(presence->lock_fd);
	presence->lock_fd = -1;
}
