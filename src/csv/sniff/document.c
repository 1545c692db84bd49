#include "csv/sniff/document.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct rest {
	const char *at;
	const char *end;
};

static void skip_space(struct rest *text)
{
	while (text->at < text->end && isspace((unsigned char)*text->at))
		text->at++;
}

static bool begins(const struct rest *text, const char *with)
{
	size_t size = strlen(with);

	return (size_t)(text->end - text->at) >= size && strncasecmp(text->at, with, size) == 0;
}

static bool take(struct rest *text, char what)
{
	skip_space(text);
	if (text->at == text->end || *text->at != what)
		return false;
	text->at++;
	return true;
}

/* The start of an object: {"key": */
static bool take_key(struct rest *text)
{
	if (!take(text, '{') || !take(text, '"'))
		return false;
	for (; text->at < text->end && *text->at != '"' && *text->at != '\n'; text->at++)
		if (*text->at == '\\' && text->at + 1 < text->end)
			text->at++;
	return take(text, '"') && take(text, ':');
}

static const char *json_of(struct rest text)
{
	const char *line_end = memchr(text.at, '\n', (size_t)(text.end - text.at));
	bool is_array = take(&text, '[');

	if (!take_key(&text))
		return NULL;
	if (is_array)
		return "a JSON array: tamiz reads JSON lines, which jq -c '.[]' makes of it (in a "
		       "file "
		       "called .jsonl)";
	for (text.end = line_end ? line_end : text.end; text.end > text.at; text.end--)
		if (!isspace((unsigned char)text.end[-1]))
			break;
	if (text.end > text.at && text.end[-1] == '}')
		return "a file of JSON lines: call it .jsonl";
	return "a JSON document: tamiz reads JSON lines, which jq -c . makes of it (in a file "
	       "called "
	       ".jsonl)";
}

const char *document_of(const char *data, size_t size)
{
	struct rest text = {data, data + size};

	skip_space(&text);
	if (begins(&text, "<!doctype html") || begins(&text, "<html>") || begins(&text, "<html "))
		return "a web page: what a server says instead of the file, perhaps";
	if (begins(&text, "<?xml "))
		return "an XML document";
	if (begins(&text, "%PDF-"))
		return "a PDF document";
	return json_of(text);
}
