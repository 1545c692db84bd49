/*
 * Amazon Books Reviews in small or large: the books and their reviews, in the proportions of the
 * real files. A few titles have hundreds of reviews and most have hardly any, lists are quoted in
 * both of Python's ways, dates have all their odd forms, and the last book is cut short.
 */
#include "gen/run.h"
#include "gen/text.h"

#include "base/hash.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Bytes a row, measured; the share of the books in the size, in thousandths, as in the real files.
 */
#define BOOK_BYTES   670
#define BOOKS_PERMIL 60
/* A third of the reviews is about one title in a thousand, and never fewer than these. */
#define BESTSELLERS_MIN	    12
#define BESTSELLER_PERMIL   350
#define BESTSELLERS_SHARE   1000
#define CLASSIC_AUTHORS	    6
#define CLASSIC_AUTHOR_BASE 100000

#define PIECE_MAX 4096

enum books_table {
	BOOKS_BOOKS,
	BOOKS_REVIEWS,
};

struct books_plan {
	uint64_t books;
	uint64_t bestsellers;
	uint64_t reviews_bytes;
};

static const char *const categories[] = {"Fiction", "Religion", "History", "Juvenile Fiction",
	"Biography & Autobiography", "Business & Economics", "Computers", "Social Science",
	"Juvenile Nonfiction", "Cooking", "Children's stories", "Science"};
#define CATEGORY_COMPUTERS 6

static const char *const publishers[] = {"Penguin", "Simon and Schuster", "Harper Collins",
	"Univ. of \"\"Nowhere\"\" Press", "O'Reilly", "Springer, Berlin", "Courier Corporation"};

static uint32_t book_category(uint64_t book)
{
	uint64_t draw = hash_u64(book * 2 + 1) % 100;

	if (draw < 30)
		return 0;
	if (draw < 38)
		return CATEGORY_COMPUTERS;
	return (uint32_t)(draw % COUNT(categories));
}

/* Titles are what the two files join on: a function of the book's number, always in quotes. */
static char *put_book_title(char *out, uint64_t book)
{
	*out++ = '"';
	out = text_put_title(out, book);
	if (book_category(book) == CATEGORY_COMPUTERS && book % 5 < 2)
		out = text_put(out, book % 5 ? ": Distributed Systems" : " in a DISTRIBUTED world");
	out = text_put(out, book % 7 == 0 ? ", Volume " : " ");
	out = text_put_number(out, book);
	*out++ = '"';
	return out;
}

static uint32_t draw_year(struct rng *rng, bool classic)
{
	if (classic)
		return 1850 + (uint32_t)rng_below(rng, 170);
	if (text_chance(rng, 330))
		return 1990 + (uint32_t)rng_below(rng, 10);
	return 2023 - (uint32_t)text_skewed(rng, 90);
}

/* 1996, 2005-01, 2005-01-01, 1963*, 199? and nothing. */
static char *put_published(char *out, struct rng *rng, uint32_t year)
{
	uint64_t form = rng_below(rng, 100);

	if (form < 10)
		return out;
	if (form < 13) {
		out = text_put_number(out, year / 10);
		*out++ = '?';
		return out;
	}
	out = text_put_number(out, year);
	if (form < 50)
		return out;
	if (form < 53) {
		*out++ = '*';
		return out;
	}
	*out++ = '-';
	out = text_put_two(out, 1 + (uint32_t)rng_below(rng, 12));
	if (form < 65)
		return out;
	*out++ = '-';
	return text_put_two(out, 1 + (uint32_t)rng_below(rng, 28));
}

static char *put_authors(char *out, struct rng *rng, bool classic)
{
	uint32_t count = 1 + (uint32_t)text_chance(rng, 150) + (uint32_t)text_chance(rng, 50);

	if (!classic && text_chance(rng, 140))
		return out;
	out = text_put(out, "\"[");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t author = text_skewed(rng, 60000);

		if (classic && i == 0)
			author = CLASSIC_AUTHOR_BASE + rng_below(rng, CLASSIC_AUTHORS);
		out = text_put(out, i ? ", " : "");
		out = text_put_python_name(out, author);
	}
	return text_put(out, "]\"");
}

static char *put_categories(char *out, struct rng *rng, uint64_t book)
{
	const char *name = categories[book_category(book)];
	const char *quote = strchr(name, '\'') ? "\"\"" : "'";

	if (text_chance(rng, 60))
		return out;
	out = text_put(out, "\"[");
	out = text_put(out, quote);
	out = text_put(out, name);
	out = text_put(out, quote);
	return text_put(out, "]\"");
}

static char *put_links(char *out, uint64_t book, const char *more)
{
	out = text_put(out, "http://books.example.org/books?id=");
	out = text_put_number(out, hash_u64(book));
	return text_put(out, more);
}

static char *put_book(char *out, struct rng *rng, uint64_t book)
{
	bool classic = hash_u64(book) % 10 == 0;
	uint32_t sentences = (uint32_t)rng_below(rng, 8);

	out = put_book_title(out, book);
	*out++ = ',';
	if (sentences > 1) {
		*out++ = '"';
		for (uint32_t i = 0; i < sentences; i++) {
			out = text_put_sentence(out, rng, 30);
			*out++ = ' ';
		}
		*out++ = '"';
	}
	*out++ = ',';
	out = put_authors(out, rng, classic);
	*out++ = ',';
	out = put_links(out, book, "&printsec=frontcover&img=1&zoom=1&source=gbs_api");
	*out++ = ',';
	out = put_links(out, book, "&dq=title&hl=&cd=1&source=gbs_api");
	*out++ = ',';
	if (text_chance(rng, 650)) {
		*out++ = '"';
		out = text_put(out, publishers[rng_below(rng, COUNT(publishers))]);
		*out++ = '"';
	}
	*out++ = ',';
	out = put_published(out, rng, draw_year(rng, classic));
	*out++ = ',';
	out = put_links(out, book, "&dq=title&hl=&source=gbs_api");
	*out++ = ',';
	out = put_categories(out, rng, book);
	*out++ = ',';
	if (text_chance(rng, 250)) {
		out = text_put_number(out, 1 + text_skewed(rng, 300));
		out = text_put(out, ".0");
	}
	*out++ = '\n';
	return out;
}

static int write_books(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct books_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, "books_data", 0);
	gen_writer_advance(writer,
		text_put(gen_writer_room(writer),
			"Title,description,authors,image,previewLink,publisher,publishedDate,"
			"infoLink,categories,ratingsCount\n"));
	for (uint64_t i = 0; i < plan->books; i++) {
		if (gen_ensure(job, writer, 2 * PIECE_MAX, err))
			return -1;
		gen_writer_advance(writer, put_book(gen_writer_room(writer), &rng, i));
		job->rows[BOOKS_BOOKS]++;
	}
	if (gen_ensure(job, writer, PIECE_MAX, err))
		return -1;
	gen_writer_advance(writer,
		text_put(gen_writer_room(writer), "The last one,\"a description that has no e"));
	job->rows[BOOKS_BOOKS]++;
	return 0;
}

static uint64_t draw_book(struct rng *rng, const struct books_plan *plan)
{
	/* Bestsellers stand apart from each other, so that they differ in year and category. */
	if (text_chance(rng, BESTSELLER_PERMIL))
		return rng_below(rng, plan->bestsellers) * (plan->books / plan->bestsellers);
	return rng_below(rng, plan->books);
}

/* Bytes of a review: half of them below 500, one in twenty above 2400. */
static uint32_t draw_review_bytes(struct rng *rng)
{
	static const uint32_t sizes[] = {80, 140, 190, 240, 280, 320, 360, 400, 440, 480, 520, 590,
		670, 760, 870, 1000, 1200, 1500, 2100, 3600};

	return sizes[rng_below(rng, COUNT(sizes))];
}

static char *put_review_start(char *out, struct rng *rng, uint64_t book, int mood)
{
	static const char *const helpfulness[] = {"0/0", "1/1", "7/7", "10/12", "2/3", "0/5"};
	int stars = 3 + mood / 34;

	out = text_put_number(out, 1000000000 + hash_u64(book) % 1000000000);
	*out++ = ',';
	out = put_book_title(out, book);
	*out++ = ',';
	if (text_chance(rng, 160)) {
		out = text_put_number(out, 3 + rng_below(rng, 60));
		out = text_put(out, ".95");
	}
	out = text_put(out, ",A");
	out = text_put_number(out, rng_below(rng, 1000000000));
	*out++ = ',';
	*out++ = '"';
	out = text_put_name(out, rng_below(rng, 60000));
	if (text_chance(rng, 200))
		out = text_put(out, " \"\"reader\"\"");
	out = text_put(out, "\",");
	out = text_put(out, helpfulness[rng_below(rng, COUNT(helpfulness))]);
	*out++ = ',';
	out = text_put_number(out, (uint64_t)(stars < 1 ? 1 : stars));
	out = text_put(out, ".0,");
	out = text_put_number(out, 900000000 + rng_below(rng, 460000000));
	out = text_put(out, ",\"");
	out = text_put_sentence(out, rng, mood);
	return text_put(out, "\",");
}

static int write_review(
	struct gen_job *job, struct gen_writer *writer, struct rng *rng, struct error *err)
{
	uint64_t book = draw_book(rng, job->plan);
	/* A book has a mood of its own, and every reader too. */
	int mood = ((int)(hash_u64(book + 7) % 201) - 100 + (int)rng_below(rng, 201) - 100) / 2;
	uint32_t size = draw_review_bytes(rng);
	char *out, *start;

	if (gen_ensure(job, writer, 4 * PIECE_MAX, err))
		return -1;
	out = put_review_start(gen_writer_room(writer), rng, book, mood);
	if (!text_chance(rng, 3)) {
		*out++ = '"';
		start = out;
		while ((uint32_t)(out - start) < size) {
			out = text_put_sentence(out, rng, mood);
			*out++ = ' ';
		}
		*out++ = '"';
	}
	*out++ = '\n';
	gen_writer_advance(writer, out);
	job->rows[BOOKS_REVIEWS]++;
	return 0;
}

static int write_reviews(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct books_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, "Books_rating", 0);
	gen_writer_advance(writer,
		text_put(gen_writer_room(writer),
			"Id,Title,Price,User_id,profileName,review/helpfulness,review/score,"
			"review/time,review/summary,review/text\n"));
	while (writer->bytes < plan->reviews_bytes)
		if (write_review(job, writer, &rng, err))
			return -1;
	return 0;
}

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	struct gen_writer writer = {0};

	if (gen_writer_open(&writer, job->options->folder,
		    task == 0 ? "Books_rating.csv" : "books_data.csv", err))
		return -1;
	if (task == 0 ? write_reviews(job, &writer, err) : write_books(job, &writer, err)) {
		gen_writer_discard(&writer);
		return -1;
	}
	return gen_close(job, &writer, err);
}

int gen_books(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {
		[BOOKS_BOOKS] = "books",
		[BOOKS_REVIEWS] = "reviews",
	};
	uint64_t permil = options->size / 1000;
	struct books_plan books = {
		.books = 2 * BESTSELLERS_MIN + permil * BOOKS_PERMIL / BOOK_BYTES,
		.reviews_bytes = permil * (1000 - BOOKS_PERMIL),
	};
	struct gen_plan plan = {
		.pack = "books",
		.table_count = COUNT(tables),
		.tables = tables,
		.task_count = 2,
		.task = run_task,
		.plan = &books,
		.bytes_total = options->size,
	};

	books.bestsellers = books.books / BESTSELLERS_SHARE;
	if (books.bestsellers < BESTSELLERS_MIN)
		books.bestsellers = BESTSELLERS_MIN;
	if (options->quoted)
		return error_set(err, ERROR_USAGE, "--quoted is for coffee only");
	return gen_run(&plan, options, report, err);
}
