#include "local/files.h"

#include "base/memory.h"
#include "csv/constants.h"
#include "csv/infer.h"
#include "csv/sample.h"
#include "input/archive.h"
#include "local/file_names.h"
#include "local/known_tables.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PARTITIONS "*=*/" /* folders that give a column */

/* --- a list of files while it grows --------------------------------------------------------------
 */

struct found_file {
	const char *path;
	uint64_t bytes;
	bool implied; /* nobody wrote down its extension: "*.csv" finds a.csv.gz as well */
};

struct search {
	struct arena *arena;
	struct error *err;
	struct found_file *files;
	uint32_t count;
	uint32_t capacity;
	bool implied; /* what is found now */
};

static int add_file(struct search *search, const char *path, uint64_t bytes)
{
	if (search->count == LOCAL_FILES_MAX)
		return error_set(search->err, ERROR_LIMIT,
			"more than %d files for one table, %s among them", LOCAL_FILES_MAX, path);
	if (search->count == search->capacity) {
		search->capacity = search->capacity ? 2 * search->capacity : 16;
		search->files =
			memory_realloc(search->files, search->capacity * sizeof(*search->files));
	}
	search->files[search->count++] = (struct found_file){path, bytes, search->implied};
	return 0;
}

static int compare_files(const void *a, const void *b)
{
	return strcmp(((const struct found_file *)a)->path, ((const struct found_file *)b)->path);
}

static int refuse_twins(const char *path, const char *twin, struct error *err)
{
	return error_set(err, ERROR_DATA,
		"%s and %s: one may be the other in another packing, and its rows would count "
		"twice; take one of them away, or write the path of the one that is meant, or of "
		"both: '%.*s*'",
		path, twin, (int)file_name_unpacked(path), path);
}

/* A file that nobody named lies beside itself, packed: t.csv and t.csv.gz, t.csv.gz and t.csv.zst. */
static int check_twins(struct search *search)
{
	if (search->count > 0)
		qsort(search->files, search->count, sizeof(*search->files), compare_files);
	for (uint32_t i = 0; i < search->count; i++) {
		const char *path = search->files[i].path;

		for (size_t k = 0; file_suffixes[k] && search->files[i].implied; k++) {
			struct found_file other = {
				.path = arena_printf(search->arena, "%.*s%s",
					(int)file_name_unpacked(path), path, file_suffixes[k])};

			if (strcmp(other.path, path) != 0 &&
				bsearch(&other, search->files, search->count, sizeof(other),
					compare_files))
				return refuse_twins(other.path, path, search->err);
		}
	}
	return 0;
}

/* Sorts what was found, each file once, and ends the search. */
static void take_list(struct search *search, struct file_list *out)
{
	*out = (struct file_list){0};
	if (search->count > 0)
		qsort(search->files, search->count, sizeof(*search->files), compare_files);
	out->paths =
		(const char **)arena_alloc(search->arena, (search->count + 1) * sizeof(char *));
	for (uint32_t i = 0; i < search->count; i++) {
		if (out->count > 0 &&
			strcmp(out->paths[out->count - 1], search->files[i].path) == 0)
			continue;
		out->paths[out->count++] = search->files[i].path;
		out->bytes += search->files[i].bytes;
	}
	free(search->files);
	search->files = NULL;
}

/* --- what a path stands for ----------------------------------------------------------------------
 */

/* Those since `first` that end in .txt go, if there are others. */
static void drop_texts(struct search *search, uint32_t first)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < search->count; i++)
		if (!file_name_is_text(search->files[i].path))
			search->files[kept++] = search->files[i];
	if (kept > first)
		search->count = kept;
}

/* Files that an archive or a system has put there for itself. */
static bool is_hidden(const char *name)
{
	return file_name_base(name)[0] == '.' || strncmp(name, "__MACOSX/", 9) == 0;
}

/*
 * The files of an archive whose names match `pattern`; NULL: those that look like a table's. A
 * single file is one, whatever its name.
 */
static int add_members(struct search *search, const char *archive, const char *pattern)
{
	uint32_t first = search->count, others = 0;
	const struct archive_member *only = NULL;
	struct archive_list list;
	int status = 0;

	if (archive_list(archive, search->arena, &list, search->err))
		return -1;
	for (uint32_t i = 0; i < list.count && !status; i++) {
		const struct archive_member *member = &list.members[i];
		bool wanted = pattern ? fnmatch(pattern, member->name, FNM_PATHNAME) == 0
				      : file_name_stem(file_name_base(member->name)) > 0 &&
						!archive_is_name(member->name);

		if (is_hidden(member->name))
			continue;
		others++;
		only = member;
		if (wanted)
			status = add_file(search,
				arena_printf(search->arena, "%s/%s", archive, member->name),
				member->bytes);
	}
	if (!status && !pattern && search->count == first && others == 1)
		return add_file(search, arena_printf(search->arena, "%s/%s", archive, only->name),
			only->bytes);
	if (!pattern)
		drop_texts(search, first);
	return status;
}

static int add_path(struct search *search, const char *path);

/* The files of a folder, those of archives and of partitions (year=2024) in it too. */
static int add_folder(struct search *search, const char *folder)
{
	uint32_t first = search->count;
	bool implied = search->implied;
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int status = 0;

	if (!dir)
		return error_set(search->err, ERROR_IO, "%s: %s", folder, strerror(errno));
	search->implied = true;
	while (!status && (entry = readdir(dir))) {
		const char *path;
		struct stat info;

		bool partition = csv_is_partition(entry->d_name, strlen(entry->d_name));

		if (entry->d_name[0] == '.' || (!partition && file_name_stem(entry->d_name) == 0))
			continue;
		path = arena_printf(search->arena, "%s/%s", folder, entry->d_name);
		if (stat(path, &info))
			continue;
		if (S_ISDIR(info.st_mode) ? partition : file_name_stem(entry->d_name) > 0)
			status = add_path(search, path);
	}
	closedir(dir);
	search->implied = implied;
	drop_texts(search, first);
	return status;
}

static int add_path(struct search *search, const char *path)
{
	struct stat info = {0};
	bool exists = stat(path, &info) == 0;

	/* A folder named like a file is a mistake, which whoever opens it tells. */
	if (exists && S_ISDIR(info.st_mode) && file_name_stem(file_name_base(path)) == 0)
		return add_folder(search, path);
	if (exists && S_ISREG(info.st_mode) && archive_is_name(path))
		return add_members(search, path, NULL);
	return add_file(
		search, arena_strdup(search->arena, path), exists ? (uint64_t)info.st_size : 0);
}

/* --- patterns ------------------------------------------------------------------------------------
 */

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

/* What a pattern on the disk matches; in archives, when `inside` is not NULL, the files that match it. */
static int glob_paths(struct search *search, const char *pattern, const char *inside)
{
	glob_t found;
	int status = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (status == GLOB_NOMATCH)
		return 0;
	if (status != 0)
		return error_set(search->err, ERROR_IO, "%s: the folder cannot be read", pattern);
	for (size_t i = 0; i < found.gl_pathc && !status; i++) {
		size_t size = strlen(found.gl_pathv[i]);
		const char *path;

		size -= size > 1 && found.gl_pathv[i][size - 1] == '/';
		path = arena_strndup(search->arena, found.gl_pathv[i], size);
		status = inside ? add_members(search, path, inside) : add_path(search, path);
	}
	globfree(&found);
	return status;
}

/* The part of a pattern that is inside of an archive, behind .zip/; NULL when there is none. */
static const char *inside_archive(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '/')); at++)
		if (at - pattern > 4 && strncasecmp(at - 4, ".zip", 4) == 0 && at[1] != '\0')
			return at + 1;
	return NULL;
}

/* What is written out is that and nothing else, whatever its name would match as a pattern. */
static bool is_there(const char *path)
{
	struct stat info;

	return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

static int match_on_disk(struct search *search, const char *place, const char *pattern)
{
	const char *base =
		*place ? arena_printf(search->arena, "%s/", glob_escape(search->arena, place)) : "";
	const char *path = *place ? arena_printf(search->arena, "%s/%s", place, pattern) : pattern;
	bool more = file_name_has_extension(pattern);
	const char *inside = inside_archive(pattern);
	int status = 0;

	if (is_there(path))
		return add_path(search, path);
	for (size_t i = 0; file_suffixes[i] && !status && (i == 0 || more); i++) {
		const char *whole = arena_printf(
			search->arena, "%s%s%s", base, pattern, inside ? "" : file_suffixes[i]);

		if (inside) {
			size_t size = strlen(base) + (size_t)(inside - pattern) - 1;

			whole = arena_strndup(search->arena, whole, size);
		}
		search->implied = i > 0;
		status = glob_paths(search, whole,
			inside ? arena_printf(search->arena, "%s%s", inside, file_suffixes[i])
			       : NULL);
	}
	search->implied = false;
	return status ? status : check_twins(search);
}

/* A file or an archive in place of the data folder. */
static int match_place(
	struct search *search, const char *place, uint64_t bytes, const char *pattern)
{
	const char *tail = place + strlen(place);
	uint32_t slashes = 0;

	if (archive_is_name(place))
		return add_members(search, place, pattern);
	/* As much of the place as the pattern has parts. */
	for (const char *at = pattern; (at = strchr(at, '/')); at++)
		slashes++;
	while (tail > place && (tail[-1] != '/' || slashes-- > 0))
		tail--;
	if (fnmatch(pattern, tail, FNM_PATHNAME) == 0)
		return add_file(search, place, bytes);
	return 0;
}

static int match_in(struct search *search, const char *place, const char *pattern)
{
	struct stat info = {0};

	if (strcmp(place, FILES_STDIN) == 0)
		return 0;
	if (stat(place, &info))
		return error_set(search->err, ERROR_IO,
			"%s: %s; say with --data where the files are", place, strerror(errno));
	if (!S_ISDIR(info.st_mode))
		return match_place(search, place, (uint64_t)info.st_size, pattern);
	return match_on_disk(search, strcmp(place, ".") == 0 ? "" : place, pattern);
}

static int match_all(const struct data_places *data, const char *pattern, struct arena *arena,
	struct file_list *out, struct error *err)
{
	struct search search = {.arena = arena, .err = err};
	int status = 0;

	if (strcmp(pattern, FILES_STDIN) == 0)
		status = add_file(&search, FILES_STDIN, 0);
	else if (pattern[0] == '/')
		status = match_on_disk(&search, "", pattern);
	else
		for (uint32_t i = 0; i < data->count && !status; i++)
			status = match_in(&search, data->paths[i], pattern);
	take_list(&search, out);
	return status;
}

int files_match(const struct data_places *data, const char *pattern, struct arena *arena,
	struct file_list *out, struct error *err)
{
	if (match_all(data, pattern, arena, out, err))
		return -1;
	if (out->count > 0)
		return 0;
	if (pattern[0] == '/' || data->count == 0)
		return error_set(err, ERROR_IO, "no file matches %s", pattern);
	return error_set(err, ERROR_IO,
		"no file matches %s%s%s%s; does --data say the right place?", data->paths[0],
		data->paths[0][strlen(data->paths[0]) - 1] == '/' ? "" : "/", pattern,
		data->count > 1 ? ", nor in the other places" : "");
}

int files_measure(struct catalog *catalog, const bool *wanted, const struct data_places *data,
	struct error *err)
{
	struct arena arena;
	int status = 0;

	arena_init(&arena, 16u << 10);
	for (uint32_t t = 0; t < catalog->table_count && !status; t++) {
		struct file_list list;

		if (!wanted[t])
			continue;
		status = match_all(data, catalog->tables[t].files, &arena, &list, err);
		catalog->tables[t].bytes = list.bytes;
	}
	arena_release(&arena);
	return status;
}

/* --- tables without a schema ---------------------------------------------------------------------
 */

static void set_problem(struct table_schema *table, const struct error *err, struct arena *arena)
{
	struct error *problem = arena_alloc(arena, sizeof(*problem));

	*problem = *err;
	table->problem = problem;
}

int files_infer_table(struct table_schema *table, const struct data_places *data,
	struct arena *arena, struct error *err)
{
	struct file_list list;

	if (files_match(data, table->files, arena, &list, err))
		return -1;
	table->bytes = list.bytes;
	return data->known
		       ? known_tables_infer(data->known, table, list.paths, list.count, arena, err)
		       : csv_infer(table, list.paths, list.count, arena, err);
}

int files_widen_table(struct table_schema *table, const struct data_places *data, uint32_t width,
	uint32_t fields, struct arena *arena, struct error *err)
{
	const struct table_schema before = *table;

	assert(table->inferred);
	if (csv_infer_width(table, width, fields, arena, err) ||
		files_infer_table(table, data, arena, err))
		return -1;
	table->statistics = NULL;
	for (uint32_t c = 0; c < before.column_count; c++) {
		uint32_t at = table_find_column(table, before.columns[c].name);

		if (at < table->column_count)
			table->columns[at] = before.columns[c];
	}
	return 0;
}

/* A catalog while it is made. */
struct catalog_maker {
	struct catalog *catalog;
	const struct data_places *data;
	const struct csv_dialect *dialect;
	const struct table_names *wanted;
	uint32_t others_room;
	struct arena *arena;
	struct error *err;
};

/* Whether somebody names the table. Otherwise its name is noted. */
static bool is_wanted(struct catalog_maker *m, const char *name)
{
	struct catalog *catalog = m->catalog;

	for (uint32_t i = 0; m->wanted && i < m->wanted->count; i++)
		if (strcasecmp(m->wanted->names[i], name) == 0)
			return true;
	if (!m->wanted)
		return true;
	if (catalog->other_count == m->others_room) {
		const char **old = catalog->others;

		m->others_room = m->others_room ? 2 * m->others_room : 64;
		catalog->others =
			(const char **)arena_alloc(m->arena, m->others_room * sizeof(char *));
		if (old)
			memcpy((void *)catalog->others, (const void *)old,
				catalog->other_count * sizeof(char *));
	}
	catalog->others[catalog->other_count++] = name;
	return false;
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
		error_set(err, ERROR_LIMIT, "more than %d tables at once", CATALOG_TABLES_MAX);
		return NULL;
	}
	catalog->tables[catalog->table_count] = (struct table_schema){.name = name,
		.files = pattern,
		.dialect = csv_dialect_default(),
		.format = csv_format_default()};
	return &catalog->tables[catalog->table_count++];
}

static int add_table(struct catalog_maker *m, const char *name, const char *pattern)
{
	struct table_schema *table;

	if (!is_wanted(m, name))
		return 0;
	table = table_named(m->catalog, name, pattern, m->arena, m->err);
	if (!table)
		return -1;
	/* It may be there: of another place. */
	if (table->problem || table->column_count > 0)
		return 0;
	table->dialect = *m->dialect;
	if (files_infer_table(table, m->data, m->arena, m->err))
		set_problem(table, m->err, m->arena);
	return 0;
}

/* What is named like a table's file and is none: a folder, a link that leads nowhere. */
static int add_problem(struct catalog_maker *m, const char *name, const char *pattern)
{
	struct error problem = *m->err;
	struct table_schema *table = table_named(m->catalog, name, pattern, m->arena, m->err);

	if (!table)
		return -1;
	set_problem(table, &problem, m->arena);
	return 0;
}

/* What lies beside the file under the same name, packed otherwise; NULL: nothing does. */
static const char *twin_of(const char *path, struct arena *arena)
{
	for (size_t i = 0; file_suffixes[i]; i++) {
		const char *other = arena_printf(
			arena, "%.*s%s", (int)file_name_unpacked(path), path, file_suffixes[i]);

		if (strcmp(other, path) != 0 && is_there(other))
			return other;
	}
	return NULL;
}

/*
 * The pattern of a file's name without its suffix: all files of that name are one table. A suffix in
 * capital letters stays: patterns tell them apart.
 */
static const char *pattern_of(const char *name, struct arena *arena)
{
	size_t size = strlen(name);

	for (size_t i = 1; file_suffixes[i]; i++) {
		size_t suffix = strlen(file_suffixes[i]);
		char *shorter;

		if (size <= suffix || strcmp(name + size - suffix, file_suffixes[i]) != 0)
			continue;
		shorter = arena_strndup(arena, name, size - suffix);
		return glob_escape(arena, file_name_has_extension(shorter) ? shorter : name);
	}
	return glob_escape(arena, name);
}

/* Partitions right in the data folder are one table, named like the folder. */
static int add_partitions(struct catalog_maker *m, const char *folder)
{
	char *whole = realpath(folder, NULL);
	const char *name = file_name_base(whole ? whole : folder);
	int status = add_table(m, arena_strdup(m->arena, *name ? name : "data"), PARTITIONS);

	free(whole);
	return status;
}

static int add_entry(
	struct catalog_maker *m, const char *folder, const struct dirent *dirent, bool texts)
{
	struct arena *arena = m->arena;
	const char *entry = dirent->d_name;
	const char *path = arena_printf(arena, "%s/%s", folder, entry);
	size_t stem = file_name_stem(entry);
	const char *name = arena_strndup(arena, entry, stem ? stem : strlen(entry));
	bool is_partition = csv_is_partition(entry, strlen(entry));
	struct stat info = {0};
	const char *pattern;
	int why;

	if (file_name_is_text(entry) && !texts)
		return 0;
	/* There may be very many files, and most of them are nobody's business. */
	if (!is_partition && stem == 0 && dirent->d_type == DT_REG)
		return 0;
	if (!is_partition && !is_wanted(m, name))
		return 0;
	why = stat(path, &info) ? errno : 0;
	pattern = pattern_of(entry, arena);
	if (stem == 0 && !S_ISDIR(info.st_mode))
		return 0;
	if (S_ISDIR(info.st_mode) && is_partition)
		return add_partitions(m, folder);
	if (stem == 0) {
		struct search search = {.arena = arena, .err = m->err};
		struct file_list list;
		int status = add_folder(&search, path);

		take_list(&search, &list);
		return status || list.count == 0 ? status : add_table(m, name, pattern);
	}
	if (!why && !S_ISDIR(info.st_mode)) {
		const char *twin = twin_of(path, arena);

		if (!twin)
			return add_table(m, name, pattern);
		refuse_twins(path, twin, m->err);
	} else if (why)
		error_set(m->err, ERROR_IO, "%s: %s", path, strerror(why));
	else
		error_set(m->err, ERROR_IO,
			"%s is a folder named like a CSV file; rename it or use --schema", path);
	return add_problem(m, name, pattern);
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int files_infer_columns(struct catalog *catalog, const bool *wanted, const struct data_places *data,
	struct arena *arena, struct error *err)
{
	for (uint32_t t = 0; t < catalog->table_count; t++) {
		struct table_schema *table = &catalog->tables[t];

		if (table->column_count > 0 || !wanted[t])
			continue;
		if (data->count == 0)
			return error_set(err, ERROR_USAGE,
				"table %s has no columns in the schema: give --data to take them "
				"from its files",
				table->name);
		if (files_infer_table(table, data, arena, err))
			set_problem(table, err, arena);
	}
	return 0;
}

static int infer_folder(struct catalog_maker *m, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, visible, alphasort), status = 0;
	bool texts = true;

	if (count < 0)
		return error_set(m->err, ERROR_IO, "%s: %s", folder, strerror(errno));
	for (int i = 0; i < count; i++)
		texts = texts && (file_name_stem(entries[i]->d_name) == 0 ||
					 file_name_is_text(entries[i]->d_name));
	for (int i = 0; i < count; i++) {
		if (!status)
			status = add_entry(m, folder, entries[i], texts);
		free(entries[i]);
	}
	free(entries);
	return status;
}

/* A file is a table with its name, without what follows it. */
static int infer_file(struct catalog_maker *m, const char *path, const char *pattern)
{
	const char *base = file_name_base(path);
	size_t stem = file_name_stem(base);

	return add_table(m, arena_strndup(m->arena, base, stem ? stem : strlen(base)),
		glob_escape(m->arena, pattern));
}

/* Every file of an archive is a table. */
static int infer_archive(struct catalog_maker *m, const char *archive)
{
	struct search search = {.arena = m->arena, .err = m->err};
	struct file_list list;
	int status = add_members(&search, archive, NULL);

	take_list(&search, &list);
	for (uint32_t i = 0; i < list.count && !status; i++)
		status = infer_file(m, list.paths[i], list.paths[i] + strlen(archive) + 1);
	return status;
}

static int infer_place(struct catalog_maker *m, const char *place)
{
	struct stat info;

	if (strcmp(place, FILES_STDIN) == 0)
		return add_table(m, "stdin", FILES_STDIN);
	if (stat(place, &info))
		return error_set(m->err, ERROR_IO, "%s: %s; say with --data where the files are",
			place, strerror(errno));
	if (S_ISDIR(info.st_mode))
		return infer_folder(m, place);
	if (archive_is_name(place))
		return infer_archive(m, place);
	return infer_file(m, place, file_name_base(place));
}

int files_infer_catalog(const struct data_places *data, const struct csv_dialect *dialect,
	const struct table_names *wanted, struct arena *arena, struct catalog *out,
	struct error *err)
{
	struct catalog_maker maker = {out, data, dialect, wanted, 0, arena, err};

	*out = (struct catalog){0};
	out->tables = arena_zalloc(arena, CATALOG_TABLES_MAX * sizeof(struct table_schema));
	for (uint32_t i = 0; i < data->count; i++)
		if (infer_place(&maker, data->paths[i]))
			return -1;
	return 0;
}

/* --- what is in them -----------------------------------------------------------------------------
 */

struct file_statistics {
	struct statistics_source source; /* first: gather() gets back from it */
	struct data_places data;
	struct arena *arena;
};

static const struct table_statistics *gather_statistics(const struct statistics_source *source,
	const struct table_schema *table, const bool *wanted)
{
	const struct file_statistics *files = (const struct file_statistics *)source;
	struct file_list list;
	struct error ignored;

	/* Whoever reads the table will say what is wrong with it. */
	if (table->problem || table->kept || table->bytes == 0 ||
		files_match(&files->data, table->files, files->arena, &list, &ignored))
		return NULL;
	return csv_sample(table, list.paths, list.count, wanted, files->arena);
}

void files_offer_statistics(
	struct catalog *catalog, const struct data_places *data, struct arena *arena)
{
	struct file_statistics *files = arena_alloc(arena, sizeof(*files));

	*files = (struct file_statistics){{gather_statistics}, *data, arena};
	catalog->statistics = &files->source;
}
