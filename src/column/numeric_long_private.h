/* What the files of long decimals share: values as GMP's integers. */
#ifndef COLUMN_NUMERIC_LONG_PRIVATE_H
#define COLUMN_NUMERIC_LONG_PRIVATE_H

#include "column/numeric_long.h"

#include <assert.h>
#include <gmp.h>

/* PostgreSQL's limits and its base. */
#define SIGNIFICANT_DIGITS 16
#define DISPLAY_SCALE_MAX  1000
#define RESULT_SCALE_MAX   2000
#define BASE_DIGITS	   4

static_assert(sizeof(mp_limb_t) == 8, "limbs are what a long numeric points to");

/* A finite value: digits * 10^-scale. Read only; not to be moved, `digits` may point to `room`. */
struct finite {
	mpz_t digits;
	unsigned scale;
	mp_limb_t room[2];
};

void finite_load(struct finite *finite, numeric n);
/* value * 10^-scale in its shortest form. */
enum numeric_fault finite_store(
	const mpz_t value, unsigned scale, struct arena *arena, numeric *out);
void mpz_power10(mpz_t out, unsigned long exponent);
/* Rounds half away from zero. */
void mpz_divide_rounded(mpz_t quotient, const mpz_t dividend, const mpz_t divisor);
/* From one scale to another, rounding half away from zero or cutting off. */
void mpz_rescale(mpz_t value, long from, long to, bool round);
/* Decimal digits; 0 has one. */
long mpz_count_digits(const mpz_t value);
/* Where PostgreSQL's first digit, of base 10000, stands, and which it is; of 0 both are 0. */
long mpz_leading_digit(const mpz_t value, unsigned scale, unsigned *digit);
/* The scale of a quotient. */
unsigned mpz_quotient_scale(const mpz_t a, unsigned a_scale, const mpz_t b, unsigned b_scale);
/* The root, rounded, of value * 10^-scale, at `scale`. */
void mpz_root_rounded(mpz_t value, unsigned scale);

#endif
