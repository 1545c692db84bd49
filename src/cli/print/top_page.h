/* What `tamiz top` shows of a cluster, as lines of text. */
#ifndef CLI_PRINT_TOP_PAGE_H
#define CLI_PRINT_TOP_PAGE_H

#include "base/buf.h"
#include "base/json_read.h"

#include <stdbool.h>

enum top_node_order { TOP_NODES_BY_FLOW, TOP_NODES_BY_CPU, TOP_NODES_BY_MEMORY, TOP_NODES_BY_RATE };
enum top_job_order { TOP_JOBS_NEWEST, TOP_JOBS_BY_STATE, TOP_JOBS_BY_PROGRESS };

#define TOP_NODE_ORDERS 4
#define TOP_JOB_ORDERS	3
#define TOP_JOBS_MAX	1000u
#define TOP_ID_MAX	40u

struct top_page {
	const char *server;
	uint32_t columns; /* of the terminal; longer lines are cut */
	uint32_t rows;
	bool marks; /* with escape sequences: bold, colours, the chosen job in reverse */
	enum top_node_order node_order;
	enum top_job_order job_order;
	char chosen
		[TOP_ID_MAX]; /* the job; becomes another when that is gone; "" when there is none */
	int32_t move;	      /* the choice goes so many jobs down */
	const char *message;  /* in the last line, instead of the keys; NULL: none */
};

/* `news` is what cluster_view_wait tells. At most `rows` lines, each ending with a newline. */
void top_page_print(struct top_page *page, const struct json_value *news, struct buf *out);

#endif
