/*
 * Visits of web pages: one wide table, as a counter of visits writes it, of a hundred columns. Most are texts and
 * small integers of which few rows have any; some texts are long, and many of them the same.
 *
 * What a column is made of stands in a table (web_columns.c); here is how a row is put together. Columns that go together,
 * such as a link and its host, are functions of a number that the row has drawn once.
 */
#include "gen/run.h"
#include "gen/text.h"
#include "gen/web_private.h"

#include "base/hash.h"
#include "column/datetime.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Bytes of a row, measured. */
#define ROW_BYTES  660
#define VISITS_MIN 100
#define ROW_MAX	   4096
#define HEADER_MAX 4096

/* 2023-07-01, and a month of it. */
#define FIRST_DAY     19539
#define DAYS	      31
#define DAY_SECONDS   86400
#define VISITS_A_USER 6

struct web_plan {
	uint64_t rows;
};

/* What the columns of one row have in common. */
struct visit {
	uint64_t number;
	uint64_t user;
	uint64_t page;
	uint64_t from; /* the page that it came from; 0: none */
	uint64_t phrase;
	int64_t seconds; /* of the epoch */
};

static const char *const words[] = {"map", "car", "bank", "kiwi", "boots", "phone", "novel", "lamp",
	"train", "film", "recipe", "winter", "guitar", "garden", "news", "hotel", "cheap", "used",
	"best", "how", "repair", "near", "photo", "school", "music", "match", "ticket", "loan",
	"paint", "bread", "forum", "watch"};
static const char *const endings[] = {"com", "org", "net", "example", "co.uk", "de", "ar", "info"};
static const char *const maps[] = {"", "www.", "shop.", "m.", "blog."};

static char *put_words(char *out, uint64_t number, uint32_t count, char between)
{
	uint64_t bits = hash_u64(number);

	for (uint32_t i = 0; i < count; i++, bits >>= 5) {
		if (i > 0)
			*out++ = between;
		out = text_put(out, words[bits % COUNT(words)]);
	}
	return out;
}

/* Of ten pages about one site. */
static char *put_host(char *out, uint64_t page)
{
	uint64_t site = page / 10;

	out = text_put(out, maps[site % COUNT(maps)]);
	out = put_words(out, site, 1 + site % 2, '-');
	out = text_put_number(out, site % 97);
	*out++ = '.';
	return text_put(out, endings[site % 13 % COUNT(endings)]);
}

static char *put_link(char *out, uint64_t page)
{
	uint64_t bits = hash_u64(page ^ 0x11);

	out = text_put(out, page % 3 ? "https://" : "http://");
	out = put_host(out, page);
	*out++ = '/';
	out = put_words(out, page, 1 + bits % 4, '/');
	*out++ = '/';
	out = text_put_number(out, page);
	if (bits % 5 == 0)
		out = put_words(text_put(out, "?query="), bits, 2, '+');
	return out;
}

/* A title is that of its page; some have a comma, or a quote. */
static char *put_title(char *out, uint64_t page)
{
	struct rng rng;

	rng_init(&rng, page);
	*out++ = '"';
	out = text_put_sentence(out, &rng, 0);
	*out++ = '"';
	return out;
}

/* One to four words, a number behind the rarer ones. */
static char *put_phrase(char *out, uint64_t phrase)
{
	out = put_words(out, phrase, 1 + hash_u64(phrase) % 4, ' ');
	if (phrase < 100)
		return out;
	*out++ = ' ';
	return text_put_number(out, phrase % 5000);
}

static char *put_moment(char *out, int64_t seconds)
{
	uint32_t second = (uint32_t)(seconds % DAY_SECONDS);

	out = text_put_date(out, seconds / DAY_SECONDS);
	*out++ = ' ';
	out = text_put_two(out, second / 3600);
	*out++ = ':';
	out = text_put_two(out, second / 60 % 60);
	*out++ = ':';
	return text_put_two(out, second % 60);
}

static char *put_address(char *out, uint64_t user)
{
	uint64_t bits = hash_u64(user ^ 0x22);

	for (int i = 0; i < 4; i++, bits >>= 8) {
		if (i > 0)
			*out++ = '.';
		out = text_put_number(out, bits & 0xff);
	}
	return out;
}

/* Positive, of 62 bits. */
static char *put_hash(char *out, uint64_t number)
{
	return text_put_number(out, hash_u64(number) >> 2);
}

static char *put_picked(char *out, const struct web_column *column, uint64_t draw)
{
	out = text_put(out, column->texts[draw % column->text_count]);
	if (column->bound > column->text_count) {
		*out++ = ' ';
		out = text_put_number(out, draw / column->text_count);
	}
	return out;
}

/* Of the row, not of a draw of its own. */
static char *put_own(char *out, enum web_kind kind, const struct visit *visit)
{
	switch (kind) {
	case WEB_NUMBER: return text_put_number(out, visit->number);
	case WEB_USER: return put_hash(out, visit->user);
	case WEB_SESSION: return put_hash(out, visit->user << 8 | (visit->page & 3));
	case WEB_MOMENT: return put_moment(out, visit->seconds);
	case WEB_DAY: return text_put_date(out, visit->seconds / DAY_SECONDS);
	case WEB_LINK: return put_link(out, visit->page);
	case WEB_LINK_HASH: return put_hash(out, visit->page);
	case WEB_TITLE: return put_title(out, visit->page);
	case WEB_HOST: return put_host(out, visit->page);
	case WEB_ADDRESS: return put_address(out, visit->user);
	case WEB_SITE: return text_put_number(out, hash_u64(visit->page / 10) % 6000);
	case WEB_FROM: return visit->from ? put_link(out, visit->from) : out;
	case WEB_FROM_HASH:
		return text_put_number(out, visit->from ? hash_u64(visit->from) >> 2 : 0);
	case WEB_FROM_HOST: return visit->from ? put_host(out, visit->from) : out;
	case WEB_PHRASE: return visit->phrase ? put_phrase(out, visit->phrase) : out;
	case WEB_ENGINE: return text_put_number(out, visit->phrase ? 1 + visit->phrase % 7 : 0);
	case WEB_SMALL:
	case WEB_TEXT: break;
	}
	return out;
}

/* As text_skewed, also below a small bound. */
static uint64_t draw_skewed(struct rng *rng, uint64_t bound)
{
	return text_skewed(rng, bound << 10) >> 10;
}

/* A number is 0, and a text is not there, where the row has none. */
static char *put_drawn(
	char *out, const struct web_column *column, const struct visit *visit, struct rng *rng)
{
	bool is_number = column->kind == WEB_SMALL, is_there = text_chance(rng, column->permil);
	uint64_t bound = column->bound - is_number;
	uint64_t draw = column->of_user ? hash_u64(visit->user ^ column->of_user) % bound
					: draw_skewed(rng, bound);

	if (is_number)
		return text_put_number(out, is_there ? 1 + draw : 0);
	return is_there ? put_picked(out, column, draw) : out;
}

static struct visit draw_visit(struct rng *rng, const struct web_plan *plan, uint64_t number)
{
	struct visit visit = {.number = number};

	visit.user = 1 + text_skewed(rng, plan->rows / VISITS_A_USER + 1);
	visit.page = 1 + text_skewed(rng, plan->rows / 4 + 1);
	visit.from = text_chance(rng, 600) ? 1 + text_skewed(rng, plan->rows / 8 + 1) : 0;
	visit.phrase = text_chance(rng, 130) ? 1 + text_skewed(rng, plan->rows / 30 + 1) : 0;
	visit.seconds = FIRST_DAY * (int64_t)DAY_SECONDS +
			(int64_t)rng_below(rng, (uint64_t)DAYS * DAY_SECONDS);
	return visit;
}

static char *put_row(char *out, struct rng *rng, const struct web_plan *plan, uint64_t number)
{
	struct visit visit = draw_visit(rng, plan, number);

	for (uint32_t i = 0; i < web_column_count; i++) {
		const struct web_column *column = &web_columns[i];

		if (i > 0)
			*out++ = ',';
		out = column->kind == WEB_SMALL || column->kind == WEB_TEXT
			      ? put_drawn(out, column, &visit, rng)
			      : put_own(out, column->kind, &visit);
	}
	*out++ = '\n';
	return out;
}

static char *put_header(char *out)
{
	for (uint32_t i = 0; i < web_column_count; i++) {
		out = text_put(out, web_columns[i].name);
		*out++ = i + 1 < web_column_count ? ',' : '\n';
	}
	return out;
}

static int write_rows(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct web_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, "visits.csv", 0);
	gen_writer_advance(writer, put_header(gen_writer_room(writer)));
	for (uint64_t i = 0; i < plan->rows; i++) {
		if (gen_ensure(job, writer, ROW_MAX, err))
			return -1;
		gen_writer_advance(writer, put_row(gen_writer_room(writer), &rng, plan, i + 1));
		job->rows[0]++;
	}
	return 0;
}

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	struct gen_writer writer = {0};

	(void)task;
	if (gen_writer_open(&writer, job->options->folder, "visits.csv", err))
		return -1;
	if (write_rows(job, &writer, err)) {
		gen_writer_discard(&writer);
		return -1;
	}
	return gen_close(job, &writer, err);
}

int gen_web(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {"visits"};
	uint64_t rows = options->size / ROW_BYTES;
	struct web_plan web = {rows > VISITS_MIN ? rows : VISITS_MIN};
	struct gen_plan plan = {
		.pack = "web",
		.table_count = 1,
		.tables = tables,
		.task_count = 1,
		.task = run_task,
		.plan = &web,
		.bytes_total = options->size,
	};

	if (options->quoted)
		return error_set(err, ERROR_USAGE, "--quoted is for coffee only");
	return gen_run(&plan, options, report, err);
}
