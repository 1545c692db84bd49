/* A page over the files of this machine: what `tamiz ui` serves. */
#ifndef CLI_UI_UI_H
#define CLI_UI_UI_H

#include "base/options.h"
#include "cli/dialect_options.h"
#include "cli/request/catalog.h"
#include "net/address.h"

/* Borrowed, with everything in it. */
struct ui_options {
	struct data_places data;
	const char *schema; /* NULL: tables are what stands in the files */
	struct dialect_options files;
	struct net_address address;
	uint64_t threads;
	uint64_t memory;
};

/* As page_serve. */
MUST_CHECK int ui_run(const struct ui_options *options, struct error *err);

#endif
