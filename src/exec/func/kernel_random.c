/* random(), by a seed: of the statement, of the call in it, and of the row. */
#include "base/hash.h"
#include "exec/expr/eval_private.h"

#define MANTISSA_BITS 53

static int run_random(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		uint64_t bits = hash_u64((uint64_t)arg_i64(&call->args[0], i));

		call->out->f64[i] = (double)(bits >> (64 - MANTISSA_BITS)) /
				    (double)(UINT64_C(1) << MANTISSA_BITS);
	}
	return 0;
}

static int run_mix(struct call *call, struct error *err)
{
	const struct column *value = &call->args[1];
	bool is_text = value->type.kind == TYPE_TEXT;

	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		uint64_t seed = (uint64_t)arg_i64(&call->args[0], i), hash;

		if (is_text) {
			const struct text *text = &value->text[column_index(value, i)];

			hash = hash_bytes(text->data, text->size);
		} else {
			hash = hash_u64((uint64_t)arg_i64(value, i));
		}
		call->out->i64[i] = (int64_t)hash_u64(hash_combine(seed, hash));
	}
	return 0;
}

const struct kernel *kernel_random_find(const struct expr *expr)
{
	static const struct kernel chance = {.run = run_random};
	static const struct kernel mix = {.run = run_mix};

	switch (expr->function) {
	case FN_RANDOM: return &chance;
	case FN_MIX_SEED: return &mix;
	default: return NULL;
	}
}
