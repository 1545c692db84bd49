/*
 * The rows of a generated coffee folder, formatted by hand into large buffers: at several hundred
 * megabytes a second and core the disk is what limits it.
 *
 * Amounts are integers of a thousandth. They print as exports from floating-point columns do: at
 * least one decimal, no trailing zeros (63.5, 9.0, 4.445). A row's choices come from as few draws
 * of the generator as possible, each cut into fields of bits.
 */
#include "gen/coffee_private.h"

#include "column/datetime.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define STORE_COUNT   10
#define ITEM_COUNT    8
#define PAYMENT_COUNT 5
#define LINES_MAX     3
#define QUANTITY_MAX  3
#define MONTH_DAYS    31

#define OPENING_MINUTE (7 * 60)
#define OPEN_MINUTES   (12 * 60)
#define BUSIEST_MINUTE (5 * 60 + 30) /* after opening: 12:30 */

/* A row of any table, every field in quotes, is shorter. */
#define ROW_MAX 512
static_assert(ROW_MAX * LINES_MAX <= GEN_WRITER_ROOM_MAX, "a transaction's lines fit in one room");

struct menu_item {
	const char *name;
	const char *category;
	uint32_t price; /* thousandths */
};

static const struct menu_item menu[ITEM_COUNT] = {
	{"Espresso", "coffee", 6000},
	{"Americano", "coffee", 7000},
	{"Latte", "coffee", 8000},
	{"Cappuccino", "coffee", 8000},
	{"Flat White", "coffee", 9000},
	{"Mocha", "coffee", 9500},
	{"Hot Chocolate", "non-coffee", 9000},
	{"Matcha Latte", "non-coffee", 10000},
};

#define STORE_FIELDS 7
/* Commas and quotes in some of them: a reader that does not know quoting goes wrong at once. */
static const char *const stores[STORE_COUNT][STORE_FIELDS] = {
	{"Sieve Coffee @ Harbour Gate", "12 Quay Street", "50100", "Harbour Gate", "North Coast",
		"3.117134", "101.615027"},
	{"Sieve Coffee @ Old Mill", "Mill Lane 6, Unit B", "63800", "Old Mill", "River Valley",
		"2.959571", "101.51772"},
	{"Sieve Coffee @ University", "5 Library Walk", "62100", "University", "Capital",
		"2.951038", "101.663698"},
	{"Sieve Coffee @ Station \"East\"", "Platform Road 1", "62900", "Eastside", "Capital",
		"2.914594", "101.704486"},
	{"Sieve Coffee @ Seventh Avenue", "700 Seventh Avenue", "62500", "Midtown", "Capital",
		"2.937599", "101.698478"},
	{"Sieve Coffee @ Lakeview, Pier 3", "The \"Glass\" House, Pier 3", "63500", "Lakeview",
		"River Valley", "3.279175", "101.784923"},
	{"Sieve Coffee @ Botanic Garden", "1 Greenhouse Path", "65400", "Garden Hill",
		"River Valley", "3.22081", "101.58459"},
	{"Sieve Coffee @ Market Hall", "Market Square 22", "58600", "Old Town", "North Coast",
		"3.140674", "101.706562"},
	{"Sieve Coffee @ Airport", "Terminal 2, Level 1", "62400", "Airport", "Capital", "2.952444",
		"101.702623"},
	{"Sieve Coffee @ Caf\xc3\xa9 Row", "9 Caf\xc3\xa9 Row", "67100", "Hillside", "River Valley",
		"3.497178", "101.595271"},
};

/* A promotion: `percent` of the amount or, when that is 0, a fixed amount. */
struct voucher {
	uint32_t id;
	uint32_t percent;
	uint32_t fixed; /* thousandths */
	int32_t year;
	uint32_t month;
	uint32_t day;
	uint32_t days;
};

static const struct voucher vouchers[] = {
	{1, 7, 0, 2023, 7, 7, 3},
	{2, 8, 0, 2023, 8, 8, 3},
	{3, 9, 0, 2023, 9, 9, 3},
	{4, 10, 0, 2023, 10, 10, 3},
	{5, 11, 0, 2023, 11, 11, 3},
	{6, 0, 5000, 2023, 8, 31, 3},
	{7, 6, 0, 2024, 6, 6, 3},
	{8, 7, 0, 2024, 7, 7, 3},
	{9, 8, 0, 2024, 8, 8, 3},
	{10, 9, 0, 2024, 9, 9, 3},
	{11, 10, 0, 2024, 10, 10, 3},
	{12, 11, 0, 2024, 11, 11, 3},
	{13, 0, 5000, 2024, 8, 31, 3},
	{14, 50, 0, 2024, 5, 1, 1},
	{15, 6, 0, 2025, 6, 6, 3},
	{16, 50, 0, 2025, 5, 1, 1},
};

/* --- bytes --- */

static inline char *put_text(char *out, const char *text, size_t size)
{
	memcpy(out, text, size);
	return out + size;
}

static inline char *put_two(char *out, uint32_t value)
{
	out[0] = (char)('0' + value / 10);
	out[1] = (char)('0' + value % 10);
	return out + 2;
}

static inline char *put_number(char *out, uint64_t value)
{
	char digits[20];
	char *first = digits + sizeof(digits);

	do {
		*--first = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	return put_text(out, first, (size_t)(digits + sizeof(digits) - first));
}

static inline char *put_money(char *out, uint32_t thousandths)
{
	uint32_t fraction = thousandths % 1000;

	out = put_number(out, thousandths / 1000);
	*out++ = '.';
	*out++ = (char)('0' + fraction / 100);
	if (fraction % 100) {
		*out++ = (char)('0' + fraction / 10 % 10);
		if (fraction % 10)
			*out++ = (char)('0' + fraction % 10);
	}
	return out;
}

/* Spreads the eight nibbles of `bits` over eight bytes and turns them into hexadecimal digits. */
static inline uint64_t hex8(uint32_t bits)
{
	uint64_t x = bits;
	uint64_t letters;

	x = ((x & 0xffff0000u) << 16) | (x & 0xffffu);
	x = ((x << 8) & UINT64_C(0x00ff000000ff0000)) | (x & UINT64_C(0x000000ff000000ff));
	x = ((x << 4) & UINT64_C(0x0f000f000f000f00)) | (x & UINT64_C(0x000f000f000f000f));
	letters = ((x + UINT64_C(0x0606060606060606)) >> 4) & UINT64_C(0x0101010101010101);
	return x + UINT64_C(0x3030303030303030) + letters * ('a' - '9' - 1);
}

/* 8-4-4-4-12 with the version and variant bits of a random UUID. */
static inline char *put_uuid(char *out, uint64_t high, uint64_t low)
{
	uint64_t part[4];

	high = (high & ~UINT64_C(0xf000)) | 0x4000;
	low = (low & ~(UINT64_C(3) << 62)) | (UINT64_C(1) << 63);
	part[0] = __builtin_bswap64(hex8((uint32_t)(high >> 32)));
	part[1] = __builtin_bswap64(hex8((uint32_t)high));
	part[2] = __builtin_bswap64(hex8((uint32_t)(low >> 32)));
	part[3] = __builtin_bswap64(hex8((uint32_t)low));
	memcpy(out, &part[0], 8);
	out[8] = '-';
	memcpy(out + 9, &part[1], 4);
	out[13] = '-';
	memcpy(out + 14, (char *)&part[1] + 4, 4);
	out[18] = '-';
	memcpy(out + 19, &part[2], 4);
	out[23] = '-';
	memcpy(out + 24, (char *)&part[2] + 4, 4);
	memcpy(out + 28, &part[3], 8);
	return out + 36;
}

static inline char *put_quote(char *out, bool quoted)
{
	if (quoted)
		*out++ = '"';
	return out;
}

/* Between two fields. */
static inline char *put_comma(char *out, bool quoted)
{
	out = put_quote(out, quoted);
	*out++ = ',';
	return put_quote(out, quoted);
}

/* A field of a small table, in quotes where it needs them. */
static char *put_field(char *out, const char *text, bool quoted)
{
	quoted = quoted || strpbrk(text, ",\"\r\n");
	out = put_quote(out, quoted);
	for (; *text; text++) {
		if (*text == '"')
			*out++ = '"';
		*out++ = *text;
	}
	return put_quote(out, quoted);
}

static char *put_header(char *out, const char *names, bool quoted)
{
	out = put_quote(out, quoted);
	for (; *names; names++)
		out = *names == ',' ? put_comma(out, quoted) : put_text(out, names, 1);
	out = put_quote(out, quoted);
	*out++ = '\n';
	return out;
}

/* --- a month --- */

#define MINUTE_PICKS 4096
#define ITEM_PICKS   1024
#define DATE_TEXT    11 /* "2024-01-31 " */
#define MINUTE_TEXT  6	/* "12:30:" */

/* Tables that turn a few random bits into a choice with the wanted weights. */
struct month_tables {
	char dates[MONTH_DAYS][DATE_TEXT];
	char minutes[24 * 60][MINUTE_TEXT];
	uint16_t minute_picks[MINUTE_PICKS];
	uint8_t item_picks[ITEM_PICKS];
	const struct voucher *day_voucher[MONTH_DAYS];
};

/* The index that stands at `pick` when pick_count places are shared out by weight. */
static uint32_t pick_for(
	const uint32_t *weights, uint32_t count, uint32_t pick, uint32_t pick_count)
{
	uint64_t total = 0, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		total += weights[i];
	for (uint32_t i = 0; i < count; i++) {
		sum += weights[i];
		if (sum * pick_count > (uint64_t)pick * total)
			return i;
	}
	return count - 1;
}

static void init_minute_picks(struct month_tables *tables)
{
	uint32_t weights[OPEN_MINUTES];

	/* A parabola with its top at the busiest minute: integers, the same on every machine. */
	for (int32_t i = 0; i < OPEN_MINUTES; i++) {
		int32_t distance = i - BUSIEST_MINUTE;

		weights[i] = (uint32_t)(400 * 400 - distance * distance);
	}
	for (uint32_t i = 0; i < MINUTE_PICKS; i++)
		tables->minute_picks[i] =
			(uint16_t)(OPENING_MINUTE +
				   pick_for(weights, OPEN_MINUTES, i, MINUTE_PICKS));
}

/* Tastes change from month to month, so that the best seller does, too. */
static void init_item_picks(struct month_tables *tables, struct rng *rng)
{
	uint32_t weights[ITEM_COUNT];

	for (uint32_t i = 0; i < ITEM_COUNT; i++)
		weights[i] = 100 + (uint32_t)rng_below(rng, 24);
	for (uint32_t i = 0; i < ITEM_PICKS; i++)
		tables->item_picks[i] = (uint8_t)pick_for(weights, ITEM_COUNT, i, ITEM_PICKS);
}

static void init_dates(struct month_tables *tables, const struct coffee_month *month)
{
	int64_t first = days_from_civil(month->year, month->month, 1);

	for (uint32_t day = 0; day < month->days; day++) {
		char text[DATETIME_TEXT_MAX];

		snprintf(text, sizeof(text), "%04d-%02u-%02u ", month->year, month->month, day + 1);
		memcpy(tables->dates[day], text, DATE_TEXT);
		for (size_t i = 0; i < sizeof(vouchers) / sizeof(*vouchers); i++) {
			const struct voucher *voucher = &vouchers[i];
			int64_t from = days_from_civil(voucher->year, voucher->month, voucher->day);

			if (first + day >= from && first + day < from + voucher->days)
				tables->day_voucher[day] = voucher;
		}
	}
	for (uint32_t minute = 0; minute < 24 * 60; minute++) {
		char *out = put_two(tables->minutes[minute], minute / 60);

		*out++ = ':';
		out = put_two(out, minute % 60);
		*out = ':';
	}
}

static void month_tables_init(
	struct month_tables *tables, const struct coffee_month *month, struct rng *rng)
{
	memset(tables, 0, sizeof(*tables));
	init_minute_picks(tables);
	init_item_picks(tables, rng);
	init_dates(tables, month);
}

/* Every file has a sequence of its own: its bytes do not depend on who writes what when. */
static void rng_init_month(struct rng *rng, const struct gen_options *options, const char *table,
	const struct coffee_month *month)
{
	gen_rng_init(rng, options, table, (uint64_t)month->year * 12 + month->month);
}

struct order_line {
	uint32_t item; /* from 0 */
	uint32_t quantity;
};

struct sale {
	uint64_t id_high;
	uint64_t id_low;
	uint32_t store;	  /* from 1 */
	uint32_t payment; /* from 1 */
	uint64_t user;	  /* 0: none */
	const struct voucher *voucher;
	uint32_t amount; /* thousandths, as all amounts */
	uint32_t discount;
	uint32_t day; /* from 0 */
	uint32_t minute;
	uint32_t second;
	uint32_t line_count;
	struct order_line lines[LINES_MAX];
};

/* A number below `bound` from the lowest 16 bits of *bits, which it drops. */
static inline uint32_t take_below(uint64_t *bits, uint32_t bound)
{
	uint32_t value = (uint32_t)((*bits & 0xffff) * bound >> 16);

	*bits >>= 16;
	return value;
}

/*
 * One sale in about a thousand is at any hour of the day, and some of those are on the very second
 * at which opening hours begin or end in people's queries.
 */
static void draw_odd_hour(struct sale *sale, struct rng *rng)
{
	uint64_t bits = rng_next(rng);
	uint32_t bound = take_below(&bits, 8);

	sale->minute = take_below(&bits, 24 * 60);
	if (bound < 2) {
		sale->minute = bound ? 23 * 60 : 6 * 60;
		sale->second = take_below(&bits, 2);
	}
}

static inline void draw_sale(struct sale *sale, const struct month_tables *tables,
	const struct coffee_month *month, struct rng *rng)
{
	uint64_t place = rng_next(rng);
	uint64_t when = rng_next(rng);
	uint64_t lines = rng_next(rng);
	uint64_t more = rng_next(rng);

	sale->id_high = rng_next(rng);
	sale->id_low = rng_next(rng);
	sale->store = 1 + take_below(&place, STORE_COUNT);
	sale->payment = 1 + take_below(&place, PAYMENT_COUNT);
	sale->user = 0;
	if (take_below(&place, 1000) < month->member_permil)
		sale->user = 1 + rng_below(rng, month->users_before + month->users);
	sale->day = take_below(&when, month->days);
	sale->minute = tables->minute_picks[when % MINUTE_PICKS];
	when >>= 16;
	sale->second = take_below(&when, 60);
	if ((when & 1023) == 0)
		draw_odd_hour(sale, rng);

	sale->line_count = 1 + take_below(&more, LINES_MAX);
	sale->amount = 0;
	for (uint32_t i = 0; i < sale->line_count; i++) {
		struct order_line *line = &sale->lines[i];

		line->item = tables->item_picks[lines & (ITEM_PICKS - 1)];
		lines >>= 10;
		line->quantity = 1 + take_below(&more, QUANTITY_MAX);
		sale->amount += line->quantity * menu[line->item].price;
	}

	sale->voucher = tables->day_voucher[sale->day];
	sale->discount = 0;
	if (sale->voucher && (lines & 1))
		sale->voucher = NULL;
	if (sale->voucher) {
		const struct voucher *voucher = sale->voucher;

		/* Prices are multiples of 0.5 and percentages whole: three decimals are exact. */
		sale->discount =
			voucher->percent ? sale->amount * voucher->percent / 100 : voucher->fixed;
	}
}

static inline char *put_created_at(
	char *out, const struct sale *sale, const struct month_tables *tables)
{
	out = put_text(out, tables->dates[sale->day], DATE_TEXT);
	out = put_text(out, tables->minutes[sale->minute], MINUTE_TEXT);
	return put_two(out, sale->second);
}

/* As a floating-point column with holes prints it. A missing one stays bare: quoted is no NULL. */
static inline char *put_optional_id(char *out, uint64_t id, bool quoted)
{
	if (id == 0)
		return out;
	out = put_quote(out, quoted);
	out = put_number(out, id);
	out = put_text(out, ".0", 2);
	return put_quote(out, quoted);
}

static inline char *put_transaction(
	char *out, const struct sale *sale, const struct month_tables *tables, bool quoted)
{
	out = put_quote(out, quoted);
	out = put_uuid(out, sale->id_high, sale->id_low);
	out = put_comma(out, quoted);
	out = put_number(out, sale->store);
	out = put_comma(out, quoted);
	out = put_number(out, sale->payment);
	out = put_quote(out, quoted);
	*out++ = ',';
	out = put_optional_id(out, sale->voucher ? sale->voucher->id : 0, quoted);
	*out++ = ',';
	out = put_optional_id(out, sale->user, quoted);
	*out++ = ',';
	out = put_quote(out, quoted);
	out = put_money(out, sale->amount);
	out = put_comma(out, quoted);
	out = put_money(out, sale->discount);
	out = put_comma(out, quoted);
	out = put_money(out, sale->amount - sale->discount);
	out = put_comma(out, quoted);
	out = put_created_at(out, sale, tables);
	out = put_quote(out, quoted);
	*out++ = '\n';
	return out;
}

static inline char *put_lines(
	char *out, const struct sale *sale, const struct month_tables *tables, bool quoted)
{
	for (uint32_t i = 0; i < sale->line_count; i++) {
		const struct order_line *line = &sale->lines[i];
		uint32_t price = menu[line->item].price;

		out = put_quote(out, quoted);
		out = put_uuid(out, sale->id_high, sale->id_low);
		out = put_comma(out, quoted);
		*out++ = (char)('1' + line->item);
		out = put_comma(out, quoted);
		*out++ = (char)('0' + line->quantity);
		out = put_comma(out, quoted);
		out = put_money(out, price);
		out = put_comma(out, quoted);
		out = put_money(out, line->quantity * price);
		out = put_comma(out, quoted);
		out = put_created_at(out, sale, tables);
		out = put_quote(out, quoted);
		*out++ = '\n';
	}
	return out;
}

static int write_sales(struct gen_job *job, const struct coffee_month *month,
	struct gen_writer *transactions, struct gen_writer *items, struct error *err)
{
	struct month_tables tables;
	struct rng rng;
	struct sale sale;

	rng_init_month(&rng, job->options, "sales", month);
	month_tables_init(&tables, month, &rng);
	while (transactions->bytes + items->bytes < month->bytes) {
		char *out;

		if (gen_ensure(job, transactions, ROW_MAX, err))
			return -1;
		if (gen_ensure(job, items, ROW_MAX * LINES_MAX, err))
			return -1;
		draw_sale(&sale, &tables, month, &rng);
		/* The two calls are inlined twice: the common one has no branch for quotes. */
		if (job->options->quoted) {
			out = put_transaction(gen_writer_room(transactions), &sale, &tables, true);
			gen_writer_advance(transactions, out);
			out = put_lines(gen_writer_room(items), &sale, &tables, true);
		} else {
			out = put_transaction(gen_writer_room(transactions), &sale, &tables, false);
			gen_writer_advance(transactions, out);
			out = put_lines(gen_writer_room(items), &sale, &tables, false);
		}
		gen_writer_advance(items, out);
		job->rows[COFFEE_TRANSACTIONS]++;
		job->rows[COFFEE_ITEMS] += sale.line_count;
	}
	return 0;
}

static int open_table(struct gen_job *job, struct gen_writer *writer, const char *table,
	const struct coffee_month *month, const char *header, struct error *err)
{
	char name[64];

	if (month)
		snprintf(name, sizeof(name), "%s/%s_%04d%02u.csv", table, table, month->year,
			month->month);
	else
		snprintf(name, sizeof(name), "%s/%s.csv", table, table);
	if (gen_writer_open(writer, job->options->folder, name, err))
		return -1;
	gen_writer_advance(
		writer, put_header(gen_writer_room(writer), header, job->options->quoted));
	return 0;
}

int coffee_write_sales(struct gen_job *job, const struct coffee_month *month, struct error *err)
{
	struct gen_writer transactions = {0}, items = {0};
	int status = -1;

	if (open_table(job, &transactions, "transactions", month,
		    "transaction_id,store_id,payment_method_id,voucher_id,user_id,original_amount,"
		    "discount_applied,final_amount,created_at",
		    err))
		goto out;
	if (open_table(job, &items, "transaction_items", month,
		    "transaction_id,item_id,quantity,unit_price,subtotal,created_at", err))
		goto out;
	if (write_sales(job, month, &transactions, &items, err))
		goto out;
	if (gen_close(job, &transactions, err) || gen_close(job, &items, err))
		goto out;
	status = 0;
out:
	gen_writer_discard(&transactions);
	gen_writer_discard(&items);
	return status;
}

static char *put_date(char *out, int64_t days)
{
	struct civil date = civil_from_days(days);

	out = put_two(out, (uint32_t)date.year / 100);
	out = put_two(out, (uint32_t)date.year % 100);
	*out++ = '-';
	out = put_two(out, date.month);
	*out++ = '-';
	return put_two(out, date.day);
}

static char *put_user(
	char *out, const struct coffee_month *month, uint64_t index, struct rng *rng, bool quoted)
{
	static const int64_t birth_first = -3653; /* 1960-01-01 */
	static const uint32_t birth_days = 365 * 50;
	int64_t month_first = days_from_civil(month->year, month->month, 1);
	uint64_t bits = rng_next(rng);
	/* In the order of their days, but not within a day. */
	uint64_t day = index * month->days / month->users;
	uint32_t minute;

	out = put_quote(out, quoted);
	out = put_number(out, month->users_before + 1 + index);
	out = put_comma(out, quoted);
	out = take_below(&bits, 2) ? put_text(out, "female", 6) : put_text(out, "male", 4);
	out = put_comma(out, quoted);
	out = put_date(out, birth_first + take_below(&bits, birth_days));
	out = put_comma(out, quoted);
	out = put_date(out, month_first + (int64_t)day);
	*out++ = ' ';
	minute = OPENING_MINUTE + take_below(&bits, OPEN_MINUTES);
	out = put_two(out, minute / 60);
	*out++ = ':';
	out = put_two(out, minute % 60);
	*out++ = ':';
	out = put_two(out, take_below(&bits, 60));
	out = put_quote(out, quoted);
	*out++ = '\n';
	return out;
}

int coffee_write_users(struct gen_job *job, const struct coffee_month *month, struct error *err)
{
	struct gen_writer writer = {0};
	struct rng rng;

	if (open_table(job, &writer, "users", month, "user_id,gender,birthdate,registered_at", err))
		return -1;
	rng_init_month(&rng, job->options, "users", month);
	for (uint64_t i = 0; i < month->users; i++) {
		if (gen_ensure(job, &writer, ROW_MAX, err)) {
			gen_writer_discard(&writer);
			return -1;
		}
		gen_writer_advance(&writer,
			put_user(gen_writer_room(&writer), month, i, &rng, job->options->quoted));
	}
	job->rows[COFFEE_USERS] += month->users;
	return gen_close(job, &writer, err);
}

int coffee_write_stores(struct gen_job *job, struct error *err)
{
	bool quoted = job->options->quoted;
	struct gen_writer writer = {0};

	if (open_table(job, &writer, "stores", NULL,
		    "store_id,store_name,street,postal_code,city,state,latitude,longitude", err))
		return -1;
	for (uint32_t i = 0; i < STORE_COUNT; i++) {
		char *out = gen_writer_room(&writer);

		out = put_quote(out, quoted);
		out = put_number(out, i + 1);
		out = put_quote(out, quoted);
		for (uint32_t field = 0; field < STORE_FIELDS; field++) {
			*out++ = ',';
			out = put_field(out, stores[i][field], quoted);
		}
		*out++ = '\n';
		gen_writer_advance(&writer, out);
	}
	return gen_close(job, &writer, err);
}

int coffee_write_menu(struct gen_job *job, struct error *err)
{
	bool quoted = job->options->quoted;
	struct gen_writer writer = {0};

	if (open_table(job, &writer, "menu_items", NULL,
		    "item_id,item_name,category,price,is_seasonal,available_from,available_to",
		    err))
		return -1;
	for (uint32_t i = 0; i < ITEM_COUNT; i++) {
		char *out = gen_writer_room(&writer);

		out = put_quote(out, quoted);
		out = put_number(out, i + 1);
		out = put_comma(out, quoted);
		out = put_text(out, menu[i].name, strlen(menu[i].name));
		out = put_comma(out, quoted);
		out = put_text(out, menu[i].category, strlen(menu[i].category));
		out = put_comma(out, quoted);
		out = put_money(out, menu[i].price);
		out = put_comma(out, quoted);
		out = put_text(out, "False", 5);
		out = put_quote(out, quoted);
		out = put_text(out, ",,\n", 3);
		gen_writer_advance(&writer, out);
	}
	return gen_close(job, &writer, err);
}
