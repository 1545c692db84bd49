/*
 * sentiment(text): an exact decimal with four digits, so that sums and means of it do not depend on
 * the order of rows. NULL for an empty text.
 */
#include "exec/expr/eval_private.h"
#include "exec/func/sentiment.h"

static int run_sentiment(struct call *call, struct error *err)
{
	(void)err;
	FOR_EACH_ROW(&call->rows, i)
	{
		struct text text = arg_text(&call->args[0], i);

		if (text.size == 0)
			call_set_null(call, i);
		else
			call->out->num[i] = numeric_pack(sentiment_score(text), SENTIMENT_SCALE);
	}
	return 0;
}

const struct kernel *kernel_sentiment_find(const struct expr *expr)
{
	static const struct kernel sentiment = {.run = run_sentiment};

	return expr->function == FN_SENTIMENT ? &sentiment : NULL;
}
