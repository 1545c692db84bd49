/*
 * Kubernetes: a StatefulSet for every role whose nodes have names of their own, so that a pod is called as its node is, a
 * Deployment for proxies, which have none, and a RabbitMQ. The platform starts what dies; watchers report.
 */
#include "deploy/deploy_private.h"

#include <string.h>

#define POD_SECURITY                   \
	"        runAsNonRoot: true\n" \
	"        seccompProfile: {type: RuntimeDefault}\n"

static void put_name(const struct deploy *deploy, const char *api, const char *kind,
	const char *name, struct buf *out)
{
	buf_printf(out,
		"---\napiVersion: %s\nkind: %s\nmetadata:\n  name: %s\n  labels: "
		"{app.kubernetes.io/name: tamiz, app.kubernetes.io/instance: %s, "
		"app.kubernetes.io/component: %s}\n",
		api, kind, name, deploy->config->cluster.name, name);
}

/* As a block of YAML below `key`. */
static void put_block(const char *key, const struct buf *text, struct buf *out)
{
	const char *at = text->data, *end = text->data + text->size;

	buf_printf(out, "  %s: |\n", key);
	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t size = (size_t)((stop ? stop : end) - at);

		buf_printf(out, size ? "    %.*s\n" : "%.*s\n", (int)size, at);
		at += size + (stop != NULL);
	}
}

static void put_service(const struct deploy *deploy, const char *name, bool headless,
	const char *ports, struct buf *out)
{
	put_name(deploy, "v1", "Service", name, out);
	buf_printf(out, "spec:\n%s  selector: {app.kubernetes.io/component: %s}\n  ports:\n%s",
		headless ? "  clusterIP: None\n  publishNotReadyAddresses: true\n" : "", name,
		ports);
}

static void put_budget(const struct deploy *deploy, const char *name, struct buf *out)
{
	put_name(deploy, "policy/v1", "PodDisruptionBudget", name, out);
	buf_printf(out,
		"spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels: "
		"{app.kubernetes.io/component: %s}\n",
		name);
}

static void put_pod(
	const struct deploy *deploy, enum node_kind kind, const char *name, struct buf *out)
{
	/* Pods of a StatefulSet are called as their nodes are; but for the collector, which has no number. */
	const char *node = kind == NODE_COLLECTOR ? "collector"
			   : kind == NODE_PROXY	  ? "proxy-0"
						  : "$(POD_NAME)";

	buf_printf(out,
		"  template:\n"
		"    metadata:\n"
		"      labels: {app.kubernetes.io/name: tamiz, app.kubernetes.io/component: %s}\n"
		"    spec:\n"
		"      automountServiceAccountToken: false\n"
		"      terminationGracePeriodSeconds: 30\n"
		"      securityContext:\n" POD_SECURITY "        runAsUser: %u\n"
		"        runAsGroup: %u\n"
		"        fsGroup: %u\n"
		"      containers:\n"
		"        - name: tamiz\n"
		"          image: %s\n"
		"          args: [node, %s, --file, " DEPLOY_FILE "]\n"
		"          env:\n"
		"            - name: POD_NAME\n"
		"              valueFrom: {fieldRef: {fieldPath: metadata.name}}\n"
		"          envFrom:\n"
		"            - secretRef: {name: tamiz}\n"
		"          securityContext:\n"
		"            allowPrivilegeEscalation: false\n"
		"            readOnlyRootFilesystem: true\n"
		"            capabilities: {drop: [ALL]}\n"
		"          ports:\n",
		name, DEPLOY_USER, DEPLOY_USER, DEPLOY_USER, deploy->options->image, node);
	buf_printf(out, "            - {name: health, containerPort: %u}\n", DEPLOY_HEALTH_PORT);
	if (kind == NODE_PROXY || kind == NODE_GATEWAY)
		buf_printf(out, "            - {name: clients, containerPort: %u}\n",
			kind == NODE_PROXY ? DEPLOY_PROXY_PORT : DEPLOY_GATEWAY_PORT);
	buf_printf(out,
		"          readinessProbe:\n"
		"            httpGet: {path: /ready, port: health}\n"
		"            periodSeconds: 2\n"
		"          livenessProbe:\n"
		"            exec: {command: [/usr/bin/tamiz, node, %s, --check, "
		"--file, " DEPLOY_FILE "]}\n"
		"            initialDelaySeconds: 30\n"
		"            periodSeconds: 10\n"
		"            timeoutSeconds: 10\n"
		"            failureThreshold: 6\n"
		"          volumeMounts:\n"
		"            - {name: file, mountPath: /etc/tamiz, readOnly: true}\n"
		"            - {name: state, mountPath: " DEPLOY_STATE "}\n"
		"            - {name: temporary, mountPath: /tmp}\n"
		"      volumes:\n"
		"        - name: file\n"
		"          configMap: {name: tamiz}\n"
		"        - name: temporary\n"
		"          emptyDir: {}\n",
		node);
	if (!deploy_keeps_state(kind))
		buf_append_text(out, "        - name: state\n          emptyDir: {}\n");
}

static void put_role(const struct deploy *deploy, enum node_kind kind, struct buf *out)
{
	const char *name = config_kind_word(kind);
	uint32_t replicas = config_replicas(deploy->config, kind);

	if (replicas == 0)
		return;
	put_name(deploy, "apps/v1", kind == NODE_PROXY ? "Deployment" : "StatefulSet", name, out);
	buf_printf(out,
		"spec:\n"
		"  replicas: %u\n"
		"  selector:\n"
		"    matchLabels: {app.kubernetes.io/component: %s}\n",
		replicas, name);
	if (kind != NODE_PROXY)
		buf_printf(out, "  serviceName: %s\n  podManagementPolicy: Parallel\n", name);
	put_pod(deploy, kind, name, out);
	if (deploy_keeps_state(kind))
		buf_printf(out,
			"  volumeClaimTemplates:\n"
			"    - metadata: {name: state}\n"
			"      spec:\n"
			"        accessModes: [ReadWriteOnce]\n"
			"        resources: {requests: {storage: %s}}\n",
			deploy->storage);
	put_service(deploy, name, kind != NODE_PROXY,
		kind == NODE_PROXY     ? "    - {name: clients, port: 7070}\n"
					 "    - {name: health, port: 7200}\n"
		: kind == NODE_GATEWAY ? "    - {name: clients, port: 7071}\n"
					 "    - {name: health, port: 7200}\n"
				       : "    - {name: health, port: 7200}\n",
		out);
	if (replicas > 1)
		put_budget(deploy, name, out);
}

static void put_broker_config(const struct deploy *deploy, struct buf *text)
{
	buf_append_text(text, "log.file = false\nlog.console = true\n");
	if (deploy->brokers < 2)
		return;
	buf_append_text(text, "cluster_formation.peer_discovery_backend = classic_config\n"
			      "cluster_partition_handling = pause_minority\n");
	for (uint32_t i = 0; i < deploy->brokers; i++)
		buf_printf(text,
			"cluster_formation.classic_config.nodes.%u = rabbit@rabbitmq-%u.rabbitmq\n",
			i + 1, i);
}

static void put_broker(const struct deploy *deploy, struct buf *out)
{
	put_name(deploy, "apps/v1", "StatefulSet", "rabbitmq", out);
	buf_printf(out,
		"spec:\n"
		"  replicas: %u\n"
		"  serviceName: rabbitmq\n"
		"  podManagementPolicy: Parallel\n"
		"  selector:\n"
		"    matchLabels: {app.kubernetes.io/component: rabbitmq}\n"
		"  template:\n"
		"    metadata:\n"
		"      labels: {app.kubernetes.io/name: rabbitmq, app.kubernetes.io/component: "
		"rabbitmq}\n"
		"    spec:\n"
		"      automountServiceAccountToken: false\n"
		"      securityContext:\n" POD_SECURITY "        runAsUser: 999\n"
		"        fsGroup: 999\n"
		"      containers:\n"
		"        - name: rabbitmq\n"
		"          image: %s\n"
		"          env:\n"
		"            - name: POD_NAME\n"
		"              valueFrom: {fieldRef: {fieldPath: metadata.name}}\n"
		"            - {name: RABBITMQ_USE_LONGNAME, value: \"true\"}\n"
		"            - {name: RABBITMQ_NODENAME, value: \"rabbit@$(POD_NAME).rabbitmq\"}\n"
		"            - {name: RABBITMQ_DEFAULT_USER, value: tamiz}\n"
		"            - name: RABBITMQ_DEFAULT_PASS\n"
		"              valueFrom: {secretKeyRef: {name: tamiz, key: "
		"TAMIZ_BROKER_PASSWORD}}\n"
		"            - name: RABBITMQ_ERLANG_COOKIE\n"
		"              valueFrom: {secretKeyRef: {name: tamiz, key: TAMIZ_ERLANG_COOKIE}}\n"
		"          ports:\n"
		"            - {name: amqp, containerPort: %u}\n"
		"          readinessProbe:\n"
		"            exec: {command: [rabbitmq-diagnostics, -q, check_port_connectivity]}\n"
		"            periodSeconds: 10\n"
		"            timeoutSeconds: 20\n"
		"          securityContext:\n"
		"            allowPrivilegeEscalation: false\n"
		"            capabilities: {drop: [ALL]}\n"
		"          volumeMounts:\n"
		"            - {name: data, mountPath: /var/lib/rabbitmq}\n"
		"            - {name: file, mountPath: /etc/rabbitmq/conf.d/20-tamiz.conf, "
		"subPath: "
		"rabbitmq.conf}\n"
		"      volumes:\n"
		"        - name: file\n"
		"          configMap: {name: tamiz}\n"
		"  volumeClaimTemplates:\n"
		"    - metadata: {name: data}\n"
		"      spec:\n"
		"        accessModes: [ReadWriteOnce]\n"
		"        resources: {requests: {storage: %s}}\n",
		deploy->brokers, deploy->options->broker_image, DEPLOY_AMQP_PORT, deploy->storage);
	put_service(deploy, "rabbitmq", true, "    - {name: amqp, port: 5672}\n", out);
	if (deploy->brokers > 1)
		put_budget(deploy, "rabbitmq", out);
}

static void put_secret(
	const struct deploy *deploy, const struct deploy_secrets *secrets, struct buf *out)
{
	put_name(deploy, "v1", "Secret", "tamiz", out);
	buf_printf(out,
		"stringData:\n  TAMIZ_BROKER_PASSWORD: \"%s\"\n  TAMIZ_ERLANG_COOKIE: \"%s\"\n"
		"  TAMIZ_WATCHER_SECRET: \"%s\"\n  TAMIZ_CLUSTER_KEY: \"%s\"\n",
		secrets->broker_password, secrets->erlang_cookie, secrets->watcher_secret,
		secrets->cluster_key);
	if (deploy->has_token)
		buf_printf(out, "  TAMIZ_TOKEN: \"%s\"\n", secrets->token);
}

/* All but the secrets. `file` and `broker`: what the ConfigMap has. */
static void put_all(const struct deploy *deploy, const struct buf *file, const struct buf *broker,
	struct buf *out)
{
	put_name(deploy, "v1", "ConfigMap", "tamiz", out);
	buf_append_text(out, "data:\n");
	put_block("cluster.ini", file, out);
	put_block("rabbitmq.conf", broker, out);
	put_broker(deploy, out);
	for (int kind = 0; kind < NODE_KINDS; kind++)
		put_role(deploy, (enum node_kind)kind, out);
}

/* --- a chart of Helm: the same, with what differs from one place to another as its values ------------
 */

static const struct deploy_secrets values_of_secrets = {
	.broker_password = "{{.Values.secrets.broker}}",
	.erlang_cookie = "{{.Values.secrets.erlang}}",
	.watcher_secret = "{{.Values.secrets.watcher}}",
	.cluster_key = "{{.Values.secrets.key}}",
	.token = "{{.Values.secrets.token}}",
};

/* What a cluster file says is no template. */
static void escape(const struct buf *text, struct buf *out)
{
	for (size_t i = 0; i < text->size; i++) {
		if (i + 1 < text->size && text->data[i] == '{' && text->data[i + 1] == '{') {
			buf_append_text(out, "{{\"{{\"}}");
			i++;
		} else {
			buf_append_char(out, text->data[i]);
		}
	}
}

static int put_file(const struct deploy *deploy, const char *name, mode_t mode, struct buf *text,
	struct error *err)
{
	int status = deploy_put(deploy, name, mode, text, err);

	buf_clear(text);
	return status;
}

static int put_values(
	const struct deploy *deploy, const struct deploy_secrets *secrets, struct error *err)
{
	struct buf out;
	int status;

	buf_init(&out, DEPLOY_FILE_MAX);
	buf_printf(&out, "apiVersion: v2\nname: tamiz\ndescription: A cluster of tamiz, written by "
			 "tamiz deploy "
			 "k8s\ntype: application\nversion: 0.1.0\n");
	status = put_file(deploy, "chart/Chart.yaml", 0644, &out, err);
	buf_printf(&out, "image: %s\nbrokerImage: %s\nstorage: %s\n", deploy->options->image,
		deploy->options->broker_image, deploy->storage);
	if (!status)
		status = put_file(deploy, "chart/values.yaml", 0644, &out, err);
	buf_printf(&out,
		"secrets:\n  broker: \"%s\"\n  erlang: \"%s\"\n  watcher: \"%s\"\n  key: \"%s\"\n",
		secrets->broker_password, secrets->erlang_cookie, secrets->watcher_secret,
		secrets->cluster_key);
	if (deploy->has_token)
		buf_printf(&out, "  token: \"%s\"\n", secrets->token);
	if (!status)
		status = put_file(deploy, "secrets.yaml", 0600, &out, err);
	buf_release(&out);
	return status;
}

static int put_chart(const struct deploy *deploy, const struct deploy_secrets *secrets,
	const struct buf *file, const struct buf *broker, struct error *err)
{
	struct deploy_options options = *deploy->options;
	struct deploy templates = *deploy;
	struct buf out, escaped;
	int status = put_values(deploy, secrets, err);

	options.image = "\"{{.Values.image}}\"";
	options.broker_image = "\"{{.Values.brokerImage}}\"";
	templates.options = &options;
	templates.storage = "\"{{.Values.storage}}\"";
	buf_init(&out, DEPLOY_FILE_MAX);
	buf_init(&escaped, DEPLOY_FILE_MAX);
	escape(file, &escaped);
	put_all(&templates, &escaped, broker, &out);
	if (!status)
		status = put_file(deploy, "chart/templates/cluster.yaml", 0644, &out, err);
	put_secret(&templates, &values_of_secrets, &out);
	if (!status)
		status = put_file(deploy, "chart/templates/secret.yaml", 0644, &out, err);
	buf_release(&escaped);
	buf_release(&out);
	return status;
}

static int put_plain(const struct deploy *deploy, const struct deploy_secrets *secrets,
	const struct buf *file, const struct buf *broker, struct error *err)
{
	struct buf out;
	int status;

	buf_init(&out, DEPLOY_FILE_MAX);
	put_secret(deploy, secrets, &out);
	status = put_file(deploy, "secret.yaml", 0600, &out, err);
	buf_append_text(&out, "# Written by tamiz deploy k8s.\n"
			      "#\n"
			      "#   kubectl create namespace tamiz\n"
			      "#   kubectl -n tamiz apply -f secret.yaml -f cluster.yaml\n"
			      "#\n"
			      "# or, with Helm:\n"
			      "#\n"
			      "#   helm -n tamiz install tamiz chart -f secrets.yaml\n");
	put_all(deploy, file, broker, &out);
	if (!status)
		status = put_file(deploy, "cluster.yaml", 0644, &out, err);
	buf_release(&out);
	return status;
}

int deploy_k8s(const struct deploy *deploy, struct error *err)
{
	static const struct deploy_layout layout = {.state = DEPLOY_STATE,
		.driver = "none",
		.own_addresses = true,
		.services = true,
		.one_proxy = true};
	struct deploy_secrets secrets;
	struct buf file, broker;
	int status;

	buf_init(&file, DEPLOY_FILE_MAX);
	buf_init(&broker, DEPLOY_FILE_MAX);
	status = deploy_cluster_file(deploy, &layout, &file, err);
	put_broker_config(deploy, &broker);
	if (!status)
		status = deploy_take_secrets(deploy, "", &secrets, err);
	if (!status)
		status = put_plain(deploy, &secrets, &file, &broker, err);
	if (!status)
		status = put_chart(deploy, &secrets, &file, &broker, err);
	buf_release(&broker);
	buf_release(&file);
	return status;
}
