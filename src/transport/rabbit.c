/*
 * The owner's side of a handle: nothing in here waits for the broker.
 *
 * What the owner wants goes into lists that the threads empty; what the threads have for the owner
 * goes into lists that rabbit_dispatch empties. A list that turns from empty to filled wakes its
 * reader through an eventfd, once.
 *
 * Bounds: events are at most the prefetch of the queue and of the log, and RABBIT_NOTES_MAX notes;
 * the outbox is the owner's to bound, by transport_backlog.
 */
#include "transport/rabbit.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "transport/rabbit_private.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Between attempts to reach a broker. */
#define RETRY_MS_MIN	       50
#define RETRY_MS_MAX	       2000
#define HEARTBEAT_S_DEFAULT    10
#define RPC_TIMEOUT_MS_DEFAULT 10000
#define LOG_BYTES_MAX_DEFAULT  (8ull << 30)
#define LOG_DAYS_MAX_DEFAULT   30
/* A publisher that the broker holds back is waited for so long before its socket is shut. */
#define CLOSE_PATIENCE_MS 300
/* An entry of ours that was confirmed comes back from the log sooner than this. */
#define ENTRY_UNSEEN_MS_MAX 5000

static struct rabbit *rabbit_of(struct transport *transport)
{
	return (struct rabbit *)transport;
}

static void raise_fd(int fd)
{
	const uint64_t one = 1;

	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static void lower_fd(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

/* --- lists -------------------------------------------------------------------------------------*/

static void events_init(struct rabbit_events *events)
{
	*events = (struct rabbit_events){NULL, &events->first};
}

static void events_release(struct rabbit_events *events)
{
	while (events->first) {
		struct rabbit_event *event = events->first;

		events->first = event->next;
		free(event);
	}
	events_init(events);
}

/* All of `from`, which is empty then. */
static void events_take(struct rabbit_events *events, struct rabbit_events *from)
{
	*events = *from;
	if (!events->first)
		events->last = &events->first;
	events_init(from);
}

void rabbit_messages_append(struct rabbit_messages *list, struct rabbit_message *message)
{
	message->next = NULL;
	*list->last = message;
	list->last = &message->next;
}

void rabbit_message_free(struct rabbit_message *message)
{
	free(message->dead);
	free(message);
}

void rabbit_numbers_add(struct rabbit_numbers *numbers, uint64_t number)
{
	if (numbers->count == numbers->capacity) {
		numbers->capacity = numbers->capacity ? 2 * numbers->capacity : 64;
		numbers->items =
			memory_realloc(numbers->items, numbers->capacity * sizeof(uint64_t));
	}
	numbers->items[numbers->count++] = number;
}

/* --- to the owner ------------------------------------------------------------------------------*/

struct rabbit_event *rabbit_event_new(enum rabbit_event_kind kind, size_t size)
{
	struct rabbit_event *event = memory_alloc(sizeof(*event) + size);

	*event = (struct rabbit_event){.kind = kind, .size = size};
	return event;
}

/* Under the lock. */
static void signal_owner(struct rabbit *rabbit)
{
	if (rabbit->signalled)
		return;
	rabbit->signalled = true;
	raise_fd(rabbit->event_fd);
}

/* Under the lock. */
static void add_event(struct rabbit *rabbit, struct rabbit_event *event)
{
	event->next = NULL;
	*rabbit->events.last = event;
	rabbit->events.last = &event->next;
	signal_owner(rabbit);
}

void rabbit_tell(struct rabbit *rabbit, struct rabbit_event *event)
{
	pthread_mutex_lock(&rabbit->lock);
	add_event(rabbit, event);
	pthread_mutex_unlock(&rabbit->lock);
}

void rabbit_tell_confirms(struct rabbit *rabbit, const struct rabbit_numbers *ids)
{
	pthread_mutex_lock(&rabbit->lock);
	for (size_t i = 0; i < ids->count; i++)
		rabbit_numbers_add(&rabbit->confirms, ids->items[i]);
	signal_owner(rabbit);
	pthread_mutex_unlock(&rabbit->lock);
}

void rabbit_note(struct rabbit *rabbit, enum log_event what, const struct log_field *fields)
{
	struct rabbit_event *event;

	if (!rabbit->options.log)
		return;
	event = rabbit_event_new(RABBIT_EVENT_NOTE, RABBIT_NOTE_SIZE);
	event->note = what;
	log_format((char *)event->bytes, RABBIT_NOTE_SIZE, what, fields);
	pthread_mutex_lock(&rabbit->lock);
	if (rabbit->note_count < RABBIT_NOTES_MAX) {
		rabbit->note_count++;
		add_event(rabbit, event);
		event = NULL;
	}
	pthread_mutex_unlock(&rabbit->lock);
	free(event);
}

void rabbit_forget_deliveries(struct rabbit *rabbit)
{
	struct rabbit_event **at = &rabbit->events.first;

	pthread_mutex_lock(&rabbit->lock);
	while (*at) {
		struct rabbit_event *event = *at;

		if (event->kind != RABBIT_EVENT_DELIVERY && event->kind != RABBIT_EVENT_DEAD) {
			at = &event->next;
			continue;
		}
		*at = event->next;
		free(event);
	}
	rabbit->events.last = at;
	pthread_mutex_unlock(&rabbit->lock);
}

/* --- from the owner ----------------------------------------------------------------------------*/

/* Under the lock. */
static void push_message(struct rabbit *rabbit, struct rabbit_message *message)
{
	atomic_fetch_add(&rabbit->backlog, message->size);
	rabbit_messages_append(&rabbit->outbox, message);
	rabbit_link_wake(&rabbit->publisher);
}

void rabbit_bury(struct rabbit *rabbit, struct rabbit_event *event)
{
	struct rabbit_message *message = memory_zalloc(sizeof(*message));

	event->kind = RABBIT_EVENT_DEAD;
	message->dead = event;
	message->queue = rabbit->dead;
	message->size = event->size;
	pthread_mutex_lock(&rabbit->lock);
	push_message(rabbit, message);
	pthread_mutex_unlock(&rabbit->lock);
}

static struct rabbit_queue *queue_new(struct rabbit *rabbit, const char *name, bool is_log)
{
	const char *prefix = rabbit->options.prefix;
	size_t size = strlen(prefix) + strlen(name) + 1;
	struct rabbit_queue *queue = memory_zalloc(sizeof(*queue) + size);

	queue->is_log = is_log;
	queue->seal = seal_key_for(&rabbit->seal, name);
	snprintf(queue->name, size, "%s%s", prefix, name);
	return queue;
}

static struct rabbit_queue *find_queue(struct rabbit *rabbit, const char *name)
{
	struct rabbit_queue **bucket =
		&rabbit->queues[hash_bytes(name, strlen(name)) %
				(sizeof(rabbit->queues) / sizeof(*rabbit->queues))];
	size_t prefix_size = strlen(rabbit->options.prefix);

	for (struct rabbit_queue *queue = *bucket; queue; queue = queue->next) {
		if (!strcmp(queue->name + prefix_size, name))
			return queue;
	}
	struct rabbit_queue *queue = queue_new(rabbit, name, false);

	queue->next = *bucket;
	*bucket = queue;
	return queue;
}

static struct rabbit_message *message_new(
	struct rabbit_queue *queue, const void *bytes, size_t size)
{
	size_t whole = size + seal_size(&queue->seal);
	struct rabbit_message *message = memory_alloc(sizeof(*message) + whole);

	*message = (struct rabbit_message){.queue = queue, .size = whole};
	if (size)
		memcpy(message->bytes, bytes, size);
	seal(&queue->seal, message->bytes, size);
	return message;
}

static int publish_to(struct rabbit *rabbit, struct rabbit_queue *queue, const void *bytes,
	size_t size, uint64_t id)
{
	struct rabbit_message *message = message_new(queue, bytes, size);

	message->id = id;
	pthread_mutex_lock(&rabbit->lock);
	push_message(rabbit, message);
	pthread_mutex_unlock(&rabbit->lock);
	return 0;
}

static int rabbit_publish(struct transport *transport, const char *queue, const void *bytes,
	size_t size, uint64_t id, struct error *err)
{
	struct rabbit *rabbit = rabbit_of(transport);

	if (transport_check_queue(queue, err) || transport_check_size(size, err))
		return -1;
	return publish_to(rabbit, find_queue(rabbit, queue), bytes, size, id);
}

/* --- entries of ours in the log ----------------------------------------------------------------*/

static struct rabbit_message *entry_message(struct rabbit *rabbit, struct rabbit_entry *entry)
{
	struct rabbit_message *message = message_new(rabbit->log, entry->bytes, entry->size);

	message->entry = entry;
	return message;
}

/* Under the lock. */
static void entry_drop(struct rabbit *rabbit, struct rabbit_entry *entry)
{
	struct rabbit_entry **at = &rabbit->entries;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	free(entry);
}

void rabbit_entry_seen(struct rabbit *rabbit, uint64_t hash)
{
	struct rabbit_entry *entry;

	pthread_mutex_lock(&rabbit->lock);
	rabbit->log_new_ms = clock_monotonic_ms();
	for (entry = rabbit->entries; entry; entry = entry->next)
		if (entry->hash == hash && !entry->seen)
			break;
	if (entry && entry->confirmed_ms)
		entry_drop(rabbit, entry);
	else if (entry)
		entry->seen = true;
	pthread_mutex_unlock(&rabbit->lock);
}

void rabbit_entry_confirmed(struct rabbit *rabbit, struct rabbit_entry *entry)
{
	pthread_mutex_lock(&rabbit->lock);
	if (entry->seen)
		entry_drop(rabbit, entry);
	else
		entry->confirmed_ms = clock_monotonic_ms();
	pthread_mutex_unlock(&rabbit->lock);
}

/* Not while we are still reading what is older. */
void rabbit_entries_repeat(struct rabbit *rabbit)
{
	uint64_t now_ms = clock_monotonic_ms();

	pthread_mutex_lock(&rabbit->lock);
	for (struct rabbit_entry *entry = rabbit->entries; entry; entry = entry->next) {
		struct rabbit_message *message;

		if (!entry->confirmed_ms || now_ms < entry->confirmed_ms + ENTRY_UNSEEN_MS_MAX ||
			now_ms < rabbit->log_new_ms + ENTRY_UNSEEN_MS_MAX)
			continue;
		entry->confirmed_ms = 0;
		message = entry_message(rabbit, entry);
		message->is_again = true;
		push_message(rabbit, message);
	}
	pthread_mutex_unlock(&rabbit->lock);
}

/* Whoever does not read the log has only the broker's word. */
static int rabbit_append(
	struct transport *transport, const void *bytes, size_t size, uint64_t id, struct error *err)
{
	struct rabbit *rabbit = rabbit_of(transport);
	struct rabbit_message *message;
	struct rabbit_entry *entry;

	if (transport_check_size(size, err))
		return -1;
	if (!rabbit->follows)
		return publish_to(rabbit, rabbit->log, bytes, size, id);
	entry = memory_zalloc(sizeof(*entry) + size);
	entry->hash = hash_bytes(bytes, size);
	entry->size = size;
	memcpy(entry->bytes, bytes, size);
	message = entry_message(rabbit, entry);
	message->id = id;
	pthread_mutex_lock(&rabbit->lock);
	entry->next = rabbit->entries;
	rabbit->entries = entry;
	push_message(rabbit, message);
	pthread_mutex_unlock(&rabbit->lock);
	return 0;
}

static int rabbit_follow(
	struct transport *transport, const struct transport_mark *after, struct error *err)
{
	struct rabbit *rabbit = rabbit_of(transport);

	(void)err;
	pthread_mutex_lock(&rabbit->lock);
	rabbit->follows = true;
	rabbit->has_mark = after != NULL;
	if (after)
		rabbit->mark = *after;
	rabbit_link_wake(&rabbit->consumer);
	pthread_mutex_unlock(&rabbit->lock);
	return 0;
}

static int rabbit_consume(struct transport *transport, const char *queue, uint32_t prefetch,
	bool exclusive, struct error *err)
{
	struct rabbit *rabbit = rabbit_of(transport);
	char *name;

	if (transport_check_queue(queue, err))
		return -1;
	if (asprintf(&name, "%s%s", rabbit->options.prefix, queue) < 0)
		abort();
	pthread_mutex_lock(&rabbit->lock);
	assert(!rabbit->consumed);
	rabbit->consumed = name;
	rabbit->consumed_seal = seal_key_for(&rabbit->seal, queue);
	rabbit->prefetch = prefetch > UINT16_MAX ? UINT16_MAX : (uint16_t)(prefetch ? prefetch : 1);
	rabbit->exclusive = exclusive;
	rabbit_link_wake(&rabbit->consumer);
	pthread_mutex_unlock(&rabbit->lock);
	return 0;
}

static void rabbit_ack(struct transport *transport, uint64_t tag)
{
	struct rabbit *rabbit = rabbit_of(transport);

	pthread_mutex_lock(&rabbit->lock);
	rabbit_numbers_add(&rabbit->acks, tag);
	rabbit_link_wake(&rabbit->consumer);
	pthread_mutex_unlock(&rabbit->lock);
}

static void rabbit_replace_log(struct transport *transport)
{
	struct rabbit *rabbit = rabbit_of(transport);

	pthread_mutex_lock(&rabbit->lock);
	rabbit->replaces_log = true;
	rabbit_link_wake(&rabbit->consumer);
	pthread_mutex_unlock(&rabbit->lock);
}

static size_t rabbit_backlog(const struct transport *transport)
{
	return atomic_load(&((const struct rabbit *)transport)->backlog);
}

/* --- dispatch ----------------------------------------------------------------------------------*/

int rabbit_event_fd(const struct transport *transport)
{
	return ((const struct rabbit *)transport)->event_fd;
}

bool rabbit_is_connected(const struct transport *transport)
{
	const struct rabbit *rabbit = (const struct rabbit *)transport;

	return atomic_load(&rabbit->publisher.is_up) && atomic_load(&rabbit->consumer.is_up);
}

static void hand_over(struct rabbit *rabbit, const struct rabbit_event *event)
{
	struct transport_handler handler = rabbit->transport.handler;
	const struct transport_delivery delivery = {
		.tag = event->tag,
		.bytes = event->bytes,
		.size = event->size,
		.attempt = event->attempt,
	};

	switch (event->kind) {
	case RABBIT_EVENT_DELIVERY: handler.on_delivery(handler.context, &delivery); break;
	case RABBIT_EVENT_LOG:
		handler.on_log(handler.context, event->offset, event->bytes, event->size);
		break;
	case RABBIT_EVENT_LOG_LOST:
		if (handler.on_log_lost)
			handler.on_log_lost(handler.context);
		break;
	case RABBIT_EVENT_LOG_REPLACED:
		if (handler.on_log_replaced)
			handler.on_log_replaced(handler.context);
		break;
	case RABBIT_EVENT_DEAD:
		if (handler.on_dead)
			handler.on_dead(handler.context, &delivery);
		else
			rabbit_ack(&rabbit->transport, delivery.tag);
		break;
	case RABBIT_EVENT_PLACED:
		if (handler.on_placed)
			handler.on_placed(handler.context);
		break;
	case RABBIT_EVENT_LOST: handler.on_lost(handler.context); break;
	case RABBIT_EVENT_NOTE:
		rabbit->options.log(
			rabbit->options.log_context, event->note, (const char *)event->bytes);
		break;
	}
}

static void rabbit_free(struct rabbit *rabbit);

void rabbit_dispatch(struct transport *transport)
{
	struct rabbit *rabbit = rabbit_of(transport);
	struct rabbit_numbers confirms;
	struct rabbit_events events;
	uint64_t log_done = 0;

	assert(!rabbit->dispatching);
	lower_fd(rabbit->event_fd);
	pthread_mutex_lock(&rabbit->lock);
	rabbit->signalled = false;
	confirms = rabbit->confirms;
	rabbit->confirms = (struct rabbit_numbers){0};
	events_take(&events, &rabbit->events);
	rabbit->note_count = 0;
	pthread_mutex_unlock(&rabbit->lock);

	rabbit->dispatching = true;
	for (size_t i = 0; i < confirms.count && !rabbit->closed; i++)
		transport->handler.on_confirm(transport->handler.context, confirms.items[i]);
	while (events.first && !rabbit->closed) {
		struct rabbit_event *event = events.first;

		events.first = event->next;
		hand_over(rabbit, event);
		if (event->kind == RABBIT_EVENT_LOG)
			log_done = event->tag;
		free(event);
	}
	rabbit->dispatching = false;
	free(confirms.items);
	events_release(&events);
	if (rabbit->closed) {
		rabbit_free(rabbit);
		return;
	}
	if (!log_done)
		return;
	pthread_mutex_lock(&rabbit->lock);
	rabbit->log_done = log_done;
	rabbit_link_wake(&rabbit->consumer);
	pthread_mutex_unlock(&rabbit->lock);
}

/* --- open and close ----------------------------------------------------------------------------*/

static char *copy_text(const char *text)
{
	return text ? memory_strdup(text) : NULL;
}

static void options_copy(struct rabbit_options *out, const struct rabbit_options *options)
{
	*out = *options;
	out->url = NULL; /* it is taken apart instead */
	out->ca_file = copy_text(options->ca_file);
	out->cert_file = copy_text(options->cert_file);
	out->key_file = copy_text(options->key_file);
	out->queue_type = memory_strdup(options->queue_type ? options->queue_type : "classic");
	out->prefix = memory_strdup(options->prefix ? options->prefix : "");
	out->node = memory_strdup(options->node ? options->node : "tamiz");
	if (!out->heartbeat_s)
		out->heartbeat_s = HEARTBEAT_S_DEFAULT;
	if (!out->rpc_timeout_ms)
		out->rpc_timeout_ms = RPC_TIMEOUT_MS_DEFAULT;
	if (!out->attempts_max)
		out->attempts_max = RABBIT_ATTEMPTS_MAX_DEFAULT;
	if (!out->log_bytes_max)
		out->log_bytes_max = LOG_BYTES_MAX_DEFAULT;
	if (!out->log_days_max)
		out->log_days_max = LOG_DAYS_MAX_DEFAULT;
}

static int parse_urls(struct rabbit *rabbit, const char *urls, struct error *err)
{
	while (urls && *urls) {
		struct rabbit_url *url = &rabbit->urls[rabbit->url_count];
		size_t length = strcspn(urls += strspn(urls, " "), ",");

		if (rabbit->url_count == RABBIT_URLS_MAX)
			return error_set(err, ERROR_USAGE,
				"more than %d brokers in the broker's URL", RABBIT_URLS_MAX);
		url->text = strndup(urls, length);
		rabbit->url_count++;
		/* The URL holds a password: not a word of it in the message. */
		if (!url->text || rabbitmq.amqp_parse_url(url->text, &url->info) != AMQP_STATUS_OK)
			return error_set(err, ERROR_USAGE,
				"the broker's URL is not valid; it should look like "
				"amqp://user:password@host:5672/vhost");
		if (!*url->info.vhost)
			url->info.vhost = "/";
		urls += length + (urls[length] == ',');
	}
	if (!rabbit->url_count)
		return error_set(err, ERROR_USAGE, "the broker's URL is empty");
	return 0;
}

static int check_options(const struct rabbit_options *options, struct error *err)
{
	if (strcmp(options->queue_type, "classic") != 0 &&
		strcmp(options->queue_type, "quorum") != 0)
		return error_set(err, ERROR_USAGE, "queues are classic or quorum, not %s",
			options->queue_type);
	if (strlen(options->prefix) > RABBIT_PREFIX_MAX)
		return error_set(err, ERROR_USAGE, "the prefix of queues is longer than %d",
			RABBIT_PREFIX_MAX);
	return 0;
}

static void link_init(struct rabbit_link *link, struct rabbit *rabbit, const char *purpose)
{
	uint64_t seed = 0;

	if (random_bytes(&seed, sizeof(seed)))
		seed = (uintptr_t)link;
	link->rabbit = rabbit;
	link->purpose = purpose;
	link->socket = -1;
	link->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	rng_init(&link->rng, seed);
	link->backoff = (struct backoff){
		.min_ms = RETRY_MS_MIN, .max_ms = RETRY_MS_MAX, .chance_percent = 50};
}

static void rabbit_free(struct rabbit *rabbit)
{
	struct rabbit_options *options = &rabbit->options;
	const char *const texts[] = {options->ca_file, options->cert_file, options->key_file,
		options->queue_type, options->prefix, options->node, rabbit->consumed};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free((char *)texts[i]);
	for (uint32_t i = 0; i < rabbit->url_count; i++)
		free(rabbit->urls[i].text);
	for (size_t i = 0; i < sizeof(rabbit->queues) / sizeof(*rabbit->queues); i++) {
		while (rabbit->queues[i]) {
			struct rabbit_queue *queue = rabbit->queues[i];

			rabbit->queues[i] = queue->next;
			free(queue);
		}
	}
	while (rabbit->outbox.first) {
		struct rabbit_message *message = rabbit->outbox.first;

		rabbit->outbox.first = message->next;
		rabbit_message_free(message);
	}
	while (rabbit->entries)
		entry_drop(rabbit, rabbit->entries);
	free(rabbit->log);
	free(rabbit->dead);
	events_release(&rabbit->events);
	free(rabbit->confirms.items);
	free(rabbit->acks.items);
	close(rabbit->publisher.wake_fd);
	close(rabbit->consumer.wake_fd);
	close(rabbit->event_fd);
	pthread_mutex_destroy(&rabbit->lock);
	free(rabbit);
}

static void shut_socket(struct rabbit_link *link)
{
	pthread_mutex_lock(&link->rabbit->lock);
	if (link->socket >= 0)
		shutdown(link->socket, SHUT_RDWR);
	pthread_mutex_unlock(&link->rabbit->lock);
}

static void join(struct rabbit_link *link)
{
	struct timespec deadline;

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_nsec += CLOSE_PATIENCE_MS * 1000000;
	deadline.tv_sec += deadline.tv_nsec / 1000000000;
	deadline.tv_nsec %= 1000000000;
	if (!pthread_timedjoin_np(link->thread, NULL, &deadline))
		return;
	/* It may wait for a broker that does not take what it sends. */
	shut_socket(link);
	pthread_join(link->thread, NULL);
}

static void rabbit_close(struct transport *transport)
{
	struct rabbit *rabbit = rabbit_of(transport);

	atomic_store(&rabbit->closing, true);
	raise_fd(rabbit->publisher.wake_fd);
	raise_fd(rabbit->consumer.wake_fd);
	/* The consumer's own close has a timeout, and acknowledgements are worth waiting for. */
	pthread_join(rabbit->consumer.thread, NULL);
	join(&rabbit->publisher);
	if (rabbit->dispatching)
		rabbit->closed = true;
	else
		rabbit_free(rabbit);
}

void rabbit_break_connections(struct transport *transport, uint32_t away_ms)
{
	struct rabbit *rabbit = rabbit_of(transport);

	pthread_mutex_lock(&rabbit->lock);
	rabbit->publisher.away_until_ms = clock_monotonic_ms() + away_ms;
	rabbit->consumer.away_until_ms = rabbit->publisher.away_until_ms;
	pthread_mutex_unlock(&rabbit->lock);
	shut_socket(&rabbit->publisher);
	shut_socket(&rabbit->consumer);
}

/* Signals are for the owner's thread. */
static int start_thread(struct rabbit_link *link, void *(*main)(void *))
{
	sigset_t all, old;
	int result;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	result = pthread_create(&link->thread, NULL, main, link->rabbit);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return result;
}

static int start_threads(struct rabbit *rabbit, struct error *err)
{
	int result = start_thread(&rabbit->publisher, rabbit_publisher_main);

	if (!result) {
		result = start_thread(&rabbit->consumer, rabbit_consumer_main);
		if (!result)
			return 0;
		atomic_store(&rabbit->closing, true);
		join(&rabbit->publisher);
	}
	return error_set(err, ERROR_IO, "no thread for the broker: %s", strerror(result));
}

#ifndef LIBRARY_SONAME
#define LIBRARY_SONAME "librabbitmq.so"
#endif

struct rabbit_calls rabbitmq;

#define RABBIT_CALL(name) LIBRARY_CALL(struct rabbit_calls, name)
static const struct library_call rabbit_calls[] = {RABBIT_CALLS(RABBIT_CALL)};
static struct library rabbit_library = LIBRARY(LIBRARY_SONAME, rabbit_calls, &rabbitmq);

int rabbit_open(struct transport **out, const struct rabbit_options *options, struct error *err)
{
	static const struct transport_ops ops = {
		.follow = rabbit_follow,
		.consume = rabbit_consume,
		.publish = rabbit_publish,
		.append = rabbit_append,
		.replace_log = rabbit_replace_log,
		.ack = rabbit_ack,
		.backlog = rabbit_backlog,
		.close = rabbit_close,
	};
	struct rabbit *rabbit = memory_zalloc(sizeof(*rabbit));

	*out = NULL;
	rabbit->transport.ops = &ops;
	pthread_mutex_init(&rabbit->lock, NULL);
	options_copy(&rabbit->options, options);
	rabbit->seal = seal_key_of(options->secret);
	rabbit->options.secret = NULL;
	events_init(&rabbit->events);
	rabbit->outbox.last = &rabbit->outbox.first;
	rabbit->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	link_init(&rabbit->publisher, rabbit, "publish");
	link_init(&rabbit->consumer, rabbit, "consume");
	rabbit->log = queue_new(rabbit, "log", true);
	rabbit->dead = queue_new(rabbit, "dead", false);
	if (rabbit->event_fd < 0 || rabbit->publisher.wake_fd < 0 || rabbit->consumer.wake_fd < 0)
		error_set(err, ERROR_IO, "no eventfd for the broker: %s", strerror(errno));
	else if (!library_load(&rabbit_library, err) && !check_options(&rabbit->options, err) &&
		 !parse_urls(rabbit, options->url, err) && !start_threads(rabbit, err))
		*out = &rabbit->transport;
	if (*out)
		return 0;
	rabbit_free(rabbit);
	return -1;
}
