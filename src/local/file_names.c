#include "local/file_names.h"

#include <string.h>
#include <strings.h>

static const char *const extensions[] = {
	".csv", ".tsv", ".tab", ".psv", ".txt", ".jsonl", ".ndjson"};

#define EXTENSION_COUNT (sizeof(extensions) / sizeof(extensions[0]))
#define ARCHIVE_SUFFIX	".zip"

const char *const file_suffixes[] = {"", ".gz", ".zst", ".bz2", ".xz", ARCHIVE_SUFFIX, NULL};

/* The length of the text before `end`, when it ends so and has something before; else 0. */
static size_t length_before(const char *text, size_t size, const char *end)
{
	size_t end_size = strlen(end);

	if (end_size == 0 || size <= end_size ||
		strncasecmp(text + size - end_size, end, end_size) != 0)
		return 0;
	return size - end_size;
}

static size_t without_suffix(const char *name, const char **suffix)
{
	size_t size = strlen(name);

	*suffix = "";
	for (size_t i = 0; file_suffixes[i]; i++) {
		size_t length = length_before(name, size, file_suffixes[i]);

		if (length > 0) {
			*suffix = file_suffixes[i];
			return length;
		}
	}
	return size;
}

static size_t without_extension(const char *name, size_t size)
{
	for (size_t i = 0; i < EXTENSION_COUNT; i++) {
		size_t length = length_before(name, size, extensions[i]);

		if (length > 0)
			return length;
	}
	return 0;
}

size_t file_name_stem(const char *name)
{
	const char *suffix;
	size_t size = without_suffix(name, &suffix);
	size_t stem = without_extension(name, size);

	return stem == 0 && strcmp(suffix, ARCHIVE_SUFFIX) == 0 ? size : stem;
}

bool file_name_is_text(const char *name)
{
	const char *suffix;
	size_t size = without_suffix(name, &suffix);

	return length_before(name, size, ".txt") > 0;
}

size_t file_name_unpacked(const char *path)
{
	const char *suffix, *member = strcasestr(path, ARCHIVE_SUFFIX "/");

	if (member && without_extension(path, (size_t)(member - path)) > 0)
		return (size_t)(member - path);
	return without_suffix(path, &suffix);
}

bool file_name_has_extension(const char *pattern)
{
	return without_extension(pattern, strlen(pattern)) > 0;
}

const char *file_name_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
