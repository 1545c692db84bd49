/* What stands in a text, found in one pass over it that costs no more than a search for one byte. */
#ifndef CSV_LOOK_H
#define CSV_LOOK_H

#include <stdbool.h>
#include <stddef.h>

struct csv_look {
	bool quote; /* the quote character */
	bool high;  /* bytes that are not ASCII */
};

/* `quote` may be 0 for none. What was seen before is kept: pieces of a text add up. */
void csv_look_at(struct csv_look *look, const char *text, size_t size, char quote);

#endif
