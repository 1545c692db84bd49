#include "sql/count_text.h"

#include <stdint.h>
#include <stdio.h>

#define DIGITS_MAX 32

const char *count_text(double count, char text[COUNT_TEXT_MAX])
{
	char digits[DIGITS_MAX];
	double unit = 1;
	int length, size = 0;

	while (count / unit >= 100)
		unit *= 10;
	length = snprintf(
		digits, sizeof(digits), "%.0f", (double)(uint64_t)(count / unit + 0.5) * unit);
	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			text[size++] = ',';
		text[size++] = digits[i];
	}
	text[size] = '\0';
	return text;
}
