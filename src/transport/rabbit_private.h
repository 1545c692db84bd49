/*
 * Inside of the transport on RabbitMQ: what the owner's thread, the publisher and the consumer
 * share, and the connection that the latter two have each.
 *
 * Everything in `struct rabbit` is under its lock but for what says otherwise. A lock is never held
 * over a call that may wait.
 */
#ifndef TRANSPORT_RABBIT_PRIVATE_H
#define TRANSPORT_RABBIT_PRIVATE_H

#include "base/backoff.h"
#include "base/library.h"
#include "base/rng.h"
#include "transport/rabbit.h"
#include "transport/seal.h"

#include <amqp.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#include <pthread.h>
#include <stdatomic.h>

/* What is used of librabbitmq. rabbit_open loads it (base/library.h). */
#define RABBIT_CALLS(CALL)                        \
	CALL(amqp_basic_ack)                      \
	CALL(amqp_basic_consume)                  \
	CALL(amqp_basic_publish)                  \
	CALL(amqp_basic_qos)                      \
	CALL(amqp_channel_close)                  \
	CALL(amqp_channel_open)                   \
	CALL(amqp_confirm_select)                 \
	CALL(amqp_connection_close)               \
	CALL(amqp_cstring_bytes)                  \
	CALL(amqp_destroy_connection)             \
	CALL(amqp_error_string2)                  \
	CALL(amqp_get_rpc_reply)                  \
	CALL(amqp_get_sockfd)                     \
	CALL(amqp_login_with_properties)          \
	CALL(amqp_maybe_release_buffers)          \
	CALL(amqp_method_name)                    \
	CALL(amqp_new_connection)                 \
	CALL(amqp_parse_url)                      \
	CALL(amqp_queue_declare)                  \
	CALL(amqp_queue_delete)                   \
	CALL(amqp_send_method)                    \
	CALL(amqp_set_handshake_timeout)          \
	CALL(amqp_set_rpc_timeout)                \
	CALL(amqp_simple_wait_frame_noblock)      \
	CALL(amqp_socket_open_noblock)            \
	CALL(amqp_ssl_socket_new)                 \
	CALL(amqp_ssl_socket_set_cacert)          \
	CALL(amqp_ssl_socket_set_key)             \
	CALL(amqp_ssl_socket_set_ssl_versions)    \
	CALL(amqp_ssl_socket_set_verify_hostname) \
	CALL(amqp_ssl_socket_set_verify_peer)     \
	CALL(amqp_tcp_socket_new)

extern struct rabbit_calls {
	RABBIT_CALLS(LIBRARY_POINTER)
} rabbitmq;

#define RABBIT_NO_BYTES ((amqp_bytes_t){0})
#define RABBIT_NO_TABLE ((amqp_table_t){0})

#define RABBIT_URLS_MAX	    16
#define RABBIT_NOTES_MAX    64
#define RABBIT_NOTE_SIZE    512
#define RABBIT_LOG_PREFETCH 256
/* Names of queues are longer than their user's by a prefix and a suffix. */
#define RABBIT_PREFIX_MAX 100
/* Delivery tags count from 1 on every channel; above them stands the connection's epoch. */
#define RABBIT_TAG_BITS 40
/* Threads look around at least so often: heartbeats are due, the owner may be closing. */
#define RABBIT_NAP_MS 500

/* The log takes turns on two: what still comes in on the one that it left is not for it. */
enum rabbit_channel {
	RABBIT_CHANNEL_DATA = 1,
	RABBIT_CHANNEL_RPC,
	RABBIT_CHANNEL_LOG,
	RABBIT_CHANNEL_LOG_TOO
};

/* A queue that is published to. Made by the owner, lives as long as the handle. */
struct rabbit_queue {
	struct rabbit_queue *next;
	bool is_log;
	struct seal_key seal;
	uint64_t declared_epoch; /* the publisher's own */
	char name[];		 /* with its prefix */
};

enum rabbit_event_kind {
	RABBIT_EVENT_DELIVERY,
	RABBIT_EVENT_LOG,
	RABBIT_EVENT_LOG_LOST,
	RABBIT_EVENT_LOG_REPLACED,
	RABBIT_EVENT_DEAD,
	RABBIT_EVENT_PLACED,
	RABBIT_EVENT_LOST,
	RABBIT_EVENT_NOTE
};

/* From the threads to the owner. */
struct rabbit_event {
	struct rabbit_event *next;
	enum rabbit_event_kind kind;
	enum log_event note; /* of RABBIT_EVENT_NOTE, whose line the bytes are */
	uint32_t attempt;
	uint64_t tag;
	uint64_t offset;
	size_t size;
	size_t filled;
	uint8_t bytes[];
};

struct rabbit_events {
	struct rabbit_event *first;
	struct rabbit_event **last;
};

/*
 * An entry that we appended to the log we follow. A confirm is not enough to forget it: a RabbitMQ
 * whose stream got another leader may confirm what it then takes for a repetition and drops. It is
 * forgotten when it was seen, and appended again when it is not.
 */
struct rabbit_entry {
	struct rabbit_entry *next;
	uint64_t hash;
	bool seen;
	uint64_t confirmed_ms; /* 0: not yet, or on its way again */
	size_t size;
	uint8_t bytes[];
};

/* From the owner to the publisher. */
struct rabbit_message {
	struct rabbit_message *next;
	struct rabbit_queue *queue;
	struct rabbit_event *dead;  /* its bytes are meant; NULL: those below */
	struct rabbit_entry *entry; /* of the log; NULL: nobody waits to see it */
	bool is_again;		    /* the owner was told that it is confirmed */
	uint64_t sent_us;	    /* when it was last sent */
	uint64_t id;
	size_t size;
	uint8_t bytes[];
};

struct rabbit_messages {
	struct rabbit_message *first;
	struct rabbit_message **last;
};

struct rabbit_numbers {
	uint64_t *items;
	size_t count;
	size_t capacity;
};

/* How a connection ended, as far as it matters to who waits for the broker to notice. */
enum rabbit_end {
	RABBIT_END_TOLD,  /* by the broker, or both sides saw it close */
	RABBIT_END_SILENT /* we cannot know what the broker knows */
};

/* A connection and the thread that alone uses it. */
struct rabbit_link {
	struct rabbit *rabbit;
	const char *purpose;
	pthread_t thread;
	int wake_fd;
	bool woken;		/* under the lock: wake_fd is readable, or about to */
	int socket;		/* under the lock, for others to shut it down; -1 */
	uint64_t away_until_ms; /* under the lock: for tests */
	atomic_bool is_up;
	amqp_connection_state_t connection; /* NULL: down. This and all below: the thread's own */
	uint64_t epoch;			    /* counts connections from 1 on */
	bool blocked;
	enum rabbit_end end;
	uint64_t up_since_ms;
	uint64_t down_since_ms;
	uint64_t retry_at_ms;
	uint32_t failures;
	struct backoff backoff;
	uint32_t url_next;
	struct rng rng;
	char log_name[RABBIT_PREFIX_MAX + 16]; /* as it was found on this connection */
};

struct rabbit_url {
	char *text; /* `info` points into it */
	struct amqp_connection_info info;
};

struct rabbit {
	struct transport transport;
	pthread_mutex_t lock;
	int event_fd;
	atomic_bool closing;
	atomic_size_t backlog;

	/* Set before the threads start, and constant. */
	struct rabbit_options
		options; /* its texts are our own copies, and none is NULL by default */
	struct rabbit_url urls[RABBIT_URLS_MAX];
	uint32_t url_count;
	struct seal_key seal; /* the cluster's */
	struct rabbit_queue *log;
	struct rabbit_queue *dead;

	/* The owner's own. */
	struct rabbit_queue *queues[256];
	bool dispatching;
	bool closed; /* while dispatching, which then frees it */

	/* To the owner. */
	bool signalled; /* event_fd is readable, or about to */
	struct rabbit_events events;
	uint32_t note_count;
	struct rabbit_numbers confirms;

	/* To the publisher. */
	struct rabbit_link publisher;
	struct rabbit_messages outbox;

	struct rabbit_entry *entries; /* of ours, in the log and not seen, or on their way there */
	uint64_t log_new_ms;	      /* when anything new came from the log last */

	/* To the consumer. */
	struct rabbit_link consumer;
	bool follows;
	bool has_mark; /* where it starts */
	struct transport_mark mark;
	char *consumed; /* the queue, with its prefix; NULL: none */
	struct seal_key consumed_seal;
	uint16_t prefetch;
	bool exclusive;
	struct rabbit_numbers acks;
	uint64_t log_done; /* the last entry that the owner has seen, by its tag */
	bool replaces_log;
	uint64_t log_down_ms; /* since when the log is known and cannot be opened; 0: it can */
};

/* rabbit.c: what the threads say to the owner and to each other. */

struct rabbit_event *rabbit_event_new(enum rabbit_event_kind kind, size_t size);
/* Takes the event. */
void rabbit_tell(struct rabbit *rabbit, struct rabbit_event *event);
void rabbit_tell_confirms(struct rabbit *rabbit, const struct rabbit_numbers *ids);
/* To the owner's log. */
void rabbit_note(struct rabbit *rabbit, enum log_event what, const struct log_field *fields);
/* Deliveries of a connection that is gone need not reach the owner: they come again. */
void rabbit_forget_deliveries(struct rabbit *rabbit);
/* Takes the event: it is published to the dead-letter queue and then told to the owner. */
void rabbit_bury(struct rabbit *rabbit, struct rabbit_event *event);
/* An entry of the log has come that was not known. */
void rabbit_entry_seen(struct rabbit *rabbit, uint64_t hash);
void rabbit_entry_confirmed(struct rabbit *rabbit, struct rabbit_entry *entry);
/* Appends again what should have been seen by now. */
void rabbit_entries_repeat(struct rabbit *rabbit);
void rabbit_messages_append(struct rabbit_messages *list, struct rabbit_message *message);
void rabbit_message_free(struct rabbit_message *message);
void rabbit_numbers_add(struct rabbit_numbers *numbers, uint64_t number);

/* rabbit_link.c */

/*
 * Connects when it is time for another attempt, with the data channel and the one for declarations;
 * else naps until it is, or until it is woken. Whether it is up.
 */
bool rabbit_link_connect(struct rabbit_link *link);
/* -1: the link is broken. */
int rabbit_link_open_channel(struct rabbit_link *link, enum rabbit_channel channel);
int rabbit_link_close_channel(struct rabbit_link *link, enum rabbit_channel channel);
/* Ends it without a word: it is broken, for this reason. */
void rabbit_link_break(struct rabbit_link *link, const char *reason);
/* Ends it in order, if it can be done in a short time. */
void rabbit_link_close(struct rabbit_link *link);
/* 1: a frame, valid until the next call; 0: none yet; -1: broken. Serves heartbeats. */
int rabbit_link_read(struct rabbit_link *link, amqp_frame_t *frame);
/* Until there is something to read, it is woken, or `timeout_ms` have passed. */
void rabbit_link_nap(struct rabbit_link *link, uint32_t timeout_ms);
/* The owner's side of it; under the lock. */
void rabbit_link_wake(struct rabbit_link *link);

enum rabbit_declared { RABBIT_DECLARED, RABBIT_REFUSED, RABBIT_BROKEN };

/* Never REFUSED: a queue that exists with other arguments will do. */
enum rabbit_declared rabbit_link_declare(struct rabbit_link *link, const char *name, bool is_log);
/* The log under its last name, which is link->log_name then; made if there is none. */
enum rabbit_declared rabbit_link_find_log(struct rabbit_link *link);
/* Deletes the log that was found, and makes it anew. */
enum rabbit_declared rabbit_link_replace_log(struct rabbit_link *link);
/* REFUSED when another connection holds it. */
enum rabbit_declared rabbit_link_hold(struct rabbit_link *link, const char *queue);
/* -1 after it has broken the link: what the last call of librabbitmq met. */
int rabbit_link_check(struct rabbit_link *link, const char *action);

/* rabbit_publish.c and rabbit_consume.c: the threads. */

void *rabbit_publisher_main(void *context);
void *rabbit_consumer_main(void *context);

#endif
