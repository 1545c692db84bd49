/*
 * What the page of `tamiz ui` asks (page.h says who may).
 *
 *   GET  session                  {"token", "name", "version", "functions"}
 *   GET  tables                   all tables with their columns
 *   POST questions                the body is SQL: {"id"}
 *   POST questions/ID/view?column=N&order=desc&search=TEXT     the same for a view of its rows
 *   POST questions/ID/cancel
 *   GET  questions/ID?wait=MS     its state, when it is over or after that time
 *   GET  questions/ID/rows?first=N&count=N
 *   GET  questions/ID/file?format=csv
 *   POST plan                     the body is SQL: {"plan"}
 */
#ifndef CLI_UI_ROUTE_H
#define CLI_UI_ROUTE_H

#include "cli/ui/page.h"
#include "cli/ui/question.h"

struct ui_router {
	struct page page; /* first */
	const struct ui_options *options;
	struct questions *questions;
};

/* The page's `api`. */
void route_api(struct page *page, struct http_request *request, const char *path);

#endif
