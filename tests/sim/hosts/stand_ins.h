/*
 * What stands in for the parts of the product that deal with the real machine: the HTTP server that
 * tells how a node is (cluster/health.h), its place (cluster/node_lock.h), whoever starts nodes again
 * (watch/driver.h), descriptors given to a process of the same host (net/fd_passing.h), chance and the
 * log. The linker puts them in their place, as the calls of the system (calls.c).
 */
#ifndef SIM_HOSTS_STAND_INS_H
#define SIM_HOSTS_STAND_INS_H

#include "cluster/health.h"
#include "cluster/roster.h"
#include "sim/hosts/machine.h"

struct stand_ins {
	/* A watcher wants a node to be started again: it has just decided so. */
	void (*on_order)(void *context, struct machine_process *by, const struct roster_node *which,
		const char *reason);
	/* The order arrives; false: it does not. */
	bool (*on_restart)(
		void *context, struct machine_process *by, const struct roster_node *which);
	/* What a node publishes: JSON. */
	void (*on_status)(void *context, struct machine_process *by, const char *json, size_t size);
	void *context;
};

/* Borrowed. */
void stand_ins_use(const struct stand_ins *with);

/* Connections of those who ask the process how it is. */
uint32_t stand_in_guests(const struct machine_process *process);
/* Whether it would say that it is well. */
bool stand_in_is_ready(const struct machine_process *process);

#endif
