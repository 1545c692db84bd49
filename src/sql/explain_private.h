/*
 * The lines of an explained plan, which become text or JSON.
 *
 *   explain.c        the tree: which lines there are, how deep, and what they say
 *   explain_lines.c  what stands behind that, estimates and what was measured, and the form of the whole
 */
#ifndef SQL_EXPLAIN_PRIVATE_H
#define SQL_EXPLAIN_PRIVATE_H

#include "base/json_write.h"
#include "plan/profile.h"

struct explain_lines {
	struct buf *out; /* what a line says is appended here, between its begin and its end */
	const struct plan_profile *profile; /* NULL: nothing was measured */
	struct json_writer json;
	bool is_json;
	size_t start;	   /* of the line that is open, where it becomes JSON */
	uint32_t depth;	   /* of that line */
	uint32_t open_max; /* JSON: nodes are open at the depths below */
};

/* What is known of a line's rows. */
struct explain_facts {
	double estimate; /* 0: none */
	bool is_measured;
	bool has_input;
	uint64_t rows_in;
	uint64_t rows;
	struct profile_entry taken;
	const struct profile_table *table; /* a scan's; NULL: it is none */
};

/* A line of a plan that is `depth` deep. */
void explain_begin(struct explain_lines *lines, uint32_t depth);
/* `behind`: said at its end; "" when there is nothing. */
void explain_end(
	struct explain_lines *lines, const struct explain_facts *facts, const char *behind);

/* Around the lines of a query: its name and title come first. */
void explain_begin_query(
	struct explain_lines *lines, const struct plan_query *query, uint32_t index);
void explain_end_query(struct explain_lines *lines);
/* Around all queries. */
void explain_begin_all(struct explain_lines *lines);
void explain_end_all(struct explain_lines *lines);

#endif
