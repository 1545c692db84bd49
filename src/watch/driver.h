/*
 * Starts nodes again, in the way that the cluster file names:
 *
 *   local      a new process on this machine, `tamiz ROLE --file FILE --index I --replace`, which
 *              first ends the one that has the node's place, if any, by its id
 * (cluster/node_lock.h) systemd    systemctl restart UNIT docker     docker restart --time 0
 * CONTAINER command    sh -c COMMAND
 *
 * It does not wait: `done` is called from the loop when a node's restart is over. Commands that
 * take longer than command_timeout are killed, with their children.
 *
 * Two drivers at once, of two watchers that both think they lead, do no harm: the place of a node
 * has one process at a time, a disk one owner and a queue one reader, and a process that was
 * replaced stops when it finds that out (docs/exactly-once.md).
 */
#ifndef WATCH_DRIVER_H
#define WATCH_DRIVER_H

#include "cluster/config.h"
#include "cluster/roster.h"
#include "net/loop.h"

struct driver;

/* `why`: NULL when it went well. `node`: as given to driver_restart. */
typedef void (*driver_done)(void *context, uint32_t node, const char *why);

/* `log_folder`: where the output of local nodes goes. */
struct driver *driver_new(struct loop *loop, const struct config *config, const char *log_folder,
	driver_done done, void *context);
/* Commands under way are left alone. */
void driver_free(struct driver *driver);

/* `node` is a number of the caller's; one restart at a time for each. */
void driver_restart(
	struct driver *driver, uint32_t node, const struct roster_node *which, const char *reason);
/* Whether the process of the node is known to live. */
bool driver_lives(const struct driver *driver, const struct roster_node *which);

/*
 * One process of this program that outlives us, and that somebody else buries: what `local` does.
 * It ends who has the node's place, and does not start in a cluster that was ended meanwhile: only a
 * person who starts a node does that.
 */
MUST_CHECK int driver_spawn(const struct config *config, const struct roster_node *which,
	const char *log_folder, struct error *err);

/* {node} and the like replaced; for tests. False when it is too long. */
bool driver_fill(const char *text, const struct roster_node *which, const char *reason, char *out,
	size_t size);

#endif
