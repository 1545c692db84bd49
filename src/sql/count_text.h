/* How many rows, for people: two digits of a guess are enough. */
#ifndef SQL_COUNT_TEXT_H
#define SQL_COUNT_TEXT_H

#define COUNT_TEXT_MAX 64

/* 6,000,000; up to 1e18. Returns `text`. */
const char *count_text(double count, char text[COUNT_TEXT_MAX]);

#endif
