/* MD5 (RFC 1321): for SQL's md5(). No secret is safe behind it. */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

#define MD5_SIZE 16u

void md5(const void *bytes, size_t size, uint8_t digest[MD5_SIZE]);

#endif
