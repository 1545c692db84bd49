/*
 * PREPARE, EXECUTE and DEALLOCATE, and $1 in a statement. A parameter is replaced in the text, by a value
 * that is SQL: of EXECUTE as it stands there, of --param as a text in quotes, which PostgreSQL takes for
 * what its place wants.
 */
#include "cli/cli.h"
#include "cli/shell/shell_private.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int bad(const struct sql_text *text, struct error *err, const char *message)
{
	return sql_text_error(text, 0, err, "%s", message);
}

static struct shell_prepared **find(struct shell *shell, const char *name)
{
	struct shell_prepared **at = &shell->prepared;

	while (*at && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

/* As SQL has names: without its quotes, or in small letters. */
static const char *plain_name(struct sql_part name, struct arena *arena)
{
	char *out;

	if (*name.text == '"')
		return arena_strndup(arena, name.text + 1, name.size > 1 ? name.size - 2 : 0);
	out = arena_strndup(arena, name.text, name.size);
	for (char *c = out; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return out;
}

static int prepare(struct shell *shell, const struct sql_text *text,
	const struct sql_prepared *parts, struct error *err)
{
	struct arena *arena = &shell->arena;
	const char *name = plain_name(parts->name, arena);
	struct shell_prepared *made;
	struct sql_prepared inner;
	struct buf ignored;
	int32_t location;

	if (!sql_prepared_read(parts->statement.text, &inner) || inner.kind != SQL_NOT_PREPARED)
		return bad(text, err, "PREPARE takes a statement that is not prepared itself");
	if (*find(shell, name))
		return sql_text_error(
			text, 0, err, "prepared statement \"%s\" already exists", name);
	made = arena_zalloc(arena, sizeof(*made));
	made->name = name;
	made->statement = arena_strndup(arena, parts->statement.text, parts->statement.size);
	buf_init(&ignored, SHELL_TEXT_MAX);
	made->parameter_count = sql_put_parameters(parts->statement, 0, NULL, &ignored, &location);
	buf_release(&ignored);
	if (made->parameter_count > SQL_PARAMETERS_MAX)
		return sql_text_error(text, 0, err, "more than %d parameters", SQL_PARAMETERS_MAX);
	made->type_count = parts->part_count;
	made->types =
		(const char **)arena_alloc(arena, (parts->part_count + 1) * sizeof(*made->types));
	for (uint32_t i = 0; i < parts->part_count; i++)
		made->types[i] = arena_strndup(arena, parts->parts[i].text, parts->parts[i].size);
	if (made->parameter_count < made->type_count)
		made->parameter_count = made->type_count;
	made->next = shell->prepared;
	shell->prepared = made;
	return 0;
}

static int execute(struct shell *shell, const struct sql_text *text,
	const struct sql_prepared *parts, int *status, struct error *err)
{
	const char *values[SQL_PARAMETERS_MAX];
	struct shell_prepared *prepared;
	struct sql_text statement = {.name = "", .title = ""};
	struct arena arena;
	struct buf whole;
	int32_t location;

	arena_init(&arena, 4096);
	prepared = *find(shell, plain_name(parts->name, &arena));
	if (!prepared || prepared->parameter_count != parts->part_count) {
		if (!prepared)
			sql_text_error(text, 0, err, "prepared statement \"%s\" does not exist",
				plain_name(parts->name, &arena));
		else
			sql_text_error(text, 0, err,
				"prepared statement \"%s\" takes %u parameter%s, not %u",
				prepared->name, prepared->parameter_count,
				prepared->parameter_count == 1 ? "" : "s", parts->part_count);
		arena_release(&arena);
		return -1;
	}
	for (uint32_t i = 0; i < parts->part_count; i++) {
		int size = (int)parts->parts[i].size;
		const char *value = parts->parts[i].text;

		values[i] = i < prepared->type_count ? arena_printf(&arena, "CAST(%.*s AS %s)",
							       size, value, prepared->types[i])
						     : arena_printf(&arena, "(%.*s)", size, value);
	}
	buf_init(&whole, SHELL_TEXT_MAX);
	sql_put_parameters((struct sql_part){prepared->statement, strlen(prepared->statement)},
		parts->part_count, values, &whole, &location);
	buf_append_char(&whole, '\0');
	statement.text = whole.data;
	*status = buf_overflowed(&whole) ? error_set(err, ERROR_LIMIT, "the statement is too long")
					 : shell_run(shell, &statement);
	buf_release(&whole);
	arena_release(&arena);
	return *status < 0 ? -1 : 0;
}

static int deallocate(struct shell *shell, const struct sql_text *text,
	const struct sql_prepared *parts, struct error *err)
{
	const char *name = plain_name(parts->name, &shell->arena);
	struct shell_prepared **at = find(shell, name);

	if (strcmp(name, "all") == 0 && *parts->name.text != '"') {
		shell->prepared = NULL;
		return 0;
	}
	if (!*at)
		return sql_text_error(
			text, 0, err, "prepared statement \"%s\" does not exist", name);
	*at = (*at)->next;
	return 0;
}

bool prepared_run(struct shell *shell, const struct sql_text *text, int *status, struct error *err)
{
	struct sql_prepared parts;
	int result = -1;

	*status = 0;
	if (!sql_prepared_read(text->text, &parts)) {
		bad(text, err,
			parts.kind == SQL_PREPARE
				? "PREPARE is PREPARE name [(type, ...)] AS statement"
			: parts.kind == SQL_EXECUTE ? "EXECUTE is EXECUTE name [(value, ...)]"
						    : "DEALLOCATE is DEALLOCATE name | ALL");
		*status = -1;
		return true;
	}
	switch (parts.kind) {
	case SQL_NOT_PREPARED: return false;
	case SQL_PREPARE: result = prepare(shell, text, &parts, err); break;
	case SQL_EXECUTE: result = execute(shell, text, &parts, status, err); break;
	case SQL_DEALLOCATE: result = deallocate(shell, text, &parts, err); break;
	}
	if (result)
		*status = -1;
	return true;
}

int prepared_put_values(
	const struct shell *shell, const struct sql_text *text, struct buf *out, struct error *err)
{
	const struct option_list *given = &shell->options->parameters;
	const char *values[OPTION_LIST_MAX];
	struct arena arena;
	uint32_t greatest;
	int32_t location;

	arena_init(&arena, 4096);
	for (uint32_t i = 0; i < given->count; i++) {
		struct buf value;

		buf_init(&value, SHELL_TEXT_MAX);
		sql_append_quoted(&value, given->items[i], '\'');
		values[i] = arena_strndup(&arena, value.data, value.size);
		buf_release(&value);
	}
	greatest = sql_put_parameters((struct sql_part){text->text, strlen(text->text)},
		given->count, values, out, &location);
	buf_append_char(out, '\0');
	arena_release(&arena);
	if (greatest > given->count)
		return sql_text_error(text, location, err,
			"there is no parameter $%u: --param VALUE gives them, in their order",
			greatest);
	return buf_overflowed(out) ? error_set(err, ERROR_LIMIT, "the statement is too long") : 0;
}
