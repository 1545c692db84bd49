/* The columns of the table of visits: web_columns.c has them, web.c fills them. */
#ifndef GEN_WEB_PRIVATE_H
#define GEN_WEB_PRIVATE_H

#include <stdint.h>

enum web_kind {
	/* Follow from what the row has drawn: */
	WEB_NUMBER,
	WEB_USER,
	WEB_SESSION,
	WEB_MOMENT,
	WEB_DAY,
	WEB_LINK,
	WEB_LINK_HASH,
	WEB_TITLE,
	WEB_HOST,
	WEB_SITE,
	WEB_ADDRESS,
	WEB_FROM,
	WEB_FROM_HASH,
	WEB_FROM_HOST,
	WEB_PHRASE,
	WEB_ENGINE,
	/* Have a draw of their own: */
	WEB_SMALL,
	WEB_TEXT,
};

struct web_column {
	const char *name;
	enum web_kind kind;
	uint32_t bound;	  /* different values */
	uint32_t permil;  /* rows of a thousand that have one */
	uint32_t of_user; /* the same in all rows of a user; different for each such column */
	const char *const *texts;
	uint32_t text_count; /* fewer than `bound`: a number stands behind them */
};

extern const struct web_column web_columns[];
extern const uint32_t web_column_count;

#endif
