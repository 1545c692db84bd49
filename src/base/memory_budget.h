/*
 * How much memory a process lets what grows with its data have: an account for each holder, and a
 * budget for all of them. Accounts are told what is held; nothing is taken from here.
 */
#ifndef BASE_MEMORY_BUDGET_H
#define BASE_MEMORY_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct memory_budget {
	size_t limit;
	_Atomic size_t held; /* by all accounts */
	/* For a part of a budget: the whole, which is told, and whose limit counts. NULL: this is one. */
	struct memory_budget *whole;
	bool has_own_limit; /* a part whose own limit counts: what others hold is nothing to it */
	const char *set_by; /* what says the limit, for errors; NULL: --memory */
	_Atomic size_t held_max; /* of a part, and of its whole */
};

/* Of one holder, one thread at a time. All zeros: it holds nothing, of no budget. */
struct memory_account {
	struct memory_budget *budget; /* borrowed; NULL: nobody counts */
	size_t held;
};

static inline void memory_budget_watch(struct memory_budget *budget)
{
	size_t held = atomic_load_explicit(&budget->held, memory_order_relaxed);
	size_t most = atomic_load_explicit(&budget->held_max, memory_order_relaxed);

	while (held > most && !atomic_compare_exchange_weak(&budget->held_max, &most, held))
		;
}

/* Adds `more` and takes `less` off. */
static inline void memory_budget_change(struct memory_budget *budget, size_t more, size_t less)
{
	atomic_fetch_add_explicit(&budget->held, more - less, memory_order_relaxed);
	if (budget->whole) {
		atomic_fetch_add_explicit(&budget->whole->held, more - less, memory_order_relaxed);
		memory_budget_watch(budget);
		memory_budget_watch(budget->whole);
	}
}

static inline void memory_account_set(
	struct memory_account *account, struct memory_budget *budget, size_t bytes)
{
	if (account->budget)
		memory_budget_change(account->budget, 0, account->held);
	account->budget = budget;
	account->held = budget ? bytes : 0;
	if (budget)
		memory_budget_change(budget, account->held, 0);
}

/* Whose limit counts. */
static inline const struct memory_budget *memory_account_limit(const struct memory_account *account)
{
	const struct memory_budget *budget = account->budget;

	return budget && budget->whole && !budget->has_own_limit ? budget->whole : budget;
}

/* Holders of less than this are never what is too much. */
#define MEMORY_REFUSE_BYTES_MIN ((size_t)1 << 20)

/* The budget is exceeded, and this holder is to blame. */
static inline bool memory_account_is_over(const struct memory_account *account)
{
	const struct memory_budget *budget = memory_account_limit(account);

	return budget && account->held > MEMORY_REFUSE_BYTES_MIN &&
	       atomic_load_explicit(&budget->held, memory_order_relaxed) > budget->limit;
}

/*
 * Who can do with less gives way before the others are out of memory, if it has enough for that to make
 * a difference.
 */
static inline bool memory_account_gives_way(const struct memory_account *account)
{
	const struct memory_budget *budget = memory_account_limit(account);

	return budget && account->held >= budget->limit / 16 &&
	       atomic_load_explicit(&budget->held, memory_order_relaxed) >
		       budget->limit - budget->limit / 4;
}

#endif
