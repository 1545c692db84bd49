/* What is said of questions, as bytes: JSON for the page, files for people. */
#ifndef CLI_UI_ANSWER_H
#define CLI_UI_ANSWER_H

#include "cli/format/format.h"
#include "cli/ui/question.h"

#define ANSWER_BYTES_MAX (64u << 20)
#define ANSWER_ROWS_MAX	 1000u

/* Its state, and its columns when it has them. */
void answer_state(struct question *question, struct buf *out);
/*
 * Rows from a number on, from 0, at most ANSWER_ROWS_MAX, as arrays of texts and nulls. Long texts are
 * cut. The question is done.
 */
MUST_CHECK int answer_rows(const struct question *question, uint64_t first, uint64_t count,
	struct buf *out, struct error *err);
/* All tables with their columns, and the files that were dropped onto the page. */
MUST_CHECK int answer_tables(const struct ui_options *options, struct buf *out, struct error *err);

/*
 * All rows of a question that is done, as a file. Takes the caller's use of the question, which
 * download_free gives back.
 */
struct download;
struct download *download_new(struct question *question, const struct format_ops *form);
void download_free(void *context);
/* http_stream_fn; the context is the download, and so it is above. */
ssize_t download_read(void *context, char *bytes, size_t size_max);

#endif
