#include "role/state_check.h"

#include "role/fold_node.h"
#include "role/generation.h"
#include "role/log_copy.h"
#include "role/result_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_BYTES_MAX (16u << 20)
#define COST_MAX	160
#define LOOKS_MAX	5u
#define ID_DIGITS	16u

/* What a run knows. */
struct state_run {
	struct state_check *check;
	struct buf names;      /* of the disk's folder */
	struct ledger *ledger; /* by the first copy of the log that is whole; NULL: there is none */
};

void state_check_tell(struct state_check *check, const struct state_finding *finding)
{
	check->counts.damaged++;
	check->counts.repaired += finding->is_repaired;
	check->tell(check->context, finding);
}

/* Says what is wrong and, if that is asked for, removes it. */
static int drop(struct state_check *check, const char *path, uint64_t job, const struct error *why,
	const char *cost, struct error *err)
{
	struct state_finding finding = {
		.path = path, .job = job, .what = why->message, .cost = cost};

	if (check->repairs) {
		if (disk_remove(check->disk, path, err))
			return -1;
		finding.is_repaired = true;
	}
	state_check_tell(check, &finding);
	return 0;
}

static bool is_there(const struct state_run *run, const char *name)
{
	for (size_t at = 0; at < run->names.size; at += strlen(run->names.data + at) + 1)
		if (strcmp(run->names.data + at, name) == 0)
			return true;
	return false;
}

static void count(struct state_check *check, const struct journal_summary *summary)
{
	check->counts.journals++;
	check->counts.records += summary->records;
	check->counts.bytes += summary->bytes;
}

/* Whether to look again: at what another process changes, or has removed by now. */
static bool looks_again(const struct state_check *check, uint32_t *looks)
{
	return check->is_running && ++*looks < LOOKS_MAX;
}

/* --- the copy of the log -------------------------------------------------------------------------
 */

static int check_log(struct state_run *run, const char *name, struct error *err)
{
	struct state_check *check = run->check;
	struct journal_summary summary;
	struct ledger *ledger;
	uint32_t looks = 0;
	struct error why;
	bool is_whole;
	int status;

	for (;;) {
		status = log_copy_verify(check->disk, name, &ledger, &summary, &is_whole, &why);
		if (!status || !looks_again(check, &looks))
			break;
		ledger_free(ledger);
	}
	count(check, &summary);
	if (is_whole && !run->ledger)
		run->ledger = ledger;
	else
		ledger_free(ledger);
	if (!status)
		return 0;
	return drop(check, name, 0, &why, "nothing is lost: the log is read from the broker again",
		err);
}

static int check_logs(struct state_run *run, struct error *err)
{
	const struct job *job = NULL;

	for (size_t at = 0; at < run->names.size; at += strlen(run->names.data + at) + 1)
		if (log_copy_is_folder(run->names.data + at) &&
			check_log(run, run->names.data + at, err))
			return -1;
	while (run->ledger && (job = ledger_next(run->ledger, job)) != NULL) {
		run->check->counts.open_jobs += job->state == JOB_OPEN;
		run->check->counts.done_jobs += job->state == JOB_DONE;
	}
	return 0;
}

/* --- journals of jobs ----------------------------------------------------------------------------
 */

static int read_packet(
	void *context, journal_position position, const void *bytes, size_t size, struct error *err)
{
	const uint64_t *id = context;
	struct flow_message packet;

	if (flow_message_decode(bytes, size, &packet, err))
		return -1;
	if (packet.kind == FLOW_PACKET && packet.job == *id)
		return 0;
	return error_set(err, ERROR_DATA,
		"the journal of job %016lx is damaged: it has something else than its packets at "
		"%lx",
		*id, position);
}

/* NULL: the copy of the log does not know it. */
static const struct job *find_job(const struct state_run *run, uint64_t id)
{
	return run->ledger ? ledger_find(run->ledger, id) : NULL;
}

static void job_cost(const struct state_run *run, uint64_t id, char cost[COST_MAX])
{
	const struct job *job = find_job(run, id);

	if (!job)
		snprintf(cost, COST_MAX, "job %016" PRIx64 " fails, if it is still open", id);
	else if (job->state == JOB_OPEN)
		snprintf(cost, COST_MAX, "job %016" PRIx64 " fails", id);
	else
		snprintf(cost, COST_MAX, "nothing is lost: job %016" PRIx64 " is over", id);
}

/* Its journal is well, its mark is not. */
static int check_mark(struct state_run *run, const char *name, uint64_t id, struct error *err)
{
	char path[DISK_PATH_MAX];
	struct error why;

	snprintf(path, sizeof(path), "%.*s" JOURNAL_MARK_SUFFIX,
		(int)(DISK_PATH_MAX - sizeof(JOURNAL_MARK_SUFFIX)), name);
	error_set(&why, ERROR_DATA, "it has a wrong checksum, or is cut off");
	return drop(run->check, path, id, &why,
		"nothing is lost; but what the journal might lose at its end would not be noticed "
		"at once",
		err);
}

static int check_job(struct state_run *run, const char *name, uint64_t id, struct error *err)
{
	struct state_check *check = run->check;
	struct state_finding finding = {.path = name, .job = id};
	struct journal_summary summary;
	char cost[COST_MAX];
	uint32_t looks = 0;
	struct error why;
	int status;

	/* A mark is written where it stands: a reader may find half of it. */
	do
		status = journal_verify(check->disk, name, true, read_packet, &id, &summary, &why);
	while ((status || summary.mark == JOURNAL_MARK_BAD) && looks_again(check, &looks));
	count(check, &summary);
	if (!status)
		return summary.mark == JOURNAL_MARK_BAD ? check_mark(run, name, id, err) : 0;
	job_cost(run, id, cost);
	finding.what = why.message;
	finding.cost = cost;
	if (check->repairs) {
		if (journal_drop(check->disk, name, err))
			return -1;
		finding.is_repaired = true;
	}
	state_check_tell(check, &finding);
	return 0;
}

/* --- results -------------------------------------------------------------------------------------
 */

static void result_cost(const struct state_run *run, uint64_t id, char cost[COST_MAX])
{
	const struct job *job = find_job(run, id);

	if (job && (job->state == JOB_FAILED || job->state == JOB_GONE))
		snprintf(cost, COST_MAX, "nothing is lost: job %016" PRIx64 " is over", id);
	else if (!run->check->keeps_results)
		snprintf(cost, COST_MAX, "nothing is lost: it is fetched again from the collector");
	else if (job && job->state == JOB_OPEN)
		snprintf(cost, COST_MAX, "job %016" PRIx64 " fails", id);
	else
		snprintf(cost, COST_MAX,
			"the results of job %016" PRIx64
			" are lost, but for copies that gateways have",
			id);
}

/* Those whose queries are known can be compared with what the log says of them. */
static const struct job *job_with_plan(const struct state_run *run, uint64_t id)
{
	const struct job *job = find_job(run, id);

	return job && (job->state == JOB_OPEN || job->state == JOB_DONE) ? job : NULL;
}

/*
 * Whether packets that the log says are there must be: the collector has synced them before it said so.
 * Those of a gateway may be on their way; but then its file does not end with what cannot be read.
 */
static bool is_missed(
	const struct state_run *run, const struct job *job, const struct journal_summary *summary)
{
	if (!job || job->results_lost)
		return false;
	return run->check->keeps_results || (job->state == JOB_DONE && summary->torn_bytes > 0);
}

static int check_result(struct state_run *run, const char *name, uint64_t id, struct error *err)
{
	struct state_check *check = run->check;
	const struct job *job = job_with_plan(run, id);
	struct journal_summary summary;
	char cost[COST_MAX];
	uint32_t looks = 0;
	struct error why;
	bool has_all;
	int status;

	do {
		status = result_store_verify(check->disk, id, job,
			check->keeps_results ? FLOW_NUMBER_MAX : FLOW_HEAD_PACKETS, &summary,
			&has_all, &why);
		if (!status && !has_all && is_missed(run, job, &summary))
			status = error_set(&why, ERROR_DATA,
				"packets of results that are complete are missing, or cannot be "
				"read");
	} while (status && looks_again(check, &looks));
	count(check, &summary);
	if (!status)
		return 0;
	result_cost(run, id, cost);
	return drop(check, name, id, &why, cost, err);
}

/* Results of jobs that are done, and of which the collector has nothing at all. */
static void check_lost_results(struct state_run *run)
{
	struct job *job = run->ledger ? ledger_next(run->ledger, NULL) : NULL;
	struct state_finding finding = {.what = "it is missing"};
	char name[DISK_PATH_MAX], cost[COST_MAX];

	/* While it runs the log may know more than the copy does. */
	for (; run->check->keeps_results && !run->check->is_running && job;
		job = ledger_next(run->ledger, job)) {
		snprintf(name, sizeof(name), RESULT_FOLDER_FORMAT, job->id);
		if (job->state != JOB_DONE || job->results_lost || is_there(run, name))
			continue;
		result_cost(run, job->id, cost);
		finding.path = name;
		finding.job = job->id;
		finding.cost = cost;
		/* Nothing is there to be dropped: the next start of the node sees it. */
		finding.is_repaired = run->check->repairs;
		state_check_tell(run->check, &finding);
	}
}

/* --- small files ---------------------------------------------------------------------------------
 */

static int check_generation(struct state_run *run, struct error *err)
{
	struct error why;

	if (!is_there(run, GENERATION_PATH) || !generation_verify(run->check->disk, &why))
		return 0;
	return drop(run->check, GENERATION_PATH, 0, &why,
		"nothing is lost; but a control log that is older than the one before would not be "
		"noticed",
		err);
}

static int check_identity(struct state_run *run, struct error *err)
{
	struct error why;

	if (!is_there(run, NODE_IDENTITY_PATH)) {
		if (!run->ledger)
			return 0; /* it has never run */
		error_set(&why, ERROR_DATA, "it is missing");
	} else if (!node_identity_verify(run->check->disk, &why)) {
		return 0;
	}
	return drop(run->check, NODE_IDENTITY_PATH, 0, &why,
		"the node is taken for one with a new disk: its open jobs fail", err);
}

/* --- all of it -----------------------------------------------------------------------------------
 */

/* The id in a name such as job-0123456789abcdef, whatever follows behind a dot. */
static bool parse_id(const char *name, const char *prefix, uint64_t *id)
{
	size_t skip = strlen(prefix);

	if (strncmp(name, prefix, skip) != 0 ||
		strspn(name + skip, "0123456789abcdef") != ID_DIGITS)
		return false;
	*id = strtoull(name + skip, NULL, 16);
	return true;
}

static int check_part(struct state_run *run, const char *name, struct error *err)
{
	char folder[DISK_PATH_MAX];
	uint64_t id;

	if (parse_id(name, RESULT_FOLDER_PREFIX, &id) && strchr(name, '.') == NULL)
		return check_result(run, name, id, err);
	if (!parse_id(name, JOB_FOLDER_PREFIX, &id))
		return 0;
	snprintf(folder, sizeof(folder), JOB_FOLDER_FORMAT, id);
	/* A mark is looked at with its journal, or in its place. */
	if (strcmp(name, folder) != 0 && is_there(run, folder))
		return 0;
	return check_job(run, folder, id, err);
}

int state_check_run(struct state_check *check, struct error *err)
{
	struct state_run run = {.check = check};
	int status;

	buf_init(&run.names, NAMES_BYTES_MAX);
	status = disk_list(check->disk, "", &run.names, err);
	/* The log first: it says what the rest is worth. */
	if (!status)
		status = check_logs(&run, err);
	for (size_t at = 0; !status && at < run.names.size; at += strlen(run.names.data + at) + 1)
		status = check_part(&run, run.names.data + at, err);
	if (!status)
		check_lost_results(&run);
	if (!status)
		status = check_identity(&run, err);
	if (!status)
		status = check_generation(&run, err);
	ledger_free(run.ledger);
	buf_release(&run.names);
	return status;
}
