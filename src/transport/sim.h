/*
 * A broker and the network to it, simulated in one thread on virtual time: transport.h's promises
 * and nothing beyond them, under faults that come from a seed.
 *
 * A handle has two connections, one to publish and one to consume, which break apart. What travels
 * on a connection arrives in order; when it breaks, each message on its way to the broker arrives
 * all the same or does not, by chance. Handlers run from sim_events_step alone.
 */
#ifndef TRANSPORT_SIM_H
#define TRANSPORT_SIM_H

#include "base/rng.h"
#include "transport/sim_events.h"
#include "transport/transport.h"

#define SIM_NODE_NAME_MAX 32

/* Chances in a million, and times in microseconds. All zero: a broker without faults or delays. */
struct sim_faults {
	uint32_t duplicate_ppm;	   /* a published message is in its queue, or the log, twice */
	uint32_t reorder_ppm;	   /* a delivery takes any of the queue's first messages ... */
	uint32_t reorder_depth;	   /* ... so many, and not the first one */
	uint32_t long_delay_ppm;   /* a delivery or log entry takes up to long_delay_us */
	uint32_t break_ppm;	   /* a connection breaks when something arrives on it */
	uint32_t confirm_lost_ppm; /* a connection breaks between a message and its confirm */
	uint32_t restart_ppm;	   /* the broker restarts when a message arrives */
	uint64_t delay_us;	   /* up to which anything takes to arrive */
	uint64_t long_delay_us;
	uint64_t backoff_us; /* up to which a broken connection takes to come back */
	/*
	 * Up to which a new connection, or the restarted broker, is spared by chance. Without it
	 * a thousand messages on their way would never all get through.
	 */
	uint64_t steady_us;
	uint64_t restart_us;   /* up to which a restart takes */
	uint64_t heartbeat_us; /* after which the broker gives up on a paused node */
};

struct sim_counts {
	uint64_t published; /* messages that arrived in a queue, and ... */
	uint64_t appended;  /* ... entries in the log: repetitions count */
	uint64_t delivered;
	uint64_t confirmed;
	uint64_t logged; /* entries read by nodes */
	uint64_t acked;
	/* Faults. */
	uint64_t duplicated;
	uint64_t reordered;
	uint64_t delayed_long;
	uint64_t redelivered; /* back in the queue after it was on its way to a consumer */
	uint64_t breaks;
	uint64_t confirms_lost;
	uint64_t restarts;
	uint64_t purged;	    /* messages that sim_broker_purge took */
	uint64_t in_flight_lost;    /* on the way to the broker when the connection broke */
	uint64_t acks_lost;	    /* likewise */
	uint64_t unconfirmed_lost;  /* by a restart, before a confirm was sent */
	uint64_t zombie_deliveries; /* read after a pause, from a connection long dead */
	uint64_t places_lost;	    /* on_lost */
	uint64_t logs_lost;	    /* by sim_broker_lose, with all entries or some */
	uint64_t queues_lost;
	/* A mistake of a node: a tag acknowledged twice. */
	uint64_t double_acks;
};

struct sim_broker;

/* `events` and `rng` are borrowed until sim_broker_free. */
struct sim_broker *sim_broker_new(
	struct sim_events *events, struct rng *rng, const struct sim_faults *faults);
/* All its handles are closed by then. */
void sim_broker_free(struct sim_broker *broker);

/* From now on; all zero to let a world come to rest. */
void sim_broker_set_faults(struct sim_broker *broker, const struct sim_faults *faults);
const struct sim_counts *sim_broker_counts(const struct sim_broker *broker);

/* Sees every message that is published to a queue; `context` is its own. */
typedef void (*sim_watcher)(void *context, const char *queue, const void *bytes, size_t size);
void sim_broker_watch(struct sim_broker *broker, sim_watcher watcher, void *context);
/* Messages that wait, and that are out with a consumer. */
uint64_t sim_broker_queue_size(const struct sim_broker *broker, const char *queue);
/* Of all queues. */
uint64_t sim_broker_size(const struct sim_broker *broker);
/* Breaks all connections, and lets nobody in for `down_us`. */
void sim_broker_restart(struct sim_broker *broker, uint64_t down_us);
/* Whatever waits in one of the queues is gone, confirmed or not. */
void sim_broker_purge(struct sim_broker *broker);

/* What a broker may have lost when it comes back, whatever it had confirmed. */
enum sim_loss {
	SIM_LOSS_LOG,	  /* all of the log */
	SIM_LOSS_LOG_END, /* its last entries */
	SIM_LOSS_ALL,	  /* the log and all queues */
};

/* As sim_broker_restart, with a loss. */
void sim_broker_lose(struct sim_broker *broker, enum sim_loss loss, uint64_t down_us);

/* Never fails; connects as soon as the broker lets it. `name` is copied. */
struct transport *sim_transport_open(struct sim_broker *broker, const char *name);
/* The process died: as transport_close. */
void sim_transport_kill(struct transport *transport);
/* Both connections. */
void sim_transport_break(struct transport *transport);
/*
 * The process is stopped, and goes on later. Between them no handler is called, and none may be
 * using the handle; when it goes on it first reads what had arrived before the broker gave up on
 * it.
 */
void sim_transport_pause(struct transport *transport);
void sim_transport_resume(struct transport *transport);

/* Chance for everyone in the simulated world. */
static inline bool sim_chance(struct rng *rng, uint32_t ppm)
{
	return ppm > 0 && rng_below(rng, 1000000) < ppm;
}

static inline uint64_t sim_up_to(struct rng *rng, uint64_t limit)
{
	return limit ? rng_below(rng, limit + 1) : 0;
}

#endif
