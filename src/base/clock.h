/*
 * The machine's clocks. What the simulator runs gets its time from an interface instead; these are
 * for code that deals with real processes, sockets and people.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* For durations and deadlines: never goes back, and counts from an unknown start. */
uint64_t clock_monotonic_ms(void);
uint64_t clock_monotonic_us(void);
double clock_monotonic_seconds(void);

/* Since 1970, UTC. For people: the administrator may turn it back. */
uint64_t clock_wall_ms(void);
uint64_t clock_wall_us(void);

/* May return early, when a signal arrives. */
void clock_sleep_ms(uint32_t ms);

#endif
