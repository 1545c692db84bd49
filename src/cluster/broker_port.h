/* The ports of a private RabbitMQ, on the loopback interface. */
#ifndef CLUSTER_BROKER_PORT_H
#define CLUSTER_BROKER_PORT_H

#include <stdbool.h>
#include <stdint.h>

bool broker_port_is_free(uint16_t port);
/*
 * A free one, at random. Nobody who asks here gets it before *reservation is closed; -1: the system has no
 * descriptor for that, and the port is merely free.
 */
uint16_t broker_port_pick(int *reservation);
/* A connection; -1 when nobody listens. */
int broker_port_connect(uint16_t port);
/* Whether an epmd answers there. */
bool broker_port_is_epmd(uint16_t port);
/* Asks an epmd to end, which it does when no Erlang node is known to it any more. */
void broker_port_end_epmd(uint16_t port);
/* Whether a broker answers there. */
bool broker_port_speaks_amqp(uint16_t port);

#endif
