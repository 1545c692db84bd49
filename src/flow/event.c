#include "flow/event.h"

#include "base/bytes.h"

#include <assert.h>

#define FLAG_FILTERS 1u

/* Whether entries of the kind are about a job. */
static bool has_job(enum flow_event_kind kind)
{
	return kind != FLOW_NODE_UP && kind != FLOW_BEGUN && kind != FLOW_DOUBTED &&
	       kind != FLOW_FULL && kind != FLOW_ROOM;
}

/* Why a job failed, or had failed. */
static void put_failure(const struct flow_event *event, struct buf *out)
{
	assert(event->code > ERROR_NONE && event->code <= ERROR_CODE_LAST);
	bytes_put_u8(out, (uint8_t)event->code);
	if (event->kind == FLOW_FAILED && event->code == ERROR_GUESS) {
		bytes_put_u32(out, event->guess.table);
		bytes_put_u32(out, event->guess.column);
		bytes_put_u32(out, event->guess.kinds);
		bytes_put_u32(out, event->guess.width);
		bytes_put_u32(out, event->guess.fields);
	}
	buf_append(out, event->message, event->message_size);
}

void flow_event_encode(const struct flow_event *event, struct buf *out)
{
	bytes_put_u8(out, (uint8_t)event->kind);
	if (has_job(event->kind))
		bytes_put_u64(out, event->job);
	switch (event->kind) {
	case FLOW_OPENED:
		bytes_put_u32(out, event->engine);
		bytes_put_u32(out, event->reducers);
		bytes_put_u8(out, event->on_filters ? FLAG_FILTERS : 0);
		bytes_put_u32(out, event->jobs_max);
		bytes_put_u64(out, event->client);
		bytes_put_u32(out, event->client_jobs_max);
		bytes_put_u64(out, event->generation);
		bytes_put_u64(out, event->reducer_memory);
		bytes_put_u64(out, event->collector_memory);
		buf_append(out, event->secret_hash.bytes, SHA256_SIZE);
		buf_append(out, event->plan, event->plan_size);
		break;
	case FLOW_CLOSED:
		assert(event->total <= FLOW_NUMBER_MAX);
		bytes_put_u32(out, event->stream);
		bytes_put_u32(out, event->total);
		break;
	case FLOW_ENDED: buf_append(out, event->secret_hash.bytes, SHA256_SIZE); /* fall through */
	case FLOW_FAILED: put_failure(event, out); break;
	case FLOW_TOUCHED:
	case FLOW_CLEANED:
	case FLOW_LOST: break;
	case FLOW_EXPIRED: bytes_put_u64(out, event->seen); break;
	case FLOW_FULL:
	case FLOW_ROOM: bytes_put_u32(out, event->node); break;
	case FLOW_NODE_UP:
		bytes_put_u32(out, event->node);
		bytes_put_u64(out, event->incarnation);
		bytes_put_u64(out, event->nonce);
		break;
	case FLOW_BEGUN:
		bytes_put_u64(out, event->generation);
		bytes_put_u64(out, event->id);
		break;
	case FLOW_DOUBTED: bytes_put_u64(out, event->generation); break;
	}
}

static const uint8_t *take_rest(struct bytes_reader *reader, size_t *size)
{
	*size = bytes_left(reader);
	return bytes_take(reader, *size);
}

static bool take_failure(struct bytes_reader *reader, struct flow_event *out)
{
	out->code = (enum error_code)bytes_take_u8(reader);
	if (out->kind == FLOW_FAILED && out->code == ERROR_GUESS) {
		out->guess.table = bytes_take_u32(reader);
		out->guess.column = bytes_take_u32(reader);
		out->guess.kinds = bytes_take_u32(reader);
		out->guess.width = bytes_take_u32(reader);
		out->guess.fields = bytes_take_u32(reader);
	}
	out->message = (const char *)take_rest(reader, &out->message_size);
	return out->code > ERROR_NONE && out->code <= ERROR_CODE_LAST;
}

static void take_hash(struct bytes_reader *reader, struct sha256 *hash)
{
	const uint8_t *bytes = bytes_take(reader, SHA256_SIZE);

	if (bytes)
		memcpy(hash->bytes, bytes, SHA256_SIZE);
}

static bool decode_fields(struct bytes_reader *reader, struct flow_event *out)
{
	switch (out->kind) {
	case FLOW_OPENED:
		out->engine = bytes_take_u32(reader);
		out->reducers = bytes_take_u32(reader);
		out->on_filters = bytes_take_u8(reader) & FLAG_FILTERS;
		out->jobs_max = bytes_take_u32(reader);
		out->client = bytes_take_u64(reader);
		out->client_jobs_max = bytes_take_u32(reader);
		out->generation = bytes_take_u64(reader);
		out->reducer_memory = bytes_take_u64(reader);
		out->collector_memory = bytes_take_u64(reader);
		take_hash(reader, &out->secret_hash);
		out->plan = take_rest(reader, &out->plan_size);
		return true;
	case FLOW_CLOSED:
		out->stream = bytes_take_u32(reader);
		out->total = bytes_take_u32(reader);
		return out->total <= FLOW_NUMBER_MAX;
	case FLOW_ENDED: take_hash(reader, &out->secret_hash); /* fall through */
	case FLOW_FAILED: return take_failure(reader, out);
	case FLOW_TOUCHED:
	case FLOW_CLEANED:
	case FLOW_LOST: return true;
	case FLOW_EXPIRED: out->seen = bytes_take_u64(reader); return true;
	case FLOW_FULL:
	case FLOW_ROOM: out->node = bytes_take_u32(reader); return true;
	case FLOW_NODE_UP:
		out->node = bytes_take_u32(reader);
		out->incarnation = bytes_take_u64(reader);
		out->nonce = bytes_take_u64(reader);
		return true;
	case FLOW_BEGUN:
		out->generation = bytes_take_u64(reader);
		out->id = bytes_take_u64(reader);
		return true;
	case FLOW_DOUBTED: out->generation = bytes_take_u64(reader); return true;
	}
	return false;
}

int flow_event_decode(const void *bytes, size_t size, struct flow_event *out, struct error *err)
{
	struct bytes_reader reader;

	bytes_reader_init(&reader, bytes, size);
	*out = (struct flow_event){.kind = (enum flow_event_kind)bytes_take_u8(&reader)};
	if (has_job(out->kind))
		out->job = bytes_take_u64(&reader);
	if (!decode_fields(&reader, out) || !bytes_ended_well(&reader))
		return error_set(err, ERROR_DATA,
			"%zu bytes that are not an entry of the control log", size);
	return 0;
}
