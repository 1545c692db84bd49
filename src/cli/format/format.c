#include "cli/format/format.h"

#include "cli/format/json_value.h"
#include "cli/print/compress.h"
#include <string.h>
#include <strings.h>

const char *const format_names[] = {"table", "box", "ascii", "csv", "tsv", "json", "jsonl", "md",
	"html", "vertical", "latex", "chart", "svg", NULL};

/* "box" is the table. */
static const struct format_ops *const all[] = {&format_table, &format_ascii, &format_csv,
	&format_tsv, &format_json, &format_jsonl, &format_md, &format_html, &format_vertical,
	&format_latex, &format_chart, &format_svg};

#define FORMAT_COUNT (sizeof(all) / sizeof(all[0]))

/* Extensions beside the formats' own. */
static const struct {
	const char *extension;
	const struct format_ops *format;
} other_extensions[] = {
	{"tab", &format_tsv},
	{"ndjson", &format_jsonl},
	{"markdown", &format_md},
	{"htm", &format_html},
};

const struct format_ops *format_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(all[i]->name, name) == 0)
			return all[i];
	}
	return &format_table;
}

static const struct format_ops *find_extension(const char *text, size_t size)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		/* What is drawn is for people: there is no extension for it. */
		if (strcmp(all[i]->extension, "txt") != 0 && strlen(all[i]->extension) == size &&
			strncasecmp(all[i]->extension, text, size) == 0)
			return all[i];
	}
	for (size_t i = 0; i < sizeof(other_extensions) / sizeof(other_extensions[0]); i++) {
		if (strlen(other_extensions[i].extension) == size &&
			strncasecmp(other_extensions[i].extension, text, size) == 0)
			return other_extensions[i].format;
	}
	return NULL;
}

int format_of_file(
	const struct format_ops **out, const char *path, const char *name, struct error *err)
{
	const char *slash = strrchr(path, '/');
	const char *start = slash ? slash + 1 : path;
	const char *suffix = compress_suffix(path);
	size_t size = strlen(start) - (suffix ? strlen(suffix) : 0);
	const char *dot = size ? memrchr(start, '.', size) : NULL;
	const struct format_ops *found = NULL;
	size_t length = dot ? size - (size_t)(dot + 1 - start) : 0;

	/* A name that starts with its only dot is hidden, and has no extension. */
	if (dot && dot > start)
		found = find_extension(dot + 1, length);
	*out = name ? format_find(name) : found ? found : &format_csv;
	if (name && found && *out != found)
		return error_set(err, ERROR_USAGE,
			"%s would be %s, but --format says %s: rename the file or leave out "
			"--format",
			path, found->name, name);
	if (!name && !found && dot && dot > start)
		return error_set(err, ERROR_USAGE,
			"%s: unknown extension .%.*s; use .csv, .tsv, .json, .jsonl, "
			".md, .html, .tex or .svg, with .gz or .zst behind it to compress, or say "
			"--format",
			path, (int)length, dot + 1);
	return 0;
}

void format_value(const struct value *value, struct buf *out)
{
	if (type_is_array(value->type.kind) && !value->is_null)
		json_append_value(out, value);
	else
		value_format(value, out);
}
