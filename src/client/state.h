/*
 * What `tamiz submit` keeps on disk while a job is under way, so that it goes on with the same job
 * when it is started again.
 *
 * The file is text, one line per item, and the last line is the checksum of all before it:
 *
 *   tamiz-job 3
 *   job 0123456789abcdef SECRET     opened 0|1
 *   server HOST:PORT,...
 *   chunk-size BYTES
 *   request HASH                    of schema, names and texts of the queries
 *   start MICROS SEED               when it was asked (in hexadecimal digits), and the seed of its random numbers
 *   file SIZE MTIME_NS HASH PATH    of every input file; the hash is of its first and last 64 KB
 *   table TOTAL|- CLOSED ROWS REJECTS UNCOUNTED RANGES|- NAME    RANGES: 1-17,19-20
 *   crc32c 01234567
 *
 * Backslashes and line ends in names are \\ and \n. It is written under another name and renamed,
 * so that it is there whole or not at all; a lock beside it keeps a second process away.
 */
#ifndef CLIENT_STATE_H
#define CLIENT_STATE_H

#include "client/session.h"
#include "column/statement_start.h"

#define STATE_SERVER_MAX   4096
#define STATE_BYTES_MAX	   (256u << 20)
#define STATE_SAVE_MS	   100u
#define STATE_SAMPLE_BYTES (64u << 10)

struct state_file {
	uint64_t size;
	uint64_t mtime_ns;
	uint64_t hash;
	char *path;
};

struct state {
	char *path;
	int lock_fd;
	uint64_t job;
	struct wire_secret secret;
	char server[STATE_SERVER_MAX];
	uint64_t chunk_bytes;
	uint64_t request;
	struct statement_start start;
	uint32_t file_count;
	struct state_file *files;
	struct session_state session;
	uint64_t saved_ms;
};

/* $XDG_STATE_HOME/tamiz/submit-KEY, or below ~/.local/state; -1 when there is no such place. */
MUST_CHECK int state_default_path(uint64_t key, char *path, size_t size, struct error *err);

/*
 * Takes the lock and reads what is there: *found. ERROR_USAGE when another process works with it,
 * ERROR_DATA when it is damaged. Released also after an error.
 */
MUST_CHECK int state_open(struct state *state, const char *path, bool *found, struct error *err);
/* The file stays, unless `over`. */
void state_close(struct state *state, bool over);
/* Forgets what was read: a new job. */
void state_reset(struct state *state);

/* Notes a file as it is now. */
MUST_CHECK int state_add_file(struct state *state, const char *path, struct error *err);
/* Whether `now` has the same files, unchanged. ERROR_DATA names the first that is not. */
MUST_CHECK int state_compare(const struct state *then, const struct state *now, struct error *err);

/* `synced`: it will outlast a power failure. */
MUST_CHECK int state_save(struct state *state, bool synced, struct error *err);

#endif
