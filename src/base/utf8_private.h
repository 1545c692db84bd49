#ifndef BASE_UTF8_PRIVATE_H
#define BASE_UTF8_PRIVATE_H

#include "base/utf8.h"

#include <stdbool.h>

/* Whether all of it is. Only on a machine that has AVX2. */
bool utf8_is_valid_avx2(const char *text, size_t size);

#endif
