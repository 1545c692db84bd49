/*
 * Whether a call fits a row of the table of functions, and the reference that is made of it.
 */
#include "base/buf.h"
#include "plan/function_table.h"

#include <string.h>

static bool is_number(enum type_kind kind)
{
	return type_is_number(kind);
}

enum type_kind function_letter_kind(char letter)
{
	switch (letter) {
	case 'b': return TYPE_BOOL;
	case 's': return TYPE_SMALLINT;
	case 'i': return TYPE_INT;
	case 'l': return TYPE_BIGINT;
	case 'n': return TYPE_NUMERIC;
	case 'r': return TYPE_REAL;
	case 'd': return TYPE_DOUBLE;
	case 't': return TYPE_TEXT;
	case 'D': return TYPE_DATE;
	case 'T': return TYPE_TIME;
	case 'S': return TYPE_TIMESTAMP;
	case 'Z': return TYPE_TIMESTAMPTZ;
	case 'I': return TYPE_INTERVAL;
	case 'j': return TYPE_JSON;
	case 'J': return TYPE_JSONB;
	case 'p': return TYPE_JSONPATH;
	case 'k': return type_array(TYPE_JSON);
	case 'K': return type_array(TYPE_JSONB);
	case 'y': return TYPE_BYTEA;
	case 'u': return TYPE_UUID;
	case 'a': return TYPE_TEXT_LIST;
	case 'v': return type_array(TYPE_INT);
	default: return TYPE_UNKNOWN;
	}
}

/* `common` is what #, * and e stand for, TYPE_UNKNOWN before the first of them. */
static bool letter_fits(char letter, enum type_kind kind, enum type_kind *common)
{
	if (kind == TYPE_UNKNOWN)
		return false;
	if (letter == 'A' || letter == 'e') {
		if (type_is_array(kind) != (letter == 'A'))
			return false;
		kind = type_element(kind);
		letter = '*';
	}
	if (letter != '#' && letter != '*')
		return kind == function_letter_kind(letter);
	if (letter == '#' && !is_number(kind))
		return false;
	if (*common == TYPE_UNKNOWN)
		*common = kind;
	return *common == kind;
}

static bool entry_fits(const struct function_entry *entry, uint32_t arg_count,
	const struct type *args, enum type_kind result)
{
	const char *letter = entry->args;
	enum type_kind common = TYPE_UNKNOWN;

	if (entry->extra) {
		if (arg_count == 0 || args[--arg_count].kind != TYPE_TEXT)
			return false;
	}
	for (uint32_t i = 0; i < arg_count; i++) {
		if (*letter == '\0' || !letter_fits(*letter, args[i].kind, &common))
			return false;
		/* The last letter stays for all arguments that follow. */
		letter += letter[1] != '+' || i + 1 == arg_count;
	}
	if (*letter == '+')
		letter++;
	return *letter == '\0' && letter_fits(entry->result, result, &common);
}

bool function_fits(
	enum function_id id, uint32_t arg_count, const struct type *args, struct type result)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	for (size_t i = 0; i < count && id != FN_NONE; i++) {
		if (entries[i].function == id &&
			entry_fits(&entries[i], arg_count, args, result.kind))
			return true;
	}
	return false;
}

/* -- The reference -- */

static const char *letter_name(char letter)
{
	switch (letter) {
	case '#': return "number";
	case '*': return "any";
	case 'A': return "element[]";
	case 'e': return "element";
	default: return type_kind_name(function_letter_kind(letter));
	}
}

static void put_call(struct buf *page, const struct function_entry *entry)
{
	buf_printf(page, "`%s(", entry->name);
	for (const char *letter = entry->args; *letter; letter++) {
		if (*letter == '+')
			buf_append_text(page, ", ...");
		else
			buf_printf(page, "%s%s", letter > entry->args ? ", " : "",
				letter_name(*letter));
	}
	buf_printf(page, ")` %s", letter_name(entry->result));
}

static void put_category(struct buf *page, enum function_category category)
{
	size_t count;
	const struct function_entry *entries = function_entries(&count);

	for (size_t i = 0; i < count; i++) {
		if (entries[i].category != category || !entries[i].description)
			continue;
		buf_printf(page, "| **%s** | ", entries[i].name);
		for (size_t k = i, puts = 0; k < count; k++) {
			if (strcmp(entries[k].name, entries[i].name) != 0 ||
				!function_is_callable(&entries[k]))
				continue;
			if (puts++)
				buf_append_text(page, "<br>");
			put_call(page, &entries[k]);
		}
		buf_printf(page, " | %s |\n", entries[i].description);
	}
}

void function_reference(struct buf *page)
{
	static const char *const titles[CATEGORY_COUNT] = {
		[CATEGORY_CONDITION] = "Conditions",
		[CATEGORY_TEXT] = "Texts",
		[CATEGORY_REGEX] = "Regular expressions",
		[CATEGORY_MATH] = "Numbers",
		[CATEGORY_TIME] = "Dates and times",
		[CATEGORY_ARRAY] = "Arrays",
		[CATEGORY_JSON] = "JSON",
		[CATEGORY_BYTES] = "Bytes",
		[CATEGORY_AGGREGATE] = "Aggregates",
		[CATEGORY_WINDOW] = "Window functions",
		[CATEGORY_CONVENIENCE] = "Conveniences that PostgreSQL does not have",
	};

	for (enum function_category c = CATEGORY_CONDITION; c < CATEGORY_COUNT; c++) {
		buf_printf(page,
			"%s## %s\n\n| name | calls and results | what it is |\n|---|---|---|\n",
			c == CATEGORY_CONDITION ? "" : "\n", titles[c]);
		put_category(page, c);
	}
}
