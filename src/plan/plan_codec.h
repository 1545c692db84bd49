/*
 * A plan as bytes: how a job's plan reaches the nodes.
 */
#ifndef PLAN_PLAN_CODEC_H
#define PLAN_PLAN_CODEC_H

#include "base/buf.h"
#include "column/schema.h"
#include "plan/plan.h"

/* Most bytes of an encoded plan. */
#define PLAN_BYTES_MAX (16u << 20)

/*
 * Appends the plan, and of the catalog those tables that it reads, with their format. The same plan
 * always gives the same bytes. ERROR_LIMIT when it is too long, or an expression too deep.
 */
MUST_CHECK int plan_encode(
	const struct plan *plan, const struct catalog *catalog, struct buf *out, struct error *err);

/*
 * Reads what plan_encode wrote; everything is copied into the arena. Whatever the bytes are, the
 * outcome is a plan that keeps plan.h's promises (plan_check.h) and can be run, or ERROR_DATA. The
 * catalog's tables have no files (""); table i of the plan has table i of the catalog as its
 * source.
 */
MUST_CHECK int plan_decode(const void *bytes, size_t size, struct arena *arena, struct plan **plan,
	struct catalog *catalog, struct error *err);

#endif
