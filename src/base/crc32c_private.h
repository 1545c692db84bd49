/* The two ways to a CRC-32C, for the tests to compare. */
#ifndef BASE_CRC32C_PRIVATE_H
#define BASE_CRC32C_PRIVATE_H

#include "base/crc32c.h"

#include <stdbool.h>

bool crc32c_has_hardware(void);
/* Only where crc32c_has_hardware(). */
uint32_t crc32c_hardware(uint32_t crc, const void *bytes, size_t size);
uint32_t crc32c_portable(uint32_t crc, const void *bytes, size_t size);

#endif
