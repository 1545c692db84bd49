/*
 * What is the same in all records of a file and does not stand in it: its path, and the values that
 * folders in the path give to columns, as year=2024 does.
 */
#ifndef CSV_CONSTANTS_H
#define CSV_CONSTANTS_H

#include "base/arena.h"
#include "column/type.h"

#define CSV_CONSTANTS_MAX 64

struct csv_constant {
	const char *name;
	struct text value;
	bool is_null;
	bool hidden; /* the path: a column of the file may have the same name, and is meant then */
};

/*
 * Of a path, at most CSV_CONSTANTS_MAX, the path itself being the last one. Of two folders with the
 * same name in front of "=" the inner one counts. As Hive writes them, %20 is a space and
 * __HIVE_DEFAULT_PARTITION__ is NULL; so is nothing behind the "=". Everything lives in the arena.
 */
uint32_t csv_constants_of_path(const char *path, struct arena *arena, struct csv_constant **out);

/* NULL when there is none of that name. */
const struct csv_constant *csv_constant_find(
	const struct csv_constant *constants, uint32_t count, const char *name);

/* Whether the name of a folder gives a column. */
bool csv_is_partition(const char *folder, size_t size);

#endif
