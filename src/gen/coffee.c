/*
 * Plans the files of a generated coffee folder and shares them out: a task is one month's sales,
 * one month's users or a small table, and threads take the next task until none is left.
 */
#include "gen/coffee_private.h"

#include "column/datetime.h"
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_YEAR	2023
#define FIRST_MONTH	7
#define USERS_AT_FULL	UINT64_C(2200000)
#define SIZE_AT_FULL	(UINT64_C(2) << 30)
#define TASK_COUNT	(2 * COFFEE_MONTHS + 2)
#define MARKER		".tamiz-generated"
#define FOLDER_PATH_MAX 4096

/* Users registered in each month of a full-size data set: slow at first, then as fast as it can. */
static const uint32_t month_users[COFFEE_MONTHS] = {600, 950, 1600, 2650, 4350, 7100, 11600, 17100,
	28300, 40800, 60500, 79600, 95000, 115000, 130000, 143000, 155000, 165000, 173000, 180000,
	187000, 193000, 199000, 209850};

/* How many of a thousand transactions were made by a member. */
static const uint32_t month_member_permil[COFFEE_MONTHS] = {0, 3, 6, 11, 19, 29, 41, 70, 115, 180,
	270, 380, 490, 600, 690, 765, 825, 875, 912, 940, 960, 975, 985, 990};

static const char *const folders[] = {
	"transactions", "transaction_items", "users", "stores", "menu_items"};

struct coffee_run {
	const struct gen_options *options;
	struct coffee_month months[COFFEE_MONTHS];
	uint64_t bytes_total;
	_Atomic uint64_t bytes_done;
	_Atomic uint32_t next_task;
	_Atomic bool failed;
	pthread_mutex_t lock; /* of what follows */
	struct error error;   /* the first one */
	struct gen_report report;
};

static void plan_months(const struct gen_options *options, struct coffee_month *months)
{
	uint64_t full = options->size < SIZE_AT_FULL ? options->size : SIZE_AT_FULL;
	uint64_t weight_total = 0, weight = 0, users_before = 0;
	uint32_t days_total = 0;

	for (uint32_t i = 0; i < COFFEE_MONTHS; i++) {
		uint32_t ordinal = FIRST_MONTH - 1 + i;
		struct coffee_month *month = &months[i];

		month->year = FIRST_YEAR + (int32_t)(ordinal / 12);
		month->month = ordinal % 12 + 1;
		month->days = days_in_month(month->year, month->month);
		month->member_permil = month_member_permil[i];
		days_total += month->days;
		weight_total += month_users[i];
	}
	for (uint32_t i = 0; i < COFFEE_MONTHS; i++) {
		struct coffee_month *month = &months[i];
		uint64_t users_then;

		month->bytes =
			(uint64_t)((unsigned __int128)options->size * month->days / days_total);
		weight += month_users[i];
		users_then = (uint64_t)((unsigned __int128)(USERS_AT_FULL * weight / weight_total) *
					full / SIZE_AT_FULL);
		/* Small data sets have somebody in every month, too. */
		if (users_then < i + 1)
			users_then = i + 1;
		month->users_before = users_before;
		month->users = users_then - users_before;
		users_before = users_then;
	}
}

static int run_task(
	struct coffee_run *run, struct coffee_job *job, uint32_t task, struct error *err)
{
	if (task < COFFEE_MONTHS)
		return coffee_write_sales(job, &run->months[task], err);
	task -= COFFEE_MONTHS;
	if (task < COFFEE_MONTHS)
		return coffee_write_users(job, &run->months[task], err);
	return task == COFFEE_MONTHS ? coffee_write_stores(job, err) : coffee_write_menu(job, err);
}

static void work(struct coffee_run *run, bool reports_progress)
{
	struct coffee_job job = {.options = run->options,
		.failed = &run->failed,
		.reports_progress = reports_progress,
		.bytes_done = &run->bytes_done,
		.bytes_total = run->bytes_total};
	struct error err = {0};

	while (!run->failed) {
		uint32_t task = run->next_task++;

		if (task >= TASK_COUNT)
			break;
		if (run_task(run, &job, task, &err)) {
			pthread_mutex_lock(&run->lock);
			if (!run->failed)
				run->error = err;
			run->failed = true;
			pthread_mutex_unlock(&run->lock);
		}
	}
	pthread_mutex_lock(&run->lock);
	run->report.bytes += job.report.bytes;
	run->report.transactions += job.report.transactions;
	run->report.items += job.report.items;
	run->report.users += job.report.users;
	pthread_mutex_unlock(&run->lock);
}

static void *thread_main(void *argument)
{
	work(argument, false);
	return NULL;
}

/* The calling thread works as well; a thread that cannot be started is done without. */
static void run_threads(struct coffee_run *run)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t wanted = run->options->threads;
	pthread_t threads[GEN_THREADS_MAX];
	uint32_t started = 0;

	if (wanted == 0)
		wanted = processors > 0 ? (uint32_t)processors : 1;
	if (wanted > GEN_THREADS_MAX)
		wanted = GEN_THREADS_MAX;
	while (started + 1 < wanted &&
		pthread_create(&threads[started], NULL, thread_main, run) == 0)
		started++;
	work(run, true);
	for (uint32_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
}

static int make_folder(const char *path, struct error *err)
{
	struct stat info;

	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
		return 0;
	if (errno == EEXIST)
		return error_set(err, ERROR_USAGE, "%s is a file: --out needs a folder", path);
	return error_set(err, ERROR_IO, "cannot make the folder %s: %s", path, strerror(errno));
}

/* Makes the folders above it, too. */
static int make_folder_path(const char *path, struct error *err)
{
	char part[FOLDER_PATH_MAX];
	size_t size = strlen(path);

	if (size >= sizeof(part))
		return error_set(err, ERROR_USAGE, "the name of the folder is too long");
	for (size_t i = 1; i <= size; i++) {
		if (path[i] != '/' && path[i] != 0)
			continue;
		memcpy(part, path, i);
		part[i] = 0;
		if (make_folder(part, err))
			return -1;
	}
	return 0;
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
static int write_marker(const struct gen_options *options, struct error *err)
{
	struct gen_writer writer;
	int size;

	if (gen_writer_open(&writer, options->folder, MARKER, err))
		return -1;
	size = snprintf(gen_writer_room(&writer), GEN_WRITER_ROOM_MAX,
		"coffee size=%llu seed=%llu quoted=%d\n", (unsigned long long)options->size,
		(unsigned long long)options->seed, options->quoted);
	gen_writer_advance(&writer, gen_writer_room(&writer) + size);
	return gen_writer_close(&writer, err);
}

static int prepare_folders(const struct gen_options *options, struct error *err)
{
	char path[FOLDER_PATH_MAX];

	if (make_folder_path(options->folder, err) || check_folder(options, err) ||
		write_marker(options, err))
		return -1;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		if (snprintf(path, sizeof(path), "%s/%s", options->folder, folders[i]) >=
			(int)sizeof(path))
			return error_set(err, ERROR_USAGE, "the name of the folder is too long");
		if (make_folder(path, err))
			return -1;
	}
	return 0;
}

int gen_coffee(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	struct coffee_run run = {.options = options};

	memset(report, 0, sizeof(*report));
	if (options->size < GEN_SIZE_MIN || options->size > GEN_SIZE_MAX)
		return error_set(err, ERROR_USAGE, "the size must be between %llu and %llu bytes",
			(unsigned long long)GEN_SIZE_MIN, (unsigned long long)GEN_SIZE_MAX);
	if (prepare_folders(options, err))
		return -1;
	plan_months(options, run.months);
	for (uint32_t i = 0; i < COFFEE_MONTHS; i++)
		run.bytes_total += run.months[i].bytes;
	pthread_mutex_init(&run.lock, NULL);
	run_threads(&run);
	pthread_mutex_destroy(&run.lock);
	*report = run.report;
	if (run.failed) {
		*err = run.error;
		return -1;
	}
	return 0;
}
