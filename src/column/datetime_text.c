#include "column/datetime_text.h"

#include "column/datetime.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* PostgreSQL's own limits. */
#define FIELDS_MAX	  25
#define TEXT_MAX	  128
#define WORD_SIGNIFICANT  10
#define ZONE_HOURS_MAX	  15
#define MICROS_PER_MINUTE (60 * MICROS_PER_SECOND)
#define MICROS_PER_HOUR	  (3600 * MICROS_PER_SECOND)
#define JULIAN_OF_1970	  2440588

/* What a text has said so far, a bit each. */
enum known {
	YEAR = 1,
	MONTH = 2,
	DAY = 4,
	DATE = YEAR | MONTH | DAY,
	TIME = 8,
	ZONE = 16,
	DAY_OF_YEAR = 32,
	HALF = 64,
	ERA = 128,
	WEEKDAY = 256,
};

enum form {
	FORM_NUMBER, /* 1999, 040506.7 */
	FORM_DATE,   /* 1999-01-08, 08-Jan-99, america/new_york */
	FORM_TIME,   /* 04:05:06 */
	FORM_ZONE,   /* +01:30 */
	FORM_WORD,
};

struct date_field {
	enum form form;
	struct text text; /* in lower case */
};

enum label {
	LABEL_NONE,
	LABEL_JULIAN, /* the next number counts days */
	LABEL_TIME,   /* the next number is a time: the T of ISO 8601 */
};

struct decoder {
	struct date_field fields[FIELDS_MAX];
	uint32_t count;
	unsigned known;
	enum label label;
	bool month_was_word;
	bool two_digits; /* of the year */
	bool before_christ;
	bool is_julian;
	bool time_only;
	bool out_of_range;
	int half; /* 1 AM, 2 PM */
	int64_t year, month, day, day_of_year, julian;
	int64_t time;
	struct datetime_reading *out;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_one_of(char c, const char *marks)
{
	return c != '\0' && strchr(marks, c);
}

/* -- Words -- */

enum date_word_kind {
	WORD_UNKNOWN,
	WORD_IGNORED,
	WORD_MONTH,
	WORD_WEEKDAY,
	WORD_HALF,
	WORD_ERA,
	WORD_EPOCH,
	WORD_MIDNIGHT,
	WORD_JULIAN,
	WORD_TIME,
	WORD_INFINITY,
	WORD_NOW,
	WORD_RELATIVE, /* so many days behind today */
	WORD_SUMMER,   /* DST behind a zone: an hour more */
};

struct word {
	const char *name;
	enum date_word_kind kind;
	int value;
};

static const struct word words[] = {
	{"-infinity", WORD_INFINITY, -1},
	{"infinity", WORD_INFINITY, 1},
	{"now", WORD_NOW, 0},
	{"today", WORD_RELATIVE, 0},
	{"tomorrow", WORD_RELATIVE, 1},
	{"yesterday", WORD_RELATIVE, -1},
	{"ad", WORD_ERA, 0},
	{"bc", WORD_ERA, 1},
	{"allballs", WORD_MIDNIGHT, 0},
	{"am", WORD_HALF, 1},
	{"pm", WORD_HALF, 2},
	{"at", WORD_IGNORED, 0},
	{"on", WORD_IGNORED, 0},
	{"epoch", WORD_EPOCH, 0},
	{"j", WORD_JULIAN, 0},
	{"jd", WORD_JULIAN, 0},
	{"julian", WORD_JULIAN, 0},
	{"t", WORD_TIME, 0},
	{"dst", WORD_SUMMER, 0},
	{"jan", WORD_MONTH, 1},
	{"january", WORD_MONTH, 1},
	{"feb", WORD_MONTH, 2},
	{"february", WORD_MONTH, 2},
	{"mar", WORD_MONTH, 3},
	{"march", WORD_MONTH, 3},
	{"apr", WORD_MONTH, 4},
	{"april", WORD_MONTH, 4},
	{"may", WORD_MONTH, 5},
	{"jun", WORD_MONTH, 6},
	{"june", WORD_MONTH, 6},
	{"jul", WORD_MONTH, 7},
	{"july", WORD_MONTH, 7},
	{"aug", WORD_MONTH, 8},
	{"august", WORD_MONTH, 8},
	{"sep", WORD_MONTH, 9},
	{"sept", WORD_MONTH, 9},
	{"september", WORD_MONTH, 9},
	{"oct", WORD_MONTH, 10},
	{"october", WORD_MONTH, 10},
	{"nov", WORD_MONTH, 11},
	{"november", WORD_MONTH, 11},
	{"dec", WORD_MONTH, 12},
	{"december", WORD_MONTH, 12},
	{"sun", WORD_WEEKDAY, 0},
	{"sunday", WORD_WEEKDAY, 0},
	{"mon", WORD_WEEKDAY, 0},
	{"monday", WORD_WEEKDAY, 0},
	{"tue", WORD_WEEKDAY, 0},
	{"tues", WORD_WEEKDAY, 0},
	{"tuesday", WORD_WEEKDAY, 0},
	{"wed", WORD_WEEKDAY, 0},
	{"weds", WORD_WEEKDAY, 0},
	{"wednesday", WORD_WEEKDAY, 0},
	{"thu", WORD_WEEKDAY, 0},
	{"thur", WORD_WEEKDAY, 0},
	{"thurs", WORD_WEEKDAY, 0},
	{"thursday", WORD_WEEKDAY, 0},
	{"fri", WORD_WEEKDAY, 0},
	{"friday", WORD_WEEKDAY, 0},
	{"sat", WORD_WEEKDAY, 0},
	{"saturday", WORD_WEEKDAY, 0},
};

/* PostgreSQL looks at no more than the first ten letters. */
static bool word_is(struct text text, const char *name)
{
	size_t size = strlen(name);
	size_t given = text.size < WORD_SIGNIFICANT ? text.size : WORD_SIGNIFICANT;

	size = size < WORD_SIGNIFICANT ? size : WORD_SIGNIFICANT;
	return size == given && memcmp(text.data, name, size) == 0;
}

static const struct word *find_word(struct text text)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (word_is(text, words[i].name))
			return &words[i];
	return NULL;
}

/*
 * PostgreSQL's default set, but for those that have stood for different offsets at different times,
 * such as MSK, which zone.c has. Minutes east of UTC.
 */
static const struct {
	const char *name;
	int16_t minutes;
} abbreviations[] = {{"acdt", 630}, {"acsst", 630}, {"acst", 570}, {"act", -300}, {"acwst", 525},
	{"adt", -180}, {"aedt", 660}, {"aesst", 660}, {"aest", 600}, {"aft", 270}, {"akdt", -480},
	{"akst", -540}, {"almst", 420}, {"almt", 360}, {"amt", -240}, {"ast", -240}, {"awsst", 540},
	{"awst", 480}, {"azost", 0}, {"azot", -60}, {"bdst", 120}, {"bdt", 360}, {"bnt", 480},
	{"bort", 480}, {"bot", -240}, {"bra", -180}, {"brst", -120}, {"brt", -180}, {"bst", 60},
	{"btt", 360}, {"cadt", 630}, {"cast", 570}, {"cct", 480}, {"cdt", -300}, {"cest", 120},
	{"cet", 60}, {"cetdst", 120}, {"chadt", 825}, {"chast", 765}, {"chut", 600}, {"clst", -180},
	{"cot", -300}, {"cst", -360}, {"cxt", 420}, {"ddut", 600}, {"eat", 180}, {"edt", -240},
	{"eest", 180}, {"eet", 120}, {"eetdst", 180}, {"egst", 0}, {"egt", -60}, {"est", -300},
	{"fet", 180}, {"fjst", 780}, {"fjt", 720}, {"fnst", -60}, {"fnt", -120}, {"galt", -360},
	{"gamt", -540}, {"gft", -180}, {"gilt", 720}, {"gmt", 0}, {"hkt", 480}, {"hst", -600},
	{"ict", 420}, {"idt", 180}, {"irt", 210}, {"ist", 120}, {"jayt", 540}, {"jst", 540},
	{"kdt", 600}, {"kgst", 360}, {"kst", 540}, {"lhst", 630}, {"ligt", 600}, {"mart", -570},
	{"mdt", -360}, {"mest", 120}, {"mesz", 120}, {"met", 60}, {"metdst", 120}, {"mez", 60},
	{"mht", 720}, {"mmt", 390}, {"mpt", 600}, {"msd", 240}, {"mst", -420}, {"must", 300},
	{"mut", 240}, {"mvt", 300}, {"myt", 480}, {"ndt", -150}, {"nft", -210}, {"npt", 345},
	{"nst", -210}, {"nzdt", 780}, {"nzst", 720}, {"nzt", 720}, {"pdt", -420}, {"pet", -300},
	{"pgt", 600}, {"pht", 480}, {"pkst", 360}, {"pkt", 300}, {"pmdt", -120}, {"pmst", -180},
	{"pont", 660}, {"pst", -480}, {"pwt", 540}, {"pyst", -180}, {"ret", 240}, {"sadt", 630},
	{"sast", 120}, {"sct", 240}, {"taht", -600}, {"tft", 300}, {"tjt", 300}, {"tot", 780},
	{"trut", 600}, {"tvt", 720}, {"uct", 0}, {"ulast", 540}, {"ut", 0}, {"utc", 0},
	{"uyst", -120}, {"uyt", -180}, {"uzst", 360}, {"uzt", 300}, {"vut", 660}, {"wadt", 480},
	{"wakt", 720}, {"wast", 420}, {"wat", 60}, {"wdt", 540}, {"wet", 0}, {"wetdst", 60},
	{"wft", 720}, {"wgst", -120}, {"wgt", -180}, {"xjt", 360}, {"yapt", 600}, {"yekst", 360},
	{"z", 0}, {"zulu", 0}};

bool zone_abbreviation(const char *name, size_t size, int32_t *offset)
{
	for (size_t i = 0; i < sizeof(abbreviations) / sizeof(abbreviations[0]); i++) {
		if (strlen(abbreviations[i].name) != size ||
			strncasecmp(abbreviations[i].name, name, size) != 0)
			continue;
		*offset = abbreviations[i].minutes * 60;
		return true;
	}
	return false;
}

/* -- Fields -- */

/* A cursor over the text in lower case, which ends in a zero. */
struct text_cursor {
	const char *at;
};

static void skip_digits(struct text_cursor *c)
{
	while (is_digit(*c->at))
		c->at++;
}

static void skip_letters(struct text_cursor *c)
{
	while (is_letter(*c->at))
		c->at++;
}

/* One that begins with a digit. */
static enum form cut_number(struct text_cursor *c)
{
	char mark;

	skip_digits(c);
	if (*c->at == ':') {
		while (is_digit(*c->at) || is_one_of(*c->at, ":."))
			c->at++;
		return FORM_TIME;
	}
	if (!is_one_of(*c->at, "-/."))
		return FORM_NUMBER;
	mark = *c->at++;
	if (!is_digit(*c->at)) {
		while (is_digit(*c->at) || is_letter(*c->at) || *c->at == mark)
			c->at++;
		return FORM_DATE;
	}
	skip_digits(c);
	if (*c->at != mark)
		return mark == '.' ? FORM_NUMBER : FORM_DATE;
	while (is_digit(*c->at) || *c->at == mark)
		c->at++;
	return FORM_DATE;
}

/* One that begins with a letter: a word, or a date or the name of a zone with marks in it. */
static enum form cut_word(struct text_cursor *c)
{
	const char *start = c->at;
	bool is_date;

	skip_letters(c);
	is_date = is_one_of(*c->at, "-/.");
	if (!is_date && (*c->at == '+' || is_digit(*c->at)))
		is_date = !find_word(text_from(start, (size_t)(c->at - start)));
	while (is_date && (is_digit(*c->at) || is_letter(*c->at) || is_one_of(*c->at, "+-/_.:")))
		c->at++;
	return is_date ? FORM_DATE : FORM_WORD;
}

/* A sign: of a zone, or of a word. */
static bool cut_signed(struct text_cursor *c, enum form *form)
{
	const char *next = c->at + 1;

	if (is_digit(*next)) {
		*form = FORM_ZONE;
		c->at++;
		while (is_digit(*c->at) || is_one_of(*c->at, ":.-"))
			c->at++;
		return true;
	}
	*form = FORM_WORD;
	c->at++;
	skip_letters(c);
	return c->at > next;
}

static bool cut_fields(struct decoder *d, const char *text)
{
	struct text_cursor c = {text};

	while (*c.at) {
		const char *start = c.at;
		enum form form = FORM_NUMBER;

		if (is_digit(*c.at)) {
			form = cut_number(&c);
		} else if (*c.at == '.' && is_digit(c.at[1])) {
			c.at++;
			skip_digits(&c);
		} else if (is_letter(*c.at)) {
			form = cut_word(&c);
		} else if (*c.at == '+' || *c.at == '-') {
			if (!cut_signed(&c, &form))
				return false;
		} else if ((unsigned char)*c.at < 0x80) {
			c.at++; /* blanks and punctuation */
			continue;
		} else {
			return false;
		}
		if (d->count == FIELDS_MAX)
			return false;
		d->fields[d->count++] =
			(struct date_field){form, text_from(start, (size_t)(c.at - start))};
	}
	return d->count > 0;
}

/* -- Numbers -- */

static bool out_of_range(struct decoder *d)
{
	d->out_of_range = true;
	return false;
}

/* Digits from *at on, nine at most. */
static bool read_digits(const char **at, const char *end, int64_t *out)
{
	const char *start = *at;

	for (*out = 0; *at < end && is_digit(**at); ++*at)
		*out = *out < INT32_MAX ? *out * 10 + (**at - '0') : *out;
	return *at > start;
}

static bool learn(struct decoder *d, unsigned what)
{
	if (d->known & what)
		return false;
	d->known |= what;
	return true;
}

/* ".789" to the end, as a share of one. */
static bool read_share(const char *at, const char *end, double *share)
{
	double value = 0, unit = 1;

	*share = 0;
	if (at == end)
		return true;
	if (*at++ != '.')
		return false;
	for (; at < end && is_digit(*at); at++) {
		if (unit >= 1e15)
			continue;
		unit *= 10;
		value = value * 10 + (*at - '0');
	}
	*share = value / unit;
	return at == end;
}

/* The same in microseconds. */
static bool read_fraction(const char *at, const char *end, int64_t *micros)
{
	double share;

	if (!read_share(at, end, &share))
		return false;
	*micros = llrint(share * 1e6);
	return true;
}

static bool store_time(
	struct decoder *d, int64_t hour, int64_t minute, int64_t second, int64_t micros)
{
	d->time = hour * MICROS_PER_HOUR + minute * MICROS_PER_MINUTE + second * MICROS_PER_SECOND +
		  micros;
	if (hour > 24 || minute > 59 || second > 60 || d->time > MICROS_PER_DAY)
		return out_of_range(d);
	return learn(d, TIME);
}

static int64_t two_at(const char *at)
{
	return (at[0] - '0') * 10 + (at[1] - '0');
}

/* 19990108, 990108, 040506.789, 0405: by what is missing yet. */
static bool decode_run(struct decoder *d, struct text text, bool has_date)
{
	const char *point = memchr(text.data, '.', text.size);
	const char *end = text.data + text.size, *at = text.data;
	size_t size = point ? (size_t)(point - text.data) : text.size;
	int64_t micros = 0;

	if (point && !read_fraction(point, end, &micros))
		return false;
	if (!point && !has_date && size >= 6) {
		if (!read_digits(&at, end - 4, &d->year))
			return false;
		d->month = two_at(end - 4);
		d->day = two_at(end - 2);
		d->two_digits = size == 6;
		return learn(d, DATE);
	}
	if (d->known & TIME || (size != 6 && size != 4))
		return false;
	return store_time(d, two_at(at), two_at(at + 2), size == 6 ? two_at(at + 4) : 0, micros);
}

static bool learn_year(struct decoder *d, int64_t value, size_t size)
{
	d->year = value;
	d->two_digits = size <= 2;
	return learn(d, YEAR);
}

static bool learn_month(struct decoder *d, int64_t value)
{
	d->month = value;
	return learn(d, MONTH);
}

static bool learn_day(struct decoder *d, int64_t value)
{
	d->day = value;
	return learn(d, DAY);
}

/* One number of a date, by what is known: the order is month, day, year, or year, month, day. */
static bool decode_number(struct decoder *d, struct text text)
{
	const char *at = text.data, *end = at + text.size;
	int64_t value;

	if (!read_digits(&at, end, &value))
		return false;
	if (at < end) {
		/* A fraction has a place only behind a run of digits. */
		return *at == '.' && at - text.data > 2 && decode_run(d, text, true);
	}
	if (text.size == 3 && (d->known & DATE) == YEAR && value >= 1 && value <= 366) {
		d->day_of_year = value;
		return learn(d, DAY_OF_YEAR | MONTH | DAY);
	}
	switch (d->known & DATE) {
	case 0: return text.size >= 3 ? learn_year(d, value, text.size) : learn_month(d, value);
	case YEAR:
	case DAY: return learn_month(d, value);
	case MONTH:
		return d->month_was_word && text.size >= 3 ? learn_year(d, value, text.size)
							   : learn_day(d, value);
	case YEAR | MONTH:
		if (d->month_was_word && text.size >= 3 && d->two_digits) {
			/* The first number was the day. */
			d->day = d->year;
			d->year = value;
			d->two_digits = false;
			return learn(d, DAY);
		}
		return learn_day(d, value);
	case MONTH | DAY: return learn_year(d, value, text.size);
	default: return decode_run(d, text, true);
	}
}

static bool decode_month_word(struct decoder *d, const struct word *word)
{
	/* A number in the month's place was the day. */
	if (d->known & MONTH && !d->month_was_word && !(d->known & DAY)) {
		d->day = d->month;
		d->known = (d->known & ~(unsigned)MONTH) | DAY;
	}
	d->month_was_word = true;
	return learn_month(d, word->value);
}

/* A date in one field: its words first, since a month that is a word leaves no doubt. */
static bool decode_date(struct decoder *d, struct text text)
{
	const char *end = text.data + text.size;
	struct text parts[FIELDS_MAX];
	uint32_t count = 0;

	for (const char *at = text.data; at < end;) {
		const char *start;
		bool digits;

		while (at < end && !is_digit(*at) && !is_letter(*at))
			at++;
		start = at;
		digits = at < end && is_digit(*at);
		while (at < end && (digits ? is_digit(*at) : is_letter(*at)))
			at++;
		if (at == start || count == FIELDS_MAX)
			return false;
		parts[count++] = text_from(start, (size_t)(at - start));
		at += at < end && !is_digit(*at) && !is_letter(*at);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct word *word = is_letter(*parts[i].data) ? find_word(parts[i]) : NULL;

		if (!is_letter(*parts[i].data))
			continue;
		if (!word || word->kind != WORD_MONTH || d->known & MONTH)
			return false;
		d->month_was_word = true;
		(void)learn_month(d, word->value);
	}
	for (uint32_t i = 0; i < count; i++)
		if (is_digit(*parts[i].data) && !decode_number(d, parts[i]))
			return false;
	return (d->known & DATE) == DATE;
}

/* -- Times and zones -- */

static bool decode_time(struct decoder *d, struct text text)
{
	const char *at = text.data, *end = at + text.size;
	int64_t parts[3] = {0}, micros;
	unsigned count = 0;

	while (count < 3 && read_digits(&at, end, &parts[count])) {
		count++;
		if (at == end || *at != ':')
			break;
		at++;
	}
	if (count < 2 || !read_fraction(at, end, &micros))
		return false;
	if (count == 2 && memchr(text.data, '.', text.size)) {
		parts[2] = parts[1];
		parts[1] = parts[0];
		parts[0] = 0;
	}
	return store_time(d, parts[0], parts[1], parts[2], micros);
}

static bool decode_zone(struct decoder *d, struct text text)
{
	const char *at = text.data + 1, *end = text.data + text.size;
	int64_t hours, minutes = 0, seconds = 0;

	if (!read_digits(&at, end, &hours))
		return false;
	if (at < end && *at == ':') {
		at++;
		if (!read_digits(&at, end, &minutes))
			return false;
		if (at < end && *at == ':') {
			at++;
			if (!read_digits(&at, end, &seconds))
				return false;
		}
	} else if (text.size > 3) {
		minutes = hours % 100;
		hours /= 100;
	}
	if (at != end)
		return false;
	if (hours > ZONE_HOURS_MAX || minutes > 59 || seconds > 59)
		return out_of_range(d);
	d->out->offset = (int32_t)((hours * 60 + minutes) * 60 + seconds);
	if (*text.data == '-')
		d->out->offset = -d->out->offset;
	d->out->has_offset = true;
	return learn(d, ZONE);
}

static bool decode_zone_name(struct decoder *d, struct text text)
{
	d->out->zone = text;
	return learn(d, ZONE);
}

static bool decode_julian(struct decoder *d, struct text text)
{
	const char *at = text.data, *end = at + text.size;
	const char *stop;
	double share;

	if (!read_digits(&at, end, &d->julian))
		return false;
	d->label = LABEL_NONE;
	d->is_julian = true;
	if (at < end && *at == '.') {
		for (stop = at + 1; stop < end && is_digit(*stop);)
			stop++;
		if (!read_share(at, stop, &share) || !learn(d, TIME))
			return false;
		d->time = llrint(share * (double)MICROS_PER_DAY);
		at = stop;
	}
	if (at < end && !decode_zone(d, text_from(at, (size_t)(end - at))))
		return false;
	return learn(d, DATE);
}

/* -- A field -- */

/* Where only a time is wanted, a date may stand in front of it. */
static bool may_be_date(const struct decoder *d, uint32_t index)
{
	if (!d->time_only)
		return (d->known & (MONTH | DAY)) != (MONTH | DAY);
	return index == 0 && d->count >= 2 &&
	       (d->fields[d->count - 1].form == FORM_DATE || d->fields[1].form == FORM_TIME);
}

static bool decode_date_field(struct decoder *d, struct text text, uint32_t index)
{
	const char *minus;

	if (d->label == LABEL_JULIAN)
		return decode_julian(d, text);
	if (d->label == LABEL_NONE && may_be_date(d, index))
		return decode_date(d, text);
	if (d->label == LABEL_NONE && !is_digit(*text.data))
		return decode_zone_name(d, text);
	/* A run of digits that is a time, with its zone. */
	d->label = LABEL_NONE;
	minus = memchr(text.data, '-', text.size);
	if (!minus || d->known & TIME)
		return false;
	return decode_zone(d, text_from(minus, (size_t)(text.data + text.size - minus))) &&
	       decode_run(d, text_from(text.data, (size_t)(minus - text.data)), true);
}

static bool decode_number_field(struct decoder *d, struct text text)
{
	const char *point = memchr(text.data, '.', text.size);
	bool has_date = (d->known & DATE) == DATE || d->time_only;

	if (d->label == LABEL_JULIAN)
		return decode_julian(d, text);
	if (d->label == LABEL_TIME) {
		d->label = LABEL_NONE;
		return decode_run(d, text, true);
	}
	if (point && !(d->known & DATE) && !d->time_only)
		return decode_date(d, text);
	if (point && point - text.data > 2)
		return decode_run(d, text, has_date);
	if (d->time_only && !(d->known & TIME) && (text.size == 4 || text.size >= 6))
		return decode_run(d, text, has_date);
	if (text.size >= 6 && (!(d->known & DATE) || !(d->known & TIME)))
		return decode_run(d, text, has_date);
	return decode_number(d, text);
}

static bool decode_word(struct decoder *d, struct text text, uint32_t index)
{
	const struct word *word;
	int32_t offset;

	if (zone_abbreviation(text.data, text.size, &offset)) {
		d->out->offset = offset;
		d->out->has_offset = true;
		return learn(d, ZONE);
	}
	word = find_word(text);
	switch (word ? word->kind : WORD_UNKNOWN) {
	case WORD_IGNORED: return true;
	case WORD_MONTH: return decode_month_word(d, word);
	case WORD_WEEKDAY: return learn(d, WEEKDAY);
	case WORD_HALF: d->half = word->value; return learn(d, HALF);
	case WORD_ERA: d->before_christ = word->value == 1; return learn(d, ERA);
	case WORD_EPOCH:
		d->is_julian = true;
		d->julian = JULIAN_OF_1970;
		d->time = 0;
		d->out->has_offset = true;
		return learn(d, DATE | TIME | ZONE);
	case WORD_MIDNIGHT:
		d->time = 0;
		d->out->has_offset = true;
		return learn(d, TIME | ZONE);
	case WORD_JULIAN: d->label = LABEL_JULIAN; return true;
	case WORD_TIME:
		/* The T of 19990108T040506; a time follows. */
		d->label = LABEL_TIME;
		return ((d->known & DATE) == DATE || d->time_only) && index + 1 < d->count &&
		       d->fields[index + 1].form <= FORM_TIME;
	case WORD_SUMMER: d->out->offset += 3600; return (d->known & ZONE) != 0;
	case WORD_INFINITY:
		d->out->infinite = (int8_t)word->value;
		return d->count == 1 && !d->time_only;
	case WORD_NOW: d->out->clock = DATETIME_CLOCK_NOW; return learn(d, DATE | TIME | ZONE);
	case WORD_RELATIVE:
		d->out->clock = DATETIME_CLOCK_DAY;
		d->out->day = word->value;
		return !d->time_only && learn(d, DATE);
	default: return decode_zone_name(d, text);
	}
}

static bool decode_field(struct decoder *d, uint32_t index)
{
	struct text text = d->fields[index].text;

	switch (d->fields[index].form) {
	case FORM_NUMBER: return decode_number_field(d, text);
	case FORM_DATE: return decode_date_field(d, text, index);
	case FORM_TIME: d->label = LABEL_NONE; return decode_time(d, text);
	case FORM_ZONE: return decode_zone(d, text);
	case FORM_WORD: break;
	}
	return decode_word(d, text, index);
}

/* -- The whole -- */

static bool finish_date(struct decoder *d)
{
	if (d->is_julian) {
		d->out->day = d->julian - JULIAN_OF_1970;
		return (d->out->day >= DATE_DAYS_MIN && d->out->day <= DATE_DAYS_MAX) ||
		       out_of_range(d);
	}
	if (d->two_digits && d->year < 100 && !d->before_christ)
		d->year += d->year < 70 ? 2000 : 1900;
	if (d->before_christ || d->year < 1)
		d->year = d->before_christ && d->year > 0 ? 1 - d->year : INT32_MAX;
	if (d->known & DAY_OF_YEAR) {
		if (!civil_valid((int32_t)d->year, 1, 1) && d->year != -4713)
			return out_of_range(d);
		d->out->day = days_from_civil((int32_t)d->year, 1, 1) + d->day_of_year - 1;
		return civil_from_days(d->out->day).year == d->year || out_of_range(d);
	}
	if (d->month > 12 || d->day > 31 ||
		!civil_valid((int32_t)d->year, (unsigned)d->month, (unsigned)d->day))
		return out_of_range(d);
	d->out->day = days_from_civil((int32_t)d->year, (unsigned)d->month, (unsigned)d->day);
	/* West of Greenwich the first day is still the one before. */
	return d->out->day >= DATE_DAYS_MIN - 1 || out_of_range(d);
}

static bool finish_time(struct decoder *d)
{
	if (d->half != 0 && d->time >= 13 * MICROS_PER_HOUR)
		return out_of_range(d);
	if (d->half == 1 && d->time >= 12 * MICROS_PER_HOUR)
		d->time -= 12 * MICROS_PER_HOUR;
	if (d->half == 2 && d->time < 12 * MICROS_PER_HOUR)
		d->time += 12 * MICROS_PER_HOUR;
	d->out->time = d->time;
	return true;
}

static bool decode_all(struct decoder *d)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (!decode_field(d, i))
			return false;
	d->out->has_date = (d->known & DATE) == DATE;
	d->out->has_time = (d->known & TIME) != 0;
	if (d->out->infinite)
		return true;
	if (d->out->clock)
		return d->label == LABEL_NONE && finish_time(d);
	if (d->label != LABEL_NONE || (d->known & DATE && !d->out->has_date))
		return false;
	if (d->time_only ? !d->out->has_time : !d->out->has_date)
		return false;
	return (!d->out->has_date || finish_date(d)) && finish_time(d);
}

bool datetime_text_parse(const char *text, size_t size, bool time_only,
	struct datetime_reading *out, const char **reason)
{
	struct decoder decoder = {.time_only = time_only, .out = out};
	/* In lower case; names of zones point into the text itself. */
	char lower[TEXT_MAX + 1];

	*out = (struct datetime_reading){0};
	*reason = "not a date or time";
	if (size > TEXT_MAX || memchr(text, '\0', size))
		return false;
	for (size_t i = 0; i < size; i++)
		lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : text[i]);
	lower[size] = '\0';
	if (!cut_fields(&decoder, lower) || !decode_all(&decoder)) {
		if (decoder.out_of_range)
			*reason = "out of range";
		return false;
	}
	if (out->zone.size > 0)
		out->zone.data = text + (out->zone.data - lower);
	return true;
}
