#include "sim/same_packets.h"

#include "base/crc32c.h"
#include "base/hash.h"
#include "base/memory.h"
#include "flow/message.h"

#include <stdlib.h>
#include <string.h>

static struct same_packet *find(const struct same_packets *packets, uint64_t name)
{
	uint32_t at = (uint32_t)name & (packets->capacity - 1);

	while (packets->items[at].name && packets->items[at].name != name)
		at = (at + 1) & (packets->capacity - 1);
	return &packets->items[at];
}

static void grow(struct same_packets *packets)
{
	struct same_packets more = {.count = packets->count,
		.capacity = packets->capacity ? 2 * packets->capacity : 1024};

	more.items = memory_zalloc(more.capacity * sizeof(*more.items));
	for (uint32_t i = 0; i < packets->capacity; i++)
		if (packets->items[i].name)
			*find(&more, packets->items[i].name) = packets->items[i];
	free(packets->items);
	*packets = more;
}

bool same_packets_note(
	struct same_packets *packets, const char *queue, const void *bytes, size_t size)
{
	uint32_t sum = crc32c(0, bytes, size);
	struct flow_message message;
	struct same_packet *at;
	struct error err;
	uint64_t name;

	if (flow_message_decode(bytes, size, &message, &err) || message.kind != FLOW_PACKET)
		return true;
	name = hash_combine(hash_bytes(queue, strlen(queue)), message.job);
	/* A job that was opened again in a new log is made again, and nobody takes packets of both. */
	name = hash_combine(name, message.generation);
	name = hash_combine(name, (uint64_t)message.stream << 32 | message.number) | 1;
	if (2 * packets->count >= packets->capacity)
		grow(packets);
	at = find(packets, name);
	if (at->name)
		return at->sum == sum;
	*at = (struct same_packet){name, sum};
	packets->count++;
	return true;
}

void same_packets_release(struct same_packets *packets)
{
	free(packets->items);
}
