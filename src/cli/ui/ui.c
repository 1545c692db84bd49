#include "cli/ui/ui.h"

#include "cli/ui/route.h"

int ui_run(const struct ui_options *options, struct error *err)
{
	struct ui_router router = {
		.page = {.name = "ui",
			.start = "/index.html",
			.api = route_api,
			.address = options->address},
		.options = options,
		.questions = questions_new(options),
	};
	int status = page_serve(&router.page, err);

	questions_free(router.questions);
	return status;
}
