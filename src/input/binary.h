/* Files that hold no text, by their first bytes. */
#ifndef INPUT_BINARY_H
#define INPUT_BINARY_H

#include <stddef.h>

/* "a Parquet file", with its article; NULL: nothing that is known. */
const char *binary_name(const char *head, size_t size);

#endif
