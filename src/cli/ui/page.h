/*
 * A page that this process serves: its files, and who may ask.
 *
 *   GET  /?key=KEY            a cookie, and the page without the key in its address
 *   POST /api/login           the same for who says a secret, where there is no such key
 *   GET  /, /app.js, ...      the page
 *   ...  /api/...             what the page asks, for `api`
 *
 * What is for `api` needs the cookie, and whatever changes something is a POST with the header X-Tamiz-Token, which
 * only the page itself can know. Errors are {"error": "..."}; without a cookie the status is 401 or 403.
 */
#ifndef CLI_UI_PAGE_H
#define CLI_UI_PAGE_H

#include "base/buf.h"
#include "base/sha256.h"
#include "net/http_server.h"

#include <pthread.h>
#include <stdatomic.h>

#define PAGE_PORT_DEFAULT 7800
#define PAGE_SECRET_SIZE  33 /* hexadecimal digits and a 0 */
#define PAGE_BODY_MAX	  (9u << 20)

#define PAGE_VISITORS_MAX 64u

/* One who may ask: all who have the key, or a user with all tabs and browsers. */
struct page_visitor {
	char key[PAGE_SECRET_SIZE]; /* in the cookie */
	char token[PAGE_SECRET_SIZE];
	struct sha256 secret; /* that was said */
	void *context;
};

struct page {
	/* The caller's: */
	const char *name;  /* of the command: "ui" */
	const char *start; /* what / is: "/index.html" */
	/* Answers; `path` is what stands behind /api/. Of many threads. */
	void (*api)(struct page *page, const struct page_visitor *visitor,
		struct http_request *request, const char *path);
	/*
	 * Whether that is a secret by which one may look; *context is the visitor's. By one thread at a time, and
	 * once for a secret. NULL: whoever has the key may, which is printed.
	 */
	int (*login)(struct page *page, const char *secret, void **context, struct error *err);
	void *context;		    /* of who has the key */
	struct net_address address; /* port 0: the usual one, or another when that is taken */
	/* The page's own: */
	uint16_t port;
	char cookie[32];      /* its name: cookies do not tell ports apart */
	bool is_local;	      /* nobody but this machine can ask */
	_Atomic bool closing; /* who waits in an answer gives up */
	pthread_mutex_t login_lock;
	_Atomic uint32_t visitor_count; /* they stay, and do not change */
	struct page_visitor visitors[PAGE_VISITORS_MAX];
};

/* What --listen says; NULL: the usual. ERROR_USAGE. */
MUST_CHECK int page_address(const char *listen, struct net_address *address, struct error *err);

/* SIGINT and SIGTERM are for page_serve: before any other thread is started, which would be ended by them. */
void page_hold_signals(void);

/* Prints the address, with the key if there is one, on stdout, and serves until SIGINT or SIGTERM. */
MUST_CHECK int page_serve(struct page *page, struct error *err);

/* For `api`: whether the page itself asks, by a POST; if not, it was answered. */
bool page_may_change(const struct page_visitor *visitor, struct http_request *request);
/* Before the answer, where it is none of those below. */
void page_headers(struct http_request *request, const char *cache);
void page_json(struct http_request *request, int status, const struct buf *json);
/* "{}": it is done. */
void page_nothing(struct http_request *request);
void page_error(struct http_request *request, int status, const char *message);

#endif
