/*
 * Clients that submit packs again and again, each a process of this program, and compare what they
 * get with what the embedded engine says.
 */
#ifndef CHAOS_CLIENTS_H
#define CHAOS_CLIENTS_H

#include "base/error.h"
#include "base/rng.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CLIENTS_MAX	  64
#define CLIENTS_PACKS_MAX 8

struct clients_options {
	const char *folder; /* for data and answers; made if it is missing */
	const char *server;
	const char *packs[CLIENTS_PACKS_MAX];
	uint32_t pack_count;
	uint32_t count;
	const char *size; /* of the data that is generated for each pack: "3M" */
	uint64_t job_ms_max;
	void (*told)(void *context, const char *line);
	void *context;
};

struct client {
	pid_t pid; /* 0: between two jobs */
	uint32_t pack;
	uint64_t started_ms;
	uint64_t jobs;
};

struct clients {
	struct clients_options options;
	struct rng *rng;
	struct client items[CLIENTS_MAX];
	uint64_t started;
	uint64_t right;
	uint64_t wrong;	 /* other bytes than the embedded engine's */
	uint64_t failed; /* an error, or not done in time */
	uint64_t job_ms; /* of all right ones together */
	uint64_t job_ms_worst;
};

/* Generates the data and asks the embedded engine. Waits. */
MUST_CHECK int clients_init(struct clients *clients, const struct clients_options *options,
	struct rng *rng, struct error *err);
/* Sees who has finished; `more`: they get another job. */
void clients_turn(struct clients *clients, bool more, uint64_t now_ms);
/* Jobs that are under way. */
uint32_t clients_busy(const struct clients *clients);
/* Kills those that are under way; nothing is counted. */
void clients_stop(struct clients *clients);

#endif
