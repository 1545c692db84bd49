/*
 * Readings and events: keys of few and of many values, in the proportions of a benchmark of data frames that every
 * engine knows. A hundred groups, ten thousand, a hundredth of the rows, all rows; joins with a few rows, with a
 * thousandth, with as many as there are.
 *
 * The tables of the joins have each of their keys once. Nine of ten events have a partner in each.
 */
#include "gen/run.h"
#include "gen/text.h"

/* Bytes of all files for each reading, measured. There are as many events, and rows of the large table. */
#define READING_BYTES 138
#define GROUPS	      100
/* Rows for each one of the small and of the medium table, and the fewest that these have. */
#define SMALL_SHARE  1000000
#define MEDIUM_SHARE 1000
#define SMALL_MIN    10
#define MEDIUM_MIN   100
/* Keys of events go beyond those of the tables. */
#define KEYS(rows) ((rows) + (rows) / 9)
/* No number of rows has it as a factor: see gen_h2o. */
#define STRIDE 1000003

#define ROW_MAX 256

enum h2o_table {
	H2O_READINGS,
	H2O_EVENTS,
	H2O_LARGE,
	H2O_MEDIUM,
	H2O_SMALL,
	H2O_TABLE_COUNT,
};

struct h2o_plan {
	uint64_t rows[H2O_TABLE_COUNT];
};

static const struct {
	const char *name;
	const char *header;
} files[] = {
	[H2O_READINGS] = {"readings.csv", "id1,id2,id3,id4,id5,id6,v1,v2,v3\n"},
	[H2O_EVENTS] = {"events.csv", "id1,id2,id3,id4,id5,id6,v1\n"},
	[H2O_LARGE] = {"large.csv", "id1,id2,id3,id4,id5,id6,v2\n"},
	[H2O_MEDIUM] = {"medium.csv", "id1,id2,id4,id5,v2\n"},
	[H2O_SMALL] = {"small.csv", "id1,id4,v2\n"},
};

/* id0000000042, in so many digits. */
static char *put_key(char *out, uint64_t number, int digits)
{
	out = text_put(out, "id");
	for (int i = digits - 1; i >= 0; i--) {
		out[i] = (char)('0' + number % 10);
		number /= 10;
	}
	out += digits;
	*out++ = ',';
	return out;
}

static char *put_number(char *out, uint64_t number)
{
	out = text_put_number(out, number);
	*out++ = ',';
	return out;
}

/* From 0 to 100, six decimals. */
static char *put_value(char *out, struct rng *rng)
{
	uint64_t millionths = rng_below(rng, 100000000), unit = 100000;

	out = text_put_number(out, millionths / 1000000);
	*out++ = '.';
	for (; unit > 0; unit /= 10)
		*out++ = (char)('0' + millionths / unit % 10);
	return out;
}

static uint64_t draw(struct rng *rng, uint64_t keys)
{
	return 1 + rng_below(rng, keys);
}

static char *put_reading(char *out, struct rng *rng, uint64_t rows)
{
	uint64_t many = rows / GROUPS + 1;

	out = put_key(out, draw(rng, GROUPS), 3);
	out = put_key(out, draw(rng, GROUPS), 3);
	out = put_key(out, draw(rng, many), 10);
	out = put_number(out, draw(rng, GROUPS));
	out = put_number(out, draw(rng, GROUPS));
	out = put_number(out, draw(rng, many));
	out = put_number(out, draw(rng, 5));
	out = put_number(out, draw(rng, 15));
	return put_value(out, rng);
}

/* Up to three keys, as numbers and then as texts. */
static char *put_keys(char *out, const uint64_t *keys, int count)
{
	for (int i = 0; i < count; i++)
		out = put_number(out, keys[i]);
	for (int i = 0; i < count; i++) {
		out = text_put(out, "id");
		out = put_number(out, keys[i]);
	}
	return out;
}

/* Every number from 1 to `rows` once, in an order that looks like none. */
static uint64_t shuffled(uint64_t row, uint64_t rows)
{
	return 1 + (uint64_t)((unsigned __int128)row * STRIDE % rows);
}

static char *put_joined(
	char *out, struct rng *rng, const struct h2o_plan *plan, enum h2o_table table, uint64_t row)
{
	const uint64_t *rows = plan->rows;
	uint64_t keys[3];

	keys[0] = draw(rng, KEYS(rows[H2O_SMALL]));
	keys[1] = draw(rng, KEYS(rows[H2O_MEDIUM]));
	keys[2] = draw(rng, KEYS(rows[H2O_LARGE]));
	if (table != H2O_EVENTS)
		keys[H2O_SMALL - table] = shuffled(row, rows[table]);
	out = put_keys(out, keys, table == H2O_EVENTS ? 3 : 1 + (int)(H2O_SMALL - table));
	return put_value(out, rng);
}

static int write_rows(
	struct gen_job *job, enum h2o_table table, struct gen_writer *writer, struct error *err)
{
	const struct h2o_plan *plan = job->plan;
	struct rng rng;

	gen_rng_init(&rng, job->options, files[table].name, 0);
	gen_writer_advance(writer, text_put(gen_writer_room(writer), files[table].header));
	for (uint64_t i = 0; i < plan->rows[table]; i++) {
		char *out;

		if (gen_ensure(job, writer, ROW_MAX, err))
			return -1;
		out = gen_writer_room(writer);
		out = table == H2O_READINGS ? put_reading(out, &rng, plan->rows[table])
					    : put_joined(out, &rng, plan, table, i);
		*out++ = '\n';
		gen_writer_advance(writer, out);
		job->rows[table]++;
	}
	return 0;
}

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	struct gen_writer writer = {0};

	if (gen_writer_open(&writer, job->options->folder, files[task].name, err))
		return -1;
	if (write_rows(job, (enum h2o_table)task, &writer, err)) {
		gen_writer_discard(&writer);
		return -1;
	}
	return gen_close(job, &writer, err);
}

/* At least `least`, and without the factor that would leave keys of `shuffled` out. */
static uint64_t row_count(uint64_t rows, uint64_t least)
{
	rows = rows > least ? rows : least;
	return rows % STRIDE ? rows : rows + 1;
}

int gen_h2o(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {"readings", "events", "large", "medium", "small"};
	uint64_t rows = row_count(options->size / READING_BYTES, MEDIUM_MIN);
	struct h2o_plan h2o = {{
		[H2O_READINGS] = rows,
		[H2O_EVENTS] = rows,
		[H2O_LARGE] = rows,
		[H2O_MEDIUM] = row_count(rows / MEDIUM_SHARE, MEDIUM_MIN),
		[H2O_SMALL] = row_count(rows / SMALL_SHARE, SMALL_MIN),
	}};
	struct gen_plan plan = {
		.pack = "h2o",
		.table_count = H2O_TABLE_COUNT,
		.tables = tables,
		.task_count = H2O_TABLE_COUNT,
		.task = run_task,
		.plan = &h2o,
		.bytes_total = options->size,
	};

	if (options->quoted)
		return error_set(err, ERROR_USAGE, "--quoted is for coffee only");
	return gen_run(&plan, options, report, err);
}
