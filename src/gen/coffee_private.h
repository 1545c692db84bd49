/*
 * Between coffee.c, which plans the files and shares them out to threads, and coffee_rows.c, which
 * writes them.
 */
#ifndef GEN_COFFEE_PRIVATE_H
#define GEN_COFFEE_PRIVATE_H

#include "gen/run.h"

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

/* In the report. */
enum coffee_table {
	COFFEE_TRANSACTIONS,
	COFFEE_ITEMS,
	COFFEE_USERS,
};

MUST_CHECK int coffee_write_sales(
	struct gen_job *job, const struct coffee_month *month, struct error *err);
MUST_CHECK int coffee_write_users(
	struct gen_job *job, const struct coffee_month *month, struct error *err);
MUST_CHECK int coffee_write_stores(struct gen_job *job, struct error *err);
MUST_CHECK int coffee_write_menu(struct gen_job *job, struct error *err);

#endif
