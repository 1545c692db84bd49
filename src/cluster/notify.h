/*
 * Signs of life for the service manager that started this process (sd_notify(3), without its library): that it is up, that
 * its event loop turns, that it ends. A process that nobody wants to hear of has nothing open, and pays nothing.
 *
 * What the environment says of it is taken out of there: children are no services.
 */
#ifndef CLUSTER_NOTIFY_H
#define CLUSTER_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify {
	int fd;		      /* -1: nobody wants to hear */
	uint64_t interval_ms; /* between two signs of life; 0: none are wanted */
	uint64_t told_ms;
	bool up;
};

void notify_open(struct notify *notify);
/* The event loop has turned; the first time it is said that the process is up. Cheap enough for every turn. */
void notify_beat(struct notify *notify, uint64_t now_ms);
/* Says that the process ends. May be called again. */
void notify_close(struct notify *notify);

#endif
