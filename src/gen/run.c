#include "gen/run.h"

#include "base/file.h"
#include "base/hash.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MARKER		".tamiz-generated"
#define FOLDER_PATH_MAX 4096

const char gen_packs[] = "coffee, movies, books, trade, h2o and web";

const struct generator *gen_find(const char *pack)
{
	static const struct generator generators[] = {
		{"coffee", gen_coffee},
		{"movies", gen_movies},
		{"books", gen_books},
		{"trade", gen_trade},
		{"h2o", gen_h2o},
		{"web", gen_web},
	};

	for (size_t i = 0; i < sizeof(generators) / sizeof(*generators); i++)
		if (strcmp(generators[i].pack, pack) == 0)
			return &generators[i];
	return NULL;
}

struct gen_state {
	const struct gen_plan *plan;
	const struct gen_options *options;
	_Atomic uint64_t bytes_done;
	_Atomic uint32_t next_task;
	_Atomic bool failed;
	pthread_mutex_t lock; /* of what follows */
	struct error error;   /* the first one */
	struct gen_report *report;
};

static void work(struct gen_state *state, bool reports_progress)
{
	struct gen_job job = {
		.options = state->options,
		.plan = state->plan->plan,
		.failed = &state->failed,
		.reports_progress = reports_progress,
		.bytes_done = &state->bytes_done,
		.bytes_total = state->plan->bytes_total,
	};
	struct error err = {0};

	while (!state->failed) {
		uint32_t task = state->next_task++;

		if (task >= state->plan->task_count)
			break;
		if (state->plan->task(&job, task, &err)) {
			pthread_mutex_lock(&state->lock);
			if (!state->failed)
				state->error = err;
			state->failed = true;
			pthread_mutex_unlock(&state->lock);
		}
	}
	pthread_mutex_lock(&state->lock);
	state->report->bytes += job.bytes;
	for (uint32_t i = 0; i < state->plan->table_count; i++)
		state->report->tables[i].rows += job.rows[i];
	pthread_mutex_unlock(&state->lock);
}

static void *thread_main(void *argument)
{
	work(argument, false);
	return NULL;
}

/* The calling thread works as well; a thread that cannot be started is done without. */
static void run_threads(struct gen_state *state)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wanted = state->options->threads;
	pthread_t threads[GEN_THREADS_MAX];
	uint32_t started = 0;

	if (wanted == 0)
		wanted = processors > 0 ? (uint32_t)processors : 1;
	if (wanted > GEN_THREADS_MAX)
		wanted = GEN_THREADS_MAX;
	while (started + 1 < wanted &&
		pthread_create(&threads[started], NULL, thread_main, state) == 0)
		started++;
	work(state, true);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

/* The user has named it, so that a file in its place is the user's mistake. */
static int make_folder(const char *path, struct error *err)
{
	if (folder_make(path, 0777, false, err) == 0)
		return 0;
	if (errno == ENOTDIR)
		err->code = ERROR_USAGE;
	return -1;
}

static int check_folder(const struct gen_options *options, struct error *err)
{
	DIR *dir = opendir(options->folder);
	struct dirent *entry;
	bool empty = true, marked = false;

	if (!dir)
		return error_set(err, ERROR_IO, "cannot open the folder %s: %s", options->folder,
			strerror(errno));
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		empty = false;
		if (strcmp(entry->d_name, MARKER) == 0)
			marked = true;
	}
	closedir(dir);
	if (empty || marked || options->force)
		return 0;
	return error_set(err, ERROR_USAGE,
		"%s is not empty and was not generated: choose another folder, or add --force",
		options->folder);
}

/* Written first, so that a folder whose generation broke off may be generated again. */
static int write_marker(
	const struct gen_plan *plan, const struct gen_options *options, struct error *err)
{
	struct gen_writer writer;
	int size;

	if (gen_writer_open(&writer, options->folder, MARKER, err))
		return -1;
	size = snprintf(gen_writer_room(&writer), GEN_WRITER_ROOM_MAX,
		"%s size=%llu seed=%llu quoted=%d\n", plan->pack, (unsigned long long)options->size,
		(unsigned long long)options->seed, options->quoted);
	gen_writer_advance(&writer, gen_writer_room(&writer) + size);
	return gen_writer_close(&writer, err);
}

static int prepare_folders(
	const struct gen_plan *plan, const struct gen_options *options, struct error *err)
{
	char path[FOLDER_PATH_MAX];

	if (make_folder(options->folder, err) || check_folder(options, err) ||
		write_marker(plan, options, err))
		return -1;
	for (uint32_t i = 0; i < plan->folder_count; i++) {
		if (snprintf(path, sizeof(path), "%s/%s", options->folder, plan->folders[i]) >=
			(int)sizeof(path))
			return error_set(err, ERROR_USAGE, "the name of the folder is too long");
		if (make_folder(path, err))
			return -1;
	}
	return 0;
}

int gen_run(const struct gen_plan *plan, const struct gen_options *options,
	struct gen_report *report, struct error *err)
{
	struct gen_state state = {.plan = plan, .options = options, .report = report};

	memset(report, 0, sizeof(*report));
	report->table_count = plan->table_count;
	for (uint32_t i = 0; i < plan->table_count; i++)
		report->tables[i].name = plan->tables[i];
	if (options->size < GEN_SIZE_MIN || options->size > GEN_SIZE_MAX)
		return error_set(err, ERROR_USAGE, "the size must be between %llu and %llu bytes",
			(unsigned long long)GEN_SIZE_MIN, (unsigned long long)GEN_SIZE_MAX);
	if (prepare_folders(plan, options, err))
		return -1;
	pthread_mutex_init(&state.lock, NULL);
	run_threads(&state);
	pthread_mutex_destroy(&state.lock);
	if (state.failed) {
		*err = state.error;
		return -1;
	}
	return 0;
}

void gen_rng_init(
	struct rng *rng, const struct gen_options *options, const char *file, uint64_t part)
{
	uint64_t name = hash_bytes(file, strlen(file));

	rng_init(rng, hash_combine(hash_combine(hash_u64(options->seed), name), part));
}

int gen_flush(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	const struct gen_options *options = job->options;
	uint64_t done;

	done = atomic_fetch_add(job->bytes_done, writer->used) + writer->used;
	if (*job->failed || (options->interrupted && atomic_load_explicit(options->interrupted,
							     memory_order_relaxed)))
		return error_set(err, ERROR_INTERRUPTED, "interrupted");
	if (job->reports_progress && options->on_progress)
		options->on_progress(options->progress_context,
			done < job->bytes_total ? done : job->bytes_total, job->bytes_total);
	return gen_writer_flush(writer, err);
}

int gen_close(struct gen_job *job, struct gen_writer *writer, struct error *err)
{
	uint64_t bytes = writer->bytes;

	if (gen_writer_close(writer, err))
		return -1;
	job->bytes += bytes;
	return 0;
}
