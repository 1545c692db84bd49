/*
 * The Movies Dataset in small or large: three files in the proportions of the real ones. Some ids
 * repeat, some overviews are empty or hold line breaks, three records are broken in two lines, and
 * enough movies come from Argentina for every query of the pack to have something to find.
 */
#include "gen/run.h"
#include "gen/text.h"

#include "base/hash.h"
#include "column/datetime.h"
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Bytes a row, measured, and a table's share of the size in thousandths, as in the real files. */
#define MOVIE_BYTES    670
#define MOVIES_PERMIL  37
#define RATINGS_PERMIL 760
#define BROKEN_COUNT   3

/* The longest that is written between two looks at the room that is left. */
#define PIECE_MAX 4096

enum movies_table {
	MOVIES_METADATA,
	MOVIES_RATINGS,
	MOVIES_CREDITS,
};

struct movies_plan {
	uint64_t movies;
	uint64_t ratings_bytes;
	uint64_t credits_bytes;
};

static const char *const countries[][2] = {{"US", "United States of America"},
	{"GB", "United Kingdom"}, {"FR", "France"}, {"DE", "Germany"}, {"IT", "Italy"},
	{"CA", "Canada"}, {"JP", "Japan"}, {"ES", "Spain"}, {"AR", "Argentina"}, {"MX", "Mexico"},
	{"BR", "Brazil"}, {"IN", "India"}, {"CI", "Cote D'Ivoire"}};
#define COUNTRY_SPAIN	  7
#define COUNTRY_ARGENTINA 8

static const char *const genres[][2] = {{"18", "Drama"}, {"35", "Comedy"}, {"53", "Thriller"},
	{"28", "Action"}, {"10749", "Romance"}, {"12", "Adventure"}, {"80", "Crime"},
	{"878", "Science Fiction"}, {"99", "Documentary"}, {"10751", "Family"}};

/* Ids are not dense: a rating's movie may be none. */
static uint64_t movie_id(uint64_t index)
{
	return index * 3 + 2;
}

/* What several files must agree on, from the movie's number alone. */
static bool is_argentine(uint64_t index)
{
	return hash_u64(index) % 100 < 8;
}

static char *put_country(char *out, uint32_t country)
{
	const char *name = countries[country][1];
	const char *quote = strchr(name, '\'') ? "\"\"" : "'";

	out = text_put(out, "{'iso_3166_1': '");
	out = text_put(out, countries[country][0]);
	out = text_put(out, "', 'name': ");
	out = text_put(out, quote);
	out = text_put(out, name);
	out = text_put(out, quote);
	return text_put(out, "}");
}

static char *put_countries(char *out, struct rng *rng, uint64_t index)
{
	uint32_t count = 0;

	out = text_put(out, "\"[");
	if (is_argentine(index)) {
		out = put_country(out, COUNTRY_ARGENTINA);
		count++;
		if (text_chance(rng, 450)) {
			out = text_put(out, ", ");
			out = put_country(out, COUNTRY_SPAIN);
		}
	}
	while (count < 3 && text_chance(rng, count ? 150 : 900)) {
		out = text_put(out, count ? ", " : "");
		out = put_country(out, (uint32_t)text_skewed(rng, COUNT(countries)));
		count++;
	}
	return text_put(out, "]\"");
}

static char *put_genres(char *out, struct rng *rng)
{
	uint32_t first = (uint32_t)text_skewed(rng, COUNT(genres));
	uint32_t count = (uint32_t)rng_below(rng, 4);

	out = text_put(out, "\"[");
	for (uint32_t i = 0; i < count; i++) {
		const char *const *genre = genres[(first + i * 3) % COUNT(genres)];

		out = text_put(out, i ? ", {'id': " : "{'id': ");
		out = text_put(out, genre[0]);
		out = text_put(out, ", 'name': '");
		out = text_put(out, genre[1]);
		out = text_put(out, "'}");
	}
	return text_put(out, "]\"");
}

static char *put_overview(char *out, struct rng *rng)
{
	int mood = (int)rng_below(rng, 201) - 100;
	uint32_t sentences = 1 + (uint32_t)rng_below(rng, 5);

	if (text_chance(rng, 20))
		return out;
	*out++ = '"';
	for (uint32_t i = 0; i < sentences; i++) {
		if (i)
			*out++ = text_chance(rng, 30) ? '\n' : ' ';
		out = text_put_sentence(out, rng, mood);
	}
	*out++ = '"';
	return out;
}

static char *put_companies(char *out, struct rng *rng)
{
	uint32_t count = (uint32_t)rng_below(rng, 3);

	out = text_put(out, "\"[");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t company = text_skewed(rng, 2000);

		out = text_put(out, i ? ", {'name': '" : "{'name': '");
		out = text_put_title(out, company);
		out = text_put(out, " Films', 'id': ");
		out = text_put_number(out, company);
		*out++ = '}';
	}
	return text_put(out, "]\"");
}

/* Zero in most rows, as nobody knows it. */
static char *put_amount(char *out, struct rng *rng)
{
	if (text_chance(rng, 600))
		return text_put(out, "0");
	return text_put_number(out, (1 + text_skewed(rng, 2000)) * 50000);
}

static char *put_release_date(char *out, struct rng *rng)
{
	int64_t first = days_from_civil(1930, 1, 1), last = days_from_civil(2017, 12, 31);
	uint64_t back = text_skewed(rng, (uint64_t)(last - first));

	return text_chance(rng, 5) ? out : text_put_date(out, last - (int64_t)back);
}

static char *put_poster(char *out, struct rng *rng)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

	*out++ = '/';
	for (int i = 0; i < 3; i++) {
		uint64_t bits = rng_next(rng);

		for (int k = 0; k < 9; k++, bits >>= 7)
			*out++ = letters[(bits & 127) % (sizeof(letters) - 1)];
	}
	return text_put(out, ".jpg");
}

static char *put_decimal(char *out, uint64_t tenths)
{
	out = text_put_number(out, tenths / 10);
	*out++ = '.';
	*out++ = (char)('0' + tenths % 10);
	return out;
}

/* From the overview on: what a broken record has in its second line. */
static char *put_movie_end(char *out, struct rng *rng, uint64_t index)
{
	*out++ = ',';
	out = put_decimal(out, text_skewed(rng, 300));
	*out++ = ',';
	out = put_poster(out, rng);
	*out++ = ',';
	out = put_companies(out, rng);
	*out++ = ',';
	out = put_countries(out, rng, index);
	*out++ = ',';
	out = put_release_date(out, rng);
	*out++ = ',';
	out = put_amount(out, rng);
	*out++ = ',';
	out = put_decimal(out, 600 + rng_below(rng, 900));
	out = text_put(out, ",\"[{'iso_639_1': 'en', 'name': 'English'}]\",Released,");
	if (text_chance(rng, 400)) {
		*out++ = '"';
		out = text_put_sentence(out, rng, 50);
		*out++ = '"';
	}
	*out++ = ',';
	out = text_put_title(out, index);
	out = text_put(out, ",False,");
	out = put_decimal(out, rng_below(rng, 101));
	*out++ = ',';
	out = text_put_number(out, text_skewed(rng, 5000));
	*out++ = '\n';
	return out;
}

static char *put_movie(char *out, struct rng *rng, uint64_t index, bool broken)
{
	out = text_put(out, "False,");
	if (text_chance(rng, 100)) {
		out = text_put(out, "\"{'id': ");
		out = text_put_number(out, index * 7);
		out = text_put(out, ", 'name': '");
		out = text_put_title(out, index * 5);
		out = text_put(out, " Collection', 'poster_path': None, 'backdrop_path': None}\"");
	}
	*out++ = ',';
	out = put_amount(out, rng);
	*out++ = ',';
	out = put_genres(out, rng);
	*out++ = ',';
	if (text_chance(rng, 170))
		out = text_put(out, "http://movies.example.org/");
	*out++ = ',';
	out = text_put_number(out, movie_id(index));
	out = text_put(out, ",tt");
	out = text_put_number(out, 1000000 + index);
	out = text_put(out, is_argentine(index) ? ",es," : ",en,");
	out = text_put_title(out, index);
	*out++ = ',';
	if (broken)
		return put_movie_end(
			text_put(out, "An overview that breaks off here\n - and goes on"), rng,
			index);
	return put_movie_end(put_overview(out, rng), rng, index);
}

static int write_movies(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct movies_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, "movies_metadata", 0);
	gen_writer_advance(writer,
		text_put(gen_writer_room(writer),
			"adult,belongs_to_collection,budget,genres,homepage,id,imdb_id,"
			"original_language,original_title,overview,popularity,poster_path,"
			"production_companies,production_countries,release_date,revenue,runtime,"
			"spoken_languages,status,tagline,title,video,vote_average,vote_count\n"));
	for (uint64_t i = 0; i < plan->movies; i++) {
		bool broken =
			i % (plan->movies / BROKEN_COUNT + 1) == plan->movies / (2 * BROKEN_COUNT);
		/* Some stand there twice, the second time with another title and other values. */
		uint32_t times = i % 997 == 500 ? 2 : 1;

		for (uint32_t k = 0; k < times; k++) {
			if (gen_ensure(job, writer, 2 * PIECE_MAX, err))
				return -1;
			gen_writer_advance(
				writer, put_movie(gen_writer_room(writer), &rng, i, broken));
			job->rows[MOVIES_METADATA]++;
		}
	}
	return 0;
}

static int write_ratings(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct movies_plan *plan = job->plan;
	uint64_t user = 1, left = 0;
	struct rng rng;

	gen_rng_init(&rng, job->options, "ratings", 0);
	gen_writer_advance(
		writer, text_put(gen_writer_room(writer), "userId,movieId,rating,timestamp\r\n"));
	while (writer->bytes < plan->ratings_bytes) {
		char *out;
		uint64_t movie;

		if (gen_ensure(job, writer, PIECE_MAX, err))
			return -1;
		if (left-- == 0) {
			left = text_skewed(&rng, 300);
			user++;
		}
		out = text_put_number(gen_writer_room(writer), user);
		*out++ = ',';
		movie = text_skewed(&rng, plan->movies + plan->movies / 4);
		out = text_put_number(out, movie_id(movie) - (movie % 11 == 0));
		*out++ = ',';
		out = put_decimal(out, 5 + 5 * rng_below(&rng, 10));
		*out++ = ',';
		out = text_put_number(out, 900000000 + rng_below(&rng, 600000000));
		*out++ = '\r';
		*out++ = '\n';
		gen_writer_advance(writer, out);
		job->rows[MOVIES_RATINGS]++;
	}
	return 0;
}

/* Actors of one country know each other: a small company plays most of its parts. */
static uint64_t draw_person(struct rng *rng, bool argentine)
{
	if (argentine && text_chance(rng, 600))
		return 31 * (1 + text_skewed(rng, 60));
	return text_skewed(rng, 60000);
}

static char *put_actor(char *out, struct rng *rng, uint32_t order, bool argentine)
{
	uint64_t person = draw_person(rng, argentine);

	out = text_put(out, order ? ", {'cast_id': " : "{'cast_id': ");
	out = text_put_number(out, order + 1);
	out = text_put(out, ", 'character': ");
	out = text_chance(rng, 100) ? text_put(out, "''")
				    : text_put_python_name(out, rng_below(rng, 900));
	out = text_put(out, ", 'credit_id': '52fe");
	out = text_put_number(out, 1000000000000000000u + rng_next(rng) % 1000000000000000000u);
	out = text_put(out, "', 'gender': ");
	out = text_put_number(out, person % 3);
	out = text_put(out, ", 'id': ");
	out = text_put_number(out, person);
	out = text_put(out, ", 'name': ");
	out = text_put_python_name(out, person);
	out = text_put(out, ", 'order': ");
	out = text_put_number(out, order);
	out = text_put(out, ", 'profile_path': ");
	if (text_chance(rng, 300))
		return text_put(out, "None}");
	*out++ = '\'';
	out = put_poster(out, rng);
	return text_put(out, "'}");
}

static char *put_crew(char *out, struct rng *rng, uint32_t order)
{
	static const char *const jobs[] = {"Director", "Writer", "Producer", "Editor", "Casting"};

	out = text_put(out, order ? ", {'credit_id': '52fe" : "{'credit_id': '52fe");
	out = text_put_number(out, 1000000000000000000u + rng_next(rng) % 1000000000000000000u);
	out = text_put(out, "', 'department': 'Production', 'gender': 0, 'id': ");
	out = text_put_number(out, rng_below(rng, 60000));
	out = text_put(out, ", 'job': '");
	out = text_put(out, jobs[rng_below(rng, COUNT(jobs))]);
	out = text_put(out, "', 'name': ");
	out = text_put_python_name(out, text_skewed(rng, 60000));
	return text_put(out, ", 'profile_path': None}");
}

static int write_credits_row(struct gen_job *job, struct gen_writer *writer, struct rng *rng,
	uint64_t index, struct error *err)
{
	bool argentine = is_argentine(index);
	/* Few have hundreds, most a dozen. */
	uint32_t actors = (uint32_t)(text_skewed(rng, 40) + (text_chance(rng, 20) ? 200 : 1));
	uint32_t crew = (uint32_t)text_skewed(rng, 40);
	char *out;

	if (gen_ensure(job, writer, PIECE_MAX, err))
		return -1;
	gen_writer_advance(writer, text_put(gen_writer_room(writer), "\"["));
	for (uint32_t i = 0; i < actors; i++) {
		if (gen_ensure(job, writer, PIECE_MAX, err))
			return -1;
		gen_writer_advance(writer, put_actor(gen_writer_room(writer), rng, i, argentine));
	}
	gen_writer_advance(writer, text_put(gen_writer_room(writer), "]\",\"["));
	for (uint32_t i = 0; i < crew; i++) {
		if (gen_ensure(job, writer, PIECE_MAX, err))
			return -1;
		gen_writer_advance(writer, put_crew(gen_writer_room(writer), rng, i));
	}
	out = text_put(gen_writer_room(writer), "]\",");
	out = text_put_number(out, movie_id(index));
	*out++ = '\n';
	gen_writer_advance(writer, out);
	job->rows[MOVIES_CREDITS]++;
	return 0;
}

/* One row a movie, and some of them again, until the file has its size. */
static int write_credits(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct movies_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, "credits", 0);
	gen_writer_advance(writer, text_put(gen_writer_room(writer), "cast,crew,id\n"));
	for (uint64_t i = 0; writer->bytes < plan->credits_bytes; i++)
		if (write_credits_row(job, writer, &rng, i % plan->movies, err))
			return -1;
	return 0;
}

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	static const struct {
		const char *file;
		int (*write)(struct gen_job *job, struct gen_writer *writer, struct error *err);
	} files[] = {
		{"ratings.csv", write_ratings},
		{"credits.csv", write_credits},
		{"movies_metadata.csv", write_movies},
	};
	struct gen_writer writer = {0};

	if (gen_writer_open(&writer, job->options->folder, files[task].file, err))
		return -1;
	if (files[task].write(job, &writer, err)) {
		gen_writer_discard(&writer);
		return -1;
	}
	return gen_close(job, &writer, err);
}

int gen_movies(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {
		[MOVIES_METADATA] = "movies",
		[MOVIES_RATINGS] = "ratings",
		[MOVIES_CREDITS] = "credits",
	};
	uint64_t permil = options->size / 1000;
	struct movies_plan movies = {
		.movies = 20 + permil * MOVIES_PERMIL / MOVIE_BYTES,
		.ratings_bytes = permil * RATINGS_PERMIL,
		.credits_bytes = permil * (1000 - RATINGS_PERMIL - MOVIES_PERMIL),
	};
	struct gen_plan plan = {
		.pack = "movies",
		.table_count = COUNT(tables),
		.tables = tables,
		.task_count = 3,
		.task = run_task,
		.plan = &movies,
		.bytes_total = options->size,
	};

	if (options->quoted)
		return error_set(err, ERROR_USAGE, "--quoted is for coffee only");
	return gen_run(&plan, options, report, err);
}
