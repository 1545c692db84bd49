#include "deploy/deploy_private.h"

#include "base/digits.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTION_MAX 32
#define SECRETS_MAX 8192
#define PLAIN	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~+/=-"

const char *const deploy_words[DEPLOY_KINDS + 1] = {"compose", "systemd", "k8s", "local", NULL};

/* --- files ---------------------------------------------------------------------------------------
 */

int deploy_put(const struct deploy *deploy, const char *name, mode_t mode, struct buf *text,
	struct error *err)
{
	char path[PATH_MAX];
	int size = snprintf(path, sizeof(path), "%s/%s", deploy->options->folder, name);

	if (size < 0 || (size_t)size >= sizeof(path))
		return error_set(err, ERROR_USAGE, "the folder's name is too long");
	if (buf_overflowed(text))
		return error_set(err, ERROR_LIMIT, "%s would be too long", path);
	if (folder_make_above(path, 0755, err))
		return -1;
	if (file_replace(path, FILE_ONE_WRITER, mode, text->data, text->size, false))
		return error_set(err, ERROR_IO, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

/* --- secrets -------------------------------------------------------------------------------------
 */

static int draw(char *out, size_t size, struct error *err)
{
	uint8_t bytes[32];

	if (random_bytes(bytes, sizeof(bytes)))
		return error_set(err, ERROR_IO, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i + 1 < size && i < sizeof(bytes); i++)
		out[i] = "0123456789abcdefghijklmnopqrstuv"[bytes[i] % 32];
	out[size - 1] = '\0';
	return 0;
}

/* NAME=VALUE of `text`; "" when there is none. */
static void find(const char *text, const char *name, char *out, size_t size)
{
	size_t length = strlen(name);

	*out = '\0';
	while (text && *text) {
		size_t line = strcspn(text, "\n");

		if (strncmp(text, name, length) == 0 && text[length] == '=')
			snprintf(out, size, "%.*s", (int)(line - length - 1), text + length + 1);
		text += line + (text[line] == '\n');
	}
}

int deploy_take_secrets(const struct deploy *deploy, const char *head,
	struct deploy_secrets *secrets, struct error *err)
{
	struct {
		const char *name;
		char *value;
		size_t size;
	} all[] = {
		{"TAMIZ_BROKER_PASSWORD", secrets->broker_password,
			sizeof(secrets->broker_password)},
		{"TAMIZ_ERLANG_COOKIE", secrets->erlang_cookie, sizeof(secrets->erlang_cookie)},
		{"TAMIZ_WATCHER_SECRET", secrets->watcher_secret, sizeof(secrets->watcher_secret)},
		{"TAMIZ_CLUSTER_KEY", secrets->cluster_key, sizeof(secrets->cluster_key)},
		{"TAMIZ_TOKEN", secrets->token, sizeof(secrets->token)},
	};
	char path[PATH_MAX], *old;
	struct buf text;
	int status = 0;

	snprintf(path, sizeof(path), "%s/" DEPLOY_SECRETS_FILE, deploy->options->folder);
	old = file_read(path, SECRETS_MAX, NULL);
	buf_init(&text, SECRETS_MAX);
	buf_append_text(&text, head);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all) && !status; i++) {
		find(old, all[i].name, all[i].value, all[i].size);
		if (!all[i].value[0] && all[i].value == secrets->token && deploy->has_token &&
			!strstr(deploy->config->gateway_token, "${"))
			snprintf(secrets->token, sizeof(secrets->token), "%s",
				deploy->config->gateway_token);
		else if (!all[i].value[0])
			status = draw(all[i].value, all[i].size < 33 ? all[i].size : 33, err);
		if (all[i].value != secrets->token || deploy->has_token)
			buf_printf(&text, "%s=%s\n", all[i].name, all[i].value);
	}
	free(old);
	/* Each platform quotes in its own way. */
	if (!status && strspn(secrets->token, PLAIN) != strlen(secrets->token))
		status = error_set(err, ERROR_USAGE,
			"[gateway] token: for a deployment it may have letters, digits and "
			"._~+/=-");
	if (!status)
		status = deploy_put(deploy, DEPLOY_SECRETS_FILE, 0600, &text, err);
	buf_release(&text);
	return status;
}

/* --- the cluster file ----------------------------------------------------------------------------
 */

/* What the platform decides; "" stands for every section of a role. */
static const char *const decided[][2] = {
	{"", "listen"},
	{"", "hosts"},
	{"", "health"},
	{"", "health_hosts"},
	{"", "replicas"},
	{"cluster", "state"},
	{"cluster", "logs"},
	{"cluster", "key"},
	{"broker", "url"},
	{"broker", "folder"},
	{"broker", "ca_file"},
	{"broker", "cert_file"},
	{"broker", "key_file"},
	{"gateway", "token"},
	{"watcher", "secret"},
	{"watcher", "driver"},
	{"watcher", "command"},
};

static bool is_decided(const char *section, const char *key, size_t size)
{
	for (size_t i = 0; i < sizeof(decided) / sizeof(*decided); i++)
		if ((!*decided[i][0] || strcmp(decided[i][0], section) == 0) &&
			strlen(decided[i][1]) == size && memcmp(decided[i][1], key, size) == 0)
			return true;
	return false;
}

/* The lines that are kept. */
static void keep_lines(const char *text, struct buf *out)
{
	char section[SECTION_MAX] = "";

	while (*text) {
		size_t line = strcspn(text, "\n");
		const char *at = text + strspn(text, " \t");
		size_t key = strcspn(at, " \t=:\n");

		if (*at == '[')
			snprintf(section, sizeof(section), "%.*s", (int)strcspn(at + 1, "]\n"),
				at + 1);
		if (*at == '[' || *at == '#' || *at == ';' || *at == '\n' || *at == '\0' ||
			!is_decided(section, at, key))
			buf_printf(out, "%.*s\n", (int)line, text);
		text += line + (text[line] == '\n');
	}
}

static void put_hosts(const struct deploy *deploy, const struct deploy_layout *layout,
	enum node_kind kind, const char *key, unsigned port, struct buf *out)
{
	uint32_t count =
		kind == NODE_PROXY && layout->one_proxy ? 1 : config_replicas(deploy->config, kind);

	for (uint32_t i = 0; i < count; i++) {
		char name[ROSTER_NAME_MAX];

		roster_name(kind, i, name);
		if (kind == NODE_PROXY && layout->one_proxy)
			buf_printf(out, "%s = proxy:%u\n", key, port);
		else if (layout->services && kind == NODE_COLLECTOR)
			buf_printf(out, "health = collector-0.collector:%u\n", port);
		else if (layout->services)
			buf_printf(out, "%s = %s.%s:%u\n", key, name, config_kind_word(kind), port);
		else
			buf_printf(out, "%s = %s:%u\n", kind == NODE_COLLECTOR ? "health" : key,
				name, port);
	}
}

static unsigned listen_port(enum node_kind kind)
{
	return kind == NODE_GATEWAY   ? DEPLOY_GATEWAY_PORT
	       : kind == NODE_PROXY   ? DEPLOY_PROXY_PORT
	       : kind == NODE_WATCHER ? DEPLOY_WATCHER_PORT
				      : 0;
}

/* Ports in a row on this machine. */
static void put_shared(
	const struct deploy *deploy, enum node_kind kind, unsigned *port, struct buf *out)
{
	uint32_t replicas = config_replicas(deploy->config, kind);

	if (kind != NODE_COLLECTOR)
		buf_printf(out, "replicas = %u\n", replicas);
	if (listen_port(kind)) {
		buf_printf(out, "listen = 127.0.0.1:%u\n", *port);
		*port += replicas;
	}
	buf_printf(out, "health = 127.0.0.1:%u\n", *port);
	*port += replicas;
}

int deploy_cluster_file(const struct deploy *deploy, const struct deploy_layout *layout,
	struct buf *out, struct error *err)
{
	char *text = file_read(deploy->config->path, CONFIG_FILE_MAX, NULL);
	static const enum node_kind order[NODE_KINDS] = {
		NODE_PROXY, NODE_GATEWAY, NODE_REDUCER, NODE_COLLECTOR, NODE_FILTER, NODE_WATCHER};
	unsigned port = (unsigned)deploy->options->port;

	if (!text)
		return error_set(
			err, ERROR_IO, "cannot read %s: %s", deploy->config->path, strerror(errno));
	keep_lines(text, out);
	free(text);
	buf_printf(out,
		"\n; What the platform decides: written by tamiz deploy.\n[cluster]\nstate = %s\n",
		layout->state);
	if (deploy->brokers)
		buf_append_text(out, "key = ${TAMIZ_CLUSTER_KEY}\n");
	buf_append_text(out, "[broker]\n");
	for (uint32_t i = 0; i < deploy->brokers; i++) {
		if (layout->services)
			buf_printf(out,
				"url = "
				"amqp://tamiz:${TAMIZ_BROKER_PASSWORD}@rabbitmq-%u.rabbitmq:%u/\n",
				i, DEPLOY_AMQP_PORT);
		else
			buf_printf(out,
				"url = amqp://tamiz:${TAMIZ_BROKER_PASSWORD}@rabbitmq-%u:%u/\n", i,
				DEPLOY_AMQP_PORT);
	}
	if (deploy->brokers == 0)
		buf_append_text(out, "url = ${TAMIZ_BROKER_URL}\n");
	for (int k = 0; k < NODE_KINDS; k++) {
		enum node_kind kind = order[k];

		buf_printf(out, "[%s]\n", config_kind_word(kind));
		if (kind == NODE_GATEWAY && deploy->has_token)
			buf_append_text(out, "token = ${TAMIZ_TOKEN}\n");
		if (kind == NODE_WATCHER)
			buf_printf(out, "driver = %s\n", layout->driver);
		if (kind == NODE_WATCHER && deploy->brokers)
			buf_append_text(out, "secret = ${TAMIZ_WATCHER_SECRET}\n");
		if (!layout->own_addresses) {
			put_shared(deploy, kind, &port, out);
			continue;
		}
		if (config_replicas(deploy->config, kind) == 0) {
			buf_append_text(out, "replicas = 0\n");
			continue;
		}
		if (listen_port(kind)) {
			buf_printf(out, "listen = 0.0.0.0:%u\n", listen_port(kind));
			put_hosts(deploy, layout, kind, "hosts", listen_port(kind), out);
		}
		if (kind != NODE_COLLECTOR)
			buf_printf(out, "health = 0.0.0.0:%u\n", DEPLOY_HEALTH_PORT);
		put_hosts(deploy, layout, kind, "health_hosts", DEPLOY_HEALTH_PORT, out);
	}
	return 0;
}

/* --- local ---------------------------------------------------------------------------------------
 */

static int deploy_local(struct deploy *deploy, struct error *err)
{
	static const struct deploy_layout layout = {.state = "state", .driver = "local"};
	struct buf text;
	int status;

	deploy->brokers = 0; /* tamiz up has one of its own */
	buf_init(&text, DEPLOY_FILE_MAX);
	status = deploy_cluster_file(deploy, &layout, &text, err);
	if (!status)
		status = deploy_put(deploy, "cluster.ini", 0600, &text, err);
	buf_release(&text);
	return status;
}

int deploy_write(enum deploy_kind kind, const struct config *config,
	const struct deploy_options *options, struct error *err)
{
	struct deploy *deploy = memory_zalloc(sizeof(*deploy));
	int status = -1;

	*deploy = (struct deploy){.config = config,
		.options = options,
		.brokers = strcmp(config->broker.queues, "quorum") == 0 ? 3 : 1,
		.has_token = config->gateway_token[0] != '\0',
		.storage = "20Gi"};
	deploy->node_count = roster_list(config, deploy->nodes, ROSTER_NODES_MAX);
	switch (kind) {
	case DEPLOY_COMPOSE: status = deploy_compose(deploy, err); break;
	case DEPLOY_SYSTEMD: status = deploy_systemd(deploy, err); break;
	case DEPLOY_K8S: status = deploy_k8s(deploy, err); break;
	case DEPLOY_LOCAL: status = deploy_local(deploy, err); break;
	}
	free(deploy);
	return status;
}
