/*
 * A connection of one of the two threads: made, mended, read and ended by that thread alone.
 *
 * After a break the next attempt comes after 50 ms, then twice as late each time up to 2 s, each
 * with some chance in it so that the nodes of a cluster do not come all at once. Only a connection
 * that stood for a while puts the delay back to its start: one that is refused whatever it does
 * after its login must not hammer the broker. After any other the next broker of the cluster is
 * tried, if there are several.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "transport/rabbit_private.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define STEADY_MS      2000
#define CONNECT_MS_MAX 5000
#define CLOSE_MS_MAX   1000
#define FRAME_SIZE_MAX 131072
#define CHANNELS_MAX   8
#define SYSTEM_CA      "/etc/ssl/certs/ca-certificates.crt"
/* RabbitMQ 4 drops messages that were delivered 20 times unless it is told otherwise. */
#define DELIVERY_LIMIT	 1000000
#define REASON_SIZE	 256
#define LOG_SEGMENT_SIZE (64 << 20)
#define LOGS_MAX	 1000u
/* Longer than a broker, or another one of its cluster, takes to open what it has. */
#define LOG_DOWN_MS_MAX	      60000u
#define LOG_DOWN_ALONE_MS_MAX 4000u

static struct timeval time_of_ms(uint32_t ms)
{
	return (struct timeval){ms / 1000, (long)(ms % 1000) * 1000};
}

/* --- waiting -----------------------------------------------------------------------------------*/

void rabbit_link_wake(struct rabbit_link *link)
{
	const uint64_t one = 1;

	if (link->woken)
		return;
	link->woken = true;
	while (write(link->wake_fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void rabbit_link_nap(struct rabbit_link *link, uint32_t timeout_ms)
{
	struct pollfd fds[2] = {
		{.fd = link->wake_fd, .events = POLLIN},
		{.fd = link->connection ? rabbitmq.amqp_get_sockfd(link->connection) : -1,
			.events = POLLIN},
	};
	uint64_t count;

	if (poll(fds, 2, (int)(timeout_ms < RABBIT_NAP_MS ? timeout_ms : RABBIT_NAP_MS)) <= 0 ||
		!fds[0].revents)
		return;
	pthread_mutex_lock(&link->rabbit->lock);
	link->woken = false;
	while (read(link->wake_fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
	pthread_mutex_unlock(&link->rabbit->lock);
}

/* --- ends --------------------------------------------------------------------------------------*/

static void publish_socket(struct rabbit_link *link, int fd)
{
	pthread_mutex_lock(&link->rabbit->lock);
	link->socket = fd;
	pthread_mutex_unlock(&link->rabbit->lock);
	atomic_store(&link->is_up, fd >= 0);
}

static void retry_later(struct rabbit_link *link)
{
	uint64_t now_ms = clock_monotonic_ms();

	if (link->up_since_ms && now_ms - link->up_since_ms >= STEADY_MS) {
		link->failures = 0;
		backoff_reset(&link->backoff);
	} else {
		link->url_next++;
	}
	link->failures++;
	link->up_since_ms = 0;
	link->retry_at_ms = now_ms + backoff_next(&link->backoff, &link->rng);
}

static void set_blocked(struct rabbit_link *link, bool blocked)
{
	if (link->blocked != blocked)
		(blocked ? metric_add : metric_subtract)(METRIC_BROKER_BLOCKED, 1);
	link->blocked = blocked;
}

void rabbit_link_break(struct rabbit_link *link, const char *reason)
{
	if (!link->connection)
		return;
	publish_socket(link, -1);
	rabbitmq.amqp_destroy_connection(link->connection);
	link->connection = NULL;
	link->down_since_ms = clock_monotonic_ms();
	set_blocked(link, false);
	metric_add(METRIC_BROKER_LOSSES, 1);
	retry_later(link);
	rabbit_note(link->rabbit, LOG_BROKER_LOST,
		LOG_FIELDS(LOG_TEXT("node", link->rabbit->options.node),
			LOG_TEXT("connection", link->purpose), LOG_NUMBER("epoch", link->epoch),
			LOG_TEXT("reason", reason)));
}

void rabbit_link_close(struct rabbit_link *link)
{
	struct timeval timeout = time_of_ms(CLOSE_MS_MAX);

	if (!link->connection)
		return;
	if (!link->blocked) {
		rabbitmq.amqp_set_rpc_timeout(link->connection, &timeout);
		rabbitmq.amqp_connection_close(link->connection, AMQP_REPLY_SUCCESS);
	}
	publish_socket(link, -1);
	rabbitmq.amqp_destroy_connection(link->connection);
	link->connection = NULL;
}

static void describe_bytes(char *text, size_t size, uint16_t code, amqp_bytes_t bytes)
{
	snprintf(text, size, "%u %.*s", code, (int)(bytes.len < 200 ? bytes.len : 200),
		(const char *)bytes.bytes);
}

static void describe_method(char *text, size_t size, const amqp_method_t *method)
{
	if (method->id == AMQP_CONNECTION_CLOSE_METHOD) {
		const amqp_connection_close_t *told = method->decoded;

		describe_bytes(text, size, told->reply_code, told->reply_text);
	} else if (method->id == AMQP_CHANNEL_CLOSE_METHOD) {
		const amqp_channel_close_t *told = method->decoded;

		describe_bytes(text, size, told->reply_code, told->reply_text);
	} else {
		snprintf(text, size, "%s", rabbitmq.amqp_method_name(method->id));
	}
}

static void describe_reply(char *text, size_t size, const amqp_rpc_reply_t *reply)
{
	if (reply->reply_type == AMQP_RESPONSE_SERVER_EXCEPTION)
		describe_method(text, size, &reply->reply);
	else
		snprintf(text, size, "%s", rabbitmq.amqp_error_string2(reply->library_error));
}

static void break_after(struct rabbit_link *link, const amqp_rpc_reply_t *reply, const char *action)
{
	char what[REASON_SIZE], reason[2 * REASON_SIZE];

	describe_reply(what, sizeof(what), reply);
	snprintf(reason, sizeof(reason), "%s: %s", action, what);
	link->end = reply->reply_type == AMQP_RESPONSE_SERVER_EXCEPTION ? RABBIT_END_TOLD
									: RABBIT_END_SILENT;
	rabbit_link_break(link, reason);
}

int rabbit_link_check(struct rabbit_link *link, const char *action)
{
	amqp_rpc_reply_t reply = rabbitmq.amqp_get_rpc_reply(link->connection);

	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return 0;
	break_after(link, &reply, action);
	return -1;
}

/* --- connecting --------------------------------------------------------------------------------*/

static amqp_socket_t *tls_socket(struct rabbit_link *link, char *reason)
{
	const struct rabbit_options *options = &link->rabbit->options;
	amqp_socket_t *socket = rabbitmq.amqp_ssl_socket_new(link->connection);
	const char *ca_file = options->ca_file ? options->ca_file : SYSTEM_CA;

	if (!socket) {
		snprintf(reason, REASON_SIZE, "no TLS");
		return NULL;
	}
	rabbitmq.amqp_ssl_socket_set_verify_peer(socket, 1);
	rabbitmq.amqp_ssl_socket_set_verify_hostname(socket, 1);
	rabbitmq.amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST);
	if (rabbitmq.amqp_ssl_socket_set_cacert(socket, ca_file) != AMQP_STATUS_OK) {
		snprintf(reason, REASON_SIZE, "%s: no certificates to trust", ca_file);
		return NULL;
	}
	if (options->cert_file && rabbitmq.amqp_ssl_socket_set_key(socket, options->cert_file,
					  options->key_file) != AMQP_STATUS_OK) {
		snprintf(reason, REASON_SIZE, "%s: no certificate, or not with %s",
			options->cert_file, options->key_file);
		return NULL;
	}
	return socket;
}

static int open_socket(struct rabbit_link *link, const struct rabbit_url *url, char *reason)
{
	uint32_t timeout_ms = link->rabbit->options.rpc_timeout_ms;
	struct timeval timeout =
		time_of_ms(timeout_ms < CONNECT_MS_MAX ? timeout_ms : CONNECT_MS_MAX);
	amqp_socket_t *socket;
	int status;

	snprintf(reason, REASON_SIZE, "no socket");
	socket = url->info.ssl ? tls_socket(link, reason)
			       : rabbitmq.amqp_tcp_socket_new(link->connection);
	if (!socket)
		return -1;
	status =
		rabbitmq.amqp_socket_open_noblock(socket, url->info.host, url->info.port, &timeout);
	if (status == AMQP_STATUS_OK)
		return 0;
	snprintf(reason, REASON_SIZE, "%s:%d: %s", url->info.host, url->info.port,
		rabbitmq.amqp_error_string2(status));
	return -1;
}

static amqp_table_entry_t text_entry(const char *key, const char *text)
{
	return (amqp_table_entry_t){
		.key = rabbitmq.amqp_cstring_bytes(key),
		.value = {.kind = AMQP_FIELD_KIND_UTF8,
			.value.bytes = rabbitmq.amqp_cstring_bytes(text)},
	};
}

static amqp_table_entry_t flag_entry(const char *key)
{
	return (amqp_table_entry_t){
		.key = rabbitmq.amqp_cstring_bytes(key),
		.value = {.kind = AMQP_FIELD_KIND_BOOLEAN, .value.boolean = 1},
	};
}

static amqp_table_entry_t number_entry(const char *key, int64_t number)
{
	return (amqp_table_entry_t){
		.key = rabbitmq.amqp_cstring_bytes(key),
		.value = {.kind = AMQP_FIELD_KIND_I64, .value.i64 = number},
	};
}

static int log_in(struct rabbit_link *link, const struct rabbit_url *url, char *reason)
{
	char name[256];
	amqp_table_entry_t abilities[] = {
		flag_entry("connection.blocked"), flag_entry("consumer_cancel_notify")};
	amqp_table_entry_t entries[2];
	const amqp_table_t table = {2, entries};
	amqp_rpc_reply_t reply;

	snprintf(name, sizeof(name), "%s %s", link->rabbit->options.node, link->purpose);
	entries[0] = text_entry("connection_name", name);
	entries[1] = (amqp_table_entry_t){
		.key = rabbitmq.amqp_cstring_bytes("capabilities"),
		.value = {.kind = AMQP_FIELD_KIND_TABLE, .value.table = {2, abilities}},
	};
	reply = rabbitmq.amqp_login_with_properties(link->connection, url->info.vhost, CHANNELS_MAX,
		FRAME_SIZE_MAX, (int)link->rabbit->options.heartbeat_s, &table,
		AMQP_SASL_METHOD_PLAIN, url->info.user, url->info.password);
	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return 0;
	describe_reply(reason, REASON_SIZE, &reply);
	return -1;
}

static int open_channel(struct rabbit_link *link, enum rabbit_channel channel, char *reason)
{
	amqp_rpc_reply_t reply;

	rabbitmq.amqp_channel_open(link->connection, (amqp_channel_t)channel);
	reply = rabbitmq.amqp_get_rpc_reply(link->connection);
	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return 0;
	describe_reply(reason, REASON_SIZE, &reply);
	return -1;
}

static int try_connect(struct rabbit_link *link, char *reason)
{
	struct rabbit *rabbit = link->rabbit;
	const struct rabbit_url *url = &rabbit->urls[link->url_next % rabbit->url_count];
	struct timeval timeout = time_of_ms(rabbit->options.rpc_timeout_ms);
	int yes = 1;

	link->connection = rabbitmq.amqp_new_connection();
	if (!link->connection)
		abort();
	rabbitmq.amqp_set_handshake_timeout(link->connection, &timeout);
	rabbitmq.amqp_set_rpc_timeout(link->connection, &timeout);
	if (open_socket(link, url, reason) || log_in(link, url, reason) ||
		open_channel(link, RABBIT_CHANNEL_DATA, reason) ||
		open_channel(link, RABBIT_CHANNEL_RPC, reason))
		return -1;
	setsockopt(rabbitmq.amqp_get_sockfd(link->connection), IPPROTO_TCP, TCP_NODELAY, &yes,
		sizeof(yes));
	rabbit_note(rabbit, LOG_BROKER_CONNECTED,
		LOG_FIELDS(LOG_TEXT("node", rabbit->options.node),
			LOG_TEXT("connection", link->purpose), LOG_NUMBER("epoch", link->epoch + 1),
			LOG_TEXT("host", url->info.host), LOG_NUMBER("port", url->info.port)));
	return 0;
}

bool rabbit_link_connect(struct rabbit_link *link)
{
	char reason[REASON_SIZE];
	uint64_t now_ms = clock_monotonic_ms();
	uint64_t retry_at_ms = link->retry_at_ms;

	pthread_mutex_lock(&link->rabbit->lock);
	if (link->away_until_ms > retry_at_ms)
		retry_at_ms = link->away_until_ms;
	pthread_mutex_unlock(&link->rabbit->lock);
	if (now_ms < retry_at_ms) {
		rabbit_link_nap(link, (uint32_t)(retry_at_ms - now_ms));
		return false;
	}
	if (try_connect(link, reason)) {
		rabbitmq.amqp_destroy_connection(link->connection);
		link->connection = NULL;
		retry_later(link);
		/* The 1st, 2nd, 4th, 8th ... attempt. */
		if ((link->failures & (link->failures - 1)) != 0)
			return false;
		rabbit_note(link->rabbit, LOG_BROKER_AWAY,
			LOG_FIELDS(LOG_TEXT("node", link->rabbit->options.node),
				LOG_TEXT("connection", link->purpose),
				LOG_NUMBER("attempts", link->failures),
				LOG_TEXT("reason", reason)));
		return false;
	}
	link->epoch++;
	set_blocked(link, false);
	metric_add(METRIC_BROKER_CONNECTS, 1);
	link->up_since_ms = clock_monotonic_ms();
	publish_socket(link, rabbitmq.amqp_get_sockfd(link->connection));
	return true;
}

int rabbit_link_open_channel(struct rabbit_link *link, enum rabbit_channel channel)
{
	rabbitmq.amqp_channel_open(link->connection, (amqp_channel_t)channel);
	return rabbit_link_check(link, "channel.open");
}

int rabbit_link_close_channel(struct rabbit_link *link, enum rabbit_channel channel)
{
	amqp_rpc_reply_t reply = rabbitmq.amqp_channel_close(
		link->connection, (amqp_channel_t)channel, AMQP_REPLY_SUCCESS);

	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return 0;
	break_after(link, &reply, "channel.close");
	return -1;
}

/* --- reading -----------------------------------------------------------------------------------*/

/* What is the connection's own business. True: the frame is dealt with. */
static bool take_own_frame(struct rabbit_link *link, const amqp_frame_t *frame)
{
	const char *node = link->rabbit->options.node;
	char reason[REASON_SIZE];

	if (frame->frame_type != AMQP_FRAME_METHOD)
		return frame->frame_type == AMQP_FRAME_HEARTBEAT;
	switch (frame->payload.method.id) {
	case AMQP_CONNECTION_BLOCKED_METHOD:
		set_blocked(link, true);
		rabbit_note(link->rabbit, LOG_BROKER_BLOCKS,
			LOG_FIELDS(LOG_TEXT("node", node), LOG_TEXT("connection", link->purpose)));
		return true;
	case AMQP_CONNECTION_UNBLOCKED_METHOD:
		set_blocked(link, false);
		rabbit_note(link->rabbit, LOG_BROKER_UNBLOCKS,
			LOG_FIELDS(LOG_TEXT("node", node), LOG_TEXT("connection", link->purpose)));
		return true;
	case AMQP_CONNECTION_CLOSE_METHOD:
	case AMQP_CHANNEL_CLOSE_METHOD:
		describe_method(reason, sizeof(reason), &frame->payload.method);
		link->end = RABBIT_END_TOLD;
		rabbit_link_break(link, reason);
		return true;
	default: return false;
	}
}

int rabbit_link_read(struct rabbit_link *link, amqp_frame_t *frame)
{
	const struct timeval now = {0};

	for (;;) {
		int status;

		rabbitmq.amqp_maybe_release_buffers(link->connection);
		status = rabbitmq.amqp_simple_wait_frame_noblock(link->connection, frame, &now);
		if (status == AMQP_STATUS_TIMEOUT)
			return 0;
		if (status != AMQP_STATUS_OK) {
			link->end = status == AMQP_STATUS_CONNECTION_CLOSED ? RABBIT_END_TOLD
									    : RABBIT_END_SILENT;
			rabbit_link_break(link, rabbitmq.amqp_error_string2(status));
			return -1;
		}
		if (!take_own_frame(link, frame))
			return 1;
		if (!link->connection)
			return -1;
	}
}

/* --- declarations ------------------------------------------------------------------------------*/

/* The broker closed the channel to say no. */
static enum rabbit_declared reopen(struct rabbit_link *link)
{
	amqp_channel_close_ok_t none = {0};
	char reason[REASON_SIZE];

	if (rabbitmq.amqp_send_method(link->connection, RABBIT_CHANNEL_RPC,
		    AMQP_CHANNEL_CLOSE_OK_METHOD, &none) == AMQP_STATUS_OK &&
		!open_channel(link, RABBIT_CHANNEL_RPC, reason))
		return RABBIT_REFUSED;
	link->end = RABBIT_END_SILENT;
	rabbit_link_break(link, "a channel could not be opened again");
	return RABBIT_BROKEN;
}

/* REFUSED when the answer was `refusal`; any other trouble breaks the link. */
static enum rabbit_declared declare(struct rabbit_link *link, const char *name, bool is_passive,
	bool is_holder, amqp_table_t arguments, uint16_t refusal)
{
	amqp_rpc_reply_t reply;

	rabbitmq.amqp_queue_declare(link->connection, RABBIT_CHANNEL_RPC,
		rabbitmq.amqp_cstring_bytes(name), is_passive, !is_holder, is_holder, is_holder,
		arguments);
	reply = rabbitmq.amqp_get_rpc_reply(link->connection);
	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return RABBIT_DECLARED;
	if (reply.reply_type == AMQP_RESPONSE_SERVER_EXCEPTION &&
		reply.reply.id == AMQP_CHANNEL_CLOSE_METHOD &&
		((amqp_channel_close_t *)reply.reply.decoded)->reply_code == refusal)
		return reopen(link);
	break_after(link, &reply, name);
	return RABBIT_BROKEN;
}

enum rabbit_declared rabbit_link_declare(struct rabbit_link *link, const char *name, bool is_log)
{
	const struct rabbit_options *options = &link->rabbit->options;
	amqp_table_entry_t entries[4];
	amqp_table_t table = {0, entries};
	char age[32];
	enum rabbit_declared result;

	if (is_log) {
		snprintf(age, sizeof(age), "%uD", options->log_days_max);
		entries[table.num_entries++] = text_entry("x-queue-type", "stream");
		entries[table.num_entries++] =
			number_entry("x-max-length-bytes", (int64_t)options->log_bytes_max);
		entries[table.num_entries++] = text_entry("x-max-age", age);
		entries[table.num_entries++] =
			number_entry("x-stream-max-segment-size-bytes", LOG_SEGMENT_SIZE);
	} else {
		entries[table.num_entries++] = text_entry("x-queue-type", options->queue_type);
		if (!strcmp(options->queue_type, "quorum"))
			entries[table.num_entries++] =
				number_entry("x-delivery-limit", DELIVERY_LIMIT);
	}
	result = declare(link, name, false, false, table, AMQP_PRECONDITION_FAILED);
	if (result != RABBIT_REFUSED)
		return result;
	rabbit_note(link->rabbit, LOG_QUEUE_DIFFERS,
		LOG_FIELDS(LOG_TEXT("node", options->node), LOG_TEXT("queue", name),
			LOG_TEXT("wanted", is_log ? "stream" : options->queue_type)));
	return declare(link, name, true, false, RABBIT_NO_TABLE, 0);
}

/* --- the log -----------------------------------------------------------------------------------*/

enum probed { PROBED_THERE, PROBED_ABSENT, PROBED_DOWN, PROBED_BROKEN };

/* Both are 404 to RabbitMQ: a queue that there is not, and one that it knows and cannot open. */
static enum probed probe(struct rabbit_link *link, const char *name)
{
	const amqp_channel_close_t *told;
	amqp_rpc_reply_t reply;
	enum probed found;
	char text[REASON_SIZE];

	rabbitmq.amqp_queue_declare(link->connection, RABBIT_CHANNEL_RPC,
		rabbitmq.amqp_cstring_bytes(name), 1, 1, 0, 0, RABBIT_NO_TABLE);
	reply = rabbitmq.amqp_get_rpc_reply(link->connection);
	if (reply.reply_type == AMQP_RESPONSE_NORMAL)
		return PROBED_THERE;
	told = reply.reply.decoded;
	if (reply.reply_type != AMQP_RESPONSE_SERVER_EXCEPTION ||
		reply.reply.id != AMQP_CHANNEL_CLOSE_METHOD || told->reply_code != AMQP_NOT_FOUND) {
		break_after(link, &reply, name);
		return PROBED_BROKEN;
	}
	describe_bytes(text, sizeof(text), told->reply_code, told->reply_text);
	found = strstr(text, "no queue") ? PROBED_ABSENT : PROBED_DOWN;
	return reopen(link) == RABBIT_REFUSED ? found : PROBED_BROKEN;
}

static void name_log(struct rabbit_link *link, uint32_t number)
{
	const char *first = link->rabbit->log->name;

	if (number == 1)
		snprintf(link->log_name, sizeof(link->log_name), "%s", first);
	else
		snprintf(link->log_name, sizeof(link->log_name), "%s.%u", first, number);
}

/* For how long the log has been down by now; 0 puts an end to it. */
static uint64_t note_down(struct rabbit *rabbit, bool is_down)
{
	uint64_t now_ms = clock_monotonic_ms(), since_ms;

	pthread_mutex_lock(&rabbit->lock);
	if (!is_down)
		rabbit->log_down_ms = 0;
	else if (!rabbit->log_down_ms)
		rabbit->log_down_ms = now_ms;
	since_ms = rabbit->log_down_ms;
	pthread_mutex_unlock(&rabbit->lock);
	return since_ms ? now_ms - since_ms : 0;
}

enum rabbit_declared rabbit_link_find_log(struct rabbit_link *link)
{
	const struct rabbit_options *options = &link->rabbit->options;
	enum probed found = PROBED_ABSENT, next;
	uint32_t number = 0;

	for (;;) {
		name_log(link, number + 1);
		next = number < LOGS_MAX ? probe(link, link->log_name) : PROBED_ABSENT;
		if (next == PROBED_BROKEN)
			return RABBIT_BROKEN;
		if (next == PROBED_ABSENT)
			break;
		found = next;
		number++;
	}
	if (note_down(link->rabbit, found == PROBED_DOWN) >=
			(options->is_alone ? LOG_DOWN_ALONE_MS_MAX : LOG_DOWN_MS_MAX) &&
		options->opens_log && number < LOGS_MAX) {
		found = PROBED_ABSENT;
		rabbit_note(link->rabbit, LOG_LOG_DOWN,
			LOG_FIELDS(LOG_TEXT("node", options->node),
				LOG_TEXT("instead", link->log_name)));
	}
	if (found == PROBED_DOWN) {
		name_log(link, number);
		link->end = RABBIT_END_TOLD;
		rabbit_link_break(link, "the broker knows the control log and cannot open it");
		return RABBIT_BROKEN;
	}
	if (found == PROBED_THERE)
		name_log(link, number);
	return rabbit_link_declare(link, link->log_name, true);
}

enum rabbit_declared rabbit_link_replace_log(struct rabbit_link *link)
{
	enum rabbit_declared found = rabbit_link_find_log(link);

	if (found != RABBIT_DECLARED)
		return found;
	rabbitmq.amqp_queue_delete(link->connection, RABBIT_CHANNEL_RPC,
		rabbitmq.amqp_cstring_bytes(link->log_name), 0, 0);
	if (rabbit_link_check(link, "queue.delete"))
		return RABBIT_BROKEN;
	return rabbit_link_declare(link, link->log_name, true);
}

enum rabbit_declared rabbit_link_hold(struct rabbit_link *link, const char *queue)
{
	char name[RABBIT_PREFIX_MAX + TRANSPORT_QUEUE_NAME_MAX + 16];

	snprintf(name, sizeof(name), "%s.holder", queue);
	return declare(link, name, false, true, RABBIT_NO_TABLE, AMQP_RESOURCE_LOCKED);
}
