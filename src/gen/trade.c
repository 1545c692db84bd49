/*
 * A wholesaler's years: orders of one to seven lines, products that four suppliers offer, and who buys
 * and sells where. The proportions are those of a trade benchmark that every database knows, so that
 * joins of every shape have something to do.
 *
 * What two files have in common (the supplier of a line is one who offers the product, an order's total
 * is that of its lines) is a function of the numbers of rows: each file is made without the others.
 */
#include "gen/run.h"
#include "gen/text.h"

#include "base/hash.h"
#include "column/datetime.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Bytes of all files for each order, measured. */
#define ORDER_BYTES	   645
#define CUSTOMERS_MIN	   30
#define PRODUCTS_MIN	   40
#define SUPPLIERS_MIN	   20
#define OFFERS_PER_PRODUCT 4
#define LINES_MAX	   7

#define ROW_MAX 1024

/* 2018-01-01; orders of 2406 days, and 2024-06-17, up to which lines are settled. */
#define FIRST_DAY   17532
#define ORDER_DAYS  2406
#define SETTLED_DAY 19891

enum trade_table {
	TRADE_LINES,
	TRADE_ORDERS,
	TRADE_OFFERS,
	TRADE_PRODUCTS,
	TRADE_CUSTOMERS,
	TRADE_SUPPLIERS,
	TRADE_COUNTRIES,
	TRADE_REGIONS,
	TRADE_TABLE_COUNT,
};

struct trade_plan {
	uint64_t rows[TRADE_TABLE_COUNT]; /* those of the lines are counted by orders */
};

static const char *const regions[] = {"Africa", "America", "Asia", "Europe", "Middle East"};

static const struct {
	const char *name;
	uint32_t region;
} countries[] = {{"Algeria", 0}, {"Argentina", 1}, {"Brazil", 1}, {"Canada", 1}, {"Egypt", 4},
	{"Ethiopia", 0}, {"France", 3}, {"Germany", 3}, {"India", 2}, {"Indonesia", 2}, {"Iran", 4},
	{"Iraq", 4}, {"Japan", 2}, {"Jordan", 4}, {"Kenya", 0}, {"Morocco", 0}, {"Mozambique", 0},
	{"Peru", 1}, {"China", 2}, {"Romania", 3}, {"Saudi Arabia", 4}, {"Vietnam", 2},
	{"Spain", 3}, {"Portugal", 3}, {"Chile", 1}};

static const char *const colours[] = {"green", "forest", "ivory", "navy", "peach", "plum", "rose",
	"salmon", "sienna", "sky", "tan", "wheat", "amber", "black", "blush", "coral", "cyan",
	"khaki", "lemon", "linen", "olive", "pink", "puff", "red", "smoke", "snow", "steel",
	"thistle", "tomato", "violet", "white", "yellow"};
static const char *const finishes[] = {"SALE", "PLATED", "MEDIUM", "SMALL", "LARGE", "ECONOMY"};
static const char *const weights[] = {"LIGHT", "HEAVY", "BRUSHED", "POLISHED", "RAW"};
static const char *const metals[] = {"STEEL", "COPPER", "TIN", "NICKEL", "BRASS"};
static const char *const packings[] = {"SM", "MED", "LG", "JUMBO", "WRAP"};
static const char *const boxes[] = {"CASE", "BOX", "PACK", "PKG", "BAG", "JAR", "DRUM", "CAN"};
static const char *const segments[] = {
	"BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINES", "VEHICLES"};
static const char *const urgencies[] = {"1 now", "2 soon", "3 usual", "4 later", "5 whenever"};
static const char *const handlings[] = {"in person", "at the door", "collect", "return"};
static const char *const carriers[] = {"air", "express", "ship", "barge", "truck", "rail", "post"};
static const char *const words[] = {"goods", "came", "late", "early", "box", "the", "customer",
	"asked", "for", "good", "great", "bad", "wrong", "colour", "send", "again", "pay", "next",
	"week", "please", "call", "before", "noon", "stairs", "gate", "heavy", "fragile", "and"};

#define PICK(list, draw) ((list)[(draw) % COUNT(list)])

/* 1234.05 */
static char *put_money(char *out, int64_t cents)
{
	if (cents < 0)
		*out++ = '-';
	cents = cents < 0 ? -cents : cents;
	out = text_put_number(out, (uint64_t)cents / 100);
	*out++ = '.';
	return text_put_two(out, (uint32_t)(cents % 100));
}

/* Some words; now and then a comma, and then quotes around them. */
static char *put_remark(char *out, struct rng *rng, uint32_t count)
{
	uint64_t bits = rng_next(rng);
	bool quoted = bits % 32 == 0;

	if (quoted)
		*out++ = '"';
	for (uint32_t i = 0; i < count; i++) {
		if (i > 0)
			out = text_put(out, quoted && i == 2 ? ", " : " ");
		bits = i % 8 == 0 ? rng_next(rng) : bits >> 7;
		out = text_put(out, PICK(words, bits & 127));
	}
	if (quoted)
		*out++ = '"';
	return out;
}

static char *put_key(char *out, const char *name, uint64_t number)
{
	out = text_put(out, name);
	for (uint64_t unit = 100000000; unit > 1 && number < unit; unit /= 10)
		*out++ = '0';
	return text_put_number(out, number);
}

/* 13-555-0142: the first two digits say the country. */
static char *put_phone(char *out, struct rng *rng, uint32_t country)
{
	out = text_put_number(out, 10 + country);
	out = text_put(out, "-555-");
	out = text_put_two(out, (uint32_t)rng_below(rng, 100));
	return text_put_two(out, (uint32_t)rng_below(rng, 100));
}

/* What customers and suppliers have in common: name, street, country, phone, balance. */
static char *put_party(char *out, struct rng *rng, const char *kind, uint64_t number)
{
	uint32_t country = (uint32_t)rng_below(rng, COUNT(countries));

	out = text_put_number(out, number);
	*out++ = ',';
	out = put_key(out, kind, number);
	*out++ = ',';
	out = text_put_title(out, rng_next(rng));
	*out++ = ' ';
	out = text_put_number(out, 1 + rng_below(rng, 300));
	*out++ = ',';
	out = text_put_number(out, country);
	*out++ = ',';
	out = put_phone(out, rng, country);
	*out++ = ',';
	return put_money(out, (int64_t)rng_below(rng, 1100000) - 100000);
}

static int64_t list_price(uint64_t product)
{
	return (int64_t)(90000 + product / 10 % 20001 + 100 * (product % 1000));
}

/* The supplier of a product's offer 0 to 3; all four are different. */
static uint64_t offer_supplier(const struct trade_plan *plan, uint64_t product, uint64_t offer)
{
	uint64_t suppliers = plan->rows[TRADE_SUPPLIERS];

	return (product + offer * (suppliers / OFFERS_PER_PRODUCT)) % suppliers + 1;
}

static char *put_product(char *out, struct rng *rng, uint64_t product)
{
	uint64_t bits = rng_next(rng);
	uint32_t maker = 1 + (uint32_t)(bits % 5);

	out = text_put_number(out, product);
	for (int i = 0; i < 4; i++) {
		*out++ = i == 0 ? ',' : ' ';
		out = text_put(out, PICK(colours, bits >> (8 * i + 8)));
	}
	out = text_put(out, ",Maker ");
	out = text_put_number(out, maker);
	out = text_put(out, ",Brand ");
	out = text_put_number(out, maker * 10 + 1 + rng_below(rng, 5));
	*out++ = ',';
	bits = rng_next(rng);
	out = text_put(out, PICK(finishes, bits & 0xffff));
	*out++ = ' ';
	out = text_put(out, PICK(weights, bits >> 16 & 0xffff));
	*out++ = ' ';
	out = text_put(out, PICK(metals, bits >> 32 & 0xffff));
	*out++ = ',';
	out = text_put_number(out, 1 + (bits >> 48) % 50);
	bits = rng_next(rng);
	*out++ = ',';
	out = text_put(out, PICK(packings, bits & 0xffff));
	*out++ = ' ';
	out = text_put(out, PICK(boxes, bits >> 16 & 0xffff));
	*out++ = ',';
	return put_money(out, list_price(product));
}

static char *put_offer(
	char *out, struct rng *rng, const struct trade_plan *plan, uint64_t product, uint64_t offer)
{
	out = text_put_number(out, product);
	*out++ = ',';
	out = text_put_number(out, offer_supplier(plan, product, offer));
	*out++ = ',';
	out = text_put_number(out, 1 + rng_below(rng, 9999));
	*out++ = ',';
	out = put_money(out, 100 + (int64_t)rng_below(rng, 99900));
	*out++ = ',';
	return put_remark(out, rng, 10 + (uint32_t)rng_below(rng, 20));
}

/* --- orders and their lines ----------------------------------------------------------------------
 */

struct trade_line {
	uint64_t product;
	uint64_t supplier;
	uint32_t quantity;
	uint32_t discount; /* percent */
	uint32_t tax;
	int64_t shipped;
	int64_t promised;
	int64_t received;
};

struct trade_order {
	uint64_t customer;
	int64_t day;
	uint32_t line_count;
	struct trade_line lines[LINES_MAX];
};

/* The same order whoever asks. Every third customer never orders anything. */
static void draw_order(struct rng *rng, const struct gen_options *options,
	const struct trade_plan *plan, uint64_t number, struct trade_order *order)
{
	rng_init(rng, hash_combine(hash_u64(options->seed), number));
	order->customer = 1 + rng_below(rng, plan->rows[TRADE_CUSTOMERS]);
	order->customer -= order->customer % 3 == 0;
	order->day = FIRST_DAY + (int64_t)rng_below(rng, ORDER_DAYS);
	order->line_count = 1 + (uint32_t)rng_below(rng, LINES_MAX);
	for (uint32_t i = 0; i < order->line_count; i++) {
		struct trade_line *line = &order->lines[i];
		uint64_t bits = rng_next(rng);

		line->product = 1 + rng_below(rng, plan->rows[TRADE_PRODUCTS]);
		line->supplier = offer_supplier(plan, line->product, bits % OFFERS_PER_PRODUCT);
		line->quantity = 1 + (uint32_t)(bits >> 2 & 0xfff) % 50;
		line->discount = (uint32_t)(bits >> 14 & 0xff) % 11;
		line->tax = (uint32_t)(bits >> 22 & 0xff) % 9;
		line->shipped = order->day + 1 + (int64_t)(bits >> 30 & 0xfff) % 121;
		line->promised = order->day + 30 + (int64_t)(bits >> 42 & 0xfff) % 61;
		line->received = line->shipped + 1 + (int64_t)(bits >> 54) % 30;
	}
}

static int64_t line_price(const struct trade_line *line)
{
	return (int64_t)line->quantity * list_price(line->product);
}

static char *put_order(char *out, struct rng *rng, uint64_t number, const struct trade_order *order)
{
	uint32_t settled = 0;
	int64_t total = 0;

	for (uint32_t i = 0; i < order->line_count; i++) {
		const struct trade_line *line = &order->lines[i];

		settled += line->shipped <= SETTLED_DAY;
		total += line_price(line) * (100 - line->discount) / 100 * (100 + line->tax) / 100;
	}
	out = text_put_number(out, number);
	*out++ = ',';
	out = text_put_number(out, order->customer);
	out = text_put(out, settled == order->line_count ? ",F," : settled ? ",P," : ",O,");
	out = put_money(out, total);
	*out++ = ',';
	out = text_put_date(out, order->day);
	*out++ = ',';
	out = text_put(out, PICK(urgencies, rng_next(rng)));
	*out++ = ',';
	out = put_key(out, "Clerk ", 1 + rng_below(rng, 1000));
	*out++ = ',';
	return put_remark(out, rng, 5 + (uint32_t)rng_below(rng, 8));
}

static char *put_line(
	char *out, struct rng *rng, uint64_t order, uint32_t number, const struct trade_line *line)
{
	const char *returned = "N";
	uint64_t bits = rng_next(rng);

	if (line->received <= SETTLED_DAY)
		returned = bits & 1 ? "Y" : "A";
	out = text_put_number(out, order);
	*out++ = ',';
	out = text_put_number(out, number);
	*out++ = ',';
	out = text_put_number(out, line->product);
	*out++ = ',';
	out = text_put_number(out, line->supplier);
	*out++ = ',';
	out = text_put_number(out, line->quantity);
	*out++ = ',';
	out = put_money(out, line_price(line));
	*out++ = ',';
	out = put_money(out, line->discount);
	*out++ = ',';
	out = put_money(out, line->tax);
	*out++ = ',';
	out = text_put(out, returned);
	out = text_put(out, line->shipped <= SETTLED_DAY ? ",F," : ",O,");
	out = text_put_date(out, line->shipped);
	*out++ = ',';
	out = text_put_date(out, line->promised);
	*out++ = ',';
	out = text_put_date(out, line->received);
	*out++ = ',';
	out = text_put(out, PICK(handlings, bits >> 8));
	*out++ = ',';
	out = text_put(out, PICK(carriers, bits >> 16));
	*out++ = ',';
	return put_remark(out, rng, 2 + (uint32_t)(bits >> 40) % 5);
}

/* --- files ---------------------------------------------------------------------------------------
 */

static const struct trade_file {
	const char *name;
	const char *header;
} files[] = {
	[TRADE_LINES] = {"lines.csv",
		"order_id,line_no,product_id,supplier_id,quantity,price,discount,tax,returned,"
		"status,shipped_on,promised_on,received_on,handling,carrier,remark\n"},
	[TRADE_ORDERS] = {"orders.csv",
		"order_id,customer_id,status,total,ordered_on,urgency,clerk,remark\n"},
	[TRADE_OFFERS] = {"offers.csv", "product_id,supplier_id,stock,cost,remark\n"},
	[TRADE_PRODUCTS] = {"products.csv",
		"product_id,product_name,maker,brand,kind,size,packing,list_price\n"},
	[TRADE_CUSTOMERS] = {"customers.csv",
		"customer_id,customer_name,street,country_id,phone,balance,segment,remark\n"},
	[TRADE_SUPPLIERS] = {"suppliers.csv",
		"supplier_id,supplier_name,street,country_id,phone,balance,remark\n"},
	[TRADE_COUNTRIES] = {"countries.csv", "country_id,country_name,region_id\n"},
	[TRADE_REGIONS] = {"regions.csv", "region_id,region_name\n"},
};

/* Row `i`, from 0, of a table whose rows do not depend on those before. */
static char *put_row(
	struct gen_job *job, enum trade_table table, char *out, struct rng *rng, uint64_t i)
{
	struct trade_order order;

	switch (table) {
	case TRADE_ORDERS:
		draw_order(rng, job->options, job->plan, i + 1, &order);
		return put_order(out, rng, i + 1, &order);
	case TRADE_OFFERS:
		return put_offer(
			out, rng, job->plan, i / OFFERS_PER_PRODUCT + 1, i % OFFERS_PER_PRODUCT);
	case TRADE_PRODUCTS: return put_product(out, rng, i + 1);
	case TRADE_CUSTOMERS:
		out = put_party(out, rng, "Customer ", i + 1);
		*out++ = ',';
		out = text_put(out, PICK(segments, rng_next(rng)));
		*out++ = ',';
		return put_remark(out, rng, 8 + (uint32_t)rng_below(rng, 10));
	case TRADE_SUPPLIERS:
		out = put_party(out, rng, "Supplier ", i + 1);
		*out++ = ',';
		return put_remark(out, rng, 8 + (uint32_t)rng_below(rng, 10));
	case TRADE_COUNTRIES:
		out = text_put_number(out, i);
		*out++ = ',';
		out = text_put(out, countries[i].name);
		*out++ = ',';
		return text_put_number(out, countries[i].region);
	case TRADE_REGIONS:
		out = text_put_number(out, i);
		*out++ = ',';
		return text_put(out, regions[i]);
	case TRADE_LINES:
	case TRADE_TABLE_COUNT: break;
	}
	return out;
}

static void end_row(
	struct gen_job *job, enum trade_table table, struct gen_writer *writer, char *out)
{
	*out++ = '\n';
	gen_writer_advance(writer, out);
	job->rows[table]++;
}

static int write_rows(
	struct gen_job *job, enum trade_table table, struct gen_writer *writer, struct error *err)
{
	const struct trade_plan *plan = job->plan;
	struct trade_order order;
	struct rng rng;

	gen_rng_init(&rng, job->options, files[table].name, 0);
	gen_writer_advance(writer, text_put(gen_writer_room(writer), files[table].header));
	for (uint64_t i = 0; i < plan->rows[table]; i++) {
		if (gen_ensure(job, writer, LINES_MAX * ROW_MAX, err))
			return -1;
		if (table != TRADE_LINES) {
			end_row(job, table, writer,
				put_row(job, table, gen_writer_room(writer), &rng, i));
			continue;
		}
		draw_order(&rng, job->options, plan, i + 1, &order);
		for (uint32_t k = 0; k < order.line_count; k++)
			end_row(job, table, writer,
				put_line(gen_writer_room(writer), &rng, i + 1, k + 1,
					&order.lines[k]));
	}
	return 0;
}

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	struct gen_writer writer = {0};

	if (gen_writer_open(&writer, job->options->folder, files[task].name, err))
		return -1;
	if (write_rows(job, (enum trade_table)task, &writer, err)) {
		gen_writer_discard(&writer);
		return -1;
	}
	return gen_close(job, &writer, err);
}

static uint64_t at_least(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

int gen_trade(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {"lines", "orders", "offers", "products", "customers",
		"suppliers", "countries", "regions"};
	uint64_t orders = at_least(options->size / ORDER_BYTES, 1);
	uint64_t products = at_least(orders * 2 / 15, PRODUCTS_MIN);
	struct trade_plan trade = {{
		[TRADE_LINES] = orders,
		[TRADE_ORDERS] = orders,
		[TRADE_OFFERS] = products * OFFERS_PER_PRODUCT,
		[TRADE_PRODUCTS] = products,
		[TRADE_CUSTOMERS] = at_least(orders / 10, CUSTOMERS_MIN),
		[TRADE_SUPPLIERS] = at_least(orders / 150, SUPPLIERS_MIN),
		[TRADE_COUNTRIES] = COUNT(countries),
		[TRADE_REGIONS] = COUNT(regions),
	}};
	struct gen_plan plan = {
		.pack = "trade",
		.table_count = COUNT(tables),
		.tables = tables,
		.task_count = TRADE_TABLE_COUNT,
		.task = run_task,
		.plan = &trade,
		.bytes_total = options->size,
	};

	if (options->quoted)
		return error_set(err, ERROR_USAGE, "--quoted is for coffee only");
	return gen_run(&plan, options, report, err);
}
