/*
 * A page that this process serves: its files, and who may ask.
 *
 *   GET  /?key=KEY            a cookie, and the page without the key in its address
 *   GET  /, /app.js, ...      the page
 *   ...  /api/...             what the page asks, for `api`
 *
 * Everything but the first needs the cookie, and whatever changes something is a POST with the header
 * X-Tamiz-Token, which only the page itself can know. Errors are {"error": "..."}.
 */
#ifndef CLI_UI_PAGE_H
#define CLI_UI_PAGE_H

#include "base/buf.h"
#include "net/http_server.h"

#include <stdatomic.h>

#define PAGE_PORT_DEFAULT 7800
#define PAGE_SECRET_SIZE  33 /* hexadecimal digits and a 0 */
#define PAGE_BODY_MAX	  (1u << 20)

struct page {
	/* The caller's: */
	const char *name;  /* of the command: "ui" */
	const char *start; /* what / is: "/index.html" */
	/* Answers; `path` is what stands behind /api/. Of many threads. */
	void (*api)(struct page *page, struct http_request *request, const char *path);
	struct net_address address; /* port 0: the usual one, or another when that is taken */
	/* The page's own: */
	uint16_t port;
	char key[PAGE_SECRET_SIZE];
	char token[PAGE_SECRET_SIZE];
	char cookie[32];      /* its name: cookies do not tell ports apart */
	bool is_local;	      /* nobody but this machine can ask */
	_Atomic bool closing; /* who waits in an answer gives up */
};

/* What --listen says; NULL: the usual. ERROR_USAGE. */
MUST_CHECK int page_address(const char *listen, struct net_address *address, struct error *err);

/* Prints the address with the key on stdout, and serves until SIGINT or SIGTERM. */
MUST_CHECK int page_serve(struct page *page, struct error *err);

/* For `api`: whether the page itself asks, by a POST; if not, it was answered. */
bool page_may_change(const struct page *page, struct http_request *request);
/* Before the answer, where it is none of those below. */
void page_headers(struct http_request *request, const char *cache);
void page_json(struct http_request *request, int status, const struct buf *json);
void page_error(struct http_request *request, int status, const char *message);

#endif
