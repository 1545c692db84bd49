#include "watch/peers.h"

#include "base/digits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "net/dial.h"
#include "net/listener.h"
#include "net/outbox.h"

#include <assert.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GUESTS_MAX   32
#define GREETING_MS  5000u
#define RETRY_MS_MIN 50u
#define RETRY_MS_MAX 1000u
#define CONNECT_MS   1000u
#define PING_MS	     5000u
/* A connection that ended sooner was refused, by one who does not know us or has no room. */
#define STEADY_MS 1000u
/* What is not acknowledged for so long ends the connection: the next one shows that the network is
 * back, long before this one would try again. */
#define UNANSWERED_MS 2000u
#define REFUSED_MS    1000u
#define SEND_MAX      8192
#define VERSION	      "2"
#define CHALLENGE     "CHALLENGE "
#define NONCE_SIZE    16u
#define PROOF_SIZE    16u
#define PROOF_TEXT    (2 * PROOF_SIZE) /* and a space behind it */

/* What proves that lines are a watcher's: both sides of a connection count them. */
struct proof {
	uint8_t nonce[NONCE_SIZE];
	uint64_t lines;
};

/* Our connection to a peer. */
struct peer_link {
	struct peers *peers;
	uint32_t peer;
	struct resolver resolver;
	struct dial dial;
	struct loop_source source; /* fd -1: it does not stand */
	struct loop_timer timer;   /* the next PING; before that the end of our patience */
	struct proof proof;
	bool is_challenged; /* from then on we may speak */
	char challenge[sizeof(CHALLENGE) + 2 * NONCE_SIZE];
	size_t challenge_size;
	uint64_t up_ms; /* when it was made */
	bool told_down;
	struct outbox unsent; /* SEND_MAX bytes at most */
};

/* A peer's connection to us. */
struct guest {
	struct peers *peers;
	struct loop_source source; /* fd -1: the place is free */
	struct loop_timer timer;   /* until it has greeted */
	uint32_t peer;		   /* UINT32_MAX until then */
	struct proof proof;
	char line[PROOF_TEXT + 1 + PEERS_LINE_MAX + 1];
	size_t size;
};

struct peers {
	struct loop *loop;
	const struct config *config;
	uint32_t self;
	char name[32];
	uint32_t count;
	struct rng *rng;
	struct sha256 key;
	struct peers_handler handler;
	struct listener listener;
	struct peer_link links[CONFIG_WATCHERS_MAX];
	struct guest guests[GUESTS_MAX];
	uint32_t refused;    /* strangers, since they were last told of */
	uint64_t refused_ms; /* when that was */
};

/* --- proofs --------------------------------------------------------------------------------------
 */

/* The proof of the next line; PROOF_TEXT digits, no zero behind them. */
static void prove(const struct peers *peers, struct proof *proof, const char *line, char *digits)
{
	uint8_t bytes[NONCE_SIZE + sizeof(proof->lines) + PEERS_LINE_MAX];
	size_t size = strlen(line), used = NONCE_SIZE;
	struct sha256 hash;

	assert(size <= PEERS_LINE_MAX);
	memcpy(bytes, proof->nonce, NONCE_SIZE);
	for (uint32_t i = 0; i < sizeof(proof->lines); i++)
		bytes[used++] = (uint8_t)(proof->lines >> 8 * (sizeof(proof->lines) - 1 - i));
	memcpy(bytes + used, line, size);
	proof->lines++;
	hash = hmac_sha256(peers->key.bytes, SHA256_SIZE, bytes, used + size);
	hex_encode(hash.bytes, PROOF_SIZE, digits);
}

/* The line behind its proof; NULL when that is not one. */
static const char *proven_line(const struct peers *peers, struct proof *proof, const char *line)
{
	char digits[PROOF_TEXT];

	if (strlen(line) <= PROOF_TEXT || line[PROOF_TEXT] != ' ')
		return NULL;
	prove(peers, proof, line + PROOF_TEXT + 1, digits);
	return same_in_constant_time(digits, line, PROOF_TEXT) ? line + PROOF_TEXT + 1 : NULL;
}

/* --- to others -----------------------------------------------------------------------------------
 */

static void link_close(struct peer_link *link)
{
	if (link->source.fd >= 0) {
		loop_remove(link->peers->loop, &link->source);
		close(link->source.fd);
	}
	loop_timer_cancel(link->peers->loop, &link->timer);
	link->source.fd = -1;
	link->is_challenged = false;
	link->challenge_size = 0;
	outbox_release(&link->unsent);
}

static void link_tell(struct peer_link *link, bool up)
{
	struct peers *peers = link->peers;

	if (!up && link->told_down)
		return;
	link->told_down = !up;
	peers->handler.on_link(peers->handler.context, link->peer, up);
}

static bool link_is_connected(const struct peer_link *link)
{
	return link->source.fd >= 0;
}

static bool link_is_up(const struct peer_link *link)
{
	return link_is_connected(link) && link->is_challenged;
}

static void on_link_failed(void *context, int number)
{
	struct peer_link *link = context;

	dial_later(&link->dial);
	if (number == ECONNREFUSED)
		link_tell(link, false);
}

/* If it stood: whether its end has died shows at the next attempt, which is now. */
static void link_broke(struct peer_link *link)
{
	bool steady = loop_now(link->peers->loop) - link->up_ms >= STEADY_MS;

	link_close(link);
	if (steady)
		dial_now(&link->dial);
	else
		dial_later(&link->dial);
}

static void link_flush(struct peer_link *link)
{
	if (outbox_send(&link->unsent, link->source.fd))
		link_broke(link);
	else
		loop_change(link->peers->loop, &link->source,
			link->unsent.size > 0 ? LOOP_READ | LOOP_WRITE : LOOP_READ);
}

static void link_write(struct peer_link *link, const char *line)
{
	size_t size = strlen(line);
	char digits[PROOF_TEXT + 1];

	assert(link_is_up(link));
	if (size > PEERS_LINE_MAX - 1 || link->unsent.size + sizeof(digits) + size + 1 > SEND_MAX)
		return;
	prove(link->peers, &link->proof, line, digits);
	digits[PROOF_TEXT] = ' ';
	outbox_add(&link->unsent, digits, sizeof(digits));
	outbox_add(&link->unsent, line, size);
	outbox_add(&link->unsent, "\n", 1);
	link_flush(link);
}

/* We may speak now. */
static void greet(struct peer_link *link)
{
	struct peers *peers = link->peers;
	char line[PEERS_LINE_MAX];

	link->is_challenged = true;
	link->proof.lines = 0;
	loop_timer_set(peers->loop, &link->timer, PING_MS);
	snprintf(line, sizeof(line), "HELLO " VERSION " %.100s %u", peers->config->cluster.name,
		peers->self);
	link_write(link, line);
	if (link_is_up(link))
		link_tell(link, true);
}

/* False: this is not a watcher that speaks as we do. */
static bool take_challenge(struct peer_link *link)
{
	const size_t prefix = sizeof(CHALLENGE) - 1;
	size_t size = link->challenge_size;

	if (size < sizeof(link->challenge))
		return true;
	if (memcmp(link->challenge, CHALLENGE, prefix) != 0 || link->challenge[size - 1] != '\n' ||
		!hex_decode(link->challenge + prefix, NONCE_SIZE, link->proof.nonce))
		return false;
	greet(link);
	return true;
}

static void read_link(struct peer_link *link)
{
	char byte;
	/* After the challenge nobody speaks on this one: what comes is the end. */
	bool waits = !link->is_challenged;
	ssize_t got = recv(link->source.fd, waits ? link->challenge + link->challenge_size : &byte,
		waits ? sizeof(link->challenge) - link->challenge_size : 1, 0);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got > 0 && waits) {
		link->challenge_size += (size_t)got;
		if (take_challenge(link))
			return;
	}
	link_broke(link);
}

static void on_link_socket(void *context, uint32_t events)
{
	struct peer_link *link = context;

	if (events & LOOP_WRITE)
		link_flush(link);
	if (link_is_connected(link) && events & (LOOP_READ | LOOP_BROKEN))
		read_link(link);
}

static void on_link_up(void *context, int fd)
{
	struct peer_link *link = context;
	struct peers *peers = link->peers;
	unsigned unanswered = UNANSWERED_MS;
	struct error err;

	link->source = (struct loop_source){.fd = fd, .fn = on_link_socket, .context = link};
	link->up_ms = loop_now(peers->loop);
	if (loop_add(peers->loop, &link->source, LOOP_READ, &err)) {
		link_broke(link);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof(unanswered));
	loop_timer_set(peers->loop, &link->timer, GREETING_MS);
}

static void on_link_timer(void *context)
{
	struct peer_link *link = context;

	if (!link_is_up(link)) {
		link_broke(link);
		return;
	}
	loop_timer_set(link->peers->loop, &link->timer, PING_MS);
	link_write(link, "PING");
}

void peers_send(struct peers *peers, uint32_t to, const char *line)
{
	if (to < peers->count && link_is_up(&peers->links[to]))
		link_write(&peers->links[to], line);
}

/* --- from others ---------------------------------------------------------------------------------
 */

static void guest_close(struct guest *guest)
{
	if (guest->source.fd < 0)
		return;
	loop_timer_cancel(guest->peers->loop, &guest->timer);
	loop_remove(guest->peers->loop, &guest->source);
	close(guest->source.fd);
	guest->source.fd = -1;
}

static void on_guest_timer(void *context)
{
	guest_close(context);
}

/* A peer has one connection to us: one from before is dead, whether or not we know. */
static void close_older(const struct guest *guest)
{
	struct peers *peers = guest->peers;

	for (uint32_t i = 0; i < GUESTS_MAX; i++)
		if (&peers->guests[i] != guest && peers->guests[i].peer == guest->peer)
			guest_close(&peers->guests[i]);
}

/* False: it is not one of us. */
static bool take_greeting(struct guest *guest, const char *line)
{
	struct peers *peers = guest->peers;
	char version[8], cluster[128], number[12];
	uint64_t id;

	if (sscanf(line, "HELLO %7s %127s %11s", version, cluster, number) != 3 ||
		strcmp(version, VERSION) != 0 ||
		strcmp(cluster, peers->config->cluster.name) != 0 ||
		!digits_parse(number, 10, peers->count - 1, &id) || id == peers->self)
		return false;
	guest->peer = (uint32_t)id;
	close_older(guest);
	loop_timer_cancel(peers->loop, &guest->timer);
	if (peers->links[id].dial.state == DIAL_PAUSED)
		dial_now(&peers->links[id].dial);
	return true;
}

static bool take_line(struct guest *guest)
{
	struct peers *peers = guest->peers;
	const char *line = proven_line(peers, &guest->proof, guest->line);

	if (!line)
		return false;
	if (guest->peer == UINT32_MAX)
		return take_greeting(guest, line);
	return strcmp(line, "PING") == 0 ||
	       peers->handler.on_line(peers->handler.context, guest->peer, line);
}

/* False: the connection is to be closed. */
static bool take_bytes(struct guest *guest, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != '\n') {
			if (guest->size == sizeof(guest->line) - 1 || bytes[i] == '\0')
				return false;
			guest->line[guest->size++] = bytes[i];
			continue;
		}
		guest->line[guest->size] = '\0';
		guest->size = 0;
		if (!take_line(guest))
			return false;
	}
	return true;
}

/* One line per second, however many there are. */
static void tell_refused(struct peers *peers)
{
	uint64_t now_ms = loop_now(peers->loop);

	peers->refused++;
	if (peers->refused_ms && now_ms - peers->refused_ms < REFUSED_MS)
		return;
	log_event(
		peers->name, LOG_STRANGER_REFUSED, LOG_FIELDS(LOG_NUMBER("times", peers->refused)));
	peers->refused = 0;
	peers->refused_ms = now_ms;
}

static void on_guest_socket(void *context, uint32_t events)
{
	struct guest *guest = context;
	char bytes[1024];
	ssize_t got = recv(guest->source.fd, bytes, sizeof(bytes), 0);

	(void)events;
	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (got <= 0) {
		guest_close(guest);
		return;
	}
	if (!take_bytes(guest, bytes, (size_t)got)) {
		tell_refused(guest->peers);
		guest_close(guest);
	}
}

/* A place that is free, or becomes so: of all who have not greeted, who had the longest time to. */
static struct guest *find_place(struct peers *peers)
{
	struct guest *found = NULL;

	for (uint32_t i = 0; i < GUESTS_MAX; i++) {
		struct guest *guest = &peers->guests[i];

		if (guest->source.fd < 0)
			return guest;
		if (guest->peer == UINT32_MAX &&
			(!found || guest->timer.due_ms < found->timer.due_ms))
			found = guest;
	}
	/* Those who have greeted are one per peer: there are fewer of them than places. */
	assert(found);
	guest_close(found);
	return found;
}

/* A line of few bytes, the first on its connection: the socket takes it whole. */
static bool challenge(struct guest *guest)
{
	char line[sizeof(CHALLENGE) + 2 * NONCE_SIZE] = CHALLENGE;
	struct error err;
	uint64_t random;

	for (uint32_t i = 0; i < NONCE_SIZE; i += sizeof(random)) {
		if (random_id(&random, &err))
			return false;
		memcpy(guest->proof.nonce + i, &random, sizeof(random));
	}
	hex_encode(guest->proof.nonce, NONCE_SIZE, line + sizeof(CHALLENGE) - 1);
	line[sizeof(line) - 1] = '\n';
	return send(guest->source.fd, line, sizeof(line), MSG_NOSIGNAL) == sizeof(line);
}

static void on_connect(void *context, int fd)
{
	struct peers *peers = context;
	struct guest *guest = find_place(peers);
	struct error err;

	*guest = (struct guest){
		.peers = peers,
		.source = {.fd = fd, .fn = on_guest_socket, .context = guest},
		.timer = {.fn = on_guest_timer, .context = guest},
		.peer = UINT32_MAX,
	};
	loop_timer_set(peers->loop, &guest->timer, GREETING_MS);
	if (loop_add(peers->loop, &guest->source, LOOP_READ, &err) || !challenge(guest))
		guest_close(guest);
}

/* --- its life ------------------------------------------------------------------------------------
 */

static const struct dial_handler link_handler = {on_link_up, on_link_failed};

int peers_new(struct peers **out, struct loop *loop, const struct config *config, uint32_t self,
	struct rng *rng, const struct peers_handler *handler, struct error *err)
{
	struct net_address address = config_listen_at(&config->watcher.place, self);
	struct peers *peers = memory_zalloc(sizeof(*peers));

	*out = peers;
	peers->loop = loop;
	peers->config = config;
	peers->self = self;
	peers->count = (uint32_t)config->watcher.replicas;
	peers->rng = rng;
	peers->key = config_watcher_key(config);
	peers->handler = *handler;
	snprintf(peers->name, sizeof(peers->name), "watcher-%u", self);
	/* One per turn: whoever is taken can greet before the next one may need its place. */
	peers->listener = (struct listener){
		.fn = on_connect, .context = peers, .component = peers->name, .accepts_a_turn = 1};
	for (uint32_t i = 0; i < GUESTS_MAX; i++)
		peers->guests[i] =
			(struct guest){.peers = peers, .source.fd = -1, .peer = UINT32_MAX};
	for (uint32_t i = 0; i < peers->count; i++) {
		struct net_address other = config_found_at(&config->watcher.place, i);
		struct peer_link *link = &peers->links[i];

		link->peers = peers;
		link->peer = i;
		link->source.fd = -1;
		link->timer = (struct loop_timer){.fn = on_link_timer, .context = link};
		resolver_init(&link->resolver, &other);
		link->dial = (struct dial){
			.loop = loop,
			.resolver = &link->resolver,
			.handler = &link_handler,
			.context = link,
			.patience_ms = CONNECT_MS,
			.backoff = {.min_ms = RETRY_MS_MIN,
				.max_ms = RETRY_MS_MAX,
				.chance_percent = 50},
			.rng = rng,
		};
		if (i != self)
			dial_now(&link->dial);
	}
	return listener_open(&peers->listener, loop, &address, err);
}

void peers_free(struct peers *peers)
{
	if (!peers)
		return;
	for (uint32_t i = 0; i < peers->count; i++) {
		link_close(&peers->links[i]);
		dial_stop(&peers->links[i].dial);
		resolver_release(&peers->links[i].resolver);
	}
	for (uint32_t i = 0; i < GUESTS_MAX; i++)
		guest_close(&peers->guests[i]);
	listener_close(&peers->listener);
	free(peers);
}
