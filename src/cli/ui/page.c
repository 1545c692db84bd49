#include "cli/ui/page.h"

#include "base/digits.h"
#include "base/json_write.h"
#include "base/random.h"
#include "cli/ui/assets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define JSON_TYPE	"application/json"
#define API		"/api/"
#define ERROR_BYTES_MAX (64u << 10)
#define CONNECTIONS_MAX 64u
#define IDLE_S_MAX	60u

/* --- answers -------------------------------------------------------------------------------------
 */

/*
 * Nothing but what this server serves is loaded or asked, no frame shows the page, and no script may make
 * elements of a text: the last is what keeps a cell with a script in it harmless also where the page has
 * a mistake.
 */
void page_headers(struct http_request *request, const char *cache)
{
	http_answer_header(request, "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
		"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
		"require-trusted-types-for 'script'");
	http_answer_header(request, "X-Content-Type-Options", "nosniff");
	http_answer_header(request, "Referrer-Policy", "no-referrer");
	http_answer_header(request, "Cross-Origin-Opener-Policy", "same-origin");
	http_answer_header(request, "Cross-Origin-Resource-Policy", "same-origin");
	http_answer_header(request, "Cache-Control", cache);
}

void page_json(struct http_request *request, int status, const struct buf *json)
{
	page_headers(request, "no-store");
	http_answer(request, status, JSON_TYPE, json->data, json->size);
}

void page_nothing(struct http_request *request)
{
	page_headers(request, "no-store");
	http_answer(request, 200, JSON_TYPE, "{}", 2);
}

void page_error(struct http_request *request, int status, const char *message)
{
	struct buf out;
	struct json_writer json = {&out, false};

	buf_init(&out, ERROR_BYTES_MAX);
	json_open(&json, NULL, '{');
	json_put_text(&json, "error", message);
	json_close(&json, '}');
	page_json(request, status, &out);
	buf_release(&out);
}

/* --- who may ask ---------------------------------------------------------------------------------
 */

/* Takes the same time wherever they differ. */
static bool is_same(const char *given, const char *secret)
{
	size_t size = strlen(secret);
	unsigned differs = 0;

	if (!given || strlen(given) != size)
		return false;
	for (size_t i = 0; i < size; i++)
		differs |= (unsigned char)(given[i] ^ secret[i]);
	return differs == 0;
}

/* A number, which no name server can have given to this machine. */
static bool is_number(const char *host)
{
	char text[INET6_ADDRSTRLEN + 2];
	uint8_t address[16];
	size_t size = strcspn(host, ":");

	if (host[0] == '[') {
		host++;
		size = strcspn(host, "]");
	}
	if (size >= sizeof(text))
		return false;
	memcpy(text, host, size);
	text[size] = '\0';
	return inet_pton(strchr(text, ':') ? AF_INET6 : AF_INET, text, address) == 1;
}

/*
 * A name that somebody else's server has given to this machine is refused: its pages could ask for ours. Whoever comes
 * from another machine has the key, or says a secret; where there is none, only numbers will do.
 */
static bool is_our_host(const struct page *page, const char *host)
{
	static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
	char own[NET_ADDRESS_TEXT];
	struct net_address address = page->address;

	if (!page->is_local && !page->login)
		return true;
	if (!host)
		return false;
	address.port = page->port;
	net_address_format(&address, own);
	if (strcmp(host, own) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(own, sizeof(own), "%s:%u", names[i], page->port);
		if (strcmp(host, own) == 0)
			return true;
	}
	return !page->is_local && is_number(host);
}

static bool is_from_here(struct http_request *request)
{
	const char *site = http_request_header(request, "Sec-Fetch-Site");

	if (strcmp(http_request_method(request), "POST") != 0) {
		http_answer_header(request, "Allow", "POST");
		page_error(request, 405, "this is a POST");
		return false;
	}
	if (!site || strcmp(site, "same-origin") == 0)
		return true;
	page_error(request, 403, "only the page itself may do this: load it again");
	return false;
}

/* False when it was answered. */
bool page_may_change(const struct page_visitor *visitor, struct http_request *request)
{
	if (!is_from_here(request))
		return false;
	if (is_same(http_request_header(request, "X-Tamiz-Token"), visitor->token))
		return true;
	page_error(request, 403, "only the page itself may do this: load it again");
	return false;
}

static const struct page_visitor *find_visitor(
	const struct page *page, const struct http_request *request)
{
	const char *key = http_request_cookie(request, page->cookie);
	const struct page_visitor *found = NULL;

	for (uint32_t i = 0; i < atomic_load(&page->visitor_count); i++)
		if (is_same(key, page->visitors[i].key))
			found = &page->visitors[i];
	return found;
}

static int make_secret(char text[PAGE_SECRET_SIZE], struct error *err)
{
	uint8_t bytes[(PAGE_SECRET_SIZE - 1) / 2];

	if (random_bytes(bytes, sizeof(bytes)))
		return error_set(err, ERROR_IO, "no random numbers: %s", strerror(errno));
	hex_encode(bytes, sizeof(bytes), text);
	text[PAGE_SECRET_SIZE - 1] = '\0';
	return 0;
}

static int add_visitor(struct page *page, const struct page_visitor *like, struct error *err)
{
	uint32_t count = atomic_load(&page->visitor_count);
	struct page_visitor *visitor = &page->visitors[count];

	*visitor = *like;
	if (make_secret(visitor->key, err) || make_secret(visitor->token, err))
		return -1;
	atomic_store(&page->visitor_count, count + 1);
	return 0;
}

static void give_cookie(
	const struct page *page, const struct page_visitor *visitor, struct http_request *request)
{
	char cookie[128];

	snprintf(cookie, sizeof(cookie), "%s=%s; HttpOnly; SameSite=Strict; Path=/", page->cookie,
		visitor->key);
	http_answer_header(request, "Set-Cookie", cookie);
}

/* With the lock. NULL when there is none of that secret, and may be none. */
static const struct page_visitor *admit(struct page *page, const char *secret, struct error *err)
{
	struct page_visitor visitor = {.secret = sha256(secret, strlen(secret))};
	uint32_t count = atomic_load(&page->visitor_count);

	for (uint32_t i = 0; i < count; i++)
		if (same_in_constant_time(
			    page->visitors[i].secret.bytes, visitor.secret.bytes, SHA256_SIZE))
			return &page->visitors[i];
	if (count == PAGE_VISITORS_MAX) {
		error_set(err, ERROR_LIMIT, "%u users are here already", count);
		return NULL;
	}
	if (page->login(page, secret, &visitor.context, err) || add_visitor(page, &visitor, err))
		return NULL;
	return &page->visitors[count];
}

static void answer_login(struct page *page, struct http_request *request)
{
	const struct page_visitor *visitor;
	struct error err;
	size_t size;
	const char *secret = http_request_body(request, &size);

	if (!is_from_here(request))
		return;
	pthread_mutex_lock(&page->login_lock);
	visitor = admit(page, secret, &err);
	pthread_mutex_unlock(&page->login_lock);
	if (!visitor) {
		page_error(request, 401, err.message);
		return;
	}
	give_cookie(page, visitor, request);
	page_nothing(request);
}

/* The address that was printed: the browser keeps the key, and shows an address without it. */
static void take_key(const struct page *page, struct http_request *request)
{
	page_headers(request, "no-store");
	give_cookie(page, &page->visitors[0], request);
	http_answer_header(request, "Location", "/");
	http_answer_text(request, 303, "");
}

static void turn_away(const struct page *page, struct http_request *request)
{
	char text[300];

	snprintf(text, sizeof(text),
		"Open the address that tamiz %s has printed: the key is in it.\n"
		"Abra la direcci\xc3\xb3n que tamiz %s ha mostrado: contiene la clave.\n",
		page->name, page->name);
	page_headers(request, "no-store");
	http_answer_text(request, 403, text);
}

static void answer_asset(struct http_request *request, const char *path)
{
	const char *known = http_request_header(request, "If-None-Match");

	for (uint32_t i = 0; i < asset_count; i++) {
		if (strcmp(assets[i].path, path) != 0)
			continue;
		page_headers(request, "no-cache");
		http_answer_header(request, "ETag", assets[i].tag);
		if (known && strcmp(known, assets[i].tag) == 0)
			http_answer(request, 304, assets[i].type, "", 0);
		else
			http_answer(request, 200, assets[i].type, assets[i].bytes, assets[i].size);
		return;
	}
	page_error(request, 404, "there is no such address");
}

static void on_request(void *context, struct http_request *request)
{
	struct page *page = context;
	const char *path = http_request_path(request);
	const struct page_visitor *visitor = find_visitor(page, request);

	if (!is_our_host(page, http_request_header(request, "Host"))) {
		page_error(request, 421, "this server has another name");
		return;
	}
	if (!page->login && strcmp(path, "/") == 0 &&
		is_same(http_request_argument(request, "key"), page->visitors[0].key))
		take_key(page, request);
	else if (!visitor && !page->login)
		turn_away(page, request);
	else if (strncmp(path, API, strlen(API)) != 0)
		answer_asset(request, strcmp(path, "/") == 0 ? page->start : path);
	else if (page->login && strcmp(path, API "login") == 0)
		answer_login(page, request);
	else if (!visitor)
		page_error(request, 401, "who are you?");
	else
		page->api(page, visitor, request, path + strlen(API));
}

/* --- its life ------------------------------------------------------------------------------------
 */

static bool is_loopback(const char *host)
{
	return strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
	       strcmp(host, "::1") == 0;
}

/* Where nobody has said a port, another one will do when the usual one is taken. */
static int open_server(
	struct http_server **server, struct http_server_options *options, struct error *err)
{
	bool usual = options->address.port == 0;

	if (usual)
		options->address.port = PAGE_PORT_DEFAULT;
	if (!http_server_open(server, options, err))
		return 0;
	if (!usual)
		return -1;
	options->address.port = 0;
	return http_server_open(server, options, err);
}

static void hold_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	pthread_sigmask(SIG_BLOCK, signals, NULL);
}

void page_hold_signals(void)
{
	sigset_t signals;

	hold_signals(&signals);
}

static void wait_for_signal(const sigset_t *signals)
{
	int number;

	while (sigwait(signals, &number) != 0)
		continue;
}

int page_address(const char *listen, struct net_address *address, struct error *err)
{
	*address = (struct net_address){.host = "127.0.0.1"};
	if (listen && !net_address_parse(listen, strlen(listen), address))
		return error_set(err, ERROR_USAGE,
			"--listen %.200s: give HOST:PORT, such as 127.0.0.1:7800", listen);
	return 0;
}

int page_serve(struct page *page, struct error *err)
{
	struct http_server_options options = {
		.address = page->address,
		.connections_max = CONNECTIONS_MAX,
		.idle_s_max = IDLE_S_MAX,
		.body_max = PAGE_BODY_MAX,
		.may_wait = true,
		.handler = on_request,
		.context = page,
	};
	struct http_server *server;
	char text[NET_ADDRESS_TEXT];
	sigset_t signals;

	page->is_local = is_loopback(page->address.host);
	pthread_mutex_init(&page->login_lock, NULL);
	if (!page->login &&
		add_visitor(page, &(struct page_visitor){.context = page->context}, err))
		return -1;
	hold_signals(&signals);
	if (open_server(&server, &options, err))
		return -1;
	page->port = page->address.port = http_server_port(server);
	snprintf(page->cookie, sizeof(page->cookie), "tamiz-%u", page->port);
	net_address_format(&page->address, text);
	if (!page->is_local)
		fprintf(stderr,
			"tamiz %s: connections are not encrypted, and others can reach %s: use a "
			"tunnel\n",
			page->name, text);
	printf("http://%s/", text);
	if (!page->login)
		printf("?key=%s", page->visitors[0].key);
	putchar('\n');
	fflush(stdout);
	wait_for_signal(&signals);
	atomic_store(&page->closing, true);
	http_server_close(server);
	return 0;
}
