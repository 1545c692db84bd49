/*
 * How whole messages leave an event handler that has no sockets: towards its clients for a gateway,
 * towards a gateway for a client. Real connections are behind it, or simulated ones.
 */
#ifndef WIRE_PORT_H
#define WIRE_PORT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that somebody lends to a port. Embedded by their owner. */
struct wire_loan {
	/* Once for every send that borrowed them, when it needs them no more. */
	void (*done)(struct wire_loan *loan);
};

/* The way back to clients, for gateways; and to gateways, for clients. */
struct wire_port {
	/* Bytes of one whole message; copied. */
	void (*send)(struct wire_port *port, uint64_t connection, const void *bytes, size_t size);
	/* Hangs up: whoever is told of closed connections is not told of this one. */
	void (*drop)(struct wire_port *port, uint64_t connection);
	/*
	 * As send, for a large message whose body is not copied, but borrowed until the loan's
	 * `done`, which may be called before this returns. NULL: there is only `send`.
	 */
	void (*send_lent)(struct wire_port *port, uint64_t connection, const void *head,
		size_t head_size, const void *body, size_t body_size, struct wire_loan *loan);
	/*
	 * While a message is handed over: it stays where it is until the loan's `done`, in the same
	 * thread. NULL: it does not, and who needs it for longer copies it.
	 */
	struct wire_loan *(*keep)(struct wire_port *port);
	/* "HOST:PORT" of its other end, as far as this machine sees it; "" when it cannot tell. NULL: it never can. */
	void (*peer)(struct wire_port *port, uint64_t connection, char *out, size_t size);
	/* Bytes that have not left for the network yet. NULL: nobody knows. */
	size_t (*unsent)(struct wire_port *port, uint64_t connection);
};

#endif
