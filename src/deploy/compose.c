/* Docker Compose: a service for each node, and a RabbitMQ of one or three nodes. */
#include "deploy/deploy_private.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PROJECT_LINE_MAX 128

static void put_head(const struct deploy *deploy, struct buf *out)
{
	buf_printf(out,
		"# Written by tamiz deploy compose. Secrets are in .env; etc/ is /etc/tamiz of "
		"every node.\n"
		"#\n"
		"#   docker compose up -d\n"
		"#   tamiz status --server HOST:%u\n"
		"\n"
		"x-node: &node\n"
		"  image: %s\n"
		"  init: true\n"
		"  restart: always\n"
		"  read_only: true\n"
		"  user: \"%u:%u\"\n"
		"  cap_drop: [ALL]\n"
		"  security_opt: [\"no-new-privileges:true\"]\n"
		"  stop_grace_period: 30s\n"
		"  tmpfs: [\"/tmp\"]\n"
		"  networks: [cluster]\n"
		"  environment:\n"
		"    TAMIZ_BROKER_PASSWORD: ${TAMIZ_BROKER_PASSWORD:?}\n"
		"    TAMIZ_WATCHER_SECRET: ${TAMIZ_WATCHER_SECRET:?}\n"
		"    TAMIZ_CLUSTER_KEY: ${TAMIZ_CLUSTER_KEY:?}\n",
		DEPLOY_PROXY_PORT, deploy->options->image, DEPLOY_USER, DEPLOY_USER);
	if (deploy->has_token)
		buf_append_text(out, "    TAMIZ_TOKEN: ${TAMIZ_TOKEN:?}\n");
	buf_append_text(out, "  depends_on:\n");
	for (uint32_t i = 0; i < deploy->brokers; i++)
		buf_printf(out, "    rabbitmq-%u: {condition: service_healthy}\n", i);
	buf_append_text(out, "\nservices:\n");
}

static void put_broker(const struct deploy *deploy, uint32_t index, struct buf *out)
{
	buf_printf(out,
		"  rabbitmq-%u:\n"
		"    image: %s\n"
		"    hostname: rabbitmq-%u\n"
		"    restart: always\n"
		"    networks: [cluster]\n"
		"    environment:\n"
		"      RABBITMQ_DEFAULT_USER: tamiz\n"
		"      RABBITMQ_DEFAULT_PASS: ${TAMIZ_BROKER_PASSWORD:?}\n"
		"      RABBITMQ_ERLANG_COOKIE: ${TAMIZ_ERLANG_COOKIE:?}\n"
		"    volumes:\n"
		"      - rabbitmq-%u:/var/lib/rabbitmq\n"
		"      - ./etc/rabbitmq.conf:/etc/rabbitmq/conf.d/20-tamiz.conf:ro\n"
		"    healthcheck:\n"
		"      test: [\"CMD\", \"rabbitmq-diagnostics\", \"-q\", "
		"\"check_port_connectivity\"]\n"
		"      interval: 10s\n"
		"      timeout: 20s\n"
		"      retries: 12\n",
		index, deploy->options->broker_image, index, index);
}

static void put_node(const struct roster_node *node, struct buf *out)
{
	buf_printf(out,
		"  %s:\n"
		"    <<: *node\n"
		"    hostname: %s\n"
		"    command: [\"node\", \"%s\", \"--file\", \"" DEPLOY_FILE "\"]\n"
		"    volumes:\n"
		"      - ./etc:/etc/tamiz:ro\n"
		"      - %s:" DEPLOY_STATE "\n"
		"    healthcheck:\n"
		"      test: [\"CMD\", \"/usr/bin/tamiz\", \"node\", \"%s\", \"--check\", "
		"\"--file\", "
		"\"" DEPLOY_FILE "\"]\n"
		"      interval: 5s\n"
		"      timeout: 10s\n"
		"      retries: 6\n"
		"      start_period: 30s\n",
		node->name, node->name, node->name, node->name, node->name);
	if (node->kind == NODE_PROXY)
		buf_printf(out, "    ports: [\"%u:%u\"]\n", DEPLOY_PROXY_PORT + node->index,
			DEPLOY_PROXY_PORT);
}

static int put_broker_config(const struct deploy *deploy, struct error *err)
{
	struct buf text;
	int status;

	buf_init(&text, DEPLOY_FILE_MAX);
	buf_append_text(&text, "log.file = false\nlog.console = true\n");
	if (deploy->brokers > 1) {
		buf_append_text(&text, "cluster_formation.peer_discovery_backend = classic_config\n"
				       "cluster_partition_handling = pause_minority\n");
		for (uint32_t i = 0; i < deploy->brokers; i++)
			buf_printf(&text,
				"cluster_formation.classic_config.nodes.%u = rabbit@rabbitmq-%u\n",
				i + 1, i);
	}
	status = deploy_put(deploy, "etc/rabbitmq.conf", 0644, &text, err);
	buf_release(&text);
	return status;
}

/* In .env and not as `name` of the file, which older programs do not know. No capitals are allowed in it. */
static void project_line(const struct deploy *deploy, char line[PROJECT_LINE_MAX])
{
	int size = snprintf(line, PROJECT_LINE_MAX, "COMPOSE_PROJECT_NAME=");

	for (const char *c = deploy->config->cluster.name; *c && size < PROJECT_LINE_MAX - 2; c++)
		line[size++] = (char)tolower((unsigned char)*c);
	line[size++] = '\n';
	line[size] = '\0';
}

int deploy_compose(const struct deploy *deploy, struct error *err)
{
	static const struct deploy_layout layout = {
		.state = DEPLOY_STATE, .driver = "none", .own_addresses = true};
	struct deploy_secrets secrets;
	char project[PROJECT_LINE_MAX];
	struct buf text, file;
	int status;

	buf_init(&text, DEPLOY_FILE_MAX);
	buf_init(&file, DEPLOY_FILE_MAX);
	put_head(deploy, &text);
	for (uint32_t i = 0; i < deploy->brokers; i++)
		put_broker(deploy, i, &text);
	for (uint32_t i = 0; i < deploy->node_count; i++)
		put_node(&deploy->nodes[i], &text);
	buf_append_text(&text, "\nnetworks:\n  cluster: {}\n\nvolumes:\n");
	for (uint32_t i = 0; i < deploy->brokers; i++)
		buf_printf(&text, "  rabbitmq-%u: {}\n", i);
	for (uint32_t i = 0; i < deploy->node_count; i++)
		buf_printf(&text, "  %s: {}\n", deploy->nodes[i].name);
	project_line(deploy, project);
	status = deploy_take_secrets(deploy, project, &secrets, err);
	if (!status)
		status = deploy_cluster_file(deploy, &layout, &file, err);
	/* The user of the image must read it, and it has no secrets. */
	if (!status)
		status = deploy_put(deploy, "etc/cluster.ini", 0644, &file, err);
	if (!status)
		status = put_broker_config(deploy, err);
	if (!status)
		status = deploy_put(deploy, "compose.yaml", 0644, &text, err);
	buf_release(&file);
	buf_release(&text);
	return status;
}
