#include "column/type.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

struct type_row {
	const char *name;
	enum physical physical;
};

static const struct type_row type_rows[TYPE_KIND_COUNT] = {
	[TYPE_UNKNOWN] = {"unknown", PHYSICAL_TEXT},
	[TYPE_BOOL] = {"boolean", PHYSICAL_U8},
	[TYPE_SMALLINT] = {"smallint", PHYSICAL_I64},
	[TYPE_INT] = {"integer", PHYSICAL_I64},
	[TYPE_BIGINT] = {"bigint", PHYSICAL_I64},
	[TYPE_NUMERIC] = {"numeric", PHYSICAL_NUM},
	[TYPE_REAL] = {"real", PHYSICAL_F64},
	[TYPE_DOUBLE] = {"double precision", PHYSICAL_F64},
	[TYPE_TEXT] = {"text", PHYSICAL_TEXT},
	[TYPE_DATE] = {"date", PHYSICAL_I64},
	[TYPE_TIME] = {"time", PHYSICAL_I64},
	[TYPE_TIMESTAMP] = {"timestamp", PHYSICAL_I64},
	[TYPE_INTERVAL] = {"interval", PHYSICAL_INTERVAL},
	[TYPE_TEXT_LIST] = {"text[]", PHYSICAL_LIST},
};

enum physical type_physical(enum type_kind kind)
{
	assert(kind < TYPE_KIND_COUNT);
	return type_rows[kind].physical;
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
	assert(kind < TYPE_KIND_COUNT);
	return type_rows[kind].name;
}

const char *type_name(struct type type, char name[TYPE_NAME_MAX])
{
	if (type.kind == TYPE_NUMERIC && type.precision != NUMERIC_ANY)
		snprintf(name, TYPE_NAME_MAX, "numeric(%d,%d)", type.precision, type.scale);
	else
		snprintf(name, TYPE_NAME_MAX, "%s", type_kind_name(type.kind));
	return name;
}

bool type_equal(struct type a, struct type b)
{
	if (a.kind != b.kind)
		return false;
	return a.kind != TYPE_NUMERIC || (a.precision == b.precision && a.scale == b.scale);
}

int text_compare(struct text a, struct text b)
{
	uint32_t common = a.size < b.size ? a.size : b.size;
	int order = common ? memcmp(a.data, b.data, common) : 0;

	return order ? order : (a.size > b.size) - (a.size < b.size);
}
