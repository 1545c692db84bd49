/* A page over the files of this machine: what `tamiz ui` serves. */
#ifndef CLI_UI_UI_H
#define CLI_UI_UI_H

#include "base/options.h"
#include "cli/dialect_options.h"
#include "cli/request/catalog.h"
#include "cli/request/remote.h"
#include "cli/ui/upload.h"
#include "net/address.h"

/* Borrowed, with everything in it. */
struct ui_options {
	struct data_places data;
	/* A folder of this process: `files` in it has those that were dropped onto the page, and is one of `data`. */
	const char *folder;
	const struct remote *remote; /* the cluster that answers; NULL: this process */
	const char *schema;	     /* NULL: tables are what stands in the files */
	struct dialect_options files;
	struct net_address address;
	uint64_t threads;
	uint64_t memory;
};

/* Where data is, with a folder for files that are dropped onto a page. */
struct ui_places {
	char folder[UPLOAD_FOLDER_MAX];
	char files[UPLOAD_FOLDER_MAX + sizeof(UPLOAD_FILES)];
	const char *paths[OPTION_LIST_MAX + 1];
	struct data_places data;
};

/* Makes the folder, which upload_folder_remove removes. The paths are borrowed. */
MUST_CHECK int ui_places(
	struct ui_places *places, const struct data_places *data, struct error *err);

/* As page_serve. */
MUST_CHECK int ui_run(const struct ui_options *options, struct error *err);

#endif
