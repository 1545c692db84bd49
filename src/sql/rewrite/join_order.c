/*
 * Up to a dozen relations that equalities connect: dynamic programming over all their connected sets.
 * The cheapest way to make a set is the cheapest pair of ways to make two parts of it, whatever its
 * shape. Products are considered only where nothing connects. More relations: the pair whose join costs
 * least is joined, again and again.
 *
 * A join costs by the rows that are built, that flow by, and that leave it.
 */
#include "sql/rewrite/join_order.h"

#include <math.h>

#define EXHAUSTIVE_MAX 12

#define COST_BUILD 3.0
#define COST_FLOW  1.0
#define COST_OUT   1.0

/* The cheapest way to make a set. */
struct join_way {
	double cost; /* HUGE_VAL: it is not connected */
	join_set left;
	struct estimate estimate;
};

/* What was joined so far, on the way to one tree. */
struct join_part {
	join_set set;
	struct estimate estimate;
};

static join_set bit(uint32_t relation)
{
	return (join_set)1 << relation;
}

const struct join_member *join_class_member(const struct join_class *class, join_set set)
{
	for (uint32_t i = 0; i < class->count; i++)
		if (set & bit(class->members[i].relation))
			return &class->members[i];
	return NULL;
}

static bool connected(const struct join_graph *graph, join_set a, join_set b)
{
	for (uint32_t i = 0; i < graph->class_count; i++)
		if (join_class_member(&graph->classes[i], a) &&
			join_class_member(&graph->classes[i], b))
			return true;
	return false;
}

/* The fewest values that a member of the class in the set has; 0 when nothing is known of any. */
static double class_distinct(const struct join_class *class, join_set set)
{
	double distinct = 0;

	for (uint32_t i = 0; i < class->count; i++) {
		const struct join_member *member = &class->members[i];

		if ((set & bit(member->relation)) && member->distinct > 0 &&
			(distinct == 0 || member->distinct < distinct))
			distinct = member->distinct;
	}
	return distinct;
}

static struct estimate join_estimate(const struct join_graph *graph, join_set a,
	struct estimate of_a, join_set b, struct estimate of_b)
{
	struct estimate_keys keys = {0};
	struct estimate met;

	for (uint32_t i = 0; i < graph->class_count; i++) {
		const struct join_class *class = &graph->classes[i];

		if (join_class_member(class, a) && join_class_member(class, b))
			estimate_add_key(&keys, class_distinct(class, a), class_distinct(class, b));
	}
	met = estimate_join(of_a, of_b, &keys);
	for (uint32_t i = 0; i < graph->condition_count; i++) {
		join_set set = graph->conditions[i].relations;

		if ((set & ~(a | b)) || !(set & ~a) || !(set & ~b))
			continue;
		met.rows *= graph->conditions[i].share;
		met.share *= graph->conditions[i].share;
	}
	met.rows = met.rows < 1 ? 1 : met.rows;
	met.share = met.share < 1e-9 ? 1e-9 : met.share;
	return met;
}

/* Of the join alone: the lighter side is built. */
static double join_cost(struct estimate a, struct estimate b, struct estimate met)
{
	bool a_flows = a.rows * a.weight > b.rows * b.weight;
	double build = a_flows ? b.rows : a.rows, flow = a_flows ? a.rows : b.rows;

	return COST_BUILD * build + COST_FLOW * flow + COST_OUT * met.rows;
}

/* All relations that equalities connect with the first one of `left`. */
static join_set component(const struct join_graph *graph, join_set left)
{
	join_set found = left & -left, before = 0;

	while (found != before) {
		before = found;
		for (uint32_t i = 0; i < graph->class_count; i++) {
			const struct join_class *class = &graph->classes[i];

			if (!join_class_member(class, found))
				continue;
			for (uint32_t k = 0; k < class->count; k++)
				found |= bit(class->members[k].relation);
		}
	}
	return found;
}

/* The ways to make all sets of the `count` relations `ids`; a set is one of positions in `ids` here. */
struct join_search {
	const struct join_graph *graph;
	uint32_t count;
	uint32_t ids[EXHAUSTIVE_MAX];
	uint32_t *neighbours; /* of a set */
	struct join_way *ways;
};

static join_set search_set(const struct join_search *search, uint32_t positions)
{
	join_set set = 0;

	for (uint32_t i = 0; i < search->count; i++)
		if (positions & (1u << i))
			set |= bit(search->ids[i]);
	return set;
}

static void search_pair(struct join_search *search, uint32_t set, uint32_t part)
{
	struct join_way *way = &search->ways[set];
	const struct join_way *a = &search->ways[part], *b = &search->ways[set ^ part];
	double cost;

	/* The rows of a set are guessed once: they do not depend on how it is made. */
	if (way->cost == HUGE_VAL)
		way->estimate = join_estimate(search->graph, search_set(search, part), a->estimate,
			search_set(search, set ^ part), b->estimate);
	cost = a->cost + b->cost + join_cost(a->estimate, b->estimate, way->estimate);
	if (cost < way->cost) {
		way->cost = cost;
		way->left = part;
	}
}

static void search_all(struct join_search *search)
{
	uint32_t sets = 1u << search->count;

	for (uint32_t set = 1; set < sets; set++) {
		uint32_t first = set & -set, rest = set ^ first;

		if (rest == 0)
			continue;
		search->neighbours[set] = search->neighbours[first] | search->neighbours[rest];
		search->ways[set].cost = HUGE_VAL;
		for (uint32_t part = (set - 1) & set; part > 0; part = (part - 1) & set)
			if ((part & first) && search->ways[part].cost < HUGE_VAL &&
				search->ways[set ^ part].cost < HUGE_VAL &&
				(search->neighbours[part] & (set ^ part)))
				search_pair(search, set, part);
	}
}

static uint32_t add_steps(
	const struct join_search *search, uint32_t set, struct join_step *steps, uint32_t count)
{
	uint32_t left = (uint32_t)search->ways[set].left;

	if ((set & (set - 1)) == 0)
		return count;
	count = add_steps(search, left, steps, count);
	count = add_steps(search, set ^ left, steps, count);
	steps[count] =
		(struct join_step){{search_set(search, left), search_set(search, set ^ left)}};
	return count + 1;
}

/* Appends the steps that make the component; returns how many there are now. */
static uint32_t search_component(const struct join_graph *graph, struct join_part *part,
	struct arena *arena, struct join_step *steps, uint32_t count)
{
	struct join_search search = {.graph = graph};
	uint32_t sets;

	for (uint32_t i = 0; i < graph->count; i++)
		if (part->set & bit(i))
			search.ids[search.count++] = i;
	sets = 1u << search.count;
	search.neighbours = arena_zalloc(arena, sets * sizeof(*search.neighbours));
	search.ways = arena_zalloc(arena, sets * sizeof(*search.ways));
	for (uint32_t i = 0; i < search.count; i++) {
		search.ways[1u << i].estimate = graph->relations[search.ids[i]];
		for (uint32_t k = 0; k < search.count; k++)
			if (k != i && connected(graph, bit(search.ids[i]), bit(search.ids[k])))
				search.neighbours[1u << i] |= 1u << k;
	}
	search_all(&search);
	part->estimate = search.ways[sets - 1].estimate;
	return add_steps(&search, sets - 1, steps, count);
}

/* Joins the two parts whose join costs least, of connected ones if there are any. */
static struct join_step join_cheapest(
	const struct join_graph *graph, struct join_part *parts, uint32_t count)
{
	struct estimate best = {0};
	double best_cost = HUGE_VAL;
	uint32_t first = 0, second = 1;
	bool any = false;
	struct join_step step;

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = i + 1; k < count; k++) {
			bool edge = connected(graph, parts[i].set, parts[k].set);
			struct estimate met;
			double cost;

			if (any && !edge)
				continue;
			met = join_estimate(graph, parts[i].set, parts[i].estimate, parts[k].set,
				parts[k].estimate);
			cost = join_cost(parts[i].estimate, parts[k].estimate, met);
			if (any == edge && cost >= best_cost)
				continue;
			any = edge;
			best = met;
			best_cost = cost;
			first = i;
			second = k;
		}
	step = (struct join_step){{parts[first].set, parts[second].set}};
	parts[first] = (struct join_part){parts[first].set | parts[second].set, best};
	parts[second] = parts[count - 1];
	return step;
}

void join_order(const struct join_graph *graph, struct arena *arena, struct join_step *steps)
{
	struct join_part parts[JOIN_RELATIONS_MAX];
	join_set left = graph->count == JOIN_RELATIONS_MAX ? UINT64_MAX : bit(graph->count) - 1;
	uint32_t part_count = 0, count = 0;

	while (left) {
		join_set set = component(graph, left);

		left &= ~set;
		if (__builtin_popcountll(set) <= EXHAUSTIVE_MAX) {
			parts[part_count].set = set;
			count = search_component(graph, &parts[part_count++], arena, steps, count);
			continue;
		}
		for (uint32_t i = 0; i < graph->count; i++)
			if (set & bit(i))
				parts[part_count++] =
					(struct join_part){bit(i), graph->relations[i]};
	}
	for (; part_count > 1; part_count--)
		steps[count++] = join_cheapest(graph, parts, part_count);
}
