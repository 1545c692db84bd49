#include "local/known_tables.h"

#include "base/memory.h"
#include "csv/infer.h"
#include "local/file_stamp.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BLOCK_BYTES (4u << 10)
#define KEY_BYTES_MAX	  (64u << 20)

struct known_table {
	struct known_table *next;
	char *key; /* its name, the way it is written as far as somebody has said it, and its files */
	uint32_t file_count;
	struct file_stamp *stamps;
	struct arena arena;
	struct table_schema schema;
	bool again; /* it has more columns than were seen: schema.widths says which */
	bool stale;
};

struct known_tables {
	struct known_table *first;
};

struct known_tables *known_tables_new(void)
{
	return memory_zalloc(sizeof(struct known_tables));
}

static void free_table(struct known_table *table)
{
	arena_release(&table->arena);
	free(table->stamps);
	free(table->key);
	free(table);
}

static void drop(struct known_tables *known, bool all)
{
	struct known_table **at = &known->first;

	while (*at) {
		struct known_table *table = *at;

		if (!all && !table->stale) {
			at = &table->next;
			continue;
		}
		*at = table->next;
		free_table(table);
	}
}

void known_tables_sweep(struct known_tables *known)
{
	drop(known, false);
}

void known_tables_free(struct known_tables *known)
{
	if (!known)
		return;
	drop(known, true);
	free(known);
}

/* NULL: it is too long. */
static char *key_of(const struct table_schema *table, const char *const *paths, uint32_t path_count)
{
	const char *option;
	struct buf text;
	char *key;

	buf_init(&text, KEY_BYTES_MAX);
	buf_printf(&text, "%s\n%s\n%u", table->name, table->files, table->dialect.given);
	for (uint32_t i = 0; (option = csv_dialect_option(i)); i++) {
		buf_append_char(&text, '\n');
		csv_dialect_get(&table->dialect, option, &text);
	}
	for (uint32_t i = 0; i < path_count; i++)
		buf_printf(&text, "\n%s", paths[i]);
	key = buf_overflowed(&text) ? NULL : strndup(text.data, text.size);
	buf_release(&text);
	return key;
}

/* NULL when a file is not there, or a change of it might not show. */
static struct file_stamp *take_stamps(const char *const *paths, uint32_t path_count)
{
	struct file_stamp *stamps = memory_alloc((path_count + 1) * sizeof(*stamps));
	bool settled = true;

	for (uint32_t i = 0; i < path_count && settled; i++)
		if (!file_stamp_take(paths[i], &stamps[i], &settled))
			settled = false;
	if (settled)
		return stamps;
	free(stamps);
	return NULL;
}

/* As it was known before; what has changed is stale. */
static struct known_table *find(struct known_tables *known, const char *key,
	const struct file_stamp *stamps, uint32_t count)
{
	for (struct known_table *table = known->first; table; table = table->next) {
		bool same = !table->stale && strcmp(table->key, key) == 0;

		if (!same)
			continue;
		for (uint32_t i = 0; i < count && same; i++)
			same = file_stamp_equal(&stamps[i], &table->stamps[i]);
		if (same)
			return table;
		table->stale = true;
	}
	return NULL;
}

static void give(const struct known_table *known, struct table_schema *table, struct arena *arena)
{
	const struct table_schema asked = *table;
	size_t size = known->schema.column_count * sizeof(*table->columns);

	*table = known->schema;
	table->name = asked.name;
	table->files = asked.files;
	table->bytes = asked.bytes;
	table->columns = arena_alloc(arena, size + 1);
	memcpy(table->columns, known->schema.columns, size);
}

/* A table that is not known. Takes the key and the stamps. */
static struct known_table *add(struct known_tables *known, const struct table_schema *table,
	char *key, struct file_stamp *stamps, uint32_t count)
{
	struct known_table *added = memory_zalloc(sizeof(*added));

	added->key = key;
	added->stamps = stamps;
	added->file_count = count;
	arena_init(&added->arena, ARENA_BLOCK_BYTES);
	added->schema = *table;
	added->schema.name = arena_strdup(&added->arena, table->name);
	added->schema.files = arena_strdup(&added->arena, table->files);
	added->next = known->first;
	known->first = added;
	return added;
}

/* What lives no longer than the statement is not for keeping: everything is found anew, in the table's arena. */
static int infer(struct known_table *known, const struct table_schema *asked,
	const char *const *paths, uint32_t path_count, struct error *err)
{
	const uint16_t *widths = known->schema.widths;
	const char *name = known->schema.name, *files = known->schema.files;

	known->schema = *asked;
	known->schema.name = name;
	known->schema.files = files;
	known->schema.widths = widths;
	known->again = false;
	return csv_infer(&known->schema, paths, path_count, &known->arena, err);
}

/* Texts that the user gave belong to the statement. */
static void keep_dialect(struct known_table *known)
{
	struct csv_dialect *dialect = &known->schema.dialect;
	struct arena *arena = &known->arena;
	const char **nulls = arena_alloc(arena, (dialect->null_count + 1) * sizeof(*nulls));

	for (uint32_t i = 0; i < dialect->null_count; i++)
		nulls[i] = arena_strdup(arena, dialect->nulls[i]);
	dialect->nulls = nulls;
	if (dialect->encoding)
		dialect->encoding = arena_strdup(arena, dialect->encoding);
	if (dialect->date_format)
		dialect->date_format = arena_strdup(arena, dialect->date_format);
}

int known_tables_infer(struct known_tables *known, struct table_schema *table,
	const char *const *paths, uint32_t path_count, struct arena *arena, struct error *err)
{
	/* One that is being widened is known when that has come to an end. */
	struct file_stamp *stamps = table->widths ? NULL : take_stamps(paths, path_count);
	char *key = stamps ? key_of(table, paths, path_count) : NULL;
	struct known_table *found;

	if (!key) {
		free(stamps);
		return csv_infer(table, paths, path_count, arena, err);
	}
	found = find(known, key, stamps, path_count);
	if (found) {
		free(key);
		free(stamps);
	} else {
		found = add(known, table, key, stamps, path_count);
		found->again = true;
	}
	if (found->again) {
		if (infer(found, table, paths, path_count, err)) {
			found->stale = true;
			return -1;
		}
		keep_dialect(found);
	}
	give(found, table, arena);
	return 0;
}

static void learn(struct known_table *known, const struct table_schema *table)
{
	struct table_schema *schema = &known->schema;

	if (schema->column_count != table->column_count) {
		if (!table->widths)
			return;
		schema->widths = (const uint16_t *)arena_copy(&known->arena, table->widths,
			(TABLE_COLUMNS_MAX + 1) * sizeof(*table->widths));
		known->again = true;
		return;
	}
	for (uint32_t c = 0; c < table->column_count; c++) {
		struct table_column *own = &schema->columns[c];
		const struct table_column *now = &table->columns[c];

		if (strcmp(own->name, now->name) != 0 || type_equal(own->type, now->type))
			continue;
		own->type = now->type;
		own->reading = now->reading;
		own->guessed = now->guessed;
		own->shown_as_written = now->shown_as_written;
	}
}

void known_tables_learn(struct known_tables *known, const struct table_schema *table)
{
	for (struct known_table *at = known->first; at; at = at->next)
		if (!at->stale && table->inferred && !table->problem && !table->kept &&
			strcmp(at->schema.name, table->name) == 0 &&
			strcmp(at->schema.files, table->files) == 0)
			learn(at, table);
}
