/*
 * The map fragments of a job: a chunk of a table in, one packet for every destination out. It is done
 * beside the event loop (role/work.h), one chunk of a job after the other, so that neither a large chunk
 * nor a slow expression keeps a node from anybody else. Keeps nothing between chunks but memory;
 * gateways and filters have one for each job.
 */
#ifndef ROLE_MAPPER_H
#define ROLE_MAPPER_H

#include "flow/packer.h"
#include "role/publish_group.h"
#include "role/work_turns.h"

struct mapper;

struct mapper_packet {
	struct mapper_packet *next;
	uint32_t node;
	size_t size;
	uint8_t bytes[];
};

/* What came of a chunk. The same chunk always gives the same packets. */
struct mapper_result {
	int status;
	struct error error; /* the job's; ERROR_INTERRUPTED: it was stopped */
	uint32_t rows;	    /* records of the chunk */
	uint32_t rejects;
	const struct mapper_packet *packets;
};

/* In the role's thread. */
struct mapper_handler {
	/* For each chunk in their order; its text is not needed any more. The result is borrowed. */
	void (*mapped)(
		void *context, struct job *job, void *chunk, const struct mapper_result *result);
	/* After mapper_stop, when nothing is under way any more. The mapper may be freed by it. */
	void (*rests)(void *context, struct job *job);
	void *context;
};

/* All is borrowed. `turns` are those of the node. */
struct mapper *mapper_new(
	struct work_turns *turns, struct job *job, const struct mapper_handler *handler);
/* Ends what is under way. The handler is not called. NULL is allowed. */
void mapper_free(struct mapper *mapper);

/* The text is borrowed until the chunk is mapped, which may be before this returns. */
void mapper_take(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, void *chunk);
/*
 * The same without packets: for who hands the chunk to a filter. Its rows have to be counted before the chunk is
 * acknowledged, because its client waits for no other word of it.
 */
void mapper_count(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, void *chunk);
/* The job is over: chunks that wait are mapped no more, and the one at hand ends soon. */
void mapper_stop(struct mapper *mapper);
/* Publishes all packets, as part of `group`. */
MUST_CHECK int mapper_publish(const struct mapper_result *result, const struct job *job,
	struct publish_group *group, struct transport *transport, struct error *err);
/* Whether it may be freed without waiting. */
bool mapper_rests(const struct mapper *mapper);

#endif
