#include "cli/dialect_options.h"

int dialect_options_read(const struct dialect_options *options, struct arena *arena,
	struct csv_dialect *dialect, struct error *err)
{
	const struct {
		const char *name, *value;
	} given[] = {
		{"delimiter", options->delimiter},
		{"quote", options->quote},
		{"escape", options->escape},
		{"header", options->header},
		{"skip", options->skip},
		{"comment", options->comment},
		{"footer", options->footer},
		{"encoding", options->encoding},
		{"null", options->null},
		{"decimal", options->decimal},
		{"thousands", options->thousands},
		{"date_format", options->date_format},
		{"ragged", options->ragged},
		{"columns", options->columns},
	};

	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		if (given[i].value &&
			csv_dialect_set(dialect, given[i].name, given[i].value, arena, err))
			return error_prefix(err, "--");
	if (csv_dialect_check(dialect, err))
		return error_prefix(err, "--");
	return 0;
}
