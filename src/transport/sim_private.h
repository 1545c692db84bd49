/*
 * The two halves of the simulated transport: sim_broker.c, where messages lie, and sim.c, the ends
 * of connections that nodes hold. No call from here to there runs a handler, so that both may
 * change lists while they walk them.
 */
#ifndef TRANSPORT_SIM_PRIVATE_H
#define TRANSPORT_SIM_PRIVATE_H

#include "transport/sim.h"

/* Shared by all that hold it; the bytes never change. */
struct sim_message {
	uint32_t references;
	bool durable; /* a confirm was sent, which its publisher may read much later */
	uint64_t hash;
	size_t size;
	uint8_t bytes[];
};

struct sim_message *sim_message_new(const void *bytes, size_t size);
void sim_message_drop(struct sim_message *message);

/* A growable array of items of one size. */
struct sim_list {
	char *items;
	size_t item_size;
	size_t count;
	size_t capacity;
};

void sim_list_init(struct sim_list *list, size_t item_size);
void sim_list_release(struct sim_list *list);
void sim_list_insert(struct sim_list *list, size_t at, const void *item);
void sim_list_remove(struct sim_list *list, size_t at);

static inline void *sim_list_at(const struct sim_list *list, size_t at)
{
	return list->items + at * list->item_size;
}

/* A message that waits in a queue. */
struct sim_entry {
	struct sim_message *message;
	uint32_t attempt;
};

struct sim_queue {
	char name[TRANSPORT_QUEUE_NAME_MAX + 1];
	struct sim_list ready;	   /* struct sim_entry, in the order of arrival */
	struct sim_list consumers; /* struct sim_handle * */
	struct sim_handle *owner;  /* the exclusive consumer; NULL: none */
};

struct sim_log_entry {
	struct sim_message *message;
	uint64_t offset;
};

struct sim_broker {
	struct sim_events *events;
	struct rng *rng;
	struct sim_faults faults;
	struct sim_counts counts;
	struct sim_list queues;	 /* struct sim_queue * */
	struct sim_list log;	 /* struct sim_log_entry */
	struct sim_list handles; /* struct sim_handle * */
	uint64_t up_at_us;	 /* it lets nobody in before */
	uint64_t steady_until_us;
	uint64_t tag; /* the last one given; never twice in the broker's life */
	sim_watcher watcher;
	void *watcher_context;
};

enum sim_link_kind {
	SIM_LINK_PUBLISH,
	SIM_LINK_CONSUME,
};

enum sim_link_state {
	SIM_LINK_DOWN,
	SIM_LINK_UP,
	SIM_LINK_DEAD, /* the broker has given it up and the node does not know */
};

struct sim_link {
	enum sim_link_state state;
	uint64_t to_broker_us; /* when the last thing on its way arrives */
	uint64_t to_node_us;
	uint64_t steady_until_us;
};

/* What the broker has sent to a consumer and may have back. */
struct sim_unacked {
	uint64_t tag;
	struct sim_entry entry;
	bool acking; /* the acknowledgement is on its way */
};

enum sim_publish_state {
	SIM_PUBLISH_WAITING, /* for a connection */
	SIM_PUBLISH_TRAVELLING,
	SIM_PUBLISH_ARRIVED,   /* and its confirm is on the way */
	SIM_PUBLISH_CONFIRMED, /* an entry of the log that its writer has not read there yet */
};

struct sim_publish {
	uint64_t serial;
	uint64_t id;		 /* the user's */
	struct sim_queue *queue; /* NULL: the log */
	struct sim_message *message;
	enum sim_publish_state state;
	bool told; /* its user knows that it is confirmed ... */
	bool seen; /* ... or the entry was read in the log before that */
};

enum sim_item_kind {
	SIM_ITEM_CONFIRM,
	SIM_ITEM_DELIVERY,
	SIM_ITEM_LOG,
	SIM_ITEM_LOG_LOST,
	SIM_ITEM_LOG_REPLACED,
	SIM_ITEM_PLACED,
};

/* On its way from the broker to a node, or lying there unread. */
struct sim_item {
	uint64_t number;
	enum sim_item_kind kind;
	enum sim_link_kind link;
	bool due;		     /* its time has come while the node was paused */
	uint64_t key;		     /* the serial, tag or offset */
	struct sim_message *message; /* NULL for a confirm, and for PLACED */
	uint32_t attempt;
};

struct sim_handle {
	struct transport transport;
	struct sim_broker *broker;
	char name[SIM_NODE_NAME_MAX];
	struct sim_link links[2];
	bool paused;
	uint64_t pauses;

	struct sim_queue *queue; /* that it wants to consume; NULL: none */
	uint32_t prefetch;
	bool exclusive;
	bool attached;	/* the broker counts it among the queue's consumers */
	bool had_queue; /* was attached once: nobody else should be */
	bool placed;	/* and knows it */
	bool lost;
	bool following;
	bool log_sent; /* the next entry is among `items` */
	bool log_lost; /* it is not the one that was read; nothing more comes */
	bool has_mark; /* an entry was read, or is known from before */
	bool replaces; /* the log, as soon as the broker is there */
	bool replaced; /* it was, and its user does not know yet */
	struct transport_mark mark;
	size_t log_next; /* the next entry to read */

	uint64_t serial;
	uint64_t item_number;
	struct sim_list unacked; /* struct sim_unacked; the broker's side of it */
	struct sim_list items;	 /* struct sim_item */
	struct sim_list pending; /* struct sim_publish, in the order of publishing */
};

/* --- sim_broker.c ------------------------------------------------------------------------------*/

/* Made when it is not there. */
struct sim_queue *sim_broker_queue(struct sim_broker *broker, const char *name);
void sim_broker_accept(struct sim_broker *broker, const struct sim_publish *publish);
void sim_broker_ack(struct sim_broker *broker, struct sim_handle *handle, uint64_t tag);
/* Makes the handle a consumer of its queue; false when the queue belongs to another. */
bool sim_broker_attach(struct sim_broker *broker, struct sim_handle *handle);
/* The connection to consume is gone: takes back what is unacknowledged. */
void sim_broker_detach(struct sim_broker *broker, struct sim_handle *handle);
/* Finds the place in the log behind the handle's mark, if it is there; else the log is lost. */
void sim_broker_find_mark(struct sim_broker *broker, struct sim_handle *handle);
/* The log is empty from now on; the handle follows it from its start. */
void sim_broker_replace_log(struct sim_broker *broker, struct sim_handle *handle);
/* Sends the next entry of the log to a follower that has none on the way. */
void sim_broker_send_log(struct sim_broker *broker, struct sim_handle *handle);

/* --- sim.c -------------------------------------------------------------------------------------*/

/* Sets number and arrival; takes over the reference to the message. */
void sim_handle_send(struct sim_handle *handle, struct sim_item item);
void sim_link_break(struct sim_handle *handle, enum sim_link_kind kind);

#endif
