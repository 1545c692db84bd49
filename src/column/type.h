/*
 * The types of SQL values, and how each lies in memory.
 *
 * A logical type says what a value means; its physical form says how a column stores it. Several
 * types share one form, so that kernels are written per form and not per type.
 */
#ifndef COLUMN_TYPE_H
#define COLUMN_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum type_kind {
	TYPE_UNKNOWN = 0, /* a bare NULL or quoted literal before the binder gave it a type */
	TYPE_BOOL,
	TYPE_SMALLINT,	  /* 16 bits in meaning, as TYPE_INT */
	TYPE_INT,	  /* 32 bits in meaning: arithmetic that leaves them is an error */
	TYPE_BIGINT,	  /* 64 bits */
	TYPE_NUMERIC,	  /* exact decimal with a scale of its own in every value, see numeric.h */
	TYPE_REAL,	  /* IEEE 754 binary32, in a double: every value is one of a float */
	TYPE_DOUBLE,	  /* IEEE 754 binary64 */
	TYPE_TEXT,	  /* bytes, compared bytewise */
	TYPE_DATE,	  /* days since 1970-01-01 */
	TYPE_TIME,	  /* microseconds since midnight */
	TYPE_TIMESTAMP,	  /* microseconds since 1970-01-01 00:00:00, no time zone */
	TYPE_TIMESTAMPTZ, /* microseconds since 1970-01-01 00:00:00 UTC, shown in a time zone */
	TYPE_INTERVAL,	  /* months, days and microseconds, see interval.h */
	TYPE_BYTEA,	  /* bytes */
	TYPE_UUID,	  /* 16 bytes */
	TYPE_JSON,	  /* its text, as it was written */
	TYPE_JSONB,	  /* one item of a list, see json.h */
	TYPE_JSONPATH,	  /* its text, as it was written; see jsonpath.h */
	TYPE_KIND_COUNT,
	/* An array is the kind of its elements with this bit; there are no arrays of arrays. */
	TYPE_ARRAY = 64,
	TYPE_TEXT_LIST = TYPE_ARRAY | TYPE_TEXT,
};

/*
 * numeric without (precision, scale) has NUMERIC_ANY in both: every value keeps its own scale. The
 * precision tells: a scale may be negative.
 */
#define NUMERIC_ANY (-1)
/* The most that numeric(precision, scale) can ask for. */
#define NUMERIC_PRECISION_MAX 1000

struct type {
	enum type_kind kind;
	int16_t precision; /* of numeric and its arrays; NUMERIC_ANY: unknown */
	int16_t scale;
};

enum physical {
	PHYSICAL_U8,	   /* bool: 0 or 1 */
	PHYSICAL_I64,	   /* smallint, int, bigint, date, time, timestamps */
	PHYSICAL_NUM,	   /* numeric: 16 bytes */
	PHYSICAL_F64,	   /* real, double */
	PHYSICAL_TEXT,	   /* text, bytea, uuid, json, jsonpath; struct text: 16 bytes */
	PHYSICAL_LIST,	   /* arrays, jsonb; struct text_list: 16 bytes */
	PHYSICAL_INTERVAL, /* struct interval: 16 bytes */
};

static inline bool type_is_number(enum type_kind kind)
{
	return kind >= TYPE_SMALLINT && kind <= TYPE_DOUBLE;
}

static inline bool type_is_integer(enum type_kind kind)
{
	return kind >= TYPE_SMALLINT && kind <= TYPE_BIGINT;
}

/* Of an integer type. */
static inline bool type_holds_integer(enum type_kind kind, int64_t value)
{
	switch (kind) {
	case TYPE_SMALLINT: return value == (int16_t)value;
	case TYPE_INT: return value == (int32_t)value;
	default: return true;
	}
}

/* real or double precision. */
static inline bool type_is_float(enum type_kind kind)
{
	return kind == TYPE_REAL || kind == TYPE_DOUBLE;
}

static inline struct type type_of(enum type_kind kind)
{
	return (struct type){kind, NUMERIC_ANY, NUMERIC_ANY};
}

static inline bool type_is_array(enum type_kind kind)
{
	return kind & TYPE_ARRAY;
}

/* The kind of an array's elements. */
static inline enum type_kind type_element(enum type_kind array)
{
	return (enum type_kind)(array & ~TYPE_ARRAY);
}

/* Of elements that are no arrays themselves. */
static inline enum type_kind type_array(enum type_kind element)
{
	return (enum type_kind)(element | TYPE_ARRAY);
}

/* The same with precision and scale. */
static inline struct type type_element_of(struct type array)
{
	array.kind = type_element(array.kind);
	return array;
}

static inline struct type type_array_of(struct type element)
{
	element.kind = type_array(element.kind);
	return element;
}

/* numeric or an array of it: what precision and scale are said of. */
static inline bool type_has_scale(enum type_kind kind)
{
	return type_element(kind) == TYPE_NUMERIC;
}

/* Whether a number from elsewhere is the kind of a value, TYPE_UNKNOWN included. */
bool type_kind_is_legal(uint32_t number);

/* TYPE_UNKNOWN has the form of text. */
enum physical type_physical(enum type_kind kind);
/* Bytes a value takes in a column: 1, 8 or 16. */
size_t physical_size(enum physical physical);

#define TYPE_NAME_MAX 32
/* "bigint", "numeric(10,2)", "timestamp": PostgreSQL's short names. Returns `name`. */
const char *type_name(struct type type, char name[TYPE_NAME_MAX]);
const char *type_kind_name(enum type_kind kind);
bool type_equal(struct type a, struct type b);

/* Borrowed bytes, not terminated. data == NULL is allowed only where size is 0. */
struct text {
	const char *data;
	uint32_t size;
	/*
	 * Of an item of a list: bytes behind `size` that take no part in comparing, such as the
	 * scale of a numeric. Only item.h's functions make them; 0 of all other texts.
	 */
	uint32_t tail;
};

/*
 * What an array is in memory: for each element a text whose bytes order as the values do (item.h),
 * so that comparing, hashing, finding and packing need not know what the elements are. A NULL
 * element has data == NULL and size == UINT32_MAX.
 */
struct text_list {
	const struct text *items;
	uint32_t count;
};

#define TEXT_LIST_NULL_SIZE UINT32_MAX

/* The longest text a value may hold; longer input is a reject, longer results are an error. */
#define TEXT_SIZE_MAX (64u << 20)

/* Bytewise, shorter first: <0, 0, >0. */
int text_compare(struct text a, struct text b);

static inline struct text text_from(const char *data, size_t size)
{
	return (struct text){data, (uint32_t)size, 0};
}

static inline struct text item_null(void)
{
	return (struct text){NULL, TEXT_LIST_NULL_SIZE, 0};
}

static inline bool item_is_null(struct text item)
{
	return item.size == TEXT_LIST_NULL_SIZE;
}

#endif
