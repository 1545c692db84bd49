/* Clients: the product's session and its network code, on hosts of their own. */
#include "sim/hosts/hosts.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AWAY_MS 2000u

static void turn(void *context)
{
	struct hosts_client *client = context;

	if (!client->over && session_loop_turn(&client->drive, &client->err)) {
		client->over = true;
		client->phase = SESSION_FAILED;
		return;
	}
	client->phase = session_phase(client->session);
	if (client->phase == SESSION_FAILED)
		client->err = *session_error(client->session);
	client->over = client->phase == SESSION_DONE || client->phase == SESSION_FAILED;
}

void hosts_client_end(struct hosts_client *client)
{
	struct machine_process *process = client->process, *before;

	if (!process)
		return;
	/* The session has no last words: its connections are gone. */
	machine_process_kill(process, false);
	before = machine_enter(process);
	session_free(client->session);
	net_free(client->net);
	machine_leave(before);
	machine_process_free(process);
	client->process = NULL;
	client->session = NULL;
	client->net = NULL;
}

void hosts_client_start(struct hosts_client *client)
{
	struct hosts *hosts = client->hosts;
	struct machine_process *before;

	if (client->process || client->over)
		return;
	client->process = machine_process_new(&hosts->machine, client->host, client->name);
	before = machine_enter(client->process);
	if (net_new(&client->net, client->servers, &client->err) == 0) {
		sim_source_clear(&client->source);
		client->session = session_new(&client->options, &client->state,
			&client->source.session, net_port(client->net), &client->rng);
		session_loop_init(&client->drive, client->net, client->session);
		machine_task_new(client->process, turn, client);
	}
	machine_leave(before);
	/* There was no descriptor: it is started again, as it would be by a person. */
	if (!client->session) {
		client->net = NULL;
		hosts_client_end(client);
		hosts_client_start_later(client);
	}
}

static void on_start(void *context, uint64_t argument)
{
	(void)argument;
	hosts_client_start(context);
}

void hosts_client_start_later(struct hosts_client *client)
{
	struct hosts *hosts = client->hosts;

	sim_events_add(&hosts->world.events, rng_below(&hosts->rng, AWAY_MS) * HOSTS_MS, on_start,
		client, 0);
}

/* Proxies if there are any, all gateways otherwise, or now and then. */
static void choose_servers(struct hosts_client *client)
{
	const struct config *config = &client->hosts->config;
	bool proxies = config->proxy.replicas > 0 && rng_below(&client->rng, 4);
	const struct config_service *service = proxies ? &config->proxy : &config->gateway;
	size_t used = 0;

	for (uint32_t i = 0; i < service->replicas; i++) {
		struct net_address address = config_found_at(&service->place, i);
		char text[NET_ADDRESS_TEXT];

		net_address_format(&address, text);
		used += (size_t)snprintf(client->servers + used, sizeof(client->servers) - used,
			"%s%s", i ? "," : "", text);
	}
}

void hosts_add_clients(struct hosts *hosts)
{
	hosts->client_count = 1 + (uint32_t)rng_below(&hosts->rng, HOSTS_CLIENTS_MAX);
	for (uint32_t i = 0; i < hosts->client_count; i++) {
		struct hosts_client *client = &hosts->clients[i];
		struct sim_job *job = sim_job_new(hosts->datasets, &hosts->rng);

		client->hosts = hosts;
		client->host = hosts->host_count++;
		client->job = job;
		snprintf(client->name, sizeof(client->name), "client-%u", i);
		rng_init(&client->rng, rng_next(&hosts->rng));
		sim_source_init(&client->source, job, &client->rng);
		client->options = (struct session_options){
			.job = rng_next(&client->rng) | 1,
			.schema = job->schema,
			.table_count = job->table_count,
			.table_bytes = job->table_bytes,
			.query_count = job->query_count,
			.queries = job->queries,
			.connections = 1 + (uint32_t)rng_below(&client->rng, 3),
			.window = 1 + (uint32_t)rng_below(&client->rng, 8),
			.patience_ms = 2000,
		};
		client->options.secret = sim_job_secret(client->options.job);
		choose_servers(client);
		sim_events_add(&hosts->world.events, rng_below(&hosts->rng, hosts->chaos_end_us),
			on_start, client, 0);
	}
}

void hosts_client_release(struct hosts_client *client)
{
	hosts_client_end(client);
	session_state_release(&client->state);
	sim_source_release(&client->source);
	sim_job_free(client->job);
}
