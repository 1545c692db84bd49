/*
 * Who runs what, over plans of many shapes: every row has somewhere to go, and who waits for a
 * stream gets its packets.
 */
#include "flow/packer.h"
#include "flow/topology.h"

#include "unit/sql/sql_fixture.h"

static const char *const queries[] = {
	"SELECT 1",
	"SELECT count(*) FROM transactions",
	"SELECT store_id, sum(final_amount) FROM transactions GROUP BY store_id ORDER BY 2 LIMIT 3",
	"SELECT s.store_name, count(*) FROM transactions t JOIN stores s USING (store_id) GROUP BY "
	"1",
	"SELECT u.user_id, i.item_id FROM transactions t JOIN items i USING (transaction_id) "
	"  JOIN users u ON u.user_id = t.user_id",
	"SELECT * FROM stores a FULL JOIN users b ON a.store_id = b.user_id",
	"SELECT store_id, row_number() OVER (PARTITION BY city ORDER BY store_name) FROM stores",
	"SELECT store_id FROM transactions UNION SELECT store_id FROM stores",
	"WITH s AS (SELECT store_id, count(*) AS n FROM transactions GROUP BY 1) "
	"  SELECT * FROM s WHERE n > (SELECT avg(n) FROM s)",
	"SELECT count(DISTINCT user_id) FROM transactions WHERE store_id IN (SELECT store_id FROM "
	"  stores WHERE is_open)",
	"SELECT x FROM (VALUES (1), (2)) v(x) EXCEPT SELECT store_id FROM stores",
};

#define QUERY_COUNT (sizeof(queries) / sizeof(*queries))

/* Whether some fold on `node` takes packets of `stream`. */
static bool node_takes(const struct topology *topology, uint32_t node, flow_stream stream)
{
	bool takes = false;
	struct arena arena;

	arena_init(&arena, 4096);
	for (uint32_t f = 0; f < topology->plan->fragment_count; f++) {
		uint32_t instance = topology_instance_on(topology, f, node);

		if (instance == PLAN_NONE)
			continue;
		assert_int_equal(topology_node(topology, f, instance), node);
		for (uint32_t i = 0; i < topology->plan->fragments[f].input_count; i++) {
			flow_stream *streams;
			uint32_t count =
				topology_sources(topology, f, instance, i, &arena, &streams);

			for (uint32_t s = 0; s < count; s++) {
				assert_true(s == 0 || streams[s - 1] < streams[s]);
				assert_true(topology_has_stream(topology, streams[s]));
				takes |= streams[s] == stream;
			}
		}
	}
	arena_release(&arena);
	return takes;
}

static void check_stream(const struct topology *topology, flow_stream stream)
{
	bool *nodes = calloc(topology_nodes(topology), sizeof(*nodes));

	assert_true(topology_has_stream(topology, stream));
	topology_destinations(topology, stream, nodes);
	for (uint32_t n = 0; n < topology_nodes(topology); n++)
		assert_int_equal(nodes[n], node_takes(topology, n, stream));
	free(nodes);
}

static void check_topology(const struct plan *plan, uint32_t reducers)
{
	struct topology topology;
	struct error err;

	assert_int_equal(topology_init(&topology, plan, reducers, &err), 0);
	for (uint32_t t = 0; t < plan->table_count; t++)
		check_stream(&topology, flow_stream_table(t));
	for (uint32_t f = 0; f < plan->fragment_count; f++)
		for (uint32_t i = 0; i < topology_instances(&topology, f); i++)
			check_stream(&topology, flow_stream_fragment(f, i));
	assert_false(topology_has_stream(&topology, flow_stream_table(plan->table_count)));
	assert_false(topology_has_stream(&topology, flow_stream_fragment(plan->fragment_count, 0)));
}

/* Packets go exactly to those who wait for them. */
static void test_destinations_are_those_who_wait(void **state)
{
	static const uint32_t reducers[] = {1, 2, 3, 7, 8};

	(void)state;
	for (size_t q = 0; q < QUERY_COUNT; q++) {
		struct fixture f;

		fixture_init(&f);
		fixture_compile(&f, queries[q]);
		for (size_t r = 0; r < sizeof(reducers) / sizeof(*reducers); r++)
			check_topology(f.plan, reducers[r]);
		fixture_release(&f);
	}
}

static void test_limits(void **state)
{
	struct topology topology;
	struct error err;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_compile(&f, queries[0]);
	assert_int_equal(topology_init(&topology, f.plan, 0, &err), -1);
	assert_int_equal(err.code, ERROR_LIMIT);
	assert_int_equal(topology_init(&topology, f.plan, FLOW_REDUCERS_MAX + 1, &err), -1);
	fixture_release(&f);
}

struct sent {
	uint32_t count;
	uint32_t nodes[16];
	size_t sizes[16];
};

static int note_packet(
	void *context, uint32_t node, const void *bytes, size_t size, struct error *err)
{
	struct sent *sent = context;
	struct flow_message packet;

	assert_int_equal(flow_message_decode(bytes, size, &packet, err), 0);
	assert_int_equal(packet.job, 77);
	assert_int_equal(packet.number, 5);
	sent->nodes[sent->count] = node;
	sent->sizes[sent->count++] = packet.body_size;
	return 0;
}

/* A chunk without a single row still has its packets: somebody counts them. */
static void test_empty_packets_are_sent(void **state)
{
	struct sent sent = {0};
	struct topology topology;
	struct packer *packer;
	struct error err;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	fixture_compile(&f, queries[2]);
	assert_int_equal(topology_init(&topology, f.plan, 3, &err), 0);
	packer = packer_new(&topology, 77, flow_stream_table(0));
	packer_start(packer, 5);
	assert_int_equal(packer_cut(packer, note_packet, &sent, &err), 0);
	assert_int_equal(sent.count, 3);
	for (uint32_t i = 0; i < sent.count; i++) {
		assert_int_equal(sent.nodes[i], i);
		assert_int_equal(sent.sizes[i], 0);
	}
	packer_free(packer);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_destinations_are_those_who_wait),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_empty_packets_are_sent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
