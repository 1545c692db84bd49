/*
 * Generated data for the packs, in the shape, the texts and the proportions that the real data sets
 * have. The bytes depend on the pack, the size, the seed and `quoted` alone, never on the number of
 * threads: every file draws from a generator of its own.
 */
#ifndef GEN_GEN_H
#define GEN_GEN_H

#include "base/error.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define GEN_THREADS_MAX 64
#define GEN_SIZE_MIN	(UINT64_C(16) << 10)
#define GEN_SIZE_MAX	(UINT64_C(4) << 40)

struct gen_options {
	const char *folder; /* made when it is not there */
	uint64_t size;	    /* bytes that the large tables come to together */
	uint64_t seed;
	uint32_t threads;		/* 0: as many as there are processors */
	bool quoted;			/* every field that is not empty in quotes */
	bool force;			/* write into a folder that holds other files */
	const atomic_bool *interrupted; /* set: stop soon; may be NULL */
	/* Called by the calling thread from time to time; may be NULL. */
	void (*on_progress)(void *context, uint64_t bytes_done, uint64_t bytes_total);
	void *progress_context;
};

#define GEN_TABLES_MAX 8

struct gen_table_report {
	const char *name;
	uint64_t rows;
};

struct gen_report {
	uint64_t bytes; /* of all files */
	uint32_t table_count;
	struct gen_table_report tables[GEN_TABLES_MAX];
};

/*
 * A folder that is not empty is refused (ERROR_USAGE) unless an earlier call made it or `force` is
 * set. A file appears under its name only when it is complete; what was begun when an error comes,
 * such as a full disk, is removed.
 */
struct generator {
	const char *pack;
	int (*run)(const struct gen_options *options, struct gen_report *report, struct error *err);
};

/* NULL when there is none for the pack. */
const struct generator *gen_find(const char *pack);
/* The packs that there are generators for: "coffee, movies, books, trade, h2o and web". */
extern const char gen_packs[];

/*
 * Two years of a chain of coffee shops.
 *
 *   transactions/transactions_YYYYMM.csv            24 months, 2023-07 to 2025-06
 *   transaction_items/transaction_items_YYYYMM.csv  1 to 3 lines a transaction
 *   users/users_YYYYMM.csv                          registered in that month
 *   stores/stores.csv, menu_items/menu_items.csv
 */
MUST_CHECK int gen_coffee(
	const struct gen_options *options, struct gen_report *report, struct error *err);

/* movies_metadata.csv (3 records of it broken in two lines), ratings.csv and credits.csv. */
MUST_CHECK int gen_movies(
	const struct gen_options *options, struct gen_report *report, struct error *err);

/* books_data.csv (its last record is cut short) and Books_rating.csv. */
MUST_CHECK int gen_books(
	const struct gen_options *options, struct gen_report *report, struct error *err);

/* lines.csv, orders.csv, offers.csv, products.csv, customers.csv, suppliers.csv, countries.csv, regions.csv. */
MUST_CHECK int gen_trade(
	const struct gen_options *options, struct gen_report *report, struct error *err);

/* readings.csv, events.csv, large.csv, medium.csv, small.csv. */
MUST_CHECK int gen_h2o(
	const struct gen_options *options, struct gen_report *report, struct error *err);

/* visits.csv. */
MUST_CHECK int gen_web(
	const struct gen_options *options, struct gen_report *report, struct error *err);

#endif
