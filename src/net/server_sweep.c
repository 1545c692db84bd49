#include "base/log.h"
#include "base/metrics.h"
#include "net/server_private.h"

#define SWEEP_MS	     1000u
#define PRIVILEGED_BYTES_MIN (1u << 20)

static bool is_late(const struct connection *c, uint64_t now_ms)
{
	return now_ms >= c->due_ms && !c->blocked;
}

static void sweep_connection(struct connection *c, uint64_t now_ms)
{
	const struct server_limits *limits = &c->server->limits;

	if (c->state == CONNECTION_ENDING) {
		if (now_ms >= c->due_ms)
			connection_free(c);
		return;
	}
	if (c->state != CONNECTION_OPEN)
		return;
	if (c->out.size > 0 && now_ms - c->out_ms >= limits->send_ms)
		connection_expel(c, WIRE_ERROR_RETRY, "it does not read what is sent to it");
	else if (is_late(c, now_ms))
		connection_expel(c, WIRE_ERROR_RETRY,
			c->in.got > 0 ? "it did not finish a message in time"
				      : "it was silent for too long");
}

/* All others wait for it: it has to be quick. */
static void sweep_privileged(struct server *server, uint64_t now_ms)
{
	struct connection *c = server_find(server, server->privileged);

	if (!c || c->state != CONNECTION_OPEN || c->blocked || !server_over_memory(server)) {
		server->privileged_ms = now_ms;
		server->privileged_got = c ? c->in.got : 0;
		return;
	}
	if (now_ms - server->privileged_ms < server->limits.privileged_ms)
		return;
	if (c->in.got - server->privileged_got < PRIVILEGED_BYTES_MIN)
		connection_expel(
			c, WIRE_ERROR_RETRY, "it was slow while the gateway was short of memory");
	server->privileged_ms = now_ms;
	server->privileged_got = c->in.got;
}

/* Half of the memory holds what nobody fetches: who has most of it gives it back. */
static void sweep_greediest(struct server *server)
{
	struct connection *most = NULL;

	if (server->memory_out <= server->limits.memory_max / 2)
		return;
	for (uint32_t i = 0; i < server->slot_count; i++) {
		struct connection *c = server->slots[i];

		if (c && c->state == CONNECTION_OPEN && (!most || c->out.size > most->out.size))
			most = c;
	}
	if (!most)
		return;
	log_event(server->component, LOG_CONNECTION_CLOSED,
		LOG_FIELDS(LOG_ID("connection", most->id), LOG_NUMBER("bytes", most->out.size),
			LOG_TEXT("reason", "memory_max")));
	metric_add(METRIC_CLIENTS_EXPELLED, 1);
	connection_break(most);
}

uint64_t server_sweep_interval(const struct server_limits *limits)
{
	uint64_t shortest = SWEEP_MS;

	shortest = limits->first_ms < shortest ? limits->first_ms : shortest;
	shortest = limits->frame_ms < shortest ? limits->frame_ms : shortest;
	shortest = limits->silent_ms < shortest ? limits->silent_ms : shortest;
	shortest = limits->send_ms < shortest ? limits->send_ms : shortest;
	return shortest > 4 ? shortest / 4 : 1;
}

void server_sweep(void *context)
{
	struct server *server = context;
	uint64_t now_ms = loop_now(server->loop);

	for (uint32_t i = 0; i < server->slot_count; i++)
		if (server->slots[i])
			sweep_connection(server->slots[i], now_ms);
	sweep_privileged(server, now_ms);
	sweep_greediest(server);
	server_update(server);
	loop_timer_set(server->loop, &server->sweep, server_sweep_interval(&server->limits));
}
