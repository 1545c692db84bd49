/*
 * Messages that nobody can make who does not know the cluster's key, although he may write to its queues: behind the bytes
 * of each stand 16 of their HMAC-SHA-256. The key of a queue is made of the cluster's key and the queue's name, so that a
 * message of one queue is none of another. The same message twice is the same message: what takes it knows its number.
 */
#ifndef TRANSPORT_SEAL_H
#define TRANSPORT_SEAL_H

#include "base/sha256.h"

#define SEAL_SIZE 16u

/* All zero: nothing is sealed. */
struct seal_key {
	bool is_set;
	struct sha256 bytes;
};

/* Of a cluster; NULL or "": none. */
struct seal_key seal_key_of(const char *secret);
/* Of a queue, by its name without the cluster's prefix. */
struct seal_key seal_key_for(const struct seal_key *cluster, const char *queue);

/* Bytes that seal() puts behind a message. */
static inline size_t seal_size(const struct seal_key *key)
{
	return key->is_set ? SEAL_SIZE : 0;
}

/* `bytes` has room for seal_size more. */
void seal(const struct seal_key *key, uint8_t *bytes, size_t size);
/* Whether it was sealed with that key; *size is then without the seal. */
bool seal_open(const struct seal_key *key, const uint8_t *bytes, size_t *size);

#endif
