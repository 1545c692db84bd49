#include "node/node_check.h"

#include "cluster/roster.h"
#include "journal/disk_posix.h"
#include "node/last_words.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

static bool folder_of(
	const struct config *config, enum node_kind kind, uint32_t index, char folder[PATH_MAX])
{
	char name[ROSTER_NAME_MAX];
	int size;

	roster_name(kind, index, name);
	size = snprintf(folder, PATH_MAX, "%s/%s", config->cluster.state, name);
	return size > 0 && size < PATH_MAX;
}

bool node_check_has_state(const struct config *config, enum node_kind kind, uint32_t index)
{
	char folder[PATH_MAX];
	struct stat status;

	return kind != NODE_PROXY && kind != NODE_WATCHER &&
	       folder_of(config, kind, index, folder) && stat(folder, &status) == 0;
}

static int check_record(struct state_check *state, const char *folder, struct error *err)
{
	struct state_finding finding = {
		.path = LAST_WORDS_NAME,
		.cost = "nothing is lost; but what a job has done to this node before is forgotten",
	};
	struct error why;

	if (!last_words_verify(folder, &why))
		return 0;
	finding.what = why.message;
	if (state->repairs) {
		if (last_words_remove(folder, err))
			return -1;
		finding.is_repaired = true;
	}
	state_check_tell(state, &finding);
	return 0;
}

static int open_disk(
	struct node_check *check, const char *folder, struct disk **disk, struct error *err)
{
	if (!check->repairs)
		return disk_posix_look(disk, folder, &check->is_running, err);
	if (!disk_posix_open(disk, folder, err))
		return 0;
	error_append(err, "; only a node that is stopped is repaired");
	return -1;
}

int node_check_run(struct node_check *check, struct error *err)
{
	struct state_check state = {
		.keeps_results = check->kind == NODE_COLLECTOR,
		.repairs = check->repairs,
		.tell = check->tell,
		.context = check->context,
	};
	char folder[PATH_MAX];
	int status;

	check->is_running = false;
	if (!folder_of(check->config, check->kind, check->index, folder))
		return error_set(
			err, ERROR_USAGE, "%s: [cluster] state is too long", check->config->path);
	if (open_disk(check, folder, &state.disk, err))
		return -1;
	state.is_running = check->is_running;
	status = state_check_run(&state, err);
	if (!status)
		status = check_record(&state, folder, err);
	disk_posix_close(state.disk);
	check->counts = state.counts;
	return status;
}
