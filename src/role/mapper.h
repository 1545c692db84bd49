/*
 * The map fragments of a job: a chunk of a table in, one packet for every destination out. Keeps
 * nothing between chunks but memory; gateways and filters have one for each job.
 */
#ifndef ROLE_MAPPER_H
#define ROLE_MAPPER_H

#include "flow/packer.h"
#include "role/node.h"

struct mapper;

/* Of `node`, which notes what it works on. Both are borrowed. */
struct mapper *mapper_new(const struct node *node, const struct job *job);
void mapper_free(struct mapper *mapper);

struct mapper_count {
	uint32_t rows; /* records of the chunk */
	uint32_t rejects;
};

/* The same chunk always gives the same packets. `count` may be NULL. An error is the job's. */
MUST_CHECK int mapper_run(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, packer_send send, void *context, struct mapper_count *count,
	struct error *err);

#endif
