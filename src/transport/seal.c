#include "transport/seal.h"

#include <string.h>

struct seal_key seal_key_of(const char *secret)
{
	struct seal_key key = {0};

	if (secret && *secret)
		key = (struct seal_key){true, sha256(secret, strlen(secret))};
	return key;
}

struct seal_key seal_key_for(const struct seal_key *cluster, const char *queue)
{
	struct seal_key key = *cluster;

	if (key.is_set)
		key.bytes = hmac_sha256(cluster->bytes.bytes, SHA256_SIZE, queue, strlen(queue));
	return key;
}

void seal(const struct seal_key *key, uint8_t *bytes, size_t size)
{
	struct sha256 sum;

	if (!key->is_set)
		return;
	sum = hmac_sha256(key->bytes.bytes, SHA256_SIZE, bytes, size);
	memcpy(bytes + size, sum.bytes, SEAL_SIZE);
}

bool seal_open(const struct seal_key *key, const uint8_t *bytes, size_t *size)
{
	struct sha256 sum;

	if (!key->is_set)
		return true;
	if (*size < SEAL_SIZE)
		return false;
	sum = hmac_sha256(key->bytes.bytes, SHA256_SIZE, bytes, *size - SEAL_SIZE);
	if (!same_in_constant_time(sum.bytes, bytes + *size - SEAL_SIZE, SEAL_SIZE))
		return false;
	*size -= SEAL_SIZE;
	return true;
}
