/* Numbers as people read them. Every function returns `text`. */
#ifndef CLI_PRINT_HUMAN_H
#define CLI_PRINT_HUMAN_H

#include <stdint.h>

#define HUMAN_TEXT_MAX 32

/* "91,234" */
const char *human_count(uint64_t count, char text[HUMAN_TEXT_MAX]);
/* "812 B", "4.2 MB", "1.9 GB"; powers of 1000. */
const char *human_bytes(uint64_t bytes, char text[HUMAN_TEXT_MAX]);
/* "0.004 s", "0.41 s", "12.3 s", "3 min 20 s" */
const char *human_seconds(double seconds, char text[HUMAN_TEXT_MAX]);

#endif
