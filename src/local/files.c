#include "local/files.h"
#include "base/memory.h"
#include "csv/infer.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const csv_suffixes[] = {"", ".gz", ".zst"};

#define CSV_SUFFIX_COUNT (sizeof(csv_suffixes) / sizeof(csv_suffixes[0]))

static bool ends_with(const char *text, const char *end)
{
	size_t text_size = strlen(text), end_size = strlen(end);

	return text_size >= end_size && !strcmp(text + text_size - end_size, end);
}

/* Characters that mean something to glob() lose their meaning. */
static char *glob_escape(struct arena *arena, const char *text)
{
	char *escaped = arena_alloc_bytes(arena, 2 * strlen(text) + 1);
	char *next = escaped;

	for (; *text; text++) {
		if (strchr("*?[\\", *text))
			*next++ = '\\';
		*next++ = *text;
	}
	*next = '\0';
	return escaped;
}

static int check_folder(const char *folder, struct error *err)
{
	struct stat info;

	if (stat(folder, &info))
		return error_set(err, ERROR_IO, "%s: %s; give the folder of the data with --data",
			folder, strerror(errno));
	if (!S_ISDIR(info.st_mode))
		return error_set(
			err, ERROR_IO, "%s is a file; --data takes the folder it lies in", folder);
	return 0;
}

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int append_matches(const char *pattern, struct arena *arena, struct file_list *out,
	const char ***paths, struct error *err)
{
	glob_t found;
	int status = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (status == GLOB_NOMATCH)
		return 0;
	if (status != 0)
		return error_set(err, ERROR_IO, "%s: the folder cannot be read", pattern);
	if (out->count + found.gl_pathc > LOCAL_FILES_MAX) {
		globfree(&found);
		return error_set(err, ERROR_LIMIT, "%s matches more than %d files", pattern,
			LOCAL_FILES_MAX);
	}
	*paths = memory_realloc(*paths, (out->count + found.gl_pathc) * sizeof(char *));
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct stat info;

		(*paths)[out->count++] = arena_strdup(arena, found.gl_pathv[i]);
		if (!stat(found.gl_pathv[i], &info))
			out->bytes += (uint64_t)info.st_size;
	}
	globfree(&found);
	return 0;
}

static int match_all(const char *folder, const char *pattern, struct arena *arena,
	struct file_list *out, struct error *err)
{
	size_t suffixes = ends_with(pattern, ".csv") ? CSV_SUFFIX_COUNT : 1;
	const char *escaped = glob_escape(arena, folder);
	const char **paths = NULL;
	int status = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < suffixes && !status; i++) {
		const char *whole =
			arena_printf(arena, "%s/%s%s", escaped, pattern, csv_suffixes[i]);

		status = append_matches(whole, arena, out, &paths, err);
	}
	if (!status && out->count > 0) {
		qsort(paths, out->count, sizeof(char *), compare_paths);
		out->paths = (const char **)arena_alloc(arena, out->count * sizeof(char *));
		memcpy(out->paths, paths, out->count * sizeof(char *));
	}
	free(paths);
	return status;
}

int files_match(const char *folder, const char *pattern, struct arena *arena, struct file_list *out,
	struct error *err)
{
	if (check_folder(folder, err) || match_all(folder, pattern, arena, out, err))
		return -1;
	if (out->count == 0)
		return error_set(err, ERROR_IO,
			"no file matches %s/%s; is --data the right folder?", folder, pattern);
	return 0;
}

int files_measure(struct catalog *catalog, const char *folder, struct error *err)
{
	struct arena arena;
	int status = check_folder(folder, err);

	arena_init(&arena, 16u << 10);
	for (uint32_t t = 0; t < catalog->table_count && !status; t++) {
		struct file_list list;

		status = match_all(folder, catalog->tables[t].files, &arena, &list, err);
		catalog->tables[t].bytes = list.bytes;
	}
	arena_release(&arena);
	return status;
}

/* "users.csv.gz" -> "users"; NULL for what is no CSV file. */
static char *table_name_of_file(struct arena *arena, const char *file)
{
	for (size_t i = 0; i < CSV_SUFFIX_COUNT; i++) {
		const char *suffix = arena_printf(arena, ".csv%s", csv_suffixes[i]);

		if (ends_with(file, suffix) && strlen(file) > strlen(suffix))
			return arena_strndup(arena, file, strlen(file) - strlen(suffix));
	}
	return NULL;
}

static void set_problem(struct table_schema *table, const struct error *err, struct arena *arena)
{
	struct error *problem = arena_alloc(arena, sizeof(*problem));

	*problem = *err;
	table->problem = problem;
}

/* The table of that name, a new one if there is none yet; NULL with ERROR_LIMIT. */
static struct table_schema *table_named(struct catalog *catalog, const char *name,
	const char *pattern, struct arena *arena, struct error *err)
{
	for (uint32_t t = 0; t < catalog->table_count; t++) {
		struct table_schema *table = &catalog->tables[t];

		if (strcmp(table->name, name) != 0)
			continue;
		if (strcmp(table->files, pattern) != 0) {
			error_set(err, ERROR_USAGE,
				"there are two tables named %s (%s and %s); write a schema and use "
				"--schema",
				name, table->files, pattern);
			set_problem(table, err, arena);
		}
		return table;
	}
	if (catalog->table_count == CATALOG_TABLES_MAX) {
		error_set(err, ERROR_LIMIT, "the data folder has more than %d tables; use --schema",
			CATALOG_TABLES_MAX);
		return NULL;
	}
	catalog->tables[catalog->table_count] = (struct table_schema){.name = name,
		.files = pattern,
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	return &catalog->tables[catalog->table_count++];
}

static int add_table(struct catalog *catalog, const char *folder, const struct csv_dialect *dialect,
	const char *name, const char *pattern, struct arena *arena, struct error *err)
{
	struct table_schema *table;
	struct file_list list;

	if (match_all(folder, pattern, arena, &list, err))
		return -1;
	if (list.count == 0)
		return 0; /* a subfolder without CSV files */
	table = table_named(catalog, name, pattern, arena, err);
	if (!table)
		return -1;
	/* It may be there: users.csv and users.csv.gz are one table. */
	if (table->problem || table->column_count > 0)
		return 0;
	table->bytes = list.bytes;
	table->dialect = *dialect;
	if (csv_infer(table, list.paths, list.count, arena, err))
		set_problem(table, err, arena);
	return 0;
}

/* What is named like a CSV file and is none: a folder, a link that leads nowhere. */
static int add_problem(struct catalog *catalog, const char *name, const char *pattern,
	struct arena *arena, struct error *err)
{
	struct error problem = *err;
	struct table_schema *table = table_named(catalog, name, pattern, arena, err);

	if (!table)
		return -1;
	set_problem(table, &problem, arena);
	return 0;
}

static int add_entry(struct catalog *catalog, const char *folder, const struct csv_dialect *dialect,
	const char *entry, struct arena *arena, struct error *err)
{
	const char *path = arena_printf(arena, "%s/%s", folder, entry);
	char *name = table_name_of_file(arena, entry);
	struct stat info = {0};
	int why = stat(path, &info) ? errno : 0;
	const char *pattern;

	if (!name && !S_ISDIR(info.st_mode))
		return 0;
	if (!name)
		return add_table(catalog, folder, dialect, arena_strdup(arena, entry),
			arena_printf(arena, "%s/*.csv", glob_escape(arena, entry)), arena, err);
	pattern = arena_printf(arena, "%s.csv", glob_escape(arena, name));
	if (!why && !S_ISDIR(info.st_mode))
		return add_table(catalog, folder, dialect, name, pattern, arena, err);
	if (why)
		error_set(err, ERROR_IO, "%s: %s", path, strerror(why));
	else
		error_set(err, ERROR_IO,
			"%s is a folder named like a CSV file; rename it or use --schema", path);
	return add_problem(catalog, name, pattern, arena, err);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int files_infer_columns(
	struct catalog *catalog, const char *folder, struct arena *arena, struct error *err)
{
	for (uint32_t t = 0; t < catalog->table_count; t++) {
		struct table_schema *table = &catalog->tables[t];
		struct file_list list;

		if (table->column_count > 0)
			continue;
		if (!folder)
			return error_set(err, ERROR_USAGE,
				"table %s has no columns in the schema: give --data to take them "
				"from its files",
				table->name);
		if (files_match(folder, table->files, arena, &list, err) ||
			csv_infer(table, list.paths, list.count, arena, err))
			set_problem(table, err, arena);
	}
	return 0;
}

int files_infer_catalog(const char *folder, const struct csv_dialect *dialect, struct arena *arena,
	struct catalog *out, struct error *err)
{
	struct dirent **entries;
	int count, status = 0;

	if (check_folder(folder, err))
		return -1;
	count = scandir(folder, &entries, visible, alphasort);
	if (count < 0)
		return error_set(err, ERROR_IO, "%s: %s", folder, strerror(errno));
	out->table_count = 0;
	out->tables = arena_zalloc(arena, CATALOG_TABLES_MAX * sizeof(struct table_schema));
	for (int i = 0; i < count; i++) {
		if (!status)
			status = add_entry(out, folder, dialect, entries[i]->d_name, arena, err);
		free(entries[i]);
	}
	free(entries);
	return status;
}
