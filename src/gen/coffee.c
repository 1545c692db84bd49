/*
 * Plans the files of a generated coffee folder and shares them out: a task is one month's sales,
 * one month's users or a small table, and threads take the next task until none is left.
 */
#include "gen/coffee_private.h"

#include "column/datetime.h"

#define FIRST_YEAR    2023
#define FIRST_MONTH   7
#define USERS_AT_FULL UINT64_C(2200000)
#define SIZE_AT_FULL  (UINT64_C(2) << 30)
#define TASK_COUNT    (2 * COFFEE_MONTHS + 2)

/* Users registered in each month of a full-size data set: slow at first, then as fast as it can. */
static const uint32_t month_users[COFFEE_MONTHS] = {600, 950, 1600, 2650, 4350, 7100, 11600, 17100,
	28300, 40800, 60500, 79600, 95000, 115000, 130000, 143000, 155000, 165000, 173000, 180000,
	187000, 193000, 199000, 209850};

/* How many of a thousand transactions were made by a member. */
static const uint32_t month_member_permil[COFFEE_MONTHS] = {0, 3, 6, 11, 19, 29, 41, 70, 115, 180,
	270, 380, 490, 600, 690, 765, 825, 875, 912, 940, 960, 975, 985, 990};

static const char *const folders[] = {
	"transactions", "transaction_items", "users", "stores", "menu_items"};

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

static int run_task(struct gen_job *job, uint32_t task, struct error *err)
{
	const struct coffee_month *months = job->plan;

	if (task < COFFEE_MONTHS)
		return coffee_write_sales(job, &months[task], err);
	task -= COFFEE_MONTHS;
	if (task < COFFEE_MONTHS)
		return coffee_write_users(job, &months[task], err);
	return task == COFFEE_MONTHS ? coffee_write_stores(job, err) : coffee_write_menu(job, err);
}

int gen_coffee(const struct gen_options *options, struct gen_report *report, struct error *err)
{
	static const char *const tables[] = {
		[COFFEE_TRANSACTIONS] = "transactions",
		[COFFEE_ITEMS] = "items",
		[COFFEE_USERS] = "users",
	};
	struct coffee_month months[COFFEE_MONTHS] = {0};
	struct gen_plan plan = {
		.pack = "coffee",
		.folder_count = sizeof(folders) / sizeof(*folders),
		.folders = folders,
		.table_count = sizeof(tables) / sizeof(*tables),
		.tables = tables,
		.task_count = TASK_COUNT,
		.task = run_task,
		.plan = months,
	};

	plan_months(options, months);
	for (uint32_t i = 0; i < COFFEE_MONTHS; i++)
		plan.bytes_total += months[i].bytes;
	return gen_run(&plan, options, report, err);
}
