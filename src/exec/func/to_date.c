/*
 * to_date and to_timestamp: texts read by a pattern, the way PostgreSQL reads them.
 *
 * A pattern is a list of pieces. Blanks in the text are skipped before and behind fields; a
 * separator of the pattern takes one separator of the text, or none where there is none; other
 * characters take one character, whichever it is. A field of digits reads no more of them than it
 * has letters, unless something that is not a digit follows. What stands behind the last piece is
 * ignored.
 */
#include "exec/expr/eval_private.h"

#include "column/datetime.h"

#include <string.h>
#include <strings.h>

#define PATTERN_PIECES_MAX 64
/* As much of a user's text as a message repeats. */
#define MESSAGE_TEXT_MAX 60

enum piece_kind {
	PIECE_SEPARATOR,
	PIECE_CHARACTER,
	/* fields of digits, and where their values are kept */
	PIECE_YEAR,
	PIECE_YEAR_SHORT,
	PIECE_MONTH,
	PIECE_DAY,
	PIECE_DAY_OF_YEAR,
	PIECE_HOUR_24,
	PIECE_HOUR_12,
	PIECE_MINUTE,
	PIECE_SECOND,
	PIECE_MILLISECOND,
	PIECE_MICROSECOND,
	/* words */
	PIECE_MONTH_NAME,
	PIECE_MONTH_SHORT,
	PIECE_DAY_NAME,
	PIECE_DAY_SHORT,
	PIECE_HALF,
	PIECE_KINDS,
};

static bool is_number(enum piece_kind kind)
{
	return kind >= PIECE_YEAR && kind <= PIECE_MICROSECOND;
}

struct piece {
	enum piece_kind kind;
	uint8_t width; /* of digits */
	bool open;     /* reads all digits there are */
};

struct pattern {
	uint32_t count;
	struct piece pieces[PATTERN_PIECES_MAX];
};

/* Longer ones before those that they begin with. */
static const struct field_name {
	const char *name;
	enum piece_kind kind;
	uint8_t width;
} field_names[] = {
	{"YYYY", PIECE_YEAR, 4},
	{"YY", PIECE_YEAR_SHORT, 2},
	{"MONTH", PIECE_MONTH_NAME, 0},
	{"MON", PIECE_MONTH_SHORT, 0},
	{"MM", PIECE_MONTH, 2},
	{"MI", PIECE_MINUTE, 2},
	{"MS", PIECE_MILLISECOND, 3},
	{"DDD", PIECE_DAY_OF_YEAR, 3},
	{"DD", PIECE_DAY, 2},
	{"DAY", PIECE_DAY_NAME, 0},
	{"DY", PIECE_DAY_SHORT, 0},
	{"HH24", PIECE_HOUR_24, 2},
	{"HH12", PIECE_HOUR_12, 2},
	{"HH", PIECE_HOUR_12, 2},
	{"SS", PIECE_SECOND, 2},
	{"US", PIECE_MICROSECOND, 6},
	{"AM", PIECE_HALF, 0},
	{"PM", PIECE_HALF, 0},
};

static const char *const month_names[] = {"January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December"};
static const char *const day_names[] = {
	"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ASCII that is neither a letter nor a digit, blanks included. */
static bool is_separator(char c)
{
	return is_blank(c) || (c > ' ' && c < 0x7f && !is_letter(c) && !is_digit(c));
}

/* -- Patterns -- */

static const struct field_name *find_field(const char *at, const char *end)
{
	for (size_t i = 0; i < sizeof(field_names) / sizeof(field_names[0]); i++) {
		size_t size = strlen(field_names[i].name);

		if ((size_t)(end - at) >= size && strncasecmp(field_names[i].name, at, size) == 0)
			return &field_names[i];
	}
	return NULL;
}

static int add_piece(struct pattern *pattern, struct piece piece, struct error *err)
{
	if (pattern->count == PATTERN_PIECES_MAX)
		return error_set(err, ERROR_SQL, "the pattern is too long");
	for (uint32_t i = 0; piece.kind >= PIECE_YEAR && i < pattern->count; i++)
		if (pattern->pieces[i].kind == piece.kind)
			return error_set(err, ERROR_SQL, "the pattern has a field twice");
	pattern->pieces[pattern->count++] = piece;
	return 0;
}

/* "..." up to its end; a backslash takes the next character as it is. */
static int add_quoted(struct pattern *pattern, const char **at, const char *end, struct error *err)
{
	const char *p = *at + 1;

	for (; p < end && *p != '"'; p = utf8_next(p, end)) {
		p += *p == '\\' && p + 1 < end;
		if (add_piece(pattern, (struct piece){.kind = PIECE_CHARACTER}, err) < 0)
			return -1;
	}
	*at = p < end ? p + 1 : end;
	return 0;
}

/* Whether what follows piece `i` ends a number. */
static bool ends_number(const struct pattern *pattern, uint32_t i)
{
	return i + 1 == pattern->count || !is_number(pattern->pieces[i + 1].kind);
}

static int pattern_compile(struct pattern *pattern, struct text text, struct error *err)
{
	const char *at = text.data, *end = at + text.size;

	while (at < end) {
		bool any_width = end - at > 2 && strncasecmp(at, "FM", 2) == 0;
		const struct field_name *field;
		struct piece piece = {.kind = PIECE_SEPARATOR};

		if (*at == '"') {
			if (add_quoted(pattern, &at, end, err) < 0)
				return -1;
			continue;
		}
		at += any_width ? 2 : 0;
		field = find_field(at, end);
		/* A letter, a digit or half of a character could mean what is not supported. */
		if (!field && (any_width || !is_separator(*at)))
			return error_set(err, ERROR_SQL,
				"the pattern \"%.*s\" of to_date and to_timestamp is not supported "
				"from \"%.*s\" on",
				(int)text.size, text.data, (int)(end - at), at);
		if (field)
			piece = (struct piece){field->kind, field->width, any_width};
		if (add_piece(pattern, piece, err) < 0)
			return -1;
		at += field ? strlen(field->name) : 1;
	}
	for (uint32_t i = 0; i < pattern->count; i++)
		pattern->pieces[i].open = pattern->pieces[i].open || ends_number(pattern, i);
	return 0;
}

static int prepare_pattern(struct site *site, struct error *err)
{
	struct pattern *pattern = arena_zalloc(site->arena, sizeof(*pattern));

	if (!site->constants[1])
		return error_set(err, ERROR_SQL, "the pattern of %s must be a constant",
			function_name(site->expr->function));
	site->state = pattern;
	return pattern_compile(pattern, site->constants[1]->text[0], err);
}

/* -- Reading -- */

struct date_reading {
	const char *at;
	const char *end;
	int skipped; /* blanks and separators more than the pattern had */
	int64_t values[PIECE_KINDS];
	bool has[PIECE_KINDS];
};

static void skip_blanks(struct date_reading *r)
{
	for (; r->at < r->end && is_blank(*r->at); r->at++)
		r->skipped++;
}

static bool read_number(struct date_reading *r, const struct piece *piece)
{
	static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
	int64_t value = 0;
	unsigned digits = 0;

	for (; r->at < r->end && is_digit(*r->at) && (piece->open || digits < piece->width);
		r->at++) {
		digits++;
		if (digits > 9)
			return false;
		value = value * 10 + (*r->at - '0');
	}
	if (digits == 0 || (!piece->open && digits < piece->width))
		return false;
	/* 5 is 500 milliseconds. */
	if (piece->kind == PIECE_MILLISECOND || piece->kind == PIECE_MICROSECOND) {
		if (digits > piece->width)
			return false;
		value *= powers[piece->width - digits];
	}
	/* Two digits of a year are those nearest to 2020. */
	if (piece->kind == PIECE_YEAR_SHORT && value < 100)
		value += value < 70 ? 2000 : 1900;
	r->values[piece->kind] = value;
	return true;
}

/* One of the words, of which the first `size` letters count, or all when it is 0. */
static bool read_word(struct date_reading *r, const char *const *words, unsigned count, size_t size,
	int64_t *index)
{
	for (unsigned i = 0; i < count; i++) {
		size_t length = size ? size : strlen(words[i]);

		if ((size_t)(r->end - r->at) >= length &&
			strncasecmp(words[i], r->at, length) == 0) {
			r->at += length;
			*index = i;
			return true;
		}
	}
	return false;
}

static bool read_field(struct date_reading *r, const struct piece *piece)
{
	static const char *const halves[] = {"AM", "PM"};
	int64_t *value = &r->values[piece->kind];
	bool read;

	skip_blanks(r);
	switch (piece->kind) {
	case PIECE_MONTH_NAME: read = read_word(r, month_names, 12, 0, value); break;
	case PIECE_MONTH_SHORT: read = read_word(r, month_names, 12, 3, value); break;
	case PIECE_DAY_NAME: read = read_word(r, day_names, 7, 0, value); break;
	case PIECE_DAY_SHORT: read = read_word(r, day_names, 7, 3, value); break;
	case PIECE_HALF: read = read_word(r, halves, 2, 0, value); break;
	default: read = read_number(r, piece); break;
	}
	r->has[piece->kind] = read;
	r->skipped = 0;
	skip_blanks(r);
	return read;
}

static bool read_pieces(struct date_reading *r, const struct pattern *pattern)
{
	for (uint32_t i = 0; i < pattern->count; i++) {
		const struct piece *piece = &pattern->pieces[i];

		/* A text that has ended leaves the rest of the fields as they are. */
		if (r->at == r->end)
			break;
		if (piece->kind >= PIECE_YEAR) {
			if (!read_field(r, piece))
				return false;
		} else if (piece->kind == PIECE_SEPARATOR) {
			skip_blanks(r);
			r->skipped--;
			if (r->at < r->end && is_separator(*r->at)) {
				r->at++;
				r->skipped++;
			}
		} else if (r->skipped > 0) {
			r->skipped--;
		} else {
			r->at = utf8_next(r->at, r->end);
		}
	}
	return true;
}

/* -- Values -- */

/* A zero is as good as nothing: month 00 is January. */
static int64_t value_of(const struct date_reading *r, enum piece_kind kind, int64_t otherwise)
{
	return r->has[kind] && r->values[kind] != 0 ? r->values[kind] : otherwise;
}

static bool make_day(const struct date_reading *r, int64_t *day)
{
	int64_t year = value_of(r, PIECE_YEAR, value_of(r, PIECE_YEAR_SHORT, 0));
	int64_t month = value_of(r, PIECE_MONTH, 1), of_month = value_of(r, PIECE_DAY, 1);
	int64_t of_year = value_of(r, PIECE_DAY_OF_YEAR, 0);
	int64_t length;

	if (r->has[PIECE_MONTH_NAME])
		month = r->values[PIECE_MONTH_NAME] + 1;
	if (r->has[PIECE_MONTH_SHORT])
		month = r->values[PIECE_MONTH_SHORT] + 1;
	if (year < 1 || year > 9999 || month > 12 || of_month > 31 ||
		!civil_valid((int32_t)year, (unsigned)month, (unsigned)of_month))
		return false;
	*day = days_from_civil((int32_t)year, (unsigned)month, (unsigned)of_month);
	if (of_year == 0)
		return true;
	*day = days_from_civil((int32_t)year, 1, 1) + of_year - 1;
	length = days_from_civil((int32_t)year + 1, 1, 1) - days_from_civil((int32_t)year, 1, 1);
	return of_year <= length;
}

static bool make_time(const struct date_reading *r, int64_t *time)
{
	int64_t hour = value_of(r, PIECE_HOUR_24, 0), minute = value_of(r, PIECE_MINUTE, 0);
	int64_t second = value_of(r, PIECE_SECOND, 0);

	if (r->has[PIECE_HOUR_12] || r->has[PIECE_HALF]) {
		bool afternoon = r->has[PIECE_HALF] && r->values[PIECE_HALF] == 1;

		hour = value_of(r, PIECE_HOUR_12, hour);
		if (hour < 1 || hour > 12)
			return false;
		hour = hour % 12 + (afternoon ? 12 : 0);
	}
	*time = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND +
		value_of(r, PIECE_MILLISECOND, 0) * 1000 + value_of(r, PIECE_MICROSECOND, 0);
	return hour < 24 && minute < 60 && second < 60;
}

static int run_read(struct call *call, struct error *err)
{
	bool is_date = call->type.kind == TYPE_DATE;

	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);
		struct date_reading reading = {.at = text.data, .end = text.data + text.size};
		int size = text.size < MESSAGE_TEXT_MAX ? (int)text.size : MESSAGE_TEXT_MAX;
		int64_t day, time;

		skip_blanks(&reading);
		if (!read_pieces(&reading, call->state))
			return error_set(err, ERROR_EVAL, "\"%.*s\" does not fit the pattern of %s",
				size, text.data, function_name(call->node->expr->function));
		if (!make_day(&reading, &day) || !make_time(&reading, &time))
			return error_set(err, ERROR_EVAL,
				"date/time field value out of range: \"%.*s\"", size, text.data);
		call->out->i64[i] = is_date ? day : day * MICROS_PER_DAY + time;
	}
	return 0;
}

const struct kernel *kernel_to_date_find(const struct expr *expr)
{
	static const struct kernel read = {.run = run_read, .prepare = prepare_pattern};

	return expr->function == FN_TO_DATE || expr->function == FN_TO_TIMESTAMP ? &read : NULL;
}
