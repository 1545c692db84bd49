/*
 * Generated data for the coffee pack: two years of a chain of coffee shops, in the shape, the
 * texts and the proportions that such exports have.
 *
 *   transactions/transactions_YYYYMM.csv            24 months, 2023-07 to 2025-06
 *   transaction_items/transaction_items_YYYYMM.csv  1 to 3 lines a transaction
 *   users/users_YYYYMM.csv                          registered in that month
 *   stores/stores.csv, menu_items/menu_items.csv
 *
 * The bytes depend on the size, the seed and `quoted` alone, never on the number of threads: every
 * file draws from a generator of its own.
 */
#ifndef GEN_COFFEE_H
#define GEN_COFFEE_H

#include "base/error.h"
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define GEN_THREADS_MAX 64
#define GEN_SIZE_MIN	(UINT64_C(16) << 10)
#define GEN_SIZE_MAX	(UINT64_C(4) << 40)

struct gen_options {
	const char *folder; /* made when it is not there */
	uint64_t size;	    /* bytes that transactions and transaction_items come to together */
	uint64_t seed;
	uint32_t threads;			  /* 0: as many as there are processors */
	bool quoted;				  /* every field that is not empty in quotes */
	bool force;				  /* write into a folder that holds other files */
	const volatile sig_atomic_t *interrupted; /* nonzero: stop soon; may be NULL */
	/* Called by the calling thread from time to time; may be NULL. */
	void (*on_progress)(void *context, uint64_t bytes_done, uint64_t bytes_total);
	void *progress_context;
};

struct gen_report {
	uint64_t bytes; /* of all files */
	uint64_t transactions;
	uint64_t items;
	uint64_t users;
};

/*
 * A folder that is not empty is refused (ERROR_USAGE) unless an earlier call made it or `force` is
 * set. A file appears under its name only when it is complete; what was begun when an error comes,
 * such as a full disk, is removed.
 */
MUST_CHECK int gen_coffee(
	const struct gen_options *options, struct gen_report *report, struct error *err);

#endif
