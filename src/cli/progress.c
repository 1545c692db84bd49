#include "cli/progress.h"

#include "cli/human.h"
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
	progress->started = human_now();
	progress->last_drawn = progress->started + FIRST_DRAW_SECONDS - DRAW_SECONDS;
}

static void draw(uint64_t done, uint64_t total, double seconds)
{
	char bar[BAR_CELLS + 1];
	char done_text[HUMAN_TEXT_MAX], total_text[HUMAN_TEXT_MAX];
	char rate_text[HUMAN_TEXT_MAX], left_text[HUMAN_TEXT_MAX];
	double share = total ? (double)done / (double)total : 0;
	double rate = (double)done / seconds;
	int filled;

	if (share > 1)
		share = 1;
	filled = (int)(share * BAR_CELLS);
	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = i < filled ? '#' : '.';
	bar[BAR_CELLS] = 0;
	fprintf(stderr, "\r\033[K[%s] %3.0f%%  %s of %s  %s/s", bar, share * 100,
		human_bytes(done, done_text), human_bytes(total, total_text),
		human_bytes((uint64_t)rate, rate_text));
	if (rate > 0 && total > done)
		fprintf(stderr, "  %s left",
			human_seconds((double)(total - done) / rate, left_text));
	fflush(stderr);
}

void progress_update(struct progress *progress, uint64_t bytes_done, uint64_t bytes_total)
{
	double now;

	pthread_mutex_lock(&progress->lock);
	now = human_now();
	if (progress->enabled && now - progress->last_drawn >= DRAW_SECONDS) {
		draw(bytes_done, bytes_total, now - progress->started);
		progress->drawn = true;
		progress->last_drawn = now;
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
