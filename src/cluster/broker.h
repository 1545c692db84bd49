/*
 * A private RabbitMQ on the loopback interface, without systemd and as any user: for a cluster on
 * one machine and for tests.
 *
 * Everything it needs and keeps is below one folder, and a copy of broker.state beside it
 * (<folder>.state): whatever is deleted, the next start has the same port for clients and the same password.
 *
 *   broker.state    ports, password, whether it has taken connections, and the ids of its processes:
 *                   key=value, mode 600
 *   home/           .erlang.cookie
 *   data/, log/     the broker's own; log/startup.log is what its start printed
 *   first-start     there from the first start of its data until that was seen to take connections
 *   rabbitmq.conf   written anew by broker_start
 *
 * A broker that is killed in its first start leaves data that it will never use as it should: RabbitMQ 3.10 comes
 * back without the queues of types that it enables in a first start alone. Nobody can have anything in it,
 * and the next start begins with none.
 *
 * It outlives the process that started it, unless that asked otherwise; another process finds it
 * again with broker_attach. A later start in the same folder finds the queues, the ports and the
 * password of the one before.
 *
 * Two processes belong to it: the Erlang VM, and an epmd of its own. They are ended by their ids,
 * and only while these still name the processes that were started. Ids are written down before a process
 * becomes one of these: whoever starts them may be killed at any moment. An epmd that is not known by its
 * id is known by its port, and is asked to end.
 */
#ifndef CLUSTER_BROKER_H
#define CLUSTER_BROKER_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A start takes 4 to 6 s of a core, and a busy machine may have few of them for us. */
#define BROKER_READY_MS_DEFAULT 600000

struct broker;

struct broker_options {
	const char *name; /* of the node, the part before @localhost; NULL: "tamiz" */
	/* Forms one cluster with this one, which is ready and has another name; NULL: alone. */
	const struct broker *join;
	const char *config;    /* more lines for rabbitmq.conf; NULL: none */
	bool dies_with_parent; /* killed when the thread that started it ends; for tests */
};

/* Whether there is a RabbitMQ on this machine to start. */
bool broker_is_installed(void);

/*
 * Starts it and does not wait. ERROR_USAGE when none is installed or one runs in this folder
 * already. `folder` is made if it is missing; NULL options are all defaults.
 */
MUST_CHECK int broker_start(struct broker **out, const char *folder,
	const struct broker_options *options, struct error *err);

/* The one that another process started in `folder`; ERROR_USAGE when there is none. */
MUST_CHECK int broker_attach(struct broker **out, const char *folder, struct error *err);

/* Until it speaks AMQP. ERROR_IO when it ended or does not within the time: 0 is the default. */
MUST_CHECK int broker_wait_ready(struct broker *broker, uint32_t timeout_ms, struct error *err);

/* Whether it takes connections. Does not wait. */
bool broker_is_there(struct broker *broker);

/*
 * Whether it has written down that it has streams, and queues with these names: RabbitMQ 3.10 says
 * that it has them up to some seconds before that, and one that is killed in between comes back
 * without them. What stands in its files is its own affair: another version may never say yes.
 */
bool broker_has_written(const struct broker *broker, const char *const *queues, uint32_t count);

/* amqp://user:password@127.0.0.1:port Borrowed; once it has taken connections, the same for the life of the folder. */
const char *broker_url(const struct broker *broker);
/* Of the Erlang VM; 0 when it does not run. */
pid_t broker_pid(const struct broker *broker);

/* SIGKILL to the Erlang VM, as a power failure would; returns when it is gone. */
void broker_kill(struct broker *broker);
/* After a kill, or of a running one: the same ports, the same queues. Does not wait for ready. */
MUST_CHECK int broker_restart(struct broker *broker, struct error *err);
/* Runs rabbitmqctl with `arguments`, which end with NULL; ERROR_IO when it fails. */
MUST_CHECK int broker_control(
	struct broker *broker, const char *const *arguments, struct error *err);

/* Ends it and its epmd, by force if it takes longer than 20 s, and frees `broker`. */
void broker_stop(struct broker *broker);
/* Lets it run. */
void broker_free(struct broker *broker);

#endif
