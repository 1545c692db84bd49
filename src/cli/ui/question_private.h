/* What the thread of a question does: in question_answer.c on this machine, in question_remote.c on a cluster. */
#ifndef CLI_UI_QUESTION_PRIVATE_H
#define CLI_UI_QUESTION_PRIVATE_H

#include "cli/request/submit.h"
#include "cli/ui/question.h"
#include "sql/statement.h"

#define QUESTION_REJECT_LIMIT                     \
	{                                         \
		.percent = REJECT_PERCENT_DEFAULT \
	}

struct asked {
	struct result_sink sink;   /* first: the calls get back from it */
	struct question *question; /* NULL: it is only to be planned */
	const struct ui_options *options;
	struct arena arena; /* gone with the thread */
	struct sql_text text;
	struct sql_statement statement;
	struct catalog catalog;
	struct table_schema parent; /* the rows of another question */
	bool explains;
	struct plan *plan;
};

/* With an arena, which the caller releases. */
void asked_init(struct asked *asked, const struct ui_options *options, struct question *question,
	const char *sql);

/* All the work of a question that is SQL. */
MUST_CHECK int question_answer(struct asked *asked, struct error *err);
/* After it was planned, on the cluster of the options. */
MUST_CHECK int question_answer_remotely(struct asked *asked, struct error *err);
/* The rows of a query of a job. */
MUST_CHECK int question_fetch_rows(struct asked *asked, struct error *err);

/* Names and types of what comes, which a wider guess may have changed. */
void question_begin_rows(struct asked *asked, const struct plan_query *query);
/* Columns of a table, files in a folder, ...: a line that a person should know. */
void question_note(struct question *question, const char *line);
/* What is read of the files, or done of the steps. */
void question_progress(
	struct question *question, enum question_stage stage, uint64_t done, uint64_t total);

#endif
