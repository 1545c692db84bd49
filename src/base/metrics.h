/*
 * Numbers of this process, for who operates it (base/metric_table.h). They are the process's, as its
 * log is: a node is a process, and what runs several in one, as the simulator, has their sums, which
 * nobody reads.
 *
 * Any thread may call these. They cost an atomic addition: for every chunk, packet, message or turn of a
 * loop, never for every row.
 */
#ifndef BASE_METRICS_H
#define BASE_METRICS_H

#include "base/buf.h"
#include "base/metric_table.h"

#include <stdatomic.h>

#define METRIC_ENUM(id, kind, unit, nodes, name, label, help) METRIC_##id,
enum metric { METRICS(METRIC_ENUM) METRIC_COUNT };
#undef METRIC_ENUM

enum metric_kind {
	METRIC_KIND_COUNTER,
	METRIC_KIND_GAUGE,
	METRIC_KIND_HISTOGRAM,
};

enum metric_unit {
	METRIC_UNIT_COUNT,
	METRIC_UNIT_BYTES,
	METRIC_UNIT_SECONDS,
};

struct metric_spec {
	enum metric_kind kind;
	enum metric_unit unit;
	const char *nodes;
	const char *name;
	const char *label;
	const char *help;
};

extern const struct metric_spec metric_specs[METRIC_COUNT];
/* Of a histogram it is the sum. */
extern _Atomic uint64_t metric_values[METRIC_COUNT];

#define METRICS_TEXT_MAX (256u << 10)

static inline void metric_add(enum metric metric, uint64_t amount)
{
	atomic_fetch_add_explicit(&metric_values[metric], amount, memory_order_relaxed);
}

/* Of a gauge; of a counter only when somebody else, such as the system, counts. */
static inline void metric_set(enum metric metric, uint64_t value)
{
	atomic_store_explicit(&metric_values[metric], value, memory_order_relaxed);
}

static inline void metric_subtract(enum metric metric, uint64_t amount)
{
	atomic_fetch_sub_explicit(&metric_values[metric], amount, memory_order_relaxed);
}

/* Of a histogram. */
void metric_observe_us(enum metric metric, uint64_t us);

/*
 * All that a node of this name tells, in the text format of Prometheus, version 0.0.4. What it is
 * depends on the first letter of the name.
 */
void metrics_render(const char *node, struct buf *out);
/* The tables of docs/metrics.md. */
void metrics_reference(struct buf *out);

#endif
