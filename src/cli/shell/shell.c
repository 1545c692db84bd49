#include "cli/shell/shell_private.h"

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/print/output.h"
#include "local/column_cache.h"
#include "local/known_tables.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define ARENA_BLOCK_BYTES (64u << 10)

static const char *const current_folder[] = {"."};

static bool is_variable_name(const char *name, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		char c = name[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			    (c >= '0' && c <= '9') || (unsigned char)c >= 0x80))
			return false;
	}
	return size > 0;
}

static struct shell_variable *find_variable(
	const struct shell *shell, const char *name, size_t size)
{
	struct shell_variable *variable = shell->variables;

	while (variable && (strncmp(variable->name, name, size) != 0 || variable->name[size]))
		variable = variable->next;
	return variable;
}

const char *shell_variable(void *shell, const char *name, size_t size)
{
	const struct shell_variable *variable = find_variable(shell, name, size);

	return variable ? variable->value : NULL;
}

int shell_set_variable(struct shell *shell, const char *name, const char *value, struct error *err)
{
	struct shell_variable *variable = find_variable(shell, name, strlen(name));

	if (!is_variable_name(name, strlen(name)))
		return error_set(err, ERROR_USAGE,
			"\"%.80s\" is no name of a variable: it has letters, digits and _", name);
	if (!variable) {
		variable = arena_alloc(&shell->arena, sizeof(*variable));
		*variable = (struct shell_variable){
			.name = arena_strdup(&shell->arena, name), .next = shell->variables};
		shell->variables = variable;
	}
	variable->value = arena_strdup(&shell->arena, value);
	return 0;
}

static int take_variables(struct shell *shell, struct error *err)
{
	const struct option_list *list = &shell->options->variables;

	for (uint32_t i = 0; i < list->count; i++) {
		const char *equals = strchr(list->items[i], '=');
		const char *name;

		if (!equals)
			return error_set(err, ERROR_USAGE,
				"--variable %s: give a name and a value, as in -v year=2024",
				list->items[i]);
		name = arena_strndup(
			&shell->arena, list->items[i], (size_t)(equals - list->items[i]));
		if (shell_set_variable(shell, name, equals + 1, err))
			return -1;
	}
	return 0;
}

void shell_unset_variable(struct shell *shell, const char *name)
{
	struct shell_variable **at = &shell->variables;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	if (*at)
		*at = (*at)->next;
}

int shell_init(struct shell *shell, const struct shell_options *options, struct error *err)
{
	*shell = (struct shell){.options = options,
		.settings = options->settings,
		.data = catalog_places(&options->data),
		.output = -1,
		.spool = -1};
	buf_init(&shell->last, SHELL_TEXT_MAX);
	if (shell->data.count == 0)
		shell->data = (struct data_places){1, current_folder, NULL};
	arena_init(&shell->arena, ARENA_BLOCK_BYTES);
	shell->views = sql_views_new(&shell->arena);
	shell->own = arena_zalloc(&shell->arena, CATALOG_TABLES_MAX * sizeof(*shell->own));
	return take_variables(shell, err);
}

void shell_release(struct shell *shell)
{
	struct shell_table *table = shell->tables;

	for (; table; table = table->next)
		kept_rows_release(&table->rows);
	column_cache_free(shell->cache);
	known_tables_free(shell->data.known);
	output_redirect(shell, NULL, NULL);
	buf_release(&shell->last);
	arena_release(&shell->arena);
}

struct column_cache *shell_cache(struct shell *shell)
{
	size_t bytes = shell->reads_again ? settings_cache_bytes(shell) : 0;

	if (bytes == 0) {
		column_cache_free(shell->cache);
		shell->cache = NULL;
	} else if (!shell->cache) {
		shell->cache = column_cache_new(bytes);
	} else if (bytes != column_cache_bytes_max(shell->cache)) {
		column_cache_resize(shell->cache, bytes);
	}
	return shell->cache;
}

/* The shell's own tables behind those of files. */
static int add_own(
	const struct shell *shell, struct arena *arena, struct catalog *catalog, struct error *err)
{
	struct table_schema *tables = arena_zalloc(arena, CATALOG_TABLES_MAX * sizeof(*tables));

	if (catalog->table_count + shell->own_count > CATALOG_TABLES_MAX)
		return error_set(err, ERROR_LIMIT, "more than %d tables", CATALOG_TABLES_MAX);
	if (catalog->table_count > 0)
		memcpy(tables, catalog->tables, catalog->table_count * sizeof(*tables));
	memcpy(tables + catalog->table_count, shell->own, shell->own_count * sizeof(*tables));
	catalog->tables = tables;
	catalog->table_count += shell->own_count;
	return 0;
}

/* What was said of files when it began, and what SET has said since. */
static struct dialect_options files_options(const struct shell *shell)
{
	struct dialect_options files = shell->options->files;

	if (shell->settings.now)
		files.now = shell->settings.now;
	if (shell->settings.seed)
		files.seed = shell->settings.seed;
	return files;
}

int shell_tables(
	const struct shell *shell, struct arena *arena, struct catalog *out, struct error *err)
{
	const struct dialect_options files = files_options(shell);

	if (catalog_load(shell->options->schema, NULL, &shell->data, &files, arena, out, err))
		return -1;
	return add_own(shell, arena, out, err);
}

struct table_schema *shell_find_table(const struct shell *shell, const char *name)
{
	for (uint32_t i = 0; i < shell->own_count; i++)
		if (strcasecmp(shell->own[i].name, name) == 0)
			return &shell->own[i];
	return NULL;
}

int statement_catalog(struct shell_statement *work)
{
	struct shell *shell = work->shell;
	const struct dialect_options files = files_options(shell);

	work->statement.queries.views = shell->views;
	if (catalog_load(shell->options->schema, &work->statement.queries, &shell->data, &files,
		    work->arena, &work->catalog, work->err))
		return -1;
	if (add_own(shell, work->arena, &work->catalog, work->err))
		return -1;
	return lists_add_system(work);
}

void statement_release(struct shell_statement *work)
{
	for (struct listing *system = work->systems; system; system = system->next)
		listing_release(system);
	work->systems = NULL;
}
