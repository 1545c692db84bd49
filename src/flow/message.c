#include "flow/message.h"

#include "base/bytes.h"

#include <assert.h>

void flow_message_encode(const struct flow_message *message, struct buf *out)
{
	bytes_put_u8(out, (uint8_t)message->kind);
	bytes_put_u64(out, message->generation);
	bytes_put_u64(out, message->job);
	if (message->kind == FLOW_WANTED) {
		bytes_put_u32(out, message->gateway);
		bytes_put_u32(out, message->query);
		bytes_put_u32(out, message->number);
		return;
	}
	if (message->kind == FLOW_PROBE) {
		bytes_put_u32(out, message->number);
		bytes_put_u32(out, message->sender);
		return;
	}
	if (message->kind == FLOW_BUSY)
		return;
	assert(message->kind == FLOW_PACKET || message->kind == FLOW_CHUNK);
	assert(message->number >= 1 && message->number <= FLOW_NUMBER_MAX);
	bytes_put_u32(out, message->stream);
	bytes_put_u32(out, message->number);
}

/* The next section of a body; false at its end, or when it is broken. */
static bool next_section(
	struct bytes_reader *reader, uint32_t *exchange, const uint8_t **bytes, size_t *size)
{
	if (bytes_left(reader) == 0)
		return false;
	*exchange = bytes_take_u32(reader);
	*size = bytes_take_u32(reader);
	*bytes = bytes_take(reader, *size);
	return !reader->failed;
}

static bool sections_are_whole(const struct flow_message *packet)
{
	struct bytes_reader reader;
	const uint8_t *bytes;
	uint32_t exchange;
	size_t size;

	bytes_reader_init(&reader, packet->body, packet->body_size);
	while (next_section(&reader, &exchange, &bytes, &size))
		;
	return bytes_ended_well(&reader);
}

int flow_message_decode(const void *bytes, size_t size, struct flow_message *out, struct error *err)
{
	struct bytes_reader reader;
	bool fits = true;

	bytes_reader_init(&reader, bytes, size);
	*out = (struct flow_message){.kind = (enum flow_message_kind)bytes_take_u8(&reader)};
	out->generation = bytes_take_u64(&reader);
	out->job = bytes_take_u64(&reader);
	switch (out->kind) {
	case FLOW_PACKET:
	case FLOW_CHUNK:
		out->stream = bytes_take_u32(&reader);
		out->number = bytes_take_u32(&reader);
		out->body_size = bytes_left(&reader);
		out->body = reader.at;
		fits = out->number >= 1 && out->number <= FLOW_NUMBER_MAX;
		if (out->kind == FLOW_PACKET)
			fits = fits && sections_are_whole(out);
		break;
	case FLOW_WANTED:
		out->gateway = bytes_take_u32(&reader);
		out->query = bytes_take_u32(&reader);
		out->number = bytes_take_u32(&reader);
		fits = bytes_left(&reader) == 0;
		break;
	case FLOW_PROBE:
		out->number = bytes_take_u32(&reader);
		out->sender = bytes_take_u32(&reader);
		fits = bytes_left(&reader) == 0;
		break;
	case FLOW_BUSY: fits = bytes_left(&reader) == 0; break;
	default: fits = false;
	}
	if (reader.failed || !fits)
		return error_set(
			err, ERROR_DATA, "%zu bytes that are not a message between nodes", size);
	return 0;
}

bool flow_packet_section(
	const struct flow_message *packet, uint32_t exchange, const uint8_t **bytes, size_t *size)
{
	struct bytes_reader reader;
	uint32_t found;

	bytes_reader_init(&reader, packet->body, packet->body_size);
	while (next_section(&reader, &found, bytes, size))
		if (found == exchange)
			return true;
	return false;
}
