#include "column/statistics.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a text that its number has: as many as a double holds exactly. */
#define PREFIX_BYTES 6

bool statistics_cover(enum type_kind kind)
{
	enum physical physical = type_physical(kind);

	return physical != PHYSICAL_LIST && physical != PHYSICAL_INTERVAL;
}

static double text_number(struct text text)
{
	double number = 0;

	for (uint32_t i = 0; i < PREFIX_BYTES; i++)
		number = number * 256 + (i < text.size ? (uint8_t)text.data[i] : 0);
	return number;
}

double statistics_number(const struct value *value)
{
	switch (type_physical(value->type.kind)) {
	case PHYSICAL_U8: return value->boolean;
	case PHYSICAL_I64: return (double)value->i64;
	case PHYSICAL_NUM: return numeric_to_double(value->num);
	case PHYSICAL_F64: return value->f64;
	case PHYSICAL_TEXT: return text_number(value->text);
	case PHYSICAL_LIST:
	case PHYSICAL_INTERVAL: break;
	}
	return 0;
}

uint64_t statistics_key(const struct value *value)
{
	double number;
	uint64_t bits;

	if (type_physical(value->type.kind) == PHYSICAL_TEXT)
		return hash_bytes(value->text.data, value->text.size);
	number = statistics_number(value) + 0.0; /* -0 is 0 */
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

double statistics_equal(const struct column_statistics *column, uint64_t key)
{
	double rest = 1 - column->nulls, others = column->distinct - column->common_count;

	for (uint32_t i = 0; i < column->common_count; i++) {
		if (column->common[i].key == key)
			return column->common[i].share;
		rest -= column->common[i].share;
	}
	/* What the sample has not seen is rare, but may be there. */
	return (rest > 0 ? rest : 0) / (others > 1 ? others : 1);
}

/* The share of the values that are less than the number. */
static double share_below(const struct column_statistics *column, double number)
{
	uint32_t last = column->bound_count - 1;

	for (uint32_t i = 1; i <= last; i++) {
		double low = column->bounds[i - 1], high = column->bounds[i];

		if (number <= low)
			return (double)(i - 1) / last;
		if (number < high)
			return ((double)(i - 1) + (number - low) / (high - low)) / last;
	}
	return 1;
}

double statistics_between(const struct column_statistics *column, double least, double greatest)
{
	double share = share_below(column, greatest) - share_below(column, least);
	double one = column->distinct > 1 ? 1 / column->distinct : 1;

	return (share > one ? share : one) * (1 - column->nulls);
}

void statistics_write(const struct table_statistics *statistics, struct buf *out)
{
	buf_printf(out, "rows %.17g bytes %.17g", statistics->rows, statistics->row_bytes);
	for (uint32_t c = 0; c < statistics->column_count; c++) {
		const struct column_statistics *column = &statistics->columns[c];

		if (column->distinct == 0)
			continue;
		buf_printf(out, "; %u distinct %.17g nulls %.17g common", c, column->distinct,
			column->nulls);
		for (uint32_t i = 0; i < column->common_count; i++)
			buf_printf(
				out, " %lx %.17g", column->common[i].key, column->common[i].share);
		buf_append_text(out, " bounds");
		for (uint32_t i = 0; i < column->bound_count; i++)
			buf_printf(out, " %.17g", column->bounds[i]);
	}
}

/* Reading: each moves `*at` behind what it has read. */
static bool skip_word(const char **at, const char *word)
{
	size_t size = strlen(word);

	while (**at == ' ')
		(*at)++;
	if (strncmp(*at, word, size) != 0)
		return false;
	*at += size;
	return true;
}

static bool read_number(const char **at, double least, double greatest, double *out)
{
	char *end;

	*out = strtod(*at, &end);
	if (end == *at || !isfinite(*out) || *out < least || *out > greatest)
		return false;
	*at = end;
	return true;
}

static bool read_common(const char **at, struct column_statistics *column)
{
	while (!skip_word(at, "bounds")) {
		struct common_value *common = &column->common[column->common_count];
		char *end;

		if (column->common_count == STATISTICS_COMMON_MAX)
			return false;
		common->key = strtoul(*at, &end, 16);
		if (end == *at)
			return false;
		*at = end;
		if (!read_number(at, 0, 1, &common->share))
			return false;
		column->common_count++;
	}
	return true;
}

static bool read_bounds(const char **at, struct column_statistics *column)
{
	while (**at == ' ') {
		double least =
			column->bound_count ? column->bounds[column->bound_count - 1] : -HUGE_VAL;

		if (column->bound_count == STATISTICS_BOUNDS_MAX ||
			!read_number(at, least, HUGE_VAL, &column->bounds[column->bound_count]))
			return false;
		column->bound_count++;
	}
	return column->bound_count != 1;
}

static bool read_column(const char **at, struct table_statistics *statistics)
{
	struct column_statistics *column;
	double index;

	if (!read_number(at, 0, UINT32_MAX, &index) || index >= statistics->column_count)
		return false;
	column = &statistics->columns[(uint32_t)index];
	return column->distinct == 0 && skip_word(at, "distinct") &&
	       read_number(at, 1, HUGE_VAL, &column->distinct) && skip_word(at, "nulls") &&
	       read_number(at, 0, 1, &column->nulls) && skip_word(at, "common") &&
	       read_common(at, column) && read_bounds(at, column);
}

struct table_statistics *statistics_read(
	const char *text, uint32_t column_count, struct arena *arena)
{
	struct table_statistics *out = arena_zalloc(arena, sizeof(*out));

	out->column_count = column_count;
	out->columns = arena_zalloc(arena, (column_count + 1) * sizeof(*out->columns));
	if (!skip_word(&text, "rows") || !read_number(&text, 0, HUGE_VAL, &out->rows) ||
		!skip_word(&text, "bytes") || !read_number(&text, 0, HUGE_VAL, &out->row_bytes))
		return NULL;
	while (*text == ';') {
		text++;
		if (!read_column(&text, out))
			return NULL;
	}
	return *text == '\0' ? out : NULL;
}
