#include "cluster/roster.h"

#include <stdio.h>
#include <string.h>

void roster_name(enum node_kind kind, uint32_t index, char name[ROSTER_NAME_MAX])
{
	if (kind == NODE_COLLECTOR)
		snprintf(name, ROSTER_NAME_MAX, "%s", config_kind_word(kind));
	else
		snprintf(name, ROSTER_NAME_MAX, "%s-%u", config_kind_word(kind), index);
}

bool roster_get(
	const struct config *config, enum node_kind kind, uint32_t index, struct roster_node *node)
{
	if (index >= config_replicas(config, kind))
		return false;
	*node = (struct roster_node){
		.kind = kind,
		.index = index,
		.role = config_kind_word(kind),
		.health = config_found_at(&config->health[kind], index),
	};
	roster_name(kind, index, node->name);
	return true;
}

uint32_t roster_list(const struct config *config, struct roster_node *nodes, uint32_t capacity)
{
	static const enum node_kind order[NODE_KINDS] = {
		NODE_REDUCER, NODE_COLLECTOR, NODE_FILTER, NODE_GATEWAY, NODE_PROXY, NODE_WATCHER};
	uint32_t count = 0;

	for (int i = 0; i < NODE_KINDS; i++) {
		uint32_t replicas = config_replicas(config, order[i]);

		for (uint32_t index = 0; index < replicas; index++, count++)
			if (count < capacity)
				(void)roster_get(config, order[i], index, &nodes[count]);
	}
	return count;
}

bool roster_find(const struct config *config, const char *name, struct roster_node *node)
{
	for (int kind = 0; kind < NODE_KINDS; kind++)
		for (uint32_t i = 0; roster_get(config, (enum node_kind)kind, i, node); i++)
			if (strcmp(node->name, name) == 0)
				return true;
	return false;
}

void roster_arguments(const struct roster_node *node, const char *file, struct roster_words *words)
{
	*words = (struct roster_words){.items = {node->role, "--file", file}};
	if (node->kind == NODE_COLLECTOR)
		return;
	snprintf(words->index, sizeof(words->index), "%u", node->index);
	words->items[3] = "--index";
	words->items[4] = words->index;
}
