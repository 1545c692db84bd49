/*
 * What a cell of a table looks like, and how many bits it takes to write down when one knows.
 *
 * A number needs little more than three bits a digit, a date sixteen or so, running text about five
 * a character, and a character that hardly ever stands in text more than that. So the reading of a
 * file that cuts it into numbers, dates and clean text is the one that is shortest to describe
 * (score.h). The figures are rough, which is enough: what they must get right is which is more.
 */
#ifndef CSV_SNIFF_CELL_H
#define CSV_SNIFF_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Costs are counted in parts of a bit. */
#define CELL_BIT 16

enum cell_class {
	CELL_EMPTY,
	CELL_NULL,   /* a usual spelling of NULL */
	CELL_NUMBER, /* also with a currency, a percent sign, thousands */
	CELL_TIME,   /* dates, times, both */
	CELL_TEXT,
	CELL_CLASS_COUNT,
};

struct cell_look {
	enum cell_class class;
	uint32_t typed; /* cost, for one who expects its class; of text that is `text` */
	uint32_t text;	/* cost as text */
};

/* Blanks around the text are looked past. */
struct cell_look cell_look(const char *data, size_t size);

#endif
