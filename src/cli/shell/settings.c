/* SET, RESET and SHOW: one table says what there is to set. */
#include "base/suggest.h"
#include "cli/shell/shell_private.h"
#include "local/memory_limit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SETTING_TEXT_MAX 64

#define FIELD(field) offsetof(struct shell_settings, field)

static const char *const expanded_choices[] = {"on", "off", "auto", NULL};

/* Of the memory that the process may take. */
#define CACHE_SHARE 4

static const struct option_spec settings[] = {
	{.name = "cache",
		.kind = OPTION_TEXT,
		.offset = FIELD(cache),
		.help = "memory for columns of files that are read again, or off; default: a "
			"quarter of --memory"},
	{.name = "chunk_size",
		.kind = OPTION_SIZE,
		.offset = FIELD(execute.chunk_size),
		.min = CSV_CHUNK_MIN,
		.max = CSV_RECORD_MAX,
		.help = "bytes that a thread takes at a time"},
	{.name = "expanded",
		.kind = OPTION_CHOICE,
		.offset = FIELD(expanded),
		.choices = expanded_choices,
		.help = "every row as a list; auto: where the table is wider than the screen"},
	{.name = "format",
		.kind = OPTION_CHOICE,
		.offset = FIELD(execute.format),
		.choices = format_names,
		.help = "how results look"},
	{.name = "max_rejects",
		.kind = OPTION_TEXT,
		.offset = FIELD(execute.max_rejects),
		.help = "rows of a table that may be unreadable, or a share such as 25%"},
	{.name = "max_rows",
		.kind = OPTION_COUNT,
		.offset = FIELD(execute.max_rows),
		.min = 0,
		.max = UINT32_MAX - 1,
		.help = "that a terminal shows of a table; 0: all"},
	{.name = "now",
		.kind = OPTION_TEXT,
		.offset = FIELD(now),
		.help = "what now() and current_date say; default: the clock"},
	{.name = "null_text",
		.kind = OPTION_TEXT,
		.offset = FIELD(null),
		.help = "what NULL looks like"},
	{.name = "pager",
		.kind = OPTION_FLAG,
		.offset = FIELD(pager),
		.help = "what is longer than the screen goes through $PAGER"},
	{.name = "quiet",
		.kind = OPTION_FLAG,
		.offset = FIELD(execute.quiet),
		.help = "no progress and no notes on stderr"},
	{.name = "seed",
		.kind = OPTION_TEXT,
		.offset = FIELD(seed),
		.help = "random() has the same numbers in every statement; default: others"},
	{.name = "strict",
		.kind = OPTION_FLAG,
		.offset = FIELD(execute.strict),
		.help = "the first row that cannot be read is an error"},
	{.name = "threads",
		.kind = OPTION_COUNT,
		.offset = FIELD(execute.threads),
		.min = 1,
		.max = LOCAL_THREADS_MAX,
		.help = "that work on a query"},
	{.name = "timing",
		.kind = OPTION_FLAG,
		.offset = FIELD(timing),
		.help = "say on stderr how long a statement took"},
	{.name = "tuples_only",
		.kind = OPTION_FLAG,
		.offset = FIELD(tuples_only),
		.help = "no names of columns and no number of rows"},
};

#define SETTING_COUNT (sizeof(settings) / sizeof(settings[0]))

static const struct option_spec *find(const char *name, struct error *err)
{
	char hint[SUGGESTION_TEXT_MAX];
	struct suggestion suggestion;

	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (strcasecmp(settings[i].name, name) == 0)
			return &settings[i];
		suggestion_consider(&suggestion, settings[i].name);
	}
	if (strcasecmp(name, "databases") == 0 || strcasecmp(name, "schemas") == 0 ||
		strcasecmp(name, "columns") == 0) {
		error_set(err, ERROR_SQL,
			"there is no setting \"%s\"; SHOW TABLES lists tables and DESCRIBE table "
			"its "
			"columns",
			name);
		return NULL;
	}
	error_set(err, ERROR_SQL, "there is no setting \"%s\"%s", name,
		suggestion.best ? suggestion_text(&suggestion, hint) : "; SHOW ALL lists them");
	return NULL;
}

static size_t field_size(const struct option_spec *setting)
{
	switch (setting->kind) {
	case OPTION_FLAG: return sizeof(bool);
	case OPTION_COUNT:
	case OPTION_SIZE: return sizeof(uint64_t);
	default: return sizeof(const char *);
	}
}

/* As PostgreSQL reads booleans. */
static int set_flag(
	const struct option_spec *setting, const char *value, bool *field, struct error *err)
{
	static const char *const words[] = {
		"on", "off", "true", "false", "yes", "no", "1", "0", "t", "f"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(value, words[i]) == 0) {
			*field = i % 2 == 0;
			return 0;
		}
	return error_set(err, ERROR_SQL, "%s is on or off, not \"%s\"", setting->name, value);
}

static bool is_cache_size(const char *value)
{
	uint64_t bytes;

	return strcasecmp(value, "off") == 0 || strcasecmp(value, "on") == 0 ||
	       (options_parse_size(value, &bytes) && bytes <= SIZE_MAX / 2);
}

size_t settings_cache_bytes(const struct shell *shell)
{
	uint64_t memory = shell->settings.execute.memory, bytes;
	const char *cache = shell->settings.cache;

	if (cache && strcasecmp(cache, "off") == 0)
		return 0;
	if (cache && options_parse_size(cache, &bytes))
		return (size_t)bytes;
	return (size_t)(memory ? memory : memory_limit_default()) / CACHE_SHARE;
}

static int set_one(struct shell *shell, const struct option_spec *setting, const char *value,
	struct error *err)
{
	void *field = (char *)&shell->settings + setting->offset;
	struct error problem;

	if (!value) {
		memcpy(field, (const char *)&shell->options->settings + setting->offset,
			field_size(setting));
		return 0;
	}
	if (setting->kind == OPTION_FLAG)
		return set_flag(setting, value, field, err);
	if (setting->offset == FIELD(now) || setting->offset == FIELD(seed)) {
		struct statement_start checked = {0};

		if (statement_start_set(&checked, setting->name, value, &problem))
			return error_set(err, ERROR_SQL, "%s", problem.message);
	}
	if (setting->offset == FIELD(cache) && !is_cache_size(value))
		return error_set(
			err, ERROR_SQL, "cache is off or a size such as 2G, not \"%s\"", value);
	value = arena_strdup(&shell->arena, value);
	if (setting->kind == OPTION_TEXT) {
		*(const char **)field = value;
		return 0;
	}
	if (options_store(setting, value, &shell->settings, &problem) == 0)
		return 0;
	/* In the words of SQL, not of a command line. */
	return error_set(err, ERROR_SQL, "%s",
		problem.message + (strncmp(problem.message, "--", 2) == 0 ? 2 : 0));
}

int settings_set(struct shell *shell, const char *name, const char *value, struct error *err)
{
	const struct option_spec *setting;

	if (!name) {
		for (size_t i = 0; i < SETTING_COUNT; i++)
			(void)!set_one(shell, &settings[i], NULL, err);
		return 0;
	}
	setting = find(name, err);
	return setting ? set_one(shell, setting, value, err) : -1;
}

static const char *setting_text(
	const struct shell *shell, const struct option_spec *setting, char text[SETTING_TEXT_MAX])
{
	const void *field = (const char *)&shell->settings + setting->offset;

	switch (setting->kind) {
	case OPTION_FLAG: return *(const bool *)field ? "on" : "off";
	case OPTION_COUNT:
	case OPTION_SIZE:
		if (*(const uint64_t *)field == 0 && setting->min > 0)
			return "default";
		snprintf(text, SETTING_TEXT_MAX, "%" PRIu64, *(const uint64_t *)field);
		return text;
	default: return *(const char *const *)field ? *(const char *const *)field : "default";
	}
}

int settings_show(struct shell_statement *work, int *status)
{
	static const struct listing_column all[] = {
		{"name", TYPE_TEXT}, {"setting", TYPE_TEXT}, {"description", TYPE_TEXT}};
	const bool every = strcmp(work->statement.name, "all") == 0;
	const struct option_spec *setting = NULL;
	char text[SETTING_TEXT_MAX];
	struct listing listing;
	int result;

	if (!every) {
		setting = find(work->statement.name, work->err);
		if (!setting)
			return -1;
	}
	const struct listing_column one[] = {{setting ? setting->name : "", TYPE_TEXT}};

	listing_init(&listing, every ? 3 : 1, every ? all : one, work->arena);
	for (size_t i = 0; i < SETTING_COUNT; i++) {
		if (!every && setting != &settings[i])
			continue;
		if (every)
			listing_text(&listing, settings[i].name);
		listing_text(&listing, setting_text(work->shell, &settings[i], text));
		if (every)
			listing_text(&listing, settings[i].help);
	}
	result = listing_show(&listing, work->shell, status, work->err);
	listing_release(&listing);
	return result;
}
