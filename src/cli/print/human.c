#include "cli/print/human.h"

#include <stdio.h>
#include <string.h>

const char *human_count(uint64_t count, char text[HUMAN_TEXT_MAX])
{
	char digits[24];
	int size = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *out = text;

	for (int i = 0; i < size; i++) {
		if (i > 0 && (size - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = 0;
	return text;
}

const char *human_bytes(uint64_t bytes, char text[HUMAN_TEXT_MAX])
{
	static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 999.5 && unit < 6) {
		value /= 1000;
		unit++;
	}
	snprintf(text, HUMAN_TEXT_MAX, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value,
		units[unit]);
	return text;
}

const char *human_seconds(double seconds, char text[HUMAN_TEXT_MAX])
{
	if (seconds < 0.1)
		snprintf(text, HUMAN_TEXT_MAX, "%.3f s", seconds);
	else if (seconds < 10)
		snprintf(text, HUMAN_TEXT_MAX, "%.2f s", seconds);
	else if (seconds < 100)
		snprintf(text, HUMAN_TEXT_MAX, "%.1f s", seconds);
	else if (seconds < 1e9)
		snprintf(text, HUMAN_TEXT_MAX, "%ld min %02ld s", (long)seconds / 60,
			(long)seconds % 60);
	else
		snprintf(text, HUMAN_TEXT_MAX, "a long time");
	return text;
}
