/*
 * What the files of a private RabbitMQ share.
 *
 *   broker.c           its start, its end, and what is asked of it
 *   broker_state.c     its files, and what is written down of it for processes that come later
 *   broker_process.c   its processes: the Erlang VM, epmd, commands
 */
#ifndef CLUSTER_BROKER_PRIVATE_H
#define CLUSTER_BROKER_PRIVATE_H

#include "cluster/broker.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define BROKER_STOP_MS_MAX   20000
#define BROKER_PASSWORD_SIZE 33
#define BROKER_NAME_SIZE     64
#define BROKER_FILE_SIZE_MAX 65536
/* Three ports for each of some starts. */
#define BROKER_RESERVATIONS_MAX 32

/* {0}: none. */
struct child {
	pid_t pid;
	uint64_t started; /* ticks since the machine did */
};

struct broker {
	char *folder; /* absolute */
	char *url;
	char name[BROKER_NAME_SIZE];
	char password[BROKER_PASSWORD_SIZE];
	uint16_t amqp_port;
	uint16_t dist_port;
	uint16_t epmd_port;
	int reservations[BROKER_RESERVATIONS_MAX]; /* of ports that nobody listens at yet */
	uint32_t reservation_count;
	struct child vm;
	struct child epmd; /* none when it is another's, whose cluster this one joined */
	char peer[BROKER_NAME_SIZE];
	bool has_served; /* it has taken connections, and its port is what others know it by */
	bool dies_with_parent;
};

/* -- Files below its folder; the caller frees what it gets -- */

char *broker_path(const struct broker *broker, const char *name);
/* Whole or not at all. */
MUST_CHECK int broker_write_file(const struct broker *broker, const char *name, const char *text,
	mode_t mode, struct error *err);
/* NULL when there is none. */
char *broker_read_file(const struct broker *broker, const char *name);

/* -- What is known of it, in its folder and beside it -- */

/* The copy beside the folder, for when that is deleted. */
char *broker_state_beside(const char *folder);
MUST_CHECK int broker_state_write(const struct broker *broker, struct error *err);
/* False when there is no file, or not a whole one. */
bool broker_state_read(struct broker *broker);

/* -- Processes -- */

/* Where the programs are, unless they are in PATH. */
extern const char *const broker_script_folders[];
extern const char *const broker_erlang_folders[];

bool broker_find_program(
	const char *name, const char *const *folders, char *path, size_t path_size);
/* `child` is the broker's vm or epmd, which is written down, or any other. */
MUST_CHECK int broker_spawn(const struct broker *broker, struct child *child, const char *path,
	char *const *argv, struct error *err);
bool broker_child_runs(const struct child *child);
/* With no patience it is killed at once. */
void broker_child_end(struct child *child, uint32_t patience_ms);

#endif
