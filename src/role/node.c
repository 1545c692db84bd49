#include "role/node.h"

#include "base/bytes.h"
#include "base/mutant.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_BYTES 512
#define IDENTITY_PATH  "identity"
#define IDENTITY_SIZE  16u
/* Ticks come every few milliseconds; a loaded machine may be late by a second. */
#define CLOCK_STEP_MAX_MS 1000u

uint64_t node_now(struct node *node)
{
	uint64_t raw_ms = node->env.now_ms(node->env.clock);
	uint64_t step = raw_ms - node->raw_ms;

	node->raw_ms = raw_ms;
	node->now_ms += step < CLOCK_STEP_MAX_MS ? step : CLOCK_STEP_MAX_MS;
	return node->now_ms;
}

void node_log(const struct node *node, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list args;

	if (!node->env.log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	node->env.log(node->env.log_context, line);
}

void node_stop(struct node *node, const struct error *why)
{
	if (node->role.stopped)
		return;
	node->role.stopped = true;
	node->role.reason = *why;
	node_log(node, "STOPPED reason=\"%s\"", why->message);
}

void node_append(struct node *node, const struct flow_event *event)
{
	struct error err;

	buf_clear(&node->scratch);
	flow_event_encode(event, &node->scratch);
	if (transport_append(node->env.transport, node->scratch.data, node->scratch.size, 0, &err))
		node_stop(node, &err);
}

void node_fail_job(struct node *node, uint64_t job, const struct error *why)
{
	struct flow_event event = {
		.kind = FLOW_FAILED,
		.job = job,
		.code = why->code,
		.message = why->message,
		.message_size = strlen(why->message),
	};

	node_log(node, "JOB_FAILED job=%016lx reason=\"%s\"", job, why->message);
	node_append(node, &event);
}

static void on_log(void *context, uint64_t offset, const uint8_t *bytes, size_t size)
{
	struct node *node = context;
	struct ledger_change change;
	struct error err;

	if (node->role.stopped)
		return;
	if (ledger_apply(node->ledger, offset, bytes, size, node_now(node), &change, &err))
		node_log(node, "LOG_ENTRY_IGNORED offset=%lu reason=\"%s\"", offset, err.message);
	if (node->ready) {
		node->ops->on_change(node, &change);
	} else if (change.kind == LEDGER_NODE_UP && change.node == node->id &&
		   change.nonce == node->nonce) {
		node->ready = true;
		node_log(node, "READY incarnation=%016lx", node->incarnation);
		node->ops->on_ready(node);
	}
}

void node_redeliver(void *context, const struct transport_delivery *delivery)
{
	struct node *node = context;

	if (!node->role.stopped)
		node->ops->on_delivery(node, delivery);
}

static void on_confirm(void *context, uint64_t id)
{
	struct node *node = context;

	if (!node->role.stopped && id != 0)
		node->ops->on_confirm(node, id);
}

static void on_lost(void *context)
{
	struct node *node = context;
	struct error err;

	if (MUTANT(ZOMBIE_WRITES))
		return;
	error_set(&err, ERROR_FENCED, "another process has taken over this node's queue");
	node_stop(node, &err);
}

static int write_identity(struct disk_file *file, uint64_t incarnation, struct error *err)
{
	uint64_t words[2] = {incarnation, ~incarnation};
	struct disk_piece piece = {words, sizeof(words)};

	if (disk_write(file, 0, &piece, 1, err))
		return -1;
	return disk_sync(file, err);
}

/*
 * The identity of the disk: made once, when it is empty. One that was not written to its end was
 * never announced.
 */
static int read_identity(struct node *node, struct error *err)
{
	uint64_t words[2] = {0, 0};
	struct disk_file *file;
	uint64_t size;
	int status;

	node->incarnation = rng_next(node->env.rng);
	if (!node->env.disk)
		return 0;
	if (disk_open(node->env.disk, IDENTITY_PATH, true, &file, err))
		return -1;
	status = disk_size(file, &size, err);
	if (!status && size >= IDENTITY_SIZE)
		status = disk_read(file, 0, words, sizeof(words), err);
	if (!status && words[0] == ~words[1])
		node->incarnation = words[0];
	else if (!status)
		status = write_identity(file, node->incarnation, err);
	disk_close(file);
	return status;
}

int node_init(struct node *node, const struct role_env *env, uint32_t id,
	const struct node_ops *ops, struct error *err)
{
	struct flow_event up = {.kind = FLOW_NODE_UP, .node = id};

	node->env = *env;
	node->ops = ops;
	node->id = id;
	node->raw_ms = env->now_ms(env->clock);
	buf_init(&node->scratch, TRANSPORT_MESSAGE_MAX);
	node->ledger = ledger_new();
	node->nonce = rng_next(env->rng);
	if (read_identity(node, err))
		return -1;
	env->transport->handler = (struct transport_handler){
		.on_delivery = node_redeliver,
		.on_confirm = on_confirm,
		.on_log = on_log,
		.on_lost = on_lost,
		.context = node,
	};
	if (transport_follow(env->transport, err))
		return -1;
	up.incarnation = node->incarnation;
	up.nonce = node->nonce;
	node_append(node, &up);
	return 0;
}

void node_release(struct node *node)
{
	ledger_free(node->ledger);
	buf_release(&node->scratch);
}
