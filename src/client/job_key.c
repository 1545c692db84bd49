#include "client/job_key.h"

#include "base/clock.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/random.h"
#include "base/xdg.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define FILE_NAME     "job-keys"
#define LINE_SIZE     JOB_KEY_TEXT_MAX /* a line end in the place of the zero */
#define LOCK_TRIES    100u
#define LOCK_PAUSE_MS 5u
#define BYTES_KEPT    (JOB_KEYS_KEPT * LINE_SIZE)

/* --- text ----------------------------------------------------------------------------------------
 */

const char *job_key_secret_text(
	const struct wire_secret *secret, char text[JOB_KEY_SECRET_TEXT_MAX])
{
	hex_encode(secret->bytes, WIRE_SECRET_SIZE, text);
	text[2 * WIRE_SECRET_SIZE] = '\0';
	return text;
}

const char *job_key_text(
	uint64_t job, const struct wire_secret *secret, char text[JOB_KEY_TEXT_MAX])
{
	snprintf(text, JOB_KEY_TEXT_MAX, "%016" PRIx64 "-", job);
	job_key_secret_text(secret, text + JOB_KEY_ID_DIGITS + 1);
	return text;
}

bool job_key_parse_secret(const char *text, struct wire_secret *secret)
{
	return strlen(text) == JOB_KEY_SECRET_TEXT_MAX - 1 &&
	       hex_decode(text, WIRE_SECRET_SIZE, secret->bytes);
}

/* The digits of an id, whatever is behind them. */
static bool parse_id(const char *text, uint64_t *job)
{
	const char *end = text;

	return digits_take(&end, 16, UINT64_MAX, job) && end == text + JOB_KEY_ID_DIGITS &&
	       *job != 0;
}

static bool parse_whole(const char *text, uint64_t *job, struct wire_secret *secret)
{
	return strlen(text) == JOB_KEY_TEXT_MAX - 1 && text[JOB_KEY_ID_DIGITS] == '-' &&
	       parse_id(text, job) && job_key_parse_secret(text + JOB_KEY_ID_DIGITS + 1, secret);
}

/* --- the user's own ------------------------------------------------------------------------------
 */

/* Keeps the younger half of a file that has grown. Others wait for our lock meanwhile. */
static int make_short(int fd, size_t size)
{
	char lines[BYTES_KEPT];

	if (size < 2 * BYTES_KEPT)
		return 0;
	if (pread(fd, lines, BYTES_KEPT, (off_t)(size - BYTES_KEPT)) != (ssize_t)BYTES_KEPT ||
		pwrite(fd, lines, BYTES_KEPT, 0) != (ssize_t)BYTES_KEPT)
		return -1;
	return ftruncate(fd, BYTES_KEPT);
}

/* Others hold it for as long as a few writes take; who stands still meanwhile is not waited for. */
static bool lock(int fd)
{
	for (uint32_t tries = 0; tries < LOCK_TRIES; tries++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return true;
		clock_sleep_ms(LOCK_PAUSE_MS);
	}
	return false;
}

static void remember(uint64_t job, const struct wire_secret *secret)
{
	char path[PATH_MAX], line[LINE_SIZE];
	struct error ignored;
	off_t size;
	int fd;

	if (xdg_state_path(FILE_NAME, path, sizeof(path)) ||
		folder_make_above(path, 0700, &ignored))
		return;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (lock(fd) && (size = lseek(fd, 0, SEEK_END)) >= 0) {
		size -= size % (off_t)LINE_SIZE; /* a line that was cut off is overwritten */
		job_key_text(job, secret, line);
		line[LINE_SIZE - 1] = '\n';
		if (pwrite(fd, line, LINE_SIZE, size) == (ssize_t)LINE_SIZE)
			(void)!make_short(fd, (size_t)size + LINE_SIZE);
	}
	close(fd);
}

static bool recall(uint64_t job, struct wire_secret *secret)
{
	char path[PATH_MAX], *text;
	bool found = false;
	uint64_t other;
	size_t size;

	if (xdg_state_path(FILE_NAME, path, sizeof(path)))
		return false;
	text = file_read(path, 4 * BYTES_KEPT, &size);
	for (size_t at = 0; text && !found && at + LINE_SIZE <= size; at += LINE_SIZE) {
		text[at + LINE_SIZE - 1] = '\0';
		found = parse_whole(text + at, &other, secret) && other == job;
	}
	free(text);
	return found;
}

int job_key_draw(uint64_t *job, struct wire_secret *secret, struct error *err)
{
	if (random_id(job, err))
		return -1;
	if (random_bytes(secret->bytes, WIRE_SECRET_SIZE))
		return error_set(err, ERROR_IO, "cannot get random numbers from the system: %s",
			strerror(errno));
	remember(*job, secret);
	return 0;
}

int job_key_parse(const char *text, uint64_t *job, struct wire_secret *secret, struct error *err)
{
	if (parse_whole(text, job, secret))
		return 0;
	if (strlen(text) != JOB_KEY_ID_DIGITS || !parse_id(text, job))
		return error_set(err, ERROR_USAGE,
			"\"%s\" is not a job: jobs are %u hexadecimal digits, as tamiz jobs lists "
			"them, and of another user or machine also - and the %u digits of the "
			"job's secret",
			text, JOB_KEY_ID_DIGITS, JOB_KEY_SECRET_TEXT_MAX - 1);
	if (!recall(*job, secret))
		*secret = (struct wire_secret){{0}};
	return 0;
}
