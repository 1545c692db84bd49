/* What the files of the JSON kernels share. */
#ifndef EXEC_FUNC_JSON_PRIVATE_H
#define EXEC_FUNC_JSON_PRIVATE_H

#include "column/item.h"
#include "column/json.h"
#include "exec/expr/eval_private.h"

/* An argument of type json or jsonb that is not NULL, as a tree in the call's arena. */
int json_arg(
	struct call *call, uint32_t arg, uint32_t row, struct json_node *out, struct error *err);
/*
 * The row's result, of type json, jsonb or text: as text a string is its characters, null is NULL,
 * and a value that stood in a json is as it was written there.
 */
int json_set(struct call *call, uint32_t row, const struct json_node *node, struct error *err);
/* What json_set makes of a tree for this type, as an item of a list of such values. */
int json_to_item(struct call *call, enum type_kind kind, const struct json_node *node,
	struct text *out, struct error *err);
/* A text made by json_format. */
int json_to_text(struct call *call, const struct json_node *node, const struct json_style *style,
	struct text *out, struct error *err);
/* Whether a step is a number: the index of an item. */
bool json_index(struct text step, int64_t *out);

static inline bool json_is_scalar(const struct json_node *node)
{
	return node->form != JSON_FORM_ARRAY && node->form != JSON_FORM_OBJECT;
}

static inline struct text_list json_arg_list(struct call *call, uint32_t arg, uint32_t row)
{
	const struct column *column = &call->args[arg];

	return column->list[column_index(column, row)];
}

#endif
