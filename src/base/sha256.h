/*
 * SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): for secrets that others may check and must not
 * learn. For hash tables see hash.h, for damaged bytes crc32c.h.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHA256_SIZE 32u

struct sha256 {
	uint8_t bytes[SHA256_SIZE];
};

struct sha256 sha256(const void *bytes, size_t size);
struct sha256 hmac_sha256(const void *key, size_t key_size, const void *bytes, size_t size);

/* Takes as long whatever they are: time must not tell how much of a guess was right. */
bool same_in_constant_time(const void *a, const void *b, size_t size);

#endif
