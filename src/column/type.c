#include "column/type.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct type_row {
	const char *name;
	const char *array;
	enum physical physical;
};

#define ROW(name, physical)               \
	{                                 \
		name, name "[]", physical \
	}

static const struct type_row type_rows[TYPE_KIND_COUNT] = {
	[TYPE_UNKNOWN] = ROW("unknown", PHYSICAL_TEXT),
	[TYPE_BOOL] = ROW("boolean", PHYSICAL_U8),
	[TYPE_SMALLINT] = ROW("smallint", PHYSICAL_I64),
	[TYPE_INT] = ROW("integer", PHYSICAL_I64),
	[TYPE_BIGINT] = ROW("bigint", PHYSICAL_I64),
	[TYPE_NUMERIC] = ROW("numeric", PHYSICAL_NUM),
	[TYPE_REAL] = ROW("real", PHYSICAL_F64),
	[TYPE_DOUBLE] = ROW("double precision", PHYSICAL_F64),
	[TYPE_TEXT] = ROW("text", PHYSICAL_TEXT),
	[TYPE_DATE] = ROW("date", PHYSICAL_I64),
	[TYPE_TIME] = ROW("time", PHYSICAL_I64),
	[TYPE_TIMESTAMP] = ROW("timestamp", PHYSICAL_I64),
	[TYPE_TIMESTAMPTZ] = ROW("timestamptz", PHYSICAL_I64),
	[TYPE_INTERVAL] = ROW("interval", PHYSICAL_INTERVAL),
	[TYPE_BYTEA] = ROW("bytea", PHYSICAL_TEXT),
	[TYPE_UUID] = ROW("uuid", PHYSICAL_TEXT),
	[TYPE_JSON] = ROW("json", PHYSICAL_TEXT),
	[TYPE_JSONB] = ROW("jsonb", PHYSICAL_LIST),
	[TYPE_JSONPATH] = ROW("jsonpath", PHYSICAL_TEXT),
};

static_assert(TYPE_KIND_COUNT <= TYPE_ARRAY, "the bit of arrays is no kind's");

bool type_kind_is_legal(uint32_t number)
{
	uint32_t element = number & ~(uint32_t)TYPE_ARRAY;

	return element < TYPE_KIND_COUNT && (number == element || element != TYPE_UNKNOWN);
}

enum physical type_physical(enum type_kind kind)
{
	assert(type_kind_is_legal(kind));
	return type_is_array(kind) ? PHYSICAL_LIST : type_rows[kind].physical;
}

size_t physical_size(enum physical physical)
{
	switch (physical) {
	case PHYSICAL_U8: return 1;
	case PHYSICAL_I64:
	case PHYSICAL_F64: return 8;
	case PHYSICAL_NUM:
	case PHYSICAL_TEXT:
	case PHYSICAL_LIST:
	case PHYSICAL_INTERVAL: break;
	}
	return 16;
}

static_assert(sizeof(struct text) == 16, "physical_size counts on it");
static_assert(sizeof(struct text_list) == 16, "physical_size counts on it");

const char *type_kind_name(enum type_kind kind)
{
	assert(type_kind_is_legal(kind));
	return type_is_array(kind) ? type_rows[type_element(kind)].array : type_rows[kind].name;
}

const char *type_name(struct type type, char name[TYPE_NAME_MAX])
{
	if (type_has_scale(type.kind) && type.precision != NUMERIC_ANY)
		snprintf(name, TYPE_NAME_MAX, "numeric(%d,%d)%s", type.precision, type.scale,
			type_is_array(type.kind) ? "[]" : "");
	else
		snprintf(name, TYPE_NAME_MAX, "%s", type_kind_name(type.kind));
	return name;
}

bool type_equal(struct type a, struct type b)
{
	if (a.kind != b.kind)
		return false;
	return !type_has_scale(a.kind) || (a.precision == b.precision && a.scale == b.scale);
}

int text_compare(struct text a, struct text b)
{
	uint32_t common = a.size < b.size ? a.size : b.size;
	int order = common ? memcmp(a.data, b.data, common) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}
