/* The subcommands: what main() runs, and what help, manual pages and completions are made of. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/options.h"

#define COMMANDS_MAX 64

struct command {
	const char *name;
	const struct command_spec *spec;
	int (*run)(int argc, char *const *argv);
};

extern const struct command commands[];
extern const size_t command_count;

/* NULL when there is none. */
const struct command *command_find(const char *name);

#endif
