/* What both ways out of correlation share: decorrelate.c and dependent.c. */
#ifndef SQL_DECORRELATE_PRIVATE_H
#define SQL_DECORRELATE_PRIVATE_H

#include "sql/bind/bind_private.h"

struct decorrelator {
	struct binder *binder;
	int32_t location;	/* of the subquery */
	uint32_t known;		/* columns that there were before: later ones are made in here */
	const uint32_t *makers; /* by column id: the subquery in which it was last seen made */
	uint32_t self;
	bool refused;
	struct logical_filter on;
	/* Computed columns over outer ones, and what they stand for. */
	uint32_t count;
	uint32_t *ids;
	struct expr **exprs;
};

/* Whether a column is one of the query around. */
bool is_outer(const struct decorrelator *d, uint32_t id);
/* Whether anything in the tree reads an outer column. */
bool tree_reads_outer(const struct decorrelator *d, const struct logical *node);

typedef void (*visit_read)(void *context, uint32_t id);
/* Every column that some node of the tree reads, as often as it does. */
void tree_visit_reads(const struct logical *node, visit_read visit, void *context);

/*
 * dependent.c: the subquery for all values that the query around may have. `group` is the aggregate
 * without GROUP BY that its one row comes from, or NULL.
 */
MUST_CHECK int depend_on_domain(const struct decorrelator *d, struct logical *group,
	const struct bound_select *select, struct subquery *out);

#endif
