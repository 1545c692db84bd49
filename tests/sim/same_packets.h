/*
 * Whether a packet that is made again is the same: by its name and its destination it has one content,
 * whatever became of the node that made it first, and of its memory.
 */
#ifndef SIM_SAME_PACKETS_H
#define SIM_SAME_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct same_packet {
	uint64_t name; /* 0: the place is free */
	uint32_t sum;
};

/* Zeroed at first. */
struct same_packets {
	uint32_t count;
	uint32_t capacity; /* a power of two */
	struct same_packet *items;
};

/* A message to `queue`. False: it is a packet that had other bytes before. */
bool same_packets_note(
	struct same_packets *packets, const char *queue, const void *bytes, size_t size);
void same_packets_release(struct same_packets *packets);

#endif
