/*
 * What a path finds in a JSON value, by PostgreSQL's rules: lax and strict paths, conditions of
 * three values, and errors that are either raised, or make a condition unknown, or end the search.
 */
#ifndef EXEC_FUNC_JSONPATH_H
#define EXEC_FUNC_JSONPATH_H

#include "base/error.h"
#include "column/json.h"
#include "column/jsonpath.h"

#include <stdatomic.h>

/* What .datetime() made of a string. */
enum path_time {
	PATH_TIME_NONE,
	PATH_TIME_DATE,
	PATH_TIME_TIME,
	PATH_TIME_TIMETZ,
	PATH_TIME_TIMESTAMP,
	PATH_TIME_TIMESTAMPTZ,
};

struct path_item {
	const struct json_node *node; /* of a time: the string that it prints as */
	enum path_time time;
	int64_t value;	/* days, or microseconds; of a timestamptz in UTC */
	int32_t offset; /* seconds east of UTC */
};

struct path_items {
	uint32_t count, room;
	struct path_item *list;
};

enum path_result {
	PATH_OK,
	PATH_NOT_FOUND,
	PATH_ERROR,  /* nobody is told, but who asked */
	PATH_RAISED, /* the error is filled in */
};

struct path_program;
struct zone;

struct path_program *path_program_new(void);
void path_program_free(void *object);
/* Reads the path, unless it is the one that was read before. */
int path_program_set(struct path_program *program, struct text text, struct error *err);

struct path_question {
	struct path_program *program;
	const struct json_node *root;
	const struct json_node *variables; /* an object; NULL: there are none */
	bool silent;
	const struct zone *zone; /* may be asked what day it is; NULL: no time may become another */
	struct arena *arena;	 /* of what is found */
	/* Either ends the search with ERROR_INTERRUPTED when it is set; may be NULL. */
	const atomic_bool *stop;
	const atomic_bool *failed;
};

/* `found` may be NULL: whether there is anything is all that is asked for. */
enum path_result path_search(
	const struct path_question *question, struct path_items *found, struct error *err);

/* jsonpath_time.c */
/* The reason for a year that PostgreSQL has: no condition may take it for unknown. */
#define PATH_TIME_OUT_OF_RANGE "date out of range"

/* .datetime(): false when the text is none. */
bool path_time_read(
	struct text text, struct arena *arena, struct path_item *out, const char **reason);
/* The same by a pattern (time_pattern.h), strictly. */
int path_time_read_by(struct text text, struct text written, struct arena *arena,
	struct path_item *out, struct error *err);
/* "timestamp with time zone" */
const char *path_time_name(enum path_time time);
/*
 * <0, 0, >0 in `order`. False when the two cannot be compared; with `needs_zone` they could be,
 * if there were a zone.
 */
bool path_time_compare(const struct path_item *a, const struct path_item *b,
	const struct zone *zone, int *order, bool *needs_zone);

#endif
