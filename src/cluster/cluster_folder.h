/*
 * The folder of a cluster on this machine, as `tamiz up` keeps it:
 *
 *   lock          held by the process that looks after the cluster; its number is inside
 *   file          the path of the cluster file
 *   cluster.ini   the cluster file, when `up` wrote it
 *   server        what to give to --server
 *   broker/       the private RabbitMQ (cluster/broker.h)
 *   broker.state  its ports, its password and its processes, should that folder be deleted
 *   log/          one log per process
 *   nodes/        one folder per node
 */
#ifndef CLUSTER_CLUSTER_FOLDER_H
#define CLUSTER_CLUSTER_FOLDER_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* `given`, or $XDG_STATE_HOME/tamiz/cluster or ~/.local/state/tamiz/cluster, as a full path. */
MUST_CHECK int cluster_folder_path(const char *given, char *path, size_t size, struct error *err);
/* The folder, log/ and nodes/. */
MUST_CHECK int cluster_folder_make(const char *folder, struct error *err);

/*
 * ERROR_USAGE when a cluster runs in it. *fd is the lock, signed by us: it ends with the process, and with
 * those that it has forked.
 */
MUST_CHECK int cluster_folder_lock(const char *folder, int *fd, struct error *err);
/* Our process number into the lock: after a fork the child's counts. */
void cluster_folder_sign(int fd);
/* Who holds the lock; 0: nobody does. */
pid_t cluster_folder_owner(const char *folder);

/* A small text file, whole or not at all; only its owner can read it. */
MUST_CHECK int cluster_folder_write(
	const char *folder, const char *name, const char *text, struct error *err);
/* The same, read; without an end of line. */
MUST_CHECK int cluster_folder_read(
	const char *folder, const char *name, char *text, size_t size, struct error *err);

#endif
