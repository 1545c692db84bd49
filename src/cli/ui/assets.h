/* The files of the page: generated from web/ by tools/embed_web.py. */
#ifndef CLI_UI_ASSETS_H
#define CLI_UI_ASSETS_H

#include <stddef.h>
#include <stdint.h>

struct asset {
	const char *path; /* "/app.js" */
	const char *type;
	const char *tag; /* of what is in it, in quotes */
	const unsigned char *bytes;
	size_t size;
};

extern const struct asset assets[];
extern const uint32_t asset_count;

#endif
