#include "client/resume.h"

#include "base/hash.h"
#include "client/ask.h"
#include "client/job_key.h"
#include "local/files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CANCEL_MS_MAX 2000u

static int open_state(
	struct state *state, const struct resume_request *request, bool *found, struct error *err)
{
	char folder[PATH_MAX], path[PATH_MAX];
	uint64_t key;
	int status;

	if (request->state_path) {
		snprintf(path, sizeof(path), "%s", request->state_path);
	} else {
		key = request->request;
		for (uint32_t i = 0; i < request->data->count; i++) {
			if (!realpath(request->data->paths[i], folder))
				return error_set(err, ERROR_IO, "%s: %s", request->data->paths[i],
					strerror(errno));
			key = hash_combine(key, hash_bytes(folder, strlen(folder)));
		}
		if (state_default_path(key, path, sizeof(path), err))
			return -1;
	}
	status = state_open(state, path, found, err);
	/* A damaged file is no reason not to begin anew. */
	if (status && state->lock_fd >= 0 && request->restart) {
		*found = true;
		return 0;
	}
	return status;
}

/* Whether the job in the state file is the one that is asked for now. */
static int check_state(const struct state *then, const struct state *now,
	const struct resume_request *request, struct error *err)
{
	if (then->request != request->request)
		return error_set(err, ERROR_USAGE,
			"%s belongs to another query or schema: name another file, or use "
			"--restart",
			then->path);
	if (strcmp(then->server, request->server) != 0)
		return error_set(err, ERROR_USAGE,
			"the job %016" PRIx64 " was begun with --server %s: use the same, or "
			"--restart to begin a new job",
			then->job, then->server);
	if (request->chunk_bytes && request->chunk_bytes != then->chunk_bytes)
		return error_set(err, ERROR_USAGE,
			"the job %016" PRIx64 " was begun with --chunk-size %" PRIu64
			": use the same, or --restart to begin a new job",
			then->job, then->chunk_bytes);
	return state_compare(then, now, err);
}

/* The job that could not be told, which expires by itself; 0 for none. */
static uint64_t cancel_old(const struct state *state, const char *token)
{
	struct wire_message answer;
	struct wire_message cancel = {.type = WIRE_CANCEL,
		.cancel = {.id = 1, .job = state->job, .secret = state->secret}};
	struct error ignored;
	struct arena arena;
	int status;

	if (state->job == 0)
		return 0;
	arena_init(&arena, 4096);
	status = ask(
		state->server, token, &cancel, WIRE_ACK, CANCEL_MS_MAX, &arena, &answer, &ignored);
	arena_release(&arena);
	return status ? state->job : 0;
}

/* Takes the files of `now`. */
static int begin_job(struct state *state, struct state *now, const struct resume_request *request,
	struct error *err)
{
	state->files = now->files;
	state->file_count = now->file_count;
	now->files = NULL;
	now->file_count = 0;
	state->request = request->request;
	state->start = *request->start;
	state->chunk_bytes = request->chunk_bytes ? request->chunk_bytes : SOURCE_CHUNK_DEFAULT;
	snprintf(state->server, sizeof(state->server), "%s", request->server);
	return job_key_draw(&state->job, &state->secret, err) ? -1 : state_save(state, true, err);
}

int resume_open(struct state *state, const struct resume_request *request,
	const struct chunk_source *source, bool *resumed, uint64_t *expiring, struct error *err)
{
	struct state now = {.lock_fd = -1};
	bool found = false;
	int status = 0;

	*expiring = 0;
	for (uint32_t i = 0; status == 0 && source_file(source, i); i++)
		status = state_add_file(&now, source_file(source, i), err);
	if (status == 0)
		status = open_state(state, request, &found, err);
	if (status == 0 && found && request->restart) {
		*expiring = cancel_old(state, request->token);
		state_reset(state);
		found = false;
	}
	if (status == 0 && found)
		status = check_state(state, &now, request, err);
	else if (status == 0)
		status = begin_job(state, &now, request, err);
	*resumed = found;
	state_reset(&now);
	return status;
}

int resume_begin_again(struct state *state, const struct chunk_source *source, struct error *err)
{
	struct state now = {.lock_fd = -1};
	int status = 0;

	for (uint32_t i = 0; status == 0 && source_file(source, i); i++)
		status = state_add_file(&now, source_file(source, i), err);
	if (status == 0)
		status = state_compare(state, &now, err);
	state_reset(&now);
	if (status)
		return -1;
	session_state_begin_again(&state->session);
	return job_key_draw(&state->job, &state->secret, err) ? -1 : state_save(state, true, err);
}
