/*
 * What the files of the gateway share.
 */
#ifndef ROLE_GATEWAY_PRIVATE_H
#define ROLE_GATEWAY_PRIVATE_H

#include "cluster/users.h"
#include "role/intake.h"
#include "role/mapper.h"
#include "role/publish_group.h"
#include "role/quota.h"
#include "role/result_store.h"
#include "wire/message.h"

struct gateway_client {
	struct gateway_client *next;
	uint64_t connection;
	uint64_t who; /* a user; else the same for all connections from one address; 0: unknown */
	uint64_t job; /* the one it last spoke of, and may; 0: none yet */
	/* What the log said last of it by gateway_audit_once; NULL: nothing. */
	const char *audited_action;
	uint64_t audited_job;
	bool greeted;
	uint64_t denied_ms; /* when it showed a wrong token; 0: it did not */
	/* With users: */
	struct user user;
	uint64_t users_version; /* by which it is that user */
};

/* Instead of a stream that is to be closed: */
#define WAITING_OPEN UINT32_MAX	      /* the job is to be opened */
#define WAITING_GONE (UINT32_MAX - 1) /* the job is to be gone */

struct gateway_waiting {
	struct gateway_waiting *next;
	uint64_t connection;
	uint64_t job;
	uint32_t id; /* of the message to acknowledge */
	flow_stream stream;
	struct sha256 secret_hash; /* WAITING_OPEN: of what its client will have to show */
};

/* A chunk that is mapped, or whose packets are on their way. */
struct gateway_chunk {
	struct publish_group group; /* first */
	struct wire_loan *text;	    /* lent for as long as it is mapped; NULL: it was copied ... */
	uint8_t *copy;		    /* ... to here, or is not needed any more */
	uint64_t connection;	    /* 0: nobody waits for its ACK */
	uint32_t message_id;
	uint64_t arrived_ms;
	uint64_t traced_us; /* the same for its trace */
	uint64_t job;
	uint32_t rows; /* as its ACK will say */
	uint32_t rejects;
	uint32_t table;
	uint32_t number;
	struct wire_bytes payload; /* in `text`, or in `copy` */
};

/* A request that is compiled: gateway_compile.c. */
struct gateway_compilation;

/* What has become of it. */
struct gateway_plan {
	uint64_t job;
	struct sha256 secret_hash; /* of what its client will have to show */
	int status;		   /* below 0: there is none, and `err` says why */
	struct error err;
	struct buf *bytes; /* of the plan */
	bool on_filters;   /* its chunks are for filters */
};

/* What clients have sent since the start. */
struct gateway_traffic {
	uint64_t chunks;
	uint64_t bytes;
	/* When the current second began, what had been sent by then, and by the one before. */
	uint64_t second_ms;
	uint64_t second_bytes;
	uint64_t rate; /* bytes per second, of the last whole second */
};

/* What a gateway has of a job. */
struct gateway_job {
	struct mapper *mapper;	      /* NULL until the first chunk; threads may read its plan */
	struct result_store *results; /* NULL: not open */
	bool results_whole;	      /* how each of them begins is on our disk */
	uint64_t results_used_ms;     /* when they were last written or read */
	uint64_t wanted_ms;	      /* when the collector was last asked for beginnings */
	/* What it was last asked for beyond them: from which packet on; 0: nothing, or it has come. */
	uint32_t piece_query;
	uint32_t piece_first;
	size_t piece_bytes; /* that have come */
	uint64_t piece_ms;
	uint64_t touched_ms;
	uint64_t expired_offset; /* of the last entry before which we had it expire */
};

struct gateway {
	struct node node; /* first */
	uint32_t index;
	struct wire_port *port;
	struct gateway_client *clients;
	struct gateway_waiting *waiting;
	struct gateway_compilation *compilations;
	struct work_turns turns;
	struct publish_group_list chunks;
	struct intake intake;
	struct quota quota;
	uint64_t walked_ms; /* over all jobs, last */
	uint64_t walk_ms;   /* and again after this time */
	uint64_t started_ms;
	struct gateway_traffic traffic;
	struct arena arena; /* the message at hand */
	struct buf frame;   /* a message to a client */
	struct buf packet;  /* a result read back */
};

/* --- gateway_clients.c --- */

void gateway_send(struct gateway *gateway, uint64_t connection, const struct wire_message *message);
void gateway_send_ack(struct gateway *gateway, uint64_t connection, uint32_t id);
void gateway_send_error(struct gateway *gateway, uint64_t connection, enum wire_error_class class,
	enum error_code code, uint64_t job, const char *text);
/* NULL: there is none. */
struct gateway_client *gateway_client(struct gateway *gateway, uint64_t connection);
void gateway_remove_client(struct gateway *gateway, uint64_t connection);
/* It is told why, and cut off. */
void gateway_turn_away(
	struct gateway *gateway, uint64_t connection, enum error_code code, const char *text);
/* The client broke the protocol: it is told why, and cut off. */
void gateway_reject_client(struct gateway *gateway, uint64_t connection, const char *text);
/*
 * Whether the client of `job` is who shows a secret of that hash. Of a job that is gone nothing is left
 * to protect.
 */
bool gateway_is_owner(const struct job *job, const struct sha256 *shown);
/* It is told that the job is not its own, and cut off. */
void gateway_refuse_stranger(struct gateway *gateway, uint64_t connection);
/* The job is not open any more: what its client hears. True when there is nothing else to say. */
bool gateway_tell_the_end(struct gateway *gateway, uint64_t connection, const struct job *job);
/* The same to all clients that work on it. */
void gateway_tell_clients(struct gateway *gateway, const struct job *job);
void gateway_on_message(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message);

/* --- gateway_access.c: who a client is, and what it may --- */

/* By the token of its HELLO. False: it is told so, later, and nothing else of it is heard. */
bool gateway_admit(struct gateway *gateway, struct gateway_client *client, const char *token);
/* Whether the client is still who it was when it was admitted. False: it was cut off. */
bool gateway_is_still_admitted(struct gateway *gateway, struct gateway_client *client);
/* Tells those whose time has come that they are denied. */
void gateway_deny_on_tick(struct gateway *gateway, uint64_t now_ms);
/* `shown` is the hash of the secret that the message has. */
bool gateway_may(const struct gateway *gateway, const struct gateway_client *client,
	const struct job *job, enum wire_type what, const struct sha256 *shown);
bool gateway_may_open(const struct gateway *gateway, const struct gateway_client *client);
/* Whether it may know of the job at all; NULL: of the work of all. */
bool gateway_may_see(
	const struct gateway *gateway, const struct gateway_client *client, const struct job *job);
uint32_t gateway_jobs_max(const struct gateway *gateway, const struct gateway_client *client);
/* It may not use the cluster, or that job: the log says who was turned away, and from where. */
void gateway_log_turned_away(struct gateway *gateway, uint64_t connection, const char *reason);
/* A line about what it did: "open", "resume", "cancel". */
void gateway_audit(struct gateway *gateway, const struct gateway_client *client, const char *action,
	uint64_t job);

/* The same, for what is asked again and again, "fetch" or "refused": one line, until it is something else or another job. */
void gateway_audit_once(
	struct gateway *gateway, struct gateway_client *client, const char *action, uint64_t job);

/* --- gateway_requests.c --- */

void gateway_on_request(
	struct gateway *gateway, struct gateway_client *client, const struct wire_message *message);
/* Its SQL is a plan now, or an error; its client is still there. */
void gateway_on_compiled(
	struct gateway *gateway, struct gateway_client *client, const struct gateway_plan *plan);
void gateway_on_end_table(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message);
void gateway_on_cancel(
	struct gateway *gateway, uint64_t connection, const struct job *job, uint32_t id);
/* The tables and queries of a job. */
void gateway_answer_request(struct gateway *gateway, uint64_t connection, const struct job *job);
/* The log has said something of the job: answers those who waited for it. */
void gateway_answer_waiting(struct gateway *gateway, const struct job *job);
/* The log did not open the job: there were too many, or too many of its client's. */
void gateway_answer_no_room(struct gateway *gateway, uint64_t job, bool of_client);
/* Nothing is to be sent to that connection any more. */
void gateway_forget_waiting(struct gateway *gateway, uint64_t connection);

/* --- gateway_compile.c --- */

/* Makes a plan of the request beside the event loop; gateway_on_compiled follows. */
void gateway_compile(struct gateway *gateway, const struct gateway_client *client,
	const struct wire_message *request, const struct sha256 *secret_hash);
/* Nobody waits for the plan any more. */
void gateway_forget_compilation(struct gateway *gateway, uint64_t connection);
/* At the end of the gateway: waits for what is under way. */
void gateway_release_compilations(struct gateway *gateway);

/* --- gateway_chunks.c --- */

/* Maps a chunk, or hands it to the filters; acknowledges it when all is confirmed. */
void gateway_on_batch(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message);
/* `chunk` is what is over now; NULL: nothing. */
void gateway_finish_chunk(struct gateway *gateway, struct publish_group *group);
/* Nothing is to be sent to that connection any more. */
void gateway_forget_chunks(struct gateway *gateway, uint64_t connection);
/* Clients that wait for us are there, however long a chunk takes: their jobs are no abandoned ones. */
void gateway_touch_chunks(struct gateway *gateway);
/* When nothing is mapped any more. */
void gateway_release_chunks(struct gateway *gateway);

/* --- gateway_results.c --- */

/* A packet of a result. */
void gateway_take_result(struct gateway *gateway, struct job *job,
	const struct flow_message *packet, const struct transport_delivery *delivery);
void gateway_on_results(struct gateway *gateway, uint64_t connection, struct job *job,
	const struct wire_message *message);
/*
 * Asks the collector for what should be here and is not, and lets results rest that nobody reads.
 * `looks` counts the jobs whose results had to be opened for it.
 */
void gateway_look_at_results(
	struct gateway *gateway, struct job *job, uint64_t now_ms, uint32_t *looks);
/* Of a job that has an attachment. `over`: they are removed, too. */
void gateway_close_results(struct gateway *gateway, struct job *job, bool over);
/* Results on the disk of jobs that are over, or that nobody knows. */
void gateway_remove_leftovers(struct gateway *gateway);

/* --- gateway_jobs.c --- */

/* Made when it is not there; not for a job that is over. */
struct gateway_job *gateway_job_of(struct job *job);
/* Brings what the gateway holds of a job in line with the job's state. */
void gateway_update_job(struct gateway *gateway, struct job *job);
void gateway_update_all(struct gateway *gateway);
/* At the end of the gateway, or when nothing of it is mapped. `over`: its files go, too. */
void gateway_close_job(struct gateway *gateway, struct job *job, bool over);
/* Somebody cares for the job: from time to time everyone should know. */
void gateway_touch(struct gateway *gateway, struct job *job);
/* Looks at all jobs, if it is time: what is missing of their results, and which expire. */
void gateway_walk_jobs(struct gateway *gateway, uint64_t now_ms);

/* --- gateway_status.c --- */

/* How far the job is, as the log knows it. */
void gateway_send_progress(struct gateway *gateway, uint64_t connection, const struct job *job);
void gateway_send_status(struct gateway *gateway, const struct gateway_client *client);
/* All that is known of a job; "{}" when there is none that this client may see. */
void gateway_send_job_status(
	struct gateway *gateway, const struct gateway_client *client, uint64_t id);
void gateway_status_on_tick(struct gateway *gateway, uint64_t now_ms);

#endif
