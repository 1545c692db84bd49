#include "cli/request/pack.h"

#include "base/file.h"
#include "base/suggest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define QUERY_SUFFIX ".sql"

int pack_read_file(const char *path, struct arena *arena, char **out, struct error *err)
{
	bool standard_input = strcmp(path, "-") == 0;
	const char *name = standard_input ? "the standard input" : path;
	int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct buf text;
	int status = 0;

	if (fd < 0)
		return error_set(err, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno));
	buf_init(&text, PACK_FILE_BYTES_MAX);
	if (file_read_rest(fd, &text))
		status = error_set(err, ERROR_USAGE, "cannot read %s: %s", name, strerror(errno));
	else if (buf_overflowed(&text))
		status = error_set(
			err, ERROR_USAGE, "%s is longer than %u bytes", name, PACK_FILE_BYTES_MAX);
	else if (text.size && memchr(text.data, 0, text.size))
		status = error_set(err, ERROR_USAGE, "%s is not a text file", name);
	else
		*out = arena_strndup(arena, text.size ? text.data : "", text.size);
	buf_release(&text);
	if (!standard_input)
		close(fd);
	return status;
}

/* The first comment line, without its dashes; "" when the text starts otherwise. */
static const char *query_title(const char *text, struct arena *arena)
{
	size_t size;

	text += strspn(text, " \t\r\n");
	if (strncmp(text, "--", 2) != 0)
		return "";
	text += strspn(text, "-");
	text += strspn(text, " \t");
	size = strcspn(text, "\r\n");
	while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	return arena_strndup(arena, text, size);
}

static void load_embedded(
	const struct embedded_pack *embedded, struct arena *arena, struct pack *out)
{
	out->name = embedded->name;
	out->schema_origin = arena_printf(arena, "%s/schema.sql", embedded->name);
	out->schema = embedded->schema;
	out->query_count = embedded->query_count;
	out->queries = arena_alloc(arena, embedded->query_count * sizeof(*out->queries));
	for (uint32_t i = 0; i < embedded->query_count; i++)
		out->queries[i] = (struct sql_text){.name = embedded->queries[i].name,
			.title = query_title(embedded->queries[i].text, arena),
			.text = embedded->queries[i].text};
}

/* Numbers inside of names count as numbers: q2 before q10. */
static int compare_names(const void *a, const void *b)
{
	const struct sql_text *left = a;
	const struct sql_text *right = b;

	return strverscmp(left->name, right->name);
}

static bool is_query_file(const char *name)
{
	size_t size = strlen(name);
	size_t suffix = strlen(QUERY_SUFFIX);

	return name[0] != '.' && size > suffix && strcmp(name + size - suffix, QUERY_SUFFIX) == 0;
}

static int load_queries(
	const char *folder, struct arena *arena, struct pack *out, struct error *err)
{
	const char *queries = arena_printf(arena, "%s/queries", folder);
	DIR *dir = opendir(queries);
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return error_set(err, ERROR_USAGE, "cannot open %s: %s", queries, strerror(errno));
	out->query_count = 0;
	out->queries = arena_alloc(arena, PLAN_QUERIES_MAX * sizeof(*out->queries));
	while (status == 0 && (entry = readdir(dir))) {
		struct sql_text *query = &out->queries[out->query_count];
		char *text;

		if (!is_query_file(entry->d_name))
			continue;
		if (out->query_count == PLAN_QUERIES_MAX) {
			status = error_set(err, ERROR_USAGE, "%s holds more than %d queries",
				queries, PLAN_QUERIES_MAX);
			break;
		}
		status = pack_read_file(
			arena_printf(arena, "%s/%s", queries, entry->d_name), arena, &text, err);
		if (status)
			break;
		query->name = arena_strndup(
			arena, entry->d_name, strlen(entry->d_name) - strlen(QUERY_SUFFIX));
		query->title = query_title(text, arena);
		query->text = text;
		out->query_count++;
	}
	closedir(dir);
	if (status == 0 && out->query_count == 0)
		return error_set(
			err, ERROR_USAGE, "%s has no .sql files: add one per query", queries);
	if (status == 0)
		qsort(out->queries, out->query_count, sizeof(*out->queries), compare_names);
	return status;
}

static int load_folder(const char *folder, struct arena *arena, struct pack *out, struct error *err)
{
	char *schema;

	out->name = arena_strdup(arena, folder);
	out->schema_origin = arena_printf(arena, "%s/schema.sql", folder);
	if (pack_read_file(out->schema_origin, arena, &schema, err))
		return -1;
	out->schema = schema;
	return load_queries(folder, arena, out, err);
}

static int unknown_pack(const char *name, struct error *err)
{
	const char *names[OPTION_LIST_MAX + 1];
	const char *nearest;
	uint32_t count = 0;

	for (; count < embedded_pack_count && count < OPTION_LIST_MAX; count++)
		names[count] = embedded_packs[count].name;
	names[count] = NULL;
	nearest = suggest_nearest(name, names);
	if (nearest)
		return error_set(err, ERROR_USAGE, "there is no pack \"%s\": did you mean \"%s\"?",
			name, nearest);
	return error_set(err, ERROR_USAGE,
		"there is no pack and no folder \"%s\": tamiz packs lists the packs", name);
}

int pack_load(const char *name, struct arena *arena, struct pack *out, struct error *err)
{
	struct stat info;

	for (uint32_t i = 0; i < embedded_pack_count; i++) {
		if (strcmp(embedded_packs[i].name, name) == 0) {
			load_embedded(&embedded_packs[i], arena, out);
			return 0;
		}
	}
	if (stat(name, &info))
		return unknown_pack(name, err);
	if (!S_ISDIR(info.st_mode))
		return error_set(err, ERROR_USAGE,
			"%s is a file: a pack is a folder with schema.sql and queries/*.sql", name);
	return load_folder(name, arena, out, err);
}

static bool contains(const struct option_list *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++) {
		if (strcmp(names->items[i], name) == 0)
			return true;
	}
	return false;
}

static int check_names(const struct pack *pack, const struct option_list *names, struct error *err)
{
	const char *known[PLAN_QUERIES_MAX + 1];
	char list[256] = "";
	size_t used = 0;

	for (uint32_t i = 0; i < pack->query_count; i++) {
		const char *name = pack->queries[i].name;
		size_t size = strlen(name);

		known[i] = name;
		if (used + size + 3 < sizeof(list)) {
			if (used) {
				memcpy(list + used, ", ", 2);
				used += 2;
			}
			memcpy(list + used, name, size + 1);
			used += size;
		}
	}
	known[pack->query_count] = NULL;
	for (uint32_t i = 0; i < names->count; i++) {
		bool found = false;

		for (uint32_t j = 0; known[j]; j++)
			found = found || strcmp(known[j], names->items[i]) == 0;
		if (!found)
			return error_set(err, ERROR_USAGE,
				"the pack %s has no query \"%s\": it has %s", pack->name,
				names->items[i], list);
	}
	return 0;
}

int pack_select(struct pack *pack, const struct option_list *names, struct error *err)
{
	uint32_t kept = 0;

	if (names->count == 0)
		return 0;
	if (check_names(pack, names, err))
		return -1;
	for (uint32_t i = 0; i < pack->query_count; i++) {
		if (contains(names, pack->queries[i].name))
			pack->queries[kept++] = pack->queries[i];
	}
	pack->query_count = kept;
	return 0;
}
