#include "csv/look.h"

#include "base/cpu_clones.h"

#include <stdint.h>

#define BLOCK 128 /* bytes that are looked at side by side */

/* Without a way out in between: the compiler makes a few vector instructions of a block. */
CPU_CLONES
static void look_blocks(struct csv_look *look, const char *text, size_t size, char quote)
{
	uint8_t quotes[BLOCK] = {0}, high[BLOCK] = {0};
	uint8_t any_quote = 0, any_high = 0;

	for (size_t i = 0; i < size; i += BLOCK) {
		for (size_t j = 0; j < BLOCK; j++) {
			quotes[j] |= text[i + j] == quote;
			high[j] |= (uint8_t)text[i + j];
		}
	}
	for (size_t j = 0; j < BLOCK; j++) {
		any_quote |= quotes[j];
		any_high |= high[j];
	}
	look->quote |= any_quote != 0;
	look->high |= any_high >= 0x80;
}

void csv_look_at(struct csv_look *look, const char *text, size_t size, char quote)
{
	bool before = look->quote;
	size_t whole = size - size % BLOCK;

	if (whole > 0)
		look_blocks(look, text, whole, quote);
	for (size_t i = whole; i < size; i++) {
		look->quote |= text[i] == quote;
		look->high |= (uint8_t)text[i] >= 0x80;
	}
	look->quote = quote == '\0' ? before : look->quote;
}
