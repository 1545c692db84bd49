/*
 * What the commands that speak with a cluster share: their common options, and results that come
 * as messages and go where those of the embedded engine go.
 */
#ifndef CLI_REQUEST_REMOTE_H
#define CLI_REQUEST_REMOTE_H

#include "base/options.h"
#include "cli/print/results.h"
#include "client/net.h"
#include "client/session.h"

#define REMOTE_ANSWER_MS_MAX 10000u

/* Which cluster, and what it asks clients for; NULL: not given. */
struct remote {
	const char *server;
	const char *token;
	bool tls;
	struct tls_files tls_files;
};

/* clang-format off */
#define REMOTE_OPTIONS(type, field) \
	{.name = "server", .letter = 's', .argument = "HOST:PORT", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.server), \
		.help = "a gateway or proxy of the cluster; several with commas\n" \
			"(default: $TAMIZ_SERVER)"}, \
	{.name = "token", .argument = "TOKEN", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.token), \
		.help = "what the cluster's file asks clients for, if anything\n" \
			"(default: $TAMIZ_TOKEN, or the file $TAMIZ_TOKEN_FILE)"}, \
	{.name = "tls", .kind = OPTION_FLAG, .offset = offsetof(type, field.tls), \
		.help = "speak TLS with the server, as with tls://HOST:PORT"}, \
	{.name = "ca", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.tls_files.ca), \
		.help = "authorities to trust instead of the system's, as PEM\n" \
			"(default: $TAMIZ_CA)"}, \
	{.name = "cert", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.tls_files.cert), \
		.help = "our certificate, for a cluster that asks for one\n" \
			"(default: $TAMIZ_CERT)"}, \
	{.name = "key", .argument = "FILE", .kind = OPTION_TEXT, \
		.offset = offsetof(type, field.tls_files.key), \
		.help = "its key (default: $TAMIZ_KEY)"}
/* clang-format on */

/* What is missing comes from the environment. ERROR_USAGE when there is no server. */
MUST_CHECK int remote_settle(struct remote *remote, const char *command, struct error *err);

/* Rows of RESULT messages, decoded for a sink. */
struct remote_rows {
	const struct plan *plan; /* whose queries have names and types; borrowed */
	struct result_sink *sink;
	struct arena arena;
	uint32_t
		query; /* the first that is not at its end, and how many of its rows the sink has */
	uint64_t rows;
	uint64_t skip; /* of its rows that come again */
};

void remote_rows_init(struct remote_rows *rows, const struct plan *plan, struct result_sink *sink);
void remote_rows_release(struct remote_rows *rows);
/* `result` and `result_end` of struct session_source; context is the rows. */
int remote_rows_take(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err);
int remote_rows_end(void *context, uint32_t query, struct error *err);
/*
 * Everything comes again from the first row of the first query, of another job with the same
 * answer: what the sink has is passed over.
 */
void remote_rows_begin_again(struct remote_rows *rows);

#endif
