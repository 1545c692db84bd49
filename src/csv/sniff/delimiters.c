#include "csv/sniff/delimiters.h"

#include "base/utf8.h"
#include "csv/sniff/score.h"

#include <string.h>

#define LINES_MAX	 256 /* of the sample are looked at for delimiters */
#define USUAL_PERCENT	 10  /* of the lines have it: the others may be a preamble */
#define UNUSUAL_PERCENT	 60
#define DELIMITERS_MAX	 16
#define UNUSUAL_PRIOR	 (10 * CELL_BIT)
#define UNUSUAL_PER_MARK (4 * CELL_BIT) /* they stand in texts, too */
#define LONG_PRIOR	 (6 * CELL_BIT)
#define LONG_PER_MARK	 (16 * CELL_BIT) /* unless it reads the same from both sides */
#define NONE_PRIOR	 (12 * CELL_BIT) /* one column, and yet a delimiter in its first line */
#define QUOTE_PRIOR	 (4 * CELL_BIT)	 /* another one than the double quote, or none */
#define ESCAPE_PRIOR	 (3 * CELL_BIT)

static const char usual[] = ",;\t|";
static const char unusual[] = ": ^~#&/!@$%*=<>`\\";

struct delimiter {
	char text[CSV_DELIMITER_MAX + 1];
	bool trim;
	bool framed;
	int64_t prior;
	int64_t prior_per_mark;
	int64_t prior_per_row;
};

/* Lines of the sample without their ends; those in the middle of a quoted field among them. */
struct lines {
	uint32_t count; /* without blank ones */
	struct {
		const char *data;
		size_t size;
	} line[LINES_MAX];
};

/* Carriage returns alone, and newlines with or without one. */
static void count_line_ends(const char *sample, size_t size, uint32_t *alone, uint32_t *newlines)
{
	*alone = *newlines = 0;
	for (size_t i = 0; i < size; i++) {
		*newlines += sample[i] == '\n';
		*alone += sample[i] == '\r' && i + 1 < size && sample[i + 1] != '\n';
	}
}

bool is_usual_delimiter(const struct csv_dialect *dialect)
{
	return strlen(dialect->delimiter) == 1 && strchr(usual, dialect->delimiter[0]);
}

enum csv_line_end line_end_of(const char *sample, size_t size)
{
	uint32_t alone, newlines;

	count_line_ends(sample, size, &alone, &newlines);
	return alone > newlines ? CSV_LINES_CR : CSV_LINES_LF;
}

static void find_lines(
	const char *sample, size_t size, enum csv_line_end line_end, struct lines *lines)
{
	size_t at = 0;

	lines->count = 0;
	while (at < size && lines->count < LINES_MAX) {
		size_t start = at;

		while (at < size && sample[at] != '\n' &&
			!(line_end == CSV_LINES_CR && sample[at] == '\r'))
			at++;
		lines->line[lines->count].data = sample + start;
		lines->line[lines->count].size =
			at - start - (at > start && sample[at - 1] == '\r');
		lines->count += lines->line[lines->count].size > 0;
		at++;
	}
}

/* Whether the text stands in at least `percent` of a hundred lines. */
static bool is_common(const struct lines *lines, const char *text, uint32_t percent)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < lines->count; i++)
		found += memmem(lines->line[i].data, lines->line[i].size, text, strlen(text)) !=
			 NULL;
	return found > 0 && 100 * found >= percent * lines->count;
}

/* Several of the mark, and as many in all lines, the first one too. */
static bool is_regular(const struct lines *lines, char mark)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		uint32_t found = 0;

		for (size_t k = 0; k < lines->line[i].size; k++)
			found += lines->line[i].data[k] == mark;
		first = i == 0 ? found : first;
		if (found < 2 || found != first)
			return false;
	}
	return lines->count > 0;
}

/* How often spaces surround a delimiter, as in "a, b" and "a | b". */
static bool is_padded(const struct lines *lines, char delimiter)
{
	uint32_t all = 0, padded = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		const char *data = lines->line[i].data;
		size_t size = lines->line[i].size;

		for (size_t k = 0; k < size; k++) {
			if (data[k] != delimiter)
				continue;
			all++;
			padded += k + 1 < size && data[k + 1] == ' ';
		}
	}
	return 3 * padded >= all && padded > 0;
}

static struct text without_blanks(const char *data, size_t size)
{
	while (size > 0 && strchr(" \t", data[0])) {
		data++;
		size--;
	}
	while (size > 0 && strchr(" \t", data[size - 1]))
		size--;
	return text_from(data, size);
}

/* Every line that has the mark begins and ends with it: the table is drawn, as in Markdown. */
static bool is_frame(const struct lines *lines, char mark)
{
	uint32_t framed = 0;

	for (uint32_t i = 0; i < lines->count; i++) {
		struct text line = without_blanks(lines->line[i].data, lines->line[i].size);

		if (!memchr(line.data, mark, line.size))
			continue;
		if (line.size < 2 || line.data[0] != mark || line.data[line.size - 1] != mark)
			return false;
		framed++;
	}
	return framed > 1;
}

/* Also one that has spaces behind it says whether quotes may follow those: a, "b, c". */
static bool is_before_quotes(const char *sample, size_t size, const char *delimiter)
{
	size_t length = strlen(delimiter);
	const char *end = sample + size, *at = memmem(sample, size, delimiter, length);

	for (; at; at = memmem(at + 1, (size_t)(end - at - 1), delimiter, length))
		if ((size_t)(end - at) > length + 1 && at[length] == ' ' &&
			(at[length + 1] == '"' || at[length + 1] == '\''))
			return true;
	return false;
}

static void add_delimiter(struct delimiter *list, uint32_t *count, const char *text, bool trim,
	int64_t prior, int64_t prior_per_mark)
{
	struct delimiter *delimiter = &list[*count];

	if (*count == DELIMITERS_MAX)
		return;
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(list[i].text, text) == 0 && list[i].trim == trim)
			return;
	memcpy(delimiter->text, text, strlen(text) + 1);
	delimiter->trim = trim;
	delimiter->framed = false;
	delimiter->prior = prior;
	delimiter->prior_per_mark = prior_per_mark;
	delimiter->prior_per_row = 0;
	++*count;
}

static bool may_be_in_long(char c)
{
	return c == '\t' ||
	       (c > ' ' && c < 0x7f && !strchr("\"'.-_()[]{}", c) && !(c >= '0' && c <= '9') &&
		       !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'));
}

/* "||" and "~|~" are delimiters; "://" and "/>" stand in texts, and ",," is an empty field. */
static bool reads_both_ways(const char *text, size_t length)
{
	for (size_t i = 0; i < length / 2; i++)
		if (text[i] != text[length - 1 - i])
			return false;
	return true;
}

static bool is_empty_fields(const char *text, size_t length)
{
	return strspn(text, (char[]){text[0], '\0'}) == length && strchr(",;\t", text[0]);
}

/* Runs of two to four marks that stand in most lines. */
static void add_long(const struct lines *lines, struct delimiter *list, uint32_t *count)
{
	const char *data = lines->line[lines->count / 2].data;
	size_t size = lines->count ? lines->line[lines->count / 2].size : 0;

	for (size_t at = 0; at < size;) {
		size_t run = 0;
		char text[CSV_DELIMITER_MAX + 1] = "";

		while (at + run < size && may_be_in_long(data[at + run]))
			run++;
		for (size_t length = 2; length <= 4 && length <= run; length++) {
			memcpy(text, data + at, length);
			text[length] = '\0';
			if (!is_empty_fields(text, length) &&
				is_common(lines, text, UNUSUAL_PERCENT))
				add_delimiter(list, count, text, false, LONG_PRIOR,
					reads_both_ways(text, length) ? 0 : LONG_PER_MARK);
		}
		at += run + 1;
	}
}

/* The first line, which has the names more often than not, has a usual delimiter. */
static bool starts_with_several(const struct lines *lines)
{
	uint32_t first = 0;

	while (first + 1 < lines->count && lines->line[first].data[0] == '#')
		first++;
	for (size_t i = 0; first < lines->count && i < lines->line[first].size; i++)
		if (lines->line[first].data[i] && strchr(usual, lines->line[first].data[i]))
			return true;
	return false;
}

/* A sign that is no letter, such as the section sign; its size, or 0. */
static size_t sign_size(const char *at, size_t size)
{
	size_t length;
	uint32_t c = utf8_decode(at, size, &length);

	return (c > 0xa0 && c < 0xc0) || (c >= 0x2010 && c < 0x2c00) ? length : 0;
}

/* Signs beyond ASCII of a line in the middle that stand in the first one and in most others. */
static void add_signs(const struct lines *lines, struct delimiter *list, uint32_t *count)
{
	const char *data = lines->line[lines->count / 2].data;
	size_t size = lines->count ? lines->line[lines->count / 2].size : 0;

	for (size_t at = 0; at < size; at++) {
		size_t length =
			(unsigned char)data[at] < 0x80 ? 0 : sign_size(data + at, size - at);
		char text[CSV_DELIMITER_MAX + 1] = "";

		memcpy(text, data + at, length);
		if (length > 0 && memmem(lines->line[0].data, lines->line[0].size, text, length) &&
			is_common(lines, text, UNUSUAL_PERCENT))
			add_delimiter(list, count, text, false, UNUSUAL_PRIOR, UNUSUAL_PER_MARK);
	}
}

/* Backslashes with which lines end make the line ends part of the text. */
static bool escapes_line_ends(const char *sample, size_t size)
{
	return memmem(sample, size, "\\\n", 2) || memmem(sample, size, "\\\r\n", 3);
}

static uint32_t find_delimiters(
	const char *sample, size_t size, const struct lines *lines, struct delimiter *list)
{
	uint32_t count = 0;
	int64_t none_per_row = -COST_ONE_CELL;

	for (const char *c = usual; *c; c++) {
		if (!is_common(lines, (char[]){*c, '\0'}, USUAL_PERCENT))
			continue;
		none_per_row = 0;
		add_delimiter(list, &count, (char[]){*c, '\0'}, false, 0, 0);
		if (*c == '|' && is_frame(lines, *c)) {
			add_delimiter(list, &count, (char[]){*c, '\0'}, true, CELL_BIT, 0);
			list[count - 1].framed = true;
		} else if (is_padded(lines, *c)) {
			add_delimiter(list, &count, (char[]){*c, '\0'}, true, CELL_BIT, 0);
		}
	}
	add_long(lines, list, &count);
	for (const char *c = unusual; *c; c++) {
		if (!is_common(lines, (char[]){*c, '\0'}, UNUSUAL_PERCENT) ||
			(*c == '\\' && escapes_line_ends(sample, size)))
			continue;
		add_delimiter(list, &count, (char[]){*c, '\0'}, *c == ' ', UNUSUAL_PRIOR,
			UNUSUAL_PER_MARK);
		if (is_regular(lines, *c))
			none_per_row = 0;
	}
	for (int c = 1; c < ' '; c++) {
		char text[] = {(char)c, '\0'};

		if (c != '\t' && c != '\n' && c != '\r' && is_common(lines, text, UNUSUAL_PERCENT))
			add_delimiter(list, &count, text, false, 0, 0);
	}
	add_signs(lines, list, &count);
	for (uint32_t i = 0, found = count; i < found; i++)
		if (!list[i].trim && is_before_quotes(sample, size, list[i].text))
			add_delimiter(list, &count, list[i].text, true, list[i].prior + CELL_BIT,
				list[i].prior_per_mark);
	add_delimiter(list, &count, "", false, starts_with_several(lines) ? NONE_PRIOR : 0, 0);
	/* Where none of the usual ones is, one column is as likely as an unusual delimiter. */
	list[count - 1].prior_per_row = list[count - 1].text[0] ? 0 : none_per_row;
	return count;
}

/* A quote that stands at the start or the end of something that might be a field. */
static bool may_quote(const char *sample, size_t size, const char *delimiter, char quote)
{
	const char *end = sample + size, *at = memchr(sample, quote, size);

	for (; at; at = memchr(at + 1, quote, (size_t)(end - at - 1)))
		if (at == sample || at[-1] == '\n' || at[-1] == '\r' || at[-1] == ' ' ||
			(delimiter[0] && at[-1] == delimiter[strlen(delimiter) - 1]))
			return true;
	return false;
}

static bool has_escapes(const char *sample, size_t size, char quote, const char *delimiter)
{
	char quoted[] = {'\\', quote, '\0'}, plain[] = {'\\', delimiter[0], '\0'};

	return memmem(sample, size, quoted, 2) || escapes_line_ends(sample, size) ||
	       (plain[1] && memmem(sample, size, plain, 2));
}

/* Adds the delimiter with every quote and escape that may go with it. */
static void add_candidates(const char *sample, size_t size, const struct csv_dialect *declared,
	const struct delimiter *delimiter, struct candidate *out, uint32_t *count)
{
	const char quotes[] = {'"', '\'', '\0'};
	bool quoted = may_quote(sample, size, delimiter->text, '"');

	for (int q = 0; q < 3; q++) {
		struct candidate candidate = {.dialect = *declared,
			.prior = delimiter->prior + (q ? QUOTE_PRIOR : 0),
			.prior_per_mark = delimiter->prior_per_mark,
			.prior_per_row = delimiter->prior_per_row};
		struct csv_dialect *dialect = &candidate.dialect;

		if (!(declared->given & CSV_GIVEN_DELIMITER)) {
			memcpy(dialect->delimiter, delimiter->text, sizeof(delimiter->text));
			dialect->trim = delimiter->trim;
			dialect->framed = delimiter->framed;
		}
		if (!(declared->given & CSV_GIVEN_QUOTE)) {
			dialect->quote = quotes[q];
			if (q == 1 && !may_quote(sample, size, delimiter->text, '\''))
				continue;
			if (q == 2 && !quoted)
				continue;
		} else if (q > 0) {
			break;
		}
		for (int escape = 0; escape < 2 && *count < CANDIDATES_MAX; escape++) {
			if (!(declared->given & CSV_GIVEN_ESCAPE)) {
				dialect->escape = escape ? '\\' : '\0';
				if (escape &&
					!has_escapes(sample, size, dialect->quote, delimiter->text))
					break;
			} else if (escape) {
				break;
			}
			candidate.prior += escape * ESCAPE_PRIOR;
			out[(*count)++] = candidate;
		}
	}
}

uint32_t candidates_of(const char *sample, size_t size, const struct csv_dialect *declared,
	struct candidate out[CANDIDATES_MAX])
{
	struct delimiter delimiters[DELIMITERS_MAX];
	struct csv_dialect base = *declared;
	struct lines lines;
	uint32_t count = 0, delimiter_count = 0, alone, newlines;

	base.line_end = line_end_of(sample, size);
	count_line_ends(sample, size, &alone, &newlines);
	find_lines(sample, size, alone > 0 ? CSV_LINES_CR : base.line_end, &lines);
	if (declared->given & CSV_GIVEN_DELIMITER)
		add_delimiter(
			delimiters, &delimiter_count, declared->delimiter, declared->trim, 0, 0);
	else
		delimiter_count = find_delimiters(sample, size, &lines, delimiters);
	for (uint32_t i = 0; i < delimiter_count; i++)
		add_candidates(sample, size, &base, &delimiters[i], out, &count);
	/* Where both end lines, perhaps, the other answer is tried as well. */
	for (uint32_t i = count; alone > 0 && newlines > 0 && i-- > 0 && count < CANDIDATES_MAX;) {
		out[count] = out[i];
		out[count].prior += CELL_BIT;
		out[count++].dialect.line_end =
			base.line_end == CSV_LINES_CR ? CSV_LINES_LF : CSV_LINES_CR;
	}
	return count;
}
