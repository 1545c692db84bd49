#include "cli/print/progress.h"

#include "base/clock.h"
#include "cli/print/human.h"
#include <stdio.h>
#include <unistd.h>

#define FIRST_DRAW_SECONDS 0.3
#define DRAW_SECONDS	   0.1
#define BAR_CELLS	   24

void progress_init(struct progress *progress, bool enabled)
{
	pthread_mutex_init(&progress->lock, NULL);
	progress->enabled = enabled && isatty(STDERR_FILENO);
	progress->drawn = false;
	progress->started = clock_monotonic_seconds();
	progress->last_drawn = progress->started + FIRST_DRAW_SECONDS - DRAW_SECONDS;
}

static void draw_bar(uint64_t done, uint64_t total)
{
	char bar[BAR_CELLS + 1];
	double share = total ? (double)done / (double)total : 0;
	int filled;

	if (share > 1)
		share = 1;
	filled = (int)(share * BAR_CELLS);
	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR_CELLS] = 0;
	fprintf(stderr, "\r\033[K[%s] %3.0f%%", bar, share * 100);
}

static void draw(uint64_t done, uint64_t total, double seconds)
{
	char done_text[HUMAN_TEXT_MAX], total_text[HUMAN_TEXT_MAX];
	char rate_text[HUMAN_TEXT_MAX], left_text[HUMAN_TEXT_MAX];
	double rate = (double)done / seconds;

	draw_bar(done, total);
	fprintf(stderr, "  %s of %s  %s/s", human_bytes(done, done_text),
		human_bytes(total, total_text), human_bytes((uint64_t)rate, rate_text));
	if (rate > 0 && total > done)
		fprintf(stderr, "  %s left",
			human_seconds((double)(total - done) / rate, left_text));
	fflush(stderr);
}

/* With the lock held: whether it is time to draw. */
static bool is_due(struct progress *progress, double now)
{
	if (!progress->enabled || now - progress->last_drawn < DRAW_SECONDS)
		return false;
	progress->drawn = true;
	progress->last_drawn = now;
	return true;
}

void progress_update(struct progress *progress, uint64_t bytes_done, uint64_t bytes_total)
{
	double now;

	pthread_mutex_lock(&progress->lock);
	now = clock_monotonic_seconds();
	/* Without files there is nothing to measure by. */
	if (bytes_total > 0 && is_due(progress, now))
		draw(bytes_done, bytes_total, now - progress->started);
	pthread_mutex_unlock(&progress->lock);
}

void progress_update_steps(
	struct progress *progress, const char *what, uint64_t done, uint64_t total)
{
	pthread_mutex_lock(&progress->lock);
	if (is_due(progress, clock_monotonic_seconds())) {
		draw_bar(done, total);
		fprintf(stderr, "  %s, %llu of %llu steps", what, (unsigned long long)done,
			(unsigned long long)total);
		fflush(stderr);
	}
	pthread_mutex_unlock(&progress->lock);
}

void progress_end(struct progress *progress)
{
	pthread_mutex_lock(&progress->lock);
	if (progress->drawn) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	progress->enabled = false;
	progress->drawn = false;
	pthread_mutex_unlock(&progress->lock);
}
