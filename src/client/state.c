#include "client/state.h"

#include "base/crc32c.h"
#include "base/digits.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/lock_file.h"
#include "base/memory.h"
#include "base/xdg.h"
#include "client/job_key.h"
#include "input/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "tamiz-job 3\n"

/* --- where ---------------------------------------------------------------------------------------
 */

int state_default_path(uint64_t key, char *path, size_t size, struct error *err)
{
	char name[32];

	snprintf(name, sizeof(name), "submit-%016" PRIx64, key);
	if (xdg_state_path(name, path, size))
		return errno == ENOENT
			       ? error_set(err, ERROR_USAGE,
					 "there is no home folder to keep the state of the job in: "
					 "use --state FILE")
			       : error_set(err, ERROR_LIMIT,
					 "the path of the home folder is too long");
	if (folder_make_above(path, 0700, err))
		return error_append(err, " (choose a place with --state)");
	return 0;
}

/* --- files ---------------------------------------------------------------------------------------
 */

static int sample(const char *path, int fd, uint64_t size, uint64_t *hash, struct error *err)
{
	char *bytes = memory_alloc(STATE_SAMPLE_BYTES);
	uint64_t tail = size > STATE_SAMPLE_BYTES ? size - STATE_SAMPLE_BYTES : 0;
	uint64_t offsets[2] = {0, tail};
	int status = 0;

	*hash = 0;
	for (int i = 0; i < 2 && status == 0; i++) {
		ssize_t got = pread(fd, bytes, STATE_SAMPLE_BYTES, (off_t)offsets[i]);

		if (got < 0)
			status = error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
		else
			*hash = hash_combine(*hash, got ? hash_bytes(bytes, (size_t)got) : 0);
	}
	free(bytes);
	return status;
}

/* `rest` is the part of a path inside an archive. */
static char *plain_path(const char *on_disk, const char *rest)
{
	char *real = realpath(on_disk, NULL);
	const char *name = real ? real : on_disk;
	size_t size = strlen(name) + strlen(rest) + 1;
	char *path = memory_alloc(size);

	snprintf(path, size, "%s%s", name, rest);
	free(real);
	return path;
}

int state_add_file(struct state *state, const char *path, struct error *err)
{
	struct state_file file = {0};
	struct stat info;
	int status = 0;
	size_t archive = archive_prefix(path); /* of a file in an archive, that is what changes */
	char *on_disk = memory_strdup(path);
	int fd;

	if (archive > 0)
		on_disk[archive] = '\0';
	fd = open(on_disk, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &info))
		status = error_set(err, ERROR_IO, "%s: %s", path, strerror(errno));
	else if (!S_ISREG(info.st_mode))
		status = error_set(err, ERROR_USAGE,
			"%s is not a regular file: what a cluster has lost is read again, and this "
			"can be read only once. Write it into a file first",
			path);
	if (status == 0) {
		file.size = (uint64_t)info.st_size;
		file.mtime_ns = (uint64_t)info.st_mtim.tv_sec * 1000000000u +
				(uint64_t)info.st_mtim.tv_nsec;
		status = sample(path, fd, file.size, &file.hash, err);
	}
	if (fd >= 0)
		close(fd);
	/* By one name, however the folder was spelled: links and dots are the same file. */
	if (status == 0)
		file.path = plain_path(on_disk, path + strlen(on_disk));
	free(on_disk);
	if (status)
		return -1;
	state->files = memory_realloc(state->files, (state->file_count + 1) * sizeof(file));
	state->files[state->file_count++] = file;
	return 0;
}

static const char *difference(const struct state_file *a, const struct state_file *b)
{
	if (a->size != b->size)
		return "has another size";
	if (a->hash != b->hash)
		return "has other contents";
	return a->mtime_ns != b->mtime_ns ? "was written to" : NULL;
}

int state_compare(const struct state *then, const struct state *now, struct error *err)
{
	static const char advice[] = "what was sent of it may not fit any more; submit with "
				     "--restart to begin a new job";

	for (uint32_t i = 0; i < then->file_count && i < now->file_count; i++) {
		const struct state_file *a = &then->files[i], *b = &now->files[i];
		const char *what = difference(a, b);

		if (strcmp(a->path, b->path) != 0)
			return error_set(err, ERROR_DATA,
				"%s %s since the job %016" PRIx64 " was begun: %s",
				strcmp(a->path, b->path) < 0 ? a->path : b->path,
				strcmp(a->path, b->path) < 0 ? "is gone" : "is new", then->job,
				advice);
		if (what)
			return error_set(err, ERROR_DATA,
				"%s %s since the job %016" PRIx64 " was begun: %s", a->path, what,
				then->job, advice);
	}
	if (then->file_count != now->file_count)
		return error_set(err, ERROR_DATA,
			"%s %s since the job %016" PRIx64 " was begun: %s",
			then->file_count > now->file_count ? then->files[now->file_count].path
							   : now->files[then->file_count].path,
			then->file_count > now->file_count ? "is gone" : "is new", then->job,
			advice);
	return 0;
}

/* --- writing -------------------------------------------------------------------------------------
 */

static void put_name(struct buf *out, const char *name)
{
	for (; *name; name++) {
		if (*name == '\\')
			buf_append_text(out, "\\\\");
		else if (*name == '\n')
			buf_append_text(out, "\\n");
		else
			buf_append_char(out, *name);
	}
	buf_append_char(out, '\n');
}

static void put_table(struct buf *out, const struct session_table *table)
{
	if (table->total_known)
		buf_printf(out, "table %u", table->total);
	else
		buf_append_text(out, "table -");
	buf_printf(out, " %d %" PRIu64 " %" PRIu64 " %" PRIu64 " ", table->closed, table->rows,
		table->rejects, table->uncounted);
	for (uint32_t i = 0; i < table->acked.count; i++)
		buf_printf(out, "%s%" PRIu64 "-%" PRIu64, i > 0 ? "," : "",
			table->acked.ranges[i].first, table->acked.ranges[i].last);
	buf_append_text(out, table->acked.count ? " " : "- ");
	put_name(out, table->name);
}

static void encode(const struct state *state, struct buf *out)
{
	char secret[JOB_KEY_SECRET_TEXT_MAX];

	buf_append_text(out, MAGIC);
	buf_printf(out, "job %016" PRIx64 " %s opened %d\n", state->job,
		job_key_secret_text(&state->secret, secret), state->session.opened);
	buf_append_text(out, "server ");
	put_name(out, state->server);
	buf_printf(out, "chunk-size %" PRIu64 "\n", state->chunk_bytes);
	buf_printf(out, "request %016" PRIx64 "\n", state->request);
	buf_printf(out, "start %016" PRIx64 " %" PRIu64 "\n", (uint64_t)state->start.now,
		state->start.seed);
	for (uint32_t i = 0; i < state->file_count; i++) {
		const struct state_file *file = &state->files[i];

		buf_printf(out, "file %" PRIu64 " %" PRIu64 " %016" PRIx64 " ", file->size,
			file->mtime_ns, file->hash);
		put_name(out, file->path);
	}
	for (uint32_t t = 0; t < state->session.table_count; t++)
		put_table(out, &state->session.tables[t]);
	buf_printf(out, "crc32c %08x\n", crc32c(0, out->data, out->size));
}

int state_save(struct state *state, bool synced, struct error *err)
{
	struct buf bytes;
	int status = 0;

	buf_init(&bytes, STATE_BYTES_MAX);
	encode(state, &bytes);
	if (buf_overflowed(&bytes))
		status = error_set(err, ERROR_LIMIT, "the state of the job is too large to keep");
	else if (file_replace(state->path, FILE_ONE_WRITER, 0600, bytes.data, bytes.size, synced))
		status = error_set(err, ERROR_IO, "cannot write the state file %s: %s", state->path,
			strerror(errno));
	buf_release(&bytes);
	return status;
}

/* --- reading -------------------------------------------------------------------------------------
 */

/* A line of the file without its end, which becomes a zero; NULL at the end. */
static char *next_line(char **at)
{
	char *line = *at;
	char *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

static char *take_name(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		*to++ = *from == 'n' ? '\n' : *from;
		if (*from == '\0')
			break;
	}
	*to = '\0';
	return name;
}

/* A number and the space behind it. */
static bool take_field(char **line, unsigned base, uint64_t max, uint64_t *number)
{
	const char *at = *line;

	if (!digits_take(&at, base, max, number) || *at != ' ')
		return false;
	*line += at + 1 - *line;
	return true;
}

/* Such as 3-5,9-9, and the space behind them. */
static bool take_ranges(char **line, struct interval_set *set)
{
	const char *at = *line;
	uint64_t first, last;

	do {
		if (!digits_take(&at, 10, UINT32_MAX, &first) || *at++ != '-' ||
			!digits_take(&at, 10, UINT32_MAX, &last) || first == 0 || last < first)
			return false;
		for (uint64_t number = first; number <= last; number++)
			interval_set_add(set, number);
	} while (*at++ == ',');
	*line += at - *line;
	return at[-1] == ' ';
}

/* A dash that stands for nothing, and the space behind it. */
static bool take_dash(char **line)
{
	if (strncmp(*line, "- ", 2) != 0)
		return false;
	*line += 2;
	return true;
}

static bool take_table(struct state *state, char *line)
{
	struct session_table read = {0};
	struct session_table *table;
	uint64_t total = 0, closed;
	uint32_t index;

	read.total_known = !take_dash(&line);
	if ((read.total_known && !take_field(&line, 10, UINT32_MAX, &total)) ||
		!take_field(&line, 10, 1, &closed) ||
		!take_field(&line, 10, UINT64_MAX, &read.rows) ||
		!take_field(&line, 10, UINT64_MAX, &read.rejects) ||
		!take_field(&line, 10, UINT64_MAX, &read.uncounted) ||
		(!take_dash(&line) && !take_ranges(&line, &read.acked))) {
		interval_set_release(&read.acked);
		return false;
	}
	index = session_state_table(&state->session, take_name(line));
	table = &state->session.tables[index];
	table->total_known = read.total_known;
	table->total = (uint32_t)total;
	table->closed = closed != 0;
	table->rows = read.rows;
	table->rejects = read.rejects;
	table->uncounted = read.uncounted;
	interval_set_release(&table->acked);
	table->acked = read.acked;
	return true;
}

static bool take_file(struct state *state, char *line)
{
	struct state_file file = {0};

	if (!take_field(&line, 10, UINT64_MAX, &file.size) ||
		!take_field(&line, 10, UINT64_MAX, &file.mtime_ns) ||
		!take_field(&line, 16, UINT64_MAX, &file.hash))
		return false;
	file.path = memory_strdup(take_name(line));
	state->files = memory_realloc(state->files, (state->file_count + 1) * sizeof(file));
	state->files[state->file_count++] = file;
	return true;
}

/* And the space behind it. */
static bool take_secret(char **line, struct wire_secret *secret)
{
	char *end = strchr(*line, ' ');

	if (!end)
		return false;
	*end = '\0';
	if (!job_key_parse_secret(*line, secret))
		return false;
	*line = end + 1;
	return true;
}

static bool take_job(struct state *state, char *line)
{
	static const char key[] = "opened ";
	uint64_t opened;

	if (!take_field(&line, 16, UINT64_MAX, &state->job) ||
		!take_secret(&line, &state->secret) || strncmp(line, key, sizeof(key) - 1) != 0 ||
		!digits_parse(line + sizeof(key) - 1, 10, 1, &opened))
		return false;
	state->session.opened = opened != 0;
	return state->job != 0;
}

static bool take_start(struct state *state, char *line)
{
	uint64_t now;

	if (!take_field(&line, 16, UINT64_MAX, &now) ||
		!digits_parse(line, 10, UINT64_MAX, &state->start.seed))
		return false;
	state->start.now = (int64_t)now;
	state->start.known = true;
	return true;
}

static bool take_line(struct state *state, char *line)
{
	if (strncmp(line, "file ", 5) == 0)
		return take_file(state, line + 5);
	if (strncmp(line, "table ", 6) == 0)
		return take_table(state, line + 6);
	if (strncmp(line, "server ", 7) == 0) {
		snprintf(state->server, sizeof(state->server), "%s", take_name(line + 7));
		return true;
	}
	if (strncmp(line, "job ", 4) == 0)
		return take_job(state, line + 4);
	if (strncmp(line, "chunk-size ", 11) == 0)
		return digits_parse(line + 11, 10, UINT64_MAX, &state->chunk_bytes);
	if (strncmp(line, "start ", 6) == 0)
		return take_start(state, line + 6);
	return strncmp(line, "request ", 8) == 0 &&
	       digits_parse(line + 8, 16, UINT64_MAX, &state->request);
}

static bool decode(struct state *state, char *text)
{
	char *last = strstr(text, "\ncrc32c ");
	char expected[32], *line;

	/* A name cannot hold a line end: there is one such line. */
	if (strncmp(text, MAGIC, strlen(MAGIC)) != 0 || !last)
		return false;
	last++;
	snprintf(expected, sizeof(expected), "crc32c %08x\n",
		crc32c(0, text, (size_t)(last - text)));
	if (strcmp(last, expected) != 0)
		return false;
	*last = '\0';
	text += strlen(MAGIC);
	while ((line = next_line(&text)))
		if (!take_line(state, line))
			return false;
	return state->job != 0 && state->chunk_bytes != 0 && state->start.known;
}

static int load(struct state *state, bool *found, struct error *err)
{
	char *text = file_read(state->path, STATE_BYTES_MAX, NULL);
	int status = 0;

	*found = text || errno != ENOENT;
	if (!*found)
		return 0;
	if (!text)
		status = error_set(err, ERROR_IO, "cannot read the state file %s: %s", state->path,
			strerror(errno));
	else if (!decode(state, text))
		status = error_set(err, ERROR_DATA,
			"the state file %s is damaged; submit with --restart to begin a new job",
			state->path);
	free(text);
	return status;
}

static char *lock_path(const struct state *state)
{
	size_t size = strlen(state->path) + 8;
	char *path = memory_alloc(size);

	snprintf(path, size, "%s.lock", state->path);
	return path;
}

int state_open(struct state *state, const char *path, bool *found, struct error *err)
{
	enum lock_file_status taken;
	char *lock;

	*state = (struct state){.path = memory_strdup(path), .lock_fd = -1};
	*found = false;
	lock = lock_path(state);
	taken = lock_file_take(AT_FDCWD, lock, &state->lock_fd);
	free(lock);
	if (taken == LOCK_FILE_TAKEN)
		return load(state, found, err);
	if (taken == LOCK_FILE_FAILED)
		return error_set(
			err, ERROR_IO, "cannot write the state file %s: %s", path, strerror(errno));
	close(state->lock_fd);
	state->lock_fd = -1;
	return error_set(err, ERROR_USAGE,
		"another tamiz submit is busy with this job (%s): wait for it, or choose "
		"another --state FILE",
		path);
}

void state_reset(struct state *state)
{
	for (uint32_t i = 0; i < state->file_count; i++)
		free(state->files[i].path);
	free(state->files);
	session_state_release(&state->session);
	*state = (struct state){.path = state->path, .lock_fd = state->lock_fd};
}

void state_close(struct state *state, bool over)
{
	state_reset(state);
	if (state->lock_fd >= 0 && over) {
		char *lock = lock_path(state);

		unlink(state->path);
		lock_file_remove(AT_FDCWD, lock, state->lock_fd);
		free(lock);
	} else if (state->lock_fd >= 0) {
		close(state->lock_fd);
	}
	free(state->path);
	*state = (struct state){.lock_fd = -1};
}
