#include "cli/ui/ui.h"

#include "cli/ui/route.h"
#include "cli/ui/upload.h"

#include <stdio.h>

struct ui {
	struct page page; /* first */
	struct ui_router router;
};

static void answer_api(struct page *page, const struct page_visitor *visitor,
	struct http_request *request, const char *path)
{
	struct ui_router router = ((struct ui *)page)->router;

	router.visitor = visitor;
	route_api(&router, request, path);
}

int ui_places(struct ui_places *places, const struct data_places *data, struct error *err)
{
	if (upload_folder_make(places->folder, err))
		return -1;
	snprintf(places->files, sizeof(places->files), "%s/" UPLOAD_FILES, places->folder);
	for (uint32_t i = 0; i < data->count; i++)
		places->paths[i] = data->paths[i];
	places->paths[data->count] = places->files;
	places->data = (struct data_places){.count = data->count + 1, .paths = places->paths};
	return 0;
}

int ui_run(const struct ui_options *given, struct error *err)
{
	struct ui_options options = *given;
	struct ui_places places;
	struct ui ui = {
		.page = {.name = "ui",
			.start = "/index.html",
			.api = answer_api,
			.address = options.address},
		.router = {.options = &options,
			.name = given->data.count ? given->data.paths[0] : "."},
	};
	int status;

	if (ui_places(&places, &given->data, err))
		return -1;
	options.data = places.data;
	options.folder = places.folder;
	ui.router.questions = questions_new(&options);
	status = page_serve(&ui.page, err);
	questions_free(ui.router.questions);
	upload_folder_remove(places.folder);
	return status;
}
