#include "base/clock.h"

#include <time.h>

static uint64_t read_us(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t clock_monotonic_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

uint64_t clock_monotonic_ms(void)
{
	return read_us(CLOCK_MONOTONIC) / 1000;
}

double clock_monotonic_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

uint64_t clock_wall_ms(void)
{
	return read_us(CLOCK_REALTIME) / 1000;
}

uint64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

void clock_sleep_ms(uint32_t ms)
{
	struct timespec time = {ms / 1000, (long)(ms % 1000) * 1000000};

	nanosleep(&time, NULL);
}
