#include "base/options.h"

#include "base/digits.h"
#include "base/suggest.h"

#include <string.h>

#define WORD_MAX_BYTES 64
#define HELP_COLUMN    26

bool options_parse_size(const char *text, uint64_t *bytes)
{
	static const char units[] = "KMGT";
	uint64_t whole, fraction = 0, fraction_unit = 1;
	unsigned shift = 0;
	unsigned __int128 total;

	if (!digits_take(&text, 10, UINT64_MAX, &whole))
		return false;
	if (*text == '.') {
		const char *start = ++text;

		if (!digits_take(&text, 10, UINT64_MAX, &fraction) || text - start > 6)
			return false;
		for (; start < text; start++)
			fraction_unit *= 10;
	}
	if (*text) {
		char upper = (char)(*text >= 'a' && *text <= 'z' ? *text - 32 : *text);
		const char *unit = strchr(units, upper);

		if (!unit)
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
		text++;
		/* 2GB and 2GiB mean what 2G means. */
		if (*text == 'i')
			text++;
		if (*text == 'B' || *text == 'b')
			text++;
	}
	if (*text)
		return false;
	total = ((unsigned __int128)whole << shift) +
		((unsigned __int128)fraction << shift) / fraction_unit;
	if (total > UINT64_MAX)
		return false;
	*bytes = (uint64_t)total;
	return true;
}

static const struct option_spec *find_long(
	const struct command_spec *spec, const char *name, size_t size)
{
	for (uint32_t i = 0; i < spec->option_count; i++) {
		const char *candidate = spec->options[i].name;

		if (strlen(candidate) == size && memcmp(candidate, name, size) == 0)
			return &spec->options[i];
	}
	return NULL;
}

static const struct option_spec *find_short(const struct command_spec *spec, char letter)
{
	for (uint32_t i = 0; i < spec->option_count; i++) {
		if (spec->options[i].letter == letter)
			return &spec->options[i];
	}
	return NULL;
}

static int unknown_long(
	const struct command_spec *spec, const char *name, size_t size, struct error *err)
{
	const char *names[OPTION_LIST_MAX + 1];
	char word[WORD_MAX_BYTES + 1];
	const char *nearest = NULL;
	uint32_t count = 0;

	for (; count < spec->option_count && count < OPTION_LIST_MAX; count++)
		names[count] = spec->options[count].name;
	names[count] = NULL;
	if (size < sizeof(word)) {
		memcpy(word, name, size);
		word[size] = 0;
		nearest = suggest_nearest(word, names);
	}
	if (nearest)
		return error_set(err, ERROR_USAGE, "unknown option --%.*s: did you mean --%s?",
			(int)size, name, nearest);
	return error_set(err, ERROR_USAGE, "unknown option --%.*s: see %s --help", (int)size, name,
		spec->name);
}

static int store_choice(
	const struct option_spec *option, const char *text, const char **field, struct error *err)
{
	struct buf list;

	for (const char *const *choice = option->choices; *choice; choice++) {
		if (strcmp(text, *choice) == 0) {
			*field = *choice;
			return 0;
		}
	}
	buf_init(&list, 512);
	for (const char *const *choice = option->choices; *choice; choice++)
		buf_printf(&list, "%s%s", choice == option->choices ? "" : ", ", *choice);
	error_set(err, ERROR_USAGE, "--%s %s: choose one of %.*s", option->name, text,
		(int)list.size, list.data);
	buf_release(&list);
	return -1;
}

static int store_number(
	const struct option_spec *option, const char *text, uint64_t *field, struct error *err)
{
	uint64_t value;
	bool good;

	if (option->kind == OPTION_SIZE)
		good = options_parse_size(text, &value);
	else
		good = digits_parse(text, 10, UINT64_MAX, &value);
	if (!good)
		return error_set(err, ERROR_USAGE, "--%s %s: %s", option->name, text,
			option->kind == OPTION_SIZE ? "give a size such as 512K, 20M or 2G"
						    : "give a whole number");
	if (value < option->min || value > option->max)
		return error_set(err, ERROR_USAGE, "--%s %s: must be between %llu and %llu",
			option->name, text, (unsigned long long)option->min,
			(unsigned long long)option->max);
	*field = value;
	return 0;
}

int options_store(
	const struct option_spec *option, const char *text, void *values, struct error *err)
{
	void *field = (char *)values + option->offset;

	switch (option->kind) {
	case OPTION_FLAG: *(bool *)field = true; return 0;
	case OPTION_TEXT:
		if (!*text)
			return error_set(err, ERROR_USAGE, "--%s needs a value that is not empty",
				option->name);
		*(const char **)field = text;
		return 0;
	case OPTION_LIST: {
		struct option_list *list = field;

		if (list->count == OPTION_LIST_MAX)
			return error_set(err, ERROR_USAGE, "--%s is given more than %d times",
				option->name, OPTION_LIST_MAX);
		list->items[list->count++] = text;
		return 0;
	}
	case OPTION_COUNT:
	case OPTION_SIZE: return store_number(option, text, field, err);
	case OPTION_CHOICE: return store_choice(option, text, field, err);
	}
	return error_set(err, ERROR_INTERNAL, "--%s has an unknown kind", option->name);
}

/*
 * Reads the option in argv[*index], and its value from the same or the next word, to which it
 * moves *index.
 */
static int parse_option(const struct command_spec *spec, int argc, char *const *argv, int *index,
	void *values, struct error *err)
{
	const char *word = argv[*index];
	const struct option_spec *option;
	const char *value = NULL;

	if (word[1] == '-') {
		const char *equals = strchr(word, '=');
		size_t size = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;

		option = find_long(spec, word + 2, size);
		if (!option)
			return unknown_long(spec, word + 2, size, err);
		value = equals ? equals + 1 : NULL;
	} else {
		option = find_short(spec, word[1]);
		if (!option)
			return error_set(err, ERROR_USAGE, "unknown option -%c: see %s --help",
				word[1], spec->name);
		if (word[2])
			value = word + 2;
	}
	if (option->kind == OPTION_FLAG) {
		if (value)
			return error_set(err, ERROR_USAGE, "--%s takes no value", option->name);
		return options_store(option, "", values, err);
	}
	if (!value) {
		if (*index + 1 >= argc)
			return error_set(err, ERROR_USAGE, "--%s needs a value: --%s %s",
				option->name, option->name, option->argument);
		value = argv[++*index];
	}
	return options_store(option, value, values, err);
}

static bool asks_for_help(int argc, char *const *argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	}
	return false;
}

enum options_status options_parse(const struct command_spec *spec, int argc, char *const *argv,
	void *values, struct operands *operands, struct error *err)
{
	bool only_operands = false;

	operands->count = 0;
	if (asks_for_help(argc, argv))
		return OPTIONS_HELP;
	for (int i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (!only_operands && strcmp(word, "--") == 0) {
			only_operands = true;
			continue;
		}
		if (!only_operands && word[0] == '-' && word[1]) {
			if (parse_option(spec, argc, argv, &i, values, err))
				return OPTIONS_ERROR;
			continue;
		}
		if (operands->count == spec->operands_max || operands->count == OPERANDS_MAX) {
			error_set(err, ERROR_USAGE, "unexpected \"%s\": see %s --help", word,
				spec->name);
			return OPTIONS_ERROR;
		}
		operands->items[operands->count++] = word;
	}
	if (operands->count < spec->operands_min) {
		error_set(err, ERROR_USAGE, "%s needs %s: see %s --help", spec->name,
			spec->operands, spec->name);
		return OPTIONS_ERROR;
	}
	return OPTIONS_PARSED;
}

void options_help(const struct command_spec *spec, struct buf *out)
{
	buf_printf(out, "usage: %s%s%s%s\n\n%s\n", spec->name, *spec->operands ? " " : "",
		spec->operands, spec->option_count ? " [OPTION]..." : "", spec->summary);
	if (spec->details)
		buf_printf(out, "\n%s\n", spec->details);
	if (spec->option_count == 0)
		return;
	buf_append_text(out, "\noptions:\n");
	for (uint32_t i = 0; i < spec->option_count; i++) {
		const struct option_spec *option = &spec->options[i];
		size_t start = out->size;

		if (option->letter)
			buf_printf(out, "  -%c, --%s", option->letter, option->name);
		else
			buf_printf(out, "  --%s", option->name);
		if (option->argument)
			buf_printf(out, " %s", option->argument);
		do {
			buf_append_char(out, ' ');
		} while (out->size - start < HELP_COLUMN && !buf_overflowed(out));
		for (const char *c = option->help; *c; c++) {
			buf_append_char(out, *c);
			if (*c == '\n')
				buf_printf(out, "%*s", HELP_COLUMN, "");
		}
		buf_append_char(out, '\n');
	}
}
