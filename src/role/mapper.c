#include "role/mapper.h"

#include "base/memory.h"
#include "scan/chunk_map.h"

#include <stdio.h>
#include <stdlib.h>

struct mapped_table {
	struct chunk_map *map; /* NULL until its first chunk */
	struct packer *packer;
};

struct mapper {
	const struct node *node;
	const struct job *job;
	struct mapped_table *tables;
};

struct mapper *mapper_new(const struct node *node, const struct job *job)
{
	struct mapper *mapper = memory_zalloc(sizeof(*mapper));

	mapper->node = node;
	mapper->job = job;
	mapper->tables = memory_zalloc((job->plan->table_count + 1) * sizeof(*mapper->tables));
	return mapper;
}

void mapper_free(struct mapper *mapper)
{
	if (!mapper)
		return;
	for (uint32_t t = 0; t < mapper->job->plan->table_count; t++) {
		chunk_map_free(mapper->tables[t].map);
		packer_free(mapper->tables[t].packer);
	}
	free(mapper->tables);
	free(mapper);
}

static int emit(void *context, uint32_t fragment, const struct batch *batch, struct error *err)
{
	return packer_add(context, fragment, batch, err);
}

int mapper_run(struct mapper *mapper, uint32_t table, uint32_t number, const void *text,
	size_t size, packer_send send, void *context, struct mapper_count *count, struct error *err)
{
	const struct job *job = mapper->job;
	struct mapped_table *at = &mapper->tables[table];
	struct csv_tally tally;
	struct work_place place = {job->id, flow_stream_table(table), number, number + 1ull};
	char origin[128];
	uint32_t slot;
	int status;

	if (node_condemns(mapper->node, job->id, err))
		return -1;
	slot = work_record_begin(mapper->node->env.record, &place);
	if (!at->map) {
		at->map = chunk_map_new(job->plan, &job->catalog, table);
		at->packer = packer_new(&job->topology, job->id, flow_stream_table(table));
	}
	snprintf(
		origin, sizeof(origin), "chunk %u of %.80s", number, job->plan->tables[table].name);
	csv_tally_init(&tally, 0);
	packer_start(at->packer, number);
	status = chunk_map_run(at->map, origin, text, size, &tally, emit, at->packer, err);
	if (count)
		*count = (struct mapper_count){(uint32_t)tally.rows, (uint32_t)tally.rejects};
	csv_tally_release(&tally);
	work_record_leave();
	work_record_finish(mapper->node->env.record, slot, !status);
	if (!status)
		return packer_cut(at->packer, send, context, err);
	/* What it holds of the chunk must not be in the next one. */
	packer_free(at->packer);
	at->packer = packer_new(&job->topology, job->id, flow_stream_table(table));
	return status;
}
