#include "cli/request/remote.h"

#include "base/secret.h"
#include "column/batch_codec.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Of NET_SERVERS_MAX servers with the longest names. */
#define SERVERS_TEXT_MAX 16384

/* "tls://" before each of the servers that has none. */
static int secure_servers(struct remote *remote, struct error *err)
{
	static char servers[SERVERS_TEXT_MAX];
	size_t scheme = strlen(NET_TLS_SCHEME);
	struct buf text;

	buf_init(&text, sizeof(servers));
	for (const char *at = remote->server; *at;) {
		size_t size = strcspn(at, ",");

		buf_printf(&text, "%s%s%.*s", text.size ? "," : "",
			strncmp(at, NET_TLS_SCHEME, scheme) == 0 ? "" : NET_TLS_SCHEME, (int)size,
			at);
		at += size + (at[size] == ',');
	}
	buf_append_char(&text, '\0');
	if (!buf_overflowed(&text))
		memcpy(servers, text.data, text.size);
	remote->server = servers;
	buf_release(&text);
	return servers[0] ? 0 : error_set(err, ERROR_USAGE, "too many servers");
}

static int settle_tls(struct remote *remote, struct error *err)
{
	struct tls_files *files = &remote->tls_files;

	files->ca = files->ca ? files->ca : getenv("TAMIZ_CA");
	files->cert = files->cert ? files->cert : getenv("TAMIZ_CERT");
	files->key = files->key ? files->key : getenv("TAMIZ_KEY");
	net_use_tls_files(files);
	return remote->tls ? secure_servers(remote, err) : 0;
}

int remote_settle(struct remote *remote, const char *command, struct error *err)
{
	remote->token = secret_take_argument(remote->token);
	if (!remote->token && secret_is_given("TAMIZ_TOKEN")) {
		char *token = secret_get("TAMIZ_TOKEN", err);

		if (!token)
			return -1;
		remote->token = secret_take_argument(token);
		free(token);
	}
	if (!remote->token)
		remote->token = "";
	if (strlen(remote->token) > WIRE_TOKEN_MAX)
		return error_set(
			err, ERROR_USAGE, "a token may have %u bytes at most", WIRE_TOKEN_MAX);
	if (!remote->server)
		remote->server = getenv("TAMIZ_SERVER");
	if (remote->server && *remote->server)
		return settle_tls(remote, err);
	return error_set(err, ERROR_USAGE,
		"%s needs --server HOST:PORT, the address of a gateway; tamiz up says it when it "
		"starts a cluster",
		command);
}

void remote_rows_init(struct remote_rows *rows, const struct plan *plan, struct result_sink *sink)
{
	*rows = (struct remote_rows){.plan = plan, .sink = sink};
	arena_init(&rows->arena, 256u << 10);
}

void remote_rows_release(struct remote_rows *rows)
{
	arena_release(&rows->arena);
}

/* Selects the rows of the batch, which has none selected, that the sink does not have yet. */
static void skip_rows(struct remote_rows *rows, struct batch *batch)
{
	uint32_t skipped = rows->skip < batch->rows ? (uint32_t)rows->skip : batch->rows;
	uint16_t *kept = arena_alloc(&rows->arena, (batch->rows + 1) * sizeof(*kept));

	assert(!batch->sel);
	batch->sel = kept;
	batch->selected = 0;
	for (uint32_t row = skipped; row < batch->rows; row++)
		kept[batch->selected++] = (uint16_t)row;
	rows->skip -= skipped;
}

void remote_rows_begin_again(struct remote_rows *rows)
{
	rows->skip = rows->rows;
}

int remote_rows_take(
	void *context, uint32_t query, const uint8_t *data, size_t size, struct error *err)
{
	struct remote_rows *rows = context;
	const struct plan_query *plan = &rows->plan->queries[query];
	const uint8_t *at = data, *end = data + size;

	while (at < end && query >= rows->query) {
		struct batch batch;

		arena_reset(&rows->arena);
		if (batch_decode(
			    &at, end, plan->column_count, plan->types, &rows->arena, &batch, err))
			return -1;
		if (rows->skip > 0)
			skip_rows(rows, &batch);
		rows->rows += batch.selected;
		if (rows->sink->rows(rows->sink, query, &batch, err))
			return -1;
	}
	return 0;
}

int remote_rows_end(void *context, uint32_t query, struct error *err)
{
	struct remote_rows *rows = context;

	if (query < rows->query)
		return 0;
	rows->query = query + 1;
	rows->rows = 0;
	return rows->sink->done(rows->sink, query, err);
}
