/*
 * Between coffee.c, which plans the files and shares them out to threads, and coffee_rows.c, which
 * writes them.
 */
#ifndef GEN_COFFEE_PRIVATE_H
#define GEN_COFFEE_PRIVATE_H

#include "gen/coffee.h"
#include "gen/writer.h"
#include <stdatomic.h>

#define COFFEE_MONTHS 24

/* What one month's files hold; a function of the options alone. */
struct coffee_month {
	int32_t year;
	uint32_t month; /* 1..12 */
	uint32_t days;
	uint64_t bytes;		/* of transactions and transaction_items together */
	uint64_t users_before;	/* registered in earlier months; ids start at 1 */
	uint64_t users;		/* registered in this one */
	uint32_t member_permil; /* share of transactions by a member */
};

/* One thread's view: what it has written is added up by the caller. */
struct coffee_job {
	const struct gen_options *options;
	_Atomic bool *failed;  /* another thread has: stop */
	bool reports_progress; /* only the thread that called gen_coffee */
	_Atomic uint64_t *bytes_done;
	uint64_t bytes_total;
	struct gen_report report;
};

MUST_CHECK int coffee_write_sales(
	struct coffee_job *job, const struct coffee_month *month, struct error *err);
MUST_CHECK int coffee_write_users(
	struct coffee_job *job, const struct coffee_month *month, struct error *err);
MUST_CHECK int coffee_write_stores(struct coffee_job *job, struct error *err);
MUST_CHECK int coffee_write_menu(struct coffee_job *job, struct error *err);

#endif
