/*
 * CRC-32C (Castagnoli), the checksum of what is kept on disks: with the processor's instruction
 * where there is one, with tables elsewhere, the same value from both.
 */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* `crc` is 0 for the first bytes, and for more of them what the call before returned. */
uint32_t crc32c(uint32_t crc, const void *bytes, size_t size);

#endif
