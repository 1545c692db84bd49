/*
 * What a page asks that has a query and its rows (page.h says who may).
 *
 *   GET  session                  {"token", "name", "version", "functions"}
 *   GET  tables                   all tables with their columns
 *   POST questions                the body is SQL: {"id"}
 *   POST questions/ID/view?column=N&order=desc&search=TEXT     the same for a view of its rows
 *   POST questions/ID/cancel
 *   GET  questions/ID?wait=MS     its state, when it is over or after that time
 *   GET  questions/ID/rows?first=N&count=N
 *   GET  questions/ID/file?format=csv
 *   GET  questions/ID/plan        {"plan"} with what running it took, "" when that was not measured
 *   POST plan                     the body is SQL: {"plan"}
 *   POST files?name=NAME&at=N     a piece of a file that becomes a table
 *   POST files?name=NAME&gone=1   it is a table no more
 *   POST results?job=ID&query=N   the rows of a job of the cluster: {"id"}
 */
#ifndef CLI_UI_ROUTE_H
#define CLI_UI_ROUTE_H

#include "cli/ui/page.h"
#include "cli/ui/question.h"

#define ROUTE_PIECE_MAX PAGE_BODY_MAX

struct ui_router {
	const struct page_visitor *visitor; /* who asks */
	const struct ui_options *options;
	struct questions *questions;
	const char *name; /* of what is asked: a folder, or a cluster */
};

void route_api(const struct ui_router *router, struct http_request *request, const char *path);

#endif
