#include "flow/fold_work.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct packet_bytes *packet_bytes_new(const void *bytes, size_t size)
{
	struct packet_bytes *packet = memory_alloc(sizeof(*packet) + size);

	assert(size <= UINT32_MAX);
	packet->holders = 1;
	packet->size = (uint32_t)size;
	memcpy(packet->bytes, bytes, size);
	return packet;
}

struct packet_bytes *packet_bytes_keep(struct packet_bytes *packet)
{
	assert(packet->holders > 0);
	packet->holders++;
	return packet;
}

void packet_bytes_drop(struct packet_bytes *packet)
{
	if (!packet)
		return;
	assert(packet->holders > 0);
	if (--packet->holders == 0)
		free(packet);
}

struct fold_work *fold_work_new(struct fold *fold)
{
	struct fold_work *work = memory_zalloc(sizeof(*work));

	work->fold = fold;
	work->first = fold_fed(fold);
	return work;
}

bool fold_work_is_empty(const struct fold_work *work)
{
	return work->count == 0 && !work->finish;
}

bool fold_work_is_full(const struct fold_work *work)
{
	return work->count == FOLD_WORK_PACKETS_MAX || work->bytes >= FOLD_WORK_BYTES_MAX;
}

void fold_work_add(struct fold_work *work, uint32_t input, struct packet_bytes *packet)
{
	assert(!fold_work_is_full(work) && !work->finish);
	work->items[work->count].input = input;
	work->items[work->count].packet = packet_bytes_keep(packet);
	work->count++;
	work->bytes += packet->size;
}

static int run(struct fold_work *work, const atomic_bool *stop)
{
	for (uint32_t i = 0; i < work->count; i++) {
		const struct packet_bytes *packet = work->items[i].packet;
		struct flow_message message;

		if (stop && atomic_load_explicit(stop, memory_order_relaxed))
			return error_set(&work->error, ERROR_INTERRUPTED, "interrupted");
		if (flow_message_decode(packet->bytes, packet->size, &message, &work->error) ||
			fold_feed(work->fold, work->items[i].input, &message, &work->error))
			return -1;
		__atomic_store_n(&work->fed, i + 1, __ATOMIC_RELAXED);
	}
	return work->finish ? fold_finish(work->fold, &work->total, &work->error) : 0;
}

void fold_work_run(struct fold_work *work, fold_send send, void *context, const atomic_bool *stop)
{
	assert(work->fold && !fold_work_is_empty(work) && work->fed == 0); /* once */
	fold_connect(work->fold, send, context, stop);
	work->status = run(work, stop);
	fold_connect(work->fold, NULL, NULL, NULL);
}

void fold_work_free(struct fold_work *work)
{
	if (!work)
		return;
	for (uint32_t i = 0; i < work->count; i++)
		packet_bytes_drop(work->items[i].packet);
	fold_free(work->fold);
	free(work);
}
