#include "cli/print/results.h"

#include "base/memory.h"
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct result_slot {
	struct format *format;
	struct output output;
	bool begun; /* it has rows */
	bool done;
};

const struct format_style results_usual_style;

static int on_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err);
static int on_done(struct result_sink *sink, uint32_t query, struct error *err);
static void on_format(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct buf *out);
static int on_formatted(
	struct result_sink *sink, uint32_t query, const struct buf *bytes, struct error *err);

static void init(struct results *results, const struct plan *plan, const struct results_form *form,
	struct progress *progress)
{
	memset(results, 0, sizeof(*results));
	results->sink.rows = on_rows;
	results->sink.done = on_done;
	if (form->ops->append) {
		results->sink.format = on_format;
		results->sink.formatted = on_formatted;
	}
	results->plan = plan;
	results->form = *form;
	results->progress = progress;
	results->slots = memory_zalloc((plan->query_count + 1) * sizeof(*results->slots));
	for (uint32_t i = 0; i < plan->query_count; i++) {
		results->slots[i].format = form->ops->new (&plan->queries[i], form->style);
		output_init_spool(&results->slots[i].output);
	}
}

void results_init_stream(struct results *results, const struct plan *plan,
	const struct results_form *form, bool several, struct progress *progress)
{
	init(results, plan, form, progress);
	results->several = several;
	for (uint32_t i = 0; several && i < plan->query_count; i++)
		form->ops->before(&plan->queries[i], i, &results->slots[i].output.buf);
	/* The first one is a spool as well until it has rows: an error leaves stdout empty. */
}

int results_init_file(struct results *results, const struct plan *plan,
	const struct results_form *form, const char *path, struct progress *progress,
	struct error *err)
{
	assert(plan->query_count == 1);
	init(results, plan, form, progress);
	results->to_files = true;
	if (output_init_file(&results->slots[0].output, path, err)) {
		results_release(results);
		return -1;
	}
	return 0;
}

static int make_folder(struct results *results, const char *folder, struct error *err)
{
	struct stat info;

	if (mkdir(folder, 0777) == 0) {
		results->made_folder = folder;
		return 0;
	}
	if (errno != EEXIST)
		return error_set(
			err, ERROR_IO, "cannot make the folder %s: %s", folder, strerror(errno));
	if (stat(folder, &info) || !S_ISDIR(info.st_mode))
		return error_set(
			err, ERROR_USAGE, "%s is not a folder: --output needs one", folder);
	return 0;
}

int results_init_folder(struct results *results, const struct plan *plan,
	const struct results_form *form, const char *folder, struct progress *progress,
	struct error *err)
{
	int status;

	init(results, plan, form, progress);
	results->to_files = true;
	status = make_folder(results, folder, err);
	for (uint32_t i = 0; status == 0 && i < plan->query_count; i++) {
		size_t size = strlen(folder) + strlen(plan->queries[i].name) + 16;
		char *path = memory_alloc(size);

		snprintf(path, size, "%s/%s.%s", folder, plan->queries[i].name,
			form->ops->extension);
		status = output_init_file(&results->slots[i].output, path, err);
		free(path);
	}
	if (status)
		results_release(results);
	return status;
}

/* Lets the query whose turn it is write through to the stream, if it does not yet. */
static int write_through(struct results *results, struct error *err)
{
	struct output *output = &results->slots[results->turn].output;

	if (output->kind != OUTPUT_SPOOL)
		return 0;
	progress_end(results->progress);
	return output_forward(output, results->form.fd, err);
}

/* Rows of a query are about to be written. */
static int begin_rows(struct results *results, uint32_t query, struct error *err)
{
	assert(query < results->plan->query_count);
	results->slots[query].begun = true;
	if (results->to_files || query != results->turn)
		return 0;
	return write_through(results, err);
}

static int on_rows(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct error *err)
{
	struct results *results = (struct results *)sink;
	struct result_slot *slot = &results->slots[query];

	if (slot->done) /* in a run before this one */
		return 0;
	return begin_rows(results, query, err)
		       ? -1
		       : results->form.ops->rows(slot->format, batch, &slot->output, err);
}

static void on_format(
	struct result_sink *sink, uint32_t query, const struct batch *batch, struct buf *out)
{
	const struct results *results = (const struct results *)sink;

	results->form.ops->append(results->slots[query].format, batch, out);
}

static int on_formatted(
	struct result_sink *sink, uint32_t query, const struct buf *bytes, struct error *err)
{
	struct results *results = (struct results *)sink;
	struct result_slot *slot = &results->slots[query];

	if (slot->done)
		return 0;
	return begin_rows(results, query, err)
		       ? -1
		       : results->form.ops->appended(slot->format, bytes, &slot->output, err);
}

static int on_done(struct result_sink *sink, uint32_t query, struct error *err)
{
	struct results *results = (struct results *)sink;
	struct result_slot *slot = &results->slots[query];

	assert(query < results->plan->query_count);
	if (slot->done)
		return 0;
	if (results->form.ops->end(slot->format, &slot->output, err))
		return -1;
	slot->done = true;
	if (results->to_files)
		return output_commit(&slot->output, err);
	while (results->turn < results->plan->query_count && results->slots[results->turn].done) {
		if (write_through(results, err) ||
			output_commit(&results->slots[results->turn].output, err))
			return -1;
		results->turn++;
	}
	return 0;
}

bool results_can_restart(const struct results *results)
{
	for (uint32_t i = 0; i < results->plan->query_count; i++)
		if (results->slots[i].begun && !results->slots[i].done)
			return false;
	return true;
}

int results_set_plan(struct results *results, const struct plan *plan, struct error *err)
{
	assert(plan->query_count == results->plan->query_count);
	for (uint32_t i = 0; i < plan->query_count; i++) {
		struct result_slot *slot = &results->slots[i];

		if (slot->done)
			continue;
		if (slot->begun && output_restart(&slot->output, err))
			return -1;
		if (slot->begun && results->several)
			results->form.ops->before(&plan->queries[i], i, &slot->output.buf);
		slot->begun = false;
		results->form.ops->free(slot->format);
		slot->format = results->form.ops->new (&plan->queries[i], results->form.style);
	}
	results->plan = plan;
	return 0;
}

int results_finish(struct results *results, struct error *err)
{
	struct output output;
	int status;

	if (!results->several || !results->form.ops->after_all)
		return 0;
	output_init_stream(&output, results->form.fd);
	results->form.ops->after_all(&output.buf);
	status = output_commit(&output, err);
	output_release(&output);
	return status;
}

void results_release(struct results *results)
{
	for (uint32_t i = 0; i < results->plan->query_count; i++) {
		results->form.ops->free(results->slots[i].format);
		output_release(&results->slots[i].output);
	}
	if (results->made_folder)
		rmdir(results->made_folder); /* fails, as it should, when there are results in it */
	free(results->slots);
	results->slots = NULL;
}

bool results_pipe_closed(const struct results *results)
{
	for (uint32_t i = 0; i < results->plan->query_count; i++) {
		if (results->slots[i].output.pipe_closed)
			return true;
	}
	return false;
}
