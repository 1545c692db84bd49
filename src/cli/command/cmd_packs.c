/* tamiz packs: what is inside the binary. */
#include "cli/cli.h"
#include "cli/request/pack.h"

#define ARENA_BLOCK_BYTES (64u << 10)
#define LISTING_BYTES_MAX (1u << 20)

const struct command_spec cmd_packs_spec = {
	.name = "tamiz packs",
	.operands = "",
	.summary = "Lists the packs inside the binary, with their queries.",
};

static int list_pack(const char *name, struct arena *arena, struct buf *out, struct error *err)
{
	struct pack pack;

	if (pack_load(name, arena, &pack, err))
		return -1;
	buf_printf(out, "%s\n", pack.name);
	for (uint32_t i = 0; i < pack.query_count; i++)
		buf_printf(out, "  %-5s %s\n", pack.queries[i].name, pack.queries[i].title);
	return 0;
}

int cmd_packs(int argc, char *const *argv)
{
	struct operands operands;
	struct arena arena;
	struct error err;
	struct buf text;
	int status = 0;

	if (!cli_parse(&cmd_packs_spec, argc, argv, NULL, &operands, &status))
		return status;
	arena_init(&arena, ARENA_BLOCK_BYTES);
	buf_init(&text, LISTING_BYTES_MAX);
	for (uint32_t i = 0; status == 0 && i < embedded_pack_count; i++)
		status = list_pack(embedded_packs[i].name, &arena, &text, &err);
	if (status == 0) {
		status = cli_print(&text);
	} else {
		buf_release(&text);
		status = cli_fail(&err);
	}
	arena_release(&arena);
	return status;
}
